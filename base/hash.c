#include "base/hash.h"

uint64_t base_hash(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *byte = bytes;
    for (size_t m = 0; m < count; m++) {
        hash = (hash ^ byte[m]) * UINT64_C(1099511628211);
    }
    return hash;
}
