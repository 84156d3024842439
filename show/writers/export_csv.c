/*
 * export_csv.c - results as CSV: see export.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lab/store/unfinished.h"
#include "run/measures/names.h"
#include "show/writers/export.h"
#include "show/writers/results_show.h"
#include "show/writers/write.h"

void export_place_columns(struct export_place *place, const struct experiment *experiment)
{
    uint32_t count = 0;
    place->columns[count++] = (struct data_column)DATA_COLUMN("run", NULL, WORD);
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
        const char *name = experiment->axes[axis].name;
        snprintf(place->name[axis], sizeof place->name[0], "%s.number", name);
        place->columns[count++] = (struct data_column)DATA_COLUMN(name, NULL, TEXT, .quoted = true);
        if (experiment->axes[axis].unit != NULL)
            place->columns[count++] = (struct data_column)DATA_COLUMN(place->name[axis], NULL, NUMBER, .quoted = true);
    }
    place->columns[count++] = (struct data_column)DATA_COLUMN("seed", NULL, INTEGER);
    place->count = count;
}

void export_place_add(struct data_frame *frame, const struct experiment *experiment, uint32_t run, const char *id)
{
    data_row(frame, cell_text(id));
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
        uint32_t at = experiment_value_at(experiment, run / experiment->seed_count, axis);
        const struct axis_value *value = &experiment->axes[axis].values[at];
        data_row(frame, cell_text(value->label));
        if (experiment->axes[axis].unit != NULL)
            data_row(frame, cell_number(value->number));
    }
    data_row(frame, cell_integer((int64_t)(experiment->first_seed + run % experiment->seed_count)));
}

/* The sample of a measure that says how much of it is known; false: it is another measure. */
static bool is_known(const char *name, int *sample)
{
    const char *dot = strrchr(name, '.');
    *sample = dot != NULL ? (int)(dot - name) : 0;
    return dot != NULL && strcmp(dot, ".known") == 0;
}

/* The columns of a run. Of each sample that some run cut off: the names of its statistics that are lower bounds, and
 * those that leave unfinished ones out. */
struct run_columns {
    struct export_place place;
    struct data_column *all;
    char (*censored)[RUN_MEASURE_NAME_MAX + 16]; /* names of columns */
    size_t count;
};

static bool make_columns(struct run_columns *of, const struct table *table, bool cost)
{
    const struct data_column about[] = {DATA_COLUMN("state", NULL, WORD),
                                        DATA_COLUMN("digest", NULL, WORD),
                                        DATA_COLUMN("code", NULL, TEXT),
                                        DATA_COLUMN("cost_seconds", NULL, NUMBER),
                                        DATA_COLUMN("cost_memory_bytes", NULL, INTEGER),
                                        DATA_COLUMN("cost_version", NULL, TEXT)};
    size_t measures = table->measure_count, censored = 0;
    export_place_columns(&of->place, &table->experiment);
    of->all = calloc(of->place.count + 6 + 3 * measures, sizeof *of->all);
    of->censored = calloc(2 * measures + 1, sizeof *of->censored);
    if (of->all == NULL || of->censored == NULL)
        return false;
    memcpy(of->all, of->place.columns, of->place.count * sizeof *of->all);
    memcpy(of->all + of->place.count, about, sizeof about);
    of->count = of->place.count + (cost ? 6 : 3);
    for (size_t m = 0; m < measures; m++)
        of->all[of->count++] = (struct data_column)DATA_COLUMN(table->measures[m].name, NULL, NUMBER, .quoted = true);
    for (size_t m = 0; m < measures; m++) {
        int sample;
        if (!is_known(table->measures[m].name, &sample))
            continue;
        for (uint32_t censoring = CENSORING_BOUND; censoring <= CENSORING_PARTIAL; censoring++) {
            char *name = of->censored[censored++];
            snprintf(name, sizeof of->censored[0], "%.*s.%s", sample, table->measures[m].name,
                     censoring_name((enum censoring)censoring));
            of->all[of->count++] = (struct data_column)DATA_COLUMN(name, NULL, WORD, .quoted = true);
        }
    }
    return true;
}

/* "p99 p999 max": of a sample of which this fraction is known; NaN: all of it. */
static const char *names_text(double known, enum censoring censoring, char text[128])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; !isnan(known) && i < STATISTIC_COUNT; i++)
        if (censoring_of(&statistic_table[i], known) == censoring)
            used += (size_t)snprintf(text + used, 128 - used, "%s%s", used > 0 ? " " : "", statistic_table[i].name);
    return text;
}

static void add_run(struct data_frame *frame, const struct table *table, uint32_t i, bool cost)
{
    const struct table_run *run = &table->runs[i];
    char digest[17] = "", names[128];
    if (run->finished)
        snprintf(digest, sizeof digest, "%016" PRIx64, run->digest);
    export_place_add(frame, &table->experiment, i, run->id);
    data_row(frame, cell_text(results_state(run)), cell_text(digest), cell_text(run->code));
    if (cost)
        data_row(frame, cell_if(run->finished, cell_number(run->seconds)),
                 cell_if(run->finished, cell_integer((int64_t)run->memory_bytes)),
                 cell_text(run->finished && run->version != NULL ? run->version : ""));
    for (uint32_t m = 0; m < table->measure_count; m++)
        data_row(frame, cell_number(table_value(table, i, m)));
    for (uint32_t m = 0; m < table->measure_count; m++) {
        int sample;
        double known = table_value(table, i, m);
        if (!is_known(table->measures[m].name, &sample))
            continue;
        data_row(frame, cell_text(names_text(known, CENSORING_BOUND, names)));
        data_row(frame, cell_text(names_text(known, CENSORING_PARTIAL, names)));
    }
}

/* The points of every curve of a run. */
static int put_curves_of(struct data_frame *frame, const struct table *table, struct table_curves *curves, uint32_t run,
                         FILE *out)
{
    uint32_t count = 0;
    char **names = table_curve_names(curves, run, "", &count);
    int code = names != NULL ? CLI_OK : cli_report(table_curves_status(curves));
    for (uint32_t i = 0; i < count && code == CLI_OK; i++) {
        struct measure_curve curve;
        if (!table_curve(curves, run, names[i], &curve))
            code = cli_report(table_curves_status(curves));
        for (uint32_t k = 0; k < curve.count; k++) {
            export_place_add(frame, &table->experiment, run, table->runs[run].id);
            data_row(frame, cell_text(names[i]), cell_text(curve.x_unit), cell_text(curve.y_unit),
                     cell_number(curve.points[(size_t)2 * k]), cell_number(curve.points[(size_t)2 * k + 1]));
        }
        free(curve.points);
        if (code == CLI_OK && !write_csv_rows(frame, out))
            code = cli_error_memory();
    }
    table_curve_names_free(names, count);
    return code;
}

static int put_curves(const struct table *table, FILE *out)
{
    static const struct data_column point[] = {DATA_COLUMN("curve", NULL, TEXT), DATA_COLUMN("x_unit", NULL, WORD),
                                               DATA_COLUMN("y_unit", NULL, WORD), DATA_COLUMN("x", NULL, NUMBER),
                                               DATA_COLUMN("y", NULL, NUMBER)};
    struct data_column columns[EXPORT_PLACE_COLUMNS_MAX + sizeof point / sizeof point[0]];
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct export_place place;
    struct table_curves *curves = table_curves_open(table, &status);
    if (curves == NULL)
        return cli_report(&status);
    export_place_columns(&place, &table->experiment);
    memcpy(columns, place.columns, place.count * sizeof columns[0]);
    memcpy(columns + place.count, point, sizeof point);
    struct data_frame *frame = data_frame_new(DATA_ROWS, columns, place.count + sizeof point / sizeof point[0]);
    int code = data_frame_check(frame);
    if (code == CLI_OK)
        write_csv(frame, out); /* its heading */
    for (uint32_t run = 0; run < experiment_runs(&table->experiment) && code == CLI_OK; run++)
        if (table->runs[run].finished)
            code = put_curves_of(frame, table, curves, run, out);
    data_frame_free(frame);
    table_curves_close(curves);
    return code;
}

int export_csv(const struct table *table, const struct export_choice *choice, FILE *out)
{
    if (choice->curves)
        return put_curves(table, out);
    bool cost = choice->cost;
    struct run_columns columns = {.all = NULL};
    struct data_frame *frame =
        make_columns(&columns, table, cost) ? data_frame_new(DATA_ROWS, columns.all, columns.count) : NULL;
    int code = data_frame_check(frame);
    if (code == CLI_OK)
        write_csv(frame, out); /* its heading */
    for (uint32_t i = 0; i < experiment_runs(&table->experiment) && code == CLI_OK; i++) {
        add_run(frame, table, i, cost);
        if (!write_csv_rows(frame, out))
            code = cli_error_memory();
    }
    data_frame_free(frame);
    free(columns.all);
    free(columns.censored);
    return code;
}
