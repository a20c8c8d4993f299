/* Copies between memories in a trace: a track for each link of each process, and each copy on its
 * own, when it was and with what it carried. The plan is made up. */
#include "app/ranks.h"
#include "app/report.h"
#include "app/trace.h"
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
     .pencil = SIZE_MAX,
     .bytes = 4096,
     .start = 0.25,
     .end = 0.5},
    {.link = PSG_LINK_D2D,
     .from = 0,
     .to = 3,
     .data = 's',
     .segment = SIZE_MAX,
     .pencil = 2,
     .bytes = 1000,
     .start = 0.5,
     .end = 0.625},
    {.link = PSG_LINK_D2D,
     .from = 3,
     .to = 0,
     .segment = SIZE_MAX,
     .pencil = SIZE_MAX,
     .bytes = 10,
     .start = 0.5,
     .end = 0.75},
    {.link = PSG_LINK_D2H,
     .from = 3,
     .to = -1,
     .data = 'u',
     .segment = 0,
     .pencil = SIZE_MAX,
     .bytes = 7,
     .start = 0.875,
     .end = 1},
};
enum { COPIES = sizeof copies / sizeof copies[0], SOLVES = 2 };

static const struct {
    const char *name, *link, *track;
} expected[COPIES] = {
    {"f s1", "h2d", "main memory to GPU 0"},
    {"spectrum p2", "d2d", "GPU 0 to GPU 3"},
    {"copy", "d2d", "GPU 3 to GPU 0"},
    {"u s0", "d2h", "GPU 3 to main memory"},
};

/* ------------------------------------------------------------------- the plan, and the file */

static unsigned solves;
static json_t *written;

psg_status psg_plan_events(const psg_plan *plan, psg_event *events, size_t capacity,
                           size_t *count) {
    (void)plan;
    if (!count) {
        return PSG_ERR_ARG;
    }
    *count = 1;
    if (events && capacity > 0) {
        *events = (psg_event){.stage = PSG_STAGE_KSPACE, .rank = -1, .segment = SIZE_MAX, .end = 2};
    }
    return PSG_OK;
}

psg_status psg_plan_copies(const psg_plan *plan, psg_copy *list, size_t capacity, size_t *count) {
    (void)plan;
    if (!count) {
        return PSG_ERR_ARG;
    }
    *count = COPIES;
    for (size_t c = 0; list && c < COPIES && c < capacity; ++c) {
        list[c] = copies[c];
    }
    return PSG_OK;
}

psg_status psg_plan_statistics_sized(const psg_plan *plan, psg_statistics *statistics,
                                     size_t struct_size) {
    (void)plan;
    if (!statistics) {
        return PSG_ERR_ARG;
    }
    memset(statistics, 0, struct_size);
    statistics->submitted = 1e9 + 8 * solves;
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

/** It is there once. */
static void check_copy(const json_t *events, int rank, unsigned solve, int copy) {
    int found = 0;
    for (size_t e = 0; e < json_array_size(events); ++e) {
        const json_t *event = json_array_get(events, e);
        const json_t *arguments = json_object_get(event, "args");
        if (strcmp(text(event, "cat"), expected[copy].link) != 0 ||
            strcmp(text(event, "name"), expected[copy].name) != 0 || number(event, "pid") != rank ||
            number(arguments, "solve") != solve) {
            continue;
        }
        ++found;
        const char *track = track_name(events, rank, number(event, "tid"));
        CHECK(track && strcmp(track, expected[copy].track) == 0, "%s of rank %d is on track %s",
              expected[copy].name, rank, track ? track : "of no name");
        CHECK(strcmp(text(event, "ph"), "X") == 0, "phase %s", text(event, "ph"));
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
    app_trace trace = {.event = NULL};
    if (app_ranks_start(argc, argv)) {
        return 1;
    }
    for (; solves < SOLVES; ++solves) {
        CHECK(app_trace_take(&trace, NULL) == APP_DONE, "nothing was taken");
    }
    CHECK(app_trace_write(&trace, "file", "file", NULL) == APP_DONE, "nothing was written");
    const json_t *events = json_object_get(written, "traceEvents");
    for (int rank = 0; rank < app_ranks() && app_rank() == 0; ++rank) {
        CHECK(strcmp(track_name(events, rank, 0), "worker 0") == 0, "track 0 is %s",
              track_name(events, rank, 0));
        for (int copy = 0; copy < COPIES * SOLVES; ++copy) {
            check_copy(events, rank, (unsigned)copy / COPIES, copy % COPIES);
        }
    }
    app_trace_free(&trace);
    json_decref(written);
    return app_ranks_finish(check_result());
}
