/*
 * command.h - a command as data: one descriptor with one table of options.
 *
 * Parser, --help, manual page and completions all read the descriptor, so that an option is written down once. A
 * command is one file with its descriptor, and one line in the registry of its program:
 *
 *     struct choice {
 *         bool json;
 *         uint64_t slots;
 *     };
 *
 *     static const struct cli_option options[] = {
 *         {.name = "json", .help = "print JSON", CLI_FLAG(struct choice, json)},
 *         {.name = "slots", .value = "N", .help = "length", CLI_NUMBER(struct choice, slots, 1, UINT32_MAX)},
 *         {.name = NULL},
 *     };
 *
 *     static int run(int argc, char **argv)
 *     {
 *         struct choice choice = {.slots = 1000};
 *         struct cli_line line;
 *         if (!cli_read(&line, &cmd_thing, argc, argv, &choice))
 *             return line.code; // --help was answered, or a mistake reported
 *         ...
 *     }
 *
 * Texts are plain: help wraps them, the manual page turns `--option`, `weir-run(1)` and words in backquotes into mdoc.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stddef.h>

#include "cli/cli.h"
#include "cli/confine.h"

#define CLI_OPTIONS_MAX 64u /* of a command */

/* What a shell offers in the place of a value or an operand. */
enum cli_offer_kind {
    CLI_OFFER_NOTHING,
    CLI_OFFER_FILES,
    CLI_OFFER_FOLDERS,
    CLI_OFFER_SCENARIOS,
    CLI_OFFER_RESULTS, /* databases */
    CLI_OFFER_WORDS,
    CLI_OFFER_LIST,
    CLI_OFFER_PATHS,    /* of values of the scenario on the line, for --set */
    CLI_OFFER_RUNS,     /* ids of its runs */
    CLI_OFFER_POLICIES, /* NAME:parameter=value */
};

/* A word that an operand may be, and what it means. */
struct cli_word {
    const char *name, *help;
};

struct cli_offer {
    enum cli_offer_kind kind;
    const char *words;              /* WORDS: with blanks between them */
    const struct cli_word *meaning; /* WORDS with their help; ends with a null name */
    const char *(*name)(uint32_t);  /* WORDS from a table elsewhere; null at its end */
    const char *list; /* LIST: arguments with which the program prints a table; its first column, to an empty line */
};

/* clang-format off */
#define CLI_FILES {.kind = CLI_OFFER_FILES}
#define CLI_FOLDERS {.kind = CLI_OFFER_FOLDERS}
#define CLI_SCENARIOS {.kind = CLI_OFFER_SCENARIOS}
#define CLI_RESULTS {.kind = CLI_OFFER_RESULTS}
#define CLI_PATHS {.kind = CLI_OFFER_PATHS}
#define CLI_RUNS {.kind = CLI_OFFER_RUNS}
#define CLI_POLICIES {.kind = CLI_OFFER_POLICIES}
#define CLI_WORDS(text) {.kind = CLI_OFFER_WORDS, .words = (text)}
#define CLI_MEANINGS(table) {.kind = CLI_OFFER_WORDS, .meaning = (table)}
#define CLI_NAMES(function) {.kind = CLI_OFFER_WORDS, .name = (function)}
#define CLI_LISTED(arguments) {.kind = CLI_OFFER_LIST, .list = (arguments)}
/* clang-format on */

/* How a value is read and stored. */
enum cli_store {
    CLI_STORE_FLAG,   /* bool: true */
    CLI_STORE_OFF,    /* bool: false */
    CLI_STORE_TEXT,   /* const char * */
    CLI_STORE_NUMBER, /* uint64_t within [min, max] */
    CLI_STORE_VALUE,  /* int64_t, with the unit and range of `param` */
    CLI_STORE_WORD,   /* uint32_t: which of the offered words */
    CLI_STORE_LIST,   /* const char *[max] and a uint32_t that counts them: the option may be repeated */
    CLI_STORE_READ,   /* whatever `read` makes of it */
};

struct cli_option {
    const char *name;  /* "output", without dashes; null ends a table */
    const char *value; /* "FILE", as help shows it; null: a flag */
    const char *help;  /* "write one row per flow as CSV": lower case, no full stop; the manual page makes a sentence */
    const char *more;  /* whole sentences that only the manual page has */
    struct cli_offer offer;

    enum cli_store store;
    size_t offset, count_offset; /* of the fields, in the struct that cli_read fills */
    uint64_t min, max;
    const struct weir_param *param;                                               /* its name is not used */
    int (*read)(void *target, const struct cli_option *option, const char *text); /* reports mistakes: an exit code */
    const void *data;                                                             /* for `read` */

    const char *heading;  /* opens a group in help: the line above this option */
    const char *with;     /* makes sense only with this other option */
    const char *not_with; /* does not go with this other option, nor that with this */
    const char *needed;   /* cannot be left out: what is expected, "the number of this host" */
    char letter;          /* 'o' for -o; 0: none */
    bool repeats;         /* of STORE_READ: may be given several times; STORE_LIST always may */
    bool optional;        /* of STORE_READ: the value may be left out, then `text` is null; a word with '=' is one */
    bool alone;           /* goes with no other option and no operand */
};

/* The field, with a warning where its type is not the one that is stored. */
#define CLI_FIELD(type, field, wanted) (offsetof(type, field) + 0 * sizeof((wanted *)0 == &((type *)0)->field))

#define CLI_FLAG(type, field) .store = CLI_STORE_FLAG, .offset = CLI_FIELD(type, field, bool)
#define CLI_OFF(type, field) .store = CLI_STORE_OFF, .offset = CLI_FIELD(type, field, bool)
#define CLI_TEXT(type, field) .store = CLI_STORE_TEXT, .offset = CLI_FIELD(type, field, const char *)
#define CLI_FILE(type, field) CLI_TEXT(type, field), .offer = CLI_FILES
#define CLI_NUMBER(type, field, least, most)                                                                           \
    .store = CLI_STORE_NUMBER, .offset = CLI_FIELD(type, field, uint64_t), .min = (least), .max = (most)
#define CLI_VALUE(type, field, parameter)                                                                              \
    .store = CLI_STORE_VALUE, .offset = CLI_FIELD(type, field, int64_t), .param = (parameter)
#define CLI_WORD(type, field) .store = CLI_STORE_WORD, .offset = CLI_FIELD(type, field, uint32_t)
#define CLI_LIST(type, array, count)                                                                                   \
    .store = CLI_STORE_LIST, .offset = CLI_FIELD(type, array[0], const char *),                                        \
    .count_offset = CLI_FIELD(type, count, uint32_t), .max = sizeof(((type *)0)->array) / sizeof(const char *)
#define CLI_READ(type, field, function) .store = CLI_STORE_READ, .offset = offsetof(type, field), .read = (function)
#define CLI_READ_ALL(function) .store = CLI_STORE_READ, .offset = 0, .read = (function) /* its target: the struct */

struct cli_operand {
    const char *name; /* "FILE"; null ends a table */
    const char *what; /* "scenario", as in "no scenario (expected a file)"; null: may be left out */
    const char *expected;
    const char *after; /* offered and shown only behind this word, the operand before it */
    struct cli_offer offer;
    bool repeats; /* the last: any number of them */
};

/* An option that people look for, and what does it here: {"policy", "--set switch.policy=NAME"}. A null name ends a
 * table. */
struct cli_instead {
    const char *name, *use;
};

struct cli_command {
    const char *name;    /* as typed after the program: "slot run"; "" for the program itself */
    const char *summary; /* "run a recorded trace again and compare every decision" */
    const char *usage;   /* lines, what follows the name in each; null: made of options and operands */
    const char *about;   /* paragraphs, an empty line between them; a line that starts with a blank stays */
    const struct cli_option *options;   /* null: none; -h, --help comes with them */
    const struct cli_operand *operands; /* null: none */
    const struct cli_instead *instead;  /* null: none */
    const char *notes;                  /* paragraphs behind the options */
    const char *status;                 /* of exit, where there is something to say */
    const char *examples;               /* lines */
    enum confine_rights rights;         /* what it needs of the system; confined to that before it runs */
    void (*before)(void);               /* what needs more, before that; null: nothing does */
    int (*run)(int argc, char **argv);  /* argv[0] is its own name; returns an exit code; null: it has commands */
};

struct cli_program {
    const struct cli_command *self;            /* its name is ""; --version comes with it */
    const struct cli_command *const *commands; /* ends with null; null: none. "slot" stands before "slot run" */
};

/* All of main but what is special to a program: finds the command and runs it; an exit code, stdout flushed. `name` is
 * the program's. `--write man TEMPLATE [COMMAND]` is for the build, `--complete WORD...` for shells (generate.h). */
int cli_main(const char *name, const struct cli_program *program, int argc, char **argv);

/* A command line that has been read. */
struct cli_line {
    const struct cli_command *command;
    uint64_t given;  /* bit i: option i of the table */
    char **operands; /* ends with null */
    uint32_t count;
    int code; /* when cli_read returned false */
};

/* Reads argv as the command's table says; options go to `target`, which holds the defaults. False when there is nothing
 * more to do: help was printed or a mistake reported; line->code is the exit code. */
bool cli_read(struct cli_line *line, const struct cli_command *command, int argc, char **argv, void *target);

/* Whether the option of this name, which the table has, was given. */
bool cli_given(const struct cli_line *line, const char *option);

/* Options that several commands have. TYPE has members `csv` (const char *) and `json` (bool). */
/* clang-format off */
#define CLI_CSV_FILE(TYPE, what) \
    {.name = "csv", \
     .value = "FILE", \
     .help = "write the " what " as CSV; -: print it instead of the table", \
     .more = "A FILE that is standard output counts as -.", \
     CLI_FILE(TYPE, csv)}
#define CLI_JSON(TYPE) {.name = "json", .help = "print everything as JSON", CLI_FLAG(TYPE, json)}

/* Policies of plug-ins. They are loaded as the option is read. */
#define CLI_POLICY_FILE \
    {.name = "policy-file", \
     .value = "FILE", \
     .help = "also know the policies in this shared object", \
     .more = "It is code, compiled with weir's headers (weir/plugin.h), and runs with the rights of the command. " \
             "Parameters are set as those of other policies. Whoever changes the file makes its results old.", \
     .offer = CLI_FILES, \
     .repeats = true, \
     CLI_READ_ALL(cli_read_policy_file)}
/* clang-format on */
int cli_read_policy_file(void *target, const struct cli_option *option, const char *text);

#endif
