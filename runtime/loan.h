/** @file loan.h  Memory that a process lends to the other processes of its node: their tasks write and read it by addresses
 *  of their own.
 *
 * The process that lends allocates memory, makes an offer of it, and tells the others the offer. Each of them takes the
 * offer, and returns what it took before the memory is freed. No process takes its own offer. An address that was taken
 * is for kernels and copies of this process, and not for MPI.
 *
 * A device is the CUDA device that works on the memory; -1: cores alone do.
 */
#ifndef PSG_RUNTIME_LOAN_H
#define PSG_RUNTIME_LOAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where memory stands that is lent. */
typedef enum psg_loan_kind {
    PSG_LOAN_MAIN = 0, /**< main memory; for a device page-locked, and reached over its link */
    PSG_LOAN_GPUS      /**< the memory of the device, by CUDA's interprocess communication */
} psg_loan_kind;

/** An offer: plain bytes, which messages carry. */
typedef struct psg_loan {
    unsigned char bytes[64];
} psg_loan;

/** Memory that can be lent, by its first address, aligned to 4096. @return NULL: there is none */
void *psg_loan_allocate(psg_loan_kind kind, int device, size_t bytes);
void psg_loan_free(psg_loan_kind kind, int device, void *memory);

/** Make an offer of memory. @param[out] words  why not, `size` bytes */
bool psg_loan_offer(psg_loan_kind kind, int device, void *memory, psg_loan *loan, char *words,
                    size_t size);

/** Reach memory that another process offers. A GPU that has the memory need not be visible here.
 *  @param[out] words  why not, `size` bytes @return NULL: it cannot be reached */
void *psg_loan_take(psg_loan_kind kind, int device, const psg_loan *loan, char *words, size_t size);
/** What works on the memory has ended. */
void psg_loan_return(psg_loan_kind kind, int device, void *taken);

/** Write a number to memory that was taken, and read one from memory of this process, as the device does.
 *  @param[out] words  why not, `size` bytes */
bool psg_loan_put(int device, void *to, uint64_t number, char *words, size_t size);
bool psg_loan_get(int device, const void *from, uint64_t *number, char *words, size_t size);

#endif
