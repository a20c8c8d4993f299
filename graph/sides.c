/* Values on the sides that are not 0. Beyond a side the stencil finds a point that the value gives:
 * 2 g - u beside a Dirichlet side of cells, g on a node, u -+ h g or u -+ 2 h g beyond a Neumann
 * side. What of that is not u goes to the right-hand side, at the points next to the side, so
 * tables of numbers to be added to f are all that tasks see of it. At a Robin side the derivative
 * is (g -+ k u)/(1 + k h/2), so g counts as on a Neumann side, over 1 + k h/2. */
#include "graph/sides.h"
#include "graph/array_check.h"
#include "graph/options.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "graph/transform_table.h"
#include "graph/transforms.h"
#include "runtime/device.h"
#include "runtime/simulation.h"

#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Room for the tables of a solve. It is kept for later solves, as page-locked memory takes long to
 * be had. */
struct psg_sides_room {
    struct psg_sides_room *next;
    void *memory;
    size_t bytes;
    bool pinned;
};

static void free_room(psg_sides_room *room) {
    if (room != NULL && room->pinned) {
        psg_devices->host_free(room->memory);
    } else if (room != NULL) {
        free(room->memory);
    }
    free(room);
}

static psg_sides_room *take_room(psg_plan *plan, size_t bytes) {
    for (psg_sides_room **at = &plan->pending.idle_rooms; *at != NULL; at = &(*at)->next) {
        if ((*at)->bytes >= bytes) {
            psg_sides_room *room = *at;
            *at = room->next;
            return room;
        }
    }
    psg_sides_room *room = calloc(1, sizeof *room);
    if (room != NULL) {
        room->pinned = plan->workers.gpu_count > 0;
        room->bytes = bytes;
        room->memory = room->pinned ? psg_devices->host_alloc(bytes) : malloc(bytes);
    }
    if (room != NULL && room->memory == NULL) {
        free(room);
        room = NULL;
    }
    return room;
}

void psg_sides_give_back(psg_plan *plan, psg_sides_room *room) {
    if (room != NULL) {
        room->next = plan->pending.idle_rooms;
        plan->pending.idle_rooms = room;
    }
}

void psg_sides_free(psg_plan *plan) {
    while (plan->pending.idle_rooms != NULL) {
        psg_sides_room *next = plan->pending.idle_rooms->next;
        free_room(plan->pending.idle_rooms);
        plan->pending.idle_rooms = next;
    }
}

/* In the tasks' unit of length squares of h and of 1/h are in the range of f64. */
double psg_sides_weight(const psg_problem *problem, int d, int side, double factor) {
    const psg_axis *axis = &problem->grid.axis[d];
    const double h = ldexp(psg_axis_width(axis, side == 0 ? 0 : axis->n - 1), -problem->unit);
    const bool nodes = axis->points == PSG_POINTS_NODES;
    if (axis->bc[side] == PSG_BC_DIRICHLET) {
        /* the mirror image of the wall in a Neumann side at the only node is another wall */
        const bool twice = !nodes || (axis->n == 1 && axis->bc[1 - side] == PSG_BC_NEUMANN);
        return (twice ? -2 : -1) / (h * h) / ldexp(factor, 2 * problem->unit);
    }
    return psg_axis_robin(axis, side) * (nodes ? 2 : 1) / h * (side == 0 ? 1 : -1) /
           ldexp(factor, problem->unit);
}

/** One side of the part of the grid that this process has. */
typedef struct side_part {
    int axis, side;
    int given;    /* the axis in args */
    int along[2]; /* the two other axes */
    size_t n[2];  /* points along them; 0: this process has no part of the side */
    char name[3]; /* "x0" */
    size_t of;    /* number of the right-hand side; SIZE_MAX: there is one */
} side_part;

static side_part part_of(const psg_plan *plan, int axis, int side) {
    static const int others[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    const psg_layout *l = &plan->context.layout;
    const size_t planes = psg_parts_length(&l->segments, l->segments.own, 2);
    const size_t first = planes > 0 ? l->segments.part[l->segments.own.first].box.lo[2] : 0;
    side_part part = {
        .axis = axis,
        .side = side,
        .given = psg_grid_turn(&plan->problem.grid, axis),
        .name = {psg_grid_letter(&plan->problem.grid, axis), side == 0 ? '0' : '1', '\0'}};
    memcpy(part.along, others[axis], sizeof part.along);
    for (int m = 0; m < 2; m++) {
        part.n[m] = part.along[m] == 2 ? planes : l->n[part.along[m]];
    }
    const bool here = planes > 0 && (side == 0 ? first == 0 : first + planes == l->n[2]);
    if (axis == 2 && !here) {
        part.n[0] = part.n[1] = 0;
    }
    return part;
}

/* An array of values with its strides, that the host can read. */
static psg_status check_array(const psg_plan *plan, const side_part *part, psg_array *a) {
    if (part->n[0] == 0 || part->n[1] == 0) {
        return PSG_OK;
    }
    if (a->data == NULL) {
        return psg_fail(PSG_ERR_ARG, "the values on side %s are NULL", part->name);
    }
    if ((uintptr_t)a->data % plan->context.cpu->real_bytes != 0) {
        return psg_fail(PSG_ERR_ARG,
                        "the values on side %s are not aligned for a number of %zu bytes",
                        part->name, plan->context.cpu->real_bytes);
    }
    psg_device_memory memory;
    if (!psg_array_ask(plan, a, &memory)) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "the values on side %s are not in main memory, or they are freed",
                        part->name);
    }
    if (memory.device >= 0 || a->device >= 0 || a->device < PSG_ASK) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "the values on side %s are on device %d; they have to be in main memory",
                        part->name, memory.device >= 0 ? memory.device : a->device);
    }
    if (a->stride[0] == 0 && a->stride[1] == 0 && a->stride[2] == 0) {
        a->stride[part->along[0]] = 1;
        a->stride[part->along[1]] = (ptrdiff_t)part->n[0];
    }
    return PSG_OK;
}

static psg_status check_side(const psg_plan *plan, const psg_solve_args *args,
                             const side_part *part, psg_array *array) {
    const psg_array *given = args->side[part->given][part->side];
    const double value = args->value[part->given][part->side];
    const psg_bc bc = plan->problem.grid.axis[part->axis].bc[part->side];
    if ((bc == PSG_BC_PERIODIC || bc == PSG_BC_FREE) && (given != NULL || value != 0)) {
        return psg_fail(PSG_ERR_ARG, "there are values on side %s, and the grid is %s along %c",
                        part->name, bc == PSG_BC_FREE ? "free there" : "periodic", part->name[0]);
    }
    if (given == NULL) {
        *array = (psg_array){.device = PSG_HOST};
        return isfinite(value)
                   ? PSG_OK
                   : psg_fail(PSG_ERR_ARG, "the value on side %s is not finite", part->name);
    }
    *array = *given;
    for (int d = 0; d < 3; d++) {
        array->stride[d] = given->stride[psg_grid_turn(&plan->problem.grid, d)];
    }
    return check_array(plan, part, array);
}

static const char *whose(char words[48], const side_part *part) {
    (void)snprintf(words, 48, part->of < SIZE_MAX ? "right-hand side %zu: " : "", part->of);
    return words;
}

/* The numbers to be added to f, of values from `first` on. A value that is a normal number, and
 * adds less than the precision's normal numbers, would lose its digits without a word.
 * @param[out] any  set where one of them is not 0 */
static psg_status fill(const psg_plan *plan, const psg_solve_args *args, const side_part *part,
                       const psg_array *array, ptrdiff_t first, void *table, double *largest,
                       bool *any) {
    const bool f64 = plan->problem.options.precision == PSG_F64;
    const double weight = psg_sides_weight(&plan->problem, part->axis, part->side, args->factor);
    const double most = f64 ? DBL_MAX : (double)FLT_MAX;
    double largest_value = 0;
    double largest_sum = 0;
    char words[48];
    for (size_t q = 0; q < part->n[1]; q++) {
        for (size_t p = 0; p < part->n[0]; p++) {
            const ptrdiff_t at = first + (ptrdiff_t)p * array->stride[part->along[0]] +
                                 (ptrdiff_t)q * array->stride[part->along[1]];
            const double value = array->data == NULL ? args->value[part->given][part->side]
                                 : f64               ? ((const double *)array->data)[at]
                                                     : (double)((const float *)array->data)[at];
            const double sum = weight * value;
            if (!(fabs(sum) <= most)) {
                return psg_fail(PSG_ERR_DATA,
                                "%sthe value %g on side %s at point (%zu, %zu) is not finite, or "
                                "out of the range of the precision",
                                whose(words, part), value, part->name, p, q);
            }
            if (f64) {
                ((double *)table)[q * part->n[0] + p] = sum;
            } else {
                ((float *)table)[q * part->n[0] + p] = (float)sum;
            }
            largest_value = fabs(value) > largest_value ? fabs(value) : largest_value;
            largest_sum = fabs(sum) > largest_sum ? fabs(sum) : largest_sum;
        }
    }
    *largest = fmax(*largest, largest_sum);
    *any = *any || largest_sum != 0;
    if (psg_transforms_has(plan, largest_value) && !psg_transforms_has(plan, largest_sum)) {
        return psg_fail(
            PSG_ERR_DATA,
            "%sthe values on side %s, of which the largest is %g, add %g to f, which is out "
            "of the range of the precision: choose another unit of length, or a factor",
            whose(words, part), part->name, largest_value, largest_sum);
    }
    return PSG_OK;
}

bool psg_sides_given(const psg_solve_args *args) {
    bool any = false;
    for (int m = 0; m < 6; m++) {
        any = any || args->side[m / 2][m % 2] != NULL || args->value[m / 2][m % 2] != 0;
    }
    return any;
}

psg_status psg_sides_take(psg_plan *plan, const psg_solve_args *args, size_t count,
                          psg_sides *sides, double *largest, psg_sides_room **room) {
    const size_t bytes = plan->context.cpu->real_bytes;
    side_part part[6];
    psg_array array[6];
    size_t total = 0, offset = 0;
    *sides = (psg_sides){.apart = args->epsilon != NULL && psg_sides_given(args)};
    *largest = 0;
    if (!psg_sides_given(args)) {
        return PSG_OK;
    }
    for (int m = 0; m < 6; m++) {
        part[m] = part_of(plan, m / 2, m % 2);
        const psg_status status = check_side(plan, args, &part[m], &array[m]);
        if (status != PSG_OK) {
            return status;
        }
        const bool wanted = array[m].data != NULL || args->value[part[m].given][m % 2] != 0;
        part[m].n[1] = wanted ? part[m].n[1] : 0;
        total += part[m].n[0] * part[m].n[1] * bytes;
    }
    if (!psg_platform->computes || total == 0) {
        return PSG_OK;
    }
    *room = take_room(plan, count * total);
    if (*room == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the values on the sides: %zu bytes",
                        count * total);
    }
    sides->step = total;
    const psg_layout *l = &plan->context.layout;
    sides->z0 = l->segments.part[l->segments.own.first].box.lo[2];
    for (int m = 0; m < 6; m++) {
        char *table = (char *)(*room)->memory + offset;
        bool any = false;
        psg_status status = PSG_OK;
        for (size_t r = 0; r < count && status == PSG_OK; r++) {
            const ptrdiff_t first = (ptrdiff_t)r * args->side_step[part[m].given][m % 2];
            part[m].of = count > 1 ? r : SIZE_MAX;
            status = fill(plan, args, &part[m], &array[m], first, table + r * total, largest, &any);
        }
        if (status != PSG_OK) {
            return status;
        }
        if (any && !psg_symbol_along(&plan->problem, m / 2)->faces) {
            return psg_fail(PSG_ERR_UNSUPPORTED,
                            "the values on side %s are not 0: only the symbol fd2 has such sides",
                            part[m].name);
        }
        sides->table[m / 2][m % 2] = any ? table : NULL;
        offset += part[m].n[0] * part[m].n[1] * bytes;
    }
    return PSG_OK;
}
