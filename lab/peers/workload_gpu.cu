// Peers of workloads on the first GPU by kernels of their own: what one would write without tasks,
// with the data in the memory of the GPU.
#include "kernels/sum.cuh"
#include "lab/peers/workload_gpu.cuh"

// ------------------------------------------------ ep: as many threads as run at once, with a run
// of the pairs each

/// number [PEER_EP_NUMBERS]: sums, and counts by ring. Whole numbers are exact in f64.
static __global__ void __launch_bounds__(threads) ep_kernel(uint64_t pairs, double *number) {
    __shared__ unsigned count[PEER_EP_RINGS][threads]; // a thread has a column
    const uint64_t all = (uint64_t)gridDim.x * threads;
    const uint64_t thread = (uint64_t)blockIdx.x * threads + threadIdx.x;
    const uint64_t first = pairs * thread / all, end = pairs * (thread + 1) / all;
    uint64_t x = random_after(RANDOM_SEED, 2 * first);
    double sum[2] = {0, 0}, normals[2];
    for (int ring = 0; ring < PEER_EP_RINGS; ring++) {
        count[ring][threadIdx.x] = 0;
    }
    for (uint64_t pair = first; pair < end; pair++) {
        const int ring = random_normals(&x, normals);
        if (ring >= 0) {
            count[ring < PEER_EP_RINGS ? ring : PEER_EP_RINGS - 1][threadIdx.x]++;
            sum[0] += normals[0];
            sum[1] += normals[1];
        }
    }
    for (int m = 0; m < PEER_EP_NUMBERS; m++) {
        const double of_block = block_sum<threads>(m < 2 ? sum[m] : count[m - 2][threadIdx.x]);
        if (threadIdx.x == 0) {
            atomicAdd(&number[m], of_block);
        }
    }
}

struct ep_state {
    bench_buffer number{PEER_EP_NUMBERS * sizeof(double)};
    int processors = 0, blocks = 0;

    explicit ep_state(const peer *) {
        BENCH_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
        BENCH_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, ep_kernel, threads, 0));
    }
    void run(const peer *p) const {
        BENCH_CUDA(cudaMemsetAsync(number.p, 0, PEER_EP_NUMBERS * sizeof(double)));
        ep_kernel<<<(unsigned)(processors * blocks), threads>>>((uint64_t)1 << p->n,
                                                                doubles(number));
        finish();
    }
    void fetch(peer *p) const {
        from_gpu(p->number, number.p, sizeof p->number);
    }
};

// ---------------------------------------------------------------------------- jacobi: one kernel a
// sweep, two arrays

constexpr size_t jacobi_rows = 8; // of a thread

/// A thread goes down a column, and keeps two of the three numbers that the next row needs of it.
template <class Real>
static __global__ void __launch_bounds__(threads)
    jacobi_kernel(size_t n, const Real *__restrict__ u, Real *__restrict__ next) {
    const size_t column = 1 + (size_t)blockIdx.x * threads + threadIdx.x;
    const size_t first = 1 + (size_t)blockIdx.y * jacobi_rows;
    if (column + 1 >= n) {
        return;
    }
    const size_t end = first + jacobi_rows < n - 1 ? first + jacobi_rows : n - 1;
    size_t m = first * n + column;
    Real north = u[m - n], here = u[m];
    for (size_t row = first; row < end; row++, m += n) {
        const Real south = u[m + n];
        next[m] = (((north + south) + u[m - 1]) + u[m + 1]) / 4;
        north = here;
        here = south;
    }
}

/// The sides are in both arrays, and stay.
struct jacobi_state {
    size_t bytes;
    bench_buffer u, next;
    locked start;

    explicit jacobi_state(const peer *p)
        : bytes(p->points * p->real_bytes), u(bytes), next(bytes), start(p->array[0], bytes) {
        to_gpu(next.p, start.p, bytes);
    }
    void bring(const peer *) const {
        to_gpu(u.p, start.p, bytes);
    }
    template <class Real> void sweep(size_t n) const {
        const dim3 blocks(blocks_for(n - 2, threads, INT32_MAX),
                          blocks_for(n - 2, jacobi_rows, 65535));
        Real *const all[2] = {static_cast<Real *>(u.p), static_cast<Real *>(next.p)};
        for (int step = 0; step < PEER_JACOBI_STEPS; step++)
            jacobi_kernel<Real><<<blocks, threads>>>(n, all[step % 2], all[1 - step % 2]);
        finish();
    }
    void run(const peer *p) const {
        if (p->precision == PSG_F32)
            sweep<float>((size_t)p->n);
        else
            sweep<double>((size_t)p->n);
    }
    void fetch(const peer *p) const {
        const bool even = PEER_JACOBI_STEPS % 2 == 0;
        from_gpu(p->array[even ? 0 : 1], even ? u.p : next.p, bytes);
    }
};

// ------------------------------------------------------ pcg: conjugate gradients without
// preconditioner, three kernels a step

constexpr int pcg_most = 1 << 16;   // steps
constexpr int pcg_batch = 16;       // steps from one look at the residual to the next
constexpr size_t pcg_blocks = 2048; // of kernels that go over all points

/// In the memory of the GPU. rr [pcg_most + 1]: r.r before each step; dq [pcg_most]: d.q in each
/// step.
struct pcg_fields {
    size_t n, points;
    double *f, *eps, *x, *r, *d, *q, *rr, *dq;
};

/// A step after the last one does nothing: r.r after it stays 0.
static __device__ bool pcg_is_done(const pcg_fields &s, int step) {
    return !(s.rr[step] > PEER_PCG_TOLERANCE * PEER_PCG_TOLERANCE * s.rr[0]);
}

static __device__ void pcg_add(double of_thread, double *to) {
    const double sum = block_sum<threads>(of_thread);
    if (threadIdx.x == 0) {
        atomicAdd(to, sum);
    }
}

static __global__ void __launch_bounds__(threads) pcg_start_kernel(pcg_fields s) {
    double sum = 0;
    for (size_t m = (size_t)blockIdx.x * threads + threadIdx.x; m < s.points;
         m += (size_t)gridDim.x * threads) {
        const double f = s.f[m];
        s.x[m] = 0;
        s.r[m] = s.d[m] = f;
        sum += f * f;
    }
    pcg_add(sum, &s.rr[0]);
}

constexpr int pcg_lines = threads / warp_threads; // of a block: a warp has a line of points

/// q = A d
static __global__ void __launch_bounds__(threads) pcg_apply_kernel(pcg_fields s, int step) {
    if (pcg_is_done(s, step)) {
        return;
    }
    const size_t n = s.n, k = blockIdx.y;
    const size_t j = (size_t)blockIdx.x * pcg_lines + threadIdx.x / warp_threads;
    const size_t line = (k * n + j) * n;
    const size_t lines[4] = {(k * n + (j + 1) % n) * n, (k * n + (j + n - 1) % n) * n,
                             ((k + 1) % n * n + j) * n, ((k + n - 1) % n * n + j) * n};
    double product = 0;
    for (size_t i = threadIdx.x % warp_threads; i < n && j < n; i += warp_threads) {
        const double e = s.eps[line + i], v = s.d[line + i];
        const size_t east = line + (i + 1 < n ? i + 1 : 0), west = line + (i > 0 ? i : n) - 1;
        const size_t beside[6] = {east,         west,         lines[0] + i,
                                  lines[1] + i, lines[2] + i, lines[3] + i};
        double sum = 0;
        for (int m = 0; m < 6; m++) {
            const double other = s.eps[beside[m]];
            sum += (s.d[beside[m]] - v) * other / (e + other);
        }
        const double q = 2 * e * (double)(n * n) * sum;
        s.q[line + i] = q;
        product += v * q;
    }
    pcg_add(product, &s.dq[step]);
}

static __global__ void __launch_bounds__(threads) pcg_update_kernel(pcg_fields s, int step) {
    if (pcg_is_done(s, step)) {
        return;
    }
    const double alpha = s.rr[step] / s.dq[step];
    double sum = 0;
    for (size_t m = (size_t)blockIdx.x * threads + threadIdx.x; m < s.points;
         m += (size_t)gridDim.x * threads) {
        const double r = s.r[m] - alpha * s.q[m];
        s.x[m] += alpha * s.d[m];
        s.r[m] = r;
        sum += r * r;
    }
    pcg_add(sum, &s.rr[step + 1]);
}

static __global__ void __launch_bounds__(threads) pcg_direction_kernel(pcg_fields s, int step) {
    if (pcg_is_done(s, step)) {
        return;
    }
    const double beta = s.rr[step + 1] / s.rr[step];
    for (size_t m = (size_t)blockIdx.x * threads + threadIdx.x; m < s.points;
         m += (size_t)gridDim.x * threads) {
        s.d[m] = s.r[m] + beta * s.d[m];
    }
}

static void pcg_steps(const pcg_fields &s, int first) {
    const unsigned blocks = blocks_for(s.points, threads, pcg_blocks);
    const dim3 lines(blocks_for(s.n, pcg_lines, INT32_MAX), (unsigned)s.n);
    for (int step = first; step < first + pcg_batch; step++) {
        pcg_apply_kernel<<<lines, threads>>>(s, step);
        pcg_update_kernel<<<blocks, threads>>>(s, step);
        pcg_direction_kernel<<<blocks, threads>>>(s, step);
    }
}

struct pcg_state {
    size_t room; // of a field, so that each begins with a line of the cache
    bench_buffer memory;
    pcg_fields fields;
    double *seen = nullptr; // [3] page-locked: r.r after two batches in turn, and at first
    cudaEvent_t event[2];

    explicit pcg_state(const peer *p)
        : room((p->points + 31) / 32 * 32), memory((6 * room + 2 * pcg_most + 1) * sizeof(double)) {
        double *at = doubles(memory);
        fields.n = (size_t)p->n;
        fields.points = p->points;
        for (double **field :
             {&fields.f, &fields.eps, &fields.x, &fields.r, &fields.d, &fields.q}) {
            *field = at;
            at += room;
        }
        fields.rr = at;
        fields.dq = at + pcg_most + 1;
        BENCH_CUDA(cudaMallocHost(&seen, 3 * sizeof(double)));
        for (cudaEvent_t &e : event)
            BENCH_CUDA(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
        to_gpu(fields.f, p->array[CG_F], p->points * sizeof(double));
        to_gpu(fields.eps, p->array[CG_EPS], p->points * sizeof(double));
    }
    ~pcg_state() {
        cudaEventDestroy(event[0]);
        cudaEventDestroy(event[1]);
        cudaFreeHost(seen);
    }
    /// The host looks at the residual of a batch when the next batch is already submitted.
    void run(const peer *p) const {
        bool done = false;
        BENCH_CUDA(cudaMemsetAsync(fields.rr, 0, (2 * pcg_most + 1) * sizeof(double)));
        pcg_start_kernel<<<blocks_for(p->points, threads, pcg_blocks), threads>>>(fields);
        BENCH_CUDA(cudaMemcpyAsync(&seen[2], fields.rr, sizeof(double), cudaMemcpyDeviceToHost));
        for (int batch = 0; !done; batch++) {
            const int first = batch * pcg_batch, now = batch % 2, before = 1 - now;
            bench_must(first < pcg_most, "the peer of pcg takes more than %d steps", pcg_most);
            pcg_steps(fields, first);
            BENCH_CUDA(cudaMemcpyAsync(&seen[now], fields.rr + first + pcg_batch, sizeof(double),
                                       cudaMemcpyDeviceToHost));
            BENCH_CUDA(cudaEventRecord(event[now]));
            if (batch > 0) {
                BENCH_CUDA(cudaEventSynchronize(event[before]));
                done = !(seen[before] > PEER_PCG_TOLERANCE * PEER_PCG_TOLERANCE * seen[2]);
            }
        }
        finish();
    }
    void fetch(peer *p) const {
        std::vector<double> rr(pcg_most + 1);
        from_gpu(rr.data(), fields.rr, rr.size() * sizeof(double));
        from_gpu(p->array[CG_X], fields.x, p->points * sizeof(double));
        p->steps = 0;
        while (rr[p->steps] > PEER_PCG_TOLERANCE * PEER_PCG_TOLERANCE * rr[0])
            p->steps++;
    }
};

static void start(void) {
    (void)bench_gpus();
    BENCH_CUDA(cudaSetDevice(0));
}

static const peer_way ep_way = way_of<ep_state>("one CUDA kernel for all pairs");
static const peer_way jacobi_way =
    way_of<jacobi_state>("a CUDA kernel a sweep", bring_to<jacobi_state>);
static const peer_way pcg_way =
    way_of<pcg_state>("CUDA conjugate gradients without preconditioner");

#ifdef PSG_GPU_LIBRARIES
const peer_ways peer_ways_gpu = {
    1, start, {&ep_way, &jacobi_way, &peer_cg_gpu, &pcg_way, &peer_qr_gpu}, 0};
#else
const peer_ways peer_ways_gpu = {1, start, {&ep_way, &jacobi_way, nullptr, &pcg_way, nullptr}, 0};
#endif
