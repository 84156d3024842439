/*
 * test_formula.c - SONiC's headroom formula against numbers that its authors published: sonic-swss pull request 3235
 * (run of the script: MTU 9100, lossless MTU 1024, 50 % small packets) and sonic-mgmt pull request 26696 (the same with
 * the compensation of 4757).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "operate/model/formula.h"

struct published {
    int64_t cell, tile_ns, speed_mbps;
    double cable_m;
    uint32_t lanes;
    enum sonic_formula formula;
    int64_t xon, xoff, size;
};

static struct formula_result compute(const struct published *row, bool is_shared)
{
    struct platform platform;
    struct formula_link link = {.speed_mbps = row->speed_mbps,
                                .cable_m = row->cable_m,
                                .port_mtu = 9100,
                                .lossless_mtu = 1024,
                                .small_percent = 50,
                                .lanes = row->lanes,
                                .is_shared = is_shared};
    platform_init(&platform);
    platform.cell = row->cell;
    platform.pipeline_latency = INT64_C(19000000000);
    platform.mac_phy_delay = INT64_C(800000000);
    platform.tile_delay = row->tile_ns;
    return formula_headroom(&platform, &link, row->formula);
}

static void formula__agrees_with_published_runs(void **state)
{
    (void)state;
    static const struct published rows[] = {
        {144, SONIC_ABSENT, 400000, 300, 8, FORMULA_2024, 38912, 272384, 320512},
        {144, SONIC_ABSENT, 100000, 40, 4, FORMULA_2024, 19456, 51200, 70656},
        {192, 120, 800000, 300, 8, FORMULA_2024, 38912, 474112, 522240},
        {192, 120, 200000, 40, 4, FORMULA_2024, 19456, 65536, 84992},
        {192, 120, 800000, 15, 8, FORMULA_2024, 38912, 118784, 166912},
        {192, 120, 800000, 15, 8, FORMULA_2026, 38912, 120832, 168960},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct formula_result result = compute(&rows[i], false);
        assert_int_equal(result.xon, rows[i].xon);
        assert_int_equal(result.xoff, rows[i].xoff);
        assert_int_equal(result.size, rows[i].size);
    }
}

/* Before November 2021 a peer took 3.8 KiB at every speed, and 400 Gb/s had two pipelines whatever its lanes. By hand:
 * 9100 + 4932.1 + 819.2 + 3891.2 B on the wire and 1.625 of them in cells, and 1024 B: 31480.6; quanta are 25216 B. */
static void formula__counts_quanta_since_2021(void **state)
{
    (void)state;
    static const struct {
        int64_t speed_mbps;
        uint32_t lanes;
        enum sonic_formula formula;
        int64_t xon, xoff;
    } rows[] = {{100000, 4, FORMULA_2020, 19456, 31744},
                {100000, 4, FORMULA_2021, 19456, 66560},
                {400000, 4, FORMULA_2020, 37888, 56320},
                {400000, 4, FORMULA_2021, 19456, 143360},
                {400000, 8, FORMULA_2021, 37888, 143360}};
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct platform platform;
        struct formula_link link = {.speed_mbps = rows[i].speed_mbps,
                                    .cable_m = 40,
                                    .port_mtu = 9100,
                                    .lossless_mtu = 1024,
                                    .small_percent = 50,
                                    .lanes = rows[i].lanes};
        platform_init(&platform);
        platform.cell = 144;
        platform.pipeline_latency = INT64_C(19000000000);
        platform.mac_phy_delay = INT64_C(800000000);
        platform.peer_response_time = INT64_C(3800000000);
        struct formula_result result = formula_headroom(&platform, &link, rows[i].formula);
        assert_int_equal(result.xon, rows[i].xon);
        assert_int_equal(result.xoff, rows[i].xoff);
    }
}

/* With a shared headroom pool a group owns xon only, and there is no compensation. */
static void formula__shares_headroom(void **state)
{
    (void)state;
    static const struct published row = {192, 120, 800000, 15, 8, FORMULA_2026, 0, 0, 0};
    struct formula_result result = compute(&row, true);
    assert_int_equal(result.size, 38912);
    assert_int_equal(result.xoff, 118784);
    assert_int_equal(result.compensation, 0);
}

/* A platform that needs more has it in xoff: sonic-swss pull request 4797, 18 KiB. */
static void formula__adds_what_the_platform_needs(void **state)
{
    (void)state;
    struct platform platform;
    struct formula_link link = {
        .speed_mbps = 100000, .cable_m = 5, .port_mtu = 9100, .lossless_mtu = 1024, .small_percent = 100, .lanes = 4};
    platform_init(&platform);
    platform.cell = 256;
    int64_t without = formula_headroom(&platform, &link, FORMULA_2026).xoff;
    platform.extra_xoff = 18432;
    assert_int_equal(formula_headroom(&platform, &link, FORMULA_2026).xoff, without + 18432);
    assert_int_equal(formula_headroom(&platform, &link, FORMULA_2024).xoff, without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formula__agrees_with_published_runs),
        cmocka_unit_test(formula__counts_quanta_since_2021),
        cmocka_unit_test(formula__shares_headroom),
        cmocka_unit_test(formula__adds_what_the_platform_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
