/* Streams of main memory, in place of runtime/side_stream.c, for nccl_fake.c. */
#include "runtime/side_stream.h"
#include "tests/mpi/nccl_fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct marked {
    fake_stream fake; /* first: NCCL gets it */
    size_t put[PSG_SIDE_MARKS];
} marked;

/* A GPU that the process has for itself, unless the environment names that of another. */
static bool identify(int device, unsigned char identity[PSG_SIDE_IDENTITY]) {
    const char *name = getenv("PSG_FAKE_GPU");
    name = name != NULL ? name : getenv("OMPI_COMM_WORLD_RANK");
    (void)device;
    snprintf((char *)identity, PSG_SIDE_IDENTITY, "%ld", name ? atol(name) : (long)getpid());
    return true;
}

static bool open_stream(psg_side_stream *s, size_t bytes) {
    *s = (psg_side_stream){.stream = calloc(1, sizeof(marked)), .memory = malloc(bytes)};
    return s->stream != NULL && s->memory != NULL;
}

static void close_stream(psg_side_stream *s) {
    marked *m = s->stream;
    if (m->fake.ended != m->fake.put) {
        fprintf(stderr, "a stream is closed before its end\n");
        abort();
    }
    free(s->stream);
    free(s->memory);
    *s = (psg_side_stream){.stream = NULL};
}

static bool set(psg_side_stream *s, size_t m) {
    marked *stream = s->stream;
    stream->put[m] = stream->fake.put;
    return true;
}

static int passed(const psg_side_stream *s, size_t m) {
    marked *stream = s->stream;
    if (stream->fake.go_on) {
        stream->fake.go_on(&stream->fake);
    }
    return stream->fake.ended >= stream->put[m];
}

static const psg_side_stream_table of_main_memory = {.rate_bytes = 1 << 16,
                                                     .identify = identify,
                                                     .open = open_stream,
                                                     .close = close_stream,
                                                     .set = set,
                                                     .passed = passed};
const psg_side_stream_table *const psg_side_streams = &of_main_memory;
