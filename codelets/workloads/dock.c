#include "codelets/workloads/dock.h"
#include "codelets/codelet.h"
#if PSG_WITH_CUDA
#include "kernels/dock.h"
#endif

static const psg_dock *dock_of(const psg_task_args *args) {
    return args->run->engine->owner;
}

static size_t cells_of(const psg_dock *d) {
    return d->grid.n * d->grid.n * d->grid.n;
}

static void *spectrum_scratch(const psg_task_args *args) {
    return dock_of(args)->scratch[psg_task_worker(args)];
}

static void *fft_scratch(const psg_task_args *args) {
    return (char *)spectrum_scratch(args) + dock_of(args)->spectrum_bytes;
}

static psg_cpu_dock_molecule molecule(void *buffers[], const psg_task_args *args, int part) {
    return (psg_cpu_dock_molecule){psg_task_pointer(buffers, 0),
                                   dock_of(args)->molecule[part].atoms};
}

/* Grid g of rotation m of a task's batch. */
static float *grid_of(const psg_dock *d, float *cells, size_t m, size_t g) {
    return cells + (m * d->grids + g) * cells_of(d);
}

static void *spectrum_of(const psg_dock *d, void *spectrum, size_t g) {
    return (char *)spectrum + g * d->spectrum_bytes;
}

/* Rotation m of a task's batch. */
static const psg_cpu_dock_rotation *rotation(const psg_task_args *args, size_t m) {
    const psg_dock *d = dock_of(args);
    return &d->rotation[args->label.index[0] * d->batch + m];
}

/* What decides whether a pose of rotation m counts: dock_best has the potential and the atoms behind cells and poses. */
static base_dock_energies energies(void *buffers[], const psg_task_args *args, size_t m) {
    const psg_dock *d = dock_of(args);
    if (d->grids == 1) {
        return (base_dock_energies){.sums = NULL};
    }
    return (base_dock_energies){.sums = grid_of(d, psg_task_pointer(buffers, 0), m, 1),
                                .rounding = d->rounding,
                                .potential = psg_task_pointer(buffers, 2),
                                .atom = psg_task_pointer(buffers, 3),
                                .atoms = d->molecule[1].atoms,
                                .turn = psg_cpu_dock_turn(rotation(args, m), false)};
}

/* The cells are fewer bytes than their spectrum. */
static void dock_static_core(void *buffers[], const psg_task_args *args) {
    const psg_dock *d = dock_of(args);
    const psg_cpu_dock_molecule fixed = molecule(buffers, args, 0);
    float *cells = spectrum_scratch(args);
    psg_cpu_dock_static(&d->grid, &fixed, cells);
    psg_cpu_dock_transform(d->fft, d->grid.n, cells, psg_task_pointer(buffers, 1),
                           fft_scratch(args));
    psg_cpu_dock_clear(psg_task_pointer(buffers, 2), d->list);
    if (d->grids > 1) {
        float *potential = psg_task_pointer(buffers, 3);
        psg_cpu_dock_potential(&d->grid, &fixed, cells, potential);
        psg_cpu_dock_transform(d->fft, d->grid.n, potential,
                               spectrum_of(d, psg_task_pointer(buffers, 1), 1), fft_scratch(args));
    }
}

static void dock_voxel_core(void *buffers[], const psg_task_args *args) {
    const psg_dock *d = dock_of(args);
    const psg_cpu_dock_molecule mobile = molecule(buffers, args, 1);
    float *cells = psg_task_pointer(buffers, 1);
    for (size_t m = 0; m < psg_dock_count(d, args->label.index[0]); m++) {
        psg_cpu_dock_mobile(&d->grid, &mobile, rotation(args, m), grid_of(d, cells, m, 0));
        if (d->grids > 1) {
            psg_cpu_dock_charges(&d->grid, &mobile, rotation(args, m), grid_of(d, cells, m, 1));
        }
    }
}

static void dock_correlate_core(void *buffers[], const psg_task_args *args) {
    const psg_dock *d = dock_of(args);
    void *fixed = psg_task_pointer(buffers, 0);
    float *cells = psg_task_pointer(buffers, 1);
    for (size_t m = 0; m < psg_dock_count(d, args->label.index[0]); m++) {
        for (size_t g = 0; g < d->grids; g++) {
            psg_cpu_dock_correlate(d->fft, d->grid.n, spectrum_of(d, fixed, g),
                                   grid_of(d, cells, m, g), spectrum_scratch(args),
                                   fft_scratch(args));
        }
    }
}

static void dock_best_core(void *buffers[], const psg_task_args *args) {
    const psg_dock *d = dock_of(args);
    const size_t b = args->label.index[0];
    float *sums = psg_task_pointer(buffers, 0);
    base_dock_pose *poses = psg_task_pointer(buffers, 1);
    for (size_t m = 0; m < psg_dock_count(d, b); m++) {
        const base_dock_energies e = energies(buffers, args, m);
        psg_cpu_dock_best(&d->grid, grid_of(d, sums, m, 0), &e, (int32_t)(b * d->batch + m),
                          poses + m * BASE_DOCK_BEST);
    }
}

static void dock_merge_core(void *buffers[], const psg_task_args *args) {
    const base_dock_pose *poses = psg_task_pointer(buffers, 0);
    base_dock_pose *list = psg_task_pointer(buffers, 1);
    const psg_dock *d = dock_of(args);
    const size_t count = psg_dock_count(d, args->label.index[0]);
    for (size_t m = 0; m < count * BASE_DOCK_BEST; m++) {
        base_dock_insert(list, d->list, &poses[m]);
    }
}

#if PSG_WITH_CUDA
static psg_cuda_dock *gpu_of(const psg_task_args *args) {
    return psg_gpu_self(args->run->engine)->state;
}

static int dock_static_gpu(void *buffers[], const psg_task_args *args) {
    const psg_dock *d = dock_of(args);
    const psg_cpu_dock_molecule fixed = molecule(buffers, args, 0);
    void *spectrum = psg_task_pointer(buffers, 1);
    int code = psg_cuda_dock_static(gpu_of(args), &d->grid, fixed.atom, fixed.atoms, spectrum,
                                    psg_task_pointer(buffers, 2), d->list);
    if (code == 0 && d->grids > 1) {
        code = psg_cuda_dock_potential(gpu_of(args), &d->grid, fixed.atom, fixed.atoms,
                                       psg_task_pointer(buffers, 3), spectrum_of(d, spectrum, 1));
    }
    return code;
}

static int dock_voxel_gpu(void *buffers[], const psg_task_args *args) {
    const psg_dock *d = dock_of(args);
    const psg_cpu_dock_molecule mobile = molecule(buffers, args, 1);
    float *cells = psg_task_pointer(buffers, 1);
    int code = 0;
    for (size_t m = 0; m < psg_dock_count(d, args->label.index[0]) && code == 0; m++) {
        const base_dock_turn turn = psg_cpu_dock_turn(rotation(args, m), false);
        code = psg_cuda_dock_mobile(gpu_of(args), &d->grid, &turn, mobile.atom, mobile.atoms,
                                    grid_of(d, cells, m, 0));
        if (code == 0 && d->grids > 1) {
            code = psg_cuda_dock_charges(gpu_of(args), &d->grid, &turn, mobile.atom, mobile.atoms,
                                         grid_of(d, cells, m, 1));
        }
    }
    return code;
}

static int dock_correlate_gpu(void *buffers[], const psg_task_args *args) {
    const psg_dock *d = dock_of(args);
    void *fixed = psg_task_pointer(buffers, 0);
    float *cells = psg_task_pointer(buffers, 1);
    int code = 0;
    for (size_t m = 0; m < psg_dock_count(d, args->label.index[0]); m++) {
        for (size_t g = 0; g < d->grids && code == 0; g++) {
            code = psg_cuda_dock_correlate(gpu_of(args), spectrum_of(d, fixed, g),
                                           grid_of(d, cells, m, g));
        }
    }
    return code;
}

static int dock_best_gpu(void *buffers[], const psg_task_args *args) {
    const psg_dock *d = dock_of(args);
    const size_t b = args->label.index[0];
    float *sums = psg_task_pointer(buffers, 0);
    base_dock_pose *poses = psg_task_pointer(buffers, 1);
    int code = 0;
    for (size_t m = 0; m < psg_dock_count(d, b) && code == 0; m++) {
        const base_dock_energies e = energies(buffers, args, m);
        code = psg_cuda_dock_best(gpu_of(args), &d->grid, grid_of(d, sums, m, 0), &e,
                                  (int32_t)(b * d->batch + m), poses + m * BASE_DOCK_BEST);
    }
    return code;
}

static int dock_merge_gpu(void *buffers[], const psg_task_args *args) {
    const psg_dock *d = dock_of(args);
    const size_t count = psg_dock_count(d, args->label.index[0]) * BASE_DOCK_BEST;
    return psg_cuda_dock_merge(gpu_of(args), psg_task_pointer(buffers, 0), count,
                               psg_task_pointer(buffers, 1), d->list);
}

static int make_dock(void **state, const void *owner) {
    const psg_dock *d = owner;
    return psg_cuda_dock_create((psg_cuda_dock **)state, d->grid.n, starpu_cuda_get_local_stream());
}

static void destroy_dock(void *state, const void *owner) {
    (void)owner;
    psg_cuda_dock_destroy(state);
}

psg_gpu_user psg_dock_gpu(void) {
    return (psg_gpu_user){.make = make_dock,
                          .destroy = destroy_dock,
                          .words = psg_cuda_error_string,
                          .is_memory = psg_cuda_error_is_out_of_memory};
}
#else
psg_gpu_user psg_dock_gpu(void) {
    return (psg_gpu_user){.peers = false};
}
#endif

PSG_SOLVER_CODELET(dock_static, dock_static_core, dock_static_gpu);
PSG_SOLVER_CODELET(dock_voxel, dock_voxel_core, dock_voxel_gpu);
PSG_SOLVER_CODELET(dock_correlate, dock_correlate_core, dock_correlate_gpu);
PSG_SOLVER_CODELET(dock_best, dock_best_core, dock_best_gpu);
PSG_SOLVER_CODELET(dock_merge, dock_merge_core, dock_merge_gpu);

static psg_task_args args_of(psg_run *run, int kind, size_t b) {
    return (psg_task_args){.run = run, .label = {kind, {b, PSG_NO_INDEX, PSG_NO_INDEX}}};
}

/* Data that tasks have if atoms have charges. */
static size_t charged(const psg_run *run) {
    const psg_dock *d = run->engine->owner;
    return d->grids - 1;
}

void psg_task_dock_static(psg_run *run, starpu_data_handle_t atoms, starpu_data_handle_t spectrum,
                          starpu_data_handle_t list, starpu_data_handle_t potential) {
    const psg_task_args args = args_of(run, PSG_KIND_DOCK_STATIC, 0);
    const psg_task_data data[4] = {{&atoms, 1, 1, STARPU_R},
                                   {&spectrum, 1, 1, STARPU_W},
                                   {&list, 1, 1, STARPU_W},
                                   {&potential, charged(run), 1, STARPU_W}};
    psg_task_submit_data(dock_static_codelet, &args, data, 4);
}

void psg_task_dock_voxel(psg_run *run, size_t b, starpu_data_handle_t atoms,
                         starpu_data_handle_t cells) {
    const psg_task_args args = args_of(run, PSG_KIND_DOCK_VOXEL, b);
    const psg_task_data data[2] = {{&atoms, 1, 1, STARPU_R}, {&cells, 1, 1, STARPU_W}};
    psg_task_submit_data(dock_voxel_codelet, &args, data, 2);
}

void psg_task_dock_correlate(psg_run *run, size_t b, starpu_data_handle_t spectrum,
                             starpu_data_handle_t cells) {
    const psg_task_args args = args_of(run, PSG_KIND_DOCK_CORRELATE, b);
    const psg_task_data data[2] = {{&spectrum, 1, 1, STARPU_R}, {&cells, 1, 1, STARPU_RW}};
    psg_task_submit_data(dock_correlate_codelet, &args, data, 2);
}

void psg_task_dock_best(psg_run *run, size_t b, starpu_data_handle_t cells,
                        starpu_data_handle_t poses, starpu_data_handle_t potential,
                        starpu_data_handle_t atoms) {
    const psg_task_args args = args_of(run, PSG_KIND_DOCK_BEST, b);
    const psg_task_data data[4] = {{&cells, 1, 1, STARPU_R},
                                   {&poses, 1, 1, STARPU_W},
                                   {&potential, charged(run), 1, STARPU_R},
                                   {&atoms, charged(run), 1, STARPU_R}};
    psg_task_submit_data(dock_best_codelet, &args, data, 4);
}

void psg_task_dock_merge(psg_run *run, size_t b, starpu_data_handle_t poses,
                         starpu_data_handle_t list) {
    const psg_task_args args = args_of(run, PSG_KIND_DOCK_MERGE, b);
    const psg_task_data data[2] = {{&poses, 1, 1, STARPU_R}, {&list, 1, 1, STARPU_RW}};
    psg_task_submit_data(dock_merge_codelet, &args, data, 2);
}

/* ------------------------------------------------------------------------------- the kinds */

static size_t rotations_of(const psg_dock *d, const psg_label *label) {
    return label->kind == PSG_KIND_DOCK_STATIC ? 1 : psg_dock_count(d, label->index[0]);
}

/* Of a merge, lists of poses. */
static size_t grids_of(const psg_dock *d, const psg_label *label) {
    return rotations_of(d, label) * (label->kind == PSG_KIND_DOCK_MERGE ? 1 : d->grids);
}

/* The data of the last batch are as large as those of the others: its model has to be told how many grids it has. */
static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const psg_dock *d = owner;
    shape->n[0] = shape->n[1] = shape->n[2] = d->grid.n;
    shape->count = grids_of(d, label);
    shape->pieces = 1;
    shape->variant = (int)shape->count;
    shape->dense = true;
}

static double grids(const psg_task_shape *s) {
    return (double)s->count * (double)(s->n[0] * s->n[1] * s->n[2]);
}

static double poses(const psg_task_shape *s) {
    return (double)s->count;
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const psg_dock *d = owner;
    const double count = (double)rotations_of(d, label);
    const double grid = (double)cells_of(d) * sizeof(float);
    const double cells = count * (double)d->grids * grid;
    const double best = count * BASE_DOCK_BEST * sizeof(base_dock_pose);
    const double list = (double)d->list * sizeof(base_dock_pose);
    const double fixed = (double)(d->grids * d->spectrum_bytes);
    const double potential = (double)(d->grids - 1) * grid;
    const double atoms[2] = {(double)(d->molecule[0].atoms * sizeof(base_dock_atom)),
                             (double)(d->molecule[1].atoms * sizeof(base_dock_atom))};
    switch (label->kind) {
    case PSG_KIND_DOCK_STATIC:
        return (psg_traffic){atoms[0], fixed + potential + list};
    case PSG_KIND_DOCK_VOXEL:
        return (psg_traffic){atoms[1], cells};
    case PSG_KIND_DOCK_CORRELATE:
        return (psg_traffic){fixed + cells, cells};
    case PSG_KIND_DOCK_BEST:
        return (psg_traffic){cells, best};
    default:
        return (psg_traffic){best + list, list};
    }
}

/* Merges follow one another, in the order of batches. */
static int priority(const void *owner, const psg_label *label) {
    const psg_dock *d = owner;
    const int merges = (int)(psg_dock_batches(d) - label->index[0]);
    const int before = label->kind == PSG_KIND_DOCK_MERGE   ? 0
                       : label->kind == PSG_KIND_DOCK_BEST  ? 1
                       : label->kind == PSG_KIND_DOCK_VOXEL ? 3
                                                            : 2;
    const int first = label->kind == PSG_KIND_DOCK_STATIC;
    return d->by_path ? merges - 1 + before + first : 0;
}

#define KIND(kind, grows)                                                                          \
    const psg_kind psg_##kind##_kind = {.name = #kind,                                             \
                                        .shape = shape,                                            \
                                        .operations = grows,                                       \
                                        .traffic = traffic,                                        \
                                        .priority = priority}
KIND(dock_static, grids);
KIND(dock_voxel, grids);
KIND(dock_correlate, grids);
KIND(dock_best, grids);
KIND(dock_merge, poses);
