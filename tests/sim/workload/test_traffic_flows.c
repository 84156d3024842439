/*
 * test_traffic_flows.c - batches of Poisson flows, long flows and lists: which, when, and what is refused.
 */
#include "tests/support/error_line.h"
#include "tests/support/traffic_world.h"

/* As many bytes as without a batch, in launches of eight flows with destinations and sizes of their own. */
static void traffic_advance__poisson_in_batches(void **state)
{
    (void)state;
    static const struct size_point points[] = {{500, 0}, {1500, 1}};
    static const struct size_table sizes = {.name = "even", .points = points, .count = 2, .mean_bytes = 1000};
    struct world world;
    world_init(&world, 4, 4);
    world.traffics[0] = (struct traffic_settings){
        .until_ps = WEIR_PS_PER_MS, .sizes = &sizes, .load = 0.5, .oversubscription = 1, .batch = 8};
    world_run(&world);
    assert_int_equal(world.count % 8, 0);
    assert_true(world_fits(world.count / 8.0, 16 * 0.001 * 0.5 * 100e9 / (8 * 8 * 1000.0)));
    uint32_t alike = 0;
    for (uint32_t i = 0; i < world.count; i++) {
        const struct flow_request *first = &world.flows[i / 8 * 8].request, *flow = &world.flows[i].request;
        assert_int_equal(flow->start_ps, first->start_ps);
        assert_int_equal(flow->source, first->source);
        alike += i % 8 > 0 && flow->destination == first->destination;
    }
    assert_true(world_fits(alike, world.count * 7.0 / 8 / 15));
    world.traffics[0].batch = 1;
    world_run(&world);
    assert_true(world_fits(world.count, 16 * 0.001 * 0.5 * 100e9 / (8 * 1000.0)));
    struct flow_request last = world.flows[world.count - 1].request;
    world.traffics[0].batch = 0;
    world_run(&world);
    assert_true(world_same(&world.flows[world.count - 1].request, &last));
    world_free(&world);
}

static void traffic_advance__long_pairs_follow_the_ranges(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 4);
    world.traffics[0] = (struct traffic_settings){.kind = TRAFFIC_LONG,
                                                  .tag = 1,
                                                  .from_ps = WEIR_PS_PER_US,
                                                  .until_ps = WEIR_PS_PER_S,
                                                  .source_first = 1,
                                                  .source_count = 5,
                                                  .destination_first = 10,
                                                  .destination_count = 2,
                                                  .concurrency = 3,
                                                  .interval_ps = 7};
    world_run(&world);
    assert_int_equal(world.count, 15);
    for (uint32_t i = 0; i < 15; i++) {
        const struct flow_request *flow = &world.flows[i].request;
        assert_int_equal(world.flows[i].id, i + 1);
        assert_int_equal(flow->source, 1 + i / 3);
        assert_int_equal(flow->destination, 10 + i / 3 % 2);
        assert_int_equal(flow->start_ps, WEIR_PS_PER_US + 7 * (weir_ps)i);
        assert_int_equal(flow->bytes, FLOW_ENDLESS);
        assert_int_equal(flow->tag, 1);
        assert_int_equal(flow->group, FLOW_NO_GROUP);
    }
    world_free(&world);
}

static void traffic_advance__long_pairs_follow_the_pattern(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 4);
    for (int pattern = 0; pattern < TRAFFIC_PATTERN_COUNT; pattern++) {
        world.traffics[0] = (struct traffic_settings){.kind = TRAFFIC_LONG,
                                                      .until_ps = WEIR_PS_PER_S,
                                                      .pattern = (enum traffic_pattern)pattern,
                                                      .bytes = 12345,
                                                      .concurrency = 2};
        world_run(&world);
        assert_int_equal(world.count, 32);
        uint32_t received[16] = {0};
        for (uint32_t i = 0; i < 32; i++) {
            const struct flow_request *flow = &world.flows[i].request;
            assert_int_equal(flow->source, i / 2);
            assert_int_equal(flow->destination, world.flows[i / 2 * 2].request.destination);
            assert_int_equal(flow->start_ps, 0);
            assert_int_equal(flow->bytes, 12345);
            received[flow->destination]++;
            if (pattern == TRAFFIC_PATTERN_NEXT_RACK)
                assert_int_equal(flow->destination / 4, (flow->source / 4 + 1) % 4);
        }
        for (uint32_t h = 0; h < 16; h++)
            assert_true(pattern < TRAFFIC_PATTERN_PERMUTATION || received[h] == 2);
    }
    world_free(&world);
}

static void traffic_advance__list_keeps_what_is_in_the_window(void **state)
{
    (void)state;
    static const struct listed_flow flows[] = {{.start_ps = 0, .source = 0, .destination = 1, .bytes = 10, .tag = 0},
                                               {.start_ps = 5, .source = 1, .destination = 2, .bytes = 20, .tag = 1},
                                               {.start_ps = 5, .source = 3, .destination = 2, .bytes = 30, .tag = 0},
                                               {.start_ps = 9, .source = 2, .destination = 0, .bytes = 40, .tag = 1},
                                               {.start_ps = 10, .source = 0, .destination = 3, .bytes = 50, .tag = 0}};
    struct world world;
    world_init(&world, 2, 2);
    world.traffics[0] =
        (struct traffic_settings){.kind = TRAFFIC_LIST, .from_ps = 5, .until_ps = 10, .flows = flows, .listed = 5};
    world_run(&world);
    assert_int_equal(world.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct flow_request *flow = &world.flows[i].request;
        assert_int_equal(flow->start_ps, flows[i + 1].start_ps);
        assert_int_equal(flow->source, flows[i + 1].source);
        assert_int_equal(flow->destination, flows[i + 1].destination);
        assert_int_equal(flow->bytes, flows[i + 1].bytes);
        assert_int_equal(flow->tag, flows[i + 1].tag);
        assert_int_equal(flow->packet_bytes, 0);
    }
    world.traffics[0].listed = 0;
    world_run(&world);
    assert_int_equal(world.count, 0);
    world_free(&world);
}

static void traffic_advance__packets_have_their_size_and_class(void **state)
{
    (void)state;
    static const struct listed_packet packets[] = {
        {0, 0, 1, 1500, 3, true}, {5, 1, 2, 40, 0, false}, {5, 3, 2, 41, 1, false}};
    static const int64_t payload[] = {1460, 1, 1};
    struct world world;
    world_init(&world, 2, 2);
    world.traffics[0] =
        (struct traffic_settings){.kind = TRAFFIC_PACKETS, .tag = 1, .until_ps = 10, .packets = packets, .listed = 3};
    world_run(&world);
    assert_int_equal(world.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct flow_request *flow = &world.flows[i].request;
        assert_int_equal(flow->packet_bytes, packets[i].bytes);
        assert_int_equal(flow->bytes, payload[i]);
        assert_int_equal(flow->packet_tc, packets[i].tc);
        assert_int_equal(flow->packet_ecn, packets[i].ecn);
        assert_int_equal(flow->tag, 1);
    }
    world_free(&world);
}

/* At one instant: by traffic, then by stream. Ids of open flows begin after those set aside for closed traffic. */
static void traffic_advance__equal_times_go_by_traffic(void **state)
{
    (void)state;
    static const struct listed_flow flows[] = {{.start_ps = 0, .source = 0, .destination = 1, .bytes = 10, .tag = 0},
                                               {.start_ps = 100, .source = 1, .destination = 2, .bytes = 20, .tag = 0}};
    struct world world;
    world_init(&world, 2, 2);
    world.config.traffic_count = 4;
    for (uint32_t i = 0; i < 4; i += 2)
        world.traffics[i] =
            (struct traffic_settings){.kind = TRAFFIC_LIST, .until_ps = 1000, .flows = flows, .listed = 2};
    world.traffics[1] = (struct traffic_settings){
        .kind = TRAFFIC_ALL_TO_ALL, .from_ps = 100, .until_ps = 1000, .bytes = 1, .concurrency = 1, .rounds = 1};
    world.traffics[3] = (struct traffic_settings){.kind = TRAFFIC_LONG, .until_ps = 1000, .concurrency = 1};
    world_run(&world);
    static const struct {
        uint32_t traffic, id;
    } expected[] = {{0, 13}, {2, 14}, {3, 15}, {3, 16}, {3, 17}, {3, 18},
                    {0, 19}, {1, 1},  {1, 4},  {1, 7},  {1, 10}, {2, 20}};
    assert_int_equal(world.count, sizeof expected / sizeof expected[0]);
    for (uint32_t i = 0; i < world.count; i++) {
        assert_int_equal(world.flows[i].request.traffic, expected[i].traffic);
        assert_int_equal(world.flows[i].id, expected[i].id);
    }
    world_free(&world);
}

static const struct listed_flow bad_flows[][2] = {
    {{.start_ps = 0, .source = 0, .destination = 1, .bytes = 10, .tag = 0},
     {.start_ps = 5, .source = 1, .destination = 16, .bytes = 20, .tag = 0}},
    {{.start_ps = 0, .source = 0, .destination = 1, .bytes = 10, .tag = 0},
     {.start_ps = 5, .source = 1, .destination = 1, .bytes = 20, .tag = 0}},
    {{.start_ps = 7, .source = 0, .destination = 1, .bytes = 10, .tag = 0},
     {.start_ps = 5, .source = 1, .destination = 2, .bytes = 20, .tag = 0}},
    {{.start_ps = 0, .source = 0, .destination = 1, .bytes = 10, .tag = 0},
     {.start_ps = 5, .source = 1, .destination = 2, .bytes = 0, .tag = 0}},
    {{.start_ps = 0, .source = 0, .destination = 1, .bytes = 10, .tag = 0},
     {.start_ps = 5, .source = 1, .destination = 2, .bytes = 9, .tag = 2}},
    {{.start_ps = -1, .source = 0, .destination = 1, .bytes = 10, .tag = 0},
     {.start_ps = 5, .source = 1, .destination = 2, .bytes = 9, .tag = 0}},
};
static const struct listed_packet bad_packets[] = {{0, 0, 1, 1501, 0, false}, {0, 0, 1, 0, 0, false}};

static void traffic_create__says_what_is_wrong(void **state)
{
    (void)state;
    const struct size_table *sizes = size_table_find("rpc");
    const struct {
        struct traffic_settings traffic;
        const char *expected;
    } cases[] = {
        {{.kind = TRAFFIC_COUNT}, "traffic 0: unknown kind 13"},
        {{.kind = TRAFFIC_POISSON}, "traffic 0: poisson: needs a size table"},
        {{.kind = TRAFFIC_POISSON, .sizes = sizes}, "load 0"},
        {{.kind = TRAFFIC_POISSON, .sizes = sizes, .load = 1}, "oversubscription 0"},
        {{.sizes = sizes, .load = 1, .oversubscription = 1, .periodic = true}, "periodic"},
        {{.sizes = sizes, .load = 1, .oversubscription = 1, .pattern = TRAFFIC_PATTERN_COUNT}, "unknown pattern 5"},
        {{.sizes = sizes, .load = 1, .oversubscription = 1, .from_ps = -1}, "launches end after they begin"},
        {{.sizes = sizes, .load = 1, .oversubscription = 1, .from_ps = WEIR_PS_PER_S}, "launches end"},
        {{.sizes = sizes, .load = 1, .oversubscription = 1, .source_first = 16, .source_count = 1}, "hosts 0 to 15"},
        {{.sizes = sizes, .load = 1, .oversubscription = 1, .source_first = 9, .source_count = 8}, "hosts 0 to 15"},
        {{.sizes = sizes, .load = 1, .oversubscription = 1, .destination_count = 17}, "hosts 0 to 15"},
        {{.sizes = sizes, .load = 1, .oversubscription = 1, .source_first = 1, .source_count = UINT32_MAX}, "hosts 0"},
        {{.kind = TRAFFIC_LONG}, "concurrency of at least 1"},
        {{.kind = TRAFFIC_LONG, .concurrency = 1, .bytes = -1}, "-1 bytes"},
        {{.kind = TRAFFIC_LONG, .concurrency = 1, .bytes = INT64_MAX}, "a flow has 1 to 6270652249240"},
        {{.kind = TRAFFIC_LONG, .concurrency = 1, .interval_ps = -1}, "the interval"},
        {{.kind = TRAFFIC_LONG, .concurrency = 1, .destination_first = 3, .destination_count = 1}, "host 3 would send"},
        {{.kind = TRAFFIC_LIST, .flows = bad_flows[0], .listed = 2}, "entry 1 goes from host 1 to 16"},
        {{.kind = TRAFFIC_LIST, .flows = bad_flows[1], .listed = 2}, "entry 1 goes from host 1 to 1"},
        {{.kind = TRAFFIC_LIST, .flows = bad_flows[2], .listed = 2}, "entry 1 starts before the one above it"},
        {{.kind = TRAFFIC_LIST, .flows = bad_flows[3], .listed = 2}, "0 bytes"},
        {{.kind = TRAFFIC_LIST, .flows = bad_flows[4], .listed = 2}, "entry 1 has tag 2; there are 2"},
        {{.kind = TRAFFIC_LIST, .flows = bad_flows[5], .listed = 2}, "entry 0 starts outside"},
        {{.kind = TRAFFIC_PACKETS, .packets = &bad_packets[0], .listed = 1}, "entry 0 has 1501 bytes"},
        {{.kind = TRAFFIC_PACKETS, .packets = &bad_packets[1], .listed = 1}, "entry 0 has 0 bytes"},
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
        cmocka_unit_test(traffic_advance__poisson_in_batches),
        cmocka_unit_test(traffic_advance__long_pairs_follow_the_ranges),
        cmocka_unit_test(traffic_advance__long_pairs_follow_the_pattern),
        cmocka_unit_test(traffic_advance__list_keeps_what_is_in_the_window),
        cmocka_unit_test(traffic_advance__packets_have_their_size_and_class),
        cmocka_unit_test(traffic_advance__equal_times_go_by_traffic),
        cmocka_unit_test(traffic_create__says_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
