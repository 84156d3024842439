/*
 * test_tdt.c - Traffic-aware Dynamic Threshold: thresholds, every counter at its limit, every transition, and the walk
 * through the states that the paper's Figure 6 shows.
 */
#include "lib/core/mmu_internal.h"
#include "lib/policies/tdt.c" /* to look into its state */
#include "tests/support/fixture.h"

static int64_t fixture_reading(const struct fixture *f, uint32_t port, uint32_t tc, const char *name)
{
    static const char *const names[] = {"state", "nec", "oc1", "oc2", "dc", "dec"};
    const struct tdt_state *s = f->mmu->egress.state;
    const struct tdt_port *p = &s->port[port];
    const int64_t values[] = {p->control, p->nec, p->oc1, p->oc2, p->dc, p->dec};
    (void)tc;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return values[i];
    fail_msg("no reading '%s'", name);
    return 0;
}

enum what { IN, NO, OUT }; /* enters, is refused, departs */
enum { NORM, ABS, EVAC };

/* An event and what the port's readings are after it. */
struct step {
    enum what what;
    uint32_t bytes;
    int64_t state, nec, oc1, oc2, dc, dec;
};

static void walk(struct fixture *f, const struct step *steps, size_t count)
{
    static const char *const names[] = {"state", "nec", "oc1", "oc2", "dc", "dec"};
    for (size_t i = 0; i < count; i++) {
        const struct step *s = &steps[i];
        const int64_t expected[] = {s->state, s->nec, s->oc1, s->oc2, s->dc, s->dec};
        if (s->what == OUT)
            fixture_drain(f, 0, 1, 0);
        else if (fixture_accepts(f, 0, 0, s->bytes, 0) != (s->what == IN))
            fail_msg("step %zu: %s", i, s->what == IN ? "refused" : "entered");
        for (int n = 0; n < 6; n++)
            if (fixture_reading(f, 0, 0, names[n]) != expected[n])
                fail_msg("step %zu: %s is %d", i, names[n], (int)fixture_reading(f, 0, 0, names[n]));
        static const char *const modes[] = {[NORM] = "normal", [ABS] = "absorption", [EVAC] = "evacuation"};
        assert_string_equal(weir_mmu_mode(f->mmu, (weir_account){0}), modes[s->state]);
    }
}

/* Four ports and 400 cells: an even split of 100, half of it 50. */
static void build(struct fixture *f, const char *settings)
{
    fixture_config(f, 4, 1, 400);
    fixture_build(f, "tdt", settings);
}

static void run(const char *settings, const struct step *steps, size_t count)
{
    struct fixture f;
    build(&f, settings);
    walk(&f, steps, count);
    fixture_free(&f);
}

#define RUN(settings, steps) run(settings, steps, sizeof steps / sizeof steps[0])

static int64_t state_of(const struct fixture *f, uint32_t port)
{
    return fixture_reading(f, port, 0, "state");
}

static void tdt_admit__normal_is_dt_of_the_port(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 2, 1000);
    fixture_build(&f, "tdt", "alpha=0.5:nec=1MB");
    fixture_fill(&f, 0, 0, 200, 0); /* T = 400 */
    assert_int_equal(fixture_threshold(&f, 0, 0), 400);
    assert_int_equal(fixture_offer(&f, 0, 1, 201, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 1, 200, 0), WEIR_REASON_NONE);
    fixture_free(&f);
}

static void tdt_admit__private_minimum_is_on_top(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 2, 1, 120);
    f.config.private_cells[0] = 10; /* 100 shared */
    fixture_build(&f, "tdt", "alpha=0.5");
    assert_false(fixture_accepts(&f, 0, 0, 61, 0));
    assert_true(fixture_accepts(&f, 0, 0, 60, 0));
    assert_int_equal(fixture_shared(&f, 0, 0), 50);
    fixture_free(&f);
}

static void tdt_admit__absorbing_ports_share_equally(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, "nec=10B");
    fixture_fill(&f, 0, 0, 10, 0);
    assert_int_equal(fixture_threshold(&f, 0, 0), 400);
    fixture_fill(&f, 1, 0, 10, 0);
    fixture_fill(&f, 2, 0, 10, 0);
    assert_int_equal(fixture_threshold(&f, 0, 0), 133);
    assert_int_equal(fixture_offer(&f, 0, 0, 124, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_offer(&f, 0, 0, 123, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_threshold(&f, 3, 0), 400 - 153);
    fixture_free(&f);
}

/* A refusal of 401 cells makes port 0 evacuate; the others leave 120 cells free, then 80. */
static void tdt_admit__evacuating_port_has_its_split(void **unused)
{
    (void)unused;
    for (int below_dt = 0; below_dt < 2; below_dt++) {
        struct fixture f;
        build(&f, below_dt ? "nec=1MB:dc=401B:evacuation=min-dt" : "nec=1MB:dc=401B");
        assert_int_equal(fixture_offer(&f, 0, 0, 401, 0), WEIR_REASON_TOO_LARGE);
        assert_int_equal(state_of(&f, 0), EVAC);
        fixture_fill(&f, 1, 0, 190, 0);
        fixture_fill(&f, 2, 0, 90, 0);
        assert_int_equal(fixture_threshold(&f, 0, 0), 100);
        assert_int_equal(fixture_offer(&f, 0, 0, 101, 0), WEIR_REASON_OVER_THRESHOLD);
        fixture_fill(&f, 3, 0, 40, 0);
        assert_int_equal(fixture_threshold(&f, 0, 0), below_dt ? 80 : 100);
        fixture_fill(&f, 0, 0, 80, 0);
        assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), below_dt ? WEIR_REASON_OVER_THRESHOLD : WEIR_REASON_NO_ROOM);
        fixture_free(&f);
    }
}

/* One cell in and out, so often. */
static void pass_through(struct fixture *f, uint32_t port, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        fixture_fill(f, port, 0, 1, 0);
        fixture_drain(f, port, 1, 0);
    }
}

/* The paper's setting: 667 packets of 1500 B and 16 ports give 42, 42, 2 * 667, 333. */
static void tdt_init__automatic_limits(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 16, 1, 667);
    f.config.cell_bytes = 1500;
    fixture_build(&f, "tdt", "alpha=0.4");
    pass_through(&f, 0, 41);
    assert_int_equal(fixture_reading(&f, 0, 0, "oc1"), 41);
    pass_through(&f, 0, 1);
    assert_int_equal(fixture_reading(&f, 0, 0, "oc1"), 0);
    for (int i = 0; i < 41; i++)
        fixture_fill(&f, 0, 0, 1, 0);
    assert_int_equal(fixture_reading(&f, 0, 0, "nec"), 41);
    fixture_fill(&f, 0, 0, 1, 0);
    assert_int_equal(state_of(&f, 0), ABS);
    pass_through(&f, 0, 1333);
    assert_int_equal(fixture_reading(&f, 0, 0, "oc2"), 1333);
    pass_through(&f, 0, 1);
    assert_int_equal(state_of(&f, 0), NORM);
    assert_int_equal(fixture_offer(&f, 2, 0, 332 * 1500 + 1, 0), WEIR_REASON_OVER_THRESHOLD); /* 333 cells */
    assert_int_equal(state_of(&f, 2), EVAC);
    assert_int_equal(fixture_offer(&f, 3, 0, 332 * 1500, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(fixture_reading(&f, 3, 0, "dc"), 332);
    fixture_free(&f);
}

static void tdt_on_enqueue__net_growth_starts_absorption_and_underload_ends_it(void **unused)
{
    static const struct step steps[] = {
        {IN, 10, NORM, 10, 0, 0, 0, 0},  {IN, 40, NORM, 50, 0, 0, 0, 0}, {OUT, 0, NORM, 40, 10, 0, 0, 1},
        {IN, 59, NORM, 99, 10, 0, 0, 0}, {IN, 1, ABS, 0, 0, 0, 0, 0},    {OUT, 0, ABS, 0, 0, 40, 0, 1},
        {OUT, 0, ABS, 0, 0, 99, 0, 2},   {IN, 9, ABS, 0, 0, 99, 0, 0},   {IN, 9, ABS, 0, 0, 99, 0, 0},
        {OUT, 0, ABS, 0, 0, 100, 0, 1},  {OUT, 0, ABS, 0, 0, 109, 0, 2}, {OUT, 0, NORM, 0, 0, 0, 0, 0},
    };
    (void)unused;
    RUN(NULL, steps);
}

static void tdt_on_dequeue__too_slow_for_a_burst(void **unused)
{
    static const struct step steps[] = {
        {IN, 50, NORM, 50, 0, 0, 0, 0},  {IN, 40, NORM, 90, 0, 0, 0, 0},  {IN, 5, NORM, 95, 0, 0, 0, 0},
        {OUT, 0, NORM, 45, 50, 0, 0, 1}, {IN, 9, NORM, 54, 50, 0, 0, 0},  {OUT, 0, NORM, 14, 90, 0, 0, 1},
        {OUT, 0, NORM, 9, 95, 0, 0, 2},  {IN, 30, NORM, 39, 95, 0, 0, 0}, {OUT, 0, NORM, 0, 0, 0, 0, 0}, /* oc1 = 104 */
        {OUT, 0, NORM, 0, 30, 0, 0, 1}, /* and nec not below 0 */
    };
    (void)unused;
    RUN(NULL, steps);
}

static void tdt_on_dequeue__underload_clears_everything(void **unused)
{
    static const struct step steps[] = {
        {IN, 5, NORM, 5, 0, 0, 0, 0},      {NO, 398, NORM, 0, 0, 0, 398, 0}, {IN, 5, NORM, 5, 0, 0, 398, 0},
        {IN, 5, NORM, 10, 0, 0, 398, 0},   {IN, 50, NORM, 60, 0, 0, 398, 0}, {OUT, 0, NORM, 55, 5, 0, 398, 1},
        {OUT, 0, NORM, 50, 10, 0, 398, 2}, {OUT, 0, NORM, 0, 0, 0, 0, 0},
    };
    (void)unused;
    RUN("dc=400B", steps);
}

static void tdt_on_dequeue__absorption_ends_by_output(void **unused)
{
    static const struct step steps[] = {
        {IN, 60, NORM, 60, 0, 0, 0, 0}, {IN, 60, ABS, 0, 0, 0, 0, 0},   {IN, 29, ABS, 0, 0, 0, 0, 0},
        {OUT, 0, ABS, 0, 0, 60, 0, 1},  {IN, 1, ABS, 0, 0, 60, 0, 0},   {OUT, 0, ABS, 0, 0, 120, 0, 1},
        {IN, 1, ABS, 0, 0, 120, 0, 0},  {OUT, 0, ABS, 0, 0, 149, 0, 1}, {OUT, 0, NORM, 0, 0, 0, 0, 2},
    };
    (void)unused;
    RUN("oc2=150B", steps);
}

static void tdt_on_drop__overflow_ends_absorption(void **unused)
{
    static const struct step steps[] = {
        {IN, 60, NORM, 60, 0, 0, 0, 0},   {IN, 40, ABS, 0, 0, 0, 0, 0},     {OUT, 0, ABS, 0, 0, 60, 0, 1},
        {NO, 361, NORM, 0, 0, 0, 361, 0}, {IN, 99, NORM, 99, 0, 0, 361, 0}, {IN, 1, ABS, 0, 0, 0, 361, 0},
    };
    (void)unused;
    RUN("dc=1MB", steps);
}

static void tdt_on_drop__absorption_outlives_a_mere_refusal(void **unused)
{
    static const struct step steps[] = {
        {IN, 100, ABS, 0, 0, 0, 0, 0},
        {NO, 101, ABS, 0, 0, 0, 101, 0}, /* above B / 2; 200 are free */
        {NO, 200, ABS, 0, 0, 0, 301, 0},
        {NO, 199, EVAC, 0, 0, 0, 0, 0}, /* straight from absorption */
    };
    struct fixture f;
    (void)unused;
    build(&f, "dc=500B");
    fixture_fill(&f, 1, 0, 100, 0);
    walk(&f, steps, 4);
    assert_int_equal(fixture_threshold(&f, 1, 0), 400); /* absorbs alone now */
    fixture_free(&f);
}

static void tdt_on_drop__loss_starts_evacuation(void **unused)
{
    static const struct step steps[] = {
        {IN, 40, NORM, 40, 0, 0, 0, 0},    {IN, 50, NORM, 90, 0, 0, 0, 0},   {OUT, 0, NORM, 50, 40, 0, 0, 1},
        {NO, 349, NORM, 0, 40, 0, 349, 0}, {OUT, 0, NORM, 0, 90, 0, 349, 1}, {NO, 401, EVAC, 0, 0, 0, 0, 0},
        {NO, 300, EVAC, 0, 0, 0, 0, 0}, /* counts no more */
        {IN, 100, EVAC, 0, 0, 0, 0, 0},
    };
    (void)unused;
    RUN("dc=750B", steps);
}

static void tdt_on_drop__flushed_packets_are_no_refusals(void **unused)
{
    struct fixture f;
    (void)unused;
    build(&f, NULL);
    fixture_fill(&f, 0, 0, 40, 0);
    fixture_fill(&f, 0, 0, 40, 0);
    fixture_drain(&f, 0, 1, 0);
    assert_int_equal(weir_mmu_flush(f.mmu, (weir_port){0}, 0)->lost_count, 1);
    static const struct step steps[] = {{IN, 1, NORM, 41, 40, 0, 0, 0}};
    walk(&f, steps, 1);
    fixture_free(&f);
}

/* Half the split is 50. */
static void tdt_on_dequeue__evacuation_ends_below_half_the_split(void **unused)
{
    static const struct step steps[] = {
        {IN, 10, NORM, 10, 0, 0, 0, 0}, {IN, 20, NORM, 30, 0, 0, 0, 0}, {IN, 1, NORM, 31, 0, 0, 0, 0},
        {IN, 49, NORM, 80, 0, 0, 0, 0}, {NO, 401, EVAC, 0, 0, 0, 0, 0}, {OUT, 0, EVAC, 0, 0, 0, 0, 1},
        {OUT, 0, EVAC, 0, 0, 0, 0, 2},  /* 50 are left */
        {NO, 399, EVAC, 0, 0, 0, 0, 0}, /* a loss: departures are no longer in a row */
        {OUT, 0, NORM, 0, 0, 0, 0, 1},  /* 49 */
    };
    (void)unused;
    RUN("nec=1MB:dc=401B", steps);
}

static void tdt_on_dequeue__evacuation_ends_by_underload(void **unused)
{
    static const struct step steps[] = {
        {IN, 45, NORM, 45, 0, 0, 0, 0}, {IN, 45, NORM, 90, 0, 0, 0, 0}, {IN, 105, NORM, 195, 0, 0, 0, 0},
        {NO, 401, EVAC, 0, 0, 0, 0, 0}, {OUT, 0, EVAC, 0, 0, 0, 0, 1},  {OUT, 0, NORM, 0, 0, 0, 0, 0},
    };
    (void)unused;
    RUN("nec=1MB:dc=401B:dec=2", steps);
}

/* T = min(DT, 100) of the port itself, and not DT, is compared with twice what it keeps. */
static void tdt_on_dequeue__evacuation_ends_at_twice_the_queue(void **unused)
{
    static const struct {
        uint32_t others, kept;
        int64_t state;
    } table[] = {
        {0, 50, EVAC},   /* T = 100; DT would be 350 */
        {0, 49, NORM},   /* as with half the split */
        {309, 30, NORM}, /* DT = 61 */
        {310, 30, EVAC}, /* DT = 60 */
        {370, 9, NORM},  /* DT = 21 */
        {371, 10, EVAC}, /* DT = 19 */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct fixture f;
        build(&f, "alpha=1:nec=1MB:dc=401B:evacuation=min-dt:leave=twice-queue");
        fixture_fill(&f, 0, 0, 10, 0);
        fixture_fill(&f, 0, 0, table[i].kept, 0);
        assert_false(fixture_accepts(&f, 0, 0, 401, 0));
        fixture_change(&f, "alpha=64:nec=1MB:dc=401B:evacuation=min-dt:leave=twice-queue"); /* lets the others in */
        for (uint32_t left = table[i].others, port = 1; left > 0; left -= left < 130 ? left : 130, port++)
            fixture_fill(&f, port, 0, left < 130 ? left : 130, 0);
        fixture_change(&f, "alpha=1:nec=1MB:dc=401B:evacuation=min-dt:leave=twice-queue");
        fixture_drain(&f, 0, 1, 0);
        if (state_of(&f, 0) != table[i].state)
            fail_msg("row %zu: state %d", i, (int)state_of(&f, 0));
        fixture_free(&f);
    }
}

static void tdt_change__keeps_what_evolved(void **unused)
{
    struct fixture f;
    (void)unused;
    fixture_config(&f, 4, 1, 400);
    f.config.cell_bytes = 100;
    fixture_build(&f, "tdt", NULL);
    fixture_fill(&f, 0, 0, 100, 0);
    fixture_fill(&f, 1, 0, 80, 0);
    fixture_change(&f, "alpha=2:nec=8901B:evacuation=min-dt"); /* 90 cells */
    assert_int_equal(state_of(&f, 0), ABS);
    assert_int_equal(fixture_threshold(&f, 0, 0), 400);
    assert_int_equal(fixture_threshold(&f, 1, 0), 440);
    fixture_fill(&f, 1, 0, 9, 0);
    assert_int_equal(state_of(&f, 1), NORM);
    fixture_fill(&f, 1, 0, 1, 0);
    assert_int_equal(state_of(&f, 1), ABS);
    assert_int_equal(fixture_threshold(&f, 0, 0), 200);
    fixture_free(&f);
}

/* What one port goes through, in packet times of 12 us. */
struct story {
    int64_t states[8]; /* in order, without repetition */
    size_t count;
    uint32_t lost;
};

/* `halves` packets arrive in every two packet times, and one leaves in each. */
static void tell(struct fixture *f, struct story *story, uint32_t halves, uint32_t packet_times)
{
    for (uint32_t t = 0, sent = 0; t < packet_times; t++) {
        for (; 2 * sent < halves * (t + 1); sent++)
            story->lost += !fixture_accepts(f, 0, 0, 1500, 0);
        fixture_depart(f, 0, 0);
        if (state_of(f, 0) != story->states[story->count - 1])
            story->states[story->count++] = state_of(f, 0);
    }
}

/* 1 MB, 16 ports of 1 Gb/s: a burst of 5 ms, 5 ms of silence, 20 ms slightly above the line rate, silence. */
static void tdt__walks_through_figure_6(void **unused)
{
    static const int64_t expected[] = {NORM, ABS, NORM, EVAC, NORM};
    struct fixture f;
    struct story story = {.states = {NORM}, .count = 1};
    (void)unused;
    fixture_config(&f, 16, 1, 667);
    f.config.cell_bytes = 1500;
    fixture_build(&f, "tdt", NULL);
    tell(&f, &story, 4, 416); /* the burst: 2 Gb/s */
    assert_int_equal(story.lost, 0);
    assert_int_equal(fixture_cells(&f, 0, 0), 416); /* DT would have stopped it at 333 */
    assert_int_equal(state_of(&f, 0), ABS);
    tell(&f, &story, 0, 417);

    tell(&f, &story, 3, 1300); /* 1.5 Gb/s: held at DT after 667 packet times, and losing */
    assert_int_equal(state_of(&f, 0), NORM);
    assert_in_range(fixture_cells(&f, 0, 0), 332, 334);
    assert_in_range(story.lost, 315, 318);
    tell(&f, &story, 3, 366);
    assert_int_equal(state_of(&f, 0), EVAC);
    assert_in_range(fixture_cells(&f, 0, 0), 40, 41);
    tell(&f, &story, 0, 42);
    assert_int_equal(story.count, 5);
    assert_memory_equal(story.states, expected, sizeof expected);
    fixture_free(&f);
}

/* A packet time, in which three packets arrive in two at ports 1 and 2, `burst` at port 0, and one leaves each. How
 * many were lost at port 0. */
static uint32_t packet_time(struct fixture *f, int t, uint32_t burst)
{
    const uint32_t arrivals[3] = {burst, t % 2 ? 2 : 1, t % 2 ? 2 : 1};
    uint32_t lost = 0;
    for (uint32_t port = 0; port < 3; port++) {
        for (uint32_t i = 0; i < arrivals[port]; i++)
            lost += !fixture_accepts(f, port, 0, 1500, 0) && port == 0;
        fixture_depart(f, port, 0);
    }
    return lost;
}

/* The paper's Figure 7 with the rules of its authors' code: ports 1 and 2 are overloaded for long, then 679 packets
 * come to port 0 at eight times its rate, for 1.02 ms. The overloaded ports are still held to their even split then,
 * and nothing is lost. Were evacuation to end when plain DT is above 2 q, they would be back at DT, and most would be.
 */
static void tdt__evacuation_lasts_until_the_burst(void **unused)
{
    struct fixture f;
    uint32_t lost = 0;
    (void)unused;
    fixture_config(&f, 16, 1, 667);
    f.config.cell_bytes = 1500;
    fixture_build(&f, "tdt", "evacuation=min-dt:leave=twice-queue");
    for (int t = 0; t < 4000; t++)
        packet_time(&f, t, 0);
    for (int t = 0; t < 85; t++)
        lost += packet_time(&f, t, t < 84 ? 8 : 679 - 84 * 8);
    assert_int_equal(lost, 0);
    for (uint32_t port = 1; port < 3; port++) {
        assert_int_equal(state_of(&f, port), EVAC);
        assert_true(fixture_cells(&f, port, 0) <= 667 / 16);
    }
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tdt_admit__normal_is_dt_of_the_port),
        cmocka_unit_test(tdt_admit__private_minimum_is_on_top),
        cmocka_unit_test(tdt_admit__absorbing_ports_share_equally),
        cmocka_unit_test(tdt_admit__evacuating_port_has_its_split),
        cmocka_unit_test(tdt_init__automatic_limits),
        cmocka_unit_test(tdt_on_enqueue__net_growth_starts_absorption_and_underload_ends_it),
        cmocka_unit_test(tdt_on_dequeue__too_slow_for_a_burst),
        cmocka_unit_test(tdt_on_dequeue__underload_clears_everything),
        cmocka_unit_test(tdt_on_dequeue__absorption_ends_by_output),
        cmocka_unit_test(tdt_on_drop__overflow_ends_absorption),
        cmocka_unit_test(tdt_on_drop__absorption_outlives_a_mere_refusal),
        cmocka_unit_test(tdt_on_drop__loss_starts_evacuation),
        cmocka_unit_test(tdt_on_drop__flushed_packets_are_no_refusals),
        cmocka_unit_test(tdt_on_dequeue__evacuation_ends_below_half_the_split),
        cmocka_unit_test(tdt_on_dequeue__evacuation_ends_by_underload),
        cmocka_unit_test(tdt_on_dequeue__evacuation_ends_at_twice_the_queue),
        cmocka_unit_test(tdt_change__keeps_what_evolved),
        cmocka_unit_test(tdt__walks_through_figure_6),
        cmocka_unit_test(tdt__evacuation_lasts_until_the_burst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
