/* dock: rigid docking of two molecules. A batch of rotations of the mobile one goes through four
 * tasks, independent of other batches, and its best poses are merged into one list.
 *
 *   dock_static ----------------------+-> spectrum, list, potential
 *   dock_voxel(b) -> cells(b) -> dock_correlate(b) -> dock_best(b) -> poses(b) -> dock_merge(b) ->
 * list
 *
 * Scores are whole numbers, so rounding makes them exact, and ties have an order. Batches share a
 * few arrays of cells. Where atoms have charges, these go the same way as cells do, and dock_best
 * leaves out the poses whose energy is not negative. An energy by FFT that is too near to 0 to tell
 * is added up anew, in f64 and in the order of the atoms, so every worker finds the same poses.
 *
 * Of several processes each has the batches from one to another, and all of the static molecule.
 * The first one merges the lists of the others into its own. The order of poses is a total one, so
 * the list is that of one process.
 */
#include "workloads/dock/dock.h"
#include "base/memory.h"
#include "graph/psg_machine.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_N = 64, MOST_N = 512, ANGLE = 30, BATCH = 8, LIST = 32, MOST_CELLS = 1024 };
enum { MOST_CHARGE = 100 }; /* of an atom */
static const char sizes[] =
    "N[:ANGLE][:electrostatics]: N^3 cells, N from 64 to 512; degrees between rotations, which "
    "divide 180; only poses of negative energy";
static const double pi = 3.14159265358979323846;

/* Where the mobile molecule is from, and what is known of N = 64 and 30 degrees, computed apart
 * from this program: without electrostatics, and with them. */
static const dock_rotation planted = {300, 90, 330};
static const struct known {
    double shift[3], score, next_rotation, next_score, energy;
} known[2] = {{{-1, 0, 10}, 664, 298, 328, 0}, {{-1, 0, 10}, 664, 298, 311, -23.8405401012}};

typedef dock_problem problem;

/* ------------------------------------------------------------------------------------ the size */

/* What a size and molecules have in common. @param[in] name  for messages */
static psg_status cut(problem *p, const char *name, size_t n, unsigned angle, bool electrostatics,
                      const workload_options *how) {
    p->angle = angle;
    p->grid.n = n;
    p->rotations = dock_cpu_rotations(angle, NULL);
    p->grids = electrostatics ? 2 : 1;
    const size_t countable = WORKLOAD_BLOCK_MOST / (n * n * n * p->grids);
    const size_t most = countable < p->rotations ? countable : p->rotations;
    p->batch = how->tile > 0 ? how->tile : BATCH < most ? BATCH : most;
    p->spectrum_bytes = (n * n * (n / 2 + 1) * 2 * sizeof(float) + 63) / 64 * 64;
    return workload_check_tile(how, "", name, "batches of T rotations", 1, most);
}

static bool divides_180(size_t angle) {
    return angle > 0 && angle <= 180 && 180 % angle == 0;
}

static psg_status parse(void *memory, const char *size, const workload_options *how) {
    problem *p = memory;
    char name[64];
    size_t n = 0, angle = ANGLE;
    const char *rest = workload_number(size, LEAST_N, MOST_N, &n);
    if (rest != NULL && rest[0] == ':' && isdigit((unsigned char)rest[1])) {
        rest = workload_number(rest + 1, 1, 180, &angle);
    }
    const bool electrostatics = rest != NULL && strcmp(rest, ":electrostatics") == 0;
    rest = electrostatics ? "" : rest;
    if (rest == NULL || rest[0] != '\0' || !divides_180(angle)) {
        return workload_fail(PSG_ERR_ARG, "dock:%s: the size is %s", size, sizes);
    }
    p->known = true;
    p->list = LIST;
    (void)snprintf(name, sizeof name, "dock:%s", size);
    return cut(p, name, n, (unsigned)angle, electrostatics, how);
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "%zu rotations by %u degrees on %zu^3 cells%s, in batches of %zu",
                   p->rotations, p->angle, p->grid.n, p->grids > 1 ? " with electrostatics" : "",
                   p->batch);
}

/* --------------------------------------------------------------------------- the molecules */

/* @param[in] charge  NULL: the atoms have none */
static void copy_atoms(dock_atom *atom, const double *at, const double *charge, size_t atoms) {
    for (size_t m = 0; m < atoms; m++) {
        memcpy(atom[m].at, at + 3 * m, sizeof atom[m].at);
        atom[m].charge = charge != NULL ? charge[m] : 0;
    }
}

static void make_molecules(problem *p) {
    const dock_molecules *g = p->given;
    size_t count[2];
    if (g != NULL) {
        count[0] = g->fixed_atoms;
        count[1] = g->mobile_atoms;
    } else {
        dock_cut_ball((dock_atom *const[2]){NULL, NULL}, count);
    }
    for (int part = 0; part < 2; part++) {
        p->atom[part] = workload_memory(&p->head, count[part], sizeof *p->atom[part]);
    }
    if (p->head.failed) {
        return;
    }
    if (g != NULL) {
        copy_atoms(p->atom[0], g->fixed, g->fixed_charges, count[0]);
        copy_atoms(p->atom[1], g->mobile, g->mobile_charges, count[1]);
    } else {
        dock_cut_ball(p->atom, count);
    }
    const double radii = dock_centre(p->atom[0], count[0]) + dock_centre(p->atom[1], count[1]);
    const dock_turn back = dock_cpu_turn(&planted, true);
    for (size_t m = 0; g == NULL && m < count[1]; m++) {
        p->atom[1][m] = dock_turned(&back, p->atom[1][m]);
    }
    for (int part = 0; part < 2; part++) {
        p->molecule[part] = (dock_molecule){p->atom[part], count[part]};
        workload_lend(&p->head, &p->atoms[part], p->atom[part], count[part], 1, 1,
                      sizeof *p->atom[part]);
    }
    p->grid.spacing = g != NULL ? g->spacing : (1 + 2 * radii) / (double)p->grid.n;
    p->rounding = dock_rounding(p->atom, count, p->grid.spacing);
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

/* Rounded sums in f32 are exact as long as the cells are large enough. The error of a sum is about
 * the unit of rounding, 2^-24, of the product of the norms of both molecules. Measured: at most
 * half of that. @return the least spacing */
static double least_spacing(const dock_molecules *g) {
    const double ball = 4 * pi / 3 * pow(DOCK_RADIUS, 3); /* atoms overlap: at most this */
    const double norms = 15 * sqrt((double)g->fixed_atoms * (double)g->mobile_atoms) * ball;
    return cbrt(ldexp(norms, -24) / .5);
}

/* Both molecules have charges, or none has. */
static psg_status check_charges(const dock_molecules *g) {
    static const char *const role[] = {"static", "mobile"};
    const double *const charge[2] = {g->fixed_charges, g->mobile_charges};
    const size_t atoms[2] = {g->fixed_atoms, g->mobile_atoms};
    if ((charge[0] == NULL) != (charge[1] == NULL)) {
        return workload_fail(PSG_ERR_ARG, "the %s molecule has charges, the %s one has none",
                             role[charge[0] == NULL], role[charge[0] != NULL]);
    }
    for (int part = 0; part < 2 && charge[0] != NULL; part++) {
        double most = 0;
        for (size_t m = 0; m < atoms[part]; m++) {
            if (!(fabs(charge[part][m]) <= MOST_CHARGE)) {
                return workload_fail(PSG_ERR_ARG,
                                     "the %s molecule's atom %zu has the charge %g: from -%d to %d",
                                     role[part], m, charge[part][m], MOST_CHARGE, MOST_CHARGE);
            }
            most = fmax(most, fabs(charge[part][m]));
        }
        if (most == 0) {
            return workload_fail(
                PSG_ERR_ARG,
                "no atom of the %s molecule has a charge: no pose has a negative energy",
                role[part]);
        }
    }
    return PSG_OK;
}

/* Both molecules, atoms' radii among them, touch nowhere across the sides of the grid. */
static psg_status take(void *memory, const void *input, const workload_options *how) {
    problem *p = memory;
    const dock_molecules *g = input;
    double mean[3];
    if (g->fixed_atoms == 0 || g->mobile_atoms == 0) {
        return workload_fail(PSG_ERR_ARG, "the %s molecule has no atoms",
                             g->fixed_atoms == 0 ? "static" : "mobile");
    }
    const double radius[2] = {dock_radius(g->fixed, 3, g->fixed_atoms, mean),
                              dock_radius(g->mobile, 3, g->mobile_atoms, mean)};
    const double span = 2 * (radius[0] + radius[1] + 2 * DOCK_RADIUS);
    if (!isfinite(span)) {
        return workload_fail(PSG_ERR_ARG, "an atom is nowhere: NaN or Inf");
    }
    if (!divides_180(g->angle)) {
        return workload_fail(PSG_ERR_ARG, "angle = %u degrees: it has to divide 180", g->angle);
    }
    if (!(g->spacing >= least_spacing(g) && g->spacing < DOCK_SURFACE)) {
        return workload_fail(
            PSG_ERR_ARG,
            "spacing = %g angstrom: it has to be below %g, as thick as a surface is, "
            "and for %zu and %zu atoms at least %.2g, or f32 has no exact scores",
            g->spacing, DOCK_SURFACE, g->fixed_atoms, g->mobile_atoms, least_spacing(g));
    }
    if (!(span / g->spacing <= MOST_CELLS)) {
        return workload_fail(
            PSG_ERR_ARG,
            "spacing = %g angstrom: molecules of the radii %.4g and %.4g angstrom take "
            "%.4g cells along each axis, and %d is the most",
            g->spacing, radius[0], radius[1], ceil(span / g->spacing), MOST_CELLS);
    }
    const size_t rotations = dock_cpu_rotations(g->angle, NULL);
    if (g->poses == 0 || g->poses > DOCK_KEPT * rotations) {
        return workload_fail(
            PSG_ERR_ARG,
            "poses = %zu: from 1 to %zu, as there are %zu rotations and %d poses of "
            "each are kept",
            g->poses, DOCK_KEPT * rotations, rotations, DOCK_KEPT);
    }
    const psg_status charged = check_charges(g);
    if (charged != PSG_OK) {
        return charged;
    }
    p->given = g;
    p->list = g->poses;
    return cut(p, "dock", fast_size((size_t)ceil(span / g->spacing)), g->angle,
               g->fixed_charges != NULL, how);
}

/* ------------------------------------------------------------------------------------ the data */

static void make_scratch(problem *p) {
    const size_t n = p->grid.n, workers = psg_engine_find_workers(p->head.work).count;
    const psg_cpu_fft_spec spec = {.nx = n, .ny = n, .nz = n, .effort = PSG_CPU_ESTIMATE};
    p->fft = psg_cpu_ops_f32.fft_create(&spec);
    p->scratch = workload_memory(&p->head, workers, sizeof *p->scratch);
    p->head.failed = p->head.failed || p->fft == NULL;
    for (size_t w = 0; w < workers && !p->head.failed; w++) {
        p->scratch[w] =
            workload_array(&p->head, p->spectrum_bytes + psg_cpu_ops_f32.fft_scratch_bytes(p->fft));
    }
}

/* Aligned, as the plans of the FFT want it. */
static void make_cells(problem *p) {
    const size_t n = p->grid.n, bytes = p->batch * p->grids * dock_cells(p) * sizeof(float);
    p->cells = workload_memory(&p->head, p->buffers, sizeof *p->cells);
    for (size_t m = 0; m < p->buffers && !p->head.failed; m++) {
        void *cells = psg_simulation() ? NULL : workload_array(&p->head, bytes);
        workload_lend(&p->head, &p->cells[m], cells, n, n, n * p->grids * p->batch, sizeof(float));
    }
}

/* Lists of poses: of batches, and of other processes. */
static size_t lists(const problem *p) {
    return dock_batches(p) + (p->head.rank == 0 ? (size_t)p->head.ranks - 1 : 0);
}

static void make_poses(problem *p) {
    const size_t batches = dock_batches(p), n = p->grid.n;
    p->rotation = workload_memory(&p->head, p->rotations, sizeof *p->rotation);
    p->poses = workload_memory(&p->head, lists(p), sizeof *p->poses);
    p->fixed = workload_array(&p->head, p->grids * p->spectrum_bytes);
    p->field = p->grids > 1 ? workload_array(&p->head, dock_cells(p) * sizeof(float)) : NULL;
    p->best = workload_memory(&p->head, p->list, sizeof *p->best);
    if (p->head.failed) {
        return;
    }
    (void)dock_cpu_rotations(p->angle, p->rotation);
    workload_lend(&p->head, &p->spectrum, p->fixed, p->grids * p->spectrum_bytes / sizeof(float), 1,
                  1, sizeof(float));
    workload_lend(&p->head, &p->merged, p->best, p->list, 1, 1, sizeof *p->best);
    if (p->grids > 1) {
        workload_lend(&p->head, &p->potential, p->field, n, n, n, sizeof *p->field);
    }
    for (size_t b = 0; b < lists(p); b++) {
        workload_hold(&p->head, &p->poses[b], b < batches ? p->batch * DOCK_KEPT : p->list, 1, 1,
                      sizeof *p->best);
    }
}

static psg_status choose(void *memory, const psg_engine_workers *workers) {
    problem *p = memory;
    const size_t batches = dock_batches(p);
    p->buffers = 2 * workers->count < batches ? 2 * workers->count : batches;
    return workload_check_share(workers, "dock", batches, "batches of rotations");
}

static size_t messages(const void *memory) {
    return (size_t)((const problem *)memory)->head.ranks;
}

/* Cells, spectra and rotations; of each batch its poses and four tasks. */
static workload_needs needs(const void *memory) {
    const problem *p = memory;
    const size_t grids = p->buffers * p->batch * p->grids + p->grids - 1;
    const double batches = (double)dock_batches(p);
    const double poses = (double)p->batch * DOCK_KEPT * sizeof *p->best;
    return (workload_needs){(double)grids * (double)dock_cells(p) * sizeof(float) +
                                (double)p->grids * (double)p->spectrum_bytes +
                                (double)p->rotations * sizeof *p->rotation + batches * poses,
                            batches, 4 * batches, (double)p->spectrum_bytes};
}

static void make(void *memory) {
    problem *p = memory;
    make_molecules(p);
    make_scratch(p);
    make_poses(p);
    make_cells(p);
    p->given = NULL;
}

static void destroy(void *memory) {
    psg_cpu_ops_f32.fft_destroy(((problem *)memory)->fft);
}

/* -------------------------------------------------------------------------------- the answer */

/* A shift along an axis, in cells. */
static long shift(size_t n, int32_t cell, int axis) {
    const size_t s = (size_t)cell / (axis > 1 ? n * n : axis > 0 ? n : 1) % n;
    return s < (n + 1) / 2 ? (long)s : (long)s - (long)n;
}

/* Bring the list home, and the potential. @return false: they could not be had */
static bool bring(const problem *p) {
    return workload_visit(p, &p->merged, 1, 1, false, NULL, NULL) &&
           workload_visit(p, &p->potential, p->grids - 1, 1, false, NULL, NULL);
}

/* Of a pose of the list. */
static double energy(const problem *p, const dock_candidate *pose) {
    if (p->field == NULL || pose->score == INT32_MIN) {
        return 0;
    }
    const dock_turn turn = dock_cpu_turn(&p->rotation[pose->rotation], false);
    return dock_energy(&p->grid, p->field, &turn, p->molecule[1].atom, p->molecule[1].atoms,
                       (size_t)pose->cell);
}

/* The number of the rotation in the table; -1: it is not there. */
static long number_of(const problem *p, const dock_rotation *rotation) {
    size_t m = 0;
    while (m < p->rotations && memcmp(&p->rotation[m], rotation, sizeof *rotation) != 0) {
        m++;
    }
    return m < p->rotations ? (long)m : -1;
}

/* @param[in] there  whether `expected` is known */
static workload_answer number(const char *name, double value, bool there, double expected) {
    workload_answer a = {
        .value = value, .expected = there ? expected : 0, .tolerance = there ? 0 : INFINITY};
    (void)snprintf(a.name, sizeof a.name, "%s", name);
    return a;
}

static size_t answers(void *memory, workload_answer *list) {
    static const char *const axes[] = {"shift_x", "shift_y", "shift_z"};
    const problem *p = memory;
    const dock_candidate *first = p->best, *next = p->best;
    if (!bring(p)) {
        return 0;
    }
    const int wrong = p->head.rank == 0 ? dock_differing(p) : 0;
    const size_t n = p->grid.n;
    const long home = p->known ? number_of(p, &planted) : -1;
    const bool all = p->known && n == LEAST_N && p->angle == ANGLE;
    const struct known *k = &known[p->grids - 1];
    size_t count = 0;
    while (next < p->best + p->list - 1 && next->rotation == first->rotation) {
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
    if (p->grids > 1) {
        list[count] = number("energy", energy(p, first), all, k->energy);
        list[count++].tolerance = all ? 1e-6 : INFINITY;
    }
    for (size_t m = 0; m < count && p->head.rank > 0; m++) { /* the first has the list of all */
        list[m].value = 0;
    }
    return wrong >= 0 ? count : 0;
}

const workload_row workload_dock = {
    .facts = {.name = "dock",
              .about = "rigid docking of two molecules: independent correlations by FFT",
              .sizes = sizes,
              .tile = "T: rotations a batch",
              .processes = true},
    .bytes = sizeof(problem),
    .f32 = true,
    .kinds = dock_kinds,
    .kind_count = DOCK_KINDS,
    .first = &dock_first_kind,
    .gpu_make = WORKLOAD_GPU(dock_gpu_make),
    .gpu_destroy = WORKLOAD_GPU(dock_gpu_destroy),
    .parse = parse,
    .take = take,
    .cut = choose,
    .messages = messages,
    .needs = needs,
    .tell = tell,
    .make = make,
    .submit = dock_submit,
    .answers = answers,
    .free = destroy,
};

/* -------------------------------------------------------------------------- your own molecules */

psg_status dock_create(workload **w, const dock_molecules *molecules, const workload_options *how,
                       const psg_options *options) {
    if (w == NULL || molecules == NULL) {
        return workload_fail(PSG_ERR_ARG, "w or molecules is NULL");
    }
    return workload_open(w, &workload_dock, NULL, molecules, how, options);
}

static dock_pose pose_of(const problem *p, const dock_candidate *from) {
    const dock_rotation *r = &p->rotation[from->rotation];
    dock_pose pose = {.twist = r->twist,
                      .theta = r->theta,
                      .phi = r->phi,
                      .score = from->score,
                      .energy = energy(p, from)};
    for (int axis = 0; axis < 3; axis++) {
        pose.shift[axis] = shift(p->grid.n, from->cell, axis);
        pose.at[axis] = (double)pose.shift[axis] * p->grid.spacing;
    }
    return pose;
}

psg_status dock_poses(const workload *w, dock_pose *poses, size_t capacity, size_t *count) {
    psg_status status = PSG_OK;
    if (count == NULL || (poses == NULL && capacity > 0)) {
        return workload_fail(PSG_ERR_ARG, "poses or count is NULL");
    }
    *count = 0;
    const problem *p = workload_problem(w, &workload_dock, &status);
    if (p == NULL || psg_simulation()) {
        return status;
    }
    psg_engine_awake(); /* the data come home through StarPU */
    const bool there = bring(p);
    for (; there && p->head.rank == 0 && *count < p->list && p->best[*count].score != INT32_MIN;
         ++*count) {
        if (*count < capacity) {
            poses[*count] = pose_of(p, &p->best[*count]);
        }
    }
    psg_engine_rest();
    return there ? PSG_OK : workload_fail(PSG_ERR_RUNTIME, "the poses could not be had");
}
