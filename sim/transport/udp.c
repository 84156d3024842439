/*
 * udp.c - UDP: packets by a schedule, without feedback.
 *
 * The schedule is a row of moments, a gap apart: constant or exponential around the time that a full packet takes at
 * the configured rate. Sizes are independent of gaps: all full, or exponential around a full packet (at least 64 bytes
 * or one byte of payload, at most 65535 bytes), so that the textbook queues can be made. Off periods are cut into the
 * schedule: time stands still for it while the source is off, and the mean rate is rate * on / (on + off). A NIC that
 * is late does not change the schedule: what is overdue is sent back to back.
 *
 *   first packet: at the start of the flow, or one gap after it when gaps are exponential (a Poisson process)
 *   last packet:  number `segments` of a finite flow, and then the sender is done. Its size is what is left of the
 *                 bytes. With exponential sizes the number of packets is kept, and the bytes are only their mean
 *   receiver:     done when it has as many packets as the flow has, which is never when one was lost
 *
 * A flow of a listed packet (packet_bytes) is that one packet, at its start, whatever the settings, and ECN-capable if
 * it was. A rate of 0 stands for the rate of the host's link. All draws come from a stream named after the flow.
 */
#include <inttypes.h>
#include <stdio.h>

#include "sim/transport/udp.h"

#define UDP_PACKET_BYTES_MIN 64u
#define UDP_BITS_PER_BYTE 8.0
#define UDP_TIME_MAX (1000 * WEIR_PS_PER_S)
#define UDP_PERIODS_MAX 100000 /* on periods between two packets, which are walked one by one */

static const struct setting udp_settings[] = {
    {.name = "rate",
     .unit = SETTING_RATE,
     SETTING_FIELD(struct udp_params, rate_bps),
     .initial = 1000000000,
     .min = 1000,
     .max = WEIR_RATE_BPS_MAX,
     .or_zero = true,
     .help = "Mean rate of a flow while it is on, headers included, gaps not."},
    {.name = "poisson",
     .unit = SETTING_FLAG,
     SETTING_FIELD(struct udp_params, poisson),
     .max = 1,
     .help = "Exponential gaps between packets; no: constant."},
    {.name = "exponential_sizes",
     .unit = SETTING_FLAG,
     SETTING_FIELD(struct udp_params, exponential_sizes),
     .max = 1,
     .help = "Packet sizes exponential around the full segment; no: all full."},
    {.name = "on",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct udp_params, on_ps),
     .min = 0,
     .max = UDP_TIME_MAX,
     .help = "Mean time of sending."},
    {.name = "off",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct udp_params, off_ps),
     .min = 0,
     .max = UDP_TIME_MAX,
     .help = "Mean time of silence after it; 0s: always on."},
    {.name = "exponential_periods",
     .unit = SETTING_FLAG,
     SETTING_FIELD(struct udp_params, exponential_periods),
     .max = 1,
     .help = "Exponential times of sending and silence; no: constant."},
};

static bool udp_draws(const void *params)
{
    const struct udp_params *udp = params;
    return udp->poisson || udp->exponential_sizes || (udp->off_ps > 0 && udp->exponential_periods);
}

static bool udp_check(const void *params, const struct sim_wire *wire, struct weir_error *error)
{
    const struct udp_params *udp = params;
    if (udp->off_ps == 0)
        return true;
    if (udp->on_ps == 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "'off' without 'on' (expected both)");
    weir_bps rate = udp->rate_bps ? udp->rate_bps : WEIR_RATE_BPS_MIN;
    weir_ps gap_ps = (weir_ps)(wire->mss_bytes + wire->header_bytes) * 8 * WEIR_PS_PER_S / rate;
    weir_ps least = gap_ps / UDP_PERIODS_MAX > WEIR_PS_PER_NS ? gap_ps / UDP_PERIODS_MAX : WEIR_PS_PER_NS;
    if (udp->on_ps < least)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "on: %" PRId64 " ps are too short at this rate (expected at least %" PRId64 " ps)", udp->on_ps,
                         least);
    return true;
}

static weir_ps udp_draw(struct weir_random *random, double mean_ps, bool exponential)
{
    return (weir_ps)(exponential ? weir_random_exponential(random, mean_ps) : mean_ps);
}

/* Moves the schedule one gap on, over the off periods that lie in between. */
static void udp_schedule_next(struct udp_sender *s, const struct udp_params *settings)
{
    if (settings->poisson) {
        s->next_ps += udp_draw(&s->random, s->gap_ps, true);
    } else {
        weir_ps gap_ps = (weir_ps)(s->gap_ps + s->carry_ps);
        s->carry_ps += s->gap_ps - (double)gap_ps;
        s->next_ps += gap_ps;
    }
    while (s->next_ps >= s->on_end_ps) {
        weir_ps off_ps = udp_draw(&s->random, (double)settings->off_ps, settings->exponential_periods);
        s->next_ps += off_ps;
        s->on_end_ps += off_ps + udp_draw(&s->random, (double)settings->on_ps, settings->exponential_periods);
    }
}

static void udp_open(struct host *host, struct flow *flow, weir_ps now)
{
    const struct udp_params *settings = udp_params(flow->transport);
    const struct sim_wire *wire = host_wire(host);
    struct udp_sender *s = udp_sender(flow);
    char name[32];
    snprintf(name, sizeof name, "udp/%u", (unsigned)flow->id);
    weir_bps rate = settings->rate_bps ? settings->rate_bps : host_rate(host);
    *s = (struct udp_sender){
        .next_ps = now,
        .on_end_ps = WEIR_NEVER,
        .gap_ps = (wire->mss_bytes + wire->header_bytes) * UDP_BITS_PER_BYTE * (double)WEIR_PS_PER_S / (double)rate,
        .random = weir_random_stream(host_seed(host), name),
    };
    if (settings->off_ps)
        s->on_end_ps = now + udp_draw(&s->random, (double)settings->on_ps, settings->exponential_periods);
    if (settings->poisson && !flow->packet_bytes)
        udp_schedule_next(s, settings);
    if (s->next_ps > now)
        host_sender_timer(host, flow, s->next_ps);
    else
        host_flow_ready(host, flow);
}

static uint16_t udp_packet_bytes(const struct sim_wire *wire, struct flow *flow, uint32_t segment)
{
    uint32_t bytes = flow_segment_bytes(flow, segment, wire->mss_bytes) + wire->header_bytes;
    if (flow->packet_bytes) {
        bytes = flow->packet_bytes;
    } else if (udp_params(flow->transport)->exponential_sizes) {
        double drawn = weir_random_exponential(&udp_sender(flow)->random, wire->mss_bytes + wire->header_bytes);
        uint32_t least = wire->header_bytes < UDP_PACKET_BYTES_MIN ? UDP_PACKET_BYTES_MIN : wire->header_bytes + 1;
        bytes = drawn < least ? least : drawn < UINT16_MAX ? (uint32_t)drawn : UINT16_MAX;
    }
    return (uint16_t)(bytes < UINT16_MAX ? bytes : UINT16_MAX);
}

static enum transport_more udp_emit(struct host *host, struct flow *flow, struct packet *packet, weir_ps now)
{
    struct udp_sender *s = udp_sender(flow);
    if (s->sent == flow->segments)
        return TRANSPORT_NOTHING;
    packet->segment = s->sent++;
    packet->ack = 0;
    packet->flags = flow->packet_ecn ? PACKET_ECN : 0;
    packet->bytes = udp_packet_bytes(host_wire(host), flow, packet->segment);
    if (s->sent == flow->segments) {
        host_sender_done(host, flow, now);
        return TRANSPORT_LAST;
    }
    udp_schedule_next(s, udp_params(flow->transport));
    if (s->next_ps <= now)
        return TRANSPORT_MORE;
    host_sender_timer(host, flow, s->next_ps);
    return TRANSPORT_LAST;
}

static void udp_sender_timer(struct host *host, struct flow *flow, weir_ps now)
{
    (void)now;
    host_flow_ready(host, flow);
}

static void udp_data(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct udp_receiver *r = udp_receiver(flow);
    weir_ps delay = now - packet->sent_ps;
    r->packets++;
    r->delay_sum_ps += (double)delay;
    r->delay_squares += (double)delay * (double)delay;
    if (r->delay_max_ps < delay)
        r->delay_max_ps = delay;
    host_delayed(host, flow, delay);
    uint32_t payload = flow->seen.packet_bytes ? flow->seen.last_bytes : packet->bytes - host_wire(host)->header_bytes;
    host_delivered(host, flow, payload, now);
    if (r->packets == flow->seen.segments)
        host_receiver_done(host, flow, now);
}

static struct flow_packets udp_packets(const struct flow *flow)
{
    const struct udp_receiver *r = udp_receiver(flow);
    return (struct flow_packets){.sent = udp_sender(flow)->sent,
                                 .delivered = r->packets,
                                 .delay_sum_ps = r->delay_sum_ps,
                                 .delay_squares = r->delay_squares,
                                 .delay_max_ps = r->delay_max_ps};
}

TRANSPORT_FITS(struct udp_params, struct udp_sender, struct udp_receiver);

const struct transport transport_udp = {
    .name = "udp",
    .title = "UDP at a rate",
    .source = "RFC 768; constant or exponential gaps and sizes, on-off periods",
    .settings = SETTING_TABLE(udp_settings, struct udp_params),
    .check = udp_check,
    .draws = udp_draws,
    .open = udp_open,
    .emit = udp_emit,
    .data = udp_data,
    .sender_timer = udp_sender_timer,
    .packets = udp_packets,
};
