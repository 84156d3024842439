/*
 * test_traffic.c - the generators keep what they promise: sizes, rates, the width of a slot, and the same sequence
 * for the same seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/error_line.h"
#include "traffic.h"

static struct slot_arrivals generate(const char *name, const struct slot_traffic *traffic)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_arrivals arrivals;
    const struct slot_generator *generator = slot_generator_find(name);
    assert_non_null(generator);
    slot_arrivals_init(&arrivals, traffic->ports);
    assert_int_equal(slot_generate(generator, traffic, &arrivals, &error), WEIR_ERROR_NONE);
    return arrivals;
}

static uint64_t widest_slot(const struct slot_arrivals *arrivals)
{
    uint64_t widest = 0;
    for (uint64_t slot = 0; slot < arrivals->slots; slot++) {
        uint64_t packets = arrivals->slot_end[slot] - slot_arrivals_first(arrivals, slot);
        widest = packets > widest ? packets : widest;
    }
    return widest;
}

static void slot_generator_find__knows_every_name_once(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < slot_generator_count; i++) {
        assert_ptr_equal(slot_generator_find(slot_generators[i]->name), slot_generators[i]);
        assert_true(strlen(slot_generators[i]->title) > 10);
    }
    assert_null(slot_generator_find("burst"));
}

/* Changing what a generator says it uses changes its sequence; changing anything else does not. */
static void slot_generator__uses_what_it_says(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < slot_generator_count; i++) {
        for (uint32_t use = SLOT_USE_LOAD; use <= SLOT_USE_WIDTH; use <<= 1) {
            struct slot_traffic traffic;
            slot_traffic_init(&traffic, 4, 16, 500);
            struct slot_arrivals usual = generate(slot_generators[i]->name, &traffic);
            traffic.load = use == SLOT_USE_LOAD ? 0.3 : traffic.load;
            traffic.burst = use == SLOT_USE_BURST ? 7 : traffic.burst;
            traffic.burst_interval = use == SLOT_USE_INTERVAL ? 50 : traffic.burst_interval;
            traffic.burst_rate = use == SLOT_USE_RATE ? 1 : traffic.burst_rate;
            traffic.burst_in_turn = use == SLOT_USE_IN_TURN;
            traffic.width = use == SLOT_USE_WIDTH ? 3 : traffic.width;
            struct slot_arrivals changed = generate(slot_generators[i]->name, &traffic);
            bool same = usual.count == changed.count && usual.slots == changed.slots &&
                        memcmp(usual.port, changed.port, usual.count * sizeof *usual.port) == 0 &&
                        memcmp(usual.slot_end, changed.slot_end, usual.slots * sizeof *usual.slot_end) == 0;
            if (same != !(slot_generators[i]->uses & use))
                print_message("%s, use %d\n", slot_generators[i]->name, (int)use);
            assert_int_equal(same, !(slot_generators[i]->uses & use));
            slot_arrivals_free(&usual);
            slot_arrivals_free(&changed);
        }
    }
}

static void slot_generate__same_seed_same_sequence(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < slot_generator_count; i++) {
        struct slot_traffic traffic;
        slot_traffic_init(&traffic, 4, 16, 500);
        struct slot_arrivals a = generate(slot_generators[i]->name, &traffic);
        struct slot_arrivals b = generate(slot_generators[i]->name, &traffic);
        assert_true(a.slots >= 500);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.port, b.port, a.count * sizeof *a.port);
        assert_memory_equal(a.slot_end, b.slot_end, a.slots * sizeof *a.slot_end);
        slot_arrivals_free(&a);
        slot_arrivals_free(&b);
    }
}

static void slot_generate__other_seed_other_sequence(void **state)
{
    static const char *const names[] = {"bursts", "uniform", "onoff"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct slot_traffic traffic;
        slot_traffic_init(&traffic, 4, 16, 500);
        struct slot_arrivals a = generate(names[i], &traffic);
        traffic.seed = 2;
        struct slot_arrivals b = generate(names[i], &traffic);
        uint64_t common = a.count < b.count ? a.count : b.count;
        assert_true(a.count != b.count || memcmp(a.port, b.port, common * sizeof *a.port) != 0);
        slot_arrivals_free(&a);
        slot_arrivals_free(&b);
    }
}

static void slot_generate__keeps_the_width(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < slot_generator_count; i++) {
        for (uint32_t width = 2; width <= 6; width += 2) {
            struct slot_traffic traffic;
            slot_traffic_init(&traffic, 6, 24, 300);
            traffic.width = width;
            bool inputs =
                strcmp(slot_generators[i]->name, "uniform") == 0 || strcmp(slot_generators[i]->name, "onoff") == 0;
            struct slot_arrivals arrivals = generate(slot_generators[i]->name, &traffic);
            assert_true(widest_slot(&arrivals) <= (inputs ? 6 : width));
            slot_arrivals_free(&arrivals);
        }
    }
}

static void slot_generate__refuses_what_makes_no_sense(void **state)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_arrivals arrivals;
    struct slot_traffic traffic;
    (void)state;
    slot_arrivals_init(&arrivals, 4);
    slot_traffic_init(&traffic, 4, 16, 100);
    traffic.load = 1.5;
    assert_int_equal(slot_generate(slot_generator_find("uniform"), &traffic, &arrivals, &error), WEIR_ERROR_INPUT);
    assert_non_null(strstr(ERROR_LINE(&error), "load"));
    slot_traffic_init(&traffic, 4, 16, 100);
    traffic.width = 1;
    assert_int_equal(slot_generate(slot_generator_find("cs-adversary"), &traffic, &arrivals, &error), WEIR_ERROR_INPUT);
    slot_traffic_init(&traffic, 1, 16, 100);
    assert_int_equal(slot_generate(slot_generator_find("lqd-adversary"), &traffic, &arrivals, &error),
                     WEIR_ERROR_INPUT);
    slot_traffic_init(&traffic, 4, 16, 100);
    traffic.burst_interval = 0;
    assert_int_equal(slot_generate(slot_generator_find("bursts"), &traffic, &arrivals, &error), WEIR_ERROR_INPUT);
    slot_arrivals_free(&arrivals);
}

/* Far apart, so that bursts do not meet: B packets of one port, N per slot, B / N slots long. */
static void slot_bursts__come_whole_and_to_one_port(void **state)
{
    struct slot_traffic traffic;
    (void)state;
    slot_traffic_init(&traffic, 8, 64, 100000);
    traffic.burst_interval = 3000;
    struct slot_arrivals arrivals = generate("bursts", &traffic);
    assert_int_equal(arrivals.count % 64, 0);
    assert_in_range(arrivals.count / 64, 20, 50);
    uint32_t ports_seen = 0;
    for (uint64_t i = 0; i < arrivals.count; i += 64) {
        for (uint64_t k = 1; k < 64; k++)
            assert_int_equal(arrivals.port[i + k], arrivals.port[i]);
        ports_seen |= 1u << arrivals.port[i];
    }
    assert_true(ports_seen > 128 || (ports_seen & (ports_seen - 1)) != 0);
    uint64_t busy = 0;
    for (uint64_t slot = 0; slot < arrivals.slots; slot++)
        busy += arrivals.slot_end[slot] > slot_arrivals_first(&arrivals, slot);
    assert_int_equal(busy, arrivals.count / 8);
    slot_arrivals_free(&arrivals);
}

static void slot_bursts__rate_limits_one_burst(void **state)
{
    struct slot_traffic traffic;
    (void)state;
    slot_traffic_init(&traffic, 8, 64, 50000);
    traffic.burst_interval = 3000;
    traffic.burst_rate = 2;
    struct slot_arrivals arrivals = generate("bursts", &traffic);
    assert_in_range(widest_slot(&arrivals), 2, 4);
    slot_arrivals_free(&arrivals);
}

/* How often a packet is for another port than the one before it in the same slot. */
static uint64_t count_changes(const struct slot_arrivals *arrivals)
{
    uint64_t changes = 0;
    for (uint64_t slot = 0; slot < arrivals->slots; slot++)
        for (uint64_t i = slot_arrivals_first(arrivals, slot) + 1; i < arrivals->slot_end[slot]; i++)
            changes += arrivals->port[i] != arrivals->port[i - 1];
    return changes;
}

static void slot_bursts__share_or_wait(void **state)
{
    struct slot_traffic traffic;
    (void)state;
    slot_traffic_init(&traffic, 8, 64, 5000);
    struct slot_arrivals shared = generate("bursts", &traffic);
    traffic.burst_in_turn = true;
    struct slot_arrivals in_turn = generate("bursts", &traffic);
    assert_int_equal(shared.count, in_turn.count);
    assert_true(count_changes(&shared) > 10 * count_changes(&in_turn));
    slot_arrivals_free(&shared);
    slot_arrivals_free(&in_turn);
}

static void slot_bursts__without_a_width_arrive_at_once(void **state)
{
    struct slot_traffic traffic;
    (void)state;
    slot_traffic_init(&traffic, 8, 64, 2000);
    traffic.width = 0;
    traffic.burst_interval = 200;
    struct slot_arrivals arrivals = generate("bursts", &traffic);
    for (uint64_t slot = 0; slot < arrivals.slots; slot++)
        assert_int_equal(arrivals.slot_end[slot] % 64, 0);
    assert_true(widest_slot(&arrivals) >= 64);
    slot_arrivals_free(&arrivals);
}

static void slot_random_traffic__has_its_load(void **state)
{
    static const char *const names[] = {"uniform", "onoff"};
    static const double loads[] = {0.3, 0.8};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t l = 0; l < 2; l++) {
            struct slot_traffic traffic;
            slot_traffic_init(&traffic, 16, 128, 40000);
            traffic.load = loads[l];
            struct slot_arrivals arrivals = generate(names[i], &traffic);
            double load = (double)arrivals.count / (40000.0 * 16);
            print_message("%s: load %.4f, wanted %.1f\n", names[i], load, loads[l]);
            assert_true(load > loads[l] - 0.02 && load < loads[l] + 0.02);
            slot_arrivals_free(&arrivals);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_generator_find__knows_every_name_once),
        cmocka_unit_test(slot_generator__uses_what_it_says),
        cmocka_unit_test(slot_generate__same_seed_same_sequence),
        cmocka_unit_test(slot_generate__other_seed_other_sequence),
        cmocka_unit_test(slot_generate__keeps_the_width),
        cmocka_unit_test(slot_generate__refuses_what_makes_no_sense),
        cmocka_unit_test(slot_bursts__come_whole_and_to_one_port),
        cmocka_unit_test(slot_bursts__rate_limits_one_burst),
        cmocka_unit_test(slot_bursts__share_or_wait),
        cmocka_unit_test(slot_bursts__without_a_width_arrive_at_once),
        cmocka_unit_test(slot_random_traffic__has_its_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
