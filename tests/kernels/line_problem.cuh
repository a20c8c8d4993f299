// What the tests of the kernel of equations along z solve, with the answer of a core's kspace.
#ifndef PSG_TESTS_LINE_PROBLEM_CUH
#define PSG_TESTS_LINE_PROBLEM_CUH

#include "kernels/line.cuh"
extern "C" {
#include "cpu/ops.h"
}
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace psg_cuda {

static int failures = 0, checks = 0;

static double uniform() {
    return 2.0 * rand() / RAND_MAX - 1;
}

/// One matrix for both parts of a number; one for each; one, and the derivative beside u.
enum form { ONE, PAIRS, BESIDE };

/// Sides of z.
enum sides { PERIODIC, CLOSED, HELD, LOWER, UPPER, OPEN, OPEN_ABOVE, OPEN_BELOW, ONE_OPEN, SIDES };

struct line {
    std::vector<double> before, after, side, width, step, ex, ey, all;
    psg_cpu_line cpu{};

    line(uint32_t n, int at, double ratio, uint32_t nxc, uint32_t rows)
        : before(n), after(n), side(n), width(n), step(n), ex(nxc), ey(rows) {
        const bool wraps = at == PERIODIC && n > 1;
        for (uint32_t k = 0; k < n; k++) {
            width[k] = pow(ratio, 0.5 + 0.5 * uniform());
            step[k] = 1 / pow(ratio, 0.5 + 0.5 * uniform());
        }
        for (uint32_t k = 0; k < n; k++) {
            before[k] = k > 0 || wraps ? step[(k + n - 1) % n] / width[k] : 0;
            after[k] = k + 1 < n || wraps ? step[k] / width[k] : 0;
        }
        side[0] += at == HELD || at == LOWER || at == ONE_OPEN ? 1.5 / width[0] : 0;
        side[n - 1] += at == HELD || at == UPPER ? 2.5 / width[n - 1] : 0;
        cpu.n = n;
        cpu.wraps = wraps;
        cpu.null = at == PERIODIC || at == CLOSED || (at >= OPEN && at < ONE_OPEN);
        open_ends(at);
        cpu.before = before.data();
        cpu.after = after.data();
        cpu.side = side.data();
        cpu.width = width.data();
        cpu.step = step.data();
        cpu.norm = 1.25;
        cpu.last = at == HELD || at == UPPER ? -2.5 : 0;
        all.push_back(wraps ? step[n - 1] : 0);
        for (uint32_t k = 0; k < n; k++)
            all.push_back(k + 1 < n || wraps ? step[k] : 0);
        all.insert(all.end(), width.begin(), width.end());
        all.push_back(side[0] * width[0]);
        all.push_back(n > 1 ? side[n - 1] * width[n - 1] : 0);
        const double length = std::accumulate(width.begin(), width.end(), 0.0);
        all.push_back(length);
        all.push_back(cpu.last);
        all.insert(all.end(), cpu.open, cpu.open + 2);
        const double end = at == OPEN ? 2 * cpu.reach : cpu.reach;
        const bool some = at >= OPEN && at < ONE_OPEN;
        for (double more :
             {cpu.share[0] * length, some ? cpu.share[1] * length + end : 0, cpu.share[0] * length,
              at == OPEN_BELOW ? -length : 0, some ? 0.0 : 1.0})
            all.push_back(more);
    }
    /// Of which the one of ONE_OPEN is above a wall.
    void open_ends(int at) {
        const uint32_t n = width.size();
        const bool below = at == OPEN || at == OPEN_BELOW, above = at >= OPEN && at != OPEN_BELOW;
        cpu.open[0] = below ? width[0] : 0;
        cpu.open[1] = above ? width[n - 1] : 0;
        cpu.share[0] = at == OPEN ? 0.5 : at == OPEN_BELOW;
        cpu.share[1] = at == OPEN ? 0.5 : at == OPEN_ABOVE;
        cpu.reach = at == OPEN ? 0 : at == OPEN_BELOW ? width[n - 1] / 2 : width[0] / 2;
        for (uint32_t k = 0; k + 1 < n; k++)
            cpu.reach += (at == OPEN ? 0.25 : 1) / step[k];
    }
};

/// A sheet and what a kernel gets of it. run(problem): u, mode0 and nonfinite are of u.
template <class Real> struct line_problem {
    static constexpr uint32_t nxc = 5, rows = 3, columns = nxc * rows, pitch = columns + 2;
    const uint32_t n;
    const enum form form;
    const double lambda, scale = 0.75;
    line l;
    std::vector<Real> ex, ey;
    std::vector<complex_t<Real>> f, u, beside;
    complex_t<Real> mode0{};
    int nonfinite = 0;

    line_problem(uint32_t n_, int at, double ratio, double lambda_, enum form form_)
        : n(n_), form(form_), lambda(lambda_),
          l(n_, at, ratio, nxc * (form_ == PAIRS ? 2 : 1), rows) {
        for (auto *eigen : {&l.ex, &l.ey})
            for (size_t m = 0; m < eigen->size(); m++) {
                (*eigen)[m] = m == 0 ? 0 : -1e-3 * (double)(m * m * m);
                (eigen == &l.ex ? ex : ey).push_back((Real)(*eigen)[m]);
            }
        l.cpu.eigen[0] = l.ex.data();
        l.cpu.eigen[1] = l.ey.data();
        for (size_t m = 0; m < (size_t)n * pitch; m++)
            f.push_back({Real(uniform()), Real(uniform())});
        u = beside = f; // what is not the sheet's stays
    }
    /// @param[out] derivative  with BESIDE
    std::vector<complex_t<Real>> answer(complex_t<Real> *mode,
                                        std::vector<complex_t<Real>> *derivative) {
        std::vector<complex_t<Real>> want = f;
        *derivative = f;
        psg_cpu_divide divide{};
        divide.apart = form == PAIRS;
        divide.lambda = lambda;
        divide.scale = scale;
        divide.line = &l.cpu;
        void *scratch = aligned_alloc(64, (psg_cpu_line_scratch_bytes(n) + 63) / 64 * 64);
        const psg_cpu_piece piece = {want.data(), pitch, n};
        const psg_cpu_piece other = {derivative->data(), pitch, n};
        const psg_cpu_sheet sheet = {1, &piece, form == BESIDE ? &other : nullptr, nxc, 0, columns};
        const psg_cpu_ops &core = sizeof(Real) == 8 ? psg_cpu_ops_f64 : psg_cpu_ops_f32;
        core.kspace(nullptr, &divide, &sheet, scratch, mode);
        free(scratch);
        return want;
    }
};

/// The largest error of a column over its largest number, or over `least` where that is more.
template <class Real>
static double error_of(const line_problem<Real> &p, const std::vector<complex_t<Real>> &got,
                       const std::vector<complex_t<Real>> &want, const std::vector<double> &least,
                       std::vector<double> *largest) {
    double worst = 0;
    for (uint32_t c = 0; c < p.pitch; c++) {
        double most = least[c], off = 0;
        for (uint32_t z = 0; z < p.n; z++) {
            const complex_t<Real> w = want[z * p.pitch + c], g = got[z * p.pitch + c];
            const double d = fabs(g.x - w.x) + fabs(g.y - w.y);
            most = fmax(most, fmax(fabs(w.x), fabs(w.y)));
            off = d > off || std::isnan(d) ? d : off;
        }
        (*largest)[c] = most;
        worst = off / most > worst || std::isnan(off) ? off / most : worst;
    }
    return worst;
}

template <class Real, class Run>
static void check(uint32_t n, int at, double ratio, double lambda, enum form form, Run run) {
    line_problem<Real> p(n, at, ratio, lambda, form);
    complex_t<Real> mode0{};
    std::vector<complex_t<Real>> derivative;
    const std::vector<complex_t<Real>> want = p.answer(&mode0, &derivative);
    const size_t pitch = p.pitch;
    run(p);
    // u of one row that loses nothing is 0; of an open one it is that to rounding
    std::vector<double> least(pitch, at == OPEN && n == 1 ? 1 : 1e-20);
    double worst = error_of(p, p.u, want, least, &least);
    // Differences of u in f64 have its digits, where those of f32 would have none.
    for (double &most : least)
        most *= sizeof(Real) == 4 ? 1e-6 : 1;
    const double beside = error_of(p, p.beside, derivative, least, &least);
    // In f32 ex + ey is rounded. In f64 the sums of a long column lose a little with each row.
    const double tolerance = sizeof(Real) == 4 ? 4e-6 : fmax(4e-14, 2e-17 * n);
    const double off = fabs(p.mode0.x - mode0.x) + fabs(p.mode0.y - mode0.y);
    checks++;
    if (!(worst <= tolerance) || !(beside <= tolerance) || !(off <= tolerance) || p.nonfinite) {
        printf(
            "FAIL f%zu, n = %u, sides %d, %g:1, lambda %g, form %d: error %.2e, of the derivative "
            "%.2e, mode 0 off by %.2e\n",
            8 * sizeof(Real), n, at, ratio, lambda, form, worst, beside, off);
        failures++;
    }
    p.u[(size_t)(n / 2) * pitch + 3].y = Real(NAN);
    run(p);
    if (!p.nonfinite) {
        printf("FAIL n = %u: a NaN is not found\n", n);
        failures++;
    }
}

/// All sides, spacings and lengths. run(problem) of both precisions.
template <class Run> static int check_all(Run run) {
    for (int pass = 0; pass < 2; pass++) // the second one is that of derivatives, not of open ends
        for (uint32_t n :
             {1u, 2u, 3u, 7u, 16u, 17u, 33u, 64u, 97u, 512u, 1000u, 1024u, 2500u, 5000u})
            for (int at = 0; at < (pass == 0 ? (int)SIDES : (int)OPEN); at++)
                for (int m = 0; m < (pass == 0 ? 8 : 4); m++) {
                    const enum form form = pass == 1 ? BESIDE : m & 4 ? PAIRS : ONE;
                    check<double>(n, at, m & 1 ? 101 : 1, m & 2 ? 1e-3 : 0, form, run);
                    check<float>(n, at, m & 1 ? 101 : 1, m & 2 ? 1e-3 : 0, form, run);
                }
    printf("%d checks, %d failed\n", checks, failures);
    return failures > 0;
}

} // namespace psg_cuda
#endif
