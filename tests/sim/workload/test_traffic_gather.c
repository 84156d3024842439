/*
 * test_traffic_gather.c - queries, incast and bursts: their rates, who answers, and how the bytes are shared.
 */
#include "tests/support/error_line.h"
#include "tests/support/traffic_world.h"

/* The query traffic of Occamy's simulations: 80 % of 4 MiB from 16 hosts of other racks. */
static void traffic_use_query(struct world *world)
{
    world->traffics[0] = (struct traffic_settings){.kind = TRAFFIC_QUERY,
                                                   .until_ps = WEIR_PS_PER_S,
                                                   .pattern = TRAFFIC_PATTERN_OTHER_RACK,
                                                   .oversubscription = 2,
                                                   .fan_out = 16,
                                                   .bytes = 3355443};
}

static uint32_t count_groups(const struct world *world)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < world->count; i++)
        groups = world->flows[i].request.group + 1 > groups ? world->flows[i].request.group + 1 : groups;
    return groups;
}

/* At query loads of 10 % and 80 % the paper has 186 and 1,490 queries per second and server. */
static void traffic_advance__query_load_gives_occamys_rates(void **state)
{
    (void)state;
    static const struct {
        double load, per_s;
        weir_ps until_ps;
    } cases[] = {{0.1, 186, WEIR_PS_PER_S}, {0.8, 1490, WEIR_PS_PER_S / 4}};
    struct world world;
    world_init(&world, 8, 16);
    for (size_t c = 0; c < 2; c++) {
        traffic_use_query(&world);
        world.traffics[0].load = cases[c].load;
        world.traffics[0].until_ps = cases[c].until_ps;
        world_run(&world);
        double seconds = (double)cases[c].until_ps * 1e-12;
        double formula = 128 * seconds * cases[c].load * 100e9 / 2 / (8 * 3355443.0);
        double paper = 128 * seconds * cases[c].per_s;
        uint32_t queries = count_groups(&world);
        assert_true((formula - paper) / paper < 0.002 && (formula - paper) / paper > -0.002);
        if (!world_fits(queries, formula) || !world_fits(queries, paper))
            fail_msg("%u queries, the formula expects %g and the paper %g", queries, formula, paper);
        assert_int_equal(world.count, queries * 16);
    }
    world_free(&world);
}

/* Flows of a group start together, at the client, from distinct hosts of other racks, and add up to the query. */
static void traffic_advance__query_is_shared_by_distinct_hosts(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 8, 16);
    traffic_use_query(&world);
    world.traffics[0].rate_per_s = 200;
    world.traffics[0].until_ps = WEIR_PS_PER_S / 10;
    world_run(&world);
    uint32_t clients[128] = {0}, answers[128] = {0};
    for (uint32_t first = 0; first < world.count; first += 16) {
        const struct flow_request *query = &world.flows[first].request;
        bool seen[128] = {false};
        int64_t bytes = 0;
        for (uint32_t i = first; i < first + 16; i++) {
            const struct flow_request *flow = &world.flows[i].request;
            assert_int_equal(flow->group, first / 16);
            assert_int_equal(flow->destination, query->destination);
            assert_int_equal(flow->start_ps, query->start_ps);
            assert_int_not_equal(flow->source / 16, flow->destination / 16);
            assert_false(seen[flow->source]);
            assert_int_equal(flow->bytes, 3355443 / 16 + (i - first < 3355443 % 16));
            seen[flow->source] = true;
            bytes += flow->bytes;
            answers[flow->source]++;
        }
        assert_int_equal(bytes, 3355443);
        clients[query->destination]++;
    }
    assert_true(world_fits(world.count / 16, 128 * 20));
    for (uint32_t h = 0; h < 128; h++)
        assert_true(world_fits(clients[h], 20) && world_fits(answers[h], 320));
    world_free(&world);
}

/* Few hosts, many answers: they take turns, so that nobody sends more than one flow more than another. */
static void traffic_advance__query_repeats_responders_in_turn(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 2, 4);
    traffic_use_query(&world);
    world.traffics[0].rate_per_s = 100;
    world.traffics[0].fan_out = 10;
    world.traffics[0].bytes = 1009;
    world_run(&world);
    assert_true(world.count > 1000);
    for (uint32_t first = 0; first < world.count; first += 10) {
        uint32_t sent[8] = {0}, rack = world.flows[first].request.destination / 4;
        int64_t bytes = 0;
        for (uint32_t i = first; i < first + 10; i++) {
            sent[world.flows[i].request.source]++;
            bytes += world.flows[i].request.bytes;
        }
        assert_int_equal(bytes, 1009);
        for (uint32_t h = 0; h < 8; h++)
            assert_true(h / 4 == rack ? sent[h] == 0 : sent[h] == 2 || sent[h] == 3);
    }
    world_free(&world);
}

/* The requests of ABM and Credence: every host of the next rack answers. */
static void traffic_advance__query_without_fan_out_asks_all(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 4);
    traffic_use_query(&world);
    world.traffics[0].pattern = TRAFFIC_PATTERN_NEXT_RACK;
    world.traffics[0].rate_per_s = 50;
    world.traffics[0].fan_out = 0;
    world_run(&world);
    for (uint32_t i = 0; i < world.count; i++) {
        const struct flow_request *flow = &world.flows[i].request;
        assert_int_equal(flow->source / 4, (flow->destination / 4 + 1) % 4);
        assert_int_equal(flow->group, i / 4);
    }
    world_free(&world);
}

static void traffic_advance__incast_comes_at_given_times(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 4);
    world.traffics[0] = (struct traffic_settings){.kind = TRAFFIC_INCAST,
                                                  .from_ps = 5 * WEIR_PS_PER_US,
                                                  .until_ps = WEIR_PS_PER_MS,
                                                  .source_first = 4,
                                                  .source_count = 12,
                                                  .destination_first = 3,
                                                  .fan_out = 7,
                                                  .bytes = 7 * 1000,
                                                  .rounds = 3,
                                                  .interval_ps = 100 * WEIR_PS_PER_US};
    world_run(&world);
    assert_int_equal(world.count, 21);
    for (uint32_t i = 0; i < 21; i++) {
        const struct flow_request *flow = &world.flows[i].request;
        assert_int_equal(flow->start_ps, (5 + 100 * (i / 7)) * WEIR_PS_PER_US);
        assert_int_equal(flow->destination, 3);
        assert_in_range(flow->source, 4, 15);
        assert_int_equal(flow->bytes, 1000);
        assert_int_equal(flow->group, i / 7);
        for (uint32_t j = i / 7 * 7; j < i; j++)
            assert_int_not_equal(world.flows[j].request.source, flow->source);
    }
    world.traffics[0].until_ps = 205 * WEIR_PS_PER_US; /* the third would start then */
    world_run(&world);
    assert_int_equal(world.count, 14);
    world_free(&world);
}

static void traffic_advance__bursts_come_at_a_rate(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 4);
    world.traffics[0] = (struct traffic_settings){.kind = TRAFFIC_BURSTS,
                                                  .from_ps = WEIR_PS_PER_MS,
                                                  .until_ps = 101 * WEIR_PS_PER_MS,
                                                  .source_count = 3,
                                                  .destination_first = 15,
                                                  .destination_count = 1,
                                                  .rate_per_s = 30000,
                                                  .bytes = 3001};
    world_run(&world);
    assert_int_equal(world.count % 3, 0);
    assert_true(world_fits(world.count / 3, 3000));
    world.traffics[0].periodic = true;
    world_run(&world);
    assert_int_equal(world.count / 3, 3001); /* a period of 33,333,333 ps, slightly less than a 30,000th of a second */
    for (uint32_t i = 0; i < world.count; i++) {
        assert_int_equal(world.flows[i].request.start_ps, WEIR_PS_PER_MS + (weir_ps)(i / 3) * 33333333);
        assert_int_equal(world.flows[i].request.bytes, i % 3 == 0 ? 1001 : 1000);
        assert_true(world.flows[i].request.source < 3 && world.flows[i].request.destination == 15);
    }
    world_free(&world);
}

static const struct size_point two_points[] = {{1000, 0.75}, {1000, 0.75}, {5000, 0.75}, {5000, 1}};
static const struct size_table two_sizes = {.name = "two", .points = two_points, .count = 4, .mean_bytes = 2000};
static const struct size_table no_sizes = {.name = "none"};

/* Sizes are drawn apart from times and peers: a query of drawn sizes has the same ones as a query of given bytes. */
static void traffic_advance__query_draws_the_size_of_each_flow(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 8, 16);
    traffic_use_query(&world);
    world.traffics[0].rate_per_s = 200;
    world.traffics[0].until_ps = WEIR_PS_PER_S / 10;
    world_run(&world);
    uint32_t count = world.count, large = 0;
    struct world_flow *given = malloc(count * sizeof *given);
    assert_non_null(given);
    memcpy(given, world.flows, count * sizeof *given);
    world.traffics[0].bytes = 0;
    world.traffics[0].sizes = &two_sizes;
    world_run(&world);
    assert_int_equal(world.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(world.flows[i].request.bytes == 1000 || world.flows[i].request.bytes == 5000);
        large += world.flows[i].request.bytes == 5000;
        world.flows[i].request.bytes = given[i].request.bytes;
        assert_true(world_same(&world.flows[i].request, &given[i].request));
    }
    assert_true(world_fits(large, 0.25 * count));
    free(given);
    world_free(&world);
}

/* The fan-in of DSH's deadlock figure: 1 to 15 flows at a time, so that they load the receivers' links by half. */
static void traffic_advance__query_draws_its_fan_out(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 16);
    world.traffics[0] = (struct traffic_settings){.kind = TRAFFIC_QUERY,
                                                  .until_ps = WEIR_PS_PER_S / 50,
                                                  .source_count = 16,
                                                  .destination_first = 48,
                                                  .destination_count = 16,
                                                  .load = 0.5,
                                                  .oversubscription = 1,
                                                  .fan_out = 15,
                                                  .fan_out_min = 1,
                                                  .sizes = &two_sizes};
    world_run(&world);
    uint32_t of[16] = {0}, queries = count_groups(&world);
    int64_t bytes = 0;
    for (uint32_t i = 0, flows = 1; i < world.count; i++, flows++) {
        const struct flow_request *flow = &world.flows[i].request;
        assert_true(flow->source < 16 && flow->destination >= 48);
        bytes += flow->bytes;
        if (i + 1 < world.count && world.flows[i + 1].request.group == flow->group)
            continue;
        assert_in_range(flows, 1, 15);
        of[flows]++;
        flows = 0;
    }
    for (uint32_t n = 1; n <= 15; n++)
        assert_true(world_fits(of[n], queries / 15.0));
    double formula = 16 * 0.02 * 0.5 * 100e9 / (8 * 8 * 2000.0);
    if (!world_fits(queries, formula))
        fail_msg("%u queries, the formula expects %g", queries, formula);
    double load = 8.0 * (double)bytes / (16 * 0.02 * 100e9);
    assert_true(load > 0.49 && load < 0.51);
    world_free(&world);
}

/* The burst of DSH's figure 22: 1024 flows of 8 KB to one of 256 hosts, from all others. */
static void traffic_advance__many_flows_from_few_senders(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 16, 16);
    world.traffics[0] = (struct traffic_settings){.kind = TRAFFIC_QUERY,
                                                  .until_ps = WEIR_PS_PER_MS,
                                                  .destination_first = 7,
                                                  .destination_count = 1,
                                                  .periodic = true,
                                                  .rate_per_s = 1,
                                                  .fan_out = 1024,
                                                  .bytes = 1024 * 8000};
    world_run(&world);
    assert_int_equal(world.count, 1024);
    uint32_t sent[256] = {0};
    for (uint32_t i = 0; i < 1024; i++) {
        assert_int_equal(world.flows[i].request.bytes, 8000);
        sent[world.flows[i].request.source]++;
    }
    for (uint32_t h = 0; h < 256; h++)
        assert_true(h == 7 ? sent[h] == 0 : sent[h] == 4 || sent[h] == 5);
    world_free(&world);
}

/* Pairs of flows to one host, which load its link by 0.4: DSH's figure 15. */
static void traffic_advance__bursts_come_at_a_load(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 4);
    world.traffics[0] = (struct traffic_settings){.kind = TRAFFIC_BURSTS,
                                                  .until_ps = WEIR_PS_PER_S / 50,
                                                  .source_count = 2,
                                                  .destination_first = 3,
                                                  .load = 0.4,
                                                  .oversubscription = 1,
                                                  .fan_out = 2,
                                                  .bytes = 2 * 64000};
    world_run(&world);
    assert_int_equal(world.count % 2, 0);
    assert_true(world_fits(world.count / 2.0, 0.02 * 0.4 * 100e9 / (8 * 2 * 64000.0)));
    for (uint32_t i = 0; i < world.count; i += 2) {
        assert_int_equal(world.flows[i].request.start_ps, world.flows[i + 1].request.start_ps);
        assert_int_equal(world.flows[i].request.source + world.flows[i + 1].request.source, 1);
    }
    world_free(&world);
}

/* Spreading moves the starts of answers and nothing else: evenly, up to the spread, from the seed. */
static void traffic_advance__answers_are_spread(void **state)
{
    (void)state;
    const weir_ps spread_ps = 400 * WEIR_PS_PER_US;
    struct world plain, spread, again;
    struct world *worlds[] = {&plain, &spread, &again};
    for (size_t w = 0; w < 3; w++) {
        world_init(worlds[w], 8, 16);
        traffic_use_query(worlds[w]);
        worlds[w]->traffics[0].rate_per_s = 50;
        worlds[w]->traffics[0].spread_ps = w > 0 ? spread_ps : 0;
        world_run(worlds[w]);
    }
    assert_true(plain.count > 50000);
    assert_int_equal(spread.count, plain.count);
    uint32_t quarter[4] = {0};
    for (uint32_t i = 0; i < plain.count; i++) {
        struct flow_request r = spread.flows[i].request;
        assert_true(world_same(&r, &again.flows[i].request));
        assert_true(r.wait_ps >= 0 && r.wait_ps <= spread_ps);
        quarter[r.wait_ps * 4 / (spread_ps + 1)]++;
        r.start_ps -= r.wait_ps;
        assert_int_equal(spread.flows[i].id, plain.flows[i].id);
        assert_true(world_same(&r, &plain.flows[i].request));
    }
    for (uint32_t q = 0; q < 4; q++)
        assert_true(world_fits(quarter[q], plain.count / 4.0));
    for (size_t w = 0; w < 3; w++)
        world_free(worlds[w]);
}

/* Ends a request at both of its ends, a little after it was sent. */
static void answer_request(struct world *world, const struct flow_request *request, weir_ps now)
{
    struct traffic_sink sink = world_sink(world);
    const struct flow_ended ended = {request->traffic, request->source,     request->destination,
                                     request->cookie,  request->is_request, request->group};
    uint32_t before = world->count;
    assert_true(traffic_ended(world->traffic, &ended, false, now, &sink));
    assert_int_equal(world->count, before);
    assert_true(traffic_ended(world->traffic, &ended, true, now, &sink));
    assert_int_equal(world->count, before + 1);
}

/* A request goes from the client to each responder; when it is there the answer starts, with the id, size and responder
 * that it has without requests. */
static void traffic_ended__requests_are_answered(void **state)
{
    (void)state;
    struct world plain, asked;
    world_init(&plain, 8, 16);
    world_init(&asked, 8, 16);
    traffic_use_query(&plain);
    plain.traffics[0].rate_per_s = 20;
    plain.traffics[0].fan_out_min = 5;
    asked.traffics[0] = plain.traffics[0];
    asked.traffics[0].request_bytes = 100;
    asked.traffics[0].spread_ps = 1000;
    assert_false(traffic_is_closed(&plain.traffics[0]));
    assert_true(traffic_is_closed(&asked.traffics[0]));
    world_run(&plain);
    world_run(&asked);
    uint32_t count = asked.count;
    assert_int_equal(count, plain.count);
    for (uint32_t k = count; k-- > 0;) { /* the order of arrival does not matter */
        struct flow_request request = asked.flows[k].request;
        const struct flow_request *expected = &plain.flows[k].request;
        assert_true(request.is_request);
        assert_int_equal(request.bytes, 100);
        assert_int_equal(request.source, expected->destination);
        assert_int_equal(request.destination, expected->source);
        assert_int_equal(request.start_ps, expected->start_ps);
        assert_int_equal(asked.flows[k].id, UINT32_MAX - k);
        answer_request(&asked, &request, request.start_ps + 777);
        const struct world_flow *answer = &asked.flows[asked.count - 1];
        struct flow_request r = answer->request;
        assert_int_equal(answer->id, plain.flows[k].id);
        assert_false(r.is_request);
        assert_int_equal(r.start_ps - r.wait_ps, expected->start_ps);
        assert_true(r.wait_ps >= 777 && r.wait_ps <= 1777);
        assert_true(r.group_flows >= 5 && r.group_flows <= 16);
        r.start_ps = expected->start_ps;
        assert_true(world_same(&r, expected));
    }
    world_free(&plain);
    world_free(&asked);
}

static void traffic_create__says_what_is_wrong_with_a_gathering(void **state)
{
    (void)state;
    static const struct {
        struct traffic_settings traffic;
        const char *expected;
    } cases[] = {
        {{.kind = TRAFFIC_QUERY, .rate_per_s = 1, .bytes = 15, .fan_out = 16}, "15 bytes cannot be shared by 16"},
        {{.kind = TRAFFIC_QUERY, .rate_per_s = 1, .fan_out = 16}, "0 bytes; a flow has 1"},
        {{.kind = TRAFFIC_QUERY, .rate_per_s = -1, .bytes = 1000}, "-1 launches per second"},
        {{.kind = TRAFFIC_QUERY, .rate_per_s = 2e12, .bytes = 1000}, "2e+12 launches per second"},
        {{.kind = TRAFFIC_QUERY, .bytes = 1000}, "load 0"},
        {{.kind = TRAFFIC_QUERY, .bytes = 1000, .load = 1}, "oversubscription 0"},
        {{.kind = TRAFFIC_INCAST, .bytes = 1000}, "traffic 0: incast: needs at least 1 round"},
        {{.kind = TRAFFIC_INCAST, .bytes = 1000, .rounds = 2, .interval_ps = -1}, "the interval"},
        {{.kind = TRAFFIC_INCAST, .bytes = 1000, .rounds = 2, .destination_count = 2}, "has one destination, not 2"},
        {{.kind = TRAFFIC_BURSTS, .bytes = 1000}, "load 0"},
        {{.kind = TRAFFIC_BURSTS, .bytes = 1000, .rate_per_s = -1}, "-1 launches per second"},
        {{.kind = TRAFFIC_QUERY, .rate_per_s = 1, .bytes = -1, .sizes = &two_sizes}, "-1 bytes; a flow has 1"},
        {{.kind = TRAFFIC_QUERY, .rate_per_s = 1, .sizes = &no_sizes}, "needs a size table"},
        {{.kind = TRAFFIC_QUERY, .rate_per_s = 1, .bytes = 1000, .fan_out = 3, .fan_out_min = 4},
         "a fan-out of 4 to 3"},
        {{.kind = TRAFFIC_QUERY, .rate_per_s = 1, .bytes = 14, .fan_out = 15, .fan_out_min = 1},
         "14 bytes cannot be shared by 15"},
        {{.kind = TRAFFIC_BURSTS, .bytes = 1000, .rate_per_s = 1, .source_count = 1}, "host 0 has no eligible peer"},
        {{.kind = TRAFFIC_QUERY, .rate_per_s = 1, .bytes = 1000, .spread_ps = -1}, "answers are spread over 0"},
        {{.kind = TRAFFIC_QUERY, .rate_per_s = 1, .bytes = 1000, .request_bytes = INT64_MAX}, "a flow has 1 to"},
    };
    struct world world;
    world_init(&world, 4, 4);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        world.traffics[0] = cases[c].traffic;
        world.traffics[0].until_ps = WEIR_PS_PER_S;
        assert_false(world_create(&world));
        if (!strstr(ERROR_LINE(&world.error), cases[c].expected))
            fail_msg("case %zu: %s", c, ERROR_LINE(&world.error));
    }
    world_free(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traffic_advance__query_load_gives_occamys_rates),
        cmocka_unit_test(traffic_advance__query_is_shared_by_distinct_hosts),
        cmocka_unit_test(traffic_advance__query_repeats_responders_in_turn),
        cmocka_unit_test(traffic_advance__query_without_fan_out_asks_all),
        cmocka_unit_test(traffic_advance__incast_comes_at_given_times),
        cmocka_unit_test(traffic_advance__bursts_come_at_a_rate),
        cmocka_unit_test(traffic_advance__query_draws_the_size_of_each_flow),
        cmocka_unit_test(traffic_advance__query_draws_its_fan_out),
        cmocka_unit_test(traffic_advance__many_flows_from_few_senders),
        cmocka_unit_test(traffic_advance__bursts_come_at_a_load),
        cmocka_unit_test(traffic_advance__answers_are_spread),
        cmocka_unit_test(traffic_ended__requests_are_answered),
        cmocka_unit_test(traffic_create__says_what_is_wrong_with_a_gathering),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
