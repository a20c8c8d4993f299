/** @file request.h  Something that the messenger has begun. */
#ifndef PSG_RUNTIME_REQUEST_H
#define PSG_RUNTIME_REQUEST_H

#include <stdbool.h>

typedef struct psg_request psg_request;

/** The code of what is not done because the other processes were given up. */
enum { PSG_COMM_GIVEN_UP = -1 };

#endif
