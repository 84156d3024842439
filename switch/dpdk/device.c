/*
 * device.c - the device behind a port: found or created, one queue each way, every frame taken. A device may exist
 * before (a program that made a ring, a NIC that EAL found); then it is used and left as it is, else it is removed at
 * the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "switch/dpdk/dataplane_internal.h"

#define DEVICE_NAME_MAX 64u
#define DEVICE_HEADER_BYTES 18u /* Ethernet header and check sequence */
#define DEVICE_USUAL_MTU 1500u

/* The value of a key in "name,key=value,..." as text that ends at a comma, or null. */
static const char *device_argument(const char *devargs, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = strchr(devargs, ','); at; at = strchr(at, ','))
        if (strncmp(++at, key, length) == 0 && at[length] == '=')
            return at + length + 1;
    return NULL;
}

static const char *device_interface(const char *devargs, char name[16])
{
    const char *value = device_argument(devargs, "iface");
    size_t length = value ? strcspn(value, ",") : 0;
    if (length == 0 || length >= 16)
        length = 0;
    else
        memcpy(name, value, length);
    name[length] = '\0';
    return name;
}

/* The largest frame that a device says it puts into one mbuf; only some have the argument. */
uint32_t device_frame_bytes(const struct dataplane_config *config)
{
    uint32_t most = 0;
    for (uint32_t p = 0; p < config->ports; p++) {
        const char *value = device_argument(config->devices[p], "framesz");
        uint32_t bytes = value ? (uint32_t)strtoul(value, NULL, 10) : 0;
        most = bytes > most ? bytes : most;
    }
    return most < UINT16_MAX / 2 ? most : 0;
}

static bool device_fails(const struct dataplane *dp, const struct dataplane_port *port, const char *what,
                         struct weir_error *error)
{
    const char *reason = environment_error();
    return weir_fail(error, WEIR_ERROR_SYSTEM, "device `%.80s` of port %u: %s%s%.100s",
                     dp->config.devices[port->number], port->number, what, reason[0] ? ": " : "", reason);
}

/* Its name is what stands before the first comma. */
static bool device_find(const char *devargs, uint16_t *device)
{
    char name[DEVICE_NAME_MAX];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(devargs, ","), devargs);
    return rte_eth_dev_get_port_by_name(name, device) == 0;
}

static bool device_attach(struct dataplane *dp, struct dataplane_port *port, struct weir_error *error)
{
    const char *devargs = dp->config.devices[port->number];
    if (device_find(devargs, &port->device))
        return true;
    if (rte_dev_probe(devargs) != 0)
        return device_fails(dp, port, "DPDK cannot open it", error);
    port->owns_device = true;
    if (device_find(devargs, &port->device))
        return true;
    struct rte_dev_iterator iterator;
    uint16_t device;
    bool found = false;
    RTE_ETH_FOREACH_MATCHING_DEV(device, devargs, &iterator)
    {
        if (!found)
            port->device = device;
        found = true;
    }
    if (!found)
        port->owns_device = false;
    return found || device_fails(dp, port, "DPDK opened it and does not know it", error);
}

/* Virtual devices say what a usual NIC would, and take larger frames all the same. */
static uint32_t device_mtu(const struct rte_eth_dev_info *info, uint32_t mtu_bytes)
{
    bool unlimited = info->max_mtu == UINT16_MAX || info->max_mtu == 0;
    if (unlimited && info->max_rx_pktlen >= DEVICE_HEADER_BYTES &&
        mtu_bytes > info->max_rx_pktlen - DEVICE_HEADER_BYTES)
        return info->max_rx_pktlen - DEVICE_HEADER_BYTES;
    return mtu_bytes;
}

static bool device_configure(struct dataplane *dp, struct dataplane_port *port, struct weir_error *error)
{
    struct rte_eth_dev_info info;
    struct rte_eth_conf conf = {0};
    const struct dataplane_config *config = &dp->config;
    uint16_t rx_frames = (uint16_t)config->device_rx_frames, tx_frames = (uint16_t)config->device_tx_frames;
    if (rte_eth_dev_info_get(port->device, &info) != 0)
        return device_fails(dp, port, "it does not say what it can", error);
    if (info.max_mtu != 0 && info.max_mtu < config->mtu_bytes)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "device `%.80s` of port %u: its largest MTU is %u, and %u is wanted",
                         config->devices[port->number], port->number, info.max_mtu, config->mtu_bytes);
    conf.rxmode.mtu = device_mtu(&info, config->mtu_bytes);
    conf.txmode.offloads = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
    if (rte_eth_dev_configure(port->device, 1, 1, &conf) != 0)
        return device_fails(dp, port, "it cannot be configured with one queue each way", error);
    rte_eth_dev_adjust_nb_rx_tx_desc(port->device, &rx_frames, &tx_frames);
    if (rte_eth_rx_queue_setup(port->device, 0, rx_frames, SOCKET_ID_ANY, NULL, dp->pool) != 0)
        return device_fails(dp, port, "its receive queue cannot be made", error);
    if (rte_eth_tx_queue_setup(port->device, 0, tx_frames, SOCKET_ID_ANY, NULL) != 0)
        return device_fails(dp, port, "its send queue cannot be made", error);
    return true;
}

bool device_open(struct dataplane *dp, struct dataplane_port *port, struct weir_error *error)
{
    struct rte_ether_addr address;
    port->device = RTE_MAX_ETHPORTS;
    environment_forget_error();
    if (!device_attach(dp, port, error))
        return false;
    if (!port->owns_device)
        (void)rte_eth_dev_stop(port->device);
    if (!device_configure(dp, port, error))
        return false;
    if (rte_eth_dev_start(port->device) != 0)
        return device_fails(dp, port, "it does not start", error);
    /* What not every driver can: those that cannot pass everything anyway. */
    struct rte_eth_fc_conf flow;
    rte_eth_promiscuous_enable(port->device);
    rte_eth_allmulticast_enable(port->device);
    if (dp->config.mtu_bytes != DEVICE_USUAL_MTU)
        rte_eth_dev_set_mtu(port->device, (uint16_t)dp->config.mtu_bytes);
    if (rte_eth_dev_flow_ctrl_get(port->device, &flow) == 0) {
        flow.mode = RTE_ETH_FC_NONE;
        flow.mac_ctrl_frame_fwd = 1;
        rte_eth_dev_flow_ctrl_set(port->device, &flow);
    }
    device_interface(dp->config.devices[port->number], port->iface);
    losses_open(port, dp->config.devices[port->number]);
    if (rte_eth_macaddr_get(port->device, &address) == 0)
        memcpy(port->address, address.addr_bytes, sizeof port->address);
    return true;
}

void device_close(struct dataplane_port *port)
{
    struct rte_eth_dev_info info;
    if (!rte_eth_dev_is_valid_port(port->device))
        return;
    (void)rte_eth_dev_stop(port->device);
    if (!port->owns_device)
        return;
    int known = rte_eth_dev_info_get(port->device, &info);
    (void)rte_eth_dev_close(port->device);
    if (known == 0 && info.device)
        (void)rte_dev_remove(info.device);
}
