// The steps of conjugate gradients on a GPU write the bits that a core writes, in both precisions of f, u, eps and of the
// preconditioner, for rows and planes that fill no block, for pitched arrays, and for sums of many segments.
#include "kernels/pcg.h"
#include "tests/kernels/check_cuda.h"
extern "C" {
#include "cpu/pcg.h"
}

/// Doubles on both sides: equal bytes are equal NaNs, too.
struct twin {
    std::vector<double> host;
    device_array<double> device;

    explicit twin(size_t n) : host(n), device(n) {
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
struct field : twin {
    base_pcg_field here, there;

    field(const size_t n[3], bool single, size_t gap) : twin((n[0] + gap) * (n[1] + gap) * n[2]) {
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

static void set_terms(base_pcg_task &t, long begins, bool ends, bool is_scaled) {
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
    t.terms.guess = ends;
    for (int d = 0; d < 3 && ends; d++) {
        t.terms.ends[d] = true;
        t.terms.beyond[d][0] = d - 1;
        t.terms.beyond[d][1] = 1 - d;
    }
    t.end[0] = t.end[1] = ends;
}

/// @param begins  BASE_PCG_ANEW ... @param ends  no axis is periodic @param scaled  with D
static void one(size_t nx, size_t ny, size_t nz, bool single, size_t gap, long begins = 0,
                bool ends = false, bool is_scaled = false) {
    const size_t n[3] = {nx, ny, nz}, plane = nx * ny, blocks = base_pcg_blocks(ny);
    twin scalars(BASE_PCG_SCALARS), part(BASE_PCG_MEASURES * nz * blocks), eps((nz + 2) * plane);
    twin scale(nz * plane), x(nz * plane), r(nz * plane), p(nz * plane), q(nz * plane);
    twin low(plane), high(plane), below(plane), above(plane);
    field f(n, single, gap), u(n, single, gap), source(n, single, 0), solution(n, single, 0);
    base_pcg_task a = of_size(nx, ny, nz);
    set_terms(a, begins, ends, is_scaled);
    for (twin *w : {&p, &below, &above}) { // which eps is made of, with solid points
        for (size_t m = 0; m < w->host.size(); m++)
            w->host[m] = m % 5 == 0 ? 0 : fabs(w->host[m]) + .1;
        w->device.put(w->host);
    }
    base_pcg_task b = a;
    const auto all = [&](base_pcg_task &t, bool gpu) {
        const auto of = [&](twin &w) { return gpu ? w.device.data() : w.host.data(); };
        const auto at = [&](field &w) { return gpu ? w.there : w.here; };
        t.scalars = of(scalars);
        t.part = of(part);
        t.eps = of(eps);
        t.x = of(x);
        t.scale = is_scaled ? of(scale) : nullptr;
        t.r = of(r);
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
        const twin *const every[] = {&part, &eps, &scale, &x, &r, &p, &q, &low, &high, &u, &source};
        for (const twin *w : every)
            w->same(step);
    };
    psg_cpu_pcg_measure(&a);
    MUST(psg_cuda_pcg_measure(&b, 0));
    same("measure");
    psg_cpu_pcg_start(&a);
    MUST(psg_cuda_pcg_start(&b, 0));
    same("start");
    psg_cpu_pcg_dot(&a);
    MUST(psg_cuda_pcg_dot(&b, 0));
    same("dot");
    base_pcg_task c = a, d = b;
    c.part = d.part = nullptr; // these two have no sums
    psg_cpu_pcg_direction(&c);
    MUST(psg_cuda_pcg_direction(&d, 0));
    same("direction");
    c.scalars = d.scalars = c.scale = d.scale = nullptr;
    psg_cpu_pcg_direction(&c);
    MUST(psg_cuda_pcg_direction(&d, 0));
    same("solution -> p");
    c.scalars = a.scalars;
    d.scalars = b.scalars;
    psg_cpu_pcg_apply(&a);
    MUST(psg_cuda_pcg_apply(&b, 0));
    same("apply");
    psg_cpu_pcg_update(&a);
    MUST(psg_cuda_pcg_update(&b, 0));
    same("update");
    psg_cpu_pcg_end(&c);
    MUST(psg_cuda_pcg_end(&d, 0));
    same("end");
}

/// A NaN and an eps below 0 are seen.
static void bad_values() {
    const size_t n[3] = {3, 2, 2};
    twin part(BASE_PCG_MEASURES * 2), eps(4 * 6), given(12);
    field f(n, false, 0);
    for (double &value : given.host)
        value = fabs(value) + .1;
    given.host[5] = -1;
    f.host[7] = NAN;
    given.device.put(given.host);
    f.device.put(f.host);
    base_pcg_task t = of_size(3, 2, 2);
    t.part = part.device.data();
    t.eps = eps.device.data();
    t.f = f.there;
    t.p = given.device.data();
    t.below = t.p + 6;
    t.above = t.p;
    MUST(psg_cuda_pcg_measure(&t, 0));
    const std::vector<double> got = part.device.get();
    CHECK(got[2 * BASE_PCG_LEAST] == 0 && got[2 * BASE_PCG_LEAST + 1] > 0);
    CHECK(std::isfinite(got[0]) && std::isnan(got[1]));
}

static void sums(base_pcg_stage stage) {
    enum { SEGMENTS = 3 };
    const size_t numbers[SEGMENTS] = {1500, 7, 3333};
    twin lanes(BASE_PCG_MEASURES * BASE_PCG_SUM_LANES), scalars(BASE_PCG_SCALARS);
    twin report(BASE_PCG_SCALARS), part0(BASE_PCG_MEASURES * numbers[0]);
    twin part1(BASE_PCG_MEASURES * numbers[1]), part2(BASE_PCG_MEASURES * numbers[2]);
    base_pcg_terms terms = {};
    terms.tolerance = 1e-10;
    terms.points = 100;
    terms.drops = 1;
    twin *const part[SEGMENTS] = {&part0, &part1, &part2};
    for (twin *w : part) { // a stage takes a root of the sum
        for (double &value : w->host)
            value = fabs(value);
        w->device.put(w->host);
    }
    base_pcg_pieces a = {}, b = {};
    a.stage = b.stage = stage;
    a.measures = b.measures = base_pcg_measures(stage, &terms);
    a.count = b.count = SEGMENTS;
    for (int s = 0; s < SEGMENTS; s++) {
        a.part[s] = part[s]->host.data();
        b.part[s] = part[s]->device.data();
        a.numbers[s] = b.numbers[s] = numbers[s];
    }
    psg_cpu_pcg_join(&a, lanes.host.data());
    MUST(psg_cuda_pcg_join(&b, lanes.device.data(), 0));
    const size_t used = (size_t)a.measures * BASE_PCG_SUM_LANES;
    CHECK(memcmp(lanes.device.get().data(), lanes.host.data(), used * sizeof(double)) == 0);
    a.start = b.start = numbers[0] + numbers[1] + numbers[2]; // and all of them once more
    psg_cpu_pcg_join(&a, lanes.host.data());
    MUST(psg_cuda_pcg_join(&b, lanes.device.data(), 0));
    psg_cpu_pcg_next(stage, lanes.host.data(), &terms, scalars.host.data(), report.host.data());
    MUST(psg_cuda_pcg_next(stage, lanes.device.data(), &terms, scalars.device.data(),
                           report.device.data(), 0));
    scalars.same("scalars");
    report.same("report");
}

int main() {
    need_device();
    for (int single = 0; single < 2; single++) {
        one(7, 5, 3, single, 0);
        one(70, 33, 4, single, 3);
        one(1, 1, 1, single, 0);
        one(2, 64, 2, single, 1);
        one(300, 40, 5, single, 0);
        for (long begins = BASE_PCG_ANEW; begins <= BASE_PCG_FROM_R; begins++) {
            one(70, 33, 4, single, 3, begins, false, true);
            one(7, 5, 3, single, 0, begins, true, begins > 0);
        }
    }
    bad_values();
    for (int stage = BASE_PCG_MEASURED; stage <= BASE_PCG_NORMED; stage++)
        sums((base_pcg_stage)stage);
    const base_pcg_task none = of_size(0, 1, 1);
    CHECK(psg_cuda_pcg_dot(&none, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_pcg_measure(&none, 0) == cudaErrorInvalidValue);
    return check_result();
}
