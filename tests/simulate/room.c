/* A spectrum that leaves the GPUs little room stays there, cut into smaller segments. One that the GPUs have no room for stands
 * in main memory, cut into parts of which they have room for some. What cannot work is an error before a solve. */
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

static const room_case cases[] = {
    {64e9, {.n = N, .cpus = -1, .gpus = 1}, PSG_OK, 2},
    {64e9, {.n = N, .cpus = -1, .gpus = 2}, PSG_OK, 2},
    /* the spectrum beside nine segments of 19 planes */
    {1.6e9, {.n = N, .cpus = -1, .gpus = 1}, PSG_OK, 27},
    {1.6e9, {.n = N, .cpus = -1, .gpus = 1, .exchange = PSG_EXCHANGE_DIRECT}, PSG_OK, 27},
    /* a GPU's blocks and four segments of 540 MB, as f and u pass through; its blocks and its part of f beside nine segments of
     * at most 59 planes; its blocks beside nine of at most 28 */
    {3.2e9, {.n = N, .cpus = -1, .gpus = 2}, PSG_OK, 2},
    {2.2e9, {.n = N, .cpus = -1, .gpus = 2}, PSG_OK, 10},
    {2.2e9, {.n = N, .cpus = -1, .gpus = 2, .exchange = PSG_EXCHANGE_DIRECT}, PSG_OK, 10},
    {1.2e9, {.n = N, .cpus = -1, .gpus = 2, .exchange = PSG_EXCHANGE_DIRECT}, PSG_OK, 20},
    {1.2e9, {.n = N, .cpus = -1, .gpus = 2}, PSG_OK, 20},
    {0.5e9, {.n = N, .cpus = -1, .gpus = 2, .exchange = PSG_EXCHANGE_DIRECT}, PSG_ERR_MEMORY, 0},
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
    psg_options options;
    psg_grid grid;
    size_t segments = 0, sheets = 0;
    psg_options_init(&options);
    options.gpus = c->what.gpus;
    options.graph = c->what.graph;
    options.exchange = c->what.exchange;
    options.segment_planes = c->what.segment_planes;
    options.sheets = c->what.sheets;
    psg_grid_init(&grid, N, N, N, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), c->status);
    CHECK(c->status == PSG_OK || strstr(psg_last_error(), "GPU"), "words: %s", psg_last_error());
    if (plan) {
        /* with exchange direct there is a sheet for each GPU */
        const size_t gpus = (size_t)c->what.gpus;
        CHECK_STATUS(psg_plan_segments(plan, &segments, &sheets), PSG_OK);
        CHECK(c->segments > 0 ? segments == c->segments && sheets == gpus
                              : segments > 2 * gpus && sheets > 2 * gpus,
              "%zu segments, %zu sheets", segments, sheets);
    }
    psg_plan_destroy(plan);
    if (c->status == PSG_OK) {
        CHECK(simulate_solve(&c->what, NULL) > 0, "no time");
    }
}

/** On four H200s 2304^3 has one segment each, and 3328^3 leaves room for f. Four sheets of 3328^3 would each have more elements than
 * StarPU counts, so there are two for each GPU. */
static void large(const void *argument) {
    static const size_t sizes[] = {2304, 3328};
    (void)argument;
    for (size_t m = 0; m < 2; ++m) {
        const double n = (double)sizes[m];
        psg_plan *plan = NULL;
        psg_options options;
        psg_grid grid;
        size_t segments = 0, sheets = 0;
        int on_gpus = 0;
        double left = 0;
        psg_options_init(&options);
        options.gpus = 4;
        psg_grid_init(&grid, sizes[m], sizes[m], sizes[m], 1, 1, 1);
        if (!CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
            continue;
        }
        CHECK_STATUS(psg_plan_segments(plan, &segments, &sheets), PSG_OK);
        CHECK_STATUS(psg_plan_memory(plan, &on_gpus, &left), PSG_OK);
        CHECK(on_gpus && left >= 2 * n * n * n, "%g^3: %g bytes are left", n, left);
        CHECK(m == 0 ? segments == 4 && sheets == 4 : segments > 8 && sheets == 8,
              "%g^3: %zu segments, %zu sheets", n, segments, sheets);
        psg_plan_destroy(plan);
    }
}

int main(void) {
    for (size_t m = 0; m < sizeof cases / sizeof *cases; ++m) {
        printf("case %zu: %g bytes on each of %d\n", m, cases[m].gpu_memory, cases[m].what.gpus);
        simulate_apart(simulate_h200_with(cases[m].gpu_memory), try_case, &cases[m]);
    }
    remove(simulate_machine(""));
    simulate_apart("h200", large, NULL);
    return check_result();
}
