/*
 * test_waiting.c - waiting times of the textbook queues, M/D/1 and M/M/1, made of a Poisson UDP source on a link 1000
 * times as fast as the output port that its packets wait for.
 *
 *   Pollaczek-Khinchine   W = lambda E[S^2] / (2 (1 - rho)),   rho = lambda E[S]
 *   M/D/1                 W = rho S / (2 (1 - rho))
 *   M/M/1                 W = rho S / (1 - rho)
 *   Little                mean bytes waiting = lambda E[bytes] W
 *
 * A packet has whole bytes, at least 64 and at most 65535, so that M/M/1 is M/G/1 with the moments of that
 * distribution; they are summed exactly here, and the textbook's number is printed beside. What is measured is the
 * delay of each packet from the start of its transmission to its delivery, less what it would have taken alone. The
 * time spent at the source's NIC shifts arrivals by at most one packet time there, a thousandth of a service time, and
 * is far inside of every interval.
 *
 * The mean queue is taken a second time, by a probe of the queue at fixed intervals: arrivals see what the clock sees.
 */
#include "theory.h"

#include "sim/net/network.h"
#include "sim/sim.h"

#define OUTPUT_BPS GBPS
#define INPUT_BPS (1000 * GBPS)
#define DELAY WEIR_PS_PER_US
#define PROBES_PER_BATCH 10000u

/* What the receiver had seen when a batch ended. */
struct watch {
    struct theory *t;
    uint64_t batch_packets;
    uint32_t done; /* batches, the warm-up included */
    uint64_t packets[THEORY_BATCHES + 2];
    double delay_ps[THEORY_BATCHES + 2], bytes[THEORY_BATCHES + 2];
};

static bool watch_progress(void *context, const struct sim_progress *progress)
{
    (void)progress;
    struct watch *w = context;
    const struct flow *flow = flow_at(&w->t->sim->worker[0]->flows, 0);
    if (!flow || udp_receiver(flow)->packets < w->batch_packets * (w->done + 1) || w->done > THEORY_BATCHES)
        return true;
    w->done++;
    w->packets[w->done] = udp_receiver(flow)->packets;
    w->delay_ps[w->done] = udp_receiver(flow)->delay_sum_ps;
    w->bytes[w->done] = (double)flow->delivered_bytes;
    return true;
}

/* Moments of a packet's size, in bytes. */
struct moments {
    double first, second;
};

/* Of an exponential size cut to [64, 65535] and rounded down. */
static struct moments exponential_moments(double mean)
{
    struct moments m = {0};
    for (uint32_t bytes = 64; bytes <= UINT16_MAX; bytes++) {
        double low = bytes == 64 ? 1 : exp(-(double)bytes / mean),
               high = bytes == UINT16_MAX ? 0 : exp(-(bytes + 1.0) / mean);
        m.first += bytes * (low - high);
        m.second += (double)bytes * bytes * (low - high);
    }
    return m;
}

struct queue {
    const char *name;
    bool exponential;
    uint32_t packet_bytes; /* mean of what is drawn */
    double load;           /* nominal: of the mean that is drawn */
    uint64_t batch_packets;
    double widest; /* relative half-width of the interval that is still of use */
};

static void queue_config(struct theory *t, const struct queue *q, weir_ps until_ps)
{
    static const weir_bps rates[] = {INPUT_BPS, OUTPUT_BPS};
    const struct topology_single shape = {.hosts = 2, .rates_bps = rates, .delay_ps = DELAY};
    theory_init(t, until_ps);
    assert_true(topology_single(&t->topology, &shape, &t->error));
    theory_policy(t, "cs", NULL, 100000000);
    t->config.wire.mss_bytes = q->packet_bytes - t->config.wire.header_bytes;
    struct udp_params *udp = udp_params(theory_transport(t, &transport_udp));
    udp->rate_bps = (weir_bps)(q->load * (double)OUTPUT_BPS);
    udp->poisson = true;
    udp->exponential_sizes = q->exponential;
    struct traffic_settings *traffic = theory_traffic(t, TRAFFIC_LONG);
    traffic->source_count = 1;
    traffic->destination_first = 1;
    traffic->destination_count = 1;
}

static struct interval wait_interval(const struct watch *w)
{
    double batch[THEORY_BATCHES];
    const uint32_t header = w->t->config.wire.header_bytes;
    double per_byte = 8e12 / (double)OUTPUT_BPS + 8e12 / (double)INPUT_BPS;
    for (uint32_t i = 0; i < THEORY_BATCHES; i++) {
        double packets = (double)(w->packets[i + 2] - w->packets[i + 1]);
        double bytes = (w->bytes[i + 2] - w->bytes[i + 1]) / packets + header;
        batch[i] = ((w->delay_ps[i + 2] - w->delay_ps[i + 1]) / packets - bytes * per_byte - 2.0 * DELAY) / 1e6;
    }
    return theory_interval(batch);
}

/* Mean bytes waiting, from equally many points per batch; the first batch is the warm-up. */
static struct interval length_interval(const struct theory *t)
{
    const struct series *series = &sim_measure(t->sim)->probe[0];
    double batch[THEORY_BATCHES] = {0};
    assert_true(series->count >= (THEORY_BATCHES + 1) * PROBES_PER_BATCH);
    for (uint32_t i = 0; i < THEORY_BATCHES * PROBES_PER_BATCH; i++)
        batch[i / PROBES_PER_BATCH] += (double)series->points[i + PROBES_PER_BATCH].queue_cells / PROBES_PER_BATCH;
    return theory_interval(batch);
}

static void expect_queue(const struct queue *q)
{
    struct theory t;
    struct watch w = {.t = &t, .batch_packets = q->batch_packets};
    struct moments m = {q->packet_bytes, (double)q->packet_bytes * q->packet_bytes};
    if (q->exponential)
        m = exponential_moments(q->packet_bytes);
    double service_us = 8e6 / (double)OUTPUT_BPS, gap_us = q->packet_bytes * service_us / q->load;
    double rho = m.first * service_us / gap_us;
    double wait_us = m.second * service_us * service_us / gap_us / (2 * (1 - rho));
    weir_ps until = (weir_ps)(gap_us * 1e6 * (double)q->batch_packets * (THEORY_BATCHES + 1.5));
    queue_config(&t, q, until);
    theory_probe(&t, 1, until / ((THEORY_BATCHES + 1) * PROBES_PER_BATCH), (THEORY_BATCHES + 2) * PROBES_PER_BATCH);
    theory_run_watched(&t, watch_progress, &w);
    assert_true(w.done == THEORY_BATCHES + 1);
    assert_true(theory_losses(&t, 0, 1) == 0);
    char what[80];
    snprintf(what, sizeof what, "%s, load %.1f: mean wait, us", q->name, q->load);
    theory_expect(what, wait_us, wait_interval(&w), q->widest);
    snprintf(what, sizeof what, "%s, load %.1f: mean waiting, bytes", q->name, q->load);
    theory_expect(what, m.first / gap_us * wait_us, length_interval(&t), 1.5 * q->widest);
    if (q->exponential)
        print_message("   (the textbook's M/M/1, without limits of the size, has %.6g us)\n",
                      q->load * q->packet_bytes * service_us / (1 - q->load));
    theory_free(&t);
}

static void constant_sizes__pollaczek_khinchine(void **state)
{
    (void)state;
    expect_queue(&(struct queue){"M/D/1", false, 1500, 0.5, 60000, 0.015});
    expect_queue(&(struct queue){"M/D/1", false, 1500, 0.8, 90000, 0.02});
    expect_queue(&(struct queue){"M/D/1", false, 1500, 0.9, 150000, 0.035});
}

static void exponential_sizes__pollaczek_khinchine(void **state)
{
    (void)state;
    expect_queue(&(struct queue){"M/M/1", true, 6000, 0.5, 60000, 0.02});
    expect_queue(&(struct queue){"M/M/1", true, 6000, 0.8, 120000, 0.025});
    expect_queue(&(struct queue){"M/M/1", true, 6000, 0.9, 300000, 0.035});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_sizes__pollaczek_khinchine),
        cmocka_unit_test(exponential_sizes__pollaczek_khinchine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
