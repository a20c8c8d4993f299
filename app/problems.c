/* Built-in problems with known answers. Their eigenvalues are written here again, on purpose:
 * what is checked with them must not be computed by the library. */
#include "app/problems.h"
#include "app/grid_sides.h"
#include "app/processes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- modes
 *
 * f = sum over modes of cos(2 pi (mx i/nx + my j/ny + mz k/nz) + phase), and u = sum of the same
 * over the eigenvalue. All modes are alike in f, because the rounding of f at one mode shows in
 * u at every other, largest at the lowest. Along a free z each has a point charge in place of a
 * wave, and u is the charge's. */

enum { MODES_MOST = 16 };

/* Tables of cosines and sines of the part of the phase that belongs to an axis. Along x, where a
 * point is a term of the sum, modes of the same wave are added up before: there are fewer waves
 * than modes. */
typedef struct app_modes {
    app_answer answer;
    app_line line[3];
    size_t count;
    double amplitude[MODES_MOST], eigenvalue[MODES_MOST];
    long number[MODES_MOST]; /* of the waves along x */
    size_t waves;
    size_t wave[MODES_MOST]; /* along x, of each mode */
    double *cosine[3];       /* [waves][nx]; [count][ny], with the mode's phase; [count][nz] */
    double *sine[3];
    double *free_u; /* u along a free z, in place of cosine[2]: [count][nz]; else NULL */
} app_modes;

/* Mode numbers of one axis, from the ends of its range, which is [-n/2, n/2] of a periodic one and
 * [0, n-1] between sides: 0 is 0, 1 2 3 are counted from 0, and 8 and 7 are the highest there is
 * and the one before. */
static long mode_number(int code, const app_line *line) {
    const bool periodic = line->image[0] == 0;
    const long highest = periodic ? line->n / 2 : line->n - 1;
    const long size = labs((long)code);
    long m = size >= 7 ? highest - (8 - size) : size;
    if (m > highest) {
        m = highest;
    }
    if (m < 0) {
        m = 0;
    }
    return code < 0 && periodic ? -m : m;
}

/* Quarters of a wave in the length of the box; whole waves of a periodic one. */
static long quarters(const app_line *line, long m) {
    return line->image[0] == 0 ? 4 * m : 2 * m + (line->image[0] < 0) + (line->image[1] < 0);
}

static double axis_eigenvalue(const app_line *line, long m, psg_symbol symbol) {
    const double pi = acos(-1.0), h = line->step;
    const double half = pi * (double)quarters(line, m) / 2 / (double)line->whole; /* k h/2 */
    const double s = sin(half);
    const double k = symbol == PSG_SYMBOL_SPECTRAL ? 2 * half / h : 2 * s / h;
    double sum = 1; /* the first terms of (arcsin(s)/s)^2: one of fd2, two of fd4 */
    for (int t = (int)symbol - PSG_SYMBOL_FD2; t > 0; t--) {
        sum = 1 + sum * s * s * (2 * t * t) / ((t + 1) * (2 * t + 1));
    }
    return -k * k * sum;
}

/* cos and sin of 2 pi m i / n + phase; between sides the mode itself and 0. The turns are reduced
 * in whole numbers. */
static void fill_wave(const app_modes *modes, int axis, size_t which, long m, double phase) {
    const app_line *line = &modes->line[axis];
    const size_t n = (size_t)line->n;
    const bool sides = line->image[0] != 0;
    const double pi = acos(-1.0);
    const long whole = 4 * line->whole; /* of quarters times halves of a step */
    const long step = (2 * quarters(line, m) % whole + whole) % whole;
    long turn = sides ? quarters(line, m) * line->first % whole : 0;
    for (size_t i = 0; i < n; i++) {
        const double angle = 2 * pi * (double)turn / (double)whole + (sides ? 0 : phase);
        double *cosine = &modes->cosine[axis][which * n + i];
        double *sine = &modes->sine[axis][which * n + i];
        *cosine = sides && line->image[0] < 0 ? sin(angle) : cos(angle);
        *sine = sides ? 0 : sin(angle);
        turn = (turn + step) % whole;
    }
}

/* The wave of this number along x, made if it is the first. */
static size_t find_wave(app_modes *modes, long m) {
    size_t w = 0;
    while (w < modes->waves && modes->number[w] != m) {
        w++;
    }
    if (w == modes->waves) {
        modes->number[modes->waves++] = m;
        fill_wave(modes, 0, w, m, 0);
    }
    return w;
}

/* u of a charge 1 at a distance of `steps` points, of u'' - k^2 u = charge on a line without ends.
 * That of a stencil is a closed form. That of spectral is a sum of the modes of an axis of twice
 * the length, for the function -exp(-k |z|)/2k cut off at the length. */
static double free_answer(const app_line *line, psg_symbol symbol, double k, long steps) {
    const double h = line->step, pi = acos(-1.0), length = h * (double)line->n;
    if (symbol != PSG_SYMBOL_SPECTRAL) {
        const double decay = 2 * asinh(h * k / 2); /* from point to point */
        return k > 0 ? -h * h * exp(-decay * (double)steps) / (2 * sinh(decay))
                     : h * h * (double)steps / 2;
    }
    const double cut = exp(-k * length);
    double sum = k > 0 ? (cut - 1) / (k * k) : length * length / 2;
    for (long m = 1; m <= line->n; m++) {
        const double wave = pi * (double)m / length;
        const double mode = -(m % 2 ? 1 + cut : 1 - cut) / (k * k + wave * wave);
        const double turn = pi * (double)(m * steps % (2 * line->n)) / (double)line->n;
        sum += (m < line->n ? 2 : 1) * mode * cos(turn);
    }
    return sum / (2 * (double)line->n);
}

/* Along a z with a free side: a charge at point `at`, and its u. A wall is half a step from the
 * point next to it. u of the charge's image in the wall decays from there on. */
static void fill_free(app_modes *modes, size_t which, long at, double k, psg_symbol symbol) {
    const app_line *line = &modes->line[2];
    const long n = line->n;
    const double h = line->step;
    const bool upper = line->image[0] == APP_IMAGE_FREE;
    const int image = line->image[upper] == APP_IMAGE_FREE ? 0 : line->image[upper];
    const long from_wall = upper ? n - 1 - at : at;
    const double decay = symbol == PSG_SYMBOL_SPECTRAL ? h * k : 2 * asinh(h * k / 2);
    const double wall = free_answer(line, symbol, k, from_wall);
    modes->cosine[2][which * (size_t)n + (size_t)at] = 1;
    for (long j = 0; j < n; j++) {
        const long there = upper ? n - 1 - j : j;
        const double other = k > 0 ? wall * exp(-decay * (double)(there + 1))
                                   : h * h * (double)(there + from_wall + 1) / 2;
        modes->free_u[which * (size_t)n + (size_t)j] =
            free_answer(line, symbol, k, labs(j - at)) + image * other;
    }
}

/* The sums of the modes of each wave along x, for row (j, k) of f or of u. */
typedef struct row_sums {
    double cosine[MODES_MOST], sine[MODES_MOST];
} row_sums;

static void add_modes(const app_modes *modes, size_t j, size_t k, bool of_f, row_sums *sums) {
    const size_t ny = modes->answer.grid.axis[1].n, nz = modes->answer.grid.axis[2].n;
    memset(sums, 0, sizeof *sums);
    for (size_t q = 0; q < modes->count; q++) {
        const double yc = modes->cosine[1][q * ny + j], ys = modes->sine[1][q * ny + j];
        const double *wave = of_f || modes->free_u == NULL ? modes->cosine[2] : modes->free_u;
        const double zc = wave[q * nz + k], zs = modes->sine[2][q * nz + k];
        const double factor = modes->amplitude[q] * (of_f ? modes->eigenvalue[q] : 1);
        sums->cosine[modes->wave[q]] += factor * (yc * zc - ys * zs);
        sums->sine[modes->wave[q]] += factor * (yc * zs + ys * zc);
    }
}

/* Points first .. first+count-1 of the row. @param[out] value  count numbers */
static void add_waves(const app_modes *modes, const row_sums *sums, size_t first, size_t count,
                      double *value) {
    memset(value, 0, count * sizeof *value);
    for (size_t w = 0; w < modes->waves; w++) {
        const double *c = modes->cosine[0] + w * modes->answer.grid.axis[0].n + first;
        const double *s = modes->sine[0] + w * modes->answer.grid.axis[0].n + first;
        for (size_t i = 0; i < count; i++) {
            value[i] += c[i] * sums->cosine[w] - s[i] * sums->sine[w];
        }
    }
}

static void fill_row(const app_answer *answer, size_t j, size_t k, bool of_f, size_t first,
                     size_t count, double *value) {
    const app_modes *modes = (const app_modes *)(const void *)answer;
    row_sums sums;
    add_modes(modes, j, k, of_f, &sums);
    add_waves(modes, &sums, first, count, value);
}

static void free_modes(app_answer *answer) {
    app_modes *modes = (app_modes *)(void *)answer;
    if (modes == NULL) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        free(modes->cosine[axis]);
        free(modes->sine[axis]);
    }
    free(modes->free_u);
    free(modes);
}

app_answer *app_modes_make(const psg_grid *grid, psg_symbol symbol, double lambda, double factor) {
    static const int codes[][3] = {
        {1, 0, 0}, {0, 1, 0},  {0, 0, 1},  {8, 0, 0},  {0, 8, 0},   {0, 0, 8},   {8, 8, 8},
        {7, 0, 1}, {-7, 7, 0}, {1, -2, 3}, {0, 2, -7}, {-1, 8, -7}, {7, -7, -7}, {0, 0, 0},
    };
    enum { COUNT = sizeof codes / sizeof codes[0] };
    const psg_grid own = app_turned(grid);
    app_modes *modes = calloc(1, sizeof *modes);
    if (modes == NULL) {
        goto fail;
    }
    modes->answer =
        (app_answer){.grid = own, .row = fill_row, .free = free_modes, .tolerance = {1e-13, 1e-5}};
    for (int axis = 0; axis < 3; axis++) {
        modes->line[axis] = app_line_of(&own.axis[axis]);
        modes->cosine[axis] = calloc(COUNT * own.axis[axis].n, sizeof(double));
        modes->sine[axis] = calloc(COUNT * own.axis[axis].n, sizeof(double));
        if (modes->cosine[axis] == NULL || modes->sine[axis] == NULL) {
            goto fail;
        }
    }
    const bool free_z = app_has_free_side(grid);
    modes->free_u = free_z ? calloc(COUNT * own.axis[2].n, sizeof(double)) : NULL;
    if (free_z && modes->free_u == NULL) {
        goto fail;
    }
    for (size_t c = 0; c < COUNT; c++) {
        const size_t q = modes->count;
        double eigenvalue = -lambda;
        long m[3];
        for (int axis = 0; axis < 3 - free_z; axis++) {
            m[axis] = mode_number(codes[c][axis], &modes->line[axis]);
            eigenvalue += axis_eigenvalue(&modes->line[axis], m[axis], symbol);
        }
        if (free_z) {
            fill_free(modes, q, (long)(5 * c + 2) % modes->line[2].n, sqrt(-eigenvalue), symbol);
            eigenvalue = 1; /* fill_free() has divided by it */
        }
        if (eigenvalue == 0) { /* the constant mode without lambda: it has no answer */
            continue;
        }
        modes->wave[q] = find_wave(modes, m[0]);
        /* no phase is near pi/2, where a Nyquist mode would vanish */
        fill_wave(modes, 1, q, m[1], 0.3 + 0.07 * (double)c);
        if (!free_z) {
            fill_wave(modes, 2, q, m[2], 0);
        }
        modes->eigenvalue[q] = eigenvalue / factor;
        modes->amplitude[q] = (c % 2 ? -1 : 1) * factor / eigenvalue;
        modes->count++;
    }
    return &modes->answer;
fail:
    free_modes(modes != NULL ? &modes->answer : NULL);
    app_error(APP_FAILED, "out of memory for the modes");
    return NULL;
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
    [APP_CAVITY] = {"NaCl, by the images of one charge", 1.0, 0.5, 1, 1.747564594633182},
};

const char *app_lattice_name(app_lattice lattice) {
    return lattices[lattice].name;
}

/* Ion q, in units of the cell. */
static app_charge ion(const struct lattice *lattice, size_t q) {
    static const double face[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    const size_t half = lattice->ions / 2;
    const bool second = half == 0 || q >= half; /* a cavity's one charge is shifted, too */
    const double *at = half == 0 ? face[0] : face[q % half];
    const double shift = second ? lattice->shift : 0;
    return (app_charge){{at[0] + shift, at[1] + shift, at[2] + shift}, half > 0 && second ? -1 : 1};
}

/* Standard deviation of the charges, in units of the cell. */
static double ion_width(const struct lattice *lattice) {
    return sqrt(lattice->distance_squared) / 12;
}

/* A normalised Gaussian on the points of an axis, unit 1/length; one in 3-D is the product of
 * three. With widths below 0.084 axes, the images left out are below exp(-400). Those in conducting
 * sides change sign. */
static void fill_gaussian(double *table, const psg_axis *axis, double place, double width) {
    const double pi = acos(-1.0), sigma = width * axis->length;
    const app_line line = app_line_of(axis);
    for (size_t i = 0; i < axis->n; i++) {
        double t = (double)(line.first + 2 * (long)i) / (double)line.whole - place, sum = 0;
        t -= round(t);
        for (int image = -2; image <= 2; image++) {
            const double s = (t + image) / width;
            sum += (line.image[0] < 0 && image % 2 != 0 ? -1 : 1) * exp(-0.5 * s * s);
        }
        table[i] = sum / (sigma * sqrt(2 * pi));
    }
}

int app_charges_fill(const app_charge *charges, size_t count, double width, const psg_grid *grid,
                     psg_precision precision, app_planes planes, void *f) {
    const size_t nx = grid->axis[0].n, ny = grid->axis[1].n, nz = grid->axis[2].n;
    const size_t each = nx + ny + nz;
    double *row = app_allocate(nx, sizeof *row, "a row of the field");
    double *tables = app_allocate(count * each, sizeof *tables, "the charges");
    const int code = row != NULL && tables != NULL ? APP_DONE : APP_FAILED;
    for (size_t q = 0; q < count && !code; q++) {
        double *table = tables + q * each;
        for (int axis = 0; axis < 3; table += grid->axis[axis++].n) {
            fill_gaussian(table, &grid->axis[axis], charges[q].place[axis], width);
        }
    }
    for (size_t r = 0; r < planes.count * ny && !code; r++) {
        memset(row, 0, nx * sizeof *row);
        for (size_t q = 0; q < count; q++) {
            const double *x = tables + q * each, *y = x + nx, *z = y + ny;
            const double yz = charges[q].charge * y[r % ny] * z[planes.z0 + r / ny];
            for (size_t i = 0; i < nx; i++) {
                row[i] += yz * x[i];
            }
        }
        app_put_row(f, precision, r * nx, nx, row);
    }
    free(tables);
    free(row);
    return code;
}

int app_madelung_fill(app_lattice which, const psg_grid *grid, psg_precision precision,
                      app_planes planes, void *f) {
    const struct lattice *lattice = &lattices[which];
    app_charge ions[IONS_MOST];
    for (size_t q = 0; q < lattice->ions; q++) {
        ions[q] = ion(lattice, q);
        ions[q].charge *= -4 * acos(-1.0);
    }
    return app_charges_fill(ions, lattice->ions, ion_width(lattice), grid, precision, planes, f);
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
    const int code = app_ranks_agree(row != NULL ? APP_DONE : APP_FAILED);
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
    double volume = 1;
    double spacing = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double step = app_line_of(&grid->axis[axis]).step;
        volume *= step;
        spacing = fmax(spacing, step);
    }
    const double energy = -product * volume / (8 * pi);
    const double own = ions / (2 * sigma * sqrt(pi));
    result->constant = -2 * d * (energy - own) / ions;
    result->reference = lattice->reference;
    const bool resolved = symbol == PSG_SYMBOL_SPECTRAL && sigma >= 1.8 * spacing;
    result->tolerance = !resolved ? 0 : precision == PSG_F32 ? 1e-6 : 1e-10;
    return APP_DONE;
}

/* ---------------------------------------------------------------------------------------- lid */

void app_lid_compare(const psg_grid *grid, psg_precision precision, app_planes planes,
                     const void *u, app_lid *result) {
    const size_t n[3] = {grid->axis[0].n, grid->axis[1].n, grid->axis[2].n};
    const bool alike = n[0] == n[1] && n[1] == n[2];
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) { /* of odd n the same point more than once */
        size_t at[3];
        for (int d = 0; d < 3; d++) {
            at[d] = (n[d] - 1 + (size_t)(corner >> d & 1)) / 2;
        }
        if (at[2] >= planes.z0 && at[2] < planes.z0 + planes.count) {
            double value = 0;
            app_get_row(u, precision, ((at[2] - planes.z0) * n[1] + at[1]) * n[0] + at[0], 1,
                        &value);
            sum += value / 8;
        }
    }
    app_ranks_sum(&sum, 1);
    result->middle = sum;
    result->tolerance = !alike ? 0 : precision == PSG_F32 ? 1e-5 : 1e-12;
}
