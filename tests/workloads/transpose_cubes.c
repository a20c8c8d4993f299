/* transpose has every element of a 3-D array where it belongs, for all six orders of its axes, in
 * another array and in place, of f32, f64 and complex numbers: for cubes of all sides from 1 to 70
 * and for arrays of 300 random sizes, with tiles that divide them or do not. The environment's
 * PSG_TEST_GPUS and PSG_TEST_CPUS choose GPUs. */
#include "tests/workloads/runs.h"
#include "workloads/random.h"

static const char *const orders[] = {"xyz", "yxz", "xzy", "yzx", "zxy", "zyx"};
enum { ORDERS = 6, TYPES = 3, SIDE_MOST = 70, RANDOM_SIZES = 300 };
static uint64_t number = RANDOM_SEED;

static size_t random_below(size_t end) {
    number = random_next(number);
    return (size_t)(random_real(number) * (double)end);
}

static void one(const size_t n[3], int order, int type, int in_place, size_t tile) {
    psg_options options = harness_options(type == 0 ? PSG_F32 : PSG_F64);
    options.cpus = options.gpus == 0 ? 1 : options.cpus; /* a task is soon done */
    const workload_options how = {.tile = tile};
    char name[96];
    (void)snprintf(name, sizeof name, "transpose:%zux%zux%zu:%s%s%s", n[0], n[1], n[2],
                   orders[order], type == 2 ? ":complex" : "", in_place ? ":inplace" : "");
    RUNS workload *work = runs_make(name, &how, &options);
    runs_all_right(work, (double)n[0] * (double)n[1] * (double)n[2]);
}

/** @param[in] tile  at most the longest side */
static void all(const size_t n[3], size_t tile) {
    for (int m = 0; m < ORDERS * TYPES * 2; m++) {
        one(n, m % ORDERS, m / ORDERS % TYPES, m / ORDERS / TYPES, tile);
    }
}

int main(void) {
    psg_options options = harness_options(PSG_F64);
    options.cpus = options.gpus == 0 ? 1 : options.cpus;
    RUNS workload *keeps_the_runtime = runs_make("vadd:1", NULL, &options);
    for (size_t side = 1; side <= SIDE_MOST; side++) {
        const size_t n[3] = {side, side, side};
        all(n, 1 + side * (2 + side % 4) / 6);
    }
    for (int m = 0; m < RANDOM_SIZES; m++) {
        const size_t n[3] = {1 + random_below(SIDE_MOST), 1 + random_below(SIDE_MOST),
                             1 + random_below(SIDE_MOST)};
        const size_t longer = n[0] > n[1] ? n[0] : n[1], longest = longer > n[2] ? longer : n[2];
        const size_t least = longest / 4; /* few tiles */
        const size_t tile = 1 + least + random_below(longest - least);
        for (int order = 0; order < ORDERS; order++) {
            one(n, order, m % TYPES, m / TYPES % 2, tile);
        }
    }
    CHECK_STATUS(workload_run(keeps_the_runtime), PSG_OK);
    return check_result();
}
