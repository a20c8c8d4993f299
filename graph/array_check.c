/* The caller's arrays, wherever they stand. They are looked at before each solve, as they may
 * have been freed since the last one; the handles that StarPU has of them are kept, see
 * arrays.c. */
#include "graph/array_check.h"
#include "base/memory.h"
#include "graph/block.h"
#include "graph/boxes.h"
#include "graph/options.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "runtime/simulation.h"

#include <stdint.h>

void psg_array_init(psg_array *array, void *data) {
    *array = (psg_array){.data = data, .device = PSG_ASK};
}

const char *psg_field_name(const psg_plan *plan, int field) {
    static const char *const name[PSG_FIELDS] = {"f",
                                                 "u",
                                                 "gradient[0]",
                                                 "gradient[1]",
                                                 "gradient[2]",
                                                 "epsilon",
                                                 "epsilon_faces[0]",
                                                 "epsilon_faces[1]",
                                                 "epsilon_faces[2]",
                                                 "v[0]",
                                                 "v[1]",
                                                 "v[2]",
                                                 "f_modes",
                                                 "u_modes"};
    const int by_axis[] = {PSG_FIELD_GRADIENT, PSG_FIELD_FACES};
    for (int m = 0; m < 2; m++) {
        const int d = field - by_axis[m];
        if (d >= 0 && d < 3) {
            return name[by_axis[m] + psg_grid_turn(&plan->problem.grid, d)];
        }
    }
    return name[field];
}

/* A GPU has the parts that are at home there. A process has all of its parts. */
static bool is_of(const psg_part *part, int device) {
    return device == PSG_HOST || (part->home >= 0 && starpu_worker_get_devid(part->home) == device);
}

psg_range psg_array_parts(const psg_parts *parts, int device) {
    psg_range found = {parts->own.first, parts->own.first};
    while (found.first < parts->own.end && !is_of(&parts->part[found.first], device)) {
        found.first++;
    }
    for (found.end = found.first;
         found.end < parts->own.end && is_of(&parts->part[found.end], device);) {
        found.end++;
    }
    return found;
}

int psg_array_node(const psg_plan *plan, int device) {
    for (size_t g = 0; device != PSG_HOST && g < plan->workers.gpu_count; g++) {
        if (starpu_worker_get_devid(plan->workers.gpus[g]) == device) {
            return psg_placement_node(plan->workers.gpus[g]);
        }
    }
    return device == PSG_HOST ? STARPU_MAIN_RAM : -1;
}

psg_status psg_plan_local_box(const psg_plan *plan, int device, size_t lo[3], size_t n[3]) {
    psg_clear_error();
    if (plan == NULL || lo == NULL || n == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan, lo or n is NULL");
    }
    const psg_layout *l = &plan->context.layout;
    const bool gpus = plan->workers.gpu_count > 0 && device != PSG_HOST;
    if (device < 0 ? device != PSG_HOST : gpus && psg_array_node(plan, device) < 0) {
        return psg_fail(PSG_ERR_ARG, "GPU %d is not one of the plan's", device);
    }
    const psg_range segments = psg_array_parts(&l->segments, gpus ? device : PSG_HOST);
    const int slow = psg_grid_turn(&plan->problem.grid, 2);
    for (int d = 0; d < 3; d++) {
        lo[d] = 0;
        n[d] = l->n[psg_grid_turn(&plan->problem.grid, d)];
    }
    n[slow] = psg_parts_length(&l->segments, segments, 2);
    lo[slow] =
        segments.first < l->segments.count ? l->segments.part[segments.first].box.lo[2] : l->n[2];
    for (int d = 0; d < 3 && plan->boxes.box != NULL; d++) {
        const psg_box *box = &plan->boxes.box[plan->processes.rank];
        lo[d] = box->lo[psg_grid_turn(&plan->problem.grid, d)];
        n[d] = psg_box_length(box, psg_grid_turn(&plan->problem.grid, d));
    }
    return PSG_OK;
}

/* --------------------------------------------------------------------------- one array */

/* Elements from the first point of an array to past its last one. */
static size_t span(const psg_array *a, const size_t n[3]) {
    return n[2] == 0 ? 0
                     : (n[2] - 1) * (size_t)a->stride[2] + (n[1] - 1) * (size_t)a->stride[1] + n[0];
}

static psg_status check_strides(psg_array *a, const char *name, const psg_plan *plan) {
    size_t n[3];
    psg_boxes_extents(plan, n);
    const ptrdiff_t *s = a->stride;
    if (s[0] == 0 && s[1] == 0 && s[2] == 0) {
        a->stride[0] = 1;
        a->stride[1] = (ptrdiff_t)n[0];
        a->stride[2] = (ptrdiff_t)(n[0] * n[1]);
    }
    a->stride[2] = s[psg_grid_turn(&plan->problem.grid, 2)];
    if (s[0] != 1) {
        return psg_fail(PSG_ERR_ARG, "stride[0] of %s is %td: rows are contiguous, so it is 1",
                        name, s[0]);
    }
    if ((size_t)s[1] > UINT32_MAX && s[1] > 0) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "stride[1] of %s is %td: it has to be below 2^32",
                        name, s[1]);
    }
    if (s[1] < (ptrdiff_t)n[0]) {
        return psg_fail(PSG_ERR_ARG, "stride[1] of %s is %td, less than the %zu points of a row",
                        name, s[1], n[0]);
    }
    const size_t plane = (n[1] - 1) * (size_t)s[1] + n[0];
    if (s[2] < 0 || (size_t)s[2] < plane) {
        return psg_fail(PSG_ERR_ARG,
                        "stride[2] of %s is %td, less than the %zu elements that its planes reach "
                        "over",
                        name, s[2], plane);
    }
    if ((size_t)s[2] > UINT32_MAX) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "stride[2] of %s is %td: it has to be below 2^32",
                        name, s[2]);
    }
    return PSG_OK;
}

/* Are there points in the arrays of this process? */
static bool has_points(const psg_plan *plan) {
    size_t n[3];
    psg_boxes_extents(plan, n);
    return n[0] > 0 && n[1] > 0 && n[2] > 0;
}

/* A plan without GPUs has no use for an array on one, and starts no CUDA to find out. A process
 * without planes reads nothing of an array, and in a simulation nobody does. */
bool psg_array_ask(const psg_plan *plan, const psg_array *a, psg_device_memory *memory) {
    *memory = plan->workers.gpu_count > 0 || a->device >= 0 ? psg_device_ask(a->data, a->device)
                                                            : (psg_device_memory){.device = -1};
    return a->device >= 0 || memory->device >= 0 || memory->managed || !psg_platform->computes ||
           !has_points(plan) || base_is_readable(a->data);
}

psg_status psg_array_check_host(const psg_plan *plan, const void *array) {
    const psg_array a = {.data = (void *)(uintptr_t)array, .device = PSG_HOST}; /* not written */
    psg_device_memory memory;
    return psg_array_ask(plan, &a, &memory) && memory.device < 0
               ? PSG_OK
               : psg_fail(PSG_ERR_ARG, "the array is not in main memory, or it is freed");
}

/* Where does it stand? What the caller says and what CUDA says have to agree. */
static psg_status check_device(psg_array *a, const char *name, const psg_plan *plan,
                               const void **end) {
    psg_device_memory memory;
    if (!psg_array_ask(plan, a, &memory)) {
        return psg_fail(PSG_ERR_ARG,
                        plan->workers.gpu_count == 0
                            ? "%s is not in main memory, or it is freed, and the plan has no GPU"
                            : "%s is neither in main memory nor in memory that CUDA knows of: it "
                              "may be freed",
                        name);
    }
    *end = memory.end;
    /* Managed memory is where its array says; without a word it is main memory. */
    const int there = memory.managed && a->device != PSG_ASK ? a->device : memory.device;
    if (a->device == PSG_ASK) {
        a->device = there;
    }
    if (a->device < 0 && a->device != PSG_HOST) {
        return psg_fail(PSG_ERR_ARG, "device of %s is %d, which is no device", name, a->device);
    }
    if (a->device == PSG_HOST && there != PSG_HOST) {
        return psg_fail(PSG_ERR_ARG, "%s is said to be in main memory and is on GPU %d", name,
                        there);
    }
    if (a->device != there && there == PSG_HOST) {
        return psg_fail(
            PSG_ERR_ARG,
            "%s is said to be on GPU %d, and CUDA knows of no memory of a GPU there: it "
            "is freed, or main memory",
            name, a->device);
    }
    if (a->device != there) {
        return psg_fail(PSG_ERR_ARG, "%s is said to be on GPU %d and is on GPU %d", name, a->device,
                        there);
    }
    return psg_array_node(plan, a->device) >= 0
               ? PSG_OK
               : psg_fail(PSG_ERR_ARG, "%s is on GPU %d, which is not one of the plan's", name,
                          a->device);
}

/* Does the last point stand in the allocation of the first, or where that has no end, on the same
 * GPU? */
static psg_status check_room(const psg_array *a, const char *name, size_t bytes, const void *end) {
    const size_t room = end != NULL ? (uintptr_t)end - (uintptr_t)a->data : bytes;
    if (bytes > room) {
        return psg_fail(PSG_ERR_ARG,
                        "%s ends %zu bytes past its allocation on GPU %d: stride[2] is %td", name,
                        bytes - room, a->device, a->stride[2]);
    }
    if (end != NULL) {
        return PSG_OK;
    }
    const psg_device_memory last = psg_device_ask((const char *)a->data + bytes - 1, a->device);
    return last.device == a->device || last.managed
               ? PSG_OK
               : psg_fail(PSG_ERR_ARG,
                          "%s takes %zu bytes on GPU %d, and its last point is not in memory of "
                          "this GPU: stride[2] is %td",
                          name, bytes, a->device, a->stride[2]);
}

/* The points of an array along each axis: along z those of all right-hand sides that it has. */
static void extents_of(const psg_plan *plan, const psg_arrays *arrays, const psg_array *a,
                       size_t n[3]) {
    const int device = arrays->count == 1 ? PSG_HOST : a->device;
    psg_boxes_extents(plan, n);
    if (!arrays->boxed) {
        n[2] = psg_parts_length(&arrays->parts, psg_array_parts(&arrays->parts, device), 2);
    }
}

/* @param[in,out] a  as the caller gave it; then with its device and its strides */
static psg_status check_array(psg_array *a, const char *name, const psg_plan *plan,
                              const psg_arrays *arrays) {
    const bool shared = arrays->count == 1;
    const psg_context *c = &plan->context;
    const size_t align = c->cpu->real_bytes;
    const void *end = NULL;
    if (!shared && a->device >= 0 && psg_array_node(plan, a->device) >= 0 &&
        psg_range_count(psg_array_parts(&arrays->parts, a->device)) == 0) {
        return PSG_OK; /* this GPU has no part of so small a grid, and the pointer means nothing */
    }
    if (a->data == NULL) {
        return psg_fail(PSG_ERR_ARG, "%s is NULL: its first point is needed", name);
    }
    if ((uintptr_t)a->data % align != 0) {
        return psg_fail(PSG_ERR_ARG, "%s is not aligned for a number of %zu bytes", name, align);
    }
    psg_status status = check_strides(a, name, plan);
    if (status == PSG_OK) {
        status = check_device(a, name, plan, &end);
    }
    if (status == PSG_OK && arrays->boxed && a->device != PSG_HOST) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "%s is on a GPU, and arrays of boxes (psg_plan_box()) are in main memory",
                        name);
    }
    if (status != PSG_OK || a->device == PSG_HOST) {
        return status;
    }
    const size_t rows = c->layout.n[1] * (size_t)a->stride[1];
    if ((size_t)a->stride[2] < rows) { /* the last row of a plane has no padding */
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "stride[2] of %s is %td, and a GPU needs the %zu elements of all rows with "
                        "their padding",
                        name, a->stride[2], rows);
    }
    size_t n[3];
    extents_of(plan, arrays, a, n);
    return n[2] == 0 ? PSG_OK : check_room(a, name, span(a, n) * align, end);
}

/* Dense, [nz][rows][nxc] complex numbers. On a GPU tasks read them in place, as complex ones. */
static psg_status check_modes(const psg_plan *plan, psg_array *a, const char *name) {
    const psg_layout *l = &plan->context.layout;
    const size_t bytes = plan->context.cpu->real_bytes;
    const size_t rows = psg_parts_length(&l->sheets, l->sheets.own, 1);
    const void *end = NULL;
    if (rows == 0) {
        a->device = PSG_HOST; /* its pointer means nothing */
        return PSG_OK;
    }
    if (a->data == NULL || (uintptr_t)a->data % bytes != 0) {
        return psg_fail(PSG_ERR_ARG, "%s is NULL, or not aligned for a number of %zu bytes", name,
                        bytes);
    }
    if (a->stride[0] != 0 || a->stride[1] != 0 || a->stride[2] != 0) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "%s has strides: modes are dense, and all three are 0",
                        name);
    }
    a->stride[0] = 1;
    a->stride[1] = (ptrdiff_t)(2 * l->row);
    a->stride[2] = (ptrdiff_t)(2 * l->nxc * rows);
    const psg_status status = check_device(a, name, plan, &end);
    if (status != PSG_OK || a->device == PSG_HOST) {
        return status;
    }
    if ((uintptr_t)a->data % (2 * bytes) != 0) {
        return psg_fail(PSG_ERR_ARG,
                        "%s is on GPU %d and not aligned for a complex number of %zu bytes", name,
                        a->device, 2 * bytes);
    }
    return check_room(a, name, l->n[2] * (size_t)a->stride[2] * bytes, end);
}

/* ------------------------------------------------------------------------- f beside u */

typedef struct extent {
    uintptr_t first, end;
} extent;

/* Of array m of a field. */
static extent extent_of(const psg_plan *plan, const psg_arrays *arrays, int field, size_t m) {
    const psg_array *a = &arrays->field[field][m];
    size_t n[3];
    extents_of(plan, arrays, a, n);
    const size_t reals =
        field >= PSG_FIELD_F_MODES ? plan->context.layout.n[2] * (size_t)a->stride[2] : span(a, n);
    const uintptr_t first = (uintptr_t)a->data;
    return (extent){first, first + reals * plan->context.cpu->real_bytes};
}

static bool overlap(extent x, extent y) {
    return x.first < x.end && y.first < y.end && x.first < y.end && y.first < x.end;
}

static bool same(const psg_array *a, const psg_array *b) {
    return a->data == b->data && a->stride[1] == b->stride[1] && a->stride[2] == b->stride[2];
}

static bool is_epsilon(int field) {
    return field >= PSG_FIELD_EPSILON && field < PSG_FIELD_FLOW;
}

static bool is_read(const psg_arrays *arrays, int field) {
    const bool flow = field >= PSG_FIELD_FLOW && field < PSG_FIELD_F_MODES;
    return field == PSG_FIELD_F || field == PSG_FIELD_F_MODES || is_epsilon(field) ||
           (flow && !arrays->in_place);
}

/* Each f is its u, or no f overlaps any u; so with their modes. No other array that is written
 * overlaps another one. */
static psg_status check_overlap(const psg_plan *plan, psg_arrays *arrays) {
    psg_array *const *field = arrays->field;
    const size_t count = arrays->count;
    const bool flow = field[PSG_FIELD_FLOW] != NULL;
    size_t in_place = 0;
    const bool both = !flow && field[PSG_FIELD_F] != NULL && field[PSG_FIELD_U] != NULL;
    for (size_t m = 0; m < count && both; m++) {
        in_place += same(&field[PSG_FIELD_F][m], &field[PSG_FIELD_U][m]);
    }
    arrays->in_place = flow ? arrays->in_place : count > 0 && in_place == count;
    for (int n = 0; n < PSG_FIELDS * PSG_FIELDS; n++) {
        const int c = n / PSG_FIELDS, d = n % PSG_FIELDS;
        const bool u_of_f = c == PSG_FIELD_U && d == PSG_FIELD_F;
        const bool there = d <= c && field[c] != NULL && field[d] != NULL;
        for (size_t m = 0; there && m < count * count; m++) {
            const size_t one = m / count, other = m % count;
            const bool modes =
                c == PSG_FIELD_U_MODES && d == PSG_FIELD_F_MODES && same(field[c], field[d]);
            const bool may = c == d ? one == other || is_read(arrays, c)
                                    : modes || (is_epsilon(c) && is_epsilon(d)) ||
                                          (u_of_f && arrays->in_place && one == other);
            if (!may &&
                overlap(extent_of(plan, arrays, c, one), extent_of(plan, arrays, d, other))) {
                return c == d ? psg_fail(PSG_ERR_ARG, "%s of two GPUs overlap",
                                         psg_field_name(plan, c))
                              : psg_fail(PSG_ERR_ARG, "%s and %s overlap",
                                         psg_field_name(plan, u_of_f ? d : c),
                                         psg_field_name(plan, u_of_f ? c : d));
            }
        }
    }
    return PSG_OK;
}

/* Where all are on GPUs their streams order the solves. @return do a field of one solve and one of
 * another overlap? */
static bool overlap_fields(const psg_plan *plan, const psg_arrays *a, int c, const psg_arrays *b,
                           int d) {
    bool found = false;
    for (size_t m = 0; a->field[c] != NULL && m < a->count; m++) {
        for (size_t o = 0; b->field[d] != NULL && o < b->count && !found; o++) {
            const psg_array *f[2] = {a->field[PSG_FIELD_F], b->field[PSG_FIELD_F]};
            const bool streams = f[0] != NULL && f[0][m].device != PSG_HOST && f[1] != NULL &&
                                 f[1][o].device != PSG_HOST && a->field[c][m].device != PSG_HOST &&
                                 b->field[d][o].device != PSG_HOST;
            found = !streams && overlap(extent_of(plan, a, c, m), extent_of(plan, b, d, o));
        }
    }
    return found;
}

/* Only f and epsilon may be those of several solves: nobody writes them. */
psg_status psg_array_check_pending(const psg_plan *plan, const psg_arrays *arrays) {
    for (const psg_pending *pending = plan->pending.oldest; pending != NULL;
         pending = pending->next) {
        for (int m = PSG_FIELDS * PSG_FIELDS - 1; m >= 0; m--) {
            const int own = m / PSG_FIELDS;
            const int other = m % PSG_FIELDS;
            const bool written = !is_read(arrays, own) || !is_read(pending->arrays, other);
            if (written && overlap_fields(plan, arrays, own, pending->arrays, other)) {
                return psg_fail(
                    PSG_ERR_ARG,
                    "%s overlaps an array of a solve in flight: psg_wait() for it first",
                    psg_field_name(plan, own));
            }
        }
    }
    return PSG_OK;
}

/* Each GPU that has a part of the grid has one array of each field. */
static psg_status check_parts(const psg_plan *plan, const psg_arrays *arrays) {
    const psg_array *f = arrays->field[PSG_FIELD_F];
    size_t segments = 0;
    for (size_t m = 0; m < arrays->count; m++) {
        segments += psg_range_count(psg_array_parts(&arrays->parts, f[m].device));
        for (int c = PSG_FIELD_U; c < PSG_FIELDS; c++) {
            const psg_array *field = arrays->field[c];
            if (field != NULL && field[m].device != f[m].device) {
                return psg_fail(PSG_ERR_ARG, "f[%zu] is on GPU %d, and %s[%zu] on GPU %d", m,
                                f[m].device, psg_field_name(plan, c), m, field[m].device);
            }
        }
        for (size_t o = 0; o < m; o++) {
            if (f[o].device == f[m].device) {
                return psg_fail(PSG_ERR_ARG, "f[%zu] and f[%zu] are both on GPU %d", o, m,
                                f[m].device);
            }
        }
    }
    return segments == psg_range_count(plan->context.layout.segments.own)
               ? PSG_OK
               : psg_fail(PSG_ERR_ARG,
                          "the plan has planes that are no GPU's: give one array of all of them");
}

psg_status psg_array_check_count(const psg_plan *plan, size_t count) {
    return count == 1 || (count > 1 && count == plan->workers.gpu_count)
               ? PSG_OK
               : psg_fail(PSG_ERR_ARG,
                          "%zu arrays: one of all planes, or one for each of the plan's %zu GPUs",
                          count, plan->workers.gpu_count);
}

static bool has_gradient(const psg_arrays *arrays) {
    bool any = false;
    for (int d = 0; d < 3; d++) {
        any = any || arrays->field[PSG_FIELD_GRADIENT + d] != NULL;
    }
    return any;
}

psg_status psg_array_check(const psg_plan *plan, psg_arrays *arrays) {
    psg_status status = PSG_OK;
    arrays->in_place = arrays->field[PSG_FIELD_FLOW] != NULL && !has_gradient(arrays);
    for (int c = PSG_FIELD_F_MODES; c < PSG_FIELDS && status == PSG_OK; c++) {
        if (arrays->field[c] != NULL) {
            status = check_modes(plan, arrays->field[c], psg_field_name(plan, c));
        }
    }
    if (!has_points(plan)) {
        arrays->count = 0; /* this process has none, and its pointers mean nothing */
        return status;
    }
    for (size_t m = 0; m < arrays->count && status == PSG_OK; m++) {
        for (int c = 0; c < PSG_FIELD_F_MODES && status == PSG_OK; c++) {
            if (arrays->field[c] != NULL) {
                status = check_array(&arrays->field[c][m], psg_field_name(plan, c), plan, arrays);
            }
        }
    }
    if (status == PSG_OK && arrays->count > 1) {
        status = check_parts(plan, arrays);
    }
    return status == PSG_OK ? check_overlap(plan, arrays) : status;
}
