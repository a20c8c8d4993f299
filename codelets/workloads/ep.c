#include "codelets/workloads/ep.h"
#include "codelets/codelet.h"
#if PSG_WITH_CUDA
#include "kernels/ep.h"

_Static_assert((int)PSG_CUDA_EP_NUMBERS == (int)PSG_CPU_EP_NUMBERS, "one form on both");
#endif

#include <string.h>

static const psg_ep *ep_of(const psg_task_args *args) {
    return args->run->engine->owner;
}

static uint64_t first_pair(const psg_task_args *args) {
    return (uint64_t)args->label.index[0] << ep_of(args)->chunk_log2;
}

static void ep_chunk_core(void *buffers[], const psg_task_args *args) {
    double own[PSG_CPU_EP_NUMBERS];
    double *numbers = ep_of(args)->redux ? own : psg_task_pointer(buffers, 0);
    psg_cpu_ep(first_pair(args), UINT64_C(1) << ep_of(args)->chunk_log2, numbers);
    if (numbers == own) {
        psg_cpu_ep_add(psg_task_pointer(buffers, 0), own);
    }
}

static void ep_add_core(void *buffers[], const psg_task_args *args) {
    (void)args;
    psg_cpu_ep_add(psg_task_pointer(buffers, 0), psg_task_pointer(buffers, 1));
}

#if PSG_WITH_CUDA
/* The scratch begins with the chunk's own numbers. */
static int ep_chunk_gpu(void *buffers[], const psg_task_args *args) {
    const cudaStream_t stream = starpu_cuda_get_local_stream();
    double *own = psg_task_pointer(buffers, 1);
    double *numbers = ep_of(args)->redux ? own : psg_task_pointer(buffers, 0);
    const cudaError_t result = psg_cuda_ep(first_pair(args), ep_of(args)->chunk_log2, numbers,
                                           own + PSG_CUDA_EP_NUMBERS, stream);
    return (int)(result == cudaSuccess && numbers == own
                     ? psg_cuda_ep_add(psg_task_pointer(buffers, 0), own, stream)
                     : result);
}

static int ep_add_gpu(void *buffers[], const psg_task_args *args) {
    (void)args;
    return (int)psg_cuda_ep_add(psg_task_pointer(buffers, 0), psg_task_pointer(buffers, 1),
                                starpu_cuda_get_local_stream());
}
#endif

PSG_SOLVER_CODELET(ep_chunk, ep_chunk_core, ep_chunk_gpu);
PSG_SOLVER_CODELET(ep_add, ep_add_core, ep_add_gpu);

size_t psg_ep_scratch(unsigned chunk_log2) {
#if PSG_WITH_CUDA
    return PSG_CUDA_EP_NUMBERS + psg_cuda_ep_scratch(chunk_log2);
#else
    (void)chunk_log2;
    return 1;
#endif
}

void psg_task_ep_chunk(psg_run *run, size_t chunk, starpu_data_handle_t numbers,
                       starpu_data_handle_t scratch) {
    const psg_task_args args = {.run = run,
                                .label = {PSG_KIND_EP_CHUNK, {chunk, PSG_NO_INDEX, PSG_NO_INDEX}}};
    const psg_task_data data[2] = {{&numbers, 1, 1, ep_of(&args)->redux ? STARPU_REDUX : STARPU_W},
                                   {&scratch, 1, 1, STARPU_SCRATCH}};
    psg_task_submit_data(ep_chunk_codelet, &args, data, 2);
}

void psg_task_ep_add(psg_run *run, size_t chunk, size_t step, starpu_data_handle_t sum,
                     starpu_data_handle_t numbers) {
    const psg_task_args args = {.run = run,
                                .label = {PSG_KIND_EP_ADD, {chunk, PSG_NO_INDEX, step}}};
    const psg_task_data data[2] = {{&sum, 1, 1, STARPU_RW}, {&numbers, 1, 1, STARPU_R}};
    psg_task_submit_data(ep_add_codelet, &args, data, 2);
}

/* -------------------------------------------------------------------------- what StarPU submits */

/* These are no tasks of the run. A GPU that refuses one leaves a wrong sum, which is found. */

static void zero_cpu(void *buffers[], void *argument) {
    (void)argument;
    memset(psg_task_pointer(buffers, 0), 0, PSG_CPU_EP_NUMBERS * sizeof(double));
}

static void sum_cpu(void *buffers[], void *argument) {
    (void)argument;
    psg_cpu_ep_add(psg_task_pointer(buffers, 0), psg_task_pointer(buffers, 1));
}

#if PSG_WITH_CUDA
static void zero_cuda(void *buffers[], void *argument) {
    (void)argument;
    (void)cudaMemsetAsync(psg_task_pointer(buffers, 0), 0, PSG_CPU_EP_NUMBERS * sizeof(double),
                          starpu_cuda_get_local_stream());
}

static void sum_cuda(void *buffers[], void *argument) {
    (void)argument;
    (void)psg_cuda_ep_add(psg_task_pointer(buffers, 0), psg_task_pointer(buffers, 1),
                          starpu_cuda_get_local_stream());
}
#endif

static struct starpu_codelet zero_codelet = {.name = "ep_zero",
                                             .cpu_funcs = {zero_cpu},
                                             PSG_CODELET_CUDA(zero).nbuffers = 1,
                                             .modes = {STARPU_W}};
static struct starpu_codelet sum_codelet = {.name = "ep_sum",
                                            .cpu_funcs = {sum_cpu},
                                            PSG_CODELET_CUDA(sum).nbuffers = 2,
                                            .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R}};

void psg_ep_reduce(starpu_data_handle_t sum) {
    starpu_data_set_reduction_methods(sum, &sum_codelet, &zero_codelet);
}

/* -------------------------------------------------------------------------------- the kinds */

/* The data of a chunk are as large as those of any other: its model has to be told how many pairs it has. */
static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const psg_ep *ep = owner;
    const bool chunk = label->kind == PSG_KIND_EP_CHUNK;
    shape->n[0] = PSG_CPU_EP_NUMBERS;
    shape->n[1] = shape->n[2] = 1;
    shape->count = chunk ? (size_t)1 << ep->chunk_log2 : 1;
    shape->pieces = chunk ? 1 : 2;
    shape->variant = chunk ? (int)ep->chunk_log2 : 0;
    shape->dense = true;
}

static double pairs(const psg_task_shape *s) {
    return (double)s->count;
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    (void)owner;
    const double bytes = PSG_CPU_EP_NUMBERS * sizeof(double);
    return (psg_traffic){label->kind == PSG_KIND_EP_ADD ? 2 * bytes : 0, bytes};
}

/* All paths to the sum of all chunks are as long. */
static int priority(const void *owner, const psg_label *label) {
    const psg_ep *ep = owner;
    const int steps = (int)(ep->pairs_log2 - ep->chunk_log2);
    const int step = label->kind == PSG_KIND_EP_ADD ? (int)label->index[2] + 1 : 0;
    return ep->by_path ? steps - step : 0;
}

const psg_kind psg_ep_chunk_kind = {.name = "ep_chunk",
                                    .shape = shape,
                                    .operations = pairs,
                                    .traffic = traffic,
                                    .priority = priority};
const psg_kind psg_ep_add_kind = {.name = "ep_add",
                                  .shape = shape,
                                  .operations = pairs,
                                  .traffic = traffic,
                                  .priority = priority};
