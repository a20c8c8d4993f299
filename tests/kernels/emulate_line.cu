// The kernel of equations along z, run on the CPU thread by thread from the same source as on the
// GPU, gives the answer of a core's kspace: any sides, any spacings, any length, one matrix for both
// parts of a number or one for each, in both precisions. Needs no device.
#include "tests/kernels/line_problem.cuh"

using namespace psg_cuda;

/// The threads of a block, one after the other in each step.
template <class Real, class M> struct block {
    line_thread<Real, M> *thread;
    size_t count;
    template <class Step> PSG_HD void operator()(Step step) const {
        for (size_t t = 0; t < count; t++)
            step(thread[t]);
    }
};

template <class Real, class M>
static void kernel(const kspace_args<Real> &a, const line_tables &l, uint32_t sheet) {
    const uint32_t width = 1u << a.log2_columns, threads = width << l.log2_threads;
    for (uint32_t tile = 0; tile < a.tiles; tile++) {
        std::vector<line_room<M>> room(threads);
        std::vector<line_thread<Real, M>> thread;
        bool alone = false;
        memset(room.data(), 0xff, threads * sizeof room[0]);
        for (uint32_t t = 0; t < threads; t++) {
            thread.emplace_back(a, l, tile, width, t, sheet);
            alone = alone || thread[t].alone[0] || thread[t].alone[1];
        }
        const block<Real, M> all{thread.data(), thread.size()};
        line_tile<Real, M>(a, l, width, room.data(), all);
        if (alone)
            line_alone<Real, M>(a, l, width, room.data(), all);
        for (auto &me : thread)
            me.store(a);
    }
}

struct emulate {
    template <class Real> void operator()(line_problem<Real> &p) const {
        kspace_args<Real> a{};
        a.base = p.u.data();
        a.nxc = a.strip = p.nxc;
        a.ex = p.ex.data();
        a.pairs = p.pairs;
        a.lambda = (Real)p.lambda;
        a.scale = (Real)p.scale;
        a.mode0 = &p.mode0;
        a.nonfinite = &p.nonfinite;
        a.log2_columns = line_log2_columns(p.l.tables.log2_threads);
        const kspace_place place = {nullptr, 0, p.pitch};
        a.band[0] = {place, place, p.ey.data(), p.columns, p.rows, 0};
        a.tiles = (p.columns + (1u << a.log2_columns) - 1) >> a.log2_columns;
        if (p.pairs)
            kernel<Real, line_pair>(a, p.l.tables, 0);
        else
            kernel<Real, double>(a, p.l.tables, 0);
    }
};

int main() {
    return check_all(emulate());
}
