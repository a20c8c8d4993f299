/* A solve of slabs in the default cut on one GPU is one task of StarPU's, as where there is a GPU: once f and u are
 * there together, as StarPU would wait for ever for room for all of what that task has, where there is enough for the
 * tasks one by one. It takes what its tasks take one after the other, with no gap between them, and tells of each.
 * From inside the library, which has the plan's chain. */
#include "codelets/context.h"
#include "graph/plan_struct.h"
#include "graph/psg_observe.h"
#include "tests/simulate/simulate.h"

enum { N = 512, SOLVES = 4, EVENTS_MOST = 64 }; /* f, u and the spectrum take 1.08 GB each */

/** So much memory on the GPU, planes in a segment (0: the default), and the first solve that is one task; SOLVES: none
 *  ever is. */
typedef struct chain_case {
    double gpu_memory;
    size_t planes;
    int first;
} chain_case;

static const chain_case cases[] = {{64e9, 0, 0}, {3.2e9, 0, SOLVES}, {64e9, N / 2, SOLVES}};

/** Seconds of a task of a solve in two segments and one sheet, as the machine's file has them. */
static double recorded(psg_stage stage) {
    FILE *file = fopen(PSG_MACHINES "/h200.machine", "r");
    const char *blocks =
        stage == PSG_STAGE_KSPACE ? "sheet 512 views 2 0" : "segment 256 views 1 0";
    char line[512], begin[128];
    double seconds = NAN;
    snprintf(begin, sizeof begin, "time %s f64 gpu 512x512x512 %s ", psg_stage_name(stage), blocks);
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, begin, strlen(begin)) == 0) {
            seconds = atof(line + strlen(begin));
        }
    }
    CHECK(seconds > 0, "no line '%s' in " PSG_MACHINES "/h200.machine", begin);
    if (file) {
        fclose(file);
    }
    return seconds;
}

static void check_chain(const psg_plan *plan, const psg_statistics *s, double clock) {
    psg_event event[EVENTS_MOST];
    psg_dependency need[EVENTS_MOST];
    size_t count = 0, needs = 0;
    double sum = 0;
    CHECK_STATUS(psg_plan_events(plan, event, EVENTS_MOST, &count), PSG_OK);
    CHECK_STATUS(psg_plan_dependencies(plan, need, EVENTS_MOST, &needs), PSG_OK);
    if (!CHECK(count == 2 * s->segments + s->sheets, "%zu events", count)) {
        return;
    }
    CHECK(needs == 2 * s->segments * s->sheets, "%zu dependencies", needs);
    for (size_t m = 0; m < count; ++m) {
        const psg_event *e = &event[m];
        const double want = recorded(e->stage);
        CHECK_NEAR(e->end - e->start, want, 1e-3 * want, "%s of segment %zu, sheet %zu",
                   psg_stage_name(e->stage), e->segment, e->sheet);
        CHECK(m == 0 || fabs(e->start - event[m - 1].end) < 1e-9,
              "%s starts at %g after one that ends at %g", psg_stage_name(e->stage), e->start,
              event[m - 1].end);
        CHECK(m == 0 || e->stage >= event[m - 1].stage, "%s after %s", psg_stage_name(e->stage),
              psg_stage_name(event[m - 1].stage));
        sum += want;
    }
    const double last = event[count - 1].end;
    CHECK(last <= s->seconds + 1e-9 && s->seconds <= clock + 1e-9, "ends at %g of %g s, of %g",
          last, s->seconds, clock);
    CHECK(clock >= sum && clock <= sum + 20e-6, "%g s in tasks, %g s by the clock", sum, clock);
}

static void try_case(const void *argument) {
    const chain_case *c = argument;
    psg_plan *plan = NULL;
    psg_options options;
    psg_grid grid;
    psg_options_init(&options);
    options.gpus = 1;
    options.segment_planes = c->planes;
    options.record = 1;
    psg_grid_init(&grid, N, N, N, 1, 1, 1);
    if (!CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        return;
    }
    const size_t segments = plan->context.layout.segments.count,
                 sheets = plan->context.layout.sheets.count;
    const size_t data = segments * (2 + sheets), uses = segments * (2 + 3 * sheets);
    const size_t total = psg_task_total(&plan->context);
    CHECK(plan->route.on_gpus && plan->context.engine.chain_steps ==
                                     (c->planes == 0 ? psg_task_most(&plan->context) : 0),
          "%g: in main memory, or %zu of %zu tasks are chained", c->gpu_memory,
          plan->context.engine.chain_steps, total);
    CHECK_STATUS(psg_slabs_put(plan, &grid), PSG_OK); /* which is not looked at */
    for (int m = 0; m < SOLVES; ++m) {
        const int chain = m >= c->first;
        const double start = psg_clock();
        psg_statistics s;
        CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        const double clock = psg_clock() - start;
        CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
        CHECK(s.submit.pieces == (chain ? data : uses) && s.submit.tasks == (chain ? 1 : total),
              "%g, %zu planes, solve %d: StarPU was handed %zu tasks with %zu pieces of data",
              c->gpu_memory, c->planes, m, s.submit.tasks, s.submit.pieces);
        if (chain) {
            check_chain(plan, &s, clock);
        }
    }
    psg_plan_destroy(plan);
}

#undef main /* StarPU's is the library's, see psg_simulation_main() */
int main(void) {
    for (size_t m = 0; m < sizeof cases / sizeof *cases; ++m) {
        simulate_apart(simulate_h200_with(cases[m].gpu_memory), try_case, &cases[m]);
    }
    remove(simulate_machine(""));
    return check_result();
}
