/*
 * completion.c - what may stand at the end of a command line. The shell asks the program:
 *
 *     PROGRAM --complete WORD...       the last word is what has been typed of it, and may be empty
 *
 * and gets a line for each answer: "WORD<tab>what it means", ":files .yaml .yml" or ":folders", which the shell finds
 * itself. The scripts that ask are completion.bash and completion.zsh; words come from the tables of command.h. Names
 * that only a command knows (policies, figures, the runs of a scenario) are taken from what it prints.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/generate.h"

#define ARGUMENTS_MAX 8u
#define PATH_DEPTH 32u

struct completion {
    const char *name; /* of the program */
    const struct cli_program *program;
    char **words;
    uint32_t count;
    const char *current; /* what has been typed of the last word */
    const char *before;  /* of that word: "--format=", "dt:alpha=1:"; answers are whole words */
    size_t before_length;
};

/* A word, if it begins with what has been typed, with the first sentence of what it means; `end` belongs to the word.
 */
static void answer(const struct completion *completion, const char *word, size_t length, const char *end,
                   const char *meaning)
{
    size_t typed = strlen(completion->current), stop = 0;
    if (typed > length || strncmp(word, completion->current, typed) != 0)
        return;
    while (meaning[stop] != '\0' && strchr(";\n", meaning[stop]) == NULL && strncmp(meaning + stop, ". ", 2) != 0)
        stop++;
    printf("%.*s%.*s%s\t%.*s\n", (int)completion->before_length, completion->before, (int)length, word, end, (int)stop,
           meaning);
}

static void answer_word(const struct completion *completion, const char *word, const char *meaning)
{
    answer(completion, word, strlen(word), "", meaning);
}

/* What a command of the program prints; null: out of memory or processes. */
static FILE *ask(const struct completion *completion, const char *arguments, const char *operand, pid_t *child)
{
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    fflush(stdout);
    *child = fork();
    if (*child == 0) {
        close(ends[0]);
        /* Becomes the command whose output is asked for; it is never left. */
        int out = ends[1];
        char *argv[ARGUMENTS_MAX + 1], *text = strdup(arguments), *rest = NULL;
        int argc = 0, nowhere = open("/dev/null", O_WRONLY);
        argv[argc++] = strdup(completion->name);
        for (char *word = strtok_r(text, " ", &rest); word != NULL && argc + 1 < (int)ARGUMENTS_MAX;
             word = strtok_r(NULL, " ", &rest))
            argv[argc++] = word;
        if (operand != NULL)
            argv[argc++] = strdup(operand);
        argv[argc] = NULL;
        if (dup2(nowhere, STDERR_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
            _exit(CLI_INTERNAL);
        _exit(cli_main(completion->name, completion->program, argc, argv));
    }
    close(ends[1]);
    FILE *in = *child > 0 ? fdopen(ends[0], "r") : NULL;
    if (in == NULL)
        close(ends[0]);
    return in;
}

static void end_asking(FILE *in, pid_t child)
{
    if (in != NULL)
        fclose(in);
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* The first column of a table that a command prints, between the line that begins with `heading` and an empty one. */
static void answer_column(const struct completion *completion, const char *arguments, const char *operand,
                          const char *heading, const char *end)
{
    pid_t child = 0;
    FILE *in = ask(completion, arguments, operand, &child);
    char *line = NULL;
    size_t size = 0;
    bool inside = false;
    while (in != NULL && getline(&line, &size, in) >= 0) {
        size_t length = strcspn(line, " \n");
        if (!inside)
            inside = strncmp(line, heading, strlen(heading)) == 0;
        else if (length == 0)
            break;
        else
            answer(completion, line, length, end, "");
    }
    free(line);
    end_asking(in, child);
}

/* The scenario on the line; null: none. */
static const char *scenario_of(const struct completion *completion)
{
    for (uint32_t i = 0; i + 1 < completion->count; i++) {
        const char *end = strrchr(completion->words[i], '.');
        if (end != NULL && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0) &&
            access(completion->words[i], R_OK) == 0)
            return completion->words[i];
    }
    return NULL;
}

/* The paths of a printed configuration, "traffic.0.bytes": two blanks are a level, "- " begins the next item. */
struct path {
    char names[PATH_DEPTH][64];
    uint32_t items[PATH_DEPTH]; /* of the list at this depth, so far */
};

static void answer_path(const struct completion *completion, struct path *path, const char *line)
{
    size_t blanks = strspn(line, " "), depth = blanks / 2;
    char text[PATH_DEPTH * 65] = "";
    line += blanks;
    for (; strncmp(line, "- ", 2) == 0 && depth + 1 < PATH_DEPTH; line += 2) {
        snprintf(path->names[depth], sizeof path->names[depth], "%u", path->items[depth]++);
        path->items[++depth] = 0;
    }
    size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (length == 0 || line[length] != ':' || depth + 1 >= PATH_DEPTH)
        return;
    snprintf(path->names[depth], sizeof path->names[depth], "%.*s", (int)length, line);
    path->items[depth + 1] = 0;
    for (size_t i = 0, used = 0; i <= depth; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? "." : "", path->names[i]);
    answer(completion, text, strlen(text), "=", "");
}

static void answer_paths(const struct completion *completion)
{
    const char *scenario = strchr(completion->current, '=') == NULL ? scenario_of(completion) : NULL;
    struct path path = {.items = {0}};
    pid_t child = 0;
    FILE *in = scenario != NULL ? ask(completion, "run --print-config", scenario, &child) : NULL;
    char *line = NULL;
    size_t size = 0;
    while (in != NULL && getline(&line, &size, in) >= 0)
        answer_path(completion, &path, line);
    free(line);
    end_asking(in, child);
}

/* NAME, or the next parameter of NAME:parameter=value:parameter. */
static void answer_policies(struct completion completion)
{
    const char *colon = strrchr(completion.current, ':');
    char policy[64];
    if (colon == NULL) {
        answer_column(&completion, "policies", NULL, "", "");
        return;
    }
    snprintf(policy, sizeof policy, "%.*s", (int)strcspn(completion.current, ":"), completion.current);
    completion.before_length += (size_t)(colon + 1 - completion.current);
    completion.current = colon + 1;
    answer_column(&completion, "policies", policy, "parameter ", "=");
}

static void answer_offer(const struct completion *completion, const struct cli_offer *offer)
{
    char word[64];
    switch (offer->kind) {
    case CLI_OFFER_NOTHING:
        break;
    case CLI_OFFER_FILES:
        puts(":files");
        break;
    case CLI_OFFER_FOLDERS:
        puts(":folders");
        break;
    case CLI_OFFER_SCENARIOS:
        puts(":files .yaml .yml");
        break;
    case CLI_OFFER_RESULTS:
        puts(":files .db");
        break;
    case CLI_OFFER_WORDS:
        for (uint32_t i = 0; cli_offer_word(offer, i, word); i++)
            answer_word(completion, word, offer->meaning != NULL ? offer->meaning[i].help : "");
        break;
    case CLI_OFFER_LIST:
        answer_column(completion, offer->list, NULL, "", "");
        break;
    case CLI_OFFER_PATHS:
        answer_paths(completion);
        break;
    case CLI_OFFER_RUNS:
        if (scenario_of(completion) != NULL)
            answer_column(completion, "run --list", scenario_of(completion), "", "");
        break;
    case CLI_OFFER_POLICIES:
        answer_policies(*completion);
        break;
    }
}

static void answer_children(const struct completion *completion, const struct cli_command *group)
{
    for (const struct cli_command *const *c = completion->program->commands; c != NULL && *c != NULL; c++)
        if (cli_is_child(group, *c))
            answer_word(completion, cli_last_word((*c)->name), (*c)->summary);
}

static int compare_options(const void *a, const void *b)
{
    return strcmp((*(const struct cli_option *const *)a)->name, (*(const struct cli_option *const *)b)->name);
}

static void answer_options(const struct completion *completion, const struct cli_command *command)
{
    const struct cli_option *options[CLI_OPTIONS_MAX + 2];
    uint32_t count = cli_option_count(command);
    for (uint32_t i = 0; i < count; i++)
        options[i] = &command->options[i];
    options[count++] = &cli_help_option;
    if (command->name[0] == '\0')
        options[count++] = &cli_version_option;
    qsort(options, count, sizeof options[0], compare_options);
    for (uint32_t i = 0; i < count; i++) {
        char word[80];
        snprintf(word, sizeof word, "--%s", options[i]->name);
        answer_word(completion, word, options[i]->help);
    }
}

/* The option that has a value and that this word is: "-o", or the first `length` bytes "--output". */
static const struct cli_option *option_of(const struct cli_command *command, const char *word, size_t length)
{
    for (uint32_t i = 0; i < cli_option_count(command); i++) {
        const struct cli_option *option = &command->options[i];
        bool by_letter = length == 2 && option->letter != 0 && word[0] == '-' && word[1] == option->letter;
        bool by_name = length > 2 && strncmp(word, "--", 2) == 0 && strlen(option->name) == length - 2 &&
                       strncmp(option->name, word + 2, length - 2) == 0;
        if (option->value != NULL && (by_letter || by_name))
            return option;
    }
    return NULL;
}

/* Whether the option takes the word behind it, whatever that is. */
static bool takes_next(const struct cli_option *option)
{
    return option != NULL && !option->optional;
}

static void answer_line(struct completion *completion, const struct cli_command *command, uint32_t first)
{
    const char *current = completion->current, *equals = strchr(current, '=');
    const char *previous = completion->count >= first + 2 ? completion->words[completion->count - 2] : "";
    const struct cli_option *option = option_of(command, previous, strlen(previous));
    if (strncmp(current, "--", 2) == 0 && equals != NULL)
        option = option_of(command, current, (size_t)(equals - current));
    else
        equals = NULL;
    if (equals != NULL) {
        completion->before_length = (size_t)(equals + 1 - current);
        completion->current = equals + 1;
    }
    if (option != NULL && (equals != NULL || takes_next(option) || option->offer.kind == CLI_OFFER_WORDS))
        answer_offer(completion, &option->offer);
    else if (equals == NULL && current[0] == '-')
        answer_options(completion, command);
    else if (equals == NULL && command->run == NULL) {
        answer_children(completion, command);
        answer_word(completion, "help", "show the help of a command");
    } else if (equals == NULL) {
        /* Words from `first` on are options and operands of the command; those that are given say which operand is
         * next. */
        const struct cli_operand *operand = command->operands;
        const char *last = "";
        for (uint32_t i = first; i + 1 < completion->count; i++) {
            const char *word = completion->words[i];
            if (word[0] == '-' && word[1] != '\0') {
                i += takes_next(option_of(command, word, strlen(word)));
                continue;
            }
            last = word;
            if (operand != NULL && operand->name != NULL && operand[1].name != NULL)
                operand++;
        }
        if (operand != NULL && operand->name != NULL && (operand->after == NULL || strcmp(last, operand->after) == 0))
            answer_offer(completion, &operand->offer);
    }
}

int cli_complete(const char *name, const struct cli_program *program, int count, char **words)
{
    static char nothing[] = "", *empty[] = {nothing};
    if (count < 1) {
        words = empty;
        count = 1;
    }
    struct completion completion = {.name = name,
                                    .program = program,
                                    .words = words,
                                    .count = (uint32_t)count,
                                    .current = words[count - 1],
                                    .before = words[count - 1]};
    const struct cli_command *command = program->self;
    bool help = count > 1 && program->commands != NULL && strcmp(words[0], "help") == 0;
    uint32_t first = help;
    for (const struct cli_command *const *c = program->commands; c != NULL && *c != NULL; c++)
        if (first + 1 < completion.count && cli_is_child(command, *c) &&
            strcmp(cli_last_word((*c)->name), words[first]) == 0) {
            command = *c; /* its own commands come behind it */
            first++;
        }
    if (help)
        answer_children(&completion, command);
    else
        answer_line(&completion, command, first);
    return CLI_OK;
}
