/** @file arguments.h  The command lines of `psg solve` and `psg info`: one table of options each,
 *  which also makes the help text. */
#ifndef PSG_APP_ARGUMENTS_H
#define PSG_APP_ARGUMENTS_H

#include "app/grid_sides.h"
#include "app/help.h"
#include "app/option_lines.h"

#include <stdbool.h>

/** The option of the solver of this name, into an app_options at `field`; "*": all that are in no
 *  other row of the command. The second one is among the first of --help. @param[in] help  in place
 *  of the library's; NULL */
#define APP_SOLVER_ROW(heading, name, field, help)                                                 \
    { heading, name, NULL, app_value_of_solver, field, NULL, NULL, help, false }

#define APP_FIRST_SOLVER_ROW(heading, name, field, help)                                           \
    { heading, name, NULL, app_value_of_solver, field, NULL, NULL, help, true }

/** Rows that several commands have. FIELD(member) is the offset of a member in the command's struct
 *  of arguments. An option without an argument sets the bool of its name, and an option with a file
 *  the text of its name. */
#define APP_FLAG_ROW(heading, member, help)                                                        \
    { heading, #member, NULL, NULL, FIELD(member), NULL, NULL, help, false }
#define APP_FILE_ROW(heading, member, expected, help)                                              \
    { heading, #member, "FILE", app_value_text, FIELD(member), NULL, expected, help, false }
#define APP_GRID_ROW(heading, first, help)                                                         \
    {                                                                                              \
        heading, "grid", "N|NXxNYxNZ|NXxNY", app_value_grid, FIELD(grid), NULL,                    \
            "N, NXxNYxNZ or NXxNY, whole numbers from 1", help, first                              \
    }
#define APP_BOX_ROW(first, help)                                                                   \
    {                                                                                              \
        NULL, "box", "L|LXxLYxLZ|LXxLY", app_value_box, FIELD(box), NULL,                          \
            "L, LXxLYxLZ or LXxLY, finite lengths above 0", help, first                            \
    }
#define APP_BC_ROW(first, help)                                                                    \
    {                                                                                              \
        NULL, "bc", "SIDES", app_value_sides, FIELD(sides), NULL,                                  \
            "two letters of P, D, N, F, R for x, y and z, as PP,DN,NN, or two for all axes", help, \
            first                                                                                  \
    }
#define APP_POINTS_ROW(help)                                                                       \
    {                                                                                              \
        NULL, "points", "cells|nodes|c,n,c", app_value_points, FIELD(points), NULL,                \
            "cells, nodes, or c or n for x, y and z, as c,n,c", help, false                        \
    }
#define APP_JSON_ROW(help)                                                                         \
    APP_FILE_ROW("Result", json, "FILE, or - for stdout", help " as JSON; - is stdout")
#define APP_FORCE_ROW                                                                              \
    APP_FLAG_ROW(NULL, force,                                                                      \
                 "replace files that are there already and that psg did not write; without it "    \
                 "they are refused")
#define APP_QUIET_ROW APP_FLAG_ROW(NULL, quiet, "print errors only")

/** --trace, --dag and --bounds. @param[in] last  what the command repeats: "solve" or "run" */
#define APP_RECORD_ROWS(last)                                                                      \
    APP_FILE_ROW(NULL, trace, "FILE",                                                              \
                 "write when which worker did what, every message, and every copy to, from and "   \
                 "between GPUs, for ui.perfetto.dev or chrome://tracing"),                         \
        APP_FILE_ROW(NULL, dag, "FILE",                                                            \
                     "write the task graph of the last " last                                      \
                     ", with times and bytes: for Graphviz (dot -Tsvg FILE), FILE.json, or "       \
                     "FILE.rec, which starpu_replay and psg run replay:FILE.rec run again"),       \
        APP_FLAG_ROW(                                                                              \
            NULL, bounds,                                                                          \
            "say how short the last " last " could have been: by its longest chain of "            \
            "tasks, by their work, by the bytes to move. The first three times on a machine "      \
            "it measures memory, which takes up to some seconds")

/** A file of such options, into an app_options at `field`. */
#define APP_OPTIONS_ROW(field)                                                                     \
    {                                                                                              \
        NULL, "options", "FILE", app_value_of_options, field, NULL, NULL,                          \
            "read options from a file, a line NAME = VALUE for each, with the names of "           \
            "psg_options; options that follow on the command line win. psg tune writes such "      \
            "files",                                                                               \
            false                                                                                  \
    }

/** Stand in such rows; they read nothing themselves. */
int app_value_of_solver(const char *text, void *field, const app_choice *choices);
int app_value_of_options(const char *text, void *field, const app_choice *choices);

enum {
    APP_PROBLEM_NONE = -1,
    APP_PROBLEM_MADELUNG,
    APP_PROBLEM_MODES,
    APP_PROBLEM_CAVITY,
    APP_PROBLEM_LID,
    APP_PROBLEM_ISOLATED,
    APP_PROBLEM_BEAM,
    APP_PROBLEM_SLAB,
    APP_PROBLEM_COUNT
};

/** Their names, in that order. */
extern const app_choice app_problem_choices[];

/** What the command line says; -1, 0 or NULL where it says nothing. Texts are borrowed from
 *  argv. */
typedef struct app_arguments {
    app_options solver;
    const char *in, *out, *faces, *robin, *values, *gradient, *guess, *json, *trace, *dag;
    const char *epsilon, *faces_epsilon; /* on faces epsilon is the same text */
    const char *epsilon_option;          /* "epsilon" or "faces-epsilon": which one it is of */
    double tolerance;                    /* of a solve with epsilon; 0: the library's */
    unsigned iterations;                 /* the same */
    int problem, lattice, form;
    app_grid_value grid;
    app_box_value box;
    app_sides_value sides;
    app_points_value points;
    unsigned repeat;
    int resident; /* f and u are slabs */
    bool verify, bounds, force, quiet, verbose;
    bool machines; /* of psg info: list those that are recorded */
} app_arguments;

/** argv[0] is the subcommand. Both print the help text if it is asked for.
 *  @return APP_DONE; APP_USAGE after a message; APP_HELPED: all is done */
enum { APP_HELPED = -1 };
int app_arguments_solve(int argc, char **argv, app_arguments *arguments);
int app_arguments_info(int argc, char **argv, app_arguments *arguments);

/** After the rows are read. @return APP_DONE; APP_USAGE after a message: options contradict each
 *  other */
int app_arguments_settle(app_arguments *arguments);

/** The name of an option that was given and is for simulations only, but for --machine; NULL. */
const char *app_options_simulated(const app_options *options);

/** The same for a command with options of its own. @param[out] arguments  the struct that
 *  `field` in its rows is about, with the defaults in it */
int app_arguments_parse(const app_command_text *command, int argc, char **argv, void *arguments);

/** The same for a command that begins with an operand, as psg view FILE.
 *  @param[in] missing  what is said where there is none. @param[out] operand  part of argv */
int app_arguments_parse_operand(const app_command_text *command, const char *missing, int argc,
                                char **argv, void *arguments, const char **operand);

/** Gets a command's rows, those of the solver's options and the common ones among them. */
typedef void app_rows_visit(const app_command_text *command, const app_option_row *rows,
                            void *context);

/** From now on --help of each command gives its rows to `visit` in place of printing them; NULL:
 *  prints them again. */
void app_arguments_visit(app_rows_visit *visit, void *context);

#endif
