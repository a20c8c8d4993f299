#include "app/planning.h"
#include "app/app.h"
#include "app/simulating.h"
#include "app/words.h"
#include "graph/psg_machine.h"
#include "graph/psg_starpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* In the first solves StarPU allocates memory. */
enum { SOLVES = 4 };
/* Of a message, where the machine's file does not say it: what InfiniBand and its MPI take. */
static const double usual_latency = 5e-6;
/* More processes than anybody has. */
static const double most_processes = 1e6;

static psg_status solve(psg_plan *plan, const psg_grid *grid, double *seconds) {
    const size_t bytes = app_points(grid) * sizeof(double);
    void *f = app_simulation_allocate(bytes);
    psg_statistics s = {.seconds = 0};
    psg_status status = f != NULL ? psg_slabs_put(plan, f) : PSG_ERR_MEMORY;
    for (int n = 0; status == PSG_OK && n < SOLVES; n++) {
        status = psg_submit_slabs(plan);
        status = status == PSG_OK ? psg_wait(plan) : status;
    }
    status = status == PSG_OK ? psg_plan_statistics(plan, &s) : status;
    app_simulation_free(f, bytes);
    *seconds = s.seconds;
    return status;
}

static psg_status find_network(app_planning *p, const psg_options *options) {
    size_t count = 0;
    psg_status status = psg_machine_routes(options, NULL, 0, &count);
    psg_route *routes = calloc(count + 1, sizeof *routes);
    if (status == PSG_OK) {
        status =
            routes != NULL ? psg_machine_routes(options, routes, count, &count) : PSG_ERR_MEMORY;
    }
    for (size_t r = 0; status == PSG_OK && r < count; r++) {
        if (routes[r].to < -1) {
            p->rate = routes[r].rate;
            p->latency = routes[r].latency_seconds > 0 ? routes[r].latency_seconds : usual_latency;
        }
    }
    free(routes);
    return status;
}

psg_status app_planning_find(app_planning *p, psg_plan *plan, const psg_grid *grid,
                             const psg_options *options) {
    psg_statistics s;
    size_t z0 = 0;
    psg_status status = solve(plan, grid, &p->seconds);
    status = status == PSG_OK ? psg_plan_bounds(plan, &p->bounds) : status;
    status = status == PSG_OK ? psg_plan_statistics(plan, &s) : status;
    status = status == PSG_OK ? psg_plan_local_extent(plan, &z0, &p->planes) : status;
    p->one_node = p->seconds;
    if (status != PSG_OK || options->nodes <= 1) {
        return status;
    }
    p->rows = (grid->axis[1].n + options->nodes - 1) / options->nodes;
    p->exchange = s.exchange;
    p->sent = (double)s.link[PSG_LINK_MESSAGE].bytes;
    psg_plan *one = NULL;
    psg_options alone = *options;
    alone.nodes = 1;
    alone.network = 0;
    p->one_node = 0;
    status = psg_plan_create(&one, grid, &alone);
    if (status == PSG_OK) {
        status = solve(one, grid, &p->one_node);
    } else if (status == PSG_ERR_MEMORY) {
        status = PSG_OK; /* it is said: "has no room for it" */
    }
    psg_plan_destroy(one);
    return status == PSG_OK ? find_network(p, options) : status;
}

double app_planning_pencils(double spectrum, double rate, double latency) {
    for (double p = 2; p < most_processes; p++) {
        const double transfer = spectrum / p / rate;
        if (4 * (transfer + latency * (sqrt(p) - 1)) < 2 * (transfer + latency * (p - 1))) {
            return p;
        }
    }
    return 0;
}

void app_planning_print(const app_planning *p, double spectrum) {
    printf("  solve        %.4g ms, simulated, with f and u where they are computed; at least %.4g "
           "ms by %s\n",
           1e3 * p->seconds, 1e3 * p->bounds.seconds, psg_bound_name(p->bounds.by));
    if (p->nodes <= 1) {
        return;
    }
    if (p->one_node > 0) {
        printf("  one node     %.4g ms\n", 1e3 * p->one_node);
    } else {
        printf("  one node     has no room for it\n");
    }
    printf("  %u nodes%*s up to %zu planes of f and u and %zu rows of the spectrum each (slabs), "
           "exchange %s\n",
           p->nodes,
           p->nodes < 10    ? 5
           : p->nodes < 100 ? 4
                            : 3,
           "", p->planes, p->rows, app_exchange_name(p->exchange));
    printf("  network      %.4g GB from each node in a solve: %.4g ms at %.4g GB/s\n",
           1e-9 * p->sent, 1e3 * p->sent / p->rate, 1e-9 * p->rate);
    printf("  pencils      which psg has not, begin to be faster at %.0f nodes, with %.3g us for a "
           "message\n",
           app_planning_pencils(spectrum, p->rate, p->latency), 1e6 * p->latency);
}

json_t *app_planning_json(const app_planning *p, double spectrum) {
    if (!p->wanted) {
        return json_null();
    }
    json_t *root =
        json_pack("{s:i, s:f, s:o, s:f, s:s}", "nodes", (int)p->nodes, "seconds", p->seconds,
                  "one_node_seconds", p->one_node > 0 ? json_real(p->one_node) : json_null(),
                  "bound_seconds", p->bounds.seconds, "bound", psg_bound_name(p->bounds.by));
    if (p->nodes > 1) {
        json_object_update_new(
            root, json_pack("{s:I, s:I, s:s, s:f, s:f, s:f}", "planes", (json_int_t)p->planes,
                            "rows", (json_int_t)p->rows, "exchange", app_exchange_name(p->exchange),
                            "sent_bytes", p->sent, "network_seconds", p->sent / p->rate,
                            "pencils_from", app_planning_pencils(spectrum, p->rate, p->latency)));
    }
    return root;
}
