/* psg view: three slices of a field as a picture, for a first look. */
#include "app/arguments.h"
#include "app/commands.h"
#include "app/field.h"
#include "app/output.h"
#include "app/picture.h"
#include "app/processes.h"
#include "app/progress.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct view_arguments {
    const char *file, *out;
    app_place_value at;
    app_box_value box;
    bool force, quiet;
} view_arguments;

#define FIELD(member) offsetof(view_arguments, member)

static const app_option_row view_rows[] = {
    APP_FILE_ROW("Picture", out, "FILE.png", "the PNG file to write; default: slices.png"),
    {NULL, "at", "X,Y,Z", app_value_place, FIELD(at), NULL,
     "X,Y,Z, or X,Y of a field in 2-D, finite numbers",
     "the place that the slices go through, in the unit of the box; default: the point with the "
     "largest |value|",
     false},
    APP_BOX_ROW(
        false, "lengths of the box; default: the attribute `box` of the field, else the axes count "
               "points"),
    APP_FORCE_ROW,
    APP_QUIET_ROW,
    {.name = NULL}};

static const app_command_text view_text = {
    .name = "view",
    .rows = view_rows,
    .intro =
        "Usage: psg view FILE[:DATASET] [OPTION]...\n"
        "\n"
        "Write three slices of a field as one PNG picture: from left to right x-y, x-z and y-z,\n"
        "with x or y to the right and y or z upwards, to scale. They go through the point with\n"
        "the largest |value|, or through --at. The axes have the unit of the box.\n"
        "\n"
        "Blue is the least value of the slices, red the largest, and white the middle between\n"
        "both. If the slices have both signs, white is 0, and blue and red are as far from it.\n"
        "The bar on the right has the numbers. A point that is NaN or Inf is black.\n",
    .end = "Examples:\n"
           "  psg view phi.h5:/potential\n"
           "         slices.png\n"
           "  psg view rho.npy --box 10 --at 5,5,2.5 --out rho.png\n"
           "         of a file of NumPy's, through a place\n",
    .operand = "FILE[:DATASET]",
    .alone = true};

/* What is looked at. */
typedef struct view {
    const view_arguments *arguments;
    app_field_input *input;
    app_field_info info;
    app_picture_axis axis[3];
    bool counts; /* the axes count points, because nobody gave a box */
    size_t at[3];
    double largest; /* |value| there; 0: nobody looked for it, or all is 0 */
    app_slice slice[APP_SLICES];
    size_t bad; /* points of the slices that are not finite */
    double low, high;
    app_picture picture;
} view;

/* -------------------------------------------------------------------------------- the slices */

/* Where the points are in the box. Sides that psg did not write there are taken for periodic. */
static int find_axes(view *v) {
    const size_t *n = v->info.size.n;
    const app_box_value *given = &v->arguments->box;
    app_box_value box = {true, v->info.size.axes, {(double)n[0], (double)n[1], (double)n[2]}};
    app_sides_value sides;
    app_points_value positions;
    psg_grid grid;
    v->counts = !given->given && !v->info.box.given;
    box = given->given ? *given : v->counts ? box : v->info.box;
    const bool known = !v->counts && app_value_sides(v->info.bc, &sides, NULL) == 0 &&
                       app_value_points(v->info.points, &positions, NULL) == 0;
    const int code = app_grid_make(&v->info.size, &box, known ? &sides : NULL, &positions, &grid);
    for (int a = 0; a < 3; a++) {
        app_picture_axis *axis = &v->axis[a];
        *axis = (app_picture_axis){"xyz"[a], n[a], 0, grid.axis[a].length / (double)n[a]};
        (void)psg_axis_points(&grid.axis[a], &axis->first, &axis->step);
    }
    return code;
}

/* The point nearest to --at. */
static int find_place(view *v) {
    if (v->arguments->at.axes != v->info.size.axes) {
        return app_error(APP_USAGE, "--at is of %d axes, and the field has %d",
                         v->arguments->at.axes, v->info.size.axes);
    }
    for (int a = 0; a < v->info.size.axes; a++) {
        const app_picture_axis *axis = &v->axis[a];
        const double at = v->arguments->at.at[a], last = (double)axis->n - 1;
        const double point = (at - axis->first) / axis->step;
        /* up to a side, where a grid of nodes has no point */
        if (!(point >= -1 && point <= last + 1)) {
            return app_error(APP_USAGE,
                             "--at: %c = %g is outside of the field, which has points "
                             "from %g to %g%s",
                             axis->name, at, axis->first, axis->first + last * axis->step,
                             v->counts ? ": without a box the axes count points" : "");
        }
        v->at[a] = (size_t)fmin(last, fmax(0, round(point)));
    }
    return APP_DONE;
}

/* Of two axes all rows. */
static int read_plane(const view *v, size_t z, double *plane) {
    const app_planes planes =
        v->info.size.axes == 2 ? (app_planes){0, v->info.size.n[1]} : (app_planes){z, 1};
    return app_field_read(v->input, 0, PSG_F64, planes, plane);
}

/* Of points that differ by rounding alone the first one, so that every machine finds the same. The
 * middle, if all is 0. */
static int find_largest(view *v, double *plane) {
    const size_t *n = v->info.size.n;
    int code = APP_DONE;
    for (int a = 0; a < 3; a++) {
        v->at[a] = n[a] / 2;
    }
    for (size_t z = 0; z < n[2] && !code; z++) {
        code = read_plane(v, z, plane);
        for (size_t p = 0; p < n[0] * n[1] && !code; p++) {
            const double value = fabs(plane[p]);
            if (isfinite(value) && value > v->largest * (1 + 1e-6)) {
                v->largest = value;
                v->at[0] = p % n[0];
                v->at[1] = p / n[0];
                v->at[2] = z;
            }
        }
    }
    return code;
}

static int read_slices(view *v, double *plane) {
    const size_t nx = v->info.size.n[0], ny = v->info.size.n[1], nz = v->info.size.n[2];
    int code = APP_DONE;
    for (size_t z = 0; z < nz && !code; z++) {
        code = read_plane(v, z, plane);
        if (!code && z == v->at[2]) {
            memcpy(v->slice[0].value, plane, nx * ny * sizeof *plane);
        }
        if (!code) {
            memcpy(v->slice[1].value + z * nx, plane + v->at[1] * nx, nx * sizeof *plane);
        }
        for (size_t y = 0; y < ny && !code; y++) {
            v->slice[2].value[z * ny + y] = plane[y * nx + v->at[0]];
        }
    }
    return code;
}

static double place_of(const view *v, int axis) {
    return v->axis[axis].first + (double)v->at[axis] * v->axis[axis].step;
}

static int make_slices(view *v) {
    static const int across[APP_SLICES] = {0, 0, 1}, up[APP_SLICES] = {1, 2, 2};
    for (int s = 0; s < APP_SLICES; s++) {
        const int third = 3 - across[s] - up[s];
        app_slice *slice = &v->slice[s];
        slice->across = &v->axis[across[s]];
        slice->up = &v->axis[up[s]];
        slice->value = app_allocate(slice->across->n * slice->up->n, sizeof(double), "a slice");
        (void)snprintf(slice->title, sizeof slice->title, "%c = %.5g", v->axis[third].name,
                       place_of(v, third));
        if (slice->value == NULL) {
            return APP_FAILED;
        }
    }
    return APP_DONE;
}

/* What blue and red are. */
static void find_range(view *v) {
    double least = INFINITY, most = -INFINITY;
    for (int s = 0; s < APP_SLICES; s++) {
        for (size_t p = 0; p < v->slice[s].across->n * v->slice[s].up->n; p++) {
            const double value = v->slice[s].value[p];
            v->bad += !isfinite(value);
            least = isfinite(value) ? fmin(least, value) : least;
            most = isfinite(value) ? fmax(most, value) : most;
        }
    }
    const double end = fmax(-least, most), room = least != 0 ? fabs(least) / 2 : 1;
    const bool both = least < 0 && most > 0, constant = least == most;
    v->low = both ? -end : constant ? fmax(-DBL_MAX, least - room) : least;
    v->high = both ? end : constant ? fmin(DBL_MAX, most + room) : most;
}

/* ------------------------------------------------------------------------------- the command */

static int write_picture(const view_arguments *a, const app_picture *picture) {
    const app_output_kind kind = a->force ? APP_OUTPUT_ANY : APP_OUTPUT_PNG;
    app_output output;
    const int code =
        app_output_begin(&output, a->out, kind, (double)picture->width * (double)picture->height);
    return code ? code : app_output_end(&output, app_png_write(picture, output.temporary, a->out));
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
    return code ? code : app_field_open(&name, !a->box.given, input, info);
}

static int read_field(view *v) {
    const size_t *n = v->info.size.n;
    double *plane = app_allocate(n[0] * n[1], sizeof *plane, "a plane of the field");
    int code = plane != NULL ? find_axes(v) : APP_FAILED;
    if (!code) {
        code = v->arguments->at.given ? find_place(v) : find_largest(v, plane);
    }
    code = code ? code : make_slices(v);
    code = code ? code : read_slices(v, plane);
    free(plane);
    return code;
}

static void say(const view *v) {
    const size_t *n = v->info.size.n, *at = v->at;
    app_say("written   %s, %zu x %zu pixels: %s\n", v->arguments->out, v->picture.width,
            v->picture.height, v->info.name);
    app_say("slices    z = %.6g, y = %.6g, x = %.6g, through point (%zu,%zu,%zu) of %zu x %zu x "
            "%zu, counted from 0: ",
            place_of(v, 2), place_of(v, 1), place_of(v, 0), at[0], at[1], at[2], n[0], n[1], n[2]);
    if (v->arguments->at.given) {
        app_say("the nearest to --at\n");
    } else if (v->largest > 0) {
        app_say("the largest |value|, %.6g\n", v->largest);
    } else {
        app_say("the middle, because no value differs from 0\n");
    }
    if (v->counts) {
        app_say("axes      count points, because the field has no attribute box; --box gives it\n");
    }
    if (v->low <= v->high) {
        app_say("colours   blue %.10g, white %.10g, red %.10g\n", v->low, v->low / 2 + v->high / 2,
                v->high);
    }
    if (v->bad > 0) {
        app_print_message("note: %zu points of the slices are NaN or Inf, and black", v->bad);
    }
}

static int check_name(const char *out) {
    const size_t length = strlen(out);
    return length > 4 && strcasecmp(out + length - 4, ".png") == 0
               ? APP_DONE
               : app_error(APP_USAGE,
                           "--out %s: psg view writes PNG alone: give a name that ends in .png",
                           out);
}

static int make_view(const view_arguments *a, app_progress *progress) {
    view v = {.arguments = a};
    int code = check_name(a->out);
    code = code ? code : app_output_try(a->out, a->force ? APP_OUTPUT_ANY : APP_OUTPUT_PNG);
    code = code ? code : open_field(a, &v.input, &v.info);
    app_progress_step(progress, "reading");
    code = code ? code : read_field(&v);
    app_field_close(v.input);
    if (!code) {
        app_progress_step(progress, "writing");
        find_range(&v);
        code = app_picture_draw(v.slice, v.low, v.high, &v.picture);
    }
    code = code ? code : write_picture(a, &v.picture);
    app_progress_stop(progress);
    if (!code && !a->quiet) {
        say(&v);
    }
    for (int s = 0; s < APP_SLICES; s++) {
        free(v.slice[s].value);
    }
    free(v.picture.pixel);
    return code;
}

int app_view(int argc, char **argv) {
    view_arguments a = {.out = "slices.png"};
    const int code = app_ranks_agree(app_arguments_parse_operand(
        &view_text, "say what to look at: psg view phi.h5", argc, argv, &a, &a.file));
    if (code) {
        return code == APP_HELPED ? APP_DONE : code;
    }
    app_signals_install(app_rank() > 0);
    app_progress progress;
    app_progress_start(&progress, !a.quiet);
    const int result = make_view(&a, &progress);
    app_progress_stop(&progress);
    return result;
}
