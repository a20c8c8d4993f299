#include "cpu/dock.h"

#include <math.h>
#include <string.h>

static const double atom_radius = PSG_CPU_DOCK_RADIUS, surface = PSG_CPU_DOCK_SURFACE;
static const float core = -15;
static const double degree = 3.14159265358979323846 / 180;

/* ------------------------------------------------------------------------------- rotations */

/* Degrees of phi between rotations of one theta, a divisor of 360, so that neighbours are `step` apart. */
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

size_t psg_cpu_dock_rotations(unsigned step, psg_cpu_dock_rotation *list) {
    size_t count = 0;
    for (unsigned theta = 0; theta <= 180; theta += step) {
        const unsigned apart = phi_step(step, theta);
        for (unsigned phi = 0; phi < 360; phi += apart) {
            for (unsigned twist = 0; twist < 360; twist += step, count++) {
                if (list != NULL) {
                    list[count] = (psg_cpu_dock_rotation){twist, theta, phi};
                }
            }
        }
    }
    return count;
}

/* Turn the axes a and b. */
static void turn(double at[3], int a, int b, double angle) {
    const double u = at[a], v = at[b];
    at[a] = cos(angle) * u - sin(angle) * v;
    at[b] = sin(angle) * u + cos(angle) * v;
}

void psg_cpu_dock_rotate(const psg_cpu_dock_rotation *rotation, bool back,
                         const psg_cpu_dock_atom *from, psg_cpu_dock_atom *to) {
    const double sign = back ? -degree : degree;
    *to = *from;
    turn(to->at, 0, 1, sign * (back ? rotation->phi : rotation->twist));
    turn(to->at, 2, 0, sign * rotation->theta);
    turn(to->at, 0, 1, sign * (back ? rotation->twist : rotation->phi));
}

/* ----------------------------------------------------------------------------------- cells */

static double middle(const psg_cpu_dock_grid *grid, size_t i) {
    return ((double)i + .5 - .5 * (double)grid->n) * grid->spacing;
}

/* The cells [range[0], range[1]) along an axis may be near enough to x. */
static void near(const psg_cpu_dock_grid *grid, double x, size_t range[2]) {
    const double half = .5 * (double)grid->n, last = (double)grid->n;
    range[0] = (size_t)fmin(fmax(floor((x - atom_radius) / grid->spacing + half) - 1, 0), last);
    range[1] = (size_t)fmin(fmax(ceil((x + atom_radius) / grid->spacing + half) + 1, 0), last);
}

static void put_atom(const psg_cpu_dock_grid *grid, const psg_cpu_dock_atom *atom, float *cells) {
    size_t range[3][2];
    for (int d = 0; d < 3; d++) {
        near(grid, atom->at[d], range[d]);
    }
    for (size_t k = range[2][0]; k < range[2][1]; k++) {
        const double z = middle(grid, k) - atom->at[2];
        for (size_t j = range[1][0]; j < range[1][1]; j++) {
            const double y = middle(grid, j) - atom->at[1];
            for (size_t i = range[0][0]; i < range[0][1]; i++) {
                const double x = middle(grid, i) - atom->at[0];
                if (x * x + y * y + z * z < atom_radius * atom_radius) {
                    cells[(k * grid->n + j) * grid->n + i] = 1;
                }
            }
        }
    }
}

void psg_cpu_dock_mobile(const psg_cpu_dock_grid *grid, const psg_cpu_dock_molecule *molecule,
                         const psg_cpu_dock_rotation *rotation, float *cells) {
    memset(cells, 0, grid->n * grid->n * grid->n * sizeof *cells);
    for (size_t m = 0; m < molecule->atoms; m++) {
        psg_cpu_dock_atom turned;
        psg_cpu_dock_rotate(rotation, false, &molecule->atom[m], &turned);
        put_atom(grid, &turned, cells);
    }
}

/* Is a cell with 0 near? Cells that have become `core` are none. */
static bool at_surface(const psg_cpu_dock_grid *grid, const float *cells, const long at[3]) {
    const long n = (long)grid->n, reach = (long)ceil(surface / grid->spacing);
    const double most = surface * surface / (grid->spacing * grid->spacing);
    for (long k = -reach; k <= reach; k++) {
        for (long j = -reach; j <= reach; j++) {
            for (long i = -reach; i <= reach; i++) {
                const long x = at[0] + i, y = at[1] + j, z = at[2] + k;
                const bool outside = x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n;
                if ((double)(i * i + j * j + k * k) < most &&
                    (outside || cells[(z * n + y) * n + x] == 0)) {
                    return true;
                }
            }
        }
    }
    return false;
}

void psg_cpu_dock_static(const psg_cpu_dock_grid *grid, const psg_cpu_dock_molecule *molecule,
                         float *cells) {
    const psg_cpu_dock_rotation none = {0, 0, 0};
    const long n = (long)grid->n;
    psg_cpu_dock_mobile(grid, molecule, &none, cells);
    for (long m = 0; m < n * n * n; m++) {
        const long at[3] = {m % n, m / n % n, m / n / n};
        if (cells[m] != 0 && !at_surface(grid, cells, at)) {
            cells[m] = core;
        }
    }
}

/* -------------------------------------------------------------------------------- the sums */

void psg_cpu_dock_transform(const psg_cpu_fft *fft, size_t n, const float *cells, void *spectrum,
                            void *scratch) {
    const size_t plane = n * (n / 2 + 1);
    for (size_t k = 0; k < n; k++) {
        psg_cpu_ops_f32.fft_xy(fft, cells + k * n * n, n, (float *)spectrum + 2 * k * plane);
    }
    (void)psg_cpu_ops_f32.fft_z_strided(fft, PSG_CPU_FORWARD, plane, spectrum, scratch);
}

void psg_cpu_dock_correlate(const psg_cpu_fft *fft, size_t n, const void *fixed, float *cells,
                            void *spectrum, void *scratch) {
    const size_t plane = n * (n / 2 + 1);
    const float *s = fixed;
    float *m = spectrum;
    psg_cpu_dock_transform(fft, n, cells, spectrum, scratch);
    for (size_t i = 0; i < 2 * n * plane; i += 2) { /* s times the conjugate of m */
        const float real = s[i] * m[i] + s[i + 1] * m[i + 1];
        m[i + 1] = s[i + 1] * m[i] - s[i] * m[i + 1];
        m[i] = real;
    }
    (void)psg_cpu_ops_f32.fft_z_strided(fft, PSG_CPU_INVERSE, plane, spectrum, scratch);
    for (size_t k = 0; k < n; k++) {
        psg_cpu_ops_f32.ifft_xy(fft, m + 2 * k * plane, cells + k * n * n, n);
    }
}

/* ------------------------------------------------------------------------------- the poses */

void psg_cpu_dock_clear(psg_cpu_dock_pose *list, size_t count) {
    for (size_t m = 0; m < count; m++) {
        list[m] = (psg_cpu_dock_pose){INT32_MIN, INT32_MAX, INT32_MAX};
    }
}

static bool before(const psg_cpu_dock_pose *a, const psg_cpu_dock_pose *b) {
    return a->score != b->score         ? a->score > b->score
           : a->rotation != b->rotation ? a->rotation < b->rotation
                                        : a->cell < b->cell;
}

void psg_cpu_dock_insert(psg_cpu_dock_pose *list, size_t count, const psg_cpu_dock_pose *pose) {
    if (before(pose, &list[count - 1])) {
        size_t m = count - 1;
        for (; m > 0 && before(pose, &list[m - 1]); m--) {
            list[m] = list[m - 1];
        }
        list[m] = *pose;
    }
}

void psg_cpu_dock_best(size_t n, const float *sums, int32_t rotation,
                       psg_cpu_dock_pose best[PSG_CPU_DOCK_BEST]) {
    const size_t cells = n * n * n;
    psg_cpu_dock_clear(best, PSG_CPU_DOCK_BEST);
    for (size_t m = 0; m < cells; m++) {
        const int32_t score = (int32_t)lrint((double)sums[m] / (double)cells);
        if (score > best[PSG_CPU_DOCK_BEST - 1].score) {
            const psg_cpu_dock_pose pose = {score, rotation, (int32_t)m};
            psg_cpu_dock_insert(best, PSG_CPU_DOCK_BEST, &pose);
        }
    }
}
