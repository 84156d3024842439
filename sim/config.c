/*
 * config.c - usual values, and what a config must satisfy before anything is built from it. Traffic checks its own
 * settings (traffic.c), topologies theirs (topology.c), MMUs theirs (mmu_config.c); here is what concerns several.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/config.h"
#include "sim/transport.h"
#include "weir/policy.h"

#define CONFIG_BUFFER_BYTES (1 << 20)
#define CONFIG_POINTS_MAX (UINT32_C(1) << 26)

void sim_config_init(struct sim_config *config)
{
    *config = (struct sim_config){.seed = 1, .until_ps = WEIR_PS_PER_S, .tier_count = 1};
    config->wire = (struct sim_wire){.mss_bytes = 1448, .header_bytes = 70, .ack_bytes = 70, .gap_bytes = 20};
    weir_mmu_config_init(&config->tiers[0].mmu, 1, 1, CONFIG_BUFFER_BYTES);
    config->tiers[0].mmu.egress = weir_policy_find("dt");
}

static bool wrong(char message[WEIR_MESSAGE_MAX], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, WEIR_MESSAGE_MAX, format, arguments);
    va_end(arguments);
    return false;
}

static bool within(int64_t value, int64_t least, int64_t most, const char *name, char message[WEIR_MESSAGE_MAX])
{
    if (value >= least && value <= most)
        return true;
    return wrong(message, "%s: %" PRId64 " is not within %" PRId64 " to %" PRId64, name, value, least, most);
}

static bool check_wire(const struct sim_wire *wire, char message[WEIR_MESSAGE_MAX])
{
    if (!within(wire->mss_bytes, 1, UINT16_MAX, "wire: segment bytes", message) ||
        !within(wire->header_bytes, 1, UINT16_MAX, "wire: header bytes", message) ||
        !within(wire->ack_bytes, 1, UINT16_MAX, "wire: ACK bytes", message) ||
        !within(wire->gap_bytes, 0, UINT16_MAX, "wire: gap bytes", message))
        return false;
    return within((int64_t)wire->mss_bytes + wire->header_bytes, 2, UINT16_MAX, "wire: segment and header bytes",
                  message);
}

/* Least and most classes over all tiers. */
static uint32_t config_classes(const struct sim_config *config)
{
    uint32_t least = WEIR_CLASSES_MAX;
    for (uint32_t i = 0; i < config->tier_count; i++)
        least = config->tiers[i].mmu.classes < least ? config->tiers[i].mmu.classes : least;
    return least;
}

static bool check_tiers(const struct sim_config *config, char message[WEIR_MESSAGE_MAX])
{
    if (!within(config->tier_count, 1, SIM_TIERS_MAX, "switch tiers", message))
        return false;
    for (uint32_t i = 0; i < config->tier_count; i++) {
        const struct weir_mmu_config *mmu = &config->tiers[i].mmu;
        if (!mmu->egress)
            return wrong(message, "switch tier %u: no policy", i);
        if (mmu->lossless_mask || mmu->ingress)
            return wrong(message, "switch tier %u: lossless classes need pause frames, which links do not carry", i);
        if (!within(mmu->classes, 1, WEIR_CLASSES_MAX, "switch classes", message))
            return false;
    }
    return true;
}

static bool check_tcp(const struct sim_transport *t, char message[WEIR_MESSAGE_MAX])
{
    const weir_ps longest = WEIR_TIME_MAX / 4;
    if (!within(t->initial_window_segments, 0, UINT32_MAX, "transport: initial window", message) ||
        !within(t->max_window_segments, 1, UINT32_MAX / 4, "transport: largest window", message) ||
        !within(t->min_rto_ps, 1, longest, "transport: least timeout", message) ||
        !within(t->initial_rto_ps, 1, longest, "transport: first timeout", message) ||
        !within(t->max_rto_ps, t->min_rto_ps, longest, "transport: largest timeout", message) ||
        !within(t->ack_every, 1, UINT16_MAX, "transport: segments per ACK", message) ||
        !within(t->ack_delay_ps, 0, longest, "transport: delay of ACKs", message))
        return false;
    return within(t->dctcp_gain, 1, WEIR_Q16_ONE, "transport: DCTCP gain (Q16)", message) &&
           within(t->dctcp_initial, 0, WEIR_Q16_ONE, "transport: DCTCP first alpha (Q16)", message) &&
           within(t->cubic_c, 1, 1000 * WEIR_Q16_ONE, "transport: CUBIC C (Q16)", message) &&
           within(t->cubic_beta, 1, WEIR_Q16_ONE - 1, "transport: CUBIC beta (Q16)", message);
}

static bool check_udp(const struct sim_transport *t, char message[WEIR_MESSAGE_MAX])
{
    const weir_ps longest = WEIR_TIME_MAX / 4;
    if (t->rate_bps && !within(t->rate_bps, 1000, WEIR_RATE_BPS_MAX, "transport: rate", message))
        return false;
    return within(t->off_ps, 0, longest, "transport: off time", message) &&
           (t->off_ps == 0 || within(t->on_ps, 1, longest, "transport: on time", message));
}

static bool check_transports(const struct sim_config *config, char message[WEIR_MESSAGE_MAX])
{
    uint32_t classes = config_classes(config);
    if (config->transport_count < 1)
        return wrong(message, "no transport");
    for (uint32_t i = 0; i < config->transport_count; i++) {
        const struct sim_transport *t = &config->transports[i];
        if (!t->kind)
            return wrong(message, "transport %u: no kind", i);
        if (t->data_class >= classes || t->ack_class >= classes)
            return wrong(message, "transport %u: classes %u and %u, but switches have classes 0 to %u", i,
                         t->data_class, t->ack_class, classes - 1);
        if (t->kind->ack ? !check_tcp(t, message) : !check_udp(t, message))
            return false;
    }
    return true;
}

static bool check_traffic(const struct sim_config *config, char message[WEIR_MESSAGE_MAX])
{
    if (config->traffic_count < 1)
        return wrong(message, "no traffic");
    for (uint32_t i = 0; i < config->traffic_count; i++) {
        const struct sim_traffic *t = &config->traffic[i];
        if (t->transport >= config->transport_count)
            return wrong(message, "traffic %u: there is no transport %u", i, t->transport);
        if (t->tag >= config->tag_count)
            return wrong(message, "traffic %u: there is no tag %u", i, t->tag);
        if (t->kind == SIM_TRAFFIC_PACKETS && config->transports[t->transport].kind->ack)
            return wrong(message, "traffic %u: listed packets need a transport without feedback (udp)", i);
        for (uint32_t k = 0; t->kind == SIM_TRAFFIC_PACKETS && k < t->listed; k++)
            if (t->packets[k].tc >= config_classes(config))
                return wrong(message, "traffic %u: packet %u has class %u, which switches have not", i, k,
                             t->packets[k].tc);
        for (uint32_t k = 0; t->kind == SIM_TRAFFIC_LIST && k < t->listed; k++)
            if (t->flows[k].tag >= config->tag_count)
                return wrong(message, "traffic %u: flow %u has tag %u, which there is not", i, k, t->flows[k].tag);
    }
    return true;
}

static bool check_changes(const struct sim_config *config, char message[WEIR_MESSAGE_MAX])
{
    weir_ps last = 0;
    if (!within(config->reroute_ps, 0, WEIR_TIME_MAX / 4, "delay of routing", message))
        return false;
    for (uint32_t i = 0; i < config->change_count; i++) {
        const struct sim_link_change *change = &config->changes[i];
        if (change->link >= config->topology->link_count)
            return wrong(message, "link change %u: there is no link %u", i, change->link);
        if (change->when < last || change->when > WEIR_TIME_MAX / 2)
            return wrong(message, "link change %u: times go up from 0", i);
        last = change->when;
    }
    return true;
}

static uint32_t config_ports(const struct topology *t, uint32_t sw)
{
    uint32_t ports = 0;
    for (uint32_t i = 0; i < t->link_count; i++)
        ports += (t->links[i].a == t->hosts + sw) + (t->links[i].b == t->hosts + sw);
    return ports;
}

static bool check_probes(const struct sim_config *config, char message[WEIR_MESSAGE_MAX])
{
    const struct topology *t = config->topology;
    for (uint32_t i = 0; i < config->probe_count; i++) {
        const struct sim_probe *probe = &config->probes[i];
        if (probe->sw >= t->switches)
            return wrong(message, "probe %u: there is no switch %u", i, probe->sw);
        if (probe->port >= config_ports(t, probe->sw))
            return wrong(message, "probe %u: switch %u has no port %u", i, probe->sw, probe->port);
        if (probe->tc != SIM_ALL_CLASSES && probe->tc >= sim_config_tier(config, t->tier[probe->sw])->mmu.classes)
            return wrong(message, "probe %u: switch %u has no class %u", i, probe->sw, probe->tc);
        if (!within(probe->interval_ps, 0, WEIR_TIME_MAX / 4, "probe: interval", message) ||
            !within(probe->from_ps, 0, WEIR_TIME_MAX / 4, "probe: begin", message) ||
            !within(probe->points_max, 1, CONFIG_POINTS_MAX, "probe: points", message))
            return false;
    }
    return true;
}

bool sim_config_check(const struct sim_config *config, char message[WEIR_MESSAGE_MAX])
{
    if (!config->topology)
        return wrong(message, "no topology");
    if (!topology_check(config->topology, message) || !check_wire(&config->wire, message) ||
        !check_tiers(config, message) || !check_transports(config, message) || !check_traffic(config, message) ||
        !check_changes(config, message) || !check_probes(config, message))
        return false;
    if (config->topology->hosts < 2)
        return wrong(message, "a simulation needs at least two hosts");
    if (!within(config->until_ps, 1, WEIR_TIME_MAX / 4, "end of the run", message))
        return false;
    if (config->goodput_interval_ps && config->until_ps / config->goodput_interval_ps >= CONFIG_POINTS_MAX)
        return wrong(message, "goodput interval: more than %u points", CONFIG_POINTS_MAX);
    return within(config->goodput_interval_ps, 0, WEIR_TIME_MAX / 4, "goodput interval", message);
}
