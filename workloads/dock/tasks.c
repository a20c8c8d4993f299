/* The tasks of workload dock. */
#include "workloads/dock/dock.h"

#include <starpu.h>
#ifdef WORKLOADS_CUDA
#include <starpu_cuda.h>
#endif

static const dock_problem *dock_of(const psg_task *task) {
    return task->owner;
}

static void *spectrum_scratch(const psg_task *task) {
    return dock_of(task)->scratch[task->worker];
}

static void *fft_scratch(const psg_task *task) {
    return (char *)spectrum_scratch(task) + dock_of(task)->spectrum_bytes;
}

static dock_molecule molecule(const psg_task *task, int part) {
    return (dock_molecule){psg_task_memory(task, 0), dock_of(task)->molecule[part].atoms};
}

/* Grid g of rotation m of a task's batch. */
static float *grid_of(const dock_problem *d, float *cells, size_t m, size_t g) {
    return cells + (m * d->grids + g) * dock_cells(d);
}

static void *spectrum_of(const dock_problem *d, void *spectrum, size_t g) {
    return (char *)spectrum + g * d->spectrum_bytes;
}

/* Rotation m of a task's batch. */
static const dock_rotation *rotation(const psg_task *task, size_t m) {
    const dock_problem *d = dock_of(task);
    return &d->rotation[task->label->index[0] * d->batch + m];
}

/* What decides whether a pose of rotation m counts: dock_best has the potential and the atoms
 * behind cells and poses. */
static dock_energies energies(const psg_task *task, size_t m) {
    const dock_problem *d = dock_of(task);
    if (d->grids == 1) {
        return (dock_energies){.sums = NULL};
    }
    return (dock_energies){.sums = grid_of(d, psg_task_memory(task, 0), m, 1),
                           .rounding = d->rounding,
                           .potential = psg_task_memory(task, 2),
                           .atom = psg_task_memory(task, 3),
                           .atoms = d->molecule[1].atoms,
                           .turn = dock_cpu_turn(rotation(task, m), false)};
}

/* The cells are fewer bytes than their spectrum. */
static void dock_static_core(const psg_task *task) {
    const dock_problem *d = dock_of(task);
    const dock_molecule fixed = molecule(task, 0);
    float *cells = spectrum_scratch(task);
    dock_cpu_static(&d->grid, &fixed, cells);
    dock_cpu_transform(d->fft, d->grid.n, cells, psg_task_memory(task, 1), fft_scratch(task));
    dock_cpu_clear(psg_task_memory(task, 2), d->list);
    if (d->grids > 1) {
        float *potential = psg_task_memory(task, 3);
        dock_cpu_potential(&d->grid, &fixed, cells, potential);
        dock_cpu_transform(d->fft, d->grid.n, potential,
                           spectrum_of(d, psg_task_memory(task, 1), 1), fft_scratch(task));
    }
}

static void dock_voxel_core(const psg_task *task) {
    const dock_problem *d = dock_of(task);
    const dock_molecule mobile = molecule(task, 1);
    float *cells = psg_task_memory(task, 1);
    for (size_t m = 0; m < dock_count(d, task->label->index[0]); m++) {
        dock_cpu_mobile(&d->grid, &mobile, rotation(task, m), grid_of(d, cells, m, 0));
        if (d->grids > 1) {
            dock_cpu_charges(&d->grid, &mobile, rotation(task, m), grid_of(d, cells, m, 1));
        }
    }
}

static void dock_correlate_core(const psg_task *task) {
    const dock_problem *d = dock_of(task);
    void *fixed = psg_task_memory(task, 0);
    float *cells = psg_task_memory(task, 1);
    for (size_t m = 0; m < dock_count(d, task->label->index[0]); m++) {
        for (size_t g = 0; g < d->grids; g++) {
            dock_cpu_correlate(d->fft, d->grid.n, spectrum_of(d, fixed, g), grid_of(d, cells, m, g),
                               spectrum_scratch(task), fft_scratch(task));
        }
    }
}

static void dock_best_core(const psg_task *task) {
    const dock_problem *d = dock_of(task);
    const size_t b = task->label->index[0];
    float *sums = psg_task_memory(task, 0);
    dock_candidate *poses = psg_task_memory(task, 1);
    for (size_t m = 0; m < dock_count(d, b); m++) {
        const dock_energies e = energies(task, m);
        dock_cpu_best(&d->grid, grid_of(d, sums, m, 0), &e, (int32_t)(b * d->batch + m),
                      poses + m * DOCK_KEPT);
    }
}

static void dock_merge_core(const psg_task *task) {
    const dock_candidate *poses = psg_task_memory(task, 0);
    dock_candidate *list = psg_task_memory(task, 1);
    const dock_problem *d = dock_of(task);
    const size_t count = dock_merged(d, task->label->index[0]);
    for (size_t m = 0; m < count; m++) {
        dock_insert(list, d->list, &poses[m]);
    }
}

#ifdef WORKLOADS_CUDA
static int dock_static_gpu(const psg_task *task) {
    const dock_problem *d = dock_of(task);
    const dock_molecule fixed = molecule(task, 0);
    void *spectrum = psg_task_memory(task, 1);
    int code = dock_cuda_static(task->state, &d->grid, fixed.atom, fixed.atoms, spectrum,
                                psg_task_memory(task, 2), d->list);
    if (code == 0 && d->grids > 1) {
        code = dock_cuda_potential(task->state, &d->grid, fixed.atom, fixed.atoms,
                                   psg_task_memory(task, 3), spectrum_of(d, spectrum, 1));
    }
    return code;
}

static int dock_voxel_gpu(const psg_task *task) {
    const dock_problem *d = dock_of(task);
    const dock_molecule mobile = molecule(task, 1);
    float *cells = psg_task_memory(task, 1);
    int code = 0;
    for (size_t m = 0; m < dock_count(d, task->label->index[0]) && code == 0; m++) {
        const dock_turn turn = dock_cpu_turn(rotation(task, m), false);
        code = dock_cuda_mobile(task->state, &d->grid, &turn, mobile.atom, mobile.atoms,
                                grid_of(d, cells, m, 0));
        if (code == 0 && d->grids > 1) {
            code = dock_cuda_charges(task->state, &d->grid, &turn, mobile.atom, mobile.atoms,
                                     grid_of(d, cells, m, 1));
        }
    }
    return code;
}

static int dock_correlate_gpu(const psg_task *task) {
    const dock_problem *d = dock_of(task);
    void *fixed = psg_task_memory(task, 0);
    float *cells = psg_task_memory(task, 1);
    int code = 0;
    for (size_t m = 0; m < dock_count(d, task->label->index[0]); m++) {
        for (size_t g = 0; g < d->grids && code == 0; g++) {
            code =
                dock_cuda_correlate(task->state, spectrum_of(d, fixed, g), grid_of(d, cells, m, g));
        }
    }
    return code;
}

static int dock_best_gpu(const psg_task *task) {
    const dock_problem *d = dock_of(task);
    const size_t b = task->label->index[0];
    float *sums = psg_task_memory(task, 0);
    dock_candidate *poses = psg_task_memory(task, 1);
    int code = 0;
    for (size_t m = 0; m < dock_count(d, b) && code == 0; m++) {
        const dock_energies e = energies(task, m);
        code = dock_cuda_best(task->state, &d->grid, grid_of(d, sums, m, 0), &e,
                              (int32_t)(b * d->batch + m), poses + m * DOCK_KEPT);
    }
    return code;
}

static int dock_merge_gpu(const psg_task *task) {
    const dock_problem *d = dock_of(task);
    const size_t count = dock_merged(d, task->label->index[0]);
    return dock_cuda_merge(task->state, psg_task_memory(task, 0), count, psg_task_memory(task, 1),
                           d->list);
}

int dock_gpu_make(void **state, const void *owner) {
    const dock_problem *d = owner;
    return dock_cuda_create((dock_cuda **)state, d->grid.n, starpu_cuda_get_local_stream());
}

void dock_gpu_destroy(void *state, const void *owner) {
    (void)owner;
    dock_cuda_destroy(state);
}
#endif

/* ------------------------------------------------------------------------------- the kinds */

static size_t rotations_of(const dock_problem *d, const psg_label *label) {
    return label->kind == dock_first_kind + DOCK_STATIC ? 1 : dock_count(d, label->index[0]);
}

/* Of a merge, lists of poses as a rotation has them. */
static size_t grids_of(const dock_problem *d, const psg_label *label) {
    return label->kind == dock_first_kind + DOCK_MERGE
               ? (dock_merged(d, label->index[0]) - 1) / DOCK_KEPT + 1
               : rotations_of(d, label) * d->grids;
}

/* The data of the last batch are as large as those of the others: its model has to be told how many
 * grids it has. */
static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const dock_problem *d = owner;
    workload_shape(shape, d->grid.n, d->grid.n, d->grid.n, grids_of(d, label), 1);
    shape->variant = (int)shape->count;
}

static double poses(const psg_task_shape *s) {
    return (double)s->count;
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const dock_problem *d = owner;
    const double count = (double)rotations_of(d, label);
    const double grid = (double)dock_cells(d) * sizeof(float);
    const double cells = count * (double)d->grids * grid;
    const double best = (double)dock_merged(d, label->index[0]) * sizeof(dock_candidate);
    const double list = (double)d->list * sizeof(dock_candidate);
    const double fixed = (double)(d->grids * d->spectrum_bytes);
    const double potential = (double)(d->grids - 1) * grid;
    const double atoms[2] = {(double)(d->molecule[0].atoms * sizeof(dock_atom)),
                             (double)(d->molecule[1].atoms * sizeof(dock_atom))};
    switch (label->kind - dock_first_kind) {
    case DOCK_STATIC:
        return (psg_traffic){atoms[0], fixed + potential + list};
    case DOCK_VOXEL:
        return (psg_traffic){atoms[1], cells};
    case DOCK_CORRELATE:
        return (psg_traffic){fixed + cells, cells};
    case DOCK_BEST:
        return (psg_traffic){cells, best};
    default:
        return (psg_traffic){best + list, list};
    }
}

/* Merges follow one another, in the order of batches. */
static int priority(const void *owner, const psg_label *label) {
    const dock_problem *d = owner;
    const int merges = (int)dock_batches(d) - (int)label->index[0];
    const int before = label->kind == dock_first_kind + DOCK_MERGE   ? 0
                       : label->kind == dock_first_kind + DOCK_BEST  ? 1
                       : label->kind == dock_first_kind + DOCK_VOXEL ? 3
                                                                     : 2;
    const int first = label->kind == dock_first_kind + DOCK_STATIC;
    return d->head.by_path ? merges - 1 + before + first : 0;
}

#define KIND(kind, grows)                                                                          \
    { WORKLOAD_KIND(#kind, kind##_core, kind##_gpu, grows) }
const psg_kind dock_kinds[DOCK_KINDS] = {[DOCK_STATIC] = KIND(dock_static, workload_numbers),
                                         [DOCK_VOXEL] = KIND(dock_voxel, workload_numbers),
                                         [DOCK_CORRELATE] = KIND(dock_correlate, workload_numbers),
                                         [DOCK_BEST] = KIND(dock_best, workload_numbers),
                                         [DOCK_MERGE] = KIND(dock_merge, poses)};
int dock_first_kind;

static void submit_task(psg_run *run, int kind, size_t b, const psg_task_data *data,
                        size_t groups) {
    psg_run_submit(run, (psg_label){dock_first_kind + kind, {b, PSG_NO_INDEX, PSG_NO_INDEX}}, data,
                   groups);
}

/* The list of process r goes to the first one, which merges it. */
static void submit_list(psg_run *run, const dock_problem *d, int r) {
    const size_t number = dock_batches(d) + (size_t)r - 1;
    const psg_travel how = {.rank = d->head.rank == 0 ? r : 0,
                            .index = {number, PSG_NO_INDEX, PSG_NO_INDEX}};
    if (d->head.rank == r) {
        psg_run_send(run, d->merged, &how);
    } else if (d->head.rank == 0) {
        const psg_task_data merge[] = {{&d->poses[number], 1, 1, STARPU_R},
                                       {&d->merged, 1, 1, STARPU_RW}};
        psg_run_receive(run, d->poses[number], &how);
        submit_task(run, DOCK_MERGE, number, merge, 2);
    }
}

void dock_submit(psg_run *run, const void *memory) {
    const dock_problem *d = memory;
    const size_t charged = d->grids - 1; /* data that tasks have if atoms have charges */
    const psg_task_data fixed[] = {{&d->atoms[0], 1, 1, STARPU_R},
                                   {&d->spectrum, 1, 1, STARPU_W},
                                   {&d->merged, 1, 1, STARPU_W},
                                   {&d->potential, charged, 1, STARPU_W}};
    psg_data_settle(d->atoms, 2);
    submit_task(run, DOCK_STATIC, 0, fixed, 4);
    for (size_t b = workload_first(dock_batches(d), d->head.rank, d->head.ranks);
         b < workload_first(dock_batches(d), d->head.rank + 1, d->head.ranks); b++) {
        const psg_data *cells = &d->cells[b % d->buffers], *poses = &d->poses[b];
        const psg_task_data voxel[] = {{&d->atoms[1], 1, 1, STARPU_R}, {cells, 1, 1, STARPU_W}};
        const psg_task_data correlate[] = {{&d->spectrum, 1, 1, STARPU_R},
                                           {cells, 1, 1, STARPU_RW}};
        const psg_task_data best[] = {{cells, 1, 1, STARPU_R},
                                      {poses, 1, 1, STARPU_W},
                                      {&d->potential, charged, 1, STARPU_R},
                                      {&d->atoms[1], charged, 1, STARPU_R}};
        const psg_task_data merge[] = {{poses, 1, 1, STARPU_R}, {&d->merged, 1, 1, STARPU_RW}};
        submit_task(run, DOCK_VOXEL, b, voxel, 2);
        submit_task(run, DOCK_CORRELATE, b, correlate, 2);
        submit_task(run, DOCK_BEST, b, best, 4);
        (void)starpu_data_invalidate_submit(
            *cells); /* else a GPU short of memory copies them home */
        submit_task(run, DOCK_MERGE, b, merge, 2);
    }
    for (int r = 1; r < d->head.ranks; r++) {
        submit_list(run, d, r);
    }
}
