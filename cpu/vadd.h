/** @file vadd.h  The sum of two vectors, on a core. */
#ifndef PSG_CPU_VADD_H
#define PSG_CPU_VADD_H

#include <stdbool.h>
#include <stddef.h>

/** c = a + b, of `count` reals: double or, of f32, float. */
void psg_cpu_vadd_f64(size_t count, const void *a, const void *b, void *c);
void psg_cpu_vadd_f32(size_t count, const void *a, const void *b, void *c);

static inline void psg_cpu_vadd(bool f32, size_t count, const void *a, const void *b, void *c) {
    (f32 ? psg_cpu_vadd_f32 : psg_cpu_vadd_f64)(count, a, b, c);
}

#endif
