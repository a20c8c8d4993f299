/* psg_cuda_devices.ask() has one call of CUDA say whose memory a pointer points to and where it
 * ends: device memory, memory of a pool, whose ends are not told, managed and page-locked memory,
 * and what CUDA does not know or does not answer for. The driver is a table here. */
#include "runtime/device.h"
#include "tests/check.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** An allocation at an address that nobody reads. */
typedef struct allocation {
    const char *name;
    uintptr_t first;
    size_t bytes;
    unsigned type;
    int device;
    bool managed, whole;
    psg_device_memory want;
} allocation;

#define AT(address) ((const void *)(uintptr_t)(address))

static const allocation known[] = {
    {"device", 0x10000, 0x300, CU_MEMORYTYPE_DEVICE, 2, false, true, {2, false, AT(0x10300)}},
    {"pool", 0x20000, 0x300, CU_MEMORYTYPE_DEVICE, 1, false, false, {1, false, NULL}},
    {"managed", 0x30000, 0x300, CU_MEMORYTYPE_DEVICE, 0, true, false, {-1, true, NULL}},
    {"page-locked", 0x40000, 0x300, CU_MEMORYTYPE_HOST, 0, false, false, {-1, false, NULL}}};
enum { KNOWN = sizeof known / sizeof *known };

static int calls;
static CUresult result;

static void answer(CUpointer_attribute attribute, const allocation *a, void *to) {
    const CUdeviceptr first = a->first;
    const unsigned char truth[2] = {a->managed, a->whole};
    if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
        memcpy(to, &a->type, sizeof a->type);
    } else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
        memcpy(to, &a->device, sizeof a->device);
    } else if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED) {
        memcpy(to, &truth[0], 1);
    } else if (attribute == CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE) {
        memcpy(to, &truth[1], 1);
    } else if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) {
        memcpy(to, &first, sizeof first);
    } else if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE) {
        memcpy(to, &a->bytes, sizeof a->bytes);
    } else {
        CHECK(false, "attribute %d", (int)attribute);
    }
}

/** What CUDA says of memory that it does not know: zeros, and no device. */
static CUresult ask(unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr at) {
    const allocation unknown = {.device = -2};
    const allocation *found = &unknown;
    for (int m = 0; m < KNOWN; ++m) {
        found = at - known[m].first < known[m].bytes ? &known[m] : found;
    }
    for (unsigned m = 0; m < count; ++m) {
        answer(attributes[m], found, data[m]);
    }
    ++calls;
    return result;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *how) {
    CUresult (*const own)(unsigned, CUpointer_attribute *, void **, CUdeviceptr) = ask;
    CHECK(strcmp(symbol, "cuPointerGetAttributes") == 0 && version >= 7000 &&
              flags == cudaEnableDefault,
          "%s of version %u", symbol, version);
    memcpy(function, &own, sizeof own);
    *how = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

static void check(uintptr_t at, psg_device_memory want, const char *name) {
    const int before = calls;
    const psg_device_memory got = psg_cuda_devices.ask(AT(at), want.device);
    CHECK(got.device == want.device && got.managed == want.managed && got.end == want.end,
          "%s: device %d, managed %d, end %p", name, got.device, got.managed, got.end);
    CHECK(calls == before + 1, "%s: %d calls", name, calls - before);
}

int main(void) {
    const psg_device_memory none = {.device = -1};
    for (int m = 0; m < KNOWN; ++m) {
        check(known[m].first, known[m].want, known[m].name);
        check(known[m].first + known[m].bytes - 1, known[m].want, known[m].name);
        check(known[m].first + known[m].bytes, none, "past an allocation");
        check(known[m].first - 1, none, "before an allocation");
    }
    result = CUDA_ERROR_DEINITIALIZED;
    check(known[0].first, none, "no answer");
    return check_result();
}
