/*
 * fuzz_counters.c - any bytes at all through the readers of counters: IPFIX, JSON, CSV and tables by their first bytes.
 */
#include <stdlib.h>

#include "operate/counters/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct counters counters;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    counters_init(&counters);
    if (!counters_add(&counters, "dump", (const char *)data, size, &error) && error.code == WEIR_ERROR_NONE)
        abort();
    for (uint32_t i = 0; i < counters.series.count; i++)
        if (counters_find(&counters, COUNTERS_SERIES(&counters)[i].kind, COUNTERS_SERIES(&counters)[i].object,
                          COUNTERS_SERIES(&counters)[i].index) != &COUNTERS_SERIES(&counters)[i])
            abort();
    counters_free(&counters);
    return 0;
}
