/** @file collect.h  Lists that every process has, joined on rank 0. */
#ifndef PSG_APP_COLLECT_H
#define PSG_APP_COLLECT_H

#include <stddef.h>

/** The items of all processes one after the other, in the order of the ranks, on rank 0 in place
 *  of its own; the others keep theirs. Collective.
 *  @param[in,out] items    from malloc(); NULL if there are none; may move on rank 0
 *  @param[in,out] count    of one's own; on rank 0 becomes that of all
 *  @param[out]    of_rank  on rank 0 how many each has; may be NULL
 *  @param[in]     what     for a message, "the events of all processes"
 *  @return APP_DONE; APP_FAILED after a message; the same in all processes */
int app_collect(void **items, size_t bytes, size_t *count, size_t *of_rank, const char *what);

#endif
