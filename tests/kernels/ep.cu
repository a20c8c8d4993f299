// EP on a GPU has the counts of a core, and its sums but for rounding, for chunks of several sizes and far into the
// sequence; the same pairs give the same bits again.
#include "tests/kernels/check_cuda.h"
#include "workloads/ep.h"

static void one(uint64_t first, unsigned count_log2) {
    double want[EP_NUMBERS];
    const device_array<double> numbers(EP_NUMBERS), again(EP_NUMBERS);
    const device_array<double> scratch(ep_cuda_scratch(count_log2));
    ep_cpu(first, (uint64_t)1 << count_log2, want);
    MUST(ep_cuda(first, count_log2, numbers.data(), scratch.data(), 0));
    MUST(ep_cuda(first, count_log2, again.data(), scratch.data(), 0));
    const std::vector<double> got = numbers.get();
    CHECK(memcmp(got.data(), again.get().data(), sizeof want) == 0);
    for (int m = 0; m < EP_NUMBERS; m++) {
        const double bound = m < EP_SUMS ? 1e-9 : 0;
        if (!(fabs(got[m] - want[m]) <= bound))
            FAIL("2^%u pairs from %llu: number %d is %.17g, not %.17g", count_log2,
                 (unsigned long long)first, m, got[m], want[m]);
    }
    MUST(ep_cuda_add(numbers.data(), again.data(), 0));
    CHECK(numbers.get()[EP_SUMS] == 2 * want[EP_SUMS]);
}

int main() {
    need_device();
    one(0, 16);
    one(3 << 16, 17);
    one(((uint64_t)1 << 32) - (1 << 20), 20);
    const device_array<double> a(16);
    CHECK(ep_cuda(0, 15, a.data(), a.data(), 0) == cudaErrorInvalidValue);
    CHECK(ep_cuda(0, 41, a.data(), a.data(), 0) == cudaErrorInvalidValue);
    return check_result();
}
