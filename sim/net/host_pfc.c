/*
 * host_pfc.c - see host_pfc.h.
 */
#include <stdlib.h>

#include "sim/net/host_nic.h"
#include "sim/net/host_pfc.h"
#include "sim/net/network.h"

bool host_pfc_init(struct host *host)
{
    host->pfc = calloc(1, sizeof(*host->pfc));
    if (!host->pfc)
        return false;
    pfc_end_init(&host->pfc->end, &host->sim->config.pfc, host->out, 0);
    return true;
}

static bool host_holds(const struct host *host, uint32_t tc)
{
    return tc < PFC_CLASSES && host->pfc->end.peer.held >> tc & 1;
}

void host_pfc_set_aside(struct host *host)
{
    if (!host->pfc->end.peer.held)
        return;
    while (host->control.head && host_holds(host, host->control.head->tc)) {
        struct packet *packet = packet_list_take(&host->control);
        packet_list_append(&host->pfc->control[packet->tc], packet);
    }
    while (host->ready.head && host_holds(host, host->ready.head->tc)) {
        struct flow *flow = flow_list_take(&host->ready);
        flow_list_append(&host->pfc->flows[flow->tc], flow);
    }
}

/* Control packets go before those that wait already: some of them may be later ones of the same flow. */
static void host_return_control(struct host *host, struct packet_list *aside)
{
    if (!aside->head)
        return;
    aside->tail->next = host->control.head;
    if (!host->control.head)
        host->control.tail = aside->tail;
    host->control.head = aside->head;
    aside->head = NULL;
}

static void host_resume(struct host *host, uint32_t classes)
{
    for (uint32_t left = classes; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        if (host->nic && host->nic->kind == SIM_NIC_STRICT) {
            /* With priorities every packet and flow goes back to its class. */
            struct packet *packet, *back = NULL;
            while (host->pfc->control[tc].head) { /* backwards, since each goes before the last */
                packet = packet_list_take(&host->pfc->control[tc]);
                packet->next = back;
                back = packet;
            }
            for (; (packet = back);) {
                back = packet->next;
                host_nic_insert_control(host, packet, true);
            }
            while (host->pfc->flows[tc].head)
                host_nic_insert_flow(host, flow_list_take(&host->pfc->flows[tc]));
            continue;
        }
        host_return_control(host, &host->pfc->control[tc]);
        while (host->pfc->flows[tc].head)
            flow_list_append(&host->ready, flow_list_take(&host->pfc->flows[tc]));
    }
}

void host_pfc_receive(struct host *host, struct packet *frame, weir_ps now)
{
    pfc_end_receive(&host->pfc->end, frame, now);
    host->frame_ps = pfc_end_next(&host->pfc->end, false);
    host_settle(host);
}

/* The frame has been delivered. */
static void host_frame_ends(struct host *host, struct packet *frame, weir_ps now)
{
    host->worker->measure->delivered++;
    worker_happened(host->worker, now);
    packet_delete(&host->worker->packets, frame);
}

void host_pfc_act(struct host *host, weir_ps now)
{
    struct host_pfc *pfc = host->pfc;
    struct packet *frame;
    while ((frame = pfc_end_take(&pfc->end, now))) {
        struct weir_pfc_order orders[PFC_CLASSES];
        uint32_t count = pfc_end_hear(&pfc->end, frame, now, orders);
        host_frame_ends(host, frame, now);
        for (uint32_t i = 0; i < count; i++)
            host_resume(host, orders[i].until_ps == now ? orders[i].class_mask : 0);
    }
    host_resume(host, weir_pfc_peer_expire(&pfc->end.peer, now));
    host->frame_ps = pfc_end_next(&pfc->end, false);
}

void host_pfc_forget(struct host *host, weir_ps now)
{
    struct host_pfc *pfc = host->pfc;
    struct packet *frame;
    while ((frame = pfc_end_take(&pfc->end, WEIR_NEVER)))
        host_frame_ends(host, frame, now);
    host_resume(host, weir_pfc_peer_forget(&pfc->end.peer, now));
    host->frame_ps = WEIR_NEVER;
    host_settle(host);
}
