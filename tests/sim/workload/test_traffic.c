/*
 * test_traffic.c - open traffic whose flows stand alone: rates and loads, patterns, order, ids.
 */
#include "tests/support/traffic_world.h"

static void traffic_use_poisson(struct world *world, uint32_t index, double load)
{
    world->traffics[index].kind = TRAFFIC_POISSON;
    world->traffics[index].sizes = size_table_find("websearch");
    world->traffics[index].load = load;
}

/* E[size^2] of a table whose draws are uniform between neighbouring points. */
static double mean_square(const struct size_table *table)
{
    double sum = 0;
    for (uint32_t i = 1; i < table->count; i++) {
        double x = table->points[i - 1].bytes, y = table->points[i].bytes;
        sum += (table->points[i].cumulative - table->points[i - 1].cumulative) * (x * x + x * y + y * y) / 3;
    }
    return sum;
}

/* Flows and bytes offered in the launch window, against a compound Poisson process: within 4 standard deviations. */
static void traffic_advance__poisson_offers_the_load(void **state)
{
    (void)state;
    static const struct {
        const char *table;
        double load, oversubscription;
    } cases[] = {{"websearch", 0.4, 1}, {"websearch-16", 0.9, 2}, {"hadoop", 0.3, 1}, {"storage", 0.02, 4}};
    struct world world;
    world_init(&world, 8, 16);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct traffic_settings *traffic = &world.traffics[0];
        *traffic = (struct traffic_settings){.kind = TRAFFIC_POISSON,
                                             .from_ps = 10 * WEIR_PS_PER_MS,
                                             .until_ps = 110 * WEIR_PS_PER_MS,
                                             .sizes = size_table_find(cases[c].table),
                                             .load = cases[c].load,
                                             .oversubscription = cases[c].oversubscription};
        world_run(&world);
        double offered_bytes = 128 * cases[c].load * 100e9 / cases[c].oversubscription * 0.1 / 8;
        double flows = offered_bytes / traffic->sizes->mean_bytes, bytes = 0;
        for (uint32_t i = 0; i < world.count; i++) {
            assert_in_range(world.flows[i].request.start_ps, traffic->from_ps, traffic->until_ps - 1);
            assert_int_equal(world.flows[i].request.group, FLOW_NO_GROUP);
            bytes += (double)world.flows[i].request.bytes;
        }
        assert_true(world_fits(world.count, flows));
        double variance = flows * mean_square(traffic->sizes);
        assert_true((bytes - offered_bytes) * (bytes - offered_bytes) <= 16 * variance);
    }
    world_free(&world);
}

/* Gaps of one sender are exponential: the shares above 1/4, 1 and 2 means are e^-x. */
static void traffic_advance__poisson_gaps_are_exponential(void **state)
{
    (void)state;
    static const double limit[] = {0.25, 1, 2};
    struct world world;
    world_init(&world, 2, 2);
    traffic_use_poisson(&world, 0, 0.9);
    world.traffics[0].sizes = size_table_find("rpc");
    world.traffics[0].source_count = 1;
    world.traffics[0].until_ps = 20 * WEIR_PS_PER_MS;
    world_run(&world);
    assert_true(world.count > 50000);
    double mean_ps = 8 * world.traffics[0].sizes->mean_bytes / (0.9 * 100e9) * 1e12;
    for (size_t c = 0; c < 3; c++) {
        uint32_t above = 0;
        for (uint32_t i = 1; i < world.count; i++) {
            weir_ps gap = world.flows[i].request.start_ps - world.flows[i - 1].request.start_ps;
            above += (double)gap > limit[c] * mean_ps;
        }
        double share = weir_exp(-limit[c]), error = above - (world.count - 1) * share;
        assert_true(error * error <= 16 * world.count * share * (1 - share));
    }
    world_free(&world);
}

/* A sender whose link has another rate loads that link. */
static void traffic_advance__poisson_follows_the_senders_link(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 2, 2);
    traffic_use_poisson(&world, 0, 0.5);
    for (uint32_t i = 0; i < world.topology.link_count; i++)
        if (world.topology.links[i].a == 1 || world.topology.links[i].b == 1)
            world.topology.links[i].rate_bps /= 10;
    world_run(&world);
    uint32_t flows[4] = {0};
    for (uint32_t i = 0; i < world.count; i++)
        flows[world.flows[i].request.source]++;
    double fast = 0.5 * 100e9 / (8 * 1711250.0);
    assert_true(world_fits(flows[0], fast) && world_fits(flows[1], fast / 10) && world_fits(flows[3], fast));
    world_free(&world);
}

static void traffic_advance__patterns_choose_the_right_hosts(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 4);
    for (int pattern = 0; pattern < TRAFFIC_PATTERN_COUNT; pattern++) {
        uint32_t pairs[16][16] = {{0}};
        traffic_use_poisson(&world, 0, 1);
        world.traffics[0].pattern = (enum traffic_pattern)pattern;
        world_run(&world);
        for (uint32_t i = 0; i < world.count; i++)
            pairs[world.flows[i].request.source][world.flows[i].request.destination]++;
        double per_host = 100e9 / (8 * 1711250.0);
        for (uint32_t from = 0; from < 16; from++) {
            uint32_t used = 0;
            for (uint32_t to = 0; to < 16; to++)
                used += pairs[from][to] > 0;
            static const uint32_t expected[TRAFFIC_PATTERN_COUNT] = {15, 12, 4, 1, 1};
            assert_int_equal(used, expected[pattern]);
            for (uint32_t to = 0; to < 16; to++) {
                assert_true(pairs[from][to] == 0 || world_fits(pairs[from][to], per_host / used));
                bool other = from / 4 != to / 4, next = to / 4 == (from / 4 + 1) % 4;
                assert_false(pattern == TRAFFIC_PATTERN_OTHER_RACK && pairs[from][to] > 0 && !other);
                assert_false(pattern == TRAFFIC_PATTERN_NEXT_RACK && pairs[from][to] > 0 && !next);
                assert_false(pattern == TRAFFIC_PATTERN_ONE_TO_ONE && pairs[from][to] > 0 && to != (from + 8) % 16);
            }
        }
    }
    world_free(&world);
}

/* What one traffic launches, in order, without ids. */
static struct flow_request *only_of(const struct world *world, uint32_t index, uint32_t *count)
{
    struct flow_request *found = malloc((world->count + 1) * sizeof *found);
    *count = 0;
    for (uint32_t i = 0; i < world->count; i++)
        if (world->flows[i].request.traffic == index)
            found[(*count)++] = world->flows[i].request;
    return found;
}

static void traffic_advance__streams_do_not_affect_each_other(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 4);
    traffic_use_poisson(&world, 0, 0.5);
    world_run(&world);
    uint32_t alone_count, count;
    struct flow_request *alone = only_of(&world, 0, &alone_count);
    world.config.traffic_count = 3;
    traffic_use_poisson(&world, 1, 0.5);
    world.traffics[2] = (struct traffic_settings){
        .kind = TRAFFIC_ALL_TO_ALL, .until_ps = WEIR_PS_PER_S, .bytes = 100, .concurrency = 2, .rounds = 1};
    world_run(&world);
    struct flow_request *together = only_of(&world, 0, &count);
    assert_int_equal(count, alone_count);
    for (uint32_t i = 0; i < count; i++)
        assert_true(world_same(&alone[i], &together[i]));
    uint32_t second_count;
    struct flow_request *second = only_of(&world, 1, &second_count);
    assert_true(second_count > 100 && second[0].start_ps != alone[0].start_ps);
    free(alone);
    free(together);
    free(second);
    world_free(&world);
}

/* However the windows are cut: one order, and ids in that order. */
static void traffic_advance__windows_have_no_effect(void **state)
{
    (void)state;
    struct world whole, cut;
    struct world *worlds[] = {&whole, &cut};
    for (size_t w = 0; w < 2; w++) {
        world_init(worlds[w], 4, 4);
        worlds[w]->config.traffic_count = 2;
        traffic_use_poisson(worlds[w], 0, 0.5);
        traffic_use_poisson(worlds[w], 1, 0.2);
    }
    world_run(&whole);
    assert_true(world_create(&cut));
    struct traffic_sink sink = world_sink(&cut);
    for (weir_ps end = 0; traffic_next(cut.traffic) != WEIR_NEVER; end += 777777777) {
        assert_true(traffic_advance(cut.traffic, end, &sink));
        assert_true(cut.count == 0 || cut.flows[cut.count - 1].request.start_ps < end);
        assert_true(traffic_next(cut.traffic) >= end);
    }
    assert_int_equal(cut.count, whole.count);
    for (uint32_t i = 0; i < whole.count; i++) {
        assert_true(world_same(&cut.flows[i].request, &whole.flows[i].request));
        assert_int_equal(cut.flows[i].id, i + 1);
        assert_int_equal(whole.flows[i].id, i + 1);
        assert_true(i == 0 || whole.flows[i].request.start_ps >= whole.flows[i - 1].request.start_ps);
    }
    world_free(&whole);
    world_free(&cut);
}

static void traffic_advance__seeds_differ(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 2, 2);
    traffic_use_poisson(&world, 0, 0.5);
    world_run(&world);
    struct flow_request first = world.flows[0].request;
    world.config.seed = 2;
    world_run(&world);
    assert_true(first.start_ps != world.flows[0].request.start_ps);
    world_free(&world);
}

static void traffic_advance__stops_when_the_sink_refuses(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 2, 2);
    traffic_use_poisson(&world, 0, 0.5);
    world.refuse_at = 5;
    assert_true(world_create(&world));
    struct traffic_sink sink = world_sink(&world);
    assert_false(traffic_advance(world.traffic, WEIR_NEVER, &sink));
    assert_int_equal(world.count, 5);
    world_free(&world);
}

/* 10,000 hosts with four traffics: a second of drawing at most, and little memory per stream. */
static void traffic_create__bears_ten_thousand_hosts(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 100, 100);
    world.config.traffic_count = 4;
    traffic_use_poisson(&world, 0, 0.5);
    traffic_use_poisson(&world, 1, 0.1);
    world.traffics[1].pattern = TRAFFIC_PATTERN_PERMUTATION;
    for (uint32_t i = 2; i < 4; i++)
        world.traffics[i] = (struct traffic_settings){.kind = TRAFFIC_QUERY,
                                                      .rate_per_s = 200,
                                                      .fan_out = 4,
                                                      .bytes = 4096,
                                                      .pattern = TRAFFIC_PATTERN_OTHER_RACK};
    for (uint32_t i = 0; i < 4; i++)
        world.traffics[i].until_ps = WEIR_PS_PER_MS;
    world_run(&world);
    double expected = 10000 * (0.6 * 100e9 / (8 * 1711250.0) + 2 * 4 * 200) * 1e-3;
    assert_true(world.count > 0.9 * expected && world.count < 1.1 * expected);
    world_free(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traffic_advance__poisson_offers_the_load),
        cmocka_unit_test(traffic_advance__poisson_gaps_are_exponential),
        cmocka_unit_test(traffic_advance__poisson_follows_the_senders_link),
        cmocka_unit_test(traffic_advance__patterns_choose_the_right_hosts),
        cmocka_unit_test(traffic_advance__streams_do_not_affect_each_other),
        cmocka_unit_test(traffic_advance__windows_have_no_effect),
        cmocka_unit_test(traffic_advance__seeds_differ),
        cmocka_unit_test(traffic_advance__stops_when_the_sink_refuses),
        cmocka_unit_test(traffic_create__bears_ten_thousand_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
