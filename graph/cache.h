/** @file cache.h  The folder for what a machine has learnt. */
#ifndef PSG_GRAPH_CACHE_H
#define PSG_GRAPH_CACHE_H

#include "graph/psg.h"

#include <stdbool.h>

/** The path of a file in the folder for what a machine has learnt.
 *  @return false: there is no such folder to be had, and psg_last_error() says why, or "" */
bool psg_cache_file(const psg_options *options, const char *name, char *path, size_t size);
/** A home folder may be shared by machines that differ, so names of files end with the
 *  machine's. */
void psg_cache_host(char *host, size_t size);
/** What FFTW learnt before about the plan's precision, to be freed by free(). FFTW stops the
 *  process over damaged wisdom, so a text whose checksum is wrong is not returned. @return NULL:
 *  nothing */
char *psg_wisdom_read(const psg_plan *plan);
/** Keep what FFTW has learnt, with what other processes have kept meanwhile. Where that cannot be
 *  written the next process searches for plans again. */
void psg_wisdom_keep(const psg_plan *plan);

#endif
