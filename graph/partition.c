#include "graph/internal.h"

/* Tasks of one phase per worker: enough that a late worker does not hold up the others for long. */
enum { TASKS_PER_WORKER = 2 };
/* A task below this many bytes of f costs about as much to schedule as to run. */
enum { TASK_BYTES_MIN = 512 << 10 };

void psg_partition(size_t extent, size_t parts, size_t *first) {
    for (size_t m = 0; m <= parts; m++) {
        first[m] = m * (extent / parts) + (m < extent % parts ? m : extent % parts);
    }
}

void psg_partition_planes(size_t extent, size_t planes, size_t *first) {
    const size_t parts = (extent + planes - 1) / planes;
    for (size_t m = 0; m <= parts; m++) {
        first[m] = m * planes < extent ? m * planes : extent;
    }
}

static size_t clamp(size_t value, size_t low, size_t high) {
    return value < low ? low : value > high ? high : value;
}

void psg_partition_choose(const psg_context *context, const psg_options *options, size_t workers,
                          size_t *segments, size_t *segment_planes, size_t *pencils) {
    const size_t *n = context->n;
    const size_t bytes = n[0] * n[1] * n[2] * context->cpu->real_bytes;
    size_t tasks = TASKS_PER_WORKER * workers;
    const size_t worthwhile = clamp(bytes / TASK_BYTES_MIN, 1, tasks);
    if (worthwhile < tasks) { /* fewer and larger, but the same for every worker */
        tasks = worthwhile > workers ? workers : worthwhile;
    }
    if (options->segment_planes > 0) {
        *segment_planes = clamp(options->segment_planes, 1, n[2]);
        *segments = (n[2] + *segment_planes - 1) / *segment_planes;
    } else {
        *segments = clamp(tasks, 1, n[2]);
        *segment_planes = (n[2] + *segments - 1) / *segments;
    }
    *pencils = clamp(options->pencils > 0 ? options->pencils : tasks, 1, n[1]);
}
