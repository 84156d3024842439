/*
 * test_mmu_ingress.c - the ingress half of the MMU: accounts by input port, headroom, pause edges.
 */
#include "core/mmu_internal.h"
#include "fixture.h"
#include "headroom_policy.h"
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

static const struct weir_account_state *ingress_account(const struct fixture *f, uint32_t input, uint32_t tc)
{
    const struct weir_view *view = weir_mmu_ingress_view(f->mmu);
    return &view->account[weir_account_of(&view->geometry, (weir_port){input}, (weir_class){tc}).i];
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

static void pause__edges_alternate_with_hysteresis(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "cs");
    f.input.i = 1;
    assert_int_equal(fixture_send(&f, 0, 1, 60, 0)->edge_count, 0);
    const struct weir_effects *fx = fixture_send(&f, 0, 1, 40, 0);
    assert_int_equal(fx->edge_count, 1);
    assert_int_equal(fx->edges[0].port.i, 1);
    assert_int_equal(fx->edges[0].pause_mask, 2);
    assert_int_equal(fx->edges[0].resume_mask, 0);
    assert_int_equal(fixture_send(&f, 0, 1, 30, 0)->edge_count, 0);             /* already paused */
    assert_int_equal(weir_mmu_depart(f.mmu, (weir_port){0}, 1)->edge_count, 0); /* 70 left: above XON */
    fx = weir_mmu_depart(f.mmu, (weir_port){0}, 1);                             /* 30 left */
    assert_int_equal(fx->edge_count, 1);
    assert_int_equal(fx->edges[0].resume_mask, 2);
    struct weir_pause_counters counters = weir_mmu_pause_counters(f.mmu, (weir_port){1});
    assert_int_equal(counters.class_pauses, 1);
    assert_int_equal(counters.class_resumes, 1);
    fixture_free(&f);
}

static void pause__port_level_is_separate(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "cs");
    f.input.i = 0;
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(fixture_send(&f, 0, 0, 49, 0)->edge_count, 0); /* lossy */
    const struct weir_effects *fx = fixture_send(&f, 0, 0, 49, 0);      /* 294 >= 250 */
    assert_int_equal(fx->edge_count, 1);
    assert_true(fx->edges[0].port_pause);
    assert_int_equal(fx->edges[0].pause_mask, 0);
    assert_true(weir_mmu_ingress_view(f.mmu)->port[0].paused);
    fx = weir_mmu_flush(f.mmu, (weir_port){0}, 1);
    assert_int_equal(fx->edge_count, 1);
    assert_true(fx->edges[0].port_resume);
    assert_int_equal(weir_mmu_pause_counters(f.mmu, (weir_port){0}).port_resumes, 1);
    fixture_free(&f);
}

static void pause__resumes_when_push_out_frees_memory(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "lqd");
    for (uint32_t i = 0; i < 6; i++) {
        f.input.i = i < 3 ? 0 : 2;
        fixture_send(&f, 0, 0, 110, 0); /* 660 of 670 shared; inputs 0 and 2 are paused as ports: 330 each */
    }
    assert_true(weir_mmu_ingress_view(f.mmu)->port[0].paused);
    f.input.i = 1;
    const struct weir_effects *fx = fixture_send(&f, 1, 0, 50, 0); /* pushes out the oldest, of input 0 */
    assert_int_equal(fx->lost_count, 1);
    assert_int_equal(fx->edge_count, 1);
    assert_int_equal(fx->edges[0].port.i, 0);
    assert_true(fx->edges[0].port_resume);
    fixture_free(&f);
}

static void pause__an_input_is_tested_once_per_arrival(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "lqd");
    for (uint32_t i = 0; i < 6; i++) {
        f.input.i = i % 3;
        fixture_send(&f, 0, 0, 110, 0); /* 220 per input */
    }
    for (uint32_t i = 0; i < 6; i++) {
        f.input.i = i % 3;
        const struct weir_effects *fx = fixture_send(&f, 1, 0, 110, 0); /* pushes out */
        for (uint32_t a = 0; a < fx->edge_count; a++)
            for (uint32_t b = a + 1; b < fx->edge_count; b++)
                assert_true(fx->edges[a].port.i != fx->edges[b].port.i);
    }
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

static void pause__resumes_when_packets_are_expelled(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, "occamy");
    f.input.i = 2;
    for (uint32_t i = 0; i < 3; i++)
        fixture_send(&f, 0, 0, 100, 0); /* 300 of input 2: paused as a port */
    assert_true(weir_mmu_ingress_view(f.mmu)->port[2].paused);
    assert_int_equal(weir_mmu_offer_expel(f.mmu, 1)->edge_count, 0); /* nobody is over T yet */
    fixture_change(&f, "alpha=0.1");
    const struct weir_effects *fx = weir_mmu_offer_expel(f.mmu, 1);
    assert_true(fx->lost_count > 0);
    assert_int_equal(fx->edge_count, 1);
    assert_true(fx->edges[0].port_resume);
    assert_int_equal(weir_mmu_flush(f.mmu, (weir_port){1}, 2)->lost_count, 0); /* an empty port has nothing to lose */
    fixture_free(&f);
}

static void init__every_policy_bears_only_lossless_classes(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < weir_policy_count; p++) {
        struct fixture f;
        if (weir_policies[p]->needs & WEIR_NEED_ORACLE)
            continue;
        fixture_config(&f, 2, 2, 1000);
        f.config.lossless_mask = 3;
        f.config.ingress = &headroom_policy;
        fixture_build(&f, weir_policies[p]->name, strcmp(weir_policies[p]->name, "es") == 0 ? "over=account" : NULL);
        fixture_fill(&f, 1, 1, 50, 0);
        fixture_threshold(&f, 1, 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charge__private_then_shared_then_headroom),
        cmocka_unit_test(admit__both_sides_are_asked_for_lossy_packets),
        cmocka_unit_test(admit__lossless_packets_need_only_room),
        cmocka_unit_test(victim__never_of_a_lossless_class),
        cmocka_unit_test(pause__edges_alternate_with_hysteresis),
        cmocka_unit_test(pause__port_level_is_separate),
        cmocka_unit_test(pause__resumes_when_push_out_frees_memory),
        cmocka_unit_test(pause__an_input_is_tested_once_per_arrival),
        cmocka_unit_test(admit__private_minimum_of_a_lossless_account_is_kept),
        cmocka_unit_test(events__carry_the_account_of_each_side),
        cmocka_unit_test(pause__resumes_when_packets_are_expelled),
        cmocka_unit_test(init__every_policy_bears_only_lossless_classes),
        cmocka_unit_test(change__tests_every_input_again),
        cmocka_unit_test(tick__reaches_the_ingress_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
