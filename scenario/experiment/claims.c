/*
 * claims.c - `claims`: what a paper says, as expressions over the measures. How they are judged is results/claims.h's
 * matter; here they are only read.
 */
#include <math.h>
#include <string.h>

#include "scenario/experiment/parts.h"

static const char *const rules[] = {[CLAIM_UP_TO] = "up-to",     [CLAIM_ABOUT] = "about", [CLAIM_AT_LEAST] = "at-least",
                                    [CLAIM_AT_MOST] = "at-most", [CLAIM_HOLDS] = "holds", [CLAIM_RULES] = NULL};
static const char *const where_value[] = {"map of axes to labels", NULL};

/* As written. */
struct claim_keys {
    const char *id, *text, *paper, *value, *finding;
    uint32_t rule, unfinished;
    bool quick;
};

#define CLAIM_TEXT(field, must, longest, words)                                                                        \
    {                                                                                                                  \
        .name = #field, .kind = KEY_TEXT, .required = (must), KEY_FIELD(struct claim_keys, field), .min = 1,           \
        .max = (longest), .help = (words)                                                                              \
    }

static const struct key claim_keys[] = {
    CLAIM_TEXT(id, true, 40, "One word, of this claim only."),
    CLAIM_TEXT(text, true, PARTS_TEXT_MAX, "What is claimed, in a sentence."),
    {.name = "rule",
     .kind = KEY_CHOICE,
     .required = true,
     KEY_FIELD(struct claim_keys, rule),
     .choices = rules,
     .help = "How the value is compared with the paper's number; holds: it is true everywhere."},
    CLAIM_TEXT(paper, false, 40, "The paper's number: `55%`, `8x`, `222us`; not with holds."),
    CLAIM_TEXT(value, true, PARTS_TEXT_MAX, "An expression over the measures."),
    {.name = "unfinished",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct claim_keys, unfinished),
     .choices = parts_unfinished,
     .help = "Flows and queries that did not finish, as in figures."},
    {.name = "where",
     .kind = KEY_OTHER,
     .choices = where_value,
     .help = "Axes held at one value. Those that neither this nor the expression holds are all looked at."},
    {.name = "quick",
     .kind = KEY_FLAG,
     KEY_FIELD(struct claim_keys, quick),
     .max = 1,
     .help = "Also checked at quick size."},
    CLAIM_TEXT(finding, false, PARTS_TEXT_MAX, "Why it is not met, if known."),
};

static void claim_defaults(void *target, uint32_t kind)
{
    (void)kind;
    *(struct claim_keys *)target = (struct claim_keys){.quick = true};
}

const struct section claim_section = {
    .name = "claim",
    .keys = claim_keys,
    .count = KEYS_COUNT(claim_keys),
    .size = sizeof(struct claim_keys),
    .defaults = claim_defaults,
    .place = "claims[]",
    .help = "Something that a paper says of its results.",
};

static bool read_id(struct parts *parts, const struct node *item, const struct claim *claims, uint32_t count)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-.";
    const struct node *id = node_find(item, "id");
    if (strspn(id->text, word) != strlen(id->text))
        return reader_fail(&parts->reader, id, "id: '%s' is not one word (expected letters, digits, -, _ and .)",
                           error_text(id->text).text);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(claims[i].id, id->text) == 0)
            return reader_fail(&parts->reader, id, "id: '%s' is another claim's (first in line %u)",
                               error_text(id->text).text, claims[i].mark.line);
    return true;
}

/* The paper's number, which every rule but `holds` has. */
static bool read_paper(struct parts *parts, const struct node *item, struct claim *claim)
{
    const struct node *paper = node_find(item, "paper");
    const char *unit;
    if (claim->rule == CLAIM_HOLDS) {
        claim->paper = NAN;
        return paper == NULL ||
               reader_fail(&parts->reader, paper, "paper: the rule holds compares with nothing (expected no number)");
    }
    if (paper == NULL)
        return reader_fail(&parts->reader, item,
                           "claim: 'paper' is missing (expected the number that %s compares with)", rules[claim->rule]);
    if (!expression_number(paper->text, &claim->paper, &unit))
        return reader_fail(&parts->reader, paper, "paper: '%s' is not a number (expected one such as 55%%, 8x, 222us)",
                           error_text(paper->text).text);
    claim->times = paper->text[strlen(paper->text) - 1] == 'x';
    if (claim->rule == CLAIM_UP_TO && claim->paper <= (claim->times ? 1 : 0))
        return reader_fail(&parts->reader, paper,
                           "paper: up-to '%s' claims nothing (expected more than %s: an amount by which the value "
                           "differs in the claimed direction)",
                           error_text(paper->text).text, claim->times ? "1x" : "0");
    return true;
}

static bool read_claim(struct parts *parts, const struct node *item, struct claim *claims, uint32_t count)
{
    struct claim *claim = &claims[count];
    struct claim_keys keys;
    struct parts_pins pins;
    claim_defaults(&keys, 0);
    if (!section_read(&parts->reader, &claim_section, item, 0, &keys) || !read_id(parts, item, claims, count))
        return false;
    *claim = (struct claim){.id = keys.id,
                            .text = keys.text,
                            .rule = (enum claim_rule)keys.rule,
                            .paper_text = keys.paper,
                            .finding = keys.finding,
                            .quick = keys.quick,
                            .unfinished = (enum unfinished)keys.unfinished,
                            .mark = item->mark,
                            .value_mark = node_find(item, "value")->mark};
    if (!read_paper(parts, item, claim) || !parts_read_where(parts, item, &pins))
        return false;
    claim->where = pins.at;
    claim->where_count = pins.count;
    claim->value = parts_read_expression(parts, item, "value");
    return claim->value != NULL;
}

bool parts_read_claims(struct parts *parts)
{
    struct experiment *experiment = parts->experiment;
    bool good = true;
    const struct node *list = parts_list(parts, "claims", &good);
    if (list == NULL)
        return good;
    struct claim *claims = arena_take_array(parts->reader.arena, list->count + 1, sizeof *claims);
    if (claims == NULL)
        return weir_fail_memory(parts->reader.error);
    experiment->claims = claims;
    for (const struct node *item = list->first; item != NULL; item = item->next, experiment->claim_count++)
        if (!read_claim(parts, item, claims, experiment->claim_count))
            return false;
    return true;
}
