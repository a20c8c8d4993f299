/* jacobi has the bits of one sweep after the other without tiles, for every cut, policy and number
 * of cores, in both precisions. A sweep comes after those of its neighbours in the step before, and
 * with a barrier after all of these. The environment's PSG_TEST_GPUS and PSG_TEST_CPUS choose GPUs,
 * which have the same bits. */
#include "tests/check.h"
#include "tests/harness.h"
#include "workloads/workload.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 50 };

static void check_answer(const workload *work) {
    workload_answer a[2];
    size_t count = 0;
    CHECK_STATUS(workload_check(work), PSG_OK);
    CHECK_STATUS(workload_answers(work, a, 2, &count), PSG_OK);
    CHECK(count == 2 && strcmp(a[0].name, "differing") == 0, "%zu numbers", count);
    CHECK(a[0].value == 0, "%s: %g points differ", workload_about(work), a[0].value);
}

/* cos(2 pi/128) and cos(3 pi/128) are what a sweep leaves of the wave along each axis, and 50
 * sweeps leave this. */
static void check_wave(const workload *work, psg_precision precision) {
    workload_answer a[2];
    size_t count = 0;
    CHECK_STATUS(workload_answers(work, a, 2, &count), PSG_OK);
    CHECK_NEAR(a[1].value, 0.906696002215, precision == PSG_F32 ? 2e-5 : 2e-13, "of %s",
               workload_about(work));
}

static size_t apart(size_t a, size_t b) {
    return a > b ? a - b : b - a;
}

static void check_graph(const workload *work, size_t tiles, size_t steps) {
    const size_t tasks = tiles * tiles * steps;
    size_t count = 0, edges = 0;
    psg_event *event = calloc(tasks, sizeof *event);
    psg_dependency *edge = calloc(16 * tasks, sizeof *edge);
    char *own = calloc(tasks, 1);
    CHECK_STATUS(psg_work_events(workload_work(work), event, tasks, &count), PSG_OK);
    CHECK_STATUS(psg_work_dependencies(workload_work(work), edge, 16 * tasks, &edges), PSG_OK);
    CHECK(count == tasks && edges <= 16 * tasks, "%zu events, %zu edges", count, edges);
    for (size_t m = 0; m < edges; m++) {
        const psg_event *from = &event[edge[m].before];
        const psg_event *to = &event[edge[m].after];
        const size_t far = apart(from->segment, to->segment) + apart(from->sheet, to->sheet);
        CHECK(from->step < to->step && far <= 1,
              "a sweep in step %zu is after one in step %zu, %zu away", to->step, from->step, far);
        CHECK(from->end <= to->start + 1e-6, "it begins at %g, before %g", to->start, from->end);
        own[edge[m].after] |= (char)(far == 0 && from->step + 1 == to->step);
    }
    for (size_t m = 0; m < count; m++) {
        CHECK(own[m] || event[m].step == 0, "a sweep in step %zu does not follow its tile's last",
              event[m].step);
    }
    free(event);
    free(edge);
    free(own);
}

static void check_barrier(const workload *work, size_t tasks, size_t steps) {
    size_t count = 0;
    psg_event *event = calloc(tasks, sizeof *event);
    double *begin = calloc(steps, sizeof *begin), *end = calloc(steps, sizeof *end);
    CHECK_STATUS(psg_work_events(workload_work(work), event, tasks, &count), PSG_OK);
    for (size_t m = 0; m < count; m++) {
        const size_t s = event[m].step;
        begin[s] = begin[s] == 0 ? event[m].start : fmin(begin[s], event[m].start);
        end[s] = fmax(end[s], event[m].end);
    }
    for (size_t s = 1; s < steps; s++) {
        CHECK(end[s - 1] <= begin[s] + 1e-6, "step %zu begins at %g, before %g", s, begin[s],
              end[s - 1]);
    }
    free(event);
    free(begin);
    free(end);
}

static void one(const psg_options *options, const char *name, size_t tile, size_t tiles,
                size_t steps, int barrier) {
    workload *work = NULL;
    workload_options how = {.tile = 0};
    how.tile = tile;
    how.barrier = barrier;
    how.priority = barrier ? WORKLOAD_PATH : WORKLOAD_EQUAL;
    if (!CHECK_STATUS(workload_create(&work, name, &how, options), PSG_OK)) {
        return;
    }
    for (int run = 0; run < 2; run++) { /* the second one begins anew */
        CHECK_STATUS(workload_run(work), PSG_OK);
        check_answer(work);
    }
    if (strcmp(name, "jacobi:129") == 0) {
        check_wave(work, options->precision);
    }
    check_graph(work, tiles, steps);
    if (barrier) {
        check_barrier(work, tiles * tiles * steps, steps);
    }
    workload_destroy(work);
}

int main(void) {
    static const char *const policies[] = {"eager", "ws", "dmdas"};
    for (int f32 = 0; f32 < 2; f32++) {
        psg_options options = harness_options(f32 ? PSG_F32 : PSG_F64);
        options.record = 1;
        one(&options, "jacobi:129", 64, 2, STEPS, 0);
        one(&options, "jacobi:129", 127, 1, STEPS, 0);
        one(&options, "jacobi:129", 30, 5, STEPS, 1);
        one(&options, "jacobi:3", 0, 1, STEPS, 0);
        one(&options, "jacobi:5:3", 1, 3, 3, 0);
        one(&options, "jacobi:20:7", 17, 2, 7, 1);
        for (int p = 0; p < 3; p++) {
            options.policy = policies[p];
            options.cpus = options.gpus == 0 ? 1 + p : options.cpus;
            one(&options, "jacobi:129", 50, 3, STEPS, 0);
        }
    }
    return check_result();
}
