/*
 * lint.c - runs the rules and collects their findings: see lint.h.
 */
#include "operate/lint/lint.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/lint/rules.h"

const struct lint_rule lint_rules[] = {
#define RULE(check, name, severity, sentence, incident) {name, severity, sentence, incident, rule_##check},
#include "operate/lint/rules.def"
#undef RULE
    {.name = NULL},
};

const char *lint_severity_name(enum lint_severity severity)
{
    static const char *const names[LINT_SEVERITIES] = {"note", "warning", "error"};
    return names[severity];
}

uint32_t lint_count(const struct lint *lint, enum lint_severity severity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lint->findings.count; i++)
        count += LINT_FINDINGS(lint)[i].severity == severity;
    return count;
}

/* Rules that compare sizes, which mean something else where thresholds are not judged. */
static bool is_of_thresholds(const char *name)
{
    static const char *const names[] = {
        "mmu-overcommit", "buffer-unused",  "egress-smaller",        "lossless-queue-limited",
        "xon-above-xoff", "headroom-short", "headroom-not-reserved", "headroom-oversubscribed",
        "ecn-after-pfc",  "wrong-side"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool lint_run(struct lint *lint, struct sonic_model *model)
{
    *lint = (struct lint){.model = model, .arena = &model->config->arena};
    const char *unjudged = platform_unjudged(&model->platform);
    for (const struct lint_rule *rule = lint_rules; rule->name != NULL && !lint->is_short; rule++) {
        lint->rule = rule;
        if (unjudged == NULL || !is_of_thresholds(rule->name))
            rule->check(lint);
    }
    return !lint->is_short;
}

void lint_free(struct lint *lint)
{
    free(lint->findings.at);
    free(lint->changes.at);
    free(lint->skips.at);
    *lint = (struct lint){.model = NULL};
}

/* A copy that lives as long as the configuration. */
static const char *keep(struct lint *lint, const char *text)
{
    const char *copy = arena_text(lint->arena, text, strlen(text));
    lint->is_short |= copy == NULL;
    return copy;
}

static const char *keep_formatted(struct lint *lint, const char *format, va_list arguments)
{
    char text[2 * WEIR_MESSAGE_MAX];
    vsnprintf(text, sizeof text, format, arguments);
    sonic_clean_text(text);
    return keep(lint, text);
}

struct lint_finding *lint_report(struct lint *lint, const struct sonic_entry *entry, const char *field,
                                 const char *format, ...)
{
    va_list arguments;
    struct lint_finding *finding = sonic_list_add(&lint->findings, sizeof *finding);
    lint->is_short |= finding == NULL;
    if (finding == NULL)
        return NULL;
    va_start(arguments, format);
    *finding = (struct lint_finding){.rule = lint->rule,
                                     .severity = lint->rule->severity,
                                     .field = field,
                                     .text = keep_formatted(lint, format, arguments),
                                     .first_change = lint->changes.count};
    va_end(arguments);
    if (entry != NULL) {
        finding->table = sonic_table_name(entry->table);
        finding->key = entry->key;
        finding->place = sonic_entry_place(lint->model->config, entry, field);
    }
    return finding;
}

static struct lint_finding *last_finding(struct lint *lint)
{
    return lint->findings.count > 0 ? &LINT_FINDINGS(lint)[lint->findings.count - 1] : NULL;
}

static void add_change(struct lint *lint, const struct lint_change *change)
{
    struct lint_finding *finding = last_finding(lint);
    struct lint_change *added = finding != NULL ? sonic_list_add(&lint->changes, sizeof *added) : NULL;
    lint->is_short |= added == NULL;
    if (added == NULL)
        return;
    *added = *change;
    added->key = keep(lint, change->key);
    added->field = keep(lint, change->field);
    added->value = change->value != NULL ? keep(lint, change->value) : NULL;
    finding->changes++;
}

void lint_mend_text(struct lint *lint, const struct sonic_entry *entry, const char *field, const char *value)
{
    const json_t *old = entry->fields != NULL ? json_object_get(entry->fields, field) : NULL;
    add_change(lint, &(struct lint_change){.table = sonic_table_name(entry->table),
                                           .key = entry->key,
                                           .field = field,
                                           .value = value,
                                           .old = json_is_string(old) ? json_string_value(old) : NULL});
}

void lint_mend_number(struct lint *lint, const struct sonic_entry *entry, const char *field, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    lint_mend_text(lint, entry, field, text);
}

void lint_mend_entry(struct lint *lint, enum sonic_table_id table, const char *key, const char *field,
                     const char *value)
{
    add_change(lint, &(struct lint_change){
                         .table = sonic_table_name(table), .key = key, .field = field, .value = value, .old = NULL});
}

void lint_advise(struct lint *lint, const char *format, ...)
{
    va_list arguments;
    struct lint_finding *finding = last_finding(lint);
    va_start(arguments, format);
    if (finding != NULL)
        finding->mend = keep_formatted(lint, format, arguments);
    va_end(arguments);
}

void lint_skip(struct lint *lint, const char *needs)
{
    for (uint32_t i = 0; i < lint->skips.count; i++)
        if (LINT_SKIPS(lint)[i].rule == lint->rule && strcmp(LINT_SKIPS(lint)[i].needs, needs) == 0)
            return;
    struct lint_skip *skip = sonic_list_add(&lint->skips, sizeof *skip);
    lint->is_short |= skip == NULL;
    if (skip != NULL)
        *skip = (struct lint_skip){lint->rule, needs};
}

int64_t lint_cells(const struct lint *lint, int64_t bytes)
{
    int64_t cell = lint->model->platform.cell;
    return cell == SONIC_ABSENT || bytes < 0 ? 0 : bytes / cell + (bytes % cell != 0);
}

int64_t lint_round_up(const struct lint *lint, int64_t bytes)
{
    int64_t cell = lint->model->platform.cell;
    return cell == SONIC_ABSENT || bytes > INT64_MAX - cell ? bytes : (bytes + cell - 1) / cell * cell;
}

int64_t lint_round_down(const struct lint *lint, int64_t bytes)
{
    int64_t cell = lint->model->platform.cell;
    return cell == SONIC_ABSENT ? bytes : bytes / cell * cell;
}
