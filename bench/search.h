/** @file search.h  What `psg tune` tries: candidates around a configuration that is known. The
 *  likely ones come first, so that a list can be cut where time is short. */
#ifndef PSG_BENCH_SEARCH_H
#define PSG_BENCH_SEARCH_H

#include "bench/record.h"
#include "bench/sweep.h"

/** Configurations of a sweep by their numbers, each once. */
enum { BENCH_PICKS_MOST = 128 };
typedef struct bench_picks {
    size_t number[BENCH_PICKS_MOST];
    size_t count;
} bench_picks;

bool bench_picks_has(const bench_picks *picks, size_t number);

/** Add a number, unless it is there, or there is no room. */
void bench_picks_add(bench_picks *picks, size_t number);

/** All add to the sweep what it does not have yet, and to the picks what is to be tried.
 *  @param[in] around  number of the configuration that is known
 *  @param[in] facts   what its plan came to
 *  @return APP_DONE; APP_FAILED after a message */

/** More and fewer segments, with as many more or fewer sheets. */
int bench_search_cuts(bench_sweep *sweep, size_t around, const bench_facts *facts,
                      bench_picks *picks);

/** Segments and sheets on their own, the other variants of the graph, and the other exchange. */
int bench_search_variants(bench_sweep *sweep, size_t around, const bench_facts *facts,
                          bench_picks *picks);

/** Scheduling policies, all but the one in force.
 *  @param[in] list  names with commas, or "all"; NULL: those that need no performance models, and
 *                   are meant for tasks that are alike
 *  @return APP_USAGE, too, after a message: there is no such policy */
int bench_search_policies(bench_sweep *sweep, size_t around, const bench_facts *facts,
                          const char *list, bench_picks *picks);

#endif
