/* The slabs of f and u as StarPU data, for tasks and for programs that keep data where they are
 * computed. */
#include "codelets/copy.h"
#include "graph/array_check.h"
#include "graph/arrays.h"
#include "graph/block.h"
#include "graph/plan_struct.h"
#include "graph/psg_starpu.h"
#include "graph/start.h"
#include "graph/status.h"
#include "runtime/simulation.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static psg_status need_slabs(psg_plan *plan) {
    if (plan->held.slabs != NULL) {
        return PSG_OK;
    }
    const psg_status status = psg_arrays_create_slabs(plan, &plan->held.slabs);
    if (status == PSG_OK && !plan->held.awake) {
        plan->held.awake = true;
        psg_runtime_awake(); /* for the caller's tasks on them */
    }
    return status;
}

psg_status psg_plan_slab_handles(psg_plan *plan, struct _starpu_data_state **f,
                                 struct _starpu_data_state **u, size_t *z0) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    const psg_status status = f != NULL || u != NULL ? need_slabs(plan) : PSG_OK;
    if (status != PSG_OK) {
        return status;
    }
    const psg_range own = plan->context.layout.segments.own;
    const size_t segments = own.end - own.first;
    if (f != NULL) {
        memcpy(f, plan->held.slabs->slabs[PSG_FIELD_F], segments * sizeof *f);
    }
    if (u != NULL) {
        memcpy(u, plan->held.slabs->slabs[PSG_FIELD_U], segments * sizeof *u);
    }
    if (z0 != NULL) {
        (void)psg_plan_local_extent(plan, z0, NULL);
        for (size_t s = 0; s < segments; s++) {
            z0[s + 1] = plan->context.layout.segments.part[own.first + s].box.hi[2];
        }
    }
    return PSG_OK;
}

/* Whose worker copies a slab: that of its home, so that it is copied to and from where that is; of
 * cores any. */
static int copier(const psg_plan *plan, size_t s) {
    const int home = plan->context.layout.segments.part[s].home;
    const size_t core =
        plan->workers.cpu_count > 0 ? plan->workers.gpu_count + s % plan->workers.cpu_count : 0;
    return home >= 0 ? home : plan->workers.usable[core];
}

/* A simulation has nothing to copy: the data are there. */
static void pretend(starpu_data_handle_t slab, int worker, bool put) {
    const int node = psg_placement_node(worker);
    if (starpu_data_acquire_on_node(slab, node, put ? STARPU_W : STARPU_R) == 0) {
        starpu_data_release_on_node(slab, node);
    }
}

/* Between an array of the caller's, of which only one direction is written, and slabs. */
static psg_status copy(const psg_plan *plan, const starpu_data_handle_t *slabs, char *array,
                       bool put) {
    const psg_context *c = &plan->context;
    const size_t plane = c->layout.n[0] * c->layout.n[1] * c->cpu->real_bytes;
    const psg_range own = c->layout.segments.own;
    const size_t segments = own.end - own.first;
    psg_slab_copy *copies = calloc(segments + 1, sizeof *copies);
    struct starpu_task **tasks = calloc(segments + 1, sizeof(struct starpu_task *));
    if (copies == NULL || tasks == NULL) {
        free(tasks);
        free(copies);
        return psg_fail(PSG_ERR_MEMORY, "no memory for the copies of %zu slabs", segments);
    }
    bool failed = false;
    for (size_t s = 0; s < segments && !failed; s++) {
        const size_t planes = psg_layout_planes(&c->layout, own.first + s);
        const int worker = copier(plan, own.first + s);
        copies[s] = (psg_slab_copy){.array = array, .bytes = planes * plane, .put = put};
        array += planes * plane;
        if (psg_platform->computes) {
            tasks[s] = psg_task_copy(slabs[s], worker, &copies[s]);
            failed = tasks[s] == NULL;
        } else {
            pretend(slabs[s], worker, put);
        }
    }
    for (size_t s = 0; s < segments; s++) {
        if (tasks[s] != NULL) {
            failed = starpu_task_wait(tasks[s]) != 0 || copies[s].failed || failed;
        }
    }
    free(tasks);
    free(copies);
    return failed ? psg_fail(PSG_ERR_RUNTIME, "the slabs could not be copied") : PSG_OK;
}

static psg_status check(const psg_plan *plan, const void *array) {
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    const bool none =
        plan->context.layout.segments.own.first == plan->context.layout.segments.own.end;
    const size_t align = plan->context.cpu->real_bytes;
    if (array == NULL && !none) {
        return psg_fail(PSG_ERR_ARG, "the array is NULL");
    }
    if (!none && (uintptr_t)array % align != 0) {
        return psg_fail(PSG_ERR_ARG, "the array is not aligned for a number of %zu bytes", align);
    }
    return psg_array_check_host(plan, array);
}

psg_status psg_slabs_put(psg_plan *plan, const void *f) {
    psg_clear_error();
    psg_status status = check(plan, f);
    if (status == PSG_OK) {
        status = need_slabs(plan);
    }
    return status == PSG_OK
               ? copy(plan, plan->held.slabs->slabs[PSG_FIELD_F], (char *)(uintptr_t)f, true)
               : status;
}

psg_status psg_slabs_get(psg_plan *plan, void *u) {
    psg_clear_error();
    psg_status status = check(plan, u);
    if (status == PSG_OK && (plan->held.slabs == NULL || !plan->held.slabs_solved)) {
        status = psg_fail(PSG_ERR_STATE,
                          "there is no u: no solve came before, or the latest one failed");
    }
    return status == PSG_OK ? copy(plan, plan->held.slabs->slabs[PSG_FIELD_U], u, false) : status;
}
