/* What the programs of a study are asked for. A row of a table is a study, or a program of one. */
#include "bench/program_jobs.h"
#include "app/app.h"
#include "bench/groups.h"
#include "bench/program_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What it is asked for beside the grid: threads; a number of processes that share the cores; of
 * GPUs, or as many as it finds; of GPUs in one process, and of processes with a GPU each. */
typedef enum unit { THREADS, PROCESSES, GPUS, GPU_PROCESSES } unit;

typedef struct part {
    const char *study, *program, *needs;
    const char *grids, *larger; /* and those that --large adds */
    unit unit;
} part;

#define SIZES "64,128,256", "512"
#define TESTS "PSG_TESTS=ON"

static const part parts[] = {
    {"peers", "bench_fftw_peer", TESTS, SIZES, THREADS},
    {"peers", "bench_mkl_peer", TESTS ", and Intel MKL", SIZES, THREADS},
    {"peers", "bench_fftw_mpi_peer", TESTS ", MPI, and FFTW's MPI library", SIZES, PROCESSES},
    {"peers", "bench_gpu_peer", TESTS ", and CUDA", "256,512", "1024", GPUS},
    {"embed", "bench_embed", TESTS ", CUDA, and MPI", "64,256,512", "1024", GPU_PROCESSES},
};

static const struct study {
    const char *name, *columns, *shown;
    bool memory; /* --memory limits a grid's works */
} studies[] = {
    {"peers", BENCH_PEERS_COLUMNS,
     "peer,grid,ranks,threads,gpus,peer_seconds,psg_seconds,ratio,peer_gflops,psg_gflops", true},
    {"embed", BENCH_EMBED_COLUMNS, "door,grid,ranks,gpus,exchange,seconds,ratio,gflops", false},
};

static bench_program_job *add(bench_program_jobs *jobs, const part *p) {
    bench_program_job *more = realloc(jobs->job, (jobs->count + 1) * sizeof *more);
    if (more == NULL) {
        app_error(APP_FAILED, "out of memory for the jobs");
        return NULL;
    }
    jobs->job = more;
    more[jobs->count] = (bench_program_job){.program = p->program, .needs = p->needs, .ranks = 1};
    return &more[jobs->count++];
}

static int add_one(bench_program_jobs *jobs, const part *p, const size_t n[3], int cpus, int gpus,
                   unsigned ranks) {
    char count[32] = "", grid[80];
    bench_program_job *job = add(jobs, p);
    if (job == NULL) {
        return APP_FAILED;
    }
    if (cpus > 0) {
        snprintf(count, sizeof count, "--cpus %d ", cpus);
    } else if (p->unit >= GPUS && gpus >= 0) {
        snprintf(count, sizeof count, "--gpus %d ", gpus);
    }
    snprintf(grid, sizeof grid, "%zux%zux%zu", n[0], n[1], n[2]);
    snprintf(job->options, sizeof job->options, "%s%s", count, grid);
    job->ranks = ranks;
    return APP_DONE;
}

static int add_config(bench_program_jobs *jobs, const part *p, const size_t n[3],
                      const psg_options *o) {
    if (p->unit == GPU_PROCESSES) {
        const int code = add_one(jobs, p, n, 0, o->gpus, 1);
        return code || o->gpus <= 1 ? code : add_one(jobs, p, n, 0, 1, (unsigned)o->gpus);
    }
    if (p->unit != PROCESSES) {
        return add_one(jobs, p, n, p->unit == THREADS ? o->cpus : 0, o->gpus, 1);
    }
    const unsigned cores = (unsigned)o->cpus;
    int code = APP_DONE;
    for (unsigned ranks = 2; ranks <= cores && !code;
         ranks = ranks < cores && 2 * ranks > cores ? cores : 2 * ranks) {
        code = add_one(jobs, p, n, (int)(cores / ranks), -1, ranks);
    }
    return code;
}

/* "1,4" for 4 GPUs; "1", without any: the program says that there is none. */
static int list_gpus(const bench_arguments *a, char *text, size_t size) {
    app_progress none = {0};
    bench_groups groups = {.patience = a->patience, .progress = &none};
    const int code = bench_groups_find_machine(&groups);
    snprintf(text, size, groups.machine.gpus > 1 ? "1,%u" : "1", groups.machine.gpus);
    return code;
}

/* Lists that the user may give; the sweep reads them, and says what is wrong with them. */
static int add_part(bench_program_jobs *jobs, const part *p, const bench_arguments *a,
                    unsigned cores) {
    char grids[160], counts[32];
    const char *lists[BENCH_LISTS_MOST] = {NULL};
    bench_sweep sweep = {.count = 0};
    snprintf(grids, sizeof grids, "%s%s%s", p->grids, a->large ? "," : "",
             a->large ? p->larger : "");
    snprintf(counts, sizeof counts, "%u", cores);
    lists[BENCH_LIST_GRID] = a->list[BENCH_LIST_GRID] != NULL ? a->list[BENCH_LIST_GRID] : grids;
    const size_t workers = bench_list(p->unit >= GPUS ? "gpus" : "cpus");
    lists[workers] = a->list[workers] != NULL || p->unit == GPUS ? a->list[workers] : counts;
    int code = APP_DONE;
    if (p->unit == GPU_PROCESSES && a->list[workers] == NULL) {
        code = list_gpus(a, counts, sizeof counts);
    }
    code = code ? code : bench_sweep_add(&sweep, lists);
    for (size_t c = 0; c < sweep.count && !code; c++) {
        psg_options o;
        bench_config_options(&sweep.config[c], &o);
        if (o.cpus == 0 || o.gpus == 0) {
            continue; /* what is of none is left out */
        }
        o.cpus = p->unit < GPUS && o.cpus < 0 ? (int)cores : o.cpus; /* the word default */
        code = add_config(jobs, p, sweep.config[c].grid.n, &o);
    }
    bench_sweep_free(&sweep);
    return code;
}

/* What means nothing to these programs is refused, and not left out in silence. */
static int check(const bench_arguments *a, bool memory) {
    for (size_t list = 0; list < bench_lists(); list++) {
        const bool meant =
            list == BENCH_LIST_GRID || list == bench_list("cpus") || list == bench_list("gpus");
        if (a->list[list] != NULL && !meant) {
            return app_error(APP_USAGE, "--%s means nothing to --study %s", bench_list_option(list),
                             a->study);
        }
    }
    if (a->memory > 0 && !memory) {
        return app_error(APP_USAGE, "--memory means nothing to --study %s", a->study);
    }
    return a->bounds ? app_error(APP_USAGE, "--bounds means nothing to --study %s", a->study)
                     : APP_DONE;
}

int bench_program_jobs_make(bench_program_jobs *jobs, const bench_arguments *arguments,
                            unsigned cores) {
    const struct study *study = studies;
    while (strcmp(study->name, arguments->study) != 0) {
        study++; /* the name is that of one: bench_study_is_program() */
    }
    *jobs = (bench_program_jobs){.columns = study->columns, .shown = study->shown};
    int code = check(arguments, study->memory);
    for (size_t p = 0; p < sizeof parts / sizeof parts[0] && !code; p++) {
        if (strcmp(parts[p].study, study->name) == 0) {
            code = add_part(jobs, &parts[p], arguments, cores);
        }
    }
    return code || jobs->count > 0
               ? code
               : app_error(APP_USAGE, "--study %s: nothing is left of it, without cores and GPUs",
                           arguments->study);
}

void bench_program_jobs_free(bench_program_jobs *jobs) {
    free(jobs->job);
    jobs->job = NULL;
    jobs->count = 0;
}

bool bench_program_is_text(const char *column) {
    static const char *const texts[] = {"grid",     "peer",   "door",      "precision",
                                        "exchange", "status", "gpu_model", "variant"};
    size_t t = 0;
    while (t < sizeof texts / sizeof *texts && strcmp(column, texts[t]) != 0) {
        t++;
    }
    return t < sizeof texts / sizeof *texts;
}

void bench_program_job_text(const bench_program_job *job, char *text, size_t size) {
    char launcher[32] = "";
    if (job->ranks > 1) {
        snprintf(launcher, sizeof launcher, "mpirun -n %u ", job->ranks);
    }
    snprintf(text, size, "%s%s %s", launcher, job->program, job->options);
}
