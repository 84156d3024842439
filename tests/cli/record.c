/*
 * record.c - `record POLICY SEED EVENTS FILE`: writes a trace of random calls, for the shell tests. `record --plain
 * FROM TO` writes a trace without compression, so that a test can change a byte of it.
 */
#include "record.h"

#include <stdio.h>

static int record_plain(const char *from, const char *to)
{
    char message[TRACE_FILE_MESSAGE_MAX];
    struct trace_input input;
    static struct weir_record record;
    if (!trace_input_open(&input, from, message))
        return cli_error(CLI_INPUT, "%s", message);
    while (trace_input_next(&input, &record, message) == WEIR_TRACE_RECORD)
        ;
    bool saved = output_file_save(to, input.reader.bytes, input.filled); /* a short trace is still present as a whole */
    trace_input_close(&input);
    return saved ? CLI_OK : CLI_INTERNAL;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--plain") == 0)
        return record_plain(argv[2], argv[3]);
    if (argc != 5)
        return CLI_USAGE;
    return record_trace(argv[1], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4]) ? CLI_OK
                                                                                                    : CLI_INTERNAL;
}
