/* Fields in files: their names, and reading them. */
#include "app/field.h"
#include "app/field_whole.h"
#include "app/grid_sides.h"
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

struct app_field_input {
    hid_t file, dataset;
    app_npy npy; /* in place of them */
    app_field_steps steps;
    app_field_name from; /* of the steps: the file and their group */
    psg_grid grid;
    char name[PATH_MAX + 1280];
};

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
    int rank;      /* of a field: 3, if there is such a data set, else 2 */
    size_t fields; /* data sets of this rank */
    char field[1024];
    char list[2048]; /* "/a (4 x 5 x 6), /b (7)" */
    size_t length;
    int cut; /* the list is full */
};

static void list_dataset(struct contents *contents, const char *name, hid_t dataset) {
    char text[1400], words[300];
    const app_hdf5_shape shape = app_hdf5_shape_of(dataset);
    app_hdf5_shape_text(&shape, words, sizeof words);
    if (shape.rank == 3 && contents->rank < 3) {
        contents->rank = 3;
        contents->fields = 0;
    }
    if (shape.rank == contents->rank && contents->fields++ == 0) {
        snprintf(contents->field, sizeof contents->field, "/%s", name);
    }
    snprintf(text, sizeof text, "%s/%.1000s (%s)", contents->datasets++ ? ", " : "", name, words);
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
    contents->rank = 2;
#if H5_VERSION_GE(1, 12, 0)
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit_object, contents, H5O_INFO_BASIC);
#else
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit_object, contents);
#endif
}

/* Follow the links to what has a name; a data set stays open. @param[out] type  H5I_BADID where
 * there is nothing */
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
                             "%s: say which data set (FILE:DATASET): %zu of them have rank %s; "
                             "it has %s",
                             name->file, contents.fields,
                             contents.rank == 3     ? "3"
                             : contents.fields == 0 ? "2 or 3"
                                                    : "2",
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

static int read_shape(const app_field_input *input, app_field_info *info) {
    const app_hdf5_shape shape = app_hdf5_shape_of(input->dataset);
    char text[300];
    if (shape.empty || shape.rank < 0) {
        return app_error(APP_USAGE, "%s: the data set is empty", input->name);
    }
    const int code = app_rank_check(input->name, shape.rank);
    if (code) {
        return code;
    }
    if (shape.points == 0) {
        app_hdf5_shape_text(&shape, text, sizeof text);
        return app_error(APP_USAGE, "%s: the data set is empty: its shape is %s", input->name,
                         text);
    }
    if (shape.class != H5T_FLOAT && shape.class != H5T_INTEGER) {
        return app_error(APP_USAGE, "%s: holds %s; psg reads real numbers and integers",
                         input->name, class_name(shape.class));
    }
    info->size = (app_grid_value){.given = true, .axes = shape.rank};
    for (int d = 0; d < 3; d++) {
        info->size.n[d] = d < shape.rank ? (size_t)shape.extent[shape.rank - 1 - d] : 1;
    }
    info->integers = shape.class == H5T_INTEGER;
    info->precision = !info->integers && shape.bytes <= sizeof(float) ? PSG_F32 : PSG_F64;
    return APP_DONE;
}

static int read_box(const app_field_input *input, app_field_info *info) {
    static const char *const numbers[] = {"one number lx", "two numbers lx, ly",
                                          "three numbers lx, ly, lz"};
    const int found = app_hdf5_numbers(input->dataset, "box", info->box.length, info->size.axes);
    info->box.given = found > 0;
    info->box.axes = info->size.axes;
    if (found < 0) {
        return app_error(APP_USAGE, "%s: its attribute 'box' is not %s; --box overrides it",
                         input->name, numbers[info->size.axes - 1]);
    }
    app_hdf5_text(input->dataset, "bc", info->bc, sizeof info->bc);
    app_hdf5_text(input->dataset, "points", info->points, sizeof info->points);
    return APP_DONE;
}

static int open_array(const app_field_name *name, app_field_input *input, app_field_info *info) {
    snprintf(input->name, sizeof input->name, "%s", name->file);
    const int code = name->dataset[0] ? one_array(name) : app_npy_open(name->file, &input->npy);
    info->size = input->npy.size;
    info->precision = input->npy.precision;
    return code;
}

/* What is to know about the open data set. */
static int describe(app_field_input *input, int box_wanted, app_field_info *info) {
    int code = read_shape(input, info);
    code = code ? code : app_hdf5_check_whole(input->dataset, input->name);
    return code || !box_wanted ? code : read_box(input, info);
}

static int open_one(const app_field_name *name, int box_wanted, app_field_input *input,
                    app_field_info *info) {
    const int code = open_dataset(name, input);
    return code ? code : describe(input, box_wanted, info);
}

/* ----------------------------------------------------------------------------------- time steps */

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

/* The names of everything in a group, in their order. @param[in] name  of the group in messages */
static int list_steps(hid_t file, const char *path, const char *name, app_field_steps *steps) {
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

const char *app_field_kind(const app_field_info *info) {
    return info->integers ? "integers" : info->precision == PSG_F32 ? "f32 numbers" : "f64 numbers";
}

static app_grid_words shape_words(const app_grid_value *size) {
    app_grid_words words = {.text = ""};
    for (int d = size->axes - 1, length = 0; d >= 0; d--) {
        length += snprintf(words.text + length, sizeof words.text - (size_t)length, "%zu%s",
                           size->n[d], d > 0 ? " x " : "");
    }
    return words;
}

/* One plan solves all steps. */
static int compare_step(const app_field_input *input, const app_field_info *first,
                        const app_field_info *info) {
    const double *a = first->box.length, *b = info->box.length;
    if (!app_same_size(&first->size, &info->size)) {
        return app_error(APP_USAGE,
                         "%s: its shape is %s, and that of %s is %s: all time steps have to have "
                         "the same",
                         input->name, shape_words(&info->size).text, first->name,
                         shape_words(&first->size).text);
    }
    if (first->precision != info->precision || first->integers != info->integers) {
        return app_error(APP_USAGE,
                         "%s: holds %s, and %s holds %s: all time steps have to hold the same",
                         input->name, app_field_kind(info), first->name, app_field_kind(first));
    }
    if (first->box.given != info->box.given) {
        return app_error(APP_USAGE,
                         "%s: has no attribute 'box', and %s has one; --box overrides it",
                         first->box.given ? input->name : first->name,
                         first->box.given ? first->name : input->name);
    }
    return first->box.given && (a[0] != b[0] || a[1] != b[1] || a[2] != b[2])
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

/* Everything in the group is a step but for other groups. @param[in,out] info  of the first step:
 * size is not given before */
static int open_step(app_field_input *input, int box_wanted, size_t number, app_field_info *first,
                     bool *other) {
    app_field_step *step = &input->steps.list[number];
    char path[APP_FIELD_PATH];
    H5I_type_t type = H5I_BADID;
    app_field_info info = {.size = {.given = false}};
    name_step(input, number, path);
    int code = open_path(input, path, &type);
    *other = type != H5I_DATASET && type != H5I_BADID;
    if (code || *other) {
        return code;
    }
    code = type == H5I_BADID ? wrong_content(input, "no such data set") : APP_DONE;
    code = code ? code : describe(input, box_wanted, &info);
    code = code ? code : read_time(input, step);
    if (!code && first->size.given) {
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
    code = code ? code : list_steps(input->file, group, input->name, steps);
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
    code = code ? code : app_grid_make(&info->size, NULL, NULL, NULL, &input->grid);
    if (code) {
        app_field_close(input);
        return code;
    }
    snprintf(info->name, sizeof info->name, "%s", input->name);
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
    const psg_axis *axis = input->grid.axis;
    app_hdf5_block block = {.rank = input->grid.axes};
    for (int d = 0, last = app_turn(&input->grid, 2); d < block.rank; d++) {
        block.start[block.rank - 1 - d] = d == last ? planes.z0 : 0;
        block.count[block.rank - 1 - d] = d == last ? planes.count : axis[d].n;
    }
    char words[512];
    const char *why = NULL;
    const int code = input->steps.count > 0 ? change_step(input, step) : APP_DONE;
    if (code) {
        return code;
    }
    if (input->npy.file >= 0) {
        why = app_npy_read(&input->npy, precision, planes, f);
    } else if (planes.count > 0 && app_hdf5_read(input->dataset, &block, precision, f, words)) {
        why = words;
    }
    return why == NULL ? APP_DONE
                       : app_error(APP_FAILED, "%s: cannot be read: %s", input->name, why);
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
