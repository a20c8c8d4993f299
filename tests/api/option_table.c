/* Options by name: every option has a row, whose default is that of psg_options_init(), and whose words and
 * numbers go in and come out the same; wrong names and values change nothing. */
#include "tests/check.h"
#include "tests/harness.h"

#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void defaults(void) {
    char text[64];
    psg_options o, other;
    psg_options_init(&o);
    psg_options_init(&other);
    size_t count = 0;
    for (const psg_option *option = psg_option_at(0); option != NULL;
         option = psg_option_at(++count)) {
        CHECK_STATUS(psg_options_get(&o, option->name, text, sizeof text), PSG_OK);
        CHECK(strcmp(text, option->standard) == 0, "%s is '%s' at first, and its default is '%s'",
              option->name, text, option->standard);
        CHECK_STATUS(psg_options_set(&other, option->name, option->standard), PSG_OK);
        CHECK(strlen(option->help) > 3 && strlen(option->group) > 3 && option->values[0] != '\0',
              "%s has no help", option->name);
    }
    CHECK(count > 20, "%zu options", count);
    CHECK(memcmp(&o, &other, sizeof o) == 0, "setting the defaults changed something");
    CHECK(psg_option_at(SIZE_MAX) == NULL, "an option past the last");
}

/** Every word of a list such as "fused|staged|auto" is one value, and comes back. */
static void words(void) {
    for (size_t m = 0; psg_option_at(m) != NULL; m++) {
        const psg_option *option = psg_option_at(m);
        char list[128], text[64];
        psg_options o;
        psg_options_init(&o);
        (void)snprintf(list, sizeof list, "%s", option->values);
        for (char *rest = list, *word = strtok_r(list, "|", &rest); word != NULL;
             word = strtok_r(NULL, "|", &rest)) {
            if (word[0] >= 'A' && word[0] <= 'Z') { /* N, X, NAME, ... */
                continue;
            }
            CHECK_STATUS(psg_options_set(&o, option->name, word), PSG_OK);
            CHECK_STATUS(psg_options_get(&o, option->name, text, sizeof text), PSG_OK);
            CHECK(strcmp(text, word) == 0, "%s: '%s' became '%s'", option->name, word, text);
        }
    }
}

static void numbers(void) {
    static const char *const cases[][2] = {{"lambda", "2.5"},
                                           {"lambda", "1e-05"},
                                           {"lambda", "0.1"},
                                           {"factor", "-12.566370614359172"},
                                           {"segment_planes", "7"},
                                           {"segment-planes", "7"},
                                           {"sheets", "64"},
                                           {"cpus", "0"},
                                           {"gpus", "3"},
                                           {"cpu-share", "0.25"},
                                           {"placement", "free"},
                                           {"in_flight", "5"},
                                           {"nodes", "12"},
                                           {"network", "5e+10"},
                                           {"wire", "f48"},
                                           {"time_limit", "2.5"},
                                           {"mean_tolerance", "1e-12"},
                                           {"lambda", "0.30000000000000004"}};
    char text[64];
    psg_options o;
    psg_options_init(&o);
    for (size_t m = 0; m < sizeof cases / sizeof *cases; m++) {
        CHECK_STATUS(psg_options_set(&o, cases[m][0], cases[m][1]), PSG_OK);
        CHECK_STATUS(psg_options_get(&o, cases[m][0], text, sizeof text), PSG_OK);
        CHECK(strcmp(text, cases[m][1]) == 0, "%s: '%s' became '%s'", cases[m][0], cases[m][1],
              text);
    }
    CHECK(o.lambda == 0.1 + 0.2 && o.segment_planes == 7 && o.sheets == 64 && o.cpus == 0 &&
              o.gpus == 3 && o.cpu_share == 0.25 && o.placement == PSG_PLACEMENT_FREE &&
              o.in_flight == 5 && o.nodes == 12,
          "a field is not what was set");
    CHECK_STATUS(psg_options_set(&o, "policy", "eager"), PSG_OK);
    CHECK(strcmp(o.policy, "eager") == 0, "policy is '%s'", o.policy);
    CHECK_STATUS(psg_options_set(&o, "policy", "auto"), PSG_OK);
    CHECK(o.policy == NULL, "policy is not NULL");
    CHECK_STATUS(psg_options_set(&o, "cache_dir", ""), PSG_OK);
    CHECK(o.cache_dir != NULL && o.cache_dir[0] == '\0', "cache_dir is not ''");
}

static void wrong(void) {
    static const char *const cases[][2] = {
        {"precision", "f16"},      {"precision", ""},    {"precision", "F64"},
        {"lambda", "-1"},          {"lambda", "nan"},    {"lambda", "inf"},
        {"lambda", "1,5"},         {"lambda", "1 "},     {"lambda", " 1"},
        {"factor", "0"},           {"factor", "-inf"},   {"segment_planes", "0"},
        {"segment_planes", "2.5"}, {"sheets", "-3"},     {"cpus", "-2"},
        {"cpus", "two"},           {"cpu_share", "1.5"}, {"cpu_share", "free"},
        {"placement", "gpus"},     {"in_flight", "0"},   {"nodes", "0"},
        {"nodes", "40000"},        {"wire", "f16"},      {"time_limit", "-1"},
        {"time-limit", "inf"},     {"graph", "7"},       {"tuned", "1"},
        {"record", "true"},        {"no_such", "1"},     {"", "1"}};
    psg_options o, before;
    char text[8];
    psg_options_init(&o);
    before = o;
    for (size_t m = 0; m < sizeof cases / sizeof *cases; m++) {
        CHECK_STATUS(psg_options_set(&o, cases[m][0], cases[m][1]), PSG_ERR_ARG);
        CHECK(strlen(psg_last_error()) > 10, "%s = '%s': words '%s'", cases[m][0], cases[m][1],
              psg_last_error());
    }
    CHECK_STATUS(psg_options_set(NULL, "lambda", "1"), PSG_ERR_ARG);
    CHECK_STATUS(psg_options_set(&o, NULL, "1"), PSG_ERR_ARG);
    CHECK_STATUS(psg_options_set(&o, "lambda", NULL), PSG_ERR_ARG);
    CHECK(memcmp(&o, &before, sizeof o) == 0, "a wrong value changed something");
    CHECK_STATUS(psg_options_get(&o, "precision", text, 3), PSG_ERR_ARG); /* "f64" and its 0 */
    CHECK_STATUS(psg_options_get(&o, "precision", text, 4), PSG_OK);
    CHECK_STATUS(psg_options_get(&o, "precision", NULL, 4), PSG_ERR_ARG);
    CHECK_STATUS(psg_options_get(&o, "no_such", text, sizeof text), PSG_ERR_ARG);
}

/** A program compiled with fewer options. */
static void smaller_struct(void) {
    char text[16];
    psg_options o, before;
    psg_options_init(&o);
    o.struct_size = offsetof(psg_options, nodes);
    before = o;
    CHECK_STATUS(psg_options_set(&o, "nodes", "3"), PSG_ERR_UNSUPPORTED);
    CHECK(memcmp(&o, &before, sizeof o) == 0, "a byte beyond the struct was written");
    o.nodes = 9; /* no part of the struct */
    CHECK_STATUS(psg_options_get(&o, "nodes", text, sizeof text), PSG_OK);
    CHECK(strcmp(text, "1") == 0, "nodes is '%s'", text);
}

/** In a locale with decimal commas, if the machine has one. */
static void locale_with_commas(void) {
    char text[32];
    psg_options o;
    psg_options_init(&o);
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL) {
        return;
    }
    CHECK_STATUS(psg_options_set(&o, "lambda", "2.5"), PSG_OK);
    CHECK(o.lambda == 2.5, "lambda is %g", o.lambda);
    CHECK_STATUS(psg_options_get(&o, "lambda", text, sizeof text), PSG_OK);
    CHECK(strcmp(text, "2.5") == 0, "lambda is '%s'", text);
    (void)setlocale(LC_ALL, "C");
}

int main(void) {
    defaults();
    words();
    numbers();
    wrong();
    smaller_struct();
    locale_with_commas();
    return check_result();
}
