/*
 * test_command.c - commands as tables: what is read, what is refused, what is run, and what is written about them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/generate.h"
#include "tests/support/capture.h"

struct choice {
    bool flag, off;
    const char *text;
    uint64_t number;
    int64_t load;
    uint32_t word;
    const char *item[2];
    uint32_t items;
    char read[16], maybe[16];
};

static int read_text(void *target, const struct cli_option *option, const char *text)
{
    if (strcmp(text, "bad") == 0)
        return cli_error(CLI_INPUT, "--%s: bad", option->name);
    snprintf(target, 16, "%s", text);
    return CLI_OK;
}

static int read_maybe(void *target, const struct cli_option *option, const char *text)
{
    (void)option;
    strncat(target, text != NULL ? text : "-", 15 - strlen(target));
    return CLI_OK;
}

static const struct weir_param load = {.unit = WEIR_UNIT_RATIO, .min = 1, .max = WEIR_Q16_ONE};

static const struct cli_option options[] = {
    {.name = "flag", .help = "a flag", CLI_FLAG(struct choice, flag)},
    {.name = "no-off", .help = "a flag that clears", CLI_OFF(struct choice, off)},
    {.name = "text",
     .letter = 'o',
     .value = "FILE",
     .help = "FILE to write",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, text)},
    {.name = "number", .value = "N", .help = "a number", CLI_NUMBER(struct choice, number, 1, 9)},
    {.name = "load", .value = "L", .help = "a ratio", .with = "number", CLI_VALUE(struct choice, load, &load)},
    {.name = "word",
     .value = "W",
     .help = "a word",
     .offer = CLI_WORDS("red green blue"),
     .not_with = "item",
     CLI_WORD(struct choice, word)},
    {.name = "item", .value = "I", .help = "an item", CLI_LIST(struct choice, item, items)},
    {.name = "read", .value = "R", .help = "see weir-run(1), or --flag", CLI_READ(struct choice, read, read_text)},
    {.name = "maybe",
     .value = "[K=V]",
     .help = "a value or none",
     .optional = true,
     .repeats = true,
     CLI_READ(struct choice, maybe, read_maybe)},
    {.name = "alone", .help = "a question", .alone = true, CLI_FLAG(struct choice, flag)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE", .what = "scenario", .expected = "a file", .offer = CLI_SCENARIOS},
    {.name = NULL},
};

static int run_try(int argc, char **argv);

static const struct cli_command cmd_try = {
    .name = "try",
    .summary = "try something",
    .about = "Tries something.",
    .options = options,
    .operands = operands,
    .examples = "weir try x",
    .run = run_try,
};

static struct choice choice;
static struct cli_line line;
static bool went_on;

static int run_try(int argc, char **argv)
{
    choice = (struct choice){.off = true};
    went_on = cli_read(&line, &cmd_try, argc, argv, &choice);
    return line.code;
}

static const struct cli_command self = {.name = "", .summary = "a program", .about = "A program."};
static const struct cli_command group = {.name = "slot", .summary = "a group", .about = "A group."};
static const struct cli_command in_group = {
    .name = "slot try", .summary = "in a group", .about = "In it.", .run = run_try};
static const struct cli_command *const commands[] = {&cmd_try, &group, &in_group, NULL};
static const struct cli_program program = {&self, commands};

/* "weir ARGUMENTS": the exit code; what was printed is in `capture`. */
static int run_words(const char *arguments, FILE *stream, struct capture *capture)
{
    static char text[256], *argv[24]; /* operands point into it */
    int argc = 0;
    snprintf(text, sizeof text, "weir %s", arguments);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    went_on = false;
    capture_start(capture, stream);
    int code = cli_main("weir", &program, argc, argv);
    capture_stop(capture);
    return code;
}

static void cli_read__stores(void **state)
{
    struct capture capture;
    (void)state;
    assert_int_equal(
        run_words("try in --flag --no-off -o out --number 3 --load=0.5 --item a --item b --read r", stderr, &capture),
        CLI_OK);
    assert_true(went_on && choice.flag && !choice.off);
    assert_string_equal(choice.text, "out");
    assert_int_equal(choice.number, 3);
    assert_int_equal(choice.load, WEIR_Q16_ONE / 2);
    assert_int_equal(choice.items, 2);
    assert_string_equal(choice.item[1], "b");
    assert_string_equal(choice.read, "r");
    assert_int_equal(line.count, 1);
    assert_string_equal(line.operands[0], "in");
    assert_null(line.operands[1]);
    assert_true(cli_given(&line, "number") && !cli_given(&line, "word"));
    assert_int_equal(run_words("try in --word blue --flag --flag", stderr, &capture), CLI_OK);
    assert_int_equal(choice.word, 2);
    assert_int_equal(run_words("try --alone", stderr, &capture), CLI_OK);
    assert_true(went_on);
    assert_int_equal(run_words("try in --wor blue", stderr, &capture), CLI_USAGE); /* no abbreviations */
    assert_int_equal(run_words("try in --wor=blue", stderr, &capture), CLI_USAGE);
    assert_int_equal(run_words("try --hel", stderr, &capture), CLI_USAGE);
}

/* A word behind it is its value only in the form of one; operands before and behind stay operands. */
static void cli_read__value_left_out(void **state)
{
    static const struct {
        const char *words, *value;
    } cases[] = {
        {"try --maybe in", "-"},
        {"try in --maybe", "-"},
        {"try --maybe a=b in", "a=b"},
        {"try in --maybe a=b", "a=b"},
        {"try --maybe=a=b in", "a=b"},
        {"try --maybe a=b --maybe c=d in", "a=bc=d"},
        {"try --maybe --flag in", "-"},
        {"try in --maybe a=b --number 3", "a=b"},
        {"try --maybe --text=x=y in", "-"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct capture capture;
        assert_int_equal(run_words(cases[i].words, stderr, &capture), CLI_OK);
        assert_string_equal(choice.maybe, cases[i].value);
        assert_int_equal(line.count, 1);
        assert_string_equal(line.operands[0], "in");
        assert_true(cli_given(&line, "maybe"));
    }
}

static void cli_read__mistakes(void **state)
{
    static const struct {
        const char *words;
        int code;
        const char *message;
    } cases[] = {
        {"try in --number", CLI_USAGE, "weir: try: --number: missing value (expected one)\n"},
        {"try in -o", CLI_USAGE, "weir: try: --text: missing value (expected one)\n"},
        {"try --flag=3", CLI_USAGE, "weir: try: --flag: unexpected value (expected none)\n"},
        {"try --help=3", CLI_USAGE, "weir: try: --help: unexpected value (expected none)\n"},
        {"try --falg", CLI_USAGE, "weir: try: unknown option --falg (did you mean --flag?)\n"},
        {"try --numbre=3", CLI_USAGE, "weir: try: unknown option --numbre (did you mean --number?)\n"},
        {"try --completely", CLI_USAGE, "weir: try: unknown option --completely (see 'weir try --help')\n"},
        {"try -x", CLI_USAGE, "weir: try: unknown option -x (see 'weir try --help')\n"},
        {"try in --number 1 --number 2", CLI_USAGE, "weir: try: --number: given twice (expected once)\n"},
        {"try in --number 10", CLI_INPUT, "weir: --number: '10' is out of range (expected an integer from 1 to 9)\n"},
        {"try in --number 1 --load 2", CLI_INPUT, "weir: --load: '2' is out of range (0.00001526 to 1)\n"},
        {"try in --word gren", CLI_USAGE, "weir: --word: 'gren' is unknown (expected red, green or blue)\n"},
        {"try in --item a --item b --item c", CLI_USAGE, "weir: try: --item: too many (expected at most 2)\n"},
        {"try in --read bad", CLI_INPUT, "weir: --read: bad\n"},
        {"try in --load 0.5", CLI_USAGE, "weir: try: --load goes with --number\n"},
        {"try in --item a --word red", CLI_USAGE,
         "weir: try: --word and --item do not go together (expected one of them)\n"},
        {"try in --alone", CLI_USAGE, "weir: try: --alone stands alone (expected no other arguments)\n"},
        {"try", CLI_USAGE, "weir: try: no scenario (expected a file; see 'weir try --help')\n"},
        {"try in out", CLI_USAGE, "weir: try: unexpected operand 'out' (see 'weir try --help')\n"},
        {"tyr", CLI_USAGE, "weir: unknown command 'tyr' (did you mean 'try'?)\n"},
        {"slot something", CLI_USAGE, "weir: slot: unknown command 'something' (see 'weir slot --help')\n"},
        {"slot -", CLI_USAGE, "weir: slot: unexpected '-' (expected a command)\n"},
        {"--", CLI_USAGE, "weir: unexpected '--' (expected a command)\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct capture capture;
        int code = run_words(cases[i].words, stderr, &capture);
        assert_string_equal(capture.text, cases[i].message);
        assert_int_equal(code, cases[i].code);
        assert_false(went_on);
    }
}

static void cli_main__help(void **state)
{
    static const char expected[] = "usage: weir try [OPTION...] FILE\n"
                                   "       weir try --alone\n"
                                   "\n"
                                   "Tries something.\n"
                                   "\n"
                                   "  --flag           a flag\n"
                                   "  --no-off         a flag that clears\n"
                                   "  -o, --text FILE  FILE to write\n"
                                   "  --number N       a number\n"
                                   "  --load L         a ratio\n"
                                   "  --word W         a word\n"
                                   "  --item I         an item; may be repeated\n"
                                   "  --read R         see weir-run(1), or --flag\n"
                                   "  --maybe [K=V]    a value or none; may be repeated\n"
                                   "  --alone          a question\n"
                                   "  -h, --help       print this text\n"
                                   "\n"
                                   "example: weir try x\n";
    static const char *const same[] = {"try --help", "try -h", "help try"};
    struct capture capture;
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        assert_int_equal(run_words(same[i], stdout, &capture), CLI_OK);
        assert_string_equal(capture.text, expected);
    }
    assert_int_equal(run_words("help slot", stdout, &capture), CLI_OK);
    assert_string_equal(capture.text, "usage: weir slot COMMAND [ARGUMENT...]\n\nA group.\n\n"
                                      "commands:\n  try  in a group\n");
}

static void cli_put_man__marks(void **state)
{
    struct capture capture;
    FILE *template = fopen("command.test.in", "w");
    (void)state;
    assert_non_null(template);
    fputs(".Dt @TITLE@ 1\n.\\\" SYNOPSIS @COMMAND@\n.\\\" OPTIONS @COMMAND@\n.\\\" OPTIONS other\n", template);
    fclose(template);
    capture_start(&capture, stdout);
    assert_true(cli_put_man(stdout, "weir", &program, "command.test.in", "try"));
    capture_stop(&capture);
    remove("command.test.in");
    assert_non_null(strstr(capture.text, ".Dt WEIR-TRY 1\n.Nm weir try\n.Op Fl -flag\n"));
    assert_non_null(strstr(capture.text, ".Op Fl o , Fl -text Ar FILE\n"));
    assert_non_null(strstr(capture.text,
                           ".Op Fl -word Ar W | Fl -item Ar I\n.Op Fl -read Ar R\n.Op Fl -maybe Ar [K=V]\n.Ar FILE\n"
                           ".Nm weir try\n.Fl -alone\n"));
    assert_non_null(strstr(capture.text, ".It Fl o , Fl -text Ar FILE\n.Ar FILE\nto write.\n"));
    assert_non_null(strstr(capture.text, ".It Fl -read Ar R\nSee\n.Xr weir-run 1 ,\nor\n.Fl -flag .\n"));
    assert_non_null(strstr(capture.text, ".\\\" OPTIONS other\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cli_read__stores),   cmocka_unit_test(cli_read__value_left_out),
        cmocka_unit_test(cli_read__mistakes), cmocka_unit_test(cli_main__help),
        cmocka_unit_test(cli_put_man__marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
