/*
 * lossless_star.h - a switch whose class 0 is lossless under SIH and whose class 1 is lossy, with hosts that send UDP
 * at the rate of their links: 8 Gb/s, so that a byte takes a nanosecond; packets of 1500 bytes and no gaps. Host 1
 * hangs on a link so slow that what is sent to it stays in the switch for longer than a test.
 */
#ifndef TESTS_SUPPORT_LOSSLESS_STAR_H
#define TESTS_SUPPORT_LOSSLESS_STAR_H

#include "sim/net/host_pfc.h"
#include "sim/net/pfc_measure.h"
#include "sim/net/switch_pfc.h"
#include "sim/transport/udp.h"
#include "tests/support/sim_star.h"

#define US WEIR_PS_PER_US
#define LOSSLESS_FLOWS 8u
#define LOSSLESS_MTU 1500

struct lossless_star {
    struct star star;
    struct sim_transport transports[2]; /* udp of class 0, and of class 1 */
    struct traffic_settings traffic[2]; /* and the flows of each */
    struct listed_flow flows[2][LOSSLESS_FLOWS];
};

/* Nothing is sent yet: see lossless_flow. */
static inline void lossless_init(struct lossless_star *l)
{
    star_init(&l->star);
    struct sim_config *config = &l->star.config;
    l->star.links[1].rate_bps = 1000000;
    config->wire = (struct sim_wire){LOSSLESS_MTU - 10, 10, 10, 0};
    config->until_ps = 100 * US;
    weir_mmu_config_init(&config->tiers[0].mmu, 1, 2, 1 << 22);
    config->tiers[0].mmu.egress = weir_policy_find("cs");
    config->tiers[0].mmu.ingress = weir_policy_find("sih");
    config->tiers[0].mmu.lossless_mask = 1;
    for (uint8_t tc = 0; tc < 2; tc++) {
        sim_transport_init(&l->transports[tc], &transport_udp);
        l->transports[tc].data_class = tc;
        udp_params(&l->transports[tc])->rate_bps = 0; /* of the link */
        l->traffic[tc] = l->star.traffic;
        l->traffic[tc].transport = tc;
        l->traffic[tc].flows = l->flows[tc];
        l->traffic[tc].listed = 0;
    }
    config->transports = l->transports;
    config->traffic = l->traffic;
    config->transport_count = config->traffic_count = 2;
}

/* So many full packets from one host to another, at the rate of the link. */
static inline void lossless_flow(struct lossless_star *l, uint32_t tc, uint32_t from, uint32_t to, uint32_t packets)
{
    struct traffic_settings *traffic = &l->traffic[tc];
    assert_true(traffic->listed < LOSSLESS_FLOWS);
    l->flows[tc][traffic->listed++] =
        (struct listed_flow){.source = from, .destination = to, .bytes = (int64_t)packets * (LOSSLESS_MTU - 10)};
}

static inline void lossless_run(struct lossless_star *l)
{
    star_create(&l->star);
    assert_int_equal(sim_run(l->star.sim, NULL, NULL), SIM_DONE);
}

static inline struct switch_node *lossless_switch(const struct lossless_star *l)
{
    return &l->star.sim->switches[0];
}

static inline uint64_t lossless_refused(const struct lossless_star *l, uint32_t tc)
{
    const struct measure_switch *sw = &l->star.sim->measure.sw[0];
    uint64_t sum = 0;
    for (uint32_t p = 0; p < sw->ports; p++)
        for (uint32_t r = 0; r < WEIR_REASON_COUNT; r++)
            sum += sw->queue[tc * sw->ports + p].refused[r];
    return sum;
}

#endif
