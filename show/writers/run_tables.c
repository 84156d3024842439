/*
 * run_tables.c - the result of `weir run` for a terminal: flows by tag and size, queries, packets, where packets were
 * lost, how full buffers got, and flow control in a few lines. Of places and MMUs only the largest: files and JSON
 * have all.
 */
#include <inttypes.h>
#include <string.h>

#include "lab/store/unfinished.h"
#include "show/writers/run.h"
#include "show/writers/run_violations.h"

#define TAG_COLUMNS 24
#define PLACES_SHOWN 8u
#define MEMORIES_SHOWN 4u

/* What a statistic of a sample says, which its sign tells. */
static enum censoring censoring_in(const struct statistics *values, const char *name)
{
    for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
        if (strcmp(statistic_table[i].name, name) == 0)
            return censoring_of(&statistic_table[i], statistics_known(values));
    return CENSORING_NONE;
}

/* A statistic of a sample by its name; "-" when the sample is empty. */
static void cell_statistic(struct output_table *table, const struct statistics *values, const char *name, bool time)
{
    char number[32] = "-", text[CENSORING_TEXT_MAX];
    for (uint32_t i = 0; values->count > 0 && i < STATISTIC_COUNT; i++) {
        if (strcmp(statistic_table[i].name, name) != 0)
            continue;
        double value = statistic_value(values, &statistic_table[i]);
        if (time)
            run_duration(value, number);
        else
            snprintf(number, sizeof number, "%.3g", value);
    }
    enum censoring censoring = values->count > 0 ? censoring_in(values, name) : CENSORING_NONE;
    output_table_cell(table, "%s", censoring_text(censoring, number, text));
}

static void cell_duration(struct output_table *table, bool known, double ps)
{
    char text[32];
    output_table_cell(table, "%s", known ? run_duration(ps, text) : "-");
}

static void cell_flows(struct output_table *table, const struct summary_flows *flows)
{
    output_table_count(table, flows->flows);
    output_table_count(table, flows->finished);
    output_table_count(table, flows->unfinished);
    cell_statistic(table, &flows->fct_ps, "mean", true);
    cell_statistic(table, &flows->fct_ps, "p50", true);
    cell_statistic(table, &flows->fct_ps, "p99", true);
    cell_statistic(table, &flows->slowdown, "p50", false);
    cell_statistic(table, &flows->slowdown, "p99", false);
}

static struct output_table *flows_table(const struct run_result *result)
{
    static const struct output_column columns[] = {{"tag", false},       {"flows", true},        {"finished", true},
                                                   {"unfinished", true}, {"FCT mean", true},     {"FCT p50", true},
                                                   {"FCT p99", true},    {"slowdown p50", true}, {"slowdown p99", true},
                                                   {"timeouts", true},   {"goodput", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct summary_flows *flows = &result->tags[i].flows;
        char text[32];
        if (flows->flows == 0 && result->tags[i].packets.sent > 0)
            continue; /* listed packets are no flows */
        output_table_cell_cut(table, result->tags[i].name, TAG_COLUMNS);
        cell_flows(table, flows);
        output_table_count(table, flows->timeouts);
        output_table_cell(table, "%s", run_rate(flows->goodput_bps, text));
    }
    return table;
}

static struct output_table *groups_table(const struct run_result *result)
{
    static const struct output_column columns[] = {
        {"tag", false},         {"queries", true},      {"finished", true},     {"unfinished", true},
        {"QCT mean", true},     {"QCT p50", true},      {"QCT p99", true},      {"QCT max", true},
        {"slowdown p50", true}, {"slowdown p99", true}, {"with timeouts", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct summary_groups *groups = &result->tags[i].groups;
        if (groups->groups == 0)
            continue;
        output_table_cell_cut(table, result->tags[i].name, TAG_COLUMNS);
        output_table_count(table, groups->groups);
        output_table_count(table, groups->finished);
        output_table_count(table, groups->unfinished);
        cell_statistic(table, &groups->qct_ps, "mean", true);
        cell_statistic(table, &groups->qct_ps, "p50", true);
        cell_statistic(table, &groups->qct_ps, "p99", true);
        cell_statistic(table, &groups->qct_ps, "max", true);
        cell_statistic(table, &groups->slowdown, "p50", false);
        cell_statistic(table, &groups->slowdown, "p99", false);
        output_table_count(table, groups->groups_with_timeouts);
    }
    return table;
}

static struct output_table *packets_table(const struct run_result *result)
{
    static const struct output_column columns[] = {{"tag", false},    {"packets sent", true}, {"delivered", true},
                                                   {"missing", true}, {"delay mean", true},   {"delay max", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_packets *packets = &result->tags[i].packets;
        if (packets->sent == 0)
            continue;
        output_table_cell_cut(table, result->tags[i].name, TAG_COLUMNS);
        output_table_count(table, packets->sent);
        output_table_count(table, packets->delivered);
        output_table_count(table, packets->sent - packets->delivered);
        cell_duration(table, packets->delivered > 0, packets->delay_sum_ps / (double)packets->delivered);
        cell_duration(table, packets->delivered > 0, packets->delay_max_ps);
    }
    return table;
}

/* "<= 100KB", "> 100KB", "< 1MB", ">= 1MB" as the edges say. */
static const char *bin_text(const struct run_result *result, uint32_t bin, char text[64])
{
    const struct scenario *scenario = result->scenario;
    uint32_t last = scenario->size_bin_count;
    char low[32] = "", high[32] = "";
    if (bin > 0)
        run_size((double)scenario->size_bins[bin - 1], low);
    if (bin < last)
        run_size((double)scenario->size_bins[bin], high);
    if (bin == 0)
        snprintf(text, 64, "<= %s", high);
    else if (bin == last)
        snprintf(text, 64, "%s %s", bin == 1 ? ">" : ">=", low);
    else
        snprintf(text, 64, "%s to %s", low, high);
    return text;
}

static struct output_table *bins_table(const struct run_result *result)
{
    static const struct output_column columns[] = {
        {"tag", false},     {"size", false},   {"flows", true},   {"finished", true},     {"unfinished", true},
        {"FCT mean", true}, {"FCT p50", true}, {"FCT p99", true}, {"slowdown p50", true}, {"slowdown p99", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_tag *tag = &result->tags[i];
        for (uint32_t bin = 0; tag->bins_in_use > 1 && bin <= result->scenario->size_bin_count; bin++) {
            const struct summary_flows *flows = &tag->bins[bin];
            char text[64];
            if (flows->flows == 0)
                continue;
            output_table_cell_cut(table, tag->name, TAG_COLUMNS);
            output_table_cell(table, "%s", bin_text(result, bin, text));
            cell_flows(table, flows);
        }
    }
    return table;
}

static void add_losses(struct output_table *table, const struct summary_losses *losses, bool watchdog)
{
    uint64_t other = losses->refused[WEIR_REASON_PREDICTED] + losses->refused[WEIR_REASON_NO_DESCRIPTOR] +
                     losses->refused[WEIR_REASON_TOO_LARGE] + losses->refused[WEIR_REASON_NONE];
    output_table_count(table, losses->total);
    output_table_count(table, losses->refused[WEIR_REASON_OVER_THRESHOLD]);
    output_table_count(table, losses->refused[WEIR_REASON_NO_ROOM]);
    output_table_count(table, other);
    output_table_count(table, losses->lost[WEIR_CAUSE_PUSHOUT]);
    output_table_count(table, losses->lost[WEIR_CAUSE_EXPELLED]);
    output_table_count(table, losses->lost[WEIR_CAUSE_DEQUEUE]);
    output_table_count(table, losses->lost[WEIR_CAUSE_FLUSHED]);
    if (watchdog)
        output_table_count(table, losses->watchdog);
}

static struct output_table *losses_table(const struct run_result *result)
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

static struct output_table *memories_table(const struct run_result *result)
{
    static const struct output_column columns[] = {
        {"fullest MMU", false}, {"buffer", true}, {"peak", true}, {"of it", true}};
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

static void add_table(struct run_tables *tables, struct output_table *table)
{
    tables->table[tables->count++] = table;
}

int run_tables_make(struct run_tables *tables, const struct run_result *result)
{
    bool flows = false, bins = false, groups = false, packets = false;
    *tables = (struct run_tables){.count = 0};
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_tag *tag = &result->tags[i];
        flows = flows || tag->flows.flows > 0 || tag->packets.sent == 0;
        bins = bins || tag->bins_in_use > 1;
        groups = groups || tag->groups.groups > 0;
        packets = packets || tag->packets.sent > 0;
    }
    if (flows)
        add_table(tables, flows_table(result));
    if (bins)
        add_table(tables, bins_table(result));
    if (groups)
        add_table(tables, groups_table(result));
    if (packets)
        add_table(tables, packets_table(result));
    if (result->losses.total > 0)
        add_table(tables, losses_table(result));
    add_table(tables, memories_table(result));
    for (uint32_t i = 0; i < tables->count; i++)
        if (output_table_check(tables->table[i]) != CLI_OK)
            return CLI_INTERNAL;
    return CLI_OK;
}

static void put_heading(const struct run_result *result)
{
    const struct scenario *scenario = result->scenario;
    bool early = !result->interrupted && result->totals.now < scenario->config.until_ps;
    char now[32], until[32];
    run_duration((double)result->totals.now, now);
    run_duration((double)scenario->config.until_ps, until);
    printf("%s", scenario->name != NULL ? scenario->name : scenario->origin);
    if (scenario->title != NULL)
        printf(": %s", scenario->title);
    bool stopped = scenario->config.pfc.deadlock_stops && sim_measure(result->sim)->deadlock.found > 0;
    printf("\nseed %" PRIu64 ", %s of %s%s\n", scenario->config.seed, now, until,
           stopped ? ": stopped at a deadlock"
           : early ? ": all flows have ended"
                   : "");
    if (result->interrupted)
        printf("INTERRUPTED at %s of %s: results are partial, only flows that had ended are counted\n", now, until);
    putchar('\n');
}

static void put_full_series(const struct run_result *result)
{
    const struct measure *measure = sim_measure(result->sim);
    for (uint32_t i = 0; i < measure->probe_count; i++) {
        char place[40];
        run_probe_place(result, i, place);
        if (measure->probe[i].full)
            printf("\nseries of %s: full at %" PRIu32 " points\n", place, measure->probe[i].count);
    }
}

static void put_lost(const struct run_result *result)
{
    const struct run_lost *lost = &result->lost;
    char watchdog[48] = "", hosts[48] = "";
    if (lost->by_watchdog > 0)
        snprintf(watchdog, sizeof watchdog, ", by the watchdog %" PRIu64, lost->by_watchdog);
    if (lost->at_hosts > 0)
        snprintf(hosts, sizeof hosts, ", at hosts %" PRIu64, lost->at_hosts);
    if (result->lossy_places > PLACES_SHOWN)
        printf("\n%" PRIu32 " more queues with losses: see --losses or --json\n", result->lossy_places - PLACES_SHOWN);
    if (lost->total > 0)
        printf("\nlost %" PRIu64 ": refused %" PRIu64 ", after acceptance %" PRIu64 ", unroutable %" PRIu64
               ", on failed links %" PRIu64 "%s%s\n",
               lost->total, lost->refused, lost->after_acceptance, lost->unroutable, lost->on_failed_links, hosts,
               watchdog);
}

static void put_pauses(const struct pfc_summary *pfc)
{
    char all[32], hosts[32], switches[32];
    printf("\npaused for %s over ports and classes (hosts %s, switches %s):\n%" PRIu64 " pauses, %" PRIu64
           " resumes, %" PRIu64 " refreshes in %" PRIu64 " frames; whole ports %" PRIu64 " times\n",
           run_duration((double)(pfc->held_hosts_ps + pfc->held_switches_ps), all),
           run_duration((double)pfc->held_hosts_ps, hosts), run_duration((double)pfc->held_switches_ps, switches),
           pfc->pauses, pfc->resumes, pfc->refreshes, pfc->frames, pfc->port_pauses);
}

static void put_headroom(const struct pfc_summary *pfc)
{
    char size[32], reserved[32], buffer[32];
    printf("headroom %s per queue, %s of %s reserved (%.1f %%); most in use by a queue %.1f %%\n",
           run_size((double)pfc->headroom_bytes, size), run_size((double)pfc->reserved_bytes, reserved),
           run_size((double)pfc->buffer_bytes, buffer), 100 * (double)pfc->reserved_bytes / (double)pfc->buffer_bytes,
           100 * pfc->peak);
}

static void put_deadlock(const struct run_result *result)
{
    const struct measure_deadlock *deadlock = &sim_measure(result->sim)->deadlock;
    char onset[32], ended[32], text[RUN_CYCLE_MAX];
    if (deadlock->found == 0)
        return;
    printf("deadlock from %s on, class %u, %u queues: %s", run_duration((double)deadlock->onset_ps, onset),
           deadlock->tc, deadlock->queues, run_cycle_text(result, text));
    if (deadlock->ended_ps != WEIR_NEVER)
        printf("; seen to move again at %s", run_duration((double)deadlock->ended_ps, ended));
    printf("\n");
    if (deadlock->found > 1)
        printf("deadlocks after that: %u\n", deadlock->found - 1);
}

static void put_pfc(const struct run_result *result)
{
    const struct pfc_summary *pfc = &result->pfc;
    if (!pfc->lossless)
        return;
    put_pauses(pfc);
    put_headroom(pfc);
    printf("lossless packets lost: %" PRIu64, pfc->lost);
    if (pfc->lost > 0)
        printf("; term of the headroom that the first one is in: %s", run_loss_term(&pfc->first));
    putchar('\n');
    if (pfc->storms > 0)
        printf("watchdog: %" PRIu64 " storms, %" PRIu64 " packets lost to it\n", pfc->storms, result->lost.by_watchdog);
    put_deadlock(result);
}

/* "web 3, mice 2" of `of`: flows or queries tag by tag. */
static void put_tags_of(const struct run_result *result, bool queries)
{
    const char *before = " (";
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_tag *tag = &result->tags[i];
        uint64_t count = queries ? tag->groups.unfinished : tag->flows.unfinished;
        if (count == 0)
            continue;
        printf("%s%s %" PRIu64, before, tag->name, count);
        before = ", ";
    }
    printf(")");
}

/* What did not finish, and what the signs mean that it leaves. */
static void put_unfinished(const struct run_result *result)
{
    uint64_t flows = result->unfinished_flows, queries = result->unfinished_queries;
    bool times = false;
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_tag *tag = &result->tags[i];
        times |= tag->flows.unfinished > 0 && tag->flows.finished > 0;
        times |= tag->groups.unfinished > 0 && tag->groups.finished > 0;
    }
    if (flows == 0 && queries == 0)
        return;
    printf("\nunfinished: %" PRIu64 " flow%s", flows, flows == 1 ? "" : "s");
    if (flows > 0)
        put_tags_of(result, false);
    if (queries > 0) {
        printf(", %" PRIu64 " quer%s", queries, queries == 1 ? "y" : "ies");
        put_tags_of(result, true);
    }
    putchar('\n');
    for (uint32_t i = CENSORING_NONE + 1; times && i <= CENSORING_PARTIAL; i++)
        cli_print("%s", censoring_legend((enum censoring)i));
}

static void put_footing(const struct run_result *result)
{
    put_unfinished(result);
    if (result->sampled_losses > 0)
        printf(
            "\nat losses: buffer in use p1 %.1f %%, p50 %.1f %%, p99 %.1f %%; read bandwidth in use p50 %.1f %%, p99 "
            "%.1f %%\n",
            100 * statistics_percentile(result->buffer_at_loss, 1),
            100 * statistics_percentile(result->buffer_at_loss, 50),
            100 * statistics_percentile(result->buffer_at_loss, 99),
            100 * statistics_percentile(result->bandwidth_at_loss, 50),
            100 * statistics_percentile(result->bandwidth_at_loss, 99));
    put_lost(result);
    put_pfc(result);
    put_full_series(result);
    printf("\npacket-hops %" PRIu64 ", lost %" PRIu64 ", marked %" PRIu64 ", digest %016" PRIx64 "\n",
           result->totals.packet_hops, result->lost.total, result->losses.marked, result->digest);
}

void run_tables_put(struct run_tables *tables, const struct run_result *result)
{
    put_heading(result);
    for (uint32_t i = 0; i < tables->count; i++) {
        if (i > 0)
            putchar('\n');
        output_table_put(tables->table[i]);
    }
    put_footing(result);
}

void run_tables_free(struct run_tables *tables)
{
    for (uint32_t i = 0; i < tables->count; i++)
        output_table_free(tables->table[i]);
    tables->count = 0;
}
