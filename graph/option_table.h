/** @file option_table.h  The table of options: names, defaults, values. */
#ifndef PSG_GRAPH_OPTION_TABLE_H
#define PSG_GRAPH_OPTION_TABLE_H

#include "graph/psg.h"

#include <stdbool.h>

#define PSG_LAMBDA_EXPECTED                                                                        \
    "a finite number from 0; below 0 is the equation of waves, which psg does not solve"

/** An option that all processes have to have the same; of a text a digest. */
typedef struct psg_option_value {
    const char *name;
    double value;
} psg_option_value;

enum { PSG_OPTION_VALUES_MOST = 64 };

void psg_option_table_defaults(psg_options *options);
/** Is each value for itself one that its option can have? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_option_table_check(const psg_options *options);
/** @param[out] values  PSG_OPTION_VALUES_MOST @return how many there are */
size_t psg_option_table_same(const psg_options *options, psg_option_value *values);
/** The name of a choice of an option, static; NULL: it is none. And the choice of a name. */
const char *psg_option_table_word(const char *name, int choice);
bool psg_option_table_choice(const char *name, const char *text, int *choice);

#endif
