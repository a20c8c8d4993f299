#include "graph/residuals.h"
#include "graph/plan_struct.h"
#include "graph/psg_observe.h"
#include "graph/status.h"

#include <pthread.h>
#include <stdlib.h>

struct psg_residuals {
    pthread_mutex_t lock;
    double *after; /* [room]: after m iterations */
    size_t count, room;
};

psg_status psg_residuals_create(psg_residuals **residuals) {
    *residuals = calloc(1, sizeof **residuals);
    if (*residuals == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the residuals of solves with epsilon");
    }
    (void)pthread_mutex_init(&(*residuals)->lock, NULL); /* without attributes it does not fail */
    return PSG_OK;
}

void psg_residuals_destroy(psg_residuals *residuals) {
    if (residuals != NULL) {
        (void)pthread_mutex_destroy(&residuals->lock);
        free(residuals->after);
        free(residuals);
    }
}

static void grow(psg_residuals *r) {
    const size_t first_room = 64;
    const size_t room = r->room > 0 ? 2 * r->room : first_room;
    double *after = realloc(r->after, room * sizeof *after);
    if (after != NULL) {
        r->after = after;
        r->room = room;
    }
}

void psg_residuals_put(psg_residuals *r, size_t iterations, double residual) {
    pthread_mutex_lock(&r->lock);
    if (iterations == r->room) {
        grow(r);
    }
    if (iterations < r->room && iterations <= r->count) {
        r->after[iterations] = residual;
        r->count = iterations + 1;
    }
    pthread_mutex_unlock(&r->lock);
}

psg_status psg_plan_residuals(const psg_plan *plan, size_t first, double *residuals,
                              size_t capacity, size_t *count) {
    psg_clear_error();
    if (plan == NULL || count == NULL || (residuals == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "plan, count or residuals is NULL");
    }
    psg_residuals *r = plan->residuals;
    pthread_mutex_lock(&r->lock);
    *count = r->count;
    for (size_t m = 0; m < capacity && first + m < r->count; m++) {
        residuals[m] = r->after[first + m];
    }
    pthread_mutex_unlock(&r->lock);
    return PSG_OK;
}
