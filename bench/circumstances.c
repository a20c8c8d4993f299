/* The columns of versions, machine, load and date. */
#include "bench/circumstances.h"
#include "app/load.h"
#include "graph/psg_machine.h"

#include <string.h>

bench_circumstances bench_circumstances_find(int warm_up, int seed) {
    bench_circumstances at = {
        .warm_up = (unsigned)warm_up, .seed = (unsigned)seed, .load_average = app_load_average()};
    app_machine_find(&at.machine);
    return at;
}

int bench_circumstances_put(const bench_circumstances *at, bench_table *table, size_t row) {
    static const struct {
        const char *column;
        psg_component component;
    } versions[] = {{"psg_version", PSG_COMPONENT_PSG},
                    {"starpu_version", PSG_COMPONENT_STARPU},
                    {"fftw_version", PSG_COMPONENT_FFTW},
                    {"cuda_version", PSG_COMPONENT_CUDA},
                    {"mpi_version", PSG_COMPONENT_MPI}};
    char cores[32], warm_up[16], seed[16], date[48];
    snprintf(cores, sizeof cores, "%ld", at->machine.cores);
    snprintf(warm_up, sizeof warm_up, "%u", at->warm_up);
    snprintf(seed, sizeof seed, "%u", at->seed);
    app_utc_date(date, sizeof date);
    const struct {
        const char *column, *text;
    } texts[] = {{"host", at->machine.host},
                 {"cpu_model", at->machine.cpu_model},
                 {"cores", cores},
                 {"warm_up", warm_up},
                 {"seed", seed},
                 {"date", date}};
    int failed = bench_table_set_number(table, row, bench_table_column(table, "load_average"),
                                        at->load_average);
    for (size_t v = 0; v < sizeof versions / sizeof *versions && !failed; v++) {
        const char *version = psg_component_version(versions[v].component);
        failed = bench_table_set(table, row, bench_table_column(table, versions[v].column),
                                 version != NULL ? version : "");
    }
    for (size_t t = 0; t < sizeof texts / sizeof *texts && !failed; t++) {
        failed =
            bench_table_set(table, row, bench_table_column(table, texts[t].column), texts[t].text);
    }
    return failed;
}
