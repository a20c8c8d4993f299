#include "lab/peers/peer.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

psg_plan *bench_plan(const size_t n[3], const char *bc, const psg_options *options) {
    const double box = 6.283185307179586;
    psg_plan *plan = NULL;
    psg_grid grid;
    psg_grid_init(&grid, n[0], n[1], n[2], box, box, box);
    for (int side = 0; side < 6 && bc != NULL; side++) {
        const char letter = bc[side / 2 * 3 + side % 2];
        grid.axis[side / 2].bc[side % 2] = letter == 'P'   ? PSG_BC_PERIODIC
                                           : letter == 'D' ? PSG_BC_DIRICHLET
                                           : letter == 'F' ? PSG_BC_FREE
                                                           : PSG_BC_NEUMANN;
    }
    bench_must_psg(psg_plan_create(&plan, &grid, options));
    return plan;
}

static int agrees(const bench_peer *peer) {
    return peer->difference <= (peer->precision == PSG_F64 ? 1e-10 : 1e-3);
}

const char *bench_verdict(const bench_peer *peer) {
    return agrees(peer) ? "" : " WRONG";
}

/* ------------------------------------------------------------------------ a row as JSON */

static void put_text(const char *name, const char *text) {
    printf(", \"%s\": \"", name);
    for (; *text; text++) {
        fputs(*text == '"' || *text == '\\' ? "\\" : "", stdout);
        putchar((unsigned char)*text < ' ' ? ' ' : *text);
    }
    putchar('"');
}

static void put_number(double value) {
    if (isfinite(value)) {
        printf("%.12g", value);
    } else {
        fputs("null", stdout);
    }
}

static void put_named(const char *name, double value) {
    printf(", \"%s\": ", name);
    put_number(value);
}

static void put_seconds(const char *name, const bench_times *times, int count) {
    printf(", \"%s\": [", name);
    for (int m = 0; m < count && times->seconds != NULL; m++) {
        fputs(m > 0 ? ", " : "", stdout);
        put_number(times->seconds[m]);
    }
    putchar(']');
}

/* What ends a row ends the line that is there for the reader at once. */
static void put_row(const bench_peer *p, const bench_settings *settings, const char *status) {
    const psg_statistics *s = &p->statistics;
    char exchange[16] = "";
    const psg_options chosen = {.struct_size = sizeof chosen, .exchange = s->exchange};
    (void)psg_options_get(&chosen, "exchange", exchange, sizeof exchange);
    const bool was_solved = p->ours.seconds != NULL;
    printf("{\"grid\": \"%zux%zux%zu\"", p->n[0], p->n[1], p->n[2]);
    put_text("name", p->name);
    put_text("precision", p->precision == PSG_F64 ? "f64" : "f32");
    put_named("ranks", bench_processes.ranks);
    put_named("threads", p->threads > 0 ? p->threads : (double)NAN);
    put_named("gpus", p->gpus);
    put_text("status", status);
    put_seconds("peer_seconds", &p->theirs, settings->repeat);
    put_seconds("psg_seconds", &p->ours, settings->repeat);
    put_named("difference", was_solved ? p->difference : (double)NAN);
    put_text("exchange", was_solved ? exchange : "");
    put_named("segments", was_solved ? (double)s->segments : (double)NAN);
    put_named("sheets", was_solved ? (double)s->sheets : (double)NAN);
    put_text("gpu_model", p->gpu_model);
    put_text("variant", p->variant != NULL ? p->variant : "");
    printf("}\n");
    bench_must(fflush(stdout) == 0, "the rows cannot be written: %s", strerror(errno));
}

void bench_row(const bench_peer *p, const bench_settings *settings) {
    if (bench_processes.rank == 0) {
        put_row(p, settings, agrees(p) ? "ok" : "the results differ");
    }
}

void bench_left_out(const bench_peer *p, const bench_settings *settings, const char *why) {
    const bench_times none = {NAN, NAN, NAN, NAN, NAN, NULL};
    bench_peer left = *p;
    left.theirs = left.ours = none;
    if (bench_processes.rank == 0 && settings->rows) {
        put_row(&left, settings, why);
    } else if (bench_processes.rank == 0) {
        printf("%zux%zux%zu: %s\n", p->n[0], p->n[1], p->n[2], why);
    }
}
