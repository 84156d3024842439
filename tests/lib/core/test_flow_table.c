/*
 * test_flow_table.c - the table of flows: sets, kept bits, who gives way, quiet flows, periods; and what is refused.
 */
#include "lib/core/flow_table.h"

#include "tests/support/fixture.h"
#include "weir/counters.h"

static struct weir_flow_entry entries[16];

static struct weir_flow_table table_of(uint32_t count, uint32_t ways, uint32_t tag, enum weir_flow_eviction eviction)
{
    memset(entries, 0, sizeof entries);
    return (struct weir_flow_table){.shape = {count, ways, tag, eviction, 100, 10}, .entry = entries};
}

static void flow_table_count__adds_up_the_bytes_of_a_flow(void **unused)
{
    struct weir_flow_table t = table_of(8, 2, 16, WEIR_FLOW_EVICT_OLDEST);
    (void)unused;
    assert_int_equal(weir_flow_table_count(&t, 5, 100, 1)->bytes, 100);
    assert_int_equal(weir_flow_table_count(&t, 6, 40, 2)->bytes, 40);
    assert_int_equal(weir_flow_table_count(&t, 5, 100, 3)->bytes, 200);
    assert_int_equal(weir_flow_table_count(&t, 5, 1, 103)->bytes, 201); /* quiet for 100: no longer than the window */
    assert_int_equal(weir_flow_table_count(&t, 5, 7, 204)->bytes, 7);
    assert_int_equal(t.counted.arrivals, 5);
    assert_int_equal(t.counted.begun, 3);
    assert_null(weir_flow_table_fault(&t));
}

/* Flows 0, 1 << 60, ... are of the same set and differ in what is kept. */
static void flow_table_count__a_full_set_gives_way(void **unused)
{
    const uint64_t one = UINT64_C(1) << 60;
    struct weir_flow_table t = table_of(8, 2, 16, WEIR_FLOW_EVICT_OLDEST);
    (void)unused;
    weir_flow_table_count(&t, one, 100, 1);
    weir_flow_table_count(&t, 2 * one, 50, 2);
    assert_int_equal(weir_flow_table_count(&t, 3 * one, 10, 3)->bytes, 10); /* for the oldest */
    assert_int_equal(t.counted.evicted, 1);
    assert_int_equal(weir_flow_table_count(&t, 2 * one, 1, 4)->bytes, 51);
    t = table_of(8, 2, 16, WEIR_FLOW_EVICT_SMALLEST);
    weir_flow_table_count(&t, one, 100, 1);
    weir_flow_table_count(&t, 2 * one, 50, 2);
    weir_flow_table_count(&t, 3 * one, 10, 3);
    assert_int_equal(weir_flow_table_count(&t, one, 1, 4)->bytes, 101);
    t = table_of(8, 2, 16, WEIR_FLOW_EVICT_NONE);
    weir_flow_table_count(&t, one, 100, 1);
    weir_flow_table_count(&t, 2 * one, 50, 2);
    assert_null(weir_flow_table_count(&t, 3 * one, 10, 3));
    assert_int_equal(t.counted.untracked, 1);
    assert_int_equal(weir_flow_table_count(&t, 3 * one, 10, 102)->bytes, 10); /* the first has been quiet */
    assert_int_equal(t.counted.evicted, 0);
}

static void flow_table_count__flows_that_look_alike_are_one(void **unused)
{
    struct weir_flow_table t = table_of(8, 2, 0, WEIR_FLOW_EVICT_OLDEST);
    (void)unused;
    weir_flow_table_count(&t, 4, 100, 1);
    assert_int_equal(weir_flow_table_count(&t, 8, 10, 1)->bytes, 110); /* set 0, nothing kept */
    assert_int_equal(weir_flow_table_count(&t, 5, 10, 1)->bytes, 10);
    assert_int_equal(t.counted.collided, 1);
    t = table_of(8, 2, 64, WEIR_FLOW_EVICT_OLDEST);
    weir_flow_table_count(&t, 4, 100, 1);
    assert_int_equal(weir_flow_table_count(&t, 8, 10, 1)->bytes, 10);
    assert_int_equal(t.counted.collided, 0);
}

static void flow_table_count__periods(void **unused)
{
    struct weir_flow_table t = table_of(8, 2, 16, WEIR_FLOW_EVICT_OLDEST);
    (void)unused;
    weir_flow_table_count(&t, 5, 100, 11);
    assert_int_equal(weir_flow_table_count(&t, 5, 20, 19)->recent_bytes, 120);
    assert_int_equal(weir_flow_table_count(&t, 5, 1, 20)->past_bytes, 120);
    assert_int_equal(weir_flow_table_count(&t, 5, 1, 40)->past_bytes, 0);
    assert_int_equal(weir_flow_table_count(&t, 5, 1, 41)->recent_bytes, 2);
}

static void flow_shape_check__says_what_cannot_be_built(void **unused)
{
    static const struct {
        struct weir_flow_shape shape;
        bool good;
    } table[] = {
        {{0, 0, 0, 0, 0, 0}, true},     {{4096, 4, 16, 0, 1, 0}, true}, {{1, 1, 64, 2, 1, 5}, true},
        {{100, 4, 16, 0, 1, 0}, false}, {{8, 3, 16, 0, 1, 0}, false},   {{8, 16, 16, 0, 1, 0}, false},
        {{8, 0, 16, 0, 1, 0}, false},   {{8, 4, 65, 0, 1, 0}, false},   {{8, 4, 16, 3, 1, 0}, false},
        {{8, 4, 16, 0, 0, 0}, false},   {{8, 4, 16, 0, 1, -1}, false},  {{1u << 21, 4, 16, 0, 1, 0}, false},
        {{64, 32, 16, 0, 1, 0}, false},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        assert_int_equal(weir_flow_shape_check(&table[i].shape, &error), table[i].good);
        assert_int_equal(error.code == WEIR_ERROR_NONE, table[i].good);
    }
}

/* A host that knows no flows, or not how much of them has come, refuses the policy and says why. */
static void mmu_config_check__refuses_what_the_host_cannot_give(void **unused)
{
    struct weir_mmu_config config;
    struct weir_values values;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)unused;
    weir_mmu_config_init(&config, 2, 1, 1000);
    config.egress = weir_policy_find("fab");
    weir_values_init(&values, config.egress);
    config.egress_values = &values;
    assert_false(weir_mmu_config_check(&config, &error));
    assert_non_null(strstr(error.text, "policy fab needs the flow of every packet"));
    config.gives = WEIR_GIVES_FLOWS;
    assert_true(weir_mmu_config_check(&config, &error));
    values.of[WEIR_FLOW_PARAM_ENTRIES][0] = 0;
    error.code = WEIR_ERROR_NONE;
    assert_false(weir_mmu_config_check(&config, &error));
    assert_non_null(strstr(error.text, "expected entries="));
    config.gives |= WEIR_GIVES_FLOW_BYTES;
    assert_true(weir_mmu_config_check(&config, &error));
    values.of[WEIR_FLOW_PARAM_ENTRIES][0] = 100;
    error.code = WEIR_ERROR_NONE;
    assert_false(weir_mmu_config_check(&config, &error));
    assert_non_null(strstr(error.text, "policy fab: a flow table of 100 entries"));
}

static void mmu_change__keeps_the_table(void **unused)
{
    struct fixture f;
    struct weir_values values;
    (void)unused;
    fixture_config(&f, 2, 1, 1000);
    f.config.gives = WEIR_GIVES_FLOWS;
    fixture_build(&f, "fab", "entries=16");
    assert_true(weir_mmu_sees_flows(f.mmu));
    fixture_send(&f, 0, 0, 100, 0);
    fixture_values(&values, f.config.egress, "entries=32");
    assert_null(weir_mmu_change(f.mmu, false, &values, 0));
    fixture_values(&values, f.config.egress, "entries=16:alpha=2");
    assert_non_null(weir_mmu_change(f.mmu, false, &values, 0));
    assert_int_equal(weir_mmu_flow_counters(f.mmu).begun, 1);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_table_count__adds_up_the_bytes_of_a_flow),
        cmocka_unit_test(flow_table_count__a_full_set_gives_way),
        cmocka_unit_test(flow_table_count__flows_that_look_alike_are_one),
        cmocka_unit_test(flow_table_count__periods),
        cmocka_unit_test(flow_shape_check__says_what_cannot_be_built),
        cmocka_unit_test(mmu_config_check__refuses_what_the_host_cannot_give),
        cmocka_unit_test(mmu_change__keeps_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
