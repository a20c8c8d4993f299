/** @file request.h  A message, or a collective operation, from its start to its end. */
#ifndef PSG_RUNTIME_REQUEST_H
#define PSG_RUNTIME_REQUEST_H

#include <stdbool.h>

/** What a channel has begun: MPI's request, or seconds of a simulated network. */
typedef struct psg_operation psg_operation;

/** The codes of what is not done because the other processes were given up, and of what has not
 *  ended. */
enum { PSG_COMM_GIVEN_UP = -1, PSG_COMM_UNDER_WAY = -2 };

/** Part of the poster's own structure, and the poster's again once it has ended. Codes are those of
 *  psg_comm_table.words, 0 if all is well. */
typedef struct psg_request {
    struct psg_request *next;
    const void *owner; /**< for psg_comm_table.drop */
    bool hurried;      /**< a GPU waits for it: its thread does not sleep until it has ended */
    /** Begin it; the operation is that to look after. */
    int (*start)(struct psg_request *request, psg_operation *operation);
    /** Has it ended? @return PSG_COMM_UNDER_WAY; the code with which it has. NULL: MPI knows. */
    int (*look)(struct psg_request *);
    /** It is over. */
    void (*ended)(struct psg_request *request, int code);
} psg_request;

#endif
