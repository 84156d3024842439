/*
 * host_pfc.h - a host that is told to pause: flows and control packets of held classes are set aside as their turn at
 * the NIC comes. When the class goes on, flows queue up again behind the others, control packets before them. The rules
 * of flow control are in weir/pfc_peer.h.
 */
#ifndef SIM_NET_HOST_PFC_H
#define SIM_NET_HOST_PFC_H

#include "sim/net/host.h"
#include "sim/net/pfc.h"

struct host_pfc {
    struct pfc_end end;
    struct flow_list flows[PFC_CLASSES];     /* set aside */
    struct packet_list control[PFC_CLASSES]; /* likewise */
};

/* The host has its links. False: out of memory. */
bool host_pfc_init(struct host *host);

/* Sets aside what is held at the heads of the NIC's lists. */
void host_pfc_set_aside(struct host *host);

/* A frame arrives; the flow-control event of the host is due. */
void host_pfc_receive(struct host *host, struct packet *frame, weir_ps now);
void host_pfc_act(struct host *host, weir_ps now);

/* The link fails: nothing is held any more. */
void host_pfc_forget(struct host *host, weir_ps now);

#endif
