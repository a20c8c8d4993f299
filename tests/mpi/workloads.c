/* A workload that several processes share has the answer of one process, to the last bit where its
 * numbers are whole ones or sums in a fixed order. What one process refuses fails in all of them,
 * with its words. What is for one process, or has fewer parts than there are processes, is
 * refused. The points of jacobi have the bits of one sweep after the other; where it is
 * synchronous, no inside of a tile begins before all edges of the step have come. */
#include "tests/mpi/ranks.h"
#include "tests/workloads/runs.h"

enum { MOST = 16 };

/* Where the bits of sums are not those of one process, `near` is how far they may be off. pcg's sums
 * have those bits, but an answer sums the errors of the processes: INFINITY, and such answers are
 * above 0 and within their tolerance. */
typedef struct job {
    const char *name;
    size_t tile;
    size_t parts; /* each process needs one */
    double near;
    psg_precision precision;
} job;

static const job jobs[] = {{"ep:S", 20, 16, 0, PSG_F64},
                           {"ep:S", 22, 4, 0, PSG_F64},
                           {"ep:S:redux", 20, 16, 1e-12, PSG_F64},
                           {"dock:64:60", 8, 12, 0, PSG_F64},
                           {"dock:64:60", 1, 90, 0, PSG_F64},
                           {"dock:64:90:electrostatics", 4, 6, 0, PSG_F64},
                           {"pcg:20", 3, 20, INFINITY, PSG_F64},
                           {"pcg:24:body", 0, 24, INFINITY, PSG_F64},
                           {"pcg:24:ball", 2, 24, INFINITY, PSG_F32},
                           {"jacobi:131:20", 17, 129, 1e-12, PSG_F64},
                           {"jacobi:131:20", 17, 129, 1e-12, PSG_F32},
                           {"jacobi:131:20:sync", 17, 129, 1e-12, PSG_F64},
                           {"jacobi:131:20:async:strided", 40, 129, 1e-12, PSG_F64},
                           {"jacobi:131:20:sync:strided", 129, 129, 1e-12, PSG_F64},
                           {"jacobi:131:20:sync:strided", 50, 129, 1e-12, PSG_F32},
                           {"jacobi:10:7", 1, 8, 1e-12, PSG_F64},
                           {"jacobi:10:7:strided", 3, 8, 1e-12, PSG_F64}};
enum { JOBS = sizeof jobs / sizeof *jobs };

static workload_options how_of(const job *j) {
    const workload_options how = {.tile = j->tile};
    return how;
}

/* @return how many numbers the answer has */
static size_t alone(const job *j, workload_answer *answers) {
    const MPI_Comm none = MPI_COMM_WORLD;
    psg_options options = ranks_options(j->precision, &none);
    const workload_options how = how_of(j);
    options.comm = NULL;
    RUNS workload *work = runs_make(j->name, &how, &options);
    return runs_answer(work, answers, MOST);
}

static void check_answer(const job *j, workload *work, const workload_answer *wanted,
                         size_t count) {
    workload_answer a[MOST];
    const size_t found = runs_answer(work, a, MOST);
    CHECK(found == count, "%s: %zu numbers, not %zu", j->name, found, count);
    for (size_t m = 0; m < count && m < found; m++) {
        CHECK(strcmp(a[m].name, wanted[m].name) == 0 && a[m].expected == wanted[m].expected,
              "%s: %s is checked against %.17g", j->name, a[m].name, a[m].expected);
        if (isinf(j->near) && wanted[m].expected == 0 && isfinite(wanted[m].tolerance)) {
            CHECK(a[m].value > 0 && a[m].value <= wanted[m].tolerance, "%s: %s is %g",
                  workload_about(work), a[m].name, a[m].value);
            continue;
        }
        CHECK_NEAR(a[m].value, wanted[m].value,
                   isinf(j->near) ? 0 : j->near * fabs(wanted[m].value), "%s: %s",
                   workload_about(work), a[m].name);
    }
}

/* Each process has done some of the tasks. */
static void check_share(const job *j, const workload *work, const MPI_Comm comm) {
    const long own = (long)harness_tasks(workload_work(work), NULL);
    CHECK(own > 0, "%s: no task here", j->name);
    CHECK(ranks_size(comm) == 1 || ranks_sum(comm, own) > own, "%s: the others have no task",
          j->name);
}

/* @param[in] steps  of jacobi, at most 64 */
static void check_steps(const job *j, const workload *work) {
    double come[64] = {0}, begun[64];
    size_t count = 0, tasks[2] = {0, 0};
    CHECK_STATUS(psg_work_events(workload_work(work), NULL, 0, &count), PSG_OK);
    FREED psg_event *event = calloc(count + 1, sizeof *event);
    CHECK_STATUS(psg_work_events(workload_work(work), event, count, &count), PSG_OK);
    for (int s = 0; s < 64; s++) {
        begun[s] = INFINITY;
    }
    for (size_t m = 0; m < count; m++) {
        const psg_event *e = &event[m];
        const char *name = psg_stage_name(e->stage);
        if (e->rank >= 0 && e->received) {
            come[e->step] = fmax(come[e->step], e->end);
        } else if (strcmp(name, "jacobi_inside") == 0) {
            begun[e->step] = fmin(begun[e->step], e->start);
            tasks[0]++;
        }
        tasks[1] += strcmp(name, "jacobi_rim") == 0;
    }
    CHECK(tasks[0] == tasks[1], "%s: %zu insides, %zu rims", j->name, tasks[0], tasks[1]);
    for (int s = 0; s < 64 && strstr(j->name, ":sync") != NULL; s++) {
        CHECK(begun[s] >= come[s] - 1e-6, "%s: step %d begins at %g, its edges come till %g",
              j->name, s, begun[s], come[s]);
    }
}

static void same(const job *j, const MPI_Comm *comm) {
    workload_answer wanted[MOST];
    const workload_options how = how_of(j);
    ranks_at("%s in f%d, tile %zu", j->name, j->precision == PSG_F32 ? 32 : 64, j->tile);
    const size_t count = alone(j, wanted);
    const psg_options options = ranks_options(j->precision, comm);
    workload *work = NULL;
    if (j->parts < (size_t)ranks_size(*comm)) {
        CHECK_SAYS(workload_create(&work, j->name, &how, &options), PSG_ERR_ARG, "fewer processes");
        CHECK(work == NULL, "a workload after a failure");
        return;
    }
    RUNS workload *shared = runs_make(j->name, &how, &options);
    check_answer(j, shared, wanted, count);
    check_answer(j, shared, wanted, count); /* and once more */
    check_share(j, shared, *comm);
    if (strncmp(j->name, "jacobi", 6) == 0) {
        check_steps(j, shared);
    }
}

/* ------------------------------------------------------------------------------------- refused */

static void refused(const MPI_Comm *comm) {
    const int ranks = ranks_size(*comm), last = ranks_rank(*comm) == ranks - 1;
    const psg_options options = ranks_options(PSG_F64, comm);
    const workload_options wrong = {.tile = last ? 3 : 20};
    static const char *const single[] = {"cg:S", "qr:100", "transpose:100", "vadd:1000",
                                         "blocks:5+6"};
    workload *work = NULL;
    ranks_at("what is refused");
    CHECK_SAYS(workload_create(&work, last ? "ep:Q" : "ep:S", NULL, &options), PSG_ERR_ARG,
               "no class 'Q'");
    CHECK_SAYS(workload_create(&work, last ? "pe:S" : "ep:S", NULL, &options), PSG_ERR_ARG,
               "no workload 'pe'");
    CHECK_SAYS(workload_create(&work, "ep:S", &wrong, &options), PSG_ERR_ARG, "tile = 3");
    for (size_t m = 0; m < sizeof single / sizeof *single && ranks > 1; m++) {
        const psg_status status = workload_create(&work, single[m], NULL, &options);
        CHECK(status == PSG_ERR_UNSUPPORTED && work == NULL, "%s: status %d, %s", single[m], status,
              psg_last_error());
    }
    if (ranks > 1) {
        CHECK_SAYS(workload_create(&work, "jacobi:3", NULL, &options), PSG_ERR_ARG,
                   "1 x 1 points inside: take fewer processes");
        CHECK_SAYS(workload_create(&work, "cg:S", NULL, &options), PSG_ERR_UNSUPPORTED,
                   "cg is for one process, and there are");
    } else { /* a launcher may start one process, too */
        RUNS workload *pcg = runs_make("pcg:16", NULL, &options);
        CHECK_STATUS(workload_run(pcg), PSG_OK);
        CHECK_STATUS(workload_check(pcg), PSG_OK);
    }
}

int main(int argc, char **argv) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    ranks_start(&argc, &argv);
    for (int m = 0; m < JOBS; m++) {
        same(&jobs[m], &comm);
    }
    refused(&comm);
    return ranks_finish(check_result());
}
