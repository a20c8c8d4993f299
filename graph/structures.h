/** @file structures.h  What a plan is made of. */
#ifndef PSG_GRAPH_STRUCTURES_H
#define PSG_GRAPH_STRUCTURES_H

#include "codelets/codelets.h"
#include "codelets/gpu.h"
#include "graph/psg_starpu.h"
#include "graph/work.h"
#include "runtime/loan.h"
#include "runtime/message.h"
#include "runtime/node.h"

#include <math.h>
#include <starpu.h>

/* ----------------------------------------------------------------------- what lanes and arrays are */

/** A piece of memory on a StarPU memory node. */
typedef struct psg_chunk {
    int node;
    size_t bytes;
    void *memory;
    size_t first;  /**< of a lane: the item with which it begins */
    bool lent;     /**< other processes reach it, see lend.c */
    size_t lender; /**< if it is lent: the GPU that has it, by its number among workers.gpus */
} psg_chunk;

/** Room for the spectrum of one solve at a time; solves that share a lane follow one another. */
typedef struct psg_lane {
    psg_chunk *chunks; /**< [chunk_count]: the memory */
    size_t chunk_count;
    void **item;             /**< where each thing in it stands; see lane.c */
    psg_relay_place *relay;  /**< by StarPU worker, the rows that kspace relays; NULL: none */
    struct psg_loans *loans; /**< with psg_lends(): where the other processes' items stand */
    size_t bytes;
    size_t number; /**< of the lane in the plan */
    /* Blocks, complex [z][y][nxc]. In one process the three lists have the same handles. */
    starpu_data_handle_t
        *bundles; /**< [own segments][bundles]: what the tasks of our segments write */
    starpu_data_handle_t
        *arrivals; /**< [segments][own bundles]: our bundles of all segments, once they came */
    starpu_data_handle_t *
        blocks; /**< [segments][own sheets]: the same by sheet, which the tasks of our sheets read */
    starpu_data_handle_t *spectra; /**< staged: [own segments], complex [z][ny][nxc] */
    starpu_data_handle_t *columns; /**< staged: [own sheets], a sheet each */
    psg_alltoall alltoall;         /**< exchange alltoall */
    psg_alltoall_data outward;     /**< of `bundles`, those of other processes */
    psg_alltoall_data inward;      /**< of `arrivals`, those of other processes */
    starpu_data_handle_t turn;     /**< of exchanges that follow one another */
    double turn_word;
    unsigned users; /**< runs in flight in it */
} psg_lane;

/** The fields of a solve: f, u, the components of the gradient of u, and epsilon. */
enum {
    PSG_FIELD_F = 0,
    PSG_FIELD_U,
    PSG_FIELD_GRADIENT,
    PSG_FIELD_EPSILON = PSG_FIELD_GRADIENT + 3,
    PSG_FIELDS
};

/** The fields as handles by own segment: the plan's slabs, or a caller's arrays, kept for the next solve with the same. */
typedef struct psg_arrays {
    struct psg_arrays *next;
    size_t number;    /**< no other of the plan's has it, nor had it */
    size_t count;     /**< arrays of a field; 0: slabs, or a process without planes */
    psg_array *given; /**< [PSG_FIELDS][count]: as the caller said; streams are NULL */
    psg_array
        *field[PSG_FIELDS]; /**< [count]: with device and strides; NULL: there is no such field */
    starpu_data_handle_t *slabs[PSG_FIELDS]; /**< the same */
    starpu_data_handle_t
        edge[2];   /**< planes of u that go to and come from another process, for a gradient */
    psg_many many; /**< of several right-hand sides; the slabs are pieces then, and not segments */
    unsigned solves; /**< that have ended */
    bool in_place;   /**< f is u */
    bool stays;      /**< f and u are on the GPUs that work on them: nothing is brought */
    bool looked_at;  /**< StarPU may have a copy of f that is older than f */
    bool busy;
} psg_arrays;

/** An array of the caller's that is page-locked for copies to and from GPUs. */
typedef struct psg_pinned {
    struct psg_pinned *next;
    void *array;
} psg_pinned;

/* --------------------------------------------------------------------------------- the structures */

/** Memory for what the values on the sides add to f in a solve. */
typedef struct psg_sides_room psg_sides_room;

/** The fields of a solve with variable coefficients, see pcg.h. */
typedef struct psg_pcg psg_pcg;

/** How such a solve went. */
typedef struct psg_pcg_result {
    size_t steps;
    double residual; /**< |f - A u| / |f|, 2-norms, as the method has it */
    double sum;      /**< of f; not finite: f is not */
    bool bad_eps;    /**< some eps is not finite, or not above 0; u has nothing */
    bool reached;    /**< the tolerance */
} psg_pcg_result;

/** A solve in flight, oldest first in the plan's list. */
typedef struct psg_flight {
    struct psg_flight *next;
    psg_run *run;
    psg_lane *lane;
    psg_arrays *arrays;    /**< the plan's slabs, or from its cache */
    psg_terms terms;       /**< for its tasks */
    psg_mean mean;         /**< what to do with the mean of f */
    psg_sides_room *sides; /**< memory of terms.sides; NULL: none */
    double side_largest;   /**< the largest absolute value that the sides add to f here */
    bool chained;          /**< its tasks are one of StarPU's */
    size_t steps_most;     /**< with epsilon; 0: without */
    psg_pcg_result pcg;
    bool program; /**< StarPU's linear program is about it */
} psg_flight;

/** What is asked for. */
typedef struct psg_problem {
    psg_options options; /**< checked */
    psg_grid grid;
    bool policy_asked;  /**< the options name a scheduling policy */
    bool tuned;         /**< some of the options are what `psg tune` stored */
    int unit;           /**< the tasks' unit of length is 2^unit, about the spacing of the points */
    void *eigen[3];     /**< eigenvalues along each axis, in that unit and the plan's precision */
    psg_waves waves;    /**< of the gradient */
    double eigen_first; /**< the absolute value of the sum of those of mode (0,0,0) */
    double
        eigen_least; /**< the least absolute value of the other modes of an axis; INFINITY: none */
    double eigen_most; /**< the largest absolute value of a sum, one of each axis */
    psg_terms terms; /**< of a solve without terms of its own; terms.relay is set for each solve */
} psg_problem;

/** The processes that share the plan. */
typedef struct psg_processes {
    psg_comm *comm; /**< NULL: one process */
    int ranks;      /**< 1 without a communicator */
    int rank;
} psg_processes;

/** Do the processes reach each other's memory? */
typedef struct psg_lending {
    bool near;          /**< all of them do: */
    psg_loan_kind kind; /**< in that memory */
    char note[256];     /**< why they do not, or not in that of GPUs, for psg_plan_note() */
} psg_lending;

/** Where the spectrum is at home, and what there was no room for. */
typedef struct psg_home {
    bool
        on_gpus; /**< else in main memory, and StarPU brings copies of blocks to the GPUs and evicts them */
    bool fetches; /**< there was no room for a second place of the rows that kspace relays */
    bool finer;   /**< there was no room for what larger segments need */
} psg_home;

/** How blocks are exchanged, and what that needs. */
typedef struct psg_placement {
    psg_exchange exchange;
    double
        room; /**< bytes on a GPU for what tasks work on, which bounds segments, and sheets that StarPU brings; INFINITY: enough */
    bool ahead; /**< f of arrays comes to the GPUs ahead of the tasks that read it */
    double
        left; /**< bytes that the plan leaves of the GPU that has least, when it has been made; 0: not known */
    psg_direct_codelets direct;
    int *direct_node; /**< [3 + bundles]: memory nodes of the data of `direct`; NULL without */
    psg_gpu_user gpu_user;
} psg_placement;

/** What carries blocks to other processes; all 0 in one process. */
typedef struct psg_between {
    psg_exchange_codelets codelets;
    int *main_memory; /**< memory nodes of their data */
    size_t messages;  /**< of a solve */
    psg_wire *wire;
} psg_between;

/** The memory of solves. More lanes come with solves in flight. */
typedef struct psg_storage {
    void **scratch; /**< by StarPU worker number */
    void **spectra; /**< see psg_context */
    size_t
        sides_scratch; /**< bytes of it before the plane that solves with values on the sides use */
    psg_cpu_piece **pieces; /**< by StarPU worker number */
    size_t scratch_bytes;
    psg_lane **lanes; /**< options.in_flight; those from lane_count on are NULL */
    size_t lane_count;
    bool left; /**< MPI has memory of the lanes, and the wire, of solves that were given up */
} psg_storage;

/** The caller's arrays. */
typedef struct psg_doors {
    psg_arrays *arrays; /**< the cache */
    size_t arrays_made;
    psg_arrays *slabs; /**< NULL until asked for */
    psg_pcg *pcg;      /**< the same */
    bool slabs_solved; /**< a solve has written their u */
    bool awake;        /**< workers stay awake, for arrays that stay on GPUs, or slabs */
    psg_pinned *pinned;
} psg_doors;

/** The solves in flight. */
typedef struct psg_flights {
    psg_flight *oldest;
    psg_flight *newest;
    psg_flight *idle; /**< ended, and kept with their runs for other solves */
    psg_sides_room *idle_rooms;
    uint64_t launched;
} psg_flights;

/** What is known of the latest solve that was waited for, beside what psg_plan.work has. */
typedef struct psg_past {
    double mean; /**< of its f */
    double *
        means; /**< [mean_count]: of each right-hand side of psg_solve_many(), if that was the latest */
    size_t mean_count;
    bool from_memory;    /**< its f and u were arrays in main memory */
    double copied_bytes; /**< of its f and u: psg_arrays_copied() */
    psg_pcg_result pcg;  /**< 0: it had no epsilon */
} psg_past;

/** Each structure is made from those before it, by the functions of graph/plan.c. None but the last five changes after
 *  psg_plan_create(). */
struct psg_plan {
    psg_problem problem;
    psg_processes processes;
    psg_workers workers;
    psg_lending lending;
    psg_home
        home; /**< with less room on the GPUs another one, and the structures below are made anew */
    psg_placement placement;
    psg_between between;
    psg_context
        context; /**< what tasks see of the plan, with the layout and the form of their data */
    psg_storage storage;
    psg_doors doors;
    psg_flights flights;
    psg_work work; /**< each solve is a run of it */
    psg_past past;
};

static inline const psg_plan *psg_plan_of(const psg_work *work) {
    return work->owner;
}

/* ---------------------------------------------------------------- what the plan tells, placement.c, lend.c */

/** Bytes that StarPU can have on the GPU of the plan's with the least; SIZE_MAX: not known.
 *  @param[in] emptied  once it has evicted all that it holds there */
size_t psg_placement_room(const psg_plan *plan, bool emptied);

/** Do the blocks of one more solve fit the GPUs that would have them?
 *  @param[in] ahead  with all of its f, which comes ahead of the tasks that read it, and of a u
 *                     that is still on its way home */
bool psg_placement_fits(const psg_plan *plan, bool ahead);
/** And if `twice` rows of every plane had a second place? */
bool psg_placement_fits_twice(const psg_plan *plan, bool ahead, size_t twice);
/** The memory node of a worker's data; main memory for worker -1. */
int psg_placement_node(int worker);
/** Where a worker's part of the spectrum is at home. */
int psg_placement_home(const psg_plan *plan, int worker);

/** Do the processes of this plan write and read blocks in each other's memory? */
bool psg_lends(const psg_plan *plan);

#endif
