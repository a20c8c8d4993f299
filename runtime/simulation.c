/* What is known of the simulated machine; without one all costs are 0. */
#include "runtime/simulation.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runtime/machine_times.h"
#include "runtime/step_list.h"

#include <math.h>
#include <stdio.h>

const psg_simulator_table *const psg_simulator = PSG_SIMULATE ? &psg_simgrid : NULL;

static double simulated_now(void) {
    return starpu_is_initialized() ? starpu_timing_now() * 1e-6 : 0;
}

static bool always_fits(double bytes) {
    (void)bytes;
    return true;
}

static const psg_platform_table present = {
    .computes = true, .threads = true, .now = base_now, .fits = base_memory_fits};
static const psg_platform_table simulated = {.now = simulated_now, .fits = always_fits};

const psg_platform_table *const psg_platform = PSG_SIMULATE ? &simulated : &present;

/* The process can have one: SimGrid keeps it. Set by the thread that starts StarPU. */
static const psg_machine *machine;
static uint64_t seed; /* of times that spread */

const psg_machine *psg_simulation_machine(void) {
    return machine;
}

bool psg_simulation_begin(const char *name, char *words, size_t size) {
    if (psg_simulator == NULL) {
        (void)snprintf(words, size, "the library was not built for simulation");
        return false;
    }
    return psg_simulator->begin(name, &machine, &seed, words, size);
}

void psg_simulation_stopping(void) {
    if (psg_simulator != NULL) {
        psg_simulator->stopping();
    }
}

void psg_simulation_end(void) {
    if (psg_simulator != NULL) {
        psg_simulator->end();
    }
}

/* ---------------------------------------------------------------------------------- costs */

bool psg_simulation_network(double asked, double *rate, double *seconds) {
    *rate = *seconds = 0;
    if (machine == NULL) {
        return false;
    }
    *rate = asked > 0 ? asked : machine->link[PSG_MACHINE_NETWORK].bytes_per_second;
    *seconds = machine->link[PSG_MACHINE_NETWORK].seconds;
    return *rate > 0;
}

void psg_simulation_submit(size_t pieces) {
    const double seconds =
        machine != NULL ? machine->submit.piece * (double)pieces + machine->submit.task : 0;
    if (seconds > 0) {
        starpu_sleep((float)seconds);
    }
}

static double gap_before(const psg_task_args *args) {
    const psg_task_shape shape = psg_task_shape_of(args);
    return machine->gap.piece * (double)shape.pieces + machine->gap.task;
}

double psg_simulation_gap(const psg_task_args *args) {
    const int worker = machine != NULL ? starpu_worker_get_id() : -1;
    const bool gpu = worker >= 0 && starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
    return gpu ? gap_before(args) : 0;
}

/* splitmix64 by S. Vigna: numbers that follow one another become such that have nothing in common.
 */
static uint64_t mixed(uint64_t number) {
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
}

/* Above 0, and at most 1. */
static double uniform(uint64_t number) {
    return ((double)(mixed(number) >> 11) + 0.5) * 0x1p-53;
}

/* By Box and Muller. */
static double normal(uint64_t number) {
    const double pi = 3.14159265358979323846;
    return sqrt(-2 * log(uniform(number))) * cos(2 * pi * uniform(~number));
}

bool psg_simulation_on_gpus(int kind, psg_task_precision precision) {
    const psg_task_shape shape = {.kind = kind, .precision = precision};
    return !psg_kind_at(kind)->cores ||
           (machine != NULL &&
            (psg_kind_at(kind)->seconds != NULL || psg_machine_knows(machine, true, &shape)));
}

/* Of all tasks like it, in the mean. */
static double mean_seconds(const psg_task_args *args, bool gpu, double *spread) {
    const psg_kind *kind = psg_kind_at(args->label.kind);
    if (kind->seconds != NULL) {
        return kind->seconds(args->run->engine->owner, &args->label, gpu);
    }
    const psg_task_shape shape = psg_task_shape_of(args);
    const double seconds = machine != NULL ? psg_machine_seconds(machine, gpu, &shape, spread) : 0;
    if (gpu || seconds <= 0 || kind->traffic == NULL) {
        return seconds;
    }
    const psg_traffic t = kind->traffic(args->run->engine->owner, &args->label);
    return psg_machine_shared(machine, seconds, t.reads + t.writes, args->run->engine->cores);
}

double psg_simulation_seconds(const psg_task_args *args, int gpu, int worker) {
    double spread = 0;
    const double mean = mean_seconds(args, gpu >= 0, &spread) /
                        (machine != NULL ? psg_machine_speed(machine, gpu) : 1);
    if (worker < 0 || spread <= 0) {
        return mean;
    }
    const double s = sqrt(log1p(spread * spread));
    const double z = normal(mixed(mixed(seed) ^ args->run->number) ^ (uint64_t)worker);
    return mean * exp(s * z - 0.5 * s * s);
}

double psg_simulation_task(const psg_task_args *args, int worker) {
    const bool gpu = starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
    const bool can = !gpu || psg_simulation_on_gpus(args->label.kind, args->run->engine->precision);
    return can ? psg_simulation_seconds(args, gpu ? starpu_worker_get_devid(worker) : -1, worker)
               : 0;
}

static double chain_seconds(const psg_step_list *chain, int gpu, int worker) {
    double seconds = 0;
    for (size_t s = 0; s < chain->steps; s++) {
        seconds += psg_simulation_seconds(&chain->step[s].args, gpu, worker);
    }
    return seconds;
}

double psg_simulation_cost(struct starpu_task *task, struct starpu_perfmodel_arch *arch,
                           unsigned implementation) {
    (void)implementation;
    const psg_task_args *args = task->cl_arg;
    const bool on_gpu = arch->devices[0].type == STARPU_CUDA_WORKER;
    const int gpu = on_gpu ? arch->devices[0].devid : -1;
    const int worker = starpu_task_get_current() == task ? starpu_worker_get_id() : -1;
    const double least = args->chain != NULL ? 0 : machine->least[on_gpu];
    const double seconds = args->chain != NULL ? chain_seconds(args->chain, gpu, worker)
                                               : psg_simulation_seconds(args, gpu, worker);
    const double gap = on_gpu ? gap_before(args) : 0;
    return seconds > 0 ? (fmax(seconds, least) + gap) * 1e6 : NAN;
}
