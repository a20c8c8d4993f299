/* psg view: the three middle slices of a field as a picture, for a first look. */
#include "app/arguments.h"
#include "app/commands.h"
#include "app/field.h"
#include "app/output.h"
#include "app/png.h"
#include "app/processes.h"
#include "app/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct view_arguments {
    const char *file, *out;
    bool force, quiet;
} view_arguments;

#define FIELD(member) offsetof(view_arguments, member)

static const app_option_row view_rows[] = {
    APP_FILE_ROW("Picture", out, "FILE", "the PNG file to write; default: slices.png"),
    APP_FORCE_ROW,
    APP_QUIET_ROW,
    {.name = NULL}};

static const app_command_text view_text = {
    "view", view_rows,
    "Usage: psg view FILE[:DATASET] [OPTION]...\n"
    "\n"
    "Write the three slices through the middle of a field as one PNG picture: from left to\n"
    "right x-y, x-z and y-z, with x or y to the right and y or z upwards. Every point is a\n"
    "square. Blue is the least value of the slices, red the largest, and white the middle\n"
    "between both. If the slices have both signs, white is 0, and blue and red are as far\n"
    "from it. A point that is NaN or Inf is black.\n",
    "Examples:\n"
    "  psg view phi.h5:/potential\n"
    "         slices.png\n"
    "  psg view rho.npy --out rho.png\n"
    "         of a file of NumPy's\n",
    "FILE[:DATASET]"};

/* A slice: [rows][row] numbers, the lowest row first. */
typedef struct slice {
    size_t row, rows;
    double *value;
} slice;

enum { SLICES = 3, GAP = 8, LEAST_PIXELS = 256, COLOURS = 253, BACKGROUND = 254, BAD = 255 };

/* -------------------------------------------------------------------------------- the slices */

static int read_slices(app_field_input *input, const app_field_info *info, slice slices[SLICES]) {
    const size_t nx = info->n[0], ny = info->n[1], nz = info->n[2];
    double *plane = app_allocate(nx * ny, sizeof *plane, "a plane of the field");
    int code = plane != NULL ? APP_DONE : APP_FAILED;
    for (size_t z = 0; z < nz && !code; z++) {
        code = app_field_read(input, 0, PSG_F64, (app_planes){z, 1}, plane);
        if (!code && z == nz / 2) {
            memcpy(slices[0].value, plane, nx * ny * sizeof *plane);
        }
        if (!code) {
            memcpy(slices[1].value + z * nx, plane + ny / 2 * nx, nx * sizeof *plane);
        }
        for (size_t y = 0; y < ny && !code; y++) {
            slices[2].value[z * ny + y] = plane[y * nx + nx / 2];
        }
    }
    free(plane);
    return code;
}

static int allocate_slices(const size_t n[3], slice slices[SLICES]) {
    static const int axes[SLICES][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int s = 0; s < SLICES; s++) {
        slices[s] = (slice){n[axes[s][0]], n[axes[s][1]], NULL};
        slices[s].value =
            app_allocate(slices[s].row * slices[s].rows, sizeof *slices[s].value, "a slice");
        if (slices[s].value == NULL) {
            return APP_FAILED;
        }
    }
    return APP_DONE;
}

/* ------------------------------------------------------------------------------- the picture */

/* Of all finite values. @return how many are not */
static size_t find_range(const slice slices[SLICES], double *least, double *most) {
    size_t bad = 0;
    *least = INFINITY;
    *most = -INFINITY;
    for (int s = 0; s < SLICES; s++) {
        for (size_t p = 0; p < slices[s].row * slices[s].rows; p++) {
            const double value = slices[s].value[p];
            if (isfinite(value)) {
                *least = fmin(*least, value);
                *most = fmax(*most, value);
            } else {
                bad++;
            }
        }
    }
    return bad;
}

/* From blue over white to red. */
static void choose_colours(app_picture *picture) {
    static const double blue[3] = {33, 75, 170}, red[3] = {178, 24, 43};
    for (int c = 0; c < COLOURS; c++) {
        const double place = 2. * c / (COLOURS - 1) - 1;
        for (int part = 0; part < 3; part++) {
            const double end = place < 0 ? blue[part] : red[part];
            picture->colour[c][part] = (uint8_t)lround(255 + (end - 255) * fabs(place));
        }
    }
    memset(picture->colour[BACKGROUND], 160, 3); /* grey, because white is a value */
}

static uint8_t colour_of(double value, double low, double high) {
    if (!isfinite(value)) {
        return BAD;
    }
    /* halves, because the range of f64 is larger than the difference of two numbers may be */
    const double half = high / 2 - low / 2;
    const double place = half > 0 ? (value / 2 - low / 2) / half : 0.5;
    return (uint8_t)lround(place * (COLOURS - 1));
}

static void paint(app_picture *picture, const slice *s, size_t left, size_t scale, double low,
                  double high) {
    for (size_t y = 0; y < s->rows * scale; y++) {
        uint8_t *to = picture->pixel + (picture->height - 1 - y) * picture->width + left;
        for (size_t x = 0; x < s->row * scale; x++) {
            to[x] = colour_of(s->value[y / scale * s->row + x / scale], low, high);
        }
    }
}

static int make_picture(const slice slices[SLICES], double low, double high, app_picture *picture) {
    size_t row = (size_t)(SLICES - 1) * GAP, rows = 0, largest = 0, left = 0;
    for (int s = 0; s < SLICES; s++) {
        largest = slices[s].row > largest ? slices[s].row : largest;
        rows = slices[s].rows > rows ? slices[s].rows : rows;
    }
    largest = rows > largest ? rows : largest;
    const size_t scale = largest < LEAST_PIXELS ? (LEAST_PIXELS + largest - 1) / largest : 1;
    for (int s = 0; s < SLICES; s++) {
        row += slices[s].row * scale;
    }
    picture->width = row;
    picture->height = rows * scale;
    picture->pixel = app_allocate(picture->width, picture->height, "the picture");
    if (picture->pixel == NULL) {
        return APP_FAILED;
    }
    memset(picture->pixel, BACKGROUND, picture->width * picture->height);
    choose_colours(picture);
    for (int s = 0; s < SLICES; s++) {
        paint(picture, &slices[s], left, scale, low, high);
        left += slices[s].row * scale + GAP;
    }
    return APP_DONE;
}

/* ------------------------------------------------------------------------------- the command */

static int write_picture(const view_arguments *a, const app_picture *picture) {
    const app_output_kind kind = a->force ? APP_OUTPUT_ANY : APP_OUTPUT_PNG;
    app_output output;
    int code =
        app_output_begin(&output, a->out, kind, (double)picture->width * (double)picture->height);
    if (code) {
        return code;
    }
    code = app_png_write(picture, output.temporary, a->out);
    if (!code) {
        return app_output_commit(&output);
    }
    app_output_discard(&output);
    return code;
}

static int open_field(const view_arguments *a, app_field_input **input, app_field_info *info) {
    app_field_name name;
    int code = app_field_split(a->file, &name);
    if (!code && app_field_is_series(&name)) {
        code = app_error(APP_USAGE, "%s: a picture is of one step: give the name of its data set",
                         a->file);
    }
    if (!code && app_same_file(name.file, a->out)) {
        code = app_error(APP_USAGE, "--out names the file of the field, %s", a->out);
    }
    return code ? code : app_field_open(&name, 0, input, info);
}

static int make_view(const view_arguments *a, app_progress *progress) {
    app_field_input *input = NULL;
    app_field_info info;
    app_picture picture = {.pixel = NULL};
    slice slices[SLICES] = {{0, 0, NULL}};
    double least = 0, most = 0;
    size_t bad = 0;
    int code = app_output_try(a->out, a->force ? APP_OUTPUT_ANY : APP_OUTPUT_PNG);
    code = code ? code : open_field(a, &input, &info);
    code = code ? code : allocate_slices(info.n, slices);
    app_progress_step(progress, "reading");
    code = code ? code : read_slices(input, &info, slices);
    app_field_close(input);
    if (!code) {
        bad = find_range(slices, &least, &most);
        const double end = fmax(-least, most);
        const bool both = least < 0 && most > 0;
        least = both ? -end : least;
        most = both ? end : most;
        app_progress_step(progress, "writing");
        code = make_picture(slices, least, most, &picture);
    }
    code = code ? code : write_picture(a, &picture);
    app_progress_stop(progress);
    if (!code && !a->quiet) {
        app_say("written   %s, %zu x %zu pixels: %s\n", a->out, picture.width, picture.height,
                info.name);
        app_say("slices    z %zu, y %zu, x %zu of %zu x %zu x %zu points, counted from 0\n",
                info.n[2] / 2, info.n[1] / 2, info.n[0] / 2, info.n[0], info.n[1], info.n[2]);
        if (least <= most) {
            app_say("colours   blue %.6g, white %.6g, red %.6g\n", least, least / 2 + most / 2,
                    most);
        }
    }
    if (!code && !a->quiet && bad > 0) {
        app_print_message("note: %zu points of the slices are NaN or Inf, and black", bad);
    }
    for (int s = 0; s < SLICES; s++) {
        free(slices[s].value);
    }
    free(picture.pixel);
    return code;
}

/* FILE stands first, in the place that parsing takes for the command's name. */
int app_view(int argc, char **argv) {
    view_arguments a = {.out = "slices.png"};
    const bool named = argc > 1 && argv[1][0] != '-';
    a.file = named ? argv[1] : NULL;
    const int code =
        app_ranks_agree(app_arguments_parse(&view_text, argc - named, argv + named, &a));
    if (code) {
        return code == APP_HELPED ? APP_DONE : code;
    }
    if (a.file == NULL || !a.file[0]) {
        return app_ranks_agree(app_error(APP_USAGE, "say what to look at: psg view phi.h5"));
    }
    if (app_ranks() > 1) {
        return app_ranks_agree(
            app_error(APP_USAGE, "psg view is for one process: start it without mpirun"));
    }
    app_signals_install(app_rank() > 0);
    app_progress progress;
    app_progress_start(&progress, !a.quiet);
    const int result = make_view(&a, &progress);
    app_progress_stop(&progress);
    return result;
}
