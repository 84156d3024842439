/*
 * timeline.c - see timeline.h.
 */
#include "lib/trace/timeline.h"

#include <stdlib.h>

#include "cli/cli.h"

#define CELLS_MAX (UINT32_C(1) << 21) /* of all steps: a switch of many queues has fewer steps */

static bool make_room(struct timeline *t)
{
    size_t cells = (size_t)t->steps * t->accounts;
    t->used = calloc(t->steps, sizeof *t->used);
    t->cells = calloc(cells, sizeof *t->cells);
    t->input_paused = calloc((size_t)t->steps * t->inputs, sizeof *t->input_paused);
    t->paused_from = calloc(t->accounts, sizeof *t->paused_from);
    t->paused_till = calloc(t->accounts, sizeof *t->paused_till);
    t->input_from = calloc(t->inputs, sizeof *t->input_from);
    if (!t->used || !t->cells || !t->input_paused || !t->paused_from || !t->paused_till || !t->input_from)
        return false;
    for (uint32_t i = 0; i < t->inputs; i++)
        t->input_from[i] = WEIR_NEVER;
    return true;
}

static int begin(void *context, const struct weir_mmu_config *config, weir_ps first, weir_ps last, weir_ps busy)
{
    struct timeline *t = context;
    weir_ps start = t->from == WEIR_NEVER ? first : t->from;
    weir_ps end = t->to == WEIR_NEVER ? (busy > start ? busy : last) : t->to;
    if (start > last || end < first)
        return cli_error(CLI_INPUT, "--%s: the trace has no record in this time (see 'time' of weir replay)",
                         start > last ? "from" : "to");
    t->ports = config->ports;
    t->classes = config->classes;
    t->accounts = config->ports * config->classes;
    t->inputs = weir_mmu_inputs(config);
    t->cell_bytes = config->cell_bytes;
    t->buffer_cells = config->buffer_cells;
    t->lossless_mask = config->lossless_mask;
    t->limits = config->egress->threshold != NULL;
    uint32_t most = CELLS_MAX / t->accounts < TIMELINE_STEPS_MAX ? CELLS_MAX / t->accounts + 1 : TIMELINE_STEPS_MAX;
    weir_ps span = end - start + 1; /* the last record is in the last step */
    t->start = start;
    t->last = last;
    t->step_ps = (span + most - 1) / most;
    t->steps = (uint32_t)((span + t->step_ps - 1) / t->step_ps);
    return make_room(t) ? CLI_OK : cli_error_memory();
}

/* The buffer as it is now becomes that of the step. */
static void take_state(struct timeline *t, uint32_t step, const struct weir_mmu *mmu)
{
    const struct weir_view *view = weir_mmu_view(mmu);
    t->used[step] = weir_view_used(view);
    for (uint32_t a = 0; a < t->accounts; a++) {
        struct timeline_cell *cell = &t->cells[(size_t)step * t->accounts + a];
        bool lossless = t->lossless_mask >> (a / t->ports) & 1; /* the ingress side says how much it may hold */
        weir_cells limit = t->limits && !lossless ? weir_mmu_threshold(mmu, (weir_account){a}) : TIMELINE_NO_LIMIT;
        cell->held = (int32_t)weir_view_length(view, (weir_account){a});
        cell->limit = (int32_t)(limit < t->buffer_cells ? limit : t->buffer_cells);
    }
}

/* Steps begin with the state that the last record left. */
static void before(void *context, const struct weir_mmu *mmu, const struct weir_record *record)
{
    struct timeline *t = context;
    if (record->now < t->start)
        return;
    for (; t->begun < t->steps && t->start + t->begun * t->step_ps <= record->now; t->begun++)
        take_state(t, t->begun, mmu);
}

/* Adds the time from `from` to `to` to the steps it lies in; sums[step * stride] is a step's, `stride` in bytes. */
static void add_time(const struct timeline *t, weir_ps *sums, size_t stride, weir_ps from, weir_ps to)
{
    weir_ps end = t->start + t->steps * t->step_ps;
    from = from < t->start ? t->start : from;
    to = to > end ? end : to;
    while (from < to) {
        uint32_t step = (uint32_t)((from - t->start) / t->step_ps);
        weir_ps till = t->start + (step + 1) * t->step_ps;
        till = till < to ? till : to;
        *(weir_ps *)((char *)sums + step * stride) += till - from;
        from = till;
    }
}

static void end_queue_pause(struct timeline *t, uint32_t account, weir_ps now)
{
    weir_ps till = t->paused_till[account] < now ? t->paused_till[account] : now;
    add_time(t, &t->cells[account].paused_ps, t->accounts * sizeof *t->cells, t->paused_from[account], till);
}

static void end_input_pause(struct timeline *t, uint32_t input, weir_ps now)
{
    add_time(t, &t->input_paused[input], t->inputs * sizeof *t->input_paused, t->input_from[input], now);
    t->input_from[input] = WEIR_NEVER;
}

static void after(void *context, const struct weir_mmu *mmu, const struct weir_record *record)
{
    struct timeline *t = context;
    const struct weir_view *ingress = weir_mmu_ingress_view(mmu);
    for (uint32_t i = 0; ingress != NULL && i < t->inputs; i++) {
        const struct weir_port_state *port = weir_view_port(ingress, (weir_port){i});
        bool paused = port->paused || port->paused_mask != 0;
        if (paused && t->input_from[i] == WEIR_NEVER)
            t->input_from[i] = record->now;
        else if (!paused && t->input_from[i] != WEIR_NEVER)
            end_input_pause(t, i, record->now);
    }
    for (uint32_t c = 0; record->kind == WEIR_REC_PAUSE && c < t->classes; c++) {
        uint32_t account = c * t->ports + record->port.i;
        if ((record->class_mask >> c & 1) == 0)
            continue;
        end_queue_pause(t, account, record->now);
        t->paused_from[account] = record->now;
        t->paused_till[account] = record->until;
    }
    if (record->now < t->start || record->now >= t->start + t->steps * t->step_ps)
        return;
    uint32_t step = (uint32_t)((record->now - t->start) / t->step_ps);
    static const enum timeline_fate fates[WEIR_CAUSE_COUNT] = {
        [WEIR_CAUSE_REFUSED] = TIMELINE_REFUSED,   [WEIR_CAUSE_PUSHOUT] = TIMELINE_PUSHED_OUT,
        [WEIR_CAUSE_EXPELLED] = TIMELINE_EXPELLED, [WEIR_CAUSE_DEQUEUE] = TIMELINE_DROPPED,
        [WEIR_CAUSE_FLUSHED] = TIMELINE_DROPPED,
    };
    struct timeline_cell *cells = &t->cells[(size_t)step * t->accounts];
    for (uint32_t i = 0; i < record->lost_count; i++)
        cells[record->lost[i].account.i].packets[fates[record->lost[i].cause]]++;
    if (record->kind == WEIR_REC_ARRIVE) {
        uint32_t *packets = cells[record->packet.tc.i * t->ports + record->packet.output.i].packets;
        packets[TIMELINE_ARRIVED]++;
        packets[TIMELINE_REFUSED] += !record->accepted;
    }
    if (record->kind == WEIR_REC_DEPART && record->departed)
        cells[record->account.i].packets[TIMELINE_SENT]++;
    if (weir_view_used(weir_mmu_view(mmu)) > t->used[step])
        take_state(t, step, mmu);
}

static void finish(void *context, const struct weir_mmu *mmu)
{
    struct timeline *t = context;
    for (; t->begun < t->steps; t->begun++) /* asked for longer than the trace is */
        take_state(t, t->begun, mmu);
    for (uint32_t a = 0; a < t->accounts; a++)
        end_queue_pause(t, a, t->last);
    for (uint32_t i = 0; i < t->inputs; i++)
        if (t->input_from[i] != WEIR_NEVER)
            end_input_pause(t, i, t->last);
}

struct replay_watch timeline_watch(struct timeline *timeline)
{
    return (struct replay_watch){begin, before, after, finish, timeline};
}

void timeline_free(struct timeline *t)
{
    free(t->used);
    free(t->cells);
    free(t->input_paused);
    free(t->paused_from);
    free(t->paused_till);
    free(t->input_from);
}
