/*
 * roce_host.c - what RoCE asks of its host beside host.h: see roce_control.h.
 */
#include "sim/net/network.h"
#include "sim/transport/roce.h"

weir_ps host_base_rtt(const struct host *host)
{
    return host->sim->base_rtt_ps;
}

struct telemetry_pool *host_telemetry(const struct host *host)
{
    return &host->sim->packets.telemetry;
}

uint32_t host_telemetry_new(struct host *host)
{
    uint32_t number = telemetry_new(&host->sim->packets.telemetry);
    if (number == TELEMETRY_NONE)
        host->sim->out_of_memory = true;
    return number;
}
