/*
 * virtual_lqd.c - LQD as arithmetic on lengths, beside a policy that cannot push out.
 *
 * An arrival of c cells at account i, T being the virtual lengths, G their sum and B the shared pool:
 *
 *   over = G + c - B
 *   over <= 0                            T_i += c
 *   J = longest, J != i, T_J > T_i + c   T_J -= over, T_i += c
 *   else                                 nothing: LQD refuses the arrival
 *
 * Departures (drain=rate): a virtual port sends what its real port sends while that one is busy, and by itself, one
 * quantum after the other at the port's rate, while that one is idle. A real port may be idle where LQD's would not,
 * since the policy refused what LQD kept; a virtual queue that only followed real departures would then stand still.
 * A send by itself at time t happens after all arrivals of time t, so that a slotted host, in which arrivals come
 * before departures of the same slot, gets one virtual departure per port and slot. With drain=dequeue a virtual
 * queue is lowered by real departures alone and cleared when its real queue runs empty.
 *
 * Invariant: 0 <= T_i, sum of T = G <= B, and a port is in the tournament of sends exactly when it has virtual backlog
 * and is not in lockstep with its real port.
 */
#include <assert.h>
#include <string.h>

#include "virtual_lqd.h"
#include "weir/fixed.h"
#include "weir/tournament.h"

#define LOCKSTEP WEIR_NEVER /* due_ps of a port whose real port is sending */
#define NOT_DUE INT64_MIN   /* key of a port that sends nothing by itself */

struct virtual_port {
    weir_ps due_ps;        /* when it is free to send by itself; with backlog, when it will; or LOCKSTEP */
    uint32_t backlog_mask; /* bit c: the virtual queue of class c is not empty */
};

const char *const weir_virtual_lqd_drains[] = {"rate", "dequeue", NULL};

static struct virtual_port *virtual_lqd_port(struct weir_virtual_lqd *lqd, uint32_t port)
{
    return (struct virtual_port *)(lqd->node + lqd->derived.sends_at + 2 * (size_t)lqd->derived.port_leaves) + port;
}

size_t weir_virtual_lqd_size(const struct weir_geometry *geometry)
{
    return sizeof(struct weir_virtual_lqd) + 2 * (size_t)weir_next_power_of_two(geometry->accounts) * sizeof(int64_t) +
           2 * (size_t)weir_next_power_of_two(geometry->ports) * sizeof(int64_t) +
           geometry->ports * sizeof(struct virtual_port);
}

void weir_virtual_lqd_init(struct weir_virtual_lqd *lqd, const struct weir_geometry *geometry)
{
    memset(lqd, 0, weir_virtual_lqd_size(geometry));
    lqd->derived.limit_cells = geometry->shared_cells;
    lqd->derived.quantum_cells = 1;
    lqd->derived.ports = geometry->ports;
    lqd->derived.account_leaves = weir_next_power_of_two(geometry->accounts);
    lqd->derived.port_leaves = weir_next_power_of_two(geometry->ports);
    lqd->derived.sends_at = 2 * lqd->derived.account_leaves;
    lqd->derived.cell_bytes = geometry->cell_bytes;
    for (uint32_t i = 0; i < 2 * lqd->derived.port_leaves; i++)
        lqd->node[lqd->derived.sends_at + i] = NOT_DUE;
}

void weir_virtual_lqd_load(struct weir_virtual_lqd *lqd, const struct weir_values *values)
{
    lqd->params.drain = (uint32_t)values->of[VIRTUAL_LQD_DRAIN][0];
    lqd->derived.quantum_cells = weir_cells_for_bytes(values->of[VIRTUAL_LQD_QUANTUM][0], lqd->derived.cell_bytes);
}

weir_cells weir_virtual_lqd_length(const struct weir_virtual_lqd *lqd, weir_account account)
{
    return lqd->node[lqd->derived.account_leaves + account.i];
}

weir_cells weir_virtual_lqd_used(const struct weir_virtual_lqd *lqd)
{
    return lqd->vars.total_cells;
}

static void virtual_lqd_set_length(struct weir_virtual_lqd *lqd, weir_account account, weir_cells cells)
{
    assert(cells >= 0);
    struct virtual_port *port = virtual_lqd_port(lqd, account.i % lqd->derived.ports);
    uint32_t bit = UINT32_C(1) << (account.i / lqd->derived.ports);
    port->backlog_mask = cells > 0 ? port->backlog_mask | bit : port->backlog_mask & ~bit;
    lqd->vars.total_cells += cells - weir_virtual_lqd_length(lqd, account);
    weir_tournament_set(lqd->node, lqd->derived.account_leaves, account.i, cells);
}

/* Puts the port where its backlog and due time say; after any change of one of them. */
static void virtual_lqd_plan_send(struct weir_virtual_lqd *lqd, uint32_t port)
{
    const struct virtual_port *p = virtual_lqd_port(lqd, port);
    int64_t key = p->backlog_mask == 0 || p->due_ps == LOCKSTEP ? NOT_DUE : -p->due_ps;
    weir_tournament_set(lqd->node + lqd->derived.sends_at, lqd->derived.port_leaves, port, key);
}

/* Takes at most `cells` from an account. Returns how many it took. */
static weir_cells virtual_lqd_take(struct weir_virtual_lqd *lqd, weir_account account, weir_cells cells)
{
    weir_cells length = weir_virtual_lqd_length(lqd, account);
    weir_cells taken = cells < length ? cells : length;
    virtual_lqd_set_length(lqd, account, length - taken);
    return taken;
}

static weir_account virtual_lqd_first_account(struct weir_virtual_lqd *lqd, uint32_t port)
{
    assert(virtual_lqd_port(lqd, port)->backlog_mask != 0);
    uint32_t tc = (uint32_t)__builtin_ctz(virtual_lqd_port(lqd, port)->backlog_mask);
    return (weir_account){tc * lqd->derived.ports + port};
}

static weir_ps virtual_lqd_send_ps(const struct weir_virtual_lqd *lqd, weir_cells cells, weir_bps rate_bps)
{
    weir_ps time_ps = (weir_ps)((weir_wide)cells * lqd->derived.cell_bytes * 8 * WEIR_PS_PER_S / (weir_wide)rate_bps);
    return time_ps > 0 ? time_ps : 1;
}

/* The account has sent. */
static void virtual_lqd_move(const struct weir_virtual_lqd *lqd, const struct weir_virtual_lqd_averages *averages,
                             weir_account account, weir_ps now)
{
    if (averages == NULL)
        return;
    weir_average_move(&averages->account[account.i], weir_virtual_lqd_length(lqd, account), averages->tau_ps, now);
    weir_average_move(averages->buffer, lqd->vars.total_cells, averages->tau_ps, now);
}

/* One send of a port by itself, starting at its due time. */
static void virtual_lqd_send(struct weir_virtual_lqd *lqd, const struct weir_view *view,
                             const struct weir_virtual_lqd_averages *averages, uint32_t port)
{
    struct virtual_port *p = virtual_lqd_port(lqd, port);
    weir_account account = virtual_lqd_first_account(lqd, port);
    weir_cells sent = virtual_lqd_take(lqd, account, lqd->derived.quantum_cells);
    virtual_lqd_move(lqd, averages, account, p->due_ps);
    p->due_ps += virtual_lqd_send_ps(lqd, sent, weir_view_port(view, (weir_port){port})->rate_bps);
    virtual_lqd_plan_send(lqd, port);
}

void weir_virtual_lqd_catch_up(struct weir_virtual_lqd *lqd, const struct weir_view *view,
                               const struct weir_virtual_lqd_averages *averages, weir_ps now)
{
    const int64_t *sends = lqd->node + lqd->derived.sends_at;
    while (lqd->params.drain == VIRTUAL_LQD_BY_RATE && sends[1] > -now)
        virtual_lqd_send(lqd, view, averages, weir_tournament_winner(sends, lqd->derived.port_leaves, 1));
}

static void virtual_lqd_grow(struct weir_virtual_lqd *lqd, const struct weir_arrival *arrival)
{
    struct virtual_port *port = virtual_lqd_port(lqd, arrival->port.i);
    bool was_empty = port->backlog_mask == 0;
    virtual_lqd_set_length(lqd, arrival->account, weir_virtual_lqd_length(lqd, arrival->account) + arrival->cells);
    if (was_empty && port->due_ps < arrival->now)
        port->due_ps = arrival->now;
    if (was_empty)
        virtual_lqd_plan_send(lqd, arrival->port.i);
}

void weir_virtual_lqd_arrive(struct weir_virtual_lqd *lqd, const struct weir_view *view,
                             const struct weir_virtual_lqd_averages *averages, const struct weir_arrival *arrival)
{
    assert(arrival->cells > 0);
    weir_virtual_lqd_catch_up(lqd, view, averages, arrival->now);
    weir_cells over = lqd->vars.total_cells + arrival->cells - lqd->derived.limit_cells;
    if (over > 0) {
        weir_account longest = {weir_tournament_winner(lqd->node, lqd->derived.account_leaves, 1)};
        weir_cells longest_cells = weir_virtual_lqd_length(lqd, longest);
        /* The arrival counts in its own queue; a tie never evicts. The arrival's own account fails this test too. */
        if (longest_cells <= weir_virtual_lqd_length(lqd, arrival->account) + arrival->cells)
            return;
        virtual_lqd_set_length(lqd, longest, longest_cells - over);
    }
    assert(lqd->vars.total_cells + arrival->cells <= lqd->derived.limit_cells);
    virtual_lqd_grow(lqd, arrival);
}

/* The account sends at most `cells` now; returns how many. */
static weir_cells virtual_lqd_send_now(struct weir_virtual_lqd *lqd, const struct weir_virtual_lqd_averages *averages,
                                       weir_account account, weir_cells cells, weir_ps now)
{
    weir_cells sent = virtual_lqd_take(lqd, account, cells);
    if (sent > 0)
        virtual_lqd_move(lqd, averages, account, now);
    return sent;
}

/* The port sends `cells`, of this account first and then of its others in class order. */
static void virtual_lqd_follow(struct weir_virtual_lqd *lqd, const struct weir_virtual_lqd_averages *averages,
                               const struct weir_event *event)
{
    const struct virtual_port *port = virtual_lqd_port(lqd, event->port.i);
    weir_cells left = event->cells - virtual_lqd_send_now(lqd, averages, event->account, event->cells, event->now);
    while (left > 0 && port->backlog_mask != 0)
        left -= virtual_lqd_send_now(lqd, averages, virtual_lqd_first_account(lqd, event->port.i), left, event->now);
}

void weir_virtual_lqd_dequeue(struct weir_virtual_lqd *lqd, const struct weir_view *view,
                              const struct weir_virtual_lqd_averages *averages, const struct weir_event *event)
{
    if (lqd->params.drain == VIRTUAL_LQD_BY_DEQUEUE) {
        bool real_empty = weir_view_length(view, event->account) == 0;
        weir_cells cells = real_empty ? lqd->derived.limit_cells : event->cells;
        virtual_lqd_send_now(lqd, averages, event->account, cells, event->now);
    } else {
        weir_virtual_lqd_catch_up(lqd, view, averages, event->now);
        virtual_lqd_follow(lqd, averages, event);
        virtual_lqd_port(lqd, event->port.i)->due_ps = LOCKSTEP;
    }
    virtual_lqd_plan_send(lqd, event->port.i);
}

void weir_virtual_lqd_flush(struct weir_virtual_lqd *lqd, const struct weir_event *event)
{
    struct virtual_port *port = virtual_lqd_port(lqd, event->port.i);
    virtual_lqd_set_length(lqd, event->account, 0);
    if (port->due_ps == LOCKSTEP)
        port->due_ps = event->now;
    virtual_lqd_plan_send(lqd, event->port.i);
}

void weir_virtual_lqd_idle(struct weir_virtual_lqd *lqd, const struct weir_view *view,
                           const struct weir_virtual_lqd_averages *averages, weir_port port, weir_ps now)
{
    if (lqd->params.drain == VIRTUAL_LQD_BY_DEQUEUE)
        return;
    weir_virtual_lqd_catch_up(lqd, view, averages, now);
    struct virtual_port *p = virtual_lqd_port(lqd, port.i);
    if (p->due_ps == LOCKSTEP) {
        p->due_ps = now;
        virtual_lqd_plan_send(lqd, port.i);
    }
    /* This is the port's turn at `now`; arrivals of that moment are over for it. */
    if (p->backlog_mask != 0 && p->due_ps <= now)
        virtual_lqd_send(lqd, view, averages, port.i);
}
