#include "app/rec_models.h"
#include "app/app.h"
#include "app/output.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* StarPU 1.4 reads models of this version of theirs alone. */
#define VERSION "45"
/* Of a model with fewer samples StarPU says nothing. */
enum { SAMPLES = 100 };

typedef struct writer {
    const app_rec_models *models;
    const app_graph *graph;
    psg_route *route; /* between the memories */
    size_t routes;
    psg_stage stage; /* of the model that is written */
} writer;

/* --------------------------------------------------------------------------------------- models */

/* The combinations of devices: a core, and each GPU. */
static size_t combinations(const writer *w) {
    return 1 + w->models->gpus;
}

static void write_entries(const writer *w, FILE *file, bool gpu) {
    size_t entries = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) {
            fprintf(file, "%zu\n", entries);
            /* no regression */
            fputs("0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n", file);
        }
        for (size_t c = 0; c < w->models->classes; c++) {
            const double mean = 1e6 * w->models->class_of[c].seconds[gpu];
            if (w->models->class_of[c].stage != w->stage || !(mean > 0)) {
                continue;
            }
            entries++;
            if (pass == 1) {
                fprintf(file, "%08zx 0 0 %e 0 %e %e %d\n", app_rec_footprint(c), mean,
                        SAMPLES * mean, SAMPLES * mean * mean, SAMPLES);
            }
        }
    }
}

/* As StarPU writes one, but for the comments. */
static void write_model(const writer *w, FILE *file) {
    fprintf(file, "%s\n%zu\n", VERSION, combinations(w));
    for (size_t c = 0; c < combinations(w); c++) {
        const bool gpu = c > 0;
        /* one device: its type, its number, its cores */
        fprintf(file, "1\n%d\n%zu\n1\n", gpu, gpu ? c - 1 : 0);
        fputs("1\n", file); /* one implementation */
        write_entries(w, file, gpu);
    }
}

/* -------------------------------------------------------------------------------------- machine */

static const psg_route *route_between(const writer *w, int from, int to) {
    for (size_t m = 0; m < w->routes; m++) {
        if (w->route[m].from == from && w->route[m].to == to) {
            return &w->route[m];
        }
    }
    return NULL;
}

/* The number of memory m: of main memory -1, then those of the GPUs. */
static int device_of(const writer *w, size_t memory) {
    return memory == 0 ? -1 : w->graph->workers->list[memory - 1].device;
}

static void write_host(FILE *file, const char *kind, size_t number, double memory) {
    fprintf(file, "  <host id=\"%s%zu\" speed=\"1Gf\">", kind, number);
    if (memory > 0) {
        fprintf(file, "<prop id=\"memsize\" value=\"%.0f\"/><prop id=\"memcpy_peer\" value=\"1\"/>",
                memory);
    }
    fputs("</host>\n", file);
}

static void name_memory(char *name, size_t size, size_t memory) {
    if (memory == 0) {
        snprintf(name, size, "RAM");
    } else {
        snprintf(name, size, "CUDA%zu", memory - 1);
    }
}

static void write_route(const writer *w, FILE *file, size_t from, size_t to, bool link) {
    const psg_route *route = route_between(w, device_of(w, from), device_of(w, to));
    char names[2][32];
    name_memory(names[0], sizeof names[0], from);
    name_memory(names[1], sizeof names[1], to);
    if (route == NULL || !(route->rate > 0) || !isfinite(route->rate)) {
        return;
    }
    if (link) {
        fprintf(file, "  <link id=\"%s-%s\" bandwidth=\"%.6eBps\" latency=\"%.6es\"/>\n", names[0],
                names[1], route->rate, route->latency_seconds);
    } else {
        fprintf(file,
                "  <route src=\"%s\" dst=\"%s\" symmetrical=\"NO\"><link_ctn id=\"%s-%s\"/>"
                "</route>\n",
                names[0], names[1], names[0], names[1]);
    }
}

/* Each way between two memories is a link of its own. StarPU takes a core for each GPU. */
static void write_platform(const writer *w, FILE *file) {
    const app_rec_models *m = w->models;
    fputs("<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n <config>\n"
          "  <prop id=\"network/TCP-gamma\" value=\"-1\"/>\n"
          "  <prop id=\"network/latency-factor\" value=\"1\"/>\n"
          "  <prop id=\"network/bandwidth-factor\" value=\"1\"/>\n"
          "  <prop id=\"network/crosstraffic\" value=\"0\"/>\n"
          "  <prop id=\"network/weight-S\" value=\"0.0\"/>\n"
          " </config>\n <zone id=\"machine\" routing=\"Full\">\n"
          "  <host id=\"MAIN\" speed=\"1f\"/>\n  <host id=\"RAM\" speed=\"1f\"/>\n",
          file);
    for (size_t c = 0; c < m->cpus + m->gpus; c++) {
        write_host(file, "CPU", c, 0);
    }
    for (size_t g = 0; g < m->gpus; g++) {
        write_host(file, "CUDA", g, fmax(w->graph->workers->list[g].memory, 1e9));
    }
    const size_t memories = 1 + m->gpus;
    for (size_t p = 0; p < 2 * memories * memories; p++) { /* the links come first */
        const size_t pair = p % (memories * memories);
        write_route(w, file, pair / memories, pair % memories, p < memories * memories);
    }
    fputs(" </zone>\n</platform>\n", file);
}

/* StarPU forgets the last number of a row and the last row. */
static void write_matrix(const writer *w, FILE *file, bool latency) {
    for (size_t from = 0; from <= w->models->gpus + 1; from++) {
        for (size_t to = 0; to <= w->models->gpus + 1; to++) {
            const bool inside = from <= w->models->gpus && to <= w->models->gpus;
            const psg_route *route =
                inside ? route_between(w, device_of(w, from), device_of(w, to)) : NULL;
            const double value = route == NULL ? 0
                                 : latency     ? 1e6 * route->latency_seconds
                                               : 1e-6 * route->rate;
            fprintf(file, "%s%e", to > 0 ? "\t" : "", value);
        }
        fputc('\n', file);
    }
}

static void write_bandwidth(const writer *w, FILE *file) {
    write_matrix(w, file, false);
}

static void write_latency(const writer *w, FILE *file) {
    write_matrix(w, file, true);
}

/* By it StarPU knows the folder. */
static void write_nothing(const writer *w, FILE *file) {
    (void)w;
    (void)file;
}

/* ---------------------------------------------------------------------------------------- files */

static int write_file(const writer *w, const char *folder, const char *name,
                      void (*write)(const writer *w, FILE *file)) {
    char path[PATH_MAX + 256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        write(w, file);
    }
    return app_output_close(file, path);
}

static int make_folders(const char *folder) {
    static const char *const parts[] = {"", "/bus", "/codelets", "/codelets/" VERSION};
    for (size_t m = 0; m < sizeof parts / sizeof *parts; m++) {
        char path[PATH_MAX + 32];
        snprintf(path, sizeof path, "%s%s", folder, parts[m]);
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            return app_error(APP_FAILED, "%s: cannot be made: %s", path, strerror(errno));
        }
    }
    return APP_DONE;
}

static int write_models(writer *w, const char *folder) {
    int code = APP_DONE;
    for (size_t c = 0; c < w->models->classes && !code; c++) {
        char name[128];
        w->stage = w->models->class_of[c].stage;
        snprintf(name, sizeof name, "codelets/" VERSION "/psg_%s.psg", psg_stage_name(w->stage));
        if (c == 0 || w->models->class_of[c - 1].stage != w->stage) {
            code = write_file(w, folder, name, write_model);
        }
    }
    return code;
}

static int write_all(writer *w, const char *folder) {
    int code = make_folders(folder);
    code = code ? code : write_models(w, folder);
    code = code ? code : write_file(w, folder, "bus/psg.platform.v4.xml", write_platform);
    code = code ? code : write_file(w, folder, "bus/psg.bandwidth", write_bandwidth);
    code = code ? code : write_file(w, folder, "bus/psg.latency", write_latency);
    return code ? code : write_file(w, folder, "bus/psg.config", write_nothing);
}

int app_rec_models_write(const app_rec_models *models, const app_graph *graph, const char *shown) {
    writer w = {.models = models, .graph = graph};
    char folder[PATH_MAX];
    const int length = snprintf(folder, sizeof folder, "%s.models", shown);
    psg_status status = psg_machine_routes(graph->options, NULL, 0, &w.routes);
    if (length >= PATH_MAX) {
        return app_error(APP_FAILED, "%s: the name is too long", shown);
    }
    w.route = app_allocate(w.routes + 1, sizeof *w.route, "the links");
    if (w.route == NULL) {
        return APP_FAILED;
    }
    if (status == PSG_OK) {
        status = psg_machine_routes(graph->options, w.route, w.routes, &w.routes);
    }
    const int code =
        status == PSG_OK ? write_all(&w, folder) : app_error(APP_FAILED, "%s", psg_last_error());
    free(w.route);
    return code;
}
