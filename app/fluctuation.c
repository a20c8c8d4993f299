#include "app/fluctuation.h"
#include "app/processes.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

void app_numbers_add(app_numbers *numbers, const double *row, size_t count) {
    double sum = 0, squares = 0;
    if (numbers->count == 0 && count > 0) {
        numbers->origin = numbers->least = numbers->most = row[0];
    }
    for (size_t i = 0; i < count; i++) {
        const double off = row[i] - numbers->origin;
        sum += off;
        squares += off * off;
        numbers->least = fmin(numbers->least, row[i]);
        numbers->most = fmax(numbers->most, row[i]);
    }
    numbers->count += count;
    numbers->sum += sum;
    numbers->squares += squares;
}

app_fluctuation app_numbers_about(const app_numbers *numbers, double mean) {
    const double off = mean - numbers->origin, count = (double)numbers->count;
    double sums[2] = {numbers->squares - 2 * off * numbers->sum + count * off * off, count};
    /* a process without planes has no numbers */
    double ends[2] = {count > 0 ? numbers->most : -INFINITY,
                      count > 0 ? -numbers->least : -INFINITY};
    app_ranks_sum(sums, 2);
    app_ranks_max(ends, 2);
    const double most = ends[0], least = -ends[1];
    const bool only_mean = mean != 0 && least == most; /* which is rounded */
    return (app_fluctuation){.mean = mean,
                             .largest = fmax(fabs(most), fabs(least)),
                             .farthest =
                                 only_mean ? 0 : fmax(fabs(most - mean), fabs(least - mean)),
                             .rms = only_mean ? 0 : sqrt(fmax(sums[0], 0) / sums[1])};
}

int app_mean_digits(const app_fluctuation *f, psg_precision precision) {
    const double all = -log10(app_epsilon(precision));
    const double lost = f->rms > 0 && f->mean != 0 ? log10(fabs(f->mean) / f->rms) : 0;
    return (int)ceil(fmin(fmax(all - lost, 0), all));
}

void app_mean_text(const app_fluctuation *f, psg_precision precision, char text[APP_MEAN_TEXT]) {
    const int digits = app_mean_digits(f, precision);
    char left[32] = "no digit";
    if (digits > 0) {
        snprintf(left, sizeof left, "about %d digit%s", digits, digits == 1 ? "" : "s");
    }
    snprintf(text, APP_MEAN_TEXT,
             "f's mean is %.1g times its fluctuation: u has %s in %s: subtract the mean from f %s",
             fabs(f->mean) / f->rms, left, app_precision_name(precision),
             precision == PSG_F32 ? "in f64 before the solve, or solve in f64" : "where f is made");
}
