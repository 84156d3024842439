/*
 * test_digest.c - a digest changes with every single value, with their order and number, and with nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sim/digest.h"

static uint64_t digest_of(const uint64_t *values, uint32_t count)
{
    struct digest digest;
    digest_init(&digest);
    for (uint32_t i = 0; i < count; i++)
        digest_u64(&digest, values[i]);
    return digest_value(&digest);
}

static void u64__order_and_number_matter(void **state)
{
    const uint64_t values[] = {0, 0, 1, 2};
    (void)state;
    assert_true(digest_of(values, 4) == digest_of(values, 4));
    assert_true(digest_of(values, 0) != digest_of(values, 1));
    assert_true(digest_of(values, 1) != digest_of(values, 2));
    assert_true(digest_of(values + 1, 2) != digest_of((uint64_t[]){1, 0}, 2));
}

/* One changed bit changes about half of the bits of the digest. */
static void u64__is_well_mixed(void **state)
{
    (void)state;
    for (uint32_t bit = 0; bit < 64; bit++) {
        uint64_t values[] = {3, 14, 15, 92};
        uint64_t before = digest_of(values, 4);
        values[1] ^= UINT64_C(1) << bit;
        assert_in_range(__builtin_popcountll(before ^ digest_of(values, 4)), 12, 52);
    }
}

static uint64_t digest_of_records(const struct records *records)
{
    struct digest digest;
    digest_init(&digest);
    digest_records(&digest, records);
    return digest_value(&digest);
}

/* Every byte of a record that is a value; the holes of padding and `lost` are not. */
static void records__every_field_matters(void **state)
{
    struct flow_record at[2];
    struct records records = {.at = at, .count = 2};
    uint32_t silent = 0;
    (void)state;
    memset(at, 0, sizeof at);
    uint64_t before = digest_of_records(&records);
    for (size_t i = 0; i < sizeof at[0]; i++) {
        ((uint8_t *)&at[1])[i] ^= 0x11;
        silent += digest_of_records(&records) == before;
        ((uint8_t *)&at[1])[i] ^= 0x11;
    }
    size_t fields = 8 * sizeof(uint32_t) + 9 * sizeof(uint64_t) + 2 * sizeof(double);
    assert_int_equal(silent, sizeof at[0] - fields);
    records.count = 1;
    assert_true(digest_of_records(&records) != before);
}

/* A switch of two queues and one memory, a series of two points, one tag with two bins and listed packets. */
struct observed {
    struct measure_losses queue[2];
    uint64_t marked[2];
    struct measure_memory memory;
    struct series_point points[2];
    int64_t bins[2];
    struct measure_packets listed;
};

static uint64_t digest_of_observed(struct observed *o, const struct measure *totals)
{
    struct measure_switch sw = {
        .ports = 2, .classes = 1, .mmus = 1, .queue = o->queue, .marked = o->marked, .memory = &o->memory};
    struct series series = {.points = o->points, .count = 2, .room = 2};
    int64_t *goodput = o->bins;
    struct measure m = *totals;
    struct digest digest;
    m.sw = &sw;
    m.switches = 1;
    m.probe = &series;
    m.probe_count = 1;
    m.goodput = &goodput;
    m.listed = &o->listed;
    m.tag_count = 1;
    m.goodput_bins = 2;
    digest_init(&digest);
    digest_measure(&digest, &m);
    return digest_value(&digest);
}

static void measure__every_count_matters(void **state)
{
    static struct observed o;
    struct measure totals = {0};
    (void)state;
    memset(&o, 0, sizeof o);
    uint64_t before = digest_of_observed(&o, &totals);
    for (size_t i = 0; i < sizeof o / sizeof(uint64_t); i++) {
        uint64_t value, changed;
        uint8_t *at = (uint8_t *)&o + i * sizeof value;
        memcpy(&value, at, sizeof value);
        changed = value + 1;
        memcpy(at, &changed, sizeof value);
        if (digest_of_observed(&o, &totals) == before)
            fail_msg("value %zu of %zu does not matter", i, sizeof o / sizeof(uint64_t));
        memcpy(at, &value, sizeof value);
    }
    uint64_t *sums[] = {&totals.made, &totals.delivered, &totals.strays};
    for (uint32_t i = 0; i < 3; i++) {
        *sums[i] = 1;
        assert_true(digest_of_observed(&o, &totals) != before);
        *sums[i] = 0;
    }
    assert_true(digest_of_observed(&o, &totals) == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u64__order_and_number_matter),
        cmocka_unit_test(u64__is_well_mixed),
        cmocka_unit_test(records__every_field_matters),
        cmocka_unit_test(measure__every_count_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
