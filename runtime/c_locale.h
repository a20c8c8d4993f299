/** @file c_locale.h  Numbers in files have a point in every locale of the host program. */
#ifndef PSG_RUNTIME_C_LOCALE_H
#define PSG_RUNTIME_C_LOCALE_H

#include <locale.h>

typedef struct psg_c_locale {
    locale_t point;
    locale_t before;
} psg_c_locale;

/** From here to psg_c_locale_end() this thread reads and writes numbers with a decimal point; other
 * threads and the program's locale stay as they are. Without memory for it nothing changes. */
psg_c_locale psg_c_locale_begin(void);
void psg_c_locale_end(psg_c_locale locale);

#endif
