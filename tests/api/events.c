/* The events of a solve are its tasks, once each, in the order of their ends, no two of a worker at the
 * same time, within the solve, and their times are those of the statistics. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NX 10
#define NY 9
#define NZ 13
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

/** Is the event about a part that there is, of the kind that its stage works on? */
static void check_part(const psg_event *e, const psg_statistics *s) {
    const char *name = psg_stage_name(e->stage);
    const int both = e->stage == PSG_STAGE_PACK || e->stage == PSG_STAGE_UNPACK;
    const int along_z = e->stage == PSG_STAGE_FFT_Z || e->stage == PSG_STAGE_DIVIDE ||
                        e->stage == PSG_STAGE_IFFT_Z || e->stage == PSG_STAGE_KSPACE;
    CHECK((e->segment == SIZE_MAX) != (e->sheet == SIZE_MAX), "%s: segment %zu, sheet %zu", name,
          e->segment, e->sheet);
    CHECK(both || (e->sheet != SIZE_MAX) == along_z, "%s: segment %zu, sheet %zu", name, e->segment,
          e->sheet);
    CHECK(e->segment == SIZE_MAX || e->segment < s->segments, "%s: segment %zu", name, e->segment);
    CHECK(e->sheet == SIZE_MAX || e->sheet < s->sheets, "%s: sheet %zu", name, e->sheet);
    CHECK(e->rank == -1 && e->received == 0, "%s: a message in one process", name);
}

static void check_events(const psg_event *e, size_t count, const psg_statistics *s) {
    double seconds[PSG_STAGE_COUNT] = {0}, busy_until[64] = {0};
    size_t tasks[PSG_STAGE_COUNT] = {0};
    for (size_t m = 0; m < count; ++m) {
        const char *name = psg_stage_name(e[m].stage);
        if (!CHECK(name != NULL && e[m].worker >= 0 && (size_t)e[m].worker < s->workers,
                   "event %zu: stage %d on worker %d", m, (int)e[m].stage, e[m].worker)) {
            return;
        }
        check_part(&e[m], s);
        /* a microsecond: the clocks' own steps */
        CHECK(e[m].start >= -1e-6 && e[m].end >= e[m].start && e[m].end <= s->seconds + 1e-6,
              "%s from %g to %g in a solve of %g s", name, e[m].start, e[m].end, s->seconds);
        CHECK(e[m].start >= busy_until[e[m].worker] - 1e-6, "%s at %g on a worker busy until %g",
              name, e[m].start, busy_until[e[m].worker]);
        busy_until[e[m].worker] = e[m].end;
        seconds[e[m].stage] += e[m].end - e[m].start;
        tasks[e[m].stage]++;
    }
    for (int stage = 0; stage < PSG_STAGE_COUNT; ++stage) {
        CHECK(tasks[stage] == s->stage[stage].tasks, "%s: %zu events of %llu tasks",
              psg_stage_name((psg_stage)stage), tasks[stage],
              (unsigned long long)s->stage[stage].tasks);
        CHECK(fabs(seconds[stage] - s->stage[stage].seconds) <= 1e-9 * (double)(tasks[stage] + 1),
              "%s: events of %.9f s, statistics of %.9f s", psg_stage_name((psg_stage)stage),
              seconds[stage], s->stage[stage].seconds);
    }
}

static void solve_and_check(psg_plan *plan, const void *f, void *u) {
    psg_statistics s;
    psg_event some[3];
    size_t count = 0, again = 0;
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    CHECK_STATUS(psg_plan_events(plan, NULL, 0, &count), PSG_OK);
    psg_event *events = malloc((count + 1) * sizeof *events);
    if (!events) {
        abort();
    }
    memset(&events[count], 0x5a, sizeof *events);
    const psg_event guard = events[count];
    CHECK_STATUS(psg_plan_events(plan, events, count, &again), PSG_OK);
    CHECK(again == count && memcmp(&guard, &events[count], sizeof guard) == 0, "%zu, then %zu",
          count, again);
    check_events(events, count, &s);
    if (CHECK(count > 3, "%zu events", count)) {
        CHECK_STATUS(psg_plan_events(plan, some, 3, &again), PSG_OK);
        CHECK(again == count && some[2].end == events[2].end, "the first three of %zu", again);
    }
    free(events);
}

int main(void) {
    psg_grid grid = harness_grid(&box);
    FREED void *f = harness_array(PSG_F64, POINTS), *u = harness_array(PSG_F64, POINTS);
    size_t count = 0;
    for (size_t p = 0; p < POINTS; ++p) {
        ((double *)f)[p] = (double)(p % 7) - 3;
    }
    for (size_t n = 0; n < HARNESS_VARIANTS; ++n) {
        psg_options options = harness_options(PSG_F64);
        psg_plan *plan = NULL;
        harness_set_variant(&options, &harness_variants[n]);
        options.segment_planes = 3;
        options.sheets = 4;
        if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
            CHECK_STATUS(psg_plan_events(plan, NULL, 0, &count), PSG_OK);
            CHECK(count == 0, "%zu events before any solve", count);
            CHECK_STATUS(psg_plan_events(plan, NULL, 1, &count), PSG_ERR_ARG);
            CHECK_STATUS(psg_plan_events(plan, NULL, 0, NULL), PSG_ERR_ARG);
            CHECK_STATUS(psg_plan_copies(plan, NULL, 1, &count), PSG_ERR_ARG);
            CHECK_STATUS(psg_plan_copies(plan, NULL, 0, NULL), PSG_ERR_ARG);
            for (int solve = 0; solve < 3; ++solve) {
                solve_and_check(plan, f, u);
                CHECK_STATUS(psg_plan_copies(plan, NULL, 0, &count), PSG_OK);
                CHECK(options.gpus != 0 || count == 0, "%zu copies without a GPU", count);
            }
            psg_plan_destroy(plan);
        }
    }
    CHECK_STATUS(psg_plan_events(NULL, NULL, 0, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_copies(NULL, NULL, 0, &count), PSG_ERR_ARG);
    return check_result();
}
