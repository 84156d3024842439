/*
 * test_dataplane_links.c - what the switch and its peers tell each other: PAUSE frames obeyed and sent, and links that
 * go down and come back.
 */
#include "tests/support/dataplane_rig.h"

#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "weir/pfc.h"

static void put_pause(uint32_t input, uint8_t classes, uint16_t quanta)
{
    struct weir_pfc_frame frame = {.source = {2, 0, 0, 0, 0, 77}, .enabled = classes};
    uint8_t bytes[WEIR_PFC_FRAME_BYTES];
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
        frame.quanta[tc] = classes >> tc & 1 ? quanta : 0;
    weir_pfc_encode(&frame, bytes);
    rig_put(input, rig_mbuf(bytes, WEIR_PFC_FRAME_BYTES - WEIR_PFC_FCS_BYTES));
}

/* Class 1 is lossless, with room for 10000 cells of headroom per input. */
static void begin(struct rig *rig)
{
    rig_config(rig, 3, 2, 100000);
    rig->mmu.lossless_mask = 2;
    rig->mmu.rate_bps = 1000000000;
    rig->mmu.uplink = (struct weir_uplink){.headroom_cells = 10000, .mtu_bytes = 1500};
    rig->mmu.ingress = weir_policy_find("sih");
    assert_non_null(rig->mmu.ingress);
    weir_values_init(&rig->ingress_values, rig->mmu.ingress);
    rig->mmu.ingress_values = &rig->ingress_values;
    rig->mmu.headroom_cells = weir_mmu_headroom_cells(&rig->mmu);
}

static void wait_for_control(struct rig *rig, uint32_t port, uint64_t count)
{
    for (uint32_t ms = 0; rig_counters(rig, port).control_in < count && ms < RIG_PATIENCE_MS; ms++)
        rte_delay_us_sleep(1000);
    assert_int_equal(rig_counters(rig, port).control_in, count);
}

static void pause__stops_a_class_until_it_is_resumed(void **state)
{
    struct rig rig;
    (void)state;
    begin(&rig);
    rig.config.time_scale = 1000; /* the longest pause, 33.5 ms at 1 Gb/s, lasts for 33 s of the machine */
    rig_start(&rig, "cs", NULL);
    rig_send(&(struct rig_frame){.input = 1, .to = RIG_BROADCAST}); /* where host 2 is */
    put_pause(1, 3, UINT16_MAX);                                    /* class 0 is lossy and does not obey */
    wait_for_control(&rig, 1, 1);
    for (uint32_t i = 0; i < 4; i++) {
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .tos = 1 << 5, .number = i});
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .tos = 0, .number = 100 + i});
    }
    assert_true(rig_waits_for(1, 4));
    rte_delay_us_sleep(20000);
    assert_int_equal(rig_waiting(1), 4);
    assert_int_equal(rig_account(&rig, 1, 1).packets, 0);
    put_pause(1, 2, 0);
    assert_true(rig_waits_for(1, 8));
    for (uint32_t i = 0; i < 8; i++) {
        struct rte_mbuf *mbuf = rig_take(1);
        assert_int_equal(rig_number(mbuf), i < 4 ? 100 + i : i - 4);
        mbuf_free(mbuf);
    }
    assert_int_equal(rig_counters(&rig, 1).control_in, 2);
    rig_end(&rig);
}

static void pause__ends_by_itself(void **state)
{
    struct rig rig;
    (void)state;
    begin(&rig);
    rig_start(&rig, "cs", NULL);
    rig_send(&(struct rig_frame){.input = 1, .to = RIG_BROADCAST});
    uint64_t start = rte_rdtsc();
    put_pause(1, 2, UINT16_MAX); /* 65535 * 512 bits at 1 Gb/s: 33.55 ms */
    wait_for_control(&rig, 1, 1);
    rig_send(&(struct rig_frame){.input = 0, .to = 2, .tos = 1 << 5});
    assert_true(rig_waits_for(1, 1));
    assert_true((double)(rte_rdtsc() - start) / (double)rte_get_tsc_hz() >= 0.03355);
    rig_end(&rig);
}

/* The next PAUSE that came out of a port; false: the next frame is another one, or none. */
static bool take_pause(uint32_t port, struct weir_pfc_frame *frame)
{
    struct rte_mbuf *mbuf = rig_take(port);
    if (!mbuf)
        return false;
    enum weir_pfc_fault fault =
        weir_pfc_decode(rte_pktmbuf_mtod(mbuf, const uint8_t *), rte_pktmbuf_pkt_len(mbuf), frame);
    mbuf_free(mbuf);
    return fault == WEIR_PFC_GOOD;
}

/* Two inputs fill the buffer of one output: both are told to pause, again while it lasts, and to resume. */
static void pause__is_sent_repeated_and_ended(void **state)
{
    struct weir_pfc_frame frame = {.enabled = 0};
    struct rig rig;
    (void)state;
    begin(&rig);
    rig.config.time_scale = 10000;
    rig.config.pfc_quanta = 40; /* 20.5 us at 1 Gb/s; half of it is 100 ms of the machine */
    rig_start(&rig, "cs", NULL);
    rig_send(&(struct rig_frame){.input = 1, .to = RIG_BROADCAST});
    assert_true(rig_waits_for(0, 1) && rig_waits_for(2, 1));
    mbuf_free(rig_take(0));
    mbuf_free(rig_take(2));
    for (uint32_t i = 0; i < 16;
         i++) /* 12000 bytes from each: more than the threshold, less than that and the headroom */
        rig_send(&(struct rig_frame){.input = i % 2 * 2, .to = 2, .bytes = 1500, .tos = 1 << 5});
    rig_settle(&rig);
    assert_int_equal(rig_account(&rig, 1, 1).packets, 16); /* nothing of a lossless class was lost */
    for (uint32_t input = 0; input < 3; input += 2) {
        struct weir_pause_counters pauses;
        uint32_t told = 0, frames = 0;
        bool resumed = false;
        dataplane_pause_counters(rig.dp, 0, input, &pauses);
        while (take_pause(input, &frame)) {
            assert_int_equal(frame.enabled, 2);
            assert_true(frame.quanta[1] == 40 || frame.quanta[1] == 0);
            told += frame.quanta[1] == 40;
            resumed = frame.quanta[1] == 0;
            frames++;
        }
        assert_true(pauses.class_pauses >= 1);
        assert_int_equal(pauses.class_pauses, pauses.class_resumes);
        assert_true(told > pauses.class_pauses); /* 16 frames take 2 s: it was said again */
        assert_true(resumed);
        assert_int_equal(frames, rig_counters(&rig, input).control_out);
    }
    rig_end(&rig);
}

/* Copies of flooded frames hold all memory, also behind the device, while a pause has to be repeated: data goes on, and
 * the pause is repeated when there is memory again. */
static void pause__waits_for_memory(void **state)
{
    const weir_bps rates[] = {1000000000, 200000000, 1000000000};
    struct rig rig;
    (void)state;
    begin(&rig);
    rig.mmu.buffer_cells = 600000;
    rig.config.sw.rates_bps = rates;
    rig.config.mbufs = 1023;
    rig.config.time_scale = 1000;
    rig.config.pfc_quanta = 40; /* again after 10 ms of the machine */
    rig_start(&rig, "cs", NULL);
    rig_send(&(struct rig_frame){.input = 1, .to = RIG_BROADCAST});
    assert_true(rig_waits_for(0, 1));
    for (uint32_t i = 0; i < 100; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .bytes = 1500, .tos = 1 << 5});
    for (uint32_t ms = 0; rig_counters(&rig, 0).control_out == 0 && ms < RIG_PATIENCE_MS; ms++)
        rte_delay_us_sleep(1000);
    for (uint32_t i = 0; i < 1200; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = RIG_BROADCAST});
    for (uint32_t ms = 0; rig_counters(&rig, 0).discarded[DATAPLANE_NO_MBUF] == 0 && ms < RIG_PATIENCE_MS; ms++)
        rte_delay_us_sleep(1000);
    assert_true(rig_counters(&rig, 0).discarded[DATAPLANE_NO_MBUF] > 0);
    while (rig_counters(&rig, 0).in_packets < 1300)
        rte_delay_us_sleep(1000);
    rte_delay_us_sleep(50000);
    uint64_t told = rig_counters(&rig, 0).control_out;
    assert_true(told > 0);
    assert_true(rig_waits_for(1, rig_waiting(1) + 2));
    assert_int_equal(rig_counters(&rig, 0).control_out, told);
    for (uint32_t ms = 0; rig_counters(&rig, 0).control_out == told && ms < RIG_PATIENCE_MS; ms++) {
        rig_go_on(1);
        rig_go_on(2);
        rte_delay_us_sleep(1000);
    }
    assert_true(rig_counters(&rig, 0).control_out > told);
    rig_stop(&rig, 0);
    rig_end(&rig);
}

static void wait_for_link(struct rig *rig, uint32_t port, bool up)
{
    for (uint32_t ms = 0; rig_counters(rig, port).link_up != up && ms < RIG_PATIENCE_MS; ms++)
        rte_delay_us_sleep(1000);
    assert_int_equal(rig_counters(rig, port).link_up, up);
}

static void link__goes_down_and_comes_back(void **state)
{
    const weir_bps rates[] = {1000000000, 1000000, 1000000000};
    struct dataplane_status status;
    struct rig rig;
    (void)state;
    begin(&rig);
    rig.config.sw.rates_bps = rates;
    rig_start(&rig, "cs", NULL);
    rig_send(&(struct rig_frame){.input = 1, .to = RIG_BROADCAST});
    assert_true(rig_waits_for(0, 1));
    put_pause(1, 2, UINT16_MAX); /* forgotten with the link */
    wait_for_control(&rig, 1, 1);
    for (uint32_t i = 0; i < 20; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .bytes = 1500, .tos = (uint8_t)(i % 2 << 5)});
    while (rig_counters(&rig, 0).in_packets < 20)
        rte_delay_us_sleep(1000);
    assert_int_equal(rte_eth_dev_set_link_down(rig_device(1)), 0);
    wait_for_link(&rig, 1, false);
    rig_settle(&rig);
    uint64_t flushed = 0;
    for (uint32_t tc = 0; tc < 2; tc++)
        flushed += rig_account(&rig, 1, tc).dropped_by_cause[WEIR_CAUSE_FLUSHED];
    assert_true(flushed > 0);
    dataplane_status(rig.dp, &status);
    assert_int_equal(status.addresses, 1); /* host 1; host 2 is forgotten */
    uint32_t before = rig_waiting(2);
    rig_send(&(struct rig_frame){.input = 0, .to = 2, .number = 5}); /* unknown now: to port 2 only */
    assert_true(rig_waits_for(2, before + 1));
    assert_int_equal(rte_eth_dev_set_link_up(rig_device(1)), 0);
    wait_for_link(&rig, 1, true);
    assert_int_equal(rig_counters(&rig, 1).link_changes, 2);
    before = rig_waiting(1);
    rig_send(&(struct rig_frame){.input = 0, .to = 2, .tos = 1 << 5}); /* no pause any more */
    assert_true(rig_waits_for(1, before + 1));
    rig_end(&rig);
}

static void link__down_discards_what_goes_there(void **state)
{
    const struct dataplane_address given[] = {{{2, 0, 0, 0, 0, 2}, 1}};
    struct rig rig;
    (void)state;
    begin(&rig);
    rig.config.addresses = given;
    rig.config.address_count = 1;
    rig_start(&rig, "cs", NULL);
    assert_int_equal(rte_eth_dev_set_link_down(rig_device(1)), 0);
    wait_for_link(&rig, 1, false);
    rig_send(&(struct rig_frame){.input = 0, .to = 2});
    rig_settle(&rig);
    assert_int_equal(rig_counters(&rig, 0).discarded[DATAPLANE_OUTPUT_DOWN], 1);
    assert_int_equal(rte_eth_dev_set_link_up(rig_device(1)), 0);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pause__stops_a_class_until_it_is_resumed), cmocka_unit_test(pause__ends_by_itself),
        cmocka_unit_test(pause__is_sent_repeated_and_ended),        cmocka_unit_test(link__goes_down_and_comes_back),
        cmocka_unit_test(link__down_discards_what_goes_there),      cmocka_unit_test(pause__waits_for_memory),
    };
    rig_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rig_finish(failed);
}
