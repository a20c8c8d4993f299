/* Options as a file: a line "name = value" for each, and comments behind #. */
#include "graph/option_file.h"

#include "base/kept.h"
#include "graph/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

/* Without the blanks around it. */
static char *trim(char *text) {
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]) != NULL) {
        length--;
    }
    text[length] = '\0';
    return text;
}

psg_status psg_options_parse(psg_options *options, char *text, const char *path) {
    char words[512];
    psg_status status = PSG_OK;
    for (int number = 1; text != NULL && status == PSG_OK; number++) {
        char *next = strchr(text, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        char *line = trim(text);
        char *equals = strchr(line, '=');
        text = next;
        if (line[0] == '\0' || line[0] == '#') {
            continue;
        }
        if (equals == NULL) {
            return psg_fail(PSG_ERR_ARG, "%s, line %d: expected name = value, not '%.64s'", path,
                            number, line);
        }
        *equals = '\0';
        status = psg_options_set(options, trim(line), trim(equals + 1));
        if (status != PSG_OK) {
            (void)snprintf(words, sizeof words, "%s", psg_last_error());
            return psg_fail(status, "%s, line %d: %s", path, number, words);
        }
    }
    return status;
}

psg_status psg_options_read(psg_options *options, const char *path, char **text) {
    enum { MOST_BYTES = 64 << 10 };
    int error = 0;
    psg_clear_error();
    if (options == NULL || path == NULL || text == NULL) {
        return psg_fail(PSG_ERR_ARG, "options, path or text is NULL");
    }
    *text = base_kept_read(path, MOST_BYTES, &error);
    if (*text == NULL) {
        return psg_fail(PSG_ERR_ARG, "%s cannot be read: %s", path,
                        error == EINVAL ? "it is no text, or too long" : strerror(error));
    }
    const psg_status status = psg_options_parse(options, *text, path);
    if (status != PSG_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
