/*
 * export_json.c - results as JSON: see export.h. A value that a run does not have is left out.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "lab/store/unfinished.h"
#include "show/writers/export.h"
#include "show/writers/results_show.h"
#include "show/writers/write.h"

static struct data_frame *axes_frame(const struct experiment *experiment)
{
    static const struct data_column columns[] = {DATA_COLUMN("label", NULL, TEXT), DATA_COLUMN("number", NULL, NUMBER)};
    struct data_frame *axes = data_frame_new_list();
    for (const struct axis *axis = experiment->axes; axis < experiment->axes + experiment->axis_count; axis++) {
        struct data_frame *values = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
        for (uint32_t i = 0; i < axis->count; i++)
            data_row(values, cell_text(axis->values[i].label),
                     cell_if(axis->values[i].numeric, cell_number(axis->values[i].number)));
        data_row(axes, cell_frame(data_object({"name", cell_text(axis->name)}, {"title", cell_text(axis->title)},
                                              {"unit", cell_text(axis->unit)}, {"values", cell_frame(values)})));
    }
    return axes;
}

static struct data_frame *curve_frame(const struct measure_curve *curve)
{
    static const struct data_column columns[] = {DATA_COLUMN("x", NULL, NUMBER), DATA_COLUMN("y", NULL, NUMBER)};
    struct data_frame *points = data_frame_new(DATA_TUPLES, DATA_COLUMNS(columns));
    for (size_t i = 0; i < curve->count; i++)
        data_row(points, cell_number(curve->points[2 * i]), cell_number(curve->points[2 * i + 1]));
    return data_object({"x_unit", cell_text(curve->x_unit)}, {"y_unit", cell_text(curve->y_unit)},
                       {"points", cell_frame(points)});
}

/* The reader of curves, and whether it reported an error. */
struct reader {
    struct table_curves *curves; /* null: they are not wanted */
    int code;
};

static struct data_frame *curves_frame(struct reader *reader, uint32_t run)
{
    uint32_t count = 0;
    char **names = table_curve_names(reader->curves, run, "", &count);
    struct data_frame *curves = data_frame_new(DATA_OBJECT, NULL, 0);
    if (names == NULL)
        reader->code = cli_report(table_curves_status(reader->curves));
    for (uint32_t i = 0; i < count && reader->code == CLI_OK; i++) {
        struct measure_curve curve;
        if (table_curve(reader->curves, run, names[i], &curve))
            data_frame_set(curves, names[i], cell_frame(curve_frame(&curve)));
        else
            reader->code = cli_report(table_curves_status(reader->curves));
        free(curve.points);
    }
    table_curve_names_free(names, count);
    return curves;
}

static struct data_frame *run_frame(const struct table *table, const struct export_choice *choice,
                                    struct reader *reader, uint32_t i)
{
    const struct experiment *experiment = &table->experiment;
    const struct table_run *run = &table->runs[i];
    struct data_frame *labels = data_frame_new(DATA_OBJECT, NULL, 0);
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
        uint32_t value = experiment_value_at(experiment, i / experiment->seed_count, axis);
        data_frame_set(labels, experiment->axes[axis].name, cell_text(experiment->axes[axis].values[value].label));
    }
    struct data_frame *frame =
        data_object({"id", cell_text(run->id)},
                    {"seed", cell_integer((int64_t)(experiment->first_seed + i % experiment->seed_count))},
                    {"axes", cell_frame(labels)}, {"state", cell_text(results_state(run))});
    if (!run->finished && run->failure != NULL)
        data_frame_set(frame, "failure", cell_text(run->failure));
    if (!run->finished)
        return frame;
    char digest[17];
    snprintf(digest, sizeof digest, "%016" PRIx64, run->digest);
    data_frame_set(frame, "digest", cell_text(digest));
    data_frame_set(frame, "code", cell_text(run->code));
    /* The measures of a run, and of those that are censored, how. */
    struct data_frame *values = data_frame_new(DATA_OBJECT, NULL, 0), *censored = data_frame_new(DATA_OBJECT, NULL, 0);
    for (uint32_t m = 0; m < table->measure_count; m++) {
        const char *name = table->measures[m].name;
        enum censoring censoring = unfinished_censoring(table, i, m, UNFINISHED_MARK);
        if (!isfinite(table_value(table, i, m)))
            continue;
        data_frame_set(values, name, cell_number(table_value(table, i, m)));
        if (censoring != CENSORING_NONE)
            data_frame_set(censored, name, cell_text(censoring_name(censoring)));
    }
    data_frame_set(frame, "measures", cell_frame(values));
    data_frame_set(frame, "censored", cell_frame(censored));
    if (choice->cost)
        data_frame_set(frame, "cost",
                       cell_frame(data_object({"seconds", cell_number(run->seconds)},
                                              {"memory_bytes", cell_integer((int64_t)run->memory_bytes)},
                                              {"version", cell_text(run->version)})));
    if (reader->curves != NULL)
        data_frame_set(frame, "curves", cell_frame(curves_frame(reader, i)));
    return frame;
}

/* Takes the frame; null where memory was short. */
static json_t *frame_json(struct data_frame *frame)
{
    json_t *json = data_frame_failed(frame) ? NULL : write_json(frame);
    data_frame_free(frame);
    return json;
}

/* Run by run: a document has them all, frames need not. */
static json_t *runs_json(const struct table *table, const struct export_choice *choice, int *code)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct reader reader = {choice->curves ? table_curves_open(table, &status) : NULL, CLI_OK};
    if (choice->curves && reader.curves == NULL)
        reader.code = cli_report(&status);
    json_t *runs = json_array();
    for (uint32_t i = 0; i < experiment_runs(&table->experiment) && reader.code == CLI_OK && runs != NULL; i++)
        runs = output_json_append(runs, frame_json(run_frame(table, choice, &reader, i)));
    if (reader.curves != NULL)
        table_curves_close(reader.curves);
    *code = reader.code;
    return runs;
}

int export_json(const struct table *table, const struct export_choice *choice, FILE *out)
{
    struct results_marks marks = {.used = {false}};
    struct data_frame *units = data_frame_new(DATA_OBJECT, NULL, 0);
    int code = CLI_OK;
    for (uint32_t m = 0; m < table->measure_count; m++)
        data_frame_set(units, table->measures[m].name, cell_text(table->measures[m].unit));
    const struct experiment *experiment = &table->experiment;
    json_t *root = output_json_set(
        json_object(), "experiment",
        frame_json(data_object({"name", cell_text(experiment->name)}, {"title", cell_text(experiment->title)},
                               {"paper", cell_text(experiment->paper)}, {"figure", cell_text(experiment->figure)},
                               {"size", cell_text(experiment->quick ? "quick" : "full")},
                               {"first_seed", cell_integer((int64_t)experiment->first_seed)},
                               {"seeds", cell_integer(experiment->seed_count)},
                               {"axes", cell_frame(axes_frame(experiment))}, {"source", cell_text(table->source)},
                               {"weir", cell_text(table->version)}, {"scenario", cell_text(table->scenario)})));
    root = output_json_set(root, "units", frame_json(units));
    root = output_json_set(root, "runs", runs_json(table, choice, &code));
    root = output_json_set(root, "claims", frame_json(results_claims_frame(table, &marks)));
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
