/** @file lock.h  Files that several psg bring up to date at the same time, of one machine or of several that share
 *  a file system: one of them at a time reads the file, adds to it and puts the new one in its place. */
#ifndef PSG_BENCH_LOCK_H
#define PSG_BENCH_LOCK_H

#include "app/output.h"

#include <stdbool.h>

/** All zero before the first use. */
typedef struct bench_lock {
    int file;          /**< open while the lock is held; -1: the file system has no locks */
    bool told;         /**< that it has none */
    app_output marker; /**< the lock file, which a signal removes */
} bench_lock;

/** Wait until no other process holds the lock of `path`; say so on stderr where that takes more than
 *  two seconds. A file system without locks is said once, and not waited for. One thread at a time.
 *  @param[in] path  of the file, symbolic links followed; it need not exist
 *  @return APP_DONE; APP_FAILED after a message: there is nothing to release */
int bench_lock_take(bench_lock *lock, const char *path);

void bench_lock_release(bench_lock *lock);

#endif
