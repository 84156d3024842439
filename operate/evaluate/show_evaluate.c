/*
 * show_evaluate.c - pages of an evaluation: the verdict first, then what was found; two side by side; JSON; and the
 * table of thresholds in the shape of sonic-mgmt's qos_params.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "operate/evaluate/evaluate.h"
#include "operate/evaluate/sheet.h"

static bool is_lossless(const struct evaluation *e)
{
    uint32_t lossless = 0;
    for (uint32_t i = 0; i < e->kinds; i++)
        lossless |= e->kind[i].plan.lossless;
    return lossless != 0;
}

static const char *verdict(const struct evaluation *e)
{
    if (!is_lossless(e) && e->losses == 0)
        return "no group is lossless";
    return e->losses > 0 ? "loses packets" : e->reason_count > 0 ? "may lose packets" : "no loss found";
}

static const char *threshold_text(const struct plan_profile *profile, char text[32])
{
    if (profile->dynamic_th != SONIC_ABSENT)
        snprintf(text, 32, "2^%d", (int)profile->dynamic_th);
    else if (profile->limit != SONIC_ABSENT)
        snprintf(text, 32, "%" PRId64 "B", profile->limit);
    else
        snprintf(text, 32, "none");
    return text;
}

static struct data_cell cell_cells(int64_t cells)
{
    return cell_if(cells != PROBE_NEVER, cell_integer(cells));
}

/* "0-2,5": numbers as keys of tables have them. */
static const char *numbers_text(uint32_t mask, char text[32])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t last = i;
        if (!(mask >> i & 1))
            continue;
        while (last < 31 && mask >> (last + 1) & 1)
            last++;
        int length = last > i ? snprintf(text + used, 32 - used, "%s%u-%u", used > 0 ? "," : "", i, last)
                              : snprintf(text + used, 32 - used, "%s%u", used > 0 ? "," : "", i);
        used += length > 0 && (size_t)length < 32 - used ? (size_t)length : 0;
        i = last;
    }
    return text;
}

/* Classes of a port that behave alike are one line. */
static bool is_same_line(const struct evaluate_kind *kind, const struct probe_class *a, const struct probe_class *b)
{
    const struct sonic_plan *plan = &kind->plan;
    enum plan_side side = a->is_ingress ? PLAN_INGRESS : PLAN_EGRESS;
    const struct plan_profile *one = &plan->profile[side][a->tc], *two = &plan->profile[side][b->tc];
    return a->is_ingress == b->is_ingress && a->is_lossless == b->is_lossless && a->xoff == b->xoff &&
           a->drop == b->drop && a->xon == b->xon && a->headroom == b->headroom &&
           plan->profile[PLAN_INGRESS][a->tc].number == plan->profile[PLAN_INGRESS][b->tc].number &&
           one->dynamic_th == two->dynamic_th && one->limit == two->limit &&
           (one->name == two->name || (one->name != NULL && two->name != NULL && strcmp(one->name, two->name) == 0));
}

static void put_class(struct data_frame *frame, const struct evaluate_kind *kind, const struct probe_class *class,
                      uint32_t classes)
{
    uint32_t queues = 0;
    for (uint32_t left = classes; left != 0; left &= left - 1)
        queues |= 1u << kind->plan.profile[PLAN_EGRESS][__builtin_ctz(left)].number;

    const struct plan_profile *group = &kind->plan.profile[PLAN_INGRESS][class->tc];
    const struct plan_profile *decides = class->is_ingress ? group : &kind->plan.profile[PLAN_EGRESS][class->tc];
    bool lossless = class->is_lossless;
    char of_classes[32], of_queues[32], threshold[32];
    data_row(frame, cell_text(kind->port->name), cell_text(numbers_text(classes, of_classes)),
             cell_integer(group->number), cell_text(numbers_text(queues, of_queues)),
             cell_text(decides->name != NULL ? decides->name : "(none)"), cell_text(threshold_text(decides, threshold)),
             lossless ? cell_cells(class->xoff) : cell_shown(cell_none(), "lossy"), cell_number(class->formula),
             cell_cells(class->drop), cell_if(lossless, cell_cells(class->headroom)),
             cell_if(lossless, cell_cells(class->xon)));
}

static void put_kind(struct data_frame *frame, const struct evaluate_kind *kind)
{
    uint32_t done = 0;
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
        uint32_t alike = 0;
        for (uint32_t other = tc; other < PLAN_CLASSES; other++)
            alike |= is_same_line(kind, &kind->probes.of[tc], &kind->probes.of[other]) ? 1u << other : 0;
        if (!(done >> tc & 1))
            put_class(frame, kind, &kind->probes.of[tc], alike);
        done |= alike;
    }
}

static void show_thresholds(struct sheet *sheet, const struct evaluation *e)
{
    static const struct data_column columns[] = {DATA_COLUMN("port", "port", TEXT),
                                                 DATA_COLUMN("classes", "TC", WORD, .right = true),
                                                 DATA_COLUMN("group", "PG", INTEGER),
                                                 DATA_COLUMN("queues", "queue", WORD, .right = true),
                                                 DATA_COLUMN("profile", "profile", TEXT),
                                                 DATA_COLUMN("threshold", "alpha or limit", TEXT),
                                                 DATA_COLUMN("xoff_cells", "XOFF at", INTEGER),
                                                 DATA_COLUMN("formula_cells", "formula", NUMBER, .digits = 1),
                                                 DATA_COLUMN("drop_cells", "drop at", INTEGER),
                                                 DATA_COLUMN("headroom_cells", "headroom", INTEGER),
                                                 DATA_COLUMN("xon_cells", "XON at", INTEGER)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t k = 0; k < e->kinds; k++)
        put_kind(frame, &e->kind[k]);
    sheet_table(sheet, frame);
}

/* What WRED does to a queue; queues of a port that have the same are one line. */
static void show_wred(struct sheet *sheet, const struct evaluation *e)
{
    static const struct data_column columns[] = {DATA_COLUMN("port", "port", TEXT),
                                                 DATA_COLUMN("queues", "queue", WORD, .right = true),
                                                 DATA_COLUMN("profile", "WRED profile", TEXT),
                                                 DATA_COLUMN("colour", "packets", WORD),
                                                 DATA_COLUMN("low_cells", "from", INTEGER),
                                                 DATA_COLUMN("high_cells", "to", INTEGER),
                                                 DATA_COLUMN("percent", "chance", INTEGER),
                                                 DATA_COLUMN("effect", "", TEXT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t k = 0; k < e->kinds; k++) {
        const struct sonic_plan *plan = &e->kind[k].plan;
        uint32_t done = 0;
        for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
            struct plan_wred wred = plan_wred_of(plan, tc);
            uint32_t queues = 0;
            char text[32], chance[32];
            for (uint32_t other = tc; wred.is_set && other < PLAN_CLASSES; other++)
                queues |= plan->wred[other] == plan->wred[tc] ? 1u << plan->profile[PLAN_EGRESS][other].number : 0;
            if (!wred.is_set || (queues & ~done) == 0)
                continue;
            done |= queues;
            snprintf(chance, sizeof chance, "%" PRId64 " %%", wred.percent);
            data_row(frame, cell_text(e->kind[k].port->name), cell_text(numbers_text(queues, text)),
                     cell_text(plan->wred[tc]->entry.key), cell_text(sonic_colours[e->model->given.colour]),
                     cell_integer(plan_cells_down(plan, wred.low)), cell_integer(plan_cells_down(plan, wred.high)),
                     cell_shown(cell_integer(wred.percent), chance),
                     cell_text(wred.marks && wred.drops ? "ECN-capable packets are marked, others dropped"
                               : wred.marks             ? "ECN-capable packets are marked"
                               : wred.drops             ? "packets are dropped"
                                                        : "nothing: no ecn, and WRED is not enabled"));
        }
    }
    if (data_frame_failed(frame) || data_frame_rows(frame) > 0) {
        sheet_heading(sheet, "WRED by the length of a queue at the moment, in cells; above the last all packets");
        sheet_table(sheet, frame);
    } else {
        data_frame_free(frame);
    }
}

static void show_many(struct sheet *sheet, const struct evaluate_kind *kind, const struct probe_many *many)
{
    for (uint32_t left = plan_groups(&kind->plan); many->groups > 0 && left != 0; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        char text[32];
        if (many->most[tc] == PROBE_NEVER)
            continue;
        sheet_line(sheet,
                   "%s and %u like it%s, %u groups at once, class %s: XOFF at %" PRId64 " to %" PRId64
                   " cells, by the formula %.1f%s",
                   kind->port->name, kind->ports - 1, kind->ports < kind->plan.count ? " (as if all were)" : "",
                   many->groups, numbers_text(plan_sharing(&kind->plan, tc), text), many->least[tc], many->most[tc],
                   many->formula[tc],
                   many->formula[tc] < 0 ? " (static)"
                   : many->agrees        ? ""
                                         : ": they differ");
    }
}

static void show_mix(struct sheet *sheet, const struct evaluation *e)
{
    const struct evaluate_mix *mix = &e->mix;
    if (mix->many.groups == 0)
        return;
    if (mix->left_out > 0)
        sheet_line(sheet, "not filled together with the others: %u kinds of ports, whose profiles are too many",
                   mix->left_out);
    for (uint32_t i = 0; i < mix->kinds; i++)
        for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
            uint32_t of = mix->of[i][tc];
            if (of == PLAN_CLASSES || mix->many.least[of] == PROBE_NEVER)
                continue;
            sheet_line(sheet,
                       "all kinds of ports, %u groups at once, %s class %u: XOFF at %" PRId64 " to %" PRId64
                       " cells, by the formula %.1f%s",
                       mix->many.groups, e->kind[mix->kind[i]].port->name, tc, mix->many.least[of], mix->many.most[of],
                       mix->many.formula[of],
                       mix->many.formula[of] < 0 ? " (static)"
                       : mix->many.agrees        ? ""
                                                 : ": they differ");
        }
}

/* Of the first kinds of ports, a bar for each line of the table. */
static void show_bars(struct sheet *sheet, const struct evaluation *e)
{
    struct sheet_bar bars[2 * PLAN_CLASSES];
    char names[2 * PLAN_CLASSES][128], text[32];
    uint32_t count = 0;
    for (uint32_t k = 0; sheet->html != NULL && k < e->kinds; k++) {
        const struct evaluate_kind *kind = &e->kind[k];
        uint32_t done = 0;
        int64_t most =
            plan_shared_cells(&kind->plan) + plan_private_cells(&kind->plan) + plan_headroom_cells(&kind->plan);
        for (uint32_t tc = 0; tc < PLAN_CLASSES && count < 2 * PLAN_CLASSES; tc++) {
            const struct probe_class *class = &kind->probes.of[tc];
            uint32_t alike = 0;
            for (uint32_t other = tc; other < PLAN_CLASSES; other++)
                alike |= is_same_line(kind, class, &kind->probes.of[other]) ? 1u << other : 0;
            if (!(done >> tc & 1) && class->drop != PROBE_NEVER) {
                char pause[40] = "lossy";
                if (class->is_lossless)
                    snprintf(pause, sizeof pause, class->xoff >= 0 ? "pauses at %" PRId64 : "never pauses",
                             class->xoff);
                snprintf(names[count], sizeof names[0], "%.60s, class %s: %s, drops at %" PRId64, kind->port->name,
                         numbers_text(alike, text), pause, class->drop);
                bars[count] = (struct sheet_bar){names[count], class->xoff, class->drop, most};
                count++;
            }
            done |= alike;
        }
    }
    sheet_bars(sheet, bars, count);
}

static void show_probes(struct sheet *sheet, const struct evaluation *e)
{
    const struct sonic_plan *plan = &e->kind[0].plan;
    sheet_heading(sheet,
                  "Thresholds in cells of %" PRId64 " B, one pipe of %" PRId64
                  "; packets of one cell to a closed port, each class alone",
                  plan->cell, plan->pipes);
    show_thresholds(sheet, e);
    sheet_line(sheet,
               "XOFF at: the packet with which the group pauses its peer; lossy: it never does. drop at: the first "
               "packet lost. headroom: cells that it takes in between. XON at: what it still holds when it "
               "resumes. formula: alpha B / (1 + alpha) and the minimum, with B the pool of one pipe.");
    show_bars(sheet, e);
    show_wred(sheet, e);
    sheet_part(sheet, "Many groups at once");
    for (uint32_t k = 0; k < e->kinds; k++) {
        const struct evaluate_kind *kind = &e->kind[k];
        if (kind->probes.few.groups > 0 && e->at_once > kind->probes.few.groups)
            sheet_line(sheet, "%s: a pipe has %u lossless groups: --at-once %u", kind->port->name,
                       kind->probes.few.groups, e->at_once);
        show_many(sheet, kind, &kind->probes.few);
        if (kind->probes.all.groups != kind->probes.few.groups)
            show_many(sheet, kind, &kind->probes.all);
        if (kind->probes.headroom.groups > 0)
            sheet_line(sheet, "%s: headroom holds %u of %u groups at once, %" PRId64 " cells", kind->port->name,
                       kind->probes.headroom.whole, kind->probes.headroom.groups, kind->probes.headroom.cells);
    }
    show_mix(sheet, e);
    sheet_line(sheet,
               "at once: groups are filled in turn until each has paused, which may come 1 + alpha cells late. "
               "headroom holds N: so many may be paused and still take all that is on its way to them; if more "
               "pause in one moment, packets are lost. as if all were: all ports with the profiles of this one.");
}

/* `format` says what it means. */
static void __attribute__((format(printf, 4, 5)))
put_counter(struct data_frame *frame, const char *name, uint64_t seen, const char *format, ...)
{
    char truth[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(truth, sizeof truth, format, arguments);
    va_end(arguments);
    data_row(frame, cell_text(name), cell_integer((int64_t)seen), cell_text(truth));
}

/* What counters say, and what it means. */
static void show_counters(struct sheet *sheet, const struct evaluation *e)
{
    static const struct data_column columns[] = {DATA_COLUMN("counter", "counter", TEXT),
                                                 DATA_COLUMN("value", "operator sees", INTEGER),
                                                 DATA_COLUMN("truth", "truth", TEXT)};
    const struct evaluate_run *run = &e->run;
    const struct sonic_plan *plan = &e->kind[0].plan;
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    uint32_t done = 0; /* classes whose group was shown */
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
        const struct evaluate_class *class = &run->of[tc];
        char name[112], classes[32];
        bool lossless = run->lossless >> tc & 1;
        if (class->queue_watermark == 0)
            continue;
        snprintf(name, sizeof name, "SAI_QUEUE_STAT_WATERMARK_BYTES, class %u", tc);
        put_counter(frame, name, class->queue_watermark,
                    "packets sent: %" PRIu64 ", lost: %" PRIu64 ", marked: %" PRIu64, class->queue_sent,
                    class->queue_dropped, class->marked);
        if (!lossless)
            continue;
        snprintf(name, sizeof name, "SAI_PORT_STAT_PFC_%u_TX_PKTS, all ports", tc);
        put_counter(frame, name, class->frames, "%" PRIu64 " pauses; peers held for %.1f us in all", class->pauses,
                    class->held_us);
        if (done >> tc & 1)
            continue;
        done |= plan_sharing(plan, tc);
        numbers_text(plan_sharing(plan, tc), classes);
        class = &run->of[plan_first(plan, tc)]; /* the group's */
        snprintf(name, sizeof name, "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES, class %s", classes);
        put_counter(frame, name, class->shared_watermark, "alone it pauses at %" PRId64 " B",
                    e->kind[0].probes.of[tc].xoff * plan->cell);
        snprintf(name, sizeof name, "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES, class %s", classes);
        put_counter(frame, name, class->headroom_watermark, "%.1f %% of its %" PRId64 " B",
                    100 * (double)class->headroom_watermark / fmax(1, (double)plan->profile[PLAN_INGRESS][tc].xoff),
                    plan->profile[PLAN_INGRESS][tc].xoff);
        snprintf(name, sizeof name, "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS, class %s", classes);
        put_counter(frame, name, class->group_dropped, "%s",
                    class->group_dropped > 0 ? "lost, although they can be paused" : "none lost");
    }
    put_counter(frame, "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES", run->pool_watermark, "of %" PRIu64 " B of a pipe",
                run->buffer);
    put_counter(frame, "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES", run->headroom_watermark,
                "of %" PRIu64 " B of headroom", run->headroom);
    sheet_table(sheet, frame);
}

static void show_run(struct sheet *sheet, const struct evaluation *e)
{
    static const struct data_column columns[] = {DATA_COLUMN("traffic", "traffic", TEXT),
                                                 DATA_COLUMN("flows", "flows", INTEGER),
                                                 DATA_COLUMN("unfinished", "unfinished", INTEGER),
                                                 DATA_COLUMN("lost", "lost", INTEGER),
                                                 DATA_COLUMN("mean_us", "mean us", NUMBER, .digits = 1),
                                                 DATA_COLUMN("p50_us", "p50 us", NUMBER, .digits = 1),
                                                 DATA_COLUMN("p99_us", "p99 us", NUMBER, .digits = 1)};
    const struct evaluate_run *run = &e->run;
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    sheet_heading(sheet, "Traffic: %u ports, %.0f us; lost: %" PRIu64 " lossless, %" PRIu64 " lossy packets",
                  run->ports, run->simulated_us, run->lossless_lost, run->lossy_lost);
    if (run->is_capture && e->kind[0].plan.dscp == NULL)
        sheet_line(sheet, "all packets of the capture are of class 0: %s has no dscp_to_tc_map%s",
                   e->kind[0].port->name, e->kind[0].plan.dot1p != NULL ? ", and VLAN priorities are not read" : "");
    if (run->wanted_ports > 0)
        sheet_line(sheet, "no more than these ports are up: --ports %u", run->wanted_ports);
    for (uint32_t i = 0; i < run->tags; i++) {
        const struct evaluate_tag *tag = &run->tag[i];
        bool known = tag->flows == 0 || tag->unfinished < tag->flows; /* some time is */
        char p99[32];
        snprintf(p99, sizeof p99, "%s%.1f", tag->unfinished > 0 ? ">= " : "", tag->p99_us);
        data_row(frame, cell_text(tag->name), cell_integer((int64_t)tag->flows), cell_integer((int64_t)tag->unfinished),
                 cell_integer((int64_t)tag->lost), cell_if(known, cell_number(tag->mean_us)),
                 cell_if(known, cell_number(tag->p50_us)), cell_if(known, cell_shown(cell_number(tag->p99_us), p99)));
    }
    sheet_table(sheet, frame);
    sheet_part(sheet, "Counters");
    show_counters(sheet, e);
}

static void show_verdict(struct sheet *sheet, const struct evaluation *e, const char *name)
{
    sheet_verdict(sheet, name,
                  e->losses > 0                            ? "bad"
                  : e->reason_count > 0 || !is_lossless(e) ? "part"
                                                           : "good",
                  verdict(e));
    for (uint32_t i = 0; i < e->reason_count; i++)
        sheet_item(sheet, i < e->losses ? "lost" : "note", e->reasons[i]);
    if (e->reason_count > 0)
        sheet_item(sheet, "means",
                   e->losses > 0 ? "a group that can be paused loses packets in what was tried here"
                                 : "nothing tried here lost a lossless packet; a note says what could");
    if (!is_lossless(e))
        sheet_item(sheet, "note",
                   e->model->has_qos ? "no priority that PFC pauses has a group with headroom, or PFC pauses none"
                                     : "PORT_QOS_MAP is missing: which priorities PFC pauses is not known");
    for (uint32_t i = 0; evaluation_taken(e, i) != NULL; i++)
        sheet_item(sheet, "taken", evaluation_taken(e, i));
}

int evaluation_show(const struct evaluation *e, const char *name, FILE *html)
{
    struct sheet sheet = {.html = html, .code = CLI_OK};
    sheet_begin(&sheet, name);
    show_verdict(&sheet, e, name);
    show_probes(&sheet, e);
    if (e->run.is_made)
        show_run(&sheet, e);
    sheet_end(&sheet);
    return sheet.code;
}

static const char *change_text(const struct evaluate_number *before, const struct evaluate_number *after)
{
    if (before->value >= after->value && before->value <= after->value)
        return "";
    return (after->value > before->value) == before->more_is_better ? "better" : "worse";
}

int evaluation_compare(const struct evaluation *before, const struct evaluation *after, const char *names[2],
                       FILE *html)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("name", "what", TEXT), DATA_COLUMN("before", "before", NUMBER, .digits = -6),
        DATA_COLUMN("after", "after", NUMBER, .digits = -6), DATA_COLUMN("change", "change", NUMBER),
        DATA_COLUMN("verdict", "", WORD)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    struct sheet sheet = {.html = html, .code = CLI_OK};
    uint32_t same = 0;
    sheet_begin(&sheet, names[0]);
    sheet_line(&sheet, "before: %s", names[0]);
    sheet_line(&sheet, "after:  %s", names[1]);
    sheet_line(&sheet, "%s", "");
    show_verdict(&sheet, before, "before");
    show_verdict(&sheet, after, "after");
    for (uint32_t i = 0; i < before->numbers.count; i++) {
        const struct evaluate_number *old = &EVALUATION_NUMBERS(before)[i];
        const struct evaluate_number *new = evaluation_find(after, old->name);
        const char *change = new != NULL ? change_text(old, new) : "gone";
        same += change[0] == '\0';
        if (change[0] == '\0')
            continue;
        char what[160], by[32];
        double value = new != NULL ? new->value : NAN;
        snprintf(what, sizeof what, "%s%s%s", old->name, old->unit[0] != '\0' ? ", " : "", old->unit);
        snprintf(by, sizeof by, "%+.6g", value - old->value);
        data_row(frame, cell_text(what), cell_number(old->value),
                 new != NULL ? cell_number(value) : cell_shown(cell_none(), "nan"),
                 cell_shown(cell_number(value - old->value), by), cell_text(change));
    }
    sheet_part(&sheet, "What changes");
    sheet_table(&sheet, frame);
    sheet_line(&sheet, "%s", "");
    sheet_line(&sheet, "unchanged: %u of %u numbers", same, before->numbers.count);
    if (html != NULL)
        show_probes(&sheet, after);
    sheet_end(&sheet);
    return sheet.code;
}

static struct data_frame *class_frame(const struct evaluate_kind *kind, const struct probe_class *class)
{
    const struct plan_profile *group = &kind->plan.profile[PLAN_INGRESS][class->tc];
    const struct plan_profile *queue = &kind->plan.profile[PLAN_EGRESS][class->tc];
    struct data_frame *row =
        data_object({"class", cell_integer(class->tc)}, {"group", cell_integer(group->number)},
                    {"queue", cell_integer(queue->number)}, {"lossless", cell_flag(class->is_lossless)},
                    {"ingress_profile", cell_text(group->name)}, {"egress_profile", cell_text(queue->name)},
                    {"drop_cells", cell_integer(class->drop)}, {"formula_cells", cell_number(class->formula)});
    struct plan_wred wred = plan_wred_of(&kind->plan, class->tc);
    if (wred.is_set)
        data_frame_set(
            row, "wred",
            cell_frame(data_object({"profile", cell_text(kind->plan.wred[class->tc]->entry.key)},
                                   {"colour", cell_text(sonic_colours[kind->plan.model->given.colour])},
                                   {"low_bytes", cell_integer(wred.low)}, {"high_bytes", cell_integer(wred.high)},
                                   {"percent", cell_integer(wred.percent)}, {"marks", cell_flag(wred.marks)},
                                   {"drops", cell_flag(wred.drops)})));
    if (class->is_lossless) {
        data_frame_set(row, "xoff_cells", cell_integer(class->xoff));
        data_frame_set(row, "xon_cells", cell_integer(class->xon));
        data_frame_set(row, "headroom_cells", cell_integer(class->headroom));
    }
    return row;
}

/* Where groups that are filled together pause; `port` is the name of a column, null: all are of one port. */
static struct data_frame *new_pauses(const char *port)
{
    const struct data_column columns[] = {
        DATA_COLUMN(port, NULL, TEXT), DATA_COLUMN("class", NULL, INTEGER), DATA_COLUMN("least_cells", NULL, INTEGER),
        DATA_COLUMN("most_cells", NULL, INTEGER), DATA_COLUMN("formula_cells", NULL, NUMBER)};
    return data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
}

static void add_pauses(struct data_frame *classes, const char *port, uint32_t tc, const struct probe_many *many,
                       uint32_t of)
{
    data_row(classes, cell_text(port), cell_integer(tc), cell_integer(many->least[of]), cell_integer(many->most[of]),
             cell_number(many->formula[of]));
}

static struct data_frame *many_frame(const struct probe_many *many)
{
    struct data_frame *classes = new_pauses(NULL);
    for (uint32_t tc = 0; many->groups > 0 && tc < PLAN_CLASSES; tc++)
        if (many->most[tc] != PROBE_NEVER)
            add_pauses(classes, NULL, tc, many, tc);
    return data_object({"groups", cell_integer(many->groups)}, {"paused", cell_integer(many->paused)},
                       {"agrees", cell_flag(many->agrees)}, {"classes", cell_frame(classes)});
}

static struct data_frame *mix_frame(const struct evaluation *e)
{
    const struct evaluate_mix *mix = &e->mix;
    struct data_frame *classes = new_pauses("port");
    for (uint32_t i = 0; i < mix->kinds; i++)
        for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
            uint32_t of = mix->of[i][tc];
            if (of < PLAN_CLASSES && mix->many.least[of] != PROBE_NEVER)
                add_pauses(classes, e->kind[mix->kind[i]].port->name, tc, &mix->many, of);
        }
    return data_object({"groups", cell_integer(mix->many.groups)}, {"paused", cell_integer(mix->many.paused)},
                       {"agrees", cell_flag(mix->many.agrees)}, {"kinds_left_out", cell_integer(mix->left_out)},
                       {"classes", cell_frame(classes)});
}

static struct data_frame *kind_frame(const struct evaluate_kind *kind)
{
    struct data_frame *classes = data_frame_new_list();
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++)
        data_row(classes, cell_frame(class_frame(kind, &kind->probes.of[tc])));
    return data_object({"port", cell_text(kind->port->name)}, {"ports", cell_integer(kind->ports)},
                       {"cell_bytes", cell_integer(kind->plan.cell)}, {"pipes", cell_integer(kind->plan.pipes)},
                       {"classes", cell_frame(classes)}, {"at_once", cell_frame(many_frame(&kind->probes.few))},
                       {"all_at_once", cell_frame(many_frame(&kind->probes.all))},
                       {"headroom", cell_frame(data_object({"groups", cell_integer(kind->probes.headroom.groups)},
                                                           {"whole", cell_integer(kind->probes.headroom.whole)},
                                                           {"cells", cell_integer(kind->probes.headroom.cells)}))});
}

struct data_frame *evaluation_frame(const struct evaluation *e)
{
    static const struct data_column columns[] = {DATA_COLUMN("name", NULL, TEXT), DATA_COLUMN("value", NULL, NUMBER),
                                                 DATA_COLUMN("unit", NULL, TEXT)};
    struct data_frame *reasons = data_frame_new_list(), *kinds = data_frame_new_list(), *taken = data_frame_new_list();
    struct data_frame *numbers = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < e->reason_count; i++) {
        char text[sizeof e->reasons[0]];
        memcpy(text, e->reasons[i], sizeof text);
        sonic_clean_text(text);
        data_row(reasons, cell_text(text));
    }
    for (uint32_t i = 0; i < e->kinds; i++)
        data_row(kinds, cell_frame(kind_frame(&e->kind[i])));
    for (uint32_t i = 0; i < e->numbers.count; i++) {
        const struct evaluate_number *number = &EVALUATION_NUMBERS(e)[i];
        data_row(numbers, cell_text(number->name), cell_number(number->value), cell_text(number->unit));
    }
    for (uint32_t i = 0; evaluation_taken(e, i) != NULL; i++)
        data_row(taken, cell_text(evaluation_taken(e, i)));
    return data_object({"verdict", cell_text(verdict(e))}, {"losses", cell_integer(e->losses)},
                       {"reasons", cell_frame(reasons)}, {"taken", cell_frame(taken)},
                       {"lint_errors", cell_integer(e->lint_errors)}, {"lint_warnings", cell_integer(e->lint_warnings)},
                       {"ports", cell_frame(kinds)},
                       {"all_kinds_at_once", e->mix.many.groups > 0 ? cell_frame(mix_frame(e)) : cell_none()},
                       {"numbers", cell_frame(numbers)});
}

/* A port's name as a key: without what could end the line or the word. */
static void put_key(FILE *out, const char *name)
{
    for (uint32_t i = 0; name[i] != '\0' && i < 40; i++)
        fputc((name[i] >= '0' && name[i] <= '9') || (name[i] >= 'A' && name[i] <= 'Z') ||
                      (name[i] >= 'a' && name[i] <= 'z')
                  ? name[i]
                  : '_',
              out);
}

static void put_case(FILE *out, const struct evaluate_kind *kind, const struct probe_class *class, uint32_t number)
{
    const struct plan_profile *group = &kind->plan.profile[PLAN_INGRESS][class->tc];
    char dscp[32] = "";
    for (uint32_t code = 0; kind->plan.dscp != NULL && code < SONIC_MAP_MAX && dscp[0] == '\0'; code++)
        if (kind->plan.dscp->to[code] == (int8_t) class->tc)
            snprintf(dscp, sizeof dscp, "      dscp: %u\n", code);
    if (!class->is_lossless) {
        fprintf(out, "    lossy_queue_%u:\n%s      ecn: 1\n      pg: %u\n      pkts_num_trig_egr_drp: %" PRId64 "\n",
                number, dscp, group->number, class->drop);
        return;
    }
    fprintf(out,
            "    xoff_%u:\n%s      ecn: 1\n      pg: %u\n      pkts_num_trig_pfc: %" PRId64
            "\n      pkts_num_trig_ingr_drp: %" PRId64 "\n",
            number, dscp, group->number, class->xoff, class->drop);
    fprintf(out,
            "    xon_%u:\n%s      ecn: 1\n      pg: %u\n      pkts_num_trig_pfc: %" PRId64
            "\n      pkts_num_dismiss_pfc: %" PRId64 "\n",
            number, dscp, group->number, class->xoff, class->xoff - class->xon);
    fprintf(out,
            "    wm_pg_headroom_%u:\n%s      ecn: 1\n      pg: %u\n      pkts_num_trig_pfc: %" PRId64
            "\n      pkts_num_trig_ingr_drp: %" PRId64 "\n      cell_size: %" PRId64 "\n",
            number, dscp, group->number, class->xoff, class->drop, kind->plan.cell);
}

void evaluation_qos_params(const struct evaluation *e, FILE *out)
{
    fputs("# Packets of one cell into an empty switch, made by weir evaluate. Margins and what leaks out of a closed "
          "port are not in it.\nqos_params:\n",
          out);
    for (uint32_t k = 0; k < e->kinds; k++) {
        const struct evaluate_kind *kind = &e->kind[k];
        uint32_t lossless = 0, lossy = 0;
        fputs("  ", out);
        put_key(out, kind->port->name);
        fprintf(out, ":\n    cell_size: %" PRId64 "\n", kind->plan.cell);
        for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++)
            put_case(out, kind, &kind->probes.of[tc], kind->probes.of[tc].is_lossless ? ++lossless : ++lossy);
        if (kind->probes.headroom.groups > 0)
            fprintf(out, "    hdrm_pool_size:\n      pgs_num: %u\n      pkts_num_hdrm_full: %" PRId64 "\n",
                    kind->probes.headroom.whole, kind->probes.headroom.cells);
    }
}
