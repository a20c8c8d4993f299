/* whole: all of a solve of some right-hand sides, by one worker, which has room for their spectra.
 * So nothing is exchanged: cores solve one right-hand side each, and a GPU has few launches for
 * many small ones. */
#include "codelets/whole.h"
#include "base/memory.h"
#include "codelets/codelet.h"
#include "codelets/plane.h"
#include "codelets/sides.h"
#if PSG_WITH_CUDA
#include "codelets/cuda_whole.h"
#endif

/* The label has the first right-hand side and, in the last place, the last one. */
static size_t count_of(const psg_label *label) {
    return label->index[2] - label->index[0] + 1;
}

/* ------------------------------------------------------------------------------------- cores */

/* This core's room for one spectrum, made by its first task. @return NULL: no memory */
static char *spectrum_of(const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const size_t bytes = c->layout.n[2] * c->layout.nyc * c->layout.nxc * 2 * c->cpu->real_bytes;
    void **spectrum = &c->spectra[psg_task_worker(args)];
    if (*spectrum == NULL) {
        *spectrum = base_allocate(bytes);
    }
    if (*spectrum == NULL) {
        psg_run_fail(args->run, PSG_FAULT_MEMORY,
                     "no memory for the spectrum of a right-hand side: %zu bytes were asked for",
                     bytes);
    }
    return *spectrum;
}

/* A core has one right-hand side at a time. */
static void whole_core(void *buffers[], const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const size_t *n = c->layout.n;
    const size_t real = c->cpu->real_bytes;
    const size_t number = args->label.index[0];
    char *spectrum = spectrum_of(args);
    if (spectrum == NULL) {
        return;
    }
    const psg_cpu_piece whole = {spectrum, c->layout.nyc * c->layout.nxc, n[2]};
    const psg_cpu_sheet sheet = {
        .pieces = 1, .piece = &whole, .nxc = c->layout.row, .columns = whole.pitch};
    const psg_cpu_divide divide = psg_divide_of(args);
    const char *f = psg_task_pointer(buffers, 0);
    char *u = psg_task_pointer(buffers, 1);
    for (size_t k = 0; k < n[2]; k++) {
        size_t pitch = psg_task_row_pitch(buffers, 0);
        const void *plane =
            psg_sides_plane(args, number, k, f + k * psg_task_pitch(buffers, 0) * real, &pitch);
        c->cpu->fft_xy(c->fft, plane, pitch, spectrum + k * whole.pitch * 2 * real,
                       psg_task_scratch(args));
    }
    bool finite = c->cpu->kspace(c->fft, &divide, &sheet, psg_task_scratch(args),
                                 psg_findings_mode0(args->run, number));
    for (size_t k = 0; k < n[2]; k++) {
        c->cpu->ifft_xy(c->fft, spectrum + k * whole.pitch * 2 * real,
                        u + k * psg_task_pitch(buffers, 1) * real, psg_task_row_pitch(buffers, 1),
                        psg_task_scratch(args));
        finite = psg_plane_finite(c, buffers, 1, k) && finite;
    }
    if (!finite) {
        atomic_store(psg_findings_nonfinite(args->run, number), 1);
    }
}

/* -------------------------------------------------------------------------------------- GPUs */

#if PSG_WITH_CUDA
static int whole_gpu(void *buffers[], const psg_task_args *args) {
    return psg_cuda_whole(args, args->label.index[0], count_of(&args->label), buffers);
}
#endif

PSG_SOLVER_CODELET(whole, whole_core, whole_gpu);

/* ---------------------------------------------------------------------------------- the kind */

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    psg_context_extents(owner, shape);
    shape->count = shape->n[2] * count_of(label);
    shape->pieces = count_of(label);
    shape->dense = true;
}

/* The spectrum stays in a cache, or is written and read twice. */
static psg_traffic traffic(const void *owner, const psg_label *label) {
    const psg_context *c = owner;
    const double points = (double)(c->layout.n[0] * c->layout.n[1] * c->layout.n[2]);
    const double bytes = points * (double)(c->cpu->real_bytes * count_of(label));
    return (psg_traffic){bytes, bytes};
}

const psg_kind psg_whole_kind = {.name = "whole", .shape = shape, .traffic = traffic};

void psg_task_whole(psg_run *run, size_t first, size_t count, int worker, starpu_data_handle_t f,
                    starpu_data_handle_t u) {
    const psg_task_args args = {
        .run = run,
        .label = {.kind = PSG_TASK_WHOLE, .index = {first, PSG_NO_INDEX, first + count - 1}}};
    struct starpu_task *task = psg_task_create(whole_codelet, &args, 2);
    if (task != NULL) {
        psg_task_use(task, 0, f, STARPU_R);
        psg_task_use(task, 1, u, STARPU_W);
        task->execute_on_a_specific_worker = worker >= 0;
        task->workerid = worker >= 0 ? (unsigned)worker : 0;
        task->where = worker >= 0 ? -1 : task->where; /* where the codelet can run */
    }
    psg_task_submit(run, task);
}
