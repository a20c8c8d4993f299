/* Candidates, made from what a plan came to. */
#include "bench/search.h"
#include "app/app.h"

#include <string.h>

bool bench_picks_has(const bench_picks *picks, size_t number) {
    size_t n = 0;
    while (n < picks->count && picks->number[n] != number) {
        n++;
    }
    return n < picks->count;
}

void bench_picks_add(bench_picks *picks, size_t number) {
    if (!bench_picks_has(picks, number) && picks->count < BENCH_PICKS_MOST) {
        picks->number[picks->count++] = number;
    }
}

static int pick(bench_sweep *sweep, size_t around, const psg_options *options, bench_picks *picks) {
    bench_config config = sweep->config[around];
    size_t number = 0;
    bench_config_put(&config, options);
    const int code = bench_sweep_put(sweep, &config, &number);
    if (!code) {
        bench_picks_add(picks, number);
    }
    return code;
}

static size_t clamp(size_t value, size_t most) {
    return value < 1 ? 1 : value > most ? most : value;
}

/* `around`, in so many segments and sheets; not if that is what it comes to already. */
static int pick_cut(bench_sweep *sweep, size_t around, const bench_facts *facts, size_t segments,
                    size_t sheets, bench_picks *picks) {
    const size_t *n = sweep->config[around].grid.n;
    const size_t parts = clamp(segments, n[2]);
    psg_options o;
    bench_config_options(&sweep->config[around], &o);
    o.segment_planes = (n[2] + parts - 1) / parts;
    o.sheets = clamp(sheets, n[1]);
    if (o.segment_planes == facts->segment_planes && o.sheets == facts->sheets) {
        return APP_DONE;
    }
    return pick(sweep, around, &o, picks);
}

int bench_search_cuts(bench_sweep *sweep, size_t around, const bench_facts *facts,
                      bench_picks *picks) {
    static const struct {
        size_t times, over;
    } factors[] = {{2, 1}, {1, 2}, {4, 1}, {3, 2}, {1, 4}, {8, 1}};
    int code = APP_DONE;
    for (size_t f = 0; f < sizeof factors / sizeof factors[0] && !code; f++) {
        code = pick_cut(sweep, around, facts, facts->segments * factors[f].times / factors[f].over,
                        facts->sheets * factors[f].times / factors[f].over, picks);
    }
    return code ? code : pick_cut(sweep, around, facts, 1, 1, picks);
}

int bench_search_variants(bench_sweep *sweep, size_t around, const bench_facts *facts,
                          bench_picks *picks) {
    psg_options known;
    bench_config_options(&sweep->config[around], &known);
    const size_t s = facts->segments, p = facts->sheets;
    const size_t cuts[][2] = {{2 * s, p}, {s, 2 * p}, {s / 2, p}, {s, p / 2}};
    int code = APP_DONE;
    for (size_t c = 0; c < sizeof cuts / sizeof cuts[0] && !code; c++) {
        code = pick_cut(sweep, around, facts, cuts[c][0], cuts[c][1], picks);
    }
    if (!code && facts->gpus > 1 && facts->exchange == PSG_EXCHANGE_DIRECT) {
        psg_options o = known;
        o.exchange = PSG_EXCHANGE_MANAGED;
        code = pick(sweep, around, &o, picks);
    }
    for (int layout = PSG_Z_CONTIGUOUS; layout <= PSG_Z_STRIDED && !code; layout++) {
        psg_options o = known;
        o.graph = PSG_GRAPH_STAGED;
        o.z_layout = (psg_z_layout)layout;
        code = pick(sweep, around, &o, picks);
    }
    if (!code && known.graph == PSG_GRAPH_STAGED) {
        psg_options o = known;
        o.graph = PSG_GRAPH_FUSED;
        code = pick(sweep, around, &o, picks);
    }
    return code;
}

int bench_search_policies(bench_sweep *sweep, size_t around, const bench_facts *facts,
                          const char *list, bench_picks *picks) {
    const char *lists[BENCH_LISTS_MOST] = {[BENCH_LIST_GRID] = "1"};
    bench_sweep policies = {.count = 0};
    lists[bench_list("sched")] = list != NULL ? list : "eager,prio,ws,lws";
    int code = bench_sweep_add(&policies, lists);
    for (size_t c = 0; c < policies.count && !code; c++) {
        psg_options with, o;
        bench_config_options(&policies.config[c], &with);
        bench_config_options(&sweep->config[around], &o);
        o.policy = with.policy;
        if (o.policy != NULL && strcmp(o.policy, facts->policy) != 0) {
            code = pick(sweep, around, &o, picks);
        }
    }
    bench_sweep_free(&policies);
    return code;
}
