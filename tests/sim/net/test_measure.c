/*
 * test_measure.c - the memory of measurement has the shape of the network, and series end where they are told to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "sim/net/measure.h"
#include "sim/transport/transport.h"

/* Leaves with 2 classes, spines with 3, and what else there is to observe. */
static void init__has_the_shape_of_the_network(void **state)
{
    const struct topology_leaf_spine shape = {2, 1, 3, 1, 1000000000, 1000000000, 0, 0};
    const uint32_t ports[] = {4, 4, 2}, mmus[] = {2, 2, 1};
    const char *const tags[] = {"a", "b"};
    struct topology t;
    struct sim_config config;
    struct measure m;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(topology_leaf_spine(&t, &shape, &error));
    sim_config_init(&config);
    config.topology = &t;
    config.tier_count = 2;
    config.tiers[1] = config.tiers[0];
    config.tiers[0].mmu.classes = 2;
    config.tiers[1].mmu.classes = 3;
    config.probe_count = 5;
    config.tag_names = tags;
    config.tag_count = 2;
    config.until_ps = 100;
    config.goodput_interval_ps = 30;
    assert_true(measure_init(&m, &config, ports, mmus, false));
    assert_int_equal(m.switches, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(m.sw[i].ports, ports[i]);
        assert_int_equal(m.sw[i].mmus, mmus[i]);
        assert_int_equal(m.sw[i].classes, i < 2 ? 2 : 3);
        assert_true(m.sw[i].marked[ports[i] * m.sw[i].classes - 1] == 0);
        assert_true(m.sw[i].queue[ports[i] * m.sw[i].classes - 1].lost[WEIR_CAUSE_COUNT - 1] == 0);
        assert_true(m.sw[i].memory[mmus[i] - 1].bandwidth_at_loss[MEASURE_BINS - 1] == 0);
    }
    assert_int_equal(m.probe_count, 5);
    assert_int_equal(m.tag_count, 2);
    assert_int_equal(m.goodput_bins, 4); /* payload that arrives at 99 belongs to the fourth */
    assert_true(m.goodput[1][3] == 0);
    measure_free(&m);
    assert_null(m.sw);
    topology_free(&t);
}

static void init__without_goodput(void **state)
{
    const struct topology_single shape = {2, NULL, 1000000000, 0};
    const uint32_t one = 1, two = 2;
    struct topology t;
    struct sim_config config;
    struct measure m;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(topology_single(&t, &shape, &error));
    sim_config_init(&config);
    config.topology = &t;
    config.tag_count = 2;
    assert_true(measure_init(&m, &config, &two, &one, false));
    assert_null(m.goodput);
    measure_free(&m);
    topology_free(&t);
}

static void series_add__stops_at_the_limit(void **state)
{
    const uint32_t limits[] = {1, 255, 256, 257, 1000};
    (void)state;
    for (uint32_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        struct series series = {0};
        for (uint32_t i = 0; i < limits[k]; i++)
            series_add(&series, &(struct series_point){.when = i, .used_cells = 3 * i}, limits[k]);
        assert_int_equal(series.count, limits[k]);
        assert_false(series.full);
        series_add(&series, &(struct series_point){.when = 5000}, limits[k]);
        assert_int_equal(series.count, limits[k]);
        assert_true(series.full);
        for (uint32_t i = 0; i < series.count; i++) {
            assert_int_equal(series.points[i].when, i);
            assert_int_equal(series.points[i].used_cells, 3 * i);
        }
        struct measure m = {.probe = calloc(1, sizeof series), .probe_count = 1};
        m.probe[0] = series;
        measure_free(&m);
    }
}

static void bin__rounds_down(void **state)
{
    (void)state;
    assert_int_equal(measure_bin(0), 0);
    assert_int_equal(measure_bin(0.0009), 0);
    assert_int_equal(measure_bin(0.25), 250);
    assert_int_equal(measure_bin(0.9999), 999);
    assert_int_equal(measure_bin(1), 1000);
    assert_int_equal(measure_bin(1.5), 1000);
}

/* Bins join without gaps, none is wider than 1/64 of its delays, and its middle stands for them to 1 %. */
static void delay_bin__is_narrow(void **state)
{
    (void)state;
    assert_int_equal(measure_delay_bin(0), 0);
    assert_int_equal(measure_delay_bin(127), 127);
    assert_int_equal(measure_delay_bin(128), 128);
    assert_int_equal(measure_delay_bin(129), 128);
    assert_int_equal(measure_delay_bin(INT64_MAX), MEASURE_DELAY_BINS - 1);
    for (uint32_t bit = 7; bit < 63; bit++) {
        weir_ps power = (weir_ps)1 << bit;
        assert_int_equal(measure_delay_bin(power), measure_delay_bin(power - 1) + 1);
        assert_int_equal(measure_delay_bin(power + power / 64), measure_delay_bin(power) + 1);
    }
    for (weir_ps delay = 1; delay < INT64_MAX / 3; delay += 1 + delay / 7) {
        double middle = measure_delay_of_bin(measure_delay_bin(delay)), error = middle / (double)delay - 1;
        if (error < -0.01 || error > 0.01)
            fail_msg("%lld stands in a bin of %f", (long long)delay, middle);
    }
}

/* In a window switches run one after the other: a later one may lose a packet earlier. */
static void tag__keeps_the_first_loss(void **state)
{
    struct measure_tag tag = {.first_loss_ps = WEIR_NEVER};
    (void)state;
    measure_loss(&tag, 30);
    measure_loss(&tag, 20);
    measure_loss(&tag, 40);
    assert_int_equal(tag.lost, 3);
    assert_int_equal(tag.first_loss_ps, 20);
}

/* Delays are of transports without feedback; the flows of a list have tags of their own. */
static void init__delays_where_they_are_taken(void **state)
{
    const struct topology_single shape = {2, NULL, 1000000000, 0};
    const uint32_t one = 1, two = 2;
    const char *const tags[] = {"tcp", "udp", "list", "unused"};
    const struct listed_flow flow = {.destination = 1, .bytes = 1, .tag = 2};
    struct sim_transport transports[2];
    const struct traffic_settings traffic[] = {
        {.kind = TRAFFIC_LONG, .transport = 0, .tag = 0},
        {.kind = TRAFFIC_LONG, .transport = 1, .tag = 1},
        {.kind = TRAFFIC_LIST, .transport = 1, .tag = 1, .flows = &flow, .listed = 1},
    };
    struct topology t;
    struct sim_config config;
    struct measure m;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(topology_single(&t, &shape, &error));
    sim_transport_init(&transports[0], &transport_newreno);
    sim_transport_init(&transports[1], &transport_udp);
    sim_config_init(&config);
    config.topology = &t;
    config.transports = transports;
    config.transport_count = 2;
    config.traffic = traffic;
    config.traffic_count = 3;
    config.tag_names = tags;
    config.tag_count = 4;
    assert_true(measure_init(&m, &config, &two, &one, false));
    for (uint32_t tag = 0; tag < 4; tag++) {
        assert_int_equal(m.tag[tag].delays != NULL, tag == 1 || tag == 2);
        assert_true(m.tag[tag].first_loss_ps == WEIR_NEVER);
    }
    measure_free(&m);
    topology_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init__has_the_shape_of_the_network),
        cmocka_unit_test(init__without_goodput),
        cmocka_unit_test(series_add__stops_at_the_limit),
        cmocka_unit_test(bin__rounds_down),
        cmocka_unit_test(delay_bin__is_narrow),
        cmocka_unit_test(tag__keeps_the_first_loss),
        cmocka_unit_test(init__delays_where_they_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
