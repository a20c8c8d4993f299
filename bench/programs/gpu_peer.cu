/* psg on GPUs beside cuFFT: the same solve, data resident, in one run, in turns of random order; wall-clock times.
 * The peer on one GPU is what a careful user writes with cuFFT by hand (D2Z, a division kernel, Z2D, out of
 * place); on several it is cuFFT's own multi-GPU transform (cufftXt, in place) with the same division.
 *
 *   bench_gpus cufft [--gpus N] [--repeat R] [--f32] [--graph staged|fused] [--exchange managed|direct]
 *                  [--z contiguous|strided] [--normalize task|divide] [--segment-planes N] [--sheets N] [--rows]
 *                  N|NXxNYxNZ ...
 *
 * --gpus: default: 1, 2, 4, ... all. --rows: those of `psg bench --study peers`. Fields are made on the GPUs, and stay
 * there; the two u are compared there, at every point. What begins, and when, is said on stderr; `--warm-up 0 --repeat 1`
 * is the shortest run.
 */
#include "bench/programs/cufft_peer.cuh"
#include "bench/programs/gpu_field.cuh"
#include "bench/programs/peer.h"
#include "bench/programs/peers.h"
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"

static void must(bool ok) {
    bench_must(ok, "%s", psg_last_error());
}

template <class real> struct bench {
    const bench_settings &settings;
    bench_peer &result;
    psg_plan *plan = nullptr;
    bench_slabs<real> *ours = nullptr;
    bench_cufft<real> *theirs = nullptr;

    bench(const bench_settings &s, bench_peer &r) : settings(s), result(r) {
    }
    ~bench() {
        delete ours;
        delete theirs;
        psg_plan_destroy(plan);
    }
};

template <class real> static double run_cufft(void *what, unsigned calls) {
    bench_cufft<real> &cufft = *static_cast<bench<real> *>(what)->theirs;
    double seconds = 0;
    for (unsigned call = 0; call < calls; call++) {
        cufft.load();
        const double start = bench_now();
        cufft.solve();
        seconds += bench_now() - start;
    }
    return seconds;
}

template <class real> static double run_psg(void *what, unsigned calls) {
    psg_plan *plan = static_cast<bench<real> *>(what)->plan;
    const double start = bench_now();
    for (unsigned call = 0; call < calls; call++) {
        must(psg_submit_slabs(plan) == PSG_OK);
        must(psg_wait(plan) == PSG_OK);
    }
    return bench_now() - start;
}

static void say(const bench_peer &p, const psg_options &options, const psg_statistics &before,
                double solves) {
    const psg_statistics &s = p.statistics;
    printf("%zux%zux%zu %s %d GPU %s %s %zux%zu: cuFFT %.3f ms, psg %.3f ms, cuFFT/psg %.2f, "
           "bytes per solve h2d %.3g d2h %.3g d2d %.3g, difference %.1e%s\n",
           p.n[0], p.n[1], p.n[2], p.precision == PSG_F64 ? "f64" : "f32", p.gpus,
           options.graph == PSG_GRAPH_STAGED ? "staged" : "fused",
           s.exchange == PSG_EXCHANGE_DIRECT ? "direct" : "managed", s.segments, s.sheets,
           1e3 * p.theirs.median, 1e3 * p.ours.median, p.theirs.median / p.ours.median,
           (double)(s.link[PSG_LINK_H2D].bytes - before.link[PSG_LINK_H2D].bytes) / solves,
           (double)(s.link[PSG_LINK_D2H].bytes - before.link[PSG_LINK_D2H].bytes) / solves,
           (double)(s.link[PSG_LINK_D2D].bytes - before.link[PSG_LINK_D2D].bytes) / solves,
           p.difference, bench_peer_agrees(&p) ? "" : " WRONG");
    for (int m = 0; m < PSG_STAGE_COUNT; m++) {
        if (s.stage[m].tasks > 0) {
            printf("    %-10s %3zu tasks %8.3f ms a GPU\n", psg_stage_name((psg_stage)m),
                   (size_t)s.stage[m].tasks, 1e3 * s.stage[m].seconds / p.gpus);
        }
    }
    fflush(stdout);
}

template <class real>
static void measure(bench_peer &result, const psg_options &options,
                    const bench_settings &settings) {
    const size_t *n = result.n;
    const double box = 6.283185307179586;
    bench<real> b(settings, result);
    psg_grid grid;
    psg_statistics before;
    psg_grid_init(&grid, n[0], n[1], n[2], box, box, box);
    bench_stage("psg's plan, and StarPU: %zux%zux%zu on %d GPUs", n[0], n[1], n[2], result.gpus);
    must(psg_plan_create(&b.plan, &grid, &options) == PSG_OK);
    bench_stage("psg's slabs");
    b.ours = new bench_slabs<real>(b.plan, n, result.gpus);
    b.ours->fill();
    b.theirs = new bench_cufft<real>(n, result.gpus);
    bench_stage("cuFFT's first solve");
    (void)run_cufft<real>(&b, 1);
    bench_stage("psg's first solve");
    (void)run_psg<real>(&b, 1);
    bench_stage("the difference of both");
    b.ours->with_u([&](const bench_field<real> &u) {
        result.difference = bench_difference(u, b.theirs->u(), n);
    });
    bench_stage("%d solves of each, in turns", settings.warm_up + settings.repeat);
    must(psg_plan_statistics(b.plan, &before) == PSG_OK);
    bench_job jobs[2] = {{run_cufft<real>, &b, 0, {}}, {run_psg<real>, &b, 0, {}}};
    bench_interleave(jobs, 2, &settings, 0);
    must(psg_plan_statistics(b.plan, &result.statistics) == PSG_OK);
    bench_stage("done");
    result.theirs = jobs[0].times;
    result.ours = jobs[1].times;
    if (settings.rows) {
        bench_peer_row(&result, &settings, nullptr);
    } else {
        say(result, options, before, settings.repeat + settings.warm_up);
    }
}

/* Of all GPUs together: f twice, u, both spectra, cuFFT's work area and psg's scratch, of
 * either. */
static bool fits(const bench_peer &p, const bench_settings &settings, char *why) {
    const double element = p.precision == PSG_F64 ? 8 : 4;
    const double bytes = 10 * element * (double)p.n[0] * (double)p.n[1] * (double)p.n[2];
    const double have = bench_gpus_memory(&settings, p.gpus);
    return bench_fits(bytes, have, why);
}

static void measure_on(bench_peer &p, psg_options &options, const bench_settings &settings) {
    char why[128];
    p.name = p.gpus > 1 ? "cufft_xt" : "cufft";
    options.gpus = p.gpus;
    if (!fits(p, settings, why)) {
        bench_peer_left_out(&p, &settings, why);
    } else if (p.precision == PSG_F32) {
        measure<float>(p, options, settings);
    } else {
        measure<double>(p, options, settings);
    }
}

int bench_cufft_main(int argc, char **argv) {
    bench_settings settings = {11, 3, 1, 0, 0};
    psg_options options;
    bench_peer p = {};
    int gpus = 0, f32 = 0;
    psg_options_init(&options);
    options.tuned = 0; /* the default is the default */
    const bench_option own[] = {{"gpus", BENCH_COUNT, &gpus, nullptr},
                                {"f32", BENCH_FLAG, &f32, nullptr},
                                {"graph", BENCH_SOLVER, &options, "graph"},
                                {"exchange", BENCH_SOLVER, &options, "exchange"},
                                {"z", BENCH_SOLVER, &options, "z_layout"},
                                {"normalize", BENCH_SOLVER, &options, "normalize"},
                                {"segment-planes", BENCH_SOLVER, &options, "segment_planes"},
                                {"sheets", BENCH_SOLVER, &options, "sheets"},
                                {nullptr, BENCH_FLAG, nullptr, nullptr}};
    const int first = bench_arguments(argc, argv, own, "N|NXxNYxNZ ...", &settings);
    const int all = bench_gpus();
    const std::string model = bench_gpu_model();
    bench_must_or(BENCH_NOT_HERE, gpus <= all, "%d GPUs: there are %d", gpus, all);
    p.precision = options.precision = f32 ? PSG_F32 : PSG_F64;
    p.gpu_model = model.c_str();
    p.ranks = 1;
    if (settings.rows) {
        bench_peer_begin(BENCH_PEERS_COLUMNS);
    }
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], p.n);
        for (int count = gpus ? gpus : 1; count <= (gpus ? gpus : all);
             count = count < all && 2 * count > all ? all : 2 * count) {
            p.gpus = count;
            measure_on(p, options, settings);
        }
    }
    return 0;
}
