// The kernel of equations along z, run on the CPU thread by thread from the same source as on the
// GPU, gives the answer of a core's kspace: any sides, any spacings, any length, one matrix for both
// parts of a number or one for each, and the derivative beside u, in both precisions. Needs no
// device.
#include "tests/kernels/line_problem.cuh"

using namespace psg_cuda;

/// The threads of a block, one after the other in each step.
template <class Thread> struct block {
    Thread *thread;
    size_t count;
    template <class Step> PSG_HD void operator()(Step step) const {
        for (size_t t = 0; t < count; t++)
            step(thread[t]);
    }
};

template <class Real, bool PAIRS, bool BESIDE>
static void kernel(const kspace_args<Real> &a, const line_tables &l) {
    using Thread = line_thread<Real, PAIRS, BESIDE>;
    const uint32_t width = 1u << a.log2_columns, threads = width << l.log2_threads;
    for (uint32_t tile = 0; tile < a.tiles; tile++) {
        std::vector<line_room<line_matrix<double, PAIRS>>> room(2 * threads);
        std::vector<Thread> thread;
        memset(room.data(), 0xff, room.size() * sizeof room[0]);
        for (uint32_t t = 0; t < threads; t++)
            thread.emplace_back(a, l, tile, width, t, 0);
        line_tile<Real, PAIRS, BESIDE>(a, l, width, room.data(),
                                       block<Thread>{thread.data(), thread.size()});
    }
}

struct emulate {
    template <class Real> void operator()(line_problem<Real> &p) const {
        kspace_args<Real> a{};
        a.base = p.u.data();
        a.nxc = a.strip = p.nxc;
        a.ex = p.ex.data();
        a.pairs = p.form == PAIRS;
        a.lambda = (Real)p.lambda;
        a.scale = (Real)(p.scale * p.l.cpu.norm);
        a.mode0 = &p.mode0;
        a.nonfinite = &p.nonfinite;
        const psg_cuda_line line = {p.l.all.data(), p.l.cpu.null, p.l.cpu.norm};
        line_tables l =
            p.form == BESIDE ? line_tables_of<double>(line, p.n) : line_tables_of<Real>(line, p.n);
        l.beside[0] = {nullptr, p.beside.data() - p.u.data(), p.pitch};
        a.log2_columns = line_log2_columns(l.log2_threads);
        const kspace_place place = {nullptr, 0, p.pitch};
        a.band[0] = {place, place, p.ey.data(), p.columns, p.rows, 0};
        a.tiles = (p.columns + (1u << a.log2_columns) - 1) >> a.log2_columns;
        if (p.form == BESIDE)
            kernel<Real, false, true>(a, l);
        else if (p.form == PAIRS)
            kernel<Real, true, false>(a, l);
        else
            kernel<Real, false, false>(a, l);
    }
};

int main() {
    return check_all(emulate());
}
