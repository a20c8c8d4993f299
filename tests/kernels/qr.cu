// The updates of QR by tiles on a GPU are a core's, but for rounding, in both precisions: for tiles that are square, last ones of
// any size, and whose reflectors are no whole number of blocks. What stands below the rows of B in its tile is not changed.
#include "tests/kernels/check_cuda.h"
#include "workloads/qr.h"

static const psg_lapack *lapack;

/// psg's functions on a core.
template <class Real> static const qr_functions *functions_of() {
    return lapack->qr[sizeof(Real) == sizeof(float)];
}

/// rows x cols of uniform random numbers.
template <class Real>
static std::vector<Real> random_matrix(size_t rows, size_t cols, uint64_t first) {
    std::vector<Real> a(rows * cols);
    const qr_sizes n = {rows, cols, 0, 0};
    functions_of<Real>()->random(&n, first, rows, a.data());
    return a;
}

template <class Real>
static void compare(const std::vector<Real> &got, const std::vector<Real> &want, const char *what,
                    const qr_sizes &n) {
    const double bound = 100 * (double)(n.rows + n.depth) * functions_of<Real>()->epsilon;
    for (size_t m = 0; m < want.size(); m++)
        if (!(fabs((double)got[m] - (double)want[m]) <= bound)) {
            FAIL("%s of %zu x %zu, %zu reflectors in blocks of %zu: number %zu is %.9g, not %.9g",
                 what, n.rows, n.cols, n.depth, n.inner, m, (double)got[m], (double)want[m]);
            return;
        }
}

template <class Real> static void after_geqrt(qr_cuda_blas *blas, const qr_sizes &n) {
    const qr_method *cpu = functions_of<Real>()->by[QR_HOUSEHOLDER];
    qr_sizes panel = n;
    panel.cols = n.depth;
    std::vector<Real> a = random_matrix<Real>(n.rows, n.depth, 0), v(a.size()),
                      t(n.inner * n.depth);
    std::vector<Real> c = random_matrix<Real>(n.rows, n.cols, 1000),
                      work(n.inner * (n.cols + n.depth));
    cpu->geqrt(&panel, a.data(), t.data(), v.data(), work.data());
    const device_array<Real> v_d(v), t_d(t), c_d(c), work_d(n.inner * n.cols);
    cpu->unmqr(&n, true, v.data(), t.data(), qr_columns{c.data(), n.rows}, work.data());
    MUST(qr_cuda_unmqr(blas, &n, v_d.data(), t_d.data(), c_d.data(), work_d.data()));
    compare(c_d.get(), c, "unmqr", n);
}

template <class Real> static void after_tsqrt(qr_cuda_blas *blas, const qr_sizes &n, size_t pitch) {
    const qr_method *cpu = functions_of<Real>()->by[QR_HOUSEHOLDER];
    qr_sizes panel = n;
    panel.cols = n.depth;
    std::vector<Real> r = random_matrix<Real>(n.depth, n.depth, 0), t(n.inner * n.depth);
    std::vector<Real> v = random_matrix<Real>(n.rows, n.depth, 5000),
                      work(n.inner * (n.cols + n.depth));
    std::vector<Real> b = random_matrix<Real>(pitch, n.cols, 10000);
    std::vector<Real> c = random_matrix<Real>(n.rows, n.cols, 20000);
    cpu->tsqrt(&panel, qr_columns{r.data(), n.depth}, v.data(), t.data(), work.data());
    const device_array<Real> v_d(v), t_d(t), b_d(b), c_d(c), work_d(n.inner * n.cols);
    cpu->tsmqr(&n, true, v.data(), t.data(), qr_columns{b.data(), pitch},
               qr_columns{c.data(), n.rows}, work.data());
    MUST(qr_cuda_tsmqr(blas, &n, v_d.data(), t_d.data(), b_d.data(), pitch, c_d.data(),
                       work_d.data()));
    compare(c_d.get(), c, "tsmqr, C", n);
    compare(b_d.get(), b, "tsmqr, B", n);
}

template <class Real> static void all() {
    qr_cuda_blas *blas = nullptr;
    MUST(qr_cuda_blas_create(&blas, precision_of<Real>(), 0));
    after_geqrt<Real>(blas, qr_sizes{64, 64, 64, 32});
    after_geqrt<Real>(blas, qr_sizes{70, 33, 41, 16});
    after_geqrt<Real>(blas, qr_sizes{1, 1, 1, 1});
    after_tsqrt<Real>(blas, qr_sizes{64, 64, 64, 32}, 64);
    after_tsqrt<Real>(blas, qr_sizes{19, 50, 64, 24}, 64);
    after_tsqrt<Real>(blas, qr_sizes{70, 33, 41, 16}, 60);
    after_tsqrt<Real>(blas, qr_sizes{1, 1, 1, 1}, 1);
    qr_cuda_blas_destroy(blas);
}

int main() {
    need_device();
    CHECK(qr_lapack_load(&lapack) == nullptr);
    lapack->begin();
    all<double>();
    all<float>();
    lapack->end();
    qr_cuda_blas_destroy(nullptr);
    CHECK(strstr(qr_cuda_blas_words(QR_CUBLAS_ERROR + 7), "CUBLAS") != nullptr);
    return check_result();
}
