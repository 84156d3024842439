/*
 * uet_credit.c - RCCC, the receiver's credit of Ultra Ethernet: a NIC asks for no more than its link can take.
 *
 * A sender begins with the credit of a window, which the first feedback of any kind ends. Each data packet says up to
 * where it wants credit, in quanta of 256 B since the start of the flow:
 *
 *   target = granted + min(backlog [, window + packet with NSCC], largest window) - credit, divided by the flows that
 *            wait at its NIC, rounded up
 *
 * The NIC of the receiver grants `credit_bytes` at a time, not beyond the target, to the flows that want some in turn;
 * a grant of b bytes lets the next one leave b / (credit_rate C) later, one of nothing that of 1024 bytes. When no flow
 * wants credit, those that have what they wanted get it unasked in turn, up to the largest window. A trim puts its flow
 * back among those that want some: its next grant may be of nothing, which tells the sender to go on.
 *
 * `oversubscribed` slows the pacer down to a rate r of its own, credit_least .. 1. Each 1.5 L, times 0.75 to 1.25, with
 * f the part of marked packets among whole ones:
 *
 *   g = (g + f) / 2;   r -= packets trimmed before the last hop / packets;   if g > 0.3: r *= 1 - (g - 0.3) / 2
 *   neither: r += 0.01, and without any mark 0.01 * 2^k, where k counts these rounds since the last decrease
 */
#include "sim/transport/uet.h"

#define UET_EMPTY_BYTES 1024u /* a grant of nothing takes as long as one of so many */
#define UET_ROUND_FACTOR 1.5
#define UET_MARKED_TARGET 0.3
#define UET_RISE 0.01
#define UET_RISES_MAX 30u

/* Above it, in quanta; negative: below. */
static int32_t above(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

uint32_t uet_credit_target(const struct uet_sender *s, const struct uet_params *params, int64_t backlog, uint32_t full,
                           uint32_t sending)
{
    const struct uet_more *more = s->more;
    int64_t wanted = backlog;
    if (params->control == UET_BOTH && wanted > s->window + (int64_t)full)
        wanted = s->window + (int64_t)full;
    if (wanted > more->credit_most)
        wanted = more->credit_most;
    wanted -= more->credit;
    if (s->speculating && wanted < (int64_t)full && backlog > 0)
        wanted = full;
    if (sending > 1)
        wanted /= sending;
    int64_t target = (int64_t)more->pull * UET_QUANTUM + wanted;
    return (uint32_t)((target + UET_QUANTUM - 1) / UET_QUANTUM);
}

static void list_append(struct uet_list *list, struct flow *flow)
{
    uet_receiver(flow)->next = NULL;
    if (list->head)
        uet_receiver(list->tail)->next = flow;
    else
        list->head = flow;
    list->tail = flow;
}

static struct flow *list_take(struct uet_list *list)
{
    struct flow *flow = list->head;
    list->head = uet_receiver(flow)->next;
    return flow;
}

static void list_remove(struct uet_list *list, struct flow *flow)
{
    struct flow *before = NULL, *at = list->head;
    for (; at && at != flow; at = uet_receiver(at)->next)
        before = at;
    if (!at)
        return;
    if (before)
        uet_receiver(before)->next = uet_receiver(at)->next;
    else
        list->head = uet_receiver(at)->next;
    if (list->tail == at)
        list->tail = before;
}

/* Makes sure that somebody's timer is the pacer's, or lets it rest. */
static void pacer_wait(struct host *host, struct uet_nic *nic, weir_ps now)
{
    struct flow *flow = nic->active.head ? nic->active.head : nic->idle.head;
    nic->waits = flow;
    if (flow)
        host_receiver_timer(host, flow, nic->next_ps > now ? nic->next_ps : now);
}

void uet_credit_ask(struct host *host, struct flow *flow, uint32_t target, bool always, weir_ps now)
{
    struct uet_nic *nic = uet_nic(host);
    struct uet_receiver *r = uet_receiver(flow);
    bool more = above(target, r->target) > 0;
    if (!nic)
        return;
    if (more)
        r->target = target;
    if ((!more && !always) || r->active)
        return;
    if (r->idle)
        list_remove(&nic->idle, flow);
    r->idle = false;
    r->active = true;
    list_append(&nic->active, flow);
    if (!nic->waits)
        pacer_wait(host, nic, now);
}

void uet_credit_leave(struct host *host, struct flow *flow, weir_ps now)
{
    struct uet_nic *nic = uet_nic(host);
    struct uet_receiver *r = uet_receiver(flow);
    if (!nic)
        return;
    if (r->active || r->idle)
        list_remove(r->active ? &nic->active : &nic->idle, flow);
    r->active = r->idle = false;
    if (nic->waits == flow)
        pacer_wait(host, nic, now);
}

/* Rounds that are over, with what came since the last one. */
static void rounds_pass(struct host *host, const struct uet_params *params, weir_ps now)
{
    struct uet_nic *nic = uet_nic(host);
    weir_ps rtt = params->network_rtt_ps ? params->network_rtt_ps : host_base_rtt(host);
    if (!nic->started) {
        nic->started = true;
        nic->rate = 1;
        nic->round_ps = now - now % (weir_ps)(UET_ROUND_FACTOR * (double)rtt);
    }
    while (nic->round_ps <= now) {
        uint32_t whole = nic->received - nic->cut;
        bool falls = nic->cut_before > 0;
        nic->congested = (nic->congested + (whole ? (double)nic->marked / whole : 0)) / 2;
        if (falls)
            nic->rate -= (double)nic->cut_before / nic->received;
        if (nic->congested > UET_MARKED_TARGET) {
            nic->rate *= 1 - (nic->congested - UET_MARKED_TARGET) / 2;
            falls = true;
        }
        if (!falls)
            nic->rate += nic->marked ? UET_RISE : UET_RISE * (double)(1u << nic->rises);
        nic->rises = falls ? 0 : nic->rises < UET_RISES_MAX ? nic->rises + 1 : nic->rises;
        nic->rate = nic->rate < params->credit_least ? params->credit_least : nic->rate > 1 ? 1 : nic->rate;
        nic->received = nic->marked = nic->cut = nic->cut_before = 0;
        double part = (double)(weir_hash(host_seed(host), nic->rounds++) >> 11) / (double)(UINT64_C(1) << 53);
        nic->round_ps += (weir_ps)(UET_ROUND_FACTOR * (double)rtt * (0.75 + part / 2));
    }
}

void uet_credit_watch(struct host *host, const struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct uet_nic *nic = uet_nic(host);
    if (!nic)
        return;
    rounds_pass(host, uet_params(flow->seen.transport), now);
    nic->received++;
    if (!(packet->flags & PACKET_TRIMMED)) {
        nic->marked += (packet->flags & PACKET_MARKED) != 0;
        return;
    }
    nic->cut++;
    nic->cut_before += !(packet->flags & PACKET_LAST_HOP);
}

/* Quanta of the next grant of a flow that wants credit: not above its target, and never less than it has. */
static uint32_t grant(struct uet_receiver *r, uint32_t quanta)
{
    int32_t left = above(r->target, r->granted);
    uint32_t granted = left <= 0 ? 0 : (uint32_t)left < quanta ? (uint32_t)left : quanta;
    r->granted += granted;
    return granted;
}

void uet_credit_act(struct host *host, struct flow *flow, weir_ps now)
{
    struct uet_nic *nic = uet_nic(host);
    const struct uet_params *params = uet_params(flow->seen.transport);
    if (!nic || nic->waits != flow)
        return;
    const uint32_t quanta = (uint32_t)(params->credit_bytes / UET_QUANTUM);
    struct flow *served = list_take(nic->active.head ? &nic->active : &nic->idle);
    struct uet_receiver *r = uet_receiver(served);
    uint32_t granted = quanta;
    if (r->active) {
        granted = grant(r, quanta);
        r->active = above(r->target, r->granted) > 0;
        r->idle = !r->active;
    } else {
        r->granted += quanta;
        r->idle =
            above(r->granted, r->target) < uet_window_most(host_rate(host), host_base_rtt(host)) / (int32_t)UET_QUANTUM;
    }
    if (r->active || r->idle)
        list_append(r->active ? &nic->active : &nic->idle, served);
    struct packet *pull = host_feedback(host, served);
    if (pull) {
        pull->flags |= PACKET_ENTROPY;
        pull->entropy = (uint16_t)(nic->pulls++ % params->entropies);
        pull->kind = PACKET_PULL;
        pull->uet.pull = r->granted;
        pull->sent_ps = now;
        pull->segment = pull->ack = 0;
        host_send(host, pull);
        host_count(host, flow->seen.tag, HOST_PULLS);
    }
    if (params->oversubscribed)
        rounds_pass(host, params, now);
    double bytes = granted ? granted * (double)UET_QUANTUM : UET_EMPTY_BYTES;
    double rate = (double)host_rate(host) * params->credit_rate * (params->oversubscribed ? nic->rate : 1);
    nic->next_ps = now + (weir_ps)(bytes * 8 * (double)WEIR_PS_PER_S / rate);
    pacer_wait(host, nic, now);
}
