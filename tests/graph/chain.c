/* A solve as one task of StarPU's, on a worker that has all of them: its answer is that of the
 * tasks one by one, bit by bit, and so are the tasks that it tells of: how many of each stage, when
 * each ran, and which needed which. From inside the library: plans chain tasks on a GPU alone, so
 * that is set here. */
#include "graph/arrays.h"
#include "graph/executors.h"
#include "graph/pending.h"
#include "graph/plan_struct.h"
#include "graph/psg_starpu.h"
#include "runtime/step_list.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

enum { NX = 12, NY = 10, NZ = 14, FLIGHTS = 3, EVENTS_MAX = 128, NEEDS_MAX = 512 };
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 2.0, 1.5}};

/** What a solve tells of itself. */
typedef struct told {
    psg_statistics statistics;
    psg_event event[EVENTS_MAX];
    size_t events;
    psg_dependency need[NEEDS_MAX];
    size_t needs;
    size_t pieces; /**< of data that StarPU was handed */
} told;

static told before, after;

static void ask(const psg_plan *plan, told *t) {
    memset(t, 0, sizeof *t);
    CHECK_STATUS(psg_plan_statistics(plan, &t->statistics), PSG_OK);
    CHECK_STATUS(psg_plan_events(plan, t->event, EVENTS_MAX, &t->events), PSG_OK);
    CHECK_STATUS(psg_plan_dependencies(plan, t->need, NEEDS_MAX, &t->needs), PSG_OK);
    t->pieces = plan->work.latest.pieces;
    CHECK(t->events > 0 && t->events <= EVENTS_MAX && t->needs > 0 && t->needs <= NEEDS_MAX,
          "%zu events, %zu dependencies", t->events, t->needs);
}

/** By what they are about. */
static int same_task(const psg_event *a, const psg_event *b) {
    return a->stage == b->stage && a->segment == b->segment && a->sheet == b->sheet;
}

static int has_need(const told *t, const psg_event *first, const psg_event *then) {
    for (size_t m = 0; m < t->needs; ++m) {
        if (same_task(&t->event[t->need[m].before], first) &&
            same_task(&t->event[t->need[m].after], then)) {
            return 1;
        }
    }
    return 0;
}

static void check_told(const char *name) {
    const psg_statistics *one = &before.statistics, *all = &after.statistics;
    CHECK(before.events == after.events && before.needs == after.needs,
          "%s: %zu tasks and %zu dependencies one by one, %zu and %zu chained", name, before.events,
          before.needs, after.events, after.needs);
    const size_t gates = one->submit.placed_tasks > 0 ? 2 : 0; /* on cores, between the phases */
    CHECK(one->submit.tasks == before.events + gates && all->submit.tasks == 1,
          "%s: StarPU was handed %zu tasks, then %zu", name, one->submit.tasks, all->submit.tasks);
    CHECK(after.pieces < before.pieces, "%s: %zu pieces of data one by one, %zu chained", name,
          before.pieces, after.pieces);
    for (int m = 0; m < PSG_STAGE_COUNT; ++m) {
        CHECK(one->stage[m].tasks == all->stage[m].tasks, "%s: %zu tasks %s, then %zu", name,
              (size_t)one->stage[m].tasks, psg_stage_name((psg_stage)m),
              (size_t)all->stage[m].tasks);
        CHECK((all->stage[m].tasks > 0) == (all->stage[m].seconds > 0), "%s: %s takes %g s", name,
              psg_stage_name((psg_stage)m), all->stage[m].seconds);
    }
    double at = 0;
    for (size_t m = 0; m < after.events; ++m) {
        const psg_event *e = &after.event[m];
        CHECK(e->start >= at && e->end >= e->start && e->worker == after.event[0].worker,
              "%s: task %zu from %g to %g, after one until %g", name, m, e->start, e->end, at);
        at = e->end;
    }
    CHECK(at <= all->seconds, "%s: the last task ends at %g of %g s", name, at, all->seconds);
    for (size_t m = 0; m < before.needs; ++m) {
        const psg_event *first = &before.event[before.need[m].before];
        const psg_event *then = &before.event[before.need[m].after];
        CHECK(has_need(&after, first, then), "%s: %s no longer needs %s", name,
              psg_stage_name(then->stage), psg_stage_name(first->stage));
    }
}

static psg_plan *create(psg_precision precision, const harness_variant *variant, size_t planes,
                        size_t sheets, int record) {
    const psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(precision);
    psg_plan *plan = NULL;
    harness_set_variant(&options, variant);
    options.gpus = 0;
    options.cpus = 1;
    options.segment_planes = planes;
    options.sheets = sheets;
    options.in_flight = 2;
    options.record = record;
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK(plan->context.engine.chain_steps == 0, "%s: a plan for cores chains tasks",
              variant->name);
        plan->context.engine.chain_steps = psg_task_most(&plan->context);
        plan->route.executor = &psg_executor_chain;
    }
    return plan;
}

/** More solves than there is room for the spectra of, one of which is of a NaN. */
static void check_flights(psg_plan *plan, const void *f, const void *want, void *u, size_t bytes,
                          const char *name) {
    for (int m = 0; m < FLIGHTS; ++m) {
        CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    }
    for (int m = 0; m < FLIGHTS; ++m) {
        CHECK_STATUS(psg_wait(plan), PSG_OK);
    }
    CHECK_STATUS(psg_slabs_get(plan, u), PSG_OK);
    CHECK(memcmp(u, want, bytes) == 0, "%s: another u of solves in flight", name);
    void *bad = malloc(bytes);
    memcpy(bad, f, bytes);
    memset((char *)bad + bytes / 2, 0xff, 8); /* a NaN of either precision */
    CHECK_STATUS(psg_slabs_put(plan, bad), PSG_OK);
    CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_ERR_DATA);
    CHECK_STATUS(psg_slabs_put(plan, f), PSG_OK);
    CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_STATUS(psg_slabs_get(plan, u), PSG_OK);
    CHECK(memcmp(u, want, bytes) == 0, "%s: another u after a NaN", name);
    free(bad);
}

/** Without a record what was gathered once is submitted again, of whatever f, and a workspace's
 *  solves have the same run, also where more are in flight at times. */
static void check_repeats(psg_plan *plan, const void *f[2], void *const want[2], void *u,
                          size_t bytes, const char *name) {
    const psg_run *run[2] = {NULL, NULL};
    for (int m = 0; m < 8; ++m) {
        const int which = m % 2, count = m < 4 ? 2 : 1;
        CHECK_STATUS(psg_slabs_put(plan, f[which]), PSG_OK);
        for (int n = 0; n < count; ++n) {
            CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
        }
        for (const psg_pending *pending = plan->pending.oldest; pending != NULL;
             pending = pending->next) {
            const psg_run **latest = &run[pending->workspace->number];
            CHECK(*latest == NULL || *latest == pending->run, "%s: workspace %zu has another run",
                  name, pending->workspace->number);
            *latest = pending->run;
            const size_t key[2] = {pending->workspace->number, pending->arrays->number};
            const size_t other_workspace[2] = {1 - key[0], key[1]},
                         other_data[2] = {key[0], key[1] + 1};
            CHECK(psg_step_list_repeats(pending->run, key), "%s: would be gathered once more",
                  name);
            CHECK(!psg_step_list_repeats(pending->run, other_workspace) &&
                      !psg_step_list_repeats(pending->run, other_data),
                  "%s: what was gathered for another workspace", name);
        }
        for (int n = 0; n < count; ++n) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
        }
        CHECK_STATUS(psg_slabs_get(plan, u), PSG_OK);
        CHECK(memcmp(u, want[which], bytes) == 0, "%s: another u of what was gathered", name);
    }
    CHECK(run[0] != NULL && run[1] != NULL && run[0] != run[1], "%s: not two workspaces", name);
}

static void solve(psg_plan *plan, const void *f, void *u, told *t) {
    CHECK_STATUS(psg_slabs_put(plan, f), PSG_OK);
    CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_STATUS(psg_slabs_get(plan, u), PSG_OK);
    ask(plan, t);
}

/** Leave u its room and no values: a chain writes it first, and may read it then. */
static void forget_u(psg_plan *plan) {
    for (size_t s = 0; s < plan->context.layout.segments.count; ++s) {
        starpu_data_deinitialize(plan->held.slabs->slabs[PSG_FIELD_U][s]);
    }
}

static void check_variant(psg_precision precision, const harness_variant *variant, size_t planes,
                          size_t sheets) {
    const size_t bytes = POINTS * harness_element_bytes(precision);
    FREED double *values = oracle_array(POINTS);
    FREED void *f = harness_array(precision, POINTS);
    void *u[2] = {harness_array(precision, POINTS), harness_array(precision, POINTS)};
    void *twice = harness_array(precision, POINTS); /* of u[0] */
    char name[96];
    (void)snprintf(name, sizeof name, "%s, %s, %zu planes, %zu sheets", variant->name,
                   harness_precision_name(precision), planes, sheets);
    oracle_random(11, POINTS, values);
    harness_store(precision, POINTS, values, f);
    psg_plan *plan = create(precision, variant, planes, sheets, 1);
    if (plan != NULL) {
        const size_t steps = plan->context.engine.chain_steps;
        plan->context.engine.chain_steps = 0;
        plan->route.executor = &psg_executor_tasks;
        solve(plan, f, u[0], &before); /* one by one */
        plan->context.engine.chain_steps = steps;
        plan->route.executor = &psg_executor_chain;
        forget_u(plan);
        solve(plan, f, u[1], &after);
        CHECK(memcmp(u[0], u[1], bytes) == 0, "%s: another u of chained tasks", name);
        check_told(name);
        solve(plan, f, u[1],
              &after); /* with the same workspace and the same run, and a record of its own */
        check_told(name);
        check_flights(plan, f, u[0], u[1], bytes, name);
    }
    psg_plan_destroy(plan);
    plan = create(precision, variant, planes, sheets, 0);
    if (plan != NULL) {
        const void *both[2] = {f, u[0]};
        void *const want[2] = {u[0], twice};
        CHECK_STATUS(psg_solve(plan, u[0], twice), PSG_OK);
        CHECK_STATUS(psg_slabs_put(plan, f), PSG_OK);
        CHECK_STATUS(psg_submit_slabs(plan), PSG_OK); /* makes room for u */
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_repeats(plan, both, want, u[1], bytes, name);
    }
    psg_plan_destroy(plan);
    free(twice);
    free(u[0]);
    free(u[1]);
}

int main(void) {
    static const size_t cuts[][2] = {{NZ, 1}, {5, 1}, {NZ, 3}, {4, 3}};
    for (size_t n = 0; n < HARNESS_VARIANTS; ++n) {
        for (size_t c = 0; c < sizeof cuts / sizeof *cuts; ++c) {
            check_variant(PSG_F64, &harness_variants[n], cuts[c][0], cuts[c][1]);
            check_variant(PSG_F32, &harness_variants[n], cuts[c][0], cuts[c][1]);
        }
    }
    return check_result();
}
