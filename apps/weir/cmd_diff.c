/*
 * cmd_diff.c - `weir diff`: two results side by side, of two builds, two machines or two scenarios. Runs are paired by
 * point and seed, so that what a seed does to both falls out; a difference counts when its 95 % interval leaves out
 * zero.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "lab/store/claims.h"
#include "lab/store/code.h"
#include "run/measures/names.h"
#include "show/writers/write.h"

#define NAMES_MAX 256u
#define ROWS_SHOWN 40u

struct choice {
    bool all;
    const char *measure; /* only names that end so; null: the usual ones */
};

static const struct cli_option options[] = {
    {.name = "all",
     .help = "compare every measure, not only completion times, goodput and losses; show every row",
     CLI_FLAG(struct choice, all)},
    {.name = "measure",
     .value = "NAME",
     .help = "compare this measure, or those whose names end so: qct.p99",
     CLI_TEXT(struct choice, measure)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "A.db", .what = "results", .expected = "a database or its scenario", .offer = CLI_RESULTS},
    {.name = "B.db", .what = "second results", .expected = "another database", .offer = CLI_RESULTS},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_diff = {
    .name = "diff",
    .summary = "compare two results, with intervals",
    .about =
        "Compares the runs that two databases share: the same labels on every axis, and the same seed. Shows what "
        "differs by more than chance, the largest change first: the mean of both, and the change from A to B with its "
        "95 % interval, paired by seed. Two builds are compared by running a scenario with each, into files of "
        "their own.",
    .options = options,
    .operands = operands,
    .status =
        "0 nothing differs, 1 something does, 2 wrong usage, 3 unreadable or without common runs, 4 out of memory",
    .examples = "weir diff before.db after.db",
    .run = run,
};

/* A number of both files. */
struct row {
    uint32_t point, measure; /* of A */
    double a, b;             /* means over the seeds that both have */
    struct spread change;    /* of b - a */
    bool differs;            /* by more than chance */
};

struct diff {
    struct table a, b;
    const struct choice *choice;
    uint32_t *points; /* [points of A]: the point of B with the same labels; UINT32_MAX: none */
    struct row *rows;
    uint32_t count, compared, equal, differing, open;
};

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), part = strlen(end);
    return length >= part && strcmp(name + length - part, end) == 0;
}

static bool is_wanted(const struct choice *choice, const char *name)
{
    static const char *const usual[] = {".qct.mean", ".qct.p99",   ".fct.mean",  ".fct.p99",  ".goodput",
                                        ".timeouts", "lost.total", "unfinished", "pause.time"};
    if (choice->measure != NULL)
        return ends_in(name, choice->measure);
    bool wanted = choice->all;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        wanted |= ends_in(name, usual[i]);
    return wanted;
}

/* The axis of B with this name; UINT32_MAX: none. */
static uint32_t find_axis(const struct experiment *experiment, const char *name)
{
    for (uint32_t i = 0; i < experiment->axis_count; i++)
        if (strcmp(experiment->axes[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

static uint32_t find_value(const struct axis *axis, const char *label)
{
    for (uint32_t i = 0; i < axis->count; i++)
        if (strcmp(axis->values[i].label, label) == 0)
            return i;
    return UINT32_MAX;
}

/* The point of B with the labels of a point of A. */
static uint32_t partner(const struct diff *diff, uint32_t point)
{
    const struct experiment *a = &diff->a.experiment, *b = &diff->b.experiment;
    uint32_t at[EXPERIMENT_AXES_MAX] = {0}, found = 0;
    for (uint32_t i = 0; i < a->axis_count; i++) {
        uint32_t axis = find_axis(b, a->axes[i].name);
        uint32_t value = axis != UINT32_MAX
                             ? find_value(&b->axes[axis], a->axes[i].values[experiment_value_at(a, point, i)].label)
                             : UINT32_MAX;
        if (value == UINT32_MAX)
            return UINT32_MAX;
        at[axis] = value;
    }
    for (uint32_t i = 0; i < b->axis_count; i++)
        found = found * b->axes[i].count + at[i];
    return found;
}

static int match_points(struct diff *diff)
{
    const struct experiment *a = &diff->a.experiment, *b = &diff->b.experiment;
    uint32_t matched = 0;
    if (a->axis_count != b->axis_count)
        return cli_error(CLI_INPUT, "%s: the sweep has %u axes, that of %s %u (expected the same)", diff->b.path,
                         b->axis_count, diff->a.path, a->axis_count);
    diff->points = calloc(a->point_count, sizeof *diff->points);
    if (diff->points == NULL)
        return cli_error_memory();
    for (uint32_t i = 0; i < a->point_count; i++) {
        diff->points[i] = partner(diff, i);
        matched += diff->points[i] != UINT32_MAX;
    }
    if (matched == 0)
        return cli_error(CLI_INPUT, "%s and %s have no point in common (expected the same axes and labels)",
                         diff->a.path, diff->b.path);
    return CLI_OK;
}

/* The run of a point of B with this seed; UINT32_MAX: none is finished. */
static uint32_t run_of_seed(const struct table *table, uint32_t point, uint64_t seed)
{
    uint32_t seeds = table->experiment.seed_count;
    for (uint32_t i = 0; i < seeds; i++) {
        const struct table_run *run = &table->runs[point * seeds + i];
        if (run->finished && run->seed == seed)
            return point * seeds + i;
    }
    return UINT32_MAX;
}

/* "query.fct.mean" of "query.short.fct.mean"; UINT32_MAX: no such measure. */
static uint32_t find_whole(const struct table *table, const char *name)
{
    const char *dot = strchr(name, '.'), *next = dot != NULL ? strchr(dot + 1, '.') : NULL;
    char whole[RUN_MEASURE_NAME_MAX];
    if (next == NULL || strlen(name) >= sizeof whole)
        return UINT32_MAX;
    snprintf(whole, sizeof whole, "%.*s%s", (int)(dot - name), name, next);
    return table_find(table, whole);
}

/* A range of sizes in which all flows of the tag are has its numbers, which are listed there. */
static bool repeats_whole(const struct table *table, uint32_t point, uint32_t measure)
{
    uint32_t seeds = table->experiment.seed_count, whole = find_whole(table, table->measures[measure].name);
    for (uint32_t i = 0; whole != UINT32_MAX && i < seeds; i++) {
        double part = table_value(table, point * seeds + i, measure),
               all = table_value(table, point * seeds + i, whole);
        if (isfinite(part) != isfinite(all) || (isfinite(part) && part != all))
            return false;
    }
    return whole != UINT32_MAX;
}

static void compare(struct diff *diff, uint32_t point, uint32_t measure, uint32_t other)
{
    uint32_t seeds = diff->a.experiment.seed_count;
    struct spread_sum a = {.count = 0}, b = {.count = 0}, change = {.count = 0};
    for (uint32_t i = 0; i < seeds; i++) {
        const struct table_run *run = &diff->a.runs[point * seeds + i];
        uint32_t pair = run->finished ? run_of_seed(&diff->b, diff->points[point], run->seed) : UINT32_MAX;
        if (pair == UINT32_MAX)
            continue;
        double one = table_value(&diff->a, point * seeds + i, measure), two = table_value(&diff->b, pair, other);
        if (!isfinite(one) || !isfinite(two))
            continue;
        spread_add(&a, one);
        spread_add(&b, two);
        spread_add(&change, two - one);
    }
    if (change.count == 0)
        return;
    struct row row = {point, measure, spread_end(&a).mean, spread_end(&b).mean, spread_end(&change), false};
    bool same = row.change.min == 0 && row.change.max == 0;
    row.differs = !same && (row.change.count < 2 || fabs(row.change.mean) > row.change.half);
    diff->compared++;
    diff->equal += same;
    diff->differing += row.differs;
    diff->open += !same && !row.differs;
    if (row.differs)
        diff->rows[diff->count++] = row;
}

static double size_of(const struct row *row)
{
    return row->a != 0 ? fabs(row->change.mean / row->a) : INFINITY;
}

static int by_size(const void *one, const void *other)
{
    double a = size_of(one), b = size_of(other);
    const struct row *x = one, *y = other;
    if (a != b)
        return a < b ? 1 : -1;
    return x->point != y->point ? (x->point > y->point) - (x->point < y->point)
                                : (x->measure > y->measure) - (x->measure < y->measure);
}

static int compare_all(struct diff *diff)
{
    const struct table *a = &diff->a;
    diff->rows = calloc((size_t)a->experiment.point_count * a->measure_count + 1, sizeof *diff->rows);
    if (diff->rows == NULL)
        return cli_error_memory();
    for (uint32_t m = 0; m < a->measure_count; m++) {
        uint32_t other =
            is_wanted(diff->choice, a->measures[m].name) ? table_find(&diff->b, a->measures[m].name) : UINT32_MAX;
        for (uint32_t point = 0; other != UINT32_MAX && point < a->experiment.point_count; point++)
            if (diff->points[point] != UINT32_MAX && (diff->choice->measure != NULL || !repeats_whole(a, point, m) ||
                                                      !repeats_whole(&diff->b, diff->points[point], other)))
                compare(diff, point, m, other);
    }
    if (diff->compared == 0 && diff->choice->measure != NULL)
        return cli_error(CLI_INPUT, "diff: --measure: no run of both has '%s' (weir measures lists the names)",
                         diff->choice->measure);
    if (diff->compared == 0)
        return cli_error(CLI_INPUT, "%s and %s have no finished run in common (expected the same seeds)", a->path,
                         diff->b.path);
    qsort(diff->rows, diff->count, sizeof *diff->rows, by_size);
    return CLI_OK;
}

static void add_row(struct data_frame *frame, const struct diff *diff, const struct row *row)
{
    const struct experiment *experiment = &diff->a.experiment;
    const char *unit = diff->a.measures[row->measure].unit;
    char a[64], b[64], text[128] = "from zero";
    for (uint32_t i = 0; i < experiment->axis_count; i++)
        data_row(frame, cell_text(experiment->axes[i].values[experiment_value_at(experiment, row->point, i)].label));
    double change = 100 * row->change.mean / row->a, half = 100 * row->change.half / fabs(row->a);
    int digits = fabs(change) >= 0.1 ? 1 : fabs(change) >= 0.001 ? 3 : 6; /* what differs is not "0.0 %" */
    if (row->a != 0 && isfinite(row->change.half))
        snprintf(text, sizeof text, "%+.*f %% \u00b1 %.*f %%", digits, change, digits, half);
    else if (row->a != 0)
        snprintf(text, sizeof text, "%+.*f %%", digits, change);
    value_text(row->a, unit, a);
    value_text(row->b, unit, b);
    data_row(frame, cell_text(diff->a.measures[row->measure].name), cell_shown(cell_number(row->a), a),
             cell_shown(cell_number(row->b), b), cell_shown(cell_number(row->change.mean), text));
}

/* The parts whose code differs between runs that are compared: "dt, weir". Each once; empty: none. */
static void find_code(const struct diff *diff, char names[NAMES_MAX])
{
    uint32_t seeds = diff->a.experiment.seed_count;
    names[0] = '\0';
    for (uint32_t i = 0; i < experiment_runs(&diff->a.experiment); i++) {
        const struct table_run *run = &diff->a.runs[i];
        uint32_t point = diff->points[i / seeds];
        uint32_t pair = run->finished && point != UINT32_MAX ? run_of_seed(&diff->b, point, run->seed) : UINT32_MAX;
        char name[CODE_NAME_MAX + 2];
        if (pair == UINT32_MAX || diff->b.runs[pair].code[0] == '\0' ||
            code_compare(run->code, diff->b.runs[pair].code, name) != CODE_CHANGED)
            continue;
        size_t used = strlen(names), length = strlen(name);
        memcpy(name + length, ",", 2); /* names are told apart by what follows */
        if (strstr(names, name) == NULL && used + length + 3 < NAMES_MAX)
            snprintf(names + used, NAMES_MAX - used, " %s", name);
    }
    size_t used = strlen(names);
    if (used > 0)
        names[used - 1] = '\0';
}

static int print(const struct diff *diff)
{
    struct data_column columns[EXPERIMENT_AXES_MAX + 4];
    const struct experiment *experiment = &diff->a.experiment;
    uint32_t axes = experiment->axis_count,
             shown = diff->choice->all || diff->count < ROWS_SHOWN ? diff->count : ROWS_SHOWN;
    for (uint32_t i = 0; i < axes; i++)
        columns[i] = (struct data_column)DATA_COLUMN(experiment->axes[i].name, experiment->axes[i].name, TEXT,
                                                     .right = experiment->axes[i].unit != NULL);
    columns[axes] = (struct data_column)DATA_COLUMN("measure", "measure", TEXT);
    columns[axes + 1] = (struct data_column)DATA_COLUMN("a", "A", NUMBER);
    columns[axes + 2] = (struct data_column)DATA_COLUMN("b", "B", NUMBER);
    columns[axes + 3] = (struct data_column)DATA_COLUMN("change", "change", NUMBER);
    struct data_frame *frame = data_frame_new(DATA_ROWS, columns, axes + 4);
    for (uint32_t i = 0; i < shown; i++)
        add_row(frame, diff, &diff->rows[i]);
    int code = data_frame_check(frame);
    if (code == CLI_OK) {
        cli_print("A: %s, made by weir %s", diff->a.path, diff->a.version != NULL ? diff->a.version : "?");
        cli_print("B: %s, made by weir %s", diff->b.path, diff->b.version != NULL ? diff->b.version : "?");
        char names[NAMES_MAX];
        find_code(diff, names);
        if (names[0] != '\0')
            cli_print("their code differs in%s", names);
        putchar('\n');
        if (shown > 0)
            write_text(frame);
        if (shown < diff->count)
            cli_print("... and %u more: --all shows them", diff->count - shown);
        fputs(shown > 0 ? "\n" : "", stdout);
        cli_print("%u of %u numbers differ, %u are equal, of %u the seeds do not tell", diff->differing, diff->compared,
                  diff->equal, diff->open);
        if (diff->a.experiment.seed_count == 1 || diff->b.experiment.seed_count == 1)
            cli_print("one seed: every change counts, without an interval");
    }
    data_frame_free(frame);
    return code != CLI_OK ? code : diff->differing > 0 ? CLI_VIOLATION : CLI_OK;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.all = false};
    struct cli_line line;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    if (!cli_read(&line, &cmd_diff, argc, argv, &choice))
        return line.code;
    struct diff diff = {.choice = &choice};
    int code = table_load(&diff.a, line.operands[0], &status) ? CLI_OK : cli_report(&status);
    if (code == CLI_OK && !table_load(&diff.b, line.operands[1], &status))
        code = cli_report(&status);
    if (code == CLI_OK)
        code = match_points(&diff);
    if (code == CLI_OK)
        code = compare_all(&diff);
    if (code == CLI_OK)
        code = print(&diff);
    free(diff.points);
    free(diff.rows);
    table_free(&diff.a);
    table_free(&diff.b);
    return code;
}
