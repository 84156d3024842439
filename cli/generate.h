/*
 * generate.h - what the tables of commands are written as: help, manual pages, which the build asks for with
 * `PROGRAM --write man`, and answers to shells, which ask with `PROGRAM --complete`.
 */
#ifndef CLI_GENERATE_H
#define CLI_GENERATE_H

#include <stdio.h>

#include "cli/command.h"

/* The whole help text of a command; `commands` are those of its program. */
void cli_put_help(FILE *out, const char *program, const struct cli_command *command,
                  const struct cli_command *const *commands);

/* A manual page: the template with its marks filled in. `command` is what @COMMAND@ stands for, or null. False after
 * one line. */
bool cli_put_man(FILE *out, const char *program, const struct cli_program *all, const char *template_path,
                 const char *command);

/* Prints what may stand at the end of a command line: words[count - 1] is what has been typed of it. An exit code. */
int cli_complete(const char *name, const struct cli_program *program, int count, char **words);

/* Whether `child` is one of `parent`'s commands: "slot run" of "slot". */
bool cli_is_child(const struct cli_command *parent, const struct cli_command *child);

/* The last word of a command's name: "run" of "slot run". */
const char *cli_last_word(const char *name);

/* The i-th word of an offer, in `word`; false at the end. */
bool cli_offer_word(const struct cli_offer *offer, uint32_t i, char word[64]);

/* The option behind the table's own: -h, and for a program --version. */
extern const struct cli_option cli_help_option, cli_version_option;

/* Options of a table; 0 for none. */
uint32_t cli_option_count(const struct cli_command *command);

/* The help of an option, with the names that come from elsewhere behind it. */
void cli_option_help(const struct cli_option *option, char *help, size_t size);

#endif
