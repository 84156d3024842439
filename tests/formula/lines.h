/*
 * lines.h - constant-rate sources into the output ports of one MMU, each port sending at its line rate.
 *
 * The smallest host there is: equal packets, one source per (port, class) at most, no transport. Arrivals come before
 * departures at the same instant. It is what the papers' closed formulas speak of.
 */
#ifndef WEIR_TESTS_LINES_H
#define WEIR_TESTS_LINES_H

#include "tests/support/fixture.h"

#define LINES_SOURCES_MAX 64u

struct line_source {
    uint32_t port, tc;
    weir_bps rate_bps;
    weir_ps start_ps, end_ps;
    uint64_t offered;            /* packets so far */
    uint64_t refused;            /* of these */
    weir_ps first_loss_ps;       /* of a packet of this source on arrival; WEIR_NEVER while there is none */
    weir_cells first_loss_cells; /* queue length of its account then */
};

struct lines {
    struct fixture f;
    uint32_t packet_bytes;
    struct line_source source[LINES_SOURCES_MAX];
    uint32_t sources;
    weir_ps port_free_ps[LINES_SOURCES_MAX]; /* when the port can send again; WEIR_NEVER: it waits for a packet */
    weir_ps now;
};

/* Time of `packets` packets at a rate of whole Mb/s. */
static inline weir_ps lines_packets_ps(const struct lines *l, uint64_t packets, weir_bps rate_bps)
{
    return (weir_ps)(packets * l->packet_bytes * 8 * UINT64_C(1000000) / ((uint64_t)rate_bps / 1000000));
}

static inline struct line_source *lines_add(struct lines *l, uint32_t port, weir_bps rate_bps, weir_ps start_ps,
                                            weir_ps end_ps)
{
    struct line_source *s = &l->source[l->sources++];
    *s = (struct line_source){
        .port = port, .rate_bps = rate_bps, .start_ps = start_ps, .end_ps = end_ps, .first_loss_ps = WEIR_NEVER};
    return s;
}

/* A packet arrives when its last bit has: n + 1 packet times after the start for the n-th. */
static inline weir_ps lines_next_ps(const struct lines *l, const struct line_source *s)
{
    weir_ps at = s->start_ps + lines_packets_ps(l, s->offered + 1, s->rate_bps);
    return at > s->end_ps ? WEIR_NEVER : at;
}

static inline void lines_start_port(struct lines *l, uint32_t port, weir_ps now)
{
    const struct weir_effects *fx = weir_mmu_depart(l->f.mmu, (weir_port){port}, now);
    l->port_free_ps[port] = fx->departed ? now + lines_packets_ps(l, 1, l->f.config.rate_bps) : WEIR_NEVER;
}

static inline void lines_offer_expel(struct lines *l)
{
    if (l->f.config.egress->needs & WEIR_NEED_EXPEL)
        weir_mmu_offer_expel(l->f.mmu, l->now);
}

static inline void lines_arrive(struct lines *l, struct line_source *s)
{
    weir_cells length = fixture_cells(&l->f, s->port, s->tc);
    bool accepted = fixture_accepts(&l->f, s->port, s->tc, l->packet_bytes, l->now);
    s->offered++;
    s->refused += !accepted;
    if (!accepted && s->first_loss_ps == WEIR_NEVER) {
        s->first_loss_ps = l->now;
        s->first_loss_cells = length;
    }
    if (l->port_free_ps[s->port] == WEIR_NEVER)
        lines_start_port(l, s->port, l->now);
    lines_offer_expel(l);
}

/* Starts over with the usual config, to be adjusted before lines_build. */
static inline void lines_config(struct lines *l, uint32_t ports, weir_cells buffer_cells, uint32_t packet_bytes)
{
    memset(l, 0, sizeof *l);
    fixture_config(&l->f, ports, 1, buffer_cells);
    l->f.config.packets_max = (uint32_t)buffer_cells / packet_bytes + 1;
    l->packet_bytes = packet_bytes;
}

static inline void lines_build(struct lines *l, const char *policy, const char *settings)
{
    fixture_build(&l->f, policy, settings);
    for (uint32_t port = 0; port < LINES_SOURCES_MAX; port++)
        l->port_free_ps[port] = WEIR_NEVER;
}

/* Runs until a time, or until the watched source (may be null) loses a packet. */
static inline void lines_run(struct lines *l, weir_ps until, const struct line_source *watched)
{
    for (;;) {
        struct line_source *source = NULL;
        uint32_t port = UINT32_MAX;
        weir_ps next = weir_mmu_next_event(l->f.mmu);
        for (uint32_t i = 0; i < l->f.config.ports; i++)
            if (l->port_free_ps[i] <= next) {
                next = l->port_free_ps[i];
                port = i;
            }
        for (uint32_t i = 0; i < l->sources; i++)
            if (lines_next_ps(l, &l->source[i]) <= next) {
                next = lines_next_ps(l, &l->source[i]);
                source = &l->source[i];
            }
        if (next > until || next == WEIR_NEVER)
            return;
        l->now = next > l->now ? next : l->now;
        if (source) {
            lines_arrive(l, source);
            if (source == watched && watched->first_loss_ps != WEIR_NEVER)
                return;
        } else if (port != UINT32_MAX) {
            lines_start_port(l, port, l->now);
            lines_offer_expel(l);
        } else {
            weir_mmu_advance(l->f.mmu, l->now);
            lines_offer_expel(l);
        }
    }
}

#endif
