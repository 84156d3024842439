/*
 * run_frames.c - see run_frames.h.
 */
#include "show/writers/run_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "lab/store/unfinished.h"
#include "run/measures/measures.h"
#include "run/measures/row.h"
#include "sim/transport/flow.h"

#define TAG_COLUMNS 24
#define MEMORIES_SHOWN 4u
#define NAME_MAX (RUN_MEASURE_NAME_MAX + 16u)

static int by_name(const void *one, const void *other)
{
    const struct measure_value *const *a = one, *const *b = other;
    return strcmp((*a)->name, (*b)->name);
}

bool run_numbers_make(struct run_numbers *numbers, const struct run_result *result)
{
    *numbers = (struct run_numbers){.sorted = NULL};
    if (!run_measures_make(&numbers->measures, result))
        return false;
    uint32_t count = numbers->measures.value_count;
    numbers->sorted = calloc(count + 1, sizeof *numbers->sorted);
    if (numbers->sorted == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        numbers->sorted[i] = &numbers->measures.values[i];
    qsort(numbers->sorted, count, sizeof *numbers->sorted, by_name);
    return true;
}

void run_numbers_free(struct run_numbers *numbers)
{
    measures_free(&numbers->measures);
    free(numbers->sorted);
}

/* NaN: the run has none. */
static double number_of(const struct run_numbers *numbers, const char *name)
{
    struct measure_value wanted = {.name = (char *)(uintptr_t)name};
    const struct measure_value *key = &wanted;
    const struct measure_value **found =
        bsearch(&key, numbers->sorted, numbers->measures.value_count, sizeof *numbers->sorted, by_name);
    return found != NULL ? (*found)->value : NAN;
}

/* What a measure says of a sample with unfinished members. */
static enum censoring censoring_of_name(const struct run_numbers *numbers, const char *name)
{
    const char *dot = strrchr(name, '.');
    for (uint32_t i = 0; dot != NULL && i < STATISTIC_COUNT; i++) {
        char known[NAME_MAX];
        if (strcmp(statistic_table[i].name, dot + 1) != 0)
            continue;
        snprintf(known, sizeof known, "%.*s.known", (int)(dot - name), name);
        double fraction = number_of(numbers, known);
        return isnan(fraction) ? CENSORING_NONE : censoring_of(&statistic_table[i], fraction);
    }
    return CENSORING_NONE;
}

struct data_frame *run_frame_censored(const struct run_numbers *numbers)
{
    struct data_frame *censored = data_frame_new(DATA_OBJECT, NULL, 0);
    for (uint32_t i = 0; i < numbers->measures.value_count; i++) {
        const char *name = numbers->measures.values[i].name;
        enum censoring censoring = censoring_of_name(numbers, name);
        if (censoring != CENSORING_NONE)
            data_frame_set(censored, name, cell_text(censoring_name(censoring)));
    }
    return censored;
}

/* The range of sizes behind a tag, "web.short"; all sizes: the tag itself. */
static void make_prefix(const struct run_result *result, const struct run_tag *tag, uint32_t bin, char text[NAME_MAX])
{
    if (bin == MEASURE_ALL_SIZES)
        snprintf(text, NAME_MAX, "%s", tag->name);
    else
        snprintf(text, NAME_MAX, "%s.%s", tag->name, measure_bin_name(result->scenario->size_bin_count + 1, bin));
}

/* Every measure of a tag, without the tag: "fct.p99". They come from the table of measures and stay. */
#define TAG_MEASURES_MAX 192u
struct tag_columns {
    char name[TAG_MEASURES_MAX][48];
    struct data_column columns[TAG_MEASURES_MAX + 2];
    uint32_t count;
};

static void add_tag_column(struct tag_columns *of, const char *name, int length, const char *end)
{
    if (of->count == TAG_MEASURES_MAX)
        return;
    snprintf(of->name[of->count], sizeof of->name[0], "%.*s%s", length, name, end);
    of->columns[2 + of->count] = (struct data_column)DATA_COLUMN(of->name[of->count], NULL, NUMBER);
    of->count++;
}

static const struct tag_columns *tag_columns(void)
{
    static struct tag_columns all;
    all.count = 0;
    all.columns[0] = (struct data_column)DATA_COLUMN("tag", NULL, TEXT);
    all.columns[1] = (struct data_column)DATA_COLUMN("bytes", NULL, WORD);
    for (uint32_t row = 0; row < measure_row_count; row++) {
        char pattern[RUN_MEASURE_NAME_MAX];
        if (measure_row_placeholder(&measure_rows[row]) != MEASURE_T ||
            !measure_row_pattern(&measure_rows[row], (struct measure_pattern_choice){.curves = false}, pattern))
            continue;
        const char *name = pattern + strlen("T."), *statistic = strstr(name, "STAT");
        for (uint32_t i = 0; statistic != NULL && i < STATISTIC_COUNT; i++)
            add_tag_column(&all, name, (int)(statistic - name), statistic_table[i].name);
        if (statistic == NULL)
            add_tag_column(&all, name, (int)strlen(name), "");
    }
    return &all;
}

static void add_tag(struct data_frame *frame, const struct run_result *result, const struct run_numbers *numbers,
                    const struct run_tag *tag, uint32_t bin)
{
    char prefix[NAME_MAX], name[NAME_MAX + 64], range[64] = "all";
    int64_t min, max;
    make_prefix(result, tag, bin, prefix);
    if (bin != MEASURE_ALL_SIZES) {
        run_bin_range(result->scenario, bin, &min, &max);
        snprintf(range, sizeof range, max == INT64_MAX ? "%" PRId64 "-" : "%" PRId64 "-%" PRId64, min, max);
    }
    data_row(frame, cell_text(tag->name), cell_text(range));
    for (size_t i = 2; frame != NULL && i < data_frame_columns(frame); i++) {
        snprintf(name, sizeof name, "%s.%s", prefix, data_frame_column(frame, i)->name);
        double number = number_of(numbers, name);
        bool whole = fabs(number) < 1e15 && number == trunc(number);
        data_row(frame, whole ? cell_integer((int64_t)number) : cell_number(number));
    }
}

struct data_frame *run_frame_tags(const struct run_result *result, const struct run_numbers *numbers)
{
    const struct tag_columns *of = tag_columns();
    struct data_frame *frame = data_frame_new(DATA_SPARSE_ROWS, of->columns, of->count + 2);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_tag *tag = &result->tags[i];
        add_tag(frame, result, numbers, tag, MEASURE_ALL_SIZES);
        for (uint32_t bin = 0; tag->bins_in_use > 1 && bin <= result->scenario->size_bin_count; bin++)
            if (tag->bins[bin].flows > 0)
                add_tag(frame, result, numbers, tag, bin);
    }
    return frame;
}

/* "<= 100KB", "> 100KB", "< 1MB", ">= 1MB" as the edges say. */
static const char *bin_text(const struct run_result *result, uint32_t bin, char text[80])
{
    const struct scenario *scenario = result->scenario;
    uint32_t last = scenario->size_bin_count;
    char low[UNITS_TEXT_MAX] = "", high[UNITS_TEXT_MAX] = "";
    if (bin > 0)
        output_size((double)scenario->size_bins[bin - 1], low);
    if (bin < last)
        output_size((double)scenario->size_bins[bin], high);
    if (bin == 0)
        snprintf(text, 80, "<= %s", high);
    else if (bin == last)
        snprintf(text, 80, "%s %s", bin == 1 ? ">" : ">=", low);
    else
        snprintf(text, 80, "%s to %s", low, high);
    return text;
}

#define VIEW_COLUMNS_MAX 12u
#define TIME(name, heading) DATA_COLUMN(name, heading, TIME)
#define COUNT(name, heading) DATA_COLUMN(name, heading, COUNT)
#define RATIO(name, heading) DATA_COLUMN(name, heading, NUMBER, .digits = -3)
#define FLOW_COLUMNS                                                                                                   \
    COUNT("flows", "flows"), COUNT("finished", "finished"), COUNT("unfinished", "unfinished"),                         \
        TIME("fct.mean", "FCT mean"), TIME("fct.p50", "FCT p50"), TIME("fct.p99", "FCT p99"),                          \
        RATIO("slowdown.p50", "slowdown p50"), RATIO("slowdown.p99", "slowdown p99")

/* Measures of a tag, behind its name and, of sizes, their range. */
static const struct data_column views[RUN_VIEWS][VIEW_COLUMNS_MAX] = {
    [RUN_FLOWS] = {FLOW_COLUMNS, COUNT("timeouts", "timeouts"), DATA_COLUMN("goodput", "goodput", RATE)},
    [RUN_SIZES] = {FLOW_COLUMNS},
    [RUN_QUERIES] = {COUNT("queries", "queries"), COUNT("queries_finished", "finished"),
                     COUNT("queries_unfinished", "unfinished"), TIME("qct.mean", "QCT mean"),
                     TIME("qct.p50", "QCT p50"), TIME("qct.p99", "QCT p99"), TIME("qct.max", "QCT max"),
                     RATIO("qct_slowdown.p50", "slowdown p50"), RATIO("qct_slowdown.p99", "slowdown p99"),
                     COUNT("queries_with_timeouts", "with timeouts")},
    [RUN_AGAIN] = {COUNT("again.nack", "again: NACK"), COUNT("again.sleek", "SLEEK"), COUNT("again.timeout", "timeout"),
                   COUNT("spurious", "spurious"), COUNT("acks", "ACKs"), COUNT("nacks", "NACKs"),
                   COUNT("pulls", "pulls")},
    [RUN_PACKETS] = {COUNT("sent", "packets sent"), COUNT("received", "delivered"), COUNT("missing", "missing"),
                     TIME("delay.mean", "delay mean"), TIME("delay.max", "delay max")}};
#undef FLOW_COLUMNS
#undef RATIO
#undef COUNT
#undef TIME

static bool has_view(const struct run_numbers *numbers, const struct run_tag *tag, enum run_view view)
{
    char acks[NAME_MAX];
    switch (view) {
    case RUN_FLOWS:
        return tag->flows.flows > 0 || tag->packets.sent == 0; /* listed packets are no flows */
    case RUN_SIZES:
        return tag->bins_in_use > 1;
    case RUN_QUERIES:
        return tag->groups.groups > 0;
    case RUN_AGAIN:
        snprintf(acks, sizeof acks, "%s.acks", tag->name);
        return number_of(numbers, acks) > 0;
    default:
        return tag->packets.sent > 0;
    }
}

bool run_has_view(const struct run_result *result, const struct run_numbers *numbers, enum run_view view)
{
    bool any = false;
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++)
        any = any || has_view(numbers, &result->tags[i], view);
    return any;
}

/* The cells of a tag or of a range of its sizes. What is counted and missing is 0. */
static void add_view(struct data_frame *frame, const struct run_numbers *numbers, const char *prefix,
                     enum run_view view)
{
    for (const struct data_column *column = views[view]; column->name != NULL; column++) {
        char name[NAME_MAX + 64], plain[DATA_TEXT_MAX], marked[CENSORING_TEXT_MAX];
        snprintf(name, sizeof name, "%s.%s", prefix, column->name);
        double number = number_of(numbers, name);
        enum censoring censoring = isnan(number) ? CENSORING_NONE : censoring_of_name(numbers, name);
        struct data_cell cell = cell_number(number);
        if (isnan(number) && (column->kind == DATA_COUNT || column->kind == DATA_RATE))
            cell = cell_number(0);
        if (censoring != CENSORING_NONE)
            cell.shown = censoring_text(censoring, data_cell_text(column, &cell, plain), marked);
        data_row(frame, cell);
    }
}

struct data_frame *run_frame_view(const struct run_result *result, const struct run_numbers *numbers,
                                  enum run_view view)
{
    struct data_column columns[VIEW_COLUMNS_MAX + 2] = {DATA_COLUMN("tag", "tag", TEXT, .width = TAG_COLUMNS),
                                                        DATA_COLUMN("bytes", "size", TEXT)};
    uint32_t first = view == RUN_SIZES ? 2 : 1, count = 0;
    while (count < VIEW_COLUMNS_MAX && views[view][count].name != NULL) {
        columns[first + count] = views[view][count];
        count++;
    }
    struct data_frame *frame = data_frame_new(DATA_ROWS, columns, first + count);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_tag *tag = &result->tags[i];
        char prefix[NAME_MAX], range[80];
        if (!has_view(numbers, tag, view))
            continue;
        if (view != RUN_SIZES) {
            data_row(frame, cell_text(tag->name));
            add_view(frame, numbers, tag->name, view);
        }
        for (uint32_t bin = 0; view == RUN_SIZES && bin <= result->scenario->size_bin_count; bin++) {
            if (tag->bins[bin].flows == 0)
                continue;
            make_prefix(result, tag, bin, prefix);
            data_row(frame, cell_text(tag->name), cell_text(bin_text(result, bin, range)));
            add_view(frame, numbers, prefix, view);
        }
    }
    return frame;
}

static struct data_cell count_cell(uint64_t count)
{
    return cell_integer((int64_t)count);
}

static void add_losses(struct data_frame *frame, const struct summary_losses *losses)
{
    const uint64_t *refused = losses->refused, *lost = losses->lost;
    uint64_t other = refused[WEIR_REASON_PREDICTED] + refused[WEIR_REASON_NO_DESCRIPTOR] +
                     refused[WEIR_REASON_TOO_LARGE] + refused[WEIR_REASON_NONE];
    data_row(frame, count_cell(losses->total), count_cell(refused[WEIR_REASON_OVER_THRESHOLD]),
             count_cell(refused[WEIR_REASON_NO_ROOM]), count_cell(refused[WEIR_REASON_PREDICTED]),
             count_cell(refused[WEIR_REASON_NO_DESCRIPTOR]), count_cell(refused[WEIR_REASON_TOO_LARGE]),
             count_cell(other), count_cell(lost[WEIR_CAUSE_PUSHOUT]), count_cell(lost[WEIR_CAUSE_EXPELLED]),
             count_cell(lost[WEIR_CAUSE_DEQUEUE]), count_cell(lost[WEIR_CAUSE_FLUSHED]), count_cell(losses->watchdog),
             count_cell(losses->marked));
}

struct data_frame *run_frame_losses(const struct run_result *result, bool all)
{
    const struct topology *topology = &result->scenario->topology;
    const struct data_column columns[] = {
        DATA_COLUMN(NULL, "lost at", WORD),
        DATA_COLUMN("at", NULL, WORD),
        DATA_COLUMN("peer", NULL, WORD),
        DATA_COLUMN("port", "port", INTEGER),
        DATA_COLUMN("class", "class", INTEGER),
        DATA_COLUMN("lost.total", "packets", COUNT),
        DATA_COLUMN("lost.over-threshold", "over-threshold", COUNT),
        DATA_COLUMN("lost.no-room", "no-room", COUNT),
        DATA_COLUMN("lost.predicted", NULL, COUNT),
        DATA_COLUMN("lost.no-descriptor", NULL, COUNT),
        DATA_COLUMN("lost.too-large", NULL, COUNT),
        DATA_COLUMN(NULL, "other", COUNT),
        DATA_COLUMN("lost.pushout", "pushout", COUNT),
        DATA_COLUMN("lost.expelled", "expelled", COUNT),
        DATA_COLUMN("lost.dequeue", "dequeue", COUNT),
        DATA_COLUMN("lost.flushed", "flushed", COUNT),
        DATA_COLUMN("lost.watchdog", result->lost.by_watchdog > 0 ? "watchdog" : NULL, COUNT), /* few have one */
        DATA_COLUMN("marked", NULL, COUNT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    uint32_t shown = result->lossy_places < RUN_PLACES_SHOWN ? result->lossy_places : RUN_PLACES_SHOWN;
    if (!all) {
        data_row(frame, cell_text("all"), cell_none(), cell_none(), cell_shown(cell_none(), "all"),
                 cell_shown(cell_none(), "all"));
        add_losses(frame, &result->losses);
    }
    for (uint32_t i = 0; i < (all ? result->place_count : shown); i++) {
        const struct run_place *place = &result->places[i];
        char at[16], peer[16], both[40];
        scenario_node_name(topology, topology->hosts + place->sw, at);
        scenario_node_name(topology, place->neighbour, peer);
        snprintf(both, sizeof both, "%s-%s", at, peer);
        data_row(frame, cell_text(both), cell_text(at), cell_text(peer), cell_integer(place->port),
                 cell_integer(place->tc));
        add_losses(frame, &place->losses);
    }
    return frame;
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

struct data_frame *run_frame_memories(const struct run_result *result, bool all)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("memory", "fullest MMU", WORD), DATA_COLUMN("buffer_bytes", "buffer", SIZE),
        DATA_COLUMN("peak_bytes", "peak", SIZE), DATA_COLUMN(NULL, "of it", SHARE, .digits = 1)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    const struct run_memory *memory = NULL;
    for (uint32_t i = 0; i < result->memory_count && (all || i < MEMORIES_SHOWN); i++) {
        char name[32];
        memory = all ? &result->memories[i] : next_memory(result, memory);
        run_memory_name(result, memory, name);
        data_row(frame, cell_text(name), count_cell(memory->buffer_bytes), count_cell(memory->peak_bytes),
                 cell_number((double)memory->peak_bytes / (double)memory->buffer_bytes));
    }
    return frame;
}

static void add_pauses(struct data_frame *frame, const struct run_result *result, uint32_t node, uint32_t port)
{
    for (uint32_t tc = 0; tc < PFC_CLASSES; tc++) {
        struct pfc_queue queue;
        char at[16], peer[16];
        if (!pfc_summary_queue(result->sim, node, port, tc, &queue))
            continue;
        const struct weir_pfc_counters *c = &queue.counters;
        scenario_node_name(&result->scenario->topology, node, at);
        scenario_node_name(&result->scenario->topology, queue.peer, peer);
        data_row(frame, cell_text(at), cell_text(peer), cell_integer(port), cell_integer(tc), count_cell(c->pauses),
                 count_cell(c->resumes), count_cell(c->refreshes), count_cell(queue.port_pauses),
                 count_cell(c->pauses_received), count_cell(c->resumes_received), count_cell(c->expired),
                 cell_integer(queue.held_ps), count_cell(queue.headroom_peak_bytes),
                 count_cell(queue.headroom_limit_bytes), count_cell(queue.lost));
    }
}

struct data_frame *run_frame_pauses(const struct run_result *result)
{
    static const struct data_column columns[] = {DATA_COLUMN("at", NULL, WORD),
                                                 DATA_COLUMN("peer", NULL, WORD),
                                                 DATA_COLUMN("port", NULL, INTEGER),
                                                 DATA_COLUMN("class", NULL, INTEGER),
                                                 DATA_COLUMN("pauses_sent", NULL, COUNT),
                                                 DATA_COLUMN("resumes_sent", NULL, COUNT),
                                                 DATA_COLUMN("refreshes_sent", NULL, COUNT),
                                                 DATA_COLUMN("port_pauses", NULL, COUNT),
                                                 DATA_COLUMN("pauses_received", NULL, COUNT),
                                                 DATA_COLUMN("resumes_received", NULL, COUNT),
                                                 DATA_COLUMN("pauses_expired", NULL, COUNT),
                                                 DATA_COLUMN("held_ps", NULL, PS),
                                                 DATA_COLUMN("headroom_peak_bytes", NULL, SIZE),
                                                 DATA_COLUMN("headroom_bytes", NULL, SIZE),
                                                 DATA_COLUMN("lost", NULL, COUNT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    uint32_t hosts = result->scenario->topology.hosts, nodes = hosts + result->scenario->topology.switches;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t ports = node < hosts ? 1 : sim_measure(result->sim)->sw[node - hosts].ports;
        for (uint32_t port = 0; port < ports; port++)
            add_pauses(frame, result, node, port);
    }
    return frame;
}

const struct data_column run_record_columns[RUN_RECORD_COLUMNS] = {DATA_COLUMN("id", NULL, INTEGER),
                                                                   DATA_COLUMN("tag", NULL, TEXT),
                                                                   DATA_COLUMN("traffic", NULL, INTEGER),
                                                                   DATA_COLUMN("query", NULL, INTEGER),
                                                                   DATA_COLUMN("source", NULL, INTEGER),
                                                                   DATA_COLUMN("destination", NULL, INTEGER),
                                                                   DATA_COLUMN("bytes", NULL, SIZE),
                                                                   DATA_COLUMN("delivered_bytes", NULL, SIZE),
                                                                   DATA_COLUMN("start_ps", NULL, PS),
                                                                   DATA_COLUMN("finish_ps", NULL, PS),
                                                                   DATA_COLUMN("ideal_ps", NULL, PS),
                                                                   DATA_COLUMN("timeouts", NULL, COUNT),
                                                                   DATA_COLUMN("resent", NULL, COUNT),
                                                                   DATA_COLUMN("packets_sent", NULL, COUNT),
                                                                   DATA_COLUMN("packets_delivered", NULL, COUNT),
                                                                   DATA_COLUMN("acked_ps", NULL, PS)};

void run_frame_record(struct data_frame *records, const struct flow_record *r, const char *tag)
{
    bool ends = r->bytes != FLOW_ENDLESS;
    data_row(records, cell_integer(r->id), cell_text(tag), cell_integer(r->traffic),
             cell_if(r->group != FLOW_NO_GROUP, cell_integer(r->group)), cell_integer(r->source),
             cell_integer(r->destination), cell_if(ends, cell_integer(r->bytes)), cell_integer(r->delivered_bytes),
             cell_integer(r->start_ps), cell_if(r->finish_ps != WEIR_NEVER, cell_integer(r->finish_ps)),
             cell_if(ends && r->ideal_ps != WEIR_NEVER, cell_integer(r->ideal_ps)), cell_integer(r->timeouts),
             cell_integer(r->again), count_cell(r->sent), count_cell(r->packets),
             cell_if(r->acked_ps != WEIR_NEVER && r->acked_ps > 0, cell_integer(r->acked_ps)));
}
