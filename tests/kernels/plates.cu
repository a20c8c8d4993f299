// The mean potential of a plate on a GPU is that of a core but for the rounding of f32, for full and incomplete rows,
// several layers of points, more points than blocks, and lines shorter and longer than a warp; the same plates give the
// same bits again.
#include "tests/kernels/check_cuda.h"
#include "workloads/blocks.h"

static void one(blocks_plates plates) {
    const device_array<double> mean(1), again(1), scratch(BLOCKS_CUDA_SCRATCH);
    const double want = blocks_cpu_plates(&plates);
    MUST(blocks_cuda_plates(&plates, mean.data(), scratch.data(), 0));
    MUST(blocks_cuda_plates(&plates, again.data(), scratch.data(), 0));
    const double got = mean.get()[0];
    CHECK(got == again.get()[0]);
    if (!(fabs(got - want) <= 1e-6 * want))
        FAIL("%u points over %u cells of %u, %u: %.17g, not %.17g", plates.points, plates.over,
             plates.of, plates.fine, got, want);
    MUST(blocks_cuda_couple(mean.data(), again.data(), again.data(), 0));
    const double coupled = mean.get()[0];
    if (!(fabs(coupled - 1) <= 1e-15))
        FAIL("a plate is coupled with itself by %.17g", coupled);
}

int main() {
    need_device();
    one({1, 1, 1, 1, 0});
    one({7, 3, 5, 2, 4});
    one({50, 50, 37, 8, -16});
    one({83, 40, 101, 4, -0.25f});
    one({5347, 1186, 1202, 4, 16});
    const device_array<double> a(BLOCKS_CUDA_SCRATCH);
    const blocks_plates bad[] = {
        {0, 1, 1, 1, 0}, {1, 0, 1, 1, 0}, {1, 1, 0, 1, 0}, {1, 1, 1, 0, 0}, {1, 1, 1u << 31, 2, 0}};
    for (const blocks_plates &plates : bad)
        CHECK(blocks_cuda_plates(&plates, a.data(), a.data(), 0) == cudaErrorInvalidValue);
    return check_result();
}
