# The C++ runtime of the engine, from the sources that come with the compiler (CGPU_WEB_CACHE/zig): target web_runtime. Its own build
# for WebAssembly has no exceptions, no threads and no file system.
set(zig ${CGPU_WEB_CACHE}/zig/lib)
file(GLOB libcxx ${zig}/libcxx/src/*.cpp ${zig}/libcxx/src/filesystem/*.cpp ${zig}/libcxx/src/ryu/*.cpp)
list(FILTER libcxx EXCLUDE REGEX "/(strstream|std_stream|random_shuffle)\\.cpp$")
file(GLOB libcxxabi ${zig}/libcxxabi/src/*.cpp)
list(FILTER libcxxabi EXCLUDE REGEX "/(cxa_noexception|stdlib_new_delete)\\.cpp$")

add_library(web_runtime STATIC ${libcxx} ${libcxxabi} ${zig}/libunwind/src/Unwind-wasm.c
  ${CMAKE_CURRENT_LIST_DIR}/exception_tag.s ${CMAKE_CURRENT_LIST_DIR}/posix/missing.c)
set_target_properties(web_runtime PROPERTIES CXX_STANDARD 23)
target_include_directories(web_runtime PRIVATE ${zig}/libcxx/src ${zig}/libcxx/libc ${zig}/libcxxabi/include ${zig}/libunwind/include
  ${zig}/libunwind/src)
target_compile_definitions(web_runtime PRIVATE _LIBCPP_BUILDING_LIBRARY LIBCXX_BUILDING_LIBCXXABI _LIBCXXABI_BUILDING_LIBRARY
  _LIBCPP_ENABLE_CXX17_REMOVED_UNEXPECTED_FUNCTIONS __WASM_EXCEPTIONS__
  _LIBUNWIND_HIDE_SYMBOLS)
target_compile_options(web_runtime PRIVATE -w)
