/** @file app.h  What the files of the `psg` command share: exit codes, messages, the clock, and
 *  fields of either precision as rows of doubles. The command uses the library only by
 *  graph/psg.h. */
#ifndef PSG_APP_APP_H
#define PSG_APP_APP_H

#include "app/words.h"
#include "graph/psg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The planes of a field that this process holds, of a grid of nz: z0 .. z0+count-1. Of two axes
 *  they are rows: see app_turned(). */
typedef struct app_planes {
    size_t z0, count;
} app_planes;

/** The exit code that fits a status of the library: wrong arguments and data are usage. */
int app_exit_code(psg_status status);

/** "psg (PoissonGraph) 0.1.0" on stdout. @param[in] name  "psg", "psg-solve", ... */
void app_print_version(const char *name);

/** Seconds on a clock that only goes forward. */
double app_now(void);

/** The name of an option's value, by the library's table. It is overwritten by the eighth call
 *  after this one. */
const char *app_word(const char *option, const psg_options *options);
#define APP_WORD(option, value)                                                                    \
    app_word(#option, &(psg_options){.struct_size = sizeof(psg_options), .option = (value)})
#define app_precision_name(value) APP_WORD(precision, value)
#define app_symbol_name(value) APP_WORD(symbol, value)
#define app_graph_name(value) APP_WORD(graph, value)
#define app_exchange_name(value) APP_WORD(exchange, value)
#define app_layout_name(value) APP_WORD(z_layout, value)
#define app_executor_name(value) APP_WORD(executor, value)

/** 4 or 8. */
size_t app_element_bytes(psg_precision precision);

/** Points of the grid (checked against overflow where the grid was made). */
size_t app_points(const psg_grid *grid);

/** Planes are shared out. So of two axes y takes the place of z, and planes have one row each. The
 *  same again turns the grid back. */
psg_grid app_turned(const psg_grid *grid);

/** The axis that axis d of the turned grid is, and the other way round. */
int app_turn(const psg_grid *grid, int d);

/** The planes of a process. */
app_planes app_planes_of(const psg_grid *grid, int rank);
app_planes app_own_planes(const psg_grid *grid);

/** The process that has a plane of nz. */
int app_plane_owner(size_t nz, size_t plane);

/** Points of those planes. */
size_t app_plane_points(const psg_grid *grid, app_planes planes);

/** Unit roundoff times 2 of the precision: DBL_EPSILON or FLT_EPSILON. */
double app_epsilon(psg_precision precision);
/** What messages that round may cost u, of its largest value; 0: none do. */
double app_wire_rounding(const psg_options *options);

/** Read or write `count` elements of a field from element `first` on.
 *  @param[in,out] field  any number of elements of the precision
 *  @param[in,out] row    count doubles */
void app_get_row(const void *field, psg_precision precision, size_t first, size_t count,
                 double *row);
void app_put_row(void *field, psg_precision precision, size_t first, size_t count,
                 const double *row);

/** Element `index` of a field. */
static inline double app_value_at(const void *field, psg_precision precision, size_t index) {
    return precision == PSG_F32 ? (double)((const float *)field)[index]
                                : ((const double *)field)[index];
}

/** The next of a sequence of random numbers. */
uint64_t app_random(uint64_t *state);

/** The libraries that the command uses, HDF5 among them, end the process where they find no memory
 *  for something small: is there some before they begin? @return APP_DONE; APP_FAILED after a
 *  message */
int app_room(void);

/** Allocate, or say what could not be had and for what. @return NULL after a message; free() it */
void *app_allocate(size_t count, size_t element_bytes, const char *what);

#endif
