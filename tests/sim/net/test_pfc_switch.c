/*
 * test_pfc_switch.c - flow control between hosts and a switch, as a whole: pauses and resumes alternate and lose
 * nothing, a pause that lasts is refreshed, one that is not refreshed expires, a failed link forgets, and a host that
 * is held in one class goes on in the others.
 */
#include "tests/support/lossless_star.h"

static int start(void **state)
{
    static struct lossless_star l;
    lossless_init(&l);
    *state = &l;
    return 0;
}

static int stop(void **state)
{
    struct lossless_star *l = *state;
    sim_free(l->star.sim);
    return 0;
}

static const struct switch_pfc_port *told(const struct lossless_star *l, uint32_t port)
{
    return &lossless_switch(l)->pfc->port[port];
}

static const struct host_pfc *host(const struct lossless_star *l, uint32_t number)
{
    return l->star.sim->hosts[number].pfc;
}

/* Two senders share a link at their own rate: the switch pauses and resumes them until all has arrived. */
static void pause__and_resume_alternate_and_lose_nothing(void **state)
{
    struct lossless_star *l = *state;
    l->star.links[1].rate_bps = 8000000000;
    l->star.config.tiers[0].mmu.buffer_cells = 200000;
    l->star.config.until_ps = WEIR_PS_PER_S;
    lossless_flow(l, 0, 0, 1, 1000);
    lossless_flow(l, 0, 2, 1, 1000);
    lossless_run(l);
    assert_int_equal(lossless_refused(l, 0), 0);
    for (uint32_t i = 0; i < 4; i += 2) {
        const struct weir_pfc_counters *sent = &told(l, i)->end.peer.counters[0],
                                       *obeyed = &host(l, i)->end.peer.counters[0];
        assert_true(sent->pauses > 10);
        assert_int_equal(sent->resumes, sent->pauses);
        assert_int_equal(obeyed->pauses_received, sent->pauses);
        assert_int_equal(obeyed->resumes_received, sent->resumes);
        assert_int_equal(obeyed->expired, 0);
        assert_int_equal(host(l, i)->end.frames_received, told(l, i)->end.frames_sent);
        assert_int_equal(host(l, i)->end.peer.held, 0);
        assert_true(obeyed->held_ps > 0);
    }
    /* The link to host 1 is busy all the time: queues do not run dry while a resume is under way. */
    weir_ps last = 0;
    assert_int_equal(l->star.sim->records.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct flow_record *record = &l->star.sim->records.at[i];
        assert_int_equal(record->delivered_bytes, 1000 * 1490);
        last = record->finish_ps > last ? record->finish_ps : last;
    }
    assert_in_range(last, 2001 * 1500 * NS, 2001 * 1500 * NS + 10 * US);
}

/* Nothing drains: one PAUSE, said again every half of its time, and never a resume. */
static void pause__that_lasts_is_refreshed(void **state)
{
    struct lossless_star *l = *state;
    l->star.config.pfc.quanta = 1000; /* 64 us */
    l->star.config.until_ps = 1000 * US;
    l->star.config.tiers[0].mmu.buffer_cells = 200000;
    lossless_flow(l, 0, 0, 1, 1000);
    lossless_run(l);
    const struct weir_pfc_counters *sent = &told(l, 0)->end.peer.counters[0],
                                   *obeyed = &host(l, 0)->end.peer.counters[0];
    assert_int_equal(sent->pauses, 1);
    assert_int_equal(sent->resumes, 0);
    assert_in_range(sent->refreshes, 29, 31);
    assert_int_equal(obeyed->expired, 0);
    assert_int_equal(host(l, 0)->end.peer.held, 1);
    weir_ps held = weir_pfc_peer_held_ps(&host(l, 0)->end.peer, 0, 1000 * US);
    assert_in_range(held, 950 * US, 1000 * US);
    assert_int_equal(lossless_refused(l, 0), 0);
}

/* The same without refreshes: the host goes on by itself, and what it sends finds no headroom. */
static void pause__that_is_not_refreshed_expires(void **state)
{
    struct lossless_star *l = *state;
    l->star.config.pfc.quanta = 1000;
    l->star.config.until_ps = 200 * US;
    l->star.config.tiers[0].mmu.buffer_cells = 200000;
    lossless_flow(l, 0, 0, 1, 1000);
    star_create(&l->star);
    lossless_switch(l)->pfc->port[0].end.peer.interval_ps = WEIR_PS_PER_S;
    assert_int_equal(sim_run(l->star.sim, NULL, NULL), SIM_DONE);
    assert_int_equal(told(l, 0)->end.peer.counters[0].pauses, 1);
    assert_int_equal(host(l, 0)->end.peer.counters[0].expired, 1);
    assert_true(lossless_refused(l, 0) > 10);
    assert_int_equal(lossless_switch(l)->pfc_measure->lost, lossless_refused(l, 0));
}

/* Class 0 of host 0 is held from about 5 us on; class 1 then has the link for itself. */
static void hold__is_of_one_class(void **state)
{
    struct lossless_star *l = *state;
    l->star.config.tiers[0].mmu.buffer_cells = 200000;
    lossless_flow(l, 0, 0, 1, 1000);
    lossless_flow(l, 1, 0, 2, 1000);
    lossless_run(l);
    assert_int_equal(host(l, 0)->end.peer.held, 1);
    assert_int_equal(told(l, 0)->end.peer.counters[1].pauses, 0);
    weir_ps held = weir_pfc_peer_held_ps(&host(l, 0)->end.peer, 0, 100 * US);
    const struct records *records = &l->star.sim->records;
    int64_t possible = (held / NS - 2 * LOSSLESS_MTU) / LOSSLESS_MTU * 1490;
    int64_t other = records->at[0].destination == 2 ? records->at[0].delivered_bytes : records->at[1].delivered_bytes;
    assert_true(held > 50 * US);
    assert_true(other >= possible);
}

/* The link of a held host fails and is repaired: neither end remembers, and the pause is sent again. */
static void link__that_fails_forgets_and_is_told_anew(void **state)
{
    struct lossless_star *l = *state;
    struct sim_link_change changes[] = {{40 * US, 0, false}, {50 * US, 0, true}};
    l->star.config.tiers[0].mmu.buffer_cells = 200000;
    l->star.config.changes = changes;
    l->star.config.change_count = 2;
    lossless_flow(l, 0, 0, 1, 1000);
    lossless_run(l);
    assert_int_equal(told(l, 0)->end.peer.counters[0].pauses, 2);
    assert_int_equal(told(l, 0)->end.peer.counters[0].resumes, 0);
    assert_int_equal(told(l, 0)->end.peer.told, 1);
    assert_int_equal(host(l, 0)->end.peer.held, 1);
    weir_ps held = weir_pfc_peer_held_ps(&host(l, 0)->end.peer, 0, 100 * US);
    assert_true(held < 90 * US);
}

/* A frame that is under way when the link fails is lost, and the balance comes out even. */
static void link__that_fails_takes_frames_with_it(void **state)
{
    struct lossless_star *l = *state;
    struct sim_link_change changes[] = {{0, 0, false}};
    l->star.config.tiers[0].mmu.buffer_cells = 200000;
    l->star.links[0].delay_ps = 10 * US;
    lossless_flow(l, 0, 0, 1, 1000);
    lossless_run(l);
    weir_ps sent = lossless_switch(l)->pfc_measure->queue[0].sent_ps;
    assert_true(sent < 90 * US);
    sim_free(l->star.sim);
    changes[0].when = sent + 5 * US;
    l->star.config.changes = changes;
    l->star.config.change_count = 1;
    lossless_run(l);
    assert_int_equal(l->star.sim->frames_lost, 1);
    assert_int_equal(host(l, 0)->end.frames_received, 0);
}

/* Sizes of the headroom, as the settings say. */
static void uplinks__have_the_headroom_of_their_link(void **state)
{
    struct lossless_star *l = *state;
    struct sim_switch *tier = &l->star.config.tiers[0];
    l->star.links[0].delay_ps = 2 * US;
    lossless_flow(l, 0, 0, 1, 1);
    static const struct {
        enum sim_headroom_size size;
        uint32_t cell_bytes;
        int64_t expected;
    } cases[] = {
        {SIM_HEADROOM_EQUATION, 1, 2 * (2000 + 1500) + 3840},
        {SIM_HEADROOM_SAFE, 1, 2 * (2000 + 1500) + 3840 + 64 + 1500},
        {SIM_HEADROOM_BYTES, 1, 777},
        {SIM_HEADROOM_BYTES, 100, 8},
        {SIM_HEADROOM_SAFE, 100, 12404 / 10 + 1}, /* the worst packets have 10 bytes and a cell each */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tier->headroom_size = cases[i].size;
        tier->headroom_bytes = 777;
        tier->mmu.cell_bytes = cases[i].cell_bytes;
        sim_free(l->star.sim);
        star_create(&l->star);
        const struct weir_view *view = weir_mmu_ingress_view(lossless_switch(l)->port[0].mmu);
        assert_int_equal(view->uplink[0].headroom_cells, cases[i].expected);
        assert_int_equal(view->uplink[0].delay_ps, 2 * US);
        assert_int_equal(view->uplink[0].mtu_bytes, 1500);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pause__and_resume_alternate_and_lose_nothing), TEST(pause__that_lasts_is_refreshed),
        TEST(pause__that_is_not_refreshed_expires),         TEST(hold__is_of_one_class),
        TEST(link__that_fails_forgets_and_is_told_anew),    TEST(link__that_fails_takes_frames_with_it),
        TEST(uplinks__have_the_headroom_of_their_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
