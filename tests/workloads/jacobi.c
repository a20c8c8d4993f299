/* jacobi has the bits of one sweep after the other without tiles, for every cut, policy and number
 * of cores, in both precisions. A sweep comes after those of its neighbours in the step before, and
 * with a barrier after all of these. The environment's PSG_TEST_GPUS and PSG_TEST_CPUS choose GPUs,
 * which have the same bits. */
#include "tests/workloads/runs.h"

#include <stdint.h>
#include <stdlib.h>

enum { STEPS = 50 };

/* cos(2 pi/128) and cos(3 pi/128) are what a sweep leaves of the wave along each axis, and 50
 * sweeps leave this. */
static void check_answer(workload *work, const char *name, psg_precision precision) {
    workload_answer a[2];
    const size_t count = runs_answer(work, a, 2);
    CHECK(count == 2 && strcmp(a[0].name, "differing") == 0, "%zu numbers", count);
    CHECK(a[0].value == 0, "%s: %g points differ", workload_about(work), a[0].value);
    if (strcmp(name, "jacobi:129") == 0) {
        CHECK_NEAR(a[1].value, 0.906696002215, precision == PSG_F32 ? 2e-5 : 2e-13, "of %s",
                   workload_about(work));
    }
}

static size_t apart(size_t a, size_t b) {
    return a > b ? a - b : b - a;
}

static void check_graph(const harness_graph *g, size_t tasks) {
    char *own = calloc(g->events + 1, 1);
    CHECK(g->events == tasks, "%zu events, not %zu", g->events, tasks);
    CHECK(harness_graph_in_time(g), "a sweep begins too early");
    for (size_t m = 0; m < g->edges; m++) {
        const psg_event *from = &g->event[g->edge[m].before], *to = &g->event[g->edge[m].after];
        const size_t far = apart(from->segment, to->segment) + apart(from->sheet, to->sheet);
        CHECK(from->step < to->step && far <= 1,
              "a sweep in step %zu is after one in step %zu, %zu away", to->step, from->step, far);
        own[g->edge[m].after] |= (char)(far == 0 && from->step + 1 == to->step);
    }
    for (size_t m = 0; m < g->events; m++) {
        CHECK(own[m] || g->event[m].step == 0,
              "a sweep in step %zu does not follow its tile's last", g->event[m].step);
    }
    free(own);
}

static void check_barrier(const harness_graph *g, size_t steps) {
    FREED double *begin = oracle_array(steps), *end = oracle_array(steps);
    for (size_t m = 0; m < g->events; m++) {
        const size_t s = g->event[m].step;
        begin[s] = begin[s] == 0 ? g->event[m].start : fmin(begin[s], g->event[m].start);
        end[s] = fmax(end[s], g->event[m].end);
    }
    for (size_t s = 1; s < steps; s++) {
        CHECK(end[s - 1] <= begin[s] + 1e-6, "step %zu begins at %g, before %g", s, begin[s],
              end[s - 1]);
    }
}

static void one(const psg_options *options, const char *name, size_t tile, size_t tiles,
                size_t steps, int barrier) {
    const workload_options how = {
        .tile = tile, .barrier = barrier, .priority = barrier ? WORKLOAD_PATH : WORKLOAD_EQUAL};
    RUNS workload *work = runs_make(name, &how, options);
    for (int run = 0; run < 2; run++) { /* the second one begins anew */
        check_answer(work, name, options->precision);
    }
    AT_END(harness_graph_free) harness_graph g = harness_graph_of(workload_work(work));
    check_graph(&g, tiles * tiles * steps);
    if (barrier) {
        check_barrier(&g, steps);
    }
}

int main(void) {
    static const char *const policies[] = {"eager", "ws", "dmdas"};
    for (int f32 = 0; f32 < 2; f32++) {
        psg_options options = harness_with(f32 ? PSG_F32 : PSG_F64, "record=yes");
        one(&options, "jacobi:129", 64, 2, STEPS, 0);
        one(&options, "jacobi:129", 127, 1, STEPS, 0);
        one(&options, "jacobi:129", 30, 5, STEPS, 1);
        one(&options, "jacobi:3", 0, 1, STEPS, 0);
        one(&options, "jacobi:5:3", 1, 3, 3, 0);
        one(&options, "jacobi:20:7", 17, 2, 7, 1);
        for (int p = 0; p < 3; p++) {
            runs_policy(&options, policies, p);
            one(&options, "jacobi:129", 50, 3, STEPS, 0);
        }
    }
    return check_result();
}
