/* A StarPU-MPI that cannot be used: of another MPI (FAKE_MPI 1), or without
 * starpu_mpi_irecv_detached(). */
#include <mpi.h>

int starpu_mpi_shutdown_comm(MPI_Comm comm);
int starpu_mpi_init_comm(void);
int starpu_mpi_isend_detached(void);

#if FAKE_MPI
int PMPI_Finalized(int *flag) {
    *flag = 0;
    return MPI_SUCCESS;
}
#endif

int starpu_mpi_shutdown_comm(MPI_Comm comm) {
    int flag = 0;
    return comm == MPI_COMM_NULL ? PMPI_Finalized(&flag) : MPI_SUCCESS;
}

int starpu_mpi_init_comm(void) {
    return MPI_ERR_OTHER;
}

int starpu_mpi_isend_detached(void) {
    return MPI_SUCCESS;
}
