#include "workloads/dock/cells.h"
#include "cpu/clones.h"

#include <math.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

/* ------------------------------------------------------------------------------- rotations */

/* Degrees of phi between rotations of one theta, a divisor of 360, so that neighbours are `step`
 * apart. */
static unsigned phi_step(unsigned step, unsigned theta) {
    const double c = cos(theta * degree), s = sin(theta * degree);
    unsigned phi = 360;
    if (theta > 0 && theta < 180) {
        phi = (unsigned)floor(1e-9 + acos((cos(step * degree) - c * c) / (s * s)) / degree);
        while (360 % phi != 0) {
            phi--;
        }
    }
    return phi;
}

size_t dock_cpu_rotations(unsigned step, dock_rotation *list) {
    size_t count = 0;
    for (unsigned theta = 0; theta <= 180; theta += step) {
        const unsigned apart = phi_step(step, theta);
        for (unsigned phi = 0; phi < 360; phi += apart) {
            for (unsigned twist = 0; twist < 360; twist += step, count++) {
                if (list != NULL) {
                    list[count] = (dock_rotation){twist, theta, phi};
                }
            }
        }
    }
    return count;
}

dock_turn dock_cpu_turn(const dock_rotation *rotation, bool back) {
    const double sign = back ? -degree : degree;
    const double angle[3] = {sign * (back ? rotation->phi : rotation->twist),
                             sign * rotation->theta,
                             sign * (back ? rotation->twist : rotation->phi)};
    dock_turn turn;
    for (int t = 0; t < 3; t++) {
        turn.cosine[t] = cos(angle[t]);
        turn.sine[t] = sin(angle[t]);
    }
    return turn;
}

/* ----------------------------------------------------------------------------------- cells */

static void put_atom(const dock_grid *grid, const dock_atom *atom, float *cells) {
    size_t range[3][2];
    for (int d = 0; d < 3; d++) {
        dock_range(grid, atom->at[d], range[d]);
    }
    for (size_t k = range[2][0]; k < range[2][1]; k++) {
        const double z = dock_middle(grid, k) - atom->at[2];
        for (size_t j = range[1][0]; j < range[1][1]; j++) {
            const double y = dock_middle(grid, j) - atom->at[1];
            for (size_t i = range[0][0]; i < range[0][1]; i++) {
                const double x = dock_middle(grid, i) - atom->at[0];
                if (dock_covers(x, y, z)) {
                    cells[(k * grid->n + j) * grid->n + i] = 1;
                }
            }
        }
    }
}

void dock_cpu_mobile(const dock_grid *grid, const dock_molecule *molecule,
                     const dock_rotation *rotation, float *cells) {
    const dock_turn turn = dock_cpu_turn(rotation, false);
    memset(cells, 0, grid->n * grid->n * grid->n * sizeof *cells);
    for (size_t m = 0; m < molecule->atoms; m++) {
        const dock_atom turned = dock_turned(&turn, molecule->atom[m]);
        put_atom(grid, &turned, cells);
    }
}

void dock_cpu_static(const dock_grid *grid, const dock_molecule *molecule, float *cells) {
    const dock_rotation none = {0, 0, 0};
    dock_cpu_mobile(grid, molecule, &none, cells);
    for (size_t m = 0; m < grid->n * grid->n * grid->n; m++) {
        if (cells[m] != 0 && !dock_at_surface(grid, cells, m)) {
            cells[m] = DOCK_CORE;
        }
    }
}

/* --------------------------------------------------------------------------------- charges */

enum { CELLS = 16 };

/* To the sums of CELLS cells at x[], y, z, which stay in the cache while the atoms go by. Each sum
 * has the order of the atoms. */
PSG_CLONES static void add_potentials(const dock_molecule *molecule, const double x[CELLS],
                                      double y, double z, double sum[CELLS]) {
    for (size_t m = 0; m < molecule->atoms; m++) {
        const dock_atom atom = molecule->atom[m];
        const double dy = y - atom.at[1], dz = z - atom.at[2];
        for (size_t i = 0; i < CELLS && atom.charge != 0; i++) {
            const double dx = x[i] - atom.at[0];
            sum[i] += atom.charge * dock_potential(dx * dx + dy * dy + dz * dz);
        }
    }
}

void dock_cpu_potential(const dock_grid *grid, const dock_molecule *molecule, const float *cells,
                        float *potential) {
    const size_t n = grid->n;
    for (size_t row = 0; row < n * n; row++) {
        const double y = dock_middle(grid, row % n), z = dock_middle(grid, row / n);
        for (size_t begin = 0; begin < n; begin += CELLS) {
            double x[CELLS], sum[CELLS] = {0};
            for (size_t i = 0; i < CELLS; i++) {
                x[i] = dock_middle(grid, begin + i);
            }
            add_potentials(molecule, x, y, z, sum);
            for (size_t i = 0; i < CELLS && begin + i < n; i++) {
                const size_t m = row * n + begin + i;
                potential[m] = cells[m] == DOCK_CORE ? 0 : (float)sum[i];
            }
        }
    }
}

void dock_cpu_charges(const dock_grid *grid, const dock_molecule *molecule,
                      const dock_rotation *rotation, float *charges) {
    static const long none[3] = {0, 0, 0};
    const dock_turn turn = dock_cpu_turn(rotation, false);
    memset(charges, 0, grid->n * grid->n * grid->n * sizeof *charges);
    for (size_t m = 0; m < molecule->atoms; m++) {
        const dock_atom turned = dock_turned(&turn, molecule->atom[m]);
        for (int corner = 0; corner < 8; corner++) {
            size_t cell = 0;
            const double share = dock_share(grid, &turned, corner, none, &cell);
            charges[cell] += (float)share;
        }
    }
}

/* -------------------------------------------------------------------------------- the sums */

void dock_cpu_transform(const psg_cpu_fft *fft, size_t n, const float *cells, void *spectrum,
                        void *scratch) {
    const size_t plane = n * (n / 2 + 1);
    for (size_t k = 0; k < n; k++) {
        psg_cpu_ops_f32.fft_xy(fft, cells + k * n * n, n, (float *)spectrum + 2 * k * plane,
                               scratch);
    }
    (void)psg_cpu_ops_f32.strided.fft_z(fft, PSG_CPU_FORWARD, plane, spectrum, scratch);
}

void dock_cpu_correlate(const psg_cpu_fft *fft, size_t n, const void *fixed, float *cells,
                        void *spectrum, void *scratch) {
    const size_t plane = n * (n / 2 + 1);
    const float *s = fixed;
    float *m = spectrum;
    dock_cpu_transform(fft, n, cells, spectrum, scratch);
    for (size_t i = 0; i < 2 * n * plane; i += 2) { /* s times the conjugate of m */
        const float real = s[i] * m[i] + s[i + 1] * m[i + 1];
        m[i + 1] = s[i + 1] * m[i] - s[i] * m[i + 1];
        m[i] = real;
    }
    (void)psg_cpu_ops_f32.strided.fft_z(fft, PSG_CPU_INVERSE, plane, spectrum, scratch);
    for (size_t k = 0; k < n; k++) {
        psg_cpu_ops_f32.ifft_xy(fft, m + 2 * k * plane, cells + k * n * n, n, scratch);
    }
}

/* ------------------------------------------------------------------------------- the poses */

void dock_cpu_clear(dock_candidate *list, size_t count) {
    for (size_t m = 0; m < count; m++) {
        list[m] = dock_no_pose();
    }
}

void dock_cpu_best(const dock_grid *grid, const float *sums, const dock_energies *energies,
                   int32_t rotation, dock_candidate best[DOCK_KEPT]) {
    const size_t cells = grid->n * grid->n * grid->n;
    const double scale = 1 / (double)cells;
    dock_cpu_clear(best, DOCK_KEPT);
    for (size_t m = 0; m < cells; m++) {
        const int32_t score = (int32_t)lrint((double)sums[m] * scale);
        if (score > best[DOCK_KEPT - 1].score) {
            const dock_candidate pose = {score, rotation, (int32_t)m};
            const int sign = dock_sign(grid, energies, m);
            if (sign < 0 || (sign == 0 && dock_negative(grid, energies, m))) {
                dock_insert(best, DOCK_KEPT, &pose);
            }
        }
    }
}
