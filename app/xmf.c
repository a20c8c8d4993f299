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

/* XDMF has no mesh of one axis. */
static int mesh_axes(const psg_grid *grid) {
    return grid->axes > 1 ? grid->axes : 2;
}

static void add(char *text, size_t size, double value, const char *joint) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%.17g%s", value, joint);
}

/* Where the points are. Between faces a viewer needs each of them. */
static void put_places(FILE *file, const psg_grid *grid, const char *n) {
    const int axes = mesh_axes(grid);
    char first[96] = "", h[96] = "";
    bool faces = false;
    for (int d = axes - 1; d >= 0; d--) {
        const app_line line = app_line_of(&grid->axis[d]);
        const char *joint = d > 0 ? " " : "";
        faces = faces || line.faces != NULL;
        add(first, sizeof first, 0.5 * (double)line.first * line.step, joint);
        add(h, sizeof h, line.step, joint);
    }
    fprintf(file, "      <Topology TopologyType=\"%dD%sRectMesh\" Dimensions=\"%s\"/>\n", axes,
            faces ? "" : "Co", n);
    if (!faces) {
        fprintf(file,
                "      <Geometry GeometryType=\"ORIGIN_DXDY%s\">\n"
                "        <DataItem Name=\"Origin\" Dimensions=\"%d\" NumberType=\"Float\" "
                "Precision=\"8\" Format=\"XML\">%s</DataItem>\n"
                "        <DataItem Name=\"Spacing\" Dimensions=\"%d\" NumberType=\"Float\" "
                "Precision=\"8\" Format=\"XML\">%s</DataItem>\n"
                "      </Geometry>\n",
                axes > 2 ? "DZ" : "", axes, first, axes, h);
        return;
    }
    fprintf(file, "      <Geometry GeometryType=\"VXVY%s\">\n", axes > 2 ? "VZ" : "");
    for (int d = 0; d < axes; d++) {
        const app_line line = app_line_of(&grid->axis[d]);
        fprintf(file,
                "        <DataItem Dimensions=\"%ld\" NumberType=\"Float\" Precision=\"8\" "
                "Format=\"XML\">",
                line.n);
        for (long j = 0; j < line.n; j++) {
            const double at = line.faces != NULL
                                  ? (line.faces[j] + line.faces[j + 1]) / 2
                                  : (0.5 * (double)line.first + (double)j) * line.step;
            fprintf(file, "%s%.17g", j > 0 ? " " : "", at);
        }
        fputs("</DataItem>\n", file);
    }
    fputs("      </Geometry>\n", file);
}

/* One data set. @param[in] step  NULL: there are no steps. @param[in] attribute  its name in
 * ParaView */
static void put_grid(FILE *file, const char *field, const char *group, const app_field_step *step,
                     const char *attribute, const psg_grid *grid, psg_precision precision) {
    char n[80] = "";
    for (int d = mesh_axes(grid) - 1; d >= 0; d--) {
        add(n, sizeof n, (double)grid->axis[d].n, d > 0 ? " " : "");
    }
    fputs("    <Grid Name=\"", file);
    put_escaped(file, step != NULL ? step->name : "psg");
    fputs("\" GridType=\"Uniform\">\n", file);
    if (step != NULL) {
        fprintf(file, "      <Time Value=\"%.17g\"/>\n", step->time);
    }
    put_places(file, grid, n);
    fputs("      <Attribute Name=\"", file);
    put_escaped(file, attribute);
    fprintf(file,
            "\" AttributeType=\"Scalar\" Center=\"Node\">\n"
            "        <DataItem Dimensions=\"%s\" NumberType=\"Float\" Precision=\"%zu\" "
            "Format=\"HDF\">",
            grid->axes > 1 ? n : strchr(n, ' ') + 1, app_element_bytes(precision));
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
