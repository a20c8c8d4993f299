// What a thread does at a point in a task of conjugate gradients, run on a core thread by thread from
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

    template <class Work> static void each(const base_pcg_task *t) {
        const size_t blocks = base_pcg_blocks(t->n[1]);
        const size_t numbers = t->n[2] * blocks;
        for (size_t b = 0; b < numbers; b++) {
            std::vector<std::vector<double>> of_row(
                Work::sums, std::vector<double>(BASE_PCG_ROWS)); // [row of the block]
            for (size_t y = 0; y < BASE_PCG_ROWS; y++) {
                std::vector<std::vector<double>> lane(Work::sums,
                                                      std::vector<double>(BASE_PCG_LANES));
                for (size_t x = 0; x < BASE_PCG_LANES; x++) {
                    const Work work(*t);
                    const size_t j = b % blocks * BASE_PCG_ROWS + y;
                    double sum[Work::sums];
                    for (int m = 0; m < Work::sums; m++)
                        sum[m] = base_pcg_nothing(base_pcg_measure(Work::stage, m));
                    for (size_t i = x; i < t->n[0] && j < t->n[1]; i += BASE_PCG_LANES)
                        work(*t, psg_cuda::pcg_point(*t, i, j, b / blocks), sum);
                    for (int m = 0; m < Work::sums; m++)
                        lane[m][x] = sum[m];
                }
                for (int m = 0; m < Work::sums; m++)
                    of_row[m][y] = halves(base_pcg_measure(Work::stage, m), lane[m]);
            }
            for (int m = 0; t->part && m < base_pcg_measures(Work::stage, &t->terms); m++)
                t->part[m * numbers + b] = halves(base_pcg_measure(Work::stage, m), of_row[m]);
        }
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
        each<psg_cuda::pcg_dot>(t);
    }
    static void direction(const base_pcg_task *t) {
        each<psg_cuda::pcg_direction>(t);
    }
    static void apply(const base_pcg_task *t) {
        if (t->eps[1])
            each<psg_cuda::pcg_apply<true>>(t);
        else
            each<psg_cuda::pcg_apply<false>>(t);
    }
    static void update(const base_pcg_task *t) {
        each<psg_cuda::pcg_update>(t);
    }
    static void end(const base_pcg_task *t) {
        each<psg_cuda::pcg_end>(t);
    }
};

int main() {
    check_tasks<emulated>();
    if (check_failures)
        printf("%d failures\n", check_failures);
    return check_failures ? 1 : 0;
}
