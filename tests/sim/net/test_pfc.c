/*
 * test_pfc.c - one end of flow control in the simulator (sim/net/pfc.c): frames become packets and packets frames, and
 * take effect when they have been processed. The rules themselves: tests/lib/core/test_pfc_peer.c. A byte takes a
 * nanosecond.
 */
#include "tests/support/sim_star.h"

#include "sim/net/pfc.h"

#define QUANTUM_PS (64 * NS)
#define PROCESSING_PS (3840 * NS)

struct ends {
    struct link link;
    struct pfc_end teller, holder;
    struct packet frame;
};

static int start(void **state)
{
    static struct ends e;
    const struct sim_pfc settings = {.quanta = 1000, .processing_bytes = 3840};
    e = (struct ends){.link = {.ps_per_byte = link_ps_per_byte(8000000000), .rate_bps = 8000000000}};
    pfc_end_init(&e.teller, &settings, &e.link, 0x0f);
    pfc_end_init(&e.holder, &settings, &e.link, 0);
    *state = &e;
    return 0;
}

static void tell(struct ends *e, uint32_t pause_mask, uint32_t resume_mask, weir_ps now)
{
    weir_pfc_peer_want(&e->teller.peer,
                       &(struct weir_pause_edge){.pause_mask = pause_mask, .resume_mask = resume_mask});
    memset(&e->frame, 0xaa, sizeof e->frame);
    pfc_end_tell(&e->teller, &e->frame, now);
}

static void tell__makes_a_packet(void **state)
{
    struct ends *e = *state;
    tell(e, 0x06, 0, 10);
    assert_int_equal(e->frame.flags, PACKET_PFC);
    assert_int_equal(e->frame.bytes, 64);
    assert_int_equal(e->frame.pfc.enabled, 0x06);
    assert_int_equal(e->frame.pfc.paused, 0x06);
    assert_int_equal(e->frame.pfc.quanta, 1000);
    tell(e, 0x08, 0x02, 20);
    assert_int_equal(e->frame.pfc.enabled, 0x0e);
    assert_int_equal(e->frame.pfc.paused, 0x0c);
    assert_int_equal(e->teller.frames_sent, 2);
}

/* The frame is processed; returns how many orders it gives. */
static uint32_t obey(struct ends *e, weir_ps arrival, struct weir_pfc_order orders[PFC_CLASSES])
{
    weir_ps when = arrival + PROCESSING_PS;
    pfc_end_receive(&e->holder, &e->frame, arrival);
    assert_int_equal(pfc_end_next(&e->holder, false), when);
    assert_null(pfc_end_take(&e->holder, when - 1));
    assert_ptr_equal(pfc_end_take(&e->holder, when), &e->frame);
    return pfc_end_hear(&e->holder, &e->frame, when, orders);
}

static void hear__follows_processing(void **state)
{
    struct ends *e = *state;
    struct weir_pfc_order orders[PFC_CLASSES];
    assert_int_equal(pfc_end_next(&e->holder, false), WEIR_NEVER);
    tell(e, 0x05, 0, 0);
    assert_int_equal(obey(e, 0, orders), 1);
    assert_int_equal(orders[0].class_mask, 0x05);
    assert_int_equal(orders[0].until_ps, PROCESSING_PS + 1000 * QUANTUM_PS);
    assert_int_equal(pfc_end_next(&e->holder, false), orders[0].until_ps);
    tell(e, 0, 0x04, 1000);
    assert_int_equal(obey(e, 1000, orders), 2);
    assert_int_equal(orders[0].class_mask, 0x01);
    assert_int_equal(orders[0].until_ps, 1000 + PROCESSING_PS + 1000 * QUANTUM_PS);
    assert_int_equal(orders[1].class_mask, 0x04);
    assert_int_equal(orders[1].until_ps, 1000 + PROCESSING_PS);
    assert_int_equal(e->holder.peer.held, 0x01);
    assert_int_equal(e->holder.frames_received, 2);
}

static void take__keeps_the_order_of_arrival(void **state)
{
    struct ends *e = *state;
    struct packet frames[3];
    memset(frames, 0, sizeof frames);
    for (uint32_t i = 0; i < 3; i++)
        pfc_end_receive(&e->holder, &frames[i], (weir_ps)i * 64 * NS);
    for (uint32_t i = 0; i < 3; i++) {
        weir_ps when = PROCESSING_PS + (weir_ps)i * 64 * NS;
        assert_int_equal(pfc_end_next(&e->holder, false), when);
        assert_ptr_equal(pfc_end_take(&e->holder, when), &frames[i]);
    }
    assert_null(pfc_end_take(&e->holder, WEIR_NEVER));
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tell__makes_a_packet),
        TEST(hear__follows_processing),
        TEST(take__keeps_the_order_of_arrival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
