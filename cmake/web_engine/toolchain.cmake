# WebAssembly for browsers: clang, wasm-ld and the sources of libc and libc++ from the wheel ziglang (scripts/fetch-web-engine,
# which this runs). `cmake --preset web` names it.
#
# What is fetched and compiled for every build alike lies in CGPU_WEB_CACHE, by default in the user's folder for caches.
if(DEFINED ENV{CGPU_WEB_CACHE})
  set(CGPU_WEB_CACHE $ENV{CGPU_WEB_CACHE})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(CGPU_WEB_CACHE $ENV{XDG_CACHE_HOME}/cgpu-web)
else()
  set(CGPU_WEB_CACHE $ENV{HOME}/.cache/cgpu-web)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CGPU_WEB_FETCHED)
if(NOT CGPU_WEB_FETCHED)
  message(STATUS "Fetching what the web engine is built with into ${CGPU_WEB_CACHE}")
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../../scripts/fetch-web-engine ${CGPU_WEB_CACHE}
    COMMAND_ERROR_IS_FATAL ANY)
  set(CGPU_WEB_FETCHED ON)
endif()

list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})  # Platform/WASI.cmake
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
foreach(language ASM C CXX)
  set(CMAKE_${language}_COMPILER_TARGET wasm32-wasip1)
endforeach()
set(CMAKE_C_COMPILER ${CGPU_WEB_CACHE}/bin/clang)
set(CMAKE_CXX_COMPILER ${CGPU_WEB_CACHE}/bin/clang++)
set(CMAKE_AR ${CGPU_WEB_CACHE}/bin/ar)
set(CMAKE_RANLIB ${CGPU_WEB_CACHE}/bin/ranlib)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

set(zig ${CGPU_WEB_CACHE}/zig/lib)
# Exceptions in the older form, which every browser of the last years has.
string(JOIN " " features -fwasm-exceptions -mllvm -wasm-use-legacy-eh=true -mbulk-memory -msimd128 -mnontrapping-fptoint
  -msign-ext -mmutable-globals -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_MMAN
  -D_WASI_EMULATED_GETPID)
set(includes " -isystem ${CMAKE_CURRENT_LIST_DIR}/posix")
foreach(folder include libc/include/wasm-wasi-musl libc/include/generic-musl)
  string(APPEND includes " -isystem ${zig}/${folder}")
endforeach()
set(CMAKE_ASM_FLAGS_INIT ${features})
set(CMAKE_C_FLAGS_INIT "-nostdinc ${features}${includes}")
# The headers of libc++ are set up here, in the place of its own __config_site.
set(CMAKE_CXX_FLAGS_INIT "-nostdinc -nostdinc++ ${features} -include ${CMAKE_CURRENT_LIST_DIR}/libcxx_site.h \
-isystem ${zig}/libcxx/include -isystem ${zig}/libcxxabi/include${includes}")
