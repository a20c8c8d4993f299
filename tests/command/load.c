/* What others do on the machine: the busy time of all cores less one's own, over the time that went by. */
#include "app/load.h"
#include "tests/check.h"

#include <math.h>
#include <string.h>

static double read_text(const char *text) {
    char copy[200];
    snprintf(copy, sizeof copy, "%s", text);
    FILE *file = fmemopen(copy, strlen(copy), "r");
    CHECK(file != NULL, "no file in memory");
    const double busy = file ? app_load_read(file, 100) : -1;
    if (file) {
        fclose(file);
    }
    return busy;
}

static void reading(void) {
    /* user nice system idle iowait irq softirq steal guest guest_nice: waiting and idle are not busy, guests
     * are in user already */
    CHECK_NEAR(
        read_text("cpu  100 200 400 800000 1600000 3200 6400 12800 1000000 2000000\ncpu0 1 2 3\n"),
        231, 1e-12, "busy seconds");
    CHECK_NEAR(read_text("cpu  1 2 3 4\n"), 0, 0, "a system that tells less");
    CHECK_NEAR(read_text("intr 1 2 3\n"), 0, 0, "another line");
}

static void difference(void) {
    const app_load from = {.busy = 1000, .own = 10, .clock = 50};
    app_load to = {.busy = 1012, .own = 16, .clock = 54};
    CHECK_NEAR(app_load_between(&from, &to), 1.5, 1e-12, "cores of others");
    to.own = 30; /* ticks are coarse */
    CHECK_NEAR(app_load_between(&from, &to), 0, 0, "less than nothing");
    to.clock = 50.4;
    CHECK(isnan(app_load_between(&from, &to)), "of a moment: %g", app_load_between(&from, &to));
    to = (app_load){.busy = 0, .own = 16, .clock = 54};
    CHECK(isnan(app_load_between(&from, &to)), "not known then");
    CHECK(isnan(app_load_between(&to, &from)), "not known before");
}

static void threshold(void) {
    static const struct {
        double load;
        long cores;
        int high;
    } cases[] = {{0.09, 2, 0}, {0.11, 2, 1},  {0.4, 8, 0},  {0.45, 8, 1},
                 {0.5, 64, 0}, {0.51, 64, 1}, {NAN, 64, 0}, {0, 1, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        CHECK(app_load_is_high(cases[c].load, cases[c].cores) == cases[c].high, "%g of %ld cores",
              cases[c].load, cases[c].cores);
    }
}

static void own_work(void) {
    const app_load from = app_load_now();
    volatile double sum = 0;
    app_load to = from;
    while (to.own - from.own < 0.02) {
        for (int n = 0; n < 100000; ++n) {
            sum = sum + n;
        }
        to = app_load_now();
    }
    CHECK(to.clock > from.clock && to.busy >= from.busy, "time goes back");
}

int main(void) {
    reading();
    difference();
    threshold();
    own_work();
    return check_result();
}
