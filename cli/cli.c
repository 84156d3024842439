/*
 * cli.c - one voice for all commands: see cli.h.
 */
#define _GNU_SOURCE 1
#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/screen.h"
#include "lib/plugin/plugin.h"

#define CLI_NAMES_MAX 64u

static const char *program = "weir";
static const char *memory_note;

void cli_set_program(const char *name)
{
    program = name;
}

const char *cli_program_name(void)
{
    return program;
}

const char *cli_paste(char room[CLI_PASTE_MAX], const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+=:,@-";
    bool quoted = word[0] == '\0' || word[strspn(word, plain)] != '\0';
    size_t used = 0;
    if (quoted)
        room[used++] = '\'';
    for (; *word != '\0'; word++) {
        const char *put = quoted && *word == '\'' ? "'\\''" : (char[]){*word, '\0'};
        size_t length = strlen(put);
        if (used + length + 2 > CLI_PASTE_MAX)
            return "...";
        memcpy(room + used, put, length);
        used += length;
    }
    if (quoted)
        room[used++] = '\'';
    room[used] = '\0';
    return room;
}

void cli_print(const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    screen_mask(line);
    puts(line);
}

int cli_error(enum cli_exit code, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    screen_mask(line);
    fflush(stdout); /* keeps the order of a shared terminal or log */
    fprintf(stderr, "%s: %s\n", program, line);
    return code;
}

void cli_set_memory_note(const char *note)
{
    memory_note = note;
}

int cli_error_memory(void)
{
    return cli_error(CLI_INTERNAL, "out of memory%s%s", memory_note != NULL ? ": " : "",
                     memory_note != NULL ? memory_note : "");
}

enum cli_exit cli_exit_of(enum weir_error_code code)
{
    static const enum cli_exit exits[] = {
        [WEIR_ERROR_NONE] = CLI_OK,       [WEIR_ERROR_MEMORY] = CLI_INTERNAL, [WEIR_ERROR_MALFORMED] = CLI_INPUT,
        [WEIR_ERROR_RANGE] = CLI_INPUT,   [WEIR_ERROR_UNKNOWN] = CLI_INPUT,   [WEIR_ERROR_INPUT] = CLI_INPUT,
        [WEIR_ERROR_MISSING] = CLI_INPUT, [WEIR_ERROR_READ] = CLI_INPUT,      [WEIR_ERROR_WRITE] = CLI_INTERNAL,
        [WEIR_ERROR_BUSY] = CLI_INTERNAL, [WEIR_ERROR_SYSTEM] = CLI_INTERNAL, [WEIR_ERROR_VIOLATION] = CLI_VIOLATION};
    return exits[code];
}

int cli_report(const struct weir_error *error)
{
    char line[WEIR_ERROR_LINE_MAX];
    if (error->code == WEIR_ERROR_MEMORY && memory_note != NULL)
        return cli_error_memory();
    return cli_error(cli_exit_of(error->code), "%s", weir_error_line(error, line));
}

int cli_report_usage(const struct weir_error *error)
{
    char line[WEIR_ERROR_LINE_MAX];
    return error->code == WEIR_ERROR_MALFORMED ? cli_error(CLI_USAGE, "%s", weir_error_line(error, line))
                                               : cli_report(error);
}

int cli_report_code(enum weir_error_code code, const struct weir_error *error)
{
    if (code == WEIR_ERROR_MEMORY)
        return cli_error_memory();
    if (code == WEIR_ERROR_WRITE)
        return CLI_INTERNAL;
    return code == WEIR_ERROR_NONE ? CLI_OK : cli_report(error);
}

int cli_parse_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
    const char *digits = text[0] == '-' ? text + 1 : text;
    bool whole = digits[0] != '\0' && digits[strspn(digits, "0123456789")] == '\0';
    errno = 0;
    unsigned long long value = whole ? strtoull(digits, NULL, 10) : 0;
    if (!whole)
        return cli_error(CLI_USAGE, "%s: '%s' is not a number (expected an integer from %" PRIu64 " to %" PRIu64 ")",
                         name, text, min, max);
    if (digits != text || errno == ERANGE || value < min || value > max)
        return cli_error(CLI_INPUT, "%s: '%s' is out of range (expected an integer from %" PRIu64 " to %" PRIu64 ")",
                         name, text, min, max);
    *number = value;
    return CLI_OK;
}

int cli_parse_value(const struct weir_param *param, const char *text, int64_t *value)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (weir_value_parse(param, text, value, &error))
        return CLI_OK;
    return cli_report_usage(&error);
}

const char *cli_nearest_policy(const char *name)
{
    const char *names[CLI_NAMES_MAX];
    uint32_t count = 0;
    for (; count < plugin_policy_count() && count < CLI_NAMES_MAX; count++)
        names[count] = plugin_policy_at(count)->name;
    return name[0] != '\0' ? weir_nearest_name(name, names, count) : NULL; /* nothing is near to everything short */
}

const struct weir_policy *cli_find_policy(const char *name)
{
    const struct weir_policy *policy = plugin_policy_find(name);
    if (policy != NULL)
        return policy;
    const char *nearest = cli_nearest_policy(name);
    char hint[PLUGIN_HINT_MAX];
    if (plugin_missing(name, hint))
        cli_error(CLI_INPUT, "unknown policy '%s' (%s)", name, hint);
    else if (nearest != NULL)
        cli_error(CLI_INPUT, "unknown policy '%s' (did you mean '%s'?)", name, nearest);
    else
        cli_error(CLI_INPUT, "unknown policy '%s' (see 'weir policies'; --policy-file loads others)", name);
    return NULL;
}

/* Sets "param=value" in text that may be written to; `given` has a bit for each parameter seen. */
static int cli_set_param(struct cli_policy *policy, char *text, uint32_t *given)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    char *equals = strchr(text, '=');
    if (equals == NULL)
        return cli_error(CLI_INPUT, "policy %s: no value for '%s' (expected parameter=value)", policy->policy->name,
                         text);
    *equals = '\0';
    if (!weir_values_set(&policy->values, policy->policy, text, equals + 1, &error))
        return cli_report(&error);
    uint32_t bit = UINT32_C(1) << weir_param_find(policy->policy, text);
    if (*given & bit)
        return cli_error(CLI_INPUT, "policy %s: parameter '%s' is given twice (expected once)", policy->policy->name,
                         text);
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

void cli_progress(void *title, uint32_t done, uint32_t all)
{
    screen_command(stderr, "\r");
    fprintf(stderr, "%s: %u of %u", (const char *)title, done, all);
    if (done == all)
        screen_command(stderr, SCREEN_CLEAR_LINE);
}

bool cli_progress_is_seen(void)
{
    return isatty(STDERR_FILENO) == 1;
}
