/** @file peer.h  psg's plan of a study, and the rows of the studies `peers` and `embed`: psg beside
 * other ways to solve the same. C and C++ at once. */
#ifndef PSG_BENCH_PROGRAMS_PEER_H
#define PSG_BENCH_PROGRAMS_PEER_H

#include "graph/psg_observe.h"
#include "lab/peers/turns.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_peer {
    const char *name;    /**< fftw, mkl, fftw_mpi, cufft, cufft_xt, cufft_mp; or psg's door */
    const char *variant; /**< the peer's best way, which was measured; NULL: there is one */
    size_t n[3];
    psg_precision precision;
    int threads, gpus; /**< of each process; 0: does not apply */
    const char *gpu_model;
    bench_times theirs, ours; /**< of a solve; NAN: there is no peer */
    double difference;        /**< of both u, over max|u| */
    psg_statistics statistics;
} bench_peer;

/** psg's plan of a box of 2 pi. @param[in] bc  "NN,DD,PP": sides along x, y, z; NULL: periodic */
psg_plan *bench_plan(const size_t n[3], const char *bc, const psg_options *options);

/** "", or " WRONG": the difference of both u is not what rounding explains. */
const char *bench_verdict(const bench_peer *peer);

/** A row on stdout, by the first process: an object of JSON in a line, with all seconds. psg bench
 *  makes the columns of the studies `peers` and `embed` of it (lab/programs.py). */
void bench_row(const bench_peer *peer, const bench_settings *settings);

/** A row, or a line for people, of what is not measured. */
void bench_left_out(const bench_peer *peer, const bench_settings *settings, const char *why);

#ifdef __cplusplus
}
#endif
#endif
