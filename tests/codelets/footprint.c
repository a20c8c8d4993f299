/* Tasks that StarPU tells apart for its performance models: those with the same shapes of blocks, of which some have
 * blocks, or rows that kspace moves, on other GPUs. */
#include "codelets/context.h"
#include "runtime/task.h"
#include "tests/check.h"

enum { PARTS = 4, ROWS = 32 };

static size_t some[PARTS] = {8, 8, 8, 8}, many[PARTS] = {16, 16, 16, 16};

/** How blocks are exchanged. */
typedef struct way {
    bool direct, fetched;
    size_t *returned;
} way;

static const way ways[] = {
    {false, false, NULL}, {true, false, NULL}, {true, false, some},
    {true, false, many},  {true, true, some},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const psg_task_kind kinds[] = {PSG_TASK_FORWARD_XY, PSG_TASK_KSPACE, PSG_TASK_INVERSE_XY};

static uint32_t footprint(const way *w, psg_task_kind kind) {
    struct starpu_codelet codelet = {.nbuffers = STARPU_VARIABLE_NBUFFERS};
    psg_part segment[PARTS], sheet[PARTS];
    size_t moved = 0;
    for (size_t m = 0; m < PARTS; ++m) {
        moved += w->returned != NULL ? w->returned[m] : 0;
        const size_t lo = m * ROWS, hi = lo + ROWS;
        segment[m] = (psg_part){.box = {{0, 0, lo}, {8, PARTS * ROWS, hi}}, .home = (int)m};
        sheet[m] = (psg_part){
            .box = {{0, lo, 0}, {5, hi, PARTS * ROWS}}, .sheets = {m, m + 1}, .home = (int)m};
    }
    const psg_context context = {.layout = {.n = {8, PARTS * ROWS, PARTS * ROWS},
                                            .nyc = PARTS * ROWS,
                                            .segments = {.count = PARTS, .part = segment},
                                            .sheets = {.count = PARTS, .part = sheet},
                                            .bundles = {.count = PARTS, .part = sheet},
                                            .overlap = {w->returned, w->fetched ? moved : 0}},
                                 .reached_bundles = w->direct ? PARTS : 0};
    const psg_engine engine = {.owner = &context};
    psg_run run = {.engine = &engine};
    psg_task_args args = {.run = &run,
                          .label = kind == PSG_TASK_KSPACE ? psg_sheet_label(kind, 1)
                                                           : psg_segment_label(kind, 1)};
    struct starpu_task task = {.cl = &codelet, .cl_arg = &args}; /* of no data, which all have */
    return psg_task_footprint(&task);
}

int main(void) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        const char *name = psg_kind_at((int)kinds[k])->name;
        for (int a = 0; a < WAYS; ++a) {
            const uint32_t of_a = footprint(&ways[a], kinds[k]);
            CHECK(of_a == footprint(&ways[a], kinds[k]), "%s, %d: not twice the same", name, a);
            CHECK(a > 0 || of_a == 0, "%s: %#x", name, (unsigned)of_a);
            for (int b = 0; b < a; ++b) {
                /* On its own GPU kspace finds the same, and so does forward_xy write as much. */
                const bool alike = (kinds[k] == PSG_TASK_KSPACE && a == 1 && b == 0) ||
                                   (kinds[k] == PSG_TASK_FORWARD_XY && b >= 1 && !ways[a].fetched);
                CHECK((of_a == footprint(&ways[b], kinds[k])) == alike, "%s, ways %d and %d", name,
                      a, b);
            }
        }
    }
    return check_result();
}
