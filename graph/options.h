/** @file options.h  Options: their table, defaults and checks, and what a machine has learnt for them. */
#ifndef PSG_GRAPH_OPTIONS_H
#define PSG_GRAPH_OPTIONS_H

#include "graph/fail.h"
#include "graph/psg_machine.h"

/* -------------------------------------------------------------------------- option_table.c */

#define PSG_LAMBDA_EXPECTED                                                                        \
    "a finite number from 0; below 0 is the equation of waves, which psg does not solve"

void psg_option_table_defaults(psg_options *options);
/** Is each value for itself one that its option can have? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_option_table_check(const psg_options *options);

/** An option that all processes have to have the same; of a text a digest. */
typedef struct psg_option_value {
    const char *name;
    double value;
} psg_option_value;
enum { PSG_OPTION_VALUES_MOST = 64 };
/** @param[out] values  PSG_OPTION_VALUES_MOST @return how many there are */
size_t psg_option_table_same(const psg_options *options, psg_option_value *values);

/** The name of a choice of an option, static; NULL: it is none. And the choice of a name. */
const char *psg_option_table_word(const char *name, int choice);
bool psg_option_table_choice(const char *name, const char *text, int *choice);

/* -------------------------------------------------------------------------------- policy.c */

/** Has StarPU the scheduling policy? @param[in] where  it is asked for, in the words; may be ""
 *  @return PSG_OK; PSG_ERR_ARG: the words name the one that was probably meant, or all */
psg_status psg_policy_check(const char *policy, const char *where);

/* ------------------------------------------------------------------------------- options.c */

/** The caller's options on top of the defaults, whatever version of the struct they are; all
 *  checked.
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_options_check(psg_options *checked, const psg_options *options);
/** What is AUTO, and does not depend on the machine, becomes its default. */
void psg_options_settle(psg_options *options);
/** Are lambda, factor and mean of options what those of a plan can be? @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_options_check_terms(const psg_options *options);
/** @return PSG_OK; PSG_ERR_ARG, also where sizes overflow; PSG_ERR_UNSUPPORTED */
psg_status psg_grid_check(const psg_grid *grid, psg_precision precision);

/* --------------------------------------------------------------------------------- cache.c */

/** The path of a file in the folder for what a machine has learnt.
 *  @return false: there is no such folder to be had, and psg_last_error() says why, or "" */
bool psg_cache_file(const psg_options *options, const char *name, char *path, size_t size);
/** A home folder may be shared by machines that differ, so names of files end with the
 *  machine's. */
void psg_cache_host(char *host, size_t size);

/* --------------------------------------------------------------------------------- tuned.c */

/** What `psg tune` stored for this machine, grid and the options' workers; StarPU may run or not.
 *  @param[out] tuned  where there is nothing all defaults
 *  @return is there something? */
bool psg_tuned_find(psg_tuned *tuned, const psg_grid *grid, const psg_options *options);
/** Settle checked options, StarPU running: what was found goes into those at their default.
 *  @param[in] tuned  found before StarPU started
 *  @return does any of the options, or the policy in force, come from it? */
bool psg_tuned_apply(psg_options *options, const psg_grid *grid, const psg_tuned *tuned);

/* ---------------------------------------------------------------------------- tuned_file.c */

/** What tells entries apart, and a text for where it was measured, filled in from this machine.
 *  @param[in] device  the GPU's number, where tuned->gpus > 0 */
void psg_tuned_key(psg_tuned *tuned, int device);
/** Write the entry to a file of the cache folder; an old file is replaced whole. @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_tuned_write(const psg_tuned *tuned, const char *path);
/** @return is it an entry, of this name and with values that a plan could have? */
bool psg_tuned_read(psg_tuned *tuned, const char *path, const char *name);
/** @return what a plan could not have in it, in words; NULL if it is fine */
const char *psg_tuned_wrong(const psg_tuned *tuned);

/* ----------------------------------------------------------------------------- cpu_share.c */

/** Do these checked options want CPU cores beside GPUs, though they do not say how many? */
bool psg_cpu_share_wanted(const psg_options *options);

/* ------------------------------------------------------------------------------ recorded.c */

/** The names of the machines of psg_recorded_list(), a blank before each.
 *  @param[out] text  `size` bytes; names that do not fit are cut */
void psg_recorded_names(char *text, size_t size);

#endif
