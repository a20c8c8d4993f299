/* Processes that give f and take u as boxes of the grid get the u, and the gradient, of those that
 * have planes, bit by bit: pencils along each axis, bricks, random tilings, boxes without points,
 * more processes than planes; with strides, in place, several solves in flight. Each point arrives
 * at its place. Tilings that overlap, or leave a hole, are refused with the numbers of the
 * processes, and the plan goes on with what it had. */
#include "graph/psg_boxes.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILINGS = 200, FIELDS = 5, FLIGHTS = 3 }; /* f, u and the gradient */

static const oracle_grid grids[] = {
    {{16, 16, 4}, {1.0, 1.0, 0.5}},  {{31, 29, 37}, {1.0, 0.9, 1.1}},
    {{64, 64, 64}, {1.0, 1.0, 1.0}}, {{5, 1, 9}, {1.0, 1.0, 1.0}},
    {{1, 7, 3}, {1.0, 2.0, 1.0}},
};
#define GRIDS (sizeof grids / sizeof *grids)

static const size_t planes_of_cuts[] = {0, 1, 3};

typedef struct box {
    size_t lo[3], n[3];
} box;

static uint64_t state = 88172645463325252U;

/* The same numbers on all processes. */
static size_t random_below(size_t end) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return end == 0 ? 0 : (size_t)(state % end);
}

/* Deal the points of a box out to `count` boxes: cut along an axis, and each part again. */
static void cut_at_random(box whole, size_t count, box *boxes) {
    if (count == 1) {
        *boxes = whole;
        return;
    }
    const size_t d = random_below(3), some = 1 + random_below(count - 1);
    const size_t at = random_below(whole.n[d] + 1);
    box low = whole, high = whole;
    low.n[d] = at;
    high.lo[d] += at;
    high.n[d] -= at;
    cut_at_random(low, some, boxes);
    cut_at_random(high, count - some, boxes + some);
}

/* How many processes along each axis: pencils leave one whole, bricks none. */
static void cut_evenly(const size_t n[3], const size_t parts[3], box *boxes) {
    const int ranks = ranks_size(MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) {
        size_t at = (size_t)r;
        for (int d = 0; d < 3; ++d) {
            ranks_extent(n[d], (int)parts[d], (int)(at % parts[d]), &boxes[r].lo[d],
                         &boxes[r].n[d]);
            at /= parts[d];
        }
    }
}

/* An array of a box, with so many numbers more in a row and rows more in a plane, that nobody may
 * write. */
typedef struct field {
    psg_precision precision;
    box b;
    size_t row, plane;
    double *f64;
    float *f32;
} field;

static const double guard = -7654321.0;

static field field_make(psg_precision precision, const box *b, size_t more) {
    field a = {.precision = precision, .b = *b, .row = b->n[0] + more};
    a.plane = a.row * (b->n[1] + more);
    const size_t count = a.plane * b->n[2] + 1;
    a.f64 = precision == PSG_F64 ? calloc(count, sizeof *a.f64) : NULL;
    a.f32 = precision == PSG_F32 ? calloc(count, sizeof *a.f32) : NULL;
    if (a.f64 == NULL && a.f32 == NULL) {
        exit(1);
    }
    for (size_t m = 0; m < count; ++m) {
        if (precision == PSG_F64) {
            a.f64[m] = guard;
        } else {
            a.f32[m] = (float)guard;
        }
    }
    return a;
}

static void field_free(field *a) {
    free(a->f64);
    free(a->f32);
}

static psg_array array_of(const field *a) {
    psg_array array;
    psg_array_init(&array, a->precision == PSG_F64 ? (void *)a->f64 : (void *)a->f32);
    array.stride[0] = 1;
    array.stride[1] = (ptrdiff_t)a->row;
    array.stride[2] = (ptrdiff_t)a->plane;
    return array;
}

static double value_of(const field *a, size_t m) {
    return a->precision == PSG_F64 ? a->f64[m] : (double)a->f32[m];
}

static size_t place_of(const field *a, size_t i, size_t j, size_t k) {
    return i + a->row * j + a->plane * k;
}

static void fill(field *a, const oracle_grid *grid, const double *all) {
    for (size_t k = 0; k < a->b.n[2]; ++k) {
        for (size_t j = 0; j < a->b.n[1]; ++j) {
            for (size_t i = 0; i < a->b.n[0]; ++i) {
                const double value =
                    all[a->b.lo[0] + i +
                        grid->n[0] * (a->b.lo[1] + j + grid->n[1] * (a->b.lo[2] + k))];
                const size_t m = place_of(a, i, j, k);
                if (a->precision == PSG_F64) {
                    a->f64[m] = value;
                } else {
                    a->f32[m] = (float)value;
                }
            }
        }
    }
}

/* How many numbers are not those of the grid, bit by bit, or not the guards beside them. */
static size_t differing(const field *a, const oracle_grid *grid, const double *all) {
    size_t wrong = 0;
    for (size_t k = 0; k < a->b.n[2]; ++k) {
        for (size_t m = 0; m < a->plane; ++m) {
            const size_t i = m % a->row, j = m / a->row;
            const double want =
                i < a->b.n[0] && j < a->b.n[1]
                    ? all[a->b.lo[0] + i +
                          grid->n[0] * (a->b.lo[1] + j + grid->n[1] * (a->b.lo[2] + k))]
                    : (a->precision == PSG_F64 ? guard : (double)(float)guard);
            wrong += value_of(a, k * a->plane + m) != want;
        }
    }
    return wrong;
}

/* All of a field, of its boxes. */
static void gather(const field *a, const oracle_grid *grid, double *all) {
    const size_t points = oracle_points(grid);
    memset(all, 0, points * sizeof *all);
    for (size_t k = 0; k < a->b.n[2]; ++k) {
        for (size_t j = 0; j < a->b.n[1]; ++j) {
            for (size_t i = 0; i < a->b.n[0]; ++i) {
                all[a->b.lo[0] + i +
                    grid->n[0] * (a->b.lo[1] + j + grid->n[1] * (a->b.lo[2] + k))] =
                    value_of(a, place_of(a, i, j, k));
            }
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, all, (int)points, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

typedef struct set {
    field f[FIELDS];
    psg_array array[FIELDS];
} set;

static set set_make(psg_precision precision, const box *b, size_t more, const oracle_grid *grid,
                    const double *f) {
    set s;
    for (int m = 0; m < FIELDS; ++m) {
        s.f[m] = field_make(precision, b, more);
        s.array[m] = array_of(&s.f[m]);
    }
    fill(&s.f[0], grid, f);
    return s;
}

static void set_free(set *s) {
    for (int m = 0; m < FIELDS; ++m) {
        field_free(&s->f[m]);
    }
}

/* @param[in] in_place  u takes the place of f */
static psg_status submit(psg_plan *plan, const set *s, int gradient, int in_place) {
    psg_solve_args args;
    psg_solve_args_init(&args, plan);
    for (int d = 0; d < 3 && gradient; ++d) {
        args.gradient[d] = &s->array[2 + d];
    }
    return psg_submit_arrays(plan, 1, &s->array[0], in_place ? &s->array[0] : &s->array[1], &args);
}

typedef struct problem_of_boxes {
    const oracle_grid *grid;
    psg_precision precision;
    psg_plan *plan;
    double *all[FIELDS]; /* f, and what planes make of it */
    box *boxes;          /* [ranks] */
    char words[200];
} boxed;

/* What planes make of f, by the same plan. */
static void want_of_planes(boxed *p) {
    box own = {{0, 0, 0}, {0, 0, 0}};
    CHECK_STATUS(psg_plan_local_box(p->plan, PSG_HOST, own.lo, own.n), PSG_OK);
    for (int m = 0; m < FIELDS; ++m) {
        p->all[m] = oracle_array(oracle_points(p->grid));
    }
    oracle_random(p->grid->n[0] + 7, oracle_points(p->grid), p->all[0]);
    harness_round(p->precision, oracle_points(p->grid), p->all[0]);
    set s = set_make(p->precision, &own, 0, p->grid, p->all[0]);
    CHECK_STATUS(submit(p->plan, &s, 1, 0), PSG_OK);
    CHECK_STATUS(psg_wait(p->plan), PSG_OK);
    for (int m = 1; m < FIELDS; ++m) {
        gather(&s.f[m], p->grid, p->all[m]);
    }
    set_free(&s);
}

static void check_set(const boxed *p, const set *s, int gradient, int in_place) {
    static const char *const names[FIELDS] = {"f", "u", "du/dx", "du/dy", "du/dz"};
    for (int m = 0; m < (gradient ? FIELDS : 2); ++m) {
        const int at = in_place && m == 0 ? 1 : m;
        if (in_place && m == 1) {
            continue;
        }
        const size_t wrong = differing(&s->f[m], p->grid, p->all[at]);
        CHECK(wrong == 0, "%s: %zu numbers of %s are not those of planes", p->words, wrong,
              names[at]);
    }
}

/* Several solves with boxes, in flight at once, where the boxes tile the grid. */
static void solve(const boxed *p, size_t more, int gradient, int in_place) {
    const box *own = &p->boxes[ranks_rank(MPI_COMM_WORLD)];
    const size_t wider = ranks_size(MPI_COMM_WORLD) > 1 ? more : 0; /* FFTW may plan for strides */
    set s[FLIGHTS];
    ranks_at("%s", p->words);
    if (!CHECK_STATUS(psg_plan_box(p->plan, own->lo, own->n), PSG_OK)) {
        return;
    }
    size_t lo[3], n[3];
    CHECK_STATUS(psg_plan_local_box(p->plan, PSG_HOST, lo, n), PSG_OK);
    CHECK(n[0] * n[1] * n[2] == own->n[0] * own->n[1] * own->n[2], "%s: a box of %zux%zux%zu",
          p->words, n[0], n[1], n[2]);
    for (int round = 0; round < 2; ++round) {
        for (int m = 0; m < FLIGHTS; ++m) {
            s[m] = set_make(p->precision, own, wider, p->grid, p->all[0]);
            ranks_stagger(MPI_COMM_WORLD, round + m);
            CHECK_STATUS(submit(p->plan, &s[m], gradient, in_place), PSG_OK);
        }
        for (int m = 0; m < FLIGHTS; ++m) {
            CHECK_STATUS(psg_wait(p->plan), PSG_OK);
        }
        for (int m = 0; m < FLIGHTS; ++m) {
            check_set(p, &s[m], gradient, in_place);
            set_free(&s[m]);
        }
    }
}

static boxed make(const oracle_grid *grid, psg_precision precision, psg_exchange exchange,
                  size_t segment_planes, psg_graph graph) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    psg_options options = ranks_options(precision, &comm);
    const psg_grid g = harness_grid(grid);
    boxed p = {.grid = grid, .precision = precision};
    options.exchange = exchange;
    options.graph = graph;
    options.segment_planes = segment_planes;
    options.in_flight = FLIGHTS;
    p.boxes = calloc((size_t)ranks_size(comm), sizeof *p.boxes);
    ranks_at("a plan");
    if (!ranks_all(comm, CHECK_STATUS(psg_plan_create(&p.plan, &g, &options), PSG_OK))) {
        exit(1);
    }
    want_of_planes(&p);
    return p;
}

static void end(boxed *p) {
    psg_plan_destroy(p->plan);
    for (int m = 0; m < FIELDS; ++m) {
        free(p->all[m]);
    }
    free(p->boxes);
}

/* The numbers of processes along each axis, of which the product is all. */
static void pencils(boxed *p, size_t more) {
    const size_t ranks = (size_t)ranks_size(MPI_COMM_WORLD);
    size_t count = 0;
    for (size_t px = 1; px <= ranks; ++px) {
        for (size_t py = 1; py <= ranks; ++py) {
            if (ranks % (px * py) != 0 || px * py > ranks) {
                continue;
            }
            const size_t parts[3] = {px, py, ranks / px / py};
            cut_evenly(p->grid->n, parts, p->boxes);
            snprintf(p->words, sizeof p->words, "%zux%zux%zu, %s, %zux%zux%zu boxes, %zu more",
                     p->grid->n[0], p->grid->n[1], p->grid->n[2],
                     harness_precision_name(p->precision), parts[0], parts[1], parts[2], more);
            solve(p, more, count % 2 == 0, count % 3 == 1);
            ++count;
        }
    }
}

static void all_pencils(void) {
    size_t run = 0;
    for (size_t g = 0; g < GRIDS; ++g) {
        for (size_t c = 0; c < 3; ++c, ++run) {
            if (!ranks_takes(run)) {
                continue;
            }
            const psg_exchange exchange = ranks_exchanges[run % RANKS_EXCHANGES];
            boxed p = make(&grids[g], run % 2 ? PSG_F32 : PSG_F64, exchange, planes_of_cuts[c],
                           run % 4 == 3 ? PSG_GRAPH_STAGED : PSG_GRAPH_FUSED);
            pencils(&p, run % 3);
            CHECK_STATUS(psg_plan_box(p.plan, NULL, NULL), PSG_OK); /* planes again */
            for (int m = 0; m < FIELDS; ++m) {
                free(p.all[m]);
            }
            want_of_planes(&p);
            end(&p);
        }
    }
}

static void random_tilings(void) {
    const box none = {{0, 0, 0}, {0, 0, 0}};
    for (size_t g = 0; g < 2; ++g) {
        boxed p = make(&grids[g], PSG_F64, PSG_EXCHANGE_AUTO, 3, PSG_GRAPH_AUTO);
        for (size_t m = 0; m < TILINGS / 2; ++m) {
            box whole = none;
            memcpy(whole.n, p.grid->n, sizeof whole.n);
            cut_at_random(whole, (size_t)ranks_size(MPI_COMM_WORLD), p.boxes);
            snprintf(p.words, sizeof p.words, "grid %zu, random tiling %zu", g, m);
            if (ranks_takes(m)) {
                solve(&p, m % 2, m % 4 == 0, m % 5 == 0);
            }
        }
        end(&p);
    }
}

/* Two right-hand sides in one call, one behind the other. */
static void many(void) {
    boxed p = make(&grids[1], PSG_F64, PSG_EXCHANGE_AUTO, 0, PSG_GRAPH_AUTO);
    const size_t parts[3] = {1, (size_t)ranks_size(MPI_COMM_WORLD), 1};
    snprintf(p.words, sizeof p.words, "two right-hand sides");
    cut_evenly(p.grid->n, parts, p.boxes);
    const box *own = &p.boxes[ranks_rank(MPI_COMM_WORLD)];
    const size_t points = own->n[0] * own->n[1] * own->n[2];
    box both = *own;
    both.n[2] *= 2;
    field f = field_make(PSG_F64, own, 0), u = field_make(PSG_F64, &both, 0);
    FREED double *two = calloc(2 * points + 1, sizeof *two);
    fill(&f, p.grid, p.all[0]);
    memcpy(two, f.f64, points * sizeof *two);
    memcpy(two + points, f.f64, points * sizeof *two);
    CHECK_STATUS(psg_plan_box(p.plan, own->lo, own->n), PSG_OK);
    CHECK_STATUS(psg_solve_many(p.plan, 2, two, u.f64), PSG_OK);
    CHECK(memcmp(u.f64, u.f64 + points, points * sizeof *u.f64) == 0, "two answers of one f");
    memcpy(f.f64, u.f64, points * sizeof *u.f64);
    CHECK(differing(&f, p.grid, p.all[1]) == 0, "u is not that of planes");
    field_free(&f);
    field_free(&u);
    end(&p);
}

static void refused(void) {
    const int ranks = ranks_size(MPI_COMM_WORLD), rank = ranks_rank(MPI_COMM_WORLD);
    boxed p = make(&grids[1], PSG_F64, PSG_EXCHANGE_AUTO, 0, PSG_GRAPH_AUTO);
    const size_t parts[3] = {1, (size_t)ranks, 1};
    size_t lo[3], n[3];
    snprintf(p.words, sizeof p.words, "boxes that are refused");
    cut_evenly(p.grid->n, parts, p.boxes);
    const box *own = &p.boxes[rank];
    CHECK_STATUS(psg_plan_box(p.plan, own->lo, own->n), PSG_OK);
    if (ranks > 1) {
        memcpy(n, own->n, sizeof n);
        n[1] += rank == 0; /* one row of process 1 */
        CHECK_STATUS(psg_plan_box(p.plan, own->lo, n), PSG_ERR_ARG);
        CHECK(strstr(psg_last_error(), "process 0 and process 1 overlap") != NULL, "words: %s",
              psg_last_error());
        n[1] -= 2 * (rank == 0);
        CHECK_STATUS(psg_plan_box(p.plan, own->lo, n), PSG_ERR_ARG);
        CHECK(strstr(psg_last_error(), "no process has point (0,") != NULL, "words: %s",
              psg_last_error());
        CHECK_STATUS(psg_plan_box(p.plan, rank == 0 ? NULL : own->lo, rank == 0 ? NULL : own->n),
                     PSG_ERR_ARG);
    }
    memcpy(lo, own->lo, sizeof lo);
    lo[2] = rank == ranks - 1 ? 1 : 0; /* past the last plane, or SIZE_MAX points on */
    CHECK_STATUS(psg_plan_box(p.plan, lo, own->n), PSG_ERR_ARG);
    CHECK(strstr(psg_last_error(), "along z the box has 37 points from point 1 on") != NULL,
          "words: %s", psg_last_error());
    lo[2] = SIZE_MAX;
    CHECK_STATUS(psg_plan_box(p.plan, lo, own->n), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_box(p.plan, lo, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_box(NULL, lo, own->n), PSG_ERR_ARG);
    set s = set_make(PSG_F64, own, 0, p.grid, p.all[0]);
    CHECK_STATUS(submit(p.plan, &s, 0, 0), PSG_OK);
    CHECK_STATUS(psg_plan_box(p.plan, own->lo, own->n), PSG_ERR_STATE);
    CHECK_STATUS(psg_wait(p.plan), PSG_OK);
    check_set(&p, &s, 0, 0);
    if (ranks > 1) {
        psg_solve_args args;
        psg_solve_args_init(&args, p.plan);
        args.epsilon = &s.array[0];
        CHECK_STATUS(psg_submit_arrays(p.plan, 1, &s.array[0], &s.array[1], &args),
                     PSG_ERR_UNSUPPORTED);
        CHECK(strstr(psg_last_error(), "psg_plan_box()") != NULL, "words: %s", psg_last_error());
    }
    if (rank == ranks - 1 && own->n[1] > 0) {
        s.f[0].f64[0] = NAN;
    }
    CHECK_STATUS(submit(p.plan, &s, 0, 0), PSG_OK);
    CHECK_STATUS(psg_wait(p.plan), PSG_ERR_DATA);
    char want[80];
    snprintf(want, sizeof want, "(0,%zu,0)", p.boxes[ranks - 1].lo[1]);
    CHECK(strstr(psg_last_error(), want) != NULL, "words: %s, and not %s", psg_last_error(), want);
    fill(&s.f[0], p.grid, p.all[0]);
    CHECK_STATUS(submit(p.plan, &s, 0, 0), PSG_OK);
    CHECK_STATUS(psg_wait(p.plan), PSG_OK);
    check_set(&p, &s, 0, 0);
    set_free(&s);
    end(&p);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    const MPI_Comm comm = MPI_COMM_WORLD;
    psg_options options = ranks_options(PSG_F64, &comm);
    psg_plan *anchor = harness_anchor(&options);
    refused();
    many();
    all_pencils();
    random_tilings();
    psg_plan_destroy(anchor);
    return ranks_finish(check_result());
}
