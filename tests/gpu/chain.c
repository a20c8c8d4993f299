/* On one GPU a solve of slabs that are there is one task of StarPU's: its answer is that of the tasks one by one, bit
 * by bit, and its events follow one another without a gap, from the first solve on. Where f is in
 * main memory, or the grid was cut by the caller, there are gaps. */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <starpu.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEGMENTS_MAX = 16,
    EVENTS_MAX = 64,
    SOLVES = 6 /* the fourth records a graph, and those after it are of one */
};

/** Tasks of the latest solve that began where the one before them ended, exactly. */
static size_t without_gap(const psg_plan *plan, size_t *events) {
    psg_event event[EVENTS_MAX];
    size_t count = 0;
    CHECK_STATUS(psg_plan_events(plan, event, EVENTS_MAX, events), PSG_OK);
    for (size_t m = 1; m < *events && m < EVENTS_MAX; ++m) {
        CHECK(event[m].start >= event[m - 1].end - 1e-9 && event[m].end >= event[m].start,
              "task %zu from %g to %g, after one until %g", m, event[m].start, event[m].end,
              event[m - 1].end);
        count += event[m].start <= event[m - 1].end;
    }
    return count;
}

static void check_time(const psg_plan *plan, const char *name) {
    psg_event event[EVENTS_MAX];
    size_t events = 0;
    double seconds = 0;
    CHECK_STATUS(psg_plan_events(plan, event, EVENTS_MAX, &events), PSG_OK);
    const psg_statistics s = harness_statistics(plan);
    for (size_t m = 0; m < events; ++m) {
        seconds += event[m].end - event[m].start;
    }
    CHECK(event[0].start >= 0 && event[events - 1].end <= s.seconds && seconds > 0,
          "%s: tasks from %g to %g of %g s", name, event[0].start, event[events - 1].end,
          s.seconds);
}

static void solve_slabs(psg_plan *plan, void *u) {
    CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_STATUS(psg_slabs_get(plan, u), PSG_OK);
}

/** The caller's own writing of f, in main memory. */
static void write_f(psg_plan *plan, const char *f, size_t plane_bytes) {
    starpu_data_handle_t slab[SEGMENTS_MAX];
    size_t z0[SEGMENTS_MAX + 1], segments = 0;
    CHECK_STATUS(psg_plan_segments(plan, &segments, NULL), PSG_OK);
    if (CHECK(segments <= SEGMENTS_MAX, "%zu segments", segments)) {
        CHECK_STATUS(psg_plan_slab_handles(plan, slab, NULL, z0), PSG_OK);
        for (size_t s = 0; s < segments; ++s) {
            CHECK(starpu_data_acquire(slab[s], STARPU_W) == 0, "slab %zu", s);
            memcpy((void *)starpu_block_get_local_ptr(slab[s]), f + z0[s] * plane_bytes,
                   (z0[s + 1] - z0[s]) * plane_bytes);
            starpu_data_release(slab[s]);
        }
    }
}

static int moved; /* how often slabs were; StarPU may give them the places that they had */

/** Where f and u of each segment are on the GPU. */
static size_t places(psg_plan *plan, unsigned node, const void *place[2 * SEGMENTS_MAX],
                     starpu_data_handle_t slab[2 * SEGMENTS_MAX]) {
    size_t segments = 0;
    CHECK_STATUS(psg_plan_segments(plan, &segments, NULL), PSG_OK);
    if (!CHECK(segments <= SEGMENTS_MAX, "%zu segments", segments)) {
        return 0;
    }
    CHECK_STATUS(psg_plan_slab_handles(plan, slab, slab + segments, NULL), PSG_OK);
    for (size_t m = 0; m < 2 * segments; ++m) {
        place[m] = starpu_data_test_if_allocated_on_node(slab[m], node)
                       ? starpu_data_handle_to_pointer(slab[m], node)
                       : NULL;
    }
    return 2 * segments;
}

/** StarPU has taken f and u from the GPU, and brought them to other places: what was launched before is not launched
 *  again. Twice f has twice u, bit by bit. */
static void check_moved(psg_plan *plan, const void *f, const void *twice, const void *want, void *u,
                        size_t bytes, const char *name) {
    starpu_data_handle_t slab[2 * SEGMENTS_MAX];
    const void *before[2 * SEGMENTS_MAX], *after[2 * SEGMENTS_MAX];
    const unsigned node =
        starpu_worker_get_memory_node((unsigned)starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0));
    for (int backward = 0; backward < 2; ++backward) { /* StarPU takes free places in some order */
        const size_t count = places(plan, node, before, slab);
        for (size_t m = 0; m < count; ++m) {
            (void)starpu_data_evict_from_node(slab[backward ? count - 1 - m : m], node);
        }
        CHECK_STATUS(psg_slabs_put(plan, twice), PSG_OK);
        solve_slabs(plan, u);
        (void)places(plan, node, after, slab);
        moved += memcmp(before, after, count * sizeof before[0]) != 0;
        CHECK_STATUS(psg_slabs_put(plan, f), PSG_OK);
        for (int m = 0; m < SOLVES; ++m) {
            solve_slabs(plan, u);
            CHECK(memcmp(u, want, bytes) == 0, "%s, solve %d: another u, of slabs that were moved",
                  name, m);
        }
    }
}

static void check_grid(const size_t n[3], psg_precision precision, const harness_variant *variant,
                       size_t planes) {
    const oracle_grid box = oracle_grid_make(n[0], n[1], n[2], 1, 1, 1);
    const psg_grid grid = harness_grid(&box);
    const size_t points = n[0] * n[1] * n[2], bytes = points * harness_element_bytes(precision);
    psg_options options = harness_options(precision);
    FREED double *values = oracle_array(points);
    FREED void *f = harness_array(precision, points), *want = harness_array(precision, points);
    FREED void *u = harness_array(precision, points), *twice = harness_array(precision, points);
    char name[96];
    size_t events = 0;
    (void)snprintf(name, sizeof name, "%s, %s, %zu x %zu x %zu, segments of %zu planes",
                   variant->name, harness_precision_name(precision), n[0], n[1], n[2], planes);
    harness_set_variant(&options, variant);
    options.segment_planes = planes;
    oracle_random(5, points, values);
    harness_store(precision, points, values, f);
    for (size_t m = 0; m < points; ++m) {
        values[m] *= 2;
    }
    harness_store(precision, points, values, twice);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(psg_solve(plan, f, want), PSG_OK);
    CHECK(without_gap(plan, &events) == 0, "%s: arrays in main memory, and no gap", name);
    CHECK_STATUS(psg_slabs_put(plan, f), PSG_OK);
    for (int m = 0; m < SOLVES; ++m) {
        solve_slabs(plan, u);
        const size_t gapless = without_gap(plan, &events);
        CHECK(gapless == (planes > 0 ? 0 : events - 1),
              "%s, solve %d: %zu of %zu tasks without a gap", name, m, gapless, events);
        check_time(plan, name);
        CHECK(memcmp(u, want, bytes) == 0, "%s: another u, of slabs", name);
    }
    if (planes == 0) {
        check_moved(plan, f, twice, want, u, bytes, name);
    }
    write_f(plan, f, n[0] * n[1] * harness_element_bytes(precision));
    solve_slabs(plan, u);
    CHECK(without_gap(plan, &events) == 0, "%s: f in main memory, and no gap", name);
    CHECK(memcmp(u, want, bytes) == 0, "%s: another u, of f in main memory", name);
    for (int m = 0; m < SOLVES; ++m) {
        CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    }
    for (int m = 0; m < SOLVES; ++m) {
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_time(plan, name);
    }
    CHECK_STATUS(psg_slabs_get(plan, u), PSG_OK);
    CHECK(memcmp(u, want, bytes) == 0, "%s: another u, of solves in flight", name);
}

int main(void) {
    static const size_t grids[][3] = {{64, 64, 64}, {33, 20, 34}, {256, 256, 200}};
    for (size_t n = 0; n < HARNESS_VARIANTS; ++n) {
        for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
            check_grid(grids[g], PSG_F64, &harness_variants[n], 0);
            check_grid(grids[g], PSG_F32, &harness_variants[n], 0);
            check_grid(grids[g], PSG_F64, &harness_variants[n], (grids[g][2] + 2) / 3);
        }
    }
    CHECK(moved > 0, "slabs stayed where they were, on all grids");
    return check_result();
}
