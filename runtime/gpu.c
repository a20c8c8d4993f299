#include "runtime/gpu.h"

const psg_gpu_table *const psg_gpus = PSG_WITH_CUDA ? &psg_cuda_gpus : NULL;

psg_fault psg_gpu_start(psg_engine *engine, const psg_gpu_user *user, char *words, size_t size) {
    return psg_gpus != NULL ? psg_gpus->start(engine, user, words, size) : PSG_FAULT_NONE;
}

void psg_gpu_stop(psg_engine *engine) {
    if (engine->gpu != NULL) {
        psg_gpus->stop(engine);
    }
}
