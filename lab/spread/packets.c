/*
 * packets.c - files of the packets that a run follows, written while it goes on. They appear when the run is over, with
 * the other files, or not at all.
 */
#include <string.h>

#include "lab/spread/spread.h"

/* By the end of the file's name; PACKETS_FORMS: by none. */
static enum packets_form form_of(const char *path)
{
    static const char *const ends[PACKETS_FORMS] = {[PACKETS_CSV] = ".csv", [PACKETS_PCAPNG] = ".pcapng"};
    uint32_t form = 0;
    while (form < PACKETS_FORMS &&
           (strlen(path) <= strlen(ends[form]) || strcmp(path + strlen(path) - strlen(ends[form]), ends[form]) != 0))
        form++;
    return (enum packets_form)form;
}

int spread_read_packets(void *target, const struct cli_option *option, const char *text)
{
    struct spread_choice *choice = target;
    (void)option;
    if (choice->packet_files == SPREAD_PACKETS_MAX)
        return cli_error(CLI_USAGE, "run: --packets: too many (expected at most %u)", SPREAD_PACKETS_MAX);
    if (form_of(text) == PACKETS_FORMS)
        return cli_error(CLI_USAGE, "--packets: %s: its name does not say which form it has (expected .csv or .pcapng)",
                         text);
    choice->packets[choice->packet_files++] = text;
    return CLI_OK;
}

static bool take(void *context, const struct sim_packet_event *event)
{
    struct spread_packets *packets = context;
    for (uint32_t i = 0; i < packets->count; i++)
        if (!packets_writer_put(packets->writer[i], event))
            return false;
    return true;
}

int spread_packets_open(struct spread_packets *packets, const struct spread_choice *choice, const struct run *run)
{
    struct weir_error error;
    if (choice->packet_files == 0)
        return CLI_OK;
    if (!run_follow_read(&packets->follow, &run->scenario, choice->follow, &error))
        return cli_report(&error);
    packets->follow.follow.take = take;
    packets->follow.follow.context = packets;
    for (uint32_t i = 0; i < choice->packet_files; i++) {
        if (!output_file_open(&packets->file[i], choice->packets[i]))
            return CLI_INTERNAL;
        packets->count++;
        if (!output_file_stream(&packets->file[i]))
            return CLI_INTERNAL;
        packets->writer[i] = packets_writer_new(form_of(choice->packets[i]), &run->scenario, packets->file[i].stream);
        if (packets->writer[i] == NULL)
            return cli_error_memory();
    }
    return CLI_OK;
}

bool spread_packets_end(struct spread_packets *packets, bool interrupted)
{
    for (uint32_t i = 0; i < packets->count; i++)
        if (!output_file_flush(&packets->file[i]) || (interrupted && !output_file_rename_partial(&packets->file[i])))
            return false;
    return true;
}

bool spread_packets_commit(struct spread_packets *packets)
{
    for (uint32_t i = 0; i < packets->count; i++)
        if (!output_file_commit(&packets->file[i]))
            return false;
    return true;
}

void spread_packets_discard(struct spread_packets *packets)
{
    for (uint32_t i = 0; i < packets->count; i++) {
        packets_writer_free(packets->writer[i]);
        output_file_discard(&packets->file[i]);
    }
    packets->count = 0;
}
