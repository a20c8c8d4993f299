/** @file option_file.h  Options as text: a line "name = value" for each. */
#ifndef PSG_GRAPH_OPTION_FILE_H
#define PSG_GRAPH_OPTION_FILE_H

#include "graph/psg.h"

/** Set the options of a text, as psg_options_read() does. The text is cut into pieces, which
 *  policy, cache_dir and machine point to.
 *  @param[in] path  for the words */
psg_status psg_options_parse(psg_options *options, char *text, const char *path);

#endif
