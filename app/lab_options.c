/* The options of `psg bench` and `psg tune`, and their help texts. What they ask for is done by the
 * laboratory. */
#include "app/lab_options.h"
#include "app/app.h"
#include "app/arguments.h"
#include "app/json.h"
#include "app/lab_lists.h"
#include "app/output.h"
#include "base/nearest.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

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

/* What the command line says. Texts are borrowed from argv; NULL where it says nothing. */
typedef struct bench_arguments {
    const char *list[APP_LAB_LISTS_MOST];
    const char *study, *csv, *json, *record, *machine;
    const char *mpirun; /* a command with its options, in a shell's words */
    unsigned repeat, passes, patience;
    int warm_up, calibrate, seed;
    double memory; /* GiB; 0: from what there is */
    bool bounds, large, again, force, quiet;
} bench_arguments;

#define FIELD(member) offsetof(bench_arguments, member)

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

#define STUDY_CHOICE(name, help) {#name, 0},
#define STUDY_NAME(name, help) #name,
static const app_choice studies[] = {LAB_STUDIES(STUDY_CHOICE)
                                         LAB_PROGRAM_STUDIES(STUDY_CHOICE){NULL, 0}};
static const char *const program_studies[] = {LAB_PROGRAM_STUDIES(STUDY_NAME) NULL};

static const app_option_row bench_rows[] = {
    {"Machine", "machine", "MACHINE|FILE", app_value_text, FIELD(machine), NULL,
     "a name, or a file",
     "of a psg that simulates: a recorded machine; default: the one that PSG_MACHINE in the "
     "environment names",
     false},
    {"Study, in place of lists or with some of its lists replaced", "study", "NAME", app_value_text,
     FIELD(study), studies, NULL, "one of those below", true},
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

static const app_command_text bench_text = {
    "bench", NULL,
    "Usage: psg bench --grid N|NXxNYxNZ,... [OPTION]... [--csv FILE]\n"
    "  or:  psg bench --workload NAME:SIZE,... [OPTION]... [--csv FILE]\n"
    "  or:  psg bench --study NAME [OPTION]... [--csv FILE]\n"
    "\n"
    "Measure solves, or workloads, in every combination of the lists. All configurations are\n"
    "interleaved: rounds of one solve each, in a random order, so that drift favours none.\n"
    "StarPU has one setting of workers and policy at a time, so those of the same are a\n"
    "group, measured in processes of its own; a policy that crashes or hangs costs its own row.\n"
    "Of several processes the time is that of the slowest, from a common start.\n",
    "The word default stands in every list for what holds without the option, and all in\n"
    "--sched for every policy.\n"
    "\n"
    "Columns: those of the lists; seconds of a solve; gflops, by the count 5 n log2(n) per\n"
    "transform of n points, two transforms; error against the known answer; busy, the share\n"
    "of the time that workers spend in tasks, exchange_busy, that in which messages between\n"
    "processes were on their way, and busiest, that of the busiest worker or of the exchange;\n"
    "load, the cores that other programs kept busy meanwhile, and load_average, the system's\n"
    "load of the minute before;\n"
    "tasks that cores and GPUs did; kinds, how many of each kind and their seconds; planes and\n"
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
    "numbers of cores and of GPUs; 0 leaves out what is about them. Grids on GPUs are "
    "larger:\n" LAB_STUDIES(
        STUDY_LINES) "\n"
                     "A study that programs of their own measure, each for every grid. --grid, "
                     "--cpus and --gpus\n"
                     "take the place of its lists, --cpus 0 or --gpus 0 leaves out those on cores "
                     "or GPUs;\n"
                     "--passes and --calibrate mean nothing to it. The programs are looked for "
                     "beside psg, in\n"
                     "libexec/psg of the installation, or in the folder that PSG_BENCH_PROGRAMS in "
                     "the\n"
                     "environment names:\n" LAB_PROGRAM_STUDIES(
                         STUDY_LINES) "\n"
                                      "Its columns: ratio, the peer's time over psg's; command, "
                                      "what was run.\n"
                                      "\n"
                                      "Examples:\n"
                                      "  psg bench --grid 64,128 --cpus 1,2 --graph fused,staged "
                                      "--csv times.csv\n"
                                      "         eight rows\n"
                                      "  psg bench --study policies --grid 200 --csv policies.csv\n"
                                      "         every scheduling policy, on another grid than the "
                                      "study's\n"
                                      "  psg bench --workload ep:S,blocks:8 --sched all --csv "
                                      "workloads.csv\n"
                                      "         two workloads under every scheduling policy\n"
                                      "  psg bench --grid 128 --ranks 1,2,4 --cpus 1 --csv "
                                      "ranks.csv\n"
                                      "         one, two and four processes of one core each\n"
                                      "\n"
                                      "Exit status:\n"
                                      "  0      measured; rows may say that their configuration "
                                      "failed\n"
                                      "  1      all configurations failed, or a file cannot be "
                                      "read or written\n"
                                      "  2      the command line, or the file that it names, has "
                                      "to be changed\n"
                                      "  130    ended by SIGINT; the rows done so far are in the "
                                      "file\n",
    NULL};

static bool is_program(const char *study) {
    for (size_t s = 0; study != NULL && program_studies[s] != NULL; s++) {
        if (strcmp(study, program_studies[s]) == 0) {
            return true;
        }
    }
    return false;
}

static const char *file_of(const char *path) {
    return path != NULL && strcmp(path, "-") == 0 ? NULL : path;
}

static int check_files(const bench_arguments *a) {
    const app_named_file files[] = {{"--csv", file_of(a->csv), false, NULL},
                                    {"--json", file_of(a->json), false, NULL},
                                    {"--record", a->record, false, NULL}};
    if (a->csv != NULL && a->json != NULL && strcmp(a->csv, "-") == 0 &&
        strcmp(a->json, "-") == 0) {
        return app_error(APP_USAGE, "--csv and --json cannot both be stdout");
    }
    if (a->record != NULL && strcmp(a->record, "-") == 0) {
        return app_error(APP_USAGE, "--record is not for stdout: give the name of a file");
    }
    if (a->record != NULL && is_program(a->study)) {
        return app_error(APP_USAGE, "--record is for solves, and --study %s measures programs",
                         a->study);
    }
    return app_files_differ(files, sizeof files / sizeof *files);
}

static int check_study(const char *name) {
    app_option_row said = {.name = "study", .parse = app_value_choice, .choices = studies};
    int choice = 0;
    return app_value_choice(name, &choice, studies) ? app_wrong_value(&said, name) : APP_DONE;
}

static int parse_bench(int argc, char **argv, bench_arguments *a) {
    app_option_row all[APP_LAB_LISTS_MOST + sizeof bench_rows / sizeof *bench_rows];
    app_command_text text = bench_text;
    memset(all, 0, sizeof all);
    memcpy(&all[app_lab_lists_rows(all, FIELD(list))], bench_rows, sizeof bench_rows);
    text.rows = all;
    *a = (bench_arguments){.mpirun = "mpirun",
                           .repeat = 9,
                           .passes = 3,
                           .patience = 600,
                           .warm_up = 2,
                           .calibrate = 12,
                           .seed = 1};
    return app_arguments_parse(&text, argc, argv, a);
}

int app_lab_bench_options(int argc, char **argv, json_t *request) {
    bench_arguments a;
    json_t *given = json_object();
    int code = parse_bench(argc, argv, &a);
    app_json_put(request, "given", given);
    if (!code && a.large && a.study == NULL) {
        code = app_error(APP_USAGE, "--large is for --study");
    }
    if (!code && a.study != NULL) {
        code = check_study(a.study);
    }
    code = code ? code : check_files(&a);
    for (size_t l = 0; l < APP_LAB_LISTS_MOST && !code; l++) {
        code = app_lab_list_read(l, a.list[l], given);
    }
    if (!code && a.study == NULL && json_object_get(given, "grid") == NULL &&
        json_object_get(given, "workload") == NULL) {
        code = app_error(APP_USAGE, "nothing to measure: give --grid 64,128, --workload ep:S or "
                                    "--study NAME");
    }
    app_json_put(request, "arguments",
                 json_pack("{s:s?, s:s?, s:s?, s:s?, s:s?, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:f, "
                           "s:b, s:b, s:b, s:b, s:b}",
                           "study", a.study, "csv", a.csv, "json", a.json, "record", a.record,
                           "machine", a.machine, "mpirun", a.mpirun, "repeat", (int)a.repeat,
                           "passes", (int)a.passes, "patience", (int)a.patience, "warm_up",
                           a.warm_up, "calibrate", a.calibrate, "seed", a.seed, "memory", a.memory,
                           "bounds", a.bounds, "large", a.large, "again", a.again, "force", a.force,
                           "quiet", a.quiet));
    return code;
}

/* ------------------------------------------------------------------------------------- psg tune */

typedef struct tune_arguments {
    app_grid_value grid;
    app_options solver;
    const char *policies, *json;
    unsigned seconds, patience;
    int seed;
    bool force, forget, quiet;
} tune_arguments;

#undef FIELD
#define FIELD(member) offsetof(tune_arguments, member)

static const app_option_row tune_rows[] = {
    {"What is tuned", "grid", "N|NXxNYxNZ", app_value_grid, FIELD(grid), NULL,
     "N or NXxNYxNZ, whole numbers from 1", "number of points", false},
    APP_SOLVER_ROW(NULL, "precision", FIELD(solver), NULL),
    APP_SOLVER_ROW("Machine", "cpus", FIELD(solver), NULL),
    APP_SOLVER_ROW(NULL, "gpus", FIELD(solver), NULL),
    {"Search", "seconds", "N", app_value_unsigned, FIELD(seconds), NULL, "a whole number from 1",
     "how long it may take, about; default: 60", false},
    {NULL, "sched", "POLICY,...", app_value_text, FIELD(policies), NULL,
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
    "tune", tune_rows,
    "Usage: psg tune --grid N|NXxNYxNZ [OPTION]...\n"
    "  or:  psg tune --forget\n"
    "\n"
    "Measure which segments, sheets, variant of the graph, exchange and scheduling policy\n"
    "solve a grid fastest on this machine, and store them where psg solve and programs with\n"
    "the library find them.\n",
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
    NULL};

static int check_tune(const tune_arguments *a) {
    const char *policy = getenv("STARPU_SCHED");
    if (a->forget && a->grid.given) {
        return app_error(APP_USAGE, "--forget removes what is stored of all grids: give it alone");
    }
    if (!a->forget && !a->grid.given) {
        return app_error(APP_USAGE, "nothing to tune: give --grid 128, or --forget");
    }
    if (a->solver.options.cpus == 0 && a->solver.options.gpus == 0) {
        return app_error(APP_USAGE, "--cpus 0 --gpus 0: nothing is left to solve on");
    }
    return a->policies != NULL && policy != NULL
               ? app_error(APP_USAGE,
                           "--sched: STARPU_SCHED=%s in the environment goes above it: unset it",
                           policy)
               : APP_DONE;
}

/* Device numbers as `--gpus` takes them: "2,", "0,2". NULL: none were given */
static json_t *gpu_list(const app_gpus_value *gpus) {
    char text[512] = "";
    size_t length = 0;
    for (int g = 0; gpus->listed && g < gpus->count; g++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%d", g ? "," : "",
                                   gpus->ids[g]);
    }
    return gpus->listed ? json_sprintf("%s%s", text, gpus->count == 1 ? "," : "") : json_null();
}

int app_lab_tune_options(int argc, char **argv, json_t *request, bool *forget, bool *quiet) {
    static const char *const options[] = {"precision", "cpus", "gpus"};
    tune_arguments a = {.seconds = 60, .patience = 120, .seed = 1};
    json_t *given = json_object();
    app_options_init(&a.solver);
    int code = app_arguments_parse(&tune_text, argc, argv, &a);
    app_json_put(request, "given", given);
    code = code ? code : check_tune(&a);
    *forget = a.forget;
    *quiet = a.quiet;
    if (code || a.forget) {
        return code;
    }
    code = app_lab_list_read(app_lab_list("sched"),
                             a.policies != NULL ? a.policies : "eager,prio,ws,lws", given);
    for (size_t o = 0; o < sizeof options / sizeof *options && !code; o++) {
        char text[64];
        app_options_text(&a.solver.options, app_option_index(options[o]), text, sizeof text);
        if (app_options_given(&a.solver, options[o])) {
            code = app_lab_list_read(app_lab_list(options[o]), text, given);
        }
    }
    app_json_put(
        given, "grid",
        json_pack("[o]", json_sprintf("%zux%zux%zu", a.grid.n[0], a.grid.n[1], a.grid.n[2])));
    app_json_put(request, "arguments",
                 json_pack("{s:s?, s:i, s:i, s:i, s:b, s:b, s:o}", "json", a.json, "seconds",
                           (int)a.seconds, "patience", (int)a.patience, "seed", a.seed, "force",
                           a.force, "quiet", a.quiet, "gpu_list", gpu_list(&a.solver.gpus)));
    return code;
}
