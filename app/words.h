/** @file words.h  Exit codes, and what the `psg` command says on stderr and stdout. */
#ifndef PSG_APP_WORDS_H
#define PSG_APP_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/** Exit codes. Usage is: the command line, or an input that it names, has to be changed. */
enum { APP_DONE = 0, APP_FAILED = 1, APP_USAGE = 2 };

/** Remarks on one run ("integers were read as f64"), for stderr and for the JSON report. */
typedef struct app_notes {
    bool quiet; /**< keep them from stderr */
    size_t count;
    char text[12][320]; /**< what does not fit is cut, what is too many is dropped */
} app_notes;

/** Print "psg: ..." and a newline on stderr, with ? in place of what would control a terminal,
 *  unless app_errors_to() has a keeper that takes it. @return code, for `return
 *  app_error(APP_USAGE, ...)` */
int app_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** From now on errors begin with "--OPTION: "; NULL: with nothing. */
void app_errors_of(const char *option);

/** 1 if a text is UTF-8 and has nothing in it that controls a terminal. */
bool app_is_plain(const char *text);

/** Print on stdout what has names in it, with ? in place of what would control a terminal. */
void app_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Print "psg: ..." and a newline on stderr at once. */
void app_print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Record a note, and print "psg: note: ..." on stderr unless quiet. */
void app_note(app_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** From now on errors go to a keeper, which prints them later and once.
 *  @param[in] keeper  returns false for an error that has to be printed at once; NULL: all have
 *  to */
void app_errors_to(bool (*keeper)(const char *text));

/** "1.50 GiB" and the like. @param[out] text  size bytes, 32 are enough */
void app_bytes_text(char *text, size_t size, double bytes);

/** Can a field have this rank? @return APP_DONE; APP_USAGE after a message about `name` */
int app_rank_check(const char *name, int rank);

#endif
