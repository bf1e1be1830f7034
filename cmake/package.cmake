# What `cpack` makes of an installation: a package for Debian, with the libraries that it depends on as dpkg-shlibdeps finds
# them. scripts/package does all of it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The cgpu developers <cgpu@localhost>" CACHE STRING "Who answers for the package: NAME <ADDRESS>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiles of programs that run on CPUs and GPUs")
set(CPACK_PACKAGE_DESCRIPTION "cgpu opens the profile of a program that runs on CPUs and GPUs (or NPUs),
whichever profiler wrote it, and says where the time went, why the device
was idle, what bounds the run, and what changed between two runs.

It reports on a page, shows the timeline in a browser, answers questions in
SQL, and compares runs with a baseline in continuous integration. It reads
profiles of PyTorch, Nsight Systems and Nsight Compute, HPCToolkit, rocprofv3,
the Ascend profiler, Perfetto, Linux perf and others.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS xdg-utils)  # opens the browser for `cgpu view`
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian.cmake)
include(CPack)
