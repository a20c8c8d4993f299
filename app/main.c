/* The psg command: finds the subcommand. */
#include "app/app.h"
#include "app/arguments.h"
#include "app/commands.h"
#include "app/field.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "bench/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_help(void) {
    fputs("Usage: psg COMMAND [OPTION]...\n"
          "\n"
          "PoissonGraph solves Poisson's equation lap(u) - lambda u = f on a 3-D box by\n"
          "FFT. The solve is a graph of tasks that StarPU schedules over the CPU cores and GPUs,\n"
          "of one process or, with mpirun, of several.\n"
          "\n"
          "Commands:\n"
          "  solve  solve a field of yours, or a built-in problem with a known answer\n"
          "  example\n"
          "         write a small density to solve for\n"
          "  bench  measure solves in every combination of lists of options, or by ready studies\n"
          "  tune   find the fastest options for a grid on this machine, and keep them for solve\n"
          "  info   show versions, workers, scheduling policies and what tune has kept\n"
          "  selftest\n"
          "         check for a minute that psg gives right answers on this machine\n"
          "\n"
          "Options:\n"
          "  --help     print this text; psg COMMAND --help tells about a command\n"
          "  --version  print the version\n"
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

static int run(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
        int solves; /* this process does, and what is simulated is simulated in it */
    } commands[] = {{"solve", app_solve, 1},        {"example", app_example, 0},
                    {"bench", bench_command, 0},    {"tune", bench_tune, 0},
                    {"info", app_info, 1},          {"selftest", app_selftest, 0},
                    {"visit", bench_visit_serve, 1}}; /* the last is psg bench's, and not shown */
    static const char *const words[] = {"solve",    "example", "bench",     "tune", "info",
                                        "selftest", "--help",  "--version", NULL};
    if (argc < 2) {
        return app_error(APP_USAGE, "say what to do: psg solve, psg example, psg bench, psg tune, "
                                    "psg info, psg selftest or "
                                    "psg --help");
    }
    for (size_t c = 0; c < sizeof commands / sizeof commands[0]; c++) {
        if (strcmp(argv[1], commands[c].name) == 0) {
            return commands[c].solves ? app_simulation_run(commands[c].run, argc - 1, argv + 1)
                                      : commands[c].run(argc - 1, argv + 1);
        }
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        return print_help();
    }
    if (strcmp(argv[1], "--version") == 0) {
        app_print_version("psg");
        return APP_DONE;
    }
    const char *nearest = app_nearest(argv[1], words);
    if (nearest != NULL) {
        return app_error(APP_USAGE, "unknown command '%s': did you mean '%s'?", argv[1], nearest);
    }
    return app_error(APP_USAGE, "unknown command '%s'; see psg --help", argv[1]);
}

int main(int argc, char **argv) {
    (void)setenv("STARPU_SILENT", "1",
                 0); /* what StarPU has to say is for who asks for it: 0 there */
    if (app_ranks_launched()) {
        app_field_start();
    }
    int code = app_ranks_start(argc, argv);
    if (!code) {
        code = run(argc, argv);
    }
    /* output that did not get where it was sent is a failure, whatever it said */
    if (fflush(stdout) || ferror(stdout)) {
        code = app_error(code ? code : APP_FAILED, "stdout cannot be written: %s", strerror(errno));
    }
    return app_ranks_finish(code);
}
