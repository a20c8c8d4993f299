/* ep: the kernel EP of the NAS Parallel Benchmarks. Chunks of pairs are independent of each other, and a binary tree
 * adds up their numbers.
 *
 *   ep_chunk(0) -> n[0] -+- ep_add(0,0) -> n[0] -+- ep_add(0,1) -> n[0]
 *   ep_chunk(1) -> n[1] -'                       |
 *   ep_chunk(2) -> n[2] -+- ep_add(2,0) -> n[2] -'
 *   ep_chunk(3) -> n[3] -'
 *
 * A core adds in the same tree within a chunk, so that sums have the same bits for every size of chunks. With :redux all chunks add to one
 * sum in any order, which StarPU collects from its workers before ep_add(0,0) reads it:
 *
 *   ep_chunk(0), ep_chunk(1), ... -> sum -- ep_add(0,0) -> n[0]
 */
#include "codelets/workloads/ep.h"
#include "base/random.h"
#include "base/tuning.h"
#include "graph/block.h"
#include "graph/status.h"
#include "graph/workloads/row.h"
#include "runtime/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_LOG2 = PSG_CPU_EP_LEAF_LOG2, CHUNKS_LOG2 = 8 };

/* The published answers, NPB 3: https://www.nas.nasa.gov/software/npb.html */
static const struct class {
    char name;
    unsigned pairs_log2;
    double sum[PSG_CPU_EP_SUMS];
    double ring[PSG_CPU_EP_RINGS];
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
    psg_ep ep; /* what its tasks see: first, as the problem is the owner of the engine */
    const struct class *class;
    size_t chunks;
    size_t parts; /* chunks; or with `redux` two: what ep_add writes, and the sum */
    double (*numbers)[PSG_CPU_EP_NUMBERS]; /* [parts] */
    starpu_data_handle_t *handle;          /* [parts]: of numbers, and one more: scratch */
} problem;

static psg_status parse(void *memory, const char *size, const psg_work_options *how,
                        psg_precision precision) {
    problem *p = memory;
    (void)precision;
    for (size_t c = 0; c < CLASSES && p->class == NULL; c++) {
        p->class = size[0] == classes[c].name ? &classes[c] : NULL;
    }
    const bool redux = p->class != NULL && strcmp(size + 1, ":redux") == 0;
    if (p->class == NULL || (!redux && size[1] != '\0')) {
        return psg_fail(PSG_ERR_ARG,
                        "ep has no class '%s': it has S, W, A, B and C, and S:redux and so on",
                        size);
    }
    if (redux && psg_simulated()) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "ep:%s: the times of StarPU's own sums are in no machine file", size);
    }
    const unsigned pairs = p->class->pairs_log2;
    if (how->tile > 0 && (how->tile < LEAST_LOG2 || how->tile > pairs)) {
        return psg_fail(PSG_ERR_ARG, "tile = %zu: ep:%s has chunks of 2^T pairs, T from %d to %u",
                        how->tile, size, LEAST_LOG2, pairs);
    }
    p->ep = (psg_ep){.pairs_log2 = pairs,
                     .chunk_log2 = how->tile > 0 ? (unsigned)how->tile : pairs - CHUNKS_LOG2,
                     .redux = redux,
                     .by_path = how->priority == PSG_PRIORITY_PATH};
    p->chunks = (size_t)1 << (pairs - p->ep.chunk_log2);
    p->parts = redux ? 2 : p->chunks;
    return PSG_OK;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "2^%u pairs in %zu chunk%s of 2^%u%s", p->ep.pairs_log2, p->chunks,
                   p->chunks == 1 ? "" : "s", p->ep.chunk_log2,
                   p->ep.redux ? ", STARPU_REDUX" : "");
}

static psg_needs needs(const void *memory, const psg_workers *workers) {
    const problem *p = memory;
    const double scratch = (double)psg_ep_scratch(p->ep.chunk_log2) * sizeof(double);
    return (psg_needs){(double)p->parts * (sizeof *p->numbers + TUNING_HANDLE_BYTES),
                       2 * (double)p->chunks * TUNING_TASK_BYTES +
                           (double)workers->count * scratch};
}

static psg_status make(void *memory, const psg_workers *workers) {
    problem *p = memory;
    (void)workers;
    const size_t n[3] = {PSG_CPU_EP_NUMBERS, 1, 1};
    const size_t scratch[3] = {psg_ep_scratch(p->ep.chunk_log2), 1, 1};
    p->numbers = calloc(p->parts, sizeof *p->numbers);
    p->handle = calloc(p->parts + 1, sizeof *p->handle);
    if (p->numbers == NULL || p->handle == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the sums of %zu chunks", p->chunks);
    }
    for (size_t c = 0; c < p->parts; c++) {
        psg_block_register(&p->handle[c], STARPU_MAIN_RAM, p->numbers[c], n, n[0], sizeof(double));
    }
    psg_block_register(&p->handle[p->parts], STARPU_MAIN_RAM, NULL, scratch, scratch[0],
                       sizeof(double));
    if (p->ep.redux) {
        psg_ep_reduce(p->handle[1]);
    }
    return PSG_OK;
}

/* What is added to begins with 0. */
static bool prepare(const void *memory) {
    const problem *p = memory;
    bool good = true;
    for (size_t c = 0; c < p->parts && p->ep.redux && good; c++) {
        good = starpu_data_acquire_on_node(p->handle[c], STARPU_MAIN_RAM, STARPU_W) == 0;
        if (good) {
            memset(p->numbers[c], 0, sizeof p->numbers[c]);
            starpu_data_release_on_node(p->handle[c], STARPU_MAIN_RAM);
        }
    }
    return good;
}

static void submit_reduced(psg_run *run, const problem *p) {
    for (size_t c = 0; c < p->chunks; c++) {
        psg_task_ep_chunk(run, c, p->handle[1], p->handle[2]);
    }
    psg_task_ep_add(run, 0, 0, p->handle[0], p->handle[1]);
}

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    if (p->ep.redux) {
        submit_reduced(run, p);
        return;
    }
    for (size_t c = 0; c < p->chunks; c++) {
        psg_task_ep_chunk(run, c, p->handle[c], p->handle[p->parts]);
    }
    for (size_t step = 0; (size_t)1 << step < p->chunks; step++) {
        const size_t apart = (size_t)1 << step;
        for (size_t c = 0; c < p->chunks; c += 2 * apart) {
            psg_task_ep_add(run, c, step, p->handle[c], p->handle[c + apart]);
        }
    }
}

static size_t answers(const void *memory, psg_answer *list) {
    const problem *p = memory;
    if (starpu_data_acquire_on_node(p->handle[0], STARPU_MAIN_RAM, STARPU_R) != 0) {
        return 0;
    }
    for (int m = 0; m < PSG_CPU_EP_NUMBERS; m++) {
        const bool sum = m < PSG_CPU_EP_SUMS;
        const int ring = m - PSG_CPU_EP_SUMS;
        list[m] = (psg_answer){.value = p->numbers[0][m],
                               .expected = sum ? p->class->sum[m] : p->class->ring[ring],
                               .tolerance = sum ? 1e-8 : 0};
        if (sum) {
            (void)snprintf(list[m].name, sizeof list[m].name, "sum_%c", "xy"[m]);
        } else {
            (void)snprintf(list[m].name, sizeof list[m].name, "count_%d", ring);
        }
    }
    starpu_data_release_on_node(p->handle[0], STARPU_MAIN_RAM);
    return PSG_CPU_EP_NUMBERS;
}

static void destroy(void *memory) {
    problem *p = memory;
    psg_block_unregister(p->handle, p->handle != NULL ? p->parts + 1 : 0);
    free(p->handle);
    free(p->numbers);
}

static const int kinds[] = {PSG_KIND_EP_CHUNK, PSG_KIND_EP_ADD, -1};

const psg_workload_row psg_workload_ep = {
    .about = {.name = "ep",
              .about = "normal random pairs, counted: independent tasks and a reduction",
              .sizes = "S, W, A, B or C: 2^24, 2^25, 2^28, 2^30 or 2^32 pairs; S:redux and so on: "
                       "sums by STARPU_REDUX",
              .tile = "T, 16 or more: 2^T pairs a task"},
    .bytes = sizeof(problem),
    .kinds = kinds,
    .parse = parse,
    .needs = needs,
    .tell = tell,
    .make = make,
    .prepare = prepare,
    .submit = submit,
    .answers = answers,
    .free = destroy,
};
