/*
 * roce_receiver.c - the receiving end of a RoCE-like flow, which has no memory for packets out of order:
 *
 *   the segment expected next   taken; an ACK for every `ack_every` of them and for the last one
 *   one beyond it               dropped; a NACK for the first of a gap, then silence until the missing one arrives
 *   one before it               dropped; an ACK, because the earlier one may have been lost
 *   marked                      a CNP besides, at most one in `cnp_interval`
 *
 * A missing segment that is lost again is found by the sender's timeout. ACKs carry the sending time and the telemetry
 * of the packet that caused them. A NACK does too: it tells about the network what an ACK would.
 *
 * InfiniBand Architecture Specification 1, section 9.7 (one NAK until the expected packet arrives), annex 17 (CNP).
 * Deviation: a CNP has the size of an ACK.
 */
#include "sim/transport/roce_control.h"

static void receiver_send(struct host *host, struct flow *flow, const struct packet *packet, uint32_t flags)
{
    struct roce_receiver *r = &flow->receiver.roce;
    struct packet *ack = host_feedback(host, flow);
    if (!ack)
        return;
    ack->flags |= flags;
    ack->segment = packet->segment;
    ack->ack = r->expected;
    ack->sent_ps = packet->sent_ps;
    if ((packet->flags & PACKET_TELEMETRY) && !(flags & PACKET_CNP)) {
        uint32_t number = host_telemetry_new(host);
        if (number != TELEMETRY_NONE) {
            const struct telemetry_pool *pool = host_telemetry(host);
            telemetry_copy(telemetry_at(pool, number), telemetry_at(pool, packet->telemetry));
            ack->telemetry = number;
            ack->flags |= PACKET_TELEMETRY;
        }
    }
    host_send(host, ack);
}

static void receiver_take(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct roce_receiver *r = &flow->receiver.roce;
    r->expected++;
    r->nacked = false;
    host_delivered(host, flow, flow_segment_bytes(flow, packet->segment, host_wire(host)->mss_bytes), now);
    bool last = r->expected == flow->segments;
    if (++r->pending >= flow->transport->roce.ack_every || last) {
        r->pending = 0;
        receiver_send(host, flow, packet, 0);
    }
    if (last)
        host_receiver_done(host, flow, now);
}

void roce_data(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct roce_receiver *r = &flow->receiver.roce;
    if ((packet->flags & PACKET_MARKED) && now >= r->cnp_ps) {
        r->cnp_ps = now + flow->transport->roce.cnp_interval_ps;
        receiver_send(host, flow, packet, PACKET_CNP);
    }
    if (packet->segment == r->expected) {
        receiver_take(host, flow, packet, now);
    } else if (packet->segment < r->expected) {
        receiver_send(host, flow, packet, 0);
    } else if (!r->nacked) {
        r->nacked = true;
        receiver_send(host, flow, packet, PACKET_NACK);
    }
}
