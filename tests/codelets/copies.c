/* Copies between memories: each way has the sum of its times; while a solve keeps them, each is
 * taken once, by who wants it. */
#include "runtime/copies.h"
#include "tests/check.h"

#include <stdlib.h>

static psg_copy_record copy(psg_copy_way way, double start, double end, size_t bytes, bool task) {
    return (psg_copy_record){
        .way = way, .from = -1, .start = start, .end = end, .bytes = bytes, .task = task};
}

static bool wants_way(const psg_copy_record *record, const void *way) {
    return record->way == *(const psg_copy_way *)way;
}

static void take(psg_copy_list *list, psg_copy_way way, size_t want, const char *what) {
    psg_copies_take(list, wants_way, &way);
    CHECK(list->count == want, "%s: %zu copies instead of %zu", what, list->count, want);
}

static void add(psg_copy_way way, double start, double end, size_t bytes, bool task) {
    const psg_copy_record record = copy(way, start, end, bytes, task);
    psg_copies_add(&record);
}

static void sums(void) {
    psg_copy_sum sum[PSG_COPY_WAYS];
    add(PSG_COPY_H2D, 1e6, 3e6, 100, false);
    add(PSG_COPY_H2D, 5e6, 5.5e6, 10, true);
    add(PSG_COPY_D2H, 5e6, 6e6, 7, false);
    psg_copies_sums(sum);
    CHECK_NEAR(sum[PSG_COPY_H2D].seconds, 2.5, 1e-12, "to GPUs");
    CHECK_NEAR(sum[PSG_COPY_D2H].seconds, 1, 1e-12, "from GPUs");
    CHECK_NEAR(sum[PSG_COPY_D2D].seconds, 0, 0, "between GPUs");
    CHECK(sum[PSG_COPY_H2D].task_bytes == 10 && sum[PSG_COPY_D2H].task_bytes == 0,
          "%zu and %zu bytes of tasks", (size_t)sum[PSG_COPY_H2D].task_bytes,
          (size_t)sum[PSG_COPY_D2H].task_bytes);
    psg_copies_lose(PSG_COPY_D2D);
    psg_copies_sums(sum);
    CHECK(isnan(sum[PSG_COPY_D2D].seconds) && sum[PSG_COPY_H2D].seconds > 0,
          "one between GPUs was lost: %g, and %g to GPUs", sum[PSG_COPY_D2D].seconds,
          sum[PSG_COPY_H2D].seconds);
}

static void lists(void) {
    psg_copy_list list = {.record = NULL};
    take(&list, PSG_COPY_H2D, 0, "from before any solve");
    psg_copies_keep();
    psg_copies_keep(); /* a second one in flight */
    for (int m = 0; m < 1000; ++m) {
        add(m % 3 ? PSG_COPY_H2D : PSG_COPY_D2H, m, m + 1, (size_t)m, false);
        add(PSG_COPY_H2D, m, m + 1, (size_t)m, true);
    }
    take(&list, PSG_COPY_H2D, 666, "to GPUs");
    for (size_t m = 0; m < list.count; ++m) {
        CHECK(list.record[m].bytes == m / 2 * 3 + m % 2 + 1 && !list.record[m].task,
              "copy %zu of %zu bytes, of a task: %d", m, list.record[m].bytes, list.record[m].task);
    }
    psg_copies_let_go();
    take(&list, PSG_COPY_H2D, 0, "were taken twice");
    take(&list, PSG_COPY_D2H, 334, "from GPUs");
    add(PSG_COPY_D2H, 0, 1, 1, false);
    psg_copies_let_go();
    psg_copies_keep();
    take(&list, PSG_COPY_D2H, 0, "were left from an earlier solve");
    psg_copies_let_go();
    free(list.record);
}

int main(void) {
    sums();
    lists();
    return check_result();
}
