/** @file cells.h  Rigid docking on a grid of cells: how well one molecule fits another one, in all
 * rotations and shifts. Cores and GPUs find the same cells and poses bit by bit.
 *
 *  Katchalski-Katzir and others, PNAS 89 (1992) 2195.
 *
 * A grid has n^3 cells, x the fastest, around the origin. Places are in angstrom.
 */
#ifndef WORKLOADS_DOCK_CELLS_H
#define WORKLOADS_DOCK_CELLS_H

#include "cpu/ops.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef WORKLOADS_CUDA
#include "kernels/common.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __CUDACC__
#define DOCK_FUNCTION __host__ __device__ static inline
#else
#define DOCK_FUNCTION static inline
#endif

/** In angstrom: of an atom, and how thick the surface of the static molecule is. */
#define DOCK_RADIUS 1.8
#define DOCK_SURFACE 1.3
/** What a cell of the static molecule's core has. */
#define DOCK_CORE (-15)
/** In angstrom: a charge is no nearer than this. The dielectric constant is NEAR up to the one
 * distance and FAR from the other one on. */
#define DOCK_CLOSEST 2.
#define DOCK_NEAR_END 6.
#define DOCK_FAR_BEGIN 8.
#define DOCK_NEAR 4.
#define DOCK_FAR 80.

/** Poses that are kept of each rotation. */
enum { DOCK_KEPT = 3 };

typedef struct dock_atom {
    double at[3];  /**< in angstrom */
    double charge; /**< in elementary charges */
} dock_atom;

typedef struct dock_grid {
    size_t n;       /**< cells along each axis */
    double spacing; /**< of cells, in angstrom */
} dock_grid;

/** Three turns, one after the other: about z, y and z. Cosines and sines of the angles. */
typedef struct dock_turn {
    double cosine[3], sine[3];
} dock_turn;

/** A rotation and a shift of the mobile molecule, which are numbers. */
typedef struct dock_candidate {
    int32_t score;
    int32_t rotation;
    int32_t cell; /**< (z n + y) n + x of the shift; more than half of n is negative */
} dock_candidate;

DOCK_FUNCTION dock_atom dock_turned(const dock_turn *turn, dock_atom atom) {
    for (int t = 0; t < 3; t++) {
        const int a = t == 1 ? 2 : 0, b = t == 1 ? 0 : 1;
        const double u = atom.at[a], v = atom.at[b];
        atom.at[a] = turn->cosine[t] * u - turn->sine[t] * v;
        atom.at[b] = turn->sine[t] * u + turn->cosine[t] * v;
    }
    return atom;
}

/** The middle of cell i along an axis. */
DOCK_FUNCTION double dock_middle(const dock_grid *grid, size_t i) {
    return ((double)i + .5 - .5 * (double)grid->n) * grid->spacing;
}

/** The cells [range[0], range[1]) along an axis may be in an atom at x. */
DOCK_FUNCTION void dock_range(const dock_grid *grid, double x, size_t range[2]) {
    const double half = .5 * (double)grid->n, last = (double)grid->n;
    const double low = floor((x - DOCK_RADIUS) / grid->spacing + half) - 1;
    const double high = ceil((x + DOCK_RADIUS) / grid->spacing + half) + 1;
    range[0] = (size_t)fmin(fmax(low, 0.), last);
    range[1] = (size_t)fmin(fmax(high, 0.), last);
}

/** Is a cell in an atom? @param[in] x, y, z  from the atom to the cell's middle */
DOCK_FUNCTION bool dock_covers(double x, double y, double z) {
    return x * x + y * y + z * z < DOCK_RADIUS * DOCK_RADIUS;
}

/** Is a cell with 0, or the outside, nearer to cell m than a surface is thick? Cells of the core
 * are none with 0. */
DOCK_FUNCTION bool dock_at_surface(const dock_grid *grid, const float *cells, size_t m) {
    const long n = (long)grid->n, reach = (long)ceil(DOCK_SURFACE / grid->spacing);
    const double most = DOCK_SURFACE * DOCK_SURFACE / (grid->spacing * grid->spacing);
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

/** The potential of a charge of 1, in e/(4 pi eps0 angstrom). The dielectric constant grows with
 * the distance, as water is between charges that are far from each other. @param[in] square  of the
 * distance in angstrom */
DOCK_FUNCTION double dock_potential(double square) {
    const double closest = DOCK_CLOSEST * DOCK_CLOSEST;
    const double r = sqrt(square > closest ? square : closest);
    const double slope = (DOCK_FAR - DOCK_NEAR) / (DOCK_FAR_BEGIN - DOCK_NEAR_END);
    const double between = DOCK_NEAR + slope * (r - DOCK_NEAR_END);
    const double most = between < DOCK_FAR ? between : DOCK_FAR;
    const double dielectric = most > DOCK_NEAR ? most : DOCK_NEAR;
    return 1 / (dielectric * r);
}

/** A charge is spread to the eight cells around it, the more the nearer their middles are
 * (trilinear). The grid is periodic.
 *  @param[in] corner  which of them, from 0 to 7 @param[in] shift  of the cells @param[out] cell
 * its number @return what it gets */
DOCK_FUNCTION double dock_share(const dock_grid *grid, const dock_atom *atom, int corner,
                                const long shift[3], size_t *cell) {
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

/** The energy of a pose in e^2/(4 pi eps0 angstrom), without an FFT: a sum in the order of the
 * atoms, so its bits are the same everywhere.
 *  @param[in] potential  [n][n][n], of the static molecule @param[in] atom  of the mobile one
 * @param[in] cell  of the shift */
DOCK_FUNCTION double dock_energy(const dock_grid *grid, const float *potential,
                                 const dock_turn *turn, const dock_atom *atom, size_t atoms,
                                 size_t cell) {
    const size_t n = grid->n;
    const long shift[3] = {(long)(cell % n), (long)(cell / n % n), (long)(cell / n / n)};
    double energy = 0;
    for (size_t m = 0; m < atoms; m++) {
        const dock_atom turned = dock_turned(turn, atom[m]);
        for (int corner = 0; corner < 8 && turned.charge != 0; corner++) {
            size_t at = 0;
            const double share = dock_share(grid, &turned, corner, shift, &at);
            energy += share * (double)potential[at];
        }
    }
    return energy;
}

/** The energies of all shifts. Only a pose with a negative one counts. */
typedef struct dock_energies {
    const float *sums; /**< [n][n][n], by FFT and times n^3; NULL: every pose counts */
    double rounding;   /**< an energy by FFT is off by this at the most */
    const float *potential;
    const dock_atom *atom; /**< of the mobile molecule, before its turn */
    size_t atoms;
    dock_turn turn;
} dock_energies;

/** @return -1: the energy of a shift is negative; 1: it is not; 0: it is so near to 0 that its sum
 * by FFT does not tell */
DOCK_FUNCTION int dock_sign(const dock_grid *grid, const dock_energies *e, size_t cell) {
    const double n = (double)grid->n;
    const double energy = e->sums != NULL ? (double)e->sums[cell] / (n * n * n) : -1;
    return e->sums == NULL || energy < -e->rounding ? -1 : energy <= e->rounding ? 0 : 1;
}

/** Is the energy of a shift negative, where its sum by FFT does not tell? The same on every core
 * and GPU. */
DOCK_FUNCTION bool dock_negative(const dock_grid *grid, const dock_energies *e, size_t cell) {
    return dock_energy(grid, e->potential, &e->turn, e->atom, e->atoms, cell) < 0;
}

/** What stands in a list where no pose is. */
DOCK_FUNCTION dock_candidate dock_no_pose(void) {
    const dock_candidate none = {INT32_MIN, INT32_MAX, INT32_MAX};
    return none;
}

DOCK_FUNCTION bool dock_before(const dock_candidate *a, const dock_candidate *b) {
    return a->score != b->score         ? a->score > b->score
           : a->rotation != b->rotation ? a->rotation < b->rotation
                                        : a->cell < b->cell;
}

/** Insert a pose into a list of the best ones, which has the highest score first, then the lowest
 * rotation and cell. */
DOCK_FUNCTION void dock_insert(dock_candidate *list, size_t count, const dock_candidate *pose) {
    if (dock_before(pose, &list[count - 1])) {
        size_t m = count - 1;
        for (; m > 0 && dock_before(pose, &list[m - 1]); m--) {
            list[m] = list[m - 1];
        }
        list[m] = *pose;
    }
}

/* ----------------------------------------------------------------------------- on a core, cells.c
 */

typedef struct dock_molecule {
    const dock_atom *atom;
    size_t atoms;
} dock_molecule;

/** Rz(phi) Ry(theta) Rz(twist), in degrees. */
typedef struct dock_rotation {
    unsigned twist, theta, phi;
} dock_rotation;

/** Rotations that are about `step` degrees apart. @param[in] step  divides 180 @param[out] list
 * NULL: only count
 *  @return how many there are */
size_t dock_cpu_rotations(unsigned step, dock_rotation *list);
dock_turn dock_cpu_turn(const dock_rotation *rotation, bool back);

/** The mobile molecule: 1 in cells less than 1.8 angstrom from an atom, else 0. @param[out] cells
 * [n][n][n] */
void dock_cpu_mobile(const dock_grid *grid, const dock_molecule *molecule,
                     const dock_rotation *rotation, float *cells);
/** The static one: the same, but -15 where no cell with 0, or outside the grid, is nearer than 1.3
 * angstrom. */
void dock_cpu_static(const dock_grid *grid, const dock_molecule *molecule, float *cells);

/** The potential of the static molecule; 0 in its core. @param[in] cells  of dock_cpu_static()
 * @param[out] potential  [n][n][n] */
void dock_cpu_potential(const dock_grid *grid, const dock_molecule *molecule, const float *cells,
                        float *potential);
/** The charges of the mobile molecule, each spread to eight cells. @param[out] charges  [n][n][n]
 */
void dock_cpu_charges(const dock_grid *grid, const dock_molecule *molecule,
                      const dock_rotation *rotation, float *charges);

/** cells -> spectrum, complex [n][n][n/2 + 1]. @param[in] fft  of the grid, in f32, periodic */
void dock_cpu_transform(const psg_cpu_fft *fft, size_t n, const float *cells, void *spectrum,
                        void *scratch);
/** cells -> the sum of S(x) cells(x - d) for each shift d, times n^3; in place.
 *  @param[in]  fixed     the spectrum of S
 *  @param[out] spectrum  complex [n][n][n/2 + 1], aligned to 64
 *  @param[out] scratch   psg_cpu_ops.fft_scratch_bytes, aligned to 64 */
void dock_cpu_correlate(const psg_cpu_fft *fft, size_t n, const void *fixed, float *cells,
                        void *spectrum, void *scratch);

/** No pose. */
void dock_cpu_clear(dock_candidate *list, size_t count);
/** The best poses of a rotation. @param[in] sums  as dock_cpu_correlate() has them */
void dock_cpu_best(const dock_grid *grid, const float *sums, const dock_energies *energies,
                   int32_t rotation, dock_candidate best[DOCK_KEPT]);

/* ------------------------------------------------------------------------------ on a GPU, dock.cu
 */

/* Codes are those of psg_cuda_error_string(). What is launched stands on the stream of the
 * dock_cuda. FFTs are in f32. */
#ifdef WORKLOADS_CUDA
/** FFTs of a grid of n^3 cells, a spectrum and what they work in, on one stream of one GPU. */
typedef struct dock_cuda dock_cuda;

/** For the current device. @param[out] dock  NULL after a failure @return 0, or a code */
int dock_cuda_create(dock_cuda **dock, size_t n, cudaStream_t stream);
/** NULL is fine. */
void dock_cuda_destroy(dock_cuda *dock);

/** The mobile molecule: 1 in cells less than 1.8 angstrom from an atom, else 0. @param[out] cells_d
 * [n][n][n] */
int dock_cuda_mobile(dock_cuda *dock, const dock_grid *grid, const dock_turn *turn,
                     const dock_atom *atom_d, size_t atoms, float *cells_d);
/** Its charges, each spread to eight cells; the order of sums is another one each time. @param[out]
 * charges_d  [n][n][n] */
int dock_cuda_charges(dock_cuda *dock, const dock_grid *grid, const dock_turn *turn,
                      const dock_atom *atom_d, size_t atoms, float *charges_d);
/** The spectrum of the static molecule, and an empty list. @param[out] spectrum_d  complex
 * [n][n][n/2 + 1] */
int dock_cuda_static(dock_cuda *dock, const dock_grid *grid, const dock_atom *atom_d, size_t atoms,
                     void *spectrum_d, dock_candidate *list_d, size_t count);
/** Directly after it: the potential of the static molecule, with the bits of a core's.
 *  @param[out] potential_d  [n][n][n] @param[out] spectrum_d  of the potential, complex [n][n][n/2
 * + 1] */
int dock_cuda_potential(dock_cuda *dock, const dock_grid *grid, const dock_atom *atom_d,
                        size_t atoms, float *potential_d, void *spectrum_d);
/** cells -> the sum of S(x) cells(x - d) for each shift d, times n^3; in place. @param[in] fixed_d
 * the spectrum of S */
int dock_cuda_correlate(dock_cuda *dock, const void *fixed_d, float *cells_d);
/** The best poses of a rotation. @param[in] energies_d  its arrays are on the GPU @param[out]
 * best_d  [DOCK_KEPT] */
int dock_cuda_best(dock_cuda *dock, const dock_grid *grid, const float *sums_d,
                   const dock_energies *energies_d, int32_t rotation, dock_candidate *best_d);
/** Insert poses into a list of the best ones. */
int dock_cuda_merge(dock_cuda *dock, const dock_candidate *poses_d, size_t poses,
                    dock_candidate *list_d, size_t count);
#endif

#ifdef __cplusplus
}
#endif
#endif
