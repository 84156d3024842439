/*
 * naive_calls.c - what happens to the list of packets at each entry point, and the memory arbiter.
 *
 * Everything here is the plain reading of the rules: a head is the first packet of its account in the list, a tail the
 * last; evictions for an arrival are tried on the list itself, which is put back when they do not help. The egress
 * policy hears of lossy packets only; it may be asked about others.
 */
#include <string.h>

#include "naive_internal.h"
#include "weir/random.h"

static void naive_remove(struct weir_naive *n, uint32_t at)
{
    const struct naive_packet gone = n->packet[at];
    bool lossless = naive_is_lossless(n, n->account[gone.account.i].tc.i);
    naive_ingress_release(n, &gone);
    n->packet_count--;
    memmove(&n->packet[at], &n->packet[at + 1], (n->packet_count - at) * sizeof n->packet[0]);
    naive_measure(n);
    if (lossless && n->scheme->on_leave != NULL)
        n->scheme->on_leave(n, gone.input.i, n->account[gone.account.i].tc.i);
}

/* Place of the account's first or last packet; packet_count when it has none. */
static uint32_t naive_find(const struct weir_naive *n, weir_account account, bool tail)
{
    uint32_t found = n->packet_count;
    for (uint32_t i = 0; i < n->packet_count; i++)
        if (weir_account_is(n->packet[i].account, account) && (tail || found == n->packet_count))
            found = i;
    return found;
}

static struct weir_event naive_event(const struct weir_naive *n, weir_account account, weir_cells cells, weir_ps now)
{
    const struct naive_account *a = &n->account[account.i];
    return (struct weir_event){.now = now, .account = account, .port = a->port, .tc = a->tc, .cells = cells};
}

/* A packet is lost; where its class is trimmed for that, it leaves a copy. */
static void naive_trim(struct weir_naive *n, weir_account account, const struct naive_packet *lost,
                       enum weir_cause cause)
{
    const struct naive_account *a = &n->account[account.i];
    const struct weir_trim *trim = &n->config.trim[a->tc.i];
    if (trim->bytes == 0 || lost->trimmed_from > 0 || (lost->flags & WEIR_FLAG_WHOLE) != 0 ||
        !(trim->causes & 1u << cause) || n->copy_count == n->copy_room)
        return;
    n->copy[n->copy_count++] = (struct naive_copy){
        .output = a->port,
        .input = lost->input,
        .tc = trim->to,
        .bytes = trim->bytes < lost->bytes ? trim->bytes : lost->bytes,
        .flags = trim->ecn == WEIR_TRIM_ECN_CLEAR ? lost->flags & ~(uint32_t)WEIR_FLAG_ECN : lost->flags,
        .trimmed_from = a->tc.i + 1,
    };
}

/* Whether an arrival is what has to come now: the first of the copies that are due, or no copy if there are none. */
static bool naive_is_due(struct weir_naive *n, const struct weir_packet *packet)
{
    if (n->copy_count == 0)
        return packet->trimmed_from == 0;
    struct naive_copy due = n->copy[0];
    n->copy_count--;
    memmove(&n->copy[0], &n->copy[1], n->copy_count * sizeof n->copy[0]);
    return packet->output.i == due.output.i && packet->input.i == due.input.i && packet->tc.i == due.tc.i &&
           packet->bytes == due.bytes && packet->flags == due.flags && packet->trimmed_from == due.trimmed_from;
}

static void naive_lose(struct weir_naive *n, uint32_t at, enum weir_cause cause, weir_ps now)
{
    struct naive_packet packet = n->packet[at];
    n->lost[n->lost_count++] = (struct weir_naive_lost){packet.index, packet.account, cause};
    naive_trim(n, packet.account, &packet, cause);
    naive_remove(n, at);
    struct weir_event event = naive_event(n, packet.account, packet.cells, now);
    event.cause = cause;
    if (n->policy->on_drop != NULL && !naive_is_lossless(n, event.tc.i))
        n->policy->on_drop(n, &event);
}

static struct weir_victim naive_ask(const struct weir_naive *n, const struct weir_question *question)
{
    return n->policy->victim != NULL ? n->policy->victim(n, question) : (struct weir_victim){WEIR_NO_ACCOUNT, false};
}

/* Time the memory needs to read so many of its cells. */
static weir_ps naive_memory_ps(const struct weir_naive *n, weir_cells memory_cells)
{
    naive_wide bps = n->config.memory_bps;
    for (uint32_t p = 0; n->config.memory_bps == 0 && p < n->config.ports; p++)
        bps += n->port[p].rate_bps;
    naive_wide cell_ps_q16 = ((naive_wide)n->config.memory_cell_bytes * 8 * WEIR_PS_PER_S * 65536 + bps - 1) / bps;
    return (weir_ps)((memory_cells * cell_ps_q16 + 65535) >> 16);
}

static weir_cells naive_memory_cells(const struct weir_naive *n, const struct naive_packet *packet)
{
    return weir_cells_for_bytes(packet->bytes, n->config.memory_cell_bytes);
}

void naive_memory_start(struct weir_naive *n)
{
    n->memory_zero_ps = -naive_memory_ps(n, n->config.memory_depth_cells);
}

/* The moment at which the bucket was empty, were it never fuller than its depth. */
static weir_ps naive_memory_zero_ps(const struct weir_naive *n, weir_ps now)
{
    weir_ps full_ps = now - naive_memory_ps(n, n->config.memory_depth_cells);
    return n->memory_zero_ps > full_ps ? n->memory_zero_ps : full_ps;
}

static void naive_memory_read(struct weir_naive *n, const struct naive_packet *packet, weir_ps now)
{
    n->memory_zero_ps = naive_memory_zero_ps(n, now) + naive_memory_ps(n, naive_memory_cells(n, packet));
}

static bool naive_memory_spare(const struct weir_naive *n, const struct naive_packet *packet, weir_ps now)
{
    weir_ps wanted_ps = naive_memory_ps(n, naive_memory_cells(n, packet));
    weir_ps depth_ps = naive_memory_ps(n, n->config.memory_depth_cells);
    weir_ps saved_ps = now - naive_memory_zero_ps(n, now);
    return n->config.memory_depth_cells > 0 && saved_ps >= (wanted_ps < depth_ps ? wanted_ps : depth_ps);
}

static void naive_begin(struct weir_naive *n, weir_ps now)
{
    n->lost_count = 0;
    if (n->policy->on_time != NULL)
        n->policy->on_time(n, now);
}

static struct weir_naive_result naive_result(const struct weir_naive *n)
{
    return (struct weir_naive_result){.lost_count = n->lost_count, .lost = n->lost};
}

/* Evicts until the arrival fits; puts everything back when it cannot be made to. Policies that push out do not listen
 * to drops, so there is nothing to take back from them. */
static bool naive_make_room(struct weir_naive *n, const struct weir_arrival *arrival)
{
    struct weir_question question = {.why = WEIR_WHY_PUSHOUT, .now = arrival->now, .arrival = arrival};
    uint32_t count = n->packet_count, copies = n->copy_count;
    memcpy(n->saved, n->packet, count * sizeof n->saved[0]);
    while (naive_need(n, arrival->account, arrival->cells) > naive_shared_free(n)) {
        struct weir_victim victim = naive_ask(n, &question);
        if (weir_account_is(victim.account, WEIR_NO_ACCOUNT) || n->lost_count >= n->config.evictions_max) {
            memcpy(n->packet, n->saved, count * sizeof n->saved[0]);
            n->packet_count = count;
            n->lost_count = 0;
            n->copy_count = copies;
            naive_measure(n);
            return false;
        }
        naive_lose(n, naive_find(n, victim.account, victim.tail), WEIR_CAUSE_PUSHOUT, arrival->now);
    }
    return true;
}

static enum weir_reason naive_admit(struct weir_naive *n, const struct weir_arrival *arrival,
                                    const struct weir_packet *packet)
{
    weir_port input = packet->input;
    if (arrival->cells > n->config.buffer_cells)
        return WEIR_REASON_TOO_LARGE;
    if (n->packet_count >= n->config.packets_max)
        return WEIR_REASON_NO_DESCRIPTOR;
    if (naive_is_lossless(n, arrival->tc.i)) {
        enum weir_reason veto = n->policy->asks_lossless ? n->policy->admit(n, arrival) : WEIR_REASON_NONE;
        return veto != WEIR_REASON_NONE ? veto : naive_ingress_take(n, input.i, arrival->tc.i, arrival->cells);
    }
    enum weir_reason veto = WEIR_REASON_NONE;
    bool unasked = packet->trimmed_from > 0 && n->config.trim[packet->trimmed_from - 1].skips_ingress;
    if (n->scheme != NULL && n->scheme->admit_lossy != NULL && !unasked)
        veto = n->scheme->admit_lossy(n, input.i, arrival);
    enum weir_reason reason = n->policy->admit(n, arrival);
    if (veto != WEIR_REASON_NONE)
        return veto;
    if (naive_need(n, arrival->account, arrival->cells) == 0)
        return WEIR_REASON_NONE; /* its private minimum is the account's own, whatever the policy says */
    if (reason == WEIR_REASON_NONE && !naive_make_room(n, arrival))
        reason = WEIR_REASON_NO_ROOM;
    return reason;
}

/* What is refused may take the place of the newest packet of its account. */
static bool naive_displace(struct weir_naive *n, const struct weir_arrival *arrival)
{
    uint32_t chance = n->config.trim[arrival->tc.i].newest, at = naive_find(n, arrival->account, true);
    if (naive_is_lossless(n, arrival->tc.i) || (n->scheme != NULL && n->scheme->admit_lossy != NULL) ||
        at == n->packet_count || n->packet[at].cells < arrival->cells ||
        weir_hash(~n->config.seed, arrival->index) % WEIR_TRIM_CHANCES >= chance)
        return false;
    naive_lose(n, at, WEIR_CAUSE_PUSHOUT, arrival->now);
    return true;
}

static void naive_enqueue(struct weir_naive *n, const struct weir_arrival *arrival, const struct weir_packet *packet)
{
    struct weir_event event = naive_event(n, arrival->account, arrival->cells, arrival->now);
    n->packet[n->packet_count++] =
        (struct naive_packet){arrival->account, (uint32_t)arrival->index, packet->bytes, arrival->cells, packet->input,
                              packet->flags,    packet->trimmed_from};
    naive_measure(n);
    if (naive_is_lossless(n, arrival->tc.i)) {
        if (n->scheme->on_enqueue != NULL)
            n->scheme->on_enqueue(n, packet->input.i, arrival->tc.i, arrival->now);
    } else if (n->policy->on_enqueue != NULL) {
        n->policy->on_enqueue(n, &event);
    }
}

struct weir_naive_result weir_naive_arrive(struct weir_naive *naive, const struct weir_packet *packet, weir_ps now)
{
    if (packet->output.i >= naive->config.ports || packet->tc.i >= naive->config.classes ||
        (naive->scheme != NULL && packet->input.i >= weir_mmu_inputs(&naive->config)))
        return (struct weir_naive_result){.reason = WEIR_REASON_INVALID};
    if (!naive_is_due(naive, packet))
        return (struct weir_naive_result){.reason = WEIR_REASON_INVALID};
    struct weir_arrival arrival = {
        .now = now,
        .index = naive->arrivals++,
        .account = {packet->tc.i * naive->config.ports + packet->output.i},
        .port = packet->output,
        .tc = packet->tc,
        .cells = weir_cells_for_bytes(packet->bytes, naive->config.cell_bytes),
        .flags = packet->flags,
    };
    naive_begin(naive, now);
    if (naive->config.egress->needs & WEIR_NEED_FLOW &&
        (naive->policy->asks_lossless || !naive_is_lossless(naive, packet->tc.i)))
        arrival.flow = naive_see_flow(naive, packet, now);
    enum weir_reason reason = naive_admit(naive, &arrival, packet);
    if (reason != WEIR_REASON_NONE && naive_displace(naive, &arrival))
        reason = WEIR_REASON_NONE;
    if (reason == WEIR_REASON_NONE) {
        naive_enqueue(naive, &arrival, packet);
    } else if (naive->policy->on_drop != NULL && !naive_is_lossless(naive, packet->tc.i)) {
        struct weir_event event = naive_event(naive, arrival.account, arrival.cells, now);
        event.cause = WEIR_CAUSE_REFUSED;
        event.reason = reason;
        naive->policy->on_drop(naive, &event);
    }
    if (reason != WEIR_REASON_NONE) {
        const struct naive_packet refused = {.bytes = packet->bytes,
                                             .input = packet->input,
                                             .flags = packet->flags,
                                             .trimmed_from = packet->trimmed_from};
        naive_trim(naive, arrival.account, &refused, WEIR_CAUSE_REFUSED);
    }
    naive_pause_after_arrival(naive, packet->input.i, packet->tc.i);
    if (naive->lost_count > 0)
        naive_pause_after_leaving(naive);
    struct weir_naive_result result = naive_result(naive);
    result.accepted = reason == WEIR_REASON_NONE;
    result.reason = reason;
    return result;
}

struct weir_naive_result weir_naive_leave(struct weir_naive *naive, weir_account account, weir_ps now)
{
    naive_begin(naive, now);
    uint32_t head = naive_find(naive, account, false);
    if (head == naive->packet_count) /* the port's choice does not exist here: neither sent nor lost */
        return naive_result(naive);
    struct naive_packet packet = naive->packet[head];
    struct weir_question question = {.why = WEIR_WHY_DEQUEUE, .now = now, .leaving = account};
    struct naive_port *port = &naive->port[naive->account[account.i].port.i];
    /* After as many drops as one call may make the port sends unasked: it has backlog and must not stand still. */
    bool drop =
        port->drops < naive->config.evictions_max && weir_account_is(naive_ask(naive, &question).account, account);
    port->drops = drop ? port->drops + 1 : 0;
    if (drop) {
        naive_lose(naive, head, WEIR_CAUSE_DEQUEUE, now);
    } else {
        naive_remove(naive, head);
        naive_memory_read(naive, &packet, now);
        naive->account[account.i].sent_cells += packet.cells;
        struct weir_event event = naive_event(naive, account, packet.cells, now);
        if (naive->policy->on_dequeue != NULL && !naive_is_lossless(naive, event.tc.i))
            naive->policy->on_dequeue(naive, &event);
    }
    naive_pause_after_leaving(naive);
    struct weir_naive_result result = naive_result(naive);
    result.sent = !drop;
    result.index = packet.index;
    return result;
}

void weir_naive_idle(struct weir_naive *naive, weir_port port, weir_ps now)
{
    if (port.i >= naive->config.ports)
        return;
    naive_begin(naive, now);
    naive->port[port.i].drops = 0;
    bool empty = true;
    for (uint32_t i = 0; i < naive->packet_count; i++)
        empty &= naive->account[naive->packet[i].account.i].port.i != port.i;
    if (empty && naive->policy->on_idle != NULL)
        naive->policy->on_idle(naive, port, now);
}

struct weir_naive_result weir_naive_offer_expel(struct weir_naive *naive, weir_ps now)
{
    struct weir_question question = {.why = WEIR_WHY_EXPEL, .now = now};
    naive_begin(naive, now);
    while (naive->lost_count < naive->config.evictions_max) {
        struct weir_victim victim = naive_ask(naive, &question);
        if (weir_account_is(victim.account, WEIR_NO_ACCOUNT))
            break;
        uint32_t at = naive_find(naive, victim.account, victim.tail);
        struct naive_packet packet = naive->packet[at];
        if (!naive_memory_spare(naive, &packet, now))
            break;
        naive_memory_read(naive, &packet, now);
        naive_lose(naive, at, WEIR_CAUSE_EXPELLED, now);
    }
    if (naive->lost_count > 0)
        naive_pause_after_leaving(naive);
    return naive_result(naive);
}

struct weir_naive_result weir_naive_flush_classes(struct weir_naive *naive, weir_port port, uint32_t class_mask,
                                                  weir_ps now)
{
    if (port.i >= naive->config.ports)
        return (struct weir_naive_result){.reason = WEIR_REASON_INVALID};
    naive_begin(naive, now);
    for (uint32_t tc = 0; tc < naive->config.classes; tc++) {
        if (!(class_mask >> tc & 1))
            continue;
        weir_account account = {tc * naive->config.ports + port.i};
        uint32_t head = naive_find(naive, account, false);
        while (head < naive->packet_count && naive->lost_count < naive->config.evictions_max) {
            naive_lose(naive, head, WEIR_CAUSE_FLUSHED, now);
            head = naive_find(naive, account, false);
        }
    }
    if (naive->lost_count > 0)
        naive_pause_after_leaving(naive);
    return naive_result(naive);
}

void weir_naive_change(struct weir_naive *naive, const struct weir_values *values, weir_ps now)
{
    naive_begin(naive, now);
    naive->values = *values;
    naive_pause_test_all(naive);
}

void weir_naive_change_ingress(struct weir_naive *naive, const struct weir_values *values, weir_ps now)
{
    naive_begin(naive, now);
    naive->ingress_values = *values;
    naive_pause_test_all(naive);
}
