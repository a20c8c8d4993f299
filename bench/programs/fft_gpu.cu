// cuFFT's 1-D transforms in batches and strides, and along z of 3-D grids, strided or after a transposition: the study
// `fft` on a GPU.
//
//   bench_fft_gpu [--kind batch|z] [--most BATCH] [--repeat R] [--rows] N|NXxNYxNZ ...
//
// --kind batch: FFTs of N (NX) points; z: those of the spectrum of a grid. Memory of a plan is what it takes of the GPU's,
// by cudaMemGetInfo.
#include "bench/programs/fft_study.h"
#include "bench/programs/gpu.cuh"
#include "kernels/transpose.h"

static double *array(size_t bytes) {
    void *p = nullptr;
    BENCH_CUDA(cudaMalloc(&p, bytes));
    BENCH_CUDA(cudaMemset(p, 0, bytes));
    return static_cast<double *>(p);
}

static void release(double *numbers) {
    BENCH_CUDA(cudaFree(numbers));
}

static void fill(double *numbers, size_t count) {
    bench_randomize<double>(numbers, count);
}

static void get(const double *numbers, size_t at, double number[2]) {
    BENCH_CUDA(cudaMemcpy(number, numbers + 2 * at, 2 * sizeof *number, cudaMemcpyDeviceToHost));
}

static size_t available() {
    size_t bytes = 0, all = 0;
    BENCH_CUDA(cudaMemGetInfo(&bytes, &all));
    return bytes;
}

static void *plan(const bench_fft_spec *s, double *, double *, double *bytes) {
    const size_t before = available();
    cufftHandle *made = new cufftHandle;
    long long n = (long long)s->n;
    const long long stride = (long long)s->stride, distance = (long long)s->distance;
    size_t work = 0;
    BENCH_CUFFT(cufftCreate(made));
    if (cufftMakePlanMany64(*made, 1, &n, &n, stride, distance, &n, stride, distance, CUFFT_Z2Z,
                            (long long)s->batch, &work) != CUFFT_SUCCESS) {
        cufftDestroy(*made);
        delete made;
        (void)cudaGetLastError(); /* no memory for it: the next launch is not to blame */
        return nullptr;
    }
    *bytes = (double)before - (double)available();
    return made;
}

static void destroy(void *made) {
    cufftHandle *handle = static_cast<cufftHandle *>(made);
    BENCH_CUFFT(cufftDestroy(*handle));
    delete handle;
}

static void do_step(const bench_fft_step &step) {
    if (step.plan) {
        BENCH_CUFFT(cufftExecZ2Z(*static_cast<cufftHandle *>(step.plan),
                                 reinterpret_cast<cufftDoubleComplex *>(step.in),
                                 reinterpret_cast<cufftDoubleComplex *>(step.out), CUFFT_FORWARD));
    } else {
        BENCH_CUDA(psg_cuda_transpose(PSG_CUDA_ZXY, step.extent, 2 * sizeof(double),
                                      {step.in, 0, 0}, {step.out, 0, 0}, 0, 0));
    }
}

static double run(const bench_fft_step *steps, int count, unsigned calls) {
    bench_work work = [&] {
        for (int s = 0; s < count; s++)
            do_step(steps[s]);
    };
    return bench_gpu_run(&work, calls);
}

static void start(bench_fft_device *device, const bench_settings *settings) {
    static std::string model;
    (void)bench_gpus();
    model = bench_gpu_model();
    device->model = model.c_str();
    device->memory = bench_gpu_memory(settings);
}

int main(int argc, char **argv) {
    bench_fft_device gpu = {"gpu", "", 0, 0, array, release, fill, get, plan, destroy, run};
    return bench_fft_main(argc, argv, &gpu, nullptr, start);
}
