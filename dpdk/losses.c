/*
 * losses.c - frames that the kernel lost on their way to a device, where DPDK's driver does not count them.
 *
 * net_af_packet shares a ring of frames with the kernel. When it is full the kernel drops, and counts that in the
 * socket (PACKET_STATISTICS); the driver never asks. Its socket is known by what it is bound to. A net_tap is a queue
 * that the kernel sends into: what does not fit is dropped by its interface on sending. Other drivers fill `imissed`,
 * or have nothing that could be full: docs/switch.md has the table.
 *
 * Reading the socket's counter clears it: whoever reads adds to the sum.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dpdk/dataplane_internal.h"

#define AF_PACKET_DRIVER "net_af_packet"
#define TAP_DRIVER "net_tap"

static bool is_bound_to(int fd, unsigned index)
{
    struct sockaddr_ll bound = {.sll_ifindex = 0};
    socklen_t size = sizeof bound, domain_size = sizeof(int);
    int domain = 0;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_size) == 0 && domain == AF_PACKET &&
           getsockname(fd, (struct sockaddr *)&bound, &size) == 0 && (unsigned)bound.sll_ifindex == index;
}

/* The socket of the driver, among all descriptors of this process; -1: none. */
static int find_socket(unsigned index)
{
    DIR *folder = opendir("/proc/self/fd");
    int found = -1;
    for (struct dirent *entry; folder && found < 0 && (entry = readdir(folder));) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        if (entry->d_name[0] != '.' && is_bound_to(fd, index))
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
    unsigned index = port->iface[0] ? if_nametoindex(port->iface) : 0;
    bool packet = strncmp(devargs, AF_PACKET_DRIVER, strlen(AF_PACKET_DRIVER)) == 0;
    port->is_tap = strncmp(devargs, TAP_DRIVER, strlen(TAP_DRIVER)) == 0;
    port->ring_socket = packet && index != 0 ? find_socket(index) : -1;
    port->ring_lost = 0;
}

uint64_t losses_read(struct dataplane_port *port)
{
    struct tpacket_stats stats = {.tp_drops = 0};
    socklen_t size = sizeof stats;
    uint64_t lost = 0;
    if (port->is_tap && read_tap(port->iface, &lost))
        return lost;
    if (port->ring_socket >= 0 && getsockopt(port->ring_socket, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0)
        __atomic_fetch_add(&port->ring_lost, stats.tp_drops, __ATOMIC_RELAXED);
    return __atomic_load_n(&port->ring_lost, __ATOMIC_RELAXED);
}
