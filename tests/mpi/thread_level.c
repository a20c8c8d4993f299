/* Where MPI is not as the library needs it, a plan with a communicator is PSG_ERR_STATE with words
 * that say why, and a plan without one works. So it is in all processes where MPI is not as needed
 * in one of them.
 *
 *     thread_level
 * single|funneled|serialized|multiple|mixed|none */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int level;
} levels[] = {{"single", MPI_THREAD_SINGLE},
              {"funneled", MPI_THREAD_FUNNELED},
              {"serialized", MPI_THREAD_SERIALIZED},
              {"multiple", MPI_THREAD_MULTIPLE}};

#define POINTS ((size_t)5 * 4 * 6)

static const oracle_grid box = {{5, 4, 6}, {1.0, 1.0, 1.0}};

static psg_status create(psg_plan **plan, const MPI_Comm *comm, unsigned in_flight) {
    psg_grid grid = harness_grid(&box);
    psg_options options = ranks_options(PSG_F64, comm);
    options.in_flight = in_flight;
    return psg_plan_create(plan, &grid, &options);
}

/** @param mentioned  what the words have to name */
static void refused(const char *mentioned) {
    MPI_Comm comm = MPI_COMM_WORLD;
    static char place;
    psg_plan *plan = (psg_plan *)(void *)&place;
    CHECK_SAYS(create(&plan, &comm, 2), PSG_ERR_STATE, mentioned);
    CHECK(plan == NULL, "*plan was left as it was");
}

static void works_alone(const char *when) {
    double f[POINTS], u[POINTS], want[POINTS];
    psg_plan *plan = NULL;
    oracle_random(1, POINTS, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    if (CHECK_STATUS(create(&plan, NULL, 2), PSG_OK)) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_CLOSE(u, want, box.n[0], box.n[1], box.n[2], 1e-12, "a plan without comm, %s", when);
    }
    psg_plan_destroy(plan);
}

static void works_together(void) {
    MPI_Comm comm = MPI_COMM_WORLD;
    double f[POINTS], u[POINTS], want[POINTS];
    psg_plan *plan = NULL;
    oracle_random(1, POINTS, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    if (CHECK_STATUS(create(&plan, &comm, 2), PSG_OK)) {
        AT_END(share_free) share s = share_make(comm, PSG_F64, &box, 0);
        share_take(&s, f);
        CHECK_STATUS(psg_solve(plan, s.f, s.u), PSG_OK);
        share_gather(&s, comm, u);
        CHECK_CLOSE(u, want, box.n[0], box.n[1], box.n[2], 1e-12, "a plan with comm");
    }
    psg_plan_destroy(plan);
}

/** "mixed": the first process has all that is needed, the others have not. */
static int level_of(const char *name) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    rank = rank ? rank : getenv("PMI_RANK");
    if (strcmp(name, "mixed") == 0) {
        return rank && atoi(rank) == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
    }
    for (size_t l = 0; l < sizeof levels / sizeof *levels; ++l) {
        if (strcmp(name, levels[l].name) == 0) {
            return levels[l].level;
        }
    }
    return -1;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "none";
    int level = level_of(name), provided = MPI_THREAD_SINGLE;
    refused("MPI");
    works_alone("before MPI_Init");
    if (level < 0) {
        CHECK(strcmp(name, "none") == 0, "there is no level %s", name);
        return check_result();
    }
    MPI_Init_thread(&argc, &argv, level, &provided);
    printf("asked for %s, got %d of %d\n", name, provided, MPI_THREAD_MULTIPLE);
    if (ranks_all(MPI_COMM_WORLD, provided == MPI_THREAD_MULTIPLE)) {
        works_together();
    } else {
        refused("MPI_THREAD_MULTIPLE");
        refused("MPI_THREAD_MULTIPLE");
    }
    works_alone("while MPI runs");
    int result = ranks_finish(check_result());
    refused("MPI");
    works_alone("after MPI_Finalize");
    return result || check_result();
}
