/** @file cores.h  A library's threaded 3-D transforms on cores. */
#ifndef PSG_BENCH_PROGRAMS_CORES_H
#define PSG_BENCH_PROGRAMS_CORES_H

#include "graph/psg.h"

#include <stddef.h>

/** One way to transform. */
typedef struct bench_way {
    size_t n[3];
    const char *bc; /**< "NN,DD,PP": sides, with points in cells; NULL: all are periodic */
    psg_precision precision;
    int threads;
    int in_place;   /**< the spectrum is in the memory of f and u. With sides all three are real
                       numbers without padding */
    int effort;     /**< number of it in the library's list */
    double seconds; /**< that a plan may take, where the library plans for long */
} bench_way;

/** What a process has. Of f and u planes along z. Of the spectrum rows along y, of all of z, or
 *  planes along z, of all of y: spectrum[outer][inner][nx/2 + 1]. */
typedef struct bench_part {
    size_t z0, planes;
    int outer; /**< the axis that is dealt out: 1 or 2 */
    size_t first, count;
    size_t modes; /**< complex numbers of room */
} bench_part;

typedef struct bench_library {
    const char *name; /**< of the peer in rows */
    int processes;    /**< it transforms on all processes of MPI, in f64, and always pads */
    int sides;        /**< there are plans for bench_way.bc */
    const char *const *efforts; /**< names, NULL ends them */
    void (*start)(void);        /**< once, before any other call */
    /** The part of this process; NULL: there is one process. */
    void (*deal)(const size_t n[3], bench_part *part);
    /** Real f [planes][ny][nx] -> spectrum -> real u; in place all three are the same. A row that
     *  is padded has 2 (nx/2 + 1) numbers: of f = u, if in place, or with several processes.
     *  May write into all arrays. @return NULL: there is no such plan */
    void *(*plan)(const bench_way *way, void *f, void *spectrum, void *u);
    void (*execute)(void *plan, int inverse);
    void (*destroy)(void *plan);
} bench_library;

extern const bench_library bench_library_fftw, bench_library_fftw_mpi, bench_library_mkl;

#endif
