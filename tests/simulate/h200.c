/* The recorded H200s: simulated solves take what they took there, in that order; more GPUs are not
 * slower, the exchange overlaps with the transforms, and a policy that knows the times is not worse
 * than one that does not. */
#include "tests/simulate/simulate.h"

#include <string.h>
#include <sys/mman.h>

/* What a child found out. */
static double *shared;

static void solve(const void *argument) {
    *shared = simulate_solve(argument, NULL);
}

static double seconds_of(const simulate_case *c) {
    *shared = NAN;
    simulate_apart(c->machine, solve, c);
    return *shared;
}

/** What was measured. */
typedef struct measured {
    size_t n;
    int gpus;
    size_t segments, pencils;
    psg_exchange exchange;
    double seconds;
    psg_graph graph;
    psg_precision precision;
} measured;

#define DIRECT PSG_EXCHANGE_AUTO
#define MANAGED PSG_EXCHANGE_MANAGED

/* On 2026-11-20, data on the GPUs, medians. Of the cuts with two segments a GPU, and of those of
 * the exchange managed and of the staged graph, the file has the tasks; not of the others. */
static const measured cases[] = {
    {512, 1, 1, 1, DIRECT, 3.271e-3, PSG_GRAPH_FUSED, PSG_F64},
    {512, 1, 2, 1, DIRECT, 3.336e-3, PSG_GRAPH_FUSED, PSG_F64},
    {512, 1, 4, 4, DIRECT, 3.289e-3, PSG_GRAPH_FUSED, PSG_F64},
    {512, 2, 2, 2, DIRECT, 2.152e-3, PSG_GRAPH_FUSED, PSG_F64},
    {512, 2, 4, 2, DIRECT, 2.230e-3, PSG_GRAPH_FUSED, PSG_F64},
    {512, 2, 8, 2, DIRECT, 2.379e-3, PSG_GRAPH_FUSED, PSG_F64},
    {512, 4, 4, 4, DIRECT, 1.675e-3, PSG_GRAPH_FUSED, PSG_F64},
    {512, 4, 8, 4, DIRECT, 1.739e-3, PSG_GRAPH_FUSED, PSG_F64},
    {512, 4, 16, 4, DIRECT, 1.972e-3, PSG_GRAPH_FUSED, PSG_F64},
    {512, 8, 8, 8, DIRECT, 1.311e-3, PSG_GRAPH_FUSED, PSG_F64},
    {512, 8, 16, 8, DIRECT, 1.581e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 1, 1, 1, DIRECT, 25.122e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 1, 2, 1, DIRECT, 25.083e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 1, 4, 4, DIRECT, 25.846e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 2, 2, 2, DIRECT, 15.891e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 2, 4, 2, DIRECT, 16.044e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 2, 8, 2, DIRECT, 16.080e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 4, 4, 4, DIRECT, 11.514e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 4, 8, 4, DIRECT, 11.850e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 4, 16, 4, DIRECT, 11.787e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 4, 4, 16, MANAGED, 19.976e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 8, 8, 8, DIRECT, 7.023e-3, PSG_GRAPH_FUSED, PSG_F64},
    {1024, 8, 16, 8, DIRECT, 7.214e-3, PSG_GRAPH_FUSED, PSG_F64},
    {512, 1, 2, 1, DIRECT, 1.872e-3, PSG_GRAPH_FUSED, PSG_F32},
    {512, 4, 4, 4, DIRECT, 1.022e-3, PSG_GRAPH_FUSED, PSG_F32},
    {512, 8, 16, 8, DIRECT, 1.164e-3, PSG_GRAPH_FUSED, PSG_F32},
    {1024, 1, 2, 1, DIRECT, 13.393e-3, PSG_GRAPH_FUSED, PSG_F32},
    {1024, 4, 16, 4, DIRECT, 6.511e-3, PSG_GRAPH_FUSED, PSG_F32},
    {1024, 8, 16, 8, DIRECT, 4.121e-3, PSG_GRAPH_FUSED, PSG_F32},
    {512, 1, 1, 1, DIRECT, 6.871e-3, PSG_GRAPH_STAGED, PSG_F64},
    {512, 1, 4, 4, DIRECT, 7.255e-3, PSG_GRAPH_STAGED, PSG_F64},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* What is faster by more than two runs differ by is faster here. */
static void in_order(const double got[CASES]) {
    const double clear = 1.03;
    for (int m = 0; m < CASES; ++m) {
        for (int other = 0; other < CASES; ++other) {
            const measured *c = &cases[m], *o = &cases[other];
            if (c->n == o->n && c->precision == o->precision && c->seconds * clear < o->seconds) {
                CHECK(got[m] < got[other],
                      "%zu^3: %g s of %zu x %zu on %d, %g s of %zu x %zu on %d", c->n, got[m],
                      c->segments, c->pencils, c->gpus, got[other], o->segments, o->pencils,
                      o->gpus);
            }
        }
    }
}

static void as_measured(void) {
    double got[CASES];
    for (int m = 0; m < CASES; ++m) {
        const measured *c = &cases[m];
        const simulate_case what = {.machine = "h200",
                                    .n = c->n,
                                    .cpus = -1,
                                    .gpus = c->gpus,
                                    .graph = c->graph,
                                    .exchange = c->exchange,
                                    .segment_planes = c->n / c->segments,
                                    .pencils = c->pencils,
                                    .precision = c->precision};
        got[m] = seconds_of(&what);
        printf("%zu^3 %s on %d, %s%s, %zu x %zu: simulated %.3f ms, measured %.3f ms, %+.1f %%\n",
               c->n, c->precision == PSG_F64 ? "f64" : "f32", c->gpus,
               c->graph == PSG_GRAPH_FUSED ? "fused" : "staged",
               c->exchange == MANAGED ? ", managed" : "", c->segments, c->pencils, got[m] * 1e3,
               c->seconds * 1e3, 100 * (got[m] / c->seconds - 1));
        CHECK_NEAR(got[m] / c->seconds, 1, 0.15, "%zu^3 on %d GPUs, %zu x %zu", c->n, c->gpus,
                   c->segments, c->pencils);
    }
    in_order(got);
}

/* Not slower than half as many; with copies, which take most of the time then, than one. */
static void more_gpus(psg_exchange exchange) {
    double before = INFINITY;
    for (int gpus = 1; gpus <= 8; gpus *= 2) {
        const simulate_case c = {
            .machine = "h200", .n = 1024, .cpus = -1, .gpus = gpus, .exchange = exchange};
        const double now = seconds_of(&c);
        printf("1024^3 on %d, exchange %d: %.3f ms\n", gpus, (int)exchange, now * 1e3);
        CHECK(now <= before, "%d GPUs take %g s, fewer %g s", gpus, now, before);
        before = exchange == MANAGED && gpus > 1 ? before : now;
    }
}

static void policies(void) {
    for (int gpus = 1; gpus <= 8; gpus *= 2) {
        simulate_case c = {
            .machine = "h200", .n = 1024, .cpus = -1, .gpus = gpus, .policy = "eager"};
        const double eager = seconds_of(&c);
        c.policy = "dmdas";
        const double dmdas = seconds_of(&c);
        CHECK(dmdas <= 1.01 * eager, "on %d GPUs dmdas takes %g s, eager %g s", gpus, dmdas, eager);
    }
}

/** The machine with another link between its GPUs, and with tasks that take another time. */
static const char *changed(double link, double task) {
    static char text[65536];
    FILE *file = fopen(PSG_MACHINES "/h200.machine", "r");
    size_t length = 0;
    char line[512];
    while (file && fgets(line, sizeof line, file)) {
        char *last = strrchr(line, ' ');
        double rate = 0, latency = 0;
        if (sscanf(line, "link between %lf %lf", &rate, &latency) == 2) {
            snprintf(line, sizeof line, "link between %g %g\n", rate * link, latency / link);
        } else if (strncmp(line, "time ", 5) == 0 || strncmp(line, "least ", 6) == 0) {
            snprintf(last, sizeof line - (size_t)(last - line), " %g\n", atof(last) * task);
        }
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", line);
    }
    CHECK(file && length < sizeof text, "%zu bytes of " PSG_MACHINES "/h200.machine", length);
    if (file) {
        fclose(file);
    }
    return simulate_machine(text);
}

/** A solve takes less than one without copies and one without work together: blocks travel while
 *  others are transformed, where each GPU has several. */
static void overlap(void) {
    simulate_case c = {
        .n = 1024, .cpus = -1, .gpus = 4, .exchange = MANAGED, .segment_planes = 64, .pencils = 16};
    c.machine = changed(1e6, 1);
    const double transforms = seconds_of(&c);
    c.machine = changed(1, 1e-6);
    const double copies = seconds_of(&c);
    c.machine = changed(1, 1);
    const double all = seconds_of(&c);
    printf("1024^3 on 4: transforms %.2f ms, copies %.2f ms, together %.2f ms\n", transforms * 1e3,
           copies * 1e3, all * 1e3);
    CHECK(all >= fmax(copies, transforms) && all <= 0.9 * (copies + transforms),
          "too little overlaps: %g s of %g + %g s", all, transforms, copies);
    remove(simulate_machine(""));
}

int main(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    as_measured();
    more_gpus(PSG_EXCHANGE_AUTO);
    more_gpus(PSG_EXCHANGE_MANAGED);
    policies();
    overlap();
    return check_result();
}
