/* psg_solve_epsilon(): u of StarPU data is that of arrays, the statistics tell the mean of this
 * solve's f, and what cannot be solved is refused in words, as it is between arrays. */
#include "graph/psg_starpu.h"
#include "graph/psg_task.h"
#include "tests/graph/epsilon_problem.h"

#include <starpu.h>

enum { F, EPS, U, FIELDS, MOST = 16 };

typedef struct fields {
    size_t segments, z0[MOST + 1];
    starpu_data_handle_t data[FIELDS][MOST];
} fields;

static fields lend(psg_plan *plan, const medium *p) {
    double *const values[FIELDS] = {p->f, p->eps, p->u};
    const size_t plane = p->n[0] * p->n[1];
    fields all;
    CHECK_STATUS(psg_plan_segments(plan, &all.segments, NULL), PSG_OK);
    CHECK_STATUS(psg_plan_slab_handles(plan, NULL, NULL, all.z0), PSG_OK);
    for (int m = 0; m < FIELDS; ++m) {
        for (size_t s = 0; s < all.segments; ++s) {
            starpu_block_data_register(
                &all.data[m][s], STARPU_MAIN_RAM, (uintptr_t)(values[m] + all.z0[s] * plane),
                (uint32_t)p->n[0], (uint32_t)plane, (uint32_t)p->n[0], (uint32_t)p->n[1],
                (uint32_t)(all.z0[s + 1] - all.z0[s]), sizeof(double));
        }
    }
    return all;
}

static void take_back(fields *all) {
    psg_engine_awake(); /* to copy what is on a GPU */
    for (int m = 0; m < FIELDS; ++m) {
        for (size_t s = 0; s < all->segments; ++s) {
            starpu_data_unregister(all->data[m][s]);
        }
    }
    psg_engine_rest();
}

/** Between StarPU data; u is in p->u then. */
static psg_status solve_data(psg_plan *plan, const medium *p, const psg_solve_args *args) {
    fields all = lend(plan, p);
    const psg_status status =
        psg_solve_epsilon(plan, all.data[F], all.data[EPS], all.data[U], args);
    take_back(&all);
    return status;
}

/** @param[in] mean  that the statistics tell */
static void check_mean(psg_plan *plan, const medium *p, const psg_solve_args *args, double mean) {
    FREED double *u = oracle_array(p->points);
    CHECK_STATUS(solve(plan, PSG_F64, p, args, false), PSG_OK);
    memcpy(u, p->u, p->points * sizeof *u);
    CHECK_NEAR(harness_statistics(plan).mean, mean, 1e-14, "%s: the mean by arrays", p->sides);
    p->f[5] += 1; /* another mean */
    CHECK_STATUS(solve_data(plan, p, args), PSG_OK);
    const double more = is_singular(p) ? 1 / (double)p->points : 0;
    CHECK_NEAR(harness_statistics(plan).mean, mean + more, 1e-14, "%s: the mean by data", p->sides);
    p->f[5] -= 1;
    CHECK_STATUS(solve_data(plan, p, args), PSG_OK);
    CHECK(memcmp(u, p->u, p->points * sizeof *u) == 0, "%s: u of data is another", p->sides);
    CHECK(residual_of(p) <= 1.01e-10, "%s: the residual is %g", p->sides, residual_of(p));
}

static void means(const char *sides, double lambda) {
    AT_END(destroy) medium p = make(9, 8, 7, 1, 1, 2);
    const psg_options options = harness_with(PSG_F64, "segment_planes=2 mean_tolerance=0.01");
    p.sides = sides;
    p.lambda = lambda;
    fill_random(&p, .3, 20);
    surround(&p, 3);
    DESTROYED psg_plan *plan = plan_of(&p, options);
    psg_solve_args args = args_of(plan, &p);
    check_mean(plan, &p, &args, is_singular(&p) ? mean_of(&p, p.f) : 0);
    args.mean = PSG_MEAN_ERROR;
    if (!is_singular(&p)) {
        CHECK_STATUS(solve_data(plan, &p, &args), PSG_OK);
        return;
    }
    CHECK_SAYS(solve_data(plan, &p, &args), PSG_ERR_MEAN, "f has the mean 0.");
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_MEAN, "f has the mean 0.");
    oracle_remove_mean(p.f, p.points);
    CHECK_STATUS(solve_data(plan, &p, &args), PSG_OK);
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
}

static void refused(void) {
    AT_END(destroy) medium p = make(6, 5, 4, 1, 1, 1);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    fill_random(&p, 0, 5);
    p.f[17] = NAN;
    CHECK_SAYS(solve_data(plan, &p, &args), PSG_ERR_DATA, "f is not finite");
    fill_random(&p, 0, 5);
    p.eps[3] = -1;
    CHECK_SAYS(solve_data(plan, &p, &args), PSG_ERR_DATA, "epsilon is not 0 or from");
    fill_random(&p, 0, 5);
    args.guess = 1;
    p.u[9] = INFINITY;
    CHECK_SAYS(solve_data(plan, &p, &args), PSG_ERR_DATA, "the guess in u is not finite");
    args.guess = 0;
    args.iterations = 2;
    CHECK_SAYS(solve_data(plan, &p, &args), PSG_ERR_DATA, "after 2 iterations the residual is");
}

/** The words on epsilon beside free sides have its range there. */
static void refused_rims(void) {
    AT_END(destroy) medium p = make(6, 5, 4, 1, 1, 1);
    p.sides = "FF";
    fill_random(&p, 0, 5);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    const psg_solve_args args = args_of(plan, &p);
    surround(&p, 3);
    p.eps[119] = 7;
    CHECK_SAYS(solve_data(plan, &p, &args), PSG_ERR_DATA,
               "epsilon is from 3 to 7 at the points beside free sides");
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    means("PP", 0);
    means("PP", 12);
    means("NN", 0);
    means("DN,PP,NN", 0);
    means("FF", 0);
    means("DF,PP,FN", 0);
    means("PP,NN,FF", 12);
    refused();
    refused_rims();
    return check_result();
}
