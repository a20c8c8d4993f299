/** @file file.h  Files that appear whole or not at all. */
#ifndef PSG_BASE_FILE_H
#define PSG_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Open a regular file for reading. Of a pipe or a device the end may never come, and to open a
 * pipe may wait for ever.
 *  @param[out] why  words, static or strerror()'s: errno is EINVAL where the file is none
 *  @return -1: see `why` and errno */
int base_open_regular(const char *path, const char **why);
/** The same as a stream. @return NULL: see `why` and errno */
FILE *base_fopen_regular(const char *path, const char **why);

/** Write all bytes to an open file. @return false: errno says why */
bool base_write(int file, const void *bytes, size_t count);

/** Close a stream that was written to. That the calls that wrote returned success does not suffice:
 *  json_dumpf() returns 0 also if a buffer could not be written while it wrote the key of a member.
 *  @return 0; else errno's value: something of it is not in the file */
int base_close(FILE *file);

/** Bring a closed file to disk and give it a name: whoever opens the name reads the old file or the
 *  new one. Both are in one folder. @return 0; else errno's value, and `temporary` and what had the
 *  name are still there */
int base_file_rename(const char *temporary, const char *path);

#endif
