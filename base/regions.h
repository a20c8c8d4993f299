/** @file regions.h  The fluid of a solve with solid bodies: points with epsilon above 0. Its
 *  regions are what faces between two such points connect. Where no side and no lambda fixes u in a
 *  region, u is known there up to a constant, and f has to have the mean 0 there. */
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
    size_t first; /**< its first point, i + nx (j + ny k) */
    bool fixed;   /**< it has a point at a side that fixes u */
    double mean;  /**< that base_regions_drop() took off last */
} base_region;

typedef struct base_regions {
    size_t n[3];
    uint32_t *of; /**< [nz][ny][nx]: 0 at a solid point, else 1 + the number of its region */
    base_region *region;
    size_t count;
    double *sum; /**< [BASE_REGIONS_DIGITS][1 + count]: room for base_regions_drop() */
} base_regions;

/** Label the regions in one pass over the points, by union and find.
 *  @param[in] plane  [nz]: planes of epsilon, [ny][nx] each
 *  @param[in] wraps  by axis: the last point is next to the first one
 *  @param[in] fixes  by axis and side: the side fixes u
 *  @return NULL: no memory; give it back by base_regions_destroy() */
base_regions *base_regions_create(const size_t n[3], const double *const *plane,
                                  const bool wraps[3], const bool fixes[3][2]);
/** NULL is fine. */
void base_regions_destroy(base_regions *regions);
/** What regions have elsewhere, where they go on, is joined with what they have here. */
typedef struct base_regions_joins {
    void (*largest)(double *value, void *to);
    void (*sum)(double *sum, void *to); /**< [count], by region */
    void *to;
} base_regions_joins;

/** Take the mean of each region that is not fixed off its points, and write 0 at solid points. What
 *  rounding leaves of the mean is taken off once more. Numbers at solid points may be NaN. Sums do
 *  not depend on the order of the points, nor on where a region is cut.
 *  @param[in,out] plane  [nz]: planes of numbers, [ny][nx] each
 *  @param[in]     joins  NULL: no region goes on elsewhere */
void base_regions_drop(base_regions *regions, double *const *plane,
                       const base_regions_joins *joins);

#endif
