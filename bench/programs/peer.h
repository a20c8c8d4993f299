/** @file peer.h  The rows of the studies `peers` and `embed`: psg beside other ways to solve the same. C and C++ at once. */
#ifndef PSG_BENCH_PROGRAMS_PEER_H
#define PSG_BENCH_PROGRAMS_PEER_H

#include "bench/programs/program_columns.h"
#include "bench/programs/program.h"
#include "graph/psg.h"
#include "graph/psg_observe.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_peer {
    const char *name;    /**< fftw, mkl, fftw_mpi, cufft, cufft_xt, cufft_mp; or psg's door */
    const char *variant; /**< NULL, or the peer's best way, which was measured */
    size_t n[3];
    psg_precision precision;
    int ranks, threads, gpus; /**< threads of each rank; 0: does not apply */
    const char *gpu_model;
    bench_times theirs, ours; /**< of a solve; NAN: there is no peer */
    double difference;        /**< of both u, over max|u| */
    psg_statistics statistics;
} bench_peer;

/** 15 N^3 log2 N operations for each of two transforms, in Gflop/s; 5 n log2 n of n points where
 *  they are no cube. */
double bench_peer_gflops(const size_t n[3], double seconds);

/** Is the difference of both u what rounding explains? */
int bench_peer_agrees(const bench_peer *peer);

/** On stdout, as CSV: the line of column names, BENCH_PEERS_COLUMNS or BENCH_EMBED_COLUMNS; and a row of the study `peers`.
 *  @param[in] why  NULL, or why there are no times */
void bench_peer_begin(const char *columns);
void bench_peer_row(const bench_peer *peer, const bench_settings *settings, const char *why);

/** A row of the study `embed`: it is of the door, or the peer, that `name` says, and `ours` has its times. */
void bench_door_row(const bench_peer *peer, const bench_settings *settings);

/** A row, or a line for people, of what is not measured. */
void bench_peer_left_out(const bench_peer *peer, const bench_settings *settings, const char *why);

#ifdef __cplusplus
}
#endif
#endif
