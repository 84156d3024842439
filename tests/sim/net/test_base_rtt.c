/*
 * test_base_rtt.c - the largest round-trip time of networks without queues, by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/net/ideal.h"
#include "sim/net/network.h"
#include "sim/sim.h"
#include "tests/support/error_line.h"

#define US WEIR_PS_PER_US
#define NS WEIR_PS_PER_NS
#define GBPS ((weir_bps)1000000000)

/* Of a network with one idle flow; takes the topology. */
static weir_ps base_rtt(struct topology *topology)
{
    static const struct listed_flow flow = {.destination = 1, .bytes = 1};
    static const char *const tags[] = {"flows"};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct sim_config config;
    struct sim_transport transport;
    struct traffic_settings traffic = {
        .kind = TRAFFIC_LIST, .until_ps = US, .oversubscription = 1, .flows = &flow, .listed = 1};
    sim_config_init(&config);
    sim_transport_init(&transport, &transport_hpcc);
    config.topology = topology;
    config.wire = (struct sim_wire){.mss_bytes = 1400, .header_bytes = 80, .ack_bytes = 80, .gap_bytes = 20};
    config.transports = &transport;
    config.traffic = &traffic;
    config.transport_count = config.traffic_count = config.tag_count = 1;
    config.tag_names = tags;
    struct sim *sim = sim_create(&config, &error);
    if (!sim)
        fail_msg("%s", ERROR_LINE(&error));
    weir_ps found = sim->base_rtt_ps;
    sim_free(sim);
    topology_free(topology);
    return found;
}

/* 1500 B on the wire take 1.2 us at 10 Gb/s, an ACK of 100 B 80 ns. */
static void sim_base_rtt__shapes(void **state)
{
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    const struct topology_single single = {3, NULL, 10 * GBPS, 5 * US};
    assert_true(topology_single(&t, &single, &error));
    assert_int_equal(base_rtt(&t), 20 * US + 2 * 1200 * NS + 2 * 80 * NS);
    const struct topology_leaf_spine leaves = {3, 2, 2, 1, 10 * GBPS, 20 * GBPS, 5 * US, 2 * US};
    assert_true(topology_leaf_spine(&t, &leaves, &error));
    assert_int_equal(base_rtt(&t), 28 * US + 2 * 1200 * NS + 2 * 600 * NS + 2 * 80 * NS + 2 * 40 * NS);
    const struct topology_fat_tree tree = {4, 10 * GBPS, US};
    assert_true(topology_fat_tree(&t, &tree, &error));
    assert_int_equal(base_rtt(&t), 12 * US + 6 * 1200 * NS + 6 * 80 * NS);
}

/* The slowest host of a switch is at the end of the longest way, and a lone host is not its own peer. */
static void sim_base_rtt__hosts_differ(void **state)
{
    static const struct topology_link links[] = {
        {0, 3, 10 * GBPS, 0}, {1, 3, GBPS, 3 * US}, {2, 4, 10 * GBPS, 100 * US}, {3, 4, 10 * GBPS, 7 * US}};
    const struct topology_explicit list = {3, 2, links, 4};
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(topology_explicit(&t, &list, &error));
    assert_int_equal(base_rtt(&t), 2 * 110 * US + 12 * US + 2 * 1200 * NS + 800 * NS + 2 * 80 * NS);
}

/* A network that is known to be alike everywhere is looked at from one switch: that finds what all pairs do, and is not
 * done where a link differs. */
static void sim_base_rtt__of_structure(void **state)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    for (uint32_t i = 0; i < 12; i++) {
        const struct topology_leaf_spine clos = {2 + i % 3, 1 + i % 4,      1 + i % 2, 1 + i % 3,
                                                 10 * GBPS, (1 + i) * GBPS, i * US,    2 * US};
        const struct topology_fat_tree tree = {2 + i / 2 * 2, GBPS, i * US};
        for (uint32_t what = 0; what < 3; what++) {
            struct topology made[2];
            for (uint32_t k = 0; k < 2; k++) {
                assert_true(i % 2 ? topology_fat_tree(&made[k], &tree, &error)
                                  : topology_leaf_spine(&made[k], &clos, &error));
                if (what == 1)
                    made[k].links[made[k].hosts - 1].delay_ps += 50 * US;
                if (what == 2)
                    made[k].links[made[k].link_count - 1].rate_bps /= 5;
            }
            made[1].ways = NULL;
            weir_ps found = base_rtt(&made[0]);
            assert_int_equal(found, base_rtt(&made[1]));
        }
    }
}

/* Of one flow's own path, shorter than the longest of the network: within a leaf, and through a spine. */
static void ideal_path_rtt__of_the_path(void **state)
{
    static const struct ideal_hop leaf[] = {{10 * GBPS, 5 * US}, {10 * GBPS, 5 * US}};
    static const struct ideal_hop spine[] = {
        {10 * GBPS, 5 * US}, {20 * GBPS, 2 * US}, {20 * GBPS, 2 * US}, {10 * GBPS, 5 * US}};
    const struct sim_wire wire = {.mss_bytes = 1400, .header_bytes = 80, .ack_bytes = 80, .gap_bytes = 20};
    (void)state;
    assert_int_equal(ideal_path_rtt(leaf, 2, &wire), 20 * US + 2 * 1200 * NS + 2 * 80 * NS);
    assert_int_equal(ideal_path_rtt(spine, 4, &wire),
                     28 * US + 2 * 1200 * NS + 2 * 600 * NS + 2 * 80 * NS + 2 * 40 * NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sim_base_rtt__shapes),
        cmocka_unit_test(sim_base_rtt__hosts_differ),
        cmocka_unit_test(sim_base_rtt__of_structure),
        cmocka_unit_test(ideal_path_rtt__of_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
