// Every element of a matrix of unique indices is where a copy or a transpose puts it, for dense and
// padded matrices of sizes that are no multiples of a tile, in one plane or more, and nothing else
// is written.
#include "kernels/transpose.h"
#include "tests/kernels/check_cuda.h"
#include <cstdint>

template <int WORDS> struct alignas(4 * WORDS) element { uint32_t word[WORDS]; };

template <int WORDS>
static void one(bool turns, const size_t size[2], size_t planes, size_t in_gap, size_t out_gap) {
    using E = element<WORDS>;
    const size_t n[3] = {size[0], size[1], planes};
    const size_t in_row = n[0] + in_gap, out_row = n[turns ? 1 : 0] + out_gap;
    const size_t in_plane = in_row * n[1], out_plane = out_row * n[turns ? 0 : 1];
    std::vector<E> host(in_plane * planes);
    for (size_t i = 0; i < host.size(); i++)
        for (int w = 0; w < WORDS; w++)
            host[i].word[w] = (uint32_t)i + 0x10000000u * (uint32_t)w;
    const device_array<E> in(host), out(out_plane * planes);
    const psg_cuda_matrix from = {in.data(), in_gap ? in_row : 0, in_plane};
    const psg_cuda_matrix to = {out.data(), out_gap ? out_row : 0, out_plane};
    MUST(psg_cuda_transpose(turns, n, sizeof(E), from, to, 0));
    const std::vector<E> got = out.get();
    std::vector<E> want(got.size());
    memset((void *)want.data(), 0xFF, want.size() * sizeof(E));
    for (size_t z = 0; z < planes; z++)
        for (size_t y = 0; y < n[1]; y++)
            for (size_t x = 0; x < n[0]; x++)
                want[z * out_plane + (turns ? y + x * out_row : x + y * out_row)] =
                    host[z * in_plane + x + y * in_row];
    for (size_t i = 0; i < got.size(); i++)
        if (memcmp(&got[i], &want[i], sizeof(E)) != 0) {
            FAIL("%s of %zu x %zu x %zu, %zu bytes, gaps %zu and %zu: element (%zu, %zu) of the "
                 "result is "
                 "%u, not %u",
                 turns ? "transpose" : "copy", n[0], n[1], planes, sizeof(E), in_gap, out_gap,
                 i % out_row, i / out_row, got[i].word[0], want[i].word[0]);
            return;
        }
}

static void arguments() {
    const size_t n[3] = {4, 8, 1}, none[3] = {4, 0, 1}, many[3] = {4, (size_t)1 << 31, 1};
    const size_t deep[3] = {4, 8, 65536};
    device_array<double> a(64), b(64);
    const psg_cuda_matrix in = {a.data(), 0, 0}, out = {b.data(), 0, 0};
    const psg_cuda_matrix null = {nullptr, 0, 0};
    const psg_cuda_matrix odd = {(char *)a.data() + 4, 0, 0}, narrow = {a.data(), 3, 0};
    const psg_cuda_matrix narrow_out = {b.data(), 7, 0};
    CHECK(psg_cuda_transpose(true, none, 8, in, out, 0) == cudaSuccess);
    CHECK(psg_cuda_transpose(true, nullptr, 8, in, out, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(true, many, 8, in, out, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(true, deep, 8, in, out, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(true, n, 3, in, out, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(true, n, 8, null, out, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(true, n, 8, in, null, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(true, n, 8, odd, out, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(true, n, 8, in, odd, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(true, n, 8, narrow, out, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(true, n, 8, in, narrow_out, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_transpose(false, n, 8, in, narrow_out, 0) == cudaSuccess);
}

int main(int argc, char **argv) {
    const bool small = argc > 1 && strcmp(argv[1], "small") == 0;
    need_device();
    const size_t sizes[][2] = {{9, 10},    {33, 65},   {1, 37},     {64, 1},      {70, 3},
                               {1, 1},     {128, 64},  {31, 32},    {257, 5},     {1024, 3},
                               {1500, 2},  {2, 1500},  {3, 210000}, {210000, 3},  {1, 70000},
                               {70000, 1}, {480, 544}, {2049, 300}, {1000, 1000}, {64, 4096}};
    const size_t count = small ? 6 : sizeof sizes / sizeof sizes[0];
    for (size_t s = 0; s < count; s++)
        for (bool turns : {false, true})
            for (size_t in_gap : {0, 3})
                for (size_t out_gap : {0, 9}) {
                    const size_t planes = sizes[s][0] * sizes[s][1] < 10000 ? 1 + s : 1;
                    one<1>(turns, sizes[s], planes, in_gap, out_gap);
                    one<2>(turns, sizes[s], planes, in_gap, out_gap);
                    one<4>(turns, sizes[s], planes, in_gap, out_gap);
                }
    arguments();
    return check_result();
}
