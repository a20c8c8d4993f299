#include "graph/internal.h"

/* How finely work is cut for a kind of worker. */
typedef struct grain {
    size_t tasks;     /* of one phase for each worker, where the data are large enough */
    size_t bytes_min; /* of f in a task: below, a task costs too much beside its work */
} grain;

/* Two tasks a core: a late core does not hold up the others for long. On a GPU, enough to copy one
 * while another computes; pieces under 32 MB would leave it half empty. */
static const grain cpu_grain = {.tasks = 2, .bytes_min = (size_t)512 << 10};
static const grain gpu_grain = {.tasks = 4, .bytes_min = (size_t)32 << 20};

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

psg_status psg_local_extent(size_t nz, int ranks, int rank, size_t *z0, size_t *count) {
    psg_clear_error();
    if (nz == 0 || ranks < 1 || rank < 0 || rank >= ranks) {
        return psg_fail(PSG_ERR_ARG, "there is no part %d of %zu planes in %d", rank, nz, ranks);
    }
    const size_t parts = (size_t)ranks;
    const size_t m = (size_t)rank;
    const size_t each = nz / parts;
    const size_t more = nz % parts; /* the first of them have one more */
    if (z0 != NULL) {
        *z0 = m * each + (m < more ? m : more);
    }
    if (count != NULL) {
        *count = each + (m < more ? 1 : 0);
    }
    return PSG_OK;
}

static size_t clamp(size_t value, size_t low, size_t high) {
    return value < low ? low : value > high ? high : value;
}

void psg_partition_choose(const psg_plan *plan, size_t *segments, size_t *segment_planes,
                          size_t *pencils) {
    const size_t *n = plan->context.n;
    const size_t bytes = n[0] * n[1] * n[2] * plan->context.cpu->real_bytes;
    const grain *g = plan->gpu_count > 0 ? &gpu_grain : &cpu_grain;
    const size_t workers = plan->usable_workers;
    size_t tasks = g->tasks * workers;
    const size_t worthwhile = clamp(bytes / g->bytes_min, 1, tasks);
    if (worthwhile < tasks) { /* fewer and larger, but the same for every worker */
        tasks = worthwhile > workers ? worthwhile / workers * workers : worthwhile;
    }
    /* StarPU counts the elements of a block in 32 bits. */
    const size_t planes_max = UINT32_MAX / (n[0] * n[1]);
    const size_t rows_max = UINT32_MAX / (n[2] * plan->context.nxc);
    if (plan->options.segment_planes > 0) {
        *segment_planes =
            clamp(plan->options.segment_planes, 1, n[2] < planes_max ? n[2] : planes_max);
        *segments = (n[2] + *segment_planes - 1) / *segment_planes;
    } else {
        *segments = clamp(tasks, (n[2] + planes_max - 1) / planes_max, n[2]);
        *segment_planes = (n[2] + *segments - 1) / *segments;
    }
    *pencils = clamp(plan->options.pencils > 0 ? plan->options.pencils : tasks,
                     (n[1] + rows_max - 1) / rows_max, n[1]);
}
