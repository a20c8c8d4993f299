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

/* The two parts of a complex number are modes of their own: along the line they differ in the
 * base. */
static PSG_CLONES void divide_two_lines(size_t n, psg_complex *line, const psg_real base[2],
                                        const psg_real *eigen, psg_real scale) {
    for (size_t m = 0; m < n; m++) {
        for (int part = 0; part < 2; part++) {
            const psg_real sum = base[part] + eigen[m];
            line[m][part] *= sum != 0 ? scale / sum : 0;
        }
    }
}

/* And along x, where each has its own eigenvalue. */
static PSG_CLONES void divide_reals(size_t n, psg_real *line, psg_real base, const psg_real *eigen,
                                    psg_real scale) {
    for (size_t m = 0; m < n; m++) {
        const psg_real sum = base + eigen[m];
        line[m] *= sum != 0 ? scale / sum : 0;
    }
}

void psg_cpu_divide_line(const psg_cpu_divide *divide, size_t i, size_t j, size_t nz,
                         psg_complex *line) {
    const psg_real scale = (psg_real)divide->scale;
    psg_real base[2];
    psg_cpu_divide_base(divide, i, j, base);
    if (divide->apart) {
        divide_two_lines(nz, line, base, divide->eigen[2], scale);
    } else {
        divide_line(nz, line, base[0], divide->eigen[2], scale);
    }
}

/* @param[in] pitch  complex numbers from a plane to the next one, and from a column */
static void divide_columns(const psg_cpu_divide *divide, const size_t n[3], size_t row0,
                           size_t rows, const size_t pitch[2], void *sheet, void *scratch,
                           void *mode0) {
    const psg_cpu_piece piece = {sheet, pitch[0], n[2]};
    const psg_cpu_sheet whole = {
        .pieces = 1, .piece = &piece, .nxc = n[0], .first = row0 * n[0], .columns = rows * n[0]};
    (void)psg_cpu_kspace_line(divide, &whole, pitch[1], scratch, mode0); /* fft_z looks for NaN */
}

void psg_cpu_divide_strided(const psg_cpu_divide *divide, const size_t n[3], size_t row0,
                            size_t rows, void *sheet, void *scratch, void *mode0) {
    if (divide->line != NULL) {
        const size_t pitch[2] = {rows * n[0], 1};
        divide_columns(divide, n, row0, rows, pitch, sheet, scratch, mode0);
        return;
    }
    const size_t nxc = n[0];
    const psg_real *ex = divide->eigen[0];
    const psg_real *ey = divide->eigen[1];
    const psg_real *ez = divide->eigen[2];
    const psg_real scale = (psg_real)divide->scale;
    psg_complex *line = sheet;
    if (mode0 != NULL && row0 == 0) {
        memcpy(mode0, line, sizeof *line);
    }
    for (size_t k = 0; k < n[2]; k++) {
        for (size_t j = row0; j < row0 + rows; j++, line += nxc) {
            const psg_real base = ez[k] + ey[j] - (psg_real)divide->lambda;
            if (divide->apart) {
                divide_reals(2 * nxc, *line, base, ex, scale);
            } else {
                divide_line(nxc, line, base, ex, scale);
            }
        }
    }
}

void psg_cpu_divide_contiguous(const psg_cpu_divide *divide, const size_t n[3], size_t row0,
                               size_t rows, void *sheet, void *scratch, void *mode0) {
    if (divide->line != NULL) {
        const size_t pitch[2] = {1, n[2]};
        divide_columns(divide, n, row0, rows, pitch, sheet, scratch, mode0);
        return;
    }
    psg_complex *line = sheet;
    if (mode0 != NULL && row0 == 0) {
        memcpy(mode0, line, sizeof *line);
    }
    for (size_t j = row0; j < row0 + rows; j++) {
        for (size_t i = 0; i < n[0]; i++, line += n[2]) {
            psg_cpu_divide_line(divide, i, j, n[2], line);
        }
    }
}
