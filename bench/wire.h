/** @file wire.h  What goes between `psg bench` and the processes that measure for it, by their stdin and stdout:
 *  these are what every launcher of MPI passes on, from and to rank 0, on one machine or on many. A visit goes
 *  there as it is in memory. Records come back as lines of text with a mark, so that lines of somebody else's
 *  between them do no harm, nor a terminal that the launcher puts there. */
#ifndef PSG_BENCH_WIRE_H
#define PSG_BENCH_WIRE_H

#include "bench/record.h"

#include <stdio.h>

/** @param[in] visit  NULL: one of bench_measure_machine(). @return 0; -1: errno says why */
int bench_wire_put_visit(FILE *file, const bench_visit *visit);

/** Read a visit on rank 0, for all; collective.
 *  @param[out] visit  its arrays are freed by bench_wire_free_visit(), after failures too; count 0: one of
 *                     bench_measure_machine()
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message; the same in all processes */
int bench_wire_get_visit(FILE *file, bench_visit *visit);
void bench_wire_free_visit(bench_visit *visit);

/** @return 0; -1: nobody listens any more */
int bench_wire_put_record(int file, const bench_record *record);

/** The end where records come out. All zero but for the files before the first use. */
typedef struct bench_wire_reader {
    int file;
    FILE *others; /**< gets the lines that are no records */
    char text[4 * sizeof(bench_record)];
    size_t length; /**< of what was read and is no whole line yet */
} bench_wire_reader;

/** The next record.
 *  @param[in] patience  seconds to wait for it
 *  @return 1; 0: there are no more; -1: none came in time */
int bench_wire_get_record(bench_wire_reader *reader, unsigned patience, bench_record *record);

#endif
