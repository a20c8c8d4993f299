/* Loans by CUDA, whose calls fail. */
#include "tests/gpu/faults.h"
#include "tests/mpi/loans.h"

#include <cuda_runtime_api.h>

void loans_fail(loans_call call) {
    if (call == LOANS_OFFER) {
        faults_add("cudaIpcGetMemHandle", cudaErrorNotSupported, 1, 0);
    } else {
        faults_add("cudaIpcOpenMemHandle", cudaErrorMapBufferObjectFailed, 1, 0);
    }
}

void loans_mend(void) {
    faults_clear();
}
