/** @file commas.h  A locale with decimal commas, for tests: the system may have none. */
#ifndef PSG_TESTS_COMMAS_H
#define PSG_TESTS_COMMAS_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Do numbers that this program prints have commas? */
static inline int commas_in_force(void) {
    char text[32];
    snprintf(text, sizeof text, "%.1f", 1.5);
    return strcmp(text, "1,5") == 0;
}

/** Make the locale. @param[in] folder  for it and files beside @param[in] localedef  the C library's program */
static inline int commas_make(const char *folder, const char *localedef) {
    char command[2048];
    const char *source = "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\n"
                         "thousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
    snprintf(command, sizeof command, "%s/source", folder);
    FILE *file = fopen(command, "w");
    if (file) {
        fputs(source, file);
        fclose(file);
    }
    snprintf(command, sizeof command,
             "'%s' -c -i '%s/source' -f ANSI_X3.4-1968 '%s/commas' >'%s/log' 2>&1; test -f "
             "'%s/commas/LC_NUMERIC'",
             localedef, folder, folder, folder, folder);
    return system(command) == 0;
}

/** From here on the program has it. @return is it in force? */
static inline int commas_begin(const char *folder) {
    return setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_NUMERIC, "commas") &&
           commas_in_force();
}

#endif
