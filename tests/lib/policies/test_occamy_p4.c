/*
 * test_occamy_p4.c - Occamy's P4 variant: what admission sees at the edges of SYNC rounds, and drops at dequeue.
 *
 * Cells of 80 bytes as in the prototype; rounds of 1 us.
 */
#include "tests/support/fixture.h"

#include "weir/fixed.h"
#include "weir/random.h"

#define CELL_BYTES 80u
#define SYNC_PS WEIR_PS_PER_US

/* Two ports, one class, 1000 cells. */
static void build(struct fixture *f, const char *settings)
{
    fixture_config(f, 2, 1, 1000);
    f->config.cell_bytes = CELL_BYTES;
    fixture_build(f, "occamy-p4", settings);
}

struct step {
    weir_ps now;
    char what; /* '+' a packet of `cells` enters, 'x' it is refused, '-' one departs */
    uint32_t port;
    weir_cells cells;
};

static void run(struct fixture *f, const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct step *s = &steps[i];
        uint32_t bytes = (uint32_t)s->cells * CELL_BYTES;
        enum weir_reason expected = s->what == '+' ? WEIR_REASON_NONE : WEIR_REASON_OVER_THRESHOLD;
        if (s->what == '-' && fixture_depart(f, s->port, s->now) != bytes)
            fail_msg("step %u: the packet of %u bytes did not depart", (unsigned)i, bytes);
        if (s->what != '-' && fixture_offer(f, s->port, 0, bytes, s->now) != expected)
            fail_msg("step %u: not as expected", (unsigned)i);
    }
    fixture_free(f);
}

#define RUN(f, steps) run(f, steps, sizeof(steps) / sizeof(steps)[0])

static void admit__sees_a_change_two_boundaries_later(void **context)
{
    /* 600 held against 400 free: over the threshold as soon as it is seen. */
    static const struct step steps[] = {
        {0, '+', 0, 600},         {SYNC_PS - 1, '+', 0, 1}, {SYNC_PS, '+', 0, 1}, {2 * SYNC_PS - 1, '+', 0, 1},
        {2 * SYNC_PS, 'x', 0, 1}, {2 * SYNC_PS, '+', 1, 1}, /* the threshold of 399 is seen, and the empty account of
                                                               port 1 */
        {9 * SYNC_PS, 'x', 0, 1},                           /* rounds in which nothing changes */
    };
    struct fixture f;
    (void)context;
    build(&f, "alpha=1:admit_margin=0B");
    RUN(&f, steps);
}

static void admit__change_on_a_boundary_belongs_to_the_round_it_opens(void **context)
{
    static const struct step steps[] = {
        {SYNC_PS, '+', 0, 600},
        {2 * SYNC_PS, '+', 0, 1}, /* sees the state before SYNC_PS */
        {3 * SYNC_PS - 1, '+', 0, 1},
        {3 * SYNC_PS, 'x', 0, 1},
    };
    struct fixture f;
    (void)context;
    build(&f, "alpha=1:admit_margin=0B");
    RUN(&f, steps);
}

static void admit__sees_departures_as_late_as_arrivals(void **context)
{
    static const struct step steps[] = {
        {0, '+', 0, 600},         {4 * SYNC_PS, 'x', 0, 1},     {4 * SYNC_PS + 1, '-', 0, 600},
        {5 * SYNC_PS, 'x', 0, 1}, {6 * SYNC_PS - 1, 'x', 0, 1}, {6 * SYNC_PS, '+', 0, 1},
    };
    struct fixture f;
    (void)context;
    build(&f, "alpha=1:admit_margin=0B:drop_margin=1MB");
    RUN(&f, steps);
}

static void admit__follows_changes_in_every_round(void **context)
{
    static const struct step steps[] = {
        {10, '+', 0, 600},               /* round 0 */
        {SYNC_PS + 10, '-', 0, 600},     /* round 1 */
        {2 * SYNC_PS, 'x', 0, 1},        /* 600 at the boundary of round 1 */
        {2 * SYNC_PS + 10, '+', 1, 600}, /* own 0, T = 400 */
        {3 * SYNC_PS, '+', 0, 10},       /* empty at the boundary of round 2 */
        {4 * SYNC_PS, '+', 0, 380},      /* 600 of port 1 at the boundary of round 3, so T = 400; own 0 */
        {5 * SYNC_PS, '+', 0, 1},        /* own 10, T = 390 */
        {6 * SYNC_PS, 'x', 0, 1},        /* own 390, T = 10 */
    };
    struct fixture f;
    (void)context;
    build(&f, "alpha=1:admit_margin=0B:drop_margin=1MB");
    RUN(&f, steps);
}

static void admit__margin_is_kept_below_the_threshold(void **context)
{
    static const struct step even[] = {{0, '+', 0, 490}, {2 * SYNC_PS, '+', 0, 1}};
    static const struct step beyond[] = {{0, '+', 0, 491}, {2 * SYNC_PS, 'x', 0, 1}};
    struct fixture f;
    (void)context;
    build(&f, "alpha=1"); /* 20 cells: 490 + 20 against 510 */
    RUN(&f, even);
    build(&f, "alpha=1"); /* 491 + 20 against 509 */
    RUN(&f, beyond);
}

static void admit__leaves_room_to_the_mmu(void **context)
{
    struct fixture f;
    (void)context;
    build(&f, NULL);
    fixture_fill(&f, 0, 0, 990, 0);
    assert_int_equal(fixture_offer(&f, 0, 0, 11 * CELL_BYTES, 0), WEIR_REASON_NO_ROOM);
    fixture_free(&f);
}

/* Port 0 holds `first` and 100 cells: dropped at dequeue when above T + margin, then the rest is looked at again. */
static void expect_dequeue(weir_cells first, uint32_t lost)
{
    struct fixture f;
    build(&f, "alpha=1");
    fixture_fill(&f, 0, 0, first, 0);
    fixture_fill(&f, 0, 0, 100, 0);
    assert_int_equal(fixture_threshold(&f, 0, 0), 900 - first);
    const struct weir_effects *fx = weir_mmu_depart(f.mmu, (weir_port){0}, 1);
    assert_true(fx->departed);
    assert_int_equal(fx->lost_count, lost);
    if (lost > 0) {
        assert_int_equal(fx->lost[0].handle, 1);
        assert_int_equal(fx->lost[0].cause, WEIR_CAUSE_DEQUEUE);
        assert_int_equal(fx->handle, 2);
    }
    fixture_free(&f);
}

static void victim__drops_above_threshold_and_margin(void **context)
{
    (void)context;
    expect_dequeue(420, 0); /* 520 against 480 + 40 */
    expect_dequeue(421, 1); /* 521 against 479 + 40 */
}

static void victim__uses_the_threshold_of_its_class(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 2, 2, 1000);
    fixture_build(&f, "occamy-p4", "alpha=0.25,1:admit_margin=0B:drop_margin=0B");
    fixture_fill(&f, 0, 0, 201, 0);
    fixture_fill(&f, 1, 1, 201, 0);
    assert_int_equal(weir_mmu_depart(f.mmu, (weir_port){1}, 1)->lost_count, 0); /* 201 against 598 */
    assert_int_equal(weir_mmu_depart(f.mmu, (weir_port){0}, 1)->lost_count, 1); /* 201 against 199 */
    fixture_free(&f);
}

static void victim__answers_only_for_dequeue(void **context)
{
    struct fixture f;
    (void)context;
    build(&f, "alpha=1:drop_margin=0B");
    fixture_fill(&f, 0, 0, 900, 0);
    const struct weir_view *view = weir_mmu_view(f.mmu);
    uint64_t state[128] = {0};
    assert_true(f.config.egress->state_size(&view->geometry) <= sizeof state);
    f.config.egress->init(state, view, &f.values);
    const struct weir_arrival arrival = {.account = {1}, .cells = 1};
    const struct {
        enum weir_why why;
        uint32_t expected;
    } cases[] = {{WEIR_WHY_DEQUEUE, 0}, {WEIR_WHY_EXPEL, UINT32_MAX}, {WEIR_WHY_PUSHOUT, UINT32_MAX}};
    for (uint32_t i = 0; i < 3; i++) {
        const struct weir_question question = {.why = cases[i].why, .arrival = &arrival, .leaving = {0}};
        assert_int_equal(f.config.egress->victim(state, view, &question).account.i, cases[i].expected);
    }
    fixture_free(&f);
}

static void change__keeps_what_has_been_seen(void **context)
{
    struct fixture f;
    (void)context;
    build(&f, "alpha=1:admit_margin=0B");
    fixture_fill(&f, 0, 0, 600, 0);
    fixture_change(&f, "alpha=2:admit_margin=0B");
    assert_int_equal(fixture_offer(&f, 0, 0, CELL_BYTES, 2 * SYNC_PS), WEIR_REASON_NONE);
    fixture_change(&f, "alpha=1:admit_margin=0B:sync=10us");
    assert_int_equal(fixture_offer(&f, 0, 0, CELL_BYTES, 2 * SYNC_PS), WEIR_REASON_OVER_THRESHOLD);
    weir_mmu_flush(f.mmu, (weir_port){0}, 3 * SYNC_PS);
    assert_int_equal(fixture_offer(&f, 0, 0, CELL_BYTES, 5 * SYNC_PS - 1), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 0, CELL_BYTES, 5 * SYNC_PS), WEIR_REASON_NONE); /* rounds are as before */
    fixture_free(&f);
}

enum { PORTS = 3, CLASSES = 2, ACCOUNTS = PORTS * CLASSES, EVENTS = 20000 };

/* Everything that ever was, so that any moment of the past can be looked up. */
struct past {
    uint32_t count;
    weir_ps at[EVENTS];
    weir_cells free[EVENTS];
    weir_cells shared[EVENTS][ACCOUNTS];
};

static void past_note(struct past *past, const struct fixture *f, weir_ps now)
{
    past->at[past->count] = now;
    past->free[past->count] = fixture_free_cells(f);
    for (uint32_t a = 0; a < ACCOUNTS; a++)
        past->shared[past->count][a] = weir_view_shared(weir_mmu_view(f->mmu), (weir_account){a});
    past->count++;
}

/* What the rule says about an arrival, with length and threshold after the last event before (k - 1) rounds. */
static bool past_refuses(const struct past *past, const struct fixture *f, uint32_t account, weir_ps now)
{
    weir_ps sync_ps = f->values.of[3][0];
    weir_ps moment = (now / sync_ps - 1) * sync_ps;
    weir_cells length = 0, free_cells = weir_mmu_view(f->mmu)->geometry.shared_cells;
    for (uint32_t i = past->count; i-- > 0;)
        if (past->at[i] < moment) {
            length = past->shared[i][account];
            free_cells = past->free[i];
            break;
        }
    return length + f->values.of[1][0] > weir_q16_mul(f->values.of[0][account / PORTS], free_cells);
}

static void random_event(struct fixture *f, struct past *past, struct weir_random *random, weir_ps now,
                         uint32_t *refused)
{
    uint32_t port = weir_random_below(random, PORTS), tc = weir_random_below(random, CLASSES);
    uint32_t kind = weir_random_below(random, 100);
    if (kind == 0) {
        weir_mmu_flush(f->mmu, (weir_port){port}, now);
    } else if (kind < 45) {
        weir_mmu_depart(f->mmu, (weir_port){port}, now);
    } else {
        uint32_t bytes = 1 + weir_random_below(random, 120);
        weir_account account = fixture_account(f, port, tc);
        bool guaranteed = weir_view_shared_need(weir_mmu_view(f->mmu), account, bytes) == 0;
        bool expected = !guaranteed && past_refuses(past, f, account.i, now);
        enum weir_reason reason = fixture_offer(f, port, tc, bytes, now);
        assert_int_equal(reason == WEIR_REASON_OVER_THRESHOLD, expected);
        *refused += expected;
    }
    past_note(past, f, now);
}

static void admit__random_events_match_the_recorded_past(void **context)
{
    static const char *const settings[] = {
        "alpha=0.5,1:admit_margin=10B:drop_margin=100B:sync=100ns",
        "alpha=1:admit_margin=0B:drop_margin=20B:sync=10ns",
        "alpha=8,2:admit_margin=40B:drop_margin=60B:sync=1us",
    };
    (void)context;
    struct past *past = malloc(sizeof *past);
    assert_non_null(past);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct fixture f;
        struct weir_random random = {seed, 0};
        uint32_t refused = 0;
        fixture_config(&f, PORTS, CLASSES, 1200);
        f.config.private_cells[1] = seed > 3 ? 70 : 0;
        fixture_build(&f, "occamy-p4", settings[seed % 3]);
        past->count = 0;
        print_message("seed %u\n", (unsigned)seed);
        weir_ps step = f.values.of[3][0] / 4, now = 0;
        while (past->count < EVENTS) {
            /* Times on a quarter of the round, so that many events share a moment and many fall on boundaries. */
            uint32_t pause = weir_random_below(&random, 16);
            now += pause < 10 ? 0 : pause < 15 ? step : step * (1 + weir_random_below(&random, 12));
            random_event(&f, past, &random, now, &refused);
        }
        assert_in_range(refused, EVENTS / 100, EVENTS / 2);
        fixture_free(&f);
    }
    free(past);
}

/* A port of two classes with 20 packets of 10 cells in class 0 and `packets` in class 1. */
static void build_two_classes(struct fixture *f, enum weir_scheduler_kind kind, uint32_t packets)
{
    fixture_config(f, 1, 2, 1000);
    f->config.cell_bytes = CELL_BYTES;
    f->config.scheduler.kind = kind;
    f->config.scheduler.quantum_bytes = 2 * 10 * CELL_BYTES;
    f->config.scheduler.weight[0] = f->config.scheduler.weight[1] = 2;
    fixture_build(f, "occamy-p4", "alpha=64,64:drop_margin=0B");
    for (uint32_t i = 0; i < packets + 20; i++)
        fixture_fill(f, 0, i < packets, 10, 0);
}

/* Packets that are dropped at dequeue cost their class nothing: 20 of the 30 in class 1 go when they are first picked,
 * and from then on the port sends as one where they had never been. */
static void victim__dropped_packets_cost_no_turn(void **context)
{
    (void)context;
    for (enum weir_scheduler_kind kind = WEIR_SCHED_FIFO; kind < WEIR_SCHED_COUNT; kind++) {
        struct fixture dropping, plain;
        build_two_classes(&dropping, kind, 30);
        build_two_classes(&plain, kind, 10);
        fixture_change(&dropping, "alpha=64,0.15:drop_margin=0B"); /* T = 105 of 700 free, with 10 packets left */
        uint32_t lost = 0;
        for (uint32_t i = 0; i < 30; i++) {
            const struct weir_effects *a = weir_mmu_depart(dropping.mmu, (weir_port){0}, 0);
            lost += a->lost_count;
            weir_account sent = a->account;
            assert_true(a->departed);
            assert_int_equal(sent.i, weir_mmu_depart(plain.mmu, (weir_port){0}, 0)->account.i);
        }
        assert_int_equal(lost, 20);
        fixture_free(&dropping);
        fixture_free(&plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__sees_a_change_two_boundaries_later),
        cmocka_unit_test(admit__change_on_a_boundary_belongs_to_the_round_it_opens),
        cmocka_unit_test(admit__sees_departures_as_late_as_arrivals),
        cmocka_unit_test(admit__follows_changes_in_every_round),
        cmocka_unit_test(admit__margin_is_kept_below_the_threshold),
        cmocka_unit_test(admit__leaves_room_to_the_mmu),
        cmocka_unit_test(admit__random_events_match_the_recorded_past),
        cmocka_unit_test(victim__drops_above_threshold_and_margin),
        cmocka_unit_test(victim__uses_the_threshold_of_its_class),
        cmocka_unit_test(victim__answers_only_for_dequeue),
        cmocka_unit_test(change__keeps_what_has_been_seen),
        cmocka_unit_test(victim__dropped_packets_cost_no_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
