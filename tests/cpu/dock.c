/* Docking on a core: the sums over all shifts by FFT are those without an FFT, at 100 shifts; the table of rotations, what
 * a rotation does, the cells of an atom, and the order of poses. */
#include "cpu/dock.h"
#include "base/memory.h"
#include "base/random.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

enum { ATOMS = 20, SHIFTS = 100 };

static void tables(void) {
    static const size_t counts[][2] = {{9, 21440}, {10, 15840}, {12, 9240}, {15, 4656},
                                       {20, 1980}, {30, 600},   {180, 4}};
    psg_cpu_dock_rotation list[600];
    for (size_t m = 0; m < sizeof counts / sizeof *counts; m++) {
        const size_t count = psg_cpu_dock_rotations((unsigned)counts[m][0], NULL);
        CHECK(count == counts[m][1], "%zu degrees: %zu rotations", counts[m][0], count);
    }
    CHECK(psg_cpu_dock_rotations(30, list) == 600, "the table");
    CHECK(list[370].twist == 300 && list[370].theta == 90 && list[370].phi == 330,
          "rotation 370 is %u %u %u", list[370].twist, list[370].theta, list[370].phi);
}

/* Twist first, about z, then theta about y, then phi about z. */
static void rotations(void) {
    static const struct {
        psg_cpu_dock_rotation rotation;
        double from[3], to[3];
    } cases[] = {{{90, 0, 0}, {1, 0, 0}, {0, 1, 0}},    {{0, 90, 0}, {0, 0, 1}, {1, 0, 0}},
                 {{90, 90, 0}, {1, 0, 0}, {0, 1, 0}},   {{90, 90, 0}, {0, 1, 0}, {0, 0, 1}},
                 {{90, 90, 90}, {1, 0, 0}, {-1, 0, 0}}, {{0, 90, 90}, {0, 0, 1}, {0, 1, 0}}};
    for (size_t m = 0; m < sizeof cases / sizeof *cases; m++) {
        base_dock_atom a = {{cases[m].from[0], cases[m].from[1], cases[m].from[2]}};
        base_dock_turn turn = psg_cpu_dock_turn(&cases[m].rotation, false);
        a = base_dock_turned(&turn, a);
        for (int d = 0; d < 3; d++) {
            CHECK_NEAR(a.at[d], cases[m].to[d], 1e-15, "case %zu, axis %d", m, d);
        }
        turn = psg_cpu_dock_turn(&cases[m].rotation, true);
        a = base_dock_turned(&turn, a);
        for (int d = 0; d < 3; d++) {
            CHECK_NEAR(a.at[d], cases[m].from[d], 1e-15, "case %zu back, axis %d", m, d);
        }
    }
}

static size_t cells_with(const float *cells, size_t count, float value) {
    size_t found = 0;
    for (size_t m = 0; m < count; m++) {
        found += cells[m] == value;
    }
    return found;
}

/* One atom in the middle of 8^3 cells of 1 angstrom. Centres of cells are half-integers: squares of the distance of 0.75 and
 * 2.75 are in, 4.75 and more are out. The 8 cells at 0.75 touch none that is empty, and those across an edge are 1.41 away:
 * they are the core. */
static void one_atom(void) {
    const base_dock_atom atom = {{0, 0, 0}};
    const psg_cpu_dock_molecule one = {&atom, 1};
    const psg_cpu_dock_rotation none = {0, 0, 0};
    base_dock_grid grid = {8, 1};
    float cells[16 * 16 * 16];
    psg_cpu_dock_mobile(&grid, &one, &none, cells);
    CHECK(cells_with(cells, 512, 1) == 32, "%zu cells", cells_with(cells, 512, 1));
    CHECK(cells_with(cells, 512, 0) == 480, "%zu empty cells", cells_with(cells, 512, 0));
    psg_cpu_dock_static(&grid, &one, cells);
    CHECK(cells_with(cells, 512, 1) == 24, "%zu cells of the surface", cells_with(cells, 512, 1));
    CHECK(cells_with(cells, 512, -15) == 8, "%zu cells of the core", cells_with(cells, 512, -15));
    grid = (base_dock_grid){16, .4};
    psg_cpu_dock_static(&grid, &one, cells);
    CHECK(cells[(8 * 16 + 8) * 16 + 8] == -15, "the middle is %g", cells[(8 * 16 + 8) * 16 + 8]);
    CHECK(cells[(8 * 16 + 8) * 16 + 4] == 1, "the surface is %g", cells[(8 * 16 + 8) * 16 + 4]);
}

static double direct(size_t n, const float *fixed, const float *mobile, size_t cell) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++) {
                const size_t x = (i + cell % n) % n, y = (j + cell / n % n) % n;
                const size_t z = (k + cell / n / n) % n;
                sum += (double)fixed[(z * n + y) * n + x] * (double)mobile[(k * n + j) * n + i];
            }
        }
    }
    return sum;
}

static void sums(size_t n) {
    const psg_cpu_fft_spec spec = {.nx = n, .ny = n, .nz = n, .effort = PSG_CPU_ESTIMATE};
    const base_dock_grid grid = {n, 16.0 / (double)n};
    const psg_cpu_dock_rotation turned = {30, 60, 90};
    const size_t cells = n * n * n, bytes = cells * sizeof(float);
    const size_t spectrum = n * n * (n / 2 + 1) * 2 * sizeof(float);
    base_dock_atom atom[ATOMS];
    psg_cpu_dock_molecule molecule = {atom, ATOMS};
    uint64_t x = BASE_RANDOM_SEED;
    for (size_t m = 0; m < (size_t)3 * ATOMS; m++) {
        x = base_random_next(x);
        atom[m / 3].at[m % 3] = 8 * base_random_real(x) - 4;
    }
    psg_cpu_fft *fft = psg_cpu_ops_f32.fft_create(&spec);
    float *fixed = base_allocate(bytes), *mobile = base_allocate(bytes);
    float *sum = base_allocate(bytes);
    void *of_fixed = base_allocate(spectrum), *of_mobile = base_allocate(spectrum);
    void *scratch = base_allocate(psg_cpu_ops_f32.fft_scratch_bytes(fft));
    psg_cpu_dock_static(&grid, &molecule, fixed);
    psg_cpu_dock_mobile(&grid, &molecule, &turned, mobile);
    psg_cpu_dock_mobile(&grid, &molecule, &turned, sum);
    CHECK(cells_with(fixed, cells, -15) > 100, "the core has few cells");
    psg_cpu_dock_transform(fft, n, fixed, of_fixed, scratch);
    psg_cpu_dock_correlate(fft, n, of_fixed, sum, of_mobile, scratch);
    for (size_t m = 0; m < SHIFTS; m++) {
        x = base_random_next(x);
        const size_t cell = (size_t)(base_random_real(x) * (double)cells);
        CHECK_NEAR((double)sum[cell] / (double)cells, direct(n, fixed, mobile, cell), .05,
                   "n = %zu, shift %zu", n, cell);
    }
    base_dock_pose best[BASE_DOCK_BEST];
    psg_cpu_dock_best(n, sum, 7, best);
    for (int m = 0; m < BASE_DOCK_BEST; m++) {
        CHECK(best[m].rotation == 7 &&
                  best[m].score == direct(n, fixed, mobile, (size_t)best[m].cell),
              "pose %d has score %d at %d", m, (int)best[m].score, (int)best[m].cell);
    }
    psg_cpu_ops_f32.fft_destroy(fft);
    free(fixed);
    free(mobile);
    free(sum);
    free(of_fixed);
    free(of_mobile);
    free(scratch);
}

/* The highest score, then the lowest rotation, then the lowest cell, however the poses come. */
static void order(void) {
    static const base_dock_pose sorted[] = {{9, 5, 5}, {7, 1, 9}, {7, 2, 3}, {7, 2, 4}, {-3, 0, 0}};
    enum { POSES = sizeof sorted / sizeof *sorted };
    for (int first = 0; first < POSES; first++) {
        base_dock_pose list[POSES - 1];
        psg_cpu_dock_clear(list, POSES - 1);
        for (int m = 0; m < POSES; m++) {
            base_dock_insert(list, POSES - 1, &sorted[(first + 3 * m) % POSES]);
        }
        for (int m = 0; m < POSES - 1; m++) {
            CHECK(list[m].score == sorted[m].score && list[m].rotation == sorted[m].rotation &&
                      list[m].cell == sorted[m].cell,
                  "place %d has score %d, rotation %d, cell %d", m, (int)list[m].score,
                  (int)list[m].rotation, (int)list[m].cell);
        }
    }
    float sums[27] = {[4] = 27 * 5, [11] = 27 * 6, [20] = 27 * 5, [25] = 27 * 5};
    base_dock_pose best[BASE_DOCK_BEST];
    psg_cpu_dock_best(3, sums, 0, best);
    CHECK(best[0].cell == 11 && best[1].cell == 4 && best[2].cell == 20, "ties: %d %d %d",
          (int)best[0].cell, (int)best[1].cell, (int)best[2].cell);
}

int main(void) {
    tables();
    rotations();
    one_atom();
    sums(32);
    sums(25);
    sums(30);
    order();
    return check_result();
}
