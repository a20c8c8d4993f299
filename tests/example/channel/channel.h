/* A flow between two walls on a staggered grid: what channel.c does and runs.c calls.
 *
 * x and y are periodic (in a cavity x has walls), z is between walls, with cells that are thin
 * at the walls. Velocities are on the upper faces of cells (Harlow and Welch, Phys. Fluids 8,
 * 1965), v[0] along x. Lengths are in halves of the height. */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <float.h>
#include <math.h>
#include <psg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL double
#endif
typedef REAL real;

static const double pi = 3.14159265358979323846;

typedef struct flow {
    size_t n[3];      /* cells along x, y, z */
    size_t step[3];   /* elements from a cell to the next: arrays have a ghost cell on each side */
    double *face;     /* [nz + 1], of z */
    double *width[3]; /* [n + 2] of cells 0 .. n + 1; a ghost is as wide as its neighbour */
    double *gap[3];   /* [n + 1], from the middle of cell m to that of cell m + 1 */
    bool wall[3], slip;
    double nu, force, lid; /* force along x; speed of the upper wall along x */
    double flux;           /* mean speed along x that is kept in place of a force, or 0 */
    real *v[3], *rate[3], *before[3], *u;
    psg_plan *plan;
} flow;

/** End the program with words. */
static inline void fail(const char *words) {
    fprintf(stderr, "channel: %s\n", words);
    exit(2);
}

/** Memory with zeros in it. */
static inline void *memory(size_t count, size_t size) {
    void *made = calloc(count, size);
    if (!made) {
        fail("no memory");
    }
    return made;
}

/** The element of cell (i,j,k), each counted from 1. */
static inline size_t at(const flow *f, size_t i, size_t j, size_t k) {
    return i + j * f->step[1] + k * f->step[2];
}

/** The last cell of component c along axis a whose flow is sought: none goes through an upper
 *  wall. */
static inline size_t last(const flow *f, int c, int a) {
    return f->n[a] - (a == c && f->wall[a] ? 1 : 0);
}

/** A flow at rest on n[] cells in a box of length[], and its plan. end() frees both. Cells of z
 *  are tanh-spaced: stretch 0 makes them uniform, 2 the middle ones 14 times as thick as those
 *  at walls. wall_x: x has walls, too. */
void begin(flow *f, const size_t n[3], const double length[3], double stretch, bool wall_x);
void end(flow *f);

/** Fill ghost cells, after a change of v, wall speeds or slip. */
void all_ghosts(const flow *f);

/** rate = - div(v v) + nu lap(v) + force. */
void make_rates(flow *f);

/** Take the divergence out of v, and fill ghost cells. */
void project(flow *f);

/** One time step: three stages, each with a projection. */
void take_step(flow *f, double dt);

/** The longest stable time step, less a tenth. */
double longest_step(const flow *f);

/** The largest divergence of a cell over that which one last digit of max|v| makes in the
 *  thinnest cell. */
double divergence(const flow *f);

/** The mean of component c in plane k. */
double plane_mean(const flow *f, int c, size_t k);

/** The mean speed along x. */
double mean_speed(const flow *f);

/** The integral of v . w over the box, w in arrays like v. */
double product(const flow *f, real *const w[3]);

#endif
