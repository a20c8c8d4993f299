/** @file transfer_log.h  The copies to, from and between GPUs in a run. */
#ifndef PSG_GRAPH_TRANSFER_LOG_H
#define PSG_GRAPH_TRANSFER_LOG_H

#include "graph/psg_observe.h"
#include "runtime/copies.h"
#include "runtime/run.h"

/** Bracket a run, before it is submitted and once its results are home: between, its copies are
 * kept.
 *  @param[in] alone  no other run of this work is in flight */
void psg_transfers_begin(const psg_work *work, bool alone);
void psg_transfers_end(psg_work *work, const psg_run *run);
bool psg_plan_transfer(const psg_work *work, const psg_copy_record *record, psg_copy *copy);

#endif
