/* The first start of StarPU on a machine, which measures copies to and from all GPUs, leaves alone
 * what the program has on them: its memory keeps its numbers, its stream goes on, and its thread's
 * device stays the one it was. */
#include "tests/check.h"
#include "tests/harness.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 16, POINTS = NX * NX * NX };

int main(void) {
    char home[] = "first-start-XXXXXX", command[64]; /* StarPU finds nothing there */
    double *f_d = NULL;
    double *u_d = NULL;
    double *copy = calloc(POINTS, sizeof *copy);
    double *f = oracle_array(POINTS);
    cudaStream_t stream = NULL;
    psg_plan *plan = NULL;
    int before = -1;
    int after = -2;
    psg_array to;
    psg_grid grid = harness_box(NX, NX, NX, 1, 1, 1);
    psg_options options = harness_options(PSG_F64);
    if (!CHECK(mkdtemp(home) != NULL && setenv("XDG_CACHE_HOME", home, 1) == 0, "no folder") ||
        !CHECK(cudaMalloc((void **)&f_d, POINTS * sizeof *f) == cudaSuccess &&
                   cudaMalloc((void **)&u_d, POINTS * sizeof *f) == cudaSuccess &&
                   cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess,
               "no memory or stream on the GPU")) {
        free(copy);
        free(f);
        return check_result();
    }
    oracle_random(1, POINTS, f);
    CHECK(cudaMemcpyAsync(f_d, f, POINTS * sizeof *f, cudaMemcpyHostToDevice, stream) ==
              cudaSuccess,
          "f does not go to the GPU");
    CHECK(cudaGetDevice(&before) == cudaSuccess, "no device");
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK(cudaGetDevice(&after) == cudaSuccess && after == before,
              "the thread was on GPU %d, and is on GPU %d", before, after);
        CHECK(cudaMemcpyAsync(copy, f_d, POINTS * sizeof *f, cudaMemcpyDeviceToHost, stream) ==
                      cudaSuccess &&
                  cudaStreamSynchronize(stream) == cudaSuccess,
              "f does not come back: %s", cudaGetErrorString(cudaGetLastError()));
        CHECK(memcmp(copy, f, POINTS * sizeof *f) == 0, "f is another one");
        psg_array from = harness_view(f_d);
        psg_array_init(&to, u_d);
        from.stream = to.stream = stream;
        CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, NULL), PSG_OK);
        psg_plan_destroy(plan);
    }
    CHECK(cudaStreamDestroy(stream) == cudaSuccess && cudaFree(f_d) == cudaSuccess &&
              cudaFree(u_d) == cudaSuccess,
          "the program cannot free what it has: %s", cudaGetErrorString(cudaGetLastError()));
    snprintf(command, sizeof command, "rm -rf %s", home);
    CHECK(system(command) == 0, "%s is left", home);
    free(f);
    free(copy);
    return check_result();
}
