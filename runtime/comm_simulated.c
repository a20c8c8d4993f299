/* Several nodes of a simulation, of which one is simulated: all are alike and have as much to do, so what it
 * sends is what comes, and what holds for it holds for all. */
#include "runtime/comm.h"
#include "runtime/messenger.h"
#include "runtime/request_simulated.h"
#include "runtime/simulation.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct psg_comm {
    struct psg_comm *next;
    unsigned nodes;
    double rate; /* as asked; 0: the machine's */
};

struct psg_wire {
    unsigned nodes;
    size_t row_bytes;
    double rate;
    double latency;
};

static psg_comm *comms;  /* of all plans so far */
static unsigned started; /* what needs the messenger */

psg_comm *psg_simulation_nodes(unsigned nodes, double rate) {
    psg_comm *comm = comms;
    while (comm != NULL && (comm->nodes != nodes || comm->rate != rate)) {
        comm = comm->next;
    }
    if (comm == NULL && (comm = malloc(sizeof *comm)) != NULL) {
        *comm = (psg_comm){.next = comms, .nodes = nodes, .rate = rate};
        comms = comm;
    }
    return comm;
}

int psg_comm_cuda_aware(void) {
    const psg_machine *machine = psg_simulation_machine();
    return machine != NULL ? machine->cuda_aware : -1;
}

psg_comm_result psg_comm_open(psg_comm **comm, const void *mpi_comm, double limit, char *words,
                              size_t size) {
    (void)mpi_comm;
    (void)limit;
    *comm = NULL;
    (void)snprintf(words, size,
                   "options.comm is set, and the library simulates: several processes are "
                   "options.nodes");
    return PSG_COMM_ABSENT;
}

int psg_comm_ranks(const psg_comm *comm) {
    return (int)comm->nodes;
}

void psg_comm_give_up(psg_comm *comm, const char *whom, const char *what) {
    (void)comm; /* nobody is waited for too long */
    (void)whom;
    (void)what;
}

void psg_comm_name_ranks(char *text, size_t size, int ranks, bool (*is)(const void *, int),
                         const void *data) {
    (void)ranks;
    (void)is;
    (void)data;
    (void)snprintf(text, size, "a node");
}

bool psg_comm_rate(psg_comm *comm, double *rate) {
    double latency = 0;
    return psg_simulation_network(comm->rate, rate, &latency);
}

bool psg_comm_start(psg_comm *comm) {
    (void)comm;
    const bool running = started > 0 || psg_messenger_start();
    started += running ? 1 : 0;
    return running;
}

void psg_comm_stop(psg_comm *comm) {
    (void)comm;
    if (--started == 0) {
        psg_messenger_stop();
    }
}

size_t psg_comm_most_tags(void) {
    return INT_MAX;
}

/* -------------------------------------------------------------------------------- the wire */

psg_wire *psg_wire_open(psg_comm *comm, size_t row_bytes, unsigned lanes) {
    psg_wire *wire = malloc(sizeof *wire);
    (void)lanes;
    if (wire != NULL) {
        wire->nodes = comm->nodes;
        wire->row_bytes = row_bytes;
        (void)psg_simulation_network(comm->rate, &wire->rate, &wire->latency); /* checked before */
    }
    return wire;
}

void psg_wire_close(psg_wire *wire) {
    free(wire);
}

size_t psg_wire_row_bytes(const psg_wire *wire) {
    return wire->row_bytes;
}

static int begin(const psg_wire *wire, size_t rows, bool received, psg_request *request) {
    request->received = received;
    request->seconds = wire->latency + (double)(rows * wire->row_bytes) / wire->rate;
    return 0;
}

int psg_wire_send(const psg_wire *wire, const void *memory, size_t rows, int rank, int tag,
                  psg_request *request) {
    (void)memory;
    (void)rank;
    (void)tag;
    return begin(wire, rows, false, request);
}

int psg_wire_receive(const psg_wire *wire, void *memory, size_t rows, int rank, int tag,
                     psg_request *request) {
    (void)memory;
    (void)rank;
    (void)tag;
    return begin(wire, rows, true, request);
}

/* As many messages, one after the other. */
int psg_wire_alltoall(const psg_wire *wire, const psg_alltoall_part *from,
                      const psg_alltoall_part *to, size_t lane, psg_request *request) {
    (void)to;
    (void)lane;
    *request = (psg_request){.received = false};
    for (unsigned r = 1; r < wire->nodes; r++) {
        request->seconds +=
            wire->latency + (double)((size_t)from->count[r] * wire->row_bytes) / wire->rate;
    }
    return 0;
}

void psg_comm_words(int code, char *words, size_t size) {
    (void)snprintf(words, size, "%s", strerror(code));
}
