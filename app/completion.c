/* psg completion: a script that completes command lines of psg. Each command's --help is asked for its options, so that
 * the tables of the options are all that there is to know. */
#include "app/completion.h"
#include "app/app.h"
#include "app/commands.h"
#include "app/processes.h"
#include "graph/psg_machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const app_option_row rows[] = {{.name = NULL}};

static const app_command_text completion_text = {
    "completion", rows,
    "Usage: psg completion bash|zsh|fish\n"
    "\n"
    "Print a script by which the shell completes commands, options and their values. The\n"
    "scripts are installed with psg, where the shells look for them.\n",
    "Examples:\n"
    "  source <(psg completion bash)\n"
    "         in this bash, or in each by this line in ~/.bashrc\n"
    "  source <(psg completion zsh)\n"
    "         in this zsh, or in each by this line in ~/.zshrc, after compinit\n"
    "  psg completion fish > ~/.config/fish/completions/psg.fish\n"
    "         in each fish\n",
    "bash|zsh|fish"};

/* ----------------------------------------------------------------------- what a value may be */

static void add_word(app_completion_value *value, const char *word, size_t length) {
    const size_t used = strlen(value->words);
    if (used + length + 2 <= sizeof value->words) {
        (void)snprintf(value->words + used, sizeof value->words - used, "%s%.*s", used ? " " : "",
                       (int)length, word);
    }
}

static void add_policies(app_completion_value *value) {
    for (size_t p = 0; psg_policy_name(p) != NULL; p++) {
        add_word(value, psg_policy_name(p), strlen(psg_policy_name(p)));
    }
}

static void add_machines(app_completion_value *value) {
    size_t count = 0;
    psg_recorded *list = NULL;
    if (psg_recorded_list(NULL, 0, &count) == PSG_OK && count > 0) {
        list = calloc(count, sizeof *list);
    }
    if (list != NULL && psg_recorded_list(list, count, &count) == PSG_OK) {
        for (size_t m = 0; m < count; m++) {
            add_word(value, list[m].name, strlen(list[m].name));
        }
    }
    free(list);
}

static void add_files(app_completion_value *value) {
    value->files = true;
}

static void add_folders(app_completion_value *value) {
    value->folders = true;
}

/* One of the alternatives of "fused|staged|auto" or "FILE[:DATASET]": a word that is a value, or one in capitals for
 * values of a kind. */
static void add_alternative(app_completion_value *value, const char *text, size_t length) {
    static const struct {
        const char *text;
        void (*add)(app_completion_value *value);
    } kinds[] = {{"FILE", add_files},         {"FILE[:DATASET]", add_files},
                 {"FILE[:GROUP]", add_files}, {"FOLDER", add_folders},
                 {"POLICY", add_policies},    {"MACHINE", add_machines}};
    size_t word = 0;
    while (word < length &&
           (islower((unsigned char)text[word]) || isdigit((unsigned char)text[word]))) {
        word++;
    }
    if (word == length) {
        add_word(value, text, length);
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strlen(kinds[k].text) == length && strncmp(kinds[k].text, text, length) == 0) {
            kinds[k].add(value);
        }
    }
}

static void describe_value(app_completion_value *value, const char *argument,
                           const app_choice *choices) {
    static const char more[] = ",...";
    value->argument = argument;
    if (argument == NULL) {
        return;
    }
    size_t length = strlen(argument);
    value->list = length >= strlen(more) && strcmp(argument + length - strlen(more), more) == 0;
    length -= value->list ? strlen(more) : 0;
    for (const app_choice *choice = choices; choice != NULL && choice->name != NULL; choice++) {
        add_word(value, choice->name, strlen(choice->name));
    }
    for (size_t at = 0; at < length && choices == NULL;) {
        size_t end = at + strcspn(argument + at, "|");
        end = end < length ? end : length;
        add_alternative(value, argument + at, end - at);
        at = end + 1;
    }
}

/* The first clause of a help text, as far as it fits. */
static void summarize(char *summary, size_t size, const char *help) {
    size_t length = strcspn(help, ";\n");
    const char *stop = strstr(help, ". ");
    if (stop != NULL && (size_t)(stop - help) < length) {
        length = (size_t)(stop - help);
    }
    for (bool whole = length < size; !whole && length > 1;) {
        length--;
        whole = length < size && help[length] == ' ';
    }
    (void)snprintf(summary, size, "%.*s", (int)length, help);
}

/* ------------------------------------------------------------------------------- the script */

typedef struct script {
    const app_completion_shell *shell;
    const char *summary; /* of the command whose rows come */
    app_completion_value completion;
    char names[2048];
} script;

static void visit(const app_command_text *command, const app_option_row *row, void *context) {
    script *s = context;
    app_completion_value *completion = &s->completion;
    size_t length = 0;
    s->shell->head(PSG_COMMAND, command->name, s->summary);
    if (command->operand != NULL) {
        *completion = (app_completion_value){.name = NULL};
        describe_value(completion, command->operand, NULL);
        s->shell->operand(PSG_COMMAND, command->name, completion);
    }
    for (; row->name != NULL; row++) {
        *completion = (app_completion_value){.name = row->name};
        describe_value(completion, row->argument, row->choices);
        summarize(completion->summary, sizeof completion->summary, row->help);
        s->shell->option(PSG_COMMAND, command->name, completion);
        if (length < sizeof s->names) {
            length += (size_t)snprintf(s->names + length, sizeof s->names - length, "%s--%s",
                                       length ? " " : "", row->name);
        }
    }
    s->shell->tail(s->names);
}

static int print_script(const app_completion_shell *shell) {
    char names[512] = "";
    size_t length = 0;
    script *s = app_allocate(1, sizeof *s, "the options");
    if (s == NULL) {
        return APP_FAILED;
    }
    s->shell = shell;
    shell->begin(PSG_COMMAND);
    app_arguments_visit(visit, s);
    for (const app_command *c = app_commands; c->name != NULL; c++) {
        if (c->summary != NULL && length < sizeof names) {
            char *arguments[] = {(char[32]){""}, (char[]){"--help"}, NULL};
            (void)snprintf(arguments[0], 32, "%s", c->name);
            s->summary = c->summary;
            (void)c->run(2, arguments);
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length ? " " : "", c->name);
        }
    }
    app_arguments_visit(NULL, NULL);
    shell->end(PSG_COMMAND, names);
    free(s);
    return APP_DONE;
}

int app_completion(int argc, char **argv) {
    const bool named = argc > 1 && argv[1][0] != '-';
    const int code =
        app_ranks_agree(app_arguments_parse(&completion_text, argc - named, argv + named, NULL));
    if (code) {
        return code == APP_HELPED ? APP_DONE : code;
    }
    for (const app_completion_shell *shell = app_completion_shells; named && shell->name != NULL;
         shell++) {
        if (strcmp(argv[1], shell->name) == 0) {
            return app_rank() == 0 ? print_script(shell) : APP_DONE;
        }
    }
    return named ? app_error(APP_USAGE, "completion '%s': expected %s", argv[1],
                             completion_text.operand)
                 : app_error(APP_USAGE, "say for which shell: psg completion %s",
                             completion_text.operand);
}
