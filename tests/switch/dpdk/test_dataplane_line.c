/*
 * test_dataplane_line.c - delay lines: order, delay, pace and room, alone and between the rings of a running switch.
 */
#include "tests/support/dataplane_rig.h"

#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "switch/dpdk/line.h"

#define MBUF(n) ((struct rte_mbuf *)(uintptr_t)(n))

static void begin(struct line *line, const struct line_settings *settings)
{
    void *memory = aligned_alloc(64, weir_align(line_size(settings)));
    assert_non_null(memory);
    line_init(line, settings, memory);
}

static void line_take__keeps_order_and_delay(void **state)
{
    struct line_settings settings = {.delay_ps = 100, .rate_bps = 8000000000, .frames = 4};
    struct rte_mbuf *out[4];
    struct line line;
    (void)state;
    begin(&line, &settings);
    assert_int_equal(line_next(&line), WEIR_NEVER);
    line_put(&line, MBUF(1), 60, 10);
    line_put(&line, MBUF(2), 60, 10);
    line_put(&line, MBUF(3), 60, 30);
    assert_int_equal(line_count(&line), 3);
    assert_int_equal(line_next(&line), 110);
    assert_int_equal(line_take(&line, 109, out, 4), 0);
    assert_int_equal(line_take(&line, 129, out, 4), 2);
    assert_ptr_equal(out[0], MBUF(1));
    assert_ptr_equal(out[1], MBUF(2));
    assert_int_equal(line_take(&line, 500, out, 4), 1);
    assert_ptr_equal(out[0], MBUF(3));
    free(line.slot);
}

static void line_put__paces(void **state)
{
    struct line_settings settings = {
        .delay_ps = 1000, .paced = true, .rate_bps = 8000000000, .gap_bytes = 20, .frames = 8}; /* 1 ns per byte */
    struct rte_mbuf *out[8];
    struct line line;
    (void)state;
    begin(&line, &settings);
    for (uint32_t i = 0; i < 3; i++)
        line_put(&line, MBUF(i + 1), 80, 0); /* a burst: 100 ns each on the wire */
    line_put(&line, MBUF(4), 80, 1000000);
    assert_int_equal(line_take(&line, 100999, out, 8), 0);
    assert_int_equal(line_take(&line, 101000, out, 8), 1);
    assert_int_equal(line_take(&line, 301000, out, 8), 2);
    assert_int_equal(line_next(&line), 1000000 + 100000 + 1000);
    free(line.slot);
}

static void line_is_full__when_all_slots_are_taken(void **state)
{
    struct line_settings settings = {.delay_ps = 1, .rate_bps = 1000000, .frames = 3};
    struct rte_mbuf *out[4];
    struct line line;
    (void)state;
    begin(&line, &settings);
    for (uint32_t round = 0; round < 5; round++) {
        for (uint32_t i = 0; i < 4; i++) {
            assert_false(line_is_full(&line));
            line_put(&line, MBUF(i + 1), 60, 0);
        }
        assert_true(line_is_full(&line));
        assert_int_equal(line_take(&line, 1, out, 4), 4);
        assert_ptr_equal(out[3], MBUF(4));
    }
    free(line.slot);
}

static void line_frames__hold_what_the_delay_can(void **state)
{
    struct line_settings settings = {.delay_ps = WEIR_PS_PER_MS, .rate_bps = 10000000000, .gap_bytes = 24};
    (void)state;
    assert_true(line_frames(&settings) >= 1250000 / 84);
    settings.delay_ps = WEIR_PS_PER_S;
    assert_int_equal(line_frames(&settings), 65536);
}

static double machine_ms(uint64_t since)
{
    return (double)(rte_rdtsc() - since) * 1e3 / (double)rte_get_tsc_hz();
}

/* One frame at a time through a delay each way; never sooner than both, and now and then hardly later. */
static void run_delay(uint32_t time_scale, weir_ps delay_ps, bool pipeline)
{
    const weir_ps delays[] = {delay_ps / 2, delay_ps / 2};
    const double ideal_ms = (double)delay_ps / 1e9 * time_scale;
    double best_ms = 1e9;
    struct rig rig;
    rig_config(&rig, 2, 1, 100000);
    if (pipeline && !rig_pipeline(&rig)) {
        print_message("skipped: the pipeline needs two processors\n");
        skip();
    }
    rig.config.delays_ps = delays;
    rig.config.time_scale = time_scale;
    rig.mmu.rate_bps = 100000000000;
    rig_start(&rig, "cs", NULL);
    for (uint32_t i = 0; i < 50 || (i < 5000 && best_ms >= ideal_ms + 1); i++) { /* machines may be busy */
        uint64_t start = rte_rdtsc();
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .number = i});
        while (rig_waiting(1) == 0 && machine_ms(start) < RIG_PATIENCE_MS)
            rte_delay_us_sleep(20);
        double ms = machine_ms(start);
        struct rte_mbuf *mbuf = rig_take(1);
        assert_non_null(mbuf);
        assert_int_equal(rig_number(mbuf), i);
        mbuf_free(mbuf);
        assert_true(ms >= ideal_ms);
        best_ms = ms < best_ms ? ms : best_ms;
    }
    assert_true(best_ms < ideal_ms + 1);
    rig_end(&rig);
}

static void line__delays_both_ways(void **state)
{
    (void)state;
    run_delay(1, 4 * WEIR_PS_PER_MS, false);
}

static void line__delays_in_emulated_time(void **state)
{
    (void)state;
    run_delay(100, 40 * WEIR_PS_PER_US, false);
    run_delay(100, 40 * WEIR_PS_PER_US, true);
}

/* A burst comes in at the rate of the sender's link: with 1000 bytes, each 8.192 us at 1 Gb/s, 0.8 ms at scale 100. */
static void line__paces_inputs(void **state)
{
    const weir_bps rates[] = {1000000000, 100000000000};
    struct rig rig;
    (void)state;
    rig_config(&rig, 2, 1, 100000);
    rig.config.sw.rates_bps = rates;
    rig.config.paced_inputs = true;
    rig.config.time_scale = 100;
    rig_start(&rig, "cs", NULL);
    uint64_t start = rte_rdtsc();
    for (uint32_t i = 0; i < 100; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .bytes = 1000, .number = i});
    for (uint32_t i = 1; i <= 100; i++) {
        assert_true(rig_waits_for(1, i));
        if (rig_waiting(1) > i)
            i = rig_waiting(1) > 100 ? 100 : rig_waiting(1);
        assert_true(machine_ms(start) >= 0.8192 * i);
    }
    for (uint32_t i = 0; i < 100; i++) {
        struct rte_mbuf *mbuf = rig_take(1);
        assert_non_null(mbuf);
        assert_int_equal(rig_number(mbuf), i);
        mbuf_free(mbuf);
    }
    rig_end(&rig);
}

/* Frames that are in the lines when the switch stops are not lost without being counted. */
static void stop__empties_the_lines(void **state)
{
    const weir_ps delays[] = {WEIR_PS_PER_S / 2, WEIR_PS_PER_S / 2};
    struct rig rig;
    (void)state;
    rig_config(&rig, 2, 1, 100000);
    rig.config.delays_ps = delays;
    rig.config.time_scale = 4; /* 2 s each way */
    rig_start(&rig, "cs", NULL);
    for (uint32_t i = 0; i < 20; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = 2});
    while (rig_account(&rig, 1, 0).packets < 20) /* then they are in the second line */
        rte_delay_us_sleep(1000);
    for (uint32_t i = 0; i < 10; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = 2});
    while (rig_counters(&rig, 0).in_packets < 30)
        rte_delay_us_sleep(1000);
    rig_stop(&rig, 0);
    struct dataplane_port_counters c = rig_counters(&rig, 1);
    uint64_t flushed = rig_account(&rig, 1, 0).dropped_by_cause[WEIR_CAUSE_FLUSHED];
    assert_int_equal(c.out_packets + c.out_lost + flushed, 30);
    assert_true(flushed >= 10);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_take__keeps_order_and_delay),
        cmocka_unit_test(line_put__paces),
        cmocka_unit_test(line_is_full__when_all_slots_are_taken),
        cmocka_unit_test(line_frames__hold_what_the_delay_can),
        cmocka_unit_test(line__delays_both_ways),
        cmocka_unit_test(line__delays_in_emulated_time),
        cmocka_unit_test(line__paces_inputs),
        cmocka_unit_test(stop__empties_the_lines),
    };
    rig_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rig_finish(failed);
}
