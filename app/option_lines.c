/* The solver's options on a command line. A row of the table below is needed only where the command
 * has another name, or reads more than the library does: what is in no row comes from the library's
 * table. */
#include "app/option_lines.h"
#include "app/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A word of the library's, or else a file. */
static int value_kernel(const char *text, void *field, const app_choice *choices) {
    app_options *options = field;
    (void)choices;
    const bool word = psg_options_set(&options->options, "kernel", text) == PSG_OK &&
                      options->options.kernel != PSG_KERNEL_USER;
    options->kernel = word ? NULL : text;
    options->options.kernel = word ? options->options.kernel : PSG_KERNEL_USER;
    return text[0] == '\0' ? -1 : 0;
}

static const struct special {
    const char *option;   /* the library's name */
    const char *column;   /* the command's; NULL: the same */
    const char *argument; /* NULL: as the library says, and so for the next two */
    const char *help;
    const char *expected;
    int (*parse)(const char *text, void *field, const app_choice *choices);
    size_t field; /* of app_options */
    double unit;  /* of the command, in units of the library; 0: the same */
} specials[] = {
    {.option = "z_layout", .column = "z"},
    {.option = "lambda",
     .expected = "a finite number from 0; below 0 is the equation of waves, which psg does not "
                 "solve",
     .parse = app_value_lambda,
     .field = offsetof(app_options, options.lambda)},
    {.option = "factor",
     .help = "solve for X f in place of f: gravity 4*pi*G, electric charge -1/eps0 (SI) or -4*pi "
             "(Gaussian "
             "units). X is a number, or numbers and pi with * and / between them",
     .expected = "a finite number other than 0, or a product such as 4*pi*6.674e-11",
     .parse = app_value_factor,
     .field = offsetof(app_options, options.factor)},
    {.option = "kernel",
     .argument = "auto|igf|hockney|FILE[:DATASET]",
     .help = "in place of the symbol: with all axes free igf (the mean of 1/(4 pi r) over a cell), "
             "or hockney (1/(4 pi r) at the points); with any axes your own, an HDF5 data set or a "
             "file of NumPy's with an octant of it; auto: that of the symbol",
     .expected = "auto, igf, hockney, or a file with a kernel, FILE[:DATASET]",
     .parse = value_kernel},
    {.option = "gpus",
     .argument = "N|LIST",
     .help = "GPU workers: a count, or CUDA device numbers (0,2; or 2, with the comma, for number "
             "2 alone)",
     .expected = "a count from 0, or different device numbers with commas",
     .parse = app_value_gpus,
     .field = offsetof(app_options, gpus)},
    {.option = "policy",
     .column = "sched",
     .argument = "POLICY|auto",
     .help =
         "scheduling policy, StarPU's or one of the library of STARPU_SCHED_LIB; `psg info` "
         "lists them; auto: the one of STARPU_SCHED, else what was tuned, else StarPU's own, lws",
     .expected = "the name of a policy",
     .parse = app_value_policy,
     .field = offsetof(app_options, options.policy)},
    {.option = "machine",
     .argument = "MACHINE|FILE",
     .expected = "a name, or a file",
     .parse = app_value_text,
     .field = offsetof(app_options, options.machine)},
    {.option = "network",
     .argument = "GB/S",
     .help = "between --nodes: what one sends, and what it receives, in GB/s; auto: as the "
             "machine's file says",
     .expected = "a finite number above 0, in GB/s",
     .parse = app_value_rate,
     .field = offsetof(app_options, options.network),
     .unit = 1e9},
};

static const struct special *special_of(size_t index) {
    static const struct special none = {.option = NULL};
    for (size_t s = 0; s < sizeof specials / sizeof *specials; s++) {
        if (strcmp(specials[s].option, psg_option_at(index)->name) == 0) {
            return &specials[s];
        }
    }
    return &none;
}

/* -------------------------------------------------------------------------------------- names */

const char *app_option_column(size_t index) {
    const char *column = special_of(index)->column;
    return column != NULL ? column : psg_option_at(index)->name;
}

const char *app_option_name(size_t index) {
    static char names[APP_OPTIONS_MOST][32];
    char *name = names[index];
    (void)snprintf(name, sizeof names[index], "%s", app_option_column(index));
    for (; *name != '\0'; name++) {
        *name = *name == '_' ? '-' : *name;
    }
    return names[index];
}

size_t app_option_index(const char *name) {
    for (size_t index = 0; psg_option_at(index) != NULL && index < APP_OPTIONS_MOST; index++) {
        if (strcmp(psg_option_at(index)->name, name) == 0 ||
            strcmp(app_option_column(index), name) == 0) {
            return index;
        }
    }
    return SIZE_MAX;
}

const char *app_option_argument(size_t index) {
    const char *argument = special_of(index)->argument;
    return argument != NULL ? argument : psg_option_at(index)->values;
}

const char *app_option_help(size_t index) {
    const char *help = special_of(index)->help;
    return help != NULL ? help : psg_option_at(index)->help;
}

/* ------------------------------------------------------------------------------------- values */

void app_options_init(app_options *options) {
    memset(options, 0, sizeof *options);
    psg_options_init(&options->options);
    options->options.in_flight = 1;
}

static int wrong_value(size_t index, const char *expected, const char *text) {
    const app_option_row row = {.name = app_option_name(index),
                                .argument = app_option_argument(index),
                                .parse = special_of(index)->parse,
                                .expected = expected};
    return app_wrong_value(&row, text);
}

int app_options_set(app_options *options, size_t index, const char *text) {
    const struct special *special = special_of(index);
    if (special->parse != NULL) {
        if (special->parse(text, (char *)options + special->field, NULL)) {
            return wrong_value(index, special->expected, text);
        }
    } else if (psg_options_set(&options->options, psg_option_at(index)->name, text) != PSG_OK) {
        static const char mark[] =
            "xpected "; /* after a word that was probably meant: "Expected" */
        const char *expected = strstr(psg_last_error(), mark);
        return expected != NULL ? wrong_value(index, expected + strlen(mark), text)
                                : app_error(APP_USAGE, "--%s '%s': %s", app_option_name(index),
                                            text, psg_last_error());
    }
    if (special->parse == app_value_gpus) {
        options->options.gpus = options->gpus.count;
        options->options.gpu_ids = options->gpus.listed ? options->gpus.ids : NULL;
    }
    options->given |= UINT64_C(1) << index;
    return APP_DONE;
}

int app_options_read(app_options *options, const char *path) {
    static char *text; /* to the end: options point into it */
    const psg_options before = options->options;
    char old[4096];
    char new[4096];
    if (text != NULL) {
        return app_error(APP_USAGE, "--options '%s': only one file of options is read", path);
    }
    if (psg_options_read(&options->options, path, &text) != PSG_OK) {
        return app_error(APP_USAGE, "--options: %s", psg_last_error());
    }
    for (size_t index = 0; psg_option_at(index) != NULL; index++) {
        app_options_text(&before, index, old, sizeof old);
        app_options_text(&options->options, index, new, sizeof new);
        options->given |= (uint64_t)(strcmp(old, new) != 0) << index;
    }
    return APP_DONE;
}

void app_options_text(const psg_options *options, size_t index, char *text, size_t size) {
    const double unit = special_of(index)->unit;
    char *end = NULL;
    if (psg_options_get(options, psg_option_at(index)->name, text, size) != PSG_OK) {
        text[0] = '\0';
    }
    const double value = unit != 0 ? strtod(text, &end) : 0;
    if (unit != 0 && end != text) {
        (void)snprintf(text, size, "%g", value / unit);
    }
}

bool app_options_given(const app_options *options, const char *name) {
    return (options->given >> app_option_index(name) & 1) != 0;
}
