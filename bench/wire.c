/* A visit on its way to the processes that measure, and the records on their way back. */
#include "bench/wire.h"
#include "app/app.h"
#include "app/processes.h"
#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -------------------------------------------------------------------------------------- visits */

/* What stands before the configurations, and says that it is these which follow. */
typedef struct head {
    char name[16];
    size_t bytes[3];   /* of the structs that are sent: those of another build may be others */
    bench_visit visit; /* its pointers mean nothing */
} head;

static const head expected = {.name = "psg visit",
                              .bytes = {sizeof(head), sizeof(bench_config), sizeof(bench_record)}};

/* The values that are no defaults alone, each after its number: most are defaults, and the disk may be small. */
static void put_config(FILE *file, const bench_config *config) {
    fwrite(config, offsetof(bench_config, value), 1, file);
    for (int index = 0; index < APP_OPTIONS_MOST; index++) {
        if (config->value[index][0] != '\0') {
            fputc(index, file);
            fwrite(config->value[index], sizeof config->value[index], 1, file);
        }
    }
    fputc(APP_OPTIONS_MOST, file);
}

static bool get_config(FILE *file, bench_config *config) {
    bool good = fread(config, offsetof(bench_config, value), 1, file) == 1;
    int index = 0;
    while (good && (index = fgetc(file)) != APP_OPTIONS_MOST) {
        good = index >= 0 && index < APP_OPTIONS_MOST &&
               fread(config->value[index], sizeof config->value[index], 1, file) == 1;
    }
    return good;
}

int bench_wire_put_visit(FILE *file, const bench_visit *visit) {
    head h = expected;
    if (visit != NULL) {
        h.visit = *visit;
    }
    fwrite(&h, sizeof h, 1, file);
    if (visit != NULL) {
        fwrite(visit->which, sizeof *visit->which, visit->count, file);
        for (size_t c = 0; c < visit->configs; c++) {
            put_config(file, &visit->config[c]);
        }
    }
    return fflush(file) || ferror(file) ? -1 : 0;
}

static int read_head(FILE *file, head *h) {
    if (app_rank() == 0 &&
        (fread(h, sizeof *h, 1, file) != 1 || memcmp(h, &expected, offsetof(head, visit)) != 0)) {
        return app_error(APP_USAGE, "psg visit is started by psg bench alone");
    }
    return APP_DONE;
}

static int read_arrays(FILE *file, bench_visit *visit) {
    if (visit->which == NULL || visit->config == NULL) {
        return app_error(APP_FAILED, "out of memory for %zu configurations", visit->configs);
    }
    bool good = app_rank() > 0 ||
                fread(visit->which, sizeof *visit->which, visit->count, file) == visit->count;
    for (size_t c = 0; app_rank() == 0 && good && c < visit->configs; c++) {
        good = get_config(file, &visit->config[c]);
    }
    if (!good) {
        return app_error(APP_FAILED, "psg visit: not all configurations have come");
    }
    return APP_DONE;
}

int bench_wire_get_visit(FILE *file, bench_visit *visit) {
    head h;
    memset(&h, 0, sizeof h);
    int code = app_ranks_agree(read_head(file, &h));
    app_ranks_share(&h, sizeof h);
    *visit = h.visit;
    visit->which = NULL;
    visit->config = NULL;
    visit->mpirun = NULL;
    if (code || visit->count == 0) {
        return code;
    }
    visit->which = calloc(visit->count, sizeof *visit->which);
    visit->config = calloc(visit->configs, sizeof *visit->config);
    code = app_ranks_agree(read_arrays(file, visit));
    if (!code) {
        app_ranks_share(visit->which, visit->count * sizeof *visit->which);
        app_ranks_share(visit->config, visit->configs * sizeof *visit->config);
    }
    return code;
}

void bench_wire_free_visit(bench_visit *visit) {
    free(visit->which);
    free(visit->config);
    visit->which = NULL;
    visit->config = NULL;
}

/* ------------------------------------------------------------------------------------- records */

static const char mark[] = "psg-record ";
enum { MARK = sizeof mark - 1 };

int bench_wire_put_record(int file, const bench_record *record) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char *bytes = (const unsigned char *)record;
    char line[MARK + 2 * sizeof *record + 1];
    size_t used = sizeof *record, length = MARK;
    while (used > 0 && bytes[used - 1] == 0) { /* most are short texts */
        used--;
    }
    memcpy(line, mark, MARK);
    for (size_t b = 0; b < used; b++) {
        line[length++] = digits[bytes[b] >> 4];
        line[length++] = digits[bytes[b] & 15];
    }
    line[length++] = '\n';
    return base_write(file, line, length) ? 0 : -1;
}

static int digit(char letter) {
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                            : -1;
}

/* Is the line a record? A launcher may put words of its own before it. */
static bool read_line(const char *line, bench_record *record) {
    const char *hex = strstr(line, mark);
    unsigned char *bytes = (unsigned char *)record;
    size_t used = 0;
    if (hex == NULL) {
        return false;
    }
    memset(record, 0, sizeof *record);
    for (hex += MARK; digit(hex[0]) >= 0 && digit(hex[1]) >= 0; hex += 2) {
        if (used == sizeof *record) {
            return false;
        }
        bytes[used++] = (unsigned char)(digit(hex[0]) << 4 | digit(hex[1]));
    }
    return hex[0] == '\0' || hex[0] == '\r';
}

/* Take whole lines out of what was read, up to the first that is a record; a line that is longer
 * than any record is nobody's. */
static bool take_lines(bench_wire_reader *reader, bench_record *record) {
    for (;;) {
        char *end = memchr(reader->text, '\n', reader->length);
        if (end == NULL && reader->length + 1 < sizeof reader->text) {
            return false;
        }
        const size_t line = end != NULL ? (size_t)(end - reader->text) : reader->length;
        const size_t taken = end != NULL ? line + 1 : line;
        reader->text[line] = '\0';
        const bool found = read_line(reader->text, record);
        if (!found) {
            fprintf(reader->others, "%s\n", reader->text);
        }
        reader->length -= taken;
        memmove(reader->text, reader->text + taken, reader->length);
        if (found) {
            return true;
        }
    }
}

int bench_wire_get_record(bench_wire_reader *reader, unsigned patience, bench_record *record) {
    const double until = app_now() + patience;
    while (!take_lines(reader, record)) {
        struct pollfd wait = {.fd = reader->file, .events = POLLIN};
        const double left = fmin(fmax(until - app_now(), 0), 1e6);
        const int ready = poll(&wait, 1, (int)ceil(1e3 * left));
        if (ready == 0 && app_now() >= until) {
            return -1;
        }
        if (ready < 0 && errno != EINTR) {
            return 0;
        }
        if (ready > 0) {
            const ssize_t more = read(reader->file, reader->text + reader->length,
                                      sizeof reader->text - 1 - reader->length);
            if (more == 0 || (more < 0 && errno != EINTR)) {
                return 0;
            }
            reader->length += more > 0 ? (size_t)more : 0;
        }
    }
    return 1;
}
