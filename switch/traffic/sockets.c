/*
 * sockets.c - see sockets.h.
 */
#define _GNU_SOURCE 1
#include "switch/traffic/sockets.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLASS_SHIFT 5                /* class c is DSCP 8c, the upper six bits of the type of service */
#define RECEIVE_BYTES ((int)4 << 20) /* beyond any window that a testbed's links need */
#define WAITING_CONNECTIONS 4096     /* the kernel has its own limit */
#define NO_ADDRESS_WITHOUT_PORT 24   /* IP_BIND_ADDRESS_NO_PORT: the port is chosen when the peer is known */

static bool set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

bool socket_set_class(int fd, uint8_t tc)
{
    return set(fd, IPPROTO_IP, IP_TOS, tc << CLASS_SHIFT);
}

static int fail(int fd)
{
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* Room for large windows: beyond the system's limit where we may, else up to it. */
static bool set_room(int fd)
{
    return set(fd, SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BYTES) || set(fd, SOL_SOCKET, SO_RCVBUF, RECEIVE_BYTES);
}

static int socket_new(const struct socket_settings *settings)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (fd < 0)
        return -1;
    bool good = setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, settings->congestion,
                           (socklen_t)strlen(settings->congestion)) == 0 &&
                socket_set_class(fd, settings->tc) && set(fd, IPPROTO_TCP, TCP_NODELAY, 1) && set_room(fd);
    return good ? fd : fail(fd);
}

int socket_listen(struct in_addr address, uint16_t port, const struct socket_settings *settings)
{
    const struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = address, .sin_port = htons(port)};
    int fd = socket_new(settings);
    if (fd < 0)
        return -1;
    bool good = set(fd, SOL_SOCKET, SO_REUSEADDR, 1) && bind(fd, (const struct sockaddr *)&name, sizeof name) == 0 &&
                listen(fd, WAITING_CONNECTIONS) == 0;
    return good ? fd : fail(fd);
}

int socket_connect(struct in_addr from, struct in_addr to, uint16_t port, const struct socket_settings *settings)
{
    const struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = from};
    const struct sockaddr_in peer = {.sin_family = AF_INET, .sin_addr = to, .sin_port = htons(port)};
    int fd = socket_new(settings);
    if (fd < 0)
        return -1;
    bool good = set(fd, IPPROTO_IP, NO_ADDRESS_WITHOUT_PORT, 1) &&
                bind(fd, (const struct sockaddr *)&own, sizeof own) == 0 &&
                (connect(fd, (const struct sockaddr *)&peer, sizeof peer) == 0 || errno == EINPROGRESS);
    return good ? fd : fail(fd);
}

int socket_datagrams(struct in_addr address, uint16_t port)
{
    const struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = address, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);
    if (fd < 0)
        return -1;
    return set_room(fd) && bind(fd, (const struct sockaddr *)&name, sizeof name) == 0 ? fd : fail(fd);
}

int socket_accept(int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return -1;
    return set(fd, IPPROTO_TCP, TCP_NODELAY, 1) ? fd : fail(fd);
}

int socket_error(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

int socket_unacknowledged(int fd)
{
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

bool socket_has_congestion(const char *name)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
    if (fd < 0)
        return false;
    bool has = setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0;
    int error = errno;
    close(fd);
    errno = error;
    return has;
}

void socket_raise_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}
