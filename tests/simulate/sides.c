/* On a grid with sides a task takes the recorded time of a periodic one times the factor of the machine's file: of the
 * task's own sides, at the nearest grid, else the product over the axes, else 1. Transfers between GPUs stay as they are.
 * The simulated H200 takes as much longer with sides as the real one did. */
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "tests/simulate/simulate.h"

#include <string.h>
#include <sys/mman.h>

enum { N = 64, EVENTS_MOST = 64 };

#define SIDES(kind, rest) "sides " kind " f64 cpu " rest "\n"

static const char cores[] = "machine cores\ncpus 1\n"
                            "time forward_xy f64 cpu 64x64x64 segment 8 views 1 0 100e-6\n"
                            "time kspace f64 cpu 64x64x64 sheet 64 views 8 0 200e-6\n"
                            "time inverse_xy f64 cpu 64x64x64 segment 8 views 1 0 300e-6\n"
                            "time forward_xy f32 cpu 64x64x64 segment 8 views 1 0 100e-6\n"
                            "time kspace f32 cpu 64x64x64 sheet 64 views 8 0 200e-6\n"
                            "time inverse_xy f32 cpu 64x64x64 segment 8 views 1 0 300e-6\n"
                            "sides forward_xy f64 gpu 64x64x64 NN,NN,NN 7\n" /* clang-format off */
    SIDES("forward_xy", "64x64x64 NN,NN,NN 1.5")   SIDES("kspace", "64x64x64 NN,NN,NN 1.25")
    SIDES("inverse_xy", "64x64x64 NN,NN,NN 2")     SIDES("forward_xy", "32x32x32 NN,NN,NN 9")
    SIDES("forward_xy", "90x90x90 DN,DN,DN 1.75")  SIDES("forward_xy", "64x65x66 DN,DN,DN 1.5")
    SIDES("forward_xy", "64x64x64 DD,PP,PP 1.5")   SIDES("forward_xy", "64x64x64 PP,NN,PP 1.25")
    SIDES("forward_xy", "64x64x64 PP,PP,DN 1")     SIDES("kspace", "64x64x64 PP,PP,DN 3")
    SIDES("forward_xy", "64x64x64 NN-nodes,NN-nodes,NN-nodes 4"); /* clang-format on */

/* Four GPUs. Of forward_xy the file has work of 100 us, and transfers of 800 us that hide none of it; of inverse_xy
 * work that is longer than its transfers; of kspace nothing without transfers. */
static const char gpus[] =
    "machine gpus\ncpus 1\ngpus 4\ngpu_memory 8e9\nlink to-gpu 1e12 0\nlink from-gpu 1e12 0\n"
    "link between 1e12 0\nlink peer 1e9 0\n"
    "time forward_xy f64 gpu 64x64x64 segment 16 dense 4 0 100e-6\n"
    "time forward_xy f64 gpu 64x64x64 segment 16 dense 4 3 900e-6\n"
    "time kspace f64 gpu 64x64x64 sheet 16 dense 4 3 700e-6\n"
    "time inverse_xy f64 gpu 64x64x64 segment 16 dense 4 0 1e-3\n"
    "sides forward_xy f64 gpu 64x64x64 NN,NN,NN 2\nsides kspace f64 gpu 64x64x64 NN,NN,NN 1.5\n"
    "sides inverse_xy f64 gpu 64x64x64 NN,NN,NN 1.25\n";

#define P                                                                                          \
    { PSG_BC_PERIODIC, PSG_BC_PERIODIC }
#define NN                                                                                         \
    { PSG_BC_NEUMANN, PSG_BC_NEUMANN }
#define DD                                                                                         \
    { PSG_BC_DIRICHLET, PSG_BC_DIRICHLET }
#define DN                                                                                         \
    { PSG_BC_DIRICHLET, PSG_BC_NEUMANN }
#define ND                                                                                         \
    { PSG_BC_NEUMANN, PSG_BC_DIRICHLET }

typedef struct expected {
    simulate_case of;
    double forward, kspace, inverse; /* microseconds of a task */
    int known;                       /* psg_plan_simulates_sides() */
} expected;

#define CORE(...) .n = N, .cpus = 1, .segment_planes = 8, .sheets = 1, __VA_ARGS__
#define GPUS(...) .n = N, .gpus = 4, .segment_planes = 16, .sheets = 4, __VA_ARGS__

static const expected on_cores[] = {
    {{CORE(.bc = {P, P, P})}, 100, 200, 300, 1},
    {{CORE(.bc = {NN, NN, NN})}, 150, 250, 600, 1},   /* as the file says of this grid */
    {{CORE(.bc = {DN, DN, DN})}, 150, 600, 300, 0},   /* of the nearest grid; kspace by its z */
    {{CORE(.bc = {ND, ND, ND})}, 150, 600, 300, 0},   /* its mirror image */
    {{CORE(.bc = {DD, NN, P})}, 187.5, 200, 300, 0},  /* 1.5 of x times 1.25 of y */
    {{CORE(.bc = {DD, NN, DN})}, 187.5, 600, 300, 0}, /* and of z */
    {{CORE(.bc = {P, DD, P})}, 100, 200, 300, 0},     /* the file has DD along x alone */
    {{CORE(.bc = {NN, NN, NN}, .points = PSG_POINTS_NODES)}, 400, 200, 300, 0},
    {{CORE(.bc = {NN, NN, NN}, .precision = PSG_F32)}, 100, 200, 300, 0}, /* nor of f32 */
};
static const expected on_gpus[] = {
    {{GPUS(.bc = {P, P, P})}, 900, 700, 1000, 1},
    {{GPUS(.bc = {NN, NN, NN})}, 2 * 100 + 800, 1050, 1250, 1},
};

static void check_case(const void *argument) {
    const expected *e = argument;
    AT_END(simulated_free) simulated got = simulated_of(&e->of);
    CHECK(got.events > 0, "no events");
    for (size_t m = 0; m < got.events; ++m) {
        const double want = got.event[m].stage == PSG_STAGE_FORWARD_XY ? e->forward
                            : got.event[m].stage == PSG_STAGE_KSPACE   ? e->kspace
                                                                       : e->inverse;
        CHECK_NEAR(1e6 * (got.event[m].end - got.event[m].start), want, 1e-3 * want, "%s",
                   psg_stage_name(got.event[m].stage));
    }
    CHECK(psg_plan_simulates_sides(got.plan) == e->known, "not %d", e->known);
}

/* ------------------------------------------------------------------------------- the H200 */

typedef struct measured {
    size_t n;
    psg_precision precision;
    double periodic, sides[3]; /* ms: NN, DD and DN along all axes */
} measured;

/* Of whole solves on one H200, 2026-11-25: docs/records.md. */
static const measured h200[] = {
    {256, PSG_F64, 0.353, {0.417, 0.416, 0.414}}, {512, PSG_F64, 2.67, {3.09, 3.09, 3.10}},
    {1024, PSG_F64, 21.4, {25.3, 25.5, 25.8}},    {256, PSG_F32, 0.214, {0.273, 0.274, 0.281}},
    {512, PSG_F32, 1.39, {1.77, 1.79, 1.75}},     {1024, PSG_F32, 12.0, {14.8, 14.8, 15.1}},
};

static double *shared; /* what a child found out */

static void solve(const void *argument) {
    *shared = simulated_seconds(argument);
}

static void check_measured(const measured *m) {
    static const psg_bc sides[4][2] = {P, NN, DD, DN};
    for (int s = 0; s < 4; ++s) {
        simulate_case c = {.n = m->n, .gpus = 1, .precision = m->precision};
        const double want = 1e-3 * (s > 0 ? m->sides[s - 1] : m->periodic);
        for (int d = 0; d < 3; ++d) {
            memcpy(c.bc[d], sides[s], sizeof c.bc[d]);
        }
        *shared = NAN;
        simulate_apart("h200", solve, &c);
        CHECK(fabs(*shared - want) <= 0.1 * want, "%zu^3, sides %d: %g s, measured %g", m->n, s,
              *shared, want);
    }
}

int main(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    for (size_t m = 0; m < sizeof on_cores / sizeof on_cores[0]; ++m) {
        printf("cores, case %zu\n", m);
        simulate_apart(simulate_machine(cores), check_case, &on_cores[m]);
    }
    for (size_t m = 0; m < sizeof on_gpus / sizeof on_gpus[0]; ++m) {
        printf("GPUs, case %zu\n", m);
        simulate_apart(simulate_machine(gpus), check_case, &on_gpus[m]);
    }
    for (size_t m = 0; m < sizeof h200 / sizeof h200[0]; ++m) {
        check_measured(&h200[m]);
    }
    remove(simulate_machine(""));
    return check_result();
}
