/*
 * bursts.h - the switch of TDT's micro-benchmarks (section VI-A) on links: 16 ports of C = 1 Gb/s, B = 1 MB, packets of
 * 1500 B. A port is overloaded as in a real switch: by several hosts that each send at most at their link's rate. Hosts
 * 0, 1, 2 ... receive; senders are taken from the top. The senders of one overload start evenly spread over a packet
 * time, so that their packets arrive one by one.
 */
#ifndef WEIR_TESTS_BURSTS_H
#define WEIR_TESTS_BURSTS_H

#include "theory.h"

#define BURSTS_PORTS 16u
#define BURSTS_BUFFER 1000000
#define BURSTS_PACKET 1500u
#define BURSTS_DELAY WEIR_PS_PER_US /* of a link */

struct bursts {
    struct theory t;
    struct listed_flow flows[BURSTS_PORTS];
    uint32_t senders;
};

static inline weir_ps bursts_packet_ps(weir_bps rate_bps)
{
    return (weir_ps)(BURSTS_PACKET * 8 * (uint64_t)WEIR_PS_PER_S / (uint64_t)rate_bps);
}

static inline void bursts_init(struct bursts *b, const char *policy, weir_ps until_ps)
{
    *b = (struct bursts){0};
    theory_init(&b->t, until_ps);
    const struct topology_single shape = {.hosts = BURSTS_PORTS, .rate_bps = GBPS, .delay_ps = BURSTS_DELAY};
    assert_true(topology_single(&b->t.topology, &shape, &b->t.error));
    theory_policy(&b->t, policy, NULL, BURSTS_BUFFER);
}

/* One host sends to the port for a time; its traffic's number. */
static inline uint32_t bursts_sender(struct bursts *b, uint32_t port, weir_bps rate_bps, weir_ps start_ps,
                                     weir_ps length_ps)
{
    struct listed_flow *flow = &b->flows[b->senders++];
    int64_t packets = length_ps / bursts_packet_ps(rate_bps);
    *flow = (struct listed_flow){.start_ps = start_ps,
                                 .source = BURSTS_PORTS - b->senders,
                                 .destination = port,
                                 .bytes = packets * b->t.config.wire.mss_bytes};
    assert_true(flow->source > port);
    udp_params(theory_transport(&b->t, &transport_udp))->rate_bps = rate_bps;
    theory_flow(&b->t, flow);
    return b->t.config.traffic_count - 1;
}

/* Packets arrive for the port at `rate_bps` in all from arrival_ps on, for a time: the first one is there a packet time
 * after arrival_ps, as it is in the fluid that the theory speaks of. */
static inline void bursts_overload(struct bursts *b, uint32_t port, weir_bps rate_bps, weir_ps arrival_ps,
                                   weir_ps length_ps)
{
    uint32_t senders = (uint32_t)((rate_bps + GBPS - 1) / GBPS);
    weir_ps spacing = bursts_packet_ps(rate_bps);
    weir_ps first = arrival_ps + spacing - bursts_packet_ps(GBPS) - BURSTS_DELAY;
    for (uint32_t i = 0; i < senders; i++) {
        weir_bps rest = rate_bps - (weir_bps)i * GBPS;
        bursts_sender(b, port, rest < GBPS ? rest : GBPS, first + (weir_ps)i * spacing, length_ps);
    }
}

/* The sum over the records of one port's flows. */
struct bursts_total {
    uint64_t offered, delivered; /* packets */
};

static inline struct bursts_total bursts_total(const struct bursts *b, uint32_t port)
{
    struct bursts_total total = {0};
    const struct records *records = sim_records(b->t.sim);
    for (uint32_t i = 0; i < records->count; i++) {
        if (records->at[i].destination != port)
            continue;
        total.offered += (uint64_t)(records->at[i].bytes / b->t.config.wire.mss_bytes);
        total.delivered += records->at[i].packets;
    }
    return total;
}

static inline const struct series *bursts_series(const struct bursts *b, uint32_t probe)
{
    const struct series *series = &sim_measure(b->t.sim)->probe[probe];
    assert_true(series->count > 0 && !series->full);
    return series;
}

/* When the port first loses a packet between two times: found by ending the same run earlier and earlier. */
static inline weir_ps bursts_first_loss(struct bursts *b, uint32_t port, weir_ps low, weir_ps high)
{
    while (high - low > WEIR_PS_PER_US / 1000) {
        weir_ps middle = low + (high - low) / 2;
        b->t.config.until_ps = middle;
        theory_run(&b->t);
        if (theory_losses(&b->t, 0, port))
            high = middle;
        else
            low = middle;
        sim_free(b->t.sim);
    }
    b->t.sim = NULL;
    return high;
}

#endif
