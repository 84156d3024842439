/*
 * test_abm.c - Active Buffer Management: the rule at its boundary, both definitions of congestion and of drain, and
 * the sampling: when it happens, in which order, and over windows in which nothing happens.
 */
#include <stdio.h>

#include "lib/core/mmu_internal.h"
#include "lib/policies/abm.c" /* to look into its state */
#include "tests/support/fixture.h"

static int64_t fixture_reading(const struct fixture *f, uint32_t port, uint32_t tc, const char *name)
{
    const struct abm_state *s = f->mmu->egress.state;
    return strcmp(name, "mu_q16") == 0 ? s->account[fixture_account(f, port, tc).i].mu : s->vars.congested[tc];
}

#define WINDOW_PS WEIR_PS_PER_US /* in which a port of 8 Gb/s sends 1000 cells of a byte */

static weir_q16 congested(const struct fixture *f, uint32_t tc)
{
    return fixture_reading(f, 0, tc, "congested_q16");
}

static weir_q16 mu(const struct fixture *f, uint32_t port, uint32_t tc)
{
    return fixture_reading(f, port, tc, "mu_q16");
}

/* Three ports of 8 Gb/s, 1000 cells, alpha 1, samples every microsecond, no boost unless set. */
static void build(struct fixture *f, uint32_t classes, const char *settings)
{
    char text[200];
    fixture_config(f, 3, classes, 1000);
    f->config.rate_bps = INT64_C(8000000000);
    f->config.scheduler.kind = WEIR_SCHED_STRICT;
    snprintf(text, sizeof text, "alpha=1:window=1us:%s", settings);
    fixture_build(f, "abm", text);
}

static void abm_admit__at_the_threshold_and_above(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 2, 1000);
    fixture_build(&f, "abm", "alpha=0.5,2");
    assert_int_equal(fixture_threshold(&f, 0, 0), 500);
    assert_int_equal(fixture_threshold(&f, 0, 1), 2000);
    assert_int_equal(fixture_offer(&f, 0, 0, 501, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_fill(&f, 0, 0, 300, 0); /* T = 350 */
    assert_int_equal(fixture_offer(&f, 0, 0, 51, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 0, 50, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 1, 1, 651, 0), WEIR_REASON_NO_ROOM);
    fixture_free(&f);
}

static void abm_admit__private_minimum_is_never_refused(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 120);
    f.config.private_cells[0] = 10; /* 100 shared */
    fixture_build(&f, "abm", "alpha=0.015");
    assert_false(fixture_accepts(&f, 0, 0, 12, 0));
    assert_true(fixture_accepts(&f, 0, 0, 11, 0));
    fixture_change(&f, "alpha=0.001");
    assert_int_equal(fixture_threshold(&f, 1, 0), 0);
    assert_false(fixture_accepts(&f, 1, 0, 11, 0));
    assert_true(fixture_accepts(&f, 1, 0, 10, 0));
    fixture_free(&f);
}

static void abm_admit__first_round_trip_has_its_own_alpha(void **unused)
{
    static const struct {
        const char *settings;
        uint32_t most; /* that an unscheduled packet may have */
    } table[] = {
        {"alpha=0.5", 1000}, /* 64 by default */
        {"alpha=0.5:unscheduled_alpha=0.75", 750},
        {"alpha=0.5:unscheduled_alpha=0.1", 100}, /* less than alpha */
        {"alpha=0.5:unscheduled_alpha=0", 500},   /* no boost */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct fixture f;
        fixture_config(&f, 2, 1, 1000);
        fixture_build(&f, "abm", table[i].settings);
        assert_false(fixture_accepts(&f, 0, 0, 501, 0));
        f.flags = WEIR_FLAG_ECN;
        assert_false(fixture_accepts(&f, 0, 0, 501, 0));
        f.flags = WEIR_FLAG_UNSCHEDULED;
        assert_false(fixture_accepts(&f, 0, 0, table[i].most + 1, 0));
        assert_true(fixture_accepts(&f, 0, 0, table[i].most, 0));
        fixture_free(&f);
    }
}

static void abm_congestion__by_fractions(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 2, "congested_bytes=100B:unscheduled_alpha=0");
    fixture_fill(&f, 0, 0, 100, 0);
    fixture_fill(&f, 1, 0, 50, 0);
    fixture_fill(&f, 2, 0, 200, 0);
    fixture_fill(&f, 0, 1, 10, 0);
    weir_mmu_advance(f.mmu, WINDOW_PS - 1);
    assert_int_equal(congested(&f, 0), WEIR_Q16_ONE);
    assert_int_equal(fixture_threshold(&f, 0, 0), 640);
    weir_mmu_advance(f.mmu, WINDOW_PS);
    assert_int_equal(congested(&f, 0), 5 * WEIR_Q16_ONE / 2);
    assert_int_equal(congested(&f, 1), WEIR_Q16_ONE); /* 0.1 counts as 1 */
    assert_int_equal(fixture_threshold(&f, 0, 0), 640 * 2 / 5);
    assert_false(fixture_accepts(&f, 0, 0, 157, WINDOW_PS));
    assert_true(fixture_accepts(&f, 0, 0, 156, WINDOW_PS));
    fixture_free(&f);
}

/* 200, 200 and 199 cells leave 401 free: half of T is 200. The next T is half as large, and all are above half of it.
 */
static void abm_congestion__near_the_threshold(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 1, "congestion=threshold:congested_ratio=0.5");
    fixture_fill(&f, 0, 0, 200, 0);
    fixture_fill(&f, 1, 0, 200, 0);
    fixture_fill(&f, 2, 0, 199, 0);
    weir_mmu_advance(f.mmu, WINDOW_PS);
    assert_int_equal(congested(&f, 0), 2 * WEIR_Q16_ONE);
    assert_int_equal(fixture_threshold(&f, 0, 0), 200);
    weir_mmu_advance(f.mmu, 2 * WINDOW_PS);
    assert_int_equal(congested(&f, 0), 3 * WEIR_Q16_ONE);
    assert_int_equal(fixture_threshold(&f, 0, 0), 133);
    fixture_free(&f);
}

static void abm_congestion__an_empty_account_is_never_congested(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 1, "congestion=threshold");
    f.flags = WEIR_FLAG_UNSCHEDULED;
    fixture_fill(&f, 0, 0, 1000, 0); /* T = 0 for all */
    weir_mmu_advance(f.mmu, WINDOW_PS);
    assert_int_equal(congested(&f, 0), WEIR_Q16_ONE);
    fixture_free(&f);
}

/* Port 0 sends `cells` of class 1 and 300 of class 0 in the first window; two classes: mu of at least a half. */
static void abm_drain__against_the_rate(void **unused)
{
    static const struct {
        weir_cells cells;
        weir_q16 mu;
    } table[] = {
        {600, 600 * WEIR_Q16_ONE / 1000},
        {500, WEIR_Q16_ONE / 2},
        {499, WEIR_Q16_ONE}, /* below 1/2 */
        {1, WEIR_Q16_ONE},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct fixture f;
        build(&f, 2, "congested_bytes=1000B");
        fixture_fill(&f, 0, 1, table[i].cells, 0);
        fixture_fill(&f, 0, 0, 300, 0);
        fixture_drain(&f, 0, 2, WINDOW_PS - 1);
        assert_int_equal(mu(&f, 0, 1), WEIR_Q16_ONE);
        weir_mmu_advance(f.mmu, WINDOW_PS);
        assert_int_equal(mu(&f, 0, 1), table[i].mu);
        assert_int_equal(mu(&f, 0, 0), WEIR_Q16_ONE); /* 0.3 */
        assert_int_equal(mu(&f, 1, 1), WEIR_Q16_ONE); /* 0 */
        assert_int_equal(fixture_threshold(&f, 0, 1), 1000 * table[i].mu >> 16);
        fixture_free(&f);
    }
}

/* What a port can send in a window needs more than 64 bits on the way, or is less than a cell and counts as one. */
static void abm_drain__fast_and_slow_ports(void **unused)
{
    const weir_ps sample = 80 * WEIR_PS_PER_US;
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 2, 4000);
    f.config.cell_bytes = 100;
    f.config.rate_bps = INT64_C(400000000000);
    fixture_build(&f, "abm", "alpha=1");
    for (int i = 0; i < 100; i++) {
        fixture_fill(&f, 0, 0, 300, 0); /* 3 MB in all, of 4 MB in 80 us */
        fixture_drain(&f, 0, 1, 0);
    }
    fixture_fill(&f, 0, 0, 300, 0);
    fixture_fill(&f, 1, 0, 140, 0); /* half of 28000 B */
    weir_mmu_advance(f.mmu, sample);
    assert_int_equal(mu(&f, 0, 0), 3 * WEIR_Q16_ONE / 4);
    assert_int_equal(congested(&f, 0), 3 * WEIR_Q16_ONE / 2);
    fixture_change(&f, "window=1ps");
    fixture_drain(&f, 0, 1, sample); /* 300 times what is possible counts as 1 */
    weir_mmu_advance(f.mmu, 2 * sample);
    assert_int_equal(mu(&f, 0, 0), WEIR_Q16_ONE);
    fixture_free(&f);
}

static void abm_drain__share_of_the_port(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 2, "drain=share");
    fixture_fill(&f, 0, 0, 30, 0);
    fixture_fill(&f, 0, 1, 10, 0);
    fixture_drain(&f, 0, 2, 0);
    fixture_fill(&f, 1, 0, 20, 0);
    fixture_fill(&f, 1, 1, 20, 0);
    fixture_drain(&f, 1, 2, 0);
    weir_mmu_advance(f.mmu, WINDOW_PS);
    assert_int_equal(mu(&f, 0, 0), 3 * WEIR_Q16_ONE / 4);
    assert_int_equal(mu(&f, 0, 1), WEIR_Q16_ONE); /* 1/4 is below 1/classes */
    assert_int_equal(mu(&f, 1, 0), WEIR_Q16_ONE / 2);
    assert_int_equal(mu(&f, 1, 1), WEIR_Q16_ONE / 2);
    assert_int_equal(mu(&f, 2, 0), WEIR_Q16_ONE); /* 0 of 0 */
    fixture_free(&f);
}

/* With a clamp a class that sends little, or nothing beside others, has 1/classes; an idle port still says nothing. */
static void abm_drain__clamped_at_one_of_the_classes(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 4, "drain=share:low_drain=clamp");
    fixture_fill(&f, 0, 0, 90, 0);
    fixture_fill(&f, 0, 1, 10, 0);
    fixture_drain(&f, 0, 2, 0);
    weir_mmu_advance(f.mmu, WINDOW_PS);
    assert_int_equal(mu(&f, 0, 0), 9 * WEIR_Q16_ONE / 10);
    assert_int_equal(mu(&f, 0, 1), WEIR_Q16_ONE / 4);
    assert_int_equal(mu(&f, 0, 2), WEIR_Q16_ONE / 4);
    assert_int_equal(mu(&f, 1, 0), WEIR_Q16_ONE); /* 0 of 0 */
    assert_int_equal(fixture_threshold(&f, 0, 1), 250);
    fixture_change(&f, "drain=share");
    fixture_fill(&f, 0, 0, 90, WINDOW_PS);
    fixture_fill(&f, 0, 1, 10, WINDOW_PS);
    fixture_drain(&f, 0, 2, WINDOW_PS);
    weir_mmu_advance(f.mmu, 2 * WINDOW_PS);
    assert_int_equal(mu(&f, 0, 0), 9 * WEIR_Q16_ONE / 10);
    assert_int_equal(mu(&f, 0, 1), WEIR_Q16_ONE);
    fixture_free(&f);
}

/* Against the rate an account that sent nothing is at the clamp, and stays there over windows without a departure. */
static void abm_drain__clamped_at_rest(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 2, "low_drain=clamp");
    assert_int_equal(mu(&f, 0, 0), WEIR_Q16_ONE);
    weir_mmu_advance(f.mmu, 1000 * WINDOW_PS);
    assert_int_equal(mu(&f, 0, 0), WEIR_Q16_ONE / 2);
    assert_int_equal(fixture_threshold(&f, 0, 0), 500);
    fixture_free(&f);
}

/* First every mu, then every n_p with it: 130 cells are little beside T = 740, but not beside 443. */
static void abm_sample__drain_before_congestion(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 2, "congestion=threshold:congested_ratio=0.25");
    for (uint32_t port = 0; port < 2; port++) {
        fixture_fill(&f, port, 1, 600, 0); /* mu = 0.6 */
        fixture_drain(&f, port, 1, 0);
        fixture_fill(&f, port, 1, 130, 0);
    }
    weir_mmu_advance(f.mmu, WINDOW_PS);
    assert_int_equal(congested(&f, 1), 2 * WEIR_Q16_ONE);
    assert_int_equal(fixture_threshold(&f, 0, 1), 443 / 2);
    fixture_free(&f);
}

/* Nothing is sent in the second window, so that mu is 1 again, however late the sample is taken. */
static void abm_sample__over_skipped_windows(void **unused)
{
    static const struct {
        weir_ps now;
        weir_q16 mu, congested;
    } table[] = {
        {WINDOW_PS, 600 * WEIR_Q16_ONE / 1000, WEIR_Q16_ONE},
        {2 * WINDOW_PS - 1, 600 * WEIR_Q16_ONE / 1000, WEIR_Q16_ONE},
        {2 * WINDOW_PS, WEIR_Q16_ONE, 2 * WEIR_Q16_ONE},
        {3 * WINDOW_PS, WEIR_Q16_ONE, 3 * WEIR_Q16_ONE},
        {1000 * WINDOW_PS + 7, WEIR_Q16_ONE, 3 * WEIR_Q16_ONE},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct fixture f;
        build(&f, 2, "congestion=threshold:congested_ratio=0.5");
        fixture_fill(&f, 2, 1, 600, 0);
        fixture_drain(&f, 2, 1, 0);
        weir_mmu_advance(f.mmu, WINDOW_PS); /* no queue: n_p = 1 */
        fixture_fill(&f, 0, 0, 200, WINDOW_PS);
        fixture_fill(&f, 1, 0, 200, WINDOW_PS);
        fixture_fill(&f, 2, 0, 199, WINDOW_PS);
        weir_mmu_advance(f.mmu, table[i].now);
        assert_int_equal(mu(&f, 2, 1), table[i].mu);
        assert_int_equal(congested(&f, 0), table[i].congested);
        assert_int_equal(weir_mmu_next_event(f.mmu), (table[i].now / WINDOW_PS + 1) * WINDOW_PS);
        fixture_free(&f);
    }
}

/* Equal windows change nothing, but the empty one after them does. */
static void abm_sample__goes_on_after_a_window_like_the_last(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 2, "");
    f.flags = WEIR_FLAG_UNSCHEDULED;
    for (weir_ps now = 0; now <= WINDOW_PS; now += WINDOW_PS) {
        weir_mmu_advance(f.mmu, now);
        fixture_fill(&f, 0, 0, 600, now);
        fixture_drain(&f, 0, 1, now);
    }
    weir_mmu_advance(f.mmu, 3 * WINDOW_PS);
    assert_int_equal(mu(&f, 0, 0), WEIR_Q16_ONE);
    fixture_free(&f);
}

static void abm_sample__a_verdict_takes_what_is_due(void **unused)
{
    (void)unused;
    for (int ticks = 0; ticks < 2; ticks++) {
        struct fixture f;
        build(&f, 1, "congested_bytes=100B");
        fixture_fill(&f, 0, 0, 100, 0);
        fixture_fill(&f, 1, 0, 100, 0);
        if (ticks)
            weir_mmu_advance(f.mmu, WINDOW_PS - 1);
        assert_int_equal(fixture_offer(&f, 2, 0, 801, WINDOW_PS - 1), WEIR_REASON_OVER_THRESHOLD);
        fixture_fill(&f, 2, 0, 1, WINDOW_PS - 1); /* 799 free, n_p = 2.01 */
        if (ticks)
            weir_mmu_advance(f.mmu, WINDOW_PS);
        assert_int_equal(fixture_offer(&f, 2, 0, 397, WINDOW_PS), WEIR_REASON_OVER_THRESHOLD);
        assert_int_equal(fixture_offer(&f, 2, 0, 396, WINDOW_PS), WEIR_REASON_NONE);
        fixture_free(&f);
    }
}

/* A departure at the boundary belongs to the next window, and its queue was still there at the sample. */
static void abm_sample__comes_before_a_departure_at_its_time(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 1, "congested_bytes=100B");
    fixture_fill(&f, 0, 0, 400, 0);
    fixture_fill(&f, 1, 0, 300, 0);
    fixture_drain(&f, 0, 1, WINDOW_PS);
    weir_mmu_advance(f.mmu, WINDOW_PS);
    assert_int_equal(congested(&f, 0), 2 * WEIR_Q16_ONE);
    assert_int_equal(mu(&f, 0, 0), WEIR_Q16_ONE);
    assert_int_equal(weir_mmu_flush(f.mmu, (weir_port){1}, 2 * WINDOW_PS)->lost_count, 1);
    weir_mmu_advance(f.mmu, 2 * WINDOW_PS);
    assert_int_equal(congested(&f, 0), WEIR_Q16_ONE);
    fixture_free(&f);
}

/* Ratios are rounded down: 2 of 3 cells and 1 of 3, which is 1/classes still; lengths that count as congested are
 * whole cells, rounded up; of what a port can send in a window only whole cells count. */
static void abm__rounds(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 3, "drain=share:congested_bytes=300B");
    fixture_fill(&f, 0, 0, 2, 0);
    fixture_fill(&f, 0, 1, 1, 0);
    fixture_drain(&f, 0, 2, 0);
    fixture_fill(&f, 1, 0, 200, 0);
    fixture_fill(&f, 2, 0, 200, 0);
    weir_mmu_advance(f.mmu, WINDOW_PS);
    assert_int_equal(mu(&f, 0, 0), 43690);
    assert_int_equal(mu(&f, 0, 1), 21845);
    assert_int_equal(congested(&f, 0), 2 * 43690);
    assert_int_equal(fixture_threshold(&f, 0, 1), 199); /* 21845/65536 of 600 */
    assert_int_equal(fixture_threshold(&f, 0, 0), 299); /* 399/1.33 */
    fixture_free(&f);

    fixture_config(&f, 3, 1, 1000);
    f.config.cell_bytes = 100;
    f.config.rate_bps = INT64_C(2799999999); /* 3.49 cells in a window */
    fixture_build(&f, "abm", "alpha=1:window=1us:congested_bytes=150B");
    fixture_fill(&f, 0, 0, 3, 0);
    fixture_drain(&f, 0, 1, 0);
    for (uint32_t port = 0; port < 3; port++)
        fixture_fill(&f, port, 0, 1, 0);
    weir_mmu_advance(f.mmu, WINDOW_PS);
    assert_int_equal(mu(&f, 0, 0), WEIR_Q16_ONE);
    assert_int_equal(congested(&f, 0), 3 * WEIR_Q16_ONE / 2);
    fixture_free(&f);
}

/* Less than a cell in a window counts as one. */
static void abm_drain__less_than_a_cell(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 2, "window=1ps:low_drain=clamp");
    fixture_fill(&f, 0, 0, 1, 0);
    fixture_drain(&f, 0, 1, 0);
    weir_mmu_advance(f.mmu, 1);
    assert_int_equal(mu(&f, 0, 0), WEIR_Q16_ONE);
    assert_int_equal(mu(&f, 0, 1), WEIR_Q16_ONE / 2); /* 0 of 1 */
    fixture_free(&f);
}

/* 0.9 of T: 2 times 321 cells leave 358 free, 2 times 322 leave 356. */
static void abm_congestion__ratio_by_default(void **unused)
{
    (void)unused;
    for (uint32_t cells = 321; cells <= 322; cells++) {
        struct fixture f;
        build(&f, 1, "congestion=threshold");
        fixture_fill(&f, 0, 0, cells, 0);
        fixture_fill(&f, 1, 0, cells, 0);
        weir_mmu_advance(f.mmu, WINDOW_PS);
        assert_int_equal(congested(&f, 0), (cells - 320) * WEIR_Q16_ONE);
        fixture_free(&f);
    }
}

static void abm_congestion__of_single_cells(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 1, "congestion=threshold");
    f.flags = WEIR_FLAG_UNSCHEDULED;
    fixture_fill(&f, 0, 0, 998, 0);
    fixture_fill(&f, 1, 0, 1, 0);
    fixture_fill(&f, 2, 0, 1, 0); /* T = 0 */
    weir_mmu_advance(f.mmu, WINDOW_PS);
    assert_int_equal(congested(&f, 0), 3 * WEIR_Q16_ONE);
    fixture_free(&f);
}

/* One cell of the two that a window allows, and nothing in the next window. */
static void abm_sample__goes_on_after_one_cell(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 3, 2, 1000);
    f.config.rate_bps = 16000000;
    fixture_build(&f, "abm", "alpha=1:window=1us");
    fixture_fill(&f, 0, 0, 1, 0);
    fixture_drain(&f, 0, 1, 0);
    weir_mmu_advance(f.mmu, WINDOW_PS);
    assert_int_equal(mu(&f, 0, 0), WEIR_Q16_ONE / 2);
    fixture_free(&f);
    fixture_config(&f, 3, 2, 1000);
    f.config.rate_bps = 16000000;
    fixture_build(&f, "abm", "alpha=1:window=1us");
    fixture_fill(&f, 0, 0, 1, 0);
    fixture_drain(&f, 0, 1, 0);
    weir_mmu_advance(f.mmu, 3 * WINDOW_PS);
    assert_int_equal(mu(&f, 0, 0), WEIR_Q16_ONE);
    fixture_free(&f);
}

/* A new n_p alone makes the next sample worth its while; where nothing moves, the next one is after now. */
static void abm_sample__goes_on_while_congestion_changes(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 1, "congestion=threshold:congested_ratio=0.5");
    fixture_fill(&f, 0, 0, 200, 0);
    fixture_fill(&f, 1, 0, 200, 0);
    fixture_fill(&f, 2, 0, 199, 0);
    weir_mmu_advance(f.mmu, 2 * WINDOW_PS);
    assert_int_equal(congested(&f, 0), 3 * WEIR_Q16_ONE);
    fixture_free(&f);
    build(&f, 1, "");
    weir_mmu_advance(f.mmu, 2 * WINDOW_PS);
    assert_int_equal(weir_mmu_next_event(f.mmu), 3 * WINDOW_PS);
    fixture_free(&f);
}

static void abm_change__keeps_what_evolved(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, 2, "congested_bytes=100B");
    fixture_fill(&f, 0, 1, 600, 0);
    fixture_drain(&f, 0, 1, 0);
    fixture_fill(&f, 1, 1, 100, 0);
    fixture_fill(&f, 2, 1, 100, 0);
    weir_mmu_advance(f.mmu, WINDOW_PS);
    fixture_change(&f, "alpha=2,4:window=3us");
    assert_int_equal(mu(&f, 0, 1), 600 * WEIR_Q16_ONE / 1000);
    assert_int_equal(congested(&f, 1), 2 * WEIR_Q16_ONE);
    assert_int_equal(fixture_threshold(&f, 1, 1), 4 * 800 / 2);
    assert_int_equal(fixture_threshold(&f, 1, 0), 2 * 800);
    assert_int_equal(weir_mmu_next_event(f.mmu), 2 * WINDOW_PS);
    weir_mmu_advance(f.mmu, 2 * WINDOW_PS);
    assert_int_equal(weir_mmu_next_event(f.mmu), 3 * WINDOW_PS); /* multiples of the new window from here on */
    fixture_free(&f);
}

static void abm__ticks_never_change_a_verdict(void **unused)
{
    static const char *const settings[] = {
        "alpha=1,2:congested_bytes=200B:window=20ns",
        "alpha=1,2:congestion=threshold:congested_ratio=0.6:drain=share:window=30ns",
    };
    (void)unused;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct fixture f;
        fixture_config(&f, 4, 2, 2000);
        f.config.rate_bps = INT64_C(100000000000);
        f.config.private_cells[0] = 20;
        fixture_check_lateness(&f, "abm", settings[seed % 2], seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(abm_admit__at_the_threshold_and_above),
        cmocka_unit_test(abm_admit__private_minimum_is_never_refused),
        cmocka_unit_test(abm_admit__first_round_trip_has_its_own_alpha),
        cmocka_unit_test(abm_congestion__by_fractions),
        cmocka_unit_test(abm_congestion__near_the_threshold),
        cmocka_unit_test(abm_congestion__an_empty_account_is_never_congested),
        cmocka_unit_test(abm_drain__against_the_rate),
        cmocka_unit_test(abm_drain__fast_and_slow_ports),
        cmocka_unit_test(abm_drain__share_of_the_port),
        cmocka_unit_test(abm_drain__clamped_at_one_of_the_classes),
        cmocka_unit_test(abm_drain__clamped_at_rest),
        cmocka_unit_test(abm_sample__drain_before_congestion),
        cmocka_unit_test(abm_sample__over_skipped_windows),
        cmocka_unit_test(abm_sample__goes_on_after_a_window_like_the_last),
        cmocka_unit_test(abm_sample__a_verdict_takes_what_is_due),
        cmocka_unit_test(abm_sample__comes_before_a_departure_at_its_time),
        cmocka_unit_test(abm__rounds),
        cmocka_unit_test(abm_drain__less_than_a_cell),
        cmocka_unit_test(abm_congestion__ratio_by_default),
        cmocka_unit_test(abm_congestion__of_single_cells),
        cmocka_unit_test(abm_sample__goes_on_after_one_cell),
        cmocka_unit_test(abm_sample__goes_on_while_congestion_changes),
        cmocka_unit_test(abm_change__keeps_what_evolved),
        cmocka_unit_test(abm__ticks_never_change_a_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
