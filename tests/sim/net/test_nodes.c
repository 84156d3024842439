/*
 * test_nodes.c - a network that is made node by node: what is there after a run, and that nothing else is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/net/nodes.h"
#include "sim/sim.h"
#include "tests/support/error_line.h"

#define GBPS ((weir_bps)1000000000)

struct tree {
    struct topology topology;
    struct sim_config config;
    struct sim_transport transport;
    struct traffic_settings traffic;
    struct listed_flow flow;
};

/* One flow of a fat-tree of 128 hosts. */
static void tree_init(struct tree *t, uint32_t destination, uint32_t whole_nodes)
{
    static const char *const tags[] = {"flows"};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!topology_fat_tree(&t->topology, &(struct topology_fat_tree){8, 10 * GBPS, WEIR_PS_PER_US}, &error))
        fail_msg("%s", ERROR_LINE(&error));
    t->flow = (struct listed_flow){.destination = destination, .bytes = 100000};
    t->traffic = (struct traffic_settings){
        .kind = TRAFFIC_LIST, .until_ps = WEIR_PS_PER_US, .oversubscription = 1, .flows = &t->flow, .listed = 1};
    sim_config_init(&t->config);
    sim_transport_init(&t->transport, &transport_newreno);
    t->config.topology = &t->topology;
    t->config.transports = &t->transport;
    t->config.traffic = &t->traffic;
    t->config.transport_count = t->config.traffic_count = t->config.tag_count = 1;
    t->config.tag_names = tags;
    t->config.whole_nodes = whole_nodes;
}

static struct sim *tree_create(struct tree *t)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct sim *sim = sim_create(&t->config, &error);
    if (!sim)
        fail_msg("%s", ERROR_LINE(&error));
    return sim;
}

static uint32_t made(const struct sim *sim, uint32_t from, uint32_t after)
{
    uint32_t count = 0;
    for (uint32_t node = from; node < after; node++)
        count += nodes_has_made(sim, node);
    return count;
}

/* A switch of each tier is made to check its settings; then those that data or ACKs cross, which take ways of their own
 * between the edges. */
static void nodes__made_where_something_comes(void **state)
{
    static const struct {
        uint32_t destination, least, most;
    } cases[] = {{1, 3, 3}, {5, 4, 5}, {127, 6, 9}};
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tree late, whole;
        tree_init(&late, cases[i].destination, 0);
        tree_init(&whole, cases[i].destination, UINT32_MAX);
        struct sim *few = tree_create(&late), *all = tree_create(&whole);
        const uint32_t hosts = late.topology.hosts;
        assert_int_equal(made(few, 0, hosts), 0);
        assert_int_equal(made(few, hosts, few->nodes), 3);
        assert_int_equal(made(all, 0, all->nodes), all->nodes);
        assert_int_equal(sim_run(few, NULL, NULL), SIM_DONE);
        assert_int_equal(sim_run(all, NULL, NULL), SIM_DONE);
        assert_int_equal(made(few, 0, hosts), 2);
        assert_in_range(made(few, hosts, few->nodes), cases[i].least, cases[i].most);
        assert_int_equal(sim_totals(few).packet_hops, sim_totals(all).packet_hops);
        assert_int_equal(sim_digest(few), sim_digest(all));
        assert_null(sim_switch(few, 10)); /* nothing came there, and the run is over */
        assert_int_equal(sim_memory_peak_bytes(few, 10, 0), 0);
        sim_free(few);
        sim_free(all);
        topology_free(&late.topology);
        topology_free(&whole.topology);
    }
}

/* What looks at all of a network finds all of it. */
static void nodes__all_are_made_for_who_looks_at_all(void **state)
{
    struct tree t;
    (void)state;
    tree_init(&t, 127, 0);
    t.config.occupancy_interval_ps = 10 * WEIR_PS_PER_US;
    struct sim *sim = tree_create(&t);
    assert_false(sim->late);
    assert_int_equal(made(sim, 0, sim->nodes), sim->nodes);
    sim_free(sim);
    topology_free(&t.topology);
}

/* Probed switches, the ends of links that will change, and who is asked for before the run. */
static void nodes__some_are_made_first(void **state)
{
    const struct sim_probe probe = {
        .sw = 20, .interval_ps = WEIR_PS_PER_US, .until_ps = WEIR_PS_PER_MS, .points_max = 9};
    struct tree t;
    (void)state;
    tree_init(&t, 127, 0);
    const struct sim_link_change change = {.when = WEIR_PS_PER_US, .link = 3};
    t.config.probes = &probe;
    t.config.changes = &change;
    t.config.probe_count = t.config.change_count = 1;
    struct sim *sim = tree_create(&t);
    const uint32_t hosts = t.topology.hosts;
    assert_true(nodes_has_made(sim, hosts + 20));
    assert_true(nodes_has_made(sim, 3));
    assert_false(nodes_has_made(sim, 4));
    assert_false(nodes_has_made(sim, hosts + 11));
    assert_non_null(sim_switch(sim, 11));
    assert_true(nodes_has_made(sim, hosts + 11));
    assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
    assert_int_equal(sim_measure(sim)->probe[0].count, 9);
    sim_free(sim);
    topology_free(&t.topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes__made_where_something_comes),
        cmocka_unit_test(nodes__all_are_made_for_who_looks_at_all),
        cmocka_unit_test(nodes__some_are_made_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
