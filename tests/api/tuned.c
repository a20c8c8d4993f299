/* Entries of psg tune go into options left at their default, and nowhere else: not over what was
 * asked for, not on another machine, grid, number of workers or version, not when damaged, not
 * between processes. */
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[512];

/** A plan of 24 x 20 x 30 by two workers, which without entries has more than one segment. */
static psg_options basic(void) {
    psg_options options = harness_with(PSG_F64, "cpus=2 gpus=0");
    options.cache_dir = folder;
    return options;
}

static psg_tuned entry(void) {
    return (psg_tuned){.cpus = 2,
                       .n = {24, 20, 30},
                       .graph = PSG_GRAPH_STAGED,
                       .z_layout = PSG_Z_STRIDED,
                       .exchange = PSG_EXCHANGE_MANAGED,
                       .segment_planes = 7,
                       .sheets = 3,
                       .policy = "prio",
                       .seconds = 0.125,
                       .default_seconds = 0.25};
}

static void store(const psg_tuned *tuned) {
    const psg_options options = basic();
    CHECK_STATUS(psg_tuned_store(&options, tuned), PSG_OK);
}

static void forget(size_t want) {
    const psg_options options = basic();
    size_t count = 0;
    CHECK_STATUS(psg_tuned_forget(&options, &count), PSG_OK);
    CHECK(count == want, "%zu entries forgotten instead of %zu", count, want);
}

/** What a plan came to. */
typedef struct outcome {
    psg_statistics s;
    char policy[32];
} outcome;

static outcome plan_of(const psg_options *options, size_t nx, size_t ny, size_t nz) {
    outcome o;
    size_t count = 0;
    memset(&o, 0, sizeof o);
    psg_grid grid = harness_box(nx, ny, nz, 1, 1, 1);
    DESTROYED psg_plan *plan = harness_plan(&grid, options);
    CHECK_STATUS(psg_plan_statistics(plan, &o.s), PSG_OK);
    CHECK_STATUS(psg_machine_workers(options, NULL, 0, &count, o.policy, sizeof o.policy), PSG_OK);
    return o;
}

/** Is the plan what the entry says (planes 7, sheets 3 of the staged graph, prio)? */
static void check_tuned(const char *what, const psg_options *options, int tuned) {
    const outcome o = plan_of(options, 24, 20, 30);
    const int staged = o.s.graph == PSG_GRAPH_STAGED && o.s.z_layout == PSG_Z_STRIDED;
    const int cut = o.s.segment_planes == 7 && o.s.segments == 5 && o.s.sheets == 3;
    CHECK(o.s.tuned == tuned, "%s: tuned is %d", what, o.s.tuned);
    CHECK(staged == tuned, "%s: graph %d, z %d", what, o.s.graph, o.s.z_layout);
    CHECK(cut == tuned, "%s: %zu segments of %zu, %zu sheets", what, o.s.segments,
          o.s.segment_planes, o.s.sheets);
    CHECK((strcmp(o.policy, "prio") == 0) == tuned, "%s: policy %s", what, o.policy);
}

static void applied(void) {
    psg_options options = basic();
    check_tuned("nothing stored", &options, 0);
    psg_tuned one = entry();
    store(&one);
    check_tuned("stored", &options, 1);
    options.tuned = 0;
    check_tuned("ignored", &options, 0);
    options = basic();
    options.precision = PSG_F32;
    check_tuned("the other precision", &options, 0);
    options = basic();
    options.cpus = 1;
    check_tuned("other workers", &options, 0);
    options = basic();
    options.cache_dir = "";
    check_tuned("no folder", &options, 0);
    forget(1);
    options = basic();
    check_tuned("forgotten", &options, 0);
    forget(0);
}

/** What was asked for holds; the rest is taken. */
static void overridden(void) {
    psg_options options = basic();
    const psg_tuned one = entry();
    store(&one);
    options.segment_planes = 9;
    outcome o = plan_of(&options, 24, 20, 30);
    CHECK(o.s.segment_planes == 9 && o.s.sheets == 3 && o.s.graph == PSG_GRAPH_STAGED && o.s.tuned,
          "planes asked: %zu, sheets %zu, graph %d", o.s.segment_planes, o.s.sheets, o.s.graph);
    options = basic();
    options.sheets = 4;
    o = plan_of(&options, 24, 20, 30);
    CHECK(o.s.segment_planes == 7 && o.s.sheets == 4 && o.s.tuned, "sheets asked: %zu, %zu",
          o.s.segment_planes, o.s.sheets);
    options = basic();
    options.z_layout = PSG_Z_CONTIGUOUS;
    o = plan_of(&options, 24, 20, 30);
    CHECK(o.s.z_layout == PSG_Z_CONTIGUOUS && o.s.graph == PSG_GRAPH_STAGED, "z asked: %d, %d",
          o.s.z_layout, o.s.graph);
    options = basic();
    options.graph = PSG_GRAPH_FUSED; /* the stored cut is the staged graph's */
    o = plan_of(&options, 24, 20, 30);
    CHECK(o.s.graph == PSG_GRAPH_FUSED && o.s.segment_planes != 7 && o.s.sheets != 3,
          "fused asked: graph %d, %zu planes, %zu sheets", o.s.graph, o.s.segment_planes,
          o.s.sheets);
    CHECK(strcmp(o.policy, "prio") == 0 && o.s.tuned, "fused asked: policy %s", o.policy);
    options.policy = "eager";
    options.exchange = PSG_EXCHANGE_MANAGED;
    o = plan_of(&options, 24, 20, 30);
    CHECK(strcmp(o.policy, "eager") == 0 && !o.s.tuned, "all asked: policy %s, tuned %d", o.policy,
          o.s.tuned);
}

static void policies(void) {
    psg_options options = basic(), other = basic();
    psg_plan *plan = NULL;
    setenv("STARPU_SCHED", "ws", 1);
    outcome o = plan_of(&options, 24, 20, 30);
    CHECK(strcmp(o.policy, "ws") == 0 && o.s.segment_planes == 7, "STARPU_SCHED: %s, %zu planes",
          o.policy, o.s.segment_planes);
    unsetenv("STARPU_SCHED");
    other.policy = "eager";
    psg_grid grid = harness_box(6, 6, 6, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &other), PSG_OK);
    o = plan_of(&options, 24, 20, 30); /* StarPU runs already: the rest is taken */
    CHECK(strcmp(o.policy, "eager") == 0 && o.s.segment_planes == 7 && o.s.tuned,
          "running: %s, %zu planes", o.policy, o.s.segment_planes);
    psg_plan_destroy(plan);
    forget(1);
}

/** All workers there are: as many as an entry has, or fewer than the machine's cores say. */
static void all_workers(void) {
    psg_options options = basic();
    psg_tuned one = entry();
    options.cpus = -1;
    CHECK_STATUS(psg_machine_workers(&options, NULL, 0, &one.cpus, NULL, 0), PSG_OK);
    store(&one);
    check_tuned("all workers", &options, 1);
    setenv("STARPU_RESERVE_NCPU", "1", 1);
    const outcome o = plan_of(&options, 24, 20, 30);
    CHECK(o.s.workers == one.cpus || o.s.segment_planes != 7, "the cut of %zu workers for %zu",
          one.cpus, o.s.workers);
    CHECK(o.s.tuned == (strcmp(o.policy, "prio") == 0), "tuned %d, policy %s", o.s.tuned, o.policy);
    unsetenv("STARPU_RESERVE_NCPU");
    forget(1);
}

/** Of the same powers of two the nearest, as many segments; else nothing. */
static void classes(void) {
    psg_options options = basic();
    psg_tuned one = entry();
    store(&one); /* 32 x 16 x 32 */
    outcome o = plan_of(&options, 30, 17, 40);
    CHECK(o.s.tuned && o.s.segments == 5 && o.s.segment_planes == 8 && o.s.sheets == 3,
          "30x17x40: %zu segments of %zu, %zu sheets", o.s.segments, o.s.segment_planes,
          o.s.sheets);
    CHECK(plan_of(&options, 24, 20, 23).s.tuned, "23 planes are as 32");
    CHECK(!plan_of(&options, 24, 20, 22).s.tuned, "22 planes are as 16");
    CHECK(!plan_of(&options, 24, 20, 46).s.tuned, "46 planes are as 64");
    CHECK(!plan_of(&options, 24, 30, 30).s.tuned, "30 rows are as 32");
    one.n[2] = 40;
    one.sheets = 2;
    store(&one);
    o = plan_of(&options, 24, 20, 41);
    CHECK(o.s.sheets == 2, "41 is nearer to 40: %zu sheets", o.s.sheets);
    o = plan_of(&options, 24, 20, 31);
    CHECK(o.s.sheets == 3, "31 is nearer to 30: %zu sheets", o.s.sheets);
    /* an entry of defaults keeps a neighbour's away */
    one = entry();
    one.graph = PSG_GRAPH_AUTO;
    one.z_layout = PSG_Z_AUTO;
    one.exchange = PSG_EXCHANGE_AUTO;
    one.segment_planes = one.sheets = 0;
    one.policy[0] = '\0';
    one.n[2] = 31;
    store(&one);
    o = plan_of(&options, 24, 20, 31);
    CHECK(!o.s.tuned && o.s.graph == PSG_GRAPH_FUSED, "the default is stored, tuned is %d",
          o.s.tuned);
    forget(3);
}

/** The path of the one entry there is. */
static void only_file(char *path, size_t size) {
    const psg_options options = basic();
    psg_tuned list[2];
    size_t count = 0;
    CHECK_STATUS(psg_tuned_list(&options, list, 2, &count), PSG_OK);
    CHECK(count == 1, "%zu entries", count);
    snprintf(path, size, "%s/%s", folder, list[0].name);
}

static size_t read_file(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, size - 1, file) : 0;
    text[length] = '\0';
    if (file) {
        fclose(file);
    }
    return length;
}

static void write_file(const char *path, const char *text, size_t length) {
    FILE *file = fopen(path, "w");
    if (CHECK(file != NULL, "%s", path)) {
        CHECK(fwrite(text, 1, length, file) == length, "%s", path);
        fclose(file);
    }
}

static void check_state(const char *what, psg_tuned_state state) {
    const psg_options options = basic();
    psg_tuned list[1];
    size_t count = 0;
    CHECK_STATUS(psg_tuned_list(&options, list, 1, &count), PSG_OK);
    CHECK(count == 1 && list[0].state == state, "%s: %zu entries, state %d instead of %d", what,
          count, list[0].state, state);
    check_tuned(what, &options, state == PSG_TUNED_USABLE);
}

/** Replace what follows a key, of a line or a comment, and write. */
static void with(const char *path, const char *text, const char *key, const char *value) {
    char changed[4096], begin[64];
    snprintf(begin, sizeof begin, "\n%s = ", key);
    const char *at = strstr(text, begin);
    if (CHECK(at != NULL, "no line %s", key)) {
        const char *rest = strchr(at + 1, '\n');
        snprintf(changed, sizeof changed, "%.*s%s%s%s", (int)(at - text), text, begin, value, rest);
        write_file(path, changed, strlen(changed));
    }
}

static void unusable(void) {
    static const struct {
        const char *key, *value;
        psg_tuned_state state;
    } changes[] = {
        {"# cpu", "a processor of long ago", PSG_TUNED_FOREIGN},
        {"# versions", "psg 0.0.9", PSG_TUNED_STALE},
        {"graph", "fuzed", PSG_TUNED_DAMAGED},
        {"policy", "frob", PSG_TUNED_DAMAGED},
        {"segment_planes", "31", PSG_TUNED_DAMAGED},
        {"segment_planes", "99999999999999999999", PSG_TUNED_DAMAGED},
        {"segment_planes", "7\nfrob = 1", PSG_TUNED_DAMAGED},
        {"sheets", "1.5", PSG_TUNED_DAMAGED},
        {"sheets", "", PSG_TUNED_DAMAGED},
        {"exchange", "direct", PSG_TUNED_DAMAGED},
        {"# nanoseconds", "0", PSG_TUNED_DAMAGED},
        {"# nanoseconds", "x", PSG_TUNED_DAMAGED},
        {"# date", "yesterday", PSG_TUNED_USABLE},
    };
    char path[1024], text[4096];
    const psg_tuned one = entry();
    store(&one);
    only_file(path, sizeof path);
    const size_t length = read_file(path, text, sizeof text);
    check_state("as stored", PSG_TUNED_USABLE);
    for (size_t c = 0; c < sizeof changes / sizeof changes[0]; ++c) {
        char what[128];
        snprintf(what, sizeof what, "%s %s", changes[c].key, changes[c].value);
        with(path, text, changes[c].key, changes[c].value);
        check_state(what, changes[c].state);
    }
    for (size_t cut = 0; cut < length; cut += cut < 16 || cut + 8 > length ? 1 : 37) {
        write_file(path, text, cut);
        check_state("cut short", PSG_TUNED_DAMAGED);
    }
    text[length] = 'x';
    write_file(path, text, length + 1);
    check_state("more at the end", PSG_TUNED_DAMAGED);
    text[length / 2] = '\0';
    write_file(path, text, length);
    check_state("a zero in it", PSG_TUNED_DAMAGED);
    forget(1);
}

/** psg_options_read() takes the file of an entry, and says which line of another it does not. */
static void as_options(void) {
    static const char *const wrong[] = {"graph = fuzed", "frob = 1", "graph staged", "= 1"};
    char path[1024], text[4096], *kept = NULL;
    psg_options options = harness_options(PSG_F64);
    const psg_tuned one = entry();
    store(&one);
    only_file(path, sizeof path);
    CHECK_STATUS(psg_options_read(&options, path, &kept), PSG_OK);
    CHECK(options.graph == one.graph && options.z_layout == one.z_layout &&
              options.exchange == one.exchange && options.segment_planes == 7 &&
              options.sheets == 3 && options.policy && strcmp(options.policy, "prio") == 0,
          "other options");
    free(kept);
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        const int length = snprintf(text, sizeof text, "# a comment\n\n  sheets=4\n%s\n", wrong[n]);
        write_file(path, text, (size_t)length);
        CHECK_STATUS(psg_options_read(&options, path, &kept), PSG_ERR_ARG);
        CHECK(!kept && strstr(psg_last_error(), "line 4") != NULL, "%s: %s", wrong[n],
              psg_last_error());
        CHECK(options.sheets == 4, "sheets is %zu", options.sheets);
    }
    CHECK_STATUS(psg_options_read(&options, "no/such/file", &kept), PSG_ERR_ARG);
    CHECK(!kept && strstr(psg_last_error(), "no/such/file") != NULL, "words: %s", psg_last_error());
    CHECK_STATUS(psg_options_read(&options, folder, &kept), PSG_ERR_ARG);
    CHECK_STATUS(psg_options_read(NULL, path, &kept), PSG_ERR_ARG);
    CHECK_STATUS(psg_options_read(&options, path, NULL), PSG_ERR_ARG);
    forget(1);
}

static void listed(void) {
    psg_options options = basic();
    psg_tuned list[3], one = entry();
    size_t count = 7;
    CHECK_STATUS(psg_tuned_list(&options, NULL, 0, &count), PSG_OK);
    CHECK(count == 0, "%zu entries of none", count);
    store(&one);
    one.precision = PSG_F32;
    one.policy[0] = '\0';
    store(&one);
    store(&one);
    memset(list, 0x5a, sizeof list);
    CHECK_STATUS(psg_tuned_list(&options, list, 1, &count), PSG_OK);
    CHECK(count == 2 && (unsigned char)list[1].name[0] == 0x5a, "%zu entries, or beyond", count);
    CHECK_STATUS(psg_tuned_list(&options, list, 3, &count), PSG_OK);
    CHECK(list[0].precision == PSG_F32 && list[1].precision == PSG_F64, "not by name: %s, %s",
          list[0].name, list[1].name);
    one = entry();
    CHECK(list[1].state == PSG_TUNED_USABLE && list[1].cpus == 2 && list[1].gpus == 0, "workers");
    CHECK(memcmp(list[1].n, one.n, sizeof one.n) == 0 && list[1].graph == one.graph &&
              list[1].z_layout == one.z_layout && list[1].exchange == one.exchange &&
              list[1].segment_planes == 7 && list[1].sheets == 3,
          "the choice came back otherwise");
    CHECK(strcmp(list[1].policy, "prio") == 0 && list[0].policy[0] == '\0', "policies '%s', '%s'",
          list[1].policy, list[0].policy);
    CHECK_NEAR(list[1].seconds, 0.125, 1e-15, "seconds");
    CHECK_NEAR(list[1].default_seconds, 0.25, 1e-15, "seconds of the default");
    CHECK(list[1].host[0] && list[1].cpu_model[0] && list[1].versions[0] && list[1].date[0],
          "host '%s', cpu '%s', versions '%s', date '%s'", list[1].host, list[1].cpu_model,
          list[1].versions, list[1].date);
    forget(2);
    CHECK_STATUS(psg_tuned_list(&options, NULL, 0, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_tuned_list(&options, NULL, 1, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_tuned_forget(&options, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_tuned_store(&options, NULL), PSG_ERR_ARG);
    one = entry();
    one.segment_planes = 31;
    CHECK_STATUS(psg_tuned_store(&options, &one), PSG_ERR_ARG);
    one = entry();
    memset(one.policy, 'x', sizeof one.policy);
    CHECK_STATUS(psg_tuned_store(&options, &one), PSG_ERR_ARG);
    one = entry();
    options.cache_dir = "/dev/null";
    CHECK_SAYS(psg_tuned_store(&options, &one), PSG_ERR_RUNTIME, "/dev/null");
    options.cache_dir = "";
    CHECK_STATUS(psg_tuned_store(&options, &one), PSG_ERR_RUNTIME);
    char small[4];
    CHECK_STATUS(psg_cache_folder(&options, 0, small, sizeof small), PSG_OK);
    CHECK(small[0] == '\0', "no folder is '%s'", small);
    options.cache_dir = "longer";
    CHECK_STATUS(psg_cache_folder(&options, 0, small, sizeof small), PSG_ERR_ARG);
    CHECK_STATUS(psg_cache_folder(&options, 0, NULL, 0), PSG_ERR_ARG);
}

/** Names of other machines' entries, and of files that are none, are left alone. */
static void others(void) {
    static const char *const names[] = {"tuned-f64-2c0g-24x20x30-elsewhere", "tuned-", "tuned",
                                        "fftw-a-f64.wisdom"};
    char path[1024];
    const psg_tuned one = entry();
    for (size_t m = 0; m < sizeof names / sizeof names[0]; ++m) {
        snprintf(path, sizeof path, "%s/%s", folder, names[m]);
        write_file(path, "?", 1);
    }
    store(&one);
    psg_options options = basic();
    check_tuned("beside others", &options, 1);
    forget(1);
    for (size_t m = 0; m < sizeof names / sizeof names[0]; ++m) {
        snprintf(path, sizeof path, "%s/%s", folder, names[m]);
        CHECK(remove(path) == 0, "%s is gone", names[m]);
    }
}

/** Two processes that write the same entry again and again: who reads it sees one of both,
 *  whole. */
static void concurrent_writers(void) {
    enum { WRITERS = 2, TIMES = 300 };
    const psg_options options = basic();
    psg_tuned one = entry(), list[1];
    pid_t writer[WRITERS];
    size_t count = 0, seen[WRITERS] = {0};
    store(&one);
    for (int w = 0; w < WRITERS; ++w) {
        writer[w] = fork();
        if (writer[w] == 0) {
            int failed = 0;
            one.sheets = (size_t)w + 3;
            for (int t = 0; t < TIMES; ++t) {
                failed |= psg_tuned_store(&options, &one) != PSG_OK;
            }
            _exit(failed);
        }
    }
    for (int left = WRITERS; left > 0;) {
        int status = 0;
        CHECK_STATUS(psg_tuned_list(&options, list, 1, &count), PSG_OK);
        CHECK(count == 1 && list[0].state == PSG_TUNED_USABLE, "%zu entries, state %d", count,
              list[0].state);
        if (count == 1 &&
            CHECK(list[0].sheets == 3 || list[0].sheets == 4, "sheets %zu", list[0].sheets)) {
            ++seen[list[0].sheets - 3];
        }
        if (waitpid(-1, &status, WNOHANG) > 0) {
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a writer failed");
            --left;
        }
    }
    CHECK(seen[0] + seen[1] > 2, "nothing was seen meanwhile");
    DIR *dir = opendir(folder);
    for (struct dirent *file; dir && (file = readdir(dir)) != NULL;) {
        CHECK(strncmp(file->d_name, ".tuned", 6) != 0, "%s is left", file->d_name);
    }
    closedir(dir);
    forget(1);
}

int main(void) {
    char here[256], name[] = "tuned-XXXXXX";
    if (!CHECK(mkdtemp(name) != NULL && getcwd(here, sizeof here) != NULL, "no folder")) {
        return check_result();
    }
    snprintf(folder, sizeof folder, "%s/%s", here, name);
    concurrent_writers(); /* before StarPU has threads */
    applied();
    overridden();
    policies();
    all_workers();
    classes();
    unusable();
    as_options();
    listed();
    others();
    CHECK(rmdir(folder) == 0, "something is left in %s", folder);
    return check_result();
}
