/** @file program.h  What the programs that measure have in common: their options, the clock, works that take turns,
 *  and quartiles. C and C++ at once. Whatever goes wrong ends the program, with a line on stderr. */
#ifndef PSG_BENCH_PROGRAMS_PROGRAM_H
#define PSG_BENCH_PROGRAMS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Exit codes: nothing of what the program measures can be here (no GPU, ...); the command line
 *  is wrong. */
enum { BENCH_USAGE = 2, BENCH_NOT_HERE = 77 };

/** End with exit code 1, or with `code`, after "program peer: words" on stderr, unless ok. */
void bench_must(int ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_must_or(int code, int ok, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** What the program does from now on, with the seconds since it first said so, as a line on stderr:
 *  where it was, if it is ended. */
void bench_stage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** A peer that a program measures. */
typedef struct bench_program {
    const char *name;                  /**< the first word of the command line; NULL ends a table */
    int (*run)(int argc, char **argv); /**< with its own command line; NULL: was not built */
    const char *needs;                 /**< what has to be there for it to be built, in words */
} bench_program;

/** Run the peer that the command line names. @return the exit code */
int bench_main(int argc, char **argv, const bench_program *peers);

/* ------------------------------------------------------------------------------------- options */

typedef enum bench_kind {
    BENCH_FLAG,   /**< no argument; int, set to 1 */
    BENCH_COUNT,  /**< int >= 1 */
    BENCH_NUMBER, /**< int >= 0 */
    BENCH_REAL,   /**< double >= 0 */
    BENCH_TEXT,   /**< const char * */
    BENCH_SOLVER  /**< psg_options: the one of its options that `solver` names */
} bench_kind;

/** A row is all that an option needs. A table ends with name NULL. */
typedef struct bench_option {
    const char *name;
    bench_kind kind;
    void *value; /**< of the kind's type, with the default in it */
    const char *solver;
} bench_option;

/** What all programs take. */
typedef struct bench_settings {
    int repeat;    /**< rounds that count */
    int warm_up;   /**< rounds before */
    int seed;      /**< of the order */
    double memory; /**< GiB that a case may take; 0: half of what is free */
    int rows;      /**< rows of CSV on stdout, in place of lines for people */
} bench_settings;

/** Read the command line; a wrong one ends the program, with its usage.
 *  @param[in]     options   the program's own, besides --repeat, --warm-up, --seed, --memory and --rows
 *  @param[in]     operands  of the usage: "N|NXxNYxNZ ..."; there has to be one at least. NULL: there are none
 *  @param[in,out] settings  with the defaults in it
 *  @return the place of the first operand in argv */
int bench_arguments(int argc, char **argv, const bench_option *options, const char *operands,
                    bench_settings *settings);

/** N or NXxNYxNZ, each >= 1. Else the program ends. */
void bench_read_grid(const char *text, size_t n[3]);

/** Whole numbers >= 1 with commas between. Else the program ends. @return how many, at most
 *  `most` */
int bench_read_list(const char *text, int *values, int most);

/* ----------------------------------------------------------------------------------- measuring */

/** Seconds on a clock that only goes forward. */
double bench_now(void);

/** A number of [-0.5, 0.5) that depends on m alone. */
double bench_noise(size_t m);

/** Quartiles of the seconds of one call. */
typedef struct bench_times {
    double min, q1, median, q3, max;
} bench_times;

bench_times bench_quartiles(const double *seconds, int count);

/** A work to be measured. */
typedef struct bench_job {
    /** Do it so often, one after the other. @return the seconds that this took */
    double (*run)(void *what, unsigned calls);
    void *what;
    unsigned calls; /**< found by bench_interleave() */
    bench_times times;
} bench_job;

/** Measure works that take turns: each round does every one of them, in a random order, so that a machine that
 *  gets slower meanwhile does so for all of them.
 *  @param[in] least_seconds  a work is called so often in a turn that the turn takes as long, for the clock's sake;
 *                            0: once */
void bench_interleave(bench_job *jobs, size_t count, const bench_settings *settings,
                      double least_seconds);

/** Bytes that a case may take here: settings->memory, or half of what is free; infinite where
 *  nobody knows. */
double bench_memory(const bench_settings *settings);

/** Is there so much? @param[out] why  where not, in words: 128 bytes */
int bench_fits(double bytes, double have, char *why);

/* ------------------------------------------------------------------------------------- the cores */

enum { BENCH_THREADS_MOST = 1024 };

/** Processors that are online. */
int bench_cores(void);

/** Memory of zeros in huge pages, where the system has them; free() it. */
void *bench_array(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
