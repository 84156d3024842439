/*
 * settings.c - from a scenario to what the hosts of the testbed are set to: see testbed.h. The kernel has one
 * minimum RTO and one way to acknowledge per host, so that transports which differ there cannot run beside each other.
 */
#define _GNU_SOURCE 1
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/testbed/switch.h"
#include "sim/transport/tcp_dctcp.h"
#include "sim/transport/udp.h"

#define FRAME_BYTES 18u    /* Ethernet header and check sequence, part of wire.header */
#define CHECK_BYTES 4u     /* of a frame, not kept in memory */
#define MTU_MAX 1500u      /* frames fit into the buffers of the devices */
#define MTU_MIN 576u       /* below, TCP does not follow it down */
#define RTO_MAX_MS 120000u /* of the kernel */
#define WARM_UP_MAX 64u
#define RATE_MIN_BPS 1000u

static bool read_links(struct testbed_settings *settings, const struct scenario *scenario, struct weir_error *error)
{
    const struct topology *topology = &scenario->topology;
    const struct sim_wire *wire = &scenario->config.wire;
    if (topology->switches != 1 || topology->link_count != topology->hosts)
        return weir_fail(error, WEIR_ERROR_INPUT, "topology: the testbed has one switch (expected `kind: single`)");
    if (topology->hosts > TESTBED_HOSTS_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "topology.hosts: %u are too many for the testbed (expected at most %u)", topology->hosts,
                         TESTBED_HOSTS_MAX);
    settings->hosts = topology->hosts;
    for (uint32_t i = 0; i < topology->link_count; i++) {
        const struct topology_link *link = &topology->links[i];
        uint64_t rate = (uint64_t)link->rate_bps / settings->scale;
        if (rate < RATE_MIN_BPS)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "testbed.scale: %u leaves a link %" PRIu64 " bit/s (expected at least %u)",
                             settings->scale, rate, RATE_MIN_BPS);
        settings->rate_bps[link->a < topology->hosts ? link->a : link->b] = rate;
    }
    settings->overhead_bytes = wire->gap_bytes + CHECK_BYTES;
    settings->mtu_bytes = wire->mss_bytes + wire->header_bytes - FRAME_BYTES;
    if (wire->header_bytes < FRAME_BYTES || settings->mtu_bytes > MTU_MAX || settings->mtu_bytes < MTU_MIN)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "wire: mss and header of %u B together do not suit the testbed (expected %u to %u B)",
                         wire->mss_bytes + wire->header_bytes, MTU_MIN + FRAME_BYTES, MTU_MAX + FRAME_BYTES);
    return true;
}

static bool read_transport(struct testbed_settings *settings, const struct sim_transport *transport, bool first,
                           struct weir_error *error)
{
    bool quick = tcp_params(transport)->ack_every == 1;
    if (!first && settings->quick_acks != quick)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "transports: ack_every differs between them (expected one value: hosts of the testbed "
                         "have one)");
    settings->quick_acks = quick;
    bool restart = tcp_params(transport)->restart_idle;
    if (!first && settings->restart_idle != restart)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "transports: restart_after_idle differs between them (expected one value: hosts of the "
                         "testbed have one)");
    settings->restart_idle = restart;
    uint32_t open = tcp_params(transport)->open_connections;
    open = open < WARM_UP_MAX ? open : WARM_UP_MAX;
    settings->warm_up = open > settings->warm_up ? open : settings->warm_up;
    if (transport->kind == &transport_dctcp) {
        /* The machine has one DCTCP. */
        const struct dctcp_params *params = dctcp_params(transport);
        if (settings->dctcp &&
            (settings->dctcp_gain != params->gain || settings->dctcp_initial != params->initial_alpha))
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "transports: gain or initial alpha of dctcp differ between them (expected one value: the "
                             "testbed has one)");
        settings->dctcp = true;
        settings->dctcp_gain = params->gain;
        settings->dctcp_initial = params->initial_alpha;
    }
    /* The minimum RTO on the machine, in whole milliseconds. */
    weir_ps ms = WEIR_PS_PER_MS / settings->scale > 0 ? WEIR_PS_PER_MS / settings->scale : 1;
    weir_ps rto_ms = (tcp_params(transport)->min_rto_ps + ms - 1) / ms;
    if (!first && (weir_ps)settings->min_rto_ms != rto_ms)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "transports: min_rto differs between them (expected one value: hosts of the testbed have "
                         "one)");
    if (rto_ms > RTO_MAX_MS)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "transports: a min_rto of %" PRId64
                         " s after scaling is beyond the kernel's (expected at most %u "
                         "s: a smaller testbed.scale)",
                         (int64_t)rto_ms / 1000, RTO_MAX_MS / 1000);
    settings->min_rto_ms = (uint32_t)rto_ms;
    return true;
}

static bool read_transports(struct testbed_settings *settings, const struct sim_config *config,
                            struct weir_error *error)
{
    bool first = true; /* of TCP */
    for (uint32_t i = 0; i < config->transport_count; i++) {
        const struct sim_transport *transport = &config->transports[i];
        if (!transport_is_real(transport))
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "transports: the testbed has no %s (expected newreno, cubic, dctcp or a steady udp)",
                             transport->kind->name);
        if (transport->kind == &transport_udp)
            continue;
        if (!read_transport(settings, transport, first, error))
            return false;
        first = false;
    }
    return true;
}

/* Classic ECN is set per host; DCTCP asks for its own. */
static bool read_ecn(struct testbed_settings *settings, const struct sim_config *config, struct weir_error *error)
{
    uint32_t with = 0, without = 0;
    for (uint32_t i = 0; i < config->transport_count; i++) {
        const struct sim_transport *transport = &config->transports[i];
        if (transport->kind == &transport_dctcp || !transport_is_tcp(transport->kind))
            continue;
        bool ecn = tcp_params(transport)->ecn;
        with += ecn;
        without += !ecn;
    }
    if (with > 0 && without > 0)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "transports: ecn differs between those that are not dctcp (expected one value: hosts of "
                         "the testbed have one)");
    settings->ecn = with > 0;
    return true;
}

bool testbed_settings_read(struct testbed_settings *settings, const struct scenario *scenario, const char *network,
                           struct weir_error *error)
{
    const struct sim_config *config = &scenario->config;
    struct in_addr address;
    *settings = (struct testbed_settings){.scale = scenario->testbed.scale,
                                          .initial_window = scenario->testbed.initial_window,
                                          .sw = scenario->testbed.bmv2 ? &testbed_bmv2 : &testbed_weir_switch};
    if (inet_pton(AF_INET, network != NULL ? network : TESTBED_NETWORK, &address) != 1 ||
        (ntohl(address.s_addr) & 0xff) != 0)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "--network: '%s' is not a /24 network (expected one like " TESTBED_NETWORK ")", network);
    settings->network = ntohl(address.s_addr);
    if (config->tiers[0].mmu.lossless_mask != 0)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "switch.lossless: the testbed's hosts do not obey PAUSE (expected no lossless class)");
    for (uint32_t m = 0; m < DATAPLANE_MODULES; m++)
        settings->placed = settings->placed || (scenario->has_dataplane && scenario->dataplane.cpus[m].count > 0);
    if (!read_links(settings, scenario, error) || !read_ecn(settings, config, error))
        return false;
    /* Answers that one host has to send at once: each needs a connection, and opening one takes a round trip. */
    settings->warm_up = 1;
    for (uint32_t i = 0; i < config->traffic_count; i++) {
        const struct traffic_settings *traffic = &config->traffic[i];
        uint32_t sources = traffic->source_count > 0 ? traffic->source_count : settings->hosts;
        sources = sources == settings->hosts && sources > 1 ? sources - 1 : sources; /* no host asks itself */
        uint32_t each = (traffic->fan_out + sources - 1) / sources;
        settings->warm_up = each > settings->warm_up ? each : settings->warm_up;
    }
    settings->warm_up = settings->warm_up < WARM_UP_MAX ? settings->warm_up : WARM_UP_MAX;
    return read_transports(settings, config, error) && settings->sw->read(settings, scenario, error);
}

void testbed_address(const struct testbed_settings *settings, uint32_t host, char text[16])
{
    uint32_t address = settings->network + 1 + host;
    snprintf(text, 16, "%u.%u.%u.%u", address >> 24 & 0xff, address >> 16 & 0xff, address >> 8 & 0xff, address & 0xff);
}

void testbed_mac(uint32_t host, char text[18])
{
    snprintf(text, 18, "02:00:00:00:00:%02x", (host + 1) & 0xff);
}

char *testbed_addresses(const struct testbed_settings *settings)
{
    char *all = malloc(settings->hosts * 16 + 1), *at = all;
    for (uint32_t host = 0; all != NULL && host < settings->hosts; host++) {
        char one[16];
        testbed_address(settings, host, one);
        at += snprintf(at, 17, "%s%s", host > 0 ? "," : "", one);
    }
    return all;
}
