/* A machine that is recorded can be read again: whatever its tasks took, each line says a time that a machine may have. */
#include "app/times.h"
#include "app/app.h"
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

enum { TIMES = 4 };

int main(void) {
    static const double seconds[TIMES] = {0, 3e-6, 0, 2e-3};
    app_times times = {.count = 0};
    char line[512], unit[24];
    double read = 0;
    int lines = 0;
    for (int m = 0; m < TIMES; ++m) {
        const app_time time = {.stage = PSG_STAGE_KSPACE,
                               .gpu = m < 2,
                               .n = {8, 8, 8},
                               .pencil = 1,
                               .count = (size_t)m + 1,
                               .pieces = 1,
                               .seconds = seconds[m]};
        CHECK(app_times_add(&times, &time) == 0, "time %d", m);
    }
    CHECK(app_times_write(&times, "times-test.machine", 1, 0) == APP_DONE, "no file");
    FILE *file = fopen("times-test.machine", "r");
    while (CHECK(file != NULL, "no file") && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "time ", 5) == 0) {
            const double want = seconds[lines];
            CHECK(sscanf(line, "time kspace f64 %23s 8x8x8 pencil %*u views 1 0 %lf", unit,
                         &read) == 2 &&
                      read > 0 && read < 1e-8 + want * 1.001 && read > want * 0.999,
                  "%g s are %s", want, line);
            ++lines;
        }
    }
    CHECK(lines == TIMES, "%d times", lines);
    if (file != NULL) {
        (void)fclose(file);
    }
    app_times_free(&times);
    (void)remove("times-test.machine");
    return check_result();
}
