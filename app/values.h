/** @file values.h  Option values from text, strictly: nothing before them, nothing after them. */
#ifndef PSG_APP_VALUES_H
#define PSG_APP_VALUES_H

#include <stddef.h>

/** A word that an option takes, and what it means. A table of them ends with name NULL. */
typedef struct app_choice {
    const char *name;
    int value;
} app_choice;

/** Three numbers that may not have been given. */
typedef struct app_grid_value {
    int given;
    size_t n[3];
} app_grid_value;

typedef struct app_box_value {
    int given;
    double length[3];
} app_box_value;

#define APP_GPUS_MAX 64

/** `--gpus`: a count, or device numbers. */
typedef struct app_gpus_value {
    int count;  /**< -1: not given */
    int listed; /**< ids has the device numbers */
    int ids[APP_GPUS_MAX];
} app_gpus_value;

/** All return 0, or -1 when the text is not what they read; then nothing was written. `field` is
 *  the type that the name says: size_t, unsigned, int, double, app_grid_value, ... */
int app_value_unsigned(const char *text, void *field, const app_choice *choices); /**< >= 1 */
int app_value_cpus(const char *text, void *field, const app_choice *choices);     /**< int >= 0 */
int app_value_gpus(const char *text, void *field, const app_choice *choices);
int app_value_lambda(const char *text, void *field, const app_choice *choices); /**< finite, >= 0 */
/** finite, not 0: a number, or numbers and pi with * and / between them (double) */
int app_value_factor(const char *text, void *field, const app_choice *choices);
/** GB/s above 0, to a double of bytes per second */
int app_value_rate(const char *text, void *field, const app_choice *choices);
/** N, or NXxNYxNZ: everywhere x joins the extents of a box, and a comma separates values of a list */
int app_value_grid(const char *text, void *field, const app_choice *choices);
/** L, or LXxLYxLZ */
int app_value_box(const char *text, void *field, const app_choice *choices);
int app_value_choice(const char *text, void *field, const app_choice *choices); /**< int */
int app_value_text(const char *text, void *field, const app_choice *choices);   /**< const char * */
int app_value_policy(const char *text, void *field, const app_choice *choices); /**< const char * */

/** How many letters must be added, dropped, replaced or swapped with their neighbour to get from
 *  one word to the other; words longer than 63 letters are compared by their first 63. */
size_t app_edit_distance(const char *a, const char *b);

#endif
