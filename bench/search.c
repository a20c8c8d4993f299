/* Candidates, made from what a plan came to. */
#include "bench/search.h"
#include "app/app.h"

#include <string.h>

void bench_picks_add(bench_picks *picks, size_t number) {
    size_t n = 0;
    while (n < picks->count && picks->number[n] != number) {
        n++;
    }
    if (n == picks->count && picks->count < BENCH_PICKS_MOST) {
        picks->number[picks->count++] = number;
    }
}

static int pick(bench_sweep *sweep, const bench_config *config, bench_picks *picks) {
    size_t number = 0;
    const int code = bench_sweep_put(sweep, config, &number);
    if (!code) {
        bench_picks_add(picks, number);
    }
    return code;
}

static size_t clamp(size_t value, size_t most) {
    return value < 1 ? 1 : value > most ? most : value;
}

/* `around`, in so many segments and pencils; not if that is what it comes to already. */
static int pick_cut(bench_sweep *sweep, size_t around, const bench_facts *facts, size_t segments,
                    size_t pencils, bench_picks *picks) {
    bench_config config = sweep->config[around];
    const size_t parts = clamp(segments, config.grid.n[2]);
    config.segment_planes = (config.grid.n[2] + parts - 1) / parts;
    config.pencils = clamp(pencils, config.grid.n[1]);
    if (config.segment_planes == facts->segment_planes && config.pencils == facts->pencils) {
        return APP_DONE;
    }
    return pick(sweep, &config, picks);
}

int bench_search_cuts(bench_sweep *sweep, size_t around, const bench_facts *facts,
                      bench_picks *picks) {
    static const struct {
        size_t times, over;
    } factors[] = {{2, 1}, {1, 2}, {4, 1}, {3, 2}, {1, 4}, {8, 1}};
    int code = APP_DONE;
    for (size_t f = 0; f < sizeof factors / sizeof factors[0] && !code; f++) {
        code = pick_cut(sweep, around, facts, facts->segments * factors[f].times / factors[f].over,
                        facts->pencils * factors[f].times / factors[f].over, picks);
    }
    return code ? code : pick_cut(sweep, around, facts, 1, 1, picks);
}

int bench_search_variants(bench_sweep *sweep, size_t around, const bench_facts *facts,
                          bench_picks *picks) {
    const bench_config known = sweep->config[around];
    const size_t s = facts->segments, p = facts->pencils;
    const size_t cuts[][2] = {{2 * s, p}, {s, 2 * p}, {s / 2, p}, {s, p / 2}};
    int code = APP_DONE;
    for (size_t c = 0; c < sizeof cuts / sizeof cuts[0] && !code; c++) {
        code = pick_cut(sweep, around, facts, cuts[c][0], cuts[c][1], picks);
    }
    if (!code && facts->gpus > 1 && facts->exchange == PSG_EXCHANGE_DIRECT) {
        bench_config config = known;
        config.exchange = PSG_EXCHANGE_MANAGED;
        code = pick(sweep, &config, picks);
    }
    for (int layout = PSG_Z_CONTIGUOUS; layout <= PSG_Z_STRIDED && !code; layout++) {
        bench_config config = known;
        config.graph = PSG_GRAPH_STAGED;
        config.z_layout = layout;
        code = pick(sweep, &config, picks);
    }
    if (!code && known.graph == PSG_GRAPH_STAGED) {
        bench_config config = known;
        config.graph = PSG_GRAPH_FUSED;
        code = pick(sweep, &config, picks);
    }
    return code;
}

int bench_search_policies(bench_sweep *sweep, size_t around, const bench_facts *facts,
                          const char *list, bench_picks *picks) {
    const char *const lists[BENCH_LISTS] = {
        [BENCH_LIST_GRID] = "1", [BENCH_LIST_SCHED] = list ? list : "eager,prio,ws,lws"};
    bench_sweep policies = {.count = 0};
    int code = bench_sweep_add(&policies, lists);
    for (size_t c = 0; c < policies.count && !code; c++) {
        bench_config config = sweep->config[around];
        memcpy(config.policy, policies.config[c].policy, sizeof config.policy);
        if (config.policy[0] && strcmp(config.policy, facts->policy) != 0) {
            code = pick(sweep, &config, picks);
        }
    }
    bench_sweep_free(&policies);
    return code;
}
