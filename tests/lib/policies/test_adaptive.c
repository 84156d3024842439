/* test_adaptive.c - headroom by the measured delay of each link; the rest is sih's. */
#include "tests/support/error_line.h"
#include "tests/support/lossless.h"

/* 8 Gb/s: a byte per nanosecond. Equation 1 for MTU 100: 2 D + 200 + 3840 bytes. */
static const struct weir_uplink uplinks[4] = {
    {0, 0, 100, 0, 0, 0}, {0, 1000000, 100, 0, 0, 0}, {0, 1000, 1500, 0, 0, 0}, {0, 2000000, 100, 0, 0, 0}};

static void reserve__equation_of_each_link(void **unused)
{
    struct lossless l;
    (void)unused;
    lossless_config(&l, 100000, 0);
    l.f.config.uplinks = uplinks;
    lossless_build(&l, "adaptive", NULL);
    assert_int_equal(l.f.config.headroom_cells, 3 * (4040 + 6040 + 6842 + 8040));
    lossless_free(&l);
    lossless_config(&l, 100000, 0);
    l.f.config.uplinks = uplinks;
    lossless_build(&l, "adaptive", "terms=safe");
    assert_int_equal(l.f.config.headroom_cells, 3 * (4204 + 6204 + 8406 + 8204));
    lossless_free(&l);
}

static void reserve__in_cells(void **unused)
{
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000, 0);
    l.f.config.cell_bytes = 208;
    l.f.config.uplinks = uplinks;
    lossless_build(&l, "adaptive", NULL);
    assert_int_equal(l.f.config.headroom_cells, 3 * (20 + 30 + 33 + 39)); /* each rounded up */
    lossless_free(&l);
}

/* Packets of 209 to 300 bytes take two cells each, and a sender may take its time. */
static void reserve__safe_in_cells(void **unused)
{
    static const struct weir_uplink cells[4] = {
        {0, 0, 300, 209, 0, 0}, {0, 0, 300, 209, 20, 3840}, {0, 0, 300, 209, 0, 5840}, {0, 1000000, 300, 209, 0, 100}};
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000, 0);
    l.f.config.cell_bytes = 208;
    l.f.config.uplinks = cells;
    lossless_build(&l, "adaptive", "terms=safe");
    /* 4804 B, 6804 B with slow processing or a long link; 2 cells per 209 B, or per 229 B with the gap, of
     * which four more count */
    assert_int_equal(l.f.config.headroom_cells, 3 * (46 + 43 + 66 + 66));
    lossless_free(&l);
}

static void reserve__too_large_for_any_buffer(void **unused)
{
    struct weir_mmu_config config;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)unused;
    weir_mmu_config_init(&config, 65535, 32, WEIR_BUFFER_CELLS_MAX);
    config.egress = weir_policy_find("dt");
    config.ingress = weir_policy_find("adaptive");
    config.lossless_mask = UINT32_MAX;
    config.rate_bps = WEIR_RATE_BPS_MAX;
    config.uplink.delay_ps = WEIR_PS_PER_S;
    config.headroom_cells = weir_mmu_headroom_cells(&config);
    assert_true(config.headroom_cells > WEIR_BUFFER_CELLS_MAX);
    assert_false(weir_mmu_config_check(&config, &error));
    assert_string_equal(ERROR_LINE(&error), "headroom: does not fit the buffer");
    config.ingress = weir_policy_find("sih");
    config.uplink.headroom_cells = INT64_MAX / 64;
    assert_true(weir_mmu_headroom_cells(&config) > WEIR_BUFFER_CELLS_MAX);
}

static void admit__by_the_limit_of_its_link(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 3, 1000, 1, 0, 0}, /* a lossy class has the pool */
        {0, 0, 4040, HEADROOM, 1, 0}, {0, 0, 1, REFUSED, 1, 0},    {1, 0, 6040, HEADROOM, 1, 0},
        {1, 0, 1, REFUSED, 1, 0},     {3, 2, 8041, REFUSED, 0, 0}, {3, 2, 8040, HEADROOM, 4, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + 3 * (4040 + 6040 + 6842 + 8040), 0);
    l.f.config.uplinks = uplinks;
    lossless_build(&l, "adaptive", NULL);
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserve__equation_of_each_link),  cmocka_unit_test(reserve__in_cells),
        cmocka_unit_test(reserve__safe_in_cells),          cmocka_unit_test(reserve__too_large_for_any_buffer),
        cmocka_unit_test(admit__by_the_limit_of_its_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
