/* The library without MPI: there is no communicator to open, and so nothing else to do here. */
#include "runtime/comm.h"

#include <stdio.h>

const char *psg_comm_version(void) {
    return NULL;
}

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

int psg_comm_rank(const psg_comm *comm) {
    (void)comm;
    return 0;
}

int psg_comm_ranks(const psg_comm *comm) {
    (void)comm;
    return 1;
}

void psg_comm_node(const psg_comm *comm, int *rank, int *ranks) {
    (void)comm;
    *rank = 0;
    *ranks = 1;
}

const void *psg_comm_node_gather(psg_comm *comm, const void *mine, size_t bytes, const char *what) {
    (void)what;
    (void)comm;
    (void)mine;
    (void)bytes;
    return NULL;
}

double psg_comm_limit(const psg_comm *comm) {
    (void)comm;
    return 0;
}

bool psg_comm_given_up(const psg_comm *comm) {
    (void)comm;
    return false;
}

const char *psg_comm_why(const psg_comm *comm) {
    (void)comm;
    return "";
}

int psg_comm_agree(psg_comm *comm, int code, char *words, size_t size, int *rank) {
    (void)comm;
    (void)words;
    (void)size;
    *rank = -1;
    return code;
}

bool psg_comm_max(psg_comm *comm, double *values, size_t count) {
    (void)comm;
    (void)values;
    (void)count;
    return true;
}

bool psg_comm_sum(psg_comm *comm, double *values, size_t count) {
    return psg_comm_max(comm, values, count);
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
