/*
 * command_text.c - the command that was typed, to be shown or to be run by a shell elsewhere.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "lab/spread/spread.h"
#include "scenario/yaml/text_stream.h"

void spread_put_word(FILE *out, const char *word)
{
    putc(' ', out);
    fputs(CLI_PASTE(word), out);
}

void spread_put_changes(FILE *out, const struct plan_changes *changes)
{
    fputs(changes->quick ? " --quick" : "", out);
    for (uint32_t i = 0; i < changes->sets; i++) {
        fputs(" --set", out);
        spread_put_word(out, changes->set[i]);
    }
    if (changes->seed_given)
        fprintf(out, " --seed %" PRIu64, changes->seed);
    if (changes->seeds_given)
        fprintf(out, " --seeds %" PRIu64, changes->seeds);
}

char *spread_command_text(const struct spread_choice *choice, const char *file)
{
    struct text_stream stream;
    if (!text_stream_open(&stream))
        return NULL;
    fputs(choice->testbed != NULL ? "weir testbed run" : "weir run", stream.out);
    spread_put_changes(stream.out, &choice->changes);
    if (choice->output != NULL) {
        fputs(" --output", stream.out);
        spread_put_word(stream.out, choice->output);
    }
    spread_put_word(stream.out, file);
    return text_stream_close(&stream);
}
