/* What is special about a simulation. */
#include "graph/simulated.h"
#include "graph/plan_struct.h"
#include "graph/psg_machine.h"
#include "graph/start.h"
#include "graph/status.h"
#include "runtime/machine_times.h"
#include "runtime/simulation.h"

#define NOT_RECORDED "machine %s: it is not recorded how long %s takes on a %s in %s"

int psg_simulation(void) {
    return psg_simulated();
}

int psg_simulation_main(const char *machine, int (*program)(int argc, char **argv), int argc,
                        char **argv) {
    psg_clear_error();
    if (psg_runtime_simulate(machine) != PSG_OK) {
        return -1;
    }
    int result = -1;
    const char *wrong = NULL;
    if (psg_simulator != NULL) {
        wrong = psg_simulator->run(program, argc, argv, &result);
    } else {
        result = program(argc, argv);
    }
    if (wrong != NULL) {
        psg_simulation_end();
        (void)psg_fail(PSG_ERR_RUNTIME, "%s", wrong);
    }
    return result;
}

psg_status psg_simulation_nodes_check(const psg_options *options, const psg_grid *grid) {
    const psg_axis *a = grid->axis;
    return options->nodes <= 1 || (options->nodes <= a[1].n && options->nodes <= a[2].n)
               ? PSG_OK
               : psg_fail(PSG_ERR_ARG,
                          "nodes = %u: each needs a plane and a row, and the grid has %zu planes "
                          "of %zu rows",
                          options->nodes, a[2].n, a[1].n);
}

/* A task of each kind of the graph, m from 0: on a core, and on a GPU. @return false: there is no
 * such m */
static bool shape_of(const psg_plan *plan, size_t m, psg_task_shape *shape) {
    const psg_context *c = &plan->context;
    const psg_graph_kind *kind = &c->graph.kind[m / 2];
    if (m / 2 >= c->graph.count) {
        return false;
    }
    *shape = (psg_task_shape){.kind = kind->kind,
                              .precision = c->engine.precision,
                              .axis = kind->sheet ? PSG_AXIS_SHEET : PSG_AXIS_SEGMENT,
                              .count = 1,
                              .pieces = 1};
    psg_context_extents(c, shape);
    return true;
}

int psg_plan_simulates_sides(const psg_plan *plan) {
    bool all = plan != NULL && psg_simulated();
    psg_task_shape shape;
    for (size_t m = 0; all && shape_of(plan, m, &shape); m++) {
        const bool used[2] = {plan->workers.cpu_count > 0, plan->workers.gpu_count > 0};
        if (used[m % 2]) {
            (void)psg_machine_factor(psg_simulation_machine(), m % 2 == 1, &shape, &all);
        }
    }
    return all;
}

psg_status psg_simulation_knows(const psg_plan *plan, int first, int last) {
    const psg_machine *machine = psg_simulation_machine();
    const bool used[2] = {plan->workers.cpu_count > 0, plan->workers.gpu_count > 0};
    for (int m = 2 * first; m < 2 * (last + 1) && machine != NULL; m++) {
        const psg_task_shape shape = {.kind = m / 2, .precision = plan->context.engine.precision};
        if (used[m % 2] && !psg_machine_knows(machine, m % 2 == 1, &shape)) {
            return psg_fail(PSG_ERR_UNSUPPORTED, NOT_RECORDED, machine->name,
                            psg_kind_at(shape.kind)->name, m % 2 == 1 ? "GPU" : "core",
                            shape.precision == PSG_TASK_F64 ? "f64" : "f32");
        }
    }
    return PSG_OK;
}

psg_status psg_simulation_check(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const psg_machine *machine = psg_simulation_machine();
    const bool used[2] = {plan->workers.cpu_count > 0, plan->workers.gpu_count > 0};
    psg_task_shape shape;
    double rate = 0;
    double latency = 0;
    if (plan->problem.options.nodes > 1 &&
        !psg_simulation_network(plan->problem.options.network, &rate, &latency)) {
        return psg_fail(PSG_ERR_ARG,
                        "nodes = %u: machine %s has no link network, and options.network, or "
                        "--network, does not say how fast it is",
                        plan->problem.options.nodes, machine->name);
    }
    for (size_t m = 0; psg_simulated() && shape_of(plan, m, &shape); m++) {
        const bool gpu = m % 2 == 1;
        if (used[gpu] && !(psg_machine_seconds(machine, gpu, &shape, NULL) > 0)) {
            return psg_fail(PSG_ERR_UNSUPPORTED, NOT_RECORDED, machine->name,
                            psg_kind_at(shape.kind)->name, gpu ? "GPU" : "core",
                            c->engine.precision == PSG_TASK_F64 ? "f64" : "f32");
        }
    }
    return PSG_OK;
}
