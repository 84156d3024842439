/*
 * help.c - the help text of a command: usage, what it does, options, exit status, examples. See generate.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/generate.h"

#define COLUMNS 92u
#define LABEL_MAX 22u /* a longer label has its own line */
#define LISTED_MAX 3u /* so many options are named in the usage; more are [OPTION...] */

/* One paragraph from `column` on, the lines after the first indented. Returns what follows it. */
static const char *put_paragraph(FILE *out, const char *text, size_t indent, size_t column)
{
    bool first = true;
    while (*text != '\0' && *text != '\n') {
        size_t length = strcspn(text, " \n");
        if (!first && column + 1 + length > COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        fprintf(out, "%s%.*s", first ? "" : " ", (int)length, text);
        column += length + !first;
        first = false;
        text += length;
        if (text[0] == '\n' && text[1] != '\n' && text[1] != ' ' && text[1] != '\0')
            text++; /* a single line break is a blank */
        text += strspn(text, " ");
    }
    fputc('\n', out);
    return *text == '\n' ? text + 1 : text;
}

/* Paragraphs; a line that starts with a blank stays as it is. */
static void put_text(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t line = strcspn(text, "\n");
        if (*text == ' ' || *text == '\n') {
            fprintf(out, "%.*s\n", (int)line, text);
            text += line + (text[line] == '\n');
        } else {
            text = put_paragraph(out, text, 0, 0);
        }
    }
}

/* "-o, --output FILE". */
static void cli_option_label(const struct cli_option *option, char *label, size_t size)
{
    char letter[8] = "";
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(label, size, "%s--%s%s%s", letter, option->name, option->value != NULL ? " " : "",
             option->value != NULL ? option->value : "");
}

void cli_option_help(const struct cli_option *option, char *help, size_t size)
{
    char word[64];
    size_t used = (size_t)snprintf(help, size, "%s", option->help);
    for (uint32_t i = 0; option->offer.name != NULL && used < size && cli_offer_word(&option->offer, i, word); i++)
        used += (size_t)snprintf(help + used, size - used, "%s%s", i == 0 ? ": " : ", ", word);
    if ((option->store == CLI_STORE_LIST || option->repeats) && used < size)
        snprintf(help + used, size - used, "; may be repeated");
}

/* "  label    text". */
static void put_row(FILE *out, const char *label, const char *text, size_t width)
{
    size_t length = strlen(label);
    fprintf(out, "  %s", label);
    if (length > width)
        fprintf(out, "\n%*s", (int)width + 4, "");
    else
        fprintf(out, "%*s", (int)(width - length) + 2, "");
    put_paragraph(out, text, width + 4, width + 4);
}

static void widen(size_t *width, const char *label)
{
    size_t length = strlen(label);
    if (length > *width && length <= LABEL_MAX)
        *width = length;
}

static void put_options(FILE *out, const struct cli_command *command)
{
    char label[96], help[1024];
    size_t width = strlen("-h, --help");
    uint32_t count = cli_option_count(command);
    for (uint32_t i = 0; i < count; i++) {
        cli_option_label(&command->options[i], label, sizeof label);
        widen(&width, label);
    }
    bool helped = false; /* -h closes the first group */
    for (uint32_t i = 0; i < count; i++) {
        const struct cli_option *option = &command->options[i];
        if (option->heading != NULL) {
            if (!helped)
                put_row(out, "-h, --help", cli_help_option.help, width);
            helped = true;
            fputc('\n', out);
            put_text(out, option->heading);
        }
        cli_option_label(option, label, sizeof label);
        cli_option_help(option, help, sizeof help);
        put_row(out, label, help, width);
    }
    if (command->name[0] == '\0')
        put_row(out, "--version", cli_version_option.help, width);
    if (!helped)
        put_row(out, "-h, --help", cli_help_option.help, width);
}

static void put_commands(FILE *out, const struct cli_command *group, const struct cli_command *const *commands)
{
    size_t width = 0;
    for (const struct cli_command *const *c = commands; *c != NULL; c++)
        if (cli_is_child(group, *c))
            widen(&width, cli_last_word((*c)->name));
    fputs("commands:\n", out);
    for (const struct cli_command *const *c = commands; *c != NULL; c++)
        if (cli_is_child(group, *c))
            put_row(out, cli_last_word((*c)->name), (*c)->summary, width);
}

static void put_words(FILE *out, const struct cli_command *command)
{
    size_t width = 0;
    for (const struct cli_operand *o = command->operands; o != NULL && o->name != NULL; o++) {
        const struct cli_word *words = o->offer.meaning;
        for (uint32_t i = 0; words != NULL && words[i].name != NULL; i++)
            widen(&width, words[i].name);
        for (uint32_t i = 0; words != NULL && words[i].name != NULL; i++)
            put_row(out, words[i].name, words[i].help, width);
        fputs(words != NULL ? "\n" : "", out);
    }
}

static void add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* Between two parts. */
static void add_blank(char *text, size_t size)
{
    add(text, size, "%s", text[0] != '\0' ? " " : "");
}

/* "--rate RATE". */
static void add_option(char *text, size_t size, const struct cli_option *option)
{
    add(text, size, "--%s%s%s", option->name, option->value != NULL ? " " : "",
        option->value != NULL ? option->value : "");
}

/* The option of this table with which `option` does not go, when it stands behind it. */
static const struct cli_option *other_of(const struct cli_option *option)
{
    const struct cli_option *next = option + 1;
    bool pair = option->not_with != NULL && next->name != NULL && strcmp(option->not_with, next->name) == 0;
    return pair ? next : NULL;
}

static void add_options(char *text, size_t size, const struct cli_command *command)
{
    uint32_t count = cli_option_count(command), optional = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct cli_option *option = &command->options[i];
        optional += option->needed == NULL && !option->alone;
        if (option->needed != NULL) {
            add_blank(text, size);
            add_option(text, size, option);
        }
    }
    if (optional > LISTED_MAX) {
        add_blank(text, size);
        add(text, size, "[OPTION...]");
    }
    for (uint32_t i = 0; optional <= LISTED_MAX && i < count; i++) {
        const struct cli_option *option = &command->options[i], *other = other_of(option);
        if (option->needed != NULL || option->alone)
            continue;
        add_blank(text, size);
        add(text, size, "[");
        add_option(text, size, option);
        if (other != NULL) {
            add(text, size, " | ");
            add_option(text, size, other);
            i++;
        }
        add(text, size, "%s]", option->store == CLI_STORE_LIST ? "..." : "");
    }
}

/* "[OPTION...] FILE...", lines of usage when a command has none of its own: as many as fit `size`. */
static void cli_usage(const struct cli_command *command, char *text, size_t size)
{
    bool alone = false;
    text[0] = '\0';
    if (command->usage != NULL) {
        add(text, size, "%s", command->usage);
        return;
    }
    if (command->run == NULL) {
        add(text, size, "COMMAND [ARGUMENT...]%s",
            command->name[0] == '\0' ? "\nhelp COMMAND...\n--help | --version" : "");
        return;
    }
    add_options(text, size, command);
    for (const struct cli_operand *o = command->operands; o != NULL && o->name != NULL; o++)
        if (o->after == NULL) {
            add_blank(text, size);
            add(text, size, o->what != NULL ? "%s%s" : "[%s%s]", o->name, o->repeats ? "..." : "");
        }
    for (uint32_t i = 0; i < cli_option_count(command); i++) {
        if (!command->options[i].alone)
            continue;
        add(text, size, "%s--%s", alone ? " | " : "\n", command->options[i].name);
        alone = true;
    }
}

void cli_put_help(FILE *out, const char *program, const struct cli_command *command,
                  const struct cli_command *const *commands)
{
    char text[1024];
    cli_usage(command, text, sizeof text);
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        fprintf(out, "%s%s%s%s%s%.*s\n", line == text ? "usage: " : "       ", program,
                command->name[0] != '\0' ? " " : "", command->name, length > 0 ? " " : "", (int)length, line);
        line += length + (line[length] == '\n');
    }
    fputc('\n', out);
    if (command->about != NULL) {
        put_text(out, command->about);
        fputc('\n', out);
    }
    put_words(out, command);
    if (command->run == NULL)
        put_commands(out, command, commands);
    else
        put_options(out, command);
    if (command->notes != NULL) {
        fputc('\n', out);
        put_text(out, command->notes);
    }
    if (command->status != NULL) {
        fputs("\nexit status: ", out);
        put_paragraph(out, command->status, 13, 13);
    }
    if (command->examples != NULL) {
        fputc('\n', out);
        for (const char *line = command->examples; *line != '\0';) {
            size_t length = strcspn(line, "\n");
            fprintf(out, "%s%.*s\n", line == command->examples ? "example: " : "         ", (int)length, line);
            line += length + (line[length] == '\n');
        }
    }
}
