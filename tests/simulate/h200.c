/* The recorded H200s: simulated solves take what they took there, more GPUs are not slower, the
 * exchange overlaps with the transforms, and a policy that knows the times is not worse than one
 * that does not. */
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

/* Measured on 2026-11-20 by bench_gpu_peer, data on the GPUs, f64: median of 5 to 11 solves. On 4
 * GPUs blocks were at home with their segments then, and not with their pencils. */
static const struct measured {
    simulate_case what;
    double seconds;
} measured[] = {
    {{"h200", 512, -1, 1, PSG_GRAPH_FUSED, PSG_EXCHANGE_AUTO, 0, 0, NULL, 0}, 3.415e-3},
    {{"h200", 512, -1, 1, PSG_GRAPH_FUSED, PSG_EXCHANGE_AUTO, 512, 1, NULL, 0}, 3.322e-3},
    {{"h200", 1024, -1, 1, PSG_GRAPH_FUSED, PSG_EXCHANGE_AUTO, 0, 0, NULL, 0}, 28.58e-3},
    {{"h200", 512, -1, 4, PSG_GRAPH_FUSED, PSG_EXCHANGE_MANAGED, 0, 0, NULL, 0}, 3.678e-3},
    {{"h200", 1024, -1, 4, PSG_GRAPH_FUSED, PSG_EXCHANGE_MANAGED, 64, 8, NULL, 0}, 21.31e-3},
    {{"h200", 512, -1, 1, PSG_GRAPH_STAGED, PSG_EXCHANGE_AUTO, 512, 1, NULL, 0}, 6.892e-3},
    {{"h200", 512, -1, 1, PSG_GRAPH_STAGED, PSG_EXCHANGE_AUTO, 0, 0, NULL, 0}, 7.255e-3},
};

static void as_measured(void) {
    for (size_t m = 0; m < sizeof measured / sizeof measured[0]; ++m) {
        const double got = seconds_of(&measured[m].what), real = measured[m].seconds;
        printf("%zu^3 on %d, %s: simulated %.3f ms, measured %.3f ms, %+.1f %%\n",
               measured[m].what.n, measured[m].what.gpus,
               measured[m].what.exchange == PSG_EXCHANGE_MANAGED ? "managed" : "default", got * 1e3,
               real * 1e3, 100 * (got / real - 1));
        CHECK_NEAR(got / real, 1, 0.15, "%zu^3 on %d GPUs", measured[m].what.n,
                   measured[m].what.gpus);
    }
}

static void more_gpus(psg_exchange exchange) {
    double before = INFINITY;
    for (int gpus = 1; gpus <= 8; gpus *= 2) {
        const simulate_case c = {
            .machine = "h200", .n = 1024, .cpus = -1, .gpus = gpus, .exchange = exchange};
        const double now = seconds_of(&c);
        printf("1024^3 on %d, exchange %d: %.3f ms\n", gpus, (int)exchange, now * 1e3);
        CHECK(now <= before, "%d GPUs take %g s, half as many %g s", gpus, now, before);
        before = now;
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
        if (strncmp(line, "link between", 12) == 0) {
            snprintf(line, sizeof line, "link between %g %g\n", 700e9 * link, 1e-6 / link);
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
 *  others are transformed. */
static void overlap(void) {
    simulate_case c = {.n = 1024, .cpus = -1, .gpus = 4, .exchange = PSG_EXCHANGE_MANAGED};
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
