/*
 * sim_checks_pfc.c - the part of sim_checks.h that is about flow control: what two ends of a link believe of each
 * other, and that lossless classes lose nothing.
 */
#include <inttypes.h>
#include <stdio.h>

#include "sim/net/host_pfc.h"
#include "sim/net/switch_pfc.h"
#include "sim_checks.h"

/* Of one class at one port; without failures pauses and resumes alternate. */
static const char *check_class(const struct sim *sim, const struct switch_pfc_port *port, uint32_t tc)
{
    const struct weir_pfc_counters *c = &port->end.peer.counters[tc];
    bool told = port->end.peer.told >> tc & 1;
    if (sim->next_change == 0 && c->pauses - c->resumes != told)
        return "pauses and resumes of a class alternate";
    if (c->refreshes > 0 && c->pauses == 0)
        return "only a pause is refreshed";
    return NULL;
}

/* What both ends of a link know of each other, when nothing is between them. */
static const char *check_ends(const struct sim *sim, const struct switch_pfc_port *port, const struct link *out,
                              const struct pfc_end *other)
{
    if (!link_is_empty(out) || other->frames.head != NULL || !out->up || sim->config.pfc.quanta < UINT16_MAX)
        return NULL;
    return other->peer.held == port->end.peer.told ? NULL : "what is told is held";
}

static const struct pfc_end *check_peer(const struct sim *sim, const struct link *out)
{
    uint32_t hosts = sim->config.topology->hosts;
    if (out->to < hosts)
        return &sim->hosts[out->to].pfc->end;
    const struct switch_node *node = &sim->switches[out->to - hosts];
    uint32_t port = 0;
    while (node->port[port].in != out)
        port++;
    return &node->pfc->port[port].end;
}

const char *sim_check_flow_control(const struct sim *sim, char message[WEIR_MESSAGE_MAX])
{
    for (uint32_t i = 0; sim->lossless && i < sim->config.topology->switches; i++) {
        const struct switch_node *node = &sim->switches[i];
        for (uint32_t p = 0; p < node->ports; p++) {
            const struct switch_pfc_port *port = &node->pfc->port[p];
            const char *fault = check_ends(sim, port, node->port[p].out, check_peer(sim, node->port[p].out));
            for (uint32_t tc = 0; fault == NULL && tc < PFC_CLASSES; tc++)
                fault = check_class(sim, port, tc);
            snprintf(message, WEIR_MESSAGE_MAX, "switch %u, port %u: told %x, held %x", i, p, port->end.peer.told,
                     check_peer(sim, node->port[p].out)->peer.held);
            if (fault != NULL)
                return fault;
        }
    }
    return NULL;
}

const char *sim_check_lossless(const struct sim *sim, char message[WEIR_MESSAGE_MAX])
{
    for (uint32_t i = 0; i < sim->measure.switches; i++) {
        const struct measure_switch *sw = &sim->measure.sw[i];
        uint32_t mask = sim_config_tier(&sim->config, sim->config.topology->tier[i])->mmu.lossless_mask;
        for (uint32_t q = 0; q < sw->ports * sw->classes; q++) {
            uint64_t lost = 0;
            for (uint32_t r = 0; r < WEIR_REASON_COUNT; r++)
                lost += sw->queue[q].refused[r];
            for (uint32_t c = 0; c < WEIR_CAUSE_COUNT; c++)
                lost += sw->queue[q].lost[c];
            snprintf(message, WEIR_MESSAGE_MAX, "switch %u, output %u, class %u: %" PRIu64 " lost", i, q % sw->ports,
                     q / sw->ports, lost);
            if (mask >> q / sw->ports & 1 && lost > 0)
                return "a lossless class loses nothing";
        }
    }
    return NULL;
}

static void digest_peer(struct digest *digest, const struct weir_pfc_peer *peer, weir_ps now)
{
    for (uint32_t tc = 0; tc < PFC_CLASSES; tc++) {
        const struct weir_pfc_counters *c = &peer->counters[tc];
        digest_u64(digest, c->pauses + (c->resumes << 20) + (c->refreshes << 40));
        digest_u64(digest, c->pauses_received + (c->resumes_received << 20) + (c->expired << 40));
        digest_u64(digest, (uint64_t)weir_pfc_peer_held_ps(peer, tc, now));
    }
}

void sim_check_digest_flow_control(struct digest *digest, const struct sim *sim)
{
    for (uint32_t i = 0; sim->lossless && i < sim->config.topology->hosts; i++)
        digest_peer(digest, &sim->hosts[i].pfc->end.peer, sim->now);
    for (uint32_t i = 0; sim->lossless && i < sim->config.topology->switches; i++) {
        const struct switch_pfc *pfc = sim->switches[i].pfc;
        for (uint32_t p = 0; p < sim->switches[i].ports; p++)
            digest_peer(digest, &pfc->port[p].end.peer, sim->now);
        digest_u64(digest, pfc->storms);
    }
}
