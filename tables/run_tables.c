/*
 * run_tables.c - the result of `weir run` for a terminal: flows by tag and size, queries, packets. Losses and memories
 * are in run_tables_losses.c.
 */
#include <inttypes.h>
#include <string.h>

#include "tables/run.h"

#define TAG_COLUMNS 24

struct unit {
    double one;
    const char *name;
};

/* With four digits, in the first unit of five, from the largest on, that it has at least one of. */
static const char *text_in(const struct unit units[5], double value, char text[32])
{
    size_t i = 0;
    while (i < 4 && value < units[i].one)
        i++;
    snprintf(text, 32, "%.4g%s", value / units[i].one, units[i].name);
    return text;
}

const char *run_duration(double ps, char text[32])
{
    static const struct unit units[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}, {1, "ps"}};
    return text_in(units, ps, text);
}

const char *run_size(double bytes, char text[32])
{
    static const struct unit units[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}, {1, "B"}};
    return text_in(units, bytes, text);
}

static const char *rate_text(double bps, char text[32])
{
    static const struct unit units[] = {{1e12, "Tbps"}, {1e9, "Gbps"}, {1e6, "Mbps"}, {1e3, "Kbps"}, {1, "bps"}};
    return text_in(units, bps, text);
}

/* A statistic of a sample; "-" when the sample is empty. */
static void cell_time(struct output_table *table, const struct statistics *values, double ps)
{
    char text[32];
    output_table_cell(table, "%s", values->count > 0 ? run_duration(ps, text) : "-");
}

static void cell_ratio(struct output_table *table, const struct statistics *values, double ratio)
{
    if (values->count > 0)
        output_table_cell(table, "%.3g", ratio);
    else
        output_table_cell(table, "-");
}

static void cell_flows(struct output_table *table, const struct summary_flows *flows)
{
    output_table_cell(table, "%" PRIu64, flows->flows);
    output_table_cell(table, "%" PRIu64, flows->finished);
    cell_time(table, &flows->fct_ps, flows->fct_ps.mean);
    cell_time(table, &flows->fct_ps, flows->fct_ps.p50);
    cell_time(table, &flows->fct_ps, flows->fct_ps.p99);
    cell_ratio(table, &flows->slowdown, flows->slowdown.p50);
    cell_ratio(table, &flows->slowdown, flows->slowdown.p99);
}

static struct output_table *flows_table(const struct run_result *result)
{
    static const struct output_column columns[] = {
        {"tag", false}, {"flows", true},        {"finished", true}, {"FCT mean", true}, {"p50", true},
        {"p99", true},  {"slowdown p50", true}, {"p99", true},      {"timeouts", true}, {"goodput", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct summary_flows *flows = &result->tags[i].flows;
        char text[32];
        if (flows->flows == 0 && result->tags[i].packets.sent > 0)
            continue; /* listed packets are no flows */
        output_table_cell_cut(table, result->tags[i].name, TAG_COLUMNS);
        cell_flows(table, flows);
        output_table_cell(table, "%" PRIu64, flows->timeouts);
        output_table_cell(table, "%s", rate_text(flows->goodput_bps, text));
    }
    return table;
}

static struct output_table *groups_table(const struct run_result *result)
{
    static const struct output_column columns[] = {
        {"tag", false}, {"queries", true}, {"finished", true},     {"QCT mean", true}, {"p50", true},
        {"p99", true},  {"max", true},     {"slowdown p50", true}, {"p99", true},      {"with timeouts", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct summary_groups *groups = &result->tags[i].groups;
        if (groups->groups == 0)
            continue;
        output_table_cell_cut(table, result->tags[i].name, TAG_COLUMNS);
        output_table_cell(table, "%" PRIu64, groups->groups);
        output_table_cell(table, "%" PRIu64, groups->finished);
        cell_time(table, &groups->qct_ps, groups->qct_ps.mean);
        cell_time(table, &groups->qct_ps, groups->qct_ps.p50);
        cell_time(table, &groups->qct_ps, groups->qct_ps.p99);
        cell_time(table, &groups->qct_ps, groups->qct_ps.max);
        cell_ratio(table, &groups->slowdown, groups->slowdown.p50);
        cell_ratio(table, &groups->slowdown, groups->slowdown.p99);
        output_table_cell(table, "%" PRIu64, groups->groups_with_timeouts);
    }
    return table;
}

static struct output_table *packets_table(const struct run_result *result)
{
    static const struct output_column columns[] = {{"tag", false},    {"packets sent", true}, {"delivered", true},
                                                   {"missing", true}, {"delay mean", true},   {"max", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_packets *packets = &result->tags[i].packets;
        const struct statistics delivered = {.count = packets->delivered};
        if (packets->sent == 0)
            continue;
        output_table_cell_cut(table, result->tags[i].name, TAG_COLUMNS);
        output_table_cell(table, "%" PRIu64, packets->sent);
        output_table_cell(table, "%" PRIu64, packets->delivered);
        output_table_cell(table, "%" PRIu64, packets->sent - packets->delivered);
        cell_time(table, &delivered, packets->delay_sum_ps / (double)packets->delivered);
        cell_time(table, &delivered, packets->delay_max_ps);
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
    static const struct output_column columns[] = {{"tag", false},     {"size", false},        {"flows", true},
                                                   {"finished", true}, {"FCT mean", true},     {"p50", true},
                                                   {"p99", true},      {"slowdown p50", true}, {"p99", true}};
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
        add_table(tables, run_table_losses(result));
    add_table(tables, run_table_memories(result));
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

static void put_footing(const struct run_result *result)
{
    if (result->sampled_losses > 0)
        printf(
            "\nat losses: buffer in use p1 %.1f %%, p50 %.1f %%, p99 %.1f %%; read bandwidth in use p50 %.1f %%, p99 "
            "%.1f %%\n",
            100 * statistics_percentile(result->buffer_at_loss, 1),
            100 * statistics_percentile(result->buffer_at_loss, 50),
            100 * statistics_percentile(result->buffer_at_loss, 99),
            100 * statistics_percentile(result->bandwidth_at_loss, 50),
            100 * statistics_percentile(result->bandwidth_at_loss, 99));
    run_put_lost(result);
    run_put_pfc(result);
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
