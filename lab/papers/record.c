/*
 * record.c - what came out of figures, kept as JSON: see record.h.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/version.h"
#include "lab/papers/record.h"
#include "lab/store/code.h"

#define RECORD_NAME "results.json"
#define HARDWARE_NAME "hardware.json"

int papers_beside(char **path, const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    int folder = slash != NULL ? (int)(slash - file) + 1 : 0;
    if (asprintf(path, "%.*s%s", folder, file, name) >= 0)
        return CLI_OK;
    *path = NULL;
    return cli_error_memory();
}

int papers_record_load(struct papers_record *record, const char *page)
{
    json_error_t error;
    *record = (struct papers_record){NULL, NULL};
    int code = papers_beside(&record->path, page, RECORD_NAME);
    if (code != CLI_OK)
        return code;
    if (access(record->path, F_OK) != 0 && errno == ENOENT) {
        record->root = json_pack("{s:{}}", "figures");
        return record->root != NULL ? CLI_OK : cli_error_memory();
    }
    record->root = json_load_file(record->path, JSON_REJECT_DUPLICATES, &error);
    if (record->root == NULL)
        return cli_error(CLI_INPUT, "%s:%d:%d: %s", record->path, error.line, error.column, error.text);
    if (!json_is_object(json_object_get(record->root, "figures")))
        return cli_error(CLI_INPUT, "%s: is not a record of results (expected an object with \"figures\")",
                         record->path);
    return CLI_OK;
}

int papers_hardware_load(json_t **hardware, const struct papers_record *record)
{
    json_error_t error;
    char *path;
    *hardware = NULL;
    int code = papers_beside(&path, record->path, HARDWARE_NAME);
    if (code == CLI_OK && access(path, F_OK) == 0 &&
        (*hardware = json_load_file(path, JSON_REJECT_DUPLICATES, &error)) == NULL)
        code = cli_error(CLI_INPUT, "%s:%d:%d: %s", path, error.line, error.column, error.text);
    free(path);
    return code;
}

static json_t *claim_json(const struct table *table, const struct claim *claim, const struct judgement *judgement)
{
    char where[256] = "";
    bool value = !isnan(judgement->ours.mean);
    if (judgement_has_place(claim, judgement))
        judgement_where(&table->experiment, judgement, where);
    json_t *json =
        json_pack("{s:s, s:o, s:o, s:s, s:o, s:i, s:i, s:i}", "verdict", verdict_name(judgement->verdict), "ours",
                  value ? json_real(judgement->ours.mean) : json_null(), "half",
                  !isfinite(judgement->ours.half) ? json_null() : json_real(judgement->ours.half), "unit",
                  evaluate_unit(table, claim->value), "where", output_json_string(where), "points",
                  (int)judgement->points, "agreeing", (int)judgement->agreeing, "open", (int)judgement->open);
    if (spread_is_uneven(&judgement->ours)) {
        json = output_json_set(json, "low", json_real(judgement->ours.low));
        json = output_json_set(json, "high", json_real(judgement->ours.high));
    }
    if (judgement->censored > 0) {
        json = output_json_set(json, "censored", json_integer((json_int_t)judgement->censored));
        json = output_json_set(json, "censoring", json_string(censoring_name(judgement->censoring)));
    }
    const struct truth *truth = &judgement->truth;
    if (truth->margin.count < 2)
        return json;
    json = output_json_set(json, "margin", json_real(truth->margin.mean));
    json = output_json_set(json, "margin_half",
                           isfinite(truth->margin.half) ? json_real(truth->margin.half) : json_null());
    return output_json_set(json, "margin_unit", json_string(truth->unit));
}

int papers_record_check(const char *version)
{
    if (!version_is_dirty(version))
        return CLI_OK;
    return cli_error(CLI_INPUT,
                     "repro: --results: this is weir %s, built from a tree with changes: nobody could make its numbers "
                     "again (commit the changes and build again, or leave out --results)",
                     version);
}

int papers_record_put(struct papers_record *record, const char *figure, const struct table *table,
                      const struct judgement *judgements, const char *version)
{
    const struct experiment *experiment = &table->experiment;
    char code[CODE_MAX];
    double seconds = 0;
    int known = papers_record_check(version);
    if (known == CLI_OK) {
        /* Every finished run was made by code of the same content, so that one version stands for all. The parts that
         * they have together, as one text. */
        struct code_mix mix;
        int result = code_mix_find(&mix, table) ? CLI_OK : cli_error_memory();
        if (result == CLI_OK && mix.heading != NULL)
            result = cli_error(CLI_INPUT, "%s: %s: no number of it is recorded", table->path, mix.heading);
        code_mix_free(&mix);
        code[0] = '\0';
        for (uint32_t i = 0; i < experiment_runs(&table->experiment) && result == CLI_OK; i++)
            if (table->runs[i].finished && !code_join(code, table->runs[i].code))
                result = cli_error_memory();
        known = result;
    }
    if (known != CLI_OK)
        return known;
    json_t *claims = json_object();
    for (uint32_t i = 0; i < experiment_runs(experiment); i++)
        seconds += table->runs[i].finished ? table->runs[i].seconds : 0;
    for (uint32_t i = 0; i < experiment->claim_count; i++)
        claims = output_json_set(claims, experiment->claims[i].id,
                                 claim_json(table, &experiment->claims[i], &judgements[i]));
    json_t *entry =
        json_pack("{s:i, s:i, s:f, s:s, s:s, s:o}", "runs", (int)table->finished, "seeds", (int)experiment->seed_least,
                  "core_seconds", round(seconds * 10) / 10, "version", version, "code", code, "claims", claims);
    if (entry == NULL || json_object_set_new(json_object_get(record->root, "figures"), figure, entry) != 0)
        return cli_error_memory();
    return CLI_OK;
}

int papers_record_save(const struct papers_record *record)
{
    char *text = json_dumps(record->root, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(6));
    char *line = NULL;
    int code = text != NULL && asprintf(&line, "%s\n", text) >= 0 ? CLI_OK : cli_error_memory();
    if (code == CLI_OK && !output_file_save(record->path, line, strlen(line)))
        code = CLI_INTERNAL;
    if (text != NULL)
        free(line);
    free(text);
    return code;
}

void papers_record_free(struct papers_record *record)
{
    json_decref(record->root);
    free(record->path);
    *record = (struct papers_record){NULL, NULL};
}

static const json_t *find_figure(const struct papers_record *record, const char *figure)
{
    return json_object_get(json_object_get(record->root, "figures"), figure);
}

double papers_expected_seconds(const struct catalogue_figure *figure, const struct papers_record *record)
{
    struct papers_figure about;
    if (record != NULL && papers_record_figure(record, figure->id, &about) && about.runs > 0)
        return about.core_seconds / about.runs * experiment_runs(&figure->full);
    return 2 * figure->full.expected_full_s; /* which is that of two cores */
}

static const char *text_or(const json_t *json, const char *otherwise)
{
    return json_is_string(json) ? json_string_value(json) : otherwise;
}

static double number_or_nan(const json_t *json)
{
    return json_is_number(json) ? json_number_value(json) : NAN;
}

static struct spread spread_or_none(const json_t *mean, const json_t *half)
{
    return spread_even(number_or_nan(mean), number_or_nan(half));
}

bool papers_record_claim(const struct papers_record *record, const char *figure, const struct claim *claim,
                         struct papers_claim *out)
{
    const json_t *entry = json_object_get(json_object_get(find_figure(record, figure), "claims"), claim->id);
    if (!json_is_object(entry))
        return false;
    *out = (struct papers_claim){
        .verdict = VERDICT_NO_DATA,
        .unit = text_or(json_object_get(entry, "unit"), "1"),
        .where = text_or(json_object_get(entry, "where"), ""),
        .ours = spread_or_none(json_object_get(entry, "ours"), json_object_get(entry, "half")),
        .points = (uint32_t)json_integer_value(json_object_get(entry, "points")),
        .agreeing = (uint32_t)json_integer_value(json_object_get(entry, "agreeing")),
        .open = (uint32_t)json_integer_value(json_object_get(entry, "open")),
        .margin = spread_or_none(json_object_get(entry, "margin"), json_object_get(entry, "margin_half")),
        .margin_unit = text_or(json_object_get(entry, "margin_unit"), "1"),
        .censored = (uint32_t)json_integer_value(json_object_get(entry, "censored")),
        .censoring = text_or(json_object_get(entry, "censoring"), ""),
    };
    if (json_is_number(json_object_get(entry, "low")) && json_is_number(json_object_get(entry, "high"))) {
        out->ours.low = json_number_value(json_object_get(entry, "low"));
        out->ours.high = json_number_value(json_object_get(entry, "high"));
    }
    if (strcmp(text_or(json_object_get(entry, "verdict"), ""), verdict_name(VERDICT_VACUOUS)) == 0)
        out->verdict = VERDICT_VACUOUS;
    else if (out->points > 0 && out->ours.count > 0)
        out->verdict = claim_verdict(claim, &out->ours, &(struct claim_points){out->points, out->agreeing, out->open});
    return true;
}

bool papers_record_figure(const struct papers_record *record, const char *figure, struct papers_figure *out)
{
    const json_t *entry = find_figure(record, figure);
    if (!json_is_object(entry))
        return false;
    *out = (struct papers_figure){
        .runs = (uint32_t)json_integer_value(json_object_get(entry, "runs")),
        .seeds = (uint32_t)json_integer_value(json_object_get(entry, "seeds")),
        .core_seconds = json_number_value(json_object_get(entry, "core_seconds")),
        .version = text_or(json_object_get(entry, "version"), "unknown"),
    };
    return true;
}
