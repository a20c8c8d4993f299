/* The options of the subcommands. A row here is all that an option needs: getopt's table, the
 * value's parser, the help text and the message for a wrong value are made from it. */
#include "app/arguments.h"
#include "app/app.h"
#include "app/members.h"
#include "app/problems.h"
#include "app/processes.h"
#include "base/nearest.h"
#include "graph/psg_kernel.h"
#include "graph/psg_machine.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef app_option_row option_row;
typedef app_command_text command_text;

const app_choice app_problem_choices[] = {
    {"madelung", APP_PROBLEM_MADELUNG}, {"modes", APP_PROBLEM_MODES},
    {"cavity", APP_PROBLEM_CAVITY},     {"lid", APP_PROBLEM_LID},
    {"isolated", APP_PROBLEM_ISOLATED}, {"beam", APP_PROBLEM_BEAM},
    {"slab", APP_PROBLEM_SLAB},         {NULL, 0}};
static const app_choice lattice_choices[] = {
    {"nacl", APP_NACL}, {"cscl", APP_CSCL}, {"zns", APP_ZNS}, {NULL, 0}};

static const app_choice form_choices[] = {{"space", PSG_KERNEL_FORM_SPACE},
                                          {"modes", PSG_KERNEL_FORM_MODES},
                                          {"spectrum", PSG_KERNEL_FORM_SPECTRUM},
                                          {NULL, 0}};

#define FIELD(member) offsetof(app_arguments, member)
#define ROW_SOLVER(name) APP_SOLVER_ROW(NULL, name, FIELD(solver), NULL)

static const option_row solve_rows[] = {
    {"Field", "in", "FILE[:DATASET]", app_value_text, FIELD(in), NULL, "FILE:DATASET",
     "the right-hand side f: an HDF5 data set [nz][ny][nx], or [ny][nx] in 2-D, real or integer. "
     "It gives the grid, the precision, and by its attribute `box` (lx, ly, lz) the box. DATASET "
     "may be left out where the file has one of rank 3, or one of rank 2 and none of 3. /GROUP/* "
     "takes all data sets of a group as time steps. Or a file of NumPy's, .npy, with f4 or f8 in C "
     "order",
     true},
    {NULL, "out", "FILE[:DATASET]", app_value_text, FIELD(out), NULL, "FILE:DATASET",
     "where the potential u goes, an HDF5 data set, or the group of the time steps; DATASET "
     "default: /potential. A FILE that is there keeps all else that it has. It appears whole or "
     "not at all. A .xmf beside it opens in ParaView. A FILE.npy becomes a file of NumPy's",
     true},
    APP_BOX_ROW(
        true,
        "lengths of the box, in your unit of length, in the order x, y, z, while data sets are "
        "[nz][ny][nx]; LXxLY in 2-D; default: the attribute `box` of the input, else 1x1x1"),
    APP_BC_ROW(true,
               "the lower and the upper side of x, y and z, as PP,DN,NN, in 2-D PP,DN, or of all "
               "axes, as DD: P periodic, D Dirichlet (u = 0), N Neumann (the derivative of u "
               "across the side is 0), F free (f is 0 beyond, and u goes on), R Robin (the "
               "derivative outward is -K u, see --robin); default: PP"),
    APP_POINTS_ROW(
        "where points are on axes with D or N sides: in the middle of cells, or on nodes, of which "
        "a Neumann side has one and a Dirichlet side has none; default: cells"),
    {NULL, "faces", "z=FILE", app_value_text, FIELD(faces), NULL, "z=FILE",
     "the cells along z, in 2-D y=FILE, are between these n + 1 increasing positions: a text of "
     "numbers, a FILE.npy or FILE:DATASET. Along z it is fd2; x and y have --symbol",
     false},
    {NULL, "robin", "z=K0,K1", app_value_text, FIELD(robin), NULL, "z=K0,K1",
     "K of the lower and of the upper R side along z, in 2-D y=K0,K1: >= 0, of another side 0",
     false},
    APP_FILE_ROW(
        NULL, values, "FILE",
        "what holds on D, N and R sides, from HDF5 data sets x0, x1 [nz][ny], y0, y1 [nz][nx], z0, "
        "z1 [ny][nx]: u on a D side, the derivative of u along the axis on an N side, that less K0 "
        "u on a lower R side, plus K1 u on an upper one, in the precision of the solve; 0 where "
        "there is none. For --symbol fd2; with epsilon times that of the side"),
    {NULL, "gradient", "FILE[:GROUP]", app_value_text, FIELD(gradient), NULL, "FILE:GROUP",
     "where the derivatives of u go, HDF5 data sets x, y and z of GROUP, default: /gradient. With "
     "--symbol spectral they are those at the points, for periodic and free axes; with fd2 each "
     "is the difference of u at the next point and at the point, over their distance",
     false},
    {"Variable coefficients", "epsilon", "FILE[:DATASET]", app_value_text, FIELD(epsilon), NULL,
     "FILE:DATASET",
     "solve div(epsilon grad u) - lambda u = X f by conjugate gradients: epsilon above 0, or 0 "
     "in bodies, in a data set like f. For --in and --symbol fd2, with periodic, D, F and, for "
     "cells, N sides, and --faces",
     false},
    {NULL, "faces-epsilon", "FILE[:GROUP]", app_value_text, FIELD(faces_epsilon), NULL,
     "FILE:GROUP",
     "in place of --epsilon: on faces, in data sets x, y and z of GROUP, each like f, or of FILE "
     "itself: element (i,j,k) of x is between points i and i + 1, and the last one at the upper "
     "side; a lower D side has the first one; 0 closes a face",
     false},
    {NULL, "tolerance", "X", app_value_factor, FIELD(tolerance), NULL,
     "a number above 0 and below 1",
     "end when ||residual|| <= X ||right-hand side||; default: 1e-10 in f64, 1e-6 in f32", false},
    {NULL, "iterations", "N", app_value_unsigned, FIELD(iterations), NULL, "a whole number from 1",
     "give up after N iterations; default: 1000", false},
    {NULL, "guess", "FILE[:DATASET]", app_value_text, FIELD(guess), NULL, "FILE:DATASET",
     "begin the iterations of each step at these u, in a data set like f", false},
    {"Built-in problem, in place of --in", "problem", "NAME", app_value_choice, FIELD(problem),
     app_problem_choices, NULL,
     "madelung: a crystal's ions as Gaussian charges; prints the Madelung constant beside the "
     "literature's. modes: a sum of modes of the box, or of point charges along a free z; prints "
     "the error of u. cavity: a charge in the middle of a conducting cube; its mirror images are "
     "the crystal of rock salt, so the same constant is printed. lid: a cube whose upper side "
     "along z has u = 1, the others 0; u in the middle is 1/6. isolated, beam, slab: a Gaussian "
     "charge with all sides free, with x and y free, with z free; prints the error of u",
     true},
    {NULL, "lattice", "NAME", app_value_choice, FIELD(lattice), lattice_choices, NULL,
     "of madelung: nacl, cscl or zns; default: nacl", false},
    APP_GRID_ROW(NULL, true,
                 "number of points along x, y and z; any size, odd and prime too. u is written as "
                 "[nz][ny][nx]. NXxNY is a problem in 2-D, and u [ny][nx]"),
    APP_SOLVER_ROW(
        "Equation", "precision", FIELD(solver),
        "precision of u and all arithmetic; default: as the input's (f64 for integers), else f64"),
    APP_FIRST_SOLVER_ROW(NULL, "factor", FIELD(solver), NULL),
    {NULL, "kernel-form", "space|modes|spectrum", app_value_choice, FIELD(form), form_choices, NULL,
     "of --kernel FILE: values G at the points, u = -X times the sum of G f over the points and "
     "the "
     "volume of a cell; or multipliers T of the modes, u = -X T f: 1/k^2 is the equation's; "
     "spectrum: "
     "of all modes of a periodic box, as numpy.fft.rfftn() has them; default: space",
     false},
    ROW_SOLVER("*"),
    APP_OPTIONS_ROW(FIELD(solver)),
    APP_JSON_ROW("write all results and times"),
    {NULL, "verify", NULL, NULL, FIELD(verify), NULL, NULL,
     "check lap(u) - lambda u = X f by other means than FFTs, at all points or, where that takes "
     "long, at a sample",
     true},
    APP_RECORD_ROWS("solve"),
    APP_FORCE_ROW,
    APP_QUIET_ROW,
    APP_FLAG_ROW(NULL, verbose,
                 "print how the solve was cut into tasks, and errors of the library with the line "
                 "of its sources"),
    {"Solves", "data", "host|resident", app_value_choice, FIELD(resident), app_data_choices, NULL,
     "solve from and to arrays in main memory, or keep f and u where they are computed, as in a "
     "simulation on GPUs: the times are then without the copies of f and u; default: host",
     false},
    {NULL, "repeat", "N", app_value_unsigned, FIELD(repeat), NULL, "a whole number from 1",
     "solve N times; prints the median and the minimum of the times; default: 1", false},
    {.name = NULL}};

static const option_row info_rows[] = {
    APP_FLAG_ROW("Show", machines,
                 "the recorded machines that come with psg, and nothing else: names for --machine "
                 "of a psg that simulates"),
    APP_SOLVER_ROW("Machine", "cpus", FIELD(solver), NULL),
    ROW_SOLVER("gpus"),
    ROW_SOLVER("cpu_share"),
    ROW_SOLVER("policy"),
    ROW_SOLVER("machine"),
    ROW_SOLVER("nodes"),
    ROW_SOLVER("network"),
    APP_GRID_ROW(
        "Grid", false,
        "say what memory a grid of so many points takes, where its spectrum would be, and whether "
        "f and u find room on the GPUs, by a plan that is not solved. Lengths that are slow to "
        "transform are named, each with a fast one. With --nodes: the time of a solve"),
    APP_BC_ROW(false, "with --grid: its sides, as in psg solve; default: PP"),
    APP_POINTS_ROW("with --bc: where points are on axes with D or N sides; default: cells"),
    APP_SOLVER_ROW(NULL, "precision", FIELD(solver), "with --grid: of f and u; default: f64"),
    APP_SOLVER_ROW(
        NULL, "kernel", FIELD(solver),
        "with --grid: in place of the symbol, as in psg solve. A file is not opened, and "
        "is taken for values in space; default: auto"),
    APP_JSON_ROW("write all of it"),
    APP_FORCE_ROW,
    {.name = NULL}};

enum { ROWS_MOST = 64 };

static const command_text solve_text = {
    .name = "solve",
    .rows = solve_rows,
    .intro =
        "Usage: psg solve --in FILE[:DATASET] [--out FILE[:DATASET]] [OPTION]...\n"
        "  or:  psg solve --problem NAME --grid N|NXxNYxNZ|NXxNY [OPTION]...\n"
        "\n"
        "Solve Poisson's equation lap(u) - lambda u = X f on a 3-D box by FFT, as a\n"
        "task graph on the CPU cores and GPUs of this machine; started by mpirun, on those of\n"
        "all its processes, each of which reads, solves and writes planes of its own.\n",
    .end =
        "Examples:\n"
        "  psg solve --problem madelung --grid 64\n"
        "         the Madelung constant of rock salt, to 12 digits\n"
        "  psg solve --in rho.h5:/density --out phi.h5:/potential --box 10x10x20 --verify\n"
        "         the potential of your own field, checked\n"
        "  psg solve --in rho.h5:/density --out phi.h5:/potential --factor '4*pi*6.6743e-11'\n"
        "         gravity in SI units: rho in kg/m^3, lengths in m, phi in J/kg\n"
        "  psg solve --in rho.h5:/density --out phi.h5:/potential --bc DD,DD,PP\n"
        "         in a conducting channel along z\n"
        "  psg solve --in 'rho.h5:/steps/*' --out phi.h5:/phi\n"
        "         all time steps of a simulation by one plan\n"
        "  psg solve --problem modes --grid 63x64x65 --graph staged --repeat 10 --json times.json\n"
        "         the time of each stage, for a script\n"
        "  mpirun -n 4 psg solve --in rho.h5:/density --out phi.h5:/potential\n"
        "         by four processes, on one machine or several\n"
        "\n"
        "Exit status:\n"
        "  0      solved, and everything that was checked was right\n"
        "  1      failed: a file cannot be written, a device or memory is missing, or a check of\n"
        "         the result did not hold\n"
        "  2      the command line, or the input that it names, has to be changed\n"
        "  130    ended by SIGINT\n"
        "  143    ended by SIGTERM\n"};

static const command_text info_text = {
    .name = "info",
    .rows = info_rows,
    .intro =
        "Usage: psg info [OPTION]...\n"
        "\n"
        "Show what psg was built with, the CPU and GPU workers that a solve with these options\n"
        "would have, the scheduling policies there are, and what psg tune has stored; started by\n"
        "mpirun, the workers of all processes. With --grid, what memory a grid takes.\n",
    .end = "Examples:\n"
           "  psg info\n"
           "         all workers\n"
           "  psg info --machines\n"
           "         the machines that a psg that simulates knows by name\n"
           "  psg info --grid 2048\n"
           "         does a grid of 2048 x 2048 x 2048 points fit this machine, and its GPUs?\n"
           "  psg info --gpus 0 --json -\n"
           "         without GPUs, as JSON on stdout\n"};

/* ------------------------------------------------------------------------------- expansion */

enum { COMMON_HELP, COMMON_VERSION, COMMON };
/* What every command has, after its own rows. */
static const option_row common_rows[COMMON + 1] = {
    [COMMON_HELP] = {"Other", "help", "[all]", NULL, 0, NULL, NULL,
                     "print this text; all: with every option of the command", false},
    [COMMON_VERSION] = {NULL, "version", NULL, NULL, 0, NULL, NULL, "print the version", false},
    [COMMON] = {.name = NULL}};

static struct {
    app_rows_visit *visit;
    void *context;
} visitor;

void app_arguments_visit(app_rows_visit *visit, void *context) {
    visitor.visit = visit;
    visitor.context = context;
}

/* The rows of a command with the solver's options in their places. */
typedef struct expansion {
    option_row rows[ROWS_MOST + COMMON + 1];
    size_t option[ROWS_MOST]; /* of a row of the library: its psg_option_at() */
    char help[ROWS_MOST][600];
    size_t count;      /* of the command; the common ones follow */
    const char *group; /* whose heading came last */
    int (*take)(const option_row *row, const char *text, void *arguments); /* the command's */
} expansion;

int app_value_of_solver(const char *text, void *field, const app_choice *choices) {
    (void)text;
    (void)field;
    (void)choices;
    return -1;
}

int app_value_of_options(const char *text, void *field, const app_choice *choices) {
    return app_value_of_solver(text, field, choices);
}

static bool is_solver(const option_row *row) {
    return row->parse == app_value_of_solver;
}

static void add_solver_row(expansion *e, const option_row *place, size_t index,
                           const char *heading) {
    char standard[64];
    app_options defaults;
    app_options_init(&defaults);
    app_options_text(&defaults.options, index, standard, sizeof standard);
    (void)snprintf(e->help[e->count], sizeof e->help[0], "%s; default: %s", app_option_help(index),
                   standard);
    e->option[e->count] = index;
    e->rows[e->count] = (option_row){.heading = heading,
                                     .name = app_option_name(index),
                                     .argument = app_option_argument(index),
                                     .field = place->field,
                                     .help = place->help != NULL ? place->help : e->help[e->count],
                                     .parse = app_value_of_solver,
                                     .first = place->first};
    e->count++;
}

/* The options that a command leaves to --dag, --trace and --bounds, or that have a row of their
 * own. */
static bool has_place(const command_text *command, size_t index) {
    bool found = strcmp(psg_option_at(index)->name, "record") == 0;
    for (const option_row *row = command->rows; row->name != NULL && !found; row++) {
        found = is_solver(row) && app_option_index(row->name) == index;
    }
    return found;
}

static void expand(const command_text *command, expansion *e) {
    e->count = 0;
    e->group = "";
    e->take = command->take;
    for (const option_row *row = command->rows; row->name != NULL; row++) {
        e->group = row->heading != NULL ? row->heading : e->group;
        if (!is_solver(row)) {
            e->rows[e->count++] = *row;
        } else if (strcmp(row->name, "*") != 0) {
            add_solver_row(e, row, app_option_index(row->name), row->heading);
        } else {
            for (size_t index = 0; psg_option_at(index) != NULL; index++) {
                const char *group = psg_option_at(index)->group;
                if (!has_place(command, index)) {
                    add_solver_row(e, row, index, strcmp(group, e->group) != 0 ? group : NULL);
                    e->group = group;
                }
            }
        }
    }
    memcpy(&e->rows[e->count], common_rows, sizeof common_rows);
}

/* The command's name of an option of the library that is given by the library's name; else the word
 * itself. */
static const char *own_name(const char *word) {
    char name[64] = "";
    for (size_t m = 0; word[m] != '\0' && m + 1 < sizeof name; m++) {
        name[m] = (char)(word[m] == '-' ? '_' : word[m]);
    }
    const size_t index = app_option_index(name);
    return index != SIZE_MAX ? app_option_name(index) : word;
}

/* getopt did not know the option, or knew too many that begin so. */
static int unknown_option(const command_text *command, const option_row *rows, const char *given) {
    char word[64], several[512] = "";
    const char *names[ROWS_MOST + COMMON + 1];
    size_t count = 0, length = 0;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(given, "="), given);
    const char *bare = word + strspn(word, "-");
    for (const option_row *row = rows; row->name != NULL; row++) {
        names[count++] = row->name;
        if (bare[0] && strncmp(row->name, bare, strlen(bare)) == 0 && length < sizeof several) {
            length += (size_t)snprintf(several + length, sizeof several - length, "%s'--%s'",
                                       length ? ", " : "", row->name);
        }
    }
    names[count] = NULL;
    bare = own_name(bare);
    if (several[0] && strncmp(word, "--", 2) == 0) {
        return app_error(APP_USAGE, "option '%s' is ambiguous: %s", word, several);
    }
    const char *nearest = base_nearest(bare, names);
    if (nearest != NULL) {
        return app_error(APP_USAGE, "unknown option '%s': did you mean '--%s'?", word, nearest);
    }
    return app_error(APP_USAGE, "unknown option '%s'; see psg %s --help all", word, command->name);
}

/* One option that getopt knows. */
static int take(const expansion *e, size_t number, const char *text, void *arguments) {
    const option_row *row = &e->rows[number];
    void *field = (char *)arguments + row->field;
    if (e->take != NULL) {
        return e->take(row, text, arguments);
    }
    if (is_solver(row)) {
        return app_options_set(field, e->option[number], text);
    }
    if (row->parse == app_value_of_options) {
        return app_options_read(field, text);
    }
    if (row->argument == NULL) {
        *(bool *)field = true;
        return APP_DONE;
    }
    return row->parse(text, field, row->choices) ? app_wrong_value(row, text) : APP_DONE;
}

/* @param[in] which  the argument of --help, or the one behind it; NULL */
static int tell(const command_text *command, const option_row *rows, const char *which) {
    const bool all = which != NULL && strcmp(which, "all") == 0;
    if (which != NULL && which[0] != '-' && !all) {
        return app_error(APP_USAGE, "--help '%s': expected all, or nothing", which);
    }
    if (visitor.visit != NULL) {
        visitor.visit(command, rows, visitor.context);
    } else {
        app_help_print(command, rows, all);
    }
    return APP_HELPED;
}

static int parse_expanded(const command_text *command, const expansion *e, int argc, char **argv,
                          void *arguments) {
    enum { FIRST = 256 }; /* above every letter, so that getopt's values do not meet */
    struct option table[ROWS_MOST + COMMON + 1];
    size_t count = 0;
    for (; e->rows[count].name != NULL; count++) {
        table[count] = (struct option){
            e->rows[count].name, e->rows[count].argument != NULL ? required_argument : no_argument,
            NULL, FIRST + (int)count};
    }
    table[count] = (struct option){NULL, 0, NULL, 0};
    table[e->count + COMMON_HELP].has_arg = optional_argument;
    const int common = FIRST + (int)e->count;
    opterr = 0;
    optind = 1;
    int found;
    while ((found = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
        if (found == 'h' || found == common + COMMON_HELP) {
            return tell(command, e->rows, found != 'h' && optarg != NULL ? optarg : argv[optind]);
        }
        if (found == common + COMMON_VERSION) {
            char name[32];
            snprintf(name, sizeof name, "psg-%s", command->name);
            app_print_version(name);
            return APP_HELPED;
        }
        if (found == '?' && optopt >= FIRST) {
            return app_error(APP_USAGE, "option '--%s' takes no argument",
                             table[optopt - FIRST].name);
        }
        if (found == '?' &&
            optopt) { /* one letter; argv[optind] may still be in the midst of several */
            return app_error(APP_USAGE, "unknown option '-%c'; see psg %s --help all", optopt,
                             command->name);
        }
        if (found == '?') {
            return unknown_option(command, e->rows, argv[optind - 1]);
        }
        const size_t number = (size_t)((found == ':' ? optopt : found) - FIRST);
        const option_row *row = &e->rows[number];
        if (found == ':' || (row->argument != NULL && strncmp(optarg, "--", 2) == 0)) {
            return app_error(APP_USAGE, "option '--%s' needs an argument: %s", row->name,
                             row->argument);
        }
        const int code = take(e, number, optarg, arguments);
        if (code) {
            return code;
        }
    }
    return optind < argc ? app_error(APP_USAGE, "unexpected argument '%s'; see psg %s --help",
                                     argv[optind], command->name)
                         : APP_DONE;
}

int app_arguments_parse(const command_text *command, int argc, char **argv, void *arguments) {
    expansion *e = app_allocate(1, sizeof *e, "the options");
    if (e == NULL) {
        return APP_FAILED;
    }
    expand(command, e);
    const int code = parse_expanded(command, e, argc, argv, arguments);
    free(e);
    return code;
}

/* The operand stands first, in the place that getopt takes for the command's name. */
int app_arguments_parse_operand(const command_text *command, const char *missing, int argc,
                                char **argv, void *arguments, const char **operand) {
    const bool named = argc > 1 && argv[1][0] != '-';
    const int code = app_arguments_parse(command, argc - named, argv + named, arguments);
    *operand = named ? argv[1] : "";
    return code             ? code
           : !(*operand)[0] ? app_error(APP_USAGE, "%s", missing)
           : command->alone && app_ranks() > 1
               ? app_error(APP_USAGE, "psg %s is for one process: start it without mpirun",
                           command->name)
               : APP_DONE;
}

static int parse(const command_text *command, int argc, char **argv, app_arguments *arguments) {
    const int code = app_arguments_parse(command, argc, argv, arguments);
    if (!code && arguments->solver.options.cpus == 0 && arguments->solver.options.gpus == 0) {
        return app_error(APP_USAGE, "--cpus 0 --gpus 0: nothing is left to solve on");
    }
    return code;
}

static void set_defaults(app_arguments *arguments) {
    memset(arguments, 0, sizeof *arguments);
    app_options_init(&arguments->solver);
    arguments->problem = APP_PROBLEM_NONE;
    arguments->lattice = -1;
    arguments->form = -1;
    arguments->repeat = 1;
}

const char *app_options_simulated(const app_options *options) {
    return app_options_given(options, "nodes")     ? "nodes"
           : app_options_given(options, "network") ? "network"
                                                   : NULL;
}

int app_arguments_info(int argc, char **argv, app_arguments *arguments) {
    set_defaults(arguments);
    return parse(&info_text, argc, argv, arguments);
}

int app_arguments_solve(int argc, char **argv, app_arguments *arguments) {
    set_defaults(arguments);
    const int code = parse(&solve_text, argc, argv, arguments);
    return code ? code : app_arguments_settle(arguments);
}
