/** @file circumstances.h  What all rows of psg bench say of the machine, and of how they were measured. */
#ifndef PSG_BENCH_CIRCUMSTANCES_H
#define PSG_BENCH_CIRCUMSTANCES_H

#include "app/host.h"
#include "bench/csv.h"

/** How StarPU's performance models were when a policy that needs them was measured. */
typedef enum bench_models {
    BENCH_MODELS_UNUSED = 0,
    BENCH_MODELS_CALIBRATED,
    BENCH_MODELS_AS_FOUND
} bench_models;

typedef struct bench_circumstances {
    app_machine machine;
    unsigned warm_up, seed;
    double load_average; /**< when psg began; NAN: not known */
    const char *mpirun;  /**< what starts several processes */
    bench_models models;
} bench_circumstances;

/** The machine and its load now. */
bench_circumstances bench_circumstances_find(int warm_up, int seed);

/** Put the versions, the machine, the date and what else is the same in all rows into the columns of these names.
 *  @return 0; -1: out of memory */
int bench_circumstances_put(const bench_circumstances *circumstances, bench_table *table,
                            size_t row);

#endif
