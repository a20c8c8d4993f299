/* psg selftest: does psg give right answers on this machine? Each case makes a plan and solves it
 * three times: a sum of modes whose answer is known, random data whose equation is checked without
 * FFTs, and data with a NaN, which has to be refused. A list of cases comes first, then random ones
 * until the time is over. Started by mpirun, all processes solve each case together. */
#include "app/app.h"
#include "app/arguments.h"
#include "app/commands.h"
#include "app/problems.h"
#include "app/processes.h"
#include "app/progress.h"
#include "app/verify.h"
#include "graph/psg_machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* -------------------------------------------------------------------------------- the command */

typedef struct selftest_arguments {
    app_options solver;
    unsigned seconds;
    int seed;
    bool verbose;
} selftest_arguments;

#define FIELD(member) offsetof(selftest_arguments, member)

static const app_option_row rows[] = {
    APP_SOLVER_ROW("Machine", "cpus", FIELD(solver), NULL),
    APP_SOLVER_ROW(NULL, "gpus", FIELD(solver), NULL),
    {"Checks", "seconds", "N", app_value_unsigned, FIELD(seconds), NULL, "a whole number from 1",
     "random cases follow the fixed ones until then; default: 60", false},
    {NULL, "seed", "N", app_value_cpus, FIELD(seed), NULL, "a whole number from 0",
     "of the random cases; default: 1", false},
    APP_FLAG_ROW(NULL, verbose, "a line for each case"),
    {.name = NULL}};

static const app_command_text selftest_text = {
    .name = "selftest",
    .rows = rows,
    .intro =
        "Usage: psg selftest [OPTION]...\n"
        "\n"
        "Check on this machine that psg gives right answers: sizes, precisions, symbols, graphs,\n"
        "exchanges, cores, GPUs, both, and with mpirun several processes. Each case compares a\n"
        "solve with a known answer, checks the equation of another one without FFTs, and makes\n"
        "sure that a NaN is refused. The last line says how many checks passed.\n",
    .end = "Examples:\n"
           "  psg selftest\n"
           "         about a minute\n"
           "  mpirun -n 3 psg selftest --seconds 20\n"
           "         three processes that solve together\n"
           "\n"
           "Exit status:\n"
           "  0      every check passed\n"
           "  1      a check failed, and the line before the last one says which\n"
           "  2      the command line has to be changed\n"};

/* ---------------------------------------------------------------------------------- the cases */

/* Who does the tasks. */
typedef enum selftest_on { ON_CPUS = 0, ON_GPUS, ON_BOTH, ON_COUNT } selftest_on;

typedef struct selftest_case {
    size_t n[3];
    psg_precision precision;
    psg_symbol symbol;
    double lambda;
    psg_graph graph;
    psg_exchange exchange;
    psg_z_layout z_layout;
    psg_placement placement;
    size_t segment_planes, sheets;
} selftest_case;

static const selftest_case fixed[] = {
    {.n = {32, 32, 32}},
    {.n = {64, 64, 64}, .precision = PSG_F32},
    {.n = {31, 37, 41}},
    {.n = {30, 33, 35}, .precision = PSG_F32, .symbol = PSG_SYMBOL_FD2},
    {.n = {1, 1, 64}},
    {.n = {64, 1, 1}},
    {.n = {2, 3, 5}, .lambda = 1},
    {.n = {48, 20, 96}, .symbol = PSG_SYMBOL_FD2, .lambda = 2.5},
    {.n = {40, 50, 60}, .graph = PSG_GRAPH_STAGED},
    {.n = {40, 50, 60}, .graph = PSG_GRAPH_STAGED, .z_layout = PSG_Z_STRIDED},
    {.n = {25, 27, 49}, .graph = PSG_GRAPH_STAGED, .precision = PSG_F32, .segment_planes = 7},
    {.n = {33, 64, 65}, .segment_planes = 5, .sheets = 9},
    {.n = {64, 64, 64}, .segment_planes = 1, .sheets = 64},
    {.n = {128, 96, 80}},
};
enum { FIXED = sizeof fixed / sizeof *fixed };

typedef struct selftest {
    selftest_arguments arguments;
    size_t cpus, gpus; /* of all processes */
    app_progress progress;
    uint64_t random;
    size_t passed, failed, unsupported;
} selftest;

/* The exchanges that these workers can have. */
static psg_exchange random_exchange(selftest *t, selftest_on on) {
    static const psg_exchange between[] = {PSG_EXCHANGE_AUTO, PSG_EXCHANGE_MPI,
                                           PSG_EXCHANGE_ALLTOALL};
    static const psg_exchange within[] = {PSG_EXCHANGE_AUTO, PSG_EXCHANGE_MANAGED,
                                          PSG_EXCHANGE_DIRECT};
    const uint64_t draw = app_random(&t->random);
    return app_ranks() > 1 ? between[draw % 3] : within[draw % (on == ON_GPUS ? 3 : 2)];
}

static selftest_case random_case(selftest *t, selftest_on on) {
    selftest_case c = {.lambda = 0};
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t kind = app_random(&t->random) % 4;
        const size_t draw = (size_t)app_random(&t->random);
        c.n[axis] = kind == 0 ? 1 + draw % 8 : kind == 1 ? (size_t)16 << draw % 3 : 1 + draw % 80;
    }
    c.precision = app_random(&t->random) % 2 == 0 ? PSG_F64 : PSG_F32;
    c.symbol = app_random(&t->random) % 2 == 0
                   ? PSG_SYMBOL_SPECTRAL
                   : (psg_symbol)(1 + app_random(&t->random) % (PSG_SYMBOL_COUNT - 1));
    c.lambda = app_random(&t->random) % 3 == 0 ? 1.5 : 0;
    c.graph = app_random(&t->random) % 3 == 0 ? PSG_GRAPH_STAGED : PSG_GRAPH_FUSED;
    c.z_layout = app_random(&t->random) % 2 == 0 ? PSG_Z_CONTIGUOUS : PSG_Z_STRIDED;
    c.segment_planes = (size_t)(app_random(&t->random) % 3) * (1 + c.n[2] / 5);
    c.sheets = (size_t)(app_random(&t->random) % 8);
    c.exchange = random_exchange(t, on);
    c.placement = on == ON_GPUS ? (psg_placement)(app_random(&t->random) % PSG_PLACEMENT_COUNT)
                                : PSG_PLACEMENT_PINNED;
    return c;
}

static psg_grid grid_of(const selftest_case *c) {
    psg_grid grid;
    psg_grid_init(&grid, c->n[0], c->n[1], c->n[2], 1.0, 1.25, 0.75);
    return grid;
}

/* The same workers for all cases of a kind: else StarPU would have to start for each. */
static psg_options options_of(const selftest *t, const selftest_case *c, selftest_on on) {
    psg_options o = t->arguments.solver.options;
    o.cpus = on == ON_GPUS ? 0 : o.cpus;
    o.gpus = on == ON_CPUS ? 0 : o.gpus;
    o.gpu_ids = on == ON_CPUS ? NULL : o.gpu_ids;
    o.in_flight = 2;
    o.cpu_share = on == ON_BOTH ? 0.3 : PSG_CPU_SHARE_AUTO;
    o.comm = app_ranks_comm();
    o.effort = PSG_EFFORT_ESTIMATE;
    o.tuned = 0;
    o.precision = c->precision;
    o.symbol = c->symbol;
    o.lambda = c->lambda;
    o.graph = c->graph;
    o.exchange = c->exchange;
    o.z_layout = c->z_layout;
    o.placement = c->placement;
    o.segment_planes = c->segment_planes;
    o.sheets = c->sheets;
    return o;
}

static void case_text(const selftest_case *c, selftest_on on, char *text, size_t size) {
    static const char *const workers[] = {"cores", "GPUs", "cores and GPUs"};
    const bool placed = c->placement == PSG_PLACEMENT_FREE;
    (void)snprintf(text, size, "%zux%zux%zu %s %s lambda %g %s %s on %s%s, %zu planes, %zu sheets",
                   c->n[0], c->n[1], c->n[2], app_precision_name(c->precision),
                   app_symbol_name(c->symbol), c->lambda, app_graph_name(c->graph),
                   app_exchange_name(c->exchange), workers[on], placed ? " as the policy says" : "",
                   c->segment_planes, c->sheets);
}

/* --------------------------------------------------------------------------------- the checks */

static void check(selftest *t, int passed, const char *text, const char *what) {
    t->passed += passed != 0;
    t->failed += passed == 0;
    if (!passed && app_rank() == 0) {
        app_print_message("selftest: %s: %s", text, what);
    }
}

/* A case while it is checked. */
typedef struct trial {
    const selftest_case *is;
    char text[256]; /* its name in messages */
    psg_grid grid;
    psg_plan *plan;
    app_planes planes;
    void *f, *u;
} trial;

static void check_modes(selftest *t, const trial *c) {
    char what[640];
    app_answer *modes = app_modes_make(&c->grid, c->is->symbol, c->is->lambda, 1);
    app_answer_error e = {.error = NAN};
    double missing = modes == NULL;
    app_ranks_max(&missing, 1);
    if (missing > 0) {
        check(t, 0, c->text, "out of memory for a sum of modes");
        app_answer_free(modes);
        return;
    }
    app_answer_fill(modes, c->is->precision, c->planes, c->f, NULL);
    const psg_status status = psg_solve(c->plan, c->f, c->u);
    if (status == PSG_OK) {
        app_answer_compare(modes, c->is->precision, c->planes, c->u, &e);
        (void)snprintf(what, sizeof what, "error %.3g at (%zu, %zu, %zu), at most %.3g is rounding",
                       e.error, e.at[0], e.at[1], e.at[2], e.tolerance);
    } else {
        (void)snprintf(what, sizeof what, "modes: %s", psg_last_error());
    }
    check(t, status == PSG_OK && e.error <= e.tolerance, c->text, what);
    app_answer_free(modes);
}

/* Every process draws the whole field and keeps its planes. */
static void fill_random(selftest *t, const trial *c) {
    const size_t plane = c->is->n[0] * c->is->n[1];
    for (size_t m = 0; m < plane * c->is->n[2]; m++) {
        const double value = (double)(app_random(&t->random) >> 11) * 0x1p-52 - 1;
        if (m / plane >= c->planes.z0 && m / plane < c->planes.z0 + c->planes.count) {
            app_put_row(c->f, c->is->precision, m - c->planes.z0 * plane, 1, &value);
        }
    }
}

static void check_random(selftest *t, const trial *c) {
    char what[640];
    const app_equation equation = {.symbol = c->is->symbol, .lambda = c->is->lambda, .factor = 1};
    app_verification v = {.ok = 0};
    fill_random(t, c);
    const psg_status status = psg_solve(c->plan, c->f, c->u);
    if (status != PSG_OK) {
        (void)snprintf(what, sizeof what, "random data: %s", psg_last_error());
    } else if (app_verify(&c->grid, c->is->precision, &equation, c->planes, c->f, c->u, &v)) {
        (void)snprintf(what, sizeof what, "the check of the equation found no memory");
    } else {
        (void)snprintf(
            what, sizeof what,
            "residual %.3g, at most %.3g is rounding; mean of u off by %.3g, at most %.3g",
            v.residual, v.bound, v.mean_off, v.mean_bound);
    }
    check(t, status == PSG_OK && v.ok, c->text, what);
}

/* A solve with this number at the first point. */
static psg_status solve_with(const trial *c, double value) {
    if (c->planes.z0 == 0 && c->planes.count > 0) {
        app_put_row(c->f, c->is->precision, 0, 1, &value);
    }
    return psg_solve(c->plan, c->f, c->u);
}

static void run_case(selftest *t, const selftest_case *is, selftest_on on) {
    trial c = {.is = is, .grid = grid_of(is)};
    c.planes = app_own_planes(&c.grid);
    const psg_options options = options_of(t, is, on);
    const size_t points = app_plane_points(&c.grid, c.planes);
    const size_t bytes = (points > 0 ? points : 1) * app_element_bytes(is->precision);
    const size_t failed = t->failed;
    case_text(is, on, c.text, sizeof c.text);
    app_progress_step(&t->progress, "%zu checks passed", t->passed);
    c.f = malloc(bytes);
    c.u = malloc(bytes);
    double missing = c.f == NULL || c.u == NULL;
    app_ranks_max(&missing, 1);
    const psg_status status =
        missing > 0 ? PSG_ERR_MEMORY : psg_plan_create(&c.plan, &c.grid, &options);
    if (status == PSG_OK) {
        check_modes(t, &c);
        check_random(t, &c);
        check(t, solve_with(&c, NAN) == PSG_ERR_DATA, c.text, "a NaN in f was not refused");
        check(t, solve_with(&c, 0) == PSG_OK, c.text, "the solve after a refused one failed");
    } else if (status == PSG_ERR_UNSUPPORTED) {
        t->unsupported++;
    } else {
        check(t, 0, c.text, missing > 0 ? "out of memory" : psg_last_error());
    }
    if (t->arguments.verbose && app_rank() == 0) {
        printf("%s: %s\n", c.text,
               status == PSG_ERR_UNSUPPORTED ? "unsupported"
               : t->failed == failed         ? "right"
                                             : "WRONG");
    }
    psg_plan_destroy(c.plan);
    free(c.f);
    free(c.u);
}

/* ---------------------------------------------------------------------------------- the whole */

/* The seconds since the start, the same for all processes: they go on or stop together. */
static double elapsed(double start) {
    double seconds = app_now() - start;
    app_ranks_max(&seconds, 1);
    return seconds;
}

/* While the keeper lives StarPU runs with this kind's workers. */
static void run_kind(selftest *t, selftest_on on, double start, double until) {
    const psg_options options = options_of(t, &fixed[0], on);
    const psg_grid grid = grid_of(&fixed[0]);
    psg_plan *keeper = NULL;
    if (psg_plan_create(&keeper, &grid, &options) != PSG_OK) {
        check(t, 0, "the first plan", psg_last_error());
        return;
    }
    for (size_t m = 0; m < FIXED; m++) {
        selftest_case c = fixed[m];
        for (int exchange = 0; exchange < (app_ranks() > 1 ? 2 : 1); exchange++) {
            c.exchange = exchange == 0 ? PSG_EXCHANGE_AUTO : PSG_EXCHANGE_ALLTOALL;
            run_case(t, &c, on);
        }
    }
    while (elapsed(start) < until) {
        const selftest_case c = random_case(t, on);
        run_case(t, &c, on);
    }
    psg_plan_destroy(keeper);
}

/* How many workers of a kind the processes have together, and the fewest of one.
 *  @return APP_DONE; after a message the code of what was asked for and is not there */
static int count_workers(const selftest *t, selftest_on on, size_t *count) {
    const psg_options options = options_of(t, &fixed[0], on);
    const bool asked =
        on == ON_GPUS ? t->arguments.solver.options.gpus > 0 : t->arguments.solver.options.cpus > 0;
    size_t own = 0;
    *count = 0;
    if (options.cpus == 0 && options.gpus == 0) {
        return APP_DONE;
    }
    const psg_status status = psg_machine_workers(&options, NULL, 0, &own, NULL, 0);
    if (status != PSG_OK) {
        return asked || status != PSG_ERR_NODEV
                   ? app_error(app_exit_code(status), "%s", psg_last_error())
                   : APP_DONE;
    }
    double sum = (double)own, fewest = -(double)own;
    app_ranks_sum(&sum, 1);
    app_ranks_max(&fewest, 1);
    *count = fewest < 0 ? (size_t)sum : 0;
    return APP_DONE;
}

static int run_kinds(selftest *t) {
    const double start = app_now();
    int code = app_ranks_agree(count_workers(t, ON_CPUS, &t->cpus));
    code = code ? code : app_ranks_agree(count_workers(t, ON_GPUS, &t->gpus));
    if (code) {
        return code;
    }
    const int there[ON_COUNT] = {t->cpus > 0, t->gpus > 0, t->cpus > 0 && t->gpus > 0};
    const int kinds = there[ON_CPUS] + there[ON_GPUS] + there[ON_BOTH];
    if (kinds == 0) {
        return app_error(APP_USAGE, "selftest: there is no core and no GPU to check");
    }
    for (int on = 0, done = 0; on < ON_COUNT; on++) {
        if (there[on]) {
            done++;
            run_kind(t, (selftest_on)on, start, (double)t->arguments.seconds * done / kinds);
        }
    }
    app_progress_stop(&t->progress);
    if (app_rank() == 0) {
        printf(
            "selftest: %zu checks passed, %zu failed; %zu cores, %zu GPUs, %d process%s; %.0f s\n",
            t->passed, t->failed, t->cpus, t->gpus, app_ranks(), app_ranks() > 1 ? "es" : "",
            app_now() - start);
    }
    return t->failed > 0 ? APP_FAILED : APP_DONE;
}

int app_selftest(int argc, char **argv) {
    selftest t = {.arguments = {.seconds = 60, .seed = 1}};
    app_options_init(&t.arguments.solver);
    int code = app_ranks_agree(app_arguments_parse(&selftest_text, argc, argv, &t.arguments));
    if (code) {
        return code == APP_HELPED ? APP_DONE : code;
    }
    if (psg_simulation()) {
        return app_error(APP_USAGE,
                         "selftest: this psg simulates and computes nothing: use the real one");
    }
    t.random = (uint64_t)t.arguments.seed;
    app_progress_start(&t.progress, app_rank() == 0 && !t.arguments.verbose);
    code = app_ranks_agree(run_kinds(&t));
    app_progress_stop(&t.progress);
    return code;
}
