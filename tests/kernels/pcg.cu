// The steps of conjugate gradients on a GPU write the bits that a core writes; and sums of many
// segments have them.
#include "tests/kernels/pcg_problem.cuh"

using twin = pcg_twin<device_array<double>>;

struct gpu {
    using array = device_array<double>;
    static void measure(const base_pcg_task *t) {
        MUST(psg_cuda_pcg_measure(t, 0));
    }
    static void start(const base_pcg_task *t) {
        MUST(psg_cuda_pcg_start(t, 0));
    }
    static void dot(const base_pcg_task *t) {
        MUST(psg_cuda_pcg_dot(t, 0));
    }
    static void direction(const base_pcg_task *t) {
        MUST(psg_cuda_pcg_direction(t, 0));
    }
    static void apply(const base_pcg_task *t) {
        MUST(psg_cuda_pcg_apply(t, 0));
    }
    static void update(const base_pcg_task *t) {
        MUST(psg_cuda_pcg_update(t, 0));
    }
    static void end(const base_pcg_task *t) {
        MUST(psg_cuda_pcg_end(t, 0));
    }
};

/// A NaN and an eps below 0 are seen.
static void bad_values() {
    const size_t n[3] = {3, 2, 2};
    twin part(BASE_PCG_MEASURES * 2), eps(4 * 6), given(12);
    pcg_pitched<device_array<double>> f(n, false, 0);
    for (double &value : given.host)
        value = fabs(value) + .1;
    given.host[5] = -1;
    f.host[7] = NAN;
    given.device.put(given.host);
    f.device.put(f.host);
    base_pcg_task t = of_size(3, 2, 2);
    t.part = part.device.data();
    t.eps[0] = eps.device.data();
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
    check_tasks<gpu>();
    bad_values();
    for (int stage = BASE_PCG_MEASURED; stage <= BASE_PCG_NORMED; stage++)
        sums((base_pcg_stage)stage);
    const base_pcg_task none = of_size(0, 1, 1);
    CHECK(psg_cuda_pcg_dot(&none, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_pcg_measure(&none, 0) == cudaErrorInvalidValue);
    return check_result();
}
