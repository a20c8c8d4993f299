/** @file completion.h  What a completion script knows of an option or an operand, and the shells' scripts. */
#ifndef PSG_APP_COMPLETION_H
#define PSG_APP_COMPLETION_H

#include "app/arguments.h"

/** An option, or the operand of a command. */
typedef struct app_completion_value {
    const char *name;     /**< of the option, without "--"; NULL: an operand */
    const char *argument; /**< what it takes, as the help text shows it; NULL: nothing */
    char words[2048];     /**< the values that have a name, with blanks between */
    bool files, folders;  /**< the value may be the path of one */
    bool list;            /**< of values with commas between */
    char summary[96];     /**< the begin of its help */
} app_completion_value;

/** A script is written in this order: begin, and for each command its head, its operand if it has one, its options and
 *  its tail; then end. All print on stdout. `program` is what the script completes. */
typedef struct app_completion_shell {
    const char *name;
    void (*begin)(const char *program);
    void (*head)(const char *program, const char *command, const char *summary);
    void (*operand)(const char *program, const char *command, const app_completion_value *operand);
    void (*option)(const char *program, const char *command, const app_completion_value *option);
    void (*tail)(const char *names);
    void (*end)(const char *program, const char *commands);
} app_completion_shell;

/** Ends with name NULL. */
extern const app_completion_shell app_completion_shells[];

#endif
