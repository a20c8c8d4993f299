/* Arrays with ghost layers in a GPU's memory, as a program has them that computes with stencils there: by OpenACC
 * (host_data use_device), OpenMP (use_device_addr) or CUDA. psg gets the first inner point and the strides, reads and
 * writes the inner points where they are, and leaves the ghost layers alone. The 7-point stencil of u has to give f back.
 * It ends with 77 if there is no GPU.
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <psg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    NX = 30,
    NY = 21,
    NZ = 16,
    GHOST = 1,
    LX = NX + 2 * GHOST,
    LY = NY + 2 * GHOST,
    LZ = NZ + 2 * GHOST
};
static const double box = 1, untouched = -77;

/** Inner point (i,j,k), each from 0. */
static size_t at(int i, int j, int k) {
    return ((size_t)(k + GHOST) * LY + (size_t)(j + GHOST)) * LX + (size_t)(i + GHOST);
}

/** Of a mean of 0. */
static double source(int i, int j, int k) {
    return (i == 3 && j == 4 && k == 5) - (double)(i == 20 && j == 11 && k == 2);
}

/** The largest difference of the stencil of u from f, over the largest number in the stencil's sum. */
static double residual(const double *u) {
    const double wx = pow(NX / box, 2), wy = pow(NY / box, 2), wz = pow(NZ / box, 2);
    double off = 0;
    for (int k = 0; k < NZ; k++) {
        for (int j = 0; j < NY; j++) {
            for (int i = 0; i < NX; i++) {
                const double here = u[at(i, j, k)];
                const double sum =
                    wx * (u[at((i + 1) % NX, j, k)] - 2 * here + u[at((i + NX - 1) % NX, j, k)]) +
                    wy * (u[at(i, (j + 1) % NY, k)] - 2 * here + u[at(i, (j + NY - 1) % NY, k)]) +
                    wz * (u[at(i, j, (k + 1) % NZ)] - 2 * here + u[at(i, j, (k + NZ - 1) % NZ)]);
                const double by = fabs(sum - source(i, j, k));
                off = by <= off || isnan(off) ? off : by;
            }
        }
    }
    return off;
}

/** The ghost points that somebody has written. */
static size_t written(const double *u) {
    size_t count = 0;
    for (int k = -GHOST; k < NZ + GHOST; k++) {
        for (int j = -GHOST; j < NY + GHOST; j++) {
            for (int i = -GHOST; i < NX + GHOST; i++) {
                const int inner = i >= 0 && i < NX && j >= 0 && j < NY && k >= 0 && k < NZ;
                count += !inner && u[at(i, j, k)] != untouched;
            }
        }
    }
    return count;
}

static psg_status solve(double *f_d, double *u_d) {
    psg_grid grid;
    psg_options options;
    psg_plan *plan = NULL;
    psg_array f, u;
    psg_grid_init(&grid, NX, NY, NZ, box, box, box);
    psg_options_init(&options);
    options.gpus = 1;
    options.symbol = PSG_SYMBOL_FD2;
    psg_array_init(&f, f_d + at(0, 0, 0));
    psg_array_init(&u, u_d + at(0, 0, 0));
    for (int d = 0; d < 3; d++) {
        const ptrdiff_t stride[3] = {1, LX, (ptrdiff_t)LX * LY};
        f.stride[d] = u.stride[d] = stride[d];
    }
    psg_status status = psg_plan_create(&plan, &grid, &options);
    if (status == PSG_OK) {
        status = psg_solve_arrays(plan, 1, &f, &u, NULL);
    }
    psg_plan_destroy(plan);
    return status;
}

int main(void) {
    const size_t points = (size_t)LX * LY * LZ, bytes = points * sizeof(double);
    void *f_d = NULL, *u_d = NULL;
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        printf("no GPU\n");
        return 77;
    }
    double *f = malloc(bytes), *u = malloc(bytes);
    for (size_t n = 0; n < points; n++) {
        f[n] = NAN; /* nobody may read a ghost layer */
        u[n] = untouched;
    }
    for (int n = 0; n < NX * NY * NZ; n++) {
        const int i = n % NX, j = n / NX % NY, k = n / NX / NY;
        f[at(i, j, k)] = source(i, j, k);
    }
    cudaMalloc(&f_d, bytes);
    cudaMalloc(&u_d, bytes);
    cudaMemcpy(f_d, f, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(u_d, u, bytes, cudaMemcpyHostToDevice);
    if (solve(f_d, u_d) != PSG_OK) {
        fprintf(stderr, "%s\n", psg_last_error());
        return 1;
    }
    cudaMemcpy(u, u_d, bytes, cudaMemcpyDeviceToHost);
    const double off = residual(u);
    const size_t touched = written(u);
    printf("residual %.2g, %zu ghost points written\n", off, touched);
    cudaFree(f_d);
    cudaFree(u_d);
    free(f);
    free(u);
    return off < 1e-11 && touched == 0 ? 0 : 1;
}
