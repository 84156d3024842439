/*
 * mmu_check.c - every invariant of an MMU, recomputed from scratch. Slow; for tests and checking builds.
 */
#include "mmu_internal.h"
#include "trace_internal.h"

#ifdef WEIR_CHECKS
#undef NDEBUG /* else glibc does not declare what ends the program */
#include <assert.h>
#endif

/* One account's descriptor queue: links, order, and the counters that sum it up. */
static const char *check_account(const struct weir_mmu *m, weir_account account)
{
    const struct weir_account_state *a = &m->egress.account[account.i];
    uint32_t packets = 0, prev = WEIR_NO_DESCRIPTOR;
    weir_cells cells = 0;
    for (uint32_t d = a->head; d != WEIR_NO_DESCRIPTOR; d = m->descriptor[d].next) {
        if (prev != WEIR_NO_DESCRIPTOR && m->descriptor[d].prev != prev)
            return "queue: a link does not point back";
        if (prev != WEIR_NO_DESCRIPTOR && (int32_t)(m->descriptor[d].index - m->descriptor[prev].index) <= 0)
            return "queue: packets of an account are out of order";
        cells += m->descriptor[d].cells;
        prev = d;
        if (++packets > m->packets_max)
            return "queue: a cycle";
    }
    if (packets > 0 && prev != a->tail)
        return "queue: the tail is not the last packet";
    if (packets != a->packets || cells != a->held.cells)
        return "account: its counters do not match its queue";
    return NULL;
}

/* One side's accounts and ports against each other and against what they charge to the pools. */
static const char *check_side(const struct weir_side *side, struct weir_pools *sum, bool ingress)
{
    const struct weir_geometry *g = &side->view.geometry;
    for (uint32_t port = 0; port < g->ports; port++) {
        weir_cells cells = 0, shared = 0, headroom = 0;
        uint32_t backlog = 0;
        for (uint32_t tc = 0; tc < g->classes; tc++) {
            const struct weir_account_state *a = &side->account[tc * g->ports + port];
            if (a->held.cells < 0 || a->held.shared_cells < 0 || a->held.headroom_cells < 0)
                return "account: negative";
            bool governs = (g->lossless_mask >> tc & 1) == ingress;
            weir_cells private = a->held.cells - a->held.shared_cells - a->held.headroom_cells;
            if (governs && (private < 0 || private > a->held.private_limit))
                return "account: more private cells than its minimum";
            if (governs && a->held.shared_cells > 0 && private < a->held.private_limit)
                return "account: shared cells before the private minimum is full";
            if (!governs && (a->held.shared_cells || a->held.headroom_cells))
                return "account: charged on the side that does not govern it";
            if (a->peak_cells < a->held.cells)
                return "account: peak below the present";
            if (ingress &&
                (a->peak_shared_cells < a->held.shared_cells || a->peak_headroom_cells < a->held.headroom_cells))
                return "account: shared or headroom peak below the present";
            cells += a->held.cells;
            shared += a->held.shared_cells;
            headroom += a->held.headroom_cells;
            backlog |= (uint32_t)(a->packets > 0) << tc;
        }
        if (cells != side->port[port].cells || backlog != side->port[port].backlog_mask)
            return "port: its sums do not match its accounts";
        if (shared != side->port[port].shared_cells || (ingress && headroom != side->port[port].headroom_cells))
            return "port: its shared or headroom cells do not match its accounts";
        sum->used_cells += cells;
        sum->shared_cells += shared;
        sum->headroom_cells += headroom;
    }
    return NULL;
}

static const char *check_pools(const struct weir_mmu *m)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    struct weir_pools egress = {0}, ingress = {0};
    const char *problem = check_side(&m->egress, &egress, false);
    if (!problem && m->ingress.policy)
        problem = check_side(&m->ingress, &ingress, true);
    if (problem)
        return problem;
    if (egress.used_cells != m->pools.used_cells || (m->ingress.policy && ingress.used_cells != egress.used_cells))
        return "pools: occupancy does not match the accounts";
    if (egress.shared_cells + ingress.shared_cells != m->pools.shared_cells ||
        egress.headroom_cells + ingress.headroom_cells != m->pools.headroom_cells)
        return "pools: shared or headroom does not match the accounts";
    if (m->pools.used_cells > g->buffer_cells || m->pools.shared_cells > g->shared_cells ||
        m->pools.headroom_cells > g->headroom_cells)
        return "pools: more used than there is";
    return NULL;
}

/* What is paused, in its three forms; and no input sleeps that could resume. */
static const char *check_pauses(const struct weir_mmu *m)
{
    uint32_t paused = 0;
    for (uint32_t i = 0; i < m->ingress.view.geometry.ports; i++) {
        const struct weir_port_state *p = &m->ingress.port[i];
        bool is_paused = p->paused_mask || p->paused;
        if (p->paused_mask & ~m->ingress.view.geometry.lossless_mask)
            return "pauses: a lossy class is paused";
        if ((m->paused_input[i / 64] >> i % 64 & 1) != is_paused)
            return "pauses: the set of paused inputs is not what their ports say";
        if (is_paused && m->resume_cells[i] > m->wake_cells)
            return "pauses: an input could resume before any is looked at";
        paused += is_paused;
    }
    return paused == m->paused_inputs ? NULL : "pauses: their number does not match the ports";
}

/* What left an ingress account left a queue, by its port or otherwise. */
static const char *check_sent(const struct weir_mmu *m)
{
    int64_t cells = 0, lost = 0;
    uint64_t packets = 0, bytes = 0; /* ingress less egress: 0 in the end, whatever wraps */
    for (uint32_t i = 0; i < m->ingress.view.geometry.accounts; i++) {
        packets += m->ingress.account[i].sent_packets;
        cells += m->ingress.account[i].held.sent_cells;
        bytes += m->ingress.account[i].sent_bytes;
    }
    for (uint32_t i = 0; i < m->egress.view.geometry.accounts; i++) {
        packets -= m->egress.account[i].sent_packets;
        cells -= m->egress.account[i].held.sent_cells;
        bytes -= m->egress.account[i].sent_bytes;
        for (uint32_t cause = WEIR_CAUSE_REFUSED + 1; cause < WEIR_CAUSE_COUNT; cause++)
            lost += (int64_t)m->tally[i].dropped[cause];
    }
    bool alike = packets == (uint64_t)lost && (lost > 0 || (cells == 0 && bytes == 0));
    return alike ? NULL : "account: what left the ingress side did not leave the queues";
}

static const char *check_descriptors(const struct weir_mmu *m)
{
    uint32_t free = 0;
    if (m->fresh > m->packets_max)
        return "descriptors: more used than there are";
    for (uint32_t d = m->free_head; d != WEIR_NO_DESCRIPTOR; d = m->descriptor[d].next)
        if (d >= m->fresh || ++free > m->fresh)
            return "descriptors: a cycle in the free list";
    return free + m->packets == m->fresh ? NULL : "descriptors: some are lost or doubled";
}

/* Every copy that an account's packets left was sent, lost, or is queued at its port. */
static const char *check_trims(const struct weir_mmu *m)
{
    const struct weir_geometry *g = &m->egress.view.geometry;
    for (uint32_t i = 0; i < g->accounts; i++) {
        uint64_t queued = 0;
        uint32_t port = weir_account_port(g, (weir_account){i}).i, tc = weir_account_class(g, (weir_account){i}).i;
        for (uint32_t other = port; m->trim[tc].bytes && other < g->accounts; other += g->ports)
            for (uint32_t d = m->egress.account[other].head; d != WEIR_NO_DESCRIPTOR; d = m->descriptor[d].next)
                queued += m->descriptor[d].trimmed_from == tc + 1;
        if (m->tally[i].trimmed != m->tally[i].sent_trimmed + m->tally[i].dropped_trimmed + queued)
            return "trimming: copies are lost sight of";
    }
    return NULL;
}

/* A tree that is behind must still be a tree. */
static const char *check_order(const struct weir_mmu *m)
{
    const struct weir_order *t = &m->order;
    const struct weir_geometry *g = &m->egress.view.geometry;
    if (t->patience > t->leaves)
        return "tree: more patience than leaves";
    for (uint32_t i = 0; t->patience > 0 && i < g->accounts; i++) {
        uint32_t tc = weir_account_class(g, (weir_account){i}).i;
        uint32_t leaf = (tc << t->port_bits) + weir_account_port(g, (weir_account){i}).i;
        if (t->node[t->leaves + leaf] != m->egress.account[i].held.shared_cells)
            return "tree: a key is not its account's shared cells";
    }
    for (uint32_t at = 1; at < t->leaves; at++) {
        int64_t left = t->node[2 * at], right = t->node[2 * at + 1];
        if (t->node[at] != (left > right ? left : right))
            return "tree: a node is not the larger of its children";
    }
    return NULL;
}

static const char *check_sorted(const struct weir_mmu *m)
{
    const struct weir_view *v = &m->egress.view;
    for (uint32_t rank = 0; rank < m->sorted.count; rank++) {
        uint32_t account = m->sorted.order[rank];
        const struct weir_rank_run *run = weir_view_run(v, rank);
        if (m->sorted.rank_of[account] != rank)
            return "sorted: order and rank disagree";
        if (run->length != m->egress.account[account].held.shared_cells)
            return "sorted: a run has not the length of its accounts";
        if (rank < run->first || rank >= run->first + run->count)
            return "sorted: an account is not where its run is";
        if (rank > 0 && weir_view_run(v, rank - 1) != run && weir_view_run(v, rank - 1)->length <= run->length)
            return "sorted: out of order, or equal accounts in two runs";
    }
    return NULL;
}

const char *weir_mmu_check(const struct weir_mmu *m)
{
    const char *problem = NULL;
    uint32_t packets = 0;
    for (uint32_t i = 0; !problem && i < m->egress.view.geometry.accounts; i++) {
        problem = check_account(m, (weir_account){i});
        packets += m->egress.account[i].packets;
    }
    if (!problem && packets != m->packets)
        problem = "queues: packets do not add up";
    if (!problem)
        problem = check_pools(m);
    if (!problem && m->ingress.policy)
        problem = check_pauses(m);
    if (!problem && m->ingress.policy)
        problem = check_sent(m);
    if (!problem)
        problem = check_descriptors(m);
    if (!problem && m->trims)
        problem = check_trims(m);
    if (!problem && m->order.node)
        problem = check_order(m);
    if (!problem && weir_flow_table_fault(&m->flows))
        problem = "flows: an entry is not in its set, is there twice or counts nothing";
    if (!problem)
        problem = check_sorted(m);
    return problem;
}

void weir_mmu_review(struct weir_mmu *m)
{
    if (m->trace && weir_trace_wants_hash(m->trace))
        weir_trace_hash(m->trace, weir_mmu_hash(m));
#ifdef WEIR_CHECKS
    /* A check visits every descriptor and account: after each call while these are few, else as seldom as they are
     * many. */
    if (++m->unchecked * 64 >= m->packets_max + m->egress.view.geometry.accounts) {
        const char *problem = weir_mmu_check(m);
        m->unchecked = 0;
        if (problem)
            __assert_fail(problem, __FILE__, __LINE__, __func__);
    }
#endif
}
