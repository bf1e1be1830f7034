# Compiler flags shared by every target.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# As fast as -O3 here (bench/), and sooner; but for the import (src/CMakeLists.txt).
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

if(NOT CGPU_WEB_ENGINE)
  add_compile_options(-pthread)  # as RE2 asks for, and precompiled headers want the same flags everywhere
endif()
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-subobject-linkage)  # true of every file-local type in files that are compiled as one
  add_compile_options(-Wno-restrict)  # false alarms on `"literal" + std::string` (GCC bug 105329)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-maybe-uninitialized)  # false alarms on std::optional (GCC bug 80635), others with each -O
endif()
if(CGPU_WERROR)
  add_compile_options(-Werror)
endif()

if(CGPU_SANITIZE OR CGPU_FUZZ)
  # What the checks left out would find, AddressSanitizer finds where it is used; they cost a fifth of the compilation.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,object-size,vptr -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
  find_program(CGPU_LLD NAMES ld.lld-14 ld.lld)
  if(CGPU_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # some fifty programs of 200 MB each
    add_link_options(--ld-path=${CGPU_LLD})
  endif()
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # A clone finds what another one has compiled, wherever it lies, and with precompiled headers too. What is looked for is
  # the text that the compiler sees (NODIRECT): the include paths are symbolic links, and a link is no content.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_NODIRECT=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

if(CGPU_TESTS)
  enable_testing()
endif()

# One compilation serves the program and the Python module: code that may lie anywhere, whose own functions nobody replaces.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
if(NOT CGPU_WEB_ENGINE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_compile_options(-fno-semantic-interposition)
endif()

# The binary is where the README says: build/cgpu.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
