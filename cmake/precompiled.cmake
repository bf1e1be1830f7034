# What makes the builds cheaper: headers that are read once, and files that are compiled together. Common headers are
# precompiled for the sanitizers alone: there they hide the direction of includes, which the release build enforces.
# Files are compiled together in both; that each includes what it needs is for scripts/check-layers to find.

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

# cgpu_unite(TARGET NUMBER source...): the sources are dealt out in turn to units of at most NUMBER, each compiled as one file,
# in half the processor time. Neighbours in a folder go to different units, so that their file-local names seldom meet; where
# two do, the compiler says so, and either they are one thing and belong in a header, or one wants a better name.
function(cgpu_unite target files_per_unit)
  if(NOT CGPU_UNITE)
    return()
  endif()
  list(LENGTH ARGN number)
  math(EXPR units "(${number} + ${files_per_unit} - 1) / ${files_per_unit}")
  set(index 0)
  foreach(source ${ARGN})
    math(EXPR unit "${index} % ${units}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
    math(EXPR index "${index} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
