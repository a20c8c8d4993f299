#include "app/pdb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 30, WIDTH = 8, POINT = 4, END = FIRST + 3 * WIDTH }; /* bytes of x, y and z */

static bool begins(const char *line, const char *record) {
    return strncmp(line, record, strlen(record)) == 0;
}

/* Three numbers with three decimals, as columns that are shifted would not have. */
static bool read_place(const char *line, double at[3]) {
    bool good = strlen(line) >= END;
    for (size_t d = 0; d < 3 && good; d++) {
        char text[WIDTH + 1] = "", *end = text;
        memcpy(text, line + FIRST + d * WIDTH, WIDTH);
        at[d] = strtod(text, &end);
        good = strspn(text, " +-.0123456789") == WIDTH && text[POINT] == '.' && *end == '\0';
    }
    return good;
}

/* Room for one more, twice as much at every power of two. */
static bool grow(app_pdb *pdb) {
    if ((pdb->atoms & (pdb->atoms - 1)) == 0) {
        const size_t room = pdb->atoms > 0 ? 2 * pdb->atoms : 1;
        double *at = realloc(pdb->at, room * 3 * sizeof *at);
        if (at == NULL) {
            return false;
        }
        pdb->at = at;
    }
    return true;
}

/* @param[in,out] line  the buffer of getline() */
static int read_records(app_pdb *pdb, FILE *file, const char *path, char **line, bool *more) {
    size_t size = 0, number = 0;
    bool ended = false;
    while (!*more && getline(line, &size, file) >= 0) {
        number++;
        *more = ended && begins(*line, "ATOM");
        ended = ended || begins(*line, "ENDMDL");
        if (ended || !begins(*line, "ATOM")) {
            continue;
        }
        if (!grow(pdb)) {
            return app_error(APP_FAILED, "out of memory: %s", path);
        }
        if (!read_place(*line, &pdb->at[3 * pdb->atoms])) {
            return app_error(
                APP_USAGE,
                "%s:%zu: columns 31 to 54 of a record ATOM have to be x, y and z, eight "
                "columns each, with three decimals",
                path, number);
        }
        pdb->atoms++;
    }
    return ferror(file) ? app_error(APP_USAGE, "%s: %s", path, strerror(errno)) : APP_DONE;
}

int app_pdb_read(app_pdb *pdb, const char *path, app_notes *notes) {
    char *line = NULL;
    bool more = false;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return app_error(APP_USAGE, "%s: %s", path, strerror(errno));
    }
    int code = read_records(pdb, file, path, &line, &more);
    free(line);
    (void)fclose(file);
    if (!code && pdb->atoms == 0) {
        code = app_error(APP_USAGE, "%s: there are no atoms: no line begins with ATOM", path);
    }
    if (!code && more) {
        app_note(notes, "%s: the first of several models is used", path);
    }
    for (size_t m = 0; m < 3 * pdb->atoms; m++) {
        pdb->mean[m % 3] += pdb->at[m] / (double)pdb->atoms;
    }
    return code;
}

void app_pdb_free(app_pdb *pdb) {
    free(pdb->at);
}
