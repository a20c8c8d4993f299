/* From comma-separated lists to configurations. An option of the library's table is a list unless it stands below in
 * `decided`; what its values mean is said by the table. */
#include "bench/sweep.h"
#include "app/app.h"
#include "app/arguments.h"
#include "app/work_words.h"
#include "graph/psg_machine.h"
#include "workloads/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What `psg bench` decides itself, or has an option of its own for: the known answer is that of one equation, and
 * configurations are compared as they are. */
static const char *const decided[] = {"symbol",         "lambda",     "factor",    "mean",
                                      "mean_tolerance", "calibrate",  "cache_dir", "tuned",
                                      "record",         "time_limit", "machine",   "batch"};

/* In files a default has these words, where they are not the library's. */
static const struct {
    const char *option, *word;
} defaults[] = {{"cpus", "default"},     {"gpus", "default"},    {"policy", "default"},
                {"exchange", "default"}, {"network", "default"}, {"segment_planes", "0"},
                {"sheets", "0"}};

/* -------------------------------------------------------------------------------------- lists */

/* @return the workload that "ep:S" is of; NULL: there is none */
static const workload_facts *workload_of(const char *name) {
    const workload_facts *w = NULL;
    for (size_t m = 0; (w = workload_at(m)) != NULL; m++) {
        const size_t length = strlen(w->name);
        if (strncmp(name, w->name, length) == 0 && name[length] == ':') {
            break;
        }
    }
    return w;
}

static int parse_workload(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    if (workload_of(text) == NULL) {
        return -1;
    }
    snprintf(field, sizeof((bench_config *)NULL)->workload.name, "%s", text);
    return 0;
}

/* The lists that are no options of the solver; the grid stands before these, the others after. */
static const struct list_row {
    const char *name;
    size_t field;
    int (*parse)(const char *text, void *field, const app_choice *choices);
    const app_choice *choices;
    const char *expected;
} own[] = {
    {"grid", offsetof(bench_config, grid), app_value_grid, NULL,
     "N or NXxNYxNZ, whole numbers from 1, with commas between"},
    {"data", offsetof(bench_config, resident), app_value_choice,
     (const app_choice[]){{"host", 0}, {"resident", 1}, {NULL, 0}}, NULL},
    {"ranks", offsetof(bench_config, ranks), app_value_unsigned, NULL,
     "whole numbers from 1, with commas between"},
    {"workload", offsetof(bench_config, workload.name), parse_workload, NULL,
     "NAME:SIZE of workloads, with commas between: psg run --help has them"},
    {"tile", offsetof(bench_config, workload.tile), app_value_unsigned, NULL,
     "whole numbers from 1, with commas between"},
    {"order", offsetof(bench_config, workload.order), app_value_choice, app_work_orders, NULL},
    {"barrier", offsetof(bench_config, workload.barrier), app_value_choice, app_work_barriers,
     NULL},
    {"priority", offsetof(bench_config, workload.priority), app_value_choice, app_work_priorities,
     NULL},
    {"place", offsetof(bench_config, workload.place), app_value_choice, app_work_places, NULL}};
enum { OWN = sizeof own / sizeof *own };

static bool is_list(size_t index) {
    for (size_t d = 0; d < sizeof decided / sizeof *decided; d++) {
        if (strcmp(decided[d], psg_option_at(index)->name) == 0) {
            return false;
        }
    }
    return true;
}

/* The psg_option_at() of the lists from 1 on. @param[out] count  of them */
static const size_t *options_of_lists(size_t *count) {
    static size_t options[APP_OPTIONS_MOST], found;
    if (found == 0) {
        for (size_t index = 0; psg_option_at(index) != NULL && index < APP_OPTIONS_MOST - OWN;
             index++) {
            if (is_list(index)) {
                options[found++] = index;
            }
        }
    }
    *count = found;
    return options;
}

size_t bench_lists(void) {
    size_t count = 0;
    (void)options_of_lists(&count);
    return count + OWN;
}

size_t bench_list_index(size_t list) {
    size_t count = 0;
    const size_t *options = options_of_lists(&count);
    return list > 0 && list <= count ? options[list - 1] : SIZE_MAX;
}

/* The row of a list that is none of the library's. */
static const struct list_row *row_of(size_t list) {
    return list == 0 ? &own[0] : &own[list - (bench_lists() - OWN)];
}

const char *bench_list_option(size_t list) {
    const size_t index = bench_list_index(list);
    return index != SIZE_MAX ? app_option_name(index) : row_of(list)->name;
}

const char *bench_list_column(size_t list) {
    const size_t index = bench_list_index(list);
    return index != SIZE_MAX ? app_option_column(index) : row_of(list)->name;
}

size_t bench_list(const char *column) {
    size_t list = 0;
    while (strcmp(bench_list_column(list), column) != 0) {
        list++;
    }
    return list;
}

enum { VALUES_MOST = 256, VALUE_LENGTH = 64 };

typedef struct values {
    size_t count;
    char text[VALUES_MOST][VALUE_LENGTH];
} values;

/* What stands for the default of an option in files; NULL: the word of the library. */
static const char *word_of_default(size_t index) {
    for (size_t d = 0; d < sizeof defaults / sizeof *defaults; d++) {
        if (strcmp(defaults[d].option, psg_option_at(index)->name) == 0) {
            return defaults[d].word;
        }
    }
    return NULL;
}

/* One value into its place. The word `default` stands in every list for what holds without it. */
static int parse_value(size_t list, const char *text, bench_config *config) {
    const size_t index = bench_list_index(list);
    if (index == SIZE_MAX) {
        const struct list_row *row = row_of(list);
        const app_option_row said = {.name = row->name,
                                     .parse = row->parse,
                                     .choices = row->choices,
                                     .expected = row->expected};
        return strcmp(text, "default") == 0 ||
                       row->parse(text, (char *)config + row->field, row->choices) == 0
                   ? APP_DONE
                   : app_wrong_value(&said, text);
    }
    app_options options;
    app_options_init(&options);
    const char *word = word_of_default(index);
    if (strcmp(text, "default") == 0 || (word != NULL && strcmp(text, word) == 0)) {
        return APP_DONE;
    }
    const int code = app_options_set(&options, index, text);
    if (!code) {
        (void)psg_options_get(&options.options, psg_option_at(index)->name, config->value[index],
                              sizeof config->value[index]);
    }
    return code;
}

static int add_value(size_t list, values *v, const char *text, size_t length) {
    bench_config scratch = {.ranks = 1};
    if (v->count == VALUES_MOST) {
        return app_error(APP_USAGE, "--%s: more than %d values", bench_list_option(list),
                         VALUES_MOST);
    }
    if (length >= VALUE_LENGTH) {
        return app_error(APP_USAGE, "--%s '%.*s': a value has at most %d letters",
                         bench_list_option(list), (int)length, text, VALUE_LENGTH - 1);
    }
    snprintf(v->text[v->count], VALUE_LENGTH, "%.*s", (int)length, text);
    return parse_value(list, v->text[v->count++], &scratch);
}

static int add_policies(size_t list, values *v) {
    int code = APP_DONE;
    for (size_t p = 0; psg_policy_name(p) != NULL && !code; p++) {
        code = add_value(list, v, psg_policy_name(p), strlen(psg_policy_name(p)));
    }
    return code;
}

static int split(size_t list, const char *text, values *v) {
    v->count = 0;
    if (text == NULL) {
        snprintf(v->text[v->count++], VALUE_LENGTH, "default");
        return APP_DONE;
    }
    for (;;) {
        const size_t length = strcspn(text, ",");
        const bool all = list == bench_list("sched") && length == 3 && strncmp(text, "all", 3) == 0;
        const int code = all ? add_policies(list, v) : add_value(list, v, text, length);
        if (code || text[length] == '\0') {
            return code;
        }
        text += length + 1;
    }
}

/* ---------------------------------------------------------------------------- configurations */

static void default_options(psg_options *options) {
    psg_options_init(options);
    options->graph = PSG_GRAPH_FUSED;
    options->z_layout = PSG_Z_CONTIGUOUS;
    options->in_flight = 1;
    options->tuned = 0;
}

void bench_config_options(const bench_config *config, psg_options *options) {
    default_options(options);
    for (size_t index = 0; psg_option_at(index) != NULL; index++) {
        if (config->value[index][0] != '\0') {
            (void)psg_options_set(options, psg_option_at(index)->name, config->value[index]);
        }
    }
    options->gpu_ids = config->gpus_listed ? config->gpu_ids : NULL;
    if (bench_config_is_workload(config) && options->cpus != 0 && options->gpus != 0) {
        options->cpu_share = PSG_CPU_SHARE_FREE; /* as the library has it where there are both */
    }
}

void bench_config_put(bench_config *config, const psg_options *options) {
    psg_options standard;
    default_options(&standard);
    for (size_t index = 0; psg_option_at(index) != NULL; index++) {
        char text[BENCH_VALUE_BYTES] = "", usual[BENCH_VALUE_BYTES] = "";
        const char *name = psg_option_at(index)->name;
        if (is_list(index) && psg_options_get(options, name, text, sizeof text) == PSG_OK &&
            psg_options_get(&standard, name, usual, sizeof usual) == PSG_OK) {
            snprintf(config->value[index], sizeof config->value[index], "%s",
                     strcmp(text, usual) != 0 ? text : "");
        }
    }
}

/* The options of the solver that mean something to a workload. */
static bool is_of_workloads(const char *name) {
    return strcmp(name, "cpus") == 0 || strcmp(name, "gpus") == 0 || strcmp(name, "policy") == 0 ||
           strcmp(name, "precision") == 0 || strcmp(name, "nodes") == 0;
}

bool bench_config_is_workload(const bench_config *config) {
    return config->workload.name[0] != '\0';
}

double bench_config_work(const bench_config *c) {
    return bench_config_is_workload(c)
               ? 1
               : (double)c->grid.n[0] * (double)c->grid.n[1] * (double)c->grid.n[2];
}

/* Of a workload one process counts, and what the library says that the workload has. */
static void settle_workload(bench_config *config) {
    bench_workload *w = &config->workload;
    const workload_facts *about = workload_of(w->name);
    for (size_t index = 0; psg_option_at(index) != NULL; index++) {
        if (!is_of_workloads(psg_option_at(index)->name)) {
            config->value[index][0] = '\0';
        }
    }
    config->ranks = 1;
    config->resident = 0;
    w->tile = about->tile != NULL ? w->tile : 0;
    w->order = about->order ? w->order : 0;
    w->barrier = about->barrier ? w->barrier : 0;
    w->place = about->place ? w->place : 0;
}

/* So that what is measured once has one name: the layout of z and where u is normalised are the staged graph's, a share
 * is of cores and GPUs, one node has no network, and there are no more planes in a segment than the grid has, nor more
 * sheets than rows. */
static void settle(bench_config *config) {
    if (bench_config_is_workload(config)) {
        settle_workload(config);
        return;
    }
    config->workload = (bench_workload){.tile = 0};
    psg_options o, standard;
    default_options(&standard);
    bench_config_options(config, &o);
    if (o.graph != PSG_GRAPH_STAGED) {
        o.z_layout = standard.z_layout;
        o.normalize = standard.normalize;
    }
    if (o.cpus == 0 || o.gpus == 0) {
        o.cpu_share = standard.cpu_share;
    }
    if (o.nodes == 1) {
        o.network = standard.network;
    }
    if (o.segment_planes > config->grid.n[2]) {
        o.segment_planes = config->grid.n[2];
    }
    if (o.sheets > config->grid.n[1]) {
        o.sheets = config->grid.n[1];
    }
    bench_config_put(config, &o);
}

static bool same_value(const bench_config *a, const bench_config *b, const char *option) {
    const size_t index = app_option_index(option);
    return strcmp(a->value[index], b->value[index]) == 0;
}

bool bench_config_same_but(const bench_config *a, const bench_config *b, size_t but) {
    for (size_t list = 0; list < bench_lists(); list++) {
        const size_t index = bench_list_index(list);
        if (list != but && index != SIZE_MAX && strcmp(a->value[index], b->value[index]) != 0) {
            return false;
        }
    }
    const bench_workload *x = &a->workload, *y = &b->workload;
    return memcmp(a->grid.n, b->grid.n, sizeof a->grid.n) == 0 && a->ranks == b->ranks &&
           a->resident == b->resident && strcmp(x->name, y->name) == 0 && x->tile == y->tile &&
           x->order == y->order && x->barrier == y->barrier && x->priority == y->priority &&
           x->place == y->place;
}

int bench_sweep_put(bench_sweep *sweep, const bench_config *given, size_t *number) {
    bench_config config = *given;
    size_t at = 0;
    settle(&config);
    while (at < sweep->count && !bench_config_same_but(&sweep->config[at], &config, SIZE_MAX)) {
        at++;
    }
    if (at == sweep->count) {
        bench_config *more = realloc(sweep->config, (sweep->count + 1) * sizeof *more);
        if (more == NULL) {
            return app_error(APP_FAILED, "out of memory for %zu configurations", sweep->count + 1);
        }
        sweep->config = more;
        sweep->config[sweep->count++] = config;
    }
    if (number != NULL) {
        *number = at;
    }
    return APP_DONE;
}

int bench_sweep_add(bench_sweep *sweep, const char *const lists[BENCH_LISTS_MOST]) {
    enum { CONFIGS_MOST = 10000 };
    values *v = app_allocate(BENCH_LISTS_MOST, sizeof *v, "the lists");
    const size_t count = bench_lists();
    size_t product = 1;
    int code = v != NULL ? APP_DONE : APP_FAILED;
    for (size_t list = 0; list < count && !code; list++) {
        code = split(list, lists[list], &v[list]);
        product *= v[list].count; /* 256 each: no overflow before the check */
        if (!code && product > CONFIGS_MOST) {
            code = app_error(APP_USAGE, "the lists make more than %d configurations", CONFIGS_MOST);
        }
    }
    for (size_t c = 0; c < product && !code; c++) {
        bench_config config = {.ranks = 1};
        size_t rest = c;
        for (size_t list = count; list-- > 0 && !code;) { /* the first list turns slowest */
            code = parse_value(list, v[list].text[rest % v[list].count], &config);
            rest /= v[list].count;
        }
        if (!code && config.grid.given == bench_config_is_workload(&config)) {
            code = app_error(APP_USAGE, "a configuration has a grid or a workload: give --grid or "
                                        "--workload, and no value 'default' in it");
        }
        code = code ? code : bench_sweep_put(sweep, &config, NULL);
    }
    free(v);
    return code;
}

void bench_sweep_free(bench_sweep *sweep) {
    free(sweep->config);
    sweep->config = NULL;
    sweep->count = 0;
}

/* Does the option mean nothing with the others? */
static bool is_idle(const psg_options *o, size_t index) {
    const char *name = psg_option_at(index)->name;
    return strcmp(name, "z_layout") == 0 || strcmp(name, "normalize") == 0
               ? o->graph != PSG_GRAPH_STAGED
               : strcmp(name, "network") == 0 && o->nodes == 1;
}

static const char *word_of(const app_choice *choices, int value) {
    while (choices->value != value) {
        choices++;
    }
    return choices->name;
}

/* Does a list of one's own mean something to the solve, or to the workload? */
static bool means(const bench_config *c, const char *list) {
    const workload_facts *w = workload_of(c->workload.name);
    if (strcmp(list, "grid") == 0 || strcmp(list, "data") == 0) {
        return w == NULL;
    }
    if (strcmp(list, "ranks") == 0 || w == NULL) {
        return strcmp(list, "ranks") == 0;
    }
    return strcmp(list, "tile") == 0      ? w->tile != NULL
           : strcmp(list, "order") == 0   ? w->order != 0
           : strcmp(list, "barrier") == 0 ? w->barrier != 0
           : strcmp(list, "place") == 0   ? w->place != 0
                                          : true;
}

static void own_text(const bench_config *c, const struct list_row *row, char *text) {
    const void *field = (const char *)c + row->field;
    const unsigned *number = field;
    text[0] = '\0';
    if (!means(c, row->name)) {
        return;
    }
    if (row->choices != NULL) {
        snprintf(text, 64, "%s", word_of(row->choices, *(const int *)field));
    } else if (row->parse == app_value_grid) {
        snprintf(text, 64, "%zux%zux%zu", c->grid.n[0], c->grid.n[1], c->grid.n[2]);
    } else if (row->parse == parse_workload) {
        snprintf(text, 64, "%s", c->workload.name);
    } else if (*number > 0) {
        snprintf(text, 64, "%u", *number);
    } else {
        snprintf(text, 64, "default");
    }
}

void bench_config_text(const bench_config *c, size_t list, char *text) {
    const size_t index = bench_list_index(list);
    if (index != SIZE_MAX) {
        const char *word = word_of_default(index);
        psg_options o;
        bench_config_options(c, &o);
        app_options_text(&o, index, text, 64);
        const bool none =
            bench_config_is_workload(c) && !is_of_workloads(psg_option_at(index)->name);
        if (none || is_idle(&o, index)) {
            text[0] = '\0';
        } else if (strcmp(text, psg_option_at(index)->standard) == 0 && word != NULL) {
            snprintf(text, 64, "%s", word);
        }
    } else {
        own_text(c, row_of(list), text);
    }
}

void bench_config_grid(const bench_config *config, psg_grid *grid) {
    psg_grid_init(grid, config->grid.n[0], config->grid.n[1], config->grid.n[2], 1, 1, 1);
}

int bench_config_needs_models(const bench_config *config) {
    const char *policy = config->value[app_option_index("policy")];
    return psg_policy_uses_models(policy[0] != '\0' ? policy : getenv("STARPU_SCHED"));
}

/* StarPU has cores beside GPUs where they are counted, or wanted. */
static bool starts_cores(const bench_config *config) {
    psg_options o;
    bench_config_options(config, &o);
    return o.cpus >= 0 || o.cpu_share > 0 || o.cpu_share == PSG_CPU_SHARE_FREE;
}

bool bench_config_same_group(const bench_config *a, const bench_config *b) {
    return a->ranks == b->ranks && bench_config_is_workload(a) == bench_config_is_workload(b) &&
           same_value(a, b, "cpus") && same_value(a, b, "gpus") && same_value(a, b, "policy") &&
           starts_cores(a) == starts_cores(b);
}

double bench_config_bytes(const bench_config *c) {
    psg_options o;
    bench_config_options(c, &o);
    const double n[3] = {(double)c->grid.n[0], (double)c->grid.n[1], (double)c->grid.n[2]};
    const double element = (double)app_element_bytes(o.precision);
    const double field = n[0] * n[1] * n[2] * element;
    const double spectrum = (n[0] + 2) * n[1] * n[2] * element;
    /* the staged graph has sheets beside the blocks, and spectra of segments beside both */
    const double spectra = o.graph == PSG_GRAPH_STAGED ? 3 : 1;
    return o.in_flight * (field + spectra * spectrum) + (c->resident ? 2 * field : 0);
}
