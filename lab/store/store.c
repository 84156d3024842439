/*
 * store.c - the tables of a file of results, and what is written to them: see store.h. Opening and closing are in
 * store_open.c, messages in store_error.c, reading in table.c.
 *
 * Everything that belongs together is one transaction. Rows are replaced by key, so that adding a run twice, or after a
 * kill in the middle, gives the same rows as adding it once.
 */
#include "lab/store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/store/store_file.h"

#define RUN_COLUMNS                                                                                                    \
    "id TEXT NOT NULL, seed INTEGER NOT NULL, config TEXT NOT NULL, digest TEXT NOT NULL, hops INTEGER NOT NULL"
#define STORE_DIGEST_MAX 17u /* 64 bits in hexadecimal */
#define SEAL_TABLE                                                                                                     \
    "CREATE TABLE seal(run TEXT NOT NULL, name TEXT NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY(run, name))"           \
    " WITHOUT ROWID"

static const char *const tables_sql[] = {
    "CREATE TABLE experiment(key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(key)) WITHOUT ROWID",
    "CREATE TABLE run(" RUN_COLUMNS ", code TEXT NOT NULL, PRIMARY KEY(id)) WITHOUT ROWID",
    "CREATE TABLE place(point INTEGER NOT NULL, seed INTEGER NOT NULL, run TEXT NOT NULL, PRIMARY KEY(point, seed))"
    " WITHOUT ROWID",
    "CREATE TABLE label(point INTEGER NOT NULL, axis TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(point, axis))"
    " WITHOUT ROWID",
    "CREATE TABLE measure(run TEXT NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL, value REAL NOT NULL,"
    " PRIMARY KEY(run, name)) WITHOUT ROWID",
    "CREATE TABLE curve(run TEXT NOT NULL, name TEXT NOT NULL, x_unit TEXT NOT NULL, y_unit TEXT NOT NULL,"
    " points BLOB NOT NULL, PRIMARY KEY(run, name)) WITHOUT ROWID",
    "CREATE TABLE cost(run TEXT NOT NULL, seconds REAL NOT NULL, memory INTEGER NOT NULL, version TEXT NOT NULL,"
    " PRIMARY KEY(run)) WITHOUT ROWID",
    "CREATE TABLE failure(run TEXT NOT NULL, what TEXT NOT NULL, PRIMARY KEY(run)) WITHOUT ROWID",
    SEAL_TABLE,
};

/* How earlier layouts define what differs, and what is left of that when they are brought up to date. */
static const char *const earlier_sql[] = {
    "CREATE TABLE run(" RUN_COLUMNS ", PRIMARY KEY(id)) WITHOUT ROWID",
    "CREATE TABLE run(" RUN_COLUMNS ", code TEXT NOT NULL DEFAULT '', PRIMARY KEY(id)) WITHOUT ROWID",
};

/* From layout 1: nobody knows which code made its runs. */
static const char add_code_sql[] = "ALTER TABLE run ADD COLUMN code TEXT NOT NULL DEFAULT ''";

static const char *const statement_sql[STORE_STATEMENTS] = {
    [STORE_BEGIN] = "BEGIN IMMEDIATE",
    [STORE_COMMIT] = "COMMIT",
    [STORE_FIND_RUN] = "SELECT code FROM run WHERE id=?",
    [STORE_FIND_DIGEST] = "SELECT digest FROM run WHERE id=?",
    [STORE_PUT_EXPERIMENT] = "INSERT OR REPLACE INTO experiment VALUES(?,?)",
    [STORE_PUT_PLACE] = "INSERT OR REPLACE INTO place VALUES(?,?,?)",
    [STORE_PUT_LABEL] = "INSERT OR REPLACE INTO label VALUES(?,?,?)",
    [STORE_PUT_RUN] = "INSERT OR REPLACE INTO run VALUES(?,?,?,?,?,?)",
    [STORE_PUT_MEASURE] = "INSERT OR REPLACE INTO measure VALUES(?,?,?,?)",
    [STORE_PUT_CURVE] = "INSERT OR REPLACE INTO curve VALUES(?,?,?,?,?)",
    [STORE_PUT_COST] = "INSERT OR REPLACE INTO cost VALUES(?,?,?,?)",
    [STORE_PUT_FAILURE] = "INSERT OR REPLACE INTO failure VALUES(?,?)",
    [STORE_DROP_RUN] = "DELETE FROM run WHERE id=?",
    [STORE_DROP_COST] = "DELETE FROM cost WHERE run=?",
    [STORE_DROP_MEASURES] = "DELETE FROM measure WHERE run=?",
    [STORE_DROP_CURVES] = "DELETE FROM curve WHERE run=?",
    [STORE_DROP_FAILURE] = "DELETE FROM failure WHERE run=?",
};

/* The one row of a query that gives a number; -1: none. */
static int64_t ask_number(struct store *store, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

int64_t store_layout(struct store *store)
{
    return ask_number(store, "PRAGMA user_version");
}

static bool execute(struct store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The same statement but for spaces: SQLite leaves some when it changes one. */
static bool is_same_sql(const char *a, const char *b)
{
    for (;; a++, b++) {
        for (; is_space(*a); a++) {
        }
        for (; is_space(*b); b++) {
        }
        if (*a != *b || *a == '\0')
            return *a == *b;
    }
}

static bool is_own_definition(const char *sql, int64_t layout)
{
    for (size_t i = 0; i < sizeof tables_sql / sizeof tables_sql[0]; i++)
        if (is_same_sql(sql, tables_sql[i]))
            return layout == STORE_LAYOUT || strcmp(tables_sql[i], SEAL_TABLE) != 0;
    for (size_t i = 0; i < sizeof earlier_sql / sizeof earlier_sql[0]; i++)
        if (is_same_sql(sql, earlier_sql[i]))
            return true;
    return false;
}

bool store_check_definitions(struct store *store, struct weir_error *status)
{
    sqlite3_stmt *row = NULL;
    int64_t layout = store_layout(store);
    int code = SQLITE_ERROR;
    bool own = true;
    if (layout >= 0 &&
        sqlite3_prepare_v2(store->db, "SELECT type,name,sql FROM sqlite_master", -1, &row, NULL) == SQLITE_OK)
        while (own && (code = sqlite3_step(row)) == SQLITE_ROW) {
            const char *sql = (const char *)sqlite3_column_text(row, 2);
            if (sql == NULL && sqlite3_errcode(store->db) == SQLITE_NOMEM) {
                code = SQLITE_NOMEM;
                break;
            }
            own = sql != NULL && is_own_definition(sql, layout);
            if (!own)
                store_fail(status, WEIR_ERROR_INPUT, store->path,
                           "defines the %.10s %.60s, which weir did not make (expected the tables of weir alone, as it "
                           "makes them)",
                           (const char *)sqlite3_column_text(row, 0), (const char *)sqlite3_column_text(row, 1));
        }
    if (own && code != SQLITE_DONE)
        own = store_fail_sql(store, status);
    sqlite3_finalize(row);
    return own;
}

bool store_create_tables(struct store *store)
{
    char identity[80];
    int64_t application = ask_number(store, "PRAGMA application_id");
    if (application != 0 && application != STORE_APPLICATION)
        return false;
    bool is_new = application == 0;
    int64_t layout = store_layout(store);
    if (is_new ? ask_number(store, "SELECT count(*) FROM sqlite_master") != 0 : layout > STORE_LAYOUT || layout < 1)
        return false;
    if (!is_new && layout == STORE_LAYOUT)
        return true;
    snprintf(identity, sizeof identity, "PRAGMA application_id=%d; PRAGMA user_version=%d", STORE_APPLICATION,
             STORE_LAYOUT);
    bool good = execute(store, identity);
    for (size_t i = 0; is_new && good && i < sizeof tables_sql / sizeof tables_sql[0]; i++)
        good = execute(store, tables_sql[i]);
    if (!is_new)
        good =
            good && (layout != STORE_LAYOUT_WITHOUT_CODE || execute(store, add_code_sql)) && execute(store, SEAL_TABLE);
    return good && seal_everything(store);
}

bool store_is_empty(struct store *store)
{
    return ask_number(store, "SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM experiment)") == 0;
}

bool store_prepare(struct store *store)
{
    for (uint32_t i = 0; i < STORE_STATEMENTS; i++)
        if (sqlite3_prepare_v3(store->db, statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT, &store->statements[i],
                               NULL) != SQLITE_OK)
            return false;
    return true;
}

/* Texts of the caller live as long as a call. */
static void bind_text(sqlite3_stmt *statement, int column, const char *text)
{
    sqlite3_bind_text(statement, column, text, -1, SQLITE_STATIC);
}

static bool step(struct store *store, enum store_statement which)
{
    int code = sqlite3_step(store->statements[which]);
    sqlite3_reset(store->statements[which]);
    return code == SQLITE_DONE;
}

static bool step_for(struct store *store, enum store_statement which, const char *run)
{
    bind_text(store->statements[which], 1, run);
    return step(store, which);
}

/* Ends a transaction that was begun with STORE_BEGIN. SQLite goes on writing to a file that was removed: without the
 * second question, a sweep would work for hours for nothing. */
static bool finish(struct store *store, bool good, struct weir_error *status)
{
    *status = (struct weir_error){.code = WEIR_ERROR_NONE};
    return (good && step(store, STORE_COMMIT) && store_is_in_place(store)) || store_fail_sql(store, status);
}

static bool put_experiment(struct store *store, const char *key, const char *value)
{
    sqlite3_stmt *statement = store->statements[STORE_PUT_EXPERIMENT];
    bind_text(statement, 1, key);
    bind_text(statement, 2, value);
    return step(store, STORE_PUT_EXPERIMENT);
}

static bool put_places(struct store *store, const struct store_plan *plan)
{
    const struct experiment *experiment = plan->experiment;
    sqlite3_stmt *statement = store->statements[STORE_PUT_PLACE];
    for (uint32_t run = 0; run < experiment_runs(experiment); run++) {
        sqlite3_bind_int64(statement, 1, run / experiment->seed_count);
        sqlite3_bind_int64(statement, 2, (sqlite3_int64)(experiment->first_seed + run % experiment->seed_count));
        bind_text(statement, 3, plan->ids[run]);
        if (!step(store, STORE_PUT_PLACE))
            return false;
    }
    return true;
}

static bool put_labels(struct store *store, const struct experiment *experiment)
{
    sqlite3_stmt *statement = store->statements[STORE_PUT_LABEL];
    for (uint32_t point = 0; point < experiment->point_count; point++)
        for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
            uint32_t value = experiment_value_at(experiment, point, axis);
            sqlite3_bind_int64(statement, 1, point);
            bind_text(statement, 2, experiment->axes[axis].name);
            bind_text(statement, 3, experiment->axes[axis].values[value].label);
            if (!step(store, STORE_PUT_LABEL))
                return false;
        }
    return true;
}

bool store_plan(struct store *store, const struct store_plan *plan, struct weir_error *status)
{
    char *scenario = node_text(plan->experiment->whole);
    if (scenario == NULL)
        return weir_fail_memory(status);
    bool good = step(store, STORE_BEGIN) &&
                sqlite3_exec(store->db, "DELETE FROM experiment; DELETE FROM place; DELETE FROM label", NULL, NULL,
                             NULL) == SQLITE_OK &&
                put_experiment(store, "scenario", scenario) && put_experiment(store, "source", plan->source) &&
                put_experiment(store, "size", plan->experiment->quick ? "quick" : "full") &&
                put_experiment(store, "weir", plan->version) && put_places(store, plan) &&
                put_labels(store, plan->experiment) && seal_plan(store);
    good = finish(store, good, status);
    free(scenario);
    return good;
}

bool store_find_run(struct store *store, const char *id, char **code, struct weir_error *status)
{
    sqlite3_stmt *statement = store->statements[STORE_FIND_RUN];
    *code = NULL;
    *status = (struct weir_error){.code = WEIR_ERROR_NONE};
    bind_text(statement, 1, id);
    int found = sqlite3_step(statement);
    if (found == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        *code = text != NULL ? strdup(text) : NULL;
        if (*code == NULL)
            weir_fail_memory(status);
    } else if (found != SQLITE_DONE) {
        store_fail_sql(store, status);
    }
    sqlite3_reset(statement);
    if (status->code == WEIR_ERROR_NONE && (*code == NULL || seal_check_run(store, id, status)))
        return true;
    free(*code);
    *code = NULL;
    return false;
}

static void write_digest(char text[STORE_DIGEST_MAX], uint64_t digest)
{
    snprintf(text, STORE_DIGEST_MAX, "%016llx", (unsigned long long)digest);
}

bool store_has_digest(struct store *store, const char *id, uint64_t digest, bool *same, struct weir_error *status)
{
    sqlite3_stmt *statement = store->statements[STORE_FIND_DIGEST];
    char text[STORE_DIGEST_MAX];
    write_digest(text, digest);
    bind_text(statement, 1, id);
    int found = sqlite3_step(statement);
    const char *stored = found == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    *same = stored != NULL && strcmp(stored, text) == 0;
    bool good = stored != NULL || found == SQLITE_DONE || store_fail_sql(store, status);
    sqlite3_reset(statement);
    return good;
}

static bool put_run(struct store *store, const struct store_run *run)
{
    sqlite3_stmt *statement = store->statements[STORE_PUT_RUN];
    char digest[STORE_DIGEST_MAX];
    write_digest(digest, run->measures->digest);
    bind_text(statement, 1, run->id);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)run->seed);
    bind_text(statement, 3, run->config);
    bind_text(statement, 4, digest);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)run->measures->hops);
    bind_text(statement, 6, run->code);
    return step(store, STORE_PUT_RUN);
}

static bool put_cost(struct store *store, const struct store_run *run)
{
    sqlite3_stmt *statement = store->statements[STORE_PUT_COST];
    bind_text(statement, 1, run->id);
    sqlite3_bind_double(statement, 2, run->seconds);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)run->memory_bytes);
    bind_text(statement, 4, run->version);
    return step(store, STORE_PUT_COST);
}

static bool put_values(struct store *store, const struct store_run *run)
{
    sqlite3_stmt *statement = store->statements[STORE_PUT_MEASURE];
    bind_text(statement, 1, run->id);
    for (uint32_t i = 0; i < run->measures->value_count; i++) {
        const struct measure_value *value = &run->measures->values[i];
        bind_text(statement, 2, value->name);
        bind_text(statement, 3, value->unit);
        sqlite3_bind_double(statement, 4, value->value);
        if (!step(store, STORE_PUT_MEASURE))
            return false;
    }
    return true;
}

static bool put_curves(struct store *store, const struct store_run *run, unsigned char *bytes)
{
    sqlite3_stmt *statement = store->statements[STORE_PUT_CURVE];
    bind_text(statement, 1, run->id);
    for (uint32_t i = 0; i < run->measures->curve_count; i++) {
        const struct measure_curve *curve = &run->measures->curves[i];
        /* Little-endian whatever the machine, and one NaN for all: the same results are the same bytes. */
        for (size_t k = 0; k < 2 * (size_t)curve->count; k++) {
            uint64_t bits = UINT64_C(0x7ff8000000000000);
            double number = curve->points[k];
            if (!isnan(number))
                memcpy(&bits, &number, sizeof bits);
            for (uint32_t byte = 0; byte < 8; byte++)
                bytes[8 * k + byte] = (unsigned char)(bits >> (8 * byte));
        }
        bind_text(statement, 2, curve->name);
        bind_text(statement, 3, curve->x_unit);
        bind_text(statement, 4, curve->y_unit);
        sqlite3_bind_blob64(statement, 5, bytes, 16 * (sqlite3_uint64)curve->count, SQLITE_STATIC);
        if (!step(store, STORE_PUT_CURVE))
            return false;
    }
    return true;
}

bool store_add_run(struct store *store, const struct store_run *run, struct weir_error *status)
{
    size_t points = 1;
    for (uint32_t i = 0; i < run->measures->curve_count; i++)
        if (run->measures->curves[i].count > points)
            points = run->measures->curves[i].count;
    unsigned char *bytes = malloc(16 * points);
    if (bytes == NULL || run->measures->failed) {
        free(bytes);
        return weir_fail_memory(status);
    }
    bool good = step(store, STORE_BEGIN) && step_for(store, STORE_DROP_MEASURES, run->id) &&
                step_for(store, STORE_DROP_CURVES, run->id) && step_for(store, STORE_DROP_FAILURE, run->id) &&
                put_run(store, run) && put_values(store, run) && put_curves(store, run, bytes) &&
                put_cost(store, run) && seal_run(store, run->id);
    good = finish(store, good, status);
    free(bytes);
    return good;
}

/* All that is stored of a run. */
static bool drop_run(struct store *store, const char *id)
{
    return step_for(store, STORE_DROP_MEASURES, id) && step_for(store, STORE_DROP_CURVES, id) &&
           step_for(store, STORE_DROP_COST, id) && step_for(store, STORE_DROP_FAILURE, id) &&
           step_for(store, STORE_DROP_RUN, id) && seal_run(store, id);
}

bool store_add_failure(struct store *store, const char *id, const char *what, struct weir_error *status)
{
    sqlite3_stmt *statement = store->statements[STORE_PUT_FAILURE];
    bool good = step(store, STORE_BEGIN) && drop_run(store, id);
    bind_text(statement, 1, id);
    bind_text(statement, 2, what);
    return finish(store, good && step(store, STORE_PUT_FAILURE) && seal_run(store, id), status);
}

bool store_forget_runs(struct store *store, const char *const *ids, uint32_t count, struct weir_error *status)
{
    bool good = step(store, STORE_BEGIN);
    for (uint32_t i = 0; i < count && good; i++)
        good = drop_run(store, ids[i]);
    return finish(store, good, status);
}
