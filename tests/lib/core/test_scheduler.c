/*
 * test_scheduler.c - order and shares of every scheduler, and credit schedulers against one that walks every round.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "lib/core/scheduler.h"
#include "weir/random.h"

#define CLASSES WEIR_CLASSES_MAX

/* Head packets by class. */
struct head_table {
    uint32_t bytes[CLASSES], order[CLASSES];
};

static uint32_t table_bytes(const void *table, uint32_t tc)
{
    return ((const struct head_table *)table)->bytes[tc];
}

static uint32_t table_order(const void *table, uint32_t tc)
{
    return ((const struct head_table *)table)->order[tc];
}

static uint32_t pick(const struct weir_scheduler_config *config, struct weir_scheduler_state *state, uint32_t eligible,
                     uint32_t backlog, const struct head_table *table)
{
    struct weir_heads heads = {table, table_bytes, table_order};
    return scheduler_pick(config, state, eligible, backlog, heads);
}

static struct weir_scheduler_config config_of(enum weir_scheduler_kind kind, uint32_t w0, uint32_t w1, uint32_t w2)
{
    return (struct weir_scheduler_config){
        .kind = kind, .quantum_bytes = 1500, .weight = {w0, w1, w2}, .strict_from = 99};
}

static void scheduler_pick__fifo_takes_the_oldest(void **unused)
{
    static const struct {
        uint32_t order[4], eligible, expected;
    } cases[] = {
        {{5, 3, 9, 4}, 0xf, 1},
        {{5, 3, 9, 4}, 0xd, 3},
        {{5, 3, 9, 4}, 0x4, 2},
        {{1, UINT32_MAX, 0, 2}, 0xf, 1}, /* the counter has wrapped: the largest number is the oldest */
        {{UINT32_MAX, 3, UINT32_MAX - 1, 0}, 0xf, 2},
        {{0x80000001, 4, 0x80000002, 3}, 0xf, 3}, /* less than half the range apart */
    };
    struct weir_scheduler_config config = config_of(WEIR_SCHED_FIFO, 1, 1, 1);
    struct weir_scheduler_state state = {0};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct head_table heads = {0};
        memcpy(heads.order, cases[i].order, sizeof cases[i].order);
        assert_int_equal(pick(&config, &state, cases[i].eligible, 0xf, &heads), cases[i].expected);
    }
}

static void scheduler_pick__strict_takes_the_highest(void **unused)
{
    struct weir_scheduler_config config = config_of(WEIR_SCHED_STRICT, 1, 1, 1);
    struct weir_scheduler_state state = {0};
    struct head_table heads = {0};
    (void)unused;
    assert_int_equal(pick(&config, &state, 0x7, 0x7, &heads), 2);
    assert_int_equal(pick(&config, &state, 0x3, 0x7, &heads), 1);
    assert_int_equal(pick(&config, &state, 1, UINT32_MAX, &heads), 0);
    assert_int_equal(pick(&config, &state, UINT32_MAX, UINT32_MAX, &heads), 31);
}

struct pick_row {
    uint32_t eligible, backlog, expected;
};

static void check_rows(const struct weir_scheduler_config *config, const struct head_table *heads,
                       const struct pick_row *rows, size_t count)
{
    struct weir_scheduler_state state = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t got = pick(config, &state, rows[i].eligible, rows[i].backlog, heads);
        if (got != rows[i].expected)
            print_message("row %zu\n", i);
        assert_int_equal(got, rows[i].expected);
    }
}
#define CHECK_ROWS(config, heads, rows) check_rows(config, heads, rows, sizeof rows / sizeof rows[0])

static void scheduler_pick__rr_goes_round(void **unused)
{
    static const struct pick_row rows[] = {
        {0x7, 0x7, 0},
        {0x7, 0x7, 1},
        {0x7, 0x7, 2},
        {0x7, 0x7, 0},
        {0x5, 0x7, 2},
        {0x5, 0x5, 0},
        {0x2, 0x2, 1},
        {0x2, 0x2, 1},
        {0x80000001, 0x80000001, 31},
        {0x80000001, 0x80000001, 0},
    };
    struct weir_scheduler_config config = config_of(WEIR_SCHED_RR, 5, 5, 5); /* weights do not matter */
    struct head_table heads = {0};
    (void)unused;
    CHECK_ROWS(&config, &heads, rows);
}

static void scheduler_pick__wrr_sends_its_weight(void **unused)
{
    static const struct pick_row rows[] = {
        {0x7, 0x7, 0}, {0x7, 0x7, 0}, {0x7, 0x7, 0}, {0x7, 0x7, 1}, /* weights 3, 1 and 0, which counts as 1 */
        {0x7, 0x7, 2}, {0x7, 0x7, 0}, {0x7, 0x7, 0}, {0x6, 0x7, 1}, /* class 0 is paused with one packet of credit left
                                                                       ... */
        {0x6, 0x7, 2}, {0x7, 0x7, 0}, {0x7, 0x7, 0},                /* ... and has four in its next turn */
        {0x7, 0x7, 0}, {0x7, 0x7, 0}, {0x7, 0x7, 1}, {0x7, 0x7, 2}, {0x7, 0x7, 0},
        {0x6, 0x6, 1}, /* class 0 runs empty with two left, and has three in its next turn */
        {0x6, 0x6, 2}, {0x7, 0x7, 0}, {0x7, 0x7, 0}, {0x7, 0x7, 0}, {0x7, 0x7, 1},
    };
    struct weir_scheduler_config config = config_of(WEIR_SCHED_WRR, 3, 1, 0);
    struct head_table heads = {0};
    (void)unused;
    CHECK_ROWS(&config, &heads, rows);
}

/* Quantum 1500. Class 0: 1000 B, credit 1500, 2000, 1500 ... Class 1: 1500 B, one per turn. */
static void scheduler_pick__drr_carries_the_deficit(void **unused)
{
    static const struct pick_row rows[] = {
        {0x3, 0x3, 0}, {0x3, 0x3, 1}, {0x3, 0x3, 0}, {0x3, 0x3, 0},
        {0x3, 0x3, 1}, {0x3, 0x3, 0}, {0x3, 0x3, 1}, {0x2, 0x3, 1}, /* class 0 is paused and keeps 500 B */
        {0x3, 0x3, 0}, {0x3, 0x3, 0}, {0x3, 0x3, 1},                /* so that it has 2000 B now */
        {0x3, 0x3, 0}, {0x2, 0x2, 1},                               /* class 0 ran empty and lost its 500 B */
        {0x3, 0x3, 0}, {0x3, 0x3, 1},
    };
    struct weir_scheduler_config config = config_of(WEIR_SCHED_DRR, 1, 1, 1);
    struct head_table heads = {.bytes = {1000, 1500}};
    (void)unused;
    CHECK_ROWS(&config, &heads, rows);
}

/* A class paused in the middle of every turn must not save up a long burst: at most two turns' credit. */
static void scheduler_pick__paused_credit_is_bounded(void **unused)
{
    struct weir_scheduler_config config = config_of(WEIR_SCHED_WRR, 4, 1, 1);
    struct weir_scheduler_state state = {0};
    struct head_table heads = {0};
    (void)unused;
    for (uint32_t round = 0; round < 100; round++) {
        assert_int_equal(pick(&config, &state, 0x3, 0x3, &heads), 0);
        assert_int_equal(pick(&config, &state, 0x2, 0x3, &heads), 1);
    }
    uint32_t burst = 0;
    while (pick(&config, &state, 0x3, 0x3, &heads) == 0)
        burst++;
    assert_int_equal(burst, 8);
}

/* Heads larger than the quantum, up to the largest: found without walking 2^26 rounds. */
static void scheduler_pick__drr_large_heads(void **unused)
{
    struct weir_scheduler_config config = {.kind = WEIR_SCHED_DRR, .quantum_bytes = 1, .weight = {1, 2}};
    struct weir_scheduler_state state = {0};
    struct head_table heads = {.bytes = {UINT32_MAX, UINT32_MAX}};
    (void)unused;
    assert_int_equal(pick(&config, &state, 0x3, 0x3, &heads), 1);
    assert_int_equal(pick(&config, &state, 0x3, 0x3, &heads), 0);
    assert_int_equal(pick(&config, &state, 0x3, 0x3, &heads), 1);
}

static void scheduler_pick__largest_weights_do_not_overflow(void **unused)
{
    struct weir_scheduler_config config = {
        .kind = WEIR_SCHED_DRR, .quantum_bytes = UINT32_MAX, .weight = {UINT32_MAX, UINT32_MAX}};
    struct weir_scheduler_state state = {0};
    struct head_table heads = {.bytes = {UINT32_MAX, UINT32_MAX}};
    (void)unused;
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(pick(&config, &state, 0x1, 0x3, &heads), 0);
        assert_int_equal(pick(&config, &state, 0x2, 0x3, &heads), 1);
    }
}

static void scheduler_pick__strict_over_drr(void **unused)
{
    static const struct pick_row rows[] = {
        {0xf, 0xf, 3}, {0x7, 0xf, 2}, {0x3, 0xf, 0}, {0x3, 0xf, 1}, {0xf, 0xf, 3},
        {0x3, 0xf, 1}, {0x3, 0xf, 0}, {0x4, 0xf, 2}, {0x3, 0x3, 1}, {0x3, 0x3, 1},
    };
    struct weir_scheduler_config config = config_of(WEIR_SCHED_STRICT_DRR, 1, 2, 1);
    struct head_table heads = {.bytes = {1500, 1500, 1500, 1500}};
    (void)unused;
    config.strict_from = 2;
    CHECK_ROWS(&config, &heads, rows);
}

static void scheduler_pick__strict_from_the_ends(void **unused)
{
    struct weir_scheduler_config config = config_of(WEIR_SCHED_STRICT_DRR, 1, 1, 1);
    struct weir_scheduler_state state = {0};
    struct head_table heads = {.bytes = {100, 100}};
    (void)unused;
    config.strict_from = 0;
    assert_int_equal(pick(&config, &state, 0x3, 0x3, &heads), 1);
    assert_int_equal(pick(&config, &state, 0x3, 0x3, &heads), 1);
    config.strict_from = CLASSES; /* nobody is strict */
    assert_int_equal(pick(&config, &state, 0x3, 0x3, &heads), 0);
}

struct shares {
    int64_t packets[CLASSES], bytes[CLASSES];
    uint32_t longest_wait; /* picks for which an eligible class had to wait */
};

/* All of `eligible` always have packets; sizes are random in 64 .. 9000. */
static struct shares run_saturated(const struct weir_scheduler_config *config, uint32_t eligible, uint32_t picks)
{
    struct weir_scheduler_state state = {0};
    struct weir_random r = weir_random_stream(3, "sizes");
    struct head_table heads;
    struct shares shares = {0};
    uint32_t waited[CLASSES] = {0};
    for (uint32_t c = 0; c < CLASSES; c++)
        heads.bytes[c] = 64 + weir_random_below(&r, 8937);
    for (uint32_t i = 0; i < picks; i++) {
        uint32_t tc = pick(config, &state, eligible, eligible, &heads);
        assert_true(eligible >> tc & 1);
        shares.packets[tc]++;
        shares.bytes[tc] += heads.bytes[tc];
        heads.bytes[tc] = 64 + weir_random_below(&r, 8937);
        for (uint32_t c = 0; c < CLASSES; c++) {
            waited[c] = c == tc || !(eligible >> c & 1) ? 0 : waited[c] + 1;
            shares.longest_wait = waited[c] > shares.longest_wait ? waited[c] : shares.longest_wait;
        }
    }
    return shares;
}

/* DRR: after any number of picks, bytes per weight differ by at most a quantum and a packet per weight. */
static void scheduler_pick__drr_shares_bytes_by_weight(void **unused)
{
    static const uint32_t quanta[] = {64, 1500, 9000, 20000};
    (void)unused;
    for (size_t q = 0; q < sizeof quanta / sizeof quanta[0]; q++) {
        struct weir_scheduler_config config = config_of(WEIR_SCHED_DRR, 1, 2, 5);
        config.quantum_bytes = quanta[q];
        for (uint32_t picks = 1; picks < 20000; picks = picks * 3 + 1) {
            struct shares shares = run_saturated(&config, 0x7, picks);
            int64_t bound = quanta[q] + 9000;
            int64_t unit = shares.bytes[0];
            assert_in_range(shares.bytes[1] / 2 - unit + bound, 0, 2 * bound);
            assert_in_range(shares.bytes[2] / 5 - unit + bound, 0, 2 * bound);
        }
    }
}

static void scheduler_pick__wrr_shares_packets_by_weight(void **unused)
{
    struct weir_scheduler_config config = config_of(WEIR_SCHED_WRR, 1, 2, 5);
    struct shares shares = run_saturated(&config, 0x7, 8000);
    (void)unused;
    assert_int_equal(shares.packets[0], 1000);
    assert_int_equal(shares.packets[1], 2000);
    assert_int_equal(shares.packets[2], 5000);
    assert_int_equal(shares.longest_wait, 7);
}

static void scheduler_pick__nobody_starves(void **unused)
{
    struct weir_scheduler_config config = {.kind = WEIR_SCHED_RR};
    (void)unused;
    assert_int_equal(run_saturated(&config, UINT32_MAX, 3200).longest_wait, 31);
    config.kind = WEIR_SCHED_DRR; /* 9000 B or more per turn: 32 turns of at most 9000 + 9000 B in 64 B packets */
    config.quantum_bytes = 9000;
    assert_in_range(run_saturated(&config, UINT32_MAX, 32000).longest_wait, 31, 31 * 18000 / 64);
}

/* The rule as it is written: one turn after the other, however many. */
struct plain_state {
    uint32_t cursor;
    bool credited;
    int64_t credit[CLASSES];
};

static uint32_t plain_pick(const struct weir_scheduler_config *config, struct plain_state *s, uint32_t eligible,
                           uint32_t backlog, const struct head_table *heads)
{
    for (uint32_t c = 0; c < CLASSES; c++)
        if (!(backlog >> c & 1))
            s->credit[c] = 0;
    for (;;) {
        uint32_t c = s->cursor;
        bool bytes = config->kind == WEIR_SCHED_DRR;
        int64_t turn = (int64_t)(bytes ? config->quantum_bytes : 1) * config->weight[c];
        int64_t cost = bytes ? heads->bytes[c] : 1;
        if ((eligible >> c & 1) && !s->credited) {
            int64_t most = turn > cost ? turn : cost;
            s->credit[c] = turn + (s->credit[c] > most ? most : s->credit[c]);
            s->credited = true;
        }
        if ((eligible >> c & 1) && s->credit[c] >= cost) {
            s->credit[c] -= cost;
            return c;
        }
        s->cursor = (c + 1) % CLASSES;
        s->credited = false;
    }
}

static void random_step_of(uint64_t seed, enum weir_scheduler_kind kind)
{
    struct weir_random r = weir_random_stream(seed, "plain");
    struct weir_scheduler_config config = {.kind = kind, .quantum_bytes = 64 + weir_random_below(&r, 3000)};
    struct weir_scheduler_state state = {0};
    struct plain_state plain = {0};
    for (uint32_t c = 0; c < CLASSES; c++)
        config.weight[c] = 1 + weir_random_below(&r, 4);
    uint32_t used = (uint32_t)weir_random_bits(&r) & (uint32_t)weir_random_bits(&r);
    for (uint32_t i = 0; i < 200; i++) {
        struct head_table heads = {0};
        uint32_t backlog = (uint32_t)weir_random_bits(&r) & used;
        uint32_t eligible = backlog & ((uint32_t)weir_random_bits(&r) | (uint32_t)weir_random_bits(&r));
        for (uint32_t c = 0; c < CLASSES; c++)
            heads.bytes[c] = 1 + weir_random_below(&r, weir_random_below(&r, 8) == 0 ? 60000 : 1500);
        if (eligible == 0)
            continue;
        uint32_t expected = plain_pick(&config, &plain, eligible, backlog, &heads);
        uint32_t got = pick(&config, &state, eligible, backlog, &heads);
        if (got != expected)
            print_message("seed %llu, pick %u: got %u, expected %u\n", (unsigned long long)seed, i, got, expected);
        assert_int_equal(got, expected);
    }
}

static void scheduler_pick__agrees_with_walking_every_round(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < 300; seed++) {
        random_step_of(seed, WEIR_SCHED_DRR);
        random_step_of(seed, WEIR_SCHED_WRR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scheduler_pick__fifo_takes_the_oldest),
        cmocka_unit_test(scheduler_pick__strict_takes_the_highest),
        cmocka_unit_test(scheduler_pick__rr_goes_round),
        cmocka_unit_test(scheduler_pick__wrr_sends_its_weight),
        cmocka_unit_test(scheduler_pick__drr_carries_the_deficit),
        cmocka_unit_test(scheduler_pick__paused_credit_is_bounded),
        cmocka_unit_test(scheduler_pick__drr_large_heads),
        cmocka_unit_test(scheduler_pick__largest_weights_do_not_overflow),
        cmocka_unit_test(scheduler_pick__strict_over_drr),
        cmocka_unit_test(scheduler_pick__strict_from_the_ends),
        cmocka_unit_test(scheduler_pick__drr_shares_bytes_by_weight),
        cmocka_unit_test(scheduler_pick__wrr_shares_packets_by_weight),
        cmocka_unit_test(scheduler_pick__nobody_starves),
        cmocka_unit_test(scheduler_pick__agrees_with_walking_every_round),
    };
    return cmocka_run_group_tests_name("scheduler", tests, NULL, NULL);
}
