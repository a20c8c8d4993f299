#include "graph/internal.h"

#include "codelets/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const psg_options defaults = {
    .struct_size = sizeof(psg_options),
    .precision = PSG_F64,
    .symbol = PSG_SYMBOL_SPECTRAL,
    .mean = PSG_MEAN_DROP,
    .graph = PSG_GRAPH_AUTO,
    .exchange = PSG_EXCHANGE_AUTO,
    .z_layout = PSG_Z_AUTO,
    .cpus = -1,
    .gpus = -1,
    .cpu_share = PSG_CPU_SHARE_AUTO,
    .effort = PSG_EFFORT_MEASURE,
    .in_flight = 2,
    .tuned = 1,
    .normalize = 1,
    .nodes = 1,
};

/* The first published struct_size: nothing smaller is one of ours. */
_Static_assert(sizeof(psg_options) == 184,
               "psg_options may grow at its end only; keep the old sizes valid");
enum { FIRST_OPTIONS_SIZE = 120 };

void psg_options_init_sized(psg_options *options, size_t struct_size) {
    if (options == NULL) {
        return;
    }
    const size_t known = struct_size < sizeof defaults ? struct_size : sizeof defaults;
    memset(options, 0, struct_size);
    memcpy(options, &defaults, known);
    if (struct_size >= sizeof options->struct_size) {
        options->struct_size = struct_size;
    }
}

static psg_status check_choice(const char *name, int value, int count) {
    if (value < 0 || value >= count) {
        return psg_fail(PSG_ERR_ARG, "%s = %d is none of its %d values", name, value, count);
    }
    return PSG_OK;
}

static psg_status check_choices(const psg_options *o) {
    const struct {
        const char *name;
        int value;
        int count;
    } choices[] = {
        {"precision", (int)o->precision, PSG_PRECISION_COUNT},
        {"symbol", (int)o->symbol, PSG_SYMBOL_COUNT},
        {"mean", (int)o->mean, PSG_MEAN_COUNT},
        {"graph", (int)o->graph, PSG_GRAPH_COUNT},
        {"exchange", (int)o->exchange, PSG_EXCHANGE_COUNT},
        {"z_layout", (int)o->z_layout, PSG_Z_COUNT},
        {"effort", (int)o->effort, PSG_EFFORT_COUNT},
        {"normalize", o->normalize, 2},
    };
    for (size_t m = 0; m < sizeof choices / sizeof *choices; m++) {
        const psg_status status = check_choice(choices[m].name, choices[m].value, choices[m].count);
        if (status != PSG_OK) {
            return status;
        }
    }
    return PSG_OK;
}

static psg_status check_policy(const char *policy) {
    if (policy == NULL) {
        return PSG_OK;
    }
    char list[768] = "";
    size_t used = 0;
    for (size_t m = 0; psg_policy_name(m) != NULL; m++) {
        if (strcmp(policy, psg_policy_name(m)) == 0) {
            return PSG_OK;
        }
        const int more = snprintf(list + used, sizeof list - used, " %s", psg_policy_name(m));
        used += more > 0 && (size_t)more < sizeof list - used ? (size_t)more : 0;
    }
    return psg_fail(PSG_ERR_ARG, "unknown scheduling policy '%s'; there are:%s", policy, list);
}

static psg_status check_workers(const psg_options *o) {
    const bool word = o->cpu_share == PSG_CPU_SHARE_AUTO || o->cpu_share == PSG_CPU_SHARE_FREE;
    if (o->cpus < -1 || o->gpus < -1) {
        return psg_fail(PSG_ERR_ARG, "cpus = %d, gpus = %d: a number, or -1 for all there are",
                        o->cpus, o->gpus);
    }
    if (o->cpus == 0 && o->gpus == 0) {
        return psg_fail(PSG_ERR_ARG, "cpus = 0 and gpus = 0 leave nothing to compute on");
    }
    if (!word && !(o->cpu_share >= 0 && o->cpu_share <= 1)) {
        return psg_fail(
            PSG_ERR_ARG,
            "cpu_share = %g: a number from 0 to 1, PSG_CPU_SHARE_AUTO or _FREE is needed",
            o->cpu_share);
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
    if (o->nodes < 1 || o->nodes > INT16_MAX) {
        return psg_fail(PSG_ERR_ARG, "nodes = %u: from 1 to %d are needed", o->nodes, INT16_MAX);
    }
    if (!(o->network >= 0) || isinf(o->network)) {
        return psg_fail(PSG_ERR_ARG,
                        "network = %g: bytes per second, or 0 for the machine's, are needed",
                        o->network);
    }
    if ((o->nodes > 1 || o->network > 0) && !psg_simulated()) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "nodes = %u, network = %g, and the library was not built for simulation",
                        o->nodes, o->network);
    }
    return PSG_OK;
}

psg_status psg_options_check(psg_options *checked, const psg_options *options) {
    *checked = defaults;
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

    psg_status status = check_choices(checked);
    if (status == PSG_OK) {
        status = check_policy(checked->policy);
    }
    if (status != PSG_OK) {
        return status;
    }
    if (!(checked->lambda >= 0) || isinf(checked->lambda)) {
        return psg_fail(checked->lambda < 0 && isfinite(checked->lambda) ? PSG_ERR_UNSUPPORTED
                                                                         : PSG_ERR_ARG,
                        "lambda = %g: a finite number >= 0 is needed", checked->lambda);
    }
    if (!(checked->mean_tolerance >= 0) || isinf(checked->mean_tolerance)) {
        return psg_fail(PSG_ERR_ARG, "mean_tolerance = %g: a finite number >= 0 is needed",
                        checked->mean_tolerance);
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
    if (status != PSG_OK) {
        return status;
    }
    if (checked->calibrate != 0 && checked->calibrate != 1) {
        return psg_fail(PSG_ERR_ARG, "calibrate = %d: 0 or 1 is needed", checked->calibrate);
    }
    if (checked->record != 0 && checked->record != 1) {
        return psg_fail(PSG_ERR_ARG, "record = %d: 0 or 1 is needed", checked->record);
    }
    status = check_simulation(checked);
    if (status != PSG_OK) {
        return status;
    }
    if (checked->tuned != 0 && checked->tuned != 1) {
        return psg_fail(PSG_ERR_ARG, "tuned = %d: 0 or 1 is needed", checked->tuned);
    }
    if (checked->in_flight < 1) {
        return psg_fail(PSG_ERR_ARG, "in_flight = 0: at least one solve has to fit");
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
        if (bc != PSG_BC_PERIODIC) {
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
