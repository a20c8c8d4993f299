/* What a workload cannot be made of is refused before anything is submitted, in words that say what
 * there is. */
#include "graph/psg_machine.h"
#include "tests/check.h"
#include "tests/harness.h"
#include "workloads/dock/dock.h"

#include <string.h>

static psg_options options;

static void refused(psg_status expected, const char *name, const workload_options *how,
                    const char *words) {
    workload *work = (workload *)&options;
    CHECK_STATUS(workload_create(&work, name, how, &options), expected);
    CHECK(work == NULL, "%s: something was made", name);
    CHECK(strstr(psg_last_error(), words) != NULL, "%s: '%s' without '%s'", name, psg_last_error(),
          words);
}

static void names(void) {
    static const char *const classes[] = {"",   "Q",        "s",      "SS",     "24",
                                          "S:", "S:redux:", "S:tree", ":redux", "Sredux"};
    char name[16];
    for (size_t m = 0; m < sizeof classes / sizeof *classes; ++m) {
        snprintf(name, sizeof name, "ep:%s", classes[m]);
        refused(PSG_ERR_ARG, name, NULL, "it has S, W, A, B and C");
    }
    refused(PSG_ERR_ARG, "ep", NULL, "it has S, W, A, B and C");
    refused(PSG_ERR_ARG, "e:S", NULL, "there are: blocks, cg, dock, ep");
    refused(PSG_ERR_ARG, "epp:S", NULL, "there are: blocks, cg, dock, ep");
    refused(PSG_ERR_ARG, "", NULL, "there are: blocks, cg, dock, ep");
    CHECK_STATUS(workload_create(NULL, "ep:S", NULL, &options), PSG_ERR_ARG);
}

static void blocks(void) {
    static const char *const sizes[] = {"blocks",         "blocks:",
                                        "blocks:1",       "blocks:9",
                                        "blocks:-2",      "blocks:3+",
                                        "blocks:+3+4",    "blocks:3++4",
                                        "blocks:3+0",     "blocks:3,4",
                                        "blocks:3 +4",    "blocks:3+4x",
                                        "blocks:3+32769", "blocks:99999999999999999999999+1"};
    char many[256] = "blocks:1";
    workload_options how;
    for (size_t m = 0; m < sizeof sizes / sizeof *sizes; ++m) {
        refused(PSG_ERR_ARG, sizes[m], NULL, "or the cells of each: 40+30+20");
    }
    for (int m = 0; m < 32; ++m) {
        strcat(many, "+1");
    }
    refused(PSG_ERR_ARG, many, NULL, "up to 32 blocks of up to 32768 cells");
    how = (workload_options){.tile = 0};
    how.tile = 33;
    refused(PSG_ERR_ARG, "blocks:8", &how, "Q from 1 to 32");
    how = (workload_options){.tile = 0};
    how.place = WORKLOAD_PLACES;
    refused(PSG_ERR_ARG, "blocks:8", &how, "there is no such value");
}

static void cuts(void) {
    static const size_t tiles[] = {1, 15, 25, (size_t)-1};
    workload_options how = {.tile = 0};
    for (size_t m = 0; m < sizeof tiles / sizeof *tiles; ++m) {
        how.tile = tiles[m];
        refused(PSG_ERR_ARG, "ep:S", &how, "T from 16 to 24");
    }
    how = (workload_options){.tile = 0};
    how.order = WORKLOAD_LONGEST;
    refused(PSG_ERR_ARG, "ep:S", &how, "order: ep has none");
    how = (workload_options){.tile = 0};
    how.barrier = 1;
    refused(PSG_ERR_ARG, "ep:S", &how, "barrier: ep has none");
    how = (workload_options){.tile = 0};
    how.place = WORKLOAD_STATIC;
    refused(PSG_ERR_ARG, "ep:S", &how, "place: ep has none");
    how = (workload_options){.tile = 0};
    how.priority = WORKLOAD_PRIORITIES;
    refused(PSG_ERR_ARG, "ep:S", &how, "there is no such value");
}

static void classes_of_cg(void) {
    static const char *const classes[] = {"cg", "cg:", "cg:D", "cg:a", "cg:SS", "cg:1400", "cg:S:"};
    static const size_t tiles[] = {1, 1776, 78149, (size_t)-1};
    workload_options how = {.tile = 0};
    for (size_t m = 0; m < sizeof classes / sizeof *classes; ++m) {
        refused(PSG_ERR_ARG, classes[m], NULL, "it has S, W, A, B and C");
    }
    for (size_t m = 0; m < sizeof tiles / sizeof *tiles; ++m) {
        how.tile = tiles[m];
        refused(PSG_ERR_ARG, "cg:S", &how, "T from 1777 to 78148");
    }
    how = (workload_options){.tile = 0};
    how.barrier = 1;
    refused(PSG_ERR_ARG, "cg:S", &how, "barrier: cg has none");
}

static void sizes_of_dock(void) {
    static const char *const none[] = {"",
                                       "0",
                                       "63",
                                       "513",
                                       "-64",
                                       "64x",
                                       "64:",
                                       "64:0",
                                       "64:7",
                                       "64:181",
                                       "64:-30",
                                       "64:360",
                                       "64:30:",
                                       "64:9.5",
                                       " 64",
                                       "18446744073709551680",
                                       "64:electro",
                                       "64:electrostatics:30",
                                       "64:30:electrostatics:",
                                       "electrostatics"};
    char name[40];
    workload_options how = {.tile = 0};
    for (size_t m = 0; m < sizeof none / sizeof *none; ++m) {
        snprintf(name, sizeof name, "dock:%s", none[m]);
        refused(PSG_ERR_ARG, name, NULL,
                "N from 64 to 512; degrees between rotations, which divide 180");
    }
    how.tile = 601;
    refused(PSG_ERR_ARG, "dock:64", &how, "T from 1 to 600");
    how.tile = 32; /* of which the numbers are 2^32 */
    refused(PSG_ERR_ARG, "dock:512:1", &how, "T from 1 to 31");
    how.tile = 0;
    how.barrier = 1;
    refused(PSG_ERR_ARG, "dock:64", &how, "barrier: dock has none");
}

/** The command has exit code 2 for all of these: nothing is submitted. */
static void sizes_of_jacobi(void) {
    static const char *const none[] = {"",     "2",     "0",   "-3",         "x",
                                       "9x9",  "9:",    "9:0", ":50",        "9:-1",
                                       "9:5:", "9:5:1", " 9",  "2147483648", "9:2147483648"};
    char name[40];
    workload_options how = {.tile = 0};
    for (size_t m = 0; m < sizeof none / sizeof *none; ++m) {
        snprintf(name, sizeof name, "jacobi:%s", none[m]);
        refused(PSG_ERR_ARG, name, NULL, "N or N:STEPS");
    }
    refused(PSG_ERR_ARG, "jacobi:2147483647", NULL, "GB of memory");
    refused(PSG_ERR_ARG, "jacobi:1000:2147483647", NULL, "GB of memory");
    how.tile = 8;
    refused(PSG_ERR_ARG, "jacobi:9", &how, "T from 1 to 7");
    how.tile = 65536;
    refused(PSG_ERR_ARG, "jacobi:100000", &how, "T from 1 to 65535");
    how.tile = 0;
    how.order = WORKLOAD_LONGEST;
    refused(PSG_ERR_ARG, "jacobi:9", &how, "order: jacobi has none");
}

static void sizes_of_qr(void) {
    static const char *const none[] = {
        "",    "0",   "-3",   "+3",  "3x", "x3",         "3x0",
        "0x3", "3X3", "3x3x", "3.5", " 3", "2147483648", "99999999999999999999"};
    char name[40];
    workload_options how = {.tile = 0};
    for (size_t m = 0; m < sizeof none / sizeof *none; ++m) {
        snprintf(name, sizeof name, "qr:%s", none[m]);
        refused(PSG_ERR_ARG, name, NULL, "N or MxN");
    }
    refused(PSG_ERR_ARG, "qr", NULL, "N or MxN");
    refused(PSG_ERR_ARG, "qr:3x4", NULL, "as many rows as columns, or more");
    refused(PSG_ERR_ARG, "qr:2147483647", NULL, "GB of memory");
    how.tile = 1;
    refused(PSG_ERR_ARG, "qr:100000", &how, "GB of memory");
    how.tile = 5;
    refused(PSG_ERR_ARG, "qr:9x4", &how, "tiles of 1 to 4");
    how.tile = 65536;
    refused(PSG_ERR_ARG, "qr:100000", &how, "tiles of 1 to 65535");
    how = (workload_options){.tile = 0};
    how.order = WORKLOAD_LONGEST;
    refused(PSG_ERR_ARG, "qr:9", &how, "order: qr has none");
    how = (workload_options){.tile = 0};
    how.barrier = 1;
    refused(PSG_ERR_ARG, "qr:9", &how, "barrier: qr has none");
}

static void sizes_of_transpose(void) {
    static const char *const none[] = {
        "",    "0",    "-3",         "+3",       "3x",      "x3",         "3x0",
        "0x3", "3X3",  "3x3x3",      "3.5",      " 3",      "2147483648", "99999999999999999999",
        "3:",  "3:in", "3:inplace:", "3inplace", ":inplace"};
    char name[48];
    workload_options how = {.tile = 0};
    for (size_t m = 0; m < sizeof none / sizeof *none; ++m) {
        snprintf(name, sizeof name, "transpose:%s", none[m]);
        refused(PSG_ERR_ARG, name, NULL, "N, MxN, N:inplace or MxN:inplace");
    }
    refused(PSG_ERR_ARG, "transpose:2147483647", NULL, "GB of memory");
    refused(PSG_ERR_ARG, "transpose:2147483647:inplace", NULL, "GB of memory");
    how.tile = 1;
    refused(PSG_ERR_ARG, "transpose:100000", &how, "GB of memory");
    how.tile = 10;
    refused(PSG_ERR_ARG, "transpose:9x4", &how, "T from 1 to 9");
    how.tile = 0;
    how.barrier = 1;
    refused(PSG_ERR_ARG, "transpose:9", &how, "barrier: transpose has none");
}

static void sizes_of_vadd(void) {
    static const char *const none[] = {"",
                                       "0",
                                       "-3",
                                       "+3",
                                       "3x",
                                       "3x3",
                                       "3.5",
                                       " 3",
                                       "1e6",
                                       "3:",
                                       "9007199254740993",
                                       "99999999999999999999"};
    char name[40];
    workload_options how = {.tile = 0};
    for (size_t m = 0; m < sizeof none / sizeof *none; ++m) {
        snprintf(name, sizeof name, "vadd:%s", none[m]);
        refused(PSG_ERR_ARG, name, NULL, "N, a whole number from 1");
    }
    refused(PSG_ERR_ARG, "vadd:9007199254740992", NULL, "GB of memory");
    how.tile = 1;
    refused(PSG_ERR_ARG, "vadd:1000000000", &how, "GB of memory");
    how.tile = 10;
    refused(PSG_ERR_ARG, "vadd:9", &how, "T from 1 to 9");
    how.tile = (size_t)1 << 31;
    refused(PSG_ERR_ARG, "vadd:3000000000", &how, "T from 1 to 2147483647");
    how.tile = 0;
    how.order = WORKLOAD_LONGEST;
    refused(PSG_ERR_ARG, "vadd:9", &how, "order: vadd has none");
}

static void sizes_of_pcg(void) {
    static const char *const sizes[] = {
        "pcg",     "pcg:",    "pcg:3",   "pcg:2049",
        "pcg:-32", "pcg: 32", "pcg:32x", "pcg:99999999999999999999"};
    static const char *const forms[] = {"pcg:32:", "pcg:32:cube", "pcg:32:ballx", "pcg:32::10"};
    static const char *const contrasts[] = {"pcg:32:ball:",     "pcg:32:ball:.5",
                                            "pcg:32:smooth:-2", "pcg:32:smooth:1e7",
                                            "pcg:32:ball:nan",  "pcg:32:ball:2x"};
    workload_options how;
    for (size_t m = 0; m < sizeof sizes / sizeof *sizes; ++m) {
        refused(PSG_ERR_ARG, sizes[m], NULL, "N from 4 to 2048");
    }
    for (size_t m = 0; m < sizeof forms / sizeof *forms; ++m) {
        refused(PSG_ERR_ARG, forms[m], NULL, "there are smooth and ball");
    }
    for (size_t m = 0; m < sizeof contrasts / sizeof *contrasts; ++m) {
        refused(PSG_ERR_ARG, contrasts[m], NULL, "a number from 1 to 1e6");
    }
    how = (workload_options){.tile = 0};
    how.tile = 33;
    refused(PSG_ERR_ARG, "pcg:32", &how, "has 32 planes");
}

static void solver_options(void) {
    const psg_options good = options;
    options.precision = PSG_F32;
    refused(PSG_ERR_UNSUPPORTED, "ep:S", NULL, "ep has f64 only");
    refused(PSG_ERR_UNSUPPORTED, "cg:S", NULL, "cg has f64 only");
    options = good;
    options.comm = &options;
    refused(PSG_ERR_UNSUPPORTED, "ep:S", NULL, "one process");
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
    psg_plan *plan = harness_anchor(&options);
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
    psg_plan_destroy(plan);
}

int main(void) {
    options = harness_options(PSG_F64);
    names();
    blocks();
    cuts();
    classes_of_cg();
    sizes_of_dock();
    sizes_of_jacobi();
    sizes_of_pcg();
    sizes_of_transpose();
    sizes_of_vadd();
    if (psg_component_version(PSG_COMPONENT_LAPACK) != NULL) {
        sizes_of_qr();
    }
    solver_options();
    calls();
    return check_result();
}
