/** @file plates.h  Square plates of cells, one above the other. The length of a cell's side is 1. C and C++ (CUDA) at
 *  once. */
#ifndef BASE_PLATES_H
#define BASE_PLATES_H

#include <math.h>
#include <stdint.h>

/** Points above one plate, and the charges of another one, or of the same. Cell c of a plate of n cells has its middle
 *  at (c % columns, c / columns), columns = base_plate_columns(n). Point p is above cell p % over, at the height
 *  (1 + p / over) / 2 above its plate: so no point is on a plate. A cell has fine x fine charges, which are 1 together
 *  on the whole plate. */
typedef struct base_plates {
    uint32_t points;
    uint32_t over; /**< cells of the plate below the points */
    uint32_t of;   /**< cells of the plate with the charges */
    uint32_t fine; /**< charges along each side of a cell */
    float apart;   /**< height of the first plate above the second; 0: they are the same */
} base_plates;

/** All rows of a plate are full but for the last one. */
static inline uint32_t base_plate_columns(uint32_t cells) {
    return (uint32_t)ceil(sqrt((double)cells));
}

#endif
