/*
 * fuzz_trace.c - any bytes at all through the trace reader: it finishes or complains, and never reads outside.
 */
#include <stdlib.h>

#include "weir/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct weir_trace_reader reader;
    static struct weir_trace_ports ports;
    static struct weir_record record;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!weir_trace_open(&reader, data, size, &ports, &error)) {
        if (error.code == WEIR_ERROR_NONE)
            abort();
        return 0;
    }
    enum weir_trace_status status;
    do
        status = weir_trace_next(&reader, &record, &error);
    while (status == WEIR_TRACE_RECORD);
    if (status == WEIR_TRACE_BROKEN && error.code == WEIR_ERROR_NONE)
        abort();
    return 0;
}
