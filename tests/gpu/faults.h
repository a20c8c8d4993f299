/** @file faults.h  CUDA and cuFFT that fail when they are told to.
 *
 * The library psg_faults stands before libcudart and libcufft, as what a test program is linked
 * with, or in LD_PRELOAD for a program that is none of ours, and passes calls on. Those of the
 * library psg are counted, by the name of the function, and may fail. Kernel launches, by whatever
 * function, are "launch".
 */
#ifndef PSG_TESTS_GPU_FAULTS_H
#define PSG_TESTS_GPU_FAULTS_H

/** A code that is none: the call is not made, and said to have succeeded. */
#define FAULTS_PRETEND (-1)

/** From now on, and beside others: the calls first .. last of a function, the next one being 1,
 *  return `code` and do nothing else. In the environment of a program:
 *  PSG_FAULTS="call:code:first:last;...". Two calls are more than functions: "devices", by which
 *  cudaGetDeviceCount says that there are `code`, and "free", by which cudaMemGetInfo says that so
 *  many megabytes of 100 GB are.
 *  @param[in] call  "cudaMalloc", ...; one of those in faults.c
 *  @param[in] last  0: all from the first on
 *  @return 0; -1: there is no such call, or there are too many already */
int faults_add(const char *call, int code, long first, long last);

/** No call fails any more, and all are counted from 0. */
void faults_clear(void);

/** How many calls there were of a function, and how many calls failed of all. */
long faults_calls(const char *call);
long faults_failed(void);

#endif
