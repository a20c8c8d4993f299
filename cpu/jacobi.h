/** @file jacobi.h  Jacobi's method for Laplace's equation, on a core. */
#ifndef PSG_CPU_JACOBI_H
#define PSG_CPU_JACOBI_H

#include "base/jacobi.h"

#include <stdbool.h>

/** Reals are double or, of f32, float. */
void psg_cpu_jacobi_f64(const base_jacobi_sweep *sweep);
void psg_cpu_jacobi_f32(const base_jacobi_sweep *sweep);

static inline void psg_cpu_jacobi(bool f32, const base_jacobi_sweep *sweep) {
    (f32 ? psg_cpu_jacobi_f32 : psg_cpu_jacobi_f64)(sweep);
}

#endif
