/** @file gpus.h  The peers of bench_gpus that have files of their own. C and C++ (CUDA) at once. */
#ifndef PSG_BENCH_PROGRAMS_GPUS_H
#define PSG_BENCH_PROGRAMS_GPUS_H

#include "lab/peers/many.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const bench_device bench_device_gpu;
int bench_links(int argc, char **argv, const void *unused);
int bench_copies(int argc, char **argv, const void *unused);
int bench_transposes(int argc, char **argv, const void *unused);
int bench_free_gpu(int argc, char **argv, const void *unused);
int bench_stretched_gpu(int argc, char **argv, const void *unused);

#ifdef __cplusplus
}
#endif
#endif
