/* pcg: div(eps grad u) = f by conjugate gradients, with a solve of lap(u) = f as preconditioner: the FFT's tasks, those of
 * the stencil and of sums in one graph, which graph/pcg.c submits. f = A u of a known u, on a periodic box of length 1. The
 * iteration's fields are f64; the preconditioner has the precision of the options.
 */
#include "graph/pcg.h"
#include "base/memory.h"
#include "graph/block.h"
#include "graph/plan.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "graph/terms.h"
#include "graph/workloads/row.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_N = 4, MOST_N = 2048, STEPS_MOST = 2000 };
static const double tolerance = 1e-10;
static const double pi = 3.14159265358979323846;

typedef enum form { SMOOTH = 0, BALL, FORMS } form;
static const char *const form_names[FORMS] = {"smooth", "ball"};

/* Steps to the tolerance at 64^3, computed apart from this program. The eigenvalues of the preconditioned matrix lie
 * between the least and the largest eps, so finer grids need no more. */
enum { KNOWN_FROM = 32 };
static const struct known {
    form form;
    double contrast;
    double steps;
} knowns[] = {{SMOOTH, 2, 14}, {SMOOTH, 10, 37}, {SMOOTH, 40, 73}, {BALL, 10, 28}, {BALL, 40, 40}};

typedef struct problem {
    size_t n;
    form form;
    double contrast;
    size_t planes; /* of a segment; 0: as the plan has it */
    psg_plan *plan;
    psg_pcg *pcg;
    double *f, *eps, *u;              /* [n][n][n] */
    starpu_data_handle_t *handles[3]; /* of f, eps and u: [segments] */
    psg_terms *terms;                 /* of a run */
    psg_pcg_result *result;           /* of the latest run */
} problem;

/* ---------------------------------------------------------------------------------- its size */

/* "ball:40" */
static psg_status parse_form(problem *p, const char *text) {
    const size_t length = strcspn(text, ":");
    for (int m = 0; m < FORMS; m++) {
        if (strlen(form_names[m]) == length && strncmp(text, form_names[m], length) == 0) {
            char *end = NULL;
            p->form = (form)m;
            p->contrast = text[length] == ':' ? strtod(text + length + 1, &end) : p->contrast;
            return (end == NULL || (end != text + length + 1 && *end == '\0')) &&
                           p->contrast >= 1 && p->contrast <= 1e6
                       ? PSG_OK
                       : psg_fail(PSG_ERR_ARG, "pcg: '%s' is no contrast: a number from 1 to 1e6",
                                  text + length + 1);
        }
    }
    return psg_fail(PSG_ERR_ARG, "pcg: '%.*s' is no form of eps: there are smooth and ball",
                    (int)length, text);
}

static psg_status parse(void *memory, const char *size, const psg_work_options *how,
                        psg_precision precision) {
    problem *p = memory;
    char *end = NULL;
    (void)precision;
    errno = 0;
    const unsigned long n = size[0] >= '0' && size[0] <= '9' ? strtoul(size, &end, 10) : 0;
    if (end == NULL || (*end != '\0' && *end != ':') || errno != 0 || n < LEAST_N || n > MOST_N) {
        return psg_fail(PSG_ERR_ARG, "pcg has no size '%s': N^3 points, N from %d to %d", size,
                        LEAST_N, MOST_N);
    }
    *p = (problem){.n = n, .form = SMOOTH, .contrast = 10, .planes = how->tile};
    if (how->tile > n) {
        return psg_fail(PSG_ERR_ARG, "tile = %zu: pcg:%zu has %zu planes", how->tile, p->n, p->n);
    }
    return *end == ':' ? parse_form(p, end + 1) : PSG_OK;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "%zu^3 points, %s eps, contrast %g", p->n, form_names[p->form],
                   p->contrast);
}

/* ---------------------------------------------------------------------------------- its data */

static double epsilon_at(const problem *p, double x, double y, double z) {
    const double s = sin(2 * pi * x) * sin(2 * pi * y) * sin(2 * pi * z);
    const double r = sqrt((x - .5) * (x - .5) + (y - .5) * (y - .5) + (z - .5) * (z - .5));
    return p->form == SMOOTH ? exp(log(p->contrast) / 2 * s) : r < .3 ? 1 : p->contrast;
}

/* Points are in the middle of cells. */
static double u_at(double x, double y, double z) {
    return sin(2 * pi * x) * cos(4 * pi * y) * sin(2 * pi * z + .3);
}

typedef void (*point_function)(const problem *p, size_t i, size_t j, size_t k, size_t at, void *to);

static void each_point(const problem *p, point_function work, void *to) {
    for (size_t k = 0, at = 0; k < p->n; k++) {
        for (size_t j = 0; j < p->n; j++) {
            for (size_t i = 0; i < p->n; i++, at++) {
                work(p, i, j, k, at, to);
            }
        }
    }
}

static double middle(const problem *p, size_t index) {
    return ((double)index + .5) / (double)p->n;
}

static void put_known(const problem *p, size_t i, size_t j, size_t k, size_t at, void *to) {
    const double x[3] = {middle(p, i), middle(p, j), middle(p, k)};
    (void)to;
    p->eps[at] = epsilon_at(p, x[0], x[1], x[2]);
    p->u[at] = u_at(x[0], x[1], x[2]);
}

/* A u at a point: what flows out through its six faces, whose resistance is half that of each cell. */
static double flux(const problem *p, size_t i, size_t j, size_t k, size_t at) {
    const size_t index[3] = {i, j, k};
    const size_t stride[3] = {1, p->n, p->n * p->n};
    double sum = 0;
    for (int m = 0; m < 6; m++) {
        const size_t d = (size_t)m / 2;
        const size_t next = (index[d] + (m % 2 == 0 ? 1 : p->n - 1)) % p->n;
        const size_t there = at - index[d] * stride[d] + next * stride[d];
        sum += (p->u[there] - p->u[at]) / (.5 / p->eps[at] + .5 / p->eps[there]);
    }
    return sum * (double)(p->n * p->n);
}

static void put_f(const problem *p, size_t i, size_t j, size_t k, size_t at, void *to) {
    (void)to;
    p->f[at] = flux(p, i, j, k, at);
}

static psg_status plan(void *memory, const psg_options *options, psg_plan **result) {
    problem *p = memory;
    psg_options with = *options;
    psg_grid grid;
    psg_grid_init(&grid, p->n, p->n, p->n, 1, 1, 1);
    with.symbol = PSG_SYMBOL_FD2;
    with.segment_planes = p->planes;
    const psg_status status = psg_plan_create(&p->plan, &grid, &with);
    *result = p->plan;
    return status == PSG_OK ? psg_pcg_check(p->plan) : status;
}

static psg_status make(void *memory, const psg_workers *workers) {
    problem *p = memory;
    (void)workers;
    const psg_layout *l = &p->plan->context.layout;
    const size_t segments = l->segments.count;
    const size_t bytes = p->n * p->n * p->n * sizeof(double);
    const psg_solve_args args = psg_terms_of_plan(p->plan);
    double **const fields[3] = {&p->f, &p->eps, &p->u};
    psg_mean mean;
    p->terms = calloc(1, sizeof *p->terms);
    p->result = calloc(1, sizeof *p->result);
    bool all = p->terms != NULL && p->result != NULL;
    for (int m = 0; m < 3 && all; m++) {
        *fields[m] = base_allocate(bytes);
        p->handles[m] = calloc(segments, sizeof(starpu_data_handle_t));
        all = *fields[m] != NULL && p->handles[m] != NULL;
    }
    if (!all) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for 3 arrays of %zu bytes", bytes);
    }
    each_point(p, put_known, NULL);
    each_point(p, put_f, NULL);
    memset(p->u, 0xff, bytes); /* NaN: a run has to write all of it */
    for (size_t m = 0; m < 3 * segments; m++) {
        const psg_box *box = &l->segments.part[m / 3].box;
        const size_t n[3] = {p->n, p->n, psg_box_length(box, 2)};
        psg_block_register(&p->handles[m % 3][m / 3], STARPU_MAIN_RAM,
                           *fields[m % 3] + box->lo[2] * p->n * p->n, n, p->n * p->n,
                           sizeof(double));
    }
    psg_status status = psg_terms_take(p->plan, &args, p->terms, &mean);
    p->terms->overlap = p->plan->storage.workspaces[0]->overlap;
    p->terms->pcg = psg_pcg_terms(p->plan, 0, 1);
    p->terms->pcg.tolerance = tolerance;
    return status == PSG_OK ? psg_pcg_create(&p->pcg, p->plan) : status;
}

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    const psg_pcg_fields fields = {p->handles[0], p->handles[1], p->handles[2]};
    run->user = p->terms;
    psg_block_settle(p->handles[0], p->plan->context.layout.segments.count);
    psg_block_settle(p->handles[1], p->plan->context.layout.segments.count);
    psg_pcg_submit(run, p->plan, p->plan->storage.workspaces[0], p->pcg, &fields, p->terms,
                   STEPS_MOST, p->result);
}

/* -------------------------------------------------------------------------------- its answer */

/* Of u the largest number and the largest difference; of f the sums of their squares, as the iteration has them. */
typedef struct errors {
    double u, du, f, df;
} errors;

static void compare(const problem *p, size_t i, size_t j, size_t k, size_t at, void *to) {
    errors *e = to;
    const double u = u_at(middle(p, i), middle(p, j), middle(p, k));
    const double du = fabs(p->u[at] - u);
    const double df = flux(p, i, j, k, at) - p->f[at];
    e->u = fmax(e->u, fabs(u));
    e->du = du <= e->du ? e->du : du; /* a NaN stays */
    e->f += p->f[at] * p->f[at];
    e->df += df * df;
}

static psg_answer steps_answer(const problem *p) {
    psg_answer a = {"iterations", (double)p->result->steps, 0, INFINITY};
    for (size_t m = 0; m < sizeof knowns / sizeof *knowns; m++) {
        if (knowns[m].form == p->form && knowns[m].contrast == p->contrast && p->n >= KNOWN_FROM) {
            a.expected = knowns[m].steps;
            a.tolerance = .1;
        }
    }
    return a;
}

static size_t answers(const void *memory, psg_answer *list) {
    const problem *p = memory;
    const size_t segments = p->plan->context.layout.segments.count;
    errors e = {0};
    for (size_t s = 0; s < segments; s++) {
        if (starpu_data_acquire_on_node(p->handles[2][s], STARPU_MAIN_RAM, STARPU_R) != 0) {
            return 0;
        }
        starpu_data_release_on_node(p->handles[2][s], STARPU_MAIN_RAM);
    }
    each_point(p, compare, &e);
    list[0] = (psg_answer){"error", e.du / e.u, 0, 1e-9};
    list[1] = (psg_answer){"residual", sqrt(e.df / e.f), 0, 1e-9};
    list[2] = steps_answer(p);
    return 3;
}

static void destroy(void *memory) {
    problem *p = memory;
    double *const fields[3] = {p->f, p->eps, p->u};
    for (int m = 0; m < 3; m++) {
        psg_block_unregister(p->handles[m],
                             p->handles[m] != NULL ? p->plan->context.layout.segments.count : 0);
        free(p->handles[m]);
        free(fields[m]);
    }
    psg_pcg_destroy(p->pcg, p->plan);
    psg_plan_end(p->plan);
    free(p->terms);
    free(p->result);
}

static const int kinds[] = {PSG_KIND_PCG_MEASURE,   PSG_KIND_PCG_START, PSG_KIND_PCG_DOT,
                            PSG_KIND_PCG_DIRECTION, PSG_KIND_PCG_APPLY, PSG_KIND_PCG_UPDATE,
                            PSG_KIND_PCG_SCALARS,   PSG_KIND_PCG_END,   -1};

const psg_workload_row psg_workload_pcg = {
    .about = {.name = "pcg",
              .about =
                  "div(eps grad u) = f by conjugate gradients, with a solve by FFT in each step",
              .sizes = "N[:smooth|ball[:CONTRAST]]: N^3 points, what eps is; default: smooth:10",
              .tile = "P: planes of a segment"},
    .bytes = sizeof(problem),
    .f32 = true,
    .kinds = kinds,
    .plan = plan,
    .parse = parse,
    .tell = tell,
    .make = make,
    .submit = submit,
    .answers = answers,
    .free = destroy,
};
