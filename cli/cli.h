/*
 * cli.h - the conventions that every command of `weir` follows: exit codes, one-line errors, options, policy texts.
 *
 * A command is `int weir_cmd_x(int argc, char **argv)` with argv[0] its own name; it returns an exit code and never
 * calls exit. Options are read with getopt_long through cli_next_option, which answers --help and reports mistakes
 * with the nearest valid name, so that all commands sound alike. Tables, JSON and files are in output.h.
 *
 *     enum { OPT_JSON = CLI_OPTION_FIRST, OPT_SLOTS };
 *     static const struct option options[] = {
 *         {"json", no_argument, NULL, OPT_JSON}, {"slots", required_argument, NULL, OPT_SLOTS}, CLI_OPTIONS_END};
 *     static const struct cli_command command = {"slot run", help_text, options};
 *
 *     int code = CLI_OK;
 *     cli_start_options();
 *     for (int option; (option = cli_next_option(&command, argc, argv, &code)) != CLI_OPTION_END;) {
 *         switch (option) {
 *         case OPT_JSON: ... break;
 *         case OPT_SLOTS: code = cli_parse_number("--slots", optarg, 1, UINT32_MAX, &slots); break;
 *         default: return code; // help was printed, or an error reported
 *         }
 *         if (code != CLI_OK)
 *             return code;
 *     }
 *     // operands: argv[optind] ...
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <getopt.h>

#include "weir/policy.h"

enum cli_exit {
    CLI_OK = 0,
    CLI_VIOLATION = 1, /* the command ran and what it checked does not hold */
    CLI_USAGE = 2,     /* wrong command line: unknown command or option, options that do not go together, missing
                        or unparsable argument */
    CLI_INPUT = 3,     /* bad input: unknown policy or parameter, value out of range, unreadable or corrupt file */
    CLI_INTERNAL = 4,  /* out of memory, cannot write */
};

/*
 * One line on stderr, "weir: " (cli_set_program) before and a newline after it, and `code` returned. The text reads
 * "PLACE: WHAT (expected ...)"; control characters in it (from file names and arguments) are shown as '?'.
 */
int cli_error(enum cli_exit code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints to stdout with control characters shown as '?': for texts that come from outside, such as file names. */
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The error of running out of memory. */
int cli_error_memory(void);

/* The one reporter: the error as one line, and the exit code that its code stands for. */
int cli_report(const struct weir_error *error);

/* The same of a value on the command line: one that cannot be read is wrong usage. */
int cli_report_usage(const struct weir_error *error);

/* Before anything else in a program that is not `weir`: its name, for messages. Its only command is called "". */
void cli_set_program(const char *name);

struct cli_command {
    const char *name;             /* as typed after `weir`: "replay", "slot run" */
    const char *help;             /* the whole help text, usage first, ending in a newline */
    const struct option *options; /* ends with CLI_OPTIONS_END; -h and --help come with it, and -o for "output" */
};

/* clang-format off */
#define CLI_OPTIONS_END {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}
/* clang-format on */
#define CLI_OPTION_FIRST 256 /* values of a command's own options start here */
#define CLI_OPTION_END (-1)  /* no more options: optind is the first operand */
#define CLI_OPTION_STOP (-2) /* return *code: the help was printed (CLI_OK) or an error was reported (CLI_USAGE) */

/* Before the first cli_next_option of a command: forgets what getopt remembers of an outer command line. */
void cli_start_options(void);

/* The next option (its value in optarg), CLI_OPTION_END or CLI_OPTION_STOP. */
int cli_next_option(const struct cli_command *command, int argc, char **argv, int *code);

#define CLI_OPTION_BIT(option) (UINT64_C(1) << ((option)-CLI_OPTION_FIRST))

/* Notes the option's bit in *given. CLI_OK, or CLI_USAGE when an option with a value comes again: one would be lost. */
int cli_option_once(const struct cli_command *command, int option, uint64_t *given);

/* A command among others of the same level. */
struct cli_entry {
    const char *name;
    int (*run)(int argc, char **argv);
};

/*
 * Runs the entry named argv[0] with the rest of the line, or reports an unknown command with the nearest name. "help
 * NAME..." runs "NAME... --help". `group` is the command they belong to ("slot"), or null at the top level. `entries`
 * ends with an entry without a name; argc is at least 1.
 */
int cli_dispatch(const char *group, const struct cli_entry *entries, int argc, char **argv);

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

/* Reports operands that a command does not take, from argv[optind]. CLI_OK or CLI_USAGE. */
int cli_no_operands(const struct cli_command *command, int argc, char **argv);

/* The commands, each in the file of its name. */
int weir_cmd_policies(int argc, char **argv);
int weir_cmd_headroom(int argc, char **argv);
int weir_cmd_slot(int argc, char **argv);
int weir_cmd_run(int argc, char **argv);
int weir_cmd_show(int argc, char **argv);
int weir_cmd_export(int argc, char **argv);
int weir_cmd_report(int argc, char **argv);
int weir_cmd_repro(int argc, char **argv);
int weir_cmd_replay(int argc, char **argv);
int weir_cmd_switch(int argc, char **argv);
int weir_cmd_testbed(int argc, char **argv);

#endif
