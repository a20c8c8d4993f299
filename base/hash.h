/** @file hash.h  A number that tells one text from another. It is no signature. */
#ifndef PSG_BASE_HASH_H
#define PSG_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/** The hash of no bytes. */
#define BASE_HASH_NOTHING UINT64_C(14695981039346656037)

/** FNV-1a, 64 bits. @param[in] hash  of the bytes before these @return of all of them */
uint64_t base_hash(uint64_t hash, const void *bytes, size_t count);

#endif
