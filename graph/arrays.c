/* The caller's f and u as StarPU data, slab by slab. */
#include "graph/arrays.h"
#include "base/tuning.h"
#include "codelets/copy.h"
#include "graph/array_check.h"
#include "graph/block.h"
#include "graph/boxes.h"
#include "graph/plan_struct.h"
#include "graph/start.h"
#include "graph/status.h"
#include "runtime/device.h"

#include <stdlib.h>
#include <string.h>

/* What a solve reads, and may have written by the caller before. */
static const int read_fields[] = {PSG_FIELD_F,     PSG_FIELD_F_MODES,   PSG_FIELD_EPSILON,
                                  PSG_FIELD_FACES, PSG_FIELD_FACES + 1, PSG_FIELD_FACES + 2,
                                  PSG_FIELD_FLOW,  PSG_FIELD_FLOW + 1,  PSG_FIELD_FLOW + 2};
enum { READ = sizeof read_fields / sizeof *read_fields };

static size_t array_bytes(const psg_plan *plan) {
    size_t n[3];
    psg_boxes_extents(plan, n);
    return n[0] * n[1] * n[2] * plan->context.cpu->real_bytes;
}

psg_status psg_plan_pin(psg_plan *plan, const void *array) {
    psg_clear_error();
    if (plan == NULL || (array == NULL && array_bytes(plan) > 0)) {
        return psg_fail(PSG_ERR_ARG, "plan or array is NULL");
    }
    if (plan->workers.gpu_count == 0 || array_bytes(plan) == 0) {
        return PSG_OK;
    }
    for (const psg_pinned *p = plan->held.pinned; p != NULL; p = p->next) {
        if (p->array == array) {
            return PSG_OK;
        }
    }
    void *memory = (void *)(uintptr_t)array; /* its pages are locked, not written */
    psg_status status = psg_array_check_host(plan, memory);
    if (status != PSG_OK) {
        return status;
    }
    psg_pinned *pinned = malloc(sizeof *pinned);
    bool already = false;
    if (pinned == NULL || !psg_devices->pin(memory, array_bytes(plan), &already)) {
        free(pinned);
        if (already) { /* by somebody who will undo it */
            return PSG_OK;
        }
        return psg_fail(PSG_ERR_MEMORY, "%zu bytes could not be page-locked", array_bytes(plan));
    }
    *pinned = (psg_pinned){.next = plan->held.pinned, .array = memory};
    plan->held.pinned = pinned;
    return PSG_OK;
}

void psg_plan_unpin(psg_plan *plan, const void *array) {
    if (plan == NULL) {
        return;
    }
    for (psg_pinned **at = &plan->held.pinned; *at != NULL;) {
        psg_pinned *pinned = *at;
        if (array != NULL && pinned->array != array) {
            at = &pinned->next;
            continue;
        }
        *at = pinned->next;
        psg_devices->unpin(pinned->array);
        free(pinned);
    }
}

static size_t count_slabs(const psg_arrays *arrays, int field) {
    return field >= PSG_FIELD_F_MODES ? arrays->sheets : psg_range_count(arrays->parts.own);
}

size_t psg_arrays_right_hand_sides(const psg_plan *plan, const psg_arrays *arrays) {
    return arrays->parts.part[arrays->parts.count - 1].box.hi[2] / plan->context.layout.n[2];
}

/* The array of a field that has a part, and the first of the array's parts. */
static const psg_array *array_of(const psg_arrays *arrays, int field, size_t s, size_t *first) {
    for (size_t m = 0; arrays->count > 1 && m < arrays->count; m++) {
        const psg_array *array = &arrays->field[field][m];
        const psg_range parts = psg_array_parts(&arrays->parts, array->device);
        if (psg_range_has(parts, s)) {
            *first = parts.first;
            return array;
        }
    }
    *first = arrays->parts.own.first;
    return arrays->field[field];
}

/* What is behind a slab. */
typedef struct slab_place {
    const psg_array *array; /* NULL: it has memory of its own, see psg_block_make() */
    size_t before;          /* planes of the array before it */
    size_t planes;
    int worker; /* that has its tasks; -1: any */
} slab_place;

static slab_place place_of(const psg_arrays *arrays, int field, size_t k) {
    const size_t s = arrays->parts.own.first + k;
    const psg_part *part = &arrays->parts.part[s];
    slab_place place = {.planes = psg_box_length(&part->box, 2), .worker = part->worker};
    if (arrays->count > 0 && !arrays->boxed) {
        size_t first = 0;
        place.array = array_of(arrays, field, s, &first);
        place.before = part->box.lo[2] - arrays->parts.part[first].box.lo[2];
    }
    return place;
}

/* Where a slab of f or u is at home. */
static int node_of(const psg_plan *plan, const psg_arrays *arrays, int field, size_t k) {
    const bool modes = field == PSG_FIELD_F_MODES || field == PSG_FIELD_U_MODES;
    const psg_array *a = modes ? arrays->field[field] : place_of(arrays, field, k).array;
    return a == NULL ? STARPU_MAIN_RAM : psg_array_node(plan, a->device);
}

/* @return false: no memory */
static bool register_slabs(const psg_plan *plan, psg_arrays *arrays, int field) {
    const psg_context *c = &plan->context;
    const size_t *n = c->layout.n;
    bool all = true;
    for (size_t k = 0; k < count_slabs(arrays, field) && all; k++) {
        const slab_place at = place_of(arrays, field, k);
        const psg_array *a = at.array;
        const size_t block[3] = {n[0], n[1], at.planes};
        starpu_data_handle_t *slab = &arrays->slabs[field][k];
        if (a != NULL) {
            const size_t plane = (size_t)a->stride[2];
            psg_block_register_rows(slab, psg_array_node(plan, a->device),
                                    (char *)a->data + at.before * plane * c->cpu->real_bytes, block,
                                    (size_t)a->stride[1], plane, c->cpu->real_bytes);
        } else {
            all = psg_block_make(slab, &plan->workers, block, c->cpu->real_bytes);
        }
        if (all) {
            starpu_data_set_coordinates(*slab, 1, (int)(arrays->parts.own.first + k));
        }
    }
    return all;
}

static void register_modes(const psg_plan *plan, psg_arrays *arrays, int field) {
    const psg_layout *l = &plan->context.layout;
    const size_t pitch = l->nxc * psg_parts_length(&l->sheets, l->sheets.own, 1);
    const size_t element = 2 * plan->context.cpu->real_bytes;
    const int node = node_of(plan, arrays, field, 0);
    char *memory = arrays->field[field]->data;
    for (size_t k = 0; k < arrays->sheets; k++) {
        const size_t p = l->sheets.own.first + k;
        const size_t n[3] = {l->nxc, psg_layout_rows(l, p), l->n[2]};
        psg_block_register(&arrays->slabs[field][k], node, memory, n, pitch, element);
        starpu_data_set_coordinates(arrays->slabs[field][k], 1, (int)p);
        memory += n[0] * n[1] * element;
    }
}

/* Rows of edges are as long as those that go between processes. */
static bool register_edges(const psg_plan *plan, psg_arrays *arrays) {
    const psg_context *c = &plan->context;
    const size_t n[3] = {2 * c->layout.nxc, c->layout.n[1], 1};
    const bool flow = arrays->slabs[PSG_FIELD_FLOW] != NULL;
    const bool needs[PSG_EDGES] = {arrays->slabs[PSG_FIELD_GRADIENT + 2] != NULL || flow, flow};
    bool all = true;
    for (int m = 0; m < 2 * PSG_EDGES && plan->processes.ranks > 1 && all; m++) {
        all = !needs[m / 2] ||
              psg_block_make(&arrays->edge[m / 2][m % 2], &plan->workers, n, c->cpu->real_bytes);
    }
    return all;
}

static void touch(starpu_data_handle_t slab, int node, enum starpu_data_access_mode mode) {
    if (starpu_data_acquire_on_node(slab, node, mode) == 0) {
        starpu_data_release_on_node(slab, node);
    }
}

static psg_status register_fields(const psg_plan *plan, psg_arrays *arrays) {
    enum { TASKS = 4 }; /* of a solve, for each segment and each sheet */
    const psg_layout *l = &plan->context.layout;
    bool all = true;
    const psg_status room = psg_room_check(
        "a solve",
        (double)(PSG_FIELDS * (count_slabs(arrays, 0) + arrays->sheets)) * TUNING_HANDLE_BYTES +
            (double)(TASKS * (l->segments.count + l->sheets.count)) * TUNING_TASK_BYTES);
    if (room != PSG_OK) {
        return room;
    }
    for (int m = 0; m < PSG_FIELDS && all; m++) {
        if (arrays->slabs[m] != NULL && m >= PSG_FIELD_F_MODES) {
            register_modes(plan, arrays, m);
        } else {
            all = arrays->slabs[m] == NULL || register_slabs(plan, arrays, m);
        }
    }
    all =
        all && register_edges(plan, arrays) && (!arrays->boxed || psg_boxes_register(plan, arrays));
    return all ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY, "no memory for slabs of %zu x %zu points in a plane",
                          plan->context.layout.n[0], plan->context.layout.n[1]);
}

void psg_arrays_destroy(psg_arrays *arrays) {
    if (arrays == NULL) {
        return;
    }
    for (int m = 0; m < PSG_FIELDS; m++) {
        psg_block_unregister(arrays->slabs[m], count_slabs(arrays, m));
        free(arrays->field[m]);
        free(arrays->slabs[m]);
    }
    psg_block_unregister(arrays->edge[0], (size_t)2 * PSG_EDGES);
    psg_boxes_unregister(arrays);
    free(arrays->parts.part);
    free(arrays->given);
    free(arrays);
}

/* The arrays as the caller gave them, without handles.
 * @param[in] given  by field, [count] each; NULL: there is no such field
 * @return NULL: no memory */
static psg_arrays *note_arrays(const psg_plan *plan, size_t count,
                               const psg_array *const given[PSG_FIELDS], const psg_parts *parts) {
    psg_arrays *arrays = calloc(1, sizeof *arrays);
    if (arrays == NULL) {
        return NULL;
    }
    arrays->count = count;
    arrays->boxed = plan->boxes.box != NULL && count > 0;
    arrays->sheets = psg_range_count(plan->context.layout.sheets.own);
    arrays->given = calloc(PSG_FIELDS * count + 1, sizeof *arrays->given);
    arrays->parts = *parts;
    arrays->parts.part = malloc(parts->count * sizeof *parts->part);
    bool good = arrays->given != NULL && arrays->parts.part != NULL;
    if (good) {
        memcpy(arrays->parts.part, parts->part, parts->count * sizeof *parts->part);
    }
    for (int m = 0; m < PSG_FIELDS && good; m++) {
        if (given[m] == NULL && (m >= PSG_FIELD_GRADIENT || count > 0)) {
            continue;
        }
        arrays->field[m] = calloc(count + 1, sizeof *arrays->field[m]);
        arrays->slabs[m] = calloc(count_slabs(arrays, m) + 1, sizeof(starpu_data_handle_t));
        good = arrays->field[m] != NULL && arrays->slabs[m] != NULL;
        for (size_t k = 0; k < count && good; k++) {
            arrays->field[m][k] = given[m][k];
            arrays->field[m][k].stream = NULL;
            arrays->given[(size_t)m * count + k] = arrays->field[m][k];
        }
    }
    if (!good) {
        psg_arrays_destroy(arrays);
        return NULL;
    }
    return arrays;
}

static bool is_given(const psg_array *given, const psg_array *array) {
    return given->data == array->data && given->device == array->device &&
           given->stride[0] == array->stride[0] && given->stride[1] == array->stride[1] &&
           given->stride[2] == array->stride[2];
}

static bool are_same(const psg_parts *a, const psg_parts *b) {
    return a->count == b->count && a->part[0].box.hi[2] == b->part[0].box.hi[2] &&
           a->part[a->count - 1].box.hi[2] == b->part[b->count - 1].box.hi[2];
}

static bool are_given(const psg_arrays *arrays, size_t count,
                      const psg_array *const given[PSG_FIELDS], const psg_parts *parts) {
    bool all = arrays->count == count && are_same(&arrays->parts, parts);
    for (int m = 0; m < PSG_FIELDS && all; m++) {
        all = (given[m] != NULL) == (arrays->field[m] != NULL);
        for (size_t k = 0; k < count && given[m] != NULL && all; k++) {
            all = is_given(&arrays->given[(size_t)m * count + k], &given[m][k]);
        }
    }
    return all;
}

/* Modes on a GPU do not: tasks of StarPU's have them, and no chain. */
static bool all_stay(const psg_plan *plan, const psg_arrays *arrays) {
    bool all = arrays->count > 0;
    for (int m = PSG_FIELD_F_MODES; m < PSG_FIELDS; m++) {
        all = all && (arrays->field[m] == NULL || arrays->field[m]->device == PSG_HOST);
    }
    for (size_t k = 0; k < count_slabs(arrays, PSG_FIELD_F) && all; k++) {
        const int worker = place_of(arrays, PSG_FIELD_F, k).worker;
        all = worker >= 0;
        for (int m = 0; m < PSG_FIELDS && all; m++) {
            all = arrays->field[m] == NULL ||
                  node_of(plan, arrays, m, k) == psg_placement_node(worker);
        }
    }
    return all;
}

/* A GPU gets memory for its slabs here, and where the policy chooses the GPU of a task each GPU for
 * all slabs, if it has room for them twice. Else StarPU would allocate it in the first solves, slab
 * by slab, and that takes longer than a task. Nothing has a value yet. */
static void make_room(const psg_plan *plan, const psg_arrays *arrays) {
    const psg_workers *w = &plan->workers;
    const psg_part *part = &arrays->parts.part[arrays->parts.own.first];
    const size_t guests = plan->route.placement->guests > 0 ? w->gpu_count : 0;
    const double share = guests > 0 ? 1 : 1.0 / (double)(w->gpu_count > 0 ? w->gpu_count : 1);
    if ((double)psg_placement_room_now(plan) < 2 * 2 * share * (double)array_bytes(plan)) {
        return;
    }
    psg_runtime_awake();
    for (int m = PSG_FIELD_F; m <= PSG_FIELD_U; m++) {
        for (size_t k = 0; k < count_slabs(arrays, m); k++) {
            for (size_t g = 0; g < guests; g++) {
                touch(arrays->slabs[m][k], psg_placement_node(w->gpus[g]), STARPU_W);
            }
            if (part[k].home >= 0) {
                touch(arrays->slabs[m][k], psg_placement_node(part[k].home), STARPU_W);
            }
        }
    }
    psg_runtime_rest();
}

psg_status psg_arrays_create_slabs(const psg_plan *plan, psg_arrays **arrays) {
    static const psg_array *const none[PSG_FIELDS];
    *arrays = note_arrays(plan, 0, none, &plan->context.layout.segments);
    if (*arrays == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the slabs' handles");
    }
    (*arrays)->stays = true;
    const psg_status status = register_fields(plan, *arrays);
    if (status == PSG_OK) {
        make_room(plan, *arrays);
    } else {
        psg_arrays_destroy(*arrays);
        *arrays = NULL;
    }
    return status;
}

/* FFTW's plans are for addresses and pitches. */
static bool prepare_transforms(const psg_plan *plan, const psg_arrays *arrays) {
    const psg_context *c = &plan->context;
    const size_t fields = PSG_FIELD_GRADIENT + (c->waves->along[0] != NULL ? 3 : 0);
    bool prepared = true;
    for (size_t m = 0; m < fields * arrays->count && !arrays->boxed && prepared && c->fft != NULL;
         m++) {
        const psg_array *field = arrays->field[m % fields];
        const psg_array *a = field != NULL ? &field[m / fields] : NULL;
        prepared = a == NULL || a->device != PSG_HOST ||
                   c->cpu->fft_prepare(c->fft, a->data, (size_t)a->stride[1], (size_t)a->stride[2]);
    }
    return prepared;
}

static psg_status make_arrays(psg_plan *plan, size_t count,
                              const psg_array *const given[PSG_FIELDS], const psg_parts *parts,
                              psg_arrays **result) {
    psg_arrays *arrays = note_arrays(plan, count, given, parts);
    if (arrays == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the handles of f and u");
    }
    psg_status status = psg_array_check(plan, arrays);
    if (status == PSG_OK && !prepare_transforms(plan, arrays)) {
        status = psg_fail(PSG_ERR_RUNTIME, "%s found no plan for arrays at these addresses",
                          psg_cpu_fftw_name());
    }
    if (status == PSG_OK) {
        arrays->stays = all_stay(plan, arrays);
        arrays->brought = plan->workers.copies && !arrays->stays;
        status = register_fields(plan, arrays);
    }
    if (status != PSG_OK) {
        psg_arrays_destroy(arrays);
        return status;
    }
    arrays->number = ++plan->held.arrays_made; /* the slabs have 0 */
    *result = arrays;
    return PSG_OK;
}

void psg_arrays_free(psg_held_arrays *held) {
    while (held->arrays != NULL) {
        psg_arrays *next = held->arrays->next;
        psg_arrays_destroy(held->arrays);
        held->arrays = next;
    }
    psg_arrays_destroy(held->slabs);
}

/* The plan keeps the handles of some idle arrays for later solves. Of arrays with copies on GPUs it
 * keeps one, because the copies fill memory there. */
static void make_place(psg_plan *plan) {
    size_t idle = 0;
    bool brought = false;
    for (psg_arrays **at = &plan->held.arrays; *at != NULL;) {
        psg_arrays *arrays = *at;
        const bool old =
            !arrays->busy && (idle >= TUNING_ARRAYS_KEPT || (brought && !arrays->stays));
        idle += !arrays->busy;
        brought = brought || (!arrays->busy && !arrays->stays);
        if (old) {
            *at = arrays->next;
            psg_arrays_destroy(arrays);
        } else {
            at = &arrays->next;
        }
    }
}

/* StarPU brings a field home, for the caller to read (STARPU_R); or takes what it has elsewhere to
 * be stale, as the caller has written the field (STARPU_W). */
static void bring_home(const psg_plan *plan, const psg_arrays *arrays, int field,
                       enum starpu_data_access_mode mode) {
    for (size_t k = 0; arrays->slabs[field] != NULL && k < count_slabs(arrays, field); k++) {
        touch(arrays->slabs[field][k], node_of(plan, arrays, field, k), mode);
    }
}

psg_status psg_arrays_take(psg_plan *plan, size_t count, const psg_array *const given[PSG_FIELDS],
                           const psg_parts *parts, bool reads_u, psg_arrays **result) {
    psg_arrays *arrays = NULL;
    for (psg_arrays **at = &plan->held.arrays; *at != NULL && arrays == NULL;) {
        if (!(*at)->busy && are_given(*at, count, given, parts)) {
            arrays = *at;
            *at = arrays->next;
        } else {
            at = &(*at)->next;
        }
    }
    if (arrays != NULL && psg_array_check(plan, arrays) != PSG_OK) {
        psg_clear_error();
        psg_arrays_destroy(arrays); /* freed since, and perhaps other memory stands there */
        arrays = NULL;
    }
    psg_status status = arrays != NULL ? PSG_OK : make_arrays(plan, count, given, parts, &arrays);
    if (arrays == NULL) {
        return status;
    }
    arrays->next = plan->held.arrays;
    plan->held.arrays = arrays;
    status = status == PSG_OK ? psg_array_check_pending(plan, arrays) : status;
    if (status != PSG_OK) {
        return status;
    }
    arrays->busy = true;
    make_place(plan);
    if (count > 0 && !psg_arrays_in_memory(arrays) && !plan->held.awake) {
        plan->held.awake = true;
        psg_runtime_awake(); /* to wake for each solve would take longer than a small one */
    }
    if (arrays->looked_at || arrays->brought) {
        for (size_t m = 0; m < READ; m++) {
            bring_home(plan, arrays, read_fields[m], STARPU_W);
        }
        if (reads_u) {
            bring_home(plan, arrays, PSG_FIELD_U, STARPU_W);
        }
    }
    arrays->looked_at = false;
    *result = arrays;
    return PSG_OK;
}

/* Is the address in an array? Then it is the beginning of one of its slabs. */
static bool in_array(const psg_plan *plan, const psg_arrays *arrays, int field, const void *address,
                     psg_copy *copy) {
    const psg_context *c = &plan->context;
    for (size_t k = 0; k < count_slabs(arrays, field) && arrays->count > 0 && !arrays->boxed; k++) {
        const slab_place at = place_of(arrays, field, k);
        const size_t plane = (size_t)at.array->stride[2] * c->cpu->real_bytes;
        const char *slab = (const char *)at.array->data + at.before * plane;
        if ((const char *)address >= slab && (const char *)address < slab + at.planes * plane) {
            copy->segment = arrays->parts.own.first + k;
            return true;
        }
    }
    return false;
}

bool psg_arrays_find(const psg_plan *plan, const psg_arrays *arrays, const void *address,
                     psg_copy *copy) {
    static const char letter[] = "fugggeeeevvv";
    for (int m = 0; m < PSG_FIELD_F_MODES; m++) {
        if (arrays->field[m] != NULL && in_array(plan, arrays, m, address, copy)) {
            copy->data = letter[m];
            return true;
        }
    }
    return false;
}

/* A GPU's worker that has taken a task waits for its data, and does nothing else meanwhile. While f
 * of one solve came, the tasks of another would wait too, though their data are there. */
void psg_arrays_bring_f(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, size_t s,
                        starpu_data_handle_t room) {
    const int home = psg_placement_node(arrays->parts.part[s].home);
    const size_t k = s - arrays->parts.own.first;
    const bool flow = arrays->slabs[PSG_FIELD_FLOW] != NULL;
    for (int d = 0; d < (flow ? 3 : 1); d++) {
        const int field = flow ? PSG_FIELD_FLOW + d : PSG_FIELD_F;
        if (plan->placement.ahead && !arrays->stays && node_of(plan, arrays, field, k) != home) {
            psg_task_fetch(run, home, arrays->slabs[field][k], room);
        }
    }
}

bool psg_arrays_there(const psg_arrays *arrays) {
    const psg_range own = arrays->parts.own;
    int valid = 1;
    int room = 1;
    for (size_t s = own.first; s < own.end && valid; s++) {
        const int node = psg_placement_node(arrays->parts.part[s].worker);
        for (size_t m = 0; m < READ && valid; m++) {
            if (arrays->slabs[read_fields[m]] != NULL) {
                starpu_data_query_status(arrays->slabs[read_fields[m]][s - own.first], node, NULL,
                                         &valid, NULL);
            }
        }
        for (int m = PSG_FIELD_U; m < PSG_FIELDS && room; m++) {
            if (arrays->slabs[m] != NULL) {
                starpu_data_query_status(arrays->slabs[m][s - own.first], node, &room, NULL, NULL);
            }
        }
    }
    return valid && room;
}

void psg_arrays_bring(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, int field,
                      size_t s) {
    const bool modes = field >= PSG_FIELD_F_MODES;
    if (arrays->brought && arrays->slabs[field] != NULL) {
        const psg_range own = modes ? plan->context.layout.sheets.own : arrays->parts.own;
        const size_t k = s - own.first;
        psg_task_fetch(run, node_of(plan, arrays, field, k), arrays->slabs[field][k], NULL);
    }
}

void psg_arrays_give_back(const psg_plan *plan, psg_arrays *arrays) {
    for (int m = PSG_FIELD_U; m < PSG_FIELDS && arrays->brought; m++) {
        bring_home(plan, arrays, m, STARPU_R);
    }
    arrays->busy = false;
}

void psg_arrays_settle(psg_arrays *arrays) {
    const bool due = ++arrays->solves % TUNING_SOLVES_SETTLED == 0;
    for (size_t m = 0; m < READ && due; m++) {
        if (arrays->slabs[read_fields[m]] != NULL) {
            psg_data_settle(arrays->slabs[read_fields[m]], count_slabs(arrays, read_fields[m]));
        }
    }
}

bool psg_arrays_in_memory(const psg_arrays *arrays) {
    bool all = arrays->count > 0;
    for (size_t m = 0; m < arrays->count && all; m++) {
        for (int field = PSG_FIELD_F; field < PSG_FIELDS; field++) {
            const bool either = field <= PSG_FIELD_U || field >= PSG_FIELD_F_MODES;
            const psg_array *array = either ? arrays->field[field] : NULL;
            all = all && (array == NULL || array[m].device == PSG_HOST);
        }
    }
    return all;
}

double psg_arrays_copied(const psg_plan *plan, const psg_arrays *arrays, const psg_history *solve) {
    const psg_context *c = &plan->context;
    const double plane = (double)(c->layout.n[0] * c->layout.n[1] * c->cpu->real_bytes);
    const bool may = arrays->count > 0 && arrays->brought && arrays->slabs[PSG_FIELD_FLOW] == NULL;
    const size_t first = arrays->parts.own.first;
    const size_t piece = psg_box_length(&arrays->parts.part[0].box, 2);
    double bytes = 0;
    for (size_t m = 0; may && m < solve->events.count; m++) {
        const psg_run_event *event = &solve->events.event[m];
        const int kind = event->label.kind;
        const bool pcg = psg_arrays_epsilon(arrays); /* transforms have slabs then */
        const bool whole = kind == PSG_TASK_WHOLE;
        const bool reads_f = pcg ? kind == PSG_TASK_PCG_START
                                 : kind == PSG_TASK_FORWARD_XY || kind == PSG_TASK_FFT_XY;
        const bool writes_u = pcg ? kind == PSG_TASK_PCG_END
                                  : kind == PSG_TASK_INVERSE_XY || kind == PSG_TASK_IFFT_XY;
        const size_t index = event->label.index[PSG_AXIS_SEGMENT];
        for (int field = PSG_FIELD_F; field <= PSG_FIELD_U && event->worker >= 0; field++) {
            if (whole || (field == PSG_FIELD_F ? reads_f : writes_u)) {
                const size_t k = whole ? index * c->layout.n[2] / piece : index - first;
                const bool away =
                    node_of(plan, arrays, field, k) != psg_placement_node(event->worker);
                bytes += away ? plane * (double)place_of(arrays, field, k).planes : 0;
            }
        }
    }
    return bytes;
}
