/* Most users need few options of a command. Its help has these alone, if any are marked as first,
 * and says how to see the others. */
#include "app/help.h"

#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 27, HELP_WIDTH = 60 };

void app_help_wrap(const char *text, int left, int width, int column) {
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        if (length > (size_t)width) {
            for (length = (size_t)width; length > 1 && text[length] != ' ';) {
                length--;
            }
        }
        printf("%*s%.*s\n", left - column, "", (int)length, text);
        text += length + (text[length] != '\0');
        column = 0;
    }
}

static void print_row(const app_option_row *row) {
    char left[80];
    snprintf(left, sizeof left, "  --%s%s%s", row->name, row->argument != NULL ? " " : "",
             row->argument != NULL ? row->argument : "");
    /* a left side that is too wide gets a line of its own */
    int column = printf("%s", left);
    if (column > HELP_COLUMN - 2) {
        printf("\n");
        column = 0;
    }
    app_help_wrap(row->help, HELP_COLUMN, HELP_WIDTH, column);
}

void app_help_print(const app_command_text *command, const app_option_row *rows, bool all) {
    size_t count = 0, first = 0;
    for (; rows[count].name != NULL; count++) {
        first += rows[count].first;
    }
    const bool some = !all && first > 0;
    fputs(command->intro, stdout);
    if (command->print_list != NULL) {
        command->print_list();
    }
    printf("%s", some ? "\nOptions that most users need:\n" : "");
    for (const app_option_row *row = rows; row->name != NULL; row++) {
        if (row->heading != NULL && !some) {
            printf("\n%s:\n", row->heading);
        }
        if (row->first || !some) {
            print_row(row);
        }
    }
    printf("\nOf an option that is given twice the last one counts.\n\n");
    fputs(command->end, stdout);
    if (some) {
        printf("\nThese are %zu options of %zu: `psg %s --help all` has all of them.\n", first,
               count, command->name);
    }
}
