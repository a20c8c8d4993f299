/* The completion scripts of the shells. What differs from psg to psg are tables, which are written here; what a shell
 * does with them is the text around the tables. Names and words of psg have no quotes and no blanks; help texts may. */
#include "app/completion.h"

#include <stdio.h>
#include <string.h>

/* A text within single quotes, with `escape` before each of `special`; a single quote is `quote`. */
static void put(const char *text, const char *special, const char *escape, const char *quote) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs(quote, stdout);
        } else {
            printf("%s%c", strchr(special, *text) != NULL ? escape : "", *text);
        }
    }
}

/* ---------------------------------------------------------------------------------------- bash */

static void bash_begin(const char *program) {
    printf("# Completion of %s for bash, written by `psg completion bash`.\n"
           "_psg_completion() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} line\n"
           "    local command= options= words= kind= operand= operands= list=\n"
           "    COMPREPLY=()\n"
           "    # = and : are words of their own\n"
           "    [[ $current == : || $option == : ]] && return\n"
           "    [[ $option == = ]] && option=${COMP_WORDS[COMP_CWORD-2]}\n"
           "    [[ $current == = ]] && current=\n"
           "    [[ $COMP_CWORD -gt 1 ]] && command=${COMP_WORDS[1]}\n"
           "    case $command in\n",
           program);
}

static void bash_head(const char *program, const char *command, const char *summary) {
    (void)program;
    (void)summary;
    printf("    %s)\n        case $option in\n", command);
}

static const char *bash_kind(const app_completion_value *value) {
    return value->files ? "file" : value->folders ? "folder" : "value";
}

static void bash_operand(const char *program, const char *command,
                         const app_completion_value *operand) {
    (void)program;
    printf("        %s) operand=%s operands='%s' ;;\n", command, bash_kind(operand),
           operand->words);
}

static void bash_option(const char *program, const char *command,
                        const app_completion_value *option) {
    (void)program;
    (void)command;
    if (option->argument != NULL) {
        printf("        --%s) kind=%s words='%s' list=%s ;;\n", option->name, bash_kind(option),
               option->words, option->list ? "yes" : "");
    }
}

static void bash_tail(const char *names) {
    printf("        esac\n        options='%s' ;;\n", names);
}

static void bash_end(const char *program, const char *commands) {
    printf("    '')\n"
           "        operand=value operands='%s' options='--help --version' ;;\n"
           "    esac\n"
           "    if [[ -z $kind && $current == -* ]]; then\n"
           "        kind=value words=$options\n"
           "    elif [[ -z $kind ]]; then\n"
           "        kind=$operand words=$operands\n"
           "    fi\n"
           "    local before=\n"
           "    if [[ -n $list ]]; then\n"
           "        before=${current%%\"${current##*,}\"}\n"
           "        compopt -o nospace 2>/dev/null\n"
           "    fi\n"
           "    [[ $kind == value ]] || compopt -o filenames 2>/dev/null\n"
           "    while IFS= read -r line; do\n"
           "        COMPREPLY+=(\"$line\")\n"
           "    done < <(\n"
           "        compgen -P \"$before\" -W \"$words\" -- \"${current##\"$before\"}\"\n"
           "        [[ $kind == file ]] && compgen -f -- \"$current\"\n"
           "        [[ $kind == folder ]] && compgen -d -- \"$current\"\n"
           "    )\n"
           "}\n"
           "complete -F _psg_completion %s\n",
           commands, program);
}

/* ----------------------------------------------------------------------------------------- zsh */

static void zsh_begin(const char *program) {
    printf("#compdef %s\n"
           "# Completion of %s for zsh, written by `psg completion zsh`.\n"
           "_psg_completion() {\n"
           "    local -a commands=()\n"
           "    local command=$words[2]\n"
           "    if (( CURRENT > 2 )); then\n"
           "        shift words\n"
           "        (( CURRENT-- ))\n"
           "    else\n"
           "        command=\n"
           "    fi\n",
           program, program);
}

static void zsh_put(const char *text) {
    put(text, "[]:\\", "\\", "'\\''");
}

static void zsh_head(const char *program, const char *command, const char *summary) {
    (void)program;
    printf("    commands+=('%s:", command);
    zsh_put(summary);
    printf("')\n    [[ $command == %s ]] && _arguments \\\n", command);
}

/* What a value may be: ":message:action". */
static void zsh_value(const app_completion_value *value) {
    printf(":");
    zsh_put(value->argument);
    if (value->list && value->words[0] != '\0') {
        printf(":{_values -s , value %s}", value->words);
    } else if (value->files || value->folders) {
        printf(":{");
        if (value->words[0] != '\0') {
            printf("compadd - %s; ", value->words);
        }
        printf("_files%s}", value->folders ? " -/" : "");
    } else if (value->words[0] != '\0') {
        printf(":(%s)", value->words);
    } else {
        printf(": ");
    }
}

static void zsh_operand(const char *program, const char *command,
                        const app_completion_value *operand) {
    (void)program;
    (void)command;
    printf("        '1");
    zsh_value(operand);
    printf("' \\\n");
}

static void zsh_option(const char *program, const char *command,
                       const app_completion_value *option) {
    (void)program;
    (void)command;
    printf("        '--%s%s[", option->name, option->argument != NULL ? "=" : "");
    zsh_put(option->summary);
    printf("]");
    if (option->argument != NULL) {
        zsh_value(option);
    }
    printf("' \\\n");
}

static void zsh_tail(const char *names) {
    (void)names;
    printf("        && return\n");
}

static void zsh_end(const char *program, const char *commands) {
    (void)commands;
    printf("    if [[ -z $command ]]; then\n"
           "        _describe -t commands command commands\n"
           "        [[ $PREFIX == -* ]] && compadd - --help --version\n"
           "    fi\n"
           "}\n"
           "# a file of $fpath, or a script that is sourced\n"
           "if [[ $funcstack[1] == _%s ]]; then\n"
           "    _psg_completion \"$@\"\n"
           "else\n"
           "    compdef _psg_completion %s\n"
           "fi\n",
           program, program);
}

/* ---------------------------------------------------------------------------------------- fish */

static void fish_begin(const char *program) {
    printf("# Completion of %s for fish, written by `psg completion fish`.\n"
           "complete -c %s -f\n"
           "complete -c %s -n __fish_use_subcommand -l help -l version\n",
           program, program, program);
}

static void fish_put(const char *text) {
    put(text, "\\", "\\", "\\'");
}

static void fish_head(const char *program, const char *command, const char *summary) {
    printf("complete -c %s -n __fish_use_subcommand -a %s -d '", program, command);
    fish_put(summary);
    printf("'\n");
}

static void fish_value(const app_completion_value *value) {
    printf(value->files ? " -F" : " -f");
    if (value->folders) {
        printf(" -a '(__fish_complete_directories)'");
    }
    if (value->list && value->words[0] != '\0') {
        printf(" -a '(__fish_complete_list , \"string split \\\" \\\" \\\"%s\\\"\")'",
               value->words);
    } else if (value->words[0] != '\0') {
        printf(" -a '%s'", value->words);
    }
}

static void fish_operand(const char *program, const char *command,
                         const app_completion_value *operand) {
    printf("complete -c %s -n '__fish_seen_subcommand_from %s'", program, command);
    fish_value(operand);
    printf("\n");
}

static void fish_option(const char *program, const char *command,
                        const app_completion_value *option) {
    printf("complete -c %s -n '__fish_seen_subcommand_from %s' -l %s", program, command,
           option->name);
    if (option->argument != NULL) {
        printf(" -r");
        fish_value(option);
    }
    printf(" -d '");
    fish_put(option->summary);
    printf("'\n");
}

static void fish_tail(const char *names) {
    (void)names;
}

static void fish_end(const char *program, const char *commands) {
    (void)program;
    (void)commands;
}

const app_completion_shell app_completion_shells[] = {
    {"bash", bash_begin, bash_head, bash_operand, bash_option, bash_tail, bash_end},
    {"zsh", zsh_begin, zsh_head, zsh_operand, zsh_option, zsh_tail, zsh_end},
    {"fish", fish_begin, fish_head, fish_operand, fish_option, fish_tail, fish_end},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL}};
