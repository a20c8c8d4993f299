// Launches of kernels that follow one another on a stream. The blocks of such a kernel start when all blocks of the one before have
// ended, but before CUDA has finished with it and what it wrote is there for certain (programmatic dependent launch, from compute
// capability 9.0 on). They read what no kernel writes, and wait. So between two kernels about a microsecond less is lost. A kernel that
// waits never takes room from one that is not through.
#ifndef PSG_KERNELS_LAUNCH_CUH
#define PSG_KERNELS_LAUNCH_CUH

#include <cuda_runtime_api.h>

namespace psg_cuda {

#if defined(__CUDACC__)
/// Wait until the kernel before this one is done and what it has written is there. All threads of a kernel for launch_after() call it
/// before they read what may have been written since its plan was made, and before they write.
__device__ __forceinline__ void wait_for_the_one_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#endif

/// Can a kernel come early? It is compiled for a GPU that has the instructions.
inline cudaError_t comes_early(const void *function, bool *early) {
    cudaFuncAttributes attributes = cudaFuncAttributes();
    const cudaError_t e = cudaFuncGetAttributes(&attributes, function);
    *early = e == cudaSuccess && attributes.ptxVersion >= 90;
    return e;
}

/// Launch a kernel that calls wait_for_the_one_before().
/// @param early  see comes_early()
inline cudaError_t launch_after(const void *function, bool early, dim3 grid, dim3 block,
                                void **args, size_t shared_bytes, cudaStream_t stream) {
    cudaLaunchAttribute attribute = cudaLaunchAttribute();
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = cudaLaunchConfig_t();
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    return cudaLaunchKernelExC(&config, function, args);
}

} // namespace psg_cuda
#endif
