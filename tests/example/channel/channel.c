/* The flow of channel.h: rates, time steps and projections.
 *
 * Fluxes through faces take the half of both neighbours, so convection keeps momentum and energy
 * (Verstappen and Veldman, J. Comput. Phys. 187, 2003). Three explicit stages of Runge and Kutta
 * make a step (Spalart, Moser and Rogers, J. Comput. Phys. 96, 1991), and each ends with
 * psg_project(). */
#include "tests/example/channel/cells.h"

#include <psg_project.h>

/** Cells of one axis. */
static void axis(flow *f, int a, const double *faces) {
    const size_t n = f->n[a];
    double *width = f->width[a] = memory(n + 2, sizeof *width);
    double *gap = f->gap[a] = memory(n + 1, sizeof *gap);
    for (size_t m = 1; m <= n; ++m) {
        width[m] = faces[m] - faces[m - 1];
    }
    width[0] = f->wall[a] ? width[1] : width[n];
    width[n + 1] = f->wall[a] ? width[n] : width[1];
    for (size_t m = 0; m <= n; ++m) {
        gap[m] = (width[m] + width[m + 1]) / 2;
    }
}

/** Faces between 0 and `length`, closer to each other at both ends: stretch 0 is uniform. */
static double *faces_of(size_t n, double length, double stretch) {
    double *face = memory(n + 1, sizeof *face);
    for (size_t m = 0; m <= n; ++m) {
        const double s = 2 * (double)m / (double)n - 1;
        face[m] = length * (1 + (stretch > 0 ? tanh(stretch * s) / tanh(stretch) : s)) / 2;
    }
    face[n] = length;
    return face;
}

/** The faces of the cells of plane k. x and y are uniform. */
static void faces_of_plane(flow *f, size_t k) {
    const size_t cell[3] = {1, 1, k};
    for (int c = 0; c < 3; ++c) {
        /* a volume reaches from the middle of a cell to that of the next */
        const double *of_c = f->width[c] + cell[c], gap = f->gap[c][cell[c]];
        for (int a = 0; a < 3; ++a) {
            const double *width = f->width[a] + cell[a], *middle = f->gap[a] + cell[a];
            const double extent = a == c ? gap : width[0];
            f->through[k][c][a] =
                (passage){.low = (real)(a == c ? 0.5 : of_c[0] / gap / 2),
                          .high = (real)(a == c ? 0.5 : of_c[1] / gap / 2),
                          .half = (real)(0.5 / extent),
                          .above = (real)(f->nu / extent / (a == c ? width[1] : middle[0])),
                          .below = (real)(f->nu / extent / (a == c ? width[0] : middle[-1]))};
        }
    }
}

void begin(flow *f, const size_t n[3], const double length[3], double stretch, bool wall_x,
           double nu) {
    *f = (flow){.n = {n[0], n[1], n[2]}, .wall = {wall_x, false, true}, .nu = nu};
    f->step[0] = 1;
    f->step[1] = n[0] + 2;
    f->step[2] = (n[0] + 2) * (n[1] + 2);
    psg_grid grid;
    psg_grid_init(&grid, n[0], n[1], n[2], length[0], length[1], length[2]);
    for (int a = 0; a < 3; ++a) {
        double *face = faces_of(n[a], length[a], a == 2 ? stretch : 0);
        axis(f, a, face);
        if (f->wall[a]) {
            grid.axis[a].bc[0] = grid.axis[a].bc[1] = PSG_BC_NEUMANN;
        }
        if (a == 2) {
            f->face = face;
        } else {
            release(face);
        }
        f->v[a] = memory(f->step[2] * (n[2] + 2), sizeof(real));
        f->rate[a] = memory(f->step[2] * (n[2] + 2), sizeof(real));
        f->before[a] = memory(f->step[2] * (n[2] + 2), sizeof(real));
    }
    f->u = memory(n[0] * n[1] * n[2], sizeof(real));
    f->planes = memory(n[2], sizeof *f->planes);
    f->through = memory(n[2] + 1, sizeof *f->through);
    for (size_t k = 1; k <= n[2]; ++k) {
        faces_of_plane(f, k);
    }
    to_twin(f->through);
    to_twin(f->face);
    for (int a = 0; a < 3; ++a) {
        to_twin(f->width[a]);
        to_twin(f->gap[a]);
    }
    grid.axis[2].faces = f->face;
    psg_options options;
    psg_options_init(&options);
    options.symbol = PSG_SYMBOL_FD2;
    options.gpus = place() == PSG_HOST ? 0 : 1;
    options.precision = sizeof(real) == sizeof(float) ? PSG_F32 : PSG_F64;
    if (psg_plan_create(&f->plan, &grid, &options) != PSG_OK) {
        fail(psg_last_error());
    }
}

void end(flow *f) {
    psg_plan_destroy(f->plan);
    for (int a = 0; a < 3; ++a) {
        release(f->width[a]);
        release(f->gap[a]);
        release(f->v[a]);
        release(f->rate[a]);
        release(f->before[a]);
    }
    release(f->u);
    release(f->planes);
    release(f->through);
    release(f->face);
}

double plane_mean(const flow *f, size_t k) {
    plane_numbers(f, SPEED, NULL);
    return f->planes[k - 1][0] / (double)(f->n[0] * f->n[1]);
}

double mean_speed(const flow *f) {
    double sum = 0;
    plane_numbers(f, SPEED, NULL);
    for (size_t k = 1; k <= f->n[2]; ++k) {
        sum += f->width[2][k] * f->planes[k - 1][0];
    }
    return sum / (double)(f->n[0] * f->n[1]) / (f->face[f->n[2]] - f->face[0]);
}

void project(flow *f) {
    psg_array v[3], u;
    psg_array_init(&u, twin(f->u));
    u.device = place();
    for (int c = 0; c < 3; ++c) {
        psg_array_init(&v[c], (real *)twin(f->v[c]) + at(f, 1, 1, 1));
        v[c].device = place();
        for (int a = 0; a < 3; ++a) {
            v[c].stride[a] = (ptrdiff_t)f->step[a];
        }
    }
    if (psg_project(f->plan, v, f->wall[0] ? &u : NULL, NULL) != PSG_OK) {
        fail(psg_last_error());
    }
    all_ghosts(f);
}

void take_step(flow *f, double dt) {
    static const double now[3] = {8. / 15, 5. / 12, 3. / 4}, then[3] = {0, -17. / 60, -5. / 12};
    for (int stage = 0; stage < 3; ++stage) {
        each_cell(f, RATES, 0, 0);
        each_cell(f, ADVANCE, dt * now[stage], dt * then[stage]);
        for (int c = 0; c < 3; ++c) {
            real *rate = f->rate[c];
            f->rate[c] = f->before[c];
            f->before[c] = rate;
        }
        if (f->flux > 0) {
            each_cell(f, FASTER, f->flux - mean_speed(f), 0);
        }
        project(f);
    }
}

double longest_step(const flow *f) {
    double rate = 0;
    plane_numbers(f, LARGEST, NULL);
    for (size_t k = 1; k <= f->n[2]; ++k) {
        const double h[3] = {f->width[0][1], f->width[1][1], f->width[2][k]};
        double convects = 0, spread = 0;
        for (int c = 0; c < 3; ++c) {
            convects += f->planes[k - 1][c] / h[c];
            spread += f->n[c] > 1 ? 4 * f->nu / (h[c] * h[c]) : 0;
        }
        rate = larger(rate, convects / sqrt(3) + spread / 2.5);
    }
    return 0.9 / rate;
}

double product(const flow *f, real *const w[3]) {
    double sum = 0;
    plane_numbers(f, PRODUCT, w);
    for (size_t k = 0; k < f->n[2]; ++k) {
        sum += f->planes[k][0];
    }
    return sum * f->width[0][1] * f->width[1][1];
}

double divergence(const flow *f) {
    double most = 0, speed = 0, thin = fmin(f->width[0][1], f->width[1][1]);
    plane_numbers(f, DIVERGENCE, NULL);
    for (size_t k = 1; k <= f->n[2]; ++k) {
        most = larger(most, f->planes[k - 1][0]);
        speed = larger(speed, f->planes[k - 1][1]);
        thin = fmin(thin, f->width[2][k]);
    }
    const double digit = sizeof(real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON;
    return most / (digit * speed / thin);
}
