/* The file that a field goes into: a new one or, if the file that is there has other content, a
 * copy of that, in which the field takes its place. */
#include "app/field_target.h"
#include "app/hdf5.h"
#include "app/output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* All that psg writes with a field: see app/field_output.c. */
static const char *const attributes[] = {"box",    "bc",         "points", "time",
                                         "symbol", "lambda",     "factor", "mean_dropped",
                                         "source", APP_HDF5_MARK};
enum { ATTRIBUTES = sizeof attributes / sizeof attributes[0] };

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
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    const bool group = object >= 0 && H5Iget_type(object) == H5I_GROUP;
    if (object >= 0) {
        H5Oclose(object);
    }
    return group;
}

/* Is a link of the file another one than those that lead to the field, or to its steps? */
static herr_t visit_link(hid_t file, const char *name, const H5L_info_t *info, void *data) {
    const app_hdf5_target *target = data;
    const size_t length = strlen(name);
    bool is_field = false, leads = false;
    for (size_t step = 0; step < app_field_count(target->steps) && !is_field; step++) {
        char path[APP_FIELD_PATH];
        app_field_path(target->name, target->steps, step, path);
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
static bool has_only(hid_t file, const app_hdf5_target *target) {
    hsize_t user_block = 0;
    const hid_t creation = H5Fget_create_plist(file);
    const bool plain = H5Pget_userblock(creation, &user_block) >= 0 && user_block == 0;
    H5Pclose(creation);
    app_hdf5_target copy = *target;
    return plain && !has_other_attributes(file, ".", 0) &&
           H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit_link, &copy) == 0;
}

/* ---------------------------------------------------------------------- the place in the file */

/* HDF5 wants to be asked for each group on the way. */
static bool is_there(hid_t file, const char *name, hid_t access) {
    char part[APP_FIELD_PATH];
    for (size_t length = 1; name[length - 1]; length++) {
        if ((name[length] == '/' || name[length] == '\0') && name[length - 1] != '/') {
            snprintf(part, sizeof part, "%.*s", (int)length, name);
            if (H5Lexists(file, part, access) <= 0) {
                return false;
            }
        }
    }
    return true;
}

/* Take away what has the field's name, if it may be. */
static int make_room(hid_t file, const char *shown, const char *name, int force) {
    H5L_info_t info;
    int code = APP_DONE;
    const hid_t access = H5Pcreate(H5P_LINK_ACCESS);
    H5Pset_elink_cb(access, app_hdf5_no_link, NULL);
    if (is_there(file, name, access) && H5Lget_info(file, name, &info, access) >= 0) {
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

static int write_failed(const char *shown, const char *words) {
    return app_error(APP_FAILED, "%s: cannot be written: %s%s", shown, words,
                     access(shown, F_OK) ? "" : "; the file that was there is untouched");
}

static int open_new(const char *path, const char *shown, hid_t *file) {
    *file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    return *file >= 0 ? APP_DONE : write_failed(shown, APP_HDF5_WORDS);
}

static int open_copy(const app_hdf5_target *target, off_t old_bytes, hid_t *file) {
    const double bytes = (double)old_bytes + target->bytes;
    int code = app_output_space(target->shown, target->path, bytes);
    code = code ? code : app_output_copy(target->shown, target->path);
    if (code) {
        return code;
    }
    *file = H5Fopen(target->path, H5F_ACC_RDWR, H5P_DEFAULT);
    code = *file >= 0 ? APP_DONE : write_failed(target->shown, APP_HDF5_WORDS);
    for (size_t step = 0; step < app_field_count(target->steps) && !code; step++) {
        char path[APP_FIELD_PATH];
        app_field_path(target->name, target->steps, step, path);
        code = make_room(*file, target->shown, path, target->force);
    }
    return code;
}

int app_hdf5_target_open(const app_hdf5_target *target, hid_t *file) {
    struct stat status;
    *file = H5I_INVALID_HID;
    if (app_room()) {
        return APP_FAILED;
    }
    if (stat(target->shown, &status) || status.st_size == 0) {
        return open_new(target->path, target->shown, file);
    }
    const bool is_hdf5 = H5Fis_hdf5(target->shown) > 0;
    /* what another program is writing at the moment cannot be opened, and is not copied */
    const hid_t old =
        is_hdf5 ? H5Fopen(target->shown, H5F_ACC_RDONLY, H5P_DEFAULT) : H5I_INVALID_HID;
    char words[512] = "";
    if (is_hdf5 && old < 0 && strcmp(app_hdf5_words(words, sizeof words), app_hdf5_locked) == 0) {
        return app_error(APP_USAGE, "%s: %s", target->shown, words);
    }
    if (old < 0 && !target->force) {
        return app_error(APP_USAGE, "%s: is there already and %s%s; --force replaces it",
                         target->shown, is_hdf5 ? "cannot be read: " : "is not an HDF5 file",
                         words);
    }
    const bool anew = old < 0 || has_only(old, target);
    const int code = anew ? open_new(target->path, target->shown, file)
                          : open_copy(target, status.st_size, file);
    if (old >= 0) {
        H5Fclose(old);
    }
    return code;
}
