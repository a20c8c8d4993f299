/* Messages with fewer bits of each number: u of white noise and its stencil are off by what the
 * page of several processes says, within a factor of 2, and by no less; messages have as many bytes
 * as their bits ask for. The gradient is off by as little. What does not go in messages, and single
 * precision, are bit by bit what they are without. The exchange alltoall is refused. */
#include "tests/mpi/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const oracle_grid cube = {{64, 64, 64}, {1.0, 1.0, 1.0}};
static const oracle_grid other = {{31, 29, 37}, {1.0, 0.9, 1.1}};

/* How far u is off, of its largest value, and its stencil, of the largest value of f: the least and
 * the most of noise, and for a smooth f, of 64^3 points. */
static const struct {
    int bits;
    double u, least, most, smooth;
} wires[] = {
    {48, 5e-12, 6e-12, 1e-11, 3e-10}, {40, 1e-9, 2e-9, 3e-9, 4e-8}, {32, 4e-8, 5e-8, 9e-8, 2e-6}};
#define WIRES (sizeof wires / sizeof *wires)

static double largest(size_t count, const double *a) {
    double most = 0;
    for (size_t m = 0; m < count; ++m) {
        most = fmax(most, fabs(a[m]));
    }
    return most;
}

/* The largest value of the 7-point stencil of a periodic array. */
static double largest_stencil(const oracle_grid *g, const double *a) {
    const size_t *n = g->n;
    const size_t points = oracle_points(g), step[3] = {1, n[0], n[0] * n[1]};
    double most = 0;
    for (size_t m = 0; m < points; ++m) {
        double sum = 0;
        for (int d = 0; d < 3; ++d) {
            const size_t at = m / step[d] % n[d], line = m - at * step[d];
            const double h = g->length[d] / (double)n[d];
            const double before = a[line + (at + n[d] - 1) % n[d] * step[d]];
            const double after = a[line + (at + 1) % n[d] * step[d]];
            sum += (before - 2 * a[m] + after) / (h * h);
        }
        most = fmax(most, fabs(sum));
    }
    return most;
}

/* The u of all processes. @return bytes that all of them sent */
static double solve(problem *p, int bits, double *u) {
    psg_statistics s;
    psg_plan *plan = NULL;
    p->options.wire_bits = bits;
    ranks_at("%s, %s, %d bits", p->variant->name, ranks_exchange_name(p->options.exchange), bits);
    share_take(&p->part, p->f);
    if (!CHECK_STATUS(psg_plan_create(&plan, &p->g, &p->options), PSG_OK) ||
        !CHECK_STATUS(psg_solve(plan, p->part.f, p->part.u), PSG_OK)) {
        psg_plan_destroy(plan);
        return NAN;
    }
    share_gather(&p->part, p->comm, u);
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    psg_plan_destroy(plan);
    return (double)ranks_sum(p->comm, (long)s.link[PSG_LINK_MESSAGE].bytes);
}

static void one_wire(problem *p, size_t w, const double *exact, double bytes, int smooth) {
    const int bits = wires[w].bits;
    const double sent = solve(p, bits, p->got);
    if (p->options.precision == PSG_F32 || bytes == 0) {
        CHECK(sent == bytes && memcmp(p->got, exact, p->points * sizeof *exact) == 0,
              "%s, %d bits: %g bytes instead of %g, or u is another", p->variant->name, bits, sent,
              bytes);
        return;
    }
    CHECK(sent == bytes * bits / 64, "%s, %d bits: %g bytes were sent, and %g of 64",
          p->variant->name, bits, sent, bytes);
    for (size_t m = 0; m < p->points; ++m) {
        p->got[m] -= exact[m];
    }
    const double u = largest(p->points, p->got) / largest(p->points, exact);
    const double stencil = largest_stencil(&p->grid, p->got) / largest(p->points, p->f);
    const double least = smooth ? wires[w].smooth : wires[w].least;
    const double most = smooth ? wires[w].smooth : wires[w].most;
    CHECK(smooth || (u > wires[w].u / 2 && u < wires[w].u * 2),
          "%s, %d bits: u is off by %g, the page says %g", p->variant->name, bits, u, wires[w].u);
    CHECK(stencil > least / 2 && stencil < most * 2,
          "%s, smooth %d, %d bits: the stencil is off by %g, the page says %g to %g",
          p->variant->name, smooth, bits, stencil, least, most);
}

/* u and its gradient, which the modes of u make once more: so these are there still. */
static void solve_gradient(problem *p, int bits, double *const fields[4]) {
    psg_plan *plan = NULL;
    part all = part_make(p->comm, p->options.precision, &p->grid);
    p->options.wire_bits = bits;
    ranks_at("gradient, %s, %d bits", p->variant->name, bits);
    CHECK_STATUS(psg_plan_create(&plan, &p->g, &p->options), PSG_OK);
    for (int turn = 0; turn < 2; ++turn) {
        CHECK_STATUS(part_submit(&all, plan, p->f, 7), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
    }
    for (int m = 0; m < 4; ++m) {
        share_gather(m == 0 ? &all.u : &all.g[m - 1], p->comm, fields[m]);
    }
    psg_plan_destroy(plan);
    part_free(&all);
}

static void gradients(problem *p) {
    double *exact[4], *rounded[4];
    for (int m = 0; m < 4; ++m) {
        exact[m] = oracle_array(p->points);
        rounded[m] = oracle_array(p->points);
    }
    solve_gradient(p, 64, exact);
    for (size_t w = 0; w < WIRES; ++w) {
        solve_gradient(p, wires[w].bits, rounded);
        for (int m = 0; m < 4; ++m) {
            CHECK_CLOSE(rounded[m], exact[m], p->grid.n[0], p->grid.n[1], p->grid.n[2],
                        harness_tolerance(p->options.precision, 20 * wires[w].u, 1e-6),
                        "field %d, %s, symbol %d, %d bits", m, p->variant->name, p->options.symbol,
                        wires[w].bits);
        }
    }
    for (int m = 0; m < 4; ++m) {
        free(exact[m]);
        free(rounded[m]);
    }
}

static void fill_smooth(problem *p) {
    const double pi = acos(-1);
    for (size_t m = 0; m < p->points; ++m) {
        double sum = 0;
        for (size_t d = 0, left = m; d < 3; left /= p->grid.n[d++]) {
            sum += cos(2 * pi * (double)(left % p->grid.n[d]) / (double)p->grid.n[d]);
        }
        p->f[m] = exp(2 * sum);
    }
    harness_round(p->options.precision, p->points, p->f);
}

static void one_run(size_t run) {
    const int smooth = run % 4 == 2;
    AT_END(problem_free) problem p = problem_make(run % 4 == 0 || smooth ? &cube : &other, run);
    if (smooth) {
        fill_smooth(&p);
    }
    double *exact = oracle_array(p.points);
    p.options.comm = &p.comm;
    p.options.symbol = run % 3 ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL;
    const double bytes = solve(&p, 64, exact);
    for (size_t w = 0; w < WIRES; ++w) {
        if (p.options.exchange == PSG_EXCHANGE_ALLTOALL) {
            psg_plan *plan = NULL;
            p.options.wire_bits = wires[w].bits;
            CHECK_STATUS(psg_plan_create(&plan, &p.g, &p.options), PSG_ERR_UNSUPPORTED);
        } else {
            one_wire(&p, w, exact, bytes, smooth);
        }
    }
    free(exact);
    if (p.options.exchange != PSG_EXCHANGE_ALLTOALL) {
        gradients(&p);
    }
}

/* From four processes on a node has two. */
static void choose_node(void) {
    const int rank = ranks_rank(MPI_COMM_WORLD);
    const char name[2] = {(char)('a' + rank / 2), '\0'};
    if (ranks_size(MPI_COMM_WORLD) >= 4) {
        setenv("PSG_TEST_NODE", name, 1);
    }
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    choose_node();
    problem anchor = problem_make(&other, 0); /* so that StarPU starts once */
    problem_plan(&anchor);
    for (size_t run = 0; run < PROBLEM_RUNS; ++run) {
        if (ranks_takes(run)) {
            one_run(run);
        }
    }
    problem_free(&anchor);
    return ranks_finish(check_result());
}
