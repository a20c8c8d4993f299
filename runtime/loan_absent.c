/* The library without CUDA: no memory of a GPU is lent. */
#include "runtime/loan_gpu.h"

void *psg_loan_gpu_allocate(int device, size_t bytes) {
    (void)device;
    (void)bytes;
    return NULL;
}

void psg_loan_gpu_free(int device, void *memory) {
    (void)device;
    (void)memory;
}

bool psg_loan_gpu_offer(int device, void *memory, unsigned char *offered, char *words,
                        size_t size) {
    (void)device;
    (void)memory;
    (void)offered;
    (void)words;
    (void)size;
    return false;
}

void *psg_loan_gpu_take(int device, const unsigned char *offered, char *words, size_t size) {
    (void)device;
    (void)offered;
    (void)words;
    (void)size;
    return NULL;
}

void psg_loan_gpu_return(int device, void *taken) {
    (void)device;
    (void)taken;
}

bool psg_loan_gpu_put(int device, void *to, uint64_t number, char *words, size_t size) {
    (void)device;
    (void)to;
    (void)number;
    (void)words;
    (void)size;
    return false;
}

bool psg_loan_gpu_get(int device, const void *from, uint64_t *number, char *words, size_t size) {
    (void)device;
    (void)from;
    (void)number;
    (void)words;
    (void)size;
    return false;
}

bool psg_loan_gpu_lock(int device, void *memory, size_t bytes, char *words, size_t size) {
    (void)device;
    (void)memory;
    (void)bytes;
    (void)words;
    (void)size;
    return false;
}

void psg_loan_gpu_unlock(int device, void *memory) {
    (void)device;
    (void)memory;
}
