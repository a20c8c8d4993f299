/* What a workload cannot be made of is refused before anything is submitted, in words that say what
 * there is. */
#include "graph/psg_machine.h"
#include "tests/check.h"
#include "tests/harness.h"
#include "workloads/dock/dock.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static psg_options options;

static void refused(psg_status expected, const char *name, const workload_options *how,
                    const char *words) {
    workload *work = (workload *)&options;
    CHECK_SAYS(workload_create(&work, name, how, &options), expected, words);
    CHECK(work == NULL, "%s: something was made", name);
}

/** More than a number can be, and the largest size that is read. */
#define HUGE_NUMBER "99999999999999999999"
#define LARGEST "2147483647"

/** Names: `before`, and each of `ends`, which `|` parts. */
static const struct {
    const char *before, *ends, *words;
    workload_options how;
} rows[] = {
    {"", "e:S|epp:S|", "there are: blocks, cg, dock, ep", {0}},

    {"ep",
     "|:|:Q|:s|:SS|:24|:S:|:S:redux:|:S:tree|::redux|:Sredux",
     "it has S, W, A, B and C",
     {0}},
    {"ep:S", "", "T from 16 to 24", {.tile = 1}},
    {"ep:S", "", "T from 16 to 24", {.tile = 15}},
    {"ep:S", "", "T from 16 to 24", {.tile = 25}},
    {"ep:S", "", "T from 16 to 24", {.tile = SIZE_MAX}},
    {"ep:S", "", "order: ep has none", {.order = WORKLOAD_LONGEST}},
    {"ep:S", "", "barrier: ep has none", {.barrier = 1}},
    {"ep:S", "", "place: ep has none", {.place = WORKLOAD_STATIC}},
    {"ep:S", "", "there is no such value", {.priority = WORKLOAD_PRIORITIES}},

    {"blocks",
     "|:|:1|:9|:-2|:3+|:+3+4|:3++4|:3+0|:3,4|:3 +4|:3+4x|:3+32769|:" HUGE_NUMBER "999+1",
     "or the cells of each: 40+30+20",
     {0}},
    {"blocks:1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1",
     "",
     "up to 32 blocks of up to 32768 cells",
     {0}},
    {"blocks:8", "", "T from 1 to 32", {.tile = 33}},
    {"blocks:8", "", "there is no such value", {.place = WORKLOAD_PLACES}},

    {"cg", "|:|:D|:a|:SS|:1400|:S:", "it has S, W, A, B and C", {0}},
    {"cg:S", "", "T from 1777 to 78148", {.tile = 1}},
    {"cg:S", "", "T from 1777 to 78148", {.tile = 1776}},
    {"cg:S", "", "T from 1777 to 78148", {.tile = 78149}},
    {"cg:S", "", "T from 1777 to 78148", {.tile = SIZE_MAX}},
    {"cg:S", "", "barrier: cg has none", {.barrier = 1}},

    {"dock:",
     "|0|63|513|-64|64x|64:|64:0|64:7|64:181|64:-30|64:360|64:30:|64:9.5| 64|18446744073709551680|"
     "64:electro|64:electrostatics:30|64:30:electrostatics:|electrostatics",
     "N from 64 to 512; degrees between rotations, which divide 180",
     {0}},
    {"dock:64", "", "T from 1 to 600", {.tile = 601}},
    {"dock:512:1", "", "T from 1 to 31", {.tile = 32}}, /* of which the numbers are 2^32 */
    {"dock:64", "", "barrier: dock has none", {.barrier = 1}},

    {"jacobi:",
     "|2|0|-3|x|9x9|9:|9:0|:50|9:-1|9:5:|9:5:1| 9|2147483648|9:2147483648",
     "N or N:STEPS",
     {0}},
    {"jacobi:", LARGEST "|1000:" LARGEST, "GB of memory", {0}},
    {"jacobi:9", "", "T from 1 to 7", {.tile = 8}},
    {"jacobi:100000", "", "T from 1 to 65535", {.tile = 65536}},
    {"jacobi:9", "", "order: jacobi has none", {.order = WORKLOAD_LONGEST}},

    {"transpose:",
     "|0|-3|+3|3x|x3|3x0|0x3|3X3|3x3x3|3.5| 3|2147483648|" HUGE_NUMBER
     "|3:|3:in|3:inplace:|3inplace|:inplace|3:yxz|3x3:yxz|3x3x3:|3x3x3:yx|3x3x3:yyz|3x3x3:yxzz"
     "|3x3x0:yxz|3x3x3x3:yxz|3x3x3:inplace|3x3x3:yxz:inplace:complex|3x3x3:yxz:complexes"
     "|3x3x2147483648:yxz|3x3x3:complex:yxz|3:complex:",
     "N, MxN or NXxNYxNZ:yzx",
     {0}},
    {"transpose:", LARGEST "|" LARGEST ":inplace", "GB of memory", {0}},
    {"transpose:", LARGEST "x" LARGEST "x" LARGEST ":zyx", "GB of memory", {0}},
    {"transpose:100000", "", "GB of memory", {.tile = 1}},
    {"transpose:9x4", "", "T from 1 to 9", {.tile = 10}},
    {"transpose:9x4x8:zxy", "", "T x T x T numbers, T from 1 to 9", {.tile = 10}},
    {"transpose:2000x4x8:zxy", "", "T from 1 to 1625", {.tile = 1626}},
    {"transpose:9", "", "barrier: transpose has none", {.barrier = 1}},

    {"vadd:",
     "|0|-3|+3|3x|3x3|3.5| 3|1e6|3:|9007199254740993|" HUGE_NUMBER,
     "N, a whole number from 1",
     {0}},
    {"vadd:9007199254740992", "", "GB of memory", {0}},
    {"vadd:1000000000", "", "GB of memory", {.tile = 1}},
    {"vadd:9", "", "T from 1 to 9", {.tile = 10}},
    {"vadd:3000000000", "", "T from 1 to 2147483647", {.tile = (size_t)1 << 31}},
    {"vadd:9", "", "order: vadd has none", {.order = WORKLOAD_LONGEST}},

    {"pcg", "|:|:3|:2049|:-32|: 32|:32x|:" HUGE_NUMBER, "N from 4 to 2048", {0}},
    {"pcg:32:", "|cube|ballx|:10", "there are smooth, ball and body", {0}},
    {"pcg:32:",
     "ball:|ball:.5|smooth:-2|smooth:1e7|ball:nan|ball:2x",
     "a number from 1 to 1e6",
     {0}},
    {"pcg:32", "", "planes, T from 1 to 32", {.tile = 33}},

    {"qr",
     "|:|:0|:-3|:+3|:3x|:x3|:3x0|:0x3|:3X3|:3x3x|:3.5|: 3|:2147483648|:" HUGE_NUMBER
     "|:3:|:3:given|:3:givens:|:givens|:3givens",
     "N, MxN, N:givens or MxN:givens",
     {0}},
    {"qr:3x4", "|:givens", "as many rows as columns, or more", {0}},
    {"qr:" LARGEST, "", "GB of memory", {0}},
    {"qr:100000", "", "GB of memory", {.tile = 1}},
    {"qr:9x4", "|:givens", "T from 1 to 4", {.tile = 5}},
    {"qr:100000", "", "T from 1 to 65535", {.tile = 65536}},
    {"qr:9", "", "order: qr has none", {.order = WORKLOAD_LONGEST}},
    {"qr:9", "", "barrier: qr has none", {.barrier = 1}},
};

static void names(void) {
    for (size_t m = 0; m < sizeof rows / sizeof *rows; ++m) {
        const char *end = rows[m].ends;
        if (strncmp(rows[m].before, "qr", 2) == 0 &&
            psg_component_version(PSG_COMPONENT_LAPACK) == NULL) {
            continue;
        }
        for (bool more = true; more; ++end) {
            char name[128];
            const int length = (int)strcspn(end, "|");
            snprintf(name, sizeof name, "%s%.*s", rows[m].before, length, end);
            refused(PSG_ERR_ARG, name, &rows[m].how, rows[m].words);
            end += length;
            more = *end == '|';
        }
    }
    refused(PSG_ERR_ARG, "ep:Q", NULL, "it has S, W, A, B and C");
    CHECK_STATUS(workload_create(NULL, "ep:S", NULL, &options), PSG_ERR_ARG);
}

static void solver_options(void) {
    const psg_options good = options;
    options.precision = PSG_F32;
    refused(PSG_ERR_UNSUPPORTED, "ep:S", NULL, "ep has f64 only");
    refused(PSG_ERR_UNSUPPORTED, "cg:S", NULL, "cg has f64 only");
    options = good;
    options.comm = &options;
    const bool mpi = psg_component_version(PSG_COMPONENT_MPI) != NULL;
    refused(mpi ? PSG_ERR_STATE : PSG_ERR_UNSUPPORTED, "ep:S", NULL, "MPI");
    options = good;
    options.cpus = options.gpus = 0;
    refused(PSG_ERR_ARG, "ep:S", NULL, "nothing to compute on");
    options = good;
    options.gpus = 0; /* the words are those of its plan */
    options.exchange = PSG_EXCHANGE_DIRECT;
    refused(PSG_ERR_UNSUPPORTED, "pcg:16", NULL, "exchange direct needs");
    options = good;
    options.policy = "fastest";
    refused(PSG_ERR_ARG, "ep:S", NULL, "'fastest'");
    options = good;
    options.gpus = 4096;
    refused(PSG_ERR_NODEV, "ep:S", NULL, "gpus = 4096");
    options = good;
}

/** Calls out of order, and with the work of a plan, which is no workload. */
static void calls(void) {
    DESTROYED psg_plan *plan = harness_anchor(&options);
    workload *work = NULL;
    workload_answer answer;
    psg_bounds bounds;
    size_t count = 0, ended = 1, tasks = 1;
    CHECK(workload_at(0) != NULL && workload_at(99) == NULL, "the list of workloads");
    CHECK_STATUS(workload_run(NULL), PSG_ERR_ARG);
    CHECK_STATUS(workload_check(NULL), PSG_ERR_ARG);
    CHECK(psg_plan_work(NULL) == NULL && workload_about(NULL)[0] == '\0', "nothing");
    CHECK_STATUS(psg_work_bounds(NULL, &bounds), PSG_ERR_ARG);
    CHECK_STATUS(psg_engine_progress(psg_plan_work(plan), &ended, &tasks), PSG_ERR_ARG);
    CHECK_STATUS(psg_work_tasks(NULL, NULL, 0, &count), PSG_ERR_ARG);
    if (CHECK_STATUS(workload_create(&work, "ep:S", NULL, &options), PSG_OK)) {
        CHECK_STATUS(workload_progress(work, NULL, &tasks), PSG_ERR_ARG);
        CHECK_STATUS(workload_progress(work, &ended, &tasks), PSG_OK);
        CHECK(ended == 0 && tasks == 0, "%zu of %zu tasks before the first run", ended, tasks);
        CHECK_STATUS(workload_answers(work, &answer, 1, &count), PSG_ERR_STATE);
        CHECK_STATUS(workload_check(work), PSG_ERR_STATE);
        CHECK_STATUS(psg_work_bounds(workload_work(work), &bounds), PSG_ERR_STATE);
        CHECK_STATUS(psg_work_dependencies(workload_work(work), NULL, 0, &count), PSG_ERR_STATE);
    }
    workload_destroy(work);
    workload_destroy(NULL);
}

int main(void) {
    options = harness_options(PSG_F64);
    names();
    solver_options();
    calls();
    return check_result();
}
