/* Docking on a core: the sums over all shifts by FFT are those without an FFT, at 100 shifts; the
 * table of rotations, what a rotation does, the cells of an atom, the potential of a charge, and
 * the order of poses. Poses count by the sign of their energy, also where an FFT does not tell it.
 */
#include "base/memory.h"
#include "tests/check.h"
#include "workloads/dock/dock.h"
#include "workloads/random.h"

#include <math.h>
#include <stdlib.h>

enum { ATOMS = 20, SHIFTS = 100 };

static const dock_energies all = {.sums = NULL}; /* poses count */

static void tables(void) {
    static const size_t counts[][2] = {{9, 21440}, {10, 15840}, {12, 9240}, {15, 4656},
                                       {20, 1980}, {30, 600},   {180, 4}};
    dock_rotation list[600];
    for (size_t m = 0; m < sizeof counts / sizeof *counts; m++) {
        const size_t count = dock_cpu_rotations((unsigned)counts[m][0], NULL);
        CHECK(count == counts[m][1], "%zu degrees: %zu rotations", counts[m][0], count);
    }
    CHECK(dock_cpu_rotations(30, list) == 600, "the table");
    CHECK(list[370].twist == 300 && list[370].theta == 90 && list[370].phi == 330,
          "rotation 370 is %u %u %u", list[370].twist, list[370].theta, list[370].phi);
}

/* Twist first, about z, then theta about y, then phi about z. */
static void rotations(void) {
    static const struct {
        dock_rotation rotation;
        double from[3], to[3];
    } cases[] = {{{90, 0, 0}, {1, 0, 0}, {0, 1, 0}},    {{0, 90, 0}, {0, 0, 1}, {1, 0, 0}},
                 {{90, 90, 0}, {1, 0, 0}, {0, 1, 0}},   {{90, 90, 0}, {0, 1, 0}, {0, 0, 1}},
                 {{90, 90, 90}, {1, 0, 0}, {-1, 0, 0}}, {{0, 90, 90}, {0, 0, 1}, {0, 1, 0}}};
    for (size_t m = 0; m < sizeof cases / sizeof *cases; m++) {
        dock_atom a = {{cases[m].from[0], cases[m].from[1], cases[m].from[2]}, 1};
        dock_turn turn = dock_cpu_turn(&cases[m].rotation, false);
        a = dock_turned(&turn, a);
        for (int d = 0; d < 3; d++) {
            CHECK_NEAR(a.at[d], cases[m].to[d], 1e-15, "case %zu, axis %d", m, d);
        }
        turn = dock_cpu_turn(&cases[m].rotation, true);
        a = dock_turned(&turn, a);
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

/* One atom in the middle of 8^3 cells of 1 angstrom. Centres of cells are half-integers: squares of
 * the distance of 0.75 and 2.75 are in, 4.75 and more are out. The 8 cells at 0.75 touch none that
 * is empty, and those across an edge are 1.41 away: they are the core. */
static void one_atom(void) {
    const dock_atom atom = {{0, 0, 0}, 0};
    const dock_molecule one = {&atom, 1};
    const dock_rotation none = {0, 0, 0};
    dock_grid grid = {8, 1};
    float cells[16 * 16 * 16];
    dock_cpu_mobile(&grid, &one, &none, cells);
    CHECK(cells_with(cells, 512, 1) == 32, "%zu cells", cells_with(cells, 512, 1));
    CHECK(cells_with(cells, 512, 0) == 480, "%zu empty cells", cells_with(cells, 512, 0));
    dock_cpu_static(&grid, &one, cells);
    CHECK(cells_with(cells, 512, 1) == 24, "%zu cells of the surface", cells_with(cells, 512, 1));
    CHECK(cells_with(cells, 512, -15) == 8, "%zu cells of the core", cells_with(cells, 512, -15));
    grid = (dock_grid){16, .4};
    dock_cpu_static(&grid, &one, cells);
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

/* The potential by one sum in the order of the atoms, as a GPU has it: it has the same bits. */
static float scalar(const dock_grid *grid, const dock_molecule *molecule, size_t cell) {
    const size_t n = grid->n, at[3] = {cell % n, cell / n % n, cell / n / n};
    double sum = 0;
    for (size_t m = 0; m < molecule->atoms; m++) {
        double from[3];
        for (int d = 0; d < 3; d++) {
            from[d] = dock_middle(grid, at[d]) - molecule->atom[m].at[d];
        }
        const double square = from[0] * from[0] + from[1] * from[1] + from[2] * from[2];
        sum += molecule->atom[m].charge * dock_potential(square);
    }
    return (float)sum;
}

/* All energies by FFT are within the bound of the sums over atoms, which are within rounding those
 * over cells. The bound is that of psg_dock_rounding(). @param[in] core  cells of the static
 * molecule */
static void energies(const psg_cpu_fft *fft, const dock_grid *grid, const dock_molecule *molecule,
                     const dock_rotation *rotation, const float *core) {
    const size_t n = grid->n, cells = n * n * n;
    const size_t spectrum = n * n * (n / 2 + 1) * 2 * sizeof(float);
    const dock_turn turn = dock_cpu_turn(rotation, false);
    FREED float *potential = base_allocate(cells * sizeof(float));
    FREED float *charges = base_allocate(cells * sizeof(float)),
                *sum = base_allocate(cells * sizeof(float));
    FREED void *of_fixed = base_allocate(spectrum), *of_mobile = base_allocate(spectrum);
    FREED void *scratch = base_allocate(psg_cpu_ops_f32.fft_scratch_bytes(fft));
    double total = 0;
    for (size_t m = 0; m < molecule->atoms; m++) {
        total += fabs(molecule->atom[m].charge);
    }
    const double rounding = ldexp(2 / sqrt(pow(grid->spacing, 3)) * total * total, -23);
    dock_cpu_potential(grid, molecule, core, potential);
    dock_cpu_charges(grid, molecule, rotation, charges);
    dock_cpu_charges(grid, molecule, rotation, sum);
    dock_cpu_transform(fft, n, potential, of_fixed, scratch);
    dock_cpu_correlate(fft, n, of_fixed, sum, of_mobile, scratch);
    for (size_t m = 0; m < cells; m++) {
        const double energy =
            dock_energy(grid, potential, &turn, molecule->atom, molecule->atoms, m);
        CHECK_NEAR((double)sum[m] / (double)cells, energy, rounding, "n = %zu, shift %zu", n, m);
        if (m % (cells / SHIFTS) == 0) {
            CHECK(core[m] == -15 || potential[m] == scalar(grid, molecule, m), "cell %zu", m);
            CHECK_NEAR(direct(n, potential, charges, m), energy, 1e-6, "n = %zu, shift %zu", n, m);
        }
    }
}

static void sums(size_t n) {
    const psg_cpu_fft_spec spec = {.nx = n, .ny = n, .nz = n, .effort = PSG_CPU_ESTIMATE};
    const dock_grid grid = {n, 16.0 / (double)n};
    const dock_rotation turned = {30, 60, 90};
    const size_t cells = n * n * n, bytes = cells * sizeof(float);
    const size_t spectrum = n * n * (n / 2 + 1) * 2 * sizeof(float);
    dock_atom atom[ATOMS];
    dock_molecule molecule = {atom, ATOMS};
    uint64_t x = RANDOM_SEED;
    for (size_t m = 0; m < (size_t)3 * ATOMS; m++) {
        x = random_next(x);
        atom[m / 3].at[m % 3] = 8 * random_real(x) - 4;
        atom[m / 3].charge = .25 * (double)(m / 3 % 4) - .5;
    }
    psg_cpu_fft *fft = psg_cpu_ops_f32.fft_create(&spec);
    FREED float *fixed = base_allocate(bytes), *mobile = base_allocate(bytes);
    FREED float *sum = base_allocate(bytes);
    FREED void *of_fixed = base_allocate(spectrum), *of_mobile = base_allocate(spectrum);
    FREED void *scratch = base_allocate(psg_cpu_ops_f32.fft_scratch_bytes(fft));
    dock_cpu_static(&grid, &molecule, fixed);
    dock_cpu_mobile(&grid, &molecule, &turned, mobile);
    dock_cpu_mobile(&grid, &molecule, &turned, sum);
    CHECK(cells_with(fixed, cells, -15) > 100, "the core has few cells");
    dock_cpu_transform(fft, n, fixed, of_fixed, scratch);
    dock_cpu_correlate(fft, n, of_fixed, sum, of_mobile, scratch);
    for (size_t m = 0; m < SHIFTS; m++) {
        x = random_next(x);
        const size_t cell = (size_t)(random_real(x) * (double)cells);
        CHECK_NEAR((double)sum[cell] / (double)cells, direct(n, fixed, mobile, cell), .05,
                   "n = %zu, shift %zu", n, cell);
    }
    dock_candidate best[DOCK_KEPT];
    dock_cpu_best(&grid, sum, &all, 7, best);
    for (int m = 0; m < DOCK_KEPT; m++) {
        CHECK(best[m].rotation == 7 &&
                  best[m].score == direct(n, fixed, mobile, (size_t)best[m].cell),
              "pose %d has score %d at %d", m, (int)best[m].score, (int)best[m].cell);
    }
    energies(fft, &grid, &molecule, &turned, fixed);
    psg_cpu_ops_f32.fft_destroy(fft);
}

/* Distances, and 1/(eps r) by hand: eps is 4 up to 6, 38 r - 224 up to 8, and 80. Nearer than 2 is
 * as near as 2. */
static void one_charge(void) {
    static const double cases[][2] = {
        {0, 1 / 8.},   {1.9, 1 / 8.},         {2, 1 / 8.},        {3, 1 / 12.},
        {6, 1 / 24.},  {6.5, 1 / (23 * 6.5)}, {7, 1 / (42 * 7.)}, {7.5, 1 / (61 * 7.5)},
        {8, 1 / 640.}, {20, 1 / 1600.}};
    for (size_t m = 0; m < sizeof cases / sizeof *cases; m++) {
        CHECK_NEAR(dock_potential(cases[m][0] * cases[m][0]), cases[m][1], 1e-15,
                   "a distance of %g", cases[m][0]);
    }
    /* In the middle of 20^3 cells of 1.2 angstrom: the core has 0. Cells 5 and 10 to the side
     * are 6.6 and 12.6 away along x, and .6 along y and z. */
    const dock_atom atom = {{0, 0, 0}, -.5};
    const dock_molecule one = {&atom, 1};
    const dock_grid grid = {20, 1.2};
    static float cells[8000], potential[8000];
    const double near = sqrt(6.6 * 6.6 + 2 * .6 * .6), far = sqrt(11.4 * 11.4 + 2 * .6 * .6);
    dock_cpu_static(&grid, &one, cells);
    cells[0] = -15;
    dock_cpu_potential(&grid, &one, cells, potential);
    CHECK(potential[0] == 0, "the core has %g", (double)potential[0]);
    CHECK_NEAR((double)potential[(10 * 20 + 10) * 20 + 10], -.5 / 8, 1e-8, "the middle");
    CHECK_NEAR((double)potential[(10 * 20 + 9) * 20 + 15], -.5 / ((38 * near - 224) * near), 1e-8,
               "between");
    CHECK_NEAR((double)potential[(9 * 20 + 10) * 20 + 0], -.5 / (80 * far), 1e-9, "far");
}

/* A charge in the middle of a cell is in it alone. Between cells the parts are trilinear. A corner
 * beyond a side is at the other one. */
static void spread(void) {
    const dock_atom atoms[3] = {{{.5, -1.5, .5}, .5}, {{-.75, 1.5, 1}, 2}, {{-4, 0.5, .5}, 8}};
    const dock_molecule three = {atoms, 3};
    const dock_rotation none = {0, 0, 0};
    const dock_grid grid = {8, 1};
    static const struct {
        size_t x, y, z;
        double charge;
    } parts[] = {{4, 2, 4, .5},  {2, 5, 4, .25}, {3, 5, 4, .75}, {2, 5, 5, .25},
                 {3, 5, 5, .75}, {0, 4, 4, 4},   {7, 4, 4, 4}};
    float charges[512];
    double rest = 0;
    dock_cpu_charges(&grid, &three, &none, charges);
    for (size_t m = 0; m < sizeof parts / sizeof *parts; m++) {
        float *cell = &charges[(parts[m].z * 8 + parts[m].y) * 8 + parts[m].x];
        CHECK_NEAR((double)*cell, parts[m].charge, 1e-7, "part %zu", m);
        *cell = 0;
    }
    for (size_t m = 0; m < 512; m++) {
        rest += fabs((double)charges[m]);
    }
    CHECK_NEAR(rest, 0, 1e-7, "the other cells");
}

/* Two charges: all poses count if their signs differ, none if they are equal, or if one is 0. The
 * farther they are apart, the better is the score and the nearer to 0 the energy: what stands in
 * for sums by FFT has the wrong sign there. */
static void two_charges(void) {
    const dock_grid grid = {16, 1};
    const dock_rotation none = {0, 0, 0};
    static float core[4096], potential[4096], sums[4096], energies[4096];
    for (int sign = -1; sign <= 1; sign++) {
        const dock_atom fixed = {{.5, .5, .5}, -.5}, mobile = {{.5, .5, .5}, sign};
        const dock_molecule one = {&fixed, 1};
        const dock_turn turn = dock_cpu_turn(&none, false);
        const double rounding = 1e-3, off = sign > 0 ? 9e-4 : -9e-4;
        dock_candidate best[DOCK_KEPT];
        dock_cpu_potential(&grid, &one, core, potential);
        for (size_t m = 0; m < 4096; m++) {
            const int x = (int)(m % 16 + 8) % 16 - 8, y = (int)(m / 16 % 16 + 8) % 16 - 8;
            const int z = (int)(m / 256 + 8) % 16 - 8, square = x * x + y * y + z * z;
            const double energy = dock_energy(&grid, potential, &turn, &mobile, 1, m);
            CHECK_NEAR(energy, -.5 * sign * dock_potential(square), 1e-8, "shift %zu", m);
            sums[m] = (float)(4096 * square);
            energies[m] = (float)(4096 * (energy + off));
        }
        const dock_energies e = {energies, rounding, potential, &mobile, 1, turn};
        dock_cpu_best(&grid, sums, &e, 5, best);
        CHECK(best[0].score == (sign > 0 ? 192 : INT32_MIN), "sign %d: score %d", sign,
              (int)best[0].score);
        CHECK(best[2].rotation == (sign > 0 ? 5 : INT32_MAX), "sign %d: rotation %d", sign,
              (int)best[2].rotation);
    }
}

/* The highest score, then the lowest rotation, then the lowest cell, however the poses come. */
static void order(void) {
    static const dock_candidate sorted[] = {{9, 5, 5}, {7, 1, 9}, {7, 2, 3}, {7, 2, 4}, {-3, 0, 0}};
    enum { POSES = sizeof sorted / sizeof *sorted };
    for (int first = 0; first < POSES; first++) {
        dock_candidate list[POSES - 1];
        dock_cpu_clear(list, POSES - 1);
        for (int m = 0; m < POSES; m++) {
            dock_insert(list, POSES - 1, &sorted[(first + 3 * m) % POSES]);
        }
        for (int m = 0; m < POSES - 1; m++) {
            CHECK(list[m].score == sorted[m].score && list[m].rotation == sorted[m].rotation &&
                      list[m].cell == sorted[m].cell,
                  "place %d has score %d, rotation %d, cell %d", m, (int)list[m].score,
                  (int)list[m].rotation, (int)list[m].cell);
        }
    }
    float sums[27] = {[4] = 27 * 5, [11] = 27 * 6, [20] = 27 * 5, [25] = 27 * 5};
    dock_candidate best[DOCK_KEPT];
    const dock_grid grid = {3, 1};
    dock_cpu_best(&grid, sums, &all, 0, best);
    CHECK(best[0].cell == 11 && best[1].cell == 4 && best[2].cell == 20, "ties: %d %d %d",
          (int)best[0].cell, (int)best[1].cell, (int)best[2].cell);
}

int main(void) {
    tables();
    rotations();
    one_atom();
    one_charge();
    spread();
    two_charges();
    sums(32);
    sums(25);
    sums(30);
    order();
    return check_result();
}
