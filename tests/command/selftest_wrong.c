/* A psg_solve() whose answers are wrong in the way that WRONG in the environment names, put before the
 * library's own: `psg selftest` has to notice. */
#include "graph/psg.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef psg_status solve_function(psg_plan *plan, const void *f, void *u);

PSG_API psg_status psg_solve(psg_plan *plan, const void *f, void *u) {
    static solve_function *solve;
    if (solve == NULL) {
        void *symbol = dlsym(RTLD_NEXT, "psg_solve");
        memcpy(&solve, &symbol, sizeof solve);
    }
    const char *wrong = getenv("WRONG");
    const psg_status status = solve(plan, f, u);
    if (wrong != NULL && strcmp(wrong, "value") == 0 && status == PSG_OK) {
        unsigned char *byte = u; /* of the mantissa's upper bits in either precision */
        byte[2] = (unsigned char)(byte[2] ^ 0x40);
        byte[6] = (unsigned char)(byte[6] ^ 0x04);
    }
    if (wrong != NULL && strcmp(wrong, "accepts") == 0 && status == PSG_ERR_DATA) {
        return PSG_OK;
    }
    if (wrong != NULL && strcmp(wrong, "refuses") == 0) {
        return PSG_ERR_RUNTIME;
    }
    return status;
}
