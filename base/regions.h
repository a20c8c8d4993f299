/** @file regions.h  The fluid of a solve with solid bodies: points with epsilon above 0, or with a
 *  face that has such an epsilon. Its regions are what faces between two such points connect. Where
 *  no side and no lambda fixes u in a region, u is known there up to a constant, and f has to have
 *  the mean 0 there. */
#ifndef BASE_REGIONS_H
#define BASE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Digits of a sum over a region. */
enum { BASE_REGIONS_DIGITS = 3 };

/** One region. */
typedef struct base_region {
    size_t points;
    size_t first;  /**< its first point, i + nx (j + ny k) */
    bool fixed;    /**< it has a point at a side that fixes u */
    double mean;   /**< that base_regions_drop() took off last */
    double counts; /**< of its points together, see base_regions_box.counts */
} base_region;

typedef struct base_regions {
    size_t n[3];
    uint32_t *of; /**< [nz][ny][nx]: 0 at a solid point, else 1 + the number of its region */
    base_region *region;
    size_t count;
    double *sum;          /**< [BASE_REGIONS_DIGITS][1 + count]: room for base_regions_drop() */
    const double *counts; /**< base_regions_box.counts */
} base_regions;

/** What is known of the box. */
typedef struct base_regions_box {
    size_t n[3];
    /** [nz]: planes of epsilon, [ny][nx] each; at points [0] alone; on faces by axis, each that of
     *  the face above the point */
    const double *const *plane[3];
    const double *below; /**< the plane of faces along z below the first one */
    bool all;            /**< every point is fluid, whatever its faces are, and u is fixed */
    bool wraps[3];       /**< by axis: the last point is next to the first one */
    bool fixes[3][2];    /**< by axis and side: the side fixes u */
    bool closed[3][2];   /**< on faces: nothing passes the side */
    /** [nz], kept by the caller: what a point of a plane counts in a mean; NULL: all count 1 */
    const double *counts;
} base_regions_box;

/** Does a free side fix u of the points beside it, where lambda is 0? Walls of other axes go on
 *  beyond it. Beyond free sides of one axis between walls that let nothing through u is a number,
 *  and any number will do.
 *  @param[in] free_axis, wall  axes with a free side, and with a Dirichlet side */
static inline bool base_regions_free_fixes(const bool free_axis[3], const bool wall[3]) {
    int axes = 0;
    bool beside = false;
    for (int d = 0; d < 3; d++) {
        axes += free_axis[d];
        beside = beside || (wall[d] && !free_axis[d]);
    }
    return axes > 1 || beside;
}

/** Label the regions in one pass over the points, by union and find.
 *  @return NULL: no memory; give it back by base_regions_destroy() */
base_regions *base_regions_create(const base_regions_box *box);
/** NULL is fine. */
void base_regions_destroy(base_regions *regions);
/** What regions have elsewhere, where they go on, is joined with what they have here. */
typedef struct base_regions_joins {
    void (*largest)(double *value, void *to);
    void (*sum)(double *sum, void *to); /**< [count], by region */
    void *to;
} base_regions_joins;

/** Add up what the points of each region count, before base_regions_drop(), whose joins these are.
 */
void base_regions_count(base_regions *regions, const base_regions_joins *joins);
/** Take the mean of each region that is not fixed off its points, and write 0 at solid points. What
 *  rounding leaves of the mean is taken off once more. Numbers at solid points may be NaN. Sums do
 *  not depend on the order of the points, nor on where a region is cut.
 *  @param[in,out] plane  [nz]: planes of numbers, [ny][nx] each
 *  @param[in]     joins  NULL: no region goes on elsewhere */
void base_regions_drop(base_regions *regions, double *const *plane,
                       const base_regions_joins *joins);

#endif
