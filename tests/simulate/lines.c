/* Whoever edits a line of a machine's file sees what it is about: a number of each kind of line that describes a slower
 * machine makes a solve slower that depends on it, and no line of the grammar is left out here. */
#include "graph/psg_observe.h"
#include "tests/simulate/simulate.h"

#include <math.h>
#include <stdbool.h>
#include <sys/mman.h>

#define HEAD                                                                                       \
    "machine edited\nabout it\ncpus 4\ngpus 4\ngpu_memory 8e9\nspeed gpu 1 1\nspeed cpu 1\n"
#define LINKS                                                                                      \
    "link to-gpu 1e9 1e-5\nlink from-gpu 1e9 1e-5\nlink between 1e9 1e-5\nlink peer 1e9 1e-5\n"    \
    "recorded peer 1e9 1e-5\nlink network 1e9 1e-5\ncuda_aware yes\nkinds other more\nlink "       \
    "memory 1e10 1e-6\n"                                                                           \
    "memory 1e9 2e9\nrecorded cores 1\n"
#define COSTS "submit 1e-6 1e-6\ngap 1e-6 1e-6\nleast cpu 1e-5\nleast gpu 1e-5\n"
#define TIMES                                                                                      \
    "time forward_xy f64 cpu 64x64x64 segment 8 views 8 0 1e-3 0.1\n"                              \
    "time kspace f64 cpu 64x64x64 sheet 8 views 8 0 1e-3\n"                                        \
    "time inverse_xy f64 cpu 64x64x64 segment 8 views 8 0 1e-3\n"                                  \
    "time forward_xy f64 gpu 64x64x64 segment 8 dense 8 0 1e-4\n"                                  \
    "time forward_xy f64 gpu 64x64x64 segment 8 dense 8 6 3e-4\n"                                  \
    "time kspace f64 gpu 64x64x64 sheet 8 dense 8 0 1e-4\n"                                        \
    "time inverse_xy f64 gpu 64x64x64 segment 8 dense 8 0 1e-4\n"                                  \
    "time inverse_xy f64 gpu 64x64x64 segment 8 dense 8 6 3e-4\n"                                  \
    "sides kspace f64 gpu 64x64x64 NN,NN,NN 2\n"

static const char machine[] = HEAD LINKS COSTS TIMES;

/** What depends on the line. */
typedef enum kind {
    CORES,   /**< a solve on cores */
    GPUS,    /**< on the GPUs, with the data there and exchange direct */
    MANAGED, /**< with exchange managed */
    MEMORY,  /**< from main memory and back */
    NODES,   /**< on two nodes, with the data on GPUs */
    LARGE,   /**< of a grid that needs much memory */
    WALLS,   /**< on GPUs, of a grid with Neumann sides */
    NOTHING  /**< none */
} kind;

typedef struct edit {
    const char *old, *new;
    kind kind;
    int slower; /**< 1: the solve takes longer; -1: it takes less */
} edit;

static const edit edits[] = {
    {"cpus 4\n", "cpus 2\n", CORES, 1},
    {"gpus 4\n", "gpus 2\n", GPUS, 1},
    {"gpu_memory 8e9\n", "gpu_memory 3e9\n", LARGE, 1},
    {"speed gpu 1 1", "speed gpu 1 0.5", GPUS, 1},
    {"speed cpu 1", "speed cpu 0.5", CORES, 1},
    {"memory 1e9 2e9", "memory 1e9 4e9", CORES, -1},
    {"memory 1e9 2e9", "memory 2e9 2e9", CORES, 1}, /* one core had more to lose */
    {"recorded cores 1", "recorded cores 4", CORES, -1},
    {"link memory 1e10 1e-6", "link memory 1e9 1e-6", MEMORY, 1},
    {"link memory 1e10 1e-6", "link memory 1e10 1e-3", MEMORY, 1},
    {"link to-gpu 1e9 1e-5", "link to-gpu 5e8 1e-5", MEMORY, 1},
    {"link to-gpu 1e9 1e-5", "link to-gpu 1e9 1e-3", MEMORY, 1},
    {"link to-gpu 1e9 1e-5", "link to-gpu 2e9 1e-5", MEMORY, -1},
    {"link from-gpu 1e9 1e-5", "link from-gpu 5e8 1e-5", MEMORY, 1},
    {"link from-gpu 1e9 1e-5", "link from-gpu 1e9 1e-3", MEMORY, 1},
    {"link between 1e9 1e-5", "link between 5e8 1e-5", MANAGED, 1},
    {"link between 1e9 1e-5", "link between 1e9 1e-3", MANAGED, 1},
    {"link between 1e9 1e-5", "link between 2e9 1e-5", MANAGED, -1},
    {"link peer 1e9 1e-5", "link peer 5e8 1e-5", GPUS, 1},
    {"link peer 1e9 1e-5", "link peer 2e9 1e-5", GPUS, -1},
    {"link peer 1e9 1e-5\n", "", GPUS, 1}, /* exchange managed then */
    {"recorded peer 1e9", "recorded peer 2e9", GPUS, 1},
    {"recorded peer 1e9", "recorded peer 5e8", GPUS, -1},
    {"link peer 1e9 1e-5", "link peer 1e9 1e-3", GPUS, 1},
    {"recorded peer 1e9 1e-5", "recorded peer 1e9 1e-6", GPUS, 1},
    {"link network 1e9 1e-5", "link network 5e8 1e-5", NODES, 1},
    {"link network 1e9 1e-5", "link network 1e9 1e-3", NODES, 1},
    {"cuda_aware yes", "cuda_aware no", NODES, 1},
    {"submit 1e-6 1e-6", "submit 1e-4 1e-6", GPUS, 1},
    {"submit 1e-6 1e-6", "submit 1e-6 1e-4", GPUS, 1},
    {"gap 1e-6 1e-6", "gap 1e-4 1e-6", GPUS, 1},
    {"gap 1e-6 1e-6", "gap 1e-6 1e-4", GPUS, 1},
    {"least cpu 1e-5", "least cpu 1e-2", CORES, 1},
    {"least gpu 1e-5", "least gpu 1e-2", GPUS, 1},
    {"8 views 8 0 1e-3 0.1", "8 views 8 0 2e-3 0.1", CORES, 1},
    {"8 views 8 0 1e-3 0.1", "8 views 8 0 1e-3 3", CORES,
     -1}, /* with the median of the distribution */
    {"8 dense 8 6 3e-4", "8 dense 8 6 6e-4", GPUS, 1},
    {"sides kspace f64 gpu 64x64x64 NN,NN,NN 2", "sides kspace f64 gpu 64x64x64 NN,NN,NN 4", WALLS,
     1},
    {"sides kspace f64 gpu 64x64x64 NN,NN,NN 2", "sides kspace f64 gpu 64x64x64 NN,NN,NN 1", WALLS,
     -1},
    /* what is said of the machine */
    {"kinds other more", "kinds others", NOTHING, 0},
    {"about it", "about something else", NOTHING, 0},
    {"machine edited", "machine called-otherwise", NOTHING, 0},
};
enum { EDITS = sizeof edits / sizeof edits[0] };

/* Set by the processes that simulate. */
static double *seconds;

static void from_memory(void) {
    enum { N = 64 };
    psg_options options;
    psg_grid grid;
    psg_plan *plan = NULL;
    void *f = calloc(N * N * N, 8), *u = calloc(N * N * N, 8);
    psg_options_init(&options);
    options.segment_planes = 8;
    options.sheets = 8;
    psg_grid_init(&grid, N, N, N, 1, 1, 1);
    if (f && u && CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        const double start = psg_clock();
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        *seconds = psg_clock() - start;
    }
    psg_plan_destroy(plan);
    free(f);
    free(u);
}

static void solve(const void *argument) {
    const kind k = *(const kind *)argument;
    simulate_case c = {.n = k == LARGE ? 1024 : 64,
                       .cpus = k == CORES ? -1 : 0,
                       .gpus = k == CORES ? 0 : -1,
                       .exchange = k == MANAGED ? PSG_EXCHANGE_MANAGED : PSG_EXCHANGE_AUTO,
                       .segment_planes = k == LARGE ? 0 : 8,
                       .sheets = k == LARGE ? 0 : 8,
                       .nodes = k == NODES ? 2 : 1};
    for (int side = 0; side < 6 && k == WALLS; ++side) {
        c.bc[side / 2][side % 2] = PSG_BC_NEUMANN;
    }
    if (k == MEMORY) {
        from_memory();
    } else {
        *seconds = simulated_seconds(&c);
    }
}

/** Seconds of what depends on a line, on a machine. */
static double seconds_on(const char *text, kind k) {
    *seconds = NAN;
    simulate_apart(simulate_machine(text), solve, &k);
    return *seconds;
}

static const char *edited(const edit *e) {
    static char text[sizeof machine + 256];
    const char *at = strstr(machine, e->old);
    if (CHECK(at != NULL, "no '%s'", e->old)) {
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - machine), machine, e->new,
                 at + strlen(e->old));
    }
    return text;
}

static void check_edits(void) {
    double before[NOTHING];
    for (kind k = CORES; k < NOTHING; ++k) {
        before[k] = seconds_on(machine, k);
        CHECK(before[k] > 0, "solve %d takes %g s", (int)k, before[k]);
    }
    for (int m = 0; m < EDITS; ++m) {
        const edit *e = &edits[m];
        for (kind k = CORES; k < NOTHING; ++k) {
            if (e->kind == k || (e->kind == NOTHING && k != LARGE)) {
                const double after = seconds_on(edited(e), k), ratio = after / before[k];
                CHECK(e->slower > 0   ? ratio > 1.02
                      : e->slower < 0 ? ratio < 0.98
                                      : after == before[k],
                      "'%s' instead of '%s': solve %d takes %g s, before %g s", e->new, e->old,
                      (int)k, after, before[k]);
            }
        }
    }
}

/** The library names the words that a line may begin with: each is in an edit. */
static void check_words(const void *argument) {
    psg_options options;
    psg_grid grid;
    psg_plan *plan = NULL;
    char words[512];
    int count = 0;
    (void)argument;
    psg_options_init(&options);
    options.machine = simulate_machine("machine none\nnonsense\n");
    psg_grid_init(&grid, 8, 8, 8, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG);
    const char *list = strstr(psg_last_error(), ":2: expected ");
    snprintf(words, sizeof words, "%s", list ? list + strlen(":2: expected ") : "");
    for (char *word = strtok(words, ", "); word; word = strtok(NULL, ", ")) {
        bool found = strcmp(word, "or") == 0;
        for (int m = 0; m < EDITS && !found; ++m) {
            found = strncmp(edits[m].old, word, strlen(word)) == 0;
        }
        found = found || (strcmp(word, "time") == 0); /* of which the edits are not the beginning */
        CHECK(found, "no edit of '%s'", word);
        ++count;
    }
    CHECK(count == 17, "%d words in '%s'", count, psg_last_error());
}

int main(void) {
    seconds =
        mmap(NULL, sizeof *seconds, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seconds == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    simulate_apart(NULL, check_words, NULL);
    check_edits();
    remove(simulate_machine(""));
    return check_result();
}
