# What other programs in C++ are built with: `cmake --install BUILD --component development` (docs/cpp.md). The libraries are
# those that the program is made of.
include(CMakePackageConfigHelpers)

# The public headers. They include each other and the standard library, nothing else.
set(CGPU_PUBLIC_HEADERS
  base/error.h
  table/text_dictionary.h table/column_values.h table/table.h table/batches.h table/filter.h
  table/arrow.h table/csv.h table/json.h table/text.h
  analysis/table_options.h analysis/table_list.h
  session/input_options.h session/opening_progress.h session/opened_profile.h
  gate/check_arguments.h
  sql/sql_parameters.h library/sql_runs.h library/run_comparison.h library/run_check.h library/run_summary.h)

# library and what it depends on; of these docs/cpp.md names table, analysis, session and library.
set(folders base model readers kernels hardware links dependencies table analysis session sql comparison gate library)

set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/cgpu)
list(TRANSFORM folders PREPEND cgpu_ OUTPUT_VARIABLE libraries)
foreach(folder ${folders})
  set_target_properties(cgpu_${folder} PROPERTIES EXPORT_NAME ${folder})
endforeach()
target_compile_features(cgpu_base PUBLIC cxx_std_20)
install(TARGETS ${libraries} EXPORT cgpu COMPONENT development EXCLUDE_FROM_ALL
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT cgpu NAMESPACE cgpu:: FILE cgpuTargets.cmake DESTINATION ${destination} COMPONENT development EXCLUDE_FROM_ALL)

# "table/table.h" is "cgpu/table/table.h" to others.
foreach(header ${CGPU_PUBLIC_HEADERS})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/${header})
  file(READ src/${header} text)
  string(REPLACE "#include \"" "#include \"cgpu/" text "${text}")
  file(WRITE ${CMAKE_BINARY_DIR}/public/${header} "${text}")
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${CMAKE_BINARY_DIR}/public/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cgpu/${folder}
    COMPONENT development EXCLUDE_FROM_ALL)
endforeach()

# Before 1.0 another minor version may be another interface (semver.org, 4).
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cgpuConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/cgpuConfig.cmake cmake/library_dependencies.cmake ${CMAKE_BINARY_DIR}/cgpuConfigVersion.cmake
  DESTINATION ${destination} COMPONENT development EXCLUDE_FROM_ALL)

# For programs that are not built by CMake: the archives in the order in which the linker wants them, the last ones first.
set(archives ${folders})
list(REVERSE archives)
list(TRANSFORM archives PREPEND -lcgpu_)
list(JOIN archives " " CGPU_ARCHIVES)
file(RELATIVE_PATH CGPU_PREFIX_OF_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/cgpu.pc.in ${CMAKE_BINARY_DIR}/cgpu.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cgpu.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development EXCLUDE_FROM_ALL)
