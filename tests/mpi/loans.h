/** @file loans.h  What the tests of exchange direct between processes do to the loans of memory. */
#ifndef PSG_TESTS_LOANS_H
#define PSG_TESTS_LOANS_H

typedef enum loans_call { LOANS_OFFER, LOANS_TAKE, LOANS_CALLS } loans_call;

/** From now on every call of a kind fails in this process, for any memory. */
void loans_fail(loans_call call);
/** From now on no memory of GPUs is taken in this process. */
void loans_fail_gpus(void);
/** No call fails any more. */
void loans_mend(void);

#endif
