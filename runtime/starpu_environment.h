/** @file starpu_environment.h  What StarPU takes from the process: variables of the environment and
 *  threads. StarPU stops the process over a variable that is nonsense, and over a thread that it
 *  cannot have. */
#ifndef PSG_RUNTIME_STARPU_ENVIRONMENT_H
#define PSG_RUNTIME_STARPU_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/** Are the variables of the environment that people set such that StarPU can start with them?
 *  @param[in]  gpus   that there are
 *  @param[out] words  which one is not, and why */
bool psg_starpu_environment(int gpus, char *words, size_t size);

/** How large the stacks of threads are that are made from now on. StarPU's have what a program has
 *  by default, which `ulimit -s` says; with less than 200 KB they end the process, as the libraries
 *  of CUDA alone take so much.
 *  @param[in] bytes  0: at least what StarPU's need @return bytes before */
size_t psg_starpu_stacks(size_t bytes);

/** Can so many threads be made, all at once? They are made, and end before this returns.
 *  @param[out] words  how many could be, and why no more */
bool psg_starpu_threads(int count, char *words, size_t size);

#endif
