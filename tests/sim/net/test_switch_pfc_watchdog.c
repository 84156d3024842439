/*
 * test_switch_pfc_watchdog.c - two switches in a row. The second one cannot send and pauses the first, whose queue then
 * waits for as long as the watchdog allows: it is emptied, goes on in spite of the pause, or is only reported.
 */
#include "sim/summary.h"
#include "tests/support/lossless_star.h"

#define DETECT (50 * US)
#define RESTORE (30 * US)

struct chain {
    struct lossless_star l;
    struct topology_link links[5];
    uint8_t tiers[2];
};

static int start(void **state)
{
    static struct chain c;
    lossless_init(&c.l);
    static const struct topology_link links[5] = {
        {0, 4, 8000000000, 0}, {4, 5, 8000000000, 0}, {1, 5, 1000000, 0}, {2, 4, 8000000000, 0}, {3, 5, 8000000000, 0}};
    memcpy(c.links, links, sizeof links);
    struct sim_config *config = &c.l.star.config;
    c.l.star.topology =
        (struct topology){.hosts = STAR_HOSTS, .switches = 2, .link_count = 5, .links = c.links, .tier = c.tiers};
    config->tiers[0].mmu.buffer_cells = 200000;
    config->until_ps = 400 * US;
    config->pfc.quanta = 400; /* 25.6 us, so that a pause is said again every 12.8 us */
    config->pfc.watchdog_detect_ps = DETECT;
    config->pfc.watchdog_restore_ps = RESTORE;
    lossless_flow(&c.l, 0, 0, 1, 1000);
    *state = &c;
    return 0;
}

static int stop(void **state)
{
    sim_free(((struct chain *)*state)->l.star.sim);
    return 0;
}

static void run(struct chain *c, enum sim_watchdog_action action)
{
    c->l.star.config.pfc.watchdog_action = action;
    lossless_run(&c->l);
}

static const struct switch_pfc *of(const struct chain *c, uint32_t sw)
{
    return c->l.star.sim->switches[sw].pfc;
}

/* All that was lost at the first switch, of which the watchdog is the only cause. */
static uint64_t lost_to_it(const struct chain *c)
{
    struct summary_losses losses;
    summary_losses(&c->l.star.sim->measure, 0, &losses);
    assert_int_equal(losses.total, losses.watchdog);
    return losses.watchdog;
}

/* Host 0's port is number 0 of the first switch, the way to the second is number 1. */
static void drop__empties_the_queue_and_loses_what_arrives(void **state)
{
    struct chain *c = *state;
    run(c, SIM_WATCHDOG_DROP);
    assert_int_equal(of(c, 0)->storms, 1);
    assert_int_equal(of(c, 1)->storms, 0); /* nobody pauses the second switch */
    /* what waited in the queue, which is at least its threshold, and what arrives at line rate ever since */
    assert_true(lost_to_it(c) * LOSSLESS_MTU > 250000);
    assert_int_equal(of(c, 0)->port[0].end.peer.told, 0); /* the host may go on, into the void */
    assert_int_equal(lossless_refused(&c->l, 0), 0);
    assert_int_equal(c->l.star.sim->switches[0].pfc_measure->lost, 0); /* no lack of headroom */
    assert_true(of(c, 0)->port[1].watch[0].storm);                     /* refreshes still arrive */
}

static void forward__sends_in_spite_of_the_pause(void **state)
{
    struct chain *c = *state;
    run(c, SIM_WATCHDOG_FORWARD);
    assert_int_equal(of(c, 0)->storms, 1);
    assert_int_equal(lost_to_it(c), 0);
    const struct pfc_measure *second = c->l.star.sim->switches[1].pfc_measure;
    assert_true(second->lost > 0);
    assert_true(c->l.star.sim->links[2].packets * LOSSLESS_MTU > 250000);
}

static void alert__only_counts(void **state)
{
    struct chain *c = *state;
    run(c, SIM_WATCHDOG_ALERT);
    assert_int_equal(of(c, 0)->storms, 1);
    assert_int_equal(lost_to_it(c), 0);
    assert_int_equal(c->l.star.sim->switches[1].pfc_measure->lost, 0);
    assert_int_equal(c->l.star.sim->hosts[0].pfc->end.peer.held, 1);
}

/* Without packets that wait there is no storm, however long the pause: the last packet leaves before it begins. */
static void watchdog__needs_packets_that_wait(void **state)
{
    struct chain *c = *state;
    c->l.flows[0][0].bytes = 9 * 1490;
    run(c, SIM_WATCHDOG_DROP);
    assert_int_equal(of(c, 0)->port[1].end.peer.held, 1);
    assert_true(of(c, 0)->port[1].end.frames_received > 10); /* refreshed all the time */
    assert_int_equal(of(c, 0)->storms + of(c, 1)->storms, 0);
}

/* A pause is in force between its refreshes: however far they are apart, it is one storm. */
static void restore__waits_for_the_end_of_the_pause(void **state)
{
    static const enum sim_watchdog_action actions[] = {SIM_WATCHDOG_DROP, SIM_WATCHDOG_FORWARD, SIM_WATCHDOG_ALERT};
    struct chain *c = *state;
    c->l.star.config.pfc.quanta = 1600; /* refreshed every 51.2 us, and restored after 30 us */
    for (uint32_t i = 0; i < 3; i++) {
        if (i > 0)
            sim_free(c->l.star.sim);
        run(c, actions[i]);
        assert_int_equal(of(c, 0)->storms, 1);
        assert_true(of(c, 0)->port[1].watch[0].storm);
        assert_int_equal(of(c, 0)->port[1].end.peer.held, 1);
    }
}

/* The second switch gets rid of what it has: the storm is over some time after the last PAUSE. */
static void restore__follows_the_last_pause(void **state)
{
    struct chain *c = *state;
    c->links[2].rate_bps = 400000000;
    c->l.star.config.until_ps = 6000 * US;
    lossless_flow(&c->l, 0, 2, 1, 30);
    c->l.flows[0][0].bytes = 60 * 1490;
    run(c, SIM_WATCHDOG_ALERT);
    assert_true(of(c, 0)->storms >= 1);
    assert_false(of(c, 0)->port[1].watch[0].storm);
    assert_int_equal(c->l.star.sim->status, SIM_DONE);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_not_equal(c->l.star.sim->records.at[i].finish_ps, WEIR_NEVER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(drop__empties_the_queue_and_loses_what_arrives),
        TEST(forward__sends_in_spite_of_the_pause),
        TEST(alert__only_counts),
        TEST(watchdog__needs_packets_that_wait),
        TEST(restore__waits_for_the_end_of_the_pause),
        TEST(restore__follows_the_last_pause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
