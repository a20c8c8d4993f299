/** @file narrow.h  Numbers with fewer bytes, and back. */
#ifndef PSG_BASE_NARROW_H
#define PSG_BASE_NARROW_H

#include <stddef.h>

/** Round numbers of 8 bytes to the nearest ones of `bytes`: 4 (a float), or 5 or 6 (the first ones
 *  of a double, so that the range stays). They stand in the same memory, from its first byte on.
 *  Infinity stays infinite, and a quiet NaN is one. To 4 bytes, numbers above FLT_MAX become
 *  infinite. */
void base_narrow(void *memory, size_t count, size_t bytes);

/** The way back: the narrow numbers are the last ones in the memory of `count` times 8 bytes. */
void base_widen(void *memory, size_t count, size_t bytes);

#endif
