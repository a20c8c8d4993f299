# How other projects find the installed library: find_package(psg) with target psg::psg, or pkg-config psg.
include(CMakePackageConfigHelpers)
set(psg_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/psg)
install(EXPORT psgTargets NAMESPACE psg:: DESTINATION ${psg_cmake_dir})
configure_package_config_file(cmake/psgConfig.cmake.in ${CMAKE_BINARY_DIR}/psgConfig.cmake
    INSTALL_DESTINATION ${psg_cmake_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/psgConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/psgConfig.cmake ${CMAKE_BINARY_DIR}/psgConfigVersion.cmake
    DESTINATION ${psg_cmake_dir})
file(RELATIVE_PATH psg_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/psg.pc.in ${CMAKE_BINARY_DIR}/psg.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/psg.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
