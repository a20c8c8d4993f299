#include "codelets/gpu.h"

const psg_gpu_kernels *const psg_kernels = PSG_WITH_CUDA ? &psg_cuda_kernels : NULL;

psg_gpu_user psg_gpu_stateless(void) {
    return psg_kernels != NULL ? psg_kernels->stateless() : (psg_gpu_user){.peers = false};
}
