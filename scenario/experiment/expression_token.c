/*
 * expression_token.c - see expression_token.h. A '-' or '.' between two letters or digits belongs to a name; a unit is
 * letters or % right behind a number.
 */
#include "scenario/experiment/expression_token.h"

#include <string.h>

#include "scenario/experiment/expression.h"

#define NUMBER_MAX 48u

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c);
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " ");
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    while (is_word(text[length]) || ((text[length] == '-' || text[length] == '.') && is_word(text[length + 1])))
        length++;
    return length;
}

static void read_number(struct token *token)
{
    char text[NUMBER_MAX];
    const char *unit;
    size_t length = 0;
    while (is_word(token->start[length]) || token->start[length] == '.')
        length++;
    length += token->start[length] == '%';
    token->length = length;
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : 0), token->start);
    token->kind = expression_number(text, &token->number, &unit) ? TOKEN_NUMBER : TOKEN_BAD;
}

static void read_sign(struct token *token)
{
    static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")", "[", "]", ","};
    token->kind = TOKEN_BAD;
    token->length = 1;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0] && token->kind == TOKEN_BAD; i++) {
        if (strncmp(token->start, signs[i], strlen(signs[i])) != 0)
            continue;
        token->kind = TOKEN_SIGN;
        token->length = strlen(signs[i]);
    }
}

void token_first(struct token *token, const char *text)
{
    *token = (struct token){.start = skip_blanks(text)};
    char c = token->start[0];
    if (c == '\0') {
        token->kind = TOKEN_END;
    } else if (is_digit(c)) {
        read_number(token);
    } else if (is_letter(c)) {
        token->length = name_length(token->start);
        token->kind = token->length < EXPRESSION_NAME_MAX ? TOKEN_NAME : TOKEN_BAD;
        if (token_is(token, "and") || token_is(token, "or"))
            token->kind = TOKEN_SIGN;
    } else {
        read_sign(token);
    }
}

void token_next(struct token *token)
{
    token_first(token, token->start + token->length);
}

bool token_is(const struct token *token, const char *text)
{
    return token->length == strlen(text) && strncmp(token->start, text, token->length) == 0;
}

/* The label and where the text goes on; null: none. */
static const char *read_label(const char *text, char label[EXPRESSION_LABEL_MAX])
{
    bool quoted = *text == '"' || *text == '\'';
    const char quote[2] = {*text, '\0'};
    text += quoted;
    size_t length = strcspn(text, quoted ? quote : ",[]\"'");
    const char *end = text + length;
    if (quoted && *end != quote[0])
        return NULL;
    while (!quoted && length > 0 && text[length - 1] == ' ')
        length--;
    if (length == 0 || length >= EXPRESSION_LABEL_MAX)
        return NULL;
    memcpy(label, text, length);
    label[length] = '\0';
    return skip_blanks(end + quoted);
}

bool token_hold(struct token *token, struct token_hold *hold)
{
    const char *text = skip_blanks(token->start + token->length);
    *hold = (struct token_hold){.start = text, .name = text, .name_length = name_length(text)};
    text = skip_blanks(text + hold->name_length);
    if (hold->name_length == 0 || *text != '=')
        return false;
    text = read_label(skip_blanks(text + 1), hold->label);
    if (text == NULL || (*text != ',' && *text != ']'))
        return false;
    token_first(token, text);
    return true;
}
