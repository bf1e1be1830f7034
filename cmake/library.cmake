# cgpu_library(NAME [DEPENDS folder...] [USES target...])
#
# One static library for one folder of src/. A folder sees only the headers of the folders in DEPENDS (and of
# those they depend on): each library's include path holds one link, to its own folder, so that an include in
# the wrong direction does not compile. Files named *_test.cpp become the test program cgpu_NAME_test.
function(cgpu_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;USES" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  set(view ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${folder} ${view}/${name} SYMBOLIC)

  if(sources)
    add_library(cgpu_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(cgpu_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(cgpu_${name} ${scope} $<BUILD_INTERFACE:${view}>)
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(cgpu_${name} ${scope} cgpu_${dependency})
  endforeach()
  target_link_libraries(cgpu_${name} ${scope} ${ARG_USES})
  if(sources)
    cgpu_flags(cgpu_${name} library)
    cgpu_precompile(cgpu_${name} library)
    cgpu_unite(cgpu_${name} 56 ${sources})  # a unit takes up to 1.2 GB
  endif()

  if(CGPU_TESTS AND tests)
    add_executable(cgpu_${name}_test ${tests})
    target_link_libraries(cgpu_${name}_test PRIVATE cgpu_${name} GTest::gtest_main)
    cgpu_flags(cgpu_${name}_test test)
    cgpu_precompile(cgpu_${name}_test test)
    cgpu_unite(cgpu_${name}_test 24 ${tests})  # their names meet more often
    set_property(GLOBAL APPEND PROPERTY CGPU_UNIT_TESTS cgpu_${name}_test)
  endif()
endfunction()

# cgpu_rules(FOLDER FILE NAME): the text of a file of rules travels in the library of the folder, as a std::string_view
# of this name.
function(cgpu_rules folder file name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(REGEX REPLACE "(^|\n)[ \t]*#[^\n]*" "\\1" text "${text}")  # comments are for the file; its lines keep their numbers
  set(generated ${CMAKE_BINARY_DIR}/generated/${folder}/${name}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/rules.cpp.in ${generated} @ONLY)
  target_sources(cgpu_${folder} PRIVATE ${generated})
endfunction()

# cgpu_flags(TARGET library|test): the flags of a library of src/, and of the program that tests it.
function(cgpu_flags target kind)
  if(kind STREQUAL test)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # precompiled headers want one setting
  endif()
  if(kind STREQUAL library AND CGPU_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)  # coverage; the fuzz targets add the driver
  elseif(kind STREQUAL test AND CGPU_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)  # tests spend their time in what they test
  elseif(kind STREQUAL test AND CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(${target} PRIVATE -Og)  # likewise
  endif()
endfunction()
