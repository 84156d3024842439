/*
 * test_completion.c - the completion time of a lone flow, to the picosecond.
 *
 * Whole flow at once: what the NIC sends back to back crosses the path store-and-forward. Three things must agree: the
 * simulation, the closed form of ideal.h (kept in every record), and the recursion that the closed form solves, written
 * out here for every segment and hop. Sizes, rates, delays and headers are random; a last segment may be short and a
 * middle hop may be the slowest.
 *
 * Finite window, all links at one rate, full segments: the first segment of round r leaves one round trip after that of
 * round r - 1, or as soon as the NIC has sent that round, whichever is later. A round has twice the segments of the
 * last one in slow start, and the same number when the window is at its maximum.
 *
 *   start_0 = 0,   start_{r+1} = max(start_r + RTT, start_r + n_r t),   finish = start_R + (j - 1) t + one way
 *
 * for a last segment that is the j-th of round R; t is the time of a segment on a link, and the round trip is that of
 * one segment and one ACK. With the pipe full the round trip is longer than that and the NIC never pauses.
 */
#include "theory.h"

#include "sim/net/ideal.h"
#include "tests/support/error_line.h"

#define CASES 2000u
#define FLOW_SEGMENTS_MAX 300u

static uint64_t seed_of(uint32_t number)
{
    return UINT64_C(20240607) + number;
}

static weir_bps random_rate(struct weir_random *random)
{
    static const weir_bps rates[] = {100 * MBPS, GBPS, 7 * GBPS, 10 * GBPS, 25 * GBPS, 100 * GBPS, 400 * GBPS};
    weir_bps rate = rates[weir_random_below(random, sizeof rates / sizeof *rates)];
    return weir_random_below(random, 4) ? rate : rate + (weir_bps)weir_random_below(random, 1000000007u) % (rate / 3);
}

static weir_ps random_delay(struct weir_random *random)
{
    return (weir_ps)weir_random_below(random, 20) * weir_random_below(random, (uint32_t)WEIR_PS_PER_US);
}

/* One of the three shapes; every path of a shape is as fast as every other. */
static void random_topology(struct theory *t, struct weir_random *random)
{
    weir_bps host = random_rate(random), middle = random_rate(random);
    weir_ps host_delay = random_delay(random), middle_delay = random_delay(random);
    bool made = false;
    switch (weir_random_below(random, 3)) {
    case 0: {
        weir_bps rates[] = {host, middle, random_rate(random)};
        made = topology_single(&t->topology, &(struct topology_single){3, rates, 0, host_delay}, &t->error);
        break;
    }
    case 1:
        made = topology_dumbbell(&t->topology,
                                 &(struct topology_dumbbell){2, 3, host, middle, host_delay, middle_delay}, &t->error);
        break;
    default:
        made = topology_leaf_spine(
            &t->topology, &(struct topology_leaf_spine){3, 2, 2, 2, host, middle, host_delay, middle_delay}, &t->error);
    }
    if (!made)
        fail_msg("%s", ERROR_LINE(&t->error));
}

/* Segment after segment, hop after hop. */
static weir_ps recursion(const struct theory *t, const struct ideal_hop *hops, uint32_t count, int64_t bytes)
{
    const struct sim_wire *wire = &t->config.wire;
    weir_ps free_ps[IDEAL_HOPS_MAX] = {0}, arrival = 0;
    for (int64_t left = bytes; left > 0; left -= wire->mss_bytes) {
        uint32_t payload = left < wire->mss_bytes ? (uint32_t)left : wire->mss_bytes;
        arrival = 0;
        for (uint32_t h = 0; h < count; h++) {
            weir_ps start = arrival > free_ps[h] ? arrival : free_ps[h];
            free_ps[h] = start + theory_wire_ps(t, hops[h].rate_bps, payload + wire->header_bytes);
            arrival = free_ps[h] + hops[h].delay_ps;
        }
    }
    return arrival;
}

static void random_flow(struct theory *t, struct listed_flow *flow, struct weir_random *random)
{
    uint32_t mss = t->config.wire.mss_bytes;
    flow->source = weir_random_below(random, t->topology.hosts);
    flow->destination = (flow->source + 1 + weir_random_below(random, t->topology.hosts - 1)) % t->topology.hosts;
    flow->start_ps = (weir_ps)weir_random_below(random, 1000000);
    flow->bytes = 1 + (int64_t)weir_random_below(random, mss) +
                  (int64_t)mss * weir_random_below(random, 1u << weir_random_below(random, 9));
    if (weir_random_below(random, 3) == 0)
        flow->bytes = (flow->bytes + mss - 1) / mss * mss;
}

static void expect_whole_flow(uint32_t number)
{
    static const struct transport *const kinds[] = {&transport_newreno, &transport_cubic, &transport_dctcp};
    struct weir_random random = weir_random_stream(seed_of(number), "completion");
    struct theory t;
    struct listed_flow flow = {0};
    theory_init(&t, 1000 * WEIR_PS_PER_S);
    random_topology(&t, &random);
    theory_policy(&t, "cs", NULL, 100000000);
    t.config.tiers[0].mmu.packets_max = 2 * FLOW_SEGMENTS_MAX;
    t.config.wire = (struct sim_wire){.mss_bytes = 500 + weir_random_below(&random, 8500),
                                      .header_bytes = 20 + weir_random_below(&random, 60),
                                      .ack_bytes = 40 + weir_random_below(&random, 44),
                                      .gap_bytes = weir_random_below(&random, 2) * 20};
    random_flow(&t, &flow, &random);
    struct tcp_params *tcp = tcp_params(theory_transport(&t, kinds[weir_random_below(&random, 3)]));
    tcp->initial_window_segments = 0;
    tcp->min_rto_ps = tcp->initial_rto_ps = 10 * WEIR_PS_PER_S;
    theory_flow(&t, &flow);
    theory_run(&t);
    struct routes routes;
    struct ideal_hop hops[IDEAL_HOPS_MAX];
    assert_true(routes_init(&routes, &t.topology, sim_config_routes_hash(&t.config)));
    const struct ideal_way way = {flow.source, flow.destination, sim_records(t.sim)->at[0].id, false};
    uint32_t count = ideal_path(&t.topology, &routes, &way, hops);
    weir_ps expected = recursion(&t, hops, count, flow.bytes);
    const struct flow_record *record = sim_records(t.sim)->at;
    if (record->finish_ps - record->start_ps != expected || record->ideal_ps != expected || record->again)
        fail_msg("seed %llu: %lld bytes over %u hops: took %lld ps, closed form %lld, recursion %lld",
                 (unsigned long long)seed_of(number), (long long)flow.bytes, count,
                 (long long)(record->finish_ps - record->start_ps), (long long)record->ideal_ps, (long long)expected);
    routes_free(&routes);
    theory_free(&t);
}

static void whole_flow__closed_form(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CASES; i++)
        expect_whole_flow(i);
    print_message("%u random lone flows, whole flow at once: all equal to the picosecond\n", CASES);
}

struct slow_start {
    const struct transport *kind;
    uint32_t shape; /* links on the path: 2, 3 or 4 */
    uint32_t segments, initial, most;
    weir_ps delay_ps;
};

static void slow_start_topology(struct theory *t, const struct slow_start *c)
{
    bool made;
    if (c->shape == 2)
        made = topology_single(&t->topology, &(struct topology_single){2, NULL, 10 * GBPS, c->delay_ps}, &t->error);
    else if (c->shape == 3)
        made = topology_dumbbell(
            &t->topology, &(struct topology_dumbbell){1, 1, 10 * GBPS, 10 * GBPS, c->delay_ps, c->delay_ps}, &t->error);
    else
        made = topology_leaf_spine(
            &t->topology, &(struct topology_leaf_spine){2, 2, 1, 1, 10 * GBPS, 10 * GBPS, c->delay_ps, c->delay_ps},
            &t->error);
    assert_true(made);
}

static weir_ps slow_start_time(const struct theory *t, const struct slow_start *c)
{
    const struct sim_wire *wire = &t->config.wire;
    weir_ps full = theory_wire_ps(t, 10 * GBPS, wire->mss_bytes + wire->header_bytes);
    weir_ps one_way = (weir_ps)c->shape * (full + c->delay_ps);
    weir_ps trip = one_way + (weir_ps)c->shape * (theory_wire_ps(t, 10 * GBPS, wire->ack_bytes) + c->delay_ps);
    weir_ps start = 0;
    uint32_t left = c->segments, round = c->initial < c->most ? c->initial : c->most;
    while (left > round) {
        weir_ps sending = (weir_ps)round * full;
        start += trip > sending ? trip : sending;
        left -= round;
        round = 2 * round < c->most ? 2 * round : c->most;
    }
    return start + (weir_ps)(left - 1) * full + one_way;
}

static void expect_slow_start(const struct slow_start *c)
{
    struct theory t;
    const struct listed_flow flow = {.destination = 1, .bytes = (int64_t)c->segments * 1460};
    theory_init(&t, 1000 * WEIR_PS_PER_S);
    slow_start_topology(&t, c);
    theory_policy(&t, "cs", NULL, 100000000);
    t.config.tiers[0].mmu.packets_max = 2 * FLOW_SEGMENTS_MAX;
    struct tcp_params *tcp = tcp_params(theory_transport(&t, c->kind));
    tcp->initial_window_segments = c->initial;
    tcp->max_window_segments = c->most;
    tcp->min_rto_ps = tcp->initial_rto_ps = WEIR_PS_PER_S;
    theory_flow(&t, &flow);
    theory_run(&t);
    const struct flow_record *record = sim_records(t.sim)->at;
    if (record->finish_ps != slow_start_time(&t, c))
        fail_msg("%s, %u segments, window %u to %u, %u links of %lld ps: took %lld ps, closed form %lld", c->kind->name,
                 c->segments, c->initial, c->most, c->shape, (long long)c->delay_ps, (long long)record->finish_ps,
                 (long long)slow_start_time(&t, c));
    theory_free(&t);
}

static void slow_start__rounds(void **state)
{
    (void)state;
    static const struct transport *const kinds[] = {&transport_newreno, &transport_cubic, &transport_dctcp};
    static const uint32_t initials[] = {1, 2, 10, 16};
    uint32_t cases = 0;
    for (uint32_t i = 0; i < 3 * 4 * FLOW_SEGMENTS_MAX; i += 7, cases++) {
        struct slow_start c = {.kind = kinds[i % 3],
                               .shape = 2 + i / 3 % 3,
                               .segments = 1 + i / 12,
                               .initial = initials[i % 4],
                               .most = i % 5 == 0 ? 32 : 4096,
                               .delay_ps = (weir_ps)(i % 11) * 3 * WEIR_PS_PER_US + (weir_ps)i * 1001};
        expect_slow_start(&c);
    }
    print_message("%u lone flows in slow start: all equal to the picosecond\n", cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_flow__closed_form),
        cmocka_unit_test(slow_start__rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
