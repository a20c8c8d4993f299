/** @file workload.h  Workloads: task graphs of other shapes than a solve's, to compare scheduling
 *  policies with. Each computes something real and knows the answer. They stand on psg_task.h; the
 *  functions that end in psg_status follow the rules of psg.h, with words in psg_last_error().
 *
 *  With options.comm each process of it makes the same workload, and has a share of its work. Then
 *  workload_create(), _run(), _answers(), _check() and _destroy() are for all of them together.
 *
 *     psg_options opt;  psg_options_init(&opt);
 *     workload *w = NULL;
 *     if (workload_create(&w, "ep:S", NULL, &opt) != PSG_OK) puts(psg_last_error());
 *     workload_run(w);
 *     if (workload_check(w) != PSG_OK) puts(psg_last_error());
 *     workload_destroy(w);
 */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include "base/source_line.h"
#include "graph/psg_task.h"

#include <stddef.h>

/** The order of submission of tasks that wait for no other task. */
typedef enum workload_order {
    WORKLOAD_LISTED = 0, /**< as the workload has them */
    WORKLOAD_LONGEST,    /**< the longest first */
    WORKLOAD_ORDERS
} workload_order;

/** The priorities of tasks, for policies that look at them. */
typedef enum workload_priority {
    WORKLOAD_EQUAL = 0, /**< all have the same */
    WORKLOAD_PATH,      /**< the longer the path from a task to the end, the higher its priority */
    WORKLOAD_PRIORITIES
} workload_priority;

/** Who takes the tasks that wait for no other task. */
typedef enum workload_place {
    WORKLOAD_FREE = 0, /**< as the scheduling policy decides */
    WORKLOAD_STATIC,   /**< each worker has an equal share, a piece of the list */
    WORKLOAD_GUIDED,   /**< pieces that become shorter, each to the worker that would have ended
                            first if all were as fast: as a guided loop of OpenMP */
    WORKLOAD_PLACES
} workload_place;

/** How a workload is cut into tasks, and how these are submitted. All 0 is the default. */
typedef struct workload_options {
    size_t tile; /**< the size of a task: workload_facts.tile; 0: the workload's own */
    workload_order order;
    workload_priority priority;
    bool barrier; /**< each phase begins when the one before has ended */
    workload_place place;
} workload_options;

/** What is known of a workload; all texts are static. */
typedef struct workload_facts {
    const char *name;  /**< "ep" */
    const char *about; /**< one line, without a full stop */
    const char *sizes; /**< what may stand behind the colon: "S, W, A, B or C" */
    const char *tile;  /**< what workload_options.tile is: "T: 2^T pairs a task"; NULL: nothing */
    bool order, barrier, place; /**< the option means something; else it has to be the default */
    bool processes;             /**< several processes share the work; else it is for one */
} workload_facts;

/** The workloads one after the other. @return NULL past the last */
const workload_facts *workload_at(size_t index);

/** A workload that can run. */
typedef struct workload workload;

/** Make a workload. Its tasks go to cores and GPUs as the scheduling policy decides.
 *  @param[out] w        NULL after a failure
 *  @param[in]  name     "ep:S": a workload, and its size
 *  @param[in]  how      not kept; NULL: the defaults
 *  @param[in]  options  as psg_engine_create() has them; of pcg the options of its plan, but symbol
 *                       and segment_planes. Not kept
 *  @return PSG_OK; PSG_ERR_ARG: no such workload, size, tile or option, and the words say which
 *          there are; PSG_ERR_UNSUPPORTED: precision, a component that psg was built without, qr on
 *          several cores with an OpenBLAS that is built for one thread, several processes; else as
 *          psg_engine_create() */
psg_status workload_create(workload **w, const char *name, const workload_options *how,
                           const psg_options *options);

/** Run it once: from its input to its answer. psg_run_statistics.seconds begins when the input is
 *  there. @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME; PSG_ERR_ARG: NULL */
psg_status workload_run(workload *w);

/** As psg_engine_progress(). Of pcg both are 0. */
psg_status workload_progress(const workload *w, size_t *ended, size_t *tasks);

/** What happened in its runs: for psg_observe.h. @return the workload's; NULL for NULL */
const psg_work *workload_work(const workload *w);

/** A number of the answer. */
typedef struct workload_answer {
    char name[32];
    double value;
    double expected;  /**< as it was published, or computed in another way */
    double tolerance; /**< the most that |value - expected| may be of |expected|, or of 1 where that
                           is 0. INFINITY: there is nothing to compare with */
} workload_answer;

enum { WORKLOAD_ANSWERS = 64 }; /**< of a workload, at most */

/** The answer of the latest run, the same in all processes. A simulation has none.
 *  @return PSG_OK; PSG_ERR_ARG; PSG_ERR_STATE: nothing has run; PSG_ERR_MEMORY, _RUNTIME */
psg_status workload_answers(const workload *w, workload_answer *answers, size_t capacity,
                            size_t *count);

/** Is the answer of the latest run right?
 *  @return PSG_OK; PSG_ERR_DATA: no, and the words say what is wrong; else as workload_answers() */
psg_status workload_check(const workload *w);

/** What it is, in words: "2^24 pairs in 256 chunks of 2^16". @return the workload's; "" for NULL */
const char *workload_about(const workload *w);

/** NULL is fine. */
void workload_destroy(workload *w);

/* --------------------------------------------------------------------------------- for the files
 * of workloads */

/** A piece of data, or of memory, that ends with its workload. */
typedef struct workload_made {
    psg_data data;
    void *memory;
} workload_made;

/** What a problem begins with. */
typedef struct workload_head {
    size_t real_bytes;    /**< of the options' precision */
    bool by_path;         /**< a task's priority is what follows it: WORKLOAD_PATH */
    int rank, ranks;      /**< from `cut` on: this process, and how many there are */
    const psg_work *work; /**< from `make` on */
    bool failed;          /**< there was no memory: what was to be made after that was not */
    workload_made *made;  /**< [count]: by `make` */
    size_t count;
} workload_head;

/** Bytes of main memory at the most. */
typedef struct workload_needs {
    double data, pieces;   /**< from `make` on: its data, and into how many pieces they are cut */
    double tasks, scratch; /**< from the first run on: of a run, and of a worker */
} workload_needs;

/** A workload has one file in this folder, with its row. All functions get a problem, which begins
 * with a workload_head and is the owner of its engine. */
typedef struct workload_row {
    workload_facts facts;
    size_t bytes;          /**< of the problem, which is all 0 at first */
    bool f32;              /**< its tasks have that precision, too */
    const psg_kind *kinds; /**< [kind_count]: of its tasks */
    size_t kind_count;
    /** Has the problem tasks of kind `kinds[kind]`? NULL: of all. */
    bool (*uses)(const void *problem, size_t kind);
    int *first; /**< becomes the number of the first of these; the others follow it */
    int (*gpu_make)(void **state, const void *problem); /**< as psg_engine_args.make and so on */
    void (*gpu_destroy)(void *state, const void *problem);
    const char *(*gpu_words)(int code);
    bool (*gpu_is_memory)(int code);

    /** @param[in] size  what stands behind the colon; "" where nothing does
     *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED with words */
    psg_status (*parse)(void *problem, const char *size, const workload_options *how);
    /** In place of `parse`, of an input that is no size: what workload_open() gets. NULL: there is
     * none.
     *  @param[in] input  is there until `make` returns @return PSG_OK; PSG_ERR_ARG with words */
    psg_status (*take)(void *problem, const void *input, const workload_options *how);
    /** Choose the size of a task by the workers, where the caller chose none, or refuse them. NULL:
     * `parse` does.
     *  @return PSG_OK; PSG_ERR_ARG, PSG_ERR_UNSUPPORTED with words */
    psg_status (*cut)(void *problem, const psg_engine_workers *workers);
    /** Main memory that it takes, once it is cut. NULL: its plan asks */
    workload_needs (*needs)(const void *problem);
    /** In words: workload_about(). */
    void (*tell)(const void *problem, char *text, size_t size);
    /** Of a workload for several processes: messages of a run, at most, that this process sends
     * or receives. */
    size_t (*messages)(const void *problem);
    /** Make the data by workload_memory() and those after it, whose failures head.failed has. */
    void (*make)(void *problem);
    /** Bring the input, before the clock of a run starts. NULL: the tasks do. @return false: the
     * data could not be had */
    bool (*prepare)(const void *problem);
    /** Submit all tasks of a run. Failures are latched in the run. */
    void (*submit)(psg_run *run, const void *problem);
    /** Values are summed over the processes: what the first one has alone is 0 in the others.
     * @param[out] answers  WORKLOAD_ANSWERS @return how many there are; 0: the data could not be
     * had */
    size_t (*answers)(void *problem, workload_answer *answers);
    /** Free what workload_memory() and so on have not made, and that is gone already. NULL: all was
     * made by them. */
    void (*free)(void *problem);

    /** Of a workload whose runs are solves of a plan: make it. NULL: it has none.
     *  @param[in] options  NULL: the defaults @return PSG_OK; as psg_plan_create() */
    psg_status (*plan)(void *problem, const psg_options *options, const psg_engine_workers *workers,
                       psg_plan **plan);
    /** In place of `submit`: a run. @return as workload_run() */
    psg_status (*solve)(void *problem);
} workload_row;

/** All workloads, in the order of lists. */
#define WORKLOADS(ROW)                                                                             \
    ROW(blocks)                                                                                    \
    ROW(cg) ROW(dock) ROW(ep) ROW(jacobi) ROW(pcg) ROW(qr) ROW(replay) ROW(transpose) ROW(vadd)
#define WORKLOAD_ROW(name) extern const workload_row workload_##name;
WORKLOADS(WORKLOAD_ROW)

/** As workload_create(), of a row. @param[in] input  for the row's `take`; NULL: its `parse` gets
 * `size` */
psg_status workload_open(workload **w, const workload_row *row, const char *size, const void *input,
                         const workload_options *how, const psg_options *options);
/** @return the problem of a workload that has run; NULL with words, of which `status` is: it is
 * none of this row's, or has not run */
void *workload_problem(const workload *w, const workload_row *row, psg_status *status);

/** Keep words for psg_last_error(), and the line of the sources. @return the status */
#define workload_fail(...) psg_fail_at(PSG_SOURCE_LINE, __VA_ARGS__)

/** A function for GPUs, of a kind or of a row; NULL without CUDA. */
#ifdef WORKLOADS_CUDA
#define WORKLOAD_GPU(function) function
#else
#define WORKLOAD_GPU(function) NULL
#endif

/** StarPU counts the numbers of a piece of data in 32 bits: so many at the most, and so many along
 * a side of a square. */
#define WORKLOAD_BLOCK_MOST ((size_t)UINT32_MAX)
#define WORKLOAD_SIDE_MOST ((size_t)UINT16_MAX)

/** A number of a size: digits alone. @return where it ends; NULL: there is none from `least` to
 * `most` */
const char *workload_number(const char *text, size_t least, size_t most, size_t *number);

/** Is the tile, if there is one, from `least` to `most`? @param[in] name, size  "ep:" and "S"
 *  @param[in] what  in words, of the size T: "tiles of T numbers" @return PSG_OK; PSG_ERR_ARG */
psg_status workload_check_tile(const workload_options *how, const char *name, const char *size,
                               const char *what, size_t least, size_t most);

/** How many of n numbers tile t has: `tile` of them, or what is left for the last one. */
static inline size_t workload_extent(size_t n, size_t tile, size_t t) {
    const size_t left = n - t * tile;
    return left < tile ? left : tile;
}

/** In how many parts the work of a process is best cut: one for each GPU, or for each core where no
 * GPU takes part. The same in all processes. */
size_t workload_share(const psg_engine_workers *workers);

/** Where the share of process `rank` begins, of `count` parts that follow one another. It ends
 * where that of the next one begins. */
static inline size_t workload_first(size_t count, int rank, int ranks) {
    return count * (size_t)rank / (size_t)ranks;
}

/** Has each process a part at least? @param[in] name, parts  "ep", and "chunks" @return PSG_OK;
 * PSG_ERR_ARG */
psg_status workload_check_share(const psg_engine_workers *workers, const char *name, size_t count,
                                const char *parts);

/** What the time of a task depends on, whose data are dense. See psg_task_shape. */
static inline void workload_shape(psg_task_shape *shape, size_t nx, size_t ny, size_t nz,
                                  size_t count, size_t pieces) {
    shape->n[0] = nx;
    shape->n[1] = ny;
    shape->n[2] = nz;
    shape->count = count;
    shape->pieces = pieces;
    shape->dense = true;
}

/** psg_kind.operations of tasks whose time grows with their numbers, but for a factor of each kind.
 */
double workload_numbers(const psg_task_shape *shape);

/** A real of 4 or 8 bytes. */
static inline void workload_put(size_t real_bytes, void *to, size_t at, double value) {
    if (real_bytes == sizeof(float)) {
        ((float *)to)[at] = (float)value;
    } else {
        ((double *)to)[at] = value;
    }
}
static inline double workload_get(size_t real_bytes, const void *from, size_t at) {
    return real_bytes == sizeof(float) ? (double)((const float *)from)[at]
                                       : ((const double *)from)[at];
}

/** Memory of zeros, or as base_allocate() has it, until the workload ends.
 *  @return NULL: head.failed */
void *workload_memory(workload_head *head, size_t count, size_t bytes);
void *workload_array(workload_head *head, size_t bytes);
/** psg_data_make() and psg_data_take() of dense data, until the workload ends. After a failure data
 * are not written. */
void workload_hold(workload_head *head, psg_data *data, size_t nx, size_t ny, size_t nz,
                   size_t element_bytes);
void workload_lend(workload_head *head, psg_data *data, void *memory, size_t nx, size_t ny,
                   size_t nz, size_t element_bytes);

/** What is done with piece m of some data, which are in main memory there. */
typedef void (*workload_visitor)(const void *problem, size_t m, void *memory, void *result);
/** Go to pieces 0, step, 2 step and so on of a list, `count` of them: m is 0, 1, 2 and so on. In a
 * simulation there is nothing in them to be visited.
 *  @param[in] writes  as psg_data_acquire() has it @param[in] visitor  NULL: they come home alone
 *  @return false: the data could not be had */
bool workload_visit(const void *problem, const psg_data *list, size_t count, size_t step,
                    bool writes, workload_visitor visitor, void *result);

/** Fields of a row in a file that has a `problem` and functions of these names. */
#define WORKLOAD_FIELDS                                                                            \
    .bytes = sizeof(problem), .kinds = kinds, .kind_count = sizeof kinds / sizeof *kinds,          \
    .first = &first_kind, .parse = parse, .needs = needs, .tell = tell, .make = make,              \
    .submit = submit, .answers = answers
/** Fields of a kind of tasks in a file that has the functions shape, traffic and priority for all.
 */
#define WORKLOAD_KIND(the_name, the_core, the_gpu, the_operations)                                 \
    .name = (the_name), .core = (the_core), .gpu = WORKLOAD_GPU(the_gpu), .shape = shape,          \
    .operations = (the_operations), .traffic = traffic, .priority = priority
/** The precision of its functions for GPUs. */
#define WORKLOAD_PRECISION(real_bytes) ((real_bytes) == sizeof(float) ? PSG_CUDA_F32 : PSG_CUDA_F64)

#endif
