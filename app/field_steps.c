/* What data sets of a group have as time steps: their names, and numbers in attributes. */
#include "app/hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (!l.code) {
        app_field_sort(steps);
    }
    return l.code;
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

void app_hdf5_text(hid_t dataset, const char *name, char *text, size_t size) {
    memset(text, 0, size); /* a text of a fixed length may have no 0 behind it */
    if (H5Aexists(dataset, name) <= 0) {
        return;
    }
    const hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    const bool ours = H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) &&
                      H5Aget_storage_size(attribute) <= size;
    if (!ours || H5Aread(attribute, type, text) < 0) {
        text[0] = '\0';
    }
    text[size - 1] = '\0';
    H5Tclose(type);
    H5Aclose(attribute);
}
