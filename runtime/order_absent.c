/* Built without CUDA, or for a simulation: there are no streams. */
#include "runtime/order.h"

psg_fault psg_order_begin(psg_run *run, const psg_stream *streams, size_t count, char *words,
                          size_t size) {
    (void)run;
    (void)streams;
    (void)count;
    (void)words;
    (void)size;
    return PSG_FAULT_NONE;
}

psg_fault psg_order_wait(const psg_stream *streams, size_t count, char *words, size_t size) {
    (void)streams;
    (void)count;
    (void)words;
    (void)size;
    return PSG_FAULT_NONE;
}

bool psg_order_end(psg_run *run, const psg_stream *streams, size_t count) {
    (void)run;
    (void)streams;
    (void)count;
    return false;
}

void psg_order_destroy(struct psg_order *order) {
    (void)order;
}
