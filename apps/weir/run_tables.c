/*
 * run_tables.c - the result of `weir run` for a terminal: flows by tag, queries, packets, losses.
 */
#include <inttypes.h>
#include <string.h>

#include "cmd_run.h"

#define TAG_COLUMNS 24

const char *run_duration(double ps, char text[32])
{
    static const struct {
        double ps;
        const char *unit;
    } units[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}, {1, "ps"}};
    size_t i = 0;
    while (i < 4 && ps < units[i].ps)
        i++;
    snprintf(text, 32, "%.4g%s", ps / units[i].ps, units[i].unit);
    return text;
}

static const char *rate_text(double bps, char text[32])
{
    static const struct {
        double bps;
        const char *unit;
    } units[] = {{1e12, "Tbps"}, {1e9, "Gbps"}, {1e6, "Mbps"}, {1e3, "Kbps"}, {1, "bps"}};
    size_t i = 0;
    while (i < 4 && bps < units[i].bps)
        i++;
    snprintf(text, 32, "%.4g%s", bps / units[i].bps, units[i].unit);
    return text;
}

/* A statistic of a sample; "-" when the sample is empty. */
static void cell_time(struct output_table *table, const struct summary_values *values, double ps)
{
    char text[32];
    output_table_cell(table, "%s", values->count > 0 ? run_duration(ps, text) : "-");
}

static void cell_ratio(struct output_table *table, const struct summary_values *values, double ratio)
{
    if (values->count > 0)
        output_table_cell(table, "%.3g", ratio);
    else
        output_table_cell(table, "-");
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
        output_table_cell_cut(table, result->tags[i].name, TAG_COLUMNS);
        output_table_cell(table, "%" PRIu64, flows->flows);
        output_table_cell(table, "%" PRIu64, flows->finished);
        cell_time(table, &flows->fct_ps, flows->fct_ps.mean);
        cell_time(table, &flows->fct_ps, flows->fct_ps.p50);
        cell_time(table, &flows->fct_ps, flows->fct_ps.p99);
        cell_ratio(table, &flows->slowdown, flows->slowdown.p50);
        cell_ratio(table, &flows->slowdown, flows->slowdown.p99);
        output_table_cell(table, "%" PRIu64, flows->timeouts);
        output_table_cell(table, "%s", rate_text(flows->goodput_bps, text));
    }
    return table;
}

static struct output_table *groups_table(const struct run_result *result)
{
    static const struct output_column columns[] = {{"tag", false},     {"queries", true},      {"finished", true},
                                                   {"QCT mean", true}, {"p50", true},          {"p99", true},
                                                   {"max", true},      {"with timeouts", true}};
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
        output_table_cell(table, "%" PRIu64, groups->groups_with_timeouts);
    }
    return table;
}

static struct output_table *packets_table(const struct run_result *result)
{
    static const struct output_column columns[] = {
        {"tag", false}, {"packets", true}, {"delay mean", true}, {"max", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_tag *tag = &result->tags[i];
        char text[32];
        if (tag->packets == 0)
            continue;
        output_table_cell_cut(table, tag->name, TAG_COLUMNS);
        output_table_cell(table, "%" PRIu64, tag->packets);
        output_table_cell(table, "%s", run_duration(tag->delay_sum_ps / (double)tag->packets, text));
        output_table_cell(table, "%s", run_duration(tag->delay_max_ps, text));
    }
    return table;
}

static void add_losses(struct output_table *table, const struct summary_losses *losses)
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
}

static struct output_table *losses_table(const struct run_result *result)
{
    static const struct output_column columns[] = {{"lost at", false}, {"port", true},           {"class", true},
                                                   {"packets", true},  {"over-threshold", true}, {"no-room", true},
                                                   {"other", true},    {"pushout", true},        {"expelled", true},
                                                   {"dequeue", true},  {"flushed", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < 3; i++)
        output_table_cell(table, "all");
    add_losses(table, &result->losses);
    for (uint32_t i = 0; i < result->place_count; i++) {
        const struct run_place *place = &result->places[i];
        char at[16], to[16];
        scenario_node_name(&result->scenario->topology, result->scenario->topology.hosts + place->sw, at);
        scenario_node_name(&result->scenario->topology, place->neighbour, to);
        output_table_cell(table, "%s-%s", at, to);
        output_table_cell(table, "%" PRIu32, place->port);
        output_table_cell(table, "%" PRIu32, place->tc);
        add_losses(table, &place->losses);
    }
    return table;
}

static void add_table(struct run_tables *tables, struct output_table *table)
{
    tables->table[tables->count++] = table;
}

int run_tables_make(struct run_tables *tables, const struct run_result *result)
{
    bool groups = false, packets = false;
    *tables = (struct run_tables){.count = 0};
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        groups = groups || result->tags[i].groups.groups > 0;
        packets = packets || result->tags[i].packets > 0;
    }
    add_table(tables, flows_table(result));
    if (groups)
        add_table(tables, groups_table(result));
    if (packets)
        add_table(tables, packets_table(result));
    if (result->losses.total > 0)
        add_table(tables, losses_table(result));
    for (uint32_t i = 0; i < tables->count; i++)
        if (output_table_check(tables->table[i]) != CLI_OK)
            return CLI_INTERNAL;
    return CLI_OK;
}

static void put_heading(const struct run_result *result)
{
    const struct scenario *scenario = result->scenario;
    char now[32], until[32];
    run_duration((double)result->totals.now, now);
    run_duration((double)scenario->config.until_ps, until);
    printf("%s", scenario->name != NULL ? scenario->name : scenario->origin);
    if (scenario->title != NULL)
        printf(": %s", scenario->title);
    printf("\nseed %" PRIu64 ", %s of %s\n", scenario->config.seed, now, until);
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
    if (result->losses.total > 0)
        printf(
            "\nat losses: buffer in use p1 %.1f %%, p50 %.1f %%, p99 %.1f %%; read bandwidth in use p50 %.1f %%, p99 "
            "%.1f %%\n",
            100 * summary_bins_percentile(result->buffer_at_loss, 1),
            100 * summary_bins_percentile(result->buffer_at_loss, 50),
            100 * summary_bins_percentile(result->buffer_at_loss, 99),
            100 * summary_bins_percentile(result->bandwidth_at_loss, 50),
            100 * summary_bins_percentile(result->bandwidth_at_loss, 99));
    if (result->unroutable > 0 || result->failed > 0)
        printf("\nlost without a way: %" PRIu64 ", on failed links: %" PRIu64 "\n", result->unroutable, result->failed);
    put_full_series(result);
    printf("\npacket-hops %" PRIu64 ", lost %" PRIu64 ", marked %" PRIu64 ", digest %016" PRIx64 "\n",
           result->totals.packet_hops, result->losses.total, result->losses.marked, result->digest);
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
