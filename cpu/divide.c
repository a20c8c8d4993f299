#include "cpu/internal.h"

#include <string.h>

/* Static, because the compiler exports clones and their resolver whatever the visibility. */
static PSG_CLONES void divide_line(size_t n, psg_complex *line, psg_real base,
                                   const psg_real *eigen, psg_real scale) {
    for (size_t m = 0; m < n; m++) {
        const psg_real sum = base + eigen[m];
        const psg_real factor = sum != 0 ? scale / sum : 0;
        line[m][0] *= factor;
        line[m][1] *= factor;
    }
}

void psg_cpu_divide_line(size_t n, psg_complex *line, psg_real base, const psg_real *eigen,
                         psg_real scale) {
    divide_line(n, line, base, eigen, scale);
}

void psg_cpu_divide_strided(const psg_cpu_divide *divide, const size_t n[3], size_t row0,
                            size_t rows, void *pencil, void *mode0) {
    const size_t nxc = n[0] / 2 + 1;
    const psg_real *ex = divide->eigen[0];
    const psg_real *ey = divide->eigen[1];
    const psg_real *ez = divide->eigen[2];
    psg_complex *line = pencil;
    if (mode0 != NULL && row0 == 0) {
        memcpy(mode0, line, sizeof *line);
    }
    for (size_t k = 0; k < n[2]; k++) {
        for (size_t j = row0; j < row0 + rows; j++, line += nxc) {
            psg_cpu_divide_line(nxc, line, ez[k] + ey[j] - (psg_real)divide->lambda, ex,
                                (psg_real)divide->scale);
        }
    }
}

void psg_cpu_divide_contiguous(const psg_cpu_divide *divide, const size_t n[3], size_t row0,
                               size_t rows, void *pencil, void *mode0) {
    const size_t nxc = n[0] / 2 + 1;
    const psg_real *ex = divide->eigen[0];
    const psg_real *ey = divide->eigen[1];
    const psg_real *ez = divide->eigen[2];
    psg_complex *line = pencil;
    if (mode0 != NULL && row0 == 0) {
        memcpy(mode0, line, sizeof *line);
    }
    for (size_t j = row0; j < row0 + rows; j++) {
        for (size_t i = 0; i < nxc; i++, line += n[2]) {
            psg_cpu_divide_line(n[2], line, ex[i] + ey[j] - (psg_real)divide->lambda, ez,
                                (psg_real)divide->scale);
        }
    }
}
