/* A solve with epsilon of several processes takes the iterations of one process and has its u, bit
 * by bit: for all sides, with values or without, exchanges and graphs, solid bodies that go through
 * several processes, guesses, a stretched z, free
 * sides, and the gradient. What one process gives wrong is
 * refused on all. */
#include "graph/psg_starpu.h"
#include "graph/psg_task.h"
#include "tests/graph/epsilon_problem.h"
#include "tests/mpi/ranks.h"

#include <starpu.h>

static MPI_Comm world;

/** Processes that share a GPU wait for each other's tasks, so few problems have to do. */
static bool on_gpus(void) {
    return harness_options(PSG_F64).gpus > 0;
}

/** This process' planes of f and u, of epsilon, and of the gradient along z. */
typedef struct shares {
    share u, eps, z;
    share faces[3]; /**< in place of eps */
} shares;

static shares take(MPI_Comm comm, const medium *p) {
    const oracle_grid grid = {{p->n[0], p->n[1], p->n[2]},
                              {p->length[0], p->length[1], p->length[2]}};
    shares s = {.u = share_make(comm, PSG_F64, &grid, 0),
                .eps = share_make(comm, PSG_F64, &grid, 0),
                .z = share_make(comm, PSG_F64, &grid, 0)};
    share_take(&s.u, p->f);
    share_take(&s.eps, p->eps);
    share_take(&s.z, p->f);
    for (int d = 0; d < 3; ++d) {
        s.faces[d] = share_make(comm, PSG_F64, &grid, 0);
        share_take(&s.faces[d], p->faces[d] != NULL ? p->faces[d] : p->eps);
    }
    return s;
}

static void give_back(shares *s) {
    share_free(&s->u);
    share_free(&s->eps);
    share_free(&s->z);
    for (int d = 0; d < 3; ++d) {
        share_free(&s->faces[d]);
    }
}

/** What a solve answers. */
typedef struct answer {
    psg_statistics s;
    char words[512];
    double *z; /* the gradient along z */
} answer;

/** @param[in] comm  MPI_COMM_NULL: this process alone @param[in] from  a guess; or NULL */
static psg_status solve_on(MPI_Comm comm, const medium *p, psg_options options,
                           const psg_solve_args *with, const double *from, answer *a) {
    const MPI_Comm of = comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm;
    AT_END(give_back) shares s = take(of, p);
    options.comm = comm == MPI_COMM_NULL ? NULL : &world;
    DESTROYED psg_plan *plan = plan_of(p, options);
    psg_solve_args args = harness_args(plan);
    const psg_array f = harness_view(s.u.f), u = harness_view(s.u.u);
    const psg_array eps = harness_view(s.eps.f), z = harness_view(s.z.u);
    args.lambda = p->lambda;
    args.factor = p->factor;
    args.mean = with->mean;
    args.tolerance = with->tolerance;
    args.iterations = with->iterations;
    const psg_array faces[3] = {harness_view(s.faces[0].f), harness_view(s.faces[1].f),
                                harness_view(s.faces[2].f)};
    args.epsilon = p->faces[0] == NULL ? &eps : NULL;
    for (int d = 0; d < 3 && p->faces[0] != NULL; ++d) {
        args.epsilon_faces[d] = &faces[d];
    }
    psg_array side[6];
    for (int m = 0; m < 6; ++m) { /* of the own planes */
        args.value[m / 2][m % 2] = p->value[m];
        if (p->side[m] != NULL) {
            side[m] = harness_view(p->side[m] + (m < 4 ? s.u.z0 * p->n[m < 2 ? 1 : 0] : 0));
            args.side[m / 2][m % 2] = &side[m];
        }
    }
    const bool above = grid_of(p).axis[2].bc[1] == PSG_BC_FREE; /* no gradient is there */
    args.gradient[2] = options.gpus > 0 || above ? NULL : &z;
    args.guess = from != NULL;
    if (from != NULL && s.u.points > 0) {
        memcpy(s.u.u, from + s.u.z0 * p->n[0] * p->n[1], s.u.points * sizeof *from);
    }
    const psg_status status = psg_solve_arrays(plan, 1, &f, &u, &args);
    snprintf(a->words, sizeof a->words, "%s", psg_last_error());
    if (status == PSG_OK) {
        a->s = harness_statistics(plan);
        share_gather(&s.u, of, p->u);
        share_gather(&s.z, of, a->z);
        CHECK(share_intact(&s.u) && share_intact(&s.eps), "f or epsilon was written");
    }
    return status;
}

static psg_solve_args plain_args(double tolerance, size_t iterations) {
    psg_solve_args args = {.struct_size = sizeof args, .factor = 1};
    args.tolerance = tolerance;
    args.iterations = iterations;
    return args;
}

/** Is it the answer of one process? */
static void compare(const medium *p, const psg_options *options, const psg_solve_args *with,
                    const double *from, const char *what) {
    FREED double *u = oracle_array(p->points);
    answer alone = {.z = oracle_array(p->points)}, all = {.z = oracle_array(p->points)};
    psg_options one = *options;
    one.exchange = PSG_EXCHANGE_AUTO;
    one.executor = PSG_EXECUTOR_TASKS;
    CHECK_STATUS(solve_on(MPI_COMM_NULL, p, one, with, from, &alone), PSG_OK);
    memcpy(u, p->u, p->points * sizeof *u);
    ranks_at("%s, %s", p->sides, what);
    CHECK_STATUS(solve_on(world, p, *options, with, from, &all), PSG_OK);
    CHECK(all.s.iterations == alone.s.iterations, "%s, %s: %zu iterations, alone %zu", p->sides,
          what, all.s.iterations, alone.s.iterations);
    CHECK_NEAR(all.s.mean, alone.s.mean, 1e-14, "%s, %s: the mean", p->sides, what);
    CHECK_CLOSE(p->u, u, p->n[0], p->n[1], p->n[2], 1e-11, "%s, %s", p->sides, what);
    if (options->gpus == 0) {
        CHECK(memcmp(p->u, u, p->points * sizeof *u) == 0, "%s, %s: other bits", p->sides, what);
        CHECK(memcmp(all.z, alone.z, p->points * sizeof *u) == 0, "%s, %s: another gradient",
              p->sides, what);
        CHECK(all.s.residual == alone.s.residual, "%s, %s: another residual", p->sides, what);
    }
    CHECK(residual_of(p) <= 1.01e-10, "%s, %s: the residual is %g", p->sides, what, residual_of(p));
    free(alone.z);
    free(all.z);
}

/* ------------------------------------------------------------------------------------- answers */

static const char *const ways[] = {"segment_planes=2 sheets=3",
                                   "",
                                   "graph=staged",
                                   "exchange=mpi segment_planes=1",
                                   "exchange=alltoall",
                                   "exchange=mpi graph=staged",
                                   "exchange=alltoall sheets=5"};
enum { WAYS = sizeof ways / sizeof *ways };

static psg_options options_of(size_t way) {
    psg_options options = ranks_options(PSG_F64, &world);
    if (RANKS_MPI) {
        harness_set(&options, ways[way % WAYS]);
    }
    return options;
}

static void answers(void) {
    static const char *const all[] = {"PP",       "NN", "DD",       "DN",       "dd",
                                      "PP,NN,DD", "ND", "PP,PP,NN", "DN,PP,ND", "NN,PP,PP"};
    const psg_solve_args args = plain_args(0, 0);
    for (size_t c = 0; c < sizeof all / sizeof *all * 3; ++c) {
        if (!ranks_takes(c)) {
            continue;
        }
        AT_END(destroy) medium p = make(9, 8, 11, 1, 2.5, .7);
        p.sides = all[c / 3];
        p.lambda = c % 3 == 1 ? 12 : 0;
        p.factor = c % 3 == 2 ? -3 : 1;
        fill_random(&p, .3, 50);
        const psg_options options = options_of(c);
        compare(&p, &options, &args, NULL, ways[c % WAYS]);
        FREED double *near = oracle_array(p.points);
        for (size_t m = 0; m < p.points; ++m) {
            near[m] = p.u[m] * (1 + 1e-3 * rand() / RAND_MAX);
        }
        compare(&p, &options, &args, near, "a guess");
        fill_sides(&p, c % 2 == 0);
        compare(&p, &options, &args, NULL, "values");
    }
}

/** Some processes have no planes, and two have the same neighbours. */
static void thin(void) {
    static const size_t n[][3] = {{6, 5, 1}, {6, 7, 2}, {5, 4, 3}, {5, 40, 4}};
    const psg_solve_args args = plain_args(0, 0);
    for (size_t m = on_gpus() ? 1 : 0; m < 8; m += on_gpus() ? 4 : 1) {
        AT_END(destroy) medium p = make(n[m / 2][0], n[m / 2][1], n[m / 2][2], 1, 1, 1);
        const psg_options options = options_of(m);
        fill_random(&p, 0, 5);
        for (size_t i = 0; i < p.points && m % 2 == 1; i += 3) {
            p.eps[i] = 0;
        }
        compare(&p, &options, &args, NULL, "thin");
    }
}

/** A pipe that winds through all planes several times is one region; pieces of one point are many.
 */
static void solids(void) {
    static const char *const all[] = {"PP", "NN", "DN,PP,PP", "PP,PP,ND", "dd"};
    const psg_solve_args args = plain_args(0, 4000);
    for (size_t c = 0; c < sizeof all / sizeof *all * 4; ++c) {
        if (!ranks_takes(c)) {
            continue;
        }
        AT_END(destroy) medium p = make(9, 6, 12, 1, 1.5, 2);
        p.sides = all[c / 4];
        p.lambda = c % 4 == 3 ? 12 : 0;
        fill_random(&p, .3, 20);
        for (size_t m = 0; m < p.points; ++m) {
            const size_t at[3] = {m % 9, m / 9 % 6, m / 54};
            const size_t turn = at[0] / 2 % 2 == 0 ? 11 : 0;
            const bool pipe = at[0] % 2 == 0 ? at[2] > 0 || at[0] / 2 % 2 == 0 : at[2] == turn;
            const bool fluid = c % 2 == 0 ? pipe && at[1] != 2 && at[1] != 5 : rand() % 10 > 2;
            p.eps[m] = fluid ? p.eps[m] : 0;
            p.f[m] = fluid ? p.f[m] : NAN;
        }
        const psg_options options = options_of(c);
        compare(&p, &options, &args, NULL, c % 2 == 0 ? "a pipe" : "pieces");
        fill_sides(&p, true);
        compare(&p, &options, &args, NULL, "values and bodies");
    }
}

/** eps on faces, of which some are closed; on cores a long pipe of closed faces winds, too. */
static void faces(void) {
    static const char *const all[] = {"PP", "NN", "DN,PP,PP", "PP,PP,ND", "dd", "PP,PP,DD"};
    const psg_solve_args args = plain_args(0, 20000);
    const size_t step = on_gpus() ? 2 : 1;
    for (size_t c = step - 1; c < (on_gpus() ? 2 : sizeof all / sizeof *all) * 4; c += step) {
        if (!ranks_takes(c / step)) {
            continue;
        }
        AT_END(destroy) medium p = make(9, 6, c % 4 == 3 ? 4 : 12, 1, 1.5, 2);
        p.sides = all[c / 4];
        p.lambda = c % 4 == 3 ? 12 : 0;
        fill_random(&p, .3, 1);
        fill_faces(&p, 20, c % 2 == 0 ? 0 : .4);
        for (size_t m = 0; m < p.points; ++m) {
            const size_t at[3] = {m % 9, m / 9 % 6, m / 54};
            const size_t turn = at[0] % 2 == 0 ? 11 : 0;
            p.faces[0][m] *= c % 2 == 0 && (at[2] != turn || at[0] == 8) ? 0 : 1;
            p.faces[1][m] *= c % 2 == 0 && at[1] % 3 == 2 ? 0 : 1;
            p.faces[2][m] *= c % 2 == 0 && at[2] == 11 ? 0 : 1;
            p.faces[2][m] *= c % 4 == 1 && at[2] % 4 == 3 ? 0 : 1; /* beside other processes, too */
        }
        for (size_t m = 0; m < p.points; ++m) {
            p.f[m] = is_fluid(&p, m) ? p.f[m] : NAN;
        }
        const psg_options options = options_of(c);
        compare(&p, &options, &args, NULL, c % 2 == 0 ? "a pipe of faces" : "closed faces");
        fill_sides(&p, true);
        compare(&p, &options, &args, NULL, "values and faces");
    }
}

/** Planes have widths, also those beside other processes: epsilon at points, bodies, values, and
 * faces. */
static void stretched(void) {
    static const char *const all[] = {"PP", "NN", "PP,PP,DN", "DN,PP,ND", "PP,NN,DD"};
    const psg_solve_args args = plain_args(0, 4000);
    for (size_t c = 0; c < sizeof all / sizeof *all * 4; ++c) {
        if (!ranks_takes(c)) {
            continue;
        }
        AT_END(destroy) medium p = make(9, 6, c % 8 == 7 ? 3 : 12, 1, 1.5, 2);
        psg_options options = options_of(c);
        options.graph = on_gpus() ? PSG_GRAPH_FUSED : options.graph;
        p.sides = all[c / 4];
        p.lambda = c % 5 == 4 ? 12 : 0;
        stretch(&p, 20);
        fill_random(&p, .3, 20);
        if (c % 4 == 3) {
            fill_faces(&p, 20, .3);
        }
        for (size_t m = 0; m < p.points; ++m) {
            p.eps[m] *= c % 4 != 1 || rand() % 10 > 2;
            p.f[m] = is_fluid(&p, m) ? p.f[m] : NAN;
        }
        if (c % 4 > 1) {
            fill_sides(&p, c % 8 < 4);
        }
        compare(&p, &options, &args, NULL, "stretched");
    }
}

/** Flows through free sides are kept by the process that has the points. */
static void free_sides(void) {
    static const char *const all[] = {"FF",       "DF,PP,FN", "PP,NN,FD", "FD,FF,PP",
                                      "PP,PP,DF", "FF,NF,FN", "PP,PP,FF", "DN,FF,NN"};
    const psg_solve_args args = plain_args(0, 4000);
    for (size_t c = 0; c < sizeof all / sizeof *all * 3; ++c) {
        if (!ranks_takes(c)) {
            continue;
        }
        AT_END(destroy) medium p = make(7, 6, c % 9 == 8 ? 2 : 11, 1, 1.5, 2);
        const bool flat = p.n[2] == 11 && strncmp(all[c / 3], "PP,", 3) == 0;
        psg_options options = options_of(c);
        p.sides = all[c / 3];
        p.lambda = c / 3 == 6 || (flat && c % 3 == 2) ? 12 : 0;
        if (flat && c % 3 == 1) {
            options.graph = on_gpus() ? PSG_GRAPH_FUSED : options.graph;
            stretch(&p, 5);
        }
        fill_random(&p, .3, 20);
        for (size_t m = 0; m < p.points; ++m) {
            p.eps[m] *= c % 3 == 0 || rand() % 10 > 2;
        }
        surround(&p, 3);
        for (size_t m = 0; m < p.points; ++m) {
            p.f[m] = is_fluid(&p, m) ? p.f[m] : NAN;
        }
        compare(&p, &options, &args, NULL, "free sides");
        fill_sides(&p, c % 2 == 0);
        compare(&p, &options, &args, NULL, "free sides beside values");
    }
}

/* ------------------------------------------------------------------------------------ refusals */

/** All processes have the status, and the words. */
static void answers_with(const medium *p, psg_mean mean, const double *from, psg_status want,
                         const char *words) {
    psg_solve_args args = plain_args(0, 0);
    answer a = {.z = oracle_array(p->points)};
    args.mean = mean;
    const psg_status status = solve_on(world, p, options_of(0), &args, from, &a);
    CHECK(status == want && strstr(a.words, words) != NULL, "status %d, and not \"%s\" in: %s",
          (int)status, words, a.words);
    free(a.z);
}

/** The region with the largest mean is told with its first point, on all processes. */
static void means(void) {
    AT_END(destroy) medium p = make(6, 5, 12, 1, 1, 1);
    fill_random(&p, 0, 5);
    oracle_remove_mean(p.f, p.points);
    answers_with(&p, PSG_MEAN_ERROR, NULL, PSG_OK, "");
    p.f[77] += 3;
    answers_with(&p, PSG_MEAN_ERROR, NULL, PSG_ERR_MEAN, "f has the mean 0.00833333, more than");
    for (size_t m = 0; m < p.points; ++m) {
        const size_t at[3] = {m % 6, m / 6 % 5, m / 30};
        const bool bar = at[0] > 1 && at[0] < 4 && at[1] == 2 && at[2] > 1 && at[2] < 11;
        const bool wall = at[0] > 0 && at[0] < 5 && at[1] > 0 && at[1] < 4 && at[2] > 0;
        p.eps[m] = bar || !wall ? 1 : 0;
        p.f[m] = bar ? .25 : 0;
    }
    answers_with(&p, PSG_MEAN_ERROR, NULL, PSG_ERR_MEAN,
                 "f has the mean 0.25 in the fluid of 18 points with (i,j,k) = (2,2,2), one of 2");
}

static void bad_values(void) {
    AT_END(destroy) medium p = make(6, 5, 9, 1, 1, 1);
    FREED double *from = oracle_array(p.points);
    for (size_t k = 0; k < 9; k += on_gpus() ? 8 : 2) {
        const size_t m = k * 30 + 3;
        char words[64];
        fill_random(&p, 0, 5);
        snprintf(words, sizeof words, "at (i,j,k) = (3,0,%zu)", k);
        p.eps[m] = k % 4 == 0 ? -2 : NAN;
        answers_with(&p, PSG_MEAN_DROP, NULL, PSG_ERR_DATA, words);
        p.eps[m] = 1;
        p.f[m] = INFINITY;
        answers_with(&p, PSG_MEAN_DROP, NULL, PSG_ERR_DATA, words);
        p.f[m] = 1;
        from[m] = NAN;
        answers_with(&p, PSG_MEAN_DROP, from, PSG_ERR_DATA, words);
        from[m] = 0;
        answers_with(&p, PSG_MEAN_DROP, from, PSG_OK, "");
    }
    memset(p.eps, 0, p.points * sizeof *p.eps);
    answers_with(&p, PSG_MEAN_DROP, NULL, PSG_ERR_DATA, "epsilon is 0 everywhere");
}

/** The rim of each process has one number, and that of all has two. */
static void rims(void) {
    AT_END(destroy) medium p = make(6, 5, 9, 1, 1, 1);
    p.sides = "FF";
    fill_random(&p, 0, 5);
    surround(&p, 3);
    for (size_t m = p.points / 9 * 8; m < p.points; ++m) {
        p.eps[m] = 7;
    }
    answers_with(&p, PSG_MEAN_DROP, NULL, PSG_ERR_DATA,
                 "epsilon is from 3 to 7 at the points beside free sides");
}

/** One process wants something else, or has another shape. */
static void differ(void) {
    AT_END(destroy) medium p = make(6, 5, 9, 1, 1, 1);
    AT_END(give_back) shares s = take(world, &p);
    fill_random(&p, 0, 5);
    share_take(&s.u, p.f);
    share_take(&s.eps, p.eps);
    DESTROYED psg_plan *plan = plan_of(&p, options_of(0));
    for (int who = 0; who < ranks_size(world) && ranks_size(world) > 1; ++who) {
        static const char *const words[] = {"tolerance is not that of",
                                            "iterations is not that of",
                                            "guess is not that of",
                                            "epsilon is not that of",
                                            "epsilon",
                                            "epsilon_faces is not that of"};
        for (int what = 0; what < 6; ++what) {
            psg_solve_args args = harness_args(plan);
            const bool me = ranks_rank(world) == who;
            psg_array f = harness_view(s.u.f), u = harness_view(s.u.u);
            psg_array eps = harness_view(s.eps.f);
            args.epsilon = me && what == 3 ? NULL : &eps;
            for (int d = 0; d < 3 && me && what == 5; ++d) {
                args.epsilon_faces[d] = &eps;
                args.epsilon = NULL;
            }
            args.tolerance = me && what == 0 ? 1e-6 : 0;
            args.iterations = me && what == 1 ? 7 : 0;
            args.guess = me && what == 2;
            eps.stride[0] = me && what == 4 ? 3 : eps.stride[0];
            const psg_status status = psg_solve_arrays(plan, 1, &f, &u, &args);
            CHECK(status == PSG_ERR_ARG || (what == 4 && status == PSG_ERR_UNSUPPORTED),
                  "process %d, %s: status %d", who, words[what], status);
            CHECK(strstr(psg_last_error(), words[what]) != NULL, "process %d: %s", who,
                  psg_last_error());
            args = harness_args(plan);
            eps = harness_view(s.eps.f);
            args.epsilon = &eps;
            CHECK_STATUS(psg_solve_arrays(plan, 1, &f, &u, &args), PSG_OK);
        }
    }
}

/* ------------------------------------------------------------------------------ StarPU's data */

enum { F, EPS, U, FIELDS, MOST = 16 };

/** psg_solve_epsilon() has the u of arrays, and refuses on all what one process gives wrong. */
static void data(void) {
    AT_END(destroy) medium p = make(6, 5, 9, 1, 1, 1);
    FREED double *want = oracle_array(p.points);
    answer a = {.z = oracle_array(p.points)};
    fill_random(&p, .5, 5);
    p.eps[31] = p.eps[144] = 0;
    const psg_solve_args with = plain_args(0, 0);
    CHECK_STATUS(solve_on(world, &p, options_of(0), &with, NULL, &a), PSG_OK);
    memcpy(want, p.u, p.points * sizeof *want);
    AT_END(give_back) shares s = take(world, &p);
    DESTROYED psg_plan *plan = plan_of(&p, options_of(0));
    double *const values[FIELDS] = {s.u.f, s.eps.f, s.u.u};
    starpu_data_handle_t handle[FIELDS][MOST];
    size_t segments, z0[MOST + 1];
    CHECK_STATUS(psg_plan_segments(plan, &segments, NULL), PSG_OK);
    CHECK_STATUS(psg_plan_slab_handles(plan, NULL, NULL, z0), PSG_OK);
    for (size_t m = 0; m < FIELDS * segments; ++m) {
        const size_t g = m % segments;
        starpu_block_data_register(&handle[m / segments][g], STARPU_MAIN_RAM,
                                   (uintptr_t)(values[m / segments] + (z0[g] - s.u.z0) * 30), 6, 30,
                                   6, 5, (uint32_t)(z0[g + 1] - z0[g]), sizeof(double));
    }
    psg_solve_args args = harness_args(plan);
    CHECK_STATUS(psg_solve_epsilon(plan, handle[F], handle[EPS], handle[U], &args), PSG_OK);
    CHECK_NEAR(harness_statistics(plan).mean, a.s.mean, 1e-14, "the mean of data");
    args.tolerance = ranks_rank(world) == ranks_size(world) - 1 && ranks_size(world) > 1 ? 2 : 0;
    const psg_status status = psg_solve_epsilon(plan, handle[F], handle[EPS], handle[U], &args);
    CHECK(status == (ranks_size(world) > 1 ? PSG_ERR_ARG : PSG_OK), "status %d", status);
    psg_engine_awake(); /* to copy what is on a GPU */
    for (size_t m = 0; m < FIELDS * segments; ++m) {
        starpu_data_unregister(handle[m / segments][m % segments]);
    }
    psg_engine_rest();
    share_gather(&s.u, world, p.u);
    CHECK_CLOSE(p.u, want, 6, 5, 9, 1e-13, "u of data");
    free(a.z);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    const psg_options options = ranks_options(PSG_F64, &world);
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    answers();
    thin();
    solids();
    faces();
    stretched();
    free_sides();
    means();
    rims();
    bad_values();
    differ();
    data();
    psg_plan_destroy(anchor);
    anchor = NULL;
    return ranks_finish(check_result());
}
