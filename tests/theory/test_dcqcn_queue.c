/*
 * test_dcqcn_queue.c - the queue of N DCQCN flows through one port against the fixed point of its rules, with the
 * settings of Zhu et al., SIGCOMM 2015; only RED's line goes on to 980 KB and 5 % instead of 200 KB and 1 %, because
 * the jump to 100 % there is no fixed point.
 *
 * With p the chance of a mark and R = C / N the rate of a flow in packets per second, marks come by a Poisson process
 * of rate p R. A CNP is followed by silence of t_c, so that CNPs are X = t_c + Exp(p R) apart. In between
 *
 *   the timer expires n = floor(X / T) times: P(n >= k) = exp(-p R (k T - t_c));
 *   alpha decays by the factor 1 - g as often (its interval is T too) and then grows by g (1 - alpha), so that it
 *   settles at 1 / (1 + E n);
 *   target - rate, R alpha / 2 after the decrease, halves with each expiry, and from the one after the F-th on
 *   the target gains AI first.
 *
 * The rate that the next CNP finds is the one that the last one found if E(gains of the target) = E(target - rate at
 * the end), which is true for one p. It is found by bisection, and the queue is where RED marks with that chance:
 * k_min + p / p_max (k_max - k_min). The fluid model of the paper's section 5.1 is this with smooth rates and without
 * the silence, and gives queues that are shorter by a fifth.
 *
 * Bound: the byte counter (10 MB, longer than X by far), the spread of alpha and of R, and the part of the time in
 * which the queue is below k_min are left out; 10 % are allowed for them.
 */
#include "theory.h"

#include "sim/transport/roce_dcqcn.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS
#define PORT_BPS (40 * GBPS)
#define PACKET 1500.0
#define K_MIN 5000.0
#define K_MAX 980000.0
#define P_MAX 0.05
#define WARM_UP (100 * MS)
#define UNTIL (600 * MS)

#define TIMER_S 55e-6
#define SILENCE_S 50e-6
#define FAST 5u

/* By how much the rate grows from one CNP to the next, on average, when packets are marked with chance p. */
static double rate_gains(double p, double flows)
{
    double rate = (double)PORT_BPS / 8 / PACKET / flows, additive = 40e6 / 8 / PACKET;
    double tail = exp(p * rate * SILENCE_S), ratio = exp(-p * rate * TIMER_S), expiries = tail * ratio / (1 - ratio);
    double gap = rate / (1 + expiries) / 2, target = 0, gains = 0, reached = 1;
    for (uint32_t n = 0; n < 100000; n++) {
        double further = tail * exp(-p * rate * TIMER_S * (n + 1));
        gains += (reached - further) * (target - gap);
        double more = n >= FAST ? additive : 0;
        target += more;
        gap = (gap + more) / 2;
        reached = further;
    }
    return gains;
}

static double fixed_queue(double flows)
{
    double low = 1e-7, high = P_MAX;
    assert_true(rate_gains(low, flows) > 0 && rate_gains(high, flows) < 0);
    for (uint32_t i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (rate_gains(middle, flows) > 0)
            low = middle;
        else
            high = middle;
    }
    return K_MIN + low / P_MAX * (K_MAX - K_MIN);
}

static void dcqcn_config(struct theory *t, uint32_t flows)
{
    theory_init(t, UNTIL);
    const struct topology_single shape = {.hosts = flows + 1, .rate_bps = PORT_BPS, .delay_ps = US};
    assert_true(topology_single(&t->topology, &shape, &t->error));
    theory_policy(t, "cs", NULL, 100000000);
    t->config.tiers[0].mmu.marking[0] = (struct weir_marking){.kind = WEIR_MARK_RED,
                                                              .low_cells = (weir_cells)K_MIN,
                                                              .high_cells = (weir_cells)K_MAX,
                                                              .high_chance = (weir_q16)(P_MAX * WEIR_Q16_ONE)};
    struct dcqcn_params *dcqcn = dcqcn_params(theory_transport(t, &transport_dcqcn));
    dcqcn->roce.cnp_interval_ps = 50 * US;
    dcqcn->decrease_interval_ps = 0; /* with every CNP */
    dcqcn->alpha_interval_ps = dcqcn->increase_interval_ps = 55 * US;
    dcqcn->increase_bytes = 10000000;
    dcqcn->fast_recoveries = 5;
    dcqcn->clamp_target = true;
    dcqcn->roce.additive_bps = 25 * MBPS; /* 40 Mb/s on this link */
    dcqcn->roce.min_rate_bps = 10 * MBPS;
    struct traffic_settings *traffic = theory_traffic(t, TRAFFIC_LONG);
    traffic->source_count = flows;
    traffic->destination_first = flows;
    traffic->destination_count = 1;
    t->config.goodput_interval_ps = 100 * MS;
}

static double dcqcn_queue(uint32_t flows)
{
    struct theory t;
    dcqcn_config(&t, flows);
    uint32_t probe = theory_probe(&t, flows, 10 * US, 100000);
    theory_run(&t);
    const struct series *series = &sim_measure(t.sim)->probe[probe];
    double sum = 0;
    uint32_t first = (uint32_t)(WARM_UP / (10 * US));
    for (uint32_t i = first; i < series->count; i++)
        sum += (double)series->points[i].queue_cells;
    double queue = sum / (series->count - first), used = 0;
    for (weir_ps i = WARM_UP; i < UNTIL; i += 100 * MS)
        used += (double)sim_measure(t.sim)->goodput[0][i / (100 * MS)] * 1500 / 1460 * 8 /
                ((double)PORT_BPS * (double)(UNTIL - WARM_UP) / 1e12);
    char what[64];
    snprintf(what, sizeof what, "DCQCN, %u flows: queue, packets", flows);
    theory_expect_near(what, fixed_queue(flows) / PACKET, queue / PACKET, 0.1 * fixed_queue(flows) / PACKET);
    theory_expect_near("  part of the port", 1, used, 0.02);
    double fair = (double)PORT_BPS / 8 * (double)UNTIL / 1e12 * 1460 / 1500 / flows;
    for (uint32_t i = 0; i < flows; i++)
        theory_expect_near("  bytes of a flow", fair, (double)sim_records(t.sim)->at[i].delivered_bytes, 0.05 * fair);
    theory_free(&t);
    return queue;
}

static void dcqcn__queue_of_the_renewal_model(void **state)
{
    double last = K_MIN;
    (void)state;
    for (uint32_t flows = 2; flows <= 8; flows *= 2) {
        double queue = dcqcn_queue(flows);
        assert_true(queue > last && queue < K_MAX);
        last = queue;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dcqcn__queue_of_the_renewal_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
