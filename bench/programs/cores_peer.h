/** @file cores_peer.h  psg on cores beside a library's threaded 3-D transforms: the program of such a peer, but for the
 *  library's own calls. The peer solves as a careful user does: the transforms and the division run in the same
 *  OpenMP team, and the best of several ways is measured: in place and out of place, planned with each effort
 *  and for several numbers of threads. */
#ifndef PSG_BENCH_PROGRAMS_CORES_PEER_H
#define PSG_BENCH_PROGRAMS_CORES_PEER_H

#include "graph/psg.h"

#include <stddef.h>

/** One way to transform. */
typedef struct bench_way {
    size_t n[3];
    const char
        *bc; /**< "NN,DD,PP": sides along x, y, z, with points in cells; NULL: all are periodic */
    psg_precision precision;
    int threads;
    int in_place; /**< rows of f and u are padded to 2 (nx/2 + 1) numbers, and are the spectrum's too. With sides f,
                       spectrum and u are real numbers without padding */
    int effort;     /**< number of it in the library's list */
    double seconds; /**< that a plan may take, where the library plans for long */
} bench_way;

typedef struct bench_library {
    const char *name;           /**< of the peer in rows */
    int has_sides;              /**< there are plans for bench_way.bc */
    const char *const *efforts; /**< names, NULL ends them */
    void (*start)(void);        /**< once, before any other call */
    /** Real f [nz][ny][nx] -> complex spectrum -> real u; both in f = spectrum = u if in place. May write into all
     *  arrays. @return NULL: there is no such plan */
    void *(*plan)(const bench_way *way, void *f, void *spectrum, void *u);
    void (*forward)(void *plan);
    void (*inverse)(void *plan);
    void (*destroy)(void *plan);
} bench_library;

/** The whole program. @return the exit code */
int bench_cores_peer_main(int argc, char **argv, const bench_library *library);

#endif
