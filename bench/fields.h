/** @file fields.h  The right-hand sides that `psg bench` solves, whose answers are known. */
#ifndef PSG_BENCH_FIELDS_H
#define PSG_BENCH_FIELDS_H

#include "app/problems.h"
#include "bench/sweep.h"

#include <stdbool.h>

/** f of one grid in one precision, of the problem `modes`; the planes of this process. */
typedef struct bench_fields {
    app_grid_value grid;
    psg_precision precision;
    app_planes planes;
    size_t bytes;     /**< of f */
    void *f;          /**< [count][ny][nx]; in a simulation nothing */
    app_modes *modes; /**< NULL in a simulation */
} bench_fields;

enum { BENCH_FIELDS_MOST = 64 };

/** All zero before the first use. */
typedef struct bench_field_store {
    bench_fields entry[BENCH_FIELDS_MOST];
    size_t count;
} bench_field_store;

/** Those of a configuration, made at the first time. Collective.
 *  @param[in] alive  called again and again while they are made, which may take longer than a solve; may be NULL
 *  @return NULL when a process is out of memory, or of entries; the same in all of them */
const bench_fields *bench_fields_get(bench_field_store *store, const bench_config *config,
                                     void (*alive)(void *context), void *context);

/** Bytes that they take in all processes together. */
double bench_fields_bytes(const bench_config *config);

/** Are the fields of one those of the other? */
bool bench_fields_same(const bench_config *a, const bench_config *b);

/** Forget those of other configurations than this one; NULL: all. */
void bench_fields_drop(bench_field_store *store, const bench_config *but);

/** Compare a solution with the known answer; collective, and not in a simulation.
 *  @param[in] u  [count][ny][nx], the planes of this process */
void bench_fields_compare(const bench_fields *fields, const void *u, app_modes_error *result);

#endif
