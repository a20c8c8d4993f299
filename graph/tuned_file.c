/* An entry of `psg tune` as a file of options, which psg_options_read() reads. Comments say what
 * was measured; the last one is `end`, so that a file that was cut short is known by it. The name
 * of the file says what it is for. */
#include "graph/tuned_file.h"
#include "base/file.h"
#include "base/kept.h"
#include "graph/cache.h"
#include "graph/option_file.h"
#include "graph/option_table.h"
#include "graph/status.h"
#include "runtime/device.h"
#include "runtime/node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 4096 };

#define OF(member) offsetof(psg_tuned, member), sizeof((psg_tuned *)0)->member
/* Comments "# key = text". */
static const struct {
    const char *key;
    size_t offset;
    size_t bytes;
} texts[] = {
    {"cpu", OF(cpu_model)}, {"gpu", OF(gpu_model)}, {"versions", OF(versions)}, {"date", OF(date)}};
/* Comments with whole numbers, which read the same in every locale. */
static const struct {
    const char *key;
    size_t offset;
} times[] = {{"nanoseconds", offsetof(psg_tuned, seconds)},
             {"default-nanoseconds", offsetof(psg_tuned, default_seconds)}};
enum { TEXTS = sizeof texts / sizeof *texts, TIMES = sizeof times / sizeof *times };

static const char first_line[] = "# What `psg tune` found; psg solve --options FILE reads it, too.";
static const char last_line[] = "# end\n";

/* -------------------------------------------------------------------------------- writing */

/* The entry's options: one that is AUTO, 0 or "" is as by default. */
static void write_options(FILE *file, const psg_tuned *tuned) {
    static const char *const names[] = {"graph",          "z_layout", "exchange",
                                        "segment_planes", "sheets",   "policy"};
    char value[sizeof tuned->policy];
    psg_options options;
    psg_options_init(&options);
    options.graph = tuned->graph;
    options.z_layout = tuned->z_layout;
    options.exchange = tuned->exchange;
    options.segment_planes = tuned->segment_planes;
    options.sheets = tuned->sheets;
    options.policy = tuned->policy[0] != '\0' ? tuned->policy : NULL;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        if (psg_options_get(&options, names[n], value, sizeof value) == PSG_OK) {
            (void)fprintf(file, "%s = %s\n", names[n], value);
        }
    }
}

static void write_entry(FILE *file, const psg_tuned *tuned) {
    (void)fprintf(file, "%s\n", first_line);
    for (size_t t = 0; t < TEXTS; t++) {
        (void)fprintf(file, "# %s = ", texts[t].key);
        for (const char *c = (const char *)tuned + texts[t].offset; *c != '\0'; c++) {
            (void)fputc((unsigned char)*c < ' ' ? ' ' : *c, file);
        }
        (void)fputc('\n', file);
    }
    for (size_t t = 0; t < TIMES; t++) {
        double seconds = 0;
        memcpy(&seconds, (const char *)tuned + times[t].offset, sizeof seconds);
        (void)fprintf(file, "# %s = %.0f\n", times[t].key, fmax(1, 1e9 * seconds));
    }
    write_options(file, tuned);
    (void)fputs(last_line, file);
}

psg_status psg_tuned_write(const psg_tuned *tuned, const char *path) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    bool whole = file != NULL;
    if (whole) {
        write_entry(file, tuned);
        whole = base_close(file) == 0;
    }
    const int why = whole ? base_kept_write(path, text, length) : ENOMEM;
    free(text);
    return why == 0 ? PSG_OK
                    : psg_fail(PSG_ERR_RUNTIME, "%s cannot be written: %s", path, strerror(why));
}

/* -------------------------------------------------------------------------------- reading */

/* @param[out] value  what stands behind "# key = " @return false: too long, or not there */
static bool read_comment(const char *text, const char *key, char *value, size_t size) {
    char begin[64];
    const int length = snprintf(begin, sizeof begin, "\n# %s = ", key);
    const char *at = strstr(text, begin);
    const size_t bytes = at != NULL ? strcspn(at + length, "\n") : size;
    if (bytes >= size) {
        return false;
    }
    memcpy(value, at + length, bytes);
    value[bytes] = '\0';
    return true;
}

static bool read_comments(const char *text, psg_tuned *tuned) {
    bool good = true;
    for (size_t t = 0; t < TEXTS && good; t++) {
        good = read_comment(text, texts[t].key, (char *)tuned + texts[t].offset, texts[t].bytes);
    }
    for (size_t t = 0; t < TIMES && good; t++) {
        char value[32];
        char *end = value;
        good = read_comment(text, times[t].key, value, sizeof value);
        const double seconds = good ? 1e-9 * (double)strtoull(value, &end, 10) : 0;
        good = good && end != value && *end == '\0';
        memcpy((char *)tuned + times[t].offset, &seconds, sizeof seconds);
    }
    return good;
}

static bool read_options(char *text, const char *path, psg_tuned *tuned) {
    psg_options options;
    psg_options_init(&options);
    if (psg_options_parse(&options, text, path) != PSG_OK ||
        (options.policy != NULL && strlen(options.policy) >= sizeof tuned->policy)) {
        psg_clear_error();
        return false;
    }
    tuned->graph = options.graph;
    tuned->z_layout = options.z_layout;
    tuned->exchange = options.exchange;
    tuned->segment_planes = options.segment_planes;
    tuned->sheets = options.sheets;
    (void)snprintf(tuned->policy, sizeof tuned->policy, "%s",
                   options.policy != NULL ? options.policy : "");
    return true;
}

static void set_name(psg_tuned *tuned) {
    (void)snprintf(tuned->name, sizeof tuned->name, "tuned-%s-%zuc%zug-%zux%zux%zu-%s",
                   psg_option_table_word("precision", (int)tuned->precision), tuned->cpus,
                   tuned->gpus, tuned->n[0], tuned->n[1], tuned->n[2], tuned->host);
}

/* What set_name() has written. */
static bool read_name(const char *name, psg_tuned *tuned) {
    char word[8];
    int choice = 0;
    int host = 0;
    (void)sscanf(name, "tuned-%7[a-z0-9]-%zuc%zug-%zux%zux%zu-%n", word, &tuned->cpus, &tuned->gpus,
                 &tuned->n[0], &tuned->n[1], &tuned->n[2], &host);
    if (host == 0 || !psg_option_table_choice("precision", word, &choice)) {
        return false;
    }
    tuned->precision = (psg_precision)choice;
    (void)snprintf(tuned->host, sizeof tuned->host, "%s", name + host);
    set_name(tuned);
    return strcmp(tuned->name, name) == 0;
}

bool psg_tuned_read(psg_tuned *tuned, const char *path, const char *name) {
    char *text = base_kept_read(path, FILE_BYTES, NULL);
    const size_t length = text != NULL ? strlen(text) : 0;
    const size_t last = strlen(last_line);
    memset(tuned, 0, sizeof *tuned);
    const bool good = length > last && strcmp(text + length - last, last_line) == 0 &&
                      strncmp(text, first_line, strlen(first_line)) == 0 &&
                      read_name(name, tuned) && read_comments(text, tuned) &&
                      read_options(text, path, tuned) && psg_tuned_wrong(tuned) == NULL;
    free(text);
    if (!good) {
        memset(tuned, 0, sizeof *tuned);
    }
    return good;
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
    if (tuned->gpus > 0 && psg_devices != NULL) {
        psg_devices->model(device, tuned->gpu_model, sizeof tuned->gpu_model);
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
