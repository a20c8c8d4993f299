/** @file program_columns.h  The columns that the measuring programs of bench/programs/ write, and `psg bench` reads: one
 *  list for both. Names with commas between; C and C++ at once. */
#ifndef PSG_BENCH_PROGRAM_COLUMNS_H
#define PSG_BENCH_PROGRAM_COLUMNS_H

/** Quartiles of seconds: the median has the name alone. */
#define BENCH_TIMES_COLUMNS(name) name "," name "_min," name "_q1," name "_q3," name "_max"

/** permutation: copy (memcpy, or the device's own), or that of the axes. bandwidth: bytes read
 *  and written, GB/s. of_copy: the copy's time over this one's, of the same turns. */
#define BENCH_TRANSPOSES_COLUMNS                                                                   \
    "device,grid,element_bytes,permutation,threads,elements_per_thread,"                           \
    "status," BENCH_TIMES_COLUMNS("seconds") ",repeats,bandwidth,of_copy,gpu_model"

/** kind batch: `batch` FFTs of n points, `stride` apart; kind z: those along z of the spectrum
 *  of `grid`, of which layout `transposed` is transpose and contiguous. over_contiguous: its
 *  time over that of contiguous FFTs of the same number and length; strided_over_transposed:
 *  whether a transposition pays (> 1). plan_bytes: what planning took of the heap, or of the
 *  GPU's memory. */
#define BENCH_FFT_COLUMNS                                                                          \
    "device,kind,grid,layout,n,batch,stride,threads,status," BENCH_TIMES_COLUMNS(                  \
        "seconds") ",repeats,seconds_per_fft,gflops,over_contiguous,"                              \
                   "strided_over_transposed,data_bytes,plan_bytes,plan_seconds,gpu_model"

/** ratio: the peer's time over psg's. Gflop/s by 15 N^3 log2 N for each of two transforms.
 *  difference: of both u, over the largest. variant: the peer's best way, which was measured. */
#define BENCH_PEERS_COLUMNS                                                                        \
    "peer,grid,precision,ranks,threads,gpus,status," BENCH_TIMES_COLUMNS(                          \
        "peer_seconds") "," BENCH_TIMES_COLUMNS("psg_seconds") ",repeats,ratio,peer_gflops,"       \
                                                               "psg_gflops,difference,exchange,"   \
                                                               "segments,pencils,gpu_model,"       \
                                                               "variant"

/** door: a way to hand f over, or a peer. ratio: the peer's time over this one's. difference: of u, from that of the door
 *  `device`, over the largest. gpus: of each of the ranks. */
#define BENCH_EMBED_COLUMNS                                                                        \
    "door,grid,precision,ranks,gpus,status," BENCH_TIMES_COLUMNS(                                  \
        "seconds") ",repeats,ratio,difference,exchange,gpu_model"

#endif
