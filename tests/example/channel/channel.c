/* The flow of channel.h: rates, time steps and projections.
 *
 * Fluxes through faces take the half of both neighbours, so convection keeps momentum and energy
 * (Verstappen and Veldman, J. Comput. Phys. 187, 2003). Three explicit stages of Runge and Kutta
 * make a step (Spalart, Moser and Rogers, J. Comput. Phys. 96, 1991), and each ends with
 * psg_project(). */
#include "tests/example/channel/channel.h"

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
static double *faces(size_t n, double length, double stretch) {
    double *face = memory(n + 1, sizeof *face);
    for (size_t m = 0; m <= n; ++m) {
        const double s = 2 * (double)m / (double)n - 1;
        face[m] = length * (1 + (stretch > 0 ? tanh(stretch * s) / tanh(stretch) : s)) / 2;
    }
    face[n] = length;
    return face;
}

void begin(flow *f, const size_t n[3], const double length[3], double stretch, bool wall_x) {
    *f = (flow){.n = {n[0], n[1], n[2]}, .wall = {wall_x, false, true}};
    f->step[0] = 1;
    f->step[1] = n[0] + 2;
    f->step[2] = (n[0] + 2) * (n[1] + 2);
    psg_grid grid;
    psg_grid_init(&grid, n[0], n[1], n[2], length[0], length[1], length[2]);
    for (int a = 0; a < 3; ++a) {
        double *face = faces(n[a], length[a], a == 2 ? stretch : 0);
        axis(f, a, face);
        if (f->wall[a]) {
            grid.axis[a].bc[0] = grid.axis[a].bc[1] = PSG_BC_NEUMANN;
        }
        if (a == 2) {
            f->face = face;
        } else {
            free(face);
        }
        f->v[a] = memory(f->step[2] * (n[2] + 2), sizeof(real));
        f->rate[a] = memory(f->step[2] * (n[2] + 2), sizeof(real));
        f->before[a] = memory(f->step[2] * (n[2] + 2), sizeof(real));
    }
    f->u = memory(n[0] * n[1] * n[2], sizeof(real));
    grid.axis[2].faces = f->face;
    psg_options options;
    psg_options_init(&options);
    options.symbol = PSG_SYMBOL_FD2;
    options.precision = sizeof(real) == sizeof(float) ? PSG_F32 : PSG_F64;
    if (psg_plan_create(&f->plan, &grid, &options) != PSG_OK) {
        fail(psg_last_error());
    }
}

void end(flow *f) {
    psg_plan_destroy(f->plan);
    for (int a = 0; a < 3; ++a) {
        free(f->width[a]);
        free(f->gap[a]);
        free(f->v[a]);
        free(f->rate[a]);
        free(f->before[a]);
    }
    free(f->u);
    free(f->face);
}

/** Ghost cells of component c along axis a. A wall is between two cells for a component along
 *  it, and the mean of both is the wall's speed. No flow goes through a wall. */
static void ghosts(const flow *f, int c, int a) {
    const int b = a == 0 ? 1 : 0, d = 3 - a - b;
    const size_t n = f->n[a], s = f->step[a];
    for (size_t q = 0; q < f->n[d] + 2; ++q) {
        for (size_t p = 0; p < f->n[b] + 2; ++p) {
            real *line = f->v[c] + p * f->step[b] + q * f->step[d];
            if (!f->wall[a]) {
                line[0] = line[n * s];
                line[(n + 1) * s] = line[s];
            } else if (a == c) {
                line[0] = line[n * s] = line[(n + 1) * s] = 0;
            } else {
                const real wall = (real)(a == 2 && c == 0 ? 2 * f->lid : 0);
                line[0] = f->slip ? line[s] : -line[s];
                line[(n + 1) * s] = f->slip ? line[n * s] : wall - line[n * s];
            }
        }
    }
}

void all_ghosts(const flow *f) {
    for (int c = 0; c < 3; ++c) {
        for (int a = 0; a < 3; ++a) {
            ghosts(f, c, a);
        }
    }
}

/** Add to a line of the rate of component c what goes through its volumes' faces along axis a:
 *  - d(v_a v_c)/dx_a + nu d2 v_c/dx_a2. */
static void through_faces(const flow *f, int c, int a, const size_t cell[3]) {
    const size_t m = at(f, 1, cell[1], cell[2]), count = last(f, c, 0);
    const ptrdiff_t sa = (ptrdiff_t)f->step[a], sc = (ptrdiff_t)f->step[c];
    const real *restrict v = f->v[c] + m, *restrict carrier = f->v[a] + m;
    real *restrict rate = f->rate[c] + m;
    /* half of what both cells of the volume carry; a volume reaches from the middle of a cell to
     * that of the next */
    const double *width = f->width[c] + cell[c], gap = f->gap[c][cell[c]];
    const real low = (real)(a == c ? 0.5 : width[0] / gap / 2),
               high = (real)(a == c ? 0.5 : width[1] / gap / 2);
    const double extent = a == c ? gap : f->width[a][cell[a]];
    const real half = (real)(0.5 / extent);
    const real above = (real)(f->nu / extent / (a == c ? width[1] : f->gap[a][cell[a]]));
    const real below = (real)(f->nu / extent / (a == c ? width[0] : f->gap[a][cell[a] - 1]));
    for (ptrdiff_t i = 0; i < (ptrdiff_t)count; ++i) {
        const real out = (low * carrier[i] + high * carrier[i + sc]) * (v[i] + v[i + sa]);
        const real in = (low * carrier[i - sa] + high * carrier[i - sa + sc]) * (v[i - sa] + v[i]);
        rate[i] += half * (in - out) + above * (v[i + sa] - v[i]) - below * (v[i] - v[i - sa]);
    }
}

void make_rates(flow *f) {
    for (int c = 0; c < 3; ++c) {
        const size_t planes = last(f, c, 2);
#pragma omp parallel for
        for (size_t k = 1; k <= planes; ++k) {
            for (size_t j = 1; j <= last(f, c, 1); ++j) {
                const size_t cell[3] = {1, j, k};
                real *rate = f->rate[c] + at(f, 1, j, k);
                for (size_t i = 0; i < last(f, c, 0); ++i) {
                    rate[i] = (real)(c == 0 ? f->force : 0);
                }
                for (int a = 0; a < 3; ++a) {
                    through_faces(f, c, a, cell);
                }
            }
        }
    }
}

double plane_mean(const flow *f, int c, size_t k) {
    double sum = 0;
    for (size_t j = 1; j <= f->n[1]; ++j) {
        const real *line = f->v[c] + at(f, 1, j, k);
        for (size_t i = 0; i < f->n[0]; ++i) {
            sum += (double)line[i];
        }
    }
    return sum / (double)(f->n[0] * f->n[1]);
}

double mean_speed(const flow *f) {
    double sum = 0;
    for (size_t k = 1; k <= f->n[2]; ++k) {
        sum += f->width[2][k] * plane_mean(f, 0, k);
    }
    return sum / (f->face[f->n[2]] - f->face[0]);
}

void project(flow *f) {
    psg_array v[3], u;
    psg_array_init(&u, f->u);
    for (int c = 0; c < 3; ++c) {
        psg_array_init(&v[c], f->v[c] + at(f, 1, 1, 1));
        for (int a = 0; a < 3; ++a) {
            v[c].stride[a] = (ptrdiff_t)f->step[a];
        }
    }
    if (psg_project(f->plan, v, f->wall[0] ? &u : NULL, NULL) != PSG_OK) {
        fail(psg_last_error());
    }
    all_ghosts(f);
}

static void advance(flow *f, double now, double then) {
    for (int c = 0; c < 3; ++c) {
        const size_t planes = last(f, c, 2);
#pragma omp parallel for
        for (size_t k = 1; k <= planes; ++k) {
            for (size_t j = 1; j <= f->n[1]; ++j) {
                const size_t m = at(f, 0, j, k);
                for (size_t i = m + 1; i <= m + last(f, c, 0); ++i) {
                    f->v[c][i] += (real)now * f->rate[c][i] + (real)then * f->before[c][i];
                }
            }
        }
        real *rate = f->rate[c];
        f->rate[c] = f->before[c];
        f->before[c] = rate;
    }
}

void take_step(flow *f, double dt) {
    static const double now[3] = {8. / 15, 5. / 12, 3. / 4}, then[3] = {0, -17. / 60, -5. / 12};
    for (int stage = 0; stage < 3; ++stage) {
        make_rates(f);
        advance(f, dt * now[stage], dt * then[stage]);
        if (f->flux > 0) {
            const real more = (real)(f->flux - mean_speed(f));
            for (size_t k = 1; k <= f->n[2]; ++k) {
                for (size_t j = 1; j <= f->n[1]; ++j) {
                    real *line = f->v[0] + at(f, 1, j, k);
                    for (size_t i = 0; i < f->n[0]; ++i) {
                        line[i] += more;
                    }
                }
            }
        }
        project(f);
    }
}

double longest_step(const flow *f) {
    double rate = 0;
    for (size_t k = 1; k <= f->n[2]; ++k) {
        const double h[3] = {f->width[0][1], f->width[1][1], f->width[2][k]};
        double most[3] = {0}, spread = 0;
        for (int c = 0; c < 3; ++c) {
            for (size_t j = 1; j <= f->n[1]; ++j) {
                const real *line = f->v[c] + at(f, 1, j, k);
                for (size_t i = 0; i < f->n[0]; ++i) {
                    most[c] = fmax(most[c], fabs((double)line[i]));
                }
            }
            spread += f->n[c] > 1 ? 4 * f->nu / (h[c] * h[c]) : 0;
        }
        rate =
            fmax(rate, (most[0] / h[0] + most[1] / h[1] + most[2] / h[2]) / sqrt(3) + spread / 2.5);
    }
    return 0.9 / rate;
}

double product(const flow *f, real *const w[3]) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        for (size_t k = 1; k <= last(f, c, 2); ++k) {
            const double height = c == 2 ? f->gap[2][k] : f->width[2][k];
            for (size_t j = 1; j <= f->n[1]; ++j) {
                for (size_t m = at(f, 1, j, k); m <= at(f, last(f, c, 0), j, k); ++m) {
                    sum += height * (double)f->v[c][m] * (double)w[c][m];
                }
            }
        }
    }
    return sum * f->width[0][1] * f->width[1][1];
}

double divergence(const flow *f) {
    double most = 0, speed = 0, thin = DBL_MAX;
    for (size_t k = 1; k <= f->n[2]; ++k) {
        for (size_t j = 1; j <= f->n[1]; ++j) {
            for (size_t i = 1; i <= f->n[0]; ++i) {
                const size_t cell[3] = {i, j, k}, m = at(f, i, j, k);
                double sum = 0;
                for (int a = 0; a < 3; ++a) {
                    const double width = f->width[a][cell[a]];
                    sum += ((double)f->v[a][m] - (double)f->v[a][m - f->step[a]]) / width;
                    speed = fmax(speed, fabs((double)f->v[a][m]));
                    thin = fmin(thin, width);
                }
                most = isnan(sum) ? sum : fmax(most, fabs(sum));
            }
        }
    }
    const double digit = sizeof(real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON;
    return most / (digit * speed / thin);
}
