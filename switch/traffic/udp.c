/*
 * udp.c - see udp.h. A source that wakes up late sends what is overdue at once, as the simulator's does; the pacing of
 * its interface spreads it. While that one takes no more, the schedule waits.
 */
#define _GNU_SOURCE 1
#include "switch/traffic/udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cli/cli.h"
#include "sim/transport/flow.h"
#include "sim/transport/udp.h"
#include "switch/traffic/wall.h"

#define AROUND_BYTES (18u + 20u + 8u) /* of a frame: Ethernet with its check sequence, IP, UDP */
#define RETRY_NS (WALL_MS / 5)
#define DATAGRAM_MAX 65535u
#define NO_FLOW UINT32_MAX

/* What a datagram begins with, in the byte order of the network. */
struct udp_head {
    uint32_t flow;
    uint32_t bytes; /* of the flow */
};

/* A flow that is sent from here. */
struct udp_out {
    uint32_t flow;  /* index into the server's plan */
    double next_ns; /* of wall.h, less the start of the run: the next datagram is due */
    double gap_ns;  /* between two */
    int64_t left;   /* bytes still to be sent; FLOW_ENDLESS */
};

struct udp_source {
    struct loop_source source;
    struct udp *udp;
};

static void take(struct udp *udp, const struct udp_head *head)
{
    struct client *client = udp->client;
    /* Index into the client's plan, or NO_FLOW. */
    uint32_t id = ntohl(head->flow);
    uint32_t first = 0, end = udp->in_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (udp->client->plan->at[udp->in[middle]].id < id)
            first = middle + 1;
        else
            end = middle;
    }
    uint32_t index = first < udp->in_count && udp->client->plan->at[udp->in[first]].id == id ? udp->in[first] : NO_FLOW;
    if (index == NO_FLOW)
        return;
    struct client_flow *flow = &client->flows[index];
    flow->packets++;
    flow->delivered_bytes += ntohl(head->bytes);
    if (flow->delivered_bytes != client->plan->at[index].bytes)
        return;
    flow->finish_ns = wall_ns() - client->zero_ns;
    client->finished++;
}

static void source_ready(struct loop_source *source, uint32_t events)
{
    struct udp *udp = ((struct udp_source *)source)->udp;
    struct udp_head head;
    (void)events;
    while (recv(source->fd, &head, sizeof head, MSG_DONTWAIT) == sizeof head)
        take(udp, &head);
}

/* False: the interface takes no more now. */
static bool send_one(struct udp *udp, struct udp_out *out)
{
    static uint8_t datagram[DATAGRAM_MAX];
    const struct host_flow *plan = &udp->server->plan->at[out->flow];
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_addr = udp->network->address[plan->destination],
                                   .sin_port = htons(udp->network->port)};
    uint32_t bytes = out->left < (int64_t)udp->wire->mss_bytes ? (uint32_t)out->left : udp->wire->mss_bytes;
    uint32_t frame = bytes + udp->wire->header_bytes;
    size_t size = frame > AROUND_BYTES + sizeof(struct udp_head) ? frame - AROUND_BYTES : sizeof(struct udp_head);
    const struct udp_head head = {.flow = htonl(plan->id), .bytes = htonl(bytes)};
    memcpy(datagram, &head, sizeof head);
    socket_set_class(udp->source->fd, plan->tc);
    if (sendto(udp->source->fd, datagram, size, MSG_DONTWAIT, (const struct sockaddr *)&to, sizeof to) < 0)
        return false;
    struct server_flow *flow = &udp->server->flows[out->flow];
    flow->asked = true;
    flow->packets++;
    flow->sent_bytes += bytes;
    out->left -= out->left == FLOW_ENDLESS ? 0 : bytes;
    out->next_ns += out->gap_ns;
    flow->done = out->left == 0;
    udp->server->done += flow->done;
    return true;
}

void udp_act(struct udp *udp, int64_t now_ns)
{
    double now = (double)(now_ns - udp->client->zero_ns);
    udp->retry_ns = 0;
    for (uint32_t i = 0; i < udp->count; i++)
        while (udp->out[i].left > 0 && udp->out[i].next_ns <= now)
            if (!send_one(udp, &udp->out[i])) {
                udp->retry_ns = now_ns + RETRY_NS;
                break;
            }
}

int64_t udp_next_ns(const struct udp *udp)
{
    int64_t next = INT64_MAX;
    if (udp->retry_ns > 0)
        return udp->retry_ns;
    for (uint32_t i = 0; i < udp->count; i++) {
        int64_t due = (int64_t)udp->out[i].next_ns + udp->client->zero_ns + 1;
        if (udp->out[i].left > 0 && due < next)
            next = due;
    }
    return next;
}

static double gap_ns(const struct scenario *scenario, const struct host_flow *flow, uint32_t scale)
{
    const struct sim_wire *wire = &scenario->config.wire;
    weir_bps rate = udp_params(&scenario->config.transports[flow->transport])->rate_bps;
    for (uint32_t i = 0; rate == 0 && i < scenario->topology.link_count; i++) {
        const struct topology_link *link = &scenario->topology.links[i];
        rate = link->a == flow->source || link->b == flow->source ? link->rate_bps : 0;
    }
    return (wire->mss_bytes + wire->header_bytes) * 8.0 * 1e9 * scale / (double)rate;
}

static int open_socket(struct udp *udp)
{
    const struct network *network = udp->network;
    struct udp_source *source = calloc(1, sizeof *source);
    if (source == NULL)
        return cli_error_memory();
    *source = (struct udp_source){
        {.fd = socket_datagrams(network->address[network->host], network->port), .ready = source_ready}, udp};
    udp->source = &source->source;
    if (source->source.fd < 0 || !loop_add(udp->server->loop, &source->source, EPOLLIN))
        return cli_error(CLI_INTERNAL, "UDP port %u: cannot listen: %s", network->port, strerror(errno));
    return CLI_OK;
}

int udp_init(struct udp *udp, struct client *client, struct server *server, const struct scenario *scenario,
             uint32_t scale)
{
    *udp = (struct udp){.network = server->network, .wire = &scenario->config.wire, .client = client, .server = server};
    udp->out = calloc((size_t)server->plan->count + 1, sizeof *udp->out);
    udp->in = calloc((size_t)client->plan->count + 1, sizeof *udp->in);
    if (udp->out == NULL || udp->in == NULL)
        return cli_error_memory();
    const struct host_flow_list *sent = udp->server->plan, *asked = udp->client->plan;
    for (uint32_t i = 0; i < sent->count; i++)
        if (udp->network->transport[sent->at[i].transport].udp)
            udp->out[udp->count++] = (struct udp_out){.flow = i,
                                                      .next_ns = (double)sent->at[i].start_ns,
                                                      .gap_ns = gap_ns(scenario, &sent->at[i], scale),
                                                      .left = sent->at[i].bytes};
    for (uint32_t i = 0; i < asked->count; i++) {
        if (!udp->network->transport[asked->at[i].transport].udp)
            continue;
        uint32_t place = udp->in_count++; /* ids mostly rise with starts */
        for (; place > 0 && asked->at[udp->in[place - 1]].id > asked->at[i].id; place--)
            udp->in[place] = udp->in[place - 1];
        udp->in[place] = i;
    }
    return udp->count + udp->in_count > 0 ? open_socket(udp) : CLI_OK;
}

void udp_free(struct udp *udp)
{
    if (udp->source != NULL)
        loop_close(udp->server->loop, udp->source);
    free(udp->out);
    free(udp->in);
}
