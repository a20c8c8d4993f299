/* Option values from text. strtod and strtoull take leading blanks, signs, "inf" and trailing
   garbage; these do not. */
#include "app/values.h"
#include "app/app.h"
#include "base/nearest.h"
#include "graph/psg_machine.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char app_bc_letters[] = {
    [PSG_BC_PERIODIC] = 'P', [PSG_BC_DIRICHLET] = 'D', [PSG_BC_NEUMANN] = 'N',
    [PSG_BC_FREE] = 'F',     [PSG_BC_ROBIN] = 'R',     '\0'};

/* A whole number at the start of text. Returns where it ends, or NULL. */
static const char *read_whole(const char *text, unsigned long long most,
                              unsigned long long *value) {
    if (!isdigit((unsigned char)text[0])) {
        return NULL;
    }
    char *end = NULL;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *value <= most ? end : NULL;
}

/* A finite number at the start of text. Returns where it ends, or NULL. */
static const char *read_real(const char *text, double *value) {
    if (!isdigit((unsigned char)text[0]) && strchr("+-.", text[0]) == NULL) {
        return NULL;
    }
    if (text[strspn(text, "+-0")] == 'x') { /* 0x2x3 is no length in base 16 */
        return NULL;
    }
    char *end = NULL;
    errno = 0;
    *value = strtod(text, &end);
    /* ERANGE is also set where a tiny number becomes 0 or subnormal, which is as good as it gets */
    return end != text && isfinite(*value) ? end : NULL;
}

static int read_one(const char *text, unsigned long long least, unsigned long long most,
                    unsigned long long *value) {
    const char *end = read_whole(text, most, value);
    return end != NULL && *end == '\0' && *value >= least ? 0 : -1;
}

int app_value_unsigned(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    unsigned long long value;
    if (read_one(text, 1, INT_MAX, &value)) {
        return -1;
    }
    *(unsigned *)field = (unsigned)value;
    return 0;
}

int app_value_cpus(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    unsigned long long value;
    if (read_one(text, 0, INT_MAX, &value)) {
        return -1;
    }
    *(int *)field = (int)value;
    return 0;
}

int app_value_gpus(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    app_gpus_value gpus = {0, strchr(text, ',') != NULL, {0}};
    unsigned long long value;
    if (!gpus.listed) {
        if (read_one(text, 0, INT_MAX, &value)) {
            return -1;
        }
        gpus.count = (int)value;
    } else {
        /* "0,2" and, to name a single device, "2," */
        while (*text) {
            text = read_whole(text, INT_MAX, &value);
            if (text == NULL || (*text && *text != ',') || gpus.count == APP_GPUS_MAX) {
                return -1;
            }
            for (int g = 0; g < gpus.count; g++) {
                if (gpus.ids[g] == (int)value) {
                    return -1;
                }
            }
            gpus.ids[gpus.count++] = (int)value;
            text += *text == ',';
        }
        if (gpus.count == 0) {
            return -1;
        }
    }
    *(app_gpus_value *)field = gpus;
    return 0;
}

int app_value_lambda(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    double value;
    const char *end = read_real(text, &value);
    if (end == NULL || *end || value < 0) {
        return -1;
    }
    *(double *)field = value;
    return 0;
}

/* A number, or pi. Returns where it ends, or NULL. */
static const char *read_constant(const char *text, double *value) {
    if (strncmp(text, "pi", 2) == 0) {
        *value = acos(-1.0);
        return text + 2;
    }
    return read_real(text, value);
}

int app_value_factor(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    const double sign = text[0] == '-' ? -1 : 1;
    double product = sign, value;
    const char *end = read_constant(text + (sign < 0), &value);
    product *= end != NULL ? value : 0;
    while (end != NULL && (*end == '*' || *end == '/')) {
        const char operation = *end;
        end = read_constant(end + 1, &value);
        product = end != NULL && operation == '*' ? product * value : product / value;
    }
    if (end == NULL || *end || !isfinite(product) || product == 0) {
        return -1;
    }
    *(double *)field = product;
    return 0;
}

int app_value_rate(const char *text, void *field, const app_choice *choices) {
    double value = 0;
    if (app_value_lambda(text, &value, choices) || value <= 0) {
        return -1;
    }
    *(double *)field = 1e9 * value;
    return 0;
}

/* Reads part `axis` of a value at the start of text. Returns where it ends, or NULL. */
typedef const char *part_reader(const char *text, size_t axis, void *value);

/* One to three parts with `joint` between them. One alone is meant for all three.
 * @return how many there are; 0: the text is something else */
static int read_parts(const char *text, char joint, part_reader *read, void *value) {
    size_t count = 1;
    const char *end = read(text, 0, value);
    while (end != NULL && *end == joint && count < 3) {
        end = read(end + 1, count++, value);
    }
    for (size_t axis = 1; axis < 3 && count == 1 && end != NULL; axis++) {
        (void)read(text, axis, value);
    }
    return end != NULL && *end == '\0' ? (int)count : 0;
}

/* @param[in] good  else the field stays as it is */
static int keep(bool good, const void *value, size_t bytes, void *field) {
    if (good) {
        memcpy(field, value, bytes);
    }
    return good ? 0 : -1;
}

static const char *read_extent(const char *text, size_t axis, void *value) {
    app_grid_value *grid = value;
    unsigned long long n;
    const char *end = read_whole(text, SIZE_MAX, &n);
    grid->n[axis] = end != NULL ? (size_t)n : 0;
    return grid->n[axis] > 0 ? end : NULL;
}

int app_value_grid(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    app_grid_value grid = {.given = true, .n = {1, 1, 1}};
    const int parts = read_parts(text, 'x', read_extent, &grid);
    grid.axes = parts == 1 ? 3 : parts;
    return keep(parts > 0, &grid, sizeof grid, field);
}

bool app_same_size(const app_grid_value *a, const app_grid_value *b) {
    return a->axes == b->axes && memcmp(a->n, b->n, sizeof a->n) == 0;
}

void app_grid_thin(app_grid_value *grid) {
    if (grid->axes == 2) {
        *grid = (app_grid_value){grid->given, 3, {grid->n[0], 1, grid->n[1]}};
    }
}

static const char *read_length(const char *text, size_t axis, void *value) {
    app_box_value *box = value;
    const char *end = read_real(text, &box->length[axis]);
    return end != NULL && box->length[axis] > 0 ? end : NULL;
}

int app_value_box(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    app_box_value box = {.given = true, .length = {1, 1, 1}};
    box.axes = read_parts(text, 'x', read_length, &box);
    return keep(box.axes > 0, &box, sizeof box, field);
}

static const char *read_place(const char *text, size_t axis, void *value) {
    return read_real(text, &((app_place_value *)value)->at[axis]);
}

int app_value_place(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    app_place_value place = {.given = true};
    place.axes = read_parts(text, ',', read_place, &place);
    return keep(place.axes > 1, &place, sizeof place, field);
}

static const char *read_sides(const char *text, size_t axis, void *value) {
    app_sides_value *sides = value;
    for (int side = 0; side < 2; side++, text++) {
        const char *found = *text != '\0' ? strchr(app_bc_letters, *text) : NULL;
        if (found == NULL) {
            return NULL;
        }
        sides->bc[axis][side] = (psg_bc)(found - app_bc_letters);
    }
    return text;
}

int app_value_sides(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    app_sides_value sides = {.given = true};
    sides.axes = read_parts(text, ',', read_sides, &sides);
    return keep(sides.axes > 0, &sides, sizeof sides, field);
}

static const char *read_points(const char *text, size_t axis, void *value) {
    ((app_points_value *)value)->points[axis] = *text == 'n' ? PSG_POINTS_NODES : PSG_POINTS_CELLS;
    return *text == 'n' || *text == 'c' ? text + 1 : NULL;
}

int app_value_points(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    app_points_value points = {.given = true};
    const bool cells = strcmp(text, "cells") == 0, nodes = strcmp(text, "nodes") == 0;
    points.axes = read_parts(cells ? "c" : nodes ? "n" : text, ',', read_points, &points);
    return keep(points.axes > 0, &points, sizeof points, field);
}

int app_value_choice(const char *text, void *field, const app_choice *choices) {
    for (; choices->name != NULL; choices++) {
        if (strcmp(text, choices->name) == 0) {
            *(int *)field = choices->value;
            return 0;
        }
    }
    return -1;
}

int app_value_text(const char *text, void *field, const app_choice *choices) {
    (void)choices;
    if (text[0] == '\0') {
        return -1;
    }
    *(const char **)field = text;
    return 0;
}

int app_value_policy(const char *text, void *field, const app_choice *choices) {
    if (text[0] == '\0' || psg_policy_check(text, "") != PSG_OK) {
        return -1;
    }
    return app_value_text(text, field, choices);
}

/* --bc in words, for all sides. */
static const char *sides_in_words(const char *text) {
    static const char *const words[] = {"periodic", "dirichlet", "neumann", NULL};
    static const char *const pairs[] = {"PP", "DD", "NN"};
    char small[16] = "";
    for (size_t m = 0; text[m] != '\0' && m + 1 < sizeof small; m++) {
        small[m] = (char)tolower((unsigned char)text[m]);
    }
    const char *near = base_nearest(small, words);
    for (size_t w = 0; near != NULL && words[w] != NULL; w++) {
        if (near == words[w]) {
            return pairs[w];
        }
    }
    return NULL;
}

/* What was probably meant: the extents of a box have x between them, sides are large letters with
 * commas. */
static bool nearly_right(const app_option_row *row, const char *text, char *meant, size_t size) {
    static const char *const places[] = {"cells", "nodes"};
    union {
        app_grid_value grid;
        app_box_value box;
        app_sides_value sides;
        app_points_value points;
    } ignored;
    const bool extents = row->parse == app_value_grid || row->parse == app_value_box;
    const bool sides = row->parse == app_value_sides;
    if (strlen(text) >= size || (!extents && !sides && row->parse != app_value_points)) {
        return false;
    }
    for (size_t m = 0; m <= strlen(text); m++) {
        const bool joint = strchr(extents ? "," : "xX;:", text[m]) != NULL && text[m] != '\0';
        meant[m] = joint ? (extents ? 'x' : ',') : text[m];
        meant[m] = (char)(sides     ? toupper((unsigned char)meant[m])
                          : extents ? meant[m]
                                    : tolower((unsigned char)meant[m]));
    }
    const char *pair = sides ? sides_in_words(text) : NULL;
    if (pair != NULL) {
        (void)snprintf(meant, size, "%s", pair);
    }
    for (size_t p = 0; row->parse == app_value_points && p < 2; p++) {
        if (base_edit_distance(meant, places[p]) <= 2) {
            (void)snprintf(meant, size, "%s", places[p]);
        }
    }
    return row->parse(meant, &ignored, NULL) == 0;
}

static bool means_open(const char *text) {
    static const char *const words[] = {"open", "free", "isolated", "vacuum"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (strcasecmp(text, words[w]) == 0) {
            return true;
        }
    }
    return false;
}

enum { WORDS_MOST = 128 };

/* The values that have a name: the choices, or the words of "fused|staged|auto".
 * @param[out] list    ends with NULL
 * @param[in]  memory  for its words */
static void list_values(const app_option_row *row, const char *list[WORDS_MOST + 1], char *memory,
                        size_t size) {
    size_t count = 0;
    for (const app_choice *c = row->choices; c != NULL && c->name != NULL; c++) {
        list[count++] = c->name;
    }
    (void)snprintf(memory, size, "%s", row->argument != NULL && count == 0 ? row->argument : "");
    for (char *rest = memory, *word; (word = strtok_r(rest, "|", &rest)) != NULL;) {
        if (islower((unsigned char)word[0])) {
            list[count++] = word;
        }
    }
    list[count] = NULL;
}

int app_wrong_value(const app_option_row *row, const char *text) {
    char list[2048], meant[128], memory[256];
    const char *words[WORDS_MOST + 1];
    size_t length = 0;
    list[0] = '\0';
    if (row->parse == app_value_policy && text[0] != '\0') {
        return app_error(APP_USAGE, "--%s '%s': %s", row->name, text, psg_last_error());
    }
    if (row->parse == app_value_sides && means_open(text)) {
        return app_error(
            APP_USAGE,
            "--bc '%s': F is a free side: as --bc FF for all axes, or --bc PP,PP,FF for z alone",
            text);
    }
    if (nearly_right(row, text, meant, sizeof meant)) {
        return app_error(APP_USAGE, "--%s '%s': expected %s: did you mean --%s %s?", row->name,
                         text, row->expected, row->name, meant);
    }
    list_values(row, words, memory, sizeof memory);
    for (size_t w = 0; row->choices != NULL && words[w] != NULL && length < sizeof list; w++) {
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                   length ? ", " : "one of ", words[w]);
    }
    const char *near = text[0] != '\0' ? base_nearest(text, words) : NULL;
    return app_error(APP_USAGE, "--%s '%s': %s%s%sxpected %s", row->name, text,
                     near != NULL ? "did you mean '" : "", near != NULL ? near : "",
                     near != NULL ? "'? E" : "e", length ? list : row->expected);
}
