/*
 * expression.c - text to a tree of an expression, by recursive descent, one function per level of precedence:
 *
 *   either   = both {"or" both}                       both    = compared {"and" compared}
 *   compared = sum [("<" | "<=" | "==" | ...) sum]    sum     = product {("+" | "-") product}
 *   product  = negated {("*" | "/") negated}          negated = "-" negated | held
 *   held     = atom {"[" axis "=" label {"," axis "=" label} "]"}
 *   atom     = number | name | function "(" arguments ")" | "(" either ")"
 *
 * Invariant: neither the nesting while reading nor the depth of the tree exceeds EXPRESSION_DEPTH_MAX, so that neither
 * reading nor evaluating can exhaust the stack.
 */
#include "scenario/experiment/expression.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "scenario/experiment/experiment.h"
#include "scenario/yaml/decimal.h"

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

/* "axis=label": see token_hold. */
struct token_hold {
    const char *start; /* where it begins */
    const char *name;
    size_t name_length;
    char label[EXPRESSION_LABEL_MAX];
};

/* Numbers with units as doubles in base units, for labels, claims and expressions. What a scenario's own values
 * become is key.c's matter, which is exact and knows packets and buffers; here "80% buffer" is only 0.8 on a chart. */

struct unit {
    const char *suffix;
    uint64_t multiplier, divisor;
    const char *base;
};

static const struct unit units[] = {
    {"", 1, 1, ""},
    {"%", 1, 100, ""},
    {"x", 1, 1, ""},
    {"pkt", 1, 1, ""},
    {"% buffer", 1, 100, ""},
    {"/s", 1, 1, ""},
    {"ps", 1, 1000000000000, "s"},
    {"ns", 1, 1000000000, "s"},
    {"us", 1, 1000000, "s"},
    {"ms", 1, 1000, "s"},
    {"s", 1, 1, "s"},
    {"B", 1, 1, "B"},
    {"KB", 1000, 1, "B"},
    {"KiB", 1024, 1, "B"},
    {"MB", 1000000, 1, "B"},
    {"MiB", 1048576, 1, "B"},
    {"GB", 1000000000, 1, "B"},
    {"GiB", 1073741824, 1, "B"},
    {"bps", 1, 1, "bit/s"},
    {"Kbps", 1000, 1, "bit/s"},
    {"Mbps", 1000000, 1, "bit/s"},
    {"Gbps", 1000000000, 1, "bit/s"},
    {"Tbps", 1000000000000, 1, "bit/s"},
};

bool expression_number(const char *text, double *number, const char **unit)
{
    struct decimal decimal;
    if (!decimal_read(text, &decimal))
        return false;
    if (strcmp(decimal_rate_unit(decimal.rest), decimal.rest) != 0 &&
        (strchr(decimal.rest, '/') != NULL || strcmp(decimal.rest, "G") == 0)) /* "1K" may be anything */
        decimal.rest = decimal_rate_unit(decimal.rest);
    /* The length of the unit without "per port" or "per Gbps", which an axis keeps in its title. */
    const char *per = strstr(decimal.rest, " per ");
    bool known = per != NULL && (strcmp(per, " per port") == 0 || strcmp(per, " per Gbps") == 0);
    size_t length = known ? (size_t)(per - decimal.rest) : strlen(decimal.rest);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].suffix) != length || strncmp(units[i].suffix, decimal.rest, length) != 0)
            continue;
        /* one division: what is written in few digits becomes the nearest double */
        *number = (double)decimal.mantissa * (double)units[i].multiplier;
        *number /= (double)units[i].divisor * (double)decimal.one;
        *number = decimal.negative ? -*number : *number;
        *unit = units[i].base;
        return true;
    }
    return false;
}

/* The pieces of the text. A '-' or '.' between two letters or digits belongs to a name; a unit is letters or % right
 * behind a number. */

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

static bool token_is(const struct token *token, const char *text)
{
    return token->length == strlen(text) && strncmp(token->start, text, token->length) == 0;
}

static void token_first(struct token *token, const char *text)
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
        static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">", "+", "-",
                                            "*",  "/",  "(",  ")",  "[", "]", ","};
        token->kind = TOKEN_BAD;
        token->length = 1;
        for (size_t i = 0; i < sizeof signs / sizeof signs[0] && token->kind == TOKEN_BAD; i++) {
            if (strncmp(token->start, signs[i], strlen(signs[i])) != 0)
                continue;
            token->kind = TOKEN_SIGN;
            token->length = strlen(signs[i]);
        }
    }
}

static void token_next(struct token *token)
{
    token_first(token, token->start + token->length);
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

/* What follows the token "[" or ",", up to the next "," or "]", which is then the token. False: it is something else,
 * or never ends. */
static bool token_hold(struct token *token, struct token_hold *hold)
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

struct parser {
    struct token token; /* the next one */
    struct arena *arena;
    const struct expression_axes *axes;
    struct mark mark;
    struct weir_error *error;
    uint32_t nesting;
};

typedef const struct expression *parsed; /* null after an error */

static parsed parse_either(struct parser *p);

static parsed fail_here(struct parser *p, const char *expected)
{
    if (p->token.kind == TOKEN_END)
        error_at(p->error, p->mark, "the expression ends too early (expected %s)", expected);
    else if (p->token.kind == TOKEN_BAD)
        error_at(p->error, p->mark, "'%s' is not understood (expected %s)", error_text(p->token.start).text,
                 p->token.start[0] == '=' ? "== to compare" : expected);
    else
        error_at(p->error, p->mark, "unexpected '%s' (expected %s)", error_text(p->token.start).text, expected);
    return NULL;
}

static parsed fail_nesting(struct parser *p)
{
    error_at(p->error, p->mark, "the expression is too deep (expected at most %u levels)", EXPRESSION_DEPTH_MAX);
    return NULL;
}

static bool enter(struct parser *p)
{
    return ++p->nesting <= EXPRESSION_DEPTH_MAX || fail_nesting(p) != NULL;
}

static parsed leave(struct parser *p, parsed result)
{
    p->nesting--;
    return result;
}

static uint32_t depth_of(parsed of)
{
    return of != NULL ? of->depth : 0;
}

static parsed make(struct parser *p, struct expression expression)
{
    uint32_t left = depth_of(expression.left), right = depth_of(expression.right);
    expression.depth = 1 + (left > right ? left : right);
    if (expression.depth > EXPRESSION_DEPTH_MAX)
        return fail_nesting(p);
    struct expression *made = arena_take(p->arena, sizeof *made);
    if (made == NULL)
        weir_fail_memory(p->error);
    else
        *made = expression;
    return made;
}

static parsed make_pair(struct parser *p, enum expression_kind kind, parsed left, parsed right)
{
    if (left == NULL || right == NULL)
        return NULL;
    return make(p, (struct expression){.kind = kind, .left = left, .right = right});
}

static bool take(struct parser *p, const char *text)
{
    bool here = token_is(&p->token, text);
    if (here)
        token_next(&p->token);
    return here;
}

/* The axis of this name; FIGURE_NO_AXIS: there is none. */
static uint32_t find_axis(const struct parser *p, const char *name, size_t length)
{
    for (uint32_t i = 0; i < p->axes->count; i++)
        if (strlen(p->axes->axes[i].name) == length && strncmp(p->axes->axes[i].name, name, length) == 0)
            return i;
    return FIGURE_NO_AXIS;
}

static parsed fail_axis(struct parser *p, const char *name, size_t length)
{
    const char *names[EXPERIMENT_AXES_MAX + 1] = {NULL};
    char typed[EXPRESSION_NAME_MAX];
    snprintf(typed, sizeof typed, "%.*s", (int)(length < sizeof typed ? length : sizeof typed - 1), name);
    for (uint32_t i = 0; i < p->axes->count; i++)
        names[i] = p->axes->axes[i].name;
    error_at(p->error, p->mark, "unknown axis '%s'%s", error_text(typed).text, error_hint(typed, names).text);
    return NULL;
}

static bool find_label(struct parser *p, uint32_t axis, const char *label, uint32_t *value)
{
    const struct axis *of = &p->axes->axes[axis];
    for (*value = 0; *value < of->count; ++*value)
        if (strcmp(of->values[*value].label, label) == 0)
            return true;
    *value = EXPRESSION_NO_VALUE;
    return p->axes->lenient || of->unread || axis_refuse_label(of, label, p->mark, p->error);
}

/* One "axis=label" of what stands in brackets. */
static parsed parse_hold(struct parser *p, parsed of)
{
    struct token_hold hold;
    uint32_t value;
    if (!token_hold(&p->token, &hold)) {
        error_at(p->error, p->mark, "'[%s' is not understood (expected [axis=label])", error_text(hold.start).text);
        return NULL;
    }
    uint32_t axis = find_axis(p, hold.name, hold.name_length);
    if (axis == FIGURE_NO_AXIS)
        return fail_axis(p, hold.name, hold.name_length);
    for (parsed inner = of; inner->kind == EXPRESSION_HOLD; inner = inner->left) {
        if (inner->axis != axis)
            continue;
        error_at(p->error, p->mark, "axis '%s' is held twice", p->axes->axes[axis].name);
        return NULL;
    }
    if (!find_label(p, axis, hold.label, &value))
        return NULL;
    return make(p, (struct expression){.kind = EXPRESSION_HOLD, .axis = axis, .value = value, .left = of});
}

static parsed parse_name(struct parser *p)
{
    const struct token name = p->token;
    uint32_t axis = find_axis(p, name.start, name.length);
    token_next(&p->token);
    if (axis == FIGURE_NO_AXIS) {
        const char *copy = arena_text(p->arena, name.start, name.length);
        if (copy == NULL)
            weir_fail_memory(p->error);
        return copy == NULL ? NULL : make(p, (struct expression){.kind = EXPRESSION_MEASURE, .name = copy});
    }
    if (p->axes->axes[axis].unit == NULL) {
        error_at(p->error, p->mark, "axis '%s' has no numbers (expected one whose labels are numbers of one unit)",
                 p->axes->axes[axis].name);
        return NULL;
    }
    return make(p, (struct expression){.kind = EXPRESSION_AXIS, .axis = axis});
}

static const struct function {
    const char *name;
    enum expression_kind over, pair; /* of an axis, of two values */
} functions[] = {
    {"max", EXPRESSION_MAX, EXPRESSION_MAX2},       {"min", EXPRESSION_MIN, EXPRESSION_MIN2},
    {"mean", EXPRESSION_MEAN, EXPRESSION_NUMBER},   {"sum", EXPRESSION_SUM, EXPRESSION_NUMBER},
    {"count", EXPRESSION_COUNT, EXPRESSION_NUMBER}, {"largest", EXPRESSION_LARGEST, EXPRESSION_NUMBER},
    {"abs", EXPRESSION_ABS, EXPRESSION_ABS},
};

static const struct function *find_function(struct parser *p)
{
    const char *names[sizeof functions / sizeof functions[0] + 1] = {NULL};
    char typed[EXPRESSION_NAME_MAX];
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        names[i] = functions[i].name;
        if (token_is(&p->token, functions[i].name))
            return &functions[i];
    }
    snprintf(typed, sizeof typed, "%.*s", (int)p->token.length, p->token.start);
    error_at(p->error, p->mark, "unknown function '%s'%s", error_text(typed).text, error_hint(typed, names).text);
    return NULL;
}

static parsed parse_arguments(struct parser *p, const struct function *function)
{
    struct token after = p->token;
    token_next(&after);
    bool listed = p->token.kind == TOKEN_NAME && token_is(&after, ",");
    uint32_t axis = listed ? find_axis(p, p->token.start, p->token.length) : FIGURE_NO_AXIS;
    if (function->over == EXPRESSION_ABS) {
        parsed of = parse_either(p);
        return of == NULL ? NULL : make(p, (struct expression){.kind = EXPRESSION_ABS, .left = of});
    }
    if (axis != FIGURE_NO_AXIS) {
        /* "(axis, e)" of a function over an axis. */
        if (function->over == EXPRESSION_LARGEST && p->axes->axes[axis].unit == NULL)
            return parse_name(p); /* which says so */
        token_next(&p->token);
        token_next(&p->token);
        parsed of = parse_either(p);
        if (of == NULL)
            return NULL;
        return make(p, (struct expression){.kind = function->over, .axis = axis, .left = of});
    }
    if (function->pair == EXPRESSION_NUMBER)
        return listed ? fail_axis(p, p->token.start, p->token.length) : fail_here(p, "an axis and a comma");
    parsed left = parse_either(p);
    if (left == NULL || !take(p, ","))
        return left == NULL ? NULL : fail_here(p, "a comma");
    return make_pair(p, function->pair, left, parse_either(p));
}

static parsed parse_atom(struct parser *p)
{
    struct token after = p->token;
    parsed inside;
    if (p->token.kind == TOKEN_NUMBER) {
        token_next(&p->token);
        return make(p, (struct expression){.kind = EXPRESSION_NUMBER, .number = after.number});
    }
    if (p->token.kind == TOKEN_NAME) {
        token_next(&after);
        if (!token_is(&after, "("))
            return parse_name(p);
        const struct function *function = find_function(p);
        if (function == NULL)
            return NULL;
        p->token = after;
        token_next(&p->token);
        inside = parse_arguments(p, function);
    } else {
        if (!take(p, "("))
            return fail_here(p, "a number, a measure or '('");
        inside = parse_either(p);
    }
    return inside == NULL || take(p, ")") ? inside : fail_here(p, "an operator or ')'");
}

static parsed parse_negated(struct parser *p)
{
    if (!take(p, "-")) {
        parsed left = parse_atom(p);
        while (left != NULL && token_is(&p->token, "[")) {
            do
                left = parse_hold(p, left);
            while (left != NULL && token_is(&p->token, ","));
            if (left != NULL)
                token_next(&p->token);
        }
        return left;
    }
    if (!enter(p))
        return NULL;
    parsed of = parse_negated(p);
    return leave(p, of == NULL ? NULL : make(p, (struct expression){.kind = EXPRESSION_NEGATE, .left = of}));
}

static parsed parse_product(struct parser *p)
{
    parsed left = parse_negated(p);
    while (left != NULL && (token_is(&p->token, "*") || token_is(&p->token, "/"))) {
        enum expression_kind kind = token_is(&p->token, "*") ? EXPRESSION_MULTIPLY : EXPRESSION_DIVIDE;
        token_next(&p->token);
        left = make_pair(p, kind, left, parse_negated(p));
    }
    return left;
}

static parsed parse_sum(struct parser *p)
{
    parsed left = parse_product(p);
    while (left != NULL && (token_is(&p->token, "+") || token_is(&p->token, "-"))) {
        enum expression_kind kind = token_is(&p->token, "+") ? EXPRESSION_ADD : EXPRESSION_SUBTRACT;
        token_next(&p->token);
        left = make_pair(p, kind, left, parse_product(p));
    }
    return left;
}

static parsed parse_compared(struct parser *p)
{
    static const struct {
        const char *text;
        enum expression_kind kind;
        bool turned;
    } signs[] = {{"<", EXPRESSION_LESS, false},   {"<=", EXPRESSION_LESS_EQUAL, false},
                 {">", EXPRESSION_LESS, true},    {">=", EXPRESSION_LESS_EQUAL, true},
                 {"==", EXPRESSION_EQUAL, false}, {"!=", EXPRESSION_UNEQUAL, false}};
    parsed left = parse_sum(p);
    for (size_t i = 0; left != NULL && i < sizeof signs / sizeof signs[0]; i++) {
        if (!take(p, signs[i].text))
            continue;
        parsed right = parse_sum(p);
        return make_pair(p, signs[i].kind, signs[i].turned ? right : left, signs[i].turned ? left : right);
    }
    return left;
}

static parsed parse_both(struct parser *p)
{
    parsed left = parse_compared(p);
    while (left != NULL && take(p, "and"))
        left = make_pair(p, EXPRESSION_AND, left, parse_compared(p));
    return left;
}

static parsed parse_either(struct parser *p)
{
    if (!enter(p))
        return NULL;
    parsed left = parse_both(p);
    while (left != NULL && take(p, "or"))
        left = make_pair(p, EXPRESSION_OR, left, parse_both(p));
    return leave(p, left);
}

const struct expression *expression_read(struct arena *arena, const struct expression_axes *axes, struct mark mark,
                                         const char *text, struct weir_error *error)
{
    struct parser parser = {.arena = arena, .axes = axes, .mark = mark, .error = error};
    token_first(&parser.token, text);
    parsed whole = parse_either(&parser);
    return whole == NULL || parser.token.kind == TOKEN_END ? whole : fail_here(&parser, "an operator, or nothing more");
}
