/* The planes of a grid are dealt out in runs that follow each other, none is left over, the first
 * runs are the longer ones by one; and a plan has the run that psg_local_extent() says. */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <limits.h>
#include <stdint.h>

static void definition(void) {
    for (size_t nz = 1; nz <= 40; ++nz) {
        for (int ranks = 1; ranks <= 50; ++ranks) {
            size_t next = 0, previous = SIZE_MAX, first = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                size_t z0 = SIZE_MAX, count = SIZE_MAX, want_z0, want_count;
                CHECK_STATUS(psg_local_extent(nz, ranks, rank, &z0, &count), PSG_OK);
                ranks_extent(nz, ranks, rank, &want_z0, &want_count);
                CHECK(z0 == next && z0 == want_z0 && count == want_count,
                      "%zu planes, process %d of %d: %zu from %zu instead of %zu from %zu", nz,
                      rank, ranks, count, z0, want_count, want_z0);
                first = rank == 0 ? count : first;
                CHECK(count <= previous && first - count <= 1,
                      "%zu planes, process %d of %d: %zu, the one before %zu, the first %zu", nz,
                      rank, ranks, count, previous, first);
                next = z0 + count;
                previous = count;
            }
            CHECK(next == nz, "%zu of %zu planes dealt out to %d", next, nz, ranks);
        }
    }
    /* the largest numbers that there are */
    for (int rank = 0; rank < 3; ++rank) {
        size_t third = SIZE_MAX / 3, z0 = 1, count = 1; /* 2^64 - 1 divides by 3 */
        CHECK_STATUS(psg_local_extent(SIZE_MAX, 3, rank, &z0, &count), PSG_OK);
        CHECK(z0 == (size_t)rank * third && count == third, "process %d: %zu from %zu", rank, count,
              z0);
        CHECK_STATUS(psg_local_extent(SIZE_MAX - 1, 3, rank, &z0, &count), PSG_OK);
        CHECK(z0 == (size_t)rank * third && count == third - (rank == 2),
              "process %d: %zu from %zu", rank, count, z0);
    }
    size_t z0 = 1, count = 1;
    CHECK_STATUS(psg_local_extent(40, INT_MAX, INT_MAX - 1, &z0, &count), PSG_OK);
    CHECK(z0 == 40 && count == 0, "the last of INT_MAX processes: %zu from %zu", count, z0);
}

static void arguments(void) {
    size_t z0 = 0, count = 0;
    CHECK_STATUS(psg_local_extent(0, 1, 0, &z0, &count), PSG_ERR_ARG);
    CHECK(psg_last_error()[0] != 0, "no words");
    CHECK_STATUS(psg_local_extent(5, 0, 0, &z0, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_local_extent(5, -1, 0, &z0, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_local_extent(5, 3, -1, &z0, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_local_extent(5, 3, 3, &z0, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_local_extent(5, INT_MIN, INT_MIN, &z0, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_local_extent(5, 3, 1, NULL, &count), PSG_OK);
    CHECK(count == 2, "%zu planes", count);
    CHECK_STATUS(psg_local_extent(5, 3, 1, &z0, NULL), PSG_OK);
    CHECK(z0 == 2, "from %zu", z0);
    CHECK_STATUS(psg_local_extent(5, 3, 1, NULL, NULL), PSG_OK);
    CHECK_STATUS(psg_plan_local_extent(NULL, &z0, &count), PSG_ERR_ARG);
    int aware = psg_mpi_cuda_aware();
    CHECK(aware == 0 || aware == 1, "psg_mpi_cuda_aware() is %d", aware);
}

static void of_plan(size_t nz, const MPI_Comm *comm) {
    psg_options options = ranks_options(PSG_F64, comm);
    size_t z0 = SIZE_MAX, count = SIZE_MAX, want_z0 = 0, want_count = nz;
    psg_grid grid = harness_box(3, 2, nz, 1, 1, 1);
    if (comm) {
        ranks_extent(nz, ranks_size(*comm), ranks_rank(*comm), &want_z0, &want_count);
    }
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(psg_plan_local_extent(plan, &z0, &count), PSG_OK);
    CHECK(z0 == want_z0 && count == want_count, "a plan of %zu planes: %zu from %zu", nz, count,
          z0);
    CHECK_STATUS(psg_plan_local_extent(plan, NULL, NULL), PSG_OK);
    CHECK_STATUS(psg_plan_local_extent(plan, &z0, NULL), PSG_OK);
    CHECK_STATUS(psg_plan_local_extent(plan, NULL, &count), PSG_OK);
}

int main(int argc, char **argv) {
    static const size_t nz[] = {1, 2, 3, 6, 7, 8, 20};
    ranks_start(&argc, &argv);
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
    if (ranks_rank(world) == 0) {
        definition();
    }
    arguments();
    psg_options options = ranks_options(PSG_F64, &world);
    psg_plan *anchor = NULL;
    psg_grid grid = harness_box(4, 4, 4, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&anchor, &grid, &options), PSG_OK);
    for (size_t n = 0; n < sizeof nz / sizeof *nz; ++n) {
        of_plan(nz[n], &world);
        of_plan(nz[n], &self);
        of_plan(nz[n], NULL);
    }
    psg_plan_destroy(anchor);
    return ranks_finish(check_result());
}
