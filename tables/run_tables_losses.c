/*
 * run_tables_losses.c - where packets were lost and how full memories got, for a terminal. Only the largest: files and
 * JSON have all.
 */
#include <inttypes.h>

#include "tables/run.h"

#define PLACES_SHOWN 8u
#define MEMORIES_SHOWN 4u

static void add_losses(struct output_table *table, const struct summary_losses *losses, bool watchdog)
{
    uint64_t other = losses->refused[WEIR_REASON_PREDICTED] + losses->refused[WEIR_REASON_NO_DESCRIPTOR] +
                     losses->refused[WEIR_REASON_TOO_LARGE] + losses->refused[WEIR_REASON_NONE];
    output_table_cell(table, "%" PRIu64, losses->total);
    output_table_cell(table, "%" PRIu64, losses->refused[WEIR_REASON_OVER_THRESHOLD]);
    output_table_cell(table, "%" PRIu64, losses->refused[WEIR_REASON_NO_ROOM]);
    output_table_cell(table, "%" PRIu64, other);
    output_table_cell(table, "%" PRIu64, losses->lost[WEIR_CAUSE_PUSHOUT]);
    output_table_cell(table, "%" PRIu64, losses->lost[WEIR_CAUSE_EXPELLED]);
    output_table_cell(table, "%" PRIu64, losses->lost[WEIR_CAUSE_DEQUEUE]);
    output_table_cell(table, "%" PRIu64, losses->lost[WEIR_CAUSE_FLUSHED]);
    if (watchdog)
        output_table_cell(table, "%" PRIu64, losses->watchdog);
}

struct output_table *run_table_losses(const struct run_result *result)
{
    static const struct output_column columns[] = {{"lost at", false}, {"port", true},           {"class", true},
                                                   {"packets", true},  {"over-threshold", true}, {"no-room", true},
                                                   {"other", true},    {"pushout", true},        {"expelled", true},
                                                   {"dequeue", true},  {"flushed", true},        {"watchdog", true}};
    bool watchdog = result->lost.by_watchdog > 0; /* few networks have one */
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0] - !watchdog);
    for (uint32_t i = 0; i < 3; i++)
        output_table_cell(table, "all");
    add_losses(table, &result->losses, watchdog);
    for (uint32_t i = 0; i < result->lossy_places && i < PLACES_SHOWN; i++) {
        const struct run_place *place = &result->places[i];
        char at[16], to[16];
        scenario_node_name(&result->scenario->topology, result->scenario->topology.hosts + place->sw, at);
        scenario_node_name(&result->scenario->topology, place->neighbour, to);
        output_table_cell(table, "%s-%s", at, to);
        output_table_cell(table, "%" PRIu32, place->port);
        output_table_cell(table, "%" PRIu32, place->tc);
        add_losses(table, &place->losses, watchdog);
    }
    return table;
}

/* The memory of the highest peak, in bytes, below the last one shown; the first in order at equal peaks. */
static const struct run_memory *next_memory(const struct run_result *result, const struct run_memory *last)
{
    const struct run_memory *best = NULL;
    for (uint32_t i = 0; i < result->memory_count; i++) {
        const struct run_memory *memory = &result->memories[i];
        bool shown = last != NULL && (memory->peak_bytes > last->peak_bytes ||
                                      (memory->peak_bytes == last->peak_bytes && memory <= last));
        if (!shown && (best == NULL || memory->peak_bytes > best->peak_bytes))
            best = memory;
    }
    return best;
}

struct output_table *run_table_memories(const struct run_result *result)
{
    static const struct output_column columns[] = {
        {"fullest memory", false}, {"buffer", true}, {"peak", true}, {"of it", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    const struct run_memory *memory = next_memory(result, NULL);
    for (uint32_t i = 0; i < MEMORIES_SHOWN && memory != NULL; i++) {
        char text[32];
        run_memory_name(result, memory, text);
        output_table_cell(table, "%s", text);
        output_table_cell(table, "%s", run_size((double)memory->buffer_bytes, text));
        output_table_cell(table, "%s", run_size((double)memory->peak_bytes, text));
        output_table_cell(table, "%.1f %%", 100 * (double)memory->peak_bytes / (double)memory->buffer_bytes);
        memory = next_memory(result, memory);
    }
    return table;
}

void run_put_lost(const struct run_result *result)
{
    const struct run_lost *lost = &result->lost;
    char watchdog[48] = "";
    if (lost->by_watchdog > 0)
        snprintf(watchdog, sizeof watchdog, ", by the watchdog %" PRIu64, lost->by_watchdog);
    if (result->lossy_places > PLACES_SHOWN)
        printf("\n%" PRIu32 " more queues with losses: see --losses or --json\n", result->lossy_places - PLACES_SHOWN);
    if (lost->total > 0)
        printf("\nlost %" PRIu64 ": refused %" PRIu64 ", after acceptance %" PRIu64 ", unroutable %" PRIu64
               ", on failed links %" PRIu64 "%s\n",
               lost->total, lost->refused, lost->after_acceptance, lost->unroutable, lost->on_failed_links, watchdog);
}
