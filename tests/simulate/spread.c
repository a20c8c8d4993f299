/* Where a line of the machine's file says how far the times of its tasks spread, a task takes what is drawn for its
 * worker and the solve: the mean of many is the line's and their spread too, the slowest of several takes longer, and the
 * kinds of task of a worker are slow together. The same seed draws the same; policies do not know what is drawn. */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/simulate/simulate.h"

#include <sys/mman.h>

enum { N = 64, CORES = 8, SOLVES = 200, TASKS = 3 * CORES, SEEDS = 4, EVENTS_MOST = 64 };

#define FORWARD 1e-3
#define KSPACE 2e-3 /* of 8 rows, between 4 and 16 */
#define INVERSE 1.5e-3
#define SPREAD 0.3
#define HEAD                                                                                       \
    "machine spread\ncpus 8\ngpus 1\ngpu_memory 1e9\nlink to-gpu 1e15 0\nlink from-gpu 1e15 0\n"

static const char machine[] =
    HEAD "time forward_xy f64 cpu 64x64x64 segment 8 views 8 0 1e-3 0.3\n"
         "time kspace f64 cpu 64x64x64 sheet 4 views 8 0 1e-3 0.1\n"
         "time kspace f64 cpu 64x64x64 sheet 16 views 8 0 4e-3\t0.3 # spreads more\n"
         "time inverse_xy f64 cpu 64x64x64 segment 8 views 8 0 1.5e-3\n";

/* A core seems slower than the GPU, and where it spreads so much is often faster. */
static const char both[] = HEAD "time forward_xy f64 cpu 64x64x64 segment 64 dense 1 0 1e-3 1\n"
                                "time kspace f64 cpu 64x64x64 sheet 64 dense 1 0 1e-3 1\n"
                                "time inverse_xy f64 cpu 64x64x64 segment 64 dense 1 0 1e-3 1\n"
                                "time forward_xy f64 gpu 64x64x64 segment 64 dense 1 0 9e-4\n"
                                "time kspace f64 gpu 64x64x64 sheet 64 dense 1 0 9e-4\n"
                                "time inverse_xy f64 gpu 64x64x64 segment 64 dense 1 0 9e-4\n";

/* Solves of one segment, all of whose tasks are one of StarPU's. */
static const char chain[] = HEAD "time forward_xy f64 gpu 64x64x64 segment 64 views 1 0 1e-3 0.3\n"
                                 "time kspace f64 gpu 64x64x64 sheet 64 views 1 0 2e-3\n"
                                 "time inverse_xy f64 gpu 64x64x64 segment 64 views 1 0 3e-3 0.3\n";

/** What one simulation found, for the others. */
typedef struct found {
    double seconds[SOLVES * TASKS]; /**< of the tasks, by solve, stage and worker */
} found;

static found *shared; /**< with the processes that simulate: [SEEDS] */

static psg_plan *create(int gpus) {
    psg_plan *plan = NULL;
    psg_options options;
    psg_grid grid;
    psg_options_init(&options);
    options.cpus = gpus > 0 ? 1 : CORES;
    options.gpus = gpus;
    options.placement = PSG_PLACEMENT_FREE;
    options.policy = gpus > 0 ? "dmda" : "eager";
    options.segment_planes = gpus > 0 ? N : N / CORES;
    options.sheets = gpus > 0 ? 1 : CORES;
    psg_grid_init(&grid, N, N, N, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    CHECK_STATUS(psg_slabs_put(plan, &grid), PSG_OK); /* which is not looked at */
    return plan;
}

/** @return how many events there are of the next solve */
static size_t next(psg_plan *plan, psg_event events[EVENTS_MOST]) {
    size_t count = 0;
    CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_STATUS(psg_plan_events(plan, events, EVENTS_MOST, &count), PSG_OK);
    CHECK(count <= EVENTS_MOST, "%zu events", count);
    return count <= EVENTS_MOST ? count : 0;
}

static void solve_all(const void *argument) {
    found *f = &shared[*(const int *)argument];
    psg_plan *plan = create(0);
    psg_event events[EVENTS_MOST];
    for (int solve = 0; solve < SOLVES; ++solve) {
        const size_t count = next(plan, events);
        CHECK(count == TASKS, "%zu events", count);
        for (size_t e = 0; e < count; ++e) {
            const size_t stage = events[e].stage - PSG_STAGE_FORWARD_XY;
            f->seconds[(size_t)solve * TASKS + stage * CORES + (size_t)events[e].worker] =
                events[e].end - events[e].start;
        }
    }
    psg_plan_destroy(plan);
}

/** A task for each core and stage: of the first mean and spread are those of the file; of the second both are half-way; of
 *  the third there is no spread. */
static void check_drawn(const found *f) {
    const double s = sqrt(log1p(SPREAD * SPREAD)), k = sqrt(log1p(0.2 * 0.2));
    double mean = 0, square = 0, slowest = 0;
    for (int solve = 0; solve < SOLVES; ++solve) {
        double longest = 0;
        for (int w = 0; w < CORES; ++w) {
            const double *t = &f->seconds[solve * TASKS], x = t[w] / FORWARD;
            if (!CHECK(x > 0, "solve %d: worker %d has no task", solve, w)) {
                return;
            }
            mean += x / (SOLVES * CORES);
            square += x * x / (SOLVES * CORES);
            longest = fmax(longest, x);
            const double z = (log(x) + s * s / 2) / s;
            CHECK_NEAR(t[CORES + w], KSPACE * exp(k * z - k * k / 2), 1e-6,
                       "kspace of worker %d in solve %d, where z = %g", w, solve, z);
            CHECK_NEAR(t[2 * CORES + w], INVERSE, 1e-7, "inverse_xy of worker %d", w);
        }
        slowest += longest / SOLVES;
        CHECK(solve == 0 || f->seconds[solve * TASKS] != f->seconds[(solve - 1) * TASKS],
              "solve %d is as the one before", solve);
    }
    /* 1600 of them: three times as far off as one expects */
    CHECK_NEAR(mean, 1, 0.0225, "the mean of tasks");
    CHECK_NEAR(sqrt(square - mean * mean), SPREAD, 0.03, "their spread");
    CHECK_NEAR(slowest, 1.479, 0.06,
               "the slowest of eight"); /* by integration of the distribution */
}

static double difference(int one, int other) {
    const found *a = &shared[one], *b = &shared[other];
    double most = 0;
    for (int m = 0; m < SOLVES * TASKS; ++m) {
        most = fmax(most, fabs(a->seconds[m] - b->seconds[m]));
    }
    return most;
}

/** What is drawn for a core does not make the policy take it. */
static void check_policy(const void *argument) {
    (void)argument;
    psg_plan *plan = create(1);
    psg_event events[EVENTS_MOST];
    for (int solve = 0; solve < 20; ++solve) {
        const size_t count = next(plan, events);
        for (size_t e = 0; e < count; ++e) {
            CHECK_NEAR(events[e].end - events[e].start, 9e-4, 2e-5, "%s in solve %d on worker %d",
                       psg_stage_name(events[e].stage), solve, events[e].worker);
        }
    }
    psg_plan_destroy(plan);
}

/** What the chain takes is what its tasks take. */
static void check_chain(const void *argument) {
    (void)argument;
    psg_plan *plan = NULL;
    psg_options options;
    psg_grid grid;
    psg_event e[EVENTS_MOST];
    double before = 0;
    psg_options_init(&options);
    options.gpus = 1;
    psg_grid_init(&grid, N, N, N, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    CHECK_STATUS(psg_slabs_put(plan, &grid), PSG_OK); /* which is not looked at */
    for (int solve = 0; solve < 5; ++solve) {
        if (!CHECK(next(plan, e) == 3, "tasks of solve %d", solve) || solve < 1) {
            continue; /* f and u are not there yet */
        }
        const double first = e[0].end - e[0].start;
        CHECK(fabs(first / before - 1) > 1e-3, "%g s in solve %d, too", first, solve);
        CHECK_NEAR(e[1].end - e[1].start, 2e-3, 1e-8, "kspace of solve %d", solve);
        CHECK_NEAR(e[2].end - e[2].start, 3 * first, 1e-8, "inverse_xy of solve %d", solve);
        CHECK_NEAR(e[0].start, 0, 20e-6, "of %g s the first begins", e[2].end);
        before = first;
    }
    psg_plan_destroy(plan);
}

static void check_seed(const void *argument) {
    (void)argument;
    psg_plan *plan = NULL;
    psg_options options;
    psg_grid grid;
    psg_options_init(&options);
    psg_grid_init(&grid, N, N, N, 1, 1, 1);
    options.machine = simulate_machine(machine);
    static const char *const wrong[] = {"x", "-1", "1.5", "99999999999999999999"};
    for (size_t m = 0; m < sizeof wrong / sizeof wrong[0]; ++m) {
        setenv("PSG_SEED", wrong[m], 1);
        CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG, "PSG_SEED");
    }
    remove(simulate_machine(""));
}

int main(void) {
    static const char *const seeds[SEEDS] = {NULL, "1", "", "2"}; /* 1 is the default */
    static const int number[SEEDS] = {0, 1, 2, 3};
    shared = mmap(NULL, SEEDS * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                  -1, 0);
    if (!CHECK(shared != MAP_FAILED, "no memory")) {
        return check_result();
    }
    for (int m = 0; m < SEEDS; ++m) {
        unsetenv("PSG_SEED");
        if (seeds[m]) {
            setenv("PSG_SEED", seeds[m], 1);
        }
        simulate_apart(simulate_machine(machine), solve_all, &number[m]);
    }
    check_drawn(&shared[0]);
    check_drawn(&shared[3]);
    CHECK(difference(0, 1) == 0 && difference(0, 2) == 0, "the same seed draws others");
    CHECK(difference(0, 3) > SPREAD * FORWARD, "another seed draws the same");
    unsetenv("PSG_SEED");
    simulate_apart(simulate_machine(both), check_policy, NULL);
    simulate_apart(simulate_machine(chain), check_chain, NULL);
    simulate_apart(NULL, check_seed, NULL);
    remove(simulate_machine(""));
    return check_result();
}
