/** @file ways_table.h  The ways that a solve can take, one row each, for ways.c. */
#ifndef PSG_TESTS_WAYS_TABLE_H
#define PSG_TESTS_WAYS_TABLE_H

#include "graph/psg.h"

/** Who goes a way: one process, with a communicator of its own (ALONE) or without; several
 *  processes with cores, or with a GPU each; a simulation alone. */
typedef enum place { CORES, GPU, GPUS, ALONE, PROCESSES, GPU_PROCESSES, SIMULATED } place;

/** Where the spectrum is, and whether kspace writes rows of it to other GPUs, and reads them. */
typedef enum home { MAIN, ON_GPUS, ROWS_RETURNED, ROWS_FETCHED } home;

enum {
    MANAGED = PSG_EXCHANGE_MANAGED,
    DIRECT = PSG_EXCHANGE_DIRECT,
    MESSAGES = PSG_EXCHANGE_MPI,
    ALLTOALL = PSG_EXCHANGE_ALLTOALL
};

/** What StarPU is handed: each step, one task for all, or none, as a thread enters the team. */
typedef enum executor { TASKS, CHAIN, CUDA_GRAPH, TEAM_BY_THREAD, TEAM_BY_TASK } executor;

/** The call: f and u are in main memory, but for slabs, which are where they are worked on. */
typedef enum call { SOLVE, SUBMIT, SLABS, SOLVE_MANY, ONE_BY_ONE, EPSILON } call;

/** Terms "name count". A count is a sum of products of digits and: S segments and P sheets of this
 *  process, which are one bundle for others; A segments of all; J solves of conjugate gradients; F
 *  bytes of the field, X of the spectrum; E messages and M bytes to other processes. "?" is any
 *  count. What has no term is 0. */
#define FUSED "forward_xy S, kspace P, inverse_xy S"
#define STAGED "fft_xy S, pack S+P, unpack P+S, fft_z P, divide P, ifft_z P, ifft_xy S, normalize S"
#define STAGED_IN_ONE /* the segment's spectrum is the only block */                               \
    "fft_xy S, pack P, unpack P, fft_z P, divide P, ifft_z P, ifft_xy S, normalize S"
#define EPSILON_STEPS                                                                              \
    "forward_xy SJ, kspace PJ, inverse_xy SJ, pcg_measure S, pcg_start 2S, pcg_scalars 3+3J, "     \
    "pcg_dot SJ, pcg_direction SJ+2S, pcg_apply SJ+S, pcg_update SJ, pcg_end S"

#define STAGED_GRAPH "graph=staged "
#define CUT "segment-planes=5 sheets=9"
#define HALVES "segment-planes=13 sheets=2"
#define PLACED "placement=free cpus=all policy=eager "
#define NODES "nodes=2 network=1e10"

typedef struct way {
    const char *name;
    place place;
    call call;
    const char *options; /**< "name=value name=value" */
    executor executor;
    const char *steps;
    int exchange;
    home home;
    char same;          /**< ways of one letter have the same u, bit by bit */
    const char *beside; /**< what else StarPU and MPI are asked for, and bytes over links */
} way;

static const way ways[] = {
    {"a team", CORES, SOLVE, "", TEAM_BY_THREAD, FUSED, MANAGED, MAIN, 'f', ""},
    {"a team, submitted", CORES, SUBMIT, "", TEAM_BY_THREAD, FUSED, MANAGED, MAIN, 'f', ""},
    {"a team, of slabs", CORES, SLABS, "", TEAM_BY_TASK, FUSED, MANAGED, MAIN, 'f', ""},
    {"a team, staged", CORES, SOLVE, STAGED_GRAPH, TEAM_BY_THREAD, STAGED, MANAGED, MAIN, 's', ""},
    {"a team, many", CORES, SOLVE_MANY, "", TEAM_BY_THREAD, "whole 4", MANAGED, MAIN, 'f', ""},
    {"a team, of a cut", CORES, SOLVE, "executor=team " CUT, TEAM_BY_THREAD, FUSED, MANAGED, MAIN,
     'f', ""},
    {"tasks", CORES, SOLVE, "policy=lws", TASKS, FUSED, MANAGED, MAIN, 'f', "gate 2"},
    {"tasks without a policy", CORES, SOLVE, "executor=tasks", TASKS, FUSED, MANAGED, MAIN, 'f',
     "gate 2"},
    {"tasks of a cut", CORES, SOLVE, CUT, TASKS, FUSED, MANAGED, MAIN, 'f', "gate 2"},
    {"tasks of slabs", CORES, SLABS, CUT, TASKS, FUSED, MANAGED, MAIN, 'f', "gate 2"},
    {"tasks, staged", CORES, SOLVE, STAGED_GRAPH CUT, TASKS, STAGED, MANAGED, MAIN, 's', "gate 2"},
    {"tasks, z strided", CORES, SOLVE, STAGED_GRAPH CUT " z-layout=strided", TASKS, STAGED, MANAGED,
     MAIN, 'z', "gate 2"},
    {"tasks, many", CORES, SOLVE_MANY, "policy=lws", TASKS, "whole 4", MANAGED, MAIN, 'f', ""},
    {"tasks, one by one", CORES, ONE_BY_ONE, "policy=lws batch=1", TASKS, FUSED, MANAGED, MAIN, 'f',
     "gate 42"},
    {"epsilon", CORES, EPSILON, "", TASKS, EPSILON_STEPS, MANAGED, MAIN, 'e', "gate 2J"},

    {"one of one", ALONE, SOLVE, "exchange=mpi", TEAM_BY_THREAD, FUSED, MANAGED, MAIN, 'f', ""},
    {"shared memory", PROCESSES, SOLVE, "", TASKS, FUSED, DIRECT, MAIN, 'f', "send E"},
    {"one by one", PROCESSES, ONE_BY_ONE, "", TASKS, FUSED, DIRECT, MAIN, 'f', "send E"},
    {"messages", PROCESSES, SOLVE, "exchange=mpi", TASKS, FUSED, MESSAGES, MAIN, 'f',
     "send E, message M"},
    {"messages of slabs", PROCESSES, SLABS, "exchange=mpi", TASKS, FUSED, MESSAGES, MAIN, 'f',
     "send E, message M"},
    {"messages of a cut", PROCESSES, SOLVE, "exchange=mpi " CUT, TASKS, FUSED, MESSAGES, MAIN, 'f',
     "send E, message M, nowhere 2A"},
    {"messages, staged", PROCESSES, SOLVE, STAGED_GRAPH, TASKS, STAGED, MESSAGES, MAIN, 's',
     "send E, message M"},
    {"alltoall", PROCESSES, SOLVE, "exchange=alltoall", TASKS, FUSED, ALLTOALL, MAIN, 'f',
     "alltoall 2, message M"},
    {"alltoall, staged", PROCESSES, SOLVE, STAGED_GRAPH "exchange=alltoall", TASKS, STAGED,
     ALLTOALL, MAIN, 's', "alltoall 2, message M"},

    {"tasks on a GPU", GPU, SOLVE, "", TASKS, FUSED, DIRECT, ON_GPUS, 'g',
     "fetch 2S, h2d F, d2h F"},
    {"tasks on a GPU, of slabs", GPU, SLABS, "executor=tasks", TASKS, FUSED, DIRECT, ON_GPUS, 'g',
     ""},
    {"tasks on a GPU, of a cut", GPU, SLABS, CUT, TASKS, FUSED, DIRECT, ON_GPUS, 'g', ""},
    {"tasks on a GPU, staged", GPU, SOLVE, STAGED_GRAPH, TASKS, STAGED_IN_ONE, MANAGED, ON_GPUS,
     'h', "fetch 2S, h2d F, d2h F"},
    {"tasks on a GPU, placed", GPU, SLABS, PLACED, TASKS, FUSED, DIRECT, ON_GPUS, 'g', ""},
    {"a chain", GPU, SLABS, "record=yes", CHAIN, FUSED, DIRECT, ON_GPUS, 'g', ""},
    {"a chain, of a cut", GPU, SLABS, "executor=chain record=yes " CUT, CHAIN, FUSED, DIRECT,
     ON_GPUS, 'g', ""},
    {"tasks on a GPU, asked for", GPU, SLABS, "executor=tasks", TASKS, FUSED, DIRECT, ON_GPUS, 'g',
     ""},
    {"a chain, staged", GPU, SLABS, STAGED_GRAPH "record=yes", CHAIN, STAGED_IN_ONE, MANAGED,
     ON_GPUS, 'h', ""},
    {"a graph of CUDA's", GPU, SLABS, "", CUDA_GRAPH, FUSED, DIRECT, ON_GPUS, 'g', ""},
    {"many on a GPU", GPU, SOLVE_MANY, "batch=2", TASKS, "whole 2", DIRECT, ON_GPUS, 'w',
     "fetch 2, h2d 4F, d2h 4F"},
    {"epsilon on a GPU", GPU, EPSILON, "", TASKS, EPSILON_STEPS, DIRECT, ON_GPUS, 'i',
     "fetch S, h2d ?, d2h ?"},
    {"a GPU and cores", GPU, SOLVE, "placement=free cpus=2 " CUT, TASKS, FUSED, MANAGED, MAIN, 'j',
     "fetch ?, h2d ?, d2h ?"},

    {"direct, rows fetched", GPUS, SLABS, HALVES, TASKS, FUSED, DIRECT, ROWS_FETCHED, 'd', ""},
    {"direct", GPUS, SOLVE, "segment-planes=13 sheets=18", TASKS, FUSED, DIRECT, ON_GPUS, 'd',
     "fetch 2S, h2d F, d2h F"},
    {"direct, placed, rows fetched", GPUS, SLABS, PLACED HALVES, TASKS, FUSED, DIRECT, ROWS_FETCHED,
     'd', "d2d ?"},
    {"direct, placed", GPUS, SOLVE, PLACED "segment-planes=3 sheets=18", TASKS, FUSED, DIRECT,
     ON_GPUS, 'd', "fetch 2S, h2d ?, d2h ?, d2d ?"},
    {"managed, placed", GPUS, SLABS, PLACED "exchange=managed " CUT, TASKS, FUSED, MANAGED, ON_GPUS,
     'm', "d2d ?"},
    {"staged, placed", GPUS, SLABS, PLACED STAGED_GRAPH CUT, TASKS, STAGED, MANAGED, ON_GPUS, 'n',
     "d2d ?"},
    {"managed", GPUS, SLABS, "exchange=managed " HALVES, TASKS, FUSED, MANAGED, ON_GPUS, 'm',
     "d2d X"},
    {"managed, staged", GPUS, SLABS, STAGED_GRAPH HALVES, TASKS, STAGED, MANAGED, ON_GPUS, 'n',
     "d2d X"},

    {"shared memory of GPUs", GPU_PROCESSES, SLABS, "", TASKS, FUSED, DIRECT, ROWS_FETCHED, 'd',
     "send E"},
    {"messages of GPUs", GPU_PROCESSES, SLABS, "exchange=mpi", TASKS, FUSED, MESSAGES, MAIN, 'm',
     "send E, message M, h2d ?, d2h ?"},
    {"alltoall of GPUs", GPU_PROCESSES, SLABS, "exchange=alltoall", TASKS, FUSED, ALLTOALL, MAIN,
     'm', "alltoall 2, message M, h2d ?, d2h ?"},

    {"direct, rows returned", SIMULATED, SLABS, "gpus=4 segment-planes=7 sheets=4", TASKS, FUSED,
     DIRECT, ROWS_RETURNED, 'd', ""},
    {"direct, placed, rows returned", SIMULATED, SLABS, PLACED "gpus=4 segment-planes=4 sheets=4",
     TASKS, FUSED, DIRECT, ROWS_RETURNED, 'd', "d2d ?"},
    {"messages of nodes", SIMULATED, SLABS, "gpus=1 " NODES, TASKS, FUSED, MESSAGES, MAIN, 'd',
     "message M, h2d M, d2h M"},
    {"alltoall of nodes", SIMULATED, SLABS, "gpus=1 exchange=alltoall " NODES, TASKS, FUSED,
     ALLTOALL, MAIN, 'd', "message M, h2d M, d2h M"},
};

#endif
