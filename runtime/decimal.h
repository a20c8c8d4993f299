/** @file decimal.h  Numbers in files have a point in every locale of the host program. */
#ifndef PSG_RUNTIME_DECIMAL_H
#define PSG_RUNTIME_DECIMAL_H

#include <locale.h>

typedef struct psg_decimal {
    locale_t point;
    locale_t before;
} psg_decimal;

/** From here to psg_decimal_end() this thread reads and writes numbers with a decimal point; other
 * threads and the program's locale stay as they are. Without memory for it nothing changes. */
psg_decimal psg_decimal_begin(void);
void psg_decimal_end(psg_decimal decimal);

#endif
