/*
 * claims.c - `claims`: what a paper says, as expressions over the measures. How they are judged is lab/store/claims.h's
 * matter; here they are only read.
 */
#include <math.h>
#include <string.h>

#include "scenario/experiment/reading.h"

static const char *const rules[] = {
    [CLAIM_UP_TO] = "up-to",     [CLAIM_ABOUT] = "about", [CLAIM_AT_LEAST] = "at-least",
    [CLAIM_AT_MOST] = "at-most", [CLAIM_HOLDS] = "holds", [CLAIM_INVARIANT] = "invariant",
    [CLAIM_RULES] = NULL};
static const char *const where_value[] = {"map of axes to labels, lists or ranges", NULL};
static const char *const tried_value[] = {"list", NULL};

#define TRIALS_MAX 20u

/* As written. */
struct claim_keys {
    const char *id, *text, *paper, *value, *needs, *finding, *reason, *narrowed, *of, *fitted, *computed;
    uint32_t rule, unfinished;
    bool expected, quick;
};

#define TEXT_KEY(type, field, must, longest, words)                                                                    \
    {                                                                                                                  \
        .name = #field, .kind = KEY_TEXT, .required = (must), KEY_FIELD(type, field), .min = 1, .max = (longest),      \
        .help = (words)                                                                                                \
    }
#define CLAIM_TEXT(field, must, longest, words) TEXT_KEY(struct claim_keys, field, must, longest, words)
#define TRIAL_TEXT(field, must, words) TEXT_KEY(struct claim_trial, field, must, READING_TEXT_MAX, words)

static const struct key trial_keys[] = {
    TRIAL_TEXT(idea, true, "What could explain it."),
    TRIAL_TEXT(done, true, "How that was tested."),
    TRIAL_TEXT(outcome, true, "What came out, and what that says of the idea."),
    TRIAL_TEXT(set, false, "What repeats it, as after `weir run --set`: `switch.buffer=990KB`."),
};

const struct section trial_section = {
    .name = "tried",
    SECTION_KEYS(struct claim_trial, trial_keys),
    .place = "claims[].tried[]",
    .help = "An explanation of a claim that is missed, and its test. A missed claim has two of them or more.",
};

static const struct key claim_keys[] = {
    CLAIM_TEXT(id, true, 40, "One word, of this claim only."),
    CLAIM_TEXT(text, true, READING_TEXT_MAX, "What is claimed, in a sentence."),
    {.name = "rule",
     .kind = KEY_CHOICE,
     .required = true,
     KEY_FIELD(struct claim_keys, rule),
     .choices = rules,
     .help =
         "How the value is compared with the paper's number; holds: it is true everywhere; invariant: in every seed "
         "too."},
    CLAIM_TEXT(paper, false, 40, "The paper's number: `55%`, `8x`, `222us`; not with holds and invariant."),
    CLAIM_TEXT(value, true, READING_TEXT_MAX, "An expression over the measures."),
    {.name = "unfinished",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct claim_keys, unfinished),
     .choices = reading_unfinished,
     .help = "Flows and queries that did not finish, as in figures."},
    {.name = "where",
     .kind = KEY_OTHER,
     .choices = where_value,
     .help = "The points that the claim is about: an axis at a label, at a list of labels, or `{from: 20%, to: 60%}`. "
             "Axes that neither this nor the expression holds are all looked at."},
    CLAIM_TEXT(needs, false, READING_TEXT_MAX,
               "A condition: what the baseline must show. Points where it is false do not count; if none is left the "
               "claim is vacuous."),
    {.name = "quick",
     .kind = KEY_FLAG,
     KEY_FIELD(struct claim_keys, quick),
     .max = 1,
     .help = "Also checked at quick size."},
    {.name = "expected",
     .kind = KEY_FLAG,
     KEY_FIELD(struct claim_keys, expected),
     .max = 1,
     .help = "Ours: no paper states it. Counted apart."},
    CLAIM_TEXT(of, false, 40, "The id of the claim above that this one narrows, with `narrowed`."),
    CLAIM_TEXT(narrowed, false, READING_TEXT_MAX,
               "Why this says less than the paper, written after a look at results. Counted apart."),
    CLAIM_TEXT(fitted, false, READING_TEXT_MAX,
               "Which parameter was chosen so that the number comes out: never met, but fitted. Counted apart."),
    CLAIM_TEXT(computed, false, READING_TEXT_MAX,
               "How the paper's number follows from printed ones, where it is not printed itself."),
    CLAIM_TEXT(reason, false, READING_TEXT_MAX, "Why we go beyond the paper's number, if known; with up-to."),
    CLAIM_TEXT(finding, false, READING_TEXT_MAX, "Why it is not met, if known."),
    {.name = "tried",
     .kind = KEY_OTHER,
     .of = &trial_section,
     .nesting = KEY_LIST_OF_SECTIONS,
     .choices = tried_value,
     .help = "Explanations of a miss that were tested."},
};

const struct section claim_section = {
    .name = "claim",
    SECTION_KEYS(struct claim_keys, claim_keys),
    .initial = &(const struct claim_keys){.quick = true},
    .place = "claims[]",
    .help = "Something that a paper says of its results.",
};

/* The paper's number, which every rule but `holds` has. */
static bool read_paper(struct reading *reading, const struct node *item, struct claim *claim)
{
    const struct node *paper = node_find(item, "paper");
    const char *unit;
    if (claim->rule == CLAIM_HOLDS || claim->rule == CLAIM_INVARIANT) {
        claim->paper = NAN;
        return paper == NULL ||
               reader_fail(&reading->reader, paper, "paper: the rule %s compares with nothing (expected no number)",
                           rules[claim->rule]);
    }
    if (paper == NULL)
        return reader_fail(&reading->reader, item,
                           "claim: 'paper' is missing (expected the number that %s compares with)", rules[claim->rule]);
    if (!expression_number(paper->text, &claim->paper, &unit))
        return reader_fail(&reading->reader, paper,
                           "paper: '%s' is not a number (expected one such as 55%%, 8x, 222us)",
                           error_text(paper->text).text);
    claim->times = paper->text[strlen(paper->text) - 1] == 'x';
    if (claim->rule == CLAIM_UP_TO && claim->paper <= (claim->times ? 1 : 0))
        return reader_fail(&reading->reader, paper,
                           "paper: up-to '%s' claims nothing (expected more than %s: an amount by which the value "
                           "differs in the claimed direction)",
                           error_text(paper->text).text, claim->times ? "1x" : "0");
    if (claim->rule == CLAIM_ABOUT && claim->paper == 0)
        return reader_fail(&reading->reader, paper,
                           "paper: about '%s' has no tolerance, which is a part of the number (expected at-most or "
                           "at-least, with a bound)",
                           error_text(paper->text).text);
    return true;
}

/* The claim that this one narrows: `of` and `narrowed` stand together, and the paper's claim stands first. */
static bool read_narrowed(struct reading *reading, const struct node *item, struct claim *claims, uint32_t count)
{
    const struct node *of = node_find(item, "of"), *narrowed = node_find(item, "narrowed");
    struct claim *claim = &claims[count];
    claim->of = CLAIM_NOT_NARROWED;
    if ((of == NULL) != (narrowed == NULL))
        return reader_fail(&reading->reader, of != NULL ? of : narrowed, "claim: '%s' is missing (expected %s)",
                           of != NULL ? "narrowed" : "of",
                           of != NULL ? "why it says less than the paper" : "the id of the claim that it narrows");
    if (of == NULL)
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(claims[i].id, of->text) == 0)
            claim->of = i;
    if (claim->of == CLAIM_NOT_NARROWED)
        return reading->unread_claim ||
               reader_fail(&reading->reader, of,
                           "of: '%s' is no claim above this one (expected the paper's claim first)",
                           error_text(of->text).text);
    if (claims[claim->of].of != CLAIM_NOT_NARROWED)
        return reader_fail(&reading->reader, of, "of: '%s' is narrowed itself (expected the paper's claim, '%s')",
                           error_text(of->text).text, error_text(claims[claims[claim->of].of].id).text);
    return true;
}

/* Keys that say something of another verdict than this rule has. */
static bool read_reason(struct reading *reading, const struct node *item, const struct claim *claim)
{
    return claim->reason == NULL || claim->rule == CLAIM_UP_TO ||
           reader_fail(&reading->reader, node_find(item, "reason"),
                       "reason: the rule %s has no beyond (expected up-to, or a finding)", rules[claim->rule]);
}

static bool read_trials(struct reading *reading, const struct node *item, struct claim *claim)
{
    const struct node *list = node_find(item, "tried");
    if (list == NULL)
        return true;
    if (list->kind != NODE_LIST || list->count == 0 || list->count > TRIALS_MAX)
        return reader_fail(&reading->reader, list, "tried: expected a list of 1 to %u explanations", TRIALS_MAX);
    struct claim_trial *trials = arena_take_array(reading->reader.arena, list->count, sizeof *trials);
    if (trials == NULL)
        return weir_fail_memory(reading->reader.error);
    claim->trials = trials;
    for (const struct node *one = list->first; one != NULL; one = one->next) {
        section_defaults(&trial_section, &trials[claim->trial_count], 0);
        if (!section_read(&reading->reader, &trial_section, one, 0, &trials[claim->trial_count++]))
            return false;
    }
    return true;
}

static bool read_claim(struct reading *reading, const struct node *item, struct claim *claims, uint32_t count)
{
    struct claim *claim = &claims[count];
    struct claim_keys keys;
    struct reading_pins pins;
    section_defaults(&claim_section, &keys, 0);
    *claim = (struct claim){.of = CLAIM_NOT_NARROWED};
    if (!section_read(&reading->reader, &claim_section, item, 0, &keys))
        return false;
    *claim = (struct claim){.id = keys.id,
                            .text = keys.text,
                            .rule = (enum claim_rule)keys.rule,
                            .paper_text = keys.paper,
                            .finding = keys.finding,
                            .reason = keys.reason,
                            .narrowed = keys.narrowed,
                            .fitted = keys.fitted,
                            .computed = keys.computed,
                            .expected = keys.expected,
                            .quick = keys.quick,
                            .unfinished = (enum unfinished)keys.unfinished,
                            .mark = item->mark,
                            .value_mark = node_find(item, "value")->mark};
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-.";
    const struct node *id = node_find(item, "id");
    if (strspn(id->text, word) != strlen(id->text))
        return reader_fail(&reading->reader, id, "id: '%s' is not one word (expected letters, digits, -, _ and .)",
                           error_text(id->text).text);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(claims[i].id, id->text) == 0)
            return reader_fail(&reading->reader, id, "id: '%s' is another claim's (first in line %u)",
                               error_text(id->text).text, claims[i].mark.line);
    if (!read_paper(reading, item, claim) || !read_narrowed(reading, item, claims, count) ||
        !read_reason(reading, item, claim) || !read_trials(reading, item, claim) ||
        !reading_of_where(reading, item, true, &pins))
        return false;
    claim->where = pins.at;
    claim->where_count = pins.count;
    claim->value = reading_of_expression(reading, item, "value");
    claim->needs = keys.needs != NULL ? reading_of_expression(reading, item, "needs") : NULL;
    return claim->value != NULL && (keys.needs == NULL || claim->needs != NULL);
}

bool reading_of_claims(struct reading *reading)
{
    struct experiment *experiment = reading->experiment;
    bool good = true;
    const struct node *list = reading_list(reading, "claims", &good);
    if (list == NULL)
        return good;
    struct claim *claims = arena_take_array(reading->reader.arena, list->count + 1, sizeof *claims);
    if (claims == NULL)
        return weir_fail_memory(reading->reader.error);
    experiment->claims = claims;
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        if (read_claim(reading, item, claims, experiment->claim_count)) {
            experiment->claim_count++;
            continue;
        }
        good = false;
        reading->unread_claim = true;
        if (!reader_goes_on(&reading->reader))
            return false;
    }
    return good;
}
