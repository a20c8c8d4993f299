/* From comma-separated lists to values. An option of the library's table is a list unless it stands
 * below in `decided`; what its values mean is said by the table. */
#include "app/lab_lists.h"
#include "app/app.h"
#include "app/json.h"
#include "app/work_words.h"
#include "graph/psg_machine.h"
#include "workloads/workload.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What `psg bench` decides itself, or has an option of its own for: the known answer is that of one
 * equation, and configurations are compared as they are. */
static const char *const decided[] = {"symbol",         "lambda",     "factor",    "mean",
                                      "mean_tolerance", "calibrate",  "cache_dir", "tuned",
                                      "record",         "time_limit", "machine",   "batch"};

/* In files a default has these words, where they are not the library's. */
static const struct {
    const char *option, *word;
} defaults[] = {{"cpus", "default"},     {"gpus", "default"},    {"policy", "default"},
                {"exchange", "default"}, {"network", "default"}, {"segment_planes", "0"},
                {"sheets", "0"}};

enum { VALUES_MOST = 256, VALUE_BYTES = 64 };

/* Is it a workload, "ep:S"? */
static int parse_workload(const char *text, void *field, const app_choice *choices) {
    const workload_facts *w = NULL;
    (void)field;
    (void)choices;
    for (size_t m = 0; (w = workload_at(m)) != NULL; m++) {
        const size_t length = strlen(w->name);
        if (strncmp(text, w->name, length) == 0 && text[length] == ':') {
            return 0;
        }
    }
    return -1;
}

/* The lists that are no options of the solver; the grid stands before these, the others after. */
static const struct own {
    const char *name, *argument, *help, *standard;
    int (*parse)(const char *text, void *field, const app_choice *choices);
    const app_choice *choices;
    const char *expected;
} own[] = {
    {"grid", "N|NXxNYxNZ", "numbers of points: 64,128,200x100x50", "", app_value_grid, NULL,
     "N or NXxNYxNZ, whole numbers from 1, with commas between"},
    {"data", "host|resident",
     "from and to arrays in main memory, or kept where they are computed, as in a simulation on "
     "GPUs; default: host",
     "host", app_value_choice, (const app_choice[]){{"host", 0}, {"resident", 1}, {NULL, 0}}, NULL},
    {"ranks", "N",
     "processes, which share the grid by MPI; --cpus and --gpus are those of each; default: 1", "1",
     app_value_unsigned, NULL, "whole numbers from 1, with commas between"},
    {"workload", "NAME:SIZE",
     "in place of --grid: workloads, as psg run has them. Of the options above --cpus, --gpus, "
     "--sched and --precision mean something to them",
     "", parse_workload, NULL,
     "NAME:SIZE of workloads, with commas between: psg run --help has them"},
    {"tile", "T", "of a workload: the size of a task; default: the workload's own", "default",
     app_value_unsigned, NULL, "whole numbers from 1, with commas between"},
    {"order", "listed|longest",
     "of a workload: in which order tasks are submitted that need nothing; default: listed",
     "listed", app_value_choice, app_work_orders, NULL},
    {"barrier", "no|yes",
     "of a workload: each phase begins when the one before has ended; default: no", "no",
     app_value_choice, app_work_barriers, NULL},
    {"priority", "none|path", "of a workload: the priority of a task; default: none", "none",
     app_value_choice, app_work_priorities, NULL},
    {"place", "free|static|guided",
     "of a workload: who takes a task that needs nothing; default: free", "free", app_value_choice,
     app_work_places, NULL}};
enum { OWN = sizeof own / sizeof *own };

/* ---------------------------------------------------------------------------- which there are */

/* A list: one of one's own, or an option of the library. */
typedef struct list {
    const struct own *own; /* NULL: it is the library's */
    size_t index;          /* its psg_option_at() */
} list;

static bool is_list(size_t index) {
    for (size_t d = 0; d < sizeof decided / sizeof *decided; d++) {
        if (strcmp(decided[d], psg_option_at(index)->name) == 0) {
            return false;
        }
    }
    return true;
}

static size_t all_lists(list lists[APP_LAB_LISTS_MOST]) {
    size_t count = 0;
    lists[count++] = (list){&own[0], 0};
    for (size_t index = 0; psg_option_at(index) != NULL && count < APP_LAB_LISTS_MOST - OWN;
         index++) {
        if (is_list(index)) {
            lists[count++] = (list){NULL, index};
        }
    }
    for (size_t o = 1; o < OWN; o++) {
        lists[count++] = (list){&own[o], 0};
    }
    return count;
}

static const char *option_of(const list *l) {
    return l->own != NULL ? l->own->name : app_option_name(l->index);
}

/* What an option of the library is where no list says it: a default means one thing.
 * @param[out] text  VALUE_BYTES bytes */
static void usual_of(size_t index, char *text) {
    app_options options;
    app_options_init(&options);
    options.options.graph = PSG_GRAPH_FUSED;
    options.options.z_layout = PSG_Z_CONTIGUOUS;
    app_options_text(&options.options, index, text, VALUE_BYTES);
}

static const char *column_of(const list *l) {
    return l->own != NULL ? l->own->name : app_option_column(l->index);
}

/* The default in files. @param[out] text  VALUE_BYTES bytes */
static void standard_of(const list *l, char *text) {
    if (l->own != NULL) {
        (void)snprintf(text, VALUE_BYTES, "%s", l->own->standard);
        return;
    }
    usual_of(l->index, text);
    for (size_t d = 0; d < sizeof defaults / sizeof *defaults; d++) {
        if (strcmp(defaults[d].option, psg_option_at(l->index)->name) == 0) {
            (void)snprintf(text, VALUE_BYTES, "%s", defaults[d].word);
        }
    }
}

size_t app_lab_lists_rows(app_option_row *rows, size_t field) {
    static char arguments[APP_LAB_LISTS_MOST][64], helps[APP_LAB_LISTS_MOST][600];
    list lists[APP_LAB_LISTS_MOST];
    const size_t count = all_lists(lists);
    for (size_t l = 0; l < count; l++) {
        const struct own *o = lists[l].own;
        (void)snprintf(arguments[l], sizeof arguments[l], "%s,...",
                       o != NULL ? o->argument : app_option_argument(lists[l].index));
        if (o != NULL) {
            (void)snprintf(helps[l], sizeof helps[l], "%s", o->help);
        } else {
            char standard[VALUE_BYTES];
            usual_of(lists[l].index, standard);
            (void)snprintf(helps[l], sizeof helps[l], "%s; default: %s",
                           app_option_help(lists[l].index), standard);
        }
        rows[l] = (app_option_row){.name = option_of(&lists[l]),
                                   .argument = arguments[l],
                                   .parse = app_value_text,
                                   .field = field + l * sizeof(const char *),
                                   .expected = "values with commas between",
                                   .help = helps[l]};
    }
    rows[0].first = true; /* the grid */
    rows[0].heading =
        "Lists: values with commas between. Every combination is measured, and becomes a row";
    return count;
}

json_t *app_lab_lists_json(void) {
    list lists[APP_LAB_LISTS_MOST];
    json_t *array = json_array();
    const size_t count = all_lists(lists);
    for (size_t l = 0; l < count; l++) {
        char standard[VALUE_BYTES];
        standard_of(&lists[l], standard);
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:s, s:b}", "column", column_of(&lists[l]),
                                        "option", option_of(&lists[l]), "standard", standard,
                                        "of_solver", lists[l].own == NULL));
    }
    return array;
}

/* ------------------------------------------------------------------------------------- values */

/* One value, checked, as files have it. @param[out] value  VALUE_BYTES bytes */
static int read_value(const list *l, const char *text, char *value) {
    standard_of(l, value);
    if (strcmp(text, "default") == 0 || (l->own == NULL && strcmp(text, value) == 0)) {
        return APP_DONE;
    }
    if (l->own == NULL) {
        app_options options;
        char usual[VALUE_BYTES], given[VALUE_BYTES];
        app_options_init(&options);
        const int code = app_options_set(&options, l->index, text);
        if (!code) {
            usual_of(l->index, usual);
            app_options_text(&options.options, l->index, given, sizeof given);
            if (strcmp(given, usual) != 0) {
                memcpy(value, given, sizeof given);
            }
        }
        return code;
    }
    const struct own *o = l->own;
    const app_option_row said = {
        .name = o->name, .parse = o->parse, .choices = o->choices, .expected = o->expected};
    union {
        app_grid_value grid;
        unsigned number;
        int choice;
    } field;
    if (o->parse(text, &field, o->choices)) {
        return app_wrong_value(&said, text);
    }
    if (o->parse == app_value_grid) {
        const size_t *n = field.grid.n;
        (void)snprintf(value, VALUE_BYTES, "%zux%zux%zu", n[0], n[1], n[2]);
    } else if (o->parse == app_value_unsigned) {
        (void)snprintf(value, VALUE_BYTES, "%u", field.number);
    } else {
        (void)snprintf(value, VALUE_BYTES, "%s", text);
    }
    return APP_DONE;
}

static int add_value(const list *l, json_t *values, const char *text, size_t length) {
    char word[VALUE_BYTES], value[VALUE_BYTES];
    if (json_array_size(values) == VALUES_MOST) {
        return app_error(APP_USAGE, "--%s: more than %d values", option_of(l), VALUES_MOST);
    }
    if (length >= VALUE_BYTES) {
        return app_error(APP_USAGE, "--%s '%.*s': a value has at most %d letters", option_of(l),
                         (int)length, text, VALUE_BYTES - 1);
    }
    (void)snprintf(word, sizeof word, "%.*s", (int)length, text);
    const int code = read_value(l, word, value);
    if (!code) {
        json_array_append_new(values, json_string(value));
    }
    return code;
}

static int add_policies(const list *l, json_t *values) {
    int code = APP_DONE;
    for (size_t p = 0; psg_policy_name(p) != NULL && !code; p++) {
        code = add_value(l, values, psg_policy_name(p), strlen(psg_policy_name(p)));
    }
    return code;
}

static int split(const list *l, const char *text, json_t *values) {
    for (;;) {
        const size_t length = strcspn(text, ",");
        const bool all =
            strcmp(option_of(l), "sched") == 0 && length == 3 && strncmp(text, "all", length) == 0;
        const int code = all ? add_policies(l, values) : add_value(l, values, text, length);
        if (code || text[length] == '\0') {
            return code;
        }
        text += length + 1;
    }
}

int app_lab_list_read(size_t l, const char *text, json_t *values) {
    list lists[APP_LAB_LISTS_MOST];
    (void)all_lists(lists);
    if (text == NULL) {
        return APP_DONE;
    }
    json_t *array = json_array();
    const int code = split(&lists[l], text, array);
    app_json_put(values, column_of(&lists[l]), array);
    return code;
}

size_t app_lab_list(const char *option) {
    list lists[APP_LAB_LISTS_MOST];
    const size_t count = all_lists(lists);
    size_t l = 0;
    while (l < count && strcmp(option_of(&lists[l]), option) != 0) {
        l++;
    }
    return l;
}
