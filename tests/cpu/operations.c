/* Each operation on raw arrays must be what its declaration says, in both precisions. */
#include "cpu/ops.h"

#include "base/memory.h"
#include "tests/check.h"

#include <complex.h>
#include <stdlib.h>

enum { NX = 6, NY = 5, NZ = 7, NXC = NX / 2 + 1, SPECTRUM = NXC * NY * NZ };

static const psg_cpu_ops *ops;
static double tolerance;

static double get(const void *array, size_t at) {
    return check_element(array, ops->real_bytes, at);
}

static void set(void *array, size_t at, double value) {
    if (ops->real_bytes == sizeof(float)) {
        ((float *)array)[at] = (float)value;
    } else {
        ((double *)array)[at] = value;
    }
}

static double value_at(size_t at) {
    return (double)((at * 7919 + 13) % 1009) / 1009 - 0.5;
}

static void *filled(size_t count) {
    char *array = base_allocate((count + 2) * ops->real_bytes);
    for (size_t m = 0; array != NULL && m < count; m++) {
        set(array, m, value_at(m));
    }
    return array;
}

static void *create_tables(psg_cpu_divide *divide) {
    char *tables = base_allocate((NXC + NY + NZ) * ops->real_bytes);
    for (size_t m = 0; m < NXC + NY + NZ; m++) {
        set(tables, m, m == 0 || m == NXC || m == NXC + NY ? 0 : -1.0 - (double)m);
    }
    *divide = (psg_cpu_divide){
        .eigen = {tables, tables + NXC * ops->real_bytes, tables + (NXC + NY) * ops->real_bytes},
        .scale = 0.25};
    return tables;
}

static double factor_at(const psg_cpu_divide *divide, size_t i, size_t j, size_t k) {
    const double sum =
        get(divide->eigen[0], i) + get(divide->eigen[1], j) + get(divide->eigen[2], k);
    return sum != 0 ? divide->scale / sum : 0;
}

/* Plane transform and back, against the definition. */
static void check_xy(const psg_cpu_fft *fft) {
    FREED void *plane = filled(NX * NY);
    FREED void *spectrum = base_allocate((size_t)2 * NXC * NY * ops->real_bytes);
    FREED void *back = filled(NX * NY);
    FREED void *scratch = base_allocate(ops->fft_scratch_bytes(fft));
    ops->fft_xy(fft, plane, NX, spectrum, scratch);
    for (size_t q = 0; q < NY; q++) {
        for (size_t p = 0; p < NXC; p++) {
            double complex sum = 0;
            for (size_t j = 0; j < NY; j++) {
                for (size_t i = 0; i < NX; i++) {
                    const double turn = (double)(p * i % NX) / NX + (double)(q * j % NY) / NY;
                    sum += get(plane, j * NX + i) * cexp(-2 * I * 3.14159265358979323846 * turn);
                }
            }
            const size_t at = q * NXC + p;
            CHECK_NEAR(get(spectrum, 2 * at), creal(sum), tolerance * 30, "fft_xy re (%zu,%zu)", p,
                       q);
            CHECK_NEAR(get(spectrum, 2 * at + 1), cimag(sum), tolerance * 30, "fft_xy im (%zu,%zu)",
                       p, q);
        }
    }
    ops->ifft_xy(fft, spectrum, back, NX, scratch);
    for (size_t m = 0; m < NX * NY; m++) {
        CHECK_NEAR(get(back, m), NX * NY * value_at(m), tolerance * 30 * NX * NY, "ifft_xy at %zu",
                   m);
    }
}

/* What kspace must do to a whole spectrum [NZ][NY][NXC], by the definition. */
static double complex *kspace_expected(const void *spectrum, const psg_cpu_divide *divide) {
    double complex *out = calloc(SPECTRUM, sizeof *out);
    for (size_t c = 0; out != NULL && c < (size_t)NXC * NY; c++) {
        for (size_t r = 0; r < NZ; r++) {
            double complex mode = 0;
            for (size_t k = 0; k < NZ; k++) {
                const size_t at = k * NXC * NY + c;
                mode += (get(spectrum, 2 * at) + I * get(spectrum, 2 * at + 1)) *
                        cexp(-2 * I * 3.14159265358979323846 * (double)(r * k % NZ) / NZ);
            }
            mode *= factor_at(divide, c % NXC, c / NXC, r);
            for (size_t k = 0; k < NZ; k++) {
                out[k * NXC * NY + c] +=
                    mode * cexp(2 * I * 3.14159265358979323846 * (double)(r * k % NZ) / NZ);
            }
        }
    }
    return out;
}

/* Rows [row0, row0 + rows) in two uneven pieces, as a block each. */
static void check_kspace(const psg_cpu_fft *fft, size_t row0, size_t rows) {
    static const size_t z0[] = {0, 3, NZ};
    psg_cpu_divide divide;
    FREED void *tables = create_tables(&divide);
    FREED void *spectrum = filled((size_t)2 * SPECTRUM);
    double complex *expected = kspace_expected(spectrum, &divide);
    psg_cpu_piece piece[2];
    FREED void *scratch = base_allocate(ops->fft_scratch_bytes(fft));
    for (size_t s = 0; s < 2; s++) {
        piece[s].pitch = rows * NXC + s; /* the second a view into something wider */
        piece[s].planes = z0[s + 1] - z0[s];
        piece[s].memory = base_allocate(piece[s].planes * piece[s].pitch * 2 * ops->real_bytes);
        for (size_t k = z0[s]; k < z0[s + 1]; k++) {
            for (size_t m = 0; m < rows * NXC * 2; m++) {
                set(piece[s].memory, (k - z0[s]) * piece[s].pitch * 2 + m,
                    get(spectrum, 2 * (k * NY + row0) * NXC + m));
            }
        }
    }
    const psg_cpu_sheet sheet = {
        .pieces = 2, .piece = piece, .nxc = NXC, .first = row0 * NXC, .columns = rows * NXC};
    double mode0[2]; /* room for either precision */
    set(mode0, 0, -1);
    ops->kspace(fft, &divide, &sheet, scratch, mode0);
    for (size_t s = 0; s < 2; s++) {
        for (size_t k = z0[s]; k < z0[s + 1]; k++) {
            for (size_t c = 0; c < rows * NXC; c++) {
                const double complex want = expected[(k * NY + row0) * NXC + c];
                const size_t at = (k - z0[s]) * piece[s].pitch + c;
                CHECK_NEAR(get(piece[s].memory, 2 * at), creal(want), tolerance * 10,
                           "kspace re, row %zu", row0);
                CHECK_NEAR(get(piece[s].memory, 2 * at + 1), cimag(want), tolerance * 10,
                           "kspace im, row %zu", row0);
            }
        }
        free(piece[s].memory);
    }
    double total = 0;
    for (size_t k = 0; k < NZ; k++) {
        total += get(spectrum, 2 * k * NXC * NY);
    }
    CHECK_NEAR(ops->first(mode0), row0 == 0 ? total : -1, tolerance * 10, "sum of f, row %zu",
               row0);
    free(expected);
}

/* The staged way, transform, divide, transform back, in either layout, must be what kspace is. */
static void check_staged(const psg_cpu_fft *fft, bool contiguous) {
    static const size_t n[3] = {NXC, NY, NZ};
    psg_cpu_divide divide;
    FREED void *tables = create_tables(&divide);
    FREED void *spectrum = filled((size_t)2 * SPECTRUM);
    double complex *expected = kspace_expected(spectrum, &divide);
    FREED void *sheet = base_allocate((size_t)2 * SPECTRUM * ops->real_bytes);
    FREED void *scratch = base_allocate(ops->fft_scratch_bytes(fft));
    const size_t columns = (size_t)NXC * NY;
    for (size_t m = 0; m < SPECTRUM; m++) {
        const size_t at = contiguous ? m % columns * NZ + m / columns : m;
        set(sheet, 2 * at, get(spectrum, 2 * m));
        set(sheet, 2 * at + 1, get(spectrum, 2 * m + 1));
    }
    double mode0[2] = {0};
    const psg_cpu_sheet_ops *whole = contiguous ? &ops->contiguous : &ops->strided;
    whole->fft_z(fft, PSG_CPU_FORWARD, columns, sheet, scratch);
    whole->divide(&divide, n, 0, NY, sheet, scratch, mode0);
    whole->fft_z(fft, PSG_CPU_INVERSE, columns, sheet, scratch);
    for (size_t m = 0; m < SPECTRUM; m++) {
        const size_t at = contiguous ? m % columns * NZ + m / columns : m;
        CHECK_NEAR(get(sheet, 2 * at), creal(expected[m]), tolerance * 10, "staged re at %zu", m);
        CHECK_NEAR(get(sheet, 2 * at + 1), cimag(expected[m]), tolerance * 10, "staged im at %zu",
                   m);
    }
    free(expected);
}

static void check_reductions(void) {
    enum { COUNT = 1001 };
    FREED char *array = filled(COUNT);
    CHECK(ops->find_nonfinite(array, COUNT) == COUNT, "all finite");
    set(array, 17, -3);
    CHECK_NEAR(ops->max_abs(array, COUNT), 3, 0, "largest");
    ops->normalize(array, COUNT, 0.5);
    CHECK_NEAR(get(array, 17), -1.5, 0, "normalised");
    CHECK_NEAR(get(array, COUNT - 1), value_at(COUNT - 1) / 2, tolerance, "normalised to the end");
    set(array, COUNT - 1, NAN);
    CHECK(ops->find_nonfinite(array, COUNT) == COUNT - 1, "NaN found");
    set(array, 400, -INFINITY);
    CHECK(ops->find_nonfinite(array, COUNT) == 400, "Inf found first");
}

int main(void) {
    static const psg_cpu_ops *const both[] = {&psg_cpu_ops_f64, &psg_cpu_ops_f32};
    for (size_t m = 0; m < 2; m++) {
        ops = both[m];
        tolerance = ops->real_bytes == sizeof(float) ? 1e-6 : 1e-14;
        const psg_cpu_fft_spec spec = {.nx = NX, .ny = NY, .nz = NZ, .effort = PSG_CPU_ESTIMATE};
        psg_cpu_fft *fft = ops->fft_create(&spec);
        CHECK(fft != NULL, "a plan");
        check_xy(fft);
        check_kspace(fft, 0, NY);
        check_kspace(fft, 0, 1);
        check_kspace(fft, 2, 3);
        check_staged(fft, true);
        check_staged(fft, false);
        check_reductions();
        ops->fft_destroy(fft);
    }
    return check_result();
}
