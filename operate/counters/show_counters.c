/*
 * show_counters.c - counters beside the configuration, as text and as JSON.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "operate/counters/counters.h"
#include "show/writers/write.h"

static const char *const levels[] = {"note", "warning", "error"};
static const char *const verdicts[] = {"-", "no pause", "may pause", "pauses", "beyond"};

static struct data_cell known(int64_t bytes)
{
    return cell_if(bytes != SONIC_ABSENT, cell_integer(bytes));
}

static struct data_frame *groups_frame(const struct counters_judgement *judgement, uint32_t most)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("port", "port", WORD),
        DATA_COLUMN("pg", "PG", INTEGER),
        DATA_COLUMN("near", "near", SHARE, .digits = 1),
        DATA_COLUMN("shared_bytes", "shared, B", INTEGER),
        DATA_COLUMN("pauses_alone_bytes", "pauses alone, B", INTEGER),
        DATA_COLUMN("pauses_together_bytes", "pauses with all, B", INTEGER),
        DATA_COLUMN("headroom_bytes", "headroom, B", INTEGER),
        DATA_COLUMN("xoff_bytes", "xoff, B", INTEGER),
        DATA_COLUMN("dropped", "dropped", INTEGER),
        DATA_COLUMN("pfc_sent", "PFC sent", INTEGER),
        DATA_COLUMN("model", "the model says", TEXT),
    };
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < judgement->groups.count && i < most; i++) {
        const struct counters_group *group = &JUDGED_GROUPS(judgement)[i];
        data_row(frame, cell_text(group->group->port->name), cell_integer(group->group->number),
                 cell_number(group->part), known(group->shared), known(group->alone), known(group->together),
                 known(group->headroom), known(group->xoff), known(group->dropped), known(group->sent),
                 cell_text(verdicts[group->verdict]));
    }
    return frame;
}

static struct data_frame *queues_frame(const struct counters_judgement *judgement, uint32_t most)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("port", "port", WORD),
        DATA_COLUMN("queue", "queue", INTEGER),
        DATA_COLUMN("near", "near", SHARE, .digits = 1),
        DATA_COLUMN("held_bytes", "held, B", INTEGER),
        DATA_COLUMN("limit_bytes", "limit alone, B", INTEGER),
        DATA_COLUMN("dropped", "dropped", INTEGER),
        DATA_COLUMN("marked", "marked", INTEGER),
    };
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < judgement->queues.count && i < most; i++) {
        const struct counters_queue *queue = &JUDGED_QUEUES(judgement)[i];
        data_row(frame, cell_text(queue->port), cell_integer(queue->queue), cell_number(queue->part),
                 known(queue->held), known(queue->limit), known(queue->dropped), known(queue->marked));
    }
    return frame;
}

static struct data_frame *alarms_frame(const struct counters_judgement *judgement)
{
    static const struct data_column columns[] = {DATA_COLUMN("level", NULL, WORD), DATA_COLUMN("where", NULL, TEXT),
                                                 DATA_COLUMN("text", NULL, TEXT), DATA_COLUMN("mend", NULL, TEXT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < judgement->alarms.count; i++) {
        const struct counters_alarm *alarm = &JUDGED_ALARMS(judgement)[i];
        data_row(frame, cell_text(levels[alarm->level]), cell_text(alarm->where), cell_text(alarm->text),
                 cell_text(alarm->mend));
    }
    return frame;
}

struct data_frame *counters_frame(const struct counters_judgement *judgement, const struct counters *counters)
{
    return data_object({"files", cell_integer(counters->files)}, {"values", cell_integer(counters->values)},
                       {"groups", cell_frame(groups_frame(judgement, UINT32_MAX))},
                       {"queues", cell_frame(queues_frame(judgement, UINT32_MAX))},
                       {"alarms", cell_frame(alarms_frame(judgement))});
}

static void show_alarms(const struct counters_judgement *judgement)
{
    for (uint32_t i = 0; i < judgement->alarms.count; i++) {
        const struct counters_alarm *alarm = &JUDGED_ALARMS(judgement)[i];
        cli_print("%s: %s: %s", levels[alarm->level], alarm->where, alarm->text);
        cli_print("    do: %s", alarm->mend);
    }
    if (judgement->alarms.count == 0)
        cli_print("no alarm");
}

int counters_show(const struct counters_judgement *judgement, const struct counters *counters, uint32_t most)
{
    int code = CLI_OK;
    cli_print("counters: %u files, %u values", counters->files, counters->values);
    if (counters->unnamed > 0)
        cli_print("not used: %u values of telemetry whose object nothing names (expected a dump of STATE_DB with "
                  "HIGH_FREQUENCY_TELEMETRY_SESSION beside them, first by name)",
                  counters->unnamed);
    if (judgement->groups.count > 0) {
        const struct counters_group *nearest = &JUDGED_GROUPS(judgement)[0];
        cli_print("nearest to its limit: %s PG %u, %.1f %%", nearest->group->port->name, nearest->group->number,
                  100 * nearest->part);
    }
    show_alarms(judgement);
    if (judgement->groups.count > 0) {
        cli_print("%s", "");
        code = write_result(groups_frame(judgement, most), false);
        cli_print("shared, headroom: the most that the group held. pauses alone: with the pool to itself; with all: "
                  "while every other group holds the most that it ever held. near: the larger part of pauses alone and "
                  "of xoff. The model says, for these watermarks: no pause: below both; may pause: between them; "
                  "pauses: at the first; beyond: more than this configuration lets it hold.");
    }
    if (code == CLI_OK && judgement->queues.count > 0) {
        cli_print("%s", "");
        code = write_result(queues_frame(judgement, most), false);
        cli_print("held: the most that the queue held. limit alone: its threshold with the egress pool to itself.");
    }
    if (judgement->groups.count > most || judgement->queues.count > most)
        cli_print("shown: the first %u of %u groups and of %u queues (--top N)", most, judgement->groups.count,
                  judgement->queues.count);
    return code;
}
