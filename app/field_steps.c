/* The time steps of a field: the names in a group, in an order that people expect, and their times. */
#include "app/field.h"
#include "app/hdf5.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------ the order of names */

/* A name is compared by its parts. A part is a number without a sign, or one character. A name may begin with a number that
 * has a sign. */
typedef struct part {
    bool number;
    double value;        /* of the number */
    unsigned char first; /* character */
    const char *rest;
} part;

static part next_part(const char *text, bool begins) {
    const bool signed_one = begins && text[0] == '-' && isdigit((unsigned char)text[1]);
    part p = {signed_one || isdigit((unsigned char)text[0]), 0, (unsigned char)text[0], text + 1};
    if (p.number) {
        char *end = NULL;
        p.value = strtod(text, &end);
        p.first = '0';
        p.rest = end;
    }
    return p;
}

static int compare_names(const char *a, const char *b) {
    const char *x = a, *y = b;
    while (*x != '\0' && *y != '\0') {
        const part p = next_part(x, x == a), q = next_part(y, y == b);
        if (p.number && q.number && p.value != q.value) {
            return p.value < q.value ? -1 : 1;
        }
        if (p.first != q.first) {
            return p.first < q.first ? -1 : 1;
        }
        x = p.rest;
        y = q.rest;
    }
    return *x != *y ? (*x == '\0' ? -1 : 1) : strcmp(a, b);
}

static int compare_steps(const void *a, const void *b) {
    return compare_names(((const app_field_step *)a)->name, ((const app_field_step *)b)->name);
}

/* --------------------------------------------------------------------------------------- the group */

typedef struct listing {
    app_field_steps *steps;
    const char *group; /* for messages */
    size_t room;
    int code;
} listing;

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *data) {
    listing *l = data;
    app_field_steps *steps = l->steps;
    (void)group;
    (void)info;
    if (steps->count == l->room) {
        const size_t room = 2 * l->room + 16;
        app_field_step *list = realloc(steps->list, room * sizeof *list);
        if (list == NULL) {
            l->code =
                app_error(APP_FAILED, "%s: out of memory for the names of its steps", l->group);
            return -1;
        }
        steps->list = list;
        l->room = room;
    }
    app_field_step *step = &steps->list[steps->count];
    if (strlen(name) >= sizeof step->name) {
        l->code = app_error(APP_USAGE, "%s: the name of a step has more than %zu letters: %.60s...",
                            l->group, sizeof step->name - 1, name);
        return -1;
    }
    snprintf(step->name, sizeof step->name, "%s", name);
    steps->count++;
    return 0;
}

int app_hdf5_steps(hid_t file, const char *path, const char *name, app_field_steps *steps) {
    listing l = {steps, name, 0, APP_DONE};
    char words[APP_HDF5_LINK_WORDS] = "";
    const hid_t access = H5Pcreate(H5P_LINK_ACCESS);
    H5Pset_elink_cb(access, app_hdf5_link_file, words);
    *steps = (app_field_steps){0, NULL};
    const herr_t result =
        H5Literate_by_name(file, path, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, &l, access);
    if (result < 0 && !l.code) {
        l.code = app_error(APP_USAGE, "%s: %s", name, APP_HDF5_WORDS);
    }
    H5Pclose(access);
    if (!l.code && steps->count > 0) {
        qsort(steps->list, steps->count, sizeof *steps->list, compare_steps);
    }
    return l.code;
}

size_t app_field_count(const app_field_steps *steps) {
    return steps != NULL && steps->count > 0 ? steps->count : 1;
}

void app_hdf5_step_path(const char *name, const app_field_steps *steps, size_t step,
                        char path[APP_HDF5_PATH]) {
    if (steps != NULL && steps->count > 0) {
        snprintf(path, APP_HDF5_PATH, "%s/%s", name, steps->list[step].name);
    } else {
        snprintf(path, APP_HDF5_PATH, "%s", name);
    }
}

int app_hdf5_numbers(hid_t dataset, const char *name, double *values, int count) {
    if (H5Aexists(dataset, name) <= 0) {
        return 0;
    }
    const hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT);
    const hid_t space = H5Aget_space(attribute);
    const hid_t type = H5Aget_type(attribute);
    const H5T_class_t class = H5Tget_class(type);
    const bool good = H5Sget_simple_extent_npoints(space) == count &&
                      (class == H5T_FLOAT || class == H5T_INTEGER) &&
                      H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0;
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    return good ? 1 : -1;
}
