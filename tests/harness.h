/** @file harness.h  What the tests of psg.h share: options, arrays of either precision, a solve in
 * double.
 *
 * None of these checks anything: a test checks what they return. Where one cannot return what its
 * name says, the program ends with words. */
#ifndef PSG_TESTS_HARNESS_H
#define PSG_TESTS_HARNESS_H

#include "graph/psg.h"
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/oracle/oracle.h"

/** Options of most tests: two CPU workers, no GPU, FFTW without a search and without a cache. The
 *  environment's PSG_TEST_CPUS and PSG_TEST_GPUS change the numbers of workers. Ends the program as
 *  skipped where there are fewer GPUs. */
psg_options harness_options(psg_precision precision);

/** Set options by name, all of which must be there: "cpus=2 record=yes policy=lws". */
void harness_set(psg_options *options, const char *text);
psg_options harness_with(psg_precision precision, const char *text);

/** The limit of what takes less than `seconds` on an idle machine: PSG_TEST_PATIENCE in the
 * environment times as long. */
unsigned harness_patience(unsigned seconds);

/** A plan that stays while a test makes many of the same workers, so that StarPU starts once, which
 * takes seconds with several GPUs. The caller destroys it; NULL: it could not be made, and the
 * others will say why. */
psg_plan *harness_anchor(const psg_options *options);

/** A plan, what its latest solve has to say, and the arguments that psg_solve() takes. */
#define harness_plan(grid, options) harness_plan_at(__FILE__, __LINE__, grid, options)
#define harness_statistics(plan) harness_statistics_at(__FILE__, __LINE__, plan)
#define harness_args(plan) harness_args_at(__FILE__, __LINE__, plan)
psg_plan *harness_plan_at(const char *file, int line, const psg_grid *grid,
                          const psg_options *options);
psg_statistics harness_statistics_at(const char *file, int line, const psg_plan *plan);
psg_solve_args harness_args_at(const char *file, int line, const psg_plan *plan);

/** Before the declaration of a plan: it is destroyed where its scope ends. */
#define DESTROYED AT_END(harness_destroy)

static inline void harness_destroy(psg_plan **plan) {
    psg_plan_destroy(*plan);
}

/** As psg_array_init() makes it: dense, in main memory. */
psg_array harness_view(void *data);

/** As psg_grid_init() makes it: periodic. */
psg_grid harness_box(size_t nx, size_t ny, size_t nz, double lx, double ly, double lz);

psg_grid harness_grid(const oracle_grid *grid);

/** What is on the sides of x, y and z, below and above, and where the points are: "DDn,PP,NDc" has
 * D for Dirichlet, N for Neumann, P for periodic, F for free, R for Robin, n for nodes, c or nothing
 * for cells. One pair stands for all axes. */
void harness_sides(psg_grid *grid, const char *sides);

const char *harness_precision_name(psg_precision precision);

/** The bound of the precision. */
double harness_tolerance(psg_precision precision, double f64, double f32);

size_t harness_element_bytes(psg_precision precision);

/** Zeroed; free() it. */
void *harness_array(psg_precision precision, size_t count);

void harness_store(psg_precision precision, size_t count, const double *from, void *to);
void harness_load(psg_precision precision, size_t count, const void *from, double *to);

/** Round f to the precision and back: what the library sees of it. */
void harness_round(psg_precision precision, size_t count, double *f);

/** psg_solve() with f and u in double, whatever the plan's precision. */
psg_status harness_solve(psg_plan *plan, psg_precision precision, size_t count, const double *f,
                         double *u);

/** Of a run that was recorded: its tasks and messages, and what waited for what. */
typedef struct harness_graph {
    psg_event *event;
    size_t events;
    psg_dependency *edge;
    size_t edges;
} harness_graph;

#define harness_graph_of(work) harness_graph_at(__FILE__, __LINE__, work)
harness_graph harness_graph_at(const char *file, int line, const psg_work *work);
void harness_graph_free(harness_graph *graph);

/** Does everything start after what it waits for has ended? On stderr: what does not. Clocks are
 *  read in steps of 1 us. */
int harness_graph_in_time(const harness_graph *graph);

/** The tasks of one name in the latest run, on cores and on GPUs; of all names where it is NULL. */
#define harness_tasks(work, name) harness_tasks_at(__FILE__, __LINE__, work, name)
size_t harness_tasks_at(const char *file, int line, const psg_work *work, const char *name);

/** The first "(i,j,k)" in the words. @return how many numbers were read, 3 for all */
int harness_coordinates(const char *words, size_t at[3]);

/** The variants of the graph that the tests go through. */
typedef struct harness_variant {
    const char *name;
    psg_graph graph;
    psg_z_layout z_layout;
} harness_variant;

#define HARNESS_VARIANTS 3
extern const harness_variant harness_variants[HARNESS_VARIANTS];

void harness_set_variant(psg_options *options, const harness_variant *variant);

#endif
