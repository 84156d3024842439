/*
 * fuzz_tuning.c - any bytes at all as a table of algorithms: what it chooses can be done, or is refused with a reason.
 */
#include <stdlib.h>

#include "sim/jobs/tuning.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct tuning tuning = {.lines = NULL};
    const struct collective_choice choice = {.usual = {.chunks = 1, .window = 1}, .tuning = &tuning, .server = 4};
    if (!tuning_read(&tuning, (const char *)data, size, &error) && error.code == WEIR_ERROR_NONE)
        abort();
    for (uint32_t operation = 0; operation < COLLECTIVE_OPERATIONS; operation++) {
        const struct collective_members members = {NULL, 8, 0};
        struct collective collective = {.operation = (enum collective_operation)operation, .bytes = size};
        error = (struct weir_error){.code = WEIR_ERROR_NONE};
        bool good = collective_choose(&collective, &choice, &members, &error);
        if (!good && error.code == WEIR_ERROR_NONE)
            abort();
        if (good && !collective_has(collective.operation, collective.algorithm))
            abort();
    }
    tuning_free(&tuning);
    return 0;
}
