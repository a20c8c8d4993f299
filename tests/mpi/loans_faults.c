/* Loans by CUDA, whose calls fail. */
#include "tests/gpu/faults.h"
#include "tests/mpi/loans.h"

#include <cuda_runtime_api.h>

void loans_fail_gpus(void) {
    faults_add("cudaIpcOpenMemHandle", cudaErrorMapBufferObjectFailed, 1, 0);
}

/* Main memory that a GPU does not reach is neither offered nor taken. */
void loans_fail(loans_call call) {
    faults_add("cudaHostRegister", cudaErrorNotSupported, 1, 0);
    if (call == LOANS_OFFER) {
        faults_add("cudaIpcGetMemHandle", cudaErrorNotSupported, 1, 0);
    } else {
        loans_fail_gpus();
    }
}

void loans_mend(void) {
    faults_clear();
}
