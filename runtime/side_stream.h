/** @file side_stream.h  A stream beside those of StarPU's workers, for what another library
 * launches on a GPU, and marks on it that say how far it has got. */
#ifndef PSG_RUNTIME_SIDE_STREAM_H
#define PSG_RUNTIME_SIDE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

enum { PSG_SIDE_MARKS = 8, PSG_SIDE_IDENTITY = 16 };

typedef struct psg_side_stream {
    void *stream;               /**< cudaStream_t, before those of the workers; NULL: closed */
    void *memory;               /**< on the GPU */
    void *mark[PSG_SIDE_MARKS]; /**< cudaEvent_t */
} psg_side_stream;

typedef struct psg_side_stream_table {
    size_t gpus;       /**< of the process that has such a stream; 0: in tests, of main memory */
    size_t rate_bytes; /**< to send at a time, where the rate is measured */
    /** What tells a device from all others. @return false: CUDA does not say */
    bool (*identify)(int device, unsigned char identity[PSG_SIDE_IDENTITY]);
    /** On a device, which is the calling thread's. @param[in] bytes  of its memory
     *  @return false: nothing is left of it */
    bool (*open)(psg_side_stream *s, size_t bytes);
    /** Waits for what is on the stream. */
    void (*close)(psg_side_stream *s);
    /** Set mark m behind all that is on the stream. @return false: CUDA does not */
    bool (*set)(psg_side_stream *s, size_t m);
    /** Has the stream come to mark m? @return 1, 0; -1: CUDA has failed */
    int (*passed)(const psg_side_stream *s, size_t m);
} psg_side_stream_table;

/** Those of side_stream_cuda.c, where that is built. */
extern const psg_side_stream_table psg_cuda_side_streams;

/** NULL: built without CUDA. */
extern const psg_side_stream_table *const psg_side_streams;

#endif
