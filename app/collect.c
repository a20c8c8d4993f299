#include "app/collect.h"
#include "app/app.h"
#include "app/processes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Make the list of rank 0 long enough for all. */
static int grow(void **items, size_t bytes, const size_t *counts, const char *what) {
    size_t total = 0;
    for (int rank = 0; rank < app_ranks(); rank++) {
        total += counts[rank];
    }
    void *longer = total < SIZE_MAX / bytes ? realloc(*items, (total + 1) * bytes) : NULL;
    if (longer == NULL) {
        return app_error(APP_FAILED, "out of memory for %s", what);
    }
    *items = longer;
    return APP_DONE;
}

int app_collect(void **items, size_t bytes, size_t *count, size_t *of_rank, const char *what) {
    size_t *counts = app_allocate((size_t)app_ranks(), sizeof *counts, what);
    int code = app_ranks_agree(counts != NULL ? APP_DONE : APP_FAILED);
    if (!code) {
        app_ranks_gather(count, sizeof *count, counts);
        code = app_ranks_agree(app_rank() == 0 ? grow(items, bytes, counts, what) : APP_DONE);
    }
    for (int rank = 1; rank < app_ranks() && !code; rank++) {
        if (app_rank() == 0) {
            app_ranks_to_first(rank, NULL, (char *)*items + *count * bytes, counts[rank] * bytes);
            *count += counts[rank];
        } else if (app_rank() == rank) {
            app_ranks_to_first(rank, *items, NULL, *count * bytes);
        }
    }
    if (!code && of_rank != NULL && app_rank() == 0) {
        memcpy(of_rank, counts, (size_t)app_ranks() * sizeof *of_rank);
    }
    free(counts);
    return code;
}
