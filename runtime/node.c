/* The cores and GPUs of a node, divided among its processes: each has a run of neighbours, and
 * none has another's. */
#include "runtime/node.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PUS_MOST = 4096, MASK_WORDS = PUS_MOST / 64 };

/* Sets of processing units by the system's numbers, as processes tell them each other. */
typedef struct mask {
    uint64_t word[MASK_WORDS];
} mask;

static void to_mask(hwloc_const_cpuset_t set, mask *m) {
    memset(m, 0, sizeof *m);
    for (int pu = hwloc_bitmap_first(set); pu >= 0 && pu < PUS_MOST;
         pu = hwloc_bitmap_next(set, pu)) {
        m->word[pu / 64] |= (uint64_t)1 << (pu % 64);
    }
}

static void from_mask(const mask *m, hwloc_cpuset_t set) {
    hwloc_bitmap_zero(set);
    for (unsigned pu = 0; pu < PUS_MOST; pu++) {
        if (m->word[pu / 64] >> (pu % 64) & 1) {
            hwloc_bitmap_set(set, pu);
        }
    }
}

hwloc_topology_t psg_share_topology(void) {
    hwloc_topology_t topology = NULL;
    if (hwloc_topology_init(&topology) == 0 && hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        topology = NULL;
    }
    return topology;
}

static int cores_in(hwloc_topology_t topology, hwloc_const_cpuset_t set) {
    int count = 0;
    for (hwloc_obj_t core = NULL;
         (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != NULL;) {
        count += hwloc_bitmap_intersects(core->cpuset, set) ? 1 : 0;
    }
    return count;
}

/* Part `rank` of `ranks` of the cores in a set; where there are fewer cores than parts, one core
 * that is others' too. */
static void take_part(hwloc_topology_t topology, int rank, int ranks, hwloc_cpuset_t set) {
    const int cores = cores_in(topology, set);
    const int first = rank * cores / ranks;
    const int end = (rank + 1) * cores / ranks;
    int number = 0;
    hwloc_cpuset_t part = hwloc_bitmap_alloc();
    for (hwloc_obj_t core = NULL; part != NULL && (core = hwloc_get_next_obj_by_type(
                                                       topology, HWLOC_OBJ_CORE, core)) != NULL;) {
        if (hwloc_bitmap_intersects(core->cpuset, set)) {
            if (number == first || (number > first && number < end)) {
                hwloc_bitmap_or(part, part, core->cpuset);
            }
            number++;
        }
    }
    if (part != NULL && !hwloc_bitmap_iszero(part)) {
        hwloc_bitmap_and(set, set, part);
    }
    hwloc_bitmap_free(part);
}

/* Open MPI binds two processes to a core each, however many the node has, unless it is told
 * otherwise; and it tells its processes if it was. */
static bool bound_by_default(hwloc_topology_t topology, hwloc_const_cpuset_t mine) {
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE",
                                            "OMPI_MCA_hwloc_base_binding_policy",
                                            "OMPI_MCA_hwloc_base_cpu_set"};
    bool by_default = cores_in(topology, mine) == 1;
    for (size_t m = 0; m < sizeof variables / sizeof *variables; m++) {
        by_default = by_default && (getenv(variables[m]) != NULL) == (m == 0);
    }
    return by_default;
}

/* If the launcher gave processes the same cores, divide these. If it bound each process to one core
 * unasked, divide all cores of the node. Otherwise keep its choice. All processes of the node come
 * to the same. */
static void divide(hwloc_topology_t topology, int rank, int ranks, const mask *given,
                   hwloc_cpuset_t mine) {
    hwloc_cpuset_t all = hwloc_bitmap_alloc();
    hwloc_cpuset_t one = hwloc_bitmap_alloc();
    bool overlap = false;
    bool unasked = true;
    for (int r = 0; all != NULL && one != NULL && r < ranks; r++) {
        from_mask(&given[r], one);
        overlap = overlap || hwloc_bitmap_intersects(all, one);
        unasked = unasked && bound_by_default(topology, one);
        hwloc_bitmap_or(all, all, one);
    }
    if (all != NULL && one != NULL && (overlap || unasked)) {
        hwloc_bitmap_copy(mine, unasked ? hwloc_topology_get_allowed_cpuset(topology) : all);
        take_part(topology, rank, ranks, mine);
    }
    hwloc_bitmap_free(all);
    hwloc_bitmap_free(one);
}

void psg_share_enter(psg_share *share, psg_comm *comm) {
    *share = (psg_share){.ranks = 1};
    if (comm == NULL) {
        return;
    }
    hwloc_topology_t topology = psg_share_topology();
    const int rank = comm->node_rank;
    const int ranks = comm->node_ranks;
    share->rank = rank;
    share->ranks = ranks;
    hwloc_cpuset_t mine = hwloc_bitmap_alloc();
    mask own;
    memset(&own, 0, sizeof own);
    const bool known = mine != NULL && topology != NULL &&
                       hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_THREAD) == 0;
    if (known) {
        to_mask(mine, &own);
    }
    const mask *given = psg_comm_node_gather(comm, &own, sizeof own, "to tell which cores it has");
    if (given != NULL && known) {
        share->before = hwloc_bitmap_dup(mine);
        divide(topology, rank, ranks, given, mine);
        share->cores = cores_in(topology, mine);
        (void)hwloc_set_cpubind(topology, mine, HWLOC_CPUBIND_THREAD);
    }
    hwloc_bitmap_free(mine);
    share->topology = topology;
}

void psg_share_leave(psg_share *share) {
    if (share->before != NULL) {
        (void)hwloc_set_cpubind(share->topology, share->before, HWLOC_CPUBIND_THREAD);
        hwloc_bitmap_free(share->before);
    }
    if (share->topology != NULL) {
        hwloc_topology_destroy(share->topology);
    }
}

void psg_share_machine(char *model, size_t size, int *cores) {
    hwloc_topology_t topology = psg_share_topology();
    hwloc_cpuset_t mine = hwloc_bitmap_alloc();
    const char *name = NULL;
    int count = 0;
    if (topology != NULL) {
        const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
        name = package != NULL ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    }
    if (topology != NULL && mine != NULL &&
        hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_PROCESS) == 0) {
        count = cores_in(topology, mine);
    }
    if (model != NULL) {
        (void)snprintf(model, size, "%s", name != NULL ? name : "unknown");
    }
    if (cores != NULL) {
        *cores = count;
    }
    hwloc_bitmap_free(mine);
    if (topology != NULL) {
        hwloc_topology_destroy(topology);
    }
}

void psg_share_whole(unsigned *cores, unsigned *nodes) {
    hwloc_topology_t topology = psg_share_topology();
    *cores = *nodes = 0;
    if (topology != NULL) {
        const int named = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
        *cores = (unsigned)(named > 0 ? named : hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
        *nodes = (unsigned)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
        hwloc_topology_destroy(topology);
    }
}

/* Each process gets neighbours, as many as there are for each. Where there are more processes than
 * GPUs, they share the GPUs. */
void psg_share_gpus(psg_share *share, int there, int *count) {
    share->first_gpu = 0;
    if (*count < 0) {
        share->first_gpu = share->rank * there / share->ranks;
        *count = (share->rank + 1) * there / share->ranks - share->first_gpu;
        *count = *count == 0 && there > 0 ? 1 : *count;
    } else if (*count > 0 && *count <= there) {
        share->first_gpu = share->rank * *count % (there / *count * *count);
    }
}
