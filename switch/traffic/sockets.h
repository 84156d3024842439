/*
 * sockets.h - sockets as the transports of a scenario ask for them. All are non-blocking; errors are in errno.
 */
#ifndef TRAFFIC_SOCKETS_H
#define TRAFFIC_SOCKETS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define SOCKETS_CONGESTION_MAX 16u /* with its end, as in the kernel */

struct socket_settings {
    char congestion[SOCKETS_CONGESTION_MAX];
    uint8_t tc; /* class of what it sends */
};

/* Both -1 on failure. A connection may still be under way when it is returned. */
int socket_listen(struct in_addr address, uint16_t port, const struct socket_settings *settings);
int socket_connect(struct in_addr from, struct in_addr to, uint16_t port, const struct socket_settings *settings);

/* Of UDP; -1 on failure. */
int socket_datagrams(struct in_addr address, uint16_t port);

/* -1: none is waiting, or there was an error. */
int socket_accept(int listener);

/* Sends in this class from now on. */
bool socket_set_class(int fd, uint8_t tc);

/* The error of a connection, 0: none. Asking takes it away. */
int socket_error(int fd);

/* Bytes that were sent and not acknowledged. */
int socket_unacknowledged(int fd);

/* True when the kernel has a congestion control of this name for us; else errno says why not. */
bool socket_has_congestion(const char *name);

/* As many open files as we may have. */
void socket_raise_limit(void);

#endif
