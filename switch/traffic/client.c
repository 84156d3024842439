/*
 * client.c - see client.h.
 *
 * A host that does not answer yet is tried again for a while, since those of a testbed do not start at the same moment.
 */
#define _GNU_SOURCE 1
#include "switch/traffic/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/cli.h"
#include "sim/transport/flow.h"
#include "switch/traffic/request.h"
#include "switch/traffic/wall.h"

#define RETRY_NS (50 * WALL_MS)
#define PATIENCE_NS (10 * WALL_S) /* then the host is taken for dead */
#define READ_BYTES ((size_t)1 << 20)
#define NO_FLOW UINT32_MAX

enum link_state { LINK_WAITING_TO_CONNECT, LINK_CONNECTING, LINK_IDLE, LINK_ASKING, LINK_RECEIVING };

struct client_link {
    struct loop_source source;
    struct client *client;
    struct client_link *next, *previous;
    struct client_link *next_retry;
    struct idle_link waiting;
    enum link_state state;
    uint32_t server, transport;
    uint32_t flow; /* index into the plan, or NO_FLOW */
    int64_t left;  /* bytes of it still to come */
    int64_t retry_ns, give_up_ns;
    struct tcp_counts before; /* when the connection was last at rest; zero: never */
    uint32_t asked;           /* bytes of the request that were sent */
    uint8_t request[REQUEST_BYTES];
};

static uint32_t place_of(const struct client *client, uint32_t server, uint32_t transport)
{
    return server * client->network->transports + transport;
}

/* A request that is lost delays its flow as lost data does, and only this end knows. */
static void settle(const struct client_link *link)
{
    struct tcp_counts now;
    if (link->flow != NO_FLOW && link->source.fd >= 0 && tcp_counts_read(link->source.fd, &now))
        link->client->flows[link->flow].counts = tcp_counts_since(&link->before, &now);
}

static void link_close(struct client_link *link)
{
    struct client *client = link->client;
    settle(link);
    *(link->previous ? &link->previous->next : &client->links) = link->next;
    if (link->next)
        link->next->previous = link->previous;
    idle_remove(&client->idle, &link->waiting);
    client->failed += link->flow != NO_FLOW;
    loop_close(client->loop, &link->source);
}

static void say_unreachable(struct client *client, const struct client_link *link, int error)
{
    char address[INET_ADDRSTRLEN];
    if (client->said)
        return;
    client->said = true;
    inet_ntop(AF_INET, &client->network->address[link->server], address, sizeof address);
    cli_error(CLI_INTERNAL, "host %u at %s port %u: cannot connect: %s (its flows stay unfinished)", link->server,
              address, client->network->port + link->transport, strerror(error));
}

/* Later, or never: then what it was for has failed. */
static void connect_again(struct client_link *link, int error)
{
    struct client *client = link->client;
    int64_t now = wall_ns();
    if (link->source.fd >= 0)
        close(link->source.fd);
    link->source.fd = -1;
    if (now >= link->give_up_ns) {
        say_unreachable(client, link, error);
        link_close(link);
        return;
    }
    struct client_link **place = &client->retries; /* all wait equally long: it comes last */
    while (*place)
        place = &(*place)->next_retry;
    *place = link;
    link->next_retry = NULL;
    link->state = LINK_WAITING_TO_CONNECT;
    link->retry_ns = now + RETRY_NS;
}

static void connect_now(struct client_link *link)
{
    struct client *client = link->client;
    const struct network *network = client->network;
    link->source.fd =
        socket_connect(network->address[network->host], network->address[link->server],
                       (uint16_t)(network->port + link->transport), &network->transport[link->transport].acks);
    link->state = LINK_CONNECTING;
    if (link->source.fd < 0 || !loop_add(client->loop, &link->source, EPOLLOUT))
        connect_again(link, errno);
}

static void link_ready(struct loop_source *source, uint32_t events);

static bool link_open(struct client *client, uint32_t server, uint32_t transport, uint32_t flow)
{
    struct client_link *link = calloc(1, sizeof *link);
    if (!link)
        return false;
    *link = (struct client_link){.source = {.fd = -1, .ready = link_ready},
                                 .client = client,
                                 .next = client->links,
                                 .waiting = {.place = IDLE_NOWHERE},
                                 .server = server,
                                 .transport = transport,
                                 .flow = flow,
                                 .give_up_ns = wall_ns() + PATIENCE_NS};
    if (client->links)
        client->links->previous = link;
    client->links = link;
    connect_now(link);
    return true;
}

static void link_rests(struct client_link *link)
{
    struct client *client = link->client;
    settle(link);
    tcp_counts_read(link->source.fd, &link->before);
    link->flow = NO_FLOW;
    link->state = LINK_IDLE;
    idle_put(&client->idle, place_of(client, link->server, link->transport), &link->waiting);
    loop_change(client->loop, &link->source, EPOLLIN);
}

/* True while the connection is of use. */
static bool ask(struct client_link *link)
{
    ssize_t sent = send(link->source.fd, link->request + link->asked, REQUEST_BYTES - link->asked, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    link->asked += sent > 0 ? (uint32_t)sent : 0;
    link->state = link->asked < REQUEST_BYTES ? LINK_ASKING : LINK_RECEIVING;
    loop_change(link->client->loop, &link->source, link->state == LINK_ASKING ? EPOLLOUT : EPOLLIN);
    return true;
}

static bool begin_flow(struct client_link *link, uint32_t flow)
{
    const struct host_flow *plan = &link->client->plan->at[flow];
    struct request request = {
        .flow = plan->id, .client = link->client->network->host, .transport = plan->transport, .bytes = plan->bytes};
    link->flow = flow;
    link->left = plan->bytes;
    link->asked = 0;
    request_write(&request, link->request);
    return ask(link);
}

static bool connected(struct client_link *link, uint32_t events)
{
    int error = socket_error(link->source.fd);
    if (error != 0 || events & (EPOLLERR | EPOLLHUP)) {
        connect_again(link, error != 0 ? error : ECONNREFUSED);
        return true;
    }
    if (link->flow != NO_FLOW)
        return begin_flow(link, link->flow);
    link_rests(link);
    return true;
}

static bool take_answer(struct client_link *link)
{
    struct client *client = link->client;
    /* The data itself is of no interest: the kernel is asked to drop it, and says how much it was. */
    static uint8_t nowhere[READ_BYTES];
    ssize_t got = recv(link->source.fd, nowhere, sizeof nowhere, MSG_TRUNC);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    if (got == 0 || link->state != LINK_RECEIVING || got > link->left)
        return false; /* the other end has left, or sends data that was not requested */
    client->flows[link->flow].delivered_bytes += got;
    link->left -= link->left == FLOW_ENDLESS ? 0 : got;
    if (link->left > 0)
        return true;
    client->flows[link->flow].finish_ns = wall_ns() - client->zero_ns;
    client->finished++;
    link_rests(link);
    return true;
}

static void link_ready(struct loop_source *source, uint32_t events)
{
    struct client_link *link = (struct client_link *)source;
    bool good = true;
    if (link->state == LINK_CONNECTING)
        good = connected(link, events);
    else if (events & EPOLLIN)
        good = take_answer(link);
    else if (events & (EPOLLERR | EPOLLHUP))
        good = false;
    else if (link->state == LINK_ASKING)
        good = ask(link);
    if (!good)
        link_close(link);
}

bool client_init(struct client *client, struct loop *loop, const struct network *network,
                 const struct host_flow_list *plan)
{
    *client = (struct client){.loop = loop, .network = network, .plan = plan};
    client->flows = calloc((size_t)plan->count + 1, sizeof *client->flows);
    for (uint32_t i = 0; client->flows && i < plan->count; i++)
        client->flows[i] = (struct client_flow){.start_ns = CLIENT_NEVER, .finish_ns = CLIENT_NEVER};
    return client->flows && idle_init(&client->idle, network->hosts * network->transports);
}

void client_free(struct client *client)
{
    while (client->links)
        link_close(client->links);
    idle_free(&client->idle);
    free(client->flows);
}

bool client_warm_up(struct client *client, uint32_t connections)
{
    uint32_t places = client->idle.places, transports = client->network->transports;
    bool *wanted = calloc((size_t)places + 1, sizeof *wanted);
    bool opened = wanted != NULL;
    for (uint32_t i = 0; opened && i < client->plan->count; i++)
        wanted[place_of(client, client->plan->at[i].source, client->plan->at[i].transport)] =
            !client->network->transport[client->plan->at[i].transport].udp;
    for (uint32_t place = 0; opened && place < places; place++)
        for (uint32_t i = 0; opened && wanted[place] && i < connections; i++)
            opened = link_open(client, place / transports, place % transports, NO_FLOW);
    free(wanted);
    return opened;
}

/* A connection that waits, for this flow; null: there is none. */
static struct client_link *take_waiting(struct client *client, const struct host_flow *flow)
{
    struct idle_link *waiting = idle_take(&client->idle, place_of(client, flow->source, flow->transport));
    return waiting ? (struct client_link *)((char *)waiting - offsetof(struct client_link, waiting)) : NULL;
}

static bool launch(struct client *client, uint32_t index, int64_t now_ns)
{
    const struct host_flow *flow = &client->plan->at[index];
    int64_t late = now_ns - client->zero_ns - flow->start_ns;
    client->late_ns = late > client->late_ns ? late : client->late_ns;
    client->flows[index].start_ns = now_ns - client->zero_ns;
    if (client->network->transport[flow->transport].udp)
        return true; /* it comes by itself */
    struct client_link *link = take_waiting(client, flow);
    if (!link)
        return link_open(client, flow->source, flow->transport, index);
    if (!begin_flow(link, index))
        link_close(link);
    return true;
}

bool client_act(struct client *client, int64_t now_ns)
{
    while (client->retries && client->retries->retry_ns <= now_ns) {
        struct client_link *link = client->retries;
        client->retries = link->next_retry;
        /* Meanwhile another connection may have become free for its flow. */
        uint32_t flow = link->flow;
        struct client_link *other = flow != NO_FLOW ? take_waiting(client, &client->plan->at[flow]) : NULL;
        if (!other) {
            connect_now(link);
            continue;
        }
        link->flow = NO_FLOW;
        link_close(link);
        if (!begin_flow(other, flow))
            link_close(other);
    }
    while (client->launched < client->plan->count &&
           client->plan->at[client->launched].start_ns <= now_ns - client->zero_ns)
        if (!launch(client, client->launched++, now_ns))
            return false;
    return true;
}

int64_t client_next_ns(const struct client *client)
{
    int64_t next = client->retries ? client->retries->retry_ns : INT64_MAX;
    if (client->launched == client->plan->count)
        return next;
    int64_t start = client->zero_ns + client->plan->at[client->launched].start_ns;
    return start < next ? start : next;
}

void client_settle(struct client *client)
{
    for (const struct client_link *link = client->links; link; link = link->next)
        settle(link);
}

bool client_is_done(const struct client *client)
{
    return client->launched == client->plan->count && client->finished + client->failed == client->launched;
}
