/*
 * show_lint.c - findings as text, as JSON and as SARIF 2.1.0 for code review.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/data_frame.h"
#include "cli/output.h"
#include "cli/version.h"
#include "operate/lint/lint.h"

#define ALSO_MAX 4u /* keys that are named beside the first */
#define WHERE_MAX 512u

/* "BUFFER_POOL|ingress_lossless_pool size" */
static const char *where_text(const struct lint_finding *finding, char text[WHERE_MAX])
{
    snprintf(text, WHERE_MAX, "%s%s%.200s%s%.100s", finding->table != NULL ? finding->table : "",
             finding->key != NULL ? "|" : "", finding->key != NULL ? finding->key : "",
             finding->field != NULL ? " " : "", finding->field != NULL ? finding->field : "");
    sonic_clean_text(text);
    return text;
}

/* Findings of a rule that say the same of different entries are of a kind: 0. */
static int compare_kinds(const struct lint_finding *a, const struct lint_finding *b)
{
    if (a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    if (a->severity != b->severity)
        return a->severity < b->severity ? -1 : 1;
    if (a->key == NULL || b->key == NULL)
        return a->key != b->key ? (a->key == NULL ? -1 : 1) : a < b ? -1 : a > b;
    int order = strcmp(a->text, b->text);
    return order != 0 ? order : strcmp(a->table, b->table);
}

static int compare_findings(const void *left, const void *right)
{
    const struct lint_finding *const *a = left, *const *b = right;
    int order = compare_kinds(*a, *b);
    return order != 0 ? order : *a < *b ? -1 : *a > *b;
}

#define NOTHING UINT32_MAX

/* What to show: of each finding the next of its kind, NOTHING behind the last; and whether one comes before it. */
struct kinds {
    uint32_t *next;
    bool *is_again;
};

/* Null pointers where memory is short: then each is shown. */
static struct kinds find_kinds(const struct lint *lint)
{
    const struct lint_finding *findings = LINT_FINDINGS(lint);
    uint32_t count = lint->findings.count;
    const struct lint_finding **sorted = malloc((count + 1) * sizeof(*sorted));
    struct kinds kinds = {malloc((count + 1) * sizeof *kinds.next), calloc(count + 1, sizeof *kinds.is_again)};
    if (sorted == NULL || kinds.next == NULL || kinds.is_again == NULL) {
        free(kinds.next);
        free(kinds.is_again);
        kinds = (struct kinds){NULL, NULL};
        count = 0;
    }
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &findings[i];
    if (count > 0)
        qsort(sorted, count, sizeof(*sorted), compare_findings);
    for (uint32_t i = 0; i < count; i++) {
        bool goes_on = i + 1 < count && compare_kinds(sorted[i], sorted[i + 1]) == 0;
        kinds.next[sorted[i] - findings] = goes_on ? (uint32_t)(sorted[i + 1] - findings) : NOTHING;
        if (goes_on)
            kinds.is_again[sorted[i + 1] - findings] = true;
    }
    free(sorted);
    return kinds;
}

static void put_changes(const struct lint *lint, const struct lint_finding *finding)
{
    for (uint32_t i = finding->first_change; i < finding->first_change + finding->changes; i++) {
        const struct lint_change *change = &LINT_CHANGES(lint)[i];
        cli_print("    change: %s|%.200s %.100s: %.200s -> %.200s", change->table, change->key, change->field,
                  change->old != NULL ? change->old : "(none)", change->value != NULL ? change->value : "(none)");
    }
    if (finding->mend != NULL)
        cli_print("    mend: %s", finding->mend);
}

/* What tells a finding from the first of its kind: another entry, or another field of it. */
static const char *also_text(const struct lint_finding *first, const struct lint_finding *other)
{
    bool is_same_entry = first->key != NULL && other->key != NULL && strcmp(first->key, other->key) == 0;
    return is_same_entry && other->field != NULL ? other->field : other->key;
}

/* A finding, and those of its kind. */
static void put_finding(const struct lint *lint, uint32_t first, const struct kinds *kinds)
{
    const struct lint_finding *findings = LINT_FINDINGS(lint), *finding = &findings[first];
    char where[WHERE_MAX], also[WHERE_MAX] = "";
    uint32_t count = 1;
    if (finding->place.line > 0)
        cli_print("%s:%u:%u: %s: %s [%s]", finding->place.file, finding->place.line, finding->place.column,
                  lint_severity_name(finding->severity), where_text(finding, where), finding->rule->name);
    else
        cli_print("%s: %s: %s [%s]", finding->place.file, lint_severity_name(finding->severity),
                  where_text(finding, where), finding->rule->name);
    cli_print("    %s", finding->text);
    for (uint32_t i = kinds->next != NULL ? kinds->next[first] : NOTHING; i != NOTHING; i = kinds->next[i]) {
        size_t used = strlen(also);
        if (count <= ALSO_MAX)
            snprintf(also + used, sizeof also - used, "%s%.100s", count > 1 ? ", " : "",
                     also_text(finding, &findings[i]));
        count++;
    }
    sonic_clean_text(also);
    if (count > ALSO_MAX + 1)
        cli_print("    also: %s and %u more", also, count - 1 - ALSO_MAX);
    else if (count > 1)
        cli_print("    also: %s", also);
    put_changes(lint, finding);
}

static void put_platform(const struct sonic_model *model)
{
    const struct platform *platform = &model->platform;
    char cell[64], mmu[64], pipes[64], xoff[64];
    cli_print("platform %s: cell %s, buffer %s, pipes %s, xoff %s of size%s",
              platform->name != NULL ? platform->name : "unknown", platform_text(platform, "cell_size", cell),
              platform_text(platform, "mmu_size", mmu), platform_text(platform, "pipes", pipes),
              platform_text(platform, "xoff", xoff),
              platform->xoff == PLATFORM_XOFF_UNKNOWN ? " (both are tried)" : "");
    if (platform_unjudged(platform) != NULL)
        cli_print("not judged: %s", platform_unjudged(platform));
    cli_print("%s model; ports: %u, pools: %u, profiles: %u, lossless groups: %u",
              model->is_dynamic ? "dynamic" : "traditional", SONIC_COUNT(model->config, SONIC_PORT),
              SONIC_COUNT(model->config, SONIC_BUFFER_POOL), SONIC_COUNT(model->config, SONIC_BUFFER_PROFILE),
              model->groups.count);
}

static void put_skips(const struct lint *lint)
{
    for (uint32_t i = 0; i < lint->skips.count; i++)
        cli_print("not checked: %s, without %s", LINT_SKIPS(lint)[i].rule->name, LINT_SKIPS(lint)[i].needs);
}

void lint_show(const struct lint *lint, bool verbose)
{
    const struct lint_rule *before = NULL;
    uint32_t mended = 0;
    struct kinds kinds = find_kinds(lint);
    put_platform(lint->model);
    for (uint32_t i = 0; i < lint->findings.count; i++) {
        const struct lint_finding *finding = &LINT_FINDINGS(lint)[i];
        bool is_new = finding->rule != before;
        if (kinds.is_again != NULL && kinds.is_again[i])
            continue;
        before = finding->rule;
        if (is_new)
            putchar('\n');
        put_finding(lint, i, &kinds);
        if (is_new || verbose) {
            cli_print("    rule: %s", finding->rule->sentence);
            cli_print("    seen: %s", finding->rule->incident);
        }
    }
    free(kinds.next);
    free(kinds.is_again);
    for (uint32_t i = 0; i < lint->findings.count; i++)
        mended += LINT_FINDINGS(lint)[i].changes > 0;
    putchar('\n');
    put_skips(lint);
    if (lint->findings.count > 0)
        cli_print("error: packets are lost, or the switch refuses it; warning: that may happen; note: worth knowing");
    cli_print("errors: %u, warnings: %u, notes: %u; with a change that mends them: %u", lint_count(lint, LINT_ERROR),
              lint_count(lint, LINT_WARNING), lint_count(lint, LINT_NOTE), mended);
}

static struct data_cell cell_known(int64_t number)
{
    return cell_if(number != SONIC_ABSENT, cell_integer(number));
}

static struct data_frame *changes_frame(const struct lint *lint, const struct lint_finding *finding)
{
    static const struct data_column columns[] = {DATA_COLUMN("table", NULL, TEXT), DATA_COLUMN("key", NULL, TEXT),
                                                 DATA_COLUMN("field", NULL, TEXT), DATA_COLUMN("old", NULL, TEXT),
                                                 DATA_COLUMN("value", NULL, TEXT)};
    struct data_frame *changes = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = finding->first_change; i < finding->first_change + finding->changes; i++) {
        const struct lint_change *change = &LINT_CHANGES(lint)[i];
        data_row(changes, cell_text(change->table), cell_text(change->key), cell_text(change->field),
                 cell_text(change->old), cell_text(change->value));
    }
    return changes;
}

static struct data_frame *finding_frame(const struct lint *lint, const struct lint_finding *finding)
{
    return data_object(
        {"rule", cell_text(finding->rule->name)}, {"severity", cell_text(lint_severity_name(finding->severity))},
        {"file", cell_text(finding->place.file)}, {"line", cell_integer(finding->place.line)},
        {"column", cell_integer(finding->place.column)}, {"table", cell_text(finding->table)},
        {"key", cell_text(finding->key)}, {"field", cell_text(finding->field)}, {"text", cell_text(finding->text)},
        {"sentence", cell_text(finding->rule->sentence)}, {"incident", cell_text(finding->rule->incident)},
        {"changes", cell_frame(changes_frame(lint, finding))}, {"mend", cell_text(finding->mend)});
}

struct data_frame *lint_frame(const struct lint *lint)
{
    static const struct data_column skip[] = {DATA_COLUMN("rule", NULL, WORD), DATA_COLUMN("needs", NULL, TEXT)};
    static const char *const xoff[] = {"unknown", "inside", "outside"};
    const struct platform *platform = &lint->model->platform;
    struct data_frame *findings = data_frame_new_list(), *skips = data_frame_new(DATA_ROWS, DATA_COLUMNS(skip));
    for (uint32_t i = 0; i < lint->findings.count; i++)
        data_row(findings, cell_frame(finding_frame(lint, &LINT_FINDINGS(lint)[i])));
    for (uint32_t i = 0; i < lint->skips.count; i++)
        data_row(skips, cell_text(LINT_SKIPS(lint)[i].rule->name), cell_text(LINT_SKIPS(lint)[i].needs));
    struct data_frame *about =
        data_object({"name", cell_text(platform->name)}, {"cell_bytes", cell_known(platform->cell)},
                    {"mmu_bytes", cell_known(platform->mmu)}, {"pipes", cell_known(platform->pipes)},
                    {"xoff", cell_text(xoff[platform->xoff])});
    return data_object({"platform", cell_frame(about)},
                       {"model", cell_text(lint->model->is_dynamic ? "dynamic" : "traditional")},
                       {"ports", cell_integer(SONIC_COUNT(lint->model->config, SONIC_PORT))},
                       {"lossless_groups", cell_integer(lint->model->groups.count)},
                       {"errors", cell_integer(lint_count(lint, LINT_ERROR))},
                       {"warnings", cell_integer(lint_count(lint, LINT_WARNING))},
                       {"notes", cell_integer(lint_count(lint, LINT_NOTE))}, {"findings", cell_frame(findings)},
                       {"not_checked", cell_frame(skips)});
}

/* A path as a relative or file URI: what is not plain is in %XX. */
static json_t *uri(const char *path)
{
    char text[3 * 1024 + 1];
    size_t used = 0;
    for (; *path != '\0' && used + 3 < sizeof text; path++) {
        bool plain = (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') ||
                     (*path >= '0' && *path <= '9') || strchr("/._-", *path) != NULL;
        used += (size_t)snprintf(text + used, sizeof text - used, plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    text[used] = '\0';
    return json_string(text);
}

static json_t *sarif_rules(void)
{
    json_t *rules = json_array();
    for (const struct lint_rule *rule = lint_rules; rule->name != NULL; rule++)
        rules = output_json_append(rules,
                                   json_pack("{s:s, s:{s:s}, s:{s:s}, s:{s:s}}", "id", rule->name, "shortDescription",
                                             "text", rule->sentence, "fullDescription", "text", rule->incident,
                                             "defaultConfiguration", "level", lint_severity_name(rule->severity)));
    return rules;
}

static json_t *sarif_result(const struct lint *lint, const struct lint_finding *finding)
{
    char where[WHERE_MAX], message[4096];
    size_t used = (size_t)snprintf(message, sizeof message, "%s: %s", where_text(finding, where), finding->text);
    for (uint32_t i = finding->first_change; i < finding->first_change + finding->changes; i++) {
        const struct lint_change *change = &LINT_CHANGES(lint)[i];
        if (used < sizeof message)
            used += (size_t)snprintf(message + used, sizeof message - used, ". Change %s|%.200s %.100s to %.200s",
                                     change->table, change->key, change->field,
                                     change->value != NULL ? change->value : "(none)");
    }
    if (finding->mend != NULL && used < sizeof message)
        snprintf(message + used, sizeof message - used, ". Mend: %s", finding->mend);
    sonic_clean_text(message);
    json_t *region =
        json_pack("{s:I, s:I}", "startLine", (json_int_t)(finding->place.line > 0 ? finding->place.line : 1),
                  "startColumn", (json_int_t)(finding->place.column > 0 ? finding->place.column : 1));
    return json_pack("{s:s, s:I, s:s, s:{s:o}, s:[{s:{s:{s:o}, s:o}, s:[{s:o}]}]}", "ruleId", finding->rule->name,
                     "ruleIndex", (json_int_t)(finding->rule - lint_rules), "level",
                     lint_severity_name(finding->severity), "message", "text", output_json_string(message), "locations",
                     "physicalLocation", "artifactLocation", "uri",
                     uri(finding->place.file != NULL ? finding->place.file : ""), "region", region, "logicalLocations",
                     "fullyQualifiedName", output_json_string(where));
}

json_t *lint_sarif(const struct lint *lint)
{
    json_t *results = json_array();
    for (uint32_t i = 0; i < lint->findings.count; i++)
        results = output_json_append(results, sarif_result(lint, &LINT_FINDINGS(lint)[i]));
    return json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:s, s:o}]}", "$schema",
                     "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool", "driver",
                     "name", "weir lint", "version", version_text(), "rules", sarif_rules(), "columnKind",
                     "unicodeCodePoints", "results", results);
}
