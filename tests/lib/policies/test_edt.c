/*
 * test_edt.c - Enhanced Dynamic Threshold: thresholds, both counters, both timers to the picosecond, every transition.
 */
#include <stdio.h>

#include "lib/core/mmu_internal.h"
#include "lib/policies/edt.c" /* to look into its state */
#include "tests/support/fixture.h"

static int64_t fixture_reading(const struct fixture *f, uint32_t port, uint32_t tc, const char *name)
{
    const struct edt_state *s = f->mmu->egress.state;
    const struct edt_port *p = &s->port[port];
    (void)tc;
    return strcmp(name, "controlled") == 0 ? p->controlled : strcmp(name, "c1") == 0 ? p->c1 : p->c2;
}

enum what { NOTHING, ENTERS, REFUSED, DEPARTS };

/* An event and what the port's readings are after it. */
struct step {
    enum what what;
    weir_ps now;
    uint32_t bytes;
    int64_t controlled, c1, c2;
};

static void take(struct fixture *f, uint32_t port, const struct step *step)
{
    if (step->what == DEPARTS)
        fixture_drain(f, port, 1, step->now);
    else if (step->what != NOTHING)
        assert_int_equal(fixture_accepts(f, port, 0, step->bytes, step->now), step->what == ENTERS);
}

static void walk(struct fixture *f, const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        take(f, 0, &steps[i]);
        int64_t controlled = fixture_reading(f, 0, 0, "controlled");
        int64_t c1 = fixture_reading(f, 0, 0, "c1"), c2 = fixture_reading(f, 0, 0, "c2");
        if (controlled != steps[i].controlled || c1 != steps[i].c1 || c2 != steps[i].c2)
            fail_msg("step %zu: controlled %d, c1 %d, c2 %d", i, (int)controlled, (int)c1, (int)c2);
        assert_string_equal(weir_mmu_mode(f->mmu, (weir_account){0}), controlled ? "controlled" : "uncontrolled");
    }
}

#define WALK(f, steps) walk(f, steps, sizeof steps / sizeof steps[0])

/* Three ports and 1000 cells; bursts begin at 4 net arrivals and end after 3 departures in a row. */
static void build(struct fixture *f, const char *timers)
{
    char settings[100];
    fixture_config(f, 3, 1, 1000);
    snprintf(settings, sizeof settings, "c1=3:c2=4:%s", timers);
    fixture_build(f, "edt", settings);
}

static void make_uncontrolled(struct fixture *f, uint32_t port, weir_ps now)
{
    for (int i = 0; i < 4; i++)
        fixture_fill(f, port, 0, 1, now);
    assert_int_equal(fixture_reading(f, port, 0, "controlled"), 0);
}

static void edt_admit__controlled_is_dt_of_the_port(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 2, 1000);
    fixture_build(&f, "edt", "alpha=0.5");
    assert_int_equal(fixture_threshold(&f, 0, 0), 500);
    fixture_fill(&f, 0, 0, 200, 0); /* T = 400 */
    assert_int_equal(fixture_offer(&f, 0, 1, 201, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 1, 200, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_threshold(&f, 1, 1), 300);
    fixture_free(&f);
}

static void edt_admit__private_minimum_is_on_top(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 120);
    f.config.private_cells[0] = 10; /* 100 shared */
    fixture_build(&f, "edt", "alpha=0.5");
    assert_false(fixture_accepts(&f, 0, 0, 61, 0));
    assert_true(fixture_accepts(&f, 0, 0, 60, 0));
    assert_int_equal(fixture_shared(&f, 0, 0), 50);
    fixture_free(&f);
}

static void edt_admit__uncontrolled_ports_share_equally(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, "tm1=1us:tm2=1us");
    make_uncontrolled(&f, 0, 0);
    assert_int_equal(fixture_threshold(&f, 0, 0), 1000);
    assert_int_equal(fixture_threshold(&f, 1, 0), 996);
    make_uncontrolled(&f, 1, 0);
    assert_int_equal(fixture_threshold(&f, 0, 0), 500);
    assert_int_equal(fixture_offer(&f, 0, 0, 497, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 0, 496, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

static void edt_on_enqueue__counts_net_arrivals(void **unused)
{
    static const struct step steps[] = {
        {ENTERS, 0, 1, 1, 0, 1},  {ENTERS, 0, 1, 1, 0, 2},  {ENTERS, 0, 1, 1, 0, 3},  {DEPARTS, 0, 0, 1, 1, 2},
        {DEPARTS, 0, 0, 1, 2, 1}, {ENTERS, 0, 1, 1, 0, 2},  {ENTERS, 0, 1, 1, 0, 3},  {ENTERS, 0, 1, 0, 0, 0},
        {ENTERS, 0, 1, 0, 0, 0},  {DEPARTS, 0, 0, 0, 1, 0}, {DEPARTS, 0, 0, 0, 2, 0}, {ENTERS, 0, 1, 0, 0, 0},
        {DEPARTS, 0, 0, 0, 1, 0}, {DEPARTS, 0, 0, 0, 2, 0}, {DEPARTS, 0, 0, 1, 0, 0}, /* the burst is over */
    };
    struct fixture f;
    (void)unused;
    build(&f, "tm1=1us:tm2=1us");
    WALK(&f, steps);
    fixture_free(&f);
}

static void edt_on_dequeue__controlled_port_counts_round(void **unused)
{
    static const struct step steps[] = {
        {ENTERS, 0, 1, 1, 0, 1},  {ENTERS, 0, 1, 1, 0, 2},  {ENTERS, 0, 1, 1, 0, 3},
        {DEPARTS, 0, 0, 1, 1, 2}, {DEPARTS, 0, 0, 1, 2, 1}, {DEPARTS, 0, 0, 1, 0, 0},
        {ENTERS, 0, 1, 1, 0, 1},  {DEPARTS, 0, 0, 1, 1, 0}, {ENTERS, 0, 1, 1, 0, 1},
    };
    struct fixture f;
    (void)unused;
    build(&f, "tm1=1us:tm2=1us");
    WALK(&f, steps);
    fixture_free(&f);
}

static void edt_on_dequeue__net_arrivals_never_below_zero(void **unused)
{
    static const struct step steps[] = {
        {ENTERS, 0, 1, 1, 0, 1},   {ENTERS, 0, 1, 1, 0, 2},
        {ENTERS, 0, 1, 1, 0, 3},   {DEPARTS, 10, 0, 1, 1, 0}, /* TM1 has cleared it */
        {DEPARTS, 10, 0, 1, 2, 0}, {ENTERS, 10, 1, 1, 0, 1},
    };
    struct fixture f;
    (void)unused;
    build(&f, "tm1=10ps:tm2=1us");
    WALK(&f, steps);
    fixture_free(&f);
}

static void edt_on_drop__refusal_clears_net_arrivals(void **unused)
{
    static const struct step steps[] = {
        {ENTERS, 0, 1, 1, 0, 1},    {ENTERS, 0, 1, 1, 0, 2}, {ENTERS, 0, 1, 1, 0, 3},     {DEPARTS, 0, 0, 1, 1, 2},
        {REFUSED, 0, 998, 1, 1, 0}, {ENTERS, 0, 1, 1, 0, 1}, {REFUSED, 0, 1001, 1, 0, 0}, /* larger than the buffer */
    };
    struct fixture f;
    (void)unused;
    build(&f, "tm1=1us:tm2=1us");
    WALK(&f, steps);
    fixture_free(&f);
}

static void edt_on_drop__only_overflow_takes_control(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, "tm1=1us:tm2=1us");
    make_uncontrolled(&f, 1, 0);
    make_uncontrolled(&f, 0, 0);
    static const struct step steps[] = {
        {REFUSED, 0, 497, 0, 0, 0}, /* above B / 2, but 992 are free */
        {REFUSED, 0, 992, 0, 0, 0}, /* just not an overflow */
        {REFUSED, 0, 993, 1, 0, 0},
    };
    WALK(&f, steps);
    assert_int_equal(fixture_threshold(&f, 1, 0), 1000);
    assert_int_equal(fixture_offer(&f, 1, 0, 1001, 0), WEIR_REASON_TOO_LARGE);
    assert_int_equal(fixture_reading(&f, 1, 0, "controlled"), 1);
    fixture_free(&f);
}

static void edt_on_drop__flushed_packets_are_no_refusals(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, "tm1=1us:tm2=1us");
    for (int i = 0; i < 3; i++)
        fixture_fill(&f, 0, 0, 1, 0);
    assert_int_equal(weir_mmu_flush(f.mmu, (weir_port){0}, 1)->lost_count, 3);
    assert_int_equal(fixture_reading(&f, 0, 0, "c2"), 3);
    assert_int_equal(fixture_reading(&f, 0, 0, "c1"), 0);
    fixture_free(&f);
}

static void edt_tm1__clears_at_its_deadline(void **unused)
{
    static const struct step before[] = {
        {ENTERS, 0, 1, 1, 0, 1}, {ENTERS, 0, 1, 1, 0, 2}, {ENTERS, 0, 1, 1, 0, 3}, {ENTERS, 99, 1, 0, 0, 0}};
    static const struct step at[] = {
        {ENTERS, 0, 1, 1, 0, 1},   {ENTERS, 0, 1, 1, 0, 2},   {ENTERS, 0, 1, 1, 0, 3},
        {ENTERS, 100, 1, 1, 0, 1}, {ENTERS, 199, 1, 1, 0, 2}, {ENTERS, 200, 1, 1, 0, 1}, /* it restarts itself */
        {ENTERS, 455, 1, 1, 0, 1}, {ENTERS, 499, 1, 1, 0, 2}, {ENTERS, 500, 1, 1, 0, 1}, /* in step after a gap */
    };
    struct fixture f;
    (void)unused;
    build(&f, "tm1=100ps:tm2=1us");
    WALK(&f, before);
    fixture_free(&f);
    build(&f, "tm1=100ps:tm2=1us");
    WALK(&f, at);
    fixture_free(&f);
}

/* A port is uncontrolled from 50 to 90 ps. Each of its events then restarts TM1; when does TM1 next clear c2? */
static void edt_tm1__restarts_while_uncontrolled(void **unused)
{
    static const struct {
        enum what what;
        weir_ps now;
        uint32_t bytes;
        weir_ps deadline;
    } table[] = {
        {NOTHING, 50, 0, 150},   /* only the transition itself */
        {ENTERS, 60, 1, 160},    /* an arrival */
        {DEPARTS, 61, 0, 161},   /* a departure */
        {REFUSED, 62, 800, 162}, /* a refusal that is no overflow */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        for (int late = 0; late < 2; late++) {
            struct fixture f;
            build(&f, "tm1=100ps:tm2=40ps");
            make_uncontrolled(&f, 1, 50);
            make_uncontrolled(&f, 0, 50);
            take(&f, 0, &(struct step){.what = table[i].what, .now = table[i].now, .bytes = table[i].bytes});
            for (int n = 0; n < 3; n++)
                fixture_fill(&f, 0, 0, 1, 120);
            assert_int_equal(fixture_reading(&f, 0, 0, "c2"), 3);
            fixture_fill(&f, 0, 0, 1, table[i].deadline - 1 + late);
            assert_int_equal(fixture_reading(&f, 0, 0, "controlled"), late);
            assert_int_equal(fixture_reading(&f, 0, 0, "c2"), late);
            fixture_free(&f);
        }
    }
}

static void edt_tm2__takes_control_at_its_deadline(void **unused)
{
    (void)unused;
    for (int ticks = 0; ticks < 2; ticks++) {
        struct fixture f;
        build(&f, "tm1=100ps:tm2=1ns");
        make_uncontrolled(&f, 0, 10);
        assert_int_equal(weir_mmu_next_event(f.mmu), 1010);
        fixture_fill(&f, 0, 0, 600, 20); /* T = 1000, or 396 when controlled */
        if (ticks)
            weir_mmu_advance(f.mmu, 1009);
        assert_true(fixture_accepts(&f, 0, 0, 1, 1009));
        if (ticks)
            weir_mmu_advance(f.mmu, 1010);
        assert_false(fixture_accepts(&f, 0, 0, 1, 1010));
        assert_int_equal(fixture_reading(&f, 0, 0, "controlled"), 1);
        assert_true(weir_mmu_next_event(f.mmu) == WEIR_NEVER);
        fixture_free(&f);
    }
}

static void edt_tm2__of_one_port_raises_the_other(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, "tm1=100ps:tm2=1ns");
    make_uncontrolled(&f, 0, 0);
    make_uncontrolled(&f, 1, 500);
    assert_int_equal(weir_mmu_next_event(f.mmu), 1000);
    assert_false(fixture_accepts(&f, 1, 0, 497, 999));
    assert_true(fixture_accepts(&f, 1, 0, 497, 1000));
    assert_int_equal(weir_mmu_next_event(f.mmu), 1500);
    assert_int_equal(fixture_reading(&f, 0, 0, "controlled"), 1);
    fixture_free(&f);
}

static void edt_next_tick__is_the_earliest_tm2(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, "tm1=100ps:tm2=1ns");
    assert_true(weir_mmu_next_event(f.mmu) == WEIR_NEVER);
    for (uint32_t port = 0; port < 3; port++)
        make_uncontrolled(&f, port, 100 * port);
    for (weir_ps due = 1000; due <= 1200; due += 100) {
        assert_int_equal(weir_mmu_next_event(f.mmu), due);
        weir_mmu_advance(f.mmu, due);
    }
    assert_true(weir_mmu_next_event(f.mmu) == WEIR_NEVER);
    fixture_free(&f);
}

/* Events without an admission serve the timers too. */
static void edt_tm2__is_served_before_a_departure_and_a_drop(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, "tm1=100ps:tm2=1ns");
    make_uncontrolled(&f, 0, 0);
    make_uncontrolled(&f, 1, 0);
    static const struct step steps[] = {{DEPARTS, 999, 0, 0, 1, 0}, {DEPARTS, 1000, 0, 1, 2, 0}};
    WALK(&f, steps);
    assert_int_equal(fixture_reading(&f, 1, 0, "controlled"), 1);
    make_uncontrolled(&f, 1, 1001);
    assert_int_equal(fixture_offer(&f, 0, 0, 1001, 2001), WEIR_REASON_TOO_LARGE);
    assert_int_equal(fixture_reading(&f, 1, 0, "controlled"), 1);
    fixture_free(&f);
}

static void edt_change__keeps_what_evolved(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, "tm1=100ps:tm2=1ns");
    make_uncontrolled(&f, 0, 0);
    for (int i = 0; i < 3; i++)
        fixture_fill(&f, 1, 0, 1, 1);
    fixture_drain(&f, 0, 1, 1);
    fixture_change(&f, "alpha=2:c1=2:c2=5:tm1=100ps:tm2=100ps");
    assert_int_equal(fixture_reading(&f, 0, 0, "controlled"), 0);
    assert_int_equal(fixture_reading(&f, 0, 0, "c1"), 1);
    assert_int_equal(fixture_reading(&f, 1, 0, "c2"), 3);
    assert_int_equal(fixture_threshold(&f, 1, 0), 2 * 994);
    fixture_fill(&f, 1, 0, 1, 2); /* the fourth, not the fifth */
    assert_int_equal(fixture_reading(&f, 1, 0, "controlled"), 1);
    fixture_fill(&f, 1, 0, 1, 3);
    assert_int_equal(fixture_reading(&f, 1, 0, "controlled"), 0);
    assert_int_equal(weir_mmu_next_event(f.mmu), 103); /* earlier than the deadline of port 0 */
    weir_mmu_advance(f.mmu, 103);
    assert_int_equal(fixture_reading(&f, 0, 0, "controlled"), 0);
    assert_int_equal(weir_mmu_next_event(f.mmu), 1000);
    fixture_drain(&f, 0, 1, 104); /* the second in a row */
    assert_int_equal(fixture_reading(&f, 0, 0, "controlled"), 1);
    fixture_free(&f);
}

static void edt__ticks_never_change_a_verdict(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 4, 2, 2000);
    for (uint64_t seed = 1; seed <= 3; seed++)
        fixture_check_lateness(&f, "edt", "c2=5:tm1=20ns:tm2=30ns", seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edt_admit__controlled_is_dt_of_the_port),
        cmocka_unit_test(edt_admit__private_minimum_is_on_top),
        cmocka_unit_test(edt_admit__uncontrolled_ports_share_equally),
        cmocka_unit_test(edt_on_enqueue__counts_net_arrivals),
        cmocka_unit_test(edt_on_dequeue__controlled_port_counts_round),
        cmocka_unit_test(edt_on_dequeue__net_arrivals_never_below_zero),
        cmocka_unit_test(edt_on_drop__refusal_clears_net_arrivals),
        cmocka_unit_test(edt_on_drop__only_overflow_takes_control),
        cmocka_unit_test(edt_on_drop__flushed_packets_are_no_refusals),
        cmocka_unit_test(edt_tm1__clears_at_its_deadline),
        cmocka_unit_test(edt_tm1__restarts_while_uncontrolled),
        cmocka_unit_test(edt_tm2__takes_control_at_its_deadline),
        cmocka_unit_test(edt_tm2__of_one_port_raises_the_other),
        cmocka_unit_test(edt_next_tick__is_the_earliest_tm2),
        cmocka_unit_test(edt_tm2__is_served_before_a_departure_and_a_drop),
        cmocka_unit_test(edt_change__keeps_what_evolved),
        cmocka_unit_test(edt__ticks_never_change_a_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
