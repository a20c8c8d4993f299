/* The library without MPI: there is no communicator to open, and so nothing else to do here. */
#include "runtime/comm.h"

#include <stdio.h>

int psg_comm_cuda_aware(void) {
    return -1;
}

psg_comm_result psg_comm_open(psg_comm **comm, const void *mpi_comm, double limit, char *words,
                              size_t size) {
    (void)mpi_comm;
    (void)limit;
    *comm = NULL;
    (void)snprintf(words, size, "options.comm is set, and the library was built without MPI");
    return PSG_COMM_ABSENT;
}

int psg_comm_ranks(const psg_comm *comm) {
    (void)comm;
    return 1;
}

bool psg_comm_start(psg_comm *comm) {
    (void)comm;
    return false;
}

void psg_comm_stop(psg_comm *comm) {
    (void)comm;
}

bool psg_comm_rate(psg_comm *comm, double *rate) {
    (void)comm;
    *rate = 0;
    return false;
}

size_t psg_comm_most_tags(void) {
    return 0;
}

psg_wire *psg_wire_open(psg_comm *comm, size_t row_bytes, unsigned lanes) {
    (void)comm;
    (void)row_bytes;
    (void)lanes;
    return NULL;
}

void psg_wire_close(psg_wire *wire) {
    (void)wire;
}

size_t psg_wire_row_bytes(const psg_wire *wire) {
    (void)wire;
    return 0;
}
