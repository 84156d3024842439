/*
 * mmu_config.c - the usual configuration of an MMU, and whether one can be built.
 */

#include "mmu_internal.h"
#include "weir/headroom.h"

#define DEFAULT_PACKETS_MAX 65536u
#define DEFAULT_EVICTIONS_MAX 256u
#define EVICTIONS_LIMIT 4096u /* a trace record holds as many */
#define STATE_BYTES_MAX (UINT64_C(1) << 30)

void weir_mmu_config_init(struct weir_mmu_config *config, uint32_t ports, uint32_t classes, weir_cells buffer_cells)
{
    *config = (struct weir_mmu_config){
        .ports = ports,
        .classes = classes,
        .cell_bytes = 1,
        .buffer_cells = buffer_cells,
        .packets_max = buffer_cells < DEFAULT_PACKETS_MAX ? (uint32_t)buffer_cells + 1 : DEFAULT_PACKETS_MAX,
        .evictions_max = DEFAULT_EVICTIONS_MAX,
        .rate_bps = 10000000000,
        .uplink = {.mtu_bytes = 1500, .least_bytes = 64, .processing_bytes = WEIR_PFC_PROCESSING_BYTES},
        .scheduler = {.kind = WEIR_SCHED_FIFO, .quantum_bytes = 2000},
        .memory_cell_bytes = 200,
        .memory_depth_cells = 8,
    };
}

weir_cells weir_mmu_private_cells(const struct weir_mmu_config *config)
{
    weir_cells sum = 0;
    for (uint32_t tc = 0; tc < config->classes; tc++)
        sum += config->lossless_mask >> tc & 1 ? weir_mmu_inputs(config) * config->ingress_private_cells[tc]
                                               : config->ports * config->private_cells[tc];
    return sum;
}

static bool config_check_shape(const struct weir_mmu_config *config, struct weir_error *error)
{
    if (config->ports < 1 || config->ports > WEIR_PORTS_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "ports: 1 to 65535 are possible");
    if (config->inputs > WEIR_PORTS_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "input ports: 65535 at most");
    if (config->classes < 1 || config->classes > WEIR_CLASSES_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "classes: 1 to 32 are possible");
    if (config->cell_bytes < 1 || config->cell_bytes > 65536)
        return weir_fail(error, WEIR_ERROR_INPUT, "cell size: 1 to 65536 bytes are possible");
    if (config->buffer_cells < 1 || config->buffer_cells > WEIR_BUFFER_CELLS_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "buffer: 1 to 2147483647 cells are possible");
    if (config->packets_max < 1 || config->packets_max == WEIR_NO_DESCRIPTOR)
        return weir_fail(error, WEIR_ERROR_INPUT, "descriptors: at least one packet must fit");
    if (config->evictions_max < 1 || config->evictions_max > EVICTIONS_LIMIT)
        return weir_fail(error, WEIR_ERROR_INPUT, "evictions per call: 1 to 4096 are possible");
    return true;
}

static bool config_check_pools(const struct weir_mmu_config *config, struct weir_error *error)
{
    if (config->headroom_cells < 0 || config->headroom_cells > config->buffer_cells)
        return weir_fail(error, WEIR_ERROR_INPUT, "headroom: does not fit the buffer");
    for (uint32_t tc = 0; tc < config->classes; tc++) {
        weir_cells own = config->private_cells[tc], ingress = config->ingress_private_cells[tc];
        if (own < 0 || own > config->buffer_cells || ingress < 0 || ingress > config->buffer_cells)
            return weir_fail(error, WEIR_ERROR_INPUT, "private minimum: does not fit the buffer");
    }
    if (weir_mmu_private_cells(config) + config->headroom_cells > config->buffer_cells)
        return weir_fail(error, WEIR_ERROR_INPUT, "private minimums and headroom together do not fit the buffer");
    return true;
}

static bool config_rate_is_good(weir_bps rate_bps)
{
    return rate_bps >= WEIR_RATE_BPS_MIN && rate_bps <= WEIR_RATE_BPS_MAX;
}

static bool config_check_rates(const struct weir_mmu_config *config, struct weir_error *error)
{
    if (!(config->rates_bps && config->input_rates_bps) && !config_rate_is_good(config->rate_bps))
        return weir_fail(error, WEIR_ERROR_INPUT, "port rate: 1 Mb/s to 100 Tb/s are possible");
    for (uint32_t port = 0; config->rates_bps && port < config->ports; port++)
        if (!config_rate_is_good(config->rates_bps[port]))
            return weir_fail(error, WEIR_ERROR_INPUT, "port rate: 1 Mb/s to 100 Tb/s are possible");
    for (uint32_t port = 0; config->input_rates_bps && port < weir_mmu_inputs(config); port++)
        if (!config_rate_is_good(config->input_rates_bps[port]))
            return weir_fail(error, WEIR_ERROR_INPUT, "input port rate: 1 Mb/s to 100 Tb/s are possible");
    return true;
}

static bool config_uplink_is_good(const struct weir_uplink *uplink)
{
    return uplink->headroom_cells >= 0 && uplink->headroom_cells <= WEIR_BUFFER_CELLS_MAX && uplink->delay_ps >= 0 &&
           uplink->delay_ps <= WEIR_PS_PER_S && uplink->mtu_bytes >= 1 && uplink->mtu_bytes <= WEIR_PACKET_BYTES_MAX &&
           uplink->least_bytes <= uplink->mtu_bytes;
}

/* Nobody looks at them without an ingress policy. */
static bool config_check_uplinks(const struct weir_mmu_config *config, struct weir_error *error)
{
    bool good = !config->ingress || config->uplinks || config_uplink_is_good(&config->uplink);
    for (uint32_t port = 0; config->ingress && config->uplinks && port < weir_mmu_inputs(config); port++)
        good &= config_uplink_is_good(&config->uplinks[port]);
    if (!good)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "uplink: headroom at least 0, delay 0 to 1 s, packets of 1 byte to 1 MiB, the "
                         "smallest not above the largest");
    return true;
}

static bool config_check_memory(const struct weir_mmu_config *config, struct weir_error *error)
{
    if (config->memory_bps != 0 && config->memory_bps < WEIR_RATE_BPS_MIN)
        return weir_fail(error, WEIR_ERROR_INPUT, "memory bandwidth: 0 (the sum of the ports) or at least 1 Mb/s");
    if (config->memory_cell_bytes < 1 || config->memory_cell_bytes > WEIR_PACKET_BYTES_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "memory cell: 1 byte to 1 MiB are possible");
    if (config->memory_depth_cells > WEIR_PACKET_BYTES_MAX / config->memory_cell_bytes)
        return weir_fail(error, WEIR_ERROR_INPUT, "memory bucket: at most 1 MiB deep");
    return true;
}

static bool config_check_scheduler(const struct weir_mmu_config *config, struct weir_error *error)
{
    if ((unsigned)config->scheduler.kind >= WEIR_SCHED_COUNT)
        return weir_fail(error, WEIR_ERROR_INPUT, "scheduler: unknown kind");
    if (config->scheduler.quantum_bytes < WEIR_QUANTUM_MIN_BYTES)
        return weir_fail(error, WEIR_ERROR_INPUT, "scheduler: the quantum must be at least 64 bytes");
    return true;
}

static bool config_check_marking(const struct weir_mmu_config *config, struct weir_error *error)
{
    for (uint32_t tc = 0; tc < config->classes; tc++) {
        const struct weir_marking *marking = &config->marking[tc];
        if ((unsigned)marking->kind > WEIR_MARK_RED)
            return weir_fail(error, WEIR_ERROR_INPUT, "marking: unknown kind");
        if (marking->low_cells < 0 || marking->high_cells < 0 ||
            (marking->kind == WEIR_MARK_RED && marking->high_cells < marking->low_cells))
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "marking: thresholds must be at least 0, the high one not below the low one");
        if (marking->high_chance < 0 || marking->high_chance > WEIR_Q16_ONE)
            return weir_fail(error, WEIR_ERROR_INPUT, "marking: the probability must be 0 to 1");
    }
    return true;
}

static bool config_check_trim(const struct weir_mmu_config *config, struct weir_error *error)
{
    for (uint32_t tc = 0; tc < config->classes; tc++) {
        const struct weir_trim *trim = &config->trim[tc];
        if (trim->bytes == 0)
            continue;
        if (trim->bytes > WEIR_PACKET_BYTES_MAX)
            return weir_fail(error, WEIR_ERROR_INPUT, "trimming: class %u is cut to more than 1 MiB", tc);
        if (config->lossless_mask >> tc & 1)
            return weir_fail(
                error, WEIR_ERROR_INPUT,
                "trimming: class %u is lossless, and loses nothing that could leave a copy (expected lossy ones)", tc);
        if (trim->to.i >= config->classes)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "trimming: class %u sends its copies to class %u, which there is not (expected 0 to %u)",
                             tc, trim->to.i, config->classes - 1);
        if (trim->to.i == tc)
            return weir_fail(
                error, WEIR_ERROR_INPUT,
                "trimming: class %u sends its copies to itself, where its packets were refused (expected another)", tc);
        if (config->trim[trim->to.i].bytes > 0)
            return weir_fail(
                error, WEIR_ERROR_INPUT,
                "trimming: class %u sends its copies to class %u, which is trimmed too (expected one that is not)", tc,
                trim->to.i);
        if (config->lossless_mask >> trim->to.i & 1)
            return weir_fail(
                error, WEIR_ERROR_INPUT,
                "trimming: class %u sends its copies to class %u, which is lossless (expected a lossy one)", tc,
                trim->to.i);
        if (!trim->causes || trim->causes & ~WEIR_TRIM_CAUSES)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "trimming: class %u names no loss that leaves a copy, or one that cannot", tc);
        if ((unsigned)trim->ecn >= WEIR_TRIM_ECN_COUNT)
            return weir_fail(error, WEIR_ERROR_INPUT, "trimming: unknown kind of ECN");
        if (trim->newest > WEIR_TRIM_CHANCES || (trim->newest && !(trim->causes >> WEIR_CAUSE_PUSHOUT & 1)))
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "trimming: class %u cuts the newest packet, but no packet that is pushed out", tc);
    }
    return true;
}

static bool config_check_state(const struct weir_mmu_config *config, bool ingress, struct weir_error *error)
{
    const struct weir_policy *policy = ingress ? config->ingress : config->egress;
    struct weir_geometry geometry = weir_mmu_geometry(config, ingress);
    uint64_t bytes = policy->state_size(&geometry);
    return bytes <= STATE_BYTES_MAX ||
           weir_fail(error, WEIR_ERROR_INPUT, "policy %s: state_size asks for %llu bytes (expected at most %llu)",
                     policy->name, (unsigned long long)bytes, (unsigned long long)STATE_BYTES_MAX);
}

static bool config_check_flows(const struct weir_mmu_config *config, struct weir_error *error)
{
    const struct weir_policy *policy = config->egress;
    if (config->ingress && config->ingress->needs & WEIR_NEED_FLOW)
        return weir_fail(error, WEIR_ERROR_INPUT, "ingress policy: flows are seen on the egress side only");
    if (!(policy->needs & WEIR_NEED_FLOW))
        return true;
    struct weir_flow_shape shape = weir_mmu_flow_shape(config);
    if (!(config->gives & WEIR_GIVES_FLOWS))
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "policy %s needs the flow of every packet, which is not known here (expected a policy that "
                         "looks at queues only)",
                         policy->name);
    if (shape.entries == 0 && !(config->gives & WEIR_GIVES_FLOW_BYTES))
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "policy %s has no flow table, and how much of a flow has come before a packet is not known "
                         "here (expected entries=4096, or another power of two)",
                         policy->name);
    struct weir_error wrong = {.code = WEIR_ERROR_NONE};
    return weir_flow_shape_check(&shape, &wrong) ||
           weir_fail(error, WEIR_ERROR_INPUT, "policy %s: %s", policy->name, wrong.text);
}

static bool config_check_policies(const struct weir_mmu_config *config, struct weir_error *error)
{
    uint32_t needs = 0;
    if (!config->egress || config->egress->needs & WEIR_NEED_INGRESS)
        return weir_fail(error, WEIR_ERROR_INPUT, "policy: an egress policy is needed");
    if (config->ingress && !(config->ingress->needs & WEIR_NEED_INGRESS))
        return weir_fail(error, WEIR_ERROR_INPUT, "ingress policy: this one belongs on the egress side");
    if (config->ingress && config->ingress->needs & (WEIR_NEED_LONGEST | WEIR_NEED_RANKS))
        return weir_fail(error, WEIR_ERROR_INPUT, "ingress policy: ordered views are kept for the egress side only");
    if (config->lossless_mask & ~weir_class_mask(config->classes))
        return weir_fail(error, WEIR_ERROR_INPUT, "lossless classes: the mask names more classes than there are");
    if (config->lossless_mask && !config->ingress)
        return weir_fail(error, WEIR_ERROR_INPUT, "lossless classes need an ingress policy");
    needs = config->egress->needs | (config->ingress ? config->ingress->needs : 0);
    if (needs & WEIR_NEED_ORACLE && !config->oracle)
        return weir_fail(error, WEIR_ERROR_INPUT, "policy: needs an oracle");
    return config_check_flows(config, error) && config_check_state(config, false, error) &&
           (!config->ingress || config_check_state(config, true, error));
}

bool weir_mmu_config_check(const struct weir_mmu_config *config, struct weir_error *error)
{
    return config_check_shape(config, error) && config_check_pools(config, error) &&
           config_check_rates(config, error) && config_check_uplinks(config, error) &&
           config_check_memory(config, error) && config_check_scheduler(config, error) &&
           config_check_marking(config, error) && config_check_trim(config, error) &&
           config_check_policies(config, error);
}
