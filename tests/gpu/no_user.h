/* What a GPU's worker keeps for an engine, where a test needs nothing there. */
#ifndef PSG_TESTS_GPU_NO_USER_H
#define PSG_TESTS_GPU_NO_USER_H

#include "runtime/gpu_cuda.h"

static int is_here(void **state, const void *owner) {
    (void)owner;
    *state = NULL;
    return 0;
}

static void is_gone(void *state, const void *owner) {
    (void)state;
    (void)owner;
}

static const char *words_of(int code) {
    (void)code;
    return "wrong";
}

static bool is_memory(int code) {
    (void)code;
    return false;
}

static const psg_gpu_user user = {is_here, is_gone, words_of, is_memory, false};

#endif
