/* transpose has every element of A where it belongs, for every size, cut, policy and number of
 * cores, in both precisions, in another array and in place. In place a square is one round of
 * swaps, and another matrix has exchanges before them: no two tasks of a round have a place in
 * common. The environment's PSG_TEST_GPUS and PSG_TEST_CPUS choose GPUs. */
#include "tests/workloads/runs.h"

#include <stdbool.h>
#include <stdlib.h>

enum { KINDS = 4 };
static const char *const names[KINDS] = {"transpose", "transpose_exchange", "transpose_swap",
                                         "transpose_alone"};

static int kind_of(const psg_event *e) {
    int kind = 0;
    while (kind < KINDS - 1 && strcmp(psg_stage_name(e->stage), names[kind]) != 0) {
        kind++;
    }
    return kind;
}

/* The number of cycles of the permutation that takes place p Q + q to q P + p, found by going back.
 */
static size_t cycles_of(size_t rows, size_t columns) {
    size_t cycles = 0;
    for (size_t first = 0; first < rows * columns; first++) {
        size_t least = first, at = first;
        do {
            at = at % rows * columns + at / rows;
            least = at < least ? at : least;
        } while (at != first);
        cycles += least == first;
    }
    return cycles;
}

/* @param[in] tiles  of A, rows and columns */
static void check_graph(const workload *work, const size_t tiles[2], bool in_place) {
    AT_END(harness_graph_free) harness_graph g = harness_graph_of(workload_work(work));
    const size_t places = tiles[0] * tiles[1];
    size_t of_kind[KINDS] = {0};
    size_t *used = calloc(2 * places, sizeof *used);
    CHECK(harness_graph_in_time(&g), "a task begins too early");
    for (size_t m = 0; m < g.events; m++) {
        const psg_event *e = &g.event[m];
        of_kind[kind_of(e)]++;
        if (in_place) {
            used[e->step * places + e->segment]++;
            used[e->step * places + e->sheet] += e->sheet != e->segment;
        }
    }
    for (size_t m = 0; m < g.edges; m++) {
        const psg_event *from = &g.event[g.edge[m].before], *to = &g.event[g.edge[m].after];
        CHECK(from->step == 0 && to->step == 1, "a task of round %zu is after one of round %zu",
              to->step, from->step);
    }
    for (size_t m = 0; m < places && in_place; m++) {
        CHECK(used[m] <= 1 && used[places + m] == 1, "place %zu has %zu exchanges and %zu swaps", m,
              used[m], used[places + m]);
    }
    const size_t moved = of_kind[1] + of_kind[2];
    CHECK(of_kind[0] == (in_place ? 0 : places), "%zu tasks into another array", of_kind[0]);
    CHECK(moved == (in_place ? places - cycles_of(tiles[0], tiles[1]) : 0), "%zu pairs", moved);
    if (in_place && tiles[0] == tiles[1]) {
        CHECK(of_kind[1] == 0 && of_kind[3] == tiles[0] && g.edges == 0,
              "a square has %zu exchanges, %zu tiles alone and %zu edges", of_kind[1], of_kind[3],
              g.edges);
    }
    free(used);
}

/* "transpose:9x13:inplace" has 117. */
static double elements_of(const char *name) {
    char *end = NULL;
    const double rows = strtod(name + strlen("transpose:"), &end);
    return rows * (*end == 'x' ? strtod(end + 1, NULL) : rows);
}

static void one(const psg_options *options, const char *name, size_t tile, size_t rows,
                size_t columns) {
    const size_t tiles[2] = {rows, columns};
    const workload_options how = {.tile = tile,
                                  .priority = tile % 2 == 0 ? WORKLOAD_PATH : WORKLOAD_EQUAL};
    RUNS workload *work = runs_make(name, &how, options);
    for (int run = 0; run < 2; run++) { /* the second one begins anew */
        runs_all_right(work, elements_of(name));
    }
    check_graph(work, tiles, strstr(name, ":inplace") != NULL);
}

/* In another array and in place. */
static void both(const psg_options *options, const char *size, size_t tile, size_t rows,
                 size_t columns) {
    char name[64];
    snprintf(name, sizeof name, "transpose:%s", size);
    one(options, name, tile, rows, columns);
    snprintf(name, sizeof name, "transpose:%s:inplace", size);
    one(options, name, tile, rows, columns);
}

int main(void) {
    static const char *const policies[] = {"eager", "ws", "dmdas"};
    for (int f32 = 0; f32 < 2; f32++) {
        psg_options options = harness_with(f32 ? PSG_F32 : PSG_F64, "record=yes");
        both(&options, "1", 0, 1, 1);
        both(&options, "200", 0, 1, 1);
        both(&options, "100", 25, 4, 4);
        both(&options, "100", 30, 4, 4);
        both(&options, "9x13", 1, 9, 13);
        both(&options, "130x37", 16, 9, 3);
        both(&options, "37x130", 16, 3, 9);
        both(&options, "1x50", 7, 1, 8);
        both(&options, "50x1", 50, 1, 1);
        both(&options, "60x20", 60, 1, 1);
        both(&options, "61x20", 60, 2, 1);
        for (int p = 0; p < 3; p++) {
            runs_policy(&options, policies, p);
            both(&options, "300x700", 64, 5, 11);
        }
    }
    return check_result();
}
