# find_package(cgpu 0.1 CONFIG REQUIRED): the targets cgpu::session, cgpu::analysis and cgpu::table.
include(${CMAKE_CURRENT_LIST_DIR}/library_dependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/cgpuTargets.cmake)
