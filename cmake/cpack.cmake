# `cpack -G DEB` in a build makes one package: the command, the library with the StarPU of its own, the headers and the
# other faces. The packages that it depends on are those that its programs and libraries were linked with here.
# dpkg-shlibdeps passes over libraries of no package, such as CUDA's.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME psg)
set(CPACK_PACKAGE_VENDOR "the PoissonGraph authors")
set(CPACK_PACKAGE_CONTACT "the PoissonGraph authors <psg@localhost>")
set(CPACK_PACKAGE_DESCRIPTION "The command psg, the library in C, and its faces in Python and Fortran.
StarPU runs the tasks of a solve on the cores and GPUs of the machine.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # and ldconfig runs after the installation
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR} ${PSG_STARPU_PREFIX}/lib)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS python3-numpy)
if(PSG_WITH_MPI)
    string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", openmpi-bin")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "pkg-config, libhwloc-dev") # for programs that use psg_starpu.h
include(CPack)
