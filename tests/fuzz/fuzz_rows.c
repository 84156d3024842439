/*
 * fuzz_rows.c - any bytes at all through the reader of training rows, plain or compressed: rows with sound labels, or
 * a complaint.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/learning/rows_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct forest_rows rows = {0};
    struct rows_about about = {0};
    FILE *in = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (!in)
        return 0;
    bool whole = rows_stream_read(in, "fuzz", size % 2 ? "leaf0" : NULL, &about, &rows, &error);
    fclose(in);
    if (!whole && error.code == WEIR_ERROR_NONE)
        abort();
    for (uint64_t i = 0; i < rows.count; i++)
        if (rows.lost[i] > 1)
            abort();
    forest_rows_free(&rows);
    return 0;
}
