/*
 * test_lqd.c - Longest Queue Drop: who is pushed out, from which end, and when nobody is.
 */
#include "tests/support/fixture.h"

#include "weir/random.h"

/* Sends `packets` packets of `bytes` each, which have to enter without a loss. */
static void send_many(struct fixture *f, uint32_t port, uint32_t tc, uint32_t packets, uint32_t bytes)
{
    for (uint32_t i = 0; i < packets; i++) {
        const struct weir_effects *fx = fixture_send(f, port, tc, bytes, 0);
        assert_true(fx->accepted);
        assert_int_equal(fx->lost_count, 0);
    }
}

/* Port 0 holds six packets of 10 (handles 1 to 6), port 1 four (7 to 10): the buffer of 100 cells is full. */
static void build_full(struct fixture *f, const char *settings)
{
    fixture_config(f, 3, 1, 100);
    fixture_build(f, "lqd", settings);
    send_many(f, 0, 0, 6, 10);
    send_many(f, 1, 0, 4, 10);
}

static void admit__one_account_takes_the_whole_buffer(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 3, 1, 100);
    fixture_build(&f, "lqd", NULL);
    send_many(&f, 0, 0, 10, 10);
    assert_int_equal(fixture_free_cells(&f), 0);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_NO_ROOM);
    fixture_free(&f);
}

static void victim__longest_loses_its_head_by_default(void **context)
{
    struct fixture f;
    (void)context;
    build_full(&f, NULL);
    const struct weir_effects *fx = fixture_send(&f, 2, 0, 10, 0);
    assert_true(fx->accepted);
    assert_int_equal(fx->lost_count, 1);
    assert_int_equal(fx->lost[0].handle, 1);
    assert_int_equal(fx->lost[0].cause, WEIR_CAUSE_PUSHOUT);
    assert_int_equal(fixture_cells(&f, 0, 0), 50);
    assert_int_equal(fixture_cells(&f, 2, 0), 10);
    fixture_free(&f);
}

static void victim__longest_loses_its_tail_when_asked(void **context)
{
    struct fixture f;
    (void)context;
    build_full(&f, "remove=tail");
    const struct weir_effects *fx = fixture_send(&f, 2, 0, 10, 0);
    assert_int_equal(fx->lost_count, 1);
    assert_int_equal(fx->lost[0].handle, 6);
    fixture_free(&f);
}

static void change__switches_the_end_at_run_time(void **context)
{
    struct fixture f;
    (void)context;
    build_full(&f, NULL);
    fixture_change(&f, "remove=tail");
    assert_int_equal(fixture_send(&f, 2, 0, 10, 0)->lost[0].handle, 6);
    fixture_change(&f, NULL);
    assert_int_equal(fixture_send(&f, 2, 0, 10, 0)->lost[0].handle, 1);
    fixture_free(&f);
}

static void victim__large_arrival_pushes_out_several(void **context)
{
    struct fixture f;
    (void)context;
    build_full(&f, NULL);
    const struct weir_effects *fx = fixture_send(&f, 2, 0, 25, 0);
    assert_true(fx->accepted);
    assert_int_equal(fx->lost_count, 3);
    /* 60 against 40; 50 against 40; 40 against 40: the lower account. */
    const uint64_t expected[] = {1, 2, 3};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(fx->lost[i].handle, expected[i]);
    fixture_free(&f);
}

static void victim__equals_lose_lowest_account_first(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 3, 2, 100);
    fixture_build(&f, "lqd", NULL);
    send_many(&f, 0, 1, 5, 10);
    send_many(&f, 2, 0, 5, 10);
    const struct weir_effects *fx = fixture_send(&f, 1, 0, 20, 0);
    assert_int_equal(fx->lost_count, 2);
    assert_int_equal(fx->lost[0].account.i, fixture_account(&f, 2, 0).i);
    assert_int_equal(fx->lost[1].account.i, fixture_account(&f, 0, 1).i);
    fixture_free(&f);
}

static void victim__plan_is_undone_when_the_arrival_cannot_fit(void **context)
{
    struct fixture f;
    (void)context;
    build_full(&f, NULL);
    uint64_t before = weir_mmu_hash(f.mmu);
    /* Two packets of port 0 could go (60 and 50 are above 45), then nobody is longer and 45 do not fit into 20. */
    const struct weir_effects *fx = fixture_send(&f, 2, 0, 45, 0);
    assert_false(fx->accepted);
    assert_int_equal(fx->reason, WEIR_REASON_NO_ROOM);
    assert_int_equal(fx->lost_count, 0);
    assert_true(weir_mmu_hash(f.mmu) == before);
    assert_int_equal(fixture_cells(&f, 0, 0), 60);
    fixture_free(&f);
}

static void victim__tie_never_evicts(void **context)
{
    static const struct {
        uint32_t port, bytes;
        enum weir_reason expected;
        uint32_t lost;
    } cases[] = {
        {1, 20, WEIR_REASON_NO_ROOM, 0}, /* 40 + 20 = 60 of port 0 */
        {1, 21, WEIR_REASON_NO_ROOM, 0}, /* beyond it */
        {0, 1, WEIR_REASON_NO_ROOM, 0},  /* its own account is the longest */
        {2, 60, WEIR_REASON_NO_ROOM, 0}, /* an empty account with an arrival as long as the longest */
        {1, 10, WEIR_REASON_NONE, 1},    /* 50 against 60 */
    };
    struct fixture f;
    (void)context;
    build_full(&f, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct weir_effects *fx = fixture_send(&f, cases[i].port, 0, cases[i].bytes, 0);
        assert_int_equal(fx->accepted ? WEIR_REASON_NONE : fx->reason, cases[i].expected);
        assert_int_equal(fx->lost_count, cases[i].lost);
    }
    fixture_free(&f);
}

static void victim__priority_spares_higher_classes(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 2, 3, 100);
    fixture_build(&f, "lqd", "priority=yes");
    send_many(&f, 0, 2, 5, 10);
    send_many(&f, 0, 1, 3, 10);
    send_many(&f, 1, 0, 2, 10);

    /* Of class 0 only class 0 pays, though it is the shortest. */
    const struct weir_effects *fx = fixture_send(&f, 0, 0, 10, 0);
    assert_true(fx->accepted);
    assert_int_equal(fx->lost[0].account.i, fixture_account(&f, 1, 0).i);
    /* Now (0, class 0) and (1, class 0) hold 10 each: a tie. */
    assert_int_equal(fixture_offer(&f, 0, 0, 10, 0), WEIR_REASON_NO_ROOM);
    /* Class 1 takes from the longer of classes 0 and 1, class 2 from the longest of all. */
    assert_int_equal(fixture_send(&f, 1, 1, 10, 0)->lost[0].account.i, fixture_account(&f, 0, 1).i);
    assert_int_equal(fixture_send(&f, 1, 2, 10, 0)->lost[0].account.i, fixture_account(&f, 0, 2).i);
    fixture_free(&f);
}

static void victim__priority_equals_lose_the_lower_class_first(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 2, 2, 100);
    fixture_build(&f, "lqd", "priority=yes");
    send_many(&f, 0, 1, 5, 10);
    send_many(&f, 1, 0, 5, 10);
    const struct weir_effects *fx = fixture_send(&f, 1, 1, 20, 0);
    assert_int_equal(fx->lost_count, 2);
    assert_int_equal(fx->lost[0].account.i, fixture_account(&f, 1, 0).i);
    assert_int_equal(fx->lost[1].account.i, fixture_account(&f, 0, 1).i);
    fixture_free(&f);
}

static void victim__priority_without_lower_backlog_finds_nobody(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 2, 2, 100);
    fixture_build(&f, "lqd", "priority=yes");
    send_many(&f, 0, 1, 10, 10);
    assert_int_equal(fixture_offer(&f, 1, 0, 10, 0), WEIR_REASON_NO_ROOM);
    fixture_change(&f, NULL);
    assert_int_equal(fixture_offer(&f, 1, 0, 10, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

/* Lower classes pay first, the lowest before all, and whatever their length; among its own class the arrival counts. */
static void victim__lowest_class_pays_first(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 2, 3, 100);
    fixture_build(&f, "lqd", "priority=lowest");
    send_many(&f, 0, 2, 6, 10);
    send_many(&f, 0, 1, 2, 10);
    send_many(&f, 1, 0, 1, 10);
    send_many(&f, 0, 0, 1, 10);
    /* An arrival to the longest account of all, which LQD would refuse: first class 0, then class 1, each without a
     * look at the arrival's own account; then nobody of class 2 is longer. */
    static const struct {
        uint32_t port, tc;
    } order[] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const struct weir_effects *fx = fixture_send(&f, 0, 2, 10, 0);
        assert_true(fx->accepted);
        assert_int_equal(fx->lost_count, 1);
        assert_int_equal(fx->lost[0].account.i, fixture_account(&f, order[i].port, order[i].tc).i);
    }
    assert_int_equal(fixture_offer(&f, 0, 2, 10, 0), WEIR_REASON_NO_ROOM);
    assert_int_equal(fixture_offer(&f, 1, 1, 10, 0), WEIR_REASON_NO_ROOM); /* a higher class never pays */
    const struct weir_effects *fx = fixture_send(&f, 1, 2, 10, 0);
    assert_true(fx->accepted);
    assert_int_equal(fx->lost[0].account.i, fixture_account(&f, 0, 2).i);
    fixture_free(&f);
}

/* One large arrival goes up through the classes, and is refused whole if that is not enough. */
static void victim__lowest_class_pays_first_in_one_arrival(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 2, 3, 100);
    fixture_build(&f, "lqd", "priority=lowest");
    send_many(&f, 0, 0, 2, 10);
    send_many(&f, 1, 1, 1, 10);
    send_many(&f, 0, 2, 7, 10);
    assert_int_equal(fixture_offer(&f, 1, 1, 31, 0), WEIR_REASON_NO_ROOM); /* 20 of class 0; its own is the longest */
    assert_int_equal(fixture_cells(&f, 0, 0), 20);
    const struct weir_effects *fx = fixture_send(&f, 1, 2, 40, 0);
    assert_true(fx->accepted);
    assert_int_equal(fx->lost_count, 4);
    const uint32_t expected[] = {fixture_account(&f, 0, 0).i, fixture_account(&f, 0, 0).i, fixture_account(&f, 1, 1).i,
                                 fixture_account(&f, 0, 2).i};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(fx->lost[i].account.i, expected[i]);
    fixture_free(&f);
}

static void victim__lengths_are_those_in_the_shared_pool(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 2, 2, 180);
    f.config.private_cells[0] = 40; /* 80 private in all, 100 shared */
    fixture_build(&f, "lqd", NULL);
    /* Larger than the shared pool and its own minimum while nobody holds anything there: nobody to ask. */
    assert_int_equal(fixture_offer(&f, 0, 0, 141, 0), WEIR_REASON_NO_ROOM);
    send_many(&f, 0, 0, 9, 10); /* 40 private, 50 shared */
    send_many(&f, 0, 1, 5, 10); /* 50 shared: the queue is shorter, its part of the pool is not */
    /* Within its minimum an arrival needs no room and evicts nobody. */
    assert_int_equal(fixture_send(&f, 1, 0, 40, 0)->lost_count, 0);
    /* 10 more need 10 of the pool; with equal parts the lower account pays. */
    const struct weir_effects *fx = fixture_send(&f, 1, 0, 10, 0);
    assert_true(fx->accepted);
    assert_int_equal(fx->lost[0].account.i, fixture_account(&f, 0, 0).i);
    /* (0, class 0) now has 80 cells, of which 40 shared; (0, class 1) has 50 shared and pays next. */
    assert_int_equal(fixture_send(&f, 1, 1, 10, 0)->lost[0].account.i, fixture_account(&f, 0, 1).i);
    fixture_free(&f);
}

static void victim__arrival_counts_only_with_what_it_needs_of_the_pool(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 2, 2, 180);
    f.config.private_cells[0] = 40;
    fixture_build(&f, "lqd", NULL);
    send_many(&f, 0, 0, 8, 10); /* 40 shared */
    send_many(&f, 0, 1, 3, 10);
    send_many(&f, 1, 1, 3, 10);
    assert_int_equal(fixture_offer(&f, 1, 0, 80, 0), WEIR_REASON_NO_ROOM); /* needs 40: a tie */
    const struct weir_effects *fx = fixture_send(&f, 1, 0, 45, 0);         /* needs 5 */
    assert_true(fx->accepted);
    assert_int_equal(fx->lost_count, 1);
    assert_int_equal(fx->lost[0].account.i, fixture_account(&f, 0, 0).i);
    fixture_free(&f);
}

static void victim__answers_only_for_push_out(void **context)
{
    struct fixture f;
    (void)context;
    build_full(&f, NULL);
    const struct weir_view *view = weir_mmu_view(f.mmu);
    uint64_t state[8] = {0};
    assert_true(f.config.egress->state_size(&view->geometry) <= sizeof state);
    f.config.egress->init(state, view, &f.values);
    const enum weir_why others[] = {WEIR_WHY_EXPEL, WEIR_WHY_DEQUEUE};
    for (uint32_t i = 0; i < 2; i++) {
        const struct weir_question question = {.why = others[i], .leaving = {0}};
        assert_int_equal(f.config.egress->victim(state, view, &question).account.i, WEIR_NO_ACCOUNT.i);
    }
    fixture_free(&f);
}

/* Unit packets: the decision can be read off the lengths before the arrival. */
static void check_unit_arrival(struct fixture *f, uint32_t ports, uint32_t port)
{
    uint32_t longest = 0;
    for (uint32_t p = 1; p < ports; p++)
        if (fixture_cells(f, p, 0) > fixture_cells(f, longest, 0))
            longest = p;
    bool full = fixture_free_cells(f) == 0;
    bool refused = full && fixture_cells(f, longest, 0) <= fixture_cells(f, port, 0) + 1;
    const struct weir_effects *fx = fixture_send(f, port, 0, 1, 0);
    assert_int_equal(fx->accepted, !refused);
    assert_int_equal(fx->lost_count, full && !refused);
    if (fx->lost_count > 0)
        assert_int_equal(fx->lost[0].account.i, longest);
}

static void victim__random_unit_packets_match_a_plain_scan(void **context)
{
    enum { PORTS = 7, EVENTS = 20000 };
    struct fixture f;
    (void)context;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct weir_random random = {seed, 0};
        fixture_config(&f, PORTS, 1, 40);
        fixture_build(&f, "lqd", seed == 2 ? "remove=tail" : NULL);
        print_message("seed %u\n", (unsigned)seed);
        for (uint32_t i = 0; i < EVENTS; i++) {
            uint64_t draw = weir_random_bits(&random);
            uint32_t low = (uint32_t)(draw % PORTS), high = (uint32_t)(draw / PORTS % PORTS);
            if (draw >> 61 < 3)
                fixture_depart(&f, low, 0);
            else
                check_unit_arrival(&f, PORTS, low < high ? low : high);
        }
        fixture_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__one_account_takes_the_whole_buffer),
        cmocka_unit_test(victim__longest_loses_its_head_by_default),
        cmocka_unit_test(victim__longest_loses_its_tail_when_asked),
        cmocka_unit_test(change__switches_the_end_at_run_time),
        cmocka_unit_test(victim__large_arrival_pushes_out_several),
        cmocka_unit_test(victim__equals_lose_lowest_account_first),
        cmocka_unit_test(victim__plan_is_undone_when_the_arrival_cannot_fit),
        cmocka_unit_test(victim__tie_never_evicts),
        cmocka_unit_test(victim__priority_spares_higher_classes),
        cmocka_unit_test(victim__priority_equals_lose_the_lower_class_first),
        cmocka_unit_test(victim__priority_without_lower_backlog_finds_nobody),
        cmocka_unit_test(victim__lowest_class_pays_first),
        cmocka_unit_test(victim__lowest_class_pays_first_in_one_arrival),
        cmocka_unit_test(victim__lengths_are_those_in_the_shared_pool),
        cmocka_unit_test(victim__arrival_counts_only_with_what_it_needs_of_the_pool),
        cmocka_unit_test(victim__answers_only_for_push_out),
        cmocka_unit_test(victim__random_unit_packets_match_a_plain_scan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
