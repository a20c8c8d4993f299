/** @file work_words.h  The words of workload_options, for `psg run` and `psg bench`. */
#ifndef PSG_APP_WORK_WORDS_H
#define PSG_APP_WORK_WORDS_H

#include "app/values.h"

/** Each ends with name NULL. */
extern const app_choice app_work_orders[], app_work_barriers[], app_work_priorities[],
    app_work_places[];

#endif
