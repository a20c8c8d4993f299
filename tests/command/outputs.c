/* Temporary files go with a process that ends before its time, whichever one made them: those that were adopted too,
 * until they are discarded, as the process that renames them may be killed while it brings them to the disk. */
#include "app/app.h"
#include "app/output.h"
#include "base/file.h"
#include "tests/check.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As many as a solve can have: the field, its description, the report, the trace and the graph. */
enum { FILES = 5 };

static int is_there(const char *path) {
    return access(path, F_OK) == 0;
}

/** `made` as rank 0 has it, `copy` as the others. */
static void begin(int number, app_output *made, app_output *copy) {
    char name[32];
    snprintf(name, sizeof name, "outputs-%d", number);
    unlink(name);
    CHECK(app_output_begin(made, name, APP_OUTPUT_ANY, 0) == APP_DONE, "%s", name);
    CHECK(is_there(made->temporary) && !is_there(name), "%s", made->temporary);
    memcpy(copy, made, sizeof *copy);
}

static void all_of_a_solve(void) {
    app_output made[FILES], copy[FILES];
    for (int f = 0; f < FILES; f++) {
        begin(f, &made[f], &copy[f]);
    }
    app_outputs_remove();
    for (int f = 0; f < FILES; f++) {
        CHECK(!is_there(made[f].temporary), "%s is left", made[f].temporary);
        app_output_discard(&made[f]);
    }
}

/** Its owner is killed: before it renamed the file, or after. */
static void adopted(int renamed) {
    app_output made, copy;
    char left[PATH_MAX];
    begin(FILES, &made, &copy);
    snprintf(left, sizeof left, "%s", made.temporary);
    app_output_adopt(&copy);
    CHECK(app_output_commit(&copy) == APP_DONE, "one that was adopted");
    CHECK(is_there(left) && !is_there(made.name), "one that was adopted is not ours to rename");
    if (renamed) {
        CHECK(app_output_commit(&made) == APP_DONE, "its owner");
    } else {
        made.adopted = 1; /* the owner has nothing to say any more */
        app_output_discard(&made);
    }
    app_outputs_remove();
    CHECK(!is_there(left), "%s is left", left);
    CHECK(is_there(made.name) == renamed, "%s", made.name);
    app_output_discard(&copy);
    CHECK(is_there(made.name) == renamed, "%s", made.name);
    unlink(made.name);
}

/** What is discarded is no longer looked after. */
static void forgotten(void) {
    app_output made, copy;
    begin(FILES + 1, &made, &copy);
    app_output_adopt(&copy);
    app_output_discard(&copy);
    CHECK(is_there(made.temporary), "discarded with the copy");
    CHECK(app_output_commit(&made) == APP_DONE && is_there(made.name), "%s", made.name);
    app_outputs_remove();
    CHECK(is_there(made.name), "%s went with the temporary files", made.name);
    unlink(made.name);
}

/** The stream's first write fails, all others are done. */
static ssize_t fail_once(void *cookie, const char *data, size_t bytes) {
    int *failed = cookie;
    (void)data;
    if (*failed == 0) {
        *failed = 1;
        errno = ENOSPC;
        return 0;
    }
    return (ssize_t)bytes;
}

/** A block of a report that could not be written is found when the stream is closed, also where the call that wrote it
 *  said that all is well. */
static void lost_block(void) {
    static const cookie_io_functions_t functions = {.write = fail_once};
    int unnoticed = 0;
    for (int length = BUFSIZ - 64; length < BUFSIZ; length++) {
        static char text[BUFSIZ];
        int failed = 0;
        FILE *file = fopencookie(&failed, "w", functions);
        memset(text, 'x', (size_t)length);
        text[length] = '\0';
        json_t *report = json_pack("{ss si}", "a", text, "a longer name of a member", 1);
        unnoticed += json_dumpf(report, file, 0) == 0;
        const int why = base_close(file);
        CHECK(failed && why != 0, "%d bytes: the lost block is said to be written", length);
        json_decref(report);
    }
    CHECK(unnoticed > 0, "json_dumpf() notices each lost block: the test shows nothing");
}

int main(void) {
    lost_block();
    all_of_a_solve();
    adopted(0);
    adopted(1);
    forgotten();
    return check_result();
}
