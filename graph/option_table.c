/* The options of a plan, one row each. Defaults, the check of single values, the agreement between
 * processes, and options by name are made from this table. To add an option: a field at the end of
 * psg_options, a row here, the place that uses it, and its test. */
#include "graph/option_table.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "graph/status.h"
#include "runtime/c_locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the field of an option is. */
typedef enum kind { CHOICE, INTEGER, UNSIGNED, SIZE, REAL, TEXT } kind;

/* A value that has a name of its own. */
typedef struct word {
    const char *text; /* NULL ends the list */
    double value;
} word;

typedef struct row {
    psg_option about;
    kind kind;
    size_t offset;
    const word *words;  /* NULL: there are none. A choice has no other values */
    double least, most; /* of a number that is no word */
} row;

static const word precisions[] = {{"f64", PSG_F64}, {"f32", PSG_F32}, {NULL, 0}};
static const word symbols[] = {{"spectral", PSG_SYMBOL_SPECTRAL}, {"fd2", PSG_SYMBOL_FD2},
                               {"fd4", PSG_SYMBOL_FD4},           {"fd6", PSG_SYMBOL_FD6},
                               {"fd8", PSG_SYMBOL_FD8},           {NULL, 0}};
static const word kernels[] = {{"auto", PSG_KERNEL_AUTO},
                               {"igf", PSG_KERNEL_IGF},
                               {"hockney", PSG_KERNEL_HOCKNEY},
                               {"user", PSG_KERNEL_USER},
                               {NULL, 0}};
static const word means[] = {{"drop", PSG_MEAN_DROP}, {"error", PSG_MEAN_ERROR}, {NULL, 0}};
static const word graphs[] = {
    {"fused", PSG_GRAPH_FUSED}, {"staged", PSG_GRAPH_STAGED}, {"auto", PSG_GRAPH_AUTO}, {NULL, 0}};
static const word exchanges[] = {
    {"auto", PSG_EXCHANGE_AUTO},         {"managed", PSG_EXCHANGE_MANAGED},
    {"direct", PSG_EXCHANGE_DIRECT},     {"mpi", PSG_EXCHANGE_MPI},
    {"alltoall", PSG_EXCHANGE_ALLTOALL}, {"starpu", PSG_EXCHANGE_STARPU},
    {"nccl", PSG_EXCHANGE_NCCL},         {NULL, 0}};
static const word placements[] = {
    {"pinned", PSG_PLACEMENT_PINNED}, {"free", PSG_PLACEMENT_FREE}, {NULL, 0}};
static const word layouts[] = {
    {"contiguous", PSG_Z_CONTIGUOUS}, {"strided", PSG_Z_STRIDED}, {"auto", PSG_Z_AUTO}, {NULL, 0}};
static const word efforts[] = {{"measure", PSG_EFFORT_MEASURE},
                               {"estimate", PSG_EFFORT_ESTIMATE},
                               {"patient", PSG_EFFORT_PATIENT},
                               {NULL, 0}};
static const word executors[] = {{"auto", PSG_EXECUTOR_AUTO},
                                 {"tasks", PSG_EXECUTOR_TASKS},
                                 {"team", PSG_EXECUTOR_TEAM},
                                 {"chain", PSG_EXECUTOR_CHAIN},
                                 {NULL, 0}};
static const word wires[] = {{"f64", 64}, {"f48", 48}, {"f40", 40}, {"f32", 32}, {NULL, 0}};
static const word answers[] = {{"yes", 1}, {"no", 0}, {NULL, 0}};
static const word shares[] = {{"auto", PSG_CPU_SHARE_AUTO}, {NULL, 0}};
static const word every[] = {{"all", -1}, {NULL, 0}};
static const word chosen[] = {{"auto", 0}, {NULL, 0}};
static const word limits[] = {{"none", 0}, {NULL, 0}};

/* One more than the largest size_t, which is no double: it stands for that. */
static const double size_most = 0x1p64;

#define AT(member) offsetof(psg_options, member)
/* The last members of a row whose option is one of some words. */
#define CHOICE_OF(member, words) CHOICE, AT(member), words, 0, 0
#define SAME PSG_OPTION_SAME
#define SIMULATED PSG_OPTION_SIMULATION

static const row rows[] = {
    {{"precision", "Equation", "f64|f32", "f64", "precision of f, u and all arithmetic", SAME},
     CHOICE_OF(precision, precisions)},
    {{"symbol", "Equation", "spectral|fd2|fd4|fd6|fd8", "spectral",
      "the Laplacian: spectral (-k^2), fd2 (the 7-point stencil, solved exactly), or fd4, fd6 and "
      "fd8 (the stencils of order 4, 6 and 8, solved exactly)",
      SAME},
     CHOICE_OF(symbol, symbols)},
    {{"kernel", "Equation", "auto|igf|hockney|user", "auto",
      "in place of the symbol: with all axes free igf (the mean of 1/(4 pi r) over a cell), or "
      "hockney (1/(4 pi r) at the points); with any axes user (that of psg_plan_kernel()); auto: "
      "that of the symbol",
      SAME},
     CHOICE_OF(kernel, kernels)},
    {{"lambda", "Equation", "X", "0", "screening, in 1/length^2", SAME},
     REAL,
     AT(lambda),
     NULL,
     0,
     INFINITY},
    {{"factor", "Equation", "X", "1", "lap(u) - lambda u = X f; a finite number other than 0",
      SAME},
     REAL,
     AT(factor),
     NULL,
     -INFINITY,
     INFINITY},
    {{"mean", "Equation", "drop|error", "drop",
      "a mean of f, for which a box with periodic and Neumann sides alone has no solution unless "
      "lambda > 0: drop it and say so, or fail",
      SAME},
     CHOICE_OF(mean, means)},
    {{"mean_tolerance", "Equation", "X", "auto",
      "with mean error: |mean f| above this share of max|f| is an error; auto means rounding",
      SAME},
     REAL,
     AT(mean_tolerance),
     chosen,
     0,
     INFINITY},
    {{"cpus", "Machine", "N|all", "all",
      "CPU workers; all: one per core, beside GPUs none unless cpu_share wants them", 0},
     INTEGER,
     AT(cpus),
     every,
     0,
     INT32_MAX},
    {{"gpus", "Machine", "N|all", "all", "GPU workers", 0}, INTEGER, AT(gpus), every, 0, INT32_MAX},
    {{"cpu_share", "Machine", "X|auto", "auto",
      "the part of the planes and rows that CPU workers take beside GPUs: a number from 0 to 1; "
      "auto: 0",
      SAME},
     REAL,
     AT(cpu_share),
     shares,
     0,
     1},
    {{"placement", "Machine", "pinned|free", "pinned",
      "the tasks of a segment run on the GPU that has it, or where the policy says: free among the "
      "GPUs, and with a number of CPU workers on cores, too",
      SAME},
     CHOICE_OF(placement, placements)},
    {{"policy", "Machine", "NAME|auto", "auto",
      "StarPU's scheduling policy; auto: the one of STARPU_SCHED in the environment, else what was "
      "tuned, else StarPU's own, lws",
      SAME},
     TEXT,
     AT(policy),
     NULL,
     0,
     0},
    {{"calibrate", "Machine", "yes|no", "no",
      "measure tasks, for policies that decide by performance models", 0},
     CHOICE_OF(calibrate, answers)},
    {{"cache_dir", "Machine", "FOLDER|auto", "auto",
      "folder for FFTW's wisdom and what psg tune found; auto: psg in the user's cache folder; "
      "empty: nowhere",
      0},
     TEXT,
     AT(cache_dir),
     NULL,
     0,
     0},
    {{"graph", "Task graph", "fused|staged|auto", "auto",
      "few tasks, or one per operation; auto: what was tuned, else fused", SAME},
     CHOICE_OF(graph, graphs)},
    {{"exchange", "Task graph", "managed|direct|mpi|alltoall|starpu|nccl|auto", "auto",
      "how blocks go from segments to sheets: managed (StarPU moves them), direct (GPUs write "
      "them into each other's memory and read them there); between processes: direct (of one "
      "node), mpi (each as soon as it can go), alltoall (all at once), starpu (by StarPU-MPI, "
      "where it is built in), nccl (by NCCL, between GPUs of one process each); auto: the best of "
      "the first four",
      SAME},
     CHOICE_OF(exchange, exchanges)},
    {{"z_layout", "Task graph", "contiguous|strided|auto", "auto",
      "layout of the z transforms of the staged graph; auto: what was tuned, else contiguous",
      SAME},
     CHOICE_OF(z_layout, layouts)},
    {{"executor", "Task graph", "tasks|team|chain|auto", "auto",
      "who runs the tasks: tasks (StarPU schedules each), team (cores share them), chain (one task "
      "of StarPU's on the GPU that has all of the grid); auto: tasks where an option or "
      "STARPU_SCHED names a policy, or an option cuts the grid or calibrates, else the fastest one",
      SAME},
     CHOICE_OF(executor, executors)},
    {{"segment_planes", "Task graph", "N|auto", "auto",
      "planes of z in a segment; auto: from the data's size and the GPUs' room", SAME},
     SIZE,
     AT(segment_planes),
     chosen,
     1,
     size_most},
    {{"sheets", "Task graph", "N|auto", "auto",
      "parts of y in spectral space; auto: from the data's size, with the exchange direct one for "
      "each GPU",
      SAME},
     SIZE,
     AT(sheets),
     chosen,
     1,
     size_most},
    {{"in_flight", "Task graph", "N", "2",
      "solves that may overlap, if memory allows a spectrum each", SAME},
     UNSIGNED,
     AT(in_flight),
     NULL,
     1,
     INT32_MAX},
    {{"batch", "Task graph", "N|auto", "auto",
      "of several right-hand sides in one call, those that a GPU solves at once; 1: one after the "
      "other, on cores too; auto: from the data's size (psg solve: 1)",
      SAME},
     SIZE,
     AT(batch),
     chosen,
     1,
     size_most},
    {{"effort", "Task graph", "estimate|measure|patient", "measure", "FFTW's search for its plans",
      SAME},
     CHOICE_OF(effort, efforts)},
    {{"tuned", "Task graph", "yes|no", "yes",
      "for options left at auto, take what psg tune found best for this machine and grid", 0},
     CHOICE_OF(tuned, answers)},
    {{"record", "Task graph", "yes|no", "no",
      "keep what tasks read and write, for dependencies and bounds", 0},
     CHOICE_OF(record, answers)},
    {{"wire", "Processes", "f64|f48|f40|f32", "f64",
      "bits of the spectrum's f64 numbers in messages, which less than 64 round: for slow networks",
      SAME},
     CHOICE_OF(wire_bits, wires)},
    {{"time_limit", "Processes", "S|none", "none",
      "seconds to wait for another process, or for the end of a task, before psg ends with a "
      "message: longer than the longest operation of a process takes",
      SAME},
     REAL,
     AT(time_limit),
     limits,
     0,
     INFINITY},
    {{"machine", "Simulation", "NAME|FILE|auto", "auto",
      "of a library that simulates: a recorded machine or a file; auto: the one in use, at first "
      "PSG_MACHINE in the environment",
      SIMULATED},
     TEXT,
     AT(machine),
     NULL,
     0,
     0},
    {{"nodes", "Simulation", "N", "1",
      "of a library that simulates: alike nodes with a process each; times, bytes and traces are "
      "those of one",
      SIMULATED},
     UNSIGNED,
     AT(nodes),
     NULL,
     1,
     INT16_MAX},
    {{"network", "Simulation", "X|auto", "auto",
      "bytes per second that a node sends, and receives; auto: as the machine's file says",
      SIMULATED},
     REAL,
     AT(network),
     chosen,
     0,
     INFINITY},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ------------------------------------------------------------------------------------- lookup */

const psg_option *psg_option_at(size_t index) {
    return index < ROWS ? &rows[index].about : NULL;
}

/* '-' stands for '_', as in the command's options. */
static bool same_name(const char *name, const char *given) {
    for (; *name != '\0' && (*name == *given || (*name == '_' && *given == '-')); name++) {
        given++;
    }
    return *name == '\0' && *given == '\0';
}

static psg_status find(const char *name, const row **found) {
    static const char *const command[][2] = {{"sched", "policy"}, {"z", "z_layout"}};
    const char *names[ROWS + 1] = {NULL}, *near = NULL;
    char list[512] = "";
    size_t used = 0;
    *found = NULL;
    for (size_t m = 0; m < sizeof command / sizeof *command && name != NULL; m++) {
        near = strcmp(command[m][0], name) == 0 ? command[m][1] : near;
    }
    for (size_t r = 0; r < ROWS && name != NULL; r++) {
        if (same_name(rows[r].about.name, name)) {
            *found = &rows[r];
            return PSG_OK;
        }
        names[r] = rows[r].about.name;
        const int more = snprintf(list + used, sizeof list - used, " %s", names[r]);
        used += more > 0 && (size_t)more < sizeof list - used ? (size_t)more : 0;
    }
    near = near == NULL && name != NULL ? base_nearest(name, names) : near;
    return near != NULL
               ? psg_fail(PSG_ERR_ARG, "there is no option '%s': did you mean '%s'?", name, near)
               : psg_fail(PSG_ERR_ARG, "there is no option '%s'; there are:%s",
                          name != NULL ? name : "(null)", list);
}

/* ------------------------------------------------------------------------------------- values */

static double number_of(const row *r, const psg_options *options) {
    const char *field = (const char *)options + r->offset;
    switch (r->kind) {
    case UNSIGNED:
        return *(const unsigned *)(const void *)field;
    case SIZE:
        return (double)*(const size_t *)(const void *)field;
    case REAL:
        return *(const double *)(const void *)field;
    default: /* an enum is as large as an int */
        return *(const int *)(const void *)field;
    }
}

static void put_number(const row *r, psg_options *options, double value) {
    char *field = (char *)options + r->offset;
    switch (r->kind) {
    case UNSIGNED:
        *(unsigned *)(void *)field = (unsigned)value;
        break;
    case SIZE:
        *(size_t *)(void *)field = value < size_most ? (size_t)value : SIZE_MAX;
        break;
    case REAL:
        *(double *)(void *)field = value;
        break;
    default:
        *(int *)(void *)field = (int)value;
        break;
    }
}

static const char *word_of(const row *r, double value) {
    for (const word *w = r->words; w != NULL && w->text != NULL; w++) {
        if (w->value == value) {
            return w->text;
        }
    }
    return NULL;
}

/* A number that is no word. NaN is none, and neither is infinity. A range of both signs is that of
 * a factor, which is not 0. */
static bool in_range(const row *r, double value) {
    return r->kind != CHOICE && value >= r->least && value <= r->most && !isinf(value) &&
           (r->kind != REAL || r->least >= 0 || value != 0);
}

/* A number in the text, whatever the locale of the program is. */
static bool read_number(const char *text, double *value) {
    const psg_c_locale locale = psg_c_locale_begin();
    char *end = NULL;
    *value = strtod(text, &end);
    const bool whole = end != text && *end == '\0' && text[0] > ' ' && strpbrk(text, "xX") == NULL;
    psg_c_locale_end(locale);
    return whole;
}

static bool read_value(const row *r, const char *text, double *value) {
    for (const word *w = r->words; w != NULL && w->text != NULL; w++) {
        if (strcmp(w->text, text) == 0) {
            *value = w->value;
            return true;
        }
    }
    const bool whole = r->kind != REAL;
    return read_number(text, value) && in_range(r, *value) && (!whole || *value == floor(*value));
}

/* "one of f64, f32"; "auto, or a whole number from 1"; "a finite number from 0". */
static void expect(const row *r, char *text, size_t size) {
    if (r->offset == AT(lambda)) {
        (void)snprintf(text, size, "%s", PSG_LAMBDA_EXPECTED);
        return;
    }
    const bool choice = r->kind == CHOICE, whole = r->kind != REAL;
    size_t used = (size_t)snprintf(text, size, "%s", choice ? "one of " : "");
    for (const word *w = r->words; w != NULL && w->text != NULL && used < size; w++) {
        const char *after = choice && w[1].text == NULL ? "" : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", w->text, after);
    }
    if (choice || used >= size) {
        return;
    }
    const bool bounded = r->most < INT16_MAX || (!whole && !isinf(r->most));
    used += (size_t)snprintf(text + used, size - used, "%sa %snumber", used > 0 ? "or " : "",
                             whole     ? "whole "
                             : bounded ? ""
                                       : "finite ");
    if (used < size && isinf(r->least)) {
        (void)snprintf(text + used, size - used, " other than 0");
    } else if (used < size && bounded) {
        (void)snprintf(text + used, size - used, " from %g to %g", r->least, r->most);
    } else if (used < size) {
        (void)snprintf(text + used, size - used, " from %g", r->least);
    }
}

/* The word of an option that was probably meant. */
static const char *meant(const row *r, const char *text) {
    const char *words[8] = {NULL};
    const size_t most = sizeof words / sizeof *words - 1;
    for (size_t w = 0; r->words != NULL && w < most && r->words[w].text != NULL; w++) {
        words[w] = r->words[w].text;
    }
    return base_nearest(text, words);
}

psg_status psg_options_set(psg_options *options, const char *name, const char *text) {
    const row *r = NULL;
    char expected[160];
    double value = 0;
    psg_clear_error();
    if (options == NULL || text == NULL) {
        return psg_fail(PSG_ERR_ARG, "options or text is NULL");
    }
    const psg_status status = find(name, &r);
    if (status != PSG_OK) {
        return status;
    }
    if (r->offset >= options->struct_size) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "option %s is newer than this program's psg_options",
                        r->about.name);
    }
    if (r->kind == TEXT) {
        const char **field = (const char **)(void *)((char *)options + r->offset);
        *field = strcmp(text, r->about.standard) == 0 ? NULL : text;
        return PSG_OK;
    }
    if (!read_value(r, text, &value)) {
        const char *near = text[0] != '\0' ? meant(r, text) : NULL;
        expect(r, expected, sizeof expected);
        return near != NULL
                   ? psg_fail(PSG_ERR_ARG, "%s = '%s': did you mean '%s'? Expected %s",
                              r->about.name, text, near, expected)
                   : psg_fail(PSG_ERR_ARG, "%s = '%s': expected %s", r->about.name, text, expected);
    }
    put_number(r, options, value);
    return PSG_OK;
}

/* As short as it can be and still be read back as the same number; with a point in every locale. */
static void write_number(double value, char *text, size_t size) {
    for (int digits = 6; digits <= 17; digits++) {
        double back = 0;
        (void)snprintf(text, size, "%.*g", digits, value);
        for (char *c = text; *c != '\0'; c++) {
            *c = *c == ',' ? '.' : *c;
        }
        if (read_number(text, &back) && back == value) {
            return;
        }
    }
}

psg_status psg_options_get(const psg_options *options, const char *name, char *text, size_t size) {
    const row *r = NULL;
    char number[40];
    psg_clear_error();
    if (options == NULL || text == NULL || size == 0) {
        return psg_fail(PSG_ERR_ARG, "options or text is NULL, or there is no room for the text");
    }
    const psg_status status = find(name, &r);
    if (status != PSG_OK) {
        return status;
    }
    const char *value;
    if (r->offset >= options->struct_size) {
        value = r->about.standard; /* the program has no field for it */
    } else if (r->kind == TEXT) {
        const char *const *field =
            (const char *const *)(const void *)((const char *)options + r->offset);
        value = *field != NULL ? *field : r->about.standard;
    } else {
        value = word_of(r, number_of(r, options));
        if (value == NULL) {
            write_number(number_of(r, options), number, sizeof number);
            value = number;
        }
    }
    if (strlen(value) >= size) {
        return psg_fail(PSG_ERR_ARG, "%s is '%s', and there is room for %zu bytes", r->about.name,
                        value, size);
    }
    memcpy(text, value, strlen(value) + 1);
    return PSG_OK;
}

/* --------------------------------------------------------------------------- of a whole struct */

void psg_option_table_defaults(psg_options *options) {
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    for (size_t r = 0; r < ROWS; r++) {
        double value = 0;
        if (rows[r].kind != TEXT && read_value(&rows[r], rows[r].about.standard, &value)) {
            put_number(&rows[r], options, value);
        }
    }
}

psg_status psg_option_table_check(const psg_options *options) {
    for (size_t m = 0; m < ROWS; m++) {
        const row *r = &rows[m];
        const double value = r->kind != TEXT ? number_of(r, options) : 0;
        if (r->kind != TEXT && word_of(r, value) == NULL && !in_range(r, value)) {
            char expected[160];
            expect(r, expected, sizeof expected);
            return psg_fail(PSG_ERR_ARG, "%s = %g: expected %s", r->about.name, value, expected);
        }
    }
    return PSG_OK;
}

/* A number that tells one text from another. */
static double digest_of(const char *text) {
    /* the bits for which a double has room */
    return text != NULL ? (double)(base_hash(BASE_HASH_NOTHING, text, strlen(text)) >> 11) : 0;
}

size_t psg_option_table_same(const psg_options *options, psg_option_value *values) {
    size_t count = 0;
    for (size_t m = 0; m < ROWS; m++) {
        const row *r = &rows[m];
        if ((r->about.scope & PSG_OPTION_SAME) != 0) {
            const char *const *field =
                (const char *const *)(const void *)((const char *)options + r->offset);
            values[count++] = (psg_option_value){
                r->about.name, r->kind == TEXT ? digest_of(*field) : number_of(r, options)};
        }
    }
    return count;
}

const char *psg_option_table_word(const char *name, int choice) {
    const row *r = NULL;
    return find(name, &r) == PSG_OK ? word_of(r, choice) : NULL;
}

bool psg_option_table_choice(const char *name, const char *text, int *choice) {
    const row *r = NULL;
    double value = 0;
    const bool known = find(name, &r) == PSG_OK && r->kind == CHOICE && read_value(r, text, &value);
    *choice = (int)value;
    return known;
}
