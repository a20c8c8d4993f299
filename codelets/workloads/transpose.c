#include "codelets/workloads/transpose.h"
#include "codelets/codelet.h"
#include "cpu/transpose.h"
#if PSG_WITH_CUDA
#include "kernels/transpose.h"
#endif

enum { ROW = PSG_TRANSPOSE_ROW, COLUMN = PSG_TRANSPOSE_COLUMN, MOVES_MOST = 3 };

/* A dense array [rows][columns] is copied, or transposed into one of [columns][rows]. */
typedef struct move {
    bool turns;
    size_t rows, columns;
    const void *from;
    void *to;
} move;

/* Label index 0 and 1: the tile's row and column; or of a pair the two places. */
static const psg_transpose *transpose_of(const psg_task_args *args) {
    return args->run->engine->owner;
}

static void extents(const psg_transpose *t, const size_t at[2], size_t n[2]) {
    n[ROW] = psg_transpose_extent(t, ROW, at[ROW]);
    n[COLUMN] = psg_transpose_extent(t, COLUMN, at[COLUMN]);
}

/* Rows and columns of what is in the first or the second place of a pair before the task. In the first round that may be any
 * tile, and all of its place is moved. In the second round it is the tile that goes into the other place. */
static void extents_of(const psg_transpose *t, const psg_label *label, int which, size_t n[2]) {
    if (label->kind == PSG_KIND_TRANSPOSE) {
        extents(t, label->index, n);
    } else if (label->kind == PSG_KIND_TRANSPOSE_EXCHANGE) {
        n[ROW] = t->tile[ROW];
        n[COLUMN] = t->tile[COLUMN];
    } else {
        size_t at[2];
        psg_transpose_comes_from(t, label->index[1 - which], at);
        extents(t, at, n);
    }
}

static move move_of(const psg_task_args *args, int which, bool turns, const void *from, void *to) {
    size_t n[2];
    extents_of(transpose_of(args), &args->label, which, n);
    return (move){turns, n[ROW], n[COLUMN], from, to};
}

/* Buffers: from, to. Of a pair: the two places, and room for a tile. Of a tile that stays: its place, and room for a tile. */
static size_t moves_of(void *buffers[], const psg_task_args *args, move list[MOVES_MOST]) {
    void *first = psg_task_pointer(buffers, 0), *second = psg_task_pointer(buffers, 1);
    if (args->label.kind == PSG_KIND_TRANSPOSE) {
        list[0] = move_of(args, 0, true, first, second);
        return 1;
    }
    if (args->label.kind == PSG_KIND_TRANSPOSE_ALONE) {
        list[0] = move_of(args, 0, false, first, second);
        list[1] = move_of(args, 0, true, second, first);
        return 2;
    }
    const bool turns = args->label.kind == PSG_KIND_TRANSPOSE_SWAP;
    void *room = psg_task_pointer(buffers, 2);
    list[0] = move_of(args, 0, false, first, room);
    list[1] = move_of(args, 1, turns, second, first);
    list[2] = move_of(args, 0, turns, room, second);
    return 3;
}

static void move_core(void *buffers[], const psg_task_args *args) {
    move list[MOVES_MOST];
    const size_t count = moves_of(buffers, args, list);
    for (size_t m = 0; m < count; m++) {
        const move *v = &list[m];
        const size_t n[2] = {v->columns, v->rows};
        psg_cpu_transpose(transpose_of(args)->element_bytes, v->turns, n, v->from, v->columns,
                          v->to, v->turns ? v->rows : v->columns);
    }
}

#if PSG_WITH_CUDA
static int move_gpu(void *buffers[], const psg_task_args *args) {
    move list[MOVES_MOST];
    const size_t count = moves_of(buffers, args, list);
    cudaError_t result = cudaSuccess;
    for (size_t m = 0; m < count && result == cudaSuccess; m++) {
        const size_t n[2] = {list[m].columns, list[m].rows};
        const psg_cuda_matrix from = {.data_d = (void *)(uintptr_t)list[m].from};
        const psg_cuda_matrix to = {.data_d = list[m].to};
        result = psg_cuda_transpose(list[m].turns, n, transpose_of(args)->element_bytes, from, to,
                                    starpu_cuda_get_local_stream());
    }
    return (int)result;
}
#endif

PSG_SOLVER_CODELET(transpose, move_core, move_gpu);
PSG_SOLVER_CODELET(transpose_exchange, move_core, move_gpu);
PSG_SOLVER_CODELET(transpose_swap, move_core, move_gpu);
PSG_SOLVER_CODELET(transpose_alone, move_core, move_gpu);

void psg_task_transpose(psg_run *run, const size_t at[PSG_TRANSPOSE_AXES],
                        starpu_data_handle_t from, starpu_data_handle_t to) {
    const psg_task_args args = {.run = run,
                                .label = {PSG_KIND_TRANSPOSE, {at[0], at[1], PSG_NO_INDEX}}};
    const psg_task_data data[2] = {{&from, 1, 1, STARPU_R}, {&to, 1, 1, STARPU_W}};
    psg_task_submit_data(transpose_codelet, &args, data, 2);
}

/* A tile that stays needs its place once. */
static void submit_pair(psg_run *run, struct starpu_codelet *codelet, int kind, size_t round,
                        const psg_transpose_pair *pair, starpu_data_handle_t scratch) {
    const psg_task_args args = {.run = run,
                                .label = {kind, {pair->place[0], pair->place[1], round}}};
    const psg_task_data data[2] = {
        {pair->data, pair->place[0] == pair->place[1] ? 1 : 2, 1, STARPU_RW},
        {&scratch, 1, 1, STARPU_SCRATCH}};
    psg_task_submit_data(codelet, &args, data, 2);
}

void psg_task_transpose_exchange(psg_run *run, const psg_transpose_pair *pair,
                                 starpu_data_handle_t scratch) {
    submit_pair(run, transpose_exchange_codelet, PSG_KIND_TRANSPOSE_EXCHANGE, 0, pair, scratch);
}

void psg_task_transpose_swap(psg_run *run, const psg_transpose_pair *pair,
                             starpu_data_handle_t scratch) {
    if (pair->place[0] == pair->place[1]) {
        submit_pair(run, transpose_alone_codelet, PSG_KIND_TRANSPOSE_ALONE, 1, pair, scratch);
    } else {
        submit_pair(run, transpose_swap_codelet, PSG_KIND_TRANSPOSE_SWAP, 1, pair, scratch);
    }
}

/* ----------------------------------------------------------------------------------- the kinds */

static int tiles_of(int kind) {
    return kind == PSG_KIND_TRANSPOSE || kind == PSG_KIND_TRANSPOSE_ALONE ? 1 : 2;
}

/* All places in an array are as large: the model of a pair has to be told which of its tiles are the last of a row or column. */
static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const psg_transpose *t = owner;
    for (int which = tiles_of(label->kind) - 1; which >= 0; which--) {
        size_t n[2];
        extents_of(t, label, which, n);
        shape->n[0] = n[COLUMN];
        shape->n[1] = n[ROW];
        if (label->kind != PSG_KIND_TRANSPOSE) {
            shape->variant =
                4 * shape->variant + 2 * (n[ROW] < t->tile[ROW]) + (n[COLUMN] < t->tile[COLUMN]);
        }
    }
    shape->n[2] = 1;
    shape->count = 1;
    shape->pieces = (size_t)tiles_of(label->kind);
    shape->dense = true;
}

static double elements(const psg_task_shape *s) {
    return (double)s->pieces * (double)s->n[0] * (double)s->n[1];
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const psg_transpose *t = owner;
    double bytes = 0;
    for (int which = 0; which < tiles_of(label->kind); which++) {
        size_t n[2];
        extents_of(t, label, which, n);
        bytes += (double)n[ROW] * (double)n[COLUMN] * (double)t->element_bytes;
    }
    return (psg_traffic){bytes, bytes};
}

/* An exchange is before a swap, and nothing else is before anything. */
static int priority(const void *owner, const psg_label *label) {
    return ((const psg_transpose *)owner)->by_path && label->kind == PSG_KIND_TRANSPOSE_EXCHANGE;
}

#define KIND(the_name)                                                                             \
    {                                                                                              \
        .name = the_name, .shape = shape, .operations = elements, .traffic = traffic,              \
        .priority = priority                                                                       \
    }

const psg_kind psg_transpose_kind = KIND("transpose");
const psg_kind psg_transpose_exchange_kind = KIND("transpose_exchange");
const psg_kind psg_transpose_swap_kind = KIND("transpose_swap");
const psg_kind psg_transpose_alone_kind = KIND("transpose_alone");
