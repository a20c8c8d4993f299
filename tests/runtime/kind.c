/* The shortest program with tasks of its own: it registers a kind, submits tasks of it, and finds
 * them in statistics, events, dependencies and bounds. It has the public headers and libpsg alone.
 */
#include "graph/psg_task.h"
#include "tests/check.h"

#include <starpu.h> /* for STARPU_R and so on */
#include <stdlib.h>
#include <string.h>

enum { PARTS = 4, ROUNDS = 3, POINTS = 1 << 14, TASKS = (PARTS - 1) * ROUNDS };

/** The owner of the engine. */
typedef struct rain {
    double cell[PARTS][POINTS];
    psg_data part[PARTS];
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

/** Half of the part above comes down. */
static void fall(const psg_task *task) {
    double *here = psg_task_memory(task, 0);
    const double *above = psg_task_memory(task, 1);
    for (size_t m = 0; m < POINTS; ++m) {
        here[m] += 0.5 * above[m];
    }
}

static void nothing(const psg_task *task) {
    (void)task;
}

static const psg_kind drop = {.name = "drop", .core = fall, .shape = shape, .traffic = traffic};
static const psg_kind touch = {.name = "touch", .core = nothing, .shape = shape};
enum { DROP, TOUCH, KINDS };

static void submit(psg_run *run, const rain *r, int kind) {
    for (size_t round = 0; round < ROUNDS; ++round) {
        for (size_t p = PARTS - 1; p > 0; --p) {
            const psg_label label = {kind, {p, round, PSG_NO_INDEX}};
            const psg_task_data data[] = {{&r->part[p], 1, 1, STARPU_RW},
                                          {&r->part[p - 1], 1, 1, STARPU_R}};
            psg_run_submit(run, label, data, 2);
        }
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
        const double *cell = psg_data_acquire(r->part[p], false);
        if (CHECK(cell != NULL, "part %d cannot be had", p)) {
            CHECK_NEAR(cell[POINTS - 1], want[p], 1e-12, "part %d", p);
            psg_data_release(r->part[p]);
        }
    }
}

/** Each task once, with its label; and after those that it needed. */
static void check_events(const psg_work *work, int kind, double seconds, double *chain) {
    int seen[PARTS][ROUNDS] = {{0}};
    psg_event event[TASKS];
    psg_dependency edge[4 * TASKS];
    size_t count = 0;
    *chain = ROUNDS * seconds;
    CHECK_STATUS(psg_work_events(work, event, TASKS, &count), PSG_OK);
    CHECK(count == TASKS, "%zu events", count);
    for (size_t m = 0; m < count && m < TASKS; ++m) {
        const psg_event *e = &event[m];
        const double took = e->end - e->start;
        CHECK((int)e->stage == kind && strcmp(psg_stage_name(e->stage), "drop") == 0, "kind %d",
              (int)e->stage);
        CHECK(e->worker >= 0 && e->rank < 0 && took >= 0 && e->end <= seconds * 1.001,
              "an event on worker %d from %g to %g of %g s", e->worker, e->start, e->end, seconds);
        CHECK(e->pieces == 2, "the shape of another kind");
        if (CHECK(e->segment < PARTS && e->sheet < ROUNDS, "a label")) {
            seen[e->segment][e->sheet]++;
        }
        *chain = took * ROUNDS < *chain ? took * ROUNDS : *chain;
    }
    for (int p = 1; p < PARTS; ++p) {
        for (int round = 0; round < ROUNDS; ++round) {
            CHECK(seen[p][round] == 1, "part %d, round %d: %d events", p, round, seen[p][round]);
        }
    }
    CHECK_STATUS(psg_work_dependencies(work, edge, 4 * TASKS, &count), PSG_OK);
    /* A task reads its own part, written in the round before, and the part above. The top part is
     * never written. */
    CHECK(count == (ROUNDS - 1) * ((PARTS - 1) + (PARTS - 2)), "%zu edges", count);
    for (size_t m = 0; m < count && m < 4 * TASKS; ++m) {
        const psg_event *before = &event[edge[m].before], *after = &event[edge[m].after];
        CHECK(before->sheet + 1 == after->sheet && before->end <= after->start + 1e-9,
              "round %zu at %g after round %zu until %g", after->sheet, after->start, before->sheet,
              before->end);
    }
}

static void check_tasks(const psg_work *work, int kind) {
    psg_kind_tasks tasks[KINDS];
    psg_run_statistics s;
    psg_bounds b;
    size_t count = 0;
    double chain = 0;
    CHECK_STATUS(psg_work_statistics(work, &s), PSG_OK);
    CHECK_STATUS(psg_work_tasks(work, tasks, KINDS, &count), PSG_OK);
    CHECK(count == 1 && (int)tasks[0].stage == kind && tasks[0].tasks[0] == TASKS,
          "%zu kinds, %d tasks", count, (int)tasks[0].tasks[0]);
    check_events(work, kind, s.seconds, &chain);
    CHECK_STATUS(psg_work_bounds(work, &b), PSG_OK);
    CHECK_NEAR(b.bound[PSG_BOUND_PATH], chain, 1e-12, "the chain of one task a round");
    CHECK(b.seconds <= s.seconds, "a bound of %g s in a run of %g", b.seconds, s.seconds);
    CHECK_NEAR(b.bound[PSG_BOUND_WORK] * (double)s.workers, TASKS * chain / ROUNDS, 1e-9,
               "the work of tasks that are alike, each as short as the shortest");
    /* Caches may hold what is read, but for the first time. */
    CHECK(b.memory_bytes <= 3.0 * POINTS * sizeof(double) * TASKS, "%g bytes", b.memory_bytes);
}

/** What adds to data comes after who wrote them, and not after others that add; who reads them
 * comes after all of these. */
static void check_adders(psg_work *work, const rain *r, int kind) {
    enum { ADDERS = 10, EDGES = 12 };
    static const int mode[ADDERS] = {STARPU_W,
                                     STARPU_RW | STARPU_COMMUTE,
                                     STARPU_RW | STARPU_COMMUTE,
                                     STARPU_R,
                                     STARPU_R,
                                     STARPU_RW | STARPU_COMMUTE,
                                     STARPU_RW,
                                     STARPU_RW | STARPU_COMMUTE,
                                     STARPU_W,
                                     STARPU_R};
    static const size_t want[EDGES][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {1, 4}, {2, 4},
                                          {0, 5}, {1, 6}, {2, 6}, {5, 6}, {6, 7}, {8, 9}};
    psg_event event[ADDERS];
    psg_dependency edge[2 * EDGES];
    size_t count = 0;
    psg_run *run = psg_engine_start(work);
    for (size_t m = 0; m < ADDERS; ++m) {
        const psg_task_data data = {&r->part[0], 1, 1, mode[m]};
        psg_run_submit(run, (psg_label){kind, {m, PSG_NO_INDEX, PSG_NO_INDEX}}, &data, 1);
    }
    CHECK_STATUS(psg_engine_wait(work), PSG_OK);
    CHECK_STATUS(psg_work_events(work, event, ADDERS, &count), PSG_OK);
    CHECK(count == ADDERS, "%zu events", count);
    CHECK_STATUS(psg_work_dependencies(work, edge, 2 * EDGES, &count), PSG_OK);
    CHECK(count == EDGES, "%zu edges", count);
    for (size_t k = 0; k < EDGES; ++k) {
        size_t found = 0;
        for (size_t m = 0; m < count && m < 2 * EDGES; ++m) {
            found += event[edge[m].before].segment == want[k][0] &&
                     event[edge[m].after].segment == want[k][1];
        }
        CHECK(found == 1, "task %zu after task %zu: %zu edges", want[k][1], want[k][0], found);
    }
}

static void check_refusals(const int kind[KINDS], psg_options options) {
    const int none = -1;
    psg_engine_args args = {.name = "rain", .kinds = &none, .kind_count = 1};
    psg_work *work = NULL;
    CHECK_STATUS(psg_engine_create(&work, &args, &options), PSG_ERR_ARG);
    args.kinds = kind;
    options.nodes = 2;
    CHECK_STATUS(psg_engine_create(&work, &args, &options), PSG_ERR_UNSUPPORTED);
    CHECK(work == NULL, "work after a failure");
    CHECK_STATUS(psg_engine_wait(NULL), PSG_ERR_ARG);
    CHECK(psg_engine_start(NULL) == NULL, "a run of nothing");
}

int main(void) {
    static rain r;
    const size_t n[3] = {POINTS, 1, 1};
    const int kind[KINDS] = {psg_kind_register(&drop), psg_kind_register(&touch)};
    const psg_engine_args args = {.name = "rain", .owner = &r, .kinds = kind, .kind_count = KINDS};
    psg_options options;
    psg_work *work = NULL;
    psg_options_init(&options);
    options.cpus = 2;
    options.gpus = 0;
    options.record = 1;
    CHECK(kind[DROP] >= PSG_STAGE_COUNT && kind[TOUCH] == kind[DROP] + 1, "kind %d", kind[DROP]);
    check_refusals(kind, options);
    if (!CHECK_STATUS(psg_engine_create(&work, &args, &options), PSG_OK)) {
        puts(psg_last_error());
        return check_result();
    }
    for (int p = 0; p < PARTS; ++p) {
        for (int m = 0; m < POINTS; ++m) {
            r.cell[p][m] = 1;
        }
        psg_data_take(&r.part[p], r.cell[p], n, POINTS, POINTS, sizeof(double));
    }
    submit(psg_engine_start(work), &r, kind[DROP]);
    CHECK_STATUS(psg_engine_wait(work), PSG_OK);
    check_tasks(work, kind[DROP]);
    check_u(&r);
    check_adders(work, &r, kind[TOUCH]);
    psg_run_submit(psg_engine_start(work), (psg_label){PSG_KINDS_MOST, {0}}, NULL, 0);
    CHECK_STATUS(psg_engine_wait(work), PSG_ERR_RUNTIME);
    psg_data_free(r.part, PARTS);
    psg_engine_destroy(work);
    return check_result();
}
