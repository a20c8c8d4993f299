/** @file child.h  Another program, run as a child: alone, or as several processes by a launcher of MPI. */
#ifndef PSG_BENCH_CHILD_H
#define PSG_BENCH_CHILD_H

#include <stdio.h>
#include <sys/types.h>

typedef struct bench_child {
    pid_t number;
    FILE *said;  /**< what it printed on stderr */
    int ends[2]; /**< of the pipe of its stdout; [0] is read here */
} bench_child;

/** Can the text be split into the words of a command, as a shell does it? @return 0; -1: no */
int bench_child_check_command(const char *text);

/** The words of a command, with `mpirun -n ranks` before them if ranks > 1; free them by bench_child_free_command().
 *  @param[in] mpirun  split as a shell does it
 *  @param[in] words   ends with NULL
 *  @return NULL when out of memory */
char **bench_child_command(const char *mpirun, unsigned ranks, const char *const *words);
void bench_child_free_command(char **command);

/** Start it; there can be one at a time. It does not outlive this process, and its signals are its own.
 *  @param[in] command  NULL: nothing is started
 *  @param[in] order    its stdin, from where it stands; NULL: an empty one
 *  @return 0; -1: errno says why. bench_child_forget() after both */
int bench_child_start(bench_child *child, char **command, FILE *order);

/** What it writes on stdout, as it comes.
 *  @param[out] text     up to size bytes
 *  @param[in]  seconds  to wait for it
 *  @return how many bytes; 0: it writes no more; -1: nothing came in time */
ssize_t bench_child_read(const bench_child *child, char *text, size_t size, double seconds);

/** Ask it to end, and kill it if it does not within some seconds; a launcher that is asked ends
 *  what it started. */
void bench_child_ask_to_end(const bench_child *child);

/** Wait for its end; nobody of its process group is left then. @return its status, as wait() has
 *  it */
int bench_child_reap(const bench_child *child);
void bench_child_forget(bench_child *child);

/** The first paragraph of what it printed on stderr, in one line; lines of dashes are none. */
void bench_child_first_words(const bench_child *child, char *line, size_t size);

/** What it printed on stderr, in one line: the last one that begins with `name` and a colon, or
 *  else the first paragraph, which is a launcher's about why nothing started. */
void bench_child_last_words(const bench_child *child, const char *name, char *line, size_t size);

#endif
