/* Candidates, made from what a plan came to. */
#include "app/search.h"
#include "app/app.h"

#include <string.h>

void app_picks_add(app_picks *picks, size_t number) {
    size_t n = 0;
    while (n < picks->count && picks->number[n] != number) {
        n++;
    }
    if (n == picks->count && picks->count < APP_PICKS_MOST) {
        picks->number[picks->count++] = number;
    }
}

static int pick(app_sweep *sweep, const app_config *config, app_picks *picks) {
    size_t number = 0;
    const int code = app_sweep_put(sweep, config, &number);
    if (!code) {
        app_picks_add(picks, number);
    }
    return code;
}

static size_t clamp(size_t value, size_t most) {
    return value < 1 ? 1 : value > most ? most : value;
}

/* `around`, in so many segments and pencils; not if that is what it comes to already. */
static int pick_cut(app_sweep *sweep, size_t around, const app_facts *facts, size_t segments,
                    size_t pencils, app_picks *picks) {
    app_config config = sweep->config[around];
    const size_t parts = clamp(segments, config.grid.n[2]);
    config.segment_planes = (config.grid.n[2] + parts - 1) / parts;
    config.pencils = clamp(pencils, config.grid.n[1]);
    if (config.segment_planes == facts->segment_planes && config.pencils == facts->pencils) {
        return APP_DONE;
    }
    return pick(sweep, &config, picks);
}

int app_search_cuts(app_sweep *sweep, size_t around, const app_facts *facts, app_picks *picks) {
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

int app_search_variants(app_sweep *sweep, size_t around, const app_facts *facts, app_picks *picks) {
    const app_config known = sweep->config[around];
    const size_t s = facts->segments, p = facts->pencils;
    const size_t cuts[][2] = {{2 * s, p}, {s, 2 * p}, {s / 2, p}, {s, p / 2}};
    int code = APP_DONE;
    for (size_t c = 0; c < sizeof cuts / sizeof cuts[0] && !code; c++) {
        code = pick_cut(sweep, around, facts, cuts[c][0], cuts[c][1], picks);
    }
    if (!code && facts->gpus > 1 && facts->exchange == PSG_EXCHANGE_DIRECT) {
        app_config config = known;
        config.exchange = PSG_EXCHANGE_MANAGED;
        code = pick(sweep, &config, picks);
    }
    for (int layout = PSG_Z_CONTIGUOUS; layout <= PSG_Z_STRIDED && !code; layout++) {
        app_config config = known;
        config.graph = PSG_GRAPH_STAGED;
        config.z_layout = layout;
        code = pick(sweep, &config, picks);
    }
    if (!code && known.graph == PSG_GRAPH_STAGED) {
        app_config config = known;
        config.graph = PSG_GRAPH_FUSED;
        code = pick(sweep, &config, picks);
    }
    return code;
}

int app_search_policies(app_sweep *sweep, size_t around, const app_facts *facts, const char *list,
                        app_picks *picks) {
    const char *const lists[APP_LISTS] = {
        [APP_LIST_GRID] = "1", [APP_LIST_SCHED] = list ? list : "eager,prio,ws,lws"};
    app_sweep policies = {.count = 0};
    int code = app_sweep_add(&policies, lists);
    for (size_t c = 0; c < policies.count && !code; c++) {
        app_config config = sweep->config[around];
        memcpy(config.policy, policies.config[c].policy, sizeof config.policy);
        if (config.policy[0] && strcmp(config.policy, facts->policy) != 0) {
            code = pick(sweep, &config, picks);
        }
    }
    app_sweep_free(&policies);
    return code;
}
