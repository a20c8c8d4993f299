/** @file workload.h  Workloads of psg, each with a peer: a problem in main memory, and a way to
 *  solve it without tasks, on cores or on the first GPU. C and C++ (CUDA) at once. */
#ifndef PSG_BENCH_PROGRAMS_WORKLOAD_H
#define PSG_BENCH_PROGRAMS_WORKLOAD_H

#include "workloads/cg.h"
#include "workloads/random.h"
#include "workloads/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PEER_EP, PEER_JACOBI, PEER_CG, PEER_PCG, PEER_QR, PEER_PROBLEMS };
enum { PEER_ARRAYS = 6, PEER_ANSWERS = 16 };
enum { PEER_EP_RINGS = 10, PEER_EP_NUMBERS = 2 + PEER_EP_RINGS }; /**< sums of X and Y; counts */
enum { PEER_JACOBI_STEPS = 50, PEER_CG_STEPS = 25 };
enum { CG_F = 0, CG_X, CG_R, CG_P, CG_Q, CG_EPS, CG_ARRAYS }; /**< arrays of cg and pcg */
enum { QR_A = 0, QR_TAU, QR_ARRAYS };                         /**< arrays of qr */
#define PEER_PCG_TOLERANCE 1e-10 /**< residual over right-hand side, as in workload pcg */

typedef struct peer {
    const struct peer_row *row;
    const struct peer_way *way;
    workload *work;
    workload_answer known[PEER_ANSWERS]; /**< psg's answers, with what is expected */
    size_t known_count;
    const char *size; /**< behind the colon */
    int n;            /**< points or rows in a direction; ep: 2^n pairs; cg: iterations */
    int cpus;         /**< threads in main memory */
    psg_precision precision;
    size_t points, real_bytes;
    void *array[PEER_ARRAYS]; /**< [points] reals each, in main memory, as the row needs them */
    void *own;                /**< what a way has besides */
    size_t first[2], side[2]; /**< jacobi: first row and column of the arrays, rows and columns */
    int steps, room;          /**< of conjugate gradients; reals of LAPACK */
    double contrast, shift;
    double number[PEER_EP_NUMBERS]; /**< ep: its numbers; cg: zeta */
    cg_matrix matrix;
} peer;

/** A way to solve a problem. NULL: there is nothing to do. */
typedef struct peer_way {
    const char *about;
    void (*open)(peer *p);  /**< once, with the input in main memory */
    void (*bring)(peer *p); /**< before each run(): the input to where run() has it */
    void (*run)(peer *p);   /**< is timed; when it returns, the result is there */
    void (*fetch)(peer *p); /**< once, after the last run(): the result to main memory */
    void (*close)(peer *p);
    void (*leave)(peer *p); /**< before psg's own runs */
    void (*deal)(peer *p);  /**< once, before memory is taken: the part of this process */
} peer_way;

/** The peers of a program. */
typedef struct peer_ways {
    int gpus;                          /**< of psg, if the command line does not say */
    void (*start)(void);               /**< ends the program where they have no GPU */
    const peer_way *of[PEER_PROBLEMS]; /**< NULL: was built without its libraries */
    int processes;                     /**< there may be several */
} peer_ways;

/** @param[in] ways  a peer_ways */
int bench_workload(int argc, char **argv, const void *ways);

/** By OpenMP and LAPACK; by MPI; by kernels of its own, cuBLAS, cuSPARSE and cuSOLVER. */
extern const peer_ways peer_ways_cores, peer_ways_mpi, peer_ways_gpu;
/** Of peer_ways_gpu, those by libraries. */
extern const peer_way peer_cg_gpu, peer_qr_gpu;

/** The start of jacobi, and the random matrix of qr, in main memory. */
void peer_jacobi_prepare(peer *p);
void peer_qr_prepare(peer *p);
/** A sweep of points first .. end - 1 of a row of the arrays. */
void peer_jacobi_row(const peer *p, int step, size_t row, size_t first, size_t end);

/** A u of row (j, k) of pcg: what flows out through the six faces of each cell.
 *  @return the row's part of u.q */
double peer_pcg_row(size_t n, size_t j, size_t k, const double *eps, const double *u, double *q);

#ifdef __cplusplus
}
#endif
#endif
