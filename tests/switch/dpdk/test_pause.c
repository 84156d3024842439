/*
 * test_pause.c - priority flow control of a port: its frames as bytes, what frames ask for, and when one is due for
 * those who look without the lock. The rules themselves: tests/lib/core/test_pfc_peer.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "switch/dpdk/pause.h"

#define QUANTA 1000u
#define PAUSE_PS ((weir_ps)51200000) /* 1000 * 512 bit at 100 ps */

static const uint8_t source[6] = {2, 0, 0, 0, 0, 9};
static const struct weir_pfc_settings settings = {
    .rate_bps = 10000000000, .quanta = QUANTA, .lossless_mask = 0x0e, .obeyed_mask = 0x0e};

/* The frame that is told now, read again. */
static struct weir_pfc_frame told(struct pause_port *port, weir_ps now)
{
    uint8_t bytes[PAUSE_FRAME_BYTES];
    struct weir_pfc_frame frame;
    assert_true(pause_due(port, now));
    pause_tell(port, bytes, now);
    assert_false(pause_due(port, now));
    assert_int_equal(weir_pfc_decode(bytes, sizeof bytes, &frame), WEIR_PFC_GOOD);
    assert_memory_equal(frame.source, source, 6);
    return frame;
}

static void edge(struct pause_port *port, uint32_t pause_mask, uint32_t resume_mask)
{
    pause_edge(port, &(struct weir_pause_edge){.pause_mask = pause_mask, .resume_mask = resume_mask});
}

static void tell__makes_a_frame(void **state)
{
    (void)state;
    struct pause_port port;
    pause_init(&port, &settings, source);
    assert_false(pause_due(&port, WEIR_TIME_MAX));
    edge(&port, 0x06, 0);
    struct weir_pfc_frame frame = told(&port, 100);
    assert_int_equal(frame.enabled, 0x06);
    assert_int_equal(frame.quanta[1], QUANTA);
    assert_int_equal(frame.quanta[2], QUANTA);
    edge(&port, 0x08, 0x02);
    frame = told(&port, 200);
    assert_int_equal(frame.enabled, 0x0e);
    assert_int_equal(frame.quanta[1], 0);
    assert_int_equal(frame.quanta[3], QUANTA);
}

/* due_ps follows every change. */
static void due__is_at_once_or_at_half_time(void **state)
{
    (void)state;
    struct pause_port port;
    pause_init(&port, &settings, source);
    assert_int_equal(port.due_ps, WEIR_NEVER);
    edge(&port, 0x02, 0);
    assert_int_equal(port.due_ps, 0);
    edge(&port, 0, 0x02);
    assert_int_equal(port.due_ps, WEIR_NEVER);
    pause_edge(&port, &(struct weir_pause_edge){.port_pause = true});
    told(&port, 100);
    assert_int_equal(port.due_ps, 100 + PAUSE_PS / 2);
    told(&port, 100 + PAUSE_PS / 2);
    assert_int_equal(port.due_ps, 100 + PAUSE_PS);
    pause_forget(&port, 200 + PAUSE_PS / 2);
    assert_int_equal(port.due_ps, 0);
    pause_edge(&port, &(struct weir_pause_edge){.port_resume = true});
    assert_int_equal(port.due_ps, WEIR_NEVER);
}

static int32_t hear(struct pause_port *port, const struct weir_pfc_frame *said, uint32_t length,
                    struct weir_pfc_order *orders)
{
    uint8_t bytes[WEIR_PFC_FRAME_BYTES];
    pause_init(port, &settings, source);
    weir_pfc_encode(said, bytes);
    const struct frame frame = {.bytes = bytes, .length = length, .at_hand = length, .vlan = -1};
    return pause_hear(port, &frame, 7000, orders);
}

static void hear__gives_one_order_per_time(void **state)
{
    (void)state;
    struct pause_port port;
    struct weir_pfc_order orders[WEIR_PFC_CLASSES];
    struct weir_pfc_frame said = {.enabled = 0xff, .quanta = {9, QUANTA, 0, QUANTA, 5, 5, 5, 5}};
    static const uint32_t lengths[] = {60, 64};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(hear(&port, &said, lengths[i], orders), 2); /* the others are not lossless */
        assert_int_equal(orders[0].class_mask, 0x0a);
        assert_int_equal(orders[0].until_ps, 7000 + PAUSE_PS);
        assert_int_equal(orders[1].class_mask, 0x04);
        assert_int_equal(orders[1].until_ps, 7000); /* resume */
        assert_int_equal(pause_forget(&port, 7000), 0x0a);
    }
    said.enabled = 0xf1;
    assert_int_equal(hear(&port, &said, 60, orders), 0);
}

static void hear__refuses_what_is_no_whole_frame(void **state)
{
    (void)state;
    struct weir_pfc_order orders[WEIR_PFC_CLASSES];
    const struct weir_pfc_frame said = {.enabled = 0x02, .quanta = {0, 3}};
    struct pause_port port;
    uint8_t bytes[WEIR_PFC_FRAME_BYTES];
    assert_int_equal(hear(&port, &said, 59, orders), PAUSE_DAMAGED);
    weir_pfc_encode(&said, bytes);
    struct frame frame = {.bytes = bytes, .length = 60, .at_hand = 40, .vlan = -1};
    assert_int_equal(pause_hear(&port, &frame, 0, orders), PAUSE_DAMAGED);
    frame.length = frame.at_hand = 64;
    bytes[19] ^= 1;
    assert_int_equal(pause_hear(&port, &frame, 0, orders), PAUSE_DAMAGED);
    assert_int_equal(pause_forget(&port, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tell__makes_a_frame),
        cmocka_unit_test(due__is_at_once_or_at_half_time),
        cmocka_unit_test(hear__gives_one_order_per_time),
        cmocka_unit_test(hear__refuses_what_is_no_whole_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
