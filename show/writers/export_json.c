/*
 * export_json.c - results as JSON: see export.h. A value that a run does not have is left out.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "show/writers/export.h"
#include "show/writers/results_show.h"

static json_t *text_or_null(const char *text)
{
    return text != NULL ? output_json_string(text) : json_null();
}

static json_t *number_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

static json_t *axis_json(const struct axis *axis)
{
    json_t *values = json_array();
    for (uint32_t i = 0; i < axis->count; i++)
        values = output_json_append(
            values, json_pack("{s:s, s:o}", "label", axis->values[i].label, "number",
                              axis->values[i].numeric ? number_or_null(axis->values[i].number) : json_null()));
    return json_pack("{s:s, s:s, s:o, s:o}", "name", axis->name, "title", axis->title, "unit", text_or_null(axis->unit),
                     "values", values);
}

static json_t *experiment_json(const struct table *table)
{
    const struct experiment *experiment = &table->experiment;
    json_t *axes = json_array();
    for (uint32_t i = 0; i < experiment->axis_count; i++)
        axes = output_json_append(axes, axis_json(&experiment->axes[i]));
    json_t *json =
        json_pack("{s:o, s:o, s:o, s:o, s:s, s:I, s:i, s:o}", "name", text_or_null(experiment->name), "title",
                  text_or_null(experiment->title), "paper", text_or_null(experiment->paper), "figure",
                  text_or_null(experiment->figure), "size", experiment->quick ? "quick" : "full", "first_seed",
                  (json_int_t)experiment->first_seed, "seeds", (int)experiment->seed_count, "axes", axes);
    json = output_json_set(json, "source", text_or_null(table->source));
    json = output_json_set(json, "weir", text_or_null(table->version));
    return output_json_set(json, "scenario", text_or_null(table->scenario));
}

static json_t *units_json(const struct table *table)
{
    json_t *units = json_object();
    for (uint32_t m = 0; m < table->measure_count; m++)
        units = output_json_set(units, table->measures[m].name, json_string(table->measures[m].unit));
    return units;
}

static json_t *values_json(const struct table *table, uint32_t run)
{
    json_t *values = json_object();
    for (uint32_t m = 0; m < table->measure_count; m++)
        if (isfinite(table_value(table, run, m)))
            values = output_json_set(values, table->measures[m].name, json_real(table_value(table, run, m)));
    return values;
}

/* The censored measures of a run, each with how; empty: none. */
static json_t *censored_json(const struct table *table, uint32_t run)
{
    json_t *censored = json_object();
    for (uint32_t m = 0; m < table->measure_count; m++) {
        enum censoring censoring = unfinished_censoring(table, run, m, UNFINISHED_MARK);
        if (censoring != CENSORING_NONE && isfinite(table_value(table, run, m)))
            censored = output_json_set(censored, table->measures[m].name, json_string(censoring_name(censoring)));
    }
    return censored;
}

static json_t *curve_json(const struct measure_curve *curve)
{
    json_t *points = json_array();
    for (size_t i = 0; i < curve->count; i++)
        points = output_json_append(points, json_pack("[o, o]", number_or_null(curve->points[2 * i]),
                                                      number_or_null(curve->points[2 * i + 1])));
    return json_pack("{s:s, s:s, s:o}", "x_unit", curve->x_unit, "y_unit", curve->y_unit, "points", points);
}

/* The reader of curves, and whether it told of an error. */
struct reader {
    struct table_curves *curves; /* null: they are not wanted */
    int code;
};

static json_t *curves_json(struct reader *reader, uint32_t run)
{
    uint32_t count = 0;
    char **names = table_curve_names(reader->curves, run, "", &count);
    json_t *json = names != NULL ? json_object() : NULL;
    if (names == NULL)
        reader->code = cli_report(table_curves_status(reader->curves));
    for (uint32_t i = 0; i < count && reader->code == CLI_OK; i++) {
        struct measure_curve curve;
        if (table_curve(reader->curves, run, names[i], &curve))
            json = output_json_set(json, names[i], curve_json(&curve));
        else
            reader->code = cli_report(table_curves_status(reader->curves));
        free(curve.points);
    }
    table_curve_names_free(names, count);
    return json;
}

static json_t *labels_json(const struct experiment *experiment, uint32_t run)
{
    json_t *labels = json_object();
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
        uint32_t value = experiment_value_at(experiment, run / experiment->seed_count, axis);
        labels = output_json_set(labels, experiment->axes[axis].name,
                                 json_string(experiment->axes[axis].values[value].label));
    }
    return labels;
}

static json_t *finished_json(json_t *json, const struct table *table, uint32_t i, bool cost)
{
    const struct table_run *run = &table->runs[i];
    char digest[17];
    snprintf(digest, sizeof digest, "%016" PRIx64, run->digest);
    json = output_json_set(json, "digest", json_string(digest));
    json = output_json_set(json, "code", output_json_string(run->code));
    json = output_json_set(json, "measures", values_json(table, i));
    json = output_json_set(json, "censored", censored_json(table, i));
    if (!cost)
        return json;
    return output_json_set(json, "cost",
                           json_pack("{s:f, s:I, s:o}", "seconds", run->seconds, "memory_bytes",
                                     (json_int_t)run->memory_bytes, "version", text_or_null(run->version)));
}

static json_t *run_json_of(const struct table *table, const struct export_choice *choice, struct reader *reader,
                           uint32_t i)
{
    const struct experiment *experiment = &table->experiment;
    const struct table_run *run = &table->runs[i];
    json_t *json = json_pack("{s:s, s:I, s:o, s:s}", "id", run->id, "seed",
                             (json_int_t)(experiment->first_seed + i % experiment->seed_count), "axes",
                             labels_json(experiment, i), "state", results_state(run));
    if (!run->finished)
        return run->failure != NULL ? output_json_set(json, "failure", output_json_string(run->failure)) : json;
    json = finished_json(json, table, i, choice->cost);
    return reader->curves != NULL ? output_json_set(json, "curves", curves_json(reader, i)) : json;
}

static json_t *runs_json(const struct table *table, const struct export_choice *choice, int *code)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct reader reader = {choice->curves ? table_curves_open(table, &status) : NULL, CLI_OK};
    if (choice->curves && reader.curves == NULL)
        reader.code = cli_report(&status);
    json_t *runs = json_array();
    for (uint32_t i = 0; i < experiment_runs(&table->experiment) && reader.code == CLI_OK && runs != NULL; i++)
        runs = output_json_append(runs, run_json_of(table, choice, &reader, i));
    if (reader.curves != NULL)
        table_curves_close(reader.curves);
    *code = reader.code;
    return runs;
}

static json_t *claim_json(const struct table *table, const struct claim *claim)
{
    struct judgement judgement;
    claim_judge(table, claim, &judgement);
    json_t *json = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:s}", "id", claim->id, "text", claim->text, "rule",
                             claim_rule_name(claim->rule), "paper", number_or_null(claim->paper), "ours",
                             number_or_null(judgement.ours.mean), "half_interval", number_or_null(judgement.ours.half),
                             "unit", evaluate_unit(table, claim->value), "verdict", verdict_name(judgement.verdict));
    json = output_json_set(json, "points", json_integer(judgement.points));
    json = output_json_set(json, "agreeing", json_integer(judgement.agreeing));
    json = output_json_set(json, "open", json_integer(judgement.open));
    json = output_json_set(json, "margin",
                           number_or_null(judgement.truth.margin.count > 0 ? judgement.truth.margin.mean : NAN));
    json = output_json_set(json, "margin_half_interval",
                           number_or_null(judgement.truth.margin.count > 0 ? judgement.truth.margin.half : NAN));
    json = output_json_set(json, "margin_unit", json_string(judgement.truth.unit));
    json = output_json_set(json, "expected", json_boolean(claim->expected));
    json = output_json_set(json, "of",
                           claim->narrowed != NULL ? json_string(table->experiment.claims[claim->of].id) : json_null());
    json = output_json_set(json, "narrowed", text_or_null(claim->narrowed));
    json = output_json_set(json, "reason", text_or_null(claim->reason));
    json = output_json_set(json, "censored", json_integer(judgement.censored));
    json = output_json_set(json, "censoring", json_string(censoring_name(judgement.censoring)));
    return output_json_set(json, "finding", text_or_null(claim->finding));
}

int export_json(const struct table *table, const struct export_choice *choice, FILE *out)
{
    int code = CLI_OK;
    json_t *claims = json_array();
    for (uint32_t i = 0; i < table->experiment.claim_count; i++)
        claims = output_json_append(claims, claim_json(table, &table->experiment.claims[i]));
    json_t *runs = runs_json(table, choice, &code);
    json_t *root = json_pack("{s:o, s:o, s:o, s:o}", "experiment", experiment_json(table), "units", units_json(table),
                             "runs", runs, "claims", claims);
    if (code != CLI_OK) {
        json_decref(root);
        return code;
    }
    char *text = output_json_text(root);
    if (text == NULL)
        return CLI_INTERNAL;
    fprintf(out, "%s\n", text);
    free(text);
    return CLI_OK;
}
