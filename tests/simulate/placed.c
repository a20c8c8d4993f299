/* Ten policies place the tasks of segments among simulated H200s, beside the same cut with each
 * task pinned to the GPU of its segment: sheets stay where they are, StarPU moves no more than the
 * slabs of f that a GPU has not had, no policy takes much longer, and where one GPU is slower most
 * take less. */
#include "tests/simulate/simulate.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

/* FETCHED: heteroprio brings the data of so many tasks to a GPU ahead, and then another takes
 * these. */
enum { GPUS_MOST = 4, SEGMENTS_MOST = 64, SOLVES = 3, FETCHED = 2 };

static const char *const policies[] = {"eager", "prio",  "random", "ws",     "lws",
                                       "dmda",  "dmdas", "dmdar",  "peager", "heteroprio"};
enum { POLICIES = sizeof policies / sizeof *policies };

/** What a solve is placed on. */
typedef struct setting {
    simulate_case what;
    const char *more; /**< lines behind those of the H200's file */
} setting;

/* Segments are of two sizes, of one, and of as many as come by default. */
static const setting settings[] = {
    {{.n = 512, .gpus = 2, .segment_planes = 30}, ""},
    {{.n = 512, .gpus = 4, .segment_planes = 16}, ""},
    {{.n = 512, .gpus = 2}, "speed gpu 1 0.5\n"},
};

/** Seconds of the last solve and of the first one, where a child puts them. */
static double *shared;

/** Which GPUs have had f of a segment. */
typedef struct holders {
    bool f[SEGMENTS_MOST][GPUS_MOST];
} holders;

/** Part m of `count` is that of this GPU. */
static int gpu_of(size_t m, size_t count, int gpus) {
    return (int)(m * (size_t)gpus / count);
}

/** @return bytes of the slabs of f that came to GPUs for the tasks of a solve */
static double place(const simulated *got, const simulate_case *c, holders *had) {
    size_t tasks[3] = {0, 0, 0};
    double bytes = 0;
    for (size_t m = 0; m < got->events; ++m) {
        const psg_event *e = &got->event[m];
        if (e->stage == PSG_STAGE_KSPACE) {
            tasks[2]++;
            CHECK(e->worker == gpu_of(e->sheet, got->s.sheets, c->gpus), "sheet %zu on GPU %d",
                  e->sheet, e->worker);
            continue;
        }
        tasks[e->stage == PSG_STAGE_INVERSE_XY]++;
        bool *there = &had->f[e->segment][e->worker];
        if (e->stage == PSG_STAGE_FORWARD_XY && !*there) {
            bytes += (double)(e->count * c->n * c->n * sizeof(double));
            *there = true;
        }
    }
    CHECK(tasks[0] == got->s.segments && tasks[1] == got->s.segments && tasks[2] == got->s.sheets,
          "%zu, %zu and %zu tasks of %zu segments and %zu sheets", tasks[0], tasks[1], tasks[2],
          got->s.segments, got->s.sheets);
    return bytes;
}

static void solves(const void *argument) {
    const simulate_case *c = argument;
    const bool placed = c->placement == PSG_PLACEMENT_FREE;
    AT_END(simulated_free) simulated got = {.plan = simulate_plan(c)};
    double start = 0;
    uint64_t before = 0;
    holders had;
    memset(&had, 0, sizeof had);
    CHECK_STATUS(psg_slabs_put(got.plan, c), PSG_OK); /* which is not looked at */
    for (int solve = 0; solve < SOLVES; ++solve) {
        start = psg_clock();
        CHECK_STATUS(psg_submit_slabs(got.plan), PSG_OK);
        CHECK_STATUS(psg_wait(got.plan), PSG_OK);
        shared[0] = psg_clock() - start;
        shared[1] = solve == 0 ? shared[0] : shared[1];
        simulated_tell(&got);
        CHECK(got.s.segments <= SEGMENTS_MOST, "%zu segments", got.s.segments);
        for (size_t s = 0; solve == 0 && s < got.s.segments; ++s) {
            had.f[s][gpu_of(s, got.s.segments, c->gpus)] = true;
        }
        const size_t slab = got.s.segment_planes * c->n * c->n * sizeof(double);
        const uint64_t now = got.s.link[PSG_LINK_D2D].bytes;
        const double needed = place(&got, c, &had);
        const double fetched =
            strcmp(c->policy, "heteroprio") == 0 ? (double)(FETCHED * c->gpus) * (double)slab : 0;
        CHECK((double)(now - before) <= needed + fetched,
              "%s, solve %d: %llu bytes between GPUs, and %g are needed", c->policy, solve,
              (unsigned long long)(now - before), needed);
        CHECK(placed || needed == 0, "a pinned task is elsewhere");
        before = now;
    }
    /* GPUs have memory for the slabs before: each that StarPU allocates takes 0.175 ms */
    CHECK(shared[1] <= (placed ? 1.5 : 1 + 1e-6) * shared[0],
          "%s: the first solve takes %g s, and another %g s", c->policy, shared[1], shared[0]);
    CHECK(got.s.exchange == PSG_EXCHANGE_DIRECT && got.s.workers == (size_t)c->gpus,
          "exchange %d, %zu workers", (int)got.s.exchange, got.s.workers);
    CHECK(got.s.submit.placed_tasks == (placed ? 2 * got.s.segments : 0), "%zu of %zu are placed",
          got.s.submit.placed_tasks, got.s.segments);
    CHECK((strstr(psg_plan_route(got.plan), "placed by the policy") != NULL) == placed,
          "it goes by %s", psg_plan_route(got.plan));
    CHECK(!placed || got.s.segments >= 8 * (size_t)c->gpus, "%zu segments", got.s.segments);
}

static double seconds_of(const setting *s, const char *policy, psg_placement placement,
                         size_t planes) {
    simulate_case c = s->what;
    c.cpus = -1; /* which is none beside GPUs */
    c.policy = policy;
    c.placement = placement;
    c.segment_planes = planes;
    c.cpu_share = PSG_CPU_SHARE_AUTO;
    *shared = NAN;
    simulate_apart(simulate_h200_and(s->more), solves, &c);
    return *shared;
}

/** @return under how many policies a solve took less than pinned */
static size_t compare(const setting *s) {
    const size_t n = s->what.n, parts = 8 * (size_t)s->what.gpus;
    const size_t planes = s->what.segment_planes;
    const double pinned =
        seconds_of(s, "lws", PSG_PLACEMENT_PINNED, planes > 0 ? planes : n / parts);
    size_t faster = 0;
    printf("%s%d GPUs, %zu planes: pinned %.4g ms", s->more, s->what.gpus, planes, 1e3 * pinned);
    for (size_t p = 0; p < POLICIES; ++p) {
        const double seconds = seconds_of(s, policies[p], PSG_PLACEMENT_FREE, planes);
        const bool knows = strncmp(policies[p], "dmda", 4) == 0;
        const bool stays = strstr(policies[p], "ws") != NULL;
        const double most = knows || stays ? 1.15 : 5;
        printf(", %s %.3g", policies[p], seconds / pinned);
        CHECK(seconds <= most * pinned, "%d GPUs, %s: %g s, and pinned %g s", s->what.gpus,
              policies[p], seconds, pinned);
        faster += seconds < 0.9 * pinned;
    }
    printf("\n");
    return faster;
}

int main(void) {
    shared =
        mmap(NULL, 2 * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    for (size_t m = 0; m < sizeof settings / sizeof *settings; ++m) {
        const size_t faster = compare(&settings[m]);
        CHECK(*settings[m].more == '\0' || faster >= POLICIES / 2,
              "%zu policies use the faster GPU", faster);
    }
    remove(simulate_machine(""));
    return check_result();
}
