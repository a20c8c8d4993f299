// What the tests of plans by cuFFT share.
#ifndef PSG_TESTS_PLANNED_H
#define PSG_TESTS_PLANNED_H

#include "kernels/fft.h"
#include "tests/kernels/check_cuda.h"

/// A plan with its work area.
struct planned {
    psg_cuda_fft *fft;
    device_array<char> work;
    explicit planned(psg_cuda_fft *made) : fft(made), work(psg_cuda_fft_work_bytes(made)) {
        MUST(psg_cuda_fft_set_work_area(fft, work.data()));
        MUST(psg_cuda_fft_set_stream(fft, 0));
    }
    ~planned() {
        MUST(cudaDeviceSynchronize());
        psg_cuda_fft_destroy(fft);
    }
};

#endif
