/*
 * naive_virtual.c - followlqd and credence: an LQD buffer in numbers beside the real one, whose lengths are the
 * thresholds of the real accounts.
 *
 * An arrival enters the virtual buffer first, taking cells from the longest virtual account if there is no room and
 * that one is longer. Virtual ports send along with the real ones while these send, and by themselves, a quantum at
 * a time at the port's rate, while these are idle; or (drain = dequeue) only what the real accounts send.
 */
#include "naive_internal.h"
#include "weir/oracle.h"

static weir_cells virtual_used(const struct weir_naive *n)
{
    weir_cells used = 0;
    for (uint32_t a = 0; a < n->account_count; a++)
        used += n->account[a].virtual_cells;
    return used;
}

static weir_cells virtual_backlog(const struct weir_naive *n, uint32_t port)
{
    weir_cells backlog = 0;
    for (uint32_t a = port; a < n->account_count; a += n->config.ports)
        backlog += n->account[a].virtual_cells;
    return backlog;
}

static uint32_t virtual_longest(const struct weir_naive *n)
{
    uint32_t longest = 0;
    for (uint32_t a = 1; a < n->account_count; a++)
        if (n->account[a].virtual_cells > n->account[longest].virtual_cells)
            longest = a;
    return longest;
}

static void virtual_arrive(struct weir_naive *n, const struct weir_arrival *arrival)
{
    struct naive_account *own = &n->account[arrival->account.i];
    struct naive_account *longest = &n->account[virtual_longest(n)];
    weir_cells over = virtual_used(n) + arrival->cells - naive_shared_size(n);
    if (over > 0 && (longest == own || longest->virtual_cells <= own->virtual_cells + arrival->cells))
        return;
    if (over > 0)
        longest->virtual_cells -= over;
    if (virtual_backlog(n, arrival->port.i) == 0)
        n->port[arrival->port.i].virtual.backlog_since_ps = arrival->now;
    own->virtual_cells += arrival->cells;
}

/* Takes up to `cells` from an account; returns what is left to take elsewhere. */
static weir_cells virtual_take(struct naive_account *account, weir_cells cells)
{
    weir_cells taken = account->virtual_cells < cells ? account->virtual_cells : cells;
    account->virtual_cells -= taken;
    return cells - taken;
}

/* When the port may next send by itself; never while it follows the real port or has nothing. */
static weir_ps virtual_next_ps(const struct weir_naive *n, uint32_t p)
{
    const struct naive_port *port = &n->port[p];
    if (port->virtual.locked || virtual_backlog(n, p) == 0)
        return WEIR_NEVER;
    return port->virtual.due_ps > port->virtual.backlog_since_ps ? port->virtual.due_ps
                                                                 : port->virtual.backlog_since_ps;
}

/* The first class with anything sends at most a quantum, starting at `start`. */
static void virtual_send_alone(struct weir_naive *n, uint32_t p, weir_ps start)
{
    uint32_t a = p;
    while (n->account[a].virtual_cells == 0)
        a += n->config.ports;
    weir_cells quantum = naive_space(n, "quantum", 0, 0);
    weir_cells sent = quantum - virtual_take(&n->account[a], quantum);
    naive_wide took_ps = (naive_wide)sent * n->config.cell_bytes * 8 * WEIR_PS_PER_S / n->port[p].rate_bps;
    n->port[p].virtual.due_ps = start + (took_ps > 0 ? (weir_ps)took_ps : 1);
}

static void virtual_on_time(struct weir_naive *n, weir_ps now)
{
    if (!naive_chooses(n, "drain", "rate"))
        return;
    for (uint32_t p = 0; p < n->config.ports; p++)
        while (virtual_next_ps(n, p) < now)
            virtual_send_alone(n, p, virtual_next_ps(n, p));
}

static void virtual_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    struct naive_account *own = &n->account[event->account.i];
    weir_cells left = virtual_take(own, event->cells);
    if (naive_chooses(n, "drain", "dequeue")) {
        if (own->cells == 0)
            own->virtual_cells = 0;
        return;
    }
    for (uint32_t a = event->port.i; a < n->account_count; a += n->config.ports)
        left = virtual_take(&n->account[a], left);
    n->port[event->port.i].virtual.locked = true;
}

/* A dead link loses LQD's packets too, and leaves the virtual port to itself. */
static void virtual_on_drop(struct weir_naive *n, const struct weir_event *event)
{
    struct naive_port *p = &n->port[event->port.i];
    if (event->cause != WEIR_CAUSE_FLUSHED)
        return;
    n->account[event->account.i].virtual_cells = 0;
    if (p->virtual.locked) {
        p->virtual.locked = false;
        p->virtual.due_ps = event->now;
    }
}

static void virtual_on_idle(struct weir_naive *n, weir_port port, weir_ps now)
{
    struct naive_port *p = &n->port[port.i];
    if (!naive_chooses(n, "drain", "rate"))
        return;
    if (p->virtual.locked) {
        p->virtual.locked = false;
        p->virtual.due_ps = now;
    }
    if (virtual_next_ps(n, port.i) <= now)
        virtual_send_alone(n, port.i, virtual_next_ps(n, port.i));
}

static bool virtual_over(const struct weir_naive *n, const struct weir_arrival *arrival)
{
    const struct naive_account *account = &n->account[arrival->account.i];
    weir_cells need = naive_need(n, arrival->account, arrival->cells);
    return account->shared_cells + need > account->virtual_cells;
}

static enum weir_reason followlqd_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    virtual_arrive(n, arrival);
    return virtual_over(n, arrival) ? WEIR_REASON_OVER_THRESHOLD : WEIR_REASON_NONE;
}

static bool credence_predicts_loss(const struct weir_naive *n, const struct weir_arrival *arrival)
{
    const struct naive_account *account = &n->account[arrival->account.i];
    int64_t cell_bytes = n->config.cell_bytes;
    int64_t feature[WEIR_FEATURE_COUNT] = {
        [WEIR_FEATURE_QUEUE] = account->cells * cell_bytes,
        [WEIR_FEATURE_QUEUE_AVERAGE] = (account->average_q8 * cell_bytes) >> 8,
        [WEIR_FEATURE_BUFFER] = n->used_cells * cell_bytes,
        [WEIR_FEATURE_BUFFER_AVERAGE] = (n->average_q8 * cell_bytes) >> 8,
    };
    return n->config.oracle->predict(n->config.oracle, arrival->index, feature);
}

/* While the longest account is below B / N all may enter; then the virtual length and the oracle decide. */
static enum weir_reason credence_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    virtual_arrive(n, arrival);
    weir_account longest = naive_longest(n, n->config.classes);
    weir_cells length = longest.i < n->account_count ? n->account[longest.i].shared_cells : 0;
    if (length * n->lossy_count < naive_shared_size(n))
        return WEIR_REASON_NONE;
    if (virtual_over(n, arrival))
        return WEIR_REASON_OVER_THRESHOLD;
    if (naive_need(n, arrival->account, arrival->cells) > naive_shared_free(n))
        return WEIR_REASON_NONE;
    return credence_predicts_loss(n, arrival) ? WEIR_REASON_PREDICTED : WEIR_REASON_NONE;
}

/* Moves an average towards the present cells by the share of tau that passed. */
static void credence_average(const struct weir_naive *n, int64_t *average_q8, weir_ps *last, weir_cells cells,
                             weir_ps now)
{
    weir_ps tau = naive_value(n, "tau", 0);
    weir_ps passed = now - *last < tau ? now - *last : tau;
    weir_q16 gain = passed * WEIR_Q16_ONE / tau;
    *average_q8 += ((cells * 256 - *average_q8) * gain) >> 16;
    *last = now;
}

static void credence_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    struct naive_account *account = &n->account[event->account.i];
    virtual_on_dequeue(n, event);
    credence_average(n, &account->average_q8, &account->average_ps, account->cells, event->now);
    credence_average(n, &n->average_q8, &n->average_ps, n->used_cells, event->now);
}

const struct naive_policy naive_followlqd = {
    .name = "followlqd",
    .on_time = virtual_on_time,
    .admit = followlqd_admit,
    .on_dequeue = virtual_on_dequeue,
    .on_drop = virtual_on_drop,
    .on_idle = virtual_on_idle,
};
const struct naive_policy naive_credence = {
    .name = "credence",
    .on_time = virtual_on_time,
    .admit = credence_admit,
    .on_dequeue = credence_on_dequeue,
    .on_drop = virtual_on_drop,
    .on_idle = virtual_on_idle,
};
