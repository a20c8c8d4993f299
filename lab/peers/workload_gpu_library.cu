// Peers of workloads on the first GPU by NVIDIA's libraries, with the data in the memory of the
// GPU.
#include "lab/peers/workload_gpu.cuh"

#include <cublas_v2.h>
#include <cusolverDn.h>
#include <cusparse.h>

#define PEER_CUBLAS(call) BENCH_LIBRARY("cuBLAS", call)
#define PEER_CUSPARSE(call) BENCH_LIBRARY("cuSPARSE", call)
#define PEER_CUSOLVER(call) BENCH_LIBRARY("cuSOLVER", call)

// --------------------------------------------- cg: cuSPARSE and cuBLAS, whose scalars are in the
// memory of the GPU

enum { RR, RR_NEW, DQ, ALPHA, MINUS_ALPHA, BETA, FX, XX, SCALE, ZETA, ONE, ZERO, SCALARS };

static __global__ void alpha_kernel(double *s) {
    s[ALPHA] = s[RR] / s[DQ];
    s[MINUS_ALPHA] = -s[ALPHA];
}

static __global__ void beta_kernel(double *s) {
    s[BETA] = s[RR_NEW] / s[RR];
    s[RR] = s[RR_NEW];
}

static __global__ void zeta_kernel(double *s, double shift) {
    s[ZETA] = shift + 1 / s[FX];
    s[SCALE] = 1 / sqrt(s[XX]);
}

static __global__ void ones_kernel(double *f, size_t n) {
    const size_t m = (size_t)blockIdx.x * threads + threadIdx.x;
    if (m < n) {
        f[m] = 1;
    }
}

struct cg_state {
    int n;
    size_t nonzeros;
    bench_buffer start, column, value, f, x, r, d, q, scalars{SCALARS * sizeof(double)};
    bench_buffer *room = nullptr;
    cublasHandle_t blas = nullptr;
    cusparseHandle_t sparse = nullptr;
    cusparseSpMatDescr_t a = nullptr;
    cusparseDnVecDescr_t of_d = nullptr, of_q = nullptr;

    explicit cg_state(peer *p)
        : n((int)p->points), nonzeros(p->matrix.start[n]), start((n + 1) * sizeof(uint32_t)),
          column(nonzeros * sizeof(uint32_t)), value(nonzeros * sizeof(double)),
          f(n * sizeof(double)), x(n * sizeof(double)), r(n * sizeof(double)),
          d(n * sizeof(double)), q(n * sizeof(double)) {
        const double constants[2] = {1, 0};
        p->steps = PEER_CG_STEPS;
        to_gpu(start.p, p->matrix.start, (n + 1) * sizeof(uint32_t));
        to_gpu(column.p, p->matrix.column, nonzeros * sizeof(uint32_t));
        to_gpu(value.p, p->matrix.value, nonzeros * sizeof(double));
        to_gpu(at(ONE), constants, sizeof constants);
        PEER_CUBLAS(cublasCreate(&blas));
        PEER_CUBLAS(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
        make_product();
    }
    ~cg_state() {
        cusparseDestroyDnVec(of_q);
        cusparseDestroyDnVec(of_d);
        cusparseDestroySpMat(a);
        cusparseDestroy(sparse);
        cublasDestroy(blas);
        delete room;
    }
    double *at(int scalar) const {
        return doubles(scalars) + scalar;
    }
    void make_product() {
        size_t bytes = 0;
        PEER_CUSPARSE(cusparseCreate(&sparse));
        PEER_CUSPARSE(cusparseSetPointerMode(sparse, CUSPARSE_POINTER_MODE_DEVICE));
        PEER_CUSPARSE(cusparseCreateCsr(&a, n, n, (int64_t)nonzeros, start.p, column.p, value.p,
                                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
        PEER_CUSPARSE(cusparseCreateDnVec(&of_d, n, d.p, CUDA_R_64F));
        PEER_CUSPARSE(cusparseCreateDnVec(&of_q, n, q.p, CUDA_R_64F));
        PEER_CUSPARSE(cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, at(ONE), a,
                                              of_d, at(ZERO), of_q, CUDA_R_64F,
                                              CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
        room = new bench_buffer(bytes);
#if CUSPARSE_VERSION >= 12300
        PEER_CUSPARSE(cusparseSpMV_preprocess(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, at(ONE), a,
                                              of_d, at(ZERO), of_q, CUDA_R_64F,
                                              CUSPARSE_SPMV_ALG_DEFAULT, room->p));
#endif
    }
    /// q = A d
    void multiply() const {
        PEER_CUSPARSE(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, at(ONE), a, of_d,
                                   at(ZERO), of_q, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, room->p));
    }
    void dot(const bench_buffer &v, const bench_buffer &w, int scalar) const {
        PEER_CUBLAS(cublasDdot(blas, n, doubles(v), 1, doubles(w), 1, at(scalar)));
    }
    /// to += scalar v
    void add(int scalar, const bench_buffer &v, const bench_buffer &to) const {
        PEER_CUBLAS(cublasDaxpy(blas, n, at(scalar), doubles(v), 1, doubles(to), 1));
    }
    void scale(int scalar, const bench_buffer &v) const {
        PEER_CUBLAS(cublasDscal(blas, n, at(scalar), doubles(v), 1));
    }
    void copy(const bench_buffer &to, const bench_buffer &from) const {
        BENCH_CUDA(cudaMemcpyAsync(to.p, from.p, n * sizeof(double), cudaMemcpyDeviceToDevice));
    }
    /// x of A x = f, without a word to the host
    void solve() const {
        BENCH_CUDA(cudaMemsetAsync(x.p, 0, n * sizeof(double)));
        copy(r, f);
        copy(d, f);
        dot(r, r, RR);
        for (int step = 0; step < PEER_CG_STEPS; step++) {
            multiply();
            dot(d, q, DQ);
            alpha_kernel<<<1, 1>>>(at(0));
            add(ALPHA, d, x);
            add(MINUS_ALPHA, q, r);
            dot(r, r, RR_NEW);
            beta_kernel<<<1, 1>>>(at(0));
            scale(BETA, d);
            add(ONE, r, d);
        }
    }
    void run(const peer *p) const {
        const unsigned blocks = blocks_for(p->points, threads, INT32_MAX);
        ones_kernel<<<blocks, threads>>>(doubles(f), p->points);
        for (int iteration = 0; iteration < p->n; iteration++) {
            solve();
            dot(f, x, FX);
            dot(x, x, XX);
            zeta_kernel<<<1, 1>>>(at(0), p->shift);
            copy(f, x);
            scale(SCALE, f);
        }
        finish();
    }
    void fetch(peer *p) const {
        from_gpu(p->number, at(ZETA), sizeof(double));
    }
};

const peer_way peer_cg_gpu = way_of<cg_state>("conjugate gradients by cuSPARSE and cuBLAS");

// ------------------------------------------------------------------------------- qr: cuSOLVER's of
// the whole matrix

struct qr_state {
    int64_t n;
    size_t bytes, of_tau;
    cudaDataType type;
    bench_buffer a, tau, info{sizeof(int)};
    locked given;
    cusolverDnHandle_t solver = nullptr;
    cusolverDnParams_t how = nullptr;
    size_t room_bytes = 0;
    bench_buffer *room = nullptr;
    std::vector<char> host_room;

    explicit qr_state(const peer *p)
        : n(p->n), bytes((size_t)n * (size_t)n * p->real_bytes), of_tau((size_t)n * p->real_bytes),
          type(p->precision == PSG_F32 ? CUDA_R_32F : CUDA_R_64F), a(bytes), tau(of_tau),
          given(p->array[QR_A], bytes) {
        size_t on_host = 0;
        PEER_CUSOLVER(cusolverDnCreate(&solver));
        PEER_CUSOLVER(cusolverDnCreateParams(&how));
        PEER_CUSOLVER(cusolverDnXgeqrf_bufferSize(solver, how, n, n, type, a.p, n, type, tau.p,
                                                  type, &room_bytes, &on_host));
        room = new bench_buffer(room_bytes);
        host_room.resize(on_host);
    }
    ~qr_state() {
        cusolverDnDestroyParams(how);
        cusolverDnDestroy(solver);
        delete room;
    }
    void bring(const peer *) const {
        to_gpu(a.p, given.p, bytes);
    }
    void run(const peer *) {
        PEER_CUSOLVER(cusolverDnXgeqrf(solver, how, n, n, type, a.p, n, type, tau.p, type, room->p,
                                       room_bytes, host_room.data(), host_room.size(),
                                       static_cast<int *>(info.p)));
        finish();
    }
    void fetch(const peer *p) const {
        int failed = 0;
        from_gpu(&failed, info.p, sizeof failed);
        bench_must(failed == 0, "cuSOLVER's geqrf: %d", failed);
        from_gpu(p->array[QR_A], a.p, bytes);
        from_gpu(p->array[QR_TAU], tau.p, of_tau);
    }
};

const peer_way peer_qr_gpu = way_of<qr_state>("cuSOLVER's geqrf", bring_to<qr_state>);
