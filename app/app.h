/** @file app.h  What the files of the `psg` command share: exit codes, messages, the clock, and
 *  fields of either precision as rows of doubles. The command uses the library only by graph/psg.h. */
#ifndef PSG_APP_APP_H
#define PSG_APP_APP_H

#include "graph/psg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Exit codes. Usage is: the command line, or an input that it names, has to be changed. */
enum { APP_DONE = 0, APP_FAILED = 1, APP_USAGE = 2 };

/** Remarks on one run ("integers were read as f64"), for stderr and for the JSON report. */
typedef struct app_notes {
    bool quiet; /**< keep them from stderr */
    size_t count;
    char text[12][320]; /**< what does not fit is cut, what is too many is dropped */
} app_notes;

/** The planes of a field that this process holds, of a grid of nz: z0 .. z0+count-1. */
typedef struct app_planes {
    size_t z0, count;
} app_planes;

/** Print "psg: ..." and a newline on stderr, with ? in place of what would control a terminal;
 *  where there are several processes, keep it for
 *  app_ranks_agree(), so that it is printed once. @return code, for `return app_error(APP_USAGE,
 *  ...)` */
int app_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** 1 if a text is UTF-8 and has nothing in it that controls a terminal. */
bool app_is_plain(const char *text);

/** Print on stdout what has names in it, with ? in place of what would control a terminal. */
void app_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Print "psg: ..." and a newline on stderr at once. */
void app_print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Record a note, and print "psg: note: ..." on stderr unless quiet. */
void app_note(app_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The exit code that fits a status of the library: wrong arguments and data are usage. */
int app_exit_code(psg_status status);

/** "psg (PoissonGraph) 0.1.0" on stdout. @param[in] name  "psg", "psg-solve", ... */
void app_print_version(const char *name);

/** Seconds on a clock that only goes forward. */
double app_now(void);

/** "1.50 GiB" and the like. @param[out] text  size bytes, 32 are enough */
void app_bytes_text(char *text, size_t size, double bytes);

/** The name of a value, by the library's table. It is overwritten by the eighth call after this one. */
const char *app_precision_name(psg_precision precision);
const char *app_symbol_name(psg_symbol symbol);
const char *app_graph_name(psg_graph graph);
const char *app_exchange_name(psg_exchange exchange);
const char *app_layout_name(psg_z_layout layout);
const char *app_normalize_name(int normalize);

/** 4 or 8. */
size_t app_element_bytes(psg_precision precision);

/** Points of the grid (checked against overflow where the grid was made). */
size_t app_points(const psg_grid *grid);

/** The planes of this process. */
app_planes app_own_planes(const psg_grid *grid);

/** Points of those planes. */
size_t app_plane_points(const psg_grid *grid, app_planes planes);

/** Unit roundoff times 2 of the precision: DBL_EPSILON or FLT_EPSILON. */
double app_epsilon(psg_precision precision);

/** Read or write `count` elements of a field from element `first` on.
 *  @param[in,out] field  any number of elements of the precision
 *  @param[in,out] row    count doubles */
void app_get_row(const void *field, psg_precision precision, size_t first, size_t count,
                 double *row);
void app_put_row(void *field, psg_precision precision, size_t first, size_t count,
                 const double *row);

/** The next of a sequence of random numbers. */
uint64_t app_random(uint64_t *state);

/** Allocate, or say what could not be had and for what. @return NULL after a message; free() it */
void *app_allocate(size_t count, size_t element_bytes, const char *what);

#endif
