/* CSV by RFC 4180: fields with a comma, a quote or a line's end are in quotes, and a quote in
 * them is doubled. Lines end with \r\n in the standard; \n alone is read and is what is written,
 * as everywhere here. */
#include "bench/csv.h"
#include "app/app.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void bench_table_init(bench_table *table, const bench_column *column, size_t columns) {
    *table = (bench_table){.column = column, .columns = columns};
}

void bench_table_free(bench_table *table) {
    for (size_t f = 0; f < table->rows * table->columns; f++) {
        free(table->field[f]);
    }
    free(table->field);
    table->field = NULL;
    table->rows = 0;
}

size_t bench_table_add(bench_table *table, size_t at) {
    const size_t first = at * table->columns, count = table->rows * table->columns;
    char **more = realloc(table->field, (count + table->columns) * sizeof *more);
    if (more == NULL) {
        return SIZE_MAX;
    }
    table->field = more;
    memmove(more + first + table->columns, more + first, (count - first) * sizeof *more);
    for (size_t c = 0; c < table->columns; c++) {
        more[first + c] = NULL;
    }
    table->rows++;
    return at;
}

void bench_table_remove(bench_table *table, size_t row) {
    char **first = table->field + row * table->columns;
    for (size_t c = 0; c < table->columns; c++) {
        free(first[c]);
    }
    table->rows--;
    memmove(first, first + table->columns,
            (table->rows - row) * table->columns * sizeof *table->field);
}

size_t bench_table_column(const bench_table *table, const char *name) {
    for (size_t c = 0; c < table->columns; c++) {
        if (strcmp(table->column[c].name, name) == 0) {
            return c;
        }
    }
    return SIZE_MAX;
}

const char *bench_table_get(const bench_table *table, size_t row, size_t column) {
    const char *text = table->field[row * table->columns + column];
    return text != NULL ? text : "";
}

int bench_table_set(bench_table *table, size_t row, size_t column, const char *text) {
    char *copy = strdup(text);
    if (copy == NULL) {
        return -1;
    }
    free(table->field[row * table->columns + column]);
    table->field[row * table->columns + column] = copy;
    return 0;
}

int bench_table_set_number(bench_table *table, size_t row, size_t column, double value) {
    char text[32] = "";
    if (!isnan(value)) {
        snprintf(text, sizeof text, "%.12g", value);
    }
    return bench_table_set(table, row, column, text);
}

size_t bench_table_copy(bench_table *table, size_t at, const bench_table *from, size_t row) {
    const size_t added = bench_table_add(table, at);
    for (size_t c = 0; c < from->columns && added != SIZE_MAX; c++) {
        if (bench_table_set(table, added, c, bench_table_get(from, row, c))) {
            return SIZE_MAX;
        }
    }
    return added;
}

bool bench_table_is_same(const bench_table *table, size_t row, const bench_table *other,
                         size_t other_row) {
    for (size_t c = 0; c < table->columns; c++) {
        if (table->column[c].is_identity &&
            strcmp(bench_table_get(table, row, c), bench_table_get(other, other_row, c)) != 0) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------ reading */

enum { FIELD_ENDS, LINE_ENDS, FILE_ENDS, BROKEN, NO_MEMORY };

typedef struct reader {
    FILE *file;
    size_t line; /* of the record that is read */
    size_t lines;
    char *text; /* of the latest field */
    size_t length, room;
} reader;

static int append(reader *r, int letter) {
    if (r->length + 1 >= r->room) {
        char *more = realloc(r->text, 2 * r->room + 64);
        if (more == NULL) {
            return -1;
        }
        r->text = more;
        r->room = 2 * r->room + 64;
    }
    r->text[r->length++] = (char)letter;
    r->text[r->length] = '\0';
    return 0;
}

/* What comes after a field whose last letter was read. */
static int ending(reader *r, int next) {
    if (next == '\r') {
        next = getc(r->file);
        if (next != '\n') {
            return BROKEN;
        }
    }
    r->lines += next == '\n';
    return next == ',' ? FIELD_ENDS : next == '\n' ? LINE_ENDS : next == EOF ? FILE_ENDS : BROKEN;
}

static int read_quoted(reader *r) {
    for (;;) {
        int next = getc(r->file);
        if (next == EOF) {
            return BROKEN;
        }
        if (next == '"') {
            next = getc(r->file);
            if (next != '"') {
                return ending(r, next);
            }
        }
        r->lines += next == '\n';
        if (append(r, next)) {
            return NO_MEMORY;
        }
    }
}

static int read_field(reader *r) {
    r->length = 0;
    if (append(r, ' ')) { /* so that there is a text, even for an empty field */
        return NO_MEMORY;
    }
    r->text[r->length = 0] = '\0';
    int next = getc(r->file);
    if (next == '"') {
        return read_quoted(r);
    }
    for (; next != ',' && next != '\r' && next != '\n' && next != EOF; next = getc(r->file)) {
        if (next == '"' || next == '\0') {
            return BROKEN;
        }
        if (append(r, next)) {
            return NO_MEMORY;
        }
    }
    return ending(r, next);
}

static int no_memory(char *why, size_t size) {
    snprintf(why, size, "out of memory");
    return APP_FAILED;
}

/* The names of all columns, in their order. */
static int read_header(const bench_table *table, reader *r, char *why, size_t size) {
    for (size_t c = 0; c < table->columns; c++) {
        const int end = read_field(r);
        if (end == NO_MEMORY) {
            return no_memory(why, size);
        }
        if (end == BROKEN || strcmp(r->text, table->column[c].name) != 0) {
            snprintf(why, size, "its column %zu is '%.60s' instead of '%s'", c + 1, r->text,
                     table->column[c].name);
            return APP_USAGE;
        }
        if (end != (c + 1 < table->columns ? FIELD_ENDS : LINE_ENDS)) {
            snprintf(why, size, "its first line %s after column %zu, '%s'",
                     end == FIELD_ENDS  ? "goes on"
                     : end == LINE_ENDS ? "ends"
                                        : "does not end",
                     c + 1, table->column[c].name);
            return APP_USAGE;
        }
    }
    return APP_DONE;
}

static int read_rows(bench_table *table, reader *r, char *why, size_t size) {
    for (;;) {
        r->line = r->lines + 1;
        int end = read_field(r);
        if (end == FILE_ENDS && r->length == 0) {
            return APP_DONE;
        }
        const size_t row = bench_table_add(table, table->rows);
        for (size_t c = 0; row != SIZE_MAX && end != NO_MEMORY; c++) {
            if (bench_table_set(table, row, c, r->text)) {
                end = NO_MEMORY;
                break;
            }
            if (end != (c + 1 < table->columns ? FIELD_ENDS : LINE_ENDS)) {
                snprintf(why, size, "line %zu is no row of %zu fields", r->line, table->columns);
                return APP_USAGE;
            }
            if (end == LINE_ENDS) {
                break;
            }
            end = read_field(r);
        }
        if (row == SIZE_MAX || end == NO_MEMORY) {
            return no_memory(why, size);
        }
    }
}

int bench_table_read(bench_table *table, FILE *file, char *why, size_t size) {
    reader r = {.file = file};
    int code = APP_DONE;
    errno = 0;
    const int first = getc(file);
    if (first != EOF) {
        ungetc(first, file);
        code = read_header(table, &r, why, size);
        code = code ? code : read_rows(table, &r, why, size);
    }
    if (ferror(file)) {
        snprintf(why, size, "cannot be read: %s", strerror(errno));
        code = APP_FAILED;
    }
    free(r.text);
    return code;
}

/* ------------------------------------------------------------------------------------ writing */

static void put(const char *text, bool last, FILE *file) {
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, file);
    } else {
        putc('"', file);
        for (; *text; text++) {
            if (*text == '"') {
                putc('"', file);
            }
            putc(*text, file);
        }
        putc('"', file);
    }
    putc(last ? '\n' : ',', file);
}

int bench_table_write(const bench_table *table, FILE *file) {
    for (size_t c = 0; c < table->columns; c++) {
        put(table->column[c].name, c + 1 == table->columns, file);
    }
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t c = 0; c < table->columns; c++) {
            put(bench_table_get(table, row, c), c + 1 == table->columns, file);
        }
    }
    return ferror(file) ? -1 : 0;
}
