/* Every status, stage, component and policy has its words, and each thread its own latest error. */
#include "graph/psg.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "tests/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void statuses(void) {
    for (int s = 0; s < PSG_STATUS_COUNT; ++s) {
        const char *words = psg_status_string((psg_status)s);
        CHECK(words && strlen(words) > 1 && strcmp(words, "unknown status") != 0, "status %d: %s",
              s, words ? words : "(NULL)");
        for (int t = 0; t < s; ++t) {
            CHECK(strcmp(words, psg_status_string((psg_status)t)) != 0, "status %d and %d: %s", s,
                  t, words);
        }
    }
    CHECK(strcmp(psg_status_string(PSG_STATUS_COUNT), "unknown status") == 0, "past the last: %s",
          psg_status_string(PSG_STATUS_COUNT));
    CHECK(strcmp(psg_status_string((psg_status)-1), "unknown status") == 0, "-1: %s",
          psg_status_string((psg_status)-1));
}

static void stages(void) {
    static const char *const names[PSG_STAGE_COUNT] = {
        "fft_xy",  "pack",      "unpack",     "fft_z",      "divide",     "ifft_z",
        "ifft_xy", "normalize", "forward_xy", "kspace",     "inverse_xy", "exchange",
        "edge",    "gradient",  "gradient_z", "gradient_xy"};
    for (int s = 0; s < PSG_STAGE_COUNT; ++s) {
        const char *name = psg_stage_name((psg_stage)s);
        CHECK(name && strcmp(name, names[s]) == 0, "stage %d is %s instead of %s", s,
              name ? name : "(NULL)", names[s]);
    }
    CHECK(psg_stage_name(PSG_STAGE_MOST) == NULL, "past the last stage");
    CHECK(psg_stage_name((psg_stage)-1) == NULL, "stage -1");
}

static void components(void) {
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", PSG_VERSION_MAJOR, PSG_VERSION_MINOR,
             PSG_VERSION_PATCH);
    for (int c = 0; c < PSG_COMPONENT_COUNT; ++c) {
        const char *name = psg_component_name((psg_component)c);
        const char *words = psg_component_version((psg_component)c);
        CHECK(name && *name, "component %d has no name", c);
        const char *number = words ? strpbrk(words, "0123456789") : NULL;
        CHECK(words == NULL || (number && strchr(number, '.')), "version of %s is %s",
              name ? name : "?", words ? words : "?");
        CHECK(words == NULL || number == words || c == PSG_COMPONENT_MPI, "%s: %s",
              name ? name : "?", words ? words : "?");
        CHECK(words != NULL || c == PSG_COMPONENT_CUDA || c == PSG_COMPONENT_MPI ||
                  c == PSG_COMPONENT_LAPACK,
              "%s has no version", name ? name : "?");
    }
    const char *ours = psg_component_version(PSG_COMPONENT_PSG);
    CHECK(ours && strcmp(ours, version) == 0, "psg is %s, its header %s", ours ? ours : "?",
          version);
    const char *starpu = psg_component_version(PSG_COMPONENT_STARPU);
    CHECK(starpu && strncmp(starpu, "1.", 2) == 0, "StarPU is %s", starpu ? starpu : "?");
    const char *fftw = psg_component_version(PSG_COMPONENT_FFTW);
    CHECK(fftw && strncmp(fftw, "3.", 2) == 0, "FFTW is %s", fftw ? fftw : "?");
    CHECK(psg_component_name(PSG_COMPONENT_COUNT) == NULL, "past the last component");
    CHECK(psg_component_version(PSG_COMPONENT_COUNT) == NULL, "past the last component");
    CHECK(psg_component_version((psg_component)-1) == NULL, "component -1");
}

static void policies(void) {
    static const char *const must[] = {"eager", "lws", "ws", "dmda", "dmdas"};
    size_t count = 0;
    unsigned found = 0;
    for (const char *name; (name = psg_policy_name(count)) != NULL; ++count) {
        const char *description = psg_policy_description(count);
        CHECK(*name && description && *description && !strchr(description, '\n'), "policy %zu, %s",
              count, name);
        for (size_t m = 0; m < sizeof must / sizeof *must; ++m) {
            found |= strcmp(name, must[m]) == 0 ? 1u << m : 0;
        }
    }
    CHECK(found == (1u << sizeof must / sizeof *must) - 1, "of %zu policies, found %#x", count,
          found);
    CHECK(psg_policy_description(count) == NULL, "past the last policy");
    CHECK(psg_policy_name((size_t)-1) == NULL, "policy -1");
    CHECK(psg_policy_description((size_t)-1) == NULL, "policy -1");
}

/** What a thread found in its own words. */
typedef struct report {
    char first[256], failed[256];
} report;

static void *thread(void *argument) {
    report *r = argument;
    snprintf(r->first, sizeof r->first, "%s", psg_last_error());
    psg_wait(NULL);
    snprintf(r->failed, sizeof r->failed, "%s", psg_last_error());
    return NULL;
}

static void last_errors(void) {
    report r;
    pthread_t id;
    char mine[1024];
    psg_plan *plan = NULL;
    psg_options options;
    psg_grid grid;
    CHECK(psg_last_error()[0] == 0, "words before any failure: %s", psg_last_error());
    psg_options_init(&options);
    psg_grid_init(&grid, 4, 4, 4, 1, 1, -3.25);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG);
    snprintf(mine, sizeof mine, "%s", psg_last_error());
    CHECK(strstr(mine, "3.25"), "the words do not say what is wrong: %s", mine);
    if (CHECK(pthread_create(&id, NULL, thread, &r) == 0, "no thread")) {
        pthread_join(id, NULL);
        CHECK(r.first[0] == 0, "another thread's words: %s", r.first);
        CHECK(r.failed[0] != 0 && strcmp(r.failed, mine) != 0, "the thread's own words: %s",
              r.failed);
    }
    CHECK(strcmp(mine, psg_last_error()) == 0, "the words became %s", psg_last_error());
}

int main(void) {
    last_errors();
    statuses();
    stages();
    components();
    policies();
    return check_result();
}
