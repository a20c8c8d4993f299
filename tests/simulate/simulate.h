/** @file simulate.h  What the tests of simulations share: machines written on the spot, and solves
 *  on them.
 *
 * A process simulates one machine, so each is tried in a process of its own: simulate_apart().
 */
#ifndef PSG_TESTS_SIMULATE_H
#define PSG_TESTS_SIMULATE_H

#include "graph/psg.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/** Every kind of task of the two graphs, as a machine's file names it, and what it works on. */
enum { SIMULATE_TASKS = 13 };
static const char *const simulate_tasks[SIMULATE_TASKS][2] __attribute__((unused)) = {
    {"forward_xy", "segment"}, {"kspace", "sheet"},   {"inverse_xy", "segment"},
    {"fft_xy", "segment"},     {"pack", "segment"},   {"unpack", "sheet"},
    {"fft_z", "sheet"},        {"divide", "sheet"},   {"ifft_z", "sheet"},
    {"pack", "sheet"},         {"unpack", "segment"}, {"ifft_xy", "segment"},
    {"normalize", "segment"}};

/** Write the text of a machine to a file of this test, which is overwritten by the next. @return
 *  its name */
static inline const char *simulate_machine(const char *text) {
    static char path[64];
    snprintf(path, sizeof path, "simulate-%ld.machine", (long)getpid());
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file)) {
        perror(path);
        exit(1);
    }
    return path;
}

#ifdef PSG_MACHINES
/** The H200 with lines of these words in place of its own. @return as simulate_machine() */
static inline const char *simulate_h200_and(const char *more) {
    static char text[1 << 18];
    FILE *file = fopen(PSG_MACHINES "/h200.machine", "r");
    size_t length = 0;
    char line[512];
    while (file && fgets(line, sizeof line, file)) {
        const bool other = strncmp(line, more, strcspn(more, " ") + 1) != 0;
        length += other ? (size_t)snprintf(text + length, sizeof text - length, "%s", line) : 0;
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "%s", more);
    CHECK(file && length < sizeof text, "%zu bytes of " PSG_MACHINES "/h200.machine", length);
    if (file) {
        fclose(file);
    }
    return simulate_machine(text);
}

/** The H200 with another amount of memory. */
static inline const char *simulate_h200_with(double gpu_memory) {
    char line[64];
    snprintf(line, sizeof line, "gpu_memory %g\n", gpu_memory);
    return simulate_h200_and(line);
}
#endif

static void (*simulate_function)(const void *);
static const void *simulate_argument;

static inline int simulate_program(int argc, char **argv) {
    (void)argc;
    (void)argv;
    simulate_function(simulate_argument);
    return check_failures > 0;
}

/** Call a function in a child process.
 *  @param[in] machine  if not NULL, within its simulation; else a plan of the function's starts one
 *  @return its checks held */
static inline int simulate_apart(const char *machine, void (*function)(const void *argument),
                                 const void *argument) {
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        check_count = check_failures = 0;
        simulate_function = function;
        simulate_argument = argument;
        const int failed = machine ? psg_simulation_main(machine, simulate_program, 0, NULL)
                                   : simulate_program(0, NULL);
        if (failed < 0) {
            fprintf(stderr, "%s: %s\n", machine, psg_last_error());
        }
        fflush(NULL);
        _exit(failed != 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("fork");
        exit(1);
    }
    return CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                 "a simulation failed, or ended with status %#x", (unsigned)status);
}

/** What is simulated. */
typedef struct simulate_case {
    const char *machine; /**< for simulate_apart() */
    size_t n;            /**< points along each axis */
    int cpus, gpus;
    psg_graph graph;
    psg_exchange exchange;
    size_t segment_planes, sheets; /**< 0: the default */
    const char *policy;            /**< NULL: StarPU's */
    double cpu_share;              /**< of GPUs and cores */
    psg_placement placement;
    psg_precision precision;
    unsigned nodes; /**< 0: one */
    double network; /**< as psg_options has it */
    psg_bc bc[3][2];
    psg_points points;  /**< along all axes */
    unsigned in_flight; /**< 0: the default */
} simulate_case;

static inline psg_grid simulate_grid(const simulate_case *c) {
    psg_grid grid;
    psg_grid_init(&grid, c->n, c->n, c->n, 1, 1, 1);
    for (int d = 0; d < 3; ++d) {
        memcpy(grid.axis[d].bc, c->bc[d], sizeof c->bc[d]);
        grid.axis[d].points = c->points;
    }
    return grid;
}

static inline psg_options simulate_options(const simulate_case *c) {
    psg_options options;
    psg_options_init(&options);
    options.cpus = c->cpus;
    options.gpus = c->gpus;
    options.graph = c->graph;
    options.exchange = c->exchange;
    options.segment_planes = c->segment_planes;
    options.sheets = c->sheets;
    options.policy = c->policy;
    options.cpu_share = c->cpu_share;
    options.placement = c->placement;
    options.precision = c->precision;
    options.nodes = c->nodes > 0 ? c->nodes : 1;
    options.network = c->network;
    options.in_flight = c->in_flight > 0 ? c->in_flight : options.in_flight;
    options.record = 1; /* which takes no simulated time */
    return options;
}

static inline psg_status simulate_create(const simulate_case *c, psg_plan **plan) {
    const psg_options options = simulate_options(c);
    const psg_grid grid = simulate_grid(c);
    return psg_plan_create(plan, &grid, &options);
}

/** A plan, without which the program ends. */
static inline psg_plan *simulate_plan(const simulate_case *c) {
    psg_plan *plan = NULL;
    if (!CHECK_STATUS(simulate_create(c, &plan), PSG_OK)) {
        exit(1);
    }
    return plan;
}

/** A solve with the data where they are computed, and what the library tells of it. */
typedef struct simulated {
    psg_plan *plan;
    double seconds;
    psg_statistics s;
    psg_bounds b;
    psg_event *event;
    size_t events;
} simulated;

/** What there is to tell of the plan's latest solve. */
static inline void simulated_tell(simulated *m) {
    CHECK_STATUS(psg_plan_statistics(m->plan, &m->s), PSG_OK);
    CHECK_STATUS(psg_plan_bounds(m->plan, &m->b), PSG_OK);
    CHECK_STATUS(psg_plan_events(m->plan, NULL, 0, &m->events), PSG_OK);
    free(m->event);
    m->event = calloc(m->events + 1, sizeof *m->event);
    CHECK_STATUS(psg_plan_events(m->plan, m->event, m->events, &m->events), PSG_OK);
}

/** The second of two solves, and its seconds alone. */
static inline simulated simulated_solve(const simulate_case *c) {
    simulated m = {.plan = simulate_plan(c)};
    CHECK_STATUS(psg_slabs_put(m.plan, c), PSG_OK); /* which is not looked at */
    for (int solve = 0; solve < 2; ++solve) {
        const double start = psg_clock();
        CHECK_STATUS(psg_submit_slabs(m.plan), PSG_OK);
        CHECK_STATUS(psg_wait(m.plan), PSG_OK);
        m.seconds = psg_clock() - start;
    }
    return m;
}

static inline simulated simulated_of(const simulate_case *c) {
    simulated m = simulated_solve(c);
    simulated_tell(&m);
    return m;
}

static inline void simulated_free(simulated *m) {
    psg_plan_destroy(m->plan);
    free(m->event);
}

static inline double simulated_seconds(const simulate_case *c) {
    AT_END(simulated_free) simulated m = simulated_solve(c);
    return m.seconds;
}

/** simulate_apart() for each of a list. */
#define SIMULATE_EACH(machine, function, list)                                                     \
    do {                                                                                           \
        for (size_t each = 0; each < sizeof(list) / sizeof *(list); ++each) {                      \
            simulate_apart(machine, function, &(list)[each]);                                      \
        }                                                                                          \
    } while (0)

#endif
