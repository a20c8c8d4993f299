/* psg_solve(), and psg_submit() with psg_wait(), whose answers are wrong in the way that WRONG in the environment names, put before the
 * library's own: `psg selftest` and `psg tune` have to notice. */
#include "graph/psg.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_wrong(const char *way) {
    const char *wrong = getenv("WRONG");
    return wrong != NULL && strcmp(wrong, way) == 0;
}

/** Bits in the upper half of the mantissa, in either precision. */
static void spoil(void *u) {
    unsigned char *byte = u;
    byte[2] = (unsigned char)(byte[2] ^ 0x40);
    byte[6] = (unsigned char)(byte[6] ^ 0x04);
}

PSG_API psg_status psg_solve(psg_plan *plan, const void *f, void *u) {
    psg_status (*solve)(psg_plan *, const void *, void *);
    void *symbol = dlsym(RTLD_NEXT, "psg_solve");
    memcpy(&solve, &symbol, sizeof solve);
    const psg_status status = solve(plan, f, u);
    if (is_wrong("value") && status == PSG_OK) {
        spoil(u);
    }
    return is_wrong("refuses")                             ? PSG_ERR_RUNTIME
           : is_wrong("accepts") && status == PSG_ERR_DATA ? PSG_OK
                                                           : status;
}

/** u of the solves that are not waited for, oldest first. */
static void *flying[16];
static size_t flights;

PSG_API psg_status psg_submit(psg_plan *plan, const void *f, void *u) {
    psg_status (*submit)(psg_plan *, const void *, void *);
    void *symbol = dlsym(RTLD_NEXT, "psg_submit");
    memcpy(&submit, &symbol, sizeof submit);
    const psg_status status = submit(plan, f, u);
    if (status == PSG_OK && flights < sizeof flying / sizeof *flying) {
        flying[flights++] = u;
    }
    return status;
}

PSG_API psg_status psg_wait(psg_plan *plan) {
    psg_status (*wait)(psg_plan *);
    void *symbol = dlsym(RTLD_NEXT, "psg_wait");
    memcpy(&wait, &symbol, sizeof wait);
    const psg_status status = wait(plan);
    if (flights > 0) {
        if (is_wrong("value") && status == PSG_OK) {
            spoil(flying[0]);
        }
        memmove(flying, flying + 1, --flights * sizeof *flying);
    }
    return status;
}
