/* psg_last_error_detail() names the line of the sources that wrote the words, also where a task of a solve failed. */
#include "graph/psg.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <dlfcn.h>
#include <errno.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

static int refuses; /* StarPU takes no task */

/* Instead of StarPU's own: the library's calls come here. The brackets keep StarPU's macro away. */
__attribute__((visibility("default"))) int(starpu_task_submit)(struct starpu_task *task) {
    int (*own)(struct starpu_task *) = NULL;
    *(void **)&own = dlsym(RTLD_NEXT, "starpu_task_submit");
    return refuses ? -ENODEV : own(task);
}

/** Is `call` in line `line` of the file, or in the few before it: a call may have several? */
static int has_call(const char *path, int line, const char *call) {
    char text[512];
    int found = 0;
    FILE *file = fopen(path, "r");
    for (int l = 1; file && l <= line && fgets(text, sizeof text, file); l++) {
        found |= l > line - 4 && strstr(text, call) != NULL;
    }
    if (file) {
        fclose(file);
    }
    return found;
}

/** The latest words, behind `file`, and a line with the call that keeps words. */
static void expect(const char *file, const char *call) {
    char path[1024];
    const char *detail = psg_last_error_detail();
    const size_t length = strlen(file);
    char *end = NULL;
    if (!CHECK(strncmp(detail, file, length) == 0 && detail[length] == ':', "not of %s: %s", file,
               detail)) {
        return;
    }
    const long line = strtol(detail + length + 1, &end, 10);
    CHECK(strncmp(end, ": ", 2) == 0 && strcmp(end + 2, psg_last_error()) == 0,
          "the words are '%s', and the detail '%s'", psg_last_error(), detail);
    snprintf(path, sizeof path, "%s/%s", PSG_SOURCE_DIR, file);
    CHECK(has_call(path, (int)line, call), "no call of %s there: %s", call, detail);
}

int main(void) {
    double f[4 * 4 * 4] = {0};
    double u[4 * 4 * 4];
    psg_plan *plan = NULL;
    psg_options options = harness_options(PSG_F64);
    options.segment_planes = 2; /* tasks of StarPU's, one for each step */
    CHECK(psg_last_error_detail()[0] == '\0', "before any failure: %s", psg_last_error_detail());

    psg_grid grid = harness_box(0, 4, 4, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG);
    expect("graph/options.c", "psg_fail(");

    psg_grid_init(&grid, 4, 4, 4, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    CHECK(psg_last_error_detail()[0] == '\0', "after a success: %s", psg_last_error_detail());
    refuses = 1;
    CHECK_STATUS(psg_solve(plan, f, u), PSG_ERR_RUNTIME);
    expect("runtime/task.c", "psg_run_fail(");
    refuses = 0;
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    psg_plan_destroy(plan);
    return check_result();
}
