#include "runtime/c_locale.h"

#include <langinfo.h>
#include <string.h>

psg_c_locale psg_c_locale_begin(void) {
    psg_c_locale locale = {(locale_t)0, (locale_t)0};
    if (strcmp(nl_langinfo(RADIXCHAR), ".") == 0) {
        return locale; /* as nearly everywhere, and each solve asks */
    }
    const locale_t base = duplocale(uselocale((locale_t)0));
    if (base != (locale_t)0) {
        locale.point = newlocale(LC_NUMERIC_MASK, "C", base);
        if (locale.point == (locale_t)0) {
            freelocale(base);
        } else {
            locale.before = uselocale(locale.point);
        }
    }
    return locale;
}

void psg_c_locale_end(psg_c_locale locale) {
    if (locale.point != (locale_t)0) {
        (void)uselocale(locale.before);
        freelocale(locale.point);
    }
}
