/*
 * test_mmu.c - the MMU's own promises, whatever the policy: each packet leaves once, memory is counted, effects tell
 * everything. Policies have their own tests.
 */
#include "tests/support/fixture.h"

static void arrive__counts_cells_and_charges_private_first(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 2, 100);
    f.config.cell_bytes = 100;
    f.config.private_cells[1] = 3;
    fixture_build(&f, "cs", NULL);
    const struct weir_view *view = weir_mmu_view(f.mmu);
    assert_int_equal(view->geometry.shared_cells, 100 - 2 * 3);

    assert_true(fixture_accepts(&f, 0, 1, 101, 5)); /* 2 cells */
    assert_int_equal(fixture_shared(&f, 0, 1), 0);
    assert_true(fixture_accepts(&f, 0, 1, 201, 5)); /* 3 cells: one private left */
    assert_int_equal(fixture_cells(&f, 0, 1), 5);
    assert_int_equal(fixture_shared(&f, 0, 1), 2);
    assert_int_equal(view->pools->used_cells, 5);
    assert_int_equal(view->port[0].cells, 5);
    assert_int_equal(view->port[0].shared_cells, 2);

    assert_int_equal(fixture_depart(&f, 0, 6), 101); /* gives shared back first */
    assert_int_equal(fixture_shared(&f, 0, 1), 0);
    assert_int_equal(fixture_cells(&f, 0, 1), 3);
    fixture_free(&f);
}

static void arrive__numbers_every_arrival(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 1, 1, 10);
    fixture_build(&f, "cs", NULL);
    assert_int_equal(fixture_send(&f, 0, 0, 10, 0)->index, 0);
    const struct weir_effects *refused = fixture_send(&f, 0, 0, 1, 0);
    assert_false(refused->accepted);
    assert_int_equal(refused->index, 1);
    const struct weir_effects *gone = weir_mmu_depart(f.mmu, (weir_port){0}, 1);
    assert_true(gone->departed);
    assert_int_equal(gone->handle, 1);
    assert_int_equal(gone->departed_index, 0);
    assert_int_equal(fixture_send(&f, 0, 0, 1, 2)->index, 2);
    fixture_free(&f);
}

static void arrive__refuses_what_cannot_be_held(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 1, 1, 100);
    f.config.packets_max = 2;
    fixture_build(&f, "cs", NULL);
    assert_int_equal(fixture_offer(&f, 0, 0, 101, 0), WEIR_REASON_TOO_LARGE);
    assert_int_equal(fixture_offer(&f, 0, 0, 99, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 0, 2, 0), WEIR_REASON_NO_ROOM);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_NO_DESCRIPTOR);
    assert_true(fixture_depart(&f, 0, 1) == 99);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 1), WEIR_REASON_NONE);
    fixture_free(&f);
}

static void depart__is_first_in_first_out_per_account(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 1, 2, 1000);
    f.config.scheduler.kind = WEIR_SCHED_STRICT;
    fixture_build(&f, "cs", NULL);
    for (uint32_t i = 0; i < 6; i++)
        fixture_fill(&f, 0, i % 2, 10 + i, 0);
    static const uint64_t expected[] = {2, 4, 6, 1, 3, 5}; /* class 1 first */
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(weir_mmu_depart(f.mmu, (weir_port){0}, 1)->handle, expected[i]);
    assert_false(weir_mmu_depart(f.mmu, (weir_port){0}, 1)->departed);
    fixture_free(&f);
}

static void depart__fifo_follows_arrival_order_over_classes(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 1, 4, 1000);
    fixture_build(&f, "cs", NULL);
    static const uint32_t tc[] = {3, 0, 2, 2, 1, 3, 0};
    for (size_t i = 0; i < 7; i++)
        fixture_fill(&f, 0, tc[i], 1, 0);
    for (uint64_t i = 1; i <= 7; i++)
        assert_int_equal(weir_mmu_depart(f.mmu, (weir_port){0}, 1)->handle, i);
    fixture_free(&f);
}

static void depart__shares_by_deficit(void **state)
{
    struct fixture f;
    uint64_t bytes[2] = {0, 0};
    (void)state;
    fixture_config(&f, 1, 2, 100000);
    f.config.scheduler = (struct weir_scheduler_config){.kind = WEIR_SCHED_DRR, .quantum_bytes = 100, .weight = {1, 3}};
    fixture_build(&f, "cs", NULL);
    for (uint32_t i = 0; i < 200; i++) {
        fixture_fill(&f, 0, 0, 150, 0);
        fixture_fill(&f, 0, 1, 70, 0);
    }
    while (bytes[0] + bytes[1] < 12000) {
        const struct weir_effects *fx = weir_mmu_depart(f.mmu, (weir_port){0}, 1);
        bytes[weir_account_class(&weir_mmu_view(f.mmu)->geometry, fx->account).i] += fx->bytes;
    }
    assert_in_range(bytes[1], 3 * bytes[0] - 600, 3 * bytes[0] + 600);
    fixture_free(&f);
}

static void depart__stamps_what_int_needs(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 1, 1000);
    f.config.rate_bps = 25000000000;
    fixture_build(&f, "cs", NULL);
    fixture_fill(&f, 1, 0, 30, 0);
    fixture_fill(&f, 1, 0, 20, 0);
    const struct weir_effects *fx = weir_mmu_depart(f.mmu, (weir_port){1}, 7);
    assert_int_equal(fx->stamp.now, 7);
    assert_int_equal(fx->stamp.queue_cells, 20);
    assert_int_equal(fx->stamp.sent_cells, 30);
    assert_int_equal(fx->stamp.rate_bps, 25000000000);
    fx = weir_mmu_depart(f.mmu, (weir_port){1}, 9);
    assert_int_equal(fx->stamp.sent_cells, 50);
    assert_true(weir_mmu_view(f.mmu)->port[1].busy);
    weir_mmu_depart(f.mmu, (weir_port){1}, 11);
    assert_false(weir_mmu_view(f.mmu)->port[1].busy);
    fixture_free(&f);
}

/* The whole port: what it sends is shared by its classes, so a queue of one class beside the bytes of all says nothing.
 */
static void depart__stamps_the_whole_port(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 2, 1000);
    f.config.scheduler.kind = WEIR_SCHED_STRICT;
    fixture_build(&f, "cs", NULL);
    fixture_fill(&f, 1, 0, 30, 0);
    fixture_fill(&f, 1, 0, 20, 0);
    fixture_fill(&f, 1, 1, 5, 0);
    fixture_fill(&f, 0, 1, 7, 0);                                                       /* another port */
    assert_int_equal(weir_mmu_depart(f.mmu, (weir_port){1}, 1)->stamp.queue_cells, 50); /* class 1, alone: 0 */
    const struct weir_effects *fx = weir_mmu_depart(f.mmu, (weir_port){1}, 2);
    assert_int_equal(fx->stamp.queue_cells, 20);
    assert_int_equal(fx->stamp.sent_cells, 35);
    fixture_free(&f);
}

static void pause_received__skips_paused_classes_until_they_expire(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 1, 3, 1000);
    f.config.scheduler.kind = WEIR_SCHED_STRICT;
    fixture_build(&f, "cs", NULL);
    for (uint32_t tc = 0; tc < 3; tc++)
        fixture_fill(&f, 0, tc, 10, 0);
    weir_mmu_pause_received(f.mmu, (weir_port){0}, 4, 100, 1);
    weir_mmu_pause_received(f.mmu, (weir_port){0}, 2, 80, 1);
    assert_int_equal(weir_mmu_depart(f.mmu, (weir_port){0}, 2)->handle, 1);
    const struct weir_effects *fx = weir_mmu_depart(f.mmu, (weir_port){0}, 3);
    assert_false(fx->departed);
    assert_int_equal(fx->blocked_until, 80);
    assert_int_equal(weir_mmu_depart(f.mmu, (weir_port){0}, 80)->handle, 2); /* the pause of class 1 is over */
    weir_mmu_pause_received(f.mmu, (weir_port){0}, 4, 0, 81);                /* and class 2 is resumed */
    assert_int_equal(weir_mmu_depart(f.mmu, (weir_port){0}, 82)->handle, 3);
    assert_int_equal(weir_mmu_depart(f.mmu, (weir_port){0}, 83)->blocked_until, WEIR_NEVER);
    fixture_free(&f);
}

static void flush__loses_the_port_in_portions(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 2, 1000);
    f.config.evictions_max = 3;
    fixture_build(&f, "cs", NULL);
    for (uint32_t i = 0; i < 4; i++)
        fixture_fill(&f, 0, i % 2, 10, 0); /* handles 1 3 in class 0, 2 4 in class 1 */
    fixture_fill(&f, 1, 0, 10, 0);
    const struct weir_effects *fx = weir_mmu_flush(f.mmu, (weir_port){0}, 1);
    assert_int_equal(fx->lost_count, 3);
    static const uint64_t handle[] = {1, 3, 2};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(fx->lost[i].handle, handle[i]);
        assert_int_equal(fx->lost[i].cause, WEIR_CAUSE_FLUSHED);
    }
    assert_int_equal(weir_mmu_flush(f.mmu, (weir_port){0}, 1)->lost_count, 1);
    assert_int_equal(weir_mmu_flush(f.mmu, (weir_port){0}, 1)->lost_count, 0);
    assert_int_equal(weir_mmu_view(f.mmu)->pools->used_cells, 10);
    fixture_free(&f);
}

static void make_room__undoes_a_plan_that_does_not_fit(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 3, 1, 100);
    f.config.evictions_max = 2;
    fixture_build(&f, "lqd", NULL);
    for (uint32_t i = 0; i < 10; i++)
        fixture_fill(&f, 0, 0, 10, 0);
    uint64_t before = weir_mmu_hash(f.mmu);
    const struct weir_effects *fx = fixture_send(&f, 1, 0, 25, 1); /* would need three packets */
    assert_false(fx->accepted);
    assert_int_equal(fx->reason, WEIR_REASON_NO_ROOM);
    assert_int_equal(fx->lost_count, 0);
    assert_true(weir_mmu_hash(f.mmu) == before);
    fx = fixture_send(&f, 1, 0, 20, 1);
    assert_true(fx->accepted);
    assert_int_equal(fx->lost_count, 2);
    assert_int_equal(fx->lost[0].handle, 1);
    assert_int_equal(fx->lost[1].handle, 2);
    fixture_free(&f);
}

static struct weir_verdict insist(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    (void)state;
    (void)view;
    (void)arrival;
    return (struct weir_verdict){WEIR_ACCEPT, WEIR_REASON_NONE, WEIR_CHARGE_SHARED};
}

static void make_room__nobody_to_ask(void **state)
{
    struct weir_policy insisting = *weir_policy_find("cs");
    struct weir_mmu_config config;
    struct weir_packet packet = {.bytes = 60};
    (void)state;
    insisting.admit = insist;
    weir_mmu_config_init(&config, 1, 1, 100);
    config.egress = &insisting;
    void *memory = aligned_alloc(64, weir_mmu_size(&config));
    assert_non_null(memory);
    struct weir_mmu *mmu = weir_mmu_init(memory, &config);
    assert_true(weir_mmu_arrive(mmu, &packet, 0)->accepted);
    const struct weir_effects *fx = weir_mmu_arrive(mmu, &packet, 0);
    assert_false(fx->accepted);
    assert_int_equal(fx->reason, WEIR_REASON_NO_ROOM);
    free(memory);
}

static void next_event__is_never_without_timers_or_expulsion(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 1, 1, 100);
    fixture_build(&f, "cs", NULL);
    fixture_fill(&f, 0, 0, 100, 0);
    assert_true(weir_mmu_next_event(f.mmu) == WEIR_NEVER);
    assert_int_equal(weir_mmu_offer_expel(f.mmu, 1)->lost_count, 0);
    weir_mmu_advance(f.mmu, 5);
    assert_int_equal(weir_mmu_threshold(f.mmu, (weir_account){0}), 0); /* cs has none */
    assert_null(weir_mmu_change(f.mmu, true, NULL, 6));                /* no ingress policy */
    fixture_free(&f);
}

static void mark__step_on_length_with_the_packet(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 1, 2, 1000);
    f.config.marking[1] = (struct weir_marking){.kind = WEIR_MARK_STEP, .low_cells = 30};
    fixture_build(&f, "cs", NULL);
    f.flags = WEIR_FLAG_ECN;
    assert_false(fixture_send(&f, 0, 1, 29, 0)->marked);
    assert_true(fixture_send(&f, 0, 1, 1, 0)->marked);
    assert_false(fixture_send(&f, 0, 0, 100, 0)->marked); /* class 0 does not mark */
    f.flags = 0;
    assert_false(fixture_send(&f, 0, 1, 1, 0)->marked); /* not ECN-capable */
    fixture_free(&f);
}

static void arrive__a_host_cannot_declare_a_packet_lossless(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 1, 1, 100);
    fixture_build(&f, "dt", "alpha=0.5");
    f.flags = WEIR_FLAG_LOSSLESS;
    assert_int_equal(fixture_offer(&f, 0, 0, 51, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_free(&f);
}

static void init__the_widest_switch_has_a_memory_rate(void **state)
{
    struct weir_mmu_config config;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    weir_mmu_config_init(&config, WEIR_PORTS_MAX, 1, 1000);
    config.rate_bps = WEIR_RATE_BPS_MAX;
    config.egress = weir_policy_find("occamy");
    assert_true(weir_mmu_config_check(&config, &error));
    void *memory = aligned_alloc(64, weir_mmu_size(&config));
    assert_non_null(memory);
    struct weir_mmu *mmu = weir_mmu_init(memory, &config); /* the sum of the rates must not overflow */
    assert_int_equal(weir_mmu_offer_expel(mmu, 0)->lost_count, 0);
    free(memory);
}

/* Descriptors come last in memory. Those that were never needed keep what the memory held. */
static void init__leaves_the_memory_of_unused_descriptors_alone(void **state)
{
    struct fixture f;
    const size_t descriptors = 4096, bytes = descriptors * 32;
    (void)state;
    fixture_config(&f, 2, 1, 1000);
    fixture_build(&f, "cs", NULL);
    for (uint32_t round = 0; round < 100; round++) {
        fixture_fill(&f, 0, 0, 10, round);
        fixture_fill(&f, 1, 0, 10, round);
        fixture_drain(&f, 0, 1, round);
        fixture_drain(&f, 1, 1, round);
    }
    const uint8_t *part = (const uint8_t *)f.memory + weir_mmu_size(&f.config) - bytes;
    size_t touched = 0;
    for (size_t i = 0; i < bytes; i++)
        touched += part[i] != 0xa5;
    assert_true(touched > 0 && touched <= 2 * 32);
    fixture_free(&f);
}

static void has_events__ticks_or_expulsions(void **state)
{
    static const struct {
        const char *policy;
        uint32_t depth_cells;
        bool expected;
    } rows[] = {{"cs", 8, false}, {"dt", 8, false}, {"lqd", 8, false},   {"tdt", 8, false},
                {"abm", 8, true}, {"edt", 8, true}, {"occamy", 8, true}, {"occamy", 0, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        fixture_config(&f, 2, 1, 1000);
        f.config.memory_depth_cells = rows[i].depth_cells;
        fixture_build(&f, rows[i].policy, NULL);
        assert_int_equal(weir_mmu_has_events(f.mmu), rows[i].expected);
        fixture_fill(&f, 0, 0, 10, 0);
        if (!rows[i].expected)
            assert_true(weir_mmu_next_event(f.mmu) == WEIR_NEVER);
        fixture_free(&f);
    }
}

static void hash__sees_order_and_content(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 1, 1000);
    fixture_build(&f, "cs", NULL);
    uint64_t empty = weir_mmu_hash(f.mmu);
    fixture_fill(&f, 0, 0, 10, 0);
    uint64_t one = weir_mmu_hash(f.mmu);
    assert_true(one != empty);
    fixture_drain(&f, 0, 1, 1);
    assert_true(weir_mmu_hash(f.mmu) == empty);
    fixture_fill(&f, 0, 0, 10, 2);
    assert_true(weir_mmu_hash(f.mmu) != one); /* same length, another packet */
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrive__counts_cells_and_charges_private_first),
        cmocka_unit_test(arrive__numbers_every_arrival),
        cmocka_unit_test(arrive__refuses_what_cannot_be_held),
        cmocka_unit_test(depart__is_first_in_first_out_per_account),
        cmocka_unit_test(depart__fifo_follows_arrival_order_over_classes),
        cmocka_unit_test(depart__shares_by_deficit),
        cmocka_unit_test(depart__stamps_what_int_needs),
        cmocka_unit_test(depart__stamps_the_whole_port),
        cmocka_unit_test(pause_received__skips_paused_classes_until_they_expire),
        cmocka_unit_test(flush__loses_the_port_in_portions),
        cmocka_unit_test(make_room__undoes_a_plan_that_does_not_fit),
        cmocka_unit_test(make_room__nobody_to_ask),
        cmocka_unit_test(next_event__is_never_without_timers_or_expulsion),
        cmocka_unit_test(mark__step_on_length_with_the_packet),
        cmocka_unit_test(arrive__a_host_cannot_declare_a_packet_lossless),
        cmocka_unit_test(init__the_widest_switch_has_a_memory_rate),
        cmocka_unit_test(init__leaves_the_memory_of_unused_descriptors_alone),
        cmocka_unit_test(has_events__ticks_or_expulsions),
        cmocka_unit_test(hash__sees_order_and_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
