#include "base/bus.h"

#include <stdbool.h>

static void write_link(FILE *file, const char *name, unsigned g, const base_link *link) {
    (void)fprintf(file, "  <link id=\"%s%u\" bandwidth=\"%.6eBps\" latency=\"%.6es\"/>\n", name, g,
                  link->rate, link->seconds);
}

/* Hosts and links by the names that StarPU looks for. A GPU has a link to main memory and one
 * back; what goes from GPU to GPU passes what the one can send and what the other can receive. */
static void write_platform(const base_bus *b, FILE *file) {
    (void)fputs("<?xml version='1.0'?>\n"
                "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                "<platform version=\"4.1\">\n"
                " <config>\n"
                "  <prop id=\"network/TCP-gamma\" value=\"-1\"/>\n"
                "  <prop id=\"network/latency-factor\" value=\"1\"/>\n"
                "  <prop id=\"network/bandwidth-factor\" value=\"1\"/>\n"
                "  <prop id=\"network/crosstraffic\" value=\"0\"/>\n"
                "  <prop id=\"network/weight-S\" value=\"0.0\"/>\n"
                " </config>\n"
                " <zone id=\"machine\" routing=\"Full\">\n"
                "  <host id=\"MAIN\" speed=\"1f\"/>\n"
                "  <host id=\"RAM\" speed=\"1f\"/>\n",
                file);
    for (unsigned c = 0; c < b->cpus; c++) {
        (void)fprintf(file, "  <host id=\"CPU%u\" speed=\"1Gf\"/>\n", c);
    }
    for (unsigned g = 0; g < b->gpus; g++) {
        (void)fprintf(file,
                      "  <host id=\"CUDA%u\" speed=\"1Gf\"><prop id=\"model\" value=\"%s\"/>"
                      "<prop id=\"memsize\" value=\"%.0f\"/><prop id=\"memcpy_peer\" "
                      "value=\"1\"/></host>\n",
                      g, b->name, b->memory);
    }
    for (unsigned g = 0; g < b->gpus; g++) {
        write_link(file, "to", g, &b->link[BASE_TO_GPU]);
        write_link(file, "from", g, &b->link[BASE_FROM_GPU]);
        if (b->gpus > 1) {
            write_link(file, "out", g, &b->link[BASE_BETWEEN_GPUS]);
            write_link(file, "in", g, &b->link[BASE_BETWEEN_GPUS]);
        }
    }
    const bool shared = b->link[BASE_MEMORY].rate > 0;
    for (unsigned way = 0; way < 2 && shared; way++) {
        write_link(file, "memory", way, &b->link[BASE_MEMORY]);
    }
    for (unsigned p = 0; p < b->gpus * (b->gpus + 1); p++) { /* GPU g, with each of the others */
        const unsigned g = p / (b->gpus + 1), h = p % (b->gpus + 1);
        if (h == g) {
            (void)fprintf(file,
                          "  <route src=\"RAM\" dst=\"CUDA%u\" symmetrical=\"NO\">"
                          "%s<link_ctn id=\"to%u\"/></route>\n"
                          "  <route src=\"CUDA%u\" dst=\"RAM\" symmetrical=\"NO\">"
                          "%s<link_ctn id=\"from%u\"/></route>\n",
                          g, shared ? "<link_ctn id=\"memory0\"/>" : "", g, g,
                          shared ? "<link_ctn id=\"memory1\"/>" : "", g);
        } else if (h < b->gpus) {
            (void)fprintf(file,
                          "  <route src=\"CUDA%u\" dst=\"CUDA%u\" symmetrical=\"NO\">"
                          "<link_ctn id=\"out%u\"/><link_ctn id=\"in%u\"/></route>\n",
                          g, h, g, h);
        }
    }
    (void)fputs(" </zone>\n</platform>\n", file);
}

/* A matrix of latencies or rates between memory nodes, of which main memory is the first: in
 * microseconds, or in bytes a microsecond. StarPU forgets the last number of a row and the last
 * row, so there is one more of each. */
static void write_matrix(const base_bus *b, FILE *file, bool latency) {
    for (unsigned from = 0; from <= b->gpus + 1; from++) {
        for (unsigned to = 0; to <= b->gpus + 1; to++) {
            const base_link *link = &b->link[from == 0 ? BASE_TO_GPU
                                             : to == 0 ? BASE_FROM_GPU
                                                       : BASE_BETWEEN_GPUS];
            const double value = latency ? link->seconds * 1e6 : link->rate * 1e-6;
            (void)fprintf(file, "%s%e", to > 0 ? "\t" : "", from == to ? 0 : value);
        }
        (void)fputc('\n', file);
    }
}

static void write_rates(const base_bus *b, FILE *file) {
    write_matrix(b, file, false);
}

static void write_latencies(const base_bus *b, FILE *file) {
    write_matrix(b, file, true);
}

static void write_nothing(const base_bus *b, FILE *file) {
    (void)b;
    (void)file;
}

const base_bus_file base_bus_files[BASE_BUS_FILES] = {{"platform.v4.xml", write_platform},
                                                      {"bandwidth", write_rates},
                                                      {"latency", write_latencies},
                                                      {"config", write_nothing}};
