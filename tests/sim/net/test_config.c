/*
 * test_config.c - the usual values can be simulated, and every wrong one is refused with a message that names it.
 * Wrong traffic is the matter of test_traffic*.c, wrong networks of test_topology.c.
 */
#include <math.h>

#include "sim/transport/roce_timely.h"
#include "sim/transport/tcp_dctcp.h"
#include "sim/transport/udp.h"
#include "tests/support/error_line.h"
#include "tests/support/sim_star.h"

/* A star with everything that can be checked: a TCP and a UDP transport, a change, a probe. */
struct world {
    struct star star;
    struct sim_transport transports[2];
    struct sim_link_change changes[2];
    struct sim_probe probes[1];
    struct listed_packet packets[1];
    struct weir_values values;
};

static void world_init(struct world *w)
{
    memset(w, 0, sizeof *w);
    star_init(&w->star);
    struct sim_config *config = &w->star.config;
    sim_transport_init(&w->transports[0], &transport_dctcp);
    sim_transport_init(&w->transports[1], &transport_udp);
    w->changes[0] = (struct sim_link_change){1000, 0, false};
    w->changes[1] = (struct sim_link_change){1000, 0, true};
    w->probes[0] = (struct sim_probe){.tc = SIM_ALL_CLASSES, .until_ps = 100, .points_max = 1};
    w->packets[0] = (struct listed_packet){0, 0, 1, 64, 0, false};
    config->tiers[0].mmu.egress = weir_policy_find("dt");
    weir_values_init(&w->values, config->tiers[0].mmu.egress);
    config->tiers[0].mmu.egress_values = &w->values;
    config->transports = w->transports;
    config->transport_count = 2;
    config->changes = w->changes;
    config->change_count = 2;
    config->probes = w->probes;
    config->probe_count = 1;
    config->goodput_interval_ps = WEIR_PS_PER_US;
}

static void list_packets(struct world *w)
{
    w->star.traffic.kind = TRAFFIC_PACKETS;
    w->star.traffic.packets = w->packets;
    w->star.traffic.transport = 1;
}

static void make_lossless(struct world *w)
{
    struct sim_switch *tier = &w->star.config.tiers[0];
    tier->mmu.lossless_mask = 1;
    tier->mmu.ingress = weir_policy_find("sih");
    tier->mmu.egress_values = NULL;
}

/* The second transport becomes one of this kind, with one setting wrong. */
static void set_wrong(struct world *w, const struct transport *kind, const char *name, int64_t value)
{
    sim_transport_init(&w->transports[1], kind);
    if (!sim_transport_set(&w->transports[1], name, value))
        fail_msg("%s has no %s", kind->name, name);
}

/* One wrong value each: MISTAKE(name) is a function that makes it in the world `w` and its config `c`. */
#define MISTAKE(name, change)                                                                                          \
    static void name(struct world *w)                                                                                  \
    {                                                                                                                  \
        struct sim_config *c = &w->star.config;                                                                        \
        (void)c;                                                                                                       \
        change;                                                                                                        \
    }

MISTAKE(no_topology, c->topology = NULL)
MISTAKE(bad_topology, w->star.links[2].rate_bps = 0)
MISTAKE(until_0, c->until_ps = 0)
MISTAKE(until_late, c->until_ps = WEIR_TIME_MAX / 4 + 1)
MISTAKE(goodput_negative, c->goodput_interval_ps = -1)
MISTAKE(goodput_fine, (c->goodput_interval_ps = 1, c->until_ps = WEIR_PS_PER_S))
MISTAKE(mss_0, c->wire.mss_bytes = 0)
MISTAKE(header_0, c->wire.header_bytes = 0)
MISTAKE(ack_0, c->wire.ack_bytes = 0)
MISTAKE(ack_large, c->wire.ack_bytes = 65536)
MISTAKE(gap_large, c->wire.gap_bytes = 65536)
MISTAKE(segment_large, c->wire.mss_bytes = 65526)
MISTAKE(link_timeless, w->star.links[1].rate_bps = 8000000000001 * 2)
MISTAKE(segment_timeless, (w->star.links[1].rate_bps = WEIR_RATE_BPS_MAX, w->star.links[1].delay_ps = 1,
                           c->wire.mss_bytes = c->wire.header_bytes = 6))
MISTAKE(tiers_0, c->tier_count = 0)
MISTAKE(tiers_5, c->tier_count = 5)
MISTAKE(no_policy, c->tiers[0].mmu.egress = NULL)
MISTAKE(no_oracle, (c->tiers[0].mmu.egress = weir_policy_find("credence"), c->tiers[0].mmu.egress_values = NULL))
MISTAKE(lossless, c->tiers[0].mmu.lossless_mask = 1)
MISTAKE(scheme_alone, c->tiers[0].mmu.ingress = weir_policy_find("sih"))
MISTAKE(lossless_class_8, (make_lossless(w), c->tiers[0].mmu.classes = 9, c->tiers[0].mmu.lossless_mask = 1 << 8))
MISTAKE(lossless_class_1, (make_lossless(w), c->tiers[0].mmu.lossless_mask = 2))
MISTAKE(scheme_value, (make_lossless(w), w->values.of[0][0] = 0, c->tiers[0].mmu.ingress_values = &w->values))
MISTAKE(headroom_kind, (make_lossless(w), c->tiers[0].headroom_size = (enum sim_headroom_size)3))
MISTAKE(headroom_negative, (make_lossless(w), c->tiers[0].headroom_bytes = -1))
MISTAKE(quanta_0, c->pfc.quanta = 0)
MISTAKE(quanta_large, c->pfc.quanta = 65536)
MISTAKE(processing_large, c->pfc.processing_bytes = (1 << 20) + 1)
MISTAKE(look_negative, c->pfc.look_ps = -1)
MISTAKE(watchdog_detect, c->pfc.watchdog_detect_ps = -1)
MISTAKE(watchdog_restore, c->pfc.watchdog_restore_ps = 0)
MISTAKE(watchdog_action, c->pfc.watchdog_action = (enum sim_watchdog_action)3)
MISTAKE(classes_0, c->tiers[0].mmu.classes = 0)
MISTAKE(buffer_0, c->tiers[0].mmu.buffer_cells = 0)
MISTAKE(alpha_0, w->values.of[0][1] = 0)
MISTAKE(alpha_auto, w->values.of[0][0] = WEIR_AUTO)
MISTAKE(second_tier, (c->tier_count = 2, c->tiers[1] = c->tiers[0], c->tiers[1].mmu.cell_bytes = 0))
MISTAKE(private_too_much, c->tiers[0].mmu.private_cells[0] = 1 << 19)
MISTAKE(no_transport, c->transport_count = 0)
MISTAKE(null_transport, c->transports = NULL)
MISTAKE(no_kind, w->transports[1].kind = NULL)
MISTAKE(data_class, w->transports[0].data_class = 1)
MISTAKE(ack_class, w->transports[1].ack_class = 1)
MISTAKE(class_of_second_tier,
        (c->tier_count = 2, c->tiers[1] = c->tiers[0], c->tiers[0].mmu.classes = 2, w->transports[0].data_class = 1))
MISTAKE(window_0, tcp_params(&w->transports[0])->max_window_segments = 0)
MISTAKE(min_rto_0, tcp_params(&w->transports[0])->min_rto_ps = 0)
MISTAKE(initial_rto_0, tcp_params(&w->transports[0])->initial_rto_ps = 0)
MISTAKE(max_rto_below, tcp_params(&w->transports[0])->max_rto_ps = tcp_params(&w->transports[0])->min_rto_ps - 1)
MISTAKE(max_rto_late, tcp_params(&w->transports[0])->max_rto_ps = WEIR_TIME_MAX)
MISTAKE(ack_every_0, tcp_params(&w->transports[0])->ack_every = 0)
MISTAKE(ack_delay_negative, tcp_params(&w->transports[0])->ack_delay_ps = -1)
MISTAKE(gain_0, dctcp_params(&w->transports[0])->gain = 0)
MISTAKE(alpha_large, dctcp_params(&w->transports[0])->initial_alpha = WEIR_Q16_ONE + 1)
MISTAKE(cubic_c_0, set_wrong(w, &transport_cubic, "c", 0))
MISTAKE(cubic_beta_1, set_wrong(w, &transport_cubic, "beta", WEIR_Q16_ONE))
MISTAKE(probe_without_sack,
        (tcp_params(&w->transports[0])->tail_loss_probe = true, tcp_params(&w->transports[0])->sack = false))
MISTAKE(data_classes, w->transports[0].data_classes = 2)
MISTAKE(roce_ack_every, set_wrong(w, &transport_dcqcn, "ack_every", 0))
MISTAKE(roce_timeout, set_wrong(w, &transport_dcqcn, "rto", -1))
MISTAKE(roce_least_rate, set_wrong(w, &transport_dcqcn, "min_rate", 0))
MISTAKE(roce_additive, set_wrong(w, &transport_hpcc, "additive", -1))
MISTAKE(roce_alpha, set_wrong(w, &transport_dcqcn, "alpha_interval", 0))
MISTAKE(roce_gain, set_wrong(w, &transport_dcqcn, "gain", SETTING_BILLION * 3 / 2))
MISTAKE(roce_utilisation, set_wrong(w, &transport_powertcp, "utilisation", 0))
MISTAKE(roce_weight, (sim_transport_init(&w->transports[1], &transport_timely),
                      timely_params(&w->transports[1])->weight = (double)NAN))
MISTAKE(roce_round_trips, set_wrong(w, &transport_timely, "high_rtt", 1))
MISTAKE(udp_rate, udp_params(&w->transports[1])->rate_bps = 999)
MISTAKE(udp_off, udp_params(&w->transports[1])->off_ps = -1)
MISTAKE(udp_on_short, (udp_params(&w->transports[1])->off_ps = 1000, udp_params(&w->transports[1])->on_ps = 1))
MISTAKE(udp_on, udp_params(&w->transports[1])->off_ps = 1000)
MISTAKE(no_traffic, c->traffic_count = 0)
MISTAKE(null_traffic, c->traffic = NULL)
MISTAKE(no_tags, c->tag_count = 0)
MISTAKE(unknown_transport, w->star.traffic.transport = 2)
MISTAKE(unknown_tag, w->star.traffic.tag = 1)
MISTAKE(flow_tag, w->star.flows[0].tag = 1)
MISTAKE(no_list, w->star.traffic.flows = NULL)
MISTAKE(no_packets, (list_packets(w), w->star.traffic.packets = NULL))
MISTAKE(packet_class, (list_packets(w), w->packets[0].tc = 1))
MISTAKE(packet_transport, (list_packets(w), w->star.traffic.transport = 0))
MISTAKE(reroute_negative, c->reroute_ps = -1)
MISTAKE(change_link, w->changes[1].link = STAR_HOSTS)
MISTAKE(change_order, w->changes[1].when = 999)
MISTAKE(change_early, w->changes[0].when = -1)
MISTAKE(change_null, c->changes = NULL)
MISTAKE(probe_switch, w->probes[0].sw = 1)
MISTAKE(probe_port, w->probes[0].port = STAR_HOSTS)
MISTAKE(probe_class, w->probes[0].tc = 1)
MISTAKE(probe_interval, w->probes[0].interval_ps = -1)
MISTAKE(probe_begin, w->probes[0].from_ps = -1)
MISTAKE(probe_points, w->probes[0].points_max = 0)
MISTAKE(probe_null, c->probes = NULL)

static const struct {
    void (*make)(struct world *w);
    const char *expected;
} mistakes[] = {
    {no_topology, "no topology"},
    {bad_topology, "link 2 (2 to 4) has a rate"},
    {until_0, "end of the run: 0 is not within 1 to"},
    {until_late, "end of the run"},
    {goodput_negative, "goodput interval: -1"},
    {goodput_fine, "goodput interval: more than"},
    {mss_0, "segment bytes: 0 is not within 1 to 65535"},
    {header_0, "header bytes: 0 is not within 1 to 65535"},
    {ack_0, "ACK bytes: 0 is not within 1 to 65535"},
    {ack_large, "ACK bytes: 65536"},
    {gap_large, "gap bytes: 65536 is not within 0 to 65535"},
    {segment_large, "segment and header bytes: 65536"},
    {link_timeless, "link 1: a byte takes no time"},
    {segment_timeless, "link 1: a full segment takes less than 1 ps"},
    {tiers_0, "switch tiers: 0 is not within 1 to 4"},
    {tiers_5, "switch tiers: 5"},
    {no_policy, "switch tier 0: no policy"},
    {no_oracle, "switch tier 0: policy: needs an oracle"},
    {lossless, "switch tier 0: lossless"},
    {scheme_alone, "switch tier 0: a headroom scheme without lossless classes"},
    {lossless_class_8, "switch tier 0: lossless classes are among 0 to 7"},
    {lossless_class_1, "switch tier 0: lossless classes: the mask names more classes than there are"},
    {scheme_value, "switch tier 0: alpha: 0 is not within"},
    {headroom_kind, "switch tier 0: unknown headroom size 3"},
    {headroom_negative, "switch tier 0: headroom of a queue: -1"},
    {quanta_0, "PFC quanta: 0 is not within 1 to 65535"},
    {quanta_large, "PFC quanta: 65536"},
    {processing_large, "PFC processing bytes: 1048577"},
    {look_negative, "time between looks for deadlocks: -1"},
    {watchdog_detect, "PFC watchdog: time of detection: -1"},
    {watchdog_restore, "PFC watchdog: time of restoration: 0"},
    {watchdog_action, "PFC watchdog: unknown action 3"},
    {classes_0, "switch tier 0: classes"},
    {buffer_0, "switch tier 0: buffer"},
    {alpha_0, "switch tier 0: alpha: 0 is not within"},
    {alpha_auto, "switch tier 0: alpha"},
    {second_tier, "switch tier 1: cell size"},
    {no_transport, "no transport"},
    {null_transport, "no transport"},
    {no_kind, "transport 1: no kind"},
    {data_class, "transport 0: classes 1 and 0, but switches have classes 0 to 0"},
    {ack_class, "transport 1: classes 0 and 1"},
    {class_of_second_tier, "transport 0: classes 1 and 0"},
    {window_0, "transport 0: max_window: 0"},
    {min_rto_0, "transport 0: min_rto: 0"},
    {initial_rto_0, "transport 0: initial_rto: 0"},
    {max_rto_below, "transport 0: 'min_rto' is above 'max_rto'"},
    {max_rto_late, "transport 0: max_rto: "},
    {ack_every_0, "transport 0: ack_every: 0"},
    {ack_delay_negative, "transport 0: ack_delay: -1"},
    {gain_0, "transport 0: gain: 0"},
    {alpha_large, "transport 0: initial_alpha: 65537"},
    {cubic_c_0, "transport 1: c: 0 is not within 1 to"},
    {cubic_beta_1, "transport 1: beta: 65536"},
    {probe_without_sack, "transport 0: 'tail_loss_probe' without 'sack'"},
    {data_classes, "transport 0: data of a class that switches do not have; they have 0 to 0"},
    {roce_ack_every, "transport 1: ack_every: 0"},
    {roce_timeout, "transport 1: rto: -1"},
    {roce_least_rate, "transport 1: min_rate: 0"},
    {roce_additive, "transport 1: additive: -1"},
    {roce_alpha, "transport 1: alpha_interval: 0"},
    {roce_gain, "transport 1: gain: 1.5 is not within 1e-09 to 1"},
    {roce_utilisation, "transport 1: utilisation: 0"},
    {roce_weight, "transport 1: weight: "},
    {roce_round_trips, "transport 1: 'low_rtt' is above 'high_rtt'"},
    {udp_rate, "transport 1: rate: 999"},
    {udp_off, "transport 1: off: -1"},
    {udp_on, "transport 1: 'off' without 'on'"},
    {udp_on_short, "transport 1: on: 1 ps are too short"},
    {no_traffic, "no traffic"},
    {null_traffic, "no traffic"},
    {no_tags, "no tag"},
    {unknown_transport, "traffic 0: there is no transport 2"},
    {unknown_tag, "traffic 0: there is no tag 1"},
    {flow_tag, "traffic 0: flow 0 has tag 1"},
    {no_list, "traffic 0: no list, but"},
    {no_packets, "traffic 0: no list, but"},
    {packet_class, "traffic 0: packet 0 has class 1"},
    {packet_transport, "traffic 0: listed packets need a transport without feedback"},
    {reroute_negative, "delay of routing: -1"},
    {change_link, "link change 1: no link 4"},
    {change_order, "link change 1: times go up"},
    {change_early, "link change 0: times go up"},
    {change_null, "link changes: there are none, but 2 are announced"},
    {probe_switch, "probe 0: no switch 1"},
    {probe_port, "probe 0: switch 0 has no port 4"},
    {probe_class, "probe 0: switch 0 has no class 1"},
    {probe_interval, "probe 0: interval: -1"},
    {probe_begin, "probe 0: begin: -1"},
    {probe_points, "probe 0: points: 0"},
    {probe_null, "probes: there are none, but 1 are announced"},
};

static void check__names_each_mistake(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct world w;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        world_init(&w);
        if (!sim_config_check(&w.star.config, &error))
            fail_msg("before case %u: %s", i, ERROR_LINE(&error));
        mistakes[i].make(&w);
        if (sim_config_check(&w.star.config, &error) || !strstr(ERROR_LINE(&error), mistakes[i].expected))
            fail_msg("case %u: \"%s\" instead of \"%s\"", i, ERROR_LINE(&error), mistakes[i].expected);
        assert_null(strchr(ERROR_LINE(&error), '\n'));
    }
}

/* What depends on the number of ports is found when a switch is built. */
static void create__checks_memories_with_their_ports(void **state)
{
    struct world w;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    world_init(&w);
    private_too_much(&w);
    assert_true(sim_config_check(&w.star.config, &error));
    assert_null(sim_create(&w.star.config, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "private minimum"));
}

/* What is allowed at its limits runs to the end. */
MISTAKE(all_listed, list_packets(w))
MISTAKE(link_of_one_ps, w->star.links[1].rate_bps = 8000000000000)
MISTAKE(largest_packet, (c->wire.mss_bytes = 65525, c->wire.gap_bytes = 65535))
MISTAKE(smallest_packet, c->wire = ((struct sim_wire){1, 1, 1, 0}))
MISTAKE(slowest_link, (w->star.links[0].rate_bps = WEIR_RATE_BPS_MIN, c->wire.mss_bytes = 65525))
MISTAKE(longest_delay, w->star.links[0].delay_ps = 100 * WEIR_PS_PER_S)
MISTAKE(no_series, (c->probe_count = 0, c->goodput_interval_ps = 0))

static void run__limits(void **state)
{
    void (*const limits[])(struct world *) = {all_listed,   link_of_one_ps, largest_packet, smallest_packet,
                                              slowest_link, longest_delay,  no_series};
    (void)state;
    for (uint32_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct world w;
        world_init(&w);
        limits[i](&w);
        star_create(&w.star);
        if (sim_run(w.star.sim, NULL, NULL) != SIM_DONE)
            fail_msg("case %u: %s", i, sim_error(w.star.sim)->text);
        sim_free(w.star.sim);
    }
}

static void init__needs_only_a_network_and_traffic(void **state)
{
    struct star star;
    struct sim_config config;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    star_init(&star);
    sim_config_init(&config);
    assert_int_equal(config.wire.mss_bytes + config.wire.header_bytes + config.wire.gap_bytes, 1538);
    assert_false(sim_config_check(&config, &error));
    config.topology = &star.topology;
    config.transports = &star.transport;
    config.traffic = &star.traffic;
    config.tag_names = star.config.tag_names;
    config.transport_count = config.traffic_count = config.tag_count = 1;
    if (!sim_config_check(&config, &error))
        fail_msg("%s", ERROR_LINE(&error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check__names_each_mistake),
        cmocka_unit_test(create__checks_memories_with_their_ports),
        cmocka_unit_test(run__limits),
        cmocka_unit_test(init__needs_only_a_network_and_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
