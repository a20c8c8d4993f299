/* The loops of channel.h over cells, on cores. */
#include "tests/example/channel/cells.h"

int place(void) {
    return PSG_HOST;
}

void *memory(size_t count, size_t size) {
    void *made = calloc(count, size);
    if (!made) {
        fail("no memory");
    }
    return made;
}

void release(void *made) {
    free(made);
}

void *twin(void *made) {
    return made;
}

void to_twin(void *made) {
    (void)made;
}

void from_twin(void *made) {
    (void)made;
}

void all_ghosts(const flow *f) {
    for (int a = 0; a < 3; ++a) {
        const int b = a == 0 ? 1 : 0, d = 3 - a - b;
#pragma omp parallel for
        for (size_t q = 0; q < f->n[d] + 2; ++q) {
            for (int c = 0; c < 3; ++c) {
                for (size_t p = 0; p < f->n[b] + 2; ++p) {
                    ghosts_of(f, c, a, f->v[c] + p * f->step[b] + q * f->step[d]);
                }
            }
        }
    }
}

void each_cell(const flow *f, work what, double now, double then) {
#pragma omp parallel for
    for (size_t k = 1; k <= f->n[2]; ++k) {
        for (int c = 0; c < 3; ++c) {
            for (size_t j = 1; j <= f->n[1] && k <= last(f, c, 2); ++j) {
                work_in(f, what, now, then, c, 1, last(f, c, 0), j, k);
            }
        }
    }
}

void plane_numbers(const flow *f, quantity what, real *const w[3]) {
#pragma omp parallel for
    for (size_t k = 1; k <= f->n[2]; ++k) {
        double sum[NUMBERS] = {0};
        for (size_t j = 1; j <= f->n[1]; ++j) {
            for (size_t i = 1; i <= f->n[0]; ++i) {
                add_cell(f, what, w, i, j, k, sum);
            }
        }
        memcpy(f->planes[k - 1], sum, sizeof sum);
    }
}
