// nothing: one thread writes one number.
#include "workloads/nothing.h"

namespace {
__global__ void nothing_kernel(double *number) {
    *number = 1;
}
} // namespace

cudaError_t nothing_cuda(double *number_d, cudaStream_t stream) {
    nothing_kernel<<<1, 1, 0, stream>>>(number_d);
    return cudaGetLastError();
}
