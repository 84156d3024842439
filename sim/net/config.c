/*
 * config.c - usual values, and what a config must satisfy before anything is built from it. Traffic checks its own
 * settings (traffic.c), transports theirs (transport.h), topologies theirs (topology.c), MMUs theirs (mmu_config.c);
 * here is what concerns several.
 *
 * Times stay so far below the end of 64 bits that a draw from an exponential distribution, 44 times its mean at most,
 * can be added to any of them.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/engine/link.h"
#include "sim/net/config.h"
#include "sim/transport/roce.h"
#include "weir/fixed.h"
#include "weir/headroom.h"
#include "weir/policy.h"
#include "weir/random.h"

#define CONFIG_BUFFER_BYTES (1 << 20)
#define CONFIG_POINTS_MAX (UINT32_C(1) << 26)
#define CONFIG_PROCESSING_MAX (1 << 20)
#define CONFIG_QUEUE_PACKETS 1000
#define CONFIG_QUEUE_MAX (1 << 20)
#define CONFIG_WHOLE_NODES 8192
#define CONFIG_UNTIL_MAX (WEIR_TIME_MAX / 4)

void sim_config_init(struct sim_config *config)
{
    *config = (struct sim_config){.seed = 1,
                                  .until_ps = WEIR_PS_PER_S,
                                  .tier_count = 1,
                                  .ecmp_seed = SIM_ECMP_SEED_OF_RUN,
                                  .whole_nodes = CONFIG_WHOLE_NODES,
                                  .flowlet_gap_ps = 50 * WEIR_PS_PER_US,
                                  .occupancy_until_ps = WEIR_NEVER};
    config->wire = (struct sim_wire){.mss_bytes = 1448, .header_bytes = 70, .ack_bytes = 70, .gap_bytes = 20};
    weir_mmu_config_init(&config->tiers[0].mmu, 1, 1, CONFIG_BUFFER_BYTES);
    config->tiers[0].mmu.gives = WEIR_GIVES_FLOWS | WEIR_GIVES_FLOW_BYTES;
    config->tiers[0].mmu.egress = weir_policy_find("dt");
    config->hosts.queue_packets = CONFIG_QUEUE_PACKETS;
    config->pfc = (struct sim_pfc){.quanta = UINT16_MAX,
                                   .processing_bytes = WEIR_PFC_PROCESSING_BYTES,
                                   .look_ps = 100 * WEIR_PS_PER_US,
                                   .watchdog_restore_ps = 400 * WEIR_PS_PER_US};
}

static bool within(int64_t value, int64_t least, int64_t most, const char *name, struct weir_error *error)
{
    if (value >= least && value <= most)
        return true;
    return weir_fail(error, WEIR_ERROR_RANGE, "%s: %" PRId64 " is not within %" PRId64 " to %" PRId64, name, value,
                     least, most);
}

static bool check_wire(const struct sim_wire *wire, struct weir_error *error)
{
    if (!within(wire->mss_bytes, 1, UINT16_MAX, "wire: segment bytes", error) ||
        !within(wire->header_bytes, 1, UINT16_MAX, "wire: header bytes", error) ||
        !within(wire->ack_bytes, 1, UINT16_MAX, "wire: ACK bytes", error) ||
        !within(wire->gap_bytes, 0, UINT16_MAX, "wire: gap bytes", error))
        return false;
    return within((int64_t)wire->mss_bytes + wire->header_bytes, 2, UINT16_MAX, "wire: segment and header bytes",
                  error);
}

/* Windows have a length: every packet takes time on every link, by its bytes or by the link's delay. */
static bool check_links(const struct sim_config *config, struct weir_error *error)
{
    const struct topology *t = config->topology;
    for (uint32_t i = 0; i < t->link_count; i++) {
        const struct link link = {.ps_per_byte = link_ps_per_byte(t->links[i].rate_bps),
                                  .gap_bytes = config->wire.gap_bytes};
        if (t->links[i].delay_ps == 0 && link_time(&link, 1) == 0)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "link %u: a byte takes no time at %" PRId64 " b/s; give it a delay of at least 1 ps", i,
                             t->links[i].rate_bps);
        if (link_time(&link, config->wire.mss_bytes + config->wire.header_bytes) == 0)
            return weir_fail(error, WEIR_ERROR_INPUT, "link %u: a full segment takes less than 1 ps at %" PRId64 " b/s",
                             i, t->links[i].rate_bps);
    }
    return true;
}

/* The least over all tiers. */
static uint32_t config_classes(const struct sim_config *config)
{
    uint32_t least = WEIR_CLASSES_MAX;
    for (uint32_t i = 0; i < config->tier_count; i++)
        least = config->tiers[i].mmu.classes < least ? config->tiers[i].mmu.classes : least;
    return least;
}

/* A policy relies on values within the ranges of its parameters. */
static bool check_values(const struct weir_policy *policy, const struct weir_values *values, struct weir_error *error)
{
    for (uint32_t i = 0; values && i < policy->param_count; i++) {
        const struct weir_param *param = &policy->params[i];
        for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++) {
            int64_t value = values->of[i][tc];
            bool derived = value == WEIR_AUTO && param->initial == WEIR_AUTO;
            if (!derived && !within(value, param->min, param->max, param->name, error))
                return false;
        }
    }
    return true;
}

/* Lossless classes and a policy that pauses need each other, and PAUSE frames name eight classes. */
static bool check_lossless(const struct sim_switch *tier, struct weir_error *error)
{
    uint32_t mask = tier->mmu.lossless_mask;
    if (!mask != !tier->mmu.ingress)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         mask ? "lossless classes without a headroom scheme"
                              : "a headroom scheme without lossless classes");
    if (mask >> SIM_PFC_CLASSES_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "lossless classes are among 0 to %u", SIM_PFC_CLASSES_MAX - 1);
    if ((uint32_t)tier->headroom_size > SIM_HEADROOM_BYTES)
        return weir_fail(error, WEIR_ERROR_INPUT, "unknown headroom size %d", (int)tier->headroom_size);
    if (mask && tier->device_packets)
        return weir_fail(
            error, WEIR_ERROR_INPUT,
            "a device queue beside lossless classes: it would go on sending after a PAUSE, and delay PAUSE "
            "frames, beyond what headroom covers");
    return within(tier->device_packets, 0, SIM_DEVICE_PACKETS_MAX, "packets of a device queue", error) &&
           within(tier->headroom_bytes, 0, WEIR_BUFFER_CELLS_MAX * (int64_t)tier->mmu.cell_bytes, "headroom of a queue",
                  error);
}

/* All but what depends on the number of ports, which switches check as they are built. */
static bool check_tier(const struct sim_switch *tier, struct weir_error *error)
{
    struct weir_mmu_config mmu = tier->mmu;
    mmu.ports = 1;
    mmu.inputs = 0;
    mmu.rates_bps = mmu.input_rates_bps = NULL;
    mmu.uplinks = NULL;
    mmu.rate_bps = WEIR_RATE_BPS_MIN;
    if (!mmu.egress)
        return weir_fail(error, WEIR_ERROR_INPUT, "no policy");
    return weir_mmu_config_check(&mmu, error) && check_lossless(tier, error) &&
           check_values(mmu.egress, mmu.egress_values, error) &&
           (!mmu.ingress || check_values(mmu.ingress, mmu.ingress_values, error));
}

static bool check_tiers(const struct sim_config *config, struct weir_error *error)
{
    if (!within(config->tier_count, 1, SIM_TIERS_MAX, "switch tiers", error))
        return false;
    for (uint32_t i = 0; i < config->tier_count; i++) {
        if (!check_tier(&config->tiers[i], error))
            return weir_fail_in(error, "switch tier", i);
    }
    return true;
}

static bool check_pfc(const struct sim_pfc *pfc, struct weir_error *error)
{
    if ((uint32_t)pfc->watchdog_action > SIM_WATCHDOG_ALERT)
        return weir_fail(error, WEIR_ERROR_INPUT, "PFC watchdog: unknown action %d", (int)pfc->watchdog_action);
    return within(pfc->quanta, 1, UINT16_MAX, "PFC quanta", error) &&
           within(pfc->processing_bytes, 0, CONFIG_PROCESSING_MAX, "PFC processing bytes", error) &&
           within(pfc->look_ps, 0, CONFIG_UNTIL_MAX, "time between looks for deadlocks", error) &&
           within(pfc->watchdog_detect_ps, 0, CONFIG_UNTIL_MAX, "PFC watchdog: time of detection", error) &&
           within(pfc->watchdog_restore_ps, 1, CONFIG_UNTIL_MAX, "PFC watchdog: time of restoration", error);
}

/* A queue of packets has one order: a pause of one class would stop all. And a RoCE sender has no window: it sends when
 * the NIC asks, and would fill any queue. */
static bool check_queue(const struct sim_config *config, struct weir_error *error)
{
    uint32_t classes = 0;
    for (uint32_t i = 0; i < config->tier_count; i++)
        classes |= config->tiers[i].mmu.lossless_mask;
    if (classes != 0)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "a NIC with one queue cannot pause single classes (expected nic fair, fifo or strict "
                         "beside lossless classes)");
    for (uint32_t i = 0; i < config->transport_count; i++)
        if (transport_is_roce(config->transports[i].kind))
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "flows of %s send when the NIC asks, and do not fill a queue (expected nic fair, "
                             "fifo or strict)",
                             config->transports[i].kind->name);
    return within(config->hosts.queue_packets, 1, CONFIG_QUEUE_MAX, "packets of a NIC's queue", error) &&
           within(config->hosts.queue_per_flow, 0, SIM_QUEUE_PER_FLOW_MAX, "packets of a flow in a NIC's queue", error);
}

bool sim_config_check_hosts(const struct sim_config *config, struct weir_error *error)
{
    const struct sim_hosts *hosts = &config->hosts;
    if ((uint32_t)hosts->nic > SIM_NIC_QUEUE)
        return weir_fail(error, WEIR_ERROR_INPUT, "unknown NIC %d", (int)hosts->nic);
    return within(hosts->jitter_ps, 0, SIM_JITTER_MAX, "jitter of hosts", error) &&
           within(hosts->drift_ppm, 0, SIM_DRIFT_MAX, "drift of hosts in ppm", error) &&
           (hosts->nic != SIM_NIC_QUEUE || check_queue(config, error));
}

static bool check_transports(const struct sim_config *config, struct weir_error *error)
{
    uint32_t classes = config_classes(config);
    if (config->transport_count < 1 || !config->transports)
        return weir_fail(error, WEIR_ERROR_INPUT, "no transport: at least one is needed");
    for (uint32_t i = 0; i < config->transport_count; i++) {
        const struct sim_transport *t = &config->transports[i];
        if (!t->kind)
            return weir_fail(error, WEIR_ERROR_INPUT, "transport %u: no kind", i);
        if (t->data_classes && classes < WEIR_CLASSES_MAX && t->data_classes >> classes)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "transport %u: data of a class that switches do not have; they have 0 to %u", i,
                             classes - 1);
        if (t->data_class >= classes || t->ack_class >= classes)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "transport %u: classes %u and %u, but switches have classes 0 to %u", i, t->data_class,
                             t->ack_class, classes - 1);
        if (!sim_transport_check(t, &config->wire, error))
            return weir_fail_in(error, "transport", i);
    }
    return true;
}

/* A flow that follows another starts where that one ended; asked for, it would start elsewhere at the same moment. */
static bool check_asked(const struct sim_config *config, const struct traffic_settings *t, struct weir_error *error)
{
    const struct sim_transport *transport = &config->transports[t->transport];
    const struct transport *kind = transport->kind;
    if (!kind->starts_at_receiver || !kind->starts_at_receiver(transport))
        return true;
    if (t->request_bytes > 0)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "both the traffic and its transport have a request (expected one of them)");
    if (!traffic_is_closed(t))
        return true;
    return weir_fail(error, WEIR_ERROR_INPUT,
                     "its flows follow each other, so their receivers cannot ask for them (expected a transport "
                     "without 'request')");
}

/* Lists are given whole, and name only what exists. */
static bool check_list(const struct sim_config *config, const struct traffic_settings *t, struct weir_error *error)
{
    bool packets = t->kind == TRAFFIC_PACKETS, flows = t->kind == TRAFFIC_LIST;
    uint32_t classes = config_classes(config);
    if (packets && config->transports[t->transport].kind->ack)
        return weir_fail(error, WEIR_ERROR_INPUT, "listed packets need a transport without feedback (udp)");
    if (t->listed && ((packets && !t->packets) || (flows && !t->flows)))
        return weir_fail(error, WEIR_ERROR_INPUT, "no list, but %u entries announced", t->listed);
    for (uint32_t i = 0; packets && i < t->listed; i++)
        if (t->packets[i].tc >= classes)
            return weir_fail(error, WEIR_ERROR_INPUT, "packet %u has class %u; switches have 0 to %u", i,
                             t->packets[i].tc, classes - 1);
    for (uint32_t i = 0; flows && i < t->listed; i++)
        if (t->flows[i].tag >= config->tag_count)
            return weir_fail(error, WEIR_ERROR_INPUT, "flow %u has tag %u; there are 0 to %u", i, t->flows[i].tag,
                             config->tag_count - 1);
    return true;
}

static bool check_traffic(const struct sim_config *config, struct weir_error *error)
{
    if (config->traffic_count < 1 || !config->traffic)
        return weir_fail(error, WEIR_ERROR_INPUT, "no traffic: at least one source is needed");
    if (config->tag_count < 1 || !config->tag_names)
        return weir_fail(error, WEIR_ERROR_INPUT, "no tag: at least one is needed");
    for (uint32_t i = 0; i < config->traffic_count; i++) {
        const struct traffic_settings *t = &config->traffic[i];
        bool good = true;
        if (t->transport >= config->transport_count)
            good = weir_fail(error, WEIR_ERROR_INPUT, "there is no transport %u", t->transport);
        else if (t->tag >= config->tag_count)
            good = weir_fail(error, WEIR_ERROR_INPUT, "there is no tag %u", t->tag);
        else if (t->long_share > 0 && t->long_transport >= config->transport_count)
            good = weir_fail(error, WEIR_ERROR_INPUT, "there is no transport %u", t->long_transport);
        else if (t->long_share > 0 && t->long_tag >= config->tag_count)
            good = weir_fail(error, WEIR_ERROR_INPUT, "there is no tag %u", t->long_tag);
        else if (t->request_bytes > 0 && !config->transports[t->transport].kind->ack)
            good = weir_fail(error, WEIR_ERROR_INPUT,
                             "requests need a transport with feedback: one that is lost would never be answered");
        if (!good || !check_list(config, t, error) || !check_asked(config, t, error))
            return weir_fail_in(error, TRAFFIC_PART, i);
    }
    return true;
}

static bool check_changes(const struct sim_config *config, struct weir_error *error)
{
    weir_ps last = 0;
    if (!within(config->reroute_ps, 0, CONFIG_UNTIL_MAX, "delay of routing", error))
        return false;
    if (config->change_count && !config->changes)
        return weir_fail(error, WEIR_ERROR_INPUT, "link changes: there are none, but %u are announced",
                         config->change_count);
    for (uint32_t i = 0; i < config->change_count; i++) {
        const struct sim_link_change *change = &config->changes[i];
        if (change->link >= config->topology->link_count)
            return weir_fail(error, WEIR_ERROR_INPUT, "link change %u: no link %u", i, change->link);
        if (change->when < last || change->when > CONFIG_UNTIL_MAX)
            return weir_fail(error, WEIR_ERROR_INPUT, "link change %u: times go up from 0 to at most 13 days", i);
        last = change->when;
    }
    return true;
}

static bool check_pins(const struct sim_config *config, struct weir_error *error)
{
    uint32_t switches = config->topology->switches;
    if (config->pin_count && !config->pins)
        return weir_fail(error, WEIR_ERROR_INPUT, "pinned routes: there are none, but %u are announced",
                         config->pin_count);
    for (uint32_t i = 0; i < config->pin_count; i++)
        if (config->pins[i].at >= switches || config->pins[i].to >= switches || config->pins[i].via >= switches)
            return weir_fail(error, WEIR_ERROR_INPUT, "pinned route %u: there are switches 0 to %u", i, switches - 1);
    return true;
}

static uint32_t config_ports(const struct topology *t, uint32_t sw)
{
    uint32_t ports = 0;
    for (uint32_t i = 0; i < t->link_count; i++)
        ports += (t->links[i].a == t->hosts + sw) + (t->links[i].b == t->hosts + sw);
    return ports;
}

static bool check_probe(const struct sim_config *config, const struct sim_probe *probe, struct weir_error *error)
{
    const struct topology *t = config->topology;
    if (probe->sw >= t->switches)
        return weir_fail(error, WEIR_ERROR_INPUT, "no switch %u", probe->sw);
    if (probe->port >= config_ports(t, probe->sw))
        return weir_fail(error, WEIR_ERROR_INPUT, "switch %u has no port %u", probe->sw, probe->port);
    if (probe->tc != SIM_ALL_CLASSES && probe->tc >= sim_config_tier(config, t->tier[probe->sw])->mmu.classes)
        return weir_fail(error, WEIR_ERROR_INPUT, "switch %u has no class %u", probe->sw, probe->tc);
    return within(probe->interval_ps, 0, CONFIG_UNTIL_MAX, "interval", error) &&
           within(probe->from_ps, 0, CONFIG_UNTIL_MAX, "begin", error) &&
           within(probe->points_max, 1, CONFIG_POINTS_MAX, "points", error);
}

static bool check_probes(const struct sim_config *config, struct weir_error *error)
{
    if (config->probe_count && !config->probes)
        return weir_fail(error, WEIR_ERROR_INPUT, "probes: there are none, but %u are announced", config->probe_count);
    for (uint32_t i = 0; i < config->probe_count; i++) {
        if (!check_probe(config, &config->probes[i], error))
            return weir_fail_in(error, "probe", i);
    }
    return true;
}

static bool check_times(const struct sim_config *config, struct weir_error *error)
{
    if (!within(config->until_ps, 1, CONFIG_UNTIL_MAX, "end of the run", error) ||
        !within(config->goodput_interval_ps, 0, CONFIG_UNTIL_MAX, "goodput interval", error))
        return false;
    if (config->goodput_interval_ps && config->until_ps / config->goodput_interval_ps >= CONFIG_POINTS_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "goodput interval: more than %u points", CONFIG_POINTS_MAX);
    return true;
}

/* Rows and fates are handed on in one order of all switches, which only one process has. */
static bool check_ranks(const struct sim_config *config, struct weir_error *error)
{
    const struct sim_ranks *ranks = config->ranks;
    if (!ranks)
        return true;
    if (ranks->count < 1 || ranks->count > SIM_RANKS_MAX || ranks->own >= ranks->count || !ranks->exchange)
        return weir_fail(error, WEIR_ERROR_INPUT, "1 to %u ranks simulate a network (found rank %u of %u)",
                         SIM_RANKS_MAX, ranks->own, ranks->count);
    if (config->training)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "training rows, and oracles that learn from them, need all switches in one process (expected "
                         "--threads instead of mpirun)");
    if (config->notes_fates)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "a perfect oracle needs all switches in one process (expected --threads instead of mpirun)");
    return true;
}

bool sim_config_check(const struct sim_config *config, struct weir_error *error)
{
    if (!config->topology)
        return weir_fail(error, WEIR_ERROR_INPUT, "no topology: there must be one");
    return check_times(config, error) && topology_check(config->topology, error) && check_wire(&config->wire, error) &&
           check_links(config, error) && check_tiers(config, error) && check_pfc(&config->pfc, error) &&
           check_transports(config, error) && sim_config_check_hosts(config, error) && check_traffic(config, error) &&
           check_changes(config, error) && check_pins(config, error) && check_probes(config, error) &&
           check_ranks(config, error);
}

uint8_t sim_flow_class(const struct sim_config *config, const struct sim_transport *transport, uint32_t id)
{
    if (!transport->data_classes)
        return transport->data_class;
    uint64_t hash = weir_hash(weir_random_stream(config->seed, "classes").key, id);
    uint32_t count = (uint32_t)__builtin_popcount(transport->data_classes);
    uint32_t left = transport->data_classes;
    for (uint32_t skip = (uint32_t)(((hash >> 32) * count) >> 32); skip; skip--)
        left &= left - 1;
    return (uint8_t)__builtin_ctz(left);
}

uint32_t sim_pfc_processing_bytes(const struct sim_pfc *pfc, weir_bps rate_bps)
{
    return pfc->processing_standard ? weir_pfc_response_bytes(rate_bps) : pfc->processing_bytes;
}

weir_cells switch_headroom_cells(const struct sim_switch *settings, const struct weir_uplink *uplink, weir_bps rate_bps)
{
    struct weir_headroom_link link = {rate_bps, uplink->delay_ps, uplink->mtu_bytes, 0, 0};
    uint32_t cell_bytes = settings->mmu.cell_bytes;
    switch (settings->headroom_size) {
    case SIM_HEADROOM_EQUATION:
        return weir_cells_for_bytes(weir_headroom_equation(&link), cell_bytes);
    case SIM_HEADROOM_BYTES:
        return weir_cells_for_bytes(settings->headroom_bytes, cell_bytes);
    case SIM_HEADROOM_SAFE:
        break;
    }
    return weir_headroom_safe_cells(uplink, rate_bps, cell_bytes);
}

struct weir_switch_config switch_config_make(const struct sim_switch *settings, const struct switch_ports *ports,
                                             struct weir_mmu_config *mmu)
{
    uint32_t per_memory = settings->ports_per_mmu;
    *mmu = settings->mmu;
    mmu->seed = ports->seed;
    struct weir_switch_config config = {.ports = ports->count,
                                        .ports_per_mmu =
                                            per_memory && per_memory < ports->count ? per_memory : ports->count,
                                        .mmu = mmu,
                                        .rates_bps = ports->rates_bps,
                                        .oracles = ports->oracles};
    if (mmu->lossless_mask) {
        config.uplinks = ports->uplinks;
        struct weir_mmu_config first = weir_switch_mmu_config(&config, 0); /* all are fed by the same inputs */
        if (mmu->ingress && mmu->ingress->reserve)
            mmu->headroom_cells = weir_mmu_headroom_cells(&first);
    }
    return config;
}

bool sim_config_is_lossless(const struct sim_config *config)
{
    uint32_t classes = 0;
    for (uint32_t i = 0; i < config->tier_count; i++)
        classes |= config->tiers[i].mmu.lossless_mask;
    return classes != 0;
}

uint32_t sim_config_smallest_packet(const struct sim_config *config)
{
    uint32_t smallest = config->wire.ack_bytes;
    smallest = config->wire.header_bytes < smallest ? config->wire.header_bytes : smallest;
    if (sim_config_is_lossless(config) && WEIR_PFC_FRAME_BYTES < smallest)
        smallest = WEIR_PFC_FRAME_BYTES;
    for (uint32_t tier = 0; tier < config->tier_count; tier++)
        for (uint32_t tc = 0; tc < config->tiers[tier].mmu.classes; tc++) {
            uint32_t cut = config->tiers[tier].mmu.trim[tc].bytes;
            smallest = cut > 0 && cut < smallest ? cut : smallest;
        }
    for (uint32_t i = 0; i < config->traffic_count; i++)
        for (uint32_t k = 0; config->traffic[i].kind == TRAFFIC_PACKETS && k < config->traffic[i].listed; k++)
            if (config->traffic[i].packets[k].bytes < smallest)
                smallest = config->traffic[i].packets[k].bytes;
    return smallest;
}
