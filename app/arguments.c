/* The options of the subcommands. A row here is all that an option needs: getopt's table, the
 * value's parser, the help text and the message for a wrong value are made from it. */
#include "app/arguments.h"
#include "app/app.h"
#include "app/problems.h"
#include "graph/psg_machine.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef app_option_row option_row;
typedef app_command_text command_text;

static const app_choice problem_choices[] = {
    {"madelung", APP_PROBLEM_MADELUNG}, {"modes", APP_PROBLEM_MODES}, {NULL, 0}};
static const app_choice lattice_choices[] = {
    {"nacl", APP_NACL}, {"cscl", APP_CSCL}, {"zns", APP_ZNS}, {NULL, 0}};
static const app_choice precision_choices[] = {{"f64", PSG_F64}, {"f32", PSG_F32}, {NULL, 0}};
static const app_choice symbol_choices[] = {
    {"spectral", PSG_SYMBOL_SPECTRAL}, {"fd2", PSG_SYMBOL_FD2}, {NULL, 0}};
static const app_choice mean_choices[] = {
    {"drop", PSG_MEAN_DROP}, {"error", PSG_MEAN_ERROR}, {NULL, 0}};
static const app_choice graph_choices[] = {
    {"fused", PSG_GRAPH_FUSED}, {"staged", PSG_GRAPH_STAGED}, {NULL, 0}};
static const app_choice exchange_choices[] = {{"managed", PSG_EXCHANGE_MANAGED},
                                              {"direct", PSG_EXCHANGE_DIRECT},
                                              {"mpi", PSG_EXCHANGE_MPI},
                                              {"alltoall", PSG_EXCHANGE_ALLTOALL},
                                              {NULL, 0}};
static const app_choice z_choices[] = {
    {"contiguous", PSG_Z_CONTIGUOUS}, {"strided", PSG_Z_STRIDED}, {NULL, 0}};
static const app_choice normalize_choices[] = {{"task", 1}, {"divide", 0}, {NULL, 0}};
static const app_choice effort_choices[] = {{"measure", PSG_EFFORT_MEASURE},
                                            {"estimate", PSG_EFFORT_ESTIMATE},
                                            {"patient", PSG_EFFORT_PATIENT},
                                            {NULL, 0}};

static const app_choice data_choices[] = {{"host", 0}, {"resident", 1}, {NULL, 0}};

static const app_choice tuned_choices[] = {{"yes", 1}, {"no", 0}, {NULL, 0}};

#define FIELD(member) offsetof(app_arguments, member)
#define ROW_CPUS                                                                                   \
    {                                                                                              \
        "Machine", "cpus", "N", app_value_cpus, FIELD(cpus), NULL, "a whole number from 0",        \
            "CPU workers; default: one per core, beside GPUs none\n"                               \
            "unless --cpu-share wants them"                                                        \
    }
#define ROW_GPUS                                                                                   \
    {                                                                                              \
        NULL, "gpus", "N|LIST", app_value_gpus, FIELD(gpus), NULL,                                 \
            "a count from 0, or different device numbers with commas",                             \
            "GPU workers: a count, or CUDA device numbers (0,2; or\n"                              \
            "2, with the comma, for number 2 alone); default: all"                                 \
    }
#define ROW_CPU_SHARE                                                                              \
    {                                                                                              \
        NULL, "cpu-share", "X|auto|free", app_value_cpu_share, FIELD(cpu_share), NULL,             \
            "auto, free, or a number from 0 to 1",                                                 \
            "the part of the planes and rows that CPU workers take\n"                              \
            "beside GPUs: a number from 0 to 1; auto: what promises to\n"                          \
            "be fastest by StarPU's models of the tasks, 0 where\n"                                \
            "these are not calibrated; free: the policy decides for\n"                             \
            "each task. default: auto"                                                             \
    }
#define ROW_SCHED                                                                                  \
    {                                                                                              \
        NULL, "sched", "POLICY", app_value_policy, FIELD(policy), NULL, "one of the policies",     \
            "StarPU's scheduling policy; `psg info` lists them;\n"                                 \
            "default: the one of STARPU_SCHED, or else StarPU's own"                               \
    }
#define ROW_MACHINE                                                                                \
    {                                                                                              \
        NULL, "machine", "NAME|FILE", app_value_text, FIELD(machine), NULL, "a name, or a file",   \
            "of a psg that simulates: a recorded machine, one of\n"                                \
            "`psg info --machines` or a file; default: the one that\n"                             \
            "PSG_MACHINE in the environment names"                                                 \
    }
#define ROW_NODES                                                                                  \
    {                                                                                              \
        NULL, "nodes", "N", app_value_unsigned, FIELD(nodes), NULL, "a whole number from 1",       \
            "of a psg that simulates: alike nodes, with a process\n"                               \
            "each, on the machine's cores and GPUs or as many as\n"                                \
            "--cpus and --gpus say; times, bytes and traces are those\n"                           \
            "of one. default: 1"                                                                   \
    }
#define ROW_NETWORK                                                                                \
    {                                                                                              \
        NULL, "network", "GB/S", app_value_rate, FIELD(network), NULL,                             \
            "a finite number above 0, in GB/s",                                                    \
            "between --nodes: what one sends, and what it receives, in\n"                          \
            "GB/s; default: as the machine's file says"                                            \
    }
#define ROW_FORCE                                                                                  \
    {                                                                                              \
        NULL, "force", NULL, NULL, FIELD(force), NULL, NULL,                                       \
            "replace files that are there already and that psg did\n"                              \
            "not write; without it they are refused"                                               \
    }
#define ROW_END                                                                                    \
    { NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL }

static const option_row solve_rows[] = {
    {"Field", "in", "FILE[:DATASET]", app_value_text, FIELD(in), NULL, "FILE:DATASET",
     "the right-hand side f: an HDF5 data set [nz][ny][nx],\n"
     "real or integer. It gives the grid, the precision, and\n"
     "by its attribute `box` (lx, ly, lz) the box. DATASET may\n"
     "be left out where the file has one of rank 3"},
    {NULL, "out", "FILE[:DATASET]", app_value_text, FIELD(out), NULL, "FILE:DATASET",
     "where the potential u goes, an HDF5 data set; DATASET\n"
     "default: /potential. A FILE that is there keeps all else\n"
     "that it has. It appears whole or not at all. A .xmf\n"
     "beside it opens in ParaView"},
    {NULL, "box", "L|LXxLYxLZ", app_value_box, FIELD(box), NULL,
     "L or LXxLYxLZ, finite lengths above 0",
     "lengths of the periodic box, in your unit of length, in\n"
     "the order x, y, z, while data sets are [nz][ny][nx];\n"
     "default: the attribute `box` of the input, else 1x1x1"},
    {"Built-in problem, in place of --in", "problem", "NAME", app_value_choice, FIELD(problem),
     problem_choices, NULL,
     "madelung: a crystal's ions as Gaussian charges; prints\n"
     "the Madelung constant beside the literature's. modes:\n"
     "a sum of Fourier modes; prints the error of u"},
    {NULL, "lattice", "NAME", app_value_choice, FIELD(lattice), lattice_choices, NULL,
     "of madelung: nacl, cscl or zns; default: nacl"},
    {NULL, "grid", "N|NXxNYxNZ", app_value_grid, FIELD(grid), NULL,
     "N or NXxNYxNZ, whole numbers from 1",
     "number of points along x, y and z; any size, odd and prime\n"
     "too. u is written as [nz][ny][nx]"},
    {"Equation", "symbol", "NAME", app_value_choice, FIELD(symbol), symbol_choices, NULL,
     "the Laplacian: spectral (-k^2) or fd2 (the 7-point\n"
     "stencil, solved exactly); default: spectral"},
    {NULL, "lambda", "X", app_value_lambda, FIELD(lambda), NULL, "a finite number from 0",
     "screening, in 1/length^2; default: 0"},
    {NULL, "factor", "X", app_value_factor, FIELD(factor), NULL,
     "a finite number other than 0, or a product such as 4*pi*6.674e-11",
     "solve for X f in place of f: gravity 4*pi*G, electric\n"
     "charge -1/eps0 (SI) or -4*pi (Gaussian units). X is a\n"
     "number, or numbers and pi with * and / between them;\n"
     "default: 1"},
    {NULL, "mean", "drop|error", app_value_choice, FIELD(mean), mean_choices, NULL,
     "a mean of f, for which a periodic box has no solution\n"
     "unless lambda > 0: drop it and say so, or fail;\n"
     "default: drop"},
    {NULL, "precision", "f64|f32", app_value_choice, FIELD(precision), precision_choices, NULL,
     "default: as the input's (f64 for integers), else f64"},
    {"Result", "verify", NULL, NULL, FIELD(verify), NULL, NULL,
     "check lap(u) - lambda u = X f by other means than FFTs,\n"
     "at all points or, where that takes long, at a sample"},
    {NULL, "json", "FILE", app_value_text, FIELD(json), NULL, "FILE, or - for stdout",
     "write all results and times as JSON; - is stdout"},
    {NULL, "trace", "FILE", app_value_text, FIELD(trace), NULL, "FILE",
     "write when which worker did what, every message, and\n"
     "every copy to, from and between GPUs, for\n"
     "ui.perfetto.dev or chrome://tracing"},
    {NULL, "dag", "FILE", app_value_text, FIELD(dag), NULL, "FILE",
     "write the task graph of the last solve, with its times,\n"
     "for Graphviz: dot -Tsvg FILE"},
    {NULL, "bounds", NULL, NULL, FIELD(bounds), NULL, NULL,
     "say how short the last solve could have been: by its\n"
     "longest chain of tasks, by their work, by the bytes to\n"
     "move. Measures memory first, for about 0.1 s"},
    ROW_FORCE,
    {NULL, "quiet", NULL, NULL, FIELD(quiet), NULL, NULL, "print errors only"},
    {NULL, "verbose", NULL, NULL, FIELD(verbose), NULL, NULL,
     "print errors of the library with the line of its sources"},
    ROW_CPUS,
    ROW_GPUS,
    ROW_CPU_SHARE,
    ROW_SCHED,
    ROW_MACHINE,
    ROW_NODES,
    ROW_NETWORK,
    {"Task graph", "graph", "fused|staged", app_value_choice, FIELD(graph), graph_choices, NULL,
     "few tasks, or one per step of the method; default: fused"},
    {NULL, "exchange", "NAME", app_value_choice, FIELD(exchange), exchange_choices, NULL,
     "how blocks go from slabs to pencils: managed (StarPU\n"
     "moves them), direct (GPUs write them into each other's\n"
     "memory and read them there); between processes: mpi (each\n"
     "as soon as it can go), alltoall (all at once); default:\n"
     "the best one there is"},
    {NULL, "z", "contiguous|strided", app_value_choice, FIELD(z_layout), z_choices, NULL,
     "layout of the z transforms of the staged graph;\n"
     "default: contiguous"},
    {NULL, "normalize", "task|divide", app_value_choice, FIELD(normalize), normalize_choices, NULL,
     "where the staged graph has the factor 1/(nx ny nz): in a\n"
     "task of its own, or in the division; default: task"},
    {NULL, "segment-planes", "N", app_value_count, FIELD(segment_planes), NULL,
     "a whole number from 1", "planes of z in a segment; default: from the data's size"},
    {NULL, "pencils", "N", app_value_count, FIELD(pencils), NULL, "a whole number from 1",
     "parts of y in spectral space; default: from the data's\nsize; with exchange direct one for "
     "each GPU"},
    {NULL, "effort", "NAME", app_value_choice, FIELD(effort), effort_choices, NULL,
     "FFTW's search for its plans: estimate, measure or\npatient; default: measure"},
    {NULL, "tuned", "yes|no", app_value_choice, FIELD(tuned), tuned_choices, NULL,
     "where nothing is said, take what `psg tune` found best for\n"
     "this machine and grid, instead of the defaults above;\n"
     "default: yes"},
    {NULL, "data", "host|resident", app_value_choice, FIELD(resident), data_choices, NULL,
     "solve from and to arrays in main memory, or keep f and u\n"
     "where they are computed, as in a simulation on GPUs: the\n"
     "times are then without the copies of f and u; default:\n"
     "host"},
    {NULL, "repeat", "N", app_value_unsigned, FIELD(repeat), NULL, "a whole number from 1",
     "solve N times; prints the median and the minimum of the\ntimes; default: 1"},
    {NULL, "in-flight", "N", app_value_unsigned, FIELD(in_flight), NULL, "a whole number from 1",
     "let N of the repeated solves overlap; default: 1"},
    {NULL, "time-limit", "S", app_value_lambda, FIELD(time_limit), NULL, "a finite number from 0",
     "end all processes with a message where one waits for\n"
     "another one for S seconds: longer than the longest step\n"
     "of one process takes. default: 0, no limit"},
    ROW_END};

static const option_row info_rows[] = {{"Show", "machines", NULL, NULL, FIELD(machines), NULL, NULL,
                                        "the recorded machines that come with psg, and nothing\n"
                                        "else: names for --machine of a psg that simulates"},
                                       ROW_CPUS,
                                       ROW_GPUS,
                                       ROW_CPU_SHARE,
                                       ROW_SCHED,
                                       ROW_MACHINE,
                                       ROW_NODES,
                                       ROW_NETWORK,
                                       {"Result", "json", "FILE", app_value_text, FIELD(json), NULL,
                                        "FILE, or - for stdout",
                                        "write all of it as JSON; - is stdout"},
                                       ROW_FORCE,
                                       ROW_END};

enum { ROWS_MOST = 64, HELP_COLUMN = 27 };

static const command_text solve_text = {
    "solve", solve_rows,
    "Usage: psg solve --in FILE[:DATASET] [--out FILE[:DATASET]] [OPTION]...\n"
    "  or:  psg solve --problem madelung|modes --grid N|NXxNYxNZ [OPTION]...\n"
    "\n"
    "Solve Poisson's equation lap(u) - lambda u = X f on a periodic 3-D box by FFT, as a\n"
    "task graph on the CPU cores and GPUs of this machine; started by mpirun, on those of\n"
    "all its processes, each of which reads, solves and writes planes of its own.\n",
    "Examples:\n"
    "  psg solve --problem madelung --grid 64\n"
    "         the Madelung constant of rock salt, to 12 digits\n"
    "  psg solve --in rho.h5:/density --out phi.h5:/potential --box 10x10x20 --verify\n"
    "         the potential of your own field, checked\n"
    "  psg solve --in rho.h5:/density --out phi.h5:/potential --factor '4*pi*6.6743e-11'\n"
    "         gravity in SI units: rho in kg/m^3, lengths in m, phi in J/kg\n"
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
    "info", info_rows,
    "Usage: psg info [OPTION]...\n"
    "\n"
    "Show what psg was built with, the CPU and GPU workers that a solve with these options\n"
    "would have, the scheduling policies there are, and what psg tune has stored; started by\n"
    "mpirun, the workers of all processes.\n",
    "Examples:\n"
    "  psg info\n"
    "         all workers\n"
    "  psg info --machines\n"
    "         the machines that a psg that simulates knows by name\n"
    "  psg info --gpus 0 --json -\n"
    "         without GPUs, as JSON on stdout\n"};

static void print_help(const command_text *command) {
    fputs(command->intro, stdout);
    for (const option_row *row = command->rows; row->name; row++) {
        char left[80];
        if (row->heading) {
            printf("\n%s:\n", row->heading);
        }
        snprintf(left, sizeof left, "  --%s%s%s", row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        /* a left side that is too wide gets a line of its own */
        int column = printf("%s", left);
        if (column > HELP_COLUMN - 2) {
            printf("\n");
            column = 0;
        }
        for (const char *line = row->help; line;) {
            const size_t length = strcspn(line, "\n");
            printf("%*s%.*s\n", HELP_COLUMN - column, "", (int)length, line);
            line = line[length] ? line + length + 1 : NULL;
            column = 0;
        }
    }
    printf("\nOther:\n  --help%*sprint this text\n  --version%*sprint the version\n\n"
           "Of an option that is given twice the last one counts.\n\n",
           HELP_COLUMN - 8, "", HELP_COLUMN - 11, "");
    fputs(command->end, stdout);
}

const char *app_nearest(const char *word, const char *const *words) {
    const char *nearest = NULL;
    size_t least = 2 + strlen(word) / 4;
    for (; *words; words++) {
        const size_t distance = app_edit_distance(word, *words);
        if (distance < least) {
            least = distance;
            nearest = *words;
        }
    }
    return nearest;
}

/* getopt did not know the option, or knew too many that begin so. */
static int unknown_option(const command_text *command, const char *given) {
    char word[64], several[512] = "";
    const char *names[ROWS_MOST + 3];
    size_t count = 0, length = 0;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(given, "="), given);
    const char *bare = word + strspn(word, "-");
    for (const option_row *row = command->rows; row->name; row++) {
        names[count++] = row->name;
        if (bare[0] && strncmp(row->name, bare, strlen(bare)) == 0 && length < sizeof several) {
            length += (size_t)snprintf(several + length, sizeof several - length, "%s'--%s'",
                                       length ? ", " : "", row->name);
        }
    }
    names[count++] = "help";
    names[count++] = "version";
    names[count] = NULL;
    if (several[0] && strncmp(word, "--", 2) == 0) {
        return app_error(APP_USAGE, "option '%s' is ambiguous: %s", word, several);
    }
    const char *nearest = app_nearest(bare, names);
    if (nearest) {
        return app_error(APP_USAGE, "unknown option '%s': did you mean '--%s'?", word, nearest);
    }
    return app_error(APP_USAGE, "unknown option '%s'; see psg %s --help", word, command->name);
}

/* Are these the extents of a box, but for commas in place of x? */
static int joined_by_commas(const option_row *row, const char *text, char *joined, size_t size) {
    union {
        app_grid_value grid;
        app_box_value box;
    } ignored;
    if ((row->parse != app_value_grid && row->parse != app_value_box) || strlen(text) >= size) {
        return 0;
    }
    for (size_t m = 0; m <= strlen(text); m++) {
        joined[m] = text[m] == ',' ? 'x' : text[m];
    }
    return row->parse(joined, &ignored, NULL) == 0;
}

int app_wrong_value(const option_row *row, const char *text) {
    char list[2048], joined[128];
    size_t length = 0;
    list[0] = '\0';
    if (joined_by_commas(row, text, joined, sizeof joined)) {
        return app_error(APP_USAGE, "--%s '%s': expected %s: did you mean --%s %s?", row->name,
                         text, row->expected, row->name, joined);
    }
    for (const app_choice *choice = row->choices; choice && choice->name; choice++) {
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                   length ? ", " : "one of ", choice->name);
    }
    if (row->parse == app_value_policy) {
        for (size_t p = 0; psg_policy_name(p) && length < sizeof list; p++) {
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                       length ? ", " : "one of ", psg_policy_name(p));
        }
    }
    return app_error(APP_USAGE, "--%s '%s': expected %s", row->name, text,
                     length ? list : row->expected);
}

int app_arguments_parse(const command_text *command, int argc, char **argv, void *arguments) {
    enum { FIRST = 256 }; /* above every letter, so that getopt's values do not meet */
    struct option table[ROWS_MOST + 3];
    size_t count = 0;
    for (; command->rows[count].name; count++) {
        table[count] =
            (struct option){command->rows[count].name,
                            command->rows[count].argument ? required_argument : no_argument, NULL,
                            FIRST + (int)count};
    }
    table[count] = (struct option){"help", no_argument, NULL, 'h'};
    table[count + 1] = (struct option){"version", no_argument, NULL, 'v'};
    table[count + 2] = (struct option){NULL, 0, NULL, 0};
    opterr = 0;
    optind = 1;
    int found;
    while ((found = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
        if (found == 'h') {
            print_help(command);
            return APP_HELPED;
        }
        if (found == 'v') {
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
            return app_error(APP_USAGE, "unknown option '-%c'; see psg %s --help", optopt,
                             command->name);
        }
        if (found == '?') {
            return unknown_option(command, argv[optind - 1]);
        }
        const option_row *row = &command->rows[(found == ':' ? optopt : found) - FIRST];
        if (found == ':' || (row->argument && strncmp(optarg, "--", 2) == 0)) {
            return app_error(APP_USAGE, "option '--%s' needs an argument: %s", row->name,
                             row->argument);
        }
        void *field = (char *)arguments + row->field;
        if (!row->argument) {
            *(int *)field = 1;
        } else if (row->parse(optarg, field, row->choices)) {
            return app_wrong_value(row, optarg);
        }
    }
    if (optind < argc) {
        return app_error(APP_USAGE, "unexpected argument '%s'; see psg %s --help", argv[optind],
                         command->name);
    }
    return APP_DONE;
}

const app_option_row *app_solve_row(const char *name) {
    const option_row *row = solve_rows;
    while (row->name && strcmp(row->name, name) != 0) {
        row++;
    }
    return row->name ? row : NULL;
}

static int parse(const command_text *command, int argc, char **argv, app_arguments *arguments) {
    const int code = app_arguments_parse(command, argc, argv, arguments);
    if (!code && arguments->cpus == 0 && arguments->gpus.count == 0) {
        return app_error(APP_USAGE, "--cpus 0 --gpus 0: nothing is left to solve on");
    }
    return code;
}

static void set_defaults(app_arguments *arguments) {
    memset(arguments, 0, sizeof *arguments);
    arguments->problem = APP_PROBLEM_NONE;
    arguments->lattice = arguments->precision = arguments->z_layout = arguments->normalize = -1;
    arguments->symbol = PSG_SYMBOL_SPECTRAL;
    arguments->mean = PSG_MEAN_DROP;
    arguments->graph = PSG_GRAPH_AUTO;
    arguments->exchange = PSG_EXCHANGE_AUTO;
    arguments->effort = PSG_EFFORT_MEASURE;
    arguments->cpus = arguments->gpus.count = -1;
    arguments->cpu_share = PSG_CPU_SHARE_AUTO;
    arguments->in_flight = arguments->repeat = 1;
    arguments->tuned = 1;
    arguments->factor = 1;
}

const char *app_arguments_simulated(const app_arguments *arguments) {
    return arguments->nodes ? "nodes" : arguments->network > 0 ? "network" : NULL;
}

int app_arguments_info(int argc, char **argv, app_arguments *arguments) {
    set_defaults(arguments);
    return parse(&info_text, argc, argv, arguments);
}

/* What must not be said together. */
static const char *contradiction(const app_arguments *a) {
    const int madelung = a->problem == APP_PROBLEM_MADELUNG;
    if (a->in && a->problem != APP_PROBLEM_NONE) {
        return "--in and --problem: only one of them can give the right-hand side";
    }
    if (!a->in && a->problem == APP_PROBLEM_NONE) {
        return "nothing to solve: give --in FILE:DATASET, or --problem madelung --grid 64";
    }
    if (a->in && a->grid.given) {
        return "--grid is for --problem: the grid of --in is its data set's";
    }
    if (!a->in && !a->grid.given) {
        return "--problem needs --grid N or NXxNYxNZ";
    }
    if (a->lattice >= 0 && !madelung) {
        return "--lattice is for --problem madelung";
    }
    if (madelung && a->lambda > 0) {
        return "--lambda is not for --problem madelung: unscreened charges have its constant";
    }
    if (madelung && a->factor != 1) {
        return "--factor is not for --problem madelung: its charges have theirs, -4 pi";
    }
    if (madelung && a->box.given &&
        (a->box.length[0] != a->box.length[1] || a->box.length[0] != a->box.length[2])) {
        return "--problem madelung needs a cube: --box L, the length of the cell";
    }
    return NULL;
}

int app_arguments_solve(int argc, char **argv, app_arguments *arguments) {
    set_defaults(arguments);
    const int code = parse(&solve_text, argc, argv, arguments);
    if (code) {
        return code;
    }
    const char *why = contradiction(arguments);
    return why ? app_error(APP_USAGE, "%s", why) : APP_DONE;
}
