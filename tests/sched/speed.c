/* What StarPU has measured of tasks says how long others like them would take: in proportion to
 * their size, unless it is far from all that was measured, and nothing of others. */
#include "runtime/speed.h"
#include "codelets/kinds.h"
#include "graph/psg.h"
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <starpu.h>

#include <stdlib.h>
#include <string.h>

#define N 40
#define POINTS ((size_t)N * N * N)
#define EVENTS_MOST 256

typedef struct range {
    double least, most;
} range;

/* What the tasks took, of each stage, by the events of calibrated solves. */
static range took[PSG_STAGE_COUNT];

static void calibrate(void) {
    const oracle_grid box = {{N, N, N}, {1.0, 1.0, 1.0}};
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F64);
    psg_event events[EVENTS_MOST];
    double *f = oracle_array(2 * POINTS);
    psg_plan *plan = NULL;
    size_t count = 0;
    options.gpus = 0;
    options.calibrate = 1;
    options.segment_planes = N / 4;
    options.sheets = 4;
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    for (int solve = 0; plan && solve < 6; ++solve) {
        CHECK_STATUS(psg_solve(plan, f, f + POINTS), PSG_OK);
        CHECK_STATUS(psg_plan_events(plan, events, EVENTS_MOST, &count), PSG_OK);
        for (size_t e = 0; e < count && e < EVENTS_MOST; ++e) {
            const double seconds = events[e].end - events[e].start;
            range *r = &took[events[e].stage];
            r->least = r->least == 0 || seconds < r->least ? seconds : r->least;
            r->most = seconds > r->most ? seconds : r->most;
        }
    }
    psg_plan_destroy(plan);
    free(f);
}

static psg_task_shape shape_of(psg_task_kind kind, size_t count) {
    return (psg_task_shape){.kind = kind,
                            .precision = PSG_TASK_F64,
                            .axis = kind == PSG_TASK_KSPACE,
                            .n = {N, N, N},
                            .row = N / 2 + 1,
                            .count = count,
                            .pieces = 4};
}

static void ask(unsigned worker) {
    static const psg_task_kind kinds[] = {PSG_TASK_FORWARD_XY, PSG_TASK_KSPACE,
                                          PSG_TASK_INVERSE_XY};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        const range *r = &took[kinds[k]];
        psg_task_shape shape = shape_of(kinds[k], N / 4);
        const double seconds = psg_task_seconds(&shape, worker);
        CHECK(seconds >= 0.5 * r->least && seconds <= 2 * r->most, "%s: %g s, and it took %g to %g",
              psg_kind_at((int)kinds[k])->name, seconds, r->least, r->most);
        shape.count = N / 2;
        CHECK_NEAR(psg_task_seconds(&shape, worker), 2 * seconds, 1e-6 * seconds, "twice the size");
        shape.count = 1;
        CHECK_NEAR(psg_task_seconds(&shape, worker), 0, 0, "a tenth of the size");
        shape.count = 2 * N;
        CHECK_NEAR(psg_task_seconds(&shape, worker), 0, 0, "eight times the size");
        shape.count = N / 4;
        shape.precision = PSG_TASK_F32;
        CHECK_NEAR(psg_task_seconds(&shape, worker), 0, 0, "of another precision");
    }
    const psg_task_shape never = shape_of(PSG_TASK_FFT_Z, N / 4);
    CHECK_NEAR(psg_task_seconds(&never, worker), 0, 0, "of a task that never ran");
}

int main(void) {
    char home[] = "speed-XXXXXX", command[64];
    struct starpu_conf conf;
    if (!CHECK(mkdtemp(home) != NULL, "no folder for the models")) {
        return check_result();
    }
    setenv("XDG_CACHE_HOME", home, 1); /* StarPU prefers it to STARPU_HOME */
    calibrate();
    starpu_conf_init(&conf);
    conf.ncpus = 2;
    conf.ncuda = 0;
    if (CHECK(starpu_init(&conf) == 0, "StarPU does not start")) {
        ask(0);
        starpu_shutdown();
    }
    snprintf(command, sizeof command, "rm -rf %s", home);
    CHECK(system(command) == 0, "%s is left", home);
    return check_result();
}
