/*
 * test_sim_flows.c - the life of flows in a simulation: what is kept of them, and what becomes of their memory.
 */
#include "sim_star.h"

/* Two hosts send listed packets to a third at the same moments, into a buffer for one: half of them are lost. Each
 * loss ends its flow, so that the memory of one serves the next. */
static void listed_packets__are_counted_and_forgotten(void **state)
{
    static struct sim_listed_packet packets[2000];
    struct star star;
    (void)state;
    for (uint32_t i = 0; i < 2000; i++)
        packets[i] = (struct sim_listed_packet){i / 2 * 500 * NS, i % 2, 2, 100, 0};
    star_init(&star);
    sim_transport_init(&star.transport, &transport_udp);
    star.traffic.kind = SIM_TRAFFIC_PACKETS;
    star.traffic.packets = packets;
    star.traffic.listed = 2000;
    star.config.tiers[0].mmu.buffer_cells = 100;
    star.config.tiers[0].mmu.rate_bps = 8000000000;
    star.links[2].rate_bps = 1000000000;
    star.config.until_ps = WEIR_PS_PER_S;
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    const struct measure_packets *listed = &sim_measure(star.sim)->listed[0];
    assert_int_equal(listed->sent, 2000);
    assert_true(listed->delivered > 500 && listed->delivered < 1500);
    assert_int_equal(listed->bytes, 90 * listed->delivered); /* 10 are the header's */
    assert_true(listed->delay_max_ps >= 900 * NS);
    assert_int_equal(sim_records(star.sim)->count, 0);
    assert_int_equal(star.sim->flows.block_count, 1);
    sim_free(star.sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_packets__are_counted_and_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
