# The build of the engine for browsers: its libraries, then the folders of src/ that the viewer is made of (docs/web.md).
enable_language(C ASM)
if(CCACHE)
  # The compiler is a script, made anew on each machine: the hash of the archive that it came in says what it is.
  file(STRINGS ${CGPU_WEB_CACHE}/zig.sha256 compiler_hash)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_COMPILERCHECK=string:${compiler_hash} ${CMAKE_CXX_COMPILER_LAUNCHER})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
include(${CMAKE_CURRENT_LIST_DIR}/runtime.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)
include(cmake/precompiled.cmake)
include(cmake/library.cmake)
include(cmake/embed.cmake)
# The compiler is pinned, so that its warnings are the same everywhere. Sizes in memory have 32 bits here: base/to_size.h.
# Some limits are beyond what these reach; a designated initializer leaves out what has its default.
add_compile_options(-Wshorten-64-to-32 -Werror -Wno-tautological-constant-out-of-range-compare -Wno-missing-designated-field-initializers)
add_subdirectory(src)

# The page with the engine in it: build-web/site/, by `cmake --build --preset web`.
include(cmake/web.cmake)
# NAME=FILE of each library that becomes part of the engine (libraries.cmake, runtime.cmake).
set(licences
  fmt=${fmt}/LICENSE.rst
  zstd=${zstd}/../LICENSE
  zlib=${zlib}/LICENSE
  RE2=${re2}/LICENSE
  simdjson=${simdjson}/../LICENSE
  SQLite=${CMAKE_CURRENT_LIST_DIR}/sqlite_licence.txt
  LZ4=${lz4}/LICENSE
  Expat=${expat}/../../COPYING
  yaml-cpp=${yaml}/LICENSE
  utf8proc=${utf8proc}/LICENSE.md
  "libc++, libc++abi, libunwind=${zig}/libcxx/LICENSE.TXT"
  wasi-libc=${zig}/libc/wasi/LICENSE-MIT
  musl=${zig}/libc/musl/COPYRIGHT
  Zig=${zig}/../LICENSE)
set(site ${CMAKE_BINARY_DIR}/site/index.html)
add_custom_command(
  OUTPUT ${site} ${CMAKE_BINARY_DIR}/site/sw.js ${CMAKE_BINARY_DIR}/site/engine_page.html ${CMAKE_BINARY_DIR}/site/licences.txt
  COMMAND node ${CGPU_WEB_SOURCE}/site.mjs $<TARGET_FILE:web_engine> ${CMAKE_BINARY_DIR}/site ${CMAKE_SOURCE_DIR}/packaging/copyright ${licences}
  DEPENDS web_engine ${web_sources} ${CGPU_WEB_SOURCE}/src/site/service_worker.js ${CGPU_WEB_SOURCE}/site.mjs ${CGPU_WEB_INSTALLED}
    ${CMAKE_SOURCE_DIR}/packaging/copyright
  COMMENT "Building the page with the engine"
  VERBATIM)
add_custom_target(site DEPENDS ${site})
