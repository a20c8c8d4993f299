#include "runtime/starpu_inside.h"

#include <pthread.h>
#include <string.h>
#if PSG_SIMULATE
#include <dlfcn.h>
#endif

_Static_assert(STARPU_MAJOR_VERSION == 1 && STARPU_MINOR_VERSION == 4,
               "psg knows the inside of StarPU 1.4: hold runtime/starpu_inside.h against this one");

bool psg_starpu_uses_models(const char *policy) {
    return policy != NULL &&
           (strncmp(policy, "dm", 2) == 0 || strstr(policy, "-dm") != NULL ||
            strstr(policy, "heft") != NULL || strstr(policy, "modular-heteroprio") != NULL ||
            strcmp(policy, "modular-gemm") == 0);
}

typedef struct blocks {
    pthread_mutex_t lock;
    struct starpu_data_interface_ops interface; /* all 0 until the first call; under the lock */
    struct starpu_data_copy_methods methods;
} blocks;

struct starpu_data_interface_ops *
psg_starpu_blocks(void (*change)(struct starpu_data_interface_ops *interface,
                                 struct starpu_data_copy_methods *methods)) {
    static blocks ours = {.lock = PTHREAD_MUTEX_INITIALIZER};
    (void)pthread_mutex_lock(&ours.lock);
    if (ours.interface.copy_methods == NULL) {
        ours.methods = *starpu_interface_block_ops.copy_methods;
        ours.interface = starpu_interface_block_ops;
        ours.interface.copy_methods = &ours.methods;
        change(&ours.interface, &ours.methods);
    }
    (void)pthread_mutex_unlock(&ours.lock);
    return &ours.interface;
}

#if PSG_SIMULATE
int (*psg_starpu_main(void))(int argc, char **argv) {
    const union {
        void *symbol;
        int (*function)(int, char **);
    } start = {.symbol = dlsym(RTLD_NEXT, "main")};
    return start.function;
}
#endif
