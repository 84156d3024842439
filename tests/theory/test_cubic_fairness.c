/*
 * test_cubic_fairness.c - three CUBIC flows through one 100 Mb/s port get a third of it each (TDT, Figure 12): four
 * hosts on 100 Mb/s links, starts 5 s apart, a buffer of 2 MB under DT or TDT. The paper gives no delay: 1 ms per link
 * here.
 *
 * Equal links, equal packets and one clock make for phase effects (Floyd and Jacobson 1992): a flow that was alone
 * first sends each packet at the very moment at which one leaves the full queue, always gets the place, and the others
 * get nothing, for ever. Hosts have no such clock. So each sender also sends 2 Mb/s of Poisson packets of random size,
 * which the shares leave out.
 *
 * Shares wander slowly, since a flow that gains holds its window for many seconds: the interval of a share is a seventh
 * of it with batches of 40 s, a tenth with four times as many seconds, which make test-long has.
 */
#include "theory.h"

#include "sim/summary.h"

#define FLOWS 3u

static bool has_time(void)
{
    const char *rounds = getenv("WEIR_TEST_ROUNDS");
    return rounds != NULL && strtoul(rounds, NULL, 10) > 1;
}

/* A batch, and the warm-up. */
static weir_ps batch(void)
{
    return (has_time() ? 160 : 40) * WEIR_PS_PER_S;
}

static void fairness_config(struct theory *t, const char *policy, struct listed_flow flows[2 * FLOWS])
{
    theory_init(t, (1 + THEORY_BATCHES) * batch());
    const struct topology_single shape = {.hosts = FLOWS + 1, .rate_bps = 100 * MBPS, .delay_ps = WEIR_PS_PER_MS};
    assert_true(topology_single(&t->topology, &shape, &t->error));
    theory_policy(t, policy, NULL, 2000000);
    struct tcp_params *cubic = tcp_params(theory_transport(t, &transport_cubic));
    cubic->min_rto_ps = cubic->initial_rto_ps = 200 * WEIR_PS_PER_MS;
    for (uint32_t i = 0; i < 2 * FLOWS; i++) {
        flows[i] = (struct listed_flow){.source = i % FLOWS, .destination = FLOWS, .bytes = INT64_C(1) << 40, .tag = i};
        flows[i].start_ps = i < FLOWS ? (weir_ps)i * 5 * WEIR_PS_PER_S : 0;
        if (i == FLOWS) {
            struct udp_params *udp = udp_params(theory_transport(t, &transport_udp));
            udp->rate_bps = 2 * MBPS;
            udp->poisson = udp->exponential_sizes = true;
        }
        theory_flow(t, &flows[i]);
    }
    t->config.goodput_interval_ps = batch();
}

static void expect_thirds(const char *policy)
{
    struct theory t;
    struct listed_flow flows[2 * FLOWS];
    double share[FLOWS][THEORY_BATCHES], mean[FLOWS];
    fairness_config(&t, policy, flows);
    theory_run(&t);
    int64_t *const *goodput = sim_measure(t.sim)->goodput;
    for (uint32_t b = 0; b < THEORY_BATCHES; b++) {
        double all = (double)(goodput[0][1 + b] + goodput[1][1 + b] + goodput[2][1 + b]);
        for (uint32_t i = 0; i < FLOWS; i++)
            share[i][b] = (double)goodput[i][1 + b] / all;
    }
    for (uint32_t i = 0; i < FLOWS; i++) {
        char what[80];
        struct interval found = theory_interval(share[i]);
        snprintf(what, sizeof what, "Figure 12, %s: share of flow %u", policy, i + 1);
        theory_expect(what, 1.0 / FLOWS, found, has_time() ? 0.1 : 0.15);
        mean[i] = found.mean;
    }
    double sum = 0, bins = (double)THEORY_BATCHES * (double)batch() / 1e12;
    for (uint32_t tag = 0; tag < 2 * FLOWS; tag++)
        for (uint32_t b = 0; b < THEORY_BATCHES; b++)
            sum += (double)goodput[tag][1 + b] * 8 / bins;
    print_message("Figure 12, %s: Jain's index of the shares %.4f, payload of all flows %.2f Mb/s\n", policy,
                  statistics_jain(mean, FLOWS), sum / 1e6);
    assert_true(statistics_jain(mean, FLOWS) > 0.99);
    theory_free(&t);
}

static void dt__shares(void **state)
{
    (void)state;
    expect_thirds("dt");
}

static void tdt__shares(void **state)
{
    (void)state;
    expect_thirds("tdt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dt__shares),
        cmocka_unit_test(tdt__shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
