// The product of some rows of a sparse matrix on a GPU has the bits of a core's, and so have the sums of its leaves: for rows of no,
// one and many numbers, and for columns in several blocks.
#include "tests/kernels/check_cuda.h"
#include "workloads/cg.h"
#include <memory>

static std::vector<double> numbers(size_t count) {
    std::vector<double> v(count);
    for (double &x : v)
        x = check_uniform();
    return v;
}

/// @param longest  numbers of a row
static void one(size_t leaves, size_t blocks, size_t longest) {
    const size_t rows = leaves * BASE_PCG_LANES;
    std::vector<uint32_t> start(rows + 1), column;
    for (size_t row = 0; row < rows; row++)
        start[row + 1] = start[row] + (uint32_t)((size_t)rand() % (longest + 1));
    for (size_t m = 0; m < start[rows]; m++)
        column.push_back((uint32_t)((size_t)rand() % blocks << CG_BITS | (size_t)rand() % rows));
    const std::vector<double> value = numbers(start[rows]);
    std::vector<double> q(rows), part(leaves);
    const device_array<uint32_t> start_d(start), column_d(column);
    const device_array<double> value_d(value), q_d(rows), part_d(leaves);
    std::vector<std::vector<double>> p(blocks);
    std::vector<std::unique_ptr<device_array<double>>> p_d;
    cg_rows a = {};
    a.block = blocks - 1;
    a.leaves = leaves;
    cg_rows b = a;
    for (size_t m = 0; m < blocks; m++) {
        p[m] = numbers(rows);
        p_d.emplace_back(new device_array<double>(p[m]));
        a.p[m] = p[m].data();
        b.p[m] = p_d[m]->data();
    }
    a.start = start.data();
    a.column = column.data();
    a.value = value.data();
    a.q = q.data();
    a.part = part.data();
    b.start = start_d.data();
    b.column = column_d.data();
    b.value = value_d.data();
    b.q = q_d.data();
    b.part = part_d.data();
    cg_cpu_apply(&a);
    MUST(cg_cuda_apply(&b, 0));
    if (q_d.get() != q || part_d.get() != part)
        FAIL("%zu leaves, %zu blocks, up to %zu numbers: other bits", leaves, blocks, longest);
}

int main() {
    need_device();
    one(1, 1, 1);
    one(2, 2, 7);
    one(3, 5, 40);
    one(40, CG_BLOCKS, 530);
    const cg_rows none = {};
    CHECK(cg_cuda_apply(&none, 0) == cudaErrorInvalidValue);
    return check_result();
}
