/* psg completion: a script by which a shell completes command lines of psg. The script asks
 * `psg __complete WORDS...` what may stand in place of the last word. That asks each command's
 * --help for its options, so that the tables of the options are all that there is to know. */
#include "app/app.h"
#include "app/arguments.h"
#include "app/commands.h"
#include "app/processes.h"
#include "graph/psg_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const app_option_row rows[] = {{.name = NULL}};

static const app_command_text completion_text = {
    .name = "completion",
    .rows = rows,
    .intro = "Usage: psg completion bash|zsh|fish\n"
             "\n"
             "Print a script by which the shell completes commands, options and their values. The\n"
             "scripts are installed with psg, where the shells look for them.\n",
    .end = "Examples:\n"
           "  source <(psg completion bash)\n"
           "         in this bash, or in each by this line in ~/.bashrc\n"
           "  source <(psg completion zsh)\n"
           "         in this zsh, or in each by this line in ~/.zshrc, after compinit\n"
           "  psg completion fish > ~/.config/fish/completions/psg.fish\n"
           "         in each fish\n",
    .operand = "bash|zsh|fish"};

/* A line that begins with a colon is an order to the shell: complete files, or folders, or put no
 * blank after the word. Other lines are words, with a tab and what they mean. */
static const char *const scripts[][2] = {
    {"bash",
     "_psg_completion() {\n"
     "    local current=${COMP_WORDS[COMP_CWORD]#=} line\n"
     "    COMPREPLY=()\n"
     "    while IFS= read -r line; do\n"
     "        case $line in\n"
     "        :nospace) compopt -o nospace 2>/dev/null ;;\n"
     "        :*) compopt -o filenames 2>/dev/null\n"
     "            while IFS= read -r line; do COMPREPLY+=(\"$line\"); done \\\n"
     "                < <(compgen -A \"${line#:}\" -- \"$current\") ;;\n"
     "        *) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
     "        esac\n"
     "    done < <(" PSG_COMMAND " __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
     "}\n"
     "complete -F _psg_completion " PSG_COMMAND "\n"},
    {"zsh", "#compdef " PSG_COMMAND "\n"
            "_psg_completion() {\n"
            "    local line; local -a found blank\n"
            "    for line in \"${(@f)$(" PSG_COMMAND
            " __complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\"; do\n"
            "        case $line in\n"
            "        (:nospace) blank=(-S '') ;;\n"
            "        (:file) compset -P '--*='; _files ;;\n"
            "        (:directory) compset -P '--*='; _files -/ ;;\n"
            "        (?*) found+=(\"${${line//:/\\\\:}/$'\\t'/:}\") ;;\n"
            "        esac\n"
            "    done\n"
            "    (( $#found )) && _describe " PSG_COMMAND " found $blank\n"
            "}\n"
            "# a file of $fpath, or a script that is sourced\n"
            "if [[ $funcstack[1] == _" PSG_COMMAND " ]]; then _psg_completion \"$@\"\n"
            "else compdef _psg_completion " PSG_COMMAND "; fi\n"},
    {"fish", "function __psg_completion\n"
             "    set -l current (commandline -ct)\n"
             "    for line in (" PSG_COMMAND
             " __complete (commandline -opc)[2..] \"$current\" 2>/dev/null)\n"
             "        switch $line\n"
             "            case :file\n"
             "                __fish_complete_path $current\n"
             "            case :directory\n"
             "                __fish_complete_directories $current\n"
             "            case ':*'\n"
             "            case '*'\n"
             "                echo $line\n"
             "        end\n"
             "    end\n"
             "end\n"
             "complete -c " PSG_COMMAND " -f -a '(__psg_completion)'\n"}};

/* -------------------------------------------------------------------- what the last word may be */

typedef struct question {
    const char *word;   /* the last */
    const char *value;  /* what of it is completed: not "--graph=", nor the list before a comma */
    const char *option; /* whose value it is, without "--"; NULL */
    size_t length;      /* of the option's name */
} question;

/* @param[in] help  what the word means: its first clause is printed; "" */
static void offer(const question *q, const char *word, size_t length, const char *help) {
    if (strlen(q->value) <= length && strncmp(word, q->value, strlen(q->value)) == 0) {
        printf("%.*s%.*s\t%.*s\n", (int)(q->value - q->word), q->word, (int)length, word,
               (int)strcspn(help, ";\n"), help);
    }
}

static void offer_machines(const question *q) {
    size_t count = 0;
    psg_recorded *list = NULL;
    if (psg_recorded_list(NULL, 0, &count) == PSG_OK && count > 0) {
        list = calloc(count, sizeof *list);
    }
    if (list != NULL && psg_recorded_list(list, count, &count) == PSG_OK) {
        for (size_t m = 0; m < count; m++) {
            offer(q, list[m].name, strlen(list[m].name), "");
        }
    }
    free(list);
}

static bool is(const char *text, size_t length, const char *kind) {
    return strlen(kind) == length && strncmp(text, kind, length) == 0;
}

/* One of the alternatives of "fused|staged|auto" or "FILE[:DATASET]": a word that is a value, or
 * one in capitals for values of a kind. */
static void offer_alternative(const question *q, const char *text, size_t length) {
    if (strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789") >= length) {
        offer(q, text, length, "");
    } else if (is(text, length, "POLICY")) {
        for (size_t p = 0; psg_policy_name(p) != NULL; p++) {
            offer(q, psg_policy_name(p), strlen(psg_policy_name(p)), "");
        }
    } else if (is(text, length, "MACHINE")) {
        offer_machines(q);
    } else if (is(text, length, "FOLDER")) {
        puts(":directory");
    } else if (strncmp(text, "FILE", strlen("FILE")) == 0) {
        puts(":file");
    }
}

static void offer_values(question *q, const char *argument, const app_choice *choices) {
    const char *list = strstr(argument, ",...");
    const char *comma = list != NULL ? strrchr(q->value, ',') : NULL;
    const size_t length = list != NULL ? (size_t)(list - argument) : strlen(argument);
    if (list != NULL) {
        puts(":nospace");
    }
    q->value = comma != NULL ? comma + 1 : q->value;
    for (const app_choice *choice = choices; choice != NULL && choice->name != NULL; choice++) {
        offer(q, choice->name, strlen(choice->name), "");
    }
    for (size_t at = 0; at < length && choices == NULL;) {
        const size_t end = at + strcspn(argument + at, "|");
        offer_alternative(q, argument + at, (end < length ? end : length) - at);
        at = end + 1;
    }
}

static void visit(const app_command_text *command, const app_option_row *row, void *context) {
    question *q = context;
    char name[64];
    for (const app_option_row *r = row; q->option != NULL && r->name != NULL; r++) {
        if (r->argument != NULL && strlen(r->name) == q->length &&
            strncmp(r->name, q->option, q->length) == 0) {
            offer_values(q, r->argument, r->choices);
            return;
        }
    }
    for (; q->word[0] == '-' && row->name != NULL; row++) {
        offer(q, name, (size_t)snprintf(name, sizeof name, "--%s", row->name), row->help);
    }
    if (q->word[0] != '-' && command->operand != NULL) {
        offer_values(q, command->operand, NULL);
    }
}

int app_complete(int argc, char **argv) {
    const char *before = argc > 2 ? argv[argc - 2] : "";
    question q = {.word = argc > 1 ? argv[argc - 1] : ""};
    /* bash makes words of = and : */
    before = strcmp(before, "=") == 0 && argc > 3 ? argv[argc - 3] : before;
    q.word += q.word[0] == '=';
    const char *equals = strncmp(q.word, "--", 2) == 0 ? strchr(q.word, '=') : NULL;
    q.value = equals != NULL ? equals + 1 : q.word;
    if (equals != NULL || strncmp(before, "--", 2) == 0) {
        q.option = equals != NULL ? q.word + 2 : before + 2;
        q.length = strcspn(q.option, "=");
    }
    for (const app_command *c = app_commands; c->name != NULL && argc <= 2; c++) {
        if (c->summary != NULL) {
            offer(&q, c->name, strlen(c->name), c->summary);
        }
    }
    if (argc <= 2 && q.word[0] == '-') {
        offer(&q, "--help", strlen("--help"), "print the help");
        offer(&q, "--version", strlen("--version"), "print the version");
    }
    app_arguments_visit(visit, &q);
    for (const app_command *c = app_commands; c->name != NULL && argc > 2; c++) {
        if (c->summary != NULL && strcmp(argv[1], c->name) == 0 && strcmp(q.word, ":") != 0 &&
            strcmp(before, ":") != 0) {
            char name[32];
            char help[] = "--help";
            char *arguments[] = {name, help, NULL};
            (void)snprintf(name, sizeof name, "%s", c->name);
            (void)c->run(2, arguments);
        }
    }
    app_arguments_visit(NULL, NULL);
    return APP_DONE;
}

int app_completion(int argc, char **argv) {
    const bool named = argc > 1 && argv[1][0] != '-';
    const int code =
        app_ranks_agree(app_arguments_parse(&completion_text, argc - named, argv + named, NULL));
    if (code) {
        return code == APP_HELPED ? APP_DONE : code;
    }
    for (size_t s = 0; named && s < sizeof scripts / sizeof *scripts; s++) {
        if (strcmp(argv[1], scripts[s][0]) == 0) {
            return app_rank() > 0 || fputs(scripts[s][1], stdout) >= 0 ? APP_DONE : APP_FAILED;
        }
    }
    return named ? app_error(APP_USAGE, "completion '%s': expected %s", argv[1],
                             completion_text.operand)
                 : app_error(APP_USAGE, "say for which shell: psg completion %s",
                             completion_text.operand);
}
