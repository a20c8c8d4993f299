/* Built-in problems with known answers. Their eigenvalues are written here again, on purpose:
 * what is checked with them must not be computed by the library. */
#include "app/problems.h"
#include "app/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- modes
 *
 * f = sum over modes of cos(2 pi (mx i/nx + my j/ny + mz k/nz) + phase), and u = sum of the same
 * over the eigenvalue. All modes are alike in f, because the rounding of f at one mode shows in
 * u at every other, largest at the lowest. */

enum { MODES_MOST = 16 };

struct app_modes {
    psg_grid grid;
    size_t count;
    double amplitude[MODES_MOST], eigenvalue[MODES_MOST];
    /* cosine and sine of the part of the phase that belongs to an axis, for mode q and point i:
       wave[axis][2 * (q * n + i)]; the phase of the mode is in that of x */
    double *wave[3];
    double *row[2]; /* f and u of one row, nx each */
};

/* Mode numbers of one axis, from the ends of its range [-n/2, n/2]: 0 is 0, 1 2 3 are counted
 * from 0, and 8 and 7 are the highest there is and the one before. */
static long mode_number(int code, size_t n) {
    const long highest = (long)(n / 2);
    const long size = labs((long)code);
    long m = size >= 7 ? highest - (8 - size) : size;
    if (m > highest) {
        m = highest;
    }
    if (m < 0) {
        m = 0;
    }
    return code < 0 ? -m : m;
}

static double axis_eigenvalue(const psg_axis *axis, long m, psg_symbol symbol) {
    const double pi = acos(-1.0), n = (double)axis->n;
    const double k = symbol == PSG_SYMBOL_FD2 ? 2 * n / axis->length * sin(pi * (double)m / n)
                                              : 2 * pi * (double)m / axis->length;
    return -k * k;
}

/* cos and sin of 2 pi m i / n + phase, with m i reduced modulo n in whole numbers */
static void fill_wave(double *wave, size_t n, long m, double phase) {
    const double pi = acos(-1.0);
    const size_t step = m < 0 ? n - (size_t)(-m) : (size_t)m;
    size_t turn = 0;
    for (size_t i = 0; i < n; i++) {
        const double angle = 2 * pi * (double)turn / (double)n + phase;
        wave[2 * i] = cos(angle);
        wave[2 * i + 1] = sin(angle);
        turn = (turn + step) % n;
    }
}

app_modes *app_modes_make(const psg_grid *grid, psg_symbol symbol, double lambda) {
    static const int codes[][3] = {
        {1, 0, 0}, {0, 1, 0},  {0, 0, 1},  {8, 0, 0},  {0, 8, 0},   {0, 0, 8},   {8, 8, 8},
        {7, 0, 1}, {-7, 7, 0}, {1, -2, 3}, {0, 2, -7}, {-1, 8, -7}, {7, -7, -7}, {0, 0, 0},
    };
    enum { COUNT = sizeof codes / sizeof codes[0] };
    app_modes *modes = calloc(1, sizeof *modes);
    if (!modes) {
        goto fail;
    }
    modes->grid = *grid;
    for (int axis = 0; axis < 3; axis++) {
        modes->wave[axis] = calloc(COUNT * grid->axis[axis].n, 2 * sizeof(double));
    }
    for (int r = 0; r < 2; r++) {
        modes->row[r] = calloc(grid->axis[0].n, sizeof(double));
    }
    if (!modes->wave[0] || !modes->wave[1] || !modes->wave[2] || !modes->row[0] || !modes->row[1]) {
        goto fail;
    }
    for (size_t c = 0; c < COUNT; c++) {
        const size_t q = modes->count;
        double eigenvalue = -lambda;
        for (int axis = 0; axis < 3; axis++) {
            const size_t n = grid->axis[axis].n;
            const long m = mode_number(codes[c][axis], n);
            eigenvalue += axis_eigenvalue(&grid->axis[axis], m, symbol);
            /* no phase is near pi/2, where a Nyquist mode would vanish */
            fill_wave(modes->wave[axis] + 2 * q * n, n, m, axis ? 0.0 : 0.3 + 0.07 * (double)c);
        }
        if (eigenvalue == 0) { /* the constant mode without lambda: it has no answer */
            continue;
        }
        modes->eigenvalue[q] = eigenvalue;
        modes->amplitude[q] = (c % 2 ? -1 : 1) / eigenvalue;
        modes->count++;
    }
    return modes;
fail:
    app_modes_free(modes);
    app_error(APP_FAILED, "out of memory for the modes");
    return NULL;
}

void app_modes_free(app_modes *modes) {
    if (!modes) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        free(modes->wave[axis]);
    }
    free(modes->row[0]);
    free(modes->row[1]);
    free(modes);
}

/* f and u of row (j, k) into modes->row */
static void make_row(const app_modes *modes, size_t j, size_t k) {
    const size_t nx = modes->grid.axis[0].n;
    double *f = modes->row[0], *u = modes->row[1];
    memset(f, 0, nx * sizeof *f);
    memset(u, 0, nx * sizeof *u);
    for (size_t q = 0; q < modes->count; q++) {
        const double *x = modes->wave[0] + 2 * q * nx;
        const double *y = modes->wave[1] + 2 * (q * modes->grid.axis[1].n + j);
        const double *z = modes->wave[2] + 2 * (q * modes->grid.axis[2].n + k);
        const double c = modes->amplitude[q] * (y[0] * z[0] - y[1] * z[1]);
        const double s = modes->amplitude[q] * (y[0] * z[1] + y[1] * z[0]);
        for (size_t i = 0; i < nx; i++) {
            const double value = x[2 * i] * c - x[2 * i + 1] * s;
            u[i] += value;
            f[i] += modes->eigenvalue[q] * value;
        }
    }
}

void app_modes_fill(const app_modes *modes, psg_precision precision, app_planes planes, void *f,
                    void *u) {
    const size_t nx = modes->grid.axis[0].n, ny = modes->grid.axis[1].n;
    for (size_t k = 0; k < planes.count; k++) {
        for (size_t j = 0; j < ny; j++) {
            make_row(modes, j, planes.z0 + k);
            app_put_row(f, precision, (k * ny + j) * nx, nx, modes->row[0]);
            if (u) {
                app_put_row(u, precision, (k * ny + j) * nx, nx, modes->row[1]);
            }
        }
    }
}

void app_modes_compare(const app_modes *modes, psg_precision precision, app_planes planes,
                       const void *u, app_modes_error *result) {
    const size_t nx = modes->grid.axis[0].n, ny = modes->grid.axis[1].n;
    double error = 0, largest = 0;
    memset(result, 0, sizeof *result);
    for (size_t k = 0; k < planes.count; k++) {
        for (size_t j = 0; j < ny; j++) {
            make_row(modes, j, planes.z0 + k);
            app_get_row(u, precision, (k * ny + j) * nx, nx, modes->row[0]);
            for (size_t i = 0; i < nx; i++) {
                const double here = fabs(modes->row[0][i] - modes->row[1][i]);
                largest = fmax(largest, fabs(modes->row[1][i]));
                /* once it is NaN it stays so */
                if (!(here <= error) && !isnan(error)) {
                    error = here;
                    result->at[0] = i;
                    result->at[1] = j;
                    result->at[2] = planes.z0 + k;
                }
            }
        }
    }
    app_ranks_max(&largest, 1);
    app_ranks_max_at(&error, result->at);
    result->error = largest > 0 ? error / largest : error;
    result->tolerance = precision == PSG_F32 ? 1e-5 : 1e-13;
}

/* ----------------------------------------------------------------------------------- madelung */

enum { IONS_MOST = 8 };

/* The lattices: a face-centred (or simple) cubic lattice of +1, and another of -1 shifted by
 * `shift` along the diagonal. Lengths in units of the cell. */
static const struct lattice {
    const char *name;
    double distance_squared; /* of nearest neighbours */
    double shift;
    size_t ions; /* in the cell */
    double reference;
} lattices[] = {
    [APP_NACL] = {"NaCl", 1.0 / 4, 0.5, 8, 1.747564594633182},
    [APP_CSCL] = {"CsCl", 3.0 / 4, 0.5, 2, 1.762674773070988},
    [APP_ZNS] = {"ZnS", 3.0 / 16, 0.25, 8, 1.638055053388790},
};

const char *app_lattice_name(app_lattice lattice) {
    return lattices[lattice].name;
}

/* Where ion q is on an axis, in units of the cell, and its charge. */
static double ion_place(const struct lattice *lattice, size_t q, int axis) {
    static const double face[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    const size_t half = lattice->ions / 2;
    return face[q % half][axis] + (q < half ? 0 : lattice->shift);
}

static double ion_charge(const struct lattice *lattice, size_t q) {
    return q < lattice->ions / 2 ? 1 : -1;
}

/* Standard deviation of the charges, in units of the cell. */
static double ion_width(const struct lattice *lattice) {
    return sqrt(lattice->distance_squared) / 12;
}

/* A normalised Gaussian at `place` and its images on the points of an axis; a Gaussian in 3-D is
 * the product of three. With widths below 0.0722 cells, the images left out are below exp(-500). */
static void fill_gaussian(double *table, const psg_axis *axis, double place, double width) {
    const double pi = acos(-1.0), sigma = width * axis->length;
    for (size_t i = 0; i < axis->n; i++) {
        double t = (double)i / (double)axis->n - place, sum = 0;
        t -= round(t);
        for (int image = -2; image <= 2; image++) {
            const double s = (t + image) / width;
            sum += exp(-0.5 * s * s);
        }
        table[i] = sum / (sigma * sqrt(2 * pi));
    }
}

int app_madelung_fill(app_lattice which, const psg_grid *grid, psg_precision precision,
                      app_planes planes, void *f) {
    const struct lattice *lattice = &lattices[which];
    const size_t nx = grid->axis[0].n, ny = grid->axis[1].n, nz = grid->axis[2].n;
    double *table[3] = {NULL, NULL, NULL};
    double *row = app_allocate(nx, sizeof *row, "a row of the field");
    int code = row ? APP_DONE : APP_FAILED;
    for (int axis = 0; axis < 3 && !code; axis++) {
        const size_t n = grid->axis[axis].n;
        table[axis] = app_allocate(lattice->ions * n, sizeof(double), "the charges of the ions");
        code = table[axis] ? APP_DONE : APP_FAILED;
        for (size_t q = 0; q < lattice->ions && !code; q++) {
            fill_gaussian(table[axis] + q * n, &grid->axis[axis], ion_place(lattice, q, axis),
                          ion_width(lattice));
        }
    }
    for (size_t k = 0; k < planes.count && !code; k++) {
        for (size_t j = 0; j < ny; j++) {
            memset(row, 0, nx * sizeof *row);
            for (size_t q = 0; q < lattice->ions; q++) {
                const double yz = -4 * acos(-1.0) * ion_charge(lattice, q) * table[1][q * ny + j] *
                                  table[2][q * nz + planes.z0 + k];
                const double *x = table[0] + q * nx;
                for (size_t i = 0; i < nx; i++) {
                    row[i] += yz * x[i];
                }
            }
            app_put_row(f, precision, (k * ny + j) * nx, nx, row);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        free(table[axis]);
    }
    free(row);
    return code;
}

/* Gaussian units: E = 1/2 integral rho phi with lap(phi) = -4 pi rho. Two Gaussians of deviation
 * sigma at distance r interact as q q' erf(r/(2 sigma))/r, and erfc(12/2) = 2e-17: as point
 * charges do. What is too much is each ion's energy with itself, 1/(2 sigma sqrt(pi)), the limit
 * of half of that for r = 0. The rest is -(ions/2) M/d. The sum over the points is the integral,
 * up to what the grid cannot resolve of the Gaussians: below 1e-12 where sigma is 1.8 spacings. */
int app_madelung_constant(app_lattice which, const psg_grid *grid, psg_precision precision,
                          psg_symbol symbol, app_planes planes, const void *f, const void *phi,
                          app_madelung *result) {
    const struct lattice *lattice = &lattices[which];
    const double pi = acos(-1.0), ions = (double)lattice->ions;
    const double cell = grid->axis[0].length;
    const double d = sqrt(lattice->distance_squared) * cell, sigma = ion_width(lattice) * cell;
    const size_t nx = grid->axis[0].n, rows = grid->axis[1].n * planes.count;
    double *row = app_allocate(nx, 2 * sizeof *row, "two rows of the field");
    const int code = app_ranks_agree(row ? APP_DONE : APP_FAILED);
    if (code) {
        free(row);
        return code;
    }
    long double total = 0;
    for (size_t r = 0; r < rows; r++) {
        double sum = 0;
        app_get_row(f, precision, r * nx, nx, row);
        app_get_row(phi, precision, r * nx, nx, row + nx);
        for (size_t i = 0; i < nx; i++) {
            sum += row[i] * row[nx + i];
        }
        total += sum;
    }
    free(row);
    double product = (double)total;
    app_ranks_sum(&product, 1);
    const double volume = cell * cell * cell / (double)app_points(grid);
    const double energy = -product * volume / (8 * pi);
    const double own = ions / (2 * sigma * sqrt(pi));
    result->constant = -2 * d * (energy - own) / ions;
    result->reference = lattice->reference;
    double spacing = 0;
    for (int axis = 0; axis < 3; axis++) {
        spacing = fmax(spacing, cell / (double)grid->axis[axis].n);
    }
    const int resolved = symbol == PSG_SYMBOL_SPECTRAL && sigma >= 1.8 * spacing;
    result->tolerance = !resolved ? 0 : precision == PSG_F32 ? 1e-6 : 1e-10;
    return APP_DONE;
}
