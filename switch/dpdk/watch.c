/*
 * watch.c - the links of the ports, watched by their own thread, a few times per second. Drivers that know the
 * state of their link are asked. Those of a network interface of the operating system (af_packet, tap) say that it is
 * always up, so that the interface itself is asked. An interface that was removed stays down, even if another one gets
 * its name: the device is bound to the old one. A tap that was moved to another namespace cannot be asked.
 *
 * When a link goes down, what waits for it is lost and what was learned there is forgotten; when it is up again, the
 * port goes on as if nothing had been.
 */
#define _GNU_SOURCE 1
#include <net/if.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "switch/dpdk/dataplane_internal.h"

#define WATCH_INTERVAL_US 20000u

struct watch {
    pthread_t thread;
    bool runs;
    uint32_t ends; /* atomic */
    int socket;    /* to ask the operating system by; -1: none */
};

static bool watch_is_up(const struct watch *watch, struct dataplane_port *port)
{
    struct rte_eth_link link;
    if (port->iface[0] && watch->socket >= 0) {
        /* A tap that went to another namespace still works, but the state of its link is unknown. */
        struct ifreq request;
        memset(&request, 0, sizeof request);
        memcpy(request.ifr_name, port->iface, sizeof port->iface);
        bool here =
            if_nametoindex(port->iface) == port->iface_index && ioctl(watch->socket, SIOCGIFFLAGS, &request) == 0;
        bool away = !here && losses_tap_lives(port);
        __atomic_store_n(&port->away, away, __ATOMIC_RELAXED);
        if (!here)
            return away;
        return request.ifr_flags & IFF_UP && request.ifr_flags & IFF_RUNNING;
    }
    return rte_eth_link_get_nowait(port->device, &link) != 0 || link.link_status == RTE_ETH_LINK_UP;
}

static void watch_change(struct dataplane *dp, struct dataplane_port *port, bool up)
{
    uint64_t bit = UINT64_C(1) << port->number;
    struct losses losses;
    losses.count = 0;
    weir_ps now = mmu_enter(dp);
    mask_write(&dp->up_mask, up ? dp->up_mask | bit : dp->up_mask & ~bit);
    if (!up) {
        effects_flush(dp, port, &losses);
        uint32_t held = pause_forget(&port->pause, now);
        if (held)
            weir_mmu_pause_received(port->mmu, (weir_port){port->local}, held, now, now);
    }
    port_block(port, 0);
    port->ready_ps = now;
    count_add(&port->link_changes, 1);
    mmu_leave(dp);
    losses_free(&losses);
    if (!up) {
        lock_take(&dp->table_lock);
        mac_table_forget_port(dp->table, port->number);
        rte_spinlock_unlock(&dp->table_lock);
    }
}

static void *watch_run(void *argument)
{
    struct dataplane *dp = argument;
    while (!__atomic_load_n(&dp->watch->ends, __ATOMIC_ACQUIRE)) {
        for (uint32_t p = 0; p < dp->config.ports; p++) {
            bool up = watch_is_up(dp->watch, &dp->port[p]);
            if (up != (mask_read(&dp->up_mask) >> p & 1))
                watch_change(dp, &dp->port[p], up);
        }
        rte_delay_us_sleep(WATCH_INTERVAL_US);
    }
    return NULL;
}

bool watch_init(struct dataplane *dp)
{
    dp->watch = calloc(1, sizeof *dp->watch);
    if (!dp->watch)
        return false;
    dp->watch->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (uint32_t p = 0; p < dp->config.ports; p++)
        dp->port[p].iface_index = dp->port[p].iface[0] ? if_nametoindex(dp->port[p].iface) : 0;
    for (uint32_t p = 0; p < dp->config.ports; p++)
        if (watch_is_up(dp->watch, &dp->port[p]))
            dp->up_mask |= UINT64_C(1) << p;
    return true;
}

bool watch_start(struct dataplane *dp)
{
    __atomic_store_n(&dp->watch->ends, 0, __ATOMIC_RELEASE);
    dp->watch->runs = pthread_create(&dp->watch->thread, NULL, watch_run, dp) == 0;
    return dp->watch->runs;
}

void watch_stop(struct dataplane *dp)
{
    if (!dp->watch->runs)
        return;
    __atomic_store_n(&dp->watch->ends, 1, __ATOMIC_RELEASE);
    pthread_join(dp->watch->thread, NULL);
    dp->watch->runs = false;
}

void watch_free(struct dataplane *dp)
{
    if (!dp->watch)
        return;
    watch_stop(dp);
    if (dp->watch->socket >= 0)
        close(dp->watch->socket);
    free(dp->watch);
}
