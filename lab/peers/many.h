/** @file many.h  Several right-hand sides at once, on cores and on the first GPU. C and C++ at
 * once. */
#ifndef PSG_BENCH_PROGRAMS_MANY_H
#define PSG_BENCH_PROGRAMS_MANY_H

#include "lab/peers/turns.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is solved. */
typedef struct bench_sides {
    psg_options options;
    size_t n[3], count;
    size_t bytes;   /**< of a right-hand side */
    char *f, *u;    /**< [count][nz][ny][nx], in main memory or on the GPU */
    char *first_u;  /**< in main memory: that of the first way */
    char *latest_u; /**< in main memory */
} bench_sides;

/** Where a GPU solves. Whatever goes wrong ends the program. */
typedef struct bench_device {
    void (*start)(void);
    void *(*allocate)(size_t bytes);
    void (*release)(void *memory);
    void (*copy)(void *to, const void *from, size_t bytes); /**< from and to anywhere */
    /** The peers there of arrays there. @return how many @param[in] create  0: they are freed */
    size_t (*peers)(const bench_sides *s, bench_job *jobs, int create);
} bench_device;

/** @param[in] device  a bench_device; NULL: on cores */
int bench_many(int argc, char **argv, const void *device);

#ifdef __cplusplus
}
#endif
#endif
