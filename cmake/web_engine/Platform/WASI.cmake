# What CMake has to know of WASI, which it does not bring itself before 3.31: a program is a module without main, which exports what
# its sources say. The linker takes what nobody calls out again.
set(WASI 1)
set(CMAKE_CXX_LINK_EXECUTABLE
  "${CGPU_WEB_CACHE}/bin/wasm-ld --no-entry --gc-sections --strip-all -z stack-size=8388608 --stack-first <OBJECTS> -o <TARGET> <LINK_LIBRARIES> ${CGPU_WEB_CACHE}/libc/libc.a ${CGPU_WEB_CACHE}/libc/libzigc.a ${CGPU_WEB_CACHE}/libc/libcompiler_rt.a")
