/*
 * test_followlqd.c - FollowLQD: the rule on random arrivals of many sizes, the paper's worst case, laziness of time.
 */
#include "tests/support/slots.h"
#include "weir/fixed.h"

#define BURST_PORTS 4u
#define BURST_BUFFER 16u

static void unit_build(struct fixture *f, uint32_t ports, uint32_t buffer, const char *settings)
{
    const struct slots shape = {.ports = ports, .buffer = buffer};
    slots_config(f, &shape);
    fixture_build(f, "followlqd", settings);
}

static enum weir_reason offer(struct fixture *f, uint32_t port, weir_ps now)
{
    return fixture_offer(f, port, 0, SLOT_BYTES, now);
}

/* Observation 1 of the paper: after a burst of B to one port, of a packet for each port only one enters. */
static void admit__burst_keeps_others_out(void **state)
{
    (void)state;
    struct fixture f;
    unit_build(&f, BURST_PORTS, BURST_BUFFER, NULL);
    for (uint32_t i = 0; i < BURST_BUFFER; i++)
        assert_int_equal(offer(&f, 0, 0), WEIR_REASON_NONE);
    fixture_drain(&f, 0, 1, 0);
    assert_int_equal(offer(&f, 0, SLOT_PS), WEIR_REASON_NONE);
    for (uint32_t port = 1; port < BURST_PORTS; port++) {
        assert_int_equal(offer(&f, port, SLOT_PS), WEIR_REASON_NO_ROOM);
        assert_int_equal(fixture_threshold(&f, port, 0), 1);
    }
    assert_int_equal(fixture_threshold(&f, 0, 0), BURST_BUFFER - (BURST_PORTS - 1));
    fixture_free(&f);
}

/* What LQD pushed out is still in the real queue: its threshold is below it, and arrivals are refused. */
static void admit__over_threshold_after_push_out(void **state)
{
    (void)state;
    struct fixture f;
    unit_build(&f, 2, 4, NULL);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(offer(&f, 0, 0), WEIR_REASON_NONE);
    assert_int_equal(offer(&f, 1, 0), WEIR_REASON_NO_ROOM);
    assert_int_equal(offer(&f, 1, 0), WEIR_REASON_NO_ROOM);
    fixture_drain(&f, 0, 1, 0);
    assert_int_equal(fixture_depart(&f, 1, 0), 0);
    assert_int_equal(fixture_threshold(&f, 0, 0), 1);
    assert_int_equal(fixture_threshold(&f, 1, 0), 1);
    assert_int_equal(offer(&f, 0, SLOT_PS), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_threshold(&f, 0, 0), 2);
    assert_int_equal(offer(&f, 1, SLOT_PS), WEIR_REASON_NONE);
    fixture_free(&f);
}

/* An idle real port: at its rate the virtual queue runs empty, with the artifact's rule it stays. */
static void drain__idle_port(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        weir_cells first, after;
    } expected[] = {{"drain=rate", 1, 0}, {"drain=dequeue", 2, 2}};
    for (uint32_t i = 0; i < 2; i++) {
        struct fixture f;
        unit_build(&f, 2, 4, expected[i].settings);
        for (uint32_t k = 0; k < 4; k++)
            offer(&f, 0, 0);
        offer(&f, 1, 0);
        offer(&f, 1, 0); /* both refused: the real port 1 stays idle */
        weir_mmu_advance(f.mmu, SLOT_PS);
        assert_int_equal(fixture_threshold(&f, 1, 0), expected[i].first);
        weir_mmu_advance(f.mmu, 2 * SLOT_PS);
        assert_int_equal(fixture_threshold(&f, 1, 0), expected[i].after);
        assert_int_equal(weir_mmu_next_event(f.mmu), WEIR_NEVER);
        fixture_free(&f);
    }
}

static void drain__dequeue_clears_with_the_real_queue(void **state)
{
    (void)state;
    struct fixture f;
    unit_build(&f, 2, 4, "drain=dequeue");
    for (uint32_t i = 0; i < 4; i++)
        offer(&f, 0, 0);
    offer(&f, 1, 0);
    assert_int_equal(fixture_threshold(&f, 0, 0), 3);
    fixture_drain(&f, 0, 1, 0);
    assert_int_equal(fixture_threshold(&f, 0, 0), 2);
    assert_int_equal(offer(&f, 1, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_threshold(&f, 1, 0), 2);
    fixture_drain(&f, 1, 1, 0); /* real queue 1 held one packet and is empty now */
    assert_int_equal(fixture_threshold(&f, 1, 0), 0);
    fixture_free(&f);
}

/* What has evolved stays, the new values count from now on. */
static void change__keeps_virtual_lengths(void **state)
{
    (void)state;
    struct fixture f;
    fixture_config(&f, 2, 1, 10000);
    fixture_build(&f, "followlqd", "quantum=1000B");
    fixture_fill(&f, 0, 0, 4000, 0);
    fixture_change(&f, "quantum=3000B");
    assert_int_equal(fixture_threshold(&f, 0, 0), 4000);
    weir_mmu_advance(f.mmu, 1);
    assert_int_equal(fixture_threshold(&f, 0, 0), 1000);
    fixture_free(&f);
}

static void threshold__is_the_virtual_length(void **state)
{
    (void)state;
    struct fixture f;
    fixture_config(&f, 2, 2, 1000);
    fixture_build(&f, "followlqd", NULL);
    fixture_fill(&f, 1, 1, 300, 0);
    assert_int_equal(fixture_threshold(&f, 1, 1), 300);
    assert_int_equal(fixture_threshold(&f, 1, 0), 0);
    fixture_free(&f);
}

/* One random event to an MMU; the draws depend on the stream alone. */
static void random_event(struct fixture *f, struct weir_random *r, weir_ps *now, enum weir_reason *expected)
{
    uint32_t port = weir_random_below(r, f->config.ports), tc = weir_random_below(r, f->config.classes);
    uint32_t bytes = 1 + weir_random_below(r, 1500);
    *now += weir_random_below(r, 900000);
    if (weir_random_below(r, 3) == 0) {
        fixture_depart(f, port, *now);
        return;
    }
    const struct weir_view *view = weir_mmu_view(f->mmu);
    weir_account account = fixture_account(f, port, tc);
    weir_cells need = weir_view_shared_need(view, account, weir_cells_for_bytes(bytes, f->config.cell_bytes));
    weir_cells held = weir_view_shared(view, account), room = weir_view_shared_free(view);
    enum weir_reason reason = fixture_offer(f, port, tc, bytes, *now);
    *expected = held + need > fixture_threshold(f, port, tc) ? WEIR_REASON_OVER_THRESHOLD
                : need > room                                ? WEIR_REASON_NO_ROOM
                                                             : WEIR_REASON_NONE;
    assert_int_equal(reason, *expected);
}

static void random_build(struct fixture *f, uint64_t seed)
{
    struct weir_random r = {seed, UINT64_C(1) << 32};
    fixture_config(f, 2 + weir_random_below(&r, 5), 1 + weir_random_below(&r, 3), 100);
    f->config.cell_bytes = 50 + weir_random_below(&r, 250);
    f->config.private_cells[0] = weir_random_below(&r, 4);
    fixture_build(f, "followlqd", weir_random_below(&r, 4) ? NULL : "drain=dequeue");
}

static void admit__rule_on_random_arrivals(void **state)
{
    (void)state;
    uint32_t seen[WEIR_REASON_COUNT] = {0};
    for (uint64_t seed = 1; seed <= slots_rounds(60); seed++) {
        struct weir_random r = {seed, 0};
        struct fixture f;
        weir_ps now = 0;
        random_build(&f, seed);
        for (uint32_t event = 0; event < 500; event++) {
            enum weir_reason reason = WEIR_REASON_NONE;
            random_event(&f, &r, &now, &reason);
            seen[reason]++;
        }
        fixture_free(&f);
    }
    assert_true(seen[WEIR_REASON_OVER_THRESHOLD] > 100 && seen[WEIR_REASON_NO_ROOM] > 100);
}

/* Time passes lazily: an MMU that is told of it all the time decides the same. */
static void on_tick__changes_no_verdict(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= slots_rounds(30); seed++) {
        struct weir_random r1 = {seed, 0}, r2 = {seed, 0}, extra = {seed + 1000, 0};
        struct fixture told, left;
        weir_ps now1 = 0, now2 = 0;
        random_build(&told, seed);
        random_build(&left, seed);
        for (uint32_t event = 0; event < 300; event++) {
            enum weir_reason reason1 = WEIR_REASON_NONE, reason2 = WEIR_REASON_NONE;
            random_event(&told, &r1, &now1, &reason1);
            random_event(&left, &r2, &now2, &reason2);
            if (reason1 != reason2)
                print_message("seed %llu, event %u\n", (unsigned long long)seed, event);
            assert_int_equal(reason1, reason2);
            weir_mmu_advance(told.mmu, now1);
            if (weir_random_below(&extra, 2))
                weir_mmu_advance(told.mmu, now1);
        }
        assert_true(weir_mmu_hash(told.mmu) == weir_mmu_hash(left.mmu));
        fixture_free(&told);
        fixture_free(&left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__burst_keeps_others_out),
        cmocka_unit_test(admit__over_threshold_after_push_out),
        cmocka_unit_test(admit__rule_on_random_arrivals),
        cmocka_unit_test(drain__idle_port),
        cmocka_unit_test(drain__dequeue_clears_with_the_real_queue),
        cmocka_unit_test(change__keeps_virtual_lengths),
        cmocka_unit_test(threshold__is_the_virtual_length),
        cmocka_unit_test(on_tick__changes_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
