/** @file cpu_share.h  What CPU cores take of a solve beside GPUs. */
#ifndef PSG_GRAPH_CPU_SHARE_H
#define PSG_GRAPH_CPU_SHARE_H

#include "graph/workers.h"

/** The part of the work that is the CPU workers' beside the plan's GPUs, and which workers take
 *  its tasks by that: what the options say, else what suits the speeds of both.
 *  @param[in] cpus  CPU workers, of which the plan may have all or none
 *  @return PSG_OK; PSG_ERR_NODEV: they are to share, and one kind is missing */
psg_status psg_cpu_share_make(psg_workers *workers, const psg_plan *plan, size_t cpus);

#endif
