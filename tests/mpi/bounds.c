/* Over several processes the dependencies are those of each process' own tasks and messages: a
 * sheet needs every segment, its own process' or by a message; and no process' bounds are longer
 * than its solve. */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdint.h>
#include <stdlib.h>

static const oracle_grid boxes[] = {
    {{10, 9, 13}, {1.0, 1.0, 1.0}}, {{7, 3, 5}, {1.0, 1.0, 1.0}}, {{1, 8, 2}, {1.0, 1.0, 1.0}}};

static MPI_Comm world;
static int size, rank;

/** Of how many segments (or sheets) does an event need a task, and of how many a message? */
static void count_needs(const harness_graph *g, size_t segments, size_t after, size_t *tasks,
                        size_t *messages, size_t *alltoalls) {
    char *seen = calloc(segments + 1, 1);
    *tasks = *messages = *alltoalls = 0;
    for (size_t e = 0; e < g->edges; ++e) {
        const psg_event *before = &g->event[g->edge[e].before];
        if (g->edge[e].after != after) {
            continue;
        }
        *tasks += before->worker >= 0;
        *alltoalls += before->worker < 0 && before->rank < 0;
        if (before->rank >= 0) {
            CHECK(before->received == 1, "a task needs a message that went away");
            *messages += !seen[before->segment]; /* of a segment one, or several bundles back */
            seen[before->segment] = 1;
        }
    }
    free(seen);
}

static void check_graph(const psg_plan *plan, psg_exchange exchange) {
    AT_END(harness_graph_free) harness_graph g = harness_graph_of(psg_plan_work(plan));
    const size_t segments = harness_statistics(plan).segments;
    size_t own = 0, own_sheets = 0;
    CHECK_STATUS(psg_plan_segments(plan, &own, &own_sheets), PSG_OK);
    const size_t others = segments - own;
    CHECK(harness_graph_in_time(&g), "a task starts before what it needs has ended");
    for (size_t m = 0; m < g.events; ++m) {
        const psg_event *e = &g.event[m];
        size_t tasks, messages, alltoalls;
        count_needs(&g, segments, m, &tasks, &messages, &alltoalls);
        if (e->stage == PSG_STAGE_KSPACE ||
            (e->stage == PSG_STAGE_UNPACK && e->sheet != SIZE_MAX)) {
            CHECK(tasks == own, "%s p%zu needs %zu tasks of %zu", psg_stage_name(e->stage),
                  e->sheet, tasks, own);
            CHECK(messages == (exchange == PSG_EXCHANGE_ALLTOALL ? 0 : others),
                  "%s p%zu has messages of %zu segments, of %zu", psg_stage_name(e->stage),
                  e->sheet, messages, others);
            CHECK((alltoalls > 0) == (exchange == PSG_EXCHANGE_ALLTOALL && others > 0),
                  "%zu alltoalls", alltoalls);
        }
        if (e->rank >= 0) {
            CHECK(messages == 0 && (tasks > 0) == !e->received, "a message needs %zu tasks", tasks);
        }
    }
}

static void check_bounds(const psg_plan *plan) {
    const psg_statistics s = harness_statistics(plan);
    psg_bounds b;
    if (!CHECK_STATUS(psg_plan_bounds(plan, &b), PSG_OK)) {
        return;
    }
    for (int bound = 0; bound < PSG_BOUND_COUNT; ++bound) {
        CHECK(b.bound[bound] >= 0 && b.bound[bound] <= s.seconds + 1e-6,
              "a solve of %g s cannot be shorter than %g by its %s", s.seconds, b.bound[bound],
              psg_bound_name((psg_bound)bound));
    }
    CHECK(b.link_bytes[PSG_LINK_MESSAGE] == (double)s.link[PSG_LINK_MESSAGE].bytes,
          "%g bytes by messages, %llu sent", b.link_bytes[PSG_LINK_MESSAGE],
          (unsigned long long)s.link[PSG_LINK_MESSAGE].bytes);
    CHECK((b.link_seconds[PSG_LINK_MESSAGE] > 0) == (s.link[PSG_LINK_MESSAGE].bytes > 0),
          "%g seconds", b.link_seconds[PSG_LINK_MESSAGE]);
}

static void one_plan(const oracle_grid *box, psg_exchange exchange, const harness_variant *variant,
                     size_t sheets) {
    AT_END(share_free) share own = share_make(world, PSG_F64, box, 0);
    FREED double *f = oracle_array(box->n[0] * box->n[1] * box->n[2]);
    const psg_grid grid = harness_grid(box);
    psg_options options = ranks_options(PSG_F64, &world);
    ranks_at("%s, %s, %zu sheets", ranks_exchange_name(exchange), variant->name, sheets);
    f[0] = 1;
    share_take(&own, f);
    harness_set_variant(&options, variant);
    options.exchange = exchange;
    options.segment_planes = 2;
    options.sheets = sheets;
    options.record = 1;
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    for (int n = 0; n < 2; ++n) {
        CHECK_STATUS(psg_solve(plan, own.f, own.u), PSG_OK);
        check_graph(plan, size > 1 ? exchange : PSG_EXCHANGE_MANAGED);
        check_bounds(plan);
    }
}

/** Where one process does not record, none has bounds, and none waits for another. */
static void only_some_record(void) {
    AT_END(share_free) share own = share_make(world, PSG_F64, &boxes[0], 0);
    const psg_grid grid = harness_grid(&boxes[0]);
    psg_options options = ranks_options(PSG_F64, &world);
    psg_bounds b;
    ranks_at("the last process does not record");
    options.record = rank != size - 1;
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(psg_plan_bounds(plan, &b), PSG_ERR_STATE);
    CHECK_STATUS(psg_solve(plan, own.f, own.u), PSG_OK);
    CHECK_STATUS(psg_plan_bounds(plan, &b), PSG_ERR_STATE);
    CHECK_STATUS(psg_plan_bounds(plan, rank == 0 ? NULL : &b), PSG_ERR_ARG);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    size = ranks_size(world);
    rank = ranks_rank(world);
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; ++b) {
        for (int exchange = 0; exchange < RANKS_EXCHANGES; ++exchange) {
            for (int variant = 0; variant < 2; ++variant) {
                for (size_t sheets = 1; sheets <= 9; sheets += 8) {
                    one_plan(&boxes[b], ranks_exchange((size_t)exchange),
                             &harness_variants[variant], sheets);
                }
            }
        }
    }
    only_some_record();
    return ranks_finish(check_result());
}
