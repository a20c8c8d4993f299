/** @file starpu_home.h  StarPU's folder of what it measured, around StarPU's start and stop. StarPU
 *  stops the process where the folder cannot be written, or where a file in it is damaged. */
#ifndef PSG_RUNTIME_STARPU_HOME_H
#define PSG_RUNTIME_STARPU_HOME_H

#include <stdbool.h>
#include <stddef.h>

/** Choose the folder for StarPU's files, and remove from it what is not as its manifest says.
 *  Processes that only read the files start together until leave; one that removes a file, or whose
 *  StarPU may write one, starts alone. To be called before starpu_init(), one thread at a time.
 *  @param[in]  cache  the library's own folder; "": none
 *  @param[out] words  why there is no such folder to be had
 *  @return false: nothing to leave, and StarPU must not start */
bool psg_starpu_home_enter(const char *cache, char *words, size_t size);
/** StarPU has started, or failed to. What it wrote enters the manifest. A temporary folder is
 *  removed: StarPU reads it no more. */
void psg_starpu_home_leave(bool started);
/** Before starpu_shutdown(): StarPU does not write its models where they cannot be written. */
void psg_starpu_home_stopping(void);
/** After starpu_shutdown(): models that were written enter the manifest. */
void psg_starpu_home_stopped(void);
/** Where StarPU's files were at its last start. @param[out] why  not in the first folder of those
 *  that it may have; "" */
void psg_starpu_home_folder(char *folder, size_t size, char *why, size_t why_size);

#endif
