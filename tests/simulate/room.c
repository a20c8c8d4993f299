/* A spectrum that leaves the GPUs little room stays there, cut into smaller segments. One that the
 * GPUs have no room for stands in main memory, cut into parts of which they have room for some.
 * What cannot work is an error before a solve. */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/simulate/simulate.h"

#include <string.h>

enum { N = 512 }; /* a spectrum of 1.08 GB */

/** What is asked for, with so much memory on each GPU, and what has to come of it. */
typedef struct room_case {
    double gpu_memory;
    simulate_case what;
    psg_status status;
    size_t segments; /**< 0: more than with enough room */
} room_case;

#define PLACED(the_policy) .placement = PSG_PLACEMENT_FREE, .policy = (the_policy)
static const room_case cases[] = {
    {64e9, {.n = N, .cpus = -1, .gpus = 1}, PSG_OK, 2},
    {64e9, {.n = N, .cpus = -1, .gpus = 2}, PSG_OK, 2},
    /* the spectrum beside nine segments of 19 planes */
    {1.6e9, {.n = N, .cpus = -1, .gpus = 1}, PSG_OK, 27},
    {1.6e9, {.n = N, .cpus = -1, .gpus = 1, .exchange = PSG_EXCHANGE_DIRECT}, PSG_OK, 27},
    /* a GPU's blocks and four segments of 540 MB, as f and u pass through; its blocks and its part
     * of f beside nine segments of at most 59 planes; its blocks beside nine of at most 28 */
    {3.2e9, {.n = N, .cpus = -1, .gpus = 2}, PSG_OK, 2},
    {2.2e9, {.n = N, .cpus = -1, .gpus = 2}, PSG_OK, 10},
    {2.2e9, {.n = N, .cpus = -1, .gpus = 2, .exchange = PSG_EXCHANGE_DIRECT}, PSG_OK, 10},
    {1.2e9, {.n = N, .cpus = -1, .gpus = 2, .exchange = PSG_EXCHANGE_DIRECT}, PSG_OK, 20},
    {1.2e9, {.n = N, .cpus = -1, .gpus = 2}, PSG_OK, 20},
    {1.2e9, {.n = N, .cpus = -1, .gpus = 2, .exchange = PSG_EXCHANGE_MANAGED}, PSG_OK, 20},
    {0.5e9, {.n = N, .cpus = -1, .gpus = 2, .exchange = PSG_EXCHANGE_DIRECT}, PSG_ERR_MEMORY, 0},
    /* the policy places tasks: eight segments for each GPU, or so many that one more of f and of u
     * from elsewhere has room; and no room for the spectrum */
    {64e9, {.n = N, .cpus = -1, .gpus = 2, PLACED("eager")}, PSG_OK, 16},
    {1.6e9, {.n = N, .cpus = -1, .gpus = 2, PLACED("random")}, PSG_OK, 20},
    {1.2e9, {.n = N, .cpus = -1, .gpus = 2, PLACED("prio")}, PSG_OK, 16},
    {0.8e9, {.n = N, .cpus = -1, .gpus = 2, PLACED("ws")}, PSG_OK, 58},
    {0.5e9, {.n = N, .cpus = -1, .gpus = 2, PLACED("eager")}, PSG_OK, 0},
    {0.5e9,
     {.n = N, .cpus = -1, .gpus = 2, .exchange = PSG_EXCHANGE_DIRECT, PLACED("dmdas")},
     PSG_ERR_MEMORY,
     0},
    {1e9, {.n = N, .cpus = -1, .gpus = 1}, PSG_OK, 0},
    {1e9, {.n = N, .cpus = -1, .gpus = 1, .graph = PSG_GRAPH_STAGED}, PSG_OK, 0},
    {0.5e9, {.n = N, .cpus = -1, .gpus = 2}, PSG_OK, 0},
    {1e9, {.n = N, .cpus = -1, .gpus = 1, .exchange = PSG_EXCHANGE_MANAGED}, PSG_OK, 0},
    {1e9, {.n = N, .cpus = -1, .gpus = 1, .exchange = PSG_EXCHANGE_DIRECT}, PSG_ERR_MEMORY, 0},
    {1e9, {.n = N, .cpus = -1, .gpus = 1, .segment_planes = N, .sheets = 1}, PSG_ERR_MEMORY, 0},
};

static void try_case(const void *argument) {
    const room_case *c = argument;
    psg_plan *plan = NULL;
    size_t segments = 0, sheets = 0;
    CHECK_STATUS(simulate_create(&c->what, &plan), c->status);
    CHECK(c->status == PSG_OK || strstr(psg_last_error(), "GPU"), "words: %s", psg_last_error());
    if (plan) {
        /* with exchange direct there is a sheet for each GPU, else two */
        const size_t gpus = (size_t)c->what.gpus;
        const size_t each = c->what.exchange == PSG_EXCHANGE_MANAGED ? 2 : 1;
        CHECK_STATUS(psg_plan_segments(plan, &segments, &sheets), PSG_OK);
        CHECK(c->segments > 0 ? segments == c->segments && sheets == each * gpus
                              : segments > 2 * gpus && sheets > 2 * gpus,
              "%zu segments, %zu sheets", segments, sheets);
    }
    psg_plan_destroy(plan);
    if (c->status == PSG_OK) {
        CHECK(simulated_seconds(&c->what) > 0, "no time");
    }
}

/** A grid for the machine h200. */
typedef struct large_case {
    size_t n;
    int gpus;
    int precision;
    size_t segments; /**< 0: so many that what work needs, nine of them, is left beside f */
    size_t sheets;
} large_case;

/** f has to fit beside the spectrum, too. Sheets with more elements than StarPU counts are cut into
 *  the same number for each GPU. */
static const large_case larges[] = {
    {1504, 2, PSG_F64, 2, 2},
    {2304, 4, PSG_F64, 4, 4},
    {3328, 4, PSG_F64, 0, 8},
    {4096, 4, PSG_F32, 0, 12},
};

static void large(const void *argument) {
    const large_case *c = argument;
    const simulate_case what = {
        .n = c->n, .cpus = -1, .gpus = c->gpus, .precision = (psg_precision)c->precision};
    size_t segments = 0, sheets = 0;
    int on_gpus = 0;
    double left = 0;
    DESTROYED psg_plan *plan = simulate_plan(&what);
    CHECK_STATUS(psg_plan_segments(plan, &segments, &sheets), PSG_OK);
    CHECK_STATUS(psg_plan_memory(plan, &on_gpus, &left), PSG_OK);
    const double f = (double)c->n * (double)c->n * (double)c->n * (c->precision == PSG_F32 ? 4 : 8);
    const double beside = left - f / c->gpus;
    CHECK(on_gpus && beside >= 0, "%zu^3: %g bytes are left", c->n, left);
    CHECK(c->segments > 0 ? segments == c->segments : 9 * f / (double)segments <= beside,
          "%zu^3: %zu segments, %g bytes beside f", c->n, segments, beside);
    CHECK(sheets == c->sheets, "%zu^3: %zu sheets", c->n, sheets);
}

int main(void) {
    for (size_t m = 0; m < sizeof cases / sizeof *cases; ++m) {
        printf("case %zu: %g bytes on each of %d\n", m, cases[m].gpu_memory, cases[m].what.gpus);
        simulate_apart(simulate_h200_with(cases[m].gpu_memory), try_case, &cases[m]);
    }
    remove(simulate_machine(""));
    SIMULATE_EACH("h200", large, larges);
    return check_result();
}
