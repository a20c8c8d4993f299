/** @file machine.h  A recorded machine: how long tasks took on it, and how it is linked. Read from
 *  a file that people can edit; knows nothing of StarPU.
 *
 *  The file has one fact per line, words with blanks between; '#' begins a comment:
 *
 *      machine NAME              first of all: at most 63 letters, digits, '-', '_' and '.'
 *      about TEXT                what it is, and where the numbers come from
 *      cpus N                    cores
 *      gpus N
 *      gpu_memory BYTES          of each GPU
 *      speed gpu N FACTOR        GPU N, from 0 to 63, takes the times below over FACTOR; without
 *                                this line FACTOR is 1
 *      speed cpu FACTOR          the same of all cores
 *      link WHICH BYTES SECONDS  bytes a second and latency: to-gpu, from-gpu (each GPU has its
 *                                own), between (what a GPU sends, and what it receives, all others
 *                                together), peer (a kernel that reads and writes another GPU's
 *                                memory, all GPUs together), network (what a node sends, and what
 *                                it receives, each; SECONDS of a message), memory (what all GPUs
 *                                together take from main memory, and what they bring there;
 *                                without this line they are not in each other's way)
 *      recorded peer BYTES [SECONDS]
 *                                the numbers of the link peer when the times below were recorded.
 *                                Without them, those of `link peer`. Where `link peer` has others,
 *                                tasks with REMOTE pieces take another time: see
 *                                psg_machine_seconds()
 *      memory ONE ALL            bytes a second through memory, of one core and of all together.
 *                                Without this line cores are not in each other's way
 *      recorded cores N          so many cores worked when the times below were recorded. Without
 *                                this line, all. Where others work, the part of a task that moves
 *                                its bytes takes another time
 *      cuda_aware yes|no         messages of other nodes come from GPUs' memory and go there;
 *                                else, and if nothing is said, they go by main memory
 *      kinds NAME ...            kinds of task below that not all programs have: one that does not
 *                                register a kind leaves its lines out
 *      submit PIECE [TASK]       seconds that it takes the program to submit a task: for each
 *                                piece of its data, and for itself
 *      gap PIECE [TASK]          seconds between the end of a GPU's task and the start of the next
 *                                one, which was ready: for each of its PIECES below, and for
 *                                itself
 *      least cpu|gpu SECONDS     what any task of StarPU's takes; steps of a chain (chain.h) may
 *                                take less
 *      time STAGE f64|f32 cpu|gpu NXxNYxNZ segment|sheet COUNT views|dense PIECES REMOTE SECONDS
 *        [SPREAD]
 *                                a task on COUNT planes of a segment, or rows of a sheet, that has
 *                                to do with PIECES blocks, views into larger arrays or each in one
 *                                piece, REMOTE of them in peers' memory: the mean, and the
 *                                standard deviation over it, at most 10. Without SPREAD each such
 *                                task takes SECONDS, with it what is drawn for the worker and the
 *                                solve: see simulation.h. Extents and COUNT of a workload's task
 *                                are those of its psg_task_shape, and its side is segment. Between
 *                                two recorded sizes the time goes with psg_kind.operations
 *      sides STAGE f64|f32 cpu|gpu NXxNYxNZ X,Y,Z FACTOR
 *                                a task on a grid with these sides takes FACTOR times as long as
 *                                on a periodic grid, of which the lines `time` are. X, Y and Z are
 *                                words of psg_kind.along: see psg_machine_factor()
 */
#ifndef PSG_RUNTIME_MACHINE_H
#define PSG_RUNTIME_MACHINE_H

#include "base/bus.h"
#include "runtime/kind.h"

typedef enum psg_machine_link {
    PSG_MACHINE_TO_GPU = BASE_TO_GPU,
    PSG_MACHINE_FROM_GPU = BASE_FROM_GPU,
    PSG_MACHINE_BETWEEN = BASE_BETWEEN_GPUS,
    PSG_MACHINE_MEMORY = BASE_MEMORY,
    PSG_MACHINE_PEER,
    PSG_MACHINE_NETWORK,
    PSG_MACHINE_LINKS
} psg_machine_link;

/** Seconds that StarPU takes for a task; 0: not given. */
typedef struct psg_machine_costs {
    double piece; /**< for each piece of its data */
    double task;  /**< and beside */
} psg_machine_costs;

typedef struct psg_machine_time {
    psg_task_shape shape;
    bool gpu;
    double seconds;
    double spread; /**< standard deviation over the mean; 0: all take the same */
} psg_machine_time;

typedef struct psg_machine_sides {
    psg_task_shape shape; /**< kind, precision, n and along */
    bool gpu;
    double factor;
} psg_machine_sides;

enum { PSG_MACHINE_SPEEDS = 64 };

typedef struct psg_machine {
    char name[64];
    char about[256];
    char kinds[2048]; /**< with a blank before and after each: kinds that not all programs have */
    unsigned cpus;
    unsigned gpus;
    double gpu_memory;                /**< bytes */
    double speed[PSG_MACHINE_SPEEDS]; /**< of each GPU, a factor; 0: 1 */
    struct {
        double bytes_per_second; /**< 0: there is none */
        double seconds;          /**< latency */
    } link[PSG_MACHINE_LINKS];
    double recorded_peer[2]; /**< rate and seconds of the link peer when the times were recorded */
    double cpu_speed;        /**< a factor; 0: 1 */
    double memory[2];        /**< bytes per second, of one core and of all; 0: not given */
    unsigned recorded_cores; /**< that worked when the times were recorded */
    bool cuda_aware;         /**< messages go from and to GPUs' memory */
    psg_machine_costs submit;
    psg_machine_costs gap; /**< between two tasks of a GPU */
    double least[2];       /**< seconds of any task of StarPU's on a core, on a GPU */
    psg_machine_time *time;
    size_t times;
    psg_machine_sides *side;
    size_t sides;
} psg_machine;

/** @param[out] words  what is wrong with the file, and in which line
 *  @return NULL: it is no such file */
psg_machine *psg_machine_read(const char *path, char *words, size_t size);
void psg_machine_free(psg_machine *machine);

#endif
