/* bench_gpus PEER ...: what is measured on GPUs, beside psg. */
#include "bench/programs/peers.h"
#include "bench/programs/program.h"

#include <stddef.h>

int main(int argc, char **argv) {
    static const bench_program peers[] = {
        {"cufft", bench_cufft_main, ""},
#ifdef PSG_MPI
        {"embed", bench_embed, ""},
#else
        {"embed", NULL, "MPI"},
#endif
        {"many", bench_many, ""},
        {"workload", bench_workload, ""},
        {"exchange", bench_exchange_main, ""},
        {"copy", bench_copy, ""},
        {NULL, NULL, ""},
    };
    return bench_main(argc, argv, peers);
}
