/*
 * results_dump.h - every row of a file of results but what runs cost, as text, in the order of the keys: equal files
 * have equal texts.
 */
#ifndef TESTS_SUPPORT_RESULTS_DUMP_H
#define TESTS_SUPPORT_RESULTS_DUMP_H

#include <sqlite3.h>
#include <stdio.h>

/* To be freed. */
static inline char *results_dump(const char *path)
{
    static const char *const queries[] = {
        "SELECT 'experiment',* FROM experiment ORDER BY 2",
        "SELECT 'run',* FROM run ORDER BY 2",
        "SELECT 'place',* FROM place ORDER BY 2,3",
        "SELECT 'label',* FROM label ORDER BY 2,3",
        "SELECT 'measure',* FROM measure ORDER BY 2,3",
        "SELECT 'failure',* FROM failure ORDER BY 2",
        "SELECT 'curve',run,name,x_unit,y_unit,hex(points) FROM curve ORDER BY 2,3",
    };
    sqlite3 *db;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        sqlite3_stmt *row;
        int code;
        assert_int_equal(sqlite3_prepare_v2(db, queries[i], -1, &row, NULL), SQLITE_OK);
        while ((code = sqlite3_step(row)) == SQLITE_ROW) {
            for (int column = 0; column < sqlite3_column_count(row); column++)
                fprintf(out, "%d:%s|", sqlite3_column_type(row, column),
                        (const char *)sqlite3_column_text(row, column));
            fputc('\n', out);
        }
        assert_int_equal(code, SQLITE_DONE);
        sqlite3_finalize(row);
    }
    sqlite3_close(db);
    fclose(out);
    return text;
}

#endif
