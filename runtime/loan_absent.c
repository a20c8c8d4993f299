/* The library without CUDA: nothing is lent, and nothing below psg_loan_of() is ever called. */
#include "runtime/loan.h"

psg_loan_kind psg_loan_of(void) {
    return PSG_LOAN_NONE;
}

void *psg_loan_allocate(int device, size_t bytes) {
    (void)device;
    (void)bytes;
    return NULL;
}

void psg_loan_free(int device, void *memory) {
    (void)device;
    (void)memory;
}

bool psg_loan_offer(int device, void *memory, psg_loan *loan, char *words, size_t size) {
    (void)device;
    (void)memory;
    (void)loan;
    (void)words;
    (void)size;
    return false;
}

void *psg_loan_take(int device, const psg_loan *loan, char *words, size_t size) {
    (void)device;
    (void)loan;
    (void)words;
    (void)size;
    return NULL;
}

void psg_loan_return(int device, void *taken) {
    (void)device;
    (void)taken;
}

bool psg_loan_put(int device, void *to, uint64_t number, char *words, size_t size) {
    (void)device;
    (void)to;
    (void)number;
    (void)words;
    (void)size;
    return false;
}

bool psg_loan_get(int device, const void *from, uint64_t *number, char *words, size_t size) {
    (void)device;
    (void)from;
    (void)number;
    (void)words;
    (void)size;
    return false;
}
