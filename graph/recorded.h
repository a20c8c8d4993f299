/** @file recorded.h  The recorded machines that come with the library. */
#ifndef PSG_GRAPH_RECORDED_H
#define PSG_GRAPH_RECORDED_H

#include <stddef.h>

/** The names of the machines of psg_recorded_list(), a blank before each.
 *  @param[out] text  `size` bytes; names that do not fit are cut */
void psg_recorded_names(char *text, size_t size);

#endif
