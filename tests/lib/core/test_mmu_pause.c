/*
 * test_mmu_pause.c - pause edges. Under random traffic nobody stays paused who ought not to, however memory was freed,
 * and asking only those who can resume gives the same edges as asking all; then each way to free memory by itself.
 */
#include "lib/core/mmu_internal.h"
#include "tests/support/fixture.h"
#include "tests/support/headroom_policy.h"

#define PORTS 5u
#define CLASSES 4u
#define STEPS 4000u
#define SEEDS 12u

struct world {
    const char *egress, *ingress;
    const char *settings; /* of the egress policy */
};

static const struct world worlds[] = {
    {"dt", "sih", NULL},
    {"lqd", "sih", NULL},
    {"occamy", "dsh", "alpha=0.5"},
    {"occamy-p4", "sih", "alpha=0.1:drop_margin=0B:admit_margin=0B"},
    {"lqd", "dsh", NULL},
    {"dt", "adaptive", NULL},
    {"lqd", "oversubscribed", NULL},
};

/* Classes 0 to 2 are lossless. */
static void build(struct fixture *f, const struct world *world, const struct weir_policy *ingress)
{
    fixture_config(f, PORTS, CLASSES, 4000);
    f->config.evictions_max = 8;
    f->config.ingress = ingress;
    f->config.lossless_mask = 7;
    f->config.ingress_private_cells[1] = 20;
    f->config.private_cells[3] = 10;
    f->config.uplink = (struct weir_uplink){.headroom_cells = 60, .delay_ps = 20000, .mtu_bytes = 100};
    f->config.headroom_cells = weir_mmu_headroom_cells(&f->config);
    assert_true(f->config.headroom_cells > 0);
    f->config.buffer_cells += f->config.headroom_cells;
    fixture_build(f, world->egress, world->settings);
}

/* One random call on each MMU; the effects of both. */
struct pair {
    struct fixture *f[2];
    const struct weir_effects *fx[2];
    struct weir_values values;
    weir_ps now;
};

static void step_change(struct pair *p, struct weir_random *r)
{
    const struct weir_policy *policy = p->f[0]->config.ingress;
    static const char *const settings[] = {"alpha=1", "alpha=0.5", "alpha=0.125", "alpha=0.0625", "alpha=0.03"};
    fixture_values(&p->values, policy, settings[weir_random_below(r, 5)]);
    for (uint32_t i = 0; i < 2; i++)
        p->fx[i] = weir_mmu_change(p->f[i]->mmu, true, &p->values, p->now);
}

static void step(struct pair *p, struct weir_random *r)
{
    uint32_t what = weir_random_below(r, 100);
    weir_port port = {weir_random_below(r, PORTS)};
    uint32_t mask = weir_random_below(r, 1u << CLASSES), input = weir_random_below(r, PORTS),
             tc = weir_random_below(r, CLASSES), bytes = 1 + weir_random_below(r, 100);
    p->now += weir_random_below(r, 20000);
    if (what == 99)
        return step_change(p, r);
    for (uint32_t i = 0; i < 2; i++) {
        struct weir_mmu *mmu = p->f[i]->mmu;
        p->f[i]->input.i = input;
        if (what < 52)
            p->fx[i] = fixture_send(p->f[i], port.i % 3 ? 0 : port.i, tc, bytes, p->now);
        else if (what < 94)
            p->fx[i] = weir_mmu_depart(mmu, port, p->now);
        else if (what < 97)
            p->fx[i] = weir_mmu_offer_expel(mmu, p->now);
        else if (what < 98)
            p->fx[i] = weir_mmu_flush_classes(mmu, port, mask, p->now);
        else
            p->fx[i] = weir_mmu_pause_received(mmu, port, mask, p->now + 30000, p->now);
    }
}

/* After memory was freed, what is still paused ought to be, by the policy's own word. (An arrival may pause what could
 * be resumed at once, where XON equals XOFF.) */
static bool is_settled(const struct weir_mmu *m, const struct weir_effects *fx)
{
    const struct weir_side *side = &m->ingress;
    for (uint32_t i = 0; i < PORTS && (fx->departed || fx->lost_count); i++) {
        const struct weir_port_state *p = &side->port[i];
        bool port_level = false;
        if (!p->paused_mask && !p->paused)
            continue;
        uint32_t mask = side->policy->pause_mask(side->state, &side->view, (weir_port){i}, p->paused_mask, &port_level);
        if ((mask & p->paused_mask) != p->paused_mask || (p->paused && !port_level))
            return false;
    }
    return true;
}

static bool is_same(const struct fixture *a, const struct fixture *b)
{
    for (uint32_t i = 0; i < PORTS; i++) {
        const struct weir_port_state *p = &a->mmu->ingress.port[i], *q = &b->mmu->ingress.port[i];
        if (p->paused_mask != q->paused_mask || p->paused != q->paused)
            return false;
    }
    return weir_mmu_hash(a->mmu) == weir_mmu_hash(b->mmu);
}

/* Edges alternate, and say what the ports say. */
static void follow_edges(const struct weir_effects *fx, uint32_t paused[PORTS], bool port_paused[PORTS])
{
    for (uint32_t i = 0; i < fx->edge_count; i++) {
        const struct weir_pause_edge *edge = &fx->edges[i];
        uint32_t *mask = &paused[edge->port.i];
        assert_int_equal(edge->pause_mask & *mask, 0);
        assert_int_equal(edge->resume_mask & *mask, edge->resume_mask);
        *mask = (*mask | edge->pause_mask) & ~edge->resume_mask;
        assert_true(!edge->port_pause || !port_paused[edge->port.i]);
        assert_true(!edge->port_resume || port_paused[edge->port.i]);
        port_paused[edge->port.i] ^= edge->port_pause || edge->port_resume;
    }
}

static uint32_t run(const struct world *world, uint64_t seed)
{
    struct weir_policy asking_all = *weir_policy_find(world->ingress);
    struct fixture lazy, eager;
    struct weir_random r = weir_random_stream(seed, world->egress);
    struct pair p = {.f = {&lazy, &eager}};
    uint32_t edges = 0, paused[PORTS] = {0};
    bool port_paused[PORTS] = {false};
    assert_non_null(asking_all.resume_level);
    asking_all.resume_level = NULL;
    build(&lazy, world, weir_policy_find(world->ingress));
    build(&eager, world, &asking_all);
    for (uint32_t i = 0; i < STEPS; i++) {
        step(&p, &r);
        edges += p.fx[0]->edge_count;
        follow_edges(p.fx[0], paused, port_paused);
        if (!is_same(&lazy, &eager) || !is_settled(lazy.mmu, p.fx[0]) || weir_mmu_check(lazy.mmu))
            fail_msg("%s and %s, seed %llu, step %u: %s", world->egress, world->ingress, (unsigned long long)seed, i,
                     !is_same(&lazy, &eager)    ? "asking all pauses otherwise"
                     : weir_mmu_check(lazy.mmu) ? weir_mmu_check(lazy.mmu)
                                                : "something paused could resume");
    }
    fixture_free(&lazy);
    fixture_free(&eager);
    return edges;
}

static void edges__nobody_stays_paused_without_reason(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof worlds / sizeof worlds[0]; w++) {
        uint32_t edges = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            edges += run(&worlds[w], seed);
        assert_true(edges > 10 * SEEDS); /* it was about something */
    }
}

/* Many inputs, in several words of the set of paused ones. */
static void edges__of_more_inputs_than_a_word_has_bits(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 1, 2, 200000);
    f.config.inputs = 200;
    f.config.lossless_mask = 2;
    f.config.headroom_cells = 1000;
    f.config.ingress = &headroom_policy;
    fixture_build(&f, "cs", NULL);
    for (f.input.i = 0; f.input.i < 200; f.input.i++)
        assert_int_equal(fixture_send(&f, 0, 1, HEADROOM_XOFF, 0)->edge_count, 1);
    const struct weir_effects *fx = weir_mmu_flush(f.mmu, (weir_port){0}, 1); /* 64 packets of it */
    assert_int_equal(fx->edge_count, 64);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(fx->edges[i].port.i, i);
    for (uint32_t i = 64; i < 200; i++) {
        fx = weir_mmu_depart(f.mmu, (weir_port){0}, 2);
        assert_int_equal(fx->edge_count, 1);
        assert_int_equal(fx->edges[0].port.i, i);
        assert_int_equal(fx->edges[0].resume_mask, 2);
    }
    fixture_free(&f);
}

/* A lossless arrival is asked about its own class only. */
static void edges__of_the_class_that_arrives(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 3, 1000);
    f.config.lossless_mask = 6;
    f.config.ingress = weir_policy_find("sih");
    fixture_build(&f, "cs", NULL);
    fixture_fill(&f, 0, 1, 50, 0); /* T = (1000 - 50) / 16 = 59 */
    fixture_fill(&f, 0, 0, 300, 0);
    assert_int_equal(weir_mmu_ingress_view(f.mmu)->port[0].paused_mask, 0); /* T = 40, but nothing of it arrived */
    const struct weir_effects *fx = fixture_send(&f, 0, 2, 10, 0);
    assert_int_equal(fx->edge_count, 0);
    fx = fixture_send(&f, 0, 1, 1, 0); /* of a queue above T that is not paused: into the shared pool, and the pause */
    assert_true(fx->accepted);
    assert_int_equal(fx->edge_count, 1);
    assert_int_equal(fx->edges[0].pause_mask, 2);
    fixture_free(&f);
}

static void edges__resumes_when_heads_are_dropped_at_dequeue(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 2, 1000);
    f.config.lossless_mask = 2;
    f.config.ingress = weir_policy_find("sih");
    fixture_build(&f, "occamy-p4", "alpha=8:drop_margin=0B:admit_margin=0B");
    for (uint32_t i = 0; i < 3; i++)
        fixture_fill(&f, 0, 0, 100, 0);
    f.input.i = 1;
    assert_int_equal(fixture_send(&f, 1, 1, 42, 0)->edge_count, 1); /* (1000 - 342) / 16 = 41 */
    fixture_change(&f, "alpha=0.1:drop_margin=0B");
    const struct weir_effects *fx = weir_mmu_depart(f.mmu, (weir_port){0}, 1);
    assert_true(fx->lost_count >= 2);
    assert_int_equal(fx->edge_count, 1);
    assert_int_equal(fx->edges[0].port.i, 1);
    assert_int_equal(fx->edges[0].resume_mask, 2);
    fixture_free(&f);
}

/* 2 output ports, 3 input ports; class 0 lossy, class 1 lossless with fixed thresholds, a private minimum of 10 and
 * headroom. */
static void build_fixed(struct fixture *f, const char *egress)
{
    fixture_config(f, 2, 2, 1000);
    f->config.inputs = 3;
    f->config.headroom_cells = 300;
    f->config.ingress_private_cells[1] = 10;
    f->config.lossless_mask = 2;
    f->config.ingress = &headroom_policy;
    fixture_build(f, egress, NULL);
}

static void pause__edges_alternate_with_hysteresis(void **state)
{
    struct fixture f;
    (void)state;
    build_fixed(&f, "cs");
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
    build_fixed(&f, "cs");
    f.input.i = 0;
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(fixture_send(&f, 0, 0, 49, 0)->edge_count, 0); /* lossy: nobody is asked */
    const struct weir_effects *fx = fixture_send(&f, 0, 1, 1, 0);       /* 295 >= 250 */
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

/* 660 of 670 shared cells; inputs 0 and 2 hold 331 each and are paused as ports. */
static void fill_two_inputs(struct fixture *f)
{
    for (uint32_t i = 0; i < 6; i++) {
        f->input.i = i % 2 * 2;
        fixture_fill(f, 0, 0, 110, 0);
    }
    for (f->input.i = 0; f->input.i < 3; f->input.i += 2)
        fixture_fill(f, 0, 1, 1, 0);
    assert_true(weir_mmu_ingress_view(f->mmu)->port[0].paused);
    assert_true(weir_mmu_ingress_view(f->mmu)->port[2].paused);
}

static void pause__resumes_when_push_out_frees_memory(void **state)
{
    struct fixture f;
    (void)state;
    build_fixed(&f, "lqd");
    fill_two_inputs(&f);
    f.input.i = 1;
    const struct weir_effects *fx = fixture_send(&f, 1, 0, 50, 0); /* pushes out the oldest, of input 0 */
    assert_int_equal(fx->lost_count, 1);
    assert_int_equal(fx->edge_count, 1);
    assert_int_equal(fx->edges[0].port.i, 0);
    assert_true(fx->edges[0].port_resume);
    fixture_free(&f);
}

static void pause__resumes_every_input_that_push_out_freed(void **state)
{
    struct fixture f;
    (void)state;
    build_fixed(&f, "lqd");
    fill_two_inputs(&f);
    f.input.i = 1;
    const struct weir_effects *fx = fixture_send(&f, 1, 0, 280, 0); /* pushes out three, of inputs 0 and 2 */
    assert_int_equal(fx->lost_count, 3);
    assert_int_equal(fx->edge_count, 2);
    assert_int_equal(fx->edges[0].port.i, 0);
    assert_int_equal(fx->edges[1].port.i, 2);
    assert_true(fx->edges[0].port_resume && fx->edges[1].port_resume);
    fixture_free(&f);
}

static void pause__resumes_when_packets_are_expelled(void **state)
{
    struct fixture f;
    (void)state;
    build_fixed(&f, "occamy");
    f.input.i = 2;
    for (uint32_t i = 0; i < 3; i++)
        fixture_fill(&f, 0, 0, 100, 0);
    fixture_fill(&f, 0, 1, 1, 0); /* 301 of input 2: paused as a port */
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

static void sent_cells__of_what_is_pushed_out(void **state)
{
    struct fixture f;
    (void)state;
    build_fixed(&f, "lqd");
    fill_two_inputs(&f);
    const struct weir_view *in = weir_mmu_ingress_view(f.mmu); /* accounts 0 to 2 are the inputs' of class 0 */
    f.input.i = 1;
    assert_int_equal(fixture_send(&f, 1, 0, 280, 0)->lost_count, 3);
    assert_int_equal(weir_view_sent(in, (weir_account){0}) + weir_view_sent(in, (weir_account){2}), 330);
    assert_int_equal(fixture_send(&f, 1, 0, 600, 0)->lost_count, 0); /* planned, and undone: it would be the longest */
    assert_int_equal(weir_view_sent(in, (weir_account){0}) + weir_view_sent(in, (weir_account){2}), 330);
    assert_null(weir_mmu_check(f.mmu));
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges__nobody_stays_paused_without_reason),
        cmocka_unit_test(edges__of_more_inputs_than_a_word_has_bits),
        cmocka_unit_test(edges__of_the_class_that_arrives),
        cmocka_unit_test(edges__resumes_when_heads_are_dropped_at_dequeue),
        cmocka_unit_test(pause__edges_alternate_with_hysteresis),
        cmocka_unit_test(pause__port_level_is_separate),
        cmocka_unit_test(pause__resumes_when_push_out_frees_memory),
        cmocka_unit_test(pause__resumes_every_input_that_push_out_freed),
        cmocka_unit_test(pause__resumes_when_packets_are_expelled),
        cmocka_unit_test(sent_cells__of_what_is_pushed_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
