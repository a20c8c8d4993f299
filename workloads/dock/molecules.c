/* The molecules of workload dock: the test molecules, and what is known of any: radius, mean,
 * rounding of energies. */
#include "workloads/dock/dock.h"
#include "workloads/random.h"

static const double pi = 3.14159265358979323846;

void dock_cut_ball(dock_atom *const atom[2], size_t count[2]) {
    const double radius = 9.5, lattice = 2, shake = .2, gap = 1.3;
    const int n = (int)(radius / lattice) + 1, line = 2 * n + 1;
    uint64_t x = RANDOM_SEED;
    count[0] = count[1] = 0;
    for (int m = 0; m < line * line * line; m++) {
        const int site[3] = {m % line - n, m / line % line - n, m / line / line - n};
        dock_atom a;
        double square = 0;
        for (int d = 0; d < 3; d++) {
            x = random_next(x);
            a.at[d] = lattice * site[d] + shake * (2 * random_real(x) - 1);
            square += a.at[d] * a.at[d];
        }
        const double above = a.at[2] - 3 * sin(2 * pi * a.at[0] / 11 + 1) -
                             2 * cos(2 * pi * a.at[1] / 14) - .15 * a.at[0];
        if (square < radius * radius && fabs(above) > gap) {
            const int part = above > 0;
            a.charge = (a.at[0] > 0) == (part == 0) ? .5 : -.5;
            if (atom[part] != NULL) {
                atom[part][count[part]] = a;
            }
            count[part]++;
        }
    }
}

double dock_radius(const double *at, size_t stride, size_t atoms, double mean[3]) {
    double radius = 0;
    mean[0] = mean[1] = mean[2] = 0;
    for (size_t m = 0; m < 3 * atoms; m++) {
        mean[m % 3] += at[m / 3 * stride + m % 3] / (double)atoms;
    }
    for (size_t m = 0; m < atoms; m++) {
        double square = 0;
        for (size_t d = 0; d < 3; d++) {
            const double x = at[m * stride + d] - mean[d];
            square += x * x;
        }
        radius = square <= radius * radius ? radius : sqrt(square); /* a NaN stays */
    }
    return radius;
}

double dock_centre(dock_atom *atom, size_t atoms) {
    double mean[3];
    const double radius = dock_radius(atom->at, sizeof *atom / sizeof *atom->at, atoms, mean);
    for (size_t m = 0; m < 3 * atoms; m++) {
        atom[m / 3].at[m % 3] -= mean[m % 3];
    }
    return radius;
}

/* An energy by FFT is off by about the unit of rounding, 2^-24, of the product of the norms of
 * potential and charges. Measured on 25^3 to 128^3 cells: by 0.3 of that at the most. The squares
 * of the potential of one charge, over all cells, are below 4 q^2 / spacing^3 together. The norm of
 * a sum is at most the sum of the norms. */
double dock_rounding(dock_atom *const atom[2], const size_t count[2], double spacing) {
    double sum[2] = {0, 0};
    for (int part = 0; part < 2; part++) {
        for (size_t m = 0; m < count[part]; m++) {
            sum[part] += fabs(atom[part][m].charge);
        }
    }
    return ldexp(2 / sqrt(spacing * spacing * spacing) * sum[0] * sum[1], -23);
}
