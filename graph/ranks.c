/* Several processes: what they have to agree on. */
#include "graph/ranks.h"
#include "base/hash.h"
#include "graph/option_table.h"
#include "graph/policy.h"
#include "graph/status.h"
#include "runtime/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

psg_status psg_ranks_open(psg_comm **comm, const psg_options *options) {
    static const psg_status statuses[] = {[PSG_COMM_OK] = PSG_OK,
                                          [PSG_COMM_ABSENT] = PSG_ERR_UNSUPPORTED,
                                          [PSG_COMM_STATE] = PSG_ERR_STATE,
                                          [PSG_COMM_ARG] = PSG_ERR_ARG,
                                          [PSG_COMM_MEMORY] = PSG_ERR_MEMORY,
                                          [PSG_COMM_FAILED] = PSG_ERR_RUNTIME};
    char words[256] = "";
    *comm = NULL;
    if (options->comm == NULL && options->nodes > 1 && psg_simulator != NULL) {
        *comm = psg_simulator->nodes(options->nodes, options->network);
        return *comm != NULL ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no memory for a network");
    }
    if (options->comm == NULL) {
        return PSG_OK;
    }
    const psg_comm_result result =
        psg_comm_open(comm, options->comm, options->time_limit, words, sizeof words);
    const psg_status mine =
        result == PSG_COMM_OK ? PSG_OK : psg_fail(statuses[result], "%s", words);
    const psg_status status = psg_ranks_agree(*comm, mine);
    *comm = status == PSG_OK ? *comm : NULL;
    return status;
}

psg_status psg_ranks_agree(psg_comm *comm, psg_status status) {
    if (comm == NULL) {
        return status;
    }
    char text[PSG_COMM_WORDS];
    int rank = -1;
    (void)snprintf(text, sizeof text, "%s", psg_last_error_detail());
    const int code = psg_comm_agree(comm, (int)status, text, sizeof text, &rank);
    if (code == 0) {
        return PSG_OK;
    }
    if (code < 0) {
        return psg_fail(PSG_ERR_RUNTIME, "%s", text);
    }
    static const char between[] = ": "; /* the line and the words */
    char *end = strstr(text, between);
    const char *line = end != NULL ? text : "";
    const char *words = text;
    if (end != NULL) {
        *end = '\0';
        words = end + strlen(between);
    }
    return rank >= 0 ? psg_fail_at(line, (psg_status)code, "process %d: %s", rank, words)
                     : psg_fail_at(line, (psg_status)code, "%s", words);
}

psg_status psg_ranks_max(psg_comm *comm, double *values, size_t count) {
    return comm == NULL || psg_comm_max(comm, values, count)
               ? PSG_OK
               : psg_fail(PSG_ERR_RUNTIME, "%s", comm->words);
}

psg_status psg_ranks_min(psg_comm *comm, double *values, size_t count) {
    for (size_t m = 0; m < count; m++) {
        values[m] = -values[m];
    }
    const psg_status status = psg_ranks_max(comm, values, count);
    for (size_t m = 0; m < count; m++) {
        values[m] = -values[m];
    }
    return status;
}

psg_status psg_ranks_sum(psg_comm *comm, double *values, size_t count) {
    return comm == NULL || psg_comm_sum(comm, values, count)
               ? PSG_OK
               : psg_fail(PSG_ERR_RUNTIME, "%s", comm->words);
}

/* What process 0 has, for all. */
static psg_status tell_first(psg_comm *comm, const double *mine, double *first, size_t count) {
    for (size_t m = 0; m < count; m++) {
        first[m] = comm->rank == 0 ? mine[m] : -INFINITY;
    }
    return psg_ranks_max(comm, first, count);
}

/* By itself, and before anything else: what follows, and how many numbers it is, may be another in
 * another version. */
static psg_status same_version(psg_comm *comm) {
    const double mine = 1e6 * PSG_VERSION_MAJOR + 1e3 * PSG_VERSION_MINOR + PSG_VERSION_PATCH;
    double first = 0;
    psg_status status = tell_first(comm, &mine, &first, 1);
    if (status == PSG_OK && mine != first) {
        const long there = (long)first;
        status = psg_fail(PSG_ERR_ARG,
                          "the library's version is %d.%d.%d, and that of process 0 is %ld.%ld.%ld",
                          PSG_VERSION_MAJOR, PSG_VERSION_MINOR, PSG_VERSION_PATCH, there / 1000000,
                          there / 1000 % 1000, there % 1000);
    }
    return psg_ranks_agree(comm, status);
}

/* One reduction where all is well: all see what the largest and the least of each value are, and
 * what process 0 has. */
psg_status psg_ranks_same_values(psg_comm *comm, const psg_option_value *values, size_t count) {
    enum { LARGEST, LEAST, FIRST, LOOKS };
    double seen[LOOKS * PSG_OPTION_VALUES_MOST];
    if (comm == NULL) {
        return PSG_OK;
    }
    for (size_t m = 0; m < count; m++) {
        seen[LOOKS * m + LARGEST] = values[m].value;
        seen[LOOKS * m + LEAST] = -values[m].value;
        seen[LOOKS * m + FIRST] = comm->rank == 0 ? values[m].value : -INFINITY;
    }
    psg_status status = psg_ranks_max(comm, seen, LOOKS * count);
    bool same = status == PSG_OK;
    for (size_t m = 0; status == PSG_OK && m < count; m++) {
        const double *s = &seen[LOOKS * m];
        same = same && s[LARGEST] == -s[LEAST];
        if (values[m].value != s[FIRST]) {
            status = psg_fail(PSG_ERR_ARG, "%s is not that of process 0: %.17g, and %.17g there",
                              values[m].name, values[m].value, s[FIRST]);
        }
    }
    return same ? PSG_OK : psg_ranks_agree(comm, status);
}

/* Tells faces from others; 0: there are none. */
static double faces_of(const psg_axis *axis) {
    const size_t bytes = (axis->n + 1) * sizeof *axis->faces;
    return axis->faces != NULL
               ? 1 + (double)(base_hash(BASE_HASH_NOTHING, axis->faces, bytes) >> 12)
               : 0;
}

/* Everybody compares with the first process. */
/* A value that is not that of process 0: of a choice its words, and of a text no number. */
static psg_status differs(const psg_option_value *mine, double first) {
    const char *word = psg_option_table_word(mine->name, (int)mine->value);
    const char *there = psg_option_table_word(mine->name, (int)first);
    const bool text = strcmp(mine->name, "policy") == 0;
    return word != NULL && there != NULL
               ? psg_fail(PSG_ERR_ARG, "%s is not that of process 0: %s, and %s there", mine->name,
                          word, there)
           : text ? psg_fail(PSG_ERR_ARG, "%s is not that of process 0", mine->name)
                  : psg_fail(PSG_ERR_ARG, "%s is not that of process 0: %.17g, and %.17g there",
                             mine->name, mine->value, first);
}

psg_status psg_ranks_same(psg_comm *comm, const psg_grid *grid, const psg_options *options) {
    psg_options named = *options; /* with the policy that StarPU takes */
    const psg_options *o = &named;
    named.policy = named.policy != NULL ? named.policy : psg_policy_environment();
    static const char *const names[][3] = {
        {"nx", "ny", "nz"},
        {"lx", "ly", "lz"},
        {"the lower boundary condition along x", "the lower boundary condition along y",
         "the lower boundary condition along z"},
        {"the upper boundary condition along x", "the upper boundary condition along y",
         "the upper boundary condition along z"},
        {"the position of the points along x", "the position of the points along y",
         "the position of the points along z"},
        {"a number made of the faces along x", "a number made of the faces along y",
         "a number made of the faces along z"},
        {"robin[0] along x", "robin[0] along y", "robin[0] along z"},
        {"robin[1] along x", "robin[1] along y", "robin[1] along z"}};
    enum { OF_GRID = 3 * sizeof names / sizeof *names, COUNT = OF_GRID + PSG_OPTION_VALUES_MOST };
    psg_option_value wanted[COUNT];
    double mine[COUNT];
    double first[COUNT];
    psg_status status = comm != NULL ? same_version(comm) : PSG_OK;
    if (comm == NULL || status != PSG_OK) {
        return status;
    }
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &grid->axis[d];
        const double value[] = {(double)axis->n,     axis->length,         (double)axis->bc[0],
                                (double)axis->bc[1], (double)axis->points, faces_of(axis),
                                axis->robin[0],      axis->robin[1]};
        for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
            wanted[3 * m + (size_t)d] = (psg_option_value){names[m][d], value[m]};
        }
    }
    const size_t count = OF_GRID + psg_option_table_same(o, &wanted[OF_GRID]);
    for (size_t m = 0; m < count; m++) {
        mine[m] = wanted[m].value;
    }
    status = tell_first(comm, mine, first, count);
    for (size_t m = 0; status == PSG_OK && m < count; m++) {
        if (wanted[m].value != first[m]) {
            status = differs(&wanted[m], first[m]);
        }
    }
    return psg_ranks_agree(comm, status);
}
