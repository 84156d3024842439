/*
 * possible.c - what a scenario can give: the rows of the table of measures that exist in a run in which everything that
 * its traffic can do has happened.
 */
#include <stdio.h>
#include <string.h>

#include "cli/data_frame.h"
#include "run/measures/row.h"
#include "run/measures/run_result.h"
#include "show/writers/write.h"
#include "sim/transport/transport.h"

/* Gives each tag what its traffic makes: one flow, one query, one packet that is tracked. */
static void pretend(struct run_result *result)
{
    const struct sim_config *config = &result->scenario->config;
    for (uint32_t i = 0; i < config->traffic_count; i++) {
        const struct traffic_settings *item = &config->traffic[i];
        bool asks = item->kind == TRAFFIC_QUERY || item->kind == TRAFFIC_INCAST || item->kind == TRAFFIC_BURSTS ||
                    item->kind == TRAFFIC_ALL_TO_ALL || item->kind == TRAFFIC_ALL_REDUCE;
        bool listed = item->kind == TRAFFIC_PACKETS;
        bool tracked = listed || config->transports[item->transport].kind == &transport_udp;
        bool is_list = item->kind == TRAFFIC_LIST; /* its rows have tags of their own */
        for (uint32_t t = 0; t < config->tag_count; t++) {
            struct run_tag *tag = &result->tags[t];
            bool own = item->tag == t || is_list || (item->kind == TRAFFIC_ON_OFF && item->long_tag == t);
            tag->flows.flows += own && !listed;
            tag->groups.groups += own && asks;
            tag->packets.sent += own && tracked;
        }
    }
}

/* The pattern with the name in the place of T or PLACE. */
static void add_row(struct data_frame *frame, const struct measure_row *row, const char *pattern, const char *name)
{
    size_t length, start = strcspn(pattern, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    char text[2 * RUN_MEASURE_NAME_MAX];
    enum measure_placeholder first = measure_placeholder_at(pattern + start, &length);
    bool replaced = name != NULL && (first == MEASURE_T || first == MEASURE_PLACE);
    snprintf(text, sizeof text, "%.*s%s%s", (int)start, pattern, replaced ? name : "",
             pattern + start + (replaced ? length : 0));
    bool curve = row->kind == MEASURE_SERIES || strstr(text, ".cdf") != NULL;
    data_row(frame, cell_text(text),
             cell_text(row->kind == MEASURE_SERIES ? "series"
                       : curve                     ? "distribution"
                                                   : "number"),
             cell_text(row->unit), cell_text(row->help));
}

static void add_pattern(struct data_frame *frame, const struct run_result *result, const struct measure_row *section,
                        const struct measure_row *row, const char *pattern)
{
    enum measure_placeholder by = measure_row_placeholder(row);
    uint32_t count = by == MEASURE_T       ? result->scenario->config.tag_count
                     : by == MEASURE_PLACE ? result->scenario->config.probe_count
                                           : 1;
    for (uint32_t i = 0; i < count; i++) {
        char place[RUN_PLACE_MAX];
        const struct run_tag *tag = by == MEASURE_T ? &result->tags[i] : NULL;
        const struct measure_at at = {.run = result,
                                      .number = i,
                                      .tag = tag,
                                      .bin = MEASURE_ALL_SIZES,
                                      .flows = tag != NULL ? &tag->flows : NULL,
                                      .groups = tag != NULL ? &tag->groups : NULL};
        if (!section->exists(&at))
            continue;
        if (by == MEASURE_PLACE)
            run_probe_name(result, i, place);
        add_row(frame, row, pattern, tag != NULL ? tag->name : by == MEASURE_PLACE ? place : NULL);
    }
}

struct data_frame *write_possible(struct run_result *result)
{
    static const struct data_column columns[] = {DATA_COLUMN("name", "name", WORD), DATA_COLUMN("kind", "kind", WORD),
                                                 DATA_COLUMN("unit", "unit", WORD),
                                                 DATA_COLUMN("help", "meaning", TEXT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    const struct measure_row *section = NULL;
    char pattern[RUN_MEASURE_NAME_MAX];
    pretend(result);
    for (uint32_t i = 0; i < measure_row_count; i++) {
        const struct measure_row *row = &measure_rows[i];
        if (row->kind == MEASURE_SECTION)
            section = row;
        for (uint32_t curves = 0; curves < 2; curves++)
            if (section != NULL &&
                measure_row_pattern(row, (struct measure_pattern_choice){curves > 0, false}, pattern))
                add_pattern(frame, result, section, row, pattern);
    }
    char statistics[256] = "", *end = statistics;
    for (uint32_t i = 0; measure_placeholder_text(MEASURE_STAT, i) != NULL; i++)
        end += snprintf(end, sizeof statistics - (size_t)(end - statistics), "%s%s", i > 0 ? ", " : "",
                        measure_placeholder_text(MEASURE_STAT, i));
    data_frame_note(frame, "STAT is one of %s.", statistics);
    if (result->scenario->config.probe_count == 0)
        data_frame_note(frame, "measure.probes adds the queues of ports over time, measure.goodput_interval goodput.");
    return frame;
}
