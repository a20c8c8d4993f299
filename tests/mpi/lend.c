/* Processes of a node that write and read blocks in each other's memory (exchange direct) give the
 * answer of one process, and its gradient, with several solves in flight too, and send no data in
 * messages. Between nodes, imitated by PSG_TEST_NODE, go the blocks in messages, and no more.
 * Where one process cannot import the memory of GPUs, they do the same by main memory,
 * with a note that names the process. Where one process cannot export or import memory, all of them
 * send messages, and the note names that process. So does the staged graph, without a note. NCCL
 * carries the blocks where it is asked for. */
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/mpi/ipc.h"
#include "tests/mpi/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Planes of a size with a kernel of their own on GPUs, and without; odd and even lengths; fewer
 * planes or rows than processes. */
static const oracle_grid grids[] = {
    {{64, 64, 64}, {1.0, 1.0, 1.0}}, {{12, 11, 13}, {1.0, 1.1, 2.0}},
    {{33, 30, 32}, {1.0, 1.1, 0.9}}, {{16, 15, 37}, {1.0, 1.0, 2.0}},
    {{9, 1, 12}, {1.0, 1.0, 1.0}},   {{10, 11, 1}, {1.0, 2.0, 1.0}},
    {{1, 6, 9}, {1.0, 1.0, 1.5}},
};
#define GRIDS (sizeof grids / sizeof *grids)

static const struct cut {
    size_t segment_planes, sheets;
} cuts[] = {{0, 0}, {5, 7}, {1, 1000}, {1000, 1}};
#define CUTS (sizeof cuts / sizeof *cuts)

enum { FLIGHTS = 2, ROUNDS = 3 };

static int through_main;  /* no process imports the memory of another's GPU */
static int all_bits;      /* u has the bits of one process */
static const char *nodes; /* a letter for the node of each process; NULL: all are on one */

/* Does a process get its blocks in messages? */
static int gets_messages(psg_exchange exchange, int rank) {
    const int own = ranks_rank(MPI_COMM_WORLD);
    return rank != own &&
           (exchange != PSG_EXCHANGE_DIRECT || (nodes != NULL && nodes[rank] != nodes[own]));
}

/* What one solve sends: this process' planes of the rows of others, and its rows of their planes. */
static uint64_t bytes_sent(const oracle_grid *grid, psg_precision precision,
                           psg_exchange exchange) {
    const int ranks = ranks_size(MPI_COMM_WORLD), own = ranks_rank(MPI_COMM_WORLD);
    const size_t row = 2 * (grid->n[0] / 2 + 1) * (precision == PSG_F64 ? 8 : 4);
    uint64_t sent = 0;
    size_t first, planes, rows, their_planes, their_rows;
    ranks_extent(grid->n[2], ranks, own, &first, &planes);
    ranks_extent(grid->n[1], ranks, own, &first, &rows);
    for (int r = 0; r < ranks; ++r) {
        ranks_extent(grid->n[2], ranks, r, &first, &their_planes);
        ranks_extent(grid->n[1], ranks, r, &first, &their_rows);
        sent += gets_messages(exchange, r) ? row * (planes * their_rows + their_planes * rows) : 0;
    }
    return sent;
}

static psg_statistics statistics_of(const psg_plan *plan) {
    const psg_statistics s = harness_statistics(plan);
    return s;
}

/* f and u of a grid, and the gradient of u: what one process makes of f. By grid and precision. */
typedef struct answer {
    double *f, *u, *g[3];
} answer;

static answer kept[GRIDS][2];

static answer answer_of(const oracle_grid *grid, psg_precision precision) {
    const size_t points = oracle_points(grid);
    const psg_grid g = harness_grid(grid);
    const psg_options options = ranks_options(precision, NULL);
    AT_END(part_free) part p = part_make(MPI_COMM_SELF, precision, grid);
    psg_plan *plan = NULL;
    answer a = {.f = oracle_array(points), .u = oracle_array(points)};
    oracle_random(grid->n[0] + 100, points, a.f);
    harness_round(precision, points, a.f);
    if (CHECK_STATUS(psg_plan_create(&plan, &g, &options), PSG_OK)) {
        CHECK_STATUS(part_submit(&p, plan, a.f, 7), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
    }
    psg_plan_destroy(plan);
    share_gather(&p.u, MPI_COMM_SELF, a.u);
    for (int d = 0; d < 3; ++d) {
        a.g[d] = oracle_array(points);
        share_gather(&p.g[d], MPI_COMM_SELF, a.g[d]);
    }
    return a;
}

static void compare(const share *s, const double *want, const char *field, const char *words,
                    int number) {
    const size_t *n = s->grid.n;
    FREED double *u = oracle_array(oracle_points(&s->grid));
    CHECK(share_intact(s), "%s: f or what is beside %s was written", words, field);
    share_gather(s, MPI_COMM_WORLD, u);
    CHECK_CLOSE(u, want, n[0], n[1], n[2],
                harness_tolerance(s->precision, 1e-14, 1e-6) * (field[0] == 'u' ? 1 : 10),
                "%s, solve %d, %s of one process", words, number, field);
    /* along 37 points a transform is a product with a matrix, and with a gradient another one */
    const int bits = all_bits && field[0] == 'u' && n[2] != 37;
    CHECK(!bits || memcmp(u, want, oracle_points(&s->grid) * sizeof *u) == 0,
          "%s, solve %d: other bits than one process has", words, number);
}

/* Several solves in flight, of which each process begins some later than others, and each wants
 * other components of the gradient. */
static void solve(psg_plan *plan, const oracle_grid *grid, psg_precision precision, const answer *a,
                  const char *words) {
    static const char *const names[3] = {"x", "y", "z"};
    static unsigned turn;
    part p[FLIGHTS];
    for (int m = 0; m < FLIGHTS; ++m) {
        p[m] = part_make(MPI_COMM_WORLD, precision, grid);
    }
    for (int round = 0; round < ROUNDS; ++round, ++turn) {
        for (int m = 0; m < FLIGHTS; ++m) {
            ranks_stagger(MPI_COMM_WORLD, round + m);
            CHECK_STATUS(part_submit(&p[m], plan, a->f, (turn + 4 * (unsigned)m) % 8), PSG_OK);
        }
        for (int m = 0; m < FLIGHTS; ++m) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
            compare(&p[m].u, a->u, "u", words, FLIGHTS * round + m);
            for (int d = 0; d < 3; ++d) {
                if (p[m].wanted >> d & 1) {
                    compare(&p[m].g[d], a->g[d], names[d], words, FLIGHTS * round + m);
                }
            }
            const psg_statistics told = statistics_of(plan);
            CHECK(told.stage[PSG_STAGE_EXCHANGE].seconds >= 0 &&
                      told.stage[PSG_STAGE_EXCHANGE].seconds <= told.seconds,
                  "%s: messages are on their way for %g of %g seconds", words,
                  told.stage[PSG_STAGE_EXCHANGE].seconds, told.seconds);
        }
    }
    for (int m = 0; m < FLIGHTS; ++m) {
        part_free(&p[m]);
    }
}

/* One solve without a gradient. */
static void check_bytes(psg_plan *plan, const oracle_grid *grid, psg_precision precision,
                        psg_exchange exchange, const answer *a, const char *words) {
    part p = part_make(MPI_COMM_WORLD, precision, grid);
    const uint64_t want = bytes_sent(grid, precision, exchange);
    CHECK_STATUS(part_submit(&p, plan, a->f, 0), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    compare(&p.u, a->u, "u", words, 0);
    const psg_statistics s = statistics_of(plan);
    CHECK(s.link[PSG_LINK_MESSAGE].bytes == want, "%s: %llu bytes in messages in place of %llu",
          words, (unsigned long long)s.link[PSG_LINK_MESSAGE].bytes, (unsigned long long)want);
    part_free(&p);
}

/* @return the plan, on all processes or on none */
static psg_plan *plan_of(const oracle_grid *grid, const psg_options *options) {
    const psg_grid g = harness_grid(grid);
    psg_plan *plan = NULL;
    if (!ranks_all(MPI_COMM_WORLD, CHECK_STATUS(psg_plan_create(&plan, &g, options), PSG_OK))) {
        psg_plan_destroy(plan);
        return NULL;
    }
    return plan;
}

static void one_plan(const oracle_grid *grid, psg_precision precision, psg_exchange exchange,
                     const struct cut *cut, const answer *a) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    const int several = ranks_size(comm) > 1;
    psg_options options = ranks_options(precision, &comm);
    char words[200];
    options.exchange = exchange;
    options.segment_planes = cut->segment_planes;
    options.sheets = cut->sheets;
    options.in_flight = FLIGHTS;
    snprintf(words, sizeof words, "%zux%zux%zu, %s, exchange %d, %zu planes, %zu sheets",
             grid->n[0], grid->n[1], grid->n[2], harness_precision_name(precision), (int)exchange,
             cut->segment_planes, cut->sheets);
    ranks_at("%s", words);
    DESTROYED psg_plan *plan = plan_of(grid, &options);
    if (plan == NULL) {
        return;
    }
    const psg_exchange want = exchange == PSG_EXCHANGE_AUTO ? PSG_EXCHANGE_DIRECT : exchange;
    solve(plan, grid, precision, a, words);
    const psg_statistics s = statistics_of(plan);
    CHECK(!several || s.exchange == want, "%s: exchange %d, %s", words, (int)s.exchange,
          psg_plan_note(plan));
    check_bytes(plan, grid, precision, want, a, words);
    CHECK(!several || want != PSG_EXCHANGE_DIRECT ||
              (strstr(psg_plan_route(plan), "messages to other nodes") != NULL) == (nodes != NULL),
          "%s: %s", words, psg_plan_route(plan));
    const int noted = several && want == PSG_EXCHANGE_DIRECT && through_main;
    CHECK((psg_plan_note(plan)[0] != '\0') == noted, "%s: %s", words, psg_plan_note(plan));
}

static void answers(const psg_exchange exchanges[3]) {
    size_t n = 0;
    for (size_t g = 0; g < GRIDS; ++g) {
        for (int p = 0; p < 2; ++p) {
            for (size_t c = 0; c < CUTS; ++c) {
                const psg_exchange exchange = exchanges[n++ % 3];
                const int slow = all_bits && g == 0 && c == 2; /* 1024 rounds each way */
                if (slow) {
                    continue;
                }
                if (exchange != PSG_EXCHANGE_DIRECT || ranks_size(MPI_COMM_WORLD) > 1) {
                    one_plan(&grids[g], p ? PSG_F32 : PSG_F64, exchange, &cuts[c], &kept[g][p]);
                }
            }
        }
    }
}

/* The last process cannot export memory, or import any. */
static void one_fails(ipc_call call) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    const int victim = ranks_size(comm) - 1;
    const psg_grid g = harness_grid(&grids[1]);
    psg_options options = ranks_options(PSG_F64, &comm);
    char name[32];
    psg_plan *plan = NULL;
    snprintf(name, sizeof name, "process %d", victim);
    ranks_at("%s fails in call %d", name, (int)call);
    if (ranks_rank(comm) == victim) {
        ipc_fail(call);
    }
    options.exchange = PSG_EXCHANGE_DIRECT;
    CHECK_STATUS(psg_plan_create(&plan, &g, &options), PSG_ERR_UNSUPPORTED);
    CHECK(plan == NULL && strncmp(psg_last_error(), name, strlen(name)) == 0, "words: %s",
          psg_last_error());
    options.exchange = PSG_EXCHANGE_AUTO;
    plan = plan_of(&grids[1], &options);
    if (plan != NULL) {
        const char *note = psg_plan_note(plan);
        CHECK(statistics_of(plan).exchange == PSG_EXCHANGE_MPI, "exchange %d",
              (int)statistics_of(plan).exchange);
        CHECK(strncmp(note, name, strlen(name)) == 0, "note: %s", note);
        solve(plan, &grids[1], PSG_F64, &kept[1][0], "after a failed trial");
    }
    psg_plan_destroy(plan);
    ipc_mend();
    plan = plan_of(&grids[1], &options);
    if (plan != NULL) {
        CHECK(statistics_of(plan).exchange == PSG_EXCHANGE_DIRECT, "exchange %d",
              (int)statistics_of(plan).exchange);
    }
    psg_plan_destroy(plan);
}

static void staged(void) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    const psg_grid g = harness_grid(&grids[1]);
    psg_options options = ranks_options(PSG_F64, &comm);
    psg_plan *plan = NULL;
    ranks_at("the staged graph");
    options.graph = PSG_GRAPH_STAGED;
    plan = plan_of(&grids[1], &options);
    if (plan != NULL) {
        CHECK(statistics_of(plan).exchange == PSG_EXCHANGE_MPI, "exchange %d",
              (int)statistics_of(plan).exchange);
        CHECK(psg_plan_note(plan)[0] == '\0', "note: %s", psg_plan_note(plan));
        solve(plan, &grids[1], PSG_F64, &kept[1][0], "staged");
    }
    psg_plan_destroy(plan);
    plan = NULL;
    options.exchange = PSG_EXCHANGE_DIRECT;
    CHECK_STATUS(psg_plan_create(&plan, &g, &options), PSG_ERR_UNSUPPORTED);
}

/* Plans that stay, so that StarPU starts once for the answers of one process, and once for the
 * rest. */
static psg_plan *prepare(const MPI_Comm *comm) {
    psg_options options = ranks_options(PSG_F64, NULL);
    psg_plan *anchor = harness_anchor(&options);
    for (size_t m = 0; m < 2 * GRIDS; ++m) {
        kept[m / 2][m % 2] = answer_of(&grids[m / 2], m % 2 ? PSG_F32 : PSG_F64);
    }
    psg_plan_destroy(anchor);
    options = ranks_options(PSG_F64, comm);
    return harness_anchor(&options);
}

int main(int argc, char **argv) {
    char *arguments[] = {argv[0], NULL};
    int count = 1;
    char **list = arguments;
    ranks_start(&count, &list);
    nodes = argc > 2 ? argv[2] : NULL;
    if (nodes != NULL) {
        const char name[2] = {nodes[ranks_rank(MPI_COMM_WORLD)], '\0'};
        setenv("PSG_TEST_NODE", name, 1);
    }
    const MPI_Comm comm = MPI_COMM_WORLD;
    psg_plan *anchor = prepare(&comm);
    const char *what = argc > 1 ? argv[1] : "answers";
    static const psg_exchange exchanges[] = {PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT,
                                             PSG_EXCHANGE_MPI};
    static const psg_exchange by_nccl[] = {PSG_EXCHANGE_NCCL, PSG_EXCHANGE_NCCL, PSG_EXCHANGE_NCCL};
    if (strcmp(what, "answers") == 0 || strcmp(what, "nccl") == 0) {
        all_bits = what[0] == 'n';
        answers(all_bits ? by_nccl : exchanges);
    } else if (strcmp(what, "main") == 0) {
        through_main = 1;
        if (ranks_rank(comm) == ranks_size(comm) - 1) {
            ipc_fail_gpus();
        }
        answers(exchanges);
    } else {
        one_fails(IPC_EXPORT);
        one_fails(IPC_IMPORT);
        staged();
    }
    psg_plan_destroy(anchor);
    for (size_t m = 0; m < 2 * GRIDS; ++m) {
        free(kept[m / 2][m % 2].f);
        free(kept[m / 2][m % 2].u);
        for (int d = 0; d < 3; ++d) {
            free(kept[m / 2][m % 2].g[d]);
        }
    }
    return ranks_finish(check_result());
}
