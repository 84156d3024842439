/*
 * tcp_counts.c - see tcp_counts.h. TCP_INFO only ever grows at its end, and the kernel says how much of it there is:
 * fields are taken from their places, since the system's header may know fewer of them than the kernel.
 */
#include "switch/traffic/tcp_counts.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

enum {
    PLACE_RETRANSMITS = 100, /* tcpi_total_retrans, 32 bits */
    PLACE_TIMEOUTS = 240,    /* tcpi_total_rto, 16 bits */
    INFO_ROOM = 512
};

bool tcp_counts_from(const uint8_t *info, size_t size, struct tcp_counts *counts)
{
    uint32_t retransmits;
    uint16_t timeouts;
    *counts = (struct tcp_counts){0, 0};
    if (size < PLACE_RETRANSMITS + sizeof retransmits)
        return false;
    memcpy(&retransmits, info + PLACE_RETRANSMITS, sizeof retransmits);
    counts->retransmits = retransmits;
    counts->timeouts = TCP_COUNTS_UNKNOWN;
    if (size < PLACE_TIMEOUTS + sizeof timeouts)
        return true;
    memcpy(&timeouts, info + PLACE_TIMEOUTS, sizeof timeouts);
    counts->timeouts = timeouts;
    return true;
}

bool tcp_counts_read(int fd, struct tcp_counts *counts)
{
    uint8_t info[INFO_ROOM];
    socklen_t size = sizeof info;
    *counts = (struct tcp_counts){0, 0};
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &size) == 0 && tcp_counts_from(info, size, counts);
}

struct tcp_counts tcp_counts_since(const struct tcp_counts *before, const struct tcp_counts *now)
{
    bool known = before->timeouts != TCP_COUNTS_UNKNOWN && now->timeouts != TCP_COUNTS_UNKNOWN;
    return (struct tcp_counts){
        .retransmits = (uint32_t)(now->retransmits - before->retransmits),
        .timeouts = known ? (uint16_t)(now->timeouts - before->timeouts) : TCP_COUNTS_UNKNOWN,
    };
}
