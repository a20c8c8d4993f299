/* Of several alike nodes one has the part that a process has: its planes and rows, its tasks, and a
 * message each way for each block that goes or comes. A solve takes what the network takes where
 * that is slow, and what one node with as many workers takes where it is fast. */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/simulate/simulate.h"

#include <string.h>

#define N 64

static const double element = 16;

/* Tasks take as long wherever their blocks are, and as their size is. Nothing else takes any time worth counting. */
#define TASKS(device, seconds)                                                                     \
    "time forward_xy f64 " device " 64x64x64 segment 64 dense 1 0 " seconds "\n"                   \
    "time kspace f64 " device " 64x64x64 sheet 64 dense 1 0 " seconds "\n"                         \
    "time inverse_xy f64 " device " 64x64x64 segment 64 dense 1 0 " seconds "\n"
#define CORES(seconds) "machine cores\ncpus 8\n" TASKS("cpu", seconds)
#define GPUS(links, seconds)                                                                       \
    "machine gpus\ncpus 4\ngpus 8\ngpu_memory 8e9\n" links TASKS("gpu", seconds)
#define FAST "link to-gpu 1e15 0\nlink from-gpu 1e15 0\nlink between 1e15 0\n"
#define SLOW "link to-gpu 5e6 0\nlink from-gpu 4e6 0\nlink between 1e15 0\n"

static size_t part(size_t n, unsigned nodes) {
    return (n + nodes - 1) / nodes; /* the first one has most */
}

/* What a node sends in a solve: its planes of the others' rows, and its rows of the others' planes. */
static double sent(size_t n, unsigned nodes) {
    const double own = (double)part(n, nodes);
    return element * (double)(n / 2 + 1) * 2 * own * ((double)n - own);
}

static simulated make(const simulate_case *c) {
    simulated m = simulated_of(c);
    CHECK(m.b.seconds > 0 && m.b.seconds <= m.seconds * (1 + 1e-6), "%g s by %s of %g s",
          m.b.seconds, psg_bound_name(m.b.by), m.seconds);
    return m;
}

/** Tasks, messages and bytes of the first of the nodes, each of which has so many bundles of sheets. */
static void check_part(const simulate_case *c, const simulated *m, size_t bundles) {
    size_t tasks = 0, out = 0, in = 0, z0 = 0, planes = 0, segments = 0, sheets = 0;
    double before = 0;
    CHECK_STATUS(psg_plan_segments(m->plan, &segments, &sheets), PSG_OK);
    for (size_t e = 0; e < m->events; ++e) {
        const psg_event *event = &m->event[e];
        tasks += event->worker >= 0;
        out += event->rank > 0 && !event->received;
        in += event->rank > 0 && event->received;
        CHECK(event->rank < (int)c->nodes && event->start <= event->end, "event %zu", e);
        if (c->cpus > 0 && event->rank > 0 && !event->received) { /* first come, first served */
            CHECK(event->start >= before - 5e-6, "a message of %g s after one of %g s",
                  event->start, before);
            before = event->start;
        }
    }
    /* my segments' blocks to the bundles elsewhere, and mine back to the segments elsewhere */
    const size_t messages =
        segments * bundles * (c->nodes - 1) + (m->s.segments - segments) * bundles;
    CHECK(tasks == 2 * segments + sheets, "%zu tasks", tasks);
    CHECK(out == messages && in == messages, "%zu messages out and %zu in, of %zu", out, in,
          messages);
    CHECK(m->s.ranks == (int)c->nodes && m->s.exchange == PSG_EXCHANGE_MPI, "%d ranks, exchange %d",
          m->s.ranks, (int)m->s.exchange);
    CHECK(m->s.stage[PSG_STAGE_EXCHANGE].tasks == out, "%zu messages counted",
          (size_t)m->s.stage[PSG_STAGE_EXCHANGE].tasks);
    CHECK_NEAR((double)m->s.link[PSG_LINK_MESSAGE].bytes, sent(c->n, c->nodes), 1,
               "bytes sent by one of %u", c->nodes);
    CHECK_NEAR(m->b.link_bytes[PSG_LINK_MESSAGE], sent(c->n, c->nodes), 1, "the link's bytes");
    CHECK_STATUS(psg_plan_local_extent(m->plan, &z0, &planes), PSG_OK);
    CHECK(z0 == 0 && planes == part(c->n, c->nodes), "planes %zu and %zu more", z0, planes);
}

/** On a slow network one message follows the other, what comes beside what goes: the bytes that a node sends, at its
 *  rate, and the latency of each message. Tasks, 3e-4 s in all, are beside it but for the first and last. */
static void slow(const void *argument) {
    const simulate_case *c = argument;
    AT_END(simulated_free) simulated m = make(c);
    const double rate = c->network > 0 ? c->network : 2e6, latency = 1e-3;
    const double messages = (double)m.s.stage[PSG_STAGE_EXCHANGE].tasks;
    const double wire = sent(c->n, c->nodes) / rate + messages * latency;
    CHECK(m.seconds >= wire * (1 - 1e-4) && m.seconds <= wire + 1e-3, "%u nodes: %g s, %g by wire",
          c->nodes, m.seconds, wire);
    CHECK_NEAR(m.b.link_seconds[PSG_LINK_MESSAGE] * rate, sent(c->n, c->nodes), 1, "the bound");
    CHECK(m.b.by == PSG_BOUND_LINK, "by %s", psg_bound_name(m.b.by));
    CHECK(m.s.stage[PSG_STAGE_EXCHANGE].seconds >= wire * (1 - 1e-4) &&
              m.s.stage[PSG_STAGE_EXCHANGE].seconds <= m.seconds,
          "messages on their way for %g s of %g", m.s.stage[PSG_STAGE_EXCHANGE].seconds, m.seconds);
    check_part(c, &m, 1);
}

/** All at once: nothing goes before all is there, and no task is beside it. */
static void alltoall(const void *argument) {
    const simulate_case *c = argument;
    AT_END(simulated_free) simulated m = make(c);
    const double wire = sent(c->n, c->nodes) / c->network + 2 * (c->nodes - 1) * 1e-3;
    const double tasks = m.s.stage[PSG_STAGE_FORWARD_XY].seconds +
                         m.s.stage[PSG_STAGE_KSPACE].seconds +
                         m.s.stage[PSG_STAGE_INVERSE_XY].seconds;
    const int workers = c->cpus + c->gpus;
    CHECK(tasks > 0.1 * wire, "tasks of %g s", tasks);
    CHECK_NEAR(m.seconds, wire + tasks / workers, 0.02 * wire, "%u nodes", c->nodes);
    CHECK_NEAR(m.s.stage[PSG_STAGE_EXCHANGE].seconds, wire, 1e-3 * wire, "on their way");
    CHECK(m.s.exchange == PSG_EXCHANGE_ALLTOALL && m.s.stage[PSG_STAGE_EXCHANGE].tasks == 2,
          "exchange %d, %zu of them", (int)m.s.exchange,
          (size_t)m.s.stage[PSG_STAGE_EXCHANGE].tasks);
    CHECK_NEAR((double)m.s.link[PSG_LINK_MESSAGE].bytes, sent(c->n, c->nodes), 1,
               "bytes sent by one");
    const double by_memory = c->gpus > 0 ? sent(c->n, c->nodes) / c->gpus : 0; /* always */
    CHECK_NEAR(m.b.link_bytes[PSG_LINK_H2D], c->gpus * by_memory, 1, "to GPUs");
    CHECK_NEAR((double)m.s.link[PSG_LINK_H2D].bytes, 2 * c->gpus * by_memory, 1,
               "to GPUs, in two solves");
}

/** On a fast one N nodes of M workers are one of N M. */
static void fast(const void *argument) {
    const simulate_case *c = argument;
    simulated several = make(c);
    simulate_case one = *c;
    one.nodes = 0;
    one.network = 0;
    one.cpus *= (int)c->nodes;
    one.gpus *= (int)c->nodes;
    one.exchange = PSG_EXCHANGE_MANAGED;
    simulated_free(&several); /* which StarPU runs for */
    AT_END(simulated_free) simulated same = make(&one);
    CHECK(several.s.segments == same.s.segments && several.s.sheets == same.s.sheets,
          "%zu x %zu instead of %zu x %zu", several.s.segments, several.s.sheets, same.s.segments,
          same.s.sheets);
    CHECK(same.seconds > 0.1, "one node takes %g s", same.seconds);
    CHECK_NEAR(several.seconds, same.seconds, 2e-3 * same.seconds, "%u nodes of %d and %d workers",
               c->nodes, c->cpus, c->gpus);
}

/** Messages go by main memory and GPUs' links, unless MPI can do without these. */
static void by_memory(const void *argument) {
    const int aware = *(const int *)argument;
    const simulate_case c = {
        .n = 256, .gpus = 2, .nodes = 4, .segment_planes = 16, .sheets = 8, .network = 1e12};
    AT_END(simulated_free) simulated m = make(&c);
    const double each = aware ? 0 : sent(c.n, 4) / 2; /* of two GPUs: as much comes */
    const double took = each / 4e6;
    CHECK(psg_mpi_cuda_aware() == aware, "%d", psg_mpi_cuda_aware());
    CHECK_NEAR((double)m.s.link[PSG_LINK_D2H].bytes, 2 * 2 * each, 1, "from GPUs, in two solves");
    CHECK_NEAR((double)m.s.link[PSG_LINK_H2D].bytes, 2 * 2 * each, 1, "to GPUs, in two solves");
    CHECK_NEAR(m.b.link_bytes[PSG_LINK_D2H], 2 * each, 1, "the bound's bytes");
    CHECK_NEAR(m.b.link_seconds[PSG_LINK_D2H], took, 1e-9, "the bound's seconds");
    CHECK_NEAR(m.b.link_seconds[PSG_LINK_H2D], each / 5e6, 1e-9, "the bound's seconds");
    /* what comes may have to wait for what goes, and tasks take 4e-3 s of one after the other; in the
     * order in which StarPU begins these copies neither link of a GPU is busy for 5 % of that, too */
    CHECK(m.seconds >= took && m.seconds <= 1.06 * (took + each / 5e6) + 4e-3,
          "%g s, %g by GPUs' links", m.seconds, took);
    check_part(&c, &m, 2);
}

/** A message takes the program as long to submit as a task with one piece of data. */
static void submission(const void *argument) {
    const simulate_case c = {
        .n = N, .cpus = 2, .nodes = 4, .segment_planes = 4, .sheets = 4, .network = 1e12};
    AT_END(simulated_free) simulated m = make(&c);
    const size_t segments = 4, all = 16, messages = 2 * (segments * 3 + all - segments);
    (void)argument;
    CHECK(m.s.submit.pieces == 2 * segments * (1 + 4) + all + messages, "%zu pieces of data",
          m.s.submit.pieces);
    CHECK_NEAR(m.s.submit.seconds, 1e-3 * (double)m.s.submit.pieces, 1e-4, "to submit them");
}

/** More bandwidth is not slower, but for what another order of the same tasks makes: two of 70 with today's times. */
static void monotone(const void *argument) {
    simulate_case c = *(const simulate_case *)argument;
    double before = INFINITY;
    for (c.network = 1e9; c.network < 1e13; c.network *= 2) {
        const double seconds = simulated_seconds(&c);
        CHECK(seconds <= 1.04 * before, "%g s at %g B/s, %g s at half", seconds, c.network, before);
        before = seconds;
    }
}

/** Parts that differ by a plane or a row, solves in flight, and nodes with one plane each. */
static void uneven(const void *argument) {
    const simulate_case *c = argument;
    AT_END(simulated_free) simulated m = make(c);
    check_part(c, &m, 1);
    for (int solve = 0; solve < 3; ++solve) {
        CHECK_STATUS(psg_submit_slabs(m.plan), PSG_OK);
    }
    for (int solve = 0; solve < 3; ++solve) {
        CHECK_STATUS(psg_wait(m.plan), PSG_OK);
    }
}

static void expect(psg_options *options, psg_status status, const char *words) {
    psg_plan *plan = NULL;
    psg_grid grid;
    psg_grid_init(&grid, 64, 5, 64, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&plan, &grid, options), status);
    CHECK(strstr(psg_last_error(), words), "'%s', without '%s'", psg_last_error(), words);
    psg_plan_destroy(plan);
    psg_options_init(options);
    options->nodes = 2;
}

static void refused(const void *argument) {
    psg_options o;
    int mpi = 0;
    (void)argument;
    psg_options_init(&o);
    o.nodes = 2;
    expect(&o, PSG_ERR_ARG, "machine cores has no link network");
    o.nodes = 6;
    expect(&o, PSG_ERR_ARG, "nodes = 6: each needs a plane and a row");
    o.nodes = 0;
    expect(&o, PSG_ERR_ARG, "nodes = 0");
    o.network = -1;
    expect(&o, PSG_ERR_ARG, "network = -1");
    o.network = NAN;
    expect(&o, PSG_ERR_ARG, "network = ");
    o.network = 1e9;
    o.exchange = PSG_EXCHANGE_MANAGED;
    expect(&o, PSG_ERR_UNSUPPORTED, "exchange managed is within one process");
    o.nodes = 1;
    o.exchange = PSG_EXCHANGE_MPI;
    expect(&o, PSG_ERR_ARG, "exchange mpi is between processes");
    o.nodes = 1;
    o.comm = &mpi;
    expect(&o, PSG_ERR_UNSUPPORTED, "several processes are options.nodes");
    o.network = 1e9;
    o.nodes = 5;
    expect(&o, PSG_OK, "");
}

static void try_slow(void) {
    static const char machine[] = CORES("1e-4") "link network 2e6 1e-3\n";
    static const simulate_case cases[] = {
        {.n = N, .cpus = 2, .nodes = 2, .segment_planes = 8, .sheets = 8},
        {.n = N, .cpus = 2, .nodes = 4, .segment_planes = 4, .sheets = 16, .network = 1e7},
        {.n = N, .cpus = 1, .nodes = 5},
        {.n = N, .cpus = 3, .nodes = 64},
    };
    SIMULATE_EACH(simulate_machine(machine), slow, cases);
}

static void try_alltoall(void) {
    static const char link[] = "link network 1 1e-3\n";
    static const char aware[] = "link network 1 1e-3\ncuda_aware yes\n";
    simulate_case c = {.n = 256,
                       .cpus = 2,
                       .nodes = 4,
                       .exchange = PSG_EXCHANGE_ALLTOALL,
                       .network = 1e9,
                       .segment_planes = 16,
                       .sheets = 8};
    char text[2048];
    snprintf(text, sizeof text, "%s%s", CORES("1e-3"), link);
    simulate_apart(simulate_machine(text), alltoall, &c);
    c.policy = "heteroprio"; /* which looks at what a task took */
    simulate_apart(simulate_machine(text), alltoall, &c);
    c.policy = "dmdas"; /* and at its model */
    simulate_apart(simulate_machine(text), alltoall, &c);
    c.policy = NULL;
    c.cpus = 0;
    c.gpus = 2;
    snprintf(text, sizeof text, "%s%s", GPUS(FAST, "1e-3"), link);
    simulate_apart(simulate_machine(text), alltoall, &c);
    snprintf(text, sizeof text, "%s%s", GPUS(FAST, "1e-3"), aware);
    simulate_apart(simulate_machine(text), alltoall, &c);
}

static void try_fast(void) {
    static const simulate_case cores[] = {
        {.n = N, .cpus = 1, .nodes = 8, .segment_planes = 4, .sheets = 16, .network = 1e15},
        {.n = N, .cpus = 4, .nodes = 2, .segment_planes = 4, .sheets = 16, .network = 1e15},
    };
    static const simulate_case gpus[] = {
        {.n = N, .gpus = 2, .nodes = 4, .segment_planes = 4, .sheets = 16, .network = 1e15},
        {.n = N, .gpus = 4, .nodes = 2, .segment_planes = 8, .sheets = 8, .network = 1e15},
    };
    for (size_t m = 0; m < 2; ++m) {
        simulate_apart(simulate_machine(CORES("1")), fast, &cores[m]);
        simulate_apart(simulate_machine(GPUS(FAST, "1")), fast, &gpus[m]);
        simulate_apart(simulate_machine(GPUS(FAST "cuda_aware yes\n", "1")), fast, &gpus[m]);
    }
}

/** The default cut of all nodes, and the work that has it. */
typedef struct cut {
    simulate_case c;
    size_t parts; /**< segments, and sheets */
} cut;

static void default_cut(const void *argument) {
    const cut *e = argument;
    AT_END(simulated_free) simulated m = make(&e->c);
    CHECK(m.s.segments == e->parts && m.s.sheets == e->parts, "%zu^3 on %u nodes: %zu x %zu",
          e->c.n, e->c.nodes, m.s.segments, m.s.sheets);
}

/** Cores of several nodes have four times as many tasks as those of one, as long as a node has a megabyte of each
 *  segment for another. GPUs have messages of four megabytes and more, and each GPU of a node has as many tasks as
 *  the others. */
static void try_cuts(void) {
    static const cut cores[] = {
        {{.n = 256, .cpus = 1, .nodes = 2, .network = 1e9}, 2 * 8},
        {{.n = 128, .cpus = 1, .nodes = 2, .network = 1e9}, 2 * 4},
        {{.n = 128, .cpus = 1, .nodes = 4, .network = 1e9}, 4 * 2},
    };
    static const cut gpus[] = {
        {{.n = 256, .gpus = 1, .nodes = 2, .network = 1e9}, 2 * 2},
        {{.n = 768, .gpus = 1, .nodes = 2, .network = 1e9}, 2 * 15},
        {{.n = 768, .gpus = 4, .nodes = 2, .network = 1e9}, 2 * 12},
    };
    SIMULATE_EACH(simulate_machine(CORES("1e-4")), default_cut, cores);
    SIMULATE_EACH(simulate_machine(GPUS(SLOW, "1e-4")), default_cut, gpus);
}

int main(void) {
    static const int aware[2] = {0, 1};
    static const simulate_case large = {.n = 512, .gpus = 4, .nodes = 4};
    static const simulate_case odd[] = {
        {.n = 50, .cpus = 2, .nodes = 3, .segment_planes = 5, .sheets = 7, .network = 1e8},
        {.n = 23, .gpus = 1, .nodes = 7, .network = 1e8},
        {.n = 9, .gpus = 2, .nodes = 9, .network = 1e8},
    };
    try_slow();
    try_alltoall();
    try_fast();
    try_cuts();
    simulate_apart(simulate_machine(GPUS(SLOW "cuda_aware no\n", "1e-4")), by_memory, &aware[0]);
    simulate_apart(simulate_machine(GPUS(SLOW "cuda_aware yes\n", "1e-4")), by_memory, &aware[1]);
    for (size_t m = 0; m < 3; ++m) {
        simulate_apart(simulate_machine(GPUS(SLOW, "1e-4") TASKS("cpu", "1e-4")), uneven, &odd[m]);
    }
    simulate_apart("h200", monotone, &large);
    simulate_apart(simulate_machine(CORES("1e-4") "submit 1e-3\n"), submission, NULL);
    simulate_apart(simulate_machine(CORES("1e-4")), refused, NULL);
    remove(simulate_machine(""));
    return check_result();
}
