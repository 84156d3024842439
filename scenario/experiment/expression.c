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
 * reading nor evaluating can exhaust the stack. The pieces of the text come from expression_token.c.
 */
#include "scenario/experiment/expression.h"

#include <string.h>

#include "scenario/experiment/experiment.h"
#include "scenario/experiment/expression_token.h"

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

/* "(axis, e)" of a function over an axis. */
static parsed parse_over(struct parser *p, const struct function *function, uint32_t axis)
{
    if (function->over == EXPRESSION_LARGEST && p->axes->axes[axis].unit == NULL)
        return parse_name(p); /* which says so */
    token_next(&p->token);
    token_next(&p->token);
    parsed of = parse_either(p);
    if (of == NULL)
        return NULL;
    return make(p, (struct expression){.kind = function->over, .axis = axis, .left = of});
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
    if (axis != FIGURE_NO_AXIS)
        return parse_over(p, function, axis);
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

static parsed parse_held(struct parser *p)
{
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

static parsed parse_negated(struct parser *p)
{
    if (!take(p, "-"))
        return parse_held(p);
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
