// Docking on a GPU has the cells and poses of a core, for even and odd grids, atoms at the sides and beyond, and equal scores. The
// potential and the signs of energies are a core's, too, also where an FFT does not tell the sign.
#include "tests/kernels/check_cuda.h"
#include "workloads/dock/cells.h"
#include <algorithm>

static const dock_rotation turned = {30, 60, 90};
static const dock_energies everyone = {}; // counts

static std::vector<dock_atom> molecule(size_t count, double reach) {
    std::vector<dock_atom> atoms(count);
    for (dock_atom &a : atoms) {
        for (double &x : a.at)
            x = reach * check_uniform();
        a.charge = rand() % 3 - 1; // for some none
    }
    atoms[0].charge = 1;
    return atoms;
}

static void same_poses(const std::vector<dock_candidate> &a, const std::vector<dock_candidate> &b,
                       const char *what, size_t n) {
    for (size_t m = 0; m < a.size(); m++)
        if (memcmp(&a[m], &b[m], sizeof a[m]) != 0)
            FAIL("%s, n = %zu: pose %zu has score %d, rotation %d, cell %d in place of %d, %d, %d",
                 what, n, m, (int)b[m].score, (int)b[m].rotation, (int)b[m].cell, (int)a[m].score,
                 (int)a[m].rotation, (int)a[m].cell);
}

static void one(size_t n, size_t atoms, double spacing) {
    const dock_grid grid = {n, spacing};
    const size_t cells = n * n * n, modes = n * n * (n / 2 + 1), list = 40;
    const std::vector<dock_atom> fixed = molecule(atoms, .4 * spacing * (double)n);
    const std::vector<dock_atom> mobile = molecule(atoms, .6 * spacing * (double)n);
    const dock_molecule both[2] = {{fixed.data(), atoms}, {mobile.data(), atoms}};
    const psg_cpu_fft_spec spec = {n, n, n, {}, PSG_CPU_ESTIMATE};
    psg_cpu_fft *fft = psg_cpu_ops_f32.fft_create(&spec);
    std::vector<float> of_fixed(cells), of_mobile(cells);
    dock_cpu_static(&grid, &both[0], of_fixed.data());
    dock_cpu_mobile(&grid, &both[1], &turned, of_mobile.data());

    dock_cuda *dock = nullptr;
    MUST(dock_cuda_create(&dock, n, 0));
    const device_array<dock_atom> fixed_d(fixed), mobile_d(mobile);
    device_array<float> array_d(cells + n % 2), spectrum_d(2 * modes);
    float *const cells_d = array_d.data() + n % 2; // an odd grid begins between two complex numbers
    const auto get_cells = [&] {
        const std::vector<float> all = array_d.get();
        return std::vector<float>(all.begin() + (ptrdiff_t)(n % 2), all.end());
    };
    device_array<dock_candidate> list_d(list), best_d(DOCK_KEPT);
    const dock_turn turn = dock_cpu_turn(&turned, false);
    MUST(dock_cuda_mobile(dock, &grid, &turn, mobile_d.data(), atoms, cells_d));
    if (get_cells() != of_mobile)
        FAIL("n = %zu: other cells", n);
    MUST(dock_cuda_static(dock, &grid, fixed_d.data(), atoms, spectrum_d.data(), list_d.data(),
                          list));
    MUST(dock_cuda_correlate(dock, spectrum_d.data(), cells_d));
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
    std::vector<dock_candidate> best(DOCK_KEPT), all(list);
    dock_cpu_best(&grid, sums.data(), &everyone, 7, best.data());
    MUST(dock_cuda_best(dock, &grid, cells_d, &everyone, 7, best_d.data()));
    same_poses(best, best_d.get(), "the best", n);
    dock_cpu_clear(all.data(), list);
    same_poses(all, list_d.get(), "no poses", n);
    std::vector<dock_candidate> poses(3 * list);
    for (dock_candidate &p : poses)
        p = {rand() % 9 - 4, rand() % 5, rand() % 1000};
    for (const dock_candidate &p : poses)
        dock_insert(all.data(), list, &p);
    const device_array<dock_candidate> poses_d(poses);
    MUST(dock_cuda_merge(dock, poses_d.data(), poses.size(), list_d.data(), list));
    same_poses(all, list_d.get(), "the list", n);
    dock_cuda_destroy(dock);
    psg_cpu_ops_f32.fft_destroy(fft);
}

/// Potential, charges, energies by FFT, and the poses that they leave.
static void charges(size_t n, size_t atoms, double spacing) {
    const dock_grid grid = {n, spacing};
    const size_t cells = n * n * n, modes = n * n * (n / 2 + 1);
    const std::vector<dock_atom> fixed = molecule(atoms, .4 * spacing * (double)n);
    const std::vector<dock_atom> mobile = molecule(atoms, .6 * spacing * (double)n);
    const dock_molecule both[2] = {{fixed.data(), atoms}, {mobile.data(), atoms}};
    const dock_turn turn = dock_cpu_turn(&turned, false);
    std::vector<float> core(cells), potential(cells), of_mobile(cells), scores(cells);
    dock_cpu_static(&grid, &both[0], core.data());
    dock_cpu_potential(&grid, &both[0], core.data(), potential.data());
    dock_cpu_charges(&grid, &both[1], &turned, of_mobile.data());

    dock_cuda *dock = nullptr;
    MUST(dock_cuda_create(&dock, n, 0));
    const device_array<dock_atom> fixed_d(fixed), mobile_d(mobile);
    device_array<float> sums_d(cells), potential_d(cells), spectrum_d(2 * modes);
    device_array<dock_candidate> list_d(1), best_d(DOCK_KEPT);
    MUST(dock_cuda_static(dock, &grid, fixed_d.data(), atoms, spectrum_d.data(), list_d.data(), 1));
    MUST(dock_cuda_potential(dock, &grid, fixed_d.data(), atoms, potential_d.data(),
                             spectrum_d.data()));
    if (potential_d.get() != potential)
        FAIL("n = %zu: another potential", n);
    MUST(dock_cuda_charges(dock, &grid, &turn, mobile_d.data(), atoms, sums_d.data()));
    const std::vector<float> spread = sums_d.get();
    for (size_t m = 0; m < cells; m++)
        if (!(fabs((double)spread[m] - (double)of_mobile[m]) <= 1e-5))
            FAIL("n = %zu: cell %zu has the charge %g in place of %g", n, m, (double)spread[m],
                 (double)of_mobile[m]);
    MUST(dock_cuda_correlate(dock, spectrum_d.data(), sums_d.data()));
    const std::vector<float> sums = sums_d.get();
    const double rounding =
        ldexp(2 / sqrt(spacing * spacing * spacing) * (double)(atoms * atoms), -23);
    for (int m = 0; m < 200; m++) {
        const size_t shift = (size_t)rand() % cells;
        const double energy =
            dock_energy(&grid, potential.data(), &turn, mobile.data(), atoms, shift);
        if (!(fabs((double)sums[shift] / (double)cells - energy) <= rounding))
            FAIL("n = %zu: shift %zu has the energy %g in place of %g", n, shift,
                 (double)sums[shift] / (double)cells, energy);
    }
    // All, some and no signs have to be found without the FFT; many poses have the same score.
    for (float &s : scores)
        s = (float)((double)(rand() % 50) * (double)cells);
    const device_array<float> scores_d(scores);
    for (const double bound : {rounding, 1e-3, 1e6}) {
        dock_energies e = {sums.data(), bound, potential.data(), mobile.data(), atoms, turn};
        std::vector<dock_candidate> best(DOCK_KEPT);
        dock_cpu_best(&grid, scores.data(), &e, 7, best.data());
        e.sums = sums_d.data();
        e.potential = potential_d.data();
        e.atom = mobile_d.data();
        MUST(dock_cuda_best(dock, &grid, scores_d.data(), &e, 7, best_d.data()));
        same_poses(best, best_d.get(), "negative energies", n);
    }
    dock_cuda_destroy(dock);
}

/// No pose has a negative energy, or one has.
static void few(size_t n) {
    const dock_grid grid = {n, 1};
    const size_t cells = n * n * n;
    dock_cuda *dock = nullptr;
    MUST(dock_cuda_create(&dock, n, 0));
    for (size_t negative = 0; negative < 2; negative++) {
        std::vector<float> energies(cells, 1);
        energies[cells / 3] = negative > 0 ? -1 : 1;
        const device_array<float> energies_d(energies);
        dock_energies e = {};
        std::vector<dock_candidate> best(DOCK_KEPT);
        device_array<dock_candidate> best_d(DOCK_KEPT);
        e.sums = energies.data();
        dock_cpu_best(&grid, energies.data(), &e, 7, best.data());
        e.sums = energies_d.data();
        MUST(dock_cuda_best(dock, &grid, energies_d.data(), &e, 7, best_d.data()));
        same_poses(best, best_d.get(), "few", n);
        CHECK((best[0].score != INT32_MIN) == (negative > 0) && best[1].score == INT32_MIN);
    }
    dock_cuda_destroy(dock);
}

/// Equal scores, and scores below 0: the lowest cells come first.
static void ties(size_t n) {
    const dock_grid grid = {n, 1};
    const size_t cells = n * n * n;
    dock_cuda *dock = nullptr;
    MUST(dock_cuda_create(&dock, n, 0));
    for (int low = -4; low < 3; low += 3) {
        std::vector<float> sums(cells);
        for (float &s : sums)
            s = (float)((double)(low + rand() % 3) * (double)cells);
        std::vector<dock_candidate> best(DOCK_KEPT);
        const device_array<float> sums_d(sums);
        device_array<dock_candidate> best_d(DOCK_KEPT);
        dock_cpu_best(&grid, sums.data(), &everyone, 3, best.data());
        MUST(dock_cuda_best(dock, &grid, sums_d.data(), &everyone, 3, best_d.data()));
        same_poses(best, best_d.get(), "ties", n);
    }
    dock_cuda_destroy(dock);
}

int main() {
    need_device();
    one(64, 200, .5);
    one(65, 100, .6);
    one(33, 1, 1.2);
    ties(20);
    ties(97);
    charges(48, 150, .7);
    charges(45, 60, .9);
    few(20);
    dock_cuda *dock = nullptr;
    MUST(dock_cuda_create(&dock, 8, 0));
    const dock_grid other = {9, 1};
    const dock_turn none = {};
    CHECK(dock_cuda_mobile(dock, &other, &none, nullptr, 1, nullptr) == cudaErrorInvalidValue);
    CHECK(dock_cuda_charges(dock, &other, &none, nullptr, 1, nullptr) == cudaErrorInvalidValue);
    dock_cuda_destroy(dock);
    return check_result();
}
