/* The priority of a task of qr is the length of the longest path from it to the end, which is found
 * here by following all edges, in units of b^3/3. Without priorities it is 0. */
#include "tests/check.h"
#include "workloads/qr.h"

#include <string.h>

enum { MOST = 9 };

static const int weights[4] = {4, 6, 6, 12};
static qr_problem qr = {.tile = 1, .by_path = true};
static long known[MOST][MOST][MOST]; /* [i][j][k]: which of the kinds it is the indices tell */

static int kind_of(size_t i, size_t j, size_t k) {
    return (i > k ? 2 : 0) + (j > k ? 1 : 0);
}

static long longer(long path, size_t i, size_t j, size_t k);

static long path_from(size_t i, size_t j, size_t k) {
    const size_t rows = qr.tiles[0], columns = qr.tiles[1];
    long rest = 0;
    if (known[i][j][k] > 0) {
        return known[i][j][k];
    }
    if (j == k) { /* the reflectors are for the tiles on the right */
        for (size_t right = k + 1; right < columns; ++right) {
            rest = longer(rest, i, right, k);
        }
    }
    if (i + 1 < rows) { /* tile (k, j) is for the row below */
        rest = longer(rest, i + 1, j, k);
    }
    if (i > k && j > k) { /* and tile (i, j) is for the next step */
        rest = longer(rest, i, j, k + 1);
    }
    known[i][j][k] = rest + weights[kind_of(i, j, k)];
    return known[i][j][k];
}

static long longer(long path, size_t i, size_t j, size_t k) {
    const long other = path_from(i, j, k);
    return other > path ? other : path;
}

static void one(void) {
    memset(known, 0, sizeof known);
    for (size_t k = 0; k < qr.tiles[1]; ++k) {
        for (size_t i = k; i < qr.tiles[0]; ++i) {
            for (size_t j = k; j < qr.tiles[1]; ++j) {
                const psg_kind *kind = &workload_qr.kinds[kind_of(i, j, k)];
                const psg_label label = {*workload_qr.first + kind_of(i, j, k), {i, j, k}};
                const long priority = kind->priority(&qr, &label);
                const long path = qr.by_path ? path_from(i, j, k) : 0;
                CHECK(priority == path, "%s %zu %zu %zu of %zu x %zu tiles: %ld, not %ld",
                      kind->name, i, j, k, qr.tiles[0], qr.tiles[1], priority, path);
            }
        }
    }
}

int main(void) {
    for (qr.tiles[0] = 1; qr.tiles[0] <= MOST; ++qr.tiles[0]) {
        for (qr.tiles[1] = 1; qr.tiles[1] <= qr.tiles[0]; ++qr.tiles[1]) {
            one();
        }
    }
    qr.tiles[0] = qr.tiles[1] = MOST;
    qr.by_path = false;
    one();
    return check_result();
}
