# What the project is built from. Each missing package is named with where it comes from.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# StarPU: the one that cmake/install-starpu.sh put into PSG_STARPU_PREFIX, or else one that the system has.
if(PSG_SIMULATE)
    set(psg_starpu_default ${PROJECT_SOURCE_DIR}/build/starpu-simgrid)
    set(PSG_CUDA OFF)
    set(PSG_MPI OFF)
    set(PSG_LAPACK OFF)
else()
    set(psg_starpu_default ${PROJECT_SOURCE_DIR}/build/starpu)
endif()
set(PSG_STARPU_PREFIX ${psg_starpu_default} CACHE PATH
    "a StarPU for psg alone, where there is one; it is installed along with the library. Empty: the system's StarPU")
if(PSG_STARPU_PREFIX)
    set(ENV{PKG_CONFIG_PATH} "${PSG_STARPU_PREFIX}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
endif()
pkg_check_modules(STARPU IMPORTED_TARGET starpu-1.4>=1.4.0)
if(NOT STARPU_FOUND)
    message(FATAL_ERROR "StarPU >= 1.4 was not found (pkg-config starpu-1.4). Install libstarpu-dev where the "
        "distribution has 1.4, or run cmake/install-starpu.sh ${PSG_STARPU_PREFIX}")
endif()
# Our own StarPU is installed along with the library, beside it; another StarPU stays where it is. Installed
# programs find StarPU by these RUNPATHs, from the library's folder.
set(psg_installs_starpu OFF)
set(psg_starpu_from_lib ${PSG_NAME}/starpu)
set(psg_starpu_rpath ${STARPU_LIBRARY_DIRS})
foreach(folder ${STARPU_LIBRARY_DIRS})
    get_filename_component(found ${folder} REALPATH)
    get_filename_component(ours ${PSG_STARPU_PREFIX}/lib REALPATH)
    if(PSG_STARPU_PREFIX AND found STREQUAL ours)
        set(psg_installs_starpu ON)
    endif()
endforeach()
if(psg_installs_starpu)
    set(psg_starpu_rpath "$ORIGIN/${psg_starpu_from_lib}/lib")
endif()
pkg_check_modules(FFTW3 REQUIRED IMPORTED_TARGET fftw3)
pkg_check_modules(FFTW3F REQUIRED IMPORTED_TARGET fftw3f)
include(cmake/fftw.cmake)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.0)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.10)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng>=1.6)

# MPI, for several processes.
set(PSG_WITH_MPI OFF)
if(NOT PSG_MPI STREQUAL "OFF")
    find_package(MPI QUIET COMPONENTS C)
    if(MPI_C_FOUND)
        set(PSG_WITH_MPI ON)
    endif()
endif()
if(PSG_MPI STREQUAL "ON" AND NOT PSG_WITH_MPI)
    message(FATAL_ERROR "PSG_MPI=ON, but no MPI was found")
endif()

find_package(HDF5 REQUIRED COMPONENTS C)

# The headers of a parallel HDF5 include MPI's, also where the serial one was wanted and is not there.
add_library(psg_hdf5 INTERFACE)
target_link_libraries(psg_hdf5 INTERFACE hdf5::hdf5)
if(HDF5_IS_PARALLEL)
    find_package(MPI REQUIRED COMPONENTS C)
    target_include_directories(psg_hdf5 SYSTEM INTERFACE ${MPI_C_INCLUDE_DIRS})
endif()

# LAPACK 3.4 or newer, with its BLAS, for the workload qr. Any of those that FindLAPACK knows; BLA_VENDOR chooses.
set(PSG_WITH_LAPACK OFF)
if(NOT PSG_LAPACK STREQUAL "OFF")
    find_package(LAPACK QUIET)
    if(LAPACK_FOUND)
        file(WRITE ${CMAKE_BINARY_DIR}/lapack.c "#include <stdio.h>
void ilaver_(int *, int *, int *);
void dtpmqrt_(void);
int main(void) {
    int v[3];
    ilaver_(&v[0], &v[1], &v[2]);
    printf(\"%d.%d.%d\", v[0], v[1], v[2]);
    return dtpmqrt_ == 0;
}")
        try_run(PSG_LAPACK_RUNS PSG_LAPACK_HAS_TPMQRT ${CMAKE_BINARY_DIR}/lapack ${CMAKE_BINARY_DIR}/lapack.c
            LINK_LIBRARIES LAPACK::LAPACK RUN_OUTPUT_VARIABLE psg_lapack_version)
        if(PSG_LAPACK_HAS_TPMQRT)
            set(PSG_WITH_LAPACK ON)
        endif()
        if(psg_lapack_version)
            set(PSG_LAPACK_VERSION ${psg_lapack_version} CACHE INTERNAL "what LAPACK says itself")
        endif()
    endif()
endif()
if(PSG_LAPACK STREQUAL "ON" AND NOT PSG_WITH_LAPACK)
    message(FATAL_ERROR "PSG_LAPACK=ON, but no LAPACK >= 3.4 was found. On Debian: apt-get install libopenblas-pthread-dev")
endif()

# CUDA: StarPU decides, because a StarPU without CUDA has no CUDA workers.
find_file(psg_starpu_config starpu_config.h PATHS ${STARPU_INCLUDE_DIRS} NO_DEFAULT_PATH NO_CACHE)
set(psg_starpu_has_cuda OFF)
set(psg_starpu_has_simgrid OFF)
if(psg_starpu_config)
    file(STRINGS ${psg_starpu_config} psg_starpu_simgrid REGEX "^#define STARPU_SIMGRID 1")
    if(psg_starpu_simgrid)
        set(psg_starpu_has_simgrid ON)
    endif()
    file(STRINGS ${psg_starpu_config} psg_starpu_cuda REGEX "^#define STARPU_USE_CUDA 1")
    if(psg_starpu_cuda)
        set(psg_starpu_has_cuda ON)
    endif()
endif()
if(NOT PSG_SIMULATE STREQUAL psg_starpu_has_simgrid)
    message(FATAL_ERROR "PSG_SIMULATE=${PSG_SIMULATE}, and the StarPU that was found is on SimGrid: "
        "${psg_starpu_has_simgrid}. For simulation run: STARPU_SIMGRID=yes cmake/install-starpu.sh ${PSG_STARPU_PREFIX}")
endif()
set(PSG_WITH_CUDA OFF)
if(NOT PSG_CUDA STREQUAL "OFF" AND psg_starpu_has_cuda)
    find_package(CUDAToolkit QUIET)
    if(CUDAToolkit_FOUND)
        set(PSG_WITH_CUDA ON)
    endif()
endif()
if(PSG_CUDA STREQUAL "ON" AND NOT PSG_WITH_CUDA)
    message(FATAL_ERROR "PSG_CUDA=ON, but StarPU has CUDA: ${psg_starpu_has_cuda}, CUDA toolkit found: ${CUDAToolkit_FOUND}")
endif()
if(PSG_WITH_CUDA)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES 80 90 CACHE STRING "CUDA architectures")
    endif()
    if(NOT CMAKE_CUDA_COMPILER)
        set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
    endif()
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 17)
endif()
message(STATUS "psg: StarPU ${STARPU_VERSION}, CUDA ${PSG_WITH_CUDA}, MPI ${PSG_WITH_MPI}, LAPACK ${PSG_WITH_LAPACK}, FFTW ${psg_fftw_way}, HDF5 ${HDF5_VERSION}")

if(PSG_SIMULATE)
    pkg_check_modules(SIMGRID REQUIRED IMPORTED_TARGET simgrid)
endif()

# StarPU's headers are not ours to have warnings about, and drag CUDA's in.
add_library(psg_starpu INTERFACE)
target_include_directories(psg_starpu SYSTEM INTERFACE ${STARPU_INCLUDE_DIRS})
target_link_libraries(psg_starpu INTERFACE PkgConfig::STARPU)
if(psg_starpu_has_cuda)
    find_package(CUDAToolkit REQUIRED)
    target_include_directories(psg_starpu SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
endif()
# Nor are MPI's.
add_library(psg_mpi INTERFACE)
if(PSG_WITH_MPI)
    target_include_directories(psg_mpi SYSTEM INTERFACE ${MPI_C_INCLUDE_DIRS})
    target_link_libraries(psg_mpi INTERFACE MPI::MPI_C)
endif()
target_compile_definitions(psg_mpi INTERFACE PSG_WITH_MPI=$<BOOL:${PSG_WITH_MPI}>)
