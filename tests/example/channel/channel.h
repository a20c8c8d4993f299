/* A flow between two walls on a staggered grid: what channel.c does and runs.c calls. cores.c has
 * the loops over cells for cores, and gpu.cu for a GPU; a program has one of them.
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
#include <string.h>

#ifndef REAL
#define REAL double
#endif
typedef REAL real;

static const double pi = 3.14159265358979323846;

/** What a cell of component c takes through its faces along an axis: low and high are the shares of
 *  the carrier in the cell and in the next one along c, half is 0.5 over the cell's extent, above
 *  and below are friction. */
typedef struct passage {
    real low, high, half, above, below;
} passage;

enum { NUMBERS = 5 }; /* of a plane, at most */

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
    passage (*through)[3][3];  /* [nz + 1][component][axis]: cells of a plane are alike */
    double (*planes)[NUMBERS]; /* [nz], of the last plane_numbers() */
    psg_plan *plan;
} flow;

/** Numbers of planes. */
typedef enum quantity {
    SPEED,     /* sum of v[0] */
    SQUARES,   /* sums of u, u u, v v, w w, u w in the middle of cells */
    PRODUCT,   /* sum of v . w times the height of cells */
    LARGEST,   /* of the three components */
    DIVERGENCE /* the largest one, and the largest component */
} quantity;

/** What each_cell() does. */
typedef enum work {
    RATES,   /* rate = - div(v v) + nu lap(v) + force */
    ADVANCE, /* v += now rate + then before */
    FASTER   /* v[0] += now */
} work;

/** End the program with words. */
static inline void fail(const char *words) {
    fprintf(stderr, "channel: %s\n", words);
    exit(2);
}

/** A flow at rest on n[] cells in a box of length[], and its plan. end() frees both. Cells of z
 *  are tanh-spaced: stretch 0 makes them uniform, 2 the middle ones 14 times as thick as those
 *  at walls. wall_x: x has walls, too. nu is the viscosity. */
void begin(flow *f, const size_t n[3], const double length[3], double stretch, bool wall_x,
           double nu);
void end(flow *f);

/** Take the divergence out of v, and fill ghost cells. */
void project(flow *f);

/** One time step: three stages, each with a projection. */
void take_step(flow *f, double dt);

/** The longest stable time step, less a tenth. */
double longest_step(const flow *f);

/** The largest divergence of a cell over that which one last digit of max|v| makes in the
 *  thinnest cell. */
double divergence(const flow *f);

/** The mean of v[0] in plane k. */
double plane_mean(const flow *f, size_t k);

/** The mean speed along x. */
double mean_speed(const flow *f);

/** The integral of v . w over the box, w in arrays like v. */
double product(const flow *f, real *const w[3]);

/* In cores.c and gpu.cu: */
#ifdef __cplusplus
extern "C" {
#endif

/** psg_array.device of twins. */
int place(void);

/** Memory with zeros in it. On a GPU it has a twin there. */
void *memory(size_t count, size_t size);
void release(void *made);

/** The twin, which the loops and psg work on; on cores the memory itself. */
void *twin(void *made);

/** Copy memory to its twin, after the host has written it; and back, before the host reads it. */
void to_twin(void *made);
void from_twin(void *made);

/** Fill ghost cells, after a change of v, wall speeds or slip. */
void all_ghosts(const flow *f);

/** Work in all cells whose flow is sought. */
void each_cell(const flow *f, work what, double now, double then);

/** f->planes = what of each plane; w is for PRODUCT, else NULL. */
void plane_numbers(const flow *f, quantity what, real *const w[3]);

#ifdef __cplusplus
}
#endif

#endif
