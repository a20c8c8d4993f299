/** @file layout.h  How a grid is cut: which part of the field and of the spectrum is whose. */
#ifndef PSG_CODELETS_LAYOUT_H
#define PSG_CODELETS_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

/** A run of parts: first .. end-1. */
typedef struct psg_range {
    size_t first;
    size_t end;
} psg_range;

static inline size_t psg_range_count(psg_range range) {
    return range.end - range.first;
}

/** Rows that `kspace` relays: the last rows of each pencil. They are no part of the pencil's blocks. `forward_xy` puts
 *  them elsewhere, and `kspace` itself writes its result to the GPUs of their segments, so that the links between GPUs
 *  do not rest while `kspace` computes. */
typedef struct psg_relay {
    size_t *rows; /**< by pencil; NULL: none */
    bool fetched; /**< `kspace` also reads the rows from the GPUs of their segments */
} psg_relay;

/** The cut over all processes; the layout owns its arrays. A segment is a run of planes z, a pencil a run of rows ky. Each process has a run of
 *  segments and a run of pencils. A bundle is pencils of one process whose blocks travel as one message; in one
 *  process each pencil is a bundle. The block of a segment and a bundle is what the two have in common. */
typedef struct psg_layout {
    size_t n[3]; /**< nx, ny, nz */
    size_t nxc;  /**< psg_transform_row() */
    size_t segments;
    size_t segment_planes; /**< of the largest segment */
    size_t pencils;
    size_t bundles;
    size_t *z0;             /**< [segments + 1]: first planes */
    size_t *y0;             /**< [pencils + 1]: first rows ky */
    size_t *bundle_p0;      /**< [bundles + 1]: first pencils */
    size_t *bundle_y0;      /**< [bundles + 1]: first rows */
    psg_range own_segments; /**< of this process */
    psg_range own_pencils;  /**< of this process */
    psg_range own_bundles;  /**< of this process */
    psg_range
        gpu_segments; /**< of this process, those that GPUs may have. They come in two sizes at most: the
                                  first one's, and the last one's */
    psg_range gpu_pencils; /**< of this process, those that GPUs may have, in two sizes at most */
    int *segment_worker;   /**< by segment: the CUDA worker whose GPU has it; -1: none */
    int *pencil_worker;    /**< by pencil: the CUDA worker whose GPU has it; -1: none */
    psg_relay relay;
} psg_layout;

static inline size_t psg_layout_planes(const psg_layout *l, size_t s) {
    return l->z0[s + 1] - l->z0[s];
}

static inline size_t psg_layout_rows(const psg_layout *l, size_t p) {
    return l->y0[p + 1] - l->y0[p];
}

/** Rows of pencil p that kspace relays. */
static inline size_t psg_relay_rows(const psg_layout *l, size_t p) {
    return l->relay.rows != NULL ? l->relay.rows[p] : 0;
}

/** Rows of pencil p that are in its blocks. */
static inline size_t psg_block_rows(const psg_layout *l, size_t p) {
    return psg_layout_rows(l, p) - psg_relay_rows(l, p);
}

/** Rows of all pencils that kspace relays. */
static inline size_t psg_relay_all_rows(const psg_layout *l) {
    size_t rows = 0;
    for (size_t p = 0; p < l->pencils; p++) {
        rows += psg_relay_rows(l, p);
    }
    return rows;
}

/** Free the arrays, and forget the cut. The extents stay. */
void psg_layout_free(psg_layout *layout);

#endif
