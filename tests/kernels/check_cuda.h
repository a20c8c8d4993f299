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

#endif
