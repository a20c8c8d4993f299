/* The rows of the studies `peers` and `embed`. */
#include "bench/programs/peer.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

double bench_peer_gflops(const size_t n[3], double seconds) {
    const double points = (double)n[0] * (double)n[1] * (double)n[2];
    return 1e-9 * 2 * 5 * points * log2(points) / seconds;
}

int bench_peer_agrees(const bench_peer *peer) {
    return peer->difference <= (peer->precision == PSG_F64 ? 1e-10 : 1e-3);
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

static void put_times(const bench_times *t) {
    const double times[] = {t->median, t->min, t->q1, t->q3, t->max};
    for (size_t m = 0; m < sizeof times / sizeof *times; m++) {
        put_number(times[m]);
    }
}

static void put_grid(const size_t n[3]) {
    printf("%zux%zux%zu,", n[0], n[1], n[2]);
}

static const char *exchange_of(const bench_peer *peer) {
    static const char *const exchange[PSG_EXCHANGE_COUNT] = {"auto", "managed", "direct", "mpi",
                                                             "alltoall"};
    return exchange[peer->statistics.exchange];
}

void bench_peer_begin(const char *columns) {
    printf("%s\n", columns);
    bench_must(fflush(stdout) == 0, "the rows cannot be written: %s", strerror(errno));
}

void bench_door_row(const bench_peer *peer, const bench_settings *settings) {
    put_text(peer->name, ',');
    put_grid(peer->n);
    put_text(peer->precision == PSG_F64 ? "f64" : "f32", ',');
    put_number(peer->ranks);
    put_number(peer->gpus);
    put_text(bench_peer_agrees(peer) ? "ok" : "the results differ", ',');
    put_times(&peer->ours);
    put_number(settings->repeat);
    put_number(peer->theirs.median / peer->ours.median);
    put_number(bench_peer_gflops(peer->n, peer->ours.median));
    put_number(peer->difference);
    put_text(exchange_of(peer), ',');
    put_text(peer->gpu_model, '\n');
}

void bench_peer_row(const bench_peer *peer, const bench_settings *settings, const char *why) {
    static const bench_times none = {NAN, NAN, NAN, NAN, NAN};
    const bool known = why == NULL;
    put_text(peer->name, ',');
    put_grid(peer->n);
    put_text(peer->precision == PSG_F64 ? "f64" : "f32", ',');
    put_number(peer->ranks);
    put_number(peer->threads ? (double)peer->threads : (double)NAN);
    put_number(peer->gpus);
    put_text(!known ? why : bench_peer_agrees(peer) ? "ok" : "the results differ", ',');
    put_times(known ? &peer->theirs : &none);
    put_times(known ? &peer->ours : &none);
    put_number(known ? settings->repeat : 0);
    put_number(known ? peer->theirs.median / peer->ours.median : NAN);
    put_number(known ? bench_peer_gflops(peer->n, peer->theirs.median) : NAN);
    put_number(known ? bench_peer_gflops(peer->n, peer->ours.median) : NAN);
    put_number(known ? peer->difference : NAN);
    put_text(known ? exchange_of(peer) : "", ',');
    put_number(known ? (double)peer->statistics.segments : NAN);
    put_number(known ? (double)peer->statistics.sheets : NAN);
    put_text(peer->gpu_model, ',');
    put_text(peer->variant != NULL ? peer->variant : "", '\n');
}

void bench_peer_left_out(const bench_peer *peer, const bench_settings *settings, const char *why) {
    if (settings->rows) {
        bench_peer_row(peer, settings, why);
    } else {
        printf("%zux%zux%zu: %s\n", peer->n[0], peer->n[1], peer->n[2], why);
    }
}
