/* test_pause.c - priority flow control of a port: when frames are sent and what they say, and what frames ask for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "dpdk/pause.h"
#include "weir/random.h"

#define QUANTA 1000u
#define RATE ((weir_bps)10000000000)
#define PAUSE_PS ((weir_ps)51200000) /* 1000 * 512 bit at 100 ps */

static const struct pause_settings settings = {
    .source = {2, 0, 0, 0, 0, 9}, .quanta = QUANTA, .rate_bps = RATE, .lossless_mask = 0x0e};

/* The frame that is told now, read again. */
static struct weir_pfc_frame told(struct pause_port *port, weir_ps now)
{
    uint8_t bytes[PAUSE_FRAME_BYTES];
    struct weir_pfc_frame frame;
    assert_true(pause_due(port, now));
    pause_tell(port, bytes, now);
    assert_false(pause_due(port, now));
    assert_int_equal(weir_pfc_decode(bytes, sizeof bytes, &frame), WEIR_PFC_GOOD);
    assert_memory_equal(frame.source, settings.source, 6);
    return frame;
}

static void edge(struct pause_port *port, uint32_t pause_mask, uint32_t resume_mask)
{
    pause_edge(port, &(struct weir_pause_edge){.pause_mask = pause_mask, .resume_mask = resume_mask});
}

static void time__is_quanta_of_512_bits(void **state)
{
    (void)state;
    assert_int_equal(pause_time(QUANTA, RATE), PAUSE_PS);
    assert_int_equal(pause_time(0, RATE), 0);
    assert_int_equal(pause_time(65535, 1000000), INT64_C(33553920000000)); /* 33.6 s: no overflow */
    assert_int_equal(pause_time(1, WEIR_RATE_BPS_MAX), 6);                 /* 5.12 ps, rounded up */
}

static void tell__pauses_renews_and_resumes(void **state)
{
    (void)state;
    struct pause_port port;
    pause_init(&port, &settings);
    assert_false(pause_due(&port, WEIR_TIME_MAX));
    edge(&port, 0x02, 0);
    struct weir_pfc_frame frame = told(&port, 100);
    assert_int_equal(frame.enabled, 0x02);
    assert_int_equal(frame.quanta[1], QUANTA);
    assert_int_equal(port.due_ps, 100 + PAUSE_PS / 2);
    assert_false(pause_due(&port, 100 + PAUSE_PS / 2 - 1));
    frame = told(&port, 100 + PAUSE_PS / 2); /* renewed before it ends */
    assert_int_equal(frame.enabled, 0x02);
    assert_int_equal(frame.quanta[1], QUANTA);
    edge(&port, 0, 0x02);
    frame = told(&port, PAUSE_PS);
    assert_int_equal(frame.enabled, 0x02);
    assert_int_equal(frame.quanta[1], 0);
    assert_false(pause_due(&port, WEIR_TIME_MAX));
}

/* One frame says what is new and what goes on. */
static void tell__says_the_whole_truth(void **state)
{
    (void)state;
    struct pause_port port;
    pause_init(&port, &settings);
    edge(&port, 0x06, 0);
    told(&port, 0);
    edge(&port, 0x08, 0x02);
    struct weir_pfc_frame frame = told(&port, 1000);
    assert_int_equal(frame.enabled, 0x0e);
    assert_int_equal(frame.quanta[1], 0);
    assert_int_equal(frame.quanta[2], QUANTA);
    assert_int_equal(frame.quanta[3], QUANTA);
    assert_int_equal(port.due_ps, 1000 + PAUSE_PS / 2);
    frame = told(&port, port.due_ps);
    assert_int_equal(frame.enabled, 0x0c);
}

static void edge__that_is_taken_back_says_nothing(void **state)
{
    (void)state;
    struct pause_port port;
    pause_init(&port, &settings);
    edge(&port, 0x02, 0);
    edge(&port, 0, 0x02);
    assert_false(pause_due(&port, WEIR_TIME_MAX));
    edge(&port, 0x02, 0);
    told(&port, 0);
    edge(&port, 0, 0x02);
    edge(&port, 0x02, 0);
    assert_int_equal(port.due_ps, PAUSE_PS / 2);
}

static void edge__of_the_port_pauses_all_lossless_classes(void **state)
{
    (void)state;
    struct pause_port port;
    pause_init(&port, &settings);
    edge(&port, 0x04, 0);
    pause_edge(&port, &(struct weir_pause_edge){.port_pause = true});
    struct weir_pfc_frame frame = told(&port, 0);
    assert_int_equal(frame.enabled, 0x0e);
    assert_int_equal(frame.quanta[0], 0);
    assert_int_equal(frame.quanta[3], QUANTA);
    pause_edge(&port, &(struct weir_pause_edge){.port_resume = true}); /* class 2 stays paused by itself */
    frame = told(&port, 1);
    assert_int_equal(frame.enabled, 0x0e);
    assert_int_equal(frame.quanta[1], 0);
    assert_int_equal(frame.quanta[2], QUANTA);
    assert_int_equal(frame.quanta[3], 0);
}

static void forget__tells_all_again(void **state)
{
    (void)state;
    struct pause_port port;
    pause_init(&port, &settings);
    edge(&port, 0x06, 0);
    told(&port, 0);
    edge(&port, 0, 0x02);
    pause_forget(&port);
    struct weir_pfc_frame frame = told(&port, 50);
    assert_int_equal(frame.enabled, 0x04);
    edge(&port, 0, 0x04);
    pause_forget(&port);
    assert_false(pause_due(&port, WEIR_TIME_MAX));
}

static int32_t hear(const struct weir_pfc_frame *said, uint32_t length, struct pause_order *orders)
{
    struct pause_port port;
    uint8_t bytes[WEIR_PFC_FRAME_BYTES];
    pause_init(&port, &settings);
    weir_pfc_encode(said, bytes);
    const struct frame frame = {.bytes = bytes, .length = length, .at_hand = length, .vlan = -1};
    return pause_hear(&port, &frame, 7000, orders);
}

static void hear__gives_one_order_per_time(void **state)
{
    (void)state;
    struct pause_order orders[WEIR_PFC_CLASSES];
    struct weir_pfc_frame said = {.enabled = 0xff, .quanta = {9, QUANTA, 0, QUANTA, 5, 5, 5, 5}};
    assert_int_equal(hear(&said, 60, orders), 2); /* the others are not lossless */
    assert_int_equal(orders[0].class_mask, 0x0a);
    assert_int_equal(orders[0].until_ps, 7000 + PAUSE_PS);
    assert_int_equal(orders[1].class_mask, 0x04);
    assert_int_equal(orders[1].until_ps, 7000); /* resume */
    said = (struct weir_pfc_frame){.enabled = 0x0e, .quanta = {0, 3, 2, 1}};
    assert_int_equal(hear(&said, 64, orders), 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(orders[i].class_mask, 2u << i);
        assert_int_equal(orders[i].until_ps, 7000 + pause_time(3 - i, RATE));
    }
    said.enabled = 0xf1;
    assert_int_equal(hear(&said, 60, orders), 0);
}

static void hear__refuses_what_is_no_whole_frame(void **state)
{
    (void)state;
    struct pause_order orders[WEIR_PFC_CLASSES];
    const struct weir_pfc_frame said = {.enabled = 0x02, .quanta = {0, 3}};
    struct pause_port port;
    uint8_t bytes[WEIR_PFC_FRAME_BYTES];
    assert_int_equal(hear(&said, 59, orders), PAUSE_DAMAGED);
    pause_init(&port, &settings);
    weir_pfc_encode(&said, bytes);
    struct frame frame = {.bytes = bytes, .length = 60, .at_hand = 40, .vlan = -1};
    assert_int_equal(pause_hear(&port, &frame, 0, orders), PAUSE_DAMAGED);
    frame.length = frame.at_hand = 64;
    bytes[19] ^= 1;
    assert_int_equal(pause_hear(&port, &frame, 0, orders), PAUSE_DAMAGED);
}

/* Two ports face each other: after every frame the peer holds what the first one wants, and what is wanted never ends
 * by itself as long as due frames are sent. */
static void tell__keeps_the_peer_paused(void **state)
{
    (void)state;
    struct pause_port port, peer;
    weir_ps until[WEIR_PFC_CLASSES] = {0}, now = 0;
    struct weir_random r = weir_random_stream(1, "pause");
    uint32_t wanted = 0;
    pause_init(&port, &settings);
    pause_init(&peer, &settings);
    for (uint32_t step = 0; step < 20000; step++) {
        uint32_t draw = weir_random_below(&r, 10) ? 0 : (uint32_t)weir_random_bits(&r) & settings.lossless_mask;
        edge(&port, draw & ~wanted, draw & wanted);
        wanted ^= draw;
        now += weir_random_below(&r, PAUSE_PS / 4);
        for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
            assert_true(!(wanted & port.told & 1u << tc) || until[tc] > now);
        if (!pause_due(&port, now))
            continue;
        uint8_t bytes[PAUSE_FRAME_BYTES];
        struct pause_order orders[WEIR_PFC_CLASSES];
        const struct frame frame = {.bytes = bytes, .length = sizeof bytes, .at_hand = sizeof bytes, .vlan = -1};
        pause_tell(&port, bytes, now);
        int32_t count = pause_hear(&peer, &frame, now, orders);
        assert_true(count > 0);
        for (int32_t i = 0; i < count; i++)
            for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
                until[tc] = orders[i].class_mask >> tc & 1 ? orders[i].until_ps : until[tc];
        for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
            assert_int_equal(wanted >> tc & 1, until[tc] > now);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time__is_quanta_of_512_bits),
        cmocka_unit_test(tell__pauses_renews_and_resumes),
        cmocka_unit_test(tell__says_the_whole_truth),
        cmocka_unit_test(edge__that_is_taken_back_says_nothing),
        cmocka_unit_test(edge__of_the_port_pauses_all_lossless_classes),
        cmocka_unit_test(forget__tells_all_again),
        cmocka_unit_test(hear__gives_one_order_per_time),
        cmocka_unit_test(hear__refuses_what_is_no_whole_frame),
        cmocka_unit_test(tell__keeps_the_peer_paused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
