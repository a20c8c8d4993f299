/* Eight blocks on three simulated Tesla C1060: the longest task first under dmdas comes within 4 % of what the diagonals need at
 * the least, and without a barrier within 2 % of the bound of all tasks; the order of the list does not. Static and guided
 * placements take as long as they were measured to take on such GPUs. */
#include "tests/simulate/simulate.h"
#include "workloads/workload.h"

enum { BLOCKS = 8, GPUS = 3, TASKS = BLOCKS * (2 * BLOCKS - 1) };
/* Seconds of one GPU: the diagonals, and all tasks. */
static const double diagonal_work = 40.5, work = 88.0;

typedef struct blocks_case {
    const char *about;
    workload_options how;
    double diagonals[2], all[2]; /* no less than and no more than, in seconds */
} blocks_case;

#define ANY                                                                                        \
    { 0, INFINITY }
static const double ideal = 40.5 / GPUS, bound = 88.0 / GPUS;

static void one(const void *argument) {
    const blocks_case *c = argument;
    workload *made = NULL;
    psg_options options;
    psg_run_statistics s;
    psg_bounds b;
    psg_event event[TASKS];
    size_t count = 0;
    double end = 0;
    double busy[2] = {0, 0};
    psg_options_init(&options);
    options.cpus = 0;
    options.gpus = GPUS;
    options.policy = c->how.place == WORKLOAD_FREE ? "dmdas" : "eager";
    options.record = 1;
    if (!CHECK_STATUS(workload_create(&made, "blocks:8", &c->how, &options), PSG_OK) ||
        !CHECK_STATUS(workload_run(made), PSG_OK)) {
        return;
    }
    CHECK_STATUS(psg_work_statistics(workload_work(made), &s), PSG_OK);
    CHECK_STATUS(psg_work_bounds(workload_work(made), &b), PSG_OK);
    CHECK_STATUS(psg_work_events(workload_work(made), event, TASKS, &count), PSG_OK);
    CHECK(count == TASKS, "%zu tasks", count);
    for (size_t m = 0; m < count && m < TASKS; ++m) {
        const int diagonal = strcmp(psg_stage_name(event[m].stage), "blocks_diagonal") == 0;
        busy[diagonal] += event[m].end - event[m].start;
        end = diagonal ? fmax(end, event[m].end) : end;
    }
    printf("%-24s diagonals %6.2f s, %.3f of the ideal %.2f; all %6.2f s, %.3f of the bound %.2f\n",
           c->about, end, end / ideal, ideal, s.seconds, s.seconds / bound, bound);
    CHECK_NEAR(busy[1], diagonal_work, 1e-3 * diagonal_work, "the work of the diagonals");
    CHECK_NEAR(busy[0] + busy[1], work, 1e-3 * work, "the work of all");
    CHECK_NEAR(b.bound[PSG_BOUND_WORK], bound, 1e-3 * bound, "the bound by work");
    CHECK(end >= c->diagonals[0] && end <= c->diagonals[1], "%s: diagonals take %.3f s", c->about,
          end);
    CHECK(s.seconds >= c->all[0] && s.seconds <= c->all[1], "%s: all takes %.3f s", c->about,
          s.seconds);
    workload_destroy(made);
}

static workload_options how(workload_order order, int barrier, workload_place place) {
    workload_options options;
    options = (workload_options){.tile = 0};
    options.order = order;
    options.barrier = barrier;
    options.place = place;
    return options;
}

int main(void) {
    /* Measured (static and guided): 21.84 + 20.05 s and 15.05 + 15.93 s, within 5 %. */
    const blocks_case cases[] = {
        {"longest first, a barrier",
         how(WORKLOAD_LONGEST, 1, WORKLOAD_FREE),
         {ideal, 1.04 * ideal},
         ANY},
        {"longest first", how(WORKLOAD_LONGEST, 0, WORKLOAD_FREE), ANY, {bound, 1.02 * bound}},
        {"listed, a barrier",
         how(WORKLOAD_LISTED, 1, WORKLOAD_FREE),
         {1.1 * ideal, INFINITY},
         {1.04 * bound, INFINITY}},
        {"static, a barrier",
         how(WORKLOAD_LISTED, 1, WORKLOAD_STATIC),
         {0.95 * 21.84, 1.05 * 21.84},
         {0.95 * 41.89, 1.05 * 41.89}},
        {"guided, a barrier",
         how(WORKLOAD_LISTED, 1, WORKLOAD_GUIDED),
         {0.95 * 15.05, 1.05 * 15.05},
         {0.95 * 30.98, 1.05 * 30.98}},
    };
    SIMULATE_EACH(PSG_MACHINES "/tesla-c1060.machine", one, cases);
    return check_result();
}
