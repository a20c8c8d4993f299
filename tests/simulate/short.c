/* GPUs that turn out to have less room than StarPU says: solves do first without a second place for the rows that
 * kspace returns, and keep the cut; the default one becomes finer only then, and blocks are in main memory at last. */
#include "graph/psg_observe.h"
#include "tests/simulate/simulate.h"

#include <dlfcn.h>
#include <stdint.h>

enum {
    N = 512,
    GPUS = 4,
    NODES_MOST = 64
}; /* a GPU has 0.27 GB of the spectrum, with a second place 0.41 */

/** So many bytes are there for the plan on each GPU, and what has to come of it. */
typedef struct short_case {
    double bytes;
    size_t segment_planes;
    psg_exchange exchange;
    size_t segments; /**< 0: more than with enough room */
    int fetched;
} short_case;

static const short_case cases[] = {
    {64e9, 0, PSG_EXCHANGE_DIRECT, GPUS, 0},  {64e9, N / GPUS, PSG_EXCHANGE_DIRECT, GPUS, 0},
    {0.3e9, 0, PSG_EXCHANGE_DIRECT, GPUS, 1}, {0.3e9, N / GPUS, PSG_EXCHANGE_DIRECT, GPUS, 1},
    {0.2e9, 0, PSG_EXCHANGE_MANAGED, 0, 0},
};

static double left[NODES_MOST];

/** In place of StarPU's; without a solve nobody asks but the library. */
__attribute__((visibility("default"))) uintptr_t starpu_malloc_on_node(unsigned node, size_t size);
uintptr_t starpu_malloc_on_node(unsigned node, size_t size) {
    union {
        void *symbol;
        uintptr_t (*function)(unsigned, size_t);
    } real = {.symbol = dlsym(RTLD_NEXT, "starpu_malloc_on_node")};
    if (node >= NODES_MOST || left[node] < (double)size) {
        return 0;
    }
    const uintptr_t memory = real.function(node, size);
    left[node] -= memory ? (double)size : 0;
    return memory;
}

__attribute__((visibility("default"))) void starpu_free_on_node(unsigned node, uintptr_t memory,
                                                                size_t size);
void starpu_free_on_node(unsigned node, uintptr_t memory, size_t size) {
    union {
        void *symbol;
        void (*function)(unsigned, uintptr_t, size_t);
    } real = {.symbol = dlsym(RTLD_NEXT, "starpu_free_on_node")};
    real.function(node, memory, size);
    left[node] += (double)size;
}

static void try_case(const void *argument) {
    const short_case *c = argument;
    const simulate_case what = {
        .n = N, .cpus = -1, .gpus = GPUS, .segment_planes = c->segment_planes};
    psg_statistics s;
    for (int node = 0; node < NODES_MOST; ++node) {
        left[node] = c->bytes;
    }
    DESTROYED psg_plan *plan = simulate_plan(&what);
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    CHECK(s.exchange == c->exchange, "exchange %d", (int)s.exchange);
    CHECK(c->segments > 0 ? s.segments == c->segments : s.segments > GPUS, "%zu segments",
          s.segments);
    CHECK(c->exchange != PSG_EXCHANGE_DIRECT ||
              (s.returned_rows > 0 && (s.fetched_rows > 0) == c->fetched),
          "%zu rows returned, %zu fetched", s.returned_rows, s.fetched_rows);
}

int main(void) {
    for (size_t m = 0; m < sizeof cases / sizeof *cases; ++m) {
        printf("case %zu: %g bytes on each\n", m, cases[m].bytes);
        simulate_apart("h200", try_case, &cases[m]);
    }
    return check_result();
}
