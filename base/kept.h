/** @file kept.h  Small files of text that the library keeps between runs: FFTW's wisdom, entries of
 *  `psg tune`, and what StarPU measured. A file is read whole or not at all, and written whole or
 *  not at all. */
#ifndef PSG_BASE_KEPT_H
#define PSG_BASE_KEPT_H

#include <stdbool.h>
#include <stddef.h>

/** Read a regular file. A folder, a FIFO, a device and a file with a zero byte in it are no text;
 *  opening one of them does not block, and has no side effect.
 *  @param[in]  most   bytes that the file may have
 *  @param[out] error  errno's value, 0 after success; EINVAL: there is something, and it is no
 *  text. May be NULL
 *  @return the text, to be freed by free(); NULL: there is none */
char *base_kept_read(const char *path, size_t most, int *error);

/** Write a file beside `path`, bring it to disk and give it the name: another process reads the old
 *  text or the new one. @return 0; else errno's value, and what was there is there still */
int base_kept_write(const char *path, const char *text, size_t length);

/** Is the file perhaps good after this error of base_kept_read()? It is where this process has no
 *  memory or no descriptor, or where another process has locked the file. Such a file is not
 *  written over. */
bool base_kept_unseen(int error);

/** As base_kept_read() and base_kept_write(), of a text below one line with its length and its
 *  checksum. A text that does not fit that line is not returned: EINVAL. `error` is not NULL. The
 *  checksum finds damage; it is no signature. */
char *base_kept_read_checked(const char *path, size_t most, int *error);
int base_kept_write_checked(const char *path, const char *text);

/** Lock a folder against the other processes and threads that lock it here.
 *  @param[in] shared   with those that lock it shared, too
 *  @param[in] seconds  to wait for those that have it
 *  @param[out] had     false: another one had it all the time, and errno is EWOULDBLOCK, or the
 *                      folder cannot be opened. Where the file system has no locks, it is true
 *                      without one
 *  @return for base_kept_unlock() */
int base_kept_lock(const char *folder, bool shared, double seconds, bool *had);
void base_kept_unlock(int lock);

#endif
