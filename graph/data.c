/* Handles: the blocks of a spectrum, and the slabs of f and u. */
#include "cpu/buffer.h"
#include "graph/internal.h"

#include <stdlib.h>

/* A block of nx x ny x nz, rows contiguous, planes `pitch` elements apart; without memory (NULL): StarPU
 * finds some wherever it is first written. */
static void register_block(starpu_data_handle_t *handle, void *memory, const size_t n[3],
                           size_t pitch, size_t element_bytes) {
    const int node = memory != NULL ? STARPU_MAIN_RAM : -1;
    starpu_block_data_register(handle, node, (uintptr_t)memory, (uint32_t)n[0], (uint32_t)pitch,
                               (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], element_bytes);
}

/* Nobody looks at these values again: whoever does has acquired them before. */
static void unregister(starpu_data_handle_t *handles, size_t count) {
    for (size_t m = 0; handles != NULL && m < count; m++) {
        if (handles[m] != NULL) {
            starpu_data_unregister_no_coherency(handles[m]);
        }
    }
}

/* ---------------------------------------------------------------------------------- lanes */

/* The memory is the spectrum, [nz][ny][nxc], of which a slab is a run of planes and a block a view; in the
 * staged graph the spectra that are transformed and then the pencils follow. */
static void register_lane(psg_lane *lane, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const size_t element = 2 * c->cpu->real_bytes;
    const size_t plane = c->nxc * c->n[1];
    const size_t spectrum_bytes = plane * c->n[2] * element;
    for (size_t s = 0; s < c->segments; s++) {
        const size_t planes = c->z0[s + 1] - c->z0[s];
        char *slab = (char *)lane->memory + c->z0[s] * plane * element;
        for (size_t p = 0; p < c->pencils; p++) {
            starpu_data_handle_t *block = &lane->blocks[s * c->pencils + p];
            const size_t n[3] = {c->nxc, c->y0[p + 1] - c->y0[p], planes};
            register_block(block, slab + c->y0[p] * c->nxc * element, n, plane, element);
            starpu_data_set_coordinates(*block, 2, (int)s, (int)p);
        }
        if (lane->spectra != NULL) {
            const size_t n[3] = {c->nxc, c->n[1], planes};
            register_block(&lane->spectra[s], slab + spectrum_bytes, n, plane, element);
        }
    }
    for (size_t p = 0; lane->columns != NULL && p < c->pencils; p++) {
        const size_t rows = c->y0[p + 1] - c->y0[p];
        const size_t contiguous[3] = {c->n[2], c->nxc, rows};
        const size_t strided[3] = {c->nxc, rows, c->n[2]};
        const size_t *n = c->z_contiguous ? contiguous : strided;
        char *pencil =
            (char *)lane->memory + 2 * spectrum_bytes + c->y0[p] * c->nxc * c->n[2] * element;
        register_block(&lane->columns[p], pencil, n, n[0] * n[1], element);
    }
}

psg_status psg_lane_create(psg_lane **result, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const bool staged = plan->options.graph == PSG_GRAPH_STAGED;
    const size_t spectrum = c->nxc * c->n[1] * c->n[2] * 2 * c->cpu->real_bytes;
    psg_lane *lane = calloc(1, sizeof *lane);
    *result = NULL;
    if (lane == NULL) {
        goto fail;
    }
    lane->bytes = staged ? 3 * spectrum : spectrum;
    lane->memory = psg_cpu_buffer_alloc(lane->bytes);
    lane->blocks = calloc(c->segments * c->pencils, sizeof(starpu_data_handle_t));
    if (staged) {
        lane->spectra = calloc(c->segments, sizeof(starpu_data_handle_t));
        lane->columns = calloc(c->pencils, sizeof(starpu_data_handle_t));
    }
    if (lane->memory == NULL || lane->blocks == NULL ||
        (staged && (lane->spectra == NULL || lane->columns == NULL))) {
        goto fail;
    }
    register_lane(lane, plan);
    *result = lane;
    return PSG_OK;
fail:
    if (lane != NULL) {
        free(lane->columns);
        free(lane->spectra);
        free(lane->blocks);
        free(lane->memory);
        free(lane);
    }
    return psg_fail(
        PSG_ERR_MEMORY,
        "no memory for the spectrum of %zu x %zu x %zu points: %zu bytes were asked for", c->n[0],
        c->n[1], c->n[2], staged ? 3 * spectrum : spectrum);
}

void psg_lane_destroy(psg_lane *lane, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    if (lane == NULL) {
        return;
    }
    unregister(lane->blocks, c->segments * c->pencils);
    unregister(lane->spectra, c->segments);
    unregister(lane->columns, c->pencils);
    free(lane->columns);
    free(lane->spectra);
    free(lane->blocks);
    free(lane->memory);
    free(lane);
}

/* ------------------------------------------------------------------- slabs of f and of u */

static void register_slabs(const psg_plan *plan, starpu_data_handle_t *slabs, char *memory) {
    const psg_context *c = &plan->context;
    const size_t plane_bytes = c->n[0] * c->n[1] * c->cpu->real_bytes;
    for (size_t s = 0; s < c->segments; s++) {
        char *slab = memory != NULL ? memory + c->z0[s] * plane_bytes : NULL;
        const size_t n[3] = {c->n[0], c->n[1], c->z0[s + 1] - c->z0[s]};
        register_block(&slabs[s], slab, n, n[0] * n[1], c->cpu->real_bytes);
        starpu_data_set_coordinates(slabs[s], 1, (int)s);
    }
}

static psg_arrays *create_arrays(const psg_plan *plan, const void *f, void *u) {
    const size_t segments = plan->context.segments;
    psg_arrays *arrays = calloc(1, sizeof *arrays);
    if (arrays == NULL) {
        return NULL;
    }
    arrays->f_slabs = calloc(segments, sizeof(starpu_data_handle_t));
    arrays->u_slabs = calloc(segments, sizeof(starpu_data_handle_t));
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
    unregister(arrays->f_slabs, plan->context.segments);
    unregister(arrays->u_slabs, plan->context.segments);
    free(arrays->f_slabs);
    free(arrays->u_slabs);
    free(arrays);
}

psg_status psg_arrays_take(psg_plan *plan, const void *f, void *u, psg_arrays **result) {
    psg_arrays **idle = NULL;
    psg_arrays *arrays = NULL;
    for (psg_arrays **at = &plan->arrays; *at != NULL && arrays == NULL; at = &(*at)->next) {
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
        arrays->next = plan->arrays;
        plan->arrays = arrays;
    }
    arrays->busy = true;
    /* The caller has written f since: copies elsewhere are stale. */
    for (size_t s = 0; s < plan->context.segments; s++) {
        if (starpu_data_acquire(arrays->f_slabs[s], STARPU_W) == 0) {
            starpu_data_release(arrays->f_slabs[s]);
        }
    }
    *result = arrays;
    return PSG_OK;
}

void psg_arrays_give_back(const psg_plan *plan, psg_arrays *arrays) {
    for (size_t s = 0; s < plan->context.segments; s++) {
        if (starpu_data_acquire(arrays->u_slabs[s], STARPU_R) == 0) {
            starpu_data_release(arrays->u_slabs[s]);
        }
    }
    arrays->busy = false;
}
