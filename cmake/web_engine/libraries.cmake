# The libraries that the engine is made of, compiled from their sources under the names that the distribution's have
# (library_dependencies.cmake): src/CMakeLists.txt asks for the same ones in both builds.

# web_library(NAME source...): a library of somebody else's sources, which are not checked for our warnings.
function(web_library name)
  add_library(${name} STATIC ${ARGN})
  target_compile_options(${name} PRIVATE -w)
endfunction()

# What is headers alone comes from the distribution: Boost.Math and Protozero, through links, so that nothing else of there is found.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/headers)
foreach(folder boost protozero)
  find_path(headers_${folder} ${folder} PATHS /usr/include /usr/local/include NO_DEFAULT_PATH REQUIRED)
  file(CREATE_LINK ${headers_${folder}}/${folder} ${CMAKE_BINARY_DIR}/headers/${folder} SYMBOLIC)
endforeach()
add_library(Boost::headers INTERFACE IMPORTED GLOBAL)
target_include_directories(Boost::headers INTERFACE ${CMAKE_BINARY_DIR}/headers)
include_directories(SYSTEM ${CMAKE_BINARY_DIR}/headers)
add_library(Threads::Threads INTERFACE IMPORTED GLOBAL)   # libc has its functions, which refuse
add_library(PkgConfig::HTTPLIB INTERFACE IMPORTED GLOBAL)  # what needs it is left out

set(fmt ${CGPU_WEB_CACHE}/fmt)
web_library(web_fmt ${fmt}/src/format.cc)
target_include_directories(web_fmt SYSTEM PUBLIC ${fmt}/include)
add_library(fmt::fmt ALIAS web_fmt)

web_library(web_xxhash ${CGPU_WEB_CACHE}/xxhash/xxhash.c)
target_include_directories(web_xxhash SYSTEM PUBLIC ${CGPU_WEB_CACHE}/xxhash)
add_library(PkgConfig::XXHASH ALIAS web_xxhash)

set(zstd ${CGPU_WEB_CACHE}/zstd/lib)
file(GLOB zstd_sources ${zstd}/common/*.c ${zstd}/compress/*.c ${zstd}/decompress/*.c)
web_library(web_zstd ${zstd_sources})
target_include_directories(web_zstd SYSTEM PUBLIC ${zstd})
add_library(PkgConfig::ZSTD ALIAS web_zstd)

# In the place of ISA-L, whose speed is in its assembly for other processors (igzip/isa-l/igzip_lib.h).
set(zlib ${CGPU_WEB_CACHE}/zlib)
web_library(web_igzip ${zlib}/adler32.c ${zlib}/crc32.c ${zlib}/deflate.c ${zlib}/inffast.c ${zlib}/inflate.c ${zlib}/inftrees.c
  ${zlib}/trees.c ${zlib}/zutil.c)
target_include_directories(web_igzip SYSTEM PUBLIC ${zlib} ${CMAKE_CURRENT_LIST_DIR}/igzip)
add_library(PkgConfig::ISAL ALIAS web_igzip)

set(re2 ${CGPU_WEB_CACHE}/re2/vendor)
file(GLOB re2_sources ${re2}/re2/*.cc ${re2}/util/rune.cc ${re2}/util/strutil.cc)
web_library(web_re2 ${re2_sources})
target_include_directories(web_re2 SYSTEM PUBLIC ${re2})
add_library(PkgConfig::RE2 ALIAS web_re2)

set(simdjson ${CGPU_WEB_CACHE}/simdjson/singleheader)
web_library(web_simdjson ${CMAKE_CURRENT_LIST_DIR}/simdjson/kernel.cpp)
target_include_directories(web_simdjson SYSTEM PUBLIC ${simdjson} ${CMAKE_CURRENT_LIST_DIR}/simdjson)
target_compile_definitions(web_simdjson PUBLIC SIMDJSON_IMPLEMENTATION_WESTMERE=1 SIMDJSON_BUILTIN_IMPLEMENTATION=westmere
  SIMDJSON_NO_PORTABILITY_WARNING)
add_library(simdjson::simdjson ALIAS web_simdjson)

set(sqlite ${CGPU_WEB_CACHE}/sqlite/deps/sqlite3)
web_library(web_sqlite ${sqlite}/sqlite3.c)
target_include_directories(web_sqlite SYSTEM PUBLIC ${sqlite})
# Nobody else has the files, so that none needs a lock.
target_compile_definitions(web_sqlite PRIVATE "SQLITE_DEFAULT_UNIX_VFS=\"unix-none\"" SQLITE_THREADSAFE=0 SQLITE_OMIT_LOAD_EXTENSION SQLITE_ENABLE_MATH_FUNCTIONS
  SQLITE_ENABLE_COLUMN_METADATA SQLITE_USE_URI=1 SQLITE_SOUNDEX)  # as the distribution's
add_library(PkgConfig::SQLITE ALIAS web_sqlite)

set(lz4 ${CGPU_WEB_CACHE}/lz4/lib)
web_library(web_lz4 ${lz4}/lz4.c ${lz4}/lz4hc.c ${lz4}/lz4frame.c ${lz4}/xxhash.c)
target_include_directories(web_lz4 SYSTEM PUBLIC ${lz4})
target_compile_definitions(web_lz4 PRIVATE XXH_NAMESPACE=LZ4_)
add_library(PkgConfig::LZ4 ALIAS web_lz4)

set(expat ${CGPU_WEB_CACHE}/expat/expat/lib)
web_library(web_expat ${expat}/xmlparse.c ${expat}/xmlrole.c ${expat}/xmltok.c)
target_include_directories(web_expat SYSTEM PUBLIC ${expat})
target_compile_definitions(web_expat PRIVATE XML_NS XML_DTD XML_GE=1 XML_CONTEXT_BYTES=1024 HAVE_ARC4RANDOM_BUF
  BYTEORDER=1234)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/expat/expat_config.h CONTENT "")  # all of it is said above
target_include_directories(web_expat PRIVATE ${CMAKE_BINARY_DIR}/expat)
add_library(EXPAT::EXPAT ALIAS web_expat)

set(yaml ${CGPU_WEB_CACHE}/yaml-cpp)
file(GLOB yaml_sources ${yaml}/src/*.cpp)
web_library(yaml-cpp ${yaml_sources})
target_include_directories(yaml-cpp SYSTEM PUBLIC ${yaml}/include)

set(utf8proc ${CGPU_WEB_CACHE}/utf8proc)
web_library(web_utf8proc ${utf8proc}/utf8proc.c)
target_include_directories(web_utf8proc SYSTEM PUBLIC ${utf8proc})
target_compile_definitions(web_utf8proc PUBLIC UTF8PROC_STATIC)
add_library(PkgConfig::UTF8PROC ALIAS web_utf8proc)
