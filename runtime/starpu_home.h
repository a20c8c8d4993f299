/** @file starpu_home.h  A guard around StarPU's start and stop. StarPU stops the process where its folder cannot be
 *  written, where a file in it is damaged, and where a variable of the environment is nonsense. All that is known
 *  about these folders, files and variables is in starpu_home.c, starpu_files.c and starpu_environment.c. */
#ifndef PSG_RUNTIME_STARPU_HOME_H
#define PSG_RUNTIME_STARPU_HOME_H

#include <stdbool.h>
#include <stddef.h>

/* --------------------------------------------------------------------- starpu_environment.c */

/** Are the variables of the environment such that StarPU can start with them?
 *  @param[in]  gpus   that there are
 *  @param[out] words  which one is not, and why */
bool psg_starpu_environment(int gpus, char *words, size_t size);

/** How large the stacks of threads are that are made from now on. StarPU's have what a program has by default, which `ulimit -s` says;
 *  with less than 200 KB they end the process, as the libraries of CUDA alone take so much.
 *  @param[in] bytes  0: at least what StarPU's need @return bytes before */
size_t psg_starpu_stacks(size_t bytes);

/** Can so many threads be made, all at once? They are made, and end before this returns.
 *  @param[out] words  how many could be, and why no more */
bool psg_starpu_threads(int count, char *words, size_t size);

/* --------------------------------------------------------------------------- starpu_files.c */

typedef enum psg_starpu_file {
    PSG_STARPU_CONFIG, /**< bus/HOST.config: what was measured */
    PSG_STARPU_AFFINITY,
    PSG_STARPU_MATRIX, /**< bus/HOST.latency and .bandwidth */
    PSG_STARPU_PLATFORM,
    PSG_STARPU_MODEL, /**< codelets/VERSION/SYMBOL.HOST */
} psg_starpu_file;

/** Is the text one that StarPU can read? Between psg_decimal_begin() and _end(). */
bool psg_starpu_file_is_good(psg_starpu_file kind, const char *text);
/** Does StarPU keep what it measured, as far as can be known before it starts?
 *  @param[in] config  a good HOST.config */
bool psg_starpu_config_is_current(const char *config);

/* ---------------------------------------------------------------------------- starpu_home.c */

/** What has to be undone once StarPU has started. */
typedef struct psg_starpu_home {
    int lock;
    char *before[3]; /**< the variables' values */
    bool moved;      /**< they were changed */
    bool temporary;
} psg_starpu_home;

/** Choose the folder for StarPU's files. What is damaged in it is set aside as NAME.damaged. Processes that only read
 *  the files start together until leave; one that sets a file aside, or whose StarPU may write one, starts alone. To be
 *  called before starpu_init(), one thread at a time.
 *  @param[in]  cache  the library's own folder; "": none
 *  @param[out] words  why there is no such folder to be had
 *  @return false: nothing to leave, and StarPU must not start */
bool psg_starpu_home_enter(psg_starpu_home *home, const char *cache, char *words, size_t size);
/** StarPU has started, or failed to. A temporary folder without models is removed:
 *  StarPU reads it no more. */
void psg_starpu_home_leave(psg_starpu_home *home);
/** Before starpu_shutdown(): StarPU does not write its models where they cannot be written. */
void psg_starpu_home_stopping(void);
/** After starpu_shutdown(), or where StarPU did not start. */
void psg_starpu_home_stopped(void);
/** Where StarPU's files were at its last start. @param[out] why  not where StarPU would have them; "" */
void psg_starpu_home_folder(char *folder, size_t size, char *why, size_t why_size);

#endif
