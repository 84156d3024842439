/*
 * show.c - the pages of `weir headroom` for a switch and for the trend of chips. Sizes are given in bytes, in
 * MB (10^6) and in MiB (2^20): papers and data sheets write MB for both.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "operate/headroom/plan.h"
#include "scenario/keys/key.h"

#define MB 1e6
#define MIB 1048576.0

#define CAUSE_MAX 192u

static const char *value_text(enum key_kind kind, int64_t value, char text[64])
{
    key_format(&(struct key){.kind = kind}, &(struct key_scale){.hosts = 0}, value, text);
    return text;
}

/* "a peer may take 394 quanta, 25216B, at 100Gbps: IEEE 802.3ba, 31B.3.7" */
static const char *allowed_text(const struct headroom_plan *plan, char text[CAUSE_MAX])
{
    struct weir_pfc_response response = weir_pfc_response(plan->rate_bps);
    char rate[64];
    snprintf(text, CAUSE_MAX, "a peer may take %u quanta, %uB, at %s: %s", response.quanta,
             weir_pfc_response_bytes(plan->rate_bps), value_text(KEY_RATE, plan->rate_bps, rate), response.source);
    return text;
}

/* What causes each term, and where its size is from. */
static const char *cause_text(const struct headroom_plan *plan, enum weir_headroom_term term, char text[CAUSE_MAX])
{
    static const char *const causes[WEIR_HEADROOM_COUNT] = {
        [WEIR_HEADROOM_WAITING] = "the PAUSE waits for a packet that its port has just begun",
        [WEIR_HEADROOM_PAUSE] = "the PAUSE crosses the link",
        [WEIR_HEADROOM_PROCESSING] = "the peer acts on it: 60 quanta, in the DSH paper at every rate",
        [WEIR_HEADROOM_RESPONSE] = "the peer ends the packet that it has just begun",
        [WEIR_HEADROOM_DATA] = "what is on the link arrives",
        [WEIR_HEADROOM_FRAME] = "the PAUSE itself is sent",
        [WEIR_HEADROOM_TRIGGER] = "it goes to the headroom if the shared pool has no room",
        [WEIR_HEADROOM_OWN] = "this switch, before the PAUSE and after the wire",
    };
    if (term == WEIR_HEADROOM_SLOWER && plan->is_standard)
        return allowed_text(plan, text);
    if (term == WEIR_HEADROOM_SLOWER)
        snprintf(text, CAUSE_MAX, "the peer takes %uB at most, %s", headroom_plan_link(plan).processing_bytes,
                 plan->is_simulated ? "as pfc.processing says" : "as given");
    else if (term == WEIR_HEADROOM_OWN)
        snprintf(text, CAUSE_MAX, "%s: %s", causes[term],
                 plan->is_simulated                          ? "none in the simulator"
                 : plan->own.bytes == 0 && plan->own.ps == 0 ? "not known, counted as none (--own-processing)"
                                                             : "as given");
    else
        snprintf(text, CAUSE_MAX, "%s", causes[term]);
    return text;
}

static void sum_row(struct output_table *table, const struct headroom_plan *plan, const char *name, int64_t bytes,
                    const char *what)
{
    output_table_cell(table, "%s", name);
    output_table_cell(table, "%" PRId64, bytes);
    output_table_cell(table, "%.4g", 8e6 * (double)bytes / (double)plan->rate_bps);
    output_table_cell(table, "%s", what);
}

/* From the bytes of the wire to those of the buffer. */
static void cells_row(struct output_table *table, const struct headroom_plan *plan)
{
    int64_t wire = headroom_plan_wire_bytes(plan), bytes = headroom_plan_safe_cells(plan) * plan->cell_bytes;
    uint32_t worst = headroom_plan_worst_packet(plan);
    uint32_t cells = (worst + plan->cell_bytes - 1) / plan->cell_bytes;
    output_table_cell(table, "cells filled in part");
    output_table_cell(table, "%" PRId64, bytes - wire);
    output_table_cell(table, "-");
    output_table_cell(table, "the worst packets, of %uB, take %u cell%s for %uB of the wire: x %.4g", worst, cells,
                      cells == 1 ? "" : "s", worst + plan->gap_bytes, (double)bytes / (double)wire);
}

/* The last sums: of bytes on the wire, of cells, and for peers that take longer than the plan says. */
static void bound_rows(struct output_table *table, const struct headroom_plan *plan)
{
    char what[CAUSE_MAX];
    weir_cells cells = headroom_plan_safe_cells(plan);
    if (plan->cell_bytes > 1) {
        snprintf(what, sizeof what, "%uB between packets, for those of the terms and the PAUSE", plan->gap_bytes);
        sum_row(table, plan, "gaps", WEIR_HEADROOM_GAPS * (int64_t)plan->gap_bytes, what);
        sum_row(table, plan, "= on the wire", headroom_plan_wire_bytes(plan), "at the rate of the link");
        cells_row(table, plan);
    }
    bool is_bound = headroom_plan_is_bound(plan);
    output_table_cell(table, is_bound ? "= no-loss bound" : "= with small packets");
    output_table_cell(table, "%" PRId64, cells * plan->cell_bytes);
    output_table_cell(table, "-");
    if (!is_bound)
        output_table_cell(table, "%" PRId64 " cells; no bound: only %.4g %% of the wire are packets of %uB", cells,
                          100 * (double)plan->small / WEIR_Q16_ONE, headroom_plan_worst_packet(plan));
    else if (plan->cell_bytes > 1)
        output_table_cell(table, "%" PRId64 " cells: no arrangement of packets exceeds it", cells);
    else
        output_table_cell(table, "no arrangement of packets exceeds it, if the buffer counts bytes%s",
                          plan->is_simulated ? "" : ", not cells (--cell)");
    if (headroom_plan_is_optimistic(plan)) {
        struct headroom_plan any = *plan;
        any.is_standard = true;
        output_table_cell(table, "= for any peer");
        output_table_cell(table, "%" PRId64, headroom_plan_safe_cells(&any) * any.cell_bytes);
        output_table_cell(table, "-");
        output_table_cell(table, "%s", allowed_text(plan, what));
    }
}

struct output_table *headroom_terms_table(const struct headroom_plan *plan)
{
    static const struct output_column columns[] = {{"term", false}, {"bytes", true}, {"us", true}, {"because", false}};
    struct output_table *table = output_table_new(columns, 4);
    struct weir_headroom_link link = headroom_plan_link(plan);
    int64_t bytes[WEIR_HEADROOM_COUNT];
    char cause[CAUSE_MAX];
    weir_headroom_terms(&link, bytes);
    for (int i = 0; i < WEIR_HEADROOM_COUNT; i++) {
        enum weir_headroom_term term = (enum weir_headroom_term)i;
        if (i == WEIR_HEADROOM_EQUATION)
            sum_row(table, plan, "= equation 1", weir_headroom_equation(&link),
                    "2 (C D + MTU) + 3840 B, of the DSH paper: may lose packets");
        sum_row(table, plan, weir_headroom_term_name(term), bytes[i], cause_text(plan, term, cause));
    }
    bound_rows(table, plan);
    return table;
}

struct output_table *headroom_rows_table(const struct headroom_row *rows, uint32_t count)
{
    static const struct output_column columns[] = {{"scheme", false},  {"headroom", false}, {"bytes", true},
                                                   {"MB", true},       {"MiB", true},       {"of buffer", true},
                                                   {"shared B", true}, {"shared MiB", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (const struct headroom_row *row = rows; row < rows + count; row++) {
        output_table_cell(table, "%s", row->scheme);
        output_table_cell(table, "%s", row->what);
        output_table_cell(table, "%" PRId64, row->headroom_bytes);
        output_table_cell(table, "%.3f", (double)row->headroom_bytes / MB);
        output_table_cell(table, "%.3f", (double)row->headroom_bytes / MIB);
        output_table_cell(table, "%.1f %%", 100 * (double)row->headroom_bytes / (double)row->memory_bytes);
        if (row->shared_bytes < 0) {
            output_table_cell(table, "does not fit");
            output_table_cell(table, "-");
        } else {
            output_table_cell(table, "%" PRId64, row->shared_bytes);
            output_table_cell(table, "%.3f", (double)row->shared_bytes / MIB);
        }
    }
    return table;
}

json_t *headroom_rows_json(const struct headroom_row *rows, uint32_t count)
{
    json_t *all = json_array();
    for (const struct headroom_row *row = rows; row < rows + count; row++)
        all = output_json_append(all, json_pack("{s:s, s:I, s:o, s:I}", "name", row->scheme, "headroom_bytes",
                                                (json_int_t)row->headroom_bytes, "share",
                                                json_real((double)row->headroom_bytes / (double)row->memory_bytes),
                                                "shared_bytes", (json_int_t)row->shared_bytes));
    return all;
}

/* "32 x 8 x 21840B": ports, queues of each unless the scheme keeps one headroom per port, and what each gets. Returns
 * the number of rows. */
static uint32_t plan_rows(const struct headroom_plan *plan, struct headroom_row rows[HEADROOM_SCHEMES_MAX])
{
    const struct weir_policy *schemes[HEADROOM_SCHEMES_MAX];
    uint32_t count = headroom_schemes(schemes);
    for (uint32_t i = 0; i < count; i++) {
        int64_t bytes = headroom_plan_reserve(plan, schemes[i]);
        double port = (double)bytes / plan->ports;
        rows[i] = (struct headroom_row){.scheme = schemes[i]->name,
                                        .headroom_bytes = bytes,
                                        .shared_bytes = plan->buffer_bytes - bytes,
                                        .memory_bytes = plan->buffer_bytes};
        if (headroom_is_per_port(plan, schemes[i]))
            snprintf(rows[i].what, sizeof rows[i].what, "%u x %.10gB", plan->ports, port);
        else
            snprintf(rows[i].what, sizeof rows[i].what, "%u x %u x %.10gB", plan->ports, plan->classes,
                     port / plan->classes);
    }
    return count;
}

/* The two schemes that the paper of the chips' trend compares. */
static const char *const compared[] = {"sih", "dsh"};

/* What the second of them saves, bytes. */
static int64_t plan_saving(const struct headroom_plan *plan)
{
    return headroom_plan_reserve(plan, weir_policy_find(compared[0])) -
           headroom_plan_reserve(plan, weir_policy_find(compared[1]));
}

static void put_title(const struct headroom_plan *plan)
{
    char rate[64], delay[64], least[64], mtu[64], cell[64];
    value_text(KEY_RATE, plan->rate_bps, rate);
    if (plan->name != NULL)
        printf("%s: ", plan->name);
    if (plan->ports > 0)
        printf("%u port%s of %s, %u lossless class%s, buffer of %.3f MB = %.3f MiB (%.4g us of traffic)\n", plan->ports,
               plan->ports == 1 ? "" : "s", rate, plan->classes, plan->classes == 1 ? "" : "es",
               (double)plan->buffer_bytes / MB, (double)plan->buffer_bytes / MIB, 1e6 * headroom_plan_buffer_s(plan));
    printf("a link of %s and %s, packets of %s to %s, cells of %s\n", rate, value_text(KEY_TIME, plan->delay_ps, delay),
           value_text(KEY_SPACE, plan->least_bytes, least), value_text(KEY_SPACE, plan->mtu_bytes, mtu),
           value_text(KEY_SPACE, plan->cell_bytes, cell));
}

/* What the totals are made of, and what is gained. */
static void put_schemes(const struct headroom_plan *plan)
{
    const struct weir_policy *schemes[HEADROOM_SCHEMES_MAX];
    uint32_t count = headroom_schemes(schemes);
    char delay[64], ratio[64];
    int64_t saved = plan_saving(plan);
    printf("\nWith a measured delay of %s and a ratio of %s:\n", value_text(KEY_TIME, plan->measured_delay_ps, delay),
           value_text(KEY_RATIO, plan->ratio, ratio));
    for (uint32_t i = 0; i < count; i++)
        printf("  %s: %s\n", schemes[i]->name, schemes[i]->headroom != NULL ? schemes[i]->headroom : schemes[i]->title);
    printf("%s reserves %" PRId64 " B (%.3f MB, %.3f MiB) less than %s", compared[1], saved, (double)saved / MB,
           (double)saved / MIB, compared[0]);
    if (headroom_plan_reserve(plan, weir_policy_find(compared[0])) <= plan->buffer_bytes)
        printf(": %.1f %% of the buffer", 100 * (double)saved / (double)plan->buffer_bytes);
    puts(".");
}

static int show_text(const struct headroom_plan *plan)
{
    bool is_bound = headroom_plan_is_bound(plan);
    const char *const sizes[] = {[SIM_HEADROOM_SAFE] = is_bound ? "the no-loss bound" : "with small packets",
                                 [SIM_HEADROOM_EQUATION] = "equation 1",
                                 [SIM_HEADROOM_BYTES] = "as given"};
    struct headroom_row rows[HEADROOM_SCHEMES_MAX];
    struct output_table *terms = headroom_terms_table(plan), *schemes = NULL;
    int code = output_table_check(terms);
    if (code == CLI_OK && plan->ports > 0) {
        schemes = headroom_rows_table(rows, plan_rows(plan, rows));
        code = output_table_check(schemes);
    }
    if (code == CLI_OK) {
        put_title(plan);
        printf("\nWhat still arrives for a queue after its pause was decided:\n");
        output_table_put(terms);
    }
    if (code == CLI_OK && schemes != NULL) {
        printf("\nReserved, with %" PRId64 " B for a queue (%s):\n", headroom_plan_size(plan), sizes[plan->size]);
        output_table_put(schemes);
        put_schemes(plan);
    }
    output_table_free(terms);
    output_table_free(schemes);
    return code;
}

static json_t *causes_json(const struct headroom_plan *plan)
{
    struct weir_headroom_link link = headroom_plan_link(plan);
    json_t *terms = json_array();
    int64_t bytes[WEIR_HEADROOM_COUNT];
    char cause[CAUSE_MAX];
    weir_headroom_terms(&link, bytes);
    for (int i = 0; i < WEIR_HEADROOM_COUNT; i++) {
        enum weir_headroom_term term = (enum weir_headroom_term)i;
        terms =
            output_json_append(terms, json_pack("{s:s, s:I, s:s, s:b}", "name", weir_headroom_term_name(term), "bytes",
                                                (json_int_t)bytes[i], "cause", cause_text(plan, term, cause),
                                                "in_equation", i < WEIR_HEADROOM_EQUATION));
    }
    return terms;
}

/* How long the peer may take: what the paper has, what the standard allows, and what is counted. */
static json_t *peer_json(const struct headroom_plan *plan)
{
    struct weir_pfc_response response = weir_pfc_response(plan->rate_bps);
    struct headroom_plan any = *plan;
    any.is_standard = true;
    return json_pack("{s:I, s:I, s:I, s:s, s:I, s:I}", "paper_bytes", (json_int_t)WEIR_PFC_PROCESSING_BYTES,
                     "standard_bytes", (json_int_t)weir_pfc_response_bytes(plan->rate_bps), "standard_quanta",
                     (json_int_t)response.quanta, "standard_source", response.source, "counted_bytes",
                     (json_int_t)headroom_plan_link(plan).processing_bytes, "safe_bytes_if_standard",
                     (json_int_t)(headroom_plan_safe_cells(&any) * any.cell_bytes));
}

json_t *headroom_terms_json(const struct headroom_plan *plan)
{
    struct weir_headroom_link link = headroom_plan_link(plan);
    weir_cells cells = headroom_plan_safe_cells(plan);
    json_t *about = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "rate_bps", (json_int_t)link.rate_bps, "delay_ps",
                              (json_int_t)link.delay_ps, "mtu_bytes", (json_int_t)link.mtu_bytes, "least_bytes",
                              (json_int_t)plan->least_bytes, "gap_bytes", (json_int_t)plan->gap_bytes, "cell_bytes",
                              (json_int_t)plan->cell_bytes);
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:b}", "link", about, "terms", causes_json(plan), "peer",
                     peer_json(plan), "equation_bytes", (json_int_t)weir_headroom_equation(&link), "wire_bytes",
                     (json_int_t)headroom_plan_wire_bytes(plan), "worst_packet_bytes",
                     (json_int_t)headroom_plan_worst_packet(plan), "safe_cells", (json_int_t)cells, "safe_bytes",
                     (json_int_t)(cells * plan->cell_bytes), "is_bound", headroom_plan_is_bound(plan));
}

static json_t *switch_json(const struct headroom_plan *plan)
{
    return json_pack("{s:s?, s:I, s:I, s:I, s:o}", "chip", plan->name, "ports", (json_int_t)plan->ports, "classes",
                     (json_int_t)plan->classes, "buffer_bytes", (json_int_t)plan->buffer_bytes, "buffer_per_capacity_s",
                     json_real(headroom_plan_buffer_s(plan)));
}

static json_t *plan_json(const struct headroom_plan *plan)
{
    json_t *root = headroom_terms_json(plan);
    if (plan->ports == 0)
        return root;
    struct headroom_row rows[HEADROOM_SCHEMES_MAX];
    uint32_t count = plan_rows(plan, rows);
    root = output_json_set(root, "switch", switch_json(plan));
    root = output_json_set(root, "headroom_bytes", json_integer(headroom_plan_size(plan)));
    root = output_json_set(root, "schemes", headroom_rows_json(rows, count));
    return output_json_set(root, "dsh_saves_bytes", json_integer(plan_saving(plan)));
}

int headroom_show(const struct headroom_plan *plan, bool json)
{
    return json ? output_json(plan_json(plan)) : show_text(plan);
}

static json_t *trend_json(void)
{
    json_t *chips = json_array();
    for (const struct headroom_plan *chip = headroom_chips; chip->name != NULL; chip++)
        chips = output_json_append(chips, plan_json(chip));
    return chips;
}

int headroom_show_trend(bool json)
{
    static const struct output_column columns[] = {{"chip", false},         {"ports", true},   {"buffer", true},
                                                   {"us of traffic", true}, {"queue B", true}, {"sih MiB", true},
                                                   {"of buffer", true},     {"dsh MiB", true}, {"of buffer", true}};
    char rate[64], memory[64];
    if (json)
        return output_json(trend_json());
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (const struct headroom_plan *chip = headroom_chips; chip->name != NULL; chip++) {
        output_table_cell(table, "%s", chip->name);
        output_table_cell(table, "%u x %s", chip->ports, value_text(KEY_RATE, chip->rate_bps, rate));
        output_table_cell(table, "%s", value_text(KEY_SPACE, chip->buffer_bytes, memory));
        output_table_cell(table, "%.1f", 1e6 * headroom_plan_buffer_s(chip));
        output_table_cell(table, "%" PRId64, headroom_plan_size(chip));
        for (size_t i = 0; i < sizeof compared / sizeof compared[0]; i++) {
            double reserve = (double)headroom_plan_reserve(chip, weir_policy_find(compared[i]));
            output_table_cell(table, "%.3f", reserve / MIB);
            output_table_cell(table, "%.1f %%", 100 * reserve / (double)chip->buffer_bytes);
        }
    }
    return output_table_print(table);
}
