#include "runtime/speed.h"

#include "runtime/decimal.h"
#include "runtime/simulation.h"

#include <math.h>
#include <starpu.h>
#include <stdio.h>

/* Of the tasks that were measured on such a worker, the one nearest in size. */
static double nearest(const struct starpu_perfmodel_per_arch *measured, double bytes) {
    const double farthest = log(4);
    double distance = farthest;
    double seconds = 0;
    for (const struct starpu_perfmodel_history_list *l = measured->list; l != NULL; l = l->next) {
        const struct starpu_perfmodel_history_entry *e = l->entry;
        if (e->nsample == 0 || e->size == 0 || !(e->mean > 0)) {
            continue;
        }
        const double d = fabs(log(bytes / (double)e->size));
        if (d <= distance) {
            distance = d;
            seconds = e->mean * 1e-6 * bytes / (double)e->size;
        }
    }
    return seconds;
}

/* From a copy of the stored model: StarPU may be adding to its own. */
static double by_model(const psg_task_shape *shape, unsigned worker) {
    struct starpu_perfmodel model = {.type = STARPU_PERFMODEL_INVALID};
    char symbol[64];
    char path[1024] = "";
    double seconds = 0;
    const psg_kind *kind = psg_kind_at(shape->kind);
    (void)snprintf(symbol, sizeof symbol, "psg_%s_%s", kind->name,
                   shape->precision == PSG_TASK_F64 ? "f64" : "f32");
    starpu_perfmodel_get_model_path(symbol, path, sizeof path);
    const psg_decimal decimal = psg_decimal_begin();
    const bool loaded = path[0] != '\0' && starpu_perfmodel_load_symbol(symbol, &model) == 0;
    psg_decimal_end(decimal);
    if (!loaded) {
        return 0; /* where nothing is stored StarPU says so on stderr, so it is not asked */
    }
    const struct starpu_perfmodel_per_arch *measured = starpu_perfmodel_get_model_per_arch(
        &model, starpu_worker_get_perf_archtype((int)worker, STARPU_NMAX_SCHED_CTXS), 0);
    if (measured != NULL && kind->data_bytes != NULL) {
        seconds = nearest(measured, kind->data_bytes(shape));
    }
    starpu_perfmodel_unload_model(&model);
    return seconds;
}

double psg_task_seconds(const psg_task_shape *shape, unsigned worker) {
    if (psg_simulated()) {
        const psg_machine *machine = psg_simulation_machine();
        const bool gpu = starpu_worker_get_type((int)worker) == STARPU_CUDA_WORKER;
        const double seconds = psg_machine_seconds(machine, gpu, shape, NULL);
        return seconds > 0 ? fmax(seconds, machine->least[gpu]) : 0;
    }
    return by_model(shape, worker);
}
