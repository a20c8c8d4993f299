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
/** In angstrom: a charge is no nearer than this. The dielectric constant is NEAR up to the one distance and FAR from the other one on. */
#define BASE_DOCK_CLOSEST 2.
#define BASE_DOCK_NEAR_END 6.
#define BASE_DOCK_FAR_BEGIN 8.
#define BASE_DOCK_NEAR 4.
#define BASE_DOCK_FAR 80.

/** Poses that are kept of each rotation. */
enum { BASE_DOCK_BEST = 3 };

typedef struct base_dock_atom {
    double at[3];  /**< in angstrom */
    double charge; /**< in elementary charges */
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

/** The potential of a charge of 1, in e/(4 pi eps0 angstrom). The dielectric constant grows with the distance, as water is
 *  between charges that are far from each other. @param[in] square  of the distance in angstrom */
BASE_DOCK_FUNCTION double base_dock_potential(double square) {
    const double closest = BASE_DOCK_CLOSEST * BASE_DOCK_CLOSEST;
    const double r = sqrt(square > closest ? square : closest);
    const double slope =
        (BASE_DOCK_FAR - BASE_DOCK_NEAR) / (BASE_DOCK_FAR_BEGIN - BASE_DOCK_NEAR_END);
    const double between = BASE_DOCK_NEAR + slope * (r - BASE_DOCK_NEAR_END);
    const double most = between < BASE_DOCK_FAR ? between : BASE_DOCK_FAR;
    const double dielectric = most > BASE_DOCK_NEAR ? most : BASE_DOCK_NEAR;
    return 1 / (dielectric * r);
}

/** A charge is spread to the eight cells around it, the more the nearer their middles are (trilinear). The grid is periodic.
 *  @param[in] corner  which of them, from 0 to 7 @param[in] shift  of the cells @param[out] cell  its number @return what it gets */
BASE_DOCK_FUNCTION double base_dock_share(const base_dock_grid *grid, const base_dock_atom *atom,
                                          int corner, const long shift[3], size_t *cell) {
    const long n = (long)grid->n;
    double share = atom->charge;
    *cell = 0;
    for (int d = 2; d >= 0; d--) {
        const double x = atom->at[d] / grid->spacing + .5 * (double)n - .5, low = floor(x);
        const int high = corner >> d & 1;
        const long at = ((long)low + high + shift[d]) % n;
        share *= high ? x - low : 1 - (x - low);
        *cell = *cell * grid->n + (size_t)(at < 0 ? at + n : at);
    }
    return share;
}

/** The energy of a pose in e^2/(4 pi eps0 angstrom), without an FFT: a sum in the order of the atoms, so its bits are the same everywhere.
 *  @param[in] potential  [n][n][n], of the static molecule @param[in] atom  of the mobile one @param[in] cell  of the shift */
BASE_DOCK_FUNCTION double base_dock_energy(const base_dock_grid *grid, const float *potential,
                                           const base_dock_turn *turn, const base_dock_atom *atom,
                                           size_t atoms, size_t cell) {
    const size_t n = grid->n;
    const long shift[3] = {(long)(cell % n), (long)(cell / n % n), (long)(cell / n / n)};
    double energy = 0;
    for (size_t m = 0; m < atoms; m++) {
        const base_dock_atom turned = base_dock_turned(turn, atom[m]);
        for (int corner = 0; corner < 8 && turned.charge != 0; corner++) {
            size_t at = 0;
            const double share = base_dock_share(grid, &turned, corner, shift, &at);
            energy += share * (double)potential[at];
        }
    }
    return energy;
}

/** The energies of all shifts. Only a pose with a negative one counts. */
typedef struct base_dock_energies {
    const float *sums; /**< [n][n][n], by FFT and times n^3; NULL: every pose counts */
    double rounding;   /**< an energy by FFT is off by this at the most */
    const float *potential;
    const base_dock_atom *atom; /**< of the mobile molecule, before its turn */
    size_t atoms;
    base_dock_turn turn;
} base_dock_energies;

/** @return -1: the energy of a shift is negative; 1: it is not; 0: it is so near to 0 that its sum by FFT does not tell */
BASE_DOCK_FUNCTION int base_dock_sign(const base_dock_grid *grid, const base_dock_energies *e,
                                      size_t cell) {
    const double n = (double)grid->n;
    const double energy = e->sums != NULL ? (double)e->sums[cell] / (n * n * n) : -1;
    return e->sums == NULL || energy < -e->rounding ? -1 : energy <= e->rounding ? 0 : 1;
}

/** Is the energy of a shift negative, where its sum by FFT does not tell? The same on every core and GPU. */
BASE_DOCK_FUNCTION bool base_dock_negative(const base_dock_grid *grid, const base_dock_energies *e,
                                           size_t cell) {
    return base_dock_energy(grid, e->potential, &e->turn, e->atom, e->atoms, cell) < 0;
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
