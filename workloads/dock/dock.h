/** @file dock.h  Workload dock: of molecules of your own, and what its files share. */
#ifndef WORKLOADS_DOCK_DOCK_H
#define WORKLOADS_DOCK_DOCK_H

#include "workloads/dock/cells.h"
#include "workloads/workload.h"

/** Two molecules to dock: how a mobile one fits a static one, in all rotations and shifts on a
 * grid. */
typedef struct dock_molecules {
    const double *fixed, *mobile; /**< [atoms][3], in angstrom */
    size_t fixed_atoms, mobile_atoms;
    unsigned angle; /**< degrees between rotations, which divide 180 */
    double spacing; /**< of cells, in angstrom, below 1.3: the surface of a molecule is as thick */
    size_t poses;   /**< to keep; at most 3 for each rotation */
    const double *fixed_charges;  /**< [atoms], in elementary charges; NULL: no electrostatics */
    const double *mobile_charges; /**< the same. With both, only poses of negative energy count */
} dock_molecules;

/** Workload dock of these molecules. The grid has room for all shifts at which they touch.
 * workload_check() then compares the scores with sums over the cells, and energies with sums over
 * pairs of atoms.
 *  @param[in] molecules  not kept
 *  @return as workload_create(); PSG_ERR_ARG: no atoms, a NaN, an angle, a spacing or poses that
 * cannot be, a grid that is too large, cells so small that f32 has no exact scores, charges of one
 * molecule alone, all of them 0, or one beyond -100 and 100 */
psg_status dock_create(workload **w, const dock_molecules *molecules, const workload_options *how,
                       const psg_options *options);

/** Where a mobile molecule fits. Atom a goes to Rz(phi) Ry(theta) Rz(twist) (a - m) + s + at: m is
 * the mean of the atoms of the mobile molecule, s that of the static one. */
typedef struct dock_pose {
    unsigned twist, theta, phi; /**< degrees */
    long shift[3];              /**< in cells */
    double at[3];               /**< the same in angstrom */
    long score;    /**< cells of the mobile molecule on the surface, less 15 for each in the core */
    double energy; /**< of its charges in the potential of the static one; 0 without charges. The
                      unit is e^2/(4 pi eps0 angstrom), 332 kcal/mol */
} dock_pose;

/** The best poses of the latest run, the best first. Of several processes the first one has them,
 * and the others none. A simulation has none.
 *  @return PSG_OK; PSG_ERR_ARG: another work, or a NULL; PSG_ERR_STATE: nothing has run;
 * PSG_ERR_RUNTIME */
psg_status dock_poses(const workload *w, dock_pose *poses, size_t capacity, size_t *count);

/* ------------------------------------------------------------------------------ for its own files
 */

typedef struct dock_problem {
    workload_head head;
    dock_grid grid;
    dock_molecule molecule[2]; /**< static and mobile */
    dock_rotation *rotation;   /**< [rotations] */
    size_t rotations;
    size_t list;  /**< poses that are kept of all rotations */
    size_t batch; /**< rotations of a task; of the last one fewer, perhaps */
    size_t grids; /**< of a rotation, one after the other: cells, and charges if atoms have them */
    double rounding;  /**< dock_energies.rounding */
    psg_cpu_fft *fft; /**< of the grid */
    void **scratch;   /**< by StarPU worker number: a spectrum, and psg_cpu_ops.fft_scratch_bytes */
    size_t spectrum_bytes; /**< of one grid, rounded up to 64; the static molecule has `grids` of
                              them */
    const dock_molecules *given; /**< until they are copied; NULL: the test molecules */
    bool known;                  /**< of the answer more than the scores */
    unsigned angle;
    size_t buffers; /**< arrays of cells */
    dock_atom *atom[2];
    dock_candidate *best; /**< [list] */
    void *fixed;          /**< memory of the spectra */
    float *field;         /**< memory of the potential; NULL: no electrostatics */
    psg_data atoms[2];    /**< static and mobile */
    psg_data spectrum, merged, potential;
    psg_data *cells; /**< [buffers] */
    psg_data *poses; /**< [batches], and in the first process the lists of the others */
} dock_problem;

static inline size_t dock_cells(const dock_problem *d) {
    return d->grid.n * d->grid.n * d->grid.n;
}

static inline size_t dock_batches(const dock_problem *d) {
    return (d->rotations - 1) / d->batch + 1;
}

/** Rotations of batch b. The lists of other processes have numbers after those of batches, and no
 * rotations. */
static inline size_t dock_count(const dock_problem *d, size_t b) {
    return b < dock_batches(d) ? workload_extent(d->rotations, d->batch, b) : 0;
}

/** Poses that are merged with number b. */
static inline size_t dock_merged(const dock_problem *d, size_t b) {
    return b < dock_batches(d) ? dock_count(d, b) * DOCK_KEPT : d->list;
}

/* The tasks, tasks.c */
enum { DOCK_STATIC, DOCK_VOXEL, DOCK_CORRELATE, DOCK_BEST, DOCK_MERGE, DOCK_KINDS };
extern const psg_kind dock_kinds[DOCK_KINDS];
extern int dock_first_kind;

/** Submit all tasks of a run. */
void dock_submit(psg_run *run, const void *problem);

/** FFTs of the grid on a GPU: see workload_row. */
int dock_gpu_make(void **state, const void *problem);
void dock_gpu_destroy(void *state, const void *problem);

/* The molecules, molecules.c */

/** The test molecules: atoms on a shaken lattice in a ball that a wavy surface cuts in two. The
 * parts fit each other where they were. The static part is positive on the side of x > 0, and the
 * mobile one on the other side.
 *  @param[out] atom  of the static part, and of the mobile one; NULL: only count
 *  @param[out] count  of both */
void dock_cut_ball(dock_atom *const atom[2], size_t count[2]);

/** @param[in] at  [atoms][stride], places first @param[out] mean  of the atoms @return the radius
 * about it; NaN: an atom is nowhere */
double dock_radius(const double *at, size_t stride, size_t atoms, double mean[3]);

/** Move the mean of the atoms to the origin. @return the radius about it */
double dock_centre(dock_atom *atom, size_t atoms);

/** An energy by FFT in f32 is off by this at the most. @param[in] atom  of the static molecule, and
 * of the mobile one */
double dock_rounding(dock_atom *const atom[2], const size_t count[2], double spacing);

/* Is it right? check.c */

/** Compare the poses of the list with sums over cells and atoms.
 *  @return how many have another score or energy, or an energy that is not negative; -1: no memory
 */
int dock_differing(const dock_problem *d);

#endif
