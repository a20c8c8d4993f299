/* bench_cores PEER ...: what is measured on cores, beside psg. */
#include "bench/programs/peers.h"
#include "bench/programs/program.h"

#include <stddef.h>

int main(int argc, char **argv) {
    static const bench_program peers[] = {
        {"fftw", bench_fftw, ""},         {"mkl", bench_mkl, ""},
#ifdef PSG_FFTW_MPI
        {"fftw_mpi", bench_fftw_mpi, ""},
#else
        {"fftw_mpi", NULL, "MPI, and FFTW's MPI library"},
#endif
        {"many", bench_many, ""},         {"workload", bench_workload, ""}, {NULL, NULL, ""},
    };
    return bench_main(argc, argv, peers);
}
