/* Solves in flight from and to arrays in main memory overlap: f of one comes to the GPUs while u of
 * another goes home, and tasks whose data are there wait for none of that; on a GPU with little
 * memory too. */
#include "graph/psg_machine.h"
#include "tests/simulate/simulate.h"

#include <string.h>

enum { N = 128, SOLVES = 8, FLIGHTS_MOST = 4 };

static const size_t bytes = (size_t)N * N * N * sizeof(double); /* of f, and about of a spectrum */
static const double rate = 1e9;                                 /* bytes per second, each way */

/** What is submitted, on GPUs with memory for so many fields (f, a spectrum, u). */
typedef struct flights_case {
    simulate_case what;
    double fields;
    double fill; /**< copies of f, or of u, beside which there are none the other way */
} flights_case;

#define CASE(...) .n = N, .cpus = -1, __VA_ARGS__
static const flights_case cases[] = {
    {{CASE(.gpus = 1, .in_flight = 2)}, 100, 1},
    {{CASE(.gpus = 1, .in_flight = 4)}, 100, 1},
    {{CASE(.gpus = 1, .segment_planes = 4, .in_flight = 2)}, 100, 1},
    {{CASE(.gpus = 1, .segment_planes = N, .in_flight = 2)}, 100, 1},
    {{CASE(.gpus = 1, .graph = PSG_GRAPH_STAGED, .in_flight = 2)}, 100, 1},
    {{CASE(.gpus = 2, .segment_planes = 32, .sheets = 2, .in_flight = 2)}, 100, 1},
    {{CASE(.gpus = 1, .in_flight = 1)}, 100, SOLVES},
    {{CASE(.gpus = 2, .graph = PSG_GRAPH_STAGED, .segment_planes = 32, .sheets = 2,
           .in_flight = 1)},
     100,
     SOLVES},
    /* several spectra, and fewer than could be in flight */
    {{CASE(.gpus = 1, .segment_planes = 64, .in_flight = 4)}, 7.6, 1},
    /* one spectrum at a time, with its f and u */
    {{CASE(.gpus = 1, .segment_planes = 16, .in_flight = 2)}, 4, 1},
    {{CASE(.gpus = 1, .segment_planes = 16, .in_flight = 4)}, 4, 1},
    /* or with parts of them */
    {{CASE(.gpus = 1, .segment_planes = 16, .in_flight = 2)}, 2.5, 1},
    {{CASE(.gpus = 1, .segment_planes = 16, .in_flight = 4)}, 2.5, 1},
};

static const char *machine_of(const flights_case *c) {
    static char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "machine flights\ncpus 1\ngpus 2\ngpu_memory %g\n"
                                   "least gpu 1e-6\n"
                                   "link to-gpu %g 1e-6\nlink from-gpu %g 1e-6\n"
                                   "link between 1e12 1e-6\nlink peer 1e12 0\n",
                                   c->fields * (double)bytes, rate, rate);
    for (size_t m = 0; m < SIMULATE_TASKS; ++m) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "time %s f64 gpu 128x128x128 %s 64 dense 2 0 0.2e-3\n",
                                 simulate_tasks[m][0], simulate_tasks[m][1]);
    }
    return simulate_machine(text);
}

/* The next begins as soon as there is room for it. */
static double seconds_of(psg_plan *plan, unsigned in_flight, char *memory) {
    const double start = psg_clock();
    for (unsigned m = 0; m < SOLVES + in_flight; ++m) {
        if (m >= in_flight) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
        }
        if (m < SOLVES) { /* f is the same for all */
            CHECK_STATUS(psg_submit(plan, memory, memory + (1 + m % in_flight) * bytes), PSG_OK);
        }
    }
    return psg_clock() - start;
}

static void solve(const void *argument) {
    const flights_case *c = argument;
    const unsigned in_flight = c->what.in_flight;
    char *memory = malloc((1 + FLIGHTS_MOST) * bytes); /* which is not looked at */
    DESTROYED psg_plan *plan = simulate_plan(&c->what);
    const double way = (double)bytes / rate / c->what.gpus;
    (void)seconds_of(plan, in_flight, memory);
    const double seconds = seconds_of(plan, in_flight, memory);
    const double copies = (SOLVES + c->fill) * way;
    printf("%d GPUs, %u in flight, room for %g fields: %.1f ms, copies %.1f ms\n", c->what.gpus,
           in_flight, c->fields, seconds * 1e3, copies * 1e3);
    CHECK(seconds >= copies && seconds <= 1.15 * copies, "%g s instead of %g s", seconds, copies);
    free(memory);
}

int main(void) {
    for (size_t m = 0; m < sizeof cases / sizeof *cases; ++m) {
        simulate_apart(machine_of(&cases[m]), solve, &cases[m]);
    }
    remove(simulate_machine(""));
    return check_result();
}
