/*
 * test_mmu_ingress.c - the ingress half of the MMU: accounts by input port, headroom, uplinks. Pause edges are in
 * test_mmu_pause.c.
 */
#include "lib/core/mmu_internal.h"
#include "tests/support/fixture.h"
#include "tests/support/headroom_policy.h"
#include "weir/counters.h"

/* 2 output ports, 3 input ports; class 0 lossy, class 1 lossless with a private minimum of 10 and headroom. */
static void build(struct fixture *f, const char *egress)
{
    fixture_config(f, 2, 2, 1000);
    f->config.inputs = 3;
    f->config.headroom_cells = 300;
    f->config.ingress_private_cells[1] = 10;
    f->config.lossless_mask = 2;
    f->config.ingress = &headroom_policy;
    fixture_build(f, egress, NULL);
}

static const struct weir_holding *ingress_account(const struct fixture *f, uint32_t input, uint32_t tc)
{
    const struct weir_view *view = weir_mmu_ingress_view(f->mmu);
    return weir_view_account(view, weir_account_of(&view->geometry, (weir_port){input}, (weir_class){tc}));
}

/* What the ingress policy has been told. */
static const struct headroom_state *headroom_told(const struct weir_mmu *mmu)
{
    return mmu->ingress.state;
}

static void charge__private_then_shared_then_headroom(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "dt");
    const struct weir_view *view = weir_mmu_view(f.mmu);
    assert_int_equal(view->geometry.shared_cells, 1000 - 300 - 3 * 10);
    f.input.i = 2;
    fixture_fill(&f, 0, 1, 60, 0); /* 10 private, 50 shared */
    assert_int_equal(ingress_account(&f, 2, 1)->shared_cells, 50);
    assert_int_equal(fixture_cells(&f, 0, 1), 60);
    assert_int_equal(fixture_shared(&f, 0, 1), 0); /* the ingress side is charged */
    fixture_fill(&f, 1, 1, 50, 0);                 /* above XOFF: headroom */
    assert_int_equal(ingress_account(&f, 2, 1)->headroom_cells, 50);
    assert_int_equal(view->pools->headroom_cells, 50);
    assert_int_equal(fixture_depart(&f, 0, 1), 60); /* drains headroom first, then shared */
    assert_int_equal(view->pools->headroom_cells, 0);
    assert_int_equal(ingress_account(&f, 2, 1)->shared_cells, 40);
    assert_int_equal(ingress_account(&f, 2, 1)->cells, 50);
    fixture_free(&f);
}

static void admit__both_sides_are_asked_for_lossy_packets(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "dt");
    f.input.i = 1;
    assert_int_equal(fixture_offer(&f, 0, 0, 13, 0), WEIR_REASON_OVER_THRESHOLD);  /* ingress refuses */
    assert_int_equal(fixture_offer(&f, 0, 0, 671, 0), WEIR_REASON_OVER_THRESHOLD); /* DT refuses */
    assert_int_equal(fixture_offer(&f, 0, 0, 12, 0), WEIR_REASON_NONE);
    assert_int_equal(ingress_account(&f, 1, 0)->cells, 12);
    assert_int_equal(ingress_account(&f, 1, 0)->shared_cells, 0); /* the egress side is charged */
    assert_int_equal(fixture_shared(&f, 0, 0), 12);
    fixture_free(&f);
}

static void admit__lossless_packets_need_only_room(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "dt");
    for (uint32_t i = 0; i < 4; i++) /* DT would refuse, and the fourth fills the headroom */
        fixture_fill(&f, 0, 1, 100, 0);
    assert_int_equal(weir_mmu_view(f.mmu)->pools->headroom_cells, 300);
    assert_int_equal(fixture_offer(&f, 0, 1, 1, 0), WEIR_REASON_NO_ROOM);
    fixture_free(&f);
}

static void victim__never_of_a_lossless_class(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "lqd");
    fixture_fill(&f, 0, 1, 90, 0);
    for (uint32_t i = 0; i < 6; i++)
        fixture_fill(&f, 1, 0, 95, 0); /* 570 + 80 shared of 670 */
    const struct weir_effects *fx = fixture_send(&f, 0, 0, 95, 0);
    assert_true(fx->accepted);
    assert_int_equal(fx->lost_count, 1);
    assert_int_equal(fx->lost[0].account.i, 1); /* port 1, class 0 */
    fixture_free(&f);
}

static void admit__private_minimum_of_a_lossless_account_is_kept(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "cs");
    f.input.i = 2;
    for (uint32_t i = 0; i < 3; i++)
        fixture_fill(&f, 0, 1, 100, 0); /* the first is 10 private and 90 shared, the others fill 200 of the headroom */
    fixture_drain(&f, 0, 3, 1);
    f.input.i = 0;
    for (uint32_t i = 0; i < 6; i++)
        fixture_fill(&f, 1, 0, 111, 2);                                 /* 666 of 670 shared */
    assert_int_equal(fixture_offer(&f, 0, 1, 10, 2), WEIR_REASON_NONE); /* all private */
    assert_int_equal(fixture_offer(&f, 0, 1, 5, 2), WEIR_REASON_NO_ROOM);
    fixture_free(&f);
}

static void events__carry_the_account_of_each_side(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "dt");
    f.input.i = 1;
    fixture_fill(&f, 0, 1, 60, 0);
    fixture_fill(&f, 0, 1, 20, 0);
    const struct headroom_state *told = headroom_told(f.mmu);
    assert_int_equal(told->enqueued, 2);
    assert_int_equal(told->shared_before, 50); /* of the ingress account: 60 less 10 private */
    fixture_free(&f);
}

static void init__every_policy_bears_only_lossless_classes(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < weir_policy_count; p++) {
        struct fixture f;
        if (weir_policies[p]->needs & (WEIR_NEED_ORACLE | WEIR_NEED_INGRESS))
            continue;
        fixture_config(&f, 2, 2, 1000);
        f.config.gives = WEIR_GIVES_FLOWS;
        f.config.lossless_mask = 3;
        f.config.ingress = &headroom_policy;
        fixture_build(&f, weir_policies[p]->name, strcmp(weir_policies[p]->name, "es") == 0 ? "over=account" : NULL);
        fixture_fill(&f, 1, 1, 50, 0);
        assert_int_equal(weir_mmu_ingress_threshold(f.mmu, fixture_account(&f, 1, 1)),
                         0); /* headroom_policy has none */
        weir_cells threshold = fixture_threshold(&f, 1, 1), most = 8 * f.config.buffer_cells; /* 8: the largest alpha */
        assert_true(threshold >= 0 && threshold <= (weir_policies[p]->threshold != NULL ? most : 0));
        fixture_drain(&f, 1, 1, 1);
        fixture_free(&f);
    }
}

static void change__tests_every_input_again(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "dt");
    const struct weir_effects *fx = weir_mmu_change(f.mmu, false, &f.values, 0);
    assert_non_null(fx);
    assert_int_equal(fx->edge_count, 0);
    fixture_free(&f);
}

static void tick__reaches_the_ingress_policy(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "cs");
    assert_int_equal(weir_mmu_next_event(f.mmu), 12345);
    weir_mmu_advance(f.mmu, 12345);
    assert_non_null(weir_mmu_ingress_view(f.mmu));
    fixture_free(&f);
}

static weir_cells reserve_twice(const struct weir_geometry *geometry, const struct weir_reserve *inputs,
                                const struct weir_values *values)
{
    weir_cells sum = 0;
    (void)values;
    for (uint32_t i = 0; i < geometry->ports; i++)
        sum += 2 * weir_reserve_uplink(inputs, i)->headroom_cells + weir_reserve_rate(inputs, i) / 1000000000;
    return sum;
}

static void uplinks__reach_the_policy(void **state)
{
    static const struct weir_uplink uplinks[3] = {{1, 2, 3, 0, 0, 0}, {40, 50, 60, 0, 0, 0}, {700, 800, 900, 0, 0, 0}};
    static const weir_bps rates[3] = {1000000000, 2000000000, 4000000000};
    struct weir_policy policy = headroom_policy;
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 2, 1000);
    assert_int_equal(f.config.uplink.mtu_bytes, 1500);
    assert_int_equal(f.config.uplink.headroom_cells, 0);
    assert_int_equal(weir_mmu_headroom_cells(&f.config), 0); /* no ingress policy */
    f.config.inputs = 3;
    f.config.lossless_mask = 2;
    f.config.ingress = &policy;
    assert_int_equal(weir_mmu_headroom_cells(&f.config), 0); /* it wants none */
    policy.reserve = reserve_twice;
    f.config.uplink.headroom_cells = 5;
    assert_int_equal(weir_mmu_headroom_cells(&f.config), 3 * (2 * 5 + 10));
    f.config.uplinks = uplinks;
    f.config.input_rates_bps = rates;
    assert_int_equal(weir_mmu_headroom_cells(&f.config), 2 * 741 + 7);
    fixture_build(&f, "dt", NULL);
    assert_int_equal(weir_mmu_ingress_view(f.mmu)->uplink[0].delay_ps, 2);
    assert_int_equal(weir_mmu_ingress_view(f.mmu)->uplink[2].headroom_cells, 700);
    assert_int_equal(weir_mmu_ingress_view(f.mmu)->uplink[2].mtu_bytes, 900);
    assert_null(weir_mmu_view(f.mmu)->uplink);
    fixture_free(&f);
}

/* Sums of an input port, and what has come in by an account. */
static void assert_port(const struct fixture *f, uint32_t input, weir_cells cells, weir_cells shared,
                        weir_cells headroom)
{
    const struct weir_port_state *p = &weir_mmu_ingress_view(f->mmu)->port[input];
    assert_int_equal(p->cells, cells);
    assert_int_equal(p->shared_cells, shared);
    assert_int_equal(p->headroom_cells, headroom);
}

static void port__sums_up_its_lossless_classes(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "dt");
    f.input.i = 1;
    fixture_fill(&f, 0, 0, 30, 0); /* lossy: counted, but not as shared */
    fixture_fill(&f, 0, 1, 60, 0); /* 10 private */
    fixture_fill(&f, 1, 1, 70, 0); /* headroom */
    assert_port(&f, 1, 160, 50, 70);
    assert_port(&f, 0, 0, 0, 0);
    assert_int_equal(fixture_depart(&f, 1, 1), 70);
    assert_port(&f, 1, 90, 50, 0);
    assert_int_equal(ingress_account(&f, 1, 1)->sent_cells, 70);
    weir_mmu_flush(f.mmu, (weir_port){0}, 2);
    assert_port(&f, 1, 0, 0, 0);
    assert_int_equal(ingress_account(&f, 1, 1)->sent_cells, 130); /* what was flushed had come in too */
    assert_int_equal(ingress_account(&f, 1, 0)->sent_cells, 30);
    fixture_free(&f);
}

static void charge__private_minimum_comes_before_headroom(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "cs");
    f.config.ingress_private_cells[1] = 150;
    fixture_free(&f);
    fixture_build(&f, "cs", NULL);
    fixture_fill(&f, 0, 1, 90, 0);
    fixture_fill(&f, 0, 1, 60, 0); /* above XOFF, but the minimum has room for it */
    assert_int_equal(weir_mmu_view(f.mmu)->pools->headroom_cells, 0);
    assert_int_equal(weir_mmu_view(f.mmu)->pools->shared_cells, 0);
    fixture_fill(&f, 0, 1, 1, 0);
    assert_int_equal(weir_mmu_view(f.mmu)->pools->headroom_cells, 1);
    fixture_free(&f);
}

static void flush_classes__loses_only_those(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "cs");
    f.input.i = 2;
    for (uint32_t i = 0; i < 3; i++) {
        fixture_fill(&f, 0, 0, 10, 0);
        fixture_fill(&f, 0, 1, 50, 0);
        fixture_fill(&f, 1, 1, 5, 0);
    }
    assert_int_equal(weir_mmu_flush_classes(f.mmu, (weir_port){0}, 4, 1)->lost_count, 0); /* there is no such class */
    const struct weir_effects *fx = weir_mmu_flush_classes(f.mmu, (weir_port){0}, 2, 1);
    assert_int_equal(fx->lost_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(fx->lost[i].cause == WEIR_CAUSE_FLUSHED && fx->lost[i].account.i == 2);
    assert_int_equal(fx->edge_count, 1);
    assert_int_equal(fx->edges[0].resume_mask, 2);
    assert_int_equal(fixture_cells(&f, 0, 0), 30);
    assert_int_equal(fixture_cells(&f, 1, 1), 15);
    fixture_free(&f);
}

static void cells_by_input__adds_up_the_account(void **state)
{
    struct fixture f;
    weir_cells held[3] = {0, 0, 1000};
    (void)state;
    build(&f, "cs");
    for (uint32_t i = 0; i < 6; i++) {
        f.input.i = i % 2 * 2;
        fixture_fill(&f, 1, 1, 10 + i, 0);
        fixture_fill(&f, 0, 1, 1, 0);
    }
    fixture_drain(&f, 1, 1, 1);
    weir_mmu_cells_by_input(f.mmu, fixture_account(&f, 1, 1), held);
    assert_int_equal(held[0], 12 + 14);
    assert_int_equal(held[1], 0);
    assert_int_equal(held[2], 1000 + 11 + 13 + 15);
    weir_mmu_cells_by_input(f.mmu, fixture_account(&f, 1, 0), held); /* empty */
    assert_int_equal(held[0], 26);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charge__private_then_shared_then_headroom),
        cmocka_unit_test(admit__both_sides_are_asked_for_lossy_packets),
        cmocka_unit_test(admit__lossless_packets_need_only_room),
        cmocka_unit_test(victim__never_of_a_lossless_class),
        cmocka_unit_test(admit__private_minimum_of_a_lossless_account_is_kept),
        cmocka_unit_test(events__carry_the_account_of_each_side),
        cmocka_unit_test(init__every_policy_bears_only_lossless_classes),
        cmocka_unit_test(change__tests_every_input_again),
        cmocka_unit_test(tick__reaches_the_ingress_policy),
        cmocka_unit_test(uplinks__reach_the_policy),
        cmocka_unit_test(port__sums_up_its_lossless_classes),
        cmocka_unit_test(charge__private_minimum_comes_before_headroom),
        cmocka_unit_test(flush_classes__loses_only_those),
        cmocka_unit_test(cells_by_input__adds_up_the_account),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
