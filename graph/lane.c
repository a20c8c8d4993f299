/* Lanes: room for the spectrum of a solve, cut into blocks, on the devices that own its segments. */
#include "codelets/device.h"
#include "cpu/buffer.h"
#include "graph/internal.h"

#include <stdlib.h>

void psg_block_register(starpu_data_handle_t *handle, int node, void *memory, const size_t n[3],
                        size_t pitch, size_t element_bytes) {
    starpu_block_data_register(handle, memory != NULL ? node : -1, (uintptr_t)memory,
                               (uint32_t)n[0], (uint32_t)pitch, (uint32_t)n[0], (uint32_t)n[1],
                               (uint32_t)n[2], element_bytes);
}

/* Nobody looks at these values again: whoever does has acquired them before. */
void psg_block_unregister(starpu_data_handle_t *handles, size_t count) {
    psg_runtime_awake();
    for (size_t m = 0; handles != NULL && m < count; m++) {
        if (handles[m] != NULL) {
            starpu_data_unregister_no_coherency(handles[m]);
        }
    }
    psg_runtime_rest();
}

/* ---------------------------------------------------------------------------------- parts */

/* On large pages where only cores touch it, page-locked where GPUs copy it, or on the GPU itself. */
static bool part_alloc(psg_part *part, const psg_plan *plan, int node, size_t bytes) {
    *part = (psg_part){.node = node, .bytes = bytes};
    if (node != STARPU_MAIN_RAM) {
        part->memory = (void *)starpu_malloc_on_node((unsigned)node, bytes);
    } else if (plan->gpu_count > 0) {
        part->memory = psg_device_host_alloc(bytes);
    } else {
        part->memory = psg_cpu_buffer_alloc(bytes);
    }
    return part->memory != NULL;
}

static void part_free(psg_part *part, const psg_plan *plan) {
    if (part->memory == NULL) {
        return;
    }
    if (part->node != STARPU_MAIN_RAM) {
        starpu_free_on_node((unsigned)part->node, (uintptr_t)part->memory, part->bytes);
    } else if (plan->gpu_count > 0) {
        psg_device_host_free(part->memory);
    } else {
        free(part->memory);
    }
}

/* Bytes of segments' slabs and pencils of pencils, by their number. */
static size_t slab_bytes(const psg_context *c, size_t s) {
    return (c->z0[s + 1] - c->z0[s]) * c->n[1] * c->nxc * 2 * c->cpu->real_bytes;
}

static size_t pencil_bytes(const psg_context *c, size_t p) {
    return c->n[2] * (c->y0[p + 1] - c->y0[p]) * c->nxc * 2 * c->cpu->real_bytes;
}

static int pencil_node(const psg_plan *plan, size_t p) {
    return psg_placement_node(plan->resident ? plan->pencil_worker[p] : -1);
}

/* What stands in a lane, in this order: a slab for each segment, which its blocks are views of; in the
 * staged graph then a spectrum for each segment, and each pencil. */
static size_t item_count(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    return c->fused ? c->segments : 2 * c->segments + c->pencils;
}

static size_t item_bytes(const psg_plan *plan, size_t m) {
    const psg_context *c = &plan->context;
    return m < 2 * c->segments ? slab_bytes(c, m % c->segments)
                               : pencil_bytes(c, m - 2 * c->segments);
}

static int item_node(const psg_plan *plan, size_t m) {
    const psg_context *c = &plan->context;
    return m < 2 * c->segments ? plan->segment_node[m % c->segments]
                               : pencil_node(plan, m - 2 * c->segments);
}

/* One part holds a run of items on the same node, end to end: the slabs of one GPU are one array of planes,
 * and a pencil in it one array of columns. @return the item after the run; 0: no memory */
static size_t make_part(psg_lane *lane, const psg_plan *plan, size_t first) {
    const int node = item_node(plan, first);
    const size_t stop = first < plan->context.segments ? plan->context.segments : item_count(plan);
    size_t end = first;
    size_t bytes = 0;
    while (end < stop && item_node(plan, end) == node) {
        bytes += item_bytes(plan, end++);
    }
    psg_part *part = &lane->parts[lane->part_count];
    if (!part_alloc(part, plan, node, bytes)) {
        return 0;
    }
    lane->part_count++;
    char *next = part->memory;
    for (size_t m = first; m < end; m++) {
        lane->item[m] = next;
        next += item_bytes(plan, m);
    }
    return end;
}

/* ---------------------------------------------------------------------------------- lanes */

/* A slab is [planes][ny][nxc], and its blocks are views of it: rows of one pencil in each plane. Packed, it
 * is its blocks end to end. */
static void register_segment(psg_lane *lane, const psg_plan *plan, size_t s) {
    const psg_context *c = &plan->context;
    const int node = item_node(plan, s);
    const size_t element = 2 * c->cpu->real_bytes;
    const size_t plane = c->nxc * c->n[1];
    const size_t planes = c->z0[s + 1] - c->z0[s];
    for (size_t p = 0; p < c->pencils; p++) {
        starpu_data_handle_t *block = &lane->blocks[s * c->pencils + p];
        const size_t n[3] = {c->nxc, c->y0[p + 1] - c->y0[p], planes};
        const size_t before = c->y0[p] * c->nxc * (c->packed ? planes : 1);
        psg_block_register(block, node, (char *)lane->item[s] + before * element, n,
                           c->packed ? n[0] * n[1] : plane, element);
        starpu_data_set_coordinates(*block, 2, (int)s, (int)p);
    }
    if (!c->fused) {
        const size_t n[3] = {c->nxc, c->n[1], planes};
        psg_block_register(&lane->spectra[s], node, lane->item[c->segments + s], n, plane, element);
    }
}

static void register_pencil(psg_lane *lane, const psg_plan *plan, size_t p) {
    const psg_context *c = &plan->context;
    const size_t rows = c->y0[p + 1] - c->y0[p];
    const size_t contiguous[3] = {c->n[2], c->nxc, rows};
    const size_t strided[3] = {c->nxc, rows, c->n[2]};
    const size_t *n = c->z_contiguous ? contiguous : strided;
    psg_block_register(&lane->columns[p], pencil_node(plan, p), lane->item[2 * c->segments + p], n,
                       n[0] * n[1], 2 * c->cpu->real_bytes);
}

psg_status psg_lane_create(psg_lane **result, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const size_t items = item_count(plan);
    psg_lane *lane = calloc(1, sizeof *lane);
    *result = NULL;
    if (lane == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for a spectrum's description");
    }
    lane->parts = calloc(items, sizeof *lane->parts);
    lane->item = calloc(items, sizeof *lane->item);
    lane->blocks = calloc(c->segments * c->pencils, sizeof(starpu_data_handle_t));
    lane->spectra = calloc(c->segments, sizeof(starpu_data_handle_t));
    lane->columns = calloc(c->pencils, sizeof(starpu_data_handle_t));
    bool all = lane->parts != NULL && lane->item != NULL && lane->blocks != NULL &&
               lane->spectra != NULL && lane->columns != NULL;
    for (size_t m = 0; m < items; m++) {
        lane->bytes += item_bytes(plan, m);
    }
    for (size_t m = 0; all && m < items;) {
        m = make_part(lane, plan, m);
        all = m > 0;
    }
    if (!all) {
        const size_t bytes = lane->bytes;
        psg_lane_destroy(lane, plan);
        return psg_fail(
            PSG_ERR_MEMORY,
            "no memory for the spectrum of %zu x %zu x %zu points: %zu bytes were asked for",
            c->n[0], c->n[1], c->n[2], bytes);
    }
    for (size_t s = 0; s < c->segments; s++) {
        register_segment(lane, plan, s);
    }
    for (size_t p = 0; !c->fused && p < c->pencils; p++) {
        register_pencil(lane, plan, p);
    }
    *result = lane;
    return PSG_OK;
}

void psg_lane_destroy(psg_lane *lane, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    if (lane == NULL) {
        return;
    }
    psg_block_unregister(lane->blocks, c->segments * c->pencils);
    psg_block_unregister(lane->spectra, c->segments);
    psg_block_unregister(lane->columns, c->pencils);
    for (size_t m = 0; m < lane->part_count; m++) {
        part_free(&lane->parts[m], plan);
    }
    free(lane->columns);
    free(lane->spectra);
    free(lane->blocks);
    free(lane->item);
    free(lane->parts);
    free(lane);
}
