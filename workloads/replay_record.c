/* A tasks.rec has a record for each task: lines FIELD: VALUE, and an empty line at the end.
 * StarPU's starpu_fxt_tool writes such files, and psg's --dag FILE.rec. */
#include "workloads/replay_record.h"
#include "workloads/workload.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *path;
    FILE *file;
    char *text; /* the line */
    size_t text_room;
    size_t line;
    replay_records *all;
    replay_record now;
    double start, end; /* milliseconds */
    bool begun;        /* a field of the record was there */
    bool skipped;      /* it is no task */
    psg_status status;
} reader;

/* --------------------------------------------------------------------------------------- memory */

void *replay_grown(void *memory, size_t count, size_t *room, size_t item_bytes) {
    if (count < *room) {
        return memory;
    }
    const size_t wanted = 2 * *room + 64;
    void *longer = realloc(memory, wanted * item_bytes);
    *room = longer != NULL ? wanted : *room;
    return longer;
}

bool replay_list_add(replay_list *list, uint64_t item) {
    uint64_t *longer = replay_grown(list->item, list->count, &list->room, sizeof *list->item);
    if (longer != NULL) {
        list->item = longer;
        list->item[list->count++] = item;
    }
    return longer != NULL;
}

void replay_records_free(replay_records *records) {
    free(records->record);
    free(records->depends.item);
    free(records->handle.item);
    free(records->mode.item);
    free(records->size.item);
    free(records->estimate);
    memset(records, 0, sizeof *records);
}

/* ---------------------------------------------------------------------------------------- words */

static void damaged(reader *r, const char *field, const char *value, const char *why) {
    if (r->status == PSG_OK) {
        r->status = workload_fail(PSG_ERR_ARG, "%s, line %zu: %s: '%.64s' %s", r->path, r->line,
                                  field, value, why);
    }
}

static void no_memory(reader *r) {
    if (r->status == PSG_OK) {
        r->status = workload_fail(PSG_ERR_MEMORY, "no memory for the tasks of %s", r->path);
    }
}

/* --------------------------------------------------------------------------------------- values */

static uint64_t number(reader *r, const char *field, const char *text, int base, char **end) {
    errno = 0;
    const uint64_t value = isxdigit((unsigned char)*text) ? strtoull(text, end, base) : 0;
    if (!isxdigit((unsigned char)*text) || errno != 0 || *end == text) {
        damaged(r, field, text, "is no number");
        *end = NULL;
    }
    return value;
}

static uint64_t one_number(reader *r, const char *field, const char *text, int base) {
    char *end = NULL;
    const uint64_t value = number(r, field, text, base, &end);
    if (end != NULL && *end != '\0') {
        damaged(r, field, text, "is no number");
    }
    return value;
}

/* "12", or "1_12" of process 1. @param[out] end  NULL: it is none */
static replay_job job_of(reader *r, const char *field, const char *text, char **end) {
    uint64_t value = number(r, field, text, 10, end);
    if (*end != NULL && **end == '_') {
        const char *rest = *end + 1;
        value = (value + 1) << 48 | number(r, field, rest, 10, end);
    }
    if (*end != NULL && **end != '\0' && **end != ' ') {
        damaged(r, field, text, "is no number");
    }
    return value;
}

static double real(reader *r, const char *field, const char *text) {
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) {
        damaged(r, field, text, "is no time");
    }
    return value;
}

/* The words of a list, one after the other. @return NULL: there is none left */
static char *next_word(char **rest) {
    char *word = *rest + strspn(*rest, " \t");
    char *end = word + strcspn(word, " \t");
    *rest = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return *word != '\0' ? word : NULL;
}

/* --------------------------------------------------------------------------------------- fields */

typedef void (*field_reader)(reader *r, const char *field, char *value);

static void copy_text(char *to, size_t size, const char *from) {
    (void)snprintf(to, size, "%s", from);
}

static void read_control(reader *r, const char *field, char *value) {
    (void)field;
    (void)value;
    r->skipped = true;
}

static void read_name(reader *r, const char *field, char *value) {
    (void)field;
    copy_text(r->now.name, sizeof r->now.name, value);
}

static void read_model(reader *r, const char *field, char *value) {
    (void)field;
    copy_text(r->now.model, sizeof r->now.model, value);
}

static void read_job(reader *r, const char *field, char *value) {
    char *end = NULL;
    r->now.job = job_of(r, field, value, &end);
    if (r->now.job == 0) {
        damaged(r, field, value, "is no number of a task, which are from 1 on");
    }
}

static void read_order(reader *r, const char *field, char *value) {
    r->now.order = one_number(r, field, value, 10);
}

static void read_priority(reader *r, const char *field, char *value) {
    char *end = NULL;
    const long priority = strtol(value, &end, 10);
    if (end == value || *end != '\0') {
        damaged(r, field, value, "is no number");
    }
    r->now.priority = (int)(priority < INT_MIN ? INT_MIN : priority > INT_MAX ? INT_MAX : priority);
}

static void read_depends(reader *r, const char *field, char *value) {
    char *end = NULL;
    for (char *word; r->status == PSG_OK && (word = next_word(&value)) != NULL;) {
        if (!replay_list_add(&r->all->depends, job_of(r, field, word, &end))) {
            no_memory(r);
        }
    }
    r->now.depend_count = r->all->depends.count - r->now.depends;
}

static void read_worker(reader *r, const char *field, char *value) {
    const uint64_t worker = one_number(r, field, value, 10);
    if (worker >= INT_MAX) {
        damaged(r, field, value, "is no worker");
    }
    r->now.worker = (int)worker;
}

static void read_memory(reader *r, const char *field, char *value) {
    const uint64_t memory = one_number(r, field, value, 10);
    r->now.memory = memory > 0 ? 1 : 0;
}

static void read_start(reader *r, const char *field, char *value) {
    r->start = real(r, field, value);
}

static void read_end(reader *r, const char *field, char *value) {
    r->end = real(r, field, value);
}

static void read_footprint(reader *r, const char *field, char *value) {
    r->now.footprint = one_number(r, field, value, 16);
}

static void read_numbers(reader *r, const char *field, char *value, replay_list *list, int base) {
    char *end = NULL;
    for (char *word; r->status == PSG_OK && (word = next_word(&value)) != NULL;) {
        const uint64_t item = number(r, field, word, base, &end);
        if (end != NULL && *end != '\0') {
            damaged(r, field, word, "is no number");
        }
        if (!replay_list_add(list, item)) {
            no_memory(r);
        }
    }
}

static void read_handles(reader *r, const char *field, char *value) {
    read_numbers(r, field, value, &r->all->handle, 16);
}

static void read_sizes(reader *r, const char *field, char *value) {
    read_numbers(r, field, value, &r->all->size, 10);
}

/* S is scratch: 0, as nobody waits for it. */
static void read_modes(reader *r, const char *field, char *value) {
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
    enum { MODES = sizeof modes / sizeof *modes };
    for (char *word; r->status == PSG_OK && (word = next_word(&value)) != NULL;) {
        size_t m = 0;
        while (m < MODES && strcmp(modes[m].word, word) != 0) {
            m++;
        }
        if (m == MODES) {
            damaged(r, field, word, "is no way of access: R, W, RW, S, X, RWC");
        } else if (!replay_list_add(&r->all->mode, (uint64_t)modes[m].mode)) {
            no_memory(r);
        }
    }
}

/* Microseconds on each worker. */
static void read_estimates(reader *r, const char *field, char *value) {
    replay_records *all = r->all;
    for (char *word; r->status == PSG_OK && (word = next_word(&value)) != NULL;) {
        char *end = NULL;
        const double microseconds = strtod(word, &end);
        double *longer =
            replay_grown(all->estimate, all->estimates, &all->estimate_room, sizeof *longer);
        if (end == word || *end != '\0' || isnan(microseconds) || microseconds < 0) {
            damaged(r, field, word, "is no time");
        } else if (longer == NULL) {
            no_memory(r);
        } else {
            all->estimate = longer;
            all->estimate[all->estimates++] = 1e-6 * microseconds;
        }
    }
    r->now.estimates = all->estimates - r->now.estimate;
}

/* Other fields are of no use here. */
static field_reader reader_of(const char *field) {
    static const struct {
        const char *field;
        field_reader read;
    } fields[] = {{"Control", read_control},   {"Name", read_name},
                  {"Model", read_model},       {"JobId", read_job},
                  {"SubmitOrder", read_order}, {"Priority", read_priority},
                  {"DependsOn", read_depends}, {"WorkerId", read_worker},
                  {"MemoryNode", read_memory}, {"StartTime", read_start},
                  {"EndTime", read_end},       {"Footprint", read_footprint},
                  {"Handles", read_handles},   {"Modes", read_modes},
                  {"Sizes", read_sizes},       {"EstimatedTime", read_estimates}};
    for (size_t m = 0; m < sizeof fields / sizeof *fields; m++) {
        if (strcmp(fields[m].field, field) == 0) {
            return fields[m].read;
        }
    }
    return NULL;
}

/* -------------------------------------------------------------------------------------- records */

static void begin_record(reader *r) {
    const replay_records *all = r->all;
    r->now = (replay_record){.worker = -1,
                             .line = r->line + 1,
                             .seconds = NAN,
                             .depends = all->depends.count,
                             .data = all->handle.count,
                             .estimate = all->estimates};
    r->start = r->end = NAN;
    r->begun = r->skipped = false;
}

/* What stands in the record, together. */
static void check_record(reader *r) {
    const replay_records *all = r->all;
    const size_t line = r->now.line;
    const size_t data = all->handle.count;
    if (r->now.job == 0) {
        r->status = workload_fail(PSG_ERR_ARG, "%s: the record from line %zu on has no JobId",
                                  r->path, line);
    } else if (all->mode.count != data || all->size.count != data) {
        r->status = workload_fail(PSG_ERR_ARG,
                                  "%s: the record from line %zu on has %zu Handles, %zu Modes and "
                                  "%zu Sizes",
                                  r->path, line, data - r->now.data, all->mode.count - r->now.data,
                                  all->size.count - r->now.data);
    } else if (r->end < r->start) {
        r->status = workload_fail(
            PSG_ERR_ARG, "%s: the task from line %zu on ends at %g, before it starts at %g",
            r->path, line, r->end, r->start);
    }
}

static void drop_lists(reader *r) {
    r->all->depends.count = r->now.depends;
    r->all->handle.count = r->all->mode.count = r->all->size.count = r->now.data;
    r->all->estimates = r->now.estimate;
}

static void end_record(reader *r) {
    replay_records *all = r->all;
    if (!r->begun || r->status != PSG_OK) {
        return;
    }
    if (r->skipped) {
        drop_lists(r);
        return;
    }
    check_record(r);
    replay_record *longer = replay_grown(all->record, all->count, &all->room, sizeof *all->record);
    if (longer == NULL) {
        no_memory(r);
        return;
    }
    r->now.data_count = all->handle.count - r->now.data;
    r->now.seconds = 1e-3 * (r->end - r->start);
    all->record = longer;
    all->record[all->count++] = r->now;
}

static void read_line(reader *r) {
    static const char comment[] = "# psg: a task graph, gpus %d, cpus %d";
    char *colon = strchr(r->text, ':');
    if (r->text[0] == '#') {
        (void)sscanf(r->text, comment, &r->all->gpus, &r->all->cpus); /* NOLINT(cert-err34-c) */
        return;
    }
    if (colon == NULL) {
        r->status = workload_fail(PSG_ERR_ARG,
                                  "%s, line %zu: '%.64s' is no line FIELD: VALUE of a tasks.rec",
                                  r->path, r->line, r->text);
        return;
    }
    *colon = '\0';
    const field_reader read = reader_of(r->text);
    r->begun = true;
    if (read != NULL) {
        char *value = colon + 1 + strspn(colon + 1, " \t");
        read(r, r->text, value);
    }
}

/* @return 1: a line; 0: the end; -1: the last line has no end */
static int next_line(reader *r) {
    const ssize_t length = getline(&r->text, &r->text_room, r->file);
    if (length <= 0) {
        return 0;
    }
    if (r->text[length - 1] != '\n') {
        return -1;
    }
    r->text[length - 1] = '\0';
    if (length > 1 && r->text[length - 2] == '\r') {
        r->text[length - 2] = '\0';
    }
    r->line++;
    return 1;
}

static void read_all(reader *r) {
    int more = 1;
    begin_record(r);
    while (r->status == PSG_OK && (more = next_line(r)) > 0) {
        if (r->text[0] == '\0') {
            end_record(r);
            begin_record(r);
        } else {
            read_line(r);
        }
    }
    if (r->status == PSG_OK && ferror(r->file) != 0) {
        r->status = workload_fail(PSG_ERR_ARG, "%s: %s", r->path, strerror(errno));
    } else if (r->status == PSG_OK && (more < 0 || r->begun)) {
        r->status = workload_fail(PSG_ERR_ARG,
                                  "%s was cut short: it ends within the record from line %zu on, "
                                  "and not with an empty line",
                                  r->path, r->now.line);
    }
}

psg_status replay_records_read(replay_records *records, const char *path) {
    reader r = {.path = path, .all = records, .status = PSG_OK};
    records->gpus = records->cpus = -1;
    r.file = fopen(path, "r");
    if (r.file == NULL) {
        return workload_fail(PSG_ERR_ARG, "%s: %s", path, strerror(errno));
    }
    read_all(&r);
    free(r.text);
    (void)fclose(r.file);
    return r.status;
}
