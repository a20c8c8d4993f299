/* StarPU reads dozens of variables, and stops the process over nonsense in them. The library says which variable it
 * is, and works once it is right. */
#include "tests/child.h"
#include "tests/harness.h"

#include <starpu.h>
#include <string.h>

enum { NX = 8, NY = 8, NZ = 8 };

static psg_status create(const char *policy) {
    psg_options options = harness_with(PSG_F64, "gpus=0");
    psg_plan *plan = NULL;
    options.policy = policy;
    psg_grid grid = harness_box(NX, NY, NZ, 1, 1, 1);
    const psg_status status = psg_plan_create(&plan, &grid, &options);
    CHECK((plan != NULL) == (status == PSG_OK), "status %d with a plan at %p", status,
          (void *)plan);
    if (plan) { /* whose end forgets the words */
        psg_plan_destroy(plan);
    }
    return status;
}

typedef struct variable {
    const char *name;
    const char *value;
} variable;

static void refused(const variable *v) {
    setenv(v->name, v->value, 1);
    CHECK_STATUS(create(NULL), PSG_ERR_ARG);
    CHECK(strstr(psg_last_error(), v->name) != NULL, "%s='%s': %s", v->name, v->value,
          psg_last_error());
    unsetenv(v->name);
}

static void all_refused(const void *argument) {
    static const char *const whole[] = {"STARPU_NCPU",          "STARPU_NCPUS",
                                        "STARPU_NCUDA",         "STARPU_CALIBRATE",
                                        "STARPU_BUS_CALIBRATE", "STARPU_WORKERS_NOBIND",
                                        "STARPU_RESERVE_NCPU",  "STARPU_PREFETCH",
                                        "STARPU_SILENT",        "STARPU_MAIN_THREAD_BIND",
                                        "STARPU_LIMIT_CPU_MEM", "STARPU_LIMIT_CUDA_MEM"};
    static const char *const nonsense[] = {"nonsense", "-1", "1.5", "1 2", "99999999999999999999"};
    static const variable others[] = {
        {"STARPU_CALIBRATE", "3"},        {"STARPU_DISABLE_KERNELS", "1"},
        {"STARPU_NWORKER_PER_CUDA", ""},  {"STARPU_NWORKER_PER_CUDA", "0"},
        {"STARPU_NWORKER_PER_CUDA", "2"}, {"STARPU_WORKERS_CPUID", "nonsense"},
        {"STARPU_WORKERS_CPUID", ""},     {"STARPU_WORKERS_CPUID", "-1"},
        {"STARPU_WORKERS_CPUID", "0 x"},  {"STARPU_WORKERS_CPUID", "99999999999999999999"},
        {"STARPU_WORKERS_COREID", "-"},   {"STARPU_WORKERS_COREID", "1.5"},
        {"STARPU_HOSTNAME", "a/b"},       {"STARPU_SCHED", "nonsense"},
        {"STARPU_SCHED", "help"},         {"STARPU_NTHREADS_PER_CORE", "0"},
    };
    (void)argument;
    for (size_t n = 0; n < sizeof whole / sizeof *whole; ++n) {
        for (size_t m = 0; m < sizeof nonsense / sizeof *nonsense; ++m) {
            const variable v = {whole[n], nonsense[m]};
            const char *before = getenv(v.name) ? strdup(getenv(v.name)) : NULL;
            refused(&v);
            if (before) {
                setenv(v.name, before, 1);
            }
            free((void *)(uintptr_t)before);
        }
    }
    for (size_t n = 0; n < sizeof others / sizeof *others; ++n) {
        refused(&others[n]);
    }
    CHECK_STATUS(create(NULL), PSG_OK);
}

/** The same words, of the option and of the variable. */
static void policy(const void *argument) {
    char words[1024];
    (void)argument;
    CHECK_STATUS(create("nonsense"), PSG_ERR_ARG);
    snprintf(words, sizeof words, "%s", psg_last_error());
    setenv("STARPU_SCHED", "nonsense", 1);
    CHECK_STATUS(create(NULL), PSG_ERR_ARG);
    CHECK(strstr(words, "there are:") &&
              strstr(psg_last_error(), strstr(words, "there are:")) != NULL,
          "%s, and %s", words, psg_last_error());
    setenv("STARPU_SCHED", "eager", 1);
    CHECK_STATUS(create(NULL), PSG_OK);
}

/** What StarPU takes is taken. */
static void accepted(const void *argument) {
    const variable *v = argument;
    setenv(v->name, v->value, 1);
    CHECK_STATUS(create(NULL), PSG_OK);
}

int main(void) {
    static const variable fine[] = {{"STARPU_NCPU", "1"},
                                    {"STARPU_NCPU", ""},
                                    {"STARPU_CALIBRATE", "1"},
                                    {"STARPU_NWORKER_PER_CUDA", "1"},
                                    {"STARPU_WORKERS_CPUID", "0"},
                                    {"STARPU_WORKERS_CPUID", "0-"},
                                    {"STARPU_WORKERS_CPUID", "0,0"},
                                    {"STARPU_WORKERS_COREID", "0 0"},
                                    {"STARPU_SCHED", ""},
                                    {"STARPU_SCHED", "dmda"},
                                    {"STARPU_SCHED_BETA", "1.5"},
                                    {"STARPU_TARBALL", "a.tar.gz"},
                                    {"STARPU_CUDA", "no"},
                                    {"STARPU_MAIN_THREAD_CPUID", "0"},
                                    {"STARPU_NTHREADS_PER_CORE", "1"}};
    CHECK_CHILD(all_refused, NULL, "nonsense");
    CHECK_CHILD(policy, NULL, "policies");
#ifdef STARPU_GOES_ON /* by cmake/starpu-1.4.patch */
    static const variable passed_over[] = {
        {"STARPU_USE_NUMA", "nonsense"},  {"STARPU_SUBALLOCATOR", "-1"},
        {"STARPU_SCHED_BETA", "1,5"},     {"STARPU_IDLE_POWER", "nonsense"},
        {"STARPU_WATCHDOG_CRASH", "1.5"}, {"STARPU_MAX_PRIO", "nonsense"}};
    for (size_t n = 0; n < sizeof passed_over / sizeof *passed_over; ++n) {
        CHECK_CHILD(accepted, &passed_over[n], "%s='%s'", passed_over[n].name,
                    passed_over[n].value);
    }
#endif
    for (size_t n = 0; n < sizeof fine / sizeof *fine; ++n) {
        CHECK_CHILD(accepted, &fine[n], "%s='%s'", fine[n].name, fine[n].value);
    }
    return check_result();
}
