/* The options of `psg bench` and `psg tune`, and their help texts. What they ask for is done by the
 * laboratory. */
#include "app/lab_options.h"
#include "app/app.h"
#include "app/arguments.h"
#include "app/json.h"
#include "app/lab_lists.h"
#include "app/output.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

/* ------------------------------------------------------------------------------------ a request */

const char *app_lab_text(const json_t *request, const char *name) {
    return json_string_value(json_object_get(json_object_get(request, "arguments"), name));
}

bool app_lab_flag(const json_t *request, const char *name) {
    return json_is_true(json_object_get(json_object_get(request, "arguments"), name));
}

/* The first value of a list; NULL: it was not given. */
static const char *first_of(const json_t *request, const char *list) {
    return json_string_value(
        json_array_get(json_object_get(json_object_get(request, "given"), list), 0));
}

/* The value of an option that is no list. */
static int take_argument(const app_option_row *row, const char *text, json_t *arguments) {
    char name[32];
    union {
        unsigned whole; /* of app_value_cpus() an int */
        double real;
        const char *text;
        int choice;
    } value;
    if (row->argument != NULL && row->parse(text, &value, row->choices)) {
        return app_wrong_value(row, text);
    }
    json_t *said = json_string(text != NULL ? text : "");
    if (said == NULL) { /* the request is JSON */
        return app_error(APP_USAGE, "--%s: '%s' is not UTF-8", row->name, text);
    }
    json_decref(said);
    const bool whole = row->parse == app_value_unsigned || row->parse == app_value_cpus;
    (void)snprintf(name, sizeof name, "%s", row->name);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    app_json_put(arguments, name,
                 row->argument == NULL            ? json_true()
                 : whole                          ? json_integer(value.whole)
                 : row->parse == app_value_lambda ? json_real(value.real)
                                                  : json_string(text));
    return APP_DONE;
}

/* A name of a list is followed by values, or by one: its row says so. */
static int take(const app_option_row *row, const char *text, void *request) {
    json_t *arguments = json_object_get(request, "arguments");
    if (!app_lab_is_list(row->name)) {
        return take_argument(row, text, arguments);
    }
    const bool single = strstr(row->argument, ",...") == NULL;
    if (!single && text[0] == '\0') {
        return app_wrong_value(row, text);
    }
    if (single && strcmp(row->name, "gpus") == 0) { /* which GPUs, if that is said */
        app_json_put_text(arguments, "gpu_list", strchr(text, ',') != NULL ? text : NULL);
    }
    return app_lab_list_read(row->name, text, single, json_object_get(request, "given"));
}

/* @param[in] standard  the arguments that are not given; taken over */
static int parse(const app_command_text *text, int argc, char **argv, json_t *standard,
                 json_t *request) {
    app_json_put(request, "given", json_object());
    app_json_put(request, "arguments", standard);
    return app_arguments_parse(text, argc, argv, request);
}

/* ------------------------------------------------------------------------------------ psg bench */

/* Names of studies, which lab/study.py has, and a line about each. */
#define LAB_STUDIES(X)                                                                             \
    X(node, "time on 1, 2, 4, ... all cores, and on 1, 2, 4, ... all GPUs")                        \
    X(stages, "time by stage of the staged graph in one segment, on as many workers")              \
    X(segments, "time against the segment's size, from one plane to all of them")                  \
    X(policies, "every scheduling policy, on both graphs")                                         \
    X(variants, "the fused graph, and the staged one by layout of z and place of normalisation")   \
    X(scaling, "time on 1, 2, 4, ... cores of one process, and processes of one core; and GPUs")   \
    X(overlap, "time by stage beside the real time and that of the busiest worker or link")        \
    X(hetero, "CPU only, and where there are GPUs, these only and both: who does the work")        \
    X(workloads, "workloads under every scheduling policy, on cores, on GPUs and on both")         \
    X(crossover, "tasks by size on one core and on one GPU: from which size on is the GPU faster")

/* Those that programs of their own measure: lab/programs.py. */
#define LAB_PROGRAM_STUDIES(X)                                                                     \
    X(peers, "psg beside FFTW, MKL, FFTW's MPI transform, cuFFT and cufftXt")                      \
    X(embed, "ways into psg from programs on GPUs, beside cuFFT, cufftXt and cuFFTMp")

#define STUDY_CHOICE(name, help) {#name, 0},
#define PROGRAM_CHOICE(name, help) {#name, 1},
static const app_choice studies[] = {LAB_STUDIES(STUDY_CHOICE)
                                         LAB_PROGRAM_STUDIES(PROGRAM_CHOICE){NULL, 0}};

/* Words as a shell splits them. */
static int parse_command(const char *text, void *field, const app_choice *choices) {
    wordexp_t words;
    if (wordexp(text, &words, WRDE_NOCMD)) {
        return -1;
    }
    const bool empty = words.we_wordc == 0 || words.we_wordv[0][0] == '\0';
    wordfree(&words);
    return empty ? -1 : app_value_text(text, field, choices);
}

#define FIELD(member) 0 /* values go into a request, by the names of the rows */

static const app_option_row bench_rows[] = {
    {"Machine", "machine", "MACHINE|FILE", app_value_text, FIELD(machine), NULL,
     "a name, or a file",
     "of a psg that simulates: a recorded machine; default: the one that PSG_MACHINE in the "
     "environment names",
     false},
    {"Study, in place of lists or with some of its lists replaced", "study", "NAME",
     app_value_choice, FIELD(study), studies, NULL, "one of those below", true},
    APP_FLAG_ROW(NULL, large, "with the study's larger grids too"),
    {"Measurement", "repeat", "N", app_value_unsigned, FIELD(repeat), NULL, "a whole number from 1",
     "rounds that count: the times are their median, quartiles, minimum and maximum; default: 9",
     true},
    {NULL, "warm-up", "N", app_value_cpus, FIELD(warm_up), NULL, "a whole number from 0",
     "rounds before them in each pass; default: 2", false},
    {NULL, "passes", "N", app_value_unsigned, FIELD(passes), NULL, "a whole number from 1",
     "how often all groups of the same workers and policy are visited, in a random order; the "
     "rounds are divided among the passes; default: 3",
     false},
    {NULL, "calibrate", "N", app_value_cpus, FIELD(calibrate), NULL, "a whole number from 0",
     "solves that StarPU measures for its performance models, before a policy that decides by them "
     "is visited first; 0: take the models as they are; default: 12",
     false},
    {NULL, "seed", "N", app_value_cpus, FIELD(seed), NULL, "a whole number from 0",
     "of the random order, and of the times that spread in a simulation; default: 1", false},
    {NULL, "memory", "GIB", app_value_lambda, FIELD(memory), NULL, "a finite number from 0",
     "plans of a group are held together, and interleaved, up to this; those that do not fit "
     "follow one another. Default: half of what is free, where there are GPUs half of theirs",
     false},
    {NULL, "mpirun", "COMMAND", parse_command, FIELD(mpirun), NULL,
     "a command and its options, quoted as for a shell",
     "starts several processes, by COMMAND -n RANKS; its options may follow it: 'mpirun "
     "--oversubscribe' for more of them than cores. default: mpirun",
     false},
    {NULL, "patience", "SECONDS", app_value_unsigned, FIELD(patience), NULL,
     "a whole number from 1",
     "a plan or solve that takes longer is given up, and its row says so; default: 600", false},
    APP_FLAG_ROW(NULL, bounds,
                 "find how short each solve could have been: columns bound_* and of_bound. The "
                 "times are then those of solves that keep what their tasks read and write. Rows "
                 "of the file that have none are measured again"),
    APP_FLAG_ROW(NULL, energy,
                 "run each configuration for two more seconds, and tell the energy of a solve on "
                 "all GPUs together, by NVML: column joules"),
    APP_FILE_ROW("Result", csv, "FILE, or - for stdout",
                 "one row per configuration. Rows that FILE has already, of this machine and these "
                 "versions, "
                 "are not measured again (those that failed, or have fewer repeats, are); a note "
                 "and the table "
                 "say which. FILE is brought up to date after each group. Several psg bench may "
                 "write one FILE "
                 "at a time: each adds its rows to those of the others. - is stdout"),
    APP_FILE_ROW(
        NULL, json, "FILE, or - for stdout",
        "the same rows as JSON, added to those that FILE has; without --csv FILE's rows are not "
        "measured again; - is stdout"),
    APP_FLAG_ROW(NULL, again, "measure the rows that the file has already, too, and replace them"),
    APP_FILE_ROW(NULL, record, "FILE",
                 "this machine, with how long the tasks took that were measured now, for a psg "
                 "that simulates"),
    APP_FORCE_ROW,
    APP_FLAG_ROW(NULL, quiet, "no table on stdout, errors only"),
    {.name = NULL}};

#define STUDY_LINES(name, help) "  " #name "\n         " help "\n"
#define STUDIES_HELP LAB_STUDIES(STUDY_LINES)
#define PROGRAM_STUDIES_HELP LAB_PROGRAM_STUDIES(STUDY_LINES)

static const app_command_text bench_text = {
    .name = "bench",
    .intro =
        "Usage: psg bench --grid N|NXxNYxNZ|NXxNY,... [OPTION]... [--csv FILE]\n"
        "  or:  psg bench --workload NAME:SIZE,... [OPTION]... [--csv FILE]\n"
        "  or:  psg bench --study NAME [OPTION]... [--csv FILE]\n"
        "\n"
        "Measure solves, or workloads, in every combination of the lists. All configurations are\n"
        "interleaved: rounds of one solve each, in a random order, so that drift favours none.\n"
        "StarPU has one setting of workers and policy at a time, so those of the same are a\n"
        "group, measured in processes of its own; a policy that crashes or hangs costs its own "
        "row.\n"
        "Of several processes the time is that of the slowest, from a common start.\n",
    .end =
        "The word default stands in every list for what holds without the option, and all in\n"
        "--sched for every policy.\n"
        "\n"
        "Columns: those of the lists; seconds of a solve; gflops, by the count 5 n log2(n) per\n"
        "transform of n points, two transforms; error against the known answer; busy, the share\n"
        "of the time that workers spend in tasks, exchange_busy, that in which messages between\n"
        "processes were on their way, and busiest, that of the busiest worker or of the exchange;\n"
        "load, the cores that other programs kept busy meanwhile, and load_average, the system's\n"
        "load of the minute before; with --energy, joules of a solve on all GPUs;\n"
        "tasks that cores and GPUs did; kinds, how many of each kind and their seconds; planes "
        "and\n"
        "rows that cores did; bytes moved, and seconds\n"
        "of copies to GPUs (h2d), from them (d2h) and between them (d2d), empty where these are\n"
        "not known; seconds of each stage, summed over workers and processes, as are workers,\n"
        "tasks, bytes and seconds of copies; with --bounds, how short the solve could have been\n"
        "(bound_seconds, of_bound of its time, by bound_by) and by each bound: its longest chain\n"
        "of tasks (path), their work, memory, links, of which bound_link is the slowest, and\n"
        "StarPU's models (lp); what the plan came to; versions and machine. status is ok, or says\n"
        "why this one failed.\n"
        "\n"
        "Studies. Lists that are given take the place of theirs, --cpus and --gpus that of all\n"
        "numbers of cores and of GPUs; --cpus 0 leaves out cores, --gpus 0 GPUs. On GPUs grids\n"
        "are larger:\n" STUDIES_HELP "\n"
        "A study that programs of their own measure, each for every grid. --grid, --cpus and "
        "--gpus\n"
        "take the place of its lists, --cpus 0 or --gpus 0 leaves out those on cores or GPUs;\n"
        "--passes and --calibrate mean nothing to it. The programs are looked for beside psg, in\n"
        "libexec/psg of the installation, or in the folder that PSG_BENCH_PROGRAMS in the\n"
        "environment names:\n" PROGRAM_STUDIES_HELP "\n"
        "Its columns: ratio, the peer's time over psg's; command, what was run.\n"
        "\n"
        "Examples:\n"
        "  psg bench --grid 64,128 --cpus 1,2 --graph fused,staged --csv times.csv\n"
        "         eight rows\n"
        "  psg bench --study policies --grid 200 --csv policies.csv\n"
        "         every scheduling policy, on another grid than the study's\n"
        "  psg bench --workload ep:S,blocks:8 --sched all --csv workloads.csv\n"
        "         two workloads under every scheduling policy\n"
        "  psg bench --grid 128 --ranks 1,2,4 --cpus 1 --csv ranks.csv\n"
        "         one, two and four processes of one core each\n"
        "\n"
        "Exit status:\n"
        "  0      measured; rows may say that their configuration failed\n"
        "  1      all configurations failed, or a file cannot be read or written\n"
        "  2      the command line, or the file that it names, has to be changed\n"
        "  130    ended by SIGINT; the rows done so far are in the file\n",
    .take = take};

static bool is_stdout(const char *path) {
    return path != NULL && strcmp(path, "-") == 0;
}

static int check_files(const json_t *request) {
    const char *csv = app_lab_text(request, "csv"), *json = app_lab_text(request, "json");
    const char *record = app_lab_text(request, "record"), *study = app_lab_text(request, "study");
    const app_named_file files[] = {{"--csv", is_stdout(csv) ? NULL : csv, false, NULL},
                                    {"--json", is_stdout(json) ? NULL : json, false, NULL},
                                    {"--record", record, false, NULL}};
    int program = 0;
    if (study != NULL) {
        (void)app_value_choice(study, &program, studies);
    }
    if (is_stdout(csv) && is_stdout(json)) {
        return app_error(APP_USAGE, "--csv and --json cannot both be stdout");
    }
    if (is_stdout(record)) {
        return app_error(APP_USAGE, "--record is not for stdout: give the name of a file");
    }
    if (record != NULL && program) {
        return app_error(APP_USAGE, "--record is for solves, and --study %s measures programs",
                         study);
    }
    return app_files_differ(files, sizeof files / sizeof *files);
}

int app_lab_bench_options(int argc, char **argv, json_t *request) {
    app_option_row all[APP_LAB_LISTS_MOST + sizeof bench_rows / sizeof *bench_rows];
    app_command_text text = bench_text;
    memcpy(&all[app_lab_lists_rows(all)], bench_rows, sizeof bench_rows);
    text.rows = all;
    const int code = parse(
        &text, argc, argv,
        json_pack(
            "{s:n, s:n, s:n, s:n, s:n, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:b, s:b, s:b, "
            "s:b, s:b, s:b}",
            "study", "csv", "json", "record", "machine", "mpirun", "mpirun", "repeat", 9, "passes",
            3, "patience", 600, "warm_up", 2, "calibrate", 12, "seed", 1, "memory", 0., "bounds", 0,
            "energy", 0, "large", 0, "again", 0, "force", 0, "quiet", 0),
        request);
    const bool study = app_lab_text(request, "study") != NULL;
    if (code) {
        return code;
    }
    if (!study && app_lab_flag(request, "large")) {
        return app_error(APP_USAGE, "--large is for --study");
    }
    return !study && first_of(request, "grid") == NULL && first_of(request, "workload") == NULL
               ? app_error(APP_USAGE, "nothing to measure: give --grid 64,128, --workload ep:S or "
                                      "--study NAME")
               : check_files(request);
}

/* ------------------------------------------------------------------------------------- psg tune */

static const app_option_row tune_rows[] = {
    APP_GRID_ROW("What is tuned", false, "number of points"),
    APP_SOLVER_ROW(NULL, "precision", 0, NULL),
    APP_SOLVER_ROW("Machine", "cpus", 0, NULL),
    APP_SOLVER_ROW(NULL, "gpus", 0, NULL),
    {"Search", "seconds", "N", app_value_unsigned, FIELD(seconds), NULL, "a whole number from 1",
     "how long it may take, about; default: 60", false},
    {NULL, "sched", "POLICY,...", app_value_text, FIELD(sched), NULL,
     "policies with commas between",
     "scheduling policies to try beside the default; all stands for all of them. Those that decide "
     "by performance "
     "models have these measured first. Default: eager,prio,ws,lws",
     false},
    {NULL, "seed", "N", app_value_cpus, FIELD(seed), NULL, "a whole number from 0",
     "of the random order; default: 1", false},
    {NULL, "patience", "SECONDS", app_value_unsigned, FIELD(patience), NULL,
     "a whole number from 1", "a plan or solve that takes longer is given up; default: 120", false},
    APP_JSON_ROW("all that was measured and what came of it"),
    APP_FORCE_ROW,
    APP_FLAG_ROW(NULL, quiet, "no table on stdout, errors only"),
    APP_FLAG_ROW(NULL, forget, "remove all that is stored of this machine, and end"),
    {.name = NULL}};

static const app_command_text tune_text = {
    .name = "tune",
    .rows = tune_rows,
    .intro =
        "Usage: psg tune --grid N|NXxNYxNZ|NXxNY [OPTION]...\n"
        "  or:  psg tune --forget\n"
        "\n"
        "Measure which segments, sheets, variant of the graph, exchange and scheduling policy\n"
        "solve a grid fastest on this machine, and store them where psg solve and programs with\n"
        "the library find them.\n",
    .end =
        "The search goes by stages: cuts, then variants of the best of them, then policies. Each\n"
        "stage measures its candidates and the default in turns, leaves the slower half, and\n"
        "measures the others longer. The best three, what was stored before, and the default are\n"
        "then measured anew, in turns. The best is stored if the upper quartile of its times is\n"
        "below the lower quartile of the default's; else the default stays, and that is stored.\n"
        "Only what gave the right answer counts.\n"
        "\n"
        "What is stored holds for this machine (processor, GPU, number of workers, versions of\n"
        "psg and its libraries), this precision, and periodic grids of one process: the same\n"
        "grid, else one whose axes have the same nearest powers of two, in as many segments and\n"
        "sheets. An option that is given is never overruled; psg solve --tuned no ignores all.\n"
        "It is kept in the cache folder, which psg info shows with what is in it.\n"
        "\n"
        "Examples:\n"
        "  psg tune --grid 128\n"
        "         in about a minute\n"
        "  psg tune --grid 512 --precision f32 --gpus 1 --seconds 300\n"
        "         on one GPU, with more time for a larger grid\n"
        "\n"
        "Exit status:\n"
        "  0      tuned, also where the default stays\n"
        "  1      failed: the default cannot be measured, or a file cannot be written\n"
        "  2      the command line has to be changed\n"
        "  130    ended by SIGINT; what was stored before is as it was\n",
    .take = take};

int app_lab_tune_options(int argc, char **argv, json_t *request) {
    static const char usual[] = "eager,prio,ws,lws";
    const char *environment = getenv("STARPU_SCHED");
    int code = parse(&tune_text, argc, argv,
                     json_pack("{s:n, s:i, s:i, s:i, s:b, s:b, s:b, s:n}", "json", "seconds", 60,
                               "patience", 120, "seed", 1, "force", 0, "quiet", 0, "forget", 0,
                               "gpu_list"),
                     request);
    const char *cpus = first_of(request, "cpus"), *gpus = first_of(request, "gpus");
    const bool grid = first_of(request, "grid") != NULL, forget = app_lab_flag(request, "forget");
    if (code) {
        return code;
    }
    if (grid == forget) {
        return app_error(APP_USAGE,
                         grid ? "--forget removes what is stored of all grids: give it alone"
                              : "nothing to tune: give --grid 128, or --forget");
    }
    if (cpus != NULL && gpus != NULL && strcmp(cpus, "0") == 0 && strcmp(gpus, "0") == 0) {
        return app_error(APP_USAGE, "--cpus 0 --gpus 0: nothing is left to solve on");
    }
    if (first_of(request, "sched") == NULL) {
        return app_lab_list_read("sched", usual, false, json_object_get(request, "given"));
    }
    return environment == NULL
               ? APP_DONE
               : app_error(APP_USAGE,
                           "--sched: STARPU_SCHED=%s in the environment goes above it: unset it",
                           environment);
}
