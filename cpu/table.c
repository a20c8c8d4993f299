#include "cpu/ops.h"

#include "cpu/internal.h"

const psg_cpu_ops PSG_REAL_NAME(psg_cpu_ops) = {
    .real_bytes = sizeof(psg_real),
    .fft_create = psg_cpu_fft_create,
    .fft_learnt = psg_cpu_fft_learnt,
    .fft_wisdom = psg_cpu_fft_wisdom,
    .fft_destroy = psg_cpu_fft_destroy,
    .fft_scratch_bytes = psg_cpu_fft_scratch_bytes,
    .fft_prepare = psg_cpu_fft_prepare,
    .fft_xy = psg_cpu_fft_xy,
    .ifft_xy = psg_cpu_ifft_xy,
    .fft_rows = psg_cpu_fft_rows,
    .contiguous = {psg_cpu_fft_z_contiguous, psg_cpu_divide_contiguous},
    .strided = {psg_cpu_fft_z_strided, psg_cpu_divide_strided},
    .kspace = psg_cpu_kspace,
    .modes = psg_cpu_modes_solve,
    .normalize = psg_cpu_normalize,
    .find_nonfinite = psg_cpu_find_nonfinite,
    .max_abs = psg_cpu_max_abs,
    .first = psg_cpu_first,
    .add_sides = psg_cpu_add_sides,
    .gradient = psg_cpu_gradient,
    .differentiate = psg_cpu_differentiate,
    .slope = psg_cpu_slope_modes,
    .divergence = psg_cpu_divergence,
    .subtract = psg_cpu_subtract,
    .green_rows = psg_cpu_green_rows,
};
