/** @file dock.h  Rigid docking on a grid of cells: what cores and GPUs have in common, so that both find the same cells and
 *  poses bit by bit. C and C++ (CUDA) at once.
 *
 * A grid has n^3 cells, x the fastest, around the origin. Places are in angstrom.
 */
#ifndef BASE_DOCK_H
#define BASE_DOCK_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define BASE_DOCK_FUNCTION __host__ __device__ static inline
#else
#define BASE_DOCK_FUNCTION static inline
#endif

/** In angstrom: of an atom, and how thick the surface of the static molecule is. */
#define BASE_DOCK_RADIUS 1.8
#define BASE_DOCK_SURFACE 1.3
/** What a cell of the static molecule's core has. */
#define BASE_DOCK_CORE (-15)

/** Poses that are kept of each rotation. */
enum { BASE_DOCK_BEST = 3 };

/** A place in angstrom. */
typedef struct base_dock_atom {
    double at[3];
} base_dock_atom;

typedef struct base_dock_grid {
    size_t n;       /**< cells along each axis */
    double spacing; /**< of cells, in angstrom */
} base_dock_grid;

/** Three turns, one after the other: about z, y and z. Cosines and sines of the angles. */
typedef struct base_dock_turn {
    double cosine[3], sine[3];
} base_dock_turn;

/** A rotation and a shift of the mobile molecule, which are numbers. */
typedef struct base_dock_pose {
    int32_t score;
    int32_t rotation;
    int32_t cell; /**< (z n + y) n + x of the shift; more than half of n is negative */
} base_dock_pose;

BASE_DOCK_FUNCTION base_dock_atom base_dock_turned(const base_dock_turn *turn,
                                                   base_dock_atom atom) {
    for (int t = 0; t < 3; t++) {
        const int a = t == 1 ? 2 : 0, b = t == 1 ? 0 : 1;
        const double u = atom.at[a], v = atom.at[b];
        atom.at[a] = turn->cosine[t] * u - turn->sine[t] * v;
        atom.at[b] = turn->sine[t] * u + turn->cosine[t] * v;
    }
    return atom;
}

/** The middle of cell i along an axis. */
BASE_DOCK_FUNCTION double base_dock_middle(const base_dock_grid *grid, size_t i) {
    return ((double)i + .5 - .5 * (double)grid->n) * grid->spacing;
}

/** The cells [range[0], range[1]) along an axis may be in an atom at x. */
BASE_DOCK_FUNCTION void base_dock_range(const base_dock_grid *grid, double x, size_t range[2]) {
    const double half = .5 * (double)grid->n, last = (double)grid->n;
    const double low = floor((x - BASE_DOCK_RADIUS) / grid->spacing + half) - 1;
    const double high = ceil((x + BASE_DOCK_RADIUS) / grid->spacing + half) + 1;
    range[0] = (size_t)fmin(fmax(low, 0.), last);
    range[1] = (size_t)fmin(fmax(high, 0.), last);
}

/** Is a cell in an atom? @param[in] x, y, z  from the atom to the cell's middle */
BASE_DOCK_FUNCTION bool base_dock_covers(double x, double y, double z) {
    return x * x + y * y + z * z < BASE_DOCK_RADIUS * BASE_DOCK_RADIUS;
}

/** Is a cell with 0, or the outside, nearer to cell m than a surface is thick? Cells of the core are none with 0. */
BASE_DOCK_FUNCTION bool base_dock_at_surface(const base_dock_grid *grid, const float *cells,
                                             size_t m) {
    const long n = (long)grid->n, reach = (long)ceil(BASE_DOCK_SURFACE / grid->spacing);
    const double most = BASE_DOCK_SURFACE * BASE_DOCK_SURFACE / (grid->spacing * grid->spacing);
    const long at[3] = {(long)m % n, (long)m / n % n, (long)m / n / n};
    for (long k = -reach; k <= reach; k++) {
        for (long j = -reach; j <= reach; j++) {
            for (long i = -reach; i <= reach; i++) {
                const long x = at[0] + i, y = at[1] + j, z = at[2] + k;
                const bool outside = x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n;
                if ((double)(i * i + j * j + k * k) < most &&
                    (outside || cells[(z * n + y) * n + x] == 0)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/** What stands in a list where no pose is. */
BASE_DOCK_FUNCTION base_dock_pose base_dock_no_pose(void) {
    const base_dock_pose none = {INT32_MIN, INT32_MAX, INT32_MAX};
    return none;
}

BASE_DOCK_FUNCTION bool base_dock_before(const base_dock_pose *a, const base_dock_pose *b) {
    return a->score != b->score         ? a->score > b->score
           : a->rotation != b->rotation ? a->rotation < b->rotation
                                        : a->cell < b->cell;
}

/** Insert a pose into a list of the best ones, which has the highest score first, then the lowest rotation and cell. */
BASE_DOCK_FUNCTION void base_dock_insert(base_dock_pose *list, size_t count,
                                         const base_dock_pose *pose) {
    if (base_dock_before(pose, &list[count - 1])) {
        size_t m = count - 1;
        for (; m > 0 && base_dock_before(pose, &list[m - 1]); m--) {
            list[m] = list[m - 1];
        }
        list[m] = *pose;
    }
}

#endif
