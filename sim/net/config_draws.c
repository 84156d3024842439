/*
 * config_draws.c - does a simulation depend on its seed? See sim_config_draws in config.h. Every use of the seed has a
 * line here: traffic (sim/workload/), what a transport draws itself, classes of flows, RED, jitter and drift of hosts,
 * equal-cost paths, and last the order of what happens at the same moment, which two flows are enough for.
 */
#include "sim/net/config.h"

/* QUERY, INCAST, BURSTS: the times, the sizes, how many answer, and in which order. */
static const char *gather_draws(const struct traffic_settings *traffic, uint32_t hosts)
{
    uint32_t responders = traffic->source_count > 0 ? traffic->source_count : hosts;
    if (traffic->kind != TRAFFIC_INCAST && !traffic->periodic)
        return "arrivals";
    if (traffic->bytes == 0)
        return "sizes";
    if (traffic->spread_ps > 0)
        return "starts of answers";
    if (traffic->fan_out_min > 0 && traffic->fan_out_min < traffic->fan_out)
        return "fan-outs";
    return responders > 1 ? "the order of responders" : NULL;
}

static const char *traffic_draws(const struct traffic_settings *traffic, uint32_t hosts)
{
    switch (traffic->kind) {
    case TRAFFIC_POISSON:
        return "arrivals";
    case TRAFFIC_ON_OFF:
        return traffic->variation > 0 || traffic->long_share > 0 ? "arrivals" : NULL;
    case TRAFFIC_QUERY:
    case TRAFFIC_INCAST:
    case TRAFFIC_BURSTS:
        return gather_draws(traffic, hosts);
    case TRAFFIC_JOB:
    case TRAFFIC_COLLECTIVE:
        return traffic->job->placement == TRAFFIC_PLACE_RANDOM ? "places of ranks" : NULL;
    case TRAFFIC_ALL_TO_ALL:
        return "the order of receivers";
    case TRAFFIC_LONG: /* pairs that follow two ranges, or that have no choice, are not drawn */
        return (traffic->pattern == TRAFFIC_PATTERN_UNIFORM && traffic->destination_count > 0) ||
                       traffic->pattern == TRAFFIC_PATTERN_ONE_TO_ONE
                   ? NULL
                   : "receivers";
    default:
        return NULL;
    }
}

static const char *transport_draws(const struct sim_transport *transport)
{
    bool several = (transport->data_classes & (transport->data_classes - 1)) != 0;
    if (several)
        return "classes of flows";
    return transport->kind->draws != NULL && transport->kind->draws(transport->params) ? "packets" : NULL;
}

static bool marks_by_chance(const struct sim_config *config)
{
    for (uint32_t tier = 0; tier < config->tier_count; tier++)
        for (uint32_t tc = 0; tc < config->tiers[tier].mmu.classes; tc++)
            if (config->tiers[tier].mmu.marking[tc].kind == WEIR_MARK_RED)
                return true;
    return false;
}

/* More links between switches than a tree has: there are equal paths, or longer ones. */
static bool has_choice_of_paths(const struct topology *topology)
{
    uint32_t between = 0;
    for (uint32_t i = 0; i < topology->link_count; i++)
        between += topology->links[i].a >= topology->hosts && topology->links[i].b >= topology->hosts;
    return topology->switches > 0 && between > topology->switches - 1;
}

static bool has_one_flow(const struct sim_config *config)
{
    const struct traffic_settings *traffic = config->traffic;
    if (config->traffic_count != 1)
        return false;
    if (traffic->kind == TRAFFIC_LIST || traffic->kind == TRAFFIC_PACKETS)
        return traffic->listed == 1;
    return traffic->source_count == 1 &&
           (traffic->kind == TRAFFIC_LONG ? traffic->concurrency : traffic->rounds) == 1 &&
           (traffic->kind == TRAFFIC_LONG || (traffic->kind == TRAFFIC_INCAST && traffic->fan_out <= 1));
}

const char *sim_config_draws(const struct sim_config *config)
{
    for (uint32_t i = 0; i < config->traffic_count; i++) {
        const char *what = traffic_draws(&config->traffic[i], config->topology->hosts);
        if (what == NULL)
            what = transport_draws(&config->transports[config->traffic[i].transport]);
        if (what != NULL)
            return what;
    }
    if (config->traffic_count == 0)
        return NULL;
    if (marks_by_chance(config))
        return "ECN marks";
    if (config->hosts.jitter_ps || config->hosts.drift_ppm)
        return "the clocks of hosts";
    if (has_choice_of_paths(config->topology) && config->ecmp_seed == SIM_ECMP_SEED_OF_RUN)
        return "paths";
    return has_one_flow(config) ? NULL : "the order of simultaneous events";
}
