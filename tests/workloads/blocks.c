/* What blocks are coupled with is what a sum over all charges in f64 says, for every tile, order,
 * barrier, place, policy and number of workers. A projection comes after its pair and its two
 * diagonals, with a barrier each pair after all diagonals. Tasks are submitted in the order that
 * was asked for, and placed tasks run where chunks put them. The environment's PSG_TEST_GPUS and
 * PSG_TEST_CPUS choose GPUs. */
#include "tests/workloads/runs.h"

#include <stdint.h>

enum { BLOCKS = 5, TASKS = BLOCKS * (2 * BLOCKS - 1), PAIRS = BLOCKS * (BLOCKS - 1) };
static const char name[] = "blocks:13+29+40+1+37";
static const unsigned cells[BLOCKS] = {13, 29, 40, 1, 37};

/* ------------------------------------------------------------------------- the known answer */

static unsigned width(unsigned n) {
    unsigned w = 1;
    while (w * w < n) {
        ++w;
    }
    return w;
}

/** Points of the diagonal task are 155.7 sqrt(n). */
static unsigned points_of(int k, int l) {
    return k == l ? (unsigned)ceil(155.7 * sqrt(cells[k])) : cells[k];
}

static double potential(int k, int l, unsigned fine) {
    const unsigned over = width(cells[k]);
    const unsigned of = width(cells[l]);
    const unsigned points = points_of(k, l);
    double sum = 0;
    for (unsigned p = 0; p < points; ++p) {
        const unsigned cell = p % cells[k];
        const double z = 16 * (k - l) + (1 + p / cells[k]) / 2.0;
        for (unsigned c = 0; c < cells[l]; ++c) {
            for (unsigned q = 0; q < fine * fine; ++q) {
                const double x = (double)(cell % over) - (c % of) - (q % fine + 0.5) / fine + 0.5;
                const double y = (double)(cell / over) - (c / of) - (q / fine + 0.5) / fine + 0.5;
                sum += 1 / sqrt(x * x + y * y + z * z);
            }
        }
    }
    return sum / points / cells[l] / fine / fine;
}

static void find_answer(unsigned fine, double answer[BLOCKS]) {
    for (int k = 0; k < BLOCKS; ++k) {
        answer[k] = 0;
        for (int l = 0; l < BLOCKS; ++l) {
            answer[k] += k == l ? 0
                                : potential(k, l, fine) /
                                      sqrt(potential(k, k, fine) * potential(l, l, fine));
        }
    }
}

static void check_answer(workload *work, const double known[BLOCKS]) {
    workload_answer a[BLOCKS];
    const size_t count = runs_answer(work, a, BLOCKS);
    CHECK(count == BLOCKS, "%zu numbers", count);
    for (size_t k = 0; k < count; ++k) {
        CHECK_NEAR(a[k].value, known[k], 1e-6 * known[k], "%s of %s", a[k].name,
                   workload_about(work));
        CHECK_NEAR(a[k].expected, known[k], 1e-12 * known[k], "what %s is checked against",
                   a[k].name);
    }
}

/* -------------------------------------------------------------------------------- the graph */

static int is_kind(const psg_event *event, const char *kind) {
    return strcmp(psg_stage_name(event->stage), kind) == 0;
}

static size_t other_of(const psg_event *event) {
    return is_kind(event, "blocks_diagonal") ? event->segment : event->sheet;
}

static void check_edges(const harness_graph *g, int barrier) {
    const size_t wanted = 3 * (size_t)PAIRS + (barrier ? (size_t)PAIRS * BLOCKS : 0);
    CHECK(g->events == TASKS && g->edges == wanted, "%zu tasks, %zu edges", g->events, g->edges);
    CHECK(harness_graph_in_time(g), "a task begins too early");
    for (size_t m = 0; m < g->edges; ++m) {
        const psg_event *from = &g->event[g->edge[m].before], *to = &g->event[g->edge[m].after];
        const int own = is_kind(from, "blocks_diagonal") &&
                        (from->segment == to->segment || from->segment == to->sheet);
        const int pair = is_kind(from, "blocks_pair") && from->segment == to->segment &&
                         from->sheet == to->sheet;
        CHECK(is_kind(to, "blocks_project")
                  ? own || pair
                  : barrier && is_kind(to, "blocks_pair") && is_kind(from, "blocks_diagonal"),
              "%s %zu,%zu follows %s %zu", psg_stage_name(to->stage), to->segment, to->sheet,
              psg_stage_name(from->stage), from->segment);
    }
}

/** On one core, which takes tasks as they come: sums in the order of their terms. */
static void check_order(const harness_graph *g, int barrier) {
    double latest[2] = {INFINITY, INFINITY};
    size_t seen = 0;
    for (size_t m = 0; m < g->events; ++m) {
        const psg_event *event = &g->event[m];
        const size_t k = event->segment;
        if (!is_kind(event, "blocks_project")) {
            const int pair = barrier && is_kind(event, "blocks_pair");
            const double terms =
                (double)points_of((int)k, (int)other_of(event)) * cells[other_of(event)];
            CHECK(terms <= latest[pair], "%s %zu,%zu comes late", psg_stage_name(event->stage), k,
                  event->sheet);
            latest[pair] = terms;
            ++seen;
        }
    }
    CHECK(seen == (size_t)BLOCKS * BLOCKS, "%zu sums", seen);
}

/** Of workers that have chunks of so many tasks, by the place of a task in its list. */
static void check_place(const harness_graph *g, const int diagonal[BLOCKS], const int pair[PAIRS]) {
    for (size_t m = 0; m < g->events; ++m) {
        const psg_event *event = &g->event[m];
        const size_t k = event->segment;
        const size_t l = other_of(event);
        const size_t at = k * (BLOCKS - 1) + l - (l > k);
        const int chunk = is_kind(event, "blocks_diagonal") ? diagonal[k] : pair[at];
        CHECK(event->worker == chunk, "%s %zu,%zu ran on worker %d, not %d",
              psg_stage_name(event->stage), k, l, event->worker, chunk);
    }
}

/* ------------------------------------------------------------------------------ the programs */

/** Twice: the second run overwrites what the first one found. @return its graph */
static harness_graph run(const psg_options *options, const workload_options *how) {
    double known[BLOCKS];
    RUNS workload *work = runs_make(name, how, options);
    find_answer(how->tile > 0 ? (unsigned)how->tile : 4, known);
    for (int m = 0; m < 2; ++m) {
        check_answer(work, known);
    }
    harness_graph g = harness_graph_of(workload_work(work));
    check_edges(&g, how->barrier);
    return g;
}

static void answers(psg_options options) {
    static const char *const policies[] = {"eager", "lws", "prio", "dmdas", "heteroprio"};
    static const unsigned tiles[] = {1, 3, 7, 0, 4};
    for (int m = 0; m < 5; ++m) {
        const workload_options how = {.tile = tiles[m],
                                      .order = m % 2 == 0 ? WORKLOAD_LISTED : WORKLOAD_LONGEST,
                                      .priority = m < 3 ? WORKLOAD_EQUAL : WORKLOAD_PATH,
                                      .barrier = m == 1 || m == 2,
                                      .place = (workload_place)(m % WORKLOAD_PLACES)};
        runs_policy(&options, policies, m);
        AT_END(harness_graph_free) harness_graph g = run(&options, &how);
    }
}

static void orders(psg_options options) {
    options.cpus = 1;
    options.policy = "eager";
    for (int barrier = 0; barrier < 2; ++barrier) {
        const workload_options how = {.tile = 1, .order = WORKLOAD_LONGEST, .barrier = barrier};
        AT_END(harness_graph_free) harness_graph g = run(&options, &how);
        check_order(&g, barrier);
    }
}

/** Three cores. Guided: 20 pairs are 7, 5, 3, 2, 1, 1 and 1. The diagonals are 2, 1, 1 and 1: of 13
 * and 29 cells on worker 0, of 40 on 1, of 1 and 37 on 2. */
static void places(psg_options options) {
    static const int diagonal[2][BLOCKS] = {{0, 0, 1, 1, 2}, {0, 0, 1, 2, 2}};
    static const int pair[2][PAIRS] = {
        {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2},
        {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 0}};
    options.cpus = 3;
    for (int guided = 0; guided < 2; ++guided) {
        const workload_options how = {
            .tile = 2, .barrier = 1, .place = guided ? WORKLOAD_GUIDED : WORKLOAD_STATIC};
        AT_END(harness_graph_free) harness_graph g = run(&options, &how);
        check_place(&g, diagonal[guided], pair[guided]);
    }
}

/** Tasks of one kind that differ in size have a time each: no path is shorter than the longest
 * task. */
static void longest(const psg_options *options) {
    RUNS workload *work = runs_make("blocks:4+300", NULL, options);
    psg_bounds bounds;
    double most = 0;
    CHECK_STATUS(workload_run(work), PSG_OK);
    AT_END(harness_graph_free) harness_graph g = harness_graph_of(workload_work(work));
    CHECK_STATUS(psg_work_bounds(workload_work(work), &bounds), PSG_OK);
    CHECK(g.events == 6, "%zu tasks", g.events);
    for (size_t m = 0; m < g.events; ++m) {
        most = fmax(most, g.event[m].end - g.event[m].start);
    }
    CHECK(bounds.bound[PSG_BOUND_PATH] >= 0.999 * most, "a path of %g s, and a task of %g s",
          bounds.bound[PSG_BOUND_PATH], most);
}

int main(void) {
    psg_options options = harness_with(PSG_F64, "record=yes");
    answers(options);
    longest(&options);
    if (options.gpus == 0) {
        orders(options);
        places(options);
    }
    return check_result();
}
