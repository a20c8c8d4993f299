// Docking on a GPU has the cells and poses of a core, for even and odd grids, atoms at the sides and beyond, and equal scores.
#include "kernels/dock.h"
#include "tests/kernels/check_cuda.h"
#include <algorithm>
extern "C" {
#include "cpu/dock.h"
}

static const psg_cpu_dock_rotation turned = {30, 60, 90};

static std::vector<base_dock_atom> molecule(size_t count, double reach) {
    std::vector<base_dock_atom> atoms(count);
    for (base_dock_atom &a : atoms)
        for (double &x : a.at)
            x = reach * check_uniform();
    return atoms;
}

static void same_poses(const std::vector<base_dock_pose> &a, const std::vector<base_dock_pose> &b,
                       const char *what, size_t n) {
    for (size_t m = 0; m < a.size(); m++)
        if (memcmp(&a[m], &b[m], sizeof a[m]) != 0)
            FAIL("%s, n = %zu: pose %zu has score %d, rotation %d, cell %d in place of %d, %d, %d",
                 what, n, m, (int)b[m].score, (int)b[m].rotation, (int)b[m].cell, (int)a[m].score,
                 (int)a[m].rotation, (int)a[m].cell);
}

static void one(size_t n, size_t atoms, double spacing) {
    const base_dock_grid grid = {n, spacing};
    const size_t cells = n * n * n, modes = n * n * (n / 2 + 1), list = 40;
    const std::vector<base_dock_atom> fixed = molecule(atoms, .4 * spacing * (double)n);
    const std::vector<base_dock_atom> mobile = molecule(atoms, .6 * spacing * (double)n);
    const psg_cpu_dock_molecule both[2] = {{fixed.data(), atoms}, {mobile.data(), atoms}};
    const psg_cpu_fft_spec spec = {n, n, n, {}, PSG_CPU_ESTIMATE};
    psg_cpu_fft *fft = psg_cpu_ops_f32.fft_create(&spec);
    std::vector<float> of_fixed(cells), of_mobile(cells);
    psg_cpu_dock_static(&grid, &both[0], of_fixed.data());
    psg_cpu_dock_mobile(&grid, &both[1], &turned, of_mobile.data());

    psg_cuda_dock *dock = nullptr;
    MUST(psg_cuda_dock_create(&dock, n, 0));
    const device_array<base_dock_atom> fixed_d(fixed), mobile_d(mobile);
    device_array<float> array_d(cells + n % 2), spectrum_d(2 * modes);
    float *const cells_d = array_d.data() + n % 2; // an odd grid begins between two complex numbers
    const auto get_cells = [&] {
        const std::vector<float> all = array_d.get();
        return std::vector<float>(all.begin() + (ptrdiff_t)(n % 2), all.end());
    };
    device_array<base_dock_pose> list_d(list), best_d(BASE_DOCK_BEST);
    const base_dock_turn turn = psg_cpu_dock_turn(&turned, false);
    MUST(psg_cuda_dock_mobile(dock, &grid, &turn, mobile_d.data(), atoms, cells_d));
    if (get_cells() != of_mobile)
        FAIL("n = %zu: other cells", n);
    MUST(psg_cuda_dock_static(dock, &grid, fixed_d.data(), atoms, spectrum_d.data(), list_d.data(),
                              list));
    MUST(psg_cuda_dock_correlate(dock, spectrum_d.data(), cells_d));
    const std::vector<float> sums = get_cells();
    for (int m = 0; m < 50; m++) { // without an FFT
        const size_t shift = (size_t)rand() % cells;
        double sum = 0;
        for (size_t c = 0; c < cells; c++) {
            const size_t x = (c % n + shift % n) % n, y = (c / n % n + shift / n % n) % n;
            const size_t z = (c / n / n + shift / n / n) % n;
            sum += (double)(of_fixed[(z * n + y) * n + x] * of_mobile[c]);
        }
        if (!(fabs((double)sums[shift] / (double)cells - sum) < .05))
            FAIL("n = %zu: shift %zu has %g in place of %g", n, shift,
                 (double)sums[shift] / (double)cells, sum);
    }
    std::vector<base_dock_pose> best(BASE_DOCK_BEST), all(list);
    psg_cpu_dock_best(n, sums.data(), 7, best.data());
    MUST(psg_cuda_dock_best(dock, cells_d, 7, best_d.data()));
    same_poses(best, best_d.get(), "the best", n);
    psg_cpu_dock_clear(all.data(), list);
    same_poses(all, list_d.get(), "no poses", n);
    std::vector<base_dock_pose> poses(3 * list);
    for (base_dock_pose &p : poses)
        p = {rand() % 9 - 4, rand() % 5, rand() % 1000};
    for (const base_dock_pose &p : poses)
        base_dock_insert(all.data(), list, &p);
    const device_array<base_dock_pose> poses_d(poses);
    MUST(psg_cuda_dock_merge(dock, poses_d.data(), poses.size(), list_d.data(), list));
    same_poses(all, list_d.get(), "the list", n);
    psg_cuda_dock_destroy(dock);
    psg_cpu_ops_f32.fft_destroy(fft);
}

/// Equal scores, and scores below 0: the lowest cells come first.
static void ties(size_t n) {
    const size_t cells = n * n * n;
    psg_cuda_dock *dock = nullptr;
    MUST(psg_cuda_dock_create(&dock, n, 0));
    for (int low = -4; low < 3; low += 3) {
        std::vector<float> sums(cells);
        for (float &s : sums)
            s = (float)((double)(low + rand() % 3) * (double)cells);
        std::vector<base_dock_pose> best(BASE_DOCK_BEST);
        const device_array<float> sums_d(sums);
        device_array<base_dock_pose> best_d(BASE_DOCK_BEST);
        psg_cpu_dock_best(n, sums.data(), 3, best.data());
        MUST(psg_cuda_dock_best(dock, sums_d.data(), 3, best_d.data()));
        same_poses(best, best_d.get(), "ties", n);
    }
    psg_cuda_dock_destroy(dock);
}

int main() {
    need_device();
    one(64, 200, .5);
    one(65, 100, .6);
    one(33, 1, 1.2);
    ties(20);
    ties(97);
    psg_cuda_dock *dock = nullptr;
    MUST(psg_cuda_dock_create(&dock, 8, 0));
    const base_dock_grid other = {9, 1};
    const base_dock_turn none = {};
    CHECK(psg_cuda_dock_mobile(dock, &other, &none, nullptr, 1, nullptr) == cudaErrorInvalidValue);
    psg_cuda_dock_destroy(dock);
    return check_result();
}
