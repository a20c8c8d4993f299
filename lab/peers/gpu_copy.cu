/* How many bytes per second a GPU can copy, read and written ones counted: the ceilings of the
 * stages of a solve.
 *
 *   bench_gpus copy [--repeat N] [--warm-up N] [--seed N] [--memory X]
 *
 * - memory: from one array to another, both much larger than the second-level cache (4 GiB each, or
 *   less where less is free); by a kernel and by CUDA's own copy (cudaMemcpyAsync), and the faster
 *   one counts.
 * - cache: the same kernel on two arrays that are together a quarter of the second-level cache,
 *   from the first to the second and back, many times in one launch, so that launching takes no
 *   time. What one multiprocessor has written another one reads, as between the steps along x and y
 *   of a solve: an array that is only read costs less, as each half of the cache keeps a copy of
 *   it. Loads go to the second-level cache, not to the first-level one (ld.global.cg).
 *
 * Prints the GPU's name and a line for each of the two, the median of N launches.
 * lab/plots/roofline.py reads that.
 */
#include "lab/peers/gpu.cuh"
#include "lab/peers/gpus.h"

#include <algorithm>

enum { THREADS = 256, EACH = 4, CHUNK = THREADS * EACH };
static const double GIB = 1073741824, CHUNK_BYTES = CHUNK * sizeof(double2);

/* Arrays of `chunks` chunks, copied there and back and again, until `items` chunks are copied.
 * Blocks do not wait for each other. Where there are more of them than chunks, as on an H200, some
 * copy back while others still copy there. So if chunks are copied more than once, both arrays must
 * hold the same numbers from the start. */
__global__ void copy_chunks(double2 *from, double2 *to, unsigned chunks, unsigned items) {
    for (unsigned item = blockIdx.x; item < items; item += gridDim.x) {
        const unsigned time = item / chunks;
        const size_t first = (size_t)(item - time * chunks) * CHUNK + threadIdx.x;
        const double2 *const source = (time % 2 == 0 ? from : to) + first;
        double2 *const target = (time % 2 == 0 ? to : from) + first;
        double2 v[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) /* all on their way before the first is stored */
            v[e] = __ldcg(source + e * THREADS);
#pragma unroll
        for (int e = 0; e < EACH; e++)
            __stcg(target + e * THREADS, v[e]);
    }
}

/* Numbers that depend on their place: written, or, with `wrong`, looked for. */
__global__ void mark(double2 *array, size_t count, int *wrong) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        const double2 v = make_double2(bench_random(2 * i), bench_random(2 * i + 1));
        if (wrong == nullptr) {
            array[i] = v;
        } else if (array[i].x != v.x || array[i].y != v.y) {
            *wrong = 1;
        }
    }
}

struct copies {
    unsigned chunks, items, blocks;
    size_t count; /* double2 in an array */
    bench_buffer from, to, wrong;
    cudaEvent_t begin, end;
    double latest = 0; /* seconds */

    /* Arrays of about so many bytes, copied until so many are read and written, at least once. */
    copies(double bytes, double moved)
        : chunks(std::max(1u, (unsigned)(bytes / CHUNK_BYTES))),
          items(chunks * std::max(1u, (unsigned)(moved / (2 * chunks * CHUNK_BYTES)))),
          count((size_t)chunks * CHUNK), from(count * sizeof(double2)), to(count * sizeof(double2)),
          wrong(sizeof(int)) {
        int processors = 0, each = 0;
        BENCH_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
        BENCH_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, copy_chunks, THREADS, 0));
        blocks = (unsigned)(processors * each);
        BENCH_CUDA(cudaEventCreate(&begin));
        BENCH_CUDA(cudaEventCreate(&end));
        for (void *array : {from.p, to.p})
            mark<<<blocks, THREADS>>>((double2 *)array, count, nullptr);
        BENCH_CUDA(cudaGetLastError());
        BENCH_CUDA(cudaMemset(wrong.p, 0, sizeof(int)));
    }
    ~copies() {
        cudaEventDestroy(begin), cudaEventDestroy(end);
    }
    double seconds(bool by_cuda, unsigned chunks_copied) {
        float milliseconds = 0;
        BENCH_CUDA(cudaEventRecord(begin));
        if (by_cuda)
            BENCH_CUDA(
                cudaMemcpyAsync(to.p, from.p, count * sizeof(double2), cudaMemcpyDeviceToDevice));
        else
            copy_chunks<<<blocks, THREADS>>>((double2 *)from.p, (double2 *)to.p, chunks,
                                             chunks_copied);
        BENCH_CUDA(cudaGetLastError());
        BENCH_CUDA(cudaEventRecord(end));
        BENCH_CUDA(cudaEventSynchronize(end));
        BENCH_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
        return 1e-3 * milliseconds;
    }
    /* Does a way to copy copy? One copy there, which has to write every chunk. */
    void check(const char *name, bool by_cuda) {
        int is_wrong = 0;
        BENCH_CUDA(cudaMemset(to.p, 0, count * sizeof(double2)));
        (void)seconds(by_cuda, chunks);
        mark<<<blocks, THREADS>>>((double2 *)to.p, count, (int *)wrong.p);
        BENCH_CUDA(cudaGetLastError());
        BENCH_CUDA(cudaMemcpy(&is_wrong, wrong.p, sizeof is_wrong, cudaMemcpyDeviceToHost));
        bench_must(!is_wrong, "%s: the copy is not what was copied", name);
    }
    void say(const char *name, double median) {
        printf("%s %.4g bytes/s\n", name, 2 * CHUNK_BYTES * items / median);
    }
};

template <bool BY_CUDA> static bench_job job(copies *copy) {
    const auto run = [](void *what) {
        copies *const c = static_cast<copies *>(what);
        c->latest = c->seconds(BY_CUDA, c->items);
    };
    const auto seconds = [](void *what) { return static_cast<copies *>(what)->latest; };
    return {"copy", copy, nullptr, run, seconds, {}, 0};
}

int bench_copies(int argc, char **argv, const void *) {
    bench_settings settings = {11, 3, 1, 0, 0, 0, 0};
    int cache_bytes = 0;
    bench_arguments(argc, argv, nullptr, nullptr, &settings);
    bench_must_or(BENCH_USAGE, !settings.rows, "--rows: there are none, it is in no study");
    (void)bench_gpus();
    BENCH_CUDA(cudaDeviceGetAttribute(&cache_bytes, cudaDevAttrL2CacheSize, 0));
    const double bytes = std::min(4 * GIB, bench_gpu_memory(&settings, 0.5) / 2);
    bench_must(bytes >= 4.0 * cache_bytes,
               "arrays of %.3g bytes are too small: they need four times the %d bytes of the "
               "second-level cache, and --memory or other programs leave no more",
               bytes, cache_bytes);
    copies memory(bytes, 0), cache(cache_bytes / 8.0, 64 * GIB);
    bench_job jobs[] = {job<false>(&memory), job<true>(&memory), job<false>(&cache)};
    bench_interleave(jobs, 3, &settings);
    memory.check("memory", false);
    memory.check("memory", true);
    cache.check("cache", false);
    printf("%s\n", bench_gpu_model().c_str());
    memory.say("memory", std::min(jobs[0].times.median, jobs[1].times.median));
    cache.say("cache", jobs[2].times.median);
    return 0;
}
