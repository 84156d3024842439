/*
 * test_udp.c - UDP over a fake host: schedules, sizes, on-off periods, delays, and when the ends are done.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "sim/transport/udp.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS

/* 1500 bytes at 1.2 Gb/s: one packet every 10 us. */
static void init_udp(struct fake_host *fake, uint32_t segments)
{
    fake_init(fake, &transport_udp, segments);
    udp_params(&fake->settings)->rate_bps = 1200000000;
}

static void udp_emit__constant_rate(void **state)
{
    struct fake_host fake;
    (void)state;
    init_udp(&fake, 20);
    fake.flow.last_bytes = 100;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake.data_count, 20);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(fake.data[i].when, i * 10 * US);
        assert_int_equal(fake.data[i].packet.segment, i);
        assert_int_equal(fake.data[i].packet.bytes, i < 19 ? 1500 : 140);
    }
    assert_int_equal(fake.sender_done_ps, 190 * US);
    assert_int_equal(fake.flow.finish_ps, 200 * US);
    assert_int_equal(fake.delivered_bytes, 19 * 1460 + 100);
    fake_free(&fake);
}

/* A gap of 333 1/3 ns: every third one is a picosecond longer, and none is lost. */
static void udp_emit__parts_of_picoseconds_add_up(void **state)
{
    struct fake_host fake;
    (void)state;
    init_udp(&fake, 301);
    fake.nic_ps = 1;
    udp_params(&fake.settings)->rate_bps = 36000000000;
    assert_true(fake_run(&fake, MS));
    assert_true(llabs(fake.data[300].when - 100 * US) <= 1);
    fake_free(&fake);
}

static void udp_emit__rate_zero_is_the_link(void **state)
{
    struct fake_host fake;
    (void)state;
    init_udp(&fake, 5);
    udp_params(&fake.settings)->rate_bps = 0; /* 12 Gb/s: 1 us per packet */
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake.data[4].when, 4 * US);
    fake_free(&fake);
}

/* A NIC of 25 us per packet, and a source that stops after 10 packets: sent back to back, none left out. */
static void udp_emit__late_nic_keeps_the_schedule(void **state)
{
    struct fake_host fake;
    (void)state;
    init_udp(&fake, 10);
    fake.nic_ps = 25 * US;
    assert_true(fake_run(&fake, MS));
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(fake.data[i].when, i * 25 * US);
    fake_free(&fake);

    init_udp(&fake, 10);
    fake.nic_free_ps = 32 * US; /* the first four are overdue, the rest are on time */
    assert_true(fake_run(&fake, MS));
    static const weir_ps expected_us[] = {32, 33, 34, 35, 40, 50, 60, 70, 80, 90};
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(fake.data[i].when, expected_us[i] * US);
    fake_free(&fake);
}

/* On for 30 us, off for 70 us: packets at 0, 10 and 20 us of each 100 us. */
static void udp_emit__on_off(void **state)
{
    struct fake_host fake;
    (void)state;
    init_udp(&fake, 12);
    udp_params(&fake.settings)->on_ps = 30 * US;
    udp_params(&fake.settings)->off_ps = 70 * US;
    assert_true(fake_run(&fake, MS));
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(fake.data[i].when, (i / 3 * 100 + i % 3 * 10) * US);
    fake_free(&fake);
}

/* Rates by count: within four standard deviations. */
static void udp_emit__random_schedules_keep_the_rate(void **state)
{
    static const struct {
        bool poisson, on_off, exponential;
        uint32_t mean, deviation;
    } rows[] = {
        {true, false, false, 100000, 316},
        {true, true, false, 25000, 160},
        {false, true, true, 25000, 600}, /* 1 s holds 2500 cycles of 400 us: 25000 +- 25000 sqrt(2 * 0.75^2 / 2500) */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_host fake;
        init_udp(&fake, 0);
        udp_params(&fake.settings)->poisson = rows[i].poisson;
        udp_params(&fake.settings)->on_ps = rows[i].on_off ? 100 * US : 0;
        udp_params(&fake.settings)->off_ps = rows[i].on_off ? 300 * US : 0;
        udp_params(&fake.settings)->exponential_periods = rows[i].exponential;
        fake.nic_ps = 0;
        assert_false(fake_run(&fake, WEIR_PS_PER_S));
        assert_true(fake.data_count > rows[i].mean - 4 * rows[i].deviation);
        assert_true(fake.data_count < rows[i].mean + 4 * rows[i].deviation);
        fake_free(&fake);
    }
}

static void udp_emit__poisson_gaps_are_exponential(void **state)
{
    struct fake_host fake;
    double squares = 0, sum = 0;
    (void)state;
    init_udp(&fake, 50000);
    udp_params(&fake.settings)->poisson = true;
    fake.nic_ps = 0;
    assert_true(fake_run(&fake, 10 * WEIR_PS_PER_S));
    for (uint32_t i = 1; i < fake.data_count; i++) {
        double gap = (double)(fake.data[i].when - fake.data[i - 1].when) / (10.0 * US);
        sum += gap;
        squares += gap * gap;
    }
    sum /= fake.data_count;
    squares /= fake.data_count;
    assert_true(sum > 0.98 && sum < 1.02);         /* standard deviation 0.0045 */
    assert_true(squares > 1.92 && squares < 2.08); /* 0.02 */
    fake_free(&fake);
}

static void udp_emit__exponential_sizes(void **state)
{
    struct fake_host fake;
    double sum = 0;
    uint32_t smallest = UINT32_MAX, small = 0;
    (void)state;
    init_udp(&fake, 50000);
    udp_params(&fake.settings)->exponential_sizes = true;
    fake.nic_ps = 0;
    assert_true(fake_run(&fake, 10 * WEIR_PS_PER_S));
    for (uint32_t i = 0; i < fake.data_count; i++) {
        uint32_t bytes = fake.data[i].packet.bytes;
        sum += bytes;
        smallest = bytes < smallest ? bytes : smallest;
        small += bytes == 64;
    }
    sum /= fake.data_count;
    assert_int_equal(smallest, 64);
    assert_true(sum > 1474 && sum < 1528);     /* 64 + 1500 e^(-64/1500) = 1501, standard deviation 6.7 */
    assert_true(small > 1950 && small < 2350); /* 50000 (1 - e^(-65/1500)) = 2120 */
    assert_int_equal(fake.delivered_bytes, (int64_t)(sum * fake.data_count + 0.5) - 40 * (int64_t)fake.data_count);
    fake_free(&fake);
}

static void udp_open__listed_packet(void **state)
{
    struct fake_host fake;
    (void)state;
    init_udp(&fake, 1);
    fake.flow.packet_bytes = 64;
    fake.flow.last_bytes = 24;
    flow_show(&fake.flow);
    udp_params(&fake.settings)->poisson = udp_params(&fake.settings)->exponential_sizes = true;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake.data_count, 1);
    assert_int_equal(fake.data[0].when, 0);
    assert_int_equal(fake.data[0].packet.bytes, 64);
    assert_int_equal(fake.delivered_bytes, 24);
    fake_free(&fake);
}

static void udp_data__delays(void **state)
{
    struct fake_host fake;
    (void)state;
    init_udp(&fake, 4);
    for (int i = 0; i < 3; i++) {
        struct packet packet = {.bytes = 1500, .sent_ps = 1000};
        transport_udp.data(&fake.host, &fake.flow, &packet, 1001 + i);
    }
    const struct udp_receiver *r = udp_receiver(&fake.flow);
    assert_int_equal(r->packets, 3);
    assert_true(r->delay_sum_ps == 6 && r->delay_squares == 14);
    assert_int_equal(r->delay_max_ps, 3);
    assert_false(fake.receiver_done);
    fake_free(&fake);
}

static void udp_data__never_done_after_a_loss(void **state)
{
    static const struct fake_fate lost[] = {{3, 1, false}};
    struct fake_host fake;
    (void)state;
    init_udp(&fake, 10);
    fake.fates = lost;
    fake.fate_count = 1;
    assert_false(fake_run(&fake, MS));
    assert_true(fake.sender_done);
    assert_false(fake.receiver_done);
    assert_int_equal(udp_receiver(&fake.flow)->packets, 9);
    fake_free(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(udp_emit__constant_rate),
        cmocka_unit_test(udp_emit__parts_of_picoseconds_add_up),
        cmocka_unit_test(udp_emit__rate_zero_is_the_link),
        cmocka_unit_test(udp_emit__late_nic_keeps_the_schedule),
        cmocka_unit_test(udp_emit__on_off),
        cmocka_unit_test(udp_emit__random_schedules_keep_the_rate),
        cmocka_unit_test(udp_emit__poisson_gaps_are_exponential),
        cmocka_unit_test(udp_emit__exponential_sizes),
        cmocka_unit_test(udp_open__listed_packet),
        cmocka_unit_test(udp_data__delays),
        cmocka_unit_test(udp_data__never_done_after_a_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
