// The real-to-real transforms as FFTW's manual defines them.
#ifndef PSG_TESTS_R2R_DEFINED_H
#define PSG_TESTS_R2R_DEFINED_H

#include "kernels/common.h"
#include <cmath>
#include <vector>

/// What FFTW's manual says of result k, of one real line.
static inline long double defined(psg_cuda_r2r kind, const std::vector<long double> &z, size_t k) {
    const long double pi = acosl(-1.0L), n = (long double)z.size();
    const size_t last = z.size() - 1;
    long double sum = 0;
    for (size_t j = 0; j < z.size(); j++) {
        const long double x = (long double)j, y = (long double)k, sign = k % 2 == 0 ? 1 : -1;
        switch (kind) {
        case PSG_CUDA_R2HC:
            sum += z[j] *
                   (2 * k <= z.size() ? cosl(2 * pi * x * y / n) : -sinl(2 * pi * x * (n - y) / n));
            break;
        case PSG_CUDA_HC2R: // z[j] is the real part of frequency j, or the imaginary part of n - j
            sum += j == 0              ? z[j]
                   : 2 * j == z.size() ? z[j] * sign
                   : 2 * j < z.size()  ? 2 * z[j] * cosl(2 * pi * x * y / n)
                                       : -2 * z[j] * sinl(2 * pi * (n - x) * y / n);
            break;
        case PSG_CUDA_REDFT00:
            sum += j == 0 ? z[j] : j == last ? sign * z[j] : 2 * z[j] * cosl(pi * x * y / (n - 1));
            break;
        case PSG_CUDA_REDFT10:
            sum += 2 * z[j] * cosl(pi * (x + 0.5L) * y / n);
            break;
        case PSG_CUDA_REDFT01:
            sum += j == 0 ? z[j] : 2 * z[j] * cosl(pi * x * (y + 0.5L) / n);
            break;
        case PSG_CUDA_REDFT11:
            sum += 2 * z[j] * cosl(pi * (x + 0.5L) * (y + 0.5L) / n);
            break;
        case PSG_CUDA_RODFT00:
            sum += 2 * z[j] * sinl(pi * (x + 1) * (y + 1) / (n + 1));
            break;
        case PSG_CUDA_RODFT10:
            sum += 2 * z[j] * sinl(pi * (x + 0.5L) * (y + 1) / n);
            break;
        case PSG_CUDA_RODFT01:
            sum += j == last ? sign * z[j] : 2 * z[j] * sinl(pi * (x + 1) * (y + 0.5L) / n);
            break;
        default:
            sum += 2 * z[j] * sinl(pi * (x + 0.5L) * (y + 0.5L) / n);
        }
    }
    return sum;
}

#endif
