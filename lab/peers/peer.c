#include "lab/peers/peer.h"

#include <errno.h>
#include <math.h>
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

/* What ends a row ends the line that is there for the reader at once. */
static void put_text(const char *text, char after) {
    const char *quote = text[strcspn(text, ",\"\r\n")] ? "\"" : "";
    fputs(quote, stdout);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"" : "", stdout);
        putchar(*text);
    }
    printf("%s%c", quote, after);
    bench_must(after == ',' || fflush(stdout) == 0, "the rows cannot be written: %s",
               strerror(errno));
}

/* A number that is not known is an empty field. */
static void put_number(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.12g", value);
    put_text(isfinite(value) ? text : "", ',');
}

static void put_times(bench_times t) {
    const double times[] = {t.median, t.min, t.q1, t.q3, t.max};
    for (size_t m = 0; m < sizeof times / sizeof *times; m++) {
        put_number(times[m]);
    }
}

/* 15 N^3 log2 N operations for each of two transforms of a cube: 5 n log2 n of n points. */
static void put_gflops(const bench_peer *p, double seconds) {
    const double points = (double)p->n[0] * (double)p->n[1] * (double)p->n[2];
    put_number(1e-9 * 2 * 5 * points * log2(points) / seconds);
}

static void put_exchange(const bench_peer *p) {
    static const char *const exchange[PSG_EXCHANGE_COUNT] = {"auto", "managed", "direct", "mpi",
                                                             "alltoall"};
    put_text(exchange[p->statistics.exchange], ',');
}

static void put_what(const bench_peer *p) {
    put_text(p->name, ',');
    printf("%zux%zux%zu,%s,%d,", p->n[0], p->n[1], p->n[2], p->precision == PSG_F64 ? "f64" : "f32",
           bench_processes.ranks);
}

void bench_peer_begin(const char *columns) {
    if (bench_processes.rank == 0) {
        printf("%s", columns);
        put_text("", '\n');
    }
}

void bench_door_row(const bench_peer *p, const bench_settings *settings) {
    if (bench_processes.rank > 0) {
        return;
    }
    put_what(p);
    put_number(p->gpus);
    put_text(agrees(p) ? "ok" : "the results differ", ',');
    put_times(p->ours);
    put_number(settings->repeat);
    put_number(p->theirs.median / p->ours.median);
    put_gflops(p, p->ours.median);
    put_number(p->difference);
    put_exchange(p);
    put_text(p->gpu_model, '\n');
}

static void begin_peer_row(const bench_peer *p, const char *status) {
    put_what(p);
    put_number(p->threads ? (double)p->threads : (double)NAN);
    put_number(p->gpus);
    put_text(status, ',');
}

void bench_peer_row(const bench_peer *p, const bench_settings *settings) {
    if (bench_processes.rank > 0) {
        return;
    }
    begin_peer_row(p, agrees(p) ? "ok" : "the results differ");
    put_times(p->theirs);
    put_times(p->ours);
    put_number(settings->repeat);
    put_number(p->theirs.median / p->ours.median);
    put_gflops(p, p->theirs.median);
    put_gflops(p, p->ours.median);
    put_number(p->difference);
    put_exchange(p);
    put_number((double)p->statistics.segments);
    put_number((double)p->statistics.sheets);
    put_text(p->gpu_model, ',');
    put_text(p->variant != NULL ? p->variant : "", '\n');
}

void bench_peer_left_out(const bench_peer *p, const bench_settings *settings, const char *why) {
    if (bench_processes.rank == 0 && settings->rows) {
        begin_peer_row(p, why);
        printf(",,,,,,,,,,0,,,,,,,,");
        put_text(p->gpu_model, ',');
        put_text("", '\n');
    } else if (bench_processes.rank == 0) {
        printf("%zux%zux%zu: %s\n", p->n[0], p->n[1], p->n[2], why);
    }
}
