/*
 * record.c - `record POLICY SEED EVENTS FILE`: writes a trace of random calls, for the shell tests. `record --plain
 * FROM TO` writes a trace without compression, so that a test can change a byte of it; `record --seal FILE` then makes
 * the checksum at its end right again.
 */
#include "tests/apps/record.h"

#include <stdio.h>

#include "tests/support/error_line.h"
#include "trace_internal.h"

static int record_plain(const char *from, const char *to)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct trace_input input;
    static struct weir_record record;
    if (!trace_input_open(&input, from, &error))
        return cli_error(CLI_INPUT, "%s", ERROR_LINE(&error));
    while (trace_input_next(&input, &record, &error) == WEIR_TRACE_RECORD)
        ;
    bool saved = output_file_save(to, input.reader.bytes, input.filled); /* a short trace is still present as a whole */
    trace_input_close(&input);
    return saved ? CLI_OK : CLI_INTERNAL;
}

/* In place. */
static int record_seal(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t count = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file != NULL)
        fclose(file);
    if (count < 8 || count == sizeof bytes)
        return CLI_INPUT;
    uint64_t checksum = weir_trace_checksum(WEIR_CHECKSUM_START, bytes, count - 8);
    for (uint32_t i = 0; i < 8; i++)
        bytes[count - 8 + i] = (uint8_t)(checksum >> 8 * i);
    return output_file_save(path, bytes, count) ? CLI_OK : CLI_INTERNAL;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--plain") == 0)
        return record_plain(argv[2], argv[3]);
    if (argc == 3 && strcmp(argv[1], "--seal") == 0)
        return record_seal(argv[2]);
    if (argc != 5)
        return CLI_USAGE;
    return record_trace(argv[1], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4]) ? CLI_OK
                                                                                                    : CLI_INTERNAL;
}
