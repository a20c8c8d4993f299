// What the tests of kernels/ share: failing with words, skipping without a device, arrays on the device
// that are poisoned before use and guarded against writes beside them.
#ifndef PSG_TESTS_CHECK_CUDA_H
#define PSG_TESTS_CHECK_CUDA_H

#include "kernels/common.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int check_failures = 0;
static const psg_cuda_r2r periodic[2] = {PSG_CUDA_DFT, PSG_CUDA_DFT}; // along x and y

template <class Real> static psg_cuda_precision precision_of() {
    return sizeof(Real) == 8 ? PSG_CUDA_F64 : PSG_CUDA_F32;
}

/// Count a failure, with the place; the first 20 are printed.
#define FAIL(...)                                                                                  \
    do {                                                                                           \
        if (check_failures++ < 20) {                                                               \
            printf("FAIL %s:%d: ", __FILE__, __LINE__);                                            \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            FAIL("%s", #condition);                                                                \
    } while (0)

/// A call of CUDA or of kernels/ that must succeed; the test cannot go on without.
#define MUST(call)                                                                                 \
    do {                                                                                           \
        const int must_code = (int)(call);                                                         \
        if (must_code != 0) {                                                                      \
            printf("FAIL %s:%d: %s: %s\n", __FILE__, __LINE__, #call,                              \
                   psg_cuda_error_string(must_code));                                              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/// To be called first: exit 77 where there is no device.
static inline void need_device() {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        printf("no CUDA device: skipped\n");
        exit(77);
    }
}

/// The end of main: wait for the device, and say how it went.
static inline int check_result() {
    MUST(cudaDeviceSynchronize());
    if (check_failures)
        printf("%d failures\n", check_failures);
    return check_failures ? 1 : 0;
}

static inline double check_uniform() {
    return 2.0 * rand() / RAND_MAX - 1.0;
}

/// An array on the device with a guard on both sides. All bytes are 0xFF at first: NaN, or an index
/// that no array has.
template <class T> class device_array {
    static constexpr size_t guard = 1024;
    unsigned char *bytes = nullptr;
    size_t n;

  public:
    explicit device_array(size_t n_) : n(n_) {
        MUST(cudaMalloc((void **)&bytes, n * sizeof(T) + 2 * guard));
        poison();
    }
    explicit device_array(const std::vector<T> &host) : device_array(host.size()) {
        put(host);
    }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    ~device_array() {
        std::vector<unsigned char> edge(2 * guard);
        MUST(cudaMemcpy(edge.data(), bytes, guard, cudaMemcpyDeviceToHost));
        MUST(cudaMemcpy(edge.data() + guard, bytes + guard + n * sizeof(T), guard,
                        cudaMemcpyDeviceToHost));
        for (unsigned char b : edge)
            if (b != 0xFF) {
                FAIL("written beside an array of %zu elements of %zu bytes", n, sizeof(T));
                break;
            }
        MUST(cudaFree(bytes));
    }
    T *data() const {
        return reinterpret_cast<T *>(bytes + guard);
    }
    size_t size() const {
        return n;
    }
    void poison() {
        MUST(cudaMemset(bytes, 0xFF, n * sizeof(T) + 2 * guard));
    }
    void put(const std::vector<T> &host) {
        MUST(cudaMemcpy(data(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get() const {
        std::vector<T> host(n);
        MUST(cudaMemcpy(host.data(), data(), n * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
};

/// How a field stands in memory: reals before its first point, reals more than nx in a row, and rows more than ny in a
/// plane.
struct pitches {
    size_t before, reals, rows;
};

/// One ghost layer; odd and even rows, from places of either parity on; dense, but aligned to a real alone.
static const pitches all_pitches[] = {{1, 2, 2}, {1, 3, 1}, {0, 1, 0}, {2, 4, 0}, {1, 0, 0}};

/// A field on the device. Its bytes that are no point's are 0xFF, and have to stay so.
template <class Real> class pitched_field {
    size_t nx, ny, planes, before, row, plane;
    device_array<Real> array;

    Real *row_of(std::vector<Real> &host, size_t j, size_t k) const {
        return host.data() + before + k * plane + j * row;
    }

  public:
    pitched_field(size_t nx_, size_t ny_, size_t planes_, const pitches &p)
        : nx(nx_), ny(ny_), planes(planes_), before(p.before), row(nx + p.reals),
          plane(row * (ny + p.rows)), array(before + planes * plane) {
    }
    /// From a plane on.
    psg_cuda_field field(size_t k = 0) const {
        return {array.data() + before + k * plane, row, plane};
    }
    void put(const std::vector<Real> &dense) {
        std::vector<Real> host(array.size());
        memset(static_cast<void *>(host.data()), 0xFF, host.size() * sizeof(Real));
        for (size_t k = 0; k < planes; k++)
            for (size_t j = 0; j < ny; j++)
                memcpy(row_of(host, j, k), &dense[(k * ny + j) * nx], nx * sizeof(Real));
        array.put(host);
    }
    void poison() {
        array.poison();
    }
    std::vector<Real> dense() const {
        std::vector<Real> host = array.get(), points(nx * ny * planes);
        for (size_t k = 0; k < planes; k++)
            for (size_t j = 0; j < ny; j++)
                memcpy(&points[(k * ny + j) * nx], row_of(host, j, k), nx * sizeof(Real));
        return points;
    }
    /// The points are those of a dense array bit by bit, and nothing is written beside them.
    void check(const std::vector<Real> &dense, const char *what) const {
        std::vector<Real> host = array.get();
        size_t wrong = 0, beside = 0;
        for (size_t k = 0; k < planes; k++)
            for (size_t j = 0; j < ny; j++) {
                Real *at = row_of(host, j, k);
                wrong += memcmp(at, &dense[(k * ny + j) * nx], nx * sizeof(Real)) != 0;
                memset(static_cast<void *>(at), 0xFF, nx * sizeof(Real));
            }
        const unsigned char *bytes = reinterpret_cast<const unsigned char *>(host.data());
        for (size_t i = 0; i < host.size() * sizeof(Real); i++)
            beside += bytes[i] != 0xFF;
        if (wrong || beside)
            FAIL("%s, f%zu, %zu x %zu x %zu from %zu on, pitches %zu and %zu: %zu rows differ from "
                 "a dense field's, %zu bytes beside the points are written",
                 what, 8 * sizeof(Real), nx, ny, planes, before, row, plane, wrong, beside);
    }
};

#endif
