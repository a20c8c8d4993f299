/* The dependencies of a solve are those of its graph, and no event starts before what it needed
 * has ended; what psg_plan_bounds() says a solve cannot be shorter than, it is not shorter than. */
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <starpu_config.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** StarPU's and the library's clocks are read in steps of their own. */
static const double clock_step = 1e-6;

typedef struct cut {
    size_t n[3];
    size_t planes, sheets;
} cut;

/** Parts of equal shape, of different ones, and one alone. */
static const cut cuts[] = {
    {{12, 8, 8}, 4, 2},    {{10, 9, 13}, 3, 4},   {{7, 5, 5}, 3, 2},
    {{16, 12, 10}, 10, 1}, {{40, 42, 44}, 11, 6},
};

typedef struct solved {
    psg_statistics statistics;
    harness_graph graph;
    psg_bounds bounds;
} solved;

static solved take(const psg_plan *plan) {
    solved s = {.statistics = harness_statistics(plan),
                .graph = harness_graph_of(psg_plan_work(plan))};
    CHECK_STATUS(psg_plan_bounds(plan, &s.bounds), PSG_OK);
    CHECK(harness_graph_in_time(&s.graph), "a task starts before what it needs has ended");
    return s;
}

static void drop(solved *s) {
    harness_graph_free(&s->graph);
}

static int is(const psg_event *e, psg_stage stage, size_t segment, size_t sheet) {
    return e->stage == stage && e->segment == segment && e->sheet == sheet;
}

/** Is there an edge between these two kinds of task of these parts? SIZE_MAX: not of that kind of
 *  part. */
static int has_edge(const solved *s, psg_stage before, size_t segment_before, size_t sheet_before,
                    psg_stage after, size_t segment_after, size_t sheet_after) {
    for (size_t e = 0; e < s->graph.edges; ++e) {
        if (is(&s->graph.event[s->graph.edge[e].before], before, segment_before, sheet_before) &&
            is(&s->graph.event[s->graph.edge[e].after], after, segment_after, sheet_after)) {
            return 1;
        }
    }
    return 0;
}

/** A segment, or a sheet, that is its only block is not packed. */
static int segments_packed(const solved *s) {
    return s->statistics.graph == PSG_GRAPH_STAGED && s->statistics.sheets > 1;
}

static int sheets_packed(const solved *s) {
    return s->statistics.graph == PSG_GRAPH_STAGED &&
           (s->statistics.sheets > 1 || s->statistics.segments > 1 ||
            s->statistics.z_layout == PSG_Z_CONTIGUOUS);
}

/** Every segment before every sheet, and the other way round; beside that, within a segment or
 *  sheet, the staged graph's chains. Nothing else. */
static void check_graph(const solved *s, int staged) {
    const size_t segments = s->statistics.segments, sheets = s->statistics.sheets;
    const int packed = segments_packed(s), unpacked = sheets_packed(s);
    const psg_stage there = packed   ? PSG_STAGE_PACK
                            : staged ? PSG_STAGE_FFT_XY
                                     : PSG_STAGE_FORWARD_XY;
    const psg_stage in = unpacked ? PSG_STAGE_UNPACK : staged ? PSG_STAGE_FFT_Z : PSG_STAGE_KSPACE;
    const psg_stage out = unpacked ? PSG_STAGE_PACK : staged ? PSG_STAGE_IFFT_Z : PSG_STAGE_KSPACE;
    const psg_stage back = packed   ? PSG_STAGE_UNPACK
                           : staged ? PSG_STAGE_IFFT_XY
                                    : PSG_STAGE_INVERSE_XY;
    static const psg_stage sheet_chain[] = {PSG_STAGE_UNPACK, PSG_STAGE_FFT_Z, PSG_STAGE_DIVIDE,
                                            PSG_STAGE_IFFT_Z, PSG_STAGE_PACK};
    for (size_t z = 0; z < segments; ++z) {
        for (size_t p = 0; p < sheets; ++p) {
            CHECK(has_edge(s, there, z, SIZE_MAX, in, SIZE_MAX, p), "no way from s%zu to p%zu", z,
                  p);
            CHECK(has_edge(s, out, SIZE_MAX, p, back, z, SIZE_MAX), "no way from p%zu to s%zu", p,
                  z);
        }
        CHECK(!packed ||
                  (has_edge(s, PSG_STAGE_FFT_XY, z, SIZE_MAX, PSG_STAGE_PACK, z, SIZE_MAX) &&
                   has_edge(s, PSG_STAGE_UNPACK, z, SIZE_MAX, PSG_STAGE_IFFT_XY, z, SIZE_MAX)),
              "the chain of s%zu is broken", z);
        CHECK(!staged ||
                  has_edge(s, PSG_STAGE_IFFT_XY, z, SIZE_MAX, PSG_STAGE_NORMALIZE, z, SIZE_MAX),
              "s%zu is not normalised", z);
    }
    for (size_t p = 0; p < sheets && staged; ++p) {
        for (size_t m = unpacked ? 0 : 1; m < (unpacked ? 4 : 3); ++m) {
            CHECK(has_edge(s, sheet_chain[m], SIZE_MAX, p, sheet_chain[m + 1], SIZE_MAX, p),
                  "the chain of p%zu is broken after %s", p, psg_stage_name(sheet_chain[m]));
        }
    }
    const size_t expected = 2 * segments * sheets + (packed ? 2 * segments : 0) +
                            (staged ? segments : 0) + (staged ? (unpacked ? 4 : 2) * sheets : 0);
    CHECK(s->graph.edges == expected, "%zu dependencies of %zu", s->graph.edges, expected);
}

/** Planes of a segment, or rows of a sheet. */
static size_t width(const psg_event *e, const cut *c) {
    if (e->sheet != SIZE_MAX) {
        const size_t each = c->n[1] / c->sheets, more = c->n[1] % c->sheets;
        return each + (e->sheet < more);
    }
    const size_t first = e->segment * c->planes;
    return c->n[2] - first < c->planes ? c->n[2] - first : c->planes;
}

/** The shortest time of the tasks that are like event m: of its stage, width and number of blocks
 * on other GPUs, on its kind of worker. */
static double shortest(const solved *s, const cut *c, size_t m) {
    const psg_event *a = &s->graph.event[m];
    double least = INFINITY;
    for (size_t n = 0; n < s->graph.events; ++n) {
        const psg_event *b = &s->graph.event[n];
        if (a->stage == b->stage && (a->sheet != SIZE_MAX) == (b->sheet != SIZE_MAX) &&
            width(a, c) == width(b, c) && a->remote == b->remote) {
            least = fmin(least, b->end - b->start);
        }
    }
    return least;
}

/** Of the tasks of a stage, on segments or on sheets, each at the shortest time of its width and
 *  number of blocks on other GPUs, the longest. As every sheet needs every segment and the other
 *  way round, the longest chain is made of these. */
static double step(const solved *s, const cut *c, psg_stage stage, int sheets) {
    double longest = 0;
    for (size_t m = 0; m < s->graph.events; ++m) {
        const psg_event *a = &s->graph.event[m];
        if (a->stage == stage && (a->sheet != SIZE_MAX) == sheets) {
            longest = fmax(longest, shortest(s, c, m));
        }
    }
    return longest;
}

/** By hand, of the fused graph; of the staged one, where all parts have one shape. */
static void check_path(const solved *s, const cut *c, int staged) {
    const double fused = step(s, c, PSG_STAGE_FORWARD_XY, 0) + step(s, c, PSG_STAGE_KSPACE, 1) +
                         step(s, c, PSG_STAGE_INVERSE_XY, 0);
    const double chain = step(s, c, PSG_STAGE_FFT_XY, 0) + step(s, c, PSG_STAGE_PACK, 0) +
                         step(s, c, PSG_STAGE_UNPACK, 1) + step(s, c, PSG_STAGE_FFT_Z, 1) +
                         step(s, c, PSG_STAGE_DIVIDE, 1) + step(s, c, PSG_STAGE_IFFT_Z, 1) +
                         step(s, c, PSG_STAGE_PACK, 1) + step(s, c, PSG_STAGE_UNPACK, 0) +
                         step(s, c, PSG_STAGE_IFFT_XY, 0) + step(s, c, PSG_STAGE_NORMALIZE, 0);
    if (!staged || (c->n[2] % c->planes == 0 && c->n[1] % c->sheets == 0)) {
        /* f comes to the GPUs before, and u goes home after: each at most as long as its link is
         * busy */
        const double *link = s->bounds.link_seconds;
        const double tasks = staged ? chain : fused, path = s->bounds.bound[PSG_BOUND_PATH];
        const double copies = link[PSG_LINK_H2D] + link[PSG_LINK_D2H];
        CHECK(path >= tasks - 1e-9 && path <= tasks + copies + 1e-9,
              "path is %g, of tasks %g, and of copies at most %g", path, tasks, copies);
    }
}

/** f, the spectrum, and u go through memory once in every phase that reads or writes them. */
static double traffic(const solved *s, const cut *c, psg_precision precision) {
    const double real = (double)harness_element_bytes(precision), cache = s->bounds.cache_bytes;
    const double field = real * (double)(c->n[0] * c->n[1] * c->n[2]);
    const double spectrum = 2 * real * (double)((c->n[0] / 2 + 1) * c->n[1] * c->n[2]);
    const double moved[] = {field,
                            spectrum,
                            spectrum,
                            segments_packed(s) ? 2 * spectrum : spectrum,
                            sheets_packed(s) ? 2 * spectrum : spectrum,
                            segments_packed(s) ? spectrum + field : field};
    double sum = 0;
    for (size_t m = 0; m < sizeof moved / sizeof *moved; ++m) {
        sum += fmax(0, moved[m] - cache);
    }
    return sum;
}

static void check_bounds(const solved *s, const cut *c, psg_precision precision) {
    const psg_bounds *b = &s->bounds;
    double work = 0, largest = 0;
    int cores_alone = 1;
    CHECK(b->struct_size == sizeof *b, "struct_size %zu", b->struct_size);
    for (size_t m = 0; m < s->graph.events; ++m) {
        const psg_event *e = &s->graph.event[m];
        const double *least = e->least;
        work += shortest(s, c, m);
        cores_alone = cores_alone && isinf(least[1]);
        CHECK(fmin(least[0], least[1]) >= 0 &&
                  fmin(least[0], least[1]) <= e->end - e->start + 1e-12,
              "a task of %g s takes %g and %g at the least", e->end - e->start, least[0], least[1]);
    }
    if (cores_alone) {
        CHECK_NEAR(b->bound[PSG_BOUND_WORK], work / (double)s->statistics.workers, 1e-9, "work");
    }
    CHECK(b->memory_rate > 1e8 && b->memory_rate < 1e14, "%g bytes per second", b->memory_rate);
    CHECK(b->cache_bytes > 1e4, "%g bytes of caches", b->cache_bytes);
    const double bytes = traffic(s, c, precision);
    CHECK_NEAR(b->memory_bytes, bytes, 1e-9 * bytes, "bytes through memory");
    CHECK_NEAR(b->bound[PSG_BOUND_MEMORY], b->memory_bytes / b->memory_rate, 1e-12, "memory");
    for (int bound = 0; bound < PSG_BOUND_COUNT; ++bound) {
        largest = fmax(largest, b->bound[bound]);
        CHECK(b->bound[bound] >= 0 && b->bound[bound] <= s->statistics.seconds + clock_step,
              "a solve of %g s cannot be shorter than %g by its %s", s->statistics.seconds,
              b->bound[bound], psg_bound_name((psg_bound)bound));
    }
    CHECK(b->bound[PSG_BOUND_PATH] > 0, "no path");
    CHECK(b->seconds == largest && b->bound[b->by] == largest, "%g by %s", b->seconds,
          psg_bound_name(b->by));
    for (int link = 0; link < PSG_LINK_COUNT && s->statistics.link[PSG_LINK_H2D].bytes == 0;
         ++link) {
        CHECK(b->link_bytes[link] == 0 && b->link_seconds[link] == 0, "%g bytes by %s without GPUs",
              b->link_bytes[link], psg_link_name((psg_link)link));
    }
}

static void *make_f(psg_precision precision, size_t points) {
    FREED double *f = oracle_array(points);
    void *stored = harness_array(precision, points);
    for (size_t p = 0; p < points; ++p) {
        f[p] = (double)(p % 7) - 3;
    }
    harness_store(precision, points, f, stored);
    return stored;
}

/** @param[in] together  all solves are submitted before the first is waited for: each has its own
 * */
static void one_plan(const cut *c, psg_precision precision, const harness_variant *variant,
                     size_t solves, int together) {
    const oracle_grid box = {{c->n[0], c->n[1], c->n[2]}, {1.0, 1.0, 1.0}};
    const size_t points = oracle_points(&box), bytes = points * harness_element_bytes(precision);
    const int staged = variant->graph == PSG_GRAPH_STAGED;
    const psg_grid grid = harness_grid(&box);
    psg_options options = harness_with(precision, "record=yes");
    FREED void *f = make_f(precision, points);
    FREED char *u = harness_array(precision, solves * points);
    harness_set_variant(&options, variant);
    options.segment_planes = c->planes;
    options.sheets = c->sheets;
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    for (size_t n = 0; n < solves && together; ++n) {
        CHECK_STATUS(psg_submit(plan, f, u + n * bytes), PSG_OK);
    }
    for (size_t n = 0; n < solves; ++n) {
        CHECK_STATUS(together ? psg_wait(plan) : psg_solve(plan, f, u), PSG_OK);
        AT_END(drop) solved s = take(plan);
        check_graph(&s, staged);
        if (!together) {
            check_path(&s, c, staged);
        }
        check_bounds(&s, c, precision);
    }
}

/** StarPU's linear program is there once every task has been measured often enough: with one kind
 *  of worker it comes to their mean times over the number of workers. Without models nobody asks
 *  for it. */
static void linear_program(void) {
    enum { SOLVES = 300 };
    const cut *c = &cuts[4];
    const oracle_grid box = {{c->n[0], c->n[1], c->n[2]}, {1.0, 1.0, 1.0}};
    const psg_grid grid = harness_grid(&box);
    FREED void *f = make_f(PSG_F64, c->n[0] * c->n[1] * c->n[2]);
    FREED void *u = harness_array(PSG_F64, c->n[0] * c->n[1] * c->n[2]);
    for (int calibrate = 0; calibrate < 2; ++calibrate) {
        psg_options options = harness_with(PSG_F64, "policy=lws record=yes");
        psg_plan *plan = NULL;
        psg_bounds b = {0};
        double least = INFINITY, most = 0;
        int solves = 0;
        options.calibrate = calibrate;
        if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
            for (; solves < (calibrate ? SOLVES : 12) && b.lp_seconds == 0; ++solves) {
                CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
                CHECK_STATUS(psg_plan_bounds(plan, &b), PSG_OK);
                least = fmin(least, b.bound[PSG_BOUND_WORK]);
                most = fmax(most, b.bound[PSG_BOUND_WORK]);
            }
        }
        psg_plan_destroy(plan);
#if defined(STARPU_HAVE_GLPK_H)
        CHECK((b.lp_seconds > 0) == calibrate, "%g s after %d solves, calibrate %d", b.lp_seconds,
              solves, calibrate);
        /* the models may be those of a machine that had less, or more, to do: this is about units
         * */
        CHECK(b.lp_seconds <= 100 * most && (!calibrate || b.lp_seconds >= least / 100),
              "%g s by StarPU's models, work of %g to %g", b.lp_seconds, least, most);
#else
        CHECK(b.lp_seconds == 0, "%g s without GLPK", b.lp_seconds);
#endif
    }
}

static void refusals(void) {
    const oracle_grid box = {{6, 5, 4}, {1.0, 1.0, 1.0}};
    const psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    double f[120] = {0}, u[120];
    union {
        psg_bounds bounds;
        unsigned char byte[sizeof(psg_bounds)];
    } b;
    size_t count = 7;
    memset(&b, 0xa5, sizeof b);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_SAYS(psg_plan_dependencies(plan, NULL, 0, &count), PSG_ERR_STATE, "record");
        CHECK_STATUS(psg_plan_bounds(plan, &b.bounds), PSG_ERR_STATE);
        CHECK(b.byte[0] == 0xa5 && count == 7, "something was written");
    }
    psg_plan_destroy(plan);
    options.record = 1;
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS(psg_plan_dependencies(plan, NULL, 0, &count), PSG_OK);
        CHECK(count == 0, "%zu dependencies before any solve", count);
        CHECK_STATUS(psg_plan_bounds(plan, &b.bounds), PSG_ERR_STATE);
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_STATUS(psg_plan_dependencies(plan, NULL, 1, &count), PSG_ERR_ARG);
        CHECK_STATUS(psg_plan_dependencies(plan, NULL, 0, NULL), PSG_ERR_ARG);
        CHECK_STATUS(psg_plan_bounds(plan, NULL), PSG_ERR_ARG);
        const size_t size = offsetof(psg_bounds, bound);
        CHECK_STATUS((psg_plan_bounds)(plan, &b.bounds, size), PSG_OK);
        CHECK(b.bounds.struct_size == size && b.bounds.seconds > 0, "a smaller struct");
        CHECK(b.byte[size] == 0xa5, "bytes beyond a smaller struct were written");
    }
    psg_plan_destroy(plan);
    CHECK_STATUS(psg_plan_dependencies(NULL, NULL, 0, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_bounds(NULL, &b.bounds), PSG_ERR_ARG);
    options.record = 2;
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG);
    CHECK(strcmp(psg_bound_name(PSG_BOUND_PATH), "path") == 0 &&
              strcmp(psg_bound_name(PSG_BOUND_LINK), "link") == 0 &&
              strcmp(psg_link_name(PSG_LINK_MESSAGE), "message") == 0,
          "names");
    CHECK(psg_policy_uses_models("dmda") && psg_policy_uses_models("modular-heft") &&
              !psg_policy_uses_models("lws") && !psg_policy_uses_models(NULL),
          "policies that use models");
    CHECK(psg_bound_name(PSG_BOUND_COUNT) == NULL && psg_link_name(PSG_LINK_COUNT) == NULL,
          "names of none");
}

int main(void) {
    /* more than the caches of many machines hold, so that there is something to bound */
    static const cut large = {{208, 176, 192}, 48, 4};
    refusals();
    one_plan(&cuts[1], PSG_F64, &harness_variants[0], 4, 1);
    linear_program();
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; ++c) {
        for (int variant = 0; variant < HARNESS_VARIANTS; ++variant) {
            one_plan(&cuts[c], c % 2 ? PSG_F32 : PSG_F64, &harness_variants[variant], 3, 0);
        }
    }
    for (int variant = 0; variant < 2; ++variant) {
        one_plan(&large, PSG_F64, &harness_variants[variant], 2, 0);
    }
    return check_result();
}
