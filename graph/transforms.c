#include "graph/transforms.h"
#include "graph/cache.h"
#include "graph/option_table.h"
#include "graph/options.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "graph/transform_table.h"
#include "runtime/simulation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof psg_symbol_rows / sizeof *psg_symbol_rows == PSG_SYMBOL_COUNT,
               "psg_symbol has other rows");

static const psg_cpu_effort efforts[PSG_EFFORT_COUNT] = {
    [PSG_EFFORT_MEASURE] = PSG_CPU_MEASURE,
    [PSG_EFFORT_ESTIMATE] = PSG_CPU_ESTIMATE,
    [PSG_EFFORT_PATIENT] = PSG_CPU_PATIENT,
};

/* ------------------------------------------------------------------------------ FFT plans */

static psg_cpu_fft_spec spec_of(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    psg_cpu_fft_spec spec = {.nx = c->layout.n[0],
                             .ny = c->layout.n[1],
                             .nz = c->layout.n[2],
                             .effort = efforts[plan->problem.options.effort]};
    for (int d = 0; d < 3; d++) {
        const psg_transform *row = psg_transform_of(&plan->problem.grid.axis[d]);
        spec.kind[d][PSG_CPU_FORWARD] = c->kind[d];
        spec.kind[d][PSG_CPU_INVERSE] = psg_transform_free(row) ? c->kind[d] : row->kind[1];
    }
    return spec;
}

static psg_status found_none(const psg_plan *plan) {
    const size_t *n = plan->context.layout.n;
    return psg_fail(PSG_ERR_RUNTIME,
                    "%s found no plan for %zu x %zu x %zu points, or no memory to look for one",
                    psg_cpu_fftw_name(), n[0], n[1], n[2]);
}

psg_status psg_transforms_plan(psg_cpu_fft **fft, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    if (plan->workers.cpu_count == 0 ||
        !psg_platform->computes) { /* cuFFT's plans are the workers' */
        return PSG_OK;
    }
    char *wisdom = psg_wisdom_read(plan);
    psg_cpu_fft_spec spec = spec_of(plan);
    spec.wisdom = wisdom;
    *fft = c->cpu->fft_create(&spec);
    free(wisdom);
    if (*fft == NULL) {
        return found_none(plan);
    }
    if (c->cpu->fft_learnt(*fft)) {
        psg_wisdom_keep(plan);
    }
    return PSG_OK;
}

/* A component along an axis of cosines or sines ends in the other ones, in a plane with room for
 * all differences. Where x has such an axis, modes of a periodic y are two real numbers. */
psg_status psg_transforms_plan_slopes(psg_cpu_slope slope[2], const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const psg_grid *grid = &plan->problem.grid;
    const size_t row = c->layout.row, rows = c->layout.nxc * c->layout.nyc / row;
    const bool any =
        c->fft != NULL && c->waves->along[0] != NULL && !psg_transforms_free_side(grid);
    for (int d = 0; d < 2 && any; d++) {
        const psg_transform *to = psg_transform_of(&grid->axis[d]);
        const size_t n = c->layout.n[d];
        const int shift = psg_transform_faces_shift(to, n);
        const size_t first = psg_transform_faces_first(to);
        slope[d] = (psg_cpu_slope){
            .axis = d, .by = c->waves->along[d], .n = {2 * row, rows}, .room = {2 * row, rows}};
        if (psg_transform_periodic(to)) {
            slope[d].fft = psg_transform_complex(c->kind[0]) ? NULL : c->fft;
            continue;
        }
        slope[d].shift = shift;
        slope[d].room[d] = d == 0 ? (first + n + 1) / 2 * 2 : first + n;
        psg_cpu_fft_spec spec = spec_of(plan);
        spec.effort = PSG_CPU_ESTIMATE; /* most plans never use them */
        spec.nz = 1;
        spec.kind[2][PSG_CPU_FORWARD] = spec.kind[2][PSG_CPU_INVERSE] = PSG_TRANSFORM_NONE;
        spec.kind[d][PSG_CPU_FORWARD] = spec.kind[d][PSG_CPU_INVERSE] = to->faces;
        spec.length[d] = n + (size_t)shift;
        spec.first[d] = first;
        slope[d].fft = c->cpu->fft_create(&spec);
        if (slope[d].fft == NULL) {
            return found_none(plan);
        }
    }
    return PSG_OK;
}

/* ------------------------------------------------------------------------------- tables */

void psg_transforms_put(const psg_plan *plan, void *table, size_t m, double value) {
    if (plan->problem.options.precision == PSG_F64) {
        ((double *)table)[m] = value;
    } else {
        ((float *)table)[m] = (float)value;
    }
}

bool psg_transforms_has(const psg_plan *plan, double value) {
    return plan->problem.options.precision == PSG_F64 ? isnormal(value) : isnormal((float)value);
}

/* Whole waves of mode m in the length of the box; half a wave is 0.5. A free axis has the modes of
 * twice the length, along z the even ones and then the odd ones. */
static double waves_of(const psg_grid *grid, int d, size_t m) {
    const psg_transform *row = psg_transform_of(&grid->axis[d]);
    const psg_transform_kind kind = psg_transforms_kind(grid, d);
    const size_t n = grid->axis[d].n;
    if (kind > PSG_TRANSFORM_FREE) {
        return ((double)m + (psg_transform_free_sine(kind) ? 1 : 0)) / 4;
    }
    if (psg_transform_free(row)) {
        return psg_symbol_waves(d < 2 ? m : 2 * (m % n) + m / n, 2 * n) / 2;
    }
    return psg_transform_periodic(row) ? psg_symbol_waves(m, n) : ((double)m + row->shift) / 2;
}

/* The tasks' unit of length: a power of two about the smallest spacing along the axes that have
 * modes other than constants. Squares of wavenumbers in it are near 1, whatever the caller's unit
 * is, so that f32 has them in boxes of 1e-22 m and of 1e23 cm. A power of two changes no digit. */
static int unit_of(const psg_grid *grid) {
    int unit = 0;
    bool any = false;
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &grid->axis[d];
        const psg_transform *row = psg_transform_of(axis);
        int here;
        (void)frexp(psg_axis_least(axis), &here);
        if ((axis->n > 1 || !row->null) && (!any || here < unit)) {
            unit = here;
            any = true;
        }
    }
    return unit;
}

static bool is_constant(const psg_grid *grid, int d, size_t m) {
    const psg_transform *row = psg_transform_of(&grid->axis[d]);
    return m == 0 && (row->null || psg_transform_free(row)) &&
           !psg_transform_free_sine(psg_transforms_kind(grid, d));
}

/* Along a stretched axis about that of an axis alike: checks of ranges need no more. */
double psg_transforms_eigenvalue(const psg_problem *p, int d, size_t m) {
    const psg_axis *axis = &p->grid.axis[d];
    const psg_transform *row = psg_transform_of(axis);
    return is_constant(&p->grid, d, m)
               ? 0
               : psg_symbol_eigenvalue(psg_symbol_along(p, d), waves_of(&p->grid, d, m),
                                       psg_transform_intervals(row, axis->n),
                                       ldexp(axis->length, -p->unit));
}

static double square_of(double value) {
    return value * value;
}

/* A table, unless it is there: tasks know its address. */
static bool have(void **table, size_t bytes) {
    *table = *table != NULL ? *table : calloc(1, bytes);
    return *table != NULL;
}

/* With small k of Robin sides, and no Dirichlet side, u is about constant along an axis, and loses
 * k u at a side: that over the length. INFINITY: there is no such side. */
static double least_of_robin(const psg_axis *axis, int unit) {
    const double k = axis->robin[0] + axis->robin[1];
    const bool wall = axis->bc[0] == PSG_BC_DIRICHLET || axis->bc[1] == PSG_BC_DIRICHLET;
    return k > 0 && !wall ? ldexp(k / axis->length, 2 * unit) : INFINITY;
}

/* Eigenvalues along one axis, in the plan's precision. Along x a complex number has one of a
 * Fourier transform, else two. Those of an axis that is far longer than another one may vanish
 * here: check_quotients() knows whether that matters. */
static psg_status make_table(psg_problem *p, const psg_plan *plan, int d) {
    double most = 0;
    double least = INFINITY;
    const psg_axis *axis = &p->grid.axis[d];
    const psg_transform *row = psg_transform_of(axis);
    if (psg_transform_free(row) && !psg_symbol_of(p)->free) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "symbol %s has no free sides: spectral and fd2 have them",
                        psg_option_table_word("symbol", p->options.symbol));
    }
    const size_t modes = axis->n * (psg_transform_free(row) ? 2 : 1);
    const size_t count =
        d > 0 ? modes : plan->context.layout.row * (plan->context.divide.apart ? 2 : 1);
    if (!have(&p->eigen[d], count * plan->context.cpu->real_bytes)) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for a table of %zu eigenvalues", count);
    }
    for (size_t place = 0; place < count; place++) {
        const size_t m = place < modes ? place : modes - 1; /* of what stays 0 any will do */
        const bool constant = is_constant(&p->grid, d, m);
        const double value = psg_transforms_eigenvalue(p, d, m);
        psg_transforms_put(plan, p->eigen[d], place, value);
        most = fmax(most, fabs(value));
        least = constant ? least : fmin(least, fabs(value));
    }
    least = fmin(least, least_of_robin(axis, p->unit));
    p->eigen_most += row->stretched ? 4 / square_of(ldexp(psg_axis_least(axis), -p->unit)) : most;
    p->eigen_first += row->null || psg_transform_free(row) ? 0 : least;
    p->eigen_least = fmin(p->eigen_least, least);
    return PSG_OK;
}

static bool is_free(const psg_axis *axis) {
    return psg_transform_free(psg_transform_of(axis)) && axis->bc[0] == axis->bc[1];
}

/* What makes derivatives of modes along an axis. A free one has those of twice the length.
 * @param[in] over_i  over sqrt(-1) */
static bool make_along(void **table, const psg_problem *p, const psg_plan *plan, int d,
                       size_t count, bool over_i) {
    const psg_axis *axis = &p->grid.axis[d];
    const size_t times = is_free(axis) ? 2 : 1;
    const size_t n = axis->n;
    const psg_transform *row = psg_transform_of(axis);
    const double length = ldexp(axis->length, -p->unit);
    const bool all = have(table, 2 * count * plan->context.cpu->real_bytes);
    for (size_t m = 0; m < count && all; m++) {
        double by[2] = {0, 0};
        const size_t mode = is_free(axis) && d == 2 ? 2 * (m % n) + m / n : m;
        if (row->faces == PSG_TRANSFORM_PERIODIC) {
            psg_symbol_multiplier(psg_symbol_of(p), mode, times * n, (double)times * length, by);
        } else if (m < n) {
            by[0] = psg_symbol_slope(waves_of(&p->grid, d, m), psg_transform_intervals(row, n),
                                     length, row->bc[0] == PSG_BC_DIRICHLET);
        }
        psg_transforms_put(plan, *table, 2 * m, over_i ? by[1] : by[0]);
        psg_transforms_put(plan, *table, 2 * m + 1, over_i ? -by[0] : by[1]);
    }
    return all;
}

/* Reciprocals of the wavenumbers along z. */
static bool make_again(psg_waves *waves, const psg_problem *p, const psg_plan *plan,
                       const size_t count[3]) {
    const size_t bytes = plan->context.cpu->real_bytes;
    bool all = true;
    for (int d = 0; d < 3; d++) {
        all = all && have(&waves->eigen[d], count[d] * bytes);
    }
    for (size_t m = 0; m < count[2] && all; m++) {
        const double k =
            psg_symbol_derivative(m, count[2], ldexp(p->grid.axis[2].length, -p->unit));
        psg_transforms_put(plan, waves->eigen[2], m, k != 0 ? 1 / k : 0);
    }
    return all;
}

/* What open ends take, f beyond which is 0. A column without s that has no side finds u = |z|/2 of
 * each f: both ends get half of f, and u there adds up to half of f times their distance. A Neumann
 * side has the image of f, so the open end gets all of f. */
static void open_ends(psg_cpu_line *l, const psg_axis *z) {
    const bool open[2] = {z->bc[0] == PSG_BC_FREE, z->bc[1] == PSG_BC_FREE};
    const size_t last = z->n - 1;
    l->reach = 0;
    for (size_t k = 0; k < last; k++) {
        l->reach += 1 / l->step[k];
    }
    for (int side = 0; side < 2; side++) {
        l->open[side] = open[side] ? l->width[side == 0 ? 0 : last] : 0;
        l->share[side] = !open[side] ? 0 : open[1 - side] ? 0.5 : 1;
    }
    l->reach = open[0] && open[1] ? l->reach / 4 : l->reach + l->width[open[1] ? 0 : last] / 2;
}

/* The equation along z of neighbours. A point on a Neumann side stands for half of the distance to
 * the next one. A Dirichlet side is half a cell away from the middle of a cell. */
static bool make_line(psg_cpu_line *l, const psg_problem *p, const size_t count[3]) {
    const psg_axis *z = &p->grid.axis[2];
    const psg_transform *row = psg_transform_of(z);
    const bool nodes = z->points == PSG_POINTS_NODES && !psg_transform_periodic(row);
    const bool wraps = psg_transform_periodic(row) && z->n > 1;
    double **const tables[] = {&l->before, &l->after,    &l->side,    &l->width,
                               &l->step,   &l->eigen[0], &l->eigen[1]};
    bool all = true;
    for (size_t m = 0; m < sizeof tables / sizeof *tables && all; m++) {
        void *table = *tables[m];
        all = have(&table, (m < 5 ? count[2] : count[m - 5]) * sizeof(double));
        *tables[m] = table;
    }
    for (size_t k = 0; k < z->n && all; k++) {
        const bool end[2] = {k == 0, k + 1 == z->n};
        const bool half = nodes && ((end[0] && z->bc[0] == PSG_BC_NEUMANN) ||
                                    (end[1] && z->bc[1] == PSG_BC_NEUMANN));
        const double h = ldexp(psg_axis_width(z, k), -p->unit);
        const double next = ldexp(psg_axis_width(z, (k + 1) % z->n), -p->unit);
        const double last = ldexp(psg_axis_width(z, (k + z->n - 1) % z->n), -p->unit);
        const double near = nodes ? h : h / 2;
        l->width[k] = half ? h / 2 : h;
        l->step[k] = 2 / (h + next);
        l->before[k] = end[0] && !wraps ? 0 : 2 / (l->width[k] * (last + h));
        l->after[k] = end[1] && !wraps ? 0 : 2 / (l->width[k] * (h + next));
        l->side[k] = 0;
        for (int side = 0; side < 2; side++) {
            const double slope = z->bc[side] == PSG_BC_DIRICHLET
                                     ? 1 / near
                                     : ldexp(z->robin[side], p->unit) * psg_axis_robin(z, side);
            l->side[k] += end[side] ? slope / l->width[k] : 0;
            l->last = 0 - slope; /* of the upper side */
        }
    }
    l->wraps = wraps;
    if (all) {
        open_ends(l, z);
    }
    for (int d = 0; d < 2; d++) {
        for (size_t m = 0; m < count[d] && all; m++) {
            l->eigen[d][m] = psg_transforms_eigenvalue(p, d, m);
        }
    }
    l->null = row->null;
    l->norm = row->stretched
                  ? 1
                  : psg_transform_intervals(row, z->n) * (psg_transform_periodic(row) ? 1 : 2);
    l->n = all ? z->n : 0;
    return all;
}

/* Have the modes of u a gradient? Cosines and sines have one on cores, if no side is free. */
static bool has_waves(const psg_problem *p, const psg_plan *plan) {
    const psg_symbol_row *symbol = psg_symbol_of(p);
    const bool faces = psg_symbol_along(p, 2)->faces && !psg_transforms_free_side(&p->grid);
    const bool walls = faces && symbol->faces && !plan->workers.gpus_anywhere;
    bool has[3];
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &p->grid.axis[d];
        const psg_transform *row = psg_transform_of(axis);
        has[d] = psg_transform_periodic(row) || is_free(axis) ||
                 (walls && row->faces != PSG_TRANSFORM_PERIODIC);
    }
    return (symbol->reach == 0 || symbol->faces) && has[0] && has[1] && (has[2] || faces);
}

/* What of an axis much longer than the others is out of the range of the precision is refused by
 * the solve that wants the derivative along it. */
static psg_status make_waves(psg_waves *waves, const psg_problem *p, const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    const size_t count[3] = {l->row * (plan->context.divide.apart ? 2 : 1),
                             psg_transform_length(l->n[1], plan->context.kind[1], 1),
                             l->n[2] * (is_free(&p->grid.axis[2]) ? 2 : 1)};
    const bool free_side = psg_transforms_free_side(&p->grid);
    const bool modes = has_waves(p, plan);
    const bool line = p->faces != NULL || (modes && psg_symbol_of(p)->faces && !free_side);
    waves->between = psg_symbol_of(p)->faces;
    const bool from_f = waves->between || is_free(&p->grid.axis[2]);
    bool all = line     ? make_line(&waves->line, p, count)
               : !modes ? true
               : from_f ? make_along(&waves->from_f, p, plan, 2, count[2], true)
                        : make_again(waves, p, plan, count);
    for (int d = 0; d < (line ? 2 : 3) && modes && all; d++) {
        all = make_along(&waves->along[d], p, plan, d, count[d], false);
    }
    return all ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no memory for tables of wavenumbers");
}

void psg_transforms_free(psg_problem *p) {
    for (int d = 0; d < 3; d++) {
        free(p->eigen[d]);
        free(p->waves.eigen[d]);
        free(p->waves.along[d]);
    }
    free(p->waves.from_f);
    psg_cpu_line *l = &p->waves.line;
    double *const tables[] = {l->before, l->after,    l->side,    l->width,
                              l->step,   l->eigen[0], l->eigen[1]};
    for (size_t m = 0; m < sizeof tables / sizeof *tables; m++) {
        free(tables[m]);
    }
    free(p->faces);
}

psg_status psg_transforms_keep_faces(psg_problem *p) {
    psg_axis *z = &p->grid.axis[2];
    if (!psg_axis_stretched(z)) {
        return PSG_OK;
    }
    if (z->faces == NULL && !psg_symbol_of(p)->faces) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "symbol %s has no Robin side: fd2 has, and %c with faces, which is fd2 "
                        "along %c",
                        psg_option_table_word("symbol", p->options.symbol),
                        psg_grid_letter(&p->grid, 2), psg_grid_letter(&p->grid, 2));
    }
    p->faces = malloc((z->n + 1) * sizeof *p->faces);
    if (p->faces == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for %zu faces", z->n + 1);
    }
    for (size_t k = 0; k <= z->n; k++) {
        p->faces[k] = z->faces != NULL ? z->faces[k] : z->length * ((double)k / (double)z->n);
    }
    z->faces = p->faces;
    return PSG_OK;
}

/* What a wall does: -1 at a Dirichlet side, 1 at a Neumann side. */
static int wall_of(psg_bc bc) {
    return bc == PSG_BC_DIRICHLET ? -1 : bc == PSG_BC_NEUMANN ? 1 : 0;
}

/* A kernel that stands in place of the symbol is that of the space around the box, or the caller's.
 * Where z alone is free, the wall opposite to a free side has its images in the division. */
static psg_status check_kernel(const psg_problem *p) {
    const char *kernel = psg_option_table_word("kernel", (int)p->options.kernel);
    if (p->options.kernel != PSG_KERNEL_AUTO && p->faces != NULL) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "kernel %s is for axes of one spacing, and %c has faces or a Robin side",
                        kernel, psg_grid_letter(&p->grid, 2));
    }
    if (p->options.kernel != PSG_KERNEL_AUTO && p->options.symbol != PSG_SYMBOL_SPECTRAL) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "kernel %s stands in place of the symbol: leave that at spectral, not %s",
                        kernel, psg_option_table_word("symbol", (int)p->options.symbol));
    }
    if (p->options.kernel == PSG_KERNEL_USER) {
        const psg_bc *z = p->grid.axis[2].bc;
        return (z[0] == PSG_BC_FREE) == (z[1] == PSG_BC_FREE) || psg_transforms_table(&p->grid)
                   ? PSG_OK
                   : psg_fail(PSG_ERR_UNSUPPORTED,
                              "%c alone is free, and at one side, and kernel user is not there "
                              "for that yet: with it and x exchanged it is",
                              psg_grid_letter(&p->grid, 2));
    }
    for (int d = 0; d < 3 && p->options.kernel != PSG_KERNEL_AUTO; d++) {
        const psg_axis *axis = &p->grid.axis[d];
        if (axis->bc[0] != PSG_BC_FREE || axis->bc[1] != PSG_BC_FREE) {
            return psg_fail(PSG_ERR_UNSUPPORTED,
                            "kernel %s is for three free axes, and %c is not free at both sides",
                            kernel, psg_grid_letter(&p->grid, d));
        }
    }
    return PSG_OK;
}

psg_status psg_transforms_eigenvalues(psg_problem *p, const psg_plan *plan) {
    const psg_axis *z = &p->grid.axis[2];
    psg_status status = check_kernel(p);
    p->unit = unit_of(&p->grid);
    p->eigen_least = INFINITY;
    p->free_z = (psg_cpu_free){.length = ldexp(z->length, -p->unit),
                               .stencil = psg_symbol_of(p)->reach > 0,
                               .wall = {wall_of(z->bc[0]), wall_of(z->bc[1])}};
    p->eigen_first = p->eigen_most = 0;
    for (int d = 0; d < 3 && status == PSG_OK; d++) {
        status = make_table(p, plan, d);
    }
    if (status == PSG_OK && (has_waves(p, plan) || p->faces != NULL)) {
        status = make_waves(&p->waves, p, plan);
    }
    return status;
}
