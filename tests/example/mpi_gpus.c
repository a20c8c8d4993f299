/* One MPI process for each GPU: mpirun -n 4 mpi_gpus. Each process has its planes of f and u on its GPU, in memory that
 * it allocated itself. It ends with 0 if u is exact, and with 77 if there is no GPU. Where there are fewer GPUs than processes, some share one.
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <mpi.h>
#include <psg.h>
#include <psg_observe.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 32, NY = 24, NZ = 20 };
static const double two_pi = 6.28318530717958647692;

static double f_of(size_t n, size_t k) {
    return sin(two_pi * (double)(n % NX) / NX) * cos(2 * two_pi * (double)k / NZ);
}

/** @param[out] error  the largest of this process' planes */
static psg_status solve(const psg_options *options, double *error) {
    psg_grid grid;
    psg_plan *plan = NULL;
    psg_statistics past;
    size_t z0 = 0, planes = 0;
    psg_grid_init(&grid, NX, NY, NZ, two_pi, two_pi, two_pi);
    psg_status status = psg_plan_create(&plan, &grid, options);
    if (status != PSG_OK) {
        fprintf(stderr, "%s\n", psg_last_error());
        return status;
    }
    psg_plan_local_extent(plan, &z0, &planes);
    const size_t points = planes * NX * NY, bytes = points * sizeof(double);
    double *values = malloc(bytes + 1);
    void *f_d = NULL, *u_d = NULL;
    cudaMalloc(&f_d, bytes + 1);
    cudaMalloc(&u_d, bytes + 1);
    for (size_t n = 0; n < points; n++) {
        values[n] = f_of(n, z0 + n / NX / NY);
    }
    cudaMemcpy(f_d, values, bytes, cudaMemcpyHostToDevice);
    status = psg_solve(plan, f_d, u_d);
    if (status == PSG_OK) {
        cudaMemcpy(values, u_d, bytes, cudaMemcpyDeviceToHost);
        for (size_t n = 0; n < points; n++) { /* lap(sin x cos 2z) = -5 sin x cos 2z */
            const double off = fabs(values[n] + f_of(n, z0 + n / NX / NY) / 5);
            *error = off <= *error || isnan(*error) ? *error : off;
        }
        status = psg_plan_statistics(plan, &past);
    }
    if (status == PSG_OK) {
        printf("planes %zu to %zu: error %.2g, exchange %s\n", z0, z0 + planes, *error,
               past.exchange == PSG_EXCHANGE_DIRECT ? "direct" : "by messages");
    } else {
        fprintf(stderr, "%s\n", psg_last_error()); /* psg_plan_destroy() forgets them */
    }
    psg_plan_destroy(plan);
    cudaFree(f_d);
    cudaFree(u_d);
    free(values);
    return status;
}

int main(int argc, char **argv) {
    int level = 0, rank = 0, gpus = 0;
    double error = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        MPI_Finalize();
        return 77;
    }
    const int gpu = rank % gpus; /* the processes are all on this node */
    const MPI_Comm comm = MPI_COMM_WORLD;
    psg_options options;
    cudaSetDevice(gpu);
    psg_options_init(&options);
    options.comm = &comm;
    options.gpus = 1;
    options.gpu_ids = &gpu;
    const psg_status status = solve(&options, &error);
    if (status != PSG_OK) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return error < 1e-13 ? 0 : 1;
}
