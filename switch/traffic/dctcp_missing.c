/*
 * dctcp_missing.c - in place of dctcp.c where weir is built without libbpf, clang or bpftool.
 */
#include <errno.h>
#include <stdio.h>

#include "switch/traffic/dctcp.h"
#include "switch/traffic/sockets.h"

static enum dctcp_state fail(struct weir_error *error)
{
    weir_fail(error, WEIR_ERROR_SYSTEM,
              "weir-traffic was built without DCTCP (install clang, bpftool and libbpf-dev, then build it again)");
    return DCTCP_FAILED;
}

/* Another build may have registered it. */
enum dctcp_state dctcp_look(struct dctcp_settings *settings, struct weir_error *error)
{
    *settings = (struct dctcp_settings){0, 0};
    if (socket_has_congestion(DCTCP_NAME) || errno == EPERM)
        return DCTCP_PRESENT;
    return fail(error);
}

enum dctcp_state dctcp_register(const struct dctcp_settings *settings, int *fd, struct weir_error *error)
{
    (void)settings, (void)fd;
    return fail(error);
}

enum dctcp_state dctcp_unregister(struct weir_error *error)
{
    return fail(error);
}
