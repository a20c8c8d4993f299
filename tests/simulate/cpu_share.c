/* Cores beside GPUs: they take the last of the planes and rows, as many as the share says, and each
 * part is done once, by its kind of worker. By itself the share is 0. */
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "tests/simulate/simulate.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define WHOLE 128 /* points: enough for several tasks on every core */

/** Seconds of any task on 8 planes or rows of 64^3 points, on a core and on a GPU; 0: not
 *  recorded. */
typedef struct speeds {
    double cpu, gpu;
    double link;   /**< bytes per second */
    double cpu_z;  /**< of tasks on rows, if not `cpu` */
    double memory; /**< bytes of each GPU */
} speeds;

static const speeds near = {8e-3, 2e-3, 2.1e9, 0, 1e9}, far = {8e-3, 1e-4, 2.1e9, 0, 1e9},
                    unknown = {0, 2e-3, 2.1e9, 0, 1e9}, linked = {2e-3, 1e-4, 0.5e9, 0, 1e9},
                    far_in_z = {1e-3, 1e-4, 0.5e9, 16e-3, 1e9},
                    little = {8e-3, 2e-3, 2.1e9, 0, 6e6}, some = {8e-3, 2e-3, 2.1e9, 0, 20e6};

static const char *machine_of(const speeds *s) {
    static char text[8192];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "machine both\ncpus 8\ngpus 2\ngpu_memory %g\nleast cpu 1e-6\nleast gpu 1e-6\n"
        "link to-gpu %g 1e-6\nlink from-gpu %g 1e-6\nlink between 2e9 1e-6\nlink peer 2e9 0\n",
        s->memory, s->link, s->link);
    for (size_t m = 0; m < 2 * SIMULATE_TASKS; ++m) {
        const bool rows = strcmp(simulate_tasks[m / 2][1], "sheet") == 0;
        const double cpu = rows && s->cpu_z > 0 ? s->cpu_z : s->cpu;
        const double seconds = m % 2 ? s->gpu : cpu;
        if (seconds > 0) {
            used += (size_t)snprintf(
                text + used, sizeof text - used, "time %s f64 %s 64x64x64 %s 8 dense 8 0 %g\n",
                simulate_tasks[m / 2][0], m % 2 ? "gpu" : "cpu", simulate_tasks[m / 2][1], seconds);
        }
    }
    return simulate_machine(text);
}

static const simulate_case cases[] = {
    {.n = 64, .gpus = 1, .cpus = 4, .cpu_share = 0.1},
    {.n = 63, .gpus = 2, .cpus = 3, .cpu_share = 0.5},
    {.n = 61, .gpus = 2, .cpus = 4, .cpu_share = 0.9, .segment_planes = 4, .sheets = 11},
    {.n = 64, .gpus = 1, .cpus = 2, .cpu_share = 1},
    {.n = 64, .gpus = 1, .cpus = -1, .cpu_share = 0.25},
    {.n = 64, .gpus = 1, .cpus = 4, .cpu_share = 0.003}, /* of a plane */
    {.n = 59, .gpus = 1, .cpus = 4, .cpu_share = 0.3, .graph = PSG_GRAPH_STAGED},
    {.n = 64, .gpus = 2, .cpus = 4, .cpu_share = 0.4, .graph = PSG_GRAPH_STAGED, .sheets = 2},
    {.n = 64, .gpus = 2, .cpus = 4, .cpu_share = 0.2, .segment_planes = 1000},
};

/* The planes of one step of the graph, or its rows: by cores, and in all. */
typedef struct parts {
    size_t cores, all, first_of_cores, last_of_gpus;
} parts;

static parts parts_of(const psg_event *events, size_t count, psg_stage stage, int gpus) {
    parts p = {.first_of_cores = SIZE_MAX};
    for (size_t e = 0; e < count; ++e) {
        const size_t number = events[e].segment == SIZE_MAX ? events[e].sheet : events[e].segment;
        if (events[e].stage != stage) {
            continue;
        }
        p.all += events[e].count;
        if (events[e].worker >= gpus) {
            p.cores += events[e].count;
            p.first_of_cores = number < p.first_of_cores ? number : p.first_of_cores;
        } else {
            p.last_of_gpus = number > p.last_of_gpus ? number : p.last_of_gpus;
        }
    }
    return p;
}

static void check_parts(const void *argument) {
    static const psg_stage stages[] = {PSG_STAGE_FORWARD_XY, PSG_STAGE_KSPACE, PSG_STAGE_INVERSE_XY,
                                       PSG_STAGE_FFT_XY,     PSG_STAGE_FFT_Z,  PSG_STAGE_DIVIDE,
                                       PSG_STAGE_NORMALIZE};
    const simulate_case *c = argument;
    const size_t want = (size_t)(c->cpu_share * (double)c->n + 0.5);
    size_t seen = 0;
    AT_END(simulated_free) simulated got = simulated_of(c);
    CHECK(got.events > 0, "no events");
    for (size_t g = 0; g < sizeof stages / sizeof *stages; ++g) {
        const parts p = parts_of(got.event, got.events, stages[g], c->gpus);
        seen += p.all > 0;
        CHECK(p.all == 0 || (p.all == c->n && p.cores == want),
              "%s: %zu of %zu on cores instead of %zu of %zu", psg_stage_name(stages[g]), p.cores,
              p.all, want, c->n);
        CHECK(p.cores == 0 || p.cores == p.all || p.first_of_cores > p.last_of_gpus,
              "%s: part %zu is a core's, and %zu a GPU's", psg_stage_name(stages[g]),
              p.first_of_cores, p.last_of_gpus);
    }
    CHECK(seen == (c->graph == PSG_GRAPH_STAGED ? 4 : 3), "%zu stages", seen);
    CHECK(got.s.cpu_planes == want && got.s.cpu_rows == want,
          "%zu planes and %zu rows instead of %zu", got.s.cpu_planes, got.s.cpu_rows, want);
    CHECK(got.s.exchange == PSG_EXCHANGE_MANAGED, "exchange %d", (int)got.s.exchange);
    CHECK(got.s.workers == (size_t)c->gpus + (c->cpus < 0 ? 8 : (size_t)c->cpus) - (c->cpus < 0),
          "%zu workers", got.s.workers); /* a GPU takes a core */
    /* there and back: cores' planes of GPUs' rows, and GPUs' planes of cores' rows */
    const double cross = 2.0 * (double)(want * (c->n - want) * (c->n / 2 + 1)) * 16;
    CHECK_NEAR(got.b.link_bytes[PSG_LINK_D2H], cross, 0, "bytes from GPUs");
    CHECK_NEAR(got.b.link_bytes[PSG_LINK_H2D], cross, 0, "bytes to GPUs");
    CHECK(got.b.seconds <= got.seconds, "bound %g s by %s, solved in %g s", got.b.seconds,
          psg_bound_name(got.b.by), got.seconds);
}

/** GPUs without room for the spectrum: only parts that they may have are small, cores' as ever. */
typedef struct room_case {
    const speeds *machine;
    simulate_case what;
} room_case;
static const room_case crowded[] = {
    {&little, {.n = WHOLE, .gpus = 1, .cpus = 2, .cpu_share = 0.75}},
    {&little, {.n = WHOLE, .gpus = 2, .cpus = 2, .cpu_share = 0.25, .graph = PSG_GRAPH_STAGED}},
    {&little,
     {.n = WHOLE, .gpus = 1, .cpus = 4, .cpu_share = 0.5, .segment_planes = 4, .sheets = 32}},
    {&little, {.n = WHOLE, .gpus = 1, .cpus = 2, .placement = PSG_PLACEMENT_FREE}},
    {&some, {.n = WHOLE, .gpus = 1, .cpus = 2, .placement = PSG_PLACEMENT_FREE}},
};

static void check_room(const void *argument) {
    const room_case *r = argument;
    const simulate_case *c = &r->what;
    const double layer = (double)WHOLE * (WHOLE / 2 + 1) * 16; /* bytes of planes, and of rows */
    size_t most[2] = {0, 0};                                   /* on cores, on GPUs */
    AT_END(simulated_free) simulated got = simulated_of(c);
    CHECK(got.seconds > 0 && got.events > 0, "no time, or no events");
    for (size_t e = 0; e < got.events; ++e) {
        const bool gpu = got.event[e].worker < c->gpus;
        most[gpu] = got.event[e].count > most[gpu] ? got.event[e].count : most[gpu];
    }
    printf("%g bytes on a GPU, share %g: %zu planes or rows to a core, %zu to a GPU\n",
           r->machine->memory, c->cpu_share, most[0], most[1]);
    CHECK(most[1] > 0 && 8 * (double)most[1] * layer <= r->machine->memory, "too much for a GPU");
    CHECK(most[0] > most[1] || c->segment_planes > 0 || c->placement == PSG_PLACEMENT_FREE,
          "too little for a core");
}

/** @return of a process' own, where a child puts what it found */
static struct outcome {
    double seconds;
    psg_statistics s;
} * shared;

/* From array to array, which is what the share is chosen for. */
static void solve(const void *argument) {
    const simulate_case *c = argument;
    const size_t points = c->n * c->n * c->n;
    double *f = malloc(2 * points * sizeof *f);
    DESTROYED psg_plan *plan = simulate_plan(c);
    CHECK_STATUS(psg_solve(plan, f, f + points), PSG_OK);
    const double start = psg_clock();
    CHECK_STATUS(psg_solve(plan, f, f + points), PSG_OK);
    shared->seconds = psg_clock() - start;
    CHECK_STATUS(psg_plan_statistics(plan, &shared->s), PSG_OK);
    free(f);
}

static struct outcome outcome_of(const char *machine, const simulate_case *c) {
    memset(shared, 0, sizeof *shared);
    simulate_apart(machine, solve, c);
    printf("%zu^3, %s, %d cores, %d GPUs, placement %d, share %g: %.3f ms, %zu planes\n", c->n,
           c->policy, c->cpus, c->gpus, (int)c->placement, c->cpu_share, shared->seconds * 1e3,
           shared->s.cpu_planes);
    return *shared;
}

/** Where links are not what takes the time, a policy that knows the times shares well by itself, if
 * the cut leaves a core tasks that it can do. */
static void decided(void) {
    simulate_case c = {.n = WHOLE, .cpus = 4, .policy = "dmdas"};
    const struct outcome cores = outcome_of(machine_of(&near), &c);
    c.gpus = 1;
    const struct outcome gpu = outcome_of(machine_of(&near), &c);
    c.placement = PSG_PLACEMENT_FREE;
    c.segment_planes = WHOLE / 16;
    c.sheets = 16;
    const struct outcome both = outcome_of(machine_of(&near), &c);
    CHECK(both.s.cpu_planes > 0 && both.s.cpu_planes < WHOLE && both.s.workers == 5,
          "%zu planes, %zu workers", both.s.cpu_planes, both.s.workers);
    CHECK(both.seconds < 0.8 * fmin(cores.seconds, gpu.seconds), "free: %g s", both.seconds);
}

/** H200s and cores from and to main memory, by default: cores cost the GPUs little. Where GPUs are
 * slower, the finer cut that placement free has is worth more than that. */
static void together(const char *more, const char *policy, double most) {
    simulate_case c = {.n = 512, .cpus = -1, .gpus = 2, .policy = policy};
    const struct outcome gpus = outcome_of(simulate_h200_and(more), &c);
    c.cpus = 30;
    c.placement = PSG_PLACEMENT_FREE;
    const struct outcome all = outcome_of(simulate_h200_and(more), &c);
    CHECK(all.s.workers == 32 && gpus.s.workers == 2, "%zu and %zu workers", all.s.workers,
          gpus.s.workers);
    CHECK(all.seconds <= most * gpus.seconds, "%s: %g s, and GPUs alone %g s", policy, all.seconds,
          gpus.seconds);
}

/** By itself cores take nothing beside GPUs. */
static void none(const speeds *machine) {
    simulate_case c = {.n = WHOLE, .cpus = 4, .gpus = 1, .policy = "dmdas"};
    const struct outcome gpu = outcome_of(machine_of(machine), &c);
    c.cpu_share = PSG_CPU_SHARE_AUTO;
    const struct outcome chosen = outcome_of(machine_of(machine), &c);
    CHECK(chosen.s.cpu_planes == 0 && chosen.s.cpu_rows == 0 && chosen.s.workers == 1,
          "%zu planes, %zu rows, %zu workers", chosen.s.cpu_planes, chosen.s.cpu_rows,
          chosen.s.workers);
    CHECK(chosen.s.exchange == PSG_EXCHANGE_DIRECT, "exchange %d", (int)chosen.s.exchange);
    CHECK_NEAR(chosen.seconds, gpu.seconds, 1e-9, "another time");
}

static void refused(const void *argument) {
    simulate_case c = {
        .n = 64, .cpus = 4, .gpus = 1, .cpu_share = 0.5, .exchange = PSG_EXCHANGE_DIRECT};
    psg_plan *plan = NULL;
    (void)argument;
    CHECK_SAYS(simulate_create(&c, &plan), PSG_ERR_UNSUPPORTED, "GPUs alone");
    c.placement = PSG_PLACEMENT_FREE;
    CHECK_SAYS(simulate_create(&c, &plan), PSG_ERR_ARG, "placement free");
    c.cpu_share = 0;
    CHECK_SAYS(simulate_create(&c, &plan), PSG_ERR_UNSUPPORTED, "placement free");
}

static void unrecorded(const void *argument) {
    const simulate_case c = {.n = 64, .cpus = -1, .gpus = -1, .cpu_share = 0.5};
    psg_plan *plan = NULL;
    (void)argument;
    CHECK_SAYS(simulate_create(&c, &plan), PSG_ERR_UNSUPPORTED, "on a core");
}

int main(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    SIMULATE_EACH(machine_of(&near), check_parts, cases);
    for (size_t c = 0; c < sizeof crowded / sizeof crowded[0]; ++c) {
        simulate_apart(machine_of(crowded[c].machine), check_room, &crowded[c]);
    }
    decided();
    together("", "dmdas", 1.03);
    together("speed gpu 1 0.1\n", "heteroprio", 0.9);
    together("speed gpu 0 0.1\nspeed gpu 1 0.1\n", "dmdas", 0.8);
    none(&near);
    none(&linked);
    none(&far_in_z);
    none(&far);
    none(&unknown);
    simulate_apart(machine_of(&near), refused, NULL);
    simulate_apart(machine_of(&unknown), unrecorded, NULL);
    remove(simulate_machine(""));
    return check_result();
}
