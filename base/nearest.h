/** @file nearest.h  The word that was probably meant. */
#ifndef PSG_BASE_NEAREST_H
#define PSG_BASE_NEAREST_H

#include <stddef.h>

/** The word among `words` (ends with NULL) that was probably meant, or NULL if none is near: few
 *  letters differ, or a word of the list begins `word`. */
const char *base_nearest(const char *word, const char *const *words);

/** How many letters must be added, dropped, replaced or swapped with their neighbour to get from
 *  one word to the other; words longer than 63 letters are compared by their first 63. */
size_t base_edit_distance(const char *a, const char *b);

#endif
