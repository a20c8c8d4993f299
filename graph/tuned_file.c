/* An entry of `psg tune` as a file: a line for each value, in a fixed order, and `end`, so that one
 * that was cut short is known by it. Its name says what it is for. */
#include "graph/tuned_file.h"
#include "base/file.h"
#include "base/kept.h"
#include "graph/cache.h"
#include "graph/option_table.h"
#include "graph/status.h"
#include "runtime/device.h"
#include "runtime/node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind {
    TEXT,       /* char[bytes]; "-" is "" */
    COUNT,      /* size_t */
    NANOSECOND, /* double in seconds: whole numbers read the same in every locale */
    CHOICE,     /* an enum: its words are those of the option */
} kind;

#define OF(member) offsetof(psg_tuned, member), sizeof((psg_tuned *)0)->member
static const struct row {
    const char *key;
    kind kind;
    size_t offset;
    size_t bytes;
    const char *option; /* of a choice */
} rows[] = {
    {"host", TEXT, OF(host), NULL},
    {"cpu", TEXT, OF(cpu_model), NULL},
    {"gpu", TEXT, OF(gpu_model), NULL},
    {"versions", TEXT, OF(versions), NULL},
    {"date", TEXT, OF(date), NULL},
    {"cpus", COUNT, OF(cpus), NULL},
    {"gpus", COUNT, OF(gpus), NULL},
    {"precision", CHOICE, OF(precision), "precision"},
    {"nx", COUNT, OF(n[0]), NULL},
    {"ny", COUNT, OF(n[1]), NULL},
    {"nz", COUNT, OF(n[2]), NULL},
    {"graph", CHOICE, OF(graph), "graph"},
    {"z", CHOICE, OF(z_layout), "z_layout"},
    {"exchange", CHOICE, OF(exchange), "exchange"},
    {"segment-planes", COUNT, OF(segment_planes), NULL},
    {"sheets", COUNT, OF(sheets), NULL},
    {"sched", TEXT, OF(policy), NULL},
    {"nanoseconds", NANOSECOND, OF(seconds), NULL},
    {"default-nanoseconds", NANOSECOND, OF(default_seconds), NULL},
};
enum { ROWS = sizeof rows / sizeof *rows, FILE_BYTES = 4096 };

static const char first_line[] = "psg tuned 1";
static const char last_line[] = "end";

/* -------------------------------------------------------------------------------- writing */

/* One line has one value, whatever is in a name. */
static void text_line(FILE *file, const char *key, const char *text) {
    (void)fprintf(file, "%s ", key);
    for (const char *c = text[0] != '\0' ? text : "-"; *c != '\0'; c++) {
        (void)fputc((unsigned char)*c < ' ' ? ' ' : *c, file);
    }
    (void)fputc('\n', file);
}

static void write_rows(FILE *file, const psg_tuned *tuned) {
    (void)fprintf(file, "%s\n", first_line);
    for (size_t r = 0; r < ROWS; r++) {
        const char *value = (const char *)tuned + rows[r].offset;
        size_t count = 0;
        double seconds = 0;
        int choice = 0;
        switch (rows[r].kind) {
        case TEXT:
            text_line(file, rows[r].key, value);
            break;
        case COUNT:
            memcpy(&count, value, sizeof count);
            (void)fprintf(file, "%s %zu\n", rows[r].key, count);
            break;
        case NANOSECOND:
            memcpy(&seconds, value, sizeof seconds);
            (void)fprintf(file, "%s %.0f\n", rows[r].key, fmax(1, 1e9 * seconds));
            break;
        default:
            memcpy(&choice, value, sizeof choice);
            text_line(file, rows[r].key, psg_option_table_word(rows[r].option, choice));
        }
    }
    (void)fprintf(file, "%s\n", last_line);
}

psg_status psg_tuned_write(const psg_tuned *tuned, const char *path) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    bool whole = file != NULL;
    if (whole) {
        write_rows(file, tuned);
        whole = base_close(file) == 0;
    }
    const int why = whole ? base_kept_write(path, text, length) : ENOMEM;
    free(text);
    return why == 0 ? PSG_OK
                    : psg_fail(PSG_ERR_RUNTIME, "%s cannot be written: %s", path, strerror(why));
}

/* -------------------------------------------------------------------------------- reading */

static bool read_count(const char *text, size_t *count) {
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    *count = (size_t)value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && value <= SIZE_MAX;
}

static bool read_value(const struct row *row, const char *text, char *value) {
    size_t count = 0;
    int choice = 0;
    switch (row->kind) {
    case TEXT:
        if (text[0] == '\0' || strlen(text) >= row->bytes) {
            return false;
        }
        (void)snprintf(value, row->bytes, "%s", strcmp(text, "-") == 0 ? "" : text);
        return true;
    case COUNT:
        if (read_count(text, &count)) {
            memcpy(value, &count, sizeof count);
            return true;
        }
        return false;
    case NANOSECOND:
        if (read_count(text, &count)) {
            const double seconds = 1e-9 * (double)count;
            memcpy(value, &seconds, sizeof seconds);
            return true;
        }
        return false;
    default:
        if (psg_option_table_choice(row->option, text, &choice)) {
            memcpy(value, &choice, sizeof choice);
            return true;
        }
        return false;
    }
}

/* The next line, its end made a 0; NULL where none ends any more. */
static char *next_line(char **rest) {
    char *line = *rest;
    char *end = strchr(line, '\n');
    if (end == NULL) {
        return NULL;
    }
    *end = '\0';
    *rest = end + 1;
    return line;
}

static bool read_rows(char *text, psg_tuned *tuned) {
    char *rest = text;
    const char *line = next_line(&rest);
    bool fits = line != NULL && strcmp(line, first_line) == 0;
    for (size_t r = 0; fits && r < ROWS; r++) {
        const size_t length = strlen(rows[r].key);
        line = next_line(&rest);
        fits = line != NULL && strncmp(line, rows[r].key, length) == 0 && line[length] == ' ' &&
               read_value(&rows[r], line + length + 1, (char *)tuned + rows[r].offset);
    }
    line = fits ? next_line(&rest) : NULL;
    return line != NULL && strcmp(line, last_line) == 0 && *rest == '\0';
}

static void set_name(psg_tuned *tuned) {
    (void)snprintf(tuned->name, sizeof tuned->name, "tuned-%s-%zuc%zug-%zux%zux%zu-%s",
                   psg_option_table_word("precision", (int)tuned->precision), tuned->cpus,
                   tuned->gpus, tuned->n[0], tuned->n[1], tuned->n[2], tuned->host);
}

bool psg_tuned_read(psg_tuned *tuned, const char *path, const char *name) {
    char *text = base_kept_read(path, FILE_BYTES, NULL);
    memset(tuned, 0, sizeof *tuned);
    const bool good = text != NULL && read_rows(text, tuned) && psg_tuned_wrong(tuned) == NULL;
    free(text);
    if (good) {
        set_name(tuned);
        if (strcmp(tuned->name, name) == 0) {
            return true;
        }
    }
    memset(tuned, 0, sizeof *tuned);
    return false;
}

/* ------------------------------------------------------------------------------- contents */

static bool is_policy(const char *name) {
    for (size_t m = 0; psg_policy_name(m) != NULL; m++) {
        if (strcmp(name, psg_policy_name(m)) == 0) {
            return true;
        }
    }
    return name[0] == '\0';
}

const char *psg_tuned_wrong(const psg_tuned *t) {
    if ((int)t->precision < 0 || t->precision >= PSG_PRECISION_COUNT) {
        return "precision is none";
    }
    if ((t->cpus == 0) == (t->gpus == 0)) {
        return "either cpus or gpus take the tasks";
    }
    if (t->n[0] == 0 || t->n[1] == 0 || t->n[2] == 0) {
        return "an axis has no points";
    }
    if ((int)t->graph < 0 || t->graph >= PSG_GRAPH_COUNT) {
        return "graph is none";
    }
    if ((int)t->z_layout < 0 || t->z_layout >= PSG_Z_COUNT) {
        return "z_layout is none";
    }
    if (t->exchange != PSG_EXCHANGE_AUTO && t->exchange != PSG_EXCHANGE_MANAGED) {
        return "exchange is neither AUTO nor MANAGED";
    }
    if (t->segment_planes > t->n[2] || t->sheets > t->n[1]) {
        return "segment_planes or sheets is more than there are";
    }
    if (memchr(t->policy, '\0', sizeof t->policy) == NULL || !is_policy(t->policy)) {
        return "policy is none of StarPU's";
    }
    if (!(t->seconds > 0 && t->seconds < 1e9) ||
        !(t->default_seconds > 0 && t->default_seconds < 1e9)) {
        return "seconds and default_seconds are times above 0";
    }
    return NULL;
}

void psg_tuned_key(psg_tuned *tuned, int device) {
    psg_cache_host(tuned->host, sizeof tuned->host);
    psg_share_machine(tuned->cpu_model, sizeof tuned->cpu_model, NULL);
    tuned->gpu_model[0] = '\0';
    if (tuned->gpus > 0) {
        psg_device_model(device, tuned->gpu_model, sizeof tuned->gpu_model);
    }
    tuned->versions[0] = '\0';
    for (int c = 0; c < PSG_COMPONENT_MPI; c++) {
        const char *version = psg_component_version((psg_component)c);
        const size_t used = strlen(tuned->versions);
        if (version != NULL) {
            (void)snprintf(tuned->versions + used, sizeof tuned->versions - used, "%s%s %s",
                           used > 0 ? ", " : "", psg_component_name((psg_component)c), version);
        }
    }
    set_name(tuned);
}
