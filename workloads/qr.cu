// The block of reflectors I - V T V^T is applied from the left, transposed: W = V^T C, W = T^T W, C
// = C - V W. For tsqrt's reflectors, which have an identity above V, W begins as rows of B, and
// these rows lose W in the end.
#include "workloads/qr.h"

#include <cublas_v2.h>
#include <new>

struct qr_cuda_blas {
    cublasHandle_t handle;
    psg_cuda_precision precision;
};

namespace {

int code_of(cublasStatus_t status) {
    return status == CUBLAS_STATUS_SUCCESS ? 0 : QR_CUBLAS_ERROR + (int)status;
}

// cuBLAS in one precision.
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t of_a, size_t rows, size_t cols,
                    size_t depth, double alpha, const double *a, size_t lda, const double *b,
                    size_t ldb, double beta, double *c, size_t ldc) {
    return cublasDgemm(h, of_a, CUBLAS_OP_N, (int)rows, (int)cols, (int)depth, &alpha, a, (int)lda,
                       b, (int)ldb, &beta, c, (int)ldc);
}
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t of_a, size_t rows, size_t cols,
                    size_t depth, float alpha, const float *a, size_t lda, const float *b,
                    size_t ldb, float beta, float *c, size_t ldc) {
    return cublasSgemm(h, of_a, CUBLAS_OP_N, (int)rows, (int)cols, (int)depth, &alpha, a, (int)lda,
                       b, (int)ldb, &beta, c, (int)ldc);
}

// w = T^T w, in place
cublasStatus_t transposed_triangle(cublasHandle_t h, size_t rows, size_t cols, const double *t,
                                   size_t ldt, double *w, size_t ldw) {
    const double one = 1;
    return cublasDtrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T,
                       CUBLAS_DIAG_NON_UNIT, (int)rows, (int)cols, &one, t, (int)ldt, w, (int)ldw,
                       w, (int)ldw);
}
cublasStatus_t transposed_triangle(cublasHandle_t h, size_t rows, size_t cols, const float *t,
                                   size_t ldt, float *w, size_t ldw) {
    const float one = 1;
    return cublasStrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T,
                       CUBLAS_DIAG_NON_UNIT, (int)rows, (int)cols, &one, t, (int)ldt, w, (int)ldw,
                       w, (int)ldw);
}

// c = alpha a + beta b; c may be a
cublasStatus_t sum(cublasHandle_t h, size_t rows, size_t cols, double alpha, const double *a,
                   size_t lda, double beta, const double *b, size_t ldb, double *c, size_t ldc) {
    return cublasDgeam(h, CUBLAS_OP_N, CUBLAS_OP_N, (int)rows, (int)cols, &alpha, a, (int)lda,
                       &beta, b, (int)ldb, c, (int)ldc);
}
cublasStatus_t sum(cublasHandle_t h, size_t rows, size_t cols, float alpha, const float *a,
                   size_t lda, float beta, const float *b, size_t ldb, float *c, size_t ldc) {
    return cublasSgeam(h, CUBLAS_OP_N, CUBLAS_OP_N, (int)rows, (int)cols, &alpha, a, (int)lda,
                       &beta, b, (int)ldb, c, (int)ldc);
}

// The first status that is none of success ends it.
template <class Real>
cublasStatus_t unmqr(cublasHandle_t h, const qr_sizes &n, const Real *v, const Real *t, Real *c,
                     Real *w) {
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (size_t k = 0; k < n.depth && status == CUBLAS_STATUS_SUCCESS; k += n.inner) {
        const size_t block = n.depth - k < n.inner ? n.depth - k : n.inner;
        const size_t rows = n.rows - k; // the reflectors are zero above
        const Real *v_k = v + k * n.rows + k;
        status = gemm(h, CUBLAS_OP_T, block, n.cols, rows, Real(1), v_k, n.rows, c + k, n.rows,
                      Real(0), w, n.inner);
        if (status == CUBLAS_STATUS_SUCCESS)
            status = transposed_triangle(h, block, n.cols, t + k * n.inner, n.inner, w, n.inner);
        if (status == CUBLAS_STATUS_SUCCESS)
            status = gemm(h, CUBLAS_OP_N, rows, n.cols, block, Real(-1), v_k, n.rows, w, n.inner,
                          Real(1), c + k, n.rows);
    }
    return status;
}

template <class Real>
cublasStatus_t tsmqr(cublasHandle_t h, const qr_sizes &n, const Real *v, const Real *t, Real *b,
                     size_t pitch, Real *c, Real *w) {
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (size_t k = 0; k < n.depth && status == CUBLAS_STATUS_SUCCESS; k += n.inner) {
        const size_t block = n.depth - k < n.inner ? n.depth - k : n.inner;
        const Real *v_k = v + k * n.rows;
        Real *b_k = b + k;
        status = sum(h, block, n.cols, Real(1), b_k, pitch, Real(0), b_k, pitch, w, n.inner);
        if (status == CUBLAS_STATUS_SUCCESS)
            status = gemm(h, CUBLAS_OP_T, block, n.cols, n.rows, Real(1), v_k, n.rows, c, n.rows,
                          Real(1), w, n.inner);
        if (status == CUBLAS_STATUS_SUCCESS)
            status = transposed_triangle(h, block, n.cols, t + k * n.inner, n.inner, w, n.inner);
        if (status == CUBLAS_STATUS_SUCCESS)
            status = sum(h, block, n.cols, Real(1), b_k, pitch, Real(-1), w, n.inner, b_k, pitch);
        if (status == CUBLAS_STATUS_SUCCESS)
            status = gemm(h, CUBLAS_OP_N, n.rows, n.cols, block, Real(-1), v_k, n.rows, w, n.inner,
                          Real(1), c, n.rows);
    }
    return status;
}

} // namespace

const char *qr_cuda_blas_words(int code) {
    return code >= QR_CUBLAS_ERROR ? cublasGetStatusName((cublasStatus_t)(code - QR_CUBLAS_ERROR))
                                   : cudaGetErrorString((cudaError_t)code);
}

bool qr_cuda_blas_is_memory(int code) {
    return code == cudaErrorMemoryAllocation ||
           code == QR_CUBLAS_ERROR + CUBLAS_STATUS_ALLOC_FAILED;
}

int qr_cuda_blas_create(qr_cuda_blas **blas, psg_cuda_precision precision, cudaStream_t stream) {
    qr_cuda_blas *made = new (std::nothrow) qr_cuda_blas{nullptr, precision};
    *blas = nullptr;
    if (made == nullptr)
        return cudaErrorMemoryAllocation;
    cublasStatus_t status = cublasCreate(&made->handle);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasSetStream(made->handle, stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        *blas = made;
    else
        qr_cuda_blas_destroy(made);
    return code_of(status);
}

void qr_cuda_blas_destroy(qr_cuda_blas *blas) {
    if (blas != nullptr && blas->handle != nullptr)
        (void)cublasDestroy(blas->handle);
    delete blas;
}

int qr_cuda_unmqr(qr_cuda_blas *blas, const qr_sizes *n, const void *v_d, const void *t_d,
                  void *c_d, void *work_d) {
    if (blas->precision == PSG_CUDA_F64)
        return code_of(unmqr(blas->handle, *n, (const double *)v_d, (const double *)t_d,
                             (double *)c_d, (double *)work_d));
    return code_of(unmqr(blas->handle, *n, (const float *)v_d, (const float *)t_d, (float *)c_d,
                         (float *)work_d));
}

int qr_cuda_tsmqr(qr_cuda_blas *blas, const qr_sizes *n, const void *v_d, const void *t_d,
                  void *b_d, size_t pitch, void *c_d, void *work_d) {
    if (blas->precision == PSG_CUDA_F64)
        return code_of(tsmqr(blas->handle, *n, (const double *)v_d, (const double *)t_d,
                             (double *)b_d, pitch, (double *)c_d, (double *)work_d));
    return code_of(tsmqr(blas->handle, *n, (const float *)v_d, (const float *)t_d, (float *)b_d,
                         pitch, (float *)c_d, (float *)work_d));
}
