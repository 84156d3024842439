/*
 * fuzz_trace_file.c - any bytes at all as a trace file, and as what is inside of a compressed one: the stream reader,
 * and the reader that wants all at once, finish or complain. The first byte says which of both the rest is.
 */
#include <string.h>

#include "lib/trace/file.h"
#include "lib/trace/unpack.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_stream(const char *path)
{
    static struct weir_record record;
    static struct trace_input input;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!trace_input_open(&input, path, &error)) {
        if (error.code == WEIR_ERROR_NONE)
            abort();
        return;
    }
    enum weir_trace_status status;
    do
        status = trace_input_next(&input, &record, &error);
    while (status == WEIR_TRACE_RECORD);
    if (status == WEIR_TRACE_BROKEN && error.code == WEIR_ERROR_NONE)
        abort();
    trace_input_close(&input);
}

static void read_at_once(const void *bytes, size_t size)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    uint8_t *copy = malloc(size > 0 ? size : 1);
    size_t length = size;
    if (copy == NULL)
        abort();
    memcpy(copy, bytes, size);
    if (!trace_unpack(&copy, &length, &error) && error.code == WEIR_ERROR_NONE)
        abort();
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const void *bytes = data + 1;
    size_t length = size - 1;
    void *packed = NULL;
    if (data[0] % 2 == 1) {
        size_t room = ZSTD_compressBound(length);
        packed = malloc(room);
        if (packed == NULL)
            abort();
        length = ZSTD_compress(packed, room, data + 1, length, 1);
        bytes = packed;
    }
    const char *path = fuzz_file(".wtr", bytes, length);
    read_stream(path);
    unlink(path);
    read_at_once(bytes, length);
    free(packed);
    return 0;
}
