/** @file program_columns.h  The columns that the measuring programs write, and the laboratory
 *  reads: lab/programs.py has the same list. Names with commas between; C and C++ at once. */
#ifndef PSG_BENCH_PROGRAM_COLUMNS_H
#define PSG_BENCH_PROGRAM_COLUMNS_H

/** Quartiles of seconds: the median has the name alone. */
#define BENCH_TIMES_COLUMNS(name) name "," name "_min," name "_q1," name "_q3," name "_max"

/** ratio: the peer's time over psg's. Gflop/s by 15 N^3 log2 N for each of two transforms.
 *  difference: of both u, over the largest. variant: the peer's best way, which was measured. */
#define BENCH_PEERS_COLUMNS                                                                        \
    "peer,grid,precision,ranks,threads,gpus,status," BENCH_TIMES_COLUMNS(                          \
        "peer_seconds") "," BENCH_TIMES_COLUMNS("psg_seconds") ",repeats,ratio,peer_gflops,"       \
                                                               "psg_gflops,difference,exchange,"   \
                                                               "segments,sheets,gpu_model,"        \
                                                               "variant"

/** A row is a door of psg, or a peer. ratio: the time of the peer of the same run over the door's.
 *  difference: of u from that of the door `device`, over the largest. */
#define BENCH_EMBED_COLUMNS                                                                        \
    "door,grid,precision,ranks,gpus,status," BENCH_TIMES_COLUMNS(                                  \
        "seconds") ",repeats,ratio,gflops,difference,exchange,gpu_model"

#endif
