/* The psg command: finds the subcommand. */
#include "app/app.h"
#include "app/arguments.h"
#include "app/commands.h"
#include "app/hdf5.h"
#include "app/lab.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "app/versions.h"
#include "base/nearest.h"
#include "graph/psg_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const app_command app_commands[] = {
    {"solve", "solve a field of yours, or a built-in problem with a known answer", app_solve, true},
    {"run", "run a workload, a task graph of another shape, to compare scheduling policies with",
     app_run, true},
    {"dock", "find how two molecules fit each other, from their PDB files", app_dock, true},
    {"example", "write a small density to solve for", app_example, false},
    {"view", "write three slices of a field as a picture", app_view, false},
    {"bench", "measure solves in every combination of lists of options, or by ready studies",
     app_bench, false},
    {"tune", "find the fastest options for a grid on this machine, and keep them for solve",
     app_tune, false},
    {"measure", "measure configurations, lines of JSON, for a script: bench calls it", app_measure,
     true},
    {"info", "show versions, workers, scheduling policies and what tune has kept", app_info, true},
    {"selftest", "check for a minute that psg gives right answers on this machine", app_selftest,
     false},
    {"completion", "print a completion script for bash, zsh or fish", app_completion, false},
    {"__complete", NULL, app_complete, false}, /* the completion scripts' */
    {"keep", NULL, app_keep, false},           /* psg tune's own */
    {NULL, NULL, NULL, false}};

static int print_help(void) {
    fputs("Usage: psg COMMAND [OPTION]...\n"
          "\n"
          "PoissonGraph solves Poisson's equation lap(u) - lambda u = f on a 3-D box by\n"
          "FFT. The solve is a graph of tasks that StarPU schedules over the CPU cores and GPUs,\n"
          "of one process or, with mpirun, of several.\n"
          "\n"
          "Commands:\n",
          stdout);
    for (const app_command *c = app_commands; c->name != NULL; c++) {
        if (c->summary != NULL) {
            printf("  %-6s%s%s\n", c->name, strlen(c->name) > 6 ? "\n         " : " ", c->summary);
        }
    }
    fputs("\n"
          "Options:\n"
          "  --help     print this text; psg COMMAND --help tells about a command, and\n"
          "             psg COMMAND --help all has every option of it\n"
          "  --version  print the version, and what psg was built with\n"
          "\n"
          "Examples:\n"
          "  psg solve --problem madelung --grid 64\n"
          "         the Madelung constant of rock salt: a first run that needs no data\n"
          "  psg example rho.h5\n"
          "         a density to try the next line with\n"
          "  psg solve --in rho.h5:/density --out phi.h5:/potential --box 10x10x20\n"
          "         the potential of your own field, an HDF5 data set [nz][ny][nx]\n"
          "  psg info\n"
          "         what psg can compute on here\n",
          stdout);
    return APP_DONE;
}

enum { COMMANDS = sizeof app_commands / sizeof *app_commands };

/* What the first word may be; ends with NULL. */
static void list_words(const char *words[COMMANDS + 2]) {
    size_t count = 0;
    for (const app_command *c = app_commands; c->name != NULL; c++) {
        words[count] = c->name;
        count += c->summary != NULL;
    }
    words[count++] = "--help";
    words[count++] = "--version";
    words[count] = NULL;
}

static int no_command(void) {
    char list[512] = "";
    size_t length = 0;
    for (const app_command *c = app_commands; c->name != NULL && length < sizeof list; c++) {
        if (c->summary != NULL) {
            length += (size_t)snprintf(list + length, sizeof list - length, "%spsg %s",
                                       length ? ", " : "", c->name);
        }
    }
    return app_error(APP_USAGE, "say what to do: %s or psg --help", list);
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        return no_command();
    }
    for (const app_command *c = app_commands; c->name != NULL; c++) {
        if (strcmp(argv[1], c->name) == 0) {
            if (app_room()) {
                return APP_FAILED;
            }
            return c->solves ? app_simulation_run(c->run, argc - 1, argv + 1)
                             : c->run(argc - 1, argv + 1);
        }
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        return print_help();
    }
    if (strcmp(argv[1], "--version") == 0) {
        app_print_version("psg");
        app_versions_print(PSG_COMPONENT_PSG + 1);
        return APP_DONE;
    }
    const char *words[COMMANDS + 2];
    list_words(words);
    const char *nearest = base_nearest(argv[1], words);
    if (nearest != NULL) {
        return app_error(APP_USAGE, "unknown command '%s': did you mean '%s'?", argv[1], nearest);
    }
    return app_error(APP_USAGE, "unknown command '%s'; see psg --help", argv[1]);
}

int main(int argc, char **argv) {
    (void)setenv("STARPU_SILENT", "1",
                 0); /* what StarPU has to say is for who asks for it: 0 there */
    if (app_ranks_launched()) {
        app_hdf5_start();
    }
    int code = app_ranks_start(argc, argv);
    code = code ? code : run(argc, argv);
    /* output that did not get where it was sent is a failure, whatever it said */
    if (fflush(stdout) || ferror(stdout)) {
        code = app_error(code ? code : APP_FAILED, "stdout cannot be written: %s", strerror(errno));
    }
    return app_ranks_finish(code);
}
