/** @file nccl_fake.h  A stream of main memory, on which nccl_fake.c puts groups of calls. They go one
 *  after the other, as NCCL's kernels do. */
#ifndef PSG_TESTS_NCCL_FAKE_H
#define PSG_TESTS_NCCL_FAKE_H

#include <stddef.h>

typedef struct fake_stream {
    size_t put, ended; /**< groups */
    struct fake_group *first, *last;
    void (*go_on)(struct fake_stream *stream); /**< NULL: nothing has been put */
} fake_stream;

#endif
