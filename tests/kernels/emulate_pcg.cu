// What a thread does to a row in a task of conjugate gradients, run on a core thread by thread from
// the same source as on the GPU, writes the bits of cpu/pcg.c, sums too. Needs no device.
#include "kernels/pcg.cuh"
#include "tests/kernels/pcg_problem.cuh"

struct emulated {
    struct array { // in place of one on a device
        std::vector<double> values;
        explicit array(size_t n) : values(n, NAN) {
        }
        double *data() {
            return values.data();
        }
        void put(const std::vector<double> &from) {
            values = from;
        }
        const std::vector<double> &get() const {
            return values;
        }
    };

    /// Numbers of threads, which are lost, as shuffles in halves join them.
    static double halves(int measure, std::vector<double> &value) {
        for (size_t half = value.size() / 2; half > 0; half /= 2)
            for (size_t m = 0; m < half; m++)
                value[m] = base_pcg_join(measure, value[m], value[m + half]);
        return value[0];
    }

    /// A block of rows of some planes from k on.
    template <class Work> static void block(const base_pcg_task *t, size_t k, size_t b) {
        constexpr int planes = Work::planes, numbers = Work::sums * planes;
        const size_t blocks = base_pcg_blocks(t->n[1]);
        std::vector<std::vector<double>> of_row(numbers, std::vector<double>(BASE_PCG_ROWS));
        for (size_t y = 0; y < BASE_PCG_ROWS; y++) {
            std::vector<std::vector<double>> lane(numbers, std::vector<double>(BASE_PCG_LANES));
            for (unsigned x = 0; x < BASE_PCG_LANES; x++) {
                Work work(*t);
                double sum[numbers];
                for (int m = 0; m < numbers; m++)
                    sum[m] = base_pcg_nothing(base_pcg_measure(Work::stage, m / planes));
                if (b * BASE_PCG_ROWS + y < t->n[1]) {
                    work.begin(b * BASE_PCG_ROWS + y, k);
                    psg_cuda::pcg_do_row(work, x, (unsigned)t->n[0], sum);
                }
                for (int m = 0; m < numbers; m++)
                    lane[m][x] = sum[m];
            }
            for (int m = 0; m < numbers; m++)
                of_row[m][y] = halves(base_pcg_measure(Work::stage, m / planes), lane[m]);
        }
        for (int m = 0; t->part && m < base_pcg_measures(Work::stage, &t->terms) * planes; m++) {
            const int measure = base_pcg_measure(Work::stage, m / planes);
            t->part[(m / planes * t->n[2] + k + m % planes) * blocks + b] =
                halves(measure, of_row[m]) * base_pcg_counts(t, measure, k + m % planes);
        }
    }

    /// From plane `first` on in whole groups. @return the first plane after them
    template <class Work> static size_t each(const base_pcg_task *t, size_t first = 0) {
        size_t k = first;
        for (; k + Work::planes <= t->n[2]; k += Work::planes)
            for (size_t b = 0; b < base_pcg_blocks(t->n[1]); b++)
                block<Work>(t, k, b);
        return k;
    }

    template <bool FACES, bool STRETCHED> static void apply_to(const base_pcg_task *t) {
        const size_t end = each<psg_cuda::pcg_apply<FACES, psg_cuda::pcg_planes, STRETCHED>>(t);
        each<psg_cuda::pcg_apply<FACES, 1, STRETCHED>>(t, end);
    }
    template <bool FACES> static void apply_for(const base_pcg_task *t) {
        if (t->widths.of)
            apply_to<FACES, true>(t);
        else
            apply_to<FACES, false>(t);
    }

    static void measure(const base_pcg_task *t) {
        const size_t plane = t->n[0] * t->n[1];
        if (!t->eps[1]) {
            memcpy(t->eps[0], t->below, plane * sizeof(double));
            memcpy(t->eps[0] + plane, t->p, t->n[2] * plane * sizeof(double));
            memcpy(t->eps[0] + (t->n[2] + 1) * plane, t->above, plane * sizeof(double));
        }
        if (t->part)
            each<psg_cuda::pcg_measure>(t);
    }
    static void start(const base_pcg_task *t) {
        each<psg_cuda::pcg_start>(t);
    }
    static void dot(const base_pcg_task *t) {
        if (t->solution.single)
            each<psg_cuda::pcg_dot<true>>(t);
        else
            each<psg_cuda::pcg_dot<false>>(t);
    }
    static void direction(const base_pcg_task *t) {
        if (t->solution.single)
            each<psg_cuda::pcg_direction<true>>(t);
        else
            each<psg_cuda::pcg_direction<false>>(t);
    }
    static void apply(const base_pcg_task *t) {
        if (t->outside && t->widths.of)
            each<psg_cuda::pcg_apply<false, 1, true, true>>(t);
        else if (t->outside)
            each<psg_cuda::pcg_apply<false, 1, false, true>>(t);
        else if (t->eps[1])
            apply_for<true>(t);
        else
            apply_for<false>(t);
    }
    static void update(const base_pcg_task *t) {
        if (t->source.single)
            each<psg_cuda::pcg_update<true>>(t);
        else
            each<psg_cuda::pcg_update<false>>(t);
    }
    static void end(const base_pcg_task *t) {
        each<psg_cuda::pcg_end>(t);
    }
};

/// Three quotients at a time have the bits of `/`, also of 0 and of what is out of the range.
static void quotients() {
    const double apart[] = {0., -0., 1e-320, -3e-200, 1e-139, 1e151, -1e300, INFINITY};
    for (int n = 0; n < 300000; n++) {
        base_pcg_quotient flow[3];
        double want[3];
        for (base_pcg_quotient &f : flow) {
            f.under = ldexp(1 + fabs(check_uniform()), (int)(498 * check_uniform()));
            f.over = n % 9 < 8 && &f == flow + n % 3 ? apart[n % 9] : check_uniform();
            f.over = n % 2 ? f.over : ldexp(f.over, (int)(459 * check_uniform()));
            want[&f - flow] = f.over / f.under;
        }
        psg_cuda::pcg_divide(flow);
        for (int d = 0; d < 3; d++)
            CHECK(memcmp(&flow[d].over, &want[d], sizeof want[d]) == 0);
    }
}

int main() {
    quotients();
    check_tasks<emulated>();
    if (check_failures)
        printf("%d failures\n", check_failures);
    return check_failures ? 1 : 0;
}
