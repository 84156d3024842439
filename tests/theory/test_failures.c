/*
 * test_failures.c - a link between leaf and spine fails and is repaired.
 *
 * UDP at a constant rate, without queues: a packet of a flow on that link is lost exactly when it was on the link at
 * the moment of the failure, or reached the leaf before routing knew of it:
 *
 *   arrival at the leaf in [fail - serialisation - delay, fail + reroute)
 *
 * so that the losses of each flow can be counted on paper, and must be found at the link and at the leaf. From the
 * reroute until the repair is known the link carries nothing, and then it does again.
 *
 * TCP: whatever is lost, every flow delivers every byte, what was lost was sent again, and the packets add up.
 */
#include "theory.h"

#define HOSTS_PER_LEAF 8u
#define HOSTS (2 * HOSTS_PER_LEAF)
#define FAILING HOSTS /* the link of leaf 0 to spine 0 */
#define OTHER (HOSTS + 1)
#define DELAY (5 * WEIR_PS_PER_US)
#define MS WEIR_PS_PER_MS
#define FAIL (10 * MS)
#define REPAIR (20 * MS)
#define REROUTE MS

static const struct sim_link_change changes[] = {{FAIL, FAILING, false}, {REPAIR, FAILING, true}};

static void failure_config(struct theory *t, weir_ps until_ps)
{
    theory_init(t, until_ps);
    const struct topology_leaf_spine shape = {2, 2, HOSTS_PER_LEAF, 1, 10 * GBPS, 100 * GBPS, DELAY, DELAY};
    assert_true(topology_leaf_spine(&t->topology, &shape, &t->error));
    theory_policy(t, "dt", NULL, 10000000);
    t->config.changes = changes;
    t->config.change_count = 2;
    t->config.reroute_ps = REROUTE;
}

/* Each host of leaf 0 to one of leaf 1, apart by a part of the gap so that packets never wait. */
static void failure_flows(struct theory *t, struct listed_flow flows[HOSTS_PER_LEAF], weir_ps start, int64_t bytes)
{
    for (uint32_t i = 0; i < HOSTS_PER_LEAF; i++) {
        flows[i] = (struct listed_flow){
            .start_ps = start + (weir_ps)i * 1500000, .source = i, .destination = HOSTS_PER_LEAF + i, .bytes = bytes};
        theory_flow(t, &flows[i]);
    }
}

struct counts {
    uint64_t failing, other; /* packets sent by leaf 0 on either link so far */
};

static struct counts udp_run(struct theory *t, weir_ps until_ps)
{
    static struct listed_flow flows[HOSTS_PER_LEAF];
    failure_config(t, until_ps);
    udp_params(theory_transport(t, &transport_udp))->rate_bps = GBPS;
    failure_flows(t, flows, 0, 1460 * 2500);
    theory_run(t);
    return (struct counts){sim_link(t->sim, FAILING, false)->packets, sim_link(t->sim, OTHER, false)->packets};
}

/* Packets of a flow that the failure must cost. */
static uint64_t udp_expected(const struct theory *t, const struct flow_record *r)
{
    weir_ps first = r->start_ps + theory_wire_ps(t, 10 * GBPS, 1500) + DELAY, gap = 12 * WEIR_PS_PER_US;
    weir_ps from = FAIL - theory_wire_ps(t, 100 * GBPS, 1500) - DELAY, until = FAIL + REROUTE;
    uint64_t lost = 0;
    for (weir_ps at = first; at < until; at += gap)
        lost += at >= from;
    return lost;
}

static void udp__losses_on_paper(void **state)
{
    (void)state;
    struct theory t;
    udp_run(&t, 100 * MS);
    const struct records *records = sim_records(t.sim);
    uint64_t lost = 0, expected = 0, hit = 0;
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *r = &records->at[i];
        uint64_t missing = (uint64_t)(r->bytes / 1460) - r->packets;
        if (missing == 0)
            continue;
        assert_true(missing == udp_expected(&t, r));
        expected += udp_expected(&t, r);
        lost += missing;
        hit++;
    }
    uint64_t on_link = sim_link(t.sim, FAILING, false)->lost, unroutable = sim_measure(t.sim)->sw[0].unroutable;
    print_message(
        "failure: %llu of 8 flows lose %llu packets, on paper %llu; found %llu on the link, %llu at the leaf\n",
        (unsigned long long)hit, (unsigned long long)lost, (unsigned long long)expected, (unsigned long long)on_link,
        (unsigned long long)unroutable);
    assert_true(hit > 0 && hit < HOSTS_PER_LEAF && lost == expected && lost == on_link + unroutable);
    theory_free(&t);
}

static void udp__link_rests_until_repaired(void **state)
{
    (void)state;
    static const weir_ps ends[] = {FAIL + DELAY, FAIL + REROUTE, REPAIR + REROUTE, 40 * MS};
    struct counts at[4];
    for (uint32_t i = 0; i < 4; i++) {
        struct theory t;
        at[i] = udp_run(&t, ends[i]);
        print_message("failure: packets sent to spine 0 until %.3f ms: %llu, to spine 1: %llu\n", (double)ends[i] / 1e9,
                      (unsigned long long)at[i].failing, (unsigned long long)at[i].other);
        theory_free(&t);
    }
    uint64_t all = HOSTS_PER_LEAF * (uint64_t)((REPAIR - FAIL) / (12 * WEIR_PS_PER_US));
    uint64_t moved = at[2].other - at[1].other;
    assert_true(at[0].failing == at[1].failing && at[1].failing == at[2].failing);
    assert_true(moved + HOSTS_PER_LEAF >= all && moved <= all + HOSTS_PER_LEAF);
    assert_true(at[3].failing > at[2].failing);
    /* afterwards the two links share the flows as they did before */
    double before = (double)at[0].failing / (double)(at[0].failing + at[0].other);
    double after =
        (double)(at[3].failing - at[2].failing) / (double)(at[3].failing - at[2].failing + at[3].other - at[2].other);
    theory_expect_near("failure: part on the link after the repair", before, after, 0.01);
}

static void expect_survival(const struct transport *kind)
{
    struct theory t;
    static struct listed_flow early[HOSTS_PER_LEAF], late[HOSTS_PER_LEAF];
    failure_config(&t, 10 * WEIR_PS_PER_S);
    theory_transport(&t, kind);
    failure_flows(&t, early, 9500 * WEIR_PS_PER_US, 5000000);
    failure_flows(&t, late, REPAIR + 2 * REROUTE, 1000000);
    theory_run(&t);
    const struct records *records = sim_records(t.sim);
    uint64_t again = 0, timeouts = 0;
    weir_ps last = 0;
    assert_true(records->count == 2 * HOSTS_PER_LEAF);
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *r = &records->at[i];
        assert_true(r->delivered_bytes == r->bytes && r->finish_ps != WEIR_NEVER);
        again += r->again;
        timeouts += r->timeouts;
        last = r->finish_ps > last ? r->finish_ps : last;
    }
    uint64_t lost = sim_link(t.sim, FAILING, false)->lost + sim_measure(t.sim)->sw[0].unroutable;
    for (uint32_t port = 0; port < HOSTS_PER_LEAF + 2; port++)
        lost += theory_losses(&t, 0, port);
    print_message("failure, %s: %llu data packets lost, %llu sent again, %llu timeouts, all delivered by %.1f ms\n",
                  kind->name, (unsigned long long)lost, (unsigned long long)again, (unsigned long long)timeouts,
                  (double)last / 1e9);
    assert_true(lost > 0 && again >= lost);
    assert_true(sim_measure(t.sim)->made == sim_measure(t.sim)->delivered + lost +
                                                sim_link(t.sim, FAILING, true)->lost +
                                                sim_measure(t.sim)->sw[2].unroutable + theory_losses(&t, 2, 0));
    theory_free(&t);
}

static void tcp__survives(void **state)
{
    (void)state;
    expect_survival(&transport_newreno);
    expect_survival(&transport_cubic);
    expect_survival(&transport_dctcp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(udp__losses_on_paper),
        cmocka_unit_test(udp__link_rests_until_repaired),
        cmocka_unit_test(tcp__survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
