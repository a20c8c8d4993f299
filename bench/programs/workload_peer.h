/** @file workload_peer.h  What bench_workload_peer and its peers share: a problem in main memory, and the ways to solve it
 *  without tasks. C and C++ (CUDA) at once. */
#ifndef PSG_BENCH_PROGRAMS_WORKLOAD_PEER_H
#define PSG_BENCH_PROGRAMS_WORKLOAD_PEER_H

#include "workloads/cg.h"
#include "workloads/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PEER_ARRAYS = 6, PEER_ANSWERS = 16 };
enum { PEER_EP_RINGS = 10, PEER_EP_NUMBERS = 2 + PEER_EP_RINGS }; /**< sums of X and Y; counts */
enum { PEER_JACOBI_STEPS = 50, PEER_CG_STEPS = 25 };
enum { CG_F = 0, CG_X, CG_R, CG_P, CG_Q, CG_EPS, CG_ARRAYS }; /**< arrays of cg and pcg */
enum { QR_A = 0, QR_TAU, QR_WORKSPACE, QR_ARRAYS };           /**< arrays of qr */
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
    int is_float;
    size_t points, real_bytes;
    void *array[PEER_ARRAYS]; /**< [points] reals each, in main memory, as the row needs them */
    void *gpu;                /**< what a way on a GPU has there */
    int lwork, steps;
    double contrast, shift;
    double number[PEER_EP_NUMBERS]; /**< ep: its numbers; cg: zeta */
    psg_cpu_cg_matrix matrix;
} peer;

/** A way to solve a problem. NULL: there is nothing to do. */
typedef struct peer_way {
    const char *about;
    void (*open)(peer *p);  /**< once, with the input in main memory */
    void (*bring)(peer *p); /**< before each run(): the input to where run() has it */
    void (*run)(peer *p);   /**< is timed; when it returns, the result is there */
    void (*fetch)(peer *p); /**< once, after the last run(): the result to main memory */
    void (*close)(peer *p);
} peer_way;

/** On cores, by OpenMP and LAPACK. */
extern const peer_way peer_ep_cores, peer_jacobi_cores, peer_cg_cores, peer_pcg_cores,
    peer_qr_cores;
/** On the first GPU, in a build with CUDA. Those of cg and qr also need cuBLAS, cuSPARSE and cuSOLVER. */
extern const peer_way peer_ep_gpu, peer_jacobi_gpu, peer_cg_gpu, peer_pcg_gpu, peer_qr_gpu;

/** Ends the program where there is no GPU. */
void peer_need_gpu(void);

/** The start of jacobi, and the random matrix of qr, in main memory. */
void peer_jacobi_prepare(peer *p);
void peer_qr_prepare(peer *p);

/** A u of row (j, k) of pcg: what flows out through the six faces of each cell.
 *  @return the row's part of u.q */
double peer_pcg_row(size_t n, size_t j, size_t k, const double *eps, const double *u, double *q);

/** The room in which LAPACK works best, in reals. */
int peer_qr_workspace(peer *p);
/** Of OpenBLAS. Another BLAS has its own environment. */
void peer_blas_threads(int threads);

#ifdef __cplusplus
}
#endif
#endif
