/*
 * config.c - see config.h. Every error says which part is wrong, what it is, and what is possible.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "switch/dpdk/config.h"
#include "weir/pfc.h"

#define MTU_MIN_BYTES 64u
#define MTU_MAX_BYTES 16000u
#define FRAMES_MIN 32u /* descriptors of a device's queue */
#define FRAMES_MAX 32768u
#define CPU_LIMIT 1024u /* as many as the sets of the operating system have */
#define LEARNED_MAX (1u << 20)
#define ETHERNET_BYTES 14u
#define GIVEN_MAX 4096u
#define GAP_MAX_BYTES 1024u
#define TIME_SCALE_MAX 1000000u
#define DSCP_PER_CLASS (DATAPLANE_DSCP_COUNT / DATAPLANE_PCP_COUNT)

void dataplane_config_init(struct dataplane_config *config)
{
    *config = (struct dataplane_config){
        .mtu_bytes = 1500,
        .device_rx_frames = 1024,
        .device_tx_frames = 256,
        .burst = 32,
        .classify = DATAPLANE_CLASSIFY_DSCP,
        .learning = true,
        .flooding = true,
        .aging_ps = 300 * WEIR_PS_PER_S,
        .addresses_max = 8192,
        .gap_bytes = 24,
        .pfc_quanta = UINT16_MAX,
        .reaction_ps = DATAPLANE_REACTION_AUTO,
        .time_scale = 1,
    };
    for (uint32_t i = 0; i < DATAPLANE_DSCP_COUNT; i++)
        config->class_of_dscp[i] = (uint8_t)(i / DSCP_PER_CLASS);
    for (uint32_t i = 0; i < DATAPLANE_PCP_COUNT; i++)
        config->class_of_pcp[i] = (uint8_t)i;
    memset(config->trim_dscp, -1, sizeof config->trim_dscp);
}

static bool config_check_frames(const struct dataplane_config *config, struct weir_error *error)
{
    if (config->mtu_bytes < MTU_MIN_BYTES || config->mtu_bytes > MTU_MAX_BYTES)
        return weir_fail(error, WEIR_ERROR_INPUT, "mtu: %" PRIu32 " bytes are given, %u to %u are possible",
                         config->mtu_bytes, MTU_MIN_BYTES, MTU_MAX_BYTES);
    if (config->device_rx_frames < FRAMES_MIN || config->device_rx_frames > FRAMES_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "rx_frames: %" PRIu32 " are given, %u to %u are possible",
                         config->device_rx_frames, FRAMES_MIN, FRAMES_MAX);
    if (config->device_tx_frames < FRAMES_MIN || config->device_tx_frames > FRAMES_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "tx_frames: %" PRIu32 " are given, %u to %u are possible",
                         config->device_tx_frames, FRAMES_MIN, FRAMES_MAX);
    if (config->burst < 1 || config->burst > DATAPLANE_BURST_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "burst: %" PRIu32 " frames are given, 1 to %u are possible",
                         config->burst, DATAPLANE_BURST_MAX);
    uint64_t held = (uint64_t)config->ports * (config->device_rx_frames + config->burst);
    if (config->mbufs != 0 && config->mbufs <= held)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "mbufs: %" PRIu32 " are too few, since the devices alone hold up to %" PRIu64
                         "; give more, or auto for as many as are needed",
                         config->mbufs, held);
    return true;
}

static const char *config_module_name(enum dataplane_module module)
{
    static const char *const names[DATAPLANE_MODULES] = {
        [DATAPLANE_RX] = "rx",
        [DATAPLANE_FORWARD] = "forwarding",
        [DATAPLANE_TX] = "tx",
        [DATAPLANE_EXPEL] = "expulsion",
    };
    return names[module];
}

static bool config_check_module(const struct dataplane_config *config, enum dataplane_module module,
                                struct weir_error *error)
{
    const struct dataplane_cpus *cpus = &config->cpus[module];
    bool alone = module == DATAPLANE_FORWARD || module == DATAPLANE_EXPEL;
    uint32_t limit = alone ? 1 : config->ports;
    if (cpus->count > limit)
        return weir_fail(error, WEIR_ERROR_INPUT, "cpus: %s has %" PRIu32 ", at most %" PRIu32 " can have work (%s)",
                         config_module_name(module), cpus->count, limit, alone ? "it runs on one" : "one per port");
    for (uint32_t i = 0; i < cpus->count; i++) {
        if (cpus->cpu[i] >= CPU_LIMIT)
            return weir_fail(error, WEIR_ERROR_INPUT, "cpus: %s has number %" PRIu32 ", 0 to %u are possible",
                             config_module_name(module), cpus->cpu[i], CPU_LIMIT - 1);
        for (uint32_t other = 0; other < i; other++)
            if (cpus->cpu[i] == cpus->cpu[other])
                return weir_fail(error, WEIR_ERROR_INPUT, "cpus: %s has number %" PRIu32 " twice",
                                 config_module_name(module), cpus->cpu[i]);
    }
    return true;
}

static bool config_check_cpus(const struct dataplane_config *config, struct weir_error *error)
{
    uint32_t placed = 0;
    for (uint32_t m = 0; m < DATAPLANE_MODULES; m++)
        placed += config->cpus[m].count > 0;
    for (uint32_t m = 0; m < DATAPLANE_MODULES; m++) {
        if (!config_check_module(config, (enum dataplane_module)m, error))
            return false;
        if (placed > 0 && config->cpus[m].count == 0)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "cpus: %s has none; give them to every module, or to none of them",
                             config_module_name((enum dataplane_module)m));
    }
    return true;
}

/* A copy is a valid frame: not below the least one, and shorter than the longest. */
static bool config_check_trim(const struct dataplane_config *config, struct weir_error *error)
{
    uint32_t full = config->mtu_bytes + ETHERNET_BYTES, trims = 0;
    for (uint32_t tc = 0; tc < config->sw.mmu->classes; tc++) {
        uint32_t bytes = config->sw.mmu->trim[tc].bytes;
        trims += bytes > 0;
        if (bytes > 0 && bytes < DATAPLANE_TRIM_MIN_BYTES)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "trim: a size of %" PRIu32 " B does not hold the headers of a frame (expected at least "
                             "%u B)",
                             bytes, DATAPLANE_TRIM_MIN_BYTES);
        if (bytes >= full)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "trim: a size of %" PRIu32 " B cuts nothing off a full frame of %" PRIu32
                             " B (expected less, or a larger mtu)",
                             bytes, full);
    }
    for (uint32_t p = 0; p < config->ports; p++)
        if (config->trim_dscp[p] >= 0 && !trims)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "trim_dscp: no class of the switch is trimmed (expected a section switch.trim)");
    return true;
}

static bool config_address_is_zero(const uint8_t mac[6])
{
    static const uint8_t zero[6];
    return memcmp(mac, zero, sizeof zero) == 0;
}

static bool config_check_address(const struct dataplane_config *config, uint32_t i, struct weir_error *error)
{
    const struct dataplane_address *address = &config->addresses[i];
    char text[18];
    snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", address->mac[0], address->mac[1], address->mac[2],
             address->mac[3], address->mac[4], address->mac[5]);
    if (address->port >= config->ports)
        return weir_fail(error, WEIR_ERROR_INPUT, "addresses: %s is at port %" PRIu32 ", but the last one is %" PRIu32,
                         text, address->port, config->ports - 1);
    if (address->mac[0] & 1 || config_address_is_zero(address->mac))
        return weir_fail(error, WEIR_ERROR_INPUT, "addresses: %s is not a unicast address", text);
    for (uint32_t other = 0; other < i; other++)
        if (memcmp(address->mac, config->addresses[other].mac, sizeof address->mac) == 0)
            return weir_fail(error, WEIR_ERROR_INPUT, "addresses: %s is given twice", text);
    return true;
}

static bool config_check_forwarding(const struct dataplane_config *config, struct weir_error *error)
{
    if (config->learning && config->aging_ps <= 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "aging: must be more than 0");
    if (config->learning && (config->addresses_max < 1 || config->addresses_max > LEARNED_MAX))
        return weir_fail(error, WEIR_ERROR_INPUT, "learned addresses: %" PRIu32 " are given, 1 to %u are possible",
                         config->addresses_max, LEARNED_MAX);
    if (config->address_count > GIVEN_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "addresses: %" PRIu32 " are given, at most %u are possible",
                         config->address_count, GIVEN_MAX);
    if (!config->learning && !config->flooding && config->address_count == 0)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "addresses: without learning and flooding, some must be given, or no frame "
                         "could ever be forwarded");
    for (uint32_t i = 0; i < config->address_count; i++)
        if (!config_check_address(config, i, error))
            return false;
    return true;
}

static bool config_check_links(const struct dataplane_config *config, struct weir_error *error)
{
    if (config->gap_bytes > GAP_MAX_BYTES)
        return weir_fail(error, WEIR_ERROR_INPUT, "gap: %" PRIu32 " bytes are given, 0 to %u are possible",
                         config->gap_bytes, GAP_MAX_BYTES);
    for (uint32_t p = 0; config->delays_ps && p < config->ports; p++)
        if (config->delays_ps[p] < 0 || config->delays_ps[p] > WEIR_PS_PER_S)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "delay: %" PRId64 " ps at port %" PRIu32 ", 0 to 1 s are possible", config->delays_ps[p],
                             p);
    if (config->time_scale < 1 || config->time_scale > TIME_SCALE_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "scale: %" PRIu32 " is given, 1 to %u are possible",
                         config->time_scale, TIME_SCALE_MAX);
    return true;
}

static bool config_check_switch(const struct dataplane_config *config, struct weir_error *error)
{
    if (!config->sw.mmu)
        return weir_fail(error, WEIR_ERROR_INPUT, "switch: has no buffer");
    if (config->sw.ports != config->ports)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "ports: the switch has %" PRIu32 ", but there are %" PRIu32 " devices", config->sw.ports,
                         config->ports);
    if (!weir_switch_config_check(&config->sw, error))
        return false;
    uint32_t lossless = config->sw.mmu->lossless_mask;
    if (lossless >> WEIR_PFC_CLASSES)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "lossless classes: class %d is one, but PFC knows classes 0 to %u only",
                         31 - __builtin_clz(lossless), WEIR_PFC_CLASSES - 1);
    if (config->pfc_quanta < 1 || config->pfc_quanta > UINT16_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "pfc: a pause of %" PRIu32 " quanta is given, 1 to %u are possible",
                         config->pfc_quanta, UINT16_MAX);
    return true;
}

bool dataplane_config_check(const struct dataplane_config *config, struct weir_error *error)
{
    if (config->ports < 1 || config->ports > DATAPLANE_PORTS_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "ports: %" PRIu32 " are given, 1 to %u are possible", config->ports,
                         DATAPLANE_PORTS_MAX);
    for (uint32_t p = 0; p < config->ports; p++) {
        if (!config->devices || !config->devices[p] || !config->devices[p][0])
            return weir_fail(error, WEIR_ERROR_INPUT, "devices: port %" PRIu32 " has none; every port needs one", p);
        for (uint32_t other = 0; other < p; other++)
            if (strcmp(config->devices[p], config->devices[other]) == 0)
                return weir_fail(error, WEIR_ERROR_INPUT,
                                 "devices: ports %" PRIu32 " and %" PRIu32 " have the same, `%.100s`", other, p,
                                 config->devices[p]);
    }
    if (!config_check_frames(config, error) || !config_check_cpus(config, error) || !config_check_switch(config, error))
        return false;
    /* A class above the last one is an error only if the user chose it. */
    uint32_t classes = config->sw.mmu->classes;
    if ((unsigned)config->classify > DATAPLANE_CLASSIFY_NONE)
        return weir_fail(error, WEIR_ERROR_INPUT, "classify: unknown kind; dscp, pcp and none are possible");
    for (uint32_t i = 0; i < DATAPLANE_DSCP_COUNT; i++)
        if (config->class_of_dscp[i] >= classes && config->class_of_dscp[i] != i / DSCP_PER_CLASS)
            return weir_fail(error, WEIR_ERROR_INPUT, "dscp: %" PRIu32 " is of class %u, but the last one is %" PRIu32,
                             i, config->class_of_dscp[i], classes - 1);
    for (uint32_t i = 0; i < DATAPLANE_PCP_COUNT; i++)
        if (config->class_of_pcp[i] >= classes && config->class_of_pcp[i] != i)
            return weir_fail(error, WEIR_ERROR_INPUT, "pcp: %" PRIu32 " is of class %u, but the last one is %" PRIu32,
                             i, config->class_of_pcp[i], classes - 1);
    return config_check_trim(config, error) && config_check_forwarding(config, error) &&
           config_check_links(config, error);
}
