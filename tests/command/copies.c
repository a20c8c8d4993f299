/* Copies between memories in a trace: a track for each link of each process, and each copy on its
 * own, when it was and with what it carried. Tasks are on the track of their GPU or core, the
 * submission is on one of its own, and what depends on what is an arrow. The plan is made up. */
#include "app/json.h"
#include "app/processes.h"
#include "app/trace.h"
#include "graph/psg_observe.h"
#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const psg_copy copies[] = {
    {.link = PSG_LINK_H2D,
     .from = -1,
     .to = 0,
     .data = 'f',
     .segment = 1,
     .sheet = SIZE_MAX,
     .bytes = 4096,
     .start = 0.25,
     .end = 0.5},
    {.link = PSG_LINK_D2D,
     .from = 0,
     .to = 3,
     .data = 's',
     .segment = SIZE_MAX,
     .sheet = 2,
     .bytes = 1000,
     .start = 0.5,
     .end = 0.625},
    {.link = PSG_LINK_D2D,
     .from = 3,
     .to = 0,
     .segment = SIZE_MAX,
     .sheet = SIZE_MAX,
     .bytes = 10,
     .start = 0.5,
     .end = 0.75},
    {.link = PSG_LINK_D2H,
     .from = 3,
     .to = -1,
     .data = 'u',
     .segment = 0,
     .sheet = SIZE_MAX,
     .bytes = 7,
     .start = 0.875,
     .end = 1},
};
enum { COPIES = sizeof copies / sizeof copies[0], SOLVES = 2, RANKS_MOST = 8 };

static const struct {
    const char *name, *link, *track;
} expected[COPIES] = {
    {"f", "h2d", "main memory to GPU 0"},
    {"spectrum", "d2d", "GPU 0 to GPU 3"},
    {"copy", "d2d", "GPU 3 to GPU 0"},
    {"u", "d2h", "GPU 3 to main memory"},
};

/* A kspace, and an inverse_xy that reads what it wrote. */
static const psg_event tasks[] = {
    {.stage = PSG_STAGE_KSPACE,
     .worker = 0,
     .rank = -1,
     .segment = SIZE_MAX,
     .sheet = 7,
     .count = 5,
     .pieces = 4,
     .remote = 2,
     .start = 1,
     .end = 2,
     .bytes = 640},
    {.stage = PSG_STAGE_INVERSE_XY,
     .worker = 1,
     .rank = -1,
     .segment = 3,
     .sheet = SIZE_MAX,
     .count = 6,
     .pieces = 8,
     .start = 3,
     .end = 4,
     .bytes = 96},
};

/* ------------------------------------------------------------------- the plan, and the file */

static unsigned solves;
static json_t *written;

psg_status psg_work_events(const psg_work *work, psg_event *events, size_t capacity,
                           size_t *count) {
    (void)work;
    if (!count) {
        return PSG_ERR_ARG;
    }
    *count = 2;
    if (events && capacity > 1) {
        memcpy(events, tasks, sizeof tasks);
    }
    return PSG_OK;
}

psg_status psg_work_dependencies(const psg_work *work, psg_dependency *dependencies,
                                 size_t capacity, size_t *count) {
    (void)work;
    if (!count) {
        return PSG_ERR_ARG;
    }
    *count = 1;
    if (dependencies && capacity > 0) {
        *dependencies = (psg_dependency){0, 1, 0};
    }
    return PSG_OK;
}

psg_status psg_work_uses(const psg_work *work, psg_use *uses, size_t capacity, size_t *count) {
    (void)work;
    if (!count) {
        return PSG_ERR_ARG;
    }
    *count = 1;
    if (uses && capacity > 0) {
        *uses = (psg_use){.writes = 1};
    }
    return PSG_OK;
}

psg_status psg_work_copies(const psg_work *work, psg_copy *list, size_t capacity, size_t *count) {
    (void)work;
    if (!count) {
        return PSG_ERR_ARG;
    }
    *count = COPIES;
    for (size_t c = 0; list && c < COPIES && c < capacity; ++c) {
        list[c] = copies[c];
    }
    return PSG_OK;
}

psg_status(psg_work_statistics)(const psg_work *work, psg_run_statistics *statistics,
                                size_t struct_size) {
    (void)work;
    if (!statistics) {
        return PSG_ERR_ARG;
    }
    memset(statistics, 0, struct_size);
    statistics->submitted = 1e9 + 8 * solves;
    statistics->submit.seconds = 0.5;
    statistics->submit.tasks = 3;
    statistics->submit.pieces = 11;
    return PSG_OK;
}

int app_json_write(json_t *root, const char *path, const char *shown) {
    (void)path;
    (void)shown;
    written = root;
    return APP_DONE;
}

/* ------------------------------------------------------------------------------------ the tests */

static const char *text(const json_t *event, const char *key) {
    const char *value = json_string_value(json_object_get(event, key));
    return value ? value : "";
}

static double number(const json_t *event, const char *key) {
    return json_number_value(json_object_get(event, key));
}

/** The name of a track of a process; NULL: it has none, "twice": it has two. */
static const char *track_name(const json_t *events, int rank, double track) {
    const char *name = NULL;
    for (size_t e = 0; e < json_array_size(events); ++e) {
        const json_t *event = json_array_get(events, e);
        if (strcmp(text(event, "name"), "thread_name") == 0 && number(event, "pid") == rank &&
            number(event, "tid") == track) {
            name = name ? "twice" : text(json_object_get(event, "args"), "name");
        }
    }
    return name;
}

/** The only event with a name, a phase, a process and a solve. */
static const json_t *find(const json_t *events, const char *name, const char *phase, int rank,
                          int solve) {
    const json_t *found = NULL;
    int count = 0;
    for (size_t e = 0; e < json_array_size(events); ++e) {
        const json_t *event = json_array_get(events, e);
        if (strcmp(text(event, "name"), name) == 0 && strcmp(text(event, "ph"), phase) == 0 &&
            number(event, "pid") == rank &&
            number(json_object_get(event, "args"), "run") == solve) {
            found = event;
            ++count;
        }
    }
    CHECK(count == 1, "%s of rank %d in solve %d is there %d times", name, rank, solve, count);
    return found;
}

static void check_numbers(const json_t *object, const char *const *names, const double *numbers,
                          size_t count) {
    for (size_t m = 0; m < count; ++m) {
        CHECK_NEAR(number(object, names[m]), numbers[m], 0.5, "%s", names[m]);
    }
}

static void check_tasks(const json_t *events, int rank, int solve) {
    static const char *const times[2] = {"ts", "dur"};
    static const char *const of_kspace[5] = {"sheet", "rows", "pieces", "remote", "bytes"};
    static const char *const of_inverse[5] = {"segment", "planes", "pieces", "remote", "bytes"};
    static const char *const of_submission[2] = {"tasks", "pieces"};
    const json_t *kspace = find(events, "kspace", "X", rank, solve);
    const json_t *inverse = find(events, "inverse_xy", "X", rank, solve);
    const json_t *submission = find(events, "submission", "X", rank, solve);
    const double start = 8e6 * solve;
    check_numbers(kspace, times, (double[2]){start + 1e6, 1e6}, 2);
    check_numbers(json_object_get(kspace, "args"), of_kspace, (double[5]){7, 5, 4, 2, 640}, 5);
    check_numbers(json_object_get(inverse, "args"), of_inverse, (double[5]){3, 6, 8, 0, 96}, 5);
    check_numbers(submission, times, (double[2]){start, 0.5e6}, 2);
    check_numbers(json_object_get(submission, "args"), of_submission, (double[2]){3, 11}, 2);
    CHECK(!json_object_get(json_object_get(kspace, "args"), "segment"), "a segment of a sheet");
    CHECK(strcmp(track_name(events, rank, number(kspace, "tid")), "GPU 5") == 0, "of kspace");
    CHECK(strcmp(track_name(events, rank, number(inverse, "tid")), "core 2") == 0, "of inverse_xy");
    CHECK(strcmp(track_name(events, rank, number(submission, "tid")), "submission") == 0,
          "the track of the submission");
}

/** From the end of the one task to the beginning of the other, within both. */
static void check_arrows(const json_t *events) {
    double begin = 0, end = 0;
    int begins = 0, ends = 0;
    for (size_t e = 0; e < json_array_size(events); ++e) {
        const json_t *event = json_array_get(events, e);
        const double in_solve = number(event, "ts") / 1e6 - 8 * (number(event, "ts") >= 8e6);
        const int first = strcmp(text(event, "ph"), "s") == 0;
        if (strcmp(text(event, "cat"), "dependency") != 0) {
            continue;
        }
        CHECK(number(event, "tid") == (first ? 0 : 1), "track %g", number(event, "tid"));
        begins += first;
        ends += !first;
        begin = first ? in_solve : begin;
        end = first ? end : in_solve;
        CHECK(first || strcmp(text(event, "bp"), "e") == 0, "bound to the next task");
    }
    CHECK(begins == SOLVES * app_ranks() && ends == begins, "%d arrows begin, %d end", begins,
          ends);
    CHECK(begin < 2 && end > 3, "an arrow is outside of its tasks");
    CHECK_NEAR(begin, 2, 1e-6, "beginning of an arrow");
    CHECK_NEAR(end, 3, 1e-6, "end of an arrow");
}

/** It is there once. */
static void check_copy(const json_t *events, int rank, unsigned solve, int copy) {
    int found = 0;
    for (size_t e = 0; e < json_array_size(events); ++e) {
        const json_t *event = json_array_get(events, e);
        const json_t *arguments = json_object_get(event, "args");
        if (strcmp(text(event, "cat"), expected[copy].link) != 0 ||
            strcmp(text(event, "name"), expected[copy].name) != 0 || number(event, "pid") != rank ||
            number(arguments, "run") != solve) {
            continue;
        }
        ++found;
        const char *track = track_name(events, rank, number(event, "tid"));
        CHECK(track && strcmp(track, expected[copy].track) == 0, "%s of rank %d is on track %s",
              expected[copy].name, rank, track ? track : "of no name");
        CHECK(strcmp(text(event, "ph"), "X") == 0, "phase %s", text(event, "ph"));
        CHECK(!json_object_get(arguments, "segment") == (copies[copy].segment == SIZE_MAX) &&
                  !json_object_get(arguments, "sheet") == (copies[copy].sheet == SIZE_MAX) &&
                  (copies[copy].segment == SIZE_MAX ||
                   number(arguments, "segment") == (double)copies[copy].segment),
              "%s is of another part", expected[copy].name);
        CHECK(number(arguments, "bytes") == (double)copies[copy].bytes, "%s: %g bytes",
              expected[copy].name, number(arguments, "bytes"));
        CHECK_NEAR(number(event, "ts"), 1e6 * (8 * solve + copies[copy].start), 0.5, "start");
        CHECK_NEAR(number(event, "dur"), 1e6 * (copies[copy].end - copies[copy].start), 0.5,
                   "duration");
    }
    CHECK(found == 1, "%s of rank %d in solve %u is there %d times", expected[copy].name, rank,
          solve, found);
}

int main(int argc, char **argv) {
    app_record record = {.sent = NULL};
    psg_worker list[2 * RANKS_MOST] = {{.kind = PSG_WORKER_CPU}};
    size_t of_rank[RANKS_MOST];
    const app_workers workers = {.list = list, .of_rank = of_rank};
    if (app_ranks_start(argc, argv)) {
        return 1;
    }
    for (int rank = 0; rank < RANKS_MOST; ++rank) {
        of_rank[rank] = 2;
        list[2 * rank] = (psg_worker){.kind = PSG_WORKER_CUDA, .device = 5};
        list[2 * rank + 1] = (psg_worker){.kind = PSG_WORKER_CPU, .device = 2};
    }
    for (; solves < SOLVES; ++solves) {
        CHECK(app_record_take(&record, NULL) == APP_DONE, "nothing was taken");
    }
    CHECK(app_record_join(&record) == APP_DONE, "the processes have no record together");
    CHECK(app_rank() > 0 || app_trace_write(&record, "file", "file", &workers, NULL) == APP_DONE,
          "nothing was written");
    const json_t *events = json_object_get(written, "traceEvents");
    for (int rank = 0; rank < app_ranks() && app_rank() == 0; ++rank) {
        for (int solve = 0; solve < SOLVES; ++solve) {
            check_tasks(events, rank, solve);
        }
        for (int copy = 0; copy < COPIES * SOLVES; ++copy) {
            check_copy(events, rank, (unsigned)copy / COPIES, copy % COPIES);
        }
    }
    if (app_rank() == 0) {
        check_arrows(events);
    }
    app_record_free(&record);
    json_decref(written);
    return app_ranks_finish(check_result());
}
