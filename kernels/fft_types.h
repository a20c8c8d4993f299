/** @file fft_types.h  What all transforms by cuFFT share. */
#ifndef PSG_KERNELS_FFT_TYPES_H
#define PSG_KERNELS_FFT_TYPES_H

typedef enum psg_cuda_direction { PSG_CUDA_FORWARD = 0, PSG_CUDA_INVERSE } psg_cuda_direction;

/** Where cuFFT's codes begin among ours. */
#define PSG_CUDA_CUFFT_ERROR 100000

#endif
