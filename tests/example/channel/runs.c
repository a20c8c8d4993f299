/* Turbulence between two walls, a cavity under a moving lid, and what is known exactly of such
 * flows.
 *
 *     channel flow [NAME=VALUE ...]      turbulence; profile.txt has its means in wall units
 *     channel cavity [NAME=VALUE ...]    beside the values of Ghia, Ghia and Shin (1982)
 *     channel check                      exit status 0 if all that is known holds
 *
 * Lengths are in halves of the height and times in these over the mean speed, but in the cavity,
 * whose side and lid have 1. re is the mean speed times half the height over the viscosity, nx
 * ny nz are cells, lx and ly lengths in units of pi. Cells of z are thinner at the walls for a
 * larger stretch. */
#include "tests/example/channel/cells.h"

#include <time.h>

/** Values on the command line, NAME=VALUE. */
typedef struct setting {
    const char *name;
    double value;
} setting;

enum { NX, NY, NZ, LX, LY, STRETCH, RE, TIME, SKIP, SETTINGS };

/* ---------------------------------------------------------------------------------- turbulence */

/** A number between -1 and 1 that looks random, the same on each machine. */
static double noise(unsigned long long *state) {
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) / 4503599627370496. - 1;
}

static void disturb(flow *f, const double length[3]) {
    enum { WAVES = 60 };
    unsigned long long state = 1;
    double wave[WAVES][7];
    for (int w = 0; w < WAVES; ++w) {
        wave[w][0] = 2 * pi / length[0] * floor(3 * fabs(noise(&state)));
        wave[w][1] = 2 * pi / length[1] * floor(1 + 4 * fabs(noise(&state)));
        wave[w][2] = pi / length[2] * floor(1 + 5 * fabs(noise(&state)));
        for (int d = 3; d < 7; ++d) {
            wave[w][d] = noise(&state);
        }
    }
#pragma omp parallel for
    for (size_t k = 1; k <= f->n[2]; ++k) {
        const double z = (f->face[k] + f->face[k - 1]) / 2;
        double high[WAVES];
        for (int w = 0; w < WAVES; ++w) {
            high[w] = 0.04 * sin(wave[w][2] * z);
        }
        for (size_t j = 1; j <= f->n[1]; ++j) {
            for (size_t i = 1; i <= f->n[0]; ++i) {
                double sum[3] = {0};
                for (int w = 0; w < WAVES; ++w) {
                    const double x = (double)i * f->width[0][1], y = (double)j * f->width[1][1];
                    const double shape =
                        high[w] * sin(wave[w][0] * x + wave[w][1] * y + 3 * wave[w][3]);
                    for (int c = 0; c < 3; ++c) {
                        sum[c] += wave[w][4 + c] * shape;
                    }
                }
                sum[0] += 8. / 7 * pow(1 - fabs(1 - z), 1. / 7);
                for (int c = 0; c < 3; ++c) {
                    f->v[c][at(f, i, j, k)] = (real)sum[c];
                }
            }
        }
    }
    for (int c = 0; c < 3; ++c) {
        to_twin(f->v[c]);
    }
    all_ghosts(f);
    project(f);
}

/** Sums over planes and times: u, u u, v v, w w, u w in the middle of cells. */
typedef struct means {
    double (*sum)[NUMBERS]; /* [nz] */
    double count;
} means;

static void add_means(const flow *f, means *s) {
    plane_numbers(f, SQUARES, NULL);
    for (size_t k = 0; k < f->n[2]; ++k) {
        for (int q = 0; q < NUMBERS; ++q) {
            s->sum[k][q] += f->planes[k][q];
        }
    }
    s->count += (double)(f->n[0] * f->n[1]);
}

/** Write the means of both halves, in wall units; return the Reynolds number of the friction. */
static double write_profile(const flow *f, const means *s, const char *name) {
    const size_t n = f->n[2];
    const double shear = f->nu * (s->sum[0][0] + s->sum[n - 1][0]) / s->count / f->width[2][1];
    const double friction = sqrt(shear), unit[5] = {friction, shear, shear, shear, shear};
    FILE *file = fopen(name, "w");
    if (!file) {
        fail("profile.txt cannot be written");
    }
    fprintf(file, "# z  z+  U+  uu+  vv+  ww+  -uw+   Re_tau %.2f\n", friction / f->nu);
    for (size_t k = 0; k < n / 2; ++k) {
        const double z = (f->face[k] + f->face[k + 1]) / 2, *low = s->sum[k],
                     *high = s->sum[n - 1 - k];
        double mean[5];
        for (int q = 0; q < 5; ++q) {
            mean[q] = (low[q] + (q == 4 ? -high[q] : high[q])) / 2 / s->count;
        }
        const double u[2] = {low[0] / s->count, high[0] / s->count};
        mean[1] -= (u[0] * u[0] + u[1] * u[1]) / 2;
        fprintf(file, "%.5f %.3f", z, z * friction / f->nu);
        for (int q = 0; q < 5; ++q) {
            fprintf(file, " %.5f", (q == 4 ? -mean[q] : mean[q]) / unit[q]);
        }
        fprintf(file, "\n");
    }
    fclose(file);
    return friction / f->nu;
}

/** The speed along x in the plane nearest to `z`, as grey: a portable graymap, 0 black, `white`
 *  white. */
static void write_plane(const flow *f, double z, double white, const char *name) {
    size_t k = 1;
    while (k < f->n[2] && f->face[k] < z) {
        ++k;
    }
    FILE *file = fopen(name, "wb");
    if (!file) {
        fail("streaks.pgm cannot be written");
    }
    from_twin(f->v[0]);
    fprintf(file, "P5 %zu %zu 255\n", f->n[0], f->n[1]);
    for (size_t j = 1; j <= f->n[1]; ++j) {
        for (size_t i = 1; i <= f->n[0]; ++i) {
            fputc((int)fmin(255, fmax(0, 255 * (double)f->v[0][at(f, i, j, k)] / white)), file);
        }
    }
    fclose(file);
}

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int turbulence(const setting *set) {
    const size_t n[3] = {(size_t)set[NX].value, (size_t)set[NY].value, (size_t)set[NZ].value};
    const double length[3] = {set[LX].value * pi, set[LY].value * pi, 2};
    flow f;
    begin(&f, n, length, set[STRETCH].value, false, 1 / set[RE].value);
    f.flux = 1;
    means sums = {memory(n[2], sizeof *sums.sum), 0};
    disturb(&f, length);
    double now = 0, dt = 0;
    long step = 0;
    const double start = seconds();
    for (; now < set[TIME].value; ++step) {
        dt = step % 10 == 0 ? longest_step(&f) : dt;
        take_step(&f, dt);
        now += dt;
        if (step % 10 == 9 && now >= set[SKIP].value) {
            add_means(&f, &sums);
        }
        if (step % 500 == 499) {
            const double shear = (plane_mean(&f, 1) + plane_mean(&f, n[2])) / f.width[2][1];
            printf("step %ld  time %.2f  dt %.4f  Re_tau %.1f  divergence %.1f last digits  %.1f "
                   "ms a step\n",
                   step + 1, now, dt, sqrt(shear / f.nu), divergence(&f),
                   1e3 * (seconds() - start) / (double)(step + 1));
            fflush(stdout);
            if (sums.count > 0) {
                write_profile(&f, &sums, "profile.txt");
                write_plane(&f, 15 / 180., 1.2, "streaks.pgm");
            }
        }
    }
    const double each = 1e3 * (seconds() - start) / (double)step;
    const double digits = divergence(&f);
    const double friction = sums.count > 0 ? write_profile(&f, &sums, "profile.txt") : NAN;
    write_plane(&f, 15 / 180., 1.2, "streaks.pgm");
    printf("Re_tau %.2f, mean speed %.12f, divergence %.1f last digits, %ld steps of %.1f ms\n",
           friction, mean_speed(&f), digits, step, each);
    release(sums.sum);
    end(&f);
    return digits < 32 && friction > 0 ? 0 : 1;
}

/* -------------------------------------------------------------------------------------- cavity */

/** Ghia, Ghia and Shin, J. Comput. Phys. 48, 387 (1982), tables I and II, Re 100 and 1000: u at
 *  heights z in the middle of x, w at places x in the middle of z, on a square of side 1 under a
 *  lid of speed 1. */
enum { PLACES = 15 };
static const double ghia_z[PLACES] = {.0547, .0625, .0703, .1016, .1719, .2813, .4531, .5,
                                      .6172, .7344, .8516, .9531, .9609, .9688, .9766};
static const double ghia_x[PLACES] = {.0625, .0703, .0781, .0938, .1563, .2266, .2344, .5,
                                      .8047, .8594, .9063, .9453, .9531, .9609, .9688};
static const double ghia_u[2][PLACES] = {
    {-.03717, -.04192, -.04775, -.06434, -.10150, -.15662, -.21090, -.20581, -.13641, .00332,
     .23151, .68717, .73722, .78871, .84123},
    {-.18109, -.20196, -.22220, -.29730, -.38289, -.27805, -.10648, -.06080, .05702, .18719, .33304,
     .46604, .51117, .57492, .65928}};
static const double ghia_w[2][PLACES] = {
    {.09233, .10091, .10890, .12317, .16077, .17507, .17527, .05454, -.24533, -.22445, -.16914,
     -.10313, -.08864, -.07391, -.05906},
    {.27485, .29012, .30353, .32627, .37095, .33075, .32235, .02526, -.31966, -.42665, -.51550,
     -.39188, -.33714, -.27669, -.21388}};

/** Between the middles of cells along axis a: the value at `place` of values that are `step`
 *  elements apart. */
static double between(const flow *f, int a, const real *value, double place) {
    size_t m = 0;
    double middle = -f->width[a][0] / 2;
    while (m < f->n[a] && middle + f->gap[a][m] < place) {
        middle += f->gap[a][m++];
    }
    const double share = (place - middle) / f->gap[a][m];
    return (1 - share) * (double)value[m * f->step[a]] +
           share * (double)value[(m + 1) * f->step[a]];
}

/** A square whose upper side moves, until the flow is steady. @return the largest difference
 *  from Ghia et al. */
static double cavity(size_t n, double re, double stretch, bool print) {
    const double length[3] = {1, 1. / (double)n, 1};
    flow f;
    begin(&f, (const size_t[3]){n, 1, n}, length, stretch, true, 1 / re);
    f.lid = 1;
    all_ghosts(&f);
    double change = 1, error = 0, energy = 0;
    for (long step = 0; change > 1e-6 && step < 1000000; ++step) {
        const double dt = longest_step(&f), before = energy;
        take_step(&f, dt);
        energy = product(&f, f.v);
        change = fabs(energy - before) / energy / dt;
    }
    const int table = re > 500;
    from_twin(f.v[0]);
    from_twin(f.v[2]);
    for (int p = 0; p < PLACES; ++p) {
        const double u = between(&f, 2, f.v[0] + at(&f, n / 2, 1, 0), ghia_z[p]);
        const double w = between(&f, 0, f.v[2] + at(&f, 0, 1, n / 2), ghia_x[p]);
        error = fmax(error, fmax(fabs(u - ghia_u[table][p]), fabs(w - ghia_w[table][p])));
        if (print) {
            printf("%.4f %8.5f %8.5f   %.4f %8.5f %8.5f\n", ghia_z[p], u, ghia_u[table][p],
                   ghia_x[p], w, ghia_w[table][p]);
        }
    }
    end(&f);
    return error;
}

/* --------------------------------------------------------------------------------------- check */

static int wrong;

static void holds(bool right, const char *words, double found, double bound) {
    printf("%s %-72s %.3g (%.3g)\n", right ? "ok   " : "WRONG", words, found, bound);
    wrong += !right;
}

/** Convection neither makes nor takes momentum and energy, where walls let the flow slip. */
static void check_conservation(void) {
    const double length[3] = {4, 3, 2};
    const double digit = sizeof(real) == sizeof(float) ? 1e-7 : 2e-16;
    flow f;
    begin(&f, (const size_t[3]){18, 15, 16}, length, 2, false, 0);
    f.slip = true;
    disturb(&f, length);
    holds(divergence(&f) < 32, "divergence after a projection, last digits", divergence(&f), 32);
    each_cell(&f, RATES, 0, 0);
    const double power = product(&f, f.rate), scale = sqrt(product(&f, f.v));
    double force = 0, rates = 0;
    for (int c = 0; c < 3; ++c) {
        from_twin(f.rate[c]);
        for (size_t m = 0; m < f.step[2] * (f.n[2] + 2); ++m) {
            rates = fmax(rates, fabs((double)f.rate[c][m]));
        }
    }
    for (size_t k = 1; k <= f.n[2]; ++k) {
        for (size_t m = f.step[2] * k; m < f.step[2] * (k + 1); ++m) {
            force += f.width[2][k] * (double)f.rate[0][m];
        }
    }
    force *= f.width[0][1] * f.width[1][1];
    const double volume = length[0] * length[1] * length[2];
    holds(fabs(power) <= 100 * digit * rates * scale * sqrt(volume), "power of convection", power,
          100 * digit * rates * scale * sqrt(volume));
    holds(fabs(force) <= 100 * digit * rates * volume, "force of convection along x", force,
          100 * digit * rates * volume);
    end(&f);
}

/** Poiseuille's flow: what the equations of the cells have as their steady flow stays, and is
 *  the parabola to order 2. */
static double poiseuille(size_t n, double *moved) {
    const double length[3] = {2, 2, 2};
    flow f;
    begin(&f, (const size_t[3]){6, 4, n}, length, 1.5, false, 0.1);
    f.force = 2 * f.nu;
    double u = f.width[2][1],
           error = 0; /* the force on the half is f.force, nu u / (width/2) is the friction */
    for (size_t k = 1; k <= n; ++k) {
        const double z = (f.face[k - 1] + f.face[k]) / 2;
        error = fmax(error, fabs(u - z * (2 - z)));
        for (size_t j = 1; j <= f.n[1]; ++j) {
            for (size_t i = 1; i <= f.n[0]; ++i) {
                f.v[0][at(&f, i, j, k)] = (real)u;
            }
        }
        u += f.gap[2][k] * 2 * (1 - f.face[k]);
    }
    to_twin(f.v[0]);
    all_ghosts(&f);
    from_twin(f.v[0]);
    real *begun = memory(f.step[2] * (n + 2), sizeof *begun);
    memcpy(begun, f.v[0], f.step[2] * (n + 2) * sizeof *begun);
    for (int step = 0; step < 100; ++step) {
        take_step(&f, longest_step(&f));
    }
    *moved = 0;
    from_twin(f.v[0]);
    for (size_t m = 0; m < f.step[2] * (n + 2); ++m) {
        *moved = fmax(*moved, fabs((double)(f.v[0][m] - begun[m])));
    }
    release(begun);
    end(&f);
    return error;
}

/** A vortex between walls that decays by friction alone: the stream function is (cos(b z)/cos(b)
 *  - cosh(q z)/cosh(q)) cos(q x), z from the middle, and the speed falls by exp(-nu (q^2 + b^2)
 *  t), where b tan b = -q tanh q. @return the error of that rate, as a share of it */
static double stokes(size_t n) {
    const double q = 1, length[3] = {2 * pi, 2 * pi / (double)n, 2}, size = 1e-5;
    double low = pi / 2 + 1e-9, high = pi;
    for (int bisect = 0; bisect < 60; ++bisect) {
        const double b = (low + high) / 2;
        *(b * tan(b) < -q * tanh(q) ? &low : &high) = b;
    }
    const double b = low;
    flow f;
    begin(&f, (const size_t[3]){n, 1, n}, length, 1, false, 1);
    for (size_t k = 1; k <= n; ++k) {
        const double middle = (f.face[k - 1] + f.face[k]) / 2 - 1, face = f.face[k] - 1;
        for (size_t i = 1; i <= n; ++i) {
            const double x = (double)i * f.width[0][1], mid = x - f.width[0][1] / 2;
            f.v[0][at(&f, i, 1, k)] =
                (real)(size * (-b * sin(b * middle) / cos(b) - q * sinh(q * middle) / cosh(q)) *
                       cos(q * x));
            f.v[2][at(&f, i, 1, k)] =
                (real)(size * q * (cos(b * face) / cos(b) - cosh(q * face) / cosh(q)) *
                       sin(q * mid));
        }
    }
    to_twin(f.v[0]);
    to_twin(f.v[2]);
    all_ghosts(&f);
    project(&f);
    double now = 0, begun = 0, from = 0; /* other modes decay first */
    while (now < 0.3) {
        const double dt = longest_step(&f) / 2;
        take_step(&f, dt);
        now += dt;
        if (begun == 0 && now >= 0.1) {
            begun = product(&f, f.v);
            from = now;
        }
    }
    const double rate = log(begun / product(&f, f.v)) / 2 / (now - from);
    end(&f);
    return fabs(rate / (q * q + b * b) - 1);
}

static int check(void) {
    check_conservation();
    double moved[2];
    const double laminar[2] = {poiseuille(16, &moved[0]), poiseuille(32, &moved[1])};
    const double still = sizeof(real) == sizeof(float) ? 2e-5 : 1e-12;
    holds(moved[1] <= still, "steady flow between walls moves by", moved[1], still);
    holds(fabs(laminar[0] / laminar[1] - 4) < 0.4, "its error falls with twice the cells by",
          laminar[0] / laminar[1], 4);
    const double decay[2] = {stokes(16), stokes(32)};
    holds(decay[1] < 5e-3, "decay of a vortex between walls is wrong by", decay[1], 5e-3);
    holds(fabs(decay[0] / decay[1] - 4) < 0.5, "and with twice the cells less by",
          decay[0] / decay[1], 4);
    return wrong > 0;
}

int main(int count, char **words) {
    setting set[SETTINGS] = {{"nx", 32},       {"ny", 32},   {"nz", 32},    {"lx", 2},  {"ly", 1},
                             {"stretch", 1.6}, {"re", 2784}, {"time", 1.5}, {"skip", 1}};
    const char *what = count > 1 ? words[1] : "";
    for (int w = 2; w < count; ++w) {
        const char *equal = strchr(words[w], '=');
        int s = 0;
        while (s < SETTINGS && equal &&
               (strlen(set[s].name) != (size_t)(equal - words[w]) ||
                strncmp(words[w], set[s].name, strlen(set[s].name)) != 0)) {
            ++s;
        }
        char *rest = NULL;
        const double value = equal ? strtod(equal + 1, &rest) : 0;
        if (!equal || s == SETTINGS || rest == equal + 1 || *rest ||
            !(value > 0 || (value == 0 && s == STRETCH))) {
            fprintf(stderr, "channel: %s is no NAME=VALUE with a value above 0\n", words[w]);
            return 2;
        }
        set[s].value = value;
    }
    if (strcmp(what, "flow") == 0) {
        return turbulence(set);
    }
    if (strcmp(what, "check") == 0) {
        return check();
    }
    if (strcmp(what, "cavity") == 0) {
        const double error = cavity((size_t)set[NZ].value, set[RE].value > 500 ? 1000 : 100,
                                    set[STRETCH].value, true);
        printf("largest difference %.5f\n", error);
        return error < 0.02 ? 0 : 1;
    }
    fail("say flow, cavity or check");
}
