/* Calls of HDF5 that reading and writing have in common. It prints nothing by itself here: its
 * words are put into our messages. */
#include "app/hdf5.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* H5dont_atexit(): after a failed write HDF5 would try again, and complain, when the program
 * ends. */
void app_hdf5_start(void) {
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void app_hdf5_version(char *text, size_t size) {
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(text, size, "%u.%u.%u", major, minor, release);
}

struct words {
    char *text;
    size_t size;
};

const char app_hdf5_locked[] = "another program has it open for writing, and has to close it first";

static herr_t take_words(unsigned n, const H5E_error2_t *error, void *data) {
    const struct words *words = data;
    if (n == 0 && error->desc != NULL) {
        /* where the system failed, its own words ("No space left on device") are the ones to
         * show */
        static const char mark[] = "error message = '";
        const char *start = strstr(error->desc, mark);
        start = start != NULL ? start + sizeof mark - 1 : error->desc;
        snprintf(words->text, words->size, "%s", start);
        char *end = start != error->desc ? strchr(words->text, '\'') : NULL;
        if (end != NULL) {
            *end = '\0';
        }
        if (strstr(error->desc, "unable to lock file, errno = 11,") != NULL) {
            snprintf(words->text, words->size, "%s", app_hdf5_locked);
        }
    }
    return 0;
}

const char *app_hdf5_words(char *text, size_t size) {
    struct words words = {text, size};
    snprintf(text, size, "HDF5 failed");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_words, &words);
    return text;
}

/* The same where data could not be read: a filter that is not here is named. */
static void read_words(hid_t dataset, char *text, size_t size) {
    char name[64] = "";
    app_hdf5_words(text, size);
    const hid_t creation = H5Dget_create_plist(dataset);
    for (int f = 0; f < H5Pget_nfilters(creation); f++) {
        unsigned flags = 0;
        size_t values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(creation, (unsigned)f, &flags, &values, NULL, sizeof name, name, NULL);
        if (filter >= 0 && H5Zfilter_avail(filter) <= 0) {
            snprintf(text, size,
                     "it is compressed by the filter '%s' (HDF5's number %d), which is not here: "
                     "write it with gzip or without compression, or name the filter's folder in "
                     "HDF5_PLUGIN_PATH",
                     name, (int)filter);
        }
    }
    H5Pclose(creation);
}

int app_hdf5_read(hid_t dataset, const app_hdf5_block *block, psg_precision precision, void *to,
                  char words[512]) {
    const hid_t type = precision == PSG_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const hid_t file = H5Dget_space(dataset);
    const hid_t memory = H5Screate_simple(block->rank, block->count, NULL);
    herr_t result =
        H5Sselect_hyperslab(file, H5S_SELECT_SET, block->start, NULL, block->count, NULL);
    if (result >= 0) {
        result = H5Dread(dataset, type, memory, file, H5P_DEFAULT, to);
    }
    if (result < 0) {
        read_words(dataset, words, 512);
    }
    H5Sclose(memory);
    H5Sclose(file);
    return result < 0 ? -1 : 0;
}

app_hdf5_shape app_hdf5_shape_of(hid_t dataset) {
    app_hdf5_shape shape = {.rank = 0};
    const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    shape.rank = H5Sget_simple_extent_dims(space, shape.extent, NULL);
    shape.empty = H5Sget_simple_extent_type(space) == H5S_NULL;
    shape.points = points > 0 ? (unsigned long long)points : 0;
    shape.class = H5Tget_class(type);
    shape.bytes = H5Tget_size(type);
    H5Tclose(type);
    H5Sclose(space);
    return shape;
}

void app_hdf5_shape_text(const app_hdf5_shape *shape, char *text, size_t size) {
    size_t length = 0;
    (void)snprintf(text, size, "%s", shape->empty ? "empty" : "one value");
    for (int axis = 0; axis < shape->rank && length < size; axis++) {
        length += (size_t)snprintf(text + length, size - length, "%s%llu", axis ? " x " : "",
                                   (unsigned long long)shape->extent[axis]);
    }
}

int app_hdf5_open(const char *path, hid_t *file) {
    const char *why = NULL;
    *file = H5I_INVALID_HID;
    if (app_room()) {
        return APP_FAILED;
    }
    const int regular = base_open_regular(path, &why);
    if (regular < 0) {
        return app_error(APP_USAGE, "%s: %s", path, why);
    }
    (void)close(regular);
    if (H5Fis_hdf5(path) <= 0) {
        return app_error(APP_USAGE, "%s: not an HDF5 file", path);
    }
    *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return *file >= 0 ? APP_DONE : app_error(APP_USAGE, "%s: %s", path, APP_HDF5_WORDS);
}

herr_t app_hdf5_no_link(const char *parent, const char *group, const char *file, const char *object,
                        unsigned *flags, hid_t access, void *data) {
    (void)parent;
    (void)group;
    (void)file;
    (void)object;
    (void)flags;
    (void)access;
    (void)data;
    return -1;
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
