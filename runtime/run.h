/** @file run.h  What the tasks of one solve share: the plan's constants, and how the solve is going. */
#ifndef PSG_RUNTIME_RUN_H
#define PSG_RUNTIME_RUN_H

#include "runtime/comm.h"
#include "runtime/record.h"
#include "cpu/ops.h"

#include <starpu.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The kinds of task, in the order of the public psg_stage. */
typedef enum psg_task_kind {
    PSG_TASK_FFT_XY = 0,
    PSG_TASK_PACK,
    PSG_TASK_UNPACK,
    PSG_TASK_FFT_Z,
    PSG_TASK_DIVIDE,
    PSG_TASK_IFFT_Z,
    PSG_TASK_IFFT_XY,
    PSG_TASK_NORMALIZE,
    PSG_TASK_FORWARD_XY,
    PSG_TASK_KSPACE,
    PSG_TASK_INVERSE_XY,
    PSG_TASK_EXCHANGE, /**< between processes: an alltoall, or a message, which is no task */
    PSG_TASK_COUNT
} psg_task_kind;

extern const char *const psg_task_names[PSG_TASK_COUNT];

typedef enum psg_task_precision {
    PSG_TASK_F64 = 0,
    PSG_TASK_F32,
    PSG_TASK_PRECISIONS
} psg_task_precision;

/** A run of parts: first .. end-1. */
typedef struct psg_range {
    size_t first;
    size_t end;
} psg_range;

/** The constants of a plan that its tasks need: all of it is set before the first task is
 *  submitted. */
typedef struct psg_context {
    psg_task_precision precision;
    bool on_gpus;   /**< CUDA workers take tasks, alone or beside CPU workers */
    uint32_t where; /**< of tasks that no GPU has by its part: StarPU's kinds of worker */
    bool fused;     /**< the variant of the graph */
    bool record;    /**< runs keep what their tasks read and write */
    bool packed;    /**< blocks are dense, copied out of and into slabs; else they are views */
    size_t strip;   /**< rows of blocks are in strips of x so wide (psg_device_strip()); 0: not */
    size_t chained; /**< tasks of a solve between slabs that are there: one task of StarPU's, see
                         chain.h; 0: each is its own */
    size_t lanes;   /**< the most that its solves have, see psg_lane */
    size_t n[3];    /**< nx, ny, nz */
    size_t nxc;     /**< nx/2 + 1 */

    /* How the grid is cut, over all processes. Of several, each has a run of planes and so of
     * segments, and a run of rows and so of pencils. A bundle is the pencils of one process
     * whose blocks travel as one; in one process each pencil is a bundle. */
    size_t segments;
    size_t pencils;
    size_t bundles;
    const size_t *z0;        /**< segments + 1 first planes */
    const size_t *y0;        /**< pencils + 1 first rows ky */
    const size_t *bundle_p0; /**< bundles + 1 first pencils */
    const size_t *bundle_y0; /**< bundles + 1 first rows */
    /** By pencil: how many of its last rows kspace writes to the GPUs of their segments, which else
     *  read them there: so the links do not rest meanwhile. NULL: none. */
    const size_t *returned;
    bool fetched;           /**< and reads them there too: they do not go to the pencil's GPU */
    psg_range own_segments; /**< this process', as are the following */
    psg_range own_pencils;
    psg_range own_bundles;
    psg_range gpu_segments; /**< of its own, those that GPUs may have; in two sizes at most: */
    psg_range gpu_pencils;  /**< that of the first, and that of the last */
    psg_comm *comm;         /**< NULL: one process */
    psg_wire *wire;
    bool messages; /**< blocks go to other processes one by one */
    bool left;     /**< MPI has memory of the lanes, and the wire, of solves that were given up */
    struct psg_exchange_codelets *exchange; /**< NULL: one process */

    /* Of the staged graph. */
    bool z_contiguous;     /**< pencils are [ky][kx][z], else [z][ky][kx] */
    bool segment_is_block; /**< a segment's spectrum is its only block: there is nothing to pack */
    bool pencil_is_block;  /**< likewise a pencil */
    bool normalizes;       /**< `normalize` has the factor 1/(nx ny nz), else the division has it */

    const psg_cpu_ops *cpu;
    psg_cpu_fft *fft;
    double scale;                  /**< psg_options.factor/(nx ny nz) */
    psg_cpu_divide divide;         /**< with that factor, or with 1 */
    void *const *scratch;          /**< by StarPU worker number: fft_scratch_bytes() each */
    psg_cpu_piece *const *pieces;  /**< by StarPU worker number: room for `segments` pointers */
    const int *segment_worker;     /**< by segment: the CUDA worker whose GPU has it, -1: none */
    const int *pencil_worker;      /**< by pencil, likewise */
    struct psg_cuda_worker **cuda; /**< by StarPU worker number; NULL for CPU workers */
    /** For tasks that write and read blocks in other GPUs' memory; NULL: there are none. */
    struct psg_direct_codelets *direct;
    /** Wait for a run awake, as CUDA does: where GPUs have all tasks, to be woken takes as long as
     *  one of them. */
    bool polls;
    /** Called by the task that ends a run that is awake, before its waiter wakes; or NULL. */
    void (*run_ended)(void);
    /** Cores that share the steps of a solve, see team.h; NULL: each step is a task of its own. */
    struct psg_team *team;
} psg_context;

/** What a task of a kind moves between memory and its worker at the least, in times the bytes of
 *  its part of the real field and of the spectrum. Scratch is not counted, nor is the reading of
 *  what the same segment or pencil has just written, which may still be in a cache; nor the
 *  reading of a line of memory before it is written, which there are ways around. */
typedef struct psg_task_traffic {
    unsigned field_reads;
    unsigned field_writes;
    unsigned spectrum_reads;
    unsigned spectrum_writes;
} psg_task_traffic;

psg_task_traffic psg_task_moves(const psg_context *context, psg_task_kind kind);

/** A kind of task that a graph has, of each segment or of each pencil. */
typedef struct psg_task_step {
    psg_task_kind kind;
    bool pencil;
} psg_task_step;

enum { PSG_TASK_STEPS = 10 }; /**< the most that a graph has */

/** Those of a plan's graph, in its order. @return how many */
size_t psg_task_steps(const psg_context *context, psg_task_step steps[PSG_TASK_STEPS]);
/** All tasks of a solve, of one process. */
size_t psg_task_total(const psg_context *context);

/** Messages to other processes that can go when a segment's blocks are written, or those of
 *  pencil p. */
static inline size_t psg_segment_messages(const psg_context *c) {
    return c->messages ? c->bundles - (c->own_bundles.end - c->own_bundles.first) : 0;
}

/** Rows of pencil p that kspace returns, and those that are in its blocks. */
static inline size_t psg_returned_rows(const psg_context *c, size_t p) {
    return c->returned != NULL ? c->returned[p] : 0;
}
static inline size_t psg_block_rows(const psg_context *c, size_t p) {
    return c->y0[p + 1] - c->y0[p] - psg_returned_rows(c, p);
}

static inline size_t psg_all_returned_rows(const psg_context *c) {
    size_t rows = 0;
    for (size_t p = 0; p < c->pencils; p++) {
        rows += psg_returned_rows(c, p);
    }
    return rows;
}

static inline size_t psg_pencil_messages(const psg_context *c, size_t p) {
    for (size_t g = c->own_bundles.first; c->messages && g < c->own_bundles.end; g++) {
        if (c->bundle_p0[g] == p && c->bundle_p0[g + 1] == p + 1) {
            return c->segments - (c->own_segments.end - c->own_segments.first);
        }
    }
    return 0;
}

/** Why a solve failed. */
typedef enum psg_fault {
    PSG_FAULT_NONE = 0,
    PSG_FAULT_SUBMIT, /**< StarPU took no task */
    PSG_FAULT_DEVICE, /**< a device refused a task's work */
    PSG_FAULT_MEMORY, /**< a device had no memory for it */
    PSG_FAULT_MPI,    /**< MPI did not do what it was asked */
    PSG_FAULT_COUNT
} psg_fault;

/** What the time of a task depends on. */
typedef struct psg_task_shape {
    psg_task_kind kind;
    psg_task_precision precision;
    bool pencil;     /**< it works on rows of a pencil, else on planes of a segment */
    size_t n[3];     /**< the grid */
    size_t count;    /**< planes or rows */
    size_t pieces;   /**< blocks that it has to do with */
    size_t remote;   /**< of those, in another GPU's memory; of a pencil, what it returns there */
    size_t returned; /**< of its rows, those that kspace moves for it */
    bool dense;      /**< the blocks are, else they are views */
} psg_task_shape;

/** Something that took time: a task, or a message to another process or from one. */
typedef struct psg_run_event {
    psg_task_kind kind;
    int worker;           /**< StarPU's number; -1: no worker */
    int rank;             /**< of a message: the process at its other end; -1: no message */
    bool received;        /**< a message from there, else to there */
    size_t segment;       /**< SIZE_MAX: it is about no single one, as is the following */
    size_t pencil;        /**< of a message the first one in it */
    psg_task_shape shape; /**< of a task */
    size_t number;        /**< in the run's record; PSG_RECORD_NONE: there is none */
    double start;         /**< starpu_timing_now(), as is the following; 0: not known */
    double end;
} psg_run_event;

typedef struct psg_run_cell {
    uint64_t tasks;
    double seconds;
} psg_run_cell;

/** Blocks go from segments to pencils, and back. */
typedef enum psg_way { PSG_WAY_THERE = 0, PSG_WAY_BACK, PSG_WAYS } psg_way;

/** What goes one way between this process and another, in a run. */
typedef struct psg_pairing {
    size_t sends_left;       /**< not begun yet */
    size_t credit;           /**< receives that may begin, one for each send begun */
    struct psg_errand *held; /**< receives that wait for theirs, latest first */
    size_t under_way;        /**< sends and receives that MPI has */
} psg_pairing;

/** One solve, from its submission until it has been waited for. */
typedef struct psg_run {
    struct psg_run *next; /**< among the runs that wait for another use */
    const psg_context *context;
    uint64_t solve; /**< its number among those of the plan, from 0 */

    atomic_int fault; /**< a psg_fault; once it is set, the tasks that follow do nothing */
    char words[256];  /**< of the first fault, complete once the run has ended */

    struct psg_chain *chain;   /**< NULL: the context has no chained tasks */
    struct psg_teamwork *work; /**< NULL: the context has no team */
    bool awake;                /**< StarPU's workers are awake for it */
    size_t lane;               /**< number of the lane that it is in, or was in last */

    /** Rows that kspace returns, its lane's: by pencil those that came, [nz][rows][nxc], on its GPU;
     *  by segment those of all pencils when they are back, or that are fetched,
     *  [pencil][planes][rows][nxc], on its. */
    void *const *sent;
    void *const *returned;

    /** One complex of the precision: the mode (0,0,0), the sum of f, from the task that has it. */
    void *mode0;
    /** 1 if a mode is not finite: f is not, or it is too large. Both in memory that GPUs write
     *  too. */
    atomic_int *nonfinite;

    size_t workers;        /**< StarPU workers, which number their rows of `cell` */
    psg_run_cell *cell;    /**< [workers][PSG_TASK_COUNT] */
    psg_run_cell exchange; /**< messages to other processes, and the time with one on its way */
    uint64_t sent_bytes;   /**< in them */
    psg_pairing (*pairing)[PSG_WAYS]; /**< [ranks]; NULL: one process; under the mutex */
    struct psg_travel *travel;        /**< room for each message, so that no message fails for want
                                           of memory: the other process waits for it. NULL: one
                                           process */
    size_t travels;                   /**< submitted */
    struct psg_gathering *gathering;  /**< [PSG_WAYS]: the same of alltoalls */
    size_t under_way;                 /**< messages and alltoalls that MPI has; under the mutex */
    double under_way_since;           /**< when that was 0 for the last time, as `started` */
    atomic_bool given_up;             /**< what MPI has not begun does not begin */
    size_t on_their_way;              /**< of them, now; under the mutex, as is the following */
    double on_their_way_since;
    psg_run_event *event; /**< in the order of their ends; under the mutex, as are the following */
    size_t events;
    size_t events_room;
    bool events_lost;  /**< there was no memory for all of them */
    psg_record record; /**< of what is submitted, if context->record; its submitter's until the
                               end */
    double started;    /**< starpu_timing_now() at submission, microseconds */
    double submitted;  /**< the same moment in seconds since the epoch, or of the simulation */
    double ended;      /**< at the end of the latest task */
    double in;         /**< when the latest task had been submitted, as started */
    size_t tasks;      /**< and messages submitted; a chain is one */
    size_t pieces;     /**< of data that these have */

    starpu_pthread_mutex_t mutex; /**< StarPU's, which SimGrid sees too */
    starpu_pthread_cond_t idle;
    atomic_size_t pending; /**< tasks not ended, and one for the submission itself; changed under
                                the mutex */
} psg_run;

/** @return NULL: no memory */
psg_run *psg_run_create(const psg_context *context, size_t workers);
/** Begin a solve with it, number `solve` of its plan: nothing has happened yet, and its submission is
 *  pending. */
void psg_run_start(psg_run *run, uint64_t solve);
void psg_run_destroy(psg_run *run);

/** Latch the first fault; the words are a printf format. Later ones are dropped. */
void psg_run_fail(psg_run *run, psg_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool psg_run_failed(const psg_run *run);

/** One task more to wait for; one less; and wait until there is none.
 *  @param[in] limit  0: as long as it takes; else seconds without the end of a task or message of
 *                    the run, while MPI has messages of it
 *  @return false: the limit is over */
void psg_run_begin_task(psg_run *run);
void psg_run_end_task(psg_run *run);
bool psg_run_wait(psg_run *run, double limit);

/** Keep what happened; without memory for it, events_lost is set. */
void psg_run_keep_event(psg_run *run, const psg_run_event *event);

/** MPI has one message or alltoall more of the run, or one less. @param[in] pairing  that of the
 *  message; NULL: an alltoall */
void psg_run_under_way(psg_run *run, psg_pairing *pairing, bool more);

/** A message to another process is part of the run; some can go now; one has gone. */
void psg_run_message_submitted(psg_run *run, size_t bytes);
void psg_run_messages_ready(psg_run *run, size_t count);
void psg_run_message_sent(psg_run *run);

#endif
