// Real-to-real transforms of many lines by cuFFT, with a kernel before and after; what
// r2r_tables.cuh says is read by them.
#ifndef PSG_KERNELS_R2R_CUH
#define PSG_KERNELS_R2R_CUH

#include "kernels/fft_types.h"
#include "kernels/r2r_tables.cuh"
#include <cufft.h>

namespace psg_cuda {

/// A code for psg_cuda_error_string().
inline int cufft_code(cufftResult r) {
    return r == CUFFT_SUCCESS ? 0 : PSG_CUDA_CUFFT_ERROR + (int)r;
}

/// Complex lines in memory: point m of line l is at (l / inner) outer + (l % inner) line + m point
/// numbers from base_d on.
struct r2r_lines {
    void *base_d;
    size_t inner, outer, line, point;
};

/// Rows of real planes, two by two: the real part of a point is in the even row, the imaginary part
/// in the odd one. Of an odd number of rows the last one stands alone. Rows that are `pitch` reals
/// long, but have fewer points, end with zeros. Points of a line beside the `points` from `first`
/// on are 0, and are not stored.
struct r2r_rows {
    void *base_d;
    size_t first, points, rows, row_pitch, plane_pitch, pitch;
};

/// The transforms of `lines` lines of n points along one axis, forward and back.
class r2r_axis {
  public:
    ~r2r_axis();
    /// @param contiguous  the complex transform finds the points of a line side by side, else the
    /// lines
    /// @return 0; a code for psg_cuda_error_string()
    int create(psg_cuda_precision precision, psg_cuda_r2r forward, size_t n, size_t lines,
               bool contiguous);
    /// Bytes of device memory to work in.
    size_t work_bytes() const;
    int set_work_area(void *work_d);
    int set_stream(cudaStream_t stream);
    /// From complex lines to complex lines, which may be the same.
    int run(psg_cuda_direction direction, const r2r_lines &lines) const;
    /// Between rows of a field and rows of a spectrum.
    int run(psg_cuda_direction direction, const r2r_rows &field, const r2r_rows &spectrum) const;

  private:
    template <class Real> int make_tables(psg_cuda_r2r forward);
    template <class Real, class From, class To>
    int steps(psg_cuda_direction direction, const From &from, const To &to) const;
    int transform() const;

    psg_cuda_precision precision = PSG_CUDA_F64;
    size_t n = 0, length = 0, lines = 0;
    bool contiguous = false, planned = false;
    cufftHandle handle = 0;
    size_t cufft_bytes = 0;
    void *tables_d[2][2] = {}; // by direction: before, after
    void *work_d = nullptr;
    cudaStream_t stream = nullptr;
};

} // namespace psg_cuda
#endif
