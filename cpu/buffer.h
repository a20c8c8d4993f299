/** @file buffer.h  Memory for large arrays: aligned for vectors, on large pages where there are any. */
#ifndef PSG_CPU_BUFFER_H
#define PSG_CPU_BUFFER_H

#include <stddef.h>

/** @return `bytes` of uninitialised memory aligned to 64 bytes or more, to be freed by free(); NULL if
 *  it cannot be had. Large pages: a column of a 256^3 spectrum touches 256 pages of 4 KB. */
void *psg_cpu_buffer_alloc(size_t bytes);

#endif
