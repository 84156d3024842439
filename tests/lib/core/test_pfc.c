/*
 * test_pfc.c - PAUSE frames as bytes. The frame below was put together from the tables of the standard, and its check
 * sequence by another program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "weir/pfc.h"
#include "weir/random.h"

/* From 02:00:00:00:00:07: pause class 0 for the longest time, resume class 3. */
static const uint8_t sample[WEIR_PFC_FRAME_BYTES] = {0x01, 0x80, 0xc2, 0x00, 0x00,        0x01, 0x02, 0x00,
                                                     0x00, 0x00, 0x00, 0x07, 0x88,        0x08, 0x01, 0x01,
                                                     0x00, 0x09, 0xff, 0xff, [60] = 0xa5, 0xdb, 0x8d, 0x7b};

static void encode__is_the_frame_of_the_standard(void **state)
{
    (void)state;
    struct weir_pfc_frame frame = {.source = {2, 0, 0, 0, 0, 7}, .enabled = 0x09, .quanta = {UINT16_MAX, 77}};
    uint8_t bytes[WEIR_PFC_FRAME_BYTES];
    weir_pfc_encode(&frame, bytes);
    assert_memory_equal(bytes, sample, sizeof bytes);
}

static void decode__reads_it_with_and_without_check_sequence(void **state)
{
    (void)state;
    static const size_t lengths[] = {64, 60};
    for (size_t i = 0; i < 2; i++) {
        struct weir_pfc_frame frame;
        memset(&frame, 0xaa, sizeof frame);
        assert_int_equal(weir_pfc_decode(sample, lengths[i], &frame), WEIR_PFC_GOOD);
        assert_int_equal(frame.source[0], 2);
        assert_int_equal(frame.source[5], 7);
        assert_int_equal(frame.enabled, 0x09);
        assert_int_equal(frame.quanta[0], UINT16_MAX);
        for (uint32_t tc = 1; tc < WEIR_PFC_CLASSES; tc++)
            assert_int_equal(frame.quanta[tc], 0);
    }
}

static void decode__refuses_what_is_no_pause(void **state)
{
    (void)state;
    static const struct {
        size_t at, length;
        enum weir_pfc_fault fault;
    } cases[] = {
        {0, 64, WEIR_PFC_OTHER},    {5, 64, WEIR_PFC_OTHER},    {12, 64, WEIR_PFC_OTHER},   {13, 64, WEIR_PFC_OTHER},
        {15, 60, WEIR_PFC_OTHER},   {17, 64, WEIR_PFC_DAMAGED}, {19, 64, WEIR_PFC_DAMAGED}, {63, 64, WEIR_PFC_DAMAGED},
        {63, 63, WEIR_PFC_LENGTH},  {63, 0, WEIR_PFC_LENGTH},   {63, 65, WEIR_PFC_LENGTH},  {11, 64, WEIR_PFC_DAMAGED},
        {40, 64, WEIR_PFC_DAMAGED}, {40, 60, WEIR_PFC_GOOD},    {16, 60, WEIR_PFC_GOOD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[WEIR_PFC_FRAME_BYTES + 1] = {0};
        struct weir_pfc_frame frame;
        memcpy(bytes, sample, sizeof sample);
        bytes[cases[i].at] ^= 0x10;
        assert_int_equal(weir_pfc_decode(bytes, cases[i].length, &frame), cases[i].fault);
    }
}

/* A time of a class that is not enabled means nothing, whatever a sender left there. */
static void decode__leaves_out_what_is_not_enabled(void **state)
{
    (void)state;
    uint8_t bytes[60];
    struct weir_pfc_frame frame;
    memcpy(bytes, sample, sizeof bytes);
    memset(bytes + 18, 0x5a, 16);
    assert_int_equal(weir_pfc_decode(bytes, sizeof bytes, &frame), WEIR_PFC_GOOD);
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
        assert_int_equal(frame.quanta[tc], 0x09 >> tc & 1 ? 0x5a5a : 0);
}

static void decode__is_the_inverse_of_encode(void **state)
{
    (void)state;
    struct weir_random random = weir_random_stream(5, "pfc");
    for (uint32_t i = 0; i < 2000; i++) {
        struct weir_pfc_frame frame = {.enabled = (uint8_t)weir_random_below(&random, 256)}, back;
        for (uint32_t k = 0; k < sizeof frame.source; k++)
            frame.source[k] = (uint8_t)weir_random_below(&random, 256);
        for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
            frame.quanta[tc] = frame.enabled >> tc & 1 ? (uint16_t)weir_random_below(&random, 65536) : 0;
        uint8_t bytes[WEIR_PFC_FRAME_BYTES];
        weir_pfc_encode(&frame, bytes);
        assert_int_equal(weir_pfc_decode(bytes, sizeof bytes, &back), WEIR_PFC_GOOD);
        assert_memory_equal(frame.source, back.source, sizeof frame.source);
        assert_int_equal(frame.enabled, back.enabled);
        assert_memory_equal(frame.quanta, back.quanta, sizeof frame.quanta);
        bytes[weir_random_below(&random, 64)] ^= (uint8_t)(1u << weir_random_below(&random, 8));
        assert_int_not_equal(weir_pfc_decode(bytes, sizeof bytes, &back), WEIR_PFC_GOOD);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encode__is_the_frame_of_the_standard),
        cmocka_unit_test(decode__reads_it_with_and_without_check_sequence),
        cmocka_unit_test(decode__refuses_what_is_no_pause),
        cmocka_unit_test(decode__leaves_out_what_is_not_enabled),
        cmocka_unit_test(decode__is_the_inverse_of_encode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
