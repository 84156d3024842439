/* test_drops.c - the ring of dropped frames: what is copied, what is missed, and several writers at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "switch/dpdk/drops.h"

static void put_number(struct drops *drops, uint32_t number)
{
    uint8_t bytes[60];
    memset(bytes, (uint8_t)number, sizeof bytes);
    const struct frame frame = {.bytes = bytes, .length = sizeof bytes, .at_hand = sizeof bytes, .vlan = -1};
    const struct drops_note note = {.when_ps = number, .output = UINT32_MAX, .discarded = true};
    drops_put(drops, &note, &frame);
}

static void keep__is_asked_for(void **state)
{
    (void)state;
    struct drops drops;
    struct dataplane_drop out;
    drops_init(&drops);
    assert_false(drops_wanted(&drops));
    assert_int_equal(drops_take(&drops, &out, 1), 0);
    assert_true(drops_keep(&drops, 4));
    assert_true(drops_wanted(&drops));
    assert_true(drops_keep(&drops, 0));
    assert_false(drops_wanted(&drops));
    drops_free(&drops);
    assert_false(drops_wanted(&drops));
}

static void put__copies_what_is_known(void **state)
{
    (void)state;
    struct drops drops;
    struct dataplane_drop out;
    uint8_t bytes[100];
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    struct frame frame = {.bytes = bytes, .length = 1500, .at_hand = sizeof bytes, .vlan = -1};
    const struct drops_note note = {.when_ps = 77,
                                    .input = 1,
                                    .output = 2,
                                    .tc = 3,
                                    .cause = WEIR_CAUSE_REFUSED,
                                    .reason = WEIR_REASON_NO_ROOM,
                                    .discard = DATAPLANE_GIANT};
    drops_init(&drops);
    assert_true(drops_keep(&drops, 1));
    drops_put(&drops, &note, &frame);
    assert_int_equal(drops_take(&drops, &out, 1), 1);
    assert_int_equal(out.when_ps, 77);
    assert_int_equal(out.input, 1);
    assert_int_equal(out.output, 2);
    assert_int_equal(out.tc, 3);
    assert_false(out.discarded);
    assert_int_equal(out.discard, DATAPLANE_GIANT);
    assert_int_equal(out.cause, WEIR_CAUSE_REFUSED);
    assert_int_equal(out.reason, WEIR_REASON_NO_ROOM);
    assert_int_equal(out.frame_bytes, 1500);
    assert_int_equal(out.kept_bytes, sizeof bytes);
    assert_memory_equal(out.bytes, bytes, sizeof bytes);
    drops_free(&drops);
}

static void put__cuts_and_puts_a_tag_back(void **state)
{
    (void)state;
    static const struct {
        uint32_t length, at_hand;
        int32_t vlan;
        uint32_t frame_bytes, kept_bytes;
    } cases[] = {
        {0, 0, -1, 0, 0},
        {9, 9, 7, 9, 9},
        {12, 12, 0x6005, 16, 16},
        {60, 60, 0x6005, 64, 64},
        {60, 200, -1, 60, 60},
        {2048, 2048, -1, 2048, 2048},
        {9000, 9000, -1, 9000, 2048},
        {2044, 2044, 0, 2048, 2048},
        {2045, 2045, 0, 2049, 2048},
        {9000, 9000, 1, 9004, 2048},
    };
    static uint8_t bytes[9000];
    struct drops drops;
    struct dataplane_drop out;
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    drops_init(&drops);
    assert_true(drops_keep(&drops, 2));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct frame frame = {
            .bytes = bytes, .length = cases[i].length, .at_hand = cases[i].at_hand, .vlan = cases[i].vlan};
        drops_put(&drops, &(struct drops_note){0}, &frame);
        assert_int_equal(drops_take(&drops, &out, 1), 1);
        assert_int_equal(out.frame_bytes, cases[i].frame_bytes);
        assert_int_equal(out.kept_bytes, cases[i].kept_bytes);
        bool tagged = cases[i].frame_bytes > cases[i].length;
        for (uint32_t b = 0; b < out.kept_bytes; b++) {
            const uint8_t tag[4] = {0x81, 0, (uint8_t)(cases[i].vlan >> 8), (uint8_t)cases[i].vlan};
            uint8_t wanted = !tagged || b < 12 ? bytes[b] : b < 16 ? tag[b - 12] : bytes[b - 4];
            assert_int_equal(out.bytes[b], wanted);
        }
    }
    drops_free(&drops);
}

static void put__counts_what_finds_no_place(void **state)
{
    (void)state;
    struct drops drops;
    struct dataplane_drop out[8];
    drops_init(&drops);
    assert_true(drops_keep(&drops, 3));
    for (uint32_t i = 0; i < 5; i++)
        put_number(&drops, i);
    assert_int_equal(drops_missed(&drops), 2);
    assert_int_equal(drops_take(&drops, out, 2), 2);
    put_number(&drops, 5);
    assert_int_equal(drops_take(&drops, out + 2, 6), 2);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(out[i].when_ps, i < 3 ? i : 5);
    assert_int_equal(drops_take(&drops, out, 8), 0);
    assert_int_equal(drops_missed(&drops), 2);
    drops_free(&drops);
}

static void keep__leaves_or_replaces_what_is_there(void **state)
{
    (void)state;
    struct drops drops;
    struct dataplane_drop out[4];
    drops_init(&drops);
    assert_true(drops_keep(&drops, 4));
    put_number(&drops, 1);
    put_number(&drops, 2);
    assert_true(drops_keep(&drops, 0));
    assert_int_equal(drops_take(&drops, out, 1), 1);
    assert_int_equal(out[0].when_ps, 1);
    assert_true(drops_keep(&drops, 2));
    assert_int_equal(drops_take(&drops, out, 4), 0);
    put_number(&drops, 3);
    assert_int_equal(drops_take(&drops, out, 4), 1);
    assert_int_equal(out[0].when_ps, 3);
    drops_free(&drops);
}

#define WRITERS 3u
#define PUTS_EACH 200000u

struct writer {
    struct drops *drops;
    pthread_barrier_t *start;
    atomic_uint *finished;
    uint32_t which;
    uint64_t puts;
};

/* Frames that say in every byte who wrote them and when. */
static void *writer_main(void *argument)
{
    struct writer *writer = argument;
    pthread_barrier_wait(writer->start);
    for (uint32_t i = 0; i < PUTS_EACH; i++) {
        uint8_t bytes[200];
        uint32_t length = 60 + i % 140;
        memset(bytes, (uint8_t)(i * WRITERS + writer->which), sizeof bytes);
        const struct frame frame = {.bytes = bytes, .length = length, .at_hand = length, .vlan = -1};
        const struct drops_note note = {.when_ps = i, .input = writer->which};
        if (!drops_wanted(writer->drops)) {
            sched_yield();
            continue;
        }
        drops_put(writer->drops, &note, &frame);
        writer->puts++;
    }
    atomic_fetch_add(writer->finished, 1);
    return NULL;
}

static bool drop_is_whole(const struct dataplane_drop *drop)
{
    bool whole = drop->input < WRITERS && drop->frame_bytes == 60 + (uint64_t)drop->when_ps % 140 &&
                 drop->kept_bytes == drop->frame_bytes;
    for (uint32_t i = 0; whole && i < drop->kept_bytes; i++)
        whole = drop->bytes[i] == (uint8_t)((uint64_t)drop->when_ps * WRITERS + drop->input);
    return whole;
}

/* Takes copies out while the writers write, and replaces the ring now and then. */
static void run_writers(bool replaces)
{
    static struct dataplane_drop out[16];
    struct drops drops;
    struct writer writer[WRITERS];
    pthread_t thread[WRITERS];
    weir_ps last[WRITERS] = {-1, -1, -1};
    uint64_t taken = 0, puts = 0;
    atomic_uint finished = 0;
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, WRITERS), 0);
    drops_init(&drops);
    assert_true(drops_keep(&drops, 64));
    for (uint32_t w = 0; w < WRITERS; w++) {
        writer[w] = (struct writer){.drops = &drops, .start = &start, .finished = &finished, .which = w};
        assert_int_equal(pthread_create(&thread[w], NULL, writer_main, &writer[w]), 0);
    }
    for (uint32_t round = 0, count = 1; count > 0 || atomic_load(&finished) < WRITERS; round++) {
        count = drops_take(&drops, out, 1 + round % 16);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(drop_is_whole(&out[i]));
            assert_true(out[i].when_ps > last[out[i].input]);
            last[out[i].input] = out[i].when_ps;
        }
        taken += count;
        if (count == 0)
            sched_yield();
        if (replaces && round % 50 == 0)
            assert_true(drops_keep(&drops, round % 100 ? 0 : 16 + round % 32));
    }
    for (uint32_t w = 0; w < WRITERS; w++) {
        assert_int_equal(pthread_join(thread[w], NULL), 0);
        puts += writer[w].puts;
    }
    for (uint32_t count; (count = drops_take(&drops, out, 16)) > 0;) /* what came before the last writer's end */
        taken += count;
    assert_true(taken + drops_missed(&drops) <= puts); /* the rest went with its ring */
    assert_true(replaces || taken + drops_missed(&drops) == puts);
    pthread_barrier_destroy(&start);
    drops_free(&drops);
}

static void put__of_several_writers_is_whole_and_in_order(void **state)
{
    (void)state;
    run_writers(false);
}

static void keep__changes_the_ring_under_writers(void **state)
{
    (void)state;
    run_writers(true);
}

static void discard_name__is_one_for_each(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < DATAPLANE_DISCARDS; i++)
        for (uint32_t other = 0; other < i; other++)
            assert_string_not_equal(dataplane_discard_name((enum dataplane_discard)i),
                                    dataplane_discard_name((enum dataplane_discard)other));
    assert_string_equal(dataplane_discard_name(DATAPLANE_BAD_SOURCE), "bad-source");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keep__is_asked_for),
        cmocka_unit_test(put__copies_what_is_known),
        cmocka_unit_test(put__cuts_and_puts_a_tag_back),
        cmocka_unit_test(put__counts_what_finds_no_place),
        cmocka_unit_test(keep__leaves_or_replaces_what_is_there),
        cmocka_unit_test(put__of_several_writers_is_whole_and_in_order),
        cmocka_unit_test(keep__changes_the_ring_under_writers),
        cmocka_unit_test(discard_name__is_one_for_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
