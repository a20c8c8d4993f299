// The table of a Green's function, made on a device, is that of a core, to rounding.
extern "C" {
#include "cpu/ops.h"
}
#include "kernels/green.h"
#include "tests/kernels/check_cuda.h"

/// Rows row0 .. row0 + rows - 1 of the table of a box of n points, x and y free.
template <class Real>
static void compare(const size_t n[3], bool z_free, size_t row0, size_t rows) {
    const double eigen[] = {0, -1, -2, -30, -500};
    psg_cpu_green_spec spec = {};
    for (int d = 0; d < 3; d++)
        spec.axis[d] = {n[d] + 1, 1 / (double)n[0], nullptr};
    if (!z_free)
        spec.axis[2] = {5, 0, eigen};
    spec.lambda = 2;
    spec.zero_at = 1;
    psg_cpu_green *green = psg_cpu_green_create(&spec);
    if (!green) {
        FAIL("no factors of %zu x %zu x %zu", n[0], n[1], n[2]);
        return;
    }
    std::vector<std::vector<double>> factor;
    for (int d = 0; d < 3; d++)
        factor.emplace_back(green->factor[d], green->factor[d] + green->terms * green->pitch[d]);
    const device_array<double> x(factor[0]), y(factor[1]), z(factor[2]);
    const psg_cuda_green there = {green->terms,
                                  {green->modes[0], green->modes[1], green->modes[2]},
                                  {green->pitch[0], green->pitch[1], green->pitch[2]},
                                  {x.data(), y.data(), z.data()}};
    const size_t count = rows * green->modes[2] * green->modes[0];
    const device_array<Real> table(count);
    std::vector<Real> expected(count);
    const psg_cpu_ops *ops = sizeof(Real) == 8 ? &psg_cpu_ops_f64 : &psg_cpu_ops_f32;
    ops->green_rows(green, row0, rows, expected.data());
    MUST(psg_cuda_green_rows(precision_of<Real>(), &there, row0, rows, table.data(), 0));
    const std::vector<Real> got = table.get();
    double largest = 0;
    for (Real v : expected)
        largest = fmax(largest, fabs(v));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(got[i] - expected[i]) <= (sizeof(Real) == 8 ? 1e-15 : 1e-7) * largest)) {
            FAIL("f%zu, %zu x %zu x %zu, row %zu of %zu: number %zu is %.17g, and not %.17g",
                 8 * sizeof(Real), n[0], n[1], n[2], row0, rows, i, (double)got[i],
                 (double)expected[i]);
            break;
        }
    CHECK(psg_cuda_green_rows(precision_of<Real>(), &there, green->modes[1], 1, table.data(), 0) ==
          cudaErrorInvalidValue);
    psg_cpu_green_destroy(green);
}

template <class Real> static void all() {
    const size_t sizes[][3] = {{1, 1, 1}, {6, 5, 8}, {63, 40, 17}, {130, 20, 64}};
    for (const size_t *n : sizes)
        for (bool z_free : {false, true}) {
            compare<Real>(n, z_free, 0, n[1] + 1);
            compare<Real>(n, z_free, n[1] / 2, n[1] + 1 - n[1] / 2);
        }
}

int main() {
    need_device();
    all<double>();
    all<float>();
    return check_result();
}
