/* Built without CUDA, or for a simulation: workers keep nothing on GPUs. */
#include "runtime/gpu.h"

psg_fault psg_gpu_start(psg_engine *engine, const psg_gpu_user *user, char *words, size_t size) {
    (void)engine;
    (void)user;
    (void)words;
    (void)size;
    return PSG_FAULT_NONE;
}

void psg_gpu_stop(psg_engine *engine) {
    (void)engine;
}

void psg_gpu_mark(psg_run *run, size_t slot, size_t step) {
    (void)run;
    (void)slot;
    (void)step;
}

bool psg_gpu_moments(const psg_run *run, size_t slot, size_t steps, const double between[2],
                     double *moment) {
    (void)run;
    (void)slot;
    (void)steps;
    (void)between;
    (void)moment;
    return false;
}
