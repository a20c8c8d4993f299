/** @file tuned_words.h  What `psg tune` has stored, for people and programs. */
#ifndef PSG_APP_TUNED_WORDS_H
#define PSG_APP_TUNED_WORDS_H

#include "graph/psg.h"
#include "graph/psg_machine.h"

#include <jansson.h>

typedef struct app_tuned {
    psg_tuned *list; /**< the caller frees it */
    size_t count;
} app_tuned;

/** What is in the cache folder. @return APP_DONE; APP_FAILED after a message */
int app_tuned_find(const psg_options *options, app_tuned *tuned);

/** Lines on stdout, one for each; what cannot be used says why. */
void app_tuned_print(const app_tuned *tuned);

/** All of them. NULL when out of memory. */
json_t *app_tuned_json(const app_tuned *tuned);

#endif
