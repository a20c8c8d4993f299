/** @file transpose_vector.h  The part of transpose.c that depends on how wide vectors are. It
 *  includes this once for each width, with VECTOR, a vector's bytes, and TARGET, what a function
 *  that uses such vectors has to be declared with.
 *
 * A block of elements is turned in registers: it has as many rows of the input as a vector has
 * elements, and rounds of zips (rows i and i + rows/2, their first halves and their second ones)
 * make its columns. Blocks side by side fill a cache line of each row of the output, which so is
 * written as a whole. */
#define NAME(name) NAME_OF(name, VECTOR)
#define NAME_OF(name, width) NAME_WITH(name, width)
#define NAME_WITH(name, width) name##_##width
#define INLINE TARGET static inline __attribute__((always_inline))
#if defined(__clang__)
#define STREAM(to, value) __builtin_nontemporal_store(value, (NAME(vector) *)(void *)(to))
#elif defined(__x86_64__) && VECTOR == 64
#define STREAM(to, value) __builtin_ia32_movntps512((float *)(void *)(to), (NAME(floats))(value))
#elif defined(__x86_64__) && VECTOR == 32
#define STREAM(to, value) __builtin_ia32_movntps256((float *)(void *)(to), (NAME(floats))(value))
#elif defined(__x86_64__)
#define STREAM(to, value) __builtin_ia32_movntps((float *)(void *)(to), (NAME(floats))(value))
#else
#define STREAM(to, value) memcpy(to, &(value), VECTOR)
#endif
#if defined(__clang__)
#define ZIP(type, a, b, ...)                                                                       \
    (NAME(vector)) __builtin_shufflevector((type)(a), (type)(b), __VA_ARGS__)
#else
#define ZIP(type, a, b, ...)                                                                       \
    (NAME(vector)) __builtin_shuffle((type)(a), (type)(b), (type){__VA_ARGS__})
#endif

typedef uint32_t NAME(vector) __attribute__((vector_size(VECTOR)));
typedef uint64_t NAME(longs) __attribute__((vector_size(VECTOR)));
typedef float NAME(floats) __attribute__((vector_size(VECTOR)));

/* Elements of a's and b's first halves in turn, and of their second halves. */
INLINE void NAME(zip)(size_t bytes, NAME(vector) a, NAME(vector) b, NAME(vector) * first,
                      NAME(vector) * second) {
#if VECTOR == 64
    if (bytes == 4) {
        *first = ZIP(NAME(vector), a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        *second =
            ZIP(NAME(vector), a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    } else if (bytes == 8) {
        *first = ZIP(NAME(longs), a, b, 0, 8, 1, 9, 2, 10, 3, 11);
        *second = ZIP(NAME(longs), a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    } else {
        *first = ZIP(NAME(longs), a, b, 0, 1, 8, 9, 2, 3, 10, 11);
        *second = ZIP(NAME(longs), a, b, 4, 5, 12, 13, 6, 7, 14, 15);
    }
#elif VECTOR == 32
    if (bytes == 4) {
        *first = ZIP(NAME(vector), a, b, 0, 8, 1, 9, 2, 10, 3, 11);
        *second = ZIP(NAME(vector), a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    } else if (bytes == 8) {
        *first = ZIP(NAME(longs), a, b, 0, 4, 1, 5);
        *second = ZIP(NAME(longs), a, b, 2, 6, 3, 7);
    } else {
        *first = ZIP(NAME(longs), a, b, 0, 1, 4, 5);
        *second = ZIP(NAME(longs), a, b, 2, 3, 6, 7);
    }
#else
    if (bytes == 4) {
        *first = ZIP(NAME(vector), a, b, 0, 4, 1, 5);
        *second = ZIP(NAME(vector), a, b, 2, 6, 3, 7);
    } else {
        *first = ZIP(NAME(longs), a, b, 0, 2);
        *second = ZIP(NAME(longs), a, b, 1, 3);
    }
#endif
}

INLINE void NAME(put)(char *to, NAME(vector) value, bool streams) {
    if (streams) {
        STREAM(to, value);
    } else {
        memcpy(to, &value, VECTOR);
    }
}

/* `blocks` blocks side by side: as many vectors of each of their rows of the output. */
INLINE void NAME(turn_blocks)(size_t bytes, size_t blocks, bool streams, const char *in,
                              size_t in_b, char *out, size_t out_a) {
    const size_t rows = VECTOR / bytes;
    NAME(vector) block[LINE / VECTOR][VECTOR / 4];
    UNROLL
    for (size_t m = 0; m < blocks; m++) {
        NAME(vector) *row = block[m];
        NAME(vector) zipped[VECTOR / 4];
        UNROLL
        for (size_t i = 0; i < rows; i++) {
            memcpy(&row[i], in + (m * rows + i) * in_b, VECTOR);
        }
        UNROLL
        for (size_t round = 1; round < rows; round *= 2) {
            UNROLL
            for (size_t i = 0; i < rows / 2; i++) {
                NAME(zip)(bytes, row[i], row[i + rows / 2], &zipped[2 * i], &zipped[2 * i + 1]);
            }
            UNROLL
            for (size_t i = 0; i < rows; i++) {
                row[i] = zipped[i];
            }
        }
    }
    UNROLL
    for (size_t i = 0; i < rows; i++) {
        UNROLL
        for (size_t m = 0; m < blocks; m++) {
            NAME(put)(out + i * out_a + m * VECTOR, block[m][i], streams);
        }
    }
}

/* The tile that begins at element `at`. Blocks for which there is no room at the end of a row or of
 * a column begin earlier, and write once more what those before did. */
INLINE void NAME(turn_tile)(size_t bytes, size_t blocks, bool streams, const transposition *it,
                            const size_t at[2]) {
    const size_t step_x = VECTOR / bytes;
    const size_t step_y = step_x * blocks;
    const size_t end_x = least(at[0] + it->side[0], it->n[0]);
    const size_t end_y = least(at[1] + it->side[1], it->n[1]);
    for (size_t j = at[1]; j < end_y; j += step_y) {
        const size_t y = least(j, it->n[1] - step_y);
        for (size_t i = at[0]; i < end_x; i += step_x) {
            const size_t x = least(i, it->n[0] - step_x);
            NAME(turn_blocks)
            (bytes, blocks, streams, it->in + x * bytes + y * it->in_row, it->in_row,
             it->out + x * it->out_row + y * bytes, it->out_row);
        }
    }
}

/* Tiles follow one another as the output lies in memory, or as the input does where the output goes
 * past the caches: then it is reading that takes time. */
INLINE void NAME(turn_all)(size_t bytes, size_t blocks, bool streams, const transposition *it) {
    const int inner = it->streams ? 0 : 1, outer = 1 - inner;
    size_t at[2];
    for (at[outer] = 0; at[outer] < it->n[outer]; at[outer] += it->side[outer]) {
        for (at[inner] = 0; at[inner] < it->n[inner]; at[inner] += it->side[inner]) {
            NAME(turn_tile)(bytes, blocks, streams, it, at);
        }
    }
}

INLINE void NAME(turn_elements)(size_t bytes, const transposition *it) {
    if (it->n[1] * bytes < LINE) {
        NAME(turn_all)(bytes, 1, false, it);
    } else if (it->streams) {
        NAME(turn_all)(bytes, LINE / VECTOR, true, it);
    } else {
        NAME(turn_all)(bytes, LINE / VECTOR, false, it);
    }
}

/* With as many elements along each axis as a vector has, at least. */
TARGET static void NAME(turn)(const transposition *it) {
    if (it->bytes == 4) {
        NAME(turn_elements)(4, it);
    } else if (it->bytes == 8) {
        NAME(turn_elements)(8, it);
    } else {
        NAME(turn_elements)(16, it);
    }
}

INLINE void NAME(copy_row)(size_t bytes, bool streams, const char *in, char *out) {
    const size_t head = streams ? least(-(uintptr_t)out % LINE, bytes) : 0;
    const size_t end = head + (bytes - head) / LINE * LINE;
    if (head > 0) {
        memcpy(out, in, head);
    }
    for (size_t m = head; m < end; m += VECTOR) {
        NAME(vector) value;
        memcpy(&value, in + m, VECTOR);
        NAME(put)(out + m, value, streams);
    }
    if (end < bytes) {
        memcpy(out + end, in + end, bytes - end);
    }
}

INLINE void NAME(copy_rows)(bool streams, const transposition *it) {
    for (size_t j = 0; j < it->n[1]; j++) {
        NAME(copy_row)
        (it->n[0] * it->bytes, streams, it->in + j * it->in_row, it->out + j * it->out_row);
    }
}

TARGET static void NAME(copy)(const transposition *it) {
    if (it->streams) {
        NAME(copy_rows)(true, it);
    } else {
        NAME(copy_rows)(false, it);
    }
}

#undef NAME
#undef NAME_OF
#undef NAME_WITH
#undef INLINE
#undef STREAM
#undef ZIP
#undef VECTOR
#undef TARGET
