#include "tests/harness.h"
#include "graph/psg_machine.h"

#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const harness_variant harness_variants[HARNESS_VARIANTS] = {
    {"fused", PSG_GRAPH_FUSED, PSG_Z_CONTIGUOUS},
    {"staged, z contiguous", PSG_GRAPH_STAGED, PSG_Z_CONTIGUOUS},
    {"staged, z strided", PSG_GRAPH_STAGED, PSG_Z_STRIDED},
};

static int environment_number(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text && *text ? (int)strtol(text, NULL, 10) : otherwise;
}

/* Once: are there as many GPUs as the environment asks for? */
static int gpus_to_use(void) {
    static int known = -1;
    if (known < 0) {
        known = environment_number("PSG_TEST_GPUS", 0);
        size_t count = 0;
        psg_options options;
        psg_options_init(&options);
        options.gpus = known;
        if (known > 0 && psg_machine_workers(&options, NULL, 0, &count, NULL, 0) == PSG_ERR_NODEV) {
            printf("skipped: %s\n", psg_last_error());
            exit(CHECK_SKIP);
        }
    }
    return known;
}

unsigned harness_patience(unsigned seconds) {
    int factor = environment_number("PSG_TEST_PATIENCE", 1);
    return seconds * (factor > 1 ? (unsigned)factor : 1U);
}

static void must(const char *file, int line, psg_status status) {
    if (status != PSG_OK) {
        fprintf(stderr, "%s:%d: status %d: %s\n", file, line, (int)status, psg_last_error());
        exit(1);
    }
}

psg_options harness_options(psg_precision precision) {
    psg_options options;
    psg_options_init(&options);
    options.precision = precision;
    options.cpus = environment_number("PSG_TEST_CPUS", 2);
    options.gpus = gpus_to_use();
    options.effort = PSG_EFFORT_ESTIMATE;
    options.cache_dir = "";
    return options;
}

/* The pointer to a policy's name is kept, and that of psg_options_set() is into a text of ours. */
static const char *policy_of(const char *name) {
    static const char *const all[] = {"eager", "lws", "prio", "ws", "dmda", "dmdas", "random"};
    for (size_t p = 0; p < sizeof all / sizeof *all; ++p) {
        if (strcmp(name, all[p]) == 0) {
            return all[p];
        }
    }
    fprintf(stderr, "harness: no policy %s\n", name);
    exit(1);
}

void harness_set(psg_options *options, const char *text) {
    char name[32], value[32];
    int length = 0;
    for (; sscanf(text, " %31[^=]=%31s%n", name, value, &length) == 2; text += length) {
        must(name, 0, psg_options_set(options, name, value));
        if (strcmp(name, "policy") == 0) {
            options->policy = policy_of(value);
        }
    }
    if (text[strspn(text, " ")] != '\0') {
        fprintf(stderr, "harness: no options: %s\n", text);
        exit(1);
    }
}

psg_options harness_with(psg_precision precision, const char *text) {
    psg_options options = harness_options(precision);
    harness_set(&options, text);
    return options;
}

void harness_set_variant(psg_options *options, const harness_variant *variant) {
    options->graph = variant->graph;
    options->z_layout = variant->z_layout;
}

psg_plan *harness_plan_at(const char *file, int line, const psg_grid *grid,
                          const psg_options *options) {
    psg_plan *plan = NULL;
    must(file, line, psg_plan_create(&plan, grid, options));
    return plan;
}

psg_statistics harness_statistics_at(const char *file, int line, const psg_plan *plan) {
    psg_statistics s = {0};
    must(file, line, psg_plan_statistics(plan, &s));
    return s;
}

psg_solve_args harness_args_at(const char *file, int line, const psg_plan *plan) {
    psg_solve_args args;
    must(file, line, psg_solve_args_init(&args, plan));
    return args;
}

psg_array harness_view(void *data) {
    psg_array array;
    psg_array_init(&array, data);
    return array;
}

psg_grid harness_box(size_t nx, size_t ny, size_t nz, double lx, double ly, double lz) {
    psg_grid grid;
    psg_grid_init(&grid, nx, ny, nz, lx, ly, lz);
    return grid;
}

psg_plan *harness_anchor(const psg_options *options) {
    const psg_grid grid = harness_box(4, 4, 4, 1, 1, 1);
    psg_plan *plan = NULL;
    (void)psg_plan_create(&plan, &grid, options);
    return plan;
}

psg_grid harness_grid(const oracle_grid *grid) {
    return harness_box(grid->n[0], grid->n[1], grid->n[2], grid->length[0], grid->length[1],
                       grid->length[2]);
}

void harness_sides(psg_grid *grid, const char *sides) {
    const char *at = sides;
    for (int d = 0; d < 3; ++d) {
        for (int side = 0; side < 2; ++side, ++at) {
            grid->axis[d].bc[side] = *at == 'P'   ? PSG_BC_PERIODIC
                                     : *at == 'D' ? PSG_BC_DIRICHLET
                                     : *at == 'F' ? PSG_BC_FREE
                                     : *at == 'R' ? PSG_BC_ROBIN
                                                  : PSG_BC_NEUMANN;
        }
        grid->axis[d].points = *at == 'n' ? PSG_POINTS_NODES : PSG_POINTS_CELLS;
        const char *next = strchr(at, ',');
        at = next != NULL ? next + 1 : sides;
    }
}

const char *harness_precision_name(psg_precision precision) {
    return precision == PSG_F32 ? "f32" : "f64";
}

double harness_tolerance(psg_precision precision, double f64, double f32) {
    return precision == PSG_F32 ? f32 : f64;
}

size_t harness_element_bytes(psg_precision precision) {
    return precision == PSG_F32 ? sizeof(float) : sizeof(double);
}

void *harness_array(psg_precision precision, size_t count) {
    void *array = calloc(count, harness_element_bytes(precision));
    if (!array) {
        fprintf(stderr, "harness: no memory for %zu numbers\n", count);
        exit(1);
    }
    return array;
}

void harness_store(psg_precision precision, size_t count, const double *from, void *to) {
    for (size_t p = 0; p < count; ++p) {
        if (precision == PSG_F32) {
            ((float *)to)[p] = (float)from[p];
        } else {
            ((double *)to)[p] = from[p];
        }
    }
}

void harness_load(psg_precision precision, size_t count, const void *from, double *to) {
    for (size_t p = 0; p < count; ++p) {
        to[p] = precision == PSG_F32 ? (double)((const float *)from)[p] : ((const double *)from)[p];
    }
}

void harness_round(psg_precision precision, size_t count, double *f) {
    for (size_t p = 0; precision == PSG_F32 && p < count; ++p) {
        f[p] = (double)(float)f[p];
    }
}

psg_status harness_solve(psg_plan *plan, psg_precision precision, size_t count, const double *f,
                         double *u) {
    if (precision == PSG_F64) {
        return psg_solve(plan, f, u);
    }
    void *f_array = harness_array(precision, count), *u_array = harness_array(precision, count);
    harness_store(precision, count, f, f_array);
    psg_status status = psg_solve(plan, f_array, u_array);
    harness_load(precision, count, u_array, u);
    free(f_array);
    free(u_array);
    return status;
}

harness_graph harness_graph_at(const char *file, int line, const psg_work *work) {
    harness_graph g = {.event = NULL};
    must(file, line, psg_work_events(work, NULL, 0, &g.events));
    must(file, line, psg_work_dependencies(work, NULL, 0, &g.edges));
    g.event = calloc(g.events + 1, sizeof *g.event);
    g.edge = calloc(g.edges + 1, sizeof *g.edge);
    must(file, line, psg_work_events(work, g.event, g.events, &g.events));
    must(file, line, psg_work_dependencies(work, g.edge, g.edges, &g.edges));
    return g;
}

void harness_graph_free(harness_graph *graph) {
    free(graph->event);
    free(graph->edge);
}

int harness_graph_in_time(const harness_graph *graph) {
    int held = 1;
    for (size_t m = 0; m < graph->edges; ++m) {
        const psg_event *from = &graph->event[graph->edge[m].before];
        const psg_event *to = &graph->event[graph->edge[m].after];
        if (!(to->start >= from->end - 1e-6)) {
            fprintf(stderr, "%s starts at %g, and %s ends at %g\n", psg_stage_name(to->stage),
                    to->start, psg_stage_name(from->stage), from->end);
            held = 0;
        }
    }
    return held;
}

size_t harness_tasks_at(const char *file, int line, const psg_work *work, const char *name) {
    psg_kind_tasks list[64];
    size_t count = 0, tasks = 0;
    must(file, line, psg_work_tasks(work, list, 64, &count));
    for (size_t k = 0; k < count && k < 64; ++k) {
        if (name == NULL || strcmp(psg_stage_name(list[k].stage), name) == 0) {
            tasks += list[k].tasks[0] + list[k].tasks[1];
        }
    }
    return tasks;
}

int harness_coordinates(const char *words, size_t at[3]) {
    for (const char *open = strchr(words, '('); open; open = strchr(open + 1, '(')) {
        int read = sscanf(open, "( %zu , %zu , %zu", &at[0], &at[1], &at[2]);
        if (read == 3) {
            return read;
        }
    }
    return 0;
}
