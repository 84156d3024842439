/*
 * test_occamy.c - Occamy: DT's admission, the order of expulsions, and the tokens they need.
 *
 * Four ports of 10 Gb/s read memory cells of 200 bytes at 40 Gb/s, so a token comes every 40 ns. Packets of up to 200
 * bytes cost one.
 */
#include "lib/core/mmu_internal.h"
#include "lib/policies/occamy.c" /* to look into its state */
#include "tests/support/fixture.h"

static int32_t last_victim(const struct fixture *f)
{
    const struct occamy_state *s = f->mmu->egress.state;
    return (int32_t)s->vars.cursor.i;
}

#include "weir/random.h"

#define TOKEN_PS (40 * WEIR_PS_PER_NS)

static void send_many(struct fixture *f, uint32_t port, uint32_t tc, uint32_t packets, uint32_t bytes)
{
    for (uint32_t i = 0; i < packets; i++)
        fixture_fill(f, port, tc, bytes, 0);
}

/* Expels at `now`, and checks that exactly these accounts lose a packet, in this order. */
static void expect_expelled(struct fixture *f, weir_ps now, const uint32_t *accounts, uint32_t count)
{
    const struct weir_effects *fx = weir_mmu_offer_expel(f->mmu, now);
    assert_int_equal(fx->lost_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(fx->lost[i].account.i, accounts[i]);
        assert_int_equal(fx->lost[i].cause, WEIR_CAUSE_EXPELLED);
    }
}

static void expect_expelled_count(struct fixture *f, weir_ps now, uint32_t count)
{
    assert_int_equal(weir_mmu_offer_expel(f->mmu, now)->lost_count, count);
}

/* Port 0 holds 50 packets of 200 bytes and is far above its threshold; `depth` memory cells of tokens. */
static void build_over(struct fixture *f, uint32_t depth)
{
    fixture_config(f, 4, 1, 20000);
    f->config.memory_depth_cells = depth;
    fixture_build(f, "occamy", "alpha=1");
    send_many(f, 0, 0, 50, 200);
    fixture_change(f, "alpha=0.01");
}

static void admit__stops_where_dt_does(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 4, 1, 900);
    fixture_build(&f, "occamy", NULL);
    fixture_fill(&f, 0, 0, 799, 0);
    assert_int_equal(fixture_threshold(&f, 0, 0), 8 * 101);
    assert_int_equal(fixture_offer(&f, 0, 0, 10, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_fill(&f, 0, 0, 1, 0);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 1, 0, 101, 0), WEIR_REASON_NO_ROOM);
    fixture_free(&f);
}

static void admit__private_minimum_comes_on_top(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 2, 1, 1200);
    f.config.private_cells[0] = 100;
    fixture_build(&f, "occamy", "alpha=1");
    fixture_fill(&f, 0, 0, 600, 0); /* 500 shared: as much as is free */
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_change(&f, "alpha=0.1");
    assert_int_equal(fixture_offer(&f, 1, 0, 100, 0), WEIR_REASON_NONE); /* needs nothing of the pool */
    fixture_free(&f);
}

static void admit__empty_exception_needs_only_room(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 4, 1, 1000);
    fixture_build(&f, "occamy", "alpha=0.5");
    assert_int_equal(fixture_offer(&f, 0, 0, 501, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_change(&f, "alpha=0.5:empty_exception=yes");
    assert_int_equal(fixture_offer(&f, 0, 0, 501, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_OVER_THRESHOLD); /* not empty any more */
    assert_int_equal(fixture_offer(&f, 1, 0, 500, 0), WEIR_REASON_NO_ROOM);
    assert_int_equal(fixture_offer(&f, 1, 0, 499, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

static void admit__empty_exception_counts_private_cells(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 2, 1, 1200);
    f.config.private_cells[0] = 100;
    fixture_build(&f, "occamy", "alpha=0.5:empty_exception=yes");
    fixture_fill(&f, 0, 0, 50, 0);
    assert_int_equal(fixture_offer(&f, 0, 0, 600, 0), WEIR_REASON_OVER_THRESHOLD); /* needs 550 of 500 */
    assert_int_equal(fixture_offer(&f, 1, 0, 650, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

static void expect_nobody_at_threshold(const char *settings)
{
    struct fixture f;
    fixture_config(&f, 4, 1, 1000);
    fixture_build(&f, "occamy", settings);
    fixture_fill(&f, 0, 0, 200, 0);
    fixture_fill(&f, 0, 0, 300, 0); /* 500 of 500 free */
    expect_expelled_count(&f, 0, 0);
    assert_true(weir_mmu_next_event(f.mmu) == WEIR_NEVER);
    fixture_fill(&f, 1, 0, 1, 0); /* 500 of 499 */
    assert_true(weir_mmu_next_event(f.mmu) <= 0);
    expect_expelled(&f, 0, (const uint32_t[]){0}, 1);
    assert_int_equal(fixture_cells(&f, 0, 0), 300); /* the head went */
    expect_expelled_count(&f, WEIR_PS_PER_US, 0);
    fixture_free(&f);
}

static void victim__nobody_at_or_below_its_threshold(void **context)
{
    (void)context;
    expect_nobody_at_threshold("alpha=1");
    expect_nobody_at_threshold("alpha=1:select=longest");
}

/* Accounts 1, 3 (class 0), 4 and 6 (class 1) hold 100, 100, 100 and 50 of 1000 cells in packets of 10. */
static void build_four(struct fixture *f, uint32_t depth, const char *settings)
{
    fixture_config(f, 4, 2, 1000);
    f->config.memory_depth_cells = depth;
    fixture_build(f, "occamy", NULL);
    send_many(f, 1, 0, 10, 10);
    send_many(f, 3, 0, 10, 10);
    send_many(f, 0, 1, 10, 10);
    send_many(f, 2, 1, 5, 10);
    fixture_change(f, settings);
}

static void victim__goes_round_the_accounts_above_their_class_threshold(void **context)
{
    struct fixture f;
    (void)context;
    /* Thresholds start at 65 and 78 and rise with each packet; account 4 is below its own after its second loss. */
    build_four(&f, 64, "alpha=0.1,0.12");
    assert_int_equal(last_victim(&f), -1);
    expect_expelled(&f, 0, (const uint32_t[]){1, 3, 4, 1, 3, 4, 1, 3}, 8);
    assert_int_equal(last_victim(&f), 3);
    assert_int_equal(fixture_threshold(&f, 0, 0), 73);
    assert_int_equal(fixture_threshold(&f, 0, 1), 87);
    fixture_free(&f);
}

static void victim__cursor_stays_between_offers_and_other_losses(void **context)
{
    struct fixture f;
    (void)context;
    build_four(&f, 2, "alpha=0.05");
    expect_expelled(&f, 0, (const uint32_t[]){1, 3}, 2);
    /* A flushed packet of account 4 does not move the cursor: going on from 3, account 6 is next, then 1. */
    assert_int_equal(weir_mmu_flush(f.mmu, (weir_port){0}, 0)->lost_count, 10);
    assert_int_equal(last_victim(&f), 3);
    assert_int_equal(fixture_offer(&f, 1, 0, 100, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(last_victim(&f), 3);
    expect_expelled(&f, 2 * TOKEN_PS, (const uint32_t[]){6, 1}, 2);
    fixture_change(&f, "alpha=0.04");
    expect_expelled(&f, 3 * TOKEN_PS, (const uint32_t[]){3}, 1);
    fixture_free(&f);
}

static void victim__last_victim_comes_again_when_alone(void **context)
{
    struct fixture f;
    (void)context;
    build_four(&f, 3, "alpha=8,0.0625"); /* of class 1, only account 4 is above 40 */
    weir_mmu_flush(f.mmu, (weir_port){2}, 0);
    expect_expelled(&f, 0, (const uint32_t[]){4, 4, 4}, 3);
    fixture_free(&f);
}

static void victim__longest_takes_the_longest_above_its_threshold(void **context)
{
    struct fixture f;
    (void)context;
    /* Account 6 gets 130 cells but class 1 may have 4 times the free space. Equals lose the lower account first. */
    fixture_config(&f, 4, 2, 1000);
    f.config.memory_depth_cells = 5;
    fixture_build(&f, "occamy", NULL);
    send_many(&f, 1, 0, 9, 10);
    send_many(&f, 3, 0, 11, 10);
    send_many(&f, 2, 1, 13, 10);
    fixture_change(&f, "alpha=0.05,4:select=longest");
    expect_expelled(&f, 0, (const uint32_t[]){3, 3, 1, 3, 1}, 5);
    /* With its own threshold, account 6 is the longest of all; then it is level with class 0 at 70. */
    fixture_change(&f, "alpha=0.05:select=longest");
    expect_expelled(&f, 5 * TOKEN_PS, (const uint32_t[]){6, 6, 6, 6, 6}, 5);
    expect_expelled(&f, 10 * TOKEN_PS, (const uint32_t[]){3, 6, 1, 3, 6}, 5);
    fixture_free(&f);
}

static void victim__longest_leaves_out_what_is_at_its_threshold(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 4, 2, 1000);
    fixture_build(&f, "occamy", NULL);
    send_many(&f, 0, 0, 4, 100); /* 400 of 400 free */
    send_many(&f, 1, 1, 2, 100); /* 200 of 100, though the shorter one */
    fixture_change(&f, "alpha=1,0.25:select=longest");
    expect_expelled(&f, 0, (const uint32_t[]){5}, 1);
    fixture_free(&f);
}

static void victim__answers_only_for_expulsion(void **context)
{
    struct fixture f;
    (void)context;
    build_over(&f, 8);
    const struct weir_view *view = weir_mmu_view(f.mmu);
    uint64_t state[64] = {0};
    assert_true(f.config.egress->state_size(&view->geometry) <= sizeof state);
    f.config.egress->init(state, view, &f.values);
    const struct weir_question expel = {.why = WEIR_WHY_EXPEL};
    assert_int_equal(f.config.egress->victim(state, view, &expel).account.i, 0);
    const struct weir_arrival arrival = {.account = {1}, .cells = 1};
    const enum weir_why others[] = {WEIR_WHY_PUSHOUT, WEIR_WHY_DEQUEUE};
    for (uint32_t i = 0; i < 2; i++) {
        const struct weir_question question = {.why = others[i], .arrival = &arrival, .leaving = {0}};
        assert_int_equal(f.config.egress->victim(state, view, &question).account.i, WEIR_NO_ACCOUNT.i);
    }
    fixture_free(&f);
}

static void expel__takes_a_full_bucket_then_one_packet_per_token(void **context)
{
    struct fixture f;
    (void)context;
    build_over(&f, 8);
    expect_expelled_count(&f, 0, 8);
    expect_expelled_count(&f, 0, 0);
    assert_int_equal(weir_mmu_next_event(f.mmu), TOKEN_PS);
    expect_expelled_count(&f, TOKEN_PS - 1, 0);
    expect_expelled_count(&f, TOKEN_PS, 1);
    expect_expelled_count(&f, 3 * TOKEN_PS + TOKEN_PS / 2, 2);
    expect_expelled_count(&f, 4 * TOKEN_PS, 1);   /* the half token was not lost */
    expect_expelled_count(&f, 100 * TOKEN_PS, 8); /* and no more than the depth is saved up */
    fixture_free(&f);
}

static void expel__waits_while_transmissions_are_in_debt(void **context)
{
    struct fixture f;
    (void)context;
    build_over(&f, 8);
    fixture_drain(&f, 0, 10, 0); /* 10 tokens of 8 */
    expect_expelled_count(&f, 0, 0);
    assert_int_equal(weir_mmu_next_event(f.mmu), 3 * TOKEN_PS);
    expect_expelled_count(&f, 3 * TOKEN_PS - 1, 0);
    fixture_drain(&f, 0, 1, 3 * TOKEN_PS - 1); /* the next transmission goes first */
    expect_expelled_count(&f, 3 * TOKEN_PS, 0);
    expect_expelled_count(&f, 4 * TOKEN_PS, 1);
    fixture_free(&f);
}

static void expel__jumbo_waits_for_a_full_bucket(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 4, 1, 100000);
    f.config.memory_depth_cells = 8;
    fixture_build(&f, "occamy", NULL);
    send_many(&f, 0, 0, 3, 9000); /* 45 tokens each */
    send_many(&f, 1, 0, 1, 200);
    fixture_change(&f, "alpha=0.01");
    fixture_drain(&f, 1, 1, 0);
    expect_expelled_count(&f, TOKEN_PS - 1, 0);
    expect_expelled_count(&f, TOKEN_PS, 1);
    /* 37 tokens of debt, then 8 more for the next one. */
    assert_int_equal(weir_mmu_next_event(f.mmu), 46 * TOKEN_PS);
    expect_expelled_count(&f, 46 * TOKEN_PS - 1, 0);
    expect_expelled_count(&f, 46 * TOKEN_PS, 1);
    fixture_free(&f);
}

static void expel__never_happens_without_depth(void **context)
{
    struct fixture f;
    (void)context;
    build_over(&f, 0);
    expect_expelled_count(&f, WEIR_PS_PER_S, 0);
    assert_true(weir_mmu_next_event(f.mmu) == WEIR_NEVER);
    fixture_free(&f);
}

static void configure_pair(struct fixture *f, uint64_t seed)
{
    fixture_config(f, 5, 3, 3000);
    f->config.memory_depth_cells = 0;
    f->config.private_cells[1] = seed % 3 == 0 ? 20 : 0;
    f->config.cell_bytes = seed % 2 == 0 ? 8 : 1;
}

static void admit__without_depth_equals_dt(void **context)
{
    enum { EVENTS = 20000 };
    static const char *const settings[] = {"alpha=8", "alpha=8,1,0.5", "alpha=0.25"};
    (void)context;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct fixture occamy, dt;
        struct weir_random random = {seed, 0};
        uint32_t refused = 0;
        configure_pair(&occamy, seed);
        configure_pair(&dt, seed);
        fixture_build(&occamy, "occamy", settings[seed % 3]);
        fixture_build(&dt, "dt", settings[seed % 3]);
        print_message("seed %u\n", (unsigned)seed);
        for (weir_ps now = 0; now < EVENTS; now++) {
            uint32_t port = weir_random_below(&random, 5), tc = weir_random_below(&random, 3);
            if (weir_random_below(&random, 5) < 2) {
                assert_int_equal(fixture_depart(&occamy, port, now), fixture_depart(&dt, port, now));
            } else {
                uint32_t bytes = 1 + weir_random_below(&random, 300);
                enum weir_reason reason = fixture_offer(&dt, port, tc, bytes, now);
                assert_int_equal(fixture_offer(&occamy, port, tc, bytes, now), reason);
                refused += reason != WEIR_REASON_NONE;
            }
            expect_expelled_count(&occamy, now, 0);
        }
        assert_true(refused > EVENTS / 20);
        assert_true(weir_mmu_hash(occamy.mmu) == weir_mmu_hash(dt.mmu));
        fixture_free(&occamy);
        fixture_free(&dt);
    }
}

/* The most that all may hold while nobody can be above its threshold: U <= alpha (B - U), and not U + 1; of several
 * classes the smallest alpha counts, and new values are asked anew. */
static void expel_level__is_the_last_at_which_one_account_is_below(void **context)
{
    static const struct {
        const char *settings;
        weir_cells level;
    } cases[] = {{"alpha=1", 500}, {"alpha=8", 888}, {"alpha=0.5", 333}, {"alpha=8,2", 666}, {"alpha=4096", 999}};
    struct fixture f;
    (void)context;
    fixture_config(&f, 4, 2, 1000);
    fixture_build(&f, "occamy", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture_change(&f, cases[i].settings);
        const struct weir_policy *policy = f.mmu->egress.policy;
        assert_int_equal(policy->expel_level(f.mmu->egress.state, weir_mmu_view(f.mmu)), cases[i].level);
        assert_int_equal(f.mmu->calm_cells, cases[i].level);
    }
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__stops_where_dt_does),
        cmocka_unit_test(admit__private_minimum_comes_on_top),
        cmocka_unit_test(admit__empty_exception_needs_only_room),
        cmocka_unit_test(admit__empty_exception_counts_private_cells),
        cmocka_unit_test(admit__without_depth_equals_dt),
        cmocka_unit_test(victim__nobody_at_or_below_its_threshold),
        cmocka_unit_test(victim__goes_round_the_accounts_above_their_class_threshold),
        cmocka_unit_test(victim__cursor_stays_between_offers_and_other_losses),
        cmocka_unit_test(victim__last_victim_comes_again_when_alone),
        cmocka_unit_test(victim__longest_takes_the_longest_above_its_threshold),
        cmocka_unit_test(victim__longest_leaves_out_what_is_at_its_threshold),
        cmocka_unit_test(victim__answers_only_for_expulsion),
        cmocka_unit_test(expel__takes_a_full_bucket_then_one_packet_per_token),
        cmocka_unit_test(expel__waits_while_transmissions_are_in_debt),
        cmocka_unit_test(expel__jumbo_waits_for_a_full_bucket),
        cmocka_unit_test(expel__never_happens_without_depth),
        cmocka_unit_test(expel_level__is_the_last_at_which_one_account_is_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
