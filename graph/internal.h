/** @file internal.h  What the files of graph/ share. */
#ifndef PSG_GRAPH_INTERNAL_H
#define PSG_GRAPH_INTERNAL_H

#include "codelets/codelets.h"
#include "codelets/gpu.h"
#include "graph/psg.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "runtime/copies.h"
#include "runtime/history.h"
#include "runtime/message.h"
#include "runtime/node.h"

#include <math.h>
#include <starpu.h>

/* ------------------------------------------------------------------------------ status.c */

/** Keep the words for psg_last_error(), and the place for psg_last_error_detail():
 *  psg_fail(status, format, ...). @return the status */
#define psg_fail(...) psg_fail_at(PSG_HERE, __VA_ARGS__)
/** @param[in] place  as PSG_HERE has it; copied */
psg_status psg_fail_at(const char *place, psg_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void psg_clear_error(void);

psg_status psg_fault_status(psg_fault fault);

/** How a failed run ends for the caller: its words and their place kept, its status returned; PSG_OK if it
 *  did not fail. */
psg_status psg_fail_run(const psg_run *run);

/* ------------------------------------------------------------------------ option_table.c */

void psg_option_table_defaults(psg_options *options);
/** Is each value for itself one that its option can have? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_option_table_check(const psg_options *options);

/** An option that all processes have to have the same; of a text a digest. */
typedef struct psg_option_value {
    const char *name;
    double value;
} psg_option_value;
enum { PSG_OPTION_VALUES_MOST = 64 };
/** @param[out] values  PSG_OPTION_VALUES_MOST @return how many there are */
size_t psg_option_table_same(const psg_options *options, psg_option_value *values);

/** The name of a choice of an option, static; NULL: it is none. And the choice of a name. */
const char *psg_option_table_word(const char *name, int choice);
bool psg_option_table_choice(const char *name, const char *text, int *choice);

/* ------------------------------------------------------------------------------ policy.c */

/** Has StarPU the scheduling policy? @param[in] where  it is asked for, in the words; may be ""
 *  @return PSG_OK; PSG_ERR_ARG: the words name those that there are */
psg_status psg_policy_check(const char *policy, const char *where);

/* ----------------------------------------------------------------------------- options.c */

/** The caller's options on top of the defaults, whatever version of the struct they are; all
 *  checked.
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_options_check(psg_options *checked, const psg_options *options);
/** What is AUTO, and does not depend on the machine, becomes its default. */
void psg_options_settle(psg_options *options);
/** Are lambda, factor and mean of options what those of a plan can be? @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_options_check_terms(const psg_options *options);
/** @return PSG_OK; PSG_ERR_ARG, also where sizes overflow; PSG_ERR_UNSUPPORTED */
psg_status psg_grid_check(const psg_grid *grid, psg_precision precision);

/* ------------------------------------------------------------------------------- start.c */

/** Start StarPU for these options, or join the one that runs; counted. With comm, on this
 *  process' part of the node's cores and GPUs, where the thread for messages starts too.
 *  @param[in] advice  the policy to start with where nobody says another; "" = StarPU's
 *  @return PSG_OK; PSG_ERR_STATE, _NODEV, _ARG, _RUNTIME: nothing to release */
psg_status psg_runtime_acquire(const psg_options *options, psg_comm *comm, const char *advice);
void psg_runtime_release(psg_comm *comm);

/** Bracket what needs workers: each solve (launch() to psg_engine.run_ended, or where that is NULL
 *  to psg_wait()), the life of slab handles, and what StarPU is asked to unregister or fetch.
 *  Between, a StarPU that the library started sleeps. */
void psg_runtime_awake(void);
void psg_runtime_rest(void);

/** Choose what there is to simulate, before anything is asked about it; psg_simulation_end() has to follow.
 *  @param[in] machine  NULL: the environment says */
psg_status psg_runtime_simulate(const char *machine);

/* -------------------------------------------------------------------------------- cache.c */

/** The path of a file in the folder for what a machine has learnt.
 *  @return false: there is no such folder to be had, and psg_last_error() says why, or "" */
bool psg_cache_file(const psg_options *options, const char *name, char *path, size_t size);
/** A home folder may be shared by machines that differ, so names of files end with the
 *  machine's. */
void psg_cache_host(char *host, size_t size);

/** What FFTW learnt before about the plan's precision, to be freed by free(). FFTW stops the process
 *  over damaged wisdom, so a text whose checksum is wrong is not returned. @return NULL: nothing */
char *psg_wisdom_read(const psg_plan *plan);
/** Keep what FFTW has learnt, with what other processes have kept meanwhile. Where that cannot be
 *  written the next process searches for plans again. */
void psg_wisdom_keep(const psg_plan *plan);

/* -------------------------------------------------------------------------------- tuned.c */

/** What `psg tune` stored for this machine, grid and the options' workers; StarPU may run or not.
 *  @param[out] tuned  where there is nothing all defaults
 *  @return is there something? */
bool psg_tuned_find(psg_tuned *tuned, const psg_grid *grid, const psg_options *options);
/** Settle checked options, StarPU running: what was found goes into those at their default.
 *  @param[in] tuned  found before StarPU started
 *  @return does any of the options, or the policy in force, come from it? */
bool psg_tuned_apply(psg_options *options, const psg_grid *grid, const psg_tuned *tuned);

/* --------------------------------------------------------------------------- tuned_file.c */

/** What tells entries apart, and a text for where it was measured, filled in from this machine.
 *  @param[in] device  the GPU's number, where tuned->gpus > 0 */
void psg_tuned_key(psg_tuned *tuned, int device);
/** Write the entry to a file of the cache folder; an old file is replaced whole. @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_tuned_write(const psg_tuned *tuned, const char *path);
/** @return is it an entry, of this name and with values that a plan could have? */
bool psg_tuned_read(psg_tuned *tuned, const char *path, const char *name);
/** @return what a plan could not have in it, in words; NULL if it is fine */
const char *psg_tuned_wrong(const psg_tuned *tuned);

/* ------------------------------------------------------------------------------- ranks.c */

/** The communicator of checked options. Collective.
 *  @return PSG_OK; PSG_ERR_UNSUPPORTED, _STATE, _ARG, _MEMORY, _RUNTIME */
psg_status psg_ranks_open(psg_comm **comm, const psg_options *options);
/** One status for all processes: PSG_OK if it is on all of them, else that of the first that
 *  failed, with its words. Collective; comm NULL: the status as it is. */
psg_status psg_ranks_agree(psg_comm *comm, psg_status status);
/** Do all processes want the same? Collective. @return PSG_OK; PSG_ERR_ARG: the words say what
 *  differs */
psg_status psg_ranks_same(psg_comm *comm, const psg_grid *grid, const psg_options *options);
/** Each value becomes the largest of, or the sum over, all processes. Collective; comm NULL:
 *  nothing is done.
 *  @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_ranks_max(psg_comm *comm, double *values, size_t count);
psg_status psg_ranks_sum(psg_comm *comm, double *values, size_t count);

/** Is each value the same on all processes? Collective; comm NULL: yes.
 *  @return PSG_OK; PSG_ERR_ARG: the words say what differs; PSG_ERR_RUNTIME */
psg_status psg_ranks_same_values(psg_comm *comm, const psg_option_value *values, size_t count);

/* ------------------------------------------------------------------------------- terms.c */

/** The plan's own. */
psg_solve_args psg_terms_of_plan(const psg_plan *plan);
/** What a program gave, whatever version of the struct it is. @param[in] args  not NULL
 *  @return PSG_OK; PSG_ERR_ARG: no version of this library's */
psg_status psg_terms_read(psg_solve_args *full, const psg_plan *plan, const psg_solve_args *args);
/** The terms of a solve, checked as those of a plan are.
 *  @param[in]  args   from psg_terms_read()
 *  @param[out] terms  without its relay and sides
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_terms_take(const psg_plan *plan, const psg_solve_args *args, psg_terms *terms,
                          psg_mean *mean);
/** Have all processes the same? Collective. @param[in] args  checked @return PSG_OK; PSG_ERR_ARG, _RUNTIME */
psg_status psg_terms_same(const psg_plan *plan, const psg_solve_args *args);

/* ------------------------------------------------------------------------------- sides.c */

/** Memory for what the values on the sides add to f in a solve. */
typedef struct psg_sides_room psg_sides_room;
/** Check the values on the sides, and make the tables of what they add.
 *  @param[in]  args     from psg_terms_read(), with terms that were checked
 *  @param[out] largest  the largest absolute value that is added to f here
 *  @param[out] room     to be given back when the solve has ended, or after a failure; untouched without values
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _DATA, _MEMORY */
psg_status psg_sides_take(psg_plan *plan, const psg_solve_args *args, psg_sides *sides,
                          double *largest, psg_sides_room **room);
/** NULL is fine. */
void psg_sides_give_back(psg_plan *plan, psg_sides_room *room);
/** Free what was given back. */
void psg_sides_free(psg_plan *plan);

/* -------------------------------------------------------------------------------- team.c */

/** Do this plan's cores share the steps of a solve? Its workers and options are known. */
bool psg_team_wanted(const psg_plan *plan);
/** The team of a plan that wants one. @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_team_make(psg_plan *plan);
/** Before anything that its members use is freed. Nothing without a team. */
void psg_team_end(psg_plan *plan);

/* ------------------------------------------------------------------------------ events.c */

/** Is every event of the latest solve there? @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_events_check(const psg_plan *plan);

/* ------------------------------------------------------------------------------ copies.c */

/** Bracket a solve, before it is submitted and once u is home: between, its copies are kept. */
void psg_copies_begin(const psg_plan *plan);
void psg_copies_end(psg_plan *plan, const psg_run *run);

/* ------------------------------------------------------------------------ dependencies.c */

/** psg_history_edges() of the plan's latest solve. @return PSG_OK; PSG_ERR_STATE, _MEMORY */
psg_status psg_edges_find(const psg_plan *plan, psg_edge **list, size_t *count);

/* -------------------------------------------------------------------------------- rates.c */

/** Bytes per second through memory, of all workers of the plan together, and the bytes of all
 *  caches there. Measured when first asked for.
 *  @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_memory_rate(const psg_plan *plan, double *rate, double *cache_bytes);

/* ------------------------------------------------------------------------------- program.c */

/** Before the tasks of a solve are submitted: StarPU is to make a linear program of them.
 *  @return false: not for this plan or not now, and psg_program_submitted() must not follow */
bool psg_program_begin(psg_plan *plan);
void psg_program_submitted(void);

/** A solve has been waited for. @param[in] whose  the program is about it */
void psg_program_waited(psg_plan *plan, bool whose);

/** Solve the program about the solve that was waited for last. @return seconds; 0: not known */
double psg_program_seconds(const psg_plan *plan);
void psg_program_free(psg_plan *plan);

/* --------------------------------------------------------------------------- cpu_share.c */

/** Do these checked options want CPU cores beside GPUs, though they do not say how many? */
bool psg_cpu_share_wanted(const psg_options *options);
/** The part of the work that is the CPU workers' beside the plan's GPUs, and which workers take
 *  its tasks by that: what the options say, else what suits the speeds of both.
 *  @param[in] cpus  CPU workers, of which the plan may have all or none
 *  @return PSG_OK; PSG_ERR_NODEV: they are to share, and one kind is missing */
psg_status psg_cpu_share_make(psg_plan *plan, size_t cpus);
/** Of so many planes or rows, those that CPU cores take. */
static inline size_t psg_cpu_share_of(double share, size_t extent) {
    return (size_t)floor(share * (double)extent + 0.5);
}

/* --------------------------------------------------------------------------- partition.c */

/** Cut planes, of all processes: what the options ask, else what suits the data and the workers.
 *  Then rows, once it is known how blocks are exchanged.
 *  @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_partition_planes(psg_plan *plan);
psg_status psg_partition_rows(psg_plan *plan);
/** Tasks of a phase that suit so many planes, and as many rows, on workers of a kind. */
size_t psg_partition_tasks(const psg_context *context, bool gpus, size_t workers, size_t planes);

/* --------------------------------------------------------------------------- placement.c */

/** How are blocks exchanged? @return PSG_OK; PSG_ERR_UNSUPPORTED */
psg_status psg_placement_exchange(psg_plan *plan);
/** In which form do rows stand in blocks, on all processes that reach them? Rows are cut. @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_placement_strips(psg_plan *plan);
/** Do they fit where they shall stand? Planes are cut. @return PSG_OK; PSG_ERR_MEMORY: not those of
 *  a resident plan */
psg_status psg_placement_check(psg_plan *plan);
/** Where the plan's segments and sheets live. @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_placement_make(psg_plan *plan);
/** Bytes that StarPU can have on the GPU of the plan's with the least; SIZE_MAX: not known.
 *  @param[in] emptied  once it has evicted all that it holds there */
size_t psg_placement_room(const psg_plan *plan, bool emptied);

/** The names of the machines of psg_recorded_list(), a blank before each.
 *  @param[out] text  `size` bytes; names that do not fit are cut */
void psg_recorded_names(char *text, size_t size);
/** Is it known how long all tasks take on the machine that is simulated, and messages? */
psg_status psg_simulation_check(psg_plan *plan);
/** Has each node of a simulation a part of the grid? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_simulation_nodes_check(const psg_options *options, const psg_grid *grid);
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

/* -------------------------------------------------------------------------------- lane.c */

/** A piece of memory on a StarPU memory node. */
typedef struct psg_chunk {
    int node;
    size_t bytes;
    void *memory;
    size_t first; /**< of a lane: the item with which it begins */
    bool lent;    /**< other processes reach it, see share.c */
    size_t place; /**< if it is lent: the GPU that has it, by its number among workers.gpus */
} psg_chunk;

/** Register a StarPU block of nx x ny x nz elements on a memory node, rows contiguous, planes
 *  `pitch` elements apart; without memory (NULL) StarPU finds some wherever it is first written. */
void psg_block_register(starpu_data_handle_t *handle, int node, void *memory, const size_t n[3],
                        size_t pitch, size_t element_bytes);
/** And rows so many elements apart. */
void psg_block_register_rows(starpu_data_handle_t *handle, int node, void *memory,
                             const size_t n[3], size_t row_pitch, size_t pitch,
                             size_t element_bytes);
/** Unregister those that are not NULL, and let their values go. NULL is fine. */
void psg_block_unregister(starpu_data_handle_t *handles, size_t count);

/** Room for the spectrum of one solve at a time; solves that share a lane follow one another. */
typedef struct psg_lane {
    psg_chunk *chunks; /**< [chunk_count]: the memory */
    size_t chunk_count;
    void **item;             /**< where each thing in it stands; see lane.c */
    psg_relay_place *relay;  /**< by StarPU worker, the rows that kspace relays; NULL: none */
    struct psg_loans *loans; /**< with psg_shares(): where the other processes' items stand */
    size_t bytes;
    size_t number; /**< of the lane in the plan */
    /* Blocks are complex [z][y][nxc]. What the segments have: [own segments][bundles]. What came
     * of it, or stayed: [segments][own bundles]. What the sheets have: [segments][own sheets].
     * In one process all are the same handles. */
    starpu_data_handle_t *bundles;
    starpu_data_handle_t *arrivals;
    starpu_data_handle_t *blocks;
    starpu_data_handle_t *spectra; /**< staged: [own segments], complex [z][ny][nxc] */
    starpu_data_handle_t *columns; /**< staged: [own sheets], a sheet each */
    psg_alltoall alltoall;         /**< exchange alltoall */
    psg_alltoall_data outward;     /**< of `bundles`, those of other processes */
    psg_alltoall_data inward;      /**< of `arrivals`, those of other processes */
    starpu_data_handle_t turn;     /**< of exchanges that follow one another */
    double turn_word;
    unsigned users; /**< runs in flight in it */
} psg_lane;

/** f and u as handles by own segment: the plan's slabs, or a caller's arrays, kept for the next solve with the same. */
typedef struct psg_arrays {
    struct psg_arrays *next;
    size_t number;    /**< no other of the plan's has it, nor had it */
    size_t count;     /**< arrays of f, and of u; 0: slabs, or a process without planes */
    psg_array *given; /**< [2 count]: f and then u, as the caller said; streams are NULL */
    psg_array *f;     /**< [count]: with device and strides */
    psg_array *u;     /**< [count] */
    starpu_data_handle_t *f_slabs;
    starpu_data_handle_t *u_slabs;
    bool in_place;  /**< f is u */
    bool stays;     /**< f and u are on the GPUs that work on them: nothing is brought */
    bool looked_at; /**< StarPU may have a copy of f that is older than f */
    bool busy;
} psg_arrays;

/** An array of the caller's that is page-locked for copies to and from GPUs. */
typedef struct psg_pinned {
    struct psg_pinned *next;
    void *array;
} psg_pinned;

/** @return PSG_OK; PSG_ERR_MEMORY: *lane is NULL */
psg_status psg_lane_create(psg_lane **lane, const psg_plan *plan);
void psg_lane_destroy(psg_lane *lane, const psg_plan *plan);

/* ------------------------------------------------------------------------------- relay.c */

/** Which rows does kspace relay, on all processes? Rows are cut, and form.strip is known. Collective.
 *  @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_relay_choose(psg_plan *plan);
/** Room for the addresses of a lane's relayed rows. Memory of other processes has one for each GPU that reaches it.
 *  @return false: no memory */
bool psg_relay_allocate(psg_lane *lane, const psg_plan *plan);
/** The addresses, once all processes have the lane. */
void psg_relay_fill(psg_lane *lane, const psg_plan *plan);
void psg_relay_free(psg_lane *lane, const psg_plan *plan);

/* -------------------------------------------------------------------------------- door.c */

/** The segments of a GPU's part; those of the process for PSG_HOST. */
psg_range psg_door_segments(const psg_plan *plan, int device);
/** The memory node of a device of the plan's, or of PSG_HOST. @return -1: it has no such device */
int psg_door_node(const psg_plan *plan, int device);
/** So many arrays of f, and of u? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_door_check_count(const psg_plan *plan, size_t count);
/** Find out where the arrays are, f and u as they were given, and whether a solve can use them.
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_door_check(const psg_plan *plan, psg_arrays *arrays);
/** Do they leave the arrays of solves in flight alone? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_door_check_flights(const psg_plan *plan, const psg_arrays *arrays);

/* ------------------------------------------------------------------------------ arrays.c */

/** The handles of the caller's arrays, checked, marked busy; copies of f elsewhere are taken to be stale.
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _MEMORY, _RUNTIME */
psg_status psg_arrays_take(psg_plan *plan, size_t count, const psg_array *f, const psg_array *u,
                           psg_arrays **arrays);
/** Before a segment's first task is submitted: f comes from the caller's array to the GPU that has
 *  the segment, and the task is handed to that GPU when f is there. Nothing without plan->placement.ahead.
 *  @param[in] room  what the task writes: f comes once all that was submitted before and writes it
 *                   has ended, so of the solves that wait for a lane only the next one's is there */
void psg_arrays_bring_f(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, size_t s,
                        starpu_data_handle_t room);
/** Is f where the tasks that read it run, and room for u too? Then one task can have all of both;
 *  where they do not fit beside the spectrum, StarPU would wait for ever for the room. A hint: a
 *  task of the caller's may have yet to write f, and what nobody uses now may be evicted. */
bool psg_arrays_there(const psg_plan *plan, const psg_arrays *arrays);
/** After a segment's last: u goes to the caller's array as soon as it is written. */
void psg_arrays_bring_u(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, size_t s);
/** Wait until u is in the caller's array, and keep the handles for another time. */
void psg_arrays_give_back(const psg_plan *plan, psg_arrays *arrays);
void psg_arrays_destroy(psg_arrays *arrays, const psg_plan *plan);
/** What stands at an address in memory, of f, u or a lane: data, segment and sheet of the copy.
 *  @return false: nothing of it, and the copy stays as it is */
bool psg_arrays_find(const psg_plan *plan, const psg_arrays *arrays, const void *address,
                     psg_copy *copy);
bool psg_lane_find(const psg_plan *plan, const psg_lane *lane, const void *address, psg_copy *copy);
/** Are all of f and u at home in main memory? */
bool psg_arrays_in_memory(const psg_arrays *arrays);
/** Bytes of f that the tasks of a solve read elsewhere than at home, and of u that they wrote elsewhere. */
double psg_arrays_copied(const psg_plan *plan, const psg_arrays *arrays, const psg_history *solve);
/** Handles without memory of their own yet, for psg_plan_slab_handles(). */
psg_status psg_arrays_create_slabs(const psg_plan *plan, psg_arrays **arrays);

/* -------------------------------------------------------------------------------- share.c */

/** Do the processes of this plan write and read blocks in each other's memory? */
bool psg_shares(const psg_plan *plan);
/** Find out if they can, where the options leave that open or ask for it: processes.near. Its workers are known.
 *  Collective. @return PSG_OK; PSG_ERR_UNSUPPORTED: it was asked for, and this process cannot; _RUNTIME */
psg_status psg_share_try(psg_plan *plan);

/** Memory that is lent, for a chunk that has its node and bytes. @return false: there is none */
bool psg_share_allocate(const psg_plan *plan, psg_chunk *chunk);
void psg_share_free(const psg_plan *plan, psg_chunk *chunk);

/** Lend a lane's chunks to the other processes, and take theirs. Collective.
 *  @param[in] items   what stands in its chunks, see lane.c
 *  @param[in] status  PSG_OK if this process has its chunks
 *  @return that of all processes */
psg_status psg_share_connect(psg_lane *lane, const psg_plan *plan, size_t items, psg_status status);
/** Undo that; nothing where it was not done. The lane's solves have ended. Collective.
 *  @return may the chunks be freed? Not where another process may still use them. */
bool psg_share_disconnect(psg_lane *lane, const psg_plan *plan);
/** Where item m of another process' lane stands, for a worker of ours. */
void *psg_share_item(const psg_lane *lane, const psg_plan *plan, int rank, size_t m, int worker);

/* ----------------------------------------------------------------------------- exchange.c */

/** Submit what carries blocks from segments to sheets, and back: nothing in one process. */
void psg_exchange_forward(psg_run *run, const psg_plan *plan, const psg_lane *lane);
void psg_exchange_back(psg_run *run, const psg_plan *plan, const psg_lane *lane);

/* -------------------------------------------------------------------- fused.c, staged.c */

/** Submit every task of one solve. Failures are latched in the run. */
void psg_graph_fused(psg_run *run, const psg_plan *plan, const psg_lane *lane,
                     const psg_arrays *arrays);
void psg_graph_staged(psg_run *run, const psg_plan *plan, const psg_lane *lane,
                      const psg_arrays *arrays);

/* -------------------------------------------------------------------------------- plan.c */

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
    bool program;          /**< StarPU's linear program is about it */
} psg_flight;

/** What is asked for. */
typedef struct psg_problem {
    psg_options options; /**< checked */
    psg_grid grid;
    bool policy_asked;  /**< the options name a scheduling policy */
    bool tuned;         /**< some of the options are what `psg tune` stored */
    void *eigen[3];     /**< eigenvalues along each axis, in the plan's precision */
    double eigen_first; /**< the absolute value of the sum of those of mode (0,0,0) */
    double eigen_least; /**< the least absolute value in them but 0; INFINITY: there is no other */
    double eigen_most;  /**< the largest absolute value of a sum, one of each axis */
    psg_terms terms;    /**< of a solve without terms of its own; without its relay */
} psg_problem;

/** The processes that share the plan. */
typedef struct psg_processes {
    psg_comm *comm; /**< NULL: one process */
    int ranks;      /**< 1 without a communicator */
    int rank;
    bool near;      /**< their GPUs reach each other's memory */
    char note[256]; /**< why they do not, for psg_plan_note() */
} psg_processes;

/** The workers of this process that take the plan's tasks. */
typedef struct psg_workers {
    size_t count;                 /**< StarPU's, of all kinds */
    size_t most[2];               /**< cores and GPUs of the process that has most of each */
    int gpus[STARPU_NMAXWORKERS]; /**< the CUDA workers that take its tasks */
    size_t gpu_count;             /**< 0: the CPU workers take them */
    size_t cpu_count;             /**< CPU workers that take its tasks; 0: the GPUs take them */
    bool anywhere;                /**< GPUs or cores, as the policy decides for each task */
    double cpu_share;             /**< the cores' part of planes and rows; 1 without GPUs, and where
                                       nobody has a part of his own */
    bool copies;                  /**< StarPU may hold copies of f and u elsewhere: on GPUs, or in
                                       another NUMA node's memory */
    bool teams;                   /**< cores share the steps of a solve, see runtime/team.h */
    int *usable;                  /**< [usable_count]: those that can take its tasks, GPUs first */
    size_t usable_count;
} psg_workers;

/** Where the blocks stand, and how they are exchanged. */
typedef struct psg_placement {
    bool resident; /**< spectra stand on the GPUs; else in main memory, and StarPU brings
                        copies of blocks to the GPUs and evicts them */
    bool fetches;  /**< there was no room for a second place of the rows that kspace relays */
    bool finer;    /**< there was no room for what larger segments need */
    double room;   /**< bytes on a GPU for what its tasks work on, if that comes and goes; INFINITY:
                        enough */
    bool ahead;    /**< f of arrays comes to the GPUs ahead of the tasks that read it */
    psg_exchange exchange;
    psg_direct_codelets direct;
    int *direct_node; /**< [1 + sheets]: memory nodes of the data of `direct`; NULL without */
    psg_exchange_codelets between;
    int *main_memory; /**< memory nodes of the data of `between` */
    psg_gpu_user gpu_user;
} psg_placement;

/** The memory of solves, and the caller's arrays. */
typedef struct psg_storage {
    void **scratch;         /**< by StarPU worker number */
    psg_cpu_piece **pieces; /**< by StarPU worker number */
    size_t scratch_bytes;
    psg_lane **lanes; /**< options.in_flight; those from lane_count on are NULL */
    size_t lane_count;
    bool left; /**< MPI has memory of the lanes, and the wire, of solves that were given up */
    psg_arrays *arrays; /**< the cache */
    size_t arrays_made;
    psg_arrays *slabs; /**< NULL until asked for */
    bool slabs_solved; /**< a solve has written their u */
    bool awake;        /**< workers stay awake, for arrays that stay on GPUs, or slabs */
    psg_pinned *pinned;
} psg_storage;

/** The solves in flight. */
typedef struct psg_flights {
    psg_flight *oldest;
    psg_flight *newest;
    psg_run *idle_runs;
    psg_sides_room *idle_rooms;
    uint64_t launched;
} psg_flights;

/** What is known of the solves so far. */
typedef struct psg_past {
    double plan_seconds;
    uint64_t solves;     /**< those that ended */
    psg_history latest;  /**< of the latest solve */
    double mean;         /**< of its f */
    bool from_memory;    /**< its f and u were arrays in main memory */
    double copied_bytes; /**< of its f and u: psg_arrays_copied() */
    psg_copy_list moved; /**< its copies; times as they were taken: those of StarPU's clock */
    psg_copy *copy;      /**< [moved.count]: the same, as they are told */
    struct psg_program *program; /**< NULL: none was asked for yet */
} psg_past;

/** The steps of graph/plan.c fill the parts in. */
struct psg_plan {
    psg_problem problem;
    psg_processes processes;
    psg_workers workers;
    psg_context context; /**< what tasks need: transforms, layout, form */
    psg_placement placement;
    psg_storage storage;
    psg_flights flights;
    psg_past past;
};

#endif
