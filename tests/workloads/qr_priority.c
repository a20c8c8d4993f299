/* The priority of a task of qr is the length of the longest path from it to the end, which is found
 * here by following all edges, in units of b^3/3; of b^3/2 for rotations, whose tasks have the same
 * graph and the same weights. Updates of a front, of which 2i + j + 2k is the same, have the same.
 * Without priorities it is 0. */
#include "tests/check.h"
#include "workloads/qr.h"

#include <string.h>

enum { MOST = 9 };

static const int weights[4] = {4, 6, 6, 12};
static qr_problem qr = {.tile = 1, .head = {.by_path = true}};
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
    long waves = -1;
    memset(known, 0, sizeof known);
    for (size_t k = 0; k < qr.tiles[1]; ++k) {
        for (size_t i = k; i < qr.tiles[0]; ++i) {
            for (size_t j = k; j < qr.tiles[1]; ++j) {
                const int which = kind_of(i, j, k) + (qr.by == QR_GIVENS ? 4 : 0);
                const psg_kind *kind = &workload_qr.kinds[which];
                const psg_label label = {*workload_qr.first + which, {i, j, k}};
                const long priority = kind->priority(&qr, &label);
                const long path = qr.head.by_path ? path_from(i, j, k) : 0;
                const long front = (long)(2 * i + j + 2 * k);
                CHECK(priority == path, "%s %zu %zu %zu of %zu x %zu tiles: %ld, not %ld",
                      kind->name, i, j, k, qr.tiles[0], qr.tiles[1], priority, path);
                if (i > k && j > k && qr.head.by_path) {
                    waves = waves < 0 ? priority + 6 * front : waves;
                    CHECK(waves == priority + 6 * front, "%zu %zu %zu is in another front", i, j,
                          k);
                }
            }
        }
    }
}

int main(void) {
    for (int by = 0; by < QR_METHODS; ++by) {
        qr.by = (qr_by)by;
        for (qr.tiles[0] = 1; qr.tiles[0] <= MOST; ++qr.tiles[0]) {
            for (qr.tiles[1] = 1; qr.tiles[1] <= qr.tiles[0]; ++qr.tiles[1]) {
                one();
            }
        }
    }
    qr.tiles[0] = qr.tiles[1] = MOST;
    qr.head.by_path = false;
    one();
    return check_result();
}
