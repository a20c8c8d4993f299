#include "app/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A progress line may stand where the message goes: on a terminal, wipe it first. */
static const char *line_start(void) {
    return isatty(STDERR_FILENO) ? "\r\033[K" : "";
}

/* How many bytes the letter is long that UTF-8 has here; 0: none, or one that controls a
 * terminal. */
static size_t letter_bytes(const unsigned char *c) {
    const size_t more = c[0] >= 0xf0 ? 3 : c[0] >= 0xe0 ? 2 : c[0] >= 0xc2 ? 1 : 0;
    if (c[0] < ' ' || (c[0] > '~' && c[0] < 0xc2) || c[0] > 0xf4 || (c[0] == 0xc2 && c[1] < 0xa0)) {
        return 0;
    }
    for (size_t m = 1; m <= more; m++) {
        if ((c[m] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return 1 + more;
}

bool app_is_plain(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    size_t bytes = 1;
    for (; *c && bytes > 0; c += bytes) {
        bytes = letter_bytes(c);
    }
    return bytes > 0;
}

/* Names come from files and from who calls psg: a terminal is not to obey them. Lines end where we
 * end them. */
static void clean(char *text, const char *kept) {
    unsigned char *c = (unsigned char *)text;
    while (*c) {
        const size_t bytes = strchr(kept, *c) != NULL ? 1 : letter_bytes(c);
        if (bytes == 0) {
            *c = '?';
        }
        c += bytes > 0 ? bytes : 1;
    }
}

void app_say(const char *format, ...) {
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clean(text, "\n");
    fputs(text, stdout);
}

void app_print_message(const char *format, ...) {
    char text[4200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clean(text, "");
    fprintf(stderr, "%spsg: %s\n", line_start(), text);
}

static bool (*keep)(const char *text); /* NULL: errors are printed at once */

void app_errors_to(bool (*keeper)(const char *text)) {
    keep = keeper;
}

static const char *errors_of; /* an option that is read now, or NULL */

void app_errors_of(const char *option) {
    errors_of = option;
}

int app_error(int code, const char *format, ...) {
    char text[4096] = "";
    size_t length = 0;
    if (errors_of != NULL) {
        length = (size_t)snprintf(text, sizeof text, "--%s: ", errors_of);
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    if (keep == NULL || !keep(text)) {
        app_print_message("%s", text);
    }
    return code;
}

void app_note(app_notes *notes, const char *format, ...) {
    char text[sizeof notes->text[0]];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clean(text, "");
    if (!notes->quiet) {
        fprintf(stderr, "%spsg: note: %s\n", line_start(), text);
    }
    if (notes->count < sizeof notes->text / sizeof notes->text[0]) {
        snprintf(notes->text[notes->count++], sizeof text, "%s", text);
    }
}

void app_bytes_text(char *text, size_t size, double bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, size, unit ? "%.2f %s" : "%.0f %s", bytes, units[unit]);
}

int app_rank_check(const char *name, int rank) {
    return rank >= 1 && rank <= 3
               ? APP_DONE
               : app_error(APP_USAGE,
                           "%s: has rank %d, but a field has rank 3, 2 or 1: [nz][ny][nx], "
                           "[ny][nx] or [nx]%s",
                           name, rank,
                           rank > 3 ? "; each field of several is a solve of its own" : "");
}
