/* The file that a field goes into: a new one or, if the file that is there has other content, a
 * copy of that, in which the field takes its place. */
#include "app/hdf5_output.h"
#include "app/hdf5.h"
#include "app/output.h"
#include "graph/psg_machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* All that psg writes with a field. */
enum {
    BOX,
    BC,
    POINTS,
    ROBIN,
    TIME,
    SYMBOL,
    LAMBDA,
    FACTOR,
    MEAN_DROPPED,
    SOURCE,
    MARK,
    ATTRIBUTES
};
static const char *const attributes[ATTRIBUTES] = {"box",          "bc",     "points",     "robin",
                                                   "time",         "symbol", "lambda",     "factor",
                                                   "mean_dropped", "source", APP_HDF5_MARK};

/* @param[in] data  of a field: not NULL */
static herr_t visit_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data) {
    bool known = false;
    (void)object;
    (void)info;
    for (size_t a = 0; data != NULL && a < ATTRIBUTES; a++) {
        known |= strcmp(name, attributes[a]) == 0;
    }
    return !known; /* ends the visit */
}

static bool has_other_attributes(hid_t group, const char *name, bool is_field) {
    return H5Aiterate_by_name(group, name, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit_attribute,
                              is_field ? &is_field : NULL, H5P_DEFAULT) != 0;
}

static bool is_group(hid_t file, const char *name) {
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    return group >= 0 && H5Gclose(group) >= 0;
}

/* Is a link of the file another one than those that lead to the field, or to its steps? */
static herr_t visit_link(hid_t file, const char *name, const H5L_info_t *info, void *data) {
    const app_field_place *place = data;
    const size_t length = strlen(name);
    bool is_field = false, leads = false;
    for (size_t step = 0; step < app_field_count(place->steps) && !is_field; step++) {
        char path[APP_FIELD_PATH];
        app_field_path(place->dataset, place->steps, step, path);
        const char *field = path + strspn(path, "/");
        is_field = strcmp(field, name) == 0;
        leads = leads || (strncmp(field, name, length) == 0 && field[length] == '/');
    }
    if (info->type != H5L_TYPE_HARD || has_other_attributes(file, name, is_field)) {
        return 1;
    }
    return is_field ? H5Aexists_by_name(file, name, APP_HDF5_MARK, H5P_DEFAULT) <= 0
                    : !leads || !is_group(file, name);
}

/* Has a file nothing but the field, or steps of it, as psg writes them? */
static bool has_only(hid_t file, const app_field_place *place) {
    hsize_t user_block = 0;
    const hid_t creation = H5Fget_create_plist(file);
    const bool plain = H5Pget_userblock(creation, &user_block) >= 0 && user_block == 0;
    H5Pclose(creation);
    app_field_place copy = *place;
    return plain && !has_other_attributes(file, ".", 0) &&
           H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit_link, &copy) == 0;
}

/* ---------------------------------------------------------------------- the place in the file */

/* Take away what has the field's name, if it may be. */
static int make_room(hid_t file, const char *shown, const char *name, int force) {
    H5L_info_t info;
    int code = APP_DONE;
    const hid_t access = H5Pcreate(H5P_LINK_ACCESS);
    H5Pset_elink_cb(access, app_hdf5_no_link, NULL);
    if (H5Lget_info(file, name, &info, access) >= 0) {
        const hid_t object = info.type == H5L_TYPE_HARD ? H5Oopen(file, name, access) : -1;
        const H5I_type_t type = object < 0 ? H5I_BADID : H5Iget_type(object);
        if (type == H5I_GROUP) {
            code = app_error(APP_USAGE, "%s:%s: is a group", shown, name);
        } else if (!force && (object < 0 || H5Aexists(object, APP_HDF5_MARK) <= 0)) {
            code = app_error(APP_USAGE,
                             "%s:%s: is there already and is not a field that psg wrote; it is "
                             "left as it is. --force replaces it",
                             shown, name);
        }
        if (object >= 0) {
            H5Oclose(object);
        }
        if (!code && H5Ldelete(file, name, access) < 0) {
            code =
                app_error(APP_FAILED, "%s:%s: cannot be replaced: %s", shown, name, APP_HDF5_WORDS);
        }
    }
    H5Pclose(access);
    return code;
}

/* ----------------------------------------------------------------------------------- the file */

static int open_new(const app_field_place *place, hid_t *file) {
    *file = H5Fcreate(place->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    return *file >= 0 ? APP_DONE : app_output_failed(place->shown, APP_HDF5_WORDS);
}

static int open_temporary(const app_field_place *place, hid_t *file) {
    *file = H5Fopen(place->path, H5F_ACC_RDWR, H5P_DEFAULT);
    return *file >= 0 ? APP_DONE : app_output_failed(place->shown, APP_HDF5_WORDS);
}

/* @param[in] bytes  of the copy with the field */
static int open_copy(const app_field_place *place, double bytes, hid_t *file) {
    int code = app_output_space(place->shown, place->path, bytes);
    code = code ? code : app_output_copy(place->shown, place->path);
    code = code ? code : open_temporary(place, file);
    for (size_t step = 0; step < app_field_count(place->steps) && !code; step++) {
        char path[APP_FIELD_PATH];
        app_field_path(place->dataset, place->steps, step, path);
        code = make_room(*file, place->shown, path, place->force);
    }
    return code;
}

/* @param[in] bytes  of the field, with all steps
 * @param[out] file  open, or H5I_INVALID_HID; open after some failures, too */
static int open_target(const app_field_place *place, double bytes, hid_t *file) {
    struct stat status;
    if (stat(place->shown, &status) || status.st_size == 0) {
        return open_new(place, file);
    }
    const bool is_hdf5 = H5Fis_hdf5(place->shown) > 0;
    /* what another program is writing at the moment cannot be opened, and is not copied */
    const hid_t old =
        is_hdf5 ? H5Fopen(place->shown, H5F_ACC_RDONLY, H5P_DEFAULT) : H5I_INVALID_HID;
    char words[512] = "";
    if (is_hdf5 && old < 0 && strcmp(app_hdf5_words(words, sizeof words), app_hdf5_locked) == 0) {
        return app_error(APP_USAGE, "%s: %s", place->shown, words);
    }
    if (old < 0 && !place->force) {
        return app_error(APP_USAGE, "%s: is there already and %s%s; --force replaces it",
                         place->shown, is_hdf5 ? "cannot be read: " : "is not an HDF5 file", words);
    }
    const bool anew = old < 0 || has_only(old, place);
    const int code =
        anew ? open_new(place, file) : open_copy(place, (double)status.st_size + bytes, file);
    if (old >= 0) {
        H5Fclose(old);
    }
    return code;
}

static int create_datasets(const app_field_place *place, hid_t file, const psg_grid *grid,
                           hid_t type) {
    int code = APP_DONE;
    const hsize_t extent[3] = {grid->axis[2].n, grid->axis[1].n, grid->axis[0].n};
    const hid_t space = H5Screate_simple(grid->axes, extent + 3 - grid->axes, NULL);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), link = H5Pcreate(H5P_LINK_CREATE);
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    /* every element is written: filling the data set with zeros before would write it twice. Its
     * place in the file is found now, because the processes write there. */
    if (H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) < 0 ||
        H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) < 0 ||
        H5Pset_create_intermediate_group(link, 1) < 0 ||
        H5Pset_elink_cb(access, app_hdf5_no_link, NULL) < 0) {
        code = app_output_failed(place->shown, APP_HDF5_WORDS);
    }
    for (size_t step = 0; step < app_field_count(place->steps) && !code; step++) {
        char path[APP_FIELD_PATH];
        app_field_path(place->dataset, place->steps, step, path);
        const hid_t dataset = H5Dcreate2(file, path, type, space, link, creation, access);
        if (dataset < 0 || H5Dclose(dataset) < 0) {
            code = app_error(APP_USAGE, "%s: the data set '%s' cannot be made: %s", place->shown,
                             path, APP_HDF5_WORDS);
        }
    }
    H5Sclose(space);
    H5Pclose(creation);
    H5Pclose(link);
    H5Pclose(access);
    return code;
}

/* @return `code`, or what came of closing */
static int close_file(const app_field_place *place, hid_t file, int code) {
    return file >= 0 && H5Fclose(file) < 0 && !code
               ? app_output_failed(place->shown, APP_HDF5_WORDS)
               : code;
}

int app_hdf5_create(const app_field_place *place, const psg_grid *grid, psg_precision precision) {
    const double bytes = (double)app_points(grid) * (double)app_element_bytes(precision) *
                         (double)app_field_count(place->steps);
    hid_t file = H5I_INVALID_HID;
    int code = app_room() ? APP_FAILED : open_target(place, bytes, &file);
    if (!code) {
        code = create_datasets(place, file, grid,
                               precision == PSG_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE);
    }
    return close_file(place, file, code);
}

/* ------------------------------------------------------------------------------ the attributes */

static bool write_attribute(hid_t dataset, const char *name, hid_t type, hsize_t count,
                            const void *value) {
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    const hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool written = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    H5Sclose(space);
    return written;
}

static bool write_text(hid_t dataset, const char *name, const char *text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const bool written = write_attribute(dataset, name, type, 1, text);
    H5Tclose(type);
    return written;
}

/* What a field does not have is NULL. */
static bool write_attributes(hid_t dataset, const app_field_header *header) {
    const bool solution = header->symbol != NULL;
    const char *const texts[ATTRIBUTES] = {[BC] = header->sides,
                                           [POINTS] = header->sides != NULL ? header->points : NULL,
                                           [SYMBOL] = header->symbol,
                                           [SOURCE] = header->source,
                                           [MARK] = psg_component_version(PSG_COMPONENT_PSG)};
    const double *const numbers[ATTRIBUTES] = {[BOX] = header->box,
                                               [ROBIN] = header->robin,
                                               [TIME] = header->time,
                                               [LAMBDA] = solution ? &header->lambda : NULL,
                                               [FACTOR] = solution ? &header->factor : NULL,
                                               [MEAN_DROPPED] =
                                                   solution ? &header->mean_dropped : NULL};
    const hsize_t counts[ATTRIBUTES] = {[BOX] = (hsize_t)header->axes, [ROBIN] = 2};
    bool written = true;
    for (int a = 0; a < ATTRIBUTES && written; a++) {
        written =
            (texts[a] == NULL || write_text(dataset, attributes[a], texts[a])) &&
            (numbers[a] == NULL || write_attribute(dataset, attributes[a], H5T_NATIVE_DOUBLE,
                                                   counts[a] > 0 ? counts[a] : 1, numbers[a]));
    }
    return written;
}

/* The file is closed after each step, because the processes write to it. */
int app_hdf5_describe(const app_field_place *place, size_t step, const app_field_header *header,
                      off_t *data) {
    char path[APP_FIELD_PATH];
    hid_t file = H5I_INVALID_HID;
    int code = open_temporary(place, &file);
    if (code) {
        return code;
    }
    app_field_path(place->dataset, place->steps, step, path);
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    const haddr_t at = dataset < 0 ? HADDR_UNDEF : H5Dget_offset(dataset);
    if (at == HADDR_UNDEF || !write_attributes(dataset, header)) {
        code = app_output_failed(place->shown, APP_HDF5_WORDS);
    }
    if (dataset >= 0 && H5Dclose(dataset) < 0 && !code) {
        code = app_output_failed(place->shown, APP_HDF5_WORDS);
    }
    *data = (off_t)at;
    return close_file(place, file, code);
}
