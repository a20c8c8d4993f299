/* Whatever is wrong with a grid or its options is found by psg_plan_create(): the documented status,
 * words, and *plan set to NULL. */
#include "graph/psg_machine.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/** A grid and options that are fine; each case spoils one thing. */
typedef struct fixture {
    psg_grid grid;
    psg_options options;
} fixture;

static fixture good(void) {
    fixture x;
    psg_grid_init(&x.grid, 6, 5, 4, 1.0, 2.0, 3.0);
    x.options = harness_options(PSG_F64);
    return x;
}

/** Any place but where a plan could be. */
static psg_plan *poison(void) {
    static char place;
    return (psg_plan *)(void *)&place;
}

#define EXPECT(spoil, expected)                                                                    \
    do {                                                                                           \
        fixture x = good();                                                                        \
        spoil;                                                                                     \
        expect(__LINE__, #spoil, &x, expected, expected);                                          \
    } while (0)

/** Where the contract leaves it open which of two. */
#define EXPECT_EITHER(spoil, expected, other)                                                      \
    do {                                                                                           \
        fixture x = good();                                                                        \
        spoil;                                                                                     \
        expect(__LINE__, #spoil, &x, expected, other);                                             \
    } while (0)

static void expect(int line, const char *spoil, const fixture *x, psg_status expected,
                   psg_status other) {
    psg_plan *plan = poison();
    psg_status status = psg_plan_create(&plan, &x->grid, &x->options);
    CHECK(status == expected || status == other,
          "line %d, %s: status %d (%s) instead of %d; words: %s", line, spoil, status,
          psg_status_string(status), expected, psg_last_error());
    if (status == PSG_OK) {
        psg_plan_destroy(plan);
        return;
    }
    const char *words = psg_last_error();
    CHECK(plan == NULL, "line %d, %s: *plan was left as it was", line, spoil);
    CHECK(strlen(words) > 10 && !strchr(words, '\n'), "line %d, %s: words '%s'", line, spoil,
          words);
}

static void pointers(void) {
    fixture x = good();
    psg_plan *plan = poison();
    CHECK_STATUS(psg_plan_create(NULL, &x.grid, &x.options), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_create(&plan, NULL, &x.options), PSG_ERR_ARG);
    CHECK(plan == NULL, "*plan was left as it was");
    psg_plan_destroy(NULL);
}

static void grids(void) {
    for (int a = 0; a < 3; ++a) {
        EXPECT(x.grid.axis[a].n = 0, PSG_ERR_ARG);
        EXPECT(x.grid.axis[a].length = 0, PSG_ERR_ARG);
        EXPECT(x.grid.axis[a].length = -1, PSG_ERR_ARG);
        EXPECT(x.grid.axis[a].length = NAN, PSG_ERR_ARG);
        EXPECT(x.grid.axis[a].length = INFINITY, PSG_ERR_ARG);
        EXPECT(x.grid.axis[a].length = -INFINITY, PSG_ERR_ARG);
        EXPECT_EITHER(x.grid.axis[a].n = SIZE_MAX, PSG_ERR_ARG, PSG_ERR_UNSUPPORTED);
        EXPECT_EITHER(x.grid.axis[a].n = SIZE_MAX / 4, PSG_ERR_ARG, PSG_ERR_UNSUPPORTED);
        /* 5 once it is cut to 32 bits */
        EXPECT_EITHER(x.grid.axis[a].n = ((size_t)1 << 32) + 5, PSG_ERR_ARG, PSG_ERR_UNSUPPORTED);
        for (int bc = PSG_BC_PERIODIC + 1; bc < PSG_BC_COUNT; ++bc) {
            const psg_status both = bc == PSG_BC_ROBIN && a < 2 ? PSG_ERR_UNSUPPORTED : PSG_OK;
            EXPECT(x.grid.axis[a].bc[0] = x.grid.axis[a].bc[1] = (psg_bc)bc, both);
            EXPECT(x.grid.axis[a].bc[0] = (psg_bc)bc, PSG_ERR_ARG);
            EXPECT(x.grid.axis[a].bc[1] = (psg_bc)bc, PSG_ERR_ARG);
            EXPECT((x.grid.axis[a].bc[0] = PSG_BC_DIRICHLET, x.grid.axis[a].bc[1] = (psg_bc)bc),
                   both);
        }
        EXPECT((x.grid.axis[a].bc[0] = x.grid.axis[a].bc[1] = PSG_BC_FREE,
                x.grid.axis[a].points = PSG_POINTS_NODES),
               PSG_ERR_UNSUPPORTED);
        for (int symbol = 0; symbol < PSG_SYMBOL_COUNT; ++symbol) {
            EXPECT((x.grid.axis[a].bc[0] = x.grid.axis[a].bc[1] = PSG_BC_FREE,
                    x.options.symbol = (psg_symbol)symbol),
                   symbol <= PSG_SYMBOL_FD2 ? PSG_OK : PSG_ERR_UNSUPPORTED);
        }
        EXPECT((x.grid.axis[a].bc[0] = x.grid.axis[a].bc[1] = PSG_BC_NEUMANN, x.grid.axis[a].n = 1,
                x.grid.axis[a].points = PSG_POINTS_NODES),
               PSG_ERR_ARG);
        EXPECT((x.grid.axis[a].bc[0] = x.grid.axis[a].bc[1] = PSG_BC_NEUMANN, x.grid.axis[a].n = 1),
               PSG_OK);
        EXPECT((x.grid.axis[a].bc[0] = x.grid.axis[a].bc[1] = PSG_BC_DIRICHLET,
                x.grid.axis[a].n = (size_t)1 << 30),
               PSG_ERR_UNSUPPORTED);
        EXPECT(x.grid.axis[a].points = PSG_POINTS_COUNT, PSG_ERR_ARG);
        EXPECT(x.grid.axis[a].points = (psg_points)-1, PSG_ERR_ARG);
        EXPECT(x.grid.axis[a].bc[0] = x.grid.axis[a].bc[1] = PSG_BC_COUNT, PSG_ERR_ARG);
        EXPECT(x.grid.axis[a].bc[1] = (psg_bc)-1, PSG_ERR_ARG);
    }
    /* products that wrap around to something small, or to 0 */
    static const size_t n[][3] = {{(size_t)1 << 32, (size_t)1 << 32, 1},
                                  {(size_t)1 << 32, 16, (size_t)1 << 32},
                                  {3, SIZE_MAX / 3 + 2, 1},
                                  {(size_t)1 << 22, (size_t)1 << 21, (size_t)1 << 21},
                                  {(size_t)1 << 30, (size_t)1 << 30, 16},
                                  {(size_t)1 << 21, (size_t)1 << 21, (size_t)1 << 19}};
    for (size_t c = 0; c < sizeof n / sizeof *n; ++c) {
        EXPECT_EITHER(psg_grid_init(&x.grid, n[c][0], n[c][1], n[c][2], 1, 1, 1), PSG_ERR_ARG,
                      PSG_ERR_UNSUPPORTED);
    }
}

/** Each of the values in a field of the options, alone. */
#define REFUSED(field, ...)                                                                        \
    do {                                                                                           \
        const double values[] = {__VA_ARGS__};                                                     \
        for (size_t m = 0; m < sizeof values / sizeof *values; ++m) {                              \
            EXPECT(x.options.field = (__typeof__(x.options.field))values[m], PSG_ERR_ARG);         \
        }                                                                                          \
    } while (0)

static void values(void) {
    REFUSED(precision, PSG_PRECISION_COUNT, -1);
    REFUSED(symbol, PSG_SYMBOL_COUNT, -1);
    REFUSED(mean, PSG_MEAN_COUNT, -1);
    REFUSED(tuned, 2, -1);
    REFUSED(graph, PSG_GRAPH_COUNT, -1);
    REFUSED(exchange, PSG_EXCHANGE_COUNT, -1, PSG_EXCHANGE_MPI, PSG_EXCHANGE_ALLTOALL);
    REFUSED(z_layout, PSG_Z_COUNT, -1);
    REFUSED(effort, PSG_EFFORT_COUNT, -1);
    REFUSED(kernel, PSG_KERNEL_COUNT, -1);
    REFUSED(placement, PSG_PLACEMENT_COUNT, -1);
    REFUSED(cpu_share, -0.5, -2, -3, 1.001, NAN);
    /* 1 / lambda is no normal number, and not finite */
    REFUSED(lambda, NAN, INFINITY, 1e308, 1e-320);
    REFUSED(factor, 0, NAN, -INFINITY, 1e-307);
    REFUSED(mean_tolerance, -1, NAN);
    REFUSED(in_flight, 0);
    REFUSED(cpus, -2, INT_MIN);
    REFUSED(gpus, -2);
    REFUSED(nodes, 0, 100000);
    REFUSED(network, -1, NAN, INFINITY);
    REFUSED(time_limit, -1, NAN, INFINITY);
    REFUSED(wire_bits, 0, 16, 63);
    REFUSED(calibrate, 2, -1);
}

/** Those that have another status, are fine, or are wrong together. */
static void others(void) {
    EXPECT((x.options.exchange = PSG_EXCHANGE_DIRECT, x.options.gpus = 0), PSG_ERR_UNSUPPORTED);
    EXPECT(x.options.exchange = PSG_EXCHANGE_MANAGED, PSG_OK);
    EXPECT((x.options.cpu_share = 0.1, x.options.gpus = 0), PSG_ERR_ARG);
    EXPECT((x.options.cpu_share = 0.1, x.options.placement = PSG_PLACEMENT_FREE), PSG_ERR_ARG);
    EXPECT((x.options.placement = PSG_PLACEMENT_FREE, x.options.gpus = 0), PSG_OK);
    EXPECT((x.options.cpu_share = 0.1, x.options.gpus = -1, x.options.cpus = 0), PSG_ERR_ARG);
    EXPECT((x.options.cpu_share = 0, x.options.gpus = 0), PSG_OK);
    EXPECT(x.options.kernel = PSG_KERNEL_IGF, PSG_ERR_UNSUPPORTED); /* the sides are periodic */
    EXPECT((x.options.kernel = PSG_KERNEL_IGF, x.options.lambda = 1), PSG_ERR_UNSUPPORTED);
    EXPECT_EITHER(x.options.lambda = -1e-300, PSG_ERR_ARG, PSG_ERR_UNSUPPORTED);
    EXPECT(x.options.lambda = 1e300, PSG_OK);
    EXPECT((x.options.lambda = 1e37, x.options.precision = PSG_F32), PSG_ERR_ARG);
    EXPECT((x.options.lambda = 1e-42, x.options.precision = PSG_F32), PSG_ERR_ARG);
    EXPECT((x.options.lambda = 1e30, x.options.precision = PSG_F32), PSG_OK);
    EXPECT(x.grid.axis[1].length = 1e-154, PSG_ERR_ARG);
    EXPECT((x.options.precision = PSG_F32, x.options.factor = -1e-37), PSG_ERR_ARG);
    EXPECT((x.options.precision = PSG_F32, x.options.factor = 1e42), PSG_ERR_ARG);
    EXPECT((x.options.precision = PSG_F32, x.options.factor = -1e36), PSG_OK);
    EXPECT(x.options.nodes = 2, PSG_ERR_UNSUPPORTED); /* this is no simulation */
    EXPECT(x.options.network = 1e9, PSG_ERR_UNSUPPORTED);
    EXPECT_EITHER(x.options.cpus = INT_MAX, PSG_ERR_ARG, PSG_ERR_NODEV);
}

static void workers(void) {
    size_t count = 0;
    psg_options options = harness_options(PSG_F64);
    EXPECT_EITHER(x.options.cpus = 0; x.options.gpus = 0, PSG_ERR_ARG, PSG_ERR_NODEV);
    EXPECT(x.options.policy = "quick-and-dirty", PSG_ERR_ARG);
    const char *words = psg_last_error();
    CHECK(strstr(words, "quick-and-dirty") && strstr(words, "lws") && strstr(words, "eager"),
          "the words name neither the policy nor those that there are: %s", words);
    /* GPUs are asked for where there is none */
    options.cpus = 1;
    options.gpus = -1;
    psg_worker worker[64];
    CHECK_STATUS(psg_machine_workers(&options, worker, 64, &count, NULL, 0), PSG_OK);
    CHECK(count >= 1 && count <= 64, "%zu workers", count);
    if (count == 1 && worker[0].kind == PSG_WORKER_CPU) {
        EXPECT(x.options.gpus = 1, PSG_ERR_NODEV);
        EXPECT(x.options.cpus = 0; x.options.gpus = 1, PSG_ERR_NODEV);
        EXPECT(x.options.cpus = 0; x.options.gpus = -1, PSG_ERR_NODEV);
    }
}

/** psg_options of version 0.1 ends with in_flight. */
static const size_t first_size = (offsetof(psg_options, in_flight) + sizeof(unsigned) + 7) / 8 * 8;

static void struct_sizes(void) {
    EXPECT(x.options.struct_size = 0, PSG_ERR_ARG);
    EXPECT(x.options.struct_size = 1, PSG_ERR_ARG);
    EXPECT(x.options.struct_size = first_size - 1, PSG_ERR_ARG);
    EXPECT_EITHER(x.options.struct_size = sizeof x.options + 8, PSG_ERR_ARG, PSG_ERR_UNSUPPORTED);
    EXPECT_EITHER(x.options.struct_size = SIZE_MAX, PSG_ERR_ARG, PSG_ERR_UNSUPPORTED);
    /* the oldest struct: what it does not have counts as its default, not as what lies behind it */
    fixture x = good();
    union {
        psg_options options;
        unsigned char byte[sizeof(psg_options) + 64];
    } old;
    memset(&old, 0xff, sizeof old);
    memcpy(&old, &x.options, first_size);
    old.options.struct_size = first_size;
    DESTROYED psg_plan *plan = harness_plan(&x.grid, &old.options);
}

/** The plan that follows all these failures works. */
static void works_afterwards(void) {
    fixture x = good();
    double f[6 * 5 * 4], u[6 * 5 * 4], want[6 * 5 * 4];
    oracle_grid grid = oracle_grid_make(6, 5, 4, 1, 2, 3);
    oracle_random(1, 120, f);
    oracle_solve(&grid, ORACLE_SPECTRAL, 0, f, want);
    DESTROYED psg_plan *plan = harness_plan(&x.grid, &x.options);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    CHECK_CLOSE(u, want, 6, 5, 4, 1e-12, "after all the failures");
}

int main(void) {
    pointers();
    grids();
    values();
    others();
    workers();
    struct_sizes();
    works_afterwards();
    return check_result();
}
