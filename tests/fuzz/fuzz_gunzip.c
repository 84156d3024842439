/*
 * fuzz_gunzip.c - any bytes at all as a compressed file: bytes, or a complaint.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/trace/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    uint8_t *bytes = malloc(size + 1);
    if (!bytes)
        return 0;
    if (size > 0)
        memcpy(bytes, data, size);
    if (!trace_unpack(&bytes, &size, &error) && error.code == WEIR_ERROR_NONE)
        abort();
    free(bytes);
    return 0;
}
