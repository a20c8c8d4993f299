/* Copies that were timed are told to the solve that they ended in, once, in the order of their
 * ends, with what stands at one of their addresses: slabs of f and u, and parts of the spectrum.
 * From inside the library: copies are made up, and the plan's GPU too. */
#include "graph/arrays.h"
#include "graph/plan_struct.h"
#include "graph/transfer_log.h"
#include "graph/workspace.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

enum { NX = 6, NY = 9, NZ = 10, PLANES = 4, SEGMENTS = 3, SHEETS = 2 };
#define POINTS ((size_t)NX * NY * NZ)
#define PLANE ((size_t)NX * NY)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

/** Is it what stands at an address of the array? */
static void check_array(const psg_plan *plan, const double *array, char data) {
    const psg_arrays *arrays = plan->held.arrays;
    for (size_t z = 0; z < NZ; ++z) {
        for (size_t p = 0; p < PLANE; p += PLANE - 1) {
            psg_copy copy = {.segment = SIZE_MAX, .sheet = SIZE_MAX};
            CHECK(psg_arrays_find(plan, arrays, array + z * PLANE + p, &copy), "%c: not found",
                  data);
            CHECK(copy.data == data && copy.segment == z / PLANES && copy.sheet == SIZE_MAX,
                  "plane %zu of %c: segment %zu of %c", z, data, copy.segment, copy.data);
        }
    }
    psg_copy copy = {.segment = 77};
    CHECK(!psg_arrays_find(plan, arrays, array - 1, &copy) &&
              !psg_arrays_find(plan, arrays, array + POINTS, &copy) && copy.segment == 77,
          "what stands beside %c is found in segment %zu", data, copy.segment);
}

/** Every block is found, by its segment or its sheet. */
static void check_lane(const psg_plan *plan) {
    const psg_workspace *workspace = plan->storage.workspaces[0];
    for (size_t s = 0; s < SEGMENTS; ++s) {
        for (size_t p = 0; p < SHEETS; ++p) {
            psg_copy copy = {.segment = SIZE_MAX, .sheet = SIZE_MAX};
            const void *block =
                (const void *)starpu_block_get_local_ptr(workspace->blocks[s * SHEETS + p]);
            CHECK(psg_workspace_find(plan, workspace, block, &copy) && copy.data == 's',
                  "not found");
            CHECK((copy.segment == s) != (copy.sheet == p) &&
                      (copy.segment == SIZE_MAX) != (copy.sheet == SIZE_MAX),
                  "block %zu, %zu is of segment %zu, sheet %zu", s, p, copy.segment, copy.sheet);
        }
    }
    for (size_t s = 0; s < SEGMENTS && workspace->spectra[s] != NULL; ++s) {
        psg_copy copy = {.segment = SIZE_MAX, .sheet = SIZE_MAX};
        CHECK(psg_workspace_find(plan, workspace,
                                 (const void *)starpu_block_get_local_ptr(workspace->spectra[s]),
                                 &copy) &&
                  copy.segment == s && copy.sheet == SIZE_MAX,
              "spectrum %zu is of segment %zu, sheet %zu", s, copy.segment, copy.sheet);
    }
    for (size_t p = 0; p < SHEETS && workspace->columns[p] != NULL; ++p) {
        psg_copy copy = {.segment = SIZE_MAX, .sheet = SIZE_MAX};
        CHECK(psg_workspace_find(plan, workspace,
                                 (const void *)starpu_block_get_local_ptr(workspace->columns[p]),
                                 &copy) &&
                  copy.sheet == p && copy.segment == SIZE_MAX,
              "sheet %zu is of segment %zu, sheet %zu", p, copy.segment, copy.sheet);
    }
    psg_copy copy = {.data = 'x'};
    CHECK(!psg_workspace_find(plan, workspace, &copy, &copy) && copy.data == 'x',
          "all is in the workspace");
}

static void add(psg_copy_way way, const void *source, const void *target, double start,
                double end) {
    const psg_copy_record record = {.way = way,
                                    .from = way == PSG_COPY_H2D ? -1 : 0,
                                    .to = way == PSG_COPY_D2H ? -1 : 1,
                                    .source = source,
                                    .target = target,
                                    .bytes = (size_t)(end - start),
                                    .start = start,
                                    .end = end};
    psg_copies_add(&record);
}

/** Before the solve, in it, of other data, and those of another plan. */
static void check_list(psg_plan *plan, const double *f, const double *u) {
    const psg_run run = {.started = 1e6};
    static const char elsewhere[8];
    psg_copy list[4];
    size_t count = 0;
    plan->workers.gpu_count = 1;
    psg_transfers_begin(&plan->work, true);
    psg_transfers_begin(&plan->work, true);
    add(PSG_COPY_D2H, elsewhere, u + 8 * PLANE, 4e6, 5e6);
    add(PSG_COPY_H2D, f, elsewhere, 0.5e6, 0.75e6);
    add(PSG_COPY_H2D, f + 4 * PLANE, elsewhere, 2e6, 3e6);
    add(PSG_COPY_H2D, elsewhere, elsewhere + 1, 2e6, 3e6);
    add(PSG_COPY_D2D, elsewhere, elsewhere + 1, 2e6, 2.5e6);
    psg_transfers_end(&plan->work, &run);
    CHECK_STATUS(psg_plan_copies(plan, list, 4, &count), PSG_OK);
    if (CHECK(count == 3, "%zu copies", count)) {
        CHECK(list[0].link == PSG_LINK_D2D && list[0].from == 0 && list[0].to == 1 &&
                  list[0].data == 0 && list[0].segment == SIZE_MAX && list[0].bytes == 500000,
              "first link %d from %d to %d", (int)list[0].link, list[0].from, list[0].to);
        CHECK(list[1].link == PSG_LINK_H2D && list[1].data == 'f' && list[1].segment == 1,
              "then link %d, segment %zu", (int)list[1].link, list[1].segment);
        CHECK_NEAR(list[1].start, 1, 1e-12, "its start");
        CHECK_NEAR(list[1].end, 2, 1e-12, "its end");
        CHECK(list[2].link == PSG_LINK_D2H && list[2].data == 'u' && list[2].segment == 2,
              "last link %d, segment %zu", (int)list[2].link, list[2].segment);
    }
    add(PSG_COPY_D2H, elsewhere, u, 6e6, 7e6);
    psg_transfers_end(&plan->work, &run); /* the second one in flight */
    CHECK_STATUS(psg_plan_copies(plan, list, 4, &count), PSG_OK);
    CHECK(count == 1 && list[0].data == 'u' && list[0].segment == 0, "%zu copies, of segment %zu",
          count, list[0].segment);
    plan->workers.gpu_count = 0;
}

int main(void) {
    FREED double *arrays = oracle_array(2 * POINTS + 4);
    double *f = arrays + 1, *u = f + POINTS + 2;
    for (size_t n = 0; n < HARNESS_VARIANTS; ++n) {
        const psg_grid grid = harness_grid(&box);
        psg_options options = harness_options(PSG_F64);
        psg_plan *plan = NULL;
        harness_set_variant(&options, &harness_variants[n]);
        options.gpus = 0;
        options.segment_planes = PLANES;
        options.sheets = SHEETS;
        if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
            CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
            check_array(plan, f, 'f');
            check_array(plan, u, 'u');
            check_lane(plan);
            check_list(plan, f, u);
            psg_plan_destroy(plan);
        }
    }
    return check_result();
}
