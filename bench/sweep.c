/* From comma-separated lists to configurations. A row of the table below is all that a list
 * needs: what one of its values means is said by the option of `psg solve` of the same name,
 * where there is one. */
#include "bench/sweep.h"
#include "app/app.h"
#include "app/arguments.h"
#include "graph/psg_machine.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A whole number, where 0 says: the default. */
static int parse_planes(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    char *end = NULL;
    errno = 0;
    const unsigned long long value = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    if (!end || *end || errno || value > SIZE_MAX) {
        return -1;
    }
    *(size_t *)field = (size_t)value;
    return 0;
}

#define FIELD(member) offsetof(bench_config, member)
static const struct list_row {
    const char *option, *column;
    size_t field;
    int (*parse)(const char *text, void *field, const app_choice *choices); /* NULL: as psg solve */
    const char *expected;
} list_rows[BENCH_LISTS] = {
    [BENCH_LIST_GRID] = {"grid", "grid", FIELD(grid), app_value_grid,
                         "N or NXxNYxNZ, whole numbers from 1, with commas between"},
    [BENCH_LIST_PRECISION] = {"precision", "precision", FIELD(precision), NULL, NULL},
    [BENCH_LIST_CPUS] = {"cpus", "cpus", FIELD(cpus), app_value_cpus,
                         "whole numbers from 0, with commas between"},
    [BENCH_LIST_GPUS] = {"gpus", "gpus", FIELD(gpus), app_value_cpus,
                         "counts from 0, with commas between"},
    [BENCH_LIST_CPU_SHARE] = {"cpu-share", "cpu_share", FIELD(cpu_share), NULL, NULL},
    [BENCH_LIST_SCHED] = {"sched", "sched", FIELD(policy), NULL, NULL},
    [BENCH_LIST_GRAPH] = {"graph", "graph", FIELD(graph), NULL, NULL},
    [BENCH_LIST_EXCHANGE] = {"exchange", "exchange", FIELD(exchange), NULL, NULL},
    [BENCH_LIST_Z] = {"z", "z", FIELD(z_layout), NULL, NULL},
    [BENCH_LIST_NORMALIZE] = {"normalize", "normalize", FIELD(normalize), NULL, NULL},
    [BENCH_LIST_SEGMENT_PLANES] = {"segment-planes", "segment_planes", FIELD(segment_planes),
                                   parse_planes,
                                   "whole numbers, 0 for the default, with commas between"},
    [BENCH_LIST_PENCILS] = {"pencils", "pencils", FIELD(pencils), parse_planes,
                            "whole numbers, 0 for the default, with commas between"},
    [BENCH_LIST_DATA] = {"data", "data", FIELD(resident), NULL, NULL},
    [BENCH_LIST_IN_FLIGHT] = {"in-flight", "in_flight", FIELD(in_flight), NULL, NULL},
    [BENCH_LIST_EFFORT] = {"effort", "effort", FIELD(effort), NULL, NULL},
    [BENCH_LIST_RANKS] = {"ranks", "ranks", FIELD(ranks), app_value_unsigned,
                          "whole numbers from 1, with commas between"},
    [BENCH_LIST_NODES] = {"nodes", "nodes", FIELD(nodes), NULL, NULL},
    [BENCH_LIST_NETWORK] = {"network", "network", FIELD(network), NULL, NULL},
};

const char *bench_list_option(bench_list list) {
    return list_rows[list].option;
}

const char *bench_list_column(bench_list list) {
    return list_rows[list].column;
}

/* --------------------------------------------------------------------------------------- lists */

enum { VALUES_MOST = 256, VALUE_LENGTH = 64 };

typedef struct values {
    size_t count;
    char text[VALUES_MOST][VALUE_LENGTH];
} values;

static const bench_config default_config = {.ranks = 1,
                                            .cpus = -1,
                                            .gpus = -1,
                                            .cpu_share = PSG_CPU_SHARE_AUTO,
                                            .normalize = 1,
                                            .in_flight = 1,
                                            .nodes = 1};

/* One value into its place. The word `default` stands in every list for what holds without it. */
static int parse_value(bench_list list, const char *text, bench_config *config) {
    const struct list_row *own = &list_rows[list];
    const app_option_row *solve = own->parse ? NULL : app_solve_row(own->option);
    const app_option_row row = {.name = own->option,
                                .parse = own->parse ? own->parse : solve->parse,
                                .choices = solve ? solve->choices : NULL,
                                .expected = own->parse ? own->expected : solve->expected};
    const char *policy = "";
    void *field = list == BENCH_LIST_SCHED ? (void *)&policy : (char *)config + own->field;
    if (list != BENCH_LIST_GRID && strcmp(text, "default") == 0) {
        return APP_DONE;
    }
    if (row.parse(text, field, row.choices)) {
        return app_wrong_value(&row, text);
    }
    if (list == BENCH_LIST_SCHED) {
        snprintf(config->policy, sizeof config->policy, "%s", policy);
    }
    return APP_DONE;
}

static int add_value(bench_list list, values *v, const char *text, size_t length) {
    bench_config scratch = default_config;
    if (v->count == VALUES_MOST) {
        return app_error(APP_USAGE, "--%s: more than %d values", list_rows[list].option,
                         VALUES_MOST);
    }
    snprintf(v->text[v->count], VALUE_LENGTH, "%.*s", (int)length, text);
    return parse_value(list, v->text[v->count++], &scratch);
}

static int split(bench_list list, const char *text, values *v) {
    v->count = 0;
    if (!text) {
        snprintf(v->text[v->count++], VALUE_LENGTH, "default");
        return APP_DONE;
    }
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (list == BENCH_LIST_SCHED && length == 3 && strncmp(text, "all", 3) == 0) {
            for (size_t p = 0; psg_policy_name(p); p++) {
                const int code = add_value(list, v, psg_policy_name(p), strlen(psg_policy_name(p)));
                if (code) {
                    return code;
                }
            }
        } else {
            const int code = add_value(list, v, text, length);
            if (code) {
                return code;
            }
        }
        if (text[length] == '\0') {
            return APP_DONE;
        }
        text += length + 1;
    }
}

/* So that what is measured once has one name: the layout of z and where u is normalised are the staged
 * graph's, a share is of cores and GPUs, one node has no network, and there are no more planes in a segment than the grid has, nor more pencils
 * than rows. */
static void settle(bench_config *config) {
    if (config->graph != PSG_GRAPH_STAGED) {
        config->z_layout = PSG_Z_CONTIGUOUS;
        config->normalize = 1;
    }
    if (config->cpus == 0 || config->gpus == 0) {
        config->cpu_share = PSG_CPU_SHARE_AUTO;
    }
    if (config->nodes == 1) {
        config->network = 0;
    }
    if (config->segment_planes > config->grid.n[2]) {
        config->segment_planes = config->grid.n[2];
    }
    if (config->pencils > config->grid.n[1]) {
        config->pencils = config->grid.n[1];
    }
}

int bench_config_same_but(const bench_config *a, const bench_config *b, bench_list but) {
    for (int list = 0; list < BENCH_LISTS; list++) {
        char one[64], other[64];
        bench_config_text(a, list, one);
        bench_config_text(b, list, other);
        if (list != (int)but && strcmp(one, other) != 0) {
            return 0;
        }
    }
    return 1;
}

int bench_sweep_put(bench_sweep *sweep, const bench_config *given, size_t *number) {
    bench_config config = *given;
    size_t at = 0;
    settle(&config);
    while (at < sweep->count && !bench_config_same_but(&sweep->config[at], &config, BENCH_LISTS)) {
        at++;
    }
    if (at == sweep->count) {
        bench_config *more = realloc(sweep->config, (sweep->count + 1) * sizeof *more);
        if (!more) {
            return app_error(APP_FAILED, "out of memory for %zu configurations", sweep->count + 1);
        }
        sweep->config = more;
        sweep->config[sweep->count++] = config;
    }
    if (number) {
        *number = at;
    }
    return APP_DONE;
}

bench_config bench_config_default(const app_grid_value *grid) {
    bench_config config = default_config;
    config.grid = *grid;
    return config;
}

int bench_sweep_add(bench_sweep *sweep, const char *const lists[BENCH_LISTS]) {
    enum { CONFIGS_MOST = 10000 };
    values *v = app_allocate(BENCH_LISTS, sizeof *v, "the lists");
    size_t at[BENCH_LISTS] = {0}, product = 1;
    int code = v ? APP_DONE : APP_FAILED;
    for (int list = 0; list < BENCH_LISTS && !code; list++) {
        code = split(list, lists[list], &v[list]);
        product *= v[list].count; /* 256 each: no overflow before the check */
        if (!code && product > CONFIGS_MOST) {
            code = app_error(APP_USAGE, "the lists make more than %d configurations", CONFIGS_MOST);
        }
    }
    for (size_t c = 0; c < product && !code; c++) {
        bench_config config = default_config;
        size_t rest = c;
        for (int list = BENCH_LISTS - 1; list >= 0; list--) { /* the first list turns slowest */
            at[list] = rest % v[list].count;
            rest /= v[list].count;
        }
        for (int list = 0; list < BENCH_LISTS && !code; list++) {
            code = parse_value(list, v[list].text[at[list]], &config);
        }
        if (!code) {
            code = bench_sweep_put(sweep, &config, NULL);
        }
    }
    free(v);
    return code;
}

void bench_sweep_free(bench_sweep *sweep) {
    free(sweep->config);
    sweep->config = NULL;
    sweep->count = 0;
}

/* ----------------------------------------------------------------------------- configurations */

static void count_text(char *text, long long value, long long standard) {
    if (value == standard) {
        snprintf(text, 64, "default");
    } else {
        snprintf(text, 64, "%lld", value);
    }
}

void bench_config_text(const bench_config *c, bench_list list, char *text) {
    static const char *const efforts[PSG_EFFORT_COUNT] = {"measure", "estimate", "patient"};
    switch (list) {
    case BENCH_LIST_GRID:
        snprintf(text, 64, "%zux%zux%zu", c->grid.n[0], c->grid.n[1], c->grid.n[2]);
        break;
    case BENCH_LIST_PRECISION:
        snprintf(text, 64, "%s", app_precision_name(c->precision));
        break;
    case BENCH_LIST_CPUS:
        count_text(text, c->cpus, -1);
        break;
    case BENCH_LIST_GPUS:
        count_text(text, c->gpus, -1);
        break;
    case BENCH_LIST_CPU_SHARE:
        if (c->cpu_share >= 0) {
            snprintf(text, 64, "%g", c->cpu_share);
        } else {
            snprintf(text, 64, "%s", c->cpu_share == PSG_CPU_SHARE_FREE ? "free" : "auto");
        }
        break;
    case BENCH_LIST_SCHED:
        snprintf(text, 64, "%s", c->policy[0] ? c->policy : "default");
        break;
    case BENCH_LIST_GRAPH:
        snprintf(text, 64, "%s", app_graph_name(c->graph));
        break;
    case BENCH_LIST_EXCHANGE:
        snprintf(text, 64, "%s",
                 c->exchange == PSG_EXCHANGE_AUTO ? "default" : app_exchange_name(c->exchange));
        break;
    case BENCH_LIST_Z:
        snprintf(text, 64, "%s",
                 c->graph != PSG_GRAPH_STAGED   ? ""
                 : c->z_layout == PSG_Z_STRIDED ? "strided"
                                                : "contiguous");
        break;
    case BENCH_LIST_NORMALIZE:
        snprintf(text, 64, "%s",
                 c->graph != PSG_GRAPH_STAGED ? ""
                 : c->normalize               ? "task"
                                              : "divide");
        break;
    case BENCH_LIST_SEGMENT_PLANES:
        snprintf(text, 64, "%zu", c->segment_planes);
        break;
    case BENCH_LIST_PENCILS:
        snprintf(text, 64, "%zu", c->pencils);
        break;
    case BENCH_LIST_DATA:
        snprintf(text, 64, "%s", c->resident ? "resident" : "host");
        break;
    case BENCH_LIST_IN_FLIGHT:
        snprintf(text, 64, "%u", c->in_flight);
        break;
    case BENCH_LIST_RANKS:
        snprintf(text, 64, "%u", c->ranks);
        break;
    case BENCH_LIST_NODES:
        snprintf(text, 64, "%u", c->nodes);
        break;
    case BENCH_LIST_NETWORK:
        if (c->network > 0) {
            snprintf(text, 64, "%g", 1e-9 * c->network);
        } else {
            snprintf(text, 64, "%s", c->nodes > 1 ? "default" : "");
        }
        break;
    default:
        snprintf(text, 64, "%s", efforts[c->effort]);
        break;
    }
}

void bench_config_options(const bench_config *config, psg_options *options) {
    psg_options_init(options);
    options->precision = (psg_precision)config->precision;
    options->graph = (psg_graph)config->graph;
    options->exchange = (psg_exchange)config->exchange;
    options->z_layout = (psg_z_layout)config->z_layout;
    options->normalize = config->normalize;
    options->effort = (psg_effort)config->effort;
    options->segment_planes = config->segment_planes;
    options->pencils = config->pencils;
    options->cpus = config->cpus;
    options->gpus = config->gpus;
    options->gpu_ids = config->gpus_listed ? config->gpu_ids : NULL;
    options->cpu_share = config->cpu_share;
    options->tuned = 0; /* a default means one thing, whatever was tuned */
    options->policy = config->policy[0] ? config->policy : NULL;
    options->in_flight = config->in_flight;
    options->nodes = config->nodes;
    options->network = config->network;
}

void bench_config_grid(const bench_config *config, psg_grid *grid) {
    psg_grid_init(grid, config->grid.n[0], config->grid.n[1], config->grid.n[2], 1, 1, 1);
}

int bench_config_needs_models(const bench_config *config) {
    const char *policy = config->policy[0] ? config->policy : getenv("STARPU_SCHED");
    return psg_policy_uses_models(policy);
}

/* StarPU has cores beside GPUs where they are counted, or wanted. */
static int starts_cores(const bench_config *c) {
    return c->cpus >= 0 || c->cpu_share > 0 || c->cpu_share == PSG_CPU_SHARE_FREE;
}

int bench_config_same_group(const bench_config *a, const bench_config *b) {
    return a->ranks == b->ranks && a->cpus == b->cpus && a->gpus == b->gpus &&
           starts_cores(a) == starts_cores(b) && strcmp(a->policy, b->policy) == 0;
}

double bench_config_bytes(const bench_config *c) {
    const double n[3] = {(double)c->grid.n[0], (double)c->grid.n[1], (double)c->grid.n[2]};
    const double element = (double)app_element_bytes(c->precision);
    const double field = n[0] * n[1] * n[2] * element;
    const double spectrum = (n[0] + 2) * n[1] * n[2] * element;
    /* the staged graph has pencils beside the blocks, and slabs beside both */
    const double spectra = c->graph == PSG_GRAPH_STAGED ? 3 : 1;
    return c->in_flight * (field + spectra * spectrum) + (c->resident ? 2 * field : 0);
}
