/*
 * test_traffic_on_off.c - on-off traffic: the moments of its times, the share and rate of both kinds of flows in TDT's
 * mixed trace, and that flows of one source never overlap.
 */
#include <math.h>

#include "tests/support/error_line.h"
#include "tests/support/traffic_world.h"

#define BURST_BPS 80000000000
#define LONG_BPS 15000000000
#define SECONDS 2000

/* Section VI-C of TDT: bursts of 80 Gb/s for 200 us, long-lived flows of 15 Gb/s for 100 ms, one in ten, which load a
 * port of 10 Gb/s by 20 %. */
static void use_mixed_trace(struct world *world)
{
    world->config.until_ps = (weir_ps)SECONDS * WEIR_PS_PER_S;
    world->traffics[0] = (struct traffic_settings){.kind = TRAFFIC_ON_OFF,
                                                   .until_ps = world->config.until_ps,
                                                   .source_first = 8,
                                                   .source_count = 8,
                                                   .destination_count = 8,
                                                   .on_ps = 200 * WEIR_PS_PER_US,
                                                   .off_ps = 72020 * WEIR_PS_PER_US,
                                                   .variation = 1,
                                                   .on_rate_bps = BURST_BPS,
                                                   .long_share = 0.1,
                                                   .long_on_ps = 100 * WEIR_PS_PER_MS,
                                                   .long_rate_bps = LONG_BPS,
                                                   .long_transport = 1,
                                                   .long_tag = 1};
}

/* How long a flow sends, from its bytes. */
static double on_time(const struct flow_request *r)
{
    double rate = r->tag == 1 ? LONG_BPS : BURST_BPS;
    return (double)r->bytes * 1500 / 1460 * 8 / rate;
}

struct moments {
    double count, sum, squares;
};

static void moments_add(struct moments *m, double x)
{
    m->count++;
    m->sum += x;
    m->squares += x * x;
}

static void moments_check(const struct moments *m, const char *what, double mean, double variation)
{
    double average = m->sum / m->count;
    double deviation = sqrt(m->squares / m->count - average * average) / average;
    if (fabs(average / mean - 1) > 0.02 || fabs(deviation - variation) > 0.1)
        fail_msg("%s: mean %g (expected %g), variation %g (expected %g)", what, average, mean, deviation, variation);
}

static void traffic_advance__on_off_is_the_mixed_trace_of_tdt(void **state)
{
    (void)state;
    struct moments burst = {0}, lasting = {0}, off = {0};
    double busy_until[16] = {0};
    struct world world;
    world_init(&world, 4, 4);
    use_mixed_trace(&world);
    world_run(&world);
    for (uint32_t i = 0; i < world.count; i++) {
        const struct flow_request *r = &world.flows[i].request;
        double start = (double)r->start_ps * 1e-12, gap = start - busy_until[r->source];
        assert_int_equal(r->destination, r->source - 8);
        assert_int_equal(r->transport, r->tag);
        assert_true(gap > -1e-9); /* no flow of a source begins before the last one is over; bytes are whole */
        busy_until[r->source] = start + on_time(r);
        moments_add(r->tag == 1 ? &lasting : &burst, on_time(r));
        moments_add(&off, gap);
    }
    moments_check(&burst, "bursts", 200e-6, 1);
    moments_check(&lasting, "long-lived", 100e-3, 1);
    moments_check(&off, "off", 72.02e-3, 1);
    /* 10.95 and 1.217 per second and port */
    assert_true(fabs(burst.count / (8.0 * SECONDS) / 10.95 - 1) < 0.02);
    assert_true(fabs(lasting.count / (8.0 * SECONDS) / 1.217 - 1) < 0.02);
    world_free(&world);
}

/* Log-normal, not exponential: of the same mean and variation, but with next to nothing near 0. */
static void traffic_advance__on_off_times_are_log_normal(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 4);
    use_mixed_trace(&world);
    world.traffics[0].long_share = 0;
    world_run(&world);
    uint32_t below_median = 0, small = 0;
    double median = 200e-6 / sqrt(2);
    for (uint32_t i = 0; i < world.count; i++) {
        double on = on_time(&world.flows[i].request);
        assert_int_equal(world.flows[i].request.tag, 0);
        below_median += on < median;
        small += on < 0.05 * 200e-6;
    }
    assert_true(fabs((double)below_median / world.count - 0.5) < 0.01);
    assert_true((double)small / world.count < 0.01); /* 0.08 %; of an exponential distribution 4.9 % */
    world_free(&world);
}

static void traffic_advance__on_off_may_be_constant(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 4);
    use_mixed_trace(&world);
    world.traffics[0].variation = 0;
    world.traffics[0].long_share = 0;
    world.traffics[0].until_ps = WEIR_PS_PER_S;
    world_run(&world);
    assert_int_equal(world.count, 8 * 13);
    for (uint32_t i = 0; i < world.count; i++) {
        const struct flow_request *r = &world.flows[i].request;
        assert_int_equal(r->bytes, INT64_C(2000000) * 1460 / 1500);
        assert_int_equal(r->start_ps, (72020 + i / 8 * 72220) * WEIR_PS_PER_US);
    }
    world_free(&world);
}

static void traffic_advance__on_off_depends_on_the_seed_alone(void **state)
{
    (void)state;
    struct world worlds[3];
    for (uint32_t w = 0; w < 3; w++) {
        world_init(&worlds[w], 4, 4);
        use_mixed_trace(&worlds[w]);
        worlds[w].traffics[0].until_ps = 5 * WEIR_PS_PER_S;
        worlds[w].config.seed = w == 2 ? 2 : 1;
        world_run(&worlds[w]);
    }
    assert_int_equal(worlds[0].count, worlds[1].count);
    uint32_t same = 0;
    for (uint32_t i = 0; i < worlds[0].count; i++) {
        assert_true(world_same(&worlds[0].flows[i].request, &worlds[1].flows[i].request));
        same += i < worlds[2].count && world_same(&worlds[0].flows[i].request, &worlds[2].flows[i].request);
    }
    assert_int_equal(same, 0);
    for (uint32_t w = 0; w < 3; w++)
        world_free(&worlds[w]);
}

static void traffic_create__says_what_is_wrong_with_on_off(void **state)
{
    (void)state;
    static const struct {
        struct traffic_settings traffic;
        const char *expected;
    } cases[] = {
        {{.off_ps = 1, .on_rate_bps = BURST_BPS}, "traffic 0: on-off: the mean time on is 1 ps"},
        {{.on_ps = 1, .on_rate_bps = BURST_BPS}, "the mean time off"},
        {{.on_ps = 1, .off_ps = 1}, "needs a rate"},
        {{.on_ps = 1, .off_ps = 1, .on_rate_bps = BURST_BPS, .variation = -1}, "variation -1"},
        {{.on_ps = 1, .off_ps = 1, .on_rate_bps = BURST_BPS, .long_share = 2}, "a share of 2"},
        {{.on_ps = 1, .off_ps = 1, .on_rate_bps = BURST_BPS, .long_share = 1}, "on of long-lived flows"},
        {{.on_ps = 1, .off_ps = 1, .on_rate_bps = BURST_BPS, .long_share = 1, .long_on_ps = 1}, "needs a rate"},
        {{.on_ps = 1, .off_ps = 1, .on_rate_bps = BURST_BPS, .destination_count = 1}, "host 0 would send to itself"},
    };
    struct world world;
    world_init(&world, 4, 4);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        world.traffics[0] = cases[c].traffic;
        world.traffics[0].kind = TRAFFIC_ON_OFF;
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
        cmocka_unit_test(traffic_advance__on_off_is_the_mixed_trace_of_tdt),
        cmocka_unit_test(traffic_advance__on_off_times_are_log_normal),
        cmocka_unit_test(traffic_advance__on_off_may_be_constant),
        cmocka_unit_test(traffic_advance__on_off_depends_on_the_seed_alone),
        cmocka_unit_test(traffic_create__says_what_is_wrong_with_on_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
