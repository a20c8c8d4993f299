/* A CUDA program around the solver: du/dt = lap(u) + q with a steady source q, by implicit Euler steps of growing length.
 * All arrays are the program's own, on one GPU, and all work is on its own stream:
 *
 *     lap(u') - u'/dt = -(u + dt q)/dt        lambda = 1/dt, factor = -1/dt, f = u + dt q
 *
 * The host waits for a step only when it has put the next one on the stream. It ends with 0 if u is what the exact steps
 * give, and if nothing was copied between main memory and the GPU. It ends with 77 if there is no GPU.
 */
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <psg.h>
#include <psg_observe.h>
#include <vector>

enum { NX = 32, NY = 24, NZ = 20, POINTS = NX * NY * NZ, STEPS = 100 };
static const double two_pi = 6.28318530717958647692;

/// The shape of u and of q: a sine of wavenumber 1 along x and 2 along y.
__host__ __device__ static double shape(int n) {
    return sin(two_pi * (n % NX) / NX) * cos(2 * two_pi * (n / NX % NY) / NY);
}

__global__ static void begin(double *u) {
    const int n = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (n < POINTS) {
        u[n] = shape(n);
    }
}

__global__ static void add_source(const double *u, double dt, double *f) {
    const int n = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (n < POINTS) {
        f[n] = u[n] + dt * 3 * shape(n);
    }
}

/// The steps, each with its own length. @param[out] amplitude  of the exact u at the end
static psg_status steps(psg_plan *plan, double *f_d, double *u_d, cudaStream_t stream,
                        double *amplitude) {
    const int threads = 256, blocks = (POINTS + threads - 1) / threads;
    psg_array f, u;
    psg_array_init(&f, f_d);
    psg_array_init(&u, u_d);
    f.stream = u.stream = stream;
    begin<<<blocks, threads, 0, stream>>>(u_d);
    *amplitude = 1;
    psg_status status = PSG_OK;
    for (int step = 0; step < STEPS && status == PSG_OK; step++) {
        const double dt = 0.01 * pow(1.02, step);
        psg_solve_args args;
        psg_solve_args_init(&args, plan);
        args.lambda = 1 / dt;
        args.factor = -1 / dt;
        add_source<<<blocks, threads, 0, stream>>>(u_d, dt, f_d);
        status = psg_submit_arrays(plan, 1, &f, &u, &args);
        if (status == PSG_OK && step > 0) {
            status = psg_wait(plan); /* for the step before */
        }
        *amplitude = (*amplitude + dt * 3) / (1 + 5 * dt);
    }
    return status == PSG_OK ? psg_wait(plan) : status;
}

int main() {
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        printf("no GPU\n");
        return 77;
    }
    double *f_d = nullptr, *u_d = nullptr, amplitude = 0, error = 0;
    cudaStream_t stream;
    cudaMalloc(&f_d, POINTS * sizeof(double));
    cudaMalloc(&u_d, POINTS * sizeof(double));
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

    psg_grid grid;
    psg_grid_init(&grid, NX, NY, NZ, two_pi, two_pi, two_pi);
    psg_options options;
    psg_options_init(&options);
    options.gpus = 1;
    options.lambda = 1;
    psg_plan *plan = nullptr;
    psg_statistics past;
    if (psg_plan_create(&plan, &grid, &options) != PSG_OK ||
        steps(plan, f_d, u_d, stream, &amplitude) != PSG_OK ||
        psg_plan_statistics(plan, &past) != PSG_OK) {
        fprintf(stderr, "%s\n", psg_last_error());
        return 1;
    }
    std::vector<double> u(POINTS);
    cudaMemcpyAsync(u.data(), u_d, POINTS * sizeof(double), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int n = 0; n < POINTS; n++) {
        const double off = fabs(u[n] - amplitude * shape(n));
        error = off <= error || std::isnan(error) ? error : off;
    }
    const double copied = (double)(past.link[PSG_LINK_H2D].bytes + past.link[PSG_LINK_D2H].bytes);
    printf("%d steps, error %.2g, %.0f bytes copied\n", STEPS, error, copied);
    psg_plan_destroy(plan);
    cudaStreamDestroy(stream);
    cudaFree(f_d);
    cudaFree(u_d);
    return error < 1e-12 && copied == 0 ? 0 : 1;
}
