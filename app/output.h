/** @file output.h  Files that appear whole or not at all: written beside the final name under a
 *  temporary one, then renamed. A signal that ends the program takes the temporary files with
 *  it. */
#ifndef PSG_APP_OUTPUT_H
#define PSG_APP_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct app_output {
    char name[PATH_MAX];      /**< final, symbolic links followed */
    char temporary[PATH_MAX]; /**< in the same folder; "" when there is none */
    int slot;                 /**< where the signal handler finds it */
    int adopted;              /**< made by another process, which renames or removes it */
} app_output;

/** What psg writes. Each kind of file is known by how it begins. */
typedef enum app_output_kind {
    APP_OUTPUT_ANY, /**< known by other means, or of no interest */
    APP_OUTPUT_JSON,
    APP_OUTPUT_TRACE,
    APP_OUTPUT_DAG,
    APP_OUTPUT_DAG_JSON,
    APP_OUTPUT_DAG_REC,
    APP_OUTPUT_XMF,
    APP_OUTPUT_PNG,
    APP_OUTPUT_POSES,
    APP_OUTPUT_KINDS
} app_output_kind;

/** Remove temporary files and exit 128 + signal on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE
 *  (those that were not ignored), and let writes beyond the file size limit fail instead of
 *  killing us. May be called again, where somebody may have put handlers of their own in place.
 *  @param[in] quiet  another process says that the signal came */
void app_signals_install(bool quiet);

/** Ignore them from now on: what is left to do cannot be interrupted usefully. */
void app_signals_ignore(void);

/** Remove all temporary files at once, where the program is about to be ended from within. */
void app_outputs_remove(void);

/** Make an empty temporary file for `path`, so that a name that cannot be written is found before
 *  the work is done. Temporary files that killed runs have left in the same folder are removed.
 *  @param[in] kind  a file that is there already is refused unless it is empty or of this kind;
 *                   APP_OUTPUT_ANY: any file may be replaced, as by --force
 *  @param[in] bytes  how large it will get, about: less free space than that is an error; 0 =
 *  unknown  @return APP_DONE; APP_USAGE (the file that is there is refused) or APP_FAILED after a
 *  message, and nothing is left */
int app_output_begin(app_output *output, const char *path, app_output_kind kind, double bytes);

/** Is there something in the way of writing `path`? To be found before the work is done.
 *  @param[in] kind  as for app_output_begin()
 *  @return as app_output_begin() */
int app_output_try(const char *path, app_output_kind kind);

/** Are there so many bytes on the disk of `temporary`, the file for `path`?
 *  @return APP_DONE, also where nobody knows; APP_FAILED after a message */
int app_output_space(const char *path, const char *temporary, double bytes);

/** Close a stream that `shown` was written to; NULL: errno says why it could not be opened.
 *  @return APP_DONE; APP_FAILED after a message */
int app_output_close(FILE *file, const char *shown);

/** Say why the file `shown` could not be written, and that an older one is as it was.
 *  @return APP_FAILED */
int app_output_failed(const char *shown, const char *words);

/** Copy the file `path` into its empty temporary file.
 *  @return APP_DONE; APP_FAILED after a message */
int app_output_copy(const char *path, const char *temporary);

/** Take what rank 0 has begun as one's own copy, so that a signal to any process removes the
 *  file: the one that made it may be killed. */
void app_output_adopt(app_output *output);

/** Bring the temporary file, if there is one, to the disk and rename it. It must be closed. One
 *  that was adopted is left to its owner, and remembered until it is discarded: that of a large
 *  file takes its time.  @return APP_DONE; APP_FAILED after a message: the temporary file is gone,
 *  the old file intact */
int app_output_commit(app_output *output);

/** The one or the other: commit after APP_DONE, else discard. @return what came of it, or `code` */
int app_output_end(app_output *output, int code);

/** Remove the temporary file, if there is one; an adopted one is forgotten. */
void app_output_discard(app_output *output);

/** Do two paths name the same file, whether it exists or not? */
bool app_same_file(const char *a, const char *b);

/** A file that is read or written. */
typedef struct app_named_file {
    const char *by;   /**< what names it: "--out" */
    const char *path; /**< NULL or "": there is none */
    bool read;
    const char
        *dataset; /**< the data set or group of an HDF5 file that is meant; NULL: all of the file */
} app_named_file;

/** A file that is written may be no other file of these. One exception: a data set may go into the
 *  HDF5 file that another data set is read from. The writer fills a copy, and gives it the file's
 *  name when all is done.  @return APP_DONE; APP_USAGE after a message */
int app_files_differ(const app_named_file *files, size_t count);

#endif
