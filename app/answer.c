/* Answers that are known, made and compared by all cores of the process. */
#include "app/answer.h"
#include "app/parallel.h"
#include "app/processes.h"

#include <math.h>
#include <pthread.h>

enum { PIECE_MOST = 256 }; /* points of a row: its waves stay in the first-level cache */

/* What all threads work on. */
typedef struct answer_work {
    const app_answer *answer;
    psg_precision precision;
    app_planes planes;
    void *to; /* where f or u goes */
    bool of_f;
    const void *u; /* what is compared */
    pthread_mutex_t mutex;
    double error, largest;
    size_t at; /* the point of the largest error, counted from that of (0, 0, z0) */
} answer_work;

static void fill_rows(void *context, size_t row, size_t end) {
    const answer_work *work = context;
    const size_t nx = work->answer->grid.axis[0].n, ny = work->answer->grid.axis[1].n;
    double value[PIECE_MOST];
    for (; row < end; row++) {
        for (size_t i = 0; i < nx; i += PIECE_MOST) {
            const size_t count = nx - i < PIECE_MOST ? nx - i : PIECE_MOST;
            work->answer->row(work->answer, row % ny, work->planes.z0 + row / ny, work->of_f, i,
                              count, value);
            app_put_row(work->to, work->precision, row * nx + i, count, value);
        }
    }
}

void app_answer_fill(const app_answer *answer, psg_precision precision, app_planes planes, void *f,
                     void *u) {
    answer_work work = {.answer = answer, .precision = precision, .planes = planes};
    void *const to[] = {u, f};
    for (int of_f = 0; of_f < 2; of_f++) {
        work.to = to[of_f];
        work.of_f = of_f;
        if (work.to != NULL) {
            app_parallel(planes.count * answer->grid.axis[1].n, fill_rows, &work);
        }
    }
}

/* Which error is shown: a NaN, or the larger, or of equal ones that of the first point. */
static bool is_worse(double error, size_t at, double than, size_t other) {
    if (isnan(error) || isnan(than)) {
        return isnan(error) && (!isnan(than) || at < other);
    }
    return error > than || (error == than && at < other);
}

static void compare_rows(void *context, size_t row, size_t end) {
    answer_work *work = context;
    const size_t nx = work->answer->grid.axis[0].n, ny = work->answer->grid.axis[1].n;
    double exact[PIECE_MOST], u[PIECE_MOST], error = 0, largest = 0;
    size_t at = row * nx;
    for (; row < end; row++) {
        for (size_t i = 0; i < nx; i += PIECE_MOST) {
            const size_t count = nx - i < PIECE_MOST ? nx - i : PIECE_MOST;
            work->answer->row(work->answer, row % ny, work->planes.z0 + row / ny, false, i, count,
                              exact);
            app_get_row(work->u, work->precision, row * nx + i, count, u);
            for (size_t p = 0; p < count; p++) {
                const double here = fabs(u[p] - exact[p]), size = fabs(exact[p]);
                largest = size > largest ? size : largest;
                if (!(here <= error) && !isnan(error)) { /* once it is NaN it stays so */
                    error = here;
                    at = row * nx + i + p;
                }
            }
        }
    }
    pthread_mutex_lock(&work->mutex);
    if (is_worse(error, at, work->error, work->at)) {
        work->error = error;
        work->at = at;
    }
    work->largest = fmax(work->largest, largest);
    pthread_mutex_unlock(&work->mutex);
}

void app_answer_compare(const app_answer *answer, psg_precision precision, app_planes planes,
                        const void *u, app_answer_error *result) {
    const size_t nx = answer->grid.axis[0].n, ny = answer->grid.axis[1].n;
    answer_work work = {.answer = answer, .precision = precision, .planes = planes, .u = u};
    pthread_mutex_init(&work.mutex, NULL);
    app_parallel(planes.count * ny, compare_rows, &work);
    pthread_mutex_destroy(&work.mutex);
    const size_t at[3] = {work.at % nx, work.at / nx % ny, planes.z0 + work.at / nx / ny};
    *result = (app_answer_error){.error = work.error};
    for (int d = 0; d < 3; d++) {
        result->at[d] = at[app_turn(&answer->grid, d)];
    }
    app_ranks_max(&work.largest, 1);
    app_ranks_max_at(&result->error, result->at);
    result->error = work.largest > 0 ? result->error / work.largest : result->error;
    result->tolerance = answer->tolerance[precision];
}

void app_answer_free(app_answer *answer) {
    if (answer != NULL) {
        answer->free(answer);
    }
}
