/*
 * export_csv.c - results as CSV (RFC 4180): see export.h. Texts are in quotes, numbers have the digits that give the
 * same number when read, what has no value is empty.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "show/writers/export.h"
#include "show/writers/results_show.h"

/* With as few digits as read back the same. */
static void put_number(double number, FILE *out)
{
    char text[32];
    if (isnan(number))
        return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, out);
}

void export_csv_place_heading(const struct experiment *experiment, FILE *out)
{
    fputs("run", out);
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
        const char *name = experiment->axes[axis].name; /* one word: needs no quotes inside */
        fprintf(out, ",\"%s\"", name);
        if (experiment->axes[axis].unit != NULL)
            fprintf(out, ",\"%s.number\"", name);
    }
    fputs(",seed", out);
}

void export_csv_place(const struct experiment *experiment, uint32_t run, const char *id, FILE *out)
{
    fputs(id, out);
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
        uint32_t at = experiment_value_at(experiment, run / experiment->seed_count, axis);
        const struct axis_value *value = &experiment->axes[axis].values[at];
        putc(',', out);
        output_csv_text(value->label, out);
        if (experiment->axes[axis].unit == NULL)
            continue;
        putc(',', out);
        put_number(value->number, out);
    }
    fprintf(out, ",%" PRIu64, experiment->first_seed + run % experiment->seed_count);
}

static void put_cost(const struct table_run *run, FILE *out)
{
    putc(',', out);
    if (run->finished)
        put_number(run->seconds, out);
    putc(',', out);
    if (run->finished)
        fprintf(out, "%" PRIu64, run->memory_bytes);
    putc(',', out);
    output_csv_text(run->finished && run->version != NULL ? run->version : "", out);
}

/* The sample of a measure that says how much of it is known; false: it is another measure. */
static bool is_known(const char *name, int *sample)
{
    static const char end[] = ".known";
    size_t length = strlen(name);
    *sample = (int)length - (int)(sizeof end - 1);
    return *sample > 0 && strcmp(name + *sample, end) == 0;
}

/* Two columns for each sample that unfinished flows or queries cut off: its statistics that are lower bounds, and those
 * that leave them out. */
static void put_censored_heading(const struct table *table, FILE *out)
{
    int sample;
    for (uint32_t m = 0; m < table->measure_count; m++) {
        if (!is_known(table->measures[m].name, &sample))
            continue;
        for (uint32_t censoring = CENSORING_BOUND; censoring <= CENSORING_PARTIAL; censoring++) {
            char name[400];
            snprintf(name, sizeof name, "%.*s.%s", sample, table->measures[m].name,
                     censoring_name((enum censoring)censoring));
            putc(',', out);
            output_csv_text(name, out);
        }
    }
}

/* "p99 p999 max": of a sample of which this fraction is known; NaN: all of it. */
static void put_names(double known, enum censoring censoring, FILE *out)
{
    const char *space = "";
    for (uint32_t i = 0; !isnan(known) && i < STATISTIC_COUNT; i++) {
        if (censoring_of(&statistic_table[i], known) != censoring)
            continue;
        fprintf(out, "%s%s", space, statistic_table[i].name);
        space = " ";
    }
}

static void put_censored(const struct table *table, uint32_t run, FILE *out)
{
    int sample;
    for (uint32_t m = 0; m < table->measure_count; m++) {
        if (!is_known(table->measures[m].name, &sample))
            continue;
        putc(',', out);
        put_names(table_value(table, run, m), CENSORING_BOUND, out);
        putc(',', out);
        put_names(table_value(table, run, m), CENSORING_PARTIAL, out);
    }
}

static void put_measures(const struct table *table, const struct export_choice *choice, FILE *out)
{
    export_csv_place_heading(&table->experiment, out);
    fputs(",state,digest,code", out);
    if (choice->cost)
        fputs(",cost_seconds,cost_memory_bytes,cost_version", out);
    for (uint32_t m = 0; m < table->measure_count; m++) {
        putc(',', out);
        output_csv_text(table->measures[m].name, out);
    }
    put_censored_heading(table, out);
    putc('\n', out);
    for (uint32_t i = 0; i < experiment_runs(&table->experiment); i++) {
        const struct table_run *run = &table->runs[i];
        export_csv_place(&table->experiment, i, run->id, out);
        fprintf(out, ",%s,", results_state(run));
        if (run->finished)
            fprintf(out, "%016" PRIx64, run->digest);
        putc(',', out);
        output_csv_text(run->code, out);
        if (choice->cost)
            put_cost(run, out);
        for (uint32_t m = 0; m < table->measure_count; m++) {
            putc(',', out);
            put_number(table_value(table, i, m), out);
        }
        put_censored(table, i, out);
        putc('\n', out);
    }
}

static void put_curve(const struct table *table, uint32_t run, const struct measure_curve *curve, FILE *out)
{
    for (uint32_t i = 0; i < curve->count; i++) {
        export_csv_place(&table->experiment, run, table->runs[run].id, out);
        putc(',', out);
        output_csv_text(curve->name, out);
        fprintf(out, ",%s,%s,", curve->x_unit, curve->y_unit);
        put_number(curve->points[(size_t)2 * i], out);
        putc(',', out);
        put_number(curve->points[(size_t)2 * i + 1], out);
        putc('\n', out);
    }
}

static int put_curves_of(const struct table *table, struct table_curves *curves, uint32_t run, FILE *out)
{
    uint32_t count = 0;
    char **names = table_curve_names(curves, run, "", &count);
    int code = names != NULL ? CLI_OK : cli_report(table_curves_status(curves));
    for (uint32_t i = 0; i < count && code == CLI_OK; i++) {
        struct measure_curve curve;
        if (!table_curve(curves, run, names[i], &curve))
            code = cli_report(table_curves_status(curves));
        curve.name = names[i];
        put_curve(table, run, &curve, out);
        free(curve.points);
    }
    table_curve_names_free(names, count);
    return code;
}

static int put_curves(const struct table *table, FILE *out)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct table_curves *curves = table_curves_open(table, &status);
    int code = CLI_OK;
    if (curves == NULL)
        return cli_report(&status);
    export_csv_place_heading(&table->experiment, out);
    fputs(",curve,x_unit,y_unit,x,y\n", out);
    for (uint32_t run = 0; run < experiment_runs(&table->experiment) && code == CLI_OK; run++)
        if (table->runs[run].finished)
            code = put_curves_of(table, curves, run, out);
    table_curves_close(curves);
    return code;
}

int export_csv(const struct table *table, const struct export_choice *choice, FILE *out)
{
    if (choice->curves)
        return put_curves(table, out);
    put_measures(table, choice, out);
    return CLI_OK;
}
