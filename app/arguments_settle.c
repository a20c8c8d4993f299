/* What the command line of psg solve means: which options contradict each other, and what follows
 * from those that are given. */
#include "app/app.h"
#include "app/arguments.h"
#include "app/problems.h"

#include <stdlib.h>

/* The sides that a problem has, and what is said to others; NULL: those that --bc names. */
static const struct {
    const char *sides, *words;
} problem_sides[APP_PROBLEM_COUNT] = {
    [APP_PROBLEM_MADELUNG] = {"PP", "--bc is not for --problem madelung: a crystal is periodic"},
    [APP_PROBLEM_CAVITY] = {"DD", "--bc is not for --problem cavity: all its sides are Dirichlet"},
    [APP_PROBLEM_LID] = {"DD", "--bc is not for --problem lid: all its sides are Dirichlet"},
    [APP_PROBLEM_ISOLATED] = {"FF", "--bc is not for --problem isolated: all its sides are free"},
    [APP_PROBLEM_BEAM] = {"FF,FF,PP", "--bc is not for --problem beam: its sides are FF,FF,PP"},
    [APP_PROBLEM_SLAB] = {"PP,PP,FF", "--bc is not for --problem slab: its sides are PP,PP,FF"},
};

/* What must not be said together, or without something else; NULL: all is well. */
static const char *contradiction(const app_arguments *a) {
    const psg_options *o = &a->solver.options;
    const bool in = a->in != NULL, problem = a->problem != APP_PROBLEM_NONE;
    const bool cavity = a->problem == APP_PROBLEM_CAVITY, lid = a->problem == APP_PROBLEM_LID;
    const bool madelung = a->problem == APP_PROBLEM_MADELUNG, ions = madelung || cavity;
    const bool fd2 = o->symbol == PSG_SYMBOL_FD2, sides = app_sides_any(&a->sides);
    const char *words = problem ? problem_sides[a->problem].words : NULL;
    const bool free_side = app_sides_free(&a->sides);
    const bool points = a->epsilon != NULL, faces = a->faces_epsilon != NULL;
    const bool epsilon = points || faces, gradient = a->gradient != NULL;
    const bool kernel = a->solver.kernel != NULL;
    const double *box = a->box.length;
    const bool cube = !a->box.given || (box[0] == box[1] && box[0] == box[2]);
    const struct {
        bool broken;
        const char *words;
    } rules[] = {
        {in && problem, "--in and --problem: only one of them can give the right-hand side"},
        {!in && !problem,
         "nothing to solve: give --in FILE:DATASET, or --problem madelung --grid 64"},
        {in && a->grid.given, "--grid is for --problem: the grid of --in is its data set's"},
        {!in && !a->grid.given, "--problem needs --grid N, NXxNYxNZ or NXxNY"},
        {problem && a->problem != APP_PROBLEM_MODES && a->grid.given && a->grid.axes == 2,
         "--problem modes is there for two axes; the others are of three: --grid NXxNYxNZ"},
        {a->points.given && !sides,
         "--points is for axes with Dirichlet or Neumann sides, and --bc names none"},
        {words != NULL && a->sides.given && (sides || !madelung), words},
        {a->problem == APP_PROBLEM_MODES &&
             (a->sides.bc[0][0] == PSG_BC_FREE || a->sides.bc[1][0] == PSG_BC_FREE),
         "--problem modes has no answers where x or y is free: z alone may be"},
        {problem && (a->faces != NULL || a->robin != NULL),
         "--faces and --robin are for --in: the answers of the problems are without"},
        {a->lattice >= 0 && !madelung, "--lattice is for --problem madelung"},
        {ions && o->lambda > 0,
         "--lambda is not for --problem madelung or cavity: unscreened charges have its constant"},
        {ions && o->factor != 1,
         "--factor is not for --problem madelung or cavity: its charges have theirs, -4 pi"},
        {ions && !cube,
         "--problem madelung or cavity needs a cube: --box L, the length of the cell"},
        {!epsilon && (a->tolerance != 0 || a->iterations > 0 || a->guess != NULL),
         "--tolerance, --iterations and --guess are for --epsilon and --faces-epsilon"},
        {a->verify && free_side && o->symbol == PSG_SYMBOL_SPECTRAL,
         "--verify needs --symbol fd2 where a side is free: spectral has no residual there"},
        {!kernel && o->kernel == PSG_KERNEL_USER,
         "kernel user is that of a file: give --kernel FILE[:DATASET]"},
        {!kernel && a->form >= 0, "--kernel-form is for --kernel FILE"},
        {kernel && a->verify, "--verify is not for --kernel FILE: no stencil has its u"},
        {points && faces, "--epsilon and --faces-epsilon: a solve has one of them"},
        {epsilon && problem, "epsilon is for --in: the answers of the problems are without"},
        {epsilon && !fd2, "epsilon needs --symbol fd2, whose stencil has it between points"},
        {free_side && (faces || a->guess != NULL),
         "--faces-epsilon and --guess are not for free sides"},
        {epsilon && a->resident, "--data resident is not for epsilon, which is in main memory"},
        {lid && app_options_given(&a->solver, "symbol") && !fd2,
         "--problem lid needs --symbol fd2: the others have sides with 0 only"},
        {lid && o->lambda > 0, "--lambda is not for --problem lid: its answer is without"},
        {lid && !cube, "--problem lid needs a cube: --box L"},
        {a->values != NULL && problem,
         "--values is for --in: the answers of the problems are without"},
        {(lid || a->values != NULL) && a->resident,
         "--data resident is not for values on sides: they go with arrays in main memory"},
        {gradient && !lid && !fd2 && a->faces == NULL &&
             (o->symbol != PSG_SYMBOL_SPECTRAL || !app_sides_alike(&a->sides)),
         "--gradient needs --symbol fd2, or spectral with axes that are periodic or free"},
        {gradient && o->in_flight > 1,
         "--in-flight is not for --gradient, which has arrays for one solve"},
        {gradient && a->resident,
         "--data resident is not for --gradient, whose arrays are in main memory"}};
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        if (rules[r].broken) {
            return rules[r].words;
        }
    }
    return NULL;
}

int app_arguments_settle(app_arguments *a) {
    const bool problem = a->problem != APP_PROBLEM_NONE;
    const char *sides = problem ? problem_sides[a->problem].sides : NULL;
    if (sides != NULL && !a->sides.given) {
        (void)app_value_sides(sides, &a->sides, NULL);
        a->sides.given = false;
    }
    const char *why = contradiction(a);
    if (a->problem == APP_PROBLEM_MADELUNG && a->lattice < 0) {
        a->lattice = APP_NACL;
    }
    if (a->problem == APP_PROBLEM_CAVITY) {
        a->lattice = APP_CAVITY;
    }
    if (a->problem == APP_PROBLEM_LID) {
        a->solver.options.symbol = PSG_SYMBOL_FD2;
    }
    const bool faces = a->faces_epsilon != NULL;
    a->epsilon_option = faces ? "faces-epsilon" : "epsilon";
    a->epsilon = faces ? a->faces_epsilon : a->epsilon;
    return why != NULL ? app_error(APP_USAGE, "%s", why) : APP_DONE;
}
