/* Is all of a data set there? HDF5 reads what was never written, and what lies in another file that
 * is missing or too short, as zeros, without an error. A field of them would be solved as if it
 * were f. */
#include "app/field_whole.h"
#include "app/hdf5.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A virtual data set may have virtual sources. */
enum { DEPTH_MOST = 8 };

/* --------------------------------------------------------------------- files that files name */

/* `text` gets folder/name. @return does something exist there? */
static bool try_path(const char *folder, const char *name, char *text) {
    struct stat status;
    const int length = snprintf(text, PATH_MAX, "%s%s%s", folder, folder[0] ? "/" : "", name);
    return length < PATH_MAX && stat(text, &status) == 0;
}

/* In the folders that a variable of the environment has, with colons between. */
static bool try_variable(const char *variable, const char *name, char *text) {
    const char *list = getenv(variable);
    char folder[PATH_MAX];
    while (list != NULL && *list) {
        const size_t length = strcspn(list, ":");
        snprintf(folder, sizeof folder, "%.*s", (int)length, list);
        if (length > 0 && length < sizeof folder && try_path(folder, name, text)) {
            return true;
        }
        list += length + (list[length] == ':');
    }
    return false;
}

/* The file that another HDF5 file names, where HDF5 would find it. @return was it found? */
static bool find_file(const char *name, const char *parent, const char *variable, char *text) {
    char copy[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(name, '/');
    if (name[0] == '/' && try_path("", name, text)) {
        return true;
    }
    name = name[0] == '/' ? slash + 1 : name;
    snprintf(copy, sizeof copy, "%s", parent);
    return try_variable(variable, name, text) || try_path(dirname(copy), name, text) ||
           try_path("", name, text) ||
           (realpath(parent, real) != NULL && try_path(dirname(real), name, text));
}

static bool is_regular(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

herr_t app_hdf5_link_file(const char *parent, const char *group, const char *file,
                          const char *object, unsigned *flags, hid_t access, void *words) {
    char path[PATH_MAX];
    (void)group;
    (void)object;
    (void)flags;
    (void)access;
    if (!find_file(file, parent, "HDF5_EXT_PREFIX", path) || is_regular(path)) {
        return 0;
    }
    snprintf(words, APP_HDF5_LINK_WORDS, "a link to %.400s, which is not a regular file", path);
    return -1;
}

/* -------------------------------------------------------------------------- kinds of storage */

static int part_missing(const char *name, unsigned long long there, unsigned long long all,
                        const char *what) {
    return app_error(APP_USAGE,
                     "%s: %llu of its %llu %s were never written, and would be read as the fill "
                     "value: write all of it, zeros too",
                     name, all - there, all, what);
}

static int check_chunks(hid_t dataset, hid_t creation, const char *name) {
#if H5_VERSION_GE(1, 10, 5)
    const app_hdf5_shape shape = app_hdf5_shape_of(dataset);
    hsize_t chunk[H5S_MAX_RANK], there = 0, all = 1;
    const hid_t space = H5Dget_space(dataset);
    const bool good = shape.rank > 0 && H5Pget_chunk(creation, shape.rank, chunk) == shape.rank &&
                      H5Dget_num_chunks(dataset, space, &there) >= 0;
    H5Sclose(space);
    if (!good) {
        return app_error(APP_USAGE, "%s: %s", name, APP_HDF5_WORDS);
    }
    for (int axis = 0; axis < shape.rank; axis++) {
        all *= (shape.extent[axis] + chunk[axis] - 1) / chunk[axis];
    }
    return there < all ? part_missing(name, there, all, "chunks") : APP_DONE;
#else
    (void)dataset;
    (void)creation;
    (void)name;
    return APP_DONE;
#endif
}

/* HDF5 looks for an external file in the working folder, or where a variable of the environment
 * says. */
static bool find_external(const char *name, const char *parent, char *path) {
    static const char origin[] = "${ORIGIN}";
    const char *prefix = getenv("HDF5_EXTFILE_PREFIX");
    char folder[PATH_MAX], copy[PATH_MAX];
    if (name[0] == '/' || prefix == NULL || strcmp(prefix, ".") == 0) {
        return try_path("", name, path);
    }
    snprintf(copy, sizeof copy, "%s", parent);
    const bool from_origin = strncmp(prefix, origin, sizeof origin - 1) == 0;
    const int length = snprintf(folder, sizeof folder, "%s%s", from_origin ? dirname(copy) : "",
                                prefix + (from_origin ? sizeof origin - 1 : 0));
    return length < PATH_MAX && try_path(folder, name, path);
}

static int check_external(hid_t dataset, hid_t creation, const char *name, const char *parent) {
    const app_hdf5_shape shape = app_hdf5_shape_of(dataset);
    const int count = H5Pget_external_count(creation);
    unsigned long long left = shape.points * shape.bytes;
    for (int file = 0; file < count && left > 0; file++) {
        char text[1024] = "", path[PATH_MAX];
        off_t offset = 0;
        hsize_t size = 0;
        struct stat status;
        if (H5Pget_external(creation, (unsigned)file, sizeof text - 1, text, &offset, &size) < 0) {
            return app_error(APP_USAGE, "%s: %s", name, APP_HDF5_WORDS);
        }
        if (!find_external(text, parent, path) || stat(path, &status)) {
            return app_error(APP_USAGE, "%s: its data are in the file %s: %s", name, text,
                             strerror(ENOENT));
        }
        if (!S_ISREG(status.st_mode)) {
            return app_error(APP_USAGE, "%s: its data are in %s, which is not a regular file", name,
                             path);
        }
        const unsigned long long used = size < left ? size : left;
        if ((unsigned long long)offset + used > (unsigned long long)status.st_size) {
            return app_error(APP_USAGE,
                             "%s: its data are in the file %s, which is too short: %llu bytes "
                             "instead of %llu",
                             name, path, (unsigned long long)status.st_size,
                             (unsigned long long)offset + used);
        }
        left -= used;
    }
    return APP_DONE;
}

/* ----------------------------------------------------------------------- virtual data sets */

static int check_dataset(hid_t dataset, const char *name, int depth);

typedef struct source {
    char file[PATH_MAX], dataset[1024];
    char name[PATH_MAX + 1024];
} source;

/* The part of a source that is used has to be in it. */
static int check_extent(hid_t dataset, hid_t creation, size_t number, const char *name) {
    hsize_t start[H5S_MAX_RANK], end[H5S_MAX_RANK];
    const app_hdf5_shape shape = app_hdf5_shape_of(dataset);
    const hid_t used = H5Pget_virtual_srcspace(creation, number);
    bool fits = shape.rank == H5Sget_simple_extent_ndims(used) &&
                H5Sget_select_bounds(used, start, end) >= 0;
    for (int axis = 0; fits && axis < shape.rank; axis++) {
        fits = end[axis] < shape.extent[axis];
    }
    H5Sclose(used);
    return fits ? APP_DONE
                : app_error(APP_USAGE, "%s: has fewer points than a virtual data set takes of it",
                            name);
}

static int check_source(hid_t virtual_one, hid_t creation, size_t number, const char *name,
                        const char *parent, int depth) {
    source from;
    char path[PATH_MAX];
    hid_t file = H5I_INVALID_HID;
    if (H5Pget_virtual_filename(creation, number, from.file, sizeof from.file) < 0 ||
        H5Pget_virtual_dsetname(creation, number, from.dataset, sizeof from.dataset) < 0) {
        return app_error(APP_USAGE, "%s: %s", name, APP_HDF5_WORDS);
    }
    snprintf(from.name, sizeof from.name, "%s:%s", from.file, from.dataset);
    const bool inside = strcmp(from.file, ".") == 0;
    if (!inside && !find_file(from.file, parent, "HDF5_VDS_PREFIX", path)) {
        return app_error(APP_USAGE, "%s: is a virtual data set, and its source %s is missing", name,
                         from.name);
    }
    if (!inside && !is_regular(path)) {
        return app_error(APP_USAGE, "%s: is a virtual data set, and %s is not a regular file", name,
                         path);
    }
    file = inside ? H5Iget_file_id(virtual_one) : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = file >= 0 ? H5Dopen2(file, from.dataset, H5P_DEFAULT) : H5I_INVALID_HID;
    int code = dataset < 0
                   ? app_error(APP_USAGE, "%s: is a virtual data set, and its source %s is missing",
                               name, from.name)
                   : check_extent(dataset, creation, number, from.name);
    code = code ? code : check_dataset(dataset, from.name, depth + 1);
    if (dataset >= 0) {
        H5Dclose(dataset);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    return code;
}

static int check_virtual(hid_t dataset, hid_t creation, const char *name, const char *parent,
                         int depth) {
    size_t count = 0;
    unsigned long long there = 0;
    const unsigned long long all = app_hdf5_shape_of(dataset).points;
    int code = APP_DONE;
    if (depth >= DEPTH_MOST || H5Pget_virtual_count(creation, &count) < 0) {
        return app_error(APP_USAGE, "%s: is a virtual data set of more than %d levels", name,
                         DEPTH_MOST);
    }
    for (size_t number = 0; number < count && !code; number++) {
        const hid_t space = H5Pget_virtual_vspace(creation, number);
        const hssize_t points = H5Sget_select_npoints(space);
        if (space >= 0 && points < 0) { /* sources without end are as many as there are */
            there = all;
        } else {
            there += points > 0 ? (unsigned long long)points : 0;
            code = check_source(dataset, creation, number, name, parent, depth);
        }
        H5Sclose(space);
    }
    return !code && there < all ? part_missing(name, there, all, "points") : code;
}

static int check_dataset(hid_t dataset, const char *name, int depth) {
    char parent[PATH_MAX] = "";
    H5D_space_status_t status = H5D_SPACE_STATUS_ALLOCATED;
    const hid_t creation = H5Dget_create_plist(dataset);
    const H5D_layout_t layout = H5Pget_layout(creation);
    int code = APP_DONE;
    (void)H5Fget_name(dataset, parent, sizeof parent);
    if (layout == H5D_VIRTUAL) {
        code = check_virtual(dataset, creation, name, parent, depth);
    } else if (H5Pget_external_count(creation) > 0) {
        code = check_external(dataset, creation, name, parent);
    } else if (H5Dget_space_status(dataset, &status) >= 0 &&
               status == H5D_SPACE_STATUS_NOT_ALLOCATED) {
        code = app_error(APP_USAGE, "%s: was never written: the data set has a shape, but no data",
                         name);
    } else if (layout == H5D_CHUNKED) {
        code = check_chunks(dataset, creation, name);
    }
    H5Pclose(creation);
    return code;
}

int app_hdf5_check_whole(hid_t dataset, const char *name) {
    return check_dataset(dataset, name, 0);
}
