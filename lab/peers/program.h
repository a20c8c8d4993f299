/** @file program.h  What the programs that measure have in common: their peers, options, words and
 * memory. C and C++ at once. Whatever goes wrong ends the program, with a line on stderr. */
#ifndef PSG_BENCH_PROGRAMS_PROGRAM_H
#define PSG_BENCH_PROGRAMS_PROGRAM_H

#include "graph/psg.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Exit codes: the command line is wrong; what the peer needs is not here (no GPU, ...). */
enum { BENCH_USAGE = 2, BENCH_NOT_HERE = 77 };

/** End with exit code 1, or with `code`, after "program peer: words" on stderr, unless ok. */
#define bench_must(ok, ...) bench_must_or(1, ok, __VA_ARGS__)
void bench_must_or(int code, int ok, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** The same with psg's own words, unless the status is PSG_OK. */
void bench_must_psg(psg_status status);

/** Seconds on a clock that only goes forward. */
double bench_now(void);

/** A line on stderr of what the program begins to do, with the seconds since the first such line:
 *  where it was, if it is ended. */
void bench_stage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** A peer that a program measures. A table ends with name NULL. */
typedef struct bench_program {
    const char *name; /**< the first word of the command line */
    /** With its own command line. @return the exit code. NULL: the peer was not built */
    int (*run)(int argc, char **argv, const void *what);
    const void *what;
    const char *needs; /**< what has to be there for it to be built, in words */
} bench_program;

/** Run the peer that the command line names. @return the exit code */
int bench_main(int argc, char **argv, const bench_program *peers);

/* ----------------------------------------------------------------------------------- options */

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

/** What all peers take; the last two are no options. */
typedef struct bench_settings {
    int repeat;    /**< rounds that count */
    int warm_up;   /**< rounds before */
    int seed;      /**< of the order */
    double memory; /**< GiB that a case may take; 0: half of what is free */
    int rows;      /**< a row for each case on stdout, in place of lines for people */
    double turn;   /**< seconds that a turn takes at least, for the clock's sake; 0: one call */
    double rest;   /**< seconds before a turn, in which threads of the turn before fall asleep */
} bench_settings;

/** Read the command line; a wrong one ends the program, with its usage.
 *  @param[in]     options   the peer's own, besides those of bench_settings
 *  @param[in]     operands  of the usage: "N|NXxNYxNZ ...", one at least; NULL: there are none
 *  @param[in,out] settings  with the defaults in it
 *  @return the place of the first operand in argv */
int bench_arguments(int argc, char **argv, const bench_option *options, const char *operands,
                    bench_settings *settings);

/** N or NXxNYxNZ, each >= 1. Else the program ends. */
void bench_read_grid(const char *text, size_t n[3]);

/** Whole numbers >= 1 with commas between. @return how many, at most `most` */
int bench_read_list(const char *text, int *values, int most);

/** Loops worth a wider vector unit than the oldest machine has: the loader picks the clone. It
 * picks before a sanitizer is ready, so code for sanitizers has no clones. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define BENCH_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BENCH_CLONES
#endif

/* ------------------------------------------------------------------------------------ memory */

/** Bytes that a case may take here: settings->memory, or half of what is free; infinite where
 *  nobody knows. */
double bench_memory(const bench_settings *settings);

/** Is there so much? @param[out] why  where not, in words: 128 bytes */
int bench_fits(double bytes, double have, char *why);

/** Memory of zeros in huge pages, where the system has them; free() it. */
void *bench_array(size_t bytes);

/** A number of [-0.5, 0.5) that depends on m alone; and number m of an array of f64 or f32. */
double bench_noise(size_t m);
void bench_put(void *array, psg_precision precision, size_t m, double value);
double bench_get(const void *array, psg_precision precision, size_t m);

/** Processors that are online. */
int bench_cores(void);

#ifdef __cplusplus
}
#endif
#endif
