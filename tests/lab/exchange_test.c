/* The seconds of an exchange are those of a solve in which no GPU works along z, whoever comes
 * last. */
#include "graph/psg_observe.h"
#include "lab/peers/exchange.h"
#include "tests/check.h"

static psg_event task(psg_stage stage, int worker, size_t count, double start, double end) {
    return (psg_event){
        .stage = stage, .worker = worker, .rank = -1, .count = count, .start = start, .end = end};
}

static void close_to(double got, double want, const char *what) {
    CHECK(fabs(got - want) < 1e-12, "%s: %g instead of %g", what, got, want);
}

int main(void) {
    /* GPU 1 starts first, GPU 0 has two sheets, and waits 2 s for the blocks of the second. */
    const psg_event events[] = {
        task(PSG_STAGE_FORWARD_XY, 1, 7, 1, 4),   task(PSG_STAGE_FORWARD_XY, 0, 5, 2, 6),
        task(PSG_STAGE_KSPACE, 0, 3, 7, 10),      task(PSG_STAGE_KSPACE, 1, 2, 8.5, 11.5),
        task(PSG_STAGE_KSPACE, 0, 4, 12, 13),     task(PSG_STAGE_INVERSE_XY, 0, 5, 14, 18),
        task(PSG_STAGE_INVERSE_XY, 1, 7, 16, 19),
    };
    bench_exchange e = bench_exchange_of(events, sizeof events / sizeof *events, 2);
    close_to(e.there, 8, "there"); /* 12 - 1 - 3 and 8.5 - 1 */
    close_to(e.back, 8, "back");   /* 19 - 10 - 1 and 19 - 11.5 */
    close_to(e.both, 16, "both");
    close_to(e.forward_xy, 3.5, "forward_xy");
    close_to(e.inverse_xy, 3.5, "inverse_xy");
    close_to(e.moved_rows, 5 * 2 + 7 * (3 + 4), "moved");
    /* Without GPU 0's second sheet its first is its last: GPU 1 is the one to wait for, there. */
    const psg_event fewer[] = {events[0], events[1], events[2], events[3], events[5], events[6]};
    e = bench_exchange_of(fewer, sizeof fewer / sizeof *fewer, 2);
    close_to(e.there, 7.5, "there, GPU 1"); /* 7 - 1 and 8.5 - 1 */
    close_to(e.back, 9, "back, GPU 0");     /* 19 - 10 and 19 - 11.5 */
    close_to(e.moved_rows, 5 * 2 + 7 * 3, "moved, fewer");
    /* One GPU has all to itself, and another nothing to do. */
    const psg_event alone[] = {events[1], events[2], events[5]};
    e = bench_exchange_of(alone, sizeof alone / sizeof *alone, 2);
    close_to(e.moved_rows, 0, "moved, alone");
    close_to(e.both, (7 - 2) + (18 - 10), "both, alone");
    return check_result();
}
