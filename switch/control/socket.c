/*
 * socket.c - see socket.h.
 */
#define _GNU_SOURCE 1
#include "switch/control/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/cli.h"

char *switch_socket_default(void)
{
    const char *own = getenv("XDG_RUNTIME_DIR");
    char *path = NULL;
    int length = 0;
    if (geteuid() == 0)
        path = strdup(SWITCH_SOCKET_FOLDER "/switch.sock");
    else if (own != NULL && own[0] == '/')
        length = asprintf(&path, "%s/weir-switch.sock", own);
    else {
        cli_error(CLI_USAGE, "XDG_RUNTIME_DIR is not set (expected a folder for sockets, or --control PATH)");
        return NULL;
    }
    if (path == NULL || length < 0) {
        cli_error_memory();
        return NULL;
    }
    return path;
}

bool switch_socket_address(const char *path, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path || path[0] == '\0') {
        cli_error(CLI_INPUT, "--control: %s: a socket cannot have this name (expected 1 to %zu bytes)", path,
                  sizeof address->sun_path - 1);
        return false;
    }
    memcpy(address->sun_path, path, strlen(path));
    return true;
}
