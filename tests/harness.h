/** @file harness.h  What the tests of psg.h share: options, arrays of either precision, a solve in
 * double.
 *
 * None of these checks anything: a test checks what they
 * return. */
#ifndef PSG_TESTS_HARNESS_H
#define PSG_TESTS_HARNESS_H

#include "graph/psg.h"
#include "tests/oracle/oracle.h"

/** Options of most tests: two CPU workers, no GPU, FFTW without a search and without a cache. The
 *  environment's PSG_TEST_CPUS and PSG_TEST_GPUS change the numbers of workers. Ends the program as
 *  skipped where there are fewer GPUs. */
psg_options harness_options(psg_precision precision);

/** The limit of what takes less than `seconds` on an idle machine: PSG_TEST_PATIENCE in the
 * environment times as long. */
unsigned harness_patience(unsigned seconds);

/** A plan that stays while a test makes many of the same workers, so that StarPU starts once, which
 * takes seconds with several GPUs. The caller destroys it; NULL: it could not be made, and the
 * others will say why. */
psg_plan *harness_anchor(const psg_options *options);

psg_grid harness_grid(const oracle_grid *grid);

/** What is on the sides of x, y and z, below and above, and where the points are: "DDn,PP,NDc" has
 * D for Dirichlet, N for Neumann, P for periodic, n for nodes, c or nothing for cells. One pair
 * stands for all axes. */
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

/** The first "(i,j,k)" in the words. @return how many numbers were read, 3 for all */
int harness_coordinates(const char *words, size_t at[3]);

/** The variants of the graph that the tests go through. */
typedef struct harness_variant {
    const char *name;
    psg_graph graph;
    psg_z_layout z_layout;
    int normalize;
} harness_variant;

#define HARNESS_VARIANTS 3
extern const harness_variant harness_variants[HARNESS_VARIANTS];

void harness_set_variant(psg_options *options, const harness_variant *variant);

#endif
