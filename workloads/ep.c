/* ep: the kernel EP of the NAS Parallel Benchmarks. Chunks of pairs are independent of each other,
 * and a binary tree adds up their numbers.
 *
 *   ep_chunk(0) -> n[0] -+- ep_add(0,0) -> n[0] -+- ep_add(0,1) -> n[0]
 *   ep_chunk(1) -> n[1] -'                       |
 *   ep_chunk(2) -> n[2] -+- ep_add(2,0) -> n[2] -'
 *   ep_chunk(3) -> n[3] -'
 *
 * A core adds in the same tree within a chunk, so that sums have the same bits for every size of
 * chunks. With :redux all chunks add to one sum in any order, which StarPU collects from its
 * workers before ep_add(0,0) reads it:
 *
 *   ep_chunk(0), ep_chunk(1), ... -> sum -- ep_add(0,0) -> n[0]
 *
 * Of several processes each has the chunks from one to another. The tree is that of one process:
 * where the two numbers of an ep_add are of two processes, the second goes to the first in a
 * message. With :redux the first process adds the sums of the others, in their order.
 */
#include "workloads/ep.h"
#include "graph/psg_machine.h"
#include "workloads/random.h"
#include "workloads/workload.h"

#include <starpu.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_LOG2 = EP_LEAF_LOG2, CHUNKS_LOG2 = 8 };

/* The published answers, NPB 3: https://www.nas.nasa.gov/software/npb.html */
static const struct class {
    char name;
    unsigned pairs_log2;
    double sum[EP_SUMS];
    double ring[EP_RINGS];
} classes[] = {
    {'S',
     24,
     {-3.247834652034740e3, -6.958407078382297e3},
     {6140517, 5865300, 1100361, 68546, 1648, 17}},
    {'W',
     25,
     {-2.863319731645753e3, -6.320053679109499e3},
     {12281576, 11729692, 2202726, 137368, 3371, 36}},
    {'A',
     28,
     {-4.295875165629892e3, -1.580732573678431e4},
     {98257395, 93827014, 17611549, 1110028, 26536, 245}},
    {'B',
     30,
     {4.033815542441498e4, -2.660669192809235e4},
     {393058470, 375280898, 70460742, 4438852, 105691, 948, 5}},
    {'C',
     32,
     {4.764367927995374e4, -8.084072988043731e4},
     {1572172634, 1501108549, 281805648, 17761221, 424017, 3821, 13}},
};
enum { CLASSES = sizeof classes / sizeof *classes };

typedef struct problem {
    workload_head head;
    unsigned pairs_log2; /* pairs of the problem */
    unsigned chunk_log2; /* pairs of a chunk */
    bool redux; /* chunks add to one sum by STARPU_REDUX; else each has numbers of its own */
    const struct class *class;
    size_t chunks;
    size_t parts; /* chunks; or with `redux` what ep_add writes, the sum, and those of the other
                     processes */
    double (*numbers)[EP_NUMBERS]; /* [parts] */
    psg_data *handle;              /* [parts]: of numbers, and one more: scratch */
} problem;

/* --------------------------------------------------------------------------- pairs, on a core */

static void add_leaf(uint64_t first, double numbers[EP_NUMBERS]) {
    uint64_t x = random_after(RANDOM_SEED, 2 * first);
    uint64_t ring[EP_RINGS] = {0};
    double sum[EP_SUMS] = {0, 0}, normals[2];
    for (unsigned pair = 0; pair < 1U << EP_LEAF_LOG2; pair++) {
        const int l = random_normals(&x, normals);
        if (l >= 0) {
            ring[l < EP_RINGS ? l : EP_RINGS - 1]++;
            sum[0] += normals[0];
            sum[1] += normals[1];
        }
    }
    memcpy(numbers, sum, sizeof sum);
    for (int l = 0; l < EP_RINGS; l++) {
        numbers[EP_SUMS + l] = (double)ring[l];
    }
}

void ep_cpu_add(double sum[EP_NUMBERS], const double numbers[EP_NUMBERS]) {
    for (int m = 0; m < EP_NUMBERS; m++) {
        sum[m] += numbers[m];
    }
}

/* Sums wait in a stack until they have a neighbour of their size: that of leaves 0 to 3 is added to
 * that of 4 to 7. */
void ep_cpu(uint64_t first, uint64_t count, double numbers[EP_NUMBERS]) {
    double waiting[64][EP_NUMBERS];
    int top = 0;
    for (uint64_t leaf = 0; leaf < count >> EP_LEAF_LOG2; leaf++) {
        add_leaf(first + (leaf << EP_LEAF_LOG2), waiting[top++]);
        for (uint64_t pairs = leaf; (pairs & 1) != 0; pairs >>= 1, top--) {
            ep_cpu_add(waiting[top - 2], waiting[top - 1]);
        }
    }
    memcpy(numbers, waiting[0], sizeof waiting[0]);
}

/* ----------------------------------------------------------------------------------- the tasks */

enum { CHUNK, ADD, KINDS };
static int first_kind;

static uint64_t first_pair(const psg_task *task) {
    return (uint64_t)task->label->index[0] << ((const problem *)task->owner)->chunk_log2;
}

static void ep_chunk_core(const psg_task *task) {
    double own[EP_NUMBERS];
    double *numbers = ((const problem *)task->owner)->redux ? own : psg_task_memory(task, 0);
    ep_cpu(first_pair(task), UINT64_C(1) << ((const problem *)task->owner)->chunk_log2, numbers);
    if (numbers == own) {
        ep_cpu_add(psg_task_memory(task, 0), own);
    }
}

static void ep_add_core(const psg_task *task) {
    (void)task;
    ep_cpu_add(psg_task_memory(task, 0), psg_task_memory(task, 1));
}

#ifdef WORKLOADS_CUDA
/* The scratch begins with the chunk's own numbers. */
static int ep_chunk_gpu(const psg_task *task) {
    const cudaStream_t stream = task->stream;
    double *own = psg_task_memory(task, 1);
    double *numbers = ((const problem *)task->owner)->redux ? own : psg_task_memory(task, 0);
    const cudaError_t result = ep_cuda(first_pair(task), ((const problem *)task->owner)->chunk_log2,
                                       numbers, own + EP_NUMBERS, stream);
    return (int)(result == cudaSuccess && numbers == own
                     ? ep_cuda_add(psg_task_memory(task, 0), own, stream)
                     : result);
}

static int ep_add_gpu(const psg_task *task) {
    (void)task;
    return (int)ep_cuda_add(psg_task_memory(task, 0), psg_task_memory(task, 1), task->stream);
}
#endif

static size_t scratch_of(unsigned chunk_log2) {
#ifdef WORKLOADS_CUDA
    return EP_NUMBERS + ep_cuda_scratch(chunk_log2);
#else
    (void)chunk_log2;
    return 1;
#endif
}

/* The data of a chunk are as large as those of any other: its model has to be told how many pairs
 * it has. */
static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const problem *ep = owner;
    const bool chunk = label->kind == first_kind + CHUNK;
    workload_shape(shape, EP_NUMBERS, 1, 1, chunk ? (size_t)1 << ep->chunk_log2 : 1, chunk ? 1 : 2);
    shape->variant = chunk ? (int)ep->chunk_log2 : 0;
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    (void)owner;
    const double bytes = EP_NUMBERS * sizeof(double);
    return (psg_traffic){label->kind == first_kind + ADD ? 2 * bytes : 0, bytes};
}

/* All paths to the sum of all chunks are as long. */
static int priority(const void *owner, const psg_label *label) {
    const problem *ep = owner;
    const int steps = (int)(ep->pairs_log2 - ep->chunk_log2);
    const int step = label->kind == first_kind + ADD ? (int)label->index[2] + 1 : 0;
    return ep->head.by_path ? steps - step : 0;
}

static const psg_kind kinds[KINDS] = {
    [CHUNK] = {WORKLOAD_KIND("ep_chunk", ep_chunk_core, ep_chunk_gpu, workload_numbers)},
    [ADD] = {WORKLOAD_KIND("ep_add", ep_add_core, ep_add_gpu, workload_numbers)}};

/* -------------------------------------------------------------------------- what StarPU submits */

static void *memory_of(void *buffers[], size_t m) {
    return (void *)STARPU_BLOCK_GET_PTR(buffers[m]);
}

/* These are no tasks of the run. A GPU that refuses one leaves a wrong sum, which is found. */

static void zero_cpu(void *buffers[], void *argument) {
    (void)argument;
    memset(memory_of(buffers, 0), 0, EP_NUMBERS * sizeof(double));
}

static void sum_cpu(void *buffers[], void *argument) {
    (void)argument;
    ep_cpu_add(memory_of(buffers, 0), memory_of(buffers, 1));
}

#ifdef WORKLOADS_CUDA
static void zero_cuda(void *buffers[], void *argument) {
    (void)argument;
    (void)cudaMemsetAsync(memory_of(buffers, 0), 0, EP_NUMBERS * sizeof(double),
                          starpu_cuda_get_local_stream());
}

static void sum_cuda(void *buffers[], void *argument) {
    (void)argument;
    (void)ep_cuda_add(memory_of(buffers, 0), memory_of(buffers, 1), starpu_cuda_get_local_stream());
}

#define EP_CUDA(function) .cuda_funcs = {function}, .cuda_flags = {STARPU_CUDA_ASYNC},
#else
#define EP_CUDA(function)
#endif
static struct starpu_codelet zero_codelet = {.name = "ep_zero",
                                             .cpu_funcs = {zero_cpu},
                                             EP_CUDA(zero_cuda).nbuffers = 1,
                                             .modes = {STARPU_W}};
static struct starpu_codelet sum_codelet = {.name = "ep_sum",
                                            .cpu_funcs = {sum_cpu},
                                            EP_CUDA(sum_cuda).nbuffers = 2,
                                            .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R}};

/* ------------------------------------------------------------------------------------ the size */

static psg_status parse(void *memory, const char *size, const workload_options *how) {
    problem *p = memory;
    for (size_t c = 0; c < CLASSES && p->class == NULL; c++) {
        p->class = size[0] == classes[c].name ? &classes[c] : NULL;
    }
    const bool redux = p->class != NULL && strcmp(size + 1, ":redux") == 0;
    if (p->class == NULL || (!redux && size[1] != '\0')) {
        return workload_fail(PSG_ERR_ARG,
                             "ep has no class '%s': it has S, W, A, B and C, and S:redux and so on",
                             size);
    }
    if (redux && psg_simulation()) {
        return workload_fail(PSG_ERR_UNSUPPORTED,
                             "ep:%s: the times of StarPU's own sums are in no machine file", size);
    }
    const unsigned pairs = p->class->pairs_log2;
    const psg_status status =
        workload_check_tile(how, "ep:", size, "chunks of 2^T pairs", LEAST_LOG2, pairs);
    if (status != PSG_OK) {
        return status;
    }
    p->pairs_log2 = pairs;
    p->chunk_log2 = how->tile > 0 ? (unsigned)how->tile : pairs - CHUNKS_LOG2;
    p->redux = redux;
    p->chunks = (size_t)1 << (pairs - p->chunk_log2);
    return PSG_OK;
}

static psg_status share(void *memory, const psg_engine_workers *workers) {
    problem *p = memory;
    p->parts = p->redux ? 1 + (size_t)p->head.ranks : p->chunks;
    return workload_check_share(workers, "ep", p->chunks, "chunks");
}

/* Two in each step of the tree, at most: one beyond each end of the share. */
static size_t messages(const void *memory) {
    const problem *p = memory;
    return p->redux ? (size_t)p->head.ranks : 2 * (size_t)(p->pairs_log2 - p->chunk_log2);
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "2^%u pairs in %zu chunk%s of 2^%u%s", p->pairs_log2, p->chunks,
                   p->chunks == 1 ? "" : "s", p->chunk_log2, p->redux ? ", STARPU_REDUX" : "");
}

static workload_needs needs(const void *memory) {
    const problem *p = memory;
    const double parts = (double)p->parts;
    return (workload_needs){parts * sizeof *p->numbers, parts, 2 * (double)p->chunks,
                            (double)scratch_of(p->chunk_log2) * sizeof(double)};
}

static void make(void *memory) {
    problem *p = memory;
    p->numbers = workload_memory(&p->head, p->parts, sizeof *p->numbers);
    p->handle = workload_memory(&p->head, p->parts + 1, sizeof *p->handle);
    for (size_t c = 0; c <= p->parts && !p->head.failed; c++) {
        const bool scratch = c == p->parts;
        workload_lend(&p->head, &p->handle[c], scratch ? NULL : p->numbers[c],
                      scratch ? scratch_of(p->chunk_log2) : EP_NUMBERS, 1, 1, sizeof(double));
    }
    if (p->redux && !p->head.failed) { /* each worker has numbers of its own, which are added up
                                          before a task reads the sum */
        starpu_data_set_reduction_methods(p->handle[1], &sum_codelet, &zero_codelet);
    }
}

static void clear(const void *memory, size_t part, void *numbers, void *result) {
    (void)memory, (void)part, (void)result;
    memset(numbers, 0, EP_NUMBERS * sizeof(double));
}

/* What is added to begins with 0. */
static bool prepare(const void *memory) {
    const problem *p = memory;
    return workload_visit(p, p->handle, p->redux ? p->parts : 0, 1, true, clear, NULL);
}

/* Chunk c -> its numbers; or, with `redux`, they are added to the sum of all. The scratch is
 * nobody's, for one task at a time. */
static void submit_chunk(psg_run *run, const problem *p, size_t c) {
    const psg_task_data data[] = {
        {&p->handle[p->redux ? 1 : c], 1, 1, p->redux ? STARPU_REDUX : STARPU_W},
        {&p->handle[p->parts], 1, 1, STARPU_SCRATCH}};
    psg_run_submit(run, (psg_label){first_kind + CHUNK, {c, PSG_NO_INDEX, PSG_NO_INDEX}}, data, 2);
}

/* Numbers are added to those of chunk c, in a step of the tree. */
static void submit_add(psg_run *run, const problem *p, size_t c, size_t step, size_t numbers) {
    const psg_task_data data[] = {{&p->handle[c], 1, 1, STARPU_RW},
                                  {&p->handle[numbers], 1, 1, STARPU_R}};
    psg_run_submit(run, (psg_label){first_kind + ADD, {c, PSG_NO_INDEX, step}}, data, 2);
}

static int owner(const problem *p, size_t c) {
    return (int)(((c + 1) * (size_t)p->head.ranks - 1) / p->chunks);
}

/* The same, of what a process has to those that another one has. @param[in] given, taken  where it
 * is there, and here */
static void add_from(psg_run *run, const problem *p, const int between[2], const size_t at[2],
                     size_t given, size_t taken) {
    const psg_travel how = {.rank = between[p->head.rank == between[0]],
                            .tag = (int)at[1],
                            .index = {at[0], PSG_NO_INDEX, at[1]}};
    if (between[0] != between[1] && p->head.rank == between[1]) {
        psg_run_send(run, p->handle[given], &how);
    } else if (p->head.rank == between[0]) {
        if (between[0] != between[1]) {
            psg_run_receive(run, p->handle[taken], &how);
        }
        submit_add(run, p, at[0], at[1], taken);
    }
}

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    const size_t end = workload_first(p->chunks, p->head.rank + 1, p->head.ranks);
    for (size_t c = workload_first(p->chunks, p->head.rank, p->head.ranks); c < end; c++) {
        submit_chunk(run, p, c);
    }
    if (p->redux) {
        submit_add(run, p, 0, 0, 1);
    }
    for (int r = 1; r < p->head.ranks && p->redux; r++) {
        add_from(run, p, (const int[2]){0, r}, (const size_t[2]){0, (size_t)r}, 0, 1 + (size_t)r);
    }
    for (size_t step = 0; (size_t)1 << step < p->chunks && !p->redux; step++) {
        const size_t apart = (size_t)1 << step;
        for (size_t c = 0; c < p->chunks; c += 2 * apart) {
            add_from(run, p, (const int[2]){owner(p, c), owner(p, c + apart)},
                     (const size_t[2]){c, step}, c + apart, c + apart);
        }
    }
}

static void put_values(const void *memory, size_t part, void *numbers, void *answers) {
    (void)memory, (void)part;
    for (int m = 0; m < EP_NUMBERS; m++) {
        ((workload_answer *)answers)[m].value = ((const double *)numbers)[m];
    }
}

static size_t answers(void *memory, workload_answer *list) {
    const problem *p = memory;
    for (int m = 0; m < EP_NUMBERS; m++) {
        const bool sum = m < EP_SUMS;
        const int ring = m - EP_SUMS;
        list[m] = (workload_answer){.expected = sum ? p->class->sum[m] : p->class->ring[ring],
                                    .tolerance = sum ? 1e-8 : 0};
        (void)snprintf(list[m].name, sizeof list[m].name, sum ? "sum_%c" : "count_%d",
                       sum ? "xy"[m] : ring);
    }
    return workload_visit(p, p->handle, p->head.rank == 0, 1, false, put_values, list) ? EP_NUMBERS
                                                                                       : 0;
}

const workload_row workload_ep = {
    .facts = {.name = "ep",
              .about = "normal random pairs, counted: independent tasks and a reduction",
              .sizes = "S, W, A, B or C: 2^24, 2^25, 2^28, 2^30 or 2^32 pairs; S:redux and so on: "
                       "sums by STARPU_REDUX",
              .tile = "T, 16 or more: 2^T pairs a task",
              .processes = true},
    WORKLOAD_FIELDS,
    .cut = share,
    .messages = messages,
    .prepare = prepare,
};
