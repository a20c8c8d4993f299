#include "runtime/starpu_inside.h"

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

void psg_starpu_blocks(struct starpu_data_interface_ops *blocks,
                       struct starpu_data_copy_methods *methods) {
    *methods = *starpu_interface_block_ops.copy_methods;
    *blocks = starpu_interface_block_ops;
    blocks->copy_methods = methods;
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
