// Launches of kernels that follow one another on a stream. The blocks of such a kernel start when
// all blocks of the kernel before have ended, which may be before all that it wrote is there
// (CUDA's programmatic dependent launch, from compute capability 9.0 on). The blocks read tables
// that no kernel writes, and wait. So less time is lost between two kernels. Blocks that wait take
// no room from the kernel before, whose blocks have ended.
#ifndef PSG_KERNELS_LAUNCH_CUH
#define PSG_KERNELS_LAUNCH_CUH

#include <cuda_runtime_api.h>

namespace psg_cuda {

#if defined(__CUDACC__)
/// Wait until the kernel before this one on the stream is done, and what it has written is there.
/// All threads of a kernel for launch_after() call it before they read what the kernel before may
/// have written, and before they write.
__device__ __forceinline__ void wait_for_the_one_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#endif

/// May a kernel start before the kernel before it is done?
/// @param[out] early  it was compiled for GPUs that can wait
/// @return cudaSuccess; what cudaFuncGetAttributes() says
inline cudaError_t comes_early(const void *function, bool *early) {
    cudaFuncAttributes attributes = cudaFuncAttributes();
    const cudaError_t e = cudaFuncGetAttributes(&attributes, function);
    *early = e == cudaSuccess && attributes.ptxVersion >= 90;
    return e;
}

/// Launch a kernel that calls wait_for_the_one_before().
/// @param early  of comes_early(); false: an ordinary launch
/// @return cudaSuccess; what cudaLaunchKernelExC() says
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
