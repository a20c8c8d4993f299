# How other projects find the installed library: find_package(psg) with the target psg::psg, or pkg-config psg.
# Programs that use psg_starpu.h: find_package(psg COMPONENTS starpu) with psg::starpu, or pkg-config psg-starpu.
# A simulating build is the package psg-simulate, with psg-simulate::psg and psg-simulate::starpu.
include(CMakePackageConfigHelpers)
set(psg_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/${PSG_NAME})
set(psg_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Our own StarPU: a prefix of its own beside the library, so that a StarPU of the system keeps its names.
set(psg_starpu_dir ${CMAKE_INSTALL_LIBDIR}/${psg_starpu_from_lib})
if(psg_installs_starpu)
    install(DIRECTORY ${PSG_STARPU_PREFIX}/lib ${PSG_STARPU_PREFIX}/include DESTINATION ${psg_starpu_dir}
        USE_SOURCE_PERMISSIONS
        PATTERN "*.la" EXCLUDE
        PATTERN "pkgconfig" EXCLUDE
        PATTERN "modules" EXCLUDE)
    install(FILES ${PSG_STARPU_PREFIX}/share/doc/starpu/COPYING.LGPL DESTINATION ${psg_starpu_dir})
    file(READ ${PSG_STARPU_PREFIX}/lib/pkgconfig/starpu-1.4.pc psg_pc)
    string(REGEX REPLACE "\nprefix=[^\n]*" "\nprefix=\${pcfiledir}/../.." psg_pc "${psg_pc}")
    file(WRITE ${CMAKE_BINARY_DIR}/starpu-1.4.pc "${psg_pc}")
    install(FILES ${CMAKE_BINARY_DIR}/starpu-1.4.pc DESTINATION ${psg_starpu_dir}/lib/pkgconfig)
    set(psg_starpu_pc_dir ${psg_starpu_dir}/lib/pkgconfig)
endif()

# The other faces, where the build has the real library. Each compiler has module files of its own, so the Fortran
# module is installed as source. The Python package finds the library from its own folder.
set(psg_has_fortran OFF)
if(NOT PSG_SIMULATE)
    set(psg_has_fortran ON)
    install(FILES ${PROJECT_SOURCE_DIR}/bindings/fortran/psg.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    set(PSG_PYTHON_DIR lib/python3/dist-packages CACHE STRING
        "the folder of the Python package, from the prefix; empty: the package is not installed")
    if(PSG_PYTHON_DIR)
        file(RELATIVE_PATH psg_lib_from_python /${PSG_PYTHON_DIR}/psg /${CMAKE_INSTALL_LIBDIR})
        file(WRITE ${CMAKE_BINARY_DIR}/python/_built.py "PATH = \"${psg_lib_from_python}/libpsg.so.${PSG_SOVERSION}\"\n")
        install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/python/psg DESTINATION ${PSG_PYTHON_DIR}
            FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
        install(FILES ${CMAKE_BINARY_DIR}/python/_built.py DESTINATION ${PSG_PYTHON_DIR}/psg)
    endif()
endif()
file(READ LICENSE psg_copyright)
if(psg_fftw_way STREQUAL "private")
    string(APPEND psg_copyright "\nlib${PSG_NAME}.so contains FFTW <https://www.fftw.org>, Copyright Matteo Frigo and Massachusetts Institute of\n"
        "Technology, under the GNU General Public License, version 2 or later. On Debian its text is\n"
        "/usr/share/common-licenses/GPL-2, and FFTW's source is the source package fftw3.\n")
endif()
file(WRITE ${CMAKE_BINARY_DIR}/copyright "${psg_copyright}")
install(FILES ${CMAKE_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${PSG_NAME})

install(EXPORT psgTargets NAMESPACE ${PSG_NAME}:: FILE ${PSG_NAME}Targets.cmake DESTINATION ${psg_cmake_dir})
configure_package_config_file(cmake/psgConfig.cmake.in ${CMAKE_BINARY_DIR}/${PSG_NAME}Config.cmake
    INSTALL_DESTINATION ${psg_cmake_dir} PATH_VARS psg_starpu_dir CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/${PSG_NAME}ConfigVersion.cmake COMPATIBILITY ${PSG_COMPATIBILITY})
install(FILES ${CMAKE_BINARY_DIR}/${PSG_NAME}Config.cmake ${CMAKE_BINARY_DIR}/${PSG_NAME}ConfigVersion.cmake
    DESTINATION ${psg_cmake_dir})

file(RELATIVE_PATH psg_pc_prefix /${psg_pc_dir} /)
if(psg_installs_starpu)
    # The same flags as those of the build, from the prefix that is installed.
    set(psg_pc_starpu "\${libdir}/${psg_starpu_from_lib}")
    set(psg_pc_requires ${PSG_NAME})
    set(psg_pc_cflags -I\${starpu}/include/starpu/1.4)
    foreach(folder ${STARPU_INCLUDE_DIRS})
        if(NOT folder MATCHES "/include/starpu/1\\.4$")
            string(APPEND psg_pc_cflags " -I${folder}")
        endif()
    endforeach()
    set(psg_pc_libs "-L\${starpu}/lib -lstarpu-1.4")
else()
    set(psg_pc_starpu ${STARPU_PREFIX})
    set(psg_pc_requires "${PSG_NAME} starpu-1.4 >= 1.4.0")
endif()
foreach(name psg psg-starpu)
    string(REPLACE psg ${PSG_NAME} file ${name}.pc)
    configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${file} @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${file} DESTINATION ${psg_pc_dir})
endforeach()
if(NOT PSG_SIMULATE)
    include(cmake/cpack.cmake)
endif()
