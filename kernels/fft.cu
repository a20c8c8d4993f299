// cuFFT plans. cuFFT is asked for transforms of 2 points and more only: a plane with nx = 1 is
// transformed along y as complex numbers, one with ny = 1 along x alone.
//
// cuFFT takes pitches when a plan is made, but it requires rows that are aligned to a complex
// number, which those of a field with a ghost layer are not. Its plan for other pitches may also
// give other last bits. So a field that is not dense is copied, by one kernel, to or from a dense
// one: 2 of the 8 passes through memory more that the two transforms of a solve make. The sizes
// that fields mostly have need none of this: they have kernels in xy_fixed.cuh.
//
// A plane with a free side has twice as many points along that axis as the field. It is put
// together in its spectrum, with zeros, and transformed there.
#include "kernels/fft.h"
#include "kernels/r2r.cuh"
#include "kernels/scale.h"
#include <memory>
#include <new>

using namespace psg_cuda;

struct psg_cuda_fft {
    psg_cuda_precision precision;
    bool xy;
    psg_cuda_direction direction; // xy only
    size_t n[3];                  // xy only: nx, ny, planes
    size_t along[2];              // xy only: points that are transformed,
    size_t first[2];              // and of these the first of the field
    bool planned;                 // false: no handle, the transform is the identity
    bool widen;                   // xy with nx = 1: reals become complex numbers, and back
    cufftHandle handle;
    size_t work_bytes; // of all steps, which run one after the other
    cudaStream_t stream;
    // Axes that are not periodic have steps of their own, and the handle has what is left.
    std::unique_ptr<r2r_axis> x;
    std::unique_ptr<r2r_axis> last; // y, or z
    r2r_lines lines;                // of `last`, but for their address
};

namespace {

constexpr int widen_threads = 256;

template <class Real>
__global__ void __launch_bounds__(widen_threads)
    widen_kernel(const Real *in, complex_t<Real> *out, size_t n) {
    const size_t i = (size_t)blockIdx.x * widen_threads + threadIdx.x;
    if (i < n)
        out[i] = complex_t<Real>{in[i], Real(0)};
}

template <class Real>
__global__ void __launch_bounds__(widen_threads)
    narrow_kernel(const complex_t<Real> *in, Real *out, size_t n) {
    const size_t i = (size_t)blockIdx.x * widen_threads + threadIdx.x;
    if (i < n)
        out[i] = in[i].x;
}

/// Reals to complex numbers (forward) or their real parts back.
template <class Real> cudaError_t widen(const psg_cuda_fft *fft, const void *in_d, void *out_d) {
    const size_t numbers = fft->n[1] * fft->n[2], blocks = div_up(numbers, widen_threads);
    if (fft->direction == PSG_CUDA_FORWARD)
        widen_kernel<Real><<<(unsigned)blocks, widen_threads, 0, fft->stream>>>(
            static_cast<const Real *>(in_d), static_cast<complex_t<Real> *>(out_d), numbers);
    else
        narrow_kernel<Real><<<(unsigned)blocks, widen_threads, 0, fft->stream>>>(
            static_cast<const complex_t<Real> *>(in_d), static_cast<Real *>(out_d), numbers);
    return cudaGetLastError();
}

/// A field into the first points of the rows from `first` on, of planes of `rows` rows of `row`
/// reals, with zeros in all others.
template <class Real> struct pad_args {
    const Real *from;
    Real *to;
    size_t row_pitch, plane_pitch; // of the field
    uint32_t nx, ny, first, row, rows;
    size_t all; // rows of all planes
};
template <class Real>
__global__ void __launch_bounds__(widen_threads)
    pad_kernel(const __grid_constant__ pad_args<Real> a) {
    const uint32_t i = blockIdx.x * widen_threads + threadIdx.x;
    for (size_t r = blockIdx.y; i < a.row && r < a.all; r += gridDim.y) {
        const size_t k = r / a.rows, j = r - k * a.rows;
        const bool has = i < a.nx && j >= a.first && j - a.first < a.ny;
        a.to[r * a.row + i] =
            has ? a.from[k * a.plane_pitch + (j - a.first) * a.row_pitch + i] : Real(0);
    }
}

bool is_padded(const psg_cuda_fft *fft) {
    return fft->along[0] > fft->n[0] || fft->along[1] > fft->n[1];
}

/// The reals of a spectrum from the first row of a padded field on, which has the first points.
psg_cuda_field reals_of(const psg_cuda_fft *fft, void *spectrum_d) {
    const size_t row = 2 * fft->lines.inner;
    char *first_d = static_cast<char *>(spectrum_d) +
                    fft->first[1] * fft->lines.inner * complex_bytes(fft->precision);
    return {first_d, row, fft->along[1] * row};
}

template <class Real>
cudaError_t pad(const psg_cuda_fft *fft, const psg_cuda_field *field, void *spectrum_d) {
    const size_t most = 65535, all = fft->along[1] * fft->n[2];
    const pad_args<Real> a = {static_cast<const Real *>(field->base_d),
                              static_cast<Real *>(spectrum_d),
                              field->row_pitch,
                              field->plane_pitch,
                              (uint32_t)fft->n[0],
                              (uint32_t)fft->n[1],
                              (uint32_t)fft->first[1],
                              (uint32_t)(2 * fft->lines.inner),
                              (uint32_t)fft->along[1],
                              all};
    const dim3 grid((unsigned)div_up(a.row, widen_threads), (unsigned)(all < most ? all : most));
    pad_kernel<Real><<<grid, widen_threads, 0, fft->stream>>>(a);
    return cudaGetLastError();
}

/// One side of a batched transform: extents in memory, element stride, distance between transforms.
struct side {
    long long embed[2], stride, dist;
};

/// Make the handle, without a work area of cuFFT's.
int make_handle(psg_cuda_fft *fft, int rank, long long *n, side in, side out, cufftType type,
                size_t batch) {
    size_t bytes = 0;
    cufftResult r = cufftCreate(&fft->handle);
    if (r != CUFFT_SUCCESS)
        return cufft_code(r);
    fft->planned = true;
    r = cufftSetAutoAllocation(fft->handle, 0);
    if (r == CUFFT_SUCCESS)
        r = cufftMakePlanMany64(fft->handle, rank, n, in.embed, in.stride, in.dist, out.embed,
                                out.stride, out.dist, type, (long long)batch, &bytes);
    fft->work_bytes = bytes > fft->work_bytes ? bytes : fft->work_bytes;
    return cufft_code(r);
}

/// Of padded planes in place.
int make_xy(psg_cuda_fft *fft, size_t nx, size_t ny, size_t planes) {
    const bool f64 = fft->precision == PSG_CUDA_F64, forward = fft->direction == PSG_CUDA_FORWARD;
    const long long x = (long long)nx, y = (long long)ny, xc = x / 2 + 1;
    const long long row = is_padded(fft) ? 2 * xc : x;
    if (nx == 1) {
        fft->widen = true;
        if (ny * planes > (size_t)INT32_MAX * widen_threads)
            return cudaErrorInvalidValue;
        if (ny == 1 || fft->last)
            return 0;
        long long n[1] = {y};
        const side line = {{y, 0}, 1, y};
        return make_handle(fft, 1, n, line, line, f64 ? CUFFT_Z2Z : CUFFT_C2C, planes);
    }
    const cufftType type = forward ? (f64 ? CUFFT_D2Z : CUFFT_R2C) : (f64 ? CUFFT_Z2D : CUFFT_C2R);
    if (ny == 1 || fft->last) {
        long long n[1] = {x};
        const side real = {{row, 0}, 1, row}, spectrum = {{xc, 0}, 1, xc};
        return make_handle(fft, 1, n, forward ? real : spectrum, forward ? spectrum : real, type,
                           ny * planes);
    }
    long long n[2] = {y, x};
    const side real = {{y, row}, 1, y * row}, spectrum = {{y, xc}, 1, y * xc};
    return make_handle(fft, 2, n, forward ? real : spectrum, forward ? spectrum : real, type,
                       planes);
}

/// A step of its own for an axis. @return 0; a code
int make_axis(psg_cuda_fft *fft, std::unique_ptr<r2r_axis> *axis, psg_cuda_r2r kind, size_t n,
              size_t lines, bool contiguous) {
    try {
        axis->reset(new r2r_axis());
        const int code = (*axis)->create(fft->precision, kind, n, lines, contiguous);
        const size_t bytes = (*axis)->work_bytes();
        fft->work_bytes = bytes > fft->work_bytes ? bytes : fft->work_bytes;
        return code;
    } catch (const std::bad_alloc &) {
        return cudaErrorMemoryAllocation;
    }
}

/// The steps along x and y that kinds ask for. @return 0; a code
int make_axes(psg_cuda_fft *fft, const psg_cuda_r2r kind[2]) {
    const size_t *n = fft->n, *along = fft->along;
    const size_t nxc = kind[0] != PSG_CUDA_DFT ? (along[0] + 1) / 2 : along[0] / 2 + 1;
    fft->lines = {nullptr, nxc, along[1] * nxc, 1, nxc};
    int code = 0;
    if (kind[0] != PSG_CUDA_DFT)
        code = make_axis(fft, &fft->x, kind[0], along[0], div_up(n[1], 2) * n[2], true);
    if (code == 0 && kind[1] != PSG_CUDA_DFT)
        code = make_axis(fft, &fft->last, kind[1], along[1], nxc * n[2], false);
    return code;
}

/// Finish a creation: hand the plan out, or free it.
int finish(psg_cuda_fft **fft, psg_cuda_fft *made, int code) {
    if (code == 0)
        *fft = made;
    else
        psg_cuda_fft_destroy(made);
    return code;
}

/// The complex transform of a plan, in place.
int run_complex(const psg_cuda_fft *fft, int sign, void *data_d) {
    if (!fft->planned)
        return 0;
    if (fft->precision == PSG_CUDA_F64) {
        cufftDoubleComplex *p = static_cast<cufftDoubleComplex *>(data_d);
        return cufft_code(cufftExecZ2Z(fft->handle, p, p, sign));
    }
    cufftComplex *p = static_cast<cufftComplex *>(data_d);
    return cufft_code(cufftExecC2C(fft->handle, p, p, sign));
}

/// Of a dense field, from in_d to out_d.
template <class Real> int run_widened(const psg_cuda_fft *fft, void *in_d, void *out_d) {
    const bool forward = fft->direction == PSG_CUDA_FORWARD;
    int code = forward ? (int)widen<Real>(fft, in_d, out_d) : 0;
    if (code == 0)
        code = run_complex(fft, forward ? CUFFT_FORWARD : CUFFT_INVERSE, forward ? out_d : in_d);
    if (code == 0 && !forward)
        code = (int)widen<Real>(fft, in_d, out_d);
    return code;
}

/// Along x and y, or along x alone where y has a step of its own.
int run_cufft(const psg_cuda_fft *fft, void *in_d, void *out_d) {
    const bool f64 = fft->precision == PSG_CUDA_F64;
    if (fft->widen && is_padded(fft)) // its rows are numbers with the imaginary part 0
        return run_complex(fft, fft->direction == PSG_CUDA_FORWARD ? CUFFT_FORWARD : CUFFT_INVERSE,
                           in_d);
    if (fft->widen)
        return f64 ? run_widened<double>(fft, in_d, out_d) : run_widened<float>(fft, in_d, out_d);
    if (fft->direction == PSG_CUDA_FORWARD)
        return cufft_code(f64 ? cufftExecD2Z(fft->handle, static_cast<cufftDoubleReal *>(in_d),
                                             static_cast<cufftDoubleComplex *>(out_d))
                              : cufftExecR2C(fft->handle, static_cast<cufftReal *>(in_d),
                                             static_cast<cufftComplex *>(out_d)));
    return cufft_code(f64 ? cufftExecZ2D(fft->handle, static_cast<cufftDoubleComplex *>(in_d),
                                         static_cast<cufftDoubleReal *>(out_d))
                          : cufftExecC2R(fft->handle, static_cast<cufftComplex *>(in_d),
                                         static_cast<cufftReal *>(out_d)));
}

} // namespace

static bool kind_valid(psg_cuda_r2r kind, size_t n) {
    return kind >= PSG_CUDA_DFT && kind < PSG_CUDA_R2R_KINDS && (kind != PSG_CUDA_REDFT00 || n > 1);
}

/// What is done with the points of an axis and the zeros past them.
static psg_cuda_r2r within(psg_cuda_r2r kind) {
    return kind == PSG_CUDA_FREE                                        ? PSG_CUDA_DFT
           : kind == PSG_CUDA_FREE_PAIRS                                ? PSG_CUDA_R2HC
           : kind == PSG_CUDA_FREE_COS || kind == PSG_CUDA_FREE_COS_END ? PSG_CUDA_REDFT10
           : kind == PSG_CUDA_FREE_SIN || kind == PSG_CUDA_FREE_SIN_END ? PSG_CUDA_RODFT10
                                                                        : kind;
}

int psg_cuda_fft_create_xy(psg_cuda_fft **fft, psg_cuda_precision precision,
                           psg_cuda_direction direction, const psg_cuda_r2r kinds[2], size_t nx,
                           size_t ny, size_t planes) {
    if (!fft)
        return cudaErrorInvalidValue;
    *fft = nullptr;
    if (!kinds)
        return cudaErrorInvalidValue;
    const psg_cuda_r2r kind[2] = {within(kinds[0]), within(kinds[1])};
    if (!precision_valid(precision) || !kind_valid(kind[0], nx) || !kind_valid(kind[1], ny) ||
        nx == 0 || ny == 0 || planes == 0 || (kind[0] != PSG_CUDA_DFT && kind[1] == PSG_CUDA_DFT) ||
        kinds[0] == PSG_CUDA_FREE_PAIRS ||
        (direction != PSG_CUDA_FORWARD && direction != PSG_CUDA_INVERSE))
        return cudaErrorInvalidValue;
    psg_cuda_fft *made = new (std::nothrow) psg_cuda_fft();
    if (!made)
        return cudaErrorMemoryAllocation;
    made->precision = precision;
    made->xy = true;
    made->direction = direction;
    made->n[0] = nx;
    made->n[1] = ny;
    made->n[2] = planes;
    for (int d = 0; d < 2; d++) {
        made->along[d] = psg_cuda_length(kinds[d], made->n[d]);
        made->first[d] = psg_cuda_first(kinds[d], made->n[d]);
    }
    int code = made->along[0] > INT32_MAX / 2 || made->along[1] > INT32_MAX / 2
                   ? (int)cudaErrorInvalidValue
                   : make_axes(made, kind);
    if (code == 0 && !made->x)
        code = make_xy(made, made->along[0], made->along[1], planes);
    return finish(fft, made, code);
}

int psg_cuda_fft_create_z(psg_cuda_fft **fft, psg_cuda_precision precision, psg_cuda_layout layout,
                          psg_cuda_r2r forward, size_t columns, size_t points) {
    if (!fft)
        return cudaErrorInvalidValue;
    *fft = nullptr;
    const psg_cuda_r2r kind = within(forward);
    const size_t nz = psg_cuda_length(forward, points);
    if (!precision_valid(precision) || !kind_valid(kind, nz) || columns == 0 || nz == 0 ||
        forward == PSG_CUDA_FREE || forward == PSG_CUDA_FREE_PAIRS ||
        (layout != PSG_CUDA_Z_STRIDED && layout != PSG_CUDA_Z_CONTIGUOUS))
        return cudaErrorInvalidValue;
    psg_cuda_fft *made = new (std::nothrow) psg_cuda_fft();
    if (!made)
        return cudaErrorMemoryAllocation;
    made->precision = precision;
    const bool strided = layout == PSG_CUDA_Z_STRIDED;
    if (kind != PSG_CUDA_DFT) {
        made->lines = strided ? r2r_lines{nullptr, columns, 0, 1, columns}
                              : r2r_lines{nullptr, columns, 0, nz, 1};
        return finish(fft, made, make_axis(made, &made->last, kind, nz, columns, !strided));
    }
    if (nz == 1)
        return finish(fft, made, 0);
    const long long m = (long long)columns;
    long long n[1] = {(long long)nz};
    const side line = strided ? side{{n[0], 0}, m, 1} : side{{n[0], 0}, 1, n[0]};
    return finish(fft, made,
                  make_handle(made, 1, n, line, line,
                              precision == PSG_CUDA_F64 ? CUFFT_Z2Z : CUFFT_C2C, columns));
}

void psg_cuda_fft_destroy(psg_cuda_fft *fft) {
    if (!fft)
        return;
    if (fft->planned)
        cufftDestroy(fft->handle);
    delete fft;
}

size_t psg_cuda_fft_work_bytes(const psg_cuda_fft *fft) {
    return fft->work_bytes;
}

int psg_cuda_fft_set_work_area(psg_cuda_fft *fft, void *work_d) {
    int code =
        fft->planned && fft->work_bytes > 0 ? cufft_code(cufftSetWorkArea(fft->handle, work_d)) : 0;
    for (r2r_axis *axis : {fft->x.get(), fft->last.get()})
        if (axis && code == 0)
            code = axis->set_work_area(work_d);
    return code;
}

int psg_cuda_fft_set_stream(psg_cuda_fft *fft, cudaStream_t stream) {
    fft->stream = stream;
    int code = fft->planned ? cufft_code(cufftSetStream(fft->handle, stream)) : 0;
    for (r2r_axis *axis : {fft->x.get(), fft->last.get()})
        if (axis && code == 0)
            code = axis->set_stream(stream);
    return code;
}

size_t psg_cuda_fft_dense_bytes(const psg_cuda_fft *fft, const psg_cuda_field *field) {
    const size_t complex = complex_bytes(fft->precision);
    const bool fits = fft->x || is_padded(fft) ||
                      (psg_cuda_field_is_dense(field, fft->n[0], fft->n[1]) &&
                       reinterpret_cast<uintptr_t>(field->base_d) % complex == 0);
    return fits ? 0 : fft->n[0] * fft->n[1] * fft->n[2] * complex / 2;
}

/// Of a padded field, in the spectrum.
static int run_padded(const psg_cuda_fft *fft, const psg_cuda_field *field, void *spectrum_d) {
    const bool forward = fft->direction == PSG_CUDA_FORWARD;
    const psg_cuda_field reals = reals_of(fft, spectrum_d);
    int code = !forward                         ? 0
               : fft->precision == PSG_CUDA_F64 ? (int)pad<double>(fft, field, spectrum_d)
                                                : (int)pad<float>(fft, field, spectrum_d);
    if (code == 0)
        code = run_cufft(fft, spectrum_d, spectrum_d);
    if (code == 0 && !forward)
        code = (int)psg_cuda_scale(fft->precision, &reals, field, fft->n, 1, nullptr, fft->stream);
    return code;
}

/// Rows beside those of the field.
static int clear_others(const psg_cuda_fft *fft, void *spectrum_d) {
    const size_t row = fft->lines.inner * complex_bytes(fft->precision), ny = fft->n[1];
    const size_t from = fft->first[1] > 0 ? 0 : ny;
    return fft->along[1] > ny
               ? (int)cudaMemset2DAsync(static_cast<char *>(spectrum_d) + from * row,
                                        fft->along[1] * row, 0, (fft->along[1] - ny) * row,
                                        fft->n[2], fft->stream)
               : 0;
}

/// Along x, and by cuFFT along y too.
static int run_x(const psg_cuda_fft *fft, const psg_cuda_field *field, void *spectrum_d,
                 void *dense_d) {
    const bool forward = fft->direction == PSG_CUDA_FORWARD;
    const size_t *n = fft->n, pitch = 2 * fft->lines.inner;
    if (fft->x) {
        const int cleared = forward ? clear_others(fft, spectrum_d) : 0;
        void *rows_d = reals_of(fft, spectrum_d).base_d;
        return cleared != 0 ? cleared
                            : fft->x->run(fft->direction,
                                          r2r_rows{field->base_d, fft->first[0], n[0], n[1],
                                                   field->row_pitch, field->plane_pitch, n[0]},
                                          r2r_rows{rows_d, 0, fft->along[0], n[1], pitch,
                                                   fft->along[1] * pitch, pitch});
    }
    if (is_padded(fft))
        return run_padded(fft, field, spectrum_d);
    const bool copied = psg_cuda_fft_dense_bytes(fft, field) > 0;
    void *real_d = copied ? dense_d : field->base_d;
    if (!real_d)
        return cudaErrorInvalidValue;
    const psg_cuda_field dense = psg_cuda_dense_field(dense_d, n[0], n[1]);
    int code = 0;
    if (copied && forward)
        code = (int)psg_cuda_scale(fft->precision, field, &dense, n, 1, nullptr, fft->stream);
    if (code == 0)
        code = run_cufft(fft, forward ? real_d : spectrum_d, forward ? spectrum_d : real_d);
    if (code == 0 && copied && !forward)
        code = (int)psg_cuda_scale(fft->precision, &dense, field, n, 1, nullptr, fft->stream);
    return code;
}

/// Along y, or z, by the step that it has of its own.
static int run_last(const psg_cuda_fft *fft, psg_cuda_direction direction, void *data_d) {
    r2r_lines lines = fft->lines;
    lines.base_d = data_d;
    return fft->last->run(direction, lines);
}

int psg_cuda_fft_run_xy(const psg_cuda_fft *fft, const psg_cuda_field *field, void *spectrum_d,
                        void *dense_d) {
    if (!fft || !fft->xy || !field || !field->base_d || !spectrum_d)
        return cudaErrorInvalidValue;
    const bool forward = fft->direction == PSG_CUDA_FORWARD;
    int code = forward ? run_x(fft, field, spectrum_d, dense_d) : 0;
    if (code == 0 && fft->last)
        code = run_last(fft, fft->direction, spectrum_d);
    return code != 0 || forward ? code : run_x(fft, field, spectrum_d, dense_d);
}

int psg_cuda_fft_run_z(const psg_cuda_fft *fft, psg_cuda_direction direction, void *sheet_d) {
    if (!fft || fft->xy || !sheet_d)
        return cudaErrorInvalidValue;
    return fft->last
               ? run_last(fft, direction, sheet_d)
               : run_complex(fft, direction == PSG_CUDA_FORWARD ? CUFFT_FORWARD : CUFFT_INVERSE,
                             sheet_d);
}
