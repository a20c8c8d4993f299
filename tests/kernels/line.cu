// The kernel of equations along z on a GPU gives the answer of a core's kspace.
#include "kernels/kspace.h"
#include "tests/kernels/check_cuda.h"
#include "tests/kernels/line_problem.cuh"

using namespace psg_cuda;

template <class T> static T *to_gpu(const std::vector<T> &values) {
    void *there = nullptr;
    MUST(cudaMalloc(&there, values.size() * sizeof(T)));
    MUST(cudaMemcpy(there, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return static_cast<T *>(there);
}

struct on_gpu {
    template <class Real> void operator()(line_problem<Real> &p) const {
        psg_cuda_kspace *plan = nullptr;
        MUST(psg_cuda_kspace_create(&plan, sizeof(Real) == 8 ? PSG_CUDA_F64 : PSG_CUDA_F32,
                                    p.form == BESIDE  ? PSG_CUDA_LINE_BESIDE
                                    : p.form == PAIRS ? PSG_CUDA_LINE_PAIRS
                                                      : PSG_CUDA_LINE,
                                    p.n, 0));
        complex_t<Real> *u = to_gpu(p.u), *beside = to_gpu(p.beside),
                        *mode0 = to_gpu(std::vector<complex_t<Real>>(1));
        int *nonfinite = to_gpu(std::vector<int>(1));
        const psg_cuda_columns columns = {p.rows, p.nxc, 0};
        psg_cuda_symbol symbol{};
        symbol.ex_d = to_gpu(p.ex);
        symbol.ey_d = to_gpu(p.ey);
        symbol.ez_d = symbol.ex_d; // is not read
        symbol.lambda = p.lambda;
        symbol.scale = p.scale;
        symbol.mode0_d = mode0;
        symbol.nonfinite_d = nonfinite;
        symbol.pairs = p.form == PAIRS;
        symbol.line = {to_gpu(p.l.all), p.l.cpu.null, p.l.cpu.norm};
        // in two segments, so that places come from a table, where there are planes for two
        const size_t half = p.n > 1 ? p.n / 2 : p.n;
        const psg_cuda_segment segments[2] = {{u, half, p.pitch},
                                              {u + half * p.pitch, p.n - half, p.pitch}};
        const psg_cuda_segment others[2] = {{beside, half, p.pitch},
                                            {beside + half * p.pitch, p.n - half, p.pitch}};
        const size_t count = half < p.n ? 2 : 1;
        const psg_cuda_band band = {
            segments, count, p.rows, nullptr, 0, p.form == BESIDE ? others : nullptr, count};
        MUST(psg_cuda_kspace_run(plan, &band, 1, &columns, &symbol, nullptr));
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpy(p.u.data(), u, p.u.size() * sizeof p.u[0], cudaMemcpyDeviceToHost));
        MUST(cudaMemcpy(p.beside.data(), beside, p.beside.size() * sizeof *beside,
                        cudaMemcpyDeviceToHost));
        MUST(cudaMemcpy(&p.mode0, mode0, sizeof p.mode0, cudaMemcpyDeviceToHost));
        MUST(cudaMemcpy(&p.nonfinite, nonfinite, sizeof p.nonfinite, cudaMemcpyDeviceToHost));
        for (const void *there :
             {(const void *)u, (const void *)beside, (const void *)mode0, (const void *)nonfinite,
              symbol.ex_d, symbol.ey_d, (const void *)symbol.line.tables_d})
            MUST(cudaFree(const_cast<void *>(there)));
        psg_cuda_kspace_destroy(plan);
    }
};

int main() {
    need_device();
    return check_all(on_gpu());
}
