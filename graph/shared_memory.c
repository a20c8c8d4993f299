/* Blocks between processes of one node by exchange direct: each process shares with the others the
 * memory in which its sheets stand, so that `forward_xy` of any process writes its blocks there,
 * and `inverse_xy` reads them there. It is memory of GPUs, or main memory where cores compute, or
 * where GPUs do not reach each other's.
 *
 *   process A                              process B, which has sheet p
 *   forward_xy(s) ---- block [s,p] ------> memory of sheet p, shared with A
 *                 -- empty message ------>   kspace(p)
 *   inverse_xy(s) <--- block [s,p] ------- memory of sheet p
 *                 <-- empty message ------
 *
 * Processes of other nodes are sent blocks in messages, as by exchange mpi.
 *
 * Each process closes what it imports, then all processes meet, then the owner frees the memory. If
 * one of them does not come, the memory that it may still use is left. */
#include "graph/shared_memory.h"
#include "graph/block.h"
#include "graph/plan_struct.h"
#include "graph/psg_machine.h"
#include "graph/ranks.h"
#include "graph/status.h"
#include "runtime/device.h"
#include "runtime/ipc.h"
#include "runtime/simulation.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The memories that this process shares: one in each GPU, or page-locked for each; one if there is
 * no GPU. */
static size_t memories_of(const psg_plan *plan) {
    return plan->workers.gpu_count > 0 ? plan->workers.gpu_count : 1;
}

static int device_of(const psg_plan *plan, size_t m) {
    return plan->workers.gpu_count > 0 ? starpu_worker_get_devid(plan->workers.gpus[m]) : -1;
}

/* Is it true on all processes? Collective. */
static bool everywhere(const psg_plan *plan, bool here) {
    double missing = here ? 0 : 1;
    return psg_comm_max(plan->processes.comm, &missing, 1) && missing == 0;
}

/* Have all processes come here? Not where one of them was given up. Collective. */
static bool meet(const psg_plan *plan) {
    return everywhere(plan, true);
}

/* -------------------------------------------------------------------------------- imports */

/* What a process exports: one of its memories, or an item in one. */
typedef struct exported {
    int there;       /* is this a memory of its own? */
    uint64_t first;  /* of an item of a workspace: the item with which its memory begins, */
    uint64_t offset; /* and bytes from there */
    uint64_t key;    /* of a trial */
    psg_ipc_handle handle;
} exported;

/* The exports of the processes of the node, by their places in it, and where this process has
 * them. */
typedef struct psg_imports {
    psg_ipc_kind kind;
    size_t memories;    /* of this process */
    size_t most;        /* memories, or items, of the process that has most */
    size_t own;         /* the place of this process */
    size_t others;      /* node_ranks * most */
    exported *exported; /* [node_ranks][most] */
    void **imported;    /* [memories][node_ranks][most]; NULL: ours, or none */
} psg_imports;

static void imports_free(psg_imports *l) {
    free(l->exported);
    free(l->imported);
    *l = (psg_imports){.exported = NULL};
}

static bool imports_create(psg_imports *l, const psg_plan *plan, psg_ipc_kind kind, size_t most) {
    *l = (psg_imports){.kind = kind,
                       .memories = memories_of(plan),
                       .most = most,
                       .own = (size_t)plan->processes.comm->node_rank,
                       .others = (size_t)plan->processes.comm->node_ranks * most};
    l->exported = calloc(l->others, sizeof *l->exported);
    l->imported = calloc(l->memories * l->others, sizeof *l->imported);
    return l->exported != NULL && l->imported != NULL;
}

/* The number of the process at a place of the node, for words. */
static int rank_at(const psg_plan *plan, size_t place) {
    int rank = 0;
    while (plan->processes.comm->near[rank] != (int)place) {
        rank++;
    }
    return rank;
}

/* Tell all processes of memory m, and hear of those of the node. Collective. */
static bool gather(psg_imports *l, const psg_plan *plan, size_t m, const exported *mine) {
    const exported *all = psg_comm_node_gather(plan->processes.comm, mine, sizeof *mine,
                                               "to tell where its blocks stand");
    for (size_t r = 0; all != NULL && l->exported != NULL && r < l->others / l->most; r++) {
        memcpy(&l->exported[r * l->most + m], &all[r], sizeof *all);
    }
    return all != NULL;
}

/* For each of our GPUs, or for the cores, import what the other processes export. */
static bool import_all(psg_imports *l, const psg_plan *plan, char *words, size_t size) {
    char why[192] = "";
    bool good = true;
    for (size_t n = 0; n < l->memories * l->others && good; n++) {
        const size_t m = n % l->others;
        if (m / l->most == l->own || !l->exported[m].there) {
            continue;
        }
        l->imported[n] = psg_ipc_import(l->kind, device_of(plan, n / l->others),
                                        &l->exported[m].handle, why, sizeof why);
        good = l->imported[n] != NULL;
        if (!good) {
            (void)snprintf(words, size, "it does not reach the memory of process %d: %s",
                           rank_at(plan, m / l->most), why);
        }
    }
    return good;
}

static void close_all(psg_imports *l, const psg_plan *plan) {
    for (size_t n = 0; l->imported != NULL && n < l->memories * l->others; n++) {
        if (l->imported[n] != NULL) {
            psg_ipc_close(l->kind, device_of(plan, n / l->others), l->imported[n]);
            l->imported[n] = NULL;
        }
    }
}

/* ---------------------------------------------------------------------------------- trial */

/* What is written for each memory of a process into each memory of the others, and what is found in
 * its own. */
static uint64_t number_of(uint64_t key, size_t writer) {
    return (key + writer + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static bool export_trial(psg_imports *l, const psg_plan *plan, void **memory, uint64_t key,
                         bool good, char *words, size_t size) {
    for (size_t m = 0; m < l->most; m++) {
        exported mine;
        memset(&mine, 0, sizeof mine);
        if (good && m < l->memories) {
            const int device = device_of(plan, m);
            memory[m] = psg_ipc_allocate(l->kind, device, l->others * sizeof(uint64_t));
            if (memory[m] == NULL) {
                (void)snprintf(words, size, "it has no %smemory to lend",
                               l->kind == PSG_IPC_GPUS ? "GPU " : "");
            }
            good = memory[m] != NULL &&
                   psg_ipc_export(l->kind, device, memory[m], &mine.handle, words, size);
            mine.there = good;
            mine.key = key + m;
        }
        if (!gather(l, plan, m, &mine)) {
            return false;
        }
    }
    return good;
}

static bool write_all(const psg_imports *l, const psg_plan *plan, char *words, size_t size) {
    bool good = true;
    for (size_t n = 0; n < l->memories * l->others && good; n++) {
        const size_t writer = l->own * l->most + n / l->others;
        const exported *there = &l->exported[n % l->others];
        good = l->imported[n] == NULL ||
               psg_ipc_put(device_of(plan, n / l->others), (uint64_t *)l->imported[n] + writer,
                           number_of(there->key, writer), words, size);
    }
    return good;
}

static bool read_all(const psg_imports *l, const psg_plan *plan, void *const *memory, char *words,
                     size_t size) {
    bool good = true;
    for (size_t n = 0; n < l->memories * l->others && good; n++) {
        const size_t m = n / l->others;
        const size_t writer = n % l->others;
        const exported *own = &l->exported[l->own * l->most + m];
        uint64_t found = 0;
        if (writer / l->most == l->own || !l->exported[writer].there) {
            continue;
        }
        good = psg_ipc_get(device_of(plan, m), (const uint64_t *)memory[m] + writer, &found, words,
                           size);
        if (good && found != number_of(own->key, writer)) {
            (void)snprintf(words, size, "what process %d writes to its memory is not there",
                           rank_at(plan, writer / l->most));
            good = false;
        }
    }
    return good;
}

/* Do the processes of each node reach each other's memory of this kind? They try. Collective.
 * @param[out] words  why not, where this process is the reason */
static bool attempt(const psg_plan *plan, psg_ipc_kind kind, char *words, size_t size) {
    const psg_processes *p = &plan->processes;
    const uint64_t key =
        ((uint64_t)getpid() << 32) ^ (uint64_t)(psg_clock() * 1e9) ^ (uint64_t)(uintptr_t)plan;
    double most = (double)memories_of(plan);
    psg_imports l;
    if (!psg_comm_max(p->comm, &most, 1)) {
        return false;
    }
    void **memory = calloc(memories_of(plan), sizeof *memory);
    bool good = imports_create(&l, plan, kind, (size_t)most) && memory != NULL;
    if (!good) {
        (void)snprintf(words, size, "it has no memory to try");
    }
    good = everywhere(plan, export_trial(&l, plan, memory, key, good, words, size));
    good = good && everywhere(plan, import_all(&l, plan, words, size));
    good = good && everywhere(plan, write_all(&l, plan, words, size));
    good = good && everywhere(plan, read_all(&l, plan, memory, words, size));
    close_all(&l, plan);
    const bool idle = meet(plan);
    for (size_t m = 0; idle && memory != NULL && m < memories_of(plan); m++) {
        if (memory[m] != NULL) {
            psg_ipc_free(kind, device_of(plan, m), memory[m]);
        }
    }
    free(memory);
    imports_free(&l);
    return everywhere(plan, good);
}

/* Can this process share memory, as far as it knows by itself? */
static bool suits(const psg_plan *plan, bool gpus, char *words, size_t size) {
    const char *why = "";
    if (gpus && plan->workers.gpu_count == 0) {
        why = "it has no GPU, and others have some";
    } else if (gpus && plan->workers.cpu_count > 0) {
        why = "cores take some of its tasks (cpu_share)";
    } else if (plan->workers.gpu_count > 1 && plan->route.placement->apart != NULL) {
        why = plan->route.placement->apart;
    }
    (void)snprintf(words, size, "%s", why);
    return why[0] == '\0';
}

/* The same for memory of GPUs. */
static bool shares_gpus(const psg_plan *plan, char *words, size_t size) {
    const bool alone = plan->workers.gpu_count > 1 && !psg_devices->peers();
    if (alone) {
        (void)snprintf(words, size, "its GPUs do not reach each other's memory");
    }
    return !alone;
}

static psg_status fail_if(const char *words) {
    return words[0] == '\0'
               ? PSG_OK
               : psg_fail(PSG_ERR_UNSUPPORTED, "exchange direct between processes: %s", words);
}

/* All processes keep in their notes why one of them cannot. Collective. @param[in] mine  of this
 * process */
static psg_status note(psg_shared *shared, const psg_plan *plan, psg_status mine) {
    const psg_status status = psg_ranks_agree(plan->processes.comm, mine);
    if (status != PSG_ERR_UNSUPPORTED) {
        return status;
    }
    (void)snprintf(shared->note, sizeof shared->note, "%s", psg_last_error());
    psg_clear_error();
    return PSG_OK;
}

/* Memory of GPUs where all processes have some and reach it; else main memory, with a note why.
 * Collective.
 * @param[out] words  why neither will do, where this process is the reason */
static psg_status try_kinds(psg_shared *shared, const psg_plan *plan, bool gpus, char *words,
                            size_t size) {
    shared->kind = PSG_IPC_GPUS;
    if (gpus) {
        shared->possible = everywhere(plan, shares_gpus(plan, words, size)) &&
                           attempt(plan, PSG_IPC_GPUS, words, size);
        if (shared->possible) {
            return PSG_OK;
        }
        const psg_status status = note(shared, plan, fail_if(words));
        if (status != PSG_OK) {
            return status;
        }
    }
    words[0] = '\0';
    shared->kind = PSG_IPC_MAIN;
    shared->possible = attempt(plan, PSG_IPC_MAIN, words, size);
    return PSG_OK;
}

/* With AUTO the answer is one for all processes, and so is the reason. Else the process that is the
 * reason fails. */
psg_status psg_shared_try(psg_shared *shared, const psg_plan *plan) {
    const psg_options *o = &plan->problem.options;
    const bool asked = o->exchange == PSG_EXCHANGE_DIRECT;
    char words[256] = "";
    if (plan->processes.ranks == 1 || !psg_platform->computes ||
        (!asked && o->exchange != PSG_EXCHANGE_AUTO)) {
        return PSG_OK;
    }
    if (everywhere(plan, plan->processes.comm->node_ranks == 1)) {
        return asked ? fail_if("each process is alone on its node") : PSG_OK;
    }
    const bool gpus = !everywhere(plan, plan->workers.gpu_count == 0);
    const bool able = everywhere(plan, suits(plan, gpus, words, sizeof words));
    psg_status status = able ? try_kinds(shared, plan, gpus, words, sizeof words) : PSG_OK;
    if (status != PSG_OK || shared->possible) {
        return status;
    }
    status = fail_if(words);
    if (asked) {
        return status;
    }
    return note(shared, plan, status);
}

const char *psg_plan_note(const psg_plan *plan) {
    return plan != NULL ? plan->shared.note : "";
}

/* ---------------------------------------------------------------------------------- workspaces */

bool psg_shared_allocate(const psg_plan *plan, psg_chunk *chunk) {
    const psg_ipc_kind kind = plan->shared.kind;
    const bool counted = chunk->node != STARPU_MAIN_RAM && kind == PSG_IPC_GPUS;
    if (counted && starpu_memory_allocate((unsigned)chunk->node, chunk->bytes, 0) != 0) {
        return false;
    }
    for (size_t g = 0; g < memories_of(plan) && chunk->memory == NULL; g++) {
        if (chunk->node == STARPU_MAIN_RAM ||
            psg_placement_node(plan->workers.gpus[g]) == chunk->node) {
            chunk->gpu = g;
            chunk->memory = psg_ipc_allocate(kind, device_of(plan, g), chunk->bytes);
            break;
        }
    }
    if (counted && chunk->memory == NULL) {
        starpu_memory_deallocate((unsigned)chunk->node, chunk->bytes);
    }
    return chunk->memory != NULL;
}

void psg_shared_free(const psg_plan *plan, psg_chunk *chunk) {
    psg_ipc_free(plan->shared.kind, device_of(plan, chunk->gpu), chunk->memory);
    if (chunk->node != STARPU_MAIN_RAM && plan->shared.kind == PSG_IPC_GPUS) {
        starpu_memory_deallocate((unsigned)chunk->node, chunk->bytes);
    }
}

/* The first item in a memory exports the memory. Every item has its offset there. */
static bool export_items(psg_workspace *workspace, const psg_plan *plan, size_t count, char *words,
                         size_t size) {
    psg_imports *l = workspace->imports;
    bool good = true;
    size_t next = 0; /* memory */
    exported mine;
    memset(&mine, 0, sizeof mine);
    for (size_t m = 0; m < l->most; m++) {
        mine.there = 0;
        if (good && m < count) {
            mine.there = next < workspace->chunk_count && workspace->chunks[next].first == m;
            mine.first = mine.there ? m : mine.first;
            mine.offset =
                (uint64_t)((char *)workspace->item[m] - (char *)workspace->item[mine.first]);
        }
        if (mine.there) {
            const psg_chunk *chunk = &workspace->chunks[next++];
            good = psg_ipc_export(l->kind, device_of(plan, chunk->gpu), chunk->memory, &mine.handle,
                                  words, size);
            mine.there = good;
        }
        if (!gather(l, plan, m, &mine)) {
            return false;
        }
    }
    return good;
}

bool psg_shared_reaches(const psg_plan *plan, int rank) {
    return rank == plan->processes.rank ||
           (plan->route.sharing != NULL && plan->processes.comm->near[rank] >= 0);
}

void *psg_shared_item(const psg_workspace *workspace, const psg_plan *plan, int rank, size_t m,
                      int worker) {
    const psg_imports *l = workspace->imports;
    size_t own = 0;
    while (own + 1 < l->memories && plan->workers.gpus[own] != worker) {
        own++;
    }
    const size_t first = (size_t)plan->processes.comm->near[rank] * l->most;
    const exported *item = &l->exported[first + m];
    const size_t memory = first + item->first;
    return (char *)l->imported[own * l->others + memory] + item->offset;
}

psg_status psg_shared_connect(psg_workspace *workspace, const psg_plan *plan, size_t items,
                              psg_status status) {
    psg_comm *comm = plan->processes.comm;
    char words[256] = "";
    double most = (double)items;
    if (!psg_comm_max(comm, &most, 1)) {
        return psg_fail(PSG_ERR_RUNTIME, "%s", comm->words);
    }
    psg_imports *l = calloc(1, sizeof *l);
    if (status == PSG_OK &&
        (l == NULL || !imports_create(l, plan, plan->shared.kind, (size_t)most))) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for the loans of %d processes",
                          plan->processes.ranks);
    }
    status = psg_ranks_agree(comm, status);
    if (status != PSG_OK || l == NULL) {
        if (l != NULL) {
            imports_free(l);
        }
        free(l);
        return status;
    }
    workspace->imports = l;
    const bool exported_all = export_items(workspace, plan, items, words, sizeof words);
    status = psg_ranks_agree(comm, exported_all ? PSG_OK
                                                : psg_fail(PSG_ERR_RUNTIME,
                                                           "the spectrum could not be lent: %s",
                                                           words[0] != '\0' ? words : comm->words));
    if (status != PSG_OK) {
        return status;
    }
    return psg_ranks_agree(comm, import_all(l, plan, words, sizeof words)
                                     ? PSG_OK
                                     : psg_fail(PSG_ERR_RUNTIME, "%s", words));
}

bool psg_shared_disconnect(psg_workspace *workspace, const psg_plan *plan) {
    if (workspace->imports == NULL) {
        return true;
    }
    close_all(workspace->imports, plan);
    imports_free(workspace->imports);
    free(workspace->imports);
    workspace->imports = NULL;
    return meet(plan);
}
