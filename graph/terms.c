/* The terms of a solve: lambda, the factor and the rule for the mean, which may change from solve to solve. */
#include "graph/process.h"
#include "graph/solving.h"
#include "graph/transforms.h"

#include <string.h>

/* The first published struct_size: nothing smaller is one of ours. */
_Static_assert(offsetof(psg_solve_args, value) == 32 && sizeof(psg_solve_args) == 176,
               "psg_solve_args may grow at its end only; keep the old sizes valid");
enum { FIRST_ARGS_SIZE = 32 };

psg_solve_args psg_terms_of_plan(const psg_plan *plan) {
    const psg_options *o = &plan->problem.options;
    return (psg_solve_args){
        .struct_size = sizeof(psg_solve_args),
        .lambda = o->lambda,
        .factor = o->factor,
        .mean = o->mean,
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
    return PSG_OK;
}

psg_status psg_terms_take(const psg_plan *plan, const psg_solve_args *args, psg_terms *terms,
                          psg_mean *mean) {
    psg_options options = plan->problem.options;
    options.lambda = args->lambda;
    options.factor = args->factor;
    options.mean = *mean = args->mean;
    const psg_status status = psg_options_check_terms(&options);
    return status == PSG_OK ? psg_transforms_terms(terms, plan, args) : status;
}

psg_status psg_terms_same(const psg_plan *plan, const psg_solve_args *args) {
    static const char *const names[6] = {"value[0][0]", "value[0][1]", "value[1][0]",
                                         "value[1][1]", "value[2][0]", "value[2][1]"};
    static const char *const given[6] = {"side[0][0]", "side[0][1]", "side[1][0]",
                                         "side[1][1]", "side[2][0]", "side[2][1]"};
    static const char *const component[3] = {"gradient[0]", "gradient[1]", "gradient[2]"};
    enum { TERMS = 3, SIDES = 12 };
    psg_option_value values[TERMS + SIDES + 3] = {
        {"lambda", args->lambda}, {"factor", args->factor}, {"mean", (double)args->mean}};
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
