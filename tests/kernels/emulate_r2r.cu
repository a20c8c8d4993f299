// The steps before and after the complex transform give the real-to-real transforms as FFTW defines them, of the real and
// of the imaginary parts alike, for every kind and all lengths up to 33; and the inverse kind gives the points again.
// Runs on the CPU, with a naive complex transform between the steps.
#include "kernels/r2r_tables.cuh"
#include "tests/kernels/r2r_defined.h"
#include <cstdio>
#include <cstdlib>

using namespace psg_cuda;
using extended = complex_t<long double>;
using column = std::vector<complex_t<double>>;

static int failures = 0;

static column combine(const r2r_terms<double> &terms, const column &in) {
    column out(terms.size());
    for (size_t m = 0; m < terms.size(); m++)
        out[m] = terms[m].a * in.at(terms[m].s) + terms[m].b * in.at(terms[m].t);
    return out;
}

static column dft(const column &in) {
    column out(in.size());
    const long double pi = acosl(-1.0L);
    for (size_t k = 0; k < in.size(); k++) {
        extended sum = {0, 0};
        for (size_t m = 0; m < in.size(); m++) {
            const long double angle =
                2 * pi * (long double)(m * k % in.size()) / (long double)in.size();
            sum = sum + extended{in[m].x, in[m].y} * extended{cosl(angle), -sinl(angle)};
        }
        out[k] = {(double)sum.x, (double)sum.y};
    }
    return out;
}

static column transform(psg_cuda_r2r kind, const column &in) {
    return combine(r2r_after<double>(kind, in.size()),
                   dft(combine(r2r_before<double>(kind, in.size()), in)));
}

static void check(psg_cuda_r2r kind, size_t n) {
    column z(n);
    std::vector<long double> part[2];
    for (auto &v : z) {
        v = {2.0 * rand() / RAND_MAX - 1, 2.0 * rand() / RAND_MAX - 1};
        part[0].push_back(v.x);
        part[1].push_back(v.y);
    }
    const column y = transform(kind, z), back = transform(r2r_inverse(kind), y);
    const double norm = kind == PSG_CUDA_R2HC || kind == PSG_CUDA_HC2R ? (double)n
                        : kind == PSG_CUDA_REDFT00                     ? 2.0 * (double)n - 2
                        : kind == PSG_CUDA_RODFT00                     ? 2.0 * (double)n + 2
                                                                       : 2.0 * (double)n;
    double worst = 0;
    for (size_t k = 0; k < n; k++) {
        const double off[4] = {fabs(y[k].x - (double)defined(kind, part[0], k)) / norm,
                               fabs(y[k].y - (double)defined(kind, part[1], k)) / norm,
                               fabs(back[k].x / norm - z[k].x), fabs(back[k].y / norm - z[k].y)};
        for (double e : off)
            if (!(e <= worst) && !std::isnan(worst))
                worst = e;
    }
    if (!(worst < 1e-14)) {
        printf("kind %d of %zu points: error %.2e\n", (int)kind, n, worst);
        failures++;
    }
}

int main(void) {
    for (int kind = PSG_CUDA_R2HC; kind < PSG_CUDA_R2R_KINDS; kind++)
        for (size_t n = kind == PSG_CUDA_REDFT00 ? 2 : 1; n <= 33; n++)
            check((psg_cuda_r2r)kind, n);
    return failures > 0;
}
