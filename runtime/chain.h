/** @file chain.h  The steps of a run as one task of StarPU's, where one worker has all parts. One
 *  step follows the other without StarPU's work between them, and on a GPU without waiting until
 *  the one before has ended. */
#ifndef PSG_RUNTIME_CHAIN_H
#define PSG_RUNTIME_CHAIN_H

#include "runtime/run.h"

/** Submit what the run has gathered (step_list.h), to the worker of the first step. */
void psg_chain_submit(psg_run *run);

#endif
