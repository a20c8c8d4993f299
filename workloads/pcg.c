/* pcg: div(eps grad u) = f by conjugate gradients, with a solve of lap(u) = f as preconditioner:
 * the FFT's tasks, those of the stencil and of sums in one graph, which a plan submits. f = A u of
 * a known u, on a box of length 1, which is periodic, or has a solid body between two walls. The
 * iteration's fields are f64; the preconditioner has the precision of the options. Of several
 * processes each has the planes that the plan gives it.
 */
#include "base/memory.h"
#include "graph/psg_machine.h"
#include "graph/psg_starpu.h"
#include "workloads/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_N = 4, MOST_N = 2048, STEPS_MOST = 2000 };
static const double tolerance = 1e-10;
static const double pi = 3.14159265358979323846;

typedef enum form { SMOOTH = 0, BALL, BODY, FORMS } form;
static const char *const form_names[FORMS] = {"smooth", "ball", "body"};

/* Steps to the tolerance at 64^3, computed apart from this program. The condition of the
 * preconditioned matrix depends on the contrast or on how smooth eps is, so finer grids need no
 * more. */
enum { KNOWN_FROM = 32 };
static const struct known {
    form form;
    double contrast;
    double steps;
} knowns[] = {{SMOOTH, 2, 8}, {SMOOTH, 10, 11}, {SMOOTH, 40, 13}, {BALL, 10, 28},
              {BALL, 40, 40}, {BODY, 1, 14},    {BODY, 10, 19}};

enum { F, EPS, U, FIELDS };

typedef struct problem {
    workload_head head;
    size_t n;
    form form;
    double contrast;
    size_t planes; /* of a segment; 0: as the plan has it */
    psg_plan *plan;
    size_t segments;
    size_t first, count;    /* planes of this process */
    double *field[FIELDS];  /* [count][n][n] */
    psg_data *data[FIELDS]; /* [segments] */
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
                       : workload_fail(PSG_ERR_ARG,
                                       "pcg: '%s' is no contrast: a number from 1 to 1e6",
                                       text + length + 1);
        }
    }
    return workload_fail(PSG_ERR_ARG,
                         "pcg: '%.*s' is no form of eps: there are smooth, ball and body",
                         (int)length, text);
}

static psg_status parse(void *memory, const char *size, const workload_options *how) {
    problem *p = memory;
    const char *end = workload_number(size, LEAST_N, MOST_N, &p->n);
    if (end == NULL || (*end != '\0' && *end != ':')) {
        return workload_fail(PSG_ERR_ARG, "pcg has no size '%s': N^3 points, N from %d to %d", size,
                             LEAST_N, MOST_N);
    }
    p->contrast = 10;
    p->planes = how->tile;
    const psg_status status =
        workload_check_tile(how, "pcg:", size, "segments of T planes", 1, p->n);
    return status == PSG_OK && *end == ':' ? parse_form(p, end + 1) : status;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "%zu^3 points, %s eps, contrast %g", p->n, form_names[p->form],
                   p->contrast);
}

/* ---------------------------------------------------------------------------------- its data */

static double middle(const problem *p, size_t index) {
    return ((double)index + .5) / (double)p->n;
}

/* At a point, which is in the middle of a cell. */
static double known_eps(const problem *p, const size_t at[3]) {
    const double x = middle(p, at[0]), y = middle(p, at[1]), z = middle(p, at[2]);
    const double s = sin(2 * pi * x) * sin(2 * pi * y) * sin(2 * pi * z);
    const double r = sqrt((x - .5) * (x - .5) + (y - .5) * (y - .5) + (z - .5) * (z - .5));
    return p->form == BALL             ? (r < .3 ? 1 : p->contrast)
           : p->form == BODY && r < .3 ? 0
                                       : exp(log(p->contrast) / 2 * s);
}

/* Its mean is 0 in the fluid, too, as u changes its sign with x - 1/2. */
static double known_u(const problem *p, const size_t at[3]) {
    const double x = middle(p, at[0]), y = middle(p, at[1]), z = middle(p, at[2]);
    return p->form == BODY && known_eps(p, at) == 0
               ? 0
               : sin(2 * pi * x) * cos(4 * pi * y) * sin(2 * pi * z + .3);
}

/* @param[in] at  the point in the box @param[in] m  among those of this process */
typedef void (*point_function)(const problem *p, const size_t at[3], size_t m, void *to);

static void each_point(const problem *p, point_function work, void *to) {
    size_t at[3], m = 0;
    for (at[2] = p->first; at[2] < p->first + p->count; at[2]++) {
        for (at[1] = 0; at[1] < p->n; at[1]++) {
            for (at[0] = 0; at[0] < p->n; at[0]++, m++) {
                work(p, at, m, to);
            }
        }
    }
}

static void put_known(const problem *p, const size_t at[3], size_t m, void *to) {
    (void)to;
    p->field[EPS][m] = known_eps(p, at);
    p->field[U][m] = known_u(p, at);
}

/* A u at a point: what flows out through its six faces, whose resistance is half that of each cell.
 * Nothing flows through walls.
 * @param[out] across  a neighbour is another process', and u there is taken for the known one */
static double flux(const problem *p, const size_t at[3], size_t m, bool *across) {
    double sum = 0;
    *across = false;
    for (size_t face = 0; face < 6; face++) {
        const size_t d = face / 2, step = face % 2 == 0 ? 1 : p->n - 1;
        size_t next[3] = {at[0], at[1], at[2]};
        next[d] = (at[d] + step) % p->n;
        if (p->form == BODY && d == 2 && at[d] == (face % 2 == 0 ? p->n - 1 : 0)) {
            continue;
        }
        const bool here = next[2] >= p->first && next[2] < p->first + p->count;
        const size_t there = ((next[2] - p->first) * p->n + next[1]) * p->n + next[0];
        const double u = here ? p->field[U][there] : known_u(p, next);
        const double eps = here ? p->field[EPS][there] : known_eps(p, next);
        *across = *across || !here;
        sum += (u - p->field[U][m]) / (.5 / p->field[EPS][m] + .5 / eps);
    }
    return sum * (double)(p->n * p->n);
}

static void put_f(const problem *p, const size_t at[3], size_t m, void *to) {
    bool across;
    (void)to;
    p->field[F][m] = flux(p, at, m, &across);
}

/* Each process needs a plane. */
static psg_status cut(void *memory, const psg_engine_workers *workers) {
    return workload_check_share(workers, "pcg", ((problem *)memory)->n, "planes");
}

/* Cores and GPUs take part, where there are both and none is left out. */
static psg_status plan(void *memory, const psg_options *options, const psg_engine_workers *workers,
                       psg_plan **result) {
    problem *p = memory;
    psg_options with;
    psg_grid grid;
    psg_options_init(&with);
    with = options != NULL ? *options : with;
    psg_grid_init(&grid, p->n, p->n, p->n, 1, 1, 1);
    if (p->form == BODY) {
        grid.axis[2].points = PSG_POINTS_CELLS;
        grid.axis[2].bc[0] = grid.axis[2].bc[1] = PSG_BC_NEUMANN;
    }
    with.symbol = PSG_SYMBOL_FD2;
    with.segment_planes = p->planes;
    if (workers->cpus > 0 && workers->gpus > 0) {
        with.placement = PSG_PLACEMENT_FREE;
        with.cpus = (int)workers->cpus;
    }
    const psg_status status = psg_plan_create(&p->plan, &grid, &with);
    *result = p->plan;
    return status;
}

static void make(void *memory) {
    problem *p = memory;
    const size_t plane = p->n * p->n;
    (void)psg_plan_segments(p->plan, &p->segments, NULL);
    size_t *z0 = workload_memory(&p->head, p->segments + 1, sizeof *z0);
    p->head.failed = z0 == NULL || psg_plan_slab_handles(p->plan, NULL, NULL, z0) != PSG_OK;
    if (p->head.failed) {
        return;
    }
    p->first = z0[0];
    p->count = z0[p->segments] - z0[0];
    for (int m = 0; m < FIELDS; m++) {
        p->field[m] = workload_array(&p->head, plane * p->count * sizeof(double));
        p->data[m] = workload_memory(&p->head, p->segments, sizeof *p->data[m]);
        for (size_t s = 0; s < p->segments && !p->head.failed; s++) {
            workload_lend(&p->head, &p->data[m][s], p->field[m] + (z0[s] - p->first) * plane, p->n,
                          p->n, z0[s + 1] - z0[s], sizeof(double));
        }
    }
    if (p->head.failed) {
        return;
    }
    each_point(p, put_known, NULL);
    each_point(p, put_f, NULL);
    /* NaN: a run has to write all of it */
    memset(p->field[U], 0xff, plane * p->count * sizeof(double));
}

/* A simulation takes as many steps as are known, or that the eigenvalues allow at the most. */
static size_t steps_of(const problem *p) {
    for (size_t m = 0; m < sizeof knowns / sizeof *knowns; m++) {
        if (knowns[m].form == p->form && knowns[m].contrast == p->contrast) {
            return (size_t)knowns[m].steps;
        }
    }
    return (size_t)ceil(.5 * sqrt(p->contrast) * log(2 / tolerance));
}

static psg_status solve(void *memory) {
    const problem *p = memory;
    psg_solve_args args;
    (void)psg_solve_args_init(&args, p->plan);
    args.lambda = 0;
    args.factor = 1;
    args.mean = PSG_MEAN_DROP;
    args.tolerance = tolerance;
    args.iterations = psg_simulation() ? steps_of(p) : STEPS_MOST;
    psg_data_settle(p->data[F], p->segments);
    psg_data_settle(p->data[EPS], p->segments);
    return psg_solve_epsilon(p->plan, p->data[F], p->data[EPS], p->data[U], &args);
}

/* -------------------------------------------------------------------------------- its answer */

/* Of u the largest number and the largest difference; of f the sums of their squares, as the
 * iteration has them. */
typedef struct errors {
    double u, du, f, df;
} errors;

static void compare(const problem *p, const size_t at[3], size_t m, void *to) {
    errors *e = to;
    bool across;
    const double u = known_u(p, at);
    const double du = fabs(p->field[U][m] - u);
    const double df = flux(p, at, m, &across) - p->field[F][m];
    e->u = fmax(e->u, fabs(u));
    e->du = du <= e->du ? e->du : du; /* a NaN stays */
    e->f += p->field[F][m] * p->field[F][m];
    e->df += across ? 0 : df * df; /* the other process' u is not here */
}

static workload_answer steps_answer(const problem *p) {
    psg_statistics statistics = {.iterations = 0};
    (void)psg_plan_statistics(p->plan, &statistics);
    const double mine = p->head.rank == 0 ? (double)statistics.iterations : 0;
    workload_answer a = {"iterations", mine, 0, INFINITY};
    for (size_t m = 0; m < sizeof knowns / sizeof *knowns; m++) {
        if (knowns[m].form == p->form && knowns[m].contrast == p->contrast && p->n >= KNOWN_FROM) {
            a.expected = knowns[m].steps;
            a.tolerance = .1;
        }
    }
    return a;
}

static size_t answers(void *memory, workload_answer *list) {
    const problem *p = memory;
    errors e = {0};
    if (!workload_visit(p, p->data[U], p->segments, 1, false, NULL, NULL)) {
        return 0;
    }
    each_point(p, compare, &e);
    list[0] = (workload_answer){"error", e.du / e.u, 0, 1e-9};
    list[1] = (workload_answer){"residual", sqrt(e.df / e.f), 0, 1e-9};
    list[2] = steps_answer(p);
    return 3;
}

static void destroy(void *memory) {
    psg_plan_destroy(((problem *)memory)->plan);
}

const workload_row workload_pcg = {
    .facts = {.name = "pcg",
              .about =
                  "div(eps grad u) = f by conjugate gradients, with a solve by FFT in each step",
              .sizes = "N[:smooth|ball|body[:CONTRAST]]: N^3 points, what eps is; default: "
                       "smooth:10",
              .tile = "P: planes of a segment",
              .processes = true},
    .bytes = sizeof(problem),
    .f32 = true,
    .plan = plan,
    .parse = parse,
    .cut = cut,
    .tell = tell,
    .make = make,
    .solve = solve,
    .answers = answers,
    .free = destroy,
};
