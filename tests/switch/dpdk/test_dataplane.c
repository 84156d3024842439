/*
 * test_dataplane.c - the software switch from ring to ring: where frames go, what is counted, and that nothing is lost
 * that is not. Most cases run to completion on one processor and as a pipeline on two.
 */
#include "tests/support/dataplane_rig.h"

#include <string.h>

#include <rte_cycles.h>

#include "weir/random.h"

static bool pipeline; /* how the cases of this group run */

static void begin(struct rig *rig, uint32_t ports, uint32_t classes, weir_cells buffer_cells)
{
    rig_config(rig, ports, classes, buffer_cells);
    if (pipeline && !rig_pipeline(rig)) {
        print_message("skipped: the pipeline needs two processors\n");
        skip();
    }
}

static void expect_number(uint32_t output, uint32_t number)
{
    struct rte_mbuf *mbuf = rig_take(output);
    assert_non_null(mbuf);
    assert_int_equal(rig_number(mbuf), number);
    mbuf_free(mbuf);
}

static void forward__floods_what_nobody_knows(void **state)
{
    struct rig rig;
    (void)state;
    begin(&rig, 4, 1, 100000);
    rig_start(&rig, "cs", NULL);
    rig_send(&(struct rig_frame){.input = 2, .to = 1, .number = 7});
    rig_settle(&rig);
    for (uint32_t p = 0; p < 4; p++) {
        assert_int_equal(rig_waiting(p), p == 2 ? 0 : 1);
        if (p != 2)
            expect_number(p, 7);
    }
    assert_int_equal(rig_counters(&rig, 2).flooded, 1);
    assert_int_equal(rig_counters(&rig, 2).copies, 2);
    assert_int_equal(rig_counters(&rig, 2).offered, 3);
    rig_end(&rig);
}

static void forward__learns_where_hosts_are(void **state)
{
    struct rig rig;
    struct dataplane_status status;
    (void)state;
    begin(&rig, 4, 1, 100000);
    rig_start(&rig, "cs", NULL);
    rig_send(&(struct rig_frame){.input = 0, .to = RIG_BROADCAST});
    rig_settle(&rig);
    rig_send(&(struct rig_frame){.input = 3, .to = 1, .number = 11});
    rig_settle(&rig);
    assert_int_equal(rig_waiting(0), 1);
    assert_int_equal(rig_waiting(1), 1); /* of the broadcast */
    assert_int_equal(rig_waiting(2), 1);
    expect_number(0, 11);
    rig_send(&(struct rig_frame){.input = 2, .from = 1, .to = 4}); /* host 1 has moved to port 2 */
    rig_settle(&rig);
    rig_send(&(struct rig_frame){.input = 3, .to = 1, .number = 12});
    rig_settle(&rig);
    assert_int_equal(rig_waiting(0), 0);
    assert_int_equal(rig_waiting(2), 2);
    dataplane_status(rig.dp, &status);
    assert_int_equal(status.addresses, 2);
    rig_end(&rig);
}

static void forward__knows_given_addresses_only(void **state)
{
    const struct dataplane_address given[] = {{{2, 0, 0, 0, 0, 1}, 0}, {{2, 0, 0, 0, 0, 9}, 1}};
    struct rig rig;
    (void)state;
    begin(&rig, 4, 1, 100000);
    rig.config.learning = false;
    rig.config.flooding = false;
    rig.config.addresses = given;
    rig.config.address_count = 2;
    rig_start(&rig, "cs", NULL);
    rig_send(&(struct rig_frame){.input = 2, .to = 9, .number = 1});
    rig_send(&(struct rig_frame){.input = 2, .to = 3});             /* nobody */
    rig_send(&(struct rig_frame){.input = 2, .to = RIG_BROADCAST}); /* nowhere */
    rig_send(&(struct rig_frame){.input = 0, .to = 1});             /* where it came from */
    rig_settle(&rig);
    expect_number(1, 1);
    for (uint32_t p = 0; p < 4; p++)
        assert_int_equal(rig_waiting(p), 0);
    assert_int_equal(rig_counters(&rig, 2).discarded[DATAPLANE_UNKNOWN], 2);
    assert_int_equal(rig_counters(&rig, 0).discarded[DATAPLANE_SAME_PORT], 1);
    rig_end(&rig);
}

static void forward__counts_what_it_does_not_pass(void **state)
{
    uint8_t bytes[1600] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00, 0x45};
    struct rig rig;
    (void)state;
    begin(&rig, 2, 1, 100000);
    rig_start(&rig, "cs", NULL);
    rig_put(0, rig_mbuf(bytes, 13));
    rig_put(0, rig_mbuf(bytes, 1515));
    rig_put(0, rig_mbuf(bytes, 60)); /* IP with a length of 0: passes as malformed */
    memset(bytes + 6, 0, 6);
    rig_put(0, rig_mbuf(bytes, 60));
    bytes[6] = 3;
    rig_put(0, rig_mbuf(bytes, 60));
    bytes[6] = 2;
    memcpy(bytes, (uint8_t[]){0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e}, 6);
    rig_put(0, rig_mbuf(bytes, 60));
    memcpy(bytes, (uint8_t[]){0x01, 0x80, 0xc2, 0x00, 0x00, 0x01}, 6);
    bytes[12] = 0x88;
    bytes[13] = 0x08;
    rig_put(0, rig_mbuf(bytes, 59));
    rig_settle(&rig);
    struct dataplane_port_counters c = rig_counters(&rig, 0);
    assert_int_equal(c.discarded[DATAPLANE_RUNT], 1);
    assert_int_equal(c.discarded[DATAPLANE_GIANT], 1);
    assert_int_equal(c.discarded[DATAPLANE_BAD_SOURCE], 2);
    assert_int_equal(c.discarded[DATAPLANE_LINK_LOCAL], 1);
    assert_int_equal(c.discarded[DATAPLANE_DAMAGED], 1);
    assert_int_equal(c.malformed_ip, 1);
    assert_int_equal(rig_waiting(1), 1);
    rig_end(&rig);
}

static void forward__puts_frames_into_their_class(void **state)
{
    struct rig rig;
    (void)state;
    begin(&rig, 2, 4, 100000);
    rig_start(&rig, "cs", NULL);
    for (uint32_t i = 0; i < 8; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .tos = (uint8_t)(i << 5)});
    rig_settle(&rig);
    for (uint32_t tc = 0; tc < 4; tc++) {
        assert_int_equal(rig_account(&rig, 1, tc).packets, tc < 3 ? 1 : 5);
        assert_int_equal(rig_account(&rig, 1, tc).bytes, tc < 3 ? 60 : 300);
    }
    rig_end(&rig);
}

/* The device has taken the tag off. */
static void rx__puts_a_tag_back(void **state)
{
    struct rig rig;
    (void)state;
    begin(&rig, 2, 8, 100000);
    rig.config.classify = DATAPLANE_CLASSIFY_PCP;
    rig_start(&rig, "cs", NULL);
    uint8_t bytes[60] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x12, 0x34};
    struct rte_mbuf *mbuf = rig_mbuf(bytes, sizeof bytes);
    mbuf->vlan_tci = 0xa00b;
    mbuf->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
    rig_put(0, mbuf);
    rig_settle(&rig);
    assert_int_equal(rig_account(&rig, 1, 5).packets, 1);
    assert_int_equal(rig_counters(&rig, 0).in_bytes, 64); /* as it was on the wire */
    mbuf = rig_take(1);
    assert_non_null(mbuf);
    assert_int_equal(rte_pktmbuf_pkt_len(mbuf), 64);
    assert_int_equal(mbuf->ol_flags & (RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_TX_VLAN), 0);
    const uint8_t *out = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    assert_memory_equal(out, bytes, 12);
    assert_memory_equal(out + 12, ((uint8_t[]){0x81, 0x00, 0xa0, 0x0b, 0x12, 0x34}), 6);
    mbuf_free(mbuf);
    rig_end(&rig);
}

/* What is left of a frame without its tag is too short to have had one. */
static void rx__knows_a_runt_without_its_tag(void **state)
{
    const uint8_t bytes[13] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x12};
    const uint32_t lengths[] = {1, 11, 12, 13};
    struct rig rig;
    (void)state;
    begin(&rig, 2, 1, 100000);
    rig_start(&rig, "cs", NULL);
    for (uint32_t i = 0; i < 4; i++) {
        struct rte_mbuf *mbuf = rig_mbuf(bytes, lengths[i]);
        mbuf->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
        rig_put(0, mbuf);
    }
    rig_settle(&rig);
    assert_int_equal(rig_counters(&rig, 0).discarded[DATAPLANE_RUNT], 4);
    rig_end(&rig);
}

/* A frame that somebody else holds too: it is copied, and his stays as it was. */
static void rx__copies_a_shared_frame_for_its_tag(void **state)
{
    struct rig rig;
    (void)state;
    begin(&rig, 2, 1, 100000);
    rig_start(&rig, "cs", NULL);
    uint8_t bytes[60] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x12, 0x34};
    struct rte_mbuf *mine = rig_mbuf(bytes, sizeof bytes);
    mine->vlan_tci = 3;
    mine->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
    rte_mbuf_refcnt_update(mine, 1);
    rig_put(0, mine);
    rig_settle(&rig);
    struct rte_mbuf *mbuf = rig_take(1);
    assert_non_null(mbuf);
    assert_int_equal(rte_pktmbuf_pkt_len(mbuf), 64);
    assert_int_equal(rte_pktmbuf_pkt_len(mine), 60);
    assert_memory_equal(rte_pktmbuf_mtod(mine, const uint8_t *), bytes, sizeof bytes);
    mbuf_free(mbuf);
    mbuf_free(mine);
    rig_end(&rig);
}

/* A port of 1 Mb/s keeps what it gets: the third frame and those after it find a queue of two. */
static void forward__marks_copies_one_by_one(void **state)
{
    const weir_bps rates[] = {1000000000, 1000000, 1000000000};
    struct rig rig;
    uint32_t marked[3] = {0};
    (void)state;
    begin(&rig, 3, 1, 100000);
    rig.config.sw.rates_bps = rates;
    rig.config.time_scale = 20;
    rig.mmu.marking[0] = (struct weir_marking){.kind = WEIR_MARK_STEP, .low_cells = 2 * 1000 + 1};
    rig_start(&rig, "cs", NULL);
    for (uint32_t i = 0; i < 6; i++) {
        rig_send(&(struct rig_frame){.input = 0, .to = RIG_BROADCAST, .bytes = 1000, .tos = 2});
        assert_true(rig_waits_for(2, i + 1)); /* one at a time: port 2 never has a queue */
    }
    rig_settle(&rig);
    for (uint32_t p = 1; p < 3; p++) {
        for (struct rte_mbuf *mbuf; (mbuf = rig_take(p)); mbuf_free(mbuf)) {
            const uint8_t *ip = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, 14);
            uint32_t sum = 0;
            for (uint32_t i = 0; i < 20; i += 2)
                sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
            assert_int_equal((sum & 0xffff) + (sum >> 16), 0xffff);
            assert_true((ip[1] & 3) == 2 || (ip[1] & 3) == 3);
            marked[p] += (ip[1] & 3) == 3;
        }
    }
    assert_int_equal(marked[2], 0);
    assert_int_equal(marked[1], rig_account(&rig, 1, 0).marked_packets);
    assert_true(marked[1] >= 1 && marked[1] <= 4);
    rig_end(&rig);
}

/* Everything that a switch can meet, in random order, through a buffer that is too small for it. */
static void dataplane__loses_no_frame_uncounted(void **state)
{
    const weir_bps rates[] = {1000000000, 100000000, 1000000000, 1000000000};
    struct weir_random draws = weir_random_stream(1, "frames");
    struct rig rig;
    uint64_t dropped = 0;
    (void)state;
    begin(&rig, 4, 4, 20000);
    rig.config.sw.rates_bps = rates;
    rig.mmu.scheduler.kind = WEIR_SCHED_DRR;
    rig.mmu.scheduler.quantum_bytes = 1500;
    rig_start(&rig, "lqd", NULL);
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < 100; i++) {
            uint64_t draw = weir_random_bits(&draws);
            uint32_t to = draw % 16 == 0 ? RIG_BROADCAST : (uint32_t)(draw >> 8) % 5;
            rig_send(&(struct rig_frame){.input = (uint32_t)(draw >> 16) % 4,
                                         .to = to,
                                         .bytes = 60 + (uint32_t)(draw >> 24) % 1455,
                                         .tos = (uint8_t)(draw >> 40),
                                         .number = round});
        }
        for (uint32_t p = 0; p < 4; p++)
            for (struct rte_mbuf *mbuf; (mbuf = rig_take(p));)
                mbuf_free(mbuf);
        rte_delay_us_sleep(500);
    }
    for (uint32_t p = 0; p < 4; p++)
        for (uint32_t tc = 0; tc < 4; tc++)
            dropped += rig_account(&rig, p, tc).dropped_packets;
    assert_true(dropped > 0);
    rig_end(&rig);
}

/* Two MMUs: ports 0 and 1, 2 and 3. */
static void forward__crosses_memories(void **state)
{
    struct rig rig;
    (void)state;
    begin(&rig, 4, 2, 100000);
    rig.config.sw.ports_per_mmu = 2;
    rig_start(&rig, "dt", NULL);
    assert_int_equal(dataplane_memories(rig.dp), 2);
    for (uint32_t p = 0; p < 4; p++)
        rig_send(&(struct rig_frame){.input = p, .to = RIG_BROADCAST, .tos = 1 << 5});
    rig_settle(&rig);
    for (uint32_t p = 0; p < 4; p++)
        for (uint32_t to = 0; to < 4; to++)
            if (to != p)
                rig_send(&(struct rig_frame){.input = p, .to = to + 1, .bytes = 100});
    rig_settle(&rig);
    for (uint32_t p = 0; p < 4; p++) {
        assert_int_equal(rig_account(&rig, p, 1).packets, 3);
        assert_int_equal(rig_account(&rig, p, 0).bytes, 300);
        assert_int_equal(rig_waiting(p), 6);
    }
    rig_end(&rig);
}

/* What is left when the patience is over is flushed, and still every mbuf is back. All would take 7 s. */
static void stop__flushes_what_is_left(void **state)
{
    const weir_bps rates[] = {1000000000, 1000000};
    struct rig rig;
    (void)state;
    begin(&rig, 2, 2, 100000);
    rig.config.sw.rates_bps = rates;
    rig.config.time_scale = 10;
    rig_start(&rig, "cs", NULL);
    for (uint32_t i = 0; i < 60; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .bytes = 1500, .tos = (uint8_t)(i % 2 << 5)});
    assert_true(rig_waits_for(1, 2)); /* so all have come in */
    rig_stop(&rig, 10 * WEIR_PS_PER_MS);
    uint64_t sent = rig_account(&rig, 1, 0).packets + rig_account(&rig, 1, 1).packets, flushed = 0;
    for (uint32_t tc = 0; tc < 2; tc++)
        flushed += rig_account(&rig, 1, tc).dropped_by_cause[WEIR_CAUSE_FLUSHED];
    assert_true(flushed > 0);
    assert_int_equal(sent + flushed, rig_counters(&rig, 0).in_packets);
    rig_end(&rig);
}

static void drops__are_copied_with_their_reason(void **state)
{
    static struct dataplane_drop drops[64];
    const weir_bps rates[] = {1000000000, 1000000};
    struct rig rig;
    uint32_t count = 0, refused = 0;
    (void)state;
    begin(&rig, 2, 1, 5000);
    rig.config.sw.rates_bps = rates;
    rig_build(&rig, "cs", NULL);
    assert_true(dataplane_drops_keep(rig.dp, 64));
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    for (uint32_t i = 0; i < 10; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .bytes = 1000, .number = i});
    rig_send(&(struct rig_frame){.input = 0, .from = RIG_BROADCAST, .to = 2, .number = 99});
    assert_true(dataplane_start(rig.dp, &error)); /* it finds all of them at once */
    while (rig_counters(&rig, 0).in_packets < 11)
        rte_delay_us_sleep(1000);
    rig_stop(&rig, 0);
    count = dataplane_drops_take(rig.dp, drops, 64);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(drops[i].input, 0);
        assert_int_equal(drops[i].kept_bytes, drops[i].frame_bytes);
        if (drops[i].discarded) {
            assert_int_equal(drops[i].discard, DATAPLANE_BAD_SOURCE);
            assert_int_equal(drops[i].bytes[42], 99);
            assert_int_equal(drops[i].output, UINT32_MAX);
            continue;
        }
        assert_int_equal(drops[i].output, 1);
        refused += drops[i].cause == WEIR_CAUSE_REFUSED && drops[i].reason == WEIR_REASON_NO_ROOM;
    }
    assert_int_equal(count, 1 + rig_account(&rig, 1, 0).dropped_packets);
    assert_int_equal(refused, rig_account(&rig, 1, 0).dropped_by_cause[WEIR_CAUSE_REFUSED]);
    assert_true(refused > 0);
    assert_int_equal(dataplane_drops_missed(rig.dp), 0);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward__floods_what_nobody_knows),
        cmocka_unit_test(forward__learns_where_hosts_are),
        cmocka_unit_test(forward__knows_given_addresses_only),
        cmocka_unit_test(forward__counts_what_it_does_not_pass),
        cmocka_unit_test(forward__puts_frames_into_their_class),
        cmocka_unit_test(forward__crosses_memories),
        cmocka_unit_test(forward__marks_copies_one_by_one),
        cmocka_unit_test(rx__puts_a_tag_back),
        cmocka_unit_test(rx__knows_a_runt_without_its_tag),
        cmocka_unit_test(rx__copies_a_shared_frame_for_its_tag),
        cmocka_unit_test(dataplane__loses_no_frame_uncounted),
        cmocka_unit_test(stop__flushes_what_is_left),
        cmocka_unit_test(drops__are_copied_with_their_reason),
    };
    rig_begin();
    int failed = cmocka_run_group_tests_name("run to completion", tests, NULL, NULL);
    pipeline = true;
    failed += cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
    return rig_finish(failed);
}
