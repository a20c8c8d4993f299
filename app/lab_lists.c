/* From comma-separated lists to values. An option of the library's table is a list unless it stands
 * below in `decided`; what its values mean is said by the table. */
#include "app/lab_lists.h"
#include "app/app.h"
#include "app/json.h"
#include "app/members.h"
#include "graph/psg_machine.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What `psg bench` decides itself, or has an option of its own for: the known answer is that of one
 * equation, and configurations are compared as they are. */
static const char *const decided[] = {
    "symbol",    "lambda", "factor", "mean",       "mean_tolerance", "kernel", "calibrate",
    "cache_dir", "tuned",  "record", "time_limit", "machine",        "batch"};

/* A default has these words in files. Others have the library's, or the first of their choices. */
static const struct {
    const char *option, *word;
} defaults[] = {{"cpus", "default"},     {"gpus", "default"},    {"sched", "default"},
                {"exchange", "default"}, {"network", "default"}, {"segment-planes", "0"},
                {"sheets", "0"},         {"tile", "default"},    {"ranks", "1"}};

/* Lines of psg measure do not say it: who starts psg measure does. */
static const app_option_row ranks_row = {
    .name = "ranks",
    .argument = "N",
    .parse = app_value_unsigned,
    .field = offsetof(app_members, tile),
    .expected = "a whole number from 1",
    .help = "processes, which share the grid by MPI; --cpus and --gpus are those of each; default: "
            "1"};

enum { VALUES_MOST = 256, VALUE_BYTES = 64 };

/* ---------------------------------------------------------------------------- which there are */

typedef struct list {
    app_option_row row; /* of one value */
    size_t index;       /* its psg_option_at(); SIZE_MAX: it is no option of the library */
    const char *column;
    char standard[VALUE_BYTES]; /* the default in files */
    char argument[64];          /* of all values */
    char help[600];
} list;

static list lists[APP_LAB_LISTS_MOST];
static size_t list_count;

/* What an option of the library is where no list says it: a default means one thing.
 * @param[out] text  VALUE_BYTES bytes */
static void usual_of(size_t index, char *text) {
    app_options options;
    app_options_init(&options);
    options.options.graph = PSG_GRAPH_FUSED;
    options.options.z_layout = PSG_Z_CONTIGUOUS;
    app_options_text(&options.options, index, text, VALUE_BYTES);
}

static void add(const app_option_row *row, size_t index, const char *standard) {
    list *l = &lists[list_count++];
    *l = (list){.row = *row, .index = index};
    l->column = index == SIZE_MAX ? row->name : app_option_column(index);
    (void)snprintf(l->argument, sizeof l->argument, "%s,...", row->argument);
    (void)snprintf(l->help, sizeof l->help, "%s%s%s", row->help,
                   index == SIZE_MAX ? "" : "; default: ", index == SIZE_MAX ? "" : standard);
    for (size_t d = 0; d < sizeof defaults / sizeof *defaults; d++) {
        standard = strcmp(defaults[d].option, row->name) == 0 ? defaults[d].word : standard;
    }
    (void)snprintf(l->standard, sizeof l->standard, "%s", standard);
}

static void add_options_of_library(void) {
    for (size_t index = 0; psg_option_at(index) != NULL; index++) {
        const app_option_row row = {.name = app_option_name(index),
                                    .argument = app_option_argument(index),
                                    .help = app_option_help(index)};
        char usual[VALUE_BYTES];
        bool here = true;
        for (size_t d = 0; d < sizeof decided / sizeof *decided; d++) {
            here = here && strcmp(decided[d], psg_option_at(index)->name) != 0;
        }
        usual_of(index, usual);
        if (here) {
            add(&row, index, usual);
        }
    }
}

static void find_lists(void) {
    for (const app_option_row *row = app_member_rows; row->name != NULL; row++) {
        add(row, SIZE_MAX, row->choices != NULL ? row->choices[0].name : "");
        if (strcmp(row->name, "grid") == 0) {
            add_options_of_library();
        }
        if (strcmp(row->name, "data") == 0) {
            add(&ranks_row, SIZE_MAX, "");
        }
    }
}

/* @return NULL: there is no such list */
static const list *find_list(const char *option) {
    if (list_count == 0) {
        find_lists();
    }
    for (size_t l = 0; l < list_count; l++) {
        if (strcmp(lists[l].row.name, option) == 0) {
            return &lists[l];
        }
    }
    return NULL;
}

bool app_lab_is_list(const char *option) {
    return find_list(option) != NULL;
}

size_t app_lab_lists_rows(app_option_row *rows) {
    (void)find_list("grid");
    for (size_t l = 0; l < list_count; l++) {
        rows[l] = (app_option_row){.name = lists[l].row.name,
                                   .argument = lists[l].argument,
                                   .expected = "values with commas between",
                                   .help = lists[l].help,
                                   .first = lists[l].row.first};
    }
    rows[0].heading =
        "Lists: values with commas between. Every combination is measured, and becomes a row";
    return list_count;
}

json_t *app_lab_lists_json(void) {
    json_t *array = json_array();
    (void)find_list("grid");
    for (const list *l = lists; l < lists + list_count; l++) {
        json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:b}", "column", l->column,
                                               "option", l->row.name, "standard", l->standard,
                                               "of_solver", l->index != SIZE_MAX));
    }
    return array;
}

/* ------------------------------------------------------------------------------------- values */

/* @param[out] value  as files have it, VALUE_BYTES bytes */
static int read_option_of_library(const list *l, const char *text, char *value) {
    app_options options;
    char usual[VALUE_BYTES], given[VALUE_BYTES];
    app_options_init(&options);
    const int code = app_options_set(&options, l->index, text);
    if (!code) {
        usual_of(l->index, usual);
        app_options_text(&options.options, l->index, given, sizeof given);
        memcpy(value, strcmp(given, usual) != 0 ? given : l->standard, VALUE_BYTES);
    }
    return code;
}

static int read_member(const list *l, const char *text, char *value) {
    app_members members;
    const app_option_row *row = &l->row;
    const size_t *n = members.grid.n;
    if (row->parse(text, (char *)&members + row->field, row->choices)) {
        return app_wrong_value(row, text);
    }
    if (row->parse == app_value_grid) {
        app_grid_thin(&members.grid);
        (void)snprintf(value, VALUE_BYTES, "%zux%zux%zu", n[0], n[1], n[2]);
    } else if (row->parse == app_value_unsigned) {
        (void)snprintf(value, VALUE_BYTES, "%u", members.tile);
    } else {
        (void)snprintf(value, VALUE_BYTES, "%s", text);
    }
    return APP_DONE;
}

/* Adds one value. */
static int read_value(const list *l, const char *text, json_t *values) {
    char value[VALUE_BYTES];
    const bool of_library = l->index != SIZE_MAX;
    int code = APP_DONE;
    if (json_array_size(values) == VALUES_MOST) {
        return app_error(APP_USAGE, "--%s: more than %d values", l->row.name, VALUES_MOST);
    }
    memcpy(value, l->standard, sizeof value);
    if (!of_library) {
        code = read_member(l, text, value);
    } else if (strcmp(text, value) != 0) {
        code = read_option_of_library(l, text, value);
    }
    if (!code) {
        json_array_append_new(values, json_string(value));
    }
    return code;
}

static int read_policies(const list *l, json_t *values) {
    int code = APP_DONE;
    for (size_t p = 0; psg_policy_name(p) != NULL && !code; p++) {
        code = read_value(l, psg_policy_name(p), values);
    }
    return code;
}

static int split(const list *l, const char *text, json_t *values) {
    int code = APP_DONE;
    for (size_t length; !code; text += length + 1) {
        char word[VALUE_BYTES];
        length = strcspn(text, ",");
        if (length >= VALUE_BYTES) {
            return app_error(APP_USAGE, "--%s '%.*s': a value has at most %d letters", l->row.name,
                             (int)length, text, VALUE_BYTES - 1);
        }
        (void)snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (strcmp(word, "default") == 0) {
            json_array_append_new(values, json_string(l->standard));
        } else {
            code = strcmp(l->row.name, "sched") == 0 && strcmp(word, "all") == 0
                       ? read_policies(l, values)
                       : read_value(l, word, values);
        }
        if (text[length] == '\0') {
            break;
        }
    }
    return code;
}

int app_lab_list_read(const char *option, const char *text, bool single, json_t *values) {
    const list *l = find_list(option);
    json_t *array = json_array();
    const int code = single ? read_value(l, text, array) : split(l, text, array);
    app_json_put(values, l->column, array);
    return code;
}
