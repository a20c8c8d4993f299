/* The terms of a solve: lambda, the factor, the rule for the mean and the box, which may change
 * from solve to solve. */
#include "graph/terms.h"
#include "graph/options.h"
#include "graph/placement.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/status.h"
#include "graph/transform_table.h"
#include "graph/transforms.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The first published struct_size: nothing smaller is one of ours. */
_Static_assert(offsetof(psg_solve_args, value) == 32 && sizeof(psg_solve_args) == 288,
               "psg_solve_args may grow at its end only; keep the old sizes valid");
enum { FIRST_ARGS_SIZE = 32 };

psg_solve_args psg_terms_of_plan(const psg_plan *plan) {
    const psg_options *o = &plan->problem.options;
    const double *box = plan->problem.box;
    return (psg_solve_args){
        .struct_size = sizeof(psg_solve_args),
        .lambda = o->lambda,
        .factor = o->factor,
        .mean = o->mean,
        .box = {box[0], box[1], box[2]},
    };
}

/* Brackets keep the header's macro of the same name away. */
psg_status(psg_solve_args_init)(psg_solve_args *args, const psg_plan *plan, size_t struct_size) {
    psg_clear_error();
    if (args == NULL || plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "args or plan is NULL");
    }
    psg_solve_args own = psg_terms_of_plan(plan);
    own.struct_size = struct_size;
    memset(args, 0, struct_size);
    memcpy(args, &own, struct_size < sizeof own ? struct_size : sizeof own);
    return PSG_OK;
}

int psg_terms_faces(const psg_solve_args *args) {
    int axes = 0;
    for (int d = 0; d < 3; d++) {
        axes |= args->epsilon_faces[d] != NULL ? 1 << d : 0;
    }
    return axes;
}

/* A single point of a periodic axis has no faces along it. */
static psg_status read_faces(psg_solve_args *full, const psg_plan *plan) {
    const psg_grid grid = psg_grid_turned(&plan->problem.grid);
    if (psg_terms_faces(full) == 0) {
        return PSG_OK;
    }
    if (full->epsilon != NULL) {
        return psg_fail(PSG_ERR_ARG, "epsilon and epsilon_faces are both given: a solve has one");
    }
    for (int d = 2; d >= 0; d--) {
        const psg_axis *axis = &grid.axis[d];
        const psg_array *faces = full->epsilon_faces[d];
        if (faces == NULL && (axis->n > 1 || axis->bc[0] != PSG_BC_PERIODIC)) {
            return psg_fail(PSG_ERR_ARG,
                            "epsilon_faces[%d] is NULL: each axis of more than one point needs "
                            "its faces",
                            d);
        }
        full->epsilon = faces != NULL ? faces : full->epsilon;
    }
    return PSG_OK;
}

psg_status psg_terms_read(psg_solve_args *full, const psg_plan *plan, const psg_solve_args *args) {
    *full = psg_terms_of_plan(plan);
    if (args->struct_size < FIRST_ARGS_SIZE || args->struct_size > sizeof *args) {
        return psg_fail(
            PSG_ERR_ARG,
            "args.struct_size = %zu is not that of any psg_solve_args this library knows (%zu); "
            "call psg_solve_args_init() first",
            args->struct_size, sizeof *args);
    }
    memcpy(full, args, args->struct_size);
    return read_faces(full, plan);
}

/* Has the precision all digits of k^2 + lambda from `least` to `most`, and of the quotients of
 * `scale` and these? Columns of a stretched z have k^2 in f64. */
static bool fits(const psg_plan *plan, const psg_terms *terms, double scale, double least,
                 double most) {
    const bool f64 = psg_stretched(&plan->context) && terms->lambda == 0 && isnormal(least);
    return (f64 || (psg_transforms_has(plan, least) && psg_transforms_has(plan, most))) &&
           psg_transforms_has(plan, scale / least) && psg_transforms_has(plan, scale / most);
}

/* Check the quotients factor/(k^2 + lambda) of all modes but the one where k^2 + lambda is 0. If
 * `normalize` has the factor, check 1/(k^2 + lambda), too. Infinite quotients, and those below the
 * normal numbers, would give a wrong u without a word. A sum that is a normal number has all
 * digits, even if one of its terms has not. */
static psg_status check_quotients(const psg_plan *plan, const psg_solve_args *args,
                                  const psg_terms *terms) {
    const psg_problem *p = &plan->problem;
    const psg_axis *z = &p->grid.axis[2];
    const bool dropped = terms->lambda == 0 && p->eigen_first == 0;
    const double least = dropped ? p->eigen_least : terms->lambda + p->eigen_first;
    const double most = terms->lambda + p->eigen_most;
    if (dropped && isinf(least)) {
        return PSG_OK; /* the only mode is the one that is dropped */
    }
    const double scale = terms->scale * terms->scale_after;
    if (!psg_transforms_has(plan, scale)) {
        return psg_fail(PSG_ERR_ARG,
                        "factor = %g, for a spacing of about %Lg, is out of the range of the "
                        "precision: choose another unit of length, or another factor",
                        args->factor, ldexpl(1, p->unit));
    }
    if (p->options.kernel == PSG_KERNEL_USER || /* no mode is divided */
        (fits(plan, terms, scale, least, most) && fits(plan, terms, terms->scale, least, most))) {
        return PSG_OK;
    }
    return psg_fail(
        PSG_ERR_ARG,
        "k^2 + lambda is from %Lg to %Lg, and the quotients of factor = %g and that are "
        "out of the range of the precision: choose another unit of length, or a factor%s",
        ldexpl(least, -2 * p->unit), ldexpl(most, -2 * p->unit), args->factor,
        z->robin[0] + z->robin[1] > 0 ? ", or another k of the Robin sides" : "");
}

/* Over a Dirichlet wall u is the difference of two parts that are as large as
 * 1/(sqrt(lambda) length) times it. Where this loses more than 0 in place of lambda, 0 it is. */
double psg_terms_lambda(const psg_plan *plan, double scaled) {
    const psg_problem *p = &plan->problem;
    const double epsilon = p->options.precision == PSG_F64 ? DBL_EPSILON : FLT_EPSILON;
    const bool wall = plan->context.kind[2] == PSG_TRANSFORM_FREE && !plan->context.tabled &&
                      p->free_z.wall[0] + p->free_z.wall[1] < 0;
    return wall && scaled * p->free_z.length * p->free_z.length < epsilon ? 0 : scaled;
}

/* What lambda and factor are to the tasks of a solve. */
static psg_status make_terms(psg_terms *terms, const psg_plan *plan, const psg_solve_args *args) {
    const psg_problem *p = &plan->problem;
    const double scale = ldexp(args->factor / psg_transforms_norm(&p->grid), 2 * p->unit);
    const bool normalizes = psg_graph_has(&plan->context.graph, PSG_TASK_NORMALIZE, false);
    const bool modes = args->f_modes != NULL || args->u_modes != NULL;
    *terms = (psg_terms){.right_hand_sides = 1,
                         .norm = modes ? psg_transforms_norm(&p->grid) : 0,
                         .unit = p->unit,
                         .free_z = p->free_z,
                         .lambda = psg_terms_lambda(plan, ldexp(args->lambda, 2 * p->unit)),
                         .scale = normalizes ? 1 : scale,
                         .scale_after = normalizes ? scale : 1};
    return check_quotients(plan, args, terms);
}

/* The box enters a solve by tables alone, and by what is made of the grid for each solve. */
static psg_status take_box(psg_plan *plan, const double box[3]) {
    psg_problem *p = &plan->problem;
    psg_grid grid = psg_grid_turned(&p->grid);
    bool same = true;
    for (int d = 0; d < 3; d++) {
        same = same && box[d] == grid.axis[d].length;
        grid.axis[d].length = box[d];
    }
    if (same) {
        return PSG_OK;
    }
    psg_status status = psg_grid_check(&grid, p->options.precision);
    if (status == PSG_OK && p->options.kernel == PSG_KERNEL_USER) {
        status =
            psg_fail(PSG_ERR_UNSUPPORTED, "the box is not that of the plan, and kernel = user is "
                                          "for that: another plan takes another kernel");
    }
    if (status == PSG_OK && plan->pending.oldest != NULL) {
        status = psg_fail(PSG_ERR_STATE, "a solve is in flight, and this one has another box: "
                                         "psg_wait() for that one first");
    }
    if (status != PSG_OK) {
        return status;
    }
    p->grid = psg_grid_turned(&grid);
    status = psg_transforms_eigenvalues(p, plan);
    status = status == PSG_OK ? psg_placement_renew(plan) : status;
    if (status != PSG_OK) {
        p->grid.axis[0].length = NAN; /* the tables are of no box */
    }
    return status;
}

psg_status psg_terms_take(psg_plan *plan, const psg_solve_args *args, psg_terms *terms,
                          psg_mean *mean) {
    psg_options options = plan->problem.options;
    options.lambda = args->lambda;
    options.factor = args->factor;
    options.mean = *mean = args->mean;
    psg_status status = psg_options_check_terms(&options);
    status = status == PSG_OK ? take_box(plan, args->box) : status;
    return status == PSG_OK ? make_terms(terms, plan, args) : status;
}

psg_status psg_terms_make(psg_terms *terms, const psg_plan *plan) {
    const psg_solve_args args = psg_terms_of_plan(plan);
    return make_terms(terms, plan, &args);
}

psg_status psg_terms_same(const psg_plan *plan, const psg_solve_args *args, bool to_u, bool flow) {
    static const char *const names[6] = {"value[0][0]", "value[0][1]", "value[1][0]",
                                         "value[1][1]", "value[2][0]", "value[2][1]"};
    static const char *const given[6] = {"side[0][0]", "side[0][1]", "side[1][0]",
                                         "side[1][1]", "side[2][0]", "side[2][1]"};
    static const char *const component[3] = {"gradient[0]", "gradient[1]", "gradient[2]"};
    enum { TERMS = 15, SIDES = 12 };
    psg_option_value values[TERMS + SIDES + 3] = {{"lambda", args->lambda},
                                                  {"factor", args->factor},
                                                  {"mean", (double)args->mean},
                                                  {"box[0]", args->box[0]},
                                                  {"box[1]", args->box[1]},
                                                  {"box[2]", args->box[2]},
                                                  {"f_modes", args->f_modes != NULL},
                                                  {"u_modes", args->u_modes != NULL},
                                                  {"u", to_u},
                                                  {"psg_project()", flow},
                                                  {"epsilon", args->epsilon != NULL},
                                                  {"epsilon_faces", psg_terms_faces(args)},
                                                  {"tolerance", args->tolerance},
                                                  {"iterations", (double)args->iterations},
                                                  {"guess", args->guess}};
    for (int m = 0; m < 6; m++) {
        values[TERMS + 2 * m] = (psg_option_value){names[m], args->value[m / 2][m % 2]};
        values[TERMS + 2 * m + 1] =
            (psg_option_value){given[m], args->side[m / 2][m % 2] != NULL ? 1 : 0};
    }
    for (int d = 0; d < 3; d++) {
        values[TERMS + SIDES + d] =
            (psg_option_value){component[d], args->gradient[d] != NULL ? 1 : 0};
    }
    return psg_ranks_same_values(plan->processes.comm, values, sizeof values / sizeof *values);
}

psg_status psg_terms_judge_mean(const psg_plan *plan, double mean, double largest, bool sides) {
    const double most = plan->problem.options.mean_tolerance;
    return fabs(mean) <= most * largest
               ? PSG_OK
               : psg_fail(PSG_ERR_MEAN,
                          "f%s the mean %.6g, more than %.3g of max|f| = %.6g, and a %s box has "
                          "no solution for it",
                          sides ? " and the derivatives on the sides have" : " has", mean, most,
                          largest,
                          psg_transforms_periodic(&plan->problem.grid) ? "periodic" : "closed");
}
