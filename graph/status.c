#include "graph/status.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct error {
    char words[1024];
    char line[128];
    char detail[1024 + sizeof ": " + 128]; /* both together */
} error;

static _Thread_local error last;

static const char *const status_words[PSG_STATUS_COUNT] = {
    [PSG_OK] = "done",
    [PSG_ERR_ARG] = "wrong argument",
    [PSG_ERR_UNSUPPORTED] = "not supported",
    [PSG_ERR_MEMORY] = "out of memory",
    [PSG_ERR_NODEV] = "no such device",
    [PSG_ERR_DATA] = "bad values",
    [PSG_ERR_MEAN] = "f has a mean",
    [PSG_ERR_STATE] = "call out of order",
    [PSG_ERR_RUNTIME] = "the runtime failed",
};

const char *psg_status_string(psg_status status) {
    return (unsigned)status < PSG_STATUS_COUNT ? status_words[status] : "unknown status";
}

const char *psg_last_error(void) {
    return last.words;
}

const char *psg_last_error_detail(void) {
    (void)snprintf(last.detail, sizeof last.detail, "%s%s%s", last.line,
                   last.line[0] != '\0' ? ": " : "", last.words);
    return last.detail;
}

void psg_clear_error(void) {
    last.words[0] = '\0';
    last.line[0] = '\0';
}

/* A cache of compiled files may have handed the compiler a path that begins in the build folder. */
static const char *from_root(const char *line) {
    while (strncmp(line, "../", 3) == 0) {
        line += 3;
    }
    return line;
}

psg_status psg_fail_at(const char *line, psg_status status, const char *format, ...) {
    va_list arguments;
    (void)snprintf(last.line, sizeof last.line, "%s", from_root(line));
    va_start(arguments, format);
    (void)vsnprintf(last.words, sizeof last.words, format, arguments);
    va_end(arguments);
    for (char *c = last.words; *c != '\0'; c++) { /* names of the caller's may have any */
        *c = iscntrl((unsigned char)*c) ? '?' : *c;
    }
    return status;
}

psg_status psg_fault_status(psg_fault fault) {
    static const psg_status status_of[PSG_FAULT_COUNT] = {
        [PSG_FAULT_NONE] = PSG_OK,
        [PSG_FAULT_SUBMIT] = PSG_ERR_RUNTIME,
        [PSG_FAULT_DEVICE] = PSG_ERR_RUNTIME,
        [PSG_FAULT_MEMORY] = PSG_ERR_MEMORY,
        [PSG_FAULT_MPI] = PSG_ERR_RUNTIME,
    };
    return status_of[fault];
}

psg_status psg_fail_run(const psg_run *run) {
    const psg_fault fault = (psg_fault)atomic_load(&run->fault);
    return fault == PSG_FAULT_NONE
               ? PSG_OK
               : psg_fail_at(run->line, psg_fault_status(fault), "%s", run->words);
}
