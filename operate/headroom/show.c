/*
 * show.c - the pages of `weir headroom` for a switch and for the trend of chips. Sizes are given in bytes, in
 * MB (10^6) and in MiB (2^20): papers and data sheets write MB for both.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "operate/headroom/plan.h"
#include "scenario/keys/key.h"
#include "show/writers/write.h"

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

static void sum_row(struct data_frame *frame, const struct headroom_plan *plan, const char *name, int64_t bytes,
                    const char *what)
{
    data_row(frame, cell_text(name), cell_integer(bytes), cell_number(8e6 * (double)bytes / (double)plan->rate_bps),
             cell_text(what));
}

/* From the bytes of the wire to those of the buffer. */
static void cells_row(struct data_frame *frame, const struct headroom_plan *plan)
{
    int64_t wire = headroom_plan_wire_bytes(plan), bytes = headroom_plan_safe_cells(plan) * plan->cell_bytes;
    uint32_t worst = headroom_plan_worst_packet(plan);
    uint32_t cells = (worst + plan->cell_bytes - 1) / plan->cell_bytes;
    char what[CAUSE_MAX];
    snprintf(what, sizeof what, "the worst packets, of %uB, take %u cell%s for %uB of the wire: x %.4g", worst, cells,
             cells == 1 ? "" : "s", worst + plan->gap_bytes, (double)bytes / (double)wire);
    data_row(frame, cell_text("cells filled in part"), cell_integer(bytes - wire), cell_none(), cell_text(what));
}

/* The last sums: of bytes on the wire, of cells, and for peers that take longer than the plan says. */
static void bound_rows(struct data_frame *frame, const struct headroom_plan *plan)
{
    char what[CAUSE_MAX];
    weir_cells cells = headroom_plan_safe_cells(plan);
    if (plan->cell_bytes > 1) {
        snprintf(what, sizeof what, "%uB between packets, for those of the terms and the PAUSE", plan->gap_bytes);
        sum_row(frame, plan, "gaps", WEIR_HEADROOM_GAPS * (int64_t)plan->gap_bytes, what);
        sum_row(frame, plan, "= on the wire", headroom_plan_wire_bytes(plan), "at the rate of the link");
        cells_row(frame, plan);
    }
    bool is_bound = headroom_plan_is_bound(plan);
    if (!is_bound)
        snprintf(what, sizeof what, "%" PRId64 " cells; no bound: only %.4g %% of the wire are packets of %uB", cells,
                 100 * (double)plan->small / WEIR_Q16_ONE, headroom_plan_worst_packet(plan));
    else if (plan->cell_bytes > 1)
        snprintf(what, sizeof what, "%" PRId64 " cells: no arrangement of packets exceeds it", cells);
    else
        snprintf(what, sizeof what, "no arrangement of packets exceeds it, if the buffer counts bytes%s",
                 plan->is_simulated ? "" : ", not cells (--cell)");
    data_row(frame, cell_text(is_bound ? "= no-loss bound" : "= with small packets"),
             cell_integer(cells * plan->cell_bytes), cell_none(), cell_text(what));
    if (headroom_plan_is_optimistic(plan)) {
        struct headroom_plan any = *plan;
        any.is_standard = true;
        data_row(frame, cell_text("= for any peer"), cell_integer(headroom_plan_safe_cells(&any) * any.cell_bytes),
                 cell_none(), cell_text(allowed_text(plan, what)));
    }
}

struct data_frame *headroom_sums_frame(const struct headroom_plan *plan)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("term", "term", TEXT), DATA_COLUMN("bytes", "bytes", INTEGER),
        DATA_COLUMN("us", "us", NUMBER, .digits = -4), DATA_COLUMN("cause", "because", TEXT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    struct weir_headroom_link link = headroom_plan_link(plan);
    int64_t bytes[WEIR_HEADROOM_COUNT];
    char cause[CAUSE_MAX];
    weir_headroom_terms(&link, bytes);
    for (int i = 0; i < WEIR_HEADROOM_COUNT; i++) {
        enum weir_headroom_term term = (enum weir_headroom_term)i;
        if (i == WEIR_HEADROOM_EQUATION)
            sum_row(frame, plan, "= equation 1", weir_headroom_equation(&link),
                    "2 (C D + MTU) + 3840 B, of the DSH paper: may lose packets");
        sum_row(frame, plan, weir_headroom_term_name(term), bytes[i], cause_text(plan, term, cause));
    }
    bound_rows(frame, plan);
    return frame;
}

struct data_frame *headroom_schemes_frame(const struct headroom_row *rows, uint32_t count)
{
    static const struct data_column columns[] = {DATA_COLUMN("name", "scheme", WORD),
                                                 DATA_COLUMN(NULL, "headroom", TEXT),
                                                 DATA_COLUMN("headroom_bytes", "bytes", INTEGER),
                                                 DATA_COLUMN(NULL, "MB", NUMBER, .digits = 3),
                                                 DATA_COLUMN(NULL, "MiB", NUMBER, .digits = 3),
                                                 DATA_COLUMN("share", "of buffer", SHARE, .digits = 1),
                                                 DATA_COLUMN("shared_bytes", "shared B", INTEGER),
                                                 DATA_COLUMN(NULL, "shared MiB", NUMBER, .digits = 3)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (const struct headroom_row *row = rows; row < rows + count; row++) {
        double bytes = (double)row->headroom_bytes, shared = (double)row->shared_bytes;
        data_row(frame, cell_text(row->scheme), cell_text(row->what), cell_integer(row->headroom_bytes),
                 cell_number(bytes / MB), cell_number(bytes / MIB), cell_number(bytes / (double)row->memory_bytes),
                 cell_shown(cell_integer(row->shared_bytes), shared < 0 ? "does not fit" : NULL),
                 cell_if(shared >= 0, cell_number(shared / MIB)));
    }
    return frame;
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

/* Each term alone, without sums. */
static struct data_frame *causes_frame(const struct headroom_plan *plan)
{
    static const struct data_column columns[] = {DATA_COLUMN("name", NULL, TEXT), DATA_COLUMN("bytes", NULL, INTEGER),
                                                 DATA_COLUMN("cause", NULL, TEXT),
                                                 DATA_COLUMN("in_equation", NULL, FLAG)};
    struct weir_headroom_link link = headroom_plan_link(plan);
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    int64_t bytes[WEIR_HEADROOM_COUNT];
    char cause[CAUSE_MAX];
    weir_headroom_terms(&link, bytes);
    for (int i = 0; i < WEIR_HEADROOM_COUNT; i++) {
        enum weir_headroom_term term = (enum weir_headroom_term)i;
        data_row(frame, cell_text(weir_headroom_term_name(term)), cell_integer(bytes[i]),
                 cell_text(cause_text(plan, term, cause)), cell_flag(i < WEIR_HEADROOM_EQUATION));
    }
    return frame;
}

/* How long the peer may take: what the paper has, what the standard allows, and what is counted. */
static struct data_frame *peer_frame(const struct headroom_plan *plan)
{
    struct weir_pfc_response response = weir_pfc_response(plan->rate_bps);
    struct headroom_plan any = *plan;
    any.is_standard = true;
    return data_object({"paper_bytes", cell_integer(WEIR_PFC_PROCESSING_BYTES)},
                       {"standard_bytes", cell_integer(weir_pfc_response_bytes(plan->rate_bps))},
                       {"standard_quanta", cell_integer(response.quanta)},
                       {"standard_source", cell_text(response.source)},
                       {"counted_bytes", cell_integer(headroom_plan_link(plan).processing_bytes)},
                       {"safe_bytes_if_standard", cell_integer(headroom_plan_safe_cells(&any) * any.cell_bytes)});
}

struct data_frame *headroom_link_frame(const struct headroom_plan *plan)
{
    struct weir_headroom_link link = headroom_plan_link(plan);
    weir_cells cells = headroom_plan_safe_cells(plan);
    struct data_frame *about =
        data_object({"rate_bps", cell_integer(link.rate_bps)}, {"delay_ps", cell_integer(link.delay_ps)},
                    {"mtu_bytes", cell_integer(link.mtu_bytes)}, {"least_bytes", cell_integer(plan->least_bytes)},
                    {"gap_bytes", cell_integer(plan->gap_bytes)}, {"cell_bytes", cell_integer(plan->cell_bytes)});
    return data_object(
        {"link", cell_frame(about)}, {"terms", cell_frame(causes_frame(plan))}, {"peer", cell_frame(peer_frame(plan))},
        {"equation_bytes", cell_integer(weir_headroom_equation(&link))},
        {"wire_bytes", cell_integer(headroom_plan_wire_bytes(plan))},
        {"worst_packet_bytes", cell_integer(headroom_plan_worst_packet(plan))}, {"safe_cells", cell_integer(cells)},
        {"safe_bytes", cell_integer(cells * plan->cell_bytes)}, {"is_bound", cell_flag(headroom_plan_is_bound(plan))});
}

/* All of it; *schemes: what text shows of the schemes. */
static struct data_frame *plan_frame(const struct headroom_plan *plan, struct data_frame **schemes)
{
    struct data_frame *root = headroom_link_frame(plan);
    struct headroom_row rows[HEADROOM_SCHEMES_MAX];
    if (plan->ports == 0)
        return root;
    *schemes = headroom_schemes_frame(rows, plan_rows(plan, rows));
    data_frame_set(root, "switch",
                   cell_frame(data_object({"chip", cell_text(plan->name)}, {"ports", cell_integer(plan->ports)},
                                          {"classes", cell_integer(plan->classes)},
                                          {"buffer_bytes", cell_integer(plan->buffer_bytes)},
                                          {"buffer_per_capacity_s", cell_number(headroom_plan_buffer_s(plan))})));
    data_frame_set(root, "headroom_bytes", cell_integer(headroom_plan_size(plan)));
    data_frame_set(root, "schemes", cell_frame(*schemes));
    data_frame_set(root, "dsh_saves_bytes", cell_integer(plan_saving(plan)));
    return root;
}

int headroom_show(const struct headroom_plan *plan, bool json)
{
    bool is_bound = headroom_plan_is_bound(plan);
    const char *const sizes[] = {[SIM_HEADROOM_SAFE] = is_bound ? "the no-loss bound" : "with small packets",
                                 [SIM_HEADROOM_EQUATION] = "equation 1",
                                 [SIM_HEADROOM_BYTES] = "as given"};
    struct data_frame *schemes = NULL, *sums = headroom_sums_frame(plan), *root = plan_frame(plan, &schemes);
    data_frame_set(root, NULL, cell_frame(sums));
    if (json)
        return write_result(root, true);
    int code = data_frame_check(root);
    if (code == CLI_OK) {
        put_title(plan);
        printf("\nWhat still arrives for a queue after its pause was decided:\n");
        write_text(sums);
    }
    if (code == CLI_OK && schemes != NULL) {
        printf("\nReserved, with %" PRId64 " B for a queue (%s):\n", headroom_plan_size(plan), sizes[plan->size]);
        write_text(schemes);
        put_schemes(plan);
    }
    data_frame_free(root);
    return code;
}

static int show_trend_json(void)
{
    struct data_frame *chips = data_frame_new_list(), *schemes;
    for (const struct headroom_plan *chip = headroom_chips; chip->name != NULL; chip++)
        data_row(chips, cell_frame(plan_frame(chip, &schemes)));
    return write_result(chips, true);
}

int headroom_show_trend(bool json)
{
    static const struct data_column columns[] = {DATA_COLUMN("chip", "chip", WORD),
                                                 DATA_COLUMN(NULL, "ports", TEXT, .right = true),
                                                 DATA_COLUMN("buffer_bytes", "buffer", INTEGER),
                                                 DATA_COLUMN(NULL, "us of traffic", NUMBER, .digits = 1),
                                                 DATA_COLUMN("headroom_bytes", "queue B", INTEGER),
                                                 DATA_COLUMN(NULL, "sih MiB", NUMBER, .digits = 3),
                                                 DATA_COLUMN("sih_share", "of buffer", SHARE, .digits = 1),
                                                 DATA_COLUMN(NULL, "dsh MiB", NUMBER, .digits = 3),
                                                 DATA_COLUMN("dsh_share", "of buffer", SHARE, .digits = 1)};
    if (json)
        return show_trend_json();
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (const struct headroom_plan *chip = headroom_chips; chip->name != NULL; chip++) {
        char rate[64], memory[64], ports[96];
        snprintf(ports, sizeof ports, "%u x %s", chip->ports, value_text(KEY_RATE, chip->rate_bps, rate));
        data_row(frame, cell_text(chip->name), cell_text(ports),
                 cell_shown(cell_integer(chip->buffer_bytes), value_text(KEY_SPACE, chip->buffer_bytes, memory)),
                 cell_number(1e6 * headroom_plan_buffer_s(chip)), cell_integer(headroom_plan_size(chip)));
        for (size_t i = 0; i < sizeof compared / sizeof compared[0]; i++) {
            double reserve = (double)headroom_plan_reserve(chip, weir_policy_find(compared[i]));
            data_row(frame, cell_number(reserve / MIB), cell_number(reserve / (double)chip->buffer_bytes));
        }
    }
    return write_result(frame, false);
}
