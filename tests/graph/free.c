/* A free z: u is that of one core and one piece, whatever takes the tasks, the cut and the
 * exchange; several right-hand sides together are as each alone; and GPUs refuse an nz without a
 * kernel. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

static const char *const ends[] = {"FF", "DF", "NF", "FD", "FN"};
static const char *const sides[] = {"PP,PP", "NN,PP", "PP,DNc", "DD,NNn", "NDn,DD", "NNn,NN"};
static const char *const symbols[] = {"symbol=spectral", "symbol=fd2"};
static const char *const terms[] = {"lambda=0", "lambda=2"};
enum { ENDS = 5, SIDES = 6, SIZES = 7, FIXED = 6 };
/* Along x and y some have strips on GPUs. */
static const size_t sizes[SIZES][3] = {{8, 9, 1},     {7, 11, 2},   {12, 10, 13}, {64, 64, 45},
                                       {13, 14, 121}, {64, 64, 64}, {10, 6, 210}};
/* Lengths along z for which GPUs have kernels of their own. */
static const size_t fixed[FIXED][3] = {{64, 64, 64}, {9, 6, 128}, {64, 64, 192},
                                       {6, 7, 256},  {8, 3, 512}, {4, 5, 1024}};

typedef struct problem {
    psg_grid grid;
    size_t n[3], points;
    psg_precision precision;
    char words[64], options[64];
    double *f, *want, *u;
} problem;

static void free_problem(problem *p) {
    free(p->f);
    free(p->want);
    free(p->u);
}

/* And u of one core. */
static problem problem_of(const size_t n[3], size_t side, size_t end, size_t c) {
    problem p = {.n = {n[0], n[1], n[2]},
                 .points = n[0] * n[1] * n[2],
                 .precision = c % 3 == 0 ? PSG_F32 : PSG_F64};
    snprintf(p.words, sizeof p.words, "%s,%s", sides[side], ends[end]);
    snprintf(p.options, sizeof p.options, "%s %s", symbols[c / 2 % 2], terms[c / 4 % 2]);
    p.grid = harness_box(n[0], n[1], n[2], 1.0, 1.1, 0.03 * (double)n[2]);
    harness_sides(&p.grid, p.words);
    p.f = oracle_array(p.points);
    p.want = oracle_array(p.points);
    p.u = oracle_array(p.points);
    oracle_random(c, p.points, p.f);
    harness_round(p.precision, p.points, p.f);
    psg_options options = harness_with(p.precision, p.options);
    options.gpus = 0;
    options.segment_planes = n[2];
    options.sheets = 1;
    DESTROYED psg_plan *plan = harness_plan(&p.grid, &options);
    CHECK_STATUS(harness_solve(plan, p.precision, p.points, p.f, p.want), PSG_OK);
    return p;
}

static void check(const problem *p, const char *what, size_t cut) {
    CHECK_CLOSE(p->u, p->want, p->n[0], p->n[1], p->n[2],
                harness_tolerance(p->precision, 1e-13, 1e-5), "%s, %s, %s, %s, cut %zu", p->words,
                p->options, harness_precision_name(p->precision), what, cut);
}

static void all_cuts(const problem *p) {
    static const char *const ways[] = {"", "exchange=managed", "executor=tasks", "graph=staged"};
    for (size_t c = 0; c < 8; ++c) {
        psg_options options = harness_with(p->precision, p->options);
        harness_set(&options, ways[c % 4]);
        options.segment_planes = c == 0 ? 0 : (p->n[2] + c) / (c + 1);
        options.sheets = c == 0 ? 0 : 1 + c % 3;
        DESTROYED psg_plan *plan = harness_plan(&p->grid, &options);
        memset(p->u, 0xff, p->points * sizeof *p->u);
        CHECK_STATUS(harness_solve(plan, p->precision, p->points, p->f, p->u), PSG_OK);
        check(p, ways[c % 4], c);
    }
}

static void together(const problem *p) {
    enum { COUNT = 3 };
    const psg_options options = harness_with(p->precision, p->options);
    DESTROYED psg_plan *plan = harness_plan(&p->grid, &options);
    const size_t bytes = harness_element_bytes(p->precision) * p->points;
    FREED char *f = harness_array(p->precision, COUNT * p->points);
    FREED char *u = harness_array(p->precision, COUNT * p->points);
    for (size_t m = 0; m < COUNT; ++m) {
        harness_store(p->precision, p->points, p->f, f + m * bytes);
    }
    CHECK_STATUS(psg_solve_many(plan, COUNT, f, u), PSG_OK);
    for (size_t m = 0; m < COUNT; ++m) {
        harness_load(p->precision, p->points, u + m * bytes, p->u);
        check(p, "several together", m);
    }
}

static void refused(void) {
    const psg_options options = harness_options(PSG_F64);
    psg_grid grid = harness_box(6, 5, 34, 1, 1, 1);
    psg_plan *plan = NULL;
    harness_sides(&grid, "PP,PP,FF");
    const psg_status status = psg_plan_create(&plan, &grid, &options);
    CHECK(status == (options.gpus > 0 ? PSG_ERR_UNSUPPORTED : PSG_OK), "34 points: %s",
          psg_last_error());
    CHECK(options.gpus == 0 || strstr(psg_last_error(), "nz = 34") != NULL, "%s", psg_last_error());
    psg_plan_destroy(plan);
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    psg_plan *anchor = harness_anchor(&options);
    for (size_t c = 0; c < (size_t)3 * SIZES * ENDS; ++c) {
        AT_END(free_problem)
        problem p = problem_of(sizes[c % SIZES], c % SIDES, c % ENDS, c);
        all_cuts(&p);
        together(&p);
    }
    for (size_t c = 0; c < (size_t)ENDS * FIXED; ++c) {
        AT_END(free_problem)
        problem p = problem_of(fixed[c % FIXED], c % 2 * 2, c % ENDS, c / FIXED + c);
        all_cuts(&p);
        together(&p);
    }
    refused();
    psg_plan_destroy(anchor);
    return check_result();
}
