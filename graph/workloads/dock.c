/* dock: rigid docking of two molecules. A batch of rotations of the mobile one goes through four tasks, independent of
 * other batches, and its best poses are merged into one list.
 *
 *   dock_static ----------------------+-> spectrum, list, potential
 *   dock_voxel(b) -> cells(b) -> dock_correlate(b) -> dock_best(b) -> poses(b) -> dock_merge(b) -> list
 *
 * Scores are whole numbers, so rounding makes them exact, and ties have an order. Batches share a few arrays of cells. Where atoms
 * have charges, these go the same way as cells do, and dock_best leaves out the poses whose energy is not negative. An energy by
 * FFT that is too near to 0 to tell is added up anew, in f64 and in the order of the atoms, so every worker finds the same poses.
 */
#include "codelets/workloads/dock.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "graph/block.h"
#include "graph/start.h"
#include "graph/status.h"
#include "graph/workloads/dock.h"
#include "graph/workloads/row.h"
#include "runtime/simulation.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_N = 64, MOST_N = 512, ANGLE = 30, BATCH = 8, LIST = 32, MOST_CELLS = 1024 };
enum { MOST_CHARGE = 100 }; /* of an atom */
static const char sizes[] =
    "N[:ANGLE][:electrostatics]: N^3 cells, N from 64 to 512; degrees between rotations, which "
    "divide 180; only poses of negative energy";
static const double pi = 3.14159265358979323846;

/* Where the mobile molecule is from, and what is known of N = 64 and 30 degrees, computed apart from this program: without
 * electrostatics, and with them. */
static const psg_cpu_dock_rotation planted = {300, 90, 330};
static const struct known {
    double shift[3], score, next_rotation, next_score, energy;
} known[2] = {{{-1, 0, 10}, 664, 298, 328, 0}, {{-1, 0, 10}, 664, 298, 311, -23.8405401012}};

typedef struct problem {
    psg_dock dock; /* what its tasks see: first, as the problem is the owner of the engine */
    const psg_dock_molecules *given; /* until they are copied; NULL: the test molecules */
    bool known;                      /* of the answer more than the scores */
    unsigned angle;
    size_t buffers; /* arrays of cells */
    base_dock_atom *atom[2];
    psg_cpu_dock_rotation *rotation;
    base_dock_pose *list;          /* [dock.list] */
    void *fixed;                   /* memory of the spectra */
    float *field;                  /* memory of the potential; NULL: no electrostatics */
    starpu_data_handle_t atoms[2]; /* static and mobile */
    starpu_data_handle_t spectrum, merged, potential;
    starpu_data_handle_t *cells; /* [buffers] */
    starpu_data_handle_t *poses; /* [batches] */
    void **memory;               /* [buffers]: of cells */
} problem;

/* ------------------------------------------------------------------------------------ the size */

/* @return where the number ends; NULL: there is none */
static const char *read_number(const char *text, unsigned long *number) {
    char *end = NULL;
    *number = isdigit((unsigned char)text[0]) ? strtoul(text, &end, 10) : 0;
    return end;
}

static size_t cells_bytes(const psg_dock *d) {
    return d->grid.n * d->grid.n * d->grid.n * sizeof(float);
}

/* What a size and molecules have in common. @param[in] name  for messages */
static psg_status cut(problem *p, const char *name, size_t n, unsigned angle, bool electrostatics,
                      const psg_work_options *how) {
    psg_dock *d = &p->dock;
    p->angle = angle;
    d->grid.n = n;
    d->rotations = psg_cpu_dock_rotations(angle, NULL);
    d->grids = electrostatics ? 2 : 1;
    const size_t countable = PSG_BLOCK_MOST / (n * n * n * d->grids);
    const size_t most = countable < d->rotations ? countable : d->rotations;
    if (how->tile > most) {
        return psg_fail(PSG_ERR_ARG, "tile = %zu: %s has batches of T rotations, T from 1 to %zu",
                        how->tile, name, most);
    }
    d->batch = how->tile > 0 ? how->tile : BATCH < most ? BATCH : most;
    d->by_path = how->priority == PSG_PRIORITY_PATH;
    d->spectrum_bytes = (n * n * (n / 2 + 1) * 2 * sizeof(float) + 63) / 64 * 64;
    return PSG_OK;
}

static bool divides_180(unsigned long angle) {
    return angle > 0 && angle <= 180 && 180 % angle == 0;
}

static psg_status parse(void *memory, const char *size, const psg_work_options *how,
                        psg_precision precision) {
    problem *p = memory;
    char name[64];
    unsigned long n = 0, angle = ANGLE;
    const char *rest = read_number(size, &n);
    (void)precision; /* the scores are exact in f32 */
    if (rest != NULL && rest[0] == ':' && isdigit((unsigned char)rest[1])) {
        rest = read_number(rest + 1, &angle);
    }
    const bool electrostatics = rest != NULL && strcmp(rest, ":electrostatics") == 0;
    rest = electrostatics ? "" : rest;
    if (rest == NULL || rest[0] != '\0' || n < LEAST_N || n > MOST_N || !divides_180(angle)) {
        return psg_fail(PSG_ERR_ARG, "dock:%s: the size is %s", size, sizes);
    }
    p->known = true;
    p->dock.list = LIST;
    (void)snprintf(name, sizeof name, "dock:%s", size);
    return cut(p, name, n, (unsigned)angle, electrostatics, how);
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "%zu rotations by %u degrees on %zu^3 cells%s, in batches of %zu",
                   p->dock.rotations, p->angle, p->dock.grid.n,
                   p->dock.grids > 1 ? " with electrostatics" : "", p->dock.batch);
}

/* --------------------------------------------------------------------------- the molecules */

/* @param[in] charge  NULL: the atoms have none */
static void copy_atoms(base_dock_atom *atom, const double *at, const double *charge, size_t atoms) {
    for (size_t m = 0; m < atoms; m++) {
        memcpy(atom[m].at, at + 3 * m, sizeof atom[m].at);
        atom[m].charge = charge != NULL ? charge[m] : 0;
    }
}

static bool make_molecules(problem *p) {
    psg_dock *d = &p->dock;
    const psg_dock_molecules *g = p->given;
    size_t count[2];
    if (g != NULL) {
        count[0] = g->fixed_atoms;
        count[1] = g->mobile_atoms;
    } else {
        psg_dock_cut_ball((base_dock_atom *const[2]){NULL, NULL}, count);
    }
    for (int part = 0; part < 2; part++) {
        p->atom[part] = calloc(count[part], sizeof *p->atom[part]);
    }
    if (p->atom[0] == NULL || p->atom[1] == NULL) {
        return false;
    }
    if (g != NULL) {
        copy_atoms(p->atom[0], g->fixed, g->fixed_charges, count[0]);
        copy_atoms(p->atom[1], g->mobile, g->mobile_charges, count[1]);
    } else {
        psg_dock_cut_ball(p->atom, count);
    }
    const double radii =
        psg_dock_centre(p->atom[0], count[0]) + psg_dock_centre(p->atom[1], count[1]);
    const base_dock_turn back = psg_cpu_dock_turn(&planted, true);
    for (size_t m = 0; g == NULL && m < count[1]; m++) {
        p->atom[1][m] = base_dock_turned(&back, p->atom[1][m]);
    }
    for (int part = 0; part < 2; part++) {
        const size_t n[3] = {count[part], 1, 1};
        d->molecule[part] = (psg_cpu_dock_molecule){p->atom[part], count[part]};
        psg_block_register(&p->atoms[part], STARPU_MAIN_RAM, p->atom[part], n, n[0],
                           sizeof *p->atom[part]);
    }
    d->grid.spacing = g != NULL ? g->spacing : (1 + 2 * radii) / (double)d->grid.n;
    d->rounding = psg_dock_rounding(p->atom, count, d->grid.spacing);
    return true;
}

/* The next number of cells that FFTs are fast for. */
static size_t fast_size(size_t n) {
    for (;; n++) {
        size_t rest = n;
        for (size_t factor = 2; factor <= 7; factor++) {
            while (rest % factor == 0) {
                rest /= factor;
            }
        }
        if (rest == 1) {
            return n;
        }
    }
}

/* Rounded sums in f32 are exact as long as the cells are large enough. The error of a sum is about the unit of rounding, 2^-24,
 * of the product of the norms of both molecules. Measured: at most half of that. @return the least spacing */
static double least_spacing(const psg_dock_molecules *g) {
    const double ball = 4 * pi / 3 * pow(BASE_DOCK_RADIUS, 3); /* atoms overlap: at most this */
    const double norms = 15 * sqrt((double)g->fixed_atoms * (double)g->mobile_atoms) * ball;
    return cbrt(ldexp(norms, -24) / .5);
}

/* Both molecules have charges, or none has. */
static psg_status check_charges(const psg_dock_molecules *g) {
    static const char *const role[] = {"static", "mobile"};
    const double *const charge[2] = {g->fixed_charges, g->mobile_charges};
    const size_t atoms[2] = {g->fixed_atoms, g->mobile_atoms};
    if ((charge[0] == NULL) != (charge[1] == NULL)) {
        return psg_fail(PSG_ERR_ARG, "the %s molecule has charges, the %s one has none",
                        role[charge[0] == NULL], role[charge[0] != NULL]);
    }
    for (int part = 0; part < 2 && charge[0] != NULL; part++) {
        double most = 0;
        for (size_t m = 0; m < atoms[part]; m++) {
            if (!(fabs(charge[part][m]) <= MOST_CHARGE)) {
                return psg_fail(PSG_ERR_ARG,
                                "the %s molecule's atom %zu has the charge %g: from -%d to %d",
                                role[part], m, charge[part][m], MOST_CHARGE, MOST_CHARGE);
            }
            most = fmax(most, fabs(charge[part][m]));
        }
        if (most == 0) {
            return psg_fail(
                PSG_ERR_ARG,
                "no atom of the %s molecule has a charge: no pose has a negative energy",
                role[part]);
        }
    }
    return PSG_OK;
}

/* Both molecules, atoms' radii among them, touch nowhere across the sides of the grid. */
static psg_status take(void *memory, const void *input, const psg_work_options *how) {
    problem *p = memory;
    const psg_dock_molecules *g = input;
    double mean[3];
    if (g->fixed_atoms == 0 || g->mobile_atoms == 0) {
        return psg_fail(PSG_ERR_ARG, "the %s molecule has no atoms",
                        g->fixed_atoms == 0 ? "static" : "mobile");
    }
    const double radius[2] = {psg_dock_radius(g->fixed, 3, g->fixed_atoms, mean),
                              psg_dock_radius(g->mobile, 3, g->mobile_atoms, mean)};
    const double span = 2 * (radius[0] + radius[1] + 2 * BASE_DOCK_RADIUS);
    if (!isfinite(span)) {
        return psg_fail(PSG_ERR_ARG, "an atom is nowhere: NaN or Inf");
    }
    if (!divides_180(g->angle)) {
        return psg_fail(PSG_ERR_ARG, "angle = %u degrees: it has to divide 180", g->angle);
    }
    if (!(g->spacing >= least_spacing(g) && g->spacing < BASE_DOCK_SURFACE)) {
        return psg_fail(PSG_ERR_ARG,
                        "spacing = %g angstrom: it has to be below %g, as thick as a surface is, "
                        "and for %zu and %zu atoms at least %.2g, or f32 has no exact scores",
                        g->spacing, BASE_DOCK_SURFACE, g->fixed_atoms, g->mobile_atoms,
                        least_spacing(g));
    }
    if (!(span / g->spacing <= MOST_CELLS)) {
        return psg_fail(PSG_ERR_ARG,
                        "spacing = %g angstrom: molecules of the radii %.4g and %.4g angstrom take "
                        "%.4g cells along each axis, and %d is the most",
                        g->spacing, radius[0], radius[1], ceil(span / g->spacing), MOST_CELLS);
    }
    const size_t rotations = psg_cpu_dock_rotations(g->angle, NULL);
    if (g->poses == 0 || g->poses > BASE_DOCK_BEST * rotations) {
        return psg_fail(PSG_ERR_ARG,
                        "poses = %zu: from 1 to %zu, as there are %zu rotations and %d poses of "
                        "each are kept",
                        g->poses, BASE_DOCK_BEST * rotations, rotations, BASE_DOCK_BEST);
    }
    const psg_status charged = check_charges(g);
    if (charged != PSG_OK) {
        return charged;
    }
    p->given = g;
    p->dock.list = g->poses;
    return cut(p, "dock", fast_size((size_t)ceil(span / g->spacing)), g->angle,
               g->fixed_charges != NULL, how);
}

/* ------------------------------------------------------------------------------------ the data */

static bool make_scratch(psg_dock *d, unsigned workers) {
    const size_t n = d->grid.n;
    const psg_cpu_fft_spec spec = {.nx = n, .ny = n, .nz = n, .effort = PSG_CPU_ESTIMATE};
    d->fft = psg_cpu_ops_f32.fft_create(&spec);
    d->scratch = calloc(workers, sizeof *d->scratch);
    bool good = d->fft != NULL && d->scratch != NULL;
    for (unsigned w = 0; w < workers && good; w++) {
        d->scratch[w] =
            base_allocate(d->spectrum_bytes + psg_cpu_ops_f32.fft_scratch_bytes(d->fft));
        good = d->scratch[w] != NULL;
    }
    return good;
}

/* Aligned, as the plans of the FFT want it. */
static bool make_cells(problem *p) {
    const psg_dock *d = &p->dock;
    const size_t n[3] = {d->grid.n, d->grid.n, d->grid.n * d->grids * d->batch};
    const size_t bytes = d->batch * d->grids * cells_bytes(d);
    p->cells = calloc(p->buffers, sizeof(starpu_data_handle_t));
    p->memory = calloc(p->buffers, sizeof *p->memory);
    bool good = p->cells != NULL && p->memory != NULL;
    for (size_t m = 0; m < p->buffers && good; m++) {
        p->memory[m] = psg_simulated() ? NULL : base_allocate(bytes);
        good = p->memory[m] != NULL || psg_simulated();
        if (good) {
            psg_block_register(&p->cells[m], STARPU_MAIN_RAM, p->memory[m], n, n[0] * n[1],
                               sizeof(float));
        }
    }
    return good;
}

static bool make_poses(problem *p, const psg_workers *workers) {
    const psg_dock *d = &p->dock;
    const size_t batches = psg_dock_batches(d);
    const size_t spectrum[3] = {d->grids * d->spectrum_bytes / sizeof(float), 1, 1};
    const size_t n = d->grid.n, potential[3] = {n, n, n};
    const size_t list[3] = {d->list, 1, 1}, best[3] = {d->batch * BASE_DOCK_BEST, 1, 1};
    p->rotation = calloc(d->rotations, sizeof *p->rotation);
    p->poses = calloc(batches, sizeof(starpu_data_handle_t));
    p->fixed = base_allocate(d->grids * d->spectrum_bytes);
    p->field = d->grids > 1 ? base_allocate(cells_bytes(d)) : NULL;
    p->list = calloc(d->list, sizeof *p->list);
    if (p->rotation == NULL || p->poses == NULL || p->fixed == NULL || p->list == NULL ||
        (d->grids > 1 && p->field == NULL)) {
        return false;
    }
    (void)psg_cpu_dock_rotations(p->angle, p->rotation);
    p->dock.rotation = p->rotation;
    psg_block_register(&p->spectrum, STARPU_MAIN_RAM, p->fixed, spectrum, spectrum[0],
                       sizeof(float));
    psg_block_register(&p->merged, STARPU_MAIN_RAM, p->list, list, list[0], sizeof *p->list);
    if (d->grids > 1) {
        psg_block_register(&p->potential, STARPU_MAIN_RAM, p->field, potential, n * n,
                           sizeof *p->field);
    }
    for (size_t b = 0; b < batches; b++) {
        if (!psg_block_make(&p->poses[b], workers, best, sizeof *p->list)) {
            return false;
        }
    }
    return true;
}

static psg_status choose(void *memory, const psg_workers *workers) {
    problem *p = memory;
    const size_t batches = psg_dock_batches(&p->dock);
    p->buffers = 2 * workers->count < batches ? 2 * workers->count : batches;
    return PSG_OK;
}

/* Cells, spectra and rotations; of each batch its poses and four tasks. */
static psg_needs needs(const void *memory, const psg_workers *workers) {
    const problem *p = memory;
    const psg_dock *d = &p->dock;
    const size_t grids = p->buffers * d->batch * d->grids + d->grids - 1;
    const double batches = (double)psg_dock_batches(d);
    const double poses = (double)d->batch * BASE_DOCK_BEST * sizeof *p->list;
    return (psg_needs){(double)grids * (double)cells_bytes(d) +
                           (double)(workers->count + d->grids) * (double)d->spectrum_bytes +
                           (double)d->rotations * sizeof *p->rotation +
                           batches * (poses + TUNING_HANDLE_BYTES),
                       4 * batches * TUNING_TASK_BYTES};
}

static psg_status make(void *memory, const psg_workers *workers) {
    problem *p = memory;
    const bool good = make_molecules(p) && make_scratch(&p->dock, (unsigned)workers->count) &&
                      make_poses(p, workers) && make_cells(p);
    p->given = NULL;
    return good ? PSG_OK
                : psg_fail(PSG_ERR_MEMORY,
                           "no memory for %zu batches of %zu grids: a smaller tile needs less",
                           p->buffers, p->dock.batch);
}

static void destroy(void *memory) {
    problem *p = memory;
    psg_dock *d = &p->dock;
    psg_block_unregister(p->atoms, 2);
    psg_block_unregister(&p->spectrum, 1);
    psg_block_unregister(&p->merged, 1);
    psg_block_unregister(&p->potential, 1);
    psg_block_unregister(p->cells, p->cells != NULL ? p->buffers : 0);
    psg_block_unregister(p->poses, p->poses != NULL ? psg_dock_batches(d) : 0);
    for (size_t m = 0; p->memory != NULL && m < p->buffers; m++) {
        free(p->memory[m]);
    }
    for (unsigned w = 0; d->scratch != NULL && w < starpu_worker_get_count(); w++) {
        free(d->scratch[w]);
    }
    psg_cpu_ops_f32.fft_destroy(d->fft);
    free(d->scratch);
    free(p->memory);
    free(p->cells);
    free(p->poses);
    free(p->rotation);
    free(p->list);
    free(p->fixed);
    free(p->field);
    free(p->atom[0]);
    free(p->atom[1]);
}

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    psg_block_settle(p->atoms, 2);
    psg_task_dock_static(run, p->atoms[0], p->spectrum, p->merged, p->potential);
    for (size_t b = 0; b < psg_dock_batches(&p->dock); b++) {
        starpu_data_handle_t cells = p->cells[b % p->buffers];
        psg_task_dock_voxel(run, b, p->atoms[1], cells);
        psg_task_dock_correlate(run, b, p->spectrum, cells);
        psg_task_dock_best(run, b, cells, p->poses[b], p->potential, p->atoms[1]);
        (void)starpu_data_invalidate_submit(
            cells); /* else a GPU short of memory copies them home */
        psg_task_dock_merge(run, b, p->poses[b], p->merged);
    }
}

/* -------------------------------------------------------------------------------- the answer */

/* A shift along an axis, in cells. */
static long shift(size_t n, int32_t cell, int axis) {
    const size_t s = (size_t)cell / (axis > 1 ? n * n : axis > 0 ? n : 1) % n;
    return s < (n + 1) / 2 ? (long)s : (long)s - (long)n;
}

/* Bring the list home, and the potential. @return false: they could not be had */
static bool acquire(const problem *p) {
    if (starpu_data_acquire_on_node(p->merged, STARPU_MAIN_RAM, STARPU_R) != 0) {
        return false;
    }
    if (p->field != NULL &&
        starpu_data_acquire_on_node(p->potential, STARPU_MAIN_RAM, STARPU_R) != 0) {
        starpu_data_release_on_node(p->merged, STARPU_MAIN_RAM);
        return false;
    }
    return true;
}

static void release(const problem *p) {
    starpu_data_release_on_node(p->merged, STARPU_MAIN_RAM);
    if (p->field != NULL) {
        starpu_data_release_on_node(p->potential, STARPU_MAIN_RAM);
    }
}

/* Of a pose of the list. */
static double energy(const problem *p, const base_dock_pose *pose) {
    const psg_dock *d = &p->dock;
    if (p->field == NULL || pose->score == INT32_MIN) {
        return 0;
    }
    const base_dock_turn turn = psg_cpu_dock_turn(&d->rotation[pose->rotation], false);
    return base_dock_energy(&d->grid, p->field, &turn, d->molecule[1].atom, d->molecule[1].atoms,
                            (size_t)pose->cell);
}

/* The number of the rotation in the table; -1: it is not there. */
static long number_of(const psg_dock *d, const psg_cpu_dock_rotation *rotation) {
    size_t m = 0;
    while (m < d->rotations && memcmp(&d->rotation[m], rotation, sizeof *rotation) != 0) {
        m++;
    }
    return m < d->rotations ? (long)m : -1;
}

/* @param[in] there  whether `expected` is known */
static psg_answer number(const char *name, double value, bool there, double expected) {
    psg_answer a = {
        .value = value, .expected = there ? expected : 0, .tolerance = there ? 0 : INFINITY};
    (void)snprintf(a.name, sizeof a.name, "%s", name);
    return a;
}

static size_t answers(const void *memory, psg_answer *list) {
    static const char *const axes[] = {"shift_x", "shift_y", "shift_z"};
    const problem *p = memory;
    const base_dock_pose *first = p->list, *next = p->list;
    if (!acquire(p)) {
        return 0;
    }
    const int wrong = psg_dock_differing(&p->dock, p->list, p->field);
    const size_t n = p->dock.grid.n;
    const long home = p->known ? number_of(&p->dock, &planted) : -1;
    const bool all = p->known && n == LEAST_N && p->angle == ANGLE;
    const struct known *k = &known[p->dock.grids - 1];
    size_t count = 0;
    while (next < p->list + p->dock.list - 1 && next->rotation == first->rotation) {
        next++;
    }
    list[count++] = number("rotation", first->rotation, home >= 0, (double)home);
    for (int d = 0; d < 3; d++) {
        list[count++] = number(axes[d], (double)shift(n, first->cell, d), all, k->shift[d]);
    }
    list[count++] = number("score", first->score, all, k->score);
    list[count++] = number("next_rotation", next->rotation, all, k->next_rotation);
    list[count++] = number("next_score", next->score, all, k->next_score);
    list[count++] = number("differing", wrong, true, 0);
    if (p->dock.grids > 1) {
        list[count] = number("energy", energy(p, first), all, k->energy);
        list[count++].tolerance = all ? 1e-6 : INFINITY;
    }
    release(p);
    return wrong >= 0 ? count : 0;
}

static const int kinds[] = {PSG_KIND_DOCK_STATIC, PSG_KIND_DOCK_VOXEL, PSG_KIND_DOCK_CORRELATE,
                            PSG_KIND_DOCK_BEST,   PSG_KIND_DOCK_MERGE, -1};

const psg_workload_row psg_workload_dock = {
    .about = {.name = "dock",
              .about = "rigid docking of two molecules: independent correlations by FFT",
              .sizes = sizes,
              .tile = "T: rotations a batch"},
    .bytes = sizeof(problem),
    .f32 = true,
    .kinds = kinds,
    .gpu = psg_dock_gpu,
    .parse = parse,
    .take = take,
    .cut = choose,
    .needs = needs,
    .tell = tell,
    .make = make,
    .submit = submit,
    .answers = answers,
    .free = destroy,
};

/* -------------------------------------------------------------------------- your own molecules */

psg_status psg_dock_create(psg_work **work, const psg_dock_molecules *molecules,
                           const psg_work_options *how, const psg_options *options) {
    psg_clear_error();
    if (work == NULL || molecules == NULL) {
        return psg_fail(PSG_ERR_ARG, "work or molecules is NULL");
    }
    *work = NULL;
    return psg_work_open(work, &psg_workload_dock, NULL, molecules, how, options);
}

static psg_dock_pose pose_of(const problem *p, const base_dock_pose *from) {
    const psg_dock *d = &p->dock;
    const psg_cpu_dock_rotation *r = &d->rotation[from->rotation];
    psg_dock_pose pose = {.twist = r->twist,
                          .theta = r->theta,
                          .phi = r->phi,
                          .score = from->score,
                          .energy = energy(p, from)};
    for (int axis = 0; axis < 3; axis++) {
        pose.shift[axis] = shift(d->grid.n, from->cell, axis);
        pose.at[axis] = (double)pose.shift[axis] * d->grid.spacing;
    }
    return pose;
}

psg_status psg_dock_poses(const psg_work *work, psg_dock_pose *poses, size_t capacity,
                          size_t *count) {
    psg_status status = PSG_OK;
    psg_clear_error();
    if (count == NULL || (poses == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "poses or count is NULL");
    }
    *count = 0;
    const problem *p = psg_work_problem(work, &psg_workload_dock, &status);
    if (p == NULL || psg_simulated()) {
        return status;
    }
    psg_runtime_awake(); /* the data come home through StarPU */
    const bool there = acquire(p);
    for (; there && *count < p->dock.list && p->list[*count].score != INT32_MIN; ++*count) {
        if (*count < capacity) {
            poses[*count] = pose_of(p, &p->list[*count]);
        }
    }
    if (there) {
        release(p);
    }
    psg_runtime_rest();
    return there ? PSG_OK : psg_fail(PSG_ERR_RUNTIME, "the poses could not be had");
}
