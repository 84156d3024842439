/*
 * table_gather.c - see table_file.h. The names of the first run are taken over in order; a later run walks along them
 * and puts in what is new. A name keeps the number it got when it came, so that what was noted before stays true; the
 * final columns follow when all names are known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/store/table_file.h"
#include "run/measures/units.h"

struct gather_name {
    const char *name; /* of the table's arena */
    const char *unit;
    uint32_t number; /* in the order of coming */
};

struct gather_value {
    uint32_t at;     /* in by_id: the first place of the run */
    uint32_t number; /* of the name */
    double value;
};

/* Places by id, then by number: merge sort, since qsort has no place for the table. */
static void sort_places(const struct table_run *runs, uint32_t *places, uint32_t *spare, uint32_t count)
{
    if (count < 2)
        return;
    uint32_t half = count / 2, left = 0, right = half;
    sort_places(runs, places, spare, half);
    sort_places(runs, places + half, spare, count - half);
    for (uint32_t i = 0; i < count; i++) {
        bool from_left = right == count || (left < half && strcmp(runs[places[left]].id, runs[places[right]].id) <= 0);
        spare[i] = from_left ? places[left++] : places[right++];
    }
    memcpy(places, spare, count * sizeof *places);
}

bool table_gather_begin(struct table_gather *gather, struct table *table)
{
    uint32_t count = experiment_runs(&table->experiment);
    *gather = (struct table_gather){.table = table, .by_id = malloc(count * sizeof *gather->by_id)};
    uint32_t *spare = malloc(count * sizeof *spare);
    bool good = gather->by_id != NULL && spare != NULL;
    for (uint32_t i = 0; good && i < count; i++)
        gather->by_id[i] = i;
    if (good)
        sort_places(table->runs, gather->by_id, spare, count);
    free(spare);
    return good;
}

static const struct table_run *run_at(const struct table_gather *gather, uint32_t at)
{
    return &gather->table->runs[gather->by_id[at]];
}

/* False: the row's run has no place in the sweep. */
static bool find_run(struct table_gather *gather, const char *id)
{
    uint32_t count = experiment_runs(&gather->table->experiment);
    int order = -1;
    while (gather->at < count && (order = strcmp(run_at(gather, gather->at)->id, id)) < 0) {
        gather->at++;
        gather->name_at = 0;
    }
    return gather->at < count && order == 0;
}

static struct gather_name *insert_name(struct table_gather *gather, const struct table_row *row)
{
    if (gather->name_count == gather->name_room) {
        uint32_t room = gather->name_room < 64 ? 64 : gather->name_room * 2;
        struct gather_name *names = realloc(gather->names, room * sizeof *names);
        if (names == NULL)
            return NULL;
        gather->names = names;
        gather->name_room = room;
    }
    struct gather_name *name = &gather->names[gather->name_at];
    const char *text = arena_text(&gather->table->arena, row->name, strlen(row->name));
    if (text == NULL)
        return NULL;
    memmove(name + 1, name, (gather->name_count - gather->name_at) * sizeof *name);
    *name = (struct gather_name){text, units_name(units_find(row->unit)), gather->name_count++};
    return name;
}

bool table_gather_row(struct table_gather *gather, const struct table_row *row)
{
    gather->unsorted |= gather->at > 0 && strcmp(run_at(gather, gather->at - 1)->id, row->run) >= 0;
    if (!find_run(gather, row->run))
        return true;
    gather->unsorted |= gather->name_at > 0 && strcmp(gather->names[gather->name_at - 1].name, row->name) >= 0;
    int order = -1;
    while (gather->name_at < gather->name_count && (order = strcmp(gather->names[gather->name_at].name, row->name)) < 0)
        gather->name_at++;
    bool known = gather->name_at < gather->name_count && order == 0;
    const struct gather_name *name = known ? &gather->names[gather->name_at] : insert_name(gather, row);
    if (name == NULL)
        return false;
    if (gather->value_count == gather->value_room) {
        size_t room = gather->value_room < 1024 ? 1024 : gather->value_room * 2;
        struct gather_value *values = realloc(gather->values, room * sizeof *values);
        if (values == NULL)
            return false;
        gather->values = values;
        gather->value_room = room;
    }
    gather->values[gather->value_count++] = (struct gather_value){gather->at, name->number, row->value};
    return true;
}

/* A value goes to every place that has its run. */
static void spread_value(const struct table_gather *gather, const struct gather_value *value, uint32_t column)
{
    struct table *table = gather->table;
    const char *id = run_at(gather, value->at)->id;
    for (uint32_t at = value->at; at < experiment_runs(&table->experiment); at++) {
        if (at > value->at && strcmp(run_at(gather, at)->id, id) != 0)
            return;
        table->values[(size_t)gather->by_id[at] * table->measure_count + column] = value->value;
    }
}

bool table_gather_finish(struct table_gather *gather)
{
    struct table *table = gather->table;
    size_t count = (size_t)experiment_runs(&table->experiment) * gather->name_count;
    uint32_t *columns = malloc((gather->name_count + (size_t)1) * sizeof *columns);
    table->measures = arena_take_array(&table->arena, gather->name_count, sizeof *table->measures);
    table->values = arena_take_array(&table->arena, count, sizeof *table->values);
    bool good = columns != NULL && table->measures != NULL && table->values != NULL;
    if (good) {
        table->measure_count = gather->name_count;
        for (uint32_t i = 0; i < gather->name_count; i++) {
            columns[gather->names[i].number] = i;
            table->measures[i] = (struct table_measure){gather->names[i].name, gather->names[i].unit};
        }
        for (size_t i = 0; i < count; i++)
            table->values[i] = NAN;
        for (size_t i = 0; i < gather->value_count; i++)
            spread_value(gather, &gather->values[i], columns[gather->values[i].number]);
    }
    free(columns);
    return good;
}

void table_gather_free(struct table_gather *gather)
{
    free(gather->by_id);
    free(gather->names);
    free(gather->values);
}
