/*
 * test_invalid.c - ports, classes and accounts that an MMU does not have, at every entry point, in every build: the
 * call is refused and nothing has changed. Without assertions each of these calls once read or wrote beyond its tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "weir/counters.h"
#include "weir/mmu.h"
#include "weir/naive.h"
#include "weir/pfc_peer.h"
#include "weir/switch.h"

#define PORTS 3u
#define INPUTS 2u
#define CLASSES 2u
#define FAR 70000u

static const char *const policies[] = {"dt", "lqd", "occamy", "edt", "abm"};

static struct weir_mmu_config make_config(const char *policy, bool lossless)
{
    struct weir_mmu_config config;
    weir_mmu_config_init(&config, PORTS, CLASSES, 10000);
    config.egress = weir_policy_find(policy);
    config.inputs = INPUTS;
    if (lossless) {
        config.ingress = weir_policy_find("sih");
        config.lossless_mask = 1;
        config.uplink.headroom_cells = 1000;
        config.headroom_cells = weir_mmu_headroom_cells(&config);
    }
    return config;
}

static struct weir_mmu *build(const struct weir_mmu_config *config, void **memory)
{
    struct weir_error error;
    assert_true(weir_mmu_config_check(config, &error));
    *memory = aligned_alloc(64, (weir_mmu_size(config) + 63) / 64 * 64);
    assert_non_null(*memory);
    return weir_mmu_init(*memory, config);
}

static void expect_invalid(struct weir_mmu *mmu, const struct weir_effects *effects, uint64_t hash)
{
    assert_true(weir_effects_invalid(effects));
    assert_false(effects->accepted || effects->marked || effects->departed || effects->lossless);
    assert_int_equal(effects->lost_count, 0);
    assert_int_equal(effects->edge_count, 0);
    assert_true(weir_mmu_hash(mmu) == hash);
    assert_null(weir_mmu_check(mmu));
}

static void try_calls(struct weir_mmu *mmu, bool lossless)
{
    const struct weir_packet good = {.handle = 1, .output = {2}, .input = {1}, .tc = {1}, .bytes = 100};
    assert_true(weir_mmu_arrive(mmu, &good, 10)->accepted);
    uint64_t hash = weir_mmu_hash(mmu);
    static const uint32_t beyond[] = {PORTS, FAR, UINT32_MAX};
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        weir_port port = {beyond[i]};
        struct weir_packet bad = good;
        bad.output = port;
        expect_invalid(mmu, weir_mmu_arrive(mmu, &bad, 1000), hash);
        expect_invalid(mmu, weir_mmu_pass(mmu, &bad, 1000), hash);
        bad = good;
        bad.tc.i = beyond[i];
        expect_invalid(mmu, weir_mmu_arrive(mmu, &bad, 1000), hash);
        expect_invalid(mmu, weir_mmu_pass(mmu, &bad, 1000), hash);
        bad = good;
        bad.input = port;
        bad.tc.i = (uint32_t)i % CLASSES;
        if (lossless)
            expect_invalid(mmu, weir_mmu_arrive(mmu, &bad, 1000), hash);
        expect_invalid(mmu, weir_mmu_depart(mmu, port, 1000), hash);
        expect_invalid(mmu, weir_mmu_pause_received(mmu, port, 1, 5000, 1000), hash);
        expect_invalid(mmu, weir_mmu_flush(mmu, port, 1000), hash);
        expect_invalid(mmu, weir_mmu_flush_classes(mmu, port, 1, 1000), hash);
    }
    assert_true(weir_mmu_depart(mmu, (weir_port){2}, 20)->departed); /* time has not moved on */
}

static void mmu__refuses_and_does_nothing(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < 2 * sizeof policies / sizeof policies[0]; i++) {
        void *memory;
        struct weir_mmu_config config = make_config(policies[i / 2], i % 2 == 1);
        try_calls(build(&config, &memory), i % 2 == 1);
        free(memory);
    }
}

static void mmu__looks_at_nothing(void **unused)
{
    void *memory;
    struct weir_mmu_config config = make_config("dt", true);
    struct weir_mmu *mmu = build(&config, &memory);
    static const struct weir_account_counters no_account;
    static const struct weir_group_counters no_group;
    static const struct weir_pause_counters no_pause;
    weir_cells held[INPUTS] = {0};
    (void)unused;
    for (uint32_t beyond = PORTS * CLASSES; beyond != 0; beyond = beyond < FAR ? FAR : beyond == FAR ? UINT32_MAX : 0) {
        struct weir_account_counters account = weir_mmu_account_counters(mmu, (weir_account){beyond});
        struct weir_group_counters group = weir_mmu_group_counters(mmu, (weir_account){beyond});
        struct weir_pause_counters pause = weir_mmu_pause_counters(mmu, (weir_port){beyond});
        assert_memory_equal(&account, &no_account, sizeof account);
        assert_memory_equal(&group, &no_group, sizeof group);
        assert_memory_equal(&pause, &no_pause, sizeof pause);
        assert_int_equal(weir_mmu_threshold(mmu, (weir_account){beyond}), 0);
        assert_int_equal(weir_mmu_headroom_limit(mmu, (weir_port){beyond}), 0);
        weir_mmu_cells_by_input(mmu, (weir_account){beyond}, held);
    }
    assert_int_equal(held[0] + held[1], 0);
    free(memory);
}

static void switch__has_no_such_port(void **unused)
{
    struct weir_mmu_config mmu = make_config("dt", true);
    struct weir_switch_config config = {.ports = 4, .ports_per_mmu = 2, .mmu = &mmu};
    struct weir_pause_edge edge = {.port = {4}, .pause_mask = 1}, out;
    struct weir_effects effects = {.edge_count = 1, .edges = &edge};
    weir_port local;
    (void)unused;
    mmu.inputs = 0;
    mmu.headroom_cells = 4000;
    void *memory = aligned_alloc(64, (weir_switch_size(&config) + 63) / 64 * 64);
    struct weir_switch *sw = weir_switch_init(memory, &config);
    assert_null(weir_switch_mmu(sw, 2));
    assert_null(weir_switch_mmu(sw, UINT32_MAX));
    assert_null(weir_switch_port_mmu(sw, (weir_port){4}, &local));
    assert_null(weir_switch_port_mmu(sw, (weir_port){UINT32_MAX}, &local));
    assert_int_equal(weir_switch_edges(sw, &effects, &out), 0);
    free(memory);
}

static void naive__refuses_as_the_mmu(void **unused)
{
    struct weir_mmu_config config = make_config("dt", true);
    struct weir_naive *naive = weir_naive_new(&config);
    struct weir_packet packet = {.output = {PORTS}, .bytes = 100};
    bool port_level = true;
    (void)unused;
    assert_int_equal(weir_naive_arrive(naive, &packet, 0).reason, WEIR_REASON_INVALID);
    packet = (struct weir_packet){.tc = {CLASSES}, .bytes = 100};
    assert_int_equal(weir_naive_arrive(naive, &packet, 0).reason, WEIR_REASON_INVALID);
    packet = (struct weir_packet){.input = {INPUTS}, .bytes = 100};
    assert_int_equal(weir_naive_arrive(naive, &packet, 0).reason, WEIR_REASON_INVALID);
    assert_int_equal(weir_naive_flush_classes(naive, (weir_port){FAR}, 1, 0).reason, WEIR_REASON_INVALID);
    weir_naive_idle(naive, (weir_port){FAR}, 0);
    assert_int_equal(weir_naive_paused(naive, (weir_port){FAR}, &port_level), 0);
    assert_false(port_level);
    weir_naive_free(naive);
}

static void pfc_peer__held_by_no_class(void **unused)
{
    struct weir_pfc_peer peer;
    (void)unused;
    weir_pfc_peer_init(&peer, &(struct weir_pfc_settings){.rate_bps = 1000000000, .quanta = 1});
    assert_int_equal(weir_pfc_peer_held_ps(&peer, FAR, 5), 0);
}

static void reason__has_a_name(void **unused)
{
    (void)unused;
    assert_string_equal(weir_reason_name(WEIR_REASON_INVALID), "invalid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mmu__refuses_and_does_nothing), cmocka_unit_test(mmu__looks_at_nothing),
        cmocka_unit_test(switch__has_no_such_port),      cmocka_unit_test(naive__refuses_as_the_mmu),
        cmocka_unit_test(pfc_peer__held_by_no_class),    cmocka_unit_test(reason__has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
