#include "runtime/decimal.h"

#include <langinfo.h>
#include <string.h>

psg_decimal psg_decimal_begin(void) {
    psg_decimal decimal = {(locale_t)0, (locale_t)0};
    if (strcmp(nl_langinfo(RADIXCHAR), ".") == 0) {
        return decimal; /* as nearly everywhere, and each solve asks */
    }
    const locale_t base = duplocale(uselocale((locale_t)0));
    if (base != (locale_t)0) {
        decimal.point = newlocale(LC_NUMERIC_MASK, "C", base);
        if (decimal.point == (locale_t)0) {
            freelocale(base);
        } else {
            decimal.before = uselocale(decimal.point);
        }
    }
    return decimal;
}

void psg_decimal_end(psg_decimal decimal) {
    if (decimal.point != (locale_t)0) {
        (void)uselocale(decimal.before);
        freelocale(decimal.point);
    }
}
