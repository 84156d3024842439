/*
 * fuzz_results.c - any bytes at all as a database of results: it is refused with a message, or all of it can be read.
 * What is refused is refused again, and reading leaves the file as it was.
 */
#include <string.h>

#include "lab/store/table.h"
#include "tests/fuzz/fuzz_file.h"

#define RUNS_MAX 16u /* whose curves are read */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_curves(const struct table *table)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct table_curves *curves = table_curves_open(table, &error);
    uint32_t runs = experiment_runs(&table->experiment);
    if (curves == NULL && error.code == WEIR_ERROR_NONE)
        abort();
    for (uint32_t run = 0; curves != NULL && run < runs && run < RUNS_MAX; run++) {
        uint32_t count = 0;
        char **names = table_curve_names(curves, run, "", &count);
        for (uint32_t i = 0; names != NULL && i < count; i++) {
            struct measure_curve curve = {.points = NULL};
            if (table_curve(curves, run, names[i], &curve))
                free(curve.points);
            else if (table_curves_status(curves)->code == WEIR_ERROR_NONE)
                abort();
        }
        if (names != NULL)
            table_curve_names_free(names, count);
    }
    if (curves != NULL)
        table_curves_close(curves);
}

static bool read_all(const char *path)
{
    struct table table;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool good = table_load(&table, path, &error);
    if (!good && error.code == WEIR_ERROR_NONE)
        abort();
    for (uint32_t i = 0; good && i < table.measure_count; i++)
        if (table_find(&table, table.measures[i].name) == UINT32_MAX)
            abort();
    if (good)
        read_curves(&table);
    table_free(&table);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(".db", data, size);
    if (read_all(path) != read_all(path))
        abort();
    unlink(path);
    return 0;
}
