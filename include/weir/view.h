/*
 * view.h - what a policy may see of the MMU: a const window on the counters that the MMU owns.
 *
 * There is one view per side. On the egress side an account is (output port, class), on the ingress side (input
 * port, class); pools are shared by both. Accounts are numbered class by class: account = class * ports + port.
 *
 * Ordered views are kept only for the policies that ask through `needs`:
 *   longest  a tournament tree over the account lengths (see tournament.h): the longest account, the longest of a
 *            class, the next account above a threshold; each, and each change of a length, in O(log accounts), and
 *            nothing for changes while nobody asks;
 *   ranks    the accounts sorted by length, in runs of equal ones; a change costs the number of runs it passes.
 * There, the length of an account is what it holds of the shared pool: taking a packet from an account that lives in
 * its private minimum would make no room for anybody. Accounts of lossless classes are in no ordered view: they are
 * never victims.
 */
#ifndef WEIR_VIEW_H
#define WEIR_VIEW_H

#include "weir/tournament.h"
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

/* All that a packet changes of its account, in one cache line: a buffer has at most 2^31 - 1 cells, so that the less
 * used counts of cells do with 32 bits. */
struct weir_account_state {
    weir_cells cells;        /* occupied, in every pool: the queue length */
    weir_cells shared_cells; /* of these, charged to the shared pool */
    int32_t headroom_cells;  /* of these, charged to the headroom pool; the rest is private */
    int32_t private_limit;   /* the account's private minimum, cells */
    int64_t sent_cells;      /* transmitted since the start; ingress: left in any way, so that what has ever come in is
                              * sent_cells + cells. In the same time: */
    uint64_t sent_packets;
    uint64_t sent_bytes;
    int32_t peak_cells; /* highest `cells` since a watermark was last folded (counters.h) */
    uint32_t packets;   /* queued now */
    union {
        uint32_t head;             /* egress: the MMU's descriptor queue; not for policies */
        int32_t peak_shared_cells; /* ingress: of shared_cells, as peak_cells */
    };
    union {
        uint32_t tail;
        int32_t peak_headroom_cells; /* ingress: of headroom_cells */
    };
};

/* All that a packet changes of its port, in one cache line. */
struct weir_port_state {
    weir_bps rate_bps;
    weir_cells cells;        /* sum over the port's accounts */
    weir_cells shared_cells; /* of it, in the shared pool; ingress: charged by its lossless classes */
    int64_t sent_cells;      /* egress: transmitted since the start */
    uint32_t backlog_mask;   /* bit c: class c has a packet queued */
    uint32_t paused_mask;    /* egress: classes the peer has paused; ingress: classes we have paused */
    bool busy;               /* egress: a packet was sent, and no depart since has found the port without one */
    bool paused;             /* ingress: the whole port is paused (port-level flow control) */
    uint8_t unused[2];
    int32_t headroom_cells; /* ingress: of `cells`, in the headroom pool */
    uint8_t unused_too[16];
};

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

/*
 * The tournament over what the accounts hold of the shared pool. While somebody asks, each change climbs at once. When
 * nobody has asked for as many changes as there are leaves, changes are ignored and the next question builds the tree
 * anew: two steps per leaf, so never more than two for each of those changes. Only for the MMU and for the functions
 * below, which never show a tree that is behind. Leaf = class << port_bits | port.
 */
struct weir_tree {
    int64_t *node;     /* [2 * leaves], or null when there is no tree */
    uint32_t patience; /* so many more changes climb without a question; 0: the tree is behind, or there is none */
    uint32_t leaves;
    uint32_t port_bits;
    uint32_t class_root; /* the subtree of class c is rooted at this node + c */
};

struct weir_oracle;

struct weir_view {
    struct weir_geometry geometry;
    const struct weir_pools *pools;
    const struct weir_account_state *account; /* [accounts] */
    const struct weir_port_state *port;       /* [ports] */
    struct weir_tree *tree;                   /* brought up to date by who looks, or null when not asked for */
    const uint32_t *rank_order;               /* [rank] -> account index, longest first, or null */
    const uint32_t *rank_of;                  /* [account] -> rank */
    const uint32_t *rank_run_of;              /* [account] -> index into rank_run */
    const struct weir_rank_run *rank_run;
    const struct weir_oracle *oracle; /* for policies that need one, else null */
    const struct weir_uplink *uplink; /* [ports], ingress side only */
};

/* The mask of all of so many classes. */
static inline uint32_t weir_class_mask(uint32_t classes)
{
    return (uint32_t)((UINT64_C(1) << classes) - 1);
}

static inline weir_account weir_account_of(const struct weir_geometry *g, weir_port port, weir_class tc)
{
    return (weir_account){tc.i * g->ports + port.i};
}

static inline weir_port weir_account_port(const struct weir_geometry *g, weir_account account)
{
    return (weir_port){account.i % g->ports};
}

static inline weir_class weir_account_class(const struct weir_geometry *g, weir_account account)
{
    return (weir_class){account.i / g->ports};
}

/* What an account holds of the shared pool. */
static inline weir_cells weir_view_shared(const struct weir_view *v, weir_account account)
{
    return v->account[account.i].shared_cells;
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
    const struct weir_account_state *a = &v->account[account.i];
    weir_cells private_left = a->private_limit - (a->cells - a->shared_cells - a->headroom_cells);
    return private_left >= cells ? 0 : cells - private_left;
}

/* Room for `cells` more of this account: private first, then shared. */
static inline bool weir_view_has_room(const struct weir_view *v, weir_account account, weir_cells cells)
{
    return weir_view_shared_need(v, account, cells) <= weir_view_shared_free(v);
}

/* The run that a rank is in. */
static inline const struct weir_rank_run *weir_view_run(const struct weir_view *v, uint32_t rank)
{
    return &v->rank_run[v->rank_run_of[v->rank_order[rank]]];
}

static inline weir_account weir_view_leaf_account(const struct weir_view *v, uint32_t leaf)
{
    uint32_t tc = leaf >> v->tree->port_bits;
    return (weir_account){tc * v->geometry.ports + leaf - (tc << v->tree->port_bits)};
}

/* Builds the tree anew. */
void weir_view_rebuild(const struct weir_view *v);

/* The tree as it is now. */
static inline const struct weir_tree *weir_view_tree(const struct weir_view *v)
{
    struct weir_tree *t = v->tree;
    if (t->patience == 0)
        weir_view_rebuild(v);
    t->patience = t->leaves;
    return t;
}

/* What the longest account holds of the shared pool. */
static inline weir_cells weir_view_peak(const struct weir_view *v)
{
    return weir_view_tree(v)->node[1];
}

/* The account that holds most of the shared pool, lowest index first among equals; none while all hold nothing. */
static inline weir_account weir_view_longest(const struct weir_view *v)
{
    const struct weir_tree *t = weir_view_tree(v);
    if (t->node[1] == 0)
        return WEIR_NO_ACCOUNT;
    return weir_view_leaf_account(v, weir_tournament_winner(t->node, t->leaves, 1));
}

/* Shared cells of the longest account of a class; 0 when the class holds none or is lossless. */
static inline weir_cells weir_view_class_peak(const struct weir_view *v, weir_class tc)
{
    const struct weir_tree *t = weir_view_tree(v);
    return t->node[t->class_root + tc.i];
}

/* The longest account of a class, lowest index first among equals; none when the class holds none or is lossless. */
static inline weir_account weir_view_class_longest(const struct weir_view *v, weir_class tc)
{
    const struct weir_tree *t = weir_view_tree(v);
    if (t->node[t->class_root + tc.i] == 0)
        return WEIR_NO_ACCOUNT;
    return weir_view_leaf_account(v, weir_tournament_winner(t->node, t->leaves, t->class_root + tc.i));
}

/*
 * Going up cyclically from the account after `last`, the first whose shared cells are above its class's threshold; none
 * when no account is. `last` itself is looked at last. With WEIR_NO_ACCOUNT the search starts at account 0.
 */
weir_account weir_view_next_above(const struct weir_view *v, weir_account last, const weir_cells *class_threshold);

#ifdef __cplusplus
}
#endif

#endif
