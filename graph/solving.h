/** @file solving.h  How a plan solves: memory, tasks, and what is known of them afterwards. */
#ifndef PSG_GRAPH_SOLVING_H
#define PSG_GRAPH_SOLVING_H

#include "graph/structures.h"
#include "runtime/device.h"

/* --------------------------------------------------------------------------------- terms.c */

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

/* --------------------------------------------------------------------------------- sides.c */

/** Check the values on the sides, and make the tables of what they add.
 *  @param[in]  args     from psg_terms_read(), with terms that were checked
 *  @param[out] largest  the largest absolute value that is added to f here
 *  @param[out] room     to be given back when the solve has ended, or after a failure; untouched without values
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _DATA, _MEMORY */
psg_status psg_sides_take(psg_plan *plan, const psg_solve_args *args, psg_sides *sides,
                          double *largest, psg_sides_room **room);
/** What a value of 1 on a side that is not periodic adds to f. 0 or infinite: out of the range of f64. */
double psg_sides_weight(const psg_problem *problem, int axis, int side, double factor);
/** NULL is fine. */
void psg_sides_give_back(psg_plan *plan, psg_sides_room *room);
/** Free what was given back. */
void psg_sides_free(psg_plan *plan);

/* ----------------------------------------------------------------------------- gradient.c */

/** What a solve is to make of u, besides.
 *  @param[in] args  from psg_terms_read(), with terms that were checked @return PSG_OK; PSG_ERR_UNSUPPORTED, _MEMORY */
psg_status psg_gradient_take(psg_gradient_terms *gradient, const psg_plan *plan,
                             const psg_arrays *arrays, const psg_solve_args *args);
/** Which derivatives along x and y the task is to write that writes u of a segment: all that the solve wants, or none.
 *  @param[out] components  them @return how many */
size_t psg_gradient_with_u(const psg_run *run, const psg_plan *plan, const psg_arrays *arrays,
                           size_t s, starpu_data_handle_t components[2]);
/** Where it does not: the tasks that write them, by the modes of u, if the solve wants any. They come next, while the blocks
 *  may be in a cache. */
void psg_graph_gradient_xy(psg_run *run, const psg_plan *plan, const psg_lane *lane,
                           const psg_arrays *arrays, size_t s);
/** After all tasks that write u: those that write the other components of its gradient, if the solve wants any. */
void psg_graph_gradient(psg_run *run, const psg_plan *plan, const psg_lane *lane,
                        const psg_arrays *arrays);

/* ---------------------------------------------------------------------------------- door.c */

/** "f", "u", "gradient[0]" */
const char *psg_field_name(int field);

/** The segments of a GPU's part; those of the process for PSG_HOST. */
psg_range psg_door_segments(const psg_plan *plan, int device);
/** The memory node of a device of the plan's, or of PSG_HOST. @return -1: it has no such device */
int psg_door_node(const psg_plan *plan, int device);
/** Whose memory an array's first number is in, as CUDA says. @return can it be read there, by a GPU or by cores? Not where memory
 *  was freed, nor, by a plan without GPUs, on a GPU */
bool psg_door_ask(const psg_plan *plan, const psg_array *array, psg_device_memory *memory);
/** Is it an array that cores can read? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_door_check_host(const psg_plan *plan, const void *array);
/** So many arrays of f, and of u? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_door_check_count(const psg_plan *plan, size_t count);
/** Find out where the arrays are, f and u as they were given, and whether a solve can use them.
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_door_check(const psg_plan *plan, psg_arrays *arrays);
/** Do they leave the arrays of solves in flight alone? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_door_check_flights(const psg_plan *plan, const psg_arrays *arrays);

/* -------------------------------------------------------------------------------- arrays.c */

/** The handles of the caller's arrays, checked, marked busy; copies of f elsewhere are taken to be stale.
 *  @param[in] many  NULL; or count and each of several right-hand sides, which follow one another in the arrays
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _MEMORY, _RUNTIME */
psg_status psg_arrays_take(psg_plan *plan, size_t count, const psg_array *const given[PSG_FIELDS],
                           const psg_many *many, psg_arrays **arrays);
/** Before a segment's first task is submitted: f comes from the caller's array to the GPU that has
 *  the segment, and the task is handed to that GPU when f is there. Nothing without plan->placement.ahead.
 *  @param[in] room  what the task writes: f comes once all that was submitted before and writes it
 *                   has ended. So of the solves that wait for a lane only the next one has its f there */
void psg_arrays_bring_f(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, size_t s,
                        starpu_data_handle_t room);
/** Is all of f where the tasks that read it run, and is there room for u? Then a chain, one task with all of f and u, can
 *  start; without the room StarPU would wait for ever. A hint: a task of the caller's may have yet to write f, and what
 *  nobody uses now may be evicted. */
bool psg_arrays_there(const psg_plan *plan, const psg_arrays *arrays);
/** After the task that writes a segment of a field is submitted: it goes home, to the caller's array. */
void psg_arrays_bring(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, int field,
                      size_t s);
/** A solve with them has ended. Every so many StarPU lets go what it keeps of the tasks that only read f and epsilon. */
void psg_arrays_settle(const psg_plan *plan, psg_arrays *arrays);
/** Wait until u is in the caller's array, and keep the handles for another time. */
void psg_arrays_give_back(const psg_plan *plan, psg_arrays *arrays);
void psg_arrays_destroy(psg_arrays *arrays, const psg_plan *plan);
/** All of a plan's. */
void psg_arrays_free(psg_doors *doors, const psg_plan *plan);
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

/* ---------------------------------------------------------------------------------- lane.c */

/** @return PSG_OK; PSG_ERR_MEMORY: *lane is NULL */
psg_status psg_lane_create(psg_lane **lane, const psg_plan *plan);
void psg_lane_destroy(psg_lane *lane, const psg_plan *plan);

/* ---------------------------------------------------------------------------------- many.c */

/** Room for what the tasks find out, and back. @param[in] wanted  count and each; NULL: one right-hand side
 *  @return false: no memory */
bool psg_many_open(psg_many *many, const psg_plan *plan, const psg_many *wanted);
void psg_many_close(psg_many *many, const psg_plan *plan);
/** Nothing is found yet: before the tasks of a run are submitted. */
void psg_many_begin(const psg_many *many, const psg_plan *plan);
/** The right-hand sides of piece k. */
psg_range psg_many_piece(const psg_many *many, size_t k);
/** StarPU's number of the worker that solves piece k; -1: any. */
int psg_many_worker(const psg_plan *plan, const psg_arrays *arrays, size_t k);
/** The sum of f of right-hand side m. */
double psg_many_sum(const psg_many *many, const psg_plan *plan, size_t m);
/** The first right-hand side that is not finite; count: all are. */
size_t psg_many_nonfinite(const psg_many *many, const psg_plan *plan);
/** Submit the tasks of all pieces. */
void psg_graph_many(psg_run *run, const psg_plan *plan, const psg_arrays *arrays);

/* --------------------------------------------------------------------------------- relay.c */

/** Room for the addresses of a lane's relayed rows. Memory of other processes has one for each GPU that reaches it.
 *  @return false: no memory */
bool psg_relay_allocate(psg_lane *lane, const psg_plan *plan);
/** The addresses, once all processes have the lane. */
void psg_relay_fill(psg_lane *lane, const psg_plan *plan);
void psg_relay_free(psg_lane *lane, const psg_plan *plan);

/* --------------------------------------------------------------------------------- lend.c */

/** Memory that is lent, for a chunk that has its node and bytes. @return false: there is none */
bool psg_lend_allocate(const psg_plan *plan, psg_chunk *chunk);
void psg_lend_free(const psg_plan *plan, psg_chunk *chunk);

/** Lend a lane's chunks to the other processes, and take theirs. Collective.
 *  @param[in] items   what stands in its chunks, see lane.c
 *  @param[in] status  PSG_OK if this process has its chunks
 *  @return that of all processes */
psg_status psg_lend_connect(psg_lane *lane, const psg_plan *plan, size_t items, psg_status status);
/** Undo that; nothing where it was not done. The lane's solves have ended. Collective.
 *  @return may the chunks be freed? Not where another process may still use them. */
bool psg_lend_disconnect(psg_lane *lane, const psg_plan *plan);
/** Where item m of another process' lane stands, for a worker of ours. */
void *psg_lend_item(const psg_lane *lane, const psg_plan *plan, int rank, size_t m, int worker);

/* ------------------------------------------------------------------------------ exchange.c */

/** Submit what carries blocks from segments to sheets, and back: nothing in one process. */
void psg_exchange_forward(psg_run *run, const psg_plan *plan, const psg_lane *lane);
void psg_exchange_back(psg_run *run, const psg_plan *plan, const psg_lane *lane);
/** The same for `gradient_z`, once all tasks before have read the blocks. */
void psg_exchange_forward_again(psg_run *run, const psg_plan *plan, const psg_lane *lane);
void psg_exchange_back_again(psg_run *run, const psg_plan *plan, const psg_lane *lane);
/** Give another process the first plane of this one's u, and get the plane above its last one, where the gradient needs
 *  them. @return what has that plane; NULL: none comes */
starpu_data_handle_t psg_exchange_edges(psg_run *run, const psg_plan *plan,
                                        const psg_arrays *arrays);

/* ----------------------------------------------------------------------- fused.c, staged.c */

/** Submit every task of one solve. Failures are latched in the run. */
void psg_graph_fused(psg_run *run, const psg_plan *plan, const psg_lane *lane,
                     const psg_arrays *arrays);
void psg_graph_staged(psg_run *run, const psg_plan *plan, const psg_lane *lane,
                      const psg_arrays *arrays);

/** The plan's of these two. */
void psg_graph_submit(psg_run *run, const psg_plan *plan, const psg_lane *lane,
                      const psg_arrays *arrays);

/* -------------------------------------------------- events.c, copied.c, plan_bounds.c, for the plan's work */

void psg_plan_event(const psg_work *work, const psg_run_event *from, psg_event *event);
bool psg_plan_copy(const psg_work *work, const psg_copy_record *record, psg_copy *copy);
psg_status psg_plan_path(const psg_work *work, const psg_edge *edges, size_t count,
                         double *seconds);
psg_status psg_plan_links(const psg_work *work, psg_bounds *bounds);

/* --------------------------------------------------------------------------------- solve.c */

/** Solve several right-hand sides by one run, in pieces. @param[in] many  count and each @return as psg_solve() */
psg_status psg_solve_pieces(psg_plan *plan, const psg_array *f, const psg_array *u,
                            const psg_many *many);

/* flights.c */

/** The lane with the fewest solves in it; or a new one, where that one is in use and there is memory for another. Without memory
 *  solves share lanes, and follow one another. */
psg_lane *psg_flights_choose_lane(psg_plan *plan);
/** A flight of which all but the run is 0: the idle one whose run has gathered its tasks for these arrays, so that a program that
 *  goes round in some arrays gathers once for each. If there is none, a new one, until there are as many as the plan keeps arrays;
 *  then the one that is idle for longest.
 *  @param[in] arrays  NULL: the solve fails, and any run is good enough @return NULL: no memory */
psg_flight *psg_flights_take(psg_plan *plan, const psg_arrays *arrays);
/** It has ended. To free it here would take a microsecond, as the worker frees the task at the same time. */
void psg_flights_give_back(psg_flights *flights, psg_flight *flight);
/** One that did not start. NULL is fine. */
void psg_flight_destroy(psg_flight *flight);
/** What is kept of flights that have ended. */
void psg_flights_free(psg_flights *flights);

#endif
