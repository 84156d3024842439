/*
 * fake_host.c - see fake_host.h.
 */
#include "tests/support/fake_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "sim/transport/roce.h"
#include "sim/transport/tcp.h"

static struct fake_host *fake_of(const struct host *host)
{
    return (struct fake_host *)host;
}

void fake_init(struct fake_host *fake, const struct transport *kind, uint32_t segments)
{
    memset(fake, 0, sizeof *fake);
    assert_true(telemetry_table_init(&fake->table));
    fake->telemetry.table = &fake->table;
    fake->wire = (struct sim_wire){.mss_bytes = 1460, .header_bytes = 40, .ack_bytes = 40};
    fake->delay_ps = 10 * WEIR_PS_PER_US;
    fake->nic_ps = WEIR_PS_PER_US;
    sim_transport_init(&fake->settings, kind);
    struct flow *flow = &fake->flow;
    flow_set_id(flow, 7);
    flow->destination = 1;
    flow->segments = segments ? segments : UINT32_MAX;
    flow->bytes = segments ? (int64_t)segments * fake->wire.mss_bytes : FLOW_ENDLESS;
    flow->last_bytes = fake->wire.mss_bytes;
    flow->transport = &fake->settings;
    flow->base_rtt_ps = 2 * fake->delay_ps;
    flow_show(flow);
    flow->sender_due_ps = flow->receiver_due_ps = flow->finish_ps = WEIR_NEVER;
    fake->wake_ps[0] = fake->wake_ps[1] = WEIR_NEVER;
    fake->random = weir_random_stream(1, "fake");
    fake->transmissions = calloc(segments ? segments : 1u << 20, sizeof *fake->transmissions);
}

static void fake_append(struct fake_log **log, uint32_t *count, uint32_t *room, const struct fake_log *entry)
{
    if (*count == *room) {
        *room = *room ? 2 * *room : 64;
        *log = realloc(*log, *room * sizeof **log);
        assert_non_null(*log);
    }
    (*log)[(*count)++] = *entry;
}

static bool fake_is_fated(const struct fake_host *fake, const struct packet *packet, uint32_t transmission, bool marked)
{
    uint32_t segment = packet->flags & PACKET_OPENING ? FAKE_SYN : packet->segment;
    for (uint32_t i = 0; i < fake->fate_count; i++) {
        const struct fake_fate *fate = &fake->fates[i];
        if (fate->segment == segment && fate->transmission == transmission && fate->marked == marked)
            return true;
    }
    return false;
}

/* A packet and when it arrives. */
struct fake_packet {
    struct packet packet;
    weir_ps arrival_ps;
};

static weir_ps arrival_of(const struct packet *packet)
{
    return ((const struct fake_packet *)packet)->arrival_ps;
}

static void fake_delete(struct fake_host *fake, struct packet *packet)
{
    if (packet->flags & PACKET_TELEMETRY)
        telemetry_delete(&fake->telemetry, packet->telemetry);
    free(packet);
}

static struct packet *fake_new(void)
{
    struct fake_packet *made = calloc(1, sizeof *made);
    assert_non_null(made);
    return &made->packet;
}

/* By arrival; behind those that arrive at the same moment. */
static void fake_insert(struct packet_list *list, struct packet *packet)
{
    if (!list->head || arrival_of(list->tail) <= arrival_of(packet)) {
        packet_list_append(list, packet);
        return;
    }
    struct packet **at = &list->head;
    while (arrival_of(*at) <= arrival_of(packet))
        at = &(*at)->next;
    packet->next = *at;
    *at = packet;
}

static void fake_put(struct fake_host *fake, struct packet *packet, bool lost)
{
    bool is_ack = packet->flags & PACKET_ACK;
    struct fake_log entry = {.when = fake->now, .packet = *packet, .lost = lost};
    if (is_ack)
        fake_append(&fake->acks, &fake->ack_count, &fake->ack_room, &entry);
    else
        fake_append(&fake->data, &fake->data_count, &fake->data_room, &entry);
    if (lost) {
        fake_delete(fake, packet);
        return;
    }
    weir_ps *arrival = &((struct fake_packet *)packet)->arrival_ps;
    *arrival = fake->now + fake->delay_ps;
    if (fake->jitter_ps)
        *arrival += weir_random_below(&fake->random, fake->jitter_ps);
    fake_insert(&fake->wire_list, packet);
}

/* True with a probability given as Q16. */
static bool fake_chance(struct weir_random *random, weir_q16 chance)
{
    return (weir_q16)(weir_random_bits(random) >> 48) < chance;
}

static void fake_nic(struct fake_host *fake)
{
    struct flow *flow = &fake->flow;
    struct packet *packet = fake_new();
    enum transport_more more = fake->settings.kind->emit(&fake->host, flow, packet, fake->now);
    flow->ready = more == TRANSPORT_MORE;
    if (more == TRANSPORT_NOTHING) {
        free(packet);
        return;
    }
    packet->flow = flow;
    packet->sent_ps = fake->now;
    uint32_t *times = packet->flags & PACKET_OPENING ? &fake->syns : &fake->transmissions[packet->segment];
    uint32_t transmission = ++*times;
    bool ranged = packet->segment >= fake->mark_from && packet->segment < fake->mark_until;
    if ((packet->flags & PACKET_ECN) && (ranged || fake_is_fated(fake, packet, transmission, true)))
        packet->flags |= PACKET_MARKED;
    if (packet->flags & PACKET_TELEMETRY) {
        struct telemetry_hop hop = {.when = fake->now,
                                    .sent_bytes = (int64_t)fake->data_count * 1500,
                                    .rate_bps = host_rate(&fake->host),
                                    .queue_bytes = fake->queue_bytes};
        telemetry_stamp(&fake->telemetry, packet, &hop);
    }
    if (transmission == 1 && packet->segment >= fake->cut_from && packet->segment < fake->cut_until) {
        packet->flags |= PACKET_TRIMMED | PACKET_LAST_HOP;
        packet->bytes = (uint16_t)fake->wire.ack_bytes;
    }
    bool drawn = fake_chance(&fake->random, fake->data_loss);
    fake->nic_free_ps = fake->now + fake->nic_ps;
    fake_put(fake, packet, drawn || fake_is_fated(fake, packet, transmission, false));
}

static void fake_arrival(struct fake_host *fake)
{
    struct packet *packet = packet_list_take(&fake->wire_list);
    const struct transport *kind = fake->settings.kind;
    if (packet->flags & PACKET_ACK)
        kind->ack(&fake->host, &fake->flow, packet, fake->now);
    else
        kind->data(&fake->host, &fake->flow, packet, fake->now);
    fake_delete(fake, packet);
}

static void fake_timer(struct fake_host *fake, bool receiver)
{
    struct flow *flow = &fake->flow;
    weir_ps *due = receiver ? &flow->receiver_due_ps : &flow->sender_due_ps;
    fake->wake_ps[receiver] = WEIR_NEVER;
    if (*due > fake->now) {
        fake->wake_ps[receiver] = *due;
        return;
    }
    *due = WEIR_NEVER;
    if (receiver)
        fake->settings.kind->receiver_timer(&fake->host, flow, fake->now);
    else
        fake->settings.kind->sender_timer(&fake->host, flow, fake->now);
}

static weir_ps earlier(weir_ps a, weir_ps b)
{
    return a < b ? a : b;
}

static void fake_check(const struct fake_host *fake)
{
    const char *problem = NULL;
    if (fake->settings.kind->ack == roce_ack) {
        problem = roce_check(&fake->flow);
    } else if (fake->settings.kind->control) {
        problem = tcp_check(&fake->flow);
        problem = problem ? problem : tcp_receiver_check(&fake->flow);
        assert_true(tcp_sender(&fake->flow)->una <= tcp_receiver(&fake->flow)->next);
    }
    if (problem)
        fail_msg("%s", problem);
}

bool fake_run(struct fake_host *fake, weir_ps end)
{
    if (fake->now == 0 && !fake->data_count)
        fake->settings.kind->open(&fake->host, &fake->flow, 0);
    for (;;) {
        weir_ps nic = fake->flow.ready ? (fake->nic_free_ps > fake->now ? fake->nic_free_ps : fake->now) : WEIR_NEVER;
        weir_ps arrival = fake->wire_list.head ? arrival_of(fake->wire_list.head) : WEIR_NEVER;
        weir_ps timer = earlier(fake->wake_ps[0], fake->wake_ps[1]);
        weir_ps next = earlier(nic, earlier(arrival, timer));
        if (next >= end)
            return fake->sender_done && fake->receiver_done;
        assert_true(next >= fake->now);
        fake->now = next;
        if (nic == next)
            fake_nic(fake);
        else if (arrival == next)
            fake_arrival(fake);
        else
            fake_timer(fake, fake->wake_ps[0] != next);
        fake_check(fake);
    }
}

const struct fake_log *fake_sent(const struct fake_host *fake, uint32_t segment, uint32_t transmission)
{
    for (uint32_t i = 0; i < fake->data_count; i++) {
        bool opening = fake->data[i].packet.flags & PACKET_OPENING;
        if ((opening ? FAKE_SYN : fake->data[i].packet.segment) == segment && --transmission == 0)
            return &fake->data[i];
    }
    return NULL;
}

void fake_assert_complete(const struct fake_host *fake)
{
    assert_true(fake->sender_done && fake->receiver_done);
    assert_int_equal(fake->delivered_bytes, fake->flow.bytes);
    assert_int_equal(fake->flow.sender_due_ps, WEIR_NEVER);
    if (fake->settings.kind->ack == roce_ack || !fake->settings.kind->control)
        return;
    assert_int_equal(tcp_sender(&fake->flow)->sacked + tcp_sender(&fake->flow)->waiting, 0);
    assert_int_equal(tcp_sender(&fake->flow)->una, fake->flow.segments);
}

void fake_free(struct fake_host *fake)
{
    while (fake->wire_list.head)
        fake_delete(fake, packet_list_take(&fake->wire_list));
    if (fake->settings.kind->close)
        fake->settings.kind->close(&fake->host, &fake->flow);
    assert_int_equal(fake->words, 0);
    assert_int_equal(fake->telemetry.spares, fake->table.count * TELEMETRY_PER_BLOCK);
    telemetry_table_free(&fake->table);
    free(fake->transmissions);
    free(fake->data);
    free(fake->acks);
}

void host_flow_ready(struct host *host, struct flow *flow)
{
    (void)host;
    flow->ready = true;
}

struct packet *host_feedback(struct host *host, struct flow *flow)
{
    struct packet *packet = fake_new();
    memset(packet, 0xff, sizeof *packet); /* what a transport leaves out shows */
    packet->flow = flow;
    packet->flow_id = flow->id;
    packet->destination = flow->source;
    packet->bytes = (uint16_t)fake_of(host)->wire.ack_bytes;
    packet->flags = PACKET_ACK;
    return packet;
}

struct packet *host_control(struct host *host, struct flow *flow)
{
    struct packet *packet = host_feedback(host, flow);
    packet->destination = flow->destination;
    packet->flags = 0;
    return packet;
}

void *host_shared(struct host *host, size_t bytes)
{
    struct fake_host *fake = fake_of(host);
    assert_true(bytes <= sizeof fake->shared);
    return fake->shared;
}

void host_count(struct host *host, uint32_t tag, uint32_t what)
{
    assert_int_equal(tag, 0);
    fake_of(host)->counts[what]++;
}

void host_send(struct host *host, struct packet *packet)
{
    struct fake_host *fake = fake_of(host);
    fake_put(fake, packet, fake_chance(&fake->random, fake->ack_loss));
}

static void fake_set_timer(struct fake_host *fake, bool receiver, weir_ps due)
{
    assert_true(due >= fake->now);
    fake->timer_calls++;
    fake->wake_ps[receiver] = earlier(fake->wake_ps[receiver], due);
}

void host_sender_timer(struct host *host, struct flow *flow, weir_ps due)
{
    flow->sender_due_ps = due;
    fake_set_timer(fake_of(host), false, due);
}

void host_receiver_timer(struct host *host, struct flow *flow, weir_ps due)
{
    flow->receiver_due_ps = due;
    fake_set_timer(fake_of(host), true, due);
}

void host_sender_done(struct host *host, struct flow *flow, weir_ps now)
{
    struct fake_host *fake = fake_of(host);
    (void)flow;
    assert_false(fake->sender_done);
    fake->sender_done = true;
    fake->sender_done_ps = now;
}

void host_receiver_done(struct host *host, struct flow *flow, weir_ps now)
{
    struct fake_host *fake = fake_of(host);
    assert_false(fake->receiver_done);
    fake->receiver_done = true;
    flow->finish_ps = now;
}

void host_delivered(struct host *host, struct flow *flow, uint32_t bytes, weir_ps now)
{
    struct fake_host *fake = fake_of(host);
    (void)now;
    flow->delivered_bytes += bytes;
    fake->delivered_bytes += bytes;
}

void host_delayed(struct host *host, struct flow *flow, weir_ps delay_ps)
{
    (void)host;
    (void)flow;
    (void)delay_ps;
}

const struct sim_wire *host_wire(const struct host *host)
{
    return &fake_of(host)->wire;
}

uint64_t host_seed(const struct host *host)
{
    (void)host;
    return 1;
}

weir_bps host_rate(const struct host *host)
{
    (void)host;
    return 12000000000;
}

weir_ps host_base_rtt(const struct host *host)
{
    return 2 * fake_of(host)->delay_ps;
}

struct telemetry_pool *host_telemetry(const struct host *host)
{
    return &fake_of(host)->telemetry;
}

uint32_t host_telemetry_new(struct host *host)
{
    return telemetry_new(&fake_of(host)->telemetry);
}

void host_connection_take(struct host *host, struct flow *flow)
{
    struct fake_host *fake = fake_of(host);
    flow->connection = &fake->connection;
    fake->taken++;
}

void host_connection_rest(struct host *host, struct flow *flow)
{
    (void)flow;
    fake_of(host)->taken--;
}

uint64_t *host_words(struct host *host, uint32_t words)
{
    struct fake_host *fake = fake_of(host);
    if (fake->no_words)
        return NULL;
    uint64_t *memory = calloc(words, sizeof *memory);
    assert_non_null(memory);
    fake->words += words;
    return memory;
}

void host_words_free(struct host *host, uint64_t *memory, uint32_t words)
{
    fake_of(host)->words -= words;
    free(memory);
}

uint32_t fake_acks_with(const struct fake_host *fake, uint32_t flag)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fake->ack_count; i++)
        count += (fake->acks[i].packet.flags & flag) != 0;
    return count;
}
