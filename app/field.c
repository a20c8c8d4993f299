/* Fields in files: their names, reading them, and what writing has in common with it. HDF5
 * prints nothing by itself here: its words are put into our messages. */
#include "app/field.h"
#include "app/hdf5.h"
#include "app/npy.h"
#include "base/hash.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct app_field_input {
    hid_t file, dataset;
    app_npy npy; /* in place of them */
    app_field_steps steps;
    app_field_name from; /* of the steps: the file and their group */
    psg_grid grid;
    char name[PATH_MAX + 1280];
};

/* H5dont_atexit(): after a failed write HDF5 would try again, and complain, when the program
 * ends. */
void app_hdf5_start(void) {
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
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

void app_field_library_version(char *text, size_t size) {
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(text, size, "%u.%u.%u", major, minor, release);
}

const char *app_hdf5_read_words(hid_t dataset, char *text, size_t size) {
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
    return text;
}

int app_hdf5_move(app_hdf5_field *field, app_hdf5_rows rows, void *in, const void *out) {
    const size_t ny = field->grid->axis[1].n;
    const bool whole = rows.count % ny == 0 && rows.first % ny == 0;
    const hsize_t start[3] = {rows.first / ny, rows.first % ny, 0};
    const hsize_t block[3] = {whole ? rows.count / ny : 1, whole ? ny : rows.count,
                              field->grid->axis[0].n};
    const hid_t type = field->precision == PSG_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const hid_t file = H5Dget_space(field->dataset);
    const hid_t memory = H5Screate_simple(3, block, NULL);
    herr_t result = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, block, NULL);
    if (result >= 0) {
        result = in != NULL ? H5Dread(field->dataset, type, memory, file, H5P_DEFAULT, in)
                            : H5Dwrite(field->dataset, type, memory, file, H5P_DEFAULT, out);
    }
    if (result < 0) {
        app_hdf5_read_words(field->dataset, field->words, sizeof field->words);
    }
    H5Sclose(memory);
    H5Sclose(file);
    return result < 0 ? -1 : 0;
}

void app_field_start(void) {
    app_hdf5_start();
}

static int one_array(const app_field_name *name) {
    return app_error(APP_USAGE,
                     "%s: NumPy's files have one array, which has no name: leave ':%s' away",
                     name->file, name->dataset);
}

int app_field_split(const char *text, app_field_name *name) {
    struct stat status;
    const char *colon = stat(text, &status) ? strrchr(text, ':') : NULL;
    const size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    if (length == 0 || length >= sizeof name->file) {
        return app_error(APP_USAGE, "'%s' names no file: expected FILE:DATASET", text);
    }
    memcpy(name->file, text, length);
    name->file[length] = '\0';
    name->dataset[0] = '\0';
    if (colon == NULL) {
        return APP_DONE;
    }
    const char *slash = colon[1] == '/' ? "" : "/";
    const int written = snprintf(name->dataset, sizeof name->dataset, "%s%s", slash, colon + 1);
    if (written < 2 || (size_t)written >= sizeof name->dataset ||
        name->dataset[written - 1] == '/') {
        return app_error(APP_USAGE, "'%s' names no data set: expected FILE:DATASET", text);
    }
    return app_npy_named(name->file) ? one_array(name) : APP_DONE;
}

/* Where the * is, or NULL. */
static const char *star(const app_field_name *name) {
    const char *slash = strrchr(name->dataset, '/');
    return slash != NULL && strcmp(slash, "/*") == 0 ? slash + 1 : NULL;
}

bool app_field_is_series(const app_field_name *name) {
    return star(name) != NULL;
}

/* ------------------------------------------------------------------------------------ reading */

/* What a file holds, gathered for messages and for the choice of the only field. */
struct contents {
    size_t datasets;
    size_t fields; /* data sets of rank 3 */
    char field[1024];
    char list[2048]; /* "/a (4 x 5 x 6), /b (7)" */
    size_t length;
    int cut; /* the list is full */
};

static void list_dataset(struct contents *contents, const char *name, hid_t dataset) {
    hsize_t extent[H5S_MAX_RANK];
    char text[1400], shape[300] = "";
    size_t length = 0;
    const hid_t space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    const bool empty = H5Sget_simple_extent_type(space) == H5S_NULL;
    H5Sclose(space);
    for (int axis = 0; axis < rank && length < sizeof shape; axis++) {
        length += (size_t)snprintf(shape + length, sizeof shape - length, "%s%llu",
                                   axis ? " x " : "", (unsigned long long)extent[axis]);
    }
    if (rank == 3 && contents->fields++ == 0) {
        snprintf(contents->field, sizeof contents->field, "/%s", name);
    }
    snprintf(text, sizeof text, "%s/%.1000s (%s)", contents->datasets++ ? ", " : "", name,
             rank > 0 ? shape
             : empty  ? "empty"
                      : "one value");
    if (contents->cut || contents->length + strlen(text) + 6 > sizeof contents->list) {
        if (!contents->cut) {
            memcpy(contents->list + contents->length, ", ...", sizeof ", ...");
        }
        contents->cut = 1;
        return;
    }
    memcpy(contents->list + contents->length, text, strlen(text) + 1);
    contents->length += strlen(text);
}

static herr_t visit_object(hid_t file, const char *name, const H5O_info_t *info, void *data) {
    if (info->type != H5O_TYPE_DATASET) {
        return 0;
    }
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset >= 0) {
        list_dataset(data, name, dataset);
        H5Dclose(dataset);
    }
    return 0;
}

static void find_contents(hid_t file, struct contents *contents) {
    memset(contents, 0, sizeof *contents);
#if H5_VERSION_GE(1, 12, 0)
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit_object, contents, H5O_INFO_BASIC);
#else
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit_object, contents);
#endif
}

int app_hdf5_open(const char *path, hid_t *file) {
    struct stat status;
    *file = H5I_INVALID_HID;
    if (app_room()) {
        return APP_FAILED;
    }
    if (stat(path, &status) || access(path, R_OK)) {
        return app_error(APP_USAGE, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return app_error(APP_USAGE, "%s: not a regular file", path);
    }
    if (H5Fis_hdf5(path) <= 0) {
        return app_error(APP_USAGE, "%s: not an HDF5 file", path);
    }
    *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (*file < 0) {
        return app_error(APP_USAGE, "%s: %s", path, APP_HDF5_WORDS);
    }
    return APP_DONE;
}

/* Follow the links to what has a name; a data set stays open. @param[out] type  H5I_BADID where there is nothing */
static int open_path(app_field_input *input, const char *path, H5I_type_t *type) {
    char words[APP_HDF5_LINK_WORDS] = "";
    const hid_t access = H5Pcreate(H5P_LINK_ACCESS);
    H5Pset_elink_cb(access, app_hdf5_link_file, words);
    const hid_t object = H5Oopen(input->file, path, access);
    H5Pclose(access);
    *type = object < 0 ? H5I_BADID : H5Iget_type(object);
    if (*type == H5I_DATASET) {
        input->dataset = object;
    } else if (object >= 0) {
        H5Oclose(object);
    }
    return words[0] ? app_error(APP_USAGE, "%s: is behind %s", input->name, words) : APP_DONE;
}

static int wrong_content(const app_field_input *input, const char *what) {
    struct contents contents;
    find_contents(input->file, &contents);
    return app_error(APP_USAGE, "%s: %s; the file has %s", input->name, what,
                     contents.datasets ? contents.list : "no data sets");
}

/* The data set that was named, or the only one that can be meant. */
static int open_dataset(const app_field_name *name, app_field_input *input) {
    struct contents contents;
    const char *path = name->dataset;
    if (path[0] == '\0') {
        find_contents(input->file, &contents);
        if (contents.fields != 1) {
            return app_error(APP_USAGE,
                             "%s: say which data set (FILE:DATASET): %zu of them have rank 3; it "
                             "has %s",
                             name->file, contents.fields,
                             contents.datasets ? contents.list : "no data sets");
        }
        path = contents.field;
    }
    snprintf(input->name, sizeof input->name, "%s:%s", name->file, path);
    H5I_type_t type = H5I_BADID;
    const int code = open_path(input, path, &type);
    return code || type == H5I_DATASET
               ? code
               : wrong_content(input, type == H5I_BADID ? "no such data set" : "not a data set");
}

static int read_shape(const app_field_input *input, app_field_info *info) {
    hsize_t extent[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(input->dataset);
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    const H5S_class_t kind = H5Sget_simple_extent_type(space);
    H5Sclose(space);
    if (kind == H5S_NULL || rank < 0) {
        return app_error(APP_USAGE, "%s: the data set is empty", input->name);
    }
    if (rank != 3) {
        return app_error(APP_USAGE, "%s: has rank %d, but a field has rank 3: [nz][ny][nx]%s",
                         input->name, rank, app_rank_remedy(rank));
    }
    for (int axis = 0; axis < 3; axis++) {
        info->n[axis] = (size_t)extent[2 - axis];
        if (info->n[axis] == 0) {
            return app_error(APP_USAGE,
                             "%s: the data set is empty: its shape is %llu x %llu x %llu",
                             input->name, (unsigned long long)extent[0],
                             (unsigned long long)extent[1], (unsigned long long)extent[2]);
        }
    }
    return APP_DONE;
}

static const char *class_name(H5T_class_t class) {
    switch (class) {
    case H5T_COMPOUND:
        return "compound values (complex ones are stored so: their real and imaginary parts are "
               "two solves, of two data sets)";
    case H5T_STRING:
        return "text";
    case H5T_ENUM:
        return "an enumeration (booleans are stored so)";
    default:
        return "values";
    }
}

static int read_type(const app_field_input *input, app_field_info *info) {
    const hid_t type = H5Dget_type(input->dataset);
    const H5T_class_t class = H5Tget_class(type);
    const size_t bytes = H5Tget_size(type);
    H5Tclose(type);
    if (class != H5T_FLOAT && class != H5T_INTEGER) {
        return app_error(APP_USAGE, "%s: holds %s; psg reads real numbers and integers",
                         input->name, class_name(class));
    }
    info->integers = class == H5T_INTEGER;
    info->precision = class == H5T_FLOAT && bytes <= sizeof(float) ? PSG_F32 : PSG_F64;
    return APP_DONE;
}

static int read_box(const app_field_input *input, app_field_info *info) {
    const int found = app_hdf5_numbers(input->dataset, "box", info->box, 3);
    info->has_box = found > 0;
    if (found < 0) {
        return app_error(
            APP_USAGE,
            "%s: its attribute 'box' is not three numbers lx, ly, lz; --box overrides it",
            input->name);
    }
    app_hdf5_text(input->dataset, "bc", info->bc, sizeof info->bc);
    app_hdf5_text(input->dataset, "points", info->points, sizeof info->points);
    return APP_DONE;
}

static int open_array(const app_field_name *name, app_field_input *input, app_field_info *info) {
    snprintf(input->name, sizeof input->name, "%s", name->file);
    const int code = name->dataset[0] ? one_array(name) : app_npy_open(name->file, &input->npy);
    memcpy(info->n, input->npy.n, sizeof info->n);
    info->precision = input->npy.precision;
    return code;
}

/* What is to know about the open data set. */
static int describe(app_field_input *input, int box_wanted, app_field_info *info) {
    int code = read_shape(input, info);
    if (!code) {
        code = read_type(input, info);
    }
    if (!code) {
        code = app_hdf5_check_whole(input->dataset, input->name);
    }
    return code || !box_wanted ? code : read_box(input, info);
}

static int open_one(const app_field_name *name, int box_wanted, app_field_input *input,
                    app_field_info *info) {
    const int code = open_dataset(name, input);
    return code ? code : describe(input, box_wanted, info);
}

/* ------------------------------------------------------------------------------------ time steps */

static const char *kind_name(const app_field_info *info) {
    return info->integers ? "integers" : info->precision == PSG_F32 ? "f32 numbers" : "f64 numbers";
}

/* One plan solves all steps. */
static int compare_step(const app_field_input *input, const app_field_info *first,
                        const app_field_info *info) {
    const size_t *m = first->n, *n = info->n;
    const double *a = first->box, *b = info->box;
    if (memcmp(m, n, sizeof first->n) != 0) {
        return app_error(APP_USAGE,
                         "%s: its shape is %zu x %zu x %zu, and that of %s is %zu x %zu x %zu: all "
                         "time steps have to have the same",
                         input->name, n[2], n[1], n[0], first->name, m[2], m[1], m[0]);
    }
    if (first->precision != info->precision || first->integers != info->integers) {
        return app_error(APP_USAGE,
                         "%s: holds %s, and %s holds %s: all time steps have to hold the same",
                         input->name, kind_name(info), first->name, kind_name(first));
    }
    if (first->has_box != info->has_box) {
        return app_error(
            APP_USAGE, "%s: has no attribute 'box', and %s has one; --box overrides it",
            first->has_box ? input->name : first->name, first->has_box ? first->name : input->name);
    }
    return first->has_box && (a[0] != b[0] || a[1] != b[1] || a[2] != b[2])
               ? app_error(APP_USAGE,
                           "%s: its attribute 'box' is %g x %g x %g, and that of %s is %g x %g x "
                           "%g; --box overrides them",
                           input->name, b[0], b[1], b[2], first->name, a[0], a[1], a[2])
               : APP_DONE;
}

static int read_time(const app_field_input *input, app_field_step *step) {
    const int found = app_hdf5_numbers(input->dataset, "time", &step->time, 1);
    return found < 0 || !isfinite(step->time)
               ? app_error(APP_USAGE, "%s: its attribute 'time' is not one finite number",
                           input->name)
               : APP_DONE;
}

static void close_dataset(app_field_input *input) {
    if (input->dataset >= 0) {
        H5Dclose(input->dataset);
    }
    input->dataset = H5I_INVALID_HID;
}

static void name_step(app_field_input *input, size_t step, char path[APP_FIELD_PATH]) {
    app_field_path(input->from.dataset, &input->steps, step, path);
    snprintf(input->name, sizeof input->name, "%s:%s", input->from.file, path);
}

/* Everything in the group is a step but for other groups. @param[in,out] info  of the first step: n[0] is 0 before */
static int open_step(app_field_input *input, int box_wanted, size_t number, app_field_info *first,
                     bool *other) {
    app_field_step *step = &input->steps.list[number];
    char path[APP_FIELD_PATH];
    H5I_type_t type = H5I_BADID;
    app_field_info info = {.n = {0, 0, 0}};
    name_step(input, number, path);
    int code = open_path(input, path, &type);
    *other = type != H5I_DATASET && type != H5I_BADID;
    if (code || *other) {
        return code;
    }
    code = type == H5I_BADID ? wrong_content(input, "no such data set") : APP_DONE;
    code = code ? code : describe(input, box_wanted, &info);
    code = code ? code : read_time(input, step);
    if (!code && first->n[0] > 0) {
        code = compare_step(input, first, &info);
    } else if (!code) {
        *first = info;
        snprintf(first->name, sizeof first->name, "%s", input->name);
    }
    close_dataset(input);
    return code;
}

static int open_series(const app_field_name *name, int box_wanted, app_field_input *input,
                       app_field_info *info) {
    app_field_steps *steps = &input->steps;
    H5I_type_t type = H5I_BADID;
    size_t kept = 0;
    input->from = *name;
    input->from.dataset[star(name) - name->dataset - 1] = '\0';
    const char *group = input->from.dataset[0] ? input->from.dataset : "/";
    snprintf(input->name, sizeof input->name, "%s:%s", name->file, group);
    int code = open_path(input, group, &type);
    close_dataset(input);
    if (!code && type != H5I_GROUP) {
        code = wrong_content(input, type == H5I_BADID ? "no such group" : "not a group");
    }
    code = code ? code : app_hdf5_steps(input->file, group, input->name, steps);
    for (size_t s = 0; s < steps->count && !code; s++) {
        bool other = false;
        steps->list[s].time = (double)kept;
        code = open_step(input, box_wanted, s, info, &other);
        if (!other) {
            steps->list[kept++] = steps->list[s];
        }
    }
    steps->count = kept;
    info->steps = kept;
    info->step_names = BASE_HASH_NOTHING;
    for (size_t s = 0; s < kept; s++) {
        info->step_names =
            base_hash(info->step_names, steps->list[s].name, strlen(steps->list[s].name) + 1);
    }
    if (!code && kept == 0) {
        snprintf(input->name, sizeof input->name, "%s:%s", name->file, group);
        code = wrong_content(input, "the group has no data sets");
    }
    snprintf(input->name, sizeof input->name, "%s:%s", name->file, name->dataset);
    return code;
}

const app_field_steps *app_field_input_steps(const app_field_input *input) {
    return &input->steps;
}

const char *app_field_input_name(const app_field_input *input) {
    return input->name;
}

int app_field_open(const app_field_name *name, int box_wanted, app_field_input **result,
                   app_field_info *info) {
    memset(info, 0, sizeof *info);
    *result = NULL;
    app_hdf5_start();
    app_field_input *input = malloc(sizeof *input);
    if (input == NULL) {
        return app_error(APP_FAILED, "out of memory");
    }
    input->file = input->dataset = H5I_INVALID_HID;
    input->npy = (app_npy){.file = -1};
    input->steps = (app_field_steps){0, NULL};
    int code = APP_DONE;
    if (app_npy_meant(name->file)) {
        code = open_array(name, input, info);
    } else {
        code = app_hdf5_open(name->file, &input->file);
        code = code                        ? code
               : app_field_is_series(name) ? open_series(name, box_wanted, input, info)
                                           : open_one(name, box_wanted, input, info);
    }
    if (code) {
        app_field_close(input);
        return code;
    }
    snprintf(info->name, sizeof info->name, "%s", input->name);
    psg_grid_init(&input->grid, info->n[0], info->n[1], info->n[2], 1, 1, 1);
    *result = input;
    return APP_DONE;
}

static int change_step(app_field_input *input, size_t step) {
    char path[APP_FIELD_PATH];
    H5I_type_t type = H5I_BADID;
    close_dataset(input);
    name_step(input, step, path);
    const int code = open_path(input, path, &type);
    return code || type == H5I_DATASET
               ? code
               : app_error(APP_FAILED, "%s: cannot be read: %s", input->name, APP_HDF5_WORDS);
}

int app_field_read(app_field_input *input, size_t step, psg_precision precision, app_planes planes,
                   void *f) {
    const size_t ny = input->grid.axis[1].n;
    if (input->steps.count > 0) {
        const int code = change_step(input, step);
        if (code) {
            return code;
        }
    }
    app_hdf5_field field = {input->dataset, &input->grid, precision, ""};
    const char *why = input->npy.file >= 0 ? app_npy_read(&input->npy, precision, planes, f) : NULL;
    if (why != NULL) {
        return app_error(APP_FAILED, "%s: cannot be read: %s", input->name, why);
    }
    if (input->npy.file < 0 && planes.count > 0 &&
        app_hdf5_move(&field, (app_hdf5_rows){planes.z0 * ny, planes.count * ny}, f, NULL)) {
        return app_error(APP_FAILED, "%s: cannot be read: %s", input->name, field.words);
    }
    return APP_DONE;
}

void app_field_close(app_field_input *input) {
    if (input == NULL) {
        return;
    }
    close_dataset(input);
    if (input->file >= 0) {
        H5Fclose(input->file);
    }
    app_npy_close(&input->npy);
    free(input->steps.list);
    free(input);
}
