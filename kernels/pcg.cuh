// What a thread does at a point in the tasks of conjugate gradients, see cpu/pcg.h. Tests run the
// same source on a core.
#ifndef PSG_KERNELS_PCG_CUH
#define PSG_KERNELS_PCG_CUH

#include "base/pcg.h"
#include "kernels/complex.cuh"

namespace psg_cuda {

PSG_HD double pcg_get(const base_pcg_field &a, size_t i, size_t j, size_t k) {
    const size_t at = k * a.plane_pitch + j * a.row_pitch + i;
    return a.single ? static_cast<const float *>(a.first)[at]
                    : static_cast<const double *>(a.first)[at];
}

PSG_HD void pcg_put(const base_pcg_field &a, size_t i, size_t j, size_t k, double value) {
    const size_t at = k * a.plane_pitch + j * a.row_pitch + i;
    if (a.single)
        static_cast<float *>(a.first)[at] = (float)value;
    else
        static_cast<double *>(a.first)[at] = value;
}

/// A point of a segment.
struct pcg_point {
    size_t i, j, k;
    size_t at; // of the segment's numbers
    size_t place[3];

    PSG_HD pcg_point(const base_pcg_task &t, size_t i_, size_t j_, size_t k_)
        : i(i_), j(j_), k(k_), at((k_ * t.n[1] + j_) * t.n[0] + i_), place{i_, j_, k_} {
    }
};

/// The neighbours of a point by axis.
struct pcg_around {
    base_pcg_beside axis[3];

    PSG_HD pcg_around(const base_pcg_task &t, const pcg_point &p)
        : axis{base_pcg_beside_of(&t, 0, p.i), base_pcg_beside_of(&t, 1, p.j),
               base_pcg_beside_of(&t, 2, p.k)} {
    }
};

/// What stands at the six neighbours of a point.
struct pcg_six {
    double at[3][2];

    PSG_HD pcg_six(const base_pcg_task &t, const pcg_around &next, const double *a, double below,
                   double above)
        : at{{a[next.axis[0].at[0]], a[next.axis[0].at[1]]},
             {a[next.axis[1].at[0] * (ptrdiff_t)t.n[0]], a[next.axis[1].at[1] * (ptrdiff_t)t.n[0]]},
             {below, above}} {
    }
};

/// D r, or r
PSG_HD double pcg_scaled(const base_pcg_task &t, double r, size_t at) {
    return t.scale ? t.scale[at] * r : r;
}

/// Work at points. What it tells, `sums` numbers of each point at most, is joined as sums of its
/// stage are.
template <base_pcg_stage STAGE, int SUMS> struct pcg_work {
    static constexpr base_pcg_stage stage = STAGE;
    static constexpr int sums = SUMS;
};

struct pcg_measure : pcg_work<BASE_PCG_MEASURED, BASE_PCG_MEASURES> {
    PSG_HD explicit pcg_measure(const base_pcg_task &) {
    }
    PSG_HD void operator()(const base_pcg_task &t, const pcg_point &p, double measure[]) const {
        double value[BASE_PCG_MEASURES];
        base_pcg_measure_at(&t, p.place, pcg_get(t.f, p.i, p.j, p.k), value);
        for (int m = 0; m < BASE_PCG_MEASURES; m++)
            measure[m] = base_pcg_join(m, measure[m], value[m]);
    }
};

struct pcg_start : pcg_work<BASE_PCG_STARTED, BASE_PCG_STARTS> {
    double mean, rest, scale;
    PSG_HD explicit pcg_start(const base_pcg_task &t) {
        const long begins = t.terms.begins;
        const bool dropped = t.terms.drops && begins != BASE_PCG_FROM_R;
        mean = dropped ? t.scalars[BASE_PCG_F_MEAN] : 0;
        rest = dropped ? t.scalars[BASE_PCG_B_MEAN] : 0;
        scale = begins == BASE_PCG_FROM_R ? 1 : t.scalars[BASE_PCG_SCALE];
    }
    PSG_HD void operator()(const base_pcg_task &t, const pcg_point &p, double sum[]) const {
        const double b = (pcg_get(t.f, p.i, p.j, p.k) - mean) * scale - rest;
        const double r = b - (t.terms.begins == BASE_PCG_FROM_X ? t.q[p.at] : 0);
        if (t.terms.begins == BASE_PCG_ANEW) {
            t.x[p.at] = t.terms.guess
                            ? pcg_get(t.u, p.i, p.j, p.k) / base_pcg_back(&t.terms, t.scalars)
                            : 0;
            if (t.scale)
                t.scale[p.at] = base_pcg_scale_at(&t, p.place);
        } else
            t.x[p.at] -= base_pcg_off_x(&t.terms, t.scalars);
        t.r[p.at] = r;
        pcg_put(t.source, p.i, p.j, p.k, pcg_scaled(t, r, p.at));
        sum[BASE_PCG_RR_START] += r * r;
        sum[BASE_PCG_FF] += b * b;
        sum[BASE_PCG_R] += r;
        sum[BASE_PCG_X] += t.x[p.at];
    }
};

struct pcg_dot : pcg_work<BASE_PCG_SOLVED, 1> {
    PSG_HD explicit pcg_dot(const base_pcg_task &) {
    }
    PSG_HD void operator()(const base_pcg_task &t, const pcg_point &p, double sum[]) const {
        sum[0] += t.r[p.at] * pcg_scaled(t, pcg_get(t.solution, p.i, p.j, p.k), p.at);
    }
};

struct pcg_direction : pcg_work<BASE_PCG_SOLVED, 1> {
    double beta;
    PSG_HD explicit pcg_direction(const base_pcg_task &t)
        : beta(t.scalars ? t.scalars[BASE_PCG_BETA] : 0) {
    }
    PSG_HD void operator()(const base_pcg_task &t, const pcg_point &p, double[]) const {
        const size_t in_plane = p.j * t.n[0] + p.i;
        const double z = pcg_scaled(t, pcg_get(t.solution, p.i, p.j, p.k), p.at);
        const double next = beta != 0 ? z + beta * t.p[p.at] : z;
        t.p[p.at] = next;
        if (p.k == 0)
            t.low[in_plane] = next;
        if (p.k + 1 == t.n[2])
            t.high[in_plane] = next;
    }
};

/// @param FACES  eps is known there
template <bool FACES> struct pcg_apply : pcg_work<BASE_PCG_APPLIED, 1> {
    PSG_HD explicit pcg_apply(const base_pcg_task &) {
    }
    PSG_HD void operator()(const base_pcg_task &t, const pcg_point &p, double sum[]) const {
        const size_t plane = t.n[0] * t.n[1], in_plane = p.j * t.n[0] + p.i;
        const double *u = t.p + p.at, here = *u, *e = base_pcg_eps(&t, p.place, 0);
        const pcg_around next(t, p);
        const pcg_six beside(t, next, u, p.k > 0 ? *(u - plane) : t.below[in_plane],
                             p.k + 1 < t.n[2] ? u[plane] : t.above[in_plane]);
        const ptrdiff_t stride[2] = {1, (ptrdiff_t)t.n[0]};
        double flux[3];
        for (int d = 0; d < 3; d++) {
            const double *of = FACES ? base_pcg_eps(&t, p.place, d) : e;
            const double below = d < 2 ? of[next.axis[d].at[0] * stride[d]] : *(of - plane);
            const double d0 = next.axis[d].by[0] * beside.at[d][0] - here;
            const double d1 = next.axis[d].by[1] * beside.at[d][1] - here;
            if (FACES)
                flux[d] = t.terms.weight[d] * base_pcg_face_flux(below, *of, d0, d1);
            else {
                const double above = d < 2 ? of[next.axis[d].at[1] * stride[d]] : of[plane];
                flux[d] = t.terms.weight[d] * base_pcg_flux(*of, below, above, d0, d1);
            }
        }
        const double lambda = FACES || *e > 0 ? t.terms.lambda : 0;
        const double q = flux[0] + flux[1] + flux[2] - lambda * here;
        t.q[p.at] = q;
        sum[0] += here * q;
    }
};

struct pcg_update : pcg_work<BASE_PCG_UPDATED, 1> {
    double alpha, mean;
    PSG_HD explicit pcg_update(const base_pcg_task &t)
        : alpha(t.scalars[BASE_PCG_ALPHA]), mean(t.scalars[BASE_PCG_R_MEAN]) {
    }
    PSG_HD void operator()(const base_pcg_task &t, const pcg_point &p, double sum[]) const {
        const double r = t.r[p.at] - alpha * t.q[p.at] - mean;
        t.x[p.at] = t.x[p.at] + alpha * t.p[p.at];
        t.r[p.at] = r;
        pcg_put(t.source, p.i, p.j, p.k, pcg_scaled(t, r, p.at));
        sum[0] += r * r;
    }
};

struct pcg_end : pcg_work<BASE_PCG_UPDATED, 1> {
    double back, mean;
    PSG_HD explicit pcg_end(const base_pcg_task &t)
        : back(base_pcg_back(&t.terms, t.scalars)), mean(t.scalars[BASE_PCG_X_MEAN]) {
    }
    PSG_HD void operator()(const base_pcg_task &t, const pcg_point &p, double[]) const {
        const double u = (t.x[p.at] - mean) * back;
        pcg_put(t.u, p.i, p.j, p.k, u);
        if (!base_pcg_fits(t.u.single, u))
            *t.overflow = 1; // by many threads at once: all write the same
    }
};

} // namespace psg_cuda
#endif
