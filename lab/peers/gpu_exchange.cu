/* The exchange between GPUs beside what their links can do, in one run, in turns of random order;
 * wall-clock times.
 *
 *   bench_gpus exchange [--gpus N] [--f32] [--segment-planes N] [--sheets N] N|NXxNYxNZ ...
 *
 * --gpus: default: 2, 4, ... all. For each grid:
 *
 * - the all-to-all alone, of the bytes that the exchange of this grid moves one way: of N GPUs,
 *   each sends 1/N of its share of the spectrum to every other, all at once. By copies between
 *   peers; by kernels that only write consecutive numbers to the peers; by kernels that only read
 *   such from them. Several start at once, so that starting takes no time. The fastest of the three
 *   is the ceiling.
 * - solves, data resident, with exchange direct and managed. The bandwidth of the exchange is that
 *   of the bytes of both ways in the seconds of both ways, see exchange.h: the transforms along x
 *   and y are in them, and whatever passes between tasks. What kspace moves
 *   (psg_statistics.returned_rows, .fetched_rows) is not counted, and neither is its time; the
 *   second ratio is that of all bytes in the seconds of the whole solve.
 *
 * A line says GB/s that a GPU sends, the ceiling of the same run, and their ratios.
 */
#include "lab/peers/exchange.h"
#include "lab/peers/gpu_door.cuh"
#include "lab/peers/gpus.h"

#include <cmath>

enum { MOST_GPUS = 16, ROUNDS = 4, THREADS = 256, EACH = 8, CHUNK = THREADS * EACH };

/* ---------------------------------------------------------------------------------- all to all */

/* Arrays of `count` numbers, and what each number of an array is. */
struct pieces {
    double2 *at[MOST_GPUS];
    double mark[MOST_GPUS];
    size_t arrays, count;
};

/* Chunks of all arrays in turns, so that all links are in use all the time. */
__global__ void write_pieces(pieces to) {
    const size_t chunks = (to.count + CHUNK - 1) / CHUNK;
    for (size_t item = blockIdx.x; item < to.arrays * chunks; item += gridDim.x) {
        double2 *piece = to.at[item % to.arrays];
        const double mark = to.mark[item % to.arrays];
        const size_t first = item / to.arrays * CHUNK + threadIdx.x;
#pragma unroll
        for (size_t e = 0; e < EACH; e++) {
            if (first + e * THREADS < to.count) {
                piece[first + e * THREADS] = make_double2(mark, mark);
            }
        }
    }
}

/* Sets *wrong if a number is another. */
__global__ void read_pieces(pieces from, int *wrong) {
    const size_t chunks = (from.count + CHUNK - 1) / CHUNK;
    bool differs = false;
    for (size_t item = blockIdx.x; item < from.arrays * chunks; item += gridDim.x) {
        const double2 *piece = from.at[item % from.arrays];
        const double mark = from.mark[item % from.arrays];
        const size_t first = item / from.arrays * CHUNK + threadIdx.x;
        double2 v[EACH];
#pragma unroll
        for (size_t e = 0; e < EACH; e++) { /* all on their way before the first is looked at */
            const bool there = first + e * THREADS < from.count;
            v[e] = there ? piece[first + e * THREADS] : make_double2(mark, mark);
        }
#pragma unroll
        for (size_t e = 0; e < EACH; e++) {
            differs = differs || v[e].x != mark || v[e].y != mark;
        }
    }
    if (differs) {
        *wrong = 1;
    }
}

/* GPU g has `out`, an array for each GPU, and `in`, one of each; what is from GPU g is marked 1 +
 * g. Arrays begin with a line of the cache. */
struct links {
    int gpus;
    size_t count; /* double2 in an array */
    unsigned blocks;
    std::vector<double2 *> out, in;
    std::vector<int *> wrong;
    std::vector<cudaStream_t> stream; /* [from][to] */

    links(int n, double bytes) : gpus(n), count(((size_t)(bytes / sizeof(double2)) / 16 + 1) * 16) {
        cudaDeviceProp device;
        BENCH_CUDA(cudaGetDeviceProperties(&device, 0));
        blocks = 8 * (unsigned)device.multiProcessorCount;
        out.resize(gpus);
        in.resize(gpus);
        wrong.resize(gpus);
        stream.resize(gpus * gpus);
        for (int g = 0; g < gpus; g++) {
            const size_t all = gpus * count * sizeof(double2);
            BENCH_CUDA(cudaSetDevice(g));
            open_peers(g);
            BENCH_CUDA(cudaMalloc(&out[g], all));
            BENCH_CUDA(cudaMalloc(&in[g], all));
            BENCH_CUDA(cudaMalloc(&wrong[g], sizeof(int)));
            for (int to = 0; to < gpus; to++)
                BENCH_CUDA(cudaStreamCreate(&stream[g * gpus + to]));
            write_pieces<<<blocks, THREADS>>>({{out[g]}, {1.0 + g}, 1, gpus * count});
            BENCH_CUDA(cudaGetLastError());
        }
        bench_synchronize(gpus);
    }
    ~links() {
        for (int g = 0; g < gpus; g++) {
            cudaSetDevice(g);
            cudaFree(out[g]);
            cudaFree(in[g]);
            cudaFree(wrong[g]);
            for (int to = 0; to < gpus; to++)
                cudaStreamDestroy(stream[g * gpus + to]);
        }
    }
    void open_peers(int g) const { /* those that psg or StarPU opened already are fine */
        for (int other = 0; other < gpus; other++) {
            const cudaError_t opened =
                other == g ? cudaSuccess : cudaDeviceEnablePeerAccess(other, 0);
            bench_must(opened == cudaSuccess || opened == cudaErrorPeerAccessAlreadyEnabled, "%s",
                       cudaGetErrorString(opened));
            (void)cudaGetLastError();
        }
    }
    /* Those of GPU g's peers, its next one first: what g writes, what it reads; and what it got. */
    pieces of_peers(int g, const std::vector<double2 *> &there, bool own_mark) const {
        pieces all = {{}, {}, 0, count};
        for (int step = 1; step < gpus; step++) {
            const int peer = (g + step) % gpus;
            all.at[all.arrays] = there[peer] + g * count;
            all.mark[all.arrays++] = 1.0 + (own_mark ? g : peer);
        }
        return all;
    }
    pieces got(int g) const {
        pieces all = {{}, {}, 0, count};
        for (int peer = 0; peer < gpus; peer++) {
            if (peer != g) {
                all.at[all.arrays] = in[g] + peer * count;
                all.mark[all.arrays++] = 1.0 + peer;
            }
        }
        return all;
    }
    void copy() {
        for (int step = 1; step < gpus; step++) {
            for (int g = 0; g < gpus; g++) {
                const int to = (g + step) % gpus;
                BENCH_CUDA(cudaSetDevice(g));
                BENCH_CUDA(cudaMemcpyPeerAsync(in[to] + g * count, to, out[g] + to * count, g,
                                               count * sizeof(double2), stream[g * gpus + to]));
            }
        }
    }
    void write() {
        for (int g = 0; g < gpus; g++) {
            BENCH_CUDA(cudaSetDevice(g));
            write_pieces<<<blocks, THREADS, 0, stream[g * gpus]>>>(of_peers(g, in, true));
            BENCH_CUDA(cudaGetLastError());
        }
    }
    void read() {
        for (int g = 0; g < gpus; g++) {
            BENCH_CUDA(cudaSetDevice(g));
            read_pieces<<<blocks, THREADS, 0, stream[g * gpus]>>>(of_peers(g, out, false),
                                                                  wrong[g]);
            BENCH_CUDA(cudaGetLastError());
        }
    }
    /* Does a way to move them do so? Reading is its own witness. */
    void try_out(void (links::*start)(), bool reads, const char *name) {
        for (int g = 0; g < gpus; g++) {
            BENCH_CUDA(cudaSetDevice(g));
            BENCH_CUDA(cudaMemset(in[g], 0, gpus * count * sizeof(double2)));
            BENCH_CUDA(cudaMemset(wrong[g], 0, sizeof(int)));
        }
        bench_synchronize(gpus);
        (this->*start)();
        bench_synchronize(gpus);
        for (int g = 0; g < gpus; g++) {
            int is_wrong = 0;
            BENCH_CUDA(cudaSetDevice(g));
            if (!reads) {
                read_pieces<<<blocks, THREADS>>>(got(g), wrong[g]);
                BENCH_CUDA(cudaGetLastError());
            }
            BENCH_CUDA(cudaMemcpy(&is_wrong, wrong[g], sizeof is_wrong, cudaMemcpyDeviceToHost));
            bench_must(!is_wrong, "all-to-all by %s: GPU %d did not get what was sent", name, g);
        }
    }
    double bytes_sent() const { /* by a GPU */
        return (double)((gpus - 1) * count * sizeof(double2));
    }
};

template <void (links::*start)()> static void run_links(void *what) {
    links &l = *static_cast<links *>(what);
    for (int round = 0; round < ROUNDS; round++)
        (l.*start)();
    bench_synchronize(l.gpus);
}

/* -------------------------------------------------------------------------------------- solves */

template <class Real> struct solver : bench_resident<Real> {
    double rows;
    bool solved = false;
    std::vector<bench_exchange> samples;

    solver(const char *called, const size_t n[3], psg_options options, psg_exchange exchange)
        : bench_resident<Real>(called, plan_of(n, options, exchange), n, options.gpus),
          rows((double)n[1]) {
    }
    ~solver() override {
        psg_plan_destroy(this->plan);
    }
    static psg_plan *plan_of(const size_t n[3], psg_options &options, psg_exchange exchange) {
        options.exchange = exchange;
        return bench_plan(n, nullptr, &options);
    }
    /* What the solve before this one took. */
    void load() override {
        size_t count = 0;
        if (!solved)
            return;
        bench_must_psg(psg_plan_events(this->plan, nullptr, 0, &count));
        std::vector<psg_event> events(count);
        bench_must_psg(psg_plan_events(this->plan, events.data(), count, &count));
        samples.push_back(bench_exchange_of(events.data(), count, this->gpus));
    }
    void solve() override {
        bench_resident<Real>::solve();
        solved = true;
    }
    /* The median of the latest ones. */
    double median(double bench_exchange::*what, int repeat) const {
        std::vector<double> seconds;
        for (size_t m = samples.size() - (size_t)repeat; m < samples.size(); m++)
            seconds.push_back(samples[m].*what);
        return bench_quartiles(seconds.data(), repeat).median;
    }
    void say(double row_bytes, double ceiling, int repeat, const bench_times &times) const {
        psg_statistics s;
        bench_must_psg(psg_plan_statistics(this->plan, &s));
        const double all = samples.back().moved_rows * row_bytes / this->gpus;
        const double there = all * (1 - (double)s.fetched_rows / rows);
        const double back = all * (1 - (double)s.returned_rows / rows);
        const double rate = (there + back) / median(&bench_exchange::both, repeat);
        printf("    %-7s %zux%zu, %zu rows by kspace: %.1f GB/s a GPU, ceiling %.1f, ratio %.3f, "
               "in all %.3f; %.4g MB there %.1f, %.4g back %.1f; solve %.3f ms, forward_xy %.3f "
               "and inverse_xy %.3f ms a GPU\n",
               this->name, s.segments, s.sheets, s.returned_rows, 1e-9 * rate, 1e-9 * ceiling,
               rate / ceiling, 2 * all / times.median / ceiling, 1e-6 * there,
               1e-9 * there / median(&bench_exchange::there, repeat), 1e-6 * back,
               1e-9 * back / median(&bench_exchange::back, repeat), 1e3 * times.median,
               1e3 * median(&bench_exchange::forward_xy, repeat),
               1e3 * median(&bench_exchange::inverse_xy, repeat));
    }
};

template <class Real>
static void measure(const size_t n[3], const psg_options &options, const bench_settings &settings) {
    const double gpus = options.gpus;
    const double row_bytes = 2 * sizeof(Real) * (double)(n[0] / 2 + 1);
    bench_stage("plans, and StarPU: %zux%zux%zu on %d GPUs", n[0], n[1], n[2], options.gpus);
    solver<Real> direct("direct", n, options, PSG_EXCHANGE_DIRECT);
    solver<Real> managed("managed", n, options, PSG_EXCHANGE_MANAGED);
    bench_stage("all-to-all, once");
    links l(options.gpus, (double)n[1] * (double)n[2] * row_bytes / (gpus * gpus));
    l.try_out(&links::copy, false, "copies");
    l.try_out(&links::write, false, "writing");
    l.try_out(&links::read, true, "reading");
    bench_stage("solves, once");
    direct.solve();
    managed.solve();
    double difference = NAN;
    direct.look([&](const bench_field<Real> &mine) {
        managed.look([&](const bench_field<Real> &other) {
            difference = bench_difference(mine, &other, n);
        });
    });
    bench_must(difference < (sizeof(Real) == 8 ? 1e-12 : 1e-4),
               "exchange direct and managed differ by %.1e of the largest u", difference);
    bench_stage("%d turns", settings.warm_up + settings.repeat);
    const auto job = [&](void (*run)(void *)) {
        return bench_job{"links", &l, nullptr, run, nullptr, {}, 0};
    };
    bench_job jobs[] = {job(run_links<&links::copy>), job(run_links<&links::write>),
                        job(run_links<&links::read>), direct.job(), managed.job()};
    bench_interleave(jobs, sizeof jobs / sizeof *jobs, &settings);
    direct.load();
    managed.load();
    bench_stage("done");
    double rate[3], ceiling = 0;
    for (int way = 0; way < 3; way++) {
        rate[way] = ROUNDS * l.bytes_sent() / jobs[way].times.median;
        ceiling = std::max(ceiling, rate[way]);
    }
    printf("%zux%zux%zu %s %d GPU: all-to-all of %.4g MB a GPU: copies %.1f, writing %.1f, reading "
           "%.1f GB/s a GPU\n",
           n[0], n[1], n[2], sizeof(Real) == 8 ? "f64" : "f32", options.gpus, 1e-6 * l.bytes_sent(),
           1e-9 * rate[0], 1e-9 * rate[1], 1e-9 * rate[2]);
    direct.say(row_bytes, ceiling, settings.repeat, jobs[3].times);
    managed.say(row_bytes, ceiling, settings.repeat, jobs[4].times);
    fflush(stdout);
}

static void must_reach_each_other(int gpus) {
    for (int pair = 0; pair < gpus * gpus; pair++) {
        const int from = pair / gpus, to = pair % gpus;
        int can = from == to;
        BENCH_CUDA(can ? cudaSuccess : cudaDeviceCanAccessPeer(&can, from, to));
        bench_must_or(BENCH_NOT_HERE, can, "GPU %d does not reach the memory of GPU %d", from, to);
    }
}

/* Of all GPUs together: f, u, the spectrum and scratch of two plans, and what the links move. */
static void measure_on(const size_t n[3], const psg_options &options,
                       const bench_settings &settings) {
    char why[128];
    const bool f64 = options.precision == PSG_F64;
    const double bytes = 14.0 * (f64 ? 8 : 4) * (double)n[0] * (double)n[1] * (double)n[2];
    if (!bench_fits(bytes, bench_gpu_memory(&settings, 0.95 * options.gpus), why)) {
        printf("%zux%zux%zu %d GPU: %s\n", n[0], n[1], n[2], options.gpus, why);
    } else if (f64) {
        measure<double>(n, options, settings);
    } else {
        measure<float>(n, options, settings);
    }
}

int bench_links(int argc, char **argv, const void *) {
    bench_settings settings = {11, 3, 1, 0, 0, 0, 0};
    psg_options options;
    size_t n[3];
    int gpus = 0, f32 = 0;
    psg_options_init(&options);
    const bench_option own[] = {{"gpus", BENCH_COUNT, &gpus, nullptr},
                                {"f32", BENCH_FLAG, &f32, nullptr},
                                {"segment-planes", BENCH_SOLVER, &options, "segment_planes"},
                                {"sheets", BENCH_SOLVER, &options, "sheets"},
                                {nullptr, BENCH_FLAG, nullptr, nullptr}};
    const int first = bench_arguments(argc, argv, own, "N|NXxNYxNZ ...", &settings);
    bench_must_or(BENCH_USAGE, gpus != 1 && gpus <= MOST_GPUS,
                  "--gpus %d: between 2 and %d exchange anything", gpus, MOST_GPUS);
    bench_must_or(BENCH_USAGE, !settings.rows, "--rows: there are none, it is in no study");
    for (int m = first; m < argc; m++)
        bench_read_grid(argv[m], n);
    const int all = std::min<int>(bench_gpus(), MOST_GPUS);
    bench_must_or(BENCH_NOT_HERE, gpus <= all && all > 1, "%d GPUs: there are %d",
                  std::max(gpus, 2), all);
    must_reach_each_other(gpus ? gpus : all);
    options.tuned = 0; /* the default is the default */
    options.graph = PSG_GRAPH_FUSED;
    options.in_flight = 1;
    options.precision = f32 ? PSG_F32 : PSG_F64;
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], n);
        for (int count = gpus ? gpus : 2; count <= (gpus ? gpus : all);
             count = count < all && 2 * count > all ? all : 2 * count) {
            options.gpus = count;
            measure_on(n, options, settings);
        }
    }
    return 0;
}
