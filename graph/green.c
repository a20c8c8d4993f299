#include "graph/green.h"
#include "base/memory.h"
#include "codelets/gpu.h"
#include "cpu/symbol.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "graph/transform_table.h"
#include "graph/transforms.h"
#include "runtime/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where more is used than the machine has, the operating system stops the process. */
static bool has_room(size_t bytes) {
    const double left = base_memory_available();
    return left == 0 || (double)bytes <= left;
}

static void *allocate(size_t bytes) {
    return has_room(bytes) ? base_allocate(bytes) : NULL;
}

static bool is_free(const psg_plan *plan, int d) {
    return plan->context.kind[d] >= PSG_TRANSFORM_FREE;
}

/* Points in half a period of the kernel: beside a wall f has its image. */
static size_t points_of(const psg_plan *plan, int d) {
    const psg_axis *axis = &plan->problem.grid.axis[d];
    return axis->n * (plan->context.kind[d] > PSG_TRANSFORM_FREE ? 2 : 1);
}

/* The first mode of a sine has a half wave in half a period. */
static size_t shift_of(const psg_plan *plan, int d) {
    return psg_transform_free_sine(plan->context.kind[d]) ? 1 : 0;
}

static double length_of(const psg_problem *p, int d) {
    return ldexp(p->grid.axis[d].length, -p->unit);
}

/* Mode m of the table along a free axis d alone, of which k2 is what the other axes and lambda
 * have: that of cpu/kspace_free.c. */
static double mode_of_one(const psg_plan *plan, int d, double k2, size_t m) {
    const psg_problem *p = &plan->problem;
    const double h = length_of(p, d) / (double)p->grid.axis[d].n;
    const double length = h * (double)points_of(plan, d);
    const size_t shift = shift_of(plan, d);
    const double k = sqrt(k2);
    const double decay = psg_symbol_of(p)->reach > 0 ? 2 / h * asinh(h * k / 2) : k;
    if (m < shift) {
        return 0; /* no transform has it */
    }
    if (k2 == 0 && m == 0) {
        return -length * length / 2;
    }
    const double part = m % 2 == 0 ? -expm1(-decay * length) : 1 + exp(-decay * length);
    return part / (k2 - psg_transforms_eigenvalue(p, d, m - shift));
}

static void fill_of_one(psg_green *green, const psg_plan *plan, int d, size_t rows) {
    const psg_problem *p = &plan->problem;
    const size_t *modes = green->table.modes;
    size_t place = 0;
    for (size_t j = green->table.first; j < green->table.first + rows; j++) {
        for (size_t k = 0; k < modes[2]; k++) {
            for (size_t i = 0; i < modes[0]; i++, place++) {
                const size_t m[3] = {i, j, k};
                double k2 = green->lambda;
                for (int other = 0; other < 3; other++) {
                    k2 -= other != d ? psg_transforms_eigenvalue(p, other, m[other]) : 0;
                }
                psg_transforms_put(plan, green->values, place, mode_of_one(plan, d, k2, m[d]));
            }
        }
    }
}

/* The kernel of two or three free axes is a sum of products. Where two are free, lambda is 0, and
 * so is the wavenumber along the third, it is -log(r) / (2 pi), r in the caller's unit.
 * @return NULL: no memory */
static psg_cpu_green *products_of(const psg_green *green, const psg_plan *plan) {
    const psg_problem *p = &plan->problem;
    psg_cpu_green_spec spec = {.kind = p->options.kernel == PSG_KERNEL_IGF ? PSG_CPU_GREEN_IGF
                                       : psg_symbol_of(p)->reach > 0       ? PSG_CPU_GREEN_FD2
                                                                           : PSG_CPU_GREEN_SPECTRAL,
                               .lambda = green->lambda,
                               .zero_at = ldexp(1, -p->unit)};
    double *eigen = NULL;
    for (int d = 0; d < 3; d++) {
        psg_cpu_green_axis *axis = &spec.axis[d];
        axis->modes = green->table.modes[d];
        axis->spacing = length_of(p, d) / (double)p->grid.axis[d].n;
        if (!is_free(plan, d)) { /* one axis at most */
            eigen = malloc(axis->modes * sizeof *eigen);
            for (size_t m = 0; eigen != NULL && m < axis->modes; m++) {
                eigen[m] = psg_transforms_eigenvalue(p, d, m);
            }
            axis->eigen = eigen;
            if (eigen == NULL) {
                return NULL;
            }
        }
    }
    psg_cpu_green *products = psg_cpu_green_create(&spec);
    free(eigen);
    return products;
}

/* The integral of 1/(4 pi r) over a cell around r = 0: the antiderivative at its corners. */
static double at_origin(const double h[3]) {
    const double x = h[0] / 2, y = h[1] / 2, z = h[2] / 2;
    const double r = hypot(hypot(x, y), z);
    const double corner = y * z * log((x + r) / hypot(y, z)) + x * z * log((y + r) / hypot(x, z)) +
                          x * y * log((z + r) / hypot(x, y)) -
                          (x * x * atan(y * z / (x * r)) + y * y * atan(x * z / (y * r)) +
                           z * z * atan(x * y / (z * r))) /
                              2;
    return 8 * corner / (4 * psg_symbol_pi);
}

/* ------------------------------------------------------------------------------- an octant */

void psg_green_extents(const psg_plan *plan, psg_kernel_form form, size_t n[3]) {
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &plan->problem.grid.axis[d];
        const bool half = psg_transform_periodic(psg_transform_of(axis)) &&
                          (d == 0 || form != PSG_KERNEL_FORM_SPECTRUM);
        n[d] = is_free(plan, d) ? points_of(plan, d) + 1 : half ? axis->n / 2 + 1 : axis->n;
    }
}

/* The modes of the values [z][y][x] at the points of an octant, in place. */
static bool transform_octant(const psg_plan *plan, double *octant) {
    size_t n[3];
    int points[3], axes = 0;
    psg_green_extents(plan, PSG_KERNEL_FORM_SPACE, n);
    for (int d = 2; d >= 0; d--) {
        if (n[d] > 1) { /* else the only value is the only mode */
            points[axes++] = (int)n[d];
        }
    }
    return axes == 0 || psg_cpu_cosines(axes, points, 1, 0, octant);
}

/* Modes [z][y][x] times a unit to the table. Where a periodic axis has half of them, m and n - m
 * are one. Where both halves of x meet, the modes k and -k of a spectrum make one real wave, and a
 * transform back may do anything with what they make beside it.
 * @return the largest absolute value */
static double put_modes(psg_green *green, const psg_plan *plan, size_t rows, psg_kernel_form form,
                        const double *modes, double unit) {
    const psg_cpu_table *t = &green->table;
    const psg_axis *axis = plan->problem.grid.axis;
    size_t n[3], place = 0;
    double largest = 0;
    psg_green_extents(plan, form, n);
    for (size_t j = t->first; j < t->first + rows; j++) {
        const size_t y = j < n[1] ? j : axis[1].n - j;
        for (size_t k = 0; k < t->modes[2]; k++) {
            const size_t z = k < n[2] ? k : axis[2].n - k;
            const size_t opposite[2] = {(axis[1].n - y) % axis[1].n, (axis[2].n - z) % axis[2].n};
            for (size_t i = 0; i < t->modes[0]; i++, place++) {
                const bool meet = form == PSG_KERNEL_FORM_SPECTRUM && 2 * i % axis[0].n == 0;
                const size_t at = (z * n[1] + y) * n[0] + i;
                const size_t other = meet ? (opposite[1] * n[1] + opposite[0]) * n[0] + i : at;
                const double value = unit * (modes[at] / 2 + modes[other] / 2);
                psg_transforms_put(plan, green->values, place, value);
                largest = fmax(largest, fabs(value));
            }
        }
    }
    return largest;
}

/* 1/(4 pi r), times the volume of a cell, at the points of the octant, and its modes. */
static bool fill_sampled(psg_green *green, const psg_plan *plan, size_t rows) {
    const size_t *n = green->table.modes;
    const size_t count = n[0] * n[1] * n[2];
    double *octant = allocate(count * sizeof *octant);
    double h[3];
    for (int d = 0; d < 3; d++) {
        h[d] = length_of(&plan->problem, d) / (double)plan->problem.grid.axis[d].n;
    }
    for (size_t m = 0; octant != NULL && m < count; m++) {
        const double r = hypot(hypot((double)(m % n[0]) * h[0], (double)(m / n[0] % n[1]) * h[1]),
                               (double)(m / n[0] / n[1]) * h[2]);
        octant[m] = m == 0 ? at_origin(h) : h[0] * h[1] * h[2] / (4 * psg_symbol_pi * r);
    }
    const bool good = octant != NULL && transform_octant(plan, octant);
    if (good) {
        (void)put_modes(green, plan, rows, PSG_KERNEL_FORM_SPACE, octant, 1);
    }
    free(octant);
    return good;
}

/* The rows that the sheets of this process need: of 2n rows j and 2n - j are the same.
 * @return how many */
static size_t find_rows(psg_cpu_table *table, const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    const size_t top = table->modes[1] - 1;
    size_t end = 0;
    table->first = top;
    for (size_t p = l->sheets.own.first; p < l->sheets.own.end; p++) {
        const psg_box *box = &l->sheets.part[p].box;
        for (size_t j = box->lo[1]; j < box->hi[1]; j++) {
            const size_t m = j + table->shift[1];
            const size_t mode = m <= top ? m : 2 * top - m;
            table->first = mode < table->first ? mode : table->first;
            end = mode >= end ? mode + 1 : end;
        }
    }
    return end > table->first ? end - table->first : 0;
}

static void find_modes(psg_cpu_table *table, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    for (int d = 0; d < 3; d++) {
        table->modes[d] = is_free(plan, d)             ? points_of(plan, d) + 1
                          : d == 0 && !c->divide.apart ? c->layout.nxc
                                                       : c->layout.n[d];
    }
}

size_t psg_green_bytes(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    psg_cpu_table table;
    find_modes(&table, plan);
    const size_t ranks = (size_t)plan->processes.ranks;
    const size_t own = (c->layout.nyc + ranks - 1) / ranks;
    const size_t rows = own < table.modes[1] ? own : table.modes[1];
    return c->tabled ? rows * table.modes[2] * table.modes[0] * c->cpu->real_bytes : 0;
}

static void drop_copies(psg_green *green) {
    for (int w = 0; w < STARPU_NMAXWORKERS; w++) {
        if (green->on_gpu[w] != NULL) {
            psg_devices->free_copy(starpu_worker_get_devid(w), green->on_gpu[w]);
        }
        green->on_gpu[w] = NULL;
    }
}

static psg_status no_memory(size_t bytes) {
    return psg_fail(PSG_ERR_MEMORY, "no memory for the Green's function: %zu bytes", bytes);
}

psg_status psg_green_check_room(const psg_plan *plan) {
    const size_t bytes = psg_green_bytes(plan);
    return has_room(bytes) ? PSG_OK : no_memory(bytes);
}

/* GPUs have the table of all sheets of the process. It stays where it is: recorded kernels know its
 * address.
 * @param values  NULL: there is room for them */
static psg_status copy_to_gpus(psg_green *green, const psg_plan *plan, const void *values,
                               size_t bytes) {
    for (size_t g = 0; g < plan->workers.gpu_count && bytes > 0; g++) {
        void **there = &green->on_gpu[plan->workers.gpus[g]];
        const int device = starpu_worker_get_devid(plan->workers.gpus[g]);
        void *copy = psg_devices->copy_to(device, *there, values, bytes);
        *there = copy != NULL ? copy : *there;
        if (copy == NULL) {
            return psg_fail(PSG_ERR_MEMORY,
                            "no memory on GPU %d for the Green's function: %zu bytes", device,
                            bytes);
        }
    }
    return PSG_OK;
}

/* The table on one GPU, by its own kernel. */
static psg_status multiply_on_gpu(const psg_green *green, const psg_plan *plan, int worker,
                                  const psg_cpu_green *products, size_t rows) {
    const int device = starpu_worker_get_devid(worker);
    psg_cpu_green there = *products;
    bool good = true;
    for (int d = 0; d < 3; d++) {
        there.factor[d] = psg_devices->copy_to(device, NULL, products->factor[d],
                                               products->terms * products->pitch[d] *
                                                   sizeof *products->factor[d]);
        good = good && there.factor[d] != NULL;
    }
    const int before = psg_device_current(device);
    const int code = good ? psg_kernels->green_rows(&plan->context, &there, green->table.first,
                                                    rows, green->on_gpu[worker])
                          : 0;
    (void)psg_device_current(before);
    for (int d = 0; d < 3; d++) {
        psg_devices->free_copy(device, there.factor[d]);
    }
    return !good       ? psg_fail(PSG_ERR_MEMORY,
                                  "no memory on GPU %d for factors of the Green's function", device)
           : code == 0 ? PSG_OK
                       : psg_fail(PSG_ERR_RUNTIME, "GPU %d, the Green's function: %s", device,
                                  plan->placement.gpu_user.words(code));
}

/* Cores make the table for cores, and each GPU makes its own. */
static psg_status multiply(psg_green *green, const psg_plan *plan, size_t rows, size_t bytes) {
    psg_cpu_green *products = products_of(green, plan);
    if (products == NULL) {
        return no_memory(bytes);
    }
    if (green->values != NULL) {
        plan->context.cpu->green_rows(products, green->table.first, rows, green->values);
    }
    psg_status status = copy_to_gpus(green, plan, NULL, bytes);
    for (size_t g = 0; g < plan->workers.gpu_count && bytes > 0 && status == PSG_OK; g++) {
        status = multiply_on_gpu(green, plan, plan->workers.gpus[g], products, rows);
    }
    psg_cpu_green_destroy(products);
    return status;
}

/* The table without its values.
 * @param here  they are made in main memory @param[out] rows  how many there are of them
 * @return bytes of the values */
static size_t prepare(psg_green *green, const psg_plan *plan, bool here, size_t *rows) {
    psg_cpu_table *table = &green->table;
    find_modes(table, plan);
    for (int d = 0; d < 3; d++) {
        table->shift[d] = shift_of(plan, d);
        green->box[d] = plan->problem.grid.axis[d].length;
    }
    *rows = find_rows(table, plan);
    const size_t bytes = *rows * table->modes[2] * table->modes[0] * plan->context.cpu->real_bytes;
    if (green->values == NULL && here) {
        green->values = allocate(bytes);
    }
    table->values = green->values;
    table->on_gpu = green->on_gpu;
    return bytes;
}

static psg_status make(psg_green *green, const psg_plan *plan, double lambda) {
    int free_axes = 0, last = 0;
    size_t rows = 0;
    for (int d = 0; d < 3; d++) {
        free_axes += is_free(plan, d);
        last = is_free(plan, d) ? d : last;
    }
    const bool sampled = plan->problem.options.kernel == PSG_KERNEL_HOCKNEY;
    const bool products = free_axes > 1 && !sampled;
    const bool here = plan->workers.cpu_count > 0 || !products;
    const size_t bytes = prepare(green, plan, here, &rows);
    green->lambda = lambda;
    if (here && green->values == NULL) {
        return no_memory(bytes);
    }
    if (products) {
        return multiply(green, plan, rows, bytes);
    }
    if (free_axes == 1) {
        fill_of_one(green, plan, last, rows);
    } else if (!fill_sampled(green, plan, rows)) {
        const size_t *n = green->table.modes; /* and its values in space */
        return no_memory(bytes + n[0] * n[1] * n[2] * sizeof(double));
    }
    return copy_to_gpus(green, plan, green->values, bytes);
}

/* What the values of a form are times the volume of a cell, in the tasks' unit of length. */
static double unit_of(const psg_plan *plan, psg_kernel_form form) {
    const psg_problem *p = &plan->problem;
    double volume = 1;
    for (int d = 0; d < 3 && form == PSG_KERNEL_FORM_SPACE; d++) {
        volume *= p->grid.axis[d].length / (double)p->grid.axis[d].n;
    }
    return ldexp(volume, -2 * p->unit);
}

static psg_status fill_given(psg_green *green, const psg_plan *plan, psg_kernel_form form,
                             const double *values) {
    size_t n[3], rows = 0;
    const size_t bytes = prepare(green, plan, true, &rows);
    psg_green_extents(plan, form, n);
    const size_t count = n[0] * n[1] * n[2];
    const bool space = form == PSG_KERNEL_FORM_SPACE;
    double *octant = space ? allocate(count * sizeof *octant) : NULL;
    if (octant != NULL) {
        memcpy(octant, values, count * sizeof *octant);
    }
    if (green->values == NULL || (space && (octant == NULL || !transform_octant(plan, octant)))) {
        free(octant);
        return no_memory(bytes + (space ? count * sizeof *octant : 0));
    }
    const double unit = unit_of(plan, form);
    const double *modes = space ? octant : values;
    const double largest = put_modes(green, plan, rows, form, modes, unit);
    green->first = unit * modes[0];
    free(octant);
    return largest == 0 || psg_transforms_has(plan, largest)
               ? copy_to_gpus(green, plan, green->values, bytes)
               : psg_fail(PSG_ERR_ARG,
                          "the largest mode of the kernel is %Lg, for a spacing of about %Lg: out "
                          "of the range of the precision",
                          ldexpl(largest, 2 * plan->problem.unit), ldexpl(1, plan->problem.unit));
}

/* It is that of lambda = 0: there is no other with it. */
psg_status psg_green_give(psg_green **kept, const psg_plan *plan, psg_kernel_form form,
                          const double *values) {
    *kept = *kept == NULL ? calloc(1, sizeof **kept) : *kept;
    if (*kept == NULL) {
        return no_memory(sizeof **kept);
    }
    const psg_status status = fill_given(*kept, plan, form, values);
    (*kept)->lambda = status == PSG_OK ? 0 : NAN;
    return status;
}

static bool is_of(const psg_green *green, const psg_plan *plan, double lambda) {
    bool same = green->lambda == lambda;
    for (int d = 0; d < 3; d++) {
        same = same && green->box[d] == plan->problem.grid.axis[d].length;
    }
    return same;
}

psg_status psg_green_take(psg_green **kept, const psg_plan *plan, double lambda,
                          psg_green **taken) {
    psg_green *idle = NULL;
    *taken = NULL;
    if (!plan->context.tabled) {
        return PSG_OK;
    }
    for (psg_green *g = *kept; g != NULL && *taken == NULL; g = g->next) {
        *taken = is_of(g, plan, lambda) ? g : NULL;
        idle = g->users == 0 ? g : idle;
    }
    psg_status status = PSG_OK;
    if (*taken == NULL && plan->problem.options.kernel == PSG_KERNEL_USER) {
        return psg_fail(PSG_ERR_STATE,
                        "kernel = user, and there is none: psg_plan_kernel() comes before a solve");
    }
    if (*taken == NULL && idle == NULL) {
        idle = calloc(1, sizeof *idle);
        if (idle == NULL) {
            return psg_fail(PSG_ERR_MEMORY, "no memory for a Green's function");
        }
        idle->next = *kept;
        *kept = idle;
    }
    if (*taken == NULL) {
        status = make(idle, plan, lambda);
        *taken = idle;
    }
    if (status != PSG_OK) {
        idle->lambda = NAN; /* of none */
        *taken = NULL;
        return status;
    }
    (*taken)->users++;
    return PSG_OK;
}

void psg_green_give_back(psg_green *green) {
    if (green != NULL) {
        green->users--;
    }
}

void psg_green_free(psg_green **kept) {
    while (*kept != NULL) {
        psg_green *next = (*kept)->next;
        drop_copies(*kept);
        free((*kept)->values);
        free(*kept);
        *kept = next;
    }
}
