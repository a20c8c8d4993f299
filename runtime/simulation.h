/** @file simulation.h  StarPU on SimGrid: tasks take the time that they took on a recorded machine,
 * copies that of its links, and nothing is computed. Without PSG_SIMULATE there is none of it. */
#ifndef PSG_RUNTIME_SIMULATION_H
#define PSG_RUNTIME_SIMULATION_H

#include "runtime/machine.h"

struct psg_task_args;
struct starpu_perfmodel_arch;
struct starpu_task;
struct psg_comm;

/** What the library runs on: the machine that is there, or a simulated one. */
typedef struct psg_platform_table {
    bool computes; /**< tasks run, and arrays have values; else they only take their time */
    bool threads;  /**< workers hold cores of this machine, and work while another thread waits */
    double (*now)(void);        /**< seconds of its clock */
    bool (*fits)(double bytes); /**< can this process have so many more bytes of main memory? */
} psg_platform_table;

extern const psg_platform_table *const psg_platform;

/** What SimGrid does. Copies have their table in device.h, and nodes in comm.h. */
typedef struct psg_simulator_table {
    /** As psg_simulation_begin(). @param[out] machine  what was chosen @param[out] seed  PSG_SEED
     */
    bool (*begin)(const char *name, const psg_machine **machine, uint64_t *seed, char *words,
                  size_t size);
    void (*stopping)(void);
    void (*end)(void);
    /** Call a program's main function within the simulation, after begin; end is included.
     * SimGrid's threads then switch by themselves; a program that it finds running costs it two of
     * the system's switches each time.
     *  @param[out] result  what the program returned
     *  @return NULL; else why it did not return, in words */
    const char *(*run)(int (*program)(int, char **), int argc, char **argv, int *result);
    /** The processes of so many alike nodes, of which this is the first; kept. @param[in] rate  of
     * the network, bytes per second; 0: the machine's @return NULL: no memory */
    struct psg_comm *(*nodes)(unsigned nodes, double rate);
} psg_simulator_table;

/** Those of simgrid.c, where that is built. */
extern const psg_simulator_table psg_simgrid;

/** NULL: the library runs on the machine that is there, and computes. */
extern const psg_simulator_table *const psg_simulator;

/** Is this a simulation? */
static inline bool psg_simulated(void) {
    return psg_simulator != NULL;
}

/** Choose the machine, the only one of this process, and describe it to the StarPU that is about to
 * start.
 *  @param[in]  machine  a file, or the name of one that the project has; NULL: the one that was
 * chosen
 *  @param[out] words    what is wrong with it
 *  @return false: StarPU must not start */
bool psg_simulation_begin(const char *machine, char *words, size_t size);

/** StarPU is about to stop: there is room for what it writes then. */
void psg_simulation_stopping(void);

/** StarPU has started, or failed to, or has stopped: what was written for it, or by it, is removed.
 */
void psg_simulation_end(void);

/** The machine that was chosen; NULL: none yet. */
const psg_machine *psg_simulation_machine(void);

/** The network between nodes of the machine: what a node sends, and what it receives, all others
 * together.
 *  @param[in]  asked    bytes per second in place of the machine's; 0: its own
 *  @param[out] rate     bytes per second
 *  @param[out] seconds  that a message takes beside
 *  @return false: none is described, and none is asked for */
bool psg_simulation_network(double asked, double *rate, double *seconds);

/** Seconds of a task, on the GPU whose worker calls, that are the gap before it and not the task;
 * else 0. */
double psg_simulation_gap(const struct psg_task_args *args);

/** In a simulation, let the time pass that it takes to submit a task.
 *  @param[in] pieces  of its data */
void psg_simulation_submit(size_t pieces);

/** Seconds of a task on a core or on a GPU, as recorded. Where such times spread they are drawn,
 * for a worker and a solve: what makes a core slow, as another on the same physical one, mostly
 * lasts so long (`policies-free-h200` in lab/results/). The distribution is log-normal, m exp(s z
 * - s^2 / 2) with the mean m, s^2 = log(1 + spread^2) and z normal: it has that mean and spread,
 * and no time is negative. z comes from nothing but PSG_SEED in the environment (1 if it is not
 * there), the worker's number, and that of the solve in its plan: so a simulation can be repeated,
 * and policies are compared on the same workers.
 *  @param[in] gpu     its number; -1: a core
 *  @param[in] worker  StarPU's number; -1: the mean of all
 *  @return 0: not known */
double psg_simulation_seconds(const struct psg_task_args *args, int gpu, int worker);

/** Seconds of a task on StarPU's worker, as it is known without doing the task: in a simulation as
 * psg_simulation_seconds(), else as the kind says (psg_kind.seconds). @return 0: not known */
double psg_simulation_task(const struct psg_task_args *args, int worker);

/** Can a GPU run tasks of this kind? Where the kind has a function for GPUs; in a simulation also
 * where the machine has their time. */
bool psg_simulation_on_gpus(int kind, psg_task_precision precision);

/** Microseconds of a task on a kind of worker, for StarPU; of a chain, those of its steps. Policies
 * that ask get the mean, as where there are models; what the task takes, StarPU asks on the worker
 * that has the task. */
double psg_simulation_cost(struct starpu_task *task, struct starpu_perfmodel_arch *arch,
                           unsigned implementation);

#endif
