// The six permutations of a 3-D array on a GPU, beside the device's own copy: of elements of 4, 8 and 16 bytes, by 1, 2
// and 4 elements a thread. What is compared takes turns. Bandwidths count bytes read and bytes written; arrays that fit
// into the second-level cache are faster than the memory.
//
//   bench_transposes_gpu [--repeat R] [--rows] GRID ...
#include "bench/program_columns.h"
#include "bench/programs/gpu.cuh"
#include "bench/programs/transposes.h"
#include "kernels/transpose.h"

// A turn takes as long, for the events' sake.
static const double least_seconds = 1e-3;

static void measure(bench_transposes &b, const bench_settings &settings, bench_csv *csv) {
    const size_t bytes = bench_transposes_bytes(&b);
    char why[128];
    if (!bench_fits(2.0 * (double)bytes, bench_gpu_memory(&settings), why)) {
        bench_transposes_tell(&b, &settings, csv, why);
        return;
    }
    const bench_buffer in(bytes), out(bytes);
    std::vector<char> host(bytes);
    std::vector<bench_work> works;
    bench_transposes_fill(&b, host.data());
    BENCH_CUDA(cudaMemcpy(in.p, host.data(), bytes, cudaMemcpyHostToDevice));
    for (int w = 0; w < BENCH_WORKS; w++) {
        if (w == BENCH_COPY) {
            works.push_back([&] {
                BENCH_CUDA(cudaMemcpyAsync(out.p, in.p, bytes, cudaMemcpyDeviceToDevice, 0));
            });
        } else {
            works.push_back([&, w] {
                const psg_cuda_array from = {in.p, 0, 0}, to = {out.p, 0, 0};
                BENCH_CUDA(psg_cuda_transpose((psg_cuda_order)w, b.n, b.element_bytes, from, to,
                                              b.elements_per_thread, 0));
            });
        }
    }
    for (int w = 0; w < BENCH_WORKS; w++) {
        b.job[w] = {bench_gpu_run, &works[w], 0, {}};
        BENCH_CUDA(cudaMemset(out.p, 0xff, bytes));
        works[w]();
        BENCH_CUDA(cudaMemcpy(host.data(), out.p, bytes, cudaMemcpyDeviceToHost));
        b.right[w] = bench_transposes_right(&b, w, host.data());
    }
    bench_interleave(b.job, BENCH_WORKS, &settings, least_seconds);
    bench_transposes_tell(&b, &settings, csv, nullptr);
}

int main(int argc, char **argv) {
    bench_settings settings = {9, 2, 1, 0, 0};
    bench_transposes b = {};
    bench_csv csv;
    const int first = bench_arguments(argc, argv, nullptr, "N|NXxNYxNZ ...", &settings);
    (void)bench_gpus();
    const std::string model = bench_gpu_model();
    b.device = "gpu";
    b.gpu_model = model.c_str();
    if (settings.rows) {
        bench_csv_open(&csv, nullptr, nullptr, BENCH_TRANSPOSES_COLUMNS);
    }
    for (int g = first; g < argc; g++) {
        bench_read_grid(argv[g], b.n);
        for (int elements : {1, 2, 4, 8}) {
            b.elements_per_thread = elements;
            for (b.element_bytes = 4; b.element_bytes <= 16; b.element_bytes *= 2) {
                measure(b, settings, &csv);
            }
        }
    }
    return 0;
}
