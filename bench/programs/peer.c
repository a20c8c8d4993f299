/* The rows of the study `peers`. */
#include "bench/programs/peer.h"
#include "bench/program_columns.h"

#include <math.h>

double bench_peer_gflops(const size_t n[3], double seconds) {
    const double points = (double)n[0] * (double)n[1] * (double)n[2];
    return 1e-9 * 2 * 5 * points * log2(points) / seconds;
}

int bench_peer_agrees(const bench_peer *peer) {
    return peer->difference <= (peer->precision == PSG_F64 ? 1e-10 : 1e-3);
}

void bench_peer_begin(bench_csv *csv) {
    bench_csv_open(csv, NULL, NULL, BENCH_PEERS_COLUMNS);
}

void bench_peer_row(bench_csv *csv, const bench_peer *peer, const bench_settings *settings,
                    const char *why) {
    static const char *const exchange[PSG_EXCHANGE_COUNT] = {"auto", "managed", "direct", "mpi",
                                                             "alltoall"};
    char grid[80];
    snprintf(grid, sizeof grid, "%zux%zux%zu", peer->n[0], peer->n[1], peer->n[2]);
    bench_put_text(csv, peer->name);
    bench_put_text(csv, grid);
    bench_put_text(csv, peer->precision == PSG_F64 ? "f64" : "f32");
    bench_put_number(csv, peer->ranks);
    bench_put_number(csv, peer->threads ? (double)peer->threads : (double)NAN);
    bench_put_number(csv, peer->gpus);
    bench_put_text(csv, why != NULL ? why : bench_peer_agrees(peer) ? "ok" : "the results differ");
    bench_put_times(csv, why != NULL ? NULL : &peer->theirs);
    bench_put_times(csv, why != NULL ? NULL : &peer->ours);
    bench_put_number(csv, why != NULL ? 0 : settings->repeat);
    bench_put_number(csv, why != NULL ? NAN : peer->theirs.median / peer->ours.median);
    bench_put_number(csv, why != NULL ? NAN : bench_peer_gflops(peer->n, peer->theirs.median));
    bench_put_number(csv, why != NULL ? NAN : bench_peer_gflops(peer->n, peer->ours.median));
    bench_put_number(csv, why != NULL ? NAN : peer->difference);
    bench_put_text(csv, why != NULL ? "" : exchange[peer->statistics.exchange]);
    bench_put_number(csv, why != NULL ? NAN : (double)peer->statistics.segments);
    bench_put_number(csv, why != NULL ? NAN : (double)peer->statistics.pencils);
    bench_put_text(csv, peer->gpu_model);
    bench_put_text(csv, peer->variant != NULL ? peer->variant : "");
}
