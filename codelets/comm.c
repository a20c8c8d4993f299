#include "codelets/comm.h"

#if PSG_WITH_MPI
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include <string.h>

const char *psg_comm_version(void) {
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (version[0] == '\0' && MPI_Get_library_version(version, &length) == MPI_SUCCESS) {
        version[strcspn(version, ",\n")] = '\0';
    }
    return version;
}

int psg_comm_cuda_aware(void) {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support();
#else
    return 0;
#endif
}
#else
const char *psg_comm_version(void) {
    return NULL;
}

int psg_comm_cuda_aware(void) {
    return -1;
}
#endif
