/** @file fluctuation.h  f less its mean, and what the mean costs where it is dropped: rounding is a
 *  share of f with its mean, and u comes from the rest. */
#ifndef PSG_APP_FLUCTUATION_H
#define PSG_APP_FLUCTUATION_H

#include "app/app.h"

/** Numbers that are seen a row at a time. All zero before the first. */
typedef struct app_numbers {
    size_t count;
    double origin;       /**< the first of them */
    double sum, squares; /**< of number - origin, so that a large mean does not drown the rest */
    double least, most;
} app_numbers;

typedef struct app_fluctuation {
    double mean;     /**< that is dropped; 0: none is */
    double largest;  /**< max |f| */
    double farthest; /**< max |f - mean| */
    double rms;      /**< root mean square of f - mean; both are exactly 0 where f is its mean */
} app_fluctuation;

void app_numbers_add(app_numbers *numbers, const double *row, size_t count);
/** The numbers of all processes about a mean. Collective. */
app_fluctuation app_numbers_about(const app_numbers *numbers, double mean);

/** About how many digits of u the mean leaves: rounding of it is a share of the fluctuation. 0:
 *  none. */
int app_mean_digits(const app_fluctuation *f, psg_precision precision);

/** Where as few are left a user is told, and where fewer are left a solution fails its check. */
enum { APP_DIGITS_FEW = 4 };

/** "f's mean is ... times its fluctuation: u has about 1 digit in f32: ...", with what helps.
 *  @param[out] text APP_MEAN_TEXT bytes */
enum { APP_MEAN_TEXT = 200 };
void app_mean_text(const app_fluctuation *f, psg_precision precision, char text[APP_MEAN_TEXT]);

#endif
