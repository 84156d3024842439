/*
 * man.c - manual pages in mdoc, from the tables of command.h and a template: see generate.h.
 *
 * A template is a page by itself; lines such as
 *
 *     .\" OPTIONS weir run
 *
 * are comments to mandoc and marks to us: what the table of that command says takes their place. A mark of another
 * program stays, for that program to fill in. @COMMAND@, @PAGE@ and @TITLE@ are "weir thing", "weir-thing" and
 * "WEIR-THING", so that one template serves every command without a page of its own; @VERSION@ is weir's.
 */
#define _GNU_SOURCE 1
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/generate.h"
#include "weir/version.h"

#define MAN_COLUMNS 78u
#define PAGES_MAX 64u

/* Text under way: words go into lines, marked words get lines of their own. */
struct man {
    FILE *out;
    size_t column;                   /* 0: at the start of a line */
    const struct cli_option *option; /* whose value is set as an argument; null: none */
};

static void end_line(struct man *man)
{
    if (man->column > 0)
        fputc('\n', man->out);
    man->column = 0;
}

static void put_word(struct man *man, const char *word, size_t length)
{
    if (man->column > 0 && man->column + 1 + length > MAN_COLUMNS)
        end_line(man);
    if (man->column > 0)
        fputc(' ', man->out);
    else if (word[0] == '.' || word[0] == '\'')
        fputs("\\&", man->out);
    for (size_t i = 0; i < length; i++) {
        if (word[i] == '\\')
            fputs("\\e", man->out);
        else
            fputc(word[i], man->out);
    }
    man->column += length + 1;
    if (strchr(".!?", word[length - 1]) != NULL)
        end_line(man); /* a new sentence, a new line */
}

/* A word and the punctuation around it. */
struct token {
    const char *word, *before, *after;
    size_t length, before_length, after_length;
};

static void put_macro(struct man *man, const char *macro, const struct token *token)
{
    end_line(man);
    fprintf(man->out, ".%s", macro);
    for (size_t i = 0; i < token->before_length; i++)
        fprintf(man->out, " %c", token->before[i]);
    bool quoted = memchr(token->word, ' ', token->length) != NULL;
    fprintf(man->out, quoted ? " \"%.*s\"" : " %.*s", (int)token->length, token->word);
    for (size_t i = 0; i < token->after_length; i++)
        fprintf(man->out, " %c", token->after[i]);
    fputc('\n', man->out);
}

/* Whether the word is one of those in capitals of the option's value: KEY of KEY=VALUE. */
static bool is_value(const struct man *man, const struct token *token)
{
    if (man->option == NULL || man->option->value == NULL || token->length == 0)
        return false;
    for (size_t i = 0; i < token->length; i++)
        if (!isupper((unsigned char)token->word[i]))
            return false;
    char *found = memmem(man->option->value, strlen(man->option->value), token->word, token->length);
    return found != NULL && !isupper((unsigned char)found[token->length]) &&
           (found == man->option->value || !isupper((unsigned char)found[-1]));
}

static bool is_option(const struct token *token)
{
    if (token->length < 3 || strncmp(token->word, "--", 2) != 0)
        return false;
    for (size_t i = 2; i < token->length; i++)
        if (!islower((unsigned char)token->word[i]) && !isdigit((unsigned char)token->word[i]) && token->word[i] != '-')
            return false;
    return true;
}

static void put_token(struct man *man, const char *text, size_t length)
{
    struct token token = {.before = text};
    while (token.before_length < length && text[token.before_length] == '(')
        token.before_length++;
    size_t end = length;
    while (end > token.before_length && strchr(".,;:)?!", text[end - 1]) != NULL)
        end--;
    if (end < length && text[end] == ')' && memchr(text + token.before_length, '(', end - token.before_length) != NULL)
        end++; /* "weir-run(1)," */
    token.word = text + token.before_length;
    token.length = end - token.before_length;
    token.after = text + end;
    token.after_length = length - end;
    if (is_option(&token)) {
        token.word++; /* Fl brings a dash */
        token.length--;
        put_macro(man, "Fl", &token);
    } else if (is_value(man, &token)) {
        put_macro(man, "Ar", &token);
    } else if (token.length > 3 && strncmp(token.word + token.length - 3, "(1)", 3) == 0) {
        end_line(man);
        fprintf(man->out, ".Xr %.*s 1", (int)token.length - 3, token.word);
        for (size_t i = 0; i < token.after_length; i++)
            fprintf(man->out, " %c", token.after[i]);
        fputc('\n', man->out);
    } else {
        put_word(man, text, length);
    }
}

/* `code` that may have blanks in it, with what stands around it; returns its length, 0 when there is none. */
static size_t put_code(struct man *man, const char *text)
{
    size_t open = strspn(text, "(");
    const char *end = text[open] == '`' ? strchr(text + open + 1, '`') : NULL;
    if (end == NULL)
        return 0;
    size_t tail = strcspn(end + 1, " \n");
    const struct token token = {.before = text,
                                .before_length = open,
                                .word = text + open + 1,
                                .length = (size_t)(end - text) - open - 1,
                                .after = end + 1,
                                .after_length = tail};
    put_macro(man, "Li", &token);
    return (size_t)(end + 1 - text) + tail;
}

static void put_text(struct man *man, const char *text)
{
    while (*text != '\0') {
        size_t blank = strspn(text, " \n");
        if (memmem(text, blank, "\n\n", 2) != NULL && text[blank] != '\0') {
            end_line(man);
            fputs(".Pp\n", man->out);
        }
        text += blank;
        size_t length = strcspn(text, " \n"), code = put_code(man, text);
        if (code == 0 && length > 0)
            put_token(man, text, length);
        text += code > 0 ? code : length;
    }
    end_line(man);
}

/* A fragment such as help has, as a sentence. */
static void put_sentence(struct man *man, const char *fragment)
{
    char text[1100];
    size_t length = (size_t)snprintf(text, sizeof text - 1, "%s", fragment);
    length = length < sizeof text - 2 ? length : sizeof text - 3;
    if (isalpha((unsigned char)text[0]))
        text[0] = (char)toupper((unsigned char)text[0]);
    if (length > 0 && strchr(".!?", text[length - 1]) == NULL)
        snprintf(text + length, 2, ".");
    put_text(man, text);
}

static void put_option(struct man *man, const struct cli_option *option)
{
    char help[1024];
    fputs(".It ", man->out);
    if (option->letter != 0)
        fprintf(man->out, "Fl %c , ", option->letter);
    fprintf(man->out, "Fl -%s", option->name);
    if (option->value != NULL)
        fprintf(man->out, " Ar %s", option->value);
    fputc('\n', man->out);
    man->option = option;
    cli_option_help(option, help, sizeof help);
    put_sentence(man, help);
    if (option->more != NULL)
        put_text(man, option->more);
    man->option = NULL;
}

static void put_options(struct man *man, const struct cli_command *command)
{
    fputs(".Bl -tag -width Ds\n", man->out);
    for (uint32_t i = 0; i < cli_option_count(command); i++) {
        const struct cli_option *option = &command->options[i];
        if (option->heading != NULL) {
            fputs(".El\n.Pp\n", man->out);
            put_text(man, option->heading);
            fputs(".Bl -tag -width Ds\n", man->out);
        }
        put_option(man, option);
    }
    if (command->name[0] == '\0')
        put_option(man, &cli_version_option);
    fputs(".It Fl h , Fl -help\nPrint a short text.\n.El\n", man->out);
}

static void put_name(FILE *out, const char *program, const struct cli_command *command)
{
    fprintf(out, ".Nm %s%s%s\n", program, command->name[0] != '\0' ? " " : "", command->name);
}

static void put_synopsis_option(FILE *out, const struct cli_option *option)
{
    if (option->letter != 0)
        fprintf(out, "Fl %c , ", option->letter);
    fprintf(out, "Fl -%s", option->name);
    if (option->value != NULL)
        fprintf(out, " Ar %s", option->value);
}

static void put_synopsis(struct man *man, const char *program, const struct cli_program *all,
                         const struct cli_command *command)
{
    bool alone = false;
    for (const struct cli_command *const *c = all->commands; command->run == NULL && *c != NULL; c++)
        if (cli_is_child(command, *c))
            put_synopsis(man, program, all, *c);
    if (command->run == NULL)
        return;
    put_name(man->out, program, command);
    for (uint32_t i = 0; i < cli_option_count(command); i++) {
        const struct cli_option *option = &command->options[i];
        if (option->alone)
            continue;
        fputs(option->needed != NULL ? "." : ".Op ", man->out);
        put_synopsis_option(man->out, option);
        const struct cli_option *next = option + 1;
        if (option->not_with != NULL && next->name != NULL && strcmp(option->not_with, next->name) == 0) {
            fputs(" | ", man->out);
            put_synopsis_option(man->out, next);
            i++;
        }
        fputc('\n', man->out);
    }
    for (const struct cli_operand *o = command->operands; o != NULL && o->name != NULL; o++)
        if (o->after == NULL)
            fprintf(man->out, ".%sAr %s%s\n", o->what != NULL ? "" : "Op ", o->name, o->repeats ? " ..." : "");
    for (uint32_t i = 0; i < cli_option_count(command); i++) {
        if (!command->options[i].alone)
            continue;
        if (!alone)
            put_name(man->out, program, command);
        fprintf(man->out, "%sFl -%s", alone ? " | " : ".", command->options[i].name);
        alone = true;
    }
    if (alone)
        fputc('\n', man->out);
}

/* The words that operands may be. */
static void put_words(struct man *man, const struct cli_command *command)
{
    for (const struct cli_operand *o = command->operands; o != NULL && o->name != NULL; o++) {
        const struct cli_word *words = o->offer.meaning;
        if (words == NULL)
            continue;
        fputs(".Bl -tag -width Ds\n", man->out);
        for (; words->name != NULL; words++) {
            fprintf(man->out, ".It Cm %s\n", words->name);
            put_sentence(man, words->help);
        }
        fputs(".El\n", man->out);
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One mark; false when it is not known. */
static bool put_mark(struct man *man, const char *program, const struct cli_program *all, const char *mark,
                     const struct cli_command *command)
{
    if (strcmp(mark, "NAME") == 0)
        fprintf(man->out, ".Nd %s\n", command->summary);
    else if (strcmp(mark, "SYNOPSIS") == 0)
        put_synopsis(man, program, all, command);
    else if (strcmp(mark, "DESCRIPTION") == 0)
        put_text(man, command->about != NULL ? command->about : "");
    else if (strcmp(mark, "OPTIONS") == 0 && command->run != NULL)
        put_options(man, command);
    else if (strcmp(mark, "WORDS") == 0)
        put_words(man, command);
    else if (strcmp(mark, "BELOW") == 0) {
        /* Each command of a group as a subsection. */
        const struct cli_command *const *commands = all->commands;
        for (; commands != NULL && *commands != NULL; commands++) {
            if (!cli_is_child(command, *commands))
                continue;
            fprintf(man->out, ".Ss %s %s\n", program, (*commands)->name);
            put_text(man, (*commands)->about);
            put_words(man, *commands);
            put_options(man, *commands);
            if ((*commands)->notes != NULL) {
                fputs(".Pp\n", man->out);
                put_text(man, (*commands)->notes);
            }
        }
    } else if (strcmp(mark, "NOTES") == 0 && command->notes != NULL) {
        fputs(".Pp\n", man->out);
        put_text(man, command->notes);
    } else if (strcmp(mark, "STATUS") == 0 && command->status != NULL)
        put_sentence(man, command->status);
    else if (strcmp(mark, "EXAMPLES") == 0) {
        for (const char *line = command->examples; line != NULL && *line != '\0';) {
            size_t length = strcspn(line, "\n");
            fprintf(man->out, ".Dl $ %.*s\n", (int)length, line);
            line += length + (line[length] == '\n');
        }
    } else if (strcmp(mark, "COMMANDS") == 0 && command->run == NULL) {
        const struct cli_command *const *commands = all->commands;
        fputs(".Bl -tag -width Ds\n", man->out);
        for (; *commands != NULL; commands++) {
            if (!cli_is_child(command, *commands))
                continue;
            fprintf(man->out, ".It Cm %s\n", cli_last_word((*commands)->name));
            put_sentence(man, (*commands)->summary);
            if (command->name[0] == '\0')
                fprintf(man->out, "See\n.Xr %s-%s 1 .\n", program, (*commands)->name);
        }
        fputs(".El\n", man->out);
    } else if (strcmp(mark, "PAGES") == 0) {
        const struct cli_command *const *commands = all->commands;
        const char *names[PAGES_MAX];
        size_t count = 0;
        for (; *commands != NULL && count < PAGES_MAX; commands++)
            if (cli_is_child(command, *commands))
                names[count++] = (*commands)->name;
        qsort(names, count, sizeof names[0], compare_names);
        for (size_t i = 0; i < count; i++)
            fprintf(man->out, ".Xr %s-%s 1%s\n", program, names[i], i + 1 < count ? " ," : "");
    } else
        return strcmp(mark, "NOTES") == 0 || strcmp(mark, "STATUS") == 0 || strcmp(mark, "OPTIONS") == 0 ||
               strcmp(mark, "COMMANDS") == 0; /* there is nothing to say */
    return true;
}

static const struct cli_command *find_command(const struct cli_program *all, const char *name)
{
    if (name[0] == '\0')
        return all->self;
    for (const struct cli_command *const *c = all->commands; c != NULL && *c != NULL; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

/* A line of a template, without its end. */
static bool put_line(struct man *man, const char *program, const struct cli_program *all, const char *line)
{
    char mark[32] = "", owner[32] = "";
    int end = 0;
    if (sscanf(line, ".\\\" %31[A-Z] %31s%n", mark, owner, &end) != 2 || strcmp(owner, program) != 0) {
        fprintf(man->out, "%s\n", line);
        return true;
    }
    const char *name = line + end + strspn(line + end, " ");
    const struct cli_command *command = find_command(all, name);
    if (command != NULL && put_mark(man, program, all, mark, command))
        return true;
    cli_error(CLI_INPUT, "a template of a manual page has a mark that means nothing: %s", line);
    return false;
}

static bool put_filled(struct man *man, const char *program, const struct cli_program *all, char *line,
                       const char *command)
{
    char filled[1024] = "", page[64];
    snprintf(page, sizeof page, "%s%s%s", program, command != NULL ? "-" : "", command != NULL ? command : "");
    for (char *c = strchr(page, ' '); c != NULL; c = strchr(page, ' '))
        *c = '-';
    for (size_t used = 0; *line != '\0' && used + 128 < sizeof filled; used = strlen(filled)) {
        if (strncmp(line, "@COMMAND@", 9) == 0) {
            snprintf(filled + used, 128, "%s%s%s", program, command != NULL ? " " : "", command != NULL ? command : "");
            line += 9;
        } else if (strncmp(line, "@PAGE@", 6) == 0) {
            snprintf(filled + used, 128, "%s", page);
            line += 6;
        } else if (strncmp(line, "@TITLE@", 7) == 0) {
            for (size_t i = 0; page[i] != '\0'; i++)
                filled[used + i] = (char)toupper((unsigned char)page[i]);
            line += 7;
        } else if (strncmp(line, "@VERSION@", 9) == 0) {
            snprintf(filled + used, 128, "%s", WEIR_VERSION);
            line += 9;
        } else {
            filled[used] = *line++;
        }
    }
    return put_line(man, program, all, filled);
}

bool cli_put_man(FILE *out, const char *program, const struct cli_program *all, const char *template_path,
                 const char *command)
{
    struct man man = {.out = out};
    char *line = NULL;
    size_t room = 0;
    bool good = true;
    FILE *in = fopen(template_path, "r");
    if (in == NULL) {
        cli_error(CLI_INPUT, "%s: cannot open: %s", template_path, strerror(errno));
        return false;
    }
    for (ssize_t length; good && (length = getline(&line, &room, in)) > 0;) {
        line[line[length - 1] == '\n' ? length - 1 : length] = '\0';
        good = put_filled(&man, program, all, line, command);
    }
    free(line);
    fclose(in);
    return good;
}
