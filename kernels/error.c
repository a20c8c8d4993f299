/* The words for the codes of kernels/. */
#include "kernels/common.h"
#include "kernels/fft.h"
#include <cufft.h>

static const char *cufft_words(int code) {
    switch (code) {
    case CUFFT_INVALID_PLAN:
        return "cuFFT: invalid plan";
    case CUFFT_ALLOC_FAILED:
        return "cuFFT: out of memory";
    case CUFFT_INVALID_TYPE:
        return "cuFFT: invalid type";
    case CUFFT_INVALID_VALUE:
        return "cuFFT: invalid value";
    case CUFFT_INTERNAL_ERROR:
        return "cuFFT: internal error";
    case CUFFT_EXEC_FAILED:
        return "cuFFT: execution failed";
    case CUFFT_SETUP_FAILED:
        return "cuFFT: set-up failed";
    case CUFFT_INVALID_SIZE:
        return "cuFFT: invalid size";
    case CUFFT_UNALIGNED_DATA:
        return "cuFFT: data not aligned";
    case CUFFT_INVALID_DEVICE:
        return "cuFFT: plan of another device";
    case CUFFT_NO_WORKSPACE:
        return "cuFFT: no work area";
    case CUFFT_NOT_IMPLEMENTED:
        return "cuFFT: not implemented";
    case CUFFT_NOT_SUPPORTED:
        return "cuFFT: not supported";
    default:
        return "cuFFT: unknown error";
    }
}

bool psg_cuda_error_is_out_of_memory(int code) {
    return code == cudaErrorMemoryAllocation || code == PSG_CUDA_CUFFT_ERROR + CUFFT_ALLOC_FAILED;
}

const char *psg_cuda_error_string(int code) {
    if (code >= PSG_CUDA_CUFFT_ERROR)
        return cufft_words(code - PSG_CUDA_CUFFT_ERROR);
    return cudaGetErrorString((cudaError_t)code);
}
