/*
 * view.h - what a policy may see of the MMU: a const window on the counters that the MMU owns.
 *
 * There is one view per side. On the egress side an account is (output port, class), on the ingress side (input
 * port, class); pools are shared by both. Accounts are numbered class by class: account = class * ports + port.
 * Policies and hosts read through the functions below, each of which is one load after inlining.
 *
 * The MMU keeps ordered views only for policies that ask through `needs`:
 *   longest  a tournament tree over the account lengths: the longest account, the longest of a class, the next account
 *            above a threshold. A question and a change cost O(log accounts) each; changes cost nothing while there
 *            are no questions (lib/core/order.h);
 *   ranks    the accounts sorted by length, in runs of equal ones; a change costs the number of runs it passes.
 * In both, the length of an account is what it holds of the shared pool: taking a packet from an account that lives in
 * its private minimum makes no room for others. Accounts of lossless classes are in no ordered view: they are never
 * victims.
 */
#ifndef WEIR_VIEW_H
#define WEIR_VIEW_H

#include <assert.h>

#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_geometry {
    uint32_t ports;
    uint32_t classes;
    uint32_t accounts;       /* ports * classes */
    uint32_t lossy_accounts; /* of these, in lossy classes: those that share the pool */
    uint32_t cell_bytes;     /* bytes per cell */
    weir_cells buffer_cells; /* the whole memory: private + shared + headroom */
    weir_cells shared_cells; /* size of the shared pool */
    weir_cells headroom_cells;
    uint32_t lossless_mask; /* bit c: class c is lossless */
};

struct weir_pools {
    weir_cells used_cells;     /* of the whole memory */
    weir_cells shared_cells;   /* used of the shared pool */
    weir_cells headroom_cells; /* used of the headroom pool */
};

/* What an account holds, and what has left it. A buffer has at most 2^31 - 1 cells. */
struct weir_holding {
    weir_cells cells;        /* occupied, in every pool: the queue length */
    weir_cells shared_cells; /* of these, charged to the shared pool */
    int64_t sent_cells;      /* transmitted since the start; ingress: left in any way, so that what has ever come in is
                              * sent_cells + cells */
    int32_t headroom_cells;  /* of `cells`, charged to the headroom pool; the rest is private */
    int32_t private_limit;   /* the account's private minimum, cells */
};

#define WEIR_CACHE_LINE 64

/* A port. The MMU writes all of it for each packet, so it has a cache line to itself. */
struct weir_port_state {
    weir_bps rate_bps;
    weir_cells cells;        /* sum over the port's accounts */
    weir_cells shared_cells; /* of it, in the shared pool; ingress: charged by its lossless classes */
    int64_t sent_cells;      /* egress: transmitted since the start */
    uint32_t backlog_mask;   /* bit c: class c has a packet queued */
    uint32_t paused_mask;    /* egress: classes the peer has paused; ingress: classes we have paused */
    int32_t headroom_cells;  /* ingress: of `cells`, in the headroom pool */
    bool busy;               /* egress: a packet was sent, and no depart since has found the port without one */
    bool paused;             /* ingress: the whole port is paused (port-level flow control) */
} __attribute__((aligned(WEIR_CACHE_LINE)));

/* What is known of the link that feeds an input port; policies of the ingress side size headroom by it. */
struct weir_uplink {
    weir_cells headroom_cells; /* configured for each lossless queue: what may still arrive after a pause was decided */
    weir_ps delay_ps;          /* one way, as measured */
    uint32_t mtu_bytes;        /* largest packet, both ways */
    uint32_t least_bytes;      /* smallest packet; 0 as 1 */
    uint32_t gap_bytes;        /* on the wire between two packets, at least */
    uint32_t processing_bytes; /* from a PAUSE to its effect, at the rate of the link; less than 3840 as that */
};

/* Consecutive ranks whose accounts hold the same number of shared cells. */
struct weir_rank_run {
    uint32_t first, count;
    weir_cells length;
};

struct weir_oracle;
struct weir_order;

/* Read it through the functions below. */
struct weir_view {
    struct weir_geometry geometry;
    const struct weir_pools *pools;
    const unsigned char *accounts;      /* [accounts] cache lines, each of which begins with a weir_holding */
    const struct weir_port_state *port; /* [ports] */
    struct weir_order *order;           /* the MMU's, or null when the policy does not need it */
    const uint32_t *rank_order;         /* [rank] -> account index, longest first, or null */
    const uint32_t *rank_of;            /* [account] -> rank */
    const uint32_t *rank_run_of;        /* [account] -> index into rank_run */
    const struct weir_rank_run *rank_run;
    const struct weir_oracle *oracle; /* for policies that need one, else null */
    const struct weir_uplink *uplink; /* [ports], ingress side only */
};

/* The mask of all of so many classes. */
static inline uint32_t weir_class_mask(uint32_t classes)
{
    assert(classes <= WEIR_CLASSES_MAX);
    return (uint32_t)((UINT64_C(1) << classes) - 1);
}

static inline weir_account weir_account_of(const struct weir_geometry *g, weir_port port, weir_class tc)
{
    assert(port.i < g->ports && tc.i < g->classes);
    const weir_account account = {tc.i * g->ports + port.i};
    return account;
}

static inline weir_port weir_account_port(const struct weir_geometry *g, weir_account account)
{
    assert(account.i < g->accounts);
    const weir_port port = {account.i % g->ports};
    return port;
}

static inline weir_class weir_account_class(const struct weir_geometry *g, weir_account account)
{
    assert(account.i < g->accounts);
    const weir_class tc = {account.i / g->ports};
    return tc;
}

static inline const struct weir_holding *weir_view_account(const struct weir_view *v, weir_account account)
{
    assert(account.i < v->geometry.accounts);
    return (const struct weir_holding *)(const void *)(v->accounts + (size_t)account.i * WEIR_CACHE_LINE);
}

static inline const struct weir_port_state *weir_view_port(const struct weir_view *v, weir_port port)
{
    assert(port.i < v->geometry.ports);
    return &v->port[port.i];
}

/* The queue length: what an account holds in every pool. */
static inline weir_cells weir_view_length(const struct weir_view *v, weir_account account)
{
    return weir_view_account(v, account)->cells;
}

/* What an account holds of the shared pool, and of the headroom pool. */
static inline weir_cells weir_view_shared(const struct weir_view *v, weir_account account)
{
    return weir_view_account(v, account)->shared_cells;
}

static inline weir_cells weir_view_headroom(const struct weir_view *v, weir_account account)
{
    return weir_view_account(v, account)->headroom_cells;
}

/* What an account has sent since the start. */
static inline int64_t weir_view_sent(const struct weir_view *v, weir_account account)
{
    return weir_view_account(v, account)->sent_cells;
}

/* What is used of the whole memory, of the shared pool and of the headroom pool. */
static inline weir_cells weir_view_used(const struct weir_view *v)
{
    return v->pools->used_cells;
}

static inline weir_cells weir_view_shared_used(const struct weir_view *v)
{
    return v->pools->shared_cells;
}

static inline weir_cells weir_view_headroom_used(const struct weir_view *v)
{
    return v->pools->headroom_cells;
}

/* Free cells of the shared pool. */
static inline weir_cells weir_view_shared_free(const struct weir_view *v)
{
    return v->geometry.shared_cells - v->pools->shared_cells;
}

/* Cells that `cells` more of this account would take from the shared pool: what its private minimum does not cover.
 * Only for accounts that this side governs: of lossy classes on the egress, of lossless ones on the ingress side. */
static inline weir_cells weir_view_shared_need(const struct weir_view *v, weir_account account, weir_cells cells)
{
    const struct weir_holding *held = weir_view_account(v, account);
    assert(cells >= 0);
    weir_cells private_left = held->private_limit - (held->cells - held->shared_cells - held->headroom_cells);
    return private_left >= cells ? 0 : cells - private_left;
}

/* The link of an input port. */
static inline const struct weir_uplink *weir_view_uplink(const struct weir_view *v, weir_port port)
{
    assert(v->uplink && port.i < v->geometry.ports);
    return &v->uplink[port.i];
}

/* Ranks: 0 is the longest account. The run of a rank. */
static inline uint32_t weir_view_rank(const struct weir_view *v, weir_account account)
{
    assert(v->rank_of && account.i < v->geometry.accounts);
    return v->rank_of[account.i];
}

static inline const struct weir_rank_run *weir_view_run(const struct weir_view *v, uint32_t rank)
{
    assert(rank < v->geometry.lossy_accounts);
    return &v->rank_run[v->rank_run_of[v->rank_order[rank]]];
}

/* What the longest account holds of the shared pool. */
weir_cells weir_view_peak(const struct weir_view *v);

/* The account that holds most of the shared pool, lowest index first among equals; none while all hold nothing. */
weir_account weir_view_longest(const struct weir_view *v);

/* [classes]: shared cells of the longest account of each class; 0 when the class holds none or is lossless. Valid until
 * the next event. */
const weir_cells *weir_view_class_peaks(const struct weir_view *v);

/* The longest account of a class, lowest index first among equals; none when the class holds none or is lossless. */
weir_account weir_view_class_longest(const struct weir_view *v, weir_class tc);

/*
 * Going up cyclically from the account after `last`, the first whose shared cells are above its class's threshold; none
 * when no account is. `last` itself comes last. With WEIR_NO_ACCOUNT the search starts at account 0.
 */
weir_account weir_view_next_above(const struct weir_view *v, weir_account last, const weir_cells *class_threshold);

#ifdef __cplusplus
}
#endif

#endif
