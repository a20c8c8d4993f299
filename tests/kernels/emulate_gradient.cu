// The differences of u and the divergence of a flow, run on the CPU point by point from the same
// source as on the GPU, are those of a core: any pitches, sides and spacings along z, written or
// taken out of what is there, in both precisions. Needs no device.
#include "kernels/gradient.cuh"
extern "C" {
#include "cpu/ops.h"
}
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace psg_cuda;

static int failures = 0, checks = 0;

static double uniform() {
    return 2.0 * rand() / RAND_MAX - 1;
}

/// A field with gaps after rows and planes.
template <class Real> struct field {
    size_t row, plane;
    std::vector<Real> values;
    field(const size_t n[3], size_t gap) : row(n[0] + gap), plane(n[1] * row + gap) {
        for (size_t m = 0; m < n[2] * plane; m++)
            values.push_back(Real(uniform()));
    }
    Real *at(size_t k) {
        return values.data() + k * plane;
    }
};

template <class Real>
static void compare(const char *what, const size_t n[3], unsigned which, std::vector<Real> &got,
                    std::vector<Real> &want) {
    const double tolerance = sizeof(Real) == 8 ? 4e-15 : 2e-6;
    double most = 1, off = 0;
    for (size_t m = 0; m < want.size(); m++) {
        const double d = fabs((double)got[m] - (double)want[m]);
        most = fmax(most, fabs((double)want[m]));
        off = d > off || std::isnan(d) ? d : off;
    }
    checks++;
    if (!(off <= tolerance * most)) {
        printf("FAIL f%zu, %zux%zux%zu, case %u: %s is off by %.2e of %.2e\n", 8 * sizeof(Real),
               n[0], n[1], n[2], which, what, off, most);
        failures++;
    }
}

/// The divergence of a flow. @param other  has the plane below, where bit 6 of `which` says so
template <class Real>
static void check_flow(const size_t n[3], unsigned which, field<Real> v[3], field<Real> &other) {
    const psg_cpu_ops &core = sizeof(Real) == 8 ? psg_cpu_ops_f64 : psg_cpu_ops_f32;
    std::vector<double> width;
    for (size_t k = 0; k < n[2]; k++)
        width.push_back(2 + uniform());
    flow_args<Real> f{};
    std::vector<Real> out(n[0] * n[1] * n[2]), want = out;
    for (int d = 0; d < 3; d++) {
        f.v[d] = v[d].at(0);
        f.row[d] = v[d].row;
        f.plane[d] = v[d].plane;
        f.by[d] = 1.5 + d;
    }
    f.below = which & 64 ? other.at(0) : nullptr;
    f.below_row = other.row;
    f.width = which & 8 ? width.data() : nullptr;
    f.wraps[0] = which & 1;
    f.wraps[1] = which & 2;
    f.out = out.data();
    f.nx = (uint32_t)n[0];
    f.ny = (uint32_t)n[1];
    f.points = (uint32_t)(n[0] * n[1]);
    for (size_t k = 0; k < n[2]; k++) {
        for (uint32_t p = 0; p < f.points; p++)
            flow_cell(f, k, p);
        psg_cpu_flow c{};
        for (int d = 0; d < 3; d++) {
            c.v[d] = v[d].at(k);
            c.row_pitch[d] = v[d].row;
            c.by[d] = f.by[d];
        }
        c.by[2] /= which & 8 ? width[k] : 1;
        c.below = k > 0 ? v[2].at(k - 1) : f.below;
        c.below_pitch = k > 0 ? v[2].row : other.row;
        c.wraps[0] = f.wraps[0];
        c.wraps[1] = f.wraps[1];
        core.divergence(&c, n, want.data() + k * n[0] * n[1]);
    }
    compare("the divergence", n, which, out, want);
}

/// A component that is there already: it is written, or taken out of a flow, with what the values
/// on an upper side add to its last points. Bits of `which` as in check().
template <class Real> static void check_made(const size_t n[3], unsigned which) {
    const bool taken = which & 16, values = which & 32, next = which & 64;
    const double scale = 0.75, weight = 0.5;
    for (int d = 0; d < 3; d++) {
        const bool wraps = d < 2 ? which >> d & 1 : next;
        field<Real> u(n, 1), other(n, 2), got(n, 3), want = got;
        std::vector<Real> added;
        for (size_t m = 0; m < n[0] * n[1] * n[2]; m++)
            added.push_back(Real(uniform()));
        gradient_args<Real> a{};
        a.u = u.at(0);
        a.row = u.row;
        a.plane = u.plane;
        a.above = next ? other.at(0) : nullptr;
        a.above_row = other.row;
        a.nx = (uint32_t)n[0];
        a.ny = (uint32_t)n[1];
        a.planes = (uint32_t)n[2];
        a.points = (uint32_t)(n[0] * n[1]);
        a.along[d].out = got.at(0);
        a.along[d].row = got.row;
        a.along[d].plane = got.plane;
        a.along[d].weight = Real(weight);
        a.along[d].added = values ? added.data() : nullptr;
        a.along[d].wraps = wraps;
        a.along[d].taken = taken ? scale : 0;
        a.along[d].made = true;
        for (size_t k = 0; k < n[2]; k++)
            for (uint32_t p = 0; p < a.points; p++) {
                const size_t at[3] = {p % n[0], p / n[0], k};
                const size_t m = d == 0 ? k * n[1] + at[1] : d == 1 ? k * n[0] + at[0] : p;
                const bool ends = at[d] + 1 == n[d] && !wraps && values;
                const double made =
                    (double)u.at(k)[at[1] * u.row + at[0]] + (ends ? weight * (double)added[m] : 0);
                Real *to = want.at(k) + at[1] * want.row + at[0];
                *to = taken ? Real(*to - scale * made) : Real(made);
                if (!gradient_point(a, k, p))
                    failures++;
            }
        compare("a component that is made", n, which, got.values, want.values);
    }
}

/// Bits 0-2 of `which`: an axis wraps; 3: z has steps; 4: out of a flow; 5: values on sides; 6: a
/// plane is above, or below.
template <class Real> static void check(const size_t n[3], unsigned which) {
    const psg_cpu_ops &core = sizeof(Real) == 8 ? psg_cpu_ops_f64 : psg_cpu_ops_f32;
    const bool stretched = which & 8, taken = which & 16, values = which & 32, next = which & 64;
    field<Real> u(n, 1), other(n, 2), v[3] = {{n, 0}, {n, 2}, {n, 3}}, got[3] = {v[0], v[1], v[2]};
    std::vector<Real> added[3], plane(n[0] * n[1]);
    std::vector<double> step;
    const double scale = 0.75;
    for (size_t k = 0; k < n[2]; k++)
        step.push_back(2 + uniform());
    const size_t counts[3] = {n[2] * n[1], n[2] * n[0], n[0] * n[1]};
    gradient_args<Real> a{};
    psg_difference along[3];
    int overflow = 0;
    for (int d = 0; d < 3; d++) {
        for (size_t m = 0; m < counts[d]; m++)
            added[d].push_back(Real(uniform()));
        along[d] = {};
        along[d].scale = 1.5 + d;
        along[d].last = -3;
        along[d].weight = 0.5;
        along[d].wraps = which >> d & 1;
        a.along[d] = {got[d].at(0),
                      got[d].row,
                      got[d].plane,
                      Real(along[d].scale),
                      Real(along[d].last),
                      Real(along[d].weight),
                      values ? added[d].data() : nullptr,
                      along[d].wraps != 0,
                      false,
                      d == 2 && stretched ? step.data() : nullptr,
                      taken ? scale : 0};
    }
    a.u = u.at(0);
    a.row = u.row;
    a.plane = u.plane;
    a.above = next ? other.at(0) : nullptr;
    a.above_row = other.row;
    a.nx = (uint32_t)n[0];
    a.ny = (uint32_t)n[1];
    a.planes = (uint32_t)n[2];
    a.points = (uint32_t)(n[0] * n[1]);
    a.overflow = &overflow;
    for (size_t k = 0; k < n[2]; k++)
        for (uint32_t p = 0; p < a.points; p++)
            if (!gradient_point(a, k, p))
                failures++;
    for (size_t k = 0; k < n[2]; k++) {
        const bool last = k + 1 == n[2];
        psg_cpu_gradient_args c{};
        c.u = u.at(k);
        c.row_pitch = u.row;
        c.above = !last ? u.at(k + 1) : next ? other.at(0) : nullptr;
        c.above_pitch = last ? other.row : u.row;
        for (int d = 0; d < 3; d++) {
            c.along[d] = along[d];
            c.added[d] = !values ? nullptr : added[d].data() + (d < 2 ? k * n[1 - d] : 0);
        }
        c.along[2].scale *= stretched ? step[k] : 1;
        for (int d = 0; d < 3; d++) {
            psg_cpu_gradient_args one = c;
            one.result[d] = taken ? plane.data() : v[d].at(k);
            one.result_pitch[d] = taken ? n[0] : v[d].row;
            core.gradient(&one, n);
            if (taken)
                core.subtract(plane.data(), n, scale, v[d].at(k), v[d].row);
        }
    }
    for (int d = 0; d < 3; d++)
        compare("a component", n, which, got[d].values, v[d].values);
    check_flow(n, which, v, other);
}

int main() {
    const size_t sizes[][3] = {{1, 1, 1}, {2, 1, 3}, {1, 5, 2}, {7, 6, 5}, {33, 4, 3}};
    for (const auto &n : sizes)
        for (unsigned which = 0; which < 128; which++) {
            check<double>(n, which);
            check<float>(n, which);
            check_made<double>(n, which);
            check_made<float>(n, which);
        }
    printf("%d checks, %d failed\n", checks, failures);
    return failures > 0;
}
