/* The ways in which another program can hand its f to psg, beside what it would use otherwise: the same solve, in one run,
 * in turns of random order; wall-clock times, of several processes the longest, between barriers.
 *
 *   [mpirun -n P] bench_gpus embed [--gpus N] [--repeat R] [--f32] [--exchange mpi|direct] [--symbol fd2] [--only DOOR] [--alone]
 *                             [--rows] N|NXxNYxNZ ...
 *
 * Doors: host (page-locked main memory), device (arrays on the GPUs), in_place, ghost (a ghost layer around each GPU's box),
 * stream (device, by psg_submit_arrays() on a stream that is waited for), slabs (StarPU handles). Peers: cuFFT by hand on one
 * GPU, cufftXt on several of one process, cuFFTMp on several processes, where its library is found. With --symbol fd2
 * or --only gradient there is the door gradient (device, and the three components of the gradient of u). With --symbol fd2
 * there is no peer. With --only messages and several processes there is the door messages, which solves nothing: what MPI
 * alone takes for the blocks of a solve, there and back, between page-locked main memories. That bounds solves whose blocks
 * go in messages through main memory.
 * --gpus: of each process; default 1. --rows: those of `psg bench --study embed`. All f are the same random numbers, and
 * every u is compared with that of the door `device`. --alone: --only in_place has neither that door nor a peer beside it,
 * for a grid that fills the GPUs; its f is a sum of three modes, and u is compared with theirs.
 */
#include "bench/programs/cufft_mp.cuh"
#include "bench/programs/cufft_peer.cuh"
#include "bench/programs/gpu_field.cuh"
#include "bench/programs/peer.h"
#include "bench/programs/peers.h"
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mpi.h>
#include <utility>

static void must(psg_status status) {
    bench_must(status == PSG_OK, "%s", psg_last_error());
}

/* ---------------------------------------------------------------------------------- processes */

static struct processes {
    int ranks = 1, rank = 0;
    MPI_Comm comm = MPI_COMM_NULL;

    /* A program that mpirun has not started is alone, and needs no MPI. */
    void start(int *argc, char ***argv) {
        int level = 0;
        if (getenv("OMPI_COMM_WORLD_SIZE") == nullptr && getenv("PMI_SIZE") == nullptr) {
            return;
        }
        bench_must(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS &&
                       level == MPI_THREAD_MULTIPLE,
                   "MPI_Init_thread failed");
        comm = MPI_COMM_WORLD;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &ranks);
        atexit([] { /* whoever ends early takes the others along */
                    int over = 1;
                    if (MPI_Finalized(&over) == MPI_SUCCESS && !over)
                        MPI_Abort(MPI_COMM_WORLD, 1);
        });
    }
    void meet() const {
        if (ranks > 1)
            MPI_Barrier(comm);
    }
    double largest(double value) const {
        if (ranks > 1)
            MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm);
        return value;
    }
    void end() const {
        if (comm != MPI_COMM_NULL)
            MPI_Finalize();
    }
} processes;

/* -------------------------------------------------------------------------------------- doors */

/* A way to solve: what is put there before each solve, outside its time, the solve, and its u. All doors to GPUs have f
 * written anew, which a solve in place needs: what the GPU's cache has not yet written to memory takes time from the
 * solve that follows. */
template <class real> struct door {
    virtual ~door() = default;
    virtual const char *name() const = 0;
    virtual void load() {
    }
    virtual void solve() = 0;
    virtual bool solves() const {
        return true;
    }
    virtual bench_field<real> u() = 0; /* where it solves */
};

/* A GPU's part of the grid, dense or with a ghost layer around it, in memory that frees itself. */
template <class real> struct box {
    int device;
    size_t lo[3], n[3], ghost;
    std::unique_ptr<bench_buffer> memory;

    box(psg_plan *plan, int gpu, size_t layers) : device(gpu), ghost(layers) {
        must(psg_plan_local_box(plan, gpu, lo, n));
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
    /* Of a plane: without the ghost layers above and below, which bench_field knows nothing of. */
    void add_planes(bench_field<real> &field) const {
        for (size_t k = 0; k < n[2]; k++)
            field.push_back({device, first() + k * pitch() * rows(), lo[2] + k, 1, pitch()});
    }
};

/* Arrays on the plan's GPUs. */
template <class real> struct on_gpus : door<real> {
    const char *called;
    psg_plan *plan;
    const size_t *extent;
    bool in_place, wait_for_stream, known; /* f: bench_modes, else random numbers */
    std::vector<box<real>> f, out, component[3];
    std::vector<cudaStream_t> streams;
    std::vector<psg_array> from, to, gradient[3];
    psg_solve_args args;

    on_gpus(const char *name, psg_plan *its, const size_t n[3], const std::vector<int> &gpus,
            size_t ghost, bool same, bool stream, bool with_gradient, bool modes = false)
        : called(name), plan(its), extent(n), in_place(same), wait_for_stream(stream),
          known(modes) {
        psg_solve_args_init(&args, plan);
        for (int gpu : gpus) {
            cudaStream_t s = nullptr;
            f.emplace_back(plan, gpu, ghost);
            if (!in_place)
                out.emplace_back(plan, gpu, ghost);
            if (stream)
                BENCH_CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
            streams.push_back(s);
            from.push_back(f.back().array(s));
            to.push_back((in_place ? f : out).back().array(s));
            for (int d = 0; d < 3 && with_gradient; d++) {
                component[d].emplace_back(plan, gpu, 0);
                gradient[d].push_back(component[d].back().array(s));
            }
        }
        for (int d = 0; d < 3 && with_gradient; d++)
            args.gradient[d] = gradient[d].data();
        fill();
    }
    ~on_gpus() override {
        for (cudaStream_t s : streams)
            if (s != nullptr)
                cudaStreamDestroy(s);
    }
    void fill() {
        bench_field<real> field;
        for (const box<real> &b : f)
            b.add_planes(field);
        if (known)
            bench_fill_known(field, extent);
        else
            bench_fill(field, extent);
        synchronize();
    }
    void synchronize() const {
        for (const box<real> &b : f) {
            BENCH_CUDA(cudaSetDevice(b.device));
            BENCH_CUDA(cudaDeviceSynchronize());
        }
    }
    const char *name() const override {
        return called;
    }
    void load() override {
        fill();
    }
    void solve() override {
        if (!wait_for_stream) {
            must(psg_solve_arrays(plan, from.size(), from.data(), to.data(), &args));
            return;
        }
        must(psg_submit_arrays(plan, from.size(), from.data(), to.data(), &args));
        for (size_t g = 0; g < streams.size(); g++)
            BENCH_CUDA(cudaStreamSynchronize(streams[g]));
        must(psg_wait(plan));
    }
    bench_field<real> u() override {
        bench_field<real> field;
        for (const box<real> &b : in_place ? f : out)
            b.add_planes(field);
        return field;
    }
};

/* This process' planes in page-locked main memory, and as StarPU handles. */
template <class real> struct on_host : door<real> {
    psg_plan *plan;
    size_t z0, planes, points;
    const size_t *n;
    bool slabs;
    real *f = nullptr, *out = nullptr;
    std::unique_ptr<bench_buffer> copy;

    on_host(psg_plan *its, const size_t extent[3], const bench_field<real> &values, bool handles)
        : plan(its), n(extent), slabs(handles) {
        must(psg_plan_local_extent(plan, &z0, &planes));
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
    const char *name() const override {
        return slabs ? "slabs" : "host";
    }
    void load() override {
        if (slabs)
            must(psg_slabs_put(plan, f));
    }
    void solve() override {
        if (!slabs) {
            must(psg_solve(plan, f, out));
            return;
        }
        must(psg_submit_slabs(plan));
        must(psg_wait(plan));
    }
    bench_field<real> u() override {
        if (slabs)
            must(psg_slabs_get(plan, out));
        copy.reset(new bench_buffer(points * sizeof(real)));
        BENCH_CUDA(cudaMemcpy(copy->p, out, points * sizeof(real), cudaMemcpyHostToDevice));
        int device;
        BENCH_CUDA(cudaGetDevice(&device));
        return {{device, static_cast<real *>(copy->p), z0, planes, n[0]}};
    }
};

/* The blocks of each process for each other one, in pieces that are all on their way at once. */
template <class real> struct messages : door<real> {
    static constexpr size_t piece = (size_t)4 << 20;
    std::vector<size_t> sent, received; /* bytes for, and from, each process, one way */
    size_t all_sent = 0, all_received = 0;
    char *out = nullptr, *in = nullptr;
    std::vector<MPI_Request> requests;

    messages(psg_plan *plan, const size_t n[3]) {
        const size_t ranks = (size_t)processes.ranks, line = (n[0] / 2 + 1) * 2 * sizeof(real);
        const auto rows = [&](size_t r) { return n[1] * (r + 1) / ranks - n[1] * r / ranks; };
        unsigned long own;
        size_t z0, planes;
        must(psg_plan_local_extent(plan, &z0, &planes));
        own = planes;
        std::vector<unsigned long> of(ranks);
        MPI_Allgather(&own, 1, MPI_UNSIGNED_LONG, of.data(), 1, MPI_UNSIGNED_LONG, processes.comm);
        for (size_t r = 0; r < ranks; r++) {
            sent.push_back(line * rows(r) * planes);
            received.push_back(line * rows((size_t)processes.rank) * of[r]);
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
    const char *name() const override {
        return "messages";
    }
    template <class Start>
    void start(const std::vector<size_t> &bytes, char *memory, Start &&message) {
        for (int r = 0; r < processes.ranks; memory += bytes[(size_t)r++])
            for (size_t at = 0; at < bytes[(size_t)r] && r != processes.rank; at += piece) {
                requests.emplace_back();
                message(memory + at, (int)std::min(piece, bytes[(size_t)r] - at), r,
                        &requests.back());
            }
    }
    void exchange() {
        requests.clear();
        start(received, in, [](char *to, int count, int r, MPI_Request *request) {
            MPI_Irecv(to, count, MPI_BYTE, r, 0, processes.comm, request);
        });
        start(sent, out, [](char *from, int count, int r, MPI_Request *request) {
            MPI_Isend(from, count, MPI_BYTE, r, 0, processes.comm, request);
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
    bench_field<real> u() override {
        return {};
    }
};

/* Another library's solve. */
template <class real, class Its> struct peer : door<real> {
    const char *called;
    Its its;

    template <class... Arguments>
    explicit peer(const char *name, Arguments &&...arguments)
        : called(name), its(std::forward<Arguments>(arguments)...) {
    }
    const char *name() const override {
        return called;
    }
    void load() override {
        its.load();
    }
    void solve() override {
        its.solve();
    }
    bench_field<real> u() override {
        return its.u();
    }
};

template <class real> static double run(void *what, unsigned calls) {
    door<real> &way = *static_cast<door<real> *>(what);
    double seconds = 0;
    for (unsigned call = 0; call < calls; call++) {
        way.load();
        processes.meet();
        const double start = bench_now();
        way.solve();
        seconds += processes.largest(bench_now() - start);
    }
    return seconds;
}

/* ------------------------------------------------------------------------------------ lines */

/* compared: with the u of another door, or with the one that is known. */
static void say(const bench_peer &p, bool compared) {
    char exchange[32], difference[32] = "u is compared with nothing";
    psg_options options;
    psg_options_init(&options);
    options.exchange = p.statistics.exchange;
    must(psg_options_get(&options, "exchange", exchange, sizeof exchange));
    if (compared)
        snprintf(difference, sizeof difference, "difference %.1e%s", p.difference,
                 bench_peer_agrees(&p) ? "" : " WRONG");
    printf("%zux%zux%zu %s, %d x %d GPUs, %s: %-8s %9.4f ms (%.4f to %.4f), peer / this %.2f, %s\n",
           p.n[0], p.n[1], p.n[2], p.precision == PSG_F64 ? "f64" : "f32", p.ranks, p.gpus,
           exchange, p.name, 1e3 * p.ours.median, 1e3 * p.ours.q1, 1e3 * p.ours.q3,
           p.theirs.median / p.ours.median, difference);
    fflush(stdout);
}

template <class real>
static void measure(bench_peer &p, psg_options &options, const bench_settings &settings,
                    const std::vector<int> &gpus, const bench_cufft_mp_library *mp,
                    const char *only, bool alone) {
    const double length = 6.283185307179586;
    psg_plan *plan = nullptr;
    psg_grid grid;
    psg_grid_init(&grid, p.n[0], p.n[1], p.n[2], length, length, length);
    bench_stage("psg's plan, and StarPU: %zux%zux%zu", p.n[0], p.n[1], p.n[2]);
    must(psg_plan_create(&plan, &grid, &options));
    typedef std::unique_ptr<door<real>> owned;
    std::vector<owned> doors;
    const bool fd2 = options.symbol == PSG_SYMBOL_FD2;
    const auto wanted = [&](const char *name) { return only == nullptr || !strcmp(only, name); };
    bench_field<real> values;
    if (!alone) {
        on_gpus<real> *device =
            new on_gpus<real>("device", plan, p.n, gpus, 0, false, false, false);
        doors.emplace_back(device);
        for (const box<real> &b : device->f)
            b.add_planes(values);
    }
    if (wanted("in_place"))
        doors.emplace_back(
            new on_gpus<real>("in_place", plan, p.n, gpus, 0, true, false, false, alone));
    if (wanted("ghost"))
        doors.emplace_back(new on_gpus<real>("ghost", plan, p.n, gpus, 1, false, false, false));
    if (wanted("stream"))
        doors.emplace_back(new on_gpus<real>("stream", plan, p.n, gpus, 0, false, true, false));
    if ((fd2 || only != nullptr) && wanted("gradient"))
        doors.emplace_back(new on_gpus<real>("gradient", plan, p.n, gpus, 0, false, false, true));
    if (wanted("slabs"))
        doors.emplace_back(new on_host<real>(plan, p.n, values, true));
    if (wanted("host"))
        doors.emplace_back(new on_host<real>(plan, p.n, values, false));
    if (only != nullptr && wanted("messages"))
        doors.emplace_back(new messages<real>(plan, p.n));
    const bool has_peer = !fd2 && !alone && (processes.ranks == 1 || mp != nullptr);
    if (has_peer && processes.ranks == 1)
        doors.emplace_back(new peer<real, bench_cufft<real>>(gpus.size() > 1 ? "cufft_xt" : "cufft",
                                                             p.n, (int)gpus.size()));
    else if (has_peer)
        doors.emplace_back(new peer<real, bench_cufft_mp<real>>(
            "cufft_mp", *mp, p.n, &processes.comm, processes.rank, processes.ranks, gpus[0]));
    std::vector<double> difference;
    std::vector<bench_job> jobs;
    for (const owned &way : doors) {
        bench_stage("the first solve: %s", way->name());
        (void)run<real>(way.get(), 1);
        const double off = !way->solves() ? 0
                           : alone        ? bench_known_difference(way->u(), p.n)
                                          : bench_difference(way->u(), doors[0]->u(), p.n);
        difference.push_back(processes.largest(off));
        jobs.push_back({run<real>, way.get(), 0, {}});
    }
    bench_stage("%d solves of each, in turns", settings.warm_up + settings.repeat);
    bench_interleave(jobs.data(), jobs.size(), &settings, 0);
    must(psg_plan_statistics(plan, &p.statistics));
    const bench_times none = {NAN, NAN, NAN, NAN, NAN};
    p.theirs = has_peer ? jobs.back().times : none;
    for (size_t d = 0; d < doors.size() && processes.rank == 0; d++) {
        p.name = doors[d]->name();
        p.ours = jobs[d].times;
        p.difference = difference[d];
        if (settings.rows)
            bench_door_row(&p, &settings);
        else
            say(p, doors[d]->solves());
    }
    doors.clear();
    psg_plan_destroy(plan);
    bench_stage("done");
}

int bench_embed(int argc, char **argv) {
    bench_settings settings = {11, 3, 1, 0, 0};
    psg_options options;
    bench_peer p = {};
    int count = 1, f32 = 0, alone = 0;
    const char *only = nullptr;
    psg_options_init(&options);
    const bench_option own[] = {{"gpus", BENCH_COUNT, &count, nullptr},
                                {"f32", BENCH_FLAG, &f32, nullptr},
                                {"exchange", BENCH_SOLVER, &options, "exchange"},
                                {"symbol", BENCH_SOLVER, &options, "symbol"},
                                {"only", BENCH_TEXT, &only, nullptr},
                                {"alone", BENCH_FLAG, &alone, nullptr},
                                {nullptr, BENCH_FLAG, nullptr, nullptr}};
    const int first = bench_arguments(argc, argv, own, "N|NXxNYxNZ ...", &settings);
    bench_must_or(BENCH_USAGE,
                  !alone || (!settings.rows && options.symbol == PSG_SYMBOL_SPECTRAL &&
                             only != nullptr && !strcmp(only, "in_place")),
                  "--alone needs --only in_place and the symbol spectral, and is not for --rows");
    processes.start(&argc, &argv);
    bench_must_or(BENCH_USAGE,
                  only == nullptr || strcmp(only, "messages") != 0 ||
                      (processes.ranks > 1 && !settings.rows),
                  "--only messages needs several processes, and is not for --rows");
    /* Each process has GPUs of its own, as far as there are; where it sees only its own, those. */
    const int all = bench_gpus();
    std::vector<int> gpus;
    bench_must_or(BENCH_NOT_HERE, count <= all, "%d GPUs: there are %d", count, all);
    for (int g = 0; g < count; g++)
        gpus.push_back((processes.rank * count + g) % all);
    const std::string model = bench_gpu_model();
    p.gpu_model = model.c_str();
    p.precision = options.precision = f32 ? PSG_F32 : PSG_F64;
    options.tuned = 0; /* the default is the default */
    options.gpus = count;
    options.gpu_ids = gpus.data();
    options.comm = processes.ranks > 1 ? &processes.comm : nullptr;
    bench_cufft_mp_library library;
    const char *why = processes.ranks > 1 && count == 1 ? library.open() : "";
    if (why != nullptr && why[0] && processes.rank == 0)
        fprintf(stderr, "bench_gpus embed: no cuFFTMp here: %s\n", why);
    p.ranks = processes.ranks;
    p.gpus = count;
    if (settings.rows && processes.rank == 0)
        bench_peer_begin(BENCH_EMBED_COLUMNS);
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], p.n);
        bench_must_or(BENCH_USAGE, !alone || (p.n[0] > 2 && p.n[1] > 2 && p.n[2] > 2),
                      "--alone needs three points along each axis");
        if (f32)
            measure<float>(p, options, settings, gpus, why ? nullptr : &library, only, alone);
        else
            measure<double>(p, options, settings, gpus, why ? nullptr : &library, only, alone);
    }
    processes.end();
    return 0;
}
