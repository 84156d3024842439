/*
 * fuzz_forest.c - any bytes at all through the reader of forests: it gives one that can be asked and written, and reads
 * back the same, or complains.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/forest/forest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct forest *read_bytes(const void *bytes, size_t size, struct weir_error *error)
{
    FILE *in = fmemopen((void *)(uintptr_t)bytes, size, "r");
    struct forest *forest = in ? forest_read(in, "fuzz", error) : NULL;
    if (in)
        fclose(in);
    return forest;
}

static void write_and_read(const struct forest *forest)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out || !forest_write(forest, out) || fclose(out) != 0)
        abort();
    struct forest *again = read_bytes(text, size, NULL);
    if (!again || forest_digest(again) != forest_digest(forest))
        abort();
    forest_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t extremes[] = {INT64_MIN, -1, 0, 1500, INT64_MAX};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (size == 0)
        return 0;
    struct forest *forest = read_bytes(data, size, &error);
    if (!forest) {
        if (error.code == WEIR_ERROR_NONE)
            abort();
        return 0;
    }
    for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; i++) {
        int64_t feature[WEIR_FEATURE_COUNT] = {extremes[i], extremes[0], extremes[i], extremes[4]};
        double p = forest_probability(forest, feature);
        if (!(p >= -1e-9 && p <= 1 + 1e-9))
            abort();
    }
    write_and_read(forest);
    forest_free(forest);
    return 0;
}
