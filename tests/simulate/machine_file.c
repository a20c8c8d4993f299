/* What is wrong with a machine's file is said with its line, and nothing is simulated; what is
 * not recorded is said before a solve is tried. */
#include "graph/psg_machine.h"
#include "tests/simulate/simulate.h"

#include <string.h>
#include <sys/stat.h>

#define HEAD "machine small\ncpus 2\n"
#define TIME "time forward_xy f64 cpu 8x8x8 segment 8 views 1 0 1e-3\n"
#define TIMES                                                                                      \
    TIME "time kspace f64 cpu 8x8x8 sheet 8 views 1 0 1e-3\n"                                      \
         "time inverse_xy f64 cpu 8x8x8 segment 8 views 1 0 1e-3\n"

#define NAME_63 "A23456789-123456789_123456789.123456789z123456789-123456789_1.3"

#define GPU_LINKS "link to-gpu 1e9 0\nlink from-gpu 1e9 0\ngpu_memory 1e9\n"

typedef struct file {
    const char *text;
    const char *words; /* that have to be said */
    psg_status status;
} file;

/** Third lines of a file that are refused: `begin`, and each of `ends`. */
typedef struct refused_lines {
    const char *begin, *expected;
    const char *ends[24];
} refused_lines;

static const refused_lines lines[] = {
    {"cores 2", "machine, about", {""}},
    {"gpu_memory ", "gpu_memory BYTES", {"lots", "-1"}},
    {"speed ",
     "speed gpu N FACTOR",
     {"gpu 0 0", "gpu 64 1", "gpu -1 1", "gpu 1", "cpu 1 2", "cpu 0", "gpu 1 2 3"}},
    {"submit",
     "submit PIECE [TASK]",
     {" 0", "", " -1e-6 1e-6", " 1e-6 0", " 1e-6 1e-6 1e-6", " 1e-6 soon"}},
    {"gap ", "gap PIECE [TASK]", {"0", "gpu 1e-6", "1e-6 inf"}},
    {"link ",
     "link to-gpu",
     {"up 1e9 0", "to-gpu 0 0", "to-gpu 1e9 -1", "memory 0 0", "to-gpu nan 0", "network 1e9"}},
    {"recorded",
     "recorded peer BYTES_A_SECOND",
     {"", " between 1e9", " peer", " peer 0", " peer -1e9", " peer inf", " peer 1e9 0",
      " peers 1e9", " cores 0", " cores -1"}},
    {"memory ", "memory ONE ALL", {"1e9", "2e9 1e9", "0 1e9", "1e9 2e9 3e9"}},
    {"cuda_aware", "cuda_aware yes|no", {" maybe", "", " yes no"}},
    {"least ", "least", {"cpu 0", "fpga 1"}},
    {"time ",
     "time STAGE",
     {"kspace f64 cpu 8x8x8 sheet 8 views 1 0", "kspace f64 cpu 8x8x8 sheet 8 views 1 2 1",
      "kspace f64 cpu 8x8x8 sheet 0 views 1 0 1", "kspace f64 cpu 8x-8x8 sheet 8 views 1 0 1",
      "kspace f64 cpu 8x8x8 sheet 8 views 1 0 -1", "kspace f64 cpu 8x8x8 sheet 8 views 1 0 inf",
      "spaces f64 cpu 8x8x8 sheet 8 views 1 0 1", "kspace f16 cpu 8x8x8 sheet 8 views 1 0 1",
      "kspace f64 tpu 8x8x8 sheet 8 views 1 0 1", "kspace f64 cpu 8x8x8 plane 8 views 1 0 1",
      "kspace f64 cpu 8x8x8 sheet 8 holes 1 0 1", "kspace f64 cpu 8x8x8 sheet 8 views 1 0 1 0",
      "kspace f64 cpu 8x8x8 sheet 8 views 1 0 1 -0.1",
      "kspace f64 cpu 8x8x8 sheet 8 views 1 0 1 nan",
      "kspace f64 cpu 8x8x8 sheet 8 views 1 0 1 10.1",
      "kspace f64 cpu 8x8x8 sheet 8 views 1 0 1 far",
      "kspace f64 cpu 8x8x8 sheet 8 views 1 0 1 0.1 2",
      "kspace f64 cpu 8x8x8 sheet 8 views 1 0 1e-3.5"}},
    {"sides ",
     "sides STAGE",
     {"kspace f64 cpu 8x8x8 NN,NN,NN", "kspace f64 cpu 8x8x8 NN,NN,NN 0",
      "kspace f64 cpu 8x8x8 NN,NN,NN inf", "kspace f64 cpu 8x8x8 NN,NN,NN 1.5 2",
      "kspace f64 cpu 8x8x8 NN,NN,NN1.5", "kspace f64 cpu 8x8x8 NN,NN 1.5",
      "kspace f64 cpu 8x8x8 NN,NN,NN,NN 1.5", "kspace f64 cpu 8x8x8 NN,NN,ND 1.5",
      "kspace f64 cpu 8x8x8 PP,PP,PP 1.5", "kspace f64 cpu 8x0x8 NN,NN,NN 1.5",
      "kspace f64 tpu 8x8x8 NN,NN,NN 1.5", "kspace f16 cpu 8x8x8 NN,NN,NN 1.5",
      "ep_chunk f64 cpu 8x8x8 NN,NN,NN 1.5"}},
};

static const file files[] = {
    {"", "no machine is described here", PSG_ERR_ARG},
    {"# nothing\n\n", "no machine is described here", PSG_ERR_ARG},
    {"cpus 2\n", ":1: expected machine NAME", PSG_ERR_ARG},
    {"machine\n", ":1: expected machine NAME", PSG_ERR_ARG},
    {"machine small\n", "neither cpus nor gpus", PSG_ERR_ARG},
    {"machine small\ncpus 4294967298\n", "cpus N, at most 4096", PSG_ERR_ARG},
    {"machine small\ncpus 99999999999999999999\n", "cpus N, at most 4096", PSG_ERR_ARG},
    /* names that are no names for files, for XML or for a terminal */
    {"machine ../../x\ncpus 2\n" TIMES, ":1: expected machine NAME, of at most 63", PSG_ERR_ARG},
    {"machine ../../x\ncpus 2\n" TIMES, "; character 3 of NAME is '/'", PSG_ERR_ARG},
    {"\n\nmachine <a b='\ncpus 2\n" TIMES, ":3: expected machine NAME", PSG_ERR_ARG},
    {"machine <a b='\ncpus 2\n" TIMES, "; character 1 of NAME is '<'", PSG_ERR_ARG},
    {"machine a b\ncpus 2\n" TIMES, "; character 2 of NAME is 0x20", PSG_ERR_ARG},
    {"machine a\x1b[2Jb\ncpus 2\n" TIMES, "; character 2 of NAME is 0x1b", PSG_ERR_ARG},
    {"machine a\tb\ncpus 2\n" TIMES, "; character 2 of NAME is 0x09", PSG_ERR_ARG},
    {"machine m\xc3\xbcller\ncpus 2\n" TIMES, "; character 2 of NAME is 0xc3", PSG_ERR_ARG},
    {"machine a&b\ncpus 2\n" TIMES, "; character 2 of NAME is '&'", PSG_ERR_ARG},
    {"machine \ncpus 2\n" TIMES, ":1: expected machine NAME, of at most 63", PSG_ERR_ARG},
    {"machine small\rer\ncpus 2\n" TIMES, "", PSG_OK}, /* where a line ends elsewhere */
    {"machine " NAME_63 "\ncpus 2\n" TIMES, "", PSG_OK},
    {"machine " NAME_63 "4\ncpus 2\n" TIMES, ":1: expected machine NAME, of at most 63",
     PSG_ERR_ARG},
    {"machine " NAME_63 NAME_63 NAME_63 NAME_63 NAME_63 NAME_63 NAME_63 NAME_63 NAME_63
     "\ncpus 2\n" TIMES,
     ":1: expected a line of text, of at most 510", PSG_ERR_ARG},
    {"machine ..\ncpus 2 \n" TIMES, "", PSG_OK},
    {HEAD "machine /\n" TIMES, ":3: expected machine NAME", PSG_ERR_ARG},
    {"machine small\ncpus two\n", ":2: expected cpus N", PSG_ERR_ARG},
    {"machine small\ncpus -2\n", ":2: expected cpus N", PSG_ERR_ARG},
    {"machine small\ncpus 2 3\n", ":2: expected cpus N", PSG_ERR_ARG},
    {"machine small\ncpus 5000\n", ":2: expected cpus N", PSG_ERR_ARG},
    {HEAD "gpus 1\n", "a link that its GPUs need", PSG_ERR_ARG},
    {HEAD "gpus 1\nlink to-gpu 1e9 0\nlink from-gpu 1e9 0\n", "gpu_memory", PSG_ERR_ARG},
    {HEAD "gpus 2\nlink to-gpu 1e9 0\nlink from-gpu 1e9 0\ngpu_memory 1e9\n",
     "a link that its GPUs need", PSG_ERR_ARG},
    {"machine small\ngpus 1\n" GPU_LINKS TIMES, "cpus is not given, or 0", PSG_ERR_ARG},
    {"machine small\ncpus 0\ngpus 1\n" GPU_LINKS TIMES, "cpus is not given", PSG_ERR_ARG},
    {HEAD "speed gpu 0 2\n" TIMES, ": speed gpu 0: the machine has 0 GPUs", PSG_ERR_ARG},
    {HEAD TIME, "not recorded how long kspace takes on a core in f64", PSG_ERR_UNSUPPORTED},
    {HEAD TIMES, "", PSG_OK},
    {HEAD "time divide f64 cpu 8x8x8 sheet 8 views 1 0 1e-3 0.1\n" TIMES, "", PSG_OK},
    {HEAD "time divide f64 cpu 8x8x8 sheet 8 views 1 0 1e-3\t10 # at most\n" TIMES, "", PSG_OK},
    {HEAD "time divide f64 cpu 8x8x8 sheet 8 views 1 0 1e-3 \n" TIMES, "", PSG_OK},
    {HEAD "link network 1e9 1e-6\ncuda_aware no\n" TIMES, "", PSG_OK},
    {HEAD "kinds those these\ntime these f64 cpu 8x8x8 sheet 8 views 1 0 1\n" TIMES, "", PSG_OK},
    {HEAD "kinds those\ntime these f64 cpu 8x8x8 sheet 8 views 1 0 1\n" TIMES, "expected time",
     PSG_ERR_ARG},
    {HEAD "kinds \n" TIMES, "expected kinds NAME", PSG_ERR_ARG},
    {HEAD "recorded peer 1e9 1e-6\nrecorded cores 2\nmemory 1e9 1e9\nspeed cpu 2\n" TIMES, "",
     PSG_OK},
    {HEAD "recorded peer 1e9 # before it was slower\n" TIMES, "", PSG_OK},
    {HEAD "sides kspace f64 cpu 8x8x8 NN,PP,DN-nodes 1.5 # measured\n" TIMES, "", PSG_OK},
    {HEAD "submit 1e-6\ngap 1e-6 \n" TIMES, "", PSG_OK},
    {HEAD "submit 0 1e-6\ngap 1e-6 1e-6 # two\n" TIMES, "", PSG_OK},
    {"  machine\tsmall # a name\n cpus 2#two\n" TIMES, "", PSG_OK},
};

static psg_status create(const char *machine, psg_plan **plan) {
    psg_options options;
    psg_grid grid;
    psg_options_init(&options);
    options.machine = machine;
    options.gpus = 0;
    psg_grid_init(&grid, 8, 8, 8, 1, 1, 1);
    return psg_plan_create(plan, &grid, &options);
}

static void try_file(const void *argument) {
    const file *f = argument;
    psg_plan *plan = NULL;
    if (CHECK(create(simulate_machine(f->text), &plan) == f->status, "of \"%s\": %s", f->text,
              psg_last_error())) {
        CHECK(f->status == PSG_OK || strstr(psg_last_error(), f->words), "of \"%s\": %s", f->text,
              psg_last_error());
    }
    psg_plan_destroy(plan);
    remove(simulate_machine(""));
}

static void try_lines(const void *argument) {
    const refused_lines *l = argument;
    for (size_t m = 0; l->ends[m] != NULL; ++m) {
        psg_plan *plan = NULL;
        char text[256], words[128];
        snprintf(text, sizeof text, "%s%s%s\n", HEAD, l->begin, l->ends[m]);
        snprintf(words, sizeof words, ":3: expected %s", l->expected);
        CHECK(create(simulate_machine(text), &plan) == PSG_ERR_ARG &&
                  strstr(psg_last_error(), words) != NULL,
              "of \"%s\", without \"%s\": %s", text, words, psg_last_error());
    }
    remove(simulate_machine(""));
}

static void no_machine(const void *argument) {
    psg_plan *plan = NULL;
    (void)argument;
    unsetenv("PSG_MACHINE");
    CHECK_SAYS(create(NULL, &plan), PSG_ERR_ARG, "PSG_MACHINE");
    CHECK_SAYS(create("no-such-machine", &plan), PSG_ERR_ARG, "no-such-machine: No such file");
    CHECK_STATUS(create(".", &plan), PSG_ERR_ARG);
    /* none of them has been chosen */
    setenv("PSG_MACHINE", simulate_machine(HEAD TIMES), 1);
    CHECK_STATUS(create(NULL, &plan), PSG_OK);
    psg_plan_destroy(plan);
    remove(simulate_machine(""));
}

static void one_machine(const void *argument) {
    psg_plan *plan = NULL, *other = NULL;
    (void)argument;
    CHECK_STATUS(create(simulate_machine(HEAD TIMES), &plan), PSG_OK);
    CHECK_SAYS(create("h200", &other), PSG_ERR_ARG, "already");
    CHECK_STATUS(create(simulate_machine(HEAD TIMES), &other), PSG_OK);
    psg_plan_destroy(other);
    psg_plan_destroy(plan);
    CHECK_STATUS(create(simulate_machine(HEAD TIMES), &plan), PSG_OK); /* StarPU once more */
    psg_plan_destroy(plan);
    remove(simulate_machine(""));
}

/** What StarPU reads is in a folder that nobody else can have made, and gone once it has been
 *  read. */
static void folder(const void *argument) {
    psg_plan *plan = NULL;
    (void)argument;
    CHECK_STATUS(create(simulate_machine(HEAD TIMES), &plan), PSG_OK);
    const char *name = getenv("STARPU_PERF_MODEL_DIR");
    psg_plan_destroy(plan);
    if (!CHECK(name && strstr(name, "/psg-machine-") && access(name, F_OK) != 0, "folder %s",
               name)) {
        return;
    }
    CHECK(mkdir(name, 0755) == 0, "cannot make %s", name); /* as somebody else may */
    CHECK_SAYS(create(simulate_machine(HEAD TIMES), &plan), PSG_ERR_ARG, name);
    CHECK(rmdir(name) == 0, "something is in %s, or it is gone", name);
    CHECK_STATUS(create(simulate_machine(HEAD TIMES), &plan), PSG_OK);
    psg_plan_destroy(plan);
    CHECK(access(name, F_OK) != 0, "%s is left", name);
    remove(simulate_machine(""));
}

int main(void) {
    CHECK(psg_simulation() == 1, "this is no simulation");
    SIMULATE_EACH(NULL, try_file, files);
    SIMULATE_EACH(NULL, try_lines, lines);
    simulate_apart(NULL, no_machine, NULL);
    simulate_apart(NULL, one_machine, NULL);
    simulate_apart(NULL, folder, NULL);
    return check_result();
}
