# Libraries from the distribution (Debian 12 package names in scripts/install-dependencies).

include(cmake/library_dependencies.cmake)
find_package(CLI11 REQUIRED)
find_package(Boost REQUIRED)  # Boost.Math, of headers alone
find_path(PROTOZERO_INCLUDE protozero/pbf_reader.hpp REQUIRED)  # headers alone, without a file for CMake
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(EDITLINE REQUIRED IMPORTED_TARGET libedit)
if(CGPU_TESTS)
  find_package(GTest REQUIRED)
endif()
