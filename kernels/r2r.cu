#include "kernels/r2r.cuh"

namespace psg_cuda {

namespace {

constexpr int combine_threads = 256;
constexpr size_t aligned = 256; // what cuFFT works in begins at such an address

/// r2r_lines and r2r_rows, as a kernel reads and writes them.
template <class Real> struct line_access {
    complex_t<Real> *base;
    size_t inner, outer, line, point;
    explicit line_access(const r2r_lines &l)
        : base(static_cast<complex_t<Real> *>(l.base_d)), inner(l.inner), outer(l.outer),
          line(l.line), point(l.point) {
    }
    __device__ complex_t<Real> *at(size_t l, size_t m) const {
        return base + l / inner * outer + l % inner * line + m * point;
    }
    __device__ complex_t<Real> load(size_t l, size_t m) const {
        return *at(l, m);
    }
    __device__ void store(size_t l, size_t m, complex_t<Real> v) const {
        *at(l, m) = v;
    }
};

template <class Real> struct row_access {
    Real *base;
    size_t first, points, pitch, pairs, rows, row_pitch, plane_pitch;
    explicit row_access(const r2r_rows &r)
        : base(static_cast<Real *>(r.base_d)), first(r.first), points(r.points), pitch(r.pitch),
          pairs(div_up(r.rows, 2)), rows(r.rows), row_pitch(r.row_pitch),
          plane_pitch(r.plane_pitch) {
    }
    __device__ Real *at(size_t l, size_t m) const {
        return base + l / pairs * plane_pitch + l % pairs * 2 * row_pitch + m;
    }
    __device__ bool has(size_t m) const {
        return m >= first && m - first < points;
    }
    __device__ bool is_pair(size_t l) const {
        return l % pairs * 2 + 1 < rows;
    }
    __device__ complex_t<Real> load(size_t l, size_t m) const {
        if (!has(m))
            return {Real(0), Real(0)};
        const Real *p = at(l, m - first);
        return {p[0], is_pair(l) ? p[row_pitch] : Real(0)};
    }
    __device__ void store(size_t l, size_t m, complex_t<Real> v) const {
        if (!has(m))
            return;
        put(l, m - first, v);
        for (size_t i = points; m - first + 1 == points && i < pitch; i++)
            put(l, i, {0, 0});
    }
    __device__ void put(size_t l, size_t m, complex_t<Real> v) const {
        Real *p = at(l, m);
        p[0] = v.x;
        if (is_pair(l))
            p[row_pitch] = v.y;
    }
};

/// A thread makes number m of line l. ALONG: neighbouring threads have neighbouring numbers of a
/// line, else the same number of neighbouring lines.
template <bool ALONG, class Real, class From, class To>
__global__ void __launch_bounds__(combine_threads)
    combine(const r2r_term<Real> *terms, size_t count, size_t lines, From from, To to) {
    const size_t i = (size_t)blockIdx.x * combine_threads + threadIdx.x;
    if (i >= count * lines)
        return;
    const size_t l = ALONG ? i / count : i % lines, m = ALONG ? i % count : i / lines;
    const r2r_term<Real> t = terms[m];
    to.store(l, m, t.a * from.load(l, t.s) + t.b * from.load(l, t.t));
}

template <class Real, class From, class To>
int launch(bool along, const void *terms_d, size_t count, size_t lines, const From &from,
           const To &to, cudaStream_t stream) {
    const size_t blocks = div_up(count * lines, combine_threads);
    const auto *terms = static_cast<const r2r_term<Real> *>(terms_d);
    if (blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    if (along)
        combine<true, Real>
            <<<(unsigned)blocks, combine_threads, 0, stream>>>(terms, count, lines, from, to);
    else
        combine<false, Real>
            <<<(unsigned)blocks, combine_threads, 0, stream>>>(terms, count, lines, from, to);
    return (int)cudaGetLastError();
}

/// @return 0; a code, and *table_d is NULL or still to be freed
template <class Real> int copy_table(void **table_d, const r2r_terms<Real> &terms) {
    const size_t bytes = terms.size() * sizeof(r2r_term<Real>);
    const int code = (int)cudaMalloc(table_d, bytes);
    return code != 0 ? code
                     : (int)cudaMemcpy(*table_d, terms.data(), bytes, cudaMemcpyHostToDevice);
}

size_t round_up(size_t bytes) {
    return div_up(bytes, aligned) * aligned;
}

} // namespace

r2r_axis::~r2r_axis() {
    if (planned)
        cufftDestroy(handle);
    for (auto &direction : tables_d)
        for (void *table_d : direction)
            (void)cudaFree(table_d);
}

template <class Real> int r2r_axis::make_tables(psg_cuda_r2r forward) {
    int code = 0;
    for (int d = PSG_CUDA_FORWARD; d <= PSG_CUDA_INVERSE && code == 0; d++) {
        const psg_cuda_r2r kind = d == PSG_CUDA_FORWARD ? forward : r2r_inverse(forward);
        code = copy_table(&tables_d[d][0], r2r_before<Real>(kind, n));
        if (code == 0)
            code = copy_table(&tables_d[d][1], r2r_after<Real>(kind, n));
    }
    return code;
}

int r2r_axis::create(psg_cuda_precision p, psg_cuda_r2r forward, size_t points, size_t count,
                     bool side_by_side) {
    precision = p;
    n = points;
    length = r2r_length(forward, n);
    lines = count;
    contiguous = side_by_side;
    if (length > UINT32_MAX)
        return cudaErrorInvalidValue;
    const bool f64 = precision == PSG_CUDA_F64;
    const int code = f64 ? make_tables<double>(forward) : make_tables<float>(forward);
    if (code != 0 || length == 1)
        return code; // the transform of one number is itself
    cufftResult r = cufftCreate(&handle);
    if (r != CUFFT_SUCCESS)
        return cufft_code(r);
    planned = true;
    long long size[1] = {(long long)length};
    const long long point = contiguous ? 1 : (long long)lines,
                    line = contiguous ? (long long)length : 1;
    r = cufftSetAutoAllocation(handle, 0);
    if (r == CUFFT_SUCCESS)
        r = cufftMakePlanMany64(handle, 1, size, size, point, line, size, point, line,
                                f64 ? CUFFT_Z2Z : CUFFT_C2C, (long long)lines, &cufft_bytes);
    return cufft_code(r);
}

size_t r2r_axis::work_bytes() const {
    return round_up(length * lines * complex_bytes(precision)) + cufft_bytes;
}

int r2r_axis::set_work_area(void *area_d) {
    work_d = area_d;
    char *rest = static_cast<char *>(area_d) + round_up(length * lines * complex_bytes(precision));
    return planned && cufft_bytes > 0 ? cufft_code(cufftSetWorkArea(handle, rest)) : 0;
}

int r2r_axis::set_stream(cudaStream_t following) {
    stream = following;
    return planned ? cufft_code(cufftSetStream(handle, stream)) : 0;
}

int r2r_axis::transform() const {
    if (!planned)
        return 0;
    if (precision == PSG_CUDA_F64) {
        cufftDoubleComplex *v = static_cast<cufftDoubleComplex *>(work_d);
        return cufft_code(cufftExecZ2Z(handle, v, v, CUFFT_FORWARD));
    }
    cufftComplex *v = static_cast<cufftComplex *>(work_d);
    return cufft_code(cufftExecC2C(handle, v, v, CUFFT_FORWARD));
}

template <class Real, class From, class To>
int r2r_axis::steps(psg_cuda_direction direction, const From &from, const To &to) const {
    const line_access<Real> work(contiguous ? r2r_lines{work_d, lines, 0, length, 1}
                                            : r2r_lines{work_d, lines, 0, 1, lines});
    int code = launch<Real>(contiguous, tables_d[direction][0], length, lines, from, work, stream);
    if (code == 0)
        code = transform();
    return code != 0 ? code
                     : launch<Real>(contiguous, tables_d[direction][1], n, lines, work, to, stream);
}

int r2r_axis::run(psg_cuda_direction direction, const r2r_lines &l) const {
    return precision == PSG_CUDA_F64
               ? steps<double>(direction, line_access<double>(l), line_access<double>(l))
               : steps<float>(direction, line_access<float>(l), line_access<float>(l));
}

int r2r_axis::run(psg_cuda_direction direction, const r2r_rows &field,
                  const r2r_rows &spectrum) const {
    const bool forward = direction == PSG_CUDA_FORWARD;
    const r2r_rows &from = forward ? field : spectrum, &to = forward ? spectrum : field;
    return precision == PSG_CUDA_F64
               ? steps<double>(direction, row_access<double>(from), row_access<double>(to))
               : steps<float>(direction, row_access<float>(from), row_access<float>(to));
}

} // namespace psg_cuda
