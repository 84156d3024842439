/*
 * socket.h - where a running weir-switch is reached: its Unix socket. Shared by the switch, which listens, and
 * by `weir switch`, which connects.
 */
#ifndef CONTROL_SOCKET_H
#define CONTROL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/un.h>

#define SWITCH_SOCKET_FOLDER "/run/weir" /* of root */

/* /run/weir/switch.sock, or in the user's own folder for sockets; to be freed. Null after one line: out of memory, or
 * the user has none and must name a path. */
char *switch_socket_default(void);

/* The address of a path; false after one line: it is too long. */
bool switch_socket_address(const char *path, struct sockaddr_un *address);

#endif
