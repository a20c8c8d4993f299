#include "runtime/comm.h"

#include <stdio.h>

const psg_comm_table *const psg_comms = PSG_SIMULATE   ? &psg_simulated_comms
                                        : PSG_WITH_MPI ? &psg_mpi_comms
                                                       : NULL;

const char *psg_comm_version(void) {
    return psg_comms != NULL && psg_comms->version != NULL ? psg_comms->version() : NULL;
}

int psg_comm_cuda_aware(void) {
    return psg_comms != NULL ? psg_comms->cuda_aware() : -1;
}

psg_comm_result psg_comm_open(psg_comm **comm, const void *mpi_comm, double limit, char *words,
                              size_t size) {
    *comm = NULL;
    if (psg_comms != NULL) {
        return psg_comms->open(comm, mpi_comm, limit, words, size);
    }
    (void)snprintf(words, size, "options.comm is set, and the library was built without MPI");
    return PSG_COMM_ABSENT;
}

void psg_comm_give_up(psg_comm *comm, const char *whom, const char *what) {
    if (!comm->given_up) {
        comm->given_up = true;
        (void)snprintf(comm->words, sizeof comm->words, "waited %g s (time_limit) for %s %s",
                       comm->limit, whom, what);
    }
}

void psg_comm_name_ranks(char *text, size_t size, int ranks, bool (*is)(const void *, int),
                         const void *data) {
    enum { MOST = 8 };
    size_t length = 0;
    int count = 0;
    char list[128] = "";
    for (int r = 0; r < ranks; r++) {
        if (is(data, r) && ++count <= MOST) {
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%d",
                                       count > 1 ? ", " : "", r);
        }
    }
    (void)snprintf(text, size, "process%s %s%s", count > 1 ? "es" : "", list,
                   count > MOST ? ", ..." : "");
}

/* ------------------------------------------------------ what one process finds holds for all */

const void *psg_comm_node_gather(psg_comm *comm, const void *mine, size_t bytes, const char *what) {
    return psg_comms->node_gather != NULL ? psg_comms->node_gather(comm, mine, bytes, what) : NULL;
}

int psg_comm_agree(psg_comm *comm, int code, char *words, size_t size, int *rank) {
    *rank = -1;
    return psg_comms->agree != NULL ? psg_comms->agree(comm, code, words, size, rank) : code;
}

bool psg_comm_max(psg_comm *comm, double *values, size_t count) {
    return psg_comms->max == NULL || psg_comms->max(comm, values, count);
}

bool psg_comm_sum(psg_comm *comm, double *values, size_t count) {
    return psg_comms->sum == NULL || psg_comms->sum(comm, values, count);
}
