/* The caller's f and u as StarPU data, slab by slab. */
#include "graph/internal.h"
#include "runtime/device.h"

#include <stdlib.h>

static size_t array_bytes(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    return c->layout.n[0] * c->layout.n[1] *
           (c->layout.z0[c->layout.own_segments.end] - c->layout.z0[c->layout.own_segments.first]) *
           c->cpu->real_bytes;
}

psg_status psg_plan_pin(psg_plan *plan, const void *array) {
    psg_clear_error();
    if (plan == NULL || (array == NULL && array_bytes(plan) > 0)) {
        return psg_fail(PSG_ERR_ARG, "plan or array is NULL");
    }
    if (plan->workers.gpu_count == 0 || array_bytes(plan) == 0) {
        return PSG_OK;
    }
    for (const psg_pinned *p = plan->storage.pinned; p != NULL; p = p->next) {
        if (p->array == array) {
            return PSG_OK;
        }
    }
    psg_pinned *pinned = malloc(sizeof *pinned);
    void *memory = (void *)(uintptr_t)array; /* its pages are locked, not written */
    bool already = false;
    if (pinned == NULL || !psg_device_pin(memory, array_bytes(plan), &already)) {
        free(pinned);
        if (already) { /* by somebody who will undo it */
            return PSG_OK;
        }
        return psg_fail(PSG_ERR_MEMORY, "%zu bytes could not be page-locked", array_bytes(plan));
    }
    *pinned = (psg_pinned){.next = plan->storage.pinned, .array = memory};
    plan->storage.pinned = pinned;
    return PSG_OK;
}

void psg_plan_unpin(psg_plan *plan, const void *array) {
    if (plan == NULL) {
        return;
    }
    for (psg_pinned **at = &plan->storage.pinned; *at != NULL;) {
        psg_pinned *pinned = *at;
        if (array != NULL && pinned->array != array) {
            at = &pinned->next;
            continue;
        }
        *at = pinned->next;
        psg_device_unpin(pinned->array);
        free(pinned);
    }
}

static size_t count_slabs(const psg_plan *plan) {
    return psg_range_count(plan->context.layout.own_segments);
}

static void register_slabs(const psg_plan *plan, starpu_data_handle_t *slabs, char *memory) {
    const psg_context *c = &plan->context;
    const size_t plane_bytes = c->layout.n[0] * c->layout.n[1] * c->cpu->real_bytes;
    const size_t *z0 = c->layout.z0 + c->layout.own_segments.first;
    for (size_t s = 0; s < count_slabs(plan); s++) {
        char *slab = memory != NULL ? memory + (z0[s] - z0[0]) * plane_bytes : NULL;
        const size_t n[3] = {c->layout.n[0], c->layout.n[1], z0[s + 1] - z0[s]};
        psg_block_register(&slabs[s], STARPU_MAIN_RAM, slab, n, n[0] * n[1], c->cpu->real_bytes);
        starpu_data_set_coordinates(slabs[s], 1, (int)(c->layout.own_segments.first + s));
    }
}

static psg_arrays *create_arrays(const psg_plan *plan, const void *f, void *u) {
    const size_t segments = count_slabs(plan);
    psg_arrays *arrays = calloc(1, sizeof *arrays);
    if (arrays == NULL) {
        return NULL;
    }
    arrays->f_slabs = calloc(segments + 1, sizeof(starpu_data_handle_t));
    arrays->u_slabs = calloc(segments + 1, sizeof(starpu_data_handle_t));
    if (arrays->f_slabs == NULL || arrays->u_slabs == NULL) {
        free(arrays->f_slabs);
        free(arrays->u_slabs);
        free(arrays);
        return NULL;
    }
    arrays->f = f;
    arrays->u = u;
    register_slabs(plan, arrays->f_slabs, (char *)(uintptr_t)f); /* tasks only read f */
    register_slabs(plan, arrays->u_slabs, u);
    return arrays;
}

psg_status psg_arrays_create_slabs(const psg_plan *plan, psg_arrays **arrays) {
    *arrays = create_arrays(plan, NULL, NULL);
    return *arrays != NULL ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no memory for the slabs' handles");
}

void psg_arrays_destroy(psg_arrays *arrays, const psg_plan *plan) {
    if (arrays == NULL) {
        return;
    }
    psg_block_unregister(arrays->f_slabs, count_slabs(plan));
    psg_block_unregister(arrays->u_slabs, count_slabs(plan));
    free(arrays->f_slabs);
    free(arrays->u_slabs);
    free(arrays);
}

psg_status psg_arrays_take(psg_plan *plan, const void *f, void *u, psg_arrays **result) {
    psg_arrays **idle = NULL;
    psg_arrays *arrays = NULL;
    for (psg_arrays **at = &plan->storage.arrays; *at != NULL && arrays == NULL;
         at = &(*at)->next) {
        if (!(*at)->busy && (*at)->f == f && (*at)->u == u) {
            arrays = *at;
        } else if (!(*at)->busy) {
            idle = at;
        }
    }
    if (arrays == NULL && idle != NULL) { /* one for other arrays makes room */
        psg_arrays *old = *idle;
        *idle = old->next;
        psg_arrays_destroy(old, plan);
    }
    if (arrays == NULL) {
        arrays = create_arrays(plan, f, u);
        if (arrays == NULL) {
            return psg_fail(PSG_ERR_MEMORY, "no memory for the handles of f and u");
        }
        arrays->number = ++plan->storage.arrays_made; /* the slabs have 0 */
        arrays->next = plan->storage.arrays;
        plan->storage.arrays = arrays;
    }
    arrays->busy = true;
    /* The caller has written f since: copies elsewhere are stale. */
    for (size_t s = 0; plan->workers.copies && s < count_slabs(plan); s++) {
        if (starpu_data_acquire(arrays->f_slabs[s], STARPU_W) == 0) {
            starpu_data_release(arrays->f_slabs[s]);
        }
    }
    *result = arrays;
    return PSG_OK;
}

/* Is the address in an array? Then it is the beginning of one of its slabs. */
static bool in_array(const psg_plan *plan, const void *array, const void *address, psg_copy *copy) {
    const psg_context *c = &plan->context;
    const uintptr_t offset = (uintptr_t)address - (uintptr_t)array;
    if (array == NULL || (uintptr_t)address < (uintptr_t)array || offset >= array_bytes(plan)) {
        return false;
    }
    const size_t z = c->layout.z0[c->layout.own_segments.first] +
                     offset / (c->layout.n[0] * c->layout.n[1] * c->cpu->real_bytes);
    copy->segment = c->layout.own_segments.first;
    while (c->layout.z0[copy->segment + 1] <= z) {
        copy->segment++;
    }
    return true;
}

bool psg_arrays_find(const psg_plan *plan, const psg_arrays *arrays, const void *address,
                     psg_copy *copy) {
    const bool f = in_array(plan, arrays->f, address, copy);
    const bool u = !f && in_array(plan, arrays->u, address, copy);
    copy->data = f ? 'f' : u ? 'u' : copy->data;
    return f || u;
}

/* A GPU's worker that has taken a task waits for its data, and does nothing else meanwhile. While f
 * of one solve came, the tasks of another would wait too, though their data are there. */
void psg_arrays_bring_f(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, size_t s,
                        starpu_data_handle_t room) {
    const int worker = plan->context.layout.segment_worker[s];
    if (plan->placement.ahead && arrays != plan->storage.slabs && worker >= 0) {
        psg_task_fetch(run, psg_placement_node(worker),
                       arrays->f_slabs[s - plan->context.layout.own_segments.first], room);
    }
}

bool psg_arrays_there(const psg_plan *plan, const psg_arrays *arrays) {
    const psg_range own = plan->context.layout.own_segments;
    int valid = 1;
    int room = 1;
    for (size_t s = own.first; s < own.end && valid && room; s++) {
        const int node = psg_placement_node(plan->context.layout.segment_worker[s]);
        starpu_data_query_status(arrays->f_slabs[s - own.first], node, NULL, &valid, NULL);
        starpu_data_query_status(arrays->u_slabs[s - own.first], node, &room, NULL, NULL);
    }
    return valid && room;
}

void psg_arrays_bring_u(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, size_t s) {
    if (plan->workers.copies && arrays != plan->storage.slabs) {
        psg_task_fetch(run, STARPU_MAIN_RAM,
                       arrays->u_slabs[s - plan->context.layout.own_segments.first], NULL);
    }
}

void psg_arrays_give_back(const psg_plan *plan, psg_arrays *arrays) {
    for (size_t s = 0; plan->workers.copies && s < count_slabs(plan); s++) {
        if (starpu_data_acquire(arrays->u_slabs[s], STARPU_R) == 0) {
            starpu_data_release(arrays->u_slabs[s]);
        }
    }
    arrays->busy = false;
}
