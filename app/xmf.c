/* The XDMF description of a field: a uniform grid, with everything in the order z y x, or a
 * collection of such grids over time. */
#include "app/xmf.h"
#include "app/grid_sides.h"
#include "app/output.h"

#include <stdio.h>
#include <string.h>

int app_xmf_name(const char *field_file, char *name, size_t size) {
    const char *dot = strrchr(field_file, '.');
    const bool known =
        dot != NULL && dot > field_file &&
        (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0 || strcmp(dot, ".he5") == 0);
    const size_t stem = known ? (size_t)(dot - field_file) : strlen(field_file);
    return (size_t)snprintf(name, size, "%.*s.xmf", (int)stem, field_file) < size ? 0 : -1;
}

/* A text with what XML has for its own signs. */
static void put_escaped(FILE *file, const char *text) {
    for (; *text; text++) {
        const char *special = *text == '&'   ? "&amp;"
                              : *text == '<' ? "&lt;"
                              : *text == '>' ? "&gt;"
                              : *text == '"' ? "&quot;"
                                             : NULL;
        fprintf(file, special != NULL ? "%s" : "%.1s", special != NULL ? special : text);
    }
}

/* One data set. @param[in] step  NULL: there are no steps. @param[in] attribute  its name in
 * ParaView */
static void put_grid(FILE *file, const char *field, const char *group, const app_field_step *step,
                     const char *attribute, const psg_grid *grid, psg_precision precision) {
    const size_t n[3] = {grid->axis[0].n, grid->axis[1].n, grid->axis[2].n};
    double first[3], h[3];
    for (int a = 0; a < 3; a++) {
        const app_line line = app_line_of(&grid->axis[a]);
        first[a] = 0.5 * (double)line.first * line.step;
        h[a] = line.step;
    }
    fputs("    <Grid Name=\"", file);
    put_escaped(file, step != NULL ? step->name : "psg");
    fputs("\" GridType=\"Uniform\">\n", file);
    if (step != NULL) {
        fprintf(file, "      <Time Value=\"%.17g\"/>\n", step->time);
    }
    fprintf(file,
            "      <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%zu %zu %zu\"/>\n"
            "      <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
            "        <DataItem Name=\"Origin\" Dimensions=\"3\" NumberType=\"Float\" "
            "Precision=\"8\" Format=\"XML\">%.17g %.17g %.17g</DataItem>\n"
            "        <DataItem Name=\"Spacing\" Dimensions=\"3\" NumberType=\"Float\" "
            "Precision=\"8\" Format=\"XML\">%.17g %.17g %.17g</DataItem>\n"
            "      </Geometry>\n"
            "      <Attribute Name=\"",
            n[2], n[1], n[0], first[2], first[1], first[0], h[2], h[1], h[0]);
    put_escaped(file, attribute);
    fprintf(file,
            "\" AttributeType=\"Scalar\" Center=\"Node\">\n"
            "        <DataItem Dimensions=\"%zu %zu %zu\" NumberType=\"Float\" Precision=\"%zu\" "
            "Format=\"HDF\">",
            n[2], n[1], n[0], app_element_bytes(precision));
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
