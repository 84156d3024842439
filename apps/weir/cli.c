/*
 * cli.c - one voice for all commands: see cli.h.
 *
 * getopt_long keeps its place in globals of the C library and prints messages of its own; both are dealt with here
 * (cli_start_options, a leading ':' in the option string), so that commands see neither.
 */
#define _GNU_SOURCE 1
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

#define CLI_NAMES_MAX 64u

int cli_error(enum cli_exit code, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    fflush(stdout); /* keeps the order of a shared terminal or log */
    fprintf(stderr, "weir: %s\n", line);
    return code;
}

int cli_error_memory(void)
{
    return cli_error(CLI_INTERNAL, "out of memory");
}

void cli_start_options(void)
{
    optind = 0; /* 0, not 1: glibc then also forgets a half-read cluster of short options */
}

static const char *cli_nearest_option(const struct option *options, const char *typed)
{
    const char *names[CLI_NAMES_MAX];
    size_t count = 0;
    for (; options[count].name != NULL && count < CLI_NAMES_MAX; count++)
        names[count] = options[count].name;
    return weir_nearest_name(typed, names, count);
}

static const char *cli_option_name(const struct option *options, int value)
{
    while (options->name != NULL && options->val != value)
        options++;
    return options->name;
}

/* What getopt's '?' meant: a short option, a long one with a value it does not take, or an unknown long one. */
static int cli_report_option(const struct cli_command *command, const char *typed)
{
    const char *space = command->name[0] != '\0' ? " " : "";
    if (optopt >= CLI_OPTION_FIRST || (optopt == 'h' && typed[1] == '-'))
        return cli_error(CLI_USAGE, "unexpected value: weir%s%s: option --%s takes none", space, command->name,
                         cli_option_name(command->options, optopt));
    if (optopt != 0)
        return cli_error(CLI_USAGE, "unknown option -%c: weir%s%s: see 'weir%s%s --help'", optopt, space, command->name,
                         space, command->name);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    const char *nearest = cli_nearest_option(command->options, name);
    if (nearest != NULL)
        return cli_error(CLI_USAGE, "unknown option --%s: weir%s%s: did you mean --%s?", name, space, command->name,
                         nearest);
    return cli_error(CLI_USAGE, "unknown option --%s: weir%s%s: see 'weir%s%s --help'", name, space, command->name,
                     space, command->name);
}

int cli_next_option(const struct cli_command *command, int argc, char **argv, int *code)
{
    opterr = 0;
    int option = getopt_long(argc, argv, ":h", command->options, NULL);
    if (option == 'h') {
        fputs(command->help, stdout);
        *code = CLI_OK;
        return CLI_OPTION_STOP;
    }
    if (option == ':') {
        *code = cli_error(CLI_USAGE, "missing value: weir %s: option --%s needs one", command->name,
                          cli_option_name(command->options, optopt));
        return CLI_OPTION_STOP;
    }
    if (option == '?') {
        *code = cli_report_option(command, argv[optind - 1]);
        return CLI_OPTION_STOP;
    }
    return option;
}

int cli_no_operands(const struct cli_command *command, int argc, char **argv)
{
    if (optind >= argc)
        return CLI_OK;
    return cli_error(CLI_USAGE, "unexpected operand '%s': weir %s: see 'weir %s --help'", argv[optind], command->name,
                     command->name);
}

static int cli_report_command(const char *group, const struct cli_entry *entries, const char *typed)
{
    const char *names[CLI_NAMES_MAX];
    size_t count = 0;
    for (; entries[count].name != NULL && count < CLI_NAMES_MAX; count++)
        names[count] = entries[count].name;
    const char *nearest = weir_nearest_name(typed, names, count);
    const char *space = group != NULL ? " " : "";
    const char *where = group != NULL ? group : "";
    if (nearest != NULL)
        return cli_error(CLI_USAGE, "unknown command '%s': weir%s%s: did you mean '%s'?", typed, space, where, nearest);
    return cli_error(CLI_USAGE, "unknown command '%s': weir%s%s: see 'weir%s%s --help'", typed, space, where, space,
                     where);
}

int cli_dispatch(const char *group, const struct cli_entry *entries, int argc, char **argv)
{
    char *help[] = {argv[0], (char[]){"--help"}, NULL};
    if (argc >= 2 && strcmp(argv[0], "help") == 0) {
        help[0] = argv[1];
        argc = 2;
        argv = help;
    }
    for (const struct cli_entry *entry = entries; entry->name != NULL; entry++)
        if (strcmp(entry->name, argv[0]) == 0)
            return entry->run(argc, argv);
    return cli_report_command(group, entries, argv[0]);
}

int cli_parse_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0')
        return cli_error(CLI_USAGE, "not a number '%s': %s: expected an integer from %" PRIu64 " to %" PRIu64, text,
                         name, min, max);
    if (errno == ERANGE || value < min || value > max)
        return cli_error(CLI_USAGE, "out of range '%s': %s: expected an integer from %" PRIu64 " to %" PRIu64, text,
                         name, min, max);
    *number = value;
    return CLI_OK;
}

int cli_parse_value(const struct weir_param *param, const char *text, int64_t *value)
{
    char message[WEIR_MESSAGE_MAX];
    return weir_value_parse(param, text, value, message) ? CLI_OK : cli_error(CLI_USAGE, "%s", message);
}

const struct weir_policy *cli_find_policy(const char *name)
{
    const struct weir_policy *policy = weir_policy_find(name);
    if (policy != NULL)
        return policy;
    const char *names[CLI_NAMES_MAX];
    uint32_t count = 0;
    for (; count < weir_policy_count && count < CLI_NAMES_MAX; count++)
        names[count] = weir_policies[count]->name;
    const char *nearest = weir_nearest_name(name, names, count);
    if (nearest != NULL)
        cli_error(CLI_INPUT, "unknown policy '%s': did you mean '%s'?", name, nearest);
    else
        cli_error(CLI_INPUT, "unknown policy '%s': 'weir policies' lists them", name);
    return NULL;
}

/* Sets "param=value" in text that may be written to; `given` has a bit for each parameter seen. */
static int cli_set_param(struct cli_policy *policy, char *text, uint32_t *given)
{
    char message[WEIR_MESSAGE_MAX];
    char *equals = strchr(text, '=');
    if (equals == NULL)
        return cli_error(CLI_INPUT, "no value for '%s': policy %s: expected parameter=value", text,
                         policy->policy->name);
    *equals = '\0';
    if (!weir_values_set(&policy->values, policy->policy, text, equals + 1, message))
        return cli_error(CLI_INPUT, "%s", message);
    uint32_t bit = UINT32_C(1) << weir_param_find(policy->policy, text);
    if (*given & bit)
        return cli_error(CLI_INPUT, "parameter given twice '%s': policy %s: expected once", text, policy->policy->name);
    *given |= bit;
    return CLI_OK;
}

int cli_parse_policy(const char *text, struct cli_policy *policy)
{
    char *copy = strdup(text);
    if (copy == NULL)
        return cli_error_memory();
    char *rest = copy;
    policy->policy = cli_find_policy(strsep(&rest, ":"));
    int code = policy->policy != NULL ? CLI_OK : CLI_INPUT;
    if (code == CLI_OK)
        weir_values_init(&policy->values, policy->policy);
    for (uint32_t given = 0; code == CLI_OK && rest != NULL;)
        code = cli_set_param(policy, strsep(&rest, ":"), &given);
    free(copy);
    return code;
}
