/* GPUs that cannot be used when StarPU is to start: an error with CUDA's words if they were asked
 * for, else the cores solve. Needs no GPU. */
#include "tests/check.h"
#include "tests/gpu/faults.h"
#include "tests/harness.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#define NX 9
#define NY 8
#define NZ 7
#define POINTS ((size_t)NX * NY * NZ)

typedef struct circumstance {
    const char *name;
    struct {
        const char *call;
        int code;
    } fault[4];
    const char *words; /* NULL: those of the last fault's code */
} circumstance;

static const circumstance circumstances[] = {
    {"no driver, or one too old", {{"cudaGetDeviceCount", cudaErrorInsufficientDriver}}, NULL},
    {"no device", {{"cudaGetDeviceCount", cudaErrorNoDevice}}, ""},
    {"a driver that does not begin", {{"cudaGetDeviceCount", cudaErrorInitializationError}}, NULL},
    {"a system that is not ready", {{"cudaGetDeviceCount", cudaErrorSystemNotReady}}, NULL},
    {"devices that are busy",
     {{"devices", 2}, {"cudaSetDevice", cudaErrorDevicesUnavailable}},
     NULL},
    {"no memory to begin on a device",
     {{"devices", 2}, {"cudaSetDevice", cudaErrorMemoryAllocation}},
     NULL},
    {"a device that fails at once",
     {{"devices", 1}, {"cudaSetDevice", FAULTS_PRETEND}, {"cudaFree", cudaErrorECCUncorrectable}},
     NULL},
    {"a device that does not tell its memory",
     {{"devices", 1},
      {"cudaSetDevice", FAULTS_PRETEND},
      {"cudaFree", FAULTS_PRETEND},
      {"cudaMemGetInfo", cudaErrorUnknown}},
     NULL},
    {"a device that is full",
     {{"devices", 1}, {"cudaSetDevice", FAULTS_PRETEND}, {"cudaFree", FAULTS_PRETEND}, {"free", 5}},
     "5 of its 102400 MB of memory are free"},
};

static const char *inject(const circumstance *c) {
    int code = 0;
    faults_clear();
    for (int m = 0; m < 4 && c->fault[m].call; ++m) {
        code = c->fault[m].code;
        CHECK(faults_add(c->fault[m].call, code, 1, 0) == 0, "%s cannot fail", c->fault[m].call);
    }
    return c->words ? c->words : cudaGetErrorString((cudaError_t)code);
}

static psg_options options_of(int cpus, int gpus) {
    psg_options options = harness_options(PSG_F64);
    options.cpus = cpus;
    options.gpus = gpus;
    return options;
}

static void refused(const circumstance *c, int cpus, int gpus) {
    const char *words = inject(c);
    psg_options options = options_of(cpus, gpus);
    psg_plan *plan = NULL;
    psg_grid grid = harness_box(NX, NY, NZ, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_ERR_NODEV);
    CHECK(plan == NULL, "%s, cpus %d, gpus %d: *plan was set", c->name, cpus, gpus);
    CHECK(strstr(psg_last_error(), words), "%s, cpus %d, gpus %d: '%s' is not in the words: %s",
          c->name, cpus, gpus, words, psg_last_error());
    CHECK(faults_failed() > 0, "%s, cpus %d, gpus %d: nothing failed", c->name, cpus, gpus);
    psg_plan_destroy(plan);
}

static void left_out(const circumstance *c) {
    static double f[POINTS], u[POINTS], want[POINTS];
    const oracle_grid box = oracle_grid_make(NX, NY, NZ, 1, 1, 1);
    (void)inject(c);
    psg_options options = options_of(2, -1);
    psg_grid grid = harness_grid(&box);
    oracle_random(5, POINTS, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    CHECK_CLOSE(u, want, NX, NY, NZ, 1e-12, "%s", c->name);
    CHECK(faults_failed() > 0, "%s, and GPUs left out: nothing failed", c->name);
}

int main(void) {
    setenv("PSG_TEST_GPUS", "0", 1);
    for (size_t m = 0; m < sizeof circumstances / sizeof *circumstances; ++m) {
        printf("%s\n", circumstances[m].name);
        fflush(stdout);
        refused(&circumstances[m], 2, 1);
        refused(&circumstances[m], 0, 1);
        refused(&circumstances[m], 0, -1);
        left_out(&circumstances[m]);
    }
    return check_result();
}
