# What makes the builds cheaper: headers that are read once, and files that are compiled together. Most of it is for the
# build with sanitizers alone. The release build compiles every file of src/ by itself and from its own #includes, so
# that it finds those that are missing, and on its include paths scripts/check-layers proves the direction of includes.

# cgpu_precompile(TARGET library|test): the headers of TARGET that are precompiled. Tests have GoogleTest, in all builds.
set(CGPU_PRECOMPILED
  <algorithm> <array> <charconv> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
  <unordered_map> <unordered_set> <utility> <vector> <fmt/format.h>
  ${CMAKE_SOURCE_DIR}/src/model/run.h)

function(cgpu_precompile target kind)
  set(headers "")
  if(CGPU_SANITIZE OR DEFINED ENV{CGPU_DEV})
    list(APPEND headers ${CGPU_PRECOMPILED})
  endif()
  set(uses fmt::fmt)
  if(kind STREQUAL test)
    list(APPEND headers <gtest/gtest.h>)
    list(APPEND uses GTest::gtest)
  endif()
  if(NOT headers)
    return()
  endif()
  set(host cgpu_precompiled_for_${kind})
  if(NOT TARGET ${host})
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/precompiled.cpp CONTENT "")
    add_library(${host} OBJECT ${CMAKE_BINARY_DIR}/generated/precompiled.cpp)
    target_include_directories(${host} PRIVATE ${CMAKE_BINARY_DIR}/include/base ${CMAKE_BINARY_DIR}/include/model)
    target_link_libraries(${host} PRIVATE ${uses})
    cgpu_flags(${host} ${kind})
    target_precompile_headers(${host} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${host})
endfunction()

# cgpu_unite(TARGET FOLDER source...): with sanitizers, the first files of all subfolders of FOLDER are compiled as one,
# and so are the second, and so on. Each subfolder has a namespace of its own, so that their names cannot meet.
function(cgpu_unite target folder)
  if(NOT CGPU_SANITIZE)
    return()
  endif()
  foreach(source ${ARGN})
    cmake_path(GET source PARENT_PATH place)
    if(place STREQUAL folder)
      continue()
    endif()
    list(APPEND places ${place})
    set(before ${places})
    list(FILTER before INCLUDE REGEX "^${place}$")
    list(LENGTH before number)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
