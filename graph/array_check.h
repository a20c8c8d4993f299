/** @file array_check.h  The check of the caller's arrays: where they are, and whether a solve can
 * use them. */
#ifndef PSG_GRAPH_ARRAY_CHECK_H
#define PSG_GRAPH_ARRAY_CHECK_H

#include "graph/arrays.h"
#include "runtime/device.h"

/** "f", "u", "gradient[0]" */
const char *psg_field_name(const psg_plan *plan, int field);
/** The parts of a cut that a GPU has; those of the process for PSG_HOST. */
psg_range psg_array_parts(const psg_parts *parts, int device);
/** The memory node of a device of the plan's, or of PSG_HOST. @return -1: it has no such device */
int psg_array_node(const psg_plan *plan, int device);
/** Whose memory an array's first number is in, as CUDA says. @return can it be read there, by a GPU
 *  or by cores? Not where memory was freed, nor, by a plan without GPUs, on a GPU */
bool psg_array_ask(const psg_plan *plan, const psg_array *array, psg_device_memory *memory);
/** Is it an array that cores can read? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_array_check_host(const psg_plan *plan, const void *array);
/** So many arrays of f, and of u? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_array_check_count(const psg_plan *plan, size_t count);
/** Find out where the arrays are, f and u as they were given, and whether a solve can use them.
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_array_check(const psg_plan *plan, psg_arrays *arrays);
/** Do they leave the arrays of solves in flight alone? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_array_check_pending(const psg_plan *plan, const psg_arrays *arrays);

#endif
