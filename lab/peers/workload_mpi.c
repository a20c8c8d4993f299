/* The peer of jacobi over processes: what one would write with MPI and without tasks. Each process
 * has a block of the square with a row or column of its neighbours on each side. In each step edges
 * travel while the points inside are computed; those next to the sides follow. */
#include "lab/peers/turns.h"
#include "lab/peers/workload.h"

#if PSG_WITH_MPI
#include <mpi.h>
#include <stdlib.h>

enum { ROW = 0, COLUMN, MESSAGES = 8 };

typedef struct block {
    MPI_Comm grid;
    int beyond[2][2];     /* along rows and columns of blocks: the process before, and after */
    MPI_Datatype line[2]; /* what crosses a side: a row, a column */
    MPI_Request request[2][MESSAGES]; /* of even and odd steps */
} block;

static void must(int code, const char *what) {
    bench_must(code == MPI_SUCCESS, "%s failed", what);
}

/* Blocks are as square as can be, and those along rows are as many as psg has. */
static void deal(peer *p) {
    const int inside = p->n - 2, around[2] = {0, 0};
    int blocks[2] = {0, 0}, at[2];
    block *b = bench_array(sizeof *b);
    p->own = b;
    must(MPI_Dims_create(bench_processes.ranks, 2, blocks), "MPI_Dims_create");
    const int cut[2] = {blocks[1], blocks[0]};
    const MPI_Comm world = *(const MPI_Comm *)bench_processes.comm;
    must(MPI_Cart_create(world, 2, cut, around, 0, &b->grid), "MPI_Cart_create");
    must(MPI_Cart_coords(b->grid, bench_processes.rank, 2, at), "MPI_Cart_coords");
    for (int axis = 0; axis < 2; axis++) {
        const size_t first = workload_first((size_t)inside, at[axis], cut[axis]);
        p->first[axis] = first;
        p->side[axis] = workload_first((size_t)inside, at[axis] + 1, cut[axis]) - first + 2;
        must(MPI_Cart_shift(b->grid, axis, 1, &b->beyond[axis][0], &b->beyond[axis][1]),
             "MPI_Cart_shift");
    }
}

/* Each request is made once: step after step sends the same places. */
static void open_block(peer *p) {
    block *b = p->own;
    const MPI_Datatype real = p->precision == PSG_F32 ? MPI_FLOAT : MPI_DOUBLE;
    const int rows = (int)p->side[ROW], columns = (int)p->side[COLUMN];
    must(MPI_Type_vector(1, columns - 2, columns, real, &b->line[ROW]), "MPI_Type_vector");
    must(MPI_Type_vector(rows - 2, 1, columns, real, &b->line[COLUMN]), "MPI_Type_vector");
    for (int axis = 0; axis < 2; axis++) {
        must(MPI_Type_commit(&b->line[axis]), "MPI_Type_commit");
    }
    for (int m = 0; m < 2 * MESSAGES; m++) {
        const int parity = m / MESSAGES, axis = m / 4 % 2, after = m / 2 % 2, sends = m % 2;
        const size_t line = after ? p->side[axis] - 1 - (size_t)sends : (size_t)sends;
        const size_t place = axis == ROW ? line * p->side[COLUMN] + 1 : p->side[COLUMN] + line;
        char *u = (char *)p->array[parity] + place * p->real_bytes;
        const int to = b->beyond[axis][after], tag = 2 * axis + (sends ? after : 1 - after);
        must(sends
                 ? MPI_Send_init(u, 1, b->line[axis], to, tag, b->grid, &b->request[parity][m % 8])
                 : MPI_Recv_init(u, 1, b->line[axis], to, tag, b->grid, &b->request[parity][m % 8]),
             "MPI_Send_init or MPI_Recv_init");
    }
}

static void close_block(peer *p) {
    block *b = p->own;
    for (int m = 0; m < 2 * MESSAGES; m++) {
        must(MPI_Request_free(&b->request[m / MESSAGES][m % MESSAGES]), "MPI_Request_free");
    }
    for (int axis = 0; axis < 2; axis++) {
        must(MPI_Type_free(&b->line[axis]), "MPI_Type_free");
    }
    must(MPI_Comm_free(&b->grid), "MPI_Comm_free");
    free(b);
}

/* A thread of each process, as psg has a worker, or more. */
static void run_block(peer *p) {
    block *b = p->own;
    const size_t last = p->side[ROW] - 2, end = p->side[COLUMN] - 2;
    for (int step = 0; step < PEER_JACOBI_STEPS; step++) {
        must(MPI_Startall(MESSAGES, b->request[step % 2]), "MPI_Startall");
#pragma omp parallel for num_threads(p->cpus) schedule(static)
        for (size_t row = 2; row < last; row++) {
            peer_jacobi_row(p, step, row, 2, end);
        }
        must(MPI_Waitall(MESSAGES, b->request[step % 2], MPI_STATUSES_IGNORE), "MPI_Waitall");
        peer_jacobi_row(p, step, 1, 1, end + 1);
        peer_jacobi_row(p, step, last, 1, end + 1);
        for (size_t row = 2; row < last; row++) {
            peer_jacobi_row(p, step, row, 1, 2);
            peer_jacobi_row(p, step, row, end, end + 1);
        }
    }
}

static const peer_way jacobi_way = {.about = "MPI, blocks whose edges travel meanwhile",
                                    .deal = deal,
                                    .open = open_block,
                                    .bring = peer_jacobi_prepare,
                                    .run = run_block,
                                    .close = close_block};

const peer_ways peer_ways_mpi = {.of = {[PEER_JACOBI] = &jacobi_way}, .processes = 1};
#endif
