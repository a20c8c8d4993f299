/* psg on GPUs beside cuFFT: the same solve, in one run, in turns of random order; wall-clock times,
 * of several processes the longest, between barriers. Fields are made on the GPUs, and the u are
 * compared there, at every point. What begins, and when, is said on stderr; `--warm-up 0 --repeat
 * 1` is the shortest run.
 *
 *   bench_gpus cufft [--gpus N] [--f32] [--graph staged|fused] [--exchange managed|direct]
 *                    [--z contiguous|strided] [--executor tasks|chain] [--segment-planes N]
 *                    [--sheets N] [--rows] N|NXxNYxNZ ...
 *
 * psg is between slabs that stay on the GPUs. --gpus: default: 1, 2, 4, ... all. --rows: those of
 * `psg bench --study peers`.
 *
 *   [mpirun -n P] bench_gpus embed [--gpus N] [--f32] [--exchange mpi|direct] [--symbol fd2]
 *                                  [--only DOOR] [--alone] [--rows] N|NXxNYxNZ ...
 *
 * The ways in which another program can hand its f to psg. Doors: host (page-locked main memory),
 * device (arrays on the GPUs), in_place, ghost (a ghost layer around each GPU's box), stream
 * (device, by psg_submit_arrays() on a stream that is waited for), slabs (StarPU handles). Peers:
 * cuFFT by hand on one GPU, cufftXt on several of one process, cuFFTMp on several processes, where
 * its library is found. With --symbol fd2 or --only gradient there is the door gradient (device,
 * and the three components of the gradient of u). With --symbol fd2 there is no peer. With --only
 * messages and several processes there is the door messages, which solves nothing: what MPI alone
 * takes for the blocks of a solve, there and back, between page-locked main memories. That bounds
 * solves whose blocks go in messages through main memory. --gpus: of each process; default 1.
 * --rows: those of `psg bench --study embed`. All f are the same random numbers, and every u is
 * compared with that of the door `device`. --alone: --only in_place has neither that door nor a
 * peer beside it, for a grid that fills the GPUs; its f is a sum of three modes, and u is compared
 * with theirs. */
#include "lab/peers/cufft.cuh"
#include "lab/peers/fft.h"
#include "lab/peers/gpus.h"
#include "lab/peers/workload.h"

#include <cmath>
#include <memory>
#if PSG_WITH_MPI
#include <mpi.h>
#endif

template <class real> using doors = std::vector<std::unique_ptr<bench_door<real>>>;

/* The first solve of each, whose u is compared with that of the first door, or a known one; then
 * all of them in turns. */
template <class real>
static std::vector<bench_job> measure(const doors<real> &all, const size_t n[3], bool known,
                                      const bench_settings &settings) {
    std::vector<bench_job> jobs;
    for (const auto &door : all) {
        jobs.push_back(door->job());
        bench_stage("the first solve: %s", door->name);
        (void)bench_time(&jobs.back());
        double off = 0;
        const auto compare = [&](const bench_field<real> &u) {
            if (known)
                off = bench_difference<real>(u, nullptr, n);
            else
                all[0]->look(
                    [&](const bench_field<real> &first) { off = bench_difference(u, &first, n); });
        };
        if (door->solves())
            door->look(compare);
        jobs.back().difference = bench_largest(off);
    }
    bench_stage("%d solves of each, in turns", settings.warm_up + settings.repeat);
    bench_interleave(jobs.data(), jobs.size(), &settings);
    bench_stage("done");
    return jobs;
}

/* ------------------------------------------------------------------------------------- cufft */

static void say_slabs(const bench_peer &p, const psg_options &options, const psg_statistics &before,
                      double solves) {
    const psg_statistics &s = p.statistics;
    const auto bytes = [&](psg_link link) {
        return (double)(s.link[link].bytes - before.link[link].bytes) / solves;
    };
    printf("%zux%zux%zu %s %d GPU %s %s %zux%zu: cuFFT %.3f ms, psg %.3f ms, cuFFT/psg %.2f, "
           "bytes per solve h2d %.3g d2h %.3g d2d %.3g, difference %.1e%s\n",
           p.n[0], p.n[1], p.n[2], p.precision == PSG_F64 ? "f64" : "f32", p.gpus,
           options.graph == PSG_GRAPH_STAGED ? "staged" : "fused",
           s.exchange == PSG_EXCHANGE_DIRECT ? "direct" : "managed", s.segments, s.sheets,
           1e3 * p.theirs.median, 1e3 * p.ours.median, p.theirs.median / p.ours.median,
           bytes(PSG_LINK_H2D), bytes(PSG_LINK_D2H), bytes(PSG_LINK_D2D), p.difference,
           bench_verdict(&p));
    for (int m = 0; m < PSG_STAGE_COUNT; m++) {
        if (s.stage[m].tasks > 0)
            printf("    %-10s %3zu tasks %8.3f ms a GPU\n", psg_stage_name((psg_stage)m),
                   (size_t)s.stage[m].tasks, 1e3 * s.stage[m].seconds / p.gpus);
    }
    fflush(stdout);
}

template <class real>
static void measure_slabs(bench_peer &p, const psg_options &options,
                          const bench_settings &settings) {
    psg_statistics before;
    bench_stage("psg's plan, and StarPU: %zux%zux%zu on %d GPUs", p.n[0], p.n[1], p.n[2], p.gpus);
    psg_plan *plan = bench_plan(p.n, nullptr, &options);
    std::vector<int> gpus;
    for (int g = 0; g < p.gpus; g++)
        gpus.push_back(g);
    bench_stage("psg's slabs");
    doors<real> all(2);
    all[1].reset(new bench_resident<real>("psg", plan, p.n, p.gpus));
    all[0].reset(bench_cufft_door<real>({}, p.n, gpus));
    bench_must_psg(psg_plan_statistics(plan, &before));
    const std::vector<bench_job> jobs = measure(all, p.n, false, settings);
    bench_must_psg(psg_plan_statistics(plan, &p.statistics));
    p.theirs = jobs[0].times;
    p.ours = jobs[1].times;
    p.difference = jobs[1].difference;
    if (settings.rows)
        bench_row(&p, &settings);
    else
        say_slabs(p, options, before, settings.repeat + settings.warm_up + 1);
    all.clear();
    psg_plan_destroy(plan);
}

/* Of all GPUs together: f twice, u, both spectra, cuFFT's work area and psg's scratch, of
 * either. */
static void measure_on(bench_peer &p, psg_options &options, const bench_settings &settings) {
    char why[128];
    const double bytes = 10 * (p.precision == PSG_F64 ? 8.0 : 4.0) * (double)p.n[0] *
                         (double)p.n[1] * (double)p.n[2];
    p.name = p.gpus > 1 ? "cufft_xt" : "cufft";
    options.gpus = p.gpus;
    if (!bench_fits(bytes, bench_gpu_memory(&settings, 0.95 * p.gpus), why))
        bench_left_out(&p, &settings, why);
    else if (p.precision == PSG_F32)
        measure_slabs<float>(p, options, settings);
    else
        measure_slabs<double>(p, options, settings);
}

static int beside_cufft(int argc, char **argv, const void *) {
    bench_settings settings = {11, 3, 1, 0, 0, 0, 0};
    psg_options options;
    bench_peer p = {};
    int gpus = 0, f32 = 0;
    psg_options_init(&options);
    options.tuned = 0; /* the default is the default */
    const bench_option own[] = {{"gpus", BENCH_COUNT, &gpus, nullptr},
                                {"f32", BENCH_FLAG, &f32, nullptr},
                                {"graph", BENCH_SOLVER, &options, "graph"},
                                {"exchange", BENCH_SOLVER, &options, "exchange"},
                                {"z", BENCH_SOLVER, &options, "z_layout"},
                                {"executor", BENCH_SOLVER, &options, "executor"},
                                {"segment-planes", BENCH_SOLVER, &options, "segment_planes"},
                                {"sheets", BENCH_SOLVER, &options, "sheets"},
                                {nullptr, BENCH_FLAG, nullptr, nullptr}};
    const int first = bench_arguments(argc, argv, own, "N|NXxNYxNZ ...", &settings);
    const int all = bench_gpus();
    const std::string model = bench_gpu_model();
    bench_must_or(BENCH_NOT_HERE, gpus <= all, "%d GPUs: there are %d", gpus, all);
    p.precision = options.precision = f32 ? PSG_F32 : PSG_F64;
    p.gpu_model = model.c_str();
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], p.n);
        for (p.gpus = gpus ? gpus : 1; p.gpus <= (gpus ? gpus : all);
             p.gpus = p.gpus < all && 2 * p.gpus > all ? all : 2 * p.gpus)
            measure_on(p, options, settings);
    }
    return 0;
}

/* ------------------------------------------------------------------------------------- embed */

/* A GPU's part of the grid, dense or with a ghost layer around it, in memory that frees itself. */
template <class real> struct box {
    int device;
    size_t lo[3], n[3], ghost;
    std::unique_ptr<bench_buffer> memory;

    box(psg_plan *plan, int gpu, size_t layers) : device(gpu), ghost(layers) {
        bench_must_psg(psg_plan_local_box(plan, gpu, lo, n));
        BENCH_CUDA(cudaSetDevice(gpu));
        memory.reset(new bench_buffer(pitch() * rows() * (n[2] + 2 * ghost) * sizeof(real)));
    }
    size_t pitch() const {
        return n[0] + 2 * ghost;
    }
    size_t rows() const {
        return n[1] + 2 * ghost;
    }
    real *first() const {
        return static_cast<real *>(memory->p) + ghost * (pitch() * rows() + pitch() + 1);
    }
    psg_array array(void *stream) const {
        psg_array a;
        psg_array_init(&a, first());
        a.device = device;
        a.stride[0] = 1;
        a.stride[1] = (ptrdiff_t)pitch();
        a.stride[2] = (ptrdiff_t)(pitch() * rows());
        a.stream = stream;
        return a;
    }
};

/* Planes one by one: without the ghost layers above and below, which bench_field knows nothing of.
 */
template <class real> static bench_field<real> planes_of(const std::vector<box<real>> &boxes) {
    bench_field<real> field;
    for (const box<real> &b : boxes)
        for (size_t k = 0; k < b.n[2]; k++)
            field.push_back(
                {b.device, b.first() + k * b.pitch() * b.rows(), b.lo[2] + k, 1, b.pitch()});
    return field;
}

/* Arrays on the plan's GPUs. */
template <class real> struct on_gpus : bench_door<real> {
    psg_plan *plan;
    const size_t *extent;
    bool in_place, wait_for_stream, known; /* f: bench_modes, else random numbers */
    std::vector<box<real>> f, out, component[3];
    std::vector<cudaStream_t> streams;
    std::vector<psg_array> from, to, gradient[3];
    psg_solve_args args;

    on_gpus(const char *called, psg_plan *its, const size_t n[3], const std::vector<int> &gpus,
            bool modes)
        : bench_door<real>(called), plan(its), extent(n), in_place(is("in_place")),
          wait_for_stream(is("stream")), known(modes) {
        const size_t ghost = is("ghost") ? 1 : 0;
        psg_solve_args_init(&args, plan);
        for (int gpu : gpus) {
            cudaStream_t s = nullptr;
            f.emplace_back(plan, gpu, ghost);
            if (!in_place)
                out.emplace_back(plan, gpu, ghost);
            if (wait_for_stream)
                BENCH_CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
            streams.push_back(s);
            from.push_back(f.back().array(s));
            to.push_back((in_place ? f : out).back().array(s));
            for (int d = 0; d < 3 && is("gradient"); d++) {
                component[d].emplace_back(plan, gpu, 0);
                gradient[d].push_back(component[d].back().array(s));
            }
        }
        for (int d = 0; d < 3 && is("gradient"); d++)
            args.gradient[d] = gradient[d].data();
        load();
    }
    ~on_gpus() override {
        for (cudaStream_t s : streams)
            if (s != nullptr)
                cudaStreamDestroy(s);
    }
    bool is(const char *called) const {
        return !strcmp(this->name, called);
    }
    void load() override {
        bench_fill(planes_of(f), extent, known);
        for (const box<real> &b : f) {
            BENCH_CUDA(cudaSetDevice(b.device));
            BENCH_CUDA(cudaDeviceSynchronize());
        }
    }
    void solve() override {
        if (!wait_for_stream) {
            bench_must_psg(psg_solve_arrays(plan, from.size(), from.data(), to.data(), &args));
            return;
        }
        bench_must_psg(psg_submit_arrays(plan, from.size(), from.data(), to.data(), &args));
        for (cudaStream_t s : streams)
            BENCH_CUDA(cudaStreamSynchronize(s));
        bench_must_psg(psg_wait(plan));
    }
    void look(const std::function<void(const bench_field<real> &)> &at) override {
        at(planes_of(in_place ? f : out));
    }
};

/* This process' planes in page-locked main memory, and as StarPU handles. */
template <class real> struct on_host : bench_door<real> {
    psg_plan *plan;
    size_t z0, planes, points;
    const size_t *n;
    bool slabs;
    real *f = nullptr, *out = nullptr;

    on_host(const char *called, psg_plan *its, const size_t extent[3],
            const bench_field<real> &values)
        : bench_door<real>(called), plan(its), n(extent), slabs(!strcmp(called, "slabs")) {
        bench_must_psg(psg_plan_local_extent(plan, &z0, &planes));
        points = n[0] * n[1] * planes;
        BENCH_CUDA(cudaMallocHost(&f, points * sizeof(real)));
        BENCH_CUDA(cudaMallocHost(&out, points * sizeof(real)));
        for (const bench_piece<real> &p : values)
            BENCH_CUDA(cudaMemcpy2D(f + (p.z0 - z0) * n[0] * n[1], n[0] * sizeof(real), p.data,
                                    p.pitch * sizeof(real), n[0] * sizeof(real), n[1] * p.planes,
                                    cudaMemcpyDeviceToHost));
    }
    ~on_host() override {
        cudaFreeHost(f);
        cudaFreeHost(out);
    }
    void load() override {
        if (slabs)
            bench_must_psg(psg_slabs_put(plan, f));
    }
    void solve() override {
        if (!slabs) {
            bench_must_psg(psg_solve(plan, f, out));
            return;
        }
        bench_must_psg(psg_submit_slabs(plan));
        bench_must_psg(psg_wait(plan));
    }
    void look(const std::function<void(const bench_field<real> &)> &at) override {
        int device;
        if (slabs)
            bench_must_psg(psg_slabs_get(plan, out));
        bench_buffer copy(points * sizeof(real));
        BENCH_CUDA(cudaMemcpy(copy.p, out, points * sizeof(real), cudaMemcpyHostToDevice));
        BENCH_CUDA(cudaGetDevice(&device));
        at({{device, static_cast<real *>(copy.p), z0, planes, n[0]}});
    }
};

#if PSG_WITH_MPI
/* The blocks of each process for each other one, in pieces that are all on their way at once. */
template <class real> struct messages : bench_door<real> {
    static constexpr size_t piece = (size_t)4 << 20;
    MPI_Comm comm = *static_cast<const MPI_Comm *>(bench_processes.comm);
    std::vector<size_t> sent, received; /* bytes for, and from, each process, one way */
    size_t all_sent = 0, all_received = 0;
    char *out = nullptr, *in = nullptr;
    std::vector<MPI_Request> requests;

    messages(psg_plan *plan, const size_t n[3]) : bench_door<real>("messages") {
        const size_t ranks = (size_t)bench_processes.ranks, rank = (size_t)bench_processes.rank;
        const size_t line = (n[0] / 2 + 1) * 2 * sizeof(real);
        const auto rows = [&](size_t r) { return n[1] * (r + 1) / ranks - n[1] * r / ranks; };
        size_t z0, planes;
        bench_must_psg(psg_plan_local_extent(plan, &z0, &planes));
        const unsigned long own = planes;
        std::vector<unsigned long> of(ranks);
        MPI_Allgather(&own, 1, MPI_UNSIGNED_LONG, of.data(), 1, MPI_UNSIGNED_LONG, comm);
        for (size_t r = 0; r < ranks; r++) {
            sent.push_back(line * rows(r) * planes);
            received.push_back(line * rows(rank) * of[r]);
            all_sent += sent[r];
            all_received += received[r];
        }
        BENCH_CUDA(cudaMallocHost(&out, all_sent + 1));
        BENCH_CUDA(cudaMallocHost(&in, all_received + 1));
        memset(out, 1, all_sent);
        memset(in, 1, all_received);
    }
    ~messages() override {
        cudaFreeHost(out);
        cudaFreeHost(in);
    }
    template <class Start>
    void start(const std::vector<size_t> &bytes, char *memory, Start &&message) {
        for (size_t r = 0; r < bytes.size(); memory += bytes[r++])
            for (size_t at = 0; at < bytes[r] && (int)r != bench_processes.rank; at += piece) {
                requests.emplace_back();
                message(memory + at, (int)std::min(piece, bytes[r] - at), (int)r, &requests.back());
            }
    }
    void exchange() {
        requests.clear();
        start(received, in, [this](char *to, int count, int r, MPI_Request *request) {
            MPI_Irecv(to, count, MPI_BYTE, r, 0, comm, request);
        });
        start(sent, out, [this](char *from, int count, int r, MPI_Request *request) {
            MPI_Isend(from, count, MPI_BYTE, r, 0, comm, request);
        });
        MPI_Waitall((int)requests.size(), requests.data(), MPI_STATUSES_IGNORE);
    }
    void solve() override {
        exchange(); /* before kspace */
        exchange(); /* after it */
    }
    bool solves() const override {
        return false;
    }
    void look(const std::function<void(const bench_field<real> &)> &) override {
    }
};
#endif

/* compared: with the u of another door, or with the one that is known. */
static void say_door(const bench_peer &p, bool compared) {
    char exchange[32], difference[32] = "u is compared with nothing";
    psg_options options;
    psg_options_init(&options);
    options.exchange = p.statistics.exchange;
    bench_must_psg(psg_options_get(&options, "exchange", exchange, sizeof exchange));
    if (compared)
        snprintf(difference, sizeof difference, "difference %.1e%s", p.difference,
                 bench_verdict(&p));
    printf("%zux%zux%zu %s, %d x %d GPUs, %s: %-8s %9.4f ms (%.4f to %.4f), peer / this %.2f, %s\n",
           p.n[0], p.n[1], p.n[2], p.precision == PSG_F64 ? "f64" : "f32", bench_processes.ranks,
           p.gpus, exchange, p.name, 1e3 * p.ours.median, 1e3 * p.ours.q1, 1e3 * p.ours.q3,
           p.theirs.median / p.ours.median, difference);
    fflush(stdout);
}

/* What to measure. */
struct choice {
    const char *only = nullptr; /* this door, beside device */
    int alone = 0;              /* without device, and without a peer */
    std::vector<int> gpus;
    const bench_cufft_library *cufft = nullptr; /* nullptr: cuFFTMp is not here */

    bool is(const char *door) const {
        return only == nullptr || !strcmp(only, door);
    }
};

/* The doors, with the peer, if there is one, as the last. */
template <class real>
static doors<real> open_doors(psg_plan *plan, const size_t n[3], const choice &c, bool fd2) {
    doors<real> all;
    bench_field<real> values;
    const auto add = [&](const char *name) {
        on_gpus<real> *door = new on_gpus<real>(name, plan, n, c.gpus, c.alone != 0);
        all.emplace_back(door);
        return door;
    };
    if (!c.alone)
        values = planes_of(add("device")->f);
    for (const char *name : {"in_place", "ghost", "stream"})
        if (c.is(name))
            add(name);
    if ((fd2 || c.only != nullptr) && c.is("gradient"))
        add("gradient");
    for (const char *name : {"slabs", "host"})
        if (c.is(name))
            all.emplace_back(new on_host<real>(name, plan, n, values));
#if PSG_WITH_MPI
    if (c.only != nullptr && c.is("messages"))
        all.emplace_back(new messages<real>(plan, n));
#endif
    if (!fd2 && !c.alone && c.cufft != nullptr)
        all.emplace_back(bench_cufft_door<real>(*c.cufft, n, c.gpus));
    return all;
}

template <class real>
static void measure_doors(bench_peer &p, const psg_options &options, const bench_settings &settings,
                          const choice &c) {
    const bool fd2 = options.symbol == PSG_SYMBOL_FD2;
    const bool has_peer = !fd2 && !c.alone && c.cufft != nullptr;
    bench_stage("psg's plan, and StarPU: %zux%zux%zu", p.n[0], p.n[1], p.n[2]);
    psg_plan *plan = bench_plan(p.n, nullptr, &options);
    doors<real> all = open_doors<real>(plan, p.n, c, fd2);
    const std::vector<bench_job> jobs = measure(all, p.n, c.alone != 0, settings);
    bench_must_psg(psg_plan_statistics(plan, &p.statistics));
    const bench_times none = {NAN, NAN, NAN, NAN, NAN, nullptr};
    p.theirs = has_peer ? jobs.back().times : none;
    for (size_t d = 0; d < all.size(); d++) {
        p.name = jobs[d].name;
        p.ours = jobs[d].times;
        p.difference = jobs[d].difference;
        if (settings.rows)
            bench_row(&p, &settings);
        else if (bench_processes.rank == 0)
            say_door(p, all[d]->solves());
    }
    all.clear();
    psg_plan_destroy(plan);
}

static int beside_doors(int argc, char **argv, const void *) {
    bench_settings settings = {11, 3, 1, 0, 0, 0, 0};
    psg_options options;
    bench_peer p = {};
    choice c;
    int f32 = 0;
    p.gpus = 1;
    psg_options_init(&options);
    const bench_option own[] = {{"gpus", BENCH_COUNT, &p.gpus, nullptr},
                                {"f32", BENCH_FLAG, &f32, nullptr},
                                {"exchange", BENCH_SOLVER, &options, "exchange"},
                                {"symbol", BENCH_SOLVER, &options, "symbol"},
                                {"only", BENCH_TEXT, &c.only, nullptr},
                                {"alone", BENCH_FLAG, &c.alone, nullptr},
                                {nullptr, BENCH_FLAG, nullptr, nullptr}};
    const int first = bench_arguments(argc, argv, own, "N|NXxNYxNZ ...", &settings);
    bench_must_or(BENCH_USAGE,
                  !c.alone || (!settings.rows && options.symbol == PSG_SYMBOL_SPECTRAL &&
                               c.only != nullptr && c.is("in_place")),
                  "--alone needs --only in_place and the symbol spectral, and is not for --rows");
    bench_processes_start(&argc, &argv, 0);
    bench_must_or(BENCH_USAGE,
                  c.only == nullptr || !c.is("messages") ||
                      (bench_processes.ranks > 1 && !settings.rows),
                  "--only messages needs several processes, and is not for --rows");
    /* Each process has GPUs of its own, as far as there are; where it sees only its own, those. */
    const int all = bench_gpus();
    bench_must_or(BENCH_NOT_HERE, p.gpus <= all, "%d GPUs: there are %d", p.gpus, all);
    for (int g = 0; g < p.gpus; g++)
        c.gpus.push_back((bench_processes.rank * p.gpus + g) % all);
    const std::string model = bench_gpu_model();
    p.gpu_model = model.c_str();
    p.precision = options.precision = f32 ? PSG_F32 : PSG_F64;
    options.tuned = 0; /* the default is the default */
    options.gpus = p.gpus;
    options.gpu_ids = c.gpus.data();
    options.comm = bench_processes.ranks > 1 ? bench_processes.comm : nullptr;
    bench_cufft_library library;
    const char *why = bench_processes.ranks == 1 ? nullptr : p.gpus > 1 ? "" : library.open();
    if (why != nullptr && why[0] && bench_processes.rank == 0)
        fprintf(stderr, "no cuFFTMp here: %s\n", why);
    c.cufft = why == nullptr ? &library : nullptr;
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], p.n);
        bench_must_or(BENCH_USAGE, !c.alone || (p.n[0] > 2 && p.n[1] > 2 && p.n[2] > 2),
                      "--alone needs three points along each axis");
        if (f32)
            measure_doors<float>(p, options, settings, c);
        else
            measure_doors<double>(p, options, settings, c);
    }
    bench_processes_end();
    return 0;
}

int main(int argc, char **argv) {
    static const bench_program peers[] = {{"cufft", beside_cufft, nullptr, ""},
                                          {"embed", beside_doors, nullptr, ""},
                                          {"fft", bench_fft, &bench_transforms_gpu, ""},
                                          {"many", bench_many, &bench_device_gpu, ""},
                                          {"workload", bench_workload, &peer_ways_gpu, ""},
                                          {"free", bench_free_gpu, nullptr, ""},
                                          {"stretched", bench_stretched_gpu, nullptr, ""},
                                          {"exchange", bench_links, nullptr, ""},
                                          {"copy", bench_copies, nullptr, ""},
                                          {"transpose", bench_transposes, nullptr, ""},
                                          {nullptr, nullptr, nullptr, ""}};
    return bench_main(argc, argv, peers);
}
