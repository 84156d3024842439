/*
 * command.c - command lines, read as the tables of command.h say.
 *
 * getopt_long keeps its place in globals of the C library and prints messages of its own; both are dealt with here, so
 * that commands see neither. A long option may be shortened as far as it stays unique.
 */
#define _GNU_SOURCE 1
#include "cli/command.h"

#include <assert.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/generate.h"
#include "cli/output.h"
#include "cli/screen.h"
#include "cli/version.h"
#include "lib/plugin/plugin.h"

#define OPTION_FIRST 256   /* getopt's value of option 0: above every letter */
#define OPTION_VERSION 255 /* no letter either */
#define WORDS_MAX 64u
#define FEW_WORDS 4u  /* a message names so many at once */
#define SOME_WORDS 9u /* and so many where none of them is near */

static const struct cli_program *tables; /* of this program, for help; null in tests */

const struct cli_option cli_help_option = {.name = "help", .letter = 'h', .help = "print this text"};
const struct cli_option cli_version_option = {.name = "version", .help = "print the version"};

uint32_t cli_option_count(const struct cli_command *command)
{
    uint32_t count = 0;
    while (command->options != NULL && command->options[count].name != NULL)
        count++;
    assert(count <= CLI_OPTIONS_MAX);
    return count;
}

const char *cli_last_word(const char *name)
{
    const char *blank = strrchr(name, ' ');
    return blank != NULL ? blank + 1 : name;
}

bool cli_is_child(const struct cli_command *parent, const struct cli_command *child)
{
    size_t length = strlen(parent->name);
    const char *word = length == 0 ? child->name : child->name + length + 1;
    bool below = length == 0 || (strncmp(child->name, parent->name, length) == 0 && child->name[length] == ' ');
    return below && strchr(word, ' ') == NULL;
}

bool cli_offer_word(const struct cli_offer *offer, uint32_t i, char word[64])
{
    const char *found = NULL;
    size_t length = 64;
    if (offer->kind != CLI_OFFER_WORDS)
        return false;
    if (offer->meaning != NULL) {
        found = offer->meaning[i].name;
    } else if (offer->name != NULL) {
        found = offer->name(i);
    } else {
        for (found = offer->words; i > 0 && *found != '\0'; i--) {
            found += strcspn(found, " ");
            found += strspn(found, " ");
        }
        length = strcspn(found, " ");
    }
    if (found == NULL || *found == '\0')
        return false;
    snprintf(word, 64, "%.*s", (int)length, found);
    return true;
}

/* The place of a message and what follows the program in a command: "slot run: " and " slot run", both empty at the
 * top. */
struct place {
    char before[64], after[64];
};

static struct place place_of(const struct cli_command *command)
{
    struct place place = {"", ""};
    if (command->name[0] != '\0') {
        snprintf(place.before, sizeof place.before, "%s: ", command->name);
        snprintf(place.after, sizeof place.after, " %s", command->name);
    }
    return place;
}

/* An option that getopt reports by its value. */
static const char *option_name(const struct cli_command *command, int value)
{
    if (value >= OPTION_FIRST)
        return command->options[value - OPTION_FIRST].name;
    if (value == OPTION_VERSION)
        return cli_version_option.name;
    for (uint32_t i = 0; i < cli_option_count(command); i++)
        if (command->options[i].letter == value)
            return command->options[i].name;
    return cli_help_option.name;
}

/* What getopt reads: its table and the string of letters, with ':' first so that it prints nothing. */
struct getopt_table {
    struct option list[CLI_OPTIONS_MAX + 3];
    char letters[2 * CLI_OPTIONS_MAX + 4];
};

/* The option that begins as typed, or else the nearest one. */
static const char *nearest_option(const struct getopt_table *table, const char *typed)
{
    const char *names[CLI_OPTIONS_MAX + 3];
    size_t count = 0;
    for (; table->list[count].name != NULL; count++) {
        names[count] = table->list[count].name;
        if (strncmp(names[count], typed, strlen(typed)) == 0)
            return names[count];
    }
    return weir_nearest_name(typed, names, count);
}

/* getopt_long takes any beginning of a name for the name. We do not: a script that says --policy today must not mean
 * --policy-file as soon as there is one. */
static bool is_whole(const struct getopt_table *table, const char *typed)
{
    if (strncmp(typed, "--", 2) != 0)
        return true;
    size_t length = strcspn(typed + 2, "=");
    for (const struct option *option = table->list; option->name != NULL; option++)
        if (strlen(option->name) == length && memcmp(option->name, typed + 2, length) == 0)
            return true;
    return false;
}

static int report_unknown(const struct cli_command *command, const struct getopt_table *table, const char *typed)
{
    struct place place = place_of(command);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    for (const struct cli_instead *one = command->instead; one != NULL && one->name != NULL; one++)
        if (strcmp(one->name, name) == 0)
            return cli_error(CLI_USAGE, "%sunknown option --%s (expected %s)", place.before, name, one->use);
    const char *nearest = nearest_option(table, name);
    if (nearest != NULL)
        return cli_error(CLI_USAGE, "%sunknown option --%s (did you mean --%s?)", place.before, name, nearest);
    return cli_error(CLI_USAGE, "%sunknown option --%s (see '%s%s --help')", place.before, name, cli_program_name(),
                     place.after);
}

/* What getopt's '?' meant: a short option, a long one with a value it does not take, or an unknown long one. */
static int report_option(const struct cli_command *command, const struct getopt_table *table, const char *typed)
{
    struct place place = place_of(command);
    if (optopt != 0 && (optopt >= OPTION_VERSION || typed[1] == '-'))
        return cli_error(CLI_USAGE, "%s--%s: unexpected value (expected none)", place.before,
                         option_name(command, optopt));
    for (const struct cli_instead *one = command->instead; one != NULL && one->name != NULL; one++)
        if (optopt != 0 && one->name[0] == optopt && one->name[1] == '\0')
            return cli_error(CLI_USAGE, "%sunknown option -%c (expected %s)", place.before, optopt, one->use);
    if (optopt != 0)
        return cli_error(CLI_USAGE, "%sunknown option -%c (see '%s%s --help')", place.before, optopt,
                         cli_program_name(), place.after);
    return report_unknown(command, table, typed);
}

/* Suggestions for an unknown word: all of a few, the nearest of many. */
static void hint_word(const struct cli_command *command, const struct cli_offer *offer, const char *typed,
                      char hint[256])
{
    char words[WORDS_MAX][64];
    const char *names[WORDS_MAX];
    uint32_t count = 0;
    for (; count < WORDS_MAX && cli_offer_word(offer, count, words[count]); count++)
        names[count] = words[count];
    const char *nearest = count > FEW_WORDS && typed[0] != '\0' ? weir_nearest_name(typed, names, count) : NULL;
    if (nearest != NULL)
        snprintf(hint, 256, "did you mean '%s'?", nearest);
    else if (count > SOME_WORDS)
        snprintf(hint, 256, "see '%s%s --help'", cli_program_name(), place_of(command).after);
    else
        snprintf(hint, 256, "expected ");
    for (uint32_t i = 0; i < count && count <= SOME_WORDS && nearest == NULL; i++)
        snprintf(hint + strlen(hint), 256 - strlen(hint), "%s%s",
                 i == 0          ? ""
                 : i + 1 < count ? ", "
                                 : " or ",
                 names[i]);
}

static int store(const struct cli_line *line, const struct cli_option *option, const char *text, void *target)
{
    char label[64];
    void *field = (char *)target + option->offset;
    snprintf(label, sizeof label, "--%s", option->name);
    switch (option->store) {
    case CLI_STORE_FLAG:
    case CLI_STORE_OFF:
        *(bool *)field = option->store == CLI_STORE_FLAG;
        return CLI_OK;
    case CLI_STORE_TEXT:
        *(const char **)field = text;
        return CLI_OK;
    case CLI_STORE_NUMBER:
        return cli_parse_number(label, text, option->min, option->max, field);
    case CLI_STORE_VALUE: {
        struct weir_param param = *option->param;
        param.name = label;
        return cli_parse_value(&param, text, field);
    }
    case CLI_STORE_WORD: {
        uint32_t *index = field;
        char word[64], hint[256];
        for (uint32_t i = 0; cli_offer_word(&option->offer, i, word); i++) {
            if (strcmp(word, text) == 0) {
                *index = i;
                return CLI_OK;
            }
        }
        hint_word(line->command, &option->offer, text, hint);
        return cli_error(CLI_USAGE, "--%s: '%s' is unknown (%s)", option->name, text, hint);
    }
    case CLI_STORE_LIST: {
        const char **items = (const char **)(void *)((char *)target + option->offset);
        uint32_t *count = (uint32_t *)(void *)((char *)target + option->count_offset);
        if (*count == option->max)
            return cli_error(CLI_USAGE, "%s--%s: too many (expected at most %u)", place_of(line->command).before,
                             option->name, (unsigned)option->max);
        items[(*count)++] = text;
        return CLI_OK;
    }
    case CLI_STORE_READ:
        break;
    }
    return option->read(field, option, text);
}

static int take_option(struct cli_line *line, uint32_t index, const char *text, void *target)
{
    const struct cli_option *option = &line->command->options[index];
    uint64_t bit = UINT64_C(1) << index;
    bool once = option->value != NULL && option->store != CLI_STORE_LIST && !option->repeats;
    if (once && line->given & bit)
        return cli_error(CLI_USAGE, "%s--%s: given twice (expected once)", place_of(line->command).before,
                         option->name);
    line->given |= bit;
    return store(line, option, text, target);
}

bool cli_given(const struct cli_line *line, const char *option)
{
    const struct cli_option *options = line->command->options;
    for (uint32_t i = 0; options != NULL && options[i].name != NULL; i++)
        if (strcmp(options[i].name, option) == 0)
            return (line->given & UINT64_C(1) << i) != 0;
    assert(!"the table has the option");
    return false;
}

static int check_word(const struct cli_line *line, const struct cli_operand *operand, const char *typed)
{
    char word[64], hint[256];
    for (uint32_t i = 0; cli_offer_word(&operand->offer, i, word); i++)
        if (strcmp(word, typed) == 0)
            return CLI_OK;
    hint_word(line->command, &operand->offer, typed, hint);
    return cli_error(CLI_USAGE, "%sunknown %s '%s' (%s)", place_of(line->command).before, operand->what, typed, hint);
}

static int check_operands(const struct cli_line *line)
{
    static const struct cli_operand none = {.name = NULL};
    struct place place = place_of(line->command);
    const struct cli_operand *operand = line->command->operands != NULL ? line->command->operands : &none;
    uint32_t i = 0;
    for (; operand->name != NULL; operand++) {
        if (operand->what != NULL && i >= line->count)
            return cli_error(CLI_USAGE, "%sno %s (expected %s; see '%s%s --help')", place.before, operand->what,
                             operand->expected, cli_program_name(), place.after);
        if (operand->what != NULL && operand->offer.kind == CLI_OFFER_WORDS) {
            int code = check_word(line, operand, line->operands[i]);
            if (code != CLI_OK)
                return code;
        }
        i = operand->repeats ? line->count : i + 1;
    }
    if (i >= line->count)
        return CLI_OK;
    return cli_error(CLI_USAGE, "%sunexpected operand '%s' (see '%s%s --help')", place.before, line->operands[i],
                     cli_program_name(), place.after);
}

static int check_line(const struct cli_line *line)
{
    int code;
    /* True when one was given, with *code what became of it. */
    for (uint32_t i = 0; i < cli_option_count(line->command); i++) {
        uint64_t bit = UINT64_C(1) << i;
        if (!line->command->options[i].alone || !(line->given & bit))
            continue;
        code = CLI_OK;
        if (line->given != bit || line->count > 0)
            code = cli_error(CLI_USAGE, "%s--%s stands alone (expected no other arguments)",
                             place_of(line->command).before, line->command->options[i].name);
        return code;
    }
    code = check_operands(line);
    if (code != CLI_OK)
        return code;
    /* Options that do not go together, or are missing. */
    struct place place = place_of(line->command);
    for (uint32_t i = 0; i < cli_option_count(line->command); i++) {
        const struct cli_option *option = &line->command->options[i];
        bool given = (line->given & UINT64_C(1) << i) != 0;
        if (!given && option->needed != NULL)
            return cli_error(CLI_USAGE, "%s--%s is missing (expected %s)", place.before, option->name, option->needed);
        if (given && option->with != NULL && !cli_given(line, option->with))
            return cli_error(CLI_USAGE, "%s--%s goes with --%s", place.before, option->name, option->with);
        if (given && option->not_with != NULL && cli_given(line, option->not_with))
            return cli_error(CLI_USAGE, "%s--%s and --%s do not go together (expected one of them)", place.before,
                             option->name, option->not_with);
    }
    return CLI_OK;
}

static uint32_t option_index(const struct cli_command *command, int value)
{
    uint32_t i = 0;
    if (value >= OPTION_FIRST)
        return (uint32_t)(value - OPTION_FIRST);
    while (command->options[i].letter != value)
        i++;
    return i;
}

/* The options; false when there is nothing more to do. */
static bool read_options(struct cli_line *line, int argc, char **argv, void *target)
{
    struct getopt_table table;
    uint32_t count = cli_option_count(line->command);
    char *letter = table.letters;
    *letter++ = ':';
    *letter++ = 'h';
    for (uint32_t i = 0; i < count; i++) {
        const struct cli_option *option = &line->command->options[i];
        int takes = option->value == NULL ? no_argument : option->optional ? optional_argument : required_argument;
        table.list[i] = (struct option){option->name, takes, NULL, OPTION_FIRST + (int)i};
        if (option->letter != 0)
            *letter++ = option->letter;
        if (option->letter != 0 && option->value != NULL)
            *letter++ = ':';
    }
    *letter = '\0';
    table.list[count++] = (struct option){"help", no_argument, NULL, 'h'};
    if (line->command->name[0] == '\0')
        table.list[count++] = (struct option){"version", no_argument, NULL, OPTION_VERSION};
    table.list[count] = (struct option){NULL, 0, NULL, 0};
    optind = 0; /* 0, not 1: glibc then also forgets a half-read cluster of short options */
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, table.letters, table.list, NULL)) != -1;) {
        const char *typed = argv[optind - 1] == optarg && optarg != NULL ? argv[optind - 2] : argv[optind - 1];
        if ((option >= OPTION_VERSION || option == 'h') && !is_whole(&table, typed)) {
            line->code = report_unknown(line->command, &table, typed);
            return false;
        }
        if (option == 'h') {
            cli_put_help(stdout, cli_program_name(), line->command, tables != NULL ? tables->commands : NULL);
            return false;
        }
        if (option == OPTION_VERSION) {
            printf("%s %s\n", cli_program_name(), version_text());
            return false;
        }
        if (option == ':')
            line->code = cli_error(CLI_USAGE, "%s--%s: missing value (expected one)", place_of(line->command).before,
                                   option_name(line->command, optopt));
        else if (option == '?')
            line->code = report_option(line->command, &table, typed);
        else {
            uint32_t index = option_index(line->command, option);
            /* A value that may be left out is what stands behind '=', or the next word when that is of its form. */
            bool behind = line->command->options[index].optional && optarg == NULL && optind < argc &&
                          argv[optind][0] != '-' && strchr(argv[optind], '=') != NULL;
            char *text = behind ? argv[optind++] : optarg;
            line->code = take_option(line, index, text, target);
        }
        if (line->code != CLI_OK)
            return false;
    }
    return true;
}

bool cli_read(struct cli_line *line, const struct cli_command *command, int argc, char **argv, void *target)
{
    *line = (struct cli_line){.command = command, .code = CLI_OK};
    if (!read_options(line, argc, argv, target))
        return false;
    line->operands = argv + optind;
    line->count = (uint32_t)(argc - optind);
    line->code = check_line(line);
    return line->code == CLI_OK;
}

static int run_command(const struct cli_command *command, int argc, char **argv);

/* The command of the group that argv[0] names. "help slot run" is "slot run --help". */
static int run_child(const struct cli_command *group, int argc, char **argv)
{
    static char help[] = "--help";
    if (argc >= 2 && strcmp(argv[0], "help") == 0) {
        memmove(argv, argv + 1, (size_t)(argc - 1) * sizeof *argv);
        argv[argc - 1] = help;
    }
    for (const struct cli_command *const *c = tables->commands; *c != NULL; c++)
        if (cli_is_child(group, *c) && strcmp(cli_last_word((*c)->name), argv[0]) == 0)
            return run_command(*c, argc, argv);
    const char *names[WORDS_MAX];
    size_t count = 0;
    for (const struct cli_command *const *c = tables->commands; *c != NULL && count < WORDS_MAX; c++)
        if (cli_is_child(group, *c))
            names[count++] = cli_last_word((*c)->name);
    const char *nearest = weir_nearest_name(argv[0], names, count);
    struct place place = place_of(group);
    if (nearest != NULL)
        return cli_error(CLI_USAGE, "%sunknown command '%s' (did you mean '%s'?)", place.before, argv[0], nearest);
    return cli_error(CLI_USAGE, "%sunknown command '%s' (see '%s%s --help')", place.before, argv[0], cli_program_name(),
                     place.after);
}

static int run_command(const struct cli_command *command, int argc, char **argv)
{
    struct cli_line line;
    if (command->run != NULL) {
        if (command->before != NULL)
            command->before();
        confine_calls(command->rights);
        return command->run(argc, argv);
    }
    if (argc < 2 || (argc == 2 && strcmp(argv[1], "help") == 0)) {
        cli_put_help(stdout, cli_program_name(), command, tables->commands);
        return CLI_OK;
    }
    if (argv[1][0] != '-')
        return run_child(command, argc - 1, argv + 1);
    line = (struct cli_line){.command = command, .code = CLI_OK};
    if (!read_options(&line, 2, argv, NULL)) /* only the first: the rest is a command's */
        return line.code;
    return cli_error(CLI_USAGE, "%sunexpected '%s' (expected a command)", place_of(command).before, argv[1]);
}

int cli_main(const char *name, const struct cli_program *program, int argc, char **argv)
{
    tables = program;
    cli_set_program(name);
    signal(SIGXFSZ, SIG_IGN); /* a file that outgrows its limit is an error of writing, with a message */
    if (!screen_install())
        return cli_error_memory();
    if (argc > 3 && strcmp(argv[1], "--write") == 0 && strcmp(argv[2], "man") == 0)
        return output_finish(cli_put_man(stdout, name, tables, argv[3], argv[4]) ? CLI_OK : CLI_INPUT);
    if (argc > 1 && strcmp(argv[1], "--complete") == 0)
        return output_finish(cli_complete(name, tables, argc - 2, argv + 2));
    return output_finish(run_command(program->self, argc, argv));
}

int cli_read_policy_file(void *target, const struct cli_option *option, const char *text)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)target, (void)option;
    return plugin_load(text, &error) ? CLI_OK : cli_report(&error);
}
