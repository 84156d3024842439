/*
 * losses.c - frames that the kernel lost on their way to a device, where DPDK's driver does not count them.
 *
 * net_af_packet shares a ring of frames with the kernel. When it is full the kernel drops, and counts that in the
 * socket (PACKET_STATISTICS); the driver never asks. Its socket is known by what it is bound to. A net_tap is a queue
 * that the kernel sends into: what does not fit is dropped by its interface on sending. NICs and net_af_xdp fill
 * `imissed`, files and nothing lose nothing. Of all others (net_ring, net_memif, a tap in another namespace) it cannot
 * be known, and the counters say so: docs/howto/switch.md has the table.
 *
 * Reading the socket's counter clears it: whoever reads adds to the sum.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "switch/dpdk/dataplane_internal.h"

#define DRIVER_PREFIX "net_" /* of every device that is no NIC */

static bool is_driver(const char *devargs, const char *driver)
{
    return strncmp(devargs, driver, strlen(driver)) == 0;
}

/* What counts the frames that a device loses. */
static enum losses_source source_of(const char *devargs)
{
    static const struct {
        const char *driver;
        enum losses_source source;
    } drivers[] = {{"net_af_packet", LOSSES_SOCKET}, {"net_tap", LOSSES_TAP},     {"net_af_xdp", LOSSES_DRIVER},
                   {"net_pcap", LOSSES_DRIVER},      {"net_null", LOSSES_DRIVER}, {DRIVER_PREFIX, LOSSES_UNSEEN}};
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
        if (is_driver(devargs, drivers[i].driver))
            return drivers[i].source;
    return LOSSES_DRIVER;
}

static bool is_bound_to(int fd, const struct dataplane_port *port)
{
    struct sockaddr_ll bound = {.sll_ifindex = 0};
    socklen_t size = sizeof bound, domain_size = sizeof(int);
    int domain = 0;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_size) == 0 && domain == AF_PACKET &&
           getsockname(fd, (struct sockaddr *)&bound, &size) == 0 &&
           (unsigned)bound.sll_ifindex == if_nametoindex(port->iface);
}

static bool is_queue_of(int fd, const struct dataplane_port *port)
{
    struct ifreq request;
    memset(&request, 0, sizeof request);
    return ioctl(fd, TUNGETIFF, &request) == 0 && strncmp(request.ifr_name, port->iface, sizeof port->iface) == 0;
}

/* A descriptor of the driver, among all of this process; -1: none. */
static int find_descriptor(const struct dataplane_port *port, bool (*is_it)(int fd, const struct dataplane_port *port))
{
    DIR *folder = opendir("/proc/self/fd");
    int found = -1;
    for (struct dirent *entry; folder && found < 0 && (entry = readdir(folder));) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        if (entry->d_name[0] != '.' && is_it(fd, port))
            found = fd;
    }
    if (folder)
        closedir(folder);
    return found;
}

/* What the interface of a tap dropped since it was made; false: it is not in this namespace. /sys may be another's. */
static bool read_tap(const char *iface, uint64_t *lost)
{
    char line[512], name[16];
    bool found = false;
    FILE *in = fopen("/proc/self/net/dev", "re");
    while (in && !found &&
           fgets(line, sizeof line, in)) /* name: 8 counters of receiving, bytes, packets, errors, drops */
        found = sscanf(line, " %15[^:]: %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, name, lost) == 2 &&
                strcmp(name, iface) == 0;
    if (in)
        fclose(in);
    return found;
}

void losses_open(struct dataplane_port *port, const char *devargs)
{
    port->losses = source_of(devargs);
    port->losses_fd = -1;
    port->ring_lost = 0;
    if (port->losses == LOSSES_SOCKET || port->losses == LOSSES_TAP)
        port->losses_fd =
            port->iface[0] ? find_descriptor(port, port->losses == LOSSES_TAP ? is_queue_of : is_bound_to) : -1;
}

bool losses_tap_lives(const struct dataplane_port *port)
{
    struct ifreq request;
    memset(&request, 0, sizeof request);
    return port->losses == LOSSES_TAP && port->losses_fd >= 0 && ioctl(port->losses_fd, TUNGETIFF, &request) == 0;
}

uint64_t losses_read(struct dataplane_port *port, bool *seen)
{
    struct tpacket_stats stats = {.tp_drops = 0};
    socklen_t size = sizeof stats;
    uint64_t lost = 0;
    *seen = port->losses == LOSSES_DRIVER;
    if (port->losses == LOSSES_TAP)
        *seen = read_tap(port->iface, &lost);
    if (port->losses != LOSSES_SOCKET)
        return lost;
    *seen = port->losses_fd >= 0 && getsockopt(port->losses_fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0;
    if (*seen)
        __atomic_fetch_add(&port->ring_lost, stats.tp_drops, __ATOMIC_RELAXED);
    return __atomic_load_n(&port->ring_lost, __ATOMIC_RELAXED);
}
