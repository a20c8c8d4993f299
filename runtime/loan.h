/** @file loan.h  Memory that a process lends to the other processes of its node, on GPUs: their kernels write and read it
 *  by addresses of their own.
 *
 * The process that lends allocates memory, makes an offer of it, and tells the others the offer. Each of them takes the
 * offer, and returns what it took before the memory is freed. No process takes its own offer. An address that was taken
 * is for kernels and copies of this process, and not for MPI.
 */
#ifndef PSG_RUNTIME_LOAN_H
#define PSG_RUNTIME_LOAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What can be lent. */
typedef enum psg_loan_kind {
    PSG_LOAN_NONE = 0, /**< built without CUDA */
    PSG_LOAN_GPUS,     /**< memory of GPUs */
    PSG_LOAN_CORES     /**< main memory: tests of what uses loans, without a GPU */
} psg_loan_kind;
psg_loan_kind psg_loan_of(void);

/** An offer: plain bytes, which messages carry. */
typedef struct psg_loan {
    unsigned char bytes[64];
} psg_loan;

/** Memory on a CUDA device that can be lent, by its first address. @return NULL: there is none */
void *psg_loan_allocate(int device, size_t bytes);
void psg_loan_free(int device, void *memory);

/** Make an offer of memory. @param[out] words  why not, `size` bytes */
bool psg_loan_offer(int device, void *memory, psg_loan *loan, char *words, size_t size);

/** Reach memory that another process offers, from a CUDA device of this process. The device that has the memory need not
 *  be visible here. @param[out] words  why not, `size` bytes @return NULL: it cannot be reached */
void *psg_loan_take(int device, const psg_loan *loan, char *words, size_t size);
/** What a device does with the memory has ended. */
void psg_loan_return(int device, void *taken);

/** Write a number to memory that was taken, and read one from memory of this process.
 *  @param[out] words  why not, `size` bytes */
bool psg_loan_put(int device, void *to, uint64_t number, char *words, size_t size);
bool psg_loan_get(int device, const void *from, uint64_t *number, char *words, size_t size);

#endif
