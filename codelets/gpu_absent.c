/* Built without CUDA, or for a simulation, in which no task looks into its blocks. */
#include "codelets/gpu.h"
#include "runtime/simulation.h"

size_t psg_gpu_strip(const psg_context *context) {
    (void)context;
    return 0;
}

bool psg_gpu_overlaps(const psg_context *context) {
    (void)context;
    return psg_simulated(); /* as GPUs do but for few lengths */
}

bool psg_gpu_solves_whole(const psg_context *context) {
    (void)context;
    return false;
}

psg_gpu_user psg_gpu_plans(bool peers) {
    return (psg_gpu_user){.peers = peers};
}

psg_gpu_user psg_gpu_stateless(void) {
    return (psg_gpu_user){.peers = false};
}
