/*
 * test_mmu_check.c - the invariants themselves: a whole MMU passes, and each kind of damage is found and named.
 */
#include "lib/core/mmu_internal.h"
#include "tests/support/fixture.h"
#include "tests/support/headroom_policy.h"

#define DAMAGE(name, ...)                                                                                              \
    static void damage_##name(struct weir_mmu *m)                                                                      \
    {                                                                                                                  \
        struct weir_account_state *a = &m->egress.account[0];                                                          \
        (void)a;                                                                                                       \
        __VA_ARGS__;                                                                                                   \
    }

/* Account 0 holds 60 and 50 cells, 10 of them private; the last account (port 1, class 1) holds 30. */
DAMAGE(link, m->descriptor[a->tail].prev = a->tail)
DAMAGE(order, m->descriptor[a->tail].index = m->descriptor[a->head].index)
DAMAGE(tail, a->tail = a->head)
DAMAGE(cells, a->held.cells++)
DAMAGE(packets, a->packets++)
DAMAGE(total, m->packets++)
DAMAGE(negative_shared, a->held.shared_cells = -1)
DAMAGE(negative_headroom, a->held.headroom_cells = -1)
DAMAGE(private_over, a->held.shared_cells -= 1)
DAMAGE(private_negative, a->held.shared_cells += 11)
DAMAGE(private_unused, a->held.shared_cells += 5)
DAMAGE(peak, a->peak_cells = a->held.cells - 1)
DAMAGE(port_cells, m->egress.port[0].cells++)
DAMAGE(port_backlog, m->egress.port[0].backlog_mask = 0)
DAMAGE(port_shared, m->egress.port[0].shared_cells++)
DAMAGE(pool_used, m->pools.used_cells++)
DAMAGE(pool_shared, m->pools.shared_cells++)
DAMAGE(pool_headroom, m->pools.headroom_cells++)
DAMAGE(buffer_size, m->egress.view.geometry.buffer_cells = 1)
DAMAGE(shared_size, m->egress.view.geometry.shared_cells = 1)
DAMAGE(headroom_size, m->egress.view.geometry.headroom_cells = -1)
DAMAGE(free_cycle, m->descriptor[m->free_head].next = m->free_head)
DAMAGE(fresh, m->fresh = m->packets_max + 1)
DAMAGE(free_lost, m->free_head = m->descriptor[m->free_head].next)
DAMAGE(tree_key, weir_view_longest(&m->egress.view); m->order.node[m->order.leaves]++)
DAMAGE(tree_behind, m->order.patience = 1) /* nobody has asked since the packets came */
DAMAGE(tree_node, m->order.node[1]++)
DAMAGE(tree_patience, m->order.patience = m->order.leaves + 1)
DAMAGE(rank_of, m->sorted.rank_of[0]++)
DAMAGE(run_length, m->sorted.run[m->sorted.run_of[0]].length++)
DAMAGE(run_first, m->sorted.run[m->sorted.run_of[0]].first++)
DAMAGE(run_count, m->sorted.run[m->sorted.run_of[0]].count = 0)
DAMAGE(ingress_negative, m->ingress.account[0].held.headroom_cells = -1)
DAMAGE(ingress_negative_cells, m->ingress.account[0].held.cells = -1)
DAMAGE(ingress_used, m->ingress.account[0].held.cells++; m->ingress.account[0].peak_cells += 2;
       m->ingress.port[0].cells++)

/* Input 0 holds 70 cells of class 1, shared, and 50 in headroom, and is paused. */
#define LOSSLESS_ACCOUNT 2 /* of input 0 */
DAMAGE(group_port_shared, m->ingress.port[0].shared_cells++)
DAMAGE(group_port_headroom, m->ingress.port[0].headroom_cells--)
DAMAGE(group_shared_peak, m->ingress.account[LOSSLESS_ACCOUNT].peak_shared_cells = 69)
DAMAGE(group_headroom_peak, m->ingress.account[LOSSLESS_ACCOUNT].peak_headroom_cells = 49)
DAMAGE(group_wrong_side, a += LOSSLESS_ACCOUNT; a->held.shared_cells = 1; m->egress.port[0].shared_cells++)
DAMAGE(pause_lossy, m->ingress.port[0].paused_mask |= 1)
DAMAGE(pause_set, m->paused_input[0] = 2)
DAMAGE(pause_sleeper, m->wake_cells = m->resume_cells[0] - 1)
DAMAGE(sent_packets, m->ingress.account[0].sent_packets++)
DAMAGE(sent_cells, m->ingress.account[0].held.sent_cells++)
DAMAGE(sent_bytes, m->egress.account[0].sent_bytes++)
DAMAGE(pause_number, m->paused_inputs++)

/* The two longest accounts, each its own run, change places. */
static void damage_run_order(struct weir_mmu *m)
{
    struct weir_sorted *r = &m->sorted;
    uint32_t longest = r->order[0], second = r->order[1];
    r->order[0] = second;
    r->order[1] = longest;
    r->rank_of[second] = r->run[r->run_of[second]].first = 0;
    r->rank_of[longest] = r->run[r->run_of[longest]].first = 1;
}

struct damage {
    const char *policy;
    void (*make)(struct weir_mmu *m);
    const char *expected;
};

static const struct damage damages[] = {
    {"cs", damage_link, "queue: a link does not point back"},
    {"cs", damage_order, "queue: packets of an account are out of order"},
    {"cs", damage_tail, "queue: the tail is not the last packet"},
    {"cs", damage_cells, "account: its counters do not match its queue"},
    {"cs", damage_packets, "account: its counters do not match its queue"},
    {"cs", damage_total, "queues: packets do not add up"},
    {"cs", damage_negative_shared, "account: negative"},
    {"cs", damage_negative_headroom, "account: negative"},
    {"cs", damage_private_over, "account: more private cells than its minimum"},
    {"cs", damage_private_negative, "account: more private cells than its minimum"},
    {"cs", damage_private_unused, "account: shared cells before the private minimum is full"},
    {"cs", damage_peak, "account: peak below the present"},
    {"cs", damage_port_cells, "port: its sums do not match its accounts"},
    {"cs", damage_port_backlog, "port: its sums do not match its accounts"},
    {"cs", damage_port_shared, "port: its shared or headroom cells do not match its accounts"},
    {"cs", damage_pool_used, "pools: occupancy does not match the accounts"},
    {"cs", damage_pool_shared, "pools: shared or headroom does not match the accounts"},
    {"cs", damage_pool_headroom, "pools: shared or headroom does not match the accounts"},
    {"cs", damage_buffer_size, "pools: more used than there is"},
    {"cs", damage_shared_size, "pools: more used than there is"},
    {"cs", damage_headroom_size, "pools: more used than there is"},
    {"cs", damage_free_cycle, "descriptors: a cycle in the free list"},
    {"cs", damage_fresh, "descriptors: more used than there are"},
    {"cs", damage_free_lost, "descriptors: some are lost or doubled"},
    {"lqd", damage_tree_key, "tree: a key is not its account's shared cells"},
    {"lqd", damage_tree_behind, "tree: a key is not its account's shared cells"},
    {"lqd", damage_tree_node, "tree: a node is not the larger of its children"},
    {"lqd", damage_tree_patience, "tree: more patience than leaves"},
    {"harmonic", damage_rank_of, "sorted: order and rank disagree"},
    {"harmonic", damage_run_length, "sorted: a run has not the length of its accounts"},
    {"harmonic", damage_run_first, "sorted: an account is not where its run is"},
    {"harmonic", damage_run_count, "sorted: an account is not where its run is"},
    {"harmonic", damage_run_order, "sorted: out of order, or equal accounts in two runs"},
    {"ingress", damage_ingress_negative, "account: negative"},
    {"ingress", damage_ingress_negative_cells, "account: negative"},
    {"ingress", damage_ingress_used, "pools: occupancy does not match the accounts"},
    {"lossless", damage_group_port_shared, "port: its shared or headroom cells do not match its accounts"},
    {"lossless", damage_group_port_headroom, "port: its shared or headroom cells do not match its accounts"},
    {"lossless", damage_group_shared_peak, "account: shared or headroom peak below the present"},
    {"lossless", damage_group_headroom_peak, "account: shared or headroom peak below the present"},
    {"lossless", damage_group_wrong_side, "account: charged on the side that does not govern it"},
    {"lossless", damage_pause_lossy, "pauses: a lossy class is paused"},
    {"lossless", damage_pause_set, "pauses: the set of paused inputs is not what their ports say"},
    {"lossless", damage_pause_sleeper, "pauses: an input could resume before any is looked at"},
    {"lossless", damage_pause_number, "pauses: their number does not match the ports"},
    {"lossless", damage_sent_packets, "account: what left the ingress side did not leave the queues"},
    {"lossless", damage_sent_cells, "account: what left the ingress side did not leave the queues"},
    {"ingress", damage_sent_bytes, "account: what left the ingress side did not leave the queues"},
};

static void build(struct fixture *f, const char *policy)
{
    bool lossless = strcmp(policy, "lossless") == 0, ingress = lossless || strcmp(policy, "ingress") == 0;
    fixture_config(f, 2, 2, 1000);
    f->config.private_cells[0] = 10;
    if (ingress)
        f->config.ingress = &headroom_policy;
    if (lossless) {
        f->config.lossless_mask = 2;
        f->config.headroom_cells = 300;
    }
    fixture_build(f, ingress ? "cs" : policy, NULL);
    fixture_fill(f, 0, 0, 60, 0);
    fixture_fill(f, 0, 0, 50, 0);
    fixture_fill(f, 1, 1, 20, 0);
    fixture_fill(f, 1, 1, 30, 0);
    weir_mmu_depart(f->mmu, (weir_port){1}, 0); /* leaves a descriptor that was used and is free */
    if (lossless) {
        fixture_fill(f, 0, 1, 40, 0);
        fixture_fill(f, 0, 1, 50, 0);
    }
}

static void check__a_whole_mmu_passes(void **unused)
{
    static const char *const policies[] = {"cs", "lqd", "harmonic", "ingress", "lossless"};
    (void)unused;
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        struct fixture f;
        build(&f, policies[i]);
        assert_null(weir_mmu_check(f.mmu));
        fixture_free(&f);
    }
}

static void check__damage_is_named(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct fixture f;
        build(&f, damages[i].policy);
        damages[i].make(f.mmu);
        const char *found = weir_mmu_check(f.mmu);
        if (found == NULL || strcmp(found, damages[i].expected) != 0)
            fail_msg("damage %zu: got \"%s\", expected \"%s\"", i, found ? found : "nothing", damages[i].expected);
        fixture_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check__a_whole_mmu_passes),
        cmocka_unit_test(check__damage_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
