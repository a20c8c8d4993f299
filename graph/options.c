#include "graph/internal.h"
#include "graph/transforms.h"

#include "runtime/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first published struct_size: nothing smaller is one of ours. */
_Static_assert(sizeof(psg_options) == 200,
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

static psg_status check_workers(const psg_options *o) {
    if (o->cpus == 0 && o->gpus == 0) {
        return psg_fail(PSG_ERR_ARG, "cpus = 0 and gpus = 0 leave nothing to compute on");
    }
    if (psg_cpu_share_wanted(o) && (o->cpus == 0 || o->gpus == 0)) {
        return psg_fail(PSG_ERR_ARG, "%s = 0, and CPU cores and GPUs are to share the work",
                        o->cpus == 0 ? "cpus" : "gpus");
    }
    return PSG_OK;
}

static psg_status check_simulation(const psg_options *o) {
    if (o->machine != NULL && !psg_simulated()) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "machine = '%s', and the library was not built for simulation", o->machine);
    }
    if ((o->nodes > 1 || o->network > 0) && !psg_simulated()) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "nodes = %u, network = %g, and the library was not built for simulation",
                        o->nodes, o->network);
    }
    return PSG_OK;
}

psg_status psg_options_check_terms(const psg_options *o) {
    if (o->lambda < 0 && isfinite(o->lambda)) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "lambda = %g: a finite number >= 0 is needed",
                        o->lambda);
    }
    if (!isfinite(o->factor) || o->factor == 0) {
        return psg_fail(PSG_ERR_ARG, "factor = %g: a finite number other than 0 is needed",
                        o->factor);
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
    if (checked->comm == NULL && checked->nodes <= 1 &&
        (checked->exchange == PSG_EXCHANGE_MPI || checked->exchange == PSG_EXCHANGE_ALLTOALL)) {
        return psg_fail(PSG_ERR_ARG, "exchange %s is between processes, and options.comm is NULL",
                        checked->exchange == PSG_EXCHANGE_MPI ? "mpi" : "alltoall");
    }
    status = check_workers(checked);
    if (status == PSG_OK) {
        status = check_simulation(checked);
    }
    if (status != PSG_OK) {
        return status;
    }
    /* what one process found best is neither what several need nor what a recorded machine does */
    if (checked->comm != NULL || psg_simulated()) {
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
        .axis = {{.n = nx, .length = lx}, {.n = ny, .length = ly}, {.n = nz, .length = lz}}};
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
    for (int side = 0; side < 2; side++) {
        const int bc = (int)axis->bc[side];
        if (bc < 0 || bc >= PSG_BC_COUNT) {
            return psg_fail(PSG_ERR_ARG, "boundary condition %d along %c is none", bc, name);
        }
        if (bc != PSG_BC_PERIODIC && psg_transform_of(axis) == NULL) {
            return psg_fail(
                PSG_ERR_UNSUPPORTED,
                "boundary condition %d along %c is not there yet: only periodic axes are", bc,
                name);
        }
    }
    return PSG_OK;
}

psg_status psg_grid_check(const psg_grid *grid, psg_precision precision) {
    const psg_axis *a = grid->axis;
    for (int d = 0; d < 3; d++) {
        const psg_status status = check_axis(&a[d], "xyz"[d]);
        if (status != PSG_OK) {
            return status;
        }
    }
    const size_t complex_bytes = precision == PSG_F64 ? 16 : 8;
    size_t bytes = 0;
    if (__builtin_mul_overflow(a[0].n / 2 + 1, a[2].n, &bytes) || bytes > UINT32_MAX / 2 ||
        __builtin_mul_overflow(a[0].n / 2 + 1, a[1].n, &bytes) || bytes > UINT32_MAX / 2 ||
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
