/*
 * cli.h - the conventions that every command follows: exit codes, one-line errors, numbers, policy texts. What a
 * command is stands in command.h; JSON and files in output.h, results in data_frame.h.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdio.h>

#include "weir/policy.h"

enum cli_exit {
    CLI_OK = 0,
    CLI_VIOLATION = 1,     /* the command ran and what it checked does not hold */
    CLI_USAGE = 2,         /* wrong command line: unknown command or option, options that do not go together, missing
                            or unparsable argument */
    CLI_INPUT = 3,         /* bad input: unknown policy or parameter, value out of range, unreadable or corrupt file */
    CLI_INTERNAL = 4,      /* out of memory, cannot write */
    CLI_INTERRUPTED = 130, /* SIGINT, as a shell gives it */
};

/*
 * One line on stderr, "weir: " (cli_set_program) before and a newline after it, and `code` returned. The text reads
 * "PLACE: WHAT (expected ...)"; controls in it (screen.h) are shown as '?'.
 */
int cli_error(enum cli_exit code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints to stdout with control characters shown as '?': for texts that come from outside, such as file names. */
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A word of a command that somebody may paste into a shell: in single quotes where the shell would see more in it. Of
 * one longer than any path is: "...". */
#define CLI_PASTE_MAX 17000u /* a path of single quotes alone */
#define CLI_PASTE(word) cli_paste((char[CLI_PASTE_MAX]){""}, word)
const char *cli_paste(char room[CLI_PASTE_MAX], const char *word);

/* The error of running out of memory, with a note on the limit that was met, if there is one. */
int cli_error_memory(void);
void cli_set_memory_note(const char *note); /* stays the caller's; null: none */

/* The exit code that the code of an error stands for. */
enum cli_exit cli_exit_of(enum weir_error_code code);

/* The one reporter: the error as one line, and the exit code that its code stands for. */
int cli_report(const struct weir_error *error);

/* The same of a value on the command line: one that cannot be read is wrong usage. */
int cli_report_usage(const struct weir_error *error);

/* The same of a call that returns its code: of WEIR_ERROR_MEMORY and WEIR_ERROR_WRITE `error` knows nothing, and who
 * could not write has said why. */
int cli_report_code(enum weir_error_code code, const struct weir_error *error);

/* The name of the program in messages; cli_main sets it. */
void cli_set_program(const char *name);
const char *cli_program_name(void);

/* A decimal integer option or operand within [min, max]; `name` as typed ("--ports"). CLI_OK, CLI_USAGE when it is no
 * number, or CLI_INPUT when it is out of range. */
int cli_parse_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *number);

/* A value with a unit, "10us" or "4MiB"; param->name is the option as typed. As cli_parse_number. */
int cli_parse_value(const struct weir_param *param, const char *text, int64_t *value);

struct cli_policy {
    const struct weir_policy *policy;
    struct weir_values values;
};

/* "NAME:param=value:param=value", parameters left out at their defaults. CLI_OK, or CLI_INPUT after one line. */
int cli_parse_policy(const char *text, struct cli_policy *policy);

/* The policy of this name; null after one line with the nearest name, and the command returns CLI_INPUT. */
const struct weir_policy *cli_find_policy(const char *name);

/* The name of a policy that may have been meant; null: none comes near. */
const char *cli_nearest_policy(const char *name);

/* How far a command is, on stderr, "TITLE: 3 of 16"; the last call clears the line. `title` is a text. */
void cli_progress(void *title, uint32_t done, uint32_t all);

/* Whether it would be seen. */
bool cli_progress_is_seen(void);

#endif
