/*
 * test_training.c - training rows: labels against LQD in slots and in continuous time, features, order, the ring.
 */
#include "lib/core/mmu_internal.h"
#include "lib/policies/credence.c" /* to look into its state */
#include "tests/support/slots.h"
#include "weir/oracle.h"
#include "weir/training.h"

static int64_t fixture_reading(const struct fixture *f, uint32_t port, uint32_t tc, const char *name)
{
    const struct weir_features *features = credence_features(f->mmu->egress.state);
    const struct weir_average *queue = &features->account[fixture_account(f, port, tc).i];
    return weir_average_bytes(strcmp(name, "average_bytes") == 0 ? queue : &features->buffer, f->config.cell_bytes);
}

#define AVERAGE_PS (24 * WEIR_PS_PER_US)
#define ARRIVALS_MAX 2000u

static struct weir_training *build(const struct weir_mmu_config *config, bool tail, uint32_t rows_max)
{
    const struct weir_training_config training = {
        .mmu = config, .tail = tail, .average_ps = AVERAGE_PS, .rows_max = rows_max};
    size_t size = weir_training_size(&training);
    assert_int_equal(size % 64, 0);
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    memset(memory, 0xa5, size);
    return weir_training_init(memory, &training);
}

static void arrive(struct weir_training *t, const struct fixture *f, uint32_t port, uint32_t bytes, weir_ps now)
{
    const struct weir_packet packet = {.handle = 99, .output = {port}, .bytes = bytes};
    weir_training_arrive(t, weir_mmu_view(f->mmu), &packet, now);
}

/* Beside a DT switch in slots: every arrival labelled as a run of LQD over the same arrivals loses it, in order. */
static void labels_in_slots(struct slots *s, bool tail, uint64_t seed)
{
    struct fixture f;
    struct weir_training_row row;
    uint32_t rows = 0;
    slots_config(&f, s);
    f.config.packets_max = s->buffer; /* enough for a policy that never pushes out; LQD wants one more */
    fixture_build(&f, "dt", NULL);
    struct weir_training *t = build(&f.config, tail, SLOTS_ARRIVALS_MAX);
    slots_run_lqd(s, tail ? "remove=tail" : "remove=head");
    for (uint32_t slot = 0, i = 0; slot < s->slots; slot++) {
        for (; i < s->end[slot]; i++) {
            arrive(t, &f, s->output[i], SLOT_BYTES, slot * SLOT_PS);
            slots_send(&f, s, i, slot * SLOT_PS);
        }
        slots_depart(&f, s, slot * SLOT_PS);
        if (slot + 1 == s->slots)
            weir_training_finish(t);
        for (; weir_training_take(t, &row); rows++) {
            if (row.index != rows || row.lost != slots_is_lost(s, rows))
                print_message("seed %llu, arrival %u\n", (unsigned long long)seed, rows);
            assert_true(row.index == rows);
            assert_int_equal(row.lost, slots_is_lost(s, rows));
        }
    }
    assert_int_equal(rows, s->arrivals);
    free(t);
    fixture_free(&f);
}

static void take__labels_equal_lqd_in_slots(void **state)
{
    (void)state;
    static struct slots s;
    for (uint64_t seed = 1; seed <= slots_rounds(200); seed++) {
        struct weir_random r = {seed, UINT64_C(1) << 32};
        s.ports = 1 + weir_random_below(&r, 8);
        s.buffer = 1 + weir_random_below(&r, 30);
        slots_make(&s, seed % SLOTS_SHAPES, 30, seed);
        labels_in_slots(&s, weir_random_below(&r, 2), seed);
    }
}

/* LQD driven by a scan over all ports: the port with the earliest start sends, arrivals of a moment come first. */
struct reference {
    struct fixture lqd;
    weir_ps free_ps[8], since_ps[8];
    bool lost[ARRIVALS_MAX];
};

static void reference_catch_up(struct reference *ref, weir_ps now)
{
    for (;;) {
        uint32_t next = UINT32_MAX;
        weir_ps earliest = now;
        for (uint32_t p = 0; p < ref->lqd.config.ports; p++) {
            weir_ps start = ref->free_ps[p] > ref->since_ps[p] ? ref->free_ps[p] : ref->since_ps[p];
            if (weir_mmu_view(ref->lqd.mmu)->port[p].backlog_mask && start < earliest) {
                earliest = start;
                next = p;
            }
        }
        if (next == UINT32_MAX)
            return;
        uint32_t bytes = fixture_depart(&ref->lqd, next, earliest);
        ref->free_ps[next] = earliest + bytes * 8 * WEIR_PS_PER_S / ref->lqd.config.rates_bps[next];
    }
}

static void reference_arrive(struct reference *ref, uint32_t port, uint32_t bytes, weir_ps now)
{
    reference_catch_up(ref, now);
    if (weir_mmu_view(ref->lqd.mmu)->port[port].backlog_mask == 0)
        ref->since_ps[port] = now;
    const struct weir_effects *effects = fixture_send(&ref->lqd, port, 0, bytes, now);
    ref->lost[effects->index] = !effects->accepted;
    for (uint32_t i = 0; i < effects->lost_count; i++)
        ref->lost[effects->lost[i].handle - 1] = true;
}

static void labels_in_time(uint64_t seed)
{
    static struct reference ref;
    struct weir_random r = {seed, 0};
    weir_bps rates_bps[8];
    struct weir_training_row row;
    weir_ps now = 0;
    memset(&ref, 0, sizeof ref);
    fixture_config(&ref.lqd, 1 + weir_random_below(&r, 8), 1, 40);
    ref.lqd.config.cell_bytes = 200;
    ref.lqd.config.rates_bps = rates_bps;
    for (uint32_t p = 0; p < 8; p++)
        rates_bps[p] = (1 + weir_random_below(&r, 20)) * INT64_C(1000000000);
    fixture_build(&ref.lqd, "lqd", NULL);
    struct weir_training *t = build(&ref.lqd.config, false, 4096);
    for (uint32_t i = 0; i < ARRIVALS_MAX; i++) {
        uint32_t port = weir_random_below(&r, ref.lqd.config.ports), bytes = 1 + weir_random_below(&r, 3000);
        now += weir_random_below(&r, 4) ? weir_random_below(&r, 1000000) : 0;
        arrive(t, &ref.lqd, port, bytes, now);
        reference_arrive(&ref, port, bytes, now);
    }
    weir_training_finish(t);
    for (uint32_t i = 0; i < ARRIVALS_MAX; i++) {
        assert_true(weir_training_take(t, &row));
        if (row.lost != ref.lost[i])
            print_message("seed %llu, arrival %u\n", (unsigned long long)seed, i);
        assert_int_equal(row.lost, ref.lost[i]);
    }
    assert_false(weir_training_take(t, &row));
    free(t);
    fixture_free(&ref.lqd);
}

static void take__labels_equal_lqd_in_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= slots_rounds(20); seed++)
        labels_in_time(seed);
}

/* The features are the real MMU's before the arrival, and the averages those that Credence itself would see. */
static void arrive__features_are_those_of_credence(void **state)
{
    (void)state;
    struct weir_table_oracle oracle;
    struct weir_training_row row;
    struct fixture f;
    struct weir_random r = {11, 0};
    static int64_t expected[1000][WEIR_FEATURE_COUNT];
    weir_ps now = 0;
    weir_table_oracle_init(&oracle, NULL, 0, 6554, 5);
    fixture_config(&f, 3, 1, 200);
    f.config.cell_bytes = 80;
    f.config.oracle = &oracle.base;
    fixture_build(&f, "credence", "tau=24us");
    struct weir_training *t = build(&f.config, true, 4096);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t port = weir_random_below(&r, 3), bytes = 64 + weir_random_below(&r, 1437);
        now += weir_random_below(&r, 700000);
        expected[i][WEIR_FEATURE_QUEUE] = fixture_cells(&f, port, 0) * 80;
        expected[i][WEIR_FEATURE_QUEUE_AVERAGE] = fixture_reading(&f, port, 0, "average_bytes");
        expected[i][WEIR_FEATURE_BUFFER] = weir_mmu_view(f.mmu)->pools->used_cells * 80;
        expected[i][WEIR_FEATURE_BUFFER_AVERAGE] = fixture_reading(&f, port, 0, "buffer_average_bytes");
        arrive(t, &f, port, bytes, now);
        fixture_send(&f, port, 0, bytes, now);
        const struct weir_effects *effects = weir_mmu_depart(f.mmu, (weir_port){weir_random_below(&r, 3)}, now);
        if (effects->departed)
            weir_training_depart(t, weir_mmu_view(f.mmu), effects->account, now);
    }
    weir_training_finish(t);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(weir_training_take(t, &row));
        assert_memory_equal(row.feature, expected[i], sizeof row.feature);
    }
    assert_true(expected[999][WEIR_FEATURE_QUEUE_AVERAGE] > 0);
    free(t);
    fixture_free(&f);
}

/* What Credence shows with counters=virtual, noted where it is asked. */
struct shown {
    struct weir_oracle base;
    uint8_t *asked; /* [arrival] */
    int64_t (*feature)[WEIR_FEATURE_COUNT];
};

static bool shown_predict(const struct weir_oracle *oracle, uint64_t index, const int64_t feature[WEIR_FEATURE_COUNT])
{
    const struct shown *shown = (const struct shown *)oracle;
    shown->asked[index] = 1;
    memcpy(shown->feature[index], feature, sizeof shown->feature[index]);
    return weir_hash(index, 7) % 3 == 0;
}

/* In slots the rows of virtual counters are what Credence shows, arrival by arrival, whatever it is answered. */
static void arrive__virtual_features_are_those_of_credence(void **state)
{
    static struct slots s;
    static uint8_t asked[SLOTS_ARRIVALS_MAX];
    static int64_t feature[SLOTS_ARRIVALS_MAX][WEIR_FEATURE_COUNT];
    uint32_t compared = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= slots_rounds(100); seed++) {
        struct shown shown = {{.predict = shown_predict}, asked, feature};
        struct weir_training_row row;
        struct fixture f;
        s.ports = 2 + (uint32_t)(seed % 7);
        s.buffer = s.ports * (2 + (uint32_t)(seed % 5));
        slots_make(&s, seed % SLOTS_SHAPES, 40, seed);
        memset(asked, 0, sizeof asked);
        slots_config(&f, &s);
        f.config.oracle = &shown.base;
        fixture_build(&f, "credence", "tau=24us:counters=virtual");
        const struct weir_training_config training = {.mmu = &f.config,
                                                      .tail = true,
                                                      .average_ps = AVERAGE_PS,
                                                      .rows_max = SLOTS_ARRIVALS_MAX,
                                                      .virtual_counters = true};
        struct weir_training *t = weir_training_init(aligned_alloc(64, weir_training_size(&training)), &training);
        for (uint32_t slot = 0, i = 0; slot < s.slots; slot++) {
            for (; i < s.end[slot]; i++) {
                arrive(t, &f, s.output[i], SLOT_BYTES, slot * SLOT_PS);
                slots_send(&f, &s, i, slot * SLOT_PS);
            }
            slots_depart(&f, &s, slot * SLOT_PS);
        }
        weir_training_finish(t);
        while (weir_training_take(t, &row)) {
            if (!asked[row.index])
                continue;
            assert_memory_equal(row.feature, feature[row.index], sizeof row.feature);
            compared += row.feature[WEIR_FEATURE_QUEUE_AVERAGE] > 0;
        }
        free(t);
        fixture_free(&f);
    }
    assert_true(compared > 100);
}

static void expect_rows(struct weir_training *t, const struct weir_training_row *expected, uint32_t count)
{
    struct weir_training_row row;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(weir_training_take(t, &row));
        assert_int_equal(row.index, expected[i].index);
        assert_int_equal(row.lost, expected[i].lost);
    }
    assert_false(weir_training_take(t, &row));
}

/*
 * Rows wait for the fate of the oldest; a full ring skips arrivals, which shows in the index, and goes on when rows
 * were taken. Two ports, three packets, four rows.
 */
static void arrive__full_ring_skips_rows(void **state)
{
    (void)state;
    const struct slots shape = {.ports = 2, .buffer = 3};
    struct fixture f;
    slots_config(&f, &shape);
    fixture_build(&f, "cs", NULL);
    struct weir_training *t = build(&f.config, true, 4);
    for (uint32_t i = 0; i < 5; i++)
        arrive(t, &f, 0, SLOT_BYTES, 0); /* 0, 1, 2 enter, 3 is refused, 4 is refused and has no row */
    expect_rows(t, NULL, 0);
    arrive(t, &f, 1, SLOT_BYTES, 0); /* 5 has no row, and pushes out 2 */
    expect_rows(t, NULL, 0);
    arrive(t, &f, 1, SLOT_BYTES, SLOT_PS); /* 6 has no row; 0 and 5 have left by now */
    expect_rows(t, (struct weir_training_row[]){{.index = 0}}, 1);
    arrive(t, &f, 1, SLOT_BYTES, SLOT_PS); /* 7 gets the place of row 0 */
    arrive(t, &f, 1, SLOT_BYTES, SLOT_PS); /* 8 has no row */
    expect_rows(t, NULL, 0);
    weir_training_finish(t);
    expect_rows(t,
                (struct weir_training_row[]){
                    {.index = 1}, {.index = 2, .lost = true}, {.index = 3, .lost = true}, {.index = 7}},
                4);
    free(t);
    fixture_free(&f);
}

/*
 * Lossless packets keep the arrival numbers right but get no row and no place in the virtual LQD. Headroom and the
 * ingress minimums of lossless classes are no part of its pool.
 */
static void arrive__leaves_lossless_classes_out(void **state)
{
    (void)state;
    static const struct {
        uint32_t inputs, fit; /* packets of 1000 cells */
    } expected[] = {{4, 2}, {0, 3}};
    for (uint32_t k = 0; k < 2; k++) {
        struct weir_training_row row;
        struct fixture f;
        fixture_config(&f, 2, 2, 5000);
        fixture_build(&f, "dt", NULL);
        struct weir_mmu_config config = f.config;
        config.lossless_mask = 2;
        config.headroom_cells = 1000;
        config.private_cells[1] = 77; /* of no account: the class is lossless */
        config.ingress_private_cells[1] = 500;
        config.inputs = expected[k].inputs;
        struct weir_training *t = build(&config, true, 4096);
        for (uint32_t i = 0; i < 8; i++) {
            const struct weir_packet packet = {.output = {0}, .tc = {i % 2}, .bytes = 1000};
            weir_training_arrive(t, weir_mmu_view(f.mmu), &packet, 0);
        }
        weir_training_finish(t);
        for (uint32_t i = 0; i < 4; i++) {
            assert_true(weir_training_take(t, &row));
            assert_int_equal(row.index, 2 * i);
            assert_int_equal(row.lost, i >= expected[k].fit);
        }
        assert_false(weir_training_take(t, &row));
        free(t);
        fixture_free(&f);
    }
}

/* A port so fast that a packet takes no whole picosecond still sends one after the other. */
static void finish__very_fast_port(void **state)
{
    (void)state;
    struct weir_training_row row;
    struct fixture f;
    fixture_config(&f, 1, 1, 5000);
    f.config.rate_bps = WEIR_RATE_BPS_MAX;
    f.config.packets_max = 5000; /* more than may be lost in one call */
    fixture_build(&f, "cs", NULL);
    struct weir_training *t = build(&f.config, true, 5000);
    for (uint32_t i = 0; i < 3; i++)
        arrive(t, &f, 0, 1, 10);
    arrive(t, &f, 0, 1, 12); /* two are gone */
    for (uint32_t i = 0; i < 2; i++)
        assert_true(weir_training_take(t, &row));
    assert_false(weir_training_take(t, &row));
    weir_training_finish(t);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(weir_training_take(t, &row));
    free(t);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take__labels_equal_lqd_in_slots),
        cmocka_unit_test(take__labels_equal_lqd_in_time),
        cmocka_unit_test(arrive__virtual_features_are_those_of_credence),
        cmocka_unit_test(arrive__features_are_those_of_credence),
        cmocka_unit_test(arrive__full_ring_skips_rows),
        cmocka_unit_test(arrive__leaves_lossless_classes_out),
        cmocka_unit_test(finish__very_fast_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
