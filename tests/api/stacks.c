/* Threads with small stacks: of 256 KB for one that makes plans and solves, and less by default than StarPU's workers need. The stack of
 * a thread also holds the thread-local variables of all libraries, which may be most of it: 256 KB are beside these. */
#include "tests/check.h"
#include "tests/harness.h"

#include <pthread.h>
#include <stdlib.h>

enum { N = 8, POINTS = N * N * N, BESIDE = 256 << 10, SMALL = 16 << 10, STEP = 4 << 10 };

static void *nothing(void *argument) {
    return argument;
}

/* The least stack of a thread that ends well: the system refuses less than the thread-local variables take. */
static size_t least_stack(void) {
    size_t bytes = SMALL;
    for (int error = 1; error != 0;) {
        bytes += STEP;
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, bytes);
        error = pthread_create(&thread, &attributes, nothing, NULL);
        if (error == 0) {
            pthread_join(thread, NULL);
        }
        pthread_attr_destroy(&attributes);
    }
    return bytes;
}

static void *solve(void *argument) {
    static double f[POINTS], u[POINTS];
    psg_options *options = argument;
    f[1] = 1;
    f[2] = -1;
    psg_grid grid = harness_box(N, N, N, 1, 1, 1);
    DESTROYED psg_plan *plan = harness_plan(&grid, options);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    return NULL;
}

int main(void) {
    psg_options options = harness_options(PSG_F64);
    const size_t least = least_stack();
    size_t after = 0;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, least);
    CHECK(pthread_setattr_default_np(&attributes) == 0, "no default of %zu bytes", least);
    pthread_attr_setstacksize(&attributes, least + BESIDE);
    for (int policy = 0; policy < 2; policy++) {
        options.policy = policy ? "lws" : NULL;
        CHECK(pthread_create(&thread, &attributes, solve, &options) == 0, "no thread");
        pthread_join(thread, NULL);
    }
    pthread_getattr_default_np(&attributes);
    pthread_attr_getstacksize(&attributes, &after);
    CHECK(after == least, "the default is %zu now, and was %zu", after, least);
    pthread_attr_destroy(&attributes);
    return check_result();
}
