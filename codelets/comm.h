/** @file comm.h  MPI without mpi.h: what the processes of a plan's communicator do together.
 *
 * Built without MPI, psg_comm_open() says so, and nothing else here is called.
 */
#ifndef PSG_CODELETS_COMM_H
#define PSG_CODELETS_COMM_H

#include <stdbool.h>
#include <stddef.h>

/** "Open MPI v4.1.4"; NULL where the library was built without MPI. */
const char *psg_comm_version(void);
/** Does the MPI say that it sends from GPU memory? -1 without MPI. */
int psg_comm_cuda_aware(void);

#endif
