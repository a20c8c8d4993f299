#include "app/pdb.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 30, WIDTH = 8, POINT = 4, END = FIRST + 3 * WIDTH }; /* bytes of x, y and z */
enum { NAME = 12, ALTERNATE = 16, RESIDUE = 17, CHAIN = 21 };       /* where others begin */

/* Charges of a protein's atoms in water. The name NH* is that of all which begin with NH. The first
 * row that fits counts. */
static const struct charge_row {
    const char *residue, *name; /* NULL: of any residue */
    double charge;
} charges[] = {{"PRO", "N", -.1},   {NULL, "N", .55},    {NULL, "O", -.55}, {"ARG", "NH*", .5},
               {"ASP", "OD*", -.5}, {"GLU", "OE*", -.5}, {"LYS", "NZ", 1}};
/* Its first N and its last O are ions. */
static const double first_of_chain = 1, last_of_chain = -1;

/* A chain while it is read. */
typedef struct chain {
    char name;
    bool begun;  /* it has an N */
    bool ends;   /* it has an O */
    size_t last; /* the latest O */
} chain;

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

/* Is this the text in some columns, without blanks around it? */
static bool named(const char *columns, size_t width, const char *name) {
    while (width > 0 && columns[0] == ' ') {
        columns++;
        width--;
    }
    while (width > 0 && columns[width - 1] == ' ') {
        width--;
    }
    const size_t length = strcspn(name, "*");
    return (name[length] == '*' ? width >= length : width == length) &&
           strncmp(columns, name, length) == 0;
}

static double charge_of(const char *line) {
    for (size_t m = 0; m < sizeof charges / sizeof *charges; m++) {
        const struct charge_row *row = &charges[m];
        if ((row->residue == NULL || named(line + RESIDUE, 3, row->residue)) &&
            named(line + NAME, 4, row->name)) {
            return row->charge;
        }
    }
    return 0;
}

static void end_chain(app_pdb *pdb, chain *c) {
    if (c->ends) {
        pdb->charge[c->last] = last_of_chain;
    }
    *c = (chain){.name = c->name};
}

/* The charge of the atom that comes next. */
static void read_charge(app_pdb *pdb, const char *line, chain *c) {
    if (line[CHAIN] != c->name) {
        end_chain(pdb, c);
        c->name = line[CHAIN];
    }
    const bool counts = line[ALTERNATE] == ' ' || line[ALTERNATE] == 'A';
    double charge = counts ? charge_of(line) : 0;
    if (counts && named(line + NAME, 4, "N")) {
        charge = c->begun ? charge : first_of_chain;
        c->begun = true;
    }
    if (counts && named(line + NAME, 4, "O")) {
        c->ends = true;
        c->last = pdb->atoms;
    }
    pdb->charge[pdb->atoms] = charge;
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
        double *charge = realloc(pdb->charge, room * sizeof *charge);
        if (charge == NULL) {
            return false;
        }
        pdb->charge = charge;
    }
    return true;
}

/* @param[in,out] line  the buffer of getline() */
static int read_records(app_pdb *pdb, FILE *file, const char *path, char **line, bool *more) {
    size_t size = 0, number = 0;
    bool ended = false;
    chain now = {0};
    while (!*more && getline(line, &size, file) >= 0) {
        number++;
        *more = ended && begins(*line, "ATOM");
        ended = ended || begins(*line, "ENDMDL");
        if (begins(*line, "TER")) {
            end_chain(pdb, &now);
        }
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
        read_charge(pdb, *line, &now);
        pdb->atoms++;
    }
    end_chain(pdb, &now);
    return ferror(file) ? app_error(APP_USAGE, "%s: %s", path, strerror(errno)) : APP_DONE;
}

int app_pdb_read(app_pdb *pdb, const char *path, app_notes *notes) {
    char *line = NULL;
    bool more = false;
    const char *why = NULL;
    FILE *file = base_fopen_regular(path, &why);
    if (file == NULL) {
        return app_error(APP_USAGE, "%s: %s", path, why);
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
    free(pdb->charge);
}
