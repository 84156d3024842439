/*
 * test_optimum.c - LateQD against an exhaustive search: dynamic programming over all queue lengths that any choice
 * of packets can lead to, on every tiny sequence and on random small ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "optimum.h"
#include "weir/random.h"

#define LENGTHS_MAX 512u /* states of the search: (buffer + 1) ^ ports */
#define SLOTS_MAX 16u
#define PORTS_MAX 4u
#define UNREACHED (-1)

struct shape {
    uint32_t ports, buffer, slots, width; /* width: most arrivals per slot */
};

/* best[state]: most packets sent by a run that ends in these queue lengths; a state is a number in base buffer + 1. */
struct search {
    struct shape shape;
    struct slot_arrivals arrivals;
    int best[SLOTS_MAX + 1][LENGTHS_MAX];
    uint64_t compared;
};

static uint32_t state_count(const struct shape *shape)
{
    uint32_t count = 1;
    for (uint32_t port = 0; port < shape->ports; port++)
        count *= shape->buffer + 1;
    return count;
}

struct step {
    const struct shape *shape;
    const uint32_t *arriving;   /* [ports] of this slot */
    uint32_t length[PORTS_MAX]; /* queues, the packets kept of this slot included */
    int sent;                   /* before this slot */
    int *after;                 /* best[] after it */
};

/* Tries every number of packets each port may keep of this slot's arrivals, from `port` on. */
static void spread(struct step *step, uint32_t port)
{
    const struct shape *shape = step->shape;
    if (port < shape->ports && port < PORTS_MAX) {
        uint32_t before = step->length[port];
        for (uint32_t take = 0; take <= step->arriving[port]; take++) {
            step->length[port] = before + take;
            spread(step, port + 1);
        }
        step->length[port] = before;
        return;
    }
    uint32_t total = 0, state = 0;
    int sent = step->sent;
    for (uint32_t p = shape->ports; p-- > 0;) {
        uint32_t length = step->length[p];
        total += length;
        sent += length > 0;
        state = state * (shape->buffer + 1) + (length > 0 ? length - 1 : 0);
    }
    if (total <= shape->buffer && sent > step->after[state])
        step->after[state] = sent;
}

static void search_slot(const struct shape *shape, const uint32_t *arriving, const int *before, int *after)
{
    for (uint32_t state = 0; state < state_count(shape); state++)
        after[state] = UNREACHED;
    for (uint32_t state = 0; state < state_count(shape); state++) {
        if (before[state] == UNREACHED)
            continue;
        struct step step = {.shape = shape, .arriving = arriving, .sent = before[state], .after = after};
        for (uint32_t port = 0, rest = state; port < shape->ports; port++, rest /= shape->buffer + 1)
            step.length[port] = rest % (shape->buffer + 1);
        spread(&step, 0);
    }
}

/* What is in the buffer after the last slot is sent as well. */
static int search_result(const struct shape *shape, const int *best)
{
    int most = 0;
    for (uint32_t state = 0; state < state_count(shape); state++) {
        int left = 0;
        for (uint32_t port = 0, rest = state; port < shape->ports; port++, rest /= shape->buffer + 1)
            left += (int)(rest % (shape->buffer + 1));
        if (best[state] != UNREACHED && best[state] + left > most)
            most = best[state] + left;
    }
    return most;
}

static void count_arrivals(const struct slot_arrivals *arrivals, uint64_t slot, uint32_t *arriving)
{
    memset(arriving, 0, PORTS_MAX * sizeof *arriving);
    for (uint64_t i = slot_arrivals_first(arrivals, slot); i < arrivals->slot_end[slot]; i++)
        arriving[arrivals->port[i]]++;
}

static void compare(struct search *s, uint32_t slots)
{
    uint64_t sent = 0;
    assert_int_equal(slot_optimum(&s->arrivals, s->shape.buffer, &sent), WEIR_ERROR_NONE);
    int most = search_result(&s->shape, s->best[slots]);
    if ((int)sent != most) {
        print_message("%u ports, buffer of %u; the sequence:\n", s->shape.ports, s->shape.buffer);
        slot_arrivals_write(&s->arrivals, stderr);
    }
    assert_int_equal(sent, most);
    s->compared++;
}

/* Every multiset of at most `width` arrivals, ports from `port` on, in slot `slot`; then every following slot. */
static void enumerate(struct search *s, uint32_t slot, uint32_t port, uint32_t left)
{
    if (port < s->shape.ports) {
        uint64_t count = s->arrivals.count;
        for (uint32_t n = 0; n <= left; n++) {
            s->arrivals.count = count;
            for (uint32_t i = 0; i < n; i++)
                slot_arrivals_add(&s->arrivals, port);
            enumerate(s, slot, port + 1, left - n);
        }
        s->arrivals.count = count;
        return;
    }
    uint32_t arriving[PORTS_MAX];
    slot_arrivals_end_slot(&s->arrivals);
    count_arrivals(&s->arrivals, slot, arriving);
    search_slot(&s->shape, arriving, s->best[slot], s->best[slot + 1]);
    if (slot + 1 == s->shape.slots)
        compare(s, slot + 1);
    else
        enumerate(s, slot + 1, 0, s->shape.width);
    s->arrivals.slots--;
}

static void search_start(struct search *s, const struct shape *shape)
{
    s->shape = *shape;
    s->compared = 0;
    slot_arrivals_init(&s->arrivals, shape->ports);
    for (uint32_t state = 0; state < LENGTHS_MAX; state++)
        s->best[0][state] = state == 0 ? 0 : UNREACHED;
}

static void slot_optimum__equals_exhaustive_search_on_every_tiny_sequence(void **state)
{
    static const struct shape shapes[] = {
        {2, 1, 5, 2}, {2, 2, 5, 2}, {2, 3, 5, 2}, {2, 4, 5, 2}, {2, 2, 4, 4}, {2, 3, 4, 5},
        {2, 4, 3, 6}, {3, 1, 4, 3}, {3, 2, 4, 3}, {3, 3, 4, 3}, {3, 3, 3, 5}, {4, 2, 3, 3},
    };
    (void)state;
    struct search *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        search_start(s, &shapes[i]);
        enumerate(s, 0, 0, s->shape.width);
        assert_true(s->compared > 100);
        slot_arrivals_free(&s->arrivals);
    }
    free(s);
}

static void random_sequence(struct search *s, struct weir_random *r)
{
    for (uint32_t slot = 0; slot < s->shape.slots; slot++) {
        uint32_t packets = weir_random_below(r, s->shape.width + 1);
        uint32_t favourite = weir_random_below(r, s->shape.ports);
        for (uint32_t i = 0; i < packets; i++)
            slot_arrivals_add(&s->arrivals, weir_random_below(r, 2) ? favourite : weir_random_below(r, s->shape.ports));
        slot_arrivals_end_slot(&s->arrivals);
    }
}

static void slot_optimum__equals_exhaustive_search_on_random_sequences(void **state)
{
    (void)state;
    struct search *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct weir_random r = weir_random_stream(seed, "test.optimum");
        uint32_t ports = 2 + weir_random_below(&r, 3);
        uint32_t buffer_max = ports == 2 ? 12 : ports == 3 ? 7 : 3;
        struct shape shape = {ports, 1 + weir_random_below(&r, buffer_max), 4 + weir_random_below(&r, 12),
                              ports + weir_random_below(&r, 3)};
        search_start(s, &shape);
        random_sequence(s, &r);
        for (uint32_t slot = 0; slot < shape.slots; slot++) {
            uint32_t arriving[PORTS_MAX];
            count_arrivals(&s->arrivals, slot, arriving);
            search_slot(&shape, arriving, s->best[slot], s->best[slot + 1]);
        }
        compare(s, shape.slots);
        slot_arrivals_free(&s->arrivals);
    }
    free(s);
}

/* Two bursts of the whole buffer, then one packet per slot for the second port: keep the first burst. */
static void slot_optimum__keeps_the_queue_without_a_future(void **state)
{
    (void)state;
    struct slot_arrivals arrivals;
    slot_arrivals_init(&arrivals, 2);
    for (uint32_t i = 0; i < 16; i++)
        slot_arrivals_add(&arrivals, i % 2);
    slot_arrivals_end_slot(&arrivals);
    for (uint32_t slot = 0; slot < 6; slot++) {
        slot_arrivals_add(&arrivals, 1);
        slot_arrivals_end_slot(&arrivals);
    }
    uint64_t sent = 0;
    assert_int_equal(slot_optimum(&arrivals, 8, &sent), WEIR_ERROR_NONE);
    assert_int_equal(sent, 7 * 2);
    slot_arrivals_free(&arrivals);
}

static void slot_optimum__sends_nothing_of_nothing(void **state)
{
    (void)state;
    struct slot_arrivals arrivals;
    slot_arrivals_init(&arrivals, 3);
    uint64_t sent = 1;
    assert_int_equal(slot_optimum(&arrivals, 4, &sent), WEIR_ERROR_NONE);
    assert_int_equal(sent, 0);
    slot_arrivals_end_slot(&arrivals);
    assert_int_equal(slot_optimum(&arrivals, 4, &sent), WEIR_ERROR_NONE);
    assert_int_equal(sent, 0);
    slot_arrivals_free(&arrivals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_optimum__equals_exhaustive_search_on_every_tiny_sequence),
        cmocka_unit_test(slot_optimum__equals_exhaustive_search_on_random_sequences),
        cmocka_unit_test(slot_optimum__keeps_the_queue_without_a_future),
        cmocka_unit_test(slot_optimum__sends_nothing_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
