/** @file search.h  What `psg tune` tries: candidates around a configuration that is known. The
 *  likely ones come first, so that a list can be cut where time is short. */
#ifndef PSG_APP_SEARCH_H
#define PSG_APP_SEARCH_H

#include "app/measure.h"
#include "app/sweep.h"

/** Configurations of a sweep by their numbers, each once. */
enum { APP_PICKS_MOST = 128 };
typedef struct app_picks {
    size_t number[APP_PICKS_MOST];
    size_t count;
} app_picks;

/** Add a number, unless it is there, or there is no room. */
void app_picks_add(app_picks *picks, size_t number);

/** All add to the sweep what it does not have yet, and to the picks what is to be tried.
 *  @param[in] around  number of the configuration that is known
 *  @param[in] facts   what its plan came to
 *  @return APP_DONE; APP_FAILED after a message */

/** More and fewer segments, with as many more or fewer pencils. */
int app_search_cuts(app_sweep *sweep, size_t around, const app_facts *facts, app_picks *picks);

/** Segments and pencils on their own, the other variants of the graph, and the other exchange. */
int app_search_variants(app_sweep *sweep, size_t around, const app_facts *facts, app_picks *picks);

/** Scheduling policies, all but the one in force.
 *  @param[in] list  names with commas, or "all"; NULL: those that need no performance models, and
 *                   are meant for tasks that are alike
 *  @return APP_USAGE, too, after a message: there is no such policy */
int app_search_policies(app_sweep *sweep, size_t around, const app_facts *facts, const char *list,
                        app_picks *picks);

#endif
