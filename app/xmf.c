/* The XDMF description of a field: a uniform grid, with everything in the order z y x, or a collection of such grids over
 * time. */
#include "app/xmf.h"
#include "app/grid_sides.h"
#include "app/output.h"

#include <stdio.h>
#include <string.h>

int app_xmf_name(const char *field_file, char *name, size_t size) {
    static const char *const suffixes[] = {".h5", ".hdf5", ".he5"};
    size_t stem = strlen(field_file);
    for (size_t s = 0; s < sizeof suffixes / sizeof suffixes[0]; s++) {
        const size_t length = strlen(suffixes[s]);
        if (strlen(field_file) > length &&
            strcmp(field_file + strlen(field_file) - length, suffixes[s]) == 0) {
            stem = strlen(field_file) - length;
        }
    }
    if (stem + sizeof ".xmf" > size) {
        return -1;
    }
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): the ending follows */
    memcpy(name, field_file, stem);
    memcpy(name + stem, ".xmf", sizeof ".xmf");
    return 0;
}

static void put_escaped(FILE *file, const char *text) {
    for (; *text; text++) {
        const char *special = *text == '&'   ? "&amp;"
                              : *text == '<' ? "&lt;"
                              : *text == '>' ? "&gt;"
                              : *text == '"' ? "&quot;"
                                             : NULL;
        if (special != NULL) {
            fputs(special, file);
        } else {
            fputc(*text, file);
        }
    }
}

static double first_of(const app_line *line) {
    return 0.5 * (double)line->first * line->step;
}

/* One data set. @param[in] step  NULL: there are no steps. @param[in] attribute  its name in ParaView */
static void put_grid(FILE *file, const char *field, const char *group, const app_field_step *step,
                     const char *attribute, const psg_grid *grid, psg_precision precision) {
    const psg_axis *x = &grid->axis[0], *y = &grid->axis[1], *z = &grid->axis[2];
    const app_line line[3] = {app_line_of(x), app_line_of(y), app_line_of(z)};
    fputs("    <Grid Name=\"", file);
    put_escaped(file, step != NULL ? step->name : "psg");
    fputs("\" GridType=\"Uniform\">\n", file);
    if (step != NULL) {
        fprintf(file, "      <Time Value=\"%.17g\"/>\n", step->time);
    }
    fprintf(file, "      <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%zu %zu %zu\"/>\n",
            z->n, y->n, x->n);
    fputs("      <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
          "        <DataItem Name=\"Origin\" Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" "
          "Format=\"XML\">",
          file);
    fprintf(file, "%.17g %.17g %.17g</DataItem>\n", first_of(&line[2]), first_of(&line[1]),
            first_of(&line[0]));
    fprintf(
        file,
        "        <DataItem Name=\"Spacing\" Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" "
        "Format=\"XML\">%.17g %.17g %.17g</DataItem>\n      </Geometry>\n",
        line[2].step, line[1].step, line[0].step);
    fputs("      <Attribute Name=\"", file);
    put_escaped(file, attribute);
    fprintf(file,
            "\" AttributeType=\"Scalar\" Center=\"Node\">\n"
            "        <DataItem Dimensions=\"%zu %zu %zu\" NumberType=\"Float\" Precision=\"%zu\" "
            "Format=\"HDF\">",
            z->n, y->n, x->n, app_element_bytes(precision));
    put_escaped(file, field);
    fputc(':', file);
    put_escaped(file, group);
    if (step != NULL) {
        fputc('/', file);
        put_escaped(file, step->name);
    }
    fputs("</DataItem>\n      </Attribute>\n    </Grid>\n", file);
}

int app_xmf_write(const char *path, const char *shown, const char *field, const char *dataset,
                  const app_field_steps *steps, const psg_grid *grid, psg_precision precision) {
    const char *slash = strrchr(field, '/'), *last = strrchr(dataset, '/');
    const bool series = steps != NULL && steps->count > 0;
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return app_output_close(NULL, shown);
    }
    fputs("<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n  <Domain>\n", file);
    if (series) {
        fputs("    <Grid Name=\"psg\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
              file);
    }
    for (size_t step = 0; step < app_field_count(steps); step++) {
        put_grid(file, slash != NULL ? slash + 1 : field, dataset,
                 series ? &steps->list[step] : NULL, last != NULL ? last + 1 : dataset, grid,
                 precision);
    }
    fputs(series ? "    </Grid>\n  </Domain>\n</Xdmf>\n" : "  </Domain>\n</Xdmf>\n", file);
    return app_output_close(file, shown);
}
