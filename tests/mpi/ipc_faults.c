/* Memory between processes by CUDA, whose calls fail. */
#include "tests/gpu/faults.h"
#include "tests/mpi/ipc.h"

#include <cuda_runtime_api.h>

void ipc_fail_gpus(void) {
    faults_add("cudaIpcOpenMemHandle", cudaErrorMapBufferObjectFailed, 1, 0);
}

/* Main memory that a GPU does not reach is neither exported nor imported. */
void ipc_fail(ipc_call call) {
    faults_add("cudaHostRegister", cudaErrorNotSupported, 1, 0);
    if (call == IPC_EXPORT) {
        faults_add("cudaIpcGetMemHandle", cudaErrorNotSupported, 1, 0);
    } else {
        ipc_fail_gpus();
    }
}

void ipc_mend(void) {
    faults_clear();
}
