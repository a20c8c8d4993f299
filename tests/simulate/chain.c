/* A solve of slabs is one task of StarPU's only once f and u are on the GPU together: StarPU would wait for ever for
 * room for all of what that task has, where there is enough for the tasks one by one. From inside the library:
 * simulated plans chain no tasks, so that is set here. */
#include "graph/internal.h"
#include "tests/simulate/simulate.h"

enum { N = 512, SOLVES = 4 }; /* f, u and the spectrum take 1.08 GB each */

/** So much memory on the GPU, and the first solve that is one task; SOLVES: none ever is. */
typedef struct chain_case {
    double gpu_memory;
    int first;
} chain_case;

static const chain_case cases[] = {{64e9, 1}, {3.2e9, SOLVES}};

static void try_case(const void *argument) {
    const chain_case *c = argument;
    psg_plan *plan = NULL;
    psg_options options;
    psg_grid grid;
    psg_options_init(&options);
    options.gpus = 1;
    psg_grid_init(&grid, N, N, N, 1, 1, 1);
    if (!CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        return;
    }
    const size_t segments = plan->context.segments, pencils = plan->context.pencils;
    const size_t data = segments * (2 + pencils), uses = segments * (2 + 3 * pencils);
    CHECK(plan->resident && plan->context.chained == 0, "%g: in main memory, or chained",
          c->gpu_memory);
    plan->context.chained = psg_task_total(&plan->context);
    CHECK_STATUS(psg_slabs_put(plan, &grid), PSG_OK); /* which is not looked at */
    for (int m = 0; m < SOLVES; ++m) {
        CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        CHECK(plan->submit_pieces == (m < c->first ? uses : data),
              "%g, solve %d: StarPU was handed %zu pieces of data, of %zu", c->gpu_memory, m,
              plan->submit_pieces, uses);
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
