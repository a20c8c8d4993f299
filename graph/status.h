/** @file status.h  How the functions of the library say what went wrong. */
#ifndef PSG_GRAPH_STATUS_H
#define PSG_GRAPH_STATUS_H

#include "graph/psg.h"
#include "runtime/run.h"

/** Keep the words for psg_last_error(), and the line of the sources for psg_last_error_detail():
 *  psg_fail(status, format, ...). @return the status */
#define psg_fail(...) psg_fail_at(PSG_SOURCE_LINE, __VA_ARGS__)

/** @param[in] line  as PSG_SOURCE_LINE has it; copied */
psg_status psg_fail_at(const char *line, psg_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void psg_clear_error(void);
psg_status psg_fault_status(psg_fault fault);
/** How a failed run ends for the caller: its words and their line kept, its status returned; PSG_OK
 *  if it did not fail. */
psg_status psg_fail_run(const psg_run *run);

#endif
