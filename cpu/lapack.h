/** @file lapack.h  What the module with LAPACK has. It is a library of its own, so that LAPACK comes into a program with the first
 *  `qr`: OpenBLAS has threads and 128 MB of memory for each from the moment when it is loaded, and asks for that memory for ever
 *  where there is none. */
#ifndef PSG_CPU_LAPACK_H
#define PSG_CPU_LAPACK_H

#include "cpu/qr.h"

typedef struct psg_lapack {
    const psg_cpu_qr *qr[2]; /**< of double and of float */
    bool (*shared)(void);    /**< psg_cpu_blas_shared() and so on */
    void (*begin)(void);
    void (*end)(void);
} psg_lapack;

/** The one name of the module that is seen. */
extern const psg_lapack psg_lapack_module;

#endif
