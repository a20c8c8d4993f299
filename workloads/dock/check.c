/* Are the poses of workload dock right? Their scores and energies anew, without an FFT. */
#include "base/memory.h"
#include "workloads/dock/dock.h"

#include <stdlib.h>

/* The sum over all cells. */
static double score(size_t n, const float *fixed, const float *mobile, int32_t cell) {
    const size_t x = (size_t)cell % n, y = (size_t)cell / n % n, z = (size_t)cell / n / n;
    double sum = 0;
    for (size_t m = 0; m < n * n * n; m++) {
        if (mobile[m] != 0) {
            const size_t i = (m % n + x) % n, j = (m / n % n + y) % n, k = (m / n / n + z) % n;
            sum += (double)(fixed[(k * n + j) * n + i] * mobile[m]);
        }
    }
    return sum;
}

/* The potential of all atoms in the middle of a cell. */
static double potential(const dock_problem *d, size_t cell) {
    const size_t n = d->grid.n, at[3] = {cell % n, cell / n % n, cell / n / n};
    double sum = 0;
    for (size_t m = 0; m < d->molecule[0].atoms; m++) {
        const dock_atom *atom = &d->molecule[0].atom[m];
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double x = dock_middle(&d->grid, at[axis]) - atom->at[axis];
            square += x * x;
        }
        sum += atom->charge * dock_potential(square);
    }
    return sum;
}

/* The sum over all pairs of atoms. @param[in] fixed  cells of the static molecule @param[out] size
 * what is added, without signs */
static double pairs(const dock_problem *d, const float *fixed, const dock_turn *turn, size_t cell,
                    double *size) {
    const size_t n = d->grid.n;
    const long shift[3] = {(long)(cell % n), (long)(cell / n % n), (long)(cell / n / n)};
    double sum = 0;
    *size = 0;
    for (size_t m = 0; m < d->molecule[1].atoms; m++) {
        const dock_atom turned = dock_turned(turn, d->molecule[1].atom[m]);
        for (int corner = 0; corner < 8 && turned.charge != 0; corner++) {
            size_t at = 0;
            const double share = dock_share(&d->grid, &turned, corner, shift, &at);
            const double part = fixed[at] == DOCK_CORE ? 0 : share * potential(d, at);
            sum += part;
            *size += fabs(part);
        }
    }
    return sum;
}

/* The potential is in f32. */
static bool has_energy(const dock_problem *d, const float *fixed, const dock_candidate *pose) {
    const dock_turn turn = dock_cpu_turn(&d->rotation[pose->rotation], false);
    const size_t cell = (size_t)pose->cell;
    double size = 0;
    const double energy =
        dock_energy(&d->grid, d->field, &turn, d->molecule[1].atom, d->molecule[1].atoms, cell);
    const double sum = pairs(d, fixed, &turn, cell, &size);
    return energy < 0 && fabs(energy - sum) <= 1e-6 * size;
}

int dock_differing(const dock_problem *d) {
    const size_t n = d->grid.n, bytes = n * n * n * sizeof(float);
    float *fixed = base_allocate(bytes), *mobile = base_allocate(bytes);
    int count = fixed != NULL && mobile != NULL ? 0 : -1;
    if (count == 0) {
        dock_cpu_static(&d->grid, &d->molecule[0], fixed);
    }
    for (size_t m = 0; m < d->list && count >= 0; m++) {
        const dock_candidate *pose = &d->best[m];
        if (pose->score != INT32_MIN) { /* fewer rotations have fewer poses */
            dock_cpu_mobile(&d->grid, &d->molecule[1], &d->rotation[pose->rotation], mobile);
            count += score(n, fixed, mobile, pose->cell) != (double)pose->score ||
                     (d->field != NULL && !has_energy(d, fixed, pose));
        }
    }
    free(fixed);
    free(mobile);
    return count;
}
