// The tasks of conjugate gradients on a segment, on a core beside another side, which writes the same
// bits: in both precisions of f, u, eps and of the preconditioner, for rows and planes that fill no
// block, for pitched arrays, for sides of any kind, and for a stretched z.
#ifndef PSG_TESTS_PCG_PROBLEM_CUH
#define PSG_TESTS_PCG_PROBLEM_CUH

#include "kernels/pcg.h"
#include "tests/kernels/check_cuda.h"
#include <algorithm>
extern "C" {
#include "cpu/pcg.h"
}

/// Doubles on both sides: equal bytes are equal NaNs, too.
template <class Array> struct pcg_twin {
    std::vector<double> host;
    Array device;

    explicit pcg_twin(size_t n) : host(n), device(n) {
        for (double &value : host)
            value = check_uniform();
        device.put(host);
    }
    void same(const char *what) const {
        const std::vector<double> got = device.get();
        if (memcmp(got.data(), host.data(), host.size() * sizeof(double)) != 0)
            for (size_t m = 0; m < host.size(); m++)
                if (memcmp(&got[m], &host[m], sizeof(double)) != 0) {
                    FAIL("%s: number %zu is %.17g, not %.17g", what, m, got[m], host[m]);
                    return;
                }
    }
};

/// A field of either precision with gaps, in an array of doubles that has room for it; all of it is positive.
template <class Array> struct pcg_pitched : pcg_twin<Array> {
    using pcg_twin<Array>::host;
    using pcg_twin<Array>::device;
    base_pcg_field here, there;

    pcg_pitched(const size_t n[3], bool single, size_t gap)
        : pcg_twin<Array>((n[0] + gap) * (n[1] + gap) * n[2]) {
        here.row_pitch = n[0] + gap;
        here.plane_pitch = (n[0] + gap) * (n[1] + gap);
        here.single = single;
        for (size_t m = 0; m < host.size(); m++) {
            const double value = fabs(check_uniform()) + .1;
            if (single)
                ((float *)host.data())[2 * m] = ((float *)host.data())[2 * m + 1] = (float)value;
            else
                host[m] = value;
        }
        device.put(host);
        there = here;
        here.first = host.data();
        there.first = device.data();
    }
};

static base_pcg_task of_size(size_t nx, size_t ny, size_t nz) {
    base_pcg_task t = {};
    t.n[0] = nx;
    t.n[1] = ny;
    t.n[2] = nz;
    return t;
}

static void set_terms(base_pcg_task &t, long begins, int ends, bool is_scaled) {
    t.terms.weight[0] = 1.5;
    t.terms.weight[1] = 2.5;
    t.terms.weight[2] = 3.5;
    t.terms.lambda = .25;
    t.terms.factor = -2;
    t.terms.tolerance = 1e-10;
    t.terms.points = t.terms.drops = 1;
    t.terms.middle = .7;
    t.terms.begins = begins;
    t.terms.scaled = is_scaled;
    t.terms.guess = ends != 0;
    t.terms.faces = (ends & 16) != 0;
    t.terms.width = .6;
    t.widths.beside[0] = .3;
    t.widths.beside[1] = .8;
    for (int d = 0; d < 3; d++) {
        t.terms.ends[d] = ends & (d < 2 ? 1 << d : 12);
        t.terms.beyond[d][0] = d - 1;
        t.terms.beyond[d][1] = 1 - d;
    }
    t.end[0] = ends & 4;
    t.end[1] = ends & 8;
    for (int m = 0; m < 6; m++) { // a bit for each side
        t.terms.free[m / 2][m % 2] = t.terms.ends[m / 2] && (ends >> 6 >> m & 1);
        t.terms.outside = t.terms.outside || t.terms.free[m / 2][m % 2];
    }
}

/// eps of faces is made of the same numbers, turned from axis to axis.
template <class Side, class Twin>
static void measure_faces(const base_pcg_task &a, const base_pcg_task &b,
                          std::initializer_list<Twin *> given) {
    for (int d = 0; d < 3 && a.terms.faces; d++) {
        base_pcg_task here = a, there = b;
        here.part = there.part = nullptr;
        here.eps[0] = a.eps[d];
        there.eps[0] = b.eps[d];
        here.eps[1] = there.eps[1] = nullptr;
        psg_cpu_pcg_measure(&here);
        Side::measure(&there);
        for (Twin *w : given) {
            std::rotate(w->host.begin(), w->host.begin() + w->host.size() / 3, w->host.end());
            w->device.put(w->host);
        }
    }
}

/// The tasks of a step, and of the end. @param same  compares all data
template <class Side, class Same>
static void steps(base_pcg_task a, base_pcg_task b, const Same &same) {
    psg_cpu_pcg_dot(&a);
    Side::dot(&b);
    same("dot");
    base_pcg_task c = a, d = b;
    c.part = d.part = nullptr; // these two have no sums
    psg_cpu_pcg_direction(&c);
    Side::direction(&d);
    same("direction");
    c.scalars = d.scalars = c.scale = d.scale = c.x = d.x = c.outside = d.outside = nullptr;
    psg_cpu_pcg_direction(&c);
    Side::direction(&d);
    same("solution -> p");
    c.scalars = a.scalars;
    d.scalars = b.scalars;
    c.x = a.x;
    d.x = b.x;
    c.outside = a.outside;
    d.outside = b.outside;
    c.solution.first = d.solution.first = nullptr;
    psg_cpu_pcg_direction(&c);
    Side::direction(&d);
    same("x -> p");
    psg_cpu_pcg_apply(&a);
    Side::apply(&b);
    same("apply");
    if (a.outside) { // A x, whose flow is moved so far
        base_pcg_task of_x = a, there = b;
        of_x.scalars = there.scalars = nullptr;
        psg_cpu_pcg_apply(&of_x);
        Side::apply(&there);
        same("apply to x");
    }
    psg_cpu_pcg_update(&a);
    Side::update(&b);
    same("update");
    a.x = b.x = nullptr;
    a.source.first = b.source.first = nullptr;
    psg_cpu_pcg_update(&a);
    Side::update(&b);
    same("update of r alone");
    psg_cpu_pcg_end(&c);
    Side::end(&d);
    same("end");
}

/// The tasks of a segment on both sides. @param Side  the array of the other side, and its tasks
/// @param begins  BASE_PCG_ANEW ... @param ends  bits 0 and 1: x and y are not periodic;
/// bits 2 and 3: the segment is at the lower and at the upper end of z; bit 4: eps is on faces;
/// bit 5: z is stretched; bits 6 to 11: sides that are free, by axis
/// @param scaled  with D
template <class Side>
static void one(size_t nx, size_t ny, size_t nz, bool single, size_t gap, long begins = 0,
                int ends = 0, bool is_scaled = false) {
    using twin = pcg_twin<typename Side::array>;
    using field = pcg_pitched<typename Side::array>;
    const size_t n[3] = {nx, ny, nz}, plane = nx * ny, blocks = base_pcg_blocks(ny);
    const size_t of_x[3] = {ny, nz, 1}, of_y[3] = {nx, nz, 1}, of_z[3] = {nx, ny, 1};
    const bool has_values = ends % 4 != 0;
    twin scalars(BASE_PCG_SCALARS), part(BASE_PCG_MEASURES * nz * blocks);
    twin eps((nz + 2) * plane), eps_y((nz + 2) * plane), eps_z((nz + 2) * plane);
    twin scale(nz * plane), x(nz * plane), r(nz * plane), p(nz * plane), q(nz * plane);
    twin outside(BASE_PCG_OUTSIDES * nz * plane);
    twin low(plane), high(plane), below(plane), above(plane);
    field with_sides(n, false, 0), x_side(of_x, single, 0), y_side(of_y, single, 0);
    field z_side(of_z, single, 0);
    twin widths(nz);
    field f(n, single, gap), u(n, single, gap), source(n, single, 0), solution(n, single, 0);
    base_pcg_task a = of_size(nx, ny, nz);
    set_terms(a, begins, ends, is_scaled);
    for (twin *w : {&p, &below, &above}) { // which eps is made of, with solid points
        for (size_t m = 0; m < w->host.size(); m++)
            w->host[m] = m % 5 == 0 ? 0 : fabs(w->host[m]) + .1;
        w->device.put(w->host);
    }
    for (double &value : widths.host)
        value = fabs(value) + .1;
    widths.device.put(widths.host);
    base_pcg_task b = a;
    const auto all = [&](base_pcg_task &t, bool gpu) {
        const auto of = [&](twin &w) { return gpu ? w.device.data() : w.host.data(); };
        const auto at = [&](field &w) { return gpu ? w.there : w.here; };
        t.scalars = of(scalars);
        t.part = of(part);
        t.eps[0] = of(eps);
        t.eps[1] = a.terms.faces ? of(eps_y) : nullptr;
        t.eps[2] = a.terms.faces ? of(eps_z) : nullptr;
        t.x = of(x);
        t.scale = is_scaled ? of(scale) : nullptr;
        t.widths.of = ends & 32 ? of(widths) : nullptr;
        t.r = of(r);
        t.outside = a.terms.outside ? of(outside) : nullptr;
        t.b = has_values ? static_cast<double *>(at(with_sides).first) : nullptr;
        t.sides.single = single;
        for (int side = 0; side < 2 && has_values; side++) {
            t.sides.added[0][side] = at(x_side).first;
            t.sides.added[1][side] = side == 0 ? at(y_side).first : nullptr;
            t.sides.added[2][side] = at(z_side).first;
        }
        t.p = of(p);
        t.q = of(q);
        t.low = of(low);
        t.high = of(high);
        t.below = of(below);
        t.above = of(above);
        t.f = at(f);
        t.u = at(u);
        t.source = at(source);
        t.solution = at(solution);
    };
    all(a, false);
    all(b, true);
    const auto same = [&](const char *step) {
        const twin *const every[] = {&part, &eps, &eps_y, &eps_z, &scale,  &x,          &r,      &p,
                                     &q,    &low, &high,  &u,     &source, &with_sides, &outside};
        for (const twin *w : every)
            w->same(step);
    };
    measure_faces<Side, twin>(a, b, {&p, &below, &above});
    psg_cpu_pcg_measure(&a);
    Side::measure(&b);
    same("measure");
    base_pcg_task c = a, d = b;
    if (begins != BASE_PCG_ANEW) // the flow of x stays
        c.outside = d.outside = nullptr;
    psg_cpu_pcg_start(&c);
    Side::start(&d);
    same("start");
    steps<Side>(a, b, same);
}

/// Rows and planes that fill no block, gaps, all sides, with D and without.
template <class Side> static void check_tasks() {
    for (int single = 0; single < 2; single++) {
        one<Side>(7, 5, 3, single, 0);
        one<Side>(70, 33, 4, single, 3);
        one<Side>(1, 1, 1, single, 0);
        one<Side>(2, 64, 2, single, 1);
        one<Side>(300, 40, 5, single, 0);
        for (int ends = 1; ends < 64; ends++)
            one<Side>(6, 4, 3, single, 1, BASE_PCG_ANEW, ends, ends % 2);
        for (int sides = 1; sides < 64; sides++) // free
            one<Side>(sides % 3 ? 6 : 1, 4, 3, single, 0,
                      sides % 5 ? BASE_PCG_FROM_X : BASE_PCG_ANEW,
                      64 * sides + sides % 2 * 32 + 15);
        for (long begins = BASE_PCG_ANEW; begins <= BASE_PCG_FROM_R; begins++) {
            one<Side>(70, 33, 4, single, 0, begins, 64 * 63 + 7);
            one<Side>(70, 33, 4, single, 3, begins, 0, true);
            one<Side>(7, 5, 3, single, 0, begins, 15, begins > 0);
            one<Side>(1, 1, 1, single, 0, begins, 15, true);
            one<Side>(70, 33, 4, single, 3, begins, 16, begins > 0);
            one<Side>(40, 33, 9, single, 3, begins, 32 + 16 * (begins == 1), begins > 0);
        }
    }
}

#endif
