/* Peers of workloads on cores: what one would write without tasks. */
#include "lab/peers/turns.h"
#include "lab/peers/workload.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- ep: a loop over blocks of pairs */

enum { EP_BLOCK_LOG2 = 16 };

static void ep_block(uint64_t first, double number[PEER_EP_NUMBERS]) {
    uint64_t x = random_after(RANDOM_SEED, 2 * first);
    double normals[2];
    for (int pair = 0; pair < 1 << EP_BLOCK_LOG2; pair++) {
        const int ring = random_normals(&x, normals);
        if (ring >= 0) {
            number[2 + ring]++;
            number[0] += normals[0];
            number[1] += normals[1];
        }
    }
}

static void ep_run(peer *p) {
    const int64_t blocks = (int64_t)1 << (p->n - EP_BLOCK_LOG2);
    double number[PEER_EP_NUMBERS] = {0};
#pragma omp parallel for num_threads(p->cpus) schedule(static) reduction(+ : number)
    for (int64_t block = 0; block < blocks; block++) {
        ep_block((uint64_t)block << EP_BLOCK_LOG2, number);
    }
    for (int m = 0; m < PEER_EP_NUMBERS; m++) {
        p->number[m] = number[m];
    }
}

static const peer_way peer_ep_cores = {.about = "an OpenMP loop", .run = ep_run};

/* ----------------------------------------------------------- jacobi: sweeps of the whole square */

static void jacobi_run(peer *p) {
    const size_t last = (size_t)p->n - 1;
#pragma omp parallel num_threads(p->cpus)
    for (int step = 0; step < PEER_JACOBI_STEPS; step++) {
#pragma omp for schedule(static)
        for (size_t row = 1; row < last; row++) {
            peer_jacobi_row(p, step, row, 1, last);
        }
    }
}

static const peer_way peer_jacobi_cores = {
    .about = "OpenMP sweeps of the whole square", .bring = peer_jacobi_prepare, .run = jacobi_run};

/* ------------------------------------------------- conjugate gradients without preconditioner */

/* Rows `m` of q = A d. @return their part of d.q */
typedef double (*cg_product)(const peer *p, size_t m, const double *d, double *q);

/* From x = 0, until the norm of the residual is so small a part of that of f. @param[in] rows
 * times of the product */
static void cg_solve(peer *p, cg_product product, size_t rows, double tolerance, int most) {
    const double *f = p->array[CG_F];
    double *x = p->array[CG_X], *r = p->array[CG_R], *d = p->array[CG_P], *q = p->array[CG_Q];
    double rr = 0, dq = 0, rr_new = 0, first = 0;
    p->steps = 0;
#pragma omp parallel num_threads(p->cpus)
    {
#pragma omp for schedule(static) reduction(+ : first)
        for (size_t m = 0; m < p->points; m++) {
            x[m] = 0;
            r[m] = d[m] = f[m];
            first += f[m] * f[m];
        }
#pragma omp single
        rr = first;
        while (rr > tolerance * tolerance * first && p->steps < most) {
#pragma omp for schedule(static) reduction(+ : dq)
            for (size_t m = 0; m < rows; m++) {
                dq += product(p, m, d, q);
            }
            const double alpha = rr / dq;
#pragma omp for schedule(static) reduction(+ : rr_new)
            for (size_t m = 0; m < p->points; m++) {
                x[m] += alpha * d[m];
                r[m] -= alpha * q[m];
                rr_new += r[m] * r[m];
            }
            const double beta = rr_new / rr;
#pragma omp for schedule(static)
            for (size_t m = 0; m < p->points; m++) {
                d[m] = r[m] + beta * d[m];
            }
#pragma omp single
            {
                rr = rr_new;
                rr_new = dq = 0;
                p->steps++;
            }
        }
    }
}

static double cg_row(const peer *p, size_t m, const double *d, double *q) {
    double sum = 0;
    for (size_t at = p->matrix.start[m]; at < p->matrix.start[m + 1]; at++) {
        sum += p->matrix.value[at] * d[p->matrix.column[at]];
    }
    q[m] = sum;
    return d[m] * sum;
}

static void cg_run(peer *p) {
    double *f = p->array[CG_F];
    const double *x = p->array[CG_X];
    for (size_t m = 0; m < p->points; m++) {
        f[m] = 1;
    }
    for (int iteration = 0; iteration < p->n; iteration++) {
        double fx = 0, xx = 0;
        cg_solve(p, cg_row, p->points, 0, PEER_CG_STEPS);
        for (size_t m = 0; m < p->points; m++) {
            fx += f[m] * x[m];
            xx += x[m] * x[m];
        }
        for (size_t m = 0; m < p->points; m++) {
            f[m] = x[m] / sqrt(xx);
        }
        p->number[0] = p->shift + 1 / fx;
    }
}

static const peer_way peer_cg_cores = {.about = "OpenMP conjugate gradients", .run = cg_run};

static double pcg_product(const peer *p, size_t m, const double *d, double *q) {
    const size_t n = (size_t)p->n;
    return peer_pcg_row(n, m % n, m / n, p->array[CG_EPS], d, q);
}

static void pcg_run(peer *p) {
    const size_t n = (size_t)p->n;
    cg_solve(p, pcg_product, n * n, PEER_PCG_TOLERANCE, INT_MAX);
}

static const peer_way peer_pcg_cores = {
    .about = "OpenMP conjugate gradients without preconditioner", .run = pcg_run};

/* ------------------------------------------------------------- qr: LAPACK's of the whole matrix */
#ifdef PSG_LAPACK
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void sgeqrf_(const int *m, const int *n, float *a, const int *lda, float *tau, float *work,
             const int *lwork, int *info);

/* Not there with another BLAS, whose threads its own environment sets. */
__attribute__((weak)) void openblas_set_num_threads(int threads);

static void blas_threads(int threads) {
    if (openblas_set_num_threads != NULL) {
        openblas_set_num_threads(threads);
    }
}

static void factor(const peer *p, void *workspace, int lwork) {
    int info = 0;
    if (p->precision == PSG_F32) {
        sgeqrf_(&p->n, &p->n, p->array[QR_A], &p->n, p->array[QR_TAU], workspace, &lwork, &info);
    } else {
        dgeqrf_(&p->n, &p->n, p->array[QR_A], &p->n, p->array[QR_TAU], workspace, &lwork, &info);
    }
    bench_must(info == 0, "geqrf: %d", info);
}

/* The room in which LAPACK works best. */
static void qr_open(peer *p) {
    double best = 0;
    factor(p, &best, -1);
    p->room = (int)bench_get(&best, p->precision, 0);
    p->own = bench_array((size_t)p->room * p->real_bytes);
}

static void qr_close(peer *p) {
    free(p->own);
}

/* psg has set the number of threads to 1, as long as there is a workload. */
static void qr_bring(peer *p) {
    peer_qr_prepare(p);
    blas_threads(p->cpus);
}

static void qr_leave(peer *p) {
    (void)p;
    blas_threads(1);
}

static void qr_run(peer *p) {
    factor(p, p->own, p->room);
}

static const peer_way peer_qr_cores = {.about = "LAPACK's geqrf",
                                       .open = qr_open,
                                       .bring = qr_bring,
                                       .run = qr_run,
                                       .close = qr_close,
                                       .leave = qr_leave};
#endif

const peer_ways peer_ways_cores = {.of = {
                                       [PEER_EP] = &peer_ep_cores,
                                       [PEER_JACOBI] = &peer_jacobi_cores,
                                       [PEER_CG] = &peer_cg_cores,
                                       [PEER_PCG] = &peer_pcg_cores,
#ifdef PSG_LAPACK
                                       [PEER_QR] = &peer_qr_cores,
#endif
                                   }};
