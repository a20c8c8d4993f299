/** @file bench.h  `psg bench`. */
#ifndef PSG_APP_BENCH_H
#define PSG_APP_BENCH_H

/** argv[0] is "bench". @return the exit code, after messages */
int app_bench(int argc, char **argv);

#endif
