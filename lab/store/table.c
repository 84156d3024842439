/*
 * table.c - see table.h. One read transaction gives one state of the file, however far a writer has come.
 *
 * Rows of measures come sorted by run and by name, so that both are found by walking along: the runs of the plan sorted
 * by id, and the names known so far in order. No row is looked up.
 */
#include "lab/store/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/store/find.h"
#include "lab/store/store_file.h"
#include "run/measures/row.h"
#include "weir/params.h"

/* Rows of measures are gathered into the values of the table. A row is one number of one run; a value belongs to a
 * place of the sweep, and several places may share one run. The names of the first run are taken over in order; a later
 * run walks along them and puts in what is new. A name keeps the number it got when it came, so that what was noted
 * before stays true; the final columns follow when all names are known. */
struct table_row {
    const char *run, *name, *unit;
    double value;
};

struct gather_name {
    const char *name; /* of the table's arena */
    const char *unit;
    uint32_t number; /* order of arrival */
};

struct gather_value {
    uint32_t at;     /* in by_id: the first place of the run */
    uint32_t number; /* of the name */
    double value;
};

struct table_gather {
    struct table *table;
    uint32_t *by_id; /* [experiment_runs]: places sorted by the id of their run */
    uint32_t at;     /* in by_id: the first place whose run is the row's, or comes after it */
    struct gather_name *names;
    uint32_t name_count, name_room;
    uint32_t name_at; /* among the names, in their order: where the next row's name is looked for */
    bool unsorted;    /* a row came that should have come before: the file is damaged */
    struct gather_value *values;
    size_t value_count, value_room;
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

/* Each is false when memory is short; release either way. Rows come sorted by run and name, else `unsorted`
 * says so. */
static bool table_gather_begin(struct table_gather *gather, struct table *table)
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

static bool table_gather_row(struct table_gather *gather, const struct table_row *row)
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

static bool table_gather_finish(struct table_gather *gather)
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

#define VALUES_MAX (1u << 28) /* 2 GiB */
#define UNSORTED "its rows are not in their order (the file is damaged: delete it and run the experiment again)"
#define MISFIT "its sweep does not fit its scenario (the file is damaged: delete it and run the experiment again)"

struct table_loader {
    struct table *table;
    struct store *store;
    struct weir_error *status;
    sqlite3_stmt *statement; /* the query that runs now */
    const char *size;        /* "full", "quick" */
    int64_t layout;          /* of the tables */
};

static bool loader_prepare(struct table_loader *loader, const char *sql)
{
    sqlite3_finalize(loader->statement);
    loader->statement = NULL;
    return sqlite3_prepare_v2(loader->store->db, sql, -1, &loader->statement, NULL) == SQLITE_OK ||
           store_fail_sql(loader->store, loader->status);
}

/* The next row; false: there is none, or an error, which loader_ended tells. */
static bool loader_row(struct table_loader *loader, int *code)
{
    *code = sqlite3_step(loader->statement);
    return *code == SQLITE_ROW;
}

static bool loader_ended(struct table_loader *loader, int code)
{
    return code == SQLITE_DONE || store_fail_sql(loader->store, loader->status);
}

/* A column as text of the table; null: out of memory. */
static const char *loader_text(struct table_loader *loader, int column)
{
    const char *text = (const char *)sqlite3_column_text(loader->statement, column);
    size_t length = (size_t)sqlite3_column_bytes(loader->statement, column);
    return arena_text(&loader->table->arena, text != NULL ? text : "", text != NULL ? length : 0);
}

static bool load_keys(struct table_loader *loader)
{
    struct {
        const char *name, **value;
    } keys[] = {{"scenario", &loader->table->scenario},
                {"source", &loader->table->source},
                {"weir", &loader->table->version},
                {"size", &loader->size}};
    int code;
    if (!loader_prepare(loader, "SELECT key,value FROM experiment"))
        return false;
    while (loader_row(loader, &code)) {
        const char *name = loader_text(loader, 0), *value = loader_text(loader, 1);
        if (name == NULL || value == NULL)
            return weir_fail_memory(loader->status);
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
            if (strcmp(keys[i].name, name) == 0)
                *keys[i].value = value;
    }
    if (!loader_ended(loader, code))
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (*keys[i].value == NULL)
            return store_fail(loader->status, WEIR_ERROR_INPUT, loader->table->path,
                              "has no experiment yet (start `weir run` again to go on with it)");
    return true;
}

/* The text has the changes of the quick size in it, and says so. */
static bool load_experiment(struct table_loader *loader)
{
    struct table *table = loader->table;
    struct document document;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool good = document_read(&document, table->source, table->scenario, strlen(table->scenario), &error);
    good = good && experiment_read(&table->experiment, &document, false, &error);
    document_free(&document);
    table->experiment.quick = strcmp(loader->size, "quick") == 0;
    if (good)
        return true;
    if (error.code == WEIR_ERROR_MEMORY)
        return weir_fail_memory(loader->status);
    return store_fail(
        loader->status, WEIR_ERROR_INPUT, table->path,
        "this version of weir cannot read the scenario in it: %.200s (use the version that made it, %.40s)",
        weir_error_line(&error, (char[WEIR_ERROR_LINE_MAX]){""}), table->version);
}

/* Its columns are in this order. */
#define RUNS_SQL(code)                                                                                                 \
    "SELECT point,p.seed,p.run,config,digest,hops," code ",seconds,memory,version,what FROM place p "                  \
    "LEFT JOIN run r ON r.id=p.run LEFT JOIN cost c ON c.run=r.id LEFT JOIN failure f ON f.run=p.run "                 \
    "ORDER BY point,p.seed"
enum {
    PLACE_POINT,
    PLACE_SEED,
    PLACE_ID,
    RUN_CONFIG,
    RUN_DIGEST,
    RUN_HOPS,
    RUN_CODE,
    COST_SECONDS,
    COST_MEMORY,
    COST_VERSION,
    WHAT
};

static bool load_run(struct table_loader *loader, uint32_t index)
{
    const struct experiment *experiment = &loader->table->experiment;
    sqlite3_stmt *row = loader->statement;
    struct table_run *run = &loader->table->runs[index];
    run->seed = (uint64_t)sqlite3_column_int64(row, PLACE_SEED);
    if (sqlite3_column_int64(row, PLACE_POINT) != index / experiment->seed_count ||
        run->seed != experiment->first_seed + index % experiment->seed_count)
        return store_fail(loader->status, WEIR_ERROR_INPUT, loader->table->path, MISFIT);
    run->id = loader_text(loader, PLACE_ID);
    run->finished = sqlite3_column_type(row, RUN_CONFIG) != SQLITE_NULL;
    run->config = run->finished ? loader_text(loader, RUN_CONFIG) : "";
    run->code = run->finished ? loader_text(loader, RUN_CODE) : "";
    run->version = run->finished ? loader_text(loader, COST_VERSION) : "";
    if (run->finished) {
        const char *digest = (const char *)sqlite3_column_text(row, RUN_DIGEST);
        run->digest = digest != NULL ? strtoull(digest, NULL, 16) : 0;
        run->hops = (uint64_t)sqlite3_column_int64(row, RUN_HOPS);
        run->seconds = sqlite3_column_double(row, COST_SECONDS);
        run->memory_bytes = (uint64_t)sqlite3_column_int64(row, COST_MEMORY);
        loader->table->finished++;
    }
    bool tried = sqlite3_column_type(row, WHAT) != SQLITE_NULL;
    run->failure = tried ? loader_text(loader, WHAT) : NULL;
    bool good = run->id != NULL && run->config != NULL && run->code != NULL && run->version != NULL &&
                (!tried || run->failure != NULL);
    return good || weir_fail_memory(loader->status);
}

static bool load_runs(struct table_loader *loader)
{
    struct table *table = loader->table;
    uint32_t total = experiment_runs(&table->experiment), count = 0;
    int code;
    table->runs = arena_take_array(&table->arena, total, sizeof *table->runs);
    if (table->runs == NULL)
        return weir_fail_memory(loader->status);
    if (!loader_prepare(loader, loader->layout == STORE_LAYOUT_WITHOUT_CODE ? RUNS_SQL("''") : RUNS_SQL("code")))
        return false;
    while (loader_row(loader, &code)) {
        if (count == total)
            return store_fail(loader->status, WEIR_ERROR_INPUT, table->path, MISFIT);
        if (!load_run(loader, count++))
            return false;
    }
    if (!loader_ended(loader, code))
        return false;
    return count == total || store_fail(loader->status, WEIR_ERROR_INPUT, table->path, MISFIT);
}

static bool load_values(struct table_loader *loader, struct table_gather *gather)
{
    int code;
    if (!loader_prepare(loader, "SELECT run,name,unit,value FROM measure ORDER BY run,name"))
        return false;
    while (loader_row(loader, &code)) {
        struct table_row row = {(const char *)sqlite3_column_text(loader->statement, 0),
                                (const char *)sqlite3_column_text(loader->statement, 1),
                                (const char *)sqlite3_column_text(loader->statement, 2),
                                sqlite3_column_double(loader->statement, 3)};
        if (row.run != NULL && row.name != NULL && row.unit != NULL && !table_gather_row(gather, &row))
            return weir_fail_memory(loader->status);
        if (gather->unsorted)
            return store_fail(loader->status, WEIR_ERROR_MALFORMED, loader->table->path, UNSORTED);
        if ((uint64_t)gather->name_count * experiment_runs(&loader->table->experiment) > VALUES_MAX)
            return store_fail(loader->status, WEIR_ERROR_INPUT, loader->table->path,
                              "has more than %u values, runs times measures (split the sweep into several files)",
                              VALUES_MAX);
    }
    return loader_ended(loader, code) && (table_gather_finish(gather) || weir_fail_memory(loader->status));
}

static bool load_all(struct table_loader *loader)
{
    if (sqlite3_exec(loader->store->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return store_fail_sql(loader->store, loader->status);
    loader->layout = store_layout(loader->store);
    if (loader->layout < 0)
        return store_fail_sql(loader->store, loader->status);
    if (loader->layout == STORE_LAYOUT && !seal_check_all(loader->store, loader->status))
        return false;
    if (!load_keys(loader) || !load_experiment(loader) || !load_runs(loader))
        return false;
    int code;
    if (!loader_prepare(loader, "SELECT count(*) FROM run WHERE id NOT IN (SELECT run FROM place)"))
        return false;
    while (loader_row(loader, &code))
        loader->table->others = (uint32_t)sqlite3_column_int64(loader->statement, 0);
    if (!loader_ended(loader, code))
        return false;
    struct table_gather gather;
    bool good =
        table_gather_begin(&gather, loader->table) ? load_values(loader, &gather) : weir_fail_memory(loader->status);
    free(gather.by_id);
    free(gather.names);
    free(gather.values);
    return good;
}

bool table_load(struct table *table, const char *path, struct weir_error *status)
{
    *table = (struct table){.path = NULL};
    *status = (struct weir_error){.code = WEIR_ERROR_NONE};
    table->path = find_results(&table->arena, path, status);
    if (table->path == NULL)
        return false;
    struct table_loader loader = {.table = table, .status = status, .store = store_open_to_read(table->path, status)};
    if (loader.store == NULL)
        return false;
    bool good = load_all(&loader);
    sqlite3_finalize(loader.statement);
    struct weir_error closing;
    store_close(loader.store, &closing);
    return good;
}

void table_free(struct table *table)
{
    experiment_free(&table->experiment);
    arena_free(&table->arena);
    *table = (struct table){.path = NULL};
}

uint32_t table_find(const struct table *table, const char *name)
{
    uint32_t low = 0, high = table->measure_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(table->measures[middle].name, name);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}

const char *table_nearest(const struct table *table, const char *name)
{
    const char **names = malloc((table->measure_count + (size_t)1) * sizeof *names);
    if (names == NULL)
        return NULL;
    for (uint32_t i = 0; i < table->measure_count; i++)
        names[i] = table->measures[i].name;
    const char *nearest = weir_nearest_name(name, names, table->measure_count);
    free(names);
    return nearest;
}
