/*
 * expression_token.h - the pieces of an expression's text: numbers with units, names, signs, and what stands in
 * brackets. For expression.c only.
 */
#ifndef SCENARIO_EXPERIMENT_EXPRESSION_TOKEN_H
#define SCENARIO_EXPERIMENT_EXPRESSION_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#define EXPRESSION_NAME_MAX 128u
#define EXPRESSION_LABEL_MAX 128u

enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_SIGN, /* also the words and, or */
    TOKEN_BAD   /* a character that no expression has, a number with an unknown unit, a name that is too long */
};

struct token {
    enum token_kind kind;
    const char *start; /* the rest of the text begins with it */
    size_t length;
    double number;
};

void token_first(struct token *token, const char *text);
void token_next(struct token *token);
bool token_is(const struct token *token, const char *text);

/* "axis=label": see token_hold. */
struct token_hold {
    const char *start; /* where it begins */
    const char *name;
    size_t name_length;
    char label[EXPRESSION_LABEL_MAX];
};

/* What follows the token "[" or ",", up to the next "," or "]", which is then the token. False: it is something else,
 * or never ends. */
bool token_hold(struct token *token, struct token_hold *hold);

#endif
