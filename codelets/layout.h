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

static inline bool psg_range_has(psg_range range, size_t m) {
    return m >= range.first && m < range.end;
}

/** Elements lo .. hi-1 of an array along x, y and z. */
typedef struct psg_box {
    size_t lo[3];
    size_t hi[3];
} psg_box;

static inline size_t psg_box_length(const psg_box *box, int d) {
    return box->hi[d] - box->lo[d];
}

/** Rows along x. */
static inline size_t psg_box_rows(const psg_box *box) {
    return psg_box_length(box, 1) * psg_box_length(box, 2);
}

/** A box of an array and its owner. */
typedef struct psg_part {
    psg_box box;
    psg_range sheets; /**< of a bundle: the sheets in it */
    int process;
    int home;   /**< the CUDA worker whose GPU has the part's data; -1: none */
    int worker; /**< the CUDA worker that has its tasks; -1: any that may */
} psg_part;

/** An array cut into parts. Each process has a run of them. */
typedef struct psg_parts {
    size_t count;
    psg_part *part; /**< [count]: one after the other along the axis that is cut */
    size_t
        *first; /**< [processes + 1]: the first part of each process. The first process has most */
    psg_range own;  /**< of this process */
    psg_range gpus; /**< of these, the parts that GPUs may have. They come in two sizes at most: the
                         first one's, and the last one's */
} psg_parts;

/** The parts of a process. */
static inline psg_range psg_parts_of(const psg_parts *parts, int process) {
    return (psg_range){parts->first[process], parts->first[process + 1]};
}

/** The length of a run of parts along the axis d that is cut, and that of the largest part in
 * it. */
size_t psg_parts_length(const psg_parts *parts, psg_range range, int d);
size_t psg_parts_largest(const psg_parts *parts, psg_range range, int d);

/** Rows that `kspace` itself moves between GPUs: the last rows of each sheet. They are no part of
 *  the sheet's blocks. `forward_xy` puts them elsewhere, and `kspace` itself writes its result to
 *  the GPUs of their segments, so that the links between GPUs do not rest while `kspace`
 *  computes. */
typedef struct psg_overlap {
    size_t *rows;       /**< by sheet; NULL: none */
    size_t pulled_rows; /**< those of all sheets if `kspace` also reads them from the GPUs of their
                             segments; 0: `forward_xy` writes them to the GPU of their sheet */
} psg_overlap;

/** The cut over all processes; the layout owns its arrays. A segment is a run of planes z of the
 *  field, a sheet a run of rows ky of the spectrum. A bundle is sheets of one process whose blocks
 *  travel as one message; in one process each sheet is a bundle. The block of a segment and a
 *  bundle is what the two have in common. */
typedef struct psg_layout {
    size_t n[3]; /**< nx, ny, nz: the extents of the field */
    size_t row;  /**< psg_transform_row(): numbers in a row of the spectrum */
    /** The extents of the spectrum are nxc, nyc, nz, and nxc is `row`. But where cores alone solve
     *  planes of one row, nxc is 1 and nyc is `row`: sheets are cut within the row then. */
    size_t nxc;
    size_t nyc;
    psg_parts segments;
    psg_parts sheets;
    psg_parts bundles;
    psg_overlap overlap;
} psg_layout;

static inline size_t psg_layout_planes(const psg_layout *l, size_t s) {
    return psg_box_length(&l->segments.part[s].box, 2);
}

static inline size_t psg_layout_rows(const psg_layout *l, size_t p) {
    return psg_box_length(&l->sheets.part[p].box, 1);
}

/** The block of segment s and a sheet or a bundle, as a box of the spectrum; with the rows that
 * kspace moves. */
psg_box psg_layout_block(const psg_layout *l, size_t s, const psg_part *sheets);

/** Rows of sheet p that kspace moves. */
static inline size_t psg_overlap_rows_of(const psg_layout *l, size_t p) {
    return l->overlap.rows != NULL ? l->overlap.rows[p] : 0;
}

/** Rows of sheet p that are in its blocks. */
static inline size_t psg_block_rows(const psg_layout *l, size_t p) {
    return psg_layout_rows(l, p) - psg_overlap_rows_of(l, p);
}

/** Rows of all sheets that kspace moves. */
static inline size_t psg_overlap_rows_all(const psg_layout *l) {
    size_t rows = 0;
    for (size_t p = 0; p < l->sheets.count; p++) {
        rows += psg_overlap_rows_of(l, p);
    }
    return rows;
}

/** Free the arrays, and forget the cut. The extents stay. */
void psg_layout_free(psg_layout *layout);

#endif
