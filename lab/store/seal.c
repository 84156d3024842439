/*
 * seal.c - see seal.h.
 *
 * One function adds up whatever a query gives, column by column with type and length, so that what is written and what
 * is checked cannot differ. The sum is FNV-1a of 64 bits: any single wrong byte changes it.
 */
#include "lab/store/seal.h"

#include <string.h>

#include "lab/store/store_file.h"

#define SUM_START UINT64_C(0xcbf29ce484222325)
#define SUM_PRIME UINT64_C(0x100000001b3)

/* Whoever has a row in some table. */
#define ALL_RUNS                                                                                                       \
    "SELECT id AS run FROM run UNION SELECT run FROM failure UNION SELECT run FROM cost UNION SELECT run FROM measure" \
    " UNION SELECT run FROM curve"

static const char *const seal_sql[SEAL_STATEMENTS] = {
    [SEAL_RUN] = "SELECT seed,config,digest,hops,code FROM run WHERE id=?",
    [SEAL_COST] = "SELECT seconds,memory,version FROM cost WHERE run=?",
    [SEAL_FAILURE] = "SELECT what FROM failure WHERE run=?",
    [SEAL_MEASURES] = "SELECT name,unit,value FROM measure WHERE run=? ORDER BY name",
    [SEAL_CURVE_SUMS] = "SELECT name,sum FROM seal WHERE run=? AND name<>'' ORDER BY name",
    [SEAL_CURVES] = "SELECT name,x_unit,y_unit,points FROM curve WHERE run=? ORDER BY name",
    [SEAL_EXPERIMENT] = "SELECT key,value FROM experiment ORDER BY key",
    [SEAL_PLACES] = "SELECT point,seed,run FROM place ORDER BY point,seed",
    [SEAL_LABELS] = "SELECT point,axis,value FROM label ORDER BY point,axis",
    [SEAL_FIND] = "SELECT sum FROM seal WHERE run=? AND name=''",
    [SEAL_PUT] = "INSERT OR REPLACE INTO seal VALUES(?,?,?)",
    [SEAL_DROP] = "DELETE FROM seal WHERE run=?",
    [SEAL_ALL] = "SELECT run FROM seal WHERE name='' AND run<>''",
    [SEAL_RUNS] = ALL_RUNS,
    /* What has no seal: a run, and rows of one. */
    [SEAL_LOOSE] = "SELECT run FROM (" ALL_RUNS ") WHERE run NOT IN (SELECT run FROM seal)"
                   " UNION ALL SELECT run FROM curve c WHERE NOT EXISTS"
                   " (SELECT 1 FROM seal s WHERE s.run=c.run AND s.name=c.name)"
                   " UNION ALL SELECT run FROM seal s WHERE name<>'' AND NOT EXISTS"
                   " (SELECT 1 FROM curve c WHERE c.run=s.run AND c.name=s.name) LIMIT 1",
};

static sqlite3_stmt *statement_of(struct store *store, enum seal_statement which)
{
    sqlite3_stmt **statement = &store->seals[which];
    if (*statement == NULL)
        sqlite3_prepare_v3(store->db, seal_sql[which], -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
    return *statement;
}

static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ at[i]) * SUM_PRIME;
    return sum;
}

static uint64_t add_number(uint64_t sum, uint64_t bits)
{
    unsigned char bytes[8];
    for (uint32_t i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bits >> (8 * i));
    return add_bytes(sum, bytes, sizeof bytes);
}

static uint64_t add_column(uint64_t sum, sqlite3_stmt *row, int column)
{
    int type = sqlite3_column_type(row, column);
    sum = add_number(sum, (uint64_t)type);
    if (type == SQLITE_INTEGER)
        return add_number(sum, (uint64_t)sqlite3_column_int64(row, column));
    if (type == SQLITE_FLOAT) {
        double number = sqlite3_column_double(row, column);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        return add_number(sum, bits);
    }
    size_t count = type == SQLITE_NULL ? 0 : (size_t)sqlite3_column_bytes(row, column);
    const void *bytes = count > 0 ? sqlite3_column_blob(row, column) : NULL;
    if (bytes == NULL)
        count = 0; /* for want of memory, which lacks_memory tells */
    return add_bytes(add_number(sum, count), bytes, count);
}

/* A value of the last row could not be had. The next step would forget it. */
static bool lacks_memory(struct store *store)
{
    return sqlite3_errcode(store->db) == SQLITE_NOMEM;
}

static uint64_t add_columns(uint64_t sum, sqlite3_stmt *row, int first, int end)
{
    for (int column = first; column < end; column++)
        sum = add_column(sum, row, column);
    return sum;
}

/* Adds all rows of a query; `rows` counts them. False after an error of SQLite. */
static bool add_rows(struct store *store, enum seal_statement which, const char *run, uint64_t *sum, uint64_t *rows)
{
    sqlite3_stmt *statement = statement_of(store, which);
    int code = SQLITE_ERROR;
    if (statement == NULL)
        return false;
    if (run != NULL)
        sqlite3_bind_text(statement, 1, run, -1, SQLITE_STATIC);
    *sum = add_number(*sum, (uint64_t)which);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        *sum = add_columns(*sum, statement, 0, sqlite3_column_count(statement));
        ++*rows;
        if (lacks_memory(store))
            return false;
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE;
}

static bool put(struct store *store, const char *run, const char *name, uint64_t sum)
{
    sqlite3_stmt *statement = statement_of(store, SEAL_PUT);
    if (statement == NULL)
        return false;
    sqlite3_bind_text(statement, 1, run, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)sum);
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE;
}

static bool drop(struct store *store, const char *run)
{
    sqlite3_stmt *statement = statement_of(store, SEAL_DROP);
    if (statement == NULL)
        return false;
    sqlite3_bind_text(statement, 1, run, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE;
}

static bool put_curves(struct store *store, const char *run)
{
    sqlite3_stmt *row = statement_of(store, SEAL_CURVES);
    int code = SQLITE_ERROR;
    if (row == NULL)
        return false;
    sqlite3_bind_text(row, 1, run, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        uint64_t sum = add_columns(SUM_START, row, 1, 1 + SEAL_CURVE_COLUMNS);
        if (name == NULL || lacks_memory(store) || !put(store, run, name, sum))
            return false;
    }
    sqlite3_reset(row);
    return code == SQLITE_DONE;
}

static bool sum_run(struct store *store, const char *run, uint64_t *sum, uint64_t *rows)
{
    *sum = SUM_START;
    *rows = 0;
    return add_rows(store, SEAL_RUN, run, sum, rows) && add_rows(store, SEAL_COST, run, sum, rows) &&
           add_rows(store, SEAL_FAILURE, run, sum, rows) && add_rows(store, SEAL_MEASURES, run, sum, rows) &&
           add_rows(store, SEAL_CURVE_SUMS, run, sum, rows);
}

static bool sum_plan(struct store *store, uint64_t *sum)
{
    uint64_t rows = 0;
    *sum = SUM_START;
    return add_rows(store, SEAL_EXPERIMENT, NULL, sum, &rows) && add_rows(store, SEAL_PLACES, NULL, sum, &rows) &&
           add_rows(store, SEAL_LABELS, NULL, sum, &rows);
}

bool seal_run(struct store *store, const char *run)
{
    uint64_t sum, rows;
    return drop(store, run) && put_curves(store, run) && sum_run(store, run, &sum, &rows) &&
           (rows == 0 || put(store, run, "", sum));
}

bool seal_plan(struct store *store)
{
    uint64_t sum;
    return sum_plan(store, &sum) && put(store, "", "", sum);
}

bool seal_everything(struct store *store)
{
    sqlite3_stmt *row = statement_of(store, SEAL_RUNS);
    int code = SQLITE_ERROR;
    if (row == NULL)
        return false;
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *run = (const char *)sqlite3_column_text(row, 0);
        if (run == NULL || !seal_run(store, run))
            return false;
    }
    sqlite3_reset(row);
    return code == SQLITE_DONE && seal_plan(store);
}

/* SQLITE_ROW: the sum that was stored is this. SQLITE_DONE: it is another, or there is none. */
static int compare(struct store *store, const char *run, uint64_t sum)
{
    sqlite3_stmt *statement = statement_of(store, SEAL_FIND);
    if (statement == NULL)
        return SQLITE_ERROR;
    sqlite3_bind_text(statement, 1, run, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW && (uint64_t)sqlite3_column_int64(statement, 0) != sum)
        code = SQLITE_DONE;
    sqlite3_reset(statement);
    return code;
}

static bool judge(struct store *store, int code, const char *what, struct weir_error *status)
{
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        return store_fail_sql(store, status);
    return store_fail(
        status, WEIR_ERROR_INPUT, store->path,
        "is damaged: %.40s is not what was stored (delete it and run the experiment again, or use a copy)", what);
}

bool seal_check_run(struct store *store, const char *run, struct weir_error *status)
{
    uint64_t sum, rows;
    char what[32];
    snprintf(what, sizeof what, "run %.20s", run);
    if (!sum_run(store, run, &sum, &rows))
        return store_fail_sql(store, status);
    return judge(store, compare(store, run, sum), what, status);
}

bool seal_check_all(struct store *store, struct weir_error *status)
{
    uint64_t sum;
    if (!sum_plan(store, &sum))
        return store_fail_sql(store, status);
    if (!judge(store, compare(store, "", sum), "its plan", status))
        return false;
    sqlite3_stmt *loose = statement_of(store, SEAL_LOOSE);
    if (loose == NULL)
        return store_fail_sql(store, status);
    int code = sqlite3_step(loose);
    sqlite3_reset(loose);
    if (!judge(store, code == SQLITE_DONE ? SQLITE_ROW : code == SQLITE_ROW ? SQLITE_DONE : code, "a row", status))
        return false;
    sqlite3_stmt *row = statement_of(store, SEAL_ALL);
    if (row == NULL)
        return store_fail_sql(store, status);
    bool good = true;
    while (good && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *run = (const char *)sqlite3_column_text(row, 0);
        good = run != NULL ? seal_check_run(store, run, status) : store_fail_sql(store, status);
    }
    sqlite3_reset(row);
    return good && (code == SQLITE_DONE || store_fail_sql(store, status));
}

bool seal_check_curve(struct store *store, sqlite3_stmt *row, int first, struct weir_error *status)
{
    uint64_t sum = add_columns(SUM_START, row, first, first + SEAL_CURVE_COLUMNS);
    if (lacks_memory(store))
        return store_fail_sql(store, status);
    bool same = (uint64_t)sqlite3_column_int64(row, first + SEAL_CURVE_COLUMNS) == sum;
    return judge(store, same ? SQLITE_ROW : SQLITE_DONE, "a curve", status);
}
