/*
 * test_flows.c - the life of flows in a simulation: what is kept of them, and what becomes of their memory.
 */
#include "tests/support/sim_star.h"

#include "sim/net/flows.h"
#include "sim/parallel/workers.h"

/* Two hosts send listed packets to a third at the same moments, into a buffer for one: half of them are lost. Each
 * loss ends its flow, so that the memory of one serves the next. */
static void listed_packets__are_counted_and_forgotten(void **state)
{
    static struct listed_packet packets[2000];
    struct star star;
    (void)state;
    for (uint32_t i = 0; i < 2000; i++)
        packets[i] = (struct listed_packet){i / 2 * 500 * NS, i % 2, 2, 100, 0, false};
    star_init(&star);
    sim_transport_init(&star.transport, &transport_udp);
    star.traffic.kind = TRAFFIC_PACKETS;
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
    const struct measure_tag *tag = &sim_measure(star.sim)->tag[0];
    assert_int_equal(tag->lost, 2000 - listed->delivered);
    assert_int_equal(tag->first_loss_ps, 600 * NS); /* one is sent and one waits since 100 */
    assert_int_equal(tag->delay_min_ps, 900 * NS);  /* 100 to the switch, 800 from it */
    assert_true(tag->delays[measure_delay_bin(900 * NS)] > 0);
    assert_int_equal(sim_records(star.sim)->count, 0);
    assert_int_equal(star.sim->worker[0]->flows.block_count, 1);
    sim_free(star.sim);
}

/* A packet of the only flow, which was made and is now lost. */
static void lose(struct star *star, struct flow *flow, weir_ps now)
{
    struct packet *packet = packet_new(&star->sim->worker[0]->packets);
    memset(packet, 0, sizeof *packet);
    packet->flow = flow;
    packet->flow_id = 1;
    sim_packet_lost(star->sim->worker[0], packet, now);
}

/* A flow that is over counts what it loses for the length of a window, because no node knows within a window what the
 * others do. The tag counts everything. */
static void losses__belong_to_the_flow_and_to_its_tag(void **state)
{
    struct star star;
    (void)state;
    star_init(&star);
    star_create(&star);
    struct flow *flow = NULL;
    struct flow_request request = {.destination = 1, .bytes = 900, .group = FLOW_NO_GROUP};
    assert_true(sim_flow_start(star.sim->worker[0], 1, &request));
    flow = flow_at(&star.sim->worker[0]->flows, 0);
    lose(&star, flow, 50 * NS);
    lose(&star, flow, 20 * NS);
    sim_flow_close(star.sim->worker[0], flow, 100 * NS);
    lose(&star, flow, 100 * NS + star.sim->linger_ps - 1);
    lose(&star, flow, 100 * NS + star.sim->linger_ps);
    star.sim->worker[0]->now_ps = 100 * NS + star.sim->linger_ps - 1;
    sim_flows_release(star.sim->worker[0], false);
    assert_int_equal(star.sim->worker[0]->records.count, 0); /* more losses may be its own */
    star.sim->worker[0]->now_ps++;
    sim_flows_release(star.sim->worker[0], false);
    lose(&star, flow, 200 * NS + star.sim->linger_ps);
    assert_true(workers_gather(star.sim));
    assert_int_equal(sim_records(star.sim)->at[0].lost, 3);
    assert_int_equal(sim_measure(star.sim)->tag[0].lost, 5);
    assert_int_equal(sim_measure(star.sim)->tag[0].first_loss_ps, 20 * NS);
    sim_free(star.sim);
}

/* A flow draws its class by its number and the seed: the same each time, and all classes alike. */
static void sim_flow_start__draws_a_class(void **state)
{
    uint32_t drawn[8] = {0};
    uint8_t first[700];
    (void)state;
    for (uint32_t round = 0; round < 2; round++) {
        struct star star;
        star_init(&star);
        star.transport.data_classes = 0x68; /* 3, 5 and 6 */
        star.config.tiers[0].mmu.classes = 7;
        star_create(&star);
        for (uint32_t id = 1; id <= 700; id++) {
            struct flow_request request = {.destination = 1, .bytes = 900, .group = FLOW_NO_GROUP};
            assert_true(sim_flow_start(star.sim->worker[0], id, &request));
            const struct flow *flow = flow_at(&star.sim->worker[0]->flows, id - 1);
            assert_int_equal(flow->id, id);
            assert_true(round == 0 || first[id - 1] == flow->tc);
            first[id - 1] = flow->tc;
            drawn[flow->tc] += round;
        }
        sim_free(star.sim);
    }
    assert_int_equal(drawn[3] + drawn[5] + drawn[6], 700);
    for (uint32_t tc = 3; tc <= 6; tc += tc == 3 ? 2 : 1)
        assert_in_range(drawn[tc], 233 - 50, 233 + 50); /* four standard deviations */
}

/* A flow that was drawn is before one of the same moment that follows from the end of another, whichever was listed
 * first: how far ahead flows are drawn depends on threads. */
static void flows__of_one_moment_have_an_order(void **state)
{
    struct flow_request request = {.destination = 1, .bytes = 900, .group = FLOW_NO_GROUP, .start_ps = 500 * NS};
    struct star star;
    (void)state;
    star_init(&star);
    star.traffic.listed = 0;
    star_create(&star);
    struct sim_worker *worker = star.sim->worker[0];
    worker->at_host = true;
    assert_true(sim_flow_start(worker, 7, &request));
    worker->at_host = false;
    assert_true(sim_flow_start(worker, 9, &request));
    assert_true(sim_flow_start(worker, 8, &request));
    static const uint32_t order[] = {9, 8, 7};
    const struct flow *flow = star.sim->hosts[0].starts.head;
    for (uint32_t i = 0; i < 3; i++, flow = flow->next)
        assert_int_equal(flow->id, order[i]);
    assert_null(flow);
    sim_free(star.sim);
}

/* Each value differs from what the flow has without it. */
static void sim_flow_make__takes_all_of_the_request(void **state)
{
    struct star star;
    (void)state;
    star_init(&star);
    star_create(&star);
    const struct flow_request request = {.source = 2,
                                         .destination = 1,
                                         .bytes = 900,
                                         .start_ps = 11,
                                         .wait_ps = 12,
                                         .group = 13,
                                         .group_flows = 14,
                                         .cookie = 15,
                                         .packet_bytes = 100,
                                         .packet_ecn = true,
                                         .is_request = true};
    const struct flow *flow = sim_flow_make(star.sim->worker[0], 7, &request);
    assert_non_null(flow);
    assert_true(flow->source == 2 && flow->destination == 1 && flow->bytes == 900 && flow->start_ps == 11);
    assert_true(flow->wait_ps == 12 && flow->group == 13 && flow->group_flows == 14 && flow->cookie == 15);
    assert_true(flow->packet_bytes == 100 && flow->packet_ecn && flow->is_request);
    sim_free(star.sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sim_flow_make__takes_all_of_the_request),
        cmocka_unit_test(listed_packets__are_counted_and_forgotten),
        cmocka_unit_test(losses__belong_to_the_flow_and_to_its_tag),
        cmocka_unit_test(sim_flow_start__draws_a_class),
        cmocka_unit_test(flows__of_one_moment_have_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
