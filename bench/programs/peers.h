/** @file peers.h  The peers of the programs bench_cores and bench_gpus: each is called with its own
 *  command line, and returns the exit code. C and C++ at once. */
#ifndef PSG_BENCH_PROGRAMS_PEERS_H
#define PSG_BENCH_PROGRAMS_PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

int bench_fftw(int argc, char **argv);
int bench_mkl(int argc, char **argv);
int bench_fftw_mpi(int argc, char **argv);
int bench_many(int argc, char **argv);
int bench_workload(int argc, char **argv);
int bench_cufft_main(int argc, char **argv);
int bench_embed(int argc, char **argv);
int bench_exchange_main(int argc, char **argv);
int bench_copy(int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
