# The build of the engine for browsers: its libraries, then the folders of src/ that the viewer is made of (docs/web.md).
enable_language(C ASM)
if(CCACHE)
  # The compiler is a script: what it is, its version says.
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
# Positions in files have 64 bits, sizes in memory 32: where one becomes the other, it was compared with a size before.
add_compile_options(-Wno-shorten-64-to-32 -Werror=shift-count-overflow)
include(${CMAKE_CURRENT_LIST_DIR}/runtime.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)
include(cmake/precompiled.cmake)
include(cmake/library.cmake)
include(cmake/embed.cmake)
add_subdirectory(src)

# The page with the engine in it: build-web/site/, by `cmake --build --preset web`.
include(cmake/web.cmake)
set(licences ${CMAKE_SOURCE_DIR}/packaging/copyright)
foreach(file zig/LICENSE zig/lib/libcxx/LICENSE.TXT zig/lib/libc/wasi/LICENSE zlib/LICENSE)
  list(APPEND licences ${CGPU_WEB_CACHE}/${file})
endforeach()
set(site ${CMAKE_BINARY_DIR}/site/index.html)
add_custom_command(
  OUTPUT ${site} ${CMAKE_BINARY_DIR}/site/sw.js ${CMAKE_BINARY_DIR}/site/engine_page.html
  COMMAND node ${CGPU_WEB_SOURCE}/site.mjs $<TARGET_FILE:web_engine> ${CMAKE_BINARY_DIR}/site ${licences}
  DEPENDS web_engine ${web_sources} ${CGPU_WEB_SOURCE}/src/site/service_worker.js ${CGPU_WEB_SOURCE}/site.mjs ${CGPU_WEB_INSTALLED}
  COMMENT "Building the page with the engine"
  VERBATIM)
add_custom_target(site DEPENDS ${site})
