// A sweep on a GPU has the bits of a core's, for tiles of one point, one row, one column and many
// blocks, whether it is of all points or first of the inside and then of the rim.
#include "tests/kernels/check_cuda.h"
#include "workloads/jacobi.h"

#include <memory>

template <class Real> static std::vector<Real> numbers(size_t count, unsigned seed) {
    std::vector<Real> v(count);
    for (Real &x : v)
        x = (Real)((seed = seed * 1664525 + 1013904223) >> 8) / (1 << 22) - 2;
    return v;
}

template <class Real> static void one(size_t columns, size_t rows, bool split = false) {
    const size_t length[JACOBI_SIDES] = {columns, columns, rows, rows};
    const std::vector<Real> u = numbers<Real>(columns * rows, 1);
    std::vector<Real> beyond[JACOBI_SIDES], edge[JACOBI_SIDES], next(columns * rows);
    jacobi_sweep want = {columns, rows, JACOBI_ALL, u.data(), {}, next.data(), {}}, sweep = want;
    const device_array<Real> u_d(u), next_d(columns * rows);
    std::vector<std::unique_ptr<device_array<Real>>> kept;
    sweep.u = u_d.data();
    sweep.next = next_d.data();
    for (int side = 0; side < JACOBI_SIDES; side++) {
        beyond[side] = numbers<Real>(length[side], 2 + side);
        edge[side].resize(length[side]);
        want.beyond[side] = beyond[side].data();
        want.edge[side] = edge[side].data();
        kept.emplace_back(new device_array<Real>(beyond[side]));
        sweep.beyond[side] = kept.back()->data();
        kept.emplace_back(new device_array<Real>(length[side]));
        sweep.edge[side] = kept.back()->data();
    }
    jacobi_cpu(sizeof(Real) == 4, &want);
    for (int part : {JACOBI_ALL, JACOBI_INSIDE, JACOBI_RIM}) {
        sweep.part = part;
        if (split == (part != JACOBI_ALL))
            MUST(jacobi_cuda(sizeof(Real) == 4 ? PSG_CUDA_F32 : PSG_CUDA_F64, &sweep, 0));
    }
    bool same = next_d.get() == next;
    for (int side = 0; side < JACOBI_SIDES; side++)
        same = same && kept[2 * side + 1]->get() == edge[side];
    if (!same)
        FAIL("%zu x %zu points of %zu bytes: other bits", columns, rows, sizeof(Real));
}

int main() {
    need_device();
    for (size_t columns : {1, 2, 63, 64, 65, 300})
        for (size_t rows : {1, 2, 4, 5, 131}) {
            one<double>(columns, rows);
            one<float>(columns, rows);
            one<double>(columns, rows, true);
            one<float>(columns, rows, true);
        }
    one<float>(2, 300000);
    jacobi_sweep nothing = {};
    CHECK(jacobi_cuda(PSG_CUDA_F64, &nothing, 0) == cudaErrorInvalidValue);
    return check_result();
}
