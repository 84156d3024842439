/*
 * test_ties.c - packets that reach a switch in the same picosecond. Eight hosts at the same distance send constant
 * packets at the same moments through one port that is offered twice what it carries, into a full buffer that drops
 * what does not fit. Of each round of eight packets four find room. Which ones is drawn for the round, so that each
 * sender loses one half: as a switch that was measured with eight equal streams, whose losses differed by 0.5 %.
 *
 * In 20,000 rounds a sender loses 10,000 packets, with a standard deviation of 71 (binomial; that of a draw without
 * replacement is less). The bound is 3 %, four standard deviations. An order that follows ports or flows gives the
 * first four senders everything and the others nothing.
 */
#include "theory.h"

#define SENDERS 8u
#define ROUNDS 20000u
#define ROUND_PS (48 * WEIR_PS_PER_US) /* four packets of 1500 B at 1 Gb/s */

static void ties_flows(struct theory *t, struct listed_flow flows[SENDERS], uint32_t hosts)
{
    udp_params(theory_transport(t, &transport_udp))->rate_bps = 250 * MBPS;
    for (uint32_t i = 0; i < SENDERS; i++) {
        flows[i] =
            (struct listed_flow){.source = i % hosts, .destination = hosts, .bytes = 1460 * (int64_t)ROUNDS, .tag = i};
        theory_flow(t, &flows[i]);
    }
}

static void expect_even_losses(const struct theory *t, const char *what)
{
    const struct records *records = sim_records(t->sim);
    assert_int_equal(records->count, SENDERS);
    double mean = 0, worst = 0;
    for (uint32_t i = 0; i < SENDERS; i++)
        mean += (double)records->at[i].lost / SENDERS;
    assert_true(mean > ROUNDS * 0.49 && mean < ROUNDS * 0.51);
    for (uint32_t i = 0; i < SENDERS; i++)
        worst = fmax(worst, fabs((double)records->at[i].lost / mean - 1));
    print_message("%s, seed %u: %.0f packets lost per sender, the farthest %.2f %% from the mean\n", what,
                  (unsigned)t->config.seed, mean, 100 * worst);
    assert_true(worst < 0.03);
}

/* Each sender on its own link. */
static void arrivals__lose_alike(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct theory t;
        struct listed_flow flows[SENDERS];
        theory_init(&t, 2 * ROUNDS * ROUND_PS);
        const struct topology_single shape = {.hosts = SENDERS + 1, .rate_bps = GBPS, .delay_ps = WEIR_PS_PER_US};
        assert_true(topology_single(&t.topology, &shape, &t.error));
        theory_policy(&t, "cs", NULL, 15000);
        ties_flows(&t, flows, SENDERS);
        t.config.seed = seed;
        theory_run(&t);
        expect_even_losses(&t, "8 links");
        theory_free(&t);
    }
}

/* All on one fast link, paced by timers of the same moments. */
static void timers__lose_alike(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const weir_bps rates[] = {100 * GBPS, GBPS};
        struct theory t;
        struct listed_flow flows[SENDERS];
        theory_init(&t, 2 * ROUNDS * ROUND_PS);
        const struct topology_single shape = {.hosts = 2, .rates_bps = rates, .delay_ps = WEIR_PS_PER_US};
        assert_true(topology_single(&t.topology, &shape, &t.error));
        theory_policy(&t, "cs", NULL, 15000);
        ties_flows(&t, flows, 1);
        t.config.seed = seed;
        theory_run(&t);
        expect_even_losses(&t, "1 link");
        theory_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrivals__lose_alike),
        cmocka_unit_test(timers__lose_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
