/* A coefficient that varies, on cores: psg's div(epsilon grad u) = f beside hypre's conjugate
 * gradients with PFMG, with BoomerAMG, and with the diagonal, in turns.
 *
 *   [mpirun -n R] bench_cores hypre [--contrast C] [--width W] [--tolerance T] [--cpus N]
 *       N|NXxNYxNZ ...
 *
 * A box of 1 whose sides are at 0, with points in cells. epsilon is 1, and C in a ball in the
 * middle, as in dielectrics; default 10. --width: it goes from one to the other over W of the box,
 * its logarithm as tanh; default 0. f is noise. All end when the residual is T of f in the
 * 2-norm; default 1e-10. A process has planes along z, and hypre one thread in it; --cpus: psg's
 * workers in each; default 1. hypre's matrix and its preconditioner are made once, outside of the
 * time; psg's solve has all that it needs in it. A line for each way: ms, steps, ms of what was
 * made once, and the largest difference of u from psg's over the largest u. */
#include "graph/psg_observe.h"
#include "lab/peers/fft.h"

#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>
#include <HYPRE_struct_ls.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ENTRIES = 4, NEIGHBOURS = 6, MOST_STEPS = 2000, WAYS = 3 };

typedef struct problem {
    size_t n[3], z0, planes, points; /**< of this process */
    double contrast, width, tolerance;
    double *f, *u, *found, *epsilon; /**< [points]; epsilon has a plane more at both ends */
    MPI_Comm comm;
    psg_plan *plan;
    size_t steps;
} problem;

/** A way of hypre. */
typedef struct way {
    const char *name;
    problem *p;
    int multigrid; /**< PFMG; else the diagonal */
    HYPRE_StructGrid grid;
    HYPRE_StructStencil stencil;
    HYPRE_StructMatrix matrix;
    HYPRE_StructVector b, x;
    HYPRE_StructSolver solver, before;
    HYPRE_IJMatrix rows; /**< of BoomerAMG */
    HYPRE_IJVector rows_b, rows_x;
    HYPRE_Solver rows_solver, rows_before;
    HYPRE_BigInt *number; /**< [points] of the rows */
    double made;          /**< seconds */
    HYPRE_Int steps;
} way;

static void must(HYPRE_Int code, const char *what) {
    bench_must(code == 0, "hypre: %s: error %d", what, (int)code);
}

static double epsilon_at(const problem *p, size_t i, size_t j, size_t k) {
    const double x = ((double)i + 0.5) / (double)p->n[0] - 0.5;
    const double y = ((double)j + 0.5) / (double)p->n[1] - 0.5;
    const double z = ((double)k + 0.5) / (double)p->n[2] - 0.5;
    const double out = sqrt(x * x + y * y + z * z) - 0.3;
    const double share = p->width > 0 ? 0.5 - 0.5 * tanh(2 * out / p->width) : out < 0;
    return pow(p->contrast, share);
}

/* Of a cell: what stands before its six neighbours (x below, x above, y, z), 0 beyond a side; and
 * the sum with what stands before the sides. */
static double row_of(const problem *p, size_t m, double beside[NEIGHBOURS]) {
    const size_t i = m % p->n[0], j = m / p->n[0] % p->n[1], plane = p->n[0] * p->n[1];
    const size_t at[3] = {i, j, p->z0 + m / plane}, step[3] = {1, p->n[0], plane};
    const double *here = p->epsilon + plane + m;
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        const double over = (double)p->n[d] * (double)p->n[d];
        for (int up = 0; up < 2; up++) {
            const int inside = up ? at[d] + 1 < p->n[d] : at[d] > 0;
            const double there = !inside ? 0 : up ? here[step[d]] : *(here - step[d]);
            beside[2 * d + up] = inside ? over * 2 * *here * there / (*here + there) : 0;
            sum += inside ? beside[2 * d + up] : over * 2 * *here;
        }
    }
    return sum;
}

static void make_struct(way *w) {
    const problem *p = w->p;
    HYPRE_Int low[3] = {0, 0, (HYPRE_Int)p->z0};
    HYPRE_Int high[3] = {(HYPRE_Int)p->n[0] - 1, (HYPRE_Int)p->n[1] - 1,
                         (HYPRE_Int)(p->z0 + p->planes) - 1};
    HYPRE_Int offset[ENTRIES][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    HYPRE_Int entry[ENTRIES] = {0, 1, 2, 3};
    double *values = bench_array(ENTRIES * p->points * sizeof *values), beside[NEIGHBOURS];
    must(HYPRE_StructGridCreate(p->comm, 3, &w->grid), "a grid");
    must(HYPRE_StructGridSetExtents(w->grid, low, high), "a box");
    must(HYPRE_StructGridAssemble(w->grid), "a grid");
    must(HYPRE_StructStencilCreate(3, ENTRIES, &w->stencil), "a stencil");
    for (int e = 0; e < ENTRIES; e++) {
        must(HYPRE_StructStencilSetElement(w->stencil, e, offset[e]), "a stencil");
    }
    for (size_t m = 0; m < p->points; m++) {
        values[ENTRIES * m] = row_of(p, m, beside);
        for (size_t d = 0; d < 3; d++) {
            values[ENTRIES * m + d + 1] = -beside[2 * d + 1];
        }
    }
    must(HYPRE_StructMatrixCreate(p->comm, w->grid, w->stencil, &w->matrix), "a matrix");
    must(HYPRE_StructMatrixSetSymmetric(w->matrix, 1), "a matrix");
    must(HYPRE_StructMatrixInitialize(w->matrix), "a matrix");
    must(HYPRE_StructMatrixSetBoxValues(w->matrix, low, high, ENTRIES, entry, values), "a matrix");
    must(HYPRE_StructMatrixAssemble(w->matrix), "a matrix");
    for (size_t m = 0; m < p->points; m++) {
        values[m] = -p->f[m];
    }
    must(HYPRE_StructVectorCreate(p->comm, w->grid, &w->b), "a vector");
    must(HYPRE_StructVectorInitialize(w->b), "a vector");
    must(HYPRE_StructVectorSetBoxValues(w->b, low, high, values), "a vector");
    must(HYPRE_StructVectorAssemble(w->b), "a vector");
    must(HYPRE_StructVectorCreate(p->comm, w->grid, &w->x), "a vector");
    must(HYPRE_StructVectorInitialize(w->x), "a vector");
    must(HYPRE_StructVectorAssemble(w->x), "a vector");
    free(values);
    must(HYPRE_StructPCGCreate(p->comm, &w->solver), "a solver");
    must(HYPRE_StructPCGSetTwoNorm(w->solver, 1), "a solver");
    must(HYPRE_StructPCGSetTol(w->solver, p->tolerance), "a solver");
    must(HYPRE_StructPCGSetMaxIter(w->solver, MOST_STEPS), "a solver");
    if (w->multigrid) {
        must(HYPRE_StructPFMGCreate(p->comm, &w->before), "PFMG");
        must(HYPRE_StructPFMGSetMaxIter(w->before, 1), "PFMG");
        must(HYPRE_StructPFMGSetTol(w->before, 0), "PFMG");
        must(HYPRE_StructPFMGSetZeroGuess(w->before), "PFMG");
        must(HYPRE_StructPFMGSetRelaxType(w->before, 2), "PFMG"); /* red and black, symmetric */
        must(HYPRE_StructPCGSetPrecond(w->solver, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup,
                                       w->before),
             "a solver");
    } else {
        must(HYPRE_StructPCGSetPrecond(w->solver, HYPRE_StructDiagScale, HYPRE_StructDiagScaleSetup,
                                       NULL),
             "a solver");
    }
    must(HYPRE_StructPCGSetup(w->solver, w->matrix, w->b, w->x), "a solver");
}

static void load_struct(void *what) {
    const way *w = what;
    must(HYPRE_StructVectorSetConstantValues(w->x, 0), "a vector");
}

static void run_struct(void *what) {
    way *w = what;
    must(HYPRE_StructPCGSolve(w->solver, w->matrix, w->b, w->x), "a solve");
    must(HYPRE_StructPCGGetNumIterations(w->solver, &w->steps), "a solve");
}

static void fetch_struct(way *w) {
    const problem *p = w->p;
    HYPRE_Int low[3] = {0, 0, (HYPRE_Int)p->z0};
    HYPRE_Int high[3] = {(HYPRE_Int)p->n[0] - 1, (HYPRE_Int)p->n[1] - 1,
                         (HYPRE_Int)(p->z0 + p->planes) - 1};
    must(HYPRE_StructVectorGetBoxValues(w->x, low, high, p->found), "a vector");
    must(HYPRE_StructPCGDestroy(w->solver), "a solver");
    must(w->multigrid ? HYPRE_StructPFMGDestroy(w->before) : 0, "PFMG");
    must(HYPRE_StructMatrixDestroy(w->matrix), "a matrix");
    must(HYPRE_StructVectorDestroy(w->b), "a vector");
    must(HYPRE_StructVectorDestroy(w->x), "a vector");
    must(HYPRE_StructStencilDestroy(w->stencil), "a stencil");
    must(HYPRE_StructGridDestroy(w->grid), "a grid");
}

static void make_vector(const way *w, HYPRE_IJVector *made, const double *values) {
    const HYPRE_BigInt first = w->number[0], last = w->number[w->p->points - 1];
    must(HYPRE_IJVectorCreate(w->p->comm, first, last, made), "a vector");
    must(HYPRE_IJVectorSetObjectType(*made, HYPRE_PARCSR), "a vector");
    must(HYPRE_IJVectorInitialize(*made), "a vector");
    must(HYPRE_IJVectorSetValues(*made, (HYPRE_Int)w->p->points, w->number, values), "a vector");
    must(HYPRE_IJVectorAssemble(*made), "a vector");
}

static void *object(HYPRE_IJMatrix matrix, HYPRE_IJVector vector) {
    void *it = NULL;
    must(matrix != NULL ? HYPRE_IJMatrixGetObject(matrix, &it)
                        : HYPRE_IJVectorGetObject(vector, &it),
         "an object");
    return it;
}

static void make_rows(way *w) {
    const problem *p = w->p;
    const size_t plane = p->n[0] * p->n[1], step[3] = {1, p->n[0], plane};
    w->number = bench_array(p->points * sizeof *w->number);
    double *values = bench_array(p->points * sizeof *values), beside[NEIGHBOURS];
    for (size_t m = 0; m < p->points; m++) {
        w->number[m] = (HYPRE_BigInt)(p->z0 * plane + m);
        values[m] = -p->f[m];
    }
    const HYPRE_BigInt first = w->number[0], last = w->number[p->points - 1];
    must(HYPRE_IJMatrixCreate(p->comm, first, last, first, last, &w->rows), "a matrix");
    must(HYPRE_IJMatrixSetObjectType(w->rows, HYPRE_PARCSR), "a matrix");
    must(HYPRE_IJMatrixInitialize(w->rows), "a matrix");
    for (size_t m = 0; m < p->points; m++) {
        HYPRE_BigInt column[NEIGHBOURS + 1] = {w->number[m]};
        double value[NEIGHBOURS + 1] = {row_of(p, m, beside)};
        HYPRE_Int count = 1;
        for (int e = 0; e < NEIGHBOURS; e++) {
            const HYPRE_BigInt apart = (HYPRE_BigInt)step[e / 2];
            column[count] = w->number[m] + (e % 2 ? apart : -apart);
            value[count] = -beside[e];
            count += beside[e] > 0;
        }
        must(HYPRE_IJMatrixSetValues(w->rows, 1, &count, &w->number[m], column, value), "a matrix");
    }
    must(HYPRE_IJMatrixAssemble(w->rows), "a matrix");
    make_vector(w, &w->rows_b, values);
    make_vector(w, &w->rows_x, values);
    free(values);
    must(HYPRE_BoomerAMGCreate(&w->rows_before), "BoomerAMG");
    must(HYPRE_BoomerAMGSetMaxIter(w->rows_before, 1), "BoomerAMG");
    must(HYPRE_BoomerAMGSetTol(w->rows_before, 0), "BoomerAMG");
    must(HYPRE_BoomerAMGSetCoarsenType(w->rows_before, 10), "BoomerAMG"); /* HMIS */
    must(HYPRE_BoomerAMGSetInterpType(w->rows_before, 6), "BoomerAMG");   /* extended, + i */
    must(HYPRE_BoomerAMGSetPMaxElmts(w->rows_before, 4), "BoomerAMG");
    must(HYPRE_BoomerAMGSetStrongThreshold(w->rows_before, 0.5), "BoomerAMG");
    must(HYPRE_BoomerAMGSetAggNumLevels(w->rows_before, 1), "BoomerAMG");
    must(HYPRE_ParCSRPCGCreate(p->comm, &w->rows_solver), "a solver");
    must(HYPRE_ParCSRPCGSetTwoNorm(w->rows_solver, 1), "a solver");
    must(HYPRE_ParCSRPCGSetTol(w->rows_solver, p->tolerance), "a solver");
    must(HYPRE_ParCSRPCGSetMaxIter(w->rows_solver, MOST_STEPS), "a solver");
    must(HYPRE_ParCSRPCGSetPrecond(w->rows_solver, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup,
                                   w->rows_before),
         "a solver");
    must(HYPRE_ParCSRPCGSetup(w->rows_solver, object(w->rows, NULL), object(NULL, w->rows_b),
                              object(NULL, w->rows_x)),
         "a solver");
}

static void load_rows(void *what) {
    const way *w = what;
    must(HYPRE_ParVectorSetConstantValues(object(NULL, w->rows_x), 0), "a vector");
}

static void run_rows(void *what) {
    way *w = what;
    must(HYPRE_ParCSRPCGSolve(w->rows_solver, object(w->rows, NULL), object(NULL, w->rows_b),
                              object(NULL, w->rows_x)),
         "a solve");
    must(HYPRE_ParCSRPCGGetNumIterations(w->rows_solver, &w->steps), "a solve");
}

static void fetch_rows(way *w) {
    must(HYPRE_IJVectorGetValues(w->rows_x, (HYPRE_Int)w->p->points, w->number, w->p->found),
         "a vector");
    must(HYPRE_ParCSRPCGDestroy(w->rows_solver), "a solver");
    must(HYPRE_BoomerAMGDestroy(w->rows_before), "BoomerAMG");
    must(HYPRE_IJMatrixDestroy(w->rows), "a matrix");
    must(HYPRE_IJVectorDestroy(w->rows_b), "a vector");
    must(HYPRE_IJVectorDestroy(w->rows_x), "a vector");
    free(w->number);
}

static void run_psg(void *what) {
    problem *p = what;
    psg_solve_args args;
    psg_array f, u, epsilon;
    psg_statistics s;
    bench_must_psg(psg_solve_args_init(&args, p->plan));
    psg_array_init(&f, p->f);
    psg_array_init(&u, p->u);
    psg_array_init(&epsilon, p->epsilon + p->n[0] * p->n[1]);
    args.epsilon = &epsilon;
    args.tolerance = p->tolerance;
    bench_must_psg(psg_solve_arrays(p->plan, 1, &f, &u, &args));
    bench_must_psg(psg_plan_statistics(p->plan, &s));
    p->steps = s.iterations;
}

static double difference(const problem *p) {
    double off = 0, most = 0;
    for (size_t m = 0; m < p->points; m++) {
        const double apart = fabs(p->found[m] - p->u[m]);
        off = apart <= off ? off : apart; /* a NaN stays */
        most = fmax(most, fabs(p->u[m]));
    }
    return bench_largest(off) / bench_largest(most);
}

static void make_problem(problem *p, const psg_options *options) {
    psg_grid grid;
    psg_grid_init(&grid, p->n[0], p->n[1], p->n[2], 1, 1, 1);
    for (int d = 0; d < 3; d++) {
        grid.axis[d].bc[0] = grid.axis[d].bc[1] = PSG_BC_DIRICHLET;
    }
    bench_must_psg(psg_plan_create(&p->plan, &grid, options));
    bench_must_psg(psg_plan_local_extent(p->plan, &p->z0, &p->planes));
    const size_t plane = p->n[0] * p->n[1];
    p->points = p->planes * plane;
    bench_must(p->points > 0, "more processes than planes");
    double **arrays[] = {&p->f, &p->u, &p->found, &p->epsilon};
    for (size_t m = 0; m < sizeof arrays / sizeof arrays[0]; m++) {
        *arrays[m] = bench_array((p->points + 2 * plane) * sizeof(double));
    }
    for (size_t m = 0; m < p->points; m++) {
        p->f[m] = bench_noise(p->z0 * plane + m);
    }
    for (size_t m = 0; m < p->points + 2 * plane; m++) { /* planes beyond sides are not read */
        const size_t k = p->z0 + m / plane;
        p->epsilon[m] = epsilon_at(p, m % p->n[0], m / p->n[0] % p->n[1], k > 0 ? k - 1 : 0);
    }
}

static void measure(problem *p, const psg_options *options, const bench_settings *settings) {
    make_problem(p, options);
    way ways[WAYS] = {{.name = "hypre, PFMG", .p = p, .multigrid = 1},
                      {.name = "hypre, diagonal", .p = p},
                      {.name = "hypre, BoomerAMG", .p = p}};
    bench_job jobs[WAYS + 1] = {{.name = "psg", .what = p, .run = run_psg}};
    for (int n = 0; n < WAYS; n++) {
        way *w = &ways[n];
        const int rows = n == WAYS - 1;
        const double since = bench_now();
        (rows ? make_rows : make_struct)(w);
        w->made = bench_largest(bench_now() - since);
        jobs[n + 1] = (bench_job){.name = w->name,
                                  .what = w,
                                  .load = rows ? load_rows : load_struct,
                                  .run = rows ? run_rows : run_struct};
    }
    bench_interleave(jobs, WAYS + 1, settings);
    const int first = bench_processes.rank == 0;
    if (first) {
        printf("%zux%zux%zu, contrast %g, width %g, to %g, %d processes\n", p->n[0], p->n[1],
               p->n[2], p->contrast, p->width, p->tolerance, bench_processes.ranks);
        printf("  %-17s %8.4g ms (%.4g to %.4g), %zu steps\n", jobs[0].name,
               1e3 * jobs[0].times.median, 1e3 * jobs[0].times.q1, 1e3 * jobs[0].times.q3,
               p->steps);
    }
    for (int n = 0; n < WAYS; n++) {
        const bench_times *t = &jobs[n + 1].times;
        (n == WAYS - 1 ? fetch_rows : fetch_struct)(&ways[n]);
        const double off = difference(p);
        bench_must(off <= fmax(1e-8, 1e4 * p->tolerance), "%s: u differs by %g", ways[n].name, off);
        if (first) {
            printf("  %-17s %8.4g ms (%.4g to %.4g), %d steps, made in %.4g ms, / psg %.2f, "
                   "difference %.1e\n",
                   ways[n].name, 1e3 * t->median, 1e3 * t->q1, 1e3 * t->q3, (int)ways[n].steps,
                   1e3 * ways[n].made, t->median / jobs[0].times.median, off);
        }
    }
    psg_plan_destroy(p->plan);
    double *arrays[] = {p->f, p->u, p->found, p->epsilon};
    for (size_t m = 0; m < sizeof arrays / sizeof arrays[0]; m++) {
        free(arrays[m]);
    }
}

int bench_hypre(int argc, char **argv, const void *unused) {
    bench_settings settings = {5, 1, 1, 0, 0, 0, 0};
    problem p = {.contrast = 10, .tolerance = 1e-10};
    psg_options options;
    int cpus = 1;
    (void)unused;
    psg_options_init(&options);
    options.tuned = 0;
    options.gpus = 0;
    options.symbol = PSG_SYMBOL_FD2;
    const bench_option list[] = {{"contrast", BENCH_REAL, &p.contrast, NULL},
                                 {"width", BENCH_REAL, &p.width, NULL},
                                 {"tolerance", BENCH_REAL, &p.tolerance, NULL},
                                 {"cpus", BENCH_COUNT, &cpus, NULL},
                                 {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, list, "N|NXxNYxNZ ...", &settings);
    bench_must_or(BENCH_USAGE, !settings.rows, "--rows: there are none, it is in no study");
    bench_must_or(BENCH_USAGE, p.contrast > 0, "--contrast 0: above 0");
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], p.n);
    }
    bench_processes_start(&argc, &argv, 1);
    p.comm = *(const MPI_Comm *)bench_processes.comm;
    options.cpus = cpus;
    options.comm = bench_processes.ranks > 1 ? bench_processes.comm : NULL;
    must(HYPRE_Init(), "start");
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], p.n);
        measure(&p, &options, &settings);
    }
    must(HYPRE_Finalize(), "end");
    bench_processes_end();
    return 0;
}
