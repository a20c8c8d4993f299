/* StarPU's start and stop, and what is asked of it. */
#include "graph/start.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "graph/options.h"
#include "graph/policy.h"
#include "graph/psg_machine.h"
#include "graph/recorded.h"
#include "graph/status.h"
#include "runtime/c_locale.h"
#include "runtime/device.h"
#include "runtime/node.h"
#include "runtime/simulation.h"
#include "runtime/starpu_environment.h"
#include "runtime/starpu_home.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether StarPU's workers rest; under a lock of its own, which nobody holds for long. */
typedef struct rest_state {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool ours;       /* StarPU was started here, and rests */
    bool paused;     /* it does */
    bool soon;       /* a worker is to stay, and then let all rest */
    unsigned needed; /* what keeps workers awake: solves in flight, and plans with slab handles */
    unsigned turn;   /* how often that has changed */
} rest_state;

/* The StarPU of the process; under the lock. */
typedef struct process_state {
    pthread_mutex_t lock;
    rest_state rest;
    bool calibrating;  /* ours measures tasks for its models */
    unsigned acquired; /* psg_runtime_acquire() not yet released */
} process_state;

static process_state process = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .rest = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER}};

/* Under the lock of the rest. Whoever stays for the next run leaves. */
static void set_paused(rest_state *r, bool paused) {
    if (r->ours && r->paused != paused) {
        (paused ? starpu_pause : starpu_resume)();
    }
    r->paused = r->ours && paused;
    r->turn++;
    r->soon = false;
    (void)pthread_cond_broadcast(&r->moved);
}

/* An idle StarPU worker polls, and takes its core from whatever the host program computes
 * between two solves. So a StarPU of our own rests while nothing needs it; one of the host's is
 * left alone. */
void psg_runtime_awake(void) {
    rest_state *r = &process.rest;
    pthread_mutex_lock(&r->lock);
    if (r->needed++ == 0) {
        set_paused(r, false);
    }
    pthread_mutex_unlock(&r->lock);
}

void psg_runtime_rest(void) {
    rest_state *r = &process.rest;
    pthread_mutex_lock(&r->lock);
    if (--r->needed == 0) {
        set_paused(r, true);
    }
    pthread_mutex_unlock(&r->lock);
}

/* To wake many workers takes longer than a small solve: each of them waits for the one before it.
 * The thread that waits, which no worker is, cannot stay. */
void psg_runtime_rest_soon(void) {
    rest_state *r = &process.rest;
    pthread_mutex_lock(&r->lock);
    if (--r->needed == 0) {
        r->soon = r->ours && starpu_worker_get_id() >= 0;
        if (!r->soon) {
            set_paused(r, true);
        }
    }
    pthread_mutex_unlock(&r->lock);
}

void psg_runtime_stay(void *unused) {
    rest_state *r = &process.rest;
    (void)unused;
    pthread_mutex_lock(&r->lock);
    if (r->soon) {
        r->soon = false;
        const struct timespec until = base_after(CLOCK_REALTIME, TUNING_MEMBER_LINGERS);
        const unsigned turn = r->turn;
        int late = 0;
        while (r->turn == turn && late == 0) {
            late = pthread_cond_timedwait(&r->moved, &r->lock, &until);
        }
        if (r->turn == turn) {
            set_paused(r, true);
        }
    }
    pthread_mutex_unlock(&r->lock);
}

psg_status psg_room_check(const char *what, double bytes) {
    const double all = bytes + TUNING_ROOM_BYTES;
    return psg_platform->fits(all)
               ? PSG_OK
               : psg_fail(
                     PSG_ERR_MEMORY,
                     "out of memory: %s takes %.0f bytes (%.3g GB), and they cannot be had now",
                     what, all, all * 1e-9);
}

/* The GPUs to start with. */
typedef struct gpu_list {
    int count;
    int id[STARPU_MAXCUDADEVS]; /* device numbers */
    bool listed;     /* StarPU has to be told which they are: not simply the first ones */
    char words[192]; /* why not all that were wanted; or "" */
} gpu_list;

/* What StarPU is to start with. It stops the process over variables that it cannot read, so they
 * are checked before. */
static psg_status configure(struct starpu_conf *conf, const psg_options *options,
                            const gpu_list *gpus, const psg_share *share, const char *advice) {
    if (starpu_conf_init(conf) != 0) {
        return psg_fail(PSG_ERR_RUNTIME, "StarPU's configuration could not be read");
    }
    conf->precedence_over_environment_variables = 1;
    conf->ncpus = options->cpus;
    if (options->cpus < 0 && gpus->count > 0 && !psg_options_want_cores(options)) {
        conf->ncpus = 0; /* the GPUs take all tasks */
    }
    conf->ncuda = gpus->count;
    conf->use_explicit_workers_cuda_gpuid = gpus->listed && gpus->count > 0;
    for (int g = 0; g < gpus->count; g++) {
        conf->workers_cuda_gpuid[g] = (unsigned)gpus->id[g];
    }
    if (conf->ncpus < 0 && share->cores >= TUNING_CORES_TO_SPARE_ONE) {
        conf->reserve_ncpus = 1;
    }
    conf->nopencl = 0;
    conf->nhip = 0;
    conf->catch_signals = 0; /* signals are the host program's */
    conf->sched_policy_name = options->policy;
    if (options->policy == NULL && advice[0] != '\0') {
        conf->sched_policy_name = advice;
    }
    if (options->calibrate != 0) {
        conf->calibrate = options->calibrate;
    }
    return PSG_OK;
}

/* StarPU stops the process if it cannot read a variable or cannot start a thread. So both are
 * checked before. */
static psg_status check_start(const gpu_list *gpus) {
    char words[512];
    const char *policy = psg_policy_environment();
    const bool is_old = policy != NULL && strncmp(policy, "heft", 4) == 0; /* StarPU knows it yet */
    const psg_status status = psg_policy_check(is_old ? NULL : policy, " in STARPU_SCHED");
    if (status == PSG_OK && !psg_starpu_environment(gpus->count, words, sizeof words)) {
        return psg_fail(PSG_ERR_ARG, "%s", words);
    }
    return status;
}

static psg_status check_threads(const struct starpu_conf *conf, const psg_share *share) {
    enum { BESIDE = 4 }; /* StarPU's own, and that for messages */
    char words[512];
    int cores = conf->ncpus >= 0 ? conf->ncpus : share->cores;
    if (conf->ncpus < 0 && cores == 0) {
        psg_share_machine(NULL, 0, &cores);
    }
    cores = cores < STARPU_MAXCPUS ? cores : STARPU_MAXCPUS;
    return psg_starpu_threads(cores + conf->ncuda + BESIDE, words, sizeof words)
               ? PSG_OK
               : psg_fail(PSG_ERR_RUNTIME, "%s", words);
}

static psg_status start_error(int result, const psg_options *options) {
    if (result == -ENODEV) {
        return psg_fail(PSG_ERR_NODEV, "StarPU found no worker to start (cpus = %d, gpus = %d)",
                        options->cpus, options->gpus);
    }
    return result == 0 ? PSG_OK
                       : psg_fail(PSG_ERR_RUNTIME, "StarPU did not start: %s", strerror(-result));
}

/* StarPU's first user, on a machine. */
static psg_status start_first(struct starpu_conf *conf, const psg_options *options,
                              const psg_share *share) {
    char words[1024];
    char cache[3584];
    psg_status status = check_threads(conf, share);
    status = status == PSG_OK ? psg_room_check("StarPU", 0) : status;
    if (status != PSG_OK) {
        return status;
    }
    if (psg_cache_folder(options, 0, cache, sizeof cache) != PSG_OK) {
        cache[0] = '\0';
    }
    if (!psg_starpu_home_enter(cache, words, sizeof words)) {
        return psg_fail(PSG_ERR_RUNTIME, "%s", words);
    }
    const int result = starpu_init(conf);
    psg_starpu_home_leave(result == 0);
    return start_error(result, options);
}

/* StarPU counts its users itself, so joining one that runs is the same call as starting it. All
 * plans together are one of them: StarPU on SimGrid breaks where a program asks twice.
 * @param[in] running  it was started by others */
static psg_status start(const psg_options *options, const gpu_list *gpus, const psg_share *share,
                        const char *advice, bool running) {
    struct starpu_conf conf;
    const int device = psg_device_current(-1); /* StarPU changes it while it measures links */
    const psg_c_locale locale = psg_c_locale_begin(); /* for the files that StarPU reads */
    psg_status status = check_start(gpus);
    if (status == PSG_OK) {
        status = configure(&conf, options, gpus, share, advice);
    }
    if (gpus->count > 0) {
        /* StarPU would take small data out of chunks, which stay as long as a piece of them is in
         * use: where data come and go, a task could wait for ever for room that pieces hold. */
        (void)setenv("STARPU_SUBALLOCATOR", "0", 0);
    }
    if (status == PSG_OK && (running || !psg_platform->threads)) {
        status = start_error(starpu_init(&conf), options);
    } else if (status == PSG_OK) {
        const size_t stack = psg_starpu_stacks(0);
        status = start_first(&conf, options, share);
        (void)psg_starpu_stacks(stack);
    }
    psg_c_locale_end(locale);
    (void)psg_device_current(device);
    return status;
}

/* Asking StarPU is the only way to know: its environment variable STARPU_SCHED beats what a
 * program says. */
static psg_status check_policy(const psg_options *options, bool running) {
    const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    const char *name = policy != NULL && policy->policy_name != NULL ? policy->policy_name : "";
    if (options->policy == NULL || strcmp(options->policy, name) == 0) {
        return PSG_OK;
    }
    return psg_fail(PSG_ERR_STATE, "policy '%s' was asked for, and StarPU %s with '%s'",
                    options->policy,
                    running ? "runs already" : "starts, by STARPU_SCHED in the environment,", name);
}

/* The StarPU that runs was configured by somebody else, or by a plan before this one. */
static psg_status check_running(const psg_options *options) {
    const unsigned cpus = starpu_cpu_worker_get_count();
    if (options->cpus >= 0 && (unsigned)options->cpus > cpus) {
        return psg_fail(PSG_ERR_STATE,
                        "StarPU runs already, with %u CPU workers and not the %d asked for", cpus,
                        options->cpus);
    }
    const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    if (options->cpus > 0 && (unsigned)options->cpus < cpus && policy != NULL &&
        policy->policy_name != NULL && strcmp(policy->policy_name, "heteroprio") == 0) {
        return psg_fail(PSG_ERR_STATE,
                        "StarPU runs already, with %u CPU workers and not the %d asked for, and "
                        "its policy heteroprio loses count of tasks that are not for all of them",
                        cpus, options->cpus);
    }
    if (options->gpus > 0 && (unsigned)options->gpus != starpu_cuda_worker_get_count()) {
        return psg_fail(PSG_ERR_STATE,
                        "StarPU runs already, with %u CUDA workers and not the %d asked for",
                        starpu_cuda_worker_get_count(), options->gpus);
    }
    if (options->calibrate != 0 && !process.calibrating) {
        return psg_fail(PSG_ERR_STATE, "StarPU runs already, and was not started to calibrate");
    }
    int id[STARPU_NMAXWORKERS];
    (void)starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, id, STARPU_NMAXWORKERS);
    for (int g = 0; options->gpu_ids != NULL && g < options->gpus; g++) {
        if (starpu_worker_get_devid(id[g]) != options->gpu_ids[g]) {
            return psg_fail(PSG_ERR_STATE,
                            "StarPU runs already, with GPU %d and not the %d asked for",
                            starpu_worker_get_devid(id[g]), options->gpu_ids[g]);
        }
    }
    return PSG_OK;
}

/* Which GPUs the options come to on this machine. */
static psg_status choose_gpus(const psg_options *options, psg_share *share, gpu_list *gpus) {
    char *words = gpus->words;
    const int there = options->gpus != 0 ? psg_device_count(words, sizeof gpus->words) : 0;
    const int usable = there < STARPU_MAXCUDADEVS ? there : STARPU_MAXCUDADEVS;
    gpus->count = options->gpus;
    psg_share_gpus(share, usable, &gpus->count);
    if (gpus->count > usable) {
        return psg_fail(PSG_ERR_NODEV, "gpus = %d, and there are %d here that can be used%s%s",
                        gpus->count, usable, words[0] != '\0' ? ": " : "", words);
    }
    for (int g = 0; options->gpu_ids != NULL && g < options->gpus; g++) {
        if (options->gpu_ids[g] < 0 || options->gpu_ids[g] >= there) {
            return psg_fail(PSG_ERR_NODEV, "there is no GPU number %d here", options->gpu_ids[g]);
        }
        for (int before = 0; before < g; before++) {
            if (options->gpu_ids[before] == options->gpu_ids[g]) {
                return psg_fail(PSG_ERR_ARG, "GPU %d was asked for twice", options->gpu_ids[g]);
            }
        }
    }
    gpus->listed = options->gpu_ids != NULL || share->ranks > 1;
    for (int g = 0; g < gpus->count; g++) {
        gpus->id[g] = options->gpu_ids != NULL && options->gpus > 0 ? options->gpu_ids[g]
                                                                    : share->first_gpu + g;
    }
    if (options->cpus > STARPU_MAXCPUS) {
        return psg_fail(PSG_ERR_ARG, "cpus = %d, and StarPU was built for at most %d",
                        options->cpus, STARPU_MAXCPUS);
    }
    const psg_machine *simulated = psg_simulation_machine();
    if (simulated != NULL && options->cpus > (int)simulated->cpus) {
        return psg_fail(PSG_ERR_ARG, "cpus = %d, and machine %s has %u", options->cpus,
                        simulated->name, simulated->cpus);
    }
    return PSG_OK;
}

/* StarPU aborts where it cannot begin on a GPU, so that is tried before: one that was asked for
 * has to do, others are left out. */
static psg_status open_gpus(const psg_options *options, gpu_list *gpus) {
    int kept = 0;
    for (int g = 0; g < gpus->count; g++) {
        char words[128];
        if (psg_devices->open(gpus->id[g], words, sizeof words)) {
            gpus->id[kept++] = gpus->id[g];
            continue;
        }
        (void)snprintf(gpus->words, sizeof gpus->words, "GPU %d: %s", gpus->id[g], words);
        if (options->gpus > 0) {
            return psg_fail(PSG_ERR_NODEV, "a GPU cannot be used: %s", gpus->words);
        }
        gpus->listed = true;
    }
    gpus->count = kept;
    return PSG_OK;
}

psg_status psg_runtime_simulate(const char *machine) {
    char words[640];
    if (psg_simulator == NULL) {
        return PSG_OK;
    }
    if (machine == NULL && psg_simulation_machine() == NULL) {
        machine = getenv("PSG_MACHINE");
    }
    if (psg_simulation_machine() == NULL && (machine == NULL || machine[0] == '\0')) {
        return psg_fail(PSG_ERR_ARG,
                        "no machine to simulate: set options.machine, or PSG_MACHINE in "
                        "the environment");
    }
    if (psg_simulation_begin(machine, words, sizeof words)) {
        return PSG_OK;
    }
    char names[256] = "";
    if (psg_simulation_machine() == NULL && access(machine, F_OK) != 0) {
        psg_recorded_names(names, sizeof names);
    }
    return psg_fail(PSG_ERR_ARG, "machine to simulate: %s%s%s", words,
                    names[0] != '\0' ? "; there are:" : "", names);
}

/* A StarPU of our own rests as soon as it runs, and is left awake in the end. */
static void set_ours(bool ours) {
    rest_state *r = &process.rest;
    pthread_mutex_lock(&r->lock);
    r->ours = true;
    set_paused(r, ours);
    r->ours = ours;
    pthread_mutex_unlock(&r->lock);
}

/* Under the lock. With the last of our plans gone, workers are left awake for whoever joined
 * meanwhile. */
static void stop(void) {
    if (--process.acquired == 0) {
        const psg_c_locale locale = psg_c_locale_begin(); /* for the models that StarPU writes */
        const bool ours = process.rest.ours;
        set_ours(false);
        if (ours) {
            psg_starpu_home_stopping();
        }
        psg_simulation_stopping();
        starpu_shutdown();
        if (ours) {
            psg_starpu_home_stopped();
        }
        process.calibrating = false;
        psg_simulation_end();
        psg_c_locale_end(locale);
    }
}

/* Under the lock. */
static psg_status acquire(const psg_options *options, psg_share *share, const char *advice) {
    gpu_list gpus = {.count = 0};
    psg_status status = psg_runtime_simulate(options->machine);
    if (status != PSG_OK) {
        return status;
    }
    const bool running = starpu_is_initialized() != 0;
    status = choose_gpus(options, share, &gpus);
    if (status == PSG_OK && !running) {
        status = open_gpus(options, &gpus);
    }
    if (status == PSG_OK && options->cpus == 0 && gpus.count == 0) {
        status = psg_fail(PSG_ERR_NODEV, "cpus = 0, and there is no GPU here that can be used%s%s",
                          gpus.words[0] != '\0' ? ": " : "", gpus.words);
    }
    if (status == PSG_OK && process.acquired == 0) {
        status = start(options, &gpus, share, running ? "" : advice, running);
    }
    psg_simulation_end();
    if (status != PSG_OK) {
        return status;
    }
    process.acquired++;
    if (!running) {
        process.calibrating = options->calibrate != 0;
        if (psg_platform->threads) { /* else idle workers take nobody's core */
            set_ours(true);
        }
    } else {
        status = check_running(options);
    }
    if (status == PSG_OK) {
        status = check_policy(options, running);
    }
    if (status == PSG_OK) {
        starpu_profiling_status_set(STARPU_PROFILING_ENABLE); /* the statistics live on it */
    } else {
        stop();
    }
    return status;
}

psg_status psg_runtime_acquire(const psg_options *options, psg_comm *comm, const char *advice) {
    psg_share share;
    psg_share_enter(&share,
                    psg_platform->threads ? comm : NULL); /* simulated nodes share no cores */
    pthread_mutex_lock(&process.lock);
    psg_status status = acquire(options, &share, advice);
    if (status == PSG_OK && comm != NULL && !psg_comms->start(comm)) {
        status = psg_fail(PSG_ERR_RUNTIME, "no thread could be had for messages");
        stop();
    }
    pthread_mutex_unlock(&process.lock);
    psg_share_leave(&share);
    return status;
}

void psg_runtime_release(psg_comm *comm) {
    if (comm != NULL) {
        psg_comms->stop(comm);
    }
    pthread_mutex_lock(&process.lock);
    stop();
    pthread_mutex_unlock(&process.lock);
}

psg_status psg_starpu_folder(char *folder, size_t size, char *why, size_t why_size) {
    psg_clear_error();
    if (folder == NULL || why == NULL) {
        return psg_fail(PSG_ERR_ARG, "folder or why is NULL");
    }
    pthread_mutex_lock(&process.lock);
    psg_starpu_home_folder(folder, size, why, why_size);
    pthread_mutex_unlock(&process.lock);
    return PSG_OK;
}
