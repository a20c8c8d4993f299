/** @file fail_nth.h  What the preloaded library fail_nth.c offers to a test program. */
#ifndef PSG_TESTS_FAIL_NTH_H
#define PSG_TESTS_FAIL_NTH_H

/** Let the n-th allocation of PoissonGraph's from now on fail, in this process; 0: none. */
void fail_nth_arm(long n);

/** Allocations of PoissonGraph's between that and the latest fail_nth_arm(0). */
long fail_nth_most(void);

#endif
