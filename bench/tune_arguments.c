/* The options of `psg tune`, and its help text. */
#include "bench/tune_arguments.h"
#include "app/app.h"
#include "app/arguments.h"

#include <stddef.h>
#include <stdlib.h>

#define FIELD(member) offsetof(bench_tune_arguments, member)

static const app_option_row rows[] = {
    {"What is tuned", "grid", "N|NXxNYxNZ", app_value_grid, FIELD(grid), NULL,
     "N or NXxNYxNZ, whole numbers from 1", "number of points"},
    APP_SOLVER_ROW(NULL, "precision", FIELD(solver), NULL),
    APP_SOLVER_ROW("Machine", "cpus", FIELD(solver), NULL),
    APP_SOLVER_ROW(NULL, "gpus", FIELD(solver), NULL),
    {"Search", "seconds", "N", app_value_unsigned, FIELD(seconds), NULL, "a whole number from 1",
     "how long it may take, about; default: 60"},
    {NULL, "sched", "POLICY,...", app_value_text, FIELD(policies), NULL,
     "policies with commas between",
     "scheduling policies to try beside the default; all are all. Those that decide by performance "
     "models have these measured first. Default: eager,prio,ws,lws"},
    {NULL, "seed", "N", app_value_cpus, FIELD(seed), NULL, "a whole number from 0",
     "of the random order; default: 1"},
    {NULL, "patience", "SECONDS", app_value_unsigned, FIELD(patience), NULL,
     "a whole number from 1", "a plan or solve that takes longer is given up; default: 120"},
    {"Result", "json", "FILE", app_value_text, FIELD(json), NULL, "FILE, or - for stdout",
     "all that was measured and what came of it, as JSON; - is stdout"},
    {NULL, "force", NULL, NULL, FIELD(force), NULL, NULL,
     "replace files that are there already and that psg did not write; without it they are "
     "refused"},
    {NULL, "quiet", NULL, NULL, FIELD(quiet), NULL, NULL, "no table on stdout, errors only"},
    {NULL, "forget", NULL, NULL, FIELD(forget), NULL, NULL,
     "remove all that is stored of this machine, and end"},
    {NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL}};

static const app_command_text tune_text = {
    "tune", rows,
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

int bench_tune_arguments_parse(int argc, char **argv, bench_tune_arguments *a) {
    *a = (bench_tune_arguments){.seconds = 60, .patience = 120, .seed = 1};
    app_options_init(&a->solver);
    const int code = app_arguments_parse(&tune_text, argc, argv, a);
    if (code) {
        return code;
    }
    if (a->forget && a->grid.given) {
        return app_error(APP_USAGE, "--forget removes what is stored of all grids: give it alone");
    }
    if (!a->forget && !a->grid.given) {
        return app_error(APP_USAGE, "nothing to tune: give --grid 128, or --forget");
    }
    if (a->solver.options.cpus == 0 && a->solver.options.gpus == 0) {
        return app_error(APP_USAGE, "--cpus 0 --gpus 0: nothing is left to solve on");
    }
    if (a->policies != NULL && getenv("STARPU_SCHED") != NULL) {
        return app_error(APP_USAGE,
                         "--sched: STARPU_SCHED=%s in the environment goes above it: unset it",
                         getenv("STARPU_SCHED"));
    }
    return APP_DONE;
}
