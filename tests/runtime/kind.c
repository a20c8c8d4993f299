/* A kind of task that the library does not know: a program registers it, submits tasks of it, and finds them in
 * statistics, events, dependencies and bounds. From inside the library, without a plan. */
#include "runtime/history.h"
#include "runtime/runs.h"
#include "runtime/task.h"
#include "tests/check.h"

#include <starpu.h>
#include <stdlib.h>

enum { PARTS = 4, ROUNDS = 3, POINTS = 1 << 14 };

/** The owner of the engine. */
typedef struct rain {
    double cell[PARTS][POINTS];
    starpu_data_handle_t part[PARTS];
} rain;

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    (void)owner;
    (void)label;
    shape->n[0] = POINTS;
    shape->n[1] = shape->n[2] = PARTS;
    shape->count = 1;
    shape->pieces = 2;
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    (void)owner;
    (void)label;
    return (psg_traffic){2.0 * POINTS * sizeof(double), 1.0 * POINTS * sizeof(double)};
}

static const psg_kind drop = {.name = "drop", .shape = shape, .traffic = traffic};

/** Half of the part above comes down. */
static void drop_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    double *here = psg_task_pointer(buffers, 0);
    const double *above = psg_task_pointer(buffers, 1);
    for (size_t m = 0; m < POINTS && !psg_run_failed(args->run); ++m) {
        here[m] += 0.5 * above[m];
    }
}

PSG_CODELET(drop);

static void submit(psg_run *run, const rain *r, int kind, size_t p, size_t round) {
    const psg_task_args args = {.run = run, .label = {kind, {p, round, PSG_NO_INDEX}}};
    struct starpu_task *task = psg_task_create(drop_codelet, &args, 2);
    if (CHECK(task != NULL, "no task")) {
        psg_task_use(task, 0, r->part[p], STARPU_RW);
        psg_task_use(task, 1, r->part[p - 1], STARPU_R);
        psg_task_submit(run, task);
    }
}

static void check_u(const rain *r) {
    double want[PARTS] = {1, 1, 1, 1};
    for (int round = 0; round < ROUNDS; ++round) {
        for (int p = PARTS - 1; p > 0; --p) {
            want[p] += 0.5 * want[p - 1];
        }
    }
    for (int p = 0; p < PARTS; ++p) {
        CHECK_NEAR(r->cell[p][POINTS - 1], want[p], 1e-12, "part %d", p);
    }
}

/** Each task once, with its label; and after those that it needed. */
static void check_events(const psg_history *h, int kind) {
    int seen[PARTS][ROUNDS] = {{0}};
    psg_edge *edges = NULL;
    size_t count = 0;
    CHECK(h->events.count == (PARTS - 1) * ROUNDS, "%zu events", h->events.count);
    for (size_t m = 0; m < h->events.count; ++m) {
        const psg_run_event *e = &h->events.event[m];
        CHECK(e->label.kind == kind && psg_kind_at(e->label.kind) == &drop, "kind %d",
              e->label.kind);
        CHECK(e->worker >= 0 && e->rank < 0 && e->end >= e->start && e->end <= h->seconds * 1.001,
              "an event on worker %d from %g to %g of %g s", e->worker, e->start, e->end,
              h->seconds);
        CHECK(e->shape.n[0] == POINTS && e->shape.pieces == 2, "the shape of another kind");
        if (CHECK(e->label.index[0] < PARTS && e->label.index[1] < ROUNDS, "a label")) {
            seen[e->label.index[0]][e->label.index[1]]++;
        }
    }
    for (int p = 1; p < PARTS; ++p) {
        for (int round = 0; round < ROUNDS; ++round) {
            CHECK(seen[p][round] == 1, "part %d, round %d: %d events", p, round, seen[p][round]);
        }
    }
    CHECK(psg_history_edges(h, &edges, &count), "no edges");
    /* A task reads its own part, written in the round before, and the part above. The top part is never written. */
    CHECK(count == (ROUNDS - 1) * ((PARTS - 1) + (PARTS - 2)), "%zu edges", count);
    for (size_t m = 0; m < count; ++m) {
        const psg_run_event *before = &h->events.event[edges[m].before];
        const psg_run_event *after = &h->events.event[edges[m].after];
        CHECK(before->label.index[1] + 1 == after->label.index[1] &&
                  before->end <= after->start + 1e-9,
              "round %zu at %g after round %zu until %g", after->label.index[1], after->start,
              before->label.index[1], before->end);
    }
    free(edges);
}

/** What adds to data comes after who wrote them, and not after others that add; who reads them comes after all of these. */
static void check_adders(void) {
    enum { TASKS = 10, EDGES = 12 };
    static const unsigned how[TASKS] = {PSG_USE_WRITES,
                                        PSG_USE_ADDS,
                                        PSG_USE_ADDS,
                                        PSG_USE_READS,
                                        PSG_USE_READS,
                                        PSG_USE_ADDS,
                                        PSG_USE_READS | PSG_USE_WRITES,
                                        PSG_USE_ADDS,
                                        PSG_USE_WRITES,
                                        PSG_USE_READS};
    static const size_t want[EDGES][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {1, 4}, {2, 4},
                                          {0, 5}, {1, 6}, {2, 6}, {5, 6}, {6, 7}, {8, 9}};
    psg_run_event event[TASKS];
    psg_history history = {.events = {.event = event, .count = TASKS}};
    psg_edge *edges = NULL;
    size_t count = 0;
    for (size_t m = 0; m < TASKS; ++m) {
        event[m] = (psg_run_event){.number = psg_record_add(&history.events.record)};
        psg_record_use_data(&history.events.record, &history, how[m]);
        psg_record_use_data(&history.events.record, &event[m], 0);
    }
    CHECK(psg_history_edges(&history, &edges, &count) && count == EDGES, "%zu edges", count);
    for (size_t k = 0; k < EDGES; ++k) {
        size_t found = 0;
        for (size_t m = 0; m < count; ++m) {
            found += edges[m].before == want[k][0] && edges[m].after == want[k][1];
        }
        CHECK(found == 1, "task %zu after task %zu: %zu edges", want[k][1], want[k][0], found);
    }
    free(edges);
    psg_record_free(&history.events.record);
}

static void check_statistics(const psg_history *h, const psg_engine *engine, int kind) {
    psg_run_cell sum = {0};
    for (size_t w = 0; w < engine->workers; ++w) {
        for (size_t k = 0; k < engine->kinds; ++k) {
            const psg_run_cell *cell = &h->cell[w * engine->kinds + k];
            CHECK((int)k == kind || cell->tasks == 0, "tasks of kind %zu", k);
            sum.tasks += cell->tasks;
            sum.seconds += cell->seconds;
        }
    }
    CHECK(sum.tasks == (PARTS - 1) * ROUNDS, "%d tasks", (int)sum.tasks);
    CHECK_NEAR(sum.seconds, psg_history_work(h), 1e-9, "the work");
}

static void check_bounds(const psg_history *h, const psg_engine *engine) {
    const psg_chain_rule all = {.owner = NULL};
    const double each = 2.0 * POINTS * sizeof(double);
    const double tasks = (PARTS - 1) * ROUNDS;
    psg_edge *edges = NULL;
    size_t count = 0;
    double chain = 0;
    double shortest = h->seconds;
    for (size_t m = 0; m < h->events.count; ++m) {
        const double took = h->events.event[m].end - h->events.event[m].start;
        shortest = took < shortest ? took : shortest;
    }
    CHECK(psg_history_edges(h, &edges, &count) && psg_history_chain(h, edges, count, &all, &chain),
          "no chain");
    CHECK_NEAR(chain, ROUNDS * shortest, 1e-12, "the chain of one task a round");
    CHECK(chain <= h->seconds, "a chain of %g s in a run of %g", chain, h->seconds);
    CHECK_NEAR(psg_history_traffic(h, engine, 0), 1.5 * each * tasks, 1e-6, "the traffic");
    CHECK_NEAR(psg_history_traffic(h, engine, each), (1.5 * tasks - 2) * each, 1e-6,
               "the traffic with caches");
    free(edges);
}

int main(void) {
    struct starpu_conf conf;
    static rain r;
    psg_history history = {.cell = NULL};
    const int kind = psg_kind_register(&drop);
    CHECK(kind >= 0 && psg_kind_find("drop") == kind && psg_kind_find("hail") < 0, "kind %d", kind);
    check_adders();
    starpu_conf_init(&conf);
    conf.ncpus = 2;
    conf.ncuda = 0;
    if (!CHECK(starpu_init(&conf) == 0, "StarPU does not start")) {
        return check_result();
    }
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    const psg_engine engine = {.owner = &r,
                               .where = STARPU_CPU,
                               .workers = starpu_worker_get_count(),
                               .kinds = psg_kind_count(),
                               .record = true,
                               .task_data = 2,
                               .slots = 1};
    for (int p = 0; p < PARTS; ++p) {
        for (int m = 0; m < POINTS; ++m) {
            r.cell[p][m] = 1;
        }
        starpu_block_data_register(&r.part[p], STARPU_MAIN_RAM, (uintptr_t)r.cell[p], POINTS,
                                   POINTS, POINTS, 1, 1, sizeof(double));
    }
    psg_run *run = psg_run_create(&engine);
    if (CHECK(run != NULL && psg_history_open(&history, &engine), "no memory")) {
        psg_run_start(run, 0);
        for (size_t round = 0; round < ROUNDS; ++round) {
            for (size_t p = PARTS - 1; p > 0; --p) {
                submit(run, &r, kind, p, round);
            }
        }
        psg_run_end_task(run); /* the submission itself */
        CHECK(psg_run_wait(run, 0) && !psg_run_failed(run), "the run failed: %s", run->words);
        psg_history_take(&history, run);
        check_events(&history, kind);
        check_statistics(&history, &engine, kind);
        check_bounds(&history, &engine);
    }
    for (int p = 0; p < PARTS; ++p) {
        starpu_data_unregister(r.part[p]);
    }
    check_u(&r);
    psg_run_destroy(run);
    psg_history_close(&history);
    starpu_shutdown();
    return check_result();
}
