#include "graph/options.h"
#include "graph/option_table.h"
#include "graph/psg_machine.h"
#include "graph/status.h"
#include "graph/transform_table.h"
#include "runtime/simulation.h"

#include <math.h>
#include <string.h>

/* The first published struct_size: nothing smaller is one of ours. */
_Static_assert(sizeof(psg_options) == 224,
               "psg_options may grow at its end only; keep the old sizes valid");
enum { FIRST_OPTIONS_SIZE = 120 };

/* Brackets keep the header's macro of the same name away. */
void(psg_options_init)(psg_options *options, size_t struct_size) {
    if (options == NULL) {
        return;
    }
    psg_options defaults;
    const size_t known = struct_size < sizeof defaults ? struct_size : sizeof defaults;
    psg_option_table_defaults(&defaults);
    memset(options, 0, struct_size);
    memcpy(options, &defaults, known);
    if (struct_size >= sizeof options->struct_size) {
        options->struct_size = struct_size;
    }
}

bool psg_options_want_cores(const psg_options *options) {
    return options->cpu_share > 0 ||
           (options->placement == PSG_PLACEMENT_FREE && options->cpus > 0);
}

static psg_status check_workers(const psg_options *o) {
    if (o->cpus == 0 && o->gpus == 0) {
        return psg_fail(PSG_ERR_ARG, "cpus = 0 and gpus = 0 leave nothing to compute on");
    }
    if (o->cpu_share > 0 && (o->cpus == 0 || o->gpus == 0)) {
        return psg_fail(PSG_ERR_ARG, "%s = 0, and CPU cores and GPUs are to share the work",
                        o->cpus == 0 ? "cpus" : "gpus");
    }
    if (o->cpu_share > 0 && o->placement == PSG_PLACEMENT_FREE) {
        return psg_fail(PSG_ERR_ARG,
                        "cpu_share = %g gives cores a part, and with placement free no worker has "
                        "one: cores take part if cpus is above 0",
                        o->cpu_share);
    }
    return PSG_OK;
}

/* What only a library for simulation has. */
static psg_status check_no_simulation(const psg_options *o) {
    if (o->machine != NULL) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "machine = '%s', and the library was not built for simulation", o->machine);
    }
    return o->nodes <= 1 && !(o->network > 0)
               ? PSG_OK
               : psg_fail(PSG_ERR_UNSUPPORTED,
                          "nodes = %u, network = %g, and the library was not built for simulation",
                          o->nodes, o->network);
}

psg_status psg_options_check_terms(const psg_options *o) {
    if (o->lambda < 0 && isfinite(o->lambda)) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "lambda = %g: expected %s", o->lambda,
                        PSG_LAMBDA_EXPECTED);
    }
    if (!isfinite(o->factor) || o->factor == 0) {
        return psg_fail(PSG_ERR_ARG, "factor = %g: a finite number other than 0 is needed",
                        o->factor);
    }
    if (o->kernel != PSG_KERNEL_AUTO && o->lambda > 0) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "lambda = %g, and kernel %s is for lambda = 0",
                        o->lambda, psg_option_table_word("kernel", (int)o->kernel));
    }
    return psg_option_table_check(o);
}

psg_status psg_options_check(psg_options *checked, const psg_options *options) {
    psg_option_table_defaults(checked);
    if (options == NULL) {
        return PSG_OK;
    }
    if (options->struct_size < FIRST_OPTIONS_SIZE || options->struct_size > sizeof *checked) {
        return psg_fail(
            PSG_ERR_ARG,
            "options.struct_size = %zu is not that of any psg_options this library knows "
            "(%zu); call psg_options_init() first",
            options->struct_size, sizeof *checked);
    }
    memcpy(checked, options, options->struct_size);
    checked->struct_size = sizeof *checked;

    psg_status status = psg_options_check_terms(checked);
    if (status == PSG_OK && checked->policy != NULL) {
        status = psg_policy_check(checked->policy, "");
    }
    if (status != PSG_OK) {
        return status;
    }
    if (checked->mean_tolerance == 0) {
        checked->mean_tolerance = checked->precision == PSG_F64 ? 1e-10 : 1e-5;
    }
    if (checked->comm == NULL && checked->nodes <= 1 && checked->exchange >= PSG_EXCHANGE_MPI) {
        return psg_fail(PSG_ERR_ARG, "exchange %s is between processes, and options.comm is NULL",
                        psg_option_table_word("exchange", (int)checked->exchange));
    }
    if (checked->wire_bits < 64 && checked->exchange >= PSG_EXCHANGE_ALLTOALL) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "wire %s is for messages, and exchange %s sends numbers as they are: "
                        "choose exchange mpi",
                        psg_option_table_word("wire", checked->wire_bits),
                        psg_option_table_word("exchange", (int)checked->exchange));
    }
    const bool simulated = psg_simulated();
    status = check_workers(checked);
    if (status == PSG_OK && !simulated) {
        status = check_no_simulation(checked);
    }
    if (status != PSG_OK) {
        return status;
    }
    /* what one process found best is neither what several need nor what a recorded machine does */
    if (checked->comm != NULL || simulated) {
        checked->tuned = 0;
    }
    if (checked->tuned == 0) {
        psg_options_settle(checked);
    }
    return PSG_OK;
}

void psg_options_settle(psg_options *options) {
    if (options->graph == PSG_GRAPH_AUTO) {
        options->graph = PSG_GRAPH_FUSED;
    }
    if (options->z_layout == PSG_Z_AUTO) {
        options->z_layout = PSG_Z_CONTIGUOUS;
    }
}

void psg_grid_init(psg_grid *grid, size_t nx, size_t ny, size_t nz, double lx, double ly,
                   double lz) {
    *grid = (psg_grid){
        .axis = {{.n = nx, .length = lx}, {.n = ny, .length = ly}, {.n = nz, .length = lz}},
        .axes = 3};
}

void psg_grid_init2(psg_grid *grid, size_t nx, size_t ny, double lx, double ly) {
    psg_grid_init(grid, nx, ny, 1, lx, ly, 1);
    grid->axes = 2;
}

psg_grid psg_grid_turned(const psg_grid *grid) {
    psg_grid turned = *grid;
    for (int d = 0; d < 3; d++) {
        turned.axis[d] = grid->axis[psg_grid_turn(grid, d)];
    }
    return turned;
}

void psg_grid_settle(psg_grid *grid) {
    for (int m = 0; m < 6; m++) {
        psg_axis *axis = &grid->axis[m / 2];
        const bool none = axis->bc[m % 2] == PSG_BC_ROBIN && axis->robin[m % 2] == 0;
        axis->bc[m % 2] = none ? PSG_BC_NEUMANN : axis->bc[m % 2];
    }
}

static psg_status check_robin(const psg_axis *axis, int side, char name) {
    const double k = axis->robin[side];
    if (axis->bc[side] != PSG_BC_ROBIN && k != 0) {
        return psg_fail(PSG_ERR_ARG, "the %s side along %c is no Robin side: robin[%d] = %g, not 0",
                        side == 0 ? "lower" : "upper", name, side, k);
    }
    return k >= 0 && isfinite(k * axis->length)
               ? PSG_OK
               : psg_fail(PSG_ERR_ARG,
                          "robin[%d] along %c is %g: a finite number from 0 on is needed, as with "
                          "one below 0 the equation may have no solution",
                          side, name, k);
}

/* Periodic on one side, free, or one point on both sides of nodes. */
static psg_status check_sides(const psg_axis *axis, char name) {
    for (int side = 0; side < 2; side++) {
        const int bc = (int)axis->bc[side];
        if (bc < 0 || bc >= PSG_BC_COUNT) {
            return psg_fail(PSG_ERR_ARG, "boundary condition %d along %c is none", bc, name);
        }
        const psg_status status = check_robin(axis, side, name);
        if (status != PSG_OK) {
            return status;
        }
    }
    if ((int)axis->points < 0 || axis->points >= PSG_POINTS_COUNT) {
        return psg_fail(PSG_ERR_ARG, "points = %d along %c is none of psg_points",
                        (int)axis->points, name);
    }
    if ((axis->bc[0] == PSG_BC_PERIODIC) != (axis->bc[1] == PSG_BC_PERIODIC)) {
        return psg_fail(PSG_ERR_ARG,
                        "the %s side along %c is periodic and the other one is not: an axis is "
                        "periodic at both sides or at none",
                        axis->bc[0] == PSG_BC_PERIODIC ? "lower" : "upper", name);
    }
    const psg_transform *row = psg_transform_of(axis);
    if (row == NULL) {
        const char *words = psg_axis_stretched(axis) ? "Robin" : "free";
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "a %s side along %c of nodes is not there yet: the points of an axis "
                        "with a %s side are in the middle of cells",
                        words, name, words);
    }
    return psg_transform_intervals(row, axis->n) > 0
               ? PSG_OK
               : psg_fail(PSG_ERR_ARG,
                          "n%c = 1: nodes between two Neumann sides have a point on each, so they "
                          "are two at least",
                          name);
}

static psg_status check_axis(const psg_axis *axis, char name) {
    if (axis->n < 1) {
        return psg_fail(PSG_ERR_ARG, "n%c = 0: every axis needs a point", name);
    }
    if (axis->n > INT32_MAX) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "n%c = %zu: at most %d points per axis", name, axis->n,
                        INT32_MAX);
    }
    if (!(axis->length > 0) || isinf(axis->length)) {
        return psg_fail(PSG_ERR_ARG, "the box is %g long along %c: a finite length > 0 is needed",
                        axis->length, name);
    }
    return check_sides(axis, name);
}

/* An axis that the arrays do not have has one point, and u is constant along it. */
static psg_status check_axes(const psg_grid *grid) {
    if (grid->axes < 0 || grid->axes > 3) {
        return psg_fail(PSG_ERR_ARG, "axes = %d: arrays have one to three axes", grid->axes);
    }
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &grid->axis[d];
        const char name = "xyz"[d];
        const bool none = grid->axes > 0 && d >= grid->axes;
        if (none && (axis->n != 1 || axis->bc[0] != PSG_BC_PERIODIC)) {
            return psg_fail(PSG_ERR_ARG,
                            "the arrays have %d axes, so %c is periodic and has one point, not %zu",
                            grid->axes, name, axis->n);
        }
        const psg_status status = check_axis(axis, name);
        if (status != PSG_OK) {
            return status;
        }
    }
    return PSG_OK;
}

/* The faces along an axis. */
static psg_status check_faces(const psg_axis *axis, char name) {
    const double *z = axis->faces;
    if (axis->points == PSG_POINTS_NODES) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "%c has faces, which are for points in cells and not on nodes", name);
    }
    for (size_t k = 0; k <= axis->n; k++) {
        if (!isfinite(z[k])) {
            return psg_fail(PSG_ERR_ARG, "face %zu along %c is at %g, which is not finite", k, name,
                            z[k]);
        }
        if (k > 0 && !(z[k] > z[k - 1])) {
            return psg_fail(PSG_ERR_ARG,
                            "faces %zu and %zu along %c are at %.10g and %.10g: each face is above "
                            "the one before",
                            k - 1, k, name, z[k - 1], z[k]);
        }
    }
    const double length = z[axis->n] - z[0];
    return fabs(axis->length - length) <= 1e-6 * length
               ? PSG_OK
               : psg_fail(PSG_ERR_ARG,
                          "the box is %.10g long along %c, and its faces are from %.10g to %.10g",
                          axis->length, name, z[0], z[axis->n]);
}

psg_status psg_grid_check_faces(const psg_grid *grid) {
    const int last = psg_grid_turn(grid, 2);
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &grid->axis[d];
        if (axis->faces != NULL && d != last) {
            return psg_fail(PSG_ERR_UNSUPPORTED,
                            "%c has faces, and %c alone may have: let that be the stretched axis",
                            "xyz"[d], "xyz"[last]);
        }
    }
    const psg_axis *axis = &grid->axis[last];
    return axis->faces != NULL && axis->n > 0 ? check_faces(axis, "xyz"[last]) : PSG_OK;
}

psg_status psg_grid_check(const psg_grid *grid, psg_precision precision) {
    const psg_status right = check_axes(grid);
    if (right != PSG_OK) {
        return right;
    }
    const psg_grid own = psg_grid_turned(grid);
    const psg_axis *a = own.axis;
    grid = &own;
    if (psg_axis_stretched(&a[0]) || psg_axis_stretched(&a[1])) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "%c has a Robin side, and %c alone may have",
                        psg_grid_letter(grid, psg_axis_stretched(&a[0]) ? 0 : 1),
                        psg_grid_letter(grid, 2));
    }
    if (psg_axis_stretched(&a[2]) && psg_transforms_table(grid)) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "%c has faces or a Robin side, which are not for free sides along x or y "
                        "yet",
                        psg_grid_letter(grid, 2));
    }
    for (int d = 0; d < 3; d++) { /* FFTW counts two numbers of each complex one in an int */
        const size_t most = INT32_MAX / (psg_transforms_free_side(grid) ? 5 : 2);
        if (!psg_transforms_periodic(grid) && a[d].n > most) {
            return psg_fail(PSG_ERR_UNSUPPORTED,
                            "n%c = %zu: at most %zu points per axis where sides are not periodic",
                            psg_grid_letter(grid, d), a[d].n, most);
        }
    }
    const size_t row = psg_transform_row(a[0].n, psg_transforms_kind(grid, 0));
    const size_t rows = psg_transform_length(a[1].n, psg_transforms_kind(grid, 1), 1);
    const size_t complex_bytes = precision == PSG_F64 ? 16 : 8;
    size_t bytes = 0;
    if (__builtin_mul_overflow(row, a[2].n, &bytes) || bytes > UINT32_MAX / 2 ||
        __builtin_mul_overflow(row, rows, &bytes) || bytes > UINT32_MAX / 2 ||
        __builtin_mul_overflow(bytes, a[2].n, &bytes) ||
        __builtin_mul_overflow(bytes, complex_bytes, &bytes) || bytes > SIZE_MAX / 8) {
        return psg_fail(
            PSG_ERR_ARG,
            "%zu x %zu x %zu points are more than can be addressed (planes of x with y or z "
            "have to have fewer than 2^32 points)",
            a[0].n, a[1].n, a[2].n);
    }
    return PSG_OK;
}

/* Is the transform fast? FFTW and the kernels for GPUs have transforms of their own for 11 and 13,
 * not for larger primes. */
static bool is_good(const psg_transform *row, size_t n) {
    static const size_t often[] = {2, 3, 5, 7};
    size_t rest = (size_t)psg_transform_intervals(row, n);
    for (size_t m = 0; m < sizeof often / sizeof *often; m++) {
        while (rest % often[m] == 0) {
            rest /= often[m];
        }
    }
    const bool odd = psg_transform_periodic(row) && n > 1 && n % 2 == 1;
    return row->stretched || (!odd && (rest == 1 || rest == 11 || rest == 13));
}

psg_status psg_good_length(size_t n, const psg_bc bc[2], psg_points points, size_t *good) {
    psg_clear_error();
    if (bc == NULL || good == NULL) {
        return psg_fail(PSG_ERR_ARG, "%s is NULL", bc == NULL ? "bc" : "good");
    }
    if (n < 1) {
        return psg_fail(PSG_ERR_ARG, "n = 0: an axis needs a point");
    }
    psg_axis axis = {.n = n, .length = 1, .bc = {bc[0], bc[1]}, .points = points};
    psg_status status = check_axis(&axis, '?');
    while (status == PSG_OK && !is_good(psg_transform_of(&axis), axis.n)) {
        axis.n++;
        status = check_axis(&axis, '?');
    }
    if (status == PSG_OK) {
        *good = axis.n;
    }
    return status;
}

psg_status psg_axis_points(const psg_axis *axis, double *first, double *step) {
    psg_clear_error();
    if (axis == NULL) {
        return psg_fail(PSG_ERR_ARG, "axis is NULL");
    }
    if (axis->faces != NULL) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "the points of an axis with faces are not one step "
                                             "apart: each is in the middle of two faces");
    }
    const psg_status status = check_axis(axis, '?');
    if (status != PSG_OK) {
        return status;
    }
    const psg_transform *row = psg_transform_of(axis);
    const double h = axis->length / psg_transform_intervals(row, axis->n);
    if (first != NULL) {
        *first = row->first * h;
    }
    if (step != NULL) {
        *step = h;
    }
    return PSG_OK;
}
