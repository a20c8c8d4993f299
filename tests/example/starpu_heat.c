/* A StarPU program around the solver: the heat equation du/dt = lap(u) by implicit Euler steps. Each step
 * is one solve of lap(v) - lambda v = -lambda u with lambda = 1/dt; the tasks between the solves work on
 * the slabs wherever these are, and nothing is waited for until the end. A sine of wavenumber k has to
 * have decayed by 1 / (1 + k^2 dt) a step. */
#include <math.h>
#include <psg.h>
#include <psg_starpu.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 20, NY = 18, NZ = 16, STEPS = 10 };
static const double two_pi = 6.28318530717958647692, dt = 0.05;

/** Element (i,j,k) of a slab. */
static double *at(void *slab, size_t i, size_t j, size_t k) {
    return (double *)STARPU_BLOCK_GET_PTR(slab) + i + j * STARPU_BLOCK_GET_LDY(slab) +
           k * STARPU_BLOCK_GET_LDZ(slab);
}

/** The exact u after `steps` steps. */
static double exact(size_t i, size_t j, int steps) {
    double k2 = 1 + 4;
    return sin(two_pi * (double)i / NX) * cos(2 * two_pi * (double)j / NY) /
           pow(1 + k2 * dt, steps);
}

/** f = -u / dt for the first step. */
static void start(void *buffers[], void *arguments) {
    (void)arguments;
    for (size_t n = 0; n < (size_t)NX * NY * STARPU_BLOCK_GET_NZ(buffers[0]); ++n) {
        size_t i = n % NX, j = n / NX % NY, k = n / NX / NY;
        *at(buffers[0], i, j, k) = -exact(i, j, 0) / dt;
    }
}

/** f = -u / dt from the u of the step before. */
static void next(void *buffers[], void *arguments) {
    (void)arguments;
    for (size_t n = 0; n < (size_t)NX * NY * STARPU_BLOCK_GET_NZ(buffers[0]); ++n) {
        size_t i = n % NX, j = n / NX % NY, k = n / NX / NY;
        *at(buffers[0], i, j, k) = -*at(buffers[1], i, j, k) / dt;
    }
}

static struct starpu_codelet start_codelet = {
    .cpu_funcs = {start}, .nbuffers = 1, .modes = {STARPU_W}, .name = "start"};
static struct starpu_codelet next_codelet = {
    .cpu_funcs = {next}, .nbuffers = 2, .modes = {STARPU_W, STARPU_R}, .name = "next"};

/** All the steps; psg_last_error() has the words after a failure. */
static psg_status run(psg_plan *plan, size_t segments, starpu_data_handle_t *f,
                      starpu_data_handle_t *u) {
    psg_status status = psg_plan_slab_handles(plan, f, u, NULL);
    for (int step = 0; step < STEPS && status == PSG_OK; ++step) {
        for (size_t s = 0; s < segments; ++s) {
            int error = step == 0
                            ? starpu_task_insert(&start_codelet, STARPU_W, f[s], 0)
                            : starpu_task_insert(&next_codelet, STARPU_W, f[s], STARPU_R, u[s], 0);
            if (error) {
                fprintf(stderr, "starpu_task_insert: %d\n", error);
                return PSG_ERR_RUNTIME;
            }
        }
        status = psg_submit_slabs(plan);
    }
    for (int step = 0; step < STEPS && status == PSG_OK; ++step) {
        status = psg_wait(plan);
    }
    return status;
}

/** The largest error of u. */
static double compare(size_t segments, starpu_data_handle_t *u) {
    double error = 0;
    for (size_t s = 0; s < segments; ++s) {
        starpu_data_acquire(u[s], STARPU_R);
        void *slab = starpu_data_get_interface_on_node(u[s], STARPU_MAIN_RAM);
        for (size_t n = 0; n < (size_t)NX * NY * STARPU_BLOCK_GET_NZ(slab); ++n) {
            size_t i = n % NX, j = n / NX % NY, k = n / NX / NY;
            const double off = fabs(*at(slab, i, j, k) - exact(i, j, STEPS));
            error = off <= error || isnan(error) ? error : off;
        }
        starpu_data_release(u[s]);
    }
    return error;
}

int main(void) {
    double error = 1;
    size_t segments = 0;
    starpu_data_handle_t f[NZ], u[NZ];
    psg_grid grid;
    psg_options options;
    psg_plan *plan = NULL;
    psg_grid_init(&grid, NX, NY, NZ, two_pi, two_pi, two_pi);
    psg_options_init(&options);
    options.lambda = 1 / dt;
    options.segment_planes = 4;
    psg_status status = psg_plan_create(&plan, &grid, &options);
    if (status == PSG_OK) {
        psg_plan_segments(plan, &segments, NULL);
        status = run(plan, segments, f, u);
    }
    if (status == PSG_OK) {
        error = compare(segments, u);
        printf("%d steps, error %.2g\n", STEPS, error);
    } else {
        fprintf(stderr, "%s\n", psg_last_error());
    }
    psg_plan_destroy(plan);
    return error < 1e-13 ? 0 : 1;
}
