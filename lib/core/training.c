/*
 * training.c - the virtual LQD that labels arrivals for a predictor; see training.h.
 *
 * The virtual side is a whole MMU, because a label needs to know which packet LQD pushes out and not only how long
 * its queues are. Its ports drain by themselves: a port sends its next packet at
 *
 *   t = max(end of the packet before, arrival that ended its idle time)
 *
 * and the departures before `now` are made, in order of t, when something happens at `now`. Arrivals of a moment thus
 * come before departures of the same moment, as in a slotted host; with departures_first it is the other way round, as
 * in the simulator. A tournament over the ports, keyed by -t, finds the port that is next without looking at the
 * others.
 *
 * Each arrival of a lossy class gets a row in a ring while there is room; the handle of the virtual packet is the
 * number of its row, or NO_ROW. Invariant: rows [taken, written) are in the ring, and row n waits for its fate
 * exactly while the packet with handle n is in the virtual MMU. When the real MMU runs LQD there is no virtual one;
 * the row of a packet is then found by its arrival index, which grows along the ring.
 *
 * Lossless classes are left out: LQD neither refuses nor pushes out their packets, and no oracle is asked about
 * them.
 */
#include <assert.h>
#include <string.h>

#include "weir/average.h"
#include "weir/fixed.h"
#include "weir/tournament.h"
#include "weir/trace.h"
#include "weir/training.h"

#define NO_ROW UINT64_MAX
#define NOT_DUE INT64_MIN

enum training_fate { FATE_UNKNOWN, FATE_SENT, FATE_LOST };

struct training_slot {
    struct weir_training_row row;
    enum training_fate fate;
};

struct weir_training {
    struct weir_mmu *lqd; /* null: the real MMU is one */
    struct weir_values lqd_values;
    uint32_t lossless_mask;
    uint32_t gap_bytes;
    bool virtual_counters;
    bool tells_idle; /* the virtual policy wants to know when a port has nothing to send */
    weir_ps lead_ps; /* virtual departures are made up to this much after `now`, exclusive */
    weir_ps average_ps;
    uint64_t arrivals; /* seen so far: the real MMU's running index */
    uint64_t written;  /* rows begun */
    uint64_t taken;    /* rows handed out */
    uint64_t missed;   /* arrivals without room for a row */
    uint32_t rows_max;
    uint32_t port_leaves;
    struct training_slot *slot; /* [rows_max], row n at n % rows_max */
    struct weir_average buffer;
    struct weir_average *account; /* [accounts] */
    weir_ps *free_ps;             /* [ports]: end of the last packet sent */
    int64_t *sends;               /* tournament of the ports' next sends, negated */
};

/* Where the parts lie in the caller's memory, in bytes from its start. */
struct training_layout {
    size_t lqd, slot, account, free_ps, sends, end;
};

/* The real MMU's config with LQD in place of its policy, and with the lossy part of its memory only. */
static void training_lqd_config(const struct weir_training_config *config, struct weir_mmu_config *lqd)
{
    uint32_t inputs = weir_mmu_inputs(config->mmu);
    *lqd = *config->mmu;
    lqd->buffer_cells -= lqd->headroom_cells;
    lqd->headroom_cells = 0;
    for (uint32_t tc = 0; tc < lqd->classes; tc++) {
        lqd->marking[tc].kind = WEIR_MARK_NONE;
        if (!(lqd->lossless_mask >> tc & 1))
            continue;
        lqd->buffer_cells -= lqd->ingress_private_cells[tc] * inputs;
        lqd->private_cells[tc] = 0;
        lqd->ingress_private_cells[tc] = 0;
    }
    lqd->lossless_mask = 0;
    lqd->inputs = 0;
    lqd->input_rates_bps = NULL;
    lqd->ingress = NULL;
    lqd->ingress_values = NULL;
    lqd->oracle = NULL;
    lqd->packets_max++; /* an arrival has its descriptor before it pushes anybody out */
    lqd->evictions_max = lqd->packets_max < WEIR_TRACE_LOST_MAX ? lqd->packets_max : WEIR_TRACE_LOST_MAX;
    lqd->egress = config->policy ? config->policy : weir_policy_find("lqd");
    lqd->egress_values = NULL;
}

static struct training_layout training_lay_out(const struct weir_training_config *config,
                                               const struct weir_mmu_config *lqd)
{
    struct training_layout at;
    size_t accounts = (size_t)lqd->ports * lqd->classes;
    at.lqd = weir_align(sizeof(struct weir_training));
    at.slot = at.lqd + (config->real ? 0 : weir_align(weir_mmu_size(lqd)));
    at.account = at.slot + weir_align(config->rows_max * sizeof(struct training_slot));
    at.free_ps = at.account + weir_align(accounts * sizeof(struct weir_average));
    at.sends = at.free_ps + weir_align(lqd->ports * sizeof(weir_ps));
    at.end = at.sends + weir_align(2 * (size_t)weir_next_power_of_two(lqd->ports) * sizeof(int64_t));
    return at;
}

size_t weir_training_size(const struct weir_training_config *config)
{
    struct weir_mmu_config lqd;
    training_lqd_config(config, &lqd);
    return training_lay_out(config, &lqd).end;
}

struct weir_training *weir_training_init(void *memory, const struct weir_training_config *config)
{
    assert((uintptr_t)memory % 64 == 0);
    assert(config->average_ps > 0 && config->rows_max >= config->mmu->packets_max);
    struct weir_mmu_config lqd;
    training_lqd_config(config, &lqd);
    struct training_layout at = training_lay_out(config, &lqd);
    char *base = memory;
    memset(memory, 0, at.end);

    struct weir_training *t = memory;
    weir_values_init(&t->lqd_values, lqd.egress);
    bool known =
        config->policy || weir_values_set(&t->lqd_values, lqd.egress, "remove", config->tail ? "tail" : "head", NULL);
    assert(known);
    (void)known;
    lqd.egress_values = &t->lqd_values;

    t->lqd = config->real ? NULL : weir_mmu_init(base + at.lqd, &lqd);
    t->virtual_counters = config->virtual_counters && !config->real;
    t->tells_idle = lqd.egress->on_idle != NULL;
    t->gap_bytes = config->gap_bytes;
    t->lead_ps = config->departures_first;
    t->lossless_mask = config->mmu->lossless_mask;
    t->average_ps = config->average_ps;
    t->rows_max = config->rows_max;
    t->port_leaves = weir_next_power_of_two(lqd.ports);
    t->slot = (struct training_slot *)(base + at.slot);
    t->account = (struct weir_average *)(base + at.account);
    t->free_ps = (weir_ps *)(base + at.free_ps);
    t->sends = (int64_t *)(base + at.sends);
    for (uint32_t i = 0; i < 2 * t->port_leaves; i++)
        t->sends[i] = NOT_DUE;
    return t;
}

/* The averages move when a packet has left whatever MMU the features are of. */
static void training_move(struct weir_training *t, const struct weir_view *view, weir_account account, weir_ps now)
{
    weir_average_move(&t->account[account.i], weir_view_length(view, account), t->average_ps, now);
    weir_average_move(&t->buffer, weir_view_used(view), t->average_ps, now);
}

static void training_settle(struct weir_training *t, uint64_t row, enum training_fate fate)
{
    if (row != NO_ROW)
        t->slot[row % t->rows_max].fate = fate;
}

/* A push-out may take the last packet of a port, which then has nothing to send. */
static void training_lose(struct weir_training *t, const struct weir_lost *lost)
{
    const struct weir_view *view = weir_mmu_view(t->lqd);
    uint32_t port = weir_account_port(&view->geometry, lost->account).i;
    training_settle(t, lost->handle, FATE_LOST);
    if (weir_view_port(view, (weir_port){port})->backlog_mask == 0)
        weir_tournament_set(t->sends, t->port_leaves, port, NOT_DUE);
}

/* The port's next packet leaves the virtual LQD; the one after it follows when this one is on the wire. */
static void training_send(struct weir_training *t, weir_port port, weir_ps now)
{
    const struct weir_effects *effects = weir_mmu_depart(t->lqd, port, now);
    const struct weir_port_state *state = weir_view_port(weir_mmu_view(t->lqd), port);
    assert(effects->lost_count == 0);
    if (!effects->departed) { /* it was told that the port is idle */
        weir_tournament_set(t->sends, t->port_leaves, port.i, NOT_DUE);
        return;
    }
    training_settle(t, effects->handle, FATE_SENT);
    if (t->virtual_counters)
        training_move(t, weir_mmu_view(t->lqd), effects->account, now);
    weir_wide wire_bytes = (weir_wide)effects->bytes + t->gap_bytes;
    weir_wide wire_ps = wire_bytes * 8 * WEIR_PS_PER_S / (weir_wide)state->rate_bps;
    t->free_ps[port.i] = now + (wire_ps > 0 ? (weir_ps)wire_ps : 1);
    int64_t key = state->backlog_mask == 0 && !t->tells_idle ? NOT_DUE : -t->free_ps[port.i];
    weir_tournament_set(t->sends, t->port_leaves, port.i, key);
}

static void training_catch_up(struct weir_training *t, weir_ps now)
{
    while (t->sends[1] > -now - t->lead_ps) {
        weir_port port = {weir_tournament_winner(t->sends, t->port_leaves, 1)};
        training_send(t, port, -t->sends[1]);
    }
}

/* Begins the row of an arrival, unless the ring is full of rows that still wait or were not taken. */
static uint64_t training_write(struct weir_training *t, const struct weir_view *view, weir_account account,
                               uint64_t index)
{
    if (t->written - t->taken == t->rows_max) {
        t->missed++;
        return NO_ROW;
    }
    uint32_t cell_bytes = view->geometry.cell_bytes;
    t->slot[t->written % t->rows_max] = (struct training_slot){
        .row = {.index = index,
                .feature = {[WEIR_FEATURE_QUEUE] = weir_view_length(view, account) * cell_bytes,
                            [WEIR_FEATURE_QUEUE_AVERAGE] = weir_average_bytes(&t->account[account.i], cell_bytes),
                            [WEIR_FEATURE_BUFFER] = weir_view_used(view) * cell_bytes,
                            [WEIR_FEATURE_BUFFER_AVERAGE] = weir_average_bytes(&t->buffer, cell_bytes)}},
        .fate = FATE_UNKNOWN,
    };
    return t->written++;
}

/* The arrival as the virtual LQD treats it. */
static void training_serve(struct weir_training *t, const struct weir_packet *packet, uint64_t row, weir_ps now)
{
    uint32_t port = packet->output.i;
    bool was_idle = weir_view_port(weir_mmu_view(t->lqd), (weir_port){port})->backlog_mask == 0;
    struct weir_packet virtual = *packet;
    virtual.handle = row;
    const struct weir_effects *effects = weir_mmu_arrive(t->lqd, &virtual, now);
    for (uint32_t i = 0; i < effects->lost_count; i++)
        training_lose(t, &effects->lost[i]);
    if (!effects->accepted) {
        training_settle(t, virtual.handle, FATE_LOST);
    } else if (was_idle) {
        weir_ps start_ps = t->free_ps[port] > now ? t->free_ps[port] : now;
        weir_tournament_set(t->sends, t->port_leaves, port, -start_ps);
    }
}

void weir_training_arrive(struct weir_training *t, const struct weir_view *view, const struct weir_packet *packet,
                          weir_ps now)
{
    uint64_t index = t->arrivals++;
    if (packet->output.i >= view->geometry.ports || packet->tc.i >= view->geometry.classes)
        return;
    training_catch_up(t, now);
    if (t->lossless_mask >> packet->tc.i & 1)
        return;
    const struct weir_view *shown = t->virtual_counters ? weir_mmu_view(t->lqd) : view;
    uint64_t row = training_write(t, shown, weir_account_of(&view->geometry, packet->output, packet->tc), index);
    if (t->lqd)
        training_serve(t, packet, row, now);
}

void weir_training_depart(struct weir_training *t, const struct weir_view *view, weir_account account, weir_ps now)
{
    if (account.i < view->geometry.accounts && !t->virtual_counters)
        training_move(t, view, account, now);
}

/* The row of an arrival, or NO_ROW. */
static uint64_t training_find(const struct weir_training *t, uint64_t index)
{
    uint64_t first = t->taken, after = t->written;
    while (first < after) {
        uint64_t middle = first + (after - first) / 2;
        if (t->slot[middle % t->rows_max].row.index < index)
            first = middle + 1;
        else
            after = middle;
    }
    return first < t->written && t->slot[first % t->rows_max].row.index == index ? first : NO_ROW;
}

void weir_training_settle(struct weir_training *t, uint32_t index, bool lost)
{
    assert(!t->lqd);
    uint64_t whole = t->arrivals - (uint32_t)((uint32_t)t->arrivals - index);
    training_settle(t, training_find(t, whole), lost ? FATE_LOST : FATE_SENT);
}

uint64_t weir_training_missed(const struct weir_training *t)
{
    return t->missed;
}

bool weir_training_take(struct weir_training *t, struct weir_training_row *row)
{
    const struct training_slot *slot = &t->slot[t->taken % t->rows_max];
    if (t->taken == t->written || slot->fate == FATE_UNKNOWN)
        return false;
    *row = slot->row;
    row->lost = slot->fate == FATE_LOST;
    t->taken++;
    return true;
}

void weir_training_finish(struct weir_training *t)
{
    if (t->lqd)
        training_catch_up(t, WEIR_NEVER - 1);
    for (uint64_t row = t->taken; !t->lqd && row < t->written; row++)
        if (t->slot[row % t->rows_max].fate == FATE_UNKNOWN)
            training_settle(t, row, FATE_SENT);
}
