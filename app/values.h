/** @file values.h  Option values from text, strictly: nothing before them, nothing after them. */
#ifndef PSG_APP_VALUES_H
#define PSG_APP_VALUES_H

#include "graph/psg.h"

#include <stdbool.h>
#include <stddef.h>

/** A word that an option takes, and what it means. A table of them ends with name NULL. */
typedef struct app_choice {
    const char *name;
    int value;
} app_choice;

/** Up to three numbers that may not have been given. axes: how many were; of a box, sides and
 *  points one is for all axes. */
typedef struct app_grid_value {
    bool given;
    int axes; /**< 2 or 3, of arrays */
    size_t n[3];
} app_grid_value;

typedef struct app_box_value {
    bool given;
    int axes;
    double length[3];
} app_box_value;

typedef struct app_place_value {
    bool given;
    int axes; /**< 2 or 3 */
    double at[3];
} app_place_value;

/** --bc: PP,DN,NN or one pair for all axes; --points: cells, nodes or c,n,c. */
typedef struct app_sides_value {
    bool given;
    int axes;
    psg_bc bc[3][2];
} app_sides_value;
typedef struct app_points_value {
    bool given;
    int axes;
    psg_points points[3];
} app_points_value;

#define APP_GPUS_MAX 64

/** `--gpus`: a count, or device numbers. */
typedef struct app_gpus_value {
    int count;   /**< -1: not given */
    bool listed; /**< ids has the device numbers */
    int ids[APP_GPUS_MAX];
} app_gpus_value;

/** The letters of --bc, by psg_bc. */
extern const char app_bc_letters[];

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
/** N of a cube, NXxNY or NXxNYxNZ: everywhere x joins the extents of a box, and a comma separates
 *  values of a list */
int app_value_grid(const char *text, void *field, const app_choice *choices);
/** Have both as many axes and points? */
bool app_same_size(const app_grid_value *a, const app_grid_value *b);
/** Of two axes: the grid of three that has the same tasks. */
void app_grid_thin(app_grid_value *grid);
/** L, LXxLY or LXxLYxLZ */
int app_value_box(const char *text, void *field, const app_choice *choices);
/** X,Y,Z or X,Y: finite numbers */
int app_value_place(const char *text, void *field, const app_choice *choices);
int app_value_sides(const char *text, void *field, const app_choice *choices);
int app_value_points(const char *text, void *field, const app_choice *choices);
int app_value_choice(const char *text, void *field, const app_choice *choices); /**< int */
int app_value_text(const char *text, void *field, const app_choice *choices);   /**< const char * */
int app_value_policy(const char *text, void *field, const app_choice *choices); /**< const char * */

/** A row is all that an option needs: getopt's table, the value's parser, the help text and the
 *  message for a wrong value are made from it. */
typedef struct app_option_row {
    const char *heading;  /**< the help text begins a group here */
    const char *name;     /**< NULL ends the table */
    const char *argument; /**< NULL: takes none, sets a bool */
    int (*parse)(const char *text, void *field, const app_choice *choices);
    size_t field; /**< in the struct of arguments */
    const app_choice *choices;
    const char *expected; /**< "expected ..." in messages; choices say it themselves */
    const char *help;     /**< broken into lines where it is shown; '\n' breaks, too */
    /** most users need it: --help has these alone, and --help all has the others too */
    bool first;
} app_option_row;

/** Say what an option expects in place of `text`. @return APP_USAGE */
int app_wrong_value(const app_option_row *row, const char *text);

#endif
