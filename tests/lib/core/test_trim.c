/* test_trim.c - packet trimming: what leaves a copy, how it is counted, what a config may not say, and how traces have
 * it. The random worlds of tests/swarm/ compare it with the naive model. */
#include "tests/support/traces.h"

#include "tests/support/error_line.h"
#include "weir/counters.h"

#define DATA 0u
#define COPIES 1u

static void trim_config(struct weir_mmu_config *config)
{
    weir_mmu_config_init(config, 2, 2, 4000);
    config->egress = weir_policy_find("cs");
    config->scheduler.kind = WEIR_SCHED_STRICT;
    config->trim[DATA] =
        (struct weir_trim){.bytes = 64, .to = {COPIES}, .causes = 1u << WEIR_CAUSE_REFUSED | 1u << WEIR_CAUSE_PUSHOUT};
}

static struct weir_mmu *trim_build(const struct weir_mmu_config *config)
{
    struct weir_error error;
    if (!weir_mmu_config_check(config, &error))
        fail_msg("%s", ERROR_LINE(&error));
    void *memory = aligned_alloc(64, (weir_mmu_size(config) + 63) / 64 * 64);
    assert_non_null(memory);
    return weir_mmu_init(memory, config);
}

static struct weir_packet trim_packet(uint32_t port, uint32_t bytes)
{
    return (struct weir_packet){
        .handle = bytes, .output = {port}, .tc = {DATA}, .bytes = bytes, .flags = WEIR_FLAG_ECN};
}

static void trim__copy_is_cut_and_counted_at_its_packets_queue(void **unused)
{
    struct weir_mmu_config config;
    (void)unused;
    trim_config(&config);
    struct weir_mmu *mmu = trim_build(&config);
    struct weir_packet packet = trim_packet(0, 1500), copy;
    assert_true(weir_mmu_has_trims(mmu));
    assert_true(weir_mmu_arrive(mmu, &packet, 1)->accepted);
    assert_true(weir_mmu_arrive(mmu, &packet, 1)->accepted);
    assert_false(weir_mmu_arrive(mmu, &packet, 1)->accepted); /* 1000 B are free */
    assert_true(weir_mmu_trims(mmu, &packet, WEIR_CAUSE_REFUSED, &copy));
    assert_int_equal(copy.bytes, 64);
    assert_int_equal(copy.tc.i, COPIES);
    assert_int_equal(copy.flags, WEIR_FLAG_ECN);
    assert_true(weir_mmu_arrive(mmu, &copy, 1)->accepted);
    struct weir_account_counters data = weir_mmu_account_counters(mmu, (weir_account){0});
    assert_int_equal(data.dropped_packets, 1);
    assert_int_equal(data.trim_packets, 1);
    assert_int_equal(data.tx_trim_packets + data.dropped_trim_packets, 0);
    const struct weir_effects *fx = weir_mmu_depart(mmu, (weir_port){0}, 2);
    assert_int_equal(fx->bytes, 64); /* its class is served first */
    data = weir_mmu_account_counters(mmu, (weir_account){0});
    assert_int_equal(data.tx_trim_packets, 1);
    assert_int_equal(weir_mmu_account_counters(mmu, (weir_account){2}).trim_packets, 0);
    assert_null(weir_mmu_check(mmu));
    free(mmu);
}

static void trim__refused_and_flushed_copies_are_dropped_trims(void **unused)
{
    struct weir_mmu_config config;
    (void)unused;
    trim_config(&config);
    config.packets_max = 2;
    struct weir_mmu *mmu = trim_build(&config);
    struct weir_packet packet = trim_packet(1, 1500), copy;
    assert_true(weir_mmu_arrive(mmu, &packet, 1)->accepted);
    for (uint32_t i = 0; i < 2; i++) {
        packet.bytes = 3000;
        assert_false(weir_mmu_arrive(mmu, &packet, 1)->accepted);
        assert_true(weir_mmu_trims(mmu, &packet, WEIR_CAUSE_REFUSED, &copy));
        assert_int_equal(weir_mmu_arrive(mmu, &copy, 1)->accepted, i == 0); /* then descriptors are short */
    }
    const struct weir_effects *fx = weir_mmu_flush(mmu, (weir_port){1}, 2);
    assert_int_equal(fx->lost_count, 2);
    assert_int_equal(fx->lost[1].trimmed_from, DATA + 1);
    struct weir_account_counters data = weir_mmu_account_counters(mmu, (weir_account){1});
    assert_int_equal(data.trim_packets, 2);
    assert_int_equal(data.dropped_trim_packets, 2);
    free(mmu);
}

static void trim__who_leaves_a_copy(void **unused)
{
    static const struct {
        uint32_t tc, bytes, trimmed_from;
        enum weir_cause cause;
        uint32_t left; /* bytes; 0: none */
    } cases[] = {
        {DATA, 1500, 0, WEIR_CAUSE_REFUSED, 64},     {DATA, 1500, 0, WEIR_CAUSE_PUSHOUT, 64},
        {DATA, 1500, 0, WEIR_CAUSE_EXPELLED, 0}, /* not configured */
        {DATA, 1500, 0, WEIR_CAUSE_FLUSHED, 0},      {DATA, 64, 0, WEIR_CAUSE_REFUSED, 64},
        {DATA, 40, 0, WEIR_CAUSE_REFUSED, 40}, /* sent whole */
        {COPIES, 1500, 0, WEIR_CAUSE_REFUSED, 0},    {COPIES, 64, DATA + 1, WEIR_CAUSE_REFUSED, 0},
        {DATA, 64, DATA + 1, WEIR_CAUSE_REFUSED, 0},
    };
    struct weir_mmu_config config;
    (void)unused;
    trim_config(&config);
    config.trim[DATA].ecn = WEIR_TRIM_ECN_CLEAR;
    struct weir_mmu *mmu = trim_build(&config);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_packet packet = trim_packet(0, cases[i].bytes), copy = {.bytes = 0};
        packet.tc.i = cases[i].tc;
        packet.trimmed_from = cases[i].trimmed_from;
        bool left = weir_mmu_trims(mmu, &packet, cases[i].cause, &copy);
        assert_int_equal(left, cases[i].left > 0);
        assert_int_equal(copy.bytes, cases[i].left);
        assert_int_equal(copy.flags, 0);
        packet.flags |= WEIR_FLAG_WHOLE;
        assert_false(weir_mmu_trims(mmu, &packet, cases[i].cause, &copy));
    }
    free(mmu);
}

static void trim__bad_configs_are_refused(void **unused)
{
    struct weir_mmu_config config;
    struct weir_error error;
    const struct {
        struct weir_trim of[2];
        uint32_t lossless;
        const char *says;
    } cases[] = {
        {{{64, {2}, 1, 0, false, 0}}, 0, "which there is not"},
        {{{64, {0}, 1, 0, false, 0}}, 0, "to itself"},
        {{{64, {1}, 1, 0, false, 0}, {64, {0}, 1, 0, false, 0}}, 0, "which is trimmed too"},
        {{{64, {1}, 1, 0, false, 0}}, 1, "is lossless"},
        {{{64, {1}, 1, 0, false, 0}}, 2, "which is lossless"},
        {{{64, {1}, 0, 0, false, 0}}, 0, "names no loss"},
        {{{64, {1}, 1u << WEIR_CAUSE_FLUSHED, 0, false, 0}}, 0, "names no loss"},
        {{{WEIR_PACKET_BYTES_MAX + 1, {1}, 1, 0, false, 0}}, 0, "more than 1 MiB"},
        {{{64, {1}, 1, WEIR_TRIM_ECN_COUNT, false, 0}}, 0, "kind of ECN"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trim_config(&config);
        memcpy(config.trim, cases[i].of, sizeof cases[i].of);
        config.lossless_mask = cases[i].lossless;
        config.ingress = cases[i].lossless ? weir_policy_find("sih") : NULL;
        assert_false(weir_mmu_config_check(&config, &error));
        if (!strstr(ERROR_LINE(&error), cases[i].says))
            fail_msg("'%s' where '%s' was expected", ERROR_LINE(&error), cases[i].says);
    }
}

static void trim__traces_have_copies_and_only_then_version_3(void **unused)
{
    struct weir_mmu_config config;
    struct weir_error error;
    static struct weir_trace_reader reader;
    static struct weir_record record;
    (void)unused;
    for (uint32_t trims = 0; trims < 2; trims++) {
        trim_config(&config);
        config.trim[DATA].skips_ingress = true;
        config.trim[DATA].newest = 1;
        config.trim[DATA].causes = WEIR_TRIM_CAUSES;
        if (!trims)
            memset(config.trim, 0, sizeof config.trim);
        struct weir_mmu *mmu = trim_build(&config);
        struct traces_sink *sink = traces_begin(&config);
        weir_mmu_set_trace(mmu, &sink->trace);
        struct weir_packet packet = trim_packet(0, 3000), copy;
        weir_mmu_arrive(mmu, &packet, 1);
        weir_mmu_arrive(mmu, &packet, 2);
        assert_int_equal(weir_mmu_trims(mmu, &packet, WEIR_CAUSE_REFUSED, &copy), trims);
        if (trims)
            weir_mmu_arrive(mmu, &copy, 2);
        packet.flags |= WEIR_FLAG_WHOLE;
        weir_mmu_arrive(mmu, &packet, 3);
        assert_true(weir_trace_end(&sink->trace, mmu));
        assert_int_equal(sink->bytes[8], trims ? 3 : 2);
        assert_true(weir_trace_open(&reader, sink->bytes, sink->size, NULL, &error));
        assert_memory_equal(reader.config.trim, config.trim, 2 * sizeof config.trim[0]);
        for (uint32_t i = 0; i < 3 + trims; i++) {
            bool is_copy = trims && i == 2, is_whole = trims && i == 3;
            assert_int_equal(weir_trace_next(&reader, &record, &error), WEIR_TRACE_RECORD);
            assert_int_equal(record.kind, WEIR_REC_ARRIVE);
            assert_int_equal(record.packet.trimmed_from, is_copy ? DATA + 1 : 0);
            assert_int_equal(record.packet.flags, WEIR_FLAG_ECN | (is_whole ? WEIR_FLAG_WHOLE : 0u));
            assert_int_equal(record.packet.bytes, is_copy ? 64 : 3000);
        }
        traces_free(sink);
        free(mmu);
    }
}

static void trim__newest_packet_makes_room_for_a_refused_one(void **unused)
{
    struct weir_mmu_config config;
    uint32_t displaced = 0;
    (void)unused;
    for (uint32_t seed = 0; seed < 200; seed++) {
        trim_config(&config);
        config.seed = seed;
        config.trim[DATA].causes |= 1u << WEIR_CAUSE_PUSHOUT;
        config.trim[DATA].newest = WEIR_TRIM_CHANCES / 4;
        struct weir_mmu *mmu = trim_build(&config);
        struct weir_packet old = trim_packet(0, 1500), newest = trim_packet(0, 1400), packet = trim_packet(0, 1399),
                           copy;
        assert_true(weir_mmu_arrive(mmu, &old, 1)->accepted);
        assert_true(weir_mmu_arrive(mmu, &newest, 1)->accepted);
        const struct weir_effects *fx = weir_mmu_arrive(mmu, &packet, 1);
        displaced += fx->accepted;
        assert_int_equal(fx->lost_count, fx->accepted);
        if (fx->accepted) {
            assert_int_equal(fx->lost[0].handle, 1400);
            assert_int_equal(fx->lost[0].cause, WEIR_CAUSE_PUSHOUT);
            assert_true(weir_mmu_trims(mmu, &newest, WEIR_CAUSE_PUSHOUT, &copy));
            assert_int_equal(copy.bytes, 64);
            packet = trim_packet(0, 1400); /* larger than what is newest now */
            assert_false(weir_mmu_arrive(mmu, &packet, 1)->accepted);
        }
        free(mmu);
    }
    assert_in_range(displaced, 200 / 4 - 25, 200 / 4 + 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trim__copy_is_cut_and_counted_at_its_packets_queue),
        cmocka_unit_test(trim__refused_and_flushed_copies_are_dropped_trims),
        cmocka_unit_test(trim__who_leaves_a_copy),
        cmocka_unit_test(trim__bad_configs_are_refused),
        cmocka_unit_test(trim__newest_packet_makes_room_for_a_refused_one),
        cmocka_unit_test(trim__traces_have_copies_and_only_then_version_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
