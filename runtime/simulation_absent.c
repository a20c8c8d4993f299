/* The library on the machine that is there. */
#include "runtime/simulation.h"

#include <stdio.h>

bool psg_simulated(void) {
    return false;
}

const psg_machine *psg_simulation_machine(void) {
    return NULL;
}

bool psg_simulation_begin(const char *machine, char *words, size_t size) {
    (void)machine;
    (void)snprintf(words, size, "the library was not built for simulation");
    return false;
}

void psg_simulation_stopping(void) {
}

void psg_simulation_end(void) {
}

bool psg_simulation_network(double asked, double *rate, double *seconds) {
    (void)asked;
    *rate = *seconds = 0;
    return false;
}

struct psg_comm *psg_simulation_nodes(unsigned nodes, double rate) {
    (void)nodes;
    (void)rate;
    return NULL;
}

void psg_simulation_submit(size_t pieces) {
    (void)pieces;
}

double psg_simulation_gap(const struct psg_task_args *args) {
    (void)args;
    return 0;
}

const char *psg_simulation_run(int (*program)(int, char **), int argc, char **argv, int *result) {
    *result = program(argc, argv);
    return NULL;
}

bool psg_simulation_on_gpus(int kind, psg_task_precision precision) {
    (void)precision;
    return !psg_kind_at(kind)->cores;
}

double psg_simulation_seconds(const struct psg_task_args *args, int gpu, int worker) {
    (void)args;
    (void)gpu;
    (void)worker;
    return 0;
}
