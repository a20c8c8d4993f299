/* A tasks.rec has a record for each task: lines FIELD: VALUE, and an empty line at the end.
 * StarPU's starpu_fxt_tool writes such files, and psg's --dag FILE.rec. */
#include "base/file.h"
#include "workloads/replay.h"
#include "workloads/workload.h"

#include <ctype.h>
#include <errno.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- values */

static bool read_number(const char *word, int base, uint64_t *number) {
    char *end = NULL;
    errno = 0;
    *number = isxdigit((unsigned char)*word) ? strtoull(word, &end, base) : 0;
    return end != NULL && end != word && *end == '\0' && errno == 0;
}

static bool decimal(char *word, replay_value *value) {
    return read_number(word, 10, &value->number);
}

static bool hexadecimal(char *word, replay_value *value) {
    return read_number(word, 16, &value->number);
}

static bool whole(char *word, replay_value *value) {
    char *end = NULL;
    value->number = (uint64_t)strtoll(word, &end, 10);
    return end != word && *end == '\0';
}

static bool real(char *word, replay_value *value) {
    char *end = NULL;
    value->real = strtod(word, &end);
    return end != word && *end == '\0' && value->real >= 0;
}

/* "12", or "1_12" of process 1. */
static bool job(char *word, replay_value *value) {
    char *number = strchr(word, '_');
    uint64_t process = 0;
    if (number != NULL) {
        *number++ = '\0';
        if (!read_number(word, 10, &process)) {
            return false;
        }
        process = (process + 1) << 48;
    }
    const bool good = decimal(number != NULL ? number : word, value) && value->number > 0;
    value->number += process;
    return good;
}

/* S is scratch: nobody waits for it. */
static bool mode(char *word, replay_value *value) {
    static const struct {
        const char *word;
        int mode;
    } modes[] = {{"R", STARPU_R},
                 {"W", STARPU_W},
                 {"RW", STARPU_RW},
                 {"S", 0},
                 {"RWC", STARPU_RW | STARPU_COMMUTE},
                 {"WC", STARPU_RW | STARPU_COMMUTE},
                 {"X", STARPU_RW | STARPU_COMMUTE},
                 {"X-mpi", STARPU_RW | STARPU_COMMUTE}};
    size_t m = 0;
    while (m < sizeof modes / sizeof *modes && strcmp(modes[m].word, word) != 0) {
        m++;
    }
    value->number = m < sizeof modes / sizeof *modes ? (uint64_t)modes[m].mode : 0;
    return m < sizeof modes / sizeof *modes;
}

/* --------------------------------------------------------------------------------------- fields */

#define NO_NUMBER "is no number"

static const struct {
    const char *name;
    bool (*read)(char *word, replay_value *value); /* it may change the word */
    bool list;
    const char *wrong;
} fields[REPLAY_FIELDS] = {
    [REPLAY_JOB] = {"JobId", job, false, "is no number of a task, which are from 1 on"},
    [REPLAY_ORDER] = {"SubmitOrder", decimal, false, NO_NUMBER},
    [REPLAY_PRIORITY] = {"Priority", whole, false, NO_NUMBER},
    [REPLAY_DEPENDS] = {"DependsOn", job, true, NO_NUMBER},
    [REPLAY_WORKER] = {"WorkerId", decimal, false, NO_NUMBER},
    [REPLAY_MEMORY] = {"MemoryNode", decimal, false, NO_NUMBER},
    [REPLAY_START] = {"StartTime", real, false, "is no time"},
    [REPLAY_END] = {"EndTime", real, false, "is no time"},
    [REPLAY_KIND] = {"Footprint", hexadecimal, false, NO_NUMBER},
    [REPLAY_HANDLES] = {"Handles", hexadecimal, true, NO_NUMBER},
    [REPLAY_MODES] = {"Modes", mode, true, "is no way of access: R, W, RW, S, X, RWC"},
    [REPLAY_SIZES] = {"Sizes", decimal, true, NO_NUMBER},
    [REPLAY_ESTIMATES] = {"EstimatedTime", real, true, "is no time"}};

typedef struct reader {
    const char *path;
    replay_records *all;
    replay_record *now;
    size_t line;
    bool begun;   /* a field of the record was there */
    bool skipped; /* it is no task */
} reader;

static psg_status read_values(reader *r, int field, char *text) {
    replay_records *all = r->all;
    char *rest = NULL;
    size_t count = 0;
    r->now->field[field].first = all->values;
    for (char *word = strtok_r(text, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        char shown[64];
        (void)snprintf(shown, sizeof shown, "%s", word);
        if (!fields[field].read(word, &all->value[all->values++]) ||
            (++count > 1 && !fields[field].list)) {
            return workload_fail(PSG_ERR_ARG, "%s, line %zu: %s: '%s' %s", r->path, r->line,
                                 fields[field].name, shown, fields[field].wrong);
        }
    }
    r->now->field[field].count = count;
    return PSG_OK;
}

/* Other fields are of no use here. */
static psg_status read_line(reader *r, char *line) {
    char *colon = strchr(line, ':');
    if (line[0] == '#') {
        (void)sscanf(line, "# psg: a task graph, gpus %d, cpus %d", /* NOLINT(cert-err34-c) */
                     &r->all->gpus, &r->all->cpus);
        return PSG_OK;
    }
    if (colon == NULL) {
        return workload_fail(PSG_ERR_ARG,
                             "%s, line %zu: '%.64s' is no line FIELD: VALUE of a tasks.rec",
                             r->path, r->line, line);
    }
    *colon = '\0';
    char *value = colon + 1 + strspn(colon + 1, " \t");
    r->begun = true;
    r->skipped = r->skipped || strcmp(line, "Control") == 0;
    r->now->name = strcmp(line, "Name") == 0 ? value : r->now->name;
    r->now->model = strcmp(line, "Model") == 0 ? value : r->now->model;
    for (int m = 0; m < REPLAY_FIELDS; m++) {
        if (strcmp(line, fields[m].name) == 0) {
            return read_values(r, m, value);
        }
    }
    return PSG_OK;
}

/* -------------------------------------------------------------------------------------- records */

static void begin_record(reader *r) {
    r->now = &r->all->record[r->all->count];
    *r->now = (replay_record){.line = r->line + 1, .name = "", .model = ""};
    r->begun = r->skipped = false;
}

static psg_status end_record(reader *r) {
    const replay_record *now = r->now;
    const size_t at = r->all->count, data = now->field[REPLAY_HANDLES].count;
    if (!r->begun || r->skipped) {
        return PSG_OK;
    }
    r->all->count++;
    if (now->field[REPLAY_JOB].count == 0) {
        return workload_fail(PSG_ERR_ARG, "%s: the record from line %zu on has no JobId", r->path,
                             now->line);
    }
    if (now->field[REPLAY_MODES].count != data || now->field[REPLAY_SIZES].count != data) {
        return workload_fail(
            PSG_ERR_ARG, "%s: the record from line %zu on has %zu Handles, %zu Modes and %zu Sizes",
            r->path, now->line, data, now->field[REPLAY_MODES].count,
            now->field[REPLAY_SIZES].count);
    }
    const bool ran = now->field[REPLAY_START].count > 0 && now->field[REPLAY_END].count > 0;
    const double start = ran ? replay_at(r->all, at, REPLAY_START, 0).real : 0;
    const double end = ran ? replay_at(r->all, at, REPLAY_END, 0).real : 0;
    return end >= start
               ? PSG_OK
               : workload_fail(PSG_ERR_ARG,
                               "%s: the task from line %zu on ends at %g, before it starts at %g",
                               r->path, now->line, end, start);
}

static psg_status read_all(reader *r) {
    psg_status status = PSG_OK;
    char *line = r->all->text;
    begin_record(r);
    for (char *end; status == PSG_OK && (end = strchr(line, '\n')) != NULL; line = end + 1) {
        r->line++;
        *end = '\0';
        if (end > line && end[-1] == '\r') {
            end[-1] = '\0';
        }
        if (line[0] != '\0') {
            status = read_line(r, line);
        } else {
            status = end_record(r);
            begin_record(r);
        }
    }
    return status == PSG_OK && (line[0] != '\0' || r->begun)
               ? workload_fail(PSG_ERR_ARG,
                               "%s was cut short: it ends within the record from line %zu on, "
                               "and not with an empty line",
                               r->path, r->now->line)
               : status;
}

/* All of the file: a byte 0 ends it. */
static psg_status read_text(replay_records *records, const char *path) {
    const char *why = NULL;
    size_t room = 0;
    FILE *file = base_fopen_regular(path, &why);
    if (file == NULL) {
        return workload_fail(PSG_ERR_ARG, "%s: %s", path, why);
    }
    const ssize_t length = getdelim(&records->text, &room, '\0', file);
    const psg_status status =
        ferror(file) != 0 ? workload_fail(PSG_ERR_ARG, "%s: %s", path, strerror(errno)) : PSG_OK;
    if (length <= 0 && records->text != NULL) {
        records->text[0] = '\0';
    }
    (void)fclose(file);
    return status;
}

psg_status replay_records_read(replay_records *records, const char *path) {
    reader r = {.path = path, .all = records};
    size_t lines = 2, words = 2;
    records->gpus = records->cpus = -1;
    const psg_status status = read_text(records, path);
    for (const char *c = records->text; c != NULL && *c != '\0'; c++) {
        lines += *c == '\n';
        words += *c == '\n' || *c == ' ' || *c == '\t';
    }
    records->record = malloc(lines * sizeof *records->record);
    records->value = malloc(words * sizeof *records->value);
    return status != PSG_OK ? status
           : records->text == NULL || records->record == NULL || records->value == NULL
               ? PSG_ERR_MEMORY
               : read_all(&r);
}

void replay_records_free(replay_records *records) {
    free(records->text);
    free(records->value);
    free(records->record);
}
