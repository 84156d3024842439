/*
 * test_credence.c - Credence with a right oracle against LQD, with a wrong one against its safeguard, and what it
 * tells the oracle.
 */
#include "lib/core/mmu_internal.h"
#include "lib/policies/credence.c" /* to look into its state */
#include "tests/support/slots.h"
#include "weir/oracle.h"

static int64_t fixture_reading(const struct fixture *f, uint32_t port, uint32_t tc, const char *name)
{
    const struct weir_features *features = credence_features(f->mmu->egress.state);
    const struct weir_average *queue = &features->account[fixture_account(f, port, tc).i];
    return weir_average_bytes(strcmp(name, "average_bytes") == 0 ? queue : &features->buffer, f->config.cell_bytes);
}

/* An oracle that notes what it was asked and gives one answer. */
struct spy {
    struct weir_oracle base;
    bool answer;
    uint64_t *asked; /* times */
    uint64_t *index;
    int64_t *feature; /* of the last question */
};

static bool spy_predict(const struct weir_oracle *oracle, uint64_t index, const int64_t feature[WEIR_FEATURE_COUNT])
{
    const struct spy *spy = (const struct spy *)oracle;
    (*spy->asked)++;
    *spy->index = index;
    memcpy(spy->feature, feature, WEIR_FEATURE_COUNT * sizeof *feature);
    return spy->answer;
}

static enum weir_reason offer(struct fixture *f, uint32_t port, weir_ps now)
{
    return fixture_offer(f, port, 0, SLOT_BYTES, now);
}

/* Runs Credence over the sequence; the first arrival whose fate differs from LQD's, or the number of arrivals. */
static uint32_t first_difference(const struct slots *s, const struct weir_table_oracle *oracle)
{
    struct fixture f;
    uint32_t i = 0;
    bool same = true;
    slots_config(&f, s);
    f.config.oracle = &oracle->base;
    fixture_build(&f, "credence", NULL);
    for (uint32_t slot = 0; same && slot < s->slots; slot++) {
        for (; same && i < s->end[slot]; i += same)
            same = slots_send(&f, s, i, slot * SLOT_PS)->accepted != slots_is_lost(s, i);
        slots_depart(&f, s, slot * SLOT_PS);
    }
    fixture_free(&f);
    return i;
}

static uint32_t lost_count(const struct slots *s)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i < s->arrivals; i++)
        lost += slots_is_lost(s, i);
    return lost;
}

/* Unit packets, tail removal, ports dividing the buffer (or one more): Credence refuses exactly what LQD loses. */
static void admit__right_oracle_loses_what_lqd_loses(void **state)
{
    (void)state;
    static struct slots s;
    uint64_t lost = 0;
    for (uint64_t seed = 1; seed <= slots_rounds(4000); seed++) {
        struct weir_random r = {seed, UINT64_C(1) << 32};
        struct weir_table_oracle oracle;
        s.ports = 1 + weir_random_below(&r, 8);
        s.buffer = s.ports * (1 + weir_random_below(&r, 6)) - (s.ports > 1 && weir_random_below(&r, 4) == 0);
        slots_make(&s, seed % SLOTS_SHAPES, 24, seed);
        slots_run_lqd(&s, "remove=tail");
        weir_table_oracle_init(&oracle, s.lost, s.arrivals, 0, 0);
        uint32_t differs = first_difference(&s, &oracle);
        if (differs < s.arrivals) {
            print_message("seed %llu: arrival %u differs\n", (unsigned long long)seed, differs);
            slots_print(&s);
        }
        assert_int_equal(differs, s.arrivals);
        lost += lost_count(&s);
    }
    assert_true(lost > 4000);
}

/*
 * Three ports do not divide four packets: with queues of 2, 2 and 0, LQD pushes out the second packet of port 0 for
 * port 2 and leaves it one, less than its share of 4/3. When that packet arrived every queue was below its share, so
 * the safeguard took it in without asking.
 */
static void admit__safeguard_differs_from_lqd_when_ports_do_not_divide_the_buffer(void **state)
{
    (void)state;
    static struct slots s = {.ports = 3, .buffer = 4, .slots = 1, .arrivals = 5, .end = {5}, .output = {0, 0, 1, 1, 2}};
    struct weir_table_oracle oracle;
    slots_run_lqd(&s, "remove=tail");
    assert_true(slots_is_lost(&s, 1) && lost_count(&s) == 1);
    weir_table_oracle_init(&oracle, s.lost, s.arrivals, 0, 0);
    assert_int_equal(first_difference(&s, &oracle), 1);
}

/*
 * Head removal: LQD pushes out the first packet of port 0 and keeps the second. The first one comes while every queue
 * is below its share, and the safeguard takes it in.
 */
static void admit__differs_from_lqd_with_head_removal(void **state)
{
    (void)state;
    static struct slots s = {.ports = 2, .buffer = 2, .slots = 1, .arrivals = 3, .end = {3}, .output = {0, 0, 1}};
    struct weir_table_oracle oracle;
    slots_run_lqd(&s, "remove=head");
    assert_true(slots_is_lost(&s, 0) && lost_count(&s) == 1);
    weir_table_oracle_init(&oracle, s.lost, s.arrivals, 0, 0);
    assert_int_equal(first_difference(&s, &oracle), 0);
}

static weir_cells longest_queue(const struct fixture *f)
{
    weir_cells longest = 0;
    for (uint32_t port = 0; port < f->config.ports; port++)
        longest = fixture_shared(f, port, 0) > longest ? fixture_shared(f, port, 0) : longest;
    return longest;
}

/* Runs Credence with an oracle that is always wrong; how many arrivals it refused, all of them above the share. */
static uint32_t refused_above_share(const struct slots *s, uint64_t seed)
{
    struct weir_table_oracle oracle;
    struct fixture f;
    uint32_t refused = 0;
    weir_table_oracle_init(&oracle, s->lost, s->arrivals, WEIR_Q16_ONE, seed);
    slots_config(&f, s);
    f.config.oracle = &oracle.base;
    fixture_build(&f, "credence", NULL);
    for (uint32_t slot = 0, i = 0; slot < s->slots; slot++) {
        for (; i < s->end[slot]; i++) {
            bool below = longest_queue(&f) * s->ports < s->buffer;
            bool accepted = slots_send(&f, s, i, slot * SLOT_PS)->accepted;
            refused += !accepted;
            if (below && !accepted)
                fail_msg("seed %llu: arrival %u is refused", (unsigned long long)seed, i);
        }
        slots_depart(&f, s, slot * SLOT_PS);
    }
    fixture_free(&f);
    return refused;
}

/* Whatever the oracle says, nothing is refused while every queue is below B / N. */
static void admit__wrong_oracle_loses_nothing_below_the_share(void **state)
{
    (void)state;
    static struct slots s;
    uint64_t refused = 0;
    for (uint64_t seed = 1; seed <= slots_rounds(300); seed++) {
        struct weir_random r = {seed, UINT64_C(1) << 32};
        s.ports = 1 + weir_random_below(&r, 8);
        s.buffer = s.ports + weir_random_below(&r, 40);
        slots_make(&s, seed % SLOTS_SHAPES, 24, seed);
        slots_run_lqd(&s, "remove=tail");
        refused += refused_above_share(&s, seed);
    }
    assert_true(refused > 1000);
}

/* Each step of the decision, and that the oracle is asked only when its answer counts. 2 ports, 4 packets. */
static void admit__asks_the_oracle_last(void **state)
{
    (void)state;
    uint64_t asked = 0, index = 0;
    int64_t feature[WEIR_FEATURE_COUNT];
    struct spy spy = {{.predict = spy_predict}, true, &asked, &index, feature};
    const struct slots shape = {.ports = 2, .buffer = 4};
    struct fixture f;
    slots_config(&f, &shape);
    f.config.oracle = &spy.base;
    fixture_build(&f, "credence", NULL);

    assert_int_equal(offer(&f, 0, 0), WEIR_REASON_NONE); /* nothing held */
    assert_int_equal(offer(&f, 0, 0), WEIR_REASON_NONE); /* longest 1 < 2 */
    assert_int_equal(asked, 0);
    assert_int_equal(offer(&f, 0, 0), WEIR_REASON_PREDICTED);
    assert_int_equal(asked, 1);
    assert_int_equal(index, 2);
    spy.answer = false;
    assert_int_equal(offer(&f, 0, 0), WEIR_REASON_NONE);
    assert_int_equal(offer(&f, 1, 0), WEIR_REASON_NONE);
    assert_int_equal(asked, 3);
    assert_int_equal(fixture_threshold(&f, 0, 0), 3); /* 4, less what LQD pushed out for port 1 */
    assert_int_equal(offer(&f, 0, 0), WEIR_REASON_OVER_THRESHOLD);
    assert_int_equal(offer(&f, 1, 0), WEIR_REASON_NO_ROOM); /* below its threshold, but full: no question */
    assert_int_equal(fixture_threshold(&f, 1, 0), 2);
    assert_int_equal(asked, 3);
    fixture_free(&f);
}

/* Bytes before the arrival, and averages that move by min(dt, tau) / tau with each packet sent. */
static void predict__features(void **state)
{
    (void)state;
    uint64_t asked = 0, index = 0;
    int64_t feature[WEIR_FEATURE_COUNT];
    struct spy spy = {{.predict = spy_predict}, false, &asked, &index, feature};
    struct fixture f;
    fixture_config(&f, 2, 1, 100);
    f.config.cell_bytes = 10;
    f.config.oracle = &spy.base;
    fixture_build(&f, "credence", "tau=1000ns");
    for (uint32_t i = 0; i < 7; i++)
        fixture_fill(&f, 0, 0, 10, 0);
    fixture_drain(&f, 0, 1, 0); /* no time has passed: the averages stay */
    fixture_fill(&f, 1, 0, 20, 0);
    assert_int_equal(asked, 3); /* by the two last of port 0, which find 50 = 100 / 2 or more, and that of port 1 */
    assert_int_equal(feature[WEIR_FEATURE_QUEUE], 0);
    assert_int_equal(feature[WEIR_FEATURE_BUFFER], 600);
    assert_int_equal(feature[WEIR_FEATURE_BUFFER_AVERAGE], 0);

    fixture_drain(&f, 0, 1, 250 * WEIR_PS_PER_NS); /* a quarter of the way to 50 and to 70 cells */
    fixture_drain(&f, 1, 1, 750 * WEIR_PS_PER_NS); /* buffer: 17.5 and half of the way to 50 */
    fixture_fill(&f, 0, 0, 10, 750 * WEIR_PS_PER_NS);
    assert_int_equal(feature[WEIR_FEATURE_QUEUE], 500);
    assert_int_equal(feature[WEIR_FEATURE_QUEUE_AVERAGE], 125);
    assert_int_equal(feature[WEIR_FEATURE_BUFFER], 500);
    assert_int_equal(feature[WEIR_FEATURE_BUFFER_AVERAGE], 337); /* 33.75 cells */
    assert_int_equal(fixture_reading(&f, 0, 0, "average_bytes"), 125);
    assert_int_equal(fixture_reading(&f, 1, 0, "average_bytes"), 0);
    assert_int_equal(fixture_reading(&f, 0, 0, "buffer_average_bytes"), 337);
    fixture_drain(&f, 0, 1, 9 * WEIR_PS_PER_US); /* more than tau: all of the way */
    assert_int_equal(fixture_reading(&f, 0, 0, "average_bytes"), 500);
    assert_int_equal(fixture_reading(&f, 0, 0, "buffer_average_bytes"), 500);
    fixture_free(&f);
}

static void threshold__is_the_virtual_length(void **state)
{
    (void)state;
    struct weir_table_oracle oracle;
    struct fixture f;
    weir_table_oracle_init(&oracle, NULL, 0, 0, 0);
    fixture_config(&f, 2, 2, 1000);
    f.config.oracle = &oracle.base;
    fixture_build(&f, "credence", NULL);
    fixture_fill(&f, 1, 1, 300, 0);
    assert_int_equal(fixture_threshold(&f, 1, 1), 300);
    fixture_free(&f);
}

/* An idle real port: at its rate the virtual queue runs empty, with the artifact's rule it stays until a dequeue, which
 * clears it because the real queue is then empty. */
static void drain__idle_port(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        weir_cells idle, offered, sent;
    } expected[] = {{"drain=rate", 1, 2, 1}, {"drain=dequeue", 2, 3, 0}};
    const struct slots shape = {.ports = 2, .buffer = 4};
    struct weir_table_oracle oracle;
    weir_table_oracle_init(&oracle, NULL, 0, 0, 0);
    for (uint32_t i = 0; i < 2; i++) {
        struct fixture f;
        slots_config(&f, &shape);
        f.config.oracle = &oracle.base;
        fixture_build(&f, "credence", expected[i].settings);
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(offer(&f, 0, 0), WEIR_REASON_NONE);
        assert_int_equal(offer(&f, 1, 0), WEIR_REASON_NO_ROOM);
        assert_int_equal(offer(&f, 1, 0), WEIR_REASON_NO_ROOM);
        fixture_drain(&f, 0, 1, 0);
        assert_int_equal(fixture_depart(&f, 1, 0), 0);
        assert_int_equal(fixture_threshold(&f, 1, 0), expected[i].idle);
        weir_mmu_advance(f.mmu, SLOT_PS);
        assert_int_equal(fixture_threshold(&f, 1, 0), expected[i].idle);
        assert_int_equal(offer(&f, 1, SLOT_PS), WEIR_REASON_NONE);
        assert_int_equal(fixture_threshold(&f, 1, 0), expected[i].offered);
        fixture_drain(&f, 1, 1, SLOT_PS);
        assert_int_equal(fixture_threshold(&f, 1, 0), expected[i].sent);
        assert_int_equal(weir_mmu_next_event(f.mmu), WEIR_NEVER);
        fixture_free(&f);
    }
}

/* New values count from now on; lengths and averages stay. */
static void change__keeps_what_evolved(void **state)
{
    (void)state;
    struct weir_table_oracle oracle;
    struct fixture f;
    weir_table_oracle_init(&oracle, NULL, 0, 0, 0);
    fixture_config(&f, 2, 1, 1000);
    f.config.oracle = &oracle.base;
    fixture_build(&f, "credence", "tau=1us");
    for (uint32_t i = 0; i < 4; i++)
        fixture_fill(&f, 0, 0, 100, 0);
    fixture_drain(&f, 0, 1, 0);
    fixture_drain(&f, 0, 1, WEIR_PS_PER_US);
    fixture_change(&f, "tau=2us");
    assert_int_equal(fixture_reading(&f, 0, 0, "average_bytes"), 200);
    assert_int_equal(fixture_threshold(&f, 0, 0), 200);
    fixture_drain(&f, 0, 1, 2 * WEIR_PS_PER_US);
    assert_int_equal(fixture_reading(&f, 0, 0, "average_bytes"), 150);
    fixture_free(&f);
}

/* The share is of ports: a second class does not halve it. 4 ports, 400 cells: 100 per port. */
static void admit__safeguard_counts_ports(void **state)
{
    (void)state;
    struct fixture f;
    uint64_t asked = 0, index;
    int64_t feature[WEIR_FEATURE_COUNT];
    struct spy spy = {{.predict = spy_predict}, true, &asked, &index, feature};
    fixture_config(&f, 4, 2, 400);
    f.config.oracle = &spy.base;
    fixture_build(&f, "credence", NULL);
    assert_int_equal(fixture_offer(&f, 0, 1, 60, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 1, 39, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 1, 1, 0), WEIR_REASON_NONE);
    assert_int_equal(asked, 0);
    assert_int_equal(fixture_offer(&f, 0, 1, 1, 0), WEIR_REASON_PREDICTED);
    fixture_free(&f);
}

/* A free class enters while there is room, whatever the oracle says, and the virtual LQD knows nothing of it. */
static void admit__free_class_is_outside(void **state)
{
    (void)state;
    struct fixture f;
    uint64_t asked = 0, index;
    int64_t feature[WEIR_FEATURE_COUNT];
    struct spy spy = {{.predict = spy_predict}, true, &asked, &index, feature};
    fixture_config(&f, 4, 2, 400);
    f.config.oracle = &spy.base;
    fixture_build(&f, "credence", "free=yes,no");
    assert_int_equal(fixture_offer(&f, 0, 0, 300, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_threshold(&f, 0, 0), 0);
    assert_int_equal(fixture_offer(&f, 1, 1, 50, 0), WEIR_REASON_PREDICTED);
    assert_int_equal(fixture_offer(&f, 1, 0, 100, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 1, 0, 1, 0), WEIR_REASON_NO_ROOM);
    assert_int_equal(asked, 1);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__right_oracle_loses_what_lqd_loses),
        cmocka_unit_test(admit__safeguard_differs_from_lqd_when_ports_do_not_divide_the_buffer),
        cmocka_unit_test(admit__differs_from_lqd_with_head_removal),
        cmocka_unit_test(admit__wrong_oracle_loses_nothing_below_the_share),
        cmocka_unit_test(admit__asks_the_oracle_last),
        cmocka_unit_test(predict__features),
        cmocka_unit_test(threshold__is_the_virtual_length),
        cmocka_unit_test(drain__idle_port),
        cmocka_unit_test(change__keeps_what_evolved),
        cmocka_unit_test(admit__safeguard_counts_ports),
        cmocka_unit_test(admit__free_class_is_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
