/** @file memory.h  Memory for large arrays. */
#ifndef PSG_BASE_MEMORY_H
#define PSG_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/** Aligned for vectors, and on large pages where there are any: a column of a 256^3 spectrum
 *  touches 256 pages of 4 KB, and large pages are had and page-locked faster.
 *  @return `bytes` of uninitialised memory, aligned to 64 bytes or more, to be freed by free();
 *          NULL: it cannot be had */
void *base_allocate(size_t bytes);

/** An array with room for `room` elements of so many bytes, in place of the old one.
 *  @param[in,out] good  false: nothing is tried; becomes false where there is no memory
 *  @return the old one if not good */
void *base_grown(void *old, size_t room, size_t bytes, bool *good);

/** Can a core read the byte? It cannot where memory of a GPU is, or memory that was given back to
 * the system. */
bool base_is_readable(const void *byte);

/** Bytes of main memory that the machine has, in use or not. */
double base_memory_bytes(void);
/** Can this process have so many more bytes of address space now? Nothing stays taken. */
bool base_memory_fits(double bytes);
/** Bytes of it that programs can have now; 0: not known. */
double base_memory_available(void);

#endif
