#include "codelets/device.h"

#include <starpu.h>

#include <stdio.h>
#include <stdlib.h>

#if PSG_WITH_CUDA
#include "codelets/cuda.h"

#include <cuda_runtime_api.h>

enum { CUDA_MAJOR = CUDART_VERSION / 1000, CUDA_MINOR = CUDART_VERSION % 1000 / 10 };

int psg_device_count(char *words, size_t size) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    (void)cudaGetLastError();
    const bool plain = error == cudaSuccess || error == cudaErrorNoDevice;
    (void)snprintf(words, size, "%s", plain ? "" : cudaGetErrorString(error));
    return error == cudaSuccess ? count : 0;
}

const char *psg_device_version(void) {
    static char version[16];
    (void)snprintf(version, sizeof version, "%d.%d", CUDA_MAJOR, CUDA_MINOR);
    return version;
}

bool psg_device_peers(void) {
    int id[STARPU_MAXCUDADEVS];
    const unsigned count =
        starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, id, STARPU_MAXCUDADEVS);
    bool all = true;
    for (unsigned a = 0; a < count && a < STARPU_MAXCUDADEVS; a++) {
        for (unsigned b = 0; b < count && b < STARPU_MAXCUDADEVS; b++) {
            int can = 0;
            if (a != b && (cudaDeviceCanAccessPeer(&can, starpu_worker_get_devid(id[a]),
                                                   starpu_worker_get_devid(id[b])) != cudaSuccess ||
                           can == 0)) {
                all = false;
            }
        }
    }
    return all;
}

/* Not by starpu_malloc() and starpu_memory_pin(), which abort where CUDA says no. */
void *psg_device_host_alloc(size_t bytes) {
    void *memory = NULL;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) != cudaSuccess) {
        (void)cudaGetLastError();
        return NULL;
    }
    return memory;
}

void psg_device_host_free(void *memory) {
    (void)cudaFreeHost(memory);
}

bool psg_device_pin(void *memory, size_t bytes) {
    const bool pinned = cudaHostRegister(memory, bytes, cudaHostRegisterPortable) == cudaSuccess;
    (void)cudaGetLastError();
    return pinned;
}

void psg_device_unpin(void *memory) {
    (void)cudaHostUnregister(memory);
    (void)cudaGetLastError();
}

typedef struct preparation {
    psg_context *context;
    psg_cuda_worker **workers;
    char (*words)[128]; /* by worker */
} preparation;

static void start_worker(void *argument) {
    const preparation *p = argument;
    const int id = starpu_worker_get_id_check();
    p->workers[id] = psg_cuda_worker_create(p->context, p->words[id], sizeof *p->words);
}

static void stop_worker(void *argument) {
    const preparation *p = argument;
    psg_cuda_worker_destroy(p->workers[starpu_worker_get_id_check()]);
}

bool psg_device_start(psg_context *context, size_t workers, char *words, size_t size) {
    preparation p = {.context = context};
    p.workers = calloc(workers, sizeof(psg_cuda_worker *));
    p.words = calloc(workers, sizeof *p.words);
    if (p.workers == NULL || p.words == NULL) {
        free(p.workers);
        free(p.words);
        (void)snprintf(words, size, "no memory");
        return false;
    }
    context->cuda = p.workers;
    starpu_execute_on_each_worker(start_worker, &p, STARPU_CUDA);
    bool all = true;
    for (size_t w = 0; w < workers && all; w++) {
        if (starpu_worker_get_type((int)w) == STARPU_CUDA_WORKER && p.workers[w] == NULL) {
            (void)snprintf(words, size, "GPU %d: %s", starpu_worker_get_devid((int)w), p.words[w]);
            all = false;
        }
    }
    free(p.words);
    if (!all) {
        psg_device_stop(context);
    }
    return all;
}

void psg_device_stop(psg_context *context) {
    if (context->cuda != NULL) {
        preparation p = {.context = context, .workers = context->cuda};
        starpu_execute_on_each_worker(stop_worker, &p, STARPU_CUDA);
        free(context->cuda);
        context->cuda = NULL;
    }
}

#else

int psg_device_count(char *words, size_t size) {
    (void)snprintf(words, size, "built without CUDA");
    return 0;
}

const char *psg_device_version(void) {
    return NULL;
}

bool psg_device_peers(void) {
    return false;
}

void *psg_device_host_alloc(size_t bytes) {
    (void)bytes;
    return NULL;
}

void psg_device_host_free(void *memory) {
    (void)memory;
}

bool psg_device_pin(void *memory, size_t bytes) {
    (void)memory;
    (void)bytes;
    return false;
}

void psg_device_unpin(void *memory) {
    (void)memory;
}

bool psg_device_start(psg_context *context, size_t workers, char *words, size_t size) {
    (void)context;
    (void)workers;
    (void)words;
    (void)size;
    return true;
}

void psg_device_stop(psg_context *context) {
    (void)context;
}

#endif
