/* The order of time steps, and the names of their data sets. */
#include "app/steps.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name is compared by its parts. A part is a number without a sign, or one character. A name may
 * begin with a number that has a sign. */
typedef struct part {
    bool number;
    double value;        /* of the number */
    unsigned char first; /* character */
    const char *rest;
} part;

static part next_part(const char *text, bool begins) {
    const bool signed_one = begins && text[0] == '-' && isdigit((unsigned char)text[1]);
    part p = {signed_one || isdigit((unsigned char)text[0]), 0, (unsigned char)text[0], text + 1};
    if (p.number) {
        char *end = NULL;
        p.value = strtod(text, &end);
        p.first = '0';
        p.rest = end;
    }
    return p;
}

static int compare_names(const char *a, const char *b) {
    const char *x = a, *y = b;
    while (*x != '\0' && *y != '\0') {
        const part p = next_part(x, x == a), q = next_part(y, y == b);
        if (p.number && q.number && p.value != q.value) {
            return p.value < q.value ? -1 : 1;
        }
        if (p.first != q.first) {
            return p.first < q.first ? -1 : 1;
        }
        x = p.rest;
        y = q.rest;
    }
    return *x != *y ? (*x == '\0' ? -1 : 1) : strcmp(a, b);
}

static int compare_steps(const void *a, const void *b) {
    return compare_names(((const app_field_step *)a)->name, ((const app_field_step *)b)->name);
}

void app_field_sort(app_field_steps *steps) {
    if (steps->count > 0) {
        qsort(steps->list, steps->count, sizeof *steps->list, compare_steps);
    }
}

size_t app_field_count(const app_field_steps *steps) {
    return steps != NULL && steps->count > 0 ? steps->count : 1;
}

void app_field_path(const char *name, const app_field_steps *steps, size_t step,
                    char path[APP_FIELD_PATH]) {
    if (steps != NULL && steps->count > 0) {
        snprintf(path, APP_FIELD_PATH, "%s/%s", name, steps->list[step].name);
    } else {
        snprintf(path, APP_FIELD_PATH, "%s", name);
    }
}
