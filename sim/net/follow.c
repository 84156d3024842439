/*
 * follow.c - see follow.h. A worker runs its nodes one after another through a window, so what it notes down is ordered
 * node by node; between stretches the events of all workers are sorted by time. Events of one node are always noted by
 * the same worker, in their order.
 */
#include "sim/net/follow.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/net/network.h"

static bool follow_wants(const struct sim_follow *follow, const struct packet *packet, uint32_t source)
{
    for (uint32_t i = 0; i < follow->count; i++) {
        const struct sim_follow_choice *choice = &follow->choices[i];
        const uint32_t a = choice->host, b = choice->other, to = packet->destination;
        bool flow =
            choice->first == SIM_FOLLOW_ANY || (packet->flow_id >= choice->first && packet->flow_id <= choice->last);
        bool hosts =
            a == SIM_FOLLOW_ANY ||
            (b == SIM_FOLLOW_ANY ? a == source || a == to : (a == source && b == to) || (a == to && b == source));
        if (flow && hosts && (choice->tag == SIM_FOLLOW_ANY || choice->tag == packet->tag))
            return true;
    }
    return false;
}

/* The packet as it is now; what the caller knows beyond that is left to it. Null: out of memory. */
static struct sim_packet_event *follow_note(struct sim_worker *worker, const struct packet *packet)
{
    struct packet_events *events = &worker->followed;
    struct sim_packet_event *moved = worker_room(events->at, events->count, &events->room, sizeof *moved);
    if (!moved) {
        worker->out_of_memory = true;
        return NULL;
    }
    events->at = moved;
    struct sim_packet_event *event = &events->at[events->count++];
    *event = (struct sim_packet_event){.queue_bytes = -1,
                                       .port = SIM_PACKET_NOWHERE,
                                       .flow = packet->flow_id,
                                       .tag = packet->tag,
                                       .source = packet->way.source,
                                       .number = packet->way.number,
                                       .destination = packet->destination,
                                       .segment = packet->flags & PACKET_ACK ? 0 : packet->segment,
                                       .ack = packet->flags & PACKET_ACK ? packet->ack : 0,
                                       .bytes = packet->bytes,
                                       .flags = packet->flags,
                                       .transport = UINT16_MAX,
                                       .tc = packet->tc,
                                       .kind = packet->kind,
                                       .hops = (uint8_t)packet->way.hops};
    return event;
}

/* By which transport it is sent, while its flow is there. */
static uint16_t follow_transport(const struct host *host, const struct packet *packet)
{
    const struct flow *flow = packet->flow;
    const bool feedback = packet->flags & PACKET_ACK;
    if ((feedback ? flow_seen_id(flow) : flow_id(flow)) != packet->flow_id)
        return UINT16_MAX;
    return (uint16_t)((feedback ? flow->seen.transport : flow->transport) - host->sim->config.transports);
}

static void follow_begin(struct host *host, struct packet *packet, enum sim_packet_step step, weir_ps now)
{
    packet->way = (struct packet_way){.source = host->id & (SIM_FOLLOW_HOSTS_MAX - 1)};
    if (!follow_wants(host->sim->config.follow, packet, host->id))
        return;
    packet->way.number = ++host->followed;
    const uint16_t transport = follow_transport(host, packet);
    const bool uet = transport != UINT16_MAX && host->sim->config.transports[transport].kind == &transport_uet;
    packet->kind = uet ? packet->kind | PACKET_KNOWN : 0; /* nobody else reads or writes it */
    struct sim_packet_event *event = follow_note(host->worker, packet);
    if (!event)
        return;
    event->when = now;
    event->node = host->id;
    event->step = (uint8_t)step;
    event->transport = transport;
}

void follow_sent(struct host *host, struct packet *packet, weir_ps now)
{
    if (host->sim->config.follow)
        follow_begin(host, packet, SIM_PACKET_SENT, now);
}

void follow_without_room(struct host *host, struct packet *packet, weir_ps now)
{
    if (host->sim->config.follow)
        follow_begin(host, packet, SIM_PACKET_NO_ROOM, now);
}

void follow_at_host(struct host *host, struct packet *packet, enum sim_packet_step step, weir_ps now)
{
    if (!host->sim->config.follow || packet->way.number == 0)
        return;
    packet->way.hops++;
    struct sim_packet_event *event = follow_note(host->worker, packet);
    if (!event)
        return;
    event->when = now;
    event->node = host->id;
    event->step = (uint8_t)step;
}

void follow_on_link(struct sim *sim, uint32_t to, const struct packet *packet, weir_ps now)
{
    if (!sim->config.follow || packet->way.number == 0)
        return;
    struct sim_packet_event *event = follow_note(sim_worker_of(sim, to), packet);
    if (!event)
        return;
    event->when = now;
    event->node = to;
    event->step = SIM_PACKET_BROKEN;
}

void follow_at_switch(struct switch_node *node, uint32_t output, const struct packet *packet, struct follow_step step)
{
    if (packet->way.number == 0)
        return;
    struct sim_packet_event *event = follow_note(node->worker, packet);
    if (!event)
        return;
    event->when = step.now;
    event->node = node->node;
    event->port = output;
    event->step = (uint8_t)step.step;
    event->why = (uint8_t)step.why;
    if (output == SIM_PACKET_NOWHERE)
        return;
    const struct switch_port *port = &node->port[output];
    const struct weir_view *view = weir_mmu_view(port->mmu);
    weir_account account = weir_account_of(&view->geometry, (weir_port){port->local}, (weir_class){packet->tc});
    event->queue_bytes = weir_view_length(view, account) * view->geometry.cell_bytes;
}

static int follow_compare(const void *a, const void *b)
{
    const struct sim_packet_event *x = *(const struct sim_packet_event *const *)a;
    const struct sim_packet_event *y = *(const struct sim_packet_event *const *)b;
    if (x->when != y->when)
        return x->when < y->when ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x > y) - (x < y); /* both in the list of one worker */
}

bool follow_hand_on(struct sim *sim)
{
    const struct sim_follow *follow = sim->config.follow;
    uint64_t count = 0;
    for (uint32_t i = 0; follow && i < sim->workers; i++)
        count += sim->worker[i]->followed.count;
    if (count == 0)
        return true;
    const struct sim_packet_event **all = malloc(count * sizeof(const struct sim_packet_event *));
    bool good = all != NULL;
    count = 0;
    for (uint32_t i = 0; good && i < sim->workers; i++) {
        struct packet_events *events = &sim->worker[i]->followed;
        for (uint32_t k = 0; k < events->count; k++)
            all[count++] = &events->at[k];
        events->count = 0; /* its memory stays */
    }
    if (good)
        qsort(all, count, sizeof(const struct sim_packet_event *), follow_compare);
    for (uint64_t i = 0; good && i < count; i++)
        good = follow->take(follow->context, all[i]);
    free(all);
    return good;
}
