# Libraries from the distribution (Debian 12 package names in scripts/install-dependencies).

include(cmake/library_dependencies.cmake)
find_package(CLI11 REQUIRED)
find_package(Boost REQUIRED)  # Boost.Math, of headers alone
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(EDITLINE REQUIRED IMPORTED_TARGET libedit)
if(CGPU_TESTS)
  find_package(GTest REQUIRED)
endif()
