#include "app/faces.h"
#include "app/field.h"
#include "app/npy.h"
#include "app/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is read so far. */
typedef struct numbers {
    double *list;
    size_t count, room;
} numbers;

static bool add(numbers *n, double value) {
    if (n->count == n->room) {
        const size_t room = n->room > 0 ? 2 * n->room : 1024;
        double *more = realloc(n->list, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        n->list = more;
        n->room = room;
    }
    n->list[n->count++] = value;
    return true;
}

static int read_text(const char *path, numbers *n) {
    FILE *file = fopen(path, "r");
    char word[64];
    int code = file != NULL ? APP_DONE : app_error(APP_USAGE, "%s: cannot be read", path);
    while (!code && fscanf(file, "%*[ \t\r\n,]") != EOF &&
           fscanf(file, "%63[^ \t\r\n,]", word) == 1) {
        char *end = NULL;
        const double value = strtod(word, &end);
        if (*end != '\0') {
            code = app_error(APP_USAGE, "%s: '%s' is no number", path, word);
        } else if (!add(n, value)) {
            code = app_error(APP_FAILED, "%s: no memory for its numbers", path);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return code;
}

static int read_field(const app_field_name *name, numbers *n) {
    app_field_input *input = NULL;
    app_field_info info;
    int code = app_field_open(name, 0, &input, &info);
    if (!code) {
        n->count = info.size.n[0] * info.size.n[1] * info.size.n[2];
        n->list = app_allocate(n->count, sizeof *n->list, "the faces");
        code = n->list == NULL
                   ? APP_FAILED
                   : app_field_read(input, 0, PSG_F64, (app_planes){0, info.size.n[2]}, n->list);
    }
    app_field_close(input);
    return code;
}

/* The solve is right for any faces, but errors of the equation grow with the ratio of cells. */
static void note_ratio(const psg_axis *axis, char letter, app_notes *notes) {
    enum { MOST = 1000000 };
    double least = INFINITY, most = 0;
    for (size_t k = 0; k < axis->n; k++) {
        least = fmin(least, axis->faces[k + 1] - axis->faces[k]);
        most = fmax(most, axis->faces[k + 1] - axis->faces[k]);
    }
    if (least > 0 && most > MOST * least) {
        app_note(notes,
                 "--faces: the cells along %c are from %.3g to %.3g long, more than 1e6 to 1",
                 letter, least, most);
    }
}

int app_faces_read(const char *text, bool boxed, psg_grid *grid, double **faces, app_notes *notes) {
    app_field_name name;
    numbers n = {NULL, 0, 0};
    *faces = NULL;
    if (text == NULL) {
        return APP_DONE;
    }
    const char *letter = strchr("xyz", text[0]);
    const size_t d = letter != NULL && text[0] != '\0' ? (size_t)(letter - "xyz") : 3;
    if (d >= (size_t)grid->axes || text[1] != '=' || text[2] == '\0') {
        return app_error(APP_USAGE, "'%s': expected %c=FILE, the last axis and its file", text,
                         "xyz"[grid->axes - 1]);
    }
    if (app_field_split(text + 2, &name)) {
        return APP_USAGE;
    }
    const bool field = name.dataset[0] != '\0' || app_npy_named(name.file);
    int code = field ? read_field(&name, &n) : read_text(text + 2, &n);
    psg_axis *axis = &grid->axis[d];
    if (!code && n.count != axis->n + 1) {
        code = app_error(APP_USAGE, "%s has %zu numbers, and %zu cells along %c have %zu faces",
                         text + 2, n.count, axis->n, text[0], axis->n + 1);
    }
    if (code) {
        free(n.list);
        return code;
    }
    axis->faces = *faces = n.list;
    axis->length = boxed ? axis->length : n.list[axis->n] - n.list[0];
    note_ratio(axis, text[0], notes);
    return APP_DONE;
}

int app_robin_read(const char *text, psg_grid *grid) {
    psg_axis *axis = &grid->axis[grid->axes - 1];
    const char letter = "xyz"[grid->axes - 1];
    app_place_value k = {.axes = 0};
    if (text == NULL) {
        const bool any = axis->bc[0] == PSG_BC_ROBIN || axis->bc[1] == PSG_BC_ROBIN;
        return any ? app_error(APP_USAGE, "--bc has an R side: --robin %c=K0,K1 says what K is",
                               letter)
                   : APP_DONE;
    }
    if (text[0] != letter || text[1] != '=' || app_value_place(text + 2, &k, NULL) || k.axes != 2) {
        return app_error(APP_USAGE,
                         "--robin '%s': expected %c=K0,K1, the last axis and K of its lower and "
                         "upper side",
                         text, letter);
    }
    memcpy(axis->robin, k.at, sizeof axis->robin);
    return APP_DONE;
}
