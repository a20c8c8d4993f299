/* psg info: versions, workers, policies. */
#include "app/arguments.h"
#include "app/commands.h"
#include "app/field.h"
#include "app/grid_sides.h"
#include "app/host.h"
#include "app/output.h"
#include "app/planning.h"
#include "app/processes.h"
#include "app/progress.h"
#include "app/runs.h"
#include "app/simulating.h"
#include "app/tuned_words.h"
#include "app/versions.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What there is beside the workers, on this machine. */
typedef struct facts {
    const app_workers *workers;
    char cache[PATH_MAX];
    char starpu[PATH_MAX]; /* the folder of StarPU's files */
    char why[512];         /* it is not where StarPU would have it; or "" */
    app_tuned tuned;
    unsigned nodes;
    psg_route *routes;
    size_t route_count;
    psg_exchange between; /* between the processes; AUTO: one process */
    char note[256];       /* what psg_plan_note() says of it, or "" */
    const size_t *n;      /* points of the grid that was asked for; NULL: none was */
    psg_grid grid;        /* that grid */
    psg_precision precision;
    psg_kernel kernel;
    psg_statistics plan;   /* of that grid, as rank 0 has them; also the next one */
    app_planning planning; /* of that grid */
    int spectrum_on_gpus;
    double gpu_bytes_free;      /* of the fullest GPU of all processes; 0: there is none */
    double memory, memory_free; /* bytes of this machine */
    int arrays_on_gpus;         /* how many of f and u find room on GPUs beside the plan */
} facts;

static const char *memory_name(int device, char *name, size_t size) {
    if (device < 0) {
        return device == -1 ? "memory" : "network";
    }
    snprintf(name, size, "GPU %d", device);
    return name;
}

/* -------------------------------------------------------------------------------------- a grid */

/* Bytes of f, and of u. */
static double field_bytes(const facts *f) {
    return (double)(f->n[0] * f->n[1] * f->n[2]) * (f->precision == PSG_F64 ? 8 : 4);
}

static int free_ends(const facts *f, int d) {
    const psg_bc *bc = f->grid.axis[d].bc;
    return (bc[0] == PSG_BC_FREE) + (bc[1] == PSG_BC_FREE);
}

/* Is y free? Of two axes y is shared out as z is of three. */
static bool free_rows(const facts *f) {
    return f->grid.axes == 3 && free_ends(f, 1) > 0;
}

/* Of the spectrum of all processes: that of a free x or y has twice as many points. */
static double spectrum_bytes(const facts *f) {
    const int free_x = free_ends(f, 0);
    const bool half = f->grid.axis[0].bc[0] == PSG_BC_PERIODIC;
    const size_t nxc =
        free_x > 0 ? f->n[0] + (free_x == 2 ? 1 : 0) : f->n[0] / 2 + (half ? 1 : f->n[0] % 2);
    return field_bytes(f) / (double)f->n[0] * 2 * (double)nxc * (free_rows(f) ? 2 : 1);
}

/* The modes of the Green's function of all processes, where x or y is free or the kernel is the
 * caller's. */
static double green_modes(const facts *f) {
    const psg_axis *axis = f->grid.axis;
    double modes = 1;
    for (int d = 0; d < 3; d++) {
        modes *= (double)(free_ends(f, d) == 2                         ? f->n[d] + 1
                          : free_ends(f, d) == 1                       ? 2 * f->n[d] + 1
                          : d == 0 && axis[0].bc[0] == PSG_BC_PERIODIC ? f->n[0] / 2 + 1
                                                                       : f->n[d]);
    }
    const bool needed = free_ends(f, 0) > 0 || free_rows(f) || f->kernel == PSG_KERNEL_USER;
    return needed ? modes : 0;
}

static double green_bytes(const facts *f) {
    return green_modes(f) * (f->precision == PSG_F64 ? 8 : 4);
}

/* What its values in space take while its modes are made of them: in each process all, in f64. */
static double octant_bytes(const facts *f) {
    const bool space = f->kernel == PSG_KERNEL_HOCKNEY || f->kernel == PSG_KERNEL_USER;
    return space ? (double)app_ranks() * 8 * green_modes(f) : 0;
}

static size_t gpus_of(const facts *f) {
    size_t gpus = 0;
    for (size_t w = 0; w < f->workers->count; w++) {
        gpus += f->workers->list[w].kind == PSG_WORKER_CUDA;
    }
    return gpus;
}

/* The GPU with most points of this process and the fullest one are taken for the same. */
static int arrays_beside(const psg_plan *plan, const facts *f) {
    enum { DEVICES = 64 };
    size_t points = 0, lo[3], n[3];
    for (int device = 0; device < DEVICES; device++) {
        if (psg_plan_local_box(plan, device, lo, n) == PSG_OK && n[0] * n[1] * n[2] > points) {
            points = n[0] * n[1] * n[2];
        }
    }
    const double share = field_bytes(f) / (double)app_points(&f->grid) * (double)points;
    return f->gpu_bytes_free <= 0           ? 0
           : f->gpu_bytes_free >= 2 * share ? 2
                                            : f->gpu_bytes_free >= share;
}

/* What the plan left, over all processes. Collective. */
static void find_left(facts *f, const psg_plan *plan) {
    double least[2] = {-INFINITY, -INFINITY}; /* of a process without GPUs */
    if (f->gpu_bytes_free > 0) {
        least[0] = -f->gpu_bytes_free;
        least[1] = f->n != NULL ? -arrays_beside(plan, f) : 0;
    }
    app_ranks_max(least, 2);
    f->gpu_bytes_free = isfinite(least[0]) ? -least[0] : 0;
    f->arrays_on_gpus = isfinite(least[1]) ? (int)-least[1] : 0;
}

/* What a solve between arrays in main memory needs of it: f, u, and a spectrum that is not on
 * GPUs. */
static double main_bytes(const facts *f) {
    return 2 * field_bytes(f) + (f->spectrum_on_gpus ? 0 : spectrum_bytes(f)) + green_bytes(f) +
           octant_bytes(f);
}

/* All processes are taken to be on this machine. A simulation computes nothing, and needs no
 * memory. */
static bool fits(const facts *f) {
    return psg_simulation() || main_bytes(f) <= f->memory_free;
}

static void print_grid(const facts *f) {
    static const char *const words[] = {"neither f nor u: they stay in main memory",
                                        "one array: f, which the solve overwrites by u",
                                        "both f and u"};
    const psg_statistics *s = &f->plan;
    const bool any = app_has_sides(&f->grid);
    char sides[9], places[6];
    if (f->n == NULL) {
        return;
    }
    app_sides_text(&f->grid, sides, places);
    printf("\nGrid %s, %s%s%s%s%s:\n", app_points_words(&f->grid, " x ").text,
           app_precision_name(f->precision), any ? ", sides " : "", any ? sides : "",
           any ? ", points " : "", any ? places : "");
    app_print_lengths(&f->grid, "  lengths      ");
    printf("  f and u      %.4g GB each\n", 1e-9 * field_bytes(f));
    printf("  spectrum     %.4g GB, in %s\n", 1e-9 * spectrum_bytes(f),
           f->spectrum_on_gpus ? "the memory of GPUs" : "main memory");
    if (green_bytes(f) > 0) {
        printf("  kernel       %.4g GB for the Green's function%s\n", 1e-9 * green_bytes(f),
               f->spectrum_on_gpus ? ", and as much on GPUs" : "");
    }
    if (octant_bytes(f) > 0) {
        printf("               %.4g GB for its values in space, while it is made\n",
               1e-9 * octant_bytes(f));
    }
    printf("  graph        %s, %s exchange, %zu segment%s of up to %zu plane%s, %zu sheet%s\n",
           app_graph_name(s->graph), app_exchange_name(s->exchange), s->segments,
           s->segments == 1 ? "" : "s", s->segment_planes, s->segment_planes == 1 ? "" : "s",
           s->sheets, s->sheets == 1 ? "" : "s");
    if (gpus_of(f) > 0) {
        printf("  GPUs         the fullest has %.4g GB left, which is room for %s\n",
               1e-9 * f->gpu_bytes_free, words[f->arrays_on_gpus]);
    }
    if (f->planning.wanted) {
        app_planning_print(&f->planning, spectrum_bytes(f));
    }
    if (!psg_simulation()) {
        printf("  main memory  %.4g GB of %.4g are free without this plan\n", 1e-9 * f->memory_free,
               1e-9 * f->memory);
        printf("  fits         %s: %s take %.4g GB of main memory%s\n", fits(f) ? "yes" : "no",
               f->spectrum_on_gpus  ? "f and u"
               : green_bytes(f) > 0 ? "f, u, the spectrum and the Green's function"
                                    : "f, u and the spectrum",
               1e-9 * main_bytes(f),
               fits(f) || f->precision == PSG_F32 ? "" : "; --precision f32 takes half of that");
    }
}

static json_t *grid_json(const facts *f) {
    const psg_statistics *s = &f->plan;
    if (f->n == NULL) {
        return json_null();
    }
    json_t *points = json_array(), *good = json_array();
    for (int d = 0; d < f->grid.axes; d++) {
        const psg_axis *axis = &f->grid.axis[d];
        size_t length = axis->n;
        (void)psg_good_length(axis->n, axis->bc, axis->points, &length);
        json_array_append_new(points, json_integer((json_int_t)axis->n));
        json_array_append_new(good, json_integer((json_int_t)length));
    }
    return json_pack(
        "{s:o, s:o, s:s, s:f, s:f, s:b, s:I, s:I, s:s, s:f, s:i, s:f, s:b, s:o}", "points", points,
        "good_lengths", good, "precision", app_precision_name(f->precision), "field_bytes",
        field_bytes(f), "spectrum_bytes", spectrum_bytes(f), "spectrum_on_gpus",
        f->spectrum_on_gpus, "segments", (json_int_t)s->segments, "sheets", (json_int_t)s->sheets,
        "exchange", app_exchange_name(s->exchange), "gpu_bytes_free", f->gpu_bytes_free,
        "arrays_on_gpus", f->arrays_on_gpus, "main_bytes", main_bytes(f), "fits", fits(f),
        "planning", app_planning_json(&f->planning, spectrum_bytes(f)));
}

/* ------------------------------------------------------------------------------------ all of it */

/* The exchange that a plan of the fused graph would have, where its spectrum fits the GPUs. */
static void print_routes(const facts *f) {
    char from[32], to[32];
    bool peers = true, between = false, there = false;
    if (f->route_count == 0) {
        return;
    }
    printf("\nLinks:\n");
    for (size_t r = 0; r < f->route_count; r++) {
        const psg_route *route = &f->routes[r];
        const bool gpus = route->from >= 0 && route->to >= 0;
        printf("  %-7s -> %-7s %7.1f GB/s, %5.1f us%s\n",
               memory_name(route->from, from, sizeof from), memory_name(route->to, to, sizeof to),
               1e-9 * route->rate, 1e6 * route->latency_seconds,
               route->to < -1 ? psg_mpi_cuda_aware() > 0 ? ", of GPUs' memory" : ""
               : !gpus        ? ""
               : route->peer  ? ", peers"
                              : ", no peers");
        there |= route->from >= 0;
        between |= gpus;
        peers &= !gpus || route->peer;
    }
    if (there || f->nodes > 1) {
        printf("  exchange: %s\n", f->nodes > 1 ? "mpi: there are several nodes"
                                   : !between
                                       ? "direct: there is one GPU, and blocks stay where they are"
                                   : peers ? "direct: every GPU reaches every other's memory"
                                           : "managed: not every GPU reaches every other's memory");
    }
}

static void print_lines(const facts *f) {
    const app_workers *workers = f->workers;
    const psg_worker *worker = workers->list;
    app_versions_print(PSG_COMPONENT_PSG);
    printf("\nWorkers:\n");
    for (int rank = 0; rank < app_ranks(); rank++) {
        for (size_t w = 0; w < workers->of_rank[rank]; w++, worker++) {
            if (app_ranks() > 1) {
                printf("  rank %d", rank);
            }
            app_say("  %-4s %3d  %s", app_worker_kind_name(worker->kind), worker->device,
                    worker->name);
            if (worker->processor >= 0) {
                printf(", runs on processor %d", worker->processor);
            }
            printf("\n");
        }
    }
    print_routes(f);
    if (f->between != PSG_EXCHANGE_AUTO) {
        const bool far = f->note[0] != '\0' && f->between == PSG_EXCHANGE_DIRECT;
        app_say("\nExchange between processes: %s%s%s%s\n", app_exchange_name(f->between),
                far ? ", through main memory" : "", f->note[0] ? ": " : "", f->note);
    }
    printf("\nScheduling policies (* is in force):\n");
    for (size_t p = 0; psg_policy_name(p) != NULL; p++) {
        const char *library = psg_policy_library(p);
        app_say("%c %-32s %s%s%s%s\n", strcmp(workers->policy, psg_policy_name(p)) ? ' ' : '*',
                psg_policy_name(p), psg_policy_description(p), library != NULL ? " (of " : "",
                library != NULL ? library : "", library != NULL ? ")" : "");
    }
    app_say("\nCache folder: %s\n", f->cache[0] ? f->cache : "none");
    if (!psg_simulation()) {
        app_say("StarPU's folder: %s%s%s%s\n", f->starpu[0] ? f->starpu : "temporary",
                f->why[0] ? " (" : "", f->why, f->why[0] ? ")" : "");
    }
    app_tuned_print(&f->tuned);
    print_grid(f);
}

static json_t *make_json(const facts *f) {
    const app_workers *workers = f->workers;
    json_t *root = json_object(), *policies = json_array(), *routes = json_array();
    for (size_t r = 0; r < f->route_count; r++) {
        const psg_route *route = &f->routes[r];
        json_array_append_new(routes,
                              json_pack("{s:i, s:i, s:f, s:f, s:b}", "from", route->from, "to",
                                        route->to, "rate", route->rate, "latency_seconds",
                                        route->latency_seconds, "peer", route->peer));
    }
    for (size_t p = 0; psg_policy_name(p) != NULL; p++) {
        json_array_append_new(policies, json_pack("{s:s, s:s, s:s?}", "name", psg_policy_name(p),
                                                  "description", psg_policy_description(p),
                                                  "library", psg_policy_library(p)));
    }
    const int aware = psg_mpi_cuda_aware();
    json_object_set_new(root, "command", json_string("info"));
    json_object_set_new(root, "versions", app_json_versions());
    json_object_set_new(root, "mpi_cuda_aware", aware < 0 ? json_null() : json_boolean(aware));
    json_object_set_new(root, "ranks", json_integer(app_ranks()));
    json_object_set_new(root, "rank_workers", app_json_rank_workers(workers));
    json_object_set_new(root, "workers", app_json_workers(workers));
    json_object_set_new(root, "routes", routes);
    json_object_set_new(root, "exchange",
                        f->between != PSG_EXCHANGE_AUTO ? json_string(app_exchange_name(f->between))
                                                        : json_null());
    json_object_set_new(root, "exchange_note", f->note[0] ? json_string(f->note) : json_null());
    json_object_set_new(root, "policy", json_string(workers->policy));
    json_object_set_new(root, "policies", policies);
    json_object_set_new(root, "cache_folder", json_string(f->cache[0] ? f->cache : "none"));
    json_object_set_new(root, "starpu_folder", json_string(f->starpu[0] ? f->starpu : "temporary"));
    json_object_set_new(root, "tuned", app_tuned_json(&f->tuned));
    json_object_set_new(root, "grid", grid_json(f));
    return root;
}

/* Of one process: several may share the GPUs in ways that only a plan of theirs knows. */
static int find_routes(facts *f, const psg_options *options) {
    psg_options own = *options;
    own.comm = NULL;
    if (app_ranks() > 1) {
        return APP_DONE;
    }
    psg_status status = psg_machine_routes(&own, NULL, 0, &f->route_count);
    f->routes = calloc(f->route_count + 1, sizeof *f->routes);
    if (status == PSG_OK && f->routes != NULL) {
        status = psg_machine_routes(&own, f->routes, f->route_count, &f->route_count);
    }
    return status != PSG_OK    ? app_error(app_exit_code(status), "%s", psg_last_error())
           : f->routes != NULL ? APP_DONE
                               : app_error(APP_FAILED, "out of memory for the links");
}

/* A plan of the grid that was asked for says what memory it takes. Without a grid, a small plan
 * says which exchange there is between processes. Collective. */
static int make_plan(facts *f, const psg_options *options) {
    psg_plan *plan = NULL;
    psg_options own = *options;
    if (f->n == NULL && app_ranks() == 1) {
        return APP_DONE;
    }
    own.effort = PSG_EFFORT_ESTIMATE;
    own.record = f->planning.wanted;
    psg_status status = psg_plan_create(&plan, &f->grid, &own);
    status = status == PSG_OK ? psg_plan_statistics(plan, &f->plan) : status;
    status =
        status == PSG_OK ? psg_plan_memory(plan, &f->spectrum_on_gpus, &f->gpu_bytes_free) : status;
    if (status == PSG_OK && f->planning.wanted) {
        status = app_planning_find(&f->planning, plan, &f->grid, &own);
    }
    int code = APP_DONE;
    if (status == PSG_ERR_MEMORY && f->n != NULL) {
        char green[32] = "";
        if (green_bytes(f) > 0) {
            snprintf(green, sizeof green, "%.4g GB", 1e-9 * (green_bytes(f) + octant_bytes(f)));
        }
        code =
            app_error(app_exit_code(status),
                      "the grid does not fit: %s; f and u take %.4g GB each, the spectrum %.4g GB"
                      "%s%s",
                      psg_last_error(), 1e-9 * field_bytes(f), 1e-9 * spectrum_bytes(f),
                      green[0] ? ", the Green's function " : "", green);
    } else if (status != PSG_OK) {
        code = app_error(app_exit_code(status), "%s", psg_last_error());
    }
    code = app_ranks_agree(code);
    if (!code) {
        find_left(f, plan);
    }
    if (!code && app_ranks() > 1) {
        f->between = f->plan.exchange;
        snprintf(f->note, sizeof f->note, "%s", psg_plan_note(plan));
    }
    psg_plan_destroy(plan);
    return code;
}

/* On rank 0. */
static int tell(const facts *known, const psg_options *options, const app_arguments *arguments,
                app_progress *progress) {
    const char *json = arguments->json;
    facts f = *known;
    const bool to_stdout = json != NULL && strcmp(json, "-") == 0;
    if (psg_cache_folder(options, 0, f.cache, sizeof f.cache) != PSG_OK) {
        f.cache[0] = '\0';
    }
    app_machine_memory(&f.memory, &f.memory_free);
    (void)psg_starpu_folder(f.starpu, sizeof f.starpu, f.why, sizeof f.why);
    int code = app_tuned_find(options, &f.tuned);
    code = code ? code : find_routes(&f, options);
    app_progress_stop(progress);
    if (!code && !to_stdout) {
        print_lines(&f);
    }
    if (!code && json != NULL) {
        code = app_json_deliver(make_json(&f), json, arguments->force);
    }
    free(f.routes);
    free(f.tuned.list);
    return code;
}

/* ---------------------------------------------------------------------------------- machines */

static void print_machines(const psg_recorded *list, size_t count) {
    printf("Recorded machines, for --machine of a psg that simulates:\n");
    for (size_t m = 0; m < count; m++) {
        printf("  %-12s %u cores, %u GPUs\n", list[m].name, list[m].cpus, list[m].gpus);
        printf("%s%s%s", list[m].about[0] ? "               " : "", list[m].about,
               list[m].about[0] ? "\n" : "");
    }
    printf("%s", count ? "" : "  none\n");
}

static json_t *machines_json(const psg_recorded *list, size_t count) {
    json_t *machines = json_array();
    for (size_t m = 0; m < count; m++) {
        json_array_append_new(machines,
                              json_pack("{ss ss si si sf}", "name", list[m].name, "about",
                                        list[m].about, "cpus", (int)list[m].cpus, "gpus",
                                        (int)list[m].gpus, "gpu_memory", list[m].gpu_memory));
    }
    return json_pack("{ss so}", "command", "info", "machines", machines);
}

/* On rank 0. */
static int tell_machines(const app_arguments *arguments) {
    const char *json = arguments->json;
    psg_recorded *list = NULL;
    size_t count = 0;
    psg_status status = psg_recorded_list(NULL, 0, &count);
    const bool to_stdout = json != NULL && strcmp(json, "-") == 0;
    if (status == PSG_OK) {
        list = app_allocate(count + 1, sizeof *list, "the recorded machines");
    }
    if (list == NULL && status == PSG_OK) {
        return APP_FAILED;
    }
    status = status == PSG_OK ? psg_recorded_list(list, count, &count) : status;
    int code =
        status == PSG_OK ? APP_DONE : app_error(app_exit_code(status), "%s", psg_last_error());
    if (!code && !to_stdout) {
        print_machines(list, count);
    }
    if (!code && json != NULL) {
        code = app_json_deliver(machines_json(list, count), json, arguments->force);
    }
    free(list);
    return code;
}

/* What says nothing without something else, or beside it. */
static int check_arguments(const app_arguments *a) {
    const bool precision = app_options_given(&a->solver, "precision");
    return a->machines && (a->grid.given || precision)
               ? app_error(APP_USAGE, "--machines goes without --grid and --precision")
           : precision && !a->grid.given ? app_error(APP_USAGE, "--precision goes with --grid")
           : a->solver.options.kernel != PSG_KERNEL_AUTO && !a->grid.given
               ? app_error(APP_USAGE, "--kernel goes with --grid")
           : app_options_given(&a->solver, "network") && !app_options_given(&a->solver, "nodes")
               ? app_error(APP_USAGE, "--network goes with --nodes, which it lies between")
           : a->sides.given && !a->grid.given ? app_error(APP_USAGE, "--bc goes with --grid")
           : a->points.given && !app_sides_any(&a->sides)
               ? app_error(APP_USAGE,
                           "--points goes with --bc, which names Dirichlet or Neumann sides")
               : APP_DONE;
}

int app_info(int argc, char **argv) {
    app_arguments arguments;
    app_workers workers = {.list = NULL};
    int code = app_arguments_info(argc, argv, &arguments);
    code = app_ranks_agree(code ? code : check_arguments(&arguments));
    if (!code && arguments.machines) {
        return app_ranks_agree(app_rank() == 0 ? tell_machines(&arguments) : APP_DONE);
    }
    code = code ? code
                : app_ranks_agree(app_simulation_choose(arguments.solver.options.machine,
                                                        app_options_simulated(&arguments.solver)));
    if (code) {
        return code == APP_HELPED ? APP_DONE : code;
    }
    app_signals_install(app_rank() > 0);
    psg_options options = arguments.solver.options;
    options.comm = app_ranks_comm();
    app_progress progress;
    app_progress_start(&progress, app_rank() == 0);
    app_progress_step(&progress, "looking for workers");
    code = app_workers_find(&options, &workers);
    facts f = {.workers = &workers,
               .nodes = options.nodes,
               .n = arguments.grid.given ? arguments.grid.n : NULL,
               .precision = options.precision,
               .kernel = options.kernel,
               .planning = {.wanted = arguments.grid.given &&
                                      app_options_given(&arguments.solver, "nodes"),
                            .nodes = options.nodes}};
    const app_grid_value small = {true, 3, {16, 16, 16}};
    code = code ? code
                : app_grid_make(f.n != NULL ? &arguments.grid : &small, NULL, &arguments.sides,
                                &arguments.points, &f.grid);
    if (!code) {
        app_progress_step(&progress, f.n != NULL ? "making a plan of the grid"
                                                 : "looking for links between memories");
        code = make_plan(&f, &options);
    }
    if (!code) {
        code =
            app_ranks_agree(app_rank() == 0 ? tell(&f, &options, &arguments, &progress) : APP_DONE);
    }
    app_progress_stop(&progress);
    app_workers_free(&workers);
    return code;
}
