/*
 * switch.c - see switch.h. All MMUs of a switch have the same shape, except that the last may have fewer ports.
 */
#include <assert.h>
#include <string.h>

#include "weir/fixed.h"
#include "weir/switch.h"

struct weir_switch {
    uint32_t ports, ports_per_mmu, mmu_count;
    struct weir_mmu **mmu;   /* [mmu_count] */
    uint32_t *class_pausers; /* [ports * WEIR_CLASSES_MAX]: MMUs that want the class of the input port paused */
    uint32_t *port_pausers;  /* [ports] */
};

static uint32_t switch_count(const struct weir_switch_config *config)
{
    return (config->ports + config->ports_per_mmu - 1) / config->ports_per_mmu;
}

struct weir_mmu_config weir_switch_mmu_config(const struct weir_switch_config *config, uint32_t mmu)
{
    struct weir_mmu_config one = *config->mmu;
    assert(mmu < switch_count(config));
    uint32_t first = mmu * config->ports_per_mmu;
    uint32_t left = config->ports - first;
    one.ports = left < config->ports_per_mmu ? left : config->ports_per_mmu;
    one.inputs = config->ports;
    one.rates_bps = config->rates_bps ? config->rates_bps + first : NULL;
    one.input_rates_bps = config->rates_bps;
    one.uplinks = config->uplinks;
    if (config->oracles)
        one.oracle = config->oracles[mmu];
    return one;
}

bool weir_switch_config_check(const struct weir_switch_config *config, struct weir_error *error)
{
    if (config->ports < 1 || config->ports > WEIR_PORTS_MAX || config->ports_per_mmu < 1 ||
        config->ports_per_mmu > config->ports) {
        return weir_fail(error, WEIR_ERROR_INPUT, "switch: 1 to 65535 ports, one to all of them per memory");
    }
    struct weir_mmu_config first = weir_switch_mmu_config(config, 0);
    struct weir_mmu_config last = weir_switch_mmu_config(config, switch_count(config) - 1);
    return weir_mmu_config_check(&first, error) && weir_mmu_config_check(&last, error);
}

size_t weir_switch_size(const struct weir_switch_config *config)
{
    size_t size = weir_align(sizeof(struct weir_switch));
    size += weir_align(switch_count(config) * sizeof(struct weir_mmu *));
    size += weir_align((size_t)config->ports * WEIR_CLASSES_MAX * sizeof(uint32_t));
    size += weir_align(config->ports * sizeof(uint32_t));
    for (uint32_t i = 0; i < switch_count(config); i++) {
        struct weir_mmu_config one = weir_switch_mmu_config(config, i);
        size += weir_mmu_size(&one);
    }
    return size;
}

struct weir_switch *weir_switch_init(void *memory, const struct weir_switch_config *config)
{
    struct weir_switch *sw = memory;
    uint8_t *at = memory;
    assert(memory && (uintptr_t)memory % 64 == 0);
    sw->ports = config->ports;
    sw->ports_per_mmu = config->ports_per_mmu;
    sw->mmu_count = switch_count(config);
    at += weir_align(sizeof *sw);
    sw->mmu = (struct weir_mmu **)(void *)at;
    at += weir_align(sw->mmu_count * sizeof *sw->mmu);
    sw->class_pausers = (uint32_t *)(void *)at;
    at += weir_align((size_t)sw->ports * WEIR_CLASSES_MAX * sizeof(uint32_t));
    sw->port_pausers = (uint32_t *)(void *)at;
    at += weir_align(sw->ports * sizeof(uint32_t));
    memset(sw->class_pausers, 0, (size_t)sw->ports * WEIR_CLASSES_MAX * sizeof(uint32_t));
    memset(sw->port_pausers, 0, sw->ports * sizeof(uint32_t));
    for (uint32_t i = 0; i < sw->mmu_count; i++) {
        struct weir_mmu_config one = weir_switch_mmu_config(config, i);
        sw->mmu[i] = weir_mmu_init(at, &one);
        at += weir_mmu_size(&one);
    }
    return sw;
}

uint32_t weir_switch_mmu_count(const struct weir_switch *sw)
{
    return sw->mmu_count;
}

struct weir_mmu *weir_switch_mmu(const struct weir_switch *sw, uint32_t mmu)
{
    return mmu < sw->mmu_count ? sw->mmu[mmu] : NULL;
}

struct weir_mmu *weir_switch_port_mmu(const struct weir_switch *sw, weir_port output, weir_port *local)
{
    if (output.i >= sw->ports)
        return NULL;
    local->i = output.i % sw->ports_per_mmu;
    return sw->mmu[output.i / sw->ports_per_mmu];
}

/* Counts one MMU's wishes into the union; true when the union has an edge. */
static bool switch_merge(struct weir_switch *sw, const struct weir_pause_edge *wish, struct weir_pause_edge *edge)
{
    if (wish->port.i >= sw->ports)
        return false;
    uint32_t *pausers = &sw->class_pausers[(size_t)wish->port.i * WEIR_CLASSES_MAX];
    *edge = (struct weir_pause_edge){.port = wish->port};
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++) {
        if (wish->pause_mask >> tc & 1 && pausers[tc]++ == 0)
            edge->pause_mask |= 1u << tc;
        if (wish->resume_mask >> tc & 1 && --pausers[tc] == 0)
            edge->resume_mask |= 1u << tc;
    }
    edge->port_pause = wish->port_pause && sw->port_pausers[wish->port.i]++ == 0;
    edge->port_resume = wish->port_resume && --sw->port_pausers[wish->port.i] == 0;
    return edge->pause_mask || edge->resume_mask || edge->port_pause || edge->port_resume;
}

uint32_t weir_switch_edges(struct weir_switch *sw, const struct weir_effects *effects, struct weir_pause_edge *edges)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < effects->edge_count; i++)
        count += switch_merge(sw, &effects->edges[i], &edges[count]);
    return count;
}
