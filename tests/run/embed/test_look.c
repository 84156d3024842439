/*
 * test_look.c - what an embedded simulation tells: the numbers that `weir run` stores, flows, whole series.
 */
#include <math.h>

#include "tests/support/embedded.h"

static struct weir_sim *ended(const char *text)
{
    struct weir_sim *sim = embedded(text);
    assert_int_equal(weir_sim_step(sim, WEIR_NEVER, NULL), WEIR_SIM_DONE);
    return sim;
}

static void weir_sim_value_at__as_stored(void **state)
{
    struct run whole = {.sim = NULL};
    struct weir_sim *sim = ended(INCAST);
    struct weir_sim_value value;
    struct weir_error error;
    double again;
    (void)state;
    run(&whole, INCAST);
    for (uint32_t i = 0; i < whole.measures.value_count; i++) {
        assert_true(weir_sim_value_at(sim, i, &value, &error));
        assert_string_equal(value.name, whole.measures.values[i].name);
        assert_string_equal(value.unit, whole.measures.values[i].unit);
        assert_true(value.value == whole.measures.values[i].value);
        assert_true(weir_sim_measure(sim, value.name, &again, &error));
        assert_true(again == value.value);
    }
    assert_false(weir_sim_value_at(sim, whole.measures.value_count, &value, &error));
    assert_int_equal(error.code, WEIR_ERROR_NONE);
    for (uint32_t i = 0; i < whole.measures.curve_count; i++) {
        const struct measure_curve *stored = &whole.measures.curves[i];
        struct weir_sim_curve curve;
        assert_true(weir_sim_curve_at(sim, i, &curve, &error));
        assert_string_equal(curve.name, stored->name);
        assert_int_equal(curve.count, stored->count);
        assert_memory_equal(curve.points, stored->points, 2 * stored->count * sizeof(double));
    }
    done(&whole);
    weir_sim_free(sim);
}

static void weir_sim_measure__names(void **state)
{
    struct weir_sim *sim = ended(INCAST);
    struct weir_error error;
    double value;
    (void)state;
    assert_true(weir_sim_measure(sim, "burst.qct.p99", &value, &error));
    assert_true(value > 3.2e-4 && value < 4e-3);
    assert_true(weir_sim_measure(sim, "burst.delay.mean", &value, &error)); /* of udp: known, and not here */
    assert_true(isnan(value));
    assert_false(weir_sim_measure(sim, "burst.qtc.p99", &value, &error));
    assert_int_equal(error.code, WEIR_ERROR_UNKNOWN);
    assert_string_equal(error.name, "burst.qtc.p99");
    assert_string_equal(error.text,
                        "no run of this scenario has a measure 'burst.qtc.p99' (did you mean 'burst.qct.p99'?)");
    weir_sim_free(sim);
}

/* Half-way: one of two rounds is over. */
static void weir_sim_measure__so_far(void **state)
{
    struct weir_sim *sim = embedded(INCAST);
    double flows[3];
    (void)state;
    assert_true(weir_sim_measure(sim, "burst.flows", &flows[0], NULL));
    weir_sim_step(sim, 3900 * WEIR_PS_PER_US, NULL);
    assert_true(weir_sim_measure(sim, "burst.flows", &flows[1], NULL));
    weir_sim_step(sim, WEIR_NEVER, NULL);
    assert_true(weir_sim_measure(sim, "burst.flows", &flows[2], NULL));
    assert_true(isnan(flows[0]) && flows[1] == 8 && flows[2] == 16);
    weir_sim_free(sim);
}

static void weir_sim_flows__in_pieces(void **state)
{
    struct weir_sim *sim = ended(INCAST);
    struct weir_sim_flow flows[5];
    uint32_t first = 0, count;
    (void)state;
    while ((count = weir_sim_flows(sim, first, flows, 5)) > 0) {
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(flows[i].id, first + i + 1);
            assert_string_equal(weir_sim_tag(sim, flows[i].tag), "burst");
            assert_int_equal(flows[i].destination, 0);
            assert_int_equal(flows[i].bytes, 50000);
            assert_int_equal(flows[i].delivered_bytes, 50000);
            assert_true(flows[i].ideal_ps > 0 && flows[i].finish_ps > flows[i].start_ps + flows[i].ideal_ps);
        }
        first += count;
    }
    assert_int_equal(first, 16);
    assert_null(weir_sim_tag(sim, 1));
    weir_sim_free(sim);
}

static void weir_sim_points__whole_series(void **state)
{
    struct weir_sim *sim = ended(INCAST);
    struct weir_sim_point points[64];
    uint32_t first = 0, count;
    int64_t highest = 0;
    double max;
    (void)state;
    while ((count = weir_sim_points(sim, 0, first, points, 64)) > 0) {
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(points[i].when, (first + i) * WEIR_PS_PER_US);
            assert_true(points[i].queue_bytes <= points[i].used_bytes && points[i].used_bytes <= 100000);
            highest = points[i].queue_bytes > highest ? points[i].queue_bytes : highest;
        }
        first += count;
    }
    assert_int_equal(first, 8000);
    assert_true(weir_sim_measure(sim, "probe.s0-h0.queue.max", &max, NULL));
    assert_true(max == (double)highest);
    assert_string_equal(weir_sim_probe(sim, 0, NULL), "s0-h0");
    assert_null(weir_sim_probe(sim, 1, NULL));
    assert_int_equal(weir_sim_points(sim, 1, 0, points, 64), 0);
    weir_sim_free(sim);
}

static void weir_sim_warning__in_order(void **state)
{
    struct weir_sim *sim = embedded(INCAST);
    (void)state;
    assert_null(weir_sim_warning(sim, 0));
    assert_int_equal(strlen(weir_sim_id(sim)), 16);
    weir_sim_free(sim);
}

/* Each probe has as many points as it says; one that is full beside one that is not is no lack of memory. */
static void weir_sim_value_at__of_probes_that_are_full(void **state)
{
    static const char *const sets[] = {
        "measure={probes: [{at: s0, to: h0, interval: 1us}, {at: s0, to: h0, interval: 1us, points: 5}]}",
        "measure={probes: [{at: s0, to: h0, interval: 1us, points: 5}, {at: s0, to: h0, interval: 1us}]}"};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        const struct weir_sim_source source = {.size = sizeof source, .text = INCAST, .set = &sets[i], .set_count = 1};
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct weir_sim *sim = weir_sim_create(&source, &error);
        struct weir_sim_point points[10];
        struct weir_sim_value value;
        assert_non_null(sim);
        assert_int_equal(weir_sim_step(sim, WEIR_NEVER, &error), WEIR_SIM_DONE);
        assert_true(weir_sim_value_at(sim, 0, &value, &error));
        assert_int_equal(weir_sim_points(sim, i == 0, 0, points, 10), 5);
        assert_int_equal(weir_sim_points(sim, i == 1, 0, points, 10), 10);
        weir_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_sim_value_at__of_probes_that_are_full),
        cmocka_unit_test(weir_sim_value_at__as_stored),
        cmocka_unit_test(weir_sim_measure__names),
        cmocka_unit_test(weir_sim_measure__so_far),
        cmocka_unit_test(weir_sim_flows__in_pieces),
        cmocka_unit_test(weir_sim_points__whole_series),
        cmocka_unit_test(weir_sim_warning__in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
