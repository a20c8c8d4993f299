/* psg example: a small density for those who have none of their own yet. */
#include "app/arguments.h"
#include "app/commands.h"
#include "app/field.h"
#include "app/field_output.h"
#include "app/npy.h"
#include "app/output.h"
#include "app/problems.h"
#include "app/processes.h"
#include "app/progress.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHARGES, RANDOM };

typedef struct example_arguments {
    const char *file;
    app_options solver;
    int kind;
    bool quiet;
    app_grid_value grid;
    app_box_value box;
} example_arguments;

static const app_choice kinds[] = {{"charges", CHARGES}, {"random", RANDOM}, {NULL, 0}};

#define FIELD(member) offsetof(example_arguments, member)

static const app_option_row rows[] = {
    {"Field", "kind", "charges|random", app_value_choice, FIELD(kind), kinds, NULL,
     "charges: four Gaussian charges, +2, -2, +1 and -1; random: a number from -1 to 1 at each "
     "point. The mean of both is 0. default: charges",
     false},
    APP_GRID_ROW(NULL, false,
                 "number of points along x, y and z; default: 64. The data set is [nz][ny][nx]"),
    APP_BOX_ROW(false,
                "lengths of the box along x, y and z, the data set's attribute `box`; default: "
                "10"),
    APP_SOLVER_ROW(NULL, "precision", FIELD(solver), "of the data set; default: f64"),
    APP_QUIET_ROW,
    {.name = NULL}};

static const app_command_text example_text = {
    .name = "example",
    .rows = rows,
    .intro =
        "Usage: psg example FILE[:DATASET] [OPTION]...\n"
        "\n"
        "Write a small density to try psg solve with: an HDF5 data set [nz][ny][nx], x fastest,\n"
        "with the lengths lx, ly, lz of the box as its attribute `box`. DATASET default: "
        "/density.\n"
        "A FILE that is there already is refused.\n",
    .end = "Examples:\n"
           "  psg example rho.h5\n"
           "         four charges in a box of 10 x 10 x 10\n"
           "  psg solve --in rho.h5:/density --out phi.h5:/potential --factor '-4*pi' --verify\n"
           "         their potential, in Gaussian units\n",
    .operand = "FILE[:DATASET]",
    .alone = true};

/* ---------------------------------------------------------------------------------- the field */

static const app_charge charges[] = {{{0.30, 0.30, 0.35}, 2},
                                     {{0.70, 0.65, 0.40}, -2},
                                     {{0.35, 0.75, 0.70}, 1},
                                     {{0.75, 0.25, 0.75}, -1}};
static const double width = 0.06; /* standard deviation of a charge, in box lengths */

static void fill_random(size_t points, double *f) {
    uint64_t state = 1;
    for (size_t p = 0; p < points; p++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth */
        f[p] = (double)(state >> 11) * 0x1p-52 - 1;
    }
}

/* A charge on a coarse grid is not all there. */
static void take_mean_out(size_t points, double *f) {
    long double sum = 0;
    for (size_t p = 0; p < points; p++) {
        sum += f[p];
    }
    for (size_t p = 0; p < points; p++) {
        f[p] -= (double)(sum / (long double)points);
    }
}

/* ----------------------------------------------------------------------------------- the file */

static int put_together(const example_arguments *a, const psg_grid *grid, void **field) {
    const size_t points = app_points(grid);
    double *f = app_allocate(points, sizeof *f, "the density");
    *field = app_allocate(points, app_element_bytes(a->solver.options.precision), "the data set");
    int code = f != NULL && *field != NULL ? APP_DONE : APP_FAILED;
    if (!code && a->kind == CHARGES) {
        code = app_charges_fill(charges, sizeof charges / sizeof *charges, width, grid, PSG_F64,
                                (app_planes){0, grid->axis[2].n}, f);
    } else if (!code) {
        fill_random(points, f);
    }
    if (!code) {
        take_mean_out(points, f);
        app_put_row(*field, a->solver.options.precision, 0, points, f);
    }
    free(f);
    return code;
}

static int write_file(const example_arguments *a, const psg_grid *grid, const app_field_name *name,
                      const void *field) {
    const double box[3] = {grid->axis[0].length, grid->axis[1].length, grid->axis[2].length};
    const psg_precision precision = a->solver.options.precision;
    const app_field_header header = {.axes = grid->axes, .box = box, .source = "psg example"};
    const double bytes = (double)app_points(grid) * (double)app_element_bytes(precision);
    app_output output = {.temporary = ""};
    app_field_output *writer = NULL;
    int code = app_output_begin(&output, name->file, APP_OUTPUT_ANY, bytes);
    if (!code) {
        const app_field_place place = {output.temporary, name->file, name->dataset, NULL, 0};
        code = app_field_create(&place, grid, precision, &writer);
    }
    code = code ? code : app_field_write(writer, 0, app_own_planes(grid), field, &header);
    app_field_abandon(writer);
    return app_output_end(&output, code);
}

static int find_name(const char *text, app_field_name *name) {
    int code = app_field_split(text, name);
    if (!code && app_npy_named(name->file)) {
        code = app_error(APP_USAGE,
                         "%s: NumPy's files have no place for the lengths of the box; give the "
                         "name of an HDF5 file",
                         name->file);
    }
    if (!code && !name->dataset[0]) {
        snprintf(name->dataset, sizeof name->dataset, "/density");
    }
    if (!code && access(name->file, F_OK) == 0) {
        code = app_error(APP_USAGE, "%s: is there already; give a name that is not", name->file);
    }
    return code;
}

static int make_example(const example_arguments *a) {
    app_field_name name;
    psg_grid grid;
    void *field = NULL;
    int code = find_name(a->file, &name);
    code = code ? code : app_grid_make(&a->grid, &a->box, NULL, NULL, &grid);
    if (!code && a->grid.axes == 2 && a->kind == CHARGES) {
        code = app_error(APP_USAGE, "--kind charges is of three axes: give --kind random");
    }
    if (code) {
        return code;
    }
    app_progress progress;
    app_progress_start(&progress, !a->quiet);
    app_progress_step(&progress, "making the density");
    code = put_together(a, &grid, &field);
    if (!code) {
        app_progress_step(&progress, "writing");
        code = write_file(a, &grid, &name, field);
    }
    app_progress_stop(&progress);
    free(field);
    if (!code && !a->quiet) {
        const char *slash = name.dataset[0] == '/' ? "" : "/";
        app_say("written   %s:%s%s, %s, box %s\n"
                "try       psg solve --in %s:%s%s --out phi.h5:/potential --verify\n",
                name.file, slash, name.dataset, app_points_words(&grid, " x ").text,
                app_box_words(&grid).text, name.file, slash, name.dataset);
    }
    return code;
}

int app_example(int argc, char **argv) {
    example_arguments a = {
        .kind = CHARGES, .grid = {1, 3, {64, 64, 64}}, .box = {1, 1, {10, 10, 10}}};
    app_options_init(&a.solver);
    const int code = app_ranks_agree(app_arguments_parse_operand(
        &example_text, "say where the example goes: psg example rho.h5", argc, argv, &a, &a.file));
    if (code) {
        return code == APP_HELPED ? APP_DONE : code;
    }
    app_signals_install(app_rank() > 0);
    return make_example(&a);
}
