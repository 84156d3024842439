/*
 * table_curves.c - curves of single runs, read from the file when they are asked for: they are large, and a report
 * shows few of them. See table.h.
 */
#include <stdlib.h>
#include <string.h>

#include "lab/store/store_file.h"
#include "lab/store/table.h"
#include "run/measures/row.h"

struct table_curves {
    const struct table *table;
    struct store *store;
    sqlite3_stmt *points, *names;
    bool sealed;              /* points come with their sum */
    struct weir_error status; /* of the last call that failed */
};

struct table_curves *table_curves_open(const struct table *table, struct weir_error *status)
{
    struct table_curves *curves = calloc(1, sizeof *curves);
    if (curves == NULL) {
        weir_fail_memory(status);
        return NULL;
    }
    curves->table = table;
    curves->store = store_open_to_read(table->path, status);
    if (curves->store == NULL) {
        free(curves);
        return NULL;
    }
    sqlite3 *db = curves->store->db;
    static const char sealed[] = "SELECT x_unit,y_unit,points,sum FROM seal s LEFT JOIN curve c "
                                 "ON c.run=s.run AND c.name=s.name WHERE s.run=? AND s.name=?";
    curves->sealed = store_layout(curves->store) == STORE_LAYOUT;
    if (sqlite3_prepare_v2(db,
                           curves->sealed ? sealed : "SELECT x_unit,y_unit,points FROM curve WHERE run=? AND name=?",
                           -1, &curves->points, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "SELECT name FROM curve WHERE run=? AND name>=? ORDER BY name", -1, &curves->names,
                           NULL) == SQLITE_OK)
        return curves;
    store_fail_sql(curves->store, status);
    table_curves_close(curves);
    return NULL;
}

static const char *column_unit(sqlite3_stmt *row, int column)
{
    const char *name = (const char *)sqlite3_column_text(row, column);
    return units_name(name != NULL ? units_find(name) : UNITS_COUNT);
}

static bool curve_take(sqlite3_stmt *row, struct measure_curve *curve)
{
    const unsigned char *bytes = sqlite3_column_blob(row, 2);
    uint32_t count = (uint32_t)sqlite3_column_bytes(row, 2) / 16;
    curve->x_unit = column_unit(row, 0);
    curve->y_unit = column_unit(row, 1);
    if (bytes == NULL || count == 0)
        return true;
    curve->points = malloc((size_t)count * 16);
    if (curve->points == NULL)
        return false;
    curve->count = curve->room = count;
    for (size_t i = 0; i < 2 * (size_t)count; i++) {
        uint64_t bits = 0;
        for (uint32_t byte = 0; byte < 8; byte++)
            bits |= (uint64_t)(bytes + 8 * i)[byte] << (8 * byte);
        double number;
        memcpy(&number, &bits, sizeof number);
        curve->points[i] = number;
    }
    return true;
}

/* After a step that gave `code`: a row that could not be taken is a lack of memory. */
static void curves_fail(struct table_curves *curves, int code)
{
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        weir_fail_memory(&curves->status);
    else
        store_fail_sql(curves->store, &curves->status);
}

const struct weir_error *table_curves_status(const struct table_curves *curves)
{
    return &curves->status;
}

bool table_curve(struct table_curves *curves, uint32_t run, const char *name, struct measure_curve *curve)
{
    *curve = (struct measure_curve){.x_unit = "1", .y_unit = "1"};
    sqlite3_bind_text(curves->points, 1, curves->table->runs[run].id, -1, SQLITE_STATIC);
    sqlite3_bind_text(curves->points, 2, name, -1, SQLITE_STATIC);
    int code = sqlite3_step(curves->points);
    bool whole =
        code != SQLITE_ROW || !curves->sealed || seal_check_curve(curves->store, curves->points, 0, &curves->status);
    bool good = whole && (code == SQLITE_DONE || (code == SQLITE_ROW && curve_take(curves->points, curve)));
    if (!good && whole)
        curves_fail(curves, code);
    sqlite3_reset(curves->points);
    return good;
}

/* A list of names that grows. */
struct names {
    char **at;
    uint32_t count, room;
};

static bool names_add(struct names *names, const char *name)
{
    if (names->count == names->room) {
        uint32_t room = 2 * names->room + 16;
        char **at = realloc(names->at, room * sizeof *at);
        if (at == NULL)
            return false;
        names->at = at;
        names->room = room;
    }
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (copy == NULL)
        return false;
    names->at[names->count++] = memcpy(copy, name, size);
    return true;
}

char **table_curve_names(struct table_curves *curves, uint32_t run, const char *prefix, uint32_t *count)
{
    size_t length = strlen(prefix);
    struct names names = {calloc(1, sizeof *names.at), 0, 1};
    sqlite3_bind_text(curves->names, 1, curves->table->runs[run].id, -1, SQLITE_STATIC);
    sqlite3_bind_text(curves->names, 2, prefix, -1, SQLITE_STATIC);
    int code = SQLITE_ROW;
    bool more = true, good = names.at != NULL;
    while (good && more && (code = sqlite3_step(curves->names)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(curves->names, 0);
        more = name != NULL && strncmp(name, prefix, length) == 0; /* sorted: the first other one ends them */
        good = name != NULL && (!more || names_add(&names, name));
    }
    good = good && (code == SQLITE_ROW || code == SQLITE_DONE);
    if (!good) {
        curves_fail(curves, code);
        table_curve_names_free(names.at, names.count);
        names = (struct names){NULL, 0, 0};
    }
    sqlite3_reset(curves->names);
    *count = names.count;
    return names.at;
}

void table_curve_names_free(char **names, uint32_t count)
{
    for (uint32_t i = 0; names != NULL && i < count; i++)
        free(names[i]);
    free(names);
}

void table_curves_close(struct table_curves *curves)
{
    struct weir_error closing;
    sqlite3_finalize(curves->points);
    sqlite3_finalize(curves->names);
    store_close(curves->store, &closing);
    free(curves);
}
