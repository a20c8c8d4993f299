// Every element of an array of unique indices is where each of the six permutations puts it, for dense
// and padded arrays of sizes that are no multiples of a tile, and nothing else is written.
#include "kernels/transpose.h"
#include "tests/kernels/check_cuda.h"
#include <cstdint>

template <int WORDS> struct alignas(4 * WORDS) element { uint32_t word[WORDS]; };

static const int axes[6][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}};

template <int WORDS> static void one(const size_t n[3], psg_cuda_order order, size_t pad, int ept) {
    using E = element<WORDS>;
    const int *axis = axes[order];
    const size_t m[3] = {n[axis[0]], n[axis[1]], n[axis[2]]};
    const size_t in_row = n[0] + pad, in_plane = in_row * n[1] + 2 * pad;
    const size_t out_row = m[0] + 3 * pad, out_plane = out_row * m[1] + pad;
    std::vector<E> host(in_plane * n[2]);
    for (size_t i = 0; i < host.size(); i++)
        for (int w = 0; w < WORDS; w++)
            host[i].word[w] = (uint32_t)i + 0x10000000u * (uint32_t)w;
    const device_array<E> in(host), out(out_plane * m[2]);
    const psg_cuda_array from = {in.data(), pad ? in_row : 0, pad ? in_plane : 0};
    const psg_cuda_array to = {out.data(), pad ? out_row : 0, pad ? out_plane : 0};
    MUST(psg_cuda_transpose(order, n, sizeof(E), from, to, ept, 0));
    const std::vector<E> got = out.get();
    std::vector<E> want(got.size());
    memset((void *)want.data(), 0xFF, want.size() * sizeof(E));
    for (size_t z = 0; z < n[2]; z++)
        for (size_t y = 0; y < n[1]; y++)
            for (size_t x = 0; x < n[0]; x++) {
                const size_t at[3] = {x, y, z};
                want[at[axis[0]] + at[axis[1]] * out_row + at[axis[2]] * out_plane] =
                    host[x + y * in_row + z * in_plane];
            }
    for (size_t i = 0; i < got.size(); i++)
        if (memcmp(&got[i], &want[i], sizeof(E)) != 0) {
            FAIL("order %d of %zu x %zu x %zu, %zu bytes, pad %zu, %d a thread: element (%zu, %zu, "
                 "%zu) of the result is %u, not %u",
                 order, n[0], n[1], n[2], sizeof(E), pad, ept, i % out_row,
                 i / out_row % (out_plane / out_row), i / out_plane, got[i].word[0],
                 want[i].word[0]);
            return;
        }
}

static void arguments() {
    const size_t n[3] = {4, 4, 4}, none[3] = {4, 0, 4};
    device_array<double> a(64), b(64);
    const psg_cuda_array in = {a.data(), 0, 0}, out = {b.data(), 0, 0}, null = {nullptr, 0, 0};
    const psg_cuda_array odd = {(char *)a.data() + 4, 0, 0}, narrow = {a.data(), 3, 0};
    CHECK(psg_cuda_transpose(PSG_CUDA_YXZ, none, 8, in, out, 0, 0) == cudaSuccess);
    CHECK(psg_cuda_transpose(PSG_CUDA_YXZ, n, 3, in, out, 0, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(PSG_CUDA_YXZ, n, 8, in, out, 3, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(PSG_CUDA_YXZ, n, 8, null, out, 0, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(PSG_CUDA_YXZ, n, 8, odd, out, 0, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(PSG_CUDA_YXZ, n, 8, narrow, out, 0, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose((psg_cuda_order)6, n, 8, in, out, 0, 0) == cudaErrorInvalidValue);
}

int main(int argc, char **argv) {
    const bool small = argc > 1 && strcmp(argv[1], "small") == 0;
    need_device();
    const size_t sizes[][3] = {{9, 10, 11},  {33, 65, 17}, {1, 37, 50},   {64, 1, 5},
                               {70, 3, 1},   {1, 1, 1},    {128, 64, 32}, {31, 32, 33},
                               {257, 5, 40}, {1500, 2, 3}, {3, 70000, 2}, {2, 3, 70000}};
    const size_t count = small ? 6 : sizeof sizes / sizeof sizes[0];
    for (size_t s = 0; s < count; s++)
        for (int order = 0; order < PSG_CUDA_ORDER_COUNT; order++)
            for (size_t pad = 0; pad < 4; pad += 3) {
                for (int ept : {0, 1, 2, 4, 8})
                    one<2>(sizes[s], (psg_cuda_order)order, pad, ept);
                one<1>(sizes[s], (psg_cuda_order)order, pad, 0);
                one<4>(sizes[s], (psg_cuda_order)order, pad, 0);
            }
    arguments();
    return check_result();
}
