/*
 * test_uet_shares.c - N flows of Ultra Ethernet through one port, against the fixed points of their rules.
 *
 *   NSCC   a window grows by bytes^2 / window in proportion to what is acknowledged, so by the same amount for all in a
 *          round trip, and shrinks by a factor: windows become even. It shrinks only while the mean delay is above D,
 *          and eta raises it in every round trip: where all is marked below D, the delay settles at D, and the queue at
 *          C D.
 *   RCCC   the receiver grants credit at 0.99 of its rate, in turn: N flows get 0.99 / N each, whatever the network.
 *
 * Bounds: a share over 4 ms is taken to 10 % with NSCC, whose windows are tens of packets and move by whole ones, and
 * to 1 % with RCCC, whose grants are turns; the port's part to 1 %.
 */
#include "theory.h"

#include "sim/transport/uet.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS
#define PORT_BPS (100 * GBPS)
#define SENDERS_MAX 8u
#define LOW 20000
#define HIGH 80000
#define MIDDLE (4 * MS)
#define END (8 * MS)

static void run(struct theory *t, uint32_t senders, enum uet_control control, struct listed_flow flows[SENDERS_MAX])
{
    theory_init(t, END);
    const struct topology_single shape = {.hosts = senders + 1, .rate_bps = PORT_BPS, .delay_ps = 2 * US};
    assert_true(topology_single(&t->topology, &shape, &t->error));
    theory_policy(t, "cs", NULL, 100000000);
    t->config.tiers[0].mmu.marking[0] = (struct weir_marking){WEIR_MARK_RED, LOW, HIGH, WEIR_Q16_ONE};
    struct uet_params *params = (struct uet_params *)theory_transport(t, &transport_uet)->params;
    params->control = (uint8_t)control;
    for (uint32_t i = 0; i < senders; i++) {
        flows[i] = (struct listed_flow){.source = i, .destination = senders, .tag = i, .bytes = INT32_MAX};
        theory_flow(t, &flows[i]);
    }
    t->config.goodput_interval_ps = MIDDLE;
    theory_probe(t, senders, US, 10000);
    theory_run(t);
}

/* Rate of a flow on the wire in the second half, as a part of the port's. */
static double share(const struct theory *t, uint32_t flow)
{
    return (double)sim_measure(t->sim)->goodput[flow][1] * 1500 / 1460 * 8 / ((double)PORT_BPS * 0.004);
}

static void expect_shares(const struct theory *t, uint32_t senders, double total, double bound)
{
    double sum = 0;
    for (uint32_t i = 0; i < senders; i++) {
        theory_expect_near("  share of a flow", total / senders, share(t, i), bound * total / senders);
        sum += share(t, i);
    }
    theory_expect_near("  part of the port", total, sum, 0.01);
}

static void nscc__flows_share_a_full_port(void **state)
{
    (void)state;
    for (uint32_t senders = 2; senders <= SENDERS_MAX; senders *= 2) {
        struct theory t;
        struct listed_flow flows[SENDERS_MAX];
        run(&t, senders, UET_NSCC, flows);
        print_message("nscc, %u flows\n", senders);
        expect_shares(&t, senders, 1, 0.1);
        const struct series *series = &sim_measure(t.sim)->probe[0];
        double queue = 0;
        for (uint32_t i = series->count / 2; i < series->count; i++)
            queue += (double)series->points[i].queue_cells / (series->count - series->count / 2);
        weir_ps trip = 8 * US + 2 * theory_wire_ps(&t, PORT_BPS, 1500) + 2 * theory_wire_ps(&t, PORT_BPS, 40);
        double delayed = 0.75 * (double)trip * (double)PORT_BPS / 8e12;
        theory_expect_near("  queue, bytes", delayed, queue, 0.1 * delayed);
        theory_free(&t);
    }
}

static void rccc__flows_share_what_is_granted(void **state)
{
    (void)state;
    for (uint32_t senders = 1; senders <= SENDERS_MAX; senders *= 2) {
        struct theory t;
        struct listed_flow flows[SENDERS_MAX];
        run(&t, senders, UET_RCCC, flows);
        print_message("rccc, %u flows\n", senders);
        expect_shares(&t, senders, 0.99, 0.01);
        theory_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nscc__flows_share_a_full_port),
        cmocka_unit_test(rccc__flows_share_what_is_granted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
