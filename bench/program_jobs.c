/* What the programs of a study are asked for. A row of the table is a program and what it
 * varies. */
#include "bench/program_jobs.h"
#include "app/app.h"
#include "bench/program_columns.h"
#include "bench/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZES "64,128,256"
#define GPU_SIZES "256,512"
#define LENGTHS "32,64,128,256,512,1024,31,81,243,625,1009"

/* What it is asked for beside the grid: threads; a number of processes that share the cores; of
 * GPUs, or as many as it finds; of GPUs in one process, and in as many processes. */
typedef enum unit { NOTHING, THREADS, PROCESSES, GPUS, GPUS_OR_PROCESSES } unit;

/* Of how many cores, where the user does not say. */
typedef enum cores_used { NONE, ONE, ALL, ONE_AND_ALL } cores_used;

typedef struct part {
    const char *program, *needs, *options;
    const char *grids, *larger; /* and those that --large adds */
    unit unit;
    cores_used cores;
} part;

#define TESTS "PSG_TESTS=ON"
#define CUDA TESTS ", and CUDA"

enum { PARTS = 5 };
static const struct study {
    const char *name, *columns, *shown;
    part part[PARTS];
} studies[] = {
    {"transposes",
     BENCH_TRANSPOSES_COLUMNS,
     "device,grid,element_bytes,permutation,threads,elements_per_thread,seconds,bandwidth,of_copy",
     {{"bench_transposes_cpu", TESTS, "", SIZES ",201x151x101", "512", THREADS, ONE_AND_ALL},
      {"bench_transposes_gpu", CUDA, "", GPU_SIZES ",201x151x101", "1024", NOTHING, NONE}}},
    {"fft",
     BENCH_FFT_COLUMNS,
     "device,kind,grid,layout,n,batch,stride,seconds_per_fft,gflops,over_contiguous,"
     "strided_over_transposed,plan_bytes",
     {{"bench_fft_cpu", TESTS, "--kind batch", LENGTHS, NULL, THREADS, ONE},
      {"bench_fft_cpu", TESTS, "--kind z", SIZES, "512", THREADS, ONE_AND_ALL},
      {"bench_fft_gpu", CUDA, "--kind batch", LENGTHS, NULL, NOTHING, NONE},
      {"bench_fft_gpu", CUDA, "--kind z", GPU_SIZES, "1024", NOTHING, NONE}}},
    {"peers",
     BENCH_PEERS_COLUMNS,
     "peer,grid,ranks,threads,gpus,peer_seconds,psg_seconds,ratio,peer_gflops,psg_gflops",
     {{"bench_fftw_peer", TESTS, "", SIZES, "512", THREADS, ALL},
      {"bench_mkl_peer", TESTS ", and Intel MKL", "", SIZES, "512", THREADS, ALL},
      {"bench_fftw_mpi_peer", TESTS ", MPI, and FFTW's MPI library", "", SIZES, "512", PROCESSES,
       ALL},
      {"bench_gpu_peer", CUDA, "", GPU_SIZES, "1024", GPUS, NONE}}},
    {"embed",
     BENCH_EMBED_COLUMNS,
     "door,grid,precision,ranks,gpus,seconds,ratio,exchange",
     {{"bench_embed", CUDA " and MPI", "", GPU_SIZES, "1024", GPUS_OR_PROCESSES, NONE}}},
};

/* Columns of words. */
static const char *const text_names[] = {
    "device",    "grid",           "permutation",  "kind",         "layout",
    "peer",      "precision",      "exchange",     "status",       "gpu_model",
    "variant",   "command",        "psg_version",  "host",         "date",
    "door",      "cpu_model", "starpu_version", "fftw_version", "cuda_version", "mpi_version"};

static const struct study *find(const char *name) {
    for (size_t s = 0; s < sizeof studies / sizeof studies[0]; s++) {
        if (strcmp(studies[s].name, name) == 0) {
            return &studies[s];
        }
    }
    return NULL;
}

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
    } else if ((p->unit == GPUS || p->unit == GPUS_OR_PROCESSES) && gpus >= 0) {
        snprintf(count, sizeof count, "--gpus %d ", gpus);
    }
    snprintf(grid, sizeof grid, "%zux%zux%zu", n[0], n[1], n[2]);
    snprintf(job->options, sizeof job->options, "%s%s%s%s", p->options, p->options[0] ? " " : "",
             count, grid);
    job->ranks = ranks;
    return APP_DONE;
}

static int add_config(bench_program_jobs *jobs, const part *p, const size_t n[3],
                      const psg_options *o) {
    if (p->unit == GPUS_OR_PROCESSES) {
        const int code = add_one(jobs, p, n, 0, o->gpus, 1);
        return code || o->gpus < 2 ? code : add_one(jobs, p, n, 0, 1, (unsigned)o->gpus);
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

/* Lists that the user may give; the sweep reads them, and says what is wrong with them. */
static int add_part(bench_program_jobs *jobs, const part *p, const bench_arguments *a,
                    unsigned cores) {
    char grids[160], counts[32];
    const char *lists[BENCH_LISTS_MOST] = {NULL};
    bench_sweep sweep = {.count = 0};
    const bool large = a->large && p->larger != NULL;
    snprintf(grids, sizeof grids, "%s%s%s", p->grids, large ? "," : "", large ? p->larger : "");
    snprintf(counts, sizeof counts, p->cores == ONE_AND_ALL ? "1,%u" : "%u",
             p->cores == ONE ? 1 : cores);
    lists[BENCH_LIST_GRID] = a->list[BENCH_LIST_GRID] != NULL ? a->list[BENCH_LIST_GRID] : grids;
    if (p->cores != NONE) {
        lists[bench_list("cpus")] =
            a->list[bench_list("cpus")] != NULL ? a->list[bench_list("cpus")] : counts;
    }
    if (p->cores == NONE) {
        lists[bench_list("gpus")] = a->list[bench_list("gpus")];
    }
    int code = bench_sweep_add(&sweep, lists);
    for (size_t c = 0; c < sweep.count && !code; c++) {
        psg_options o;
        bench_config_options(&sweep.config[c], &o);
        if (o.cpus == 0 || o.gpus == 0) {
            continue; /* what is of none is left out */
        }
        o.cpus = p->cores != NONE && o.cpus < 0 ? (int)cores : o.cpus; /* the word default */
        code = add_config(jobs, p, sweep.config[c].grid.n, &o);
    }
    bench_sweep_free(&sweep);
    return code;
}

/* What means nothing to these programs is refused, and not left out in silence: but for peers they
 * have one GPU, or none. */
static int check(const bench_arguments *a) {
    const char *gpus = a->list[bench_list("gpus")];
    for (size_t list = 0; list < bench_lists(); list++) {
        const bool meant =
            list == BENCH_LIST_GRID || list == bench_list("cpus") ||
            (list == bench_list("gpus") &&
             (strcmp(a->study, "peers") == 0 || strcmp(a->study, "embed") == 0 || (gpus != NULL && strcmp(gpus, "0") == 0)));
        if (a->list[list] != NULL && !meant) {
            return app_error(APP_USAGE, "--%s means nothing to --study %s", bench_list_option(list),
                             a->study);
        }
    }
    return a->bounds ? app_error(APP_USAGE, "--bounds means nothing to --study %s", a->study)
                     : APP_DONE;
}

int bench_program_jobs_make(bench_program_jobs *jobs, const bench_arguments *arguments,
                            unsigned cores) {
    const struct study *study = find(arguments->study);
    *jobs = (bench_program_jobs){.columns = study->columns, .shown = study->shown};
    int code = check(arguments);
    for (size_t p = 0; p < PARTS && study->part[p].program != NULL && !code; p++) {
        code = add_part(jobs, &study->part[p], arguments, cores);
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

int bench_program_is_number(const bench_table *table, size_t column) {
    for (size_t t = 0; t < sizeof text_names / sizeof text_names[0]; t++) {
        if (strcmp(table->names[column], text_names[t]) == 0) {
            return 0;
        }
    }
    return 1;
}

void bench_program_job_text(const bench_program_job *job, char *text, size_t size) {
    char launcher[32] = "";
    if (job->ranks > 1) {
        snprintf(launcher, sizeof launcher, "mpirun -n %u ", job->ranks);
    }
    snprintf(text, size, "%s%s%s%s", launcher, job->program, job->options[0] ? " " : "",
             job->options);
}
